// Values stored on this device.

/** Reads a value from localStorage, which may be unavailable. */
export function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Writes a value to localStorage; null removes it. */
export function store(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // In a private window without storage, the value lasts as long as the page.
  }
}

// What this device remembers.

/** Reads a value from localStorage, which may be forbidden. */
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
    // A private window without storage: it lasts as long as the page.
  }
}

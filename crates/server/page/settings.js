// What a person has set on this device: theme, motion, sound.

const KEY = "skirmish.settings";
const listeners = new Set();
let current = read();
apply();

/** The settings: `theme` system, light, dark or contrast; `motion` system, on or off; `sound` true or false. */
export const settings = () => current;

/** Changes settings, on all tabs. */
export function set(changes) {
  current = { ...current, ...changes };
  store(KEY, JSON.stringify(current));
  apply();
}

/** Calls `listener` after each change. Returns what ends that. */
export function onSettings(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether things may move. */
export function moves() {
  if (current.motion !== "system") return current.motion === "on";
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

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

addEventListener("storage", (event) => {
  if (event.key !== KEY && event.key !== null) return;
  current = read();
  apply();
});

function read() {
  const usual = { theme: "system", motion: "system", sound: false };
  try {
    return { ...usual, ...JSON.parse(stored(KEY)) };
  } catch {
    return usual;
  }
}

function apply() {
  const page = document.documentElement.dataset;
  page.theme = current.theme;
  page.motion = current.motion;
  for (const listener of listeners) listener(current);
}

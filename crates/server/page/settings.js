// This device's settings: theme, motion and sound. theme.js applies them.

import { store, stored } from "./store.js";

const KEY = "skirmish.settings";
let current = read();

/**
 * The settings: `theme` system, light, dark or contrast; `motion` system, on or off; `sound` true or false;
 * `keys` whether letters choose everywhere in a game, or only while the board has the focus; `typing` whether moves can be typed;
 * `notify` whether a notification says that it is the person's turn.
 */
export const settings = () => current;

/** Changes settings in all tabs. */
export function set(changes) {
  current = { ...current, ...changes };
  store(KEY, JSON.stringify(current));
  const { theme, motion } = current;
  Object.assign(document.documentElement.dataset, { theme, motion });
}

/** Whether animations are enabled. */
export function moves() {
  if (current.motion !== "system") return current.motion === "on";
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

addEventListener("storage", () => (current = read()));

function read() {
  const usual = { theme: "system", motion: "system", sound: false, keys: false, typing: false, notify: false };
  try {
    return { ...usual, ...JSON.parse(stored(KEY)) };
  } catch {
    return usual;
  }
}

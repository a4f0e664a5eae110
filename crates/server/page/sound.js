// Short synthesised sounds, without files.

import { h } from "./dom.js";
import { set, settings } from "./settings.js";

let audio;
const TONES = { move: [440, 0.05], battle: [180, 0.12], turn: [660, 0.08], end: [523, 0.3] };

/** Plays a short sound if sound is on: "move", "battle", "turn" or "end". */
export function sound(kind) {
  if (!settings().sound || !TONES[kind]) return;
  const [pitch, length] = TONES[kind];
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume();
  const [tone, volume, now] = [audio.createOscillator(), audio.createGain(), audio.currentTime];
  tone.type = "triangle";
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0.15, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + length);
  tone.connect(volume).connect(audio.destination);
  tone.start(now);
  tone.stop(now + length);
}

/** A button that turns sounds on and off. */
export function soundButton() {
  const button = h("button", { "aria-pressed": String(settings().sound), onclick: () => {
    set({ sound: !settings().sound });
    button.ariaPressed = String(settings().sound);
    sound("turn");
  } }, "Sounds");
  return button;
}

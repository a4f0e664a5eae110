// Short synthesised sounds, without files.

import { settings } from "./settings.js";

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

// The games being followed. Each receives its messages, and joins again after every reconnection.

import { net } from "./net.js";

const rooms = new Map();
const listeners = new Set();

/** Returns the room of a followed game, if any. */
export const known = (code) => rooms.get(code);

/** The followed games. */
export const all = () => [...rooms.values()];

/** Adds a room to the followed games. */
export function enter(room) {
  net.hello();
  rooms.set(room.code, room);
  if (net.state === "open") room.join();
}

/** Removes a room from the followed games. */
export const exit = (code) => rooms.delete(code);

/** Calls `listener(room, kind, data)` on every change in a followed room. */
export const onRoom = (listener) => listeners.add(listener);

/** Notifies the listeners of all rooms. */
export const tell = (...news) => listeners.forEach((listener) => listener(...news));

net.isClockRunning = () => [...rooms.values()].some((room) => room.isClockRunning);
for (const type of ["snap", "ev", "presence"]) net.on(type, (message) => rooms.get(message.code)?.receive(message));
net.on("pong", (message) => rooms.forEach((room) => room.receive(message)));
// The computer or the server cannot go on in a game, or can again.
net.on("notice", (message) => rooms.get(message.notice.code)?.receive(message));
net.on("open", () => rooms.forEach((room) => room.join()));
// With another account, this person may have a seat in games watched before.
net.on("restart", ({ seconds }) => seconds || rooms.forEach((room) => room.renew()));
net.on("again", () => rooms.forEach((room) => {
  // Games without a view were followed only for the previous account.
  if (room.users <= 0) exit(room.code);
  else room.renew();
}));

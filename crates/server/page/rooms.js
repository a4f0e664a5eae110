// The games that are followed: each gets the messages about it, and joins whenever there is a connection.

import { net } from "./net.js";

const rooms = new Map();
const listeners = new Set();

/** The room of a game that is followed, if it is. */
export const known = (code) => rooms.get(code);

/** Adds a room. */
export function enter(room) {
  net.hello();
  rooms.set(room.code, room);
  if (net.state === "open") room.join();
}

/** Ends that. */
export const exit = (code) => rooms.delete(code);

/** Calls `listener(room, kind, data)` for whatever happens in any room that is followed. */
export const onRoom = (listener) => listeners.add(listener);

/** Tells those who follow all rooms. */
export const tell = (...news) => listeners.forEach((listener) => listener(...news));

net.isClockRunning = () => [...rooms.values()].some((room) => room.isClockRunning);
for (const type of ["snap", "ev", "presence"]) net.on(type, (message) => rooms.get(message.code)?.receive(message));
net.on("pong", (message) => rooms.forEach((room) => room.receive(message)));
// The computer or the server cannot go on in a game, or can again.
net.on("notice", (message) => rooms.get(message.notice.code)?.receive(message));
net.on("open", () => rooms.forEach((room) => room.join()));
// With another account one may sit in games that one has only watched.
net.on("restart", ({ seconds }) => seconds || rooms.forEach((room) => room.renew()));
net.on("again", () => rooms.forEach((room) => {
  // Games that only waited in the background were somebody else's.
  if (room.users <= 0) exit(room.code);
  else room.renew();
}));

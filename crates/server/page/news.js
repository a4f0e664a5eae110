// Reports events in this person's games that are not on the screen.

import { toast } from "./app.js";
import { onRoom } from "./rooms.js";
import "./waiting.js";

const NEWS = {
  begin: (room) => [`Your game ${room.code} has begun.`, "Play"],
  end: (room) => [`Your game ${room.code} is over.`, "See how"],
  offer: (room, { player, what }) => player !== room.snap.you && [`Your opponent ${what === "takeback" ? "asks for" : "offers"} a ${what} in your game ${room.code}.`, "Answer"],
  asked: (room) => room.isAsked && !room.told && [`It is your turn in your game ${room.code}.`, "Play"],
};
onRoom((room, kind, data) => {
  if (!room.isAsked) room.told = false;
  if (location.pathname.toUpperCase() === `/G/${room.code}` || !room.snap?.you || room.users > 0) return;
  const news = NEWS[kind]?.(room, data);
  if (!news) return;
  if (kind === "begin" || kind === "asked") room.told = true;
  toast(news[0], `/g/${room.code}`, news[1]);
  if (kind === "end") room.stop();
});

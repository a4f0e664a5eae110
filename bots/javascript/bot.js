// A bot for Skirmish that plays any legal move. Start it with: node bot.js
"use strict";

const readline = require("node:readline");

/**
 * Your idea goes here: return one of the moves in `legal`.
 *
 * @param {string} game       the game's name, such as "base-battle"
 * @param {string} position   the position in notation, such as "0/10/1"
 * @param {number} player     which side you play, 1 or 2
 * @param {string[]} legal    your legal moves in notation, such as ["1", "2", "3"]
 * @returns {string}
 */
function choose(game, position, player, legal) {
  return legal[Math.floor(Math.random() * legal.length)];
}

// Each question is one line of JSON. The bot ends when its input ends.
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { game, position, player, legal } = JSON.parse(line);
  // In Command Clash both sides choose simultaneously, so "legal" contains the moves of both.
  // Node writes to a pipe immediately, so no flush is needed.
  process.stdout.write(choose(game, position, player, legal[player]) + "\n");
});

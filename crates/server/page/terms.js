// The terms of a game in words, as in the terminal program.

import { h, name } from "./dom.js";
import { link } from "./app.js";

/** A game with its special terms: "Base Battle (positions=9), clock 5+3, rated". */
export function describe(terms, { games, levels }) {
  const game = games.find(({ game }) => game === terms.game)?.name ?? terms.game;
  const rules = Object.entries(terms.rules ?? {}).map(([option, value]) => `${option}=${value}`).join(" ");
  const level = levels.find(({ level }) => level === terms.level);
  return [
    rules ? `${game} (${rules})` : game,
    terms.clock && terms.clock !== "none" && `clock ${terms.clock}`,
    terms.match && `best of ${terms.match}`,
    terms.max_turns && `a draw after ${terms.max_turns} turns`,
    terms.rated && "rated",
    terms.hints && "hints allowed",
    level && `${level.level} computer`,
  ].filter(Boolean).join(", ");
}

/** The text with its first letter in upper case. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** What a player is called: a computer goes by its level, as in the arcade. */
export const called = ({ name, level }) => (level ? capital(level) : name);

/** A rating, with a question mark while it is provisional. */
export const ratingOf = ({ rating, provisional }) => `${rating}${provisional ? "?" : ""}`;

/** A player: the isolated name, followed by the rating or a mark for guests, whose names anybody may take. */
export function player(seat) {
  return [name(seat.name), seat.rating && ` (${ratingOf(seat)})`, seat.guest && h("span", { class: "guest" }, " guest")];
}

/** The two players of a game, as text. */
export function pairing(players) {
  const seated = [players[1], players[2]].filter(Boolean).map(player);
  return seated.length === 2 ? [seated[0], " against ", seated[1]] : seated[0] ?? null;
}

/** An entry of the lobby as a line with a link. */
export function gameLine(entry, catalogue, { way, watch = false } = {}) {
  const state = entry.your_turn
    ? h("span", { class: "badge solid" }, "your turn")
    : h("span", { class: "muted small" }, entry.turns ? `turn ${entry.turns}` : "");
  return h("li", null, link(`/g/${entry.code}${watch ? "?watch" : ""}`, [
    h("span", { class: "code muted" }, entry.code),
    h("span", { class: "what" }, h("span", null, describe(entry.terms, catalogue)), h("span", { class: "muted small" }, pairing(entry.players))),
    h("span", { class: "row" }, state, way && h("span", { class: "badge" }, way)),
  ], { class: entry.your_turn ? "item now" : "item" }));
}

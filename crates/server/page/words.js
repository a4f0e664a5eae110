// Sentences worded as in the terminal program.

const UNITS = [[86_400, "days"], [3600, "hours"], [60, "minutes"]];

/** A period in words, in the largest unit of which it contains about two. */
export function period(seconds) {
  const unit = UNITS.find(([size]) => seconds + size / 20 >= 2 * size);
  if (unit) return `${Math.floor((seconds + unit[0] / 2) / unit[0])} ${unit[1]}`;
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

/** The value of a move or position for the side to move, worded as by `analyze`: "win in 5". */
export function valueWords({ value, plies }) {
  if (value === "endless") return "endless if both play well";
  return plies === 0 ? { win: "won", loss: "lost", draw: "drawn" }[value] : `${value} in ${plies}`;
}

/** Formats the time on a clock. */
export function clockText(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (number) => String(number).padStart(2, "0");
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours}:${two(minutes)}:${two(seconds % 60)}`;
  if (seconds < 10) return `0:0${seconds}.${Math.floor(milliseconds / 100) % 10}`;
  return `${minutes}:${two(seconds % 60)}`;
}

/** Describes an offer as an action of the player who makes it. */
export function offered(what) {
  return { draw: "offers a draw", takeback: "asks to take back their last turn", rematch: "offers a rematch" }[what] ?? `offers ${what}`;
}

// Both sides' half points for the result of a game, which are 0 until it is over and if it was aborted.
const halfPoints = (result) => ({ "1-0": [2, 0], "0-1": [0, 2], "1/2-1/2": [1, 1] })[result] ?? [0, 0];

/** The side that won, or null. */
export function winnerOf({ result }) {
  const [one, two] = halfPoints(result);
  return one === two ? null : one > two ? 1 : 2;
}

/**
 * How a game ended, as sentences: `winner`, `reason` (empty if the last turn has said it) and `result`. `you` is the side of
 * the player who reads it, if any.
 */
export function ending({ result, termination }, names, terms, you) {
  const winner = winnerOf({ result });
  const loser = winner && 3 - winner;
  const won = !winner ? "" : winner === you ? "You win the game!" : `${names[winner]} wins the game!`;
  if (result === "*") return { winner, reason: "The game was aborted. Nobody has lost it.", result: "" };
  switch (termination) {
    case "resigned": return { winner, reason: loser === you ? "You resign." : `${names[loser]} resigns.`, result: won };
    case "agreed": return { winner, reason: "The players agree on a draw.", result: "" };
    case "turn limit": return { winner, reason: `The turn limit of ${terms.max_turns} is reached: the game is a draw.`, result: "" };
    case "time": return winner
      ? { winner, reason: loser === you ? "Your time is up." : `${names[loser]}'s time is up.`, result: won }
      : { winner, reason: "Both players' time is up: the game is a draw.", result: "" };
    default: return { winner, reason: "", result: winner ? won : "The game is a draw." };
  }
}

/** Whether a game that has begun is over. The room may go on with another game. */
export const isOver = ({ stage }) => stage === "over" || stage === "closed";

/** The sentence for a game that is paused because the last server stops. */
export const PAUSED = "The game is paused, and no clock runs.";

/** Why a closed room has no further game, or null. */
export const closing = ({ stage }) => (stage === "closed" ? "The operator of this server has closed this game: there is no rematch." : null);

// Counts both sides' half points over several games, including the current one. The seats change between games.
function halves(snap) {
  const sum = [0, 0];
  if (snap.match) {
    sum[0] += snap.match.half_points[1];
    sum[1] += snap.match.half_points[2];
  } else {
    if (!snap.earlier?.length) return null;
    snap.earlier.forEach(({ result }, index) => {
      const got = halfPoints(result);
      const isSwapped = (snap.number - 1 - index) % 2 === 1;
      sum[0] += got[isSwapped ? 1 : 0];
      sum[1] += got[isSwapped ? 0 : 1];
    });
  }
  const now = halfPoints(snap.end?.result);
  return [sum[0] + now[0], sum[1] + now[1]];
}

const written = (half) => `${half >= 2 || half === 0 ? Math.floor(half / 2) : ""}${half % 2 ? "½" : ""}`;

/** Each side's points in the match or the rematches so far; null if there was no earlier game. */
export function points(snap) {
  const sum = halves(snap);
  return sum && { 1: written(sum[0]), 2: written(sum[1]) };
}

/** The score as a sentence, or null. */
export function score(snap, names) {
  const sum = halves(snap);
  if (!sum) return null;
  const tally = `${names[1]} ${written(sum[0])}, ${names[2]} ${written(sum[1])}`;
  if (!snap.match || !snap.end) return `Score: ${tally}.`;
  const left = 2 * (snap.match.of - snap.match.game);
  if (snap.end.result !== "*" && Math.abs(sum[0] - sum[1]) <= left && left > 0) return `Score: ${tally}.`;
  const winner = sum[0] === sum[1] ? "The match is drawn." : `${names[sum[0] > sum[1] ? 1 : 2]} wins the match!`;
  return `Final score: ${tally}. ${winner}`;
}

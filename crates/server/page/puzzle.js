// Puzzles: the puzzle of the day, and those of each game and level. Each has its own address.

import { api, catalogue, gameNamed } from "./api.js";
import { go, link, nothing, say, style, title } from "./app.js";
import { clear, h } from "./dom.js";
import { Play, caption } from "./play.js";
import { store, stored } from "./store.js";
import { capital } from "./terms.js";

/** The clean days and the solved puzzles on this device: `{days: ["2026-11-19"], solved: ["base-battle 2/8/1"]}`. */
const DONE = "skirmish.puzzles";
/** The seed of the puzzles with numbers. Any would do, but their addresses must not change. */
const SEED = 1;
/** A mix that gives away no more solves the puzzle, as in the terminal. */
const GOOD_ENOUGH = 0.05;

/** Today's date on this device, or one some days earlier, as in `2026-11-19`. */
function day(earlier = 0) {
  const date = new Date();
  date.setDate(date.getDate() - earlier);
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function done() {
  try {
    return { days: [], solved: [], ...JSON.parse(stored(DONE)) };
  } catch {
    return { days: [], solved: [] };
  }
}

/** The number of successive days, up to today or yesterday, on which the puzzle of the day was solved without help. */
function streak() {
  const days = new Set(done().days);
  let from = days.has(day()) ? 0 : 1;
  let count = 0;
  while (days.has(day(from))) {
    from += 1;
    count += 1;
  }
  return count;
}

const address = (game, level, number) => `/puzzle/${game}?${new URLSearchParams({ ...(level && { level }), number })}`;

export async function show(root, { params, query }) {
  const [{ games, levels }] = await Promise.all([catalogue(), style("stage.css"), style("study.css")]);
  const [level, number] = [query.get("level") ?? "", Number(query.get("number")) || 1];
  const date = params.game ? null : query.get("date") ?? day();
  const isToday = date === day();
  title("Puzzles");
  const choose = h("div", { class: "stack" },
    h("nav", { class: "game-tabs", "aria-label": "Puzzles" },
      link("/puzzle", "Today", isToday ? { "aria-current": "page" } : {}),
      games.map(({ game, name }) => link(address(game, "", 1), name, game === params.game ? { "aria-current": "page" } : {}))),
    params.game && h("fieldset", null, h("legend", { class: "unseen" }, "Level"),
      h("div", { class: "chips" }, [{ level: "", name: "any level" }, ...levels].map((it) => h("label", { class: "chip" },
        h("input", { type: "radio", name: "level", checked: it.level === level, onchange: () => go(address(params.game, it.level, 1)) }),
        h("span", null, it.name))))));
  let found;
  try {
    found = await api("puzzle", params.game ? { game: params.game, seed: SEED, level, number } : { date });
  } catch (error) {
    if (![400, 404].includes(error.status)) throw error;
    if (!games.some(({ game }) => game === params.game)) return nothing(root, "There is no such puzzle", error.message, link("/puzzle", "The puzzle of the day", { class: "button primary" }));
    root.append(h("div", { class: "page" }, choose, h("h1", null, "No more puzzles"), h("p", null, error.message)));
    return undefined;
  }
  const entry = await gameNamed(found.puzzle.game);
  const heading = date ? (isToday ? "Puzzle of the day" : `Puzzle of ${date}`) : `Puzzle ${number}`;
  const view = new Puzzle(entry, found, { today: isToday ? date : null, next: params.game ? address(params.game, level, number + 1) : address(entry.game, "", 1) });
  await view.begin();
  title(`${heading}: ${entry.name}`);
  root.append(h("div", { class: "page" }, choose,
    h("div", { class: "room-head" }, h("h1", null, heading), h("p", { class: "muted" }, `${entry.name}, ${found.puzzle.level}`)),
    h("div", { class: "study" }, view.play.main, h("div", { class: "study-side" }, view.side))));
  return () => view.play.close();
}

class Puzzle {
  #mistakes = 0;
  #isHelped = false;

  constructor(entry, { puzzle, task, total }, { today, next }) {
    this.entry = entry;
    this.puzzle = puzzle;
    this.task = task;
    this.total = total;
    // The date if this is the puzzle of the day: midnight may pass before it is solved.
    this.today = today;
    this.play = new Play({ game: entry, onChoose: (text) => this.#choose(text) });
    this.answer = h("div", { class: "answer steady stack", role: "status" });
    this.tally = h("p", { class: "muted" });
    const cost = today ? " (today will not count)" : "";
    this.help = h("button", { onclick: () => this.#show() }, `Show the solution${cost}`);
    this.play.list.after(this.answer);
    this.side = h("section", { class: "card" }, this.tally, h("div", { class: "row" }, this.help,
      link(next, "Next puzzle", { class: "button" }),
      link(`/explore/${entry.game}?position=${encodeURIComponent(puzzle.position)}`, "Explore", { class: "button quiet" })));
    this.#count();
  }

  get #board() {
    return this.play.board;
  }

  #analysed(position) {
    return api("board", { game: this.entry.game, position, values: 1 });
  }

  async begin() {
    this.play.set(await this.#analysed(this.puzzle.position));
    if (this.puzzle.goal === "mix") this.#askMix();
    else this.play.ask(this.puzzle.player, this.task);
  }

  #count() {
    const { days, solved } = done();
    const here = solved.filter((name) => name.startsWith(`${this.entry.game} `)).length;
    const row = streak();
    clear(this.tally).append(`You have solved ${here} of the ${this.total} puzzles of ${this.entry.name}. `,
      row ? `Streak: ${row} ${row === 1 ? "day" : "days"}${days.includes(day()) ? ", including today" : ""}.` : "");
  }

  #tell(text, kind) {
    clear(this.answer).append(h("p", { class: kind }, text));
  }

  #solved() {
    const { days, solved } = done();
    const isClean = this.#mistakes === 0 && !this.#isHelped;
    const { puzzle } = this;
    if (!this.#isHelped) {
      const name = `${puzzle.game} ${puzzle.position}${puzzle.goal === "mix" ? ` player ${puzzle.player}` : ""}`;
      const counts = isClean && this.today ? [this.today] : [];
      store(DONE, JSON.stringify({ days: [...new Set([...days, ...counts])], solved: [...new Set([...solved, name])] }));
    }
    const after = this.#mistakes ? `, after ${this.#mistakes} ${this.#mistakes === 1 ? "mistake" : "mistakes"}` : "";
    this.#tell(this.#isHelped ? "Solved, with help." : `Solved${after}.`, "praise");
    this.play.rest("");
    this.help.disabled = true;
    this.#count();
  }

  // ---- A win

  async #choose(text) {
    const { play, puzzle: { player, game } } = this;
    const { position, analysis, choices } = this.#board;
    // The server accepts every notation of a move, and explains errors.
    const played = await api("turn", { game, position, [`p${player}`]: text });
    const move = choices[player].find((choice) => choice.position === played.board.position);
    const rated = analysis.moves.find((it) => it.move === move.move);
    if (rated.value !== "win") {
      this.#mistakes += 1;
      const lost = rated.value === "loss" ? `lets Player ${3 - player} win${rated.plies > 1 ? ` in ${rated.plies - 1}` : ""}` : "gives the win away";
      this.#tell(`${capital(caption(move))} ${lost}. Try another move.`, "advice");
      return play.ask(player, this.task);
    }
    this.#tell("Right.", "praise");
    await this.#advance(played);
  }

  /** Plays a turn, and the best defence against it. */
  async #advance(played) {
    const { play, puzzle: { player, game } } = this;
    // Until the player is asked again, the board is not theirs to solve.
    this.help.disabled = true;
    await play.tell(played.told);
    if (played.board.outcome) {
      play.set(played.board);
      return this.#solved();
    }
    const board = await this.#analysed(played.board.position);
    play.set(board);
    const [side] = board.turn;
    if (side === player) {
      this.task = `Player ${player} to move and win in ${board.analysis.plies}.`;
      this.help.disabled = false;
      return play.ask(player, this.task);
    }
    const [best] = [...board.analysis.moves].sort((one, two) => two.plies - one.plies);
    return this.#advance(await api("turn", { game, position: board.position, [`p${side}`]: best.move }));
  }

  // ---- A mix

  #askMix() {
    const { play, puzzle: { player } } = this;
    play.rest(this.task);
    const moves = this.#board.legal[player];
    const words = Object.fromEntries(this.#board.choices[player].map(({ move, words }) => [move, words]));
    const inputs = moves.map((move) => h("input", { type: "number", min: 0, max: 100, value: Math.floor(100 / moves.length), inputmode: "numeric", "aria-label": `${words[move]}, percent` }));
    const check = (event) => {
      event.preventDefault();
      const shares = inputs.map((input) => Math.max(0, Number(input.value)));
      const sum = shares.reduce((one, two) => one + two, 0);
      if (sum <= 0) return this.#tell("Give at least one choice a share.", "advice");
      this.#guess(shares.map((share) => share / sum));
    };
    this.play.list.replaceChildren(h("form", { class: "mix", onsubmit: check },
      moves.map((move, at) => h("label", { class: "field" }, h("span", null, `${words[move]} %`), inputs[at])),
      h("button", { class: "primary" }, "Check")));
  }

  #guess(shares) {
    const { puzzle: { player, value } } = this;
    const { matrix: { values, 2: replies, 1: own } } = this.#board.analysis;
    const sign = player === 1 ? 1 : -1;
    const against = player === 1 ? replies : own;
    const worth = against.map((_, other) => shares.reduce((sum, share, at) => sum + share * sign * (player === 1 ? values[at][other] : values[other][at]), 0));
    const lost = Math.max(0, sign * value - Math.min(...worth));
    const answer = against[worth.indexOf(Math.min(...worth))];
    const text = `This mix gives away ${lost.toFixed(3)}. The best answer to it is ${answer}.`;
    if (lost > GOOD_ENOUGH) {
      this.#mistakes += 1;
      return this.#tell(text, "advice");
    }
    this.#solved();
    this.answer.append(h("p", null, text));
  }

  // ---- Help

  async #show() {
    this.#isHelped = true;
    const { player } = this.puzzle;
    const { analysis } = this.#board;
    const text = this.puzzle.goal === "mix"
      ? `The best mix: ${Object.entries(analysis.strategy[player]).map(([move, share]) => `${move} ${Math.round(share * 100)} %`).join(", ")}.`
      : `The winning move: ${analysis.moves.filter(({ value }) => value === "win").map(({ move }) => caption({ words: this.#board.choices[player].find((it) => it.move === move).words })).join(" or ")}.`;
    this.#tell(text, "advice");
    say(text);
  }
}

// The review of a finished game: replay turn by turn, with the value of each choice.

import { here, link, say, style } from "./app.js";
import { api, gameNamed, rulesText } from "./api.js";
import { clear, h, name, svg } from "./dom.js";
import { exploreAddress } from "./explore.js";
import { drawMap } from "./map.js";
import { Stage } from "./stage.js";

/**
 * Shows the review of a room's game `number`, at the ply in the address. Resolves with a clean-up.
 */
export async function review(root, { code, number = 1 }) {
  await Promise.all([style("stage.css"), style("study.css")]);
  const box = h("section", { class: "review", "aria-labelledby": "review-title" }, h("p", { role: "status" }, "Reviewing the game…"));
  root.append(box);
  let answer;
  let reason = null;
  try {
    answer = await api("review", { code, game: number }).catch((error) => {
      // A board that is too large to solve can still be replayed.
      if (error.status === 404) throw error;
      reason = error.message;
      return api("review", { code, game: number, values: 0 });
    });
  } catch (error) {
    clear(box).append(heading("Review"), h("p", {}, error.message), records(code, number));
    return () => box.remove();
  }
  const view = new Review(clear(box), { code, number, entry: await gameNamed(answer.game), answer, reason });
  return () => view.close();
}

/** The first heading of the page, unless the game above has one. */
const heading = (text) => h(document.querySelector("main h1") ? "h2" : "h1", { id: "review-title" }, text);

/** Links to download the record. */
function records(code, number) {
  return h("p", { class: "row" }, h("a", { class: "button", href: `/g/${code}.skr?game=${number}`, download: `${code}-${number}.skr` }, "Download the record"));
}

/** The size of the graph of values, in its own units. */
const GRAPH = { width: 600, height: 150, pad: 12 };

class Review {
  constructor(root, { code, number, entry, answer, reason }) {
    const { review, verdicts, accuracy, sentences, boards, told, names } = answer;
    Object.assign(this, { root, code, number, entry, review, verdicts, accuracy, boards, told, names });
    this.last = boards.length - 1;
    this.isAtOnce = entry.tempo === "simultaneous";
    /** The value for Player 1 from -1 to +1, at the start and after each turn. */
    this.values = review && (this.isAtOnce ? valuesAtOnce : valuesInTurn)(review);
    this.variant = { rules: rulesText(answer.rules), first: answer.first === 2 ? "2" : "" };
    this.asked = 0;
    const box = h("div", { class: "stage-box" });
    this.line = h("div", { class: "turn-told", "aria-live": "polite" });
    this.slider = h("input", {
      type: "range", min: 0, max: this.last, value: 0, "aria-label": "Turn", oninput: () => this.go(Number(this.slider.value)),
    });
    this.moves = h("ol", { class: "game-moves", tabindex: "0", "aria-label": "Moves" });
    this.graph = h("div", { class: "graph-box" });
    this.map = h("div", {});
    this.explore = h("span", {});
    this.share = h("button", { type: "button", onclick: () => this.#share() });
    this.shareLink = h("input", { type: "text", readonly: true, hidden: true, "aria-label": "Link to this turn" });
    this.#fillMoves();
    root.append(
      heading("Review"),
      // Omit that a game ended by its rules.
      h("p", { class: "result" }, sentences.at(-1).replace(/ \(rules\)\.$/, ".")),
      review ? this.#summary(sentences) : h("p", { class: "notice" }, reason),
      h("div", { class: "study" },
        h("div", { class: "study-main" }, box, this.line, this.#controls(), this.graph),
        h("div", { class: "study-side" },
          h("section", { class: "card" }, h("h2", {}, "Moves"), this.moves),
          h("p", { class: "row" }, this.share, this.shareLink, this.explore), records(code, number))),
      h("details", { class: "card map-panel", open: true, hidden: !review }, h("summary", {}, "The solved map"), this.map));
    this.stage = new Stage(box, entry);
    this.onKey = (event) => this.#key(event);
    addEventListener("keydown", this.onKey);
    const asked = new URLSearchParams(location.search).get("ply");
    this.go(asked === null ? this.last : Number.parseInt(asked, 10) || 0, { isFirst: true });
    if (review) this.#loadMap();
  }

  close() {
    this.asked += 1;
    this.stage.close();
    removeEventListener("keydown", this.onKey);
    this.root.remove();
  }

  // ---- Remarks about the game

  #summary(sentences) {
    const { choices, turning_point: turning } = this.review;
    const mistakes = choices.flatMap((choice, at) => {
      if (choice.verdict !== "gave-away") return [];
      const isTurning = choice.turn === turning?.turn && choice.player === turning.player;
      return h("li", {}, this.#turnLink(choice.turn, `Turn ${choice.turn}`), " ", h("bdi", {}, this.verdicts[at]),
        isTurning && h("strong", {}, " The turning point."));
    });
    return h("div", { class: "review-summary" },
      h("dl", { class: "accuracy" }, [1, 2].map((player) => [
        h("dt", {}, "Accuracy of ", h("span", { class: `p${player}` }, name(this.names[player])), ":"),
        h("dd", {}, this.accuracy[player])])),
      mistakes.length > 0 && h("ul", { class: "turning" }, mistakes),
      choices.some(({ mark }) => mark) && h("p", { class: "about" }, marksKey(this.entry)),
      h("details", {}, h("summary", {}, "The review in words"), h("div", { class: "sentences" }, sentences.map((text) => h("p", {}, text)))));
  }

  #turnLink(turn, content) {
    // Show the position after the turn, to which the choice led.
    return link(this.#address(turn), content, { onclick: (event) => {
      event.preventDefault();
      this.go(turn);
    } });
  }

  #address(ply) {
    return `/g/${this.code}?game=${this.number}&ply=${ply}`;
  }

  // ---- Replay

  #controls() {
    const button = (text, words, act) => h("button", { type: "button", "aria-label": words, title: words, onclick: act }, text);
    return h("div", { class: "replay", role: "group", "aria-label": "Replay" },
      button("«", "To the start", () => this.go(0)), button("‹", "Back", () => this.go(this.ply - 1)),
      this.slider,
      button("›", "Forward", () => this.go(this.ply + 1)), button("»", "To the end", () => this.go(this.last)));
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest?.("input, select, textarea, [role=grid], dialog")) return;
    const to = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.go(to);
  }

  async go(ply, { isFirst = false } = {}) {
    const mine = ++this.asked;
    this.ply = Math.min(this.last, Math.max(0, ply));
    this.slider.value = this.ply;
    this.slider.setAttribute("aria-valuetext", this.ply === 0 ? "the start" : `after turn ${this.ply} of ${this.last}`);
    for (const item of this.moves.querySelectorAll("[data-ply]")) {
      const isHere = Number(item.dataset.ply) === this.ply;
      if (isHere) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
      // At first, the list has no layout yet.
      if (isHere) requestAnimationFrame(() => this.#reveal(item));
    }
    this.#showTurn();
    const position = this.boards[this.ply];
    clear(this.explore).append(link(exploreAddress(this.entry.game, { ...this.variant, position }),
      "Explore from here", { class: "button" }));
    this.share.textContent = "Copy a link to this turn";
    this.shareLink.value = this.#url();
    if (!isFirst) here(this.#address(this.ply));
    if (this.review) this.#drawGraph();
    this.#markMap();
    try {
      await this.#stageTurn(mine);
    } catch (error) {
      if (mine === this.asked) this.line.append(h("p", { class: "problem", role: "alert" }, error.message));
    }
  }

  /** Shows the events of the last turn, and remarks about its choices. */
  #showTurn() {
    const texts = this.ply === 0 ? ["The start."] : this.told[this.ply - 1].map(({ text }) => text);
    const said = this.#choicesOf(this.ply).map(({ verdict }) => verdict);
    clear(this.line).append(h("p", {}, texts.join(" ")), ...said.map((text) => h("p", { class: "muted" }, h("bdi", {}, text))));
  }

  /** The judged choices of a turn; empty if the game was not judged. */
  #choicesOf(turn) {
    const all = (this.review?.choices ?? []).map((choice, at) => ({ ...choice, verdict: this.verdicts[at] }));
    return all.filter((choice) => choice.turn === turn);
  }

  /** Shows the board after this turn. A single step forward is animated. */
  async #stageTurn(mine) {
    const { ply } = this;
    const load = (at) => api("board", { game: this.entry.game, ...this.variant, position: this.boards[at] });
    const isNext = this.staged === ply - 1;
    const board = await load(ply);
    if (mine !== this.asked || this.staged === ply) return;
    if (isNext) {
      // If the person skips ahead, show the next turn from its beginning.
      this.stage.set(await load(ply - 1));
      if (mine !== this.asked) return;
      this.staged = ply;
      await this.stage.play(this.told[ply - 1]);
      if (mine !== this.asked) return;
    }
    this.staged = ply;
    this.stage.set(board);
    this.stage.finish(board.outcome?.winner ?? null);
  }

  #reveal(item) {
    const { moves } = this;
    const top = item.offsetTop;
    if (top < moves.scrollTop || top + item.offsetHeight > moves.scrollTop + moves.clientHeight) moves.scrollTop = top - 40;
  }

  #fillMoves() {
    for (let turn = 1; turn <= this.last; turn += 1) {
      const choices = this.#choicesOf(turn);
      const words = this.isAtOnce && choices.length ? choices.map((choice) => this.#played(choice, ` ${choice.played}`)) : this.#toldOf(turn, choices[0]);
      const item = this.#turnLink(turn, words);
      item.dataset.ply = turn;
      this.moves.append(h("li", { value: turn }, item));
    }
  }

  /** A turn's sentence. The name at the start is in the side's colour. */
  #toldOf(turn, choice) {
    const text = this.told[turn - 1][0]?.text ?? `Turn ${turn}`;
    const who = choice && this.names[choice.player];
    return who && text.startsWith(who) ? this.#played(choice, text.slice(who.length)) : text;
  }

  #played({ player, mark }, words) {
    return h("span", { class: "played" }, h("span", { class: `p${player}` }, name(this.names[player])), words,
      mark && h("b", { class: mark === "!" ? "good" : "bad" }, ` ${mark}`));
  }

  #url() {
    return new URL(this.#address(this.ply), location.href).href;
  }

  async #share() {
    const url = this.#url();
    try {
      if (navigator.share && matchMedia("(pointer: coarse)").matches) {
        await navigator.share({ url });
        return;
      }
      await navigator.clipboard.writeText(url);
      this.share.textContent = "Link copied";
      say("The link has been copied.");
    } catch (error) {
      if (error.name === "AbortError") return;
      // Without permission to use the clipboard, the link can still be copied by hand.
      this.share.hidden = true;
      this.shareLink.hidden = false;
      this.shareLink.select();
    }
  }

  // ---- Values

  #drawGraph() {
    const all = this.values;
    const { width, height, pad } = GRAPH;
    const x = (turn) => pad + ((width - 2 * pad) * turn) / Math.max(1, this.last);
    const y = (value) => height / 2 - value * (height / 2 - pad);
    const path = all.map(([turn, value], at) => `${at ? "L" : "M"}${x(turn).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    const area = `${path}L${x(all.at(-1)[0]).toFixed(1)} ${y(0)}L${x(0)} ${y(0)}Z`;
    const words = all.map(([turn, value]) => `${turn ? `turn ${turn}` : "start"} ${signed(value)}`).join(", ");
    const marked = this.review.choices.filter(({ mark }) => mark && mark !== "!");
    clear(this.graph).append(
      svg("svg", {
        class: "graph", viewBox: `0 0 ${width} ${height}`, role: "img", preserveAspectRatio: "none",
        "aria-label": `Value for Player 1 over the turns: ${words}.`, onclick: (event) => this.#pick(event),
      },
      svg("clipPath", { id: "above" }, svg("rect", { x: 0, y: 0, width, height: height / 2 })),
      svg("clipPath", { id: "below" }, svg("rect", { x: 0, y: height / 2, width, height: height / 2 })),
      svg("path", { class: "area p1", d: area, "clip-path": "url(#above)" }),
      svg("path", { class: "area p2", d: area, "clip-path": "url(#below)" }),
      svg("line", { class: "zero", x1: 0, x2: width, y1: height / 2, y2: height / 2 }),
      svg("path", { class: "curve", d: path }),
      marked.map(({ turn }) => svg("line", { class: "mistake", x1: x(turn), x2: x(turn), y1: 0, y2: height })),
      svg("line", { class: "now", x1: x(this.ply), x2: x(this.ply), y1: 0, y2: height })),
      h("p", { class: "graph-key muted" }, h("span", {}, "▲ better for ", name(this.names[1])),
        marked.length > 0 && h("span", {}, h("span", { class: "bad" }, "┊"), " mistakes"), h("span", {}, "▼ better for ", name(this.names[2]))));
  }

  #pick(event) {
    const box = event.currentTarget.getBoundingClientRect();
    const { width, pad } = GRAPH;
    const x = ((event.clientX - box.left) / box.width) * width;
    this.go(Math.round(((x - pad) / (width - 2 * pad)) * this.last));
  }

  async #loadMap() {
    try {
      const picture = await api("picture", { game: this.entry.game, ...this.variant });
      const { isAtOnce } = this;
      // Omit parts that only concern the start.
      const columns = picture.columns.map((panels) => panels.filter(({ sheet }) => sheet || !isAtOnce));
      this.picture = { ...picture, columns, notes: isAtOnce ? [] : picture.notes.slice(0, 1) };
      this.#markMap();
    } catch (error) {
      clear(this.map).append(h("p", {}, error.message));
    }
  }

  #markMap() {
    if (!this.picture) return;
    const hadFocus = this.map.contains(document.activeElement);
    clear(this.map).append(drawMap(this.picture, {
      current: this.boards[this.ply],
      path: this.boards,
      choose: (position) => {
        const ply = this.boards.lastIndexOf(position);
        if (ply >= 0) this.go(ply);
        else say("The game never reached this position.");
      },
    }));
    if (hadFocus) this.map.querySelector(".cell.here")?.focus({ preventScroll: true });
  }
}

/** Explains the marks and numbers of a review. */
function marksKey({ tempo }) {
  const marks = "?? gave away the win or the game, ? gave something away, ! was the only choice that gave nothing away.";
  return tempo === "turns" ? marks
    : `${marks} The values go from -1, lost, to +1, won, and judge a choice against the other's best play, whatever the other chose.`;
}

const side = (player) => (player === 1 ? 1 : -1);

/** Scores a value from -1 (lost) to +1 (won). Quick wins score slightly higher than slow ones. */
function score(worth) {
  if (worth.value !== "win" && worth.value !== "loss") return 0;
  const near = 0.6 + 0.4 / (1 + Math.max(0, worth.plies - 1) / 4);
  return worth.value === "win" ? near : -near;
}

/** The value at the start and after each turn, for games played in turns. */
function valuesInTurn({ choices }) {
  const [first] = choices;
  const start = first ? side(first.player) * score(first.best) : 0;
  return [[0, start], ...choices.map(({ turn, player, worth }) => [turn, side(player) * score(worth)])];
}

/** The same for simultaneous games: a position's value is that of its best choice against the opponent's mix. */
function valuesAtOnce({ choices, outcome, termination }) {
  const values = new Map(choices.map(({ turn, player, best }) => [turn - 1, side(player) * best.value]));
  if (termination === "rules") values.set(choices.at(-1).turn, outcome.winner ? side(outcome.winner) : 0);
  return [...values];
}

const signed = (value) => (value > 0 ? "better for Player 1" : value < 0 ? "better for Player 2" : "even");

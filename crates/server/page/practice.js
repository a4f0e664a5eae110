// Practice: one person plays both sides, or two people share a screen. This needs neither an account nor a room.

import { api, catalogue, gameNamed, rulesText } from "./api.js";
import { here, link, nothing, say, style, title } from "./app.js";
import { h } from "./dom.js";
import { Play, sign, table, valueLabels } from "./play.js";
import { rulesButton, showRules } from "./sheet.js";
import { soundButton } from "./sound.js";

const SIDES = [1, 2];

export async function show(root, { params, query }) {
  const game = await gameNamed(params.game);
  if (!game) {
    const { games } = await catalogue();
    const ways = games.map(({ game: id, name }) => link(`/practice/${id}`, name, { class: "button" }));
    return nothing(root, "There is no such game", "These are the games you can practise:", ...ways);
  }
  await style("stage.css");
  const practice = new Practice(game, query);
  await practice.begin();
  root.append(practice.node);
  return () => practice.play.close();
}

class Practice {
  constructor(game, query) {
    this.game = game;
    this.rules = query.get("rules") ?? "";
    this.first = game.starts === "toss" ? query.get("first") ?? "1" : "1";
    this.start = query.get("position");
    this.turns = [];
    this.chosen = {};
    this.isHinting = false;
    this.play = new Play({
      game,
      onChoose: (text) => this.choose(text),
      onWord: (text) => this.word(text),
    });
    this.ending = h("div");
    this.handed = h("div", { hidden: true });
    this.undo = h("button", { onclick: () => this.takeBack() }, "Undo");
    this.again = h("button", { onclick: () => this.restart() }, "Start again");
    this.hint = h("button", { "aria-pressed": "false", onclick: () => this.toggleHints() }, "Values");
    this.explore = h("a", { class: "button" }, "Explore this position");
    this.play.box.after(this.ending, this.handed);
    this.node = h("div", { class: "room" },
      h("div", { class: "room-head" },
        h("h1", null, `Practise ${game.name}`),
        h("p", { class: "muted" }, game.tempo === "simultaneous"
          ? "Two players at one screen: choices stay hidden until both are made."
          : "You play both sides. Nothing is recorded.")),
      table(this.play,
        h("h2", null, "What has happened"), this.play.log,
        h("div", { class: "actions" }, this.undo, this.again, this.hint, this.explore),
        this.optionsForm(),
        h("div", { class: "actions" }, rulesButton(game), soundButton(),
          link(`/learn/${game.game}`, "Tutorial", { class: "button" }))));
    title(`Practise ${game.name}`);
  }

  get question() {
    return { game: this.game.game, rules: this.rules, first: this.game.starts === "toss" ? this.first : null };
  }

  async begin() {
    this.board = await api("board", { ...this.question, position: this.start });
    this.turns = [];
    this.chosen = {};
    this.play.set(this.board);
    this.wait();
  }

  // Asks the next side that has to choose.
  async wait() {
    const { board } = this;
    this.undo.disabled = this.turns.length === 0 && !Object.keys(this.chosen).length;
    this.ending.replaceChildren();
    this.handed.hidden = true;
    this.explore.href = `/explore/${this.game.game}?${new URLSearchParams(Object.entries(
      { ...this.question, game: null, position: board.position }).filter(([, value]) => value))}`;
    this.play.stage.cover(this.chosen);
    if (board.outcome) return this.end();
    const next = board.turn.find((side) => !this.chosen[side]);
    if (board.turn.length > 1 && next === 2) return this.hand();
    this.ask(next);
  }

  async ask(side) {
    this.handed.hidden = true;
    this.play.ask(side);
    if (!this.isHinting) return;
    const { position } = this.board;
    try {
      const { analysis, remarks } = await api("board", { ...this.question, position, values: 1 });
      if (position === this.board.position && side === this.play.side) this.play.values(valueLabels(analysis, side), remarks);
    } catch (error) {
      this.play.refuse(error);
    }
  }

  // Hands over to Player 2 after the first choice, so that nobody sees the second by accident.
  hand() {
    this.play.rest("");
    const ready = h("button", { class: "primary", onclick: () => { this.ask(2); this.play.list.querySelector("button")?.focus(); } }, "Player 2 is ready");
    this.handed.replaceChildren(h("div", { class: "handed" },
      h("p", null, "Player 1 has chosen. Hand over to Player 2."), ready));
    this.handed.hidden = false;
    say("Player 1 has chosen. Hand over to Player 2.");
    ready.focus();
  }

  async choose(text) {
    const { board } = this;
    const side = this.play.side;
    const chosen = { ...this.chosen, [side]: text };
    const isDone = board.turn.every((turn) => chosen[turn]);
    // Validate the first choice with an arbitrary choice of the other side, so that an invalid one is refused at once.
    const other = board.turn.find((turn) => turn !== side);
    const tried = isDone || !other ? chosen : { ...chosen, [other]: board.legal[other][0] };
    const answer = await api("turn", {
      ...this.question, position: board.position, p1: tried[1], p2: tried[2],
    });
    if (!isDone) {
      this.chosen = chosen;
      return this.wait();
    }
    this.chosen = {};
    const before = this.turns.reduce((sum, turn) => sum + turn.count, 0);
    const count = Math.max(1, ...answer.told.map(({ turn }) => turn));
    this.turns.push({ board, count });
    this.board = answer.board;
    this.advance(answer.told.map((event) => ({ ...event, turn: event.turn + before })));
  }

  async advance(told) {
    const { board } = this;
    await this.play.tell(told);
    if (board !== this.board) return;
    this.play.set(board);
    this.wait();
  }

  takeBack() {
    if (Object.keys(this.chosen).length) {
      this.chosen = {};
      return this.wait();
    }
    const last = this.turns.pop();
    if (!last) return;
    this.board = last.board;
    this.play.strike(this.turns.reduce((sum, turn) => sum + turn.count, 0));
    this.play.note("Taken back.");
    this.play.stage.clearShown();
    this.play.set(this.board);
    this.wait();
  }

  restart() {
    this.play.strike(0);
    this.play.note("A new game begins.");
    this.play.stage.clearShown();
    this.begin();
  }

  toggleHints() {
    this.isHinting = !this.isHinting;
    this.hint.setAttribute("aria-pressed", String(this.isHinting));
    this.play.values({});
    if (this.play.side) this.ask(this.play.side);
  }

  word(text) {
    const words = { undo: () => this.takeBack(), hint: () => this.toggleHints(), rules: () => showRules(this.game) };
    const act = words[text.toLowerCase()];
    act?.();
    return Boolean(act);
  }

  end() {
    const winner = this.board.outcome.winner ?? null;
    this.play.rest("The game is over.");
    this.play.stage.finish(winner);
    this.ending.replaceChildren(h("section", { class: `ending ${winner ? `p${winner}` : ""}` },
      h("h2", null, winner ? [sign(winner), `Player ${winner} wins`] : "Nobody has won"),
      h("div", { class: "row" },
        h("button", { class: "primary", onclick: () => this.restart() }, "Start again"),
        h("button", { onclick: () => this.takeBack() }, "Take back the last turn"),
        link("/", "Play with people or the computer", { class: "button" }))));
  }

  optionsForm() {
    const set = Object.fromEntries(this.rules.split(",").filter(Boolean).map((rule) => rule.split("=")));
    const fields = this.game.options.map((option) => this.field(option, set[option.name] ?? option.default));
    const starts = this.game.starts === "toss" && h("label", { class: "field" }, "Who starts",
      h("select", { name: "first" }, SIDES.map((side) =>
        h("option", { value: side, selected: String(side) === this.first }, `Player ${side}`))));
    const error = h("p", { class: "error", role: "alert" });
    const submit = async (event) => {
      event.preventDefault();
      const chosen = Object.fromEntries(new FormData(event.target));
      const rules = rulesText(Object.fromEntries(this.game.options
        .filter(({ name, default: usual }) => String(chosen[name]) !== String(usual))
        .map(({ name }) => [name, chosen[name]])));
      const first = chosen.first ?? "1";
      try {
        error.textContent = "";
        await api("board", { game: this.game.game, rules, first: this.game.starts === "toss" ? first : null });
      } catch (problem) {
        error.textContent = problem.message;
        return;
      }
      [this.rules, this.first, this.start] = [rules, first, null];
      const query = new URLSearchParams({ ...(rules && { rules }), ...(first === "2" && { first }) }).toString();
      here(`/practice/${this.game.game}${query && "?"}${query}`);
      this.restart();
    };
    const presets = this.game.presets.map(({ name, rules, about }) =>
      h("button", { type: "button", title: about, onclick: (event) => this.fill(event.target.form, rules) }, `Preset: ${name}`));
    return h("details", { open: this.rules !== "" }, h("summary", null, "Rule options"),
      h("form", { onsubmit: submit, novalidate: true }, fields, starts, error,
        h("div", { class: "actions" }, presets, h("button", { type: "submit", class: "primary" }, "Play by these rules"))));
  }

  field({ name, about, values, min, max, odd }, value) {
    const control = values
      ? h("select", { name }, values.map((word) => h("option", { value: word, selected: word === value }, word)))
      : h("input", { type: "number", name, min, max, step: odd ? 2 : 1, value });
    return h("label", { class: "field" }, h("span", { class: "label" }, name), control, h("span", { class: "about" }, about));
  }

  fill(form, rules) {
    for (const { name, default: usual } of this.game.options) form.elements[name].value = usual;
    for (const rule of rules.split(/[\s,]+/).filter(Boolean)) {
      const [name, value] = rule.split("=");
      if (form.elements[name]) form.elements[name].value = value;
    }
  }
}

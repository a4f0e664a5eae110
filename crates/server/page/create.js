// Creates a game: a form for all possible terms, built from the catalogue.

import { busy, style } from "./app.js";
import { catalogue, gameNamed } from "./api.js";
import { h } from "./dom.js";
import { Fields } from "./fields.js";
import { begun, remember, remembered } from "./home.js";
import { net } from "./net.js";
import { capital } from "./terms.js";

const SEATS = [["toss", "Coin toss"], ["p1", "Player 1"], ["p2", "Player 2"]];

/** Opens the form, for the game with this id. */
export async function create(id) {
  const [game, all] = await Promise.all([gameNamed(id), catalogue(), style("more.css")]);
  new Creation(game, all).open();
}

class Creation {
  constructor(game, all) {
    this.game = game;
    this.fields = new Fields("create");
    this.error = h("p", { class: "error", role: "alert" });
    this.dialog = h("dialog", { "aria-labelledby": "create" });
    this.rules = h("div", { class: "stack" });
    this.showRules();
    const before = this.last();
    const [clock, own] = this.clockFields(all.clocks, before.clock);
    this.ownClock = own;
    const levels = all.levels.map((it) => [it.level, capital(it.name ?? it.level), `${capital(it.about)}.`]);
    this.level = this.fields.choice("level", "Level", levels, before.level);
    this.button = h("button", { class: "primary" }, "Create");
    this.form = h("form", { novalidate: true, onchange: () => this.check(), onsubmit: (event) => this.submit(event) },
      h("h2", { id: "create" }, "Create a game"),
      this.gameField(all.games),
      this.fields.choice("opponent", "Opponent", [
        ["friend", "A friend", "You get a link to send."],
        ["anybody", "Anybody", "The game appears in everyone's list of open games."],
        ["computer", "The computer"],
      ], before.opponent ?? "friend"),
      this.level, this.rules, clock, own,
      this.fields.choice("seat", "Your seat", SEATS, before.seat ?? "toss"),
      this.moreFields(before),
      h("div", { class: "row foot" }, this.error, this.button,
        h("button", { type: "button", class: "quiet", onclick: () => this.dialog.close() }, "Cancel")));
    this.dialog.append(this.form);
    this.check();
  }

  open() {
    const { dialog } = this;
    // Navigating elsewhere cancels the form.
    const close = () => dialog.close();
    addEventListener("popstate", close);
    dialog.addEventListener("close", () => {
      removeEventListener("popstate", close);
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  /** The last terms used on this device, as far as they apply to this game. */
  last() {
    const { terms } = remembered();
    return terms?.game === this.game.game ? terms : { clock: terms?.clock, level: terms?.level, opponent: terms?.opponent };
  }

  // The fields

  gameField(games) {
    const choose = async ({ target }) => {
      const chosen = target.value;
      try {
        const found = await gameNamed(chosen);
        if (target.value !== chosen) return;
        this.game = found;
        this.error.textContent = "";
        this.showRules();
        this.check();
      } catch (problem) {
        target.value = this.game.game;
        this.error.textContent = problem.message;
      }
    };
    return h("div", { class: "field" }, h("label", { for: "create-game" }, "Game"),
      h("select", { id: "create-game", onchange: choose },
        games.map((it) => h("option", { value: it.game, selected: it.game === this.game.game }, it.name))));
  }

  /** Shows the fields that depend on the game: presets, rule options and who starts. */
  showRules() {
    const { game, fields } = this;
    const { rules = {}, first = "toss" } = this.last();
    const isUsual = game.options.every((it) => (rules[it.name] ?? it.default) === it.default);
    const presets = [["usual", "Usual", "The rules as in the rulebook."], ...game.presets.map((it) => [it.name, capital(it.name), it.about])];
    if (!isUsual) presets.push(["own", "As last time", ""]);
    const preset = fields.choice("preset", "Rules", presets, isUsual ? "usual" : "own");
    preset.addEventListener("change", () => this.apply(fields.value("preset")));
    const options = game.options.map((it) => this.option(it, rules[it.name] ?? it.default));
    this.rules.replaceChildren(preset,
      h("details", { open: !isUsual }, h("summary", null, "Rule options"), h("div", { class: "stack" }, options)));
    if (game.starts === "toss") this.rules.append(fields.choice("first", "Who starts", SEATS, first));
    else fields.forget("first");
  }

  option(it, value) {
    const [key, label] = [`rule-${it.name}`, capital(it.name)];
    if (it.values) return this.fields.choice(key, label, it.values.map((text) => [text, text === it.default ? `${text} (usual)` : text]), value, it.about);
    const limits = `${it.about} ${it.min} to ${it.max}${it.odd ? ", odd" : ""}; usually ${it.default}.`;
    return this.fields.number(key, label, limits, { min: it.min, max: it.max, step: it.odd ? 2 : 1, value });
  }

  /** Fills in the options of a preset. */
  apply(name) {
    if (name === "own") return;
    const { rules = "" } = this.game.presets.find((it) => it.name === name) ?? {};
    const set = Object.fromEntries(rules.split(/[\s,]+/).filter(Boolean).map((rule) => rule.split("=")));
    for (const it of this.game.options) {
      const value = set[it.name] ?? it.default;
      this.fields.set(`rule-${it.name}`, it.values ? value : Number(value));
    }
    this.check();
  }

  /** Offers the usual clocks, and a field for a custom one. */
  clockFields(clocks, before) {
    const isOwn = Boolean(before) && !clocks.some((it) => it.clock === before);
    const usual = clocks.map((it) => [it.clock, capital(it.name), clockHint(it.clock)]);
    return [
      this.fields.choice("clock", "Clock", [...usual, ["own", "Other", ""]], isOwn ? "own" : before),
      this.fields.text("own-clock", "Your own clock",
        "Seconds per move (30s), minutes per game and seconds added per move (5+3), or days per move (2d).",
        { placeholder: "10+5", value: isOwn ? before : "" }),
    ];
  }

  moreFields(before) {
    const { fields } = this;
    const isSet = before.match || before.max_turns || before.hints || before.spectators === false || before.rated;
    return h("details", { open: Boolean(isSet) }, h("summary", null, "More"),
      h("div", { class: "stack" },
        fields.number("match", "Match: best of", "1 to 99 games. Leave it empty for a single game.", { min: 1, max: 99, value: before.match }),
        fields.number("max_turns", "Turns until a draw", "Leave it empty for no limit.", { min: 1, max: 1_000_000, value: before.max_turns }),
        fields.tick("rated", "Rated", "The result changes both ratings. Only for accounts, with the usual rules, without hints and against people.", before.rated),
        fields.tick("spectators", "Spectators", "Others may watch.", before.spectators !== false),
        fields.tick("hints", "Hints", "Both players may ask for hints and analysis.", before.hints)));
  }

  /** Updates the form according to the choices so far. */
  check() {
    const { fields, game } = this;
    const isComputer = fields.value("opponent") === "computer";
    this.level.hidden = !isComputer;
    this.ownClock.hidden = fields.value("clock") !== "own";
    const isRulebook = game.options.every((it) => fields.value(`rule-${it.name}`) === it.default);
    fields.enable("rated", net.me && !net.me.guest && !isComputer && isRulebook && !fields.value("hints") &&
      fields.value("max_turns") === undefined && (fields.value("first") ?? "toss") === "toss");
  }

  // Creating the game

  terms() {
    const { game } = this;
    const value = (key) => this.fields.value(key);
    const opponent = value("opponent");
    const rules = {};
    for (const it of game.options) {
      const set = value(`rule-${it.name}`) ?? it.default;
      if (set !== it.default) rules[it.name] = set;
    }
    const clock = value("clock") === "own" ? value("own-clock") || "none" : value("clock");
    const made = { game: game.game, seat: value("seat"), clock, spectators: value("spectators") };
    if (Object.keys(rules).length) made.rules = rules;
    if (value("first") && value("first") !== "toss") made.first = value("first");
    for (const key of ["match", "max_turns"]) if (value(key) !== undefined) made[key] = value(key);
    for (const key of ["rated", "hints"]) if (value(key)) made[key] = true;
    if (opponent === "computer") made.level = value("level");
    if (opponent === "anybody") made.public = true;
    return made;
  }

  submit(event) {
    event.preventDefault();
    const { form, error } = this;
    const wrong = [...form.querySelectorAll("input")].find((input) => !input.closest("[hidden]") && !input.checkValidity());
    if (wrong) {
      for (let node = wrong; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
      error.textContent = `${form.querySelector(`label[for="${wrong.id}"]`).textContent}: ${wrong.validationMessage}`;
      return wrong.focus();
    }
    busy(this.button, "Creating …", () => this.send(this.terms()));
  }

  async send(made) {
    const { dialog, error } = this;
    error.textContent = "";
    const off = net.onState(() => this.tellWait());
    this.tellWait();
    try {
      const { code } = await net.request({ type: "create", ...made });
      remember({ game: made.game, terms: { ...made, opponent: this.fields.value("opponent") } });
      const isAwaited = dialog.open;
      dialog.close();
      begun(code, isAwaited);
    } catch (refusal) {
      error.textContent = refusal.message;
    } finally {
      off();
    }
  }

  /** Repeats the connection banner, which is hidden behind the form. */
  tellWait() {
    this.error.textContent = net.state === "open" ? "" : `${net.reason ?? "There is no connection yet."} Your game is created when the connection is back.`;
  }
}

/** Explains what the time on a clock applies to. */
function clockHint(clock) {
  if (clock === "none") return "There is no time limit.";
  if (clock.includes("+")) return "Minutes per player for the whole game, and seconds added after each move.";
  return clock.endsWith("d") ? "The time for each move. You do not have to stay connected." : "The time for each move.";
}

// Creates a game on any terms that are possible: a form from the catalogue.

import { busy, style } from "./app.js";
import { catalogue, gameNamed } from "./api.js";
import { h } from "./dom.js";
import { begun, remember, remembered } from "./home.js";
import { net } from "./net.js";

/** Opens the form, for the game with this id. */
export async function create(id) {
  let [game, { levels, clocks, games }] = await Promise.all([gameNamed(id), catalogue(), style("more.css")]);
  const dialog = h("dialog", { "aria-labelledby": "create" });
  const fields = new Map();
  const error = h("p", { class: "error", role: "alert" });
  const chosen = h("div", { class: "stack" });
  const last = () => {
    const { terms } = remembered();
    return terms?.game === game.game ? terms : { clock: terms?.clock, level: terms?.level, opponent: terms?.opponent };
  };

  /** A group of choices of which one is made. */
  const choice = (key, label, options, initial, about) => {
    const inputs = options.map(([value, text, hint = about], index) => {
      const id = hint ? `create-${key}-${index}` : null;
      const input = h("input", { type: "radio", name: key, value, checked: value === initial, "aria-describedby": id });
      // Each choice has its own description: the line below the group changes only after a choice was announced.
      return { value, hint, input, text, described: id && h("span", { id, hidden: true }, hint) };
    });
    if (!inputs.some(({ input }) => input.checked)) inputs[0].input.checked = true;
    const hint = h("p", { class: "about" });
    const explain = () => (hint.textContent = inputs.find(({ input }) => input.checked)?.hint ?? "");
    fields.set(key, { value: () => inputs.find(({ input }) => input.checked)?.value, set: (value) => {
      for (const it of inputs) it.input.checked = it.value === value;
      explain();
    } });
    explain();
    return h("fieldset", { onchange: explain }, h("legend", null, label),
      h("div", { class: "chips" }, inputs.map(({ input, text }) => h("label", { class: "chip" }, input, h("span", null, text)))), hint, inputs.map(({ described }) => described));
  };

  const tick = (key, label, about, checked) => {
    const id = `create-${key}`;
    const input = h("input", { type: "checkbox", checked, "aria-labelledby": `${id}-label`, "aria-describedby": `${id}-about` });
    fields.set(key, { value: () => input.checked, input });
    return h("label", { class: "tick" }, input, h("span", null, h("span", { id: `${id}-label` }, label), h("span", { class: "about", id: `${id}-about` }, about)));
  };

  const number = (key, label, about, { min, max, step = 1, placeholder, value }) => {
    const id = `create-${key}`;
    const input = h("input", { type: "number", inputmode: "numeric", id, min, max, step, placeholder, value: value ?? "", "aria-describedby": `${id}-about` });
    fields.set(key, { value: () => (input.value === "" ? undefined : Number(input.value)), set: (value) => (input.value = value), input });
    return h("div", { class: "field" }, h("label", { for: id }, label), input, h("span", { class: "about", id: `${id}-about` }, about));
  };

  /** What depends on the game: presets, rule options, who starts. */
  const showGame = () => {
    const before = last();
    const rules = before.rules ?? {};
    const option = (it) => {
      const value = rules[it.name] ?? it.default;
      if (it.values) return choice(`rule-${it.name}`, capital(it.name), it.values.map((text) => [text, text === it.default ? `${text} (usual)` : text]), value, it.about);
      const limits = `${it.about} ${it.min} to ${it.max}${it.odd ? ", odd" : ""}; usually ${it.default}.`;
      return number(`rule-${it.name}`, capital(it.name), limits, { min: it.min, max: it.max, step: it.odd ? 2 : 1, value });
    };
    const options = h("div", { class: "stack" }, game.options.map(option));
    const apply = (name) => {
      const preset = game.presets.find((it) => it.name === name);
      const set = Object.fromEntries((preset?.rules ?? "").split(/[\s,]+/).filter(Boolean).map((rule) => rule.split("=")));
      for (const it of game.options) fields.get(`rule-${it.name}`).set(it.values ? set[it.name] ?? it.default : Number(set[it.name] ?? it.default));
      check();
    };
    const presets = [["usual", "Usual", "The rules of the rulebook."], ...game.presets.map((it) => [it.name, capital(it.name), it.about])];
    const isUsual = game.options.every((it) => (rules[it.name] ?? it.default) === it.default);
    const details = h("details", { open: !isUsual }, h("summary", null, "Rule options"), options);
    const preset = choice("preset", "Rules", isUsual ? presets : [...presets, ["own", "As last time", ""]], isUsual ? "usual" : "own");
    preset.addEventListener("change", () => fields.get("preset").value() !== "own" && apply(fields.get("preset").value()));
    const starts = game.starts === "toss"
      ? choice("first", "Who starts", [["toss", "Coin toss"], ["p1", "Player 1"], ["p2", "Player 2"]], before.first ?? "toss") : null;
    chosen.replaceChildren(preset, details, ...(starts ? [starts] : []));
    if (!starts) fields.delete("first");
  };

  const before = last();
  const isKnown = (clock) => clocks.some((it) => it.clock === clock);
  const gameField = h("select", { id: "create-game", onchange: async (event) => {
    const chosen = event.target.value;
    try {
      const found = await gameNamed(chosen);
      if (gameField.value !== chosen) return;
      game = found;
      error.textContent = "";
      showGame();
      check();
    } catch (problem) {
      gameField.value = game.game;
      error.textContent = problem.message;
    }
  } }, games.map((it) => h("option", { value: it.game, selected: it.game === id }, it.name)));
  showGame();

  const ownClock = h("input", { type: "text", id: "create-clock", placeholder: "10+5", value: before.clock && !isKnown(before.clock) ? before.clock : "", autocomplete: "off", spellcheck: "false", "aria-describedby": "create-clock-about" });
  const ownClockField = h("div", { class: "field" }, h("label", { for: "create-clock" }, "Your own clock"), ownClock,
    h("span", { class: "about", id: "create-clock-about" }, "Seconds per move (30s), minutes per game and seconds added per move (5+3), or days per move (2d)."));

  const form = h("form", { novalidate: true, onchange: () => check(), onsubmit: (event) => submit(event) },
    h("h2", { id: "create" }, "Create a game"),
    h("div", { class: "field" }, h("label", { for: "create-game" }, "Game"), gameField),
    choice("opponent", "Opponent", [["friend", "A friend", "You get a link to send."], ["anybody", "Anybody", "The game is listed for everybody."], ["computer", "The computer"]], before.opponent ?? "friend"),
    choice("level", "Level", levels.map((it) => [it.level, capital(it.name ?? it.level), `${capital(it.about)}.`]), before.level),
    chosen,
    choice("clock", "Clock", [...clocks.map((it) => [it.clock, capital(it.name), clockHint(it.clock)]), ["own", "Other", ""]], before.clock && !isKnown(before.clock) ? "own" : before.clock),
    ownClockField,
    choice("seat", "Your seat", [["toss", "Coin toss"], ["p1", "Player 1"], ["p2", "Player 2"]], before.seat ?? "toss"),
    h("details", { open: Boolean(before.match || before.max_turns || before.hints || before.spectators === false || before.rated) }, h("summary", null, "More"),
      h("div", { class: "stack" },
        number("match", "Match: best of", "1 to 99 games. Without a number it is a single game.", { min: 1, max: 99, value: before.match }),
        number("max_turns", "Turns until a draw", "Without a number there is no such limit.", { min: 1, max: 1_000_000, value: before.max_turns }),
        tick("rated", "Rated", "The result counts. For accounts, by the usual rules, without hints and against people.", before.rated),
        tick("spectators", "Spectators", "Others may watch.", before.spectators !== false),
        tick("hints", "Hints", "Both may ask for hints and analysis.", before.hints))),
    h("div", { class: "row foot" }, error, h("button", { class: "primary" }, "Create"), h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel")));

  const isRulebook = () => game.options.every((it) => fields.get(`rule-${it.name}`).value() === it.default);

  /** Shows what belongs to the choices so far. */
  function check() {
    const isComputer = fields.get("opponent").value() === "computer";
    form.querySelector("[name=level]").closest("fieldset").hidden = !isComputer;
    ownClockField.hidden = fields.get("clock").value() !== "own";
    const isRateable = net.me && !net.me.guest && !isComputer && isRulebook() && !fields.get("hints").value() &&
      fields.get("max_turns").value() === undefined && (fields.get("first")?.value() ?? "toss") === "toss";
    const { input } = fields.get("rated");
    input.disabled = !isRateable;
    if (!isRateable) input.checked = false;
  }

  const terms = () => {
    const value = (key) => fields.get(key)?.value();
    const opponent = value("opponent");
    const rules = {};
    for (const it of game.options) {
      const set = value(`rule-${it.name}`) ?? it.default;
      if (set !== it.default) rules[it.name] = set;
    }
    const made = { game: game.game, seat: value("seat"), clock: value("clock") === "own" ? ownClock.value.trim() || "none" : value("clock"), spectators: value("spectators") };
    if (Object.keys(rules).length) made.rules = rules;
    if (value("first") && value("first") !== "toss") made.first = value("first");
    for (const key of ["match", "max_turns"]) if (value(key) !== undefined) made[key] = value(key);
    for (const key of ["rated", "hints"]) if (value(key)) made[key] = true;
    if (opponent === "computer") made.level = value("level");
    if (opponent === "anybody") made.public = true;
    return made;
  };

  function submit(event) {
    event.preventDefault();
    const wrong = [...form.querySelectorAll("input")].find((input) => !input.closest("[hidden]") && !input.checkValidity());
    if (wrong) {
      for (let node = wrong; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
      error.textContent = `${form.querySelector(`label[for="${wrong.id}"]`).textContent}: ${wrong.validationMessage}`;
      return wrong.focus();
    }
    busy(form.querySelector("button.primary"), "Creating …", () => send(terms()));
  }

  async function send(made) {
    error.textContent = "";
    const off = net.onState(tellWait);
    tellWait();
    try {
      const { code } = await net.request({ type: "create", ...made });
      remember({ game: made.game, terms: { ...made, opponent: fields.get("opponent").value() } });
      const isAwaited = dialog.open;
      dialog.close();
      begun(code, isAwaited);
    } catch (refusal) {
      error.textContent = refusal.message;
    } finally {
      off();
    }
  }

  /** The line at the top, which tells why nothing happens, is behind the form. */
  function tellWait() {
    error.textContent = net.state === "open" ? "" : `${net.reason ?? "There is no connection yet."} Your game is created when the connection is back.`;
  }

  check();
  dialog.append(form);
  // Whoever goes elsewhere meanwhile does not want it any more.
  const close = () => dialog.close();
  addEventListener("popstate", close);
  dialog.addEventListener("close", () => {
    removeEventListener("popstate", close);
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** What the time on a clock is for. */
function clockHint(clock) {
  if (clock === "none") return "Nobody has to hurry.";
  if (clock.includes("+")) return "Minutes for all moves of a player together, and seconds added after each move.";
  return clock.endsWith("d") ? "The time for each move. Nobody has to stay connected." : "The time for each move.";
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

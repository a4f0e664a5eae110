// Common parts of all games in the page: the stage, the choices as buttons with keys, typed moves, and the log.

import { alarm, say } from "./app.js";
import { clear, h, svg } from "./dom.js";
import { hasBlow } from "./figures.js";
import { picture } from "./picture.js";
import { set, settings } from "./settings.js";
import { sound } from "./sound.js";
import { Stage } from "./stage.js";
import { valueWords } from "./words.js";

const ARROWS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
// Refusals of a choice that came too late. The events that overtook the choice may be shown before or after the refusal.
const LATE = new Set(["version", "chosen", "turn"]);
const LASTING = 10_000; // minimum milliseconds that such a refusal stays
const LONG = 20; // minimum length of a label that needs a wide button
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** The label of a choice. A number alone would be unclear. */
export const caption = (choice) => (/^\d+$/.test(choice.words) ? `move ${choice.words}` : choice.words);

/** Labels with the value of each of a side's choices, from `analysis`: `{move: {text, short, kind}}`. */
export function valueLabels(analysis, side) {
  const labels = {};
  for (const rated of analysis?.moves ?? []) {
    labels[rated.move] = { text: valueWords(rated), short: rated.value === "endless" ? "endless" : null, kind: rated.value };
  }
  const mix = analysis?.strategy?.[side];
  if (mix && typeof analysis.value === "number") {
    for (const [move, chance] of Object.entries(mix)) {
      labels[move] = { text: `${Math.round(chance * 100)} %`, kind: chance > 0.005 ? "win" : "" };
    }
    for (const move of analysis.legal?.[side] ?? []) labels[move] ??= { text: "0 %", kind: "" };
  }
  return labels;
}

/**
 * `main` contains the stage and the choices, and `log` the log; the creator inserts both into the page. `onChoose(text)`
 * returns a promise that resolves once the choice is made, and rejects with a refusal. `onWord(text)` may handle typed text
 * first, and then returns true. `onSettled()` is called after either. `named(text)` replaces Player 1 and Player 2 by names.
 */
export class Play {
  #keys = new Map();
  #list = [];
  #buttons = [];
  #labels = {};
  #wasAsked = false;
  /** Height of the tallest list of choices so far: nothing below it moves from turn to turn. */
  #tallest = 0;
  #width = 0;
  /** Until when a refusal is shown, whatever else happens. */
  lasts = 0;

  constructor({ game, onChoose, onWord, onSettled, named = (text) => text }) {
    this.game = game;
    this.named = named;
    this.onChoose = onChoose;
    this.onWord = onWord;
    this.onSettled = onSettled;
    this.box = h("div", { class: "stage-box" });
    this.prompt = h("p", { class: "prompt" });
    this.list = h("div", { class: "choices", role: "group", "aria-label": "Choices", tabindex: -1 });
    this.refusal = h("p", { class: "refusal", role: "alert" });
    this.input = h("input", {
      type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false", enterkeyhint: "send", maxlength: 80,
    });
    this.label = h("span");
    this.typed = h("form", { class: "typed", id: "typed", hidden: true, onsubmit: (event) => this.#submit(event) },
      h("label", {}, this.label, this.input),
      h("button", { type: "submit" }, "Enter"));
    this.keyboard = h("button", { type: "button", class: "quiet keyboard", "aria-label": "Type a move", "aria-controls": "typed", onclick: () => this.#type() },
      svg("svg", { viewBox: "0 0 24 16", width: 27, height: 18, "aria-hidden": "true" },
        svg("path", { d: "M3 1H21A2 2 0 0 1 23 3V13A2 2 0 0 1 21 15H3A2 2 0 0 1 1 13V3A2 2 0 0 1 3 1ZM5 5h2M9 5h2M13 5h2M17 5h2M5 8h2M9 8h2M13 8h2M17 8h2M7 11.5h10" })));
    this.remarks = h("div", { class: "remarks", role: "status" });
    this.main = h("div", { class: "play", role: "group", "aria-label": "Board and choices", tabindex: -1 }, this.box,
      h("div", { class: "question" }, this.prompt, this.keyboard), this.typed, this.list, this.remarks, this.refusal);
    this.log = h("ol", { class: "log", tabindex: 0, "aria-label": "What has happened" });
    this.stage = new Stage(this.box, game);
    this.observer = new ResizeObserver(() => this.#fit());
    this.observer.observe(this.log);
    this.observer.observe(this.box);
    this.press = (event) => this.#key(event);
    document.addEventListener("keydown", this.press);
  }

  close() {
    document.removeEventListener("keydown", this.press);
    this.stage.close();
    this.observer.disconnect();
  }

  /** Shows a board without animation. Nobody can choose until `ask`. */
  set(board) {
    this.board = board;
    this.stage.set(board);
    this.stage.finish(board.outcome?.winner ?? null);
  }

  /** Lets a side choose. `text` appears above the choices. */
  ask(side, text) {
    this.side = side;
    this.#show(this.board.choices?.[side] ?? [], text ?? `Player ${side}, your move.`, "Or type it");
    this.stage.choices(this.#list, (choice) => this.#choose(choice.move), (list) => this.#several(list));
    this.stage.values(this.#labels);
    // After a change of views, the focus is on an element around the game. Once the board has it, letters work.
    if (!this.#wasAsked && this.main.isConnected && document.activeElement.contains(this.main)) this.main.focus({ preventScroll: true });
    this.#wasAsked = true;
  }

  /** Ends choosing, and says why. `typed` describes the words that can still be typed, if any. */
  rest(text, typed = "") {
    this.side = null;
    this.#show([], text, typed);
    this.prompt.hidden = !text;
    if (!text) this.#keep(0);
    this.stage.choices([]);
  }

  /** Shows values beside the choices, `{move: {text, short, kind}}`, and further remarks. */
  values(labels, remarks = []) {
    this.#labels = labels ?? {};
    this.remarks.replaceChildren(...remarks.map((text) => h("p", {}, text)));
    for (const [index, button] of this.#buttons.entries()) this.#label(button, this.#list[index]);
    this.stage.values(this.#labels);
  }

  /** Reports and animates the events of a turn. */
  async tell(told) {
    this.#labels = {};
    this.#show([], "", this.label.textContent);
    this.write(told);
    say(told.map(({ text }) => text.replaceAll("\n", " ")).join(" "));
    sound(hasBlow(this.game, told) ? "battle" : "move");
    await this.stage.play(told);
  }

  /** Logs the events of one or more turns. */
  write(told) {
    for (const { turn, text } of told) {
      let entry = this.log.lastElementChild;
      if (entry?.dataset.turn !== String(turn)) {
        entry = h("li", { class: "turn", value: turn, dataset: { turn } });
        this.log.append(entry);
      }
      for (const line of text.split("\n")) entry.append(h("p", {}, line));
    }
    this.#scrollLater();
  }

  /** Logs a line that belongs to no turn. */
  note(text, { aloud = true } = {}) {
    this.log.append(h("li", { class: "note" }, h("p", {}, text)));
    this.#scrollLater();
    if (aloud) say(text);
  }

  /** Marks all turns after the first `left` as taken back. They stay readable. */
  strike(left) {
    for (const entry of this.log.querySelectorAll(".turn:not(.undone)")) {
      if (Number(entry.dataset.turn) > left) {
        entry.classList.add("undone");
        delete entry.dataset.turn;
      }
    }
  }

  /** Shows why a choice was refused, and the legal choices. */
  refuse({ message, text = message, legal, code }) {
    // The next game may already be shown.
    if (!this.main.isConnected) return alarm(text);
    // Clearing the text first makes screen readers announce the same sentence again.
    this.refusal.textContent = "";
    setTimeout(() => { this.refusal.textContent = text; }, 30);
    if (LATE.has(code)) {
      this.lasts = performance.now() + LASTING;
      return;
    }
    if (legal && this.side) {
      const known = new Set(legal);
      for (const [index, button] of this.#buttons.entries()) {
        button.hidden = known.size > 0 && !known.has(this.#list[index].move);
      }
    }
    this.list.classList.toggle("hinted", this.#buttons.length > 0);
  }

  // Every choice keeps its key while the game is shown: a digit in its name, or its own letter.
  #keyOf(choice) {
    const known = this.#keys.get(choice.move);
    if (known) return known;
    const taken = new Set(this.#keys.values());
    const digit = /^\D*(\d)$/.exec(choice.words)?.[1];
    const letters = choice.words.toLowerCase().replace(/[^a-z]/g, "") + LETTERS;
    const isFree = (letter) => !taken.has(letter) && !this.#isAmbiguous(letter);
    const key = digit && !taken.has(digit) ? digit : [...letters].find(isFree) ?? "";
    this.#keys.set(choice.move, key);
    return key;
  }

  // Whether the text field would refuse a letter because several choices begin with it, legal or not.
  #isAmbiguous(letter) {
    const words = Object.values(this.board?.choices ?? {}).flat().map((choice) => choice.words.toLowerCase().split(" ")[0]);
    const names = new Set([...words, ...Object.keys(this.game.effects ?? {})]);
    return [...names].filter((name) => name.startsWith(letter)).length > 1;
  }

  #fit() {
    // When elements around the log grow, keep its end in view.
    this.#scroll();
    // A wider or narrower page breaks the choices' lines differently.
    if (this.#width === this.box.clientWidth) return;
    this.#width = this.box.clientWidth;
    this.#keep(0);
  }

  // Keeps the space of the choices while there are fewer or none.
  #keep(height) {
    this.#tallest = height;
    this.list.style.minHeight = height ? `${height}px` : "";
  }

  #show(list, text, typed) {
    this.prompt.textContent = text;
    this.prompt.hidden = false;
    if (performance.now() > this.lasts) this.refusal.textContent = "";
    this.remarks.replaceChildren();
    this.list.classList.remove("hinted", "sending");
    // Words first: "recruit" always gets its r.
    for (const choice of [...list].sort((a, b) => /\d/.test(a.words) - /\d/.test(b.words))) this.#keyOf(choice);
    this.#list = list.map((choice) => ({ ...choice, key: this.#keyOf(choice) }));
    const focused = this.list.contains(document.activeElement);
    this.#keep(Math.max(this.#tallest, this.list.offsetHeight));
    clear(this.list);
    this.#buttons = this.#list.map((choice) => this.#button(choice));
    this.list.classList.toggle("long", list.some(({ label, fate }) => label.length > LONG || fate));
    this.list.append(...this.#buttons);
    this.canType = Boolean(typed);
    this.label.textContent = typed;
    this.#showTyped();
    if (focused && this.#buttons.length) this.#buttons[0].focus();
    else if (focused) this.list.focus({ preventScroll: true });
  }

  #button(choice) {
    const effect = this.game.effects?.[choice.move];
    const rows = effect && (this.game.drawings[`${effect}-small`] ?? this.game.drawings[effect]);
    const button = h("button", {
      type: "button", class: `choice p${this.side}`, dataset: { move: choice.move }, "aria-keyshortcuts": choice.key || null,
      onclick: () => this.#choose(choice.move),
      onfocus: () => this.stage.point(choice.move),
      onblur: () => this.stage.point(null),
      onpointerenter: () => this.stage.point(choice.move),
      onpointerleave: () => this.stage.point(null),
    },
    choice.key && h("kbd", { "aria-hidden": "true" }, choice.key),
    rows && picture(rows, this.side ?? 1),
    h("span", { class: "words" }, this.named(choice.label), choice.fate && h("small", { class: choice.loses ? "loses" : null }, `, ${this.named(choice.fate)}`)),
    h("span", { class: "value" }));
    this.#label(button, choice);
    return button;
  }

  #label(button, choice) {
    const label = this.#labels[choice.move];
    const span = button.querySelector(".value");
    span.textContent = label?.text ?? "";
    span.className = `value ${label?.kind ?? ""}`;
  }

  async #choose(text) {
    if (this.isSending) return;
    this.isSending = true;
    this.lasts = 0;
    this.refusal.textContent = "";
    this.list.classList.add("sending");
    const shown = this.prompt.textContent;
    const sending = "Sending …";
    this.prompt.textContent = sending;
    for (const button of this.#buttons) {
      button.setAttribute("aria-disabled", "true");
      button.classList.toggle("chosen", button.dataset.move === text);
    }
    try {
      await this.onChoose(text);
      this.input.value = "";
    } catch (error) {
      if (this.prompt.textContent === sending) this.prompt.textContent = shown;
      this.refuse(error);
    } finally {
      this.isSending = false;
      this.list.classList.remove("sending");
      for (const button of this.#buttons) {
        button.removeAttribute("aria-disabled");
        button.classList.remove("chosen");
      }
      this.onSettled?.();
    }
  }

  #several(list) {
    const moves = new Set(list.map((choice) => choice.move));
    const buttons = this.#buttons.filter((button) => moves.has(button.dataset.move));
    this.prompt.textContent = `${buttons.length} choices lead there. Which one?`;
    say(this.prompt.textContent);
    for (const button of this.#buttons) button.classList.toggle("asked", buttons.includes(button));
    buttons[0]?.focus();
  }

  #showTyped() {
    this.keyboard.hidden = !this.canType;
    this.typed.hidden = !this.canType || !settings().typing;
    this.keyboard.ariaExpanded = String(!this.typed.hidden);
  }

  #type() {
    set({ typing: !settings().typing });
    this.#showTyped();
    if (!this.typed.hidden) this.input.focus();
  }

  #submit(event) {
    event.preventDefault();
    const text = this.input.value.trim();
    if (!text) return this.input.focus();
    this.lasts = 0;
    this.refusal.textContent = "";
    if (this.onWord?.(text)) {
      this.input.value = "";
      return;
    }
    if (this.side) return void this.#choose(text);
    this.refuse({ text: `“${text}” is not a command here. ${this.label.textContent}.` });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !this.main.isConnected) return;
    const at = event.target;
    if (at.closest?.("dialog[open], summary, [role=dialog]") || /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName)) return;
    if (document.querySelector("dialog[open]") || !this.#buttons.length || this.isSending) return;
    // After a change of views, the focus is on an element around the game. In the log, keys scroll.
    const isOnBoard = this.main.contains(at) && !this.log.contains(at);
    const isHere = isOnBoard || at.contains(this.main);
    const isKey = settings().keys || (/[a-z]/i.test(event.key) ? isOnBoard : isHere);
    const index = this.#list.findIndex((choice) => choice.key && choice.key === event.key.toLowerCase());
    if (index >= 0 && isKey) {
      event.preventDefault();
      this.#buttons[index].focus();
      return void this.#choose(this.#list[index].move);
    }
    const way = ARROWS[event.key];
    if (!way || !isHere) return;
    event.preventDefault();
    const buttons = this.#buttons.filter((button) => !button.hidden);
    const now = buttons.indexOf(at);
    const next = now < 0 ? (way > 0 ? 0 : buttons.length - 1) : (now + way + buttons.length) % buttons.length;
    buttons[next]?.focus();
  }

  #scroll() {
    this.log.scrollTop = this.log.scrollHeight;
  }

  // Wait for the next frame, for which the browser computes the layout anyway.
  #scrollLater() {
    requestAnimationFrame(() => this.#scroll());
  }
}

/** The layout of a two-player game: the board beside the text. */
export const table = (play, ...side) =>
  h("div", { class: "table" }, play.main, h("div", { class: "beside" }, ...side));

/** A side's label: its colour and direction of play. */
export const sign = (side) => h("span", { class: `side-sign p${side}` }, side === 1 ? "P1 ▸" : "◂ P2");

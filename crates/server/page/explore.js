// Explores a solved game position by position, with the value of each position and move, and the path taken.

import { go, link, nothing, say, style, title } from "./app.js";
import { api, catalogue, gameNamed } from "./api.js";
import { clear, h } from "./dom.js";
import { drawMap, pointsChip, tileChip, tilesOf, valueChip, valueLetter, valueSign } from "./map.js";
import { caption, valueLabels } from "./play.js";
import { sign } from "./picture.js";
import { Stage } from "./stage.js";
import { gameTabs } from "./tabs.js";
import { valueWords } from "./words.js";

export async function show(root, { params, query }) {
  await Promise.all([style("stage.css"), style("study.css")]);
  const { games } = await catalogue();
  if (!params.game) return overview(root, games);
  const entry = await gameNamed(params.game);
  if (!entry) {
    nothing(root, "There is no such game", `No game is called "${params.game}".`, link("/explore", "All games", { class: "button primary" }));
    return undefined;
  }
  const view = new Explorer(root, entry, games);
  view.update(query);
  const stop = () => view.close();
  // Within the same game, keep the stage, the focus and the scroll position.
  stop.update = (place) => view.update(place.query);
  return stop;
}

function overview(root, games) {
  title("Explore");
  root.append(h("div", { class: "page" },
    h("h1", {}, "Explore"),
    h("p", {}, "Every game has been solved: each position is won, lost or even, and the map shows which. "
      + "Choose a game and walk through it."),
    h("ul", { class: "list cards" }, games.map((entry) => h("li", {}, link(`/explore/${entry.game}`, [
      h("strong", {}, entry.name), h("span", {}, entry.summary), h("span", { class: "sign" }, sign(entry)),
    ], { class: "card study-item" }))))));
}

/** The address of a position. */
export function exploreAddress(game, { rules, first, position } = {}) {
  return address(`/explore/${game}`, { rules, first, position });
}

function address(path, params) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) if (value) query.set(key, value);
  // Slashes, commas and equals signs are legal in a query, and easier to read unescaped.
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3D", "=");
  return text ? `${path}?${text}` : path;
}

class Explorer {
  constructor(root, entry, games) {
    this.entry = entry;
    this.isAtOnce = entry.tempo === "simultaneous";
    this.asked = 0;
    title(`Explore ${entry.name}`);
    const box = h("div", { class: "stage-box" });
    this.problem = h("div", { class: "problem", role: "alert", hidden: true });
    this.verdict = h("p", { class: "verdict" });
    this.remarks = h("div", { class: "remarks" });
    this.moves = h("section", { class: "card moves", "aria-labelledby": "moves-title" });
    this.trailList = h("ol", { class: "trail-list" });
    this.steps = this.#stepButtons();
    this.ways = h("p", { class: "row" });
    this.map = h("section", { class: "card map-panel", "aria-labelledby": "map-title" });
    this.options = new Options(entry, (choice) => go(exploreAddress(entry.game, choice)));
    this.board = h("div", { class: "study" },
      h("div", { class: "study-main" }, box, this.verdict, this.remarks,
        h("nav", { class: "trail-box", "aria-label": "The way here" }, h("div", { class: "row" }, ...Object.values(this.steps)), this.trailList)),
      h("div", { class: "study-side" }, this.moves, this.ways));
    root.append(h("div", { class: "page" },
      h("h1", {}, `Explore ${entry.name}`),
      gameTabs(games, entry, "/explore"),
      this.options.element, this.problem, this.board, this.map));
    // Hide both, so that nothing moves when the first board arrives.
    this.board.hidden = this.map.hidden = true;
    this.stage = new Stage(box, entry);
    this.onKey = (event) => this.#key(event);
    addEventListener("keydown", this.onKey);
  }

  close() {
    this.asked += 1;
    this.stage.close();
    removeEventListener("keydown", this.onKey);
  }

  #stepButtons() {
    const button = (words, key, act) => h("button", { type: "button", onclick: act, "aria-keyshortcuts": key }, words);
    return {
      start: button("Start", "Home", () => this.#open(null)),
      back: button("‹ Back", "ArrowLeft", () => this.#walk(-1)),
      forward: button("Forward ›", "ArrowRight", () => this.#walk(1)),
    };
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest?.("input, select, textarea, [role=grid], summary, .scroll")) return;
    const act = { ArrowLeft: () => this.#walk(-1), ArrowRight: () => this.#walk(1), Home: () => this.#open(null) }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  #address(position) {
    return exploreAddress(this.entry.game, { ...this.variant, position });
  }

  #open(position) {
    go(this.#address(position));
  }

  #walk(step) {
    const to = this.trail?.at + step;
    if (to >= 0 && to < this.trail.steps.length) this.#open(this.trail.steps[to].position);
  }

  async update(query) {
    const asked = ++this.asked;
    const variant = { rules: query.get("rules") ?? "", first: query.get("first") ?? "" };
    const params = { game: this.entry.game, ...variant, position: query.get("position") };
    this.options.set(variant);
    let board;
    let reason = null;
    try {
      board = await api("board", { ...params, values: 1 }).catch(async (error) => {
        // A board that is too large to solve can still be shown.
        if (![413, 503].includes(error.status)) throw error;
        reason = error.message;
        return api("board", params);
      });
    } catch (error) {
      if (asked === this.asked) this.#fail(error, variant);
      return;
    }
    if (asked !== this.asked) return;
    const before = this.position;
    this.variant = variant;
    this.position = board.position;
    this.#show(board, reason);
    if (before && before !== board.position) say(this.#spoken(board, reason));
    this.#showMap(params, board, reason, asked);
  }

  #fail(error, variant) {
    this.variant = variant;
    clear(this.problem).append(h("p", {}, error.message),
      link(exploreAddress(this.entry.game), "Go to the start of the usual game", { class: "button" }));
    this.problem.hidden = false;
    this.board.hidden = true;
    this.map.hidden = true;
  }

  #show(board, reason) {
    this.problem.hidden = true;
    this.board.hidden = false;
    this.map.hidden = false;
    const { analysis } = board;
    const focused = document.activeElement;
    const held = [this.moves, this.trailList].find((part) => part.contains(focused));
    this.#follow(board);
    this.trail.steps[this.trail.at].analysis = analysis;
    this.stage.set(board);
    const player = board.turn.length === 1 ? board.turn[0] : null;
    const choices = player ? board.choices?.[player] ?? [] : [];
    this.stage.choices(choices.filter(({ position }) => position), ({ position }) => this.#open(position));
    clear(this.verdict).append(...this.#verdict(board, player, reason));
    clear(this.remarks).append(...(board.remarks ?? []).map((text) => h("p", {}, text)));
    if (analysis && analysis.reachable === false) {
      this.remarks.append(h("p", {}, "This position cannot arise from the start, so it is not on the map."));
    }
    if (this.isAtOnce) this.#showMatrix(board);
    else this.#showMoves(board, player, choices);
    this.#showTrail();
    // Keyboard users go on at the element from which the last move was taken.
    (held?.querySelector("[aria-current], .move") ?? held?.querySelector("h2"))?.focus({ preventScroll: true });
    const same = { ...this.variant, position: board.position };
    const { game } = this.entry;
    clear(this.ways).append(
      board.outcome ? "" : link(address(`/practice/${game}`, same), "Practise from here", { class: "button primary" }),
      link(`/learn/${game}`, "Learn the game", { class: "button" }), link(`/rules/${game}`, "Rules", { class: "button" }));
  }

  #verdict(board, player, reason) {
    const position = h("code", { class: "token" }, board.position);
    if (board.outcome) {
      const { winner } = board.outcome;
      return [position, h("strong", {}, winner ? `Player ${winner} has won.` : "The game is a draw.")];
    }
    if (reason) return [position, h("strong", {}, player ? `Player ${player} to move.` : "Both choose."), ` ${reason}`];
    const { analysis } = board;
    if (this.isAtOnce) {
      return [position, h("strong", {}, "Worth to Player 1: "), pointsChip(analysis.value)];
    }
    return [position, h("strong", {}, `Player ${player} to move: `), valueChip(analysis)];
  }

  /** The verdict for screen readers: without symbols, and with words separated. */
  #spoken(board, reason) {
    const shown = [...this.verdict.childNodes].map((node) => (node.classList?.contains("worth") ? valueWords(board.analysis) : node.textContent));
    return shown.map((text) => text.trim()).join(reason ? " " : ", ").replace(/:, /g, ": ");
  }

  // ---- The path

  /** Adds this position to the path, or finds it there. */
  #follow(board) {
    const key = `${this.entry.game}?${this.variant.rules}&${this.variant.first}`;
    const { trail } = this;
    const { position } = board;
    if (!trail || trail.key !== key) {
      this.trail = { key, at: 0, steps: [{ position, words: null }] };
    } else if (trail.steps[trail.at].position !== position) {
      const near = [trail.at + 1, trail.at - 1].find((at) => trail.steps[at]?.position === position);
      const found = near ?? trail.steps.findIndex((step) => step.position === position);
      if (found >= 0) {
        trail.at = found;
      } else {
        const words = this.taken?.get(position) ?? null;
        trail.steps = [...trail.steps.slice(0, trail.at + 1), { position, words }];
        trail.at += 1;
      }
    }
    this.taken = new Map(Object.entries(board.choices ?? {}).flatMap(([player, list]) =>
      list.filter((choice) => choice.position).map((choice) => [choice.position, `P${player}: ${caption(choice)}`])));
  }

  #showTrail() {
    const { steps, at } = this.trail;
    clear(this.trailList).append(...steps.map((step, index) => {
      const { position, words, analysis } = step;
      const sign = analysis && !analysis.outcome && (this.isAtOnce ? pointsChip(analysis.value) : valueSign(analysis));
      const item = link(this.#address(position), [words ?? position, sign], { title: position });
      if (index === at) item.setAttribute("aria-current", "step");
      return h("li", { class: index > at ? "ahead" : null }, item);
    }));
    // Disabling a focused button would lose the keyboard focus.
    const set = (button, isPossible) => button.setAttribute("aria-disabled", String(!isPossible));
    set(this.steps.back, at > 0);
    set(this.steps.forward, at + 1 < steps.length);
  }

  // ---- Moves in turn

  #showMoves(board, player, choices) {
    const panel = clear(this.moves);
    panel.append(h("h2", { id: "moves-title", tabindex: "-1" }, board.outcome ? "The game is over" : `Player ${player}'s moves`));
    const rated = board.analysis?.moves;
    const words = (move) => caption(choices.find((choice) => choice.move === move) ?? { words: move });
    if (!rated) {
      panel.append(h("ul", { class: "move-list" }, ...choices.map((choice) =>
        h("li", {}, this.#moveLink(choice.position, words(choice.move))))));
      return;
    }
    const best = Math.max(...rated.map(rank));
    const sorted = [...rated].sort((one, two) => rank(two) - rank(one));
    panel.append(sorted.length
      ? h("ul", { class: "move-list" }, ...sorted.map((move) => h("li", { class: move.value },
        this.#moveLink(move.position, words(move.move), valueChip(move),
          rank(move) === best ? h("span", { class: "best" }, "★ best") : null))))
      : h("p", {}, board.text));
    const labels = valueLabels(board.analysis, player);
    // On a narrow stage, words do not fit between the places.
    if (this.stage.root.clientWidth < 620) for (const move of rated) labels[move.move].text = valueLetter(move);
    this.stage.values(labels);
  }

  #moveLink(position, words, ...rest) {
    const item = link(this.#address(position), words);
    item.className = "move";
    item.replaceChildren(h("span", { class: "move-words" }, words), h("code", { class: "token" }, position),
      ...rest.filter(Boolean));
    return item;
  }

  // ---- Both at once

  #showMatrix(board) {
    const panel = clear(this.moves);
    panel.append(h("h2", { id: "moves-title", tabindex: "-1" }, board.outcome ? "The game is over" : "Both players' choices"));
    if (board.outcome) {
      panel.append(h("p", {}, board.text));
      return;
    }
    const choices = [1, 2].map((player) => board.choices[player]);
    this.cells = new Map();
    for (const one of choices[0]) for (const two of choices[1]) this.cells.set(`${one.move}|${two.move}`, h("td"));
    const mixes = board.analysis?.strategy;
    const head = (player, scope) => ({ move, words }) => h("th", { scope }, words, mixes && mixShare(mixes[player][move] ?? 0));
    panel.append(
      h("p", { class: "muted" }, "Where each pair of choices leads, and what that is worth to Player 1. Select one to go there.",
        mixes && " The percentages are how often best play makes each choice."),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Matrix of choices" },
        h("table", { class: "matrix" },
          h("thead", {}, h("tr", {}, h("td", {}, "P1 ↓ P2 →"), ...choices[1].map(head(2, "col")))),
          h("tbody", {}, ...choices[0].map((one) => h("tr", {}, head(1, "row")(one),
            ...choices[1].map((two) => this.cells.get(`${one.move}|${two.move}`))))))));
  }

  /** Fills the matrix with the positions in `board.matrix`, and their values from the map. */
  #fillMatrix(board, picture) {
    const tiles = tilesOf(picture);
    for (const [pair, position] of Object.entries(board.matrix ?? {})) {
      const tile = tiles.get(position);
      const words = pair.replace("|", " against ");
      clear(this.cells.get(pair)).append(link(this.#address(position),
        [h("span", { class: "unseen" }, `${words}: `), h("code", {}, position), " ", tile && tileChip(tile)],
        { onclick: () => this.taken.set(position, words) }));
    }
  }

  // ---- The map

  async #showMap(params, board, reason, asked) {
    if (reason) {
      this.#mapHeading(h("p", {}, `There is no map of this board. ${reason}`));
      return;
    }
    // Only a map of mixes depends on the position; other maps are requested once.
    const position = this.isAtOnce ? board.position : undefined;
    let picture;
    try {
      picture = await api("picture", { ...params, position });
    } catch (error) {
      if (asked === this.asked) this.#mapHeading(h("p", {}, error.message));
      return;
    }
    if (asked !== this.asked) return;
    if (this.isAtOnce && !board.outcome) this.#fillMatrix(board, picture);
    const hadFocus = this.map.contains(document.activeElement);
    // A note about the start is of no use elsewhere on its map.
    const notes = this.isAtOnce || !tilesOf(picture).size ? picture.notes : picture.notes.slice(0, 1);
    this.#mapHeading(drawMap({ ...picture, notes }, {
      current: board.position,
      path: this.trail.steps.slice(0, this.trail.at + 1).map((step) => step.position),
      choose: (to) => this.#open(to),
    }));
    if (hadFocus) this.map.querySelector(".cell.here")?.focus({ preventScroll: true });
  }

  #mapHeading(body) {
    clear(this.map).append(h("h2", { id: "map-title" }, "The map"), body);
  }
}

/** Formats a choice's frequency. "0%" and "100%" appear only if exact. */
function mixShare(share) {
  const percent = Math.round(share * 100);
  const text = share > 0 && percent < 1 ? "<1%" : share < 1 && percent > 99 ? ">99%" : `${percent}%`;
  return h("span", { class: share > 0 ? "share" : "share none" }, ` ${text}`);
}

/** Ranks a value for the player who moves: quick wins highest, and slow losses above quick ones. */
function rank({ value, plies }) {
  if (value === "win") return 1e6 - plies;
  return value === "loss" ? plies - 1e6 : 0;
}

/** Controls for the rule options, made from the catalogue. */
class Options {
  constructor(entry, change) {
    this.entry = entry;
    this.change = change;
    this.inputs = new Map(entry.options.map((option) => [option.name, control(option)]));
    this.summary = h("summary", {}, "Rules");
    const field = (name, input, about) => {
      input.id = `rule-${name}`;
      input.setAttribute("aria-describedby", `about-${name}`);
      return h("div", { class: "field" }, h("label", { for: input.id }, name), input, h("div", { class: "about", id: `about-${name}` }, about));
    };
    const rows = entry.options.map((option) => field(option.name, this.inputs.get(option.name), [option.about, meanings(option)]));
    if (entry.starts === "toss") {
      this.first = h("select", {}, h("option", { value: "1" }, "Player 1"), h("option", { value: "2" }, "Player 2"));
      rows.push(field("first", this.first, "Who starts."));
    }
    const presets = [{ name: "rulebook", rules: "", about: "The game as in the rulebook." }, ...entry.presets];
    this.element = h("details", { class: "card options" }, this.summary,
      h("div", { class: "fields", onchange: () => this.#changed() }, ...rows),
      h("ul", { class: "presets" }, presets.map(({ name, rules, about }) => h("li", {}, h("button", {
        type: "button", onclick: () => this.change({ rules: rules.trim().replace(/\s+/g, ","), first: this.#first() }),
      }, name), h("span", { class: "about" }, about)))));
  }

  /** Shows rules in the form used by addresses: `positions=9,steps=3`. */
  set({ rules, first }) {
    const given = new Map(rules.split(/[ ,]+/).filter(Boolean).map((part) => part.split("=")));
    for (const { name, default: usual } of this.entry.options) this.inputs.get(name).value = given.get(name) ?? usual;
    if (this.first) this.first.value = first === "2" ? "2" : "1";
    const parts = this.entry.options.map(({ name }) => `${name}=${this.inputs.get(name).value}`);
    if (this.first) parts.push(`Player ${this.first.value} starts`);
    this.summary.replaceChildren(h("span", {}, "Rules: ", h("span", { class: "muted" }, parts.join(", "))));
  }

  #first() {
    return this.first?.value === "2" ? "2" : "";
  }

  #changed() {
    const changed = this.entry.options.filter(({ name, default: usual }) => this.inputs.get(name).value !== String(usual));
    const rules = changed.map(({ name }) => `${name}=${this.inputs.get(name).value}`).join(",");
    this.change({ rules, first: this.#first() });
  }
}

/** Describes the values of an option, or lists the valid ones. */
function meanings({ meanings: known, min, max, odd }) {
  if (!known) return h("p", {}, `${odd ? "An odd" : "A whole"} number from ${min} to ${max}.`);
  return h("ul", { class: "meanings" }, Object.entries(known).map(([value, text]) => h("li", {}, h("b", {}, value), `: ${text}`)));
}

function control(option) {
  if (option.values) return h("select", {}, ...option.values.map((value) => h("option", { value }, value)));
  return h("input", { type: "number", min: option.min, max: option.max, step: option.odd ? 2 : 1, inputmode: "numeric", required: true });
}

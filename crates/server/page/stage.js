// Draws a board from its scene, animates changes, and accepts choices. It contains no rules of any game.

import { Choosing } from "./choosing.js";
import { clear, svg } from "./dom.js";
import { Duel } from "./duel.js";
import { Gauge, SIDES, bodyOf, fitted, highOf, inBox, isBlow, land, pieceParts, poseIn, standing } from "./figures.js";
import { moves } from "./settings.js";

const TURN = 500; // milliseconds for all events of a turn
const SHORTEST = 110; // minimum milliseconds for each event
// Width of a place in pixels: on smaller ones, pieces are drawn as tokens, so that their numbers stay legible.
const SMALL = 24;
// Drawings are enlarged at most twofold. In wide windows, a unit is larger than a pixel.
const MOST = 2;
// In multiples of the text size: the space below the stage that a large window keeps for the question and the choices.
const BELOW = 16;

export class Stage {
  /** Draws into `root`. `game` is the catalogue's entry, with `drawings`. */
  constructor(root, game) {
    this.root = root;
    this.game = game;
    this.pieces = [];
    this.places = new Map();
    this.title = svg("title", {}, "The board");
    this.ground = svg("g", { class: "ground" });
    this.figures = svg("g", { class: "figures" });
    this.effects = svg("g", { class: "effects" });
    this.marks = svg("g", { class: "marks" });
    this.svg = svg("svg", { role: "img", class: "stage" },
      this.title, this.ground, this.figures, this.effects, this.marks);
    this.duel = new Duel(this);
    this.choosing = new Choosing(this);
    root.append(this.svg);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
    this.resized = () => this.resize();
    addEventListener("resize", this.resized);
  }

  /** Stops observing the window. */
  close() {
    this.observer.disconnect();
    removeEventListener("resize", this.resized);
  }

  /** Shows a board without animation. */
  set(board) {
    this.board = board;
    const scene = board.scene;
    this.names = scene.drawings ?? {};
    this.title.textContent = board.text ?? "";
    const { track, gauges } = scene;
    const shape = JSON.stringify([track, gauges && SIDES.map((side) => gauges[side].max), this.names]);
    const isNew = shape !== this.shape;
    this.shape = shape;
    this.track = track;
    this.gauges = gauges && { 1: { ...gauges[1] }, 2: { ...gauges[2] } };
    if (isNew) this.forget();
    this.adopt(scene.pieces ?? []);
    if (isNew) this.build();
    else this.arrange();
  }

  /** Animates the events of a turn. */
  async play(told) {
    const run = (this.run = {});
    this.choices([]);
    this.values({});
    this.clearShown();
    this.duel.begin();
    const time = Math.max(SHORTEST, TURN / Math.max(told.length, 1));
    this.svg.style.setProperty("--step", `${Math.round(time)}ms`);
    this.svg.classList.toggle("unmoved", !moves());
    for (const event of told) {
      this.step(event);
      if (document.hidden) continue;
      await new Promise((done) => setTimeout(done, time));
      if (this.run !== run) return;
    }
    this.clearPassing();
    this.rest();
  }

  /**
   * Lights the destinations of the choices. Calls `onChoose(choice)` for the one taken, or `onSeveral(list)` if a place is
   * ambiguous.
   */
  choices(list, onChoose, onSeveral) {
    this.choosing.set(list, onChoose, onSeveral);
  }

  /** Labels the destination of each move: `{move: {text, short, kind}}`. */
  values(labels) {
    this.choosing.label(labels);
  }

  /** Shows the destination of the choice selected by keyboard. */
  point(move) {
    this.choosing.point(move);
  }

  /** Shows the coin toss that decided who starts. */
  toss(side) {
    this.tossed = side;
    if (this.area) this.drawToss();
  }

  drawToss() {
    const { tossed: side, area: { width, height } } = this;
    const size = Math.min(width * 0.2, height * 0.3);
    this.effects.append(svg("g", { class: `effect coin p${side}`, transform: `translate(${width / 2} ${size * 0.8})` },
      svg("g", { class: "moving" }, svg("circle", { r: size / 2 }), svg("text", { "font-size": size * 0.3 }, side === 1 ? "P1 ▸" : "◂ P2"))));
  }

  /** Covers a side's choice until both sides have chosen. */
  cover(hidden) {
    if (SIDES.some((side) => hidden[side])) this.clearShown();
    this.duel.cover({ ...hidden });
  }

  /** Removes the remains of the last turn. */
  clearShown() {
    this.duel.shown = {};
    this.tossed = null;
    clear(this.effects);
    for (const { group } of this.places.values()) group.classList.remove("left", "struck");
  }

  // At the end of a turn, all stand.
  rest() {
    for (const piece of this.pieces) piece.pose = "";
    this.duel.rest();
    if (this.area) this.arrange();
  }

  /** The winner cheers, and the opponent has fallen; null for a game in progress. */
  finish(winner) {
    this.winner = winner;
    this.svg.classList.toggle("over", winner !== null);
    for (const side of SIDES) this.svg.classList.toggle(`won${side}`, winner === side);
    if (this.area) this.arrange();
  }

  // Layout

  forget() {
    this.pieces = [];
    this.duel.shown = {};
    for (const part of [this.ground, this.figures, this.effects, this.marks]) clear(part);
  }

  resize() {
    const width = this.root.clientWidth;
    const height = innerHeight;
    if (!width || (width === this.width && height === this.height)) return;
    this.width = width;
    this.height = height;
    if (this.board) this.build();
  }

  // Computes the number of places per band and their size: one band while the places are wide enough to tap, otherwise the
  // number of bands that makes them largest.
  bands(count, width, height) {
    const cell = width / count;
    if (cell >= SMALL) return { bands: 1, per: count, cell: Math.min(cell, height / 1.2) };
    let best = null;
    for (let bands = 2; bands <= count; bands++) {
      const per = Math.ceil(count / bands);
      const fits = Math.min(width / per, (height / bands - 20) / 1.5);
      // A very long road may be higher than the window, but its places stay large enough to tap.
      const cell = Math.max(fits, Math.min(width / per, 26));
      if (!best || cell > best.cell + 0.01) best = { bands, per, cell };
    }
    return best;
  }

  build() {
    this.width ??= this.root.clientWidth || undefined;
    if (!this.width) return;
    this.height ??= innerHeight;
    const { width } = this;
    const isLarge = width > 700;
    // In very wide windows, the text grows, and figures on the stage grow with it.
    const text = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    this.unit = text / 16;
    this.most = MOST * this.unit * (isLarge ? 1.5 : 1);
    const free = this.height - this.root.getBoundingClientRect().top - scrollY - BELOW * text;
    const room = Math.max(170, this.height * (isLarge ? 0.5 : 0.36), isLarge ? free : 0);
    this.gaugeHeight = 0;
    clear(this.ground);
    clear(this.effects);
    this.places = new Map();
    this.svg.classList.add("unmoved");
    let height;
    if (this.track) {
      if (this.gauges) this.gaugeHeight = Math.min(64 * this.unit, room * 0.25);
      height = this.buildRoad(width, room - this.gaugeHeight) + this.gaugeHeight;
    } else {
      // On a phone, keep the choices visible below the stage.
      height = isLarge ? Math.min(room, 230 * this.unit) : Math.max(120, Math.min(190, this.height * 0.22));
    }
    this.area = { width, height };
    for (const [key, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height })) this.svg.setAttribute(key, value);
    const bottom = this.gauges ? this.buildGauges() : 0;
    if (!this.track) this.duel.build(bottom + 6);
    this.arrange();
    if (this.tossed) this.drawToss();
    this.choosing.mark();
    // Force a layout, so that the first picture is not animated.
    this.svg.getBoundingClientRect();
    this.svg.classList.toggle("unmoved", !moves());
  }

  buildRoad(width, room) {
    const { first, last, goal } = this.track;
    const count = last - first + 1;
    // Bases at the ends of the road are drawn beside it.
    this.isBetween = Boolean(goal && this.names[1]?.base) && SIDES.every((side) => goal[side] === first || goal[side] === last);
    const edge = Math.max(4, width * 0.01) + (this.isBetween ? Math.min(width * 0.07, width / count) : 0);
    const inner = width - 2 * edge;
    const { bands, per, cell } = this.bands(count, inner, room);
    const label = Math.min(72 * this.unit, Math.max(20, cell * 0.4));
    this.edge = edge;
    this.labelHeight = label;
    this.cell = cell;
    this.plate = Math.min(cell * 0.45, 26 * this.unit);
    // The body of a figure is no wider than its place. Above it, there is space for effects.
    const free = Math.max(room / bands - label, cell * 1.5);
    const fits = (rows) => {
      const [from, to] = bodyOf(rows);
      return Math.min(cell / (to - from), (free - this.plate) / rows.length);
    };
    const name = this.names[1]?.piece;
    this.figure = fitted(this.game, name, this.most, fits);
    this.figureHeight = highOf(this.game, name, this.figure);
    this.columnHeight = Math.min(free, this.plate + this.figureHeight * (bands > 1 ? 1.2 : 1.9));
    const high = this.columnHeight + label;
    const left = edge + (inner - cell * per) / 2;
    for (let band = 0; band < bands; band++) this.ground.append(...land(width, this.gaugeHeight + (band + 1) * high - label, label, bands === 1 ? this.columnHeight : 0));
    for (let index = 0; index < count; index++) {
      this.buildPlace(first + index, left + (index % per) * cell, this.gaugeHeight + Math.floor(index / per) * high, high);
    }
    // Mark where the road continues in the next band.
    for (let band = 1; band < bands; band++) {
      const y = this.gaugeHeight + band * high;
      this.ground.append(
        svg("text", { class: "onward", x: left + per * cell + 1, y: y - label / 2 - 2, "font-size": 11 }, "›"),
        svg("text", { class: "onward", x: left - 2, y: y + high - label / 2 - 2, "font-size": 11 }, "›"));
    }
    return bands * high;
  }

  // Draws a place of the road: its column, the tile below it and its number. (x, y) is its upper left corner.
  buildPlace(place, x, y, high) {
    const { goal } = this.track;
    const { cell, labelHeight: label } = this;
    const heading = SIDES.filter((side) => goal?.[side] === place);
    const group = svg("g", { class: ["place", heading.length && "goal", ...heading.map((side) => `to${side}`)].filter(Boolean).join(" "), "data-place": place },
      svg("rect", { class: "column", x: x + 1, y: y + 2, width: cell - 2, height: high - label - 2, rx: 4 }),
      svg("rect", { class: "tile", x: x + 1, y: y + high - label, width: cell - 2, height: label - 4, rx: 4 }),
      svg("text", {
        class: "number", x: x + cell / 2, y: y + high - label / 2 - 2, "font-size": Math.max(10, Math.min(label * 0.6, cell * 0.5)),
      }, String(place)));
    this.ground.append(group);
    this.places.set(place, { group, x: x + cell / 2, y: y + high - label, top: y });
    if (heading.length) this.buildBase(place, heading);
  }

  // A goal of both sides belongs to neither; otherwise, a side's base is the other side's goal.
  buildBase(place, heading) {
    const owner = heading.length === 2 ? 0 : 3 - heading[0];
    const names = this.names[owner || 1] ?? {};
    const name = owner ? names.base : names.goal ?? names.base;
    if (!this.game.drawings?.[name]) return;
    const { x: middle, y } = this.places.get(place);
    const isBeside = owner && this.isBetween;
    const outward = place === this.track.first ? -1 : 1;
    const [wide, high] = isBeside ? [this.edge * 0.96, this.columnHeight * 0.7] : [this.cell * 1.2, this.columnHeight * 0.9];
    const x = isBeside ? middle + outward * (this.cell / 2 + this.edge / 2) : middle;
    const base = svg("g", { class: `base ${owner ? `p${owner}` : ""}`, transform: `translate(${x} ${y})` },
      standing(this.game, name, owner, fitted(this.game, name, this.most, inBox(wide, high))));
    this.ground.append(base);
  }

  // Draws the gauges, and returns where they end.
  buildGauges() {
    const { width, height } = this.area;
    const high = this.track ? this.gaugeHeight * 0.4 : Math.min(28 * this.unit, Math.max(16, height * 0.07));
    const long = width * (this.track ? 0.4 : 0.44);
    this.bars = SIDES.map((side) => new Gauge(side, this.gauges[side].max, { width, high, long }));
    this.ground.append(...this.bars.map(({ node }) => node));
    return high * 2.3;
  }

  // Pieces

  // Keeps the nodes of pieces that are still present.
  adopt(wanted) {
    const spare = [...this.pieces];
    const take = (test) => {
      const index = spare.findIndex(test);
      return index < 0 ? null : spare.splice(index, 1)[0];
    };
    const exact = wanted.map((piece) => take((old) =>
      old.player === piece.player && old.at === piece.at && old.strength === piece.strength));
    this.pieces = wanted.map((piece, index) => {
      const kept = exact[index] ?? take((old) => old.player === piece.player);
      return this.enter({ ...piece, node: kept?.node, shows: kept?.shows });
    });
    for (const old of spare) old.node?.remove();
  }

  // Puts a piece on the stage.
  enter(piece) {
    if (!piece.node) {
      piece.node = svg("g", { class: `piece p${piece.player}` });
      this.figures.append(piece.node);
    }
    return piece;
  }

  // Draws pieces that share a place as one figure, unless it is up to date.
  dress(pieces) {
    const [first, ...others] = pieces;
    const { player } = first;
    const { cell, plate, figure, figureHeight: high } = this;
    const pose = this.winner ? (this.winner === player ? "cheer" : "fall") : first.pose;
    const shows = [pose, cell, figure.size, figure.scale, ...pieces.map(({ strength }) => strength)].join();
    for (const { node } of others) node.classList.add("stacked");
    first.node.classList.remove("stacked");
    first.node.classList.toggle("tiny", cell < SMALL);
    if (first.shows === shows) return;
    first.shows = shows;
    const drawn = standing(this.game, this.names[player]?.piece, player, figure, pose);
    first.node.replaceChildren(...pieceParts(pieces, drawn, { cell, plate, high }));
  }

  // Positions all pieces: each stands on its place. Opponents who fight for a place share it.
  arrange() {
    if (this.gauges) for (const bar of this.bars ?? []) bar.show(this.gauges[bar.side]);
    if (!this.track) return this.duel.arrange(this.winner);
    for (const [at, here] of Map.groupBy(this.pieces, (piece) => piece.at)) {
      const place = this.places.get(at);
      if (!place) continue;
      const isShared = here.some(({ player }) => player !== here[0].player);
      for (const side of SIDES) {
        const own = here.filter(({ player }) => player === side);
        if (own.length) this.dress(own);
        const x = place.x + (isShared ? (side === 1 ? -1 : 1) * this.cell / 4 : 0);
        for (const { node } of own) node.style.transform = `translate(${x}px, ${place.y - 1}px)`;
      }
    }
  }

  // Motion

  step({ event, changes }) {
    this.clearPassing();
    for (const { group } of this.places.values()) group.classList.remove("struck");
    if (!this.track) this.duel.clash(event, changes);
    else if (changes.length) this.strike(event, changes);
    for (const piece of this.pieces) piece.pose = poseIn(this.game, { event, changes }, piece);
    for (const change of changes) this.apply(change);
    this.arrange();
  }

  find(piece) {
    return this.pieces.findIndex((own) =>
      own.player === piece.player && own.at === piece.at && own.strength === (piece.strength ?? own.strength));
  }

  apply(change) {
    if (change.appears) {
      const piece = this.enter({ ...change.appears });
      this.pieces.push(piece);
      piece.node.classList.add("appears");
    } else if (change.gauge) {
      if (this.gauges) this.gauges[change.gauge].value = change.to;
    } else {
      const index = this.find(change.moves ?? change.strengthens ?? change.vanishes);
      if (index < 0) return;
      const piece = this.pieces[index];
      if (change.moves) {
        this.places.get(piece.at)?.group.classList.add("left");
        piece.at = change.to;
        this.figures.append(piece.node);
        // Force a layout, so that a repositioned node is animated from its visible position.
        if (moves()) piece.node.getBoundingClientRect();
      } else if (change.strengthens) {
        piece.strength = change.to;
        piece.node.classList.remove("grows");
        piece.node.getBoundingClientRect();
        piece.node.classList.add("grows");
      } else {
        this.pieces.splice(index, 1);
        piece.node.classList.add("vanishes");
        setTimeout(() => piece.node.remove(), moves() ? 260 : 0);
      }
    }
  }

  // Animates an event at its location.
  strike(kind, changes) {
    const subject = changes[0].moves ?? changes[0].vanishes ?? changes[0].strengthens ?? changes[0].appears;
    if (!subject) return;
    const place = this.places.get(subject.at);
    if (!place) return;
    if (isBlow(this.game, kind, changes)) place.group.classList.add("struck");
    const above = this.plate + this.figureHeight * 0.9;
    const size = Math.max(this.cell, this.columnHeight - above);
    this.effect(kind, subject.player, place.x, place.y - Math.min(above, this.columnHeight - size), size, "passing burst");
  }

  // Shows the effect of a kind of event, if it has one, with its feet at (x, y).
  effect(kind, side, x, y, size, classes) {
    const name = this.game.effects?.[kind];
    if (!this.game.drawings?.[name]) return null;
    const figure = fitted(this.game, name, this.most, inBox(size, size));
    const node = svg("g", { class: `effect ${classes}`, transform: `translate(${x} ${y})` },
      svg("g", { class: "moving" }, standing(this.game, name, side, figure)));
    this.effects.append(node);
    return node;
  }

  clearPassing() {
    for (const node of this.effects.querySelectorAll(".passing")) node.remove();
  }
}

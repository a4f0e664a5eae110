// Draws a board from its scene, animates what changes in it, and takes choices by tap and drag. It knows no game.

import { svg, clear } from "./dom.js";
import { drawing } from "./picture.js";
import { moves } from "./settings.js";

const TURN = 500; // milliseconds for all events of a turn
const SHORTEST = 110; // and at least so many for each of them
// Pixels: below this size a piece is a token, so that its number can be read.
const SMALL = { numbered: 30, plain: 20 };
// A piece that stands alone is so many places wide.
const WIDE = 2.1;
const SIDES = [1, 2];
const other = (side) => 3 - side;

// The events of a turn as steps: a list of told events, or of bare changes.
const steps = (told) => (told.length && !told[0].changes ? [{ event: "", changes: told }] : told);

// A drawing scaled to a box, its feet in the middle of the box's lower edge.
function standing(rows, side, width, height) {
  const group = drawing(rows, side);
  const scale = Math.min(width / group.size.width, height / group.size.height);
  group.setAttribute("transform",
    `translate(${-group.size.width * scale / 2} ${-group.size.height * scale}) scale(${scale})`);
  return group;
}

// Without a drawing, a piece is an arrowhead in its direction.
const TOKEN = ["##......", "####....", "######..", "########", "########", "######..", "####....", "##......"];

export class Stage {
  /** Draws into `root`. `game` is the catalogue's object, with `drawings`. */
  constructor(root, game) {
    this.root = root;
    this.game = game;
    this.pieces = [];
    this.list = [];
    this.labels = {};
    this.hidden = {};
    this.shown = {};
    this.ending = null;
    this.title = svg("title", {});
    this.ground = svg("g", { class: "ground" });
    this.figures = svg("g", { class: "figures" });
    this.effects = svg("g", { class: "effects" });
    this.marks = svg("g", { class: "marks" });
    this.svg = svg("svg", { role: "img", class: "stage" },
      this.title, this.ground, this.figures, this.effects, this.marks);
    root.append(this.svg);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
    this.resized = () => this.resize();
    addEventListener("resize", this.resized);
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("click", (event) => this.tap(event));
  }

  /** Stops watching the window. */
  close() {
    this.observer.disconnect();
    removeEventListener("resize", this.resized);
  }

  /** Shows a board at once. */
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

  /** Animates the events of a turn, or bare changes. `chosen` says what each side chose, where it was hidden. */
  async play(told, chosen) {
    const run = (this.run = {});
    const events = steps(told);
    this.choices([]);
    this.labels = {};
    this.uncover();
    this.clearShown();
    this.acted = {};
    const time = Math.max(SHORTEST, TURN / Math.max(events.length, 1));
    this.svg.style.setProperty("--step", `${Math.round(time)}ms`);
    this.svg.classList.toggle("unmoved", !moves());
    for (const event of events) {
      this.step(event, chosen);
      if (document.hidden) continue;
      await new Promise((done) => setTimeout(done, time));
      if (this.run !== run) return;
    }
    for (const node of this.effects.querySelectorAll(".passing")) node.remove();
  }

  /** Lights where the choices lead. `onChoose(choice)` is called with the one that is taken; `onSeveral(list)` if a place leaves it open. */
  choices(list, onChoose, onSeveral) {
    this.list = list;
    this.onChoose = onChoose;
    this.onSeveral = onSeveral;
    this.selected = null;
    this.pointed = null;
    this.mark();
  }

  /** Writes a label at the destination of each move: `{move: text}` or `{move: {text, short, kind}}`. */
  values(labels) {
    this.labels = labels ?? {};
    this.mark();
  }

  /** Shows where one of the choices leads, as the keyboard reaches it. */
  point(move) {
    this.pointed = move;
    this.mark();
  }

  /** Covers what a side has chosen until both have. */
  cover(hidden) {
    this.hidden = { ...hidden };
    if (SIDES.some((side) => hidden[side])) this.clearShown();
    this.drawCovers();
  }

  /** Marks the winner's pieces; null for a game that goes on. */
  finish(winner) {
    this.ending = winner;
    this.svg.classList.toggle("over", winner !== null);
    for (const side of SIDES) this.svg.classList.toggle(`won${side}`, winner === side);
  }

  // Layout

  forget() {
    this.pieces = [];
    this.shown = {};
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

  // How many places a band has and how large they are: one band while the places stay wide enough to hit,
  // otherwise as many as make them largest.
  bands(count, width, height) {
    const cell = width / (count + (this.isBetween ? 0 : WIDE - 1));
    if (Math.max(cell, width / count) >= 24) return { bands: 1, per: count, cell: Math.min(cell, height / 2.8) };
    let best = null;
    for (let bands = 2; bands <= count; bands++) {
      const per = Math.ceil(count / bands);
      const fits = Math.min(width / per, (height / bands - 20) / 1.5);
      // A very long road may be higher than the window, but its places stay large enough to hit.
      const cell = Math.max(fits, Math.min(width / per, 26));
      if (!best || cell > best.cell + 0.01) best = { bands, per, cell };
    }
    return best;
  }

  build() {
    if (!this.width) {
      this.width = this.root.clientWidth;
      this.height = innerHeight;
      if (!this.width) return;
    }
    const width = this.width;
    const room = Math.max(170, this.height * (width > 700 ? 0.5 : 0.36));
    this.gaugeHeight = 0;
    clear(this.ground);
    clear(this.effects);
    this.places = new Map();
    this.svg.classList.add("unmoved");
    let height;
    if (this.track) {
      if (this.gauges) this.gaugeHeight = Math.min(64, room * 0.25);
      height = this.buildRoad(width, room - this.gaugeHeight) + this.gaugeHeight;
    } else {
      // On a phone the choices stay in sight below it.
      const least = width > 700 ? 190 : Math.max(120, Math.min(190, this.height * 0.22));
      height = width > 700 ? Math.min(room, Math.max(least, width * 0.46)) : least;
    }
    this.area = { width, height };
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", height);
    if (this.gauges) this.buildGauges();
    if (!this.track) this.buildDuel();
    this.arrange();
    this.drawShown();
    this.drawCovers();
    this.mark();
    // The first picture appears in place.
    this.svg.getBoundingClientRect();
    this.svg.classList.toggle("unmoved", !moves());
  }

  buildRoad(width, room) {
    const { first, last, goal } = this.track;
    const count = last - first + 1;
    // Bases at the ends of the road stand beside it.
    this.isBetween = SIDES.every((side) => goal[side] === first || goal[side] === last) && this.hasBases();
    const edge = Math.max(4, width * 0.01) + (this.isBetween ? Math.min(width * 0.07, width / count) : 0);
    const inner = width - 2 * edge;
    const { bands, per, cell } = this.bands(count, inner, room);
    const label = Math.min(72, Math.max(20, cell * 0.4));
    const [low, most] = bands > 1 ? [1.5, 1.6] : [2.1, 4.4];
    const high = Math.max(cell * low, Math.min(room / bands - label, cell * most)) + label;
    this.edge = edge;
    this.labelHeight = label;
    this.cell = cell;
    this.columnHeight = high - label;
    const left = edge + (inner - cell * per) / 2;
    for (let band = 0; band < bands; band++) this.buildLand(this.gaugeHeight + (band + 1) * high - label, label, bands === 1);
    for (let place = first; place <= last; place++) {
      const index = place - first;
      const band = Math.floor(index / per);
      const x = left + (index % per) * cell;
      const y = this.gaugeHeight + band * high;
      const isGoal = SIDES.filter((side) => goal[side] === place);
      const column = svg("rect", { class: "column", x: x + 1, y: y + 2, width: cell - 2, height: high - label - 2, rx: 4 });
      const tile = svg("rect", { class: "tile", x: x + 1, y: y + high - label, width: cell - 2, height: label - 4, rx: 4 });
      const number = svg("text", {
        class: "number", x: x + cell / 2, y: y + high - label / 2 - 2, "font-size": Math.max(10, Math.min(label * 0.6, cell * 0.5)),
      }, String(place));
      const group = svg("g", { class: isGoal.length ? `place goal ${isGoal.map((side) => `to${side}`).join(" ")}` : "place" }, column, tile, number);
      group.dataset.place = place;
      this.ground.append(group);
      this.places.set(place, { group, x: x + cell / 2, y: y + high - label, top: y });
      if (isGoal.length) this.buildBase(place, isGoal);
    }
    // A road that goes on in the next band says so.
    for (let band = 1; band < bands; band++) {
      const y = this.gaugeHeight + band * high;
      this.ground.append(
        svg("text", { class: "onward", x: left + per * cell + 1, y: y - label / 2 - 2, "font-size": 11 }, "›"),
        svg("text", { class: "onward", x: left - 2, y: y + high - label / 2 - 2, "font-size": 11 }, "›"));
    }
    return bands * high;
  }

  // The ground from a height on, and hills behind it.
  buildLand(y, deep, hasHills) {
    const { width } = this;
    if (hasHills) {
      const step = Math.max(8, width / 60);
      let path = `M0 ${y}`;
      for (let n = 0; n * step < width; n++) {
        const rise = 5 + 2.5 * Math.sin(n * 0.23 + 1) + 1.4 * Math.sin(n * 0.61);
        path += `V${y - Math.round(rise) * step / 2}H${Math.min(width, (n + 1) * step)}`;
      }
      this.ground.append(svg("path", { class: "hills", d: `${path}V${y}z` }));
    }
    this.ground.append(svg("rect", { class: "land", x: 0, y: y - deep * 0.3, width, height: deep * 1.3 + 2 }));
  }

  hasBases() {
    return Boolean(this.game.drawings?.[this.names[1]?.base]);
  }

  // The goal of both is nobody's; otherwise a side's base is the goal of the other side.
  buildBase(place, heading) {
    const owner = heading.length === 2 ? 0 : other(heading[0]);
    const names = this.names[owner || 1] ?? {};
    const rows = this.game.drawings?.[owner ? names.base : names.goal ?? names.base];
    if (!rows) return;
    const { x: middle, y } = this.places.get(place);
    const isBeside = owner && this.isBetween;
    const outward = place === this.track.first ? -1 : 1;
    const size = isBeside ? Math.min(this.edge * 0.96, this.columnHeight * 0.7) : Math.min(this.cell * 1.2, this.columnHeight * 0.6);
    const x = isBeside ? middle + outward * (this.cell / 2 + this.edge / 2) : middle;
    const base = svg("g", { class: `base ${owner ? `p${owner}` : "both"}`, transform: `translate(${x} ${y})` },
      standing(rows, owner || 1, size, size));
    this.ground.append(base);
  }

  buildGauges() {
    const { width } = this.area;
    const isDuel = !this.track;
    const high = isDuel ? Math.min(28, Math.max(16, this.area.height * 0.07)) : this.gaugeHeight * 0.4;
    const long = isDuel ? width * 0.44 : width * 0.4;
    this.bars = {};
    for (const side of SIDES) {
      const gauge = this.gauges[side];
      const x = side === 1 ? 4 : width - 4 - long;
      const y = high * 1.35;
      const text = svg("text", {
        class: `gauge-label p${side}`, x: side === 1 ? x : x + long, y: high * 0.7, "font-size": high * 0.85,
        "text-anchor": side === 1 ? "start" : "end",
      });
      const parts = [];
      if (gauge.max <= 15) {
        const one = long / gauge.max;
        for (let n = 0; n < gauge.max; n++) {
          const at = side === 1 ? x + n * one : x + long - (n + 1) * one;
          parts.push(svg("rect", { class: "unit", x: at + 1, y, width: Math.max(1, one - 2), height: high * 0.8, rx: 2 }));
        }
      } else {
        parts.push(svg("rect", { class: "unit", x, y, width: long, height: high * 0.8, rx: 2 }),
          svg("rect", { class: "fill", x, y, width: long, height: high * 0.8, rx: 2 }));
      }
      this.ground.append(svg("g", { class: `gauge p${side}` }, text, ...parts));
      this.bars[side] = { text, parts, x, long };
    }
    this.gaugeBottom = high * 2.3;
  }

  showGauges() {
    if (!this.gauges || !this.bars) return;
    for (const side of SIDES) {
      const { label, value, max } = this.gauges[side];
      const { text, parts, x, long } = this.bars[side];
      text.textContent = side === 1 ? `P1 ▸ ${value} ${label}` : `${value} ${label} ◂ P2`;
      if (max <= 15) {
        parts.forEach((part, n) => part.classList.toggle("full", n < value));
      } else {
        const filled = long * value / max;
        parts[1].setAttribute("width", filled);
        parts[1].setAttribute("x", side === 1 ? x : x + long - filled);
      }
    }
  }

  buildDuel() {
    const { width, height } = this.area;
    const top = (this.gaugeBottom ?? 0) + 6;
    const size = Math.min(width * 0.31, (height - top) * 0.86);
    const deep = Math.max(26, height * 0.1);
    this.duel = { size, y: height - deep, top };
    this.buildLand(height - deep, deep, true);
    clear(this.figures);
    this.fighters = {};
    for (const side of SIDES) {
      const x = side === 1 ? 6 + size * 0.55 : width - 6 - size * 0.55;
      const inner = svg("g", { class: "figure" }, standing(this.rows(side, "piece") ?? TOKEN, side, size, size));
      const figure = svg("g", { class: `fighter p${side}` }, inner);
      figure.style.transform = `translate(${x}px, ${this.duel.y}px)`;
      this.duel[side] = x;
      this.fighters[side] = figure;
      this.figures.append(figure);
    }
  }

  rows(side, key) {
    const name = this.names[side]?.[key];
    return name && this.game.drawings?.[name];
  }

  // What a kind of event looks like.
  effectRows(kind) {
    return this.game.drawings?.[this.game.effects?.[kind]];
  }

  // Pieces

  // Keeps the nodes of the pieces that are still there.
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
      return this.dress({ ...piece, node: kept?.node ?? null, shows: kept?.shows });
    });
    for (const old of spare) old.node?.remove();
  }

  // Draws a piece in a box of 100 by 115, its feet at the origin.
  dress(piece) {
    const { player, strength } = piece;
    const shows = `${player} ${strength}`;
    if (piece.node && piece.shows === shows) return piece;
    const inner = svg("g", { class: "body" });
    // The gaps between its pixels belong to it, too.
    inner.append(svg("rect", { class: "hit", x: -50, y: -115, width: 100, height: 115 }));
    const plate = player === 1 ? "M-46 -28H34L50 -14L34 0H-46z" : "M46 -28H-34L-50 -14L-34 0H46z";
    inner.append(
      svg("g", { class: "figure", transform: "translate(0 -30)" }, standing(this.rows(player, "piece") ?? TOKEN, player, 100, 85)),
      svg("path", { class: "plate", d: plate }),
      svg("text", { class: "mark", x: strength == null ? 0 : player === 1 ? -30 : 30, y: -13.5, "font-size": 25 }, String(strength ?? `P${player}`)));
    for (let pip = 0; pip < Math.min(strength ?? 0, 9); pip++) {
      const across = strength > 5 ? 7 : 11;
      const x = player === 1 ? -14 + pip * across : 14 - pip * across;
      inner.append(svg("circle", { class: "pip", cx: x, cy: -14, r: across * 0.36 }));
    }
    const token = svg("g", { class: "token" },
      svg("path", { class: "plate", d: player === 1 ? "M-46 -80H20L50 -40L20 0H-46z" : "M46 -80H-20L-50 -40L-20 0H46z" }),
      svg("text", { class: "mark", x: player === 1 ? -6 : 6, y: -38, "font-size": 56 }, String(strength ?? player)));
    if (piece.node) {
      clear(piece.node);
      piece.node.append(inner, token);
    } else {
      piece.node = svg("g", { class: `piece p${player}` }, inner, token);
      this.figures.append(piece.node);
    }
    piece.shows = shows;
    return piece;
  }

  // Puts every piece where it belongs; those of one place share it.
  arrange() {
    this.showGauges();
    if (!this.track || !this.places) return;
    const together = new Map();
    for (const piece of this.pieces) {
      if (!together.has(piece.at)) together.set(piece.at, []);
      together.get(piece.at).push(piece);
    }
    // Where some share a place, the others are not much larger.
    const most = [...together.values()].some((group) => group.length > 1) ? 1.2 : WIDE;
    for (const [at, group] of together) {
      const place = this.places.get(at);
      if (!place) continue;
      group.sort((a, b) => a.player - b.player);
      const count = group.length;
      const away = Math.min(...[...together.keys()].filter((place) => place !== at).map((place) => Math.abs(place - at)));
      const wide = count > 1 ? 0.98 : Math.min(most, Math.max(1.1, away));
      let best = { size: 0 };
      for (let columns = 1; columns <= count; columns++) {
        const rows = Math.ceil(count / columns);
        const size = Math.min(this.cell * wide / columns, (this.columnHeight - 4) / rows / 1.15);
        if (size > best.size) best = { size, columns };
      }
      const { size, columns } = best;
      group.forEach((piece, index) => {
        const row = Math.floor(index / columns);
        const inRow = Math.min(columns, count - row * columns);
        const middle = place.x + ((index % columns) - (inRow - 1) / 2) * size;
        const x = Math.min(Math.max(middle, size / 2 + 2), this.area.width - size / 2 - 2);
        const y = place.y - 1 - row * size * 1.15;
        piece.node.style.transform = `translate(${x}px, ${y}px) scale(${size / 100})`;
        piece.node.classList.toggle("tiny", size < (piece.strength == null ? SMALL.plain : SMALL.numbered));
        piece.x = x;
        piece.y = y;
      });
    }
  }

  // Motion

  step({ event, changes }, chosen) {
    for (const node of this.effects.querySelectorAll(".passing")) node.remove();
    for (const { group } of this.places.values()) group.classList.remove("struck");
    if (this.track && changes.length) this.strike(event, changes);
    if (!this.track) this.clash(event, changes, chosen);
    for (const change of changes) this.apply(change);
    this.arrange();
  }

  find(piece) {
    return this.pieces.findIndex((own) =>
      own.player === piece.player && own.at === piece.at && own.strength === (piece.strength ?? own.strength));
  }

  apply(change) {
    if (change.appears) {
      const piece = this.dress({ ...change.appears, node: null });
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
        // A node that was put elsewhere moves only from where it has been seen.
        piece.node.getBoundingClientRect();
      } else if (change.strengthens) {
        piece.strength = change.to;
        this.dress(piece);
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

  // An event other than a plain move shows its drawing where it happens.
  strike(kind, changes) {
    const subject = changes[0].moves ?? changes[0].vanishes ?? changes[0].strengthens ?? changes[0].appears;
    if (!subject) return;
    const place = this.places.get(subject.at);
    if (!place) return;
    if (changes.some((change) => change.vanishes) || (changes[0].moves && kind && kind !== "move")) {
      place.group.classList.add("struck");
    }
    const rows = this.effectRows(kind);
    if (!rows) return;
    const size = Math.min(this.cell * 1.5, this.columnHeight * 0.7);
    this.effect(rows, subject.player, place.x, place.y - this.columnHeight * 0.2, size, "passing burst");
  }

  effect(rows, side, x, y, size, classes) {
    const node = svg("g", { class: `effect ${classes}` },
      svg("g", { class: "moving" }, standing(rows, side, size, size)));
    node.setAttribute("transform", `translate(${x} ${y})`);
    this.effects.append(node);
    return node;
  }

  // In a duel the first change of a side's gauge is what it chose; later ones are what it suffers.
  clash(kind, changes, chosen) {
    const side = changes.find((change) => change.gauge)?.gauge;
    if (!side) {
      const rows = this.effectRows(kind);
      const { width } = this.area;
      if (rows) this.effect(rows, 1, width / 2, this.duel.y - this.duel.size * 0.15, this.duel.size * 0.45, "passing burst");
      return;
    }
    const isAct = !this.acted[side] && (!chosen?.[side] || kind !== "hit");
    if (isAct) {
      const falls = changes[0].to < this.gauges[side].value;
      this.acted[side] = true;
      this.shown[side] = { kind, flies: falls };
      this.drawShown();
      return;
    }
    const figure = this.fighters[side];
    figure.classList.remove("struck");
    figure.getBoundingClientRect();
    figure.classList.add("struck");
    const rows = this.effectRows(kind);
    if (rows) this.effect(rows, side, this.duel[side], this.duel.y - this.duel.size * 0.2, this.duel.size * 0.6, "passing burst");
  }

  // What was chosen stays between the two until the next turn.
  drawShown() {
    for (const node of this.effects.querySelectorAll(".shown")) node.remove();
    if (this.track || !this.duel) return;
    const { width } = this.area;
    const middle = width / 2;
    for (const side of SIDES) {
      const shown = this.shown[side];
      if (!shown) continue;
      const rows = this.effectRows(shown.kind);
      const size = Math.min(width * 0.16, this.duel.size * 0.62);
      const x = middle + (side === 1 ? -1 : 1) * (size * 0.62);
      if (rows) {
        const node = this.effect(rows, side, x, this.duel.y - this.duel.size * 0.2, size, `shown from${side} ${shown.flies ? "flies" : "glows"}`);
        if (shown.drawn) node.classList.add("there");
        shown.drawn = true;
      }
      this.effects.append(svg("text", {
        class: `shown word p${side}`, x: middle + (side === 1 ? -8 : 8), y: Math.min(this.area.height - 10, this.duel.y + 14), "font-size": Math.max(11, Math.min(20, size * 0.22)),
      }, this.word(side, shown.kind)));
    }
  }

  word(side, kind) {
    const list = this.board.choices?.[side] ?? this.words?.[side] ?? [];
    return list.find((choice) => choice.move === kind)?.words ?? kind;
  }

  clearShown() {
    this.shown = {};
    clear(this.effects);
    for (const { group } of this.places?.values() ?? []) group.classList.remove("left", "struck");
  }

  uncover() {
    this.hidden = {};
    this.drawCovers();
  }

  drawCovers() {
    for (const node of this.effects.querySelectorAll(".cover")) node.remove();
    if (this.track || !this.duel) return;
    const size = Math.min(this.area.width * 0.14, this.duel.size * 0.5);
    for (const side of SIDES) {
      if (!this.hidden[side]) continue;
      const x = this.area.width / 2 + (side === 1 ? -1 : 1) * size * 0.7;
      const y = this.duel.y - this.duel.size * 0.2;
      this.effects.append(svg("g", { class: `cover p${side}`, transform: `translate(${x} ${y})` },
        svg("rect", { x: -size / 2, y: -size, width: size, height: size, rx: size * 0.12 }),
        svg("text", { x: 0, y: -size / 2, "font-size": size * 0.55 }, "?")));
    }
  }

  // Choosing

  leading(place) {
    const to = this.list.filter((choice) => choice.to === place);
    const own = to.filter((choice) => choice.piece && this.selected && choice.piece.at === this.selected);
    return own.length ? own : to;
  }

  // Marks the places that can be reached, with the key and the value of each.
  mark() {
    clear(this.marks);
    for (const [place, { group, x, top }] of this.places ?? []) {
      const here = this.list.filter((choice) => choice.to === place);
      const isLit = here.length > 0 && (this.selected == null || here.some((choice) => choice.piece?.at === this.selected));
      group.classList.toggle("lit", isLit);
      group.classList.toggle("pointed", here.some((choice) => choice.move === this.pointed));
      group.classList.toggle("source", this.list.some((choice) => choice.piece?.at === place));
      if (!isLit) continue;
      const keys = here.map((choice) => choice.key).filter(Boolean).join(" ");
      const size = Math.max(10, Math.min(this.cell * 0.28, 40));
      if (keys) this.marks.append(svg("text", { class: "key", x, y: top + size, "font-size": size }, keys));
      // On small places the labels would overlap: the buttons have them, too.
      const labels = this.cell < 48 ? [] : here.map((choice) => this.labels[choice.move]).filter(Boolean);
      labels.forEach((label, line) => {
        const { text, short, kind } = typeof label === "string" ? { text: label } : label;
        this.marks.append(svg("text", { class: `value ${kind ?? ""}`, x, y: top + size * 2.1 + line * 13, "font-size": Math.max(10, size * 0.62) }, short ?? text));
      });
    }
    const movable = new Set(this.list.filter((choice) => choice.piece).map((choice) => `${choice.piece.player} ${choice.piece.at}`));
    for (const piece of this.pieces) {
      piece.node.classList.toggle("movable", movable.has(`${piece.player} ${piece.at}`));
      piece.node.classList.toggle("selected", this.selected === piece.at && movable.has(`${piece.player} ${piece.at}`));
    }
    this.svg.classList.toggle("choosing", this.list.some((choice) => choice.to != null));
  }

  placeAt(event) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.area.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    for (const [place, at] of this.places ?? []) {
      if (Math.abs(x - at.x) <= this.cell / 2 && y >= at.top && y < at.y + this.labelHeight) return place;
    }
    return null;
  }

  take(candidates) {
    if (candidates.length === 1) this.onChoose?.(candidates[0]);
    else if (candidates.length) this.onSeveral?.(candidates);
  }

  tap(event) {
    if (!this.list.length || this.dragged) return;
    const place = this.placeAt(event);
    if (place === null) return;
    const from = this.list.filter((choice) => choice.piece?.at === place);
    const to = this.leading(place);
    if (to.length && (this.selected != null || !from.length)) {
      this.take(to);
    } else if (from.length) {
      // A second tap on the only piece with one way to go plays it.
      if (this.selected === place && from.length === 1) return this.take(from);
      this.selected = this.selected === place ? null : place;
      this.mark();
    } else {
      this.selected = null;
      this.mark();
    }
  }

  press(event) {
    this.dragged = false;
    if (!this.list.length || event.button) return;
    const node = event.target.closest?.(".piece.movable");
    const piece = this.pieces.find((own) => own.node === node);
    if (!piece) return;
    const start = { x: event.clientX, y: event.clientY };
    const scale = this.area.width / this.svg.getBoundingClientRect().width;
    const at = node.style.transform;
    const move = (next) => {
      if (next.pointerId !== event.pointerId) return;
      const [dx, dy] = [next.clientX - start.x, next.clientY - start.y];
      if (!this.dragged && Math.hypot(dx, dy) < 8) return;
      if (!this.dragged) {
        this.dragged = true;
        this.selected = piece.at;
        this.mark();
        node.classList.add("dragged");
        this.figures.append(node);
        node.setPointerCapture?.(event.pointerId);
      }
      node.style.transform = `translate(${dx * scale}px, ${dy * scale}px) ${at}`;
    };
    const end = (last) => {
      if (last.pointerId !== event.pointerId) return;
      for (const [type, handler] of listeners) removeEventListener(type, handler);
      if (!this.dragged) return;
      node.classList.remove("dragged");
      node.style.transform = at;
      const place = last.type === "pointerup" ? this.placeAt(last) : null;
      const own = this.list.filter((choice) => choice.to === place && choice.piece?.at === piece.at);
      this.selected = null;
      this.mark();
      if (place !== null && place !== piece.at) this.take(own);
      // The click that follows a drag is not a tap.
      setTimeout(() => { this.dragged = false; });
    };
    const listeners = [["pointermove", move], ["pointerup", end], ["pointercancel", end]];
    for (const [type, handler] of listeners) addEventListener(type, handler);
  }
}

// Small boards that play themselves, for visitors who do not know the games yet.

import { clear, h, svg } from "./dom.js";
import { drawing } from "./picture.js";
import { moves } from "./settings.js";

const TURN = 1100; // milliseconds
const REST = 3; // turns that the last position stays
const WIDE = 240;
const HIGH = 64;
const FLOOR = 48;
const ARROW = ["##..", "####", "####", "##.."];

/** A board that shows the scenes of a game from `/api/demos`, one after another. */
export class Demo {
  #figures = svg("g");
  #pieces = [];
  #turn = 0;

  /** A large board uses larger drawings. */
  constructor({ isLarge = false } = {}) {
    this.size = isLarge ? "-medium" : "-small";
    this.node = svg("svg", { class: "pixels demo", viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" });
  }

  /** Shows a game. Without motion, it is a still picture from the middle of the game. */
  show(game) {
    this.game = game;
    this.#pieces = [];
    clear(this.#figures);
    const { track, drawings } = game.scenes[0];
    const places = [];
    if (track) {
      const count = track.last - track.first + 1;
      this.cell = WIDE / (count + 1);
      this.x = (at) => (at - track.first + 1) * this.cell;
      for (let at = track.first; at <= track.last; at += 1) places.push(this.#tile(at, track));
      const { goal } = track;
      if (goal && goal[1] === goal[2]) places.push(this.#figure(drawings[1].goal, 0, this.x(goal[1]), "base"));
      else if (goal) for (const side of [1, 2]) places.push(this.#figure(drawings[side].base, side, this.x(goal[3 - side]), "base"));
    }
    places.unshift(svg("rect", { class: "land", x: 0, y: FLOOR, width: WIDE, height: HIGH - FLOOR }));
    clear(this.node).append(...places.filter(Boolean), this.#figures);
    this.#turn = moves() ? 0 : Math.floor(game.scenes.length / 2);
    this.#draw();
  }

  /** Shows the next scene. */
  next() {
    if (!this.game || !moves()) return;
    this.#turn = (this.#turn + 1) % (this.game.scenes.length + REST);
    if (this.#turn === 0) this.show(this.game);
    else this.#draw();
  }

  #draw() {
    const { scenes, winner } = this.game;
    const scene = scenes[Math.min(this.#turn, scenes.length - 1)];
    if (scene.track) this.#arrange(scene);
    else this.#face(scene);
    const isOver = this.#turn >= scenes.length - 1;
    for (const side of [1, 2]) this.node.classList.toggle(`lost${side}`, isOver && winner === 3 - side);
  }

  // A drawing that stands on the floor; a piece without one is an arrow.
  #figure(name, side, x, kind) {
    const rows = this.game.drawings[name + this.size] ?? (kind === "figure" ? ARROW : null);
    if (!rows) return null;
    const group = drawing(rows, side);
    const { width, height } = group.size;
    const scale = Math.min((this.cell ?? 48) / width, 36 / height);
    group.setAttribute("transform", `translate(${-width * scale / 2} ${-height * scale}) scale(${scale})`);
    const node = svg("g", { class: `${kind} of${side}` }, group);
    node.style.transform = `translate(${x}px, ${FLOOR}px)`;
    return node;
  }

  #tile(at, { goal }) {
    const side = goal && [1, 2].find((side) => goal[side] === at);
    const wide = this.cell * 0.86;
    return svg("rect", { class: `tile ${side && goal[1] !== goal[2] ? `of${3 - side}` : ""}`, x: this.x(at) - wide / 2, y: FLOOR + 3, width: wide, height: 9, rx: 2 });
  }

  // Moves pieces that are still present to their new places.
  #arrange({ pieces, drawings }) {
    const spare = [...this.#pieces];
    const take = (test) => {
      const index = spare.findIndex(test);
      return index < 0 ? undefined : spare.splice(index, 1)[0].node;
    };
    const stayed = pieces.map(({ player, at }) => take((old) => old.player === player && old.at === at));
    this.#pieces = pieces.map((piece, index) => {
      const { player, at } = piece;
      const node = stayed[index] ?? take((old) => old.player === player) ?? this.#figure(drawings[player].piece, player, this.x(at), "figure");
      const here = pieces.filter((other) => other.at === at);
      // Pieces on the same place stand on each other.
      node.style.transform = `translate(${this.x(at)}px, ${FLOOR - here.indexOf(piece) * this.cell * 0.6}px)`;
      return { ...piece, node };
    });
    for (const { node } of spare) node.remove();
    this.#figures.append(...this.#pieces.map(({ node }) => node).filter((node) => !node.isConnected));
  }

  // Two fighters who face each other, with their points above them.
  #face({ gauges, drawings }) {
    clear(this.#figures);
    for (const side of [1, 2]) {
      const x = side === 1 ? WIDE * 0.3 : WIDE * 0.7;
      const { value, max } = gauges?.[side] ?? { max: 0 };
      const dots = Array.from({ length: max }, (_, n) =>
        svg("rect", { class: n < value ? `dot of${side}` : "dot", x: x + (n - max / 2) * 10 + 1, y: 3, width: 8, height: 5, rx: 1 }));
      this.#figures.append(this.#figure(drawings[side].piece, side, x, "figure"), ...dots);
    }
  }
}

/** Lets boards play until `stop()`. `pause` is a button that holds them. */
export function playing(boards) {
  let isPaused = false;
  const pause = h("button", { class: "quiet", hidden: !moves(), onclick: () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? "Resume" : "Pause";
  } }, "Pause");
  const timer = setInterval(() => document.hidden || isPaused || boards.forEach((board) => board.next()), TURN);
  return { pause, stop: () => clearInterval(timer) };
}

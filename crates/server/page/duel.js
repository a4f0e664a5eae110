// A stage without a road: two fighters who face each other, with their choices between them.

import { clear, svg } from "./dom.js";
import { SIDES, fitted, highOf, inBox, land, standing } from "./figures.js";

export class Duel {
  /** Each side's choice in the last turn, and which sides have chosen in this one. */
  shown = {};
  hidden = {};
  acted = {};
  poses = {};

  constructor(stage) {
    this.stage = stage;
  }

  /** Draws both fighters below `top`. */
  build(top) {
    const { stage } = this;
    const { width, height } = stage.area;
    const deep = Math.max(26, height * 0.1);
    const name = stage.names[1]?.piece;
    this.figure = fitted(stage.game, name, stage.most, inBox(width * 0.31, (height - top - deep) * 0.95));
    const size = highOf(stage.game, name, this.figure);
    this.size = size;
    this.floor = height - deep;
    this.fighters = {};
    this.x = {};
    stage.ground.prepend(...land(width, this.floor, deep, this.floor - top));
    clear(stage.figures);
    for (const side of SIDES) {
      const aside = Math.max(6 + size * 0.55, width / 2 - size * 3);
      const x = side === 1 ? aside : width - aside;
      const inner = svg("g", { class: "figure" });
      const figure = svg("g", { class: `fighter p${side}` }, inner);
      this.x[side] = x;
      this.fighters[side] = figure;
      stage.figures.append(figure);
    }
    this.drawShown();
    this.drawCovers();
  }

  /** Draws both fighters in their poses: at the end, the winner cheers, and the opponent has fallen. */
  arrange(winner) {
    const { stage } = this;
    for (const side of SIDES) {
      const pose = winner ? (winner === side ? "cheer" : "fall") : this.poses[side];
      const figure = standing(stage.game, stage.names[side]?.piece, side, this.figure, pose);
      this.fighters[side].firstChild.replaceChildren(figure);
      this.fighters[side].style.transform = `translate(${this.x[side]}px, ${this.floor}px)`;
    }
  }

  /** Ends a turn: both stand. */
  rest() {
    this.poses = {};
  }

  /** Begins a turn: nothing is covered any longer. */
  begin() {
    this.acted = {};
    this.cover({});
  }

  // The first change of a side's gauge is its own choice; later ones are its losses.
  clash(kind, changes) {
    const { stage } = this;
    const side = changes.find((change) => change.gauge)?.gauge;
    this.poses = side ? { [side]: this.acted[side] ? "fall" : "strike" } : {};
    if (!side) return this.burst(kind, 1, stage.area.width / 2, 0.15, 0.45);
    if (!this.acted[side]) {
      this.acted[side] = true;
      this.shown[side] = { kind, flies: changes[0].to < stage.gauges[side].value };
      return this.drawShown();
    }
    const figure = this.fighters[side];
    figure.classList.remove("struck");
    figure.getBoundingClientRect();
    figure.classList.add("struck");
    this.burst(kind, side, this.x[side], 0.2, 0.6);
  }

  // Heights and sizes are fractions of a fighter's.
  burst(kind, side, x, high, large) {
    this.stage.effect(kind, side, x, this.floor - this.size * high, this.size * large, "passing burst");
  }

  // Each choice stays visible between the fighters until the next turn.
  drawShown() {
    const { stage } = this;
    for (const node of stage.effects.querySelectorAll(".shown")) node.remove();
    const { width, height } = stage.area;
    const size = Math.min(width * 0.16, this.size * 0.62);
    for (const side of SIDES) {
      const shown = this.shown[side];
      if (!shown) continue;
      const way = side === 1 ? -1 : 1;
      const node = stage.effect(shown.kind, side, width / 2 + way * size * 0.62, this.floor - this.size * 0.2, size,
        `shown from${side} ${shown.flies ? "flies" : "glows"}`);
      if (shown.drawn) node?.classList.add("there");
      shown.drawn = true;
      const words = stage.board.choices?.[side]?.find((choice) => choice.move === shown.kind)?.words ?? shown.kind;
      stage.effects.append(svg("text", {
        class: `shown word p${side}`, x: width / 2 + way * 8, y: this.floor + (height - this.floor) * 0.55,
        "font-size": Math.max(11, Math.min(20 * stage.unit, size * 0.22)),
      }, words));
    }
  }

  /** Shows a side's own choice before the turn is played. */
  reveal(side, kind) {
    this.shown[side] = { kind, flies: false };
    this.drawShown();
  }

  /** Covers a side's choice until both sides have chosen. */
  cover(hidden) {
    this.hidden = hidden;
    this.drawCovers();
  }

  drawCovers() {
    const { stage } = this;
    for (const node of stage.effects.querySelectorAll(".cover")) node.remove();
    if (!this.fighters) return;
    const size = Math.min(stage.area.width * 0.14, this.size * 0.5);
    for (const side of SIDES) {
      if (!this.hidden[side]) continue;
      const x = stage.area.width / 2 + (side === 1 ? -1 : 1) * size * 0.7;
      const y = this.floor - this.size * 0.2;
      stage.effects.append(svg("g", { class: `cover p${side}`, transform: `translate(${x} ${y})` },
        svg("rect", { x: -size / 2, y: -size, width: size, height: size, rx: size * 0.12 }),
        svg("text", { x: 0, y: -size / 2, "font-size": size * 0.55 }, "?")));
    }
  }
}

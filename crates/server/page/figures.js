// Figures on the stage: drawings, pieces, scenery and gauges.

import { svg } from "./dom.js";
import { drawing } from "./picture.js";

export const SIDES = [1, 2];

/** A piece without a drawing is an arrowhead in its direction. */
const ARROW = ["##......", "####....", "######..", "########", "########", "######..", "####....", "##......"];

/** A drawing scaled to a box, with its feet at the middle of the lower edge. */
export function standing(rows, side, width, height) {
  const group = drawing(rows ?? ARROW, side);
  const scale = Math.min(width / group.size.width, height / group.size.height);
  group.setAttribute("transform",
    `translate(${-group.size.width * scale / 2} ${-group.size.height * scale}) scale(${scale})`);
  return group;
}

/** A piece in a box of 100 by 115 with its feet at the origin, and the token that replaces it on small places. */
export function pieceParts({ player, strength }, rows) {
  const plate = player === 1 ? "M-46 -28H34L50 -14L34 0H-46z" : "M46 -28H-34L-50 -14L-34 0H46z";
  const body = svg("g", { class: "body" },
    // The gaps between a piece's pixels can be tapped as well.
    svg("rect", { class: "hit", x: -50, y: -115, width: 100, height: 115 }),
    svg("g", { class: "figure", transform: "translate(0 -30)" }, standing(rows, player, 100, 85)),
    svg("path", { class: "plate", d: plate }),
    svg("text", { class: "mark", x: strength == null ? 0 : player === 1 ? -30 : 30, y: -13.5, "font-size": 25 }, String(strength ?? `P${player}`)));
  for (let pip = 0; pip < Math.min(strength ?? 0, 9); pip++) {
    const across = strength > 5 ? 7 : 11;
    const x = player === 1 ? -14 + pip * across : 14 - pip * across;
    body.append(svg("circle", { class: "pip", cx: x, cy: -14, r: across * 0.36 }));
  }
  const token = svg("g", { class: "token" },
    svg("path", { class: "plate", d: player === 1 ? "M-46 -80H20L50 -40L20 0H-46z" : "M46 -80H-20L-50 -40L-20 0H46z" }),
    svg("text", { class: "mark", x: player === 1 ? -6 : 6, y: -38, "font-size": 56 }, String(strength ?? player)));
  return [body, token];
}

/** The ground below a height. Behind it are two rows of hills and some clouds, unless `sky` is 0. */
export function land(width, y, deep, sky) {
  const ground = svg("rect", { class: "land", x: 0, y: y - deep * 0.3, width, height: deep * 1.3 + 2 });
  if (!sky) return [ground];
  const step = Math.max(8, width / 60);
  const hills = (name, high, wave) => {
    let path = `M0 ${y}`;
    for (let n = 0; n * step < width; n++) {
      const rise = high * (1 + 0.4 * Math.sin(n * 0.23 * wave + wave) + 0.22 * Math.sin(n * 0.61 * wave));
      path += `V${y - Math.round(rise * 2 / step) * step / 2}H${Math.min(width, (n + 1) * step)}`;
    }
    return svg("path", { class: name, d: `${path}V${y}z` });
  };
  // A cloud consists of three rows, drawn from left to right and from top to bottom.
  const cloud = (x, top, size) => `M${x + 2 * size} ${top}h${4 * size}v${size}h${3 * size}v${size}h${2 * size}v${size}h${-11 * size}v${-size}h${2 * size}z`;
  const size = step / 2;
  const clouds = [[0.16, 0.16], [0.47, 0.09], [0.78, 0.2]].map(([x, top]) => cloud(x * width, y - sky * (1 - top), size)).join("");
  return [svg("path", { class: "cloud", d: clouds }), hills("hills far", sky * 0.24, 0.7), hills("hills", sky * 0.13, 1), ground];
}

/** A side's gauge at its end of the upper edge: text `high` pixels high, and below it a bar `long` pixels long. */
export class Gauge {
  constructor(side, max, { width, high, long }) {
    this.side = side;
    this.max = max;
    this.long = long;
    this.x = side === 1 ? 4 : width - 4 - long;
    this.text = svg("text", {
      class: `gauge-label p${side}`, x: side === 1 ? this.x : this.x + long, y: high * 0.7, "font-size": high * 0.85,
      "text-anchor": side === 1 ? "start" : "end",
    });
    const bar = (name, x, width) => svg("rect", { class: name, x, y: high * 1.35, width, height: high * 0.8, rx: 2 });
    // Draw a few units separately, so that they can be counted.
    const one = long / max;
    this.units = max > 15 ? null : Array.from({ length: max }, (_, n) =>
      bar("unit", 1 + (side === 1 ? this.x + n * one : this.x + long - (n + 1) * one), Math.max(1, one - 2)));
    this.fill = bar("fill", this.x, long);
    this.node = svg("g", { class: `gauge p${side}` }, this.text, this.units ?? [bar("unit", this.x, long), this.fill]);
  }

  show({ label, value }) {
    const { side, x, long, fill } = this;
    this.text.textContent = side === 1 ? `P1 ▸ ${value} ${label}` : `${value} ${label} ◂ P2`;
    this.units?.forEach((unit, n) => unit.classList.toggle("full", n < value));
    const filled = long * value / this.max;
    fill.setAttribute("width", filled);
    fill.setAttribute("x", side === 1 ? x : x + long - filled);
  }
}

/** Whether somebody is hit in an event: a piece vanishes, or moves in a way that has its own drawing. */
export const isBlow = ({ effects }, kind, changes) =>
  changes.some((change) => change.vanishes || (change.moves && effects?.[kind]));

/** Whether somebody is hit in a turn. A side's second change of its gauge is not its own choice. */
export function hasBlow(game, told) {
  const changed = told.flatMap(({ changes }) => changes).flatMap(({ gauge }) => gauge ?? []);
  return new Set(changed).size < changed.length || told.some(({ event, changes }) => isBlow(game, event, changes));
}

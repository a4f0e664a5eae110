// Figures on the stage: drawings, pieces, scenery and gauges.

import { svg } from "./dom.js";
import { drawing } from "./picture.js";

export const SIDES = [1, 2];

/** A piece without a drawing is an arrowhead in its direction. */
const ARROW = ["##......", "####....", "######..", "########", "########", "######..", "####....", "##......"];

const SIZES = ["", "medium", "small"];

/** The rows of a drawing in a pose and size. A missing pose stands. */
const view = ({ drawings = {} }, name, pose, size) =>
  drawings[[name, pose, size].filter(Boolean).join("-")] ?? drawings[[name, size].filter(Boolean).join("-")];

/**
 * The largest size of a drawing that fits, enlarged at most `most` times: `{size, scale}`. `fits(rows)` is the scale at which
 * rows fit. A token has no sizes.
 */
export function fitted(game, name, most, fits) {
  const whole = (scale) => Math.max(1, Math.floor(scale * devicePixelRatio)) / devicePixelRatio;
  if (!view(game, name)) return { size: "", scale: fits(ARROW.map((row) => "#".repeat(row.length))) };
  const all = SIZES.map((size) => ({ size, scale: Math.min(most, fits(view(game, name, "", size))) }));
  const { size, scale } = all.find(({ scale }) => scale >= 1) ?? all.at(-1);
  return { size, scale: whole(scale) };
}

/** The scale at which rows fit a box. */
export const inBox = (width, height) => (rows) => Math.min(width / rows[0].length, height / rows.length);

/** The columns of a figure's body, as [from, to): the longest run of columns of which three fifths are filled. */
export function bodyOf(rows) {
  const high = rows.filter((row) => /[^.]/.test(row)).length;
  const filled = [...rows[0]].map((_, x) => rows.filter((row) => row[x] !== ".").length * 5 >= high * 3);
  const runs = [...filled.map((is) => (is ? "x" : " ")).join("").matchAll(/x+/g)];
  const [longest] = runs.sort((a, b) => b[0].length - a[0].length);
  return longest ? [longest.index, longest.index + longest[0].length] : [0, filled.length];
}

/** A drawing with its feet at the origin and its body above it. */
export function standing(game, name, side, { size, scale }, pose = "") {
  const rows = view(game, name, pose, size);
  const group = drawing(rows ?? ARROW, side);
  const { width, height } = group.size;
  const [from, to] = rows ? bodyOf(rows) : [0, width];
  const middle = side === 2 ? width - (from + to) / 2 : (from + to) / 2;
  group.setAttribute("transform", `translate(${-middle * scale} ${-height * scale}) scale(${scale})`);
  return group;
}

/** The height of a drawing. */
export const highOf = (game, name, { size, scale }) => (view(game, name, "", size) ?? ARROW).length * scale;

/** The strengths of pieces that share a place: `4`, `2×1` or `1+3`. Pieces without strength have their player's sign. */
function label(pieces) {
  const strengths = pieces.map(({ strength }) => strength).filter((strength) => strength != null).sort();
  if (!strengths.length) return `P${pieces[0].player}`;
  const isEqual = strengths.length > 1 && strengths.every((strength) => strength === strengths[0]);
  return isEqual ? `${strengths.length}×${strengths[0]}` : strengths.join("+");
}

/** One figure for pieces of a player on a place, with its feet at the origin, and the token that replaces it on small places. */
export function pieceParts(pieces, figure, { cell, plate, high }) {
  const [{ player, strength }] = pieces;
  const text = label(pieces);
  const way = player === 1 ? 1 : -1;
  const count = pieces.length === 1 && cell >= 56 ? Math.min(strength ?? 0, 9) : 0;
  const wide = Math.min(cell - 2, plate * (1 + 0.55 * text.length + 0.42 * count)) / 2;
  const shape = (wide, top, bottom) => {
    const point = Math.min(wide * 0.4, (bottom - top) / 2);
    return `M${-way * wide} ${top}H${way * (wide - point)}L${way * wide} ${(top + bottom) / 2}L${way * (wide - point)} ${bottom}H${-way * wide}z`;
  };
  const size = Math.min(plate * 0.85, wide * 2.6 / text.length);
  const body = svg("g", { class: "body" },
    // The gaps between a piece's pixels can be tapped as well.
    svg("rect", { class: "hit", x: -cell / 2, y: -high - plate, width: cell, height: high + plate }),
    svg("g", { class: "figure", transform: `translate(0 ${-plate})` }, figure),
    svg("path", { class: "plate", d: shape(wide, -plate, -1) }),
    svg("text", { class: "mark", x: -way * count * plate * 0.21, y: -plate / 2, "font-size": size }, text));
  for (let pip = 0; pip < count; pip++) {
    const x = way * plate * (0.1 + 0.275 * text.length + 0.42 * (pip - count * 0.5 + 0.4));
    body.append(svg("circle", { class: "pip", cx: x, cy: -plate / 2 - 0.5, r: plate * 0.15 }));
  }
  const token = svg("g", { class: "token" },
    svg("path", { class: "plate", d: shape(cell * 0.47, -cell * 0.8, 0) }),
    svg("text", { class: "mark", x: -way * cell * 0.06, y: -cell * 0.4, "font-size": Math.min(cell * 0.56, cell * 1.1 / text.length) }, text.replace("P", "")));
  return [body, token];
}

/** The ground below a height. Behind it are hills and some clouds, unless `sky` is 0. */
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
  return [svg("path", { class: "cloud", d: clouds }), hills("hills", sky * 0.24, 0.7), ground];
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

/**
 * The pose of a piece during an event, as in the terminal: whoever is hit falls, an opponent beside it strikes, and the mover
 * walks.
 */
export function poseIn({ effects }, { event, changes }, piece) {
  const is = (other) => other && other.player === piece.player && other.at === piece.at && (other.strength ?? null) === (piece.strength ?? null);
  const victims = changes.map((change) => change.vanishes ?? (effects?.[event] && change.moves)).filter(Boolean);
  if (victims.some(is)) return "fall";
  if (victims.some(({ player, at }) => player !== piece.player && Math.abs(at - piece.at) <= 1)) return "strike";
  return changes.some(({ moves }) => is(moves)) ? "walk" : "";
}

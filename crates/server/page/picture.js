// A game's drawings as SVG, one path for each tone.

import { svg } from "./dom.js";

/** The tone of each pixel; `.` is empty. */
const TONES = { "#": "own", "+": "light", "%": "dark", "@": "outline", o: "neutral" };

/** A drawing as a group, one unit per pixel. Player 2's drawing is mirrored; a drawing without an owner, side 0, is neutral. */
export function drawing(rows, side) {
  const width = Math.max(...rows.map((row) => row.length));
  const part = (mark) => rows.flatMap((row, y) => runs(row, mark).map(([from, to]) => {
    const x = side === 2 ? width - to : from;
    return `M${x} ${y}h${to - from}v1h${from - to}z`;
  })).join("");
  const group = svg("g", { class: `drawing of${side}`, "shape-rendering": "crispEdges" },
    Object.entries(TONES).map(([mark, tone]) => [part(mark), tone]).filter(([d]) => d).map(([d, tone]) => svg("path", { class: tone, d })));
  group.size = { width, height: rows.length };
  return group;
}

/** A drawing as a separate picture. */
export function picture(rows, side) {
  const group = drawing(rows, side);
  const { width, height } = group.size;
  return svg("svg", { class: "pixels", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, group);
}

/** The runs of a mark in a row, as [from, to). */
function runs(row, mark) {
  const found = [];
  for (let from = 0; from < row.length; from += 1) {
    if (row[from] !== mark) continue;
    let to = from;
    while (row[to] === mark) to += 1;
    found.push([from, to]);
    from = to;
  }
  return found;
}

/** A game's icon for each side, if it has one. */
export const sign = ({ sign: rows }) => rows && [picture(rows, 1), picture(rows, 2)];

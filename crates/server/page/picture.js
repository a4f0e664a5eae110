// Small drawings of a game, used outside the stage.

import { svg } from "./dom.js";

/** A drawing as a group, one unit per pixel: `#` in the side's colour, `o` in a neutral one. Player 2's drawing is mirrored. */
export function drawing(rows, side) {
  const width = Math.max(...rows.map((row) => row.length));
  const part = (mark) => rows.flatMap((row, y) => runs(row, mark).map(([from, to]) => {
    const x = side === 1 ? from : width - to;
    return `M${x} ${y}h${to - from}v1h${from - to}z`;
  })).join("");
  const group = svg("g", { class: "drawing", "shape-rendering": "crispEdges" },
    svg("path", { class: side === 1 ? "one" : "two", d: part("#") }), svg("path", { class: "neutral", d: part("o") }));
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

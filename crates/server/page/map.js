// Draws the solved map of a game. The server sends the content of `skirmish map`: panels of tiles and bars, with their text.

import { h, svg } from "./dom.js";
import { valueWords } from "./words.js";

/** Formats points with their sign. +1, 0 and -1 appear only if exact. */
export function points(number) {
  const clear = clearPoints(number);
  if (clear === 0) return "0";
  return (clear > 0 ? "+" : "-") + (Math.abs(clear) >= 1 ? "1" : Math.min(Math.abs(clear), 0.99).toFixed(2));
}

const clearPoints = (number) => [-1, 0, 1].find((sure) => Math.abs(number - sure) < 1e-9) ?? number;

// From weak to strong, in the light and the dark scheme. Blue and orange are distinguishable with red-green colour blindness.
const RAMPS = {
  win: [[[214, 229, 245], [20, 82, 150]], [[29, 51, 78], [88, 166, 255]]],
  loss: [[[253, 228, 200], [178, 74, 6]], [[70, 44, 20], [242, 140, 56]]],
};
const PLAIN = {
  even: [[203, 207, 211], [74, 82, 92]], over: [[72, 84, 97], [148, 160, 173]], plain: [[15, 118, 110], [64, 190, 175]],
};

/** Sets a tone such as "even" or {win: 0.6} as the custom properties `--fill` and `--ink`. */
function paint(element, tone) {
  const [name, strength] = typeof tone === "string" ? [tone] : Object.entries(tone)[0];
  const mix = ([weak, strong]) => weak.map((part, at) => part + (strong[at] - part) * Math.min(1, Math.max(0, strength)));
  const colors = RAMPS[name]?.map(mix) ?? PLAIN[name];
  if (!colors) return element;
  const both = (make) => `light-dark(${colors.map(make).join(", ")})`;
  element.style.setProperty("--fill", both((color) => `rgb(${color.map(Math.round).join(" ")})`));
  element.style.setProperty("--ink", both(ink));
  return element;
}

/** Black or white, whichever has more contrast: at least 4.5 on any colour. */
function ink(color) {
  const [red, green, blue] = color.map((part) => (part / 255 <= 0.04045 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}

/** A value, abbreviated. */
export const valueLetter = ({ value, plies }) => (value === "endless" ? "=" : `${value[0].toUpperCase()}${plies}`);

/** An abbreviated value in its colour. */
export function valueSign(rated) {
  const { value, plies } = rated;
  const tone = value === "win" || value === "loss" ? { [value]: 1 - plies / (plies + 6) } : "even";
  return paint(h("span", { class: "worth-sign", "aria-hidden": "true" }, valueLetter(rated)), tone);
}

/** An abbreviated value in its colour, followed by the value in words. */
export const valueChip = (rated) => h("span", { class: "worth" }, valueSign(rated), valueWords(rated));

/** Points in their colour. */
export function pointsChip(number) {
  const clear = clearPoints(number);
  const tone = clear === 0 ? "even" : { [clear > 0 ? "win" : "loss"]: Math.abs(clear) };
  return paint(h("span", { class: "worth-sign" }, points(number)), tone);
}

/**
 * A map as an element. `current` is the marked position, and `path` lists the positions visited. `choose` is called with the
 * position of a selected tile.
 */
export function drawMap(picture, { current, path = [], choose }) {
  const way = { current, steps: new Map(path.map((position, at) => [position, at])), choose };
  const panel = ({ sheet, bars }) => (sheet ? drawSheet(sheet, way) : drawBars(bars));
  const isPlane = picture.columns.flat().some(hasPositions);
  const keys = picture.legend.filter(({ is_marked: isMarked }) => !isMarked).map(({ sample, tone, meaning }) =>
    h("li", {}, paint(h("span", { class: "swatch" }, tone === "nothing" ? "" : sample), tone), meaning));
  if (isPlane) keys.push(h("li", {}, h("span", { class: "swatch here" }), "this position"));
  if (isPlane && path.length > 1) keys.push(h("li", {}, h("span", { class: "swatch" }, h("i", { class: "dot" })), "the path"));
  return h("div", { class: "map" }, h("p", { class: "muted" }, `${picture.subtitle}.`),
    h("div", { class: "sheets" }, picture.columns.map((panels) => h("div", { class: "sheet-column" }, panels.map(panel)))),
    h("ul", { class: "legend", "aria-label": "Legend" }, keys),
    h("div", { class: "muted" }, picture.notes.map((note) => h("p", {}, note))));
}

const unpacked = new WeakMap();

/** The tiles of a sheet, row by row: null, or `[text, words, fill, position]`. Equal tiles are sent only once. */
function tilesIn(sheet) {
  if (!unpacked.has(sheet)) {
    unpacked.set(sheet, sheet.tiles.map((row) => row.map((tile) => tile && [...sheet.looks[tile[0]], tile[1]])));
  }
  return unpacked.get(sheet);
}

const hasPositions = ({ sheet }) => Boolean(sheet) && tilesIn(sheet).flat().some((tile) => tile?.[3]);

/** The text, words and tone that a map shows for each position. */
export function tilesOf(picture) {
  const tiles = picture.columns.flat().flatMap(({ sheet }) => (sheet ? tilesIn(sheet).flat() : []));
  return new Map(tiles.filter((tile) => tile?.[3]).map(([text, words, { whole }, position]) => [position, { text, words, tone: whole }]));
}

/** A tile's text in its colour. */
export const tileChip = ({ text, tone }) => paint(h("span", { class: "worth-sign" }, text), tone);

function drawSheet(sheet, way) {
  return h("figure", { class: "sheet-box" }, h("figcaption", {}, sheet.title),
    hasPositions({ sheet }) ? drawPlane(sheet, way) : drawTable(sheet));
}

function shareBar(parts) {
  return h("span", { class: "bar", "aria-hidden": "true" }, parts.filter(([, share]) => share > 0).map(([tone, share]) =>
    paint(h("i", { style: { "--share": `${share * 100}%` } }), tone)));
}

function drawBars({ title, rows }) {
  return h("table", { class: "bars" }, h("caption", {}, title), h("tbody", {}, rows.map(({ label, parts, note }) =>
    h("tr", {}, h("th", { scope: "row" }, label), h("td", {}, shareBar(parts)), h("td", { class: "number" }, note.trim())))));
}

/** Draws a table of counted positions. */
function drawTable(sheet) {
  const { title, down, across } = sheet;
  const cell = (tile) => {
    if (!tile) return h("td", { class: "none" });
    const [text, , { whole, shares }] = tile;
    return shares ? h("td", {}, shareBar(shares), text) : paint(h("td", {}, text), whole);
  };
  return [
    h("p", { class: "muted" }, `Downwards: ${down.label}. Across: ${across.label}.`),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
      h("table", { class: "cross" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col", "aria-label": down.label }, "↓ →"),
          across.ticks.map((tick) => h("th", { scope: "col" }, tick)))),
        h("tbody", {}, tilesIn(sheet).map((row, at) => h("tr", {}, h("th", { scope: "row" }, down.ticks[at]), row.map(cell)))))),
  ];
}

/** Boards with more rows or columns get tiny tiles without letters. */
const LETTERED = 40;

/** Draws positions on a plane, as a grid with arrow-key navigation. */
function drawPlane(sheet, { current, steps, choose }) {
  const { title, down, across } = sheet;
  const tiles = tilesIn(sheet);
  const size = measure(sheet, tiles);
  const { left, top, width, height, rows, columns } = size;
  const full = left + width * columns + 4;
  const grid = svg("svg", {
    viewBox: `0 0 ${full} ${top + height * rows + 4}`, role: "grid", class: `map-sheet ${size.kind}`,
    "aria-label": `${title}. Downwards ${down.label}, across ${across.label}.`, "aria-rowcount": rows, "aria-colcount": columns,
    style: { "--natural": `${full / 16}rem`, "--least": `${size.isTiny ? 0 : (full * 0.62) / 16}rem` },
  }, drawTicks(sheet, size));
  const corner = (row, column) => [left + width * column, top + height * row];
  const label = (row, column) => {
    const [, words, , position] = tiles[row][column];
    const place = position === current ? "; this position" : steps.has(position) ? `; step ${steps.get(position)} of the path` : "";
    return `${down.label} ${down.ticks[row]}, ${across.label} ${across.ticks[column]}: ${words}${place}`;
  };
  const draw = size.isTiny ? drawTiny : drawLettered;
  const focus = draw({ grid, tiles, corner, label, size: [width, height], current, steps });
  walk(grid, tiles, { current, focus, choose });
  grid.addEventListener("click", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(grid.getScreenCTM().inverse());
    const tile = tiles[Math.floor((at.y - top) / height)]?.[Math.floor((at.x - left) / width)];
    if (tile) choose?.(tile[3]);
  });
  return h("div", { class: "scroll" }, grid);
}

/** Computes the tile size and the origin of a plane. */
function measure({ down, across }, tiles) {
  const [rows, columns] = [down.ticks.length, across.ticks.length];
  const most = Math.max(rows, columns);
  const isTiny = most > LETTERED;
  const isLong = tiles.flat().some((tile) => tile?.[0].length > 3);
  const tiny = Math.max(2.5, Math.min(8, 600 / most));
  const [width, height] = isTiny ? [tiny, tiny] : most <= 7 ? [60, 44] : isLong ? [46, 38] : [38, 34];
  return { rows, columns, width, height, left: 44, top: 40, isTiny, kind: isTiny ? "tiny" : isLong ? "long" : "" };
}

/** Draws the numbers along a plane, and the labels of its axes. */
function drawTicks({ down, across }, { rows, columns, width, height, left, top, isTiny }) {
  const every = isTiny ? 10 : 1;
  const some = (ticks, draw) => ticks.map((tick, at) => at % every === 0 && draw(tick, at));
  return svg("g", { class: "ticks", "aria-hidden": "true" },
    svg("text", { x: left + (width * columns) / 2, y: 13, "text-anchor": "middle" }, across.label),
    svg("text", { transform: `translate(12 ${top + (height * rows) / 2}) rotate(-90)`, "text-anchor": "middle" }, down.label),
    svg("rect", { class: "empty", x: left, y: top, width: width * columns, height: height * rows, rx: 4 }),
    some(across.ticks, (tick, at) => svg("text", { x: left + width * (at + 0.5), y: top - 8, "text-anchor": "middle" }, tick)),
    some(down.ticks, (tick, at) => svg("text", { x: left - 8, y: top + height * (at + 0.5) + 4.5, "text-anchor": "end" }, tick)));
}

/** Makes one tile focusable; arrow keys move from it. */
function walk(grid, tiles, { current, focus, choose }) {
  let active = null;
  tiles.forEach((row, at) => row.forEach((tile, column) => {
    if (tile && (!active || tile[3] === current)) active = [at, column];
  }));
  if (active) focus(...active);
  const next = (rowStep, columnStep, [row, column] = active) => {
    const to = [row + rowStep, column + columnStep];
    if (tiles[to[0]]?.[to[1]]) return to;
    return to[0] in tiles && to[1] in tiles[0] ? next(rowStep, columnStep, to) : null;
  };
  const edge = (find) => [active[0], tiles[active[0]][find](Boolean)];
  const KEYS = {
    ArrowUp: () => next(-1, 0), ArrowDown: () => next(1, 0), ArrowLeft: () => next(0, -1), ArrowRight: () => next(0, 1),
    Home: () => edge("findIndex"), End: () => edge("findLastIndex"),
  };
  grid.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") choose?.(tiles[active[0]][active[1]][3]);
    else if (KEYS[event.key]) focus(...(active = KEYS[event.key]() ?? active)).focus();
    else return;
    event.preventDefault();
  });
}

function drawLettered({ grid, tiles, corner, label, size: [width, height], current, steps }) {
  const nodes = tiles.map((row, at) => {
    const drawn = row.map((tile, column) => {
      if (!tile) return null;
      const [text, , { whole }, position] = tile;
      const [x, y] = corner(at, column);
      const words = label(at, column);
      const isHere = position === current;
      return paint(svg("g", {
        class: isHere ? "cell here" : "cell", role: "gridcell", "aria-colindex": column + 1, tabindex: "-1",
        "aria-selected": String(isHere),
      },
      svg("title", {}, words),
      svg("rect", { x: x + 1.5, y: y + 1.5, width: width - 3, height: height - 3, rx: 4 }),
      svg("text", { x: x + width / 2, y: y + height / 2 + (steps.has(position) ? 2 : 5), "text-anchor": "middle", "aria-hidden": "true" }, text),
      steps.has(position) && svg("circle", { class: "dot", cx: x + width / 2, cy: y + height - 6, r: 3 })), whole);
    });
    if (drawn.some(Boolean)) grid.append(svg("g", { role: "row", "aria-rowindex": at + 1 }, drawn));
    return drawn;
  });
  let last;
  return (row, column) => {
    last?.setAttribute("tabindex", "-1");
    last = nodes[row][column];
    last.setAttribute("tabindex", "0");
    return last;
  };
}

/** Draws runs of equal colour, and one focusable tile that moves with the arrow keys. */
function drawTiny({ grid, tiles, corner, label, size: [width, height], current, steps }) {
  const ground = svg("g", { "aria-hidden": "true" });
  const dots = svg("g", { "aria-hidden": "true" });
  const key = (tile) => tile && JSON.stringify(tile[2].whole);
  tiles.forEach((row, at) => {
    for (let from = 0, to; from < row.length; from = to) {
      for (to = from + 1; to < row.length && key(row[to]) === key(row[from]);) to += 1;
      if (!row[from]) continue;
      const [x, y] = corner(at, from);
      ground.append(paint(svg("rect", { class: "run", x, y, width: width * (to - from), height }), row[from][2].whole));
    }
    row.forEach((tile, column) => {
      const isHere = tile?.[3] === current;
      if (!tile || (!isHere && !steps.has(tile[3]))) return;
      const [x, y] = corner(at, column);
      dots.append(svg("circle", { class: "dot", cx: x + width / 2, cy: y + height / 2, r: isHere ? 6 : 3 }));
    });
  });
  const mark = svg("rect", { width: width + 4, height: height + 4, rx: 2 });
  const words = svg("title");
  const cursor = svg("g", { class: "cell here", role: "gridcell", tabindex: "0" }, words, mark);
  grid.append(ground, dots, svg("g", { role: "row" }, cursor));
  return (row, column) => {
    const [x, y] = corner(row, column);
    mark.setAttribute("x", x - 2);
    mark.setAttribute("y", y - 2);
    words.textContent = label(row, column);
    return cursor;
  };
}

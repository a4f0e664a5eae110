// The solved map of a game: the tiles, colours and words of `skirmish map`, as SVG that can be walked with the keyboard.

import { h, svg } from "./dom.js";

/** The value of a move or a position for the side to move, as `analyze` words it. */
export function valueWords({ value, plies }) {
  if (value === "endless") return "endless if both play well";
  if (plies === 0) return { win: "won", loss: "lost", draw: "drawn" }[value];
  return `${value} in ${plies}`;
}

/** The same, abbreviated. */
export const valueLetter = ({ value, plies }) => (value === "endless" ? "=" : `${value[0].toUpperCase()}${plies}`);

/** A number of points with its sign: +1, 0 and -1 only if it is exactly that. */
export function points(number, error = 1e-9) {
  const clear = clearValue(number, error);
  if (clear === 0) return "0";
  const sign = clear > 0 ? "+" : "−";
  const size = Math.abs(clear);
  return sign + (size >= 1 ? "1" : Math.min(size, 0.99).toFixed(2));
}

function clearValue(number, error) {
  return [-1, 0, 1].find((sure) => Math.abs(number - sure) <= Math.max(error, 1e-9)) ?? number;
}

// From weak to strong, in the light and in the dark scheme. Blue and orange are told apart with red-green colour
// blindness as well.
const BLUE = [[[214, 229, 245], [20, 82, 150]], [[29, 51, 78], [88, 166, 255]]];
const ORANGE = [[[253, 228, 200], [178, 74, 6]], [[70, 44, 20], [242, 140, 56]]];
const GREY = [[203, 207, 211], [74, 82, 92]];
const SLATE = [[72, 84, 97], [148, 160, 173]];

/** The colours of a tone; a win or a loss has a strength from 0 to 1. */
function shades(tone, strength = 1) {
  const ends = { win: BLUE, loss: ORANGE }[tone];
  if (!ends) return tone === "over" ? SLATE : GREY;
  const share = Math.min(1, Math.max(0, strength));
  return ends.map(([weak, strong]) => weak.map((part, at) => part + (strong[at] - part) * share));
}

/** Sets the colours of an element as custom properties, `--fill` and `--ink`. */
export function paint(element, tone, strength) {
  const colors = shades(tone, strength);
  const both = (make) => `light-dark(${colors.map(make).join(", ")})`;
  element.style.setProperty("--fill", both((color) => `rgb(${color.map(Math.round).join(" ")})`));
  element.style.setProperty("--ink", both(ink));
  return element;
}

/** Black or white, whichever has a contrast of at least 4.5 on this colour. */
function ink(color) {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}

export function toneOf(number) {
  if (number === 0) return ["even"];
  return number > 0 ? ["win", number] : ["loss", -number];
}

/** The tone of a value: stronger the nearer the end is. */
export function toneOfValue({ value, plies }, longest) {
  if (value === "win" || value === "loss") return [value, 1 - plies / (Math.max(1, longest) + 1)];
  return ["even"];
}

/** A small label with a value's letter, its words and its colour. */
export function valueChip(rated, longest) {
  const chip = h("span", { class: "worth" },
    h("span", { class: "worth-sign", "aria-hidden": "true" }, valueLetter(rated)), valueWords(rated));
  paint(chip.firstChild, ...toneOfValue(rated, longest));
  return chip;
}

/** A label with a number of points. */
export function pointsChip(number, error) {
  return paint(h("span", { class: "worth-sign" }, points(number, error)), ...toneOf(clearValue(number, error ?? 1e-9)));
}

const EVEN = {
  "=": "endless if both play well",
  "=!": "endless, but a mistake by the side to move loses",
  "=+": "endless, but it can steer the other side to where a mistake loses",
  "=-": "endless, but the other side can steer it to where a mistake loses",
};

/** What a tile of the map of outcomes shows. */
function outcomeTile(cell, longest) {
  if (cell.over) return { letters: "#", words: "the game is over", tone: ["over"] };
  const letters = valueLetter(cell) + (cell.value === "endless" ? pressureSign(cell.draw) : "");
  return { letters, words: EVEN[letters] ?? valueWords(cell), tone: toneOfValue(cell, longest) };
}

function pressureSign(draw) {
  if (!draw) return "";
  if (draw.pressure === "other") return "+";
  return draw.level === 0 && draw.plies === 0 ? "!" : "-";
}

function valueTile({ value, error, over }) {
  const number = points(value, error);
  if (over) return { letters: `#${number}`, words: `${number}, the game is over`, tone: ["over"] };
  return { letters: number, words: `worth ${number} to Player 1`, tone: toneOf(clearValue(value, error)) };
}

/**
 * The map as an element. `current` is the marked position, `path` the positions one has come through, and `choose` is
 * called with the position of a chosen tile.
 */
export function drawMap(map, { current, path = [], choose }) {
  const body = map.map === "census" ? census(map) : planes(map, { current, path, choose });
  return h("div", { class: "map" }, ...body);
}

// ---- Positions on a plane

/** Larger boards get tiny tiles without letters. */
const LETTERED = 40;

function planes(map, { current, path, choose }) {
  const isTurns = map.map === "outcomes";
  const longest = Math.max(1, ...map.cells.map((cell) => cell.plies ?? 0));
  const tiles = map.cells.map((cell) => ({ ...cell, ...(isTurns ? outcomeTile(cell, longest) : valueTile(cell)) }));
  const sheets = isTurns
    ? [1, 2].map((player) => [`Player ${player} to move`, tiles.filter(({ turn }) => turn === player)])
    : [["Value for Player 1", tiles]];
  const steps = new Map(path.map((position, at) => [position, at + 1]));
  const drawn = sheets.filter(([, cells]) => cells.length).map(([title, cells]) =>
    sheet({ title, cells, axes: map.axes, current, steps, choose }));
  return [
    h("p", { class: "muted" }, isTurns
      ? "Who wins, from every position that can arise, if both play well."
      : "The value of every position for Player 1, if both play well."),
    h("div", { class: "sheets" }, ...drawn),
    legend(isTurns ? outcomeKeys(tiles) : VALUE_KEYS, { hasPath: path.length > 1 }),
    isTurns ? h("p", { class: "muted" }, outcomeCounts(map.cells)) : null,
  ];
}

function outcomeCounts(cells) {
  const open = cells.filter(({ over }) => !over);
  const count = (value) => open.filter((cell) => cell.value === value).length;
  const drawn = count("draw") ? `, ${count("draw")} drawn` : "";
  return `${cells.length} positions: ${count("win")} won, ${count("loss")} lost${drawn} and ${count("endless")} endless `
    + `for the side to move, ${cells.length - open.length} over.`;
}

function outcomeKeys(tiles) {
  const arises = (letters) => tiles.some((tile) => tile.letters === letters);
  const draws = tiles.some(({ letters }) => letters.startsWith("D"));
  return [
    ["W3", ["win", 0.6], "win in 3 plies for the side to move"],
    ["L2", ["loss", 0.6], "loss in 2 plies"],
    ...(draws ? [["D", ["even"], "a draw can be forced, in that many plies"]] : []),
    ...Object.entries(EVEN).filter(([letters]) => arises(letters)).map(([letters, words]) => [letters, ["even"], words]),
    ["#", ["over"], "the game is over"],
  ];
}

const VALUE_KEYS = [
  ["+1", ["win", 1], "a sure win"],
  ["+0.45", ["win", 0.45], "better for Player 1"],
  ["0", ["even"], "even: as good as a game that never ends"],
  ["−0.45", ["loss", 0.45], "better for Player 2"],
  ["−1", ["loss", 1], "a sure loss"],
  ["#+1", ["over"], "the game is over"],
];

function legend(keys, { hasPath }) {
  const key = (sample, meaning) => h("li", {}, sample, meaning);
  return h("ul", { class: "legend", "aria-label": "Legend" },
    ...keys.map(([letters, tone, meaning]) => key(paint(h("span", { class: "swatch" }, letters), ...tone), meaning)),
    key(h("span", { class: "swatch here" }), "this position"),
    hasPath ? key(h("span", { class: "swatch trail" }, h("i")), "the way here") : null);
}

/** One grid: Player 1's numbers downwards, Player 2's across. */
function sheet({ title, cells, axes, current, steps, choose }) {
  const [down, across] = [axes[1], axes[2]];
  const rows = down.last - down.first + 1;
  const columns = across.last - across.first + 1;
  const isTiny = Math.max(rows, columns) > LETTERED;
  const letters = Math.max(...cells.map((cell) => cell.letters.length));
  const [width, height] = isTiny ? [8, 8] : Math.max(rows, columns) <= 7 ? [60, 44] : letters > 3 ? [46, 38] : [38, 34];
  const [left, top] = [44, 40];
  const frame = svg("svg", {
    viewBox: `0 0 ${left + width * columns + 4} ${top + height * rows + 4}`,
    role: "grid", "aria-label": `${title}. Rows: Player 1's ${down.label}; columns: Player 2's ${across.label}.`,
    "aria-rowcount": rows, "aria-colcount": columns, class: isTiny ? "map-sheet tiny" : "map-sheet",
  });
  frame.style.setProperty("--natural", `${left + width * columns + 4}px`);
  frame.style.setProperty("--least", `${isTiny ? left + width * columns : (left + width * columns) * 0.72}px`);

  const ticks = svg("g", { class: "ticks", "aria-hidden": "true" });
  const every = isTiny ? 10 : 1;
  ticks.append(svg("text", { x: left + (width * columns) / 2, y: 13, "text-anchor": "middle" }, `Player 2's ${across.label}`));
  ticks.append(svg("text", { transform: `translate(12 ${top + (height * rows) / 2}) rotate(-90)`, "text-anchor": "middle" },
    `Player 1's ${down.label}`));
  for (let at = 0; at < columns; at += every) {
    ticks.append(svg("text", { x: left + width * (at + 0.5), y: top - 8, "text-anchor": "middle" }, String(across.first + at)));
  }
  for (let at = 0; at < rows; at += every) {
    ticks.append(svg("text", { x: left - 8, y: top + height * (at + 0.5) + 4.5, "text-anchor": "end" }, String(down.first + at)));
  }
  ticks.append(svg("rect", {
    class: "empty", x: left, y: top, width: width * columns, height: height * rows, rx: 4,
  }));
  frame.append(ticks);

  const known = new Map(cells.map((cell) => [`${cell.at[0]}/${cell.at[1]}`, cell]));
  const corner = (cell) => [left + width * (cell.at[1] - across.first), top + height * (cell.at[0] - down.first)];
  const grid = { frame, known, down, across, corner, size: [width, height], current, steps, choose };
  if (isTiny) tinyTiles(grid);
  else letteredTiles(grid);
  return h("figure", { class: "sheet-box" }, h("figcaption", {}, title), h("div", { class: "scroll" }, frame));
}

function label(cell, { current, steps, down, across }) {
  const parts = [`Player 1 at ${cell.at[0]}, Player 2 at ${cell.at[1]}: ${cell.words}`];
  if (down.label !== "position") parts[0] = `${down.label} ${cell.at[0]} and ${cell.at[1]}: ${cell.words}`;
  if (cell.position === current) parts.push("this position");
  else if (steps.has(cell.position)) parts.push(`step ${steps.get(cell.position)} of the way here`);
  return parts.join("; ");
}

function letteredTiles(grid) {
  const { frame, known, down, across, corner, size: [width, height], current, steps, choose } = grid;
  const nodes = new Map();
  for (let one = down.first; one <= down.last; one += 1) {
    const row = svg("g", { role: "row", "aria-rowindex": one - down.first + 1 });
    for (let two = across.first; two <= across.last; two += 1) {
      const cell = known.get(`${one}/${two}`);
      if (!cell) continue;
      const [x, y] = corner(cell);
      const step = steps.get(cell.position);
      const words = label(cell, grid);
      const node = svg("g", {
        class: ["cell", cell.position === current && "here", step && "trail"].filter(Boolean).join(" "),
        role: "gridcell", "aria-colindex": two - across.first + 1, "aria-label": words, tabindex: "-1",
        "aria-selected": cell.position === current ? "true" : "false",
      },
      svg("title", {}, words),
      svg("rect", { x: x + 1.5, y: y + 1.5, width: width - 3, height: height - 3, rx: 4 }),
      svg("text", { x: x + width / 2, y: y + height / 2 + 4.5, "text-anchor": "middle" }, cell.letters));
      if (step) node.append(svg("circle", { class: "step", cx: x + width - 7, cy: y + 7, r: 3.5 }));
      paint(node, ...cell.tone);
      node.addEventListener("click", () => choose?.(cell.position));
      nodes.set(cell, node);
      row.append(node);
    }
    if (row.childNodes.length) frame.append(row);
  }
  rove(grid, {
    focus(cell) {
      for (const node of nodes.values()) node.setAttribute("tabindex", "-1");
      nodes.get(cell).setAttribute("tabindex", "0");
      return nodes.get(cell);
    },
  });
}

/** Runs of one colour, and one tile that moves with the arrow keys and the pointer. */
function tinyTiles(grid) {
  const { frame, known, down, across, corner, size: [width, height], steps, choose } = grid;
  const ground = svg("g", { "aria-hidden": "true" });
  for (let one = down.first; one <= down.last; one += 1) {
    for (let two = across.first; two <= across.last; two += 1) {
      const cell = known.get(`${one}/${two}`);
      if (!cell) continue;
      const same = (next) => next && next.tone[0] === cell.tone[0] && next.tone[1] === cell.tone[1];
      let run = 1;
      while (two + run <= across.last && same(known.get(`${one}/${two + run}`))) run += 1;
      const [x, y] = corner(cell);
      ground.append(paint(svg("rect", { class: "run", x, y, width: width * run, height }), ...cell.tone));
      two += run - 1;
    }
  }
  for (const cell of known.values()) {
    if (!steps.has(cell.position)) continue;
    const [x, y] = corner(cell);
    ground.append(svg("circle", { class: "step", cx: x + width / 2, cy: y + height / 2, r: 2 }));
  }
  const mark = svg("rect", { width: width + 4, height: height + 4, rx: 2 });
  const title = svg("title");
  const cursor = svg("g", { class: "cell here", role: "gridcell", tabindex: "0" }, title, mark);
  frame.append(ground, svg("g", { role: "row" }, cursor));
  const focus = (cell) => {
    const [x, y] = corner(cell);
    mark.setAttribute("x", x - 2);
    mark.setAttribute("y", y - 2);
    const words = label(cell, grid);
    cursor.setAttribute("aria-label", words);
    title.textContent = words;
    return cursor;
  };
  rove(grid, { focus });
  frame.addEventListener("click", (event) => {
    const box = frame.getBoundingClientRect();
    const scale = frame.viewBox.baseVal.width / box.width;
    const [x0, y0] = corner({ at: [down.first, across.first] });
    const two = across.first + Math.floor(((event.clientX - box.left) * scale - x0) / width);
    const one = down.first + Math.floor(((event.clientY - box.top) * scale - y0) / height);
    const cell = known.get(`${one}/${two}`);
    if (cell) choose?.(cell.position);
  });
}

/** One tile of a grid can be reached with Tab; the arrow keys go on to the next tile in their direction. */
function rove({ frame, known, down, across, current, choose }, { focus }) {
  const cells = [...known.values()];
  let active = cells.find(({ position }) => position === current) ?? cells[0];
  if (!active) return;
  focus(active);
  const next = (rows, columns) => {
    let [one, two] = active.at;
    for (;;) {
      [one, two] = [one + rows, two + columns];
      if (one < down.first || one > down.last || two < across.first || two > across.last) return null;
      const cell = known.get(`${one}/${two}`);
      if (cell) return cell;
    }
  };
  const inRow = (pick) => pick(cells.filter(({ at }) => at[0] === active.at[0]).sort((a, b) => a.at[1] - b.at[1]));
  frame.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose?.(active.position);
      return;
    }
    const to = {
      ArrowUp: () => next(-1, 0), ArrowDown: () => next(1, 0), ArrowLeft: () => next(0, -1), ArrowRight: () => next(0, 1),
      Home: () => inRow((row) => row[0]), End: () => inRow((row) => row.at(-1)),
    }[event.key];
    if (!to) return;
    event.preventDefault();
    // The page's own keys, such as the arrows of a replay, are not meant here.
    event.stopPropagation();
    active = to() ?? active;
    focus(active).focus();
  });
}

// ---- Positions counted

/** At most this many bars are in the histogram. */
const MOST_BARS = 12;

function census(map) {
  const even = map.draws ? "drawn or endless" : "endless";
  const drawn = map.draws ? `, ${map.draws} drawn` : "";
  return [
    h("p", { class: "muted" }, "How positions end for the side to move, if both play well."),
    h("div", { class: "sheets" }, byUnits(map.by_units), bySteps(map.by_steps_left), byPlies(map)),
    h("ul", { class: "legend", "aria-label": "Legend" },
      ...[["W", ["win", 0.6], "win for the side to move"], ["=", ["even"], `${even} if both play well`],
        ["L", ["loss", 0.6], "loss"], ["+45", ["win", 0.45], "of a hundred positions, 45 more are won than lost"],
        ["−45", ["loss", 0.45], "45 more are lost than won"]].map(([letters, tone, meaning]) =>
        h("li", {}, paint(h("span", { class: "swatch" }, letters), ...tone), meaning))),
    h("p", { class: "muted" }, `${map.positions} positions: ${map.wins} won, ${map.losses} lost${drawn} and ${map.endless} `
      + `endless for the side to move; ${map.finished} finished games are not counted.`),
  ];
}

const total = ({ wins, losses, draws, endless = 0 }) => wins + losses + draws + endless;

/** A bar of shares: won, won by nobody, lost. */
function shareBar(counts, full) {
  const parts = [["win", counts.wins], ["even", counts.draws + (counts.endless ?? 0)], ["loss", counts.losses]];
  const bar = h("span", { class: "bar", "aria-hidden": "true" });
  for (const [tone, number] of parts) {
    if (!number) continue;
    const part = paint(h("i"), tone, 0.6);
    part.style.setProperty("--share", `${(100 * number) / full}%`);
    bar.append(part);
  }
  return bar;
}

/** Shares in whole percents that add up to 100. */
function percents(counts) {
  const all = total(counts);
  const won = Math.round((100 * counts.wins) / all);
  const notLost = Math.round((100 * (all - counts.losses)) / all);
  return [won, notLost - won, 100 - notLost];
}

function crossTable({ title, down, across, tallies, cell, className }) {
  const order = (one, two) => (one ?? Infinity) - (two ?? Infinity);
  const numbers = (key) => [...new Set(tallies.map((tally) => tally[key]))].sort((a, b) => (a === b ? 0 : order(a, b)));
  const name = (number) => number ?? "none";
  const [own, other] = [numbers("own"), numbers("other")];
  const find = (a, b) => tallies.find((tally) => tally.own === a && tally.other === b);
  return h("figure", { class: "sheet-box" }, h("figcaption", {}, title),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
      h("table", { class: `cross ${className}` },
        h("thead", {},
          h("tr", {}, h("td", {}), h("th", { colspan: other.length, scope: "colgroup" }, across)),
          h("tr", {}, h("th", { scope: "col" }, down), ...other.map((b) => h("th", { scope: "col" }, String(name(b)))))),
        h("tbody", {}, ...own.map((a) => h("tr", {}, h("th", { scope: "row" }, String(name(a))),
          ...other.map((b) => {
            const tally = find(a, b);
            return tally ? cell(tally) : h("td", { class: "none" }, h("span", { class: "unseen" }, "cannot arise"));
          })))))));
}

function byUnits(tallies) {
  return crossTable({
    title: "By number of units (percent)", down: "own", across: "units of the other side", tallies, className: "shares",
    cell(tally) {
      const [won, even, lost] = percents(tally);
      return h("td", {}, shareBar(tally, total(tally)), h("span", {}, `W${won} =${even} L${lost}`));
    },
  });
}

function bySteps(tallies) {
  return crossTable({
    title: "By steps left to the goal (won minus lost, percent)", down: "own", across: "steps left for the other side",
    tallies, className: "balance",
    cell(tally) {
      const balance = (tally.wins - tally.losses) / total(tally);
      const percent = Math.round(balance * 100);
      const text = percent > 0 ? `+${percent}` : String(percent).replace("-", "−");
      return paint(h("td", {}, text), ...toneOf(balance));
    },
  });
}

function byPlies({ by_plies: rows, endless }) {
  const longest = Math.max(1, ...rows.map(({ plies }) => plies));
  const width = 2 * Math.ceil(longest / (2 * MOST_BARS));
  const bins = new Map();
  for (const { plies, wins, losses, draws } of rows) {
    const at = Math.floor(Math.max(0, plies - 1) / width);
    const bin = bins.get(at) ?? { wins: 0, losses: 0, draws: 0 };
    bins.set(at, { wins: bin.wins + wins, losses: bin.losses + losses, draws: bin.draws + draws });
  }
  const bars = [...bins].sort(([a], [b]) => a - b).map(([at, bin]) => [`${at * width + 1}–${(at + 1) * width}`, bin]);
  bars.push(["endless", { wins: 0, losses: 0, draws: 0, endless }]);
  const full = Math.max(1, ...bars.map(([, bin]) => total(bin)));
  return h("figure", { class: "sheet-box" }, h("figcaption", {}, "Positions by plies to the end"),
    h("table", { class: "bars" }, h("tbody", {}, ...bars.map(([name, bin]) => h("tr", {},
      h("th", { scope: "row" }, name), h("td", {}, shareBar(bin, full)), h("td", { class: "number" }, String(total(bin))))))));
}

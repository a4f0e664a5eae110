// A small Markdown renderer for the rules and lessons. It creates only DOM elements and text nodes, so no text can become
// markup.

import { h } from "./dom.js";

const ITEM = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const FENCE = /^```/;
const ROW = /^\s*\|.*\|\s*$/;
const RULE_ROW = /^[\s|:-]+$/;
const SAFE_LINK = /^(https?:\/\/|\/(?!\/)|#)/;

/** Renders text as nodes. `level` is the level of its top headings in the page. */
export function markdown(text, { level = 1 } = {}) {
  return blocks(text.replace(/\r\n?/g, "\n").split("\n"), level);
}

function blocks(lines, level) {
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (!line.trim()) {
      at += 1;
    } else if (heading) {
      const depth = Math.min(6, heading[1].length + level - 1);
      nodes.push(h(`h${depth}`, { id: slug(heading[2]) }, ...inline(heading[2])));
      at += 1;
    } else if (FENCE.test(line)) {
      const code = take(lines, at + 1, (next) => !FENCE.test(next));
      nodes.push(codeBlock(code));
      at += code.length + 2;
    } else if (/^ {4}/.test(line)) {
      const code = take(lines, at, (next) => /^ {4}/.test(next) || !next.trim());
      at += code.length;
      while (!code.at(-1).trim()) code.pop();
      nodes.push(codeBlock(code.map((row) => row.slice(4))));
    } else if (ROW.test(line) && RULE_ROW.test(lines[at + 1] ?? "")) {
      const rows = take(lines, at, (next) => ROW.test(next));
      nodes.push(table(rows));
      at += rows.length;
    } else if (ITEM.test(line)) {
      const [list, used] = items(lines.slice(at), level);
      nodes.push(list);
      at += used;
    } else {
      const paragraph = take(lines, at, (next) => next.trim() && !starts(next));
      // Consume a line that only looks like the start of another block.
      if (!paragraph.length) paragraph.push(line);
      nodes.push(h("p", {}, ...inline(paragraph.map((row) => row.trim()).join(" "))));
      at += paragraph.length;
    }
  }
  return nodes;
}

// A number does not interrupt a paragraph: a sentence may end with "strength 1." at the start of a line.
const starts = (line) => /^#{1,6}\s/.test(line) || FENCE.test(line) || /^\s*[-*+]\s/.test(line) || ROW.test(line);

function take(lines, from, belongs) {
  let to = from;
  while (to < lines.length && belongs(lines[to])) to += 1;
  return lines.slice(from, to);
}

// Focusable, because wide code scrolls.
const codeBlock = (lines) => h("pre", { tabindex: "0" }, h("code", {}, lines.join("\n")));

/** A list, and the number of its lines. Lines indented below an item belong to it. */
function items(lines, level) {
  const first = ITEM.exec(lines[0]);
  const indent = first[1].length;
  const isNumbered = first[2] !== undefined;
  const list = isNumbered ? h("ol", { start: first[2] }) : h("ul");
  let at = 0;
  while (at < lines.length) {
    const item = ITEM.exec(lines[at]);
    if (!item || item[1].length !== indent || (item[2] !== undefined) !== isNumbered) break;
    const own = [item[3]];
    at += 1;
    const isInside = (line) => !line.trim() || line.length - line.trimStart().length > indent;
    const inside = take(lines, at, isInside);
    at += inside.length;
    while (inside.length && !inside.at(-1).trim()) inside.pop();
    const margin = Math.min(...inside.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length));
    own.push(...inside.map((line) => line.slice(margin)));
    const nodes = blocks(own, level);
    const [text, ...rest] = nodes;
    // The list is tight: an item's first paragraph needs no `p` element.
    list.append(h("li", {}, ...(text?.tagName === "P" ? [...text.childNodes, ...rest] : nodes)));
  }
  return [list, at];
}

function table(rows) {
  const cells = (row) => row.trim().slice(1, -1).split("|").map((cell) => inline(cell.trim()));
  const [head, , ...body] = rows;
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" },
    h("table", {},
      h("thead", {}, h("tr", {}, ...cells(head).map((cell) => h("th", { scope: "col" }, ...cell)))),
      h("tbody", {}, ...body.map((row) => h("tr", {}, ...cells(row).map((cell) => h("td", {}, ...cell)))))));
}

const SPAN = /`([^`]+)`|\*\*(\S(?:.*?\S)?)\*\*|\*(\S(?:.*?\S)?)\*|\b_(\S(?:.*?\S)?)_\b|\[([^\]]+)\]\(([^)\s]+)\)/;

function inline(text) {
  const nodes = [];
  let rest = text;
  for (let found = SPAN.exec(rest); found; found = SPAN.exec(rest)) {
    if (found.index) nodes.push(rest.slice(0, found.index));
    const [whole, code, strong, emphasis, underscored, words, address] = found;
    if (code !== undefined) nodes.push(h("code", {}, code));
    else if (strong !== undefined) nodes.push(h("strong", {}, ...inline(strong)));
    else if (words !== undefined) nodes.push(anchor(words, address));
    else nodes.push(h("em", {}, ...inline(emphasis ?? underscored)));
    rest = rest.slice(found.index + whole.length);
  }
  if (rest) nodes.push(rest);
  return nodes;
}

/** A link to this page or the web. Other addresses remain plain text. */
function anchor(words, address) {
  return SAFE_LINK.test(address) ? h("a", { href: address }, ...inline(words)) : h("span", {}, ...inline(words));
}

const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

// Renders rules and lessons, which the API sends as blocks. It creates only DOM elements and text nodes, so no text can
// become markup.

import { h } from "./dom.js";

const SAFE_LINK = /^(https?:\/\/|\/(?!\/)|#)/;

/** Renders blocks as nodes. `level` is the level of their top headings in the page. */
export function markdown(blocks, { level = 1 } = {}) {
  const render = {
    heading: ({ level: own, text }) => {
      const id = slug(text.map((span) => span.text).join(""));
      return h(`h${Math.min(6, own + level - 1)}`, { id }, spans(text));
    },
    paragraph: ({ text }) => h("p", {}, spans(text)),
    // Focusable, because wide code scrolls.
    code: ({ lines }) => h("pre", { tabindex: "0" }, h("code", {}, lines.join("\n"))),
    table: ({ rows: [head, ...body] }) =>
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" },
        h("table", {},
          h("thead", {}, h("tr", {}, head.map((cell) => h("th", { scope: "col" }, spans(cell))))),
          h("tbody", {}, body.map((row) => h("tr", {}, row.map((cell) => h("td", {}, spans(cell)))))))),
    list: ({ start, items }) => h(start === null ? "ul" : "ol", { start }, items.map((item) => h("li", {}, item.map(inner)))),
  };
  const node = (block) => render[block.block](block);
  // The lists are tight: an item's first paragraph needs no `p` element.
  const inner = (block, at) => (at === 0 && block.block === "paragraph" ? spans(block.text) : node(block));
  return blocks.map(node);
}

const spans = (text) => text.map((span) => {
  const marked = span.marks.reduceRight((inside, mark) => h(mark, {}, inside), span.text);
  return SAFE_LINK.test(span.link ?? "") ? h("a", { href: span.link }, marked) : marked;
});

const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

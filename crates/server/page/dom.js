// Creates elements. Text becomes text nodes only, so players' names are never interpreted as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Properties that must be set as such: once an element has been used, the attribute has no effect. */
const PROPERTIES = new Set(["checked", "disabled", "hidden", "indeterminate", "open", "selected", "value"]);

/**
 * An HTML element: `h("button", {class: "primary", onclick: go, dataset: {code}}, "Go")`.
 * A prop that is null, undefined or false is left out; `style` is an object of CSS properties.
 */
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);

/** Creates an SVG element, with the same arguments as `h`. */
export const svg = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

/** Removes all children. */
export function clear(node) {
  node.replaceChildren();
  return node;
}

/** Isolates text written by somebody else, so that its writing direction does not reorder the surrounding text. */
export const name = (text) => h("bdi", { class: "name" }, text);

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2).toLowerCase(), value);
    else if (key === "dataset") Object.assign(node.dataset, value);
    else if (key === "style") for (const [name, set] of Object.entries(value)) node.style.setProperty(name, set);
    else if (PROPERTIES.has(key)) node[key] = value;
    else if (value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(node, child);
    else node.append(child);
  }
}

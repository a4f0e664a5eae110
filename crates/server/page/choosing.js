// Choosing on the stage by tapping and dragging. The destinations of the choices are lit.

import { clear, svg } from "./dom.js";

export class Choosing {
  #list = [];
  #labels = {};
  /** The place of the tapped piece, and the move selected by keyboard. */
  #selected = null;
  #pointed = null;
  #isDragged = false;

  constructor(stage) {
    this.stage = stage;
    stage.svg.addEventListener("pointerdown", (event) => this.#press(event));
    stage.svg.addEventListener("click", (event) => this.#tap(event));
  }

  set(list, onChoose, onSeveral) {
    this.#list = list;
    this.onChoose = onChoose;
    this.onSeveral = onSeveral;
    this.#pointed = null;
    this.#select(null);
  }

  label(labels) {
    this.#labels = labels;
    this.mark();
  }

  point(move) {
    this.#pointed = move;
    this.mark();
  }

  #select(place) {
    this.#selected = place;
    this.mark();
  }

  /** Marks reachable places and movable pieces. */
  mark() {
    const { stage } = this;
    clear(stage.marks);
    for (const [place, at] of stage.places) this.#markPlace(place, at);
    for (const { player, at, node } of stage.pieces) {
      const isMovable = this.#list.some(({ piece }) => piece?.player === player && piece.at === at);
      node.classList.toggle("movable", isMovable);
      node.classList.toggle("selected", isMovable && this.#selected === at);
    }
    stage.svg.classList.toggle("choosing", this.#list.some((choice) => choice.to != null));
  }

  // Shows at a lit place the key and value of each choice that leads there.
  #markPlace(place, { group, x, top }) {
    const { cell, marks, unit } = this.stage;
    const here = this.#list.filter((choice) => choice.to === place);
    const isLit = here.length > 0 && (this.#selected === null || here.some((choice) => choice.piece?.at === this.#selected));
    group.classList.toggle("lit", isLit);
    group.classList.toggle("pointed", here.some((choice) => choice.move === this.#pointed));
    group.classList.toggle("source", this.#list.some((choice) => choice.piece?.at === place));
    if (!isLit) return;
    const keys = here.map((choice) => choice.key).filter(Boolean).join(" ");
    const size = Math.max(10, Math.min(cell * 0.28, 40 * unit));
    if (keys) marks.append(svg("text", { class: "key", x, y: top + size, "font-size": size }, keys));
    // In small cells, the labels would overlap. The buttons show them as well.
    const labels = cell < 48 ? [] : here.map((choice) => this.#labels[choice.move]).filter(Boolean);
    labels.forEach(({ text, short, kind }, line) => marks.append(svg("text", {
      class: `value ${kind ?? ""}`, x, y: top + size * 2.1 + line * 13 * unit, "font-size": Math.max(10, size * 0.62),
    }, short ?? text)));
  }

  #placeAt(event) {
    const { svg, area, places, cell, labelHeight } = this.stage;
    const box = svg.getBoundingClientRect();
    const scale = area.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    for (const [place, at] of places) {
      if (Math.abs(x - at.x) <= cell / 2 && y >= at.top && y < at.y + labelHeight) return place;
    }
    return null;
  }

  #take(candidates) {
    if (candidates.length === 1) this.onChoose?.(candidates[0]);
    else if (candidates.length) this.onSeveral?.(candidates);
  }

  #tap(event) {
    if (!this.#list.length || this.#isDragged) return;
    const place = this.#placeAt(event);
    if (place === null) return;
    const isChosen = this.#selected !== null;
    const from = this.#list.filter((choice) => choice.piece?.at === place);
    const to = this.#list.filter((choice) => choice.to === place);
    const own = to.filter((choice) => isChosen && choice.piece?.at === this.#selected);
    if (to.length && (isChosen || !from.length)) return this.#take(own.length ? own : to);
    // A second tap on a piece with only one choice plays it.
    if (this.#selected === place && from.length === 1) return this.#take(from);
    this.#select(from.length && this.#selected !== place ? place : null);
  }

  #press(event) {
    const { stage } = this;
    this.#isDragged = false;
    if (!this.#list.length || event.button) return;
    const node = event.target.closest?.(".piece.movable");
    const piece = stage.pieces.find((own) => own.node === node);
    if (!piece) return;
    const scale = stage.area.width / stage.svg.getBoundingClientRect().width;
    const at = node.style.transform;
    const move = (next) => {
      if (next.pointerId !== event.pointerId) return;
      const [dx, dy] = [next.clientX - event.clientX, next.clientY - event.clientY];
      if (!this.#isDragged && Math.hypot(dx, dy) < 8) return;
      if (!this.#isDragged) {
        this.#isDragged = true;
        this.#select(piece.at);
        node.classList.add("dragged");
        stage.figures.append(node);
        node.setPointerCapture?.(event.pointerId);
      }
      node.style.transform = `translate(${dx * scale}px, ${dy * scale}px) ${at}`;
    };
    const end = (last) => {
      if (last.pointerId !== event.pointerId) return;
      for (const [type, handler] of listeners) removeEventListener(type, handler);
      if (!this.#isDragged) return;
      node.classList.remove("dragged");
      node.style.transform = at;
      const place = last.type === "pointerup" ? this.#placeAt(last) : null;
      const own = this.#list.filter((choice) => choice.to === place && choice.piece?.at === piece.at);
      this.#select(null);
      if (place !== null && place !== piece.at) this.#take(own);
      // The click event after a drag is not a tap.
      setTimeout(() => { this.#isDragged = false; });
    };
    const listeners = [["pointermove", move], ["pointerup", end], ["pointercancel", end]];
    for (const [type, handler] of listeners) addEventListener(type, handler);
  }
}

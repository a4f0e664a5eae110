// Form fields by name: choices, check boxes and numbers, each with an explanation.

import { h } from "./dom.js";

export class Fields {
  #fields = new Map();

  /** `form` is the prefix of the fields' ids. */
  constructor(form) {
    this.form = form;
  }

  /** The value entered in a field; `undefined` if it is empty or does not exist. */
  value(key) {
    return this.#fields.get(key)?.value();
  }

  set(key, value) {
    this.#fields.get(key).set(value);
  }

  /** Enables a check box, or disables and unticks it. */
  enable(key, isEnabled) {
    const { input } = this.#fields.get(key);
    input.disabled = !isEnabled;
    if (!isEnabled) input.checked = false;
  }

  forget(key) {
    this.#fields.delete(key);
  }

  /** A group of radio buttons from `[value, text, hint]`. `about` is the hint for options without one. */
  choice(key, label, options, initial, about) {
    const inputs = options.map(([value, text, hint = about], index) => {
      const id = hint ? `${this.form}-${key}-${index}` : null;
      const input = h("input", { type: "radio", name: key, value, checked: value === initial, "aria-describedby": id });
      // Each option needs its own description, because the line below the group changes only after the option is announced.
      return { value, hint, input, text, described: id && h("span", { id, hidden: true }, hint) };
    });
    if (!inputs.some(({ input }) => input.checked)) inputs[0].input.checked = true;
    const made = () => inputs.find(({ input }) => input.checked);
    const hint = h("p", { class: "about" });
    const explain = () => (hint.textContent = made()?.hint ?? "");
    this.#fields.set(key, { value: () => made()?.value, set: (value) => {
      for (const it of inputs) it.input.checked = it.value === value;
      explain();
    } });
    explain();
    return h("fieldset", { onchange: explain }, h("legend", null, label),
      h("div", { class: "chips" }, inputs.map(({ input, text }) => h("label", { class: "chip" }, input, h("span", null, text)))),
      hint, inputs.map(({ described }) => described));
  }

  tick(key, label, about, checked) {
    const id = `${this.form}-${key}`;
    const input = h("input", { type: "checkbox", checked, "aria-labelledby": `${id}-label`, "aria-describedby": `${id}-about` });
    this.#fields.set(key, { value: () => input.checked, input });
    return h("label", { class: "tick" }, input,
      h("span", null, h("span", { id: `${id}-label` }, label), h("span", { class: "about", id: `${id}-about` }, about)));
  }

  number(key, label, about, { value, ...limits }) {
    const input = h("input", { type: "number", inputmode: "numeric", value: value ?? "", ...limits });
    this.#fields.set(key, { value: () => (input.value === "" ? undefined : Number(input.value)), set: (value) => (input.value = value) });
    return this.#labelled(key, label, about, input);
  }

  text(key, label, about, { value, placeholder }) {
    const input = h("input", { type: "text", value: value ?? "", placeholder, autocomplete: "off", spellcheck: "false" });
    this.#fields.set(key, { value: () => input.value.trim() });
    return this.#labelled(key, label, about, input);
  }

  #labelled(key, label, about, input) {
    const id = `${this.form}-${key}`;
    input.id = id;
    input.setAttribute("aria-describedby", `${id}-about`);
    return h("div", { class: "field" }, h("label", { for: id }, label), input, h("span", { class: "about", id: `${id}-about` }, about));
  }
}

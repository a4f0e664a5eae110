// A game's rules as a sheet over the game, which goes on behind it.

import { api } from "./api.js";
import { alarm, link, style } from "./app.js";
import { h } from "./dom.js";
import { markdown } from "./markdown.js";

/** Opens the rules of a game from the catalogue. */
export async function showRules({ game, name }) {
  try {
    const [{ blocks }] = await Promise.all([api("rules", { game }), style("study.css")]);
    const sheet = h("dialog", { class: "sheet", "aria-label": `Rules of ${name}`, onclose: () => leave() },
      h("form", { method: "dialog", class: "row" }, h("button", { autofocus: true }, "Back to the game"),
        link(`/rules/${game}`, "As a page", { class: "button quiet", onclick: () => sheet.close() })),
      h("article", { class: "rules-text" }, markdown(blocks)));
    const close = () => sheet.close();
    const leave = () => {
      removeEventListener("popstate", close);
      sheet.remove();
    };
    addEventListener("popstate", close);
    // A tap beside the sheet closes it.
    sheet.addEventListener("click", (event) => event.target === sheet && close());
    document.body.append(sheet);
    sheet.showModal();
  } catch (error) {
    alarm(error.message);
  }
}

/** A button that opens the rules. */
export const rulesButton = (game) => h("button", { onclick: () => showRules(game) }, "Rules");

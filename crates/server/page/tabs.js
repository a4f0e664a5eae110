// Tabs for the games, above a view that each game has.

import { link } from "./app.js";
import { h } from "./dom.js";

/** Returns links to the same view of all games. */
export function gameTabs(games, entry, path) {
  const tabs = h("nav", { class: "game-tabs", "aria-label": "Games" }, games.map(({ game, name }) =>
    link(`${path}/${game}`, name, game === entry.game ? { "aria-current": "page" } : {})));
  // On a phone, the tabs are a single row that scrolls.
  requestAnimationFrame(() => {
    const here = tabs.querySelector("[aria-current]");
    tabs.scrollLeft = here.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - here.offsetWidth) / 2;
  });
  return tabs;
}

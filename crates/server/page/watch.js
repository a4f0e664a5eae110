// Games in progress, and the best players of each game.

import { link, say, title } from "./app.js";
import { api, catalogue } from "./api.js";
import { Demo, playing } from "./demo.js";
import { h, name } from "./dom.js";
import { refill, refreshing } from "./home.js";
import { net } from "./net.js";
import { gameLine } from "./terms.js";

export async function show(root) {
  title("Watch");
  const all = await catalogue();
  const live = h("ul", { class: "list" }, h("li", { class: "wait" }, "Connecting"));
  const played = h("ul", { class: "list demos" });
  const computers = h("section", { class: "card", "aria-labelledby": "computers" }, h("h2", { id: "computers" }, "Computer against computer"), played);
  const board = h("div");
  const choose = async (game) => {
    await net.hello();
    try {
      const { players } = await net.request({ type: "leaders", game: game.game });
      board.replaceChildren(players.length ? leaders(game, players)
        : h("p", { class: "muted" }, `Nobody has played enough rated games of ${game.name} yet.`));
      say(`Leaderboard of ${game.name}: ${players.length} ${players.length === 1 ? "player" : "players"}.`);
    } catch (error) {
      board.replaceChildren(h("p", { class: "error" }, error.message));
    }
  };
  root.append(h("div", { class: "page" },
    h("h1", null, "Watch"),
    h("div", { class: "columns" },
      h("div", null, h("section", { class: "card", "aria-labelledby": "live" }, h("h2", { id: "live" }, "Live games"), live), computers),
      h("div", null, h("section", { class: "card", "aria-labelledby": "leaders" },
        h("h2", { id: "leaders" }, "Leaderboards"),
        h("fieldset", null, h("legend", { class: "unseen" }, "Game"),
          h("div", { class: "chips" }, all.games.map((game, index) => h("label", { class: "chip" },
            h("input", { type: "radio", name: "leaders", checked: index === 0, onchange: () => choose(game) }), h("span", null, game.name))))),
        board)))));
  choose(all.games[0]);
  const demos = [];
  api("demos").then((games) => played.append(...games.map((game) => {
    const board = new Demo({ isLarge: true });
    board.show(game);
    demos.push(board);
    return h("li", null, link(`/practice/${game.game}`, [board.node, h("span", null, game.name)], { class: "demo-item" }));
  })), (error) => played.append(h("li", { class: "error" }, error.message)));
  const { pause, stop } = playing(demos);
  computers.append(pause);
  const stopRefreshing = refreshing((lobby) => {
    refill(live, lobby.live, (entry) => gameLine(entry, all, { way: "watch", watch: true }));
    if (lobby.live.length === 0) {
      live.replaceChildren(h("li", { class: "muted" }, "There are no public games in progress at the moment."));
    }
  });
  return () => {
    stop();
    stopRefreshing();
  };
}

function leaders(game, players) {
  return h("div", { class: "scroll" }, h("table", null,
    h("caption", { class: "unseen" }, `The best players of ${game.name}`),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "#"), h("th", { scope: "col" }, "Player"),
      h("th", { scope: "col", class: "number" }, "Rating"), h("th", { scope: "col", class: "number" }, "Games"))),
    h("tbody", null, players.map((it, index) => h("tr", null, h("td", { class: "number" }, index + 1), h("td", null, name(it.name)),
      h("td", { class: "number" }, `${it.rating} ± ${2 * it.deviation}`), h("td", { class: "number" }, it.games))))));
}

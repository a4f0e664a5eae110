// The home screen: resume a game, play the computer, find or invite an opponent, or join an open game.

import { alarm, busy, go, link, part, say, title, toast } from "./app.js";
import { api, catalogue } from "./api.js";
import { Demo, playing } from "./demo.js";
import { clear, h } from "./dom.js";
import { net } from "./net.js";
import { store, stored } from "./store.js";
import { capital, gameLine } from "./terms.js";

const LAST = "skirmish.last";
const REFRESH = 5000;
/** The game and the level that newcomers begin with. */
const FIRST = { game: "base-battle", level: "casual" };
/** Number of the person's games shown at first: on a phone, *Play now* must stay in view. */
const FEW = matchMedia("(max-width: 700px)").matches ? 2 : 5;
/** The clocks offered for quick pairing: few, so that seekers find each other. The form has all others. */
const QUICK = new Set(["none", "30s", "3+2", "5+3", "10+5", "1d"]);

export async function show(root) {
  title("");
  const all = await catalogue();
  const last = remembered();
  const first = all.games.find(({ game }) => game === FIRST.game) ?? all.games[0];
  let game = all.games.find(({ game }) => game === last.game) ?? first;

  let mine = [];
  let isLong = false;
  const more = h("button", { class: "quiet", hidden: true, onclick: () => showYours(!isLong) });
  const yours = h("section", { class: "card", "aria-labelledby": "yours", hidden: !last.yours },
    h("h2", { id: "yours" }, "Continue your games"), h("ul", { class: "list" }, room(last.yours)), more);
  const showYours = (long = isLong) => {
    isLong = long;
    yours.hidden = mine.length === 0;
    more.hidden = mine.length <= FEW;
    more.textContent = isLong ? "Show fewer" : `Show all ${mine.length}`;
    more.ariaExpanded = String(isLong);
    refill(yours.querySelector("ul"), isLong ? mine : mine.slice(0, FEW), (entry) => gameLine(entry, all));
  };
  const panel = h("section", { class: "card panel", id: "panel" });
  const boards = new Map(all.games.map(({ game }) => [game, new Demo()]));
  const cards = h("fieldset", { class: "games" }, h("legend", null, "Choose a game"),
    h("div", { class: "cards" }, all.games.map((entry) => gameCard(entry, entry === game, boards.get(entry.game), () => {
      game = entry;
      remember({ game: entry.game });
      showPanel();
      say(`${entry.name}. ${entry.summary}`);
    }))));
  const large = new Demo({ isLarge: true });
  const { pause, stop } = playing([large, ...boards.values()]);
  const open = h("ul", { class: "list" });
  const presence = h("p", { class: "muted small" });
  const showPanel = () => clear(panel).append(...panelOf(game, all));
  showPanel();

  root.append(h("div", { class: "page home" },
    yours,
    h("section", { class: "hero" },
      h("h1", null, "Quick strategy games for two: learn one in a minute, and play a friend or the computer."),
      h("div", { class: "row" },
        h("button", { class: "primary", onclick: start("Starting …", () => ({ type: "create", ...FIRST, game: first.game })) }, "Play now"),
        h("button", { onclick: start("Creating …", () => ({ type: "create", game: game.game })) }, "Invite a friend")),
      h("div", { class: "shown" }, large.node, h("p", { class: "muted small" }, `${first.name}, played by the computer`, pause))),
    cards,
    h("div", { class: "columns" },
      h("div", null, panel),
      h("div", null,
        link("/puzzle", "Puzzle of the day", { class: "button" }),
        h("section", { class: "card", "aria-labelledby": "open" }, h("h2", { id: "open" }, "Open games"), open, presence),
        codeForm(),
      ))));

  const showLobby = (lobby) => {
    const own = new Set(lobby.yours.map(({ code }) => code));
    // The server lists the oldest first.
    mine = [...lobby.yours].reverse().sort((one, two) => two.your_turn - one.your_turn);
    remember({ yours: Math.min(mine.length, FEW) });
    showYours();
    const others = lobby.open.filter(({ code }) => !own.has(code));
    refill(open, others, (entry) => gameLine(entry, all, { way: "join" }));
    if (others.length === 0) open.replaceChildren(h("li", { class: "muted" }, "There are no open games at the moment."));
    refreshPresence(presence, lobby);
  };
  const stops = [refreshing(showLobby), stop];
  api("demos").then((games) => {
    for (const demo of games) {
      boards.get(demo.game)?.show(demo);
      if (demo.game === first.game) large.show(demo);
    }
  }, console.warn);
  return () => stops.forEach((stop) => stop());
}

/** Requests the lobby now and every few seconds while the page is visible. Returns a function that stops this. */
export function refreshing(showLobby) {
  let asking = false;
  const refresh = async () => {
    if (asking || document.hidden || net.state !== "open") return;
    asking = true;
    await net.request({ type: "lobby" }).then(showLobby, (error) => alarm(error.message));
    asking = false;
  };
  const timer = setInterval(refresh, REFRESH);
  const off = net.onState(refresh);
  document.addEventListener("visibilitychange", refresh);
  refresh();
  return () => {
    clearInterval(timer);
    off();
    document.removeEventListener("visibilitychange", refresh);
  };
}

/** Placeholder lines, so that the content below does not move when the real lines arrive. */
const room = (count = 0) => Array.from({ length: count }, () =>
  h("li", { class: "item", "aria-hidden": "true" }, h("span", { class: "what" }, h("span", null, "\u00a0"), h("span", { class: "small" }, "\u00a0"))));

/** Fills a list. If nothing has changed, the focus stays where it is. */
export function refill(list, entries, line) {
  const text = JSON.stringify(entries);
  if (list.dataset.shown === text) return;
  list.dataset.shown = text;
  const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  list.replaceChildren(...entries.map(line));
  if (focused) [...list.querySelectorAll("a")].find((it) => it.getAttribute("href") === focused)?.focus();
}

async function refreshPresence(place, { live }) {
  const health = await fetch("/health").then((answer) => answer.json(), () => null);
  if (!health) return;
  const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
  const where = health.nodes ? "this node" : "this server";
  place.replaceChildren(`${count(health.connections, "connection", "connections")} to ${where}. `,
    live.length ? link("/watch", `Watch ${count(live.length, "live game", "live games")}`) : "");
}

function gameCard(game, checked, board, choose) {
  return h("label", { class: "chip game" },
    h("input", { type: "radio", name: "game", value: game.game, checked, onchange: choose }),
    h("span", null, board.node, h("strong", null, game.name)));
}

/** Handles a click on a button that starts a game. */
const start = (word, message) => ({ currentTarget: button }) => busy(button, word, async () => {
  const { code } = await net.request(message());
  await begun(code, button.isConnected);
});

/** Actions for the selected game. Each button takes effect at once. */
function panelOf(game, { levels, clocks }) {
  const last = remembered();
  const rated = h("input", { type: "checkbox", checked: last.rated && !net.me?.guest, onchange: (event) => remember({ rated: event.target.checked }) });
  const middle = levels[Math.floor(levels.length / 2)];
  const hint = h("p", { class: "about", id: "level-hint" }, middle && `${capital(middle.name)}: ${middle.about}.`);
  const create = ({ currentTarget: button }) => busy(button, "Opening …", async () => {
    const { create } = await part("create");
    await create(game.game);
  });
  return [
    h("div", { class: "about-game" },
      h("p", null, h("strong", null, `${game.name}.`), ` ${game.summary}`),
      h("p", { class: "ways" },
        link(`/learn/${game.game}`, "Learn"), link(`/rules/${game.game}`, "Rules"),
        link(`/practice/${game.game}`, "Practise"), link(`/explore/${game.game}`, "Explore"))),
    h("h2", null, "Play the computer"),
    h("div", { class: "starts" }, levels.map(({ level, name, about }) => {
      const explain = () => (hint.textContent = `${capital(name)}: ${about}.`);
      return h("button", { onfocus: explain, onpointerenter: explain, "aria-describedby": "level-hint", onclick: start("Starting …", () => ({ type: "create", game: game.game, level })) }, capital(name));
    })),
    hint,
    h("h2", null, "Find an opponent"),
    h("div", { class: "starts wide" }, clocks.filter(({ clock }) => QUICK.has(clock)).map(({ clock, name }) =>
      h("button", { onclick: start("Looking …", () => ({ type: "seek", game: game.game, clock, rated: rated.checked })) }, capital(name)))),
    net.me && !net.me.guest && h("label", { class: "tick" }, rated, h("span", null, "Rated")),
    h("h2", null, "Play a friend, or on your own terms"),
    h("button", { onclick: create }, "Create a game"),
  ].filter(Boolean);
}

/** Opens a new game, unless the person has navigated elsewhere while there was no connection. */
export function begun(code, isAwaited) {
  if (isAwaited) return go(`/g/${code}`);
  toast(`Your game ${code} is ready.`, `/g/${code}`, "Play");
}

/** A form for joining a game by its code or link. */
function codeForm() {
  const field = h("input", { type: "text", id: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false", placeholder: "ABC234", required: true });
  const submit = (event) => {
    event.preventDefault();
    const code = field.value.trim().replace(/^.*\/g\//, "").replace(/[?#].*$/, "").replace(/[\s-]/g, "").toUpperCase();
    if (!/^[A-Z0-9]{6}$/.test(code)) return alarm("A game's code has six letters and digits.");
    busy(button, "Joining …", () => go(`/g/${code}`));
  };
  const button = h("button", null, "Join");
  return h("form", { class: "card", onsubmit: submit, novalidate: true },
    h("div", { class: "field" }, h("label", { for: "code" }, "Join by code or link"),
      h("div", { class: "with" }, field, button)));
}

/** The person's last choices on this device. */
export function remembered() {
  try {
    return JSON.parse(stored(LAST)) ?? {};
  } catch {
    return {};
  }
}

export function remember(choice) {
  store(LAST, JSON.stringify({ ...remembered(), ...choice }));
}

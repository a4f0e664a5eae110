// The person's page: name, ratings, games, devices and settings.

import { alarm, link, say, style, title } from "./app.js";
import { catalogue } from "./api.js";
import { clear, h, name } from "./dom.js";
import { copyButton } from "./invite.js";
import { net } from "./net.js";
import { set, settings } from "./settings.js";
import { sound } from "./sound.js";
import { winnerOf } from "./words.js";

export async function show(root) {
  title("You");
  const [all] = await Promise.all([catalogue(), style("you.css")]);
  const identity = h("section", { class: "card", "aria-labelledby": "who" });
  const devices = h("section", { class: "card", "aria-labelledby": "devices" });
  const ratings = h("section", { class: "card", "aria-labelledby": "ratings" });
  const history = h("section", { class: "card", "aria-labelledby": "history" });
  root.append(h("div", { class: "page" },
    h("h1", null, "You"),
    h("div", { class: "columns" },
      h("div", null, identity, history),
      h("div", null, settingsCard(), ratings, devices))));
  clear(identity).append(h("h2", { id: "who" }, "Name"), h("p", { class: "wait" }, "Connecting"));

  let who = null;
  let device = null;
  const refresh = () => {
    if (net.state !== "open") return;
    const now = JSON.stringify([net.me.name, net.me.guest]);
    // A refused request may still have renamed a guest. Keep the form, which contains the typed text and the refusal.
    if (net.me.guest && identity.querySelector("form[aria-busy]")) identity.querySelector("bdi").textContent = net.me.name;
    else if (now !== who) showIdentity(identity);
    who = now;
    if (device === now + net.hasToken) return;
    device = now + net.hasToken;
    showDevices(devices);
    showHistory(history, ratings, all);
  };
  const off = net.onState(refresh);
  refresh();
  return off;
}

/** A form with one field and a button. The answer or refusal appears below it. */
function line({ id, label, about, value = "", button, attributes = {}, submit }) {
  const field = h("input", { type: "text", id, value, autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": `${id}-about`, ...attributes });
  const answer = h("div", { role: "status" });
  const onsubmit = async (event) => {
    event.preventDefault();
    if (form.ariaBusy) return;
    clear(answer);
    if (!field.value.trim()) return field.focus();
    form.ariaBusy = "true";
    try {
      answer.append(...((await submit(field.value.trim())) ?? []));
    } catch (error) {
      answer.append(h("p", { class: "error" }, error.message));
      field.focus();
    }
    form.ariaBusy = null;
  };
  const form = h("form", { class: "line", onsubmit, novalidate: true }, h("div", { class: "field" },
    h("label", { for: id }, label), h("div", { class: "with" }, field, h("button", null, button)), h("span", { class: "about", id: `${id}-about` }, about)), answer);
  return form;
}

let newest = null;
function showIdentity(card) {
  const { guest } = net.me;
  const is = h("p", { class: "big" }, name(net.me.name), h("span", { class: "badge muted" }, guest ? "guest" : "account"));
  clear(card).append(h("h2", { id: "who" }, "Name"), is);
  // The next person at this device must not find somebody else's code.
  if (guest || newest?.dataset.name !== net.me.name) newest = null;
  if (newest) card.append(newest);
  if (guest) {
    card.append(
      line({
        id: "rename", label: "Your name as a guest", about: "1 to 24 characters. In games that have begun you keep the old one.", value: net.me.name, button: "Change",
        attributes: { maxlength: 24, autocomplete: "nickname" },
        submit: async (text) => {
          await net.introduce({ name: text });
          say(`You are ${net.me.name} now.`);
        },
      }),
      line({
        id: "register", label: "Create an account", button: "Register", value: net.me.name.startsWith("Guest") ? "" : net.me.name,
        about: "With an account, the name is yours alone, your games can be rated, and a recovery code restores the account if you lose this device. No e-mail, no password.",
        attributes: { maxlength: 24, autocomplete: "nickname" },
        submit: register,
      }));
  } else {
    card.append(h("details", null, h("summary", null, "New recovery code"),
      h("p", { class: "about" }, "The old code stops working."),
      h("button", { onclick: async ({ target }) => {
        const shown = await register(net.me.name).catch((error) => [h("p", { class: "error", role: "alert" }, error.message)]);
        if (shown) target.after(...shown);
      } }, "Create a new code")));
  }
}

async function register(text) {
  const answer = await (async () => {
    // A change of name redraws the card: keep the code.
    const off = net.on("registered", (message) => (newest = recovery(message)));
    try {
      return await net.register(text);
    } finally {
      off();
    }
  })();
  say(`You are ${answer.name} now. Your recovery code is shown.`);
  const card = document.getElementById("who")?.parentElement;
  if (card) showIdentity(card);
  return null;
}

function recovery(answer) {
  const code = grouped(answer.recovery);
  const box = h("div", { class: "stack keep", dataset: { name: answer.name } },
    h("p", null, "You are ", name(answer.name), " now. If you lose this device, your recovery code brings the account back:"),
    h("p", { class: "secret" }, code),
    h("div", { class: "row" }, copyButton(code, "Copy the code"),
      h("button", { onclick: () => {
        newest = null;
        box.remove();
      } }, "I have written it down")),
    h("p", { class: "about" }, "It will not be shown again."));
  return box;
}

function showDevices(card) {
  const { guest } = net.me;
  const code = h("div", { class: "stack", role: "status" });
  const ask = async () => {
    clear(code);
    try {
      showLink(code, await net.request({ type: "link" }));
    } catch (error) {
      code.append(h("p", { class: "error" }, error.message));
    }
  };
  clear(card).append(h("h2", { id: "devices" }, "Devices"),
    h("p", { class: "about" }, "Use the same account on your phone, on your computer and in the terminal."),
    h("button", { onclick: ask }, "Link another device"), code,
    line({
      id: "link-code", label: "Join an account", button: "Join",
      about: guest
        ? "Enter the code shown on your other device, or your recovery code. The games you have played here move to that account."
        : "Enter the code shown on your other device, or a recovery code. This device then uses that account.",
      attributes: { autocapitalize: "characters" },
      submit: async (text) => {
        await net.introduce({ link: text });
        say(`You are ${net.me.name} now.`);
        return [h("p", { class: "good" }, "This device belongs to ", name(net.me.name), " now.")];
      },
    }));
  if (net.hasToken) card.append(signOut(guest));
}

/** Splits a code into groups of four, which are easier to read and copy by hand. */
const grouped = (code) => code.replace(/(.{4})(?=.)/g, "$1-");

function showLink(place, { link, seconds }) {
  const code = grouped(link);
  const until = Date.now() + seconds * 1000;
  const left = h("span", { class: "number" });
  const tick = () => {
    const rest = Math.ceil((until - Date.now()) / 1000);
    if (rest <= 0 || !place.isConnected) {
      clearInterval(timer);
      return void clear(place).append(h("p", null, "This code has expired. Request a new one."));
    }
    left.textContent = `${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, "0")}`;
  };
  const timer = setInterval(tick, 1000);
  clear(place).append(
    h("p", null, "On your other device, open this page, go to You, and enter:"),
    h("p", { class: "secret" }, code),
    h("div", { class: "row" }, copyButton(code), h("span", { "aria-hidden": "true" }, "valid for ", left)),
    h("p", { class: "about" }, "It works once, within ten minutes. In a terminal: ", h("code", null, `skirmish join ${net.me.url || location.origin} --link ${code}`)));
  tick();
}

function signOut(guest) {
  const warning = guest
    ? "You are a guest, so you could not sign in again: you would lose access to your games, including those still being played. Register first, or link another device."
    : "Your account remains. To sign in again, you need your recovery code or a code from another linked device.";
  const ask = h("dialog", { "aria-labelledby": "sign-out" }, h("div", { class: "stack" },
    h("h2", { id: "sign-out" }, "Sign out of this device?"), h("p", null, warning),
    h("div", { class: "row" },
      h("button", { class: "danger", onclick: () => {
        ask.close();
        net.signOut();
        say("You are a new guest.");
      } }, "Sign out"),
      h("button", { autofocus: true, onclick: () => ask.close() }, "Stay"))));
  return h("div", null, h("button", { class: "danger", onclick: () => ask.showModal() }, "Sign out of this device"), ask);
}

async function showHistory(card, ratingsCard, all) {
  const heading = h("h2", { id: "history" }, "Finished games");
  const title = h("h2", { id: "ratings" }, "Ratings");
  card.replaceChildren(heading, h("p", { class: "wait" }, "Loading"));
  ratingsCard.replaceChildren(title);
  let games = [];
  try {
    // A guest without an account has no history.
    if (net.hasToken) ({ games } = await net.request({ type: "history" }));
  } catch (error) {
    return card.replaceChildren(heading, h("p", { class: "error" }, error.message));
  }
  const nameOf = (id) => all.games.find(({ game }) => game === id)?.name ?? id;
  card.replaceChildren(heading, games.length ? historyList(games, nameOf) : h("p", { class: "muted" }, "You have not finished any games here yet."));
  const rated = new Map();
  for (const game of games) if (game.rating && !rated.has(game.game)) rated.set(game.game, game.rating);
  ratingsCard.replaceChildren(title, rated.size
    ? h("dl", { class: "pairs" }, [...rated].map(([game, rating]) => [h("dt", null, nameOf(game)), h("dd", { class: "number" }, rating)]))
    : h("p", { class: "muted" }, net.me.guest ? "Accounts have a rating in each game." : "You have not finished any rated games lately."),
    h("p", null, link("/watch", "Leaderboards")));
}

function historyList(games, nameOf) {
  return h("ul", { class: "list" }, games.map((game) => {
    const end = outcome(game);
    const record = `/g/${game.code}.skr?game=${game.number}`;
    return h("li", { class: "item past" },
      h("span", { class: `badge ${{ won: "good", lost: "bad" }[end] ?? "muted"}` }, end),
      h("span", { class: "what" },
        link(`/g/${game.code}?game=${game.number}`, [name(game.names[1]), " against ", name(game.names[2])]),
        h("span", { class: "muted small" }, [nameOf(game.game), game.termination === "rules" ? null : game.termination, game.date, game.rating ? `rating ${game.rating}` : null].filter(Boolean).join(" · "))),
      h("a", { href: record, download: `${game.code}-${game.number}.skr`, class: "button quiet", "aria-label": `Download the record of game ${game.number} in ${game.code}` }, "Record"));
  }));
}

function settingsCard() {
  const now = settings();
  const choice = (key, label, options) => h("fieldset", null, h("legend", null, label), h("div", { class: "chips" },
    options.map(([value, text]) => h("label", { class: "chip" },
      h("input", { type: "radio", name: key, checked: now[key] === value, onchange: () => {
        set({ [key]: value });
        if (key === "sound") sound("turn");
      } }), h("span", null, text)))));
  return h("section", { class: "card", "aria-labelledby": "settings" }, h("h2", { id: "settings" }, "Settings"),
    choice("theme", "Theme", [["system", "System"], ["light", "Light"], ["dark", "Dark"], ["contrast", "High contrast"]]),
    choice("motion", "Motion", [["system", "System"], ["on", "On"], ["off", "Off"]]),
    choice("keys", "Letter keys in games", [[false, "On the board"], [true, "Everywhere"]]),
    choice("sound", "Sound", [[false, "Off"], [true, "On"]]),
    // Elsewhere, browsers refuse notifications without asking.
    isSecureContext && "Notification" in window && notifications(),
    h("p", { class: "about" }, "These settings apply to this device only."));
}

/** Asks the browser for permission only when the person wants notifications. */
function notifications() {
  const box = h("input", { type: "checkbox", checked: settings().notify && Notification.permission === "granted", onchange: async () => {
    const isAllowed = box.checked && (await Notification.requestPermission()) === "granted";
    if (box.checked && !isAllowed) alarm("Your browser does not allow notifications from this page. You can change that in its settings for this site.");
    box.checked = isAllowed;
    set({ notify: isAllowed });
  } });
  return h("label", { class: "tick" }, box, h("span", null, "Notify me when it is my turn",
    h("span", { class: "about" }, "While Skirmish is open in another tab or window.")));
}

/** The outcome of a finished game for a player: "won", "lost", "draw" or "aborted". */
function outcome(game) {
  if (game.result === "*") return "aborted";
  const winner = winnerOf(game);
  return winner === null ? "draw" : winner === game.you ? "won" : "lost";
}

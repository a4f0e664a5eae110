// A room on the server: joining, waiting for its games, and reviewing them.

import { api, gameNamed } from "./api.js";
import { busy, go, link, nothing, part, say, style, title } from "./app.js";
import { address, keepFocus } from "./around.js";
import { clear, h, name as isolated } from "./dom.js";
import { invitation } from "./invite.js";
import { Live } from "./live.js";
import { follow } from "./mirror.js";
import { net } from "./net.js";
import { describe } from "./terms.js";
import { isOver } from "./words.js";

export async function show(root, { params, query }) {
  const code = params.code.toUpperCase();
  if (!/^[A-Z0-9]{6}$/.test(code)) {
    nothing(root, "There is no such game", `“${params.code}” is not the code of a game: codes have six letters and digits. Check the link.`);
    return;
  }
  title(`Game ${code}`);
  root.append(h("p", { class: "page wait" }, `Looking for game ${code}`));
  const [{ phrases }] = await Promise.all([api("phrases"), style("stage.css")]);
  // Watch first: opening a link must not take a seat.
  const room = follow(code, { watch: true });
  try {
    await room.ready;
  } catch (error) {
    room.stop();
    return refused(root, code, error);
  }
  const view = new RoomView(root, room, await gameNamed(room.snap.terms.game), phrases);
  view.route(query);
  const close = () => view.close();
  close.update = (place) => view.route(place.query);
  return close;
}

// Shows why a game cannot be shown, and how to go on.
function refused(root, code, error) {
  const again = h("button", { class: "primary", onclick: () => go(location.pathname, { replace: true }) }, "Try again");
  const home = link("/", "Play", { class: "button" });
  if (error.code === "not_found") return nothing(root, "There is no such game", error.message, link("/", "Play", { class: "button primary" }));
  if (error.code === "full") return nothing(root, "This game cannot be watched", error.message, home);
  if (error.code === "not_seated") {
    const join = h("button", { class: "primary", onclick: () => busy(join, "Joining …", async () => {
      const room = follow(code);
      try {
        await room.ready;
        await go(location.pathname, { replace: true });
      } finally {
        room.stop();
      }
    }) }, "Join and play");
    return nothing(root, "You are invited to a game", error.message, join, home);
  }
  const heading = error.code === "limit" ? "Limit reached" : "This game cannot be shown";
  return nothing(root, heading, error.message, again, home);
}

// Shows that a module failed to load. Browsers remember this until the page is reloaded.
const missing = (error) => h("div", { class: "notice bad" },
  h("p", { role: "alert" }, error.message),
  h("button", { class: "primary", onclick: () => location.reload() }, "Try again"));

class RoomView {
  constructor(root, room, game, phrases) {
    this.root = root;
    this.room = room;
    this.game = game;
    this.phrases = phrases;
    this.off = room.onChange((kind, data) => this.hear(kind, data));
  }

  close() {
    this.off();
    this.leave();
    this.room.stop();
  }

  // Ends the current view.
  leave() {
    this.live?.close();
    this.live = null;
    this.cleanup?.();
    this.cleanup = null;
  }

  get snap() {
    return this.room.snap;
  }

  hear(kind, data) {
    const isOther = kind === "begin" || kind === "waiting" || (kind === "closed" && this.snap.number === 0);
    if (!isOther) return this.live?.hear(kind, data);
    // The next game of the room has begun.
    if (data.swapped && this.live) say("The players swap seats.");
    this.again();
  }

  // Starts over, because changes on the server may have been missed.
  retry() {
    this.room.join();
    this.again();
  }

  again() {
    this.rebuild((change) => keepFocus(this.root, this.root, change));
  }

  // Shows the game that the address names: the current one, or an earlier one.
  route(query) {
    const number = Number(query.get("game")) || 0;
    const { snap } = this;
    const isPast = number > 0 && (number < snap.number || (number === snap.number && isOver(snap)));
    if (isPast) return this.review(number);
    this.rebuild();
  }

  rebuild(perform = (change) => change()) {
    const before = this.live;
    this.leave();
    const { root, room, game, phrases, snap } = this;
    if (!game) return nothing(root, "Unknown game", "Reload the page: the server may have been updated.");
    if (snap.number === 0 && snap.stage === "closed") return perform(() => this.showClosed());
    if (snap.number === 0) return perform(() => (snap.you ? this.showWaiting() : this.showInvitation()));
    // Keep the previous content until the game can be shown.
    const live = new Live({ room, game, phrases, terms: this.terms(), before, again: () => this.retry() });
    this.live = live;
    live.ready.then(() => {
      if (this.live !== live) return;
      perform(() => root.replaceChildren(live.node));
      live.play.stage.resize();
    });
  }

  showWaiting() {
    title("Waiting for a player");
    const { code } = this.room;
    // Seekers find a public game by themselves; the invitation is a second way.
    const isPublic = this.snap.terms.public;
    const close = h("button", { class: "quiet", onclick: () => { this.room.leave(); go("/"); } }, "Close this game");
    this.root.replaceChildren(h("div", { class: "page narrow" },
      h("section", { class: "card" },
        h("h1", null, this.game.name),
        h("p", null, this.terms()),
        isPublic && h("p", { class: "wait" }, "Waiting for somebody who wants the same game"),
        h("p", { class: "muted" }, isPublic
          ? "The game begins when somebody joins it. Leave Skirmish open in this browser: others find the game only while you are connected."
          : "The game begins when somebody joins. You can leave this page open, or come back later."),
        isPublic ? h("details", null, h("summary", null, "Invite somebody"), invitation(code)) : invitation(code),
        h("div", { class: "row" }, link("/", "Do something else in the meantime", { class: "button" }), close))));
  }

  showInvitation() {
    title(`Invitation to ${this.game.name}`);
    const { snap } = this;
    const host = snap.players[1] ?? snap.players[2];
    const isGuest = net.me?.guest !== false;
    const input = h("input", { type: "text", id: "guest", maxlength: 24, autocomplete: "nickname", value: net.me?.name ?? "" });
    const error = h("p", { class: "error", role: "alert" });
    const join = h("button", { type: "submit", class: "primary" }, "Join and play");
    const submit = (event) => {
      event.preventDefault();
      error.textContent = "";
      busy(join, "Joining …", async () => {
        const wanted = input.value.trim();
        try {
          if (isGuest && wanted && wanted !== net.me?.name) await net.introduce({ name: wanted });
          await this.room.sit();
        } catch (problem) {
          error.textContent = problem.message;
        }
      });
    };
    this.root.replaceChildren(h("div", { class: "page narrow" },
      h("section", { class: "card" },
        h("h1", null, host ? [isolated(host.name), ` invites you to ${this.game.name}`] : this.game.name),
        h("p", null, this.game.summary),
        h("p", { class: "muted" }, this.terms()),
        h("form", { onsubmit: submit },
          isGuest && h("div", { class: "field" },
            h("label", { for: "guest" }, "Your name"), input,
            h("span", { class: "about" }, "You can keep this one. You do not need an account.")),
          error,
          h("div", { class: "row" }, join,
            link(`/rules/${this.game.game}`, "Rules", { class: "button" }),
            link(`/learn/${this.game.game}`, "Tutorial", { class: "button" }))),
        h("p", { class: "muted small" }, "If you only want to watch, leave this page open: the game appears here as soon as it begins."))));
  }

  showClosed() {
    nothing(this.root, "The game is closed", "It was closed before anybody joined. You can create another one.",
      link("/", "Play", { class: "button primary" }));
  }

  // The terms without the game's name, which is in the heading.
  terms() {
    const { terms } = this.snap;
    const name = Object.keys(terms.rules ?? {}).length ? "Rules" : "Standard rules";
    const special = describe(terms, { games: [{ game: terms.game, name }], levels: [] });
    return `${[special, terms.clock === "none" && "no clock", !terms.rated && "not rated"].filter(Boolean).join(", ")}.`;
  }

  // An earlier game

  async review(number) {
    this.leave();
    clear(this.root);
    const { code } = this.room;
    const { snap } = this;
    title(`Game ${number} of ${code}`);
    const place = h("div");
    const back = isOver(snap) ? "Back to the result" : "Go to the current game";
    const others = Array.from({ length: snap.number }, (_, index) => index + 1)
      .filter((one) => one !== number && (one < snap.number || snap.end))
      .map((one) => link(address(code, one), `Game ${one}`, { class: "button quiet" }));
    this.root.append(h("div", { class: "room" },
      h("div", { class: "row" }, link(`/g/${code}`, back, { class: "button" }), others), place));
    try {
      const { review } = await part("review");
      if (!place.isConnected) return;
      const cleanup = await review(place, { code, number });
      if (typeof cleanup !== "function") return;
      if (place.isConnected) this.cleanup = cleanup;
      else cleanup();
    } catch (error) {
      console.error(error);
      place.replaceChildren(missing(error));
    }
  }
}

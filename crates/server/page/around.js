// The surroundings of a game's stage: the players with their clocks, messages, the result, and the actions.

import { link, say } from "./app.js";
import { fullScreenButton } from "./invite.js";
import { h, name as isolated } from "./dom.js";
import { net } from "./net.js";
import { sign } from "./play.js";
import { rulesButton } from "./sheet.js";
import { soundButton } from "./sound.js";
import { called, ratingOf } from "./terms.js";
import { clockText, closing, ending, offered, period, points, score } from "./words.js";

const SIDES = [1, 2];
const LOW = 10_000; // milliseconds: a clock below this warns, as does one below a third of the time for a move
const SETTLE = 700; // milliseconds that a new button must be on screen before it can be pressed
const FRAME = 100; // milliseconds: maximum time that one frame adds to that

export const other = (side) => 3 - side;

/** The address at which one of a room's games can be reviewed. */
export const address = (code, number) => `/g/${code}?game=${number}`;

/**
 * Changes the content of `place`. If the focused element disappears, focuses the same button again, or else the result or the
 * game in `root`.
 */
export function keepFocus(place, root, change) {
  const focused = document.activeElement;
  // If `place` is the whole page, also restore a focus that was lost before.
  const isHere = place.contains(focused) || (place === root && focused === document.body);
  change();
  if (!isHere || focused.isConnected && focused !== document.body) return;
  const same = [...place.querySelectorAll("button")].find((button) => button.textContent === focused.textContent);
  const target = same ?? root.querySelector(".ending h2") ?? root.querySelector(".play") ?? root.querySelector("h1");
  if (target?.localName === "h1") target.tabIndex = -1;
  target?.focus({ preventScroll: target !== same });
}

/**
 * A button that appears unasked. It works only after it has been on screen for a while, because a finger or key may be on its
 * way to something else. The time is measured in frames, since a hidden tab has none.
 */
function settlingButton(label, act, props) {
  const button = h("button", { ...props, "aria-disabled": "true", onclick: () => button.ariaDisabled || act() }, label);
  let left = SETTLE;
  let last;
  const frame = (now) => {
    if (!button.isConnected) return;
    left -= Math.min(now - last, FRAME);
    last = now;
    if (left > 0) requestAnimationFrame(frame);
    else button.removeAttribute("aria-disabled");
  };
  // The button may be created before the game is shown.
  new IntersectionObserver(([entry], observer) => {
    if (!entry.isIntersecting) return;
    observer.disconnect();
    last = performance.now();
    requestAnimationFrame(frame);
  }).observe(button);
  return button;
}

/** Whether the game is waiting for a side's choice. */
const isAwaited = (snap, side) => (snap.position?.turn.includes(side) ?? false) && !snap.chosen.includes(side);

export class Around {
  constructor(live) {
    this.live = live;
    this.room = live.room;
    this.line = h("p", { class: "muted" });
    this.message = h("div", { class: "message" });
    this.notices = h("div", { class: "stack notices" });
    this.actions = h("div", { class: "actions" });
    this.sounds = soundButton();
    this.strips = Object.fromEntries(SIDES.map((side) => [side,
      h("section", { class: `player p${side}`, "aria-label": `Player ${side}` },
        h("div", { class: "who" }), h("div", { class: "clock", role: "timer" }), h("div", { class: "status" }))]));
  }

  get snap() {
    return this.room.snap;
  }

  refresh() {
    const { snap, room } = this;
    const { you, match } = snap;
    const others = room.watchers - (you ? 0 : 1);
    const watched = [!you && "you watch", others > 0 && `${others} ${you ? "" : others > 1 ? "others " : "other "}watching`].filter(Boolean).join(", ");
    const set = match ? `Game ${match.game} of ${match.of}` : snap.number > 1 && `Game ${snap.number}`;
    this.line.textContent = [set, watched].filter(Boolean).join(" · ");
    const tally = points(snap);
    for (const side of SIDES) this.refreshWho(side, tally?.[side]);
    this.tick();
    this.refreshActions();
  }

  // The players

  refreshWho(side, tally) {
    const { snap } = this;
    const player = snap.players[side];
    const who = [sign(side), isolated(player ? called(player) : ""), side === snap.you && h("span", { class: "muted" }, " (you)"),
      player?.rating && h("span", { class: "muted small" }, ` ${ratingOf(player)}`),
      tally && " ", tally && h("span", { class: "tally" }, tally, h("span", { class: "unseen" }, tally === "1" ? " point" : " points"))];
    const strip = this.strips[side];
    strip.querySelector(".who").replaceChildren(...who.filter(Boolean));
    strip.classList.toggle("turn", !snap.end && (snap.position?.turn.includes(side) ?? false));
  }

  // Updates the clocks and countdowns.
  tick() {
    const { snap } = this;
    const low = Math.min(LOW, 333 * (/^(\d+)s$/.exec(snap.terms.clock)?.[1] ?? LOW));
    for (const side of SIDES) this.tickStrip(side, low);
    this.refreshMessage();
    this.refreshNotices();
  }

  tickStrip(side, low) {
    const { snap, room } = this;
    const { you, end } = snap;
    const isKnown = net.state === "open";
    const strip = this.strips[side];
    strip.classList.toggle("unknown", !isKnown);
    const left = room.left(side);
    const isLow = isKnown && left !== null && left < low && !end && snap.clock.running.includes(side);
    const clock = strip.querySelector(".clock");
    const text = left === null ? "" : clockText(left);
    if (clock.textContent !== text) clock.textContent = text;
    clock.hidden = left === null;
    clock.classList.toggle("low", isLow);
    const player = snap.players[side];
    const presence = player?.level ? "computer" : this.presence(side);
    const doing = [
      !end && snap.chosen.includes(side) && "has chosen",
      isKnown && !end && snap.stage === "playing" && isAwaited(snap, side) && (side === you ? "your turn" : "to choose"),
      isLow && "time is running out",
    ].filter(Boolean).join(", ");
    const place = strip.querySelector(".status");
    const lead = doing ? `${presence}, ` : presence;
    // Small screens omit what goes without saying.
    if (place.textContent !== lead + doing) {
      place.replaceChildren(h("span", { class: presence === "connected" ? "usual" : null }, lead), h("span", { class: "doing" }, doing));
    }
    if (side !== you) return;
    if (isLow && !this.lowSaid) say(`You have ${period(Math.ceil(left / 1000))} left.`);
    if (isLow) this.lowSaid = true;
    else if (left !== null && left > 2 * low) this.lowSaid = false;
  }

  // Shows whether a side is connected, if known.
  presence(side) {
    const { you, present } = this.snap;
    if (net.state !== "open") return side === you ? "not connected" : "connection unknown";
    return present?.[side] === false ? "not connected" : "connected";
  }

  // Notices

  refreshNotices() {
    const { end, number } = this.snap;
    // The result waits for the last turn's animation, but not for later notes.
    const shown = `end ${number} ${JSON.stringify(end)}`;
    const result = `${shown} ${closing(this.snap) ?? ""}`;
    const parts = [
      ...(end && (!this.live.busy || this.noticeKey?.startsWith(shown)) ? [[result]] : []),
      ...this.troubles(), ...this.unrated(),
    ];
    const key = parts.map(([key]) => key).join("|");
    if (key === this.noticeKey) return;
    this.noticeKey = key;
    const kept = new Map([...this.notices.children].map((node) => [node.dataset.key, node]));
    const nodes = parts.map(([key, ...content]) => {
      const node = kept.get(key) ?? (key === result ? this.ending() : h("div", { class: key.startsWith("bad") ? "notice bad" : "notice" }, content));
      node.dataset.key = key;
      return node;
    });
    keepFocus(this.notices, this.live.node, () => {
      for (const node of [...this.notices.children]) if (!nodes.includes(node)) node.remove();
      nodes.forEach((node, index) => {
        if (this.notices.children[index] !== node) this.notices.insertBefore(node, this.notices.children[index] ?? null);
      });
    });
    const ending = kept.has(result) ? null : this.notices.querySelector(".ending");
    if (!ending) return;
    // If the choices had the focus, move it to the result.
    const { list, main } = this.live.play;
    if (list.contains(document.activeElement) || document.activeElement === main) ending.querySelector("h2").focus();
    // A player who resigns has scrolled to the end of the page. In the next frame, the choices are gone.
    requestAnimationFrame(() => ending.scrollIntoView({ block: "nearest" }));
  }

  // Notices: each is a key that identifies it, and its content.
  troubles() {
    const { room: { stuck }, again } = this.live;
    // Problems that resolve themselves need no action.
    const waits = stuck?.waits && stuck.text;
    const trouble = this.live.trouble ?? (!waits && stuck?.text);
    return [
      trouble && [`bad ${trouble}`, h("p", null, trouble), h("button", { onclick: again }, "Try again")],
      waits && [`waits ${waits}`, h("p", null, waits)],
    ].filter(Boolean);
  }

  // Says why the game is not rated, until it is under way.
  unrated() {
    const { unrated, turns, end } = this.snap;
    return unrated && turns.length < 2 && !end ? [["unrated", h("p", null, unrated)]] : [];
  }

  // Shows one message at a time in place of the heading, where no choice ever appears. Nothing else moves.
  refreshMessage() {
    const [text, buttons] = this.messages().find(Boolean) ?? [];
    if (text === this.messageText) return;
    this.messageText = text;
    keepFocus(this.message, this.live.node, () => this.message.replaceChildren(...(text ? [h("p", null, text), ...(buttons?.() ?? [])] : [])));
  }

  // Returns the messages, most urgent first, each with a function that makes its buttons.
  messages() {
    const { you } = this.snap;
    const theirs = SIDES.filter((side) => side !== you).map((side) => this.offer(side));
    return [...theirs, this.claimMessage(), you && this.offer(you), this.abortMessage()];
  }

  offer(side) {
    const { snap: { you, offers }, room } = this;
    const { names } = this.live;
    const what = offers[side];
    if (!what) return null;
    if (side === you) return [`You have ${what === "takeback" ? "asked for" : "offered"} a ${what}. ${names[other(side)]} has not answered yet.`];
    const answer = (yes) => () => this.live.request(room.answer(what, yes));
    return [`${names[side]} ${offered(what)}.`,
      () => (you ? [settlingButton("Accept", answer(true), { class: "primary" }), settlingButton("Decline", answer(false))] : [])];
  }

  claimMessage() {
    const claim = net.state === "open" ? this.claimIn() : null;
    if (claim === null) return null;
    const name = this.live.names[other(this.snap.you)];
    if (claim > 0) return [`${name} is not connected. In ${period(claim)} you can claim the game.`];
    return [`${name} is gone. You can claim the game, or wait.`,
      () => [settlingButton("Claim the game", () => this.live.request(this.room.claim()), { class: "primary" })]];
  }

  abortMessage() {
    const { snap, room: { abortsIn } } = this;
    if (net.state !== "open" || abortsIn === null || snap.end || snap.stage !== "playing") return null;
    return [`The game is aborted unless the first move is made within ${period(Math.ceil(abortsIn / 1000))}.`];
  }

  // Returns the seconds until the game can be claimed; null if it cannot.
  claimIn() {
    const { snap } = this;
    const { you, end, stage, position, claim_after: after } = snap;
    if (!you || end || stage !== "playing" || after === null || after === undefined) return null;
    const rival = other(you);
    const isAlone = position?.turn.includes(rival) && !snap.chosen.includes(rival)
      && (!position.turn.includes(you) || snap.chosen.includes(you));
    if (!isAlone || snap.present?.[rival] !== false || snap.players[rival]?.level) {
      this.claim = null;
      return null;
    }
    // The time counts from when they left or it became their turn; a snapshot says how much has passed.
    const state = JSON.stringify([snap.number, snap.turns.length, snap.undone, snap.chosen]);
    const now = performance.now();
    const isTold = snap !== this.claimTold && snap.claim_in !== undefined;
    if (isTold || this.claim?.state !== state) this.claim = { state, at: now + 1000 * (isTold ? snap.claim_in : after) };
    this.claimTold = snap;
    return Math.max(0, Math.ceil((this.claim.at - now) / 1000));
  }

  ending() {
    const { snap, room } = this;
    const { names, play } = this.live;
    const { you, end, match, number } = snap;
    const { winner, reason } = ending(end, names, snap.terms, you);
    const tally = score(snap, names);
    const closed = closing(snap);
    const goesOn = match && !closed && !tally?.startsWith("Final");
    const last = [...play.log.querySelectorAll(".turn:not(.undone)")].at(-1);
    const told = end.termination === "rules" ? [...(last?.querySelectorAll("p") ?? [])].slice(-2).map((line) => line.textContent).join(" ") : "";
    const record = `/g/${room.code}.skr?game=${number}`;
    return h("section", { class: `ending ${winner ? `p${winner}` : ""}` },
      h("div", null,
        h("h2", { tabindex: -1 }, winner ? [sign(winner), winner === you ? "You win" : you ? "You lose" : [isolated(names[winner]), " wins"]] : end.result === "*" ? "No result" : "A draw"),
        h("p", null, reason || told),
        tally && h("p", null, tally),
        closed && h("p", null, closed),
        snap.terms.rated && !snap.unrated && you && h("p", { class: "muted" }, "The game was rated: ", link("/you", "your history"), " shows your rating.")),
      h("div", { class: "row" },
        goesOn && h("p", { class: "wait" }, "The next game begins in a moment"),
        you && !goesOn && !closed && settlingButton("Rematch", () => this.live.request(room.offer("rematch")), { class: "primary" }),
        link(address(room.code, number), "Review", { class: "button" }),
        link("/", "Play something else", { class: "button" }),
        h("span", { class: "row" },
          h("a", { class: "button quiet", href: record, download: `${room.code}-${number}.skr` }, "Download the record"),
          h("button", { class: "quiet", onclick: (event) => this.share(event.currentTarget, number) }, "Share"))));
  }

  async share(button, number) {
    const url = `${net.me?.url ?? location.origin}${address(this.room.code, number)}`;
    try {
      if (navigator.share) return await navigator.share({ title: this.live.game.name, url });
      await navigator.clipboard.writeText(url);
      button.textContent = "Link copied";
      say("Link copied.");
    } catch (error) {
      if (error.name === "AbortError") return;
      button.replaceWith(h("code", { class: "secret" }, url));
    }
  }

  // Actions

  refreshActions() {
    const { snap, room, live } = this;
    const { you, end, stage } = snap;
    const isOn = you && !end && stage === "playing";
    const mine = you && snap.offers[you];
    const key = JSON.stringify([isOn, mine, snap.turns.length > 0, live.isHintable, live.isHinting, snap.number, Boolean(end)]);
    if (key === this.actionKey) return;
    this.actionKey = key;
    const earlier = Array.from({ length: snap.number - 1 }, (_, index) => link(address(room.code, index + 1), `Game ${index + 1}`, { class: "button quiet" }));
    keepFocus(this.actions, live.node, () => this.actions.replaceChildren(...[
      isOn && h("button", { disabled: mine === "draw", onclick: () => live.request(room.offer("draw")) }, "Offer a draw"),
      isOn && h("button", { disabled: mine === "takeback" || snap.turns.length === 0, onclick: () => live.request(room.offer("takeback")) }, "Take back"),
      live.isHintable && h("button", { "aria-pressed": String(live.isHinting), onclick: () => live.toggleHints() }, "Hint"),
      isOn && h("button", { class: "danger", onclick: () => live.confirmResign() }, "Resign"),
      rulesButton(live.game), this.sounds, fullScreenButton(),
      ...earlier,
    ].filter(Boolean)));
  }
}

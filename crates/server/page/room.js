// One game on the server: joining it, waiting, playing, watching, and its end.

import { api, catalogue, gameNamed, rulesText } from "./api.js";
import { alarm, go, link, nothing, part, say, style, title } from "./app.js";
import { clear, h, name as isolated } from "./dom.js";
import { follow } from "./mirror.js";
import { net } from "./net.js";
import { Play, caption, emblem, sign, table, valueLabels } from "./play.js";
import { sound } from "./sound.js";
import { describe } from "./terms.js";
import { clockText, ending, offered, period, points, score } from "./words.js";

const SIDES = [1, 2];
const other = (side) => 3 - side;
const LOW = 10_000; // milliseconds: a clock that has less warns, or less than a third of the time for a move
const AT_ONCE = 1000; // turns in one question
const MOVING = 3; // so many of the turns that were missed are shown in motion

export async function show(root, { params, query }) {
  const code = params.code.toUpperCase();
  if (!/^[A-Z0-9]{6}$/.test(code)) {
    nothing(root, "There is no such game", `A game's code has six letters and digits, and “${params.code}” is none. Check the link.`);
    return;
  }
  title(`Game ${code}`);
  root.append(h("p", { class: "page wait" }, `Looking for game ${code}`));
  const [{ phrases }] = await Promise.all([catalogue(), style("stage.css")]);
  // Looking first: nobody takes a seat by opening a link.
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

// Why a game cannot be shown, with a way on.
function refused(root, code, error) {
  const again = h("button", { class: "primary", onclick: () => go(location.pathname, { replace: true }) }, "Try again");
  const home = link("/", "Play", { class: "button" });
  if (error.code === "not_found") return nothing(root, "There is no such game", error.message, home);
  if (error.code === "full") return nothing(root, "Nobody may watch this game", error.message, home);
  if (error.code === "not_seated") {
    const join = h("button", { class: "primary", onclick: async () => {
      const room = follow(code);
      try {
        await room.ready;
        go(location.pathname, { replace: true });
      } catch (problem) {
        alarm(problem.message);
      }
      room.stop();
    } }, "Join and play");
    return nothing(root, "You are invited to a game", error.message, join, home);
  }
  const heading = error.code === "limit" ? "A limit is reached" : "This game cannot be shown";
  return nothing(root, heading, error.message, again, home);
}

// A part of the page that did not come. Browsers remember that, until the page is loaded anew.
const missing = (error) => h("div", { class: "notice bad" },
  h("p", { role: "alert" }, error.message),
  h("button", { class: "primary", onclick: () => location.reload() }, "Try again"));

class RoomView {
  constructor(root, room, game, phrases) {
    this.root = root;
    this.room = room;
    this.game = game;
    this.phrases = phrases;
    this.queue = Promise.resolve();
    this.off = [
      room.onChange((kind, data) => this.hear(kind, data)),
      net.onState(() => this.refresh()),
    ];
    this.timer = setInterval(() => this.tick(), 250);
  }

  close() {
    this.isClosed = true;
    clearInterval(this.timer);
    for (const off of this.off) off();
    this.play?.close();
    this.cleanup?.();
    this.room.stop();
  }

  get snap() {
    return this.room.snap;
  }

  get names() {
    const { players } = this.snap;
    return { 1: players[1]?.name ?? "Player 1", 2: players[2]?.name ?? "Player 2" };
  }

  // Sentences from `/api/` speak of Player 1 and Player 2.
  named(text) {
    return text.replace(/Player ([12])/g, (_, side) => this.names[side]);
  }

  // What the address asks for: the game that is on, or an earlier one.
  route(query) {
    this.query = query;
    const number = Number(query.get("game")) || 0;
    const { snap } = this;
    const isOver = number > 0 && (number < snap.number || (number === snap.number && snap.stage === "over"));
    if (isOver) return this.review(number);
    this.rebuild();
  }

  rebuild() {
    this.cleanup?.();
    this.cleanup = null;
    this.play?.close();
    this.play = null;
    clear(this.root);
    const { snap } = this;
    if (!this.game) return nothing(this.root, "This game is not known here", "Reload the page: the server may have been replaced.");
    if (snap.stage === "closed") return this.showClosed();
    if (snap.number > 0) return this.build();
    return snap.you ? this.showWaiting() : this.showInvitation();
  }

  // Before the game

  async showWaiting() {
    title("Waiting for a player");
    const { code } = this.room;
    // A public game is found by whoever looks for one like it; the invitation is a second way.
    const isPublic = this.snap.terms.public;
    const place = isPublic ? h("details", null, h("summary", null, "Invite somebody")) : h("div");
    const close = h("button", { class: "quiet", onclick: () => { this.room.leave(); go("/"); } }, "Close this game");
    this.root.append(h("div", { class: "page narrow" },
      h("section", { class: "card" },
        h("h1", null, this.game.name),
        h("p", null, this.terms()),
        isPublic && h("p", { class: "wait" }, "Waiting for somebody who wants the same game"),
        h("p", { class: "muted" }, isPublic
          ? "The game begins when somebody joins it. Leave Skirmish open in this browser: others find the game only while you are connected."
          : "The game begins when somebody joins. You can leave this page open, or come back later."),
        place,
        h("div", { class: "row" }, link("/", "Do something else meanwhile", { class: "button" }), close))));
    try {
      const { invitation } = await part("invite");
      place.append(invitation(code));
    } catch (error) {
      place.append(h("p", null, "Whoever has this code can join: ", h("strong", { class: "code" }, code)), missing(error));
    }
  }

  showInvitation() {
    title(`Invitation to ${this.game.name}`);
    const { snap } = this;
    const host = snap.players[1] ?? snap.players[2];
    const isGuest = net.me?.guest !== false;
    const input = h("input", { type: "text", id: "guest", maxlength: 24, autocomplete: "nickname", value: net.me?.name ?? "" });
    const error = h("p", { class: "error", role: "alert" });
    const join = h("button", { type: "submit", class: "primary" }, "Join and play");
    const submit = async (event) => {
      event.preventDefault();
      error.textContent = "";
      join.disabled = true;
      try {
        const wanted = input.value.trim();
        if (isGuest && wanted && wanted !== net.me?.name) await net.rename(wanted);
        await this.room.sit();
      } catch (problem) {
        error.textContent = problem.message;
        join.disabled = false;
      }
    };
    this.root.append(h("div", { class: "page narrow" },
      h("section", { class: "card" },
        h("h1", null, host ? [isolated(host.name), ` invites you to ${this.game.name}`] : this.game.name),
        h("p", null, this.game.summary),
        h("p", { class: "muted" }, this.terms()),
        h("form", { onsubmit: submit },
          isGuest && h("div", { class: "field" },
            h("label", { for: "guest" }, "Your name"), input,
            h("span", { class: "about" }, "You can leave it as it is. You need no account.")),
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

  terms() {
    return `${describe(this.snap.terms, { games: [this.game], levels: [] })}.`;
  }

  // The game

  build() {
    const { game, snap } = this;
    this.play = new Play({ game, onChoose: (text) => this.act(text), onWord: snap.you ? (text) => this.word(text) : null, onSettled: () => this.refresh() });
    this.strips = {};
    this.state = null;
    this.noticeKey = null;
    this.actionKey = null;
    this.lowSaid = false;
    this.board = null;
    this.heading = h("h1", null, game.name);
    this.line = h("p", { class: "muted" });
    this.notices = h("div", { class: "stack" });
    this.actions = h("div", { class: "actions" });
    this.talk = h("details", null, h("summary", null, "Say something"),
      h("div", { class: "phrases" }, this.phrases.map(({ phrase, text }) =>
        h("button", { onclick: () => this.request(this.room.say(phrase)) }, text))));
    const strips = SIDES.map((side) => this.strip(side));
    this.play.box.after(this.notices);
    this.root.append(h("div", { class: "room" },
      h("div", { class: "room-head" }, this.heading, this.line),
      h("div", { class: "players" }, strips),
      table(this.play, h("h2", null, "What has happened"), this.play.log, this.talk, this.actions,
        h("p", { class: "muted small" }, this.terms()))));
    this.talk.hidden = !snap.you;
    this.enqueue(() => this.open());
  }

  // Changes what `place` shows. If that takes away what had the focus, the same button has it again, or else the result or the game.
  keepFocus(place, change) {
    const focused = document.activeElement;
    // A place that holds everything also takes care of a focus that was lost before.
    const isHere = place.contains(focused) || (place === this.root && focused === document.body);
    change();
    if (!isHere || focused.isConnected && focused !== document.body) return;
    const same = [...place.querySelectorAll("button")].find((button) => button.textContent === focused.textContent);
    const target = same ?? this.notices?.querySelector(".ending h2") ?? this.play?.main ?? this.root.querySelector("h1");
    if (target?.localName === "h1") target.tabIndex = -1;
    target?.focus({ preventScroll: target !== same });
  }

  // Tasks that change the stage follow one another.
  enqueue(task) {
    const { play } = this;
    this.busy = (this.busy ?? 0) + 1;
    this.queue = this.queue.then(async () => {
      if (!this.isClosed && play === this.play) await task();
    }).catch((error) => {
      if (this.isClosed) return;
      console.error(error);
      this.trouble = error.message;
    }).then(() => {
      this.busy -= 1;
      if (!this.isClosed) this.refresh();
    });
  }

  question(position) {
    const { snap, game } = this;
    return { game: game.game, rules: rulesText(snap.terms.rules), first: game.starts === "toss" ? snap.first : null, position };
  }

  // Asks what the game cannot go on without: again, if the server is away for a moment.
  async ask(path, params) {
    for (;;) {
      try {
        return await api(path, params);
      } catch (error) {
        if (this.isClosed || ![0, 429, 502, 503].includes(error.status)) throw error;
        await new Promise((done) => setTimeout(done, (error.seconds ?? 1) * 1000));
      }
    }
  }

  async load(position, values) {
    // A hint can be refused for good: a board may be too large to be solved.
    return values ? api("board", { ...this.question(position), values: 1 }) : this.ask("board", this.question(position));
  }

  // Shows the position there is, and writes down what led to it.
  async open() {
    const { snap, play } = this;
    const { turns, number, position } = snap;
    const begins = play.log.childElementCount === 0;
    this.board = await this.load(position.position);
    play.set(this.board);
    play.stage.cover(Object.fromEntries(snap.chosen.map((side) => [side, true])));
    if (!begins) return;
    const { 1: one, 2: two } = this.names;
    const role = snap.you ? `You are ${this.names[snap.you]} (P${snap.you}).` : `You are watching ${one} (P1) against ${two} (P2).`;
    play.note(`${number > 1 || snap.match ? `Game ${number}. ` : ""}${role}`);
    await this.recount(0, turns, (told) => play.write(told));
  }

  // Plays turns again from number `from` on, and hands over what is told of them. Says how many it were: forced passes
  // that follow are played with them.
  async recount(from, turns, each) {
    let position = from === 0 ? null : this.board.position;
    let at = 0;
    while (at < turns.length) {
      const part = turns.slice(at, at + AT_ONCE);
      const list = part.map((turn) => `${turn[1] ?? ""}/${turn[2] ?? ""}`).join(",");
      const { told, board } = await this.ask("turn", { ...this.question(position), turns: list });
      each(told.map((event) => ({ ...event, turn: event.turn + from + at, text: this.named(event.text) })), board);
      at += Math.max(part.length, ...told.map(({ turn }) => turn));
      position = board.position;
    }
    return at;
  }

  hear(kind, data) {
    if (kind === "begin" || kind === "waiting" || kind === "closed") {
      const { stage } = this.snap;
      if (kind === "closed" || !this.play || stage === "open") return this.root.isConnected && this.keepFocus(this.root, () => this.rebuild());
      // The next game of the room.
      if (data.swapped) say("The players swap seats.");
      return this.keepFocus(this.root, () => this.rebuild());
    }
    if (!this.play) return;
    const { play } = this;
    const { snap } = this;
    const { you } = snap;
    const who = data.player ? this.names[data.player] : "";
    switch (kind) {
      case "turn": {
        const { told, turns, position } = data;
        const rules = this.load(position.position);
        rules.catch(() => {});
        this.enqueue(async () => {
          await play.tell(told, turns[0]);
          this.board = await rules;
          play.set(this.board);
        });
        break;
      }
      case "missed":
        this.enqueue(async () => {
          const { from, turns } = data;
          const written = Math.max(0, turns.length - MOVING);
          const show = (board) => {
            this.board = board;
            play.set(board);
          };
          let at = await this.recount(from, turns.slice(0, written), (told, board) => {
            play.write(told);
            show(board);
          });
          while (at < turns.length) {
            const turn = turns[at];
            let next;
            at += await this.recount(from + at, [turn], (told, board) => { next = { told, board }; });
            await play.tell(next.told, turn);
            show(next.board);
          }
        });
        break;
      case "undo": {
        const { position } = snap;
        this.enqueue(async () => {
          play.strike(data.left);
          play.note(data.left === 0 ? "All turns were taken back." : `Taken back: ${data.left === 1 ? "1 turn is" : `${data.left} turns are`} left.`);
          play.stage.clearShown();
          this.board = await this.load(position.position);
          play.set(this.board);
        });
        break;
      }
      case "chosen":
        this.enqueue(() => play.stage.cover(Object.fromEntries(this.snap.chosen.map((side) => [side, true]))));
        if (data.player !== you) this.note(`${who} has chosen.`);
        break;
      case "offer":
        this.note(`${who} ${offered(data.what)}.`);
        break;
      case "answer":
        this.note(`${who} ${data.yes ? "accepts" : "declines"}.`);
        break;
      case "say": {
        const phrase = this.phrases.find((one) => one.phrase === data.phrase);
        this.note(`${who}: ${phrase?.text ?? data.phrase}`);
        break;
      }
      case "presence":
        this.hearPresence(data.players);
        break;
      case "end":
        this.enqueue(() => {
          sound("end");
          const { reason, result } = ending(data.end, this.names, snap.terms);
          if (data.end.termination !== "rules") play.note([reason, result].filter(Boolean).join(" "));
          const tally = score(snap, this.names);
          if (tally) play.note(tally);
        });
        break;
      case "paused":
        this.note("The server stops. The game is paused, and no clock runs.");
        break;
      case "resumed":
        this.note("The game goes on.");
        break;
      case "stuck":
        this.trouble = data.text;
        break;
    }
    this.refresh();
  }

  // Notes keep their place between the turns.
  note(text) {
    const { play } = this;
    this.enqueue(() => play.note(text));
  }

  hearPresence(players) {
    const { snap } = this;
    const before = this.present;
    this.present = { ...players };
    for (const side of SIDES) {
      if (!before || side === snap.you || before[side] === players[side] || snap.players[side]?.level) continue;
      this.note(`${this.names[side]} is ${players[side] ? "" : "not "}connected.`);
    }
  }

  // What the player does

  act(text) {
    return this.room.act(text);
  }

  async request(promise) {
    try {
      await promise;
      this.refresh();
    } catch (error) {
      alarm(error.message);
    }
  }

  word(text) {
    const [word, rest] = text.toLowerCase().split(/\s+(.*)/);
    const { snap, room } = this;
    const offer = snap.you && snap.offers[other(snap.you)];
    const words = {
      rules: () => go(`/rules/${this.game.game}`),
      lobby: () => go("/"),
      quit: () => go("/"),
      help: () => this.play.note(`You can also enter ${Object.keys(words).join(", ")}.`),
    };
    if (this.hintable()) words.hint = () => this.toggleHints();
    if (snap.stage === "over") words.review = () => go(this.address(snap.number));
    if (snap.you) {
      words.say = () => {
        const phrase = this.phrases.find((one) => one.phrase === rest);
        if (phrase) this.request(room.say(phrase.phrase));
        else this.play.refuse({ text: `You can say ${this.phrases.map((one) => one.phrase).join(", ")}.` });
      };
      if (offer) Object.assign(words, { yes: () => this.request(room.answer(offer, true)), no: () => this.request(room.answer(offer, false)) });
      if (snap.end) words.rematch = () => this.request(room.offer("rematch"));
      else {
        Object.assign(words, {
          undo: () => this.request(room.offer("takeback")),
          draw: () => this.request(room.offer("draw")),
          resign: () => this.confirmResign(),
          claim: () => this.request(room.claim()),
        });
      }
    }
    words[word]?.();
    return Object.hasOwn(words, word);
  }

  confirmResign() {
    const { snap } = this;
    const turns = this.game.tempo === "simultaneous" ? 1 : 2;
    const isAbort = snap.turns.length < turns && !(snap.match?.game > 1);
    const dialog = h("dialog", { "aria-labelledby": "resign", onclose: () => dialog.remove() },
      h("form", { method: "dialog" },
        h("h2", { id: "resign" }, isAbort ? "Abort the game?" : "Resign the game?"),
        h("p", null, isAbort ? "The game has hardly begun: it ends without a result." : `${this.names[other(snap.you)]} then wins the game.`),
        h("div", { class: "row" },
          h("button", { class: "danger", onclick: () => this.request(this.room.resign()) }, isAbort ? "Abort" : "Resign"),
          h("button", { autofocus: true }, "Play on"))));
    document.body.append(dialog);
    dialog.showModal();
  }

  hintable() {
    const { snap } = this;
    return snap.terms.hints && snap.number > 0 && !snap.end;
  }

  toggleHints() {
    this.isHinting = !this.isHinting;
    this.refresh();
    if (this.isHinting) this.showHints();
    else this.play.values({});
  }

  async showHints() {
    const { play, snap } = this;
    const { position } = snap.position;
    try {
      const { analysis, remarks } = await this.load(position, true);
      if (position !== this.snap.position?.position || !this.isHinting) return;
      // The remarks speak to whoever is to choose.
      if (this.room.isAsked) return play.values(valueLabels(analysis, snap.you), remarks);
      // Whoever has no buttons reads what the others' choices are worth.
      const worth = snap.position.turn.map((side) => {
        const labels = valueLabels(analysis, side);
        const rated = (this.board.choices?.[side] ?? []).map((choice) => `${caption(choice)} (${labels[choice.move]?.text})`);
        return `${this.names[side]}: ${rated.join(", ")}.`;
      });
      play.values({}, worth);
    } catch (error) {
      alarm(error.message);
    }
  }

  address(number) {
    return `/g/${this.room.code}?game=${number}`;
  }

  // What is shown around the stage

  strip(side) {
    const node = h("section", { class: `player p${side}`, "aria-label": `Player ${side}` },
      h("div", { class: "who" }), h("div", { class: "clock", role: "timer" }), h("div", { class: "status" }));
    this.strips[side] = node;
    return node;
  }

  // Brings everything but the stage up to date.
  refresh() {
    if (!this.play || this.isClosed) return;
    const { snap, play, room, names } = this;
    const { you, position, match } = snap;
    const others = room.watchers - (you ? 0 : 1);
    const watched = [!you && "you watch", others > 0 && `${others} ${you ? "" : others > 1 ? "others " : "other "}watching`].filter(Boolean).join(", ");
    const set = match && `Game ${match.game} of ${match.of}`;
    this.line.textContent = [set, !match && snap.number > 1 && `Game ${snap.number}`, watched].filter(Boolean).join(" · ");
    const tally = points(snap);
    for (const side of SIDES) {
      const player = snap.players[side];
      const strip = this.strips[side];
      const who = [sign(side), isolated(player?.name ?? ""), side === you && h("span", { class: "muted" }, " (you)"),
        player?.rating && h("span", { class: "muted small" }, ` ${player.rating}`),
        tally && " ", tally && h("span", { class: "tally" }, tally[side], h("span", { class: "unseen" }, tally[side] === "1" ? " point" : " points"))];
      strip.querySelector(".who").replaceChildren(...who.filter(Boolean));
      strip.classList.toggle("turn", !snap.end && (position?.turn.includes(side) ?? false));
    }
    this.tick();
    this.refreshNotices();
    this.refreshActions();
    if (this.busy || play.isSending) return;
    this.refreshChoices();
    const mark = room.isAsked ? "● Your turn · " : "";
    title(`${mark}${this.game.name}: ${names[1]} – ${names[2]}`);
  }

  refreshChoices() {
    const { snap, play, room, names } = this;
    const { you, position, end, stage } = snap;
    const state = JSON.stringify([snap.number, snap.turns.length, snap.undone, position?.position, room.isAsked, snap.chosen, stage, Boolean(end)]);
    if (state === this.state || !this.board) return;
    this.state = state;
    if (room.isAsked) {
      play.ask(you, this.named(this.board.prompt?.[you] ?? "Choose."));
      // Once a turn, also if a choice was refused or the connection was away.
      const turn = JSON.stringify([snap.number, snap.turns.length, snap.undone]);
      if (turn !== this.turn) {
        sound("turn");
        say(`Your turn. ${play.prompt.textContent}`);
      }
      this.turn = turn;
      if (this.isHinting) this.showHints();
      return;
    }
    const waiting = (position?.turn ?? []).filter((side) => side !== you && !snap.chosen.includes(side)).map((side) => names[side]);
    const isMine = position?.turn.includes(you) && !snap.chosen.includes(you);
    let text = `${waiting.join(" and ")} ${waiting.length > 1 ? "are" : "is"} to choose.`;
    if (end || stage === "over") text = "";
    else if (stage === "paused") text = "The game is paused. It goes on when the server is back.";
    else if (you && isMine) text = "Sending …";
    else if (you && snap.chosen.includes(you)) text = `You have chosen. Waiting for ${waiting.join(" and ")}.`;
    else if (waiting.length === 0) text = "";
    // What can be typed while nobody is asked.
    const typed = end ? "Type rematch, review, lobby or help" : "Type say, draw, undo, resign or help";
    play.rest(text, you ? typed : "");
    if (you && text && snap.chosen.includes(you)) say(text);
    if (this.isHinting && !end && position) this.showHints();
    if (end) play.stage.finish(end.result === "1-0" ? 1 : end.result === "0-1" ? 2 : null);
  }

  refreshNotices() {
    const { snap, room, names } = this;
    const { you, end, stage } = snap;
    const parts = [];
    const add = (key, ...children) => parts.push({ key, node: () => h("div", { class: `notice ${key.startsWith("bad") ? "bad" : ""}` }, children) });
    // The result waits for the last turn's animation, but not for what is noted later.
    const result = `end ${snap.number} ${JSON.stringify(end)}`;
    if (end && (!this.busy || this.noticeKey?.startsWith(result))) parts.push({ key: result, node: () => this.showEnding() });
    if (this.trouble) add(`bad ${this.trouble}`, h("p", null, this.trouble), h("button", { onclick: () => { this.trouble = null; this.keepFocus(this.root, () => this.rebuild()); } }, "Try again"));
    if (stage === "paused") add("paused", h("p", null, "The server is restarting. No clock runs, and the game goes on when it is back."));
    for (const side of SIDES) {
      const what = snap.offers[side];
      if (!what) continue;
      const text = `${names[side]} ${offered(what)}.`;
      if (you && side !== you) {
        add(`offer ${side} ${what}`, h("p", null, text),
          h("button", { class: "primary", onclick: () => this.request(room.answer(what, true)) }, "Accept"),
          h("button", { onclick: () => this.request(room.answer(what, false)) }, "Decline"));
      } else add(`offer ${side} ${what}`, h("p", null, you ? `You have offered a ${what}. ${names[other(side)]} has not answered yet.` : text));
    }
    const claim = this.claimIn();
    const isKnown = net.state === "open";
    if (claim !== null && isKnown) {
      const name = names[other(you)];
      if (claim <= 0) {
        add("claim now", h("p", null, `${name} is gone. You can claim the game, or wait.`),
          h("button", { class: "primary", onclick: () => this.request(room.claim()) }, "Claim the game"));
      } else add(`claim ${claim}`, h("p", null, `${name} is not connected. In ${period(claim)} you can claim the game.`));
    }
    const abort = room.abortsIn;
    if (abort !== null && isKnown && !end && stage === "playing") {
      const left = Math.ceil(abort / 1000);
      add(`abort ${left}`, h("p", null, `If a first move is not made within ${period(left)}, the game is aborted.`));
    }
    const key = parts.map((part) => part.key).join("|");
    if (key === this.noticeKey) return;
    this.noticeKey = key;
    // A countdown must not take the focus from a button.
    const kept = new Map([...this.notices.children].map((node) => [node.dataset.key, node]));
    const nodes = parts.map((part) => {
      const known = kept.get(part.key);
      if (known) return known;
      const node = part.node();
      node.dataset.key = part.key;
      return node;
    });
    this.keepFocus(this.notices, () => {
      for (const node of [...this.notices.children]) if (!nodes.includes(node)) node.remove();
      nodes.forEach((node, index) => {
        if (this.notices.children[index] !== node) this.notices.insertBefore(node, this.notices.children[index] ?? null);
      });
    });
    // Whoever was at the choices goes on at the result.
    if (end && !kept.has(result) && this.play.list.contains(document.activeElement)) this.notices.querySelector(".ending h2")?.focus();
  }

  // In how many seconds the game can be claimed; null if it cannot.
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
    // It counts from when they left or it became their turn; a snapshot knows how much of it is over.
    const state = JSON.stringify([snap.number, snap.turns.length, snap.undone, snap.chosen]);
    const now = performance.now();
    const isTold = snap !== this.claimTold && snap.claim_in !== undefined;
    if (isTold || this.claim?.state !== state) this.claim = { state, at: now + 1000 * (isTold ? snap.claim_in : after) };
    this.claimTold = snap;
    return Math.max(0, Math.ceil((this.claim.at - now) / 1000));
  }

  showEnding() {
    const { snap, game, names, room } = this;
    const { you, end, match, number } = snap;
    const { winner, reason } = ending(end, names, snap.terms);
    const tally = score(snap, names);
    const goesOn = match && !tally?.startsWith("Final");
    const last = [...this.play.log.querySelectorAll(".turn:not(.undone)")].at(-1);
    const told = end.termination === "rules" ? [...(last?.querySelectorAll("p") ?? [])].slice(-2).map((line) => line.textContent).join(" ") : "";
    const record = `/g/${room.code}.skr?game=${number}`;
    return h("section", { class: `ending ${winner ? `p${winner}` : ""}` },
      h("div", { class: "row" }, (winner ? [winner] : SIDES).map((side) => emblem(game, this.board, side))),
      h("div", null,
        h("h2", { tabindex: -1 }, winner ? [sign(winner), winner === you ? "You win" : [isolated(names[winner]), " wins"]] : end.result === "*" ? "No result" : "A draw"),
        h("p", null, reason || told),
        tally && h("p", null, tally),
        snap.terms.rated && you && h("p", { class: "muted" }, "The game was rated: ", link("/you", "your history"), " shows your rating.")),
      h("div", { class: "row" },
        goesOn && h("p", { class: "wait" }, "The next game begins in a moment"),
        you && !goesOn && h("button", { class: "primary", onclick: () => this.request(room.offer("rematch")) }, "Rematch"),
        link(this.address(number), "Review", { class: "button" }),
        h("a", { class: "button", href: record, download: `${room.code}-${number}.skr` }, "Download the record"),
        h("button", { onclick: (event) => this.share(event.currentTarget, number) }, "Share"),
        link("/", "Play something else", { class: "button" })));
  }

  async share(button, number) {
    const url = `${net.me?.url ?? location.origin}${this.address(number)}`;
    try {
      if (navigator.share) return await navigator.share({ title: this.game.name, url });
      await navigator.clipboard.writeText(url);
      button.textContent = "Link copied";
      say("Link copied.");
    } catch (error) {
      if (error.name === "AbortError") return;
      button.replaceWith(h("code", { class: "secret" }, url));
    }
  }

  refreshActions() {
    const { snap, room } = this;
    const { you, end, stage } = snap;
    const isOn = you && !end && stage === "playing";
    const mine = you && snap.offers[you];
    const key = JSON.stringify([isOn, mine, snap.turns.length > 0, this.hintable(), this.isHinting, snap.number, Boolean(end)]);
    if (key === this.actionKey) return;
    this.actionKey = key;
    const earlier = Array.from({ length: snap.number - 1 }, (_, index) => link(this.address(index + 1), `Game ${index + 1}`, { class: "button quiet" }));
    this.keepFocus(this.actions, () => this.actions.replaceChildren(...[
      isOn && mine !== "draw" && h("button", { onclick: () => this.request(room.offer("draw")) }, "Offer a draw"),
      isOn && mine !== "takeback" && snap.turns.length > 0 && h("button", { onclick: () => this.request(room.offer("takeback")) }, "Take back"),
      this.hintable() && h("button", { "aria-pressed": String(Boolean(this.isHinting)), onclick: () => this.toggleHints() }, "Hint"),
      isOn && h("button", { class: "danger", onclick: () => this.confirmResign() }, "Resign"),
      link(`/rules/${this.game.game}`, "Rules", { class: "button quiet" }),
      ...earlier,
    ].filter(Boolean)));
  }

  tick() {
    if (!this.play || !this.snap || this.isClosed) return;
    const { snap, room } = this;
    const { you, end } = snap;
    const low = Math.min(LOW, 333 * (/^(\d+)s$/.exec(snap.terms.clock)?.[1] ?? LOW));
    const isKnown = net.state === "open";
    for (const side of SIDES) {
      const strip = this.strips[side];
      strip.classList.toggle("unknown", !isKnown);
      const left = room.left(side);
      const clock = strip.querySelector(".clock");
      const isLow = isKnown && left !== null && left < low && !end && snap.clock.running.includes(side);
      const text = left === null ? "" : clockText(left);
      if (clock.textContent !== text) clock.textContent = text;
      clock.hidden = left === null;
      clock.classList.toggle("low", isLow);
      const player = snap.players[side];
      const presence = player?.level ? `computer, ${player.level}` : this.presence(side);
      const doing = [
        !end && snap.chosen.includes(side) && "has chosen",
        isKnown && !end && snap.stage === "playing" && position(snap, side) && (side === you ? "your turn" : "to choose"),
        isLow && "time is running out",
      ].filter(Boolean).join(", ");
      const place = strip.querySelector(".status");
      const lead = doing ? `${presence}, ` : presence;
      // Small screens leave out what is as usual.
      if (place.textContent !== lead + doing) place.replaceChildren(h("span", { class: presence === "connected" ? "usual" : null }, lead), doing);
      if (isLow && side === you && !this.lowSaid) {
        this.lowSaid = true;
        say(`You have ${period(Math.ceil(left / 1000))} left.`);
      }
      if (side === you && left !== null && left > 2 * low) this.lowSaid = false;
    }
    this.refreshNotices();
  }

  // Whether a side is connected, as far as it is known.
  presence(side) {
    const { you, present } = this.snap;
    if (net.state !== "open") return side === you ? "not connected" : "connection unknown";
    return present?.[side] === false ? "not connected" : "connected";
  }

  // An earlier game

  async review(number) {
    this.play?.close();
    this.play = null;
    this.cleanup?.();
    clear(this.root);
    const { code } = this.room;
    const { snap } = this;
    title(`Game ${number} of ${code}`);
    const place = h("div");
    const back = snap.stage === "over" ? "Back to the end of the game" : "To the game that is being played";
    const others = Array.from({ length: snap.number }, (_, index) => index + 1)
      .filter((one) => one !== number && (one < snap.number || snap.end))
      .map((one) => link(this.address(one), `Game ${one}`, { class: "button quiet" }));
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

// Whether the game waits for a side.
const position = (snap, side) => (snap.position?.turn.includes(side) ?? false) && !snap.chosen.includes(side);

// A room's game while it is played or watched: reports events, and accepts the player's actions.

import { api, rulesText } from "./api.js";
import { alarm, go, say, title } from "./app.js";
import { Around, address, other } from "./around.js";
import { h } from "./dom.js";
import { net } from "./net.js";
import { Play, caption, table, valueLabels } from "./play.js";
import { showRules } from "./sheet.js";
import { sound } from "./sound.js";
import { called } from "./terms.js";
import { PAUSED, closing, ending, isOver, offered, score, winnerOf } from "./words.js";

const AT_ONCE = 1000; // maximum number of turns in one question
const MOVING = 3; // number of missed turns, at the end, that are animated

export class Live {
  /**
   * Shows the current game of `room`, after the view `before`. Show `node` once `ready` resolves. `again()` creates a new
   * view after an error.
   */
  constructor({ room, game, phrases, terms, before, again }) {
    this.room = room;
    this.game = game;
    this.phrases = phrases;
    this.again = again;
    this.queue = Promise.resolve();
    this.busy = 0;
    this.board = null;
    this.isStale = false;
    this.isHinting = before?.isHinting ?? false;
    this.present = before?.present;
    const { you } = this.snap;
    this.play = new Play({ game, onChoose: (text) => this.act(text), onWord: you ? (text) => this.word(text) : null, onSettled: () => this.refresh(), named: (text) => this.named(text) });
    this.around = new Around(this);
    const talk = h("details", { hidden: !you }, h("summary", null, "Say something"),
      h("div", { class: "phrases" }, phrases.map(({ phrase, text }) =>
        h("button", { onclick: () => this.request(room.say(phrase)) }, text))));
    const { line, message, strips, notices, actions } = this.around;
    this.play.refusal.after(notices);
    this.node = h("div", { class: "room" },
      h("div", { class: "room-top" }, h("div", { class: "room-head" }, h("h1", null, game.name), line), message),
      h("div", { class: "players" }, strips[1], strips[2]),
      table(this.play, h("h2", null, "What has happened"), this.play.log, talk, actions,
        h("p", { class: "muted small" }, terms)));
    this.off = net.onState(() => this.refresh());
    this.timer = setInterval(() => this.around.tick(), 250);
    this.enqueue(() => this.open());
    this.ready = this.queue;
    if (!before && room.stuck) say(room.stuck.text);
  }

  close() {
    this.isClosed = true;
    clearInterval(this.timer);
    this.off();
    this.play.close();
  }

  get snap() {
    return this.room.snap;
  }

  get names() {
    const { players } = this.snap;
    return { 1: called(players[1] ?? { name: "Player 1" }), 2: called(players[2] ?? { name: "Player 2" }) };
  }

  // Replaces Player 1 and Player 2 in the API's sentences by names.
  named(text) {
    return text.replace(/Player ([12])/g, (_, side) => this.names[side]);
  }

  // Addresses an event of a turn to the player, if one of them is looking. The server calls a computer "casual computer".
  addressed(event) {
    const { you, players } = this.snap;
    const computers = [players[1], players[2]].filter((player) => player?.level);
    const text = event.you?.[you] ?? event.text;
    return { ...event, text: computers.reduce((told, player) => told.replace(new RegExp(player.name, "gi"), called(player)), text) };
  }

  // Runs tasks that change the stage one after another.
  enqueue(task) {
    this.busy += 1;
    this.queue = this.queue.then(() => this.isClosed || task()).catch((error) => {
      if (this.isClosed) return;
      console.error(error);
      this.trouble = error.message;
    }).then(() => {
      this.busy -= 1;
      this.refresh();
    });
  }

  // Adds a note, which keeps its position between the turns.
  note(text) {
    this.enqueue(() => this.play.note(text));
  }

  // Server state

  question(position) {
    const { snap, game } = this;
    return { game: game.game, rules: rulesText(snap.terms.rules), first: game.starts === "toss" ? snap.first : null, position };
  }

  // Asks for data that the game needs to go on. Retries while the server is briefly unavailable.
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

  async show(position) {
    this.set(await this.ask("board", this.question(position)));
  }

  set(board) {
    this.board = board;
    this.play.set(board);
  }

  // Identifies the turn that the players are choosing.
  get turn() {
    const { number, turns, undone } = this.snap;
    return JSON.stringify([number, turns.length, undone]);
  }

  // The player's own choice for this turn, if it was made here.
  get own() {
    return this.made?.turn === this.turn ? this.made.choice : null;
  }

  // Makes a choice, and remembers it: until the turn is played, only its player may see it.
  async act(text) {
    const { turn, made, snap: { you } } = this;
    const choices = this.board.choices?.[you] ?? [];
    const typed = text.toLowerCase();
    const choice = choices.find(({ move }) => move === typed) ?? choices.find(({ words }) => words.toLowerCase().startsWith(typed));
    this.made = { turn, choice };
    try {
      await this.room.act(text);
    } catch (error) {
      // The player may have chosen elsewhere.
      this.made = made;
      this.enqueue(() => this.cover());
      throw error;
    }
  }

  // Covers the choices made so far, except the player's own.
  cover() {
    const { snap: { you, chosen }, own, play: { stage } } = this;
    const isOwn = own && chosen.includes(you);
    if (isOwn) stage.clearShown();
    stage.cover(Object.fromEntries(chosen.map((side) => [side, !(isOwn && side === you)])));
    if (isOwn) stage.duel.reveal(you, own.move);
  }

  // Shows the current position, and logs the turns that led to it.
  async open() {
    const { snap, play } = this;
    const { turns, number, position, you } = snap;
    const past = [];
    await Promise.all([this.show(position.position), this.recount(0, turns, (told) => past.push(...told))]);
    this.cover();
    const { 1: one, 2: two } = this.names;
    const role = you ? `You are ${this.names[you]} (P${you}).` : `You are watching ${one} (P1) against ${two} (P2).`;
    const isTossed = number === 1 && this.game.starts === "toss" && (snap.terms.first ?? "toss") === "toss";
    const starts = snap.first === you ? "you start" : `${this.names[snap.first]} starts`;
    const toss = isTossed ? ` The coin toss decides: ${starts}.` : "";
    play.note(`${number > 1 || snap.match ? `Game ${number}. ` : ""}${role}${toss}`);
    if (isTossed && !turns.length) play.stage.toss(snap.first);
    play.write(past);
  }

  // Replays turns from number `from` on, and passes each turn's sentences to `each`. Returns the number of turns played,
  // including forced passes.
  async recount(from, turns, each) {
    let position = from === 0 ? null : this.board.position;
    let at = 0;
    while (at < turns.length) {
      const part = turns.slice(at, at + AT_ONCE);
      const list = part.map((turn) => `${turn[1] ?? ""}/${turn[2] ?? ""}`).join(",");
      const { told, board } = await this.ask("turn", { ...this.question(position), turns: list });
      each(told.map((event) => this.addressed(event))
        .map((event) => ({ ...event, turn: event.turn + from + at, text: this.named(event.text) })), board);
      at += Math.max(part.length, ...told.map(({ turn }) => turn));
      position = board.position;
    }
    return at;
  }

  // Events

  hear(kind, data) {
    const { play, snap } = this;
    const who = data.player ? this.names[data.player] : "";
    switch (kind) {
      case "turn":
        this.hearTurn(data);
        break;
      case "missed":
        this.enqueue(() => this.catchUp(data));
        break;
      case "undo":
        this.hearUndo(data.left, snap.position);
        break;
      case "chosen":
        this.enqueue(() => this.cover());
        if (data.player !== snap.you) this.note(`${who} has chosen.`);
        break;
      case "offer":
        this.note(`${who} ${offered(data.what)}.`);
        break;
      case "answer":
        this.note(`${who} ${data.yes ? "accepts" : "declines"}.`);
        break;
      case "say":
        this.note(`${who}: ${this.phrases.find((one) => one.phrase === data.phrase)?.text ?? data.phrase}`);
        break;
      case "presence":
        this.hearPresence(data.players);
        break;
      case "end":
        this.enqueue(() => {
          sound("end");
          const { reason, result } = ending(data.end, this.names, snap.terms, snap.you);
          if (data.end.termination !== "rules") play.note([reason, result].filter(Boolean).join(" "));
          const tally = score(snap, this.names);
          if (tally) play.note(tally);
        });
        break;
      case "paused":
        // The question's place shows it.
        say(PAUSED);
        break;
      case "resumed":
        say("The game goes on.");
        break;
      case "closed":
        this.note(closing(snap));
        break;
      case "stuck":
        say(data.text);
        break;
      case "unstuck":
        if (data.text) this.note(data.text);
        break;
    }
    this.refresh();
  }

  hearTurn({ told, position }) {
    this.enqueue(async () => {
      const [, board] = await Promise.all([this.play.tell(told.map((event) => this.addressed(event))), this.ask("board", this.question(position.position))]);
      this.set(board);
    });
  }

  // Catches up on turns that were played while the connection was lost.
  async catchUp({ from, turns }) {
    const { play } = this;
    let at = await this.recount(from, turns.slice(0, Math.max(0, turns.length - MOVING)), (told, board) => {
      play.write(told);
      this.set(board);
    });
    while (at < turns.length) {
      const turn = turns[at];
      let next;
      at += await this.recount(from + at, [turn], (told, board) => { next = { told, board }; });
      await play.tell(next.told);
      this.set(next.board);
    }
  }

  hearUndo(left, { position }) {
    const { play } = this;
    this.enqueue(async () => {
      play.strike(left);
      play.note(left === 0 ? "All turns were taken back." : `Taken back: ${left === 1 ? "1 turn is" : `${left} turns are`} left.`);
      play.stage.clearShown();
      await this.show(position);
    });
  }

  hearPresence(players) {
    const { snap } = this;
    const before = this.present;
    this.present = { ...players };
    for (const side of [1, 2]) {
      if (!before || side === snap.you || before[side] === players[side] || snap.players[side]?.level) continue;
      this.note(`${this.names[side]} is ${players[side] ? "" : "not "}connected.`);
    }
  }

  // Player actions

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
    const { you, end, number } = snap;
    const offer = snap.offers[other(you)];
    const ask = (request) => () => this.request(request());
    const words = {
      rules: () => showRules(this.game),
      lobby: () => go("/"),
      quit: () => go("/"),
      help: () => this.play.note(`You can also enter ${Object.keys(words).join(", ")}.`),
      ...(this.isHintable && { hint: () => this.toggleHints() }),
      ...(isOver(snap) && { review: () => go(address(room.code, number)) }),
      say: () => this.sayPhrase(rest),
      ...(offer && { yes: ask(() => room.answer(offer, true)), no: ask(() => room.answer(offer, false)) }),
      ...(end ? !closing(snap) && { rematch: ask(() => room.offer("rematch")) } : {
        undo: ask(() => room.offer("takeback")),
        draw: ask(() => room.offer("draw")),
        resign: () => this.confirmResign(),
        claim: ask(() => room.claim()),
      }),
    };
    if (!Object.hasOwn(words, word)) return false;
    words[word]();
    return true;
  }

  sayPhrase(word) {
    const isKnown = this.phrases.some(({ phrase }) => phrase === word);
    if (isKnown) this.request(this.room.say(word));
    else this.play.refuse({ text: `You can say ${this.phrases.map(({ phrase }) => phrase).join(", ")}.` });
  }

  confirmResign() {
    const { snap } = this;
    const turns = this.game.tempo === "simultaneous" ? 1 : 2;
    const isAbort = snap.turns.length < turns && !(snap.match?.game > 1);
    const dialog = h("dialog", { "aria-labelledby": "resign", onclose: () => dialog.remove() },
      h("form", { method: "dialog" },
        h("h2", { id: "resign" }, isAbort ? "Abort the game?" : "Resign the game?"),
        h("p", null, isAbort ? "The game has only just begun, so it ends without a result." : `${this.names[other(snap.you)]} then wins the game.`),
        h("div", { class: "row" },
          h("button", { class: "danger", onclick: () => this.request(this.room.resign()) }, isAbort ? "Abort" : "Resign"),
          h("button", { autofocus: true }, "Play on"))));
    document.body.append(dialog);
    dialog.showModal();
  }

  get isHintable() {
    return this.snap.terms.hints && !this.snap.end;
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
      const { analysis, remarks } = await api("board", { ...this.question(position), values: 1 });
      if (position !== this.snap.position?.position || !this.isHinting) return;
      // The remarks address the player who is to choose.
      if (this.room.isAsked) return play.values(valueLabels(analysis, snap.you), remarks);
      // Viewers without buttons see the values of the others' choices.
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

  // Updates everything but the stage, once for any number of simultaneous changes.
  refresh() {
    if (this.isStale) return;
    this.isStale = true;
    queueMicrotask(() => this.renew());
  }

  renew() {
    this.isStale = false;
    if (this.isClosed) return;
    this.around.refresh();
    if (this.busy || this.play.isSending) return;
    this.refreshChoices();
    title(`${this.room.isAsked ? "● Your turn · " : ""}${this.game.name}: ${this.names[1]} – ${this.names[2]}`);
  }

  refreshChoices() {
    const { snap, play, room, names } = this;
    const { you, position, end, stage } = snap;
    // The opponent's choice does not change the buttons of a side still choosing: a finger may be on one.
    const chosen = !room.isAsked && snap.chosen;
    const state = JSON.stringify([this.turn, position?.position, room.isAsked, chosen, stage, Boolean(end)]);
    if (state === this.state || !this.board) return;
    this.state = state;
    if (room.isAsked) {
      play.ask(you, "Your move.");
      // Once per turn, even if a choice was refused or the connection was lost.
      if (this.turn !== this.asked) {
        sound("turn");
        say("Your move.");
      }
      this.asked = this.turn;
      if (this.isHinting) this.showHints();
      return;
    }
    const waiting = (position?.turn ?? []).filter((side) => side !== you && !snap.chosen.includes(side)).map((side) => names[side]);
    const isMine = position?.turn.includes(you) && !snap.chosen.includes(you);
    let text = `Waiting for ${waiting.join(" and ")}.`;
    if (end || isOver(snap)) text = "";
    else if (stage === "paused") text = `${PAUSED} It goes on by itself.`;
    else if (you && isMine) text = "Sending …";
    else if (you && snap.chosen.includes(you)) text = `You have chosen${this.own ? ` ${caption(this.own).toLowerCase()}` : ""}. ${text}`;
    else if (waiting.length === 0) text = "";
    // Words that can be typed while nobody is asked to choose.
    const typed = end ? `Type ${closing(snap) ? "" : "rematch, "}review, lobby or help` : "Type say, draw, undo, resign or help";
    play.rest(text, you ? typed : "");
    if (you && text && snap.chosen.includes(you)) say(text);
    if (this.isHinting && !end && position) this.showHints();
    if (end) play.stage.finish(winnerOf(end));
  }
}

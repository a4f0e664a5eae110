// A local copy of one game on the server, updated by its messages.

import { net } from "./net.js";
import "./news.js";
import * as rooms from "./rooms.js";

/**
 * Follows a game. With `watch`, does not take a seat; `room.sit()` can do that later. Await `room.ready` first, which rejects
 * if there is no such game.
 */
export function follow(code, { watch = false } = {}) {
  code = code.toUpperCase();
  const known = rooms.known(code);
  if (known) {
    known.users += 1;
    if (!watch && known.snap?.stage === "open" && known.snap.you === null) known.sit();
    return known;
  }
  const room = new Room(code, watch);
  rooms.enter(room);
  return room;
}

/**
 * Changes are passed to `onChange(kind, data)` once `snap` includes them:
 * - `waiting` {}; `begin` {resumed, swapped}: a game has begun, possibly the next one of the room
 * - `turn` {turns, told, position, player}; `missed` {from, turns}: turns from number `from` on, played while the connection
 *   was lost, without sentences; `undo` {left}
 * - `chosen` {player}; `offer` {player, what}; `answer` {player, what, yes}; `say` {player, phrase}
 * - `end` {end}; `paused` {}; `resumed` {}; `closed` {}; `presence` {players, watchers}
 * - `asked` {}: whether this person is to choose may have changed
 * - `stuck` {text, waits}: the computer or the server cannot go on; with `waits`, this resolves itself; `unstuck` {text}: it
 *   goes on, with a sentence unless another change says so
 */
class Room {
  /** The last snapshot with all later changes applied; null until `ready`. */
  snap = null;
  watchers = 0;
  /** Why the computer or the server cannot go on, with the data of `stuck`; null if it can. */
  stuck = null;
  /** Number of views that use this room. */
  users = 1;
  #watch;
  #listeners = new Set();
  #acting = 0;
  #isCatchingUp = false;
  #isRenewed = false;
  #settle;
  #clockAt = 0;
  #connectedAt = 0;

  constructor(code, watch) {
    this.code = code;
    this.#watch = watch;
    this.ready = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.ready.catch(() => {});
  }

  /** Calls `listener(kind, data)` on every change. Returns a function that removes the listener. */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether this person has to choose now. */
  get isAsked() {
    const { snap } = this;
    return Boolean(
      snap?.you && snap.stage === "playing" && !snap.end && this.#acting === 0 &&
        snap.position?.turn.includes(snap.you) && !snap.chosen.includes(snap.you),
    );
  }

  /** Whether a clock is running: a player's, or the countdown for the first moves. */
  get isClockRunning() {
    const { stage, end, clock } = this.snap ?? {};
    return stage === "playing" && !end && Boolean(clock && (clock.running.length || clock.abort !== undefined));
  }

  /** Remaining milliseconds of a side; null without a clock. */
  left(side) {
    const clock = this.snap?.clock;
    if (!clock) return null;
    const since = clock.running.includes(side) && this.snap.stage === "playing" ? this.#now - this.#clockAt : 0;
    return Math.max(0, clock.left[side] - since);
  }

  /** Milliseconds until the game is aborted for lack of a first move; null if it will not be. */
  get abortsIn() {
    const abort = this.snap?.clock?.abort;
    return abort === undefined ? null : Math.max(0, abort - (this.#now - this.#clockAt));
  }

  /** The last time with a connection. Afterwards, the state of the clocks is unknown. */
  get #now() {
    if (net.state === "open" || this.#connectedAt < this.#clockAt) this.#connectedAt = performance.now();
    return this.#connectedAt;
  }

  /**
   * Makes a choice. Like all actions, rejects with the server's sentence. The other actions resolve when the action is
   * durable, this one when `snap` includes it: otherwise the browser would first draw any changes made in between.
   */
  async act(move) {
    this.#acting += 1;
    this.#tell("asked", {});
    try {
      const { v } = await this.#request({ type: "act", v: this.snap.v, move });
      await this.#reach(v);
    } finally {
      this.#acting -= 1;
      this.#tell("asked", {});
    }
  }

  offer(what) {
    return this.#request({ type: "offer", v: this.snap.v, what });
  }

  answer(what, yes) {
    return this.#request({ type: "answer", v: this.snap.v, what, yes });
  }

  resign() {
    return this.#request({ type: "resign", v: this.snap.v });
  }

  claim() {
    return this.#request({ type: "claim", v: this.snap.v });
  }

  say(phrase) {
    return this.#request({ type: "say", phrase });
  }

  /** Takes the free seat of a game that this person only watched. */
  sit() {
    this.#watch = false;
    return this.#request({ type: "join" });
  }

  /** Leaves for good. A game of this person that nobody has joined is closed. */
  leave() {
    net.send({ type: "leave", code: this.code });
    rooms.exit(this.code);
    this.users = 0;
  }

  /**
   * Called when a view no longer shows the room. The person's own unfinished game is still followed: it stays open for
   * others, its player counts as present, and the page reports its progress.
   */
  stop() {
    this.users -= 1;
    if (this.users > 0) return;
    const isOwn = this.snap?.you && ["open", "playing", "paused"].includes(this.snap.stage);
    if (!isOwn) this.leave();
  }

  /** This person's account has changed: the next snapshot is needed even if nothing has happened. */
  renew() {
    this.#isRenewed = true;
  }

  /** Joins the room whenever a connection has been established. */
  join() {
    this.#catchUp();
  }

  receive(message) {
    if (message.type === "snap") this.#receiveSnap(message);
    else if (message.type === "ev") this.#receiveEv(message);
    else if (message.type === "presence") this.#receivePresence(message);
    else if (message.type === "pong") {
      if (message.versions[this.code] > (this.snap?.v ?? 0)) this.#catchUp();
    } else if (message.type === "rej") this.#receiveNotice(message);
  }

  #stick(text, waits = false) {
    const isNews = text !== this.stuck?.text;
    this.stuck = { text, waits };
    if (isNews) this.#tell("stuck", this.stuck);
  }

  #unstick(text = null) {
    if (!this.stuck && !text) return;
    this.stuck = null;
    this.#tell("unstuck", { text });
  }

  #request(message) {
    return net.request({ ...message, code: this.code }).catch((error) => {
      if (error.code === "version") this.#catchUp();
      throw error;
    });
  }

  /** Waits until `snap` has reached a version. */
  #reach(version) {
    return new Promise((resolve) => {
      const look = () => {
        if (this.snap.v < version) return;
        off();
        resolve();
      };
      const off = this.onChange(look);
      look();
    });
  }

  async #catchUp() {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    const message = { type: "join", code: this.code, watch: this.#watch || this.snap !== null };
    // Clocks that stood still may be running again.
    if (this.snap && !this.#isRenewed && !this.stuck) message.have = this.snap.v;
    this.#isRenewed = false;
    try {
      await net.request(message);
      this.#unstick();
    } catch (error) {
      this.#settle.reject(error);
      if (!this.snap) rooms.exit(this.code);
      else this.#stick(error.message);
    } finally {
      this.#isCatchingUp = false;
    }
  }

  #receiveSnap(snap) {
    const before = this.snap;
    if (before && snap.v < before.v) return;
    this.snap = snap;
    this.#clockAt = performance.now();
    this.#unstick();
    if (snap.stage === "open" && snap.v > (before?.v ?? 0)) this.#tell("waiting", {});
    if (snap.number > 0) this.#follow(before, snap);
    if (snap.stage === "closed" && before?.stage !== "closed") this.#tell("closed", {});
    if (before && before.stage !== snap.stage && ["paused", "playing"].includes(snap.stage)) {
      if (before.stage === "paused") this.#tell("resumed", {});
      if (snap.stage === "paused") this.#tell("paused", {});
    }
    for (const player of [1, 2]) {
      const what = snap.offers[player];
      if (what && what !== before?.offers[player]) this.#tell("offer", { player, what });
    }
    this.#settle.resolve(this);
    this.#tell("asked", {});
  }

  /** Reports the differences between two snapshots: every turn exactly once. */
  #follow(before, snap) {
    if (!before || before.number !== snap.number) {
      const seats = [before, snap].map((it) => it?.players[1]?.name);
      const swapped = Boolean(before?.number) && (before.you ? before.you !== snap.you : seats[0] !== seats[1]);
      this.#tell("begin", { resumed: snap.turns.length > 0, swapped });
    } else {
      let same = 0;
      const isSame = (one, two) => one && two && one[1] === two[1] && one[2] === two[2];
      while (isSame(before.turns[same], snap.turns[same])) same += 1;
      if (same < before.turns.length) this.#tell("undo", { left: same });
      if (same < snap.turns.length) this.#tell("missed", { from: same, turns: snap.turns.slice(same) });
    }
    if (snap.end && !(before?.number === snap.number && before.end)) this.#tell("end", { end: snap.end });
  }

  #receiveEv(ev) {
    const { snap } = this;
    if (!snap || ev.v <= snap.v) return;
    if (ev.v !== snap.v + 1) return void this.#catchUp();
    snap.v = ev.v;
    this.#unstick();
    if (ev.clock) this.#setClock(ev.clock);
    if (ev.position) snap.position = ev.position;
    const { player, what, yes } = ev;
    const calm = () => {
      snap.chosen = [];
      snap.offers = { 1: null, 2: null };
    };
    switch (ev.event) {
      case "chosen":
        snap.chosen = [...snap.chosen, player];
        this.#tell("chosen", { player });
        break;
      case "turn":
        calm();
        snap.turns = [...snap.turns, ...ev.turns];
        this.#tell("turn", { turns: ev.turns, told: ev.told ?? [], position: snap.position, player });
        break;
      case "undo":
        calm();
        snap.turns = snap.turns.slice(0, ev.left);
        snap.undone += 1;
        this.#tell("answer", { player, what: "takeback", yes: true });
        this.#tell("undo", { left: ev.left });
        break;
      case "offer":
        snap.offers = { ...snap.offers, [player]: what };
        this.#tell("offer", { player, what });
        break;
      case "answer":
        snap.offers = { ...snap.offers, [3 - player]: null };
        this.#tell("answer", { player, what, yes });
        break;
      case "say":
        this.#tell("say", { player, phrase: ev.phrase });
        break;
      case "paused":
        snap.stage = "paused";
        this.#tell("paused", {});
        break;
      case "resumed":
        snap.stage = "playing";
        this.#tell("resumed", {});
        break;
      case "closed":
        snap.offers = { 1: null, 2: null };
        this.#close();
        break;
    }
    if (ev.end && !snap.end) {
      calm();
      snap.end = ev.end;
      snap.stage = "over";
      this.#tell("end", { end: ev.end });
      // Nothing follows, so do not offer a rematch meanwhile.
      if (ev.closes) this.#close();
    }
    this.#tell("asked", {});
  }

  // Closes the room for good, and reports that once.
  #close() {
    const isNews = this.snap.stage !== "closed";
    this.snap.stage = "closed";
    if (isNews) this.#tell("closed", {});
  }

  // Handles a notice, which answers no request: the computer or the server cannot go on, or can again.
  #receiveNotice({ code, text, notice }) {
    if (notice.clock && this.snap) this.#setClock(notice.clock);
    if (notice.over) this.#unstick(text);
    else this.#stick(text, code === "storage");
  }

  #setClock(clock) {
    this.snap.clock = clock;
    this.#clockAt = performance.now();
  }

  #receivePresence({ players, watchers }) {
    this.watchers = watchers;
    if (this.snap) this.snap.present = players;
    this.#tell("presence", { players, watchers });
  }

  #tell(kind, data) {
    for (const listener of [...this.#listeners]) listener(kind, data);
    rooms.tell(this, kind, data);
  }
}

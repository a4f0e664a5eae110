// The connection to the server. It reconnects automatically, and resends unanswered requests.

import { askAgain } from "./api.js";
import { store, stored } from "./store.js";
import { CALM, HURRIED, Watchdog } from "./watchdog.js";

const TOKEN = "skirmish.token";
/** The name wanted by a guest who has no account yet. */
const NAME = "skirmish.name";
/** Changed whenever this person's name or account changes, so that other tabs reload it. */
const CHANGED = "skirmish.changed";

const CLIENT = "skirmish page";
const OFFLINE = "This device is offline.";
const SILENT = "The server does not answer.";
/** How often the page checks for silence, in milliseconds. */
const TICK = 500;
/** Maximum duration of an attempt to connect: the first one while a clock runs, and all others. */
const PATIENCE = [6_000, 12_000];
const PAUSES = [500, 10_000];
const LONGEST_RESTART = 60;

/** Slightly below the server's limits: initial credits, and milliseconds until one is restored. */
const PACE = { most: 80, refill: 55 };
const COSTS = { create: 5, seek: 5, register: 5, link: 5, lobby: 3, leaders: 3, history: 3, join: 2 };

/** Requests without an id: their answers are matched by type. */
const PLAIN = new Set(["lobby", "leaders", "history"]);
/** Refusals after which another attempt is pointless. */
const FINAL = new Set(["account", "hello", "malformed", "name", "proto", "too_long", "unknown"]);

let socket = null;
let greeted = false;
let started = false;
let token = stored(TOKEN);
let said = null;
let once = {};
let greeting = null;
let pending = [];
let retryAt = 0;
let retryTimer = null;
let pause = PAUSES[0];
let attempts = 0;
let hasHung = false;
let watchdog = new Watchdog(Date.now());
let fullAt = 0;
let restartSeconds = null;
let outbox = Promise.resolve();
const handlers = new Map();
const stateHandlers = new Set();

export const net = {
  /** "connecting", "open", "lost", "restarting" or "stopped" (there will be no automatic attempt). */
  state: "connecting",
  /** A sentence that says why there is no connection, or null. */
  reason: null,
  /** The last `welcome`: name, guest, games, url. */
  me: null,
  /** A message to be shown once, for example that an old token was dropped. */
  notice: null,

  /** Whether a clock is running in a followed game. The page is then less patient with the server. */
  isClockRunning: () => false,

  /** Seconds until the next attempt. */
  get seconds() {
    return Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
  },

  /** Connects, unless that has already happened. Resolves with the `welcome`. */
  hello() {
    if (!started) {
      started = true;
      connect();
      setInterval(watchSilence, TICK);
    }
    if (greeted) return Promise.resolve(net.me);
    greeting ??= later();
    return greeting.promise;
  },

  /** Whether this device has an account that could be lost. */
  get hasToken() {
    return token !== null;
  },

  /**
   * Sends a message and resolves with its answer. Until answered, the message is resent with the same id. Rejects with an
   * `Error` that has the server's sentence, and `code`, `text`, `legal` and `seconds`.
   */
  request(message) {
    net.hello();
    const entry = { message: PLAIN.has(message.type) ? message : { id: newId(), ...message }, ...later() };
    pending.push(entry);
    if (greeted) send(entry.message);
    return entry.promise;
  },

  /**
   * Calls `handler` with each message of a type. Returns a function that removes the handler. Additional types are `open`
   * (the server has identified this client), `again` (this client's account has changed) and `notice` (a refusal that answers
   * no request).
   */
  on(type, handler) {
    if (!handlers.has(type)) handlers.set(type, new Set());
    handlers.get(type).add(handler);
    return () => handlers.get(type).delete(handler);
  },

  /** Calls `handler` when `state`, `seconds` or `me` changes. Returns a function that removes the handler. */
  onState(handler) {
    stateHandlers.add(handler);
    return () => stateHandlers.delete(handler);
  },

  /** Sends a message that has no answer. Without a connection, it is lost. */
  send: (message) => greeted && send(message),

  /** Tries to connect at once. */
  retry() {
    if (socket === null) connect();
  },

  /** Repeats `hello`: `name` renames a guest, and `link` signs in to the account of a code. Resolves with the `welcome`. */
  introduce(what) {
    const { promise, resolve, reject } = later();
    once = { ...what, before: stored(NAME), resolve, reject };
    if (what.name && token === null) store(NAME, what.name);
    started ? again() : net.hello();
    return promise;
  },

  /** Registers a guest, or gives an account a new recovery code. */
  async register(name) {
    const answer = await net.request({ type: "register", name });
    net.me = { ...net.me, name: answer.name, guest: false };
    tellTabs();
    change();
    return answer;
  },

  /** Forgets the account on this device. The person continues as a new guest. */
  signOut() {
    forget();
    store(NAME, null);
    tellTabs();
    again();
  },
};

function connect() {
  clearTimeout(retryTimer);
  retryAt = 0;
  attempts += 1;
  let wasOpen = false;
  const ws = new WebSocket(`${location.origin.replace(/^http/, "ws")}/ws`);
  socket = ws;
  change(["restarting", "lost"].includes(net.state) ? net.state : "connecting");
  // Some networks drop all packets silently: the browser alone would wait for minutes.
  const time = PATIENCE[attempts === 1 && net.isClockRunning() ? 0 : 1];
  const patience = setTimeout(() => ws === socket && !greeted && lose(SILENT), time);
  ws.onopen = () => {
    wasOpen = true;
    watchdog = new Watchdog(Date.now());
    fullAt = 0;
    greet(stored(NAME));
  };
  ws.onmessage = ({ data }) => {
    if (ws !== socket) return;
    watchdog.hear(Date.now());
    const message = JSON.parse(data);
    if (greeted || message.type !== "rej") receive(message);
    else refused(message);
  };
  ws.onclose = async ({ reason }) => {
    clearTimeout(patience);
    if (ws !== socket) return;
    const text = wasOpen ? reason || "The connection was lost." : await unreachable();
    if (ws === socket) lose(text);
  };
}

/** A random text that identifies this device, whoever signs in on it. */
function device() {
  let text = stored("skirmish.device");
  if (!text) {
    text = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    store("skirmish.device", text);
  }
  return text;
}

/** Sends `hello`. `name` is the name that a new guest wants. */
function greet(name) {
  said = token;
  const message = { type: "hello", proto: 2, client: CLIENT, name: once.name || (token === null && name) || undefined };
  message.device = device();
  if (token !== null) message.token = token;
  if (once.link) message.link = once.link;
  socket.send(JSON.stringify(message));
}

/** Handles a refused `hello`: continues without the offending part. */
function refused(message) {
  const { code, text } = message;
  if (once.link && (code === "token" || code === "account")) settle(fault(message));
  else if (code === "token" && token !== null) {
    // Another tab may have stored a newer token.
    if (stored(TOKEN) !== null && stored(TOKEN) !== said) token = stored(TOKEN);
    else {
      forget();
      net.notice = "This server no longer recognises this device, so you continue as a new guest.";
    }
  } else if (code === "name") {
    if (once.name) settle(fault(message));
    else {
      net.notice = text;
      store(NAME, null);
    }
  } else return stop(text);
  greet(stored(NAME));
}

/** Finds out why no WebSocket could be opened, since the browser does not say. */
async function unreachable() {
  if (navigator.onLine === false) return OFFLINE;
  const health = await fetch("/health", { signal: AbortSignal.timeout(4_000) }).catch(() => null);
  return health?.ok
    ? "The server accepts no more connections at the moment."
    : "The server cannot be reached.";
}

function receive(message) {
  switch (message.type) {
    case "welcome":
      welcome(message);
      break;
    case "restart":
      restartSeconds = Math.min(message.seconds, LONGEST_RESTART);
      lose(message.seconds ? "Reconnecting at the server's request. Nothing is lost." : null);
      break;
    case "bye":
      if (FINAL.has(message.code)) stop(message.text);
      else if (once.link) {
        // Too many codes were tried. This limit does not concern the connection.
        settle(fault(message));
        again();
      } else lose(message.text, message.seconds);
      break;
    default:
      answer(message);
  }
  emit(message.type, message);
}

function emit(type, message) {
  for (const handler of handlers.get(type) ?? []) handler(message);
}

function welcome(message) {
  if (message.token) {
    token = message.token;
    store(TOKEN, token);
  }
  net.me = message;
  if (greeted) return change();
  greeted = true;
  if (hasHung) askAgain();
  hasHung = false;
  pause = PAUSES[0];
  attempts = 0;
  restartSeconds = null;
  net.reason = null;
  change("open");
  settle();
  greeting?.resolve(message);
  greeting = null;
  const unanswered = [...pending];
  emit("open");
  for (const entry of unanswered) send(entry.message);
}

function answer(message) {
  const { id, type } = message;
  const at = pending.findIndex(({ message: asked }) => {
    if (id !== undefined) return asked.id === id;
    if (type === "leaders") return asked.type === type && asked.game === message.game;
    if (type !== "rej") return asked.type === type;
    // Notices are broadcast, and answer no request.
    return !message.notice && PLAIN.has(asked.type);
  });
  if (at >= 0) {
    const [entry] = pending.splice(at, 1);
    if (type === "rej") entry.reject(fault(message));
    else entry.resolve(message);
  } else if (message.notice) emit("notice", message);
}

function drop() {
  const ws = socket;
  socket = null;
  greeted = false;
  ws?.close();
}

/** Schedules a reconnection. Without `text`, does so silently: the server runs on, but this device's account has changed. */
function lose(text, seconds) {
  drop();
  const wait = seconds ? seconds * 1000 : restartSeconds !== null ? Math.max(restartSeconds * 1000, PAUSES[0]) : pause;
  // Spread reconnections after a restart, so that clients do not all return at the same moment.
  const spread = wait * (1 + Math.random() * 0.2);
  pause = Math.min(pause * 2, PAUSES[1]);
  retryAt = Date.now() + spread;
  retryTimer = setTimeout(connect, spread);
  net.reason = text;
  change(text === null ? "connecting" : restartSeconds !== null ? "restarting" : "lost");
  restartSeconds = null;
}

function stop(text) {
  drop();
  clearTimeout(retryTimer);
  net.reason = text;
  settle(new Error(text));
  change("stopped");
}

/** Reconnects with the account of the current token, whose seats in games may differ. */
function again() {
  emit("again");
  // A connection still being opened will send the new `hello`.
  if (socket?.readyState === WebSocket.CONNECTING) return;
  drop();
  if (started) connect();
}

function settle(error) {
  const { resolve, reject, name, before } = once;
  once = {};
  if (!resolve) return;
  if (error) {
    if (name && stored(NAME) === name) store(NAME, before);
    return reject(error);
  }
  tellTabs();
  resolve(net.me);
}

function forget() {
  token = null;
  store(TOKEN, null);
}

function tellTabs() {
  store(CHANGED, newId());
}

/** Sends messages slightly slower than the server's limits allow. */
function send(message) {
  const ws = socket;
  const cost = COSTS[message.type] ?? 1;
  const now = Date.now();
  fullAt = Math.max(fullAt, now) + PACE.refill * cost;
  const wait = fullAt - now - PACE.refill * PACE.most;
  const put = () => ws === socket && ws?.readyState === WebSocket.OPEN && ws.send(JSON.stringify(message));
  if (wait <= 0) put();
  else outbox = outbox.then(() => new Promise((done) => setTimeout(done, wait))).then(put);
}

function watchSilence() {
  if (!greeted) {
    if (retryAt) change();
    return;
  }
  const verdict = watchdog.look(Date.now(), net.isClockRunning() ? HURRIED : CALM);
  if (verdict === "ask") send({ type: "ping" });
  else if (verdict === "leave") leave();
}

/** Leaves a hung node, and repeats other requests to it on the next one. */
function leave() {
  hasHung = true;
  lose(SILENT);
}

/** Checks at once whether the connection still works, because the person is back. */
function wake() {
  if (!started || document.visibilityState === "hidden") return;
  if (socket === null) {
    if (net.state === "lost") {
      pause = PAUSES[0];
      connect();
    }
    return;
  }
  if (!greeted) return;
  const asked = Date.now();
  send({ type: "ping" });
  setTimeout(() => greeted && watchdog.heard < asked && leave(), 4000);
}
document.addEventListener("visibilitychange", wake);
addEventListener("offline", () => started && net.state !== "stopped" && lose(OFFLINE));
addEventListener("online", () => {
  // An attempt begun while offline may hang.
  if (started && socket !== null && !greeted) lose(OFFLINE);
  wake();
});
// A page in the browser's back-forward cache keeps no connection.
addEventListener("pagehide", () => {
  clearTimeout(retryTimer);
  drop();
});
addEventListener("pageshow", (event) => event.persisted && started && socket === null && connect());
addEventListener("storage", ({ key }) => {
  if (key !== TOKEN && key !== CHANGED && key !== null) return;
  const now = stored(TOKEN);
  if (now === token && key === TOKEN) return;
  token = now;
  if (started) again();
});

function change(state = net.state) {
  net.state = state;
  for (const handler of stateHandlers) handler(state);
}

function fault({ code, text, legal, seconds }) {
  return Object.assign(new Error(text), { code, text, legal, seconds });
}

function later() {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** A random id, because several tabs and devices may share an account. */
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The page's entry point: shows the view for the current address.

import { clear, h } from "./dom.js";
import { banner } from "./banner.js";
import { net } from "./net.js";

/** Patterns of addresses, the module that shows each, and its item in the menu. */
const ROUTES = [
  [/^\/$/, "home", "play"],
  [/^\/watch$/, "watch", "watch"],
  [/^\/you$/, "you", "you"],
  [/^\/g\/(?<code>[^/]+)$/, "room", "play"],
  [/^\/practice\/(?<game>[^/]+)$/, "practice", "play"],
  [/^\/puzzle(?:\/(?<game>[^/]+))?$/, "puzzle", "learn"],
  [/^\/explore(?:\/(?<game>[^/]+))?$/, "explore", "explore"],
  [/^\/learn(?:\/(?<game>[^/]+))?$/, "learn", "learn"],
  [/^\/rules\/(?<game>[^/]+)$/, "learn", "learn"],
];

const main = document.getElementById("main");
let shown = null;
let turn = 0;

/** Navigates to an address of the page. With `replace`, the current address is removed from the history. */
export function go(path, { replace = false } = {}) {
  if (replace) history.replaceState({}, "", path);
  else {
    history.replaceState({ ...history.state, scroll: scrollY }, "");
    history.pushState({}, "", path);
  }
  return render(!replace);
}

/** Changes the address without navigating, for state that a view keeps in its query. */
export function here(path) {
  history.replaceState(history.state, "", path);
}

/** A link to an address of the page. `content` may be text or nodes. */
export const link = (path, content, props = {}) => h("a", { href: path, ...props }, content);

let heading = "";
let waiting = 0;
/** Sets the title of the window. */
export function title(text) {
  heading = text;
  document.title = `${waiting ? `(${waiting}) ` : ""}${heading ? `${heading} · ` : ""}Skirmish`;
}

/** Shows in the title how many games wait for this person. */
export function count(games) {
  waiting = games;
  title(heading);
}

/** Announces text to screen readers. Unread announcements are kept. */
export function say(text) {
  if (!text) return;
  const log = document.getElementById("polite");
  log.append(h("p", null, text));
  while (log.childElementCount > 20) log.firstChild.remove();
}

let alarmTimer;
/** Shows why something was refused, to everybody. Disappears after a while; null removes it at once. */
export function alarm(text) {
  const place = document.getElementById("alarm");
  clearTimeout(alarmTimer);
  clear(place).hidden = !text;
  if (!text) return;
  place.append(h("span", null, text), h("button", { class: "quiet", onclick: () => alarm(null) }, "Close"));
  alarmTimer = setTimeout(alarm, Math.max(8000, text.length * 120), null);
}

/** Shows everybody a message with a link. Disappears after a while. */
export function toast(text, path, way) {
  const box = h("div", { class: "toast" }, h("span", null, text));
  const close = () => box.remove();
  if (path) box.append(link(path, way, { class: "button", onclick: close }));
  box.append(h("button", { class: "quiet", onclick: close }, "Close"));
  document.getElementById("toasts").append(box);
  say(typeof text === "string" ? text : box.firstChild.textContent);
  setTimeout(close, 20_000);
}

/** Runs the work that a button starts. Meanwhile the button is disabled and shows `word`. Failures are shown. */
export async function busy(button, word, work) {
  if (button.ariaBusy) return;
  const text = button.textContent;
  Object.assign(button, { ariaBusy: "true", ariaDisabled: "true", textContent: word });
  const timer = setTimeout(say, 500, word);
  try {
    await work();
  } catch (error) {
    alarm(error.message);
  } finally {
    clearTimeout(timer);
    Object.assign(button, { ariaBusy: null, ariaDisabled: null, textContent: text });
  }
}

const sheets = new Map();
/** Loads a stylesheet once. Await it before showing anything that uses it. */
export function style(file) {
  if (!sheets.has(file)) {
    sheets.set(file, new Promise((resolve) => {
      const failed = () => resolve(sheets.delete(file));
      document.head.append(h("link", { rel: "stylesheet", href: `/static/${file}`, onload: resolve, onerror: failed }));
    }));
  }
  return sheets.get(file);
}

/** Loads a module on demand, by its name. */
export const part = (name) => import(`./${name}.js`).catch((error) => {
  console.error(error);
  throw new Error("The server cannot be reached. Try again when you are connected.");
});

/** Shows that something does not exist, with links to go on. */
export function nothing(root, heading, text, ...ways) {
  title(heading);
  const on = ways.length ? ways : [link("/", "Play", { class: "button primary" })];
  root.replaceChildren(h("div", { class: "page" },
    h("section", { class: "card nothing" }, h("h1", null, heading), h("p", null, text), h("p", { class: "row" }, on))));
}

/**
 * Shows the view for the current address. A view is `show(root, {path, params, query})`, which resolves with its clean-up. If
 * the clean-up has a method `update`, that is called with a new address of the same view.
 */
async function render(moved, scroll = 0) {
  const mine = ++turn;
  const { pathname: path, search } = location;
  const place = { path, query: new URLSearchParams(search), params: {} };
  const [pattern, view, item] = ROUTES.find(([pattern]) => pattern.test(path)) ?? [];
  for (const [key, text] of Object.entries(pattern?.exec(path).groups ?? {})) if (text) place.params[key] = readable(text);
  for (const entry of document.querySelectorAll("nav [data-view]")) {
    if (entry.dataset.view === item) entry.setAttribute("aria-current", "page");
    else entry.removeAttribute("aria-current");
  }
  if (shown?.path === path && shown.cleanup?.update) return shown.cleanup.update(place);
  leave();
  const root = h("div", { class: "view" });
  let cleanup;
  try {
    if (view) {
      // The first screen does not need the styles of the other views.
      const [module] = await Promise.all([part(view), view !== "home" && style("more.css")]);
      if (mine !== turn) return;
      main.replaceChildren(root);
      cleanup = await module.show(root, place);
    } else {
      main.replaceChildren(root);
      nothing(root, "There is no such page", "There is nothing at this address. It may have been mistyped.");
    }
  } catch (error) {
    console.error(error);
    if (mine !== turn) return;
    main.replaceChildren(root);
    // Browsers remember a failed module until the page is reloaded.
    const again = h("button", { class: "primary", onclick: () => location.reload() }, "Try again");
    nothing(root, "This cannot be shown", error.message, again, link("/", "Play", { class: "button" }));
  }
  if (mine !== turn) return cleanup?.();
  shown = { path, cleanup };
  if (moved) main.focus({ preventScroll: true });
  scrollTo(0, scroll);
}

function leave() {
  const cleanup = shown?.cleanup;
  shown = null;
  alarm(null);
  try {
    cleanup?.();
  } catch (error) {
    console.error(error);
  }
}

function readable(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The page handles links to its own addresses; the browser handles all others. */
document.addEventListener("click", (event) => {
  const anchor = event.target.closest?.("a[href]");
  if (!anchor || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || anchor.target || anchor.hasAttribute("download")) return;
  const url = new URL(anchor.href);
  if (url.origin !== location.origin || url.hash || /^\/(static|api)\/|\.(skr|svg)$/.test(url.pathname)) return;
  event.preventDefault();
  if (url.href === location.href) return void render(true);
  go(url.pathname + url.search);
});
addEventListener("popstate", (event) => render(true, event.state?.scroll ?? 0));
history.scrollRestoration = "manual";

banner(document.getElementById("link"));
net.onState(() => {
  const me = document.getElementById("me");
  if (net.me) me.replaceChildren(h("bdi", null, net.me.name));
  if (net.notice) {
    toast(net.notice);
    net.notice = null;
  }
});
net.on("open", () => net.me.games.length && part("waiting"));
net.hello();
render(false);
// Without a connection, the service worker serves the page. It is loaded after the first screen.
addEventListener("load", () => setTimeout(() => navigator.serviceWorker?.register("/sw.js").catch(console.warn), 5000));
navigator.serviceWorker?.addEventListener("message", ({ data }) => go(data.go));

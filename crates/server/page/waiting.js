// Counts the games that wait for this person: in the window's title, in its icon and, if wanted, with notifications.

import { count, go } from "./app.js";
import { net } from "./net.js";
import { all, known, onRoom } from "./rooms.js";
import { settings } from "./settings.js";

const REFRESH = 60_000;
const icon = document.querySelector("link[rel=icon]");
const plain = icon.href;
let listed = [];
/** The codes of the games that wait; null until the first answer, which is no news. */
let before = null;

function update() {
  const here = all().filter((room) => room.isAsked).map(({ code }) => code);
  const elsewhere = listed.filter(({ code, your_turn: isMine }) => isMine && !known(code)?.snap).map(({ code }) => code);
  const [last, now] = [before, new Set([...here, ...elsewhere])];
  before = now;
  if (now.size !== last?.size) {
    count(now.size);
    showIcon(now.size);
  }
  if (last) for (const code of now) if (!last.has(code)) notify(code);
}

async function showIcon(games) {
  const text = games ? await fetch(plain).then((answer) => answer.text(), () => null) : null;
  if (games !== before?.size) return;
  const badge = `<circle cx="10.5" cy="5.5" r="5.5" fill="#b3261e"/><text x="10.5" y="8.5" font-family="sans-serif" font-size="8.5" font-weight="bold" text-anchor="middle" fill="#fff">${Math.min(games, 9)}</text></svg>`;
  icon.href = text ? `data:image/svg+xml,${encodeURIComponent(text.replace("</svg>", badge))}` : plain;
}

// Only if this person asked for it, and does not see the page.
async function notify(code) {
  if (!settings().notify || !document.hidden || globalThis.Notification?.permission !== "granted") return;
  const [title, options] = ["It is your turn", { body: `Game ${code}`, tag: code, icon: plain, data: `/g/${code}` }];
  try {
    new Notification(title, options).onclick = () => {
      focus();
      go(options.data);
    };
  } catch {
    // Phones show only the notifications of a service worker.
    (await navigator.serviceWorker.getRegistration())?.showNotification(title, options);
  }
}

const ask = () => net.state === "open" && net.request({ type: "lobby" }).catch(() => {});
net.on("lobby", ({ yours }) => {
  listed = yours;
  update();
});
net.on("open", ask);
onRoom(update);
setInterval(() => listed.length && ask(), REFRESH);
ask();

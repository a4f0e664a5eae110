// The service worker: without a connection, it serves the last version of the page that this device has seen. The server
// fills in the version of the page, and the files of its first screen.

const CACHE = "VERSION";
// Programs that do not accept HTML get text.
const PAGE = new Request("/", { headers: { accept: "text/html" } });
const SHELL = [PAGE, "/static/FILES", "/static/style.css", "/static/theme.js", "/static/icon.svg", "/api/games"];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)).then(() => skipWaiting()));
});

// Another version of the page has other files.
addEventListener("activate", (event) => {
  const forget = (names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(forget).then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match("/")));
  else if (pathname.startsWith("/static/") || pathname === "/api/games") event.respondWith(fresh(request));
});

/** The server's answer, which is kept; without a connection, the one that was kept. */
async function fresh(request) {
  try {
    const answer = await fetch(request);
    if (answer.ok) (await caches.open(CACHE)).put(request, answer.clone());
    return answer;
  } catch {
    return (await caches.match(request)) ?? Response.error();
  }
}

addEventListener("notificationclick", (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(clients.matchAll({ type: "window" }).then(async ([page]) => {
    if (!page) return clients.openWindow(notification.data);
    await page.focus();
    page.postMessage({ go: notification.data });
  }));
});

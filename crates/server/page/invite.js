// Invitations for a friend: a link, its QR code and the phone's share sheet.

import { alarm, say } from "./app.js";
import { h } from "./dom.js";
import { net } from "./net.js";

/** The address of a game as others can open it. */
export const addressOf = (code) => `${net.me?.url || location.origin}/g/${code}`;

/** The invitation to a game. */
export function invitation(code) {
  const url = addressOf(code);
  const field = h("input", { type: "text", readonly: true, value: url, "aria-label": "The link to this game", onfocus: (event) => event.target.select() });
  const qr = h("img", { class: "qr", src: `/g/${code}.svg`, alt: `QR code of ${url}`, width: 232, height: 232 });
  qr.onerror = () => qr.remove();
  return h("div", { class: "invitation stack" },
    h("p", null, "Send this link to somebody, or let them scan the code:"),
    h("div", { class: "row" }, field, copyButton(url, "Copy link"), shareButton({ title: "Skirmish", text: "Play a game with me", url }),
      h("button", { type: "button", onclick: () => showLarge(code, url) }, "Show it large")),
    qr,
    h("p", { class: "muted small" }, "The code of the game is ", h("strong", { class: "code" }, code), ". In a terminal: ",
      h("code", null, `skirmish join ${url}`)));
}

/** Shows the QR code on the whole screen, for a lecture hall. */
function showLarge(code, url) {
  const close = () => dialog.close();
  const dialog = h("dialog", { class: "projected", "aria-label": "Scan to join", onclose: () => {
    removeEventListener("popstate", close);
    if (document.fullscreenElement) document.exitFullscreen();
    dialog.remove();
  } },
  h("p", null, "Scan, or open ", h("strong", null, url.replace(/^https?:\/\//, ""))),
  h("img", { src: `/g/${code}.svg`, alt: `QR code of ${url}` }),
  h("button", { autofocus: true, onclick: close }, "Close"));
  addEventListener("popstate", close);
  document.body.append(dialog);
  dialog.showModal();
  // Some browsers do not allow it; then the code fills the window.
  document.documentElement.requestFullscreen?.().catch(() => {});
}

/** A button that shows only the game, on the whole screen; null where that is not possible. */
export const fullScreenButton = () => document.fullscreenEnabled && h("button", { onclick: () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => {});
} }, "Full screen");

/** A button that copies text. */
export function copyButton(text, label = "Copy") {
  const button = h("button", { type: "button", onclick: async () => {
    if (!(await copy(text))) return alarm("This browser does not allow the page to copy text. Select it and copy it yourself.");
    button.textContent = "Copied";
    say("Copied.");
    setTimeout(() => (button.textContent = label), 2000);
  } }, label);
  return button;
}

/** A button for the phone's share sheet; null where there is none. */
export function shareButton(what) {
  if (!navigator.share) return null;
  return h("button", { type: "button", class: "primary", onclick: () => navigator.share(what).catch((error) => {
    // An `AbortError` means that the person closed the share sheet.
    if (error.name !== "AbortError") alarm("This cannot be shared from here. Copy the link instead.");
  }) }, "Share");
}

/** Copies text. Pages without TLS cannot use the clipboard API, so there is an older fallback. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = document.activeElement;
    const field = h("textarea", { class: "unseen", readonly: true }, text);
    (before?.closest("dialog") ?? document.body).append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    before?.focus();
    return done;
  }
}

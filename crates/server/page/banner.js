// The banner that says when and why there is no connection, and what happens next.

import { clear, h } from "./dom.js";
import { net } from "./net.js";

/** Shows the state of the connection in `place` from now on. */
export function banner(place) {
  let ticking = null;
  const show = () => {
    const { state, reason, seconds } = net;
    // Do not worry anybody about a first connection that takes a moment.
    const isCalm = state === "open" || (state === "connecting" && !reason);
    place.hidden = isCalm;
    if (isCalm) {
      clearInterval(ticking);
      ticking = null;
      return void clear(place);
    }
    const next = state === "stopped" ? "" : seconds > 0 ? `Reconnecting in ${seconds} s.` : "Connecting …";
    // Screen readers should not hear the countdown every second.
    const counted = h("span", { "aria-hidden": "true" }, next);
    const text = place.querySelector("strong");
    if (text?.textContent === (reason ?? "")) place.querySelector("span").replaceWith(counted);
    else {
      const now = h("button", { onclick: () => (state === "stopped" ? location.reload() : net.retry()) },
        state === "stopped" ? "Reload" : "Connect now");
      clear(place).append(h("div", null, h("p", null, h("strong", null, reason ?? ""), " ", counted), now));
    }
    ticking ??= setInterval(show, 500);
  };
  net.onState(show);
  show();
}

// When to ask a silent server whether it is still there, and when to leave it. Times are in milliseconds.

/** How much silence the page accepts while no clock runs: it asks after `ask`, and the answer must come within `answer`. */
export const CALM = { ask: 10_000, answer: 15_000 };
/** The same while a clock runs: a hung node is left after six seconds. */
export const HURRIED = { ask: 3_000, answer: 3_000 };

/** After such a gap between two looks, the page or the whole device was asleep, and an answer may be on its way. */
const LATE = 2_000;

/** Watches one connection. It has no timer of its own: its owner calls `look` twice a second or so. */
export class Watchdog {
  /** When something was last heard. */
  heard = 0;
  #looked = 0;
  /** The first and the last question since then; null if there was none. */
  #asked = null;
  /** The server got more time because a look came late. */
  #isExtended = false;

  constructor(now) {
    this.hear(now);
  }

  /** The server has sent something. */
  hear(now) {
    this.heard = this.#looked = now;
    this.#asked = null;
    this.#isExtended = false;
  }

  /** What to do now: "wait", "ask" (send a ping) or "leave" (the server does not answer). */
  look(now, { ask, answer }) {
    const gap = now - this.#looked;
    // A clock that was set back is no measure either.
    const isLate = gap > LATE || gap < 0;
    this.#looked = now;
    if (!this.#asked && !isLate && now - this.heard < ask) return "wait";
    // More time is given only once: in hidden tabs every look is late.
    if (!this.#asked || (isLate && !this.#isExtended)) {
      this.#isExtended = this.#asked !== null;
      this.#asked = { first: now, last: now };
      return "ask";
    }
    if (now - this.#asked.first >= answer) return "leave";
    if (now - this.#asked.last < ask) return "wait";
    this.#asked.last = now;
    return "ask";
  }
}

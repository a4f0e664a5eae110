// Decides when to ping a silent server, and when to give up on it. Times are in milliseconds.

/** Tolerated silence while no clock runs: ping after `ask`, and expect the answer within `answer`. */
export const CALM = { ask: 10_000, answer: 15_000 };
/** Tolerated silence while a clock runs: a hung node is left after six seconds. */
export const HURRIED = { ask: 3_000, answer: 3_000 };

/** After a longer gap between two looks, the page or device was asleep, and an answer may be on its way. */
const LATE = 2_000;

/** Watches one connection. It has no timer: its owner calls `look` about twice a second. */
export class Watchdog {
  /** When a message was last received. */
  heard = 0;
  #looked = 0;
  /** The first and the last ping since then; null if there was none. */
  #asked = null;
  /** Whether the server got more time because a look came late. */
  #isExtended = false;

  constructor(now) {
    this.hear(now);
  }

  /** Records a message from the server. */
  hear(now) {
    this.heard = this.#looked = now;
    this.#asked = null;
    this.#isExtended = false;
  }

  /** Returns what to do now: "wait", "ask" (send a ping) or "leave" (the server does not answer). */
  look(now, { ask, answer }) {
    const gap = now - this.#looked;
    // A clock that was set back cannot measure the gap either.
    const isLate = gap > LATE || gap < 0;
    this.#looked = now;
    if (!this.#asked && !isLate && now - this.heard < ask) return "wait";
    // Grant more time only once: in hidden tabs, every look is late.
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

// Asks the server for data that is the same for everybody: the catalogue, boards, maps and rules.

const MOST_KEPT = 200;
const kept = new Map();
let waiting = new AbortController();

/** Paths whose answers change while a game is played. */
const CHANGING = new Set(["review"]);

/** The server's answer to `/api/PATH`. Rejects with an `Error` that has the server's sentence, `status` and `seconds`. */
export function api(path, params = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") query.set(key, value);
  }
  const text = query.toString();
  const url = `/api/${path}${text && "?"}${text}`;
  if (CHANGING.has(path)) return ask(url);
  const known = kept.get(url);
  if (known) return known;
  const answer = ask(url);
  answer.catch(() => kept.delete(url));
  kept.set(url, answer);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return answer;
}

/** The catalogue: games, levels and clocks. */
export const catalogue = () => api("games");

/** A game with its rule options and drawings, or undefined. */
export const gameNamed = (id) => api("game", { game: id }).catch((error) => {
  if (error.status !== 404) throw error;
});

/** Formats rule options for the API: `positions=9,steps=3`. */
export const rulesText = (rules = {}) =>
  Object.entries(rules).map(([option, value]) => `${option}=${value}`).join(",");

/** Repeats unanswered requests: the node that was asked may have hung, and another one may answer. */
export function askAgain() {
  waiting.abort();
  waiting = new AbortController();
}

async function ask(url) {
  const { signal } = waiting;
  let response;
  try {
    response = await fetch(url, { signal });
  } catch {
    if (signal.aborted) return ask(url);
    throw problem("The server cannot be reached. Try again when you are connected.", 0);
  }
  const answer = await response.json().catch(() => null);
  if (!answer && signal.aborted) return ask(url);
  if (response.ok && answer) return answer;
  const text = answer?.error ?? `The server answered with status ${response.status}. Try again later.`;
  throw problem(text, response.status, Number(response.headers.get("retry-after")) || undefined);
}

function problem(text, status, seconds) {
  return Object.assign(new Error(text), { status, seconds });
}

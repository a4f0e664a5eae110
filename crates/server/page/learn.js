// Tutorials that are played in the page, and the rules to read.

import { go, link, nothing, say, style, title } from "./app.js";
import { api, catalogue } from "./api.js";
import { clear, h } from "./dom.js";
import { markdown } from "./markdown.js";
import { store, stored } from "./settings.js";
import { Stage } from "./stage.js";

/** Which lessons are finished, on this device: `{GAME: [0, 1, …]}`. */
const DONE = "skirmish.lessons";

export async function show(root, { path, params, query }) {
  await Promise.all([style("stage.css"), style("study.css")]);
  const { games } = await catalogue();
  if (!params.game) return overview(root, games);
  const entry = games.find(({ game }) => game === params.game);
  if (!entry) {
    nothing(root, "There is no such game", `No game is called "${params.game}".`, link("/learn", "All games", { class: "button primary" }));
    return undefined;
  }
  if (path.startsWith("/rules/")) return rules(root, entry, games);
  const { lessons } = await api("tutorial", { game: entry.game });
  if (!lessons.length) return rules(root, entry, games);
  const tutorial = new Tutorial(root, entry, games, lessons);
  tutorial.update(query);
  const stop = () => tutorial.close();
  stop.update = (place) => tutorial.update(place.query);
  return stop;
}

const done = () => {
  try {
    return JSON.parse(stored(DONE)) ?? {};
  } catch {
    return {};
  }
};

const doneIn = (game) => new Set(done()[game] ?? []);

function finish(game, lesson) {
  store(DONE, JSON.stringify({ ...done(), [game]: [...doneIn(game).add(lesson)] }));
}

// ---- All games

async function overview(root, games) {
  title("Learn");
  const cards = await Promise.all(games.map(async (entry) => {
    const { lessons } = await api("tutorial", { game: entry.game });
    return card(entry, lessons);
  }));
  root.append(h("div", { class: "page" },
    h("h1", {}, "Learn"),
    h("p", { class: "muted" }, "Each game takes about five minutes to learn: read a little, play a little."),
    h("ul", { class: "list cards" }, cards)));
}

function card({ game, name, summary }, lessons) {
  const finished = [...doneIn(game)].filter((at) => at < lessons.length).length;
  const isAll = lessons.length > 0 && finished === lessons.length;
  const start = finished === 0 ? "Start" : isAll ? "Once more" : "Go on";
  return h("li", { class: "card" },
    h("h2", {}, name), h("p", {}, summary),
    lessons.length > 0 && h("p", { class: "progress-line" },
      h("progress", { max: lessons.length, value: finished, "aria-label": `Lessons of ${name}` }),
      isAll ? "✓ finished" : `${finished} of ${lessons.length} lessons`),
    h("p", { class: "row" },
      lessons.length > 0 && link(`/learn/${game}`, start, { class: "button primary", "aria-label": `${start}: ${name}` }),
      link(`/rules/${game}`, "Rules", { class: "button", "aria-label": `Rules of ${name}` }),
      link(`/explore/${game}`, "Explore", { class: "button", "aria-label": `Explore ${name}` })));
}

// ---- Rules

async function rules(root, entry, games) {
  const { text } = await api("rules", { game: entry.game });
  title(`Rules of ${entry.name}`);
  const body = h("article", { class: "rules-text" }, markdown(text));
  const headings = [...body.querySelectorAll("h2[id]")];
  root.append(h("div", { class: "page" },
    tabs(games, entry, "/rules"),
    h("div", { class: "rules" },
      body,
      h("nav", { class: "contents", "aria-label": "Contents" },
        h("ul", {}, headings.map((heading) => h("li", {}, h("a", { href: `#${heading.id}` }, heading.textContent)))),
        h("p", { class: "row" },
          link(`/learn/${entry.game}`, "Learn by playing", { class: "button primary" }),
          link(`/practice/${entry.game}`, "Practise", { class: "button" }),
          link(`/explore/${entry.game}`, "Explore", { class: "button" }))))));
  return undefined;
}

function tabs(games, entry, path) {
  return h("nav", { class: "game-tabs", "aria-label": "Games" }, games.map(({ game, name }) =>
    link(`${path}/${game}`, name, game === entry.game ? { "aria-current": "page" } : {})));
}

// ---- A tutorial

class Tutorial {
  constructor(root, entry, games, lessons) {
    this.entry = entry;
    this.lessons = lessons;
    this.isAtOnce = entry.tempo === "simultaneous";
    /** The position at the start of each lesson that has been reached. */
    this.starts = new Map();
    this.asked = 0;
    const box = h("div", { class: "stage-box" });
    this.heading = h("h2", { tabindex: "-1" });
    this.text = h("div", { class: "lesson-text" });
    this.choices = h("div", { class: "choices", role: "group", "aria-label": "Your moves" });
    this.told = h("ol", { class: "told" });
    this.answer = h("div", { class: "answer" });
    this.ways = h("p", { class: "row lesson-ways" });
    this.list = h("ol", { class: "lesson-list" });
    root.append(h("div", { class: "page" },
      tabs(games, entry, "/learn"),
      h("h1", {}, `Learn ${entry.name}`),
      h("div", { class: "study" },
        h("div", { class: "study-main" }, box, h("section", { class: "card lesson" },
          this.heading, this.text, this.choices, this.told, this.answer, this.ways)),
        h("div", { class: "study-side" },
          h("nav", { class: "card", "aria-label": "Lessons" }, h("h2", {}, "Lessons"), this.list),
          h("p", { class: "row" }, link(`/rules/${entry.game}`, "All rules", { class: "button" }),
            link(`/explore/${entry.game}`, "Explore", { class: "button" }))))));
    this.stage = new Stage(box, entry);
    this.onKey = (event) => this.#key(event);
    addEventListener("keydown", this.onKey);
  }

  close() {
    this.asked += 1;
    this.stage.close();
    removeEventListener("keydown", this.onKey);
  }

  /** Moves can be played by their number in the list, as in the program. */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, select, textarea")) return;
    const button = this.choices.querySelectorAll("button")[Number(event.key) - 1];
    if (button && event.key >= "1" && event.key <= "9") button.click();
  }

  #address(lesson) {
    return `/learn/${this.entry.game}?lesson=${lesson + 1}`;
  }

  update(query) {
    const finished = doneIn(this.entry.game);
    const asked = query.get("lesson");
    const firstOpen = this.lessons.findIndex((_, at) => !finished.has(at));
    const usual = firstOpen < 0 ? 0 : firstOpen;
    const at = asked === null ? usual : Math.min(this.lessons.length, Math.max(1, Number.parseInt(asked, 10) || 1)) - 1;
    this.#open(at, asked !== null);
  }

  async #open(at, isMove) {
    const mine = ++this.asked;
    this.at = at;
    const lesson = this.lessons[at];
    title(`${lesson.title}: ${this.entry.name}`);
    this.#showList();
    clear(this.heading).append(`${at + 1}. ${lesson.title}`);
    clear(this.text).append(...markdown(lesson.text, { level: 3 }));
    for (const part of [this.choices, this.told, this.answer, this.ways]) clear(part);
    try {
      const board = await this.#startOf(at);
      if (mine !== this.asked) return;
      this.board = board;
      this.stage.set(board);
    } catch (error) {
      if (mine === this.asked) this.answer.append(h("p", { class: "problem", role: "alert" }, error.message));
      return;
    }
    if (lesson.task === "read") {
      this.#finished(false);
    } else {
      this.#ask();
    }
    if (isMove) this.heading.focus({ preventScroll: true });
  }

  #showList() {
    const finished = doneIn(this.entry.game);
    clear(this.list).append(...this.lessons.map((lesson, at) => h("li", { class: finished.has(at) ? "done" : null },
      link(this.#address(at), [lesson.title, finished.has(at) && h("span", { class: "check" }, " ✓", h("span", { class: "unseen" }, " finished"))],
        at === this.at ? { "aria-current": "step" } : {}))));
  }

  /** The board a lesson begins with. Where it goes on from the lesson before, that one is played as it was meant. */
  async #startOf(at) {
    const { position } = this.lessons[at];
    const { game } = this.entry;
    if (position || at === 0) return api("board", { game, position });
    const known = this.starts.get(at);
    if (known) return api("board", { game, position: known });
    let board = await this.#startOf(at - 1);
    const { task, replies } = this.lessons[at - 1];
    if (task === "read") return board;
    const move = task === "any" ? board.choices[1][0].move : task[0];
    for (const turn of this.#turns(move, replies)) {
      ({ board } = await api("turn", { game, position: board.position, ...turn(board) }));
    }
    return board;
  }

  /** What is played: the learner's move and the replies, each as the choices of one turn. */
  #turns(move, replies) {
    if (this.isAtOnce) return [() => ({ p1: move, p2: replies[0] })];
    return [move, ...replies].map((notation) => (board) => ({ [`p${board.turn[0]}`]: notation }));
  }

  #ask() {
    const list = this.board.choices[1] ?? [];
    this.stage.choices(list, (choice) => this.#choose(choice));
    clear(this.choices).append(...list.map((choice, index) => h("button", {
      type: "button", class: "choice", "aria-keyshortcuts": index < 9 ? String(index + 1) : null, onclick: () => this.#choose(choice),
    }, h("kbd", { "aria-hidden": "true" }, index < 9 ? String(index + 1) : ""), choice.words)));
    clear(this.ways).append(this.#skip());
  }

  #skip() {
    const next = this.at + 1;
    return next < this.lessons.length ? link(this.#address(next), "Skip this lesson", { class: "quiet-link" }) : "";
  }

  async #choose({ move, words }) {
    const lesson = this.lessons[this.at];
    if (lesson.task !== "any" && !lesson.task.includes(move)) {
      const advice = lesson.advice || `${words} is a legal move, but not the one this lesson asks for.`;
      clear(this.answer).append(h("p", { class: "advice" }, h("strong", {}, words), ": ", advice));
      say(advice);
      return;
    }
    const mine = this.asked;
    clear(this.choices);
    clear(this.answer);
    clear(this.ways);
    try {
      for (const turn of this.#turns(move, lesson.replies)) {
        const chosen = turn(this.board);
        const played = await api("turn", { game: this.entry.game, position: this.board.position, ...chosen });
        if (mine !== this.asked) return;
        this.told.append(...played.told.filter(({ text }) => text).map(({ text }) => h("li", {}, text)));
        say(played.told.map(({ text }) => text).filter(Boolean).join(" "));
        await this.stage.play(played.told, this.isAtOnce ? { 1: chosen.p1, 2: chosen.p2 } : undefined);
        if (mine !== this.asked) return;
        this.board = played.board;
        this.stage.set(played.board);
      }
    } catch (error) {
      clear(this.answer).append(h("p", { class: "problem", role: "alert" }, error.message));
      this.#ask();
      return;
    }
    if (this.at + 1 < this.lessons.length) this.starts.set(this.at + 1, this.board.position);
    this.#finished(true);
  }

  #finished(isPlayed) {
    const { game, name } = this.entry;
    const lesson = this.lessons[this.at];
    const next = this.at + 1;
    const isLast = next === this.lessons.length;
    if (isPlayed) {
      finish(game, this.at);
      if (lesson.praise) {
        this.answer.append(h("p", { class: "praise" }, h("span", { "aria-hidden": "true" }, "✓ "), lesson.praise));
        say(lesson.praise);
      }
      this.#showList();
    }
    const button = (text, act) => h("button", { type: "button", class: "primary", onclick: act }, text);
    const goOn = () => {
      finish(game, this.at);
      go(this.#address(next));
    };
    clear(this.ways);
    if (!isLast) {
      const on = button("Continue", goOn);
      this.ways.append(on);
      if (isPlayed) on.focus({ preventScroll: true });
      return;
    }
    finish(game, this.at);
    this.#showList();
    const end = h("p", { class: "finished", tabindex: "-1" }, `That was all: you know ${name} now.`);
    this.answer.append(end);
    this.ways.append(
      link(`/practice/${game}`, "Practise", { class: "button primary" }),
      link("/", "Play against somebody", { class: "button" }),
      link(`/explore/${game}`, "Explore the solved game", { class: "button" }),
      link("/learn", "Learn another game", { class: "button" }));
    if (isPlayed) end.focus({ preventScroll: true });
  }
}

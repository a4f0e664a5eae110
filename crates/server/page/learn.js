// Interactive tutorials, and the rules.

import { go, link, nothing, say, style, title } from "./app.js";
import { api, catalogue, gameNamed } from "./api.js";
import { clear, h } from "./dom.js";
import { markdown } from "./markdown.js";
import { sign } from "./picture.js";
import { caption, Play } from "./play.js";
import { store, stored } from "./store.js";
import { gameTabs } from "./tabs.js";

/** The finished lessons on this device: `{GAME: [0, 1, …]}`. */
const DONE = "skirmish.lessons";

export async function show(root, { path, params, query }) {
  await Promise.all([style("stage.css"), style("study.css")]);
  const { games } = await catalogue();
  if (!params.game) return overview(root, games);
  const entry = await gameNamed(params.game);
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
    h("p", { class: "muted" }, "Each game takes about five minutes to learn: read a little, play a little. ",
      link("/puzzle", "Then solve the puzzle of the day.")),
    h("ul", { class: "list cards" }, cards)));
}

function card(entry, lessons) {
  const { game, name, summary } = entry;
  const finished = [...doneIn(game)].filter((at) => at < lessons.length).length;
  const isAll = lessons.length > 0 && finished === lessons.length;
  const start = finished === 0 ? "Start the tutorial" : isAll ? "Once more" : "Go on";
  return h("li", { class: "card" },
    h("span", { class: "sign" }, sign(entry)), h("h2", {}, name), h("p", {}, summary),
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
  const { blocks } = await api("rules", { game: entry.game });
  title(`Rules of ${entry.name}`);
  const body = h("article", { class: "rules-text" }, markdown(blocks));
  const headings = [...body.querySelectorAll("h2[id]")];
  root.append(h("div", { class: "page" },
    gameTabs(games, entry, "/rules"),
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

// ---- A tutorial

class Tutorial {
  constructor(root, entry, games, lessons) {
    this.entry = entry;
    this.lessons = lessons;
    this.isAtOnce = entry.tempo === "simultaneous";
    /** The starting position of each lesson reached so far. */
    this.starts = new Map();
    this.asked = 0;
    this.play = new Play({ game: entry, onChoose: (text) => this.#choose(text) });
    this.heading = h("h2", { tabindex: "-1" });
    this.text = h("div", { class: "lesson-text" });
    this.answer = h("div", { class: "answer" });
    this.ways = h("p", { class: "row" });
    this.list = h("ol", { class: "lesson-list" });
    this.play.box.after(h("section", { class: "card lesson" }, this.heading, this.text));
    this.play.main.append(this.play.log, this.answer, this.ways);
    root.append(h("div", { class: "page" },
      gameTabs(games, entry, "/learn"),
      h("h1", {}, `Learn ${entry.name}`),
      h("div", { class: "study" },
        this.play.main,
        h("div", { class: "study-side" },
          h("nav", { class: "card", "aria-label": "Lessons" }, h("h2", {}, "Lessons"), this.list),
          h("p", { class: "row" }, link(`/rules/${entry.game}`, "All rules", { class: "button" }),
            link(`/explore/${entry.game}`, "Explore", { class: "button" }))))));
  }

  close() {
    this.asked += 1;
    this.play.close();
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
    clear(this.text).append(...markdown(lesson.blocks, { level: 3 }));
    for (const part of [this.play.log, this.answer, this.ways]) clear(part);
    try {
      const board = await this.#startOf(at);
      if (mine !== this.asked) return;
      this.play.set(board);
    } catch (error) {
      if (mine === this.asked) this.answer.append(h("p", { class: "problem", role: "alert" }, error.message));
      return;
    }
    if (lesson.task === "read") {
      this.play.rest("");
      this.#finished(false);
    } else {
      this.play.ask(1, "Your move.");
      this.ways.append(this.#skip());
    }
    if (!isMove) return;
    this.heading.focus({ preventScroll: true });
    // On a phone, the button that led here is far below the lesson.
    if (this.play.main.getBoundingClientRect().top < 0) this.play.main.scrollIntoView();
  }

  #showList() {
    const finished = doneIn(this.entry.game);
    clear(this.list).append(...this.lessons.map((lesson, at) => h("li", { class: finished.has(at) ? "done" : null },
      link(this.#address(at), [lesson.title, finished.has(at) && h("span", { class: "check" }, " ✓", h("span", { class: "unseen" }, " finished"))],
        at === this.at ? { "aria-current": "step" } : {}))));
  }

  /** The board on which a lesson begins. If it continues the previous lesson, that lesson's solution is played first. */
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

  /** The learner's move and the replies, grouped into the choices of each turn. */
  #turns(move, replies) {
    if (this.isAtOnce) return [() => ({ p1: move, p2: replies[0] })];
    return [move, ...replies].map((notation) => (board) => ({ [`p${board.turn[0]}`]: notation }));
  }

  #skip() {
    const next = this.at + 1;
    return next < this.lessons.length ? link(this.#address(next), "Skip this lesson", { class: "button quiet" }) : "";
  }

  /** The choice for a text: a move in notation, or other input. */
  async #read(text) {
    const { choices, position } = this.play.board;
    const known = choices[1].find((choice) => [choice.move, choice.words, caption(choice)].some((name) => name.toLowerCase() === text.toLowerCase()));
    if (known) return known;
    // The server accepts every notation of a move, and explains errors.
    const pair = this.isAtOnce ? { p2: choices[2][0].move } : {};
    const { board } = await api("turn", { game: this.entry.game, position, p1: text, ...pair });
    const meant = choices[1].find((choice) => choice.position === board.position)
      ?? choices[1].find((choice) => choice.words.toLowerCase().startsWith(text.toLowerCase()));
    if (!meant) throw new Error("Choose with one of the buttons.");
    return meant;
  }

  async #choose(text) {
    const mine = this.asked;
    const { play } = this;
    const lesson = this.lessons[this.at];
    const choice = await this.#read(text);
    if (mine !== this.asked) return;
    if (lesson.task !== "any" && !lesson.task.includes(choice.move)) {
      const advice = lesson.advice || `${caption(choice)} is possible, but this lesson asks for something else.`;
      clear(this.answer).append(h("p", { class: "advice" }, advice));
      say(advice);
      play.ask(1, "Your move.");
      return;
    }
    clear(this.answer);
    clear(this.ways);
    for (const turn of this.#turns(choice.move, lesson.replies)) {
      const chosen = turn(play.board);
      const played = await api("turn", { game: this.entry.game, position: play.board.position, ...chosen });
      if (mine !== this.asked) return;
      await play.tell(played.told);
      if (mine !== this.asked) return;
      play.set(played.board);
    }
    play.rest("");
    if (this.at + 1 < this.lessons.length) this.starts.set(this.at + 1, play.board.position);
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
    const end = h("p", { class: "finished", tabindex: "-1" }, `That is all: now you know ${name}.`);
    this.answer.append(end);
    this.ways.append(
      link(`/practice/${game}`, "Practise", { class: "button primary" }),
      link("/", "Play against somebody", { class: "button" }),
      link(`/explore/${game}`, "Explore the solved game", { class: "button" }),
      link("/learn", "Learn another game", { class: "button" }));
    if (isPlayed) end.focus({ preventScroll: true });
  }
}

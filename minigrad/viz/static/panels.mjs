// What is told in words: one sentence that says what just happened, the learner's code with the line that is meant, and
// behind "why?" the rule as code, what was saved and freed, and who is next. In the place of that a step's numbers may
// stand, cell by cell (cells.mjs). All of it comes from the frame. A screen reader hears the sentence at each step. Whoever
// puts `element` into a page gives it its width and height: it stands as one column or as two, and what is too long
// scrolls inside.

import { Cells } from "./cells.mjs";
import { make, nameOf } from "./dom.mjs";
import { eventWord } from "./marks.mjs";
import { eventItem, eventLine } from "./inspector.mjs";
import { recall, remember } from "./remembering.mjs";

/** @import { Frame, Happened, Line } from "./model.d.ts" */
/** @import { Player } from "./player.mjs" */

const SHOWN = 8; // names in one row of the queue

export class Panels {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.picture = player.picture;
    this.live = make("div", { class: "mg-spoken", "aria-live": "polite", "aria-atomic": "true" });
    const scrolling = (name, label) => make("div", { class: name, tabindex: "0", role: "group", "aria-label": label });
    this.code = scrolling("mg-source", "your code");
    this.story = scrolling("mg-story", "what just happened");
    this.sentences = make("div", { class: "mg-told" });
    this.story.append(this.sentences);
    this.reasons = scrolling("mg-reasons", "why, in detail");
    this.queue = make("div", { class: "mg-queue" });
    // No heading: of which order it would be, the page around says, which has its own.
    this.step = make("div", { class: "mg-title" });
    const sources = this.picture.sources ?? [];
    this.lines = sources.map((source) => this.source(source, sources.length > 1));
    if (this.lines.length === 0) {
      this.code.append(
        make(
          "p",
          { class: "mg-quiet" },
          this.picture.unlined ?? "The lines that made this graph are not known: it was made before viz was imported.",
        ),
      );
    }
    this.why = make("details", { class: "mg-folded mg-why" }, make("summary", {}, "why?"), this.reasons);
    this.cells = new Cells(this.player, (text) => this.say(text));
    const panel = (name, label, ...body) =>
      make("section", { class: `mg-panel mg-${name}`, "aria-label": label }, ...body);
    this.happened = panel("happened", "what just happened", this.step, this.story);
    this.columns = make(
      "div",
      { class: "mg-columns" },
      this.happened,
      panel("yours", "your code", make("div", { class: "mg-title" }, "Your code"), this.code),
      panel("reasons-of", "why", this.cells.element, this.why),
    );
    this.element = make("div", { class: "mg-panels" }, this.columns);
    this.letOpen("why", this.why, this.cells.element);
    this.letOpen("cells", this.cells.element, this.why);
  }

  /** Let a part open in the place of the other one, at first as it was left. */
  letOpen(name, part, other) {
    part.open = recall("sessionStorage", name) === "open" && !other.open;
    this.columns.classList.toggle(`mg-${name}-open`, part.open);
    part.addEventListener("toggle", () => {
      this.columns.classList.toggle(`mg-${name}-open`, part.open);
      remember("sessionStorage", name, part.open ? "open" : "");
      if (part.open) other.open = false;
      this.cells.paint(this.player.frame);
      this.revealed = null; // the code has another height now
      this.reveal();
    });
  }

  /** Show one of the learner's sources, line by line. Returns by line number its row, the element of its words, its text. */
  source(source, titled) {
    const rows = new Map();
    if (titled) this.code.append(make("div", { class: "mg-file" }, source.title));
    for (const [number, text] of source.lines) {
      if (number === 0) {
        this.code.append(make("div", { class: "mg-line mg-gap" }, make("span", { class: "mg-number" }, "⋮")));
        continue;
      }
      const words = make("code", { class: "mg-text", dir: "ltr" }, text);
      words.style?.setProperty("--mg-indent", String(text.length - text.trimStart().length));
      const row = make(
        "div",
        { class: "mg-line" },
        make("span", { class: "mg-number", "aria-hidden": "true" }, String(number)),
        words,
      );
      rows.set(number, { row, words, text });
      this.code.append(row);
    }
    return rows;
  }

  /** @param {Frame} frame */
  paint(frame) {
    if (this.shown !== frame) {
      this.paintMarks(frame.marks);
      if (frame.index >= 0) this.paintQueue(frame);
      this.shown = frame;
    }
    this.paintStory(frame);
    this.cells.paint(frame);
  }

  /** @param {number[][]} marks */
  paintMarks(marks) {
    const key = JSON.stringify(marks);
    if (key === this.marks) return;
    for (const { row, words, text } of this.lit ?? []) {
      row.classList.remove("mg-lit");
      row.removeAttribute("aria-current");
      words.textContent = text;
    }
    this.marks = key;
    this.lit = new Set(marks.map(([source, number]) => this.lines[source]?.get(number)).filter(Boolean));
    for (const entry of this.lit) {
      const { row, words, text } = entry;
      const characters = [...text];
      const parts = [];
      let end = 0;
      for (const [source, number, from, to] of marks) {
        if (this.lines[source]?.get(number) !== entry) continue;
        const mark = make("mark", { class: "mg-mark" }, characters.slice(Math.max(from, end), to).join(""));
        parts.push(characters.slice(end, from).join(""), mark);
        end = Math.max(end, to);
      }
      words.replaceChildren(...parts, characters.slice(end).join(""));
      row.classList.add("mg-lit");
      row.setAttribute("aria-current", "true");
    }
  }

  /** Scroll the panel alone, so that the page stays where the reader has it, to what is marked. */
  reveal() {
    if (this.revealed === this.marks || !this.lit?.size) return;
    this.revealed = this.marks;
    const { code } = this; // the lines are placed from its corner
    const mark = [...this.lit][0].words.querySelector(".mg-mark");
    if (code.scrollHeight > code.clientHeight)
      code.scrollTop = Math.max(0, mark.offsetTop - (code.clientHeight - mark.offsetHeight) / 2);
  }

  /** @param {Frame} frame */
  paintStory(frame) {
    const { player } = this;
    const { problem } = player;
    const atFailure = player.failedHere;
    const failed = atFailure ? problem.text : "";
    const shown = [frame.index, player.readings, frame.story.length, frame.isVeiled === true];
    const key = [...shown, failed, player.note, player.outdated].join("|");
    if (key === this.told) return;
    this.told = key;
    const all = frame.events ?? [];
    // The event of the error says all of it: once, at the top.
    const error = atFailure ? all.find(({ kind }) => kind === "error") : undefined;
    const failure = error?.text ? `${error.title}: ${error.text}` : problem.text;
    const events = all.filter((event) => event !== error && !event.why);
    const parts = paragraphs(frame.story.filter((line) => !line.why));
    if (atFailure)
      parts.splice(
        1,
        0,
        make(
          "div",
          { class: "mg-problem", role: "alert" },
          make("b", {}, "This step failed. "),
          make("span", { dir: "auto" }, failure),
          error ? eventLine(error) : "",
        ),
      );
    if (player.note) parts.unshift(make("p", { class: "mg-note", role: "status" }, player.note));
    if (events.length) parts.push(eventList(events));
    if (player.outdated) parts.push(make("p", { class: "mg-note mg-outdated", role: "status" }, player.outdated));
    this.sentences.replaceChildren(...parts);
    this.paintReasons(
      frame,
      all.filter((event) => event.why),
    );
    this.step.replaceChildren(...this.title(frame));
    this.story.scrollTop = 0;
    this.speak(frame, events, atFailure ? `This step failed. ${failure}` : player.note);
  }

  /**
   * Above the sentence: which step this is, and whose.
   * @param {Frame} frame
   */
  title(frame) {
    const about = this.picture.boxes?.[frame.box];
    if (!about) return [this.player.start ? "All is computed; nothing has run backward" : "Before the first step"];
    const whose = about.kind === "leaf" ? [nameOf(about.name, "span"), ", a leaf"] : [nameOf(about.name, "span")];
    return [
      frame.index < 0 ? "Forward: " : `Step ${frame.index}: `,
      make("span", { class: "mg-title-name" }, ...whose),
    ];
  }

  /**
   * @param {Frame} frame
   * @param {Happened[]} events
   */
  paintReasons(frame, events) {
    const parts = paragraphs(frame.story.filter((line) => line.why));
    if (events.length) parts.push(eventList(events));
    if (frame.index >= 0 && !frame.isVeiled) parts.push(make("div", { class: "mg-title" }, "Who is next"), this.queue);
    this.reasons.replaceChildren(...parts);
  }

  /**
   * @param {Frame} frame
   * @param {Happened[]} happened
   * @param {string} extra
   */
  speak(frame, happened, extra) {
    const told = frame.story.filter((line) => line.kind !== "code" && !line.why);
    const sentences = told.map((line) => `${textOf(line).replace(/[.:]$/, "")}.`);
    const events = happened.map(
      (event) => `${event.title || eventWord(event.kind)}${event.text ? `: ${event.text}` : "."}`,
    );
    const { start, total } = this.player;
    const upcoming = frame.next
      ? `Next${frame.index < 0 ? "" : " to run"}: ${this.picture.boxes?.[frame.next]?.name ?? frame.next}.`
      : "";
    const spoken = [
      frame.index < 0 ? `Forward ${frame.index - start + 1} of ${-start}.` : `Step ${frame.index} of ${total}.`,
      ...sentences,
      ...events,
      upcoming,
      extra ?? "",
    ];
    this.live.textContent = spoken.filter(Boolean).join(" ");
  }

  /** Something besides a step, such as a breakpoint that was set. */
  say(text) {
    this.live.textContent = text;
  }

  /** @param {Frame} frame */
  paintQueue(frame) {
    const row = (word, turns, say, shape) => {
      const past = word === "done"; // of those that ran, the last ones say most
      const shown = past ? turns.slice(-SHOWN) : turns.slice(0, SHOWN);
      const items = shown.flatMap((turn, position) => [
        make("span", { class: "mg-turn" }, say(turn), position < shown.length - 1 ? "," : ""),
        " ",
      ]);
      const more = turns.length - shown.length;
      if (more && past) items.unshift(`${more} earlier, `);
      else if (more) items.push(`and ${more} more`);
      return make(
        "div",
        { class: `mg-row mg-row-${word}` },
        make("dt", {}, make("span", { class: "mg-shape", "aria-hidden": "true" }, shape), word),
        make("dd", {}, ...(turns.length ? items : ["nobody"])),
      );
    };
    const nameAndCount = (turn) =>
      make("span", {}, nameOf(turn.name), ` (${turn.arrived}\u00a0of\u00a0${turn.needed})`);
    const { ready, waiting, done } = this.player.turns(frame.index);
    const list = make("dl", {}, row("ready", ready, nameAndCount, "◍"));
    list.append(
      row("waiting", waiting, (turn) => (turn.arrived ? nameAndCount(turn) : nameOf(turn.name, "span")), "◌"),
    );
    list.append(row("done", done, (turn) => nameOf(turn.name, "span"), "✓"));
    const upcoming = ready.find((turn) => turn.box === frame.next);
    const next = make("p", { class: "mg-upcoming" });
    if (upcoming) {
      const why = this.whyNext(upcoming.box, ready.length);
      next.append("next to run: ", nameOf(upcoming.name), why ? ` (${why})` : "");
    } else {
      next.append(
        frame.failed ? "Nobody: the pass ended with a failure." : "Nobody is left: the backward pass is over.",
      );
    }
    this.queue.replaceChildren(next, list);
  }

  /**
   * Why a box is the next one; nothing where no other is ready.
   * @param {string} box
   * @param {number} ready
   */
  whyNext(box, ready) {
    if (this.picture.boxes?.[box]?.kind === "leaf") return "a leaf takes its gradient as soon as it is complete";
    if (ready <= 1) return "";
    return this.picture.own ? "the engine's own order says so" : "of those ready, it was made last";
  }
}

/**
 * Lines of a story as elements: the sentence, paragraphs, code, and items as lists.
 * @param {Line[]} lines
 */
function paragraphs(lines) {
  const parts = [];
  let list = null;
  for (const line of lines) {
    if (line.kind === "item") {
      if (!list) {
        list = make("ul", {});
        parts.push(list);
      }
      list.append(make("li", {}, ...line.pieces.map(piece)));
    } else {
      list = null;
      const isCode = line.kind === "code";
      const name = { code: "mg-rules", sentence: "mg-sentence", numbers: "mg-comes-to" }[line.kind] ?? "";
      parts.push(make(isCode ? "pre" : "p", { class: name }, ...line.pieces.map(piece)));
    }
  }
  return parts;
}

/** @param {Happened[]} events */
function eventList(events) {
  return make("ol", { class: "mg-events" }, ...events.map((event) => eventItem(event)));
}

const STYLED = {
  op: ["b", "mg-op"],
  value: ["span", "mg-v"],
  quiet: ["span", "mg-soft"],
  alarm: ["strong", "mg-warn"],
};

function piece([style, text]) {
  if (style === "name") return nameOf(text);
  if (style === "code") return make("code", { class: "mg-c" }, make("bdi", {}, text));
  const [tag, name] = STYLED[style] ?? [];
  if (style !== "value") return tag ? make(tag, { class: name }, text) : text;
  // Vectors and the rows of a matrix stay whole.
  const rows = text.split(/ (?=\[)/).map((row) => make("span", { class: "mg-unbroken" }, row));
  return make(tag, { class: name }, ...rows.flatMap((row) => [" ", row]).slice(1));
}

/** @param {Line} line */
export function textOf({ pieces }) {
  return pieces.map(([, text]) => text).join("");
}

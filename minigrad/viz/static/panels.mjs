// What is told in words: the three panels under the drawing (the learner's code with the line that is meant, what
// just happened, who is next) and the sentence that a screen reader speaks at each step; all of it comes from the frame.

import { make, nameOf } from "./dom.mjs";
import { eventWord } from "./marks.mjs";
import { eventItem, eventLine } from "./inspector.mjs";

const SHOWN = 8; // names in one row of the queue

export class Panels {
  constructor(player) {
    this.player = player;
    this.picture = player.picture;
    this.live = make("div", { class: "mg-spoken", "aria-live": "polite", "aria-atomic": "true" });
    this.code = make("div", { class: "mg-source", tabindex: "0", role: "group", "aria-label": "your code" });
    this.story = make("div", { class: "mg-story" });
    this.queue = make("div", { class: "mg-queue" });
    const sources = this.picture.sources ?? [];
    this.lines = sources.map((source) => this.source(source, sources.length > 1));
    if (this.lines.length === 0) {
      this.code.append(make("p", { class: "mg-quiet" }, this.picture.unlined ?? "The lines that made this graph are not known: it was made before viz was imported."));
    }
    const panel = (name, title, body) =>
      make("section", { class: `mg-panel mg-${name}`, "aria-label": title.toLowerCase() }, make("h4", { class: "mg-title" }, title), body);
    this.element = make(
      "div",
      { class: "mg-panels" },
      panel("yours", "Your code", this.code),
      panel("happened", "What just happened", this.story),
      panel("whois", "Who is next", this.queue),
    );
  }

  /** One of the learner's sources, line by line. Returns line number -> element. */
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
      const row = make("div", { class: "mg-line" }, make("span", { class: "mg-number", "aria-hidden": "true" }, String(number)), words);
      rows.set(number, { row, words, text });
      this.code.append(row);
    }
    return rows;
  }

  paint(frame) {
    if (this.shown !== frame) {
      this.paintLine(frame.line);
      this.paintQueue(frame);
      this.shown = frame;
    }
    this.paintStory(frame);
  }

  paintLine(line) {
    const key = JSON.stringify(line);
    if (key === this.line) return;
    for (const { row, words, text } of this.lit ?? []) {
      row.classList.remove("mg-lit");
      row.removeAttribute("aria-current");
      words.textContent = text;
    }
    this.lit = [];
    this.line = key;
    if (!line) return;
    const [source, first, last, start, end] = line;
    for (let number = first; number <= last; number += 1) {
      const entry = this.lines[source]?.get(number);
      if (!entry) continue;
      const { row, words, text } = entry;
      const characters = [...text];
      const from = number === first ? start : text.length - text.trimStart().length;
      const to = number === last ? end : characters.length;
      const mark = make("mark", { class: "mg-mark" }, characters.slice(from, to).join(""));
      words.replaceChildren(characters.slice(0, from).join(""), mark, characters.slice(to).join(""));
      row.classList.add("mg-lit");
      row.setAttribute("aria-current", "true");
      this.lit.push(entry);
    }
  }

  /** Scroll the panel alone, so that the page stays where the reader has it, to what is marked. */
  reveal() {
    if (this.revealed === this.line || !this.lit?.length) return;
    this.revealed = this.line;
    const { code } = this; // the lines are placed from its corner
    const mark = this.lit[0].words.querySelector(".mg-mark");
    if (code.scrollHeight > code.clientHeight) code.scrollTop = Math.max(0, mark.offsetTop - (code.clientHeight - mark.offsetHeight) / 2);
  }

  paintStory(frame) {
    const { player } = this;
    const { problem } = player;
    const atFailure = player.failedHere;
    const key = `${frame.index}|${atFailure ? problem.text : ""}|${player.note}`;
    if (key === this.told) return;
    this.told = key;
    const parts = [];
    const all = frame.events ?? [];
    // The event of the error says all of it: once, at the top.
    const error = atFailure ? all.find(({ kind }) => kind === "error") : undefined;
    const failure = error?.text ? `${error.title}: ${error.text}` : problem.text;
    const events = all.filter((event) => event !== error);
    if (atFailure) {
      parts.push(make("div", { class: "mg-problem", role: "alert" }, make("b", {}, "This step failed. "), make("span", { dir: "auto" }, failure), error ? eventLine(error) : ""));
    }
    if (player.note) parts.push(make("p", { class: "mg-note", role: "status" }, player.note));
    let list = null;
    for (const line of frame.story) {
      if (line.kind === "item") {
        if (!list) {
          list = make("ul", {});
          parts.push(list);
        }
        list.append(make("li", {}, ...line.pieces.map(piece)));
      } else {
        list = null;
        const [tag, name] = line.kind === "code" ? ["pre", "mg-rules"] : ["p", ""];
        parts.push(make(tag, { class: name }, ...line.pieces.map(piece)));
      }
    }
    if (events.length) parts.push(make("h5", { class: "mg-title" }, "Events"), make("ol", { class: "mg-events" }, ...events.map((event) => eventItem(event))));
    this.story.replaceChildren(...parts);
    this.speak(frame, events, atFailure ? `This step failed. ${failure}` : player.note);
  }

  speak(frame, happened, extra) {
    const told = frame.story.filter((line) => line.kind !== "code");
    const sentences = told.map((line) => `${line.pieces.map(([, text]) => text).join("").replace(/[.:]$/, "")}.`);
    const events = happened.map((event) => `${event.title || eventWord(event.kind)}${event.text ? `: ${event.text}` : "."}`);
    const upcoming = frame.next ? `Next to run: ${this.picture.boxes?.[frame.next]?.name ?? frame.next}.` : "";
    const spoken = [`Step ${frame.index} of ${this.player.total}.`, ...sentences, ...events, upcoming, extra ?? ""];
    this.live.textContent = spoken.filter(Boolean).join(" ");
  }

  /** Something besides a step, such as a breakpoint that was set. */
  say(text) {
    this.live.textContent = text;
  }

  paintQueue(frame) {
    const row = (word, turns, say, shape) => {
      const past = word === "done"; // of those that ran, the last ones say most
      const shown = past ? turns.slice(-SHOWN) : turns.slice(0, SHOWN);
      const items = shown.flatMap((turn, position) => [make("span", { class: "mg-turn" }, say(turn), position < shown.length - 1 ? "," : ""), " "]);
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
    const counted = (turn) => make("span", {}, nameOf(turn.name), ` (${turn.arrived}\u00a0of\u00a0${turn.needed})`);
    const { ready, waiting, done } = this.player.turns(frame.index);
    const list = make("dl", {}, row("ready", ready, counted, "◍"));
    list.append(row("waiting", waiting, (turn) => (turn.arrived ? counted(turn) : nameOf(turn.name, "span")), "◌"));
    list.append(row("done", done, (turn) => nameOf(turn.name, "span"), "✓"));
    const upcoming = ready.find((turn) => turn.box === frame.next);
    const next = make("p", { class: "mg-upcoming" });
    if (upcoming) {
      const leaf = this.picture.boxes?.[upcoming.box]?.kind === "leaf";
      const why = leaf ? "a leaf takes its gradient as soon as it is complete" : ready.length > 1 ? "of those ready, it was made last" : "";
      next.append("next to run: ", nameOf(upcoming.name), why ? ` (${why})` : "");
    } else {
      next.append(frame.failed ? "Nobody: the pass ended with a failure." : "Nobody is left: the backward pass is over.");
    }
    this.queue.replaceChildren(next, list);
  }
}

const STYLED = { op: ["b", "mg-op"], value: ["span", "mg-v"], quiet: ["span", "mg-soft"], alarm: ["strong", "mg-warn"] };

function piece([style, text]) {
  if (style === "name") return nameOf(text);
  if (style === "code") return make("code", { class: "mg-c" }, make("bdi", {}, text));
  const [tag, name] = STYLED[style] ?? [];
  return tag ? make(tag, { class: name }, text) : text;
}

// The BackwardStepper's page side, in one file that needs nothing else.
//
// After this module a reader knows how the widget works with a kernel and without one. All that it shows comes from two things in the
// model: `picture` (the SVG and what does not change) and `recorded` (one frame per step, each written as the difference to the one before).
// The `Player` walks over recorded frames by itself; only for a frame that is not there yet does it set `request` and wait for the kernel.
// So the same file steps in JupyterLab, in a saved notebook and in an exported page, where `live` is false: any object with
// get, set, on, off and save_changes will do as the model. The `View` paints a frame by changing classes and texts; the drawing stays.
//
// Whatever the learner wrote (names, code, values) gets into the page as text nodes and attributes, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const PATIENCE = 5000; // milliseconds until we say that the kernel does not answer
const SPEEDS = [
  ["slow", 2400],
  ["normal", 1300],
  ["fast", 600],
];
const SMALLEST = 0.7; // of the natural size: smaller text cannot be read, so wide graphs scroll
const STATES = ["idle", "waiting", "ready", "ran", "done", "off"];
const FLOWS = ["idle", "now", "done", "off"];
const CHIP_WIDTH = 6.4; // pixels of a character in a pill, as in svg.py
const FLAG_WIDTH = 6.4;

/** Which frame is shown, and how to get to another one. Knows no page. */
export class Player {
  constructor(model) {
    this.model = model;
    this.parsed = [];
    this.index = Math.min(model.get("index") ?? 0, Math.max(this.frames.length - 1, 0));
    this.wanted = null; // the frame that the kernel was asked for
    this.note = "";
    this.listeners = new Set();
    this.full = []; // full[k]: the state of every box and edge at frame k
    this.sent = 0;
    this.timer = null;
    this.onModel = () => this.follow();
    for (const name of ["recorded", "index", "answered", "problem", "finished"]) model.on(`change:${name}`, this.onModel);
  }

  /** The recorded frames, each parsed once. */
  get frames() {
    const recorded = this.model.get("recorded") ?? [];
    for (let k = this.parsed.length; k < recorded.length; k += 1) this.parsed.push(JSON.parse(recorded[k]));
    return this.parsed;
  }

  get total() {
    return this.model.get("picture")?.total ?? 0;
  }

  get frame() {
    return this.frames[this.index];
  }

  get live() {
    return this.model.get("live") !== false;
  }

  /** True when no step lies ahead. */
  get atEnd() {
    const last = this.frames.length - 1;
    return this.index >= last && (this.index >= this.total || this.model.get("finished") === true || !this.live);
  }

  /** Boxes and edges as they are at frame k. Built once per frame, sharing what did not change. */
  state(k) {
    for (let i = this.full.length; i <= k; i += 1) {
      const before = this.full[i - 1] ?? { boxes: {}, edges: {} };
      const frame = this.frames[i];
      this.full.push({ boxes: { ...before.boxes, ...frame.boxes }, edges: { ...before.edges, ...frame.edges } });
    }
    return this.full[k];
  }

  /** Who is ready, who waits (those for whom something has arrived come first) and who is done at frame k. */
  turns(k) {
    const { boxes } = this.state(k);
    const frame = this.frames[k];
    const about = this.model.get("picture")?.boxes ?? {};
    const turn = (id) => ({
      box: id,
      name: about[id]?.kind === "leaf" ? `${about[id].name}.grad` : (about[id]?.name ?? id),
      arrived: boxes[id]?.arrived ?? 0,
      needed: boxes[id]?.needed ?? 0,
    });
    const done = this.frames.slice(1, k + 1).map((past) => past.box);
    const gone = new Set([...done, ...frame.ready]);
    const waiting = (this.model.get("picture")?.runs ?? []).filter((id) => !gone.has(id)).map(turn);
    waiting.sort((one, other) => other.arrived - one.arrived);
    return { ready: frame.ready.map(turn), waiting, done: done.map(turn) };
  }

  /** Show frame k: at once if it is recorded, else when the kernel has run up to it. */
  go(k) {
    const target = Math.max(0, Math.min(k, this.total));
    this.note = "";
    if (target < this.frames.length) {
      this.wanted = null;
      this.index = target;
      this.ask(target);
    } else if (!this.live) {
      this.index = this.frames.length - 1;
      this.note = this.index < this.total ? `Only ${this.index} of ${this.total} steps were run before this was saved.` : "";
    } else if (this.model.get("finished") === true) {
      this.index = this.frames.length - 1;
      this.ask(this.index);
    } else {
      this.wanted = target;
      this.ask(target);
    }
    this.tell();
  }

  /** Tell the kernel which frame is wanted, so that it runs what is missing and puts each .grad to what that frame shows. */
  ask(target) {
    if (!this.live) return;
    this.sent = Math.max(this.sent, this.model.get("answered") ?? 0, this.model.get("request")?.nth ?? 0) + 1;
    try {
      this.model.set("request", { to: target, nth: this.sent });
      this.model.save_changes();
    } catch {
      // A saved notebook has no kernel to tell: what is recorded can be walked all the same.
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if ((this.model.get("answered") ?? 0) >= this.sent) return;
      this.wanted = null;
      this.note = "The kernel does not answer: it is busy, or not running. Recorded steps can be walked all the same.";
      this.tell();
    }, PATIENCE);
  }

  /** The model has changed: take over its frame, unless a younger request of ours is still under way. */
  follow() {
    const answered = this.model.get("answered") ?? 0;
    const index = this.model.get("index") ?? 0;
    if (answered >= this.sent && index < this.frames.length) {
      clearTimeout(this.timer);
      this.wanted = null;
      this.note = "";
      this.index = index;
    }
    this.tell();
  }

  tell() {
    for (const listener of this.listeners) listener();
  }

  destroy() {
    clearTimeout(this.timer);
    for (const name of ["recorded", "index", "answered", "problem", "finished"]) this.model.off(`change:${name}`, this.onModel);
    this.listeners.clear();
  }
}

/** Make an element: attributes as given, children as nodes or text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** A name of the learner's: bold, and kept from turning the text around it if it is written right to left. */
function nameOf(text, tag = "b") {
  return make(tag, { class: "mg-a-name" }, make("bdi", {}, text));
}

class View {
  constructor(player, host) {
    this.player = player;
    this.host = host;
    this.picture = player.model.get("picture") ?? {};
    this.abort = new AbortController();
    this.painted = { boxes: {}, edges: {}, chips: new Set(), line: "" };
    this.inspected = null;
    this.playing = null;
    this.fitted = false;
    this.build();
    this.changed = () => this.paint();
    player.listeners.add(this.changed);
    this.paint();
  }

  listen(target, event, handler, options = {}) {
    target.addEventListener(event, handler, { signal: this.abort.signal, ...options });
  }

  // ---------------------------------------------------------------- the page, built once

  build() {
    const root = this.picture.root ?? "";
    this.root = make("div", {
      class: "minigrad-stepper",
      role: "group",
      tabindex: "0",
      "aria-label": `Backward pass of ${root}. Arrow keys step, Home and End go to its ends, space plays.`,
      // JupyterLab's own keys (j, k, arrows) rest while the focus is in here.
      "data-lm-suppress-shortcuts": "true",
    });
    this.view = make("div", { class: "mg-view" });
    this.drawing = this.insert(this.picture.svg ?? "");
    if (this.drawing) this.view.append(this.drawing);
    this.inspector = make("div", { class: "mg-inspector", hidden: true, role: "region", "aria-label": "the box that was clicked" });
    this.live = make("div", { class: "mg-spoken", "aria-live": "polite" });
    this.root.append(this.toolbar(), this.view, this.inspector, this.panels(), this.live);
    this.host.append(this.root);
    this.indexParts();
    this.listen(this.root, "keydown", (event) => this.key(event));
    this.observer = typeof ResizeObserver === "function" ? new ResizeObserver(() => this.settle()) : null;
    this.observer?.observe(this.view);
    this.resize();
  }

  toolbar() {
    const button = (name, face, label, action) => {
      const element = make("button", { type: "button", class: `mg-button mg-press-${name}`, "aria-label": label, title: label }, face);
      this.listen(element, "click", () => {
        if (element.getAttribute("aria-disabled") !== "true") action();
      });
      return element;
    };
    const { player } = this;
    const stop = (action) => () => {
      this.stop();
      action();
    };
    this.buttons = {
      first: button("first", "|◀", "first: before anything ran (Home)", stop(() => player.go(0))),
      back: button("back", "◀ Back", "back one step (arrow left)", stop(() => player.go(player.index - 1))),
      next: button("next", "Next ▶", "next: run one node (arrow right)", stop(() => this.forward())),
      play: button("play", "▶▶ Play", "play (space)", () => this.toggle()),
      last: button("last", "▶|", "last: run to the end (End)", stop(() => player.go(player.total))),
      fit: button("fit", "⤢ Fit", "show the whole graph", () => {
        this.fitted = !this.fitted;
        this.resize();
        this.reveal();
      }),
    };
    this.buttons.fit.setAttribute("aria-pressed", "false");
    this.slider = make("input", { type: "range", class: "mg-slider", min: 0, max: player.total, step: 1, value: 0, "aria-label": "step" });
    this.listen(this.slider, "input", () => {
      const step = Number(this.slider.value); // before stop() paints the controls
      this.stop();
      player.go(step);
    });
    this.counter = make("span", { class: "mg-counter" });
    this.speed = make("select", { class: "mg-speed", "aria-label": "speed of playing" });
    for (const [name, pause] of SPEEDS) this.speed.append(make("option", { value: pause, selected: name === "normal" }, name));
    this.listen(this.speed, "change", () => {
      if (this.playing !== null) {
        this.stop();
        this.toggle();
      }
    });
    const { first, back, next, play, last, fit } = this.buttons;
    return make("div", { class: "mg-bar" }, first, back, next, play, last, this.slider, this.counter, this.speed, fit);
  }

  panels() {
    const panel = (name, title, body) =>
      make("section", { class: `mg-panel mg-${name}`, "aria-label": title.toLowerCase() }, make("h4", { class: "mg-title" }, title), body);
    this.code = make("div", { class: "mg-source", tabindex: "0", role: "group", "aria-label": "your code" });
    this.lines = (this.picture.sources ?? []).map((source) => this.source(source));
    if (this.lines.length === 0) {
      this.code.append(make("p", { class: "mg-quiet" }, "The lines that made this graph are not known: it was made before viz was imported."));
    }
    this.story = make("div", { class: "mg-story" });
    this.queue = make("div", { class: "mg-queue" });
    return make(
      "div",
      { class: "mg-panels" },
      panel("yours", "Your code", this.code),
      panel("happened", "What just happened", this.story),
      panel("whois", "Who is next", this.queue),
    );
  }

  /** One of the learner's sources, line by line. Returns line number -> element. */
  source(source) {
    const rows = new Map();
    if ((this.picture.sources ?? []).length > 1) this.code.append(make("div", { class: "mg-file" }, source.title));
    for (const [number, text] of source.lines) {
      if (number === 0) {
        this.code.append(make("div", { class: "mg-line mg-gap" }, make("span", { class: "mg-number" }, "⋮")));
        continue;
      }
      const words = make("code", { class: "mg-text", dir: "ltr" }, text);
      const row = make("div", { class: "mg-line" }, make("span", { class: "mg-number", "aria-hidden": "true" }, String(number)), words);
      rows.set(number, { row, words, text });
      this.code.append(row);
    }
    return rows;
  }

  /** Put the drawing into the page: parsed as XML, which either is well-formed or is not shown. */
  insert(markup) {
    const parsed = new DOMParser().parseFromString(markup, "image/svg+xml").documentElement;
    if (parsed.namespaceURI !== SVG || parsed.localName !== "svg") return null;
    return document.importNode(parsed, true);
  }

  indexParts() {
    this.boxes = new Map();
    this.edges = new Map();
    this.chips = new Map();
    if (!this.drawing) return;
    for (const group of this.drawing.querySelectorAll("[data-box]")) {
      const part = (name) => group.querySelector(`.mg-${name}`);
      const id = group.getAttribute("data-box");
      this.boxes.set(id, {
        group,
        grad: part("grad"),
        map: part("grad-map"),
        statistics: part("grad-statistics"),
        badge: part("badge"),
        flag: part("flag"),
        flagText: part("flag-text"),
        right: Number(part("card")?.getAttribute("width") ?? 0) - 10,
      });
      this.listen(group, "click", () => this.inspect(id));
      this.listen(group, "keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        event.stopPropagation();
        this.inspect(id);
      });
    }
    for (const group of this.drawing.querySelectorAll("[data-edge]")) {
      this.edges.set(group.getAttribute("data-edge"), {
        group,
        forward: group.querySelector(".mg-forward"),
        backward: group.querySelector(".mg-backward"),
      });
    }
    for (const group of this.drawing.querySelectorAll("[data-chip]")) {
      this.chips.set(group.getAttribute("data-chip"), { group, pill: group.querySelector("rect"), text: group.querySelector("text") });
    }
  }

  // ---------------------------------------------------------------- what the learner does

  forward() {
    const { player } = this;
    player.go((player.wanted ?? player.index) + 1);
  }

  key(event) {
    const { target } = event;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const own = target === this.slider || target === this.speed; // these have their own arrow keys
    const actions = {
      ArrowRight: () => this.forward(),
      ArrowLeft: () => this.player.go(this.player.index - 1),
      Home: () => this.player.go(0),
      End: () => this.player.go(this.player.total),
      " ": () => this.toggle(),
      Escape: () => this.inspect(null),
    };
    const action = actions[event.key];
    if (!action || (own && event.key !== "Escape")) return;
    if (event.key === " " && target.closest?.("button")) return; // space presses a button
    event.preventDefault();
    event.stopPropagation();
    if (event.key !== " " && event.key !== "Escape") this.stop();
    action();
  }

  toggle() {
    if (this.playing !== null) {
      this.stop();
      return;
    }
    if (this.player.atEnd) this.player.go(0);
    this.playing = setInterval(() => {
      if (this.player.atEnd || this.player.note || this.failed) this.stop();
      else if (this.player.wanted === null) this.forward();
    }, Number(this.speed.value));
    this.paintControls();
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    this.paintControls();
  }

  inspect(id) {
    const before = this.inspected;
    this.inspected = id === before ? null : id;
    this.boxes.get(before)?.group.classList.remove("mg-inspected");
    this.boxes.get(this.inspected)?.group.classList.add("mg-inspected");
    this.paintInspector();
    if (this.inspected === null && this.inspector.contains(document.activeElement)) this.boxes.get(before)?.group.focus();
  }

  // ---------------------------------------------------------------- painting: only what has changed

  get failed() {
    const problem = this.player.model.get("problem") ?? {};
    return Boolean(problem.text);
  }

  paint() {
    const { player } = this;
    const { frame } = player;
    if (!frame) return;
    const state = player.state(player.index);
    for (const [id, box] of Object.entries(state.boxes)) if (this.painted.boxes[id] !== box) this.paintBox(id, box);
    for (const [id, flow] of Object.entries(state.edges)) if (this.painted.edges[id] !== flow) this.paintEdge(id, flow);
    this.painted.boxes = state.boxes;
    this.painted.edges = state.edges;
    this.paintNext(frame);
    this.paintChips(frame.chips ?? {});
    this.paintProblem();
    if (this.shown !== frame) {
      this.shown = frame;
      this.paintLine(frame.line);
      this.paintStory(frame);
      this.paintQueue(frame);
      this.reveal();
    } else {
      this.paintStory(frame);
    }
    this.paintInspector();
    this.paintControls();
  }

  paintBox(id, box) {
    const parts = this.boxes.get(id);
    if (!parts) return;
    const { group, grad, map, statistics } = parts;
    for (const name of STATES) group.classList.toggle(`mg-${name}`, name === box.state);
    if (grad) {
      grad.textContent = box.grad;
      grad.classList.toggle("mg-none", box.none);
      grad.classList.toggle("mg-alarm", box.alarm);
      if (map) {
        // Beside a heat map the text moves to the left.
        const edge = Number(map.getAttribute("x")) + Number(map.getAttribute("width"));
        grad.setAttribute("x", box.heat ? Number(map.getAttribute("x")) - 8 : edge);
      }
    }
    if (map) {
      if (box.heat) map.setAttribute("href", box.heat);
      map.setAttribute("visibility", box.heat ? "visible" : "hidden");
    }
    if (statistics) statistics.textContent = box.statistics;
    this.paintBadge(parts, box.badge);
    const about = this.picture.boxes?.[id];
    if (about) group.setAttribute("aria-label", `${about.name}: ${box.badge || box.state}, grad ${box.grad}. Enter shows more.`);
  }

  paintBadge({ badge, flag, flagText, right }, text) {
    if (!badge) return;
    badge.setAttribute("visibility", text ? "visible" : "hidden");
    const width = [...text].length * FLAG_WIDTH + 14;
    flag.setAttribute("width", width);
    flag.setAttribute("x", right - width);
    flagText.setAttribute("x", right - width / 2);
    flagText.textContent = text;
  }

  paintEdge(id, flow) {
    const parts = this.edges.get(id);
    if (!parts) return;
    for (const name of FLOWS) parts.group.classList.toggle(`mg-${name}`, name === flow);
    const back = flow === "now" || flow === "done";
    parts.forward?.setAttribute("visibility", back ? "hidden" : "visible");
    parts.backward?.setAttribute("visibility", back ? "visible" : "hidden");
  }

  paintNext(frame) {
    if (this.painted.next === frame.next) return;
    this.boxes.get(this.painted.next)?.group.classList.remove("mg-upnext");
    this.boxes.get(frame.next)?.group.classList.add("mg-upnext");
    this.painted.next = frame.next;
  }

  paintChips(chips) {
    for (const id of this.painted.chips) {
      if (!(id in chips)) this.chips.get(id)?.group.setAttribute("visibility", "hidden");
    }
    for (const [id, text] of Object.entries(chips)) {
      const chip = this.chips.get(id);
      if (!chip) continue;
      const width = [...text].length * CHIP_WIDTH + 16;
      chip.text.textContent = text;
      chip.pill.setAttribute("width", width);
      chip.pill.setAttribute("x", -width / 2);
      chip.group.setAttribute("visibility", "visible");
    }
    this.painted.chips = new Set(Object.keys(chips));
  }

  paintProblem() {
    const problem = this.player.model.get("problem") ?? {};
    const parts = this.boxes.get(problem.text ? problem.box : null);
    if (!parts) return; // a pass that has failed stays so
    parts.group.classList.add("mg-bad");
    this.paintBadge(parts, "✗ failed");
  }

  paintLine(line) {
    const key = JSON.stringify(line);
    if (key === this.painted.line) return;
    for (const { row, words, text } of this.lit ?? []) {
      row.classList.remove("mg-lit");
      row.removeAttribute("aria-current");
      words.textContent = text;
    }
    this.lit = [];
    this.painted.line = key;
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
    const row = this.lit[0]?.row;
    if (row) {
      // Scroll the panel alone: the page stays where the reader has it.
      const middle = row.offsetTop - this.code.offsetTop - (this.code.clientHeight - row.offsetHeight) / 2;
      if (this.code.scrollHeight > this.code.clientHeight) this.code.scrollTop = Math.max(0, middle);
    }
  }

  paintStory(frame) {
    const problem = this.player.model.get("problem") ?? {};
    const atFailure = problem.text && this.player.index === this.player.frames.length - 1;
    const key = `${frame.index}|${atFailure ? problem.text : ""}|${this.player.note}`;
    if (key === this.painted.story) return;
    this.painted.story = key;
    const parts = [];
    if (atFailure) {
      parts.push(
        make("div", { class: "mg-problem", role: "alert" }, make("b", {}, "This step failed. "), make("span", { dir: "auto" }, problem.text)),
      );
    }
    if (this.player.note) parts.push(make("p", { class: "mg-note", role: "status" }, this.player.note));
    let list = null;
    for (const line of frame.story) {
      if (line.kind === "item") {
        if (!list) {
          list = make("ul", {});
          parts.push(list);
        }
        list.append(make("li", {}, ...line.pieces.map((piece) => this.piece(piece))));
      } else {
        list = null;
        const tag = line.kind === "code" ? "pre" : "p";
        parts.push(make(tag, { class: line.kind === "code" ? "mg-rules" : "" }, ...line.pieces.map((piece) => this.piece(piece))));
      }
    }
    this.story.replaceChildren(...parts);
    this.speak(frame, atFailure ? `This step failed. ${problem.text}` : this.player.note);
  }

  piece([style, text]) {
    switch (style) {
      case "name":
        return nameOf(text);
      case "op":
        return make("b", { class: "mg-op" }, text);
      case "value":
        return make("span", { class: "mg-v" }, text);
      case "quiet":
        return make("span", { class: "mg-soft" }, text);
      case "code":
        return make("code", { class: "mg-c" }, make("bdi", {}, text));
      case "alarm":
        return make("strong", { class: "mg-warn" }, text);
      default:
        return text;
    }
  }

  speak(frame, extra) {
    const told = frame.story.filter((line) => line.kind !== "code");
    const sentences = told.map((line) => `${line.pieces.map(([, text]) => text).join("").replace(/[.:]$/, "")}.`);
    const upcoming = frame.next ? `Next to run: ${this.picture.boxes?.[frame.next]?.name ?? frame.next}.` : "";
    const spoken = [`Step ${frame.index} of ${this.player.total}.`, ...sentences, upcoming, extra ?? ""];
    this.live.textContent = spoken.filter(Boolean).join(" ");
  }

  paintQueue(frame) {
    const row = (word, turns, say, shape) => {
      const items = turns.flatMap((turn, position) => [position ? ", " : "", say(turn)]);
      return make(
        "div",
        { class: `mg-row mg-row-${word}` },
        make("span", { class: "mg-shape", "aria-hidden": "true" }, shape),
        make("dt", {}, word),
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
      next.append("Nobody is left: the backward pass is over.");
    }
    this.queue.replaceChildren(next, list);
  }

  paintInspector() {
    const id = this.inspected;
    const about = this.picture.boxes?.[id];
    this.inspector.hidden = !about;
    if (!about) return;
    const box = this.player.state(this.player.index).boxes[id] ?? {};
    const key = `${id}|${this.player.index}`;
    if (key === this.painted.inspector && this.inspector.firstChild) return;
    this.painted.inspector = key;
    const rows = [];
    const add = (word, text, extra = "") => {
      if (text) rows.push(make("div", { class: `mg-fact ${extra}` }, make("dt", {}, word), make("dd", {}, make("bdi", {}, text))));
    };
    const kinds = { leaf: "leaf, ends in AccumulateGrad", constant: "constant, needs no gradient", result: `result of ${about.op}` };
    add("what", kinds[about.kind]);
    add("made by", about.kind === "result" ? about.expression : "");
    add("shape", about.shape && `${about.shape}, ${about.dtype}`);
    add("value", about.alarm ? `⚠ ${about.alarm} in ${about.value}` : about.value, about.alarm ? "mg-warn" : "");
    add("min · mean · max", about.statistics.join(" · "));
    if (about.kind !== "constant") add("grad now", box.alarm ? `${box.grad} in ${box.full}` : box.full, box.alarm ? "mg-warn" : "");
    if (box.statistics) add("of the grad", box.statistics);
    add("saved", about.saved.map(([parameter, name, text]) => `${parameter}${name ? ` = ${name}` : ""}: ${text}`).join("; "));
    const close = make("button", { type: "button", class: "mg-button mg-close", "aria-label": "close the details (Escape)" }, "✕");
    close.addEventListener("click", () => this.inspect(null), { signal: this.abort.signal });
    this.inspector.replaceChildren(nameOf(about.name), make("dl", {}, ...rows), close);
  }

  paintControls() {
    const { player } = this;
    const set = (button, off) => button.setAttribute("aria-disabled", off ? "true" : "false");
    set(this.buttons.first, player.index === 0 && player.wanted === null);
    set(this.buttons.back, player.index === 0);
    const stuck = this.failed && player.index >= player.frames.length - 1;
    set(this.buttons.next, player.atEnd || stuck);
    set(this.buttons.last, player.atEnd || stuck);
    set(this.buttons.play, stuck);
    const playing = this.playing !== null;
    this.buttons.play.textContent = playing ? "❚❚ Pause" : "▶▶ Play";
    this.buttons.play.setAttribute("aria-label", playing ? "pause (space)" : "play (space)");
    this.slider.value = String(player.index);
    this.slider.setAttribute("aria-valuetext", `step ${player.index} of ${player.total}`);
    this.counter.textContent = player.wanted === null ? `step ${player.index} of ${player.total}` : `running step ${player.wanted}…`;
    this.root.classList.toggle("mg-busy", player.wanted !== null);
    this.root.setAttribute("data-step", String(player.index));
  }

  // ---------------------------------------------------------------- size and place

  /** The view has got its size: JupyterLab renders first and puts the element into its page afterwards. */
  settle() {
    this.resize();
    if (!this.revealed) this.reveal();
  }

  resize() {
    if (!this.drawing) return;
    const room = this.view.clientWidth || this.picture.width;
    const whole = Math.min(1, room / this.picture.width);
    const scale = this.fitted ? whole : Math.max(SMALLEST, whole);
    this.drawing.setAttribute("width", Math.floor(this.picture.width * scale));
    this.drawing.setAttribute("height", Math.floor(this.picture.height * scale));
    this.scale = scale;
    this.buttons.fit.hidden = whole >= SMALLEST;
    this.buttons.fit.setAttribute("aria-pressed", String(this.fitted));
  }

  /** In a graph that is wider than the page, bring the box that matters into view. */
  reveal() {
    const id = this.player.frame?.box ?? this.player.frame?.next;
    const group = this.boxes.get(id)?.group;
    const room = this.view.clientWidth;
    if (!group || !room || (this.view.scrollWidth <= room && this.view.scrollHeight <= this.view.clientHeight)) return;
    const [x, y] = (group.getAttribute("transform")?.match(/-?[\d.]+/g) ?? [0, 0]).map(Number);
    const card = group.querySelector(".mg-card");
    const width = Number(card?.getAttribute("width") ?? 0);
    const height = Number(card?.getAttribute("height") ?? 0);
    // The gradient goes to the left, so the box stands right of the middle.
    const left = (x + width / 2) * this.scale - room * 0.62;
    const top = (y + height / 2) * this.scale - this.view.clientHeight / 2;
    const calm = !this.revealed || (window.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? true);
    this.revealed = true;
    this.view.scrollTo?.({ left, top, behavior: calm ? "auto" : "smooth" });
  }

  destroy() {
    clearInterval(this.playing);
    this.abort.abort();
    this.observer?.disconnect();
    this.player.listeners.delete(this.changed);
    this.root.remove();
  }
}

/** anywidget's entry: show the model in `el`; returns what takes it away again. */
function render({ model, el }) {
  const player = new Player(model);
  const view = new View(player, el);
  return () => {
    view.destroy();
    player.destroy();
  };
}

export default { render };

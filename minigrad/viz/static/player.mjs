// Which frame is shown, and how to get to another one. The widget steps with a kernel and without one:
// the Player walks over recorded frames by itself, and only for a frame that is not there yet does it set `request` and wait for the kernel.
// It knows no page. Any object with get, set, on, off and save_changes will do as the model.

import { met } from "./conditions.mjs";

const PATIENCE = 5000; // milliseconds until we say that the kernel does not answer
const FOLLOWED = ["recorded", "index", "answered", "problem", "finished", "breaks", "stopped"];

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
    this.ownBreaks = [];
    this.over = false; // true when the widget is gone: a late key asks nothing of the kernel
    this.onModel = () => this.follow();
    for (const name of FOLLOWED) model.on(`change:${name}`, this.onModel);
  }

  /** The recorded frames, each parsed once. */
  get frames() {
    const recorded = this.model.get("recorded") ?? [];
    for (let k = this.parsed.length; k < recorded.length; k += 1) this.parsed.push(JSON.parse(recorded[k]));
    return this.parsed;
  }

  get picture() {
    return this.model.get("picture") ?? {};
  }

  get total() {
    return this.picture.total ?? 0;
  }

  get frame() {
    return this.frames[this.index];
  }

  get live() {
    return this.model.get("live") !== false;
  }

  get problem() {
    return this.model.get("problem") ?? {};
  }

  /** True at the last frame of a pass that has failed. */
  get failedHere() {
    return Boolean(this.problem.text) && this.index === this.frames.length - 1;
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
    const about = this.picture.boxes ?? {};
    const turn = (id) => ({
      box: id,
      name: about[id]?.kind === "leaf" ? `${about[id].name}.grad` : (about[id]?.name ?? id),
      arrived: boxes[id]?.arrived ?? 0,
      needed: boxes[id]?.needed ?? 0,
    });
    const done = this.frames.slice(1, k + 1).flatMap((past) => (past.box && !past.failed ? [past.box] : []));
    const gone = new Set([...done, ...frame.ready]);
    const waiting = (this.picture.runs ?? []).filter((id) => !gone.has(id)).map(turn);
    waiting.sort((one, other) => other.arrived - one.arrived);
    return { ready: frame.ready.map(turn), waiting, done: done.map(turn) };
  }

  /** All events up to frame k, those of one box if it is given; each with the frame at which it happened. */
  events(k, box = null) {
    const all = this.frames.slice(0, k + 1).flatMap((frame) => (frame.events ?? []).map((event) => ({ ...event, at: frame.index })));
    return box === null ? all : all.filter((event) => event.node === box);
  }

  // ---------------------------------------------------------------- from frame to frame

  /** Show frame k: at once if it is recorded, else when the kernel has run up to it. */
  go(k) {
    const target = Math.max(0, Math.min(k, this.total));
    this.note = "";
    if (target < this.frames.length) {
      this.wanted = null;
      this.index = target;
      this.ask({ to: target });
    } else if (!this.live) {
      this.index = this.frames.length - 1;
      // Where the pass failed, the failure says why it goes no further.
      this.note = this.index < this.total && !this.problem.text ? `Only ${this.index} of ${this.total} steps were run before this was saved.` : "";
    } else if (this.model.get("finished") === true) {
      this.index = this.frames.length - 1;
      this.ask({ to: this.index });
    } else {
      this.wanted = target;
      this.ask({ to: target });
    }
    this.tell();
  }

  /** Go to the frame at which a box runs: back to a recorded one, or forward. */
  runTo(box) {
    const recorded = this.frames.findIndex((frame) => frame.box === box);
    if (recorded >= 0) {
      this.go(recorded);
    } else if (this.live) {
      this.note = "";
      this.wanted = this.total;
      this.ask({ box });
      this.tell();
    } else {
      this.note = "That box did not run before this was saved.";
      this.tell();
    }
  }

  /** Go forward to the first breakpoint, or to the end. The kernel does it, if there is one: it knows conditions written in Python. */
  run() {
    this.note = "";
    if (this.live) {
      this.wanted = this.total;
      this.ask({ run: true });
      this.tell();
      return;
    }
    const ahead = this.frames.slice(this.index + 1).find((frame) => met(this.breaks, frame));
    if (!ahead) {
      this.go(this.total);
      return;
    }
    this.go(ahead.index);
    const why = met(this.breaks, ahead);
    this.note = `Stopped at a breakpoint: ${why.box ? (this.picture.boxes?.[why.box]?.name ?? why.box) : why.when}.`;
    this.tell();
  }

  // ---------------------------------------------------------------- breakpoints

  get breaks() {
    return this.model.get("breaks") ?? this.ownBreaks;
  }

  set breaks(list) {
    this.ownBreaks = list; // a page that was saved before there were breakpoints has no place for them
    try {
      this.model.set("breaks", list);
      if (this.live) this.model.save_changes();
    } catch {
      // without a kernel they hold on this page alone
    }
    this.tell();
  }

  breaksAt(box) {
    return this.breaks.some((item) => item.box === box);
  }

  toggleBreak(box) {
    this.breaks = this.breaksAt(box) ? this.breaks.filter((item) => item.box !== box) : [...this.breaks, { box }];
  }

  addCondition(text) {
    if (!this.breaks.some((item) => item.when === text)) this.breaks = [...this.breaks, { when: text }];
  }

  removeBreak(position) {
    this.breaks = this.breaks.filter((_, k) => k !== position);
  }

  // ---------------------------------------------------------------- the kernel

  /** Tell the kernel what is wanted, so that it runs what is missing and puts each .grad to what that frame shows. */
  ask(what) {
    if (!this.live || this.over) return;
    this.sent = Math.max(this.sent, this.model.get("answered") ?? 0, this.model.get("request")?.nth ?? 0) + 1;
    try {
      this.model.set("request", { ...what, nth: this.sent });
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
      const stopped = this.model.get("stopped") ?? {};
      this.note = stopped.index === index && stopped.why ? stopped.why : "";
      this.index = index;
    }
    this.tell();
  }

  tell() {
    for (const listener of this.listeners) listener();
  }

  destroy() {
    this.over = true;
    clearTimeout(this.timer);
    for (const name of FOLLOWED) this.model.off(`change:${name}`, this.onModel);
    this.listeners.clear();
  }
}

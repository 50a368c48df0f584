// Which frame is shown, and how to get to another one. The widget steps with a kernel and without one: the Player walks
// over recorded frames by itself, and only for a frame that is not there yet does it set `request` and wait for the
// kernel. It knows no page. Any object with get, set, on, off and save_changes will do as the model.

import { breakpointMet } from "./conditions.mjs";
import { Levels } from "./levels.mjs";

/** @import { Breakpoint, Frame, Group, Model, PictureData, State } from "./model.d.ts" */

// Milliseconds until we say that the kernel does not answer: JupyterLab itself sees after some seconds that it has
// died.
const PATIENCE = 1800;
const NO_ANSWER =
  "The kernel does not answer: it is busy, or not running. " +
  "Recorded steps can be walked all the same, and ■ above the notebook stops what runs.";
// Milliseconds until the question for the next portion has left the page: ipywidgets keeps it until the kernel is idle,
// and a picture of thousands of boxes that is drawn meanwhile would have the kernel wait for it.
const TO_LEAVE = 30;
const FOLLOWED = [
  "recorded",
  "index",
  "answered",
  "problem",
  "finished",
  "breaks",
  "follows",
  "stopped",
  "now",
  "whatif",
  "outdated",
];

/**
 * What may not be shown yet, and the text in its place.
 * @typedef {{ edges: Set<string>, boxes: Set<string>, text: string }} Hidden
 */
/**
 * What frames add up to.
 * @typedef {{ boxes: Record<string, State>, edges: Record<string, string>, norms: Record<string, any> }} Sum
 */

export class Player {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.parsed = [];
    this.texts = []; // what `parsed` was read from
    this.levels = new Levels(this.picture.groups);
    this.open = () => new Set(this.picture.open ?? []); // the groups that are open; the stepper says so
    this.told = (this.picture.open ?? []).join(); // which the kernel knows to be open
    this.journey = null; // what the kernel is asked for until it has done all of it
    this.index = Math.min(model.get("index") ?? this.start, Math.max(this.frames.length - 1, 0));
    this.wanted = null; // the frame that the kernel was asked for
    this.note = "";
    this.listeners = new Set();
    this.kernelIndex = model.get("index") ?? 0;
    this.computed = null;
    this.restart();
    this.sent = 0;
    this.timer = null;
    this.ownBreaks = [];
    /** @type {(frame: Frame) => Hidden | null} */
    this.hide = () => null; // what a frame may not show yet: see predict.mjs
    this.gone = false; // true when the widget is gone: a late key asks nothing of the kernel
    this.onModel = () => this.follow();
    this.onWhatIf = () => {
      this.computed = null; // what the model got last is shown
    };
    model.on("change:whatif", this.onWhatIf);
    for (const name of FOLLOWED) model.on(`change:${name}`, this.onModel);
  }

  /**
   * The recorded frames, each parsed once, and once more where it has become another: what changed a .grad from outside
   * is told there.
   * @returns {Frame[]}
   */
  get frames() {
    const recorded = this.supposed?.frames ?? this.model.get("recorded") ?? [];
    if (recorded === this.read) return this.parsed;
    this.read = recorded;
    if (recorded.length < this.parsed.length) {
      this.restart();
      this.parsed.length = recorded.length;
      this.texts.length = recorded.length;
    }
    for (let k = 0; k < recorded.length; k += 1) {
      if (this.texts[k] === recorded[k]) continue;
      if (k < this.parsed.length) this.restart();
      this.texts[k] = recorded[k];
      this.parsed[k] = JSON.parse(recorded[k]);
    }
    return this.parsed;
  }

  /** What the kernel or this page has computed once more with other numbers in the leaves: see changing.mjs. */
  get other() {
    return this.computed ?? this.model.get("whatif") ?? {};
  }

  /** What was computed with other numbers, as long as it is shown in the place of what ran; else null. */
  get supposed() {
    const { other } = this;
    return other.frames ? other : null;
  }

  /** What boxes hold now that were written to since the picture was drawn, or other numbers. */
  get now() {
    return this.supposed?.now ?? this.model.get("now") ?? {};
  }

  /** That variables in the picture are other tensors by now; not while it shows other numbers. */
  get outdated() {
    return this.supposed ? "" : (this.model.get("outdated") ?? "");
  }

  /** @returns {PictureData} */
  get picture() {
    return this.model.get("picture") ?? {};
  }

  get total() {
    return this.picture.total ?? 0;
  }

  /**
   * The frames of the forward pass, if it is shown: their indices are below 0.
   * @returns {Frame[]}
   */
  get forward() {
    return (this.supposed?.forward?.length ? this.supposed.forward : this.picture.forward) ?? [];
  }

  /** The index of the first frame. */
  get start() {
    return 0 - this.forward.length;
  }

  /**
   * The frame with an index.
   * @param {number} k
   * @returns {Frame}
   */
  at(k) {
    return k < 0 ? this.forward[k - this.start] : this.frames[k];
  }

  get frame() {
    return this.veiledFrame(this.at(this.index));
  }

  /**
   * A frame without the numbers that are still to be predicted: the same object as long as the same are.
   * @param {Frame} frame
   * @returns {Frame}
   */
  veiledFrame(frame) {
    const hidden = frame && this.hide(frame);
    if (!hidden) return frame;
    if (this.veil?.frame !== frame) {
      /** @type {Frame} */
      const shown = { ...frame, next: null, isVeiled: true };
      if (hidden.edges.size) {
        shown.chips = Object.fromEntries(
          Object.entries(frame.chips).map(([edge, text]) => [edge, hidden.edges.has(edge) ? hidden.text : text]),
        );
        Object.assign(shown, {
          story: [],
          events: [],
          differences: {},
          difference_maps: {},
          cells: veiledCells(frame, hidden),
        });
      }
      this.veil = { frame, shown };
    }
    return this.veil.shown;
  }

  /** What is hidden has changed. */
  reveal() {
    this.veil = null;
    this.states.clear();
    this.tell();
  }

  /**
   * The frames behind the present one, as far as they are there.
   * @returns {Frame[]}
   */
  get ahead() {
    return this.index < 0
      ? [...this.forward.slice(this.index - this.start + 1), ...this.frames]
      : this.frames.slice(this.index + 1);
  }

  /** The boxes that the forward pass has not made yet. */
  get unmade() {
    return new Set(
      this.index < 0 ? this.forward.slice(this.index - this.start + 1).flatMap((frame) => frame.made) : [],
    );
  }

  get hasKernel() {
    return this.model.get("live") !== false;
  }

  /** Whether the kernel can run what is not recorded. */
  get live() {
    return this.hasKernel && !this.supposed;
  }

  get problem() {
    return this.supposed?.problem ?? this.model.get("problem") ?? {};
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

  /** Whether the kernel has still to answer what it was asked last. */
  get isAsking() {
    return (this.model.get("answered") ?? 0) < this.sent;
  }

  /** Show what this page has computed with other numbers; null for what ran. */
  suppose(computed) {
    this.computed = computed;
    this.index = Math.min(this.index, this.frames.length - 1);
    this.tell();
  }

  /** Forget what the frames add up to. */
  restart() {
    // What shows a frame without asking for all of it can see that it is another one.
    this.readings = (this.readings ?? 0) + 1;
    this.reached = -1; // the frame up to which they have been added up
    /** @type {Sum} */
    this.sum = { boxes: {}, edges: {}, norms: {} };
    this.undo = []; // undo[k]: what frame k has replaced
    this.states = new Map(); // those that were asked for last
  }

  /**
   * Boxes, edges and the norms of what flowed along these, as they are at frame k: what the frames before it add up to,
   * gone on from where it was asked for last, or gone back.
   * @param {number} index
   * @returns {Sum}
   */
  state(index) {
    const { frames } = this;
    const k = Math.max(index, 0); // no gradient flows in the forward pass
    if (this.states.has(k)) return this.states.get(k);
    for (; this.reached < k; this.reached += 1) {
      const frame = frames[this.reached + 1];
      this.undo[this.reached + 1] = Object.fromEntries(
        Object.keys(this.sum).map((part) => [part, replaceEntries(this.sum[part], frame[part] ?? {})]),
      );
    }
    for (; this.reached > k; this.reached -= 1) {
      for (const [part, before] of Object.entries(this.undo[this.reached])) replaceEntries(this.sum[part], before);
    }
    if (this.states.size > 1) this.states.delete(this.states.keys().next().value);
    const { boxes, edges, norms } = this.sum;
    const state = { boxes: { ...boxes }, edges: { ...edges }, norms: { ...norms } };
    const hidden = k === this.index ? this.hide(frames[k]) : null;
    if (hidden)
      for (const [id, box] of Object.entries(state.boxes))
        if (box.state === "ready")
          state.boxes[id] = { ...box, state: "waiting", badge: `${box.arrived} of ${box.needed}` };
    for (const box of hidden?.boxes ?? []) state.boxes[box] = { ...state.boxes[box], ...unknown(hidden.text) };
    for (const edge of hidden?.edges ?? []) delete state.norms[edge];
    this.states.set(k, state);
    return state;
  }

  /**
   * Who is ready, who waits (those for whom something has arrived come first) and who is done at frame k.
   * @param {number} k
   */
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
    const over = new Map(); // how often each has run: an engine of the learner's may run a box again
    for (const id of done) over.set(id, (over.get(id) ?? 0) + 1);
    const left = new Set();
    for (const id of this.picture.runs ?? []) {
      if (over.get(id)) over.set(id, over.get(id) - 1);
      else left.add(id);
    }
    for (const id of frame.ready) left.delete(id);
    // A leaf for which all have run and nothing was sent does not run.
    const waiting = [...left].filter((id) => boxes[id]?.state !== "off").map(turn);
    waiting.sort((one, other) => other.arrived - one.arrived);
    return { ready: frame.ready.map(turn), waiting, done: done.map(turn) };
  }

  /**
   * All events up to frame k, those of one box if it is given; each with the frame at which it happened.
   * @param {number} k
   * @param {string | null} box
   */
  events(k, box = null) {
    const all = this.frames
      .slice(0, Math.max(k, 0) + 1)
      .flatMap((frame) => (frame.events ?? []).map((event) => ({ ...event, at: frame.index })));
    return box === null ? all : all.filter((event) => event.node === box);
  }

  // ---------------------------------------------------------------- from frame to frame

  /**
   * Show frame k: at once if it is recorded, else when the kernel has run up to it.
   * @param {number} k
   */
  go(k) {
    const target = Math.max(this.start, Math.min(k, this.total));
    const isStep = target <= (this.wanted ?? this.index) + 1;
    this.note = "";
    this.journey = null;
    if (target < this.frames.length) {
      this.wanted = null;
      this.index = target;
      this.ask({ to: target });
    } else if (!this.live) {
      this.index = this.frames.length - 1;
      // Where the pass failed, the failure says why it goes no further.
      this.note =
        this.index < this.total && !this.problem.text
          ? `Only ${this.index} of ${this.total} steps were run before this was saved.`
          : "";
    } else if (this.model.get("finished") === true) {
      this.index = this.frames.length - 1;
      this.ask({ to: this.index });
    } else {
      this.travel(target, { to: target }, isStep);
    }
    this.tell();
  }

  /** One step on: from the frame that is on its way, if the kernel was asked for one. */
  next() {
    this.go((this.wanted ?? this.index) + 1);
  }

  back() {
    this.go(this.index - 1);
  }

  first() {
    this.go(this.start);
  }

  last() {
    this.go(this.total);
  }

  /** Let the kernel run on, as far as `what` says; the last frame to be expected is k. */
  travel(k, what, isStep = false) {
    this.note = "";
    this.wanted = k;
    this.journey = what;
    this.isRun = !isStep; // a step is nothing that could be ended, unless it takes long
    this.ask(what);
    this.tell();
  }

  /** Whether the kernel is on a way that can be ended. */
  get isRunning() {
    return this.journey !== null && this.isRun;
  }

  /** End a run that the kernel is asked for: what it has run so far stays. */
  pause() {
    if (!this.isRunning) return;
    this.journey = null;
    this.wanted = null;
    this.tell();
  }

  /**
   * Stop what the kernel takes long for, even in the middle of a step, where it hears of it (see steps/stop_button.py).
   */
  interrupt() {
    if (!(this.isLate && this.isAsking && this.live)) return;
    try {
      this.model.send({ stop: true });
    } catch {
      // the kernel is gone, and nothing runs in it
    }
  }

  /**
   * Go to the frame at which a box runs: back to a recorded one, or forward.
   * @param {string} box
   */
  runToBox(box) {
    const recorded = this.frames.findIndex((frame) => frame.box === box);
    if (recorded >= 0) {
      this.go(recorded);
    } else if (this.live) {
      this.travel(this.total, { box });
    } else {
      this.note = "That box did not run before this was saved.";
      this.tell();
    }
  }

  /**
   * Go forward to the first breakpoint, or to the end. The kernel does it, if there is one: it knows conditions written
   * in Python.
   */
  run() {
    if (this.live) this.travel(this.total, { run: true });
    else this.runUntil(() => false);
  }

  /**
   * Go forward over recorded frames to the first that is the one, or at which a breakpoint is met; else to the last.
   * @param {(frame: Frame) => boolean} isThere
   */
  runUntil(isThere) {
    const meets = (frame) => (frame.index < 0 ? null : breakpointMet(this.breaks, frame));
    const ahead = this.ahead.find((frame) => isThere(frame) || meets(frame));
    this.go(ahead ? ahead.index : this.total);
    const why = ahead && meets(ahead);
    if (why)
      this.note = `Stopped at a breakpoint: ${why.box ? (this.picture.boxes?.[why.box]?.name ?? why.box) : why.when}.`;
    this.tell();
  }

  // ---------------------------------------------------------------- modules, loops and calls as steps

  /** Over what comes next, or back over what lies behind: the module or call in which it is seen, or one step. */
  over(back = false) {
    const { levels } = this;
    const frame = this.at(this.index);
    const group = back
      ? levels.groupCrossed(frame.next, frame.box, this.open())
      : levels.groupCrossed(frame.box, frame.next, this.open());
    if (group === null || this.wanted !== null) this.go((this.wanted ?? this.index) + (back ? -1 : 1));
    else if (back) this.go(this.startOf(group));
    else this.leave(group);
  }

  /** To the end of the group around the present step, or of the pass; back: to where it begins. */
  out(back = false) {
    const { frame, levels } = this;
    if (back) {
      const group = levels.groupsSeen(frame.box, this.open()).at(-1);
      this.go(group === undefined ? (this.index > 0 ? 0 : this.start) : this.startOf(group));
    } else {
      this.leave(levels.surrounding(frame, this.open()));
    }
  }

  /**
   * The frame before the present group begins, in the half of the pass that is shown.
   * @param {string} group
   */
  startOf(group) {
    if (this.index > 0) return this.levels.start(group, this.frames, this.index);
    return Math.max(
      this.start,
      this.start + this.levels.start(group, [...this.forward, this.frames[0]], this.index - this.start),
    );
  }

  /** @param {string | null} group */
  leave(group) {
    const isThere = (frame) => group !== null && this.levels.isOver(group, frame);
    // A breakpoint written in Python is one that only the kernel can tell.
    const isKnown = this.ahead.some(isThere) && !this.breaks.some((item) => item.code);
    if (!this.live || isKnown) this.runUntil(isThere);
    else this.travel(this.total, group === null ? { run: true } : { leave: group });
  }

  /**
   * Where the outermost groups lie among the steps, as far as is known: [group, first step, last step].
   * @returns {[Group, number, number][]}
   */
  groupsAmongSteps() {
    const order = new Map(this.frames.flatMap((frame) => (frame.box ? [[frame.box, frame.index]] : [])));
    if (order.size < this.total)
      for (const [k, box] of (this.picture.order ?? []).entries()) if (!order.has(box)) order.set(box, k + 1);
    return this.levels.outermost().flatMap((group) => {
      const steps = [...this.levels.inside.get(group.id)]
        .map((box) => order.get(box))
        .filter((step) => step !== undefined);
      return steps.length
        ? [[group, steps.reduce((a, b) => Math.min(a, b)), steps.reduce((a, b) => Math.max(a, b))]]
        : [];
    });
  }

  /** What sentences call the gradient that came to a node: not g, where a variable has that name. */
  get gradient() {
    return this.picture.gradient ?? "g";
  }

  // ---------------------------------------------------------------- breakpoints

  /** @returns {Breakpoint[]} */
  get breaks() {
    return this.model.get("breaks") ?? this.ownBreaks;
  }

  set breaks(list) {
    this.ownBreaks = list; // a page that was saved before there were breakpoints has no place for them
    this.put("breaks", list);
  }

  /** Set what the reader decides. Without a kernel it holds on this page alone. */
  put(name, value) {
    try {
      this.model.set(name, value);
      if (this.live) this.model.save_changes();
    } catch {
      // a page without a kernel need not store it
    }
    this.tell();
  }

  /** Whether the part that runs opens and closes by itself; in what was stored before one could choose, it does. */
  get follows() {
    return this.model.get("follows") !== false;
  }

  set follows(isOn) {
    this.put("follows", isOn);
  }

  /** @param {string} box */
  breaksAt(box) {
    return this.breaks.some((item) => item.box === box);
  }

  /** @param {string} box */
  toggleBreak(box) {
    this.breaks = this.breaksAt(box) ? this.breaks.filter((item) => item.box !== box) : [...this.breaks, { box }];
  }

  /** @param {string} text */
  breakWhen(text) {
    if (!this.breaks.some((item) => item.when === text)) this.breaks = [...this.breaks, { when: text }];
  }

  removeBreak(position) {
    this.breaks = this.breaks.filter((_, k) => k !== position);
  }

  // ---------------------------------------------------------------- the kernel

  /** Tell the kernel what is wanted, so that it runs what is missing and puts each .grad to what that frame shows. */
  ask(what) {
    if (!(this.live || (what.what_if && this.hasKernel)) || this.gone) return;
    const open = this.levels.groups.length ? [...this.open()] : [];
    const news = open.join() === this.told ? {} : { open }; // what is seen as one step, for over() from code, too
    this.told = open.join();
    this.sent = Math.max(this.sent, this.model.get("answered") ?? 0, this.model.get("request")?.nth ?? 0) + 1;
    try {
      this.model.set("request", { ...what, ...news, nth: this.sent });
      this.model.save_changes();
    } catch {
      // A saved notebook has no kernel to tell: what is recorded can be walked all the same.
    }
    clearTimeout(this.timer);
    this.isLate = false;
    this.timer = setTimeout(() => {
      if (!this.isAsking) return;
      this.wanted = null;
      this.isLate = this.isRun = true;
      this.note = NO_ANSWER;
      this.tell();
    }, PATIENCE);
  }

  /** The model has changed: take over its frame, unless a younger request of ours is still under way. */
  follow() {
    const answered = this.model.get("answered") ?? 0;
    const index = this.model.get("index") ?? 0;
    const stays = (this.supposed || !this.hasKernel) && index === this.kernelIndex; // this page walks by itself
    this.kernelIndex = index;
    if (stays || (this.supposed && index >= this.frames.length)) {
      this.index = Math.min(this.index, this.frames.length - 1);
    } else if (answered >= this.sent && index < this.frames.length) {
      clearTimeout(this.timer);
      const stopped = this.model.get("stopped") ?? {};
      const goesOn = stopped.more === true && stopped.index === index && this.journey !== null;
      this.wanted = goesOn ? (this.wanted ?? this.total) : null;
      this.note = stopped.index === index && stopped.why ? stopped.why : "";
      this.index = index;
      if (goesOn) {
        this.ask({ ...this.journey, more: true });
        setTimeout(() => this.tell(), TO_LEAVE);
        return;
      }
      this.journey = null;
    }
    this.tell();
  }

  tell() {
    for (const listener of this.listeners) listener();
  }

  destroy() {
    this.gone = true;
    clearTimeout(this.timer);
    this.model.off("change:whatif", this.onWhatIf);
    for (const name of FOLLOWED) this.model.off(`change:${name}`, this.onModel);
    this.listeners.clear();
  }
}

/** A gradient that is not to be seen. */
function unknown(text) {
  return {
    grad: text,
    full: text,
    none: false,
    alarm: false,
    where: "",
    exact: "",
    heat: "",
    cells: "",
    statistics: "",
  };
}

/**
 * The cells of a frame without the numbers that are not to be seen: neither what is sent there, nor from where; of a
 * leaf, nor what arrives.
 * @param {Frame} frame
 * @param {Hidden} hidden
 */
function veiledCells({ box, cells }, { edges, text }) {
  const veiledTensor = (tensor) => ({ ...tensor, cells: tensor.cells?.replace(/\S+/g, text), from: "" });
  return (
    cells && {
      ...cells,
      g: edges.has(box) ? veiledTensor(cells.g) : cells.g,
      sent: cells.sent.map((one) => (edges.has(one.key) ? veiledTensor(one) : one)),
    }
  );
}

/** Put entries into an object; what stood there before, as entries that would undo it. */
function replaceEntries(into, entries) {
  const before = {};
  for (const [name, value] of Object.entries(entries)) {
    before[name] = into[name];
    if (value === undefined) delete into[name];
    else into[name] = value;
  }
  return before;
}

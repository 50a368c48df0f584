// A recorded pass that does not need its kernel, so that a saved notebook and an exported page still step. The model
// holds `kept`: the picture and the frames, packed by Python. While the kernel lives, `ran` says which frames have run:
// an empty text for a frame that is as kept, else the frame itself; of long passes the lists of PACKED hold the frames
// before those, some in one text. Without the kernel all kept frames count as run. `KeptModel` shows this to the
// stepper as the `picture` and the `recorded` that it knows, so that the stepper never asks where a frame comes from.

import { unpack } from "./pack.mjs";

/** @import { Kept, Model } from "./model.d.ts" */

const GONE = "The kernel that ran this is gone.";
const KEPT = "This has not run since the notebook was opened.";
const WALKED = " Its recorded steps can be walked; the .grad of your variables follows when the cell runs.";
const CHANGED = " Something was changed between steps: those that did not run are shown as recorded before it.";
const NOTICE =
  "margin:4px 2px;padding:6px 12px;border-left:4px solid var(--jp-warn-color1,#b57600);" +
  "background:var(--jp-layout-color2,rgb(128 128 128/12%));font:13px/1.5 system-ui,sans-serif";

/** @type {("past" | "earlier" | "lately")[]} */
const PACKED = ["past", "earlier", "lately"];
const gone = new WeakSet(); // layouts whose kernel has ended, for views that are made later

class KeptModel {
  /**
   * @param {Model} model
   * @param {Kept} kept
   */
  constructor(model, kept) {
    this.model = model;
    this.kept = kept;
    this.listeners = new Set();
    this.chunks = new Map(); // packed text -> its frames, or what will have unpacked them
    this.layout = model.get("layout"); // itself a model of the same kernel, and the one that says whether that is alive
    this.alone = model.get("live") === false || this.layout?.comm_live === false;
    this.ended = gone.has(this.layout); // whether the kernel was alive, and is no more
    this.onLife = () => {
      if (this.layout.comm_live || this.alone) return;
      this.alone = this.ended = true;
      gone.add(this.layout);
      this.tell();
    };
    this.onPast = () => this.unpackPast().then(() => this.tell());
    for (const name of PACKED) model.on(`change:${name}`, this.onPast);
    this.layout?.on?.("comm_live_update", this.onLife);
  }

  /** Say that there may be other frames. */
  tell() {
    for (const { events, listener } of [...this.listeners]) if (/recorded/.test(events)) listener();
  }

  packedTexts() {
    return PACKED.flatMap((name) => this.model.get(name) ?? []);
  }

  /** Unpack what is new in the past. Until that is done the frames of before it are there. */
  async unpackPast() {
    for (const text of this.packedTexts()) if (!this.chunks.has(text)) this.chunks.set(text, this.unpackChunk(text));
    await Promise.all(this.packedTexts().map((text) => this.chunks.get(text)));
    const texts = new Set(this.packedTexts());
    for (const text of this.chunks.keys()) if (!texts.has(text)) this.chunks.delete(text);
  }

  async unpackChunk(text) {
    this.chunks.set(text, await unpack(text));
  }

  get isUnpacked() {
    return this.packedTexts().every((text) => Array.isArray(this.chunks.get(text)));
  }

  /** For each frame that has run "", or the frame where it is not as kept. */
  ran() {
    return [...this.packedTexts().flatMap((text) => this.chunks.get(text)), ...(this.model.get("ran") ?? [])];
  }

  get(name) {
    if (name === "picture") return this.kept.picture;
    if (name === "recorded") return this.recordedFrames();
    if (name === "live") return !this.alone;
    return (name === "problem" && this.alone && this.kept.problem) || this.model.get(name);
  }

  /** A new list only where there is something new in it: it is asked for all the time. */
  recordedFrames() {
    const of = [...PACKED.map((name) => this.model.get(name)), this.model.get("ran"), this.alone];
    const { joined } = this;
    if (!joined || (this.isUnpacked && of.some((part, k) => part !== joined.of[k])))
      this.joined = { of, frames: this.join(this.ran()) };
    return this.joined.frames;
  }

  join(ran) {
    const { frames } = this.kept;
    const past = ran.map((frame, k) => frame || frames[k]);
    // Each frame tells what changes: what the learner has changed stays as it is, and the recorded steps go on from
    // there.
    return this.alone && !this.hasFailed() ? [...past, ...frames.slice(past.length)] : past;
  }

  /** Whether the pass that ran has failed: then nothing comes behind it. */
  hasFailed() {
    return Boolean(this.model.get("problem")?.text);
  }

  /** Whether something was changed between the steps, of which the frames that were recorded before know nothing. */
  differs() {
    return this.kept.frames.length > 1 && this.ran().some(Boolean) && !this.hasFailed();
  }

  set(name, value) {
    this.model.set(name, value);
  }

  on(events, listener) {
    this.listeners.add({ events, listener });
    this.model.on(events.replaceAll("change:recorded", "change:ran"), listener);
  }

  off(events, listener) {
    for (const entry of this.listeners)
      if (entry.listener === listener && entry.events === events) this.listeners.delete(entry);
    this.model.off(events?.replaceAll("change:recorded", "change:ran"), listener);
  }

  /** @type {Model["send"]} */
  send(...message) {
    this.model.send(...message);
  }

  save_changes() {
    if (!this.alone) this.model.save_changes();
  }

  forget() {
    for (const name of PACKED) this.model.off(`change:${name}`, this.onPast);
    this.layout?.off?.("comm_live_update", this.onLife);
  }
}

/**
 * Show a pass in `el` with the stepper's `render`; `onPage` is true where no kernel is expected.
 * @param {(what: { model: any, el: HTMLElement }) => () => void} render
 * @param {Model} model
 * @param {HTMLElement} el
 * @param {boolean} onPage
 */
export async function renderKept(render, model, el, onPage) {
  const shown = new KeptModel(model, await unpack(model.get("kept")));
  while (!shown.isUnpacked) await shown.unpackPast();
  const word = document.createElement("p");
  word.className = "minigrad-alone";
  word.setAttribute("role", "status");
  word.style.cssText = NOTICE;
  const tell = () => {
    const why = shown.ended ? GONE : KEPT;
    word.textContent = shown.alone && !onPage ? why + WALKED + (shown.differs() ? CHANGED : "") : "";
    word.hidden = !word.textContent;
  };
  el.append(word);
  tell();
  shown.on("change:recorded", tell);
  const remove = await render({ model: shown, el });
  return () => {
    shown.off("change:recorded", tell);
    shown.forget();
    remove?.();
    word.remove();
  };
}

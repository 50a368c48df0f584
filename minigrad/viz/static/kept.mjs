// A recorded pass that does not need its kernel, so that a saved notebook and an exported page still step.
// The model holds `kept`: the picture and the frames, packed by Python. While the kernel lives, `ran` says which frames have run: an empty
// text for a frame that is as kept, else the frame itself; of long passes `past` holds the frames before those, packed, some in one text.
// Without the kernel all kept frames count as run. `KeptModel` shows this to the
// stepper as the `picture` and the `recorded` that it knows, so that the stepper never asks where a frame comes from.

const GONE = "The kernel that ran this is gone. The recorded steps can be walked, but the .grad of your variables no longer follows. Run the cell again to go on.";
const CHANGED = " Something was changed between the steps that ran: those that did not run are shown as they were recorded before it.";
const NOTICE = "margin:4px 2px;padding:6px 12px;border-left:4px solid var(--jp-warn-color1,#b57600);background:var(--jp-layout-color2,rgb(128 128 128/12%));font:13px/1.5 system-ui,sans-serif";

class KeptModel {
  constructor(model, kept) {
    this.model = model;
    this.kept = kept;
    this.listeners = new Set();
    this.chunks = new Map(); // packed text of `past` -> its frames
    this.layout = model.get("layout"); // itself a model of the same kernel, and the one that says whether that is alive
    this.alone = model.get("live") === false || this.layout?.comm_live === false;
    this.onLife = () => {
      if (this.layout.comm_live || this.alone) return;
      this.alone = true;
      this.tell();
    };
    this.onPast = () => this.unpackPast().then(() => this.tell());
    model.on("change:past", this.onPast);
    this.layout?.on?.("comm_live_update", this.onLife);
  }

  /** Say that there may be other frames. */
  tell() {
    for (const { events, listener } of [...this.listeners]) if (/recorded/.test(events)) listener();
  }

  /** Unpack what is new in the past. Until that is done the frames in it are not there. */
  async unpackPast() {
    const texts = this.model.get("past") ?? [];
    for (const text of texts) if (!this.chunks.has(text)) this.chunks.set(text, await unpack(text));
    for (const text of this.chunks.keys()) if (!texts.includes(text)) this.chunks.delete(text);
    this.joined = null;
  }

  /** For each frame that has run "", or the frame where it is not as kept; as far as it is unpacked. */
  ran() {
    const past = this.model.get("past") ?? [];
    const known = past.map((text) => this.chunks.get(text));
    const missing = known.indexOf(undefined);
    const before = (missing < 0 ? known : known.slice(0, missing)).flat();
    return missing < 0 ? [...before, ...(this.model.get("ran") ?? [])] : before;
  }

  get(name) {
    if (name === "picture") return this.kept.picture;
    if (name === "recorded") return this.recorded();
    if (name === "live") return !this.alone;
    return (name === "problem" && this.alone && this.kept.problem) || this.model.get(name);
  }

  /** A new list only where there is something new in it: it is asked for all the time. */
  recorded() {
    const [ran, past] = [this.model.get("ran"), this.model.get("past")];
    const { joined, alone } = this;
    if (!joined || joined.ran !== ran || joined.past !== past || joined.alone !== alone) this.joined = { ran, past, alone, frames: this.join(this.ran()) };
    return this.joined.frames;
  }

  join(ran) {
    const { frames } = this.kept;
    const past = ran.map((frame, k) => frame || frames[k]);
    // Each frame tells what changes: what the learner has changed stays as it is, and the recorded steps go on from there.
    return this.alone && !this.failed() ? [...past, ...frames.slice(past.length)] : past;
  }

  /** Whether the pass that ran has failed: then nothing comes behind it. */
  failed() {
    return Boolean(this.model.get("problem")?.text);
  }

  /** Whether something was changed between the steps, of which the frames that were recorded before know nothing. */
  differs() {
    return this.kept.frames.length > 1 && this.ran().some(Boolean) && !this.failed();
  }

  set(name, value) {
    this.model.set(name, value);
  }

  on(events, listener) {
    this.listeners.add({ events, listener });
    this.model.on(events.replaceAll("change:recorded", "change:ran"), listener);
  }

  off(events, listener) {
    for (const entry of this.listeners) if (entry.listener === listener && entry.events === events) this.listeners.delete(entry);
    this.model.off(events?.replaceAll("change:recorded", "change:ran"), listener);
  }

  send(...message) {
    this.model.send(...message);
  }

  save_changes() {
    if (!this.alone) this.model.save_changes();
  }

  forget() {
    this.model.off("change:past", this.onPast);
    this.layout?.off?.("comm_live_update", this.onLife);
  }
}

/** Show a pass in `el` with the stepper's `render`; `onPage` is true where nobody expects a kernel. */
async function renderKept(render, model, el, onPage) {
  const shown = new KeptModel(model, await unpack(model.get("kept")));
  await shown.unpackPast();
  const word = document.createElement("p");
  word.className = "minigrad-alone";
  word.setAttribute("role", "status");
  word.style.cssText = NOTICE;
  const tell = () => {
    word.textContent = shown.alone && !onPage ? GONE + (shown.differs() ? CHANGED : "") : "";
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

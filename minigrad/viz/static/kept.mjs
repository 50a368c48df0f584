// A recorded pass that does not need its kernel, so that a saved notebook and an exported page still step.
// The model holds `kept`: the picture and the frames, packed by Python. While the kernel lives, `ran` says which frames have run: an empty
// text for a frame that is as kept, else the frame itself. Without the kernel all kept frames count as run. `KeptModel` shows this to the
// stepper as the `picture` and the `recorded` that it knows, so that the stepper never asks where a frame comes from.

const GONE = "The kernel that ran this is gone. The recorded steps can be walked, but the .grad of your variables no longer follows. Run the cell again to go on.";
const CHANGED = " Something was changed between the steps that ran: those that did not run are shown as they were recorded before it.";
const NOTICE = "margin:4px 2px;padding:6px 12px;border-left:4px solid var(--jp-warn-color1,#b57600);background:var(--jp-layout-color2,rgb(128 128 128/12%));font:13px/1.5 system-ui,sans-serif";

/** What `recording.pack` in Python has packed: base64 of deflated JSON. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(inflated).text());
}

class KeptModel {
  constructor(model, kept) {
    this.model = model;
    this.kept = kept;
    this.listeners = new Set();
    this.layout = model.get("layout"); // itself a model of the same kernel, and the one that says whether that is alive
    this.alone = model.get("live") === false || this.layout?.comm_live === false;
    this.onLife = () => {
      if (this.layout.comm_live || this.alone) return;
      this.alone = true;
      for (const { events, listener } of this.listeners) if (/recorded/.test(events)) listener();
    };
    this.layout?.on?.("comm_live_update", this.onLife);
  }

  get(name) {
    if (name === "picture") return this.kept.picture;
    if (name === "recorded") return this.recorded();
    if (name === "live") return !this.alone;
    return (name === "problem" && this.alone && this.kept.problem) || this.model.get(name);
  }

  /** A new list only where there is something new in it: it is asked for all the time. */
  recorded() {
    const ran = this.model.get("ran") ?? [];
    if (this.joined?.ran !== ran || this.joined.alone !== this.alone) this.joined = { ran, alone: this.alone, frames: this.join(ran) };
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
    return (this.model.get("ran") ?? []).some(Boolean) && !this.failed();
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
    this.layout?.off?.("comm_live_update", this.onLife);
  }
}

/** Show a pass in `el` with the stepper's `render`; `onPage` is true where nobody expects a kernel. */
async function renderKept(render, model, el, onPage) {
  const shown = new KeptModel(model, await unpack(model.get("kept")));
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
  shown.layout?.on?.("comm_live_update", tell);
  const remove = await render({ model: shown, el });
  return () => {
    shown.layout?.off?.("comm_live_update", tell);
    shown.forget();
    remove?.();
    word.remove();
  };
}

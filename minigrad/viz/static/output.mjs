// A stepper as a notebook's output. The output is HTML that holds all of it: what the widget's model held, the still picture, and this script.
// So it needs nothing else of the notebook: whatever is saved, by whom and when, shows a stepper again. While its kernel lives, the widget's
// own model, which is announced by its key (announcing.mjs), takes the place of what is stored.

const UNANNOUNCED = 500; // ms for which an output waits for its model before it shows what is stored
const LEFT = 60_000; // ms for which what has left the page may come back as it was: JupyterLab takes out what is scrolled away
const NAME = `minigrad-output-${Math.random().toString(36).slice(2)}`; // another version's is another element
const outputs = new Map(); // key -> the elements that show it, or did until a moment ago

class Output extends HTMLElement {
  constructor() {
    super();
    this.scrolled = new Map(); // element -> where it was scrolled to
    this.addEventListener("scroll", ({ target }) => this.scrolled.set(target, [target.scrollLeft, target.scrollTop]), true);
    this.addEventListener("focusin", ({ target }) => (this.focused = target));
    this.addEventListener("focusout", () => queueMicrotask(() => this.isConnected && !this.contains(document.activeElement) && (this.focused = null)));
  }

  connectedCallback() {
    clearTimeout(this.leaving);
    const { key } = this.stored;
    this.onModel = (event) => event.detail === key && this.refresh();
    document.addEventListener(ANNOUNCED, this.onModel);
    outputs.set(key, (outputs.get(key) ?? new Set()).add(this));
    if (this.model || announced().has(key)) this.refresh();
    else this.waiting = setTimeout(() => this.refresh(), UNANNOUNCED);
  }

  disconnectedCallback() {
    document.removeEventListener(ANNOUNCED, this.onModel);
    clearTimeout(this.waiting);
    this.leaving = setTimeout(() => {
      outputs.get(this.stored.key).delete(this);
      this.empty();
    }, LEFT);
  }

  /** Show the model that lives, or else what is stored. Of a widget that was closed the still picture stays. */
  async refresh() {
    clearTimeout(this.waiting);
    const living = announced().get(this.stored.key);
    const wasClosed = !living && this.model && !(this.model instanceof PlainModel);
    const model = living ?? (wasClosed ? null : this.model ?? new PlainModel(this.stored));
    if (model !== this.model) {
      this.empty();
      this.model = model;
      if (model) await this.show(model);
    }
    this.parentElement?.querySelector(".minigrad-still")?.toggleAttribute("hidden", Boolean(this.takeAway));
  }

  /** Taken out of the page and put into it again, as at an update, it looks as if nothing had been. */
  resume() {
    for (const [element, [left, top]] of [...this.scrolled]) Object.assign(element, { scrollLeft: left, scrollTop: top });
    for (const animation of this.getAnimations?.({ subtree: true }) ?? []) if (animation.effect.getComputedTiming().endTime < Infinity) animation.finish();
    this.focused?.focus({ preventScroll: true });
  }

  async show(model) {
    const sheet = document.createElement("style");
    sheet.textContent = this.sheet;
    const el = document.createElement("div");
    this.append(sheet, el);
    const takeAway = await renderKept(render, model, el, false);
    if (model === this.model) this.takeAway = takeAway;
    else takeAway(); // another came meanwhile
  }

  empty() {
    this.takeAway?.();
    this.takeAway = this.model = null;
    this.replaceChildren();
  }
}

customElements.define(NAME, Output);

/** Show a stepper in the <div> of an output. One that was shown there before an update goes on as it is. */
export function show(place, sheet) {
  const stored = JSON.parse(place.dataset.pass);
  const before = [...(outputs.get(stored.key) ?? [])].find((output) => !output.isConnected);
  const output = before ?? document.createElement(NAME);
  Object.assign(output, { stored, sheet });
  place.closest(".jp-RenderedHTMLCommon")?.classList.remove("jp-RenderedHTMLCommon"); // JupyterLab's looks of a text's code and tables
  place.append(output);
  if (before) output.resume();
}

export { renderKept };

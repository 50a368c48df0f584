// A stepper as a notebook's output. The output is HTML that holds all of it: what the widget's model held, the still
// picture, and this script. So it needs nothing else of the notebook: whatever is saved, by whom and when, shows a
// stepper again. While its kernel lives, the widget's own model, which is announced by its key (announcing.mjs), takes
// the place of what is stored.

import { ANNOUNCED, livingModels } from "./announcing.mjs";
import { renderKept } from "./kept.mjs";
import { PlainModel } from "./plain.mjs";
import { render } from "./stepper.mjs";

const UNANNOUNCED = 500; // ms for which an output waits for its model before it shows what is stored
// Ms for which what has left the page may come back as it was: JupyterLab takes out what is scrolled away.
const LEFT = 60_000;
const NAME = `minigrad-output-${Math.random().toString(36).slice(2)}`; // another version's is another element
const LIVING = NAME.replace("output", "living");
// Around the steppers that are stored of another widget; `data-widget` is its model's id.
const STORED = ".minigrad-stored";
const elements = new Map(); // key, or id of a model -> the elements that show it, or did until a moment ago

/** What is taken out of the page and put into it again, as at an update, looks as if nothing had been. */
class LastingElement extends HTMLElement {
  constructor() {
    super();
    this.key = ""; // of the model, or its id
    /** @type {Map<Element, [number, number]>} */
    this.scrolled = new Map(); // element -> where it was scrolled to
    /** @type {any} */
    this.focused = null;
    const noteScroll = ({ target }) => this.scrolled.set(target, [target.scrollLeft, target.scrollTop]);
    this.addEventListener("scroll", noteScroll, true);
    this.addEventListener("focusin", ({ target }) => {
      this.focused = target;
    });
    this.addEventListener("focusout", () => queueMicrotask(() => this.forgetFocus()));
  }

  /** The focus has gone elsewhere on the page: it is not given back. */
  forgetFocus() {
    if (this.isConnected && !this.contains(document.activeElement)) this.focused = null;
  }

  connectedCallback() {
    clearTimeout(this.leaving);
    elements.set(this.key, (elements.get(this.key) ?? new Set()).add(this));
  }

  disconnectedCallback() {
    this.leaving = setTimeout(() => {
      elements.get(this.key).delete(this);
      this.empty();
    }, LEFT);
  }

  /** It stays away: give back what it held. */
  empty() {}

  resume() {
    for (const [element, [left, top]] of [...this.scrolled])
      Object.assign(element, { scrollLeft: left, scrollTop: top });
    for (const animation of this.getAnimations?.({ subtree: true }) ?? [])
      if (Number(animation.effect.getComputedTiming().endTime) < Infinity) animation.finish();
    this.focused?.focus({ preventScroll: true });
  }
}

/** The one with this key that has left the page a moment ago, or a new one, put into the page by `put`. */
function elementFor(name, key, put, values) {
  // What has left in a widget that lives comes back with it.
  const before = [...(elements.get(key) ?? [])].find(
    (element) => !element.isConnected && !element.parentElement?.closest(LIVING),
  );
  const element = Object.assign(before ?? document.createElement(name), { key, ...values });
  put(element);
  if (before) element.resume();
  return element;
}

/** A widget that lives, such as a box, in the place of the steppers in it that are stored. */
class Living extends LastingElement {
  /** @type {HTMLElement} what is stored of it */
  stored;

  async show(manager) {
    this.view = await manager.create_view(await manager.get_model(this.key));
    const { luminoWidget } = this.view;
    luminoWidget.constructor.attach(luminoWidget, this);
    luminoWidget.disposed.connect(() => queueMicrotask(() => this.giveBack())); // as it says so it is still in the page
  }

  /** The widget is gone. */
  giveBack() {
    this.view = this.showing = null;
    this.stored.hidden = false;
    this.remove();
  }

  empty() {
    if (!this.view) return;
    document.body.append(this); // a view is taken away from a page only
    this.view.remove();
  }
}

/** What is stored of the outermost widget in which a stored stepper is. */
function around(output) {
  let stored = null;
  for (let next = output.closest(STORED); next; next = next.parentElement.closest(STORED)) stored = next;
  return stored;
}

/** Show the living widget in the place of what is stored of it; whether it lives. */
function showLiving(stored, manager) {
  const shown =
    stored.nextElementSibling?.key === stored.dataset.widget
      ? stored.nextElementSibling
      : elementFor(LIVING, stored.dataset.widget, (element) => stored.after(element), { stored });
  shown.showing ??= shown.show(manager);
  return shown.showing.then(
    () => (stored.hidden = true),
    () => shown.giveBack(),
  );
}

class Output extends LastingElement {
  stored; // what its model holds, as it was stored
  sheet = ""; // the style sheet

  connectedCallback() {
    super.connectedCallback();
    this.onModel = (event) => event.detail === this.key && this.refresh();
    document.addEventListener(ANNOUNCED, this.onModel);
    if (this.model || livingModels().has(this.key)) this.refresh();
    else this.waiting = setTimeout(() => this.refresh(), UNANNOUNCED);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener(ANNOUNCED, this.onModel);
    clearTimeout(this.waiting);
  }

  /** Show the model that lives, or else what is stored. Of a widget that was closed the still picture stays. */
  async refresh() {
    clearTimeout(this.waiting);
    const living = livingModels().get(this.key);
    const stored = living && around(this);
    if (stored && (await showLiving(stored, living.widget_manager))) return this.empty();
    const wasClosed = !living && this.model && !(this.model instanceof PlainModel);
    const model = living ?? (wasClosed ? null : (this.model ?? new PlainModel(this.stored)));
    if (model !== this.model) {
      this.empty();
      this.model = model;
      if (model) await this.show(model);
    }
    this.parentElement?.querySelector(".minigrad-still")?.toggleAttribute("hidden", Boolean(this.takeAway));
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
customElements.define(LIVING, Living);

/** Show a stepper in the <div> of an output. One that was shown there before an update goes on as it is. */
function show(element, sheet) {
  const stored = JSON.parse(element.dataset.pass);
  // JupyterLab's looks of a text's code and tables.
  element.closest(".jp-RenderedHTMLCommon")?.classList.remove("jp-RenderedHTMLCommon");
  elementFor(NAME, stored.key, (output) => element.append(output), { stored, sheet });
}

export { renderKept, show };

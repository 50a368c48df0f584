// A menu of what can be done with a box, by the right mouse button or the key m; and under "⋯" all that the bar has no
// room for. Both are walked with the keyboard: arrows, Home and End, Enter, and Escape, which gives the focus back.

import { button, make, onLeaving } from "./dom.mjs";

/**
 * Which of some elements a key leads to from the one that has the focus; undefined for a key that leads nowhere.
 * @param {string} key
 * @param {HTMLElement[]} stops
 */
function stopAfter(key, stops) {
  const here = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const moves = { ArrowDown: here + 1, ArrowUp: here - 1 + stops.length, Home: 0, End: stops.length - 1 };
  return stops[moves[key] % stops.length];
}

export class Menu {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.element = make("div", {
      class: "mg-menu",
      role: "menu",
      hidden: true,
      "aria-label": "what to do with this box",
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
    onLeaving(this.element, () => this.close(false));
  }

  /** Show [word, key, action] entries beside an element of the drawing, or at a point of the page. */
  open(entries, beside, point = null) {
    this.beside = beside;
    const items = entries.map(([word, key, action]) => {
      const item = make(
        "button",
        { type: "button", class: "mg-menu-item", role: "menuitem", tabindex: "-1" },
        make("span", {}, word),
        make("kbd", {}, key),
      );
      item.addEventListener("click", () => {
        this.close(true);
        action();
      });
      return item;
    });
    this.element.replaceChildren(...items);
    this.element.hidden = false;
    const whole = this.root.getBoundingClientRect();
    const box = beside.getBoundingClientRect();
    const left = (point?.x ?? box.left + 12) - whole.left;
    const top = (point?.y ?? box.top + 28) - whole.top;
    this.element.style.left = `${Math.max(4, Math.min(left, whole.width - this.element.offsetWidth - 8))}px`;
    this.element.style.top = `${Math.max(4, Math.min(top, whole.height - this.element.offsetHeight - 8))}px`;
    items[0]?.focus();
  }

  close(refocus) {
    if (this.element.hidden) return false;
    this.element.hidden = true;
    if (refocus) this.beside?.focus();
    return true;
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || (event.shiftKey && event.key === "Enter")) return;
    event.stopPropagation(); // as long as it is open, all other keys are the menu's
    const next = stopAfter(event.key, /** @type {HTMLElement[]} */ (Array.from(this.element.children)));
    if (next) {
      event.preventDefault();
      next.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      this.close(true);
    }
  }
}

/**
 * The button "⋯" and what it opens: a panel in groups with a heading. It holds buttons, a choice and a list, so to those
 * who hear the page it is what it is, a part that opens, and not a menu.
 */
export class More {
  /** @param {Record<string, HTMLElement[]>} groups by their headings */
  constructor(groups) {
    this.button = button("more", "more: all that can be done", { face: "⋯" });
    this.button.setAttribute("aria-expanded", "false");
    this.button.addEventListener("click", () => this.toggle());
    const parts = Object.entries(groups).map(([heading, entries]) =>
      make(
        "div",
        { class: "mg-more-group", role: "group", "aria-label": heading },
        make("p", { class: "mg-title", "aria-hidden": "true" }, heading),
        ...entries,
      ),
    );
    this.element = make(
      "div",
      { class: "mg-more", role: "region", "aria-label": "more", tabindex: "-1", hidden: true },
      ...parts,
    );
    // It closes before what was pressed acts: that may want the focus.
    const closeFor = (target) => target.closest(".mg-button") && this.close(true);
    this.element.addEventListener("click", (event) => closeFor(event.target), true);
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("focusout", ({ relatedTarget }) => {
      const next = /** @type {Node | null} */ (relatedTarget);
      if (next && !this.element.contains(next) && !this.button.contains(next)) this.close(false);
    });
  }

  toggle() {
    if (this.close(true)) return;
    this.element.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.stops()[0]?.focus({ preventScroll: true });
  }

  /** @param {boolean} refocus */
  close(refocus) {
    if (this.element.hidden) return false;
    if (refocus) this.button.focus({ preventScroll: true });
    this.element.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    return true;
  }

  /** @returns {HTMLElement[]} */
  stops() {
    return Array.from(/** @type {NodeListOf<HTMLElement>} */ (this.element.querySelectorAll("button, summary"))).filter(
      (stop) => !stop.hidden,
    );
  }

  key(event) {
    const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
    if (ctrlKey || altKey || metaKey || shiftKey || event.target.closest("select")) return;
    const next = stopAfter(key, this.stops());
    if (!next) return;
    event.preventDefault();
    event.stopPropagation(); // else it would step
    next.focus();
  }
}

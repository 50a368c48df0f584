// What can be done with a box, as a menu: by the right mouse button, or the key m. It is walked with the
// keyboard: arrows, Home and End, Enter, and Escape, which gives the focus back.

import { make } from "./dom.mjs";

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
    this.element.addEventListener("focusout", (event) => {
      if (!this.element.contains(/** @type {Node | null} */ (event.relatedTarget))) this.close(false);
    });
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
    const items = /** @type {HTMLElement[]} */ (Array.from(this.element.children));
    const here = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const moves = { ArrowDown: here + 1, ArrowUp: here - 1 + items.length, Home: 0, End: items.length - 1 };
    if (event.ctrlKey || event.altKey || event.metaKey || (event.shiftKey && event.key === "Enter")) return;
    event.stopPropagation(); // as long as it is open, all other keys are the menu's
    if (event.key in moves) {
      event.preventDefault();
      items[moves[event.key] % items.length]?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      this.close(true);
    }
  }
}

// What shows when the pointer rests on a box, a group or an edge, or when the focus comes to it: all that it stands for, in lines.
// It is not the browser's own tip: that one never shows to those who use the keyboard. Escape hides it; the pointer may
// go into it.

import { make } from "./dom.mjs";
import { badgeSaid, WIDER } from "./legend.mjs";
import { eventWord } from "./marks.mjs";
import { sizeText } from "./sizes.mjs";

/** @import { Picture } from "./picture.mjs" */
/** @import { Player } from "./player.mjs" */

const RESTING = 350; // milliseconds that the pointer rests before it shows

/** The box, group or edge of the drawing in which an event happened. */
function drawnAt(target) {
  return target.closest?.("[data-box], [data-group], [data-edge]");
}

export class Tip {
  /**
   * @param {Player} player
   * @param {Picture} picture
   * @param {HTMLElement} view
   * @param {HTMLElement} stage
   */
  constructor(player, picture, view, stage) {
    this.player = player;
    this.picture = picture;
    this.stage = stage;
    this.element = make("div", { class: "mg-tip", role: "tooltip", hidden: true });
    stage.append(this.element);
    view.addEventListener("pointerover", (event) => this.later(drawnAt(event.target), RESTING));
    view.addEventListener("pointerleave", () => this.later(null, RESTING));
    view.addEventListener("pointerdown", () => this.hide());
    view.addEventListener("scroll", () => this.hide());
    view.addEventListener("focusin", ({ target }) => {
      if (/** @type {Element} */ (target).matches?.(":focus-visible")) this.later(drawnAt(target), 0);
    });
    view.addEventListener("focusout", () => this.hide());
  }

  /** Show what is said of a part, or with null nothing more, when that many milliseconds have passed. */
  later(part, wait) {
    if (part === this.part) return;
    clearTimeout(this.timer);
    this.part = part;
    if (!part) this.timer = setTimeout(() => this.hide(), wait);
    else if (wait) this.timer = setTimeout(() => this.show(part), wait);
    else this.show(part);
  }

  hide() {
    clearTimeout(this.timer);
    this.part = null;
    this.element.hidden = true;
  }

  lines(part) {
    const id = part.getAttribute("data-box");
    const norm = this.picture.sized.get(part);
    if (part.hasAttribute("data-edge")) return norm === undefined ? [] : [sizeText(norm), WIDER];
    if (!id) {
      const { about } = this.picture.groups.get(part.getAttribute("data-group"));
      return [about.is_module ? about.path : about.name, `${about.kind}, ${about.count} nodes`];
    }
    const state = this.player.state(this.player.index).boxes[id];
    const lines = (this.picture.about(id)?.hover ?? "").split("\n").filter(Boolean);
    if (state && !state.none) {
      lines.push(`grad ${state.full}${state.alarm ? `, ${state.grad} ${state.where}` : ""}`);
      const [least, mean, most] = state.statistics.split(" · ");
      if (most) lines.push(`min ${least} · mean ${mean} · max ${most}`);
    }
    lines.push(...[badgeSaid(part.querySelector(".mg-badge"))].filter(Boolean));
    for (const event of this.player.frame?.events ?? [])
      if (event.node === id) lines.push(`${eventWord(event.kind)}: ${event.title}`);
    return lines;
  }

  show(part) {
    const [name, ...lines] = this.lines(part);
    if (!name) return;
    const heatMap = (address, word) =>
      address
        ? [make("span", { class: "mg-tip-map" }, make("img", { class: "mg-heat", src: address, alt: "" }), word)]
        : [];
    const id = part.getAttribute("data-box");
    const state = this.player.state(this.player.index).boxes[id];
    const pictures = [...heatMap(this.picture.heatOf(id), "value"), ...heatMap(state?.heat, "grad")];
    this.element.replaceChildren(
      make("b", {}, make("bdi", {}, name)),
      ...lines.map((line) => make("span", {}, make("bdi", {}, line))),
      ...pictures,
    );
    this.element.hidden = false;
    this.placeAt(part);
  }

  /** Below what it is about, or above, where it would hang too far out of the picture. */
  placeAt(part) {
    const whole = this.stage.getBoundingClientRect();
    const at = part.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const left = Math.max(6, Math.min(at.left - whole.left, whole.width - width - 6));
    const below = at.bottom - whole.top + 10;
    const above = Math.max(2, at.top - whole.top - height - 18);
    this.element.style.left = `${left}px`;
    this.element.style.top = `${below + height < whole.height + 60 ? below : above}px`;
  }

  destroy() {
    clearTimeout(this.timer);
  }
}

// Where the step is, and where it goes: above the view the parts around what ran, from the outermost to the innermost, and
// at the view's edge a sign that leads to what runs next, as long as that is outside.

import { frameOf } from "./camera.mjs";
import { make } from "./dom.mjs";

/** @import { Stepper } from "./stepper.mjs" */

const WHOLE_GRAPH = "the whole";
const TO_EDGE = 6; // pixels between the sign and the view's edge
const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" };

/** @typedef {{ id: string, text: string }} Step */

/**
 * The parts around a box, the outermost first; a loop and its round are one.
 * @param {import("./layout.mjs").GroupLayout} layout
 * @param {string | null} box
 * @returns {Step[]}
 */
export function trailOf(layout, box) {
  const around = box ? layout.around(box).filter((id) => id) : [];
  const steps = [];
  for (const id of around.reverse()) {
    const { name, kind, path } = layout.byId.get(id);
    const loop = layout.byId.get(layout.parent(id));
    const round = kind === "iteration" && loop?.kind === "loop" ? name.replace(/^iteration /, "") : "";
    if (round) steps.pop();
    const loopName = loop?.name.replace(/: ×\d+$/, "");
    const text = /^\d+$/.test(name) && kind ? `${name} ${kind}` : name;
    steps.push({ id, text: round ? `${loopName}: ${round}` : text || path });
  }
  return steps;
}

export class Whereabouts {
  /** @param {Stepper} stepper */
  constructor(stepper) {
    this.stepper = stepper;
    this.trail = make("div", { class: "mg-trail", role: "group", "aria-label": "the parts around this step" });
    this.trail.hidden = !stepper.picture.layout.any;
    this.word = make("bdi");
    this.arrow = make("span", { "aria-hidden": "true" });
    this.ahead = make(
      "button",
      { type: "button", class: "mg-ahead", "aria-label": "next", hidden: true },
      "next: ",
      this.word,
      " ",
      this.arrow,
    );
    this.ahead.addEventListener("click", () => this.follow());
    this.shown = null;
  }

  follow() {
    const { camera, picture } = this.stepper;
    camera.reveal(picture.painted.next);
    this.paintAhead();
  }

  paint() {
    this.paintTrail();
    this.paintAhead();
  }

  paintTrail() {
    const { player, picture } = this.stepper;
    const { frame } = player;
    const steps = trailOf(picture.layout, frame.box ?? (frame.index < 0 ? null : frame.next));
    const key = steps.map(({ id }) => id).join(" ");
    if (this.shown === key) return;
    this.shown = key;
    const crumb = (text, action) => {
      const part = make(
        "button",
        { type: "button", class: "mg-part", "aria-label": `${text}: show it` },
        make("bdi", {}, text),
      );
      part.addEventListener("click", action);
      return part;
    };
    const parts = [
      crumb(WHOLE_GRAPH, () => this.stepper.controls.showWhole()),
      ...steps.map(({ id, text }) => crumb(text, () => this.stepper.showPart(id))),
    ];
    this.trail.replaceChildren(
      ...parts.flatMap((part, k) => (k ? [make("span", { "aria-hidden": "true" }, "›"), part] : [part])),
    );
    this.trail.scrollLeft = this.trail.scrollWidth; // the innermost is in view
  }

  /** The sign, at the place of the view's edge that is nearest to what runs next. */
  paintAhead() {
    const { picture, view, player, whole } = this.stepper;
    const { next } = picture.painted;
    const way = next && !whole.isShown && view.clientWidth ? this.wayTo(frameOf(next)) : null;
    this.ahead.hidden = way === null;
    if (!way) return;
    const { frame } = player;
    const id = picture.layout.shownFor(frame.next);
    const name = picture.layout.byId.get(id)?.name ?? picture.about(id)?.name ?? "";
    this.word.textContent = name;
    this.ahead.setAttribute("aria-label", `next: ${name}, show it`);
    this.arrow.textContent = ARROWS[way.side];
    const [width, height] = [this.ahead.offsetWidth, this.ahead.offsetHeight];
    const within = (at, size, room) => Math.max(TO_EDGE, Math.min(room - size - TO_EDGE, at - size / 2));
    this.ahead.style?.setProperty("left", `${view.offsetLeft + within(way.x, width, view.clientWidth)}px`);
    this.ahead.style?.setProperty("top", `${view.offsetTop + within(way.y, height, view.clientHeight)}px`);
  }

  /** Beyond which side of the view a part of the drawing lies, and where; null where it is seen. */
  wayTo({ x, y, width, height }) {
    const { camera, view, picture } = this.stepper;
    const { scale, place } = camera;
    const room = { width: view.clientWidth, height: view.clientHeight };
    const aside = Math.max(0, (camera.room.width - picture.width * scale) / 2); // a narrow drawing stands in the middle
    const at = { x: (x + width / 2) * scale - place.left + aside, y: (y + height / 2) * scale - place.top };
    const hidden = {
      up: -at.y,
      down: at.y - room.height,
      left: -at.x,
      right: at.x - room.width,
    };
    const [side, far] = Object.entries(hidden).reduce((one, other) => (other[1] > one[1] ? other : one));
    return far > 0 ? { side, ...at } : null;
  }
}

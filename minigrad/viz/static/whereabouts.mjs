// Where the step is, and where it goes: above the view the parts around what ran, from the outermost to the innermost, and
// at the view's edge a sign that leads to what runs next, as long as that is outside.

import { frameOf } from "./camera.mjs";
import { make } from "./dom.mjs";

/** @import { Stepper } from "./stepper.mjs" */

const WHOLE_GRAPH = "the whole";
const TO_EDGE = 6; // pixels between the sign and the view's edge
const ALONG = 6; // and by how much it is moved along it at a time, to lie on no box
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
    const place = {
      x: within(way.x, width, view.clientWidth),
      y: within(way.y, height, view.clientHeight),
      width,
      height,
    };
    const { x, y } = this.freePlace(place, way.side === "left" || way.side === "right" ? "y" : "x");
    this.ahead.style?.setProperty("left", `${view.offsetLeft + x}px`);
    this.ahead.style?.setProperty("top", `${view.offsetTop + y}px`);
  }

  /** The place along an edge of the view that is nearest to one where the sign would lie on no box, if there is any. */
  freePlace(place, axis) {
    const { view, picture } = this.stepper;
    const [size, room] = axis === "x" ? [place.width, view.clientWidth] : [place.height, view.clientHeight];
    const boxes = picture.drawnBoxes().map((element) => this.inView(frameOf(element)));
    const meets = (one, other) =>
      one.x < other.x + other.width &&
      other.x < one.x + one.width &&
      one.y < other.y + other.height &&
      other.y < one.y + one.height;
    const starts = Array.from(
      { length: Math.floor(room / ALONG) },
      (_, k) => place[axis] + (k % 2 ? -1 : 1) * Math.ceil(k / 2) * ALONG,
    );
    const places = starts
      .filter((start) => start >= TO_EDGE && start + size <= room - TO_EDGE)
      .map((start) => ({ ...place, [axis]: start }));
    return places.find((one) => !boxes.some((box) => meets(one, box))) ?? place;
  }

  /** Where a part of the drawing stands in the view, in pixels of the screen. */
  inView({ x, y, width, height }) {
    const { camera, picture, view } = this.stepper;
    const { scale, place } = camera;
    const aside = Math.max(0, (camera.room.width - picture.width * scale) / 2); // a narrow drawing stands in the middle
    const { paddingLeft, paddingTop } = getComputedStyle(view);
    return {
      x: x * scale - place.left + aside + (Number.parseFloat(paddingLeft) || 0),
      y: y * scale - place.top + (Number.parseFloat(paddingTop) || 0),
      width: width * scale,
      height: height * scale,
    };
  }

  /** Beyond which side of the view a part of the drawing lies, and where; null where it is seen. */
  wayTo(part) {
    const { view } = this.stepper;
    const room = { width: view.clientWidth, height: view.clientHeight };
    const { x, y, width, height } = this.inView(part);
    const at = { x: x + width / 2, y: y + height / 2 };
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

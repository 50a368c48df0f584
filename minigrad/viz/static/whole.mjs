// The whole graph in one picture, drawn with words instead of numbers: what overview.mjs says has room. A step changes
// classes alone. `WholeDrawing` is the drawing; `Whole` shows it as large as the picture's place, before anything has
// run and whenever the reader asks for it, and lets it shrink into the small map's place afterwards.

import { make, shape } from "./dom.mjs";
import { HEAD } from "./measures.mjs";
import { SMALLEST_LETTER } from "./overview.mjs";
import { INTO, stateOfAll } from "./picture.mjs";
import { trailOf } from "./whereabouts.mjs";
import { pathOf } from "./wires.mjs";

/** @import { Camera } from "./camera.mjs" */
/** @import { Overview } from "./overview.mjs" */
/** @import { Player } from "./player.mjs" */
/** @import { Stepper } from "./stepper.mjs" */

const ROUND = 2; // pixels of a box's corner
const BEHIND = 2; // pixels by which the sheets behind a closed part look out
const TITLE_AT = 6; // pixels from a part's left edge to its title
const NEXT = "next ▸";
const FLAG = { width: 46, height: 15, apart: 4 }; // pixels of that
const AROUND_WHOLE = 2; // pixels between the drawing and what is around the view's
const FLOWS_FIRST = ["now", "idle", "done", "off"]; // of edges that are one here, which flow is shown
const SHRINKS = 420; // milliseconds
const AUTO = "at the start";
const BY_HAND = "by hand";

/** An arrowhead at the end of an edge, downwards or to the right. */
function headAt({ x, y }, isAside) {
  return isAside ? `M${x} ${y}l-6 3v-6z` : `M${x} ${y}l3 -6h-6z`;
}

export class WholeDrawing {
  /**
   * @param {Overview} overview
   * @param {Player} player
   */
  constructor(overview, player) {
    this.overview = overview;
    this.player = player;
    this.runs = new Set(player.picture.runs ?? []);
    this.element = shape("svg", { class: "mg-minimap-drawing mg-whole-drawing" });
    this.marks = new Map();
    this.drawn = null;
  }

  /** Draw what was found for a room. */
  draw(fitted) {
    if (this.drawn === fitted) return;
    this.drawn = fitted;
    const { laid, across, down, letter, labels } = fitted;
    const [width, height] = [laid.width * across, laid.height * down];
    this.beyond = (fitted.room.width - width) / 2;
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height }))
      this.element.setAttribute(name, String(value));
    this.element.style?.setProperty("--mg-letter", `${letter.toFixed(2)}px`);
    this.marks.clear();
    const { layout } = this.overview;
    const placeOf = ({ x, y, w, h }) => ({ x: x * across, y: y * down, w: w * across, h: h * down });
    for (const [id, { open, title, ...at }] of laid.groups)
      this.marks.set(
        id,
        this.part(id, placeOf(at), open, { x: (title ?? 0) * across, y: (HEAD / 2) * down }, labels.get(id), letter),
      );
    for (const [id, at] of laid.boxes)
      this.marks.set(id, this.box(id, placeOf({ ...at, ...fitted.sizes.get(id) }), labels.get(id), letter));
    for (const [id, mark] of this.marks) {
      mark.isPart = layout.byId.has(id);
      mark.inside = mark.isPart ? layout.inside.get(id) : [id];
    }
    this.lines = laid.wires.map((wire) => ({ ...wire, group: this.edge(wire, across, down) }));
    const open = [...this.marks.values()].filter(({ isOpen }) => isOpen);
    const closed = [...this.marks.values()].filter(({ isOpen }) => !isOpen);
    const { width: wide, height: high } = FLAG;
    const pill = shape("rect", { width: wide, height: high, rx: high / 2 });
    const word = shape("text", { x: wide / 2, y: high / 2 + SMALLEST_LETTER * INTO }, NEXT);
    this.flag = shape("g", { class: "mg-map-flag", visibility: "hidden" }, pill, word);
    this.element.replaceChildren(
      shape("g", {}, ...open.map(({ group }) => group)),
      shape("g", { class: "mg-minimap-edges" }, ...this.lines.map(({ group }) => group)),
      shape("g", {}, ...open.map(({ title }) => title), ...closed.map(({ group }) => group)),
      this.flag,
    );
    this.painted = null;
  }

  edge({ points, aside }, across, down) {
    const way = points.map(({ x, y }) => ({ x: x * across, y: y * down }));
    const isAside = aside !== undefined;
    const d = isAside ? `M${way.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}` : pathOf(way);
    const { x, y } = way.at(-1);
    const head = shape("path", { class: "mg-map-head", d: headAt({ x: Math.round(x), y: Math.round(y) }, isAside) });
    return shape("g", {}, shape("path", { d }), head);
  }

  box(id, place, label, letter) {
    const rect = shape("rect", { width: place.w.toFixed(1), height: place.h.toFixed(1), rx: ROUND });
    const text = wordsOf(label, { x: place.w / 2, y: place.h / 2 + letter * INTO });
    const group = shape("g", { transform: `translate(${place.x.toFixed(1)} ${place.y.toFixed(1)})` }, rect, text);
    return { group, place, kind: this.player.picture.boxes[id].kind };
  }

  part(id, place, isOpen, head, label, letter) {
    const at = `translate(${place.x.toFixed(1)} ${place.y.toFixed(1)})`;
    const size = { width: place.w.toFixed(1), height: place.h.toFixed(1), rx: ROUND };
    if (isOpen) {
      const title = wordsOf(label, { x: head.x + TITLE_AT, y: head.y + letter * INTO });
      return {
        group: shape("g", { transform: at }, shape("rect", size)),
        title: shape("g", { class: "mg-map-title", transform: at }, title),
        place,
        kind: "part",
        isSheet: this.overview.layout.byId.get(id).sheet,
        isOpen,
      };
    }
    const sheet = shape("rect", { ...size, class: "mg-map-sheet", x: BEHIND, y: BEHIND });
    const text = wordsOf(label, { x: place.w / 2, y: place.h / 2 + letter * INTO });
    return { group: shape("g", { transform: at }, sheet, shape("rect", size), text), place, kind: "part" };
  }

  /** The state of what is shown now. */
  paint() {
    const { player } = this;
    const { frame } = player;
    const { boxes, edges } = player.state(player.index);
    const key = [frame, player.unmade, player.failedHere];
    if (this.painted && key.every((one, k) => one === this.painted[k])) return;
    this.painted = key;
    const failed = player.failedHere ? player.problem.box : null;
    const next = frame.index < 0 ? null : frame.next;
    this.flag.setAttribute("visibility", "hidden");
    for (const [id, mark] of this.marks) {
      const states = mark.inside.map((box) => (box === failed ? "failed" : (boxes[box]?.state ?? "idle")));
      const running = mark.inside.filter((box) => this.runs.has(box));
      const done = running.filter((box) => ["done", "ran"].includes(boxes[box]?.state)).length;
      const state = mark.isPart
        ? stateOfAll(states, running.length > 0 && done === running.length, done > 0)
        : states[0];
      const isNext = !mark.isOpen && next !== null && mark.inside.includes(next);
      const isUnmade = this.isUnmade(id);
      const names = [`mg-${mark.kind}`, `mg-${state}`];
      if (state === "failed") names.push("mg-bad");
      if (mark.isOpen) names.push("mg-open");
      if (mark.isSheet) names.push("mg-sheet");
      if (isNext) names.push("mg-upnext");
      if (isUnmade) names.push("mg-unmade");
      mark.group.setAttribute("class", names.join(" "));
      mark.title?.classList.toggle("mg-unmade", isUnmade);
      if (isNext) this.hang(mark.place);
    }
    for (const { to, members, group } of this.lines) {
      const flow = FLOWS_FIRST.find((name) => members.some((id) => (edges[id] ?? "idle") === name));
      group.setAttribute("class", `mg-${flow}${this.isUnmade(to) ? " mg-unmade" : ""}`);
    }
  }

  /** Whether nothing of it is there yet, in the forward pass. */
  isUnmade(id) {
    return this.marks.get(id).inside.every((box) => this.player.unmade.has(box));
  }

  /** The flag at what runs next: beside it, also beyond the drawing, where that is free, else on its upper edge. */
  hang({ x, y, w, h }) {
    const end = Number(this.element.getAttribute("width"));
    const isFree = (left) =>
      left >= -this.beyond &&
      left + FLAG.width <= end + this.beyond &&
      [...this.marks.values()].every(
        ({ isOpen, place }) =>
          isOpen ||
          place.x >= left + FLAG.width ||
          place.x + place.w <= left ||
          place.y >= y + h ||
          place.y + place.h <= y,
      );
    const beside = [x + w + FLAG.apart, x - FLAG.width - FLAG.apart].find(isFree);
    const [left, top] = [beside ?? x + w - FLAG.width, y + (beside === undefined ? -FLAG.height : h - FLAG.height) / 2];
    this.flag.setAttribute("visibility", "visible");
    this.flag.setAttribute("transform", `translate(${left.toFixed(1)} ${top.toFixed(1)})`);
  }

  /** What stands at a place, or else the box or closed part that is nearest to it. */
  at(x, y) {
    const away = ({ place }) =>
      Math.hypot(Math.max(place.x - x, 0, x - place.x - place.w), Math.max(place.y - y, 0, y - place.y - place.h));
    const closed = [...this.marks].filter(([, { isOpen }]) => !isOpen);
    return closed.reduce((one, other) => (away(other[1]) < away(one[1]) ? other : one))[0];
  }
}

/** A name, and in lighter letters what stands beside it. */
function wordsOf({ name, made }, at) {
  const parts = [shape("tspan", { class: "mg-map-name" }, name)];
  if (made) parts.push(shape("tspan", { class: "mg-map-made", dx: 5 }, made));
  return shape("text", at, ...parts);
}

export class Whole {
  /**
   * @param {Stepper} stepper
   * @param {Overview} overview
   */
  constructor(stepper, overview) {
    this.stepper = stepper;
    this.overview = overview;
    this.drawing = new WholeDrawing(overview, stepper.player);
    // All that is in it stands in the view below it, too, which has the names for those who hear the page.
    this.element = make("div", { class: "mg-whole", hidden: true, role: "img" }, this.drawing.element);
    this.began = stepper.player.index;
    this.wanted = this.began === 0 && !stepper.player.atEnd ? AUTO : null;
    this.element.addEventListener("click", (event) => this.click(event));
    this.element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** The room that it has: the view's and the small map's. */
  get room() {
    const { view, minimap, camera } = this.stepper;
    if (!view.clientWidth) return { width: 0, height: 0 };
    const width = camera.room.width + (minimap.element.offsetWidth || 0);
    return { width: width - 2 * AROUND_WHOLE, height: camera.room.height - 2 * AROUND_WHOLE };
  }

  /** What is drawn in that; null where all is seen anyway, or no words could be read. */
  get fitted() {
    const { camera, picture } = this.stepper;
    const { room } = this;
    if (room.width <= 0 || room.height <= 0 || !picture.drawing || camera.usual <= camera.whole * 1.001) return null;
    return this.overview.in(room);
  }

  /** Whether it has a part that a click would open. */
  get hasClosed() {
    return [...this.drawing.marks.values()].some(({ isPart, isOpen }) => isPart && !isOpen);
  }

  get isShown() {
    return !this.element.hidden;
  }

  /** Show it as the reader wishes, or, at the start, by itself. */
  paint() {
    const fitted = this.wanted && this.fitted;
    if (this.wanted === AUTO && this.stepper.player.index !== this.began) this.leave();
    this.element.hidden = !(this.wanted && fitted);
    if (!this.isShown) return;
    this.drawing.draw(fitted);
    this.drawing.paint();
    this.element.setAttribute("aria-label", this.said);
  }

  /** What it shows, for those who hear the page: how much there is, and where the step is. */
  get said() {
    const { player, picture, controls } = this.stepper;
    const { box, next, index } = player.frame;
    const closed = [...this.drawing.marks.values()].filter(({ isPart, isOpen }) => isPart && !isOpen).length;
    const parts = picture.layout.groups.length;
    const inParts = parts ? ` in ${parts} parts${closed ? `, ${closed} of them closed` : ""}` : "";
    const around = trailOf(picture.layout, box ?? (index < 0 ? null : next)).map(({ text }) => text);
    const name = (id) => picture.about(id)?.name;
    return [
      `The whole graph: ${Object.keys(picture.data.boxes).length} boxes${inParts}`,
      `${controls.counter.textContent}${around.length ? `, in ${around.join(", ")}` : ""}`,
      ...(box ? [`${name(box)} has just run`] : []),
      ...(next ? [`${name(next)} is next`] : []),
    ].join("; ");
  }

  /** Returns whether there is a picture of the whole to be shown. */
  show() {
    if (!this.fitted) return false;
    this.wanted = BY_HAND;
    this.paint();
    this.stepper.panels.say(this.said);
    return true;
  }

  /** Give way to the view: the reader sees it shrink to where the small map is. */
  leave() {
    this.wanted = null;
    if (!this.isShown) return;
    this.shrink();
    this.element.hidden = true;
  }

  shrink() {
    const { stage, minimap } = this.stepper;
    const calm = window.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? true;
    const to = minimap.element.getBoundingClientRect();
    const from = this.element.getBoundingClientRect();
    if (calm || !this.element.animate || !to.width || !from.width) return;
    const leaving = /** @type {HTMLElement} */ (this.element.cloneNode(true));
    leaving.classList.add("mg-leaving");
    stage.append(leaving);
    const scale = `scale(${to.width / from.width}, ${to.height / from.height})`;
    const moved = `translate(${to.left - from.left}px, ${to.top - from.top}px) ${scale}`;
    const motion = leaving.animate(
      [{ transform: "none" }, { opacity: 1, offset: 0.6 }, { transform: moved, opacity: 0 }],
      {
        duration: SHRINKS,
        easing: "ease-in-out",
      },
    );
    motion.onfinish = () => leaving.remove();
    motion.oncancel = motion.onfinish;
  }

  /** Who zooms wants to see more of a place than there is here. */
  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    this.leave();
    this.stepper.camera.wheel(event);
  }

  click(event) {
    const { left, top } = this.drawing.element.getBoundingClientRect();
    const id = this.drawing.at(event.clientX - left, event.clientY - top);
    this.leave();
    this.stepper.go(id);
  }
}

// How large the drawing is and which part of it is seen: at first what runs, in letters that can be read. As in a map on
// a page, the wheel and dragging move it, and the wheel with Ctrl (or a pinch) zooms about the pointer. Zooming only
// sets the drawing's size; how much is said at a size is the picture's business (`setDetail`).

/** @import { Picture } from "./picture.mjs" */

const LEAST = 0.08;
const MOST = 3;
const FACTOR = 1.25;
export const LEGIBLE = 0.84; // of its size: then the smallest letters have ten pixels
const SMALL = 0.68; // where more is seen by it: then names and numbers are drawn larger, and have ten pixels
const AT_EDGE = 26; // pixels of the drawing between what is to be seen and the edge of the view: there flags and signs are
const LEAST_EDGE = 10; // and at least, where what is to be seen is nearly as wide as the view
const WORTH_MOVING = 2; // boxes more that are whole: for fewer a view that will do stays where it is
const LOW = 0.62; // of the view's height: the gradient goes upwards, so what runs stands behind the middle
const LINE = 16; // pixels of a line, for wheels that count in lines
const SHEET = { width: 680, height: 560 }; // pixels of a sheet of paper for the drawing, in page.css too

export class Camera {
  /**
   * @param {HTMLElement} view
   * @param {Picture} picture
   * @param {() => void} onChange
   */
  constructor(view, picture, onChange) {
    this.view = view;
    this.picture = picture;
    this.onChange = onChange;
    this.zoomed = null; // a size that the reader chose
    this.scale = 1; // until the size of the view is known
    this.aside = () => 0; // pixels of what stands beside the view as long as not all is seen
    this.mapIn = (_room) => 0; // and how many these are in a room
    this.pointers = new Map();
    this.heading = null; // where the view is moving to, as long as it moves by itself
    if (!picture.drawing) return;
    this.paper = globalThis.matchMedia?.("print");
    this.onPrint = () => this.resize();
    this.paper?.addEventListener("change", this.onPrint);
    view.addEventListener("scroll", () => this.onChange(), { passive: true });
    for (const event of ["scrollend", "wheel", "pointerdown"])
      view.addEventListener(event, () => (this.heading = null), { passive: true });
    const listen = (event, handler, options = {}) => view.addEventListener(event, handler, options);
    listen("wheel", (event) => this.wheel(event), { passive: false });
    listen("pointerdown", (event) => this.down(event));
    listen("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) listen(end, (event) => this.up(event));
    listen("click", (event) => this.swallow(event), { capture: true });
  }

  get room() {
    const padding = (name) => Number.parseFloat(getComputedStyle(this.view)[name]) || 0;
    const sides = padding("paddingLeft") + padding("paddingRight");
    const ends = padding("paddingTop") + padding("paddingBottom");
    return {
      width: this.view.clientWidth - sides || this.picture.width,
      height: this.view.clientHeight - ends || this.picture.height,
    };
  }

  /** The size at which the whole drawing is seen: then nothing stands beside it. */
  get whole() {
    const { width, height } = this.room;
    return Math.max(LEAST, Math.min(1, (width + this.aside()) / this.picture.width, height / this.picture.height));
  }

  /** The size that it has unless the reader has chosen one. */
  get usual() {
    const { width, height } = this.room;
    return this.usualIn({ width: width + this.aside(), height });
  }

  /** The same in a room with the small map: all is seen, if it can be read then; else all columns, as far as that goes. */
  usualIn(room) {
    const { width, height } = this.picture;
    const whole = Math.min(1, room.width / width, room.height / height);
    return whole >= SMALL ? whole : Math.max(SMALL, Math.min(LEGIBLE, (room.width - this.mapIn(room)) / width));
  }

  /** Whether all of the drawing is in the view. */
  get showsAll() {
    return this.scale <= this.whole * 1.001;
  }

  /** Whether the middle of a part of the drawing is in the view. */
  holds({ x, y, width, height }) {
    const { view, scale, room } = this;
    // From the middle of the view, which is that of the drawing's place in it.
    const isWithin = (at, start, length, inner) => Math.abs(at * scale - start - inner / 2) < length / 2;
    return (
      isWithin(x + width / 2, view.scrollLeft, view.clientWidth, room.width) &&
      isWithin(y + height / 2, view.scrollTop, view.clientHeight, room.height)
    );
  }

  resize() {
    const { drawing, width, height } = this.picture;
    if (!drawing) return;
    this.scale = this.paper?.matches
      ? Math.min(1, SHEET.width / width, SHEET.height / height)
      : (this.zoomed ?? this.usual);
    drawing.setAttribute("width", String(Math.floor(width * this.scale)));
    drawing.setAttribute("height", String(Math.floor(height * this.scale)));
    this.picture.setDetail(this.scale);
    this.onChange();
  }

  /** Set the size, keeping the point (x, y) of the view where it is. */
  zoom(scale, x = this.room.width / 2, y = this.room.height / 2) {
    const { drawing } = this.picture;
    if (!drawing) return;
    const { left, top } = drawing.getBoundingClientRect();
    const seen = this.view.getBoundingClientRect();
    const point = { x: (seen.left + x - left) / this.scale, y: (seen.top + y - top) / this.scale };
    this.zoomed = Math.min(MOST, Math.max(LEAST, scale));
    this.resize();
    const now = drawing.getBoundingClientRect();
    this.view.scrollLeft += now.left + point.x * this.scale - seen.left - x;
    this.view.scrollTop += now.top + point.y * this.scale - seen.top - y;
    this.onChange();
  }

  zoomIn() {
    this.zoom(this.scale * FACTOR);
  }

  zoomOut() {
    this.zoom(this.scale / FACTOR);
  }

  /** All of the drawing. */
  fit() {
    this.zoom(this.whole);
  }

  /** Bring an opened group into view, whole where that is possible, else from its head on. */
  show(element) {
    if (!element?.querySelector(".mg-frame") || this.showsAll) return;
    this.revealed = true; // the reader has chosen what is seen
    const part = frameOf(element);
    this.view.scrollTo?.({ left: this.startOf(part, "x", 0.5), top: this.startOf(part, "y", 0.5) });
    this.onChange();
  }

  /** Where the view begins, or will as soon as it has stopped moving. */
  get place() {
    return this.heading ?? { left: this.view.scrollLeft, top: this.view.scrollTop };
  }

  /** How far the view can begin from the drawing's edge, at most: as far as it is longer than the view. */
  inDrawing(start, side) {
    return Math.min(Math.max(0, this.picture[side] * this.scale - this.room[side]), Math.max(0, start));
  }

  /**
   * Between which places the view has to begin, along an axis, so that a part of the drawing lies in it. Where the part
   * is too large, the first of them is the greater one.
   */
  rangeOf(part, axis) {
    const { scale } = this;
    const [length, room] = axis === "x" ? ["width", this.room.width] : ["height", this.room.height];
    const edge = Math.min(AT_EDGE, Math.max(0, (room / scale - part[length]) / 2));
    return [(part[axis] + part[length] + edge) * scale - room, (part[axis] - edge) * scale];
  }

  /**
   * Where the view has to begin, along an axis, so that a part of the drawing lies in it: as it is, where that will do,
   * else with the middle of `box` at a place in the view; from the part's start on, where it is too large.
   */
  startOf(part, axis, place, box = part) {
    const [length, room, now] =
      axis === "x" ? ["width", this.room.width, this.place.left] : ["height", this.room.height, this.place.top];
    const [last, first] = this.rangeOf(part, axis);
    if (first < last - 1) return first;
    if (this.revealed && last <= now + 1 && now <= first + 1) return now;
    return Math.min(first, Math.max(last, (box[axis] + box[length] / 2) * this.scale - room * place));
  }

  /**
   * Where the view has to begin from the left so that a part lies in it: so that as many as can of the boxes at this height
   * are whole, but as it is, where that will do and few more would be.
   */
  leftOf(part, boxes, top) {
    const { scale, room } = this;
    const start = this.inDrawing(this.startOf(part, "x", 0.5), "width");
    const [last, first] = this.rangeOf(part, "x");
    if (first < last - 1) return start;
    const isWithin = (from, length, begin, size) => from * scale >= begin && (from + length) * scale <= begin + size;
    const beside = boxes.filter(({ y, height }) => isWithin(y, height, top, room.height));
    const wholeFrom = (left) => beside.filter(({ x, width }) => isWithin(x, width, left, room.width)).length;
    const lefts = beside.flatMap(({ x, width }) => [
      (x - LEAST_EDGE) * scale,
      (x + width + LEAST_EDGE) * scale - room.width,
    ]);
    const ways = [start, ...lefts.filter((left) => last <= left && left <= first)].map((left) =>
      this.inDrawing(left, "width"),
    );
    const byWorth = ways.map((left) => [wholeFrom(left), -Math.abs(left - start), left]);
    const most = byWorth.reduce((best, other) => ((other[0] - best[0] || other[1] - best[1]) > 0 ? other : best));
    const willDo = this.revealed && start === this.place.left && most[0] < byWorth[0][0] + WORTH_MOVING;
    return willDo ? start : most[2];
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // the browser scrolls the drawing, and at its ends the page
    event.preventDefault();
    const unit = event.deltaMode === 1 ? LINE : 1;
    const { left, top } = this.view.getBoundingClientRect();
    this.zoom(this.scale * Math.exp(-event.deltaY * unit * 0.0025), event.clientX - left, event.clientY - top);
  }

  down(event) {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.dragged = 0;
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    const now = { x: event.clientX, y: event.clientY };
    if (others.length) {
      const [other] = others;
      const apart = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
      const { left, top } = this.view.getBoundingClientRect();
      this.zoom(this.scale * (apart(now) / apart(before)), (now.x + other.x) / 2 - left, (now.y + other.y) / 2 - top);
    } else {
      this.view.scrollLeft -= now.x - before.x;
      if (event.pointerType === "mouse") this.view.scrollTop -= now.y - before.y; // up and down a finger moves the page
    }
    this.dragged += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    this.view.classList.toggle("mg-dragging", this.dragged > 4);
    this.pointers.set(event.pointerId, now);
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    this.view.classList.remove("mg-dragging");
  }

  /** The click at the end of a drag is none. */
  swallow(event) {
    if ((this.dragged ?? 0) > 4) event.stopPropagation();
    this.dragged = 0;
  }

  /**
   * Bring a box into view, with as many of those around it (by rank, the most wanted first) as have room beside it, unless
   * they are there; where nothing has been seen yet, then also with as many of the others; and from side to side with all
   * of the open part that it is in, where that has room, or to where most boxes are whole.
   */
  reveal(element, around = [], others = [], home = null) {
    const { view } = this;
    if (!element || !view.clientWidth || this.showsAll) return;
    const box = frameOf(element);
    const byDistance = (some) => some.map(frameOf).sort((one, other) => apart(box, one) - apart(box, other));
    const fits = (length, room) => (length + 2 * LEAST_EDGE) * this.scale <= room;
    const withThose = (start, some) => {
      const both = (part, other) => {
        const { x, y, width, height } = union(part, other);
        return fits(width, this.room.width) && fits(height, this.room.height) ? { x, y, width, height } : part;
      };
      return byDistance(some).reduce(both, start);
    };
    const part = around.reduce(withThose, box);
    const whole = this.revealed ? part : withThose(part, others);
    const top = this.inDrawing(this.startOf(whole, "y", LOW, box), "height");
    const { x, width } = home ? union(part, frameOf(home)) : part;
    const wide = fits(width, this.room.width) ? { ...part, x, width } : part;
    const left = this.leftOf(wide, others.map(frameOf), top);
    const calm = !this.revealed || (window.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? true);
    this.revealed = true;
    if (left === this.place.left && top === this.place.top) return;
    this.heading = calm ? null : { left, top };
    view.scrollTo?.({ left, top, behavior: calm ? "auto" : "smooth" });
  }

  /** Move the view so that a part of the drawing is in its middle. */
  center({ x, y, width, height }) {
    const { view, scale, room } = this;
    view.scrollLeft = (x + width / 2) * scale - room.width / 2;
    view.scrollTop = (y + height / 2) * scale - room.height / 2;
  }

  destroy() {
    this.paper?.removeEventListener("change", this.onPrint);
  }
}

/** How far the middles of two parts of the drawing are from each other. */
function apart(one, other) {
  const along = (axis, side) => one[axis] + one[side] / 2 - other[axis] - other[side] / 2;
  return Math.hypot(along("x", "width"), along("y", "height"));
}

/** The smallest part of the drawing that holds two. */
function union(one, other) {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  const width = Math.max(one.x + one.width, other.x + other.width) - x;
  const height = Math.max(one.y + one.height, other.y + other.height) - y;
  return { x, y, width, height };
}

/** Where a box or group stands in the drawing, and its size. */
export function frameOf(element) {
  const [x, y] = (element.getAttribute("transform")?.match(/-?[\d.]+/g) ?? [0, 0]).map(Number);
  const card = element.querySelector(".mg-card, .mg-frame");
  const [width, height] = ["width", "height"].map((side) => Number(card?.getAttribute(side) ?? 0));
  return { x, y, width, height };
}

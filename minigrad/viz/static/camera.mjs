// How large the drawing is and which part of it is seen: at first what runs, in letters that can be read. As in a map on
// a page, the wheel and dragging move it, and the wheel with Ctrl (or a pinch) zooms about the pointer. Zooming only
// sets the drawing's size; how much is said at a size is the picture's business (`setDetail`).

/** @import { Picture } from "./picture.mjs" */

const LEAST = 0.08;
const MOST = 3;
const FACTOR = 1.25;
export const LEGIBLE = 0.84; // of its size: then the smallest letters have ten pixels
const AROUND_STEP = 110; // pixels of the drawing around what runs: there its neighbours are
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
    this.pointers = new Map();
    if (!picture.drawing) return;
    this.paper = globalThis.matchMedia?.("print");
    this.onPrint = () => this.resize();
    this.paper?.addEventListener("change", this.onPrint);
    view.addEventListener("scroll", () => this.onChange(), { passive: true });
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

  /** The size at which the whole drawing is seen. */
  get whole() {
    const { width, height } = this.room;
    return Math.max(LEAST, Math.min(1, width / this.picture.width, height / this.picture.height));
  }

  /** The size that it has unless the reader has chosen one: all is seen, if it can be read then. */
  get usual() {
    return Math.max(LEGIBLE, this.whole);
  }

  /** Whether all of the drawing is in the view. */
  get showsAll() {
    return this.scale <= this.whole * 1.001;
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

  /** Bring an opened group into view, from its head on. */
  show(element) {
    const frame = element?.querySelector(".mg-frame");
    if (!frame || this.showsAll) return;
    const { x, y, width } = frameOf(element);
    this.revealed = true; // the reader has chosen what is seen
    this.view.scrollTo?.({
      left: x * this.scale - Math.max(8, (this.room.width - width * this.scale) / 2),
      top: y * this.scale - 8,
    });
    this.onChange();
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

  /** Bring a box into view with what lies around it, if it is not there. */
  reveal(element) {
    const { view, scale } = this;
    const { width: wide, height: tall } = this.room;
    if (!element || !view.clientWidth || this.showsAll) return;
    const { x, y, width, height } = frameOf(element);
    const ends = (start, length, scrolled, room) => {
      const around = Math.min(AROUND_STEP, Math.max(0, (room / scale - length) / 2));
      return (start - around) * scale >= scrolled - 1 && (start + length + around) * scale <= scrolled + room + 1;
    };
    const isSeen = ends(x, width, view.scrollLeft, wide) && ends(y, height, view.scrollTop, tall);
    if (this.revealed && isSeen) return;
    // The gradient goes upwards, so the box stands behind the middle.
    const left = (x + width / 2) * scale - wide * 0.5;
    const top = (y + height / 2) * scale - tall * 0.62;
    const calm = !this.revealed || (window.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? true);
    this.revealed = true;
    view.scrollTo?.({ left, top, behavior: calm ? "auto" : "smooth" });
  }

  destroy() {
    this.paper?.removeEventListener("change", this.onPrint);
  }
}

/** Where a box or group stands in the drawing, and its size. */
function frameOf(element) {
  const [x, y] = (element.getAttribute("transform")?.match(/-?[\d.]+/g) ?? [0, 0]).map(Number);
  const card = element.querySelector(".mg-card, .mg-frame");
  const [width, height] = ["width", "height"].map((side) => Number(card?.getAttribute(side) ?? 0));
  return { x, y, width, height };
}

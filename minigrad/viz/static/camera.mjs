// How large the drawing is and which part of it is seen. Zooming only sets the drawing's size, so that
// scroll bars, touch and the browser's own zoom keep working; the wheel scrolls, the wheel with Ctrl (and a pinch) zooms about the pointer, and
// dragging moves the drawing.

const SMALLEST = 0.85; // of the natural size: smaller text cannot be read, so wide graphs scroll unless the reader asks for all of it
const LEAST = 0.08;
const MOST = 3;
const FACTOR = 1.25;

export class Camera {
  constructor(view, picture, changed) {
    this.view = view;
    this.picture = picture;
    this.changed = changed;
    this.zoomed = null; // a size that the reader chose; null follows the page's width
    this.fitted = false;
    this.pointers = new Map();
    if (!picture.drawing) return;
    view.addEventListener("scroll", () => this.paintEdges(), { passive: true });
    const listen = (event, handler, options = {}) => view.addEventListener(event, handler, options);
    listen("wheel", (event) => this.wheel(event), { passive: false });
    listen("pointerdown", (event) => this.down(event));
    listen("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) listen(end, (event) => this.up(event));
    listen("click", (event) => this.swallow(event), { capture: true });
  }

  get room() {
    return this.view.clientWidth || this.picture.width;
  }

  get whole() {
    const tall = this.view.clientHeight && this.fitted ? Number.parseFloat(getComputedStyle(this.view).maxHeight) || Number.POSITIVE_INFINITY : Number.POSITIVE_INFINITY;
    return Math.min(1, this.room / this.picture.width, tall / this.picture.height);
  }

  resize() {
    const { drawing, width, height } = this.picture;
    if (!drawing) return;
    const scale = this.zoomed ?? (this.fitted ? this.whole : Math.max(SMALLEST, this.whole));
    drawing.setAttribute("width", Math.floor(width * scale));
    drawing.setAttribute("height", Math.floor(height * scale));
    this.scale = scale;
    this.changed();
    this.paintEdges();
  }

  /** Where the drawing goes on beyond an edge of the view, that edge is shaded. */
  paintEdges() {
    const { view } = this;
    const hidden = view.scrollWidth - view.clientWidth;
    view.parentNode?.classList.toggle("mg-more-left", view.scrollLeft > 1);
    view.parentNode?.classList.toggle("mg-more-right", hidden - view.scrollLeft > 1);
  }

  /** Set the size, keeping the point (x, y) of the view where it is. */
  zoom(scale, x = this.room / 2, y = this.view.clientHeight / 2) {
    const before = this.scale ?? 1;
    this.zoomed = Math.min(MOST, Math.max(LEAST, scale));
    this.fitted = false;
    const { scrollLeft, scrollTop } = this.view;
    this.resize();
    const ratio = this.scale / before;
    this.view.scrollLeft = (scrollLeft + x) * ratio - x;
    this.view.scrollTop = (scrollTop + y) * ratio - y;
  }

  zoomIn() {
    this.zoom((this.scale ?? 1) * FACTOR);
  }

  zoomOut() {
    this.zoom((this.scale ?? 1) / FACTOR);
  }

  toggleFit() {
    this.fitted = this.zoomed !== null || !this.fitted;
    this.zoomed = null;
    this.resize();
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // plain wheels scroll
    event.preventDefault();
    const { left, top } = this.view.getBoundingClientRect();
    this.zoom((this.scale ?? 1) * Math.exp(-event.deltaY * 0.0025), event.clientX - left, event.clientY - top);
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
      this.zoom((this.scale ?? 1) * (apart(now) / apart(before)), (now.x + other.x) / 2 - left, (now.y + other.y) / 2 - top);
    } else if (event.pointerType === "mouse") {
      this.view.scrollLeft -= now.x - before.x; // a finger scrolls by itself
      this.view.scrollTop -= now.y - before.y;
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

  /** Bring a box into view, if the drawing is larger than the view. */
  reveal(element) {
    const { view } = this;
    const room = view.clientWidth;
    if (!element || !room || (view.scrollWidth <= room && view.scrollHeight <= view.clientHeight)) return;
    const [x, y] = (element.getAttribute("transform")?.match(/-?[\d.]+/g) ?? [0, 0]).map(Number);
    const card = element.querySelector(".mg-card, .mg-frame");
    const width = Number(card?.getAttribute("width") ?? 0);
    const height = Number(card?.getAttribute("height") ?? 0);
    // The gradient goes to the left, so the box stands right of the middle.
    const left = (x + width / 2) * this.scale - room * 0.62;
    const top = (y + height / 2) * this.scale - view.clientHeight / 2;
    const calm = !this.revealed || (window.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? true);
    this.revealed = true;
    view.scrollTo?.({ left, top, behavior: calm ? "auto" : "smooth" });
  }
}

// A small map of the whole drawing, in the corner of a view that shows only part of it: what has run is coloured, and a frame says which part is
// seen. Clicking or dragging in it moves the view.

import { make, shape } from "./dom.mjs";

const MAP_WIDE = 168;
const MAP_TALL = 104;

export class Minimap {
  constructor(camera, picture) {
    this.camera = camera;
    this.picture = picture;
    this.marks = shape("g", {});
    this.seen = shape("rect", { class: "mg-seen", rx: 2 });
    this.drawing = shape("svg", { class: "mg-minimap-drawing" }, this.marks, this.seen);
    this.element = make("div", { class: "mg-minimap", hidden: true, "aria-hidden": "true" }, this.drawing);
    for (const event of ["pointerdown", "pointermove"]) this.element.addEventListener(event, (happened) => this.point(happened));
  }

  point(event) {
    if (event.buttons !== 1) return;
    event.preventDefault();
    const { view, scale, room } = this.camera;
    const { left, top, width, height } = this.drawing.getBoundingClientRect();
    view.scrollLeft = ((event.clientX - left) / width) * this.picture.width * scale - room.width / 2;
    view.scrollTop = ((event.clientY - top) / height) * this.picture.height * scale - room.height / 2;
  }

  /** Draw it anew, or hide it where the view shows everything. */
  paint() {
    const { camera, picture } = this;
    this.element.hidden = camera.showsAll || !picture.width;
    if (this.element.hidden) return;
    const part = Math.min(MAP_WIDE / picture.width, MAP_TALL / picture.height);
    const drawn = `${picture.width} ${picture.height}`;
    if (this.drawn !== drawn) {
      this.drawn = drawn;
      this.drawing.setAttribute("viewBox", `0 0 ${drawn}`);
      this.drawing.setAttribute("width", Math.round(picture.width * part));
      this.drawing.setAttribute("height", Math.round(picture.height * part));
    }
    const shown = [...picture.groups.values(), ...picture.boxes.values()].filter(({ group }) => group.getAttribute("display") !== "none");
    this.marks.replaceChildren(...shown.map(({ group, width, height, open }) => shape("rect", { class: `${group.getAttribute("class")}${open ? " mg-open" : ""}`, transform: group.getAttribute("transform"), width, height, rx: 6 })));
    const { view, scale, room } = camera;
    const numbers = { x: view.scrollLeft / scale, y: view.scrollTop / scale, width: room.width / scale, height: room.height / scale };
    for (const [name, value] of Object.entries(numbers)) this.seen.setAttribute(name, value.toFixed(1));
    this.seen.setAttribute("stroke-width", (2 / part).toFixed(1));
  }
}

// A small map of the whole drawing, beside a view that shows only part of it: what has run is coloured, and a frame says
// which part is seen. Clicking or dragging in it moves the view.

import { make, shape } from "./dom.mjs";

/** @import { Camera } from "./camera.mjs" */
/** @import { Picture } from "./picture.mjs" */

const MAP_WIDE = 72; // pixels

export class Minimap {
  /**
   * @param {Camera} camera
   * @param {Picture} picture
   */
  constructor(camera, picture) {
    this.camera = camera;
    this.picture = picture;
    this.marks = shape("g", {});
    this.seen = shape("rect", { class: "mg-seen", rx: 2 });
    this.drawing = shape("svg", { class: "mg-minimap-drawing" }, this.marks, this.seen);
    this.element = make("div", { class: "mg-minimap", hidden: true, "aria-hidden": "true" }, this.drawing);
    for (const event of ["pointerdown", "pointermove"])
      this.element.addEventListener(event, (happened) => this.point(happened));
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
    const { view, scale, room } = camera;
    this.element.hidden = camera.showsAll || !picture.width || room.height <= 0; // in a tab that is not shown
    if (this.element.hidden) return;
    const part = Math.min(MAP_WIDE / picture.width, room.height / picture.height);
    const [wide, tall] = [picture.width, picture.height].map((side) => Math.round(side * part));
    const drawn = { viewBox: `0 0 ${picture.width} ${picture.height}`, width: wide, height: tall };
    for (const [name, value] of Object.entries(drawn)) this.drawing.setAttribute(name, String(value));
    const shown = [...picture.groups.values(), ...picture.boxes.values()].filter(
      ({ group }) => group.getAttribute("display") !== "none",
    );
    this.marks.replaceChildren(
      ...shown.map(({ group, width, height, open }) =>
        shape("rect", {
          class: `${group.getAttribute("class")}${open ? " mg-open" : ""}`,
          transform: group.getAttribute("transform"),
          width,
          height,
          rx: 6,
        }),
      ),
    );
    const seen = {
      x: view.scrollLeft / scale,
      y: view.scrollTop / scale,
      width: room.width / scale,
      height: room.height / scale,
      "stroke-width": 2 / part,
    };
    for (const [name, value] of Object.entries(seen)) this.seen.setAttribute(name, value.toFixed(1));
  }
}

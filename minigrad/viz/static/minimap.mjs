// The whole drawing in small, beside a view that shows only part of it: every box with its name, or else its operation,
// as far as there is room for letters that can be read, and every edge, so that what the graph is made of is seen at
// once. What has run is coloured, and a frame says which part is seen. Clicking or dragging in it moves the view.

import { LEGIBLE } from "./camera.mjs";
import { make, shape } from "./dom.mjs";
import { beginningOf, sayingOp } from "./picture.mjs";

/** @import { Camera } from "./camera.mjs" */
/** @import { Picture } from "./picture.mjs" */

const LEAST_WIDE = 72; // pixels
const MOST_WIDE = 230;
const MAP_SHARE = 0.26; // of what it shares with the view
const MAP_SIDES = 6; // at its sides, in picture.css too
const VIEW_SIDES = 16; // at the sides of the view, in picture.css too
const MAP_LETTER = 10; // pixels: no letter is smaller
const LETTER_WIDTH = 0.6; // of its height: of a letter, at the mean
const LEAST_HIGH = 9; // pixels of a box, at least, where names are written
const MOST_STRETCHED = 2; // times as much of its height as of its width
const BEYOND = 3; // pixels by which a whole name may be wider than its box, and a cut one has to be narrower
const FEWEST_LETTERS = 3; // letters of a name of which the rest is left out
const MOST_EDGES = 600; // more are a blot

export class Minimap {
  /**
   * @param {Camera} camera
   * @param {Picture} picture
   */
  constructor(camera, picture) {
    this.camera = camera;
    this.picture = picture;
    this.frames = shape("g", {});
    this.edges = shape("g", { class: "mg-minimap-edges" });
    this.marks = shape("g", {});
    this.seen = shape("rect", { class: "mg-seen", rx: 2 });
    this.drawing = shape("svg", { class: "mg-minimap-drawing" }, this.frames, this.edges, this.marks, this.seen);
    this.element = make("div", { class: "mg-minimap", hidden: true, "aria-hidden": "true" }, this.drawing);
    this.shown = [];
    this.drawn = {};
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

  /**
   * How much of its width and of its height the drawing has here, where it shares a room with the view: more of its
   * height, where there is room for it, so that names have room. It is narrower where all columns of the drawing are seen
   * by that.
   */
  parts({ width, height }) {
    const { picture } = this;
    const spare = width - picture.width * LEGIBLE - 2 * MAP_SIDES - VIEW_SIDES;
    const share = Math.max(LEAST_WIDE, Math.min(MOST_WIDE, MAP_SHARE * width));
    const wide = spare >= LEAST_WIDE ? Math.min(share, spare) : share;
    const part = Math.min(wide / picture.width, height / picture.height);
    return [part, Math.min(MOST_STRETCHED * part, 1, height / picture.height)];
  }

  /** How wide it is there. */
  widthIn(room) {
    return this.picture.width * this.parts(room)[0] + 2 * MAP_SIDES;
  }

  /** Draw it anew, or hide it where the view shows everything. */
  paint() {
    const { camera, picture } = this;
    const { view, scale, room } = camera;
    this.element.hidden = camera.showsAll || !picture.width || room.height <= 0; // in a tab that is not shown
    if (this.element.hidden) return;
    const parts = this.parts({ width: room.width + (this.element.offsetWidth || 0), height: room.height });
    if (this.drawn.places !== picture.places || String(this.drawn.parts) !== String(parts)) this.draw(parts);
    for (const { group, mark, open } of this.shown) {
      const look = `${group.getAttribute("class")}${open ? " mg-open" : ""}`;
      if (mark.getAttribute("class") !== look) mark.setAttribute("class", look);
    }
    const [across, down] = parts.map((part) => part / scale);
    const seen = {
      x: view.scrollLeft * across,
      y: view.scrollTop * down,
      width: room.width * across,
      height: room.height * down,
    };
    for (const [name, value] of Object.entries(seen)) this.seen.setAttribute(name, value.toFixed(1));
  }

  /** Its marks and edges, in pixels. */
  draw(parts) {
    const { picture } = this;
    const [across, down] = parts;
    this.drawn = { places: picture.places, parts };
    const [wide, tall] = [Math.round(picture.width * across), Math.round(picture.height * down)];
    const drawn = { viewBox: `0 0 ${wide} ${tall}`, width: wide, height: tall };
    for (const [name, value] of Object.entries(drawn)) this.drawing.setAttribute(name, String(value));
    const ones = [...picture.groups.values(), ...[...picture.boxes].map(([id, box]) => ({ id, ...box }))];
    const boxes = ones.filter(({ group }) => group.getAttribute("display") !== "none");
    this.shown = boxes.map(({ id, about, group, width: w, height: h, open }) => {
      const [x, y] = group
        .getAttribute("transform")
        .match(/-?[\d.]+/g)
        .map(Number);
      const [left, top, width, height] = [x * across, y * down, w * across, h * down].map((side) => side.toFixed(1));
      const mark = shape("g", { transform: `translate(${left} ${top})` }, shape("rect", { width, height, rx: 2 }));
      const text = open ? "" : this.saying(id, about, w * across, h * down);
      if (text) mark.append(shape("text", { x: (w * across) / 2, y: (h * down) / 2 + MAP_LETTER * 0.36 }, text));
      return { group, mark, open };
    });
    for (const [layer, isOpen] of /** @type {[Element, boolean][]} */ ([
      [this.frames, true],
      [this.marks, false],
    ]))
      layer.replaceChildren(...this.shown.filter(({ open }) => Boolean(open) === isOpen).map(({ mark }) => mark));
    this.edges.setAttribute("transform", `scale(${across} ${down})`);
    const lines = picture.wires.size > MOST_EDGES ? [] : [...picture.wires.values()];
    const pathOf = ({ group }) => group.querySelector(".mg-wire")?.getAttribute("d");
    this.edges.replaceChildren(...lines.map((wire) => shape("path", { d: pathOf(wire) })));
  }

  /** What is written in a box that is so many pixels wide and high here: its name, or the operation; "" without room. */
  saying(id, group, width, height) {
    if (height < LEAST_HIGH) return "";
    const roomFor = (room) => Math.floor(room / (MAP_LETTER * LETTER_WIDTH));
    const { name = "", op = "", kind = "" } = group ?? this.picture.about(id) ?? {};
    const text = kind === name ? "" : sayingOp(name, op) || name; // "constant" is no name
    if ([...text].length <= roomFor(width + BEYOND)) return text;
    const few = roomFor(width - BEYOND);
    return few > FEWEST_LETTERS ? beginningOf(text, few) : "";
  }
}

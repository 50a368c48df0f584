// A drawing on paper, where nothing can be scrolled: one that is too large for a sheet at a size that can be read is cut
// into sheets, between its boxes, each of which is a part of it, from the left to the right and down.

import { LEGIBLE } from "./camera.mjs";
import { make } from "./dom.mjs";

/** @import { Camera } from "./camera.mjs" */
/** @import { Picture } from "./picture.mjs" */

const A_SHEET = { width: 680, height: 900 }; // pixels of a sheet for the drawing
const ONE_COLUMN = 0.62; // of its size: so small may letters be on paper, if that saves a second column
const LEAST_FILLED = 1 / 3; // of a sheet is filled, where boxes stand so close that a cut would meet one
const AROUND_BOX = 6; // pixels between a box and a cut
const MOST_PRINTED = 200_000; // elements on all sheets; a drawing of more is printed small, on one

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Extent */

/**
 * Where a length is cut into pieces of at most `room`: where no extent [start, end] is met, if there is such a place.
 * @param {number} length
 * @param {number} room
 * @param {[number, number][]} extents
 */
export function cutsOf(length, room, extents) {
  const cuts = [0];
  for (let start = 0; length - start > room; start = cuts.at(-1)) {
    const isFree = (place) => extents.every(([from, to]) => place <= from || place >= to);
    const places = extents.flat().filter((place) => place > start + LEAST_FILLED * room && place <= start + room);
    cuts.push(Math.max(...places.filter(isFree)) > 0 ? Math.max(...places.filter(isFree)) : start + room);
  }
  return [...cuts, length];
}

export class Paper {
  /**
   * @param {HTMLElement} stage
   * @param {Picture} picture
   * @param {Camera} camera
   */
  constructor(stage, picture, camera) {
    this.stage = stage;
    this.picture = picture;
    this.camera = camera;
    this.sheets = make("div", { class: "mg-sheets", "aria-hidden": "true" });
    stage.append(this.sheets);
    this.media = picture.drawing ? globalThis.matchMedia?.("print") : null;
    this.onPrint = () => this.lay(this.media.matches);
    this.media?.addEventListener("change", this.onPrint); // after the camera, which has heard of it by then
  }

  /** The size on paper: a whole on one sheet, else one column, else columns beside each other. */
  get scale() {
    const { width, height } = this.picture;
    const [column, whole] = [A_SHEET.width / width, Math.min(A_SHEET.width / width, A_SHEET.height / height)];
    return Math.min(1, whole >= ONE_COLUMN ? whole : column >= ONE_COLUMN ? column : LEGIBLE);
  }

  /** @param {boolean} isPrinted */
  lay(isPrinted) {
    const { camera, picture } = this;
    const parts = isPrinted && camera.scale < LEGIBLE && picture.drawing.isConnected ? this.parts() : [];
    this.sheets.replaceChildren(...parts);
    this.stage.classList.toggle("mg-on-sheets", parts.length > 0);
  }

  /** The sheets, as drawings of their own. */
  parts() {
    const { picture, scale } = this;
    const { drawing, width, height } = picture;
    picture.setDetail(1); // all words: a printer has finer points than a screen
    const extents = this.extents();
    const all = [...extents.values()];
    /** @type {(start: string, end: string) => [number, number][]} */
    const between = (start, end) => all.map((one) => [one[start] - AROUND_BOX, one[end] + AROUND_BOX]);
    const rows = cutsOf(height, A_SHEET.height / scale, between("top", "bottom"));
    const columns = cutsOf(width, A_SHEET.width / scale, between("left", "right"));
    const count = (rows.length - 1) * (columns.length - 1);
    if (count * drawing.querySelectorAll("*").length > MOST_PRINTED) return [];
    const sheets = [];
    for (let row = 1; row < rows.length; row += 1)
      for (let column = 1; column < columns.length; column += 1) {
        const [left, right, top, bottom] = [columns[column - 1], columns[column], rows[row - 1], rows[row]];
        const isThere = (one) => one.right > left && one.left < right && one.bottom > top && one.top < bottom;
        if (!all.some(isThere)) continue;
        const sheet = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
        for (const box of sheet.querySelectorAll("[data-box]"))
          if (extents.has(box.getAttribute("data-box")) && !isThere(extents.get(box.getAttribute("data-box"))))
            box.remove();
        sheet.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
        sheet.setAttribute("width", String(Math.floor((right - left) * scale)));
        sheet.setAttribute("height", String(Math.floor((bottom - top) * scale)));
        sheets.push(sheet);
      }
    return sheets;
  }

  /**
   * Where what may not be cut stands in the drawing, by its box or group.
   * @returns {Map<string, Extent>}
   */
  extents() {
    const { drawing, width } = this.picture;
    const whole = drawing.getBoundingClientRect();
    const unit = whole.width / width || 1;
    const solid = drawing.querySelectorAll(
      '[data-box]:not([display="none"]), [data-group]:not(.mg-open, [display="none"])',
    );
    return new Map(
      [...solid].map((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const place = {
          left: left - whole.left,
          right: right - whole.left,
          top: top - whole.top,
          bottom: bottom - whole.top,
        };
        const inUnits = Object.entries(place).map(([side, pixels]) => [side, pixels / unit]);
        return [element.getAttribute("data-box") ?? element.getAttribute("data-group"), Object.fromEntries(inUnits)];
      }),
    );
  }

  destroy() {
    this.media?.removeEventListener("change", this.onPrint);
  }
}

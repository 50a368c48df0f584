// A drawing on paper, where nothing can be scrolled: one that is too large for a sheet at a size that can be read is cut
// into sheets, between its boxes, each of which is a part of it, column by column.

import { LEGIBLE } from "./camera.mjs";
import { make } from "./dom.mjs";

/** @import { Picture } from "./picture.mjs" */

const A_SHEET = { width: 680, height: 900 }; // pixels of a sheet for the drawing
const ONE_COLUMN = 0.62; // of its size: so small may letters be on paper, if that saves a second column
const LEAST_FILLED = 1 / 3; // of a sheet: where no cut beyond that misses all boxes, one of them is cut
const AROUND_BOX = 2; // pixels between a box and a cut
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
    const isFree = (cut) => extents.every(([from, to]) => cut <= from || cut >= to);
    const ends = extents.flat().filter((end) => end > start + LEAST_FILLED * room && end <= start + room);
    const free = ends.filter(isFree);
    cuts.push(free.length ? Math.max(...free) : start + room);
  }
  return [...cuts, length];
}

/**
 * From where to where extents reach along an axis, with some room around them.
 * @param {Extent[]} extents
 * @param {"left" | "top"} start
 * @param {"right" | "bottom"} end
 * @returns {[number, number][]}
 */
function reachesAlong(extents, start, end) {
  return extents.map((one) => [one[start] - AROUND_BOX, one[end] + AROUND_BOX]);
}

export class Paper {
  /**
   * @param {HTMLElement} stage
   * @param {Picture} picture
   */
  constructor(stage, picture) {
    this.stage = stage;
    this.picture = picture;
    this.sheets = make("div", { class: "mg-sheets", "aria-hidden": "true" });
    stage.append(this.sheets);
    this.media = picture.drawing ? globalThis.matchMedia?.("print") : null;
    this.onPrint = () => this.lay(this.media.matches);
    this.media?.addEventListener("change", this.onPrint); // after the camera, which has heard of it by then
  }

  /** The size at which the whole lies on one sheet. */
  get scaleOfWhole() {
    return Math.min(A_SHEET.width / this.picture.width, A_SHEET.height / this.picture.height);
  }

  /** The size on paper: the whole on one sheet, else one column, else columns beside each other. */
  get scale() {
    const column = A_SHEET.width / this.picture.width;
    const { scaleOfWhole } = this;
    return Math.min(1, scaleOfWhole >= ONE_COLUMN ? scaleOfWhole : column >= ONE_COLUMN ? column : LEGIBLE);
  }

  /** @param {boolean} isPrinted */
  lay(isPrinted) {
    const needsSheets = isPrinted && this.scaleOfWhole < LEGIBLE && this.picture.drawing.isConnected;
    const sheets = needsSheets ? this.makeSheets() : [];
    this.sheets.replaceChildren(...sheets);
    this.stage.classList.toggle("mg-on-sheets", sheets.length > 0);
  }

  /** The sheets, as drawings of their own; none of a drawing that has more on them than can be printed. */
  makeSheets() {
    const { picture, scale } = this;
    const { drawing, width, height } = picture;
    picture.setDetail(1); // all words: a printer has finer points than a screen
    const extents = this.extents();
    const columns = cutsOf(width, A_SHEET.width / scale, reachesAlong([...extents.values()], "left", "right"));
    const parts = columns.slice(1).flatMap((right, k) => {
      const left = columns[k];
      const inColumn = [...extents.values()].filter((one) => one.right > left && one.left < right);
      const rows = cutsOf(height, A_SHEET.height / scale, reachesAlong(inColumn, "top", "bottom"));
      return rows.slice(1).map((bottom, row) => ({ left, right, top: rows[row], bottom }));
    });
    if (parts.length * drawing.querySelectorAll("*").length > MOST_PRINTED) return [];
    const sheets = [];
    for (const { left, right, top, bottom } of parts) {
      const isThere = (one) => one.right > left && one.left < right && one.bottom > top && one.top < bottom;
      if (![...extents.values()].some(isThere)) continue;
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
    const { drawing } = this.picture;
    const toDrawing = drawing.getScreenCTM().inverse();
    const solid = drawing.querySelectorAll(
      '[data-box]:not([display="none"]), [data-group]:not(.mg-open, [display="none"])',
    );
    return new Map(
      [...solid].map((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const [start, end] = [new DOMPoint(left, top), new DOMPoint(right, bottom)].map((corner) =>
          corner.matrixTransform(toDrawing),
        );
        const extent = { left: start.x, right: end.x, top: start.y, bottom: end.y };
        return [element.getAttribute("data-box") ?? element.getAttribute("data-group"), extent];
      }),
    );
  }

  destroy() {
    this.media?.removeEventListener("change", this.onPrint);
  }
}

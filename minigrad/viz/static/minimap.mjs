// The whole drawing in small, beside a view that shows only part of it: every box with its name, or else its operation,
// as far as there is room for letters that can be read, and every edge, so that what the graph is made of is seen at
// once; and open groups with theirs, the largest first, where nothing else stands. What has run is coloured, and a frame
// says which part is seen. Clicking or dragging in it moves the view.

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
const NEXT_TO_NAME = 3; // pixels between a name and what stands beside it
const MOST_BEYOND = 16; // pixels by which a name may be wider than its box on each side
const FEWEST_LETTERS = 3; // letters of a name of which the rest is left out
const GROUP_LETTERS = [18, 12, 9, 6]; // and of a group's
const MOST_NAMED = 40; // groups: of more there is no room for the names
const WORDS_HIGH = 12; // pixels of a line of words
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
    const left = view.scrollLeft * across;
    const top = view.scrollTop * down;
    const [wide, tall] = [picture.width * parts[0], picture.height * parts[1]];
    const seen = {
      x: left,
      y: top,
      width: Math.min(room.width * across, wide - left),
      height: Math.min(room.height * down, tall - top),
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
      const place = { x: x * across, y: y * down, w: w * across, h: h * down };
      const [left, top, width, height] = [place.x, place.y, place.w, place.h].map((side) => side.toFixed(1));
      const mark = shape("g", { transform: `translate(${left} ${top})` }, shape("rect", { width, height, rx: 2 }));
      return { id, about, group, mark, open, place };
    });
    const closed = this.shown.filter(({ open }) => !open);
    const words = this.nameBoxes(closed, wide);
    const places = [...closed.map(({ place }) => place), ...words];
    const titles = this.nameGroups(
      this.shown.filter(({ open }) => open),
      places,
    );
    this.frames.replaceChildren(...this.shown.filter(({ open }) => open).map(({ mark }) => mark));
    this.marks.replaceChildren(...closed.map(({ mark }) => mark), ...titles);
    this.edges.setAttribute("transform", `scale(${across} ${down})`);
    const lines = picture.wires.size > MOST_EDGES ? [] : [...picture.wires.values()];
    const pathOf = ({ group }) => group.querySelector(".mg-wire")?.getAttribute("d");
    this.edges.replaceChildren(...lines.map((wire) => shape("path", { d: pathOf(wire) })));
  }

  /** Write into boxes, or across them where nothing stands beside them. Returns where these words stand. */
  nameBoxes(boxes, wide) {
    const names = boxes.map(({ id, about, place }) => (place.h < LEAST_HIGH ? "" : this.nameOf(id, about)));
    const written = [];
    for (const [k, { mark, place }] of boxes.entries()) {
      if (!names[k]) continue;
      const { x, y, w, h } = place;
      const [top, bottom] = [y + (h - WORDS_HIGH) / 2, y + (h + WORDS_HIGH) / 2];
      const level = boxes.filter(
        (other) => other.place !== place && other.place.y < bottom && top < lowerEdge(other.place),
      );
      // Two that stand beside each other share what is between them.
      const before = level.filter((other) => other.place.x < x).map((other) => (x - other.place.x - other.place.w) / 2);
      const after = level.filter((other) => other.place.x >= x).map((other) => (other.place.x - x - w) / 2);
      const free = Math.min(x, wide - x - w, MOST_BEYOND, ...before, ...after);
      const text = textWithin(names[k], w + 2 * (free - NEXT_TO_NAME / 2));
      if (!text) continue;
      mark.append(shape("text", { x: w / 2, y: h / 2 + MAP_LETTER * 0.36 }, text));
      const length = widthOfText(text);
      written.push({ x: x + (w - length) / 2, y: top, w: length, h: WORDS_HIGH });
    }
    return written;
  }

  /** The names of open groups, each where nothing else of the map stands in it. */
  nameGroups(groups, places) {
    const taken = [...places];
    const areaOf = ({ place }) => place.w * place.h;
    return [...groups]
      .sort((one, other) => areaOf(other) - areaOf(one))
      .slice(0, MOST_NAMED)
      .flatMap((group) => {
        const inner = groups.filter((other) => other !== group && liesIn(other.place, group.place));
        const others = [...taken, ...inner.map(({ place }) => place)];
        for (const text of shorterAndShorter(group.about)) {
          const place = placeForTitle(group.place, widthOfText(text), others);
          if (!place) continue;
          taken.push(place);
          return [shape("text", { class: "mg-map-title", x: place.x, y: place.y + MAP_LETTER }, text)];
        }
        return [];
      });
  }

  /** What a box is called here: of a path its last part, and what has no name of its own by its operation. */
  nameOf(id, group) {
    const { name = "", op = "", kind = "" } = group ?? this.picture.about(id) ?? {};
    if (kind === name) return ""; // "constant" is no name
    return sayingOp(name, op) || (name.includes("(") ? name : (name.split(".").at(-1) ?? name));
  }
}

const lowerEdge = ({ y, h }) => y + h;

/** How wide a text is. */
function widthOfText(text) {
  return [...text].length * MAP_LETTER * LETTER_WIDTH;
}

/** A text in a room, its beginning where it is longer, "" where too little of it would be left. */
function textWithin(text, room) {
  const letters = Math.floor((room + 1) / (MAP_LETTER * LETTER_WIDTH));
  if ([...text].length <= letters) return text;
  return letters > FEWEST_LETTERS ? beginningOf(text, letters) : "";
}

/**
 * A group's name (of one in a list of modules, its class), and what may stand for it: the number of an iteration without
 * the word, fewer and fewer letters.
 */
function shorterAndShorter({ name: own, kind }) {
  const name = kind && /^\d+$/.test(own) ? kind : own;
  const short = name.replace(/^iterations? /, "");
  return [...new Set([name, short, ...GROUP_LETTERS.map((letters) => beginningOf(short, letters))])];
}

function liesIn(one, other) {
  return (
    one.x >= other.x && one.y >= other.y && one.x + one.w <= other.x + other.w && lowerEdge(one) <= lowerEdge(other)
  );
}

/** The highest place in a frame for words of a width where they lie on nothing; null where there is none. */
function placeForTitle(frame, width, others) {
  const isFree = (place) =>
    others.every(
      ({ x, y, w, h }) =>
        place.x + place.w + NEXT_TO_NAME <= x ||
        x + w + NEXT_TO_NAME <= place.x ||
        place.y + WORDS_HIGH <= y ||
        y + h <= place.y,
    );
  if (width + 2 * NEXT_TO_NAME > frame.w) return null;
  const lefts = [frame.x + NEXT_TO_NAME, frame.x + frame.w - NEXT_TO_NAME - width];
  for (let y = frame.y + 1; y + WORDS_HIGH <= lowerEdge(frame); y += WORDS_HIGH / 4)
    for (const x of lefts) {
      const place = { x, y, w: width, h: WORDS_HIGH };
      if (isFree(place)) return place;
    }
  return null;
}

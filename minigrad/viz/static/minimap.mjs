// The whole drawing in small, beside a view that shows only part of it: every box with its name, or else its operation,
// as far as there is room for letters that can be read, and every edge, so that what the graph is made of is seen at
// once; and open groups with theirs, the largest first, where nothing else stands. What has run is coloured, and a frame
// says which part is seen. Clicking or dragging in it moves the view. A drawing that is too long or too wide for words in
// that is shown as overview.mjs has it, around the step; a wide one of which too little would be open there, without words.

import { frameOf, LEGIBLE } from "./camera.mjs";
import { make, shape } from "./dom.mjs";
import { NAME_ROW, ROW } from "./measures.mjs";
import { ownPart, shortTitle, WITH_BOTH } from "./overview.mjs";
import { WholeDrawing } from "./whole.mjs";

/** @import { Camera } from "./camera.mjs" */
/** @import { Overview } from "./overview.mjs" */
/** @import { Picture } from "./picture.mjs" */
/** @import { Player } from "./player.mjs" */

const LEAST_WIDE = 72; // pixels
const MOST_WIDE = 230;
const MAP_SHARE = 0.26; // of what it shares with the view
const MAP_SIDES = 6; // at its sides, in picture.css too
const VIEW_SIDES = 16; // at the sides of the view, in picture.css too
const MAP_LETTER = 10; // pixels: no letter is smaller
const LETTER_WIDTH = 0.7; // of its height: of most letters
const [SLIM, LESS_OF_SLIM] = [/[ijltfrI.,:;'()[\]_ …-]/g, 0.35]; // of that
const [BROAD, MORE_OF_BROAD] = [/[mwMW@%]/g, 0.4];
const LEAST_HIGH = 9; // pixels of a box, at least, where names are written
const MOST_STRETCHED = 2; // times as much of its height as of its width, or of its width as of its height
const FLAT_STRETCHED = 4; // and of its height, where it is too wide for words anyway
const NEXT_TO_NAME = 3; // pixels between a name and what stands beside it
const MOST_BEYOND = 16; // pixels by which a name may be wider than its box on each side
const NARROWEST = 0.72; // of its width: of a letter, where there is little room
const SEEN_AROUND = 3; // pixels between what is seen and the frame around it
const MUTE = 0.16; // of its size: narrower boxes have no room for words
const SPECK = 0.06; // of its size: boxes that are narrower tell nothing
const OPEN_HIGH = 0.7; // of the map's height: what has words fills that, or too much of it is closed
const RESULT_HIGH = NAME_ROW + 6 + 2 * ROW; // pixels of a box with its value and gradient
const GROUP_LETTERS = [18, 12, 9, 6]; // and of a group's
const MOST_NAMED = 40; // groups: of more there is no room for the names
const WORDS_HIGH = 12; // pixels of a line of words
const MOST_EDGES = 600; // more are a blot

export class Minimap {
  /**
   * @param {Camera} camera
   * @param {Picture} picture
   * @param {Overview} overview
   * @param {Player} player
   */
  constructor(camera, picture, overview, player) {
    this.camera = camera;
    this.picture = picture;
    this.overview = overview;
    this.player = player;
    this.worded = new WholeDrawing(overview, player); // in the place of a drawing that would be mute
    this.frames = shape("g", {});
    this.edges = shape("g", { class: "mg-minimap-edges" });
    this.marks = shape("g", {});
    this.seen = shape("rect", { class: "mg-seen", rx: 2 });
    this.drawing = shape("svg", { class: "mg-minimap-drawing" }, this.frames, this.edges, this.marks, this.seen);
    this.element = make("div", { class: "mg-minimap", hidden: true, "aria-hidden": "true" }, this.drawing);
    this.shown = [];
    this.lines = [];
    this.drawn = {};
    for (const event of ["pointerdown", "pointermove"])
      this.element.addEventListener(event, (happened) => this.point(happened));
  }

  point(event) {
    if (event.buttons !== 1) return;
    event.preventDefault();
    const { view, scale, room } = this.camera;
    if (this.worded.element.parentNode === this.element) {
      const { left, top } = this.worded.element.getBoundingClientRect();
      const id = this.worded.at(event.clientX - left, event.clientY - top);
      this.camera.center(frameOf(this.picture.element(this.worded.marks.get(id).inside.at(-1))));
      return;
    }
    const { left, top, width, height } = this.drawing.getBoundingClientRect();
    view.scrollLeft = ((event.clientX - left) / width) * this.picture.width * scale - room.width / 2;
    view.scrollTop = ((event.clientY - top) / height) * this.picture.height * scale - room.height / 2;
  }

  /**
   * How much of its width and of its height the drawing has here, where it shares a room with the view: more of the one
   * than of the other, where there is room for it, so that names have room. It is narrower where all columns of the drawing
   * are seen by that.
   */
  parts({ width, height }) {
    const { picture } = this;
    const spare = width - picture.width * LEGIBLE - 2 * MAP_SIDES - VIEW_SIDES;
    const share = Math.max(LEAST_WIDE, Math.min(MOST_WIDE, MAP_SHARE * width));
    const wide = spare >= LEAST_WIDE ? Math.min(share, spare) : share;
    const [across, down] = [wide / picture.width, height / picture.height];
    const stretched = across < MUTE ? FLAT_STRETCHED : MOST_STRETCHED;
    const most = Math.min(stretched * Math.min(across, down), 1);
    const parts = [across, down].map((part) => Math.min(most, part));
    const isLow = parts[1] * RESULT_HIGH < LEAST_HIGH;
    return { share, parts, isMute: parts[0] < MUTE || isLow, isDrawn: parts[0] >= SPECK && !isLow };
  }

  /** How wide it is there: one that would be mute needs room for words. */
  widthIn(room) {
    const { share, parts, isMute } = this.parts(room);
    return (isMute ? share : this.picture.width * parts[0]) + 2 * MAP_SIDES;
  }

  /** Draw it anew, or hide it where the view shows everything. */
  paint() {
    const { camera, picture } = this;
    const { view, scale, room } = camera;
    this.element.hidden = camera.showsAll || !picture.width || room.height <= 0; // in a tab that is not shown
    if (this.element.hidden) return;
    const whole = { width: room.width + (this.element.offsetWidth || 0), height: room.height };
    const { share, parts, isMute, isDrawn } = this.parts(whole);
    const own = { width: share, height: room.height };
    if (isMute && !(isDrawn && this.overview.hides(own, OPEN_HIGH)) && this.paintWords(own)) return;
    if (this.drawing.parentNode !== this.element) {
      this.element.replaceChildren(this.drawing);
      this.drawing.append(this.seen);
      this.element.style?.removeProperty("width");
    }
    if (this.drawn.places !== picture.places || String(this.drawn.parts) !== String(parts)) this.draw(parts);
    for (const { group, mark, open } of this.shown) {
      const look = `${group.getAttribute("class")}${open ? " mg-open" : ""}`;
      if (mark.getAttribute("class") !== look) mark.setAttribute("class", look);
    }
    for (const { group, line } of this.lines) line.classList.toggle("mg-unmade", group.classList.contains("mg-unmade")); // an edge is there when its result is
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

  /** Draw the whole with words, and which of it is seen. Returns whether there is room for that. */
  paintWords(room) {
    const { worded, player } = this;
    const fitted = this.overview.in(room, player.frame?.box ?? player.frame?.next ?? null);
    if (!fitted) return false;
    if (worded.element.parentNode !== this.element) this.element.replaceChildren(worded.element);
    this.element.style?.setProperty("width", `${room.width + 2 * MAP_SIDES}px`); // whichever part is open: the view stays
    worded.draw(fitted);
    worded.paint();
    const shown = new Set(this.boxesInView().map((id) => this.overview.layout.shownFor(id)));
    const marks = [...worded.marks].filter(([id, { isOpen }]) => !isOpen && shown.has(id)).map(([, mark]) => mark);
    const sides = marks.map(({ place: { x, y, w, h } }) => [x, y, x + w, y + h]);
    const [x, y] = [0, 1].map((k) => Math.min(...sides.map((side) => side[k])) - SEEN_AROUND);
    const [endX, endY] = [2, 3].map((k) => Math.max(...sides.map((side) => side[k])) + SEEN_AROUND);
    worded.element.append(this.seen);
    const frame = marks.length ? { x, y, width: endX - x, height: endY - y } : { x: 0, y: 0, width: 0, height: 0 };
    for (const [name, value] of Object.entries(frame)) this.seen.setAttribute(name, value.toFixed(1));
    return true;
  }

  /** The boxes of which the middle is in the view, and those in closed parts of which it is. */
  boxesInView() {
    const { picture, camera } = this;
    const boxes = [...picture.places].filter(([id, at]) => camera.holds({ ...picture.boxes.get(id), ...at }));
    const parts = [...picture.closed].filter(([, group]) => camera.holds(frameOf(group)));
    return [...boxes.map(([id]) => id), ...parts.flatMap(([id]) => picture.layout.inside.get(id))];
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
    const wires = picture.wires.size > MOST_EDGES ? [] : [...picture.wires.values()];
    const titles = this.nameGroups(
      this.shown.filter(({ open }) => open),
      places,
      wires.flatMap(({ chip }) => stretchesOf(chip.points.map(({ x, y }) => ({ x: x * across, y: y * down })))),
    );
    this.frames.replaceChildren(...this.shown.filter(({ open }) => open).map(({ mark }) => mark));
    this.marks.replaceChildren(...closed.map(({ mark }) => mark), ...titles);
    this.edges.setAttribute("transform", `scale(${across} ${down})`);
    const lineOf = (group) => shape("path", { d: group.querySelector(".mg-wire")?.getAttribute("d") });
    this.lines = wires.map(({ group }) => ({ group, line: lineOf(group) }));
    this.edges.replaceChildren(...this.lines.map(({ line }) => line));
  }

  /** Write into boxes, or across them where nothing stands beside them. Returns where these words stand. */
  nameBoxes(boxes, wide) {
    const names = boxes.map(({ id, about, place }) => (place.h < LEAST_HIGH ? [] : this.namesOf(id, about)));
    const shortest = names.flatMap((all) => all.slice(-1));
    const written = [];
    for (const [k, { mark, place }] of boxes.entries()) {
      if (!names[k].length) continue;
      const { x, y, w, h } = place;
      const [top, bottom] = [y + (h - WORDS_HIGH) / 2, y + (h + WORDS_HIGH) / 2];
      const level = boxes.filter(
        (other) => other.place !== place && other.place.y < bottom && top < lowerEdge(other.place),
      );
      // Two that stand beside each other share what is between them.
      const before = level.filter((other) => other.place.x < x).map((other) => (x - other.place.x - other.place.w) / 2);
      const after = level.filter((other) => other.place.x >= x).map((other) => (other.place.x - x - w) / 2);
      const [left, right] = [Math.min(x, MOST_BEYOND, ...before), Math.min(wide - x - w, MOST_BEYOND, ...after)];
      const room = w + left + right - NEXT_TO_NAME;
      const whole = names[k].find((name) => widthOfText(name) + NEXT_TO_NAME <= w);
      const lines = whole ? [whole] : linesWithin(names[k].at(-1), room, h, shortest);
      if (!lines.length) continue;
      const length = Math.min(Math.max(...lines.map(widthOfText)), room);
      // A box is as wide as its name, and grows on both sides alike, where that has room.
      const beyond = Math.max(0, length + NEXT_TO_NAME - w);
      const onLeft = Math.min(left, Math.max(beyond - right, beyond / 2));
      const middle = w / 2 + beyond / 2 - onLeft;
      const rect = mark.querySelector("rect");
      rect.setAttribute("x", (-onLeft).toFixed(1));
      rect.setAttribute("width", (w + beyond).toFixed(1));
      mark.append(
        ...lines.map((line, row) => wordsAt(line, room, { x: middle, y: h / 2 + lineAt(row, lines.length) })),
      );
      const more = (lines.length - 1) * MAP_LETTER;
      written.push({ x: x + middle - length / 2, y: top - more / 2, w: length, h: WORDS_HIGH + more });
    }
    return written;
  }

  /** The names of open groups, each where nothing else of the map stands in it, and no edge, where that has room. */
  nameGroups(groups, places, lines) {
    const taken = [...places];
    const areaOf = ({ place }) => place.w * place.h;
    const shortest = groups.map(({ about }) => wordsOfTitle(about).at(-1));
    return [...groups]
      .sort((one, other) => areaOf(other) - areaOf(one))
      .slice(0, MOST_NAMED)
      .flatMap((group) => {
        const inner = groups.filter((other) => other !== group && liesIn(other.place, group.place));
        const others = [...taken, ...inner.map(({ place }) => place)];
        const words = wordsOfTitle(group.about);
        const parts = GROUP_LETTERS.map((letters) => ownPart(words.at(-1), letters, shortest));
        const texts = [words, parts.filter(Boolean)].flatMap((some) =>
          [1, NARROWEST].flatMap((part) => some.map((text) => [text, part])),
        );
        const ways = [[...others, ...lines], others].flatMap((all) => texts.map((one) => [all, ...one]));
        for (const [all, text, part] of ways) {
          const width = widthOfText(text) * part;
          const place = placeForTitle(group.place, width, all);
          if (!place) continue;
          taken.push(place);
          const line = wordsAt(text, part < 1 ? width : Infinity, { x: place.x, y: place.y + MAP_LETTER });
          line.setAttribute("class", "mg-map-title");
          return [line];
        }
        return [];
      });
  }

  /** What a box is called here, as on its card: with its operation, where it has no name of its own, or without. */
  namesOf(id, group) {
    if (group) return wordsOfTitle(group).slice(1);
    const { layout } = this.overview;
    layout.words = WITH_BOTH;
    const { name, made } = layout.label(id);
    return made ? [`${name} ${made}`, name] : [name];
  }
}

const lowerEdge = ({ y, h }) => y + h;

/** How wide a text is: of its letters some are narrower or wider than most. */
function widthOfText(text) {
  const count = (some) => text.match(some)?.length ?? 0;
  const letters = [...text].length - LESS_OF_SLIM * count(SLIM) + MORE_OF_BROAD * count(BROAD);
  return letters * MAP_LETTER * LETTER_WIDTH;
}

/** How far below the middle of several lines the feet of one's letters stand. */
function lineAt(row, count) {
  return MAP_LETTER * (0.36 + row - (count - 1) / 2);
}

/** A line of words; where it is too long for its room, its letters are narrower. */
function wordsAt(line, room, at) {
  const isLong = widthOfText(line) > room;
  return shape(
    "text",
    { ...at, ...(isLong && { textLength: room.toFixed(1), lengthAdjust: "spacingAndGlyphs" }) },
    line,
  );
}

/**
 * A name as it fits into a box: whole, on two lines if need be, rather than in part; in the end no lines. Letters may be
 * somewhat narrower.
 */
export function linesWithin(name, room, height, others) {
  const fits = (line) => widthOfText(line) * NARROWEST <= room;
  if (fits(name)) return [name];
  const cuts = height < 2 * MAP_LETTER ? [] : [...name.matchAll(/[^\p{L}\p{M}\p{N}]+(?=.)/gu)];
  const [both] = cuts
    .map(({ index, 0: { length } }) => [name.slice(0, index + length).trimEnd(), name.slice(index + length)])
    .filter((lines) => lines.every(fits))
    .sort((one, other) => widestOf(one) - widestOf(other));
  return both ?? [ownPart(name, Math.floor(room / (MAP_LETTER * LETTER_WIDTH * NARROWEST)), others)].filter(Boolean);
}

function widestOf(lines) {
  return Math.max(...lines.map(widthOfText));
}

/**
 * A group's name (of one in a list of modules, its class), and what may stand for it: which call or round it is without
 * how many there are.
 */
function wordsOfTitle({ name: own, kind }) {
  const name = kind && /^\d+$/.test(own) ? kind : own;
  const short = shortTitle(name);
  const least = short.replace(/(\d+) of \d+$/, "$1").replace(/ graph$/, "");
  return [name, short, least];
}

function liesIn(one, other) {
  return (
    one.x >= other.x && one.y >= other.y && one.x + one.w <= other.x + other.w && lowerEdge(one) <= lowerEdge(other)
  );
}

/** Where an edge's line runs downwards, as rectangles: it leaves a point so, turns half way to the next, and arrives so. */
function stretchesOf(points) {
  return points.slice(1).flatMap((to, k) => {
    const { x, y } = points[k];
    const h = (to.y - y) / 2;
    return [
      { x, y, w: 0, h },
      { x: to.x, y: y + h, w: 0, h },
    ];
  });
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

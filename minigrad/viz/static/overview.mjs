// The whole in a room: which parts of a graph are open in it, what each box is called there, and where it stands, so that
// no letter is too small to be read. Boxes are as wide as their words; what has no room stays closed, first what is
// repeated: rounds of a loop stand below each other, or beside each other where more of them is seen by that.

import { GroupLayout } from "./layout.mjs";
import { TITLE_ROOM } from "./measures.mjs";
import { lettersIn, opWord } from "./picture.mjs";

/** @import { Group, PictureData } from "./model.d.ts" */

const PART = 0.42; // of the layout's measures: pixels, where nothing is stretched
const LETTER = 11; // pixels, where nothing is stretched
export const SMALLEST_LETTER = 10;
const BOLD_WIDTH = 0.61; // of its height: of a letter, at the mean; names are bold
const BOX_HIGH = 15.5; // pixels
const BETWEEN = 6.5; // pixels between layers
const SIDES = 11; // pixels of a box beside its words
const MOST_PRESSED = { across: SMALLEST_LETTER / LETTER, down: 0.82 }; // how far it is pressed together, at most
const MOST_WIDENED = { across: 1.3, down: 2.1 }; // and stretched
const MOST_IN_SMALL = { across: 1, down: 1.7 }; // in a small map
const LEAST_AREA = 2200; // square pixels of a box with what is around it, at least
const MOST_THINGS = 160; // boxes and groups: more have no room in any window
const ROUND_KIND = "iteration"; // of a group, as in loops.py
const MOST_ROUNDS = 6; // beside each other
const LONGEST = 16; // letters of an expression that stands beside a name
const MODULES = /^([A-Za-z_]\w*\.)+(?=\w+\()/; // before the name of a function that is called
// How much is said: names; operations in the place of numbers; these beside them; and at most expressions.
export const [WITH_OPERATIONS, WITH_BOTH, DENSEST] = [1, 2, 3];

/** A layout of the whole in which each box is as large as its words, and which parts are open is its own affair. */
class OverviewLayout extends GroupLayout {
  /** @param {PictureData} picture */
  constructor(picture) {
    super(picture);
    this.gap = BETWEEN / PART;
    this.words = 0; // how much is said
    this.abreast = new Set(); // loops whose rounds stand beside each other
    this.carried = []; // edges from one of those rounds to another
    this.open = new Set();
    this.named = suffixes(this);
  }

  /** What is written on a box or a part: its name, and beside it how it was made. */
  label(id) {
    if (this.byId.has(id)) return { name: this.title(id), made: "" };
    const { name, op, kind, expression = "", value = "", shape = "" } = this.boxes[id];
    // A constant of which no name is known is what it is worth, if that is short.
    const worth = value.length <= LONGEST ? value || shape : shape;
    const own = (this.named.get(id) ?? (name === kind ? worth || kind : name)).replace(MODULES, "");
    if (kind !== "result") return { name: own, made: "" };
    const fits = expression && expression !== name && [...expression].length <= LONGEST;
    const made = this.words === DENSEST && fits ? expression : opWord(op);
    if (this.words < DENSEST && !isNumbered(name)) return { name: own, made: "" };
    return this.words === WITH_OPERATIONS ? { name: made, made: "" } : { name: own, made: this.words ? made : "" };
  }

  /** @param {string} id */
  title(id) {
    const { name, kind } = this.byId.get(id);
    if (/^\d+$/.test(name) && kind) return `${name} ${kind}`;
    return this.words < WITH_BOTH ? shortTitle(name) : name;
  }

  wordsWidth({ id }) {
    return Math.max(0, widthOf(this.title(id)) / PART - TITLE_ROOM + SIDES);
  }

  size(id) {
    const group = this.byId.get(id);
    if (group) return this.closedSize(group);
    const { name, made } = this.label(id);
    return { w: (widthOf(made ? `${name}  ${made}` : name) + SIDES) / PART, h: BOX_HIGH / PART };
  }

  closedSize({ id }) {
    return { w: (widthOf(this.title(id)) + 2 * SIDES) / PART, h: BOX_HIGH / PART };
  }

  links() {
    const all = super.links();
    const isCarried = (link) => {
      const { out, into, common } = this.way(link);
      const isRound = (id) => this.byId.get(id)?.kind === ROUND_KIND;
      return this.abreast.has(common) && isRound(out.at(-1) ?? link.from) && isRound(into.at(-1) ?? link.to);
    };
    this.carried = all.filter(isCarried);
    return all.filter((link) => !isCarried(link));
  }

  layOut() {
    const laid = super.layOut();
    const frameOf = (id) => laid.groups.get(id) ?? { ...laid.boxes.get(id), ...this.size(id) };
    const carried = this.carried.map((link) => {
      const { into } = this.way(link);
      const { x } = frameOf(into.at(-1) ?? link.to);
      return { ...link, aside: x, points: sideways(frameOf(link.from), frameOf(link.to), x) };
    });
    return { ...laid, wires: [...laid.wires, ...carried] };
  }
}

/** A way from the right side of a box to the left one of another, past the left edge of the part that is entered. */
function sideways(from, to, edge) {
  const [start, end] = [
    { x: from.x + from.w, y: from.y + from.h / 2 },
    { x: to.x, y: to.y + to.h / 2 },
  ];
  const turn = edge - BETWEEN / PART / 2;
  return Math.abs(start.y - end.y) < 1 ? [start, end] : [start, { x: turn, y: start.y }, { x: turn, y: end.y }, end];
}

export class Overview {
  /** @param {PictureData} picture */
  constructor(picture) {
    this.picture = picture;
    /** @type {OverviewLayout | null} */
    this.itsLayout = null;
    this.known = new Map(); // what was found for a room, and for a part that is to be open in it
  }

  /** Made when it is first asked for: what is small has no need of it. */
  get layout() {
    this.itsLayout ??= new OverviewLayout(this.picture);
    return this.itsLayout;
  }

  /**
   * The fullest picture of the whole that can be read in a room: {room, laid, across, down, letter, labels, sizes}; null where none
   * can. What is repeated may be closed in it; `around` says of which box the parts around it are to be open before others.
   * @param {{ width: number, height: number }} room
   * @param {string | null} around
   */
  in({ width, height }, around = null) {
    const home = around === null ? "" : this.layout.parent(around);
    const key = [Math.round(width), Math.round(height), home].join(" ");
    if (!this.known.has(key)) this.known.set(key, this.fullest({ width, height }, around));
    return this.known.get(key);
  }

  /** Whether most boxes lie in closed parts in a room, though less than a part of its height is used. */
  hides(room, part) {
    const found = this.in(room);
    return (
      !found ||
      (found.laid.height * found.down < part * room.height && 2 * found.laid.boxes.size < this.layout.home.size)
    );
  }

  fullest(room, around) {
    const { layout } = this;
    const loops = [...kindsOf(layout).values()].find((ids) => ids.every((id) => isLoopOfFew(layout, id))) ?? [];
    const ways = loops.length ? [[], loops] : [[]];
    if (!ways.some((abreast) => this.opens(layout.groups, abreast, room))) {
      const found = ways.map((abreast) => this.openPartsIn(room, abreast, around)).filter(Boolean);
      if (!found.length) return null;
      Object.assign(layout, found.reduce((one, other) => (other.things > one.things ? other : one)).state);
    }
    const { laid, ...place } = this.wordy(room, around !== null);
    const labels = new Map([...laid.boxes.keys(), ...laid.groups.keys()].map((id) => [id, layout.label(id)]));
    const sizes = new Map([...laid.boxes.keys()].map((id) => [id, layout.size(id)]));
    return { room, laid, ...place, labels, sizes };
  }

  /** What is open now, laid out with as many words as have room. */
  wordy(room, isSmall) {
    const { layout } = this;
    for (let words = DENSEST; words >= 0; words -= 1) {
      layout.words = words;
      const fitted = this.stretch(layout.layOut(), room, isSmall);
      if (fitted) return fitted;
    }
    return this.fit(room, 0); // with fewer turns of edges it was found to fit
  }

  /** Open all of those parts, if that has room. */
  opens(groups, abreast, room) {
    Object.assign(this.layout, { open: new Set(groups.map(({ id }) => id)), abreast: new Set(abreast) });
    return this.fit(room, 0) !== null;
  }

  /** What can be open, from the outermost parts on: those around a box, then parts of one kind together. */
  openPartsIn(room, abreast, around) {
    const { layout } = this;
    Object.assign(layout, { open: new Set(), abreast: new Set(abreast) });
    if (!this.fit(room, 0)) return null;
    const parts = around === null ? [] : layout.around(around).reverse();
    for (const ids of [...parts.filter((id) => id).map((id) => [id]), ...kindsOf(layout).values()]) {
      if (!ids.every((id) => !layout.parent(id) || layout.open.has(layout.parent(id)))) continue;
      const { open } = layout;
      // Of what is repeated at least the last is seen, where backward begins.
      for (const some of around === null ? [ids, ids.slice(-1)] : [ids]) {
        if (layout.open !== open) break;
        layout.open = new Set([...open, ...some]);
        if (layout.open.size === open.size || !this.fit(room, 0)) layout.open = open;
      }
    }
    return { state: { open: layout.open, abreast: layout.abreast }, things: thingsSeen(layout) };
  }

  /** What is open now, laid out as well as is needed to know whether it has room; null where it has none. */
  fit(room, words) {
    const { layout } = this;
    const things = thingsSeen(layout);
    if (things > MOST_THINGS || things * LEAST_AREA > room.width * room.height) return null;
    layout.words = words;
    return this.stretch(
      layout.placeAll(layout.links(), () => null),
      room,
    );
  }

  stretch(laid, { width, height }, isSmall = false) {
    const most = isSmall ? MOST_IN_SMALL : MOST_WIDENED;
    const across = Math.min(most.across, width / (laid.width * PART));
    const down = Math.min(most.down, height / (laid.height * PART));
    if (across < MOST_PRESSED.across || down < MOST_PRESSED.down) return null;
    const letter = Math.max(SMALLEST_LETTER, LETTER * Math.min(across, down));
    return { laid, across: across * PART, down: down * PART, letter };
  }
}

/** How wide a text is where nothing is stretched. */
function widthOf(text) {
  return lettersIn(text) * LETTER * BOLD_WIDTH;
}

/** Whether a name is a number that the code does not know. */
function isNumbered(name) {
  return /^[tg]\d+$/.test(name);
}

/** Of a path as much of its end as tells a box from the others in the same part: 0.weight, 2.weight. */
function suffixes(layout) {
  const named = new Map();
  const counts = new Map(); // of ends of paths, by the part in which they are
  for (const [id, home] of layout.home) {
    const { name } = layout.boxes[id];
    if (!name.includes(".") || name.includes("(")) continue;
    const path = name.split(".");
    const ends = path.map((_, k) => path.slice(path.length - 1 - k).join("."));
    named.set(id, [home, ends]);
    for (const end of ends) counts.set(`${home} ${end}`, (counts.get(`${home} ${end}`) ?? 0) + 1);
  }
  const isOne = (home) => (end) => counts.get(`${home} ${end}`) === 1;
  return new Map([...named].map(([id, [home, ends]]) => [id, ends.find(isOne(home)) ?? ends.at(-1)]));
}

/** Parts that are alike, because they are of one kind, called so but for numbers, and lie in parts that are. Outer ones first. */
function kindsOf(layout) {
  const kinds = new Map();
  const signs = new Map();
  for (const { id, name, kind, parent } of layout.groups) {
    const sign = `${signs.get(parent) ?? ""}/${name.replace(/\d+/g, "#")} ${kind}`;
    signs.set(id, sign);
    kinds.set(sign, [...(kinds.get(sign) ?? []), id]);
  }
  return kinds;
}

function isLoopOfFew(layout, id) {
  const inside = layout.groups.filter(({ parent }) => parent === id);
  return inside.length > 1 && inside.length <= MOST_ROUNDS && inside.every(({ kind }) => kind === ROUND_KIND);
}

/** How many boxes and closed parts are seen. */
function thingsSeen(layout) {
  const covers = layout.covers();
  const seen = new Set();
  for (const [box, home] of layout.home) seen.add(covers.get(home) ?? box);
  return seen.size;
}

/**
 * A text in so many letters: what is longer loses whole words, which do not tell it from the others; "" where that has no
 * room.
 * @param {string} text
 * @param {number} letters
 * @param {string[]} others
 */
export function ownPart(text, letters, others = []) {
  const lengthOf = (piece) => [...piece].length;
  if (lengthOf(text) <= letters) return text;
  const isOwn = (isIn) => others.every((other) => other === text || !isIn(other));
  const words = [...text.matchAll(/\(?[\p{L}\p{M}\p{N}_]+/gu)];
  const begins = words.map((word) => text.slice(0, word.index + word[0].length)).reverse();
  const ends = words.flatMap(({ index, 0: word }) => [
    text.slice(index),
    ...(word[0] === "(" ? [text.slice(index + 1)] : []),
  ]);
  const hasRoom = (piece) => piece !== text && lengthOf(piece) < letters;
  const isWhole = (piece) => piece.split(/[([]/).length === piece.split(/[)\]]/).length; // of a call its name, or all
  const isPart = (letter = "") => /^[\p{L}\p{M}\p{N}_]/u.test(letter); // of a word, which goes on
  const starts = (piece) => (other) => other.startsWith(piece) && !isPart(other.slice(piece.length)[0]);
  const closes = (piece) => (other) => other.endsWith(piece) && !isPart(other.slice(0, -piece.length).at(-1));
  const begin = begins.find((piece) => hasRoom(piece) && isWhole(piece) && isOwn(starts(piece)));
  const end = ends.find((piece) => hasRoom(piece) && isOwn(closes(piece)));
  const isCalled = text.startsWith(`${begin}(`); // a function's name says more than its arguments
  if (begin && (isCalled || 2 * lengthOf(begin) > letters || !/\p{L}/u.test(end ?? ""))) return `${begin}…`;
  return end ? `…${end}` : "";
}

/** A part's name without what can be left out. */
export function shortTitle(name) {
  return name
    .replace(/^iterations? /, "")
    .replace(/, call (\d+ of \d+)$/, " $1")
    .replace(/the graph of the (gradient('s gradient)?)/, "$1 graph")
    .replace(/^(for [^:]*?) in .*: (×\d+)$/, "$1 $2");
}

// The drawing. A step is painted so that the shapes stay, and only classes, texts and visibility change, box by box,
// where a frame differs from the one that is shown. A box of which nothing has been seen yet has no elements: it gets
// them when it is first needed, so that a graph of thousands opens as fast as what is seen of it. When a group opens or
// closes, boxes move and edges are drawn anew; their ids stay. What is shown small says less, in letters that can be
// read: names and numbers, then names, and at last dots.

import { boxFrom } from "./boxes.mjs";
import { drawingFrom, shape, SVG } from "./dom.mjs";
import { sign } from "./marks.mjs";
import {
  ABOVE_BOX,
  BESIDE_MAP,
  BESIDE_TIP,
  CHIP_HEIGHT,
  CHIP_ROUND,
  FLAG_WIDTH,
  HEAD,
  MAP_WIDTH,
  MONO_WIDTH,
  NAME_LETTER,
  PAD,
  TITLE_MOST,
} from "./measures.mjs";
import { GroupLayout, kindBeside } from "./layout.mjs";
import { share, sizeText, together } from "./sizes.mjs";
import { freest, headOf, pathOf, placesOn } from "./wires.mjs";

/** @import { About, Breakpoint, Frame, Group, Happened, PictureData, State, Written } from "./model.d.ts" */
/** @import { Sum } from "./player.mjs" */
/** @import { Span } from "./sizes.mjs" */

const STATES = ["idle", "waiting", "ready", "ran", "done", "off", "failed"];
const PARTINGS = ["first", "parts", "follows"]; // where two passes part, and what follows from it
const CUT_WORDS = [/[\p{L}\p{M}\p{N}_.]+$/u, /[\p{L}\p{M}\p{N}]+$/u]; // at the end; of a long name, what its underscores part
const ENDS_IN = /[\s,…]+$/; // before dots there is none of these
const FLOWS = ["off", "idle", "done", "now"]; // of edges that run together, what runs lies on top, as in svg.py
const MOST_PLACED = 100; // chips that are kept apart, where every edge has one
const NAME_MIDDLE = 15; // from a box's upper edge to the middle of its name, in larger letters
export const INTO = 0.36; // of its height: how far a letter's foot stands below its middle
const FLAG_ABOVE = 12; // pixels of a flag that stand above its box
const MOST_SIGNS = 4;
const MOST_IN_CHIP = 20; // characters
const FAILED = "✗ failed";
const TURN_OVER = /^✓.*/; // its turn is over
const INNER_ROWS = [33, 47]; // pixels from a closed group's upper edge to the lines that tell what runs in it
const ABOVE_ROWS = -4; // how far its title stands from where an open group has it, with these lines below it
const ALONE = 6; // and without
const TRACK = 51; // and how far down it is told how many nodes ran
const BELOW = 12; // from a box's lower edge to the middle of the signs that hang there
// Of its size: below, a box shows its name and its numbers in larger letters, and below READABLE its name alone.
const NUMBERS = 0.834;
const READABLE = 0.64;
const DOTS = 0.25; // and below that, nothing but its state
const SMALLEST = 10; // pixels of a letter on the screen
const ENDS = 40; // pixels of a box beside its name and its expression, and between these
const BESIDE_WORD = 5; // pixels between "value" and the value
const ASPECT = 0.62; // of its height: the width of a letter in a name
const [MORE_OF_WIDE, MORE_OF_CAPITALS] = [0.6, 0.2]; // of that: by how much m and w, and capitals, are wider

const BEGAN = "NaN begins"; // on a box where the sizes of gradients are shown, and on a closed module

// What lies around a box: of which colour, how far down, and its blurs. WebKit draws no drop-shadow() in a drawing.
/** @type {[string, string, number, ...number[]][]} */
const LIGHTS = [
  ["over", "rgb(0 0 0 / 26%)", 1, 3],
  ["focus", "var(--mg-leaf)", 0, 1, 4, 1],
  ["meant", "var(--mg-leaf)", 0, 1, 3],
  ["next", "var(--mg-wait)", 0, 4],
  ["first", "var(--mg-alarm)", 0, 5],
];
// The hatch of boxes that a NaN has come to.
const HATCH = { width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
const NOTHING = new Set();

/** The op's own name: MaxPool2DBackward0 -> max_pool2d. */
export function opWord(op) {
  return op
    .replace(/Backward\d*$/, "")
    .replace(/(\d)D/g, "$1d")
    .replace(/(?<!^)(?=[A-Z])/g, "_")
    .toLowerCase();
}

/** What a box without a name of its own is called by where there is room for little: its operation; "" for others. */
function sayingOp(name, op) {
  return /^[tg]\d+$/.test(name) ? opWord(op) : ""; // more than a number does
}

export class Picture {
  /** @param {PictureData} data */
  constructor(data) {
    this.data = data;
    this.drawing = drawingFrom(data.svg ?? "");
    this.layout = new GroupLayout(data);
    this.width = 0;
    this.height = 0;
    this.detail = "whole";
    this.letter = 0; // pixels of a name's letters, where they are not as drawn; else 0
    this.boxes = new Map();
    this.groups = new Map();
    this.wires = new Map();
    this.sized = new Map(); // the norms of what has one, by its elements
    this.span = null;
    this.sources = new Map((data.edges ?? []).map(([id, source]) => [id, source]));
    this.targets = new Map((data.edges ?? []).map(([id, , target]) => [id, target]));
    this.marks = new Map((data.edges ?? []).map(([id, , , mark]) => [id, mark]));
    this.painted = { edges: {}, chips: {}, next: null, signs: [] };
    for (const [name, color, dy, ...blurs] of LIGHTS) {
      const look = { dx: 0, dy, "flood-color": color, "color-interpolation-filters": "sRGB" };
      const shadows = blurs.map((stdDeviation) => shape("feDropShadow", { ...look, stdDeviation }));
      this.define(name, "filter", { x: -0.5, y: -0.5, width: 2, height: 2 }, shadows);
    }
    // In what was saved once, all boxes stand in the drawing.
    this.adopt(this.drawing?.querySelectorAll("[data-box]") ?? []);
  }

  /**
   * Define in the drawing what its style asks for as --mg-name. How it is called there is drawn: a notebook loads this file
   * anew for each of its steppers, and what is defined in a drawing that is scrolled out of sight is none for the others.
   */
  define(name, kind, attributes, parts) {
    const id = `mg-${name}-${Math.random().toString(36).slice(2)}`;
    this.drawing?.append(shape("defs", {}, shape(kind, { id, ...attributes }, ...parts)));
    this.drawing?.style?.setProperty(`--mg-${name}`, `url(#${id})`);
  }

  /**
   * What is said of a box: what it was drawn with, but for a value that was written to since.
   * @param {string} id
   * @returns {About | undefined}
   */
  about(id) {
    const about = this.data.boxes?.[id];
    const now = this.painted?.now?.[id];
    return about && now ? { ...about, ...now } : about;
  }

  /**
   * The address of a large value's heat map; it stands in the drawing already.
   * @param {string} id
   */
  heatOf(id) {
    return this.box(id)?.group.querySelector(".mg-value-map")?.getAttribute("href") ?? "";
  }

  /**
   * The group element that stands for a box now: its own, or that of the closed module around it.
   * @param {string} id
   * @returns {SVGGElement | undefined}
   */
  element(id) {
    const shown = this.layout.shownFor(id);
    return (this.boxes.get(shown) ?? this.groups.get(shown))?.group;
  }

  /**
   * The elements of what an edge joins to that which stands for a box: first those to which a gradient goes from there,
   * then those from which one comes, then what needs none.
   * @param {string} id
   */
  neighbours(id) {
    const shown = this.layout.shownFor(id);
    const wires = [...this.wires.values()];
    const isFlowing = ({ members }) => members.some((edge) => this.about(this.sources.get(edge))?.kind !== "constant");
    const used = wires.filter(({ to }) => to === shown);
    const ranks = [used.filter(isFlowing), wires.filter(({ from }) => from === shown)];
    ranks.push(used.filter((wire) => !isFlowing(wire)));
    const elements = ranks.map((rank) => rank.map(({ from, to }) => this.element(from === shown ? to : from)));
    elements.splice(2, 0, [this.painted.next]);
    return elements.map((rank) => rank.filter(Boolean));
  }

  /** The closed parts that are drawn, by their ids. */
  get closed() {
    const isClosed = ({ open, group }) => !open && group.getAttribute("display") !== "none";
    return new Map([...this.groups].filter(([, part]) => isClosed(part)).map(([id, { group }]) => [id, group]));
  }

  /** The elements of all boxes and closed parts that are drawn. */
  drawnBoxes() {
    const boxes = [...(this.places ?? new Map()).keys()].map((id) => this.boxes.get(id)?.group);
    return [...boxes.filter(Boolean), ...this.closed.values()];
  }

  /**
   * A box's elements, made where it has none yet.
   * @param {string} id
   */
  box(id) {
    this.draw([id]);
    return this.boxes.get(id);
  }

  /**
   * Make the elements of boxes that have none yet, each in its place in the order of all. The next painting paints them
   * as the frame says.
   * @param {string[]} ids
   */
  draw(ids) {
    const { boxes, drawn } = this.data; // a page that was saved before boxes were made here has them as texts
    const wanted = ids.filter((id) => !this.boxes.has(id) && (drawn?.[id] || boxes?.[id]?.size));
    if (!wanted.length || !this.drawing) return;
    const made = drawn
      ? drawingFrom(`<svg xmlns="${SVG}">${wanted.map((id) => drawn[id]).join("")}</svg>`)
      : shape("g", {}, ...wanted.map((id) => boxFrom(id, boxes[id])));
    this.adopt([...(made?.children ?? [])]);
    const layer = this.layer("mg-boxes", ".mg-chips");
    let behind = null;
    for (const id of [...this.layout.order.keys()].reverse()) {
      const group = this.boxes.get(id)?.group;
      if (group?.parentNode === made) layer.insertBefore(group, behind);
      behind = group ?? behind;
    }
    Object.assign(this.painted, { frame: null, breaks: null }); // signs and breakpoints are hung anew
  }

  adopt(groups) {
    for (const group of groups) {
      const id = group.getAttribute("data-box");
      const part = (name) => group.querySelector(`.mg-${name}`);
      const card = part("card");
      this.boxes.set(id, {
        group,
        grad: part("grad"),
        map: part("grad-map"),
        name: part("name"),
        expression: part("expression"),
        words: [...group.querySelectorAll(".mg-word")],
        badge: part("badge"),
        flag: part("flag"),
        flagText: part("flag-text"),
        width: Number(card?.getAttribute("width") ?? 0),
        height: Number(card?.getAttribute("height") ?? 0),
      });
      group.setAttribute("tabindex", "-1");
      group.setAttribute("role", "button");
      group.setAttribute("display", "none");
      group.querySelector("title")?.remove(); // tip.mjs shows it, also to those who use the keyboard
      for (const text of group.querySelectorAll("text")) text.after(" "); // words apart, for who reads them as text
      this.mark(group, this.about(id) ?? {});
      this.paintValue(id);
    }
  }

  /** What a box is for good, beyond its state. */
  mark(group, about) {
    group.classList.toggle("mg-greyed", about.needs_grad === false);
    group.classList.toggle("mg-pruned", about.pruned === true);
    group.classList.toggle("mg-freed", about.freed === true);
  }

  // ---------------------------------------------------------------- modules

  /** Lay out what is open, and draw the edges between what is seen. */
  arrange() {
    const laid = this.layout.layOut();
    this.width = Math.ceil(laid.width);
    this.height = Math.ceil(laid.height);
    this.drawing.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.draw([...laid.boxes.keys()]);
    for (const [id, { group }] of this.boxes) {
      const at = laid.boxes.get(id);
      group.setAttribute("display", at ? "inline" : "none");
      if (at) group.setAttribute("transform", `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})`);
    }
    const frames = this.layer("mg-groups", ".mg-edges");
    for (const { id } of this.layout.groups) {
      const at = laid.groups.get(id);
      let parts = this.groups.get(id);
      if (!at) {
        parts?.group.setAttribute("display", "none");
        continue;
      }
      parts ??= this.groupParts(this.layout.byId.get(id));
      this.groups.set(id, parts);
      frames.append(parts.group); // outer ones first, so that the inner ones lie above them
      this.placeGroup(parts, at);
    }
    this.places = laid.boxes;
    this.drawWires(laid.wires);
    const isSeenOpen = ({ group }) => group.classList.contains("mg-open") && group.getAttribute("display") !== "none";
    const titles = [...this.groups.values()].filter(isSeenOpen).map(({ title }) => title);
    this.layer("mg-titles", ".mg-chips").replaceChildren(...titles);
    Object.assign(this.painted, { edges: {}, chips: {}, groups: "" });
    this.setDetail(this.scale ?? 1, true);
    if (this.highlight) this.setHighlight(this.highlight);
    this.keepStop();
  }

  /** One stop for the tab key, where it can be seen; arrows with Shift go from box to box. */
  keepStop() {
    const stops = [...this.drawing.querySelectorAll('[tabindex="0"]')];
    if (stops.some((stop) => stop.getAttribute("display") !== "none")) return;
    for (const stop of stops) stop.setAttribute("tabindex", "-1");
    const first = this.element(this.data.runs?.at(-1)) ?? this.boxes.values().next().value?.group;
    first?.setAttribute("tabindex", "0");
  }

  /**
   * A layer of the drawing, made where it is missing.
   * @param {string} name
   * @param {string | null} before
   */
  layer(name, before) {
    const there = this.drawing.querySelector(`.${name}`);
    if (there) return there;
    const made = shape("g", { class: name });
    this.drawing.insertBefore(made, before ? this.drawing.querySelector(before) : null);
    return made;
  }

  /** @param {Group} about */
  groupParts(about) {
    const group = shape("g", {
      class: `mg-group${about.sheet ? " mg-sheet" : ""}`,
      "data-group": about.id,
      tabindex: "-1",
      role: "button",
    });
    const parts = {
      group,
      about,
      shadow: shape("rect", { class: "mg-stack", rx: 8, transform: "translate(4 4)" }),
      frame: shape("rect", { class: "mg-frame", rx: 8 }),
      // The title of an open group lies above the edges that pass below it.
      title: shape("g", { class: "mg-group-title", "data-group": about.id }),
      sign: shape("text", { class: "mg-fold", x: 18.5, y: 20, "text-anchor": "middle", "aria-hidden": "true" }),
      name: shape("text", { class: "mg-name", x: 32, y: 20 }, about.name),
      kind: shape("text", { class: "mg-expression", y: 20 }, kindBeside(about)),
      track: shape("rect", { class: "mg-track", x: 12, y: TRACK, height: 4, rx: 2 }),
      bar: shape("rect", { class: "mg-progress", x: 12, y: TRACK, height: 4, rx: 2, width: 0 }),
      // What runs in a closed group stands in it, where no edge can run: its line, and its value and gradient.
      inner: ["line", "numbers"].map((part, k) =>
        shape("text", { class: `mg-inner-${part}`, x: 12, y: INNER_ROWS[k] }),
      ),
    };
    // What lies in a tinted frame is lighter again.
    group.classList.toggle("mg-inner", this.layout.around(about.id).length % 2 === 0);
    parts.title.append(
      shape("rect", { class: "mg-fold-box", x: 11, y: 8, width: 15, height: 15, rx: 3 }),
      parts.sign,
      parts.name,
      " ",
      parts.kind,
      " ",
    );
    group.append(parts.shadow, parts.frame, parts.track, parts.bar, ...parts.inner);
    return parts;
  }

  placeGroup(parts, { x, y, w, h, open, title: aside = 0 }) {
    const { group, shadow, frame, kind, sign: fold, track, title, about } = parts;
    const place = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
    group.setAttribute("display", "inline");
    group.setAttribute("transform", place);
    group.classList.toggle("mg-open", open);
    group.setAttribute("aria-expanded", String(open));
    if (open) title.setAttribute("transform", `translate(${(x + aside).toFixed(1)} ${y.toFixed(1)})`);
    if (!open) group.insertBefore(title, track);
    for (const rect of [shadow, frame]) {
      rect.setAttribute("width", w.toFixed(1));
      rect.setAttribute("height", h.toFixed(1));
    }
    shadow.setAttribute("visibility", open ? "hidden" : "visible");
    // Beside the name: where an edge comes in, there is rarely a word then.
    kind.setAttribute("x", (32 + lettersIn(about.name) * NAME_LETTER + 10).toFixed(1));
    fold.textContent = open ? "−" : "+";
    for (const part of [track, parts.bar]) part.setAttribute("visibility", open ? "hidden" : "visible");
    track.setAttribute("width", (w - 24).toFixed(1));
    const words = Math.min(w - aside - 40, TITLE_MOST + 14); // the room of the title's words
    Object.assign(parts, {
      at: { x: x + aside, y },
      room: w - 24,
      width: w,
      height: h,
      open,
      full: beginningOf(about.name, Math.floor(words / NAME_LETTER)),
    });
    // Rather the whole name than a part of it beside its kind.
    const letters = [...about.name].length * NAME_LETTER + [...kindBeside(about)].length * MONO_WIDTH;
    parts.beside = letters + 14 <= words ? kindBeside(about) : "";
    kind.textContent = parts.beside;
    parts.name.textContent = parts.full;
  }

  drawWires(wires) {
    const lines = this.layer("mg-edges", null);
    const chips = this.layer("mg-chips", null);
    this.flows = new Map(FLOWS.map((flow) => [flow, shape("g")]));
    lines.replaceChildren(...this.flows.values());
    chips.replaceChildren();
    for (const { group } of this.wires.values()) this.sized.delete(group);
    this.wires.clear();
    const ends = new Map(); // of the edges between the same two, how far from the left these end
    for (const { from, to, points } of wires)
      ends.set(`${from}>${to}`, [...(ends.get(`${from}>${to}`) ?? []), points.at(-1).x]);
    for (const { id, from, to, members, points } of wires) {
      const d = pathOf(points);
      const parts = {
        group: shape("g", { class: "mg-edge", "data-edge": members.join(" ") }),
        from,
        to,
        members,
        side: sideOf(points.at(-1).x, ends.get(`${from}>${to}`)),
        mark: null,
        forward: shape("path", { class: "mg-forward", d: headOf(points.at(-1), 1) }),
        backward: shape("path", { class: "mg-backward", d: headOf(points[0], -1) }),
      };
      parts.group.append(
        shape("path", { class: "mg-wire", d, fill: "none" }),
        shape("path", { class: "mg-pulse", d, fill: "none", pathLength: 1 }),
        parts.forward,
        parts.backward,
      );
      parts.mark = this.markFrom(parts, points.at(-1));
      if (parts.mark) parts.group.append(parts.mark);
      const rect = shape("rect", { y: -CHIP_HEIGHT / 2, height: CHIP_HEIGHT, rx: CHIP_HEIGHT / 2 });
      const text = shape("text", { y: 4, "text-anchor": "middle", "font-weight": 700, style: "unicode-bidi:isolate" });
      const chip = shape(
        "g",
        {
          class: "mg-chip",
          "data-chip": members.join(" "),
          visibility: "hidden",
        },
        rect,
        text,
      );
      parts.chip = { group: chip, rect, text, points };
      this.flows.get("idle").append(parts.group);
      chips.append(chip);
      this.wires.set(id, parts);
    }
  }

  /** Beside an edge's end what tells it from others between the same two boxes, as in svg.py. */
  markFrom({ from, to, members, side }, { x, y }) {
    const text = members.length > 1 ? `×${members.length}` : this.marks.get(members[0]);
    if (!text || (members.length === 1 && !side) || !this.boxes.has(from) || !this.boxes.has(to)) return null;
    const at = { x: x + (side || 1) * BESIDE_TIP, y: y - ABOVE_BOX };
    return shape("text", { class: "mg-mark", "text-anchor": side < 0 ? "end" : "start", ...at }, text);
  }

  // ---------------------------------------------------------------- how much is said

  /** What is said at a size: all of it, names alone, or nothing but states. Letters never get too small to be read. */
  setDetail(scale, anew = false) {
    this.scale = scale;
    const detail = scale >= NUMBERS ? "whole" : scale >= READABLE ? "numbers" : scale >= DOTS ? "names" : "dots";
    // In whole pixels.
    const drawn = Math.min(...[this.width, this.height].map((side) => Math.floor(side * scale) / side)) || scale;
    const letter = detail === "names" || detail === "numbers" ? Math.ceil((1000 * SMALLEST) / drawn) / 1000 : 0;
    if (!anew && detail === this.detail && letter === this.letter) return;
    this.detail = detail;
    this.letter = letter;
    this.drawing.classList.toggle("mg-few-words", detail === "numbers");
    this.drawing.classList.toggle("mg-names", detail === "names");
    this.drawing.classList.toggle("mg-dots", detail === "dots");
    this.drawing.style?.setProperty("--mg-letter", `${letter}px`);
    for (const [id, parts] of this.boxes) {
      parts.full ??= parts.name?.textContent;
      const { name = "", op = "", kind } = this.about(id) ?? {};
      const says = sayingOp(name, op);
      const whole = detail === "names" && says ? `${parts.full} · ${says}` : parts.full;
      const last = name.includes("(") ? name : name.split(".").at(-1);
      const short = whole === parts.full ? last : whole;
      this.sayName(parts, whole, short, detail === "numbers" ? NAME_MIDDLE : parts.height / 2);
      if (parts.expression) {
        parts.beside ??= parts.expression.textContent;
        const room = (parts.width - ENDS) / (letter * ASPECT) - lettersIn(parts.full ?? "");
        const said = lettersIn(parts.beside) <= room || kind !== "result" ? parts.beside : opWord(op);
        const cut = kind === "result" ? beginningOf(said, Math.floor(room)) : "";
        const shown = lettersIn(said) <= room ? said : cut;
        parts.expression.textContent = shown;
        parts.expression.setAttribute("visibility", shown ? "visible" : "hidden");
        parts.expression.setAttribute("y", letter ? (NAME_MIDDLE + letter * INTO).toFixed(1) : 17);
      }
      this.fitRows(parts);
      if (parts.flagged) {
        parts.flagged = ""; // as wide as its letters now
        this.paintBadge(parts);
      }
      if (parts.state) this.call(id);
    }
    for (const parts of this.groups.values()) {
      const { name, kind } = parts.about;
      const isNumber = kind && /^\d+$/.test(name); // of a list of modules: says little
      const whole = !isNumber ? name : detail === "names" ? kind : `${name} ${kind}`;
      parts.name.setAttribute("x", detail === "names" ? 12 : 32);
      this.sayName(
        parts,
        whole,
        isNumber ? kind : name,
        parts.open || detail === "numbers" ? NAME_MIDDLE : parts.height / 2,
      );
    }
    this.paintChips(this.painted.chips, true);
  }

  /** A name in the letters of the present size, in the middle of its box; as it was drawn where all is said. */
  sayName({ name, full, width }, whole, short, middle) {
    if (!name) return;
    const { letter } = this;
    const room = letter ? Math.floor((width - Number(name.getAttribute("x"))) / (letter * ASPECT)) : 0;
    const cut = Math.floor((room * [...short].length) / Math.max(lettersIn(short), 1));
    name.textContent = !letter ? full : lettersIn(whole) <= room ? whole : beginningOf(short, cut);
    if (letter) name.setAttribute("dy", (middle - Number(name.getAttribute("y")) + letter * INTO).toFixed(1));
    else name.removeAttribute("dy");
  }

  /**
   * Value and gradient in the letters of the present size, with their words: where that has no room, the map gives way,
   * and then the letters get narrower.
   */
  fitRows(parts) {
    const isSmall = this.detail === "numbers";
    if (!isSmall && !parts.isFitted) return; // as it was drawn
    parts.isFitted = isSmall;
    const end = parts.width - PAD;
    for (const word of parts.words) {
      const text = word.nextElementSibling;
      const map = text?.nextElementSibling?.matches(".mg-map") ? text.nextElementSibling : null;
      if (!text) continue;
      const beside = map && map.getAttribute("visibility") !== "hidden" ? MAP_WIDTH + BESIDE_MAP : 0;
      const room = end - PAD - lettersIn(word.textContent) * this.letter * ASPECT - BESIDE_WORD;
      const wide = [...text.textContent].length * MONO_WIDTH * this.larger;
      const hasRoom = !isSmall || wide + beside <= room;
      map?.classList.toggle("mg-no-room", !hasRoom);
      text.setAttribute("x", hasRoom ? end - beside : end);
      if (!hasRoom && wide > room) {
        text.setAttribute("textLength", room.toFixed(1));
        text.setAttribute("lengthAdjust", "spacingAndGlyphs");
      } else text.removeAttribute("textLength");
    }
  }

  // ---------------------------------------------------------------- a frame

  /**
   * @param {Frame} frame
   * @param {Sum} state
   * @param {Breakpoint[]} breaks
   * @param {Set<string>} unmade
   */
  paint(frame, state, breaks = [], unmade = NOTHING) {
    for (const [id, parts] of this.boxes)
      if (state.boxes[id] && parts.painted !== state.boxes[id]) this.paintBox(id, parts, state.boxes[id]);
    if (this.painted.edges !== state.edges) this.paintWires(state.edges, state.norms ?? {});
    this.paintChips(frame.chips ?? {});
    this.paintNext(frame.index < 0 ? null : frame.next);
    this.paintMade(frame, unmade);
    this.paintSigns(frame);
    if (this.layout.any) this.paintGroups(frame, state.boxes);
    this.paintBreaks(breaks);
    this.painted.edges = state.edges;
  }

  /**
   * In the forward pass: what is there by now, what has just been made, and what that was made of.
   * @param {Frame} frame
   * @param {Set<string>} unmade
   */
  paintMade(frame, unmade) {
    const isForward = frame.index < 0;
    if (!isForward && !this.painted.forward) return;
    this.painted.forward = isForward;
    this.drawing.classList.toggle("mg-growing", isForward);
    const paint = (group, isThere, isNew) => {
      group.classList.toggle("mg-unmade", !isThere);
      group.classList.toggle("mg-new", isForward && isNew);
    };
    for (const [id, { group }] of this.boxes) paint(group, !unmade.has(id), frame.made?.includes(id));
    for (const [id, { group, title }] of this.groups) {
      const inside = this.layout.inside.get(id);
      paint(
        group,
        inside.some((box) => !unmade.has(box)),
        !this.layout.open.has(id) && inside.some((box) => frame.made?.includes(box)),
      );
      title.classList.toggle("mg-unmade", group.classList.contains("mg-unmade"));
    }
    for (const { group, members } of this.wires.values()) {
      const targets = members.map((id) => this.targets.get(id));
      paint(
        group,
        targets.some((box) => !unmade.has(box)),
        targets.includes(frame.box),
      );
    }
  }

  /**
   * The values that are no longer those with which the graph was drawn; the others are as they were drawn.
   * @param {Record<string, Written>} now
   */
  paintNow(now) {
    const before = this.painted.now ?? {};
    if (before === now) return;
    this.painted.now = now;
    for (const id of new Set([...Object.keys(before), ...Object.keys(now)])) this.paintValue(id);
  }

  paintValue(id) {
    const { now = {} } = this.painted;
    const parts = this.boxes.get(id);
    const value = parts?.group.querySelector(".mg-value");
    if (!value || (!parts.drawn && !(id in now))) return;
    const map = parts.group.querySelector(".mg-value-map");
    parts.drawn ??= {
      text: value.textContent,
      heat: map?.getAttribute("href") ?? "",
      alarm: value.classList.contains("mg-alarm"),
    };
    const said = now[id] ?? parts.drawn;
    value.textContent = said.text;
    value.classList.toggle("mg-alarm", Boolean(said.alarm));
    parts.group.classList.toggle("mg-written", id in now);
    if (map) map.setAttribute("href", said.heat);
    parts.painted = null; // its version and its label are written anew
  }

  /**
   * @param {string} id
   * @param {any} parts
   * @param {State} box
   */
  paintBox(id, parts, box) {
    parts.painted = box;
    const { group, grad, map } = parts;
    for (const name of STATES) group.classList.toggle(`mg-${name}`, name === box.state);
    group.classList.toggle("mg-bad", box.state === "failed");
    for (const name of PARTINGS) group.classList.toggle(`mg-${name}`, name === box.mark);
    this.mark(group, { ...this.about(id), ...box });
    if (grad) {
      const word = parts.words.at(-1);
      if (word?.classList.toggle("mg-partial", Boolean(box.word)) !== parts.isPartial) {
        parts.isPartial = Boolean(box.word);
        word.textContent = box.word ?? "grad";
      }
      if (grad.textContent !== box.grad) grad.textContent = box.grad; // a text that is set anew is laid out anew
      grad.classList.toggle("mg-none", box.none);
      grad.classList.toggle("mg-alarm", box.alarm);
      if (map) {
        // Beside a heat map the text moves to the left.
        const edge = Number(map.getAttribute("x")) + Number(map.getAttribute("width"));
        grad.setAttribute("x", box.heat ? Number(map.getAttribute("x")) - 8 : edge);
      }
    }
    if (map) {
      if (box.heat) map.setAttribute("href", box.heat);
      map.setAttribute("visibility", box.heat ? "visible" : "hidden");
    }
    if (this.detail === "numbers") this.fitRows(parts);
    this.paintBadge(parts);
    this.paintVersion(parts, { ...this.about(id), ...box, drawn: this.data.boxes?.[id]?.version });
    parts.state = box.state;
    this.call(id);
  }

  /** What a box is called by those who hear the page: what is written in it, and its state. */
  call(id) {
    const { group, state } = this.boxes.get(id);
    const name = this.about(id)?.name ?? id;
    const seen = words(group);
    group.setAttribute(
      "aria-label",
      `${seen}${seen.startsWith(name) ? "" : `, in full ${name}`}, ${state}. Enter shows more.`,
    );
  }

  /** How many times as large as they are drawn the letters are beside names. */
  get larger() {
    return this.detail === "numbers" ? this.letter / 12 : 1;
  }

  /** How far from its box's right edge a flag begins: a wider one ends beyond it, clear of the edges that come in. */
  flagStart(text) {
    return [...text].length * FLAG_WIDTH + (this.larger > 1 ? 15 : 21);
  }

  flagWidth(text) {
    return [...text].length * FLAG_WIDTH * this.larger;
  }

  /** What the flag on a box says: that the pass has failed there, that a NaN began there, or the box's state. */
  paintBadge(parts) {
    const { badge, flag, flagText, width: whole, painted } = parts;
    const failed = painted?.state === "failed" || this.boxes.get(this.failure) === parts;
    const said = painted?.badge ?? "";
    const short = this.larger > 1 ? said.replace(TURN_OVER, "✓") : said; // in larger letters it would reach over what enters
    const text = failed ? FAILED : this.sizes && parts.began ? BEGAN : short;
    if (!badge || parts.flagged === text) return;
    parts.flagged = text;
    badge.setAttribute("visibility", text ? "visible" : "hidden");
    const width = this.flagWidth(text) + 13;
    flag.setAttribute("width", width);
    const left = whole - this.flagStart(text);
    flag.setAttribute("x", left);
    flagText.setAttribute("x", left + width / 2);
    flagText.textContent = text;
  }

  /**
   * The version of a tensor that was written to by a node of this graph or since it was drawn, and, where another one was
   * saved, that one too.
   */
  paintVersion(parts, { kind, version, saved_version: saved, drawn }) {
    const differs = Boolean(version) && saved !== undefined && saved !== null && saved !== version;
    // A result is new when a node makes it; a leaf was there before, and what wrote to it then tells nothing here.
    const isWritten = Boolean(version) && (kind === "result" || version !== drawn);
    const text = differs ? `v${version} ≠ v${saved}` : isWritten ? `v${version}` : "";
    if (!text && !parts.version) return;
    if (!parts.version) {
      parts.version = shape("text", { class: "mg-version", x: 16, y: 1 });
      parts.versionTag = shape(
        "g",
        { class: "mg-version-tag" },
        shape("rect", { x: 8, y: -12, height: 18, rx: 9 }),
        parts.version,
      );
      parts.group.append(" ", parts.versionTag);
    }
    parts.version.textContent = text;
    parts.versionTag.firstChild.setAttribute("width", this.flagWidth(text) + 16);
    parts.versionTag.setAttribute("visibility", text ? "visible" : "hidden");
    parts.versionTag.classList.toggle("mg-differs", differs);
    parts.version.classList.toggle("mg-alarm", differs);
  }

  paintWires(edges, norms) {
    const received = new Set(); // the boxes for which something has come, or has not any more
    for (const parts of this.wires.values()) {
      const flows = parts.members.map((id) => edges[id] ?? "idle");
      if (parts.members.every((id) => this.painted.edges[id] === edges[id]) && parts.flow) continue;
      const flow = ["now", "idle", "done", "off"].find((name) => flows.includes(name)) ?? "idle";
      if (flow !== (parts.flow ?? "idle")) this.flows.get(flow).append(parts.group);
      parts.flow = flow;
      for (const name of FLOWS) parts.group.classList.toggle(`mg-${name}`, name === flow);
      const back = flow === "now" || flow === "done";
      parts.forward?.setAttribute("visibility", back ? "hidden" : "visible");
      parts.backward?.setAttribute("visibility", back ? "visible" : "hidden");
      const norm = together(parts.members.map((id) => norms[id]));
      if (Object.is(norm, parts.norm)) continue;
      parts.norm = norm;
      this.paintSize(parts.group, norm);
      received.add(parts.from);
    }
    for (const from of received) {
      const group = (this.boxes.get(from) ?? this.groups.get(from))?.group;
      const all = [...this.wires.values()].filter((parts) => parts.from === from).map(({ norm }) => norm);
      if (group) this.paintSize(group, together(all));
    }
    if (received.size) this.paintBeginnings();
  }

  /** Where a NaN went out and none had come: it began there. */
  paintBeginnings() {
    const sent = new Set([...this.wires.values()].filter(({ norm }) => Number.isNaN(norm)).map(({ to }) => to));
    if (!sent.size && !this.painted.began) return;
    this.painted.began = sent.size > 0;
    for (const [id, parts] of [...this.boxes, ...this.groups]) {
      const came = parts.group.classList.contains("mg-nan") || parts.painted?.grad.includes("NaN");
      parts.began = sent.has(id) && !came;
      parts.group.classList.toggle("mg-began", parts.began);
      this.paintBadge(parts);
    }
  }

  /** How large a gradient is: for the width of an edge, and for colours. */
  paintSize(group, norm) {
    group.classList.toggle("mg-sized", norm !== undefined);
    group.classList.toggle("mg-nan", Number.isNaN(norm));
    group.classList.toggle("mg-inf", norm === Infinity);
    group.classList.toggle("mg-zero", norm === 0);
    if (norm === undefined) this.sized.delete(group);
    else this.sized.set(group, norm);
    if (norm !== undefined) group.style?.setProperty("--mg-size", share(norm, this.span).toFixed(3));
  }

  /**
   * The smallest and the largest size of a gradient in this pass, as far as is known: what has a size is painted anew.
   * @param {Span | null} span
   */
  setSpan(span) {
    if (String(span) === String(this.span)) return;
    this.span = span;
    for (const [group, norm] of this.sized) group.style?.setProperty("--mg-size", share(norm, span).toFixed(3));
  }

  /** Colour edges and boxes by the size of their gradients, and say these in numbers; or no longer. */
  showSizes(on) {
    this.sizes = on;
    this.drawing.classList.toggle("mg-sizes", on);
    if (on && !this.drawing.querySelector(".mg-hatch-line"))
      this.define("hatch", "pattern", HATCH, [
        shape("rect", { class: "mg-hatch-back", width: 8, height: 8 }),
        shape("path", { class: "mg-hatch-line", d: "M0 0V8" }),
      ]);
    for (const parts of this.boxes.values()) if (parts.began) this.paintBadge(parts);
    this.paintChips(this.painted.chips, true);
  }

  /** @param {string | null} next */
  paintNext(next) {
    const element = next ? this.element(next) : null;
    if (this.painted.next === element) return;
    this.painted.next?.classList.remove("mg-upnext");
    element?.classList.add("mg-upnext");
    this.painted.next = element;
  }

  paintChips(chips, anew = false) {
    if (this.painted.chips === chips && !this.sizes && !anew) return;
    const letter = MONO_WIDTH * this.larger;
    const { boxes, taken } = this.standing();
    for (const { members, chip, norm, side, mark } of this.wires.values()) {
      if (!chip) continue;
      const flowing = members.filter((id) => id in chips);
      const texts = this.sizes ? (norm === undefined ? [] : [sizeText(norm)]) : flowing.map((id) => chips[id]);
      const told = texts.length > 2 ? `${texts[0]} and ${texts.length - 1} more` : texts.join(", ");
      chip.group.setAttribute("visibility", told ? "visible" : "hidden");
      mark?.setAttribute("visibility", told ? "hidden" : "visible");
      if (!told) continue;
      const { x: tip } = chip.points.at(-1);
      const beside = Math.min(tip, this.width - tip); // the room for one that stands beside others
      const most = side ? Math.floor((beside - BESIDE_TIP - CHIP_ROUND) / letter) : MOST_IN_CHIP;
      const text = this.fitting(told, flowing.length === 1 ? flowing[0] : null, Math.min(most, MOST_IN_CHIP));
      chip.group.classList.toggle("mg-differs", told.includes("≠"));
      const width = [...text].length * letter + CHIP_ROUND;
      chip.text.textContent = text;
      chip.rect.setAttribute("width", width);
      chip.rect.setAttribute("x", -width / 2);
      const anywhere = placesOn(chip.points, width, side);
      const within = anywhere.filter(({ x }) => Math.abs(2 * x - this.width) + width <= this.width);
      const places = within.length ? within : anywhere;
      const { x, y } =
        this.sizes && this.wires.size > MOST_PLACED
          ? places[0]
          : freest(places, width + 2, CHIP_HEIGHT + 2, taken, boxes);
      chip.group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      taken.push({ x: x - width / 2, y: y - CHIP_HEIGHT / 2, w: width, h: CHIP_HEIGHT });
    }
    this.painted.chips = chips;
  }

  /** The rectangles of the boxes that are seen, and of the flags on them and the titles of open groups. */
  standing() {
    const [boxes, taken] = [[], []];
    for (const [id, { x, y }] of this.places ?? []) {
      const { width = 0, height = 0, flagged = "" } = this.boxes.get(id) ?? {};
      const flag = this.flagWidth(flagged) + 13;
      boxes.push({ x, y, w: width, h: height });
      if (flagged) taken.push({ x: x + width - this.flagStart(flagged), y: y - FLAG_ABOVE, w: flag, h: FLAG_ABOVE });
    }
    for (const { at, kind, open, group } of this.groups.values())
      if (open && group.getAttribute("display") !== "none")
        taken.push({ ...at, w: Number(kind.getAttribute("x")) + kind.textContent.length * MONO_WIDTH, h: HEAD - 8 });
    return { boxes, taken };
  }

  /**
   * A chip's text as it has room between two boxes: of a sum its result, of a tensor its shape, which is that of where
   * it flows.
   */
  fitting(whole, edge, most) {
    const fits = (text) => [...text].length <= most;
    if (fits(whole)) return whole;
    const text = whole.split(" = ").at(-1);
    if (fits(text)) return text;
    const shape = text.startsWith("[") && edge !== null ? this.about(this.sources.get(edge))?.shape : "";
    if (shape) return shape;
    return beginningOf(text, most);
  }

  /**
   * What happened at this frame, as signs that hang on the lower edge of the boxes where it happened.
   * @param {Frame} frame
   */
  paintSigns(frame) {
    if (this.painted.frame === frame) return;
    this.painted.frame = frame;
    for (const [id, row] of this.painted.signs) {
      row.remove();
      this.call(id);
    }
    this.painted.signs = [];
    for (const [id, events] of eventsByBox(frame.events ?? [])) {
      const parts = this.boxes.get(id);
      if (!parts) continue;
      const kinds = [...new Set(events.map((event) => event.kind))];
      const row = shape("g", { class: "mg-signs", transform: `translate(14 ${parts.height + BELOW})` });
      for (const [k, kind] of kinds.slice(0, MOST_SIGNS).entries()) row.append(sign(kind, 4 + 22 * k, 0));
      if (kinds.length > MOST_SIGNS)
        row.append(
          shape("text", { class: "mg-more-signs", x: 22 * MOST_SIGNS - 4, y: 4 }, `+${kinds.length - MOST_SIGNS}`),
        );
      row.prepend(" "); // words apart, for who reads them as text
      parts.group.append(row);
      this.painted.signs.push([id, row]);
      this.call(id);
    }
  }

  /**
   * A closed group says how far its nodes are; the most pressing state among them is its own.
   * @param {Frame} frame
   * @param {Record<string, State>} boxes
   */
  paintGroups(frame, boxes) {
    if (this.painted.groups === frame) return;
    this.painted.groups = frame;
    const runs = new Set(this.data.runs ?? []);
    for (const [id, parts] of this.groups) {
      const inside = this.layout.inside.get(id);
      const states = inside.map((box) => boxes[box]?.state ?? "idle");
      const running = inside.filter((box) => runs.has(box));
      const done = running.filter((box) => ["done", "ran"].includes(boxes[box]?.state)).length;
      const over = running.length > 0 && done === running.length;
      const state = stateOfAll(states, over, done > 0);
      // A sheet is paper: its boxes have states.
      const painted = parts.about.sheet && this.layout.open.has(id) ? "idle" : state;
      for (const name of STATES) parts.group.classList.toggle(`mg-${name}`, name === painted);
      const marks = inside.map((box) => boxes[box]?.mark);
      for (const name of PARTINGS)
        parts.group.classList.toggle(`mg-${name}`, name === PARTINGS.find((one) => marks.includes(one)));
      const odd = ["NaN", "Inf"]
        .filter((word) => inside.some((box) => boxes[box]?.alarm && boxes[box].grad.includes(word)))
        .join(", ");
      const alarms = [...(parts.began && !this.layout.open.has(id) ? [BEGAN, "NaN"] : odd ? [odd] : []), ""];
      const said = alarms[0]
        ? `⚠ ${alarms[0]} inside`
        : running.length
          ? `${done} of ${running.length} nodes ran`
          : `${parts.about.count} nodes, none runs`;
      const room = parts.width - [...parts.full].length * NAME_LETTER - 54;
      const alarm = alarms.find((text) => ([...text].length + 2) * MONO_WIDTH <= room) ?? "";
      parts.kind.textContent = alarms[0] ? `⚠ ${alarm}`.trim() : parts.beside;
      parts.kind.classList.toggle("mg-alarm", alarms[0] !== "");
      parts.bar.setAttribute("width", ((parts.room * done) / Math.max(running.length, 1)).toFixed(1));
      const open = this.layout.open.has(id);
      const inner = open || !inside.includes(frame.box) ? [] : this.innerTexts(frame.box, boxes[frame.box]);
      for (const [k, text] of parts.inner.entries())
        text.textContent = beginningOf(inner[k] ?? "", Math.floor(parts.room / MONO_WIDTH));
      if (!open) parts.title.setAttribute("transform", `translate(0 ${inner.length ? ABOVE_ROWS : ALONE})`);
      const name = parts.about.is_module ? `module ${parts.about.path}` : parts.about.name;
      const enter = `Enter ${open ? "closes" : "opens"} it.`;
      const seen = [words(parts.title), ...parts.inner.map((text) => text.textContent)];
      parts.group.setAttribute(
        "aria-label",
        `${seen.filter(Boolean).join(" ")}, ${name}: ${[said, ...inner].join("; ")}. ${enter}`,
      );
    }
  }

  /**
   * What is told of a box that runs where it is not seen: what it is, and its numbers.
   * @param {string} id
   * @param {State} state
   */
  innerTexts(id, state) {
    const { name, expression, op, text, value, shape: size } = this.about(id);
    const grad = state?.grad ? `, grad ${state.grad}` : "";
    return [`${name} = ${expression || op}`, `${text || value || size}${grad}`];
  }

  /** @param {Breakpoint[]} breaks */
  paintBreaks(breaks) {
    if (this.painted.breaks === breaks) return;
    this.painted.breaks = breaks;
    const at = new Set(breaks.map((item) => item.box).filter(Boolean));
    for (const [id, parts] of this.boxes) {
      parts.group.classList.toggle("mg-breakpoint", at.has(id));
      if (at.has(id) && !parts.stop) {
        parts.stop = shape("path", {
          class: "mg-stop",
          d: "M-3.7-9H3.7L9-3.7V3.7L3.7 9H-3.7L-9 3.7V-3.7Z",
          transform: "translate(2 2)",
        });
        parts.group.append(parts.stop);
      } else if (!at.has(id) && parts.stop) {
        parts.stop.remove();
        parts.stop = null;
      }
    }
  }

  /** Mark the box at which the pass failed, at the frame where it did; null ends it. */
  paintFailure(id) {
    if (this.failure && this.failure !== id) {
      const parts = this.boxes.get(this.failure);
      const state = parts.painted;
      parts.group.classList.toggle("mg-bad", state?.state === "failed");
      this.failure = null;
      this.paintBadge(parts);
    }
    this.failure = this.boxes.has(id) ? id : null;
    if (!this.failure) return;
    this.boxes.get(id).group.classList.add("mg-bad");
    this.paintBadge(this.boxes.get(id));
  }

  // ---------------------------------------------------------------- what the reader points at

  setInspected(id) {
    this.inspected?.classList.remove("mg-inspected");
    this.inspected = id ? this.box(id)?.group : null;
    this.inspected?.classList.add("mg-inspected");
  }

  /** @param {string[]} ids */
  setFound(ids) {
    for (const element of this.found ?? []) element.classList.remove("mg-found");
    this.found = ids.map((id) => this.element(id)).filter(Boolean);
    for (const element of this.found) element.classList.add("mg-found");
  }

  /**
   * All boxes that lead to a box ("up"), or to which it leads ("down").
   * @param {string} id
   * @param {"up" | "down"} direction
   */
  way(id, direction) {
    const seen = new Set([id]);
    const next = new Map();
    for (const [, source, target] of this.data.edges ?? []) {
      const [from, to] = direction === "up" ? [target, source] : [source, target];
      next.set(from, [...(next.get(from) ?? []), to]);
    }
    for (const box of seen) for (const other of next.get(box) ?? []) seen.add(other); // a Set grows while it is walked
    return seen;
  }

  /**
   * Let all but these boxes fade; null ends it.
   * @param {Set<string> | null} ids
   */
  setHighlight(ids) {
    this.highlight = ids;
    this.drawing?.classList.toggle("mg-dimmed", ids !== null);
    const shown = ids === null ? new Set() : new Set([...ids].map((id) => this.layout.shownFor(id)));
    const isAround = (id) =>
      this.layout.open.has(id) && (this.layout.inside.get(id) ?? []).some((box) => ids?.has(box));
    for (const [id, { group }] of [...this.boxes, ...this.groups])
      group.classList.toggle("mg-onway", shown.has(id) || isAround(id));
    const ends = new Map((this.data.edges ?? []).map(([id, source, target]) => [id, [source, target]]));
    for (const { group, members } of this.wires.values()) {
      group.classList.toggle(
        "mg-onway",
        ids !== null && members.some((id) => (ends.get(id) ?? [null]).every((end) => ids.has(end))),
      );
    }
  }
}

/** How many letters of the mean width a text takes: some are wider. */
export function lettersIn(text) {
  const count = (some) => text.match(some)?.length ?? 0;
  return [...text].length + MORE_OF_WIDE * count(/[mwMW@%…]/g) + MORE_OF_CAPITALS * count(/[A-LN-VX-ZΑ-Ω]/g);
}

/** The state of a closed group: the most pressing one of its nodes, when not all of them are over. */
export function stateOfAll(states, over, begun) {
  if (states.includes("failed")) return "failed";
  if (states.includes("ran")) return "ran";
  if (over) return "done";
  if (states.includes("ready")) return "ready";
  return begun || states.includes("waiting") ? "waiting" : "idle";
}

/** On which side of others an edge ends: -1 left, 1 right, 0 between them or alone. */
function sideOf(x, ends) {
  return Number(x > Math.min(...ends)) - Number(x < Math.max(...ends));
}

/** What is written in a box, as it is seen: so that those who speak to their computer can call it by that. */
function words(group) {
  const seen = [...group.querySelectorAll("text")].filter(
    (text) => !text.closest('[visibility="hidden"], [aria-hidden="true"]'),
  );
  return seen
    .map((text) => text.textContent)
    .filter(Boolean)
    .join(" ");
}

/** @param {Happened[]} events */
function eventsByBox(events) {
  const byBox = new Map();
  for (const event of events) byBox.set(event.node, [...(byBox.get(event.node) ?? []), event]);
  return byBox;
}

/** A text in so many letters: its beginning, where it is longer, without the word in which that would end. */
export function beginningOf(text, letters) {
  const all = [...text];
  if (all.length <= letters) return text;
  const length = Math.max(letters - 1, 1);
  const beginning = all.slice(0, length).join("");
  const isCut = /[\p{L}\p{M}\p{N}_.]/u.test(all[length]);
  const shorter = CUT_WORDS.map((cut) => beginning.replace(cut, "").replace(ENDS_IN, "")).find((part) =>
    /[^([]/.test(part),
  );
  return `${(isCut && shorter) || beginning.replace(ENDS_IN, "")}…`;
}

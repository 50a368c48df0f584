// The drawing. A step is painted so that the shapes stay, and only classes, texts and visibility change, box by
// box, where a frame differs from the one that is shown. When a module opens or closes, boxes move and edges are drawn anew; their ids stay.

import { drawingFrom, shape } from "./dom.mjs";
import { sign } from "./marks.mjs";
import { curve, Modules, NAME_LETTER } from "./modules.mjs";

const STATES = ["idle", "waiting", "ready", "ran", "done", "off", "failed"];
const FLOWS = ["idle", "now", "done", "off"];
const CHIP_WIDTH = 6.4; // pixels of a character in a pill, as in svg.py
const SIDES = 24; // what a box leaves free on its left and right side
const CHIP_ROUND = 16; // what a pill's round ends take
const FLAG_WIDTH = 6.4;
const MOST_SIGNS = 4;
const FAILED = "✗ failed";
const FEWEST = 6; // characters of a pill that say something
const BELOW = 12; // from a box's lower edge to the middle of the signs that hang there

export class Picture {
  constructor(data) {
    this.data = data;
    this.drawing = drawingFrom(data.svg ?? "");
    this.modules = new Modules(data);
    this.width = data.width ?? 0;
    this.height = data.height ?? 0;
    this.boxes = new Map();
    this.groups = new Map();
    this.wires = new Map();
    this.sources = new Map((data.edges ?? []).map(([id, source]) => [id, source]));
    this.painted = { boxes: {}, edges: {}, chips: {}, next: null, signs: [] };
    if (!this.drawing) return;
    this.indexBoxes();
    if (this.modules.any) this.arrange();
    else this.indexWires();
  }

  about(id) {
    return this.data.boxes?.[id];
  }

  /** The address of a large value's heat map; it stands in the drawing already. */
  heatOf(id) {
    return this.boxes.get(id)?.group.querySelector(".mg-value-map")?.getAttribute("href") ?? "";
  }

  /** The group element that stands for a box now: its own, or that of the closed module around it. */
  element(id) {
    const shown = this.modules.shownFor(id);
    return (this.boxes.get(shown) ?? this.groups.get(shown))?.group;
  }

  indexBoxes() {
    for (const group of this.drawing.querySelectorAll("[data-box]")) {
      const part = (name) => group.querySelector(`.mg-${name}`);
      const card = part("card");
      this.boxes.set(group.getAttribute("data-box"), {
        group,
        grad: part("grad"),
        map: part("grad-map"),
        statistics: part("grad-statistics"),
        badge: part("badge"),
        flag: part("flag"),
        flagText: part("flag-text"),
        width: Number(card?.getAttribute("width") ?? 0),
        height: Number(card?.getAttribute("height") ?? 0),
      });
      part("grad-statistics")?.setAttribute("lengthAdjust", "spacingAndGlyphs");
      group.setAttribute("tabindex", "-1");
      group.querySelector("title")?.remove(); // tip.mjs shows it, also to those who use the keyboard
      for (const text of group.querySelectorAll("text")) text.after(" "); // words apart, for who reads them as text
      this.mark(group, this.about(group.getAttribute("data-box")) ?? {});
    }
    const first = this.boxes.get(this.data.runs?.at(-1)) ?? this.boxes.values().next().value;
    first?.group.setAttribute("tabindex", "0"); // one stop for the tab key; arrows with Shift go from box to box
  }

  /** What a box is for good, beyond its state. */
  mark(group, about) {
    group.classList.toggle("mg-greyed", about.needs_grad === false);
    group.classList.toggle("mg-pruned", about.pruned === true);
    group.classList.toggle("mg-freed", about.freed === true);
  }

  /** The edges of a drawing that came laid out. */
  indexWires() {
    for (const group of this.drawing.querySelectorAll("[data-edge]")) {
      const id = group.getAttribute("data-edge");
      const wire = group.querySelector(".mg-wire");
      const ends = wire?.getAttribute("d")?.match(/-?[\d.]+/g)?.map(Number) ?? [0, 0];
      const pulse = wire?.cloneNode();
      pulse?.setAttribute("class", "mg-pulse");
      pulse?.setAttribute("pathLength", "1");
      if (pulse) wire.after(pulse);
      this.wires.set(id, {
        group,
        members: [id],
        room: Math.abs(ends.at(-2) - ends[0]),
        forward: group.querySelector(".mg-forward"),
        backward: group.querySelector(".mg-backward"),
      });
    }
    for (const group of this.drawing.querySelectorAll("[data-chip]")) {
      const wire = this.wires.get(group.getAttribute("data-chip"));
      if (wire) wire.chip = { group, pill: group.querySelector("rect"), text: group.querySelector("text") };
    }
  }

  // ---------------------------------------------------------------- modules

  /** Lay out what is open, and draw the edges between what is seen. */
  arrange() {
    const laid = this.modules.layout();
    this.width = Math.ceil(laid.width);
    this.height = Math.ceil(laid.height);
    this.drawing.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    for (const [id, { group }] of this.boxes) {
      const at = laid.boxes.get(id);
      group.setAttribute("display", at ? "inline" : "none");
      if (at) group.setAttribute("transform", `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})`);
    }
    const frames = this.layer("mg-groups", ".mg-edges");
    for (const { id } of this.modules.groups) {
      const at = laid.groups.get(id);
      let parts = this.groups.get(id);
      if (!at) {
        parts?.group.setAttribute("display", "none");
        continue;
      }
      parts ??= this.groupParts(this.modules.byId.get(id));
      this.groups.set(id, parts);
      frames.append(parts.group); // outer ones first, so that the inner ones lie above them
      this.placeGroup(parts, at);
    }
    this.drawWires(laid.wires);
    Object.assign(this.painted, { edges: {}, chips: {}, groups: "" });
  }

  /** A layer of the drawing, made where it is missing. */
  layer(name, before) {
    const there = this.drawing.querySelector(`.${name}`);
    if (there) return there;
    const made = shape("g", { class: name });
    this.drawing.insertBefore(made, before ? this.drawing.querySelector(before) : null);
    return made;
  }

  groupParts(about) {
    const group = shape("g", { class: `mg-group${about.sheet ? " mg-sheet" : ""}`, "data-group": about.id, tabindex: "-1", role: "button" });
    const parts = {
      group,
      about,
      shadow: shape("rect", { class: "mg-stack", rx: 8 }),
      frame: shape("rect", { class: "mg-frame", rx: 8 }),
      sign: shape("text", { class: "mg-fold", y: 20, "text-anchor": "middle", "aria-hidden": "true" }),
      name: shape("text", { class: "mg-name", x: 32, y: 20 }, about.name),
      kind: shape("text", { class: "mg-expression", y: 20, "text-anchor": "end" }, about.kind),
      said: shape("text", { class: "mg-said", x: 12, y: 42 }),
      track: shape("rect", { class: "mg-track", x: 12, y: 51, height: 4, rx: 2 }),
      bar: shape("rect", { class: "mg-progress", x: 12, y: 51, height: 4, rx: 2, width: 0 }),
    };
    group.classList.toggle("mg-inner", this.modules.around(about.id).length % 2 === 0); // what lies in a tinted frame is lighter again
    group.append(parts.shadow, parts.frame, shape("rect", { class: "mg-fold-box", x: 11, y: 8, width: 15, height: 15, rx: 3 }), parts.sign, parts.name, parts.kind, parts.said, parts.track, parts.bar);
    parts.sign.setAttribute("x", 18.5);
    for (const text of [parts.name, parts.kind]) text.after(" ");
    return parts;
  }

  placeGroup(parts, { x, y, w, h, open }) {
    const { group, shadow, frame, kind, sign: fold, said, track, bar, about } = parts;
    group.setAttribute("display", "inline");
    group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    group.classList.toggle("mg-open", open);
    group.setAttribute("aria-expanded", String(open));
    for (const rect of [shadow, frame]) {
      rect.setAttribute("width", w.toFixed(1));
      rect.setAttribute("height", h.toFixed(1));
    }
    shadow.setAttribute("transform", "translate(5 5)");
    shadow.setAttribute("visibility", open ? "hidden" : "visible");
    kind.setAttribute("x", (w - 12).toFixed(1));
    fold.textContent = open ? "−" : "+";
    for (const part of [said, track, bar]) part.setAttribute("visibility", open ? "hidden" : "visible");
    track.setAttribute("width", (w - 24).toFixed(1));
    parts.room = w - 24;
    const letters = Math.floor((w - 54 - [...about.kind].length * 7) / NAME_LETTER);
    parts.name.textContent = [...about.name].length > letters ? `${[...about.name].slice(0, Math.max(letters - 1, 3)).join("")}…` : about.name;
  }

  drawWires(wires) {
    const lines = this.layer("mg-edges", null);
    const pills = this.layer("mg-chips", null);
    lines.replaceChildren();
    pills.replaceChildren();
    this.wires.clear();
    for (const { id, members, points } of wires) {
      const d = curve(points);
      const length = (k) => Math.abs(points[k].x - points[k - 1].x);
      const longest = points.reduce((best, _, k) => (k && length(k) > length(best) ? k : best), 1);
      const [start, end] = [points[0], points.at(-1)];
      const head = (tip, way) => `M${tip.x.toFixed(1)} ${tip.y.toFixed(1)}l${-10 * way} 4.5v-9z`;
      const parts = {
        group: shape("g", { class: "mg-edge", "data-edge": id }),
        members,
        room: length(longest),
        forward: shape("path", { class: "mg-forward", d: head(end, 1) }),
        backward: shape("path", { class: "mg-backward", d: head(start, -1) }),
      };
      parts.group.append(shape("path", { class: "mg-wire", d, fill: "none" }), shape("path", { class: "mg-pulse", d, fill: "none", pathLength: 1 }), parts.forward, parts.backward);
      const pill = shape("rect", { y: -10, height: 20, rx: 10 });
      const text = shape("text", { y: 4, "text-anchor": "middle", "font-size": 10.5, "font-weight": 700, style: "unicode-bidi:isolate" });
      const [one, other] = [points[longest - 1], points[longest]];
      const at = { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
      const chip = shape("g", { class: "mg-chip", "data-chip": id, transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})`, visibility: "hidden" }, pill, text);
      parts.chip = { group: chip, pill, text };
      lines.append(parts.group);
      pills.append(chip);
      this.wires.set(id, parts);
    }
  }

  // ---------------------------------------------------------------- a frame

  paint(frame, state, breaks = []) {
    for (const [id, box] of Object.entries(state.boxes)) if (this.painted.boxes[id] !== box) this.paintBox(id, box);
    if (this.painted.edges !== state.edges) this.paintWires(state.edges);
    this.paintChips(frame.chips ?? {});
    this.paintNext(frame.next);
    this.paintSigns(frame);
    if (this.modules.any) this.paintGroups(frame, state.boxes);
    this.paintBreaks(breaks);
    this.painted.boxes = state.boxes;
    this.painted.edges = state.edges;
  }

  paintBox(id, box) {
    const parts = this.boxes.get(id);
    if (!parts) return;
    const { group, grad, map, statistics } = parts;
    for (const name of STATES) group.classList.toggle(`mg-${name}`, name === box.state);
    group.classList.toggle("mg-bad", box.state === "failed");
    this.mark(group, { ...this.about(id), ...box });
    if (grad) {
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
    if (statistics && statistics.textContent !== box.statistics) {
      statistics.textContent = box.statistics;
      // The box was measured before the numbers were known: longer ones are set a little closer.
      const room = parts.width - SIDES;
      if ([...box.statistics].length * CHIP_WIDTH > room) statistics.setAttribute("textLength", room);
      else statistics.removeAttribute("textLength");
    }
    this.paintBadge(parts, box.state === "failed" ? FAILED : box.badge);
    this.paintVersion(parts, { ...this.about(id), ...box });
    parts.state = box.state;
    this.call(id);
  }

  /** What a box is called by those who hear the page: what is written in it, and its state. */
  call(id) {
    const { group, state } = this.boxes.get(id);
    const name = this.about(id)?.name ?? id;
    const seen = words(group);
    group.setAttribute("aria-label", `${seen}${seen.startsWith(name) ? "" : `, in full ${name}`}, ${state}. Enter shows more.`);
  }

  paintBadge(parts, text) {
    const { badge, flag, flagText, width: whole } = parts;
    if (!badge || parts.flagged === text) return;
    parts.flagged = text;
    badge.setAttribute("visibility", text ? "visible" : "hidden");
    const width = [...text].length * FLAG_WIDTH + 14;
    flag.setAttribute("width", width);
    flag.setAttribute("x", whole - 10 - width);
    flagText.setAttribute("x", whole - 10 - width / 2);
    flagText.textContent = text;
  }

  /** The version of a tensor that has been written to, and, where another one was saved, that one too. */
  paintVersion(parts, { version, saved_version: saved }) {
    const differs = Boolean(version) && saved !== undefined && saved !== null && saved !== version;
    const text = differs ? `v${version} ≠ v${saved}` : version ? `v${version}` : "";
    if (!text && !parts.version) return;
    if (!parts.version) {
      parts.version = shape("text", { class: "mg-version", x: 18, y: -0.5 });
      parts.versionTag = shape("g", { class: "mg-version-tag" }, shape("rect", { x: 10, y: -13, height: 17, rx: 8.5 }), parts.version);
      parts.group.append(" ", parts.versionTag);
    }
    parts.version.textContent = text;
    parts.versionTag.firstChild.setAttribute("width", [...text].length * FLAG_WIDTH + 16);
    parts.versionTag.setAttribute("visibility", text ? "visible" : "hidden");
    parts.versionTag.classList.toggle("mg-differs", differs);
    parts.version.classList.toggle("mg-alarm", differs);
  }

  paintWires(edges) {
    for (const parts of this.wires.values()) {
      const flows = parts.members.map((id) => edges[id] ?? "idle");
      if (parts.members.every((id) => this.painted.edges[id] === edges[id]) && parts.flow) continue;
      const flow = ["now", "idle", "done", "off"].find((name) => flows.includes(name)) ?? "idle";
      parts.flow = flow;
      for (const name of FLOWS) parts.group.classList.toggle(`mg-${name}`, name === flow);
      const back = flow === "now" || flow === "done";
      parts.forward?.setAttribute("visibility", back ? "hidden" : "visible");
      parts.backward?.setAttribute("visibility", back ? "visible" : "hidden");
    }
  }

  paintNext(next) {
    const element = next ? this.element(next) : null;
    if (this.painted.next === element) return;
    this.painted.next?.classList.remove("mg-upnext");
    element?.classList.add("mg-upnext");
    this.painted.next = element;
  }

  paintChips(chips) {
    if (this.painted.chips === chips) return;
    for (const { members, chip, room } of this.wires.values()) {
      if (!chip) continue;
      const flowing = members.filter((id) => id in chips);
      const texts = flowing.map((id) => chips[id]);
      const told = texts.length > 2 ? `${texts[0]} and ${texts.length - 1} more` : texts.join(", ");
      chip.group.setAttribute("visibility", told ? "visible" : "hidden");
      if (!told) continue;
      const text = this.fitting(told, room, flowing.length === 1 ? flowing[0] : null);
      const width = [...text].length * CHIP_WIDTH + CHIP_ROUND;
      chip.text.textContent = text;
      chip.pill.setAttribute("width", width);
      chip.pill.setAttribute("x", -width / 2);
    }
    this.painted.chips = chips;
  }

  /** A pill's text as it has room between two boxes: of a sum its result, of a tensor its shape, which is that of where it flows. */
  fitting(whole, room, edge) {
    const most = Math.floor((room - CHIP_ROUND) / CHIP_WIDTH);
    const fits = (text) => !room || [...text].length <= most;
    if (fits(whole)) return whole;
    const text = whole.split(" = ").at(-1);
    if (fits(text)) return text;
    const shape = text.startsWith("[") && edge !== null ? this.about(this.sources.get(edge))?.shape : "";
    if (shape) return shape;
    return most < FEWEST ? text : `${[...text].slice(0, most - 1).join("").replace(/[\s,…]+$/, "")}…`;
  }

  /** What happened at this frame, as signs that hang on the lower edge of the boxes where it happened. */
  paintSigns(frame) {
    if (this.painted.frame === frame) return;
    this.painted.frame = frame;
    for (const [id, row] of this.painted.signs) {
      row.remove();
      this.call(id);
    }
    this.painted.signs = [];
    for (const [id, events] of grouped(frame.events ?? [])) {
      const parts = this.boxes.get(id);
      if (!parts) continue;
      const kinds = [...new Set(events.map((event) => event.kind))];
      const row = shape("g", { class: "mg-signs", transform: `translate(14 ${parts.height + BELOW})` });
      kinds.slice(0, MOST_SIGNS).forEach((kind, k) => row.append(sign(kind, 4 + 22 * k, 0)));
      if (kinds.length > MOST_SIGNS) row.append(shape("text", { class: "mg-more-signs", x: 22 * MOST_SIGNS - 4, y: 4 }, `+${kinds.length - MOST_SIGNS}`));
      parts.group.append(" ", row);
      this.painted.signs.push([id, row]);
      this.call(id);
    }
  }

  /** A closed group says how far its nodes are; the most pressing state among them is its own. */
  paintGroups(frame, boxes) {
    if (this.painted.groups === frame) return;
    this.painted.groups = frame;
    const runs = new Set(this.data.runs ?? []);
    for (const [id, parts] of this.groups) {
      const inside = this.modules.inside.get(id);
      const states = inside.map((box) => boxes[box]?.state ?? "idle");
      const running = inside.filter((box) => runs.has(box));
      const done = running.filter((box) => ["done", "ran"].includes(boxes[box]?.state)).length;
      const over = running.length > 0 && done === running.length;
      const state = states.includes("failed") ? "failed" : states.includes("ran") ? "ran" : over ? "done" : states.includes("ready") ? "ready" : done || states.includes("waiting") ? "waiting" : "idle";
      const painted = parts.about.sheet && this.modules.open.has(id) ? "idle" : state; // a sheet is paper: its boxes have states
      for (const name of STATES) parts.group.classList.toggle(`mg-${name}`, name === painted);
      const alarm = inside.some((box) => boxes[box]?.alarm);
      parts.said.textContent = alarm ? `⚠ NaN or Inf inside` : running.length ? `${done} of ${running.length} nodes ran` : `${parts.about.count} nodes, none runs`;
      parts.said.classList.toggle("mg-alarm", alarm);
      parts.bar.setAttribute("width", ((parts.room * done) / Math.max(running.length, 1)).toFixed(1));
      const open = this.modules.open.has(id);
      parts.group.setAttribute("aria-label", `${words(parts.group)}, ${parts.about.sheet ? "" : "module "}${parts.about.path}: ${parts.said.textContent}. Enter ${open ? "closes" : "opens"} it.`);
    }
  }

  paintBreaks(breaks) {
    if (this.painted.breaks === breaks) return;
    this.painted.breaks = breaks;
    const at = new Set(breaks.map((item) => item.box).filter(Boolean));
    for (const [id, parts] of this.boxes) {
      parts.group.classList.toggle("mg-breakpoint", at.has(id));
      if (at.has(id) && !parts.stop) {
        parts.stop = shape("path", { class: "mg-stop", d: "M-3.7-9H3.7L9-3.7V3.7L3.7 9H-3.7L-9 3.7V-3.7Z", transform: "translate(2 2)" });
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
      const state = this.painted.boxes[this.failure];
      const parts = this.boxes.get(this.failure);
      parts.group.classList.toggle("mg-bad", state?.state === "failed");
      this.paintBadge(parts, state?.state === "failed" ? FAILED : (state?.badge ?? ""));
    }
    this.failure = this.boxes.has(id) ? id : null;
    if (!this.failure) return;
    this.boxes.get(id).group.classList.add("mg-bad");
    this.paintBadge(this.boxes.get(id), FAILED);
  }

  // ---------------------------------------------------------------- what the reader points at

  setInspected(id) {
    this.inspected?.classList.remove("mg-inspected");
    this.inspected = id ? this.boxes.get(id)?.group : null;
    this.inspected?.classList.add("mg-inspected");
  }

  setFound(ids) {
    for (const element of this.found ?? []) element.classList.remove("mg-found");
    this.found = ids.map((id) => this.element(id)).filter(Boolean);
    for (const element of this.found) element.classList.add("mg-found");
  }

  /** All boxes that lead to a box ("up"), or to which it leads ("down"). */
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

  /** Let all but these boxes fade; null ends it. */
  setHighlight(ids) {
    this.highlight = ids;
    this.drawing?.classList.toggle("mg-dimmed", ids !== null);
    const shown = ids === null ? new Set() : new Set([...ids].map((id) => this.modules.shownFor(id)));
    for (const [id, { group }] of [...this.boxes, ...this.groups]) group.classList.toggle("mg-onway", shown.has(id) || (this.modules.open.has(id) && (this.modules.inside.get(id) ?? []).some((box) => ids?.has(box))));
    const ends = new Map((this.data.edges ?? []).map(([id, source, target]) => [id, [source, target]]));
    for (const { group, members } of this.wires.values()) {
      group.classList.toggle("mg-onway", ids !== null && members.some((id) => (ends.get(id) ?? [null]).every((end) => ids.has(end))));
    }
  }
}

/** What is written in a box, as it is seen: so that those who speak to their computer can call it by that. */
function words(group) {
  const seen = [...group.querySelectorAll("text")].filter((text) => !text.closest('[visibility="hidden"], [aria-hidden="true"]'));
  return seen.map((text) => text.textContent).filter(Boolean).join(" ");
}

function grouped(events) {
  const byBox = new Map();
  for (const event of events) byBox.set(event.node, [...(byBox.get(event.node) ?? []), event]);
  return byBox;
}

// Groups that open and close, so that a network of a thousand nodes fits on a page: boxes belong to groups (an
// nn.Module's call, the rounds of a loop, a stretch of the code), groups to larger ones, and a closed group is one box.
// Which edges are seen follows from that. Each open group is laid out by itself and then stands in the one around it as
// a box of its size, from the innermost to the outermost.
// minigrad/viz/picture/layout.py does the same for still pictures.

import { arrange, compare } from "./layered.mjs";
import {
  AROUND,
  CLOSE,
  CLOSED_HEIGHT,
  CLOSED_LEAST,
  CLOSED_MOST,
  CLOSED_ROOM,
  FOOT,
  GAP,
  GROWTH_COST,
  HEAD,
  MARGIN,
  MONO_WIDTH,
  MOST_GROWN,
  MOST_PLACED_AGAIN,
  MOST_STRANDS,
  NAME_LETTER,
  THREAD,
  TITLE_MOST,
  TITLE_ROOM,
  TURN,
} from "./measures.mjs";

/** @import { Group, PictureData } from "./model.d.ts" */

const WHOLE = ""; // the id of what is around everything
const RECORDED = "create_graph"; // the kind of a group that is the graph of a gradient, as in calls.py
const MOST_KNOWN = 400; // groups of which it is known where their boxes go
const MOST_FOLLOWED = 60; // things in a part that opens by itself

export class GroupLayout {
  /** @param {PictureData} picture */
  constructor(picture) {
    // The graph of a gradient is drawn as a sheet of paper, not as a module.
    this.gap = GAP; // between layers
    this.arranged = new Map(); // what was asked of groups, and where their boxes go
    this.groups = (picture.groups ?? []).map((group) => (group.kind === RECORDED ? { ...group, sheet: true } : group));
    this.byId = new Map(this.groups.map((group) => [group.id, group]));
    this.boxes = picture.boxes ?? {};
    this.edges = picture.edges ?? [];
    this.open = new Set(picture.open ?? []);
    this.byHand = new Set(); // what the reader has opened or closed, which stays as it is
    this.followed = new Set(); // what is open because the step is in it
    this.home = new Map(Object.keys(this.boxes).map((id) => [id, WHOLE]));
    for (const group of this.groups) for (const box of group.boxes) this.home.set(box, group.id);
    this.inside = new Map(this.groups.map((group) => [group.id, []])); // every box in a group, however deep
    for (const [box, home] of this.home) for (let at = home; at; at = this.parent(at)) this.inside.get(at)?.push(box);
    // When a box or the first of a group was made.
    this.order = new Map(Object.keys(this.boxes).map((box, k) => [box, k]));
    for (const [box, k] of [...this.order])
      for (const group of this.around(box)) if (!this.order.has(group)) this.order.set(group, k);
  }

  get any() {
    return this.groups.length > 0;
  }

  /**
   * @param {string} id
   * @returns {string}
   */
  parent(id) {
    return (this.byId.has(id) ? this.byId.get(id).parent : this.home.get(id)) ?? WHOLE;
  }

  /**
   * From a box or group outwards, up to the whole.
   * @param {string} id
   * @returns {string[]}
   */
  around(id) {
    const path = [];
    for (let at = this.parent(id); at; at = this.parent(at)) path.push(at);
    return [...path, WHOLE];
  }

  /**
   * What stands for a box in the picture: itself, or the outermost closed group around it.
   * @param {string} id
   * @returns {string}
   */
  shownFor(id) {
    const closed = this.around(id).filter((group) => group && !this.open.has(group));
    return closed.at(-1) ?? id;
  }

  /**
   * For each group that is not to be seen or is closed, what is seen of it: the outermost closed one at or around it.
   */
  covers() {
    const covers = new Map();
    for (const { id, parent } of this.groups) {
      const cover = covers.get(parent) ?? (this.open.has(id) ? null : id); // outer ones come first
      if (cover) covers.set(id, cover);
    }
    return covers;
  }

  /** Open or close a group as the reader wishes. */
  set(id, isOpen) {
    if (isOpen) this.open.add(id);
    else this.open.delete(id);
    this.byHand.add(id);
    this.followed.delete(id);
  }

  toggle(id) {
    this.set(id, !this.open.has(id));
  }

  /** Open all groups around a box. Returns whether anything changed. */
  uncover(id) {
    const closed = this.around(id).filter((group) => group && !this.open.has(group));
    for (const group of closed) this.set(group, true);
    return closed.length > 0;
  }

  openAll() {
    for (const { id } of this.groups) this.set(id, true);
  }

  closeAll() {
    for (const { id } of this.groups) this.set(id, false);
  }

  /**
   * Open the groups around the box that runs, and close those that were opened so and that the step has left. Returns
   * whether anything changed.
   * @param {string | null} id null: the step is nowhere
   */
  follow(id) {
    const around = id === null ? [] : this.around(id).filter((group) => group);
    const left = [...this.followed].filter((group) => !around.includes(group));
    for (const group of left) {
      this.open.delete(group);
      this.followed.delete(group);
    }
    let changed = left.length > 0;
    for (const group of around.reverse()) {
      if (this.open.has(group)) continue;
      if (this.byHand.has(group) || this.things(group) > MOST_FOLLOWED) break;
      this.open.add(group);
      this.followed.add(group);
      changed = true;
    }
    return changed;
  }

  /**
   * How many boxes and groups are seen of a group where it is open and those in it are closed.
   * @param {string} id
   */
  things(id) {
    return this.byId.get(id).boxes.length + this.groups.filter(({ parent }) => parent === id).length;
  }

  /**
   * The edges that are seen: those between two boxes, if they are not too many; those from or to a closed
   * group are one.
   */
  links() {
    const seen = new Map();
    const covers = this.covers();
    for (const [id, source, target] of this.edges) {
      const from = covers.get(this.home.get(source)) ?? source;
      const to = covers.get(this.home.get(target)) ?? target;
      if (from === to) continue;
      const key = `${from}>${to}`;
      if (!seen.has(key)) seen.set(key, { id: key, from, to, members: [] });
      seen.get(key).members.push(id);
    }
    return [...seen.values()].flatMap((link) => (this.isApart(link) ? strandsOf(link) : [link]));
  }

  isApart({ from, to, members }) {
    return members.length <= MOST_STRANDS && !this.byId.has(from) && !this.byId.has(to);
  }

  /**
   * What a group's name and kind take beside each other, in pixels.
   * @param {Group} group
   */
  wordsWidth(group) {
    const letters = [...group.name].length * NAME_LETTER + [...kindBeside(group)].length * MONO_WIDTH;
    return Math.round(Math.min(letters, TITLE_MOST));
  }

  /**
   * How large a box or a closed group is.
   * @param {string} id
   */
  size(id) {
    const group = this.byId.get(id);
    const [w, h] = this.boxes[id]?.size ?? [160, 72];
    return group ? this.closedSize(group) : { w, h };
  }

  /** @param {Group} group */
  closedSize(group) {
    return { w: Math.min(Math.max(CLOSED_LEAST, this.wordsWidth(group) + CLOSED_ROOM), CLOSED_MOST), h: CLOSED_HEIGHT };
  }

  /**
   * Place everything that is seen: the picture's size, and where boxes, groups and edges are. With open groups it is laid
   * out twice: then it is known where edges come from and go to beyond the group in which they lie in part, and their order
   * in the group follows that; and once more, since groups have moved by that. What is in a group, too, says at first where
   * edges meet it, or does not. What is better stays.
   */
  layOut() {
    const links = this.links();
    const inside = this.contents(links);
    const nothing = () => null;
    const place = (beyond, isFree = false) => this.placeAll(links, beyond, isFree, inside);
    if (!this.open.size) return place(nothing);
    const isGood = ({ worth }) => !worth.some(Boolean);
    const better = (one, other) => (compare(other.worth, one.worth) < 0 ? other : one);
    const again = ({ wires, parts }) => place(beyondOf(wires, parts));
    const placeTwice = (isFree) => {
      const second = again(place(nothing, isFree));
      return isGood(second) || links.length > MOST_PLACED_AGAIN ? second : better(second, again(second));
    };
    const one = placeTwice(false);
    return isGood(one) ? one : better(one, placeTwice(true));
  }

  placeAll(links, beyond, isFree = false, inside = this.contents(links)) {
    const laid = new Map();
    const sizes = new Map([...inside.values()].flatMap(({ items }) => items.map((id) => [id, this.size(id)])));
    const port = (item, link, side) => {
      const way = laid.get(item)?.ways.get(link);
      if (!way) return null;
      const entry = side === "before" ? sizes.get(item).entries.get(link) : undefined;
      return entry ?? (side === "before" ? way[0] : way.at(-1)).x + sizes.get(item).inset;
    };
    for (const [id, { items, links: own }] of [...inside].reverse()) {
      const boxes = items.map((item) => ({ id: item, ...sizes.get(item) }));
      const beyondHere = (link, side) => beyond(id, link, side);
      laid.set(id, this.arrangeOnce({ items: boxes, links: own, port, beyond: beyondHere, gap: this.gap, isFree }));
      if (id) sizes.set(id, this.frameSize(this.byId.get(id), own, laid.get(id)));
    }
    return this.gather(links, laid, sizes);
  }

  /**
   * Where the boxes of a group go, as `arrange` says: what is asked once more, as most of it is when a part opens or all is
   * placed again, is known. Of the places beyond a group their order counts alone.
   */
  arrangeOnce(asked) {
    const { items, links, port, beyond, gap, isFree } = asked;
    const gates = ["before", "after"].map((side) => {
      const through = links.filter(({ from, to }) => (side === "before" ? !from : !to));
      const places = through.map(({ id }) => beyond(id, side));
      const inOrder = [...new Set(places)].sort((one, other) => one - other);
      return places.map((place) => (place === null ? null : inOrder.indexOf(place)));
    });
    const ends = links.map(({ id, from, to, trunk }) => [
      id,
      from,
      to,
      trunk,
      from && port(from, id, "after"),
      to && port(to, id, "before"),
    ]);
    const key = JSON.stringify([gap, isFree, items, ends, gates]);
    if (!this.arranged.has(key)) {
      if (this.arranged.size >= MOST_KNOWN) this.arranged.clear();
      this.arranged.set(key, arrange(asked));
    }
    return this.arranged.get(key);
  }

  /**
   * How large an open group is, how far from its left edge its boxes stand, and how far its title, which no edge that
   * comes in may run through: it stands where there is room. Else the frame grows a little on one side, or, where that is
   * not enough, edges come in beside the title (`entries`: how far from the left) and turn below it.
   */
  frameSize(group, links, { width, height, at, ways }) {
    const words = this.wordsWidth(group) + TITLE_ROOM;
    const [around, foot] = at.size === 1 ? [CLOSE, CLOSE] : [AROUND, FOOT];
    const w = Math.max(width + 2 * around, words);
    const inset = (w - width) / 2;
    const entries = new Map(links.filter(({ from }) => !from).map(({ id }) => [id, ways.get(id)[0].x + inset]));
    const into = [...new Set(entries.values())].sort((one, other) => one - other);
    const edges = [0, ...into, w];
    const room = edges.findIndex((edge, k) => k + 1 < edges.length && edges[k + 1] - edge >= words);
    const size = { w, h: height + HEAD + foot, inset, head: HEAD, entries: new Map() };
    if (room >= 0) return { ...size, title: edges[room] };
    const [left, right] = [words - edges[1], words - (w - edges.at(-2))]; // by how much it grows there
    if (Math.min(left, right) > MOST_GROWN) {
      const { title, lanes, left, wider } = cheapest(into, titlesAmong(into, words, w));
      const turned = new Map([...entries].map(([id, x]) => [id, lanes[into.indexOf(x)] + left]));
      const [h, head] = [size.h + TURN, HEAD + TURN];
      return { w: w + wider, h, inset: inset + left, title: title + left, head, entries: turned };
    }
    return left < right
      ? { ...size, w: w + left, inset: inset + left, title: 0 }
      : { ...size, w: w + right, title: edges.at(-2) };
  }

  /** What lies directly in the whole and in each open group that is seen: the ids of items, and the pieces of edges. */
  contents(links) {
    const covers = this.covers();
    const isSeen = (id) => !covers.has(this.parent(id));
    const seen = [...this.byId.keys()].filter(isSeen);
    const inside = new Map(
      [WHOLE, ...seen.filter((id) => this.open.has(id))].map((id) => [id, { items: [], links: [] }]),
    );
    const things = [...Object.keys(this.boxes).filter(isSeen), ...seen];
    for (const id of things.sort((one, other) => this.order.get(one) - this.order.get(other)))
      inside.get(this.parent(id)).items.push(id);
    for (const link of links) {
      const { out, into, common } = this.way(link);
      let [from, to] = [link.from, link.to];
      for (const group of out) {
        inside.get(group).links.push({ ...link, trunk: link.from, from, to: "" });
        from = group;
      }
      for (const group of into) {
        inside.get(group).links.push({ ...link, trunk: link.from, from: "", to });
        to = group;
      }
      inside.get(common).links.push({ ...link, trunk: link.from, from, to });
    }
    return inside;
  }

  /** The groups that an edge leaves, those that it enters (the innermost first), and the one around both. */
  way({ from, to }) {
    const out = this.around(from);
    const into = this.around(to);
    const common = out.find((group) => into.includes(group));
    return { out: out.slice(0, out.indexOf(common)), into: into.slice(0, into.indexOf(common)), common };
  }

  gather(links, laid, sizes) {
    const origin = new Map([[WHOLE, { x: MARGIN, y: MARGIN }]]);
    const boxes = new Map();
    const groups = new Map();
    for (const id of [WHOLE, ...this.byId.keys()]) {
      if (!origin.has(id)) continue;
      const { x, y } = origin.get(id);
      for (const [item, at] of laid.get(id).at) {
        const corner = { x: x + at.x, y: y + at.y };
        if (!this.byId.has(item)) {
          boxes.set(item, corner);
          continue;
        }
        groups.set(item, { ...corner, ...sizes.get(item), open: laid.has(item) });
        if (laid.has(item)) {
          const { inset, head } = sizes.get(item);
          origin.set(item, { x: corner.x + inset, y: corner.y + head });
        }
      }
    }
    const parts = new Map(); // of a link's way: where in it the part in a group begins and ends
    const wires = links.map((link) => {
      const { out, into, common } = this.way(link);
      const points = [];
      for (const group of [...out, common, ...[...into].reverse()]) {
        const { x, y } = origin.get(group);
        const beside = into.includes(group) ? sizes.get(group).entries.get(link.id) : undefined;
        const part = [...laid.get(group).ways.get(link.id)];
        if (beside !== undefined) {
          const frame = groups.get(group);
          const aside = frame.x + beside - x;
          part.unshift({ x: aside, y: frame.y - y }, { x: aside, y: frame.y + HEAD - y });
        }
        parts.set(`${group} ${link.id}`, [points.length, points.length + part.length - 1]);
        points.push(...part.map((point) => ({ x: x + point.x, y: y + point.y })));
      }
      return { ...link, points };
    });
    const whole = laid.get(WHOLE);
    const worth = [0, 1].map((k) => [...laid.values()].reduce((sum, one) => sum + one.worth[k], 0));
    return { width: whole.width + 2 * MARGIN, height: whole.height + 2 * MARGIN, boxes, groups, wires, parts, worth };
  }
}

/**
 * Where a title may stand among edges that come in, and where these have to come in for that (`lanes`); how far the
 * frame grows to the left for it, and in all.
 */
function titlesAmong(into, words, width) {
  const places = [...into, width].flatMap((following, count) => {
    const [before, after] = [into.slice(0, count), into.slice(count)];
    const [start, end] = [before.at(-1) ?? 0, following - words];
    const right = after.map((x, k) => Math.max(x, start + words + k * THREAD));
    const left = before.map((x, k) => Math.min(x, end - (before.length - 1 - k) * THREAD));
    return [
      { title: start, lanes: [...before, ...right] },
      { title: end, lanes: [...left, ...after] },
    ];
  });
  return places.map(({ title, lanes }) => {
    const left = Math.max(0, -title, AROUND - lanes[0]);
    return { title, lanes, left, wider: left + Math.max(0, title + words - width, lanes.at(-1) + AROUND - width) };
  });
}

/** Each of the edges that a link stands for. */
function strandsOf(link) {
  return link.members.map((member, k) => ({ ...link, id: k ? `${link.id} ${k}` : link.id, members: [member] }));
}

/** The first of those places that move edges least; that a frame grows costs more. */
function cheapest(into, places) {
  const distance = (lanes) => lanes.reduce((sum, lane, k) => sum + Math.abs(lane - into[k]), 0);
  const costs = places.map(({ lanes, wider }) => GROWTH_COST * wider + distance(lanes));
  return places[costs.indexOf(Math.min(...costs))];
}

/**
 * A group's kind, where its name does not say it.
 * @param {Group} group
 */
export function kindBeside({ name, kind }) {
  return kind === RECORDED || name.includes(kind) ? "" : kind;
}

/** Where links come from and go to beyond the groups in which they lie in part, as they were laid out before. */
function beyondOf(wires, parts) {
  const points = new Map(wires.map((wire) => [wire.id, wire.points]));
  return (group, link, side) => {
    const way = points.get(link);
    const [start, end] = parts.get(`${group} ${link}`);
    const [at, onward] =
      side === "before" ? [way[start], way.slice(0, start).reverse()] : [way[end], way.slice(end + 1)];
    return (onward.find(({ x }) => Math.abs(x - at.x) > 1) ?? at).x;
  };
}

// Modules that open and close, so that a network of a thousand nodes fits on a page: boxes belong to groups (an
// nn.Module's call, or a stretch of the code), groups to larger ones, and a closed group is one box. Which edges are seen follows from that.
// Each open group is laid out by itself and then stands in the one around it as a box of its size, from the innermost to the outermost.

import { arrange } from "./arrange.mjs";

const HEAD = 44; // the strip with an open group's name, and below it the flags of its boxes
const AROUND = 20; // room inside an open group's frame
const FOOT = 32; // and below its boxes, where the signs of events hang
const CLOSED = { least: 168, most: 260, height: 64 };
const LETTER = 8;
export const NAME_LETTER = 8.2; // bold, in the title of a group
const WHOLE = ""; // the id of what is around everything
const RECORDED = "create_graph"; // the kind of a group that is the graph of a gradient, as in modules.py

export class Modules {
  constructor(picture) {
    // The graph of a gradient is drawn as a sheet of paper, not as a module.
    this.groups = (picture.groups ?? []).map((group) => (group.kind === RECORDED ? { ...group, sheet: true } : group));
    this.byId = new Map(this.groups.map((group) => [group.id, group]));
    this.boxes = picture.boxes ?? {};
    this.edges = picture.edges ?? [];
    this.open = new Set(picture.open ?? []);
    this.home = new Map(Object.keys(this.boxes).map((id) => [id, WHOLE]));
    for (const group of this.groups) for (const box of group.boxes) this.home.set(box, group.id);
    this.inside = new Map(this.groups.map((group) => [group.id, []])); // every box in a group, however deep
    for (const [box, home] of this.home) for (let at = home; at; at = this.parent(at)) this.inside.get(at)?.push(box);
  }

  get any() {
    return this.groups.length > 0;
  }

  parent(id) {
    return (this.byId.has(id) ? this.byId.get(id).parent : this.home.get(id)) ?? WHOLE;
  }

  /** From a box or group outwards, up to the whole. */
  around(id) {
    const path = [];
    for (let at = this.parent(id); at; at = this.parent(at)) path.push(at);
    return [...path, WHOLE];
  }

  /** What stands for a box in the picture: itself, or the outermost closed group around it. */
  shownFor(id) {
    const closed = this.around(id).filter((group) => group && !this.open.has(group));
    return closed.at(-1) ?? id;
  }

  toggle(id) {
    if (this.open.has(id)) this.open.delete(id);
    else this.open.add(id);
  }

  /** Open all groups around a box. Returns whether anything changed. */
  uncover(id) {
    const closed = this.around(id).filter((group) => group && !this.open.has(group));
    for (const group of closed) this.open.add(group);
    return closed.length > 0;
  }

  openAll() {
    for (const group of this.groups) this.open.add(group.id);
  }

  closeAll() {
    this.open.clear();
  }

  /** The edges that are seen: those between the same two boxes or closed groups are one. */
  links() {
    const seen = new Map();
    for (const [id, source, target] of this.edges) {
      const from = this.shownFor(source);
      const to = this.shownFor(target);
      if (from === to) continue;
      const key = `${from}>${to}`;
      if (!seen.has(key)) seen.set(key, { id: key, from, to, members: [] });
      seen.get(key).members.push(id);
    }
    return [...seen.values()];
  }

  /** What a group's name and kind take beside each other, in pixels. */
  titleWidth({ name, kind }) {
    return [...name].length * NAME_LETTER + [...kind].length * LETTER + 66;
  }

  closedSize(group) {
    const letters = Math.max([...group.name].length + [...group.kind].length + 3, [...`${group.count} nodes`].length + 12);
    return { w: Math.min(Math.max(CLOSED.least, letters * LETTER + 34), CLOSED.most), h: CLOSED.height };
  }

  /** Place everything that is seen. Returns the picture's size, and where boxes, groups and edges are. */
  layout() {
    const links = this.links();
    const content = new Map([[WHOLE, { items: [], links: [], entries: [], exits: [] }]]);
    const visible = (id) => this.around(id).every((group) => !group || this.open.has(group));
    for (const { id } of this.groups) if (this.open.has(id) && visible(id)) content.set(id, { items: [], links: [], entries: [], exits: [] });
    for (const link of links) {
      const out = this.around(link.from);
      const into = this.around(link.to);
      const common = out.find((group) => into.includes(group));
      let from = link.from;
      for (const group of out.slice(0, out.indexOf(common))) {
        content.get(group).exits.push({ id: link.id, from });
        from = group;
      }
      let to = link.to;
      for (const group of into.slice(0, into.indexOf(common))) {
        content.get(group).entries.push({ id: link.id, to });
        to = group;
      }
      content.get(common).links.push({ id: link.id, from, to });
    }
    const laid = new Map();
    const sizes = new Map();
    const place = (id) => {
      const inside = content.get(id);
      const port = (item, link, side) => {
        const points = laid.get(item)?.routes.get(link);
        return points ? (side === "left" ? points[0].y : points.at(-1).y) + HEAD : null;
      };
      laid.set(id, arrange({ ...inside, port }));
    };
    for (const [box, home] of this.home) {
      const [w, h] = this.boxes[box].size ?? [160, 80];
      if (content.has(home)) content.get(home).items.push({ id: box, w, h });
    }
    for (const group of [...this.groups].reverse()) {
      if (!visible(group.id)) continue;
      if (content.has(group.id)) {
        place(group.id);
        const { w, h } = laid.get(group.id);
        sizes.set(group.id, { w: Math.max(w + 2 * AROUND, this.titleWidth(group)), h: h + HEAD + FOOT });
      } else {
        sizes.set(group.id, this.closedSize(group));
      }
      content.get(group.parent ?? WHOLE)?.items.push({ id: group.id, ...sizes.get(group.id) });
    }
    for (const inside of content.values()) inside.items.sort((one, other) => this.rank(one.id) - this.rank(other.id));
    place(WHOLE);
    return this.gathered(links, laid, sizes);
  }

  /** When a box or the first of a group was made: layouts begin with that order. */
  rank(id) {
    if (!this.order) {
      this.order = new Map(Object.keys(this.boxes).map((box, k) => [box, k]));
      for (const { id: group } of this.groups) this.order.set(group, Math.min(...this.inside.get(group).map((box) => this.order.get(box))));
    }
    return this.order.get(id);
  }

  gathered(links, laid, sizes) {
    const margin = 18;
    const origin = new Map([[WHOLE, { x: margin, y: margin }]]);
    const boxes = new Map();
    const groups = new Map();
    const placed = (id) => {
      const { x, y } = origin.get(id);
      for (const [item, at] of laid.get(id).at) {
        const corner = { x: x + at.x, y: y + at.y };
        if (!this.byId.has(item)) {
          boxes.set(item, corner);
          continue;
        }
        groups.set(item, { ...corner, ...sizes.get(item), open: laid.has(item) });
        if (laid.has(item)) {
          const spare = sizes.get(item).w - 2 * AROUND - laid.get(item).w;
          origin.set(item, { x: corner.x + AROUND + spare / 2, y: corner.y + HEAD });
        }
      }
    };
    placed(WHOLE);
    for (const { id } of this.groups) if (laid.has(id)) placed(id);
    const wires = links.map((link) => {
      const out = this.around(link.from);
      const into = this.around(link.to);
      const common = out.find((group) => into.includes(group));
      const through = [...out.slice(0, out.indexOf(common)), common, ...into.slice(0, into.indexOf(common)).reverse()];
      const points = through.flatMap((group) => {
        const { x, y } = origin.get(group);
        return laid.get(group).routes.get(link.id).map((point) => ({ x: x + point.x, y: y + point.y }));
      });
      return { ...link, points };
    });
    const whole = laid.get(WHOLE);
    return { width: whole.w + 2 * margin, height: whole.h + 2 * margin, boxes, groups, wires };
  }
}

/** A curve through points that leaves and arrives from left to right. */
export function curve(points) {
  const number = (value) => Math.round(value * 10) / 10;
  let path = `M${number(points[0].x)} ${number(points[0].y)}`;
  for (let k = 1; k < points.length; k += 1) {
    const [one, other] = [points[k - 1], points[k]];
    const bend = Math.max((other.x - one.x) / 2, 0);
    path += `C${number(one.x + bend)} ${number(one.y)} ${number(other.x - bend)} ${number(other.y)} ${number(other.x)} ${number(other.y)}`;
  }
  return path;
}

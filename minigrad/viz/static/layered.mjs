// Where boxes go: a layered layout, after Sugiyama, Tagawa and Toda ("Methods for visual understanding of hierarchical
// system structures", 1981). Boxes get a layer by the longest way that leads to them; an edge that passes layers gets a
// bend in each; the order within a layer follows the mean place of the neighbours, which leaves few crossings; then
// each box moves as near to its neighbours as the others allow. What is too long for its room is cut into bands that
// stand beside each other, as the columns of a newspaper do. Places are counted along the flow and across it, so that
// one text does both directions. Written twice: minigrad/viz/picture/layered.py does the same for still pictures, and a
// test holds the two together.

import {
  ARROWS,
  BEND_WEIGHT,
  BESIDE,
  BETTER,
  CROWDED,
  ENTRY,
  FREE_WEIGHT,
  GAP,
  GUTTER,
  LANE,
  LOOSE_WEIGHT,
  MOST_BANDS,
  NUMBERS_SEEN,
  PASSED,
  READABLE,
  SPREAD,
  SPREAD_LANES,
  SWEEPS,
  THREAD,
} from "./measures.mjs";

/**
 * How large something can be shown in a room {width, height}, at most as it is.
 * @param {{ width: number, height: number }} room
 * @param {{ width: number, height: number }} picture
 */
export function scaleIn(room, { width, height }) {
  return Math.min(1, room.width / Math.max(width, 1), room.height / Math.max(height, 1));
}

/**
 * The same, counting numbers that can be read, what a band more costs the reader, and each edge that has to be followed
 * to it: in the whole and in the open groups in it.
 */
export function worthIn(room, whole, inner = []) {
  const scale = scaleIn(room, whole);
  const costs = [whole, ...inner].reduce(
    (product, { bands, lanes }) => product * BETTER ** (bands - 1) * CROWDED ** lanes,
    1,
  );
  return (scale * (scale >= READABLE ? NUMBERS_SEEN : 1)) / costs;
}

/**
 * Place items in layers.
 *
 * items: [{id, w, h}] in the order in which they were made. links: [{id, from, to, flow}], without cycles; `from` is ""
 * where an edge comes in from outside, `to` where it goes out. room: {width, height, down}. port(item, link, side) says
 * how far from the item's edge, across the flow, the link meets its side "before" or "after"; null for no wish. Returns
 * {width, height, bands, lanes, at: id -> {x, y}, ways: link -> [{x, y, turns}]}.
 */
export function arrange({ items, links, room, port = () => null }) {
  const layers = inLayers(items, links);
  let best = null;
  for (let count = 1; count <= Math.min(MOST_BANDS, Math.max(Math.floor(layers.length / 2), 1)); count += 1) {
    const placed = new Bands({ items, links, layers, count, down: room.down, port }).arranged();
    if (best && worthIn(room, placed) <= worthIn(room, best)) break;
    best = placed;
    if (scaleIn(room, best) === 1) break;
  }
  return best;
}

function inLayers(items, links) {
  const inner = links.filter(({ from, to }) => from && to);
  const waits = new Map(items.map(({ id }) => [id, 0]));
  const targets = new Map(items.map(({ id }) => [id, []]));
  for (const { from, to } of inner) {
    waits.set(to, waits.get(to) + 1);
    targets.get(from).push(to);
  }
  const fixed = new Set(links.map(({ to }) => to));
  const entered = new Set(links.filter(({ from }) => !from).map(({ to }) => to));
  const layer = new Map(items.map(({ id }) => [id, 0]));
  const ready = [...waits.keys()].filter((id) => waits.get(id) === 0);
  for (const id of ready) {
    for (const to of targets.get(id)) {
      layer.set(to, Math.max(layer.get(to), layer.get(id) + 1));
      waits.set(to, waits.get(to) - 1);
      if (waits.get(to) === 0) ready.push(to);
    }
  }
  const held = new Map(items.map(({ id }) => [id, 0]));
  for (const { from, to } of inner)
    held.set(to, held.get(to) + Number(fixed.has(from) || new Set(targets.get(from)).size > 1));
  for (const id of [...ready].reverse()) {
    const after = targets.get(id);
    if (after.length && !entered.has(id) && held.get(id) <= after.length)
      layer.set(id, Math.min(...after.map((to) => layer.get(to))) - 1);
  }
  const rows = Array.from({ length: Math.max(0, ...layer.values()) + 1 }, () => []);
  for (const { id } of items) rows[layer.get(id)].push(id);
  return rows;
}

class Bands {
  constructor({ items, links, layers, count, down, port }) {
    this.links = links;
    this.down = down;
    this.port = port;
    this.used = new Set(links.map(({ to }) => to));
    this.sources = new Set(links.filter(({ to }) => to).map(({ from }) => from));
    const node = ({ id, w, h }) => ({
      id,
      long: down ? h : w,
      wide: down ? w : h,
      layer: 0,
      place: 0,
      middle: 0,
      before: [],
      after: [],
      outside: [],
    });
    this.nodes = new Map(items.map((item) => [item.id, node(item)]));
    this.rows = layers.map((row) => row.map((id) => this.nodes.get(id)));
    this.number();
    this.firsts = [0, ...this.cuts(count)];
    this.keepWeightsBesideTheirUse();
    this.bandOf = this.rows.map((_, layer) => this.firsts.filter((first) => first <= layer).length - 1);
    this.chains = new Map();
    for (const link of links) this.chain(link);
    this.surround();
    this.order();
    this.settle();
  }

  get gap() {
    return GAP[Number(this.down)];
  }

  number() {
    for (const [layer, row] of this.rows.entries()) for (const node of row) node.layer = layer;
  }

  // ---------------------------------------------------------------- bands

  cuts(count) {
    const ends = [0];
    for (const row of this.rows) ends.push(ends.at(-1) + longest(row) + this.gap);
    const passing = Array(this.rows.length + 1).fill(0);
    for (const { from, to } of this.links) {
      if (!this.used.has(from) || !from || !to) continue;
      for (let layer = this.nodes.get(from).layer + 1; layer <= this.nodes.get(to).layer; layer += 1)
        passing[layer] += 1;
    }
    const cuts = [];
    for (let number = 1; number < count; number += 1) {
      const ideal = (ends.at(-1) * number) / count;
      const cost = (layer) =>
        Math.abs(ends[layer] - ideal) +
        LANE * PASSED * passing[layer] +
        Math.max(0, ...this.moved(layer).map(({ long }) => long + this.gap));
      let best = (cuts.at(-1) ?? 0) + 1;
      for (let layer = best + 1; layer <= this.rows.length - (count - number); layer += 1)
        if (cost(layer) < cost(best)) best = layer;
      cuts.push(best);
    }
    return cuts;
  }

  /** What stands before a cut and is used first behind it, where it takes a layer of its own. */
  moved(cut) {
    const moved = this.rows[cut - 1].filter(({ id }) => !this.used.has(id) && this.sources.has(id));
    return moved.length < this.rows[cut - 1].length ? moved : [];
  }

  keepWeightsBesideTheirUse() {
    for (let number = 1; number < this.firsts.length; number += 1) {
      const cut = this.firsts[number];
      const moved = this.moved(cut);
      if (!moved.length) continue;
      this.rows[cut - 1] = this.rows[cut - 1].filter((node) => !moved.includes(node));
      this.rows.splice(cut, 0, moved);
      this.firsts = this.firsts.map((first, place) => first + Number(place > number));
      this.number();
    }
  }

  endOfBand(layer) {
    return (this.firsts.find((first) => first > layer) ?? this.rows.length) - 1;
  }

  // ---------------------------------------------------------------- edges

  chain({ id, from, to }) {
    const [source, target] = [this.nodes.get(from), this.nodes.get(to)];
    const first = source ? source.layer + 1 : this.firsts[this.bandOf[target.layer]];
    const last = target ? target.layer - 1 : this.endOfBand(source.layer);
    const bends = [];
    for (let layer = first; layer <= last; layer += 1) {
      bends.push({ bend: true, long: 0, wide: 0, layer, place: 0, middle: 0, before: [], after: [], outside: [] });
      this.rows[layer].push(bends.at(-1));
    }
    const whole = [source, ...bends, target].filter(Boolean);
    for (let k = 0; k + 1 < whole.length; k += 1) {
      whole[k].after.push({ node: whole[k + 1], id });
      whole[k + 1].before.push({ node: whole[k], id });
    }
    if (whole.length === 1 && target) target.outside.push(id);
    this.chains.set(id, whole);
  }

  // ---------------------------------------------------------------- the order in each layer

  surround() {
    for (const row of [...this.rows].reverse()) {
      const turns = new Map();
      const keys = new Map();
      row.forEach((node, k) => {
        const target = node.after[0]?.node;
        const shift = isLoose(node) ? (turns.get(target) ?? -1) : 0;
        if (isLoose(node)) turns.set(target, shift < 0 ? -shift : -shift - 1);
        keys.set(node, [target?.place ?? k, shift, k]);
      });
      row.sort((one, other) => ordered(keys.get(one), keys.get(other)));
      numbered(row);
    }
  }

  order() {
    let best = this.rows.map((row) => [...row]);
    let fewest = this.crossings();
    for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep += 1) {
      const back = sweep % 2 === 1;
      for (const row of back ? [...this.rows].reverse() : this.rows) {
        for (const node of row) {
          const ends = back ? node.after : node.before;
          node.weight = ends.length ? ends.reduce((sum, end) => sum + end.node.place, 0) / ends.length : node.place;
        }
        row.sort((one, other) => ordered([one.weight, one.place], [other.weight, other.place]));
        numbered(row);
      }
      const now = this.crossings();
      if (now < fewest) [best, fewest] = [this.rows.map((row) => [...row]), now];
    }
    this.rows = best;
    this.rows.forEach(numbered);
  }

  /** How many pairs of edges cross: inversions, counted while the far ends are put into order. */
  crossings() {
    let count = 0;
    for (const row of this.rows) {
      const sorted = [];
      for (const end of row.flatMap((node) =>
        node.after.map(({ node: far }) => far.place).sort((one, other) => one - other),
      )) {
        let low = 0;
        let high = sorted.length;
        while (low < high) {
          const middle = (low + high) >> 1;
          if (sorted[middle] <= end) low = middle + 1;
          else high = middle;
        }
        count += sorted.length - low;
        sorted.splice(low, 0, end);
      }
    }
    return count;
  }

  // ---------------------------------------------------------------- places across the flow

  settle() {
    for (const row of this.rows) {
      let middle = 0;
      row.forEach((node, k) => {
        middle += k ? this.apart(row[k - 1], node) : 0;
        node.middle = middle;
      });
    }
    for (let sweep = 0; sweep < 2 * SWEEPS; sweep += 1) {
      const back = sweep % 2 === 1;
      for (const row of back ? [...this.rows].reverse() : this.rows) {
        const wishes = row.map((node) => this.wish(node, back, sweep >= SWEEPS));
        for (const [k, middle] of this.pooled(row, wishes).entries()) row[k].middle = middle;
      }
    }
  }

  wish(node, back, both) {
    const ends = [];
    if (both || !back) for (const end of node.before) ends.push([end, "before", "after"]);
    if (both || back) for (const end of node.after) ends.push([end, "after", "before"]);
    let [sum, weights] = [0, 0];
    for (const [{ node: end, id }, side, far] of ends) {
      if (this.bandOf[end.layer] !== this.bandOf[node.layer]) continue;
      const shift = this.meets(node, id, side) - node.middle;
      // The bends of one edge line up, and pull little at its ends.
      const isOfOneKind = !isLoose(end) && node.bend === end.bend;
      const weight = isOfOneKind ? (node.bend ? BEND_WEIGHT : 1) : LOOSE_WEIGHT;
      sum += weight * (this.meets(end, id, far) - shift);
      weights += weight;
    }
    return weights ? [sum / weights, weights * (isLoose(node) ? LOOSE_WEIGHT : 1)] : [node.middle, FREE_WEIGHT];
  }

  meets(node, id, side) {
    const wish = node.bend ? null : this.port(node.id, id, side);
    return node.middle + (wish === null ? (this.down ? ENTRY * node.wide : 0) : wish - node.wide / 2);
  }

  apart(one, other) {
    return (one.wide + other.wide) / 2 + (one.bend || other.bend ? THREAD : BESIDE[Number(this.down)]);
  }

  /** Pool adjacent violators: the places nearest to the wishes, in least squares, that keep order and distance. */
  pooled(row, wishes) {
    const offsets = row.map(() => 0);
    for (let k = 1; k < row.length; k += 1) offsets[k] = offsets[k - 1] + this.apart(row[k - 1], row[k]);
    const blocks = [];
    wishes.forEach(([wish, weight], k) => {
      let block = { sum: (wish - offsets[k]) * weight, weight, count: 1 };
      while (blocks.length && blocks.at(-1).sum / blocks.at(-1).weight >= block.sum / block.weight) {
        const before = blocks.pop();
        block = {
          sum: before.sum + block.sum,
          weight: before.weight + block.weight,
          count: before.count + block.count,
        };
      }
      blocks.push(block);
    });
    return blocks
      .flatMap(({ sum, weight, count }) => Array(count).fill(sum / weight))
      .map((middle, k) => middle + offsets[k]);
  }

  // ---------------------------------------------------------------- the picture

  arranged() {
    const flows = this.flows();
    const crossing = this.crossing();
    const bands = this.firsts.map((first) => [first, this.endOfBand(first)]);
    const head = LANE * Math.max(0, ...crossing.map((lanes) => lanes.length)) + (bands.length > 1 ? GUTTER / 2 : 0);
    const starts = [];
    const ends = [];
    const lengths = [];
    const gutters = [];
    let side = 0;
    bands.forEach(([first, last], number) => {
      let along = head;
      for (let layer = first; layer <= last; layer += 1) {
        starts[layer] = along;
        ends[layer] = along + longest(this.rows[layer]);
        along = ends[layer] + flows[layer];
      }
      lengths.push(ends[last]);
      const nodes = this.rows.slice(first, last + 1).flat();
      const least = Math.min(...nodes.map(({ middle, wide }) => middle - wide / 2));
      const most = Math.max(...nodes.map(({ middle, wide }) => middle + wide / 2));
      for (const node of nodes) node.middle += side - least;
      side += nodes.length ? most - least : 0;
      gutters.push(side + GUTTER / 2);
      if (number < bands.length - 1) side += GUTTER + LANE * crossing[number].length;
    });
    const at = new Map();
    for (const node of this.nodes.values()) {
      at.set(node.id, this.point((starts[node.layer] + ends[node.layer] - node.long) / 2, node.middle - node.wide / 2));
    }
    const ways = new Map();
    for (const { id, to } of this.links)
      ways.set(id, this.way(id, to, { starts, ends, lengths, gutters, crossing, head }));
    const size = this.point(Math.max(0, ...lengths) + (bands.length > 1 ? head : 0), side);
    const lanes = crossing.reduce((sum, edges) => sum + Math.max(edges.length - 1, 0), 0);
    return { width: size.x, height: size.y, bands: bands.length, lanes, at, ways };
  }

  way(id, to, { starts, ends, lengths, gutters, crossing, head }) {
    const points = [];
    this.chains.get(id).forEach((node, k, chain) => {
      const number = k ? this.bandOf[chain[k - 1].layer] : this.bandOf[node.layer];
      if (number !== this.bandOf[node.layer]) {
        const lane = LANE * crossing[number].findIndex((one) => one.id === id && one.node === chain[k - 1]);
        const [out, into] = [lengths[number] + GUTTER / 2 + lane, head - GUTTER / 2 - lane];
        const corner = gutters[number] + lane;
        const left = this.down ? points.at(-1).x : points.at(-1).y;
        const turns = [
          [out, left],
          [out, corner],
          [into, corner],
          [into, this.end(node, id, "before")],
        ];
        for (const [along, across] of turns) points.push({ ...this.point(along, across), turns: true });
      }
      const [start, end] = [starts[node.layer], ends[node.layer]];
      if (node.bend) for (const along of new Set([start, end])) points.push(this.point(along, node.middle));
      else if (node.id === to) points.push(this.point((start + end - node.long) / 2, this.end(node, id, "before")));
      else points.push(this.point((start + end + node.long) / 2, this.end(node, id, "after")));
    });
    return points;
  }

  flows() {
    const gaps = this.rows.map(() => this.gap);
    for (const { id, from, flow = 0 } of this.links) {
      const source = this.nodes.get(from);
      if (!this.down && source && this.chains.get(id).length === 2)
        gaps[source.layer] = Math.max(gaps[source.layer], flow + ARROWS);
    }
    return gaps;
  }

  crossing() {
    const found = this.firsts.map(() => []);
    for (const [id, chain] of this.chains) {
      for (let k = 1; k < chain.length; k += 1) {
        const band = this.bandOf[chain[k - 1].layer];
        if (band !== this.bandOf[chain[k].layer])
          found[band].push({ id, node: chain[k - 1], middle: chain[k - 1].middle });
      }
    }
    for (const lanes of found) lanes.sort((one, other) => other.middle - one.middle);
    return found;
  }

  /**
   * Where across the flow an edge meets a node: those that come in are spread out, those that go out share one place.
   */
  end(node, id, side) {
    const meets = this.meets(node, id, side);
    if (node.bend || side === "after" || this.port(node.id, id, side) !== null) return meets;
    const ends = [...node.before].sort((one, other) =>
      ordered([this.bandOf[one.node.layer], one.node.middle], [this.bandOf[other.node.layer], other.node.middle]),
    );
    const links = [...node.outside, ...ends.map((end) => end.id)];
    const most = SPREAD[Number(this.down)] * node.wide;
    const spread = this.down ? Math.min(most, LANE * SPREAD_LANES * links.length) : most;
    return meets + spread * ((links.indexOf(id) + 1) / (links.length + 1) - 0.5);
  }

  point(along, across) {
    const [x, y] = this.down ? [across, along] : [along, across];
    return { x: Math.round(x * 100) / 100, y: Math.round(y * 100) / 100 };
  }
}

/** Nothing leads to it: a weight, which goes where its use is. */
function isLoose(node) {
  return !node.bend && node.before.length === 0 && node.outside.length === 0 && node.after.length > 0;
}

function longest(row) {
  return Math.max(0, ...row.map(({ long }) => long));
}

function numbered(row) {
  for (const [place, node] of row.entries()) node.place = place;
}

function ordered(one, other) {
  for (let k = 0; k < one.length; k += 1) if (one[k] !== other[k]) return one[k] - other[k];
  return 0;
}

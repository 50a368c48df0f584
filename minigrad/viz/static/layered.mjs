// Where boxes go: a layered layout, after Sugiyama, Tagawa and Toda ("Methods for visual understanding of hierarchical
// system structures", 1981). Boxes get a layer by the longest way that leads to them; an edge that passes layers gets a
// bend in each, and what is made of the same is level; the order within a layer follows the mean place of the
// neighbours, which leaves few crossings, and where that leaves a choice, the order of making; then each box moves as
// near to its neighbours as the others allow. Layers follow each other from top to bottom, however
// many there are: a picture that is longer than its window is scrolled. Written twice:
// minigrad/viz/picture/layered.py does the same for still pictures, and a test holds the two together.

import {
  BEND_WEIGHT,
  BESIDE,
  ENTRY,
  FREE_WEIGHT,
  GAP,
  LANE,
  LOOSE_WEIGHT,
  MOST_APART,
  MOST_EXCHANGES,
  MOST_ORDERED_TWICE,
  SHARED,
  SPREAD,
  SPREAD_LANES,
  SWEEPS,
  THREAD,
} from "./measures.mjs";

const BOTH_ENDS = ["before", "after"];
const [BEFORE, AFTER] = BOTH_ENDS.map((side) => [side]);

/**
 * Place items in layers.
 *
 * items: [{id, w, h}] in the order in which they were made. links: [{id, from, to, trunk}], without cycles; `from` is ""
 * where an edge comes in from above, `to` where it goes out below; those with one `trunk` come from one place, and run
 * together as long as they can. port(item, link, side) says how far from the item's left edge the link meets its side
 * "before" or "after"; null for no wish. beyond(link, side) says how far from the left the link comes from that is "" at
 * that side, or goes to; null where that is not known. gap: between layers. isFree: the order within a layer does not ask
 * `port`. Returns {width, height, at: id -> {x, y}, ways: link -> [{x, y}], worth: [crossings, pairs that stand against the
 * order of making]}.
 */
export function arrange({ items, links, port = noWish, beyond = noWish, gap = GAP, isFree = false }) {
  return new Layers({ items, links, port, beyond, isFree }).arrange(gap);
}

/**
 * @param {...string} _asked
 * @returns {number | null}
 */
function noWish(..._asked) {
  return null;
}

function inLayers(items, links) {
  const inner = links.filter(({ from, to }) => from && to);
  const waits = new Map(items.map(({ id }) => [id, 0]));
  const targets = new Map(items.map(({ id }) => [id, []]));
  for (const { from, to } of inner) {
    waits.set(to, waits.get(to) + 1);
    targets.get(from).push(to);
  }
  const sources = new Map(items.map(({ id }) => [id, new Set()]));
  for (const { from, to, trunk } of links) sources.get(to)?.add(from || trunk);
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
  const uses = new Map([...targets].map(([id, after]) => [id, new Set(after).size]));
  const cost = new Map(items.map(({ id }) => [id, 0])); // by how much edges above an item grow, where it moves by a layer
  for (const id of ready) {
    // It comes along, where that costs less than the edge from it; or the trunk from it is long for the others' sake, too.
    const alone = uses.get(id) === 1 && !entered.has(id);
    const share = alone ? cost.get(id) : (sources.get(id).size ? SHARED : 1) / Math.max(uses.get(id), 1);
    for (const to of new Set(targets.get(id))) cost.set(to, cost.get(to) + Math.min(1, share));
  }
  const isLeaf = (id) => sources.get(id)?.size === 0;
  const alike = new Map(); // what they are made of -> those that are, with the best layer for each
  for (const id of [...ready].reverse()) {
    const after = new Set(targets.get(id));
    if (after.size && !entered.has(id) && cost.get(id) <= after.size)
      layer.set(id, Math.min(...[...after].map((to) => layer.get(to))) - 1);
    // Two layers of one hidden value are alike, whatever weights are each one's own.
    const all = sources.get(id);
    const shared = [...all].filter((one) => !isLeaf(one) || uses.get(one) > 1);
    const isSign = !shared.every(isLeaf) || (all.size > 0 && shared.length === all.size);
    const sign = isSign ? shared.sort().join(" ") : `= ${id}`;
    const own = (alike.get(sign) ?? new Map()).set(id, layer.get(id));
    alike.set(sign, own);
    const level = Math.min(...own.values()); // below all that they are made of, which comes later here
    const apart = [...own.values()].map((one) => one - level);
    const isNear = apart.reduce((sum, one) => sum + one) <= MOST_APART * Math.max(...apart);
    for (const [one, best] of own) layer.set(one, isNear ? level : best);
  }
  const rows = Array.from({ length: Math.max(0, ...layer.values()) + 1 }, () => []);
  for (const { id } of items) rows[layer.get(id)].push(id);
  return rows;
}

class Layers {
  constructor({ items, links, port, beyond, isFree }) {
    this.links = links;
    this.port = port;
    this.isFree = isFree;
    this.nodes = new Map(items.map(({ id, w, h }, made) => [id, { ...bendIn(0), bend: false, id, w, h, made }]));
    this.rows = inLayers(items, links).map((row) => row.map((id) => this.nodes.get(id)));
    for (const [layer, row] of this.rows.entries()) for (const one of row) one.layer = layer;
    this.gates = { before: [], after: [] };
    this.chains = new Map();
    const bends = new Map();
    for (const link of links) this.chain(link, bends, beyond);
    this.surround();
    this.order();
    this.settle();
  }

  // ---------------------------------------------------------------- edges

  /** Put a bend into each layer that an edge passes, unless one of its trunk is there. */
  chain({ id, from, to, trunk = id }, bends, beyond) {
    const [source, target] = [this.nodes.get(from), this.nodes.get(to)];
    const first = source ? source.layer + 1 : 0;
    const last = target ? target.layer - 1 : this.rows.length - 1;
    const whole = source ? [source] : [];
    for (let layer = first; layer <= last; layer += 1) {
      const key = `${layer} ${trunk}`;
      if (!bends.has(key)) {
        bends.set(key, bendIn(layer));
        this.rows[layer].push(bends.get(key));
      }
      whole.push(bends.get(key));
    }
    if (target) whole.push(target);
    this.chains.set(id, whole);
    const gate = (side) => {
      const there = { ...bendIn(0), isGate: true, beyond: beyond(id, side) };
      this.gates[side].push(there);
      return there;
    };
    const ends = [...(source ? [] : [gate("before")]), ...whole, ...(target ? [] : [gate("after")])];
    for (let k = 0; k + 1 < ends.length; k += 1) {
      const [one, other] = [ends[k], ends[k + 1]];
      if (other.bend && one.after.some(({ node }) => node === other)) continue; // the trunk's
      const [leaves, enters] = [this.part(one, id, "after"), this.part(other, id, "before")];
      one.after.push({ node: other, id, own: leaves, far: enters });
      other.before.push({ node: one, id, own: enters, far: leaves });
    }
  }

  /** How far to the right a link meets a node, where that is known: a part of its width. */
  part(node, id, side) {
    const wish = node.bend || node.isGate || this.isFree ? null : this.port(node.id, id, side);
    return wish === null ? 0.5 : wish / node.w;
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
        keys.set(node, [target?.isGate ? k : (target?.place ?? k), shift, k]);
      });
      row.sort((one, other) => compare(keys.get(one), keys.get(other)));
      placeInOrder(row);
    }
  }

  /**
   * Barycentre ordering, to and fro, each time with exchanges of neighbours: from the order that `surround` leaves, from
   * one in which edges pass layers beside all boxes, and from the order of making. At last two boxes that stand against
   * that change places, and what is above and below them follows. The order with the fewest crossings is kept, of those the
   * one that is nearest to the order of making.
   */
  order() {
    const [above, below] = ["before", "after"].map((side) => this.gates[side]);
    for (const gates of [above, below]) placeInOrder(gates.sort((one, other) => one.beyond - other.beyond));
    const rows = [above, ...this.rows, below];
    const free = rows.filter((row) => row.every(({ beyond = null }) => beyond === null));
    const put = (order) => {
      for (const [k, row] of rows.entries()) {
        row.splice(0, row.length, ...order[k]);
        placeInOrder(row);
      }
    };
    const sortBy = (side, some, way = 1) => {
      for (const row of some) {
        for (const node of row) {
          const ends = node[side];
          node.weight = ends.length ? ends.reduce((sum, end) => sum + farPlace(end), 0) / ends.length : node.place;
        }
        row.sort((one, other) => one.weight - other.weight || way * (one.place - other.place));
        placeInOrder(row);
      }
    };
    let best = rows.map((row) => [...row]);
    this.worth = worthOf(rows);
    const keepBetter = () => {
      free.forEach(exchange);
      const worth = worthOf(rows);
      if (compare(worth, this.worth) < 0) [best, this.worth] = [rows.map((row) => [...row]), worth];
    };
    const starts = [best];
    const few = rows.flat().length <= MOST_ORDERED_TWICE;
    const rowsBy = (key) => rows.map((row) => [...row].sort((one, other) => key(one) - key(other)));
    if (few)
      starts.push(
        rowsBy(({ bend }) => Number(bend)),
        rowsBy(({ made }) => made),
      );
    for (const start of starts)
      for (let sweep = 0; sweep < SWEEPS && this.worth.some(Boolean); sweep += 1) {
        if (sweep === 0) put(start);
        // Of those with one mean now these go first and now those: so an order is left that no exchange betters.
        const way = sweep % 4 >= 2 ? -1 : 1;
        if (sweep % 2) sortBy("after", [...free].reverse(), way);
        else sortBy("before", free, way);
        keepBetter();
      }
    for (const [k, row] of few ? free.entries() : []) {
      put(best);
      const own = row.filter(isOrdered);
      for (const [j, other] of own.slice(1).entries()) {
        const one = own[j];
        if (one.made < other.made) continue;
        put(best);
        [row[one.place], row[other.place]] = [other, one];
        placeInOrder(row);
        sortBy("before", free.slice(k + 1));
        sortBy("after", free.slice(0, k).reverse());
        keepBetter();
      }
    }
    best.forEach(placeInOrder);
    this.rows = best.slice(1, -1);
  }

  // ---------------------------------------------------------------- places from left to right

  settle() {
    for (const row of this.rows) {
      let middle = 0;
      row.forEach((node, k) => {
        middle += k ? this.apart(row[k - 1], node) : 0;
        node.middle = middle;
      });
    }
    const settle = (row, wishes) => {
      for (const [k, middle] of this.poolViolators(row, wishes).entries()) row[k].middle = middle;
    };
    for (let sweep = 0; sweep < 2 * SWEEPS; sweep += 1) {
      const back = sweep % 2 === 1;
      for (const row of back ? [...this.rows].reverse() : this.rows)
        settle(
          row,
          row.map((node) => this.wish(node, back, sweep >= SWEEPS)),
        );
    }
    // At last what is made stands below what it is made of, so that a chain is straight; and what is used above its use.
    for (const row of this.rows)
      settle(
        row,
        row.map((node) => (isLoose(node) ? [node.middle, FREE_WEIGHT] : this.wish(node, false, false))),
      );
    for (const row of [...this.rows].reverse())
      settle(
        row,
        row.map((node) => (isLoose(node) ? this.wish(node, true, false) : [node.middle, 1])),
      );
  }

  wish(node, back, both) {
    const shared = isLoose(node) ? LOOSE_WEIGHT : 1;
    let [sum, weights] = [0, 0];
    for (const side of both ? BOTH_ENDS : back ? AFTER : BEFORE) {
      const far = side === "before" ? "after" : "before";
      for (const { node: end, id } of node[side]) {
        if (end.isGate) continue;
        const shift = this.meets(node, id, side) - node.middle;
        // The bends of one edge line up, and pull little at its ends.
        const isOfOneKind = !isLoose(end) && node.bend === end.bend;
        const weight = isOfOneKind ? (node.bend ? BEND_WEIGHT : 1) : LOOSE_WEIGHT;
        sum += weight * (this.meets(end, id, far) - shift);
        weights += weight;
      }
    }
    return weights ? [sum / weights, weights * shared] : [node.middle, FREE_WEIGHT];
  }

  meets(node, id, side) {
    const wish = node.bend ? null : this.port(node.id, id, side);
    return node.middle + (wish === null ? ENTRY * node.w : wish - node.w / 2);
  }

  apart(one, other) {
    return (one.w + other.w) / 2 + (one.bend || other.bend ? THREAD : BESIDE);
  }

  /** Pool adjacent violators: the places nearest to the wishes, in least squares, that keep order and distance. */
  poolViolators(row, wishes) {
    const [offsets, sums, weights, counts] = [[], [], [], []]; // of the row; and of blocks that move as one
    for (const [k, node] of row.entries()) {
      offsets.push(k ? offsets[k - 1] + this.apart(row[k - 1], node) : 0);
      let [sum, weight, count] = [(wishes[k][0] - offsets[k]) * wishes[k][1], wishes[k][1], 1];
      while (sums.length && sums.at(-1) / weights.at(-1) >= sum / weight) {
        sum += sums.pop();
        weight += weights.pop();
        count += counts.pop();
      }
      sums.push(sum);
      weights.push(weight);
      counts.push(count);
    }
    const middles = [];
    for (const [block, sum] of sums.entries())
      for (let k = 0; k < counts[block]; k += 1) middles.push(sum / weights[block] + offsets[middles.length]);
    return middles;
  }

  // ---------------------------------------------------------------- the picture

  arrange(gap) {
    const [tops, bottoms] = [[], []];
    for (const row of this.rows) {
      tops.push(bottoms.length ? bottoms.at(-1) + gap : 0);
      bottoms.push(tops.at(-1) + Math.max(0, ...row.map(({ h }) => h)));
    }
    const nodes = this.rows.flat();
    const left = Math.min(...nodes.map(({ middle, w }) => middle - w / 2));
    for (const node of nodes) node.middle -= left;
    const at = new Map();
    for (const { id, layer, middle, w, h } of this.nodes.values())
      at.set(id, point(middle - w / 2, (tops[layer] + bottoms[layer] - h) / 2));
    const ways = new Map(this.links.map(({ id, to }) => [id, this.way(id, to, tops, bottoms)]));
    const width = Math.max(0, ...nodes.map(({ middle, w }) => middle + w / 2));
    return { width: hundredth(width), height: hundredth(bottoms.at(-1) ?? 0), at, ways, worth: this.worth };
  }

  way(id, to, tops, bottoms) {
    return this.chains.get(id).flatMap((node) => {
      const [top, bottom] = [tops[node.layer], bottoms[node.layer]];
      if (node.bend) return unlike([top, bottom]).map((y) => point(node.middle, y));
      // Where a taller neighbour stands, an edge leaves the layer before it turns.
      const half = node.h / 2;
      const middle = (top + bottom) / 2;
      if (node.id === to) {
        const x = this.end(node, id, "before");
        return unlike([top, middle - half]).map((y) => point(x, y));
      }
      const x = this.end(node, id, "after");
      return unlike([middle + half, bottom]).map((y) => point(x, y));
    });
  }

  /** Where an edge meets a node, from the left: those that come in are spread out, those that go out share one place. */
  end(node, id, side) {
    const meets = this.meets(node, id, side);
    if (node.bend || side === "after" || this.port(node.id, id, side) !== null) return meets;
    const from = ({ node: end }) => (end.isGate ? end.place : end.middle); // all of them are gates, or none is
    const links = [...node.before].sort((one, other) => from(one) - from(other)).map((end) => end.id);
    const spread = Math.min(SPREAD * node.w, LANE * SPREAD_LANES * links.length);
    return meets + spread * ((links.indexOf(id) + 1) / (links.length + 1) - 0.5);
  }
}

function point(x, y) {
  return { x: hundredth(x), y: hundredth(y) };
}

/** Values, without one that is that before it. */
function unlike(values) {
  return values.filter((value, k) => k === 0 || Math.abs(value - values[k - 1]) > 0.5);
}

function hundredth(value) {
  return Math.round(value * 100) / 100;
}

/** A bend, or what an item has beside its size. */
function bendIn(layer) {
  return { bend: true, w: 0, h: 0, layer, place: 0, middle: 0, before: [], after: [], made: Infinity };
}

/** Nothing leads to it: a weight, which goes where its use is. */
function isLoose(node) {
  return !node.bend && node.before.length === 0 && node.after.length > 0;
}

const farPlace = ({ node, far }) => node.place + far;

const isOrdered = (node) => node.made < Infinity && !isLoose(node);

/** How many pairs of edges cross; and how many boxes stand against the order of making, but for what goes where its use is. */
function worthOf(rows) {
  const byPlace = (one, other) => one.own - other.own || farPlace(one) - farPlace(other);
  let [crossings, turned] = [0, 0];
  for (const row of rows) {
    const [ends, made] = [[], []];
    for (const node of row) {
      const { after } = node;
      for (const end of after.length > 1 ? [...after].sort(byPlace) : after) ends.push(farPlace(end));
      if (isOrdered(node)) made.push(node.made);
    }
    crossings += inversions(ends);
    turned += inversions(made);
  }
  return [crossings, turned];
}

/** How many pairs of numbers are not in order, counted while they are put into it. */
function inversions(numbers) {
  let count = 0;
  for (let k = 1; k < numbers.length; k += 1) {
    const number = numbers[k];
    let place = k;
    for (; place > 0 && numbers[place - 1] > number; place -= 1) numbers[place] = numbers[place - 1];
    numbers[place] = number;
    count += k - place;
  }
  return count;
}

/** Neighbours in a layer change places as long as fewer edges cross by that. */
function exchange(row) {
  for (let k = 0, tries = 0; k + 1 < row.length && tries < MOST_EXCHANGES * row.length; tries += 1) {
    const [one, other] = [row[k], row[k + 1]];
    if (crossingsOf(one, other) <= crossingsOf(other, one)) {
      k += 1;
      continue;
    }
    [row[k], row[k + 1]] = [other, one];
    [one.place, other.place] = [k + 1, k];
    k = Math.max(k - 1, 0);
  }
}

/** How many edges of two neighbours in a layer cross, as long as one stands left of the other. */
function crossingsOf(one, other) {
  let count = 0;
  for (const side of ["before", "after"])
    for (const left of one[side]) for (const right of other[side]) count += Number(farPlace(left) > farPlace(right));
  return count;
}

function placeInOrder(row) {
  for (const [place, node] of row.entries()) node.place = place;
}

/** Which of two lists of numbers comes first: below 0 for the one. */
export function compare(one, other) {
  for (let k = 0; k < one.length; k += 1) if (one[k] !== other[k]) return one[k] - other[k];
  return 0;
}

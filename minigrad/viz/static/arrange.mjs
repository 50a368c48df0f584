// Where boxes go when a module is opened or closed: a layered layout, after Sugiyama, Tagawa and Toda
// ("Methods for visual understanding of hierarchical system structures", 1981): boxes get a layer by the longest way that leads to them; an
// edge that passes layers gets a bend in each; the order within a layer follows the mean place of the neighbours, which leaves few
// crossings; then each box moves as near to its neighbours as the others allow. No picture of the whole graph in every state could be sent
// along, so this runs in the page; the first picture of a small graph is laid out by Graphviz, in Python.

const BESIDE = 42; // pixels between boxes of one layer: room for the signs below the one and the flag above the other
const THREAD = 12; // and beside the bend of an edge that passes
const GAP = 114; // pixels between layers: room for what flows along an edge
const SWEEPS = 10;

/**
 * Place items in layers from left to right.
 *
 * items: [{id, w, h}] in the order in which they were made. links: [{id, from, to}] between them, without cycles. entries: [{id, to}] come in
 * from the left side, exits: [{id, from}] go out to the right. port(item, link, side) is the height, from the item's upper edge, at which
 * the link meets its "left" or "right" side, or null for no wish. Returns {w, h, at: id -> {x, y}, routes: link -> points}.
 */
export function arrange({ items, links, entries = [], exits = [], port = () => null, gap = GAP }) {
  const nodes = new Map(items.map((item) => [item.id, { ...item, left: [], right: [], layer: 0, y: 0 }]));
  layer(nodes, links, entries);
  const depth = Math.max(0, ...[...nodes.values()].map((node) => node.layer));
  const layers = Array.from({ length: depth + 1 }, () => []);
  for (const node of nodes.values()) layers[node.layer].push(node);
  const chains = new Map();
  const bend = (at) => {
    const thread = { thread: true, w: 0, h: 0, left: [], right: [], layer: at, y: 0 };
    layers[at].push(thread);
    return thread;
  };
  const chain = (id, from, to, first, last) => {
    const passed = [];
    for (let at = first; at <= last; at += 1) passed.push(bend(at));
    const whole = [...(from ? [from] : []), ...passed, ...(to ? [to] : [])];
    for (let k = 0; k + 1 < whole.length; k += 1) {
      whole[k].right.push({ node: whole[k + 1], id });
      whole[k + 1].left.push({ node: whole[k], id });
    }
    chains.set(id, { from, to, passed });
  };
  for (const { id, from, to } of links) chain(id, nodes.get(from), nodes.get(to), nodes.get(from).layer + 1, nodes.get(to).layer - 1);
  for (const { id, to } of entries) chain(id, null, nodes.get(to), 0, nodes.get(to).layer - 1);
  for (const { id, from } of exits) chain(id, nodes.get(from), null, nodes.get(from).layer + 1, depth);
  surround(layers);
  order(layers);
  settle(layers, port);
  return measured(layers, chains, port, gap);
}

/** Each item stands right of all that leads to it, and as near to what it leads to as that allows. */
function layer(nodes, links, entries) {
  const into = new Map([...nodes.keys()].map((id) => [id, 0]));
  const out = new Map([...nodes.keys()].map((id) => [id, []]));
  for (const { from, to } of links) {
    into.set(to, into.get(to) + 1);
    out.get(from).push(to);
  }
  const fixed = new Set([...entries.map(({ to }) => to), ...links.map(({ to }) => to)]);
  const ready = [...nodes.keys()].filter((id) => into.get(id) === 0);
  for (const id of ready) {
    for (const next of out.get(id)) {
      nodes.get(next).layer = Math.max(nodes.get(next).layer, nodes.get(id).layer + 1);
      into.set(next, into.get(next) - 1);
      if (into.get(next) === 0) ready.push(next);
    }
  }
  for (const id of nodes.keys()) {
    const next = out.get(id).map((to) => nodes.get(to).layer);
    if (!fixed.has(id) && next.length) nodes.get(id).layer = Math.min(...next) - 1; // a weight stands beside what uses it
  }
}

/** Nothing leads to it: a weight, which goes where its use is. */
function loose(node) {
  return !node.thread && node.left.length === 0 && node.right.length > 0;
}

/** What is used stands around the way of the data: by turns above and below it. So the way goes straight on. */
function surround(layers) {
  for (const row of [...layers].reverse()) {
    const turns = new Map();
    row.forEach((node, k) => {
      const target = node.right[0]?.node;
      const shift = loose(node) ? (turns.get(target) ?? -1) : 0;
      if (loose(node)) turns.set(target, shift < 0 ? -shift : -shift - 1);
      node.key = [target?.place ?? k, shift, k];
    });
    row.sort((one, other) => one.key[0] - other.key[0] || one.key[1] - other.key[1] || one.key[2] - other.key[2]);
    row.forEach((node, place) => Object.assign(node, { place }));
  }
}

/** Sort each layer by the mean place of its neighbours, to and fro, and keep the order with the fewest crossings. */
function order(layers) {
  const number = () => layers.forEach((row) => row.forEach((node, place) => Object.assign(node, { place })));
  number();
  let best = { crossings: crossings(layers), rows: layers.map((row) => [...row]) };
  for (let sweep = 0; sweep < SWEEPS && best.crossings > 0; sweep += 1) {
    const side = sweep % 2 ? "right" : "left";
    const walk = sweep % 2 ? [...layers].reverse() : layers;
    for (const row of walk) {
      for (const node of row) {
        const places = node[side].map((end) => end.node.place);
        node.weight = places.length ? places.reduce((sum, place) => sum + place, 0) / places.length : node.place;
      }
      row.sort((one, other) => one.weight - other.weight || one.place - other.place);
      row.forEach((node, place) => Object.assign(node, { place }));
    }
    const now = crossings(layers);
    if (now < best.crossings) best = { crossings: now, rows: layers.map((row) => [...row]) };
  }
  layers.forEach((row, k) => row.splice(0, row.length, ...best.rows[k]));
  number();
}

/** How many pairs of edges cross: inversions, counted while the right ends are put into order. */
function crossings(layers) {
  let count = 0;
  for (const row of layers) {
    const ends = row.flatMap((node) => node.right.map((end) => end.node.place).sort((one, other) => one - other));
    const sorted = [];
    for (const end of ends) {
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

/** Heights: every layer in turn takes the place that its neighbours wish for. `y` is the middle of a node. */
function settle(layers, port) {
  for (const row of layers) {
    let y = 0;
    row.forEach((node, k) => {
      y += k ? apart(row[k - 1], node) : 0;
      node.y = y;
    });
  }
  const height = (node, id, side) => {
    const wish = node.thread ? null : port(node.id, id, side);
    return wish === null ? node.y : node.y - node.h / 2 + wish;
  };
  for (let sweep = 0; sweep < 2 * SWEEPS; sweep += 1) {
    const side = sweep % 2 ? "right" : "left";
    const walk = sweep % 2 ? [...layers].reverse() : layers;
    for (const row of walk) {
      const wishes = row.map((node) => {
        const ends = sweep < SWEEPS ? node[side] : [...node.left, ...node.right];
        if (!ends.length) return [node.y, 0.1];
        const facing = (end) => (node.left.includes(end) ? "left" : "right");
        let [sum, weights] = [0, 0];
        for (const end of ends) {
          const own = facing(end);
          const shift = height(node, end.id, own) - node.y; // where on this node the edge begins
          const weight = loose(end.node) ? 0.02 : node.thread && end.node.thread ? 4 : 1; // bends of one edge line up
          sum += weight * (height(end.node, end.id, own === "left" ? "right" : "left") - shift);
          weights += weight;
        }
        return [sum / weights, loose(node) ? 0.02 * weights : weights];
      });
      pooled(row, wishes).forEach((y, k) => Object.assign(row[k], { y }));
    }
  }
}

/** How far apart the middles of two neighbours in a layer have to be. */
function apart(one, other) {
  return (one.h + other.h) / 2 + (one.thread || other.thread ? THREAD : BESIDE);
}

/** The places nearest to the wishes (in least squares) that keep order and distance: neighbours that want to overlap move as one. */
function pooled(row, wishes) {
  const offsets = row.map(() => 0);
  for (let k = 1; k < row.length; k += 1) offsets[k] = offsets[k - 1] + apart(row[k - 1], row[k]);
  const blocks = [];
  wishes.forEach(([wish, weight], k) => {
    let block = { sum: (wish - offsets[k]) * weight, weight, count: 1 };
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).weight >= block.sum / block.weight) {
      const before = blocks.pop();
      block = { sum: before.sum + block.sum, weight: before.weight + block.weight, count: before.count + block.count };
    }
    blocks.push(block);
  });
  const places = blocks.flatMap((block) => Array(block.count).fill(block.sum / block.weight));
  return places.map((place, k) => place + offsets[k]);
}

function measured(layers, chains, port, gap) {
  const all = layers.flat();
  const top = Math.min(0, ...all.map((node) => node.y - node.h / 2));
  const lefts = [];
  let x = 0;
  for (const row of layers) {
    lefts.push(x);
    x += Math.max(0, ...row.map((node) => node.w)) + gap;
  }
  const widths = layers.map((row) => Math.max(0, ...row.map((node) => node.w)));
  const w = Math.max(0, x - gap);
  const h = Math.max(0, ...all.map((node) => node.y + node.h / 2 - top));
  const at = new Map();
  const left = (node) => lefts[node.layer] + (widths[node.layer] - node.w) / 2;
  for (const node of all) if (!node.thread) at.set(node.id, { x: left(node), y: node.y - node.h / 2 - top });
  const routes = new Map();
  for (const [id, { from, to, passed }] of chains) {
    const points = [];
    if (from) points.push({ x: left(from) + from.w, y: from.y - top + offset(from, id, "right", port) });
    for (const node of passed) {
      points.push({ x: lefts[node.layer], y: node.y - top });
      if (widths[node.layer]) points.push({ x: lefts[node.layer] + widths[node.layer], y: node.y - top });
    }
    if (to) points.push({ x: left(to), y: to.y - top + offset(to, id, "left", port) });
    routes.set(id, points);
  }
  return { w, h, at, routes };
}

/** From the middle of a box to the place where an edge meets its side: those that come in are spread out, those that go out share one. */
function offset(node, id, side, port) {
  const wish = port(node.id, id, side);
  if (wish !== null) return wish - node.h / 2;
  if (side === "right") return 0;
  const ends = [...node.left].sort((one, other) => one.node.y - other.node.y);
  return node.h * 0.64 * ((ends.findIndex((end) => end.id === id) + 1) / (ends.length + 1) - 0.5);
}

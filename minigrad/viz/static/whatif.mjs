// What a page without a kernel computes itself: a small graph of elementwise operations, products of matrices and sums, with other numbers in
// its leaves, forward and backward, in double precision. `picture.program` holds the graph (page/program.py writes it). What comes out is what
// the kernel would send: frames in the place of the recorded ones, without the middle part of the formulas.

/** @import { Frame, PictureData, Program, Row, StepCells, Tensor } from "./model.d.ts" */

const square = (x) => x * x;
/** @typedef {[Tensor, (g: Tensor) => Tensor[]]} Computed a result, and what takes a gradient back to the inputs */

// name: [the function, its slope, of input, result and the row]
/** @type {Record<string, [(x: number, row: Row) => number, (x: number, y: number, row: Row) => number]>} */
const ONE = {
  neg: [(x) => -x, () => -1],
  exp: [Math.exp, (_x, y) => y],
  log: [Math.log, (x) => 1 / x],
  sin: [Math.sin, Math.cos],
  cos: [Math.cos, (x) => -Math.sin(x)],
  tanh: [Math.tanh, (_x, y) => 1 - y * y],
  sigmoid: [(x) => 1 / (1 + Math.exp(-x)), (_x, y) => y * (1 - y)],
  // biome-ignore lint/complexity/useMathMinMax: -0 stays -0, as in the kernel
  relu: [(x) => (x < 0 ? 0 : x), (x) => Number(x > 0)],
  sqrt: [Math.sqrt, (_x, y) => 0.5 / y],
  abs: [Math.abs, Math.sign],
  reciprocal: [(x) => 1 / x, (_x, y) => -y * y],
  pow_number: [
    (x, { exponent }) => x ** exponent,
    (x, _y, { exponent }) => (exponent ? exponent * x ** (exponent - 1) : 0),
  ],
};
// name: [the function of two numbers, its slope by the first, by the second]
/** @typedef {(a: number, b: number) => number} OfTwo */
/** @type {Record<string, [OfTwo, OfTwo, OfTwo]>} */
const TWO = {
  add: [(a, b) => a + b, () => 1, () => 1],
  sub: [(a, b) => a - b, () => 1, () => -1],
  rsub: [(a, b) => b - a, () => -1, () => 1],
  mul: [(a, b) => a * b, (_a, b) => b, (a) => a],
  div: [(a, b) => a / b, (_a, b) => 1 / b, (a, b) => -a / (b * b)],
};

/**
 * The place of the k-th number in an array, as [0, 1].
 * @param {number[]} shape
 * @param {number} k
 */
export function placeOf(shape, k) {
  const place = [];
  for (const size of [...shape].reverse()) {
    place.unshift(k % size);
    k = Math.floor(k / size);
  }
  return place;
}

/** @param {number[]} shape */
export const sizeOf = (shape) => shape.reduce((a, b) => a * b, 1);
/** @param {number[]} shape */
const zeros = (shape) => ({ shape, numbers: new Array(sizeOf(shape)).fill(0) });

/**
 * For each place of a tensor of one shape the place of another, which is broadcast with it.
 * @param {number[]} shape
 * @param {number[]} other
 */
function broadcast(shape, other) {
  const strides = other.map((size, k) => (size === 1 ? 0 : sizeOf(other.slice(k + 1))));
  return Array.from({ length: sizeOf(shape) }, (_, place) => {
    let from = 0;
    for (let k = shape.length - 1; k >= 0; k -= 1) {
      from += (place % shape[k]) * (strides[k - shape.length + other.length] ?? 0);
      place = Math.floor(place / shape[k]);
    }
    return from;
  });
}

/**
 * Add numbers where `places` say, into a tensor of a shape.
 * @param {number[]} shape
 * @param {number[]} places
 * @param {number[]} numbers
 * @returns {Tensor}
 */
function gathered(shape, places, numbers) {
  const sum = zeros(shape);
  for (const [k, place] of places.entries()) sum.numbers[place] += numbers[k];
  return sum;
}

/**
 * @param {string} name
 * @param {Tensor} a
 * @param {Tensor} b
 * @returns {Computed}
 */
function elementwise(name, a, b) {
  const [f, ...slopes] = TWO[name];
  const length = Math.max(a.shape.length, b.shape.length);
  const [left, right] = [a, b].map(({ shape }) => [...new Array(length - shape.length).fill(1), ...shape]);
  const shape = left.map((size, k) => (size === 1 ? right[k] : size));
  const places = [broadcast(shape, a.shape), broadcast(shape, b.shape)];
  /** @type {[number, number][]} */
  const pairs = places[0].map((place, k) => [a.numbers[place], b.numbers[places[1][k]]]);
  const back = (g) =>
    [a, b].map((input, side) =>
      gathered(
        input.shape,
        places[side],
        pairs.map((pair, k) => g.numbers[k] * slopes[side](...pair)),
      ),
    );
  return [{ shape, numbers: pairs.map((pair) => f(...pair)) }, back];
}

/**
 * @param {Tensor} a
 * @param {Row} row
 * @returns {Computed}
 */
function reduced(a, { op, dim, keepdim }) {
  const dims = new Set(
    (dim?.length ? dim : op.endsWith("_all") || !dim ? [...a.shape.keys()] : dim).map((k) =>
      k < 0 ? k + a.shape.length : k,
    ),
  );
  const kept = a.shape.map((size, k) => (dims.has(k) ? 1 : size));
  const share = op.startsWith("mean") ? sizeOf(kept) / sizeOf(a.shape) : 1;
  const places = broadcast(a.shape, kept);
  const sum = gathered(
    kept,
    places,
    a.numbers.map((number) => number * share),
  );
  const back = (g) => [{ shape: a.shape, numbers: places.map((place) => g.numbers[place] * share) }];
  return [{ ...sum, shape: keepdim ? kept : a.shape.filter((_, k) => !dims.has(k)) }, back];
}

/**
 * @param {Tensor} a
 * @param {number[]} order
 * @returns {Computed}
 */
function moved(a, order) {
  const strides = a.shape.map((_, k) => sizeOf(a.shape.slice(k + 1)));
  const shape = order.map((k) => a.shape[k]);
  const places = Array.from({ length: sizeOf(shape) }, (_, place) => {
    let from = 0;
    for (let k = shape.length - 1; k >= 0; k -= 1) {
      from += (place % shape[k]) * strides[order[k]];
      place = Math.floor(place / shape[k]);
    }
    return from;
  });
  return [{ shape, numbers: places.map((place) => a.numbers[place]) }, (g) => [gathered(a.shape, places, g.numbers)]];
}

/** @param {Tensor} a */
const flipped = (a) => moved(a, [1, 0])[0];
/**
 * @param {Tensor} a
 * @param {Tensor} b
 */
const times = (a, b) => {
  const [rows, inner] = a.shape;
  const columns = b.shape[1];
  const at = (i, j) =>
    Array.from({ length: inner }, (_, k) => a.numbers[i * inner + k] * b.numbers[k * columns + j]).reduce(
      (x, y) => x + y,
      0,
    );
  return {
    shape: [rows, columns],
    numbers: Array.from({ length: rows * columns }, (_, k) => at(Math.floor(k / columns), k % columns)),
  };
};

/**
 * @param {Tensor} a
 * @param {Tensor} b
 * @param {number[]} shape
 * @returns {Computed}
 */
function product(a, b, shape) {
  const left = { ...a, shape: a.shape.length === 1 ? [1, a.shape[0]] : a.shape };
  const right = { ...b, shape: b.shape.length === 1 ? [b.shape[0], 1] : b.shape };
  const made = times(left, right);
  const back = (g) => {
    const whole = { ...g, shape: made.shape };
    return [
      { ...times(whole, flipped(right)), shape: a.shape },
      { ...times(flipped(left), whole), shape: b.shape },
    ];
  };
  return [{ ...made, shape }, back];
}

/**
 * @param {Tensor | null} bias
 * @param {Tensor} a
 * @param {Tensor} weight
 * @returns {Computed}
 */
function affine(bias, a, weight) {
  const [made, back] = product(a, flipped(weight), [a.shape[0], weight.shape[0]]);
  const [sum, backOfSum] = bias ? elementwise("add", made, bias) : [made, (g) => [g]];
  return [
    sum,
    (g) => {
      const [whole, ofBias] = backOfSum(g);
      const [ofInput, ofWeight] = back(whole);
      return [...(bias ? [ofBias] : []), ofInput, flipped(ofWeight)];
    },
  ];
}

/**
 * A shape as it was asked for, in which one size may be left open by -1.
 * @param {number[]} shape
 * @param {number[]} asked
 */
function viewed(shape, asked) {
  return asked.map((size) => (size < 0 ? sizeOf(shape) / Math.abs(sizeOf(asked)) : size));
}

/**
 * One operation: its result, and what takes a gradient back to its inputs.
 * @param {Row} row
 * @param {Tensor[]} inputs
 * @returns {Computed}
 */
function computed(row, inputs) {
  const { op } = row;
  const [a, b] = inputs;
  if (op in ONE) {
    const [f, slope] = ONE[op];
    const numbers = a.numbers.map((x) => f(x, row));
    return [
      { shape: a.shape, numbers },
      (g) => [{ shape: a.shape, numbers: g.numbers.map((y, k) => y * slope(a.numbers[k], numbers[k], row)) }],
    ];
  }
  if (op in TWO) return elementwise(op, a, b);
  if (/^(sum|mean)_/.test(op)) return reduced(a, row);
  if (["view", "unsafe_view", "clone", "contiguous_copy"].includes(op))
    return [
      { shape: viewed(a.shape, row.size ?? row.shape ?? a.shape), numbers: a.numbers },
      (g) => [{ ...g, shape: a.shape }],
    ];
  if (op === "expand")
    return elementwise(
      "add",
      a,
      zeros(row.shape.map((size, k) => (size < 0 ? a.shape[k - row.shape.length + a.shape.length] : size))),
    );
  if (["dot", "mv", "mm"].includes(op))
    return product(a, b, { dot: [], mv: [a.shape[0]], mm: [a.shape[0], b.shape[1]] }[op]);
  if (op === "affine") return affine(a, b, inputs[2]);
  if (op === "affine_without_bias") return affine(null, a, b);
  const order = [...a.shape.keys()];
  if (op === "permute")
    return moved(
      a,
      row.dims.map((k) => (k < 0 ? k + order.length : k)),
    );
  const [one, other] = op === "transpose" ? [order.at(row.dim0), order.at(row.dim1)] : order.slice(-2);
  [order[one], order[other]] = [order[other], order[one]];
  return moved(a, order);
}

/**
 * All results of a program with some numbers changed, leaf -> numbers, by box, and what goes back from each.
 * @param {Program} program
 * @param {Record<string, number[]>} changes
 */
export function run({ rows }, changes) {
  const [made, backs] = [new Map(), new Map()];
  for (const row of rows) {
    const inputs = row.inputs?.map((input) => (input.box ? made.get(input.box) : input));
    const [value, back] = inputs
      ? computed(row, inputs)
      : [{ shape: row.shape, numbers: changes[row.id] ?? row.numbers }];
    made.set(row.id, value);
    if (back) backs.set(row.id, back);
  }
  return { made, backs };
}

/**
 * The result as one number: of an array the sum, each times its gradient.
 * @param {Program} program
 * @param {Record<string, number[]>} changes
 */
export function resultOf(program, changes) {
  const { numbers } = run(program, changes).made.get(program.root);
  return numbers.reduce((sum, number, k) => sum + number * program.seed.numbers[k], 0);
}

/**
 * The gradient of a box, as numbers.
 * @param {Program} program
 * @param {Record<string, number[]>} changes
 * @param {string} id
 */
export function gradientOf(program, changes, id) {
  const { backs } = run(program, changes);
  const sums = new Map([[program.root, program.seed]]);
  for (const row of [...program.rows].reverse())
    if (sums.has(row.id) && backs.has(row.id)) passOn(row, backs.get(row.id)(sums.get(row.id)), sums);
  return sums.get(id)?.numbers ?? [];
}

/**
 * Add what a box sends to the sums of its inputs.
 * @param {Row} row
 * @param {Tensor[]} outgoing
 * @param {Map<string, Tensor>} sums
 */
function passOn({ inputs }, outgoing, sums) {
  outgoing.slice(0, inputs.length).forEach((tensor, slot) => {
    const sum = sums.get(inputs[slot].box);
    if (inputs[slot].box)
      sums.set(
        inputs[slot].box,
        sum ? { ...sum, numbers: sum.numbers.map((number, k) => number + tensor.numbers[k]) } : tensor,
      );
  });
}

// ---------------------------------------------------------------- in words, as Python writes them

/**
 * A number with four significant digits: 40, 0.3333, 1.2e-5.
 * @param {number} value
 */
export function numberText(value) {
  if (Number.isNaN(value)) return "NaN";
  const size = Math.abs(value);
  if (size === Infinity) return value > 0 ? "Inf" : "-Inf";
  if (size < 1e6 && Number.isInteger(value)) return String(value + 0);
  if (size >= 1e-3 && size < 1e6) return size >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(4)));
  return value.toExponential(3).replace(/\.?0*e\+?/, "e");
}

/**
 * @param {Tensor} tensor
 * @param {(number: number) => string} say
 */
export function inBrackets({ shape, numbers }, say = numberText) {
  let row = numbers.map(say);
  for (const size of [...shape].reverse())
    row = Array.from({ length: row.length / size }, (_, k) => `[${row.slice(k * size, (k + 1) * size).join(", ")}]`);
  return row[0];
}

const exactly = (number) =>
  Number.isFinite(number)
    ? Number.isInteger(number)
      ? number.toFixed(1)
      : String(number)
    : `float('${Number.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf"}')`;

/**
 * What a box and the details show of a tensor, in so many characters.
 * @param {Tensor} tensor
 * @param {number} room
 */
function described(tensor, room) {
  const { numbers, shape } = tensor;
  const whole =
    numbers.length <= 24 ? inBrackets(tensor) : inBrackets({ shape: [shape.length], numbers: shape }, String);
  const odd = [
    ["NaN", numbers.filter(Number.isNaN).length],
    ["Inf", numbers.filter((x) => Math.abs(x) === Infinity).length],
  ].filter(([, count]) => count);
  const alarm = odd.map(([word, count]) => (numbers.length === 1 ? word : `${count} ${word}`)).join(" and ");
  const short =
    numbers.length === 1
      ? numberText(numbers[0])
      : numbers.length <= 4
        ? whole
        : inBrackets({ shape: [shape.length], numbers: shape }, String);
  const text = alarm ? `⚠ ${alarm}` : short.length > room ? `${short.slice(0, room - 1)}…` : short;
  const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length;
  const statistics = numbers.length > 4 ? [Math.min(...numbers), mean, Math.max(...numbers)].map(numberText) : [];
  return {
    text,
    short,
    whole,
    alarm,
    statistics,
    exact: numbers.length <= 24 ? `torch.tensor(${inBrackets(tensor, exactly)})` : "",
  };
}

/**
 * The cells of a frame with other numbers; what each came from may be another one, too, and only the kernel finds that.
 * @param {StepCells | undefined} cells
 * @param {Tensor | null} g
 * @param {Record<string, Tensor>} sent
 */
function supposedCells(cells, g, sent) {
  if (!cells || !g || !cells.sent.every(({ key }) => sent[key])) return undefined;
  const listed = ({ shape, numbers }) => ({ shape, cells: numbers.map(numberText).join(" ") });
  return { ...cells, g: listed(g), sent: cells.sent.map(({ key }) => ({ key, ...listed(sent[key]), from: "" })) };
}

/**
 * The recorded frames with other numbers, as the kernel would send them: see player.mjs.
 * @param {PictureData} picture
 * @param {Frame[]} frames
 * @param {Record<string, number[]>} changes
 * @param {string} note
 */
export function supposedBy(picture, frames, changes, note) {
  const { program } = picture;
  const [before, after] = [run(program, {}), run(program, changes)];
  const room = (id) => program.rooms[id] ?? 20;
  const now = {};
  for (const [id, tensor] of after.made) {
    const old = before.made.get(id);
    if (tensor.numbers.every((number, k) => Object.is(number, old.numbers[k]))) continue;
    const { text, short, whole, alarm, statistics, exact } = described(tensor, room(id));
    now[id] = {
      text,
      value: whole,
      alarm,
      statistics,
      exact,
      cells: "",
      heat: "",
      where: "",
      saved: [],
      ran: picture.boxes[id].value,
      hover: `${picture.boxes[id].name} = ${short}`,
    };
  }
  const sums = new Map([[program.root, program.seed]]);
  const rows = new Map(program.rows.map((row) => [row.id, row]));
  const told = [];
  const names = (id) => [
    "name",
    picture.boxes[id].kind === "leaf" ? `${picture.boxes[id].name}.grad` : picture.boxes[id].name,
  ];
  for (const frame of frames) {
    const { box } = frame;
    const pieces = [];
    const [chips, norms, sent] = [{}, {}, {}];
    const g = box === null ? null : sums.get(box);
    const outgoing = g && after.backs.has(box) ? after.backs.get(box)(g) : [];
    if (outgoing.length) passOn(rows.get(box), outgoing, sums);
    for (const [slot, tensor] of outgoing.slice(0, rows.get(box)?.inputs?.length).entries()) {
      const { box: to, edge } = rows.get(box).inputs[slot];
      if (!to) continue;
      const { text, short, whole } = described(tensor, 18);
      chips[edge] = text;
      sent[edge] = tensor;
      norms[edge] = Number(Math.sqrt(tensor.numbers.reduce((all, x) => all + square(x), 0)).toPrecision(3));
      pieces.push(
        ["text", pieces.length ? "; " : ""],
        names(to).map((word) => word.replace(/\.grad$/, "")),
        ["text", " gets "],
        ["value", tensor.numbers.length <= 9 ? whole : short],
      );
    }
    if (g && !after.backs.has(box)) pieces.push(names(box), ["text", " = "], ["value", described(g, Infinity).whole]);
    if (box === null)
      pieces.push(
        ["name", picture.root],
        ["text", " = "],
        ["value", described(after.made.get(program.root), Infinity).whole],
        ["text", ": backward begins there, with "],
        ["value", inBrackets(program.seed)],
      );
    const boxes = Object.fromEntries(
      Object.entries(frame.boxes).map(([id, state]) => {
        const isThere =
          sums.has(id) &&
          !(box === null && id === program.root) &&
          (picture.boxes[id].kind !== "leaf" || ["ran", "done"].includes(state.state));
        const { text, whole, alarm, statistics, exact } = isThere
          ? described(sums.get(id), room(id))
          : { text: "None", whole: "None", alarm: "", statistics: [], exact: "" };
        return [
          id,
          {
            ...state,
            grad: text,
            full: whole,
            none: !isThere,
            alarm: Boolean(alarm),
            where: "",
            exact,
            cells: "",
            heat: "",
            statistics: statistics.join(" · "),
          },
        ];
      }),
    );
    const sentence = { kind: "sentence", why: false, pieces: [...pieces, ["text", "."]] };
    told.push({
      ...frame,
      boxes,
      chips,
      norms,
      cells: supposedCells(frame.cells, g, sent),
      story: [sentence],
      events: [],
      received: null,
      alarm: "",
      differences: {},
      difference_maps: {},
      questions: [],
      grown: [],
    });
  }
  const said = Object.entries(changes).map(([id, numbers]) => {
    const { numbers: ran, shape } = before.made.get(id);
    const [k, ...more] = numbers.flatMap((number, place) => (Object.is(number, ran[place]) ? [] : [place]));
    const cell = shape.length && !more.length ? `[${placeOf(shape, k).join(", ")}]` : "";
    const say = (one) => (more.length ? inBrackets({ shape, numbers: one }) : numberText(one[k]));
    return [picture.boxes[id].name + cell, say(numbers), say(ran)];
  });
  const forward = (picture.forward ?? []).map((frame) => {
    const value = after.made.get(frame.box);
    const pieces = value && [
      ["name", picture.boxes[frame.box].name],
      ["text", " = "],
      ["value", described(value, Infinity).whole],
      ["text", "."],
    ];
    return pieces ? { ...frame, story: [{ kind: "sentence", why: false, pieces }] } : frame;
  });
  return {
    frames: told.map((frame) => JSON.stringify(frame)),
    forward,
    now,
    changes: said,
    changed: Object.keys(changes),
    note,
    problem: {},
  };
}

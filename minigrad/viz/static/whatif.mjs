// What a page without a kernel computes itself: a small graph of elementwise operations, products of matrices and sums,
// with other numbers in its leaves, forward and backward, in double precision. `picture.program` holds the graph
// (page/program.py writes it). What comes out is what the kernel would send: frames in the place of the recorded ones,
// without the middle part of the formulas.

/** @import { Frame, PictureData, Program, Row, StepCells, Tensor } from "./model.d.ts" */

const WRITTEN = 24; // numbers that are written out in the details
const IN_BOX = 4; // and in a box
const CHIP_ROOM = 18; // characters on an edge

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
function sumAt(shape, places, numbers) {
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
      sumAt(
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
function reduction(a, { op, dim, keepdim }) {
  const dims = new Set(
    (dim?.length ? dim : op.endsWith("_all") || !dim ? [...a.shape.keys()] : dim).map((k) =>
      k < 0 ? k + a.shape.length : k,
    ),
  );
  const kept = a.shape.map((size, k) => (dims.has(k) ? 1 : size));
  const share = op.startsWith("mean") ? sizeOf(kept) / sizeOf(a.shape) : 1;
  const places = broadcast(a.shape, kept);
  const sum = sumAt(
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
function permute(a, order) {
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
  return [{ shape, numbers: places.map((place) => a.numbers[place]) }, (g) => [sumAt(a.shape, places, g.numbers)]];
}

/** @param {Tensor} a */
const transpose = (a) => permute(a, [1, 0])[0];
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
      { ...times(whole, transpose(right)), shape: a.shape },
      { ...times(transpose(left), whole), shape: b.shape },
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
  const [made, back] = product(a, transpose(weight), [a.shape[0], weight.shape[0]]);
  const [sum, backOfSum] = bias ? elementwise("add", made, bias) : [made, (g) => [g]];
  return [
    sum,
    (g) => {
      const [whole, ofBias] = backOfSum(g);
      const [ofInput, ofWeight] = back(whole);
      return [...(bias ? [ofBias] : []), ofInput, transpose(ofWeight)];
    },
  ];
}

/**
 * A shape as it was asked for, in which one size may be left open by -1.
 * @param {number[]} shape
 * @param {number[]} asked
 */
function fullShape(shape, asked) {
  return asked.map((size) => (size < 0 ? sizeOf(shape) / Math.abs(sizeOf(asked)) : size));
}

/**
 * One operation: its result, and what takes a gradient back to its inputs.
 * @param {Row} row
 * @param {Tensor[]} inputs
 * @returns {Computed}
 */
function compute(row, inputs) {
  const { op } = row;
  const [a, b] = inputs;
  if (op in ONE) {
    const [f, slope] = ONE[op];
    const numbers = a.numbers.map((x) => f(x, row));
    const slopes = () => numbers.map((y, k) => slope(a.numbers[k], y, row));
    const back = (g) => [{ shape: a.shape, numbers: slopes().map((factor, k) => g.numbers[k] * factor) }];
    return [{ shape: a.shape, numbers }, back];
  }
  if (op in TWO) return elementwise(op, a, b);
  if (/^(sum|mean)_/.test(op)) return reduction(a, row);
  if (["view", "unsafe_view", "clone", "contiguous_copy"].includes(op))
    return [
      { shape: fullShape(a.shape, row.size ?? row.shape ?? a.shape), numbers: a.numbers },
      (g) => [{ ...g, shape: a.shape }],
    ];
  if (op === "expand") {
    const missing = row.shape.length - a.shape.length;
    const shape = row.shape.map((size, k) => (size < 0 ? a.shape[k - missing] : size));
    return elementwise("add", a, zeros(shape));
  }
  if (["dot", "mv", "mm"].includes(op))
    return product(a, b, { dot: [], mv: [a.shape[0]], mm: [a.shape[0], b.shape[1]] }[op]);
  if (op === "affine") return affine(a, b, inputs[2]);
  if (op === "affine_without_bias") return affine(null, a, b);
  const order = [...a.shape.keys()];
  if (op === "permute")
    return permute(
      a,
      row.dims.map((k) => order.at(k)),
    );
  const [one, other] = op === "transpose" ? [order.at(row.dim0), order.at(row.dim1)] : order.slice(-2);
  [order[one], order[other]] = [order[other], order[one]];
  return permute(a, order);
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
      ? compute(row, inputs)
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

/** A number as Python that makes it: 2.0, 0.1, float('inf'). */
function exactly(number) {
  if (Number.isNaN(number)) return "float('nan')";
  if (!Number.isFinite(number)) return number > 0 ? "float('inf')" : "float('-inf')";
  return Number.isInteger(number) ? number.toFixed(1) : String(number);
}

/**
 * What a box and the details show of a tensor, in so many characters.
 * @param {Tensor} tensor
 * @param {number} room
 */
function describe(tensor, room) {
  const { numbers, shape } = tensor;
  const sizes = inBrackets({ shape: [shape.length], numbers: shape }, String);
  const isWritten = numbers.length <= WRITTEN;
  const whole = isWritten ? inBrackets(tensor) : sizes;
  const odd = [
    ["NaN", numbers.filter(Number.isNaN).length],
    ["Inf", numbers.filter((x) => Math.abs(x) === Infinity).length],
  ].filter(([, count]) => count);
  const alarm = odd.map(([word, count]) => (numbers.length === 1 ? word : `${count} ${word}`)).join(" and ");
  const inBox = numbers.length <= IN_BOX ? whole : sizes;
  const short = numbers.length === 1 ? numberText(numbers[0]) : inBox;
  const fitting = short.length > room ? `${short.slice(0, room - 1)}…` : short;
  const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length;
  const statistics = numbers.length > IN_BOX ? [Math.min(...numbers), mean, Math.max(...numbers)].map(numberText) : [];
  return {
    text: alarm ? `⚠ ${alarm}` : fitting,
    short,
    whole,
    alarm,
    statistics,
    exact: isWritten ? `torch.tensor(${inBrackets(tensor, exactly)})` : "",
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
  const cellList = ({ shape, numbers }) => ({ shape, cells: numbers.map(numberText).join(" ") });
  return { ...cells, g: cellList(g), sent: cells.sent.map(({ key }) => ({ key, ...cellList(sent[key]), from: "" })) };
}

/**
 * What those boxes hold now whose numbers are others than those that ran.
 * @param {PictureData} picture
 * @param {Map<string, Tensor>} before
 * @param {Map<string, Tensor>} after
 */
function changedValues(picture, before, after) {
  const now = {};
  for (const [id, tensor] of after) {
    const old = before.get(id);
    if (tensor.numbers.every((number, k) => Object.is(number, old.numbers[k]))) continue;
    const { text, short, whole, alarm, statistics, exact } = describe(tensor, roomOf(picture, id));
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
  return now;
}

/**
 * How many characters of its value a box has room for.
 * @param {PictureData} picture
 * @param {string} id
 */
function roomOf(picture, id) {
  return picture.program.rooms[id] ?? 20;
}

/**
 * Which leaves are changed, each with what it is now and what it ran with.
 * @param {PictureData} picture
 * @param {Map<string, Tensor>} before
 * @param {Record<string, number[]>} changes
 */
function changesInWords(picture, before, changes) {
  return Object.entries(changes).map(([id, numbers]) => {
    const { numbers: ran, shape } = before.get(id);
    const [k, ...more] = numbers.flatMap((number, place) => (Object.is(number, ran[place]) ? [] : [place]));
    const cell = shape.length && !more.length ? `[${placeOf(shape, k).join(", ")}]` : "";
    const say = (one) => (more.length ? inBrackets({ shape, numbers: one }) : numberText(one[k]));
    return [picture.boxes[id].name + cell, say(numbers), say(ran)];
  });
}

/** A story of one sentence, of these pieces. */
function sentence(pieces) {
  return [{ kind: "sentence", why: false, pieces: [...pieces, ["text", "."]] }];
}

/** The backward pass of a program that was run, frame by frame: `sums` are the gradients that boxes have by then. */
class SupposedPass {
  /**
   * @param {PictureData} picture
   * @param {ReturnType<typeof run>} ran
   */
  constructor(picture, { made, backs }) {
    this.picture = picture;
    this.program = picture.program;
    this.made = made;
    this.backs = backs;
    this.rows = new Map(this.program.rows.map((row) => [row.id, row]));
    /** @type {Map<string, Tensor>} */
    this.sums = new Map([[this.program.root, this.program.seed]]);
  }

  /**
   * The frame at which the box of a recorded one runs, as the kernel would send it. To be asked for in their order.
   * @param {Frame} frame
   */
  next(frame) {
    const { box } = frame;
    const g = box === null ? null : this.sums.get(box);
    const sent = this.send(box, g);
    const tensors = Object.fromEntries(sent.map(({ edge, tensor }) => [edge, tensor]));
    return {
      ...frame,
      boxes: this.states(frame),
      chips: Object.fromEntries(sent.map(({ edge, tensor }) => [edge, describe(tensor, CHIP_ROOM).text])),
      norms: Object.fromEntries(sent.map(({ edge, tensor }) => [edge, normOf(tensor)])),
      cells: supposedCells(frame.cells, g, tensors),
      story: sentence(box === null ? this.beginning() : this.pieces(box, g, sent)),
      events: [],
      received: null,
      alarm: "",
      differences: {},
      difference_maps: {},
      questions: [],
      grown: [],
    };
  }

  /**
   * Let a box run, and say what it sends along which edge to which box; a leaf sends nothing.
   * @param {string | null} box
   * @param {Tensor | null | undefined} g
   */
  send(box, g) {
    if (!g || !this.backs.has(box)) return [];
    const row = this.rows.get(box);
    const outgoing = this.backs.get(box)(g);
    passOn(row, outgoing, this.sums);
    return row.inputs.flatMap(({ box: to, edge }, slot) => (to ? [{ to, edge, tensor: outgoing[slot] }] : []));
  }

  /** What is said where the pass begins. */
  beginning() {
    const { picture, program } = this;
    return [
      ["name", picture.root],
      ["text", " = "],
      ["value", describe(this.made.get(program.root), Infinity).whole],
      ["text", ": backward begins there, with "],
      ["value", inBrackets(program.seed)],
    ];
  }

  /** What is said where a box has run: what it sent, or, of a leaf, what its gradient is now. */
  pieces(box, g, sent) {
    const { boxes } = this.picture;
    if (g && !this.backs.has(box)) {
      const name = boxes[box].kind === "leaf" ? `${boxes[box].name}.grad` : boxes[box].name;
      return [
        ["name", name],
        ["text", " = "],
        ["value", describe(g, Infinity).whole],
      ];
    }
    return sent.flatMap(({ to, tensor }, k) => {
      const { short, whole } = describe(tensor, CHIP_ROOM);
      return [
        ["text", k ? "; " : ""],
        ["name", boxes[to].name],
        ["text", " gets "],
        ["value", tensor.numbers.length <= 9 ? whole : short],
      ];
    });
  }

  /**
   * How those boxes stand that the frame tells of, with the gradients that they have now.
   * @param {Frame} frame
   */
  states(frame) {
    return Object.fromEntries(
      Object.entries(frame.boxes).map(([id, state]) => {
        const isBefore = frame.box === null && id === this.program.root;
        const isShown = this.picture.boxes[id].kind !== "leaf" || ["ran", "done"].includes(state.state);
        const isThere = this.sums.has(id) && !isBefore && isShown;
        const none = { text: "None", whole: "None", alarm: "", statistics: [], exact: "" };
        const sum = this.sums.has(id) && !isBefore ? describe(this.sums.get(id), roomOf(this.picture, id)) : none;
        const { text, whole, alarm, statistics, exact } = isThere
          ? sum
          : { ...none, text: state.word ? sum.text : "None" };
        const grad = { grad: text, full: whole, none: !isThere, alarm: Boolean(alarm), where: "", exact };
        return [id, { ...state, ...grad, cells: "", heat: "", statistics: statistics.join(" · ") }];
      }),
    );
  }
}

/** @param {Tensor} tensor */
function normOf({ numbers }) {
  return Number(Math.sqrt(numbers.reduce((sum, x) => sum + square(x), 0)).toPrecision(3));
}

/**
 * The recorded frames with other numbers, as the kernel would send them: see player.mjs.
 * @param {PictureData} picture
 * @param {Frame[]} frames
 * @param {Record<string, number[]>} changes
 * @param {string} note
 */
export function supposedBy(picture, frames, changes, note) {
  const before = run(picture.program, {});
  const after = run(picture.program, changes);
  const pass = new SupposedPass(picture, after);
  const forward = (picture.forward ?? []).map((frame) => {
    const value = after.made.get(frame.box);
    if (!value) return frame;
    const result = ["value", describe(value, Infinity).whole];
    return { ...frame, story: sentence([["name", picture.boxes[frame.box].name], ["text", " = "], result]) };
  });
  return {
    frames: frames.map((frame) => JSON.stringify(pass.next(frame))),
    forward,
    now: changedValues(picture, before.made, after.made),
    changes: changesInWords(picture, before.made, changes),
    changed: Object.keys(changes),
    note,
    problem: {},
  };
}

// How a value is shown where there is room for it. Of a tensor the details say: a small one in full, with what changed
// since the frame before, a large one by its shape, minimum, mean, maximum and heat map, and by a map of what changed.
// NaN and infinity are marked by a sign and a frame, not by colour alone. The texts come from Python, written with four
// significant digits.

import { cellScale, cellTable, largest, ODD, tensorFrom, walkCells } from "./cells.mjs";
import { button, make } from "./dom.mjs";

/** @import { Listed } from "./cells.mjs" */

/**
 * What the details show of a value; `none`: that it is not there.
 * @typedef {object} Readable
 * @property {string} text
 * @property {string} [shape]
 * @property {string} [dtype]
 * @property {string} [statistics]
 * @property {string} [heat]
 * @property {string | boolean} [alarm]
 * @property {string} [where]
 * @property {string} [exact]
 * @property {string} [cells]
 * @property {string} [difference]
 * @property {string} [differenceMap]
 * @property {boolean} [none]
 */

/**
 * The text `[[1, 2], [3, 4]]` line by line, with the brackets around each: {open, words, close}; null if it lists no
 * elements.
 * @param {string} text
 */
export function linesOf(text) {
  if (/^[^[\],\s]+$/.test(text)) return [{ open: "", words: [text], close: "" }];
  if (!text.startsWith("[") || !/^[\][\s,\w.+-]+$/.test(text)) return null;
  const depth = /^\[+/.exec(text)[0].length;
  const lines = text.split(/(?<=\]),\s*/).map((part) => /^(\[*)([^[\]]*)(\]*)$/.exec(part));
  if (lines.includes(null)) return null;
  return lines.map(([, open, inside, close]) => ({
    open: open.padStart(depth),
    words: inside
      .split(",")
      .map((word) => word.trim())
      .filter(Boolean),
    close,
  }));
}

/**
 * The text `[[1, 2], [3, 4]]` as rows of words, [["1", "2"], ["3", "4"]]; null if it lists no elements.
 * @param {string} text
 */
export function rowsOf(text) {
  return linesOf(text)?.map(({ words }) => words) ?? null;
}

/** One number less another, in four significant digits and with its sign; "" where there is none to give. */
export function difference(before, after) {
  const change = Number(after) - Number(before);
  if (!Number.isFinite(change) || change === 0) return "";
  const text = String(Number(change.toPrecision(4)));
  return change > 0 ? `+${text}` : text.replace("-", "−");
}

/** What was and what is, element by element: [word, word before or null]. */
export function elementPairs(before, after) {
  const now = rowsOf(after);
  if (!now) return null;
  const was = before === null || before === undefined ? null : rowsOf(before);
  return now.map((row, i) =>
    row.map((word, j) => [word, was && was.length === now.length ? (was[i][j] ?? null) : null]),
  );
}

/**
 * A value as Python writes it, a row on each line. Elements that differ from `before` are underlined, with the
 * difference beside them.
 * @param {string} after
 * @param {string | null} before
 */
export function grid(after, before = null) {
  const rows = elementPairs(before, after);
  if (!rows) return make("bdi", { class: "mg-plain" }, after);
  const body = make("span", { class: "mg-grid", role: "text" });
  // So that columns stand below each other.
  const widest = rows.length > 1 ? Math.max(...rows.flat().map(([word]) => word.length)) : 0;
  linesOf(after).forEach(({ open, close }, i) => {
    const line = make("span", { class: "mg-grid-row" }, open);
    rows[i].forEach(([word, old], j) => {
      const changed = old !== null && old !== word;
      const cell = make("span", { class: `mg-cell${ODD.test(word) ? " mg-odd" : ""}` }, word);
      if (changed) markChanged(cell, old, word);
      line.append(" ".repeat(Math.max(widest - word.length, 0)), cell, j < rows[i].length - 1 ? ", " : "");
    });
    line.append(close, i < rows.length - 1 ? "," : "");
    body.append(line);
  });
  return body;
}

/** Underline an element that was another one, and say by how much. */
function markChanged(cell, old, word) {
  const by = difference(old, word);
  cell.classList.add("mg-changed");
  cell.setAttribute("title", by ? `was ${old}: ${by}` : `was ${old}`);
  if (by) cell.append(make("sup", { class: "mg-by" }, by));
}

/** What was, an arrow, and what is; alone what is there, if there is but one of them or both are the same. */
export function change(before, after) {
  const none = (value) => value === null || value === undefined || value === "None";
  if (none(before) || before === after) return make("span", { class: "mg-change" }, grid(String(after)));
  if (after === null || after === undefined) return make("span", { class: "mg-change" }, grid(String(before)));
  return make(
    "span",
    { class: "mg-change" },
    make("s", { class: "mg-was" }, before),
    make("span", { class: "mg-arrow", "aria-label": "became" }, " → "),
    grid(after, before),
  );
}

/** A large tensor as a heat map, at a size that can be read, with a word below it. */
function heat(address, label, word) {
  return make(
    "span",
    { class: "mg-heat-map" },
    make("img", { class: "mg-heat", src: address, alt: label }),
    make("span", { class: "mg-scale", "aria-hidden": "true" }, word),
  );
}

/**
 * Maps beside each other (what was, what is, the change between them), and what their colours mean.
 * @param {Readable} now
 * @param {Readable | null} before
 * @param {string} what
 */
function maps(now, before, what) {
  const { statistics } = now;
  const earlier = before?.heat && before.heat !== now.heat ? before.heat : null;
  const row = make("span", { class: "mg-maps" });
  if (earlier)
    row.append(heat(earlier, `heat map of ${what} before this step: min, mean and max ${before.statistics}`, "before"));
  row.append(
    heat(now.heat, `heat map of ${what}: min, mean and max ${statistics}`, earlier || now.differenceMap ? "now" : ""),
  );
  if (now.differenceMap)
    row.append(heat(now.differenceMap, `heat map of the change of ${what}: ${now.difference}`, "the change"));
  const scale = make(
    "span",
    { class: "mg-scale", "aria-hidden": "true" },
    "below 0",
    make("span", { class: "mg-ramp" }),
    "above 0",
  );
  if (now.alarm)
    scale.append(
      make("span", { class: "mg-key mg-key-nan" }),
      "NaN",
      make("span", { class: "mg-key mg-key-inf" }),
      "Inf",
    );
  return make("span", { class: "mg-mapped" }, row, scale);
}

/**
 * All that is known of a value: NaN and infinity first, then its elements or its maps, what changed, and a button that
 * copies it as Python.
 *
 * `before` is the same a frame earlier, `arrow` whether both are written out. `variable` is Python for what is too
 * large to be listed.
 * @param {Readable} now
 * @param {{ what: string, before?: Readable | null, variable?: string, arrow?: boolean }} options
 */
export function valueShown(now, { what, before = null, variable = "", arrow = false }) {
  const text = now.text ?? "";
  const body = make("div", { class: `mg-value-shown${now.alarm ? " mg-alarming" : ""}` });
  if (now.alarm)
    body.append(make("strong", { class: "mg-warn" }, `⚠ ${now.alarm}${now.where ? `, ${now.where}` : ""}`));
  const numbers = arrow ? change(before?.text, text) : grid(text, before?.text ?? null);
  const listed = rowsOf(text) !== null && text !== now.shape; // a large one says no more than its shape
  const python = now.none ? "" : listed ? now.exact || asPython(text, now.dtype) : variable;
  const tensor = arrow ? null : tensorFrom(now.shape, now.cells || text);
  const table = tensor?.words.length > 1 ? tableOf(tensor, before) : null;
  body.append(make("div", { class: "mg-numbers" }, table ?? numbers, python ? copier(python, what) : ""));
  if (now.heat && !table) body.append(maps(now, before, what));
  if (now.statistics) {
    const was = before?.statistics?.split(" · ") ?? [];
    const measures = now.statistics.split(" · ").map((number, k) => {
      const told =
        was[k] && was[k] !== number
          ? [make("s", { class: "mg-was" }, was[k]), " → ", make("span", { class: "mg-changed" }, number)]
          : [number];
      return make(
        "span",
        { class: "mg-measure" },
        make("span", { class: "mg-soft" }, `${["min", "mean", "max"][k]} `),
        ...told,
      );
    });
    body.append(make("div", { class: "mg-measures" }, ...measures));
  }
  if (now.difference && !listed && !table) body.append(make("div", { class: "mg-measures" }, now.difference));
  return body;
}

/**
 * A small tensor as numbered cells; those that differ from what was are underlined, with the difference beside them.
 * @param {Listed} tensor
 * @param {Readable | null} before
 */
function tableOf(tensor, before) {
  const most = largest([tensor]);
  const table = cellTable(tensor, [], most);
  const was = before ? tensorFrom(tensor.shape, before.cells || before.text) : null;
  for (const cell of was ? table.querySelectorAll("[data-k]") : []) {
    const k = Number(cell.getAttribute("data-k"));
    if (was.words[k] !== tensor.words[k]) markChanged(cell, was.words[k], tensor.words[k]);
  }
  walkCells(table, () => {});
  return make("div", { class: "mg-cells" }, table, cellScale(most, ""));
}

const IN_PYTHON = { NaN: 'float("nan")', Inf: 'float("inf")', "-Inf": '-float("inf")' };

/**
 * A value as a line of Python that makes it.
 * @param {string} text
 * @param {string} dtype
 */
export function asPython(text, dtype = "float32") {
  const numbers = text.replace(/NaN|-?Inf/g, (word) => IN_PYTHON[word]);
  const kind = dtype && !["float32", "int64", "bool"].includes(dtype) ? `, dtype=torch.${dtype}` : "";
  const decimal = dtype.startsWith("float") ? numbers.replace(/(?<![\w.+-])(-?\d+)(?![\w.])/g, "$1.") : numbers;
  return `torch.tensor(${decimal}${kind})`;
}

/**
 * A button that puts a text on the clipboard and says that it has.
 * @param {string} text
 * @param {string} what
 */
export function copier(text, what) {
  const element = button("copy", `copy ${what} as Python`, { face: "copy", shown: text });
  element.addEventListener("click", async () => {
    const face = element.querySelector(".mg-face");
    try {
      await navigator.clipboard.writeText(text);
      face.textContent = "copied";
    } catch {
      face.textContent = "not allowed here";
    }
    element.setAttribute("aria-label", `${what} as Python: ${face.textContent}`);
    setTimeout(() => {
      face.textContent = "copy";
      element.setAttribute("aria-label", `copy ${what} as Python`);
    }, 1600);
  });
  return element;
}

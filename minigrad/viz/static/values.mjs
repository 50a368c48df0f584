// How a value is shown where there is room for it. After this module a reader knows what the details say about a tensor: a small one in
// full, with what changed since the frame before, a large one by its shape, minimum, mean, maximum and heat map. NaN and infinity are marked
// by a sign and a frame, not by colour alone. The texts come from Python, written with four significant digits.

import { button, make } from "./dom.mjs";

const ODD = /^(NaN|-?Inf)$/;

/** The text `[[1, 2], [3, 4]]` as rows of words, [["1", "2"], ["3", "4"]]; null if it lists no elements. */
export function rowsOf(text) {
  if (/^[^[\],\s]+$/.test(text)) return [[text]];
  if (!text.startsWith("[") || !/^[\][\s,\w.+-]+$/.test(text)) return null;
  const rows = text
    .split("]")
    .map((part) => part.replace(/^[\s,[]+/, ""))
    .filter(Boolean);
  return rows.map((row) => row.split(",").map((word) => word.trim()).filter(Boolean));
}

/** One number less another, in four significant digits and with its sign; "" where there is none to give. */
export function difference(before, after) {
  const change = Number(after) - Number(before);
  if (!Number.isFinite(change) || change === 0) return "";
  const text = String(Number(change.toPrecision(4)));
  return change > 0 ? `+${text}` : text.replace("-", "−");
}

/** What was and what is, element by element: [word, word before or null]. */
export function compared(before, after) {
  const now = rowsOf(after);
  if (!now) return null;
  const was = before === null || before === undefined ? null : rowsOf(before);
  return now.map((row, i) => row.map((word, j) => [word, was && was.length === now.length ? (was[i][j] ?? null) : null]));
}

/** A value as a small grid. Elements that differ from `before` are underlined, with the difference below. */
export function grid(after, before = null) {
  const rows = compared(before, after);
  if (!rows) return make("bdi", { class: "mg-plain" }, after);
  const body = make("span", { class: "mg-grid", role: "text" });
  const plural = rows.length * rows[0].length > 1;
  rows.forEach((row, i) => {
    const line = make("span", { class: "mg-grid-row" }, plural ? (i ? " " : "[") : "");
    row.forEach(([word, old], j) => {
      const changed = old !== null && old !== word;
      const cell = make("span", { class: `mg-cell${changed ? " mg-changed" : ""}${ODD.test(word) ? " mg-odd" : ""}` }, word);
      if (changed) {
        const by = difference(old, word);
        cell.setAttribute("title", by ? `was ${old}: ${by}` : `was ${old}`);
        if (by) cell.append(make("sup", { class: "mg-by" }, by));
      }
      line.append(cell, plural && j < row.length - 1 ? ", " : "");
    });
    line.append(plural && i === rows.length - 1 ? "]" : plural ? ";" : "");
    body.append(line);
  });
  return body;
}

/** What was, an arrow, and what is. */
export function change(before, after) {
  const said = (value) => (value === null || value === undefined ? "None" : String(value));
  if (before === null || before === undefined || said(before) === "None") return make("span", { class: "mg-change" }, grid(said(after)));
  return make("span", { class: "mg-change" }, make("s", { class: "mg-was" }, said(before)), make("span", { class: "mg-arrow", "aria-label": "became" }, " → "), grid(said(after), said(before)));
}

/** A large tensor: its heat map at a size that can be read, with the scale beside it. */
export function heat(address, label) {
  const map = make("img", { class: "mg-heat", src: address, alt: label });
  const scale = make("span", { class: "mg-scale", "aria-hidden": "true" }, "below 0", make("span", { class: "mg-ramp" }), "above 0");
  return make("span", { class: "mg-heat-map" }, map, scale);
}

const IN_PYTHON = { NaN: 'float("nan")', Inf: 'float("inf")', "-Inf": '-float("inf")' };

/** A value as a line of Python that makes it. */
export function asPython(text, dtype = "float32") {
  const numbers = text.replace(/NaN|-?Inf/g, (word) => IN_PYTHON[word]);
  const kind = dtype && !["float32", "int64", "bool"].includes(dtype) ? `, dtype=torch.${dtype}` : "";
  const decimal = dtype.startsWith("float") ? numbers.replace(/(?<![\w.+-])(-?\d+)(?![\w.])/g, "$1.") : numbers;
  return `torch.tensor(${decimal}${kind})`;
}

/** A button that puts a text on the clipboard and says that it has. */
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

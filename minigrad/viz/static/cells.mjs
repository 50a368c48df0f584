// Small tensors as tables of numbered cells, and the numbers of a step one by one: what arrived, what goes to each
// input, and the inputs' values, with what broadcasting repeats drawn faintly where it is repeated. Pointing at a cell
// of a gradient, or coming to it with the arrow keys, lights those that it came from or goes to, as strongly as they
// weigh: Python has found that by running the rule. Enter has it said.

import { make, nameOf } from "./dom.mjs";
import { placeOf, sizeOf } from "./whatif.mjs";

/** @import { Frame, StepCells } from "./model.d.ts" */
/** @import { Player } from "./player.mjs" */

/** @typedef {{ shape: number[], words: string[] }} Listed a tensor's numbers, as they are written */

export const ODD = /^(NaN|-?Inf)$/;
const SEVERAL = 8; // cells that are named in a sentence
const LETTERS = 6; // of a number in a cell
const NUMBER = /^(-?[\d.].*|-?Inf|NaN|True|False|\?)$/;

/**
 * The numbers of a tensor, {shape, words}, of its shape and what lists them, "1 2 3" or "[[1, 2], [3, 4]]"; null where
 * they are not listed.
 * @param {string | number[]} shape
 * @param {string | undefined} listed
 * @returns {Listed | null}
 */
export function tensorFrom(shape, listed) {
  const sizes = typeof shape === "string" ? JSON.parse(shape || "null") : shape;
  const words = listed?.match(/[^[\],\s]+/g) ?? [];
  return sizes && words.length > 0 && words.length === sizeOf(sizes) && words.every((word) => NUMBER.test(word))
    ? { shape: sizes, words }
    : null;
}

/**
 * A number in so few letters that a row of them can be read; its sign and size stay.
 * @param {string} word
 */
export function inShort(word) {
  const value = Number(word);
  if (word.length <= LETTERS || !Number.isFinite(value)) return word;
  const written = [3, 2, 1].flatMap((digits) => [
    String(Number(value.toPrecision(digits))),
    value.toExponential(digits - 1).replace("+", ""),
  ]);
  return written.find((text) => text.length <= LETTERS) ?? written.at(-1);
}

/**
 * For each cell of `into`, the one that broadcasting puts there, and whether that is a repetition; null where it puts
 * none.
 * @param {number[]} shape
 * @param {number[]} into
 * @returns {[number, boolean][] | null}
 */
export function spreadOver(shape, into) {
  const missing = into.length - shape.length;
  if (missing < 0 || !shape.every((size, d) => size === 1 || size === into[d + missing])) return null;
  return Array.from({ length: sizeOf(into) }, (_, k) => {
    const place = placeOf(into, k);
    const own = shape.reduce((sum, size, d) => sum * size + (size === 1 ? 0 : place[d + missing]), 0);
    return [own, place.some((at, d) => at > 0 && (d < missing || shape[d - missing] === 1))];
  });
}

/**
 * How much each cell of what arrived weighs in each of what was sent, from 0 to 9 (see cells.py); null where that is
 * not known.
 * @param {string} text
 * @param {number} sent
 * @param {number} arrived
 */
export function weightsFrom(text, sent, arrived) {
  if (!text) return null;
  const [word, digits] = text.split(" ");
  if (word !== "all" && word !== "same")
    return text.split(" ").map((row) => (row.includes("?") ? null : [...row].map(Number)));
  const weight = (j, k) => (word === "all" ? 9 : j === k ? Number(digits?.[j] ?? 9) : 0);
  return Array.from({ length: sent }, (_, j) => Array.from({ length: arrived }, (_, k) => weight(j, k)));
}

/**
 * The largest of the numbers, whatever their signs; 0 where there are none.
 * @param {(Listed | null)[]} tensors
 */
export function largest(tensors) {
  const sizes = tensors.flatMap((tensor) => tensor?.words ?? []).map((word) => Math.abs(Number(word)));
  return Math.max(0, ...sizes.filter(Number.isFinite));
}

/**
 * What the colours mean, as far as there are any.
 * @param {number} most
 * @param {string} what
 */
export function cellScale(most, what) {
  const end = (value) => make("span", {}, inShort(String(value)));
  return most
    ? make(
        "div",
        { class: "mg-scale", "aria-hidden": "true" },
        what,
        end(-most),
        make("span", { class: "mg-cell-ramp" }),
        end(most),
      )
    : "";
}

/**
 * A tensor as a table: rows and columns numbered, colour by size against `most`. `into` is the shape over which it is
 * repeated.
 * @param {Listed} tensor
 * @param {(Node | string)[]} caption
 * @param {number} most
 * @param {number[] | null} into
 */
export function cellTable({ shape, words }, caption, most, into = null) {
  const spread = into && spreadOver(shape, into);
  const sizes = spread ? into : shape;
  const cells = (spread ?? words.map((_, k) => [k, false])).map(([k, repeated]) => cellOf(words[k], k, repeated, most));
  const width = sizes.at(-1) ?? 1;
  const rows = Array.from({ length: cells.length / width }, (_, r) => {
    const number = placeOf(sizes.slice(0, -1), r).join(", ");
    return make(
      "tr",
      {},
      number ? make("th", { scope: "row" }, number) : make("td"),
      ...cells.slice(r * width, (r + 1) * width),
    );
  });
  const numbers = sizes.length ? Array.from({ length: width }, (_, c) => make("th", { scope: "col" }, String(c))) : [];
  cells[0].setAttribute("tabindex", "0");
  return make(
    "table",
    { class: "mg-table" },
    make("caption", {}, ...caption),
    make("thead", {}, make("tr", {}, make("td"), ...numbers)),
    make("tbody", {}, ...rows),
  );
}

function cellOf(word, k, repeated, most) {
  const value = Number(word);
  const side = ODD.test(word) ? " mg-odd" : value < 0 ? " mg-below" : "";
  const cell = make(
    "td",
    { class: `mg-of-table${side}${repeated ? " mg-repeated" : ""}`, "data-k": k, tabindex: "-1" },
    `${side === " mg-odd" ? "⚠ " : ""}${inShort(word)}`,
  );
  if (Number.isFinite(value) && most)
    cell.style?.setProperty("--mg-much", `${Math.round((Math.abs(value) / most) * 100)}%`);
  return cell;
}

/**
 * Within an element, the arrow keys, Home and End lead from cell to cell of a table, and `entered` is told of Enter.
 * @param {HTMLElement} element
 * @param {(cell: HTMLElement) => void} entered
 */
export function walkCells(element, entered) {
  element.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const cell = /** @type {HTMLElement | null} */ (target.closest?.("[data-k]"));
    if (!cell || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    const cellsOf = (row) => [...(row?.querySelectorAll("[data-k]") ?? [])];
    const row = cell.parentElement;
    const cells = cellsOf(row);
    const at = cells.indexOf(cell);
    const [way, up, down] = [
      { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: cells.length - 1 },
      "ArrowUp",
      "ArrowDown",
    ];
    const isWay = event.key in way || event.key === up || event.key === down;
    if (!isWay && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation(); // outside the tables these keys step
    if (!isWay) entered(cell);
    const next =
      event.key in way
        ? cells[way[event.key]]
        : cellsOf({ [up]: row.previousElementSibling, [down]: row.nextElementSibling }[event.key])[at];
    if (!next) return;
    for (const other of cell.closest("table").querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

/** The part of the explanation that shows the numbers of a step. */
export class Cells {
  /**
   * @param {Player} player
   * @param {(text: string) => void} say
   */
  constructor(player, say) {
    this.player = player;
    this.boxes = player.picture.boxes ?? {};
    this.any = Object.values(this.boxes).some(({ shape }) => shape && sizeOf(JSON.parse(shape)) > 1);
    this.tables = make("div", { class: "mg-cells" });
    this.word = make("p", { class: "mg-cells-word" });
    this.body = make(
      "div",
      { class: "mg-reasons", role: "group", "aria-label": "the numbers of this step, cell by cell" },
      this.tables,
      this.word,
    );
    this.element = make("details", { class: "mg-folded", hidden: !this.any }, make("summary", {}, "cells"), this.body);
    walkCells(this.body, (cell) => say(this.sentenceOf(cell)));
    const cellAt = (element) => element?.closest?.(".mg-cells [data-k]") ?? null;
    for (const name of ["pointerover", "focusin"])
      this.body.addEventListener(name, (event) => this.light(cellAt(event.target)));
    for (const name of ["pointerleave", "focusout"])
      this.body.addEventListener(name, () =>
        this.light(this.body.contains(document.activeElement) ? cellAt(document.activeElement) : null),
      );
  }

  get isShown() {
    return this.any && this.element.open;
  }

  /**
   * Show a frame; as long as the cells are not looked at, nothing is made.
   * @param {Frame} frame
   */
  paint(frame) {
    const now = JSON.stringify(this.player.now);
    if (!this.isShown || (this.shown === frame && this.now === now)) return;
    this.shown = frame;
    this.now = now;
    const held = this.tables.contains(document.activeElement);
    this.tables.replaceChildren(
      ...(frame.cells
        ? this.parts(frame.cells)
        : [make("p", { class: "mg-soft" }, "All numbers of this step are single: nothing goes from cell to cell.")]),
    );
    this.light(null);
    if (!held) return;
    const first = this.tables.querySelector("[data-k]") ?? this.element.firstChild;
    /** @type {HTMLElement} */ (first).focus({ preventScroll: true });
  }

  /** @param {StepCells} cells */
  parts({ g, operands, sent }) {
    const large = [];
    const inputs = operands.map((operand) => this.input(operand));
    this.arrived = tensorFrom(g.shape, g.cells);
    this.sent = sent.map(({ key, shape, cells, from }) => {
      const tensor = tensorFrom(shape, cells);
      const name = inputs.find(({ edge }) => edge === key)?.name ?? `${this.boxes[key]?.name}.grad`;
      return {
        key,
        name,
        shape,
        tensor,
        weights: tensor && this.arrived && weightsFrom(from, tensor.words.length, this.arrived.words.length),
      };
    });
    const slope = largest([this.arrived, ...this.sent.map(({ tensor }) => tensor)]);
    const size = largest(inputs.map(({ value }) => value));
    const part = (tensor, shape, caption, of, into = null) => {
      if (!tensor && shape)
        large.push(...(large.length ? [", "] : []), ...caption, ` (${sizeOf(shape).toLocaleString("en")} numbers)`);
      if (!tensor) return "";
      const table = cellTable(tensor, caption, of === null ? size : slope, into);
      if (of !== null) table.setAttribute("data-of", of);
      return table;
    };
    const into = ({ repeated }) => (repeated && this.arrived ? g.shape : null);
    const parts = [
      part(this.arrived, g.shape, [`${this.player.gradient}, as it arrived`], "g"),
      ...this.sent.map(({ tensor, shape, name }, k) =>
        part(tensor, shape, [inputs.length ? "to " : "", nameOf(name)], k),
      ),
      ...inputs.map((one) =>
        part(one.value, JSON.parse(one.shape || "null"), [nameOf(one.name), ", its value"], null, into(one)),
      ),
    ];
    const below = [cellScale(slope, "gradients"), cellScale(size, "values")];
    if (large.length)
      below.push(
        make(
          "p",
          { class: "mg-soft" },
          "Too many for a cell each, so shown as maps in the boxes and their details: ",
          ...large,
          ".",
        ),
      );
    return [...parts, make("div", { class: "mg-cells" }, ...below)];
  }

  /**
   * An input of the box that ran: its name, and the numbers that it has now.
   * @param {StepCells["operands"][0]} operand
   */
  input([edge, box, output, repeated]) {
    const { name: names, outputs } = this.boxes[box];
    const name = names.split(", ")[outputs?.length ? output : 0] ?? "";
    /** @type {{ shape: string, cells?: string, full?: string, value?: string }} */
    const about = outputs?.[output] ?? { ...this.boxes[box], ...this.player.now[box] };
    const value = tensorFrom(about.shape, about.cells || (about.full ?? about.value));
    return { edge, name, repeated, shape: about.shape, value };
  }

  /** The cells that one has to do with, [table, cell, weight], if any; null where that is not known. */
  relations(of, at) {
    const link = ([k, row], cell) => (row?.[cell] ? [[k, cell, row[cell]]] : []);
    if (of !== "g") return this.sent[of].weights?.[at]?.flatMap((weight, k) => link(["g", { [k]: weight }], k)) ?? null;
    if (!this.sent.some(({ weights }) => weights)) return null;
    return this.sent.flatMap(({ weights }, k) => (weights ?? []).flatMap((row, j) => link([k, { [j]: row?.[at] }], j)));
  }

  light(cell) {
    for (const lit of this.tables.querySelectorAll(".mg-from, .mg-at")) lit.classList.remove("mg-from", "mg-at");
    const of = cell?.closest("table").getAttribute("data-of") ?? null;
    const related = of === null ? null : this.relations(of, Number(cell.getAttribute("data-k")));
    cell?.classList.add("mg-at");
    this.tables.classList.toggle("mg-lights", related !== null);
    for (const [other, k, weight] of related ?? []) {
      /** @type {HTMLElement | null} */
      const lit = this.tables.querySelector(`[data-of="${other}"] [data-k="${k}"]`);
      lit?.classList.add("mg-from");
      lit?.style?.setProperty("--mg-weight", `${25 + Math.round((weight / 9) * 75)}%`);
    }
    this.word.textContent = cell ? this.sentenceOf(cell) : "";
  }

  /** A cell, its number, and what it has to do with which others, in a sentence. */
  sentenceOf(cell) {
    const of = cell.closest("table").getAttribute("data-of");
    const at = Number(cell.getAttribute("data-k"));
    if (of === null) return "";
    const [tensor, name] =
      of === "g" ? [this.arrived, this.player.gradient] : [this.sent[of].tensor, this.sent[of].name];
    const nameAt = (k, { shape }, whose) => `${whose}${shape.length ? `[${placeOf(shape, k).join(", ")}]` : ""}`;
    const related = this.relations(of, at);
    const others = (related ?? []).map(([which, k]) =>
      which === "g"
        ? nameAt(k, this.arrived, this.player.gradient)
        : nameAt(k, this.sent[which].tensor, this.sent[which].name),
    );
    const list =
      others.slice(0, SEVERAL).join(", ") + (others.length > SEVERAL ? ` and ${others.length - SEVERAL} more` : "");
    const unknown =
      of !== "g" && this.sent[of].weights
        ? "the rule multiplies with NaN or infinity"
        : "the kernel finds that of minigrad's own rules, without hooks, in graphs that are not large";
    const way = of === "g" ? "goes to" : "comes from";
    const known = others.length ? list : "no cell: the derivative is 0";
    const told = `${way} ${related === null ? `cells that are not known: ${unknown}` : known}`;
    return `${of === "g" ? "" : "What goes to "}${nameAt(at, tensor, name)}, ${tensor.words[at]}, ${told}.`;
  }
}

// How large gradients are, so that one which vanishes or explodes is seen at a glance: an edge over which a gradient
// has gone is the wider the larger its norm, on a scale of powers of ten, and where the reader asks for it edges and
// boxes are coloured by it and say it in numbers. NaN and infinity have looks of their own, NaN a hatch, and the box is
// marked where a NaN began: where one went out, and none had come.

import { make, shape } from "./dom.mjs";

const FAINTEST = -6; // powers of ten
const STRONGEST = 2;

/**
 * From 0, for a norm of 10 to the FAINTEST or less, to 1; what is not finite is as strong as can be.
 * @param {number} norm
 */
export function share(norm) {
  if (norm === 0 || !Number.isFinite(norm)) return norm === 0 ? 0 : 1;
  return Math.min(1, Math.max(0, (Math.log10(norm) - FAINTEST) / (STRONGEST - FAINTEST)));
}

/** A norm in at most three digits. */
export function sizeText(norm) {
  if (!Number.isFinite(norm)) return `‖g‖ ${Number.isNaN(norm) ? "NaN" : "Inf"}`;
  return `‖g‖ ${String(Number(norm.toPrecision(3))).replace("e-", "e−")}`;
}

/**
 * The norm of all that went along some edges: of one vector that holds them all. JSON has no word for NaN and infinity:
 * these come as texts.
 * @param {(number | string | undefined)[]} norms
 */
export function together(norms) {
  const known = norms.filter((norm) => norm !== undefined).map(Number);
  if (!known.length) return undefined;
  return known.some(Number.isNaN) ? NaN : Math.hypot(...known);
}

/**
 * The hatch of boxes that a NaN has come to, for one drawing, and how it is named there. The name is drawn: a notebook
 * loads this file anew for each of its steppers, and in a drawing that is scrolled out of sight a hatch is none for the
 * others.
 * @returns {[SVGPatternElement, string]}
 */
export function hatching() {
  const id = `mg-hatch-${Math.random().toString(36).slice(2)}`;
  const lines = [
    shape("rect", { class: "mg-hatch-back", width: 8, height: 8 }),
    shape("path", { class: "mg-hatch-line", d: "M0 0V8" }),
  ];
  return [
    shape(
      "pattern",
      { id, width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      ...lines,
    ),
    `url(#${id})`,
  ];
}

/** What the colours mean. */
export function legend() {
  const raised = (sign) => (sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)]);
  const power = (exponent) => `10${[...String(exponent)].map(raised).join("")}`;
  const key = (odd) => make("span", { class: `mg-key mg-size-${odd}`, "aria-hidden": "true" });
  return make(
    "div",
    { class: "mg-legend", hidden: true },
    "‖g‖ ",
    power(FAINTEST),
    make("span", { class: "mg-size-ramp", "aria-hidden": "true" }),
    power(STRONGEST),
    key("inf"),
    "Inf",
    key("nan"),
    "NaN",
  );
}

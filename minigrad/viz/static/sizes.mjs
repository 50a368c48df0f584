// How large gradients are, so that one which vanishes or explodes is seen at a glance: an edge over which a gradient
// has gone is the wider the larger its norm, on a scale from the smallest to the largest of this pass, and where the
// reader asks for it edges and boxes are coloured by it and say it in numbers. What is 0, NaN or infinite lies on no such
// scale and has looks of its own, NaN a hatch, and the box is marked where a NaN began: where one went out, and none had
// come.

import { make } from "./dom.mjs";

/** @typedef {[number, number]} Span the smallest and the largest norm of a pass */

const ALIKE = 1.001; // times: norms no further apart have one colour, as rounding tells them apart and nothing else
const MIDDLE = 0.5;

/**
 * The smallest and the largest of some norms, of those that are finite and not 0; null where there is none.
 * @param {Iterable<number | string>} norms
 * @returns {Span | null}
 */
export function spanOf(norms) {
  let [least, most] = [Infinity, 0];
  for (const norm of norms) {
    const size = Number(norm); // JSON has no word for NaN and infinity: these come as texts
    if (!Number.isFinite(size) || size === 0) continue;
    least = Math.min(least, size);
    most = Math.max(most, size);
  }
  return most ? [least, most] : null;
}

/**
 * From 0, for the smallest norm of the pass, to 1, for the largest, by powers; where all are alike, the middle. What is
 * not finite is as strong as can be.
 * @param {number} norm
 * @param {Span | null} span
 */
export function share(norm, span) {
  if (norm === 0 || !Number.isFinite(norm)) return norm === 0 ? 0 : 1;
  if (!span || span[1] / span[0] < ALIKE) return MIDDLE;
  const [least, most] = span.map(Math.log);
  return Math.min(1, Math.max(0, (Math.log(norm) - least) / (most - least)));
}

/** A number in at most three digits. */
function inDigits(norm) {
  return String(Number(norm.toPrecision(3))).replace("e-", "e−");
}

/** A norm in at most three digits. */
export function sizeText(norm) {
  return `‖g‖ ${Number.isFinite(norm) ? inDigits(norm) : Number.isNaN(norm) ? "NaN" : "Inf"}`;
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

/** What the colours mean: the scale of this pass, with its numbers, and what lies on no scale. */
export class SizeScale {
  constructor() {
    const key = (odd) => make("span", { class: `mg-key mg-size-${odd}`, "aria-hidden": "true" });
    this.least = make("span", { class: "mg-size-least" });
    this.most = make("span", { class: "mg-size-most" });
    this.ramp = make("span", { class: "mg-size-ramp", "aria-hidden": "true" });
    const odd = Object.entries({ zero: "0", inf: "Inf", nan: "NaN" }).flatMap(([name, word]) => [key(name), word]);
    this.element = make(
      "div",
      {
        class: "mg-legend",
        hidden: true,
        title: "the sizes of this pass's gradients, from the smallest to the largest",
      },
      "‖g‖ ",
      this.least,
      this.ramp,
      this.most,
      ...odd,
    );
  }

  /** @param {Span | null} span */
  paint(span) {
    const isOne = span !== null && span[1] / span[0] < ALIKE;
    this.least.textContent = span ? inDigits(span[0]) : "";
    this.most.textContent = span && !isOne ? inDigits(span[1]) : "";
    this.ramp.hidden = !span;
    this.ramp.classList.toggle("mg-size-one", isOne);
  }
}

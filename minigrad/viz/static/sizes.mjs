// How large gradients are, so that one which vanishes or explodes is seen at a glance: an edge over which a gradient has gone is the wider the
// larger its norm, on a scale of powers of ten, and where the reader asks for it edges and boxes are coloured by it and say it in numbers.

import { make } from "./dom.mjs";

const FAINTEST = -6; // powers of ten
const STRONGEST = 2;

/** From 0, for a norm of 10 to the FAINTEST or less, to 1. */
export function share(norm) {
  if (norm === 0) return 0;
  return Math.min(1, Math.max(0, (Math.log10(norm) - FAINTEST) / (STRONGEST - FAINTEST)));
}

/** A norm in at most three digits. */
export function sizeText(norm) {
  if (norm === null) return "‖g‖ not finite";
  return `‖g‖ ${String(Number(norm.toPrecision(3))).replace("e-", "e−")}`;
}

/** The norm of all that went along some edges: of one vector that holds them all. */
export function together(norms) {
  const known = norms.filter((norm) => norm !== undefined);
  if (!known.length) return undefined;
  return known.includes(null) ? null : Math.hypot(...known);
}

/** What the colours mean. */
export function legend() {
  const power = (exponent) => `10${[...String(exponent)].map((sign) => (sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(sign)])).join("")}`;
  return make("div", { class: "mg-legend", hidden: true }, "size of the gradient: ", power(FAINTEST), make("span", { class: "mg-size-ramp", "aria-hidden": "true" }), power(STRONGEST));
}

// When a run stops by itself. A breakpoint is a box, or a condition on the gradient `g` that a node received. The
// conditions are a small language, `g.norm() > 10`, `g.min() < 0`, `nan`, so that the same text means the same in the
// kernel (minigrad/viz/steps/breakpoints.py) and on a page that has none; nothing that is typed here is ever run as
// code.

/** @import { Breakpoint, Frame } from "./model.d.ts" */

const MEASURES = ["norm", "max", "min", "mean"];
const COMPARE = {
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
};
const FORM = /^g\s*\.\s*(norm|max|min|mean)\s*\(\s*\)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)$/i;
export const EXAMPLE = "g.norm() > 10";

/**
 * What a condition says, or null if it is none of ours.
 * @param {string} text
 */
export function parseCondition(text) {
  const words = text.trim().toLowerCase();
  if (words === "nan" || words === "inf") return { alarm: words === "nan" ? "NaN" : "Inf" };
  const found = FORM.exec(text.trim());
  if (!found) return null;
  return { measure: found[1].toLowerCase(), compare: found[2], bound: Number(found[3]) };
}

/**
 * Whether a condition holds at a frame. `frame.received` has the gradient's norm, max, min and mean.
 * @param {ReturnType<typeof parseCondition>} condition
 * @param {Frame} frame
 */
export function holds(condition, frame) {
  if (!condition) return false;
  if (condition.alarm) return (frame.alarm ?? "").includes(condition.alarm);
  const value = frame.received?.[MEASURES.indexOf(condition.measure)]; // nothing where it is not finite
  return typeof value === "number" && COMPARE[condition.compare](value, condition.bound);
}

/**
 * The first of the breakpoints that a frame meets, or null.
 * @param {Breakpoint[]} breaks
 * @param {Frame} frame
 */
export function breakpointMet(breaks, frame) {
  return (
    breaks.find((item) => (item.box ? item.box === frame.box : holds(parseCondition(item.when ?? ""), frame))) ?? null
  );
}

// The small signs for events: a hook is a hook, a saved tensor is a filled diamond and a freed one an empty diamond, a
// pruned branch is cut. Each kind has a shape of its own; colour only helps.

import { shape } from "./dom.mjs";

// What it is called, its outline in a square from -6 to 6, and how it is drawn: "line", or "solid".
export const EVENTS = {
  tensor_hook: ["tensor hook", "M2-5V1.5a3.5 3.5 0 0 1-7 0V0", "line"],
  node_prehook: ["hook before the node", "M4-5V1.5a3.5 3.5 0 0 1-7 0V0M-5-5H0", "line"],
  node_hook: ["hook after the node", "M1-5V1a3 3 0 0 1-6 0V0M2 5H6", "line"],
  post_accumulate: ["hook after accumulation", "M4-5V1.5a3.5 3.5 0 0 1-7 0V0M-5-3H0M-2.5-5.5V-.5", "line"],
  retain_grad: ["gradient retained", "M0-5.5L5-1V5.5H-5V-1Z", "line"],
  packed: ["packed", "M-5-1V5H5V-1M0-6V2M-2.5-.5L0 2L2.5-.5", "line"],
  unpacked: ["unpacked", "M-5-1V5H5V-1M0 2V-6M-2.5-3.5L0-6L2.5-3.5", "line"],
  saved: ["saved", "M0-6L5 0L0 6L-5 0Z", "solid"],
  freed: ["freed", "M0-6L5 0L0 6L-5 0Z", "line"],
  version_mismatch: ["changed since it was saved", "M-5-2H5M-5 2H5M3-6L-3 6", "line"],
  anomaly: ["anomaly", "M1-6L-4 1H0L-1 6L4-1H0Z", "solid"],
  error: ["error", "M-5-5L5 5M5-5L-5 5", "line"],
  pruned: ["pruned", "M-6-4L6 4M-6 4L6-4M-6 0h2M-1 0h2M4 0h2", "line"],
};
const ALARMS = new Set(["version_mismatch", "anomaly", "error"]);

/**
 * The sign of an event in the drawing.
 * @param {string} kind
 */
export function sign(kind, x = 0, y = 0) {
  const [, outline, style] = EVENTS[kind] ?? ["", "M0-5A5 5 0 1 0 .01-5Z", "line"];
  const mark = shape("g", {
    class: `mg-sign mg-sign-${style}${ALARMS.has(kind) ? " mg-sign-alarm" : ""}`,
    transform: `translate(${x} ${y})`,
    "data-sign": kind,
  });
  mark.append(shape("circle", { r: 9, class: "mg-sign-back" }), shape("path", { d: outline }));
  return mark;
}

/** The sign of an event as a picture of its own, for lists. */
export function signPicture(kind) {
  const picture = shape("svg", {
    class: "mg-sign-picture",
    viewBox: "-10 -10 20 20",
    width: 18,
    height: 18,
    "aria-hidden": "true",
  });
  picture.append(sign(kind));
  return picture;
}

export function eventWord(kind) {
  return EVENTS[kind]?.[0] ?? String(kind).replaceAll("_", " ");
}

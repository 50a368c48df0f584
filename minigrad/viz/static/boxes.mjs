// A box as elements: its name, the expression that made it, its value and its gradient. The same shapes as those that
// svg.py writes for pages that do not run the widget; their colours are the style sheet's, and a step paints what
// changes.

import { shape } from "./dom.mjs";
import { BESIDE_MAP, MAP_HEIGHT, MAP_WIDTH, NAME_ROW, PAD, ROW } from "./measures.mjs";

/** @import { About } from "./model.d.ts" */

/**
 * A box that nothing was painted in yet; `about` is what the picture says of it.
 * @param {string} id
 * @param {About} about
 */
export function boxFrom(id, about) {
  const { kind, name, expression, size, label = name, beside = expression } = about;
  const [width, height] = size;
  const rows = kind === "constant" ? ["value"] : ["value", "grad"];
  const end = width - PAD;
  return shape(
    "g",
    { class: `mg-box mg-${kind} mg-${kind === "constant" ? "off" : "idle"}`, "data-box": id },
    shape("rect", { class: "mg-card", width, height, rx: kind === "leaf" ? 12 : 5 }),
    shape("path", { class: "mg-rule", d: `M1 ${NAME_ROW}H${width - 1}` }),
    shape("text", { class: "mg-name", x: PAD, y: 17 }, label),
    shape("text", { class: "mg-expression", x: end, y: 17, "text-anchor": "end" }, beside),
    ...rows.flatMap((word, k) => rowOf(word, NAME_ROW + 2 + ROW * k, end, about)),
    shape(
      "g",
      { class: "mg-badge", visibility: "hidden" },
      shape("rect", { class: "mg-flag", y: -12, height: 18, rx: 9 }),
      shape("text", { class: "mg-flag-text", y: 1, "text-anchor": "middle" }),
    ),
  );
}

/**
 * The word "value" or "grad", what there is to say, and of what is large a map. The gradient's comes with the first
 * painting.
 */
function rowOf(word, top, end, about) {
  const isValue = word === "value";
  const { value, alarm, unknown, large, text = value, heat } = isValue ? about : { large: about.large, value: "" };
  const marks = `${alarm ? " mg-alarm" : ""}${unknown ? " mg-none" : ""}`;
  const shown = shape(
    "text",
    { class: `mg-${word}${marks}`, x: heat ? end - MAP_WIDTH - BESIDE_MAP : end, y: top + 13, "text-anchor": "end" },
    text,
  );
  const map = shape("image", {
    class: `mg-map mg-${word}-map`,
    x: end - MAP_WIDTH,
    y: top + 2,
    width: MAP_WIDTH,
    height: MAP_HEIGHT,
    preserveAspectRatio: "none",
    href: heat,
    visibility: heat ? null : "hidden",
  });
  return [shape("text", { class: "mg-word", x: PAD, y: top + 13 }, word), shown, ...(large ? [map] : [])];
}

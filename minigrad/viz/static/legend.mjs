// What the parts of this very picture mean: numbers stand on parts that are shown now, and beside it, where else the
// explanation stands, a sentence for each. What does not occur in this picture is not explained. It follows the step and
// what is scrolled; "?", Escape or a click ends it, and the focus stays where it was.

import { make, shape } from "./dom.mjs";
import { EVENTS } from "./marks.mjs";

/** @import { Stepper } from "./stepper.mjs" */

/**
 * A kind of part: its words, its elements in the drawing, what is said of one, and at which of its sides the number
 * stands; on an edge, on the line itself.
 * @typedef {{ word: string, selector: string, says: (text: string) => string, side: "left" | "right" | "corner" | "on" }} Part
 */

const RADIUS = 7.5; // pixels of a number's disc
const LEFTMOST = RADIUS + 1; // pixels from the stepper's edge to the middle of a number: there it would lie on what it means
const BESIDE_PART = 3; // pixels between a part and the ring around it
const CROWDED = 2 * RADIUS; // pixels between two discs, at least

/** @type {(word: string, selector: string, says: string | ((text: string) => string), side?: Part["side"]) => Part} */
const part = (word, selector, says, side = "right") => ({
  word,
  selector,
  says: typeof says === "string" ? () => says : says,
  side,
});

const WHAT_EVENTS_SAY = {
  tensor_hook: "a hook of this tensor was called with its gradient.",
  node_prehook: "a hook was called before the node ran.",
  node_hook: "a hook was called after the node ran.",
  post_accumulate: "a hook was called after the gradient was added to .grad.",
  retain_grad: "retain_grad() has this result keep its gradient.",
  packed: "a saved tensor was packed by a pack hook.",
  unpacked: "a saved tensor was unpacked by an unpack hook.",
  saved: "the node keeps a tensor for its rule.",
  freed: "what the node had saved is freed: a second backward cannot use it.",
  version_mismatch: "a saved tensor was written to since: the rule refuses.",
  anomaly: "NaN or infinity began here.",
  error: "an error was raised here.",
  pruned: "no gradient is asked for behind this place.",
};

export const WIDER = "the wider an edge, the larger the gradient that went along it, in this pass.";

const MADE_BOX = ".mg-box:not(.mg-unmade)";

/** @type {Part[]} */
const PARTS = [
  part(
    "leaf",
    `${MADE_BOX}.mg-leaf > .mg-card`,
    "round: a tensor that you made. Its gradient stays in its .grad.",
    "corner",
  ),
  part("result", `${MADE_BOX}.mg-result > .mg-card`, "what an operation made of the boxes that lead to it.", "corner"),
  part(
    "constant",
    `${MADE_BOX}.mg-constant > .mg-card`,
    "dotted: it needs no gradient, and none goes there.",
    "corner",
  ),
  part(
    "name",
    `${MADE_BOX}.mg-result > .mg-name`,
    (text) => (/^[tg]\d+$/.test(text) ? "numbered, as your code gives it no name." : "as in your code."),
    "left",
  ),
  part("expression", `${MADE_BOX} > .mg-expression`, "the operation that made it, as in your code."),
  part("value", `${MADE_BOX} > .mg-value`, "what it is since the forward pass; of a large one, its shape."),
  part("grad", `${MADE_BOX}:not(.mg-constant) > .mg-grad`, (text) =>
    text === "None" ? "its gradient: none has come." : "its gradient so far. In sentences, g is what came to the node.",
  ),
  part(
    "so far",
    `${MADE_BOX} > .mg-partial`,
    "the sum of what has come for a leaf; .grad gets it when all has.",
    "left",
  ),
  part("map", '.mg-map:not([visibility="hidden"])', "all its numbers as colours: blue below 0, orange above."),
  part("arrow", ".mg-edge:not(.mg-unmade, .mg-off) > .mg-forward", "forward: the value goes this way."),
  part("arrow back", ".mg-edge:not(.mg-off) > .mg-backward", "a gradient went this way.", "left"),
  part("wide edge", ".mg-edge.mg-sized > .mg-wire", WIDER, "on"),
  part("dotted edge", ".mg-edge.mg-off > .mg-wire", "no gradient goes back here.", "on"),
  part("edge's mark", ".mg-edge:not(.mg-unmade) > .mg-mark", markSaid, "left"),
  part("chip", ".mg-chip:not(.mg-shape)", "the gradient that goes along this edge, or its shape or size."),
  part("next ▸", `${MADE_BOX}.mg-upnext > .mg-badge`, "the node that runs next."),
  part(
    "ready",
    `${MADE_BOX}.mg-ready:not(.mg-upnext) > .mg-badge`,
    "all its gradients are there; it runs after the next.",
  ),
  part("just ran", `${MADE_BOX}.mg-ran > .mg-badge`, "the node of this step."),
  part("waiting", `${MADE_BOX}.mg-waiting > .mg-badge`, waitingSaid),
  part("✓", `${MADE_BOX}.mg-done > .mg-badge`, "its turn is over; “reached” is a leaf that has its gradient."),
  part("none came", `${MADE_BOX}.mg-off > .mg-badge`, "all who use it have run and sent it nothing: it does not run."),
  part("failed", `${MADE_BOX}.mg-bad > .mg-badge`, "backward ended here with an error."),
  part("greyed", `${MADE_BOX}.mg-greyed:not(.mg-constant) > .mg-card`, "it needs no gradient.", "corner"),
  part("cut off", `${MADE_BOX}.mg-pruned > .mg-card`, "this pass sends no gradient here.", "corner"),
  part("version", '.mg-version-tag:not([visibility="hidden"])', versionSaid, "left"),
  ...Object.entries(EVENTS).map(([kind, [word]]) => part(word, `[data-sign="${kind}"]`, WHAT_EVENTS_SAY[kind])),
  part("breakpoint", ".mg-stop", "a run stops before this node.", "left"),
  part(
    "closed part",
    ".mg-group:not(.mg-open) > .mg-frame",
    "several nodes in one; its bar says how many ran, a click opens it.",
    "corner",
  ),
  part(
    "open part",
    ".mg-titles .mg-group-title > .mg-fold-box",
    "a part of your code, open: a click closes it.",
    "left",
  ),
  part("difference", ":is(.mg-first, .mg-parts) > .mg-card", "the two passes part here.", "corner"),
  part("bars", ".mg-strip", "each is the steps of one part; its name is told by pointing at it, a click goes there."),
  part("small map", ".mg-minimap", "the whole graph, and the part of it that is seen; a click moves there.", "corner"),
];

/** @param {string} text */
function markSaid(text) {
  if (text.startsWith("×")) return "how many edges lead from the one box to the other.";
  return /^\d/.test(text)
    ? "which input it is, as both are one tensor."
    : "which result of the box above goes in there.";
}

/** @param {string} text */
function waitingSaid(text) {
  const [arrived, needed] = text.split(" of ");
  return `dashes: it waits. ${arrived} of the ${needed} gradients that it needs ${arrived === "1" ? "has" : "have"} arrived.`;
}

/** @param {string} text */
function versionSaid(text) {
  const [now, saved] = text.split(" ≠ ");
  return saved
    ? `it was saved as ${saved} and written to since, so it is ${now}: its rule refuses.`
    : `it was written to in place ${now === "v1" ? "once" : `${now.slice(1)} times`}.`;
}

export class Legend {
  /** @param {Stepper} stepper */
  constructor(stepper) {
    this.stepper = stepper;
    this.list = make("ol", { class: "mg-legend-parts" });
    this.element = make(
      "div",
      { class: "mg-explained", role: "region", "aria-label": "legend", tabindex: "0", hidden: true },
      make("p", { class: "mg-title" }, "What this picture shows"),
      this.list,
      make(
        "p",
        { class: "mg-soft" },
        make("kbd", {}, "?"),
        ", ",
        make("kbd", {}, "Escape"),
        " or a click closes this.",
      ),
    );
    this.marks = shape("svg", { class: "mg-pointers", "aria-hidden": "true", visibility: "hidden" });
    stepper.root.append(this.marks);
    this.list.addEventListener("pointerover", ({ target }) => this.lift(target));
    this.list.addEventListener("pointerleave", () => this.lift(null));
    stepper.root.addEventListener("click", (event) => this.click(event), true);
  }

  get isOpen() {
    return !this.element.hidden;
  }

  toggle() {
    if (this.close()) return;
    this.stepper.whole.leave(); // it points at parts of the view
    this.element.hidden = false;
    this.marks.setAttribute("visibility", "visible");
    this.stepper.tip.hide();
    this.paint();
    this.element.scrollTop = 0;
    const count = this.list.children.length;
    this.stepper.panels.say(`The legend is open: ${count} parts of this picture. Escape closes it.`);
  }

  /** Returns whether it was open. */
  close() {
    if (!this.isOpen) return false;
    if (this.element.contains(document.activeElement)) this.stepper.root.focus({ preventScroll: true });
    this.element.hidden = true;
    this.marks.setAttribute("visibility", "hidden");
    return true;
  }

  /** A click ends it; in the picture it does nothing else. */
  click(event) {
    if (!this.isOpen || event.target.closest(".mg-press-legend, .mg-press-more")) return;
    const isPicture = this.stepper.stage.contains(event.target);
    this.close();
    if (isPicture) event.stopPropagation();
  }

  // ---------------------------------------------------------------- what is there

  /**
   * The parts that occur, each with one element to point at: where there are several, one that is in view, and to which
   * no other number stands too near.
   */
  occurringParts() {
    const { root, stage, picture, view, controls } = this.stepper;
    const whole = root.getBoundingClientRect();
    const seen = view.getBoundingClientRect();
    const isLaid = picture.drawing?.getBoundingClientRect().width > 0;
    /** @type {{ x: number, y: number }[]} */
    const taken = [];
    const isFree = ({ x, y }) =>
      x > LEFTMOST && taken.every((other) => Math.hypot(other.x - x, other.y - y) >= CROWDED);
    const found = PARTS.flatMap(({ word, selector, says, side }) => {
      const elements = [stage, controls.marks].flatMap((place) => [...place.querySelectorAll(selector)]);
      const all = elements.filter(isShown).map((element) => {
        const rect = element.getBoundingClientRect();
        const isInView = !view.contains(element) || isWithin(rect, seen);
        return { element, rect, isInView, ...pointerAt(element, rect, side, whole) };
      });
      const there = isLaid ? all.filter(({ rect }) => rect.width && rect.height) : all;
      const inView = there.filter(({ isInView }) => isInView);
      const near = this.nearStep(inView);
      const one = near.find(isFree) ?? near[0] ?? there[0];
      if (!one) return [];
      if (one.isInView) taken.push(one);
      const where = one.isInView || !isLaid ? "" : one.rect.top < seen.top ? " Further up." : " Further along.";
      return [{ ...one, word, sentence: `${says(one.element.textContent.trim())}${where}` }];
    });
    return found.sort((one, other) => Number(other.isInView) - Number(one.isInView));
  }

  /** Those in the box of the step first: there the reader looks; and of edges the widest. */
  nearStep(parts) {
    const { picture, player } = this.stepper;
    const box = picture.element(player.frame?.box ?? player.frame?.next);
    const weight = ({ element }) =>
      box?.contains(element) ? 2 : Number(element.parentNode.style?.getPropertyValue("--mg-size")) || 0;
    return [...parts].sort((one, other) => weight(other) - weight(one));
  }

  // ---------------------------------------------------------------- painting

  paint() {
    if (!this.isOpen) return;
    const found = this.occurringParts();
    const told = found.map(({ word, sentence }) => `${word}: ${sentence}`).join("\n");
    if (told !== this.told) {
      this.told = told;
      this.list.replaceChildren(
        ...found.map(({ word, sentence }) => make("li", {}, make("b", {}, word), `: ${sentence}`)),
      );
    }
    this.marks.replaceChildren(
      ...found.map(({ x, y, ring, isInView }, k) => {
        const disc = shape("circle", { r: RADIUS, cx: x, cy: y });
        const number = shape("text", { x, y: y + 3.5, "text-anchor": "middle" }, String(k + 1));
        const around = shape("rect", { class: "mg-ring", rx: 5, ...ring });
        return shape("g", { class: "mg-pointer", visibility: isInView ? null : "hidden" }, around, disc, number);
      }),
    );
  }

  /** Show where the part is whose sentence is pointed at. */
  lift(target) {
    const k = [...this.list.children].indexOf(target?.closest("li"));
    for (const [place, mark] of [...this.marks.children].entries()) mark.classList.toggle("mg-lifted", place === k);
  }
}

/**
 * What the flag of a box means; "" where it has none.
 * @param {Element | null} badge
 */
export function badgeSaid(badge) {
  const found = badge && PARTS.find(({ selector }) => selector.endsWith(".mg-badge") && badge.matches(selector));
  return found ? `${found.word}: ${found.says(badge.textContent)}` : "";
}

/** @param {Element} element */
function isShown(element) {
  return !element.closest('[visibility="hidden"], [display="none"], [hidden], .mg-unmade');
}

/**
 * @param {DOMRect} rect
 * @param {DOMRect} around
 */
function isWithin(rect, around) {
  return (
    rect.left >= around.left - RADIUS &&
    rect.right <= around.right + RADIUS &&
    rect.top >= around.top - RADIUS &&
    rect.bottom <= around.bottom + RADIUS
  );
}

/**
 * Where the number of a part stands, and the ring around that part, in pixels of the stepper.
 * @param {any} element
 * @param {DOMRect} rect
 * @param {Part["side"]} side
 * @param {DOMRect} whole
 */
function pointerAt(element, rect, side, whole) {
  const ring = {
    x: rect.left - whole.left - BESIDE_PART,
    y: rect.top - whole.top - BESIDE_PART,
    width: rect.width + 2 * BESIDE_PART,
    height: rect.height + 2 * BESIDE_PART,
  };
  const inside = (place, room) => Math.max(LEFTMOST, room ? Math.min(place, room - RADIUS - 1) : place);
  let x =
    side === "right" ? ring.x + ring.width + RADIUS - 2 : side === "left" ? ring.x - RADIUS + 2 : ring.x + BESIDE_PART;
  let y = ring.y + (side === "corner" ? ring.height - BESIDE_PART : ring.height / 2);
  if (side === "on" && rect.width) {
    const middle = element.getPointAtLength(element.getTotalLength() / 2).matrixTransform(element.getScreenCTM());
    x = middle.x - whole.left;
    y = middle.y - whole.top;
  }
  return { ring, x: inside(x, whole.width), y: inside(y, whole.height) };
}

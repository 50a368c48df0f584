// Every key. All can be done without a pointer: steps from anywhere in the widget, and, with the focus on a box, what
// can be done with that box. These keys are the widget's own as long as it has the focus. All others, and each of them
// with Ctrl, Alt or Meta, belong to the browser and to JupyterLab, which hears of a key when the widget has let it
// pass.

/** @import { Stepper } from "./stepper.mjs" */

export const KEYS = [
  ["→ ←", "one step on, into what is closed; one back"],
  ["o O", "over the module or call that comes next; with Shift, back over the one before"],
  ["e E", "out: to the end of the module or call around this step; with Shift, to its beginning"],
  ["Home End", "before the first step, after the last"],
  ["space", "play, pause; ends a run"],
  ["Shift + arrows", "from box to box"],
  ["Enter", "details of a box; opens or closes a module; elsewhere: run to the next breakpoint"],
  ["b", "breakpoint at a box"],
  ["r", "run to a box"],
  ["u d", "what a box comes from, what it leads to"],
  ["m", "menu of a box"],
  ["/", "find a node; there Enter and Shift + Enter lead to the next and the one before"],
  ["+ − 0 f", "larger, smaller, natural size, the whole graph"],
  ["g", "colour edges and boxes by the size of their gradients"],
  ["p", "predict: who runs next and which numbers come, before they are shown"],
  ["↑ ↓", "scroll an explanation that has the focus"],
  ["?", "what the parts of this picture mean; again, or a click, ends it"],
  ["Escape", "close, clear; where nothing is open, leave: JupyterLab's own keys work again"],
];

/** What an element of the page does with a key by itself. */
export const BY_ITSELF = () => {};

const FIELDS = "input[type=text], input[type=search], select";
const SCROLLED = ".mg-story, .mg-source, .mg-reasons";
const ON_BOX = "A box has this key: Shift and the arrow keys lead to one.";

/**
 * What a key does: a function; BY_ITSELF, for a key that is ours and that the element with the focus knows; null, for a
 * key that is not ours.
 * @param {KeyboardEvent} event
 * @param {Stepper} stepper
 * @returns {(() => void) | null}
 */
export function actionFor(event, stepper) {
  const target = /** @type {Element} */ (event.target);
  const { shiftKey } = event;
  const letter = shiftKey ? "toUpperCase" : "toLowerCase"; // whatever the caps lock says
  const key = event.key.length === 1 ? event.key[letter]() : event.key;
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  /** @type {(selector: string) => any} */
  const on = (selector) => target.closest?.(selector) ?? null;
  const presses = key === "Enter" || key === " ";
  const moves = /^(Arrow\w+|Home|End)$/.test(key);
  if (key === "Escape") return () => stepper.escape();
  if (key === "Enter" && shiftKey) return null; // runs the cell
  // JupyterLab would take it for its own.
  if (key === "Enter" && on(FIELDS)?.form) return () => on(FIELDS).form.requestSubmit();
  if (on(FIELDS)) return moves || key.length === 1 || /^(Enter|Backspace|Delete)$/.test(key) ? BY_ITSELF : null;
  if (presses && on("button, summary")) return shiftKey ? null : BY_ITSELF;
  if (moves && on("input[type=range]")) return BY_ITSELF;
  if (/^Arrow(Up|Down)$/.test(key) && !shiftKey) return on(SCROLLED) ? BY_ITSELF : null;
  if (shiftKey && key.startsWith("Arrow")) return () => stepper.move(key.slice(5).toLowerCase());
  const box = on("[data-box]")?.getAttribute("data-box") ?? null;
  const group = on("[data-group]")?.getAttribute("data-group") ?? null;
  if (shiftKey && key === "F10") return box || group ? () => stepper.openMenu(box ?? group) : null;
  if (shiftKey && (moves || key === " ")) return null;
  if (key === " ") return () => stepper.controls.toggle();
  if (key === "Enter" && group) return () => stepper.toggleGroup(group);
  if (key === "Enter") return box ? () => stepper.inspect(box) : () => stepper.run();
  return onBox(key, box ?? stepper.inspector.id, group, stepper) ?? anywhere(key, stepper);
}

/**
 * @param {string} key
 * @param {string | null} box
 * @param {string | null} group
 * @param {Stepper} stepper
 */
function onBox(key, box, group, stepper) {
  const menuKey = key === "m" || key === "ContextMenu";
  if (menuKey && (box || group)) return () => stepper.openMenu(box ?? group);
  if (!box) return /^[brudm]$/.test(key) ? () => stepper.panels.say(ON_BOX) : null;
  const actions = {
    b: () => stepper.toggleBreak(box),
    r: () => stepper.runTo(box),
    u: () => stepper.highlight(box, "up"),
    d: () => stepper.highlight(box, "down"),
  };
  return actions[key] ?? null;
}

/**
 * @param {string} key
 * @param {Stepper} stepper
 */
function anywhere(key, stepper) {
  const { player, controls } = stepper;
  const step = (action) => () => {
    controls.stop();
    action();
  };
  const actions = {
    ArrowRight: step(() => controls.forward()),
    ArrowLeft: step(() => player.back()),
    o: step(() => player.over()),
    O: step(() => player.over(true)),
    e: step(() => player.out()),
    E: step(() => player.out(true)),
    Home: step(() => player.first()),
    End: step(() => player.last()),
    "+": () => controls.resize((camera) => camera.zoomIn()),
    "=": () => controls.resize((camera) => camera.zoomIn()),
    "-": () => controls.resize((camera) => camera.zoomOut()),
    0: () => controls.resize((camera) => camera.zoom(1)),
    f: () => controls.fit(),
    g: () => controls.toggleSizes(),
    p: () => controls.togglePredict(),
    "/": () => stepper.openSearch(),
    "?": () => stepper.legend.toggle(),
  };
  return Object.hasOwn(actions, key) ? actions[key] : null;
}

// Every key. All can be done without a pointer: steps from anywhere in the widget, and,
// with the focus on a box, what can be done with that box. Keys with Ctrl, Alt or Meta belong to the browser and to JupyterLab.

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
  ["/", "find a node"],
  ["+ − 0 f", "larger, smaller, natural size, the whole graph"],
  ["g", "colour edges and boxes by the size of their gradients"],
  ["p", "predict: who runs next and which numbers come, before they are shown"],
  ["Escape", "close, clear"],
];

/** What a key does: a function, or nothing. */
export function actionFor(event, stepper) {
  const { target, key } = event;
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  const typing = target.matches?.("input[type=text], input[type=search], select") ?? false;
  const sliding = target.matches?.("input[type=range]") ?? false;
  if (key === "Escape") return () => stepper.escape();
  if (typing && key === "Enter" && target.form) return () => target.form.requestSubmit(); // JupyterLab would take it for its own
  if (typing || (sliding && (key.startsWith("Arrow") || key === "Home" || key === "End"))) return null;
  const box = target.closest?.("[data-box]")?.getAttribute("data-box") ?? null;
  const group = target.closest?.("[data-group]")?.getAttribute("data-group") ?? null;
  if (event.shiftKey && key.startsWith("Arrow")) return () => stepper.move(key.slice(5).toLowerCase());
  if (key === "Enter" || key === " ") {
    if (target.closest?.("button, input")) return null; // these press a button
    if (key === " ") return () => stepper.controls.toggle();
    if (group) return () => stepper.toggleGroup(group);
    if (box) return () => stepper.inspect(box);
    return () => stepper.run();
  }
  return onBox(key, event, box ?? stepper.inspector.id, group, stepper) ?? anywhere(key, stepper);
}

function onBox(key, event, box, group, stepper) {
  if (key === "m" || key === "ContextMenu" || (key === "F10" && event.shiftKey)) return box || group ? () => stepper.openMenu(box ?? group) : null;
  if (!box) return null;
  const actions = {
    b: () => stepper.toggleBreak(box),
    r: () => stepper.runTo(box),
    u: () => stepper.highlight(box, "up"),
    d: () => stepper.highlight(box, "down"),
  };
  return actions[key] ?? null;
}

function anywhere(key, stepper) {
  const { player, controls, camera } = stepper;
  const step = (action) => () => {
    controls.stop();
    action();
  };
  const actions = {
    ArrowRight: step(() => controls.forward()),
    ArrowLeft: step(() => player.go(player.index - 1)),
    o: step(() => player.over()),
    O: step(() => player.over(true)),
    e: step(() => player.out()),
    E: step(() => player.out(true)),
    Home: step(() => player.go(player.start)),
    End: step(() => player.go(player.total)),
    "+": () => camera.zoomIn(),
    "=": () => camera.zoomIn(),
    "-": () => camera.zoomOut(),
    0: () => camera.zoom(1),
    f: () => controls.fit(),
    g: () => controls.toggleSizes(),
    p: () => controls.togglePredict(),
    "/": () => stepper.openSearch(),
  };
  return Object.hasOwn(actions, key) ? actions[key] : null;
}

// The widget's page side on its own: every control and key, with a kernel that answers, with one that does not, and
// with none.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, test } from "./testing.mjs";
import { loadModule, makeModel, openPage } from "./page.mjs";
import { changed } from "./recorded.mjs";

const { default: widget } = await loadModule("viz/static/stepper.mjs");
const { Player } = await loadModule("viz/static/player.mjs");
const examples = JSON.parse(await readFile(new URL("./examples.json", import.meta.url), "utf-8"));
const LAST = examples.example.recorded.length - 1;

let page;
let cleanup;

beforeEach(() => {
  page = openPage();
});

afterEach(async () => {
  cleanup?.();
  cleanup = null;
  await page.close();
});

/** A page without a kernel: everything is recorded, nothing can run. */
function saved(name = "example", values = {}) {
  return makeModel({
    ...examples[name],
    index: 0,
    finished: true,
    answered: 0,
    problem: {},
    request: {},
    live: false,
    ...values,
  });
}

/**
 * A page with a kernel that has run nothing yet and answers each request, by recording up to the frame that is asked
 * for.
 */
function live(values = {}) {
  const { picture, recorded } = examples.example;
  const model = makeModel({
    picture,
    recorded: recorded.slice(0, 1),
    index: 0,
    finished: false,
    answered: 0,
    problem: {},
    request: {},
    live: true,
    ...values,
  });
  model.answer = () => {
    const { to, nth } = model.get("request");
    const have = Math.max(model.get("recorded").length, Math.min(to, LAST) + 1);
    model.fromKernel({
      recorded: recorded.slice(0, have),
      index: Math.min(to, LAST),
      finished: have > LAST,
      answered: nth,
    });
  };
  return model;
}

async function show(model) {
  cleanup = await widget.render({ model, el: page.host });
  return page.host.querySelector(".minigrad-stepper");
}

const step = (root) => Number(root.getAttribute("data-step"));
const press = (root, name) => root.querySelector(`.mg-press-${name}`).click();
const key = (target, name, more = {}) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more }));
const texts = (root, selector) => [...root.querySelectorAll(selector)].map((element) => element.textContent);
const classes = (element) => element.getAttribute("class").split(" ");
const boxNamed = (root, name) =>
  [...root.querySelectorAll("[data-box]")].find((box) => box.querySelector(".mg-name").textContent === name);
const grads = (root) =>
  Object.fromEntries(
    [...root.querySelectorAll("[data-box]")].map((box) => [
      box.querySelector(".mg-name").textContent,
      box.querySelector(".mg-grad").textContent,
    ]),
  );
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("before anything ran, every gradient reads None", async () => {
  const root = await show(saved());
  assert.equal(step(root), 0);
  assert.deepEqual(new Set(Object.values(grads(root))), new Set(["None"]));
  assert.match(root.querySelector(".mg-story").textContent, /Nothing has run yet/);
  assert.equal(root.querySelector(".mg-counter").textContent, `step 0 of ${LAST}`);
  assert.equal(root.querySelectorAll(".mg-lit").length, 0);
});

test("next, back, first, last and the slider move over recorded frames", async () => {
  const root = await show(saved());
  press(root, "next");
  press(root, "next");
  assert.equal(step(root), 2);
  assert.deepEqual(grads(root), { A: "None", C: "4", B: "None", D: "1 + 9 = 10", E: "1", F: "1" });
  press(root, "back");
  assert.deepEqual(grads(root), { A: "None", C: "None", B: "None", D: "1", E: "1", F: "1" });
  press(root, "last");
  assert.equal(step(root), LAST);
  assert.deepEqual(grads(root), { A: "24", C: "4", B: "40", D: "10", E: "1", F: "1" });
  press(root, "first");
  assert.equal(step(root), 0);
  const slider = root.querySelector(".mg-slider");
  slider.value = "3";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  assert.equal(step(root), 3);
  assert.equal(slider.getAttribute("aria-valuetext"), `step 3 of ${LAST}`);
});

test("controls that lead nowhere say so and do nothing", async () => {
  const root = await show(saved());
  const off = (name) => root.querySelector(`.mg-press-${name}`).getAttribute("aria-disabled") === "true";
  assert.deepEqual(["first", "back", "next", "last"].map(off), [true, true, false, false]);
  press(root, "back");
  assert.equal(step(root), 0);
  press(root, "last");
  assert.deepEqual(["first", "back", "next", "last"].map(off), [false, false, true, true]);
  press(root, "next");
  assert.equal(step(root), LAST);
});

test("arrow keys, Home and End step; other keys and key combinations are left alone", async () => {
  const root = await show(saved());
  /** @type {[string, number][]} */
  const steps = [
    ["ArrowRight", 1],
    ["ArrowRight", 2],
    ["ArrowLeft", 1],
    ["End", LAST],
    ["ArrowRight", LAST],
    ["Home", 0],
    ["ArrowLeft", 0],
  ];
  for (const [name, expected] of steps) {
    assert.equal(key(root, name), false, `${name} is taken`);
    assert.equal(step(root), expected, name);
  }
  assert.equal(key(root, "x"), true);
  assert.equal(key(root, "ArrowRight", { ctrlKey: true }), true);
  assert.equal(step(root), 0);
  // The slider has its own arrow keys, and space presses a button.
  assert.equal(key(root.querySelector(".mg-slider"), "ArrowRight"), true);
  assert.equal(key(root.querySelector(".mg-press-next"), " "), true);
  assert.equal(step(root), 0);
});

test("play runs to the end and stops; space and the button pause", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const root = await show(saved());
  const play = root.querySelector(".mg-press-play");
  press(root, "play");
  assert.match(play.textContent, /Pause/);
  assert.equal(step(root), 1); // the first step comes at once
  context.mock.timers.tick(1300);
  assert.equal(step(root), 2);
  key(root, " ");
  assert.match(play.textContent, /Play/);
  context.mock.timers.tick(5000);
  assert.equal(step(root), 2);
  root.querySelector(".mg-speed").value = "600";
  key(root, " ");
  context.mock.timers.tick(600 * (LAST + 1));
  assert.equal(step(root), LAST);
  assert.match(play.textContent, /Play/);
  press(root, "play"); // from the end it begins anew
  assert.equal(step(root), 0);
  press(root, "next"); // a step by hand ends the play
  assert.match(play.textContent, /Play/);
});

test("play goes on from a breakpoint at which a run has stopped", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const root = await show(
    saved("example", {
      breaks: [{ box: examples.example.picture.runs.find((id) => examples.example.picture.boxes[id].name === "D") }],
    }),
  );
  press(root, "run");
  assert.equal(step(root), 3);
  assert.match(root.querySelector(".mg-note").textContent, /Stopped at a breakpoint: D/);
  press(root, "play");
  assert.equal(step(root), 4);
  context.mock.timers.tick(1300);
  assert.equal(step(root), 5);
});

test("a step changes classes and texts; every element stays the same", async () => {
  const root = await show(saved());
  // Signs come and go.
  const drawn = () => [...root.querySelectorAll("svg.mg-graph *")].filter((element) => !element.closest(".mg-signs"));
  const before = drawn();
  const places = [...root.querySelectorAll("[data-box]")].map((box) => box.getAttribute("transform"));
  press(root, "last");
  press(root, "back");
  const after = drawn();
  assert.equal(after.length, before.length);
  const isEdge = (element) => element.closest(".mg-edge");
  const [still, stillBefore] = [after, before].map((all) => all.filter((element) => !isEdge(element)));
  assert.ok(still.every((element, position) => element === stillBefore[position]));
  assert.deepEqual(new Set(after), new Set(before)); // edges lie on each other by what flows along them
  assert.deepEqual(
    [...root.querySelectorAll("[data-box]")].map((box) => box.getAttribute("transform")),
    places,
  );
});

test("of edges that run together the running one lies on top, and those that are done on those that wait", async () => {
  const root = await show(saved("network"));
  press(root, "first");
  const heights = { "mg-off": 0, "mg-idle": 1, "mg-done": 2, "mg-now": 3 };
  let both = 0;
  for (let step = 0; step < 8; step += 1) {
    const flows = [...root.querySelectorAll(".mg-edge")].map((edge) => classes(edge).find((name) => name in heights));
    assert.deepEqual(
      flows,
      flows.toSorted((one, other) => heights[one] - heights[other]),
    );
    both += Number(flows.includes("mg-now") && flows.includes("mg-done"));
    press(root, "next");
  }
  assert.ok(both > 2);
});

test("that variables are other tensors now is said below what the step says", async () => {
  const note = "a is another tensor now";
  const root = await show(saved("example", { index: 2, outdated: note }));
  const said = [...root.querySelectorAll(".mg-sentence, .mg-event, .mg-outdated")].map((part) => part.textContent);
  assert.ok(said.length > 1);
  assert.equal(said.at(-1), note);
});

test("states are told by class and by a word", async () => {
  const root = await show(saved("example", { index: 2 }));
  const state = (name) =>
    classes(boxNamed(root, name)).filter((word) =>
      ["mg-idle", "mg-waiting", "mg-ready", "mg-ran", "mg-done", "mg-upnext"].includes(word),
    );
  assert.deepEqual(state("E"), ["mg-ran"]);
  assert.deepEqual(state("F"), ["mg-done"]);
  assert.deepEqual(state("C"), ["mg-ready"]);
  assert.deepEqual(state("D").sort(), ["mg-ready", "mg-upnext"]);
  assert.deepEqual(state("A"), ["mg-idle"]);
  assert.equal(boxNamed(root, "E").querySelector(".mg-flag-text").textContent, "just ran");
  const shown = [...root.querySelectorAll("[data-chip]")].filter(
    (chip) => chip.getAttribute("visibility") === "visible",
  );
  assert.deepEqual(
    shown.map((chip) => chip.textContent),
    ["1 × 4 = 4", "1 × 9 = 9"],
  );
  const flows = [...root.querySelectorAll("[data-edge]")].map((edge) =>
    classes(edge).find((word) => ["mg-now", "mg-done", "mg-idle"].includes(word)),
  );
  assert.deepEqual(flows, ["mg-idle", "mg-idle", "mg-done", "mg-done", "mg-now", "mg-now"]);
  press(root, "first");
  assert.equal(
    [...root.querySelectorAll("[data-chip]")].filter((chip) => chip.getAttribute("visibility") === "visible").length,
    0,
  );
});

test("the learner's line is lit, and only that one", async () => {
  const root = await show(saved());
  press(root, "next");
  assert.deepEqual(texts(root, ".mg-lit .mg-text"), ["F = D + E"]);
  press(root, "next");
  assert.deepEqual(texts(root, ".mg-lit .mg-text"), ["E = C * D"]);
  assert.deepEqual(texts(root, "mark"), ["C * D"]);
  assert.equal(root.querySelector(".mg-lit").getAttribute("aria-current"), "true");
  press(root, "first");
  assert.deepEqual(texts(root, ".mg-lit"), []);
  assert.deepEqual(texts(root, ".mg-text").slice(0, 3), [
    "A = mg.tensor([3.], requires_grad=True)",
    "B = mg.tensor([2.], requires_grad=True)",
    "C = A ** 2",
  ]);
});

test("where a line of code is too long it goes on below its beginning, not at the margin", async () => {
  const root = await show(saved("network"));
  const indent = (text) =>
    [...root.querySelectorAll(".mg-text")]
      .find((one) => one.textContent.trim() === text)
      .style.getPropertyValue("--mg-indent");
  assert.deepEqual(["class Net(mg.nn.Module):", "def __init__(self):", "super().__init__()"].map(indent), [
    "0",
    "4",
    "8",
  ]);
});

test("the panel of the code scrolls to what is marked, after all else is painted", async () => {
  const root = await show(saved());
  const code = root.querySelector(".mg-source");
  for (const [name, value] of Object.entries({ scrollHeight: 900, clientHeight: 100 }))
    Object.defineProperty(code, name, { value, configurable: true });
  const before = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "offsetTop");
  Object.defineProperty(HTMLElement.prototype, "offsetTop", {
    get() {
      return this.matches(".mg-mark") ? 400 : 0;
    },
    configurable: true,
  });
  try {
    press(root, "next");
    assert.equal(code.scrollTop, 350);
    code.scrollTop = 0;
    root.querySelector(".mg-why").dispatchEvent(new Event("toggle")); // which gives the code another height
    assert.equal(code.scrollTop, 350);
  } finally {
    if (before) Object.defineProperty(HTMLElement.prototype, "offsetTop", before);
    else Reflect.deleteProperty(HTMLElement.prototype, "offsetTop");
  }
});

test("all pieces of code that a step is about are marked, in whatever order and lines they stand", async () => {
  const frame = JSON.parse(examples.example.recorded[2]);
  const marks = [
    [0, 3, 0, 1],
    [0, 3, 4, 6],
    [0, 5, 4, 5],
  ];
  const recorded = examples.example.recorded.with(2, JSON.stringify({ ...frame, marks }));
  const root = await show(saved("example", { index: 2, recorded }));
  assert.deepEqual(texts(root, ".mg-mark"), ["C", "A ", "C"]);
  assert.deepEqual(texts(root, ".mg-lit .mg-text"), ["C = A ** 2", "E = C * D"]);
  press(root, "back");
  assert.deepEqual(texts(root, ".mg-mark"), ["D + E"]);
  assert.ok(texts(root, ".mg-text").includes("C = A ** 2"));
});

test("the rows of a matrix stand whole, each in a piece of its own", async () => {
  const frame = JSON.parse(examples.example.recorded[2]);
  const pieces = [["value", "2 × [[1, 2], [3, -4e-5]] = [[2, 4], [6, -8e-5]]"]];
  const story = [{ kind: "numbers", why: false, pieces }];
  const recorded = examples.example.recorded.with(2, JSON.stringify({ ...frame, story }));
  const root = await show(saved("example", { index: 2, recorded }));
  assert.deepEqual(texts(root, ".mg-comes-to .mg-unbroken"), [
    "2 ×",
    "[[1, 2],",
    "[3, -4e-5]] =",
    "[[2, 4],",
    "[6, -8e-5]]",
  ]);
  assert.deepEqual(texts(root, ".mg-comes-to"), [pieces[0][1]]);
});

test("what happened, who is next, and the words for a screen reader", async () => {
  const root = await show(saved("example", { index: 2 }));
  const sentence = "mul: C gets g × D; D gets g × C, and that is added to what came from F.";
  const numbers = ["C: 1 × 4 = 4", "D: 1 × 9 = 9; 2 of 2 parts have come, together 1 + 9 = 10"];
  assert.deepEqual(texts(root, ".mg-sentence"), [sentence]); // the rule alone, and the numbers after it
  assert.deepEqual(texts(root, ".mg-comes-to"), numbers);
  assert.equal(root.querySelector(".mg-story").textContent, [sentence, ...numbers].join("")); // and nothing else
  assert.equal(root.querySelector(".mg-happened .mg-title").textContent, "Step 2: E");
  const why = root.querySelector(".mg-why");
  for (const piece of ["MulBackward0 made E", "∂F/∂E = 1", "self: g * other", "its saved tensors C and D are freed"]) {
    assert.ok(why.textContent.includes(piece), piece);
  }
  const queue = root.querySelector(".mg-queue").textContent.replaceAll("\u00a0", " ");
  for (const piece of [
    "next to run: D (of those ready, it was made last)",
    "D (2 of 2), C (1 of 1)",
    "A.grad, B.grad",
    "F, E",
  ])
    assert.ok(queue.includes(piece), piece);
  const live = root.querySelector("[aria-live]");
  assert.equal(live.getAttribute("aria-live"), "polite");
  assert.match(live.textContent, /^Step 2 of 6\. mul: C gets .* 1 \+ 9 = 10\. Next to run: D\.$/);
  press(root, "back"); // one alone is ready, for no other reason
  assert.equal(root.querySelector(".mg-upcoming").textContent, "next to run: E");
});

test("what is behind why stays open over the steps and for the page's next stepper", async () => {
  const root = await show(saved());
  const why = root.querySelector(".mg-why");
  assert.equal(why.open, false);
  why.open = true;
  why.dispatchEvent(new Event("toggle"));
  press(root, "next");
  press(root, "next");
  assert.equal(why.open, true);
  assert.match(why.querySelector(".mg-row-done").textContent, /F/);
  assert.ok(classes(root.querySelector(".mg-columns")).includes("mg-why-open"));
  const other = (await show(saved())).querySelector(".mg-why");
  assert.equal(page.host.querySelectorAll(".mg-why").length, 2);
  assert.equal([...page.host.querySelectorAll(".mg-why")].at(-1).open, true);
  why.open = false;
  why.dispatchEvent(new Event("toggle"));
  assert.equal(sessionStorage.getItem("minigrad-why"), "");
  assert.ok(other);
});

test("a page that may remember nothing shows the words all the same", async () => {
  Object.defineProperty(globalThis, "sessionStorage", {
    get() {
      throw new Error("not allowed");
    },
    configurable: true,
  });
  const root = await show(saved());
  const why = root.querySelector(".mg-why");
  assert.equal(why.open, false);
  why.open = true;
  why.dispatchEvent(new Event("toggle"));
  assert.ok(classes(root.querySelector(".mg-columns")).includes("mg-why-open"));
});

test("hooks and failures are told at once, what is kept only to those who ask why", async () => {
  const event = (kind, why) => ({
    kind,
    why,
    node: "n4",
    title: `${kind} of E`,
    text: "",
    before: null,
    after: null,
    line: null,
  });
  const kinds = (frame, k) => k === 2 && frame.events.push(event("tensor_hook", false), event("saved", true));
  const root = await show(changed("example", kinds));
  press(root, "next");
  press(root, "next");
  assert.deepEqual(texts(root, ".mg-story .mg-event-title"), ["tensor_hook of E"]);
  assert.deepEqual(texts(root, ".mg-reasons .mg-event-title"), ["saved of E"]);
  assert.doesNotMatch(root.querySelector("[aria-live]").textContent, /saved of E/);
});

test("every control has a name, and boxes can be reached with the tab key", async () => {
  const root = await show(saved());
  for (const control of root.querySelectorAll("button, input, select, [role=group], [role=button]")) {
    assert.ok(control.getAttribute("aria-label"), control.outerHTML.slice(0, 80));
  }
  // One stop for the tab key; arrows with Shift go from box to box, and the tab key comes back to the last one.
  const stops = () => [...root.querySelectorAll("[data-box]")].filter((box) => box.getAttribute("tabindex") === "0");
  assert.deepEqual(stops(), [boxNamed(root, "F")]);
  boxNamed(root, "F").focus();
  key(boxNamed(root, "F"), "ArrowLeft", { shiftKey: true });
  assert.deepEqual(stops(), [boxNamed(root, "E")]);
  assert.equal(root.getAttribute("tabindex"), "0");
});

test("of many names, those that wait and are near come first, and of those that ran the last", async () => {
  const runs = examples.example.picture.runs;
  const boxes = Object.fromEntries(Array.from({ length: 30 }, (_, k) => [`m${k}`, { name: `M${k}`, kind: "result" }]));
  const picture = {
    ...examples.example.picture,
    boxes: { ...examples.example.picture.boxes, ...boxes },
    runs: [...runs, ...Object.keys(boxes)],
  };
  const recorded = examples.example.recorded.map((text, k) =>
    k ? text.replace(/"box": ?"n\d+"/, `"box": "m${k}"`) : text,
  );
  for (let k = LAST + 1; k <= 12; k += 1)
    recorded.push(JSON.stringify({ ...JSON.parse(recorded[LAST]), index: k, box: `m${k}` }));
  const root = await show(saved("example", { picture: { ...picture, total: 12 }, recorded }));
  press(root, "last");
  assert.match(root.querySelector(".mg-row-done dd").textContent, /^4 earlier, M5, M6, M7, M8, M9, M10, M11, M12\s*$/);
  assert.match(root.querySelector(".mg-row-waiting dd").textContent, /and \d+ more$/);
});

test("a leaf to which nothing was sent waits for nobody", () => {
  const { recorded } = examples.example;
  const frames = recorded.map((text) => JSON.parse(text));
  const left = new Player(saved("example")).turns(1).waiting.map((turn) => turn.box);
  for (const id of left) frames[1].boxes[id] = { ...frames[1].boxes[id], state: "off" };
  const player = new Player(saved("example", { recorded: frames.map((frame) => JSON.stringify(frame)) }));
  assert.ok(left.length);
  assert.deepEqual(player.turns(1).waiting, []);
});

test("a box that an engine of the learner's runs again waits until it has run for the last time", () => {
  const { picture, recorded } = examples.example;
  const [first] = recorded.slice(1).map((text) => JSON.parse(text).box);
  const player = new Player(
    saved("example", { picture: { ...picture, total: picture.total + 1, runs: [...picture.runs, first] } }),
  );
  const waiting = (k) => player.turns(k).waiting.map((turn) => turn.box);
  assert.deepEqual(
    waiting(0),
    picture.runs.filter((box) => box !== first),
  ); // it is ready
  assert.ok(waiting(1).includes(first));
  assert.equal(new Set(waiting(1)).size, waiting(1).length);
  assert.deepEqual(waiting(LAST), [first]);
  assert.equal(player.turns(LAST).done.length, LAST);
});

test("a click or Enter on a box shows its details, Escape and the cross close them", async () => {
  const root = await show(saved());
  const inspector = root.querySelector(".mg-inspector");
  assert.equal(inspector.hidden, true);
  boxNamed(root, "E").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  assert.equal(inspector.hidden, false);
  assert.match(inspector.textContent, /result of MulBackward0/);
  assert.match(inspector.textContent, /savedself = C: 9; other = D: 4/);
  assert.match(inspector.textContent, /Gradient nowNone/);
  press(root, "next");
  press(root, "next");
  assert.match(inspector.textContent, /Gradient now\[?1/);
  key(root, "Escape");
  assert.equal(inspector.hidden, true);
  key(boxNamed(root, "A"), "Enter");
  assert.match(inspector.textContent, /leaf, ends in AccumulateGrad/);
  inspector.querySelector(".mg-close").click();
  assert.equal(inspector.hidden, true);
});

test("large tensors show their shape and a heat map", async () => {
  const root = await show(saved("large"));
  press(root, "last");
  const map = boxNamed(root, "w").querySelector(".mg-grad-map");
  assert.match(map.getAttribute("href"), /^data:image\/png;base64,/);
  assert.equal(map.getAttribute("visibility"), "visible");
  assert.equal(boxNamed(root, "w").querySelector(".mg-grad").textContent, "[8, 12]");
  press(root, "first");
  assert.equal(map.getAttribute("visibility"), "hidden");
});

test("hostile names are text everywhere", async () => {
  const root = await show(saved("hostile"));
  for (let k = 0; k <= LAST; k += 1) {
    press(root, "next");
    assert.equal(root.querySelectorAll("script, iframe, object, a").length, 0);
    for (const element of root.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        assert.ok(!name.toLowerCase().startsWith("on"), `${name} on ${element.tagName}`);
        if (name === "href") assert.match(value, /^data:image\/png/);
      }
    }
  }
  assert.ok(texts(root, ".mg-name").some((name) => name.startsWith("<script>alert(1)")));
  assert.match(root.textContent, /<script>alert\(1\)<\/script>/);
  // What is written from right to left is kept by itself, so that the words around it stay in their places.
  const hebrew = [...root.querySelectorAll("bdi")].filter((element) => element.textContent.includes("עברית"));
  assert.ok(hebrew.length > 0);
});

test("a drawing that is no SVG is not put into the page", async () => {
  const { picture, recorded } = examples.example;
  for (const svg of ["<div>hello</div>", "<svg", "", "<svg xmlns='http://www.w3.org/1999/xhtml'/>"]) {
    const root = await show(saved("example", { picture: { ...picture, svg }, recorded }));
    assert.equal(root.querySelector(".mg-view").children.length, 0, svg);
    press(root, "next");
    assert.match(root.querySelector(".mg-story").textContent, /D and E each get g\./);
    cleanup();
  }
});

test("a graph whose lines are not known says so", async () => {
  const { picture } = examples.example;
  const root = await show(saved("example", { picture: { ...picture, sources: [] } }));
  assert.match(root.querySelector(".mg-source").textContent, /not known/);
});

// ---------------------------------------------------------------- with a kernel

test("a frame that is not recorded is asked of the kernel, once, and shown when it comes", async () => {
  const model = live();
  const root = await show(model);
  press(root, "next");
  assert.equal(step(root), 0);
  assert.equal(root.querySelector(".mg-counter").textContent, "running step 1…");
  assert.deepEqual(model.saved, [{ request: { to: 1, nth: 1 } }]);
  model.answer();
  assert.equal(step(root), 1);
  assert.equal(grads(root).E, "1");
});

test("clicks that come faster than the answers are not lost", async () => {
  const model = live();
  const root = await show(model);
  press(root, "next");
  press(root, "next");
  press(root, "next");
  assert.deepEqual(
    model.saved.map(({ request }) => request.to),
    [1, 2, 3],
  );
  const late = model.get("request");
  model.fromKernel({ recorded: examples.example.recorded.slice(0, 2), index: 1, answered: 1 });
  assert.equal(root.querySelector(".mg-counter").textContent, "running step 3…");
  assert.deepEqual(model.get("request"), late);
  model.answer();
  assert.equal(step(root), 3);
});

test("a run that takes long comes in portions, and can be ended between them", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const model = live();
  const root = await show(model);
  const portion = (index) =>
    model.fromKernel({
      recorded: examples.example.recorded.slice(0, index + 1),
      index,
      stopped: { index, why: "", more: true },
      answered: model.get("request").nth,
    });
  press(root, "run");
  assert.deepEqual(model.get("request"), { run: true, nth: 1 });
  assert.equal(root.querySelector(".mg-press-play .mg-face").textContent, "Pause");
  portion(2);
  assert.deepEqual(model.get("request"), { run: true, more: true, nth: 2 });
  assert.equal(step(root), 0); // the kernel is not to wait for a picture: it is drawn when the question has left
  context.mock.timers.tick(30);
  assert.equal(step(root), 2); // what has run is shown meanwhile
  press(root, "play");
  portion(4);
  assert.equal(step(root), 4);
  assert.deepEqual(model.get("request"), { run: true, more: true, nth: 2 }); // nothing more is asked for
  assert.equal(root.querySelector(".mg-press-play .mg-face").textContent, "Play");
  assert.equal(root.querySelector(".mg-counter").textContent, `step 4 of ${LAST}`);
  press(root, "last");
  portion(5);
  assert.deepEqual(model.get("request"), { to: LAST, more: true, nth: 4 });
  model.answer();
  assert.equal(step(root), LAST);
});

test("a frame that has changed is read and painted again, and so are those behind it", async () => {
  const model = live({ recorded: examples.example.recorded, finished: true });
  const root = await show(model);
  press(root, "last");
  model.answer();
  const id = Object.keys(examples.example.picture.boxes).find(
    (one) => examples.example.picture.boxes[one].name === "B",
  );
  const other = examples.example.recorded.map((text) => JSON.parse(text));
  assert.equal(grads(root).B, "40");
  other[LAST].boxes[id] = { ...other[4].boxes[id], grad: "0" };
  model.fromKernel({ recorded: other.map((frame) => JSON.stringify(frame)) });
  assert.equal(grads(root).B, "0");
  press(root, "back");
  assert.equal(grads(root).B, "40");
  press(root, "next");
  assert.equal(grads(root).B, "0");
});

test("a value that was written to is shown as it is, and as it was drawn when it is that again", async () => {
  const model = live();
  const root = await show(model);
  const id = Object.keys(examples.example.picture.boxes).find(
    (one) => examples.example.picture.boxes[one].name === "A",
  );
  const value = () => boxNamed(root, "A").querySelector(".mg-value").textContent;
  assert.equal(value(), "3");
  model.fromKernel({
    now: {
      [id]: {
        text: "5",
        value: "[5]",
        was: "[3]",
        statistics: [],
        heat: "",
        alarm: "",
        where: "",
        exact: "",
        version: 1,
      },
    },
  });
  assert.equal(value(), "5");
  assert.ok(classes(boxNamed(root, "A")).includes("mg-written"));
  assert.equal(boxNamed(root, "A").querySelector(".mg-version").textContent, "v1 ≠ v0"); // so its rule will refuse
  key(boxNamed(root, "A"), "Enter");
  assert.match(root.querySelector(".mg-inspector").textContent, /written to since\[3\]/);
  model.fromKernel({ now: {} });
  assert.equal(value(), "3");
  assert.ok(!classes(boxNamed(root, "A")).includes("mg-written"));
});

test("going back is shown at once, and told to the kernel so that it restores .grad", async () => {
  const model = live();
  const root = await show(model);
  press(root, "last");
  model.answer();
  assert.equal(step(root), LAST);
  press(root, "back");
  assert.equal(step(root), LAST - 1);
  assert.deepEqual(model.get("request"), { to: LAST - 1, nth: 2 });
  model.answer();
  assert.equal(step(root), LAST - 1);
});

test("a step taken from code moves the picture", async () => {
  const model = live();
  const root = await show(model);
  model.fromKernel({ recorded: examples.example.recorded.slice(0, 4), index: 3 });
  assert.equal(step(root), 3);
  model.fromKernel({ index: 0 });
  assert.equal(step(root), 0);
});

test("two views of one model stay together", async () => {
  const model = live();
  const first = await show(model);
  const other = document.createElement("div");
  page.host.append(other);
  const cleanupOther = widget.render({ model, el: other });
  press(first, "next");
  model.answer();
  press(other.querySelector(".minigrad-stepper"), "next");
  model.answer();
  assert.equal(step(first), 2);
  assert.equal(step(other.querySelector(".minigrad-stepper")), 2);
  cleanupOther();
});

test("a failed step is an alert, its box is marked, and going back clears the alert", async () => {
  const model = live();
  const root = await show(model);
  press(root, "next");
  model.answer();
  press(root, "next");
  const box = boxNamed(root, "E").getAttribute("data-box");
  model.fromKernel({ problem: { text: "RuntimeError: <b>no</b>", box }, answered: 2, index: 1 });
  const alert = root.querySelector("[role=alert]");
  assert.match(alert.textContent, /This step failed\. RuntimeError: <b>no<\/b>/);
  assert.ok(classes(boxNamed(root, "E")).includes("mg-bad"));
  assert.equal(boxNamed(root, "E").querySelector(".mg-flag-text").textContent, "✗ failed");
  assert.equal(root.querySelector(".mg-press-next").getAttribute("aria-disabled"), "true");
  press(root, "back");
  assert.equal(step(root), 0);
  assert.equal(root.querySelector("[role=alert]"), null);
  assert.ok(!classes(boxNamed(root, "E")).includes("mg-bad")); // where it has not failed yet, nothing says so
  assert.equal(boxNamed(root, "E").querySelector(".mg-badge").getAttribute("visibility"), "hidden");
});

test("a kernel that does not answer is said to be silent, and what is recorded can still be walked", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const model = live({ recorded: examples.example.recorded.slice(0, 3), index: 2 });
  const root = await show(model);
  press(root, "next");
  context.mock.timers.tick(2000);
  assert.match(root.querySelector(".mg-story").textContent, /The kernel does not answer/);
  assert.equal(root.querySelector(".mg-counter").textContent, `step 2 of ${LAST}`);
  press(root, "back");
  assert.equal(step(root), 1);
});

test("a step in which the kernel does not answer is stopped by the button that pauses", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const model = live();
  const sent = [];
  model.send = (message) => sent.push(message);
  const root = await show(model);
  const face = () => root.querySelector(".mg-press-play .mg-face").textContent;
  press(root, "next");
  assert.equal(face(), "Play");
  context.mock.timers.tick(2000);
  assert.equal(face(), "Pause");
  press(root, "first"); // other buttons stop nothing in the kernel
  press(root, "next");
  context.mock.timers.tick(2000);
  assert.deepEqual(sent, []);
  press(root, "play");
  assert.deepEqual(sent, [{ stop: true }]);
  assert.equal(face(), "Play");
  model.fromKernel({
    recorded: examples.example.recorded.slice(0, 2),
    index: 1,
    stopped: { index: 1, why: "ended" },
    answered: model.get("request").nth,
  });
  assert.equal(step(root), 1);
  assert.match(root.querySelector(".mg-story").textContent, /^ended/);
  press(root, "next"); // answered in time: nothing is to be stopped
  model.answer();
  press(root, "run");
  press(root, "play");
  assert.equal(sent.length, 1);
});

test("a model whose kernel is gone may throw", async () => {
  const model = live({ recorded: examples.example.recorded.slice(0, 3) });
  model.save_changes = () => {
    throw new Error("no comm");
  };
  const root = await show(model);
  press(root, "next");
  press(root, "next");
  assert.equal(step(root), 2);
});

test("a failure is told once, in full, and not as a page that was saved too early", async () => {
  const recorded = examples.example.recorded.slice(0, 3);
  const frame = JSON.parse(recorded[2]);
  frame.failed = true;
  frame.events = [
    { kind: "freed", node: frame.box, title: "freed", text: "gone", before: null, after: null, line: null },
    {
      kind: "error",
      node: frame.box,
      title: "RuntimeError",
      text: "no. Do this.",
      before: null,
      after: null,
      line: ["your cell", 3, "y += 1"],
    },
  ];
  recorded[2] = JSON.stringify(frame);
  const root = await show(saved("example", { recorded, problem: { text: "RuntimeError: no.", box: frame.box } }));
  press(root, "last");
  assert.equal(
    root.querySelector("[role=alert]").textContent,
    "This step failed. RuntimeError: no. Do this.your cell, line 3 y += 1",
  );
  assert.deepEqual(texts(root, ".mg-story .mg-event-title"), ["freed"]);
  assert.equal(root.querySelector(".mg-note"), null);
  // What the step is stands above what went wrong in it, which may be long.
  const parts = [...root.querySelectorAll(".mg-told > *")].map(({ className }) => className);
  assert.ok(parts.indexOf("mg-sentence") < parts.indexOf("mg-problem"), String(parts));
  assert.equal(root.querySelector("[aria-live]").textContent.match(/Do this/g).length, 1);
});

test("a saved page that was stopped half way says how far it goes", async () => {
  const root = await show(saved("example", { recorded: examples.example.recorded.slice(0, 3), finished: false }));
  press(root, "last");
  assert.equal(step(root), 2);
  assert.match(root.querySelector(".mg-story").textContent, new RegExp(`Only 2 of ${LAST} steps were run`));
});

// ---------------------------------------------------------------- coming and going

test("the cleanup takes everything away", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const model = live();
  const root = await show(model);
  assert.ok(model.listenerCount() > 0);
  press(root, "play");
  press(root, "next");
  cleanup();
  cleanup = null;
  assert.equal(model.listenerCount(), 0);
  assert.equal(page.host.children.length, 0);
  const before = model.saved.length;
  context.mock.timers.tick(20000);
  root.querySelector(".mg-press-next").click();
  key(root, "ArrowRight");
  assert.equal(model.saved.length, before);
});

test("an empty model does not break the page", async () => {
  const raised = [];
  page.window.addEventListener("error", ({ message }) => raised.push(message));
  const root = await show(makeModel({}));
  press(root, "next");
  for (const name of ["End", "0", "+", "-"]) key(root, name);
  for (const name of ["in", "out", "size", "fit"]) press(root, name);
  assert.deepEqual(raised, []);
});

test("the player needs no page, and a plain object is model enough", () => {
  const data = { ...examples.example, index: 0, live: false };
  const model = {
    get: (name) => data[name],
    set: (name, value) => (data[name] = value),
    on() {},
    off() {},
    save_changes() {},
  };
  const player = new Player(model);
  let told = 0;
  player.listeners.add(() => (told += 1));
  for (let k = 0; k <= LAST; k += 1) player.go(k);
  assert.equal(player.index, LAST);
  assert.equal(player.atEnd, true);
  assert.equal(told, LAST + 1);
  const state = player.state(LAST);
  assert.deepEqual(Object.keys(state.boxes).sort(), Object.keys(examples.example.picture.boxes).sort());
  assert.deepEqual(player.state(0).boxes.n0.grad, "None");
  player.destroy();
});

test("a step touches only what it changes, however large the graph", async () => {
  // Milliseconds are measured in a real browser by benchmarks/stepper_click.py; what makes them few is checked here.
  const { picture, recorded } = hundred();
  const root = await show(saved("example", { picture, recorded }));
  const touched = new Set();
  const observer = new MutationObserver((records) => {
    for (const { target } of /** @type {any[]} */ (records))
      touched.add(target.closest?.("[data-box]")?.getAttribute("data-box"));
  });
  observer.observe(root.querySelector("svg.mg-graph"), {
    subtree: true,
    attributes: true,
    childList: true,
    characterData: true,
  });
  for (let k = 1; k <= 100; k += 1) {
    touched.clear();
    press(root, "next");
    await wait(0);
    // The box that ran, the one before it, and the one that is next.
    for (const id of touched) assert.ok([`n${k - 2}`, `n${k - 1}`, `n${k}`].includes(id), `step ${k} touched ${id}`);
    assert.ok(touched.has(`n${k - 1}`), `step ${k} touched ${[...touched]}`);
  }
  observer.disconnect();
  assert.equal(step(root), 100);
});

/** A chain of 100 boxes, drawn with the classes that svg.py uses. */
function hundred() {
  const boxes = {};
  let svg = '<svg xmlns="http://www.w3.org/2000/svg" class="mg-graph">';
  const recorded = [
    { index: 0, box: null, story: [], line: null, ready: ["n0"], next: "n0", boxes: {}, edges: {}, chips: {} },
  ];
  const look = (state, grad) => ({
    state,
    badge: state,
    grad,
    full: grad,
    none: grad === "None",
    alarm: false,
    heat: "",
    statistics: "",
    arrived: 1,
    needed: 1,
  });
  for (let k = 0; k < 100; k += 1) {
    boxes[`n${k}`] = {
      name: `x${k}`,
      kind: "result",
      op: "AddBackward0",
      expression: "a + b",
      shape: "[]",
      dtype: "float32",
      value: "1",
      statistics: [],
      alarm: "",
      saved: [],
      hover: "",
    };
    svg += `<g class="mg-box mg-idle" data-box="n${k}" transform="translate(${k * 10} 0)"><rect class="mg-card" width="150"/><text class="mg-name">x${k}</text><text class="mg-grad">None</text><g class="mg-badge"><rect class="mg-flag"/><text class="mg-flag-text"/></g></g>`;
    recorded[0].boxes[`n${k}`] = look("idle", "None");
    recorded.push({
      index: k + 1,
      box: `n${k}`,
      story: [
        {
          kind: "say",
          pieces: [
            ["op", "AddBackward0"],
            ["text", " made "],
            ["name", `x${k}`],
          ],
        },
      ],
      line: null,
      ready: k < 99 ? [`n${k + 1}`] : [],
      next: k < 99 ? `n${k + 1}` : null,
      boxes: { [`n${k}`]: look("ran", "1"), ...(k ? { [`n${k - 1}`]: look("done", "1") } : {}) },
      edges: {},
      chips: {},
    });
  }
  return {
    picture: {
      svg: `${svg}</svg>`,
      width: 1200,
      height: 200,
      total: 100,
      runs: Object.keys(boxes),
      root: "x99",
      boxes,
      sources: [],
    },
    recorded: recorded.map((frame) => JSON.stringify(frame)),
  };
}

test("a step whose line is not among those that are shown lights none", async () => {
  const { picture } = examples.example;
  const [source] = picture.sources;
  const model = saved("example", {
    picture: { ...picture, sources: [{ ...source, lines: source.lines.filter(([number]) => number !== 6) }] },
  });
  const root = await show(model);
  press(root, "next");
  assert.equal(root.getAttribute("data-step"), "1");
  assert.equal(root.querySelectorAll(".mg-lit").length, 0);
  press(root, "next");
  assert.equal(root.querySelectorAll(".mg-lit").length, 1);
});

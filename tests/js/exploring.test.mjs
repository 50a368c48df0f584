// What a reader can do beside stepping: breakpoints, running to a box, search, highlights, zoom, modules that open and
// close, the menu, and events.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "./testing.mjs";
import { loadModule, makeModel, openPage } from "./page.mjs";
import {
  boxNamed,
  changed,
  classes,
  examples,
  groupNamed,
  key,
  press,
  saved,
  shown,
  step,
  texts,
} from "./recorded.mjs";

const { default: widget, Stepper } = await loadModule("viz/static/stepper.mjs");
const { Player } = await loadModule("viz/static/player.mjs");
const { breakpointMet, holds, parseCondition } = await loadModule("viz/static/conditions.mjs");
const { linesWithin, Minimap } = await loadModule("viz/static/minimap.mjs");
const { opWord } = await loadModule("viz/static/picture.mjs");
const { EVENTS } = await loadModule("viz/static/marks.mjs");
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

async function show(model) {
  cleanup = await widget.render({ model, el: page.host });
  return page.host.querySelector(".minigrad-stepper");
}

const box = (root, name) => boxNamed(root, name).getAttribute("data-box");

// ---------------------------------------------------------------- breakpoints

test("conditions are a small language, and nothing else is understood", () => {
  assert.deepEqual(parseCondition("g.norm() > 10"), { measure: "norm", compare: ">", bound: 10 });
  assert.deepEqual(parseCondition(" g . MAX( )<=-1.5e2 "), { measure: "max", compare: "<=", bound: -150 });
  assert.deepEqual(parseCondition("NaN"), { alarm: "NaN" });
  assert.deepEqual(parseCondition("inf"), { alarm: "Inf" });
  for (const text of [
    "",
    "g.norm()",
    "g.norm() > x",
    "alert(1)",
    "g.norm() > 1; alert(1)",
    "g.std() > 1",
    "g.norm() == 1",
  ]) {
    assert.equal(parseCondition(text), null, text);
  }
});

test("a condition holds where the gradient that came in says so", () => {
  const frame = { box: "n1", received: [5, 4, -3, 0.5], alarm: "" };
  const yes = ["g.norm() > 4.9", "g.norm() >= 5", "g.max() < 4.1", "g.min() <= -3", "g.mean() > 0"];
  const no = ["g.norm() > 5", "g.max() < 4", "g.min() > -3", "g.mean() <= 0.4", "nan", "inf"];
  for (const text of yes) assert.equal(holds(parseCondition(text), frame), true, text);
  for (const text of no) assert.equal(holds(parseCondition(text), frame), false, text);
  assert.equal(holds(parseCondition("nan"), { ...frame, alarm: "NaN and Inf" }), true);
  // A NaN came in, and so has no norm.
  assert.equal(holds(parseCondition("nan"), { ...frame, received: null, alarm: "NaN" }), true);
  assert.equal(holds(parseCondition("g.norm() > 0"), { box: "n1", alarm: "" }), false);
  assert.equal(holds(null, frame), false);
  assert.equal(breakpointMet([{ box: "n2" }, { box: "n1" }], frame).box, "n1");
  assert.equal(breakpointMet([{ code: "your lambda" }], frame), null);
});

test("b sets a breakpoint at a box, run stops there, b removes it", async () => {
  const root = await show(saved());
  key(boxNamed(root, "E"), "b");
  assert.ok(classes(boxNamed(root, "E")).includes("mg-breakpoint"));
  assert.equal(root.querySelectorAll(".mg-stop").length, 1);
  assert.equal(root.querySelector(".mg-count").textContent, "1");
  assert.match(root.querySelector("[aria-live]").textContent, /Breakpoint set at E/);
  press(root, "run");
  assert.equal(step(root), 2);
  assert.match(root.querySelector(".mg-note").textContent, /Stopped at a breakpoint: E/);
  press(root, "run"); // from there to the end
  assert.equal(step(root), LAST);
  key(boxNamed(root, "E"), "b");
  assert.equal(root.querySelectorAll(".mg-stop").length, 0);
  assert.equal(root.querySelector(".mg-count").hidden, true);
});

test("without a kernel, a breakpoint leaves the reader at the step where it was set", async () => {
  const root = await show(saved());
  press(root, "next");
  press(root, "next");
  key(boxNamed(root, "C"), "b");
  assert.equal(root.querySelectorAll(".mg-stop").length, 1);
  assert.equal(step(root), 2);
});

test("on a page that was saved before there were breakpoints they hold all the same", async () => {
  const model = saved("example", { breaks: undefined });
  const { set } = model;
  model.set = (name, value) => {
    if (name === "breaks") throw new Error("no place for it");
    set(name, value);
  };
  const root = await show(model);
  key(boxNamed(root, "E"), "b");
  assert.ok(classes(boxNamed(root, "E")).includes("mg-breakpoint"));
  assert.equal(root.querySelector(".mg-count").textContent, "1");
  press(root, "run");
  assert.equal(step(root), 2);
});

test("a condition is added in the list, what is none is explained, and the cross removes it", async () => {
  const root = await show(saved());
  press(root, "breaks");
  const list = root.querySelector(".mg-breaks");
  assert.equal(list.hidden, false);
  assert.equal(root.querySelector(".mg-press-breaks").getAttribute("aria-expanded"), "true");
  const field = list.querySelector(".mg-condition");
  const submit = () =>
    list.querySelector("form").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  field.value = "g > 3";
  submit();
  assert.match(list.querySelector(".mg-complaint").textContent, /Write g\.norm\(\)/);
  assert.equal(field.getAttribute("aria-invalid"), "true");
  field.value = "g.norm() > 9";
  submit();
  assert.equal(list.querySelector(".mg-complaint").textContent, "");
  assert.deepEqual(texts(list, "li bdi"), ["g.norm() > 9"]);
  press(root, "run");
  assert.equal(step(root), 3); // D receives 10
  list.querySelector(".mg-press-remove").click();
  assert.match(list.textContent, /No breakpoints/);
  press(root, "first");
  press(root, "run");
  assert.equal(step(root), LAST);
});

test("r runs to the box with the focus, forward and back", async () => {
  const root = await show(saved());
  key(boxNamed(root, "D"), "r");
  assert.equal(step(root), 3);
  key(boxNamed(root, "F"), "r");
  assert.equal(step(root), 1);
});

test("with a kernel, running and breakpoints are asked of it", async () => {
  const { picture, recorded } = examples.example;
  const model = makeModel({
    picture,
    recorded: recorded.slice(0, 1),
    index: 0,
    finished: false,
    answered: 0,
    problem: {},
    request: {},
    breaks: [],
    live: true,
  });
  const root = await show(model);
  key(boxNamed(root, "D"), "b");
  assert.deepEqual(model.saved.at(-1), { breaks: [{ box: box(root, "D") }] });
  press(root, "run");
  assert.deepEqual(model.saved.at(-1), { request: { run: true, nth: 1 } });
  assert.equal(root.querySelector(".mg-counter").textContent, "running…");
  model.fromKernel({
    recorded: recorded.slice(0, 4),
    stopped: { index: 3, why: "Stopped at a breakpoint: D." },
    index: 3,
    answered: 1,
  });
  assert.equal(step(root), 3);
  assert.match(root.querySelector(".mg-note").textContent, /Stopped at a breakpoint: D/);
  key(boxNamed(root, "A"), "r");
  assert.deepEqual(model.saved.at(-1), { request: { box: box(root, "A"), nth: 2 } });
  // A breakpoint that was set in a cell appears; one in Python shows its name and cannot be removed here.
  model.fromKernel({ breaks: [{ code: "your lambda" }] });
  assert.match(root.querySelector(".mg-break-items").textContent, /your lambda/);
  assert.equal(root.querySelectorAll(".mg-break-items button").length, 0);
});

// ---------------------------------------------------------------- whose keys they are

/**
 * Whether a key that is pressed on an element reaches what is around the widget, and whether the browser is to do what
 * it does with it.
 */
function goesOn(element, name, options = {}) {
  let reached = false;
  const hear = () => {
    reached = true;
  };
  page.document.addEventListener("keydown", hear);
  const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...options });
  element.dispatchEvent(event);
  page.document.removeEventListener("keydown", hear);
  return [reached, !event.defaultPrevented];
}

const [OURS, ITS_OWN, NOT_OURS] = [
  [false, false],
  [false, true],
  [true, true],
];

test("keys of the legend are the widget's, what an element knows by itself is its own, and all others go on", async () => {
  const root = await show(saved("network"));
  const [next, search, slider, speed, story, why] = [
    ".mg-press-next",
    ".mg-search",
    ".mg-slider",
    ".mg-speed",
    ".mg-story",
    ".mg-why summary",
  ].map((name) => root.querySelector(name));
  const inside = root.querySelector("[data-box]");
  for (const element of [root, next, inside]) {
    for (const name of [
      "ArrowRight",
      "ArrowLeft",
      "Home",
      "End",
      "o",
      "e",
      "b",
      "r",
      "u",
      "d",
      "m",
      "+",
      "-",
      "0",
      "f",
      "g",
      "p",
      "p",
      "?",
    ]) {
      assert.deepEqual(goesOn(element, name), OURS, name);
      for (const modifier of ["ctrlKey", "altKey", "metaKey"])
        assert.deepEqual(goesOn(element, name, { [modifier]: true }), NOT_OURS, name);
      key(root, "Escape");
    }
    for (const name of ["a", "x", "c", "v", "j", "k", "y", "z", "i", "1", "Tab", "F11", "ArrowUp", "ArrowDown"])
      assert.deepEqual(goesOn(element, name), NOT_OURS, name);
    for (const name of ["Enter", " ", "Home", "End"])
      assert.deepEqual(goesOn(element, name, { shiftKey: true }), NOT_OURS, `Shift+${name}`);
  }
  for (const name of ["Enter", " "])
    for (const element of [next, why]) assert.deepEqual(goesOn(element, name), ITS_OWN);
  for (const name of ["b", "x", "5", "/", " ", "ArrowLeft", "Home", "Backspace", "Delete"]) {
    for (const element of [search, speed]) assert.deepEqual(goesOn(element, name), ITS_OWN, name);
  }
  assert.deepEqual(goesOn(search, "s", { ctrlKey: true }), NOT_OURS);
  assert.deepEqual(goesOn(search, "Enter", { ctrlKey: true }), NOT_OURS);
  assert.deepEqual(goesOn(search, "Enter", { shiftKey: true }), OURS);
  assert.deepEqual(goesOn(root.querySelector(".mg-condition"), "Enter", { shiftKey: true }), NOT_OURS);
  assert.deepEqual(goesOn(slider, "ArrowUp"), ITS_OWN);
  assert.deepEqual(goesOn(slider, " "), OURS);
  assert.deepEqual(goesOn(story, "ArrowDown"), ITS_OWN);
  assert.deepEqual(goesOn(next, "B"), OURS); // with the caps lock
  assert.deepEqual(goesOn(inside, "B"), OURS);
});

test("an open menu has all keys but those with a modifier", async () => {
  const root = await show(saved());
  key(boxNamed(root, "E"), "m");
  const [item] = root.querySelectorAll(".mg-menu-item");
  for (const name of ["x", "b", "ArrowUp"]) assert.equal(goesOn(item, name)[0], false, name);
  assert.deepEqual(goesOn(item, "s", { ctrlKey: true }), NOT_OURS);
  assert.deepEqual(goesOn(item, "Enter", { shiftKey: true }), NOT_OURS);
});

test("where nothing is open, Escape gives the focus to what is around", async () => {
  page.host.setAttribute("tabindex", "-1"); // as a notebook's cell
  const root = await show(saved());
  press(root, "more");
  press(root, "breaks");
  assert.equal(page.document.activeElement, root.querySelector(".mg-condition"));
  key(page.document.activeElement, "Escape");
  assert.equal(page.document.activeElement?.getAttribute("class"), "mg-button mg-press-more");
  press(root, "more");
  key(page.document.activeElement, "Escape");
  assert.ok(root.querySelector(".mg-more").hidden);
  assert.ok(root.contains(page.document.activeElement));
  key(page.document.activeElement, "Escape");
  assert.equal(page.document.activeElement, page.host);
});

// ---------------------------------------------------------------- finding one's way

test("search finds names, operations and modules, counts them and goes from one to the next", async () => {
  const root = await show(saved("network"));
  const search = root.querySelector(".mg-search");
  key(root, "/");
  assert.equal(document.activeElement, search);
  const find = (text) => {
    search.value = text;
    search.dispatchEvent(new Event("input", { bubbles: true }));
  };
  find("weight");
  assert.equal(root.querySelector(".mg-hits").textContent, "2");
  assert.equal(root.querySelectorAll(".mg-found").length, 2);
  key(search, "Enter");
  assert.equal(root.querySelector(".mg-hits").textContent, "1 of 2");
  key(search, "Enter");
  key(search, "Enter");
  assert.equal(root.querySelector(".mg-hits").textContent, "1 of 2");
  find("nothing of that name");
  assert.equal(root.querySelector(".mg-hits").textContent, "none");
  key(search, "Enter");
  find("relu");
  assert.ok(root.querySelectorAll(".mg-found").length >= 1);
  key(search, "Escape");
  assert.equal(search.value, "");
  assert.equal(root.querySelectorAll(".mg-found").length, 0);
});

test("u and d show what a box comes from and leads to; Escape ends it", async () => {
  const root = await show(saved());
  const onWay = () => texts(root, ".mg-box.mg-onway .mg-name").sort();
  key(boxNamed(root, "E"), "u");
  assert.deepEqual(onWay(), ["A", "B", "C", "D", "E"]);
  assert.ok(classes(root.querySelector("svg.mg-graph")).includes("mg-dimmed"));
  assert.match(root.querySelector("[aria-live]").textContent, /E comes from 4 nodes/);
  key(boxNamed(root, "D"), "d");
  assert.deepEqual(onWay(), ["D", "E", "F"]);
  assert.equal(root.querySelectorAll(".mg-edge.mg-onway").length, 3);
  key(boxNamed(root, "D"), "Escape");
  assert.deepEqual(onWay(), []);
});

test("Shift and an arrow go to the box in that direction", async () => {
  const root = await show(saved());
  const [E, F] = ["E", "F"].map((name) =>
    boxNamed(root, name)
      .getAttribute("transform")
      .match(/[\d.]+/g)
      .map(Number),
  );
  const [back, on] = Math.abs(F[1] - E[1]) > Math.abs(F[0] - E[0]) ? ["Up", "Down"] : ["Left", "Right"];
  boxNamed(root, "F").focus();
  const go = (way) => key(document.activeElement, `Arrow${way}`, { shiftKey: true });
  const here = () => document.activeElement.querySelector(".mg-name").textContent;
  go(back);
  assert.equal(here(), "E");
  go(back);
  assert.ok(["C", "D"].includes(here()), here());
  go(on);
  assert.equal(here(), "E");
  assert.equal(step(root), 0);
});

test("plus, minus and zero set the size; the buttons do the same", async () => {
  const root = await show(saved());
  const drawing = root.querySelector("svg.mg-graph");
  key(root, "0");
  const natural = Number(drawing.getAttribute("viewBox").split(" ")[2]);
  assert.equal(Number(drawing.getAttribute("width")), Math.floor(natural));
  key(root, "+");
  assert.equal(Number(drawing.getAttribute("width")), Math.floor(natural * 1.25));
  assert.equal(root.querySelector(".mg-press-size").textContent, "125 %");
  press(root, "out");
  press(root, "out");
  assert.equal(root.querySelector(".mg-press-size").textContent, "80 %");
  for (let k = 0; k < 40; k += 1) press(root, "out");
  assert.ok(Number(drawing.getAttribute("width")) > 0);
  press(root, "fit");
  assert.equal(root.querySelector(".mg-press-fit").getAttribute("aria-pressed"), "true");
});

test("a drawing that is larger than its view has a small map, in which a click goes there", async () => {
  const root = await show(saved());
  const view = root.querySelector(".mg-view");
  const map = root.querySelector(".mg-minimap");
  assert.ok(map.hidden);
  for (const [name, value] of Object.entries({ clientWidth: 200, clientHeight: 120 }))
    Object.defineProperty(view, name, { value, configurable: true });
  key(root, "0");
  assert.ok(!map.hidden);
  assert.equal(map.querySelectorAll("rect:not(.mg-seen)").length, Object.keys(examples.example.picture.boxes).length);
  press(root, "next");
  assert.equal(map.querySelectorAll(".mg-ran").length, 1);
  const drawing = map.querySelector("svg");
  drawing.getBoundingClientRect = () => ({ left: 0, top: 0, width: 100, height: 50 });
  map.dispatchEvent(
    Object.assign(new MouseEvent("pointerdown", { bubbles: true, buttons: 1, clientX: 100, clientY: 50 }), {}),
  );
  const [, , width, height] = root.querySelector("svg.mg-graph").getAttribute("viewBox").split(" ").map(Number);
  assert.deepEqual([view.scrollLeft, view.scrollTop], [width - 100, height - 60]);
  for (let k = 0; k < 8; k += 1) key(root, "-"); // so small that all is seen
  assert.ok(map.hidden);
});

test("the small map grows with the forward pass", async () => {
  const root = await show(saved("grown", { index: examples.grown.picture.forward[0].index }));
  const view = root.querySelector(".mg-view");
  for (const [name, value] of Object.entries({ clientWidth: 870, clientHeight: 330 }))
    Object.defineProperty(view, name, { value, configurable: true });
  key(root, "0");
  const map = root.querySelector(".mg-minimap");
  const missing = (where) => where.filter((one) => one.classList.contains("mg-unmade")).length;
  const edges = () => missing([...root.querySelectorAll("[data-edge]")]);
  const lines = () => missing([...map.querySelectorAll(".mg-minimap-edges path")]);
  assert.ok(!map.hidden);
  assert.ok(edges() > 0);
  assert.equal(lines(), edges());
  press(root, "last");
  assert.equal(lines(), 0);
});

test("the small map has every edge, and every box's name as its card has it, where letters have room", async () => {
  const root = await show(saved("network"));
  const [view, map] = [".mg-view", ".mg-minimap"].map((part) => root.querySelector(part));
  const room = (width, height) => {
    for (const [name, value] of Object.entries({ clientWidth: width, clientHeight: height }))
      Object.defineProperty(view, name, { value, configurable: true });
    key(root, "0");
  };
  room(870, 330);
  const { boxes } = examples.network.picture;
  const drawn = texts(root, "svg.mg-graph [data-box]:not([display=none]) .mg-name");
  const written = texts(map, "text:not(.mg-map-title)");
  assert.ok(written.length > 2 && written.length <= drawn.length);
  const isCalled = ({ name, op, kind, shape }, text) => {
    const [start, end = ""] = text.split("…");
    const called = kind === name ? shape : name.split(".").at(-1);
    return [called, `${name} ${opWord(op)}`].some((whole) => whole.startsWith(start) && whole.endsWith(end));
  };
  for (const text of written)
    assert.ok(
      Object.values(boxes).some((about) => isCalled(about, text)),
      text,
    );
  const open = texts(root, ".mg-titles :is(.mg-name, .mg-expression)"); // of one in a list, its class
  assert.ok(texts(map, ".mg-map-title").length > 0);
  assert.ok(texts(map, ".mg-map-title").every((text) => open.some((name) => name.startsWith(text.split("…")[0]))));
  assert.ok(written.some((text) => /^t\d+/.test(text))); // as on its card
  assert.equal(map.querySelectorAll(".mg-minimap-edges path").length, root.querySelectorAll("[data-edge]").length);
  const marks = [...map.querySelectorAll("rect")];
  press(root, "next");
  assert.deepEqual([...map.querySelectorAll("rect")], marks); // a step changes classes alone
  assert.equal(map.querySelectorAll(".mg-ran").length, 1);
  room(870, 20);
  assert.deepEqual(texts(map, "text"), []);
});

test("in the small map no name ends in the middle of a word: it is narrower, on two lines, or loses whole words", () => {
  const names = ["fc1.weight", "fc1.bias", "fc2.weight", "target", "critic 1", "critic 2"];
  const lines = (name, room, height) => linesWithin(name, room, height, names);
  assert.deepEqual(lines("target", 30, 15), ["target"]); // letters of 5 pixels instead of 6.6
  assert.deepEqual(lines("fc1.weight", 50, 15), ["fc1.weight"]);
  assert.deepEqual(lines("fc1.weight", 40, 26), ["fc1.", "weight"]);
  assert.deepEqual(lines("fc1.weight", 40, 15), [], "its end is fc2's, too, and its beginning the bias'");
  assert.deepEqual(lines("critic 1", 30, 15), ["…1"]);
  assert.deepEqual(lines("cat([x, h], dim=1)", 40, 15), ["cat…"]);
  assert.deepEqual(lines("temperature", 40, 26), []);
});

test("the small map leaves all columns of the drawing in view, where it can still be seen itself", () => {
  const picture = { width: 600, height: 1500 };
  const map = new Minimap({}, picture, {}, { picture: {} });
  const beside = (width) => [map.widthIn({ width, height: 640 }), width - 0.84 * picture.width];
  const [shared, left] = beside(960); // there is room for both
  assert.ok(shared > 200 && shared < left);
  const [narrow, rest] = beside(640);
  assert.ok(narrow < 0.26 * 640 && narrow >= 72 && narrow < rest);
  const [usual, none] = beside(520); // the columns are not all seen in any case
  assert.ok(usual > none && usual > 130);
  const [across, down] = map.parts({ width: 960, height: 640 }).parts;
  assert.ok(down > across && down * picture.height <= 640); // names have room above each other
});

/** What tells the next drawing that its view has another size. */
function heardSizes() {
  let resized;
  globalThis.ResizeObserver = /** @type {any} */ (
    class {
      constructor(changed) {
        resized = changed;
      }
      observe() {}
      disconnect() {}
    }
  );
  return () => resized();
}

test("where the view is small, an opened part is shown large enough to be read, and a step brings the box that runs", async () => {
  const resized = heardSizes();
  const root = await show(saved("network"));
  const [view, drawing] = [root.querySelector(".mg-view"), root.querySelector("svg.mg-graph")];
  const room = { clientWidth: 240, clientHeight: 160 };
  for (const [name, value] of Object.entries(room)) Object.defineProperty(view, name, { value, configurable: true });
  const scrolled = [];
  view.scrollTo = ({ left, top }) => scrolled.push([left, top]);
  const scale = () => Number(drawing.getAttribute("height")) / Number(drawing.getAttribute("viewBox").split(" ")[3]);
  const isSeen = (element, part) => {
    const [x, y] = element
      .getAttribute("transform")
      .match(/-?[\d.]+/g)
      .map(
        (side, k) =>
          (Number(side) + part * Number(element.querySelector("rect").getAttribute(["width", "height"][k]))) * scale(),
      );
    const [left, top] = scrolled.at(-1);
    return x > left - 1 && x < left + room.clientWidth && y > top - 1 && y < top + room.clientHeight;
  };
  press(root, "close-all");
  press(root, "fit");
  const group = groupNamed(root, "net");
  key(group, "Enter");
  assert.ok(scale() > 0.8, `${scale()}`);
  assert.ok(isSeen(group, 0)); // where its name stands
  const there = scrolled.length;
  resized(); // the window gets another size: the part stays in view
  assert.equal(scrolled.length, there);
  key(root, "0");
  press(root, "open-all");
  for (let k = 0; k < 3; k += 1) press(root, "next");
  const ran = root.querySelector("[data-box].mg-ran");
  assert.ok(isSeen(ran, 0.5), `${ran.getAttribute("transform")} at ${scrolled.at(-1)}`);
  const before = scrolled.length;
  for (let k = 0; k < 12; k += 1) key(root, "-"); // all is seen: nothing moves
  press(root, "next");
  assert.equal(scrolled.length, before);
});

test("what is hidden for a while, as a cell that is scrolled away, stays as it was drawn", async () => {
  const resized = heardSizes();
  const root = await show(saved());
  const view = root.querySelector(".mg-view");
  const measure = (width, height) => {
    for (const [name, value] of Object.entries({ clientWidth: width, clientHeight: height }))
      for (const element of [root, view]) Object.defineProperty(element, name, { value, configurable: true });
    resized();
    return root.querySelector("svg.mg-graph").getAttribute("width");
  };
  const drawn = [measure(500, 300), measure(0, 0), measure(500, 300)];
  assert.equal(new Set(drawn).size, 1, `${drawn}`);
  assert.notEqual(measure(200, 120), drawn[0]);
});

test("what is shown small says less, in letters that can be read", async () => {
  const root = await show(saved());
  const drawing = root.querySelector("svg.mg-graph");
  const said = () => classes(drawing).filter((name) => ["mg-few-words", "mg-names", "mg-dots"].includes(name));
  key(root, "0");
  assert.deepEqual(said(), []);
  key(root, "-"); // 80 %
  assert.deepEqual(said(), ["mg-few-words"]);
  const letterSeen = () => {
    const [, , ...sides] = drawing.getAttribute("viewBox").split(" ").map(Number);
    const drawn = Math.min(...["width", "height"].map((name, k) => Number(drawing.getAttribute(name)) / sides[k]));
    return Number.parseFloat(drawing.style.getPropertyValue("--mg-letter")) * drawn;
  };
  assert.ok(letterSeen() >= 10 && letterSeen() < 10.01);
  key(root, "-"); // 64 %
  assert.deepEqual(said(), ["mg-few-words"]);
  key(root, "-");
  assert.deepEqual(said(), ["mg-names"]);
  assert.ok(letterSeen() >= 10 && letterSeen() < 10.01);
  for (let k = 0; k < 6; k += 1) key(root, "-");
  assert.deepEqual(said(), ["mg-dots"]);
  key(root, "0");
  assert.deepEqual(said(), []);
  assert.ok(texts(root, ".mg-name").includes("E"));
});

test("a box that has only a number for a name says its op where there is no room for more", async () => {
  const root = await show(saved("network"));
  press(root, "open-all");
  const [name, beside] = ["mg-name", "mg-expression"].map((part) => boxNamed(root, "t1").querySelector(`.${part}`));
  key(root, "0");
  assert.deepEqual([name.textContent, beside.textContent], ["t1", "self.body(x)"]);
  for (let k = 0; k < 2; k += 1) key(root, "-"); // 64 %
  assert.deepEqual(
    [name.textContent, beside.textContent, beside.getAttribute("visibility")],
    ["t1", "relu", "visible"],
  );
  key(root, "-");
  assert.equal(name.textContent, "t1 · relu");
  assert.ok(texts(root, ".mg-name").includes("loss"));
  key(root, "0");
  assert.deepEqual([name.textContent, beside.textContent], ["t1", "self.body(x)"]);
});

test("a box that is shown small keeps its flag, in letters that can be read, and of a long operation the beginning", async () => {
  const root = await show(
    changed(
      "example",
      () => {},
      (boxes) => {
        const [loss] = Object.values(boxes).filter(({ name }) => name === "F");
        Object.assign(loss, {
          op: "BinaryCrossEntropyWithLogitsBackward0",
          expression: "a text for which there is no room",
        });
      },
    ),
  );
  for (let k = 0; k < 2; k += 1) press(root, "next");
  const flags = (name) => {
    const [rect, text] = ["mg-flag", "mg-flag-text"].map((part) => boxNamed(root, name).querySelector(`.${part}`));
    return [text.textContent, Number(rect.getAttribute("width"))];
  };
  key(root, "0");
  const [ran, over] = [flags("E"), flags("F")];
  assert.deepEqual([ran[0], over[0]], ["just ran", "✓ done"]);
  for (let k = 0; k < 2; k += 1) key(root, "-"); // 64 %
  assert.equal(flags("E")[0], "just ran");
  assert.ok(flags("E")[1] > 1.2 * ran[1], "its letters reach beyond it");
  assert.equal(flags("F")[0], "✓");
  const beside = boxNamed(root, "F").querySelector(".mg-expression");
  assert.match(beside.textContent, /^b[a-z_]*…$/);
  assert.equal(beside.getAttribute("visibility"), "visible");
  key(root, "0");
  assert.deepEqual([flags("E"), flags("F")], [ran, over]);
});

test("a box that is shown small keeps its numbers, the words beside them and its op; the map and the expression give way", async () => {
  const root = await show(saved("large"));
  const logits = boxNamed(root, "logits");
  const rows = () =>
    [...logits.querySelectorAll(".mg-word")].map((word) => [word.textContent, word.nextElementSibling.textContent]);
  const places = () => [...logits.querySelectorAll(".mg-value, .mg-grad")].map((text) => text.getAttribute("x"));
  key(root, "0");
  const [before, placed] = [rows(), places()];
  for (let k = 0; k < 2; k += 1) key(root, "-"); // 64 %
  assert.deepEqual(rows(), before);
  assert.deepEqual(
    before.map(([word]) => word),
    ["value", "grad"],
  );
  assert.ok(logits.querySelector(".mg-no-room"));
  const loss = boxNamed(root, "loss").querySelector(".mg-expression");
  assert.deepEqual([loss.textContent, loss.getAttribute("visibility")], ["mean", "visible"]);
  const letter = Number.parseFloat(root.querySelector("svg.mg-graph").style.getPropertyValue("--mg-letter"));
  for (const text of root.querySelectorAll(".mg-box:not([display=none]) :is(.mg-value, .mg-grad)")) {
    const squeezed = text.getAttribute("textLength");
    const wide = Number(squeezed ?? (text.textContent.length * 7.3 * letter) / 12);
    const word = text.previousElementSibling;
    const room = Number(text.getAttribute("x")) - Number(word.getAttribute("x"));
    assert.ok(wide + word.textContent.length * letter * 0.6 <= room, text.textContent);
  }
  key(root, "0");
  assert.deepEqual([rows(), places()], [before, placed]);
  assert.equal(logits.querySelectorAll(".mg-no-room").length, 0);
});

test("two fingers that move apart zoom by as much, and one finger moves the drawing sideways", async () => {
  const root = await show(saved());
  const view = root.querySelector(".mg-view");
  const pointer = (name, pointerId, clientX, clientY) =>
    view.dispatchEvent(
      new PointerEvent(`pointer${name}`, {
        bubbles: true,
        button: 0,
        pointerId,
        pointerType: "touch",
        clientX,
        clientY,
      }),
    );
  const size = () => root.querySelector(".mg-press-size").textContent;
  key(root, "0");
  pointer("down", 1, 100, 100);
  pointer("down", 2, 200, 100);
  pointer("move", 2, 250, 100);
  assert.equal(size(), "150 %");
  assert.deepEqual([view.scrollLeft, view.scrollTop], [87.5, 50]); // what was between the fingers still is
  pointer("move", 1, 130, 100);
  assert.equal(size(), "120 %");
  pointer("up", 1, 130, 100);
  view.scrollLeft = 100;
  view.scrollTop = 50;
  pointer("move", 2, 220, 70);
  assert.deepEqual([size(), view.scrollLeft, view.scrollTop], ["120 %", 130, 50]); // up and down the page moves
  pointer("up", 2, 220, 70);
  pointer("move", 2, 300, 70);
  assert.equal(view.scrollLeft, 130);
});

test("the wheel alone is the browser's, which scrolls the drawing; with Ctrl it zooms", async () => {
  const root = await show(saved());
  const view = root.querySelector(".mg-view");
  const wheel = (more) => {
    const event = new Event("wheel", { bubbles: true, cancelable: true });
    Object.assign(event, {
      deltaX: 0,
      deltaY: 0,
      deltaMode: 0,
      clientX: 0,
      clientY: 0,
      ctrlKey: false,
      shiftKey: false,
      metaKey: false,
      ...more,
    });
    view.dispatchEvent(event);
    return event.defaultPrevented;
  };
  key(root, "0");
  assert.equal(wheel({ deltaY: 100 }), false);
  assert.equal(root.querySelector(".mg-press-size").textContent, "100 %");
  assert.equal(wheel({ deltaY: -100, ctrlKey: true }), true);
  assert.equal(root.querySelector(".mg-press-size").textContent, "128 %");
  assert.equal(wheel({ deltaX: 80 }), false);
});

test("the menu of a box is walked with arrows, and gives the focus back", async () => {
  const root = await show(saved());
  boxNamed(root, "E").focus();
  key(boxNamed(root, "E"), "m");
  const menu = root.querySelector("[role=menu]");
  assert.equal(menu.hidden, false);
  assert.deepEqual(texts(menu, "[role=menuitem] span"), [
    "Details",
    "Run to here",
    "Set breakpoint",
    "Show where it comes from",
    "Show what it leads to",
  ]);
  assert.equal(document.activeElement, menu.children[0]);
  key(document.activeElement, "ArrowDown");
  key(document.activeElement, "ArrowDown");
  assert.equal(document.activeElement, menu.children[2]);
  key(document.activeElement, "ArrowUp");
  key(document.activeElement, "End");
  assert.equal(document.activeElement, menu.children[4]);
  key(document.activeElement, "Escape");
  assert.equal(menu.hidden, true);
  assert.equal(document.activeElement, boxNamed(root, "E"));
  boxNamed(root, "E").dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }));
  menu.children[1].click();
  assert.equal(step(root), 2);
});

test("a menu that the reader has left for something else does not fetch the focus back", async () => {
  const root = await show(saved());
  boxNamed(root, "E").focus();
  key(boxNamed(root, "E"), "m");
  root.querySelector(".mg-press-next").focus();
  await new Promise((done) => setTimeout(done)); // what is put into the page anew has the focus again by now
  assert.equal(root.querySelector("[role=menu]").hidden, true);
  assert.notEqual(document.activeElement, boxNamed(root, "E"));
});

test("a click ends a drag and is none; the next press is one, also after a drag that ended outside", async () => {
  const root = await show(saved());
  const view = root.querySelector(".mg-view");
  const mouse = (type, clientX) =>
    Object.assign(new MouseEvent(type, { bubbles: true, button: 0, clientX, clientY: 0 }), {
      pointerId: 1,
      pointerType: "mouse",
    });
  let arrived = 0;
  view.firstElementChild.addEventListener("click", () => (arrived += 1));
  const clicked = () => view.firstElementChild.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const drag = () => {
    view.dispatchEvent(mouse("pointerdown", 0));
    view.dispatchEvent(mouse("pointermove", 30));
    view.dispatchEvent(mouse("pointerup", 30));
  };
  drag();
  clicked();
  assert.equal(arrived, 0);
  drag(); // let go where nothing hears the click
  view.dispatchEvent(mouse("pointerdown", 30));
  clicked();
  assert.equal(arrived, 1);
});

test("the list of all keys stands in the menu", async () => {
  const root = await show(saved());
  const keys = root.querySelector(".mg-more .mg-keys");
  for (const word of ["breakpoint at a box", "find a node", "from box to box"])
    assert.ok(keys.textContent.includes(word), word);
});

// ---------------------------------------------------------------- modules

test("modules are boxes in boxes, named as in the code", async () => {
  const root = await show(saved("network"));
  const names = texts(root, ".mg-group-title .mg-name");
  for (const name of ["net", "body", "head"]) assert.ok(names.includes(name), `${name} in ${names}`);
  assert.equal(groupNamed(root, "body").getAttribute("aria-expanded"), "true");
  const weight = [...root.querySelectorAll("[data-box]")].find((one) =>
    one.getAttribute("aria-label").startsWith("net.head.weight "),
  );
  assert.ok(weight, "a parameter has its path as its name");
});

test("of a name that is cut there is one ellipsis", async () => {
  const model = changed("network", () => {});
  model.get("picture").groups.find(({ name }) => name === "body").name = `1${"…".repeat(60)}`;
  const root = await show(model);
  const title = [...root.querySelectorAll(".mg-group-title")].find((one) => one.textContent.includes("1…"));
  const group = root.querySelector(`.mg-group[data-group="${title.getAttribute("data-group")}"]`);
  key(group, "Enter");
  assert.equal((group.querySelector(".mg-name") ?? title.querySelector(".mg-name")).textContent, "1…");
});

test("of a closed module's name as much is shown as its kind leaves room for, and its bar fills its track", async () => {
  const model = changed("network", () => {});
  model.get("picture").groups.find(({ name }) => name === "body").name =
    "a_name_that_is_longer_than_any_closed_box_is_wide";
  const root = await show(model);
  const title = [...root.querySelectorAll(".mg-group-title")].find((one) => one.textContent.includes("a_name"));
  const group = root.querySelector(`.mg-group[data-group="${title.getAttribute("data-group")}"]`);
  key(group, "Enter");
  const [name, kind] = [".mg-name", ".mg-expression"].map(
    (part) => group.querySelector(part) ?? title.querySelector(part),
  );
  const width = Number(group.querySelector(".mg-frame").getAttribute("width"));
  const taken = [...name.textContent].length * 8.2 + [...kind.textContent].length * 7.3;
  assert.ok(name.textContent.endsWith("…"), name.textContent);
  assert.ok(taken < width - 30 && taken > width - 80, `${taken} of ${width}`);
  press(root, "last");
  const [bar, track] = [".mg-progress", ".mg-track"].map((part) =>
    Number(group.querySelector(part).getAttribute("width")),
  );
  assert.equal(bar, track);
});

test("a module closes to one box that counts its nodes, and opens again", async () => {
  const root = await show(saved("network"));
  const visible = () => [...root.querySelectorAll("[data-box]")].filter(shown).length;
  press(root, "open-all");
  const before = visible();
  const edges = root.querySelectorAll("[data-edge]").length;
  key(groupNamed(root, "body"), "Enter");
  const closed = groupNamed(root, "body");
  assert.equal(closed.getAttribute("aria-expanded"), "false");
  const sign = () =>
    root.querySelector(`.mg-group-title[data-group="${closed.getAttribute("data-group")}"] .mg-fold`).textContent;
  assert.equal(sign(), "+");
  assert.ok(visible() < before);
  assert.ok(root.querySelectorAll("[data-edge]").length < edges);
  assert.match(closed.getAttribute("aria-label"), /: 0 of \d+ nodes ran/);
  assert.match(root.querySelector("[aria-live]").textContent, /net\.body is closed/);
  press(root, "last");
  assert.match(closed.getAttribute("aria-label"), /: (\d+) of \1 nodes ran/);
  assert.ok(classes(closed).includes("mg-done") || classes(closed).includes("mg-ran"));
  closed.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  assert.equal(sign(), "−");
  assert.equal(visible(), before);
  press(root, "close-all");
  assert.equal(
    visible(),
    Object.keys(examples.network.picture.boxes).length -
      examples.network.picture.groups.find((group) => !group.parent).count,
  );
  press(root, "open-all");
  assert.equal(visible(), before);
});

/** The network with many more boxes in its last module, each behind the one before. */
function crowd(count) {
  const picture = structuredClone(examples.network.picture);
  const names = Array.from({ length: count }, (_, k) => `more${k}`);
  for (const name of names) picture.boxes[name] = { name, kind: "leaf" };
  picture.groups.at(-1).boxes.push(...names);
  picture.edges.push(...names.slice(1).map((name, k) => [`edge${k}`, names[k], name]));
  return picture;
}

test("opening thousands of boxes is said first, and done when that was painted", async () => {
  const root = await show(saved("network", { picture: crowd(900) }));
  const isOpen = () => root.querySelectorAll(".mg-group.mg-open").length === examples.network.picture.groups.length;
  press(root, "close-all");
  press(root, "open-all");
  assert.equal(isOpen(), false);
  assert.match(
    root.querySelector(".mg-note").textContent,
    /^Drawing 9\d\d boxes and groups: this takes some seconds\.$/,
  );
  for (let waits = 0; waits < 3000 && !isOpen(); waits += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(isOpen(), true);
  assert.equal(root.querySelector(".mg-note"), null);
  press(root, "close-all");
  press(root, "open-all");
  cleanup();
  cleanup = null;
  // A widget that is gone draws nothing any more, and does not fail.
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(page.host.querySelector(".minigrad-stepper"), null);
});

test("what is too much for one picture is not drawn, and the learner is told at once", async () => {
  const root = await show(saved("network", { picture: { ...crowd(2100), open: [] } }));
  const seen = () => root.querySelectorAll("[data-box]").length;
  const before = seen();
  press(root, "open-all");
  assert.match(
    root.querySelector(".mg-note").textContent,
    /^2\d\d\d boxes and groups are too many for one picture: open those that you want by a click, or search\.$/,
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(seen(), before);
  assert.equal(root.querySelectorAll(".mg-group.mg-open").length, 0);
  press(root, "next");
  assert.equal(root.querySelector(".mg-note"), null);
});

test("a box inside a closed module is found, and its module opens", async () => {
  const root = await show(saved("network"));
  press(root, "close-all");
  const search = root.querySelector(".mg-search");
  search.value = "head.bias";
  search.dispatchEvent(new Event("input", { bubbles: true }));
  assert.ok(classes(groupNamed(root, "net")).includes("mg-found"));
  key(search, "Enter");
  const found = root.querySelector(".mg-box.mg-found");
  assert.match(found.getAttribute("aria-label"), /net\.head\.bias/);
  assert.ok(shown(found));
});

test("stepping is the same with modules open and closed", async () => {
  const root = await show(saved("network"));
  const grads = () => texts(root, ".mg-grad");
  press(root, "open-all"); // a box is there when it is seen
  press(root, "last");
  const open = grads();
  press(root, "close-all");
  press(root, "first");
  press(root, "last");
  press(root, "open-all");
  assert.deepEqual(grads(), open);
});

test("a box that nobody has seen is no element, and what opens looks as if it had always been open", async () => {
  const { picture, recorded } = examples.network;
  assert.equal(picture.svg.includes("data-box"), false);
  const ids = Object.keys(picture.boxes);
  const made = (root) => [...root.querySelectorAll(".mg-graph [data-box]")].map((box) => box.getAttribute("data-box"));
  const written = { text: "42", heat: "", alarm: "", value: "42", statistics: [], version: 3 };
  const { runs } = picture;
  const event = { kind: "tensor_hook", node: runs[0], title: "hook", text: "", before: null, after: null, line: null };
  const frames = recorded.map((text) => JSON.stringify({ ...JSON.parse(text), events: [event] }));
  const open = async (groups) => {
    cleanup?.();
    const model = saved("network", {
      picture: { ...picture, open: groups },
      recorded: frames,
      breaks: [{ box: runs[1] }],
      now: { [ids[0]]: written },
    });
    const root = await show(model);
    if (!groups.length) press(root, "close-all"); // by hand: what runs does not open by itself
    for (let k = 0; k < 5; k += 1) press(root, "next");
    return root;
  };
  const looks = (root) =>
    [...root.querySelectorAll(".mg-graph [data-box]")].map((box) =>
      box.outerHTML.replace(/class="([^"]*)"/g, (_, names) => names.split(" ").sort().join(" ")),
    );
  const whole = await open(picture.groups.map((group) => group.id));
  press(whole, "open-all");
  const expected = looks(whole);
  const closed = await open([]);
  const outside = ids.filter((id) => !picture.groups.some((group) => group.boxes.includes(id)));
  assert.deepEqual(made(closed), outside);
  assert.ok(outside.length < ids.length / 2);
  press(closed, "open-all");
  assert.deepEqual(made(closed), ids); // in the order of all
  assert.deepEqual(looks(closed), expected);
  for (const [id, part] of [
    [runs[0], ".mg-signs"],
    [runs[1], ".mg-stop"],
    [ids[0], ".mg-version-tag"],
  ])
    assert.ok(closed.querySelector(`[data-box="${id}"] ${part}`), part);
});

/** The stepper itself, of a pass of which everything is closed at first. */
function stepperOf(t, open = []) {
  const player = new Player(saved("network", { picture: { ...examples.network.picture, open } }));
  const stepper = new Stepper(player, page.host);
  t.after(() => {
    stepper.destroy();
    player.destroy();
  });
  return stepper;
}

test("the part that runs opens by itself, and closes when the step has left it", async (t) => {
  const stepper = stepperOf(t);
  const { player, picture } = stepper;
  const { layout } = picture;
  const open = () => [...layout.open].sort();
  let changes = 0;
  for (let k = player.start; k <= player.total; k += 1) {
    const before = open();
    player.go(k);
    const { box, next } = player.frame;
    const around = layout.around(box ?? next).filter((group) => group);
    assert.deepEqual(open(), around.sort(), `step ${k}`); // all around it, and nothing else
    assert.ok(shown(picture.element(box ?? next)));
    assert.equal(picture.element(box ?? next).getAttribute("data-box"), box ?? next);
    changes += Number(before.join() !== open().join());
  }
  assert.ok(changes > 2);
});

test("what the reader has opened or closed stays so, until following is wished anew", async (t) => {
  const stepper = stepperOf(t);
  const { player, picture } = stepper;
  const { layout } = picture;
  const [outer] = examples.network.picture.groups;
  const inner = examples.network.picture.groups.filter((group) => group.parent === outer.id);
  while (!layout.open.has(outer.id)) player.go(player.index + 1);
  stepper.toggleGroup(outer.id); // the step had opened it
  assert.equal(layout.open.has(outer.id), false);
  for (let k = 0; k <= player.total; k += 1) {
    player.go(k);
    assert.deepEqual([...layout.open], []);
  }
  player.go(0);
  stepper.toggleGroup(outer.id);
  stepper.toggleGroup(inner[0].id);
  for (let k = 0; k <= player.total; k += 1) {
    player.go(k);
    assert.ok(layout.open.has(outer.id) && layout.open.has(inner[0].id));
  }
  stepper.regroup(() => layout.closeAll());
  player.go(3);
  assert.deepEqual([...layout.open], []);
  player.follows = false;
  player.follows = true;
  const { box } = player.frame;
  assert.deepEqual(
    [...layout.open].sort(),
    layout
      .around(box)
      .filter((group) => group)
      .sort(),
  );
  player.follows = false;
  assert.deepEqual([...layout.open], []); // what only the step had opened
});

test("a closed part in which a box runs tells its line, its value and its gradient", async (t) => {
  const stepper = stepperOf(t);
  const { player, picture } = stepper;
  player.follows = false;
  const [outer] = examples.network.picture.groups;
  const told = () =>
    [".mg-inner-line", ".mg-inner-numbers"].map((part) => picture.groups.get(outer.id).group.querySelector(part));
  let inside = 0;
  for (let k = 0; k <= player.total; k += 1) {
    player.go(k);
    const { box } = player.frame;
    const [line, numbers] = told().map((text) => text.textContent);
    if (!box || !picture.layout.inside.get(outer.id).includes(box)) {
      assert.deepEqual([line, numbers], ["", ""]);
      continue;
    }
    inside += 1;
    const about = picture.about(box);
    const whole = `${about.name} = ${about.expression || about.op}`;
    assert.ok(whole.startsWith(line.replace(/…$/, "")) && line.length > 8, line);
    const label = picture.groups.get(outer.id).group.getAttribute("aria-label");
    assert.ok(label.includes(whole) && label.includes(player.state(k).boxes[box].grad), label);
    assert.ok(numbers.length > 0);
    const { group, height } = picture.groups.get(outer.id);
    const frame = group.querySelector(".mg-frame");
    assert.equal(Number(frame.getAttribute("height")), height);
    for (const text of told()) assert.ok(Number(text.getAttribute("y")) < height, "it lies where edges run");
  }
  assert.ok(inside > 3);
  stepper.toggleGroup(outer.id);
  assert.deepEqual(
    told().map((text) => text.textContent),
    ["", ""],
  );
});

test("a box in a closed module is made where it is looked for, and u lights what opens later", async () => {
  const { picture } = examples.network;
  const root = await show(saved("network", { picture: { ...picture, open: [] } }));
  const hidden = picture.groups.flatMap((group) => group.boxes);
  assert.equal(root.querySelector(`[data-box="${hidden[0]}"]`), null);
  const last = root.querySelector(`[data-box="${picture.edges.at(-1)[2]}"]`);
  last.focus();
  key(last, "u");
  press(root, "open-all");
  const lit = [...root.querySelectorAll(".mg-box.mg-onway")].map((box) => box.getAttribute("data-box"));
  assert.ok(
    hidden.some((id) => lit.includes(id)),
    lit.join(),
  );
});

test("there is always one stop for the tab key in the drawing, and it can be seen", async () => {
  const root = await show(saved("network"));
  const stops = () => [...root.querySelectorAll('.mg-graph [tabindex="0"]')];
  for (const name of ["close-all", "open-all", "close-all"]) {
    press(root, name);
    assert.deepEqual(stops().map(shown), [true], name);
    assert.equal(stops()[0].closest('[display="none"]'), null);
    root.querySelector(".mg-graph [data-box]").dispatchEvent(new Event("focusin", { bubbles: true }));
  }
});

// ---------------------------------------------------------------- events and states

const ALL = Object.keys(EVENTS);
const everything = (frame, k) => {
  if (k !== 2) return;
  frame.events = ALL.map((kind) => ({
    kind,
    node: kind === "freed" ? "n3" : "n4",
    title: `the ${kind}`,
    text: `<b>${kind}</b> happened.`,
    before: kind === "tensor_hook" ? { text: "[1, 2]", full: "[1, 2]" } : null,
    after: kind === "tensor_hook" ? { text: "[1, NaN]", full: "[1, NaN]" } : null,
    line: kind === "tensor_hook" ? ["your cell", 7, "E.register_hook(f)"] : null,
  }));
};

test("every kind of event has a sign of its own", () => {
  const outlines = ALL.map((kind) => `${EVENTS[kind][1]} ${EVENTS[kind][2]}`);
  assert.equal(new Set(outlines).size, ALL.length);
  assert.equal(ALL.length, 13); // and as many in KINDS of events.py, which a test in Python compares
});

test("events are signs in the picture, a list in the words, and spoken", async () => {
  const root = await show(changed("example", everything));
  assert.equal(root.querySelectorAll(".mg-signs").length, 0);
  press(root, "next");
  press(root, "next");
  const signs = boxNamed(root, "E").querySelectorAll(".mg-sign");
  assert.equal(signs.length, 4); // and how many more there are
  assert.equal(boxNamed(root, "E").querySelector(".mg-more-signs").textContent, `+${ALL.length - 1 - 4}`);
  const items = [...root.querySelectorAll(".mg-story .mg-event")];
  assert.deepEqual(
    items.map((item) => item.querySelector("b").textContent),
    ALL.map((kind) => `the ${kind}`),
  );
  assert.equal(root.querySelector(".mg-story .mg-event-text b"), null); // markup in a text is text
  const hook = items[ALL.indexOf("tensor_hook")];
  assert.equal(hook.querySelector(".mg-was").textContent, "[1, 2]");
  assert.equal(hook.querySelector(".mg-odd").textContent, "NaN");
  assert.ok(classes(hook.querySelector(".mg-odd")).includes("mg-changed"));
  assert.match(hook.querySelector(".mg-event-line").textContent, /your cell, line 7 E\.register_hook\(f\)/);
  assert.match(root.querySelector("[aria-live]").textContent, /the tensor_hook: <b>tensor_hook<\/b> happened\./);
  press(root, "next");
  assert.equal(boxNamed(root, "E").querySelectorAll(".mg-sign").length, 0);
  // The details of a box keep what happened to it so far.
  key(boxNamed(root, "E"), "Enter");
  assert.equal(
    root.querySelectorAll(".mg-inspector .mg-event").length,
    ALL.length -
      1 +
      examples.example.recorded
        .slice(0, 4)
        .flatMap((text, k) => (k === 2 ? [] : JSON.parse(text).events.filter((event) => event.node === "n4"))).length,
  );
  press(root, "first");
  assert.equal(
    root.querySelectorAll(".mg-inspector .mg-event").length,
    JSON.parse(examples.example.recorded[0]).events.length,
  );
});

test("greyed, pruned, freed, version and failure are marked by shape and by word", async () => {
  const model = changed(
    "example",
    (frame, k) => {
      if (k === 1) frame.boxes.n4 = { ...frame.boxes.n4, state: "failed" };
    },
    (boxes) => {
      boxes.n0.needs_grad = false;
      boxes.n1.pruned = true;
      boxes.n3.freed = true;
      boxes.n3.version = 3;
      boxes.n3.saved_version = 1;
    },
  );
  const root = await show(model);
  const marked = (name) => [...root.querySelectorAll(`.${name}`)].map((one) => one.getAttribute("data-box"));
  assert.deepEqual(marked("mg-greyed"), ["n0"]);
  assert.deepEqual(marked("mg-pruned"), ["n1"]);
  assert.deepEqual(marked("mg-freed"), ["n3"]);
  assert.equal(root.querySelector(".mg-version").textContent, "v3 ≠ v1");
  press(root, "next");
  assert.deepEqual(marked("mg-bad"), ["n4"]);
  assert.equal(root.querySelector('[data-box="n4"] .mg-flag-text').textContent, "✗ failed");
  press(root, "back");
  assert.deepEqual(marked("mg-bad"), []);
  const tags = (id) => {
    root.querySelector(`[data-box="${id}"]`).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    return texts(root, ".mg-inspector .mg-tag");
  };
  assert.deepEqual(["n0", "n1", "n2", "n3"].map(tags), [
    ["needs no grad"],
    ["pruned by inputs="],
    [],
    ["saved tensors freed"],
  ]);
  assert.match(root.querySelector(".mg-inspector").textContent, /version3, saved at 1/);
});

test("rewinding any number of times shows the recorded frame", async () => {
  const root = await show(saved("example"));
  const look = () => [
    step(root),
    texts(root, ".mg-grad"),
    texts(root, ".mg-flag-text"),
    [...root.querySelectorAll("[data-box], [data-edge]")].map((one) => classes(one).sort().join(" ")),
    root.querySelector(".mg-story").innerHTML,
    root.querySelector(".mg-queue").textContent,
  ];
  const frames = [];
  for (let k = 0; k <= LAST; k += 1) {
    frames.push(look());
    press(root, "next");
  }
  let seed = 7;
  for (let turn = 0; turn < 40; turn += 1) {
    seed = (seed * 16807) % 2147483647;
    const keys = ["ArrowLeft", "ArrowRight", "Home", "End", "ArrowLeft"];
    key(root, keys[seed % keys.length]);
    assert.deepEqual(look(), frames[step(root)]);
  }
});

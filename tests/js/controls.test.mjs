// What is seen all the time and what the menu has, the legend on the picture, and the hint for the first time.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "./testing.mjs";
import { loadModule, openPage } from "./page.mjs";
import { boxNamed, changed, classes, examples, key, press, saved, step, texts } from "./recorded.mjs";

const { default: widget } = await loadModule("viz/static/stepper.mjs");

let page;
let cleanups = [];

beforeEach(() => {
  page = openPage();
});

afterEach(async () => {
  for (const cleanup of cleanups) cleanup();
  cleanups = [];
  await page.close();
});

async function show(model) {
  cleanups.push(await widget.render({ model, el: page.host }));
  return [...page.host.querySelectorAll(".minigrad-stepper")].at(-1);
}

const nameOf = (element) => element?.getAttribute("class").match(/mg-press-([\w-]+)/)?.[1];
const focused = () => nameOf(page.document.activeElement);

// ---------------------------------------------------------------- the bar and the menu

test("five controls are seen, all others are in the menu by name and with their key", async () => {
  const root = await show(saved("network"));
  const isSeen = (element) => !element.closest("[hidden]");
  const bar = [...root.querySelector(".mg-bar").querySelectorAll("button, input, select, summary")].filter(isSeen);
  assert.deepEqual(
    bar.map((one) => nameOf(one) ?? one.className),
    ["back", "next", "mg-slider", "last", "more"],
  );
  const rows = [...root.querySelectorAll(".mg-more .mg-button")].map((one) => [
    one.querySelector(".mg-face").textContent,
    one.querySelector("kbd")?.textContent ?? "",
  ]);
  assert.deepEqual(Object.fromEntries(rows), {
    First: "Home",
    "Step over": "o",
    "Step out": "e",
    Play: "space",
    "Run to breakpoint": "Enter",
    Breakpoints: "",
    "Find a node": "/",
    "‖g‖ in colours": "g",
    "Open what runs": "",
    "Open all": "",
    "Close all": "",
    Legend: "?",
    Predict: "p",
  });
  for (const group of root.querySelectorAll(".mg-more-group")) {
    assert.equal(group.getAttribute("role"), "group");
    assert.equal(group.getAttribute("aria-label"), group.querySelector(".mg-title").textContent);
  }
  const pictures = ["next", "last", "play", "run"].map((name) =>
    root.querySelector(`.mg-press-${name} path`).getAttribute("d"),
  );
  assert.equal(new Set(pictures).size, 4); // what steps, ends, plays and runs does not look alike
});

/** Walk through a pass; returns the most parts that were open at once. */
function mostOpen(root) {
  const open = () => root.querySelectorAll('[data-group].mg-open:not([display="none"])').length;
  press(root, "first");
  let most = open();
  while (root.querySelector(".mg-press-next").getAttribute("aria-disabled") !== "true") {
    press(root, "next");
    most = Math.max(most, open());
  }
  return most;
}

test("a switch says whether the part that runs opens by itself, and it is stored", async () => {
  const folded = { picture: { ...examples.network.picture, open: [] } };
  const model = saved("network", folded);
  const root = await show(model);
  const isOn = (of) => of.querySelector(".mg-press-follows").getAttribute("aria-pressed");
  assert.equal(isOn(root), "true"); // at first, and in pages that were stored before there was a choice
  assert.ok(mostOpen(root) > 0);
  press(root, "follows");
  assert.deepEqual([isOn(root), model.get("follows"), mostOpen(root)], ["false", false, 0]);
  model.fromKernel({ follows: true });
  assert.equal(isOn(root), "true");
  assert.ok(mostOpen(root) > 0);
  const again = await show(saved("network", { ...folded, follows: false }));
  assert.deepEqual([isOn(again), mostOpen(again)], ["false", 0]);
  const flat = await show(saved());
  assert.equal(flat.querySelector(".mg-press-follows"), null); // nothing in it opens
});

test("the menu opens and is walked by keys, and gives the focus back", async () => {
  const root = await show(saved());
  const menu = root.querySelector(".mg-more");
  const more = root.querySelector(".mg-press-more");
  assert.ok(menu.hidden);
  press(root, "more");
  assert.deepEqual([menu.hidden, more.getAttribute("aria-expanded"), focused()], [false, "true", "first"]);
  key(page.document.activeElement, "ArrowDown");
  assert.equal(focused(), "play"); // without modules there is nothing to step over
  key(page.document.activeElement, "End");
  assert.equal(page.document.activeElement.tagName, "SUMMARY");
  key(page.document.activeElement, "ArrowDown");
  assert.equal(focused(), "first");
  assert.equal(step(root), 0); // arrows and End are the menu's
  key(page.document.activeElement, "Escape");
  assert.deepEqual([menu.hidden, more.getAttribute("aria-expanded"), focused()], [true, "false", "more"]);
  press(root, "more");
  press(root, "sizes");
  assert.deepEqual([menu.hidden, focused()], [true, "more"]);
  press(root, "more");
  root.querySelector(".mg-press-next").focus(); // as the tab key does
  assert.ok(menu.hidden);
});

test("what goes by itself can be ended in the bar, and nothing loses the focus", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const root = await show(saved());
  const play = root.querySelector(".mg-press-play");
  press(root, "more");
  press(root, "play");
  assert.ok(play.closest(".mg-bar"));
  assert.deepEqual([play.querySelector(".mg-face").textContent, focused()], ["Pause", "play"]);
  press(root, "play");
  assert.ok(play.closest(".mg-more"));
  assert.deepEqual([play.querySelector(".mg-face").textContent, focused()], ["Play", "next"]);
});

test("the search comes when it is asked for, and goes with its words", async () => {
  const root = await show(saved("network"));
  const [around, search] = [root.querySelector(".mg-set-search"), root.querySelector(".mg-search")];
  assert.ok(around.hidden);
  press(root, "more");
  press(root, "find");
  assert.deepEqual([around.hidden, page.document.activeElement === search], [false, true]);
  search.value = "weight";
  search.dispatchEvent(new Event("input", { bubbles: true }));
  search.blur();
  assert.equal(around.hidden, false);
  search.focus();
  search.value = "";
  search.blur();
  await new Promise((done) => setTimeout(done)); // what is put into the page anew has the focus again by now
  assert.ok(around.hidden);
});

test("while the kernel runs on, parts are laid out anew a few times a second at most, and at its end", async (context) => {
  let now = 0;
  context.mock.method(performance, "now", () => now);
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { Picture } = await loadModule("viz/static/picture.mjs");
  const { picture, recorded } = examples.network;
  const folded = { ...picture, open: [] };
  const model = saved("network", { picture: folded, recorded: recorded.slice(0, 1), live: true, finished: false });
  const root = await show(model);
  const { arrange } = Picture.prototype;
  let count = 0;
  Picture.prototype.arrange = function () {
    count += 1;
    return arrange.call(this);
  };
  try {
    const last = recorded.length - 1;
    for (let k = 2; k <= last; k += 2) model.fromKernel({ recorded: recorded.slice(0, k + 1), index: k });
    assert.ok(count <= 1, String(count));
    const opened = () => texts(root, ".mg-titles .mg-name");
    const before = opened();
    now = 700;
    context.mock.timers.tick(now);
    assert.notDeepEqual(opened(), before); // the run has ended: what ran last is seen
  } finally {
    Picture.prototype.arrange = arrange;
  }
});

// ---------------------------------------------------------------- the legend

const told = (root) => texts(root, ".mg-legend-parts b");
const sentence = (root, word) =>
  [...root.querySelectorAll(".mg-legend-parts li")].find((item) => item.querySelector("b").textContent === word)
    ?.textContent;

test("the legend explains what occurs in this picture at this step, and nothing else", async () => {
  const root = await show(saved());
  root.querySelector(".mg-press-next").focus();
  key(root, "?");
  assert.equal(root.querySelector(".mg-explained").hidden, false);
  assert.equal(focused(), "next"); // the focus stays
  for (const word of ["leaf", "result", "name", "expression", "value", "grad", "arrow", "next ▸"])
    assert.ok(told(root).includes(word), word);
  for (const word of ["just ran", "✓", "arrow back", "version", "closed part", "breakpoint", "saved", "failed"])
    assert.ok(!told(root).includes(word), word);
  assert.equal(root.querySelectorAll(".mg-pointer").length, told(root).length);
  press(root, "next");
  assert.ok(root.querySelector(".mg-explained").hidden); // a click ends it
  key(root, "?");
  for (const word of ["just ran", "arrow back", "chip"]) assert.ok(told(root).includes(word), word);
  key(root, "ArrowRight"); // it follows the step
  assert.ok(told(root).includes("✓"));
  key(root, "Escape");
  assert.ok(root.querySelector(".mg-explained").hidden);
  key(root, "?");
  key(root, "?");
  assert.ok(root.querySelector(".mg-explained").hidden);
});

test("versions, signs, what waits and closed parts are explained where they are", async () => {
  const before = JSON.parse(examples.example.recorded[0]).boxes.n3;
  const waiting = (frame, k) => {
    if (k !== 1) return;
    frame.boxes.n3 = { ...before, state: "waiting", badge: "1 of 3", version: 2, saved_version: 1 };
    frame.events = [{ kind: "freed", node: "n3", title: "", text: "", before: null, after: null, line: null }];
  };
  const root = await show(changed("example", waiting));
  key(boxNamed(root, "C"), "b");
  press(root, "next");
  press(root, "legend");
  assert.match(sentence(root, "breakpoint"), /stops before/);
  assert.match(sentence(root, "waiting"), /1 of the 3 gradients that it needs has arrived/);
  assert.match(sentence(root, "version"), /saved as v1 .* it is v2/);
  assert.match(sentence(root, "freed"), /a second backward cannot use it/);
  const network = await show(saved("network"));
  assert.equal(sentence(network, "closed part"), undefined);
  press(network, "close-all");
  press(network, "legend");
  assert.match(sentence(network, "closed part"), /a click opens it/);
});

test("the bars below the slider and the width of an edge are explained, and tell more where one points at them", async () => {
  const root = await show(saved("network"));
  press(root, "next");
  key(root, "?");
  assert.match(sentence(root, "bars"), /steps of one part/);
  assert.match(sentence(root, "wide edge"), /the larger the gradient/);
  assert.equal(root.querySelectorAll(".mg-pointer").length, told(root).length);
  for (const strip of root.querySelectorAll(".mg-strip")) assert.match(strip.title, /^\S.*: steps \d+ to \d+$/);
  key(root, "?");
  const tip = root.querySelector(".mg-tip");
  const pointAt = async (element) => {
    element.dispatchEvent(new MouseEvent("pointerover", { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve, 400));
  };
  await pointAt(root.querySelector(".mg-edge.mg-sized .mg-wire"));
  assert.match(tip.textContent, /^‖g‖ [\d.]+the wider an edge/);
  await pointAt(root.querySelector(".mg-upnext .mg-card"));
  assert.match(tip.textContent, /next ▸: the node that runs next\./);
});

test("of a leaf for which some gradients have come it is told that these are not its .grad yet", async () => {
  const before = JSON.parse(examples.example.recorded[0]).boxes;
  const [leaf] = Object.entries(examples.example.picture.boxes).find(([, { kind }]) => kind === "leaf");
  const partial = { ...before[leaf], state: "waiting", badge: "1 of 2", grad: "3", word: "so far", none: true };
  const root = await show(changed("example", (frame, k) => k === 1 && Object.assign(frame.boxes, { [leaf]: partial })));
  press(root, "next");
  press(root, "legend");
  assert.match(sentence(root, "so far"), /\.grad gets it when all has/);
  const rows = () => texts(root, `[data-box="${leaf}"] :is(.mg-word, .mg-grad)`);
  assert.deepEqual(rows(), ["value", "so far", "3"]);
  assert.ok(classes(root.querySelector(`[data-box="${leaf}"] .mg-grad`)).includes("mg-none"));
  press(root, "back");
  assert.deepEqual(rows(), ["value", "grad", "None"]);
});

test("a click in the picture ends the legend and opens no details", async () => {
  const root = await show(saved());
  key(root, "?");
  boxNamed(root, "E").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  assert.ok(root.querySelector(".mg-explained").hidden);
  assert.ok(root.querySelector(".mg-inspector").hidden);
});

// ---------------------------------------------------------------- the hint

test("the hint goes with the first press and does not come back in this browser", async () => {
  const [root, other] = [await show(saved()), await show(saved())];
  const hints = () => [root, other].map((one) => one.querySelector(".mg-hint").hidden);
  assert.deepEqual(hints(), [false, false]);
  assert.match(root.querySelector(".mg-hint").textContent, /Next/);
  press(root, "next");
  assert.deepEqual(hints(), [true, true]);
  assert.ok((await show(saved())).querySelector(".mg-hint").hidden);
});

test("a step by a key ends the hint, too, and a page without storage shows it", async () => {
  Object.defineProperty(globalThis, "localStorage", {
    get() {
      throw new Error("denied");
    },
    configurable: true,
  });
  const root = await show(saved());
  assert.equal(root.querySelector(".mg-hint").hidden, false);
  key(root, "ArrowRight");
  assert.equal(root.querySelector(".mg-hint").hidden, true);
  assert.ok(examples.example.recorded.length > 1);
});

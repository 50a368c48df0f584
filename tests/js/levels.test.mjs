// Step over and step out on a page: the same as in Python, which has written down where each leads
// (test_page_examples.py).

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "./testing.mjs";
import { loadModule, openPage } from "./page.mjs";
import { examples, groupNamed, key, press, saved, step } from "./recorded.mjs";

const { default: widget } = await loadModule("viz/static/stepper.mjs");
const { Player } = await loadModule("viz/static/player.mjs");

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

test("over and out lead where Python's lead, from every frame and with any groups open", () => {
  /** @type {Record<string, [string, boolean]>} */
  const ways = { over: ["over", false], overBack: ["over", true], out: ["out", false], outBack: ["out", true] };
  let compared = 0;
  for (const example of ["network", "grown"]) {
    for (const walk of examples[example].walks) {
      const player = new Player(saved(example));
      player.open = () => new Set(walk.open);
      for (const [name, [method, back]] of Object.entries(ways)) {
        const led = walk[name].map((_, k) => {
          player.go(player.start + k);
          player[method](back);
          return player.index;
        });
        assert.deepEqual(led, walk[name], `${example}: ${name} with ${walk.open.join()} open`);
        compared += led.length;
      }
      player.destroy();
    }
  }
  assert.ok(compared > 250);
});

test("a closed module is crossed in one step, by button and by key, and back", async () => {
  const root = await show(saved("network"));
  key(groupNamed(root, "net"), "Enter");
  press(root, "over");
  const before = step(root);
  const walk = examples.network.walks[1];
  assert.equal(before, walk.over[0]);
  key(root, "o");
  assert.equal(step(root), walk.over[before]);
  assert.match(groupNamed(root, "net").getAttribute("aria-label"), /: (\d+) of \1 nodes ran/);
  key(root, "O", { shiftKey: true });
  assert.equal(step(root), before);
  key(root, "ArrowRight"); // next goes inside
  assert.equal(step(root), before + 1);
  key(root, "e");
  assert.equal(step(root), walk.out[before + 1]);
});

test("a breakpoint stops a step over", async () => {
  const { picture } = examples.network;
  const inside = picture.boxes;
  const weight = Object.keys(inside).find((id) => inside[id].name === "net.body.0.weight");
  const root = await show(saved("network", { breaks: [{ box: weight }] }));
  press(root, "close-all");
  for (let k = 0; k < 3 && !root.querySelector(".mg-note"); k += 1) press(root, "over");
  assert.match(root.querySelector(".mg-note").textContent, /Stopped at a breakpoint: net\.body\.0\.weight/);
  assert.equal(JSON.parse(examples.network.recorded[step(root)]).box, weight);
});

test("the kernel is told once of each group that is opened or closed, also while it runs", () => {
  const model = saved("network", { live: true, finished: false, recorded: examples.network.recorded.slice(0, 1) });
  const player = new Player(model);
  const portion = (index) =>
    model.fromKernel({
      recorded: examples.network.recorded.slice(0, index + 1),
      index,
      stopped: { index, why: "", more: true },
      answered: model.get("request").nth,
    });
  player.open = () => new Set(["net"]);
  player.run();
  assert.deepEqual(model.get("request"), { run: true, open: ["net"], nth: 1 });
  player.open = () => new Set();
  portion(1);
  assert.deepEqual(model.get("request"), { run: true, more: true, open: [], nth: 2 });
  portion(2);
  assert.deepEqual(model.get("request"), { run: true, more: true, nth: 3 });
  player.destroy();
});

test("where there are no modules there is nothing to step over", async () => {
  const root = await show(saved());
  for (const name of ["over", "leave"]) assert.equal(root.querySelector(`.mg-press-${name}`).hidden, true);
  key(root, "o");
  assert.equal(step(root), 1);
  key(root, "e");
  assert.equal(step(root), 6);
});

test("the slider is marked by modules, with their names and steps, also before they have run", async () => {
  const marks = (root) => [...root.querySelectorAll(".mg-strip")].map((one) => one.getAttribute("title"));
  const whole = await show(saved("network"));
  const known = marks(whole);
  assert.equal(known.length, 2);
  assert.match(known[0], /^net\.(body|head): steps \d+ to \d+$/);
  const { total } = examples.network.picture;
  for (const strip of whole.querySelectorAll(".mg-strip")) {
    const [first, last] = strip.getAttribute("title").match(/\d+/g).map(Number);
    const [left, width] = [strip.style.left, strip.style.width].map(Number.parseFloat);
    assert.deepEqual(
      [left, width].map((part) => Math.round((part * total) / 100)),
      [first - 1, last - first + 1],
    );
  }
  cleanup();
  const begun = await show(saved("network", { recorded: examples.network.recorded.slice(0, 1), finished: false }));
  assert.deepEqual(marks(begun), known);
  cleanup();
  const root = await show(saved("network"));
  const strip = root.querySelector(".mg-strip");
  press(root, "next"); // a press that a step comes into ends where it began, on the same strip
  assert.equal(root.querySelector(".mg-strip"), strip);
  strip.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  assert.equal(step(root), Number(/steps (\d+)/.exec(known[0])[1]) - 1);
});

test("the forward pass grows box by box, and the slider leads through both halves", async () => {
  const model = saved("grown", { index: examples.grown.picture.forward[0].index });
  const root = await show(model);
  press(root, "open-all"); // a box is there when it is seen
  const { forward, total } = examples.grown.picture;
  const slider = root.querySelector(".mg-slider");
  assert.deepEqual([slider.getAttribute("min"), slider.getAttribute("max")].map(Number), [-forward.length, total]);
  const there = () =>
    [...root.querySelectorAll("[data-box]")]
      .filter((box) => !box.classList.contains("mg-unmade"))
      .map((box) => box.getAttribute("data-box"));
  const made = [];
  for (const frame of forward) {
    assert.equal(step(root), frame.index);
    made.push(...frame.made);
    assert.deepEqual(there().sort(), [...made].sort());
    assert.equal(
      root.querySelector(".mg-counter").textContent,
      `forward ${frame.index + forward.length + 1} of ${forward.length}`,
    );
    assert.match(root.querySelector(".mg-spoken").textContent, /^Forward \d+ of/);
    assert.ok(root.classList.contains("mg-going-forward"));
    key(root, "ArrowRight");
  }
  assert.equal(step(root), 0);
  assert.equal(made.length, Object.keys(examples.grown.picture.boxes).length);
  assert.ok(!root.classList.contains("mg-going-forward"));
  key(root, "End");
  assert.equal(step(root), total);
  assert.equal(root.querySelectorAll(".mg-new, .mg-unmade").length, 0);
  key(root, "Home");
  assert.equal(step(root), -forward.length);
  assert.deepEqual(there().sort(), [...forward[0].made].sort());
  assert.equal(root.querySelector(".mg-press-back").getAttribute("aria-disabled"), "true");
});

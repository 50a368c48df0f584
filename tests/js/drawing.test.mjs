// What the drawing keeps apart: signs below their box, pills between boxes, versions on tags, a gradient's graph on a sheet of its own.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { loadModule, openPage } from "./page.mjs";
import { boxNamed, changed, classes, examples, groupNamed, press, saved, shown, texts } from "./recorded.mjs";

const { default: widget } = await loadModule("viz/static/stepper.mjs");
const { Modules } = await loadModule("viz/static/modules.mjs");

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

const numbers = (element, name) => element.getAttribute(name).match(/-?[\d.]+/g).map(Number);
const chip = (root, edge) => root.querySelector(`[data-chip="${edge}"]`);

test("signs hang below their box, clear of what is written in it", async () => {
  const root = await show(saved());
  press(root, "next");
  press(root, "next");
  const box = boxNamed(root, "E");
  const height = Number(box.querySelector(".mg-card").getAttribute("height"));
  const [, y] = numbers(box.querySelector(".mg-signs"), "transform");
  const radius = Number(box.querySelector(".mg-sign-back").getAttribute("r"));
  assert.ok(y - radius > height + 1, `${y} - ${radius} is not below ${height}`);
});

test("a pill stays between its boxes: what is too long becomes its shape, or ends in dots", async () => {
  const long = "[5.437, 0.03663, 325510]";
  const model = changed(
    "example",
    (frame, k) => {
      if (k === 2) frame.chips = { ...frame.chips, [Object.keys(frame.chips)[0]]: long };
      if (k === 3) frame.chips = { [Object.keys(frame.chips)[0]]: "⚠ 12345 NaN and 12345 Inf" };
    },
    (boxes) => {
      for (const box of Object.values(boxes)) box.shape = "[3]";
    },
  );
  const root = await show(model);
  press(root, "next");
  press(root, "next");
  const frame = (k) => JSON.parse(model.get("recorded")[k]);
  const edge = Object.keys(frame(2).chips)[0];
  assert.equal(chip(root, edge).querySelector("text").textContent, "[3]");
  press(root, "next");
  const other = chip(root, Object.keys(frame(3).chips)[0]);
  assert.match(other.querySelector("text").textContent, /^⚠ 12345 .*…$/);
  const ends = numbers(root.querySelector(`[data-edge="${Object.keys(frame(3).chips)[0]}"] .mg-wire`), "d");
  assert.ok(Number(other.querySelector("rect").getAttribute("width")) <= Math.abs(ends.at(-2) - ends[0]));
});

test("of a sum that is too long for its pill, the result stays", async () => {
  const edge = Object.keys(JSON.parse(saved().get("recorded")[2]).chips)[0];
  const root = await show(
    changed("example", (frame, k) => {
      if (k === 2) frame.chips = { [edge]: "1.812345678 + 1.016 = 2.828" };
    }),
  );
  press(root, "next");
  press(root, "next");
  assert.equal(chip(root, edge).querySelector("text").textContent, "2.828");
});

test("a version is a tag on the upper edge, and goes away when there is none to tell", async () => {
  const model = changed("example", (frame, k) => {
    if (k === 0) frame.boxes.n3 = { ...frame.boxes.n3, version: 2, saved_version: 1 };
    if (k === 1) frame.boxes.n3 = { ...frame.boxes.n3, version: 0 };
  });
  const root = await show(model);
  const tag = root.querySelector('[data-box="n3"] .mg-version-tag');
  assert.equal(tag.textContent, "v2 ≠ v1");
  assert.ok(classes(tag).includes("mg-differs"));
  assert.equal(tag.getAttribute("visibility"), "visible");
  press(root, "next");
  assert.equal(tag.getAttribute("visibility"), "hidden");
});

// ---------------------------------------------------------------- sheets

/** The network with its last box in the graph of the gradient. */
function twoGraphs() {
  const last = Object.keys(examples.network.picture.boxes).at(-1);
  return [last, changed("network", () => {}, (boxes) => Object.assign(boxes[last], { graph: 2 }))];
}

test("beside modules, each graph lies on a sheet that closes and opens", async () => {
  const [last, model] = twoGraphs();
  const root = await show(model);
  const sheets = [...root.querySelectorAll(".mg-sheet")];
  assert.deepEqual(texts(root, ".mg-sheet .mg-name"), ["the graph", "the graph of the gradient"]);
  assert.ok(sheets.every((sheet) => classes(sheet).includes("mg-open")));
  // The box of the second graph lies inside its sheet, and all others left of it, on the first.
  const [left, top] = numbers(sheets[1], "transform");
  const [x, y] = numbers(root.querySelector(`[data-box="${last}"]`), "transform");
  assert.ok(x > left && y > top);
  const right = numbers(sheets[0], "transform")[0] + Number(sheets[0].querySelector(".mg-frame").getAttribute("width"));
  assert.ok(right < left);
  press(root, "close-all");
  assert.ok(sheets.every((sheet) => classes(sheet).includes("mg-open"))); // paper stays: only modules close
  assert.ok(shown(root.querySelector(`[data-box="${last}"]`)));
  groupNamed(root, "the graph of the gradient").querySelector(".mg-fold").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  assert.ok(!shown(root.querySelector(`[data-box="${last}"]`)));
  assert.match(sheets[1].getAttribute("aria-label"), /the graph of the gradient: .*Enter opens it/);
});

test("an open sheet has no state of its own", async () => {
  const [, model] = twoGraphs();
  const root = await show(model);
  for (let k = 0; k < 3; k += 1) {
    press(root, "next");
    for (const sheet of root.querySelectorAll(".mg-sheet")) assert.ok(classes(sheet).includes("mg-idle"));
  }
});

test("one graph needs no sheet, nor do two that Graphviz has laid out", () => {
  const { picture } = examples.network;
  assert.equal(new Modules(picture).groups.length, picture.groups.length);
  const boxes = structuredClone(picture.boxes);
  Object.values(boxes).at(-1).graph = 2;
  assert.equal(new Modules({ ...picture, boxes }).groups.length, picture.groups.length + 2);
  assert.equal(new Modules({ ...picture, boxes, groups: [] }).groups.length, 0);
});

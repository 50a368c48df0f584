// Linked highlighting: what is the same thing lights up together.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "./testing.mjs";
import { loadModule, openPage } from "./page.mjs";
import { boxNamed, examples, groupNamed, press, saved, texts } from "./recorded.mjs";

const { default: widget } = await loadModule("viz/static/stepper.mjs");

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

async function show(model, steps = 0) {
  cleanup = await widget.render({ model, el: page.host });
  const root = page.host.querySelector(".minigrad-stepper");
  for (let k = 0; k < steps; k += 1) press(root, "next");
  return root;
}

const over = (element) => element.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
const lit = (root) => [...root.querySelectorAll(".mg-twin")];
const litBoxes = (root) =>
  lit(root).flatMap((element) =>
    element.matches("[data-box]") ? [element.querySelector(".mg-name").textContent] : [],
  );
const litTexts = (root) => lit(root).flatMap((element) => (element.matches("span, b") ? [element.textContent] : []));
const token = (root, where, text) =>
  [...root.querySelectorAll(`${where} .mg-token`)].find((element) => element.textContent === text);

test("a box lights its name, its factor in the formula, its token in the code and what flows on its edges", async () => {
  const root = await show(saved(), 2); // E = C * D
  over(boxNamed(root, "D"));
  assert.deepEqual(litBoxes(root), ["D"]);
  assert.ok(litTexts(root).length >= 3, litTexts(root).join());
  assert.ok(litTexts(root).every((text) => text.replace(".grad", "") === "D"));
  assert.ok(lit(root).some((element) => element.matches(".mg-story .mg-c *")));
  assert.ok(lit(root).some((element) => element.matches(".mg-source *")));
  assert.ok(lit(root).some((element) => element.matches(".mg-chip")));
});

test("a name, a factor and a token light the box, and leaving ends it", async () => {
  const root = await show(saved(), 2);
  over([...root.querySelectorAll(".mg-sentence .mg-a-name")].find((element) => element.textContent === "C"));
  assert.deepEqual(litBoxes(root), ["C"]);
  over(token(root, ".mg-sentence", "D"));
  assert.deepEqual(litBoxes(root), ["D"]);
  over(token(root, ".mg-lit", "C"));
  assert.deepEqual(litBoxes(root), ["C"]);
  over(token(root, ".mg-lit", "E"));
  assert.deepEqual(litBoxes(root), ["E"]);
  over(token(root, ".mg-sentence", "g")); // what came to the box that ran
  assert.deepEqual(litBoxes(root), ["E"]);
  root.dispatchEvent(new PointerEvent("pointerleave"));
  assert.deepEqual(lit(root), []);
});

test("each of several results lights the box that made them, in sentences and in the code", async () => {
  const picture = structuredClone(examples.example.picture);
  const made = Object.values(picture.boxes).find(({ name }) => name === "C");
  Object.assign(made, { name: "C, K", outputs: [{ shape: "[]" }, { shape: "[]" }] });
  const root = await show(saved("example", { picture }), 2);
  over([...root.querySelectorAll(".mg-sentence .mg-a-name")].find((element) => element.textContent === "C"));
  assert.equal(lit(root).filter((element) => element.matches("[data-box]")).length, 1);
  over(boxNamed(root, "D"));
  over(token(root, ".mg-lit", "C"));
  assert.match(
    lit(root)
      .find((element) => element.matches("[data-box]"))
      .getAttribute("aria-label"),
    /^C/,
  );
});

test("what came is what sentences call it, where a variable is called g", async () => {
  const picture = { ...examples.example.picture, gradient: "grad" };
  const root = await show(saved("example", { picture }), 2);
  assert.equal(token(root, ".mg-sentence", "g"), undefined); // it would be the variable
  assert.ok(token(root, ".mg-sentence", "D"));
});

test("a chip lights both ends of its edge", async () => {
  const root = await show(saved(), 2);
  const chip = [...root.querySelectorAll(".mg-chip")].find(
    (element) => element.getAttribute("visibility") === "visible" && element.textContent.includes("4"),
  );
  over(chip);
  assert.deepEqual(litBoxes(root).sort(), ["C", "E"]);
});

test("the texts are what they were, and a step takes the light along", async () => {
  const root = await show(saved(), 2);
  const before = [
    texts(root, ".mg-sentence"),
    texts(root, ".mg-lit .mg-text"),
    root.querySelector("[aria-live]").textContent,
  ];
  over(boxNamed(root, "D"));
  assert.deepEqual(
    [texts(root, ".mg-sentence"), texts(root, ".mg-lit .mg-text"), root.querySelector("[aria-live]").textContent],
    before,
  );
  press(root, "next");
  assert.deepEqual(litBoxes(root), ["D"]);
  assert.ok(litTexts(root).includes("D"));
  press(root, "back");
  assert.deepEqual([texts(root, ".mg-sentence"), texts(root, ".mg-lit .mg-text")], before.slice(0, 2));
});

test("of several with the same name, a token is the one that went in or came out", async () => {
  const picture = structuredClone(examples.example.picture);
  const model = saved("example", { picture });
  const id = (name) => Object.keys(picture.boxes).find((key) => picture.boxes[key].name === name);
  const [d, e] = [id("D"), id("E")];
  picture.boxes[d].name = "h₁";
  picture.boxes[e].name = "h₂";
  for (const line of picture.sources[0].lines) line[1] = line[1].replaceAll("E", "h").replaceAll("D", "h");
  const root = await show(model, 2); // h = C * h
  const [left, right] = [...root.querySelectorAll(".mg-lit .mg-token")].filter(
    (element) => element.textContent === "h",
  );
  over(left);
  assert.equal(
    lit(root)
      .find((element) => element.matches("[data-box]"))
      .getAttribute("data-box"),
    e,
  );
  over(right);
  assert.equal(
    lit(root)
      .find((element) => element.matches("[data-box]"))
      .getAttribute("data-box"),
    d,
  );
});

test("a token beside the sign that is marked is what went in there", async () => {
  const picture = structuredClone(examples.example.picture);
  const d = Object.keys(picture.boxes).find((key) => picture.boxes[key].name === "D");
  picture.boxes[d].name = "h₁";
  for (const line of picture.sources[0].lines) line[1] = line[1].replace("C * D", "C * h");
  const frame = JSON.parse(examples.example.recorded[2]);
  const [source, line, start] = frame.marks[0];
  const recorded = examples.example.recorded.with(
    2,
    JSON.stringify({ ...frame, marks: [[source, line, start + 2, start + 3]] }),
  );
  const root = await show(saved("example", { picture, recorded }), 2);
  assert.deepEqual(texts(root, ".mg-mark"), ["*"]);
  over(token(root, ".mg-lit", "h"));
  assert.deepEqual(litBoxes(root), ["h₁"]);
});

test("left of the sign a token is what the line makes at last, also while a part of it runs", async () => {
  const picture = structuredClone(examples.example.picture);
  const model = saved("example", { picture });
  const id = (name) => Object.keys(picture.boxes).find((key) => picture.boxes[key].name === name);
  const [d, f] = [id("D"), id("F")];
  Object.assign(picture.boxes[d], { name: "h₁" });
  Object.assign(picture.boxes[f], { name: "h₂" });
  for (const line of picture.sources[0].lines) line[1] = line[1].replace(/^E/, "h").replace(/= C . D/, "= C * h");
  const root = await show(model, 2); // E, a part of h = (C * h) + ..., runs
  const [left, right] = [...root.querySelectorAll(".mg-lit .mg-token")].filter(
    (element) => element.textContent === "h",
  );
  over(left);
  assert.equal(
    lit(root)
      .find((element) => element.matches("[data-box]"))
      .getAttribute("data-box"),
    f,
  );
  over(right);
  assert.equal(
    lit(root)
      .find((element) => element.matches("[data-box]"))
      .getAttribute("data-box"),
    d,
  );
});

test("a leaf is found from any line, a result only from where it went in or came out", async () => {
  const picture = structuredClone(examples.example.picture);
  for (const line of picture.sources[0].lines) line[1] = line[1].replace(/^E = .*/, "E = C * D + 0 * A + 0 * F");
  const root = await show(saved("example", { picture }), 2);
  over(token(root, ".mg-lit", "A"));
  assert.deepEqual(litBoxes(root), ["A"]);
  assert.equal(token(root, ".mg-lit", "F"), undefined); // the line above made another one
});

test("a transposed factor is the factor", async () => {
  const root = await show(saved("large"), 3); // matmul: w gets xᵀ @ g
  over(token(root, ".mg-sentence", "x"));
  assert.ok(litTexts(root).includes("x"));
});

test("what lies in a closed group lights the group, and the group what lies in it", async () => {
  const root = await show(saved("network"), 3);
  const group = groupNamed(root, "head") ?? root.querySelector("[data-group]");
  const open = group.getAttribute("aria-expanded") === "true";
  if (open) group.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  const names = [...root.querySelectorAll(".mg-sentence .mg-a-name")];
  over(names.find((element) => element.textContent === "net.head.weight"));
  const lights = lit(root).filter((element) => element.matches("[data-group]"));
  assert.equal(lights.length, 1);
  over(lights[0]);
  assert.ok(litTexts(root).includes("net.head.weight"));
  assert.ok(litTexts(root).includes("net.head.bias"));
});

test("hostile names are only text", async () => {
  const root = await show(saved("hostile"), 2);
  for (const box of root.querySelectorAll("[data-box]")) {
    over(box);
    assert.ok(lit(root).includes(box));
  }
  assert.equal(root.querySelectorAll("script, img[onerror]").length, 0);
});

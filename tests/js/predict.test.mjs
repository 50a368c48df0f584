// Predicting on a page: what counts as a number and as right, what is said of wrong answers, and that nothing is told
// before it was answered.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "./testing.mjs";
import { loadModule, openPage } from "./page.mjs";
import { examples, key, press, saved, step, texts } from "./recorded.mjs";

const { default: widget } = await loadModule("viz/static/stepper.mjs");
const { isRight, mistakeIn, numberFrom } = await loadModule("viz/static/predict.mjs");

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

async function predicting(name = "example", values = {}) {
  const picture = { ...examples[name].picture, predict: true };
  cleanup = await widget.render({ model: saved(name, { picture, ...values }), el: page.host });
  return page.host.querySelector(".minigrad-stepper");
}

const frames = (name = "example") => examples[name].recorded.map((text) => JSON.parse(text));
const said = (root) => root.querySelector(".mg-predict-word").textContent;
const asked = (root) => root.querySelector(".mg-predict").textContent;
const clickBox = (root, id) =>
  root.querySelector(`[data-box="${id}"]`).dispatchEvent(new MouseEvent("click", { bubbles: true }));

function answer(root, text) {
  root.querySelector(".mg-answer").value = text;
  root.querySelector(".mg-asked").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
}

test("a number may be written in many ways, and what is none is refused", () => {
  const values = {
    0.5: 0.5,
    ".5": 0.5,
    "2/3": 2 / 3,
    "-2e-3": -0.002,
    "−4": -4,
    "2*(-3)": -6,
    "2 × 3": 6,
    "3^2": 9,
    "-3**2": -9,
    "2**-1": 0.5,
    "(1+2)/4": 0.75,
    "1 - 2 - 3": -4,
    inf: Infinity,
    "-inf": -Infinity,
    NaN: NaN,
  };
  for (const [text, value] of Object.entries(values)) assert.equal(numberFrom(text)?.value, value, text);
  for (const text of ["", "a", "1,5", "2/", "(1", "1)", "1 2", "alert(1)", "--", "0x10", "g", "1e"])
    assert.equal(numberFrom(text), null, text);
});

test("an answer is right as nearly as it was written", () => {
  const right = (text, value) => isRight(numberFrom(text), value);
  for (const [text, value] of [
    ["0.667", 2 / 3],
    ["0.67", 2 / 3],
    ["2/3", 2 / 3],
    ["-6", -6],
    ["0", 0],
    ["1e3", 1000],
    ["nan", NaN],
    ["inf", Infinity],
    ["12.35", 12.3456],
  ])
    assert.ok(right(text, value), `${text} is ${value}`);
  for (const [text, value] of [
    ["1", 2 / 3],
    ["0.7", 2 / 3],
    ["0.68", 2 / 3],
    ["6", -6],
    ["0", 0.4],
    ["5", NaN],
    ["nan", 5],
    ["inf", 5],
    ["-inf", Infinity],
    ["999", Infinity],
  ])
    assert.ok(!right(text, value), `${text} is not ${value}`);
});

test("what came is called as in the sentences", () => {
  const said = (text) => mistakeIn(numberFrom(text), { edge: "e1", value: -6, came: 3, held: null }, "grad")[1];
  assert.match(said("3"), /^That is grad, as it arrived \(3\)/);
  assert.match(said("-2"), /multiplied by grad = 3\.$/);
});

test("what a wrong answer has left out is said only where the numbers tell it", () => {
  const kind = (text, question) =>
    mistakeIn(numberFrom(text), { edge: "e1", came: null, held: null, ...question })?.[0] ?? null;
  assert.equal(kind("6", { value: -6, came: 3 }), "sign");
  assert.equal(kind("3", { value: -6, came: 3 }), "factor"); // g was passed on
  assert.equal(kind("-2", { value: -6, came: 3 }), "factor"); // g was left out
  assert.equal(kind("10", { value: 9, came: 1, held: 1 }), "sum");
  assert.equal(kind("9", { edge: null, value: 10, came: 9, held: 1 }), "sum");
  assert.equal(kind("1", { edge: null, value: 10, came: 9, held: 1 }), "sum");
  assert.equal(kind("3", { value: 6 }), "factor");
  assert.equal(kind("7.3", { value: 6, came: 2, held: 1 }), null);
  assert.equal(kind("nan", { value: 6, came: 2, held: 1 }), null);
  assert.equal(kind("1", { value: 0, came: 2 }), null);
});

test("who runs next is answered by a box, and a wrong one is told why it is not", async () => {
  const root = await predicting();
  const [first] = frames();
  const leaf = Object.keys(examples.example.picture.boxes).find(
    (id) => examples.example.picture.boxes[id].kind === "leaf",
  );
  assert.match(asked(root), /^Which node runs next\?/);
  assert.doesNotMatch(root.textContent, /next ▸/);
  assert.equal(root.querySelectorAll(".mg-upnext").length, 0);
  clickBox(root, leaf);
  assert.equal(step(root), 0);
  assert.match(said(root), /still waits: 0 of \d gradients have arrived\.$/);
  clickBox(root, first.next);
  assert.equal(step(root), 1);
});

test("no part of the page tells a number before it was answered", async () => {
  const root = await predicting();
  let asking = 0;
  for (const frame of frames().slice(1)) {
    press(root, "next");
    assert.equal(step(root), frame.index);
    for (const question of frame.questions ?? []) {
      asking += 1;
      if (question.edge !== null)
        assert.equal(root.querySelector(`[data-chip~="${question.edge}"] text`).textContent, "?");
      assert.equal(root.querySelector(`[data-box="${question.box}"] .mg-grad`).textContent, "?");
      const sentence = frame.story
        .find((line) => line.kind === "sentence")
        .pieces.map(([, text]) => text)
        .join("");
      assert.ok(!root.textContent.includes(sentence));
      assert.ok(!root.querySelector(".mg-spoken").textContent.includes(sentence));
      answer(root, "a lot");
      assert.match(said(root), /^Write a number/);
      answer(root, String(question.value));
      assert.equal(said(root), "Right.");
    }
    const sentence = root.querySelector(".mg-sentence").textContent;
    assert.equal(
      sentence,
      frame.story
        .find((line) => line.kind === "sentence")
        .pieces.map(([, text]) => text)
        .join(""),
    );
  }
  assert.ok(asking > 5);
  const { length } = frames();
  assert.equal(
    root.querySelector(".mg-predict p").textContent,
    `Right at the first try: 0 of ${length - 1} nodes, ${asking} of ${asking} numbers.`,
  );
});

test("a wrong number is told what it is, counted, and can be put right or shown", async () => {
  const root = await predicting();
  const [first, second] = frames();
  clickBox(root, first.next);
  const [question] = second.questions;
  answer(root, String(-question.value));
  assert.equal(said(root), "The size is right, the sign is not.");
  // To be put right, not to be typed again.
  assert.equal(root.querySelector(".mg-answer").value, String(-question.value));
  press(root, "reveal");
  assert.equal(root.querySelector(`[data-chip~="${question.edge}"] text`).textContent, second.chips[question.edge]);
  key(root, "End");
  assert.equal(
    root.querySelector(".mg-predict p").textContent,
    `Right at the first try: 1 of 1 nodes, 0 of ${second.questions.length} numbers. Missed: a sign once.`,
  );
});

test("of a wrong number of which nothing else can be told the rule is shown, line by line", async () => {
  const printed = { kind: "code", why: false, pieces: [["text", "printed by a hook"]] }; // which is no rule
  const recorded = frames().map((frame) => JSON.stringify({ ...frame, story: [...frame.story, printed] }));
  const root = await predicting("example", { recorded });
  const [, product] = frames().filter(({ questions }) => questions);
  key(root, "p");
  for (let k = 1; k < product.index; k += 1) press(root, "next");
  key(root, "p");
  clickBox(root, product.box);
  answer(root, "7.77");
  const told = "its rule makes of that what goes on.\nself: g * other\nother: g * self";
  assert.ok(said(root).endsWith(told), said(root));
});

test("Enter gives the answer that was typed, and other keys are the field's own", async () => {
  const root = await predicting();
  const [first, second] = frames();
  clickBox(root, first.next);
  const [question] = second.questions;
  const field = root.querySelector(".mg-answer");
  field.value = String(-question.value);
  const before = said(root);
  key(field, "5");
  assert.equal(said(root), before);
  key(field, "Enter"); // which JupyterLab would take for its own
  assert.equal(said(root), "The size is right, the sign is not.");
});

test("it is switched on and off by a key and by a button, and Over, the slider and Play ask nothing", async () => {
  cleanup = await widget.render({ model: saved(), el: page.host });
  const root = page.host.querySelector(".minigrad-stepper");
  assert.ok(root.querySelector(".mg-predict").hidden);
  key(root, "p");
  assert.equal(root.querySelector(".mg-press-predict").getAttribute("aria-pressed"), "true");
  key(root, "End");
  assert.deepEqual(
    texts(root, ".mg-chip text").filter((text) => text === "?"),
    [],
  );
  key(root, "Home");
  press(root, "predict");
  assert.equal(root.querySelector(".mg-press-predict").getAttribute("aria-pressed"), "false");
  assert.match(root.textContent, /next ▸/);
});

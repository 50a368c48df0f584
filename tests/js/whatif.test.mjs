// What a page computes itself with other numbers is what Python computes; how it is asked for, with a kernel and
// without one; and what is refused.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "./testing.mjs";
import { loadModule, openPage } from "./page.mjs";
import { boxNamed, changed, examples, key, press, saved, step, texts } from "./recorded.mjs";

const { default: widget } = await loadModule("viz/static/stepper.mjs");
const { gradientOf, inBrackets, numberText, resultOf, run, supposedBy } = await loadModule("viz/static/whatif.mjs");
const { numbersOf } = await loadModule("viz/static/changing.mjs");

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

const near = (found, expected, what) => {
  assert.equal(found.length, expected.length, what);
  for (const [k, number] of found.entries()) {
    const slack = 1e-9 * Math.max(1, Math.abs(expected[k]));
    assert.ok(Math.abs(number - expected[k]) <= slack, `${what}: ${number} is not ${expected[k]}`);
  }
};

for (const [name, { program, changes, value, grads }] of Object.entries(examples.programs)) {
  test(`the page computes as Python does: ${name}`, () => {
    near(run(program, changes).made.get(program.root).numbers, value, "the result");
    for (const [id, numbers] of Object.entries(grads))
      near(gradientOf(program, changes, id), numbers, `the gradient of ${id}`);
  });

  test(`and its gradients are the slopes: ${name}`, () => {
    for (const [id, numbers] of Object.entries(grads)) {
      numbers.forEach((slope, k) => {
        const at = (by) =>
          resultOf(program, {
            ...changes,
            [id]: changes[id].map((number, place) => (place === k ? number + by : number)),
          });
        const measured = (at(1e-6) - at(-1e-6)) / 2e-6;
        assert.ok(
          Math.abs(measured - slope) < 1e-4 * Math.max(1, Math.abs(slope)),
          `${id}[${k}]: ${measured} is not ${slope}`,
        );
      });
    }
  });
}

test("numbers are written as Python writes them", () => {
  const told = {
    40: 40,
    0.3333: 1 / 3,
    "1.2e-5": 1.2e-5,
    NaN: NaN,
    Inf: Infinity,
    "-Inf": -Infinity,
    999999: 999999,
    "1e6": 1e6,
    "1.235e8": 123456789,
    1235: 1234.6,
    "-0.5": -0.5,
    0.001: 0.001,
    "9.999e-4": 0.0009999,
    0: -0,
  };
  for (const [text, value] of Object.entries(told)) assert.equal(numberText(value), text);
  assert.equal(inBrackets({ shape: [2, 2], numbers: [1, 2, 3, 4] }), "[[1, 2], [3, 4]]");
  assert.deepEqual(numbersOf("torch.tensor([[0.5, -1e-05], [float('nan'), float('-inf')]], dtype=torch.float64)"), [
    0.5,
    -1e-5,
    NaN,
    -Infinity,
  ]);
  assert.deepEqual(numbersOf("torch.tensor(3.0)"), [3]);
});

test("its frames are the kernel's, without the middle part of the sentences", () => {
  const { picture, recorded } = examples.example;
  const kernel = examples.supposed;
  const [id] = kernel.changed;
  const made = supposedBy(
    picture,
    recorded.map((text) => JSON.parse(text)),
    { [id]: [5] },
    "",
  );
  assert.deepEqual(made.changes, kernel.changes);
  for (const [box, { text, value, exact, ran }] of Object.entries(kernel.now))
    if (ran)
      assert.deepEqual(
        [made.now[box].text, made.now[box].value, made.now[box].exact, made.now[box].ran],
        [text, value, exact, ran],
      );
  made.frames.forEach((text, k) => {
    const [here, there] = [JSON.parse(text), JSON.parse(kernel.frames[k])];
    assert.deepEqual(
      here.chips,
      Object.fromEntries(Object.entries(there.chips).map(([edge, chip]) => [edge, chip.split(" = ").at(-1)])),
    );
    assert.deepEqual(here.norms, there.norms);
    const { name, kind } = picture.boxes[here.box] ?? {};
    const said = here.story[0].pieces.map(([, words]) => words).join("");
    if (kind === "leaf") assert.equal(said, `${name}.grad = ${there.boxes[here.box].full}.`);
    else if (name) assert.match(said, /^\w+ gets .*\.$/);
    for (const [box, state] of Object.entries(there.boxes)) {
      assert.deepEqual(
        [here.boxes[box]?.full, here.boxes[box]?.none, here.boxes[box]?.state],
        [state.full, state.none, state.state],
        `${box} at ${k}`,
      );
    }
  });
});

test("the frames of the forward pass have the other numbers", () => {
  const { picture, recorded } = examples.grown;
  const leaf = picture.program.rows.find((row) => !row.op);
  const made = supposedBy(
    picture,
    recorded.map((text) => JSON.parse(text)),
    { [leaf.id]: leaf.numbers.map((number) => number + 1) },
    "",
  );
  const results = run(picture.program, { [leaf.id]: leaf.numbers.map((number) => number + 1) }).made;
  const told = made.forward.filter(({ box }) => results.has(box));
  assert.equal(made.forward.length, picture.forward.length);
  assert.ok(told.length > 2);
  for (const { box, story } of told)
    if (results.get(box).numbers.length <= 24) assert.equal(story[0].pieces[2][1], inBrackets(results.get(box)));
});

// ---------------------------------------------------------------- in the widget

async function opened(model, name = "B") {
  cleanup = await widget.render({ model, el: page.host });
  const root = page.host.querySelector(".minigrad-stepper");
  boxNamed(root, name).dispatchEvent(new MouseEvent("click", { bubbles: true }));
  return root;
}

const form = (root) => root.querySelector(".mg-inspector form");
const field = (root) => form(root).querySelector("input[type=text]");
const banner = (root) => root.querySelector(".mg-whatif");
const word = (root) => root.querySelector(".mg-inspector .mg-predict-word").textContent;
const value = (root, name) => boxNamed(root, name).querySelector(".mg-value").textContent;
const submit = (element) => element.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));

function type(root, text) {
  field(root).value = text;
  submit(form(root));
}

test("without a kernel a small graph is computed by the page, and what ran comes back", async () => {
  const root = await opened(saved());
  const ran = value(root, "F");
  assert.ok(banner(root).hidden);
  type(root, "5");
  assert.match(banner(root).textContent, /^What if B\[0\] = 5 \(it ran with 2\)\?/);
  assert.notEqual(value(root, "F"), ran);
  assert.equal(value(root, "B"), "5");
  press(root, "last");
  assert.equal(step(root), examples.example.picture.total);
  assert.equal(boxNamed(root, "B").querySelector(".mg-grad").textContent, "100"); // (A² + 1) × 2 × 5
  press(root, "ran");
  assert.ok(banner(root).hidden);
  assert.equal(value(root, "F"), ran);
  assert.equal(step(root), examples.example.picture.total);
});

test("the edges stay as the step has them when the bar above the picture takes its room", async () => {
  const root = await opened(saved());
  press(root, "next");
  press(root, "next");
  const flows = () =>
    texts(root, ".mg-chip:not([visibility=hidden]) text").length +
    [...root.querySelectorAll(".mg-edge")].filter((edge) =>
      ["mg-now", "mg-done"].some((name) => edge.classList.contains(name)),
    ).length;
  const before = flows();
  type(root, "5");
  assert.ok(before > 2);
  assert.equal(flows(), before);
});

test("what is no number is refused in words, and nothing is lost", async () => {
  const root = await opened(saved());
  type(root, "5");
  const shown = banner(root).textContent;
  for (const text of ["", "three", "1,5", "nan"]) {
    type(root, text);
    assert.match(word(root), /Write a number/, text);
    assert.equal(field(root).value, text);
    assert.equal(field(root).getAttribute("aria-invalid"), "true");
  }
  for (const text of ["inf", "1e400", "-inf"]) {
    type(root, text);
    assert.match(word(root), /finite/, text);
  }
  assert.equal(banner(root).textContent, shown);
  type(root, "2/4");
  assert.match(banner(root).textContent, /= 0\.5 /);
  assert.equal(word(root), "");
  type(root, "2");
  assert.ok(banner(root).hidden); // the number that ran
});

test("a drag computes at once, and the slider stays where it is", async () => {
  const root = await opened(saved());
  const slider = form(root).querySelector("input[type=range]");
  for (const number of ["2.5", "3", "3.5"]) {
    slider.value = number;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    slider.dispatchEvent(new Event("change", { bubbles: true }));
    assert.equal(field(root).value, number);
  }
  assert.match(banner(root).textContent, /= 3\.5 /);
  assert.equal(form(root).querySelector("input[type=range]"), slider);
  assert.equal(field(root).value, "3.5");
});

test("a nudge says both results, their quotient and .grad", async () => {
  const root = await opened(saved());
  press(root, "nudge");
  const said = /F is ([\d.]+), and ([\d.]+) with B\[0\] \+ ([\d.]+): .* = ([\d.]+)\. B\.grad\[0\] is ([\d.]+)\./;
  const [was, after, by, slope, grad] = said.exec(word(root)).slice(1).map(Number);
  assert.ok(Math.abs((after - was) / by - slope) < 0.01);
  assert.ok(Math.abs(slope - grad) < 0.1);
  assert.ok(banner(root).hidden);
  assert.equal(root.querySelector(".mg-spoken").textContent, word(root));
  const steps = root.querySelectorAll(".mg-inspector form")[1];
  steps.querySelector("input").value = "0";
  submit(steps);
  assert.match(word(root), /step of 0/);
});

test("a page that cannot compute a graph says that the kernel can", async () => {
  const picture = { ...examples.example.picture, program: undefined };
  const root = await opened(saved("example", { picture }));
  type(root, "5");
  assert.match(word(root), /needs the kernel/);
  assert.ok(banner(root).hidden);
});

test("only leaves have a number to change", async () => {
  const root = await opened(saved(), "E");
  assert.ok(root.querySelector(".mg-inspector .mg-changing").hidden);
  assert.ok(!root.querySelector(".mg-inspector").hidden);
});

test("with a kernel the kernel is asked, and its frames are walked without it", async () => {
  const model = saved("example", {
    live: true,
    index: 0,
    recorded: examples.example.recorded.slice(0, 1),
    finished: false,
  });
  const root = await opened(model);
  type(root, "5");
  const [id] = examples.supposed.changed;
  assert.deepEqual(model.get("request"), { what_if: { [id]: [5] }, nth: 1 });
  type(root, "6"); // before it has answered: asked next
  assert.equal(model.get("request").nth, 1);
  model.fromKernel({ whatif: examples.supposed, answered: 1 });
  assert.deepEqual(model.get("request"), { what_if: { [id]: [6] }, nth: 2 });
  model.fromKernel({ whatif: examples.supposed, answered: 2 });
  assert.ok(!banner(root).hidden);
  press(root, "next");
  press(root, "last");
  assert.equal(step(root), examples.example.picture.total);
  assert.equal(model.get("request").nth, 2); // no step was asked for
  assert.match(banner(root).textContent, /\.grad/);
  press(root, "ran");
  assert.deepEqual(model.get("request"), { what_if: {}, nth: 3 });
  model.fromKernel({ whatif: {}, answered: 3 });
  assert.ok(banner(root).hidden);
  assert.equal(step(root), 0); // where the kernel stands
});

test("what the kernel cannot do is said where it was asked", async () => {
  const model = saved("example", { live: true });
  const root = await opened(model);
  type(root, "5");
  model.fromKernel({ whatif: { word: "E cannot be computed once more: <b>why</b>." }, answered: 1 });
  assert.equal(word(root), "E cannot be computed once more: <b>why</b>.");
  assert.equal(root.querySelector(".mg-inspector .mg-predict-word b"), null);
  assert.ok(banner(root).hidden);
});

test("frames of another number are painted also where they are as long as those that ran", async () => {
  const model = saved("example", { live: true, index: 3 });
  const root = await opened(model);
  const before = texts(root, ".mg-comes-to").join();
  model.fromKernel({ whatif: examples.supposed });
  assert.notEqual(texts(root, ".mg-comes-to").join(), before);
  key(root, "ArrowRight");
  assert.equal(step(root), 4);
});

test("names are text", async () => {
  const model = changed(
    "example",
    () => {},
    (boxes) => {
      for (const box of Object.values(boxes)) box.name = `<i>${box.name}</i>`;
    },
  );
  cleanup = await widget.render({ model, el: page.host });
  const root = page.host.querySelector(".minigrad-stepper");
  const leaf = Object.entries(model.get("picture").boxes).find(([, box]) => box.kind === "leaf")[0];
  root.querySelector(`[data-box="${leaf}"]`).dispatchEvent(new MouseEvent("click", { bubbles: true }));
  type(root, "7");
  assert.match(banner(root).textContent, /<i>/);
  assert.equal(banner(root).querySelector("i"), null);
  assert.equal(form(root).querySelector("i"), null);
});

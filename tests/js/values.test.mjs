// How values are shown: small ones in full, large ones as maps, with what changed, what cannot be missed, and Python to
// copy.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "./testing.mjs";
import { loadModule, openPage } from "./page.mjs";
import { boxNamed, changed, groupNamed, key, press, saved, texts } from "./recorded.mjs";

const { default: widget } = await loadModule("viz/static/stepper.mjs");
const { asPython, change, difference, elementPairs, grid, linesOf, rowsOf, valueShown } =
  await loadModule("viz/static/values.mjs");

const { nameOf } = await loadModule("viz/static/dom.mjs");

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

const MAP = "data:image/png;base64,AAAA";
const OTHER = "data:image/png;base64,BBBB";

test("values are read as rows, compared and written as Python", () => {
  assert.deepEqual(rowsOf("[[1, 2], [3, NaN]]"), [
    ["1", "2"],
    ["3", "NaN"],
  ]);
  assert.deepEqual(rowsOf("-Inf"), [["-Inf"]]);
  assert.equal(rowsOf("not kept: no variable holds it"), null);
  assert.deepEqual(elementPairs("[1, 2]", "[1, 3]"), [
    [
      ["1", "1"],
      ["3", "2"],
    ],
  ]);
  assert.equal(difference("1", "10"), "+9");
  assert.equal(difference("2", "0.5"), "−1.5");
  assert.equal(difference("1", "NaN"), "");
  assert.equal(difference("4", "4"), "");
  assert.equal(
    asPython("[[1, 2.5], [NaN, -Inf]]", "float32"),
    'torch.tensor([[1., 2.5], [float("nan"), -float("inf")]])',
  );
  assert.equal(asPython("[1, -2]", "int64"), "torch.tensor([1, -2])");
  assert.equal(asPython("1e-05", "float64"), "torch.tensor(1e-05, dtype=torch.float64)");
});

test("in the details, what changed is marked and says by how much", async () => {
  const body = grid("[10, 4]", "[1, 4]");
  assert.equal(body.querySelector(".mg-changed").textContent, "10+9");
  assert.equal(body.querySelectorAll(".mg-changed").length, 1);
  const root = await show(saved());
  key(boxNamed(root, "D"), "Enter");
  press(root, "next");
  press(root, "next");
  const inspector = root.querySelector(".mg-inspector");
  assert.equal(inspector.querySelector(".mg-changed").firstChild.textContent, "10");
  assert.equal(inspector.querySelector(".mg-by").textContent, "+9");
});

test("the copy button writes the value as Python and says so", async (context) => {
  const copied = [];
  context.mock.timers.enable({ apis: ["setTimeout"] });
  Object.defineProperty(navigator, "clipboard", {
    value: { writeText: async (text) => copied.push(text) },
    configurable: true,
  });
  const root = await show(saved());
  key(boxNamed(root, "A"), "Enter");
  const copy = root.querySelector(".mg-press-copy");
  copy.click();
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual(copied, ["torch.tensor([3.0])"]);
  assert.equal(copy.textContent, "copied");
  context.mock.timers.tick(2000);
  assert.equal(copy.textContent, "copy");
});

test("a large tensor is shown as a map with a scale, and what changed in its statistics", async () => {
  const root = await show(saved("large"));
  key(boxNamed(root, "w"), "Enter");
  press(root, "last");
  const inspector = root.querySelector(".mg-inspector");
  const map = inspector.querySelectorAll("img.mg-heat");
  assert.equal(map.length, 2); // the value and the gradient
  assert.match(map[1].getAttribute("alt"), /heat map of the gradient of w: min, mean and max/);
  assert.match(inspector.textContent, /min 0\.5mean 0\.5max 0\.5/);
});

test("a matrix is written as Python writes it, a row on each line and its columns below each other", () => {
  assert.deepEqual(linesOf("[[[1, 2]], [[3, 4]]]"), [
    { open: "[[[", words: ["1", "2"], close: "]]" },
    { open: " [[", words: ["3", "4"], close: "]]]" },
  ]);
  assert.deepEqual(texts(grid("[[1, -2.5], [300, 4]]"), ".mg-grid-row"), ["[[   1, -2.5],", " [ 300,    4]]"]);
  assert.equal(grid("[]").textContent, "[]");
  assert.equal(grid("[[], []]").textContent, "[[], []]");
  assert.equal(grid("1 + 9 = 10").textContent, "1 + 9 = 10");
});

test("long names break after their dots and are read as one", () => {
  const name = nameOf("net.body.0.weight");
  assert.equal(name.textContent, "net.body.0.weight");
  assert.deepEqual(
    [...name.querySelectorAll("wbr")].map((gap) => gap.previousSibling.textContent),
    ["net.", "body.", "0."],
  );
});

test("what did not change, and what has no value after it, is written once", () => {
  assert.equal(change("[1, 2]", "[1, 3]").textContent, "[1, 2] → [1, 3+1]");
  assert.equal(change("[1, 2]", "[1, 2]").textContent, "[1, 2]");
  assert.equal(change("[1, 2]", null).textContent, "[1, 2]");
  assert.equal(change(null, "[1, 2]").textContent, "[1, 2]");
});

test("a large value shows what was, what is and the map of the change", () => {
  const now = {
    text: "[8, 4]",
    shape: "[8, 4]",
    statistics: "0 · 1 · 2",
    heat: MAP,
    difference: "3 of 32 elements changed",
    differenceMap: OTHER,
  };
  const body = valueShown(now, {
    what: "w.grad",
    before: { text: "[8, 4]", statistics: "0 · 0.5 · 2", heat: OTHER },
    variable: "w.grad",
  });
  const maps = [...body.querySelectorAll("img.mg-heat")];
  assert.deepEqual(
    maps.map((map) => map.getAttribute("alt")),
    [
      "heat map of w.grad before this step: min, mean and max 0 · 0.5 · 2",
      "heat map of w.grad: min, mean and max 0 · 1 · 2",
      "heat map of the change of w.grad: 3 of 32 elements changed",
    ],
  );
  assert.deepEqual(texts(body, ".mg-heat-map .mg-scale"), ["before", "now", "the change"]);
  assert.match(body.textContent, /min 0mean 0\.5 → 1max 2/);
  assert.match(body.textContent, /3 of 32 elements changed$/);
  assert.equal(body.querySelector(".mg-press-copy").getAttribute("title"), "w.grad");
});

test("NaN and infinity stand first, with their place, and have a key beside the map", () => {
  const body = valueShown(
    { text: "[20, 30]", shape: "[20, 30]", heat: MAP, alarm: "3 NaN and 1 Inf", where: "first at [0, 2]" },
    { what: "x" },
  );
  assert.equal(body.firstChild.textContent, "⚠ 3 NaN and 1 Inf, first at [0, 2]");
  assert.equal(body.querySelectorAll(".mg-key").length, 2);
  assert.equal(body.querySelector(".mg-press-copy"), null); // nothing in Python stands for it
  const calm = valueShown({ text: "[20, 30]", shape: "[20, 30]", heat: MAP }, { what: "x" });
  assert.equal(calm.querySelectorAll(".mg-warn, .mg-key").length, 0);
});

test("the details show the map of what a step changed", async () => {
  const root = await show(
    changed("large", (frame, k) => {
      if (k === 2) frame.difference_maps = { [frame.next]: OTHER };
    }),
  );
  press(root, "next");
  press(root, "next");
  root
    .querySelector(`[data-box="${JSON.parse(saved("large").get("recorded")[2]).next}"]`)
    .dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const labels = [...root.querySelectorAll(".mg-inspector img.mg-heat")].map((map) => map.getAttribute("alt"));
  assert.ok(
    labels.some((label) => label.startsWith("heat map of the change of the gradient of logits")),
    labels.join("; "),
  );
  assert.match(root.querySelector(".mg-inspector").textContent, /192 of 192 elements changed, by 0\.02083 to 0\.02083/);
  press(root, "next");
  assert.ok(
    ![...root.querySelectorAll(".mg-inspector img.mg-heat")].some((map) => map.getAttribute("alt").includes("change")),
  );
});

test("values of events can be copied, those of one that gave nothing as they came", async () => {
  const event = { kind: "tensor_hook", node: "n4", title: "hook f on E", text: "It raised.", line: null };
  const model = changed("example", (frame, k) => {
    if (k === 1)
      frame.events = [
        { ...event, before: { full: "[1, 2]", text: "[1, 2]", exact: "torch.tensor([1.0, 2.0])" }, after: null },
      ];
  });
  const root = await show(model);
  press(root, "next");
  assert.equal(root.querySelector(".mg-event-change .mg-numbers .mg-change").textContent, "[1, 2]");
  assert.equal(root.querySelector(".mg-event-change .mg-press-copy").getAttribute("title"), "torch.tensor([1.0, 2.0])");
});

test("each result of an operation that has several is shown by itself", async () => {
  const output = (text) => ({
    text,
    full: text,
    shape: "[2]",
    dtype: "float32",
    statistics: [],
    heat: "",
    alarm: "",
    where: "",
    exact: `torch.tensor(${text})`,
  });
  const root = await show(
    changed(
      "example",
      () => {},
      (boxes) => {
        boxes.n4.outputs = [output("[1, 2]"), output("[3, 4]")];
      },
    ),
  );
  key(boxNamed(root, "E"), "Enter");
  assert.deepEqual(texts(root, ".mg-inspector .mg-value-card:first-child .mg-numbers .mg-table td[data-k]"), [
    "1",
    "2",
    "3",
    "4",
  ]);
  assert.equal(root.querySelectorAll(".mg-inspector .mg-value-card:first-child .mg-table").length, 2);
  assert.equal(
    root.querySelectorAll(".mg-inspector .mg-value-card:first-child .mg-press-copy")[1].getAttribute("aria-label"),
    "copy output 1 of E as Python",
  );
});

test("resting on a box or coming to it with the keyboard shows its maps, too", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const root = await show(saved("large"));
  press(root, "last");
  const tip = root.querySelector(".mg-tip");
  boxNamed(root, "w").dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  assert.equal(tip.hidden, true);
  context.mock.timers.tick(400);
  assert.equal(tip.hidden, false);
  assert.match(
    tip.textContent,
    /^w — leafshape \[8, 12\], float32value \[8, 12\]min 0\.5 · mean 0\.5 · max 0\.5grad \[8, 12\]min 0\.6667 · mean 0\.6667 · max 0\.6667/,
  );
  assert.equal(tip.querySelectorAll("img").length, 2);
  key(root, "Escape");
  assert.equal(tip.hidden, true);
  cleanup();
  const network = await show(saved("network"));
  groupNamed(network, "body").dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  context.mock.timers.tick(400);
  assert.equal(network.querySelector(".mg-tip").textContent, "net.bodySequential, 5 nodes");
});

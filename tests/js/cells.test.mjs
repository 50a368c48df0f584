// Cells on a page: small tensors as numbered tables, what broadcasting repeats, and what lights up where a gradient
// came from.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "./testing.mjs";
import { loadModule, openPage } from "./page.mjs";
import { boxNamed, changed, classes, examples, key, press, saved, step, texts } from "./recorded.mjs";

const { default: widget } = await loadModule("viz/static/stepper.mjs");
const { cellTable, inShort, largest, spreadOver, tensorFrom, weightsFrom } = await loadModule("viz/static/cells.mjs");
const { valueShown } = await loadModule("viz/static/values.mjs");
const { supposedBy } = await loadModule("viz/static/whatif.mjs");

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

/** A page at the step at which a row was added to a matrix, its cells open. */
/** @param {(frame: any) => void} change */
async function shown(change = () => {}, values = {}) {
  const model = changed("cells", change);
  for (const [name, value] of Object.entries(values)) model.set(name, value);
  cleanup = await widget.render({ model, el: page.host });
  const root = page.host.querySelector(".minigrad-stepper");
  opened(root);
  return root;
}

function opened(root) {
  const fold = root.querySelector(".mg-folded");
  fold.open = true;
  fold.dispatchEvent(new Event("toggle"));
}

function goTo(root, name) {
  for (let k = 0; k < 9 && !root.querySelector(".mg-title-name")?.textContent.startsWith(name); k += 1)
    press(root, "next");
}

const cell = (root, of, k) => root.querySelector(`.mg-cells [data-of="${of}"] [data-k="${k}"]`);
const lit = (root) =>
  [...root.querySelectorAll(".mg-cells .mg-from")].map(
    (one) =>
      `${one.closest("table").getAttribute("data-of")} ${one.getAttribute("data-k")} ${one.style.getPropertyValue("--mg-weight")}`,
  );
const point = (element) => element.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
const said = (root) => root.querySelector(".mg-spoken").textContent;

test("a tensor is read from its shape and what lists it, or not at all", () => {
  assert.deepEqual(tensorFrom("[2, 2]", "[[1, 2], [3, NaN]]"), { shape: [2, 2], words: ["1", "2", "3", "NaN"] });
  assert.deepEqual(tensorFrom([3], "1 -Inf 1.2e-5"), { shape: [3], words: ["1", "-Inf", "1.2e-5"] });
  assert.deepEqual(tensorFrom("[]", "3"), { shape: [], words: ["3"] });
  for (const [shape, text] of [
    ["[20, 30]", "[20, 30]"],
    ["[5]", "not kept: no variable holds"],
    ["", "1"],
    ["[2]", undefined],
    ["[0]", "[]"],
    ["[2]", "None None"],
  ])
    assert.equal(tensorFrom(shape, text), null, text);
});

test("a number in a cell is short and keeps its sign and size", () => {
  const all = {
    1: "1",
    "-0.3333": "-0.333",
    0.08333: "0.0833",
    123456: "123456",
    "-1234567": "-1.2e6",
    "-1.234e-5": "-1e-5",
    NaN: "NaN",
    "1-2j": "1-2j",
    "-0.001234": "-0.001",
  };
  for (const [word, text] of Object.entries(all)) {
    assert.equal(inShort(word), text);
    if (Number.isFinite(Number(word))) assert.ok(Math.abs(Number(text) / Number(word) - 1) < 0.2, `${word} as ${text}`);
  }
});

test("broadcasting says which cell stands where, and where it is a repetition", () => {
  assert.deepEqual(spreadOver([2], [2, 2]), [
    [0, false],
    [1, false],
    [0, true],
    [1, true],
  ]);
  assert.deepEqual(spreadOver([2, 1], [2, 2]), [
    [0, false],
    [0, true],
    [1, false],
    [1, true],
  ]);
  assert.deepEqual(spreadOver([], [2]), [
    [0, false],
    [0, true],
  ]);
  assert.deepEqual(
    spreadOver([2, 2], [2, 2]).map(([, repeated]) => repeated),
    [false, false, false, false],
  );
  assert.equal(spreadOver([3], [2]), null);
  assert.equal(spreadOver([2, 2], [2]), null);
});

test("patterns are read as Python writes them", () => {
  assert.deepEqual(weightsFrom("same", 2, 2), [
    [9, 0],
    [0, 9],
  ]);
  assert.deepEqual(weightsFrom("same 90", 2, 2), [
    [9, 0],
    [0, 0],
  ]);
  assert.deepEqual(weightsFrom("all", 2, 1), [[9], [9]]);
  assert.deepEqual(weightsFrom("90 ??", 2, 2), [[9, 0], null]);
  assert.deepEqual(weightsFrom("9", 1, 1), [[9]]);
  assert.equal(weightsFrom("", 2, 2), null);
});

test("a table numbers its rows and columns, signs what is no number, and colours by size", () => {
  const table = cellTable(tensorFrom([2, 2], "4 -2 NaN 0"), ["x"], 4);
  assert.deepEqual(
    [...table.querySelectorAll("th")].map((one) => [one.getAttribute("scope"), one.textContent]),
    [
      ["col", "0"],
      ["col", "1"],
      ["row", "0"],
      ["row", "1"],
    ],
  );
  assert.deepEqual(texts(table, "[data-k]"), ["4", "-2", "⚠ NaN", "0"]);
  assert.deepEqual(
    [...table.querySelectorAll("[data-k]")].map((one) => one.style.getPropertyValue("--mg-much")),
    ["100%", "50%", "", "0%"],
  );
  assert.equal(table.querySelectorAll(".mg-below").length, 1);
  assert.equal(table.querySelectorAll('[tabindex="0"]').length, 1);
  assert.equal(largest([tensorFrom([2], "-3 Inf"), null]), 3);
  const deep = cellTable(tensorFrom([2, 1, 1], "1 2"), [], 2);
  assert.deepEqual(texts(deep, 'th[scope="row"]'), ["0, 0", "1, 0"]);
  assert.equal(cellTable(tensorFrom([], "5"), [], 5).querySelectorAll("th").length, 0);
});

test("nothing that is called like markup becomes markup", () => {
  const table = cellTable(tensorFrom([1], "1"), ["<img src=x onerror=alert(1)>"], 1);
  assert.equal(table.querySelectorAll("img").length, 0);
});

test("what arrived is called as in the sentences, where a variable is called g", async () => {
  const root = await shown(() => {}, { picture: { ...examples.cells.picture, gradient: "grad" } });
  goTo(root, "t1");
  assert.equal(texts(root, ".mg-cells caption")[0], "grad, as it arrived");
  point(cell(root, "g", 4));
  assert.match(root.querySelector(".mg-cells-word").textContent, /^grad\[1, 1\], .*, goes to t0/);
});

test("a step shows what arrived, what goes to each input, and their values, repeated as broadcasting does it", async () => {
  const root = await shown();
  goTo(root, "t1");
  assert.deepEqual(texts(root, ".mg-cells caption"), [
    "g, as it arrived",
    "to t0",
    "to b",
    "t0, its value",
    "b, its value",
  ]);
  const [, , , , value] = root.querySelectorAll(".mg-cells table");
  assert.equal(value.querySelectorAll("[data-k]").length, 6);
  assert.deepEqual(
    [...value.querySelectorAll("[data-k]")].map((one) => classes(one).includes("mg-repeated")),
    [false, false, false, true, true, true],
  );
  assert.deepEqual(
    texts(root, ".mg-cells .mg-scale").map((text) => text.replace(/[-\d.]+/g, "")),
    ["gradients", "values"],
  );
});

test("pointing at a cell lights those that it came from, and those that it goes to", async () => {
  const root = await shown();
  goTo(root, "t1");
  point(cell(root, "1", 1));
  assert.deepEqual(lit(root), ["g 1 100%", "g 4 100%"]);
  assert.match(
    root.querySelector(".mg-cells-word").textContent,
    /^What goes to b\[1\], .*, comes from g\[0, 1\], g\[1, 1\]\.$/,
  );
  point(cell(root, "g", 4));
  assert.deepEqual(lit(root), ["0 4 100%", "1 1 100%"]);
  assert.match(root.querySelector(".mg-cells-word").textContent, /^g\[1, 1\], .*, goes to t0\[1, 1\], b\[1\]\.$/);
  point(root.querySelector(".mg-cells table:not([data-of]) [data-k]"));
  assert.deepEqual(lit(root), []);
  root.querySelector(".mg-cells").parentElement.dispatchEvent(new PointerEvent("pointerleave"));
  assert.equal(root.querySelector(".mg-cells-word").textContent, "");
});

test("the light is as strong as the cell weighs", async () => {
  const root = await shown((frame) => {
    if (frame.cells?.sent.length === 2) frame.cells.sent[1].from = "900300 000000 ??????";
  });
  goTo(root, "t1");
  point(cell(root, "1", 0));
  assert.deepEqual(lit(root), ["g 0 100%", "g 3 50%"]);
  point(cell(root, "1", 1));
  assert.match(root.querySelector(".mg-cells-word").textContent, /comes from no cell: the derivative is 0\.$/);
  point(cell(root, "1", 2));
  assert.match(
    root.querySelector(".mg-cells-word").textContent,
    /not known: the rule multiplies with NaN or infinity\.$/,
  );
});

test("where nothing is known of the rule, that is said and nothing is lit", async () => {
  const root = await shown((frame) => {
    for (const one of frame.cells?.sent ?? []) one.from = "";
  });
  goTo(root, "t1");
  for (const of of ["0", "g"]) {
    point(cell(root, of, 0));
    assert.deepEqual(lit(root), []);
    assert.match(
      root.querySelector(".mg-cells-word").textContent,
      /not known: the kernel finds that of minigrad's own rules/,
    );
  }
});

test("arrow keys go from cell to cell, do not step, and speak only when asked", async () => {
  const root = await shown();
  goTo(root, "t1");
  const at = step(root);
  const before = said(root);
  cell(root, "g", 0).focus();
  const go = (name) => {
    key(page.document.activeElement, name);
    return page.document.activeElement.getAttribute("data-k");
  };
  assert.deepEqual(["ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowUp", "End", "Home"].map(go), [
    "1",
    "4",
    "4",
    "3",
    "0",
    "0",
    "2",
    "0",
  ]);
  assert.equal(step(root), at);
  assert.deepEqual(lit(root), ["0 0 100%", "1 0 100%"]);
  assert.equal(said(root), before);
  key(page.document.activeElement, "Enter");
  assert.match(said(root), /^g\[0, 0\], .*, goes to t0\[0, 0\], b\[0\]\.$/);
  assert.equal(step(root), at);
  assert.equal(root.querySelectorAll('.mg-cells [data-of="g"] [tabindex="0"]').length, 1);
  press(root, "next");
  assert.ok(page.document.activeElement.closest(".mg-reasons, .mg-button"), "the focus is not lost with the cell");
});

test("one of cells and why is open, and is so on the next page", async () => {
  const root = await shown();
  const [fold, why] = root.querySelectorAll(".mg-folded");
  assert.ok(classes(root).includes("mg-with-cells"));
  why.open = true;
  why.dispatchEvent(new Event("toggle"));
  assert.equal(fold.open, false);
  fold.dispatchEvent(new Event("toggle"));
  assert.ok(!classes(root).includes("mg-with-cells"));
  opened(root);
  assert.equal(why.open, false);
  why.dispatchEvent(new Event("toggle"));
  cleanup();
  cleanup = await widget.render({ model: saved("cells"), el: page.host });
  assert.deepEqual(
    [...page.host.querySelectorAll(".mg-folded")].map((one) => one.open),
    [true, false],
  );
});

test("while a number is asked for, no cell tells it, nor where it came from", async () => {
  const { player, root } = await predicting();
  for (let k = 0; k < 20 && !root.querySelector(".mg-asked"); k += 1) press(root, "next");
  assert.ok(player().cells, "a step whose cells are asked for");
  const seen = new Set();
  for (let k = 0; k < 40 && step(root) < 6; k += 1) {
    if (root.querySelector(".mg-asked")) {
      const about = JSON.parse(saved("cells").get("recorded")[step(root)]);
      const asked = about.questions.map(({ edge, box }) => edge ?? box);
      about.cells.sent.forEach(({ key: of, cells }, place) => {
        if (!asked.includes(of) || !cells) return;
        const table = root.querySelector(`.mg-cells [data-of="${place}"]`);
        assert.ok(
          [...table.querySelectorAll("[data-k]")].every(
            (one) => one.textContent === "?" && one.style.getPropertyValue("--mg-much") === "",
          ),
        );
        point(table.querySelector("[data-k]"));
        assert.deepEqual(lit(root), []);
        seen.add(of);
      });
    }
    press(root, "next");
  }
  assert.ok(seen.size >= 2, [...seen].join());
  assert.equal(root.querySelectorAll(".mg-cells [data-k]").length > 0, true);
});

async function predicting() {
  const model = saved("cells");
  model.set("picture", { ...model.get("picture"), predict: true });
  cleanup = await widget.render({ model, el: page.host });
  const root = page.host.querySelector(".minigrad-stepper");
  opened(root);
  return { root, player: () => JSON.parse(model.get("recorded")[step(root)]) };
}

test("nor do the cells of the details tell a number that is asked for", async () => {
  const id = Object.entries(saved("cells").get("picture").boxes).find(([, about]) => about.name === "t0")[0];
  const model = changed("cells", (frame) => {
    if (frame.boxes[id]) frame.boxes[id].cells = "7 7 7 7 7 7"; // as of a tensor whose numbers stand there alone
  });
  model.set("picture", { ...model.get("picture"), predict: true });
  cleanup = await widget.render({ model, el: page.host });
  const root = page.host.querySelector(".minigrad-stepper");
  for (let k = 0; k < 40 && !root.querySelector(".mg-asked")?.textContent.includes("What goes to t0"); k += 1)
    press(root, "next");
  assert.match(root.querySelector(".mg-asked").textContent, /What goes to t0/);
  key(boxNamed(root, "t0"), "Enter");
  const [, gradient] = root.querySelectorAll(".mg-inspector .mg-value-card");
  assert.doesNotMatch(gradient.textContent, /7/);
});

test("too many numbers for a cell each are named in one sentence", async () => {
  cleanup = await widget.render({ model: saved("large"), el: page.host });
  const root = page.host.querySelector(".minigrad-stepper");
  opened(root);
  press(root, "next");
  press(root, "next");
  const words = texts(root, ".mg-cells .mg-soft");
  assert.equal(words.length, 1);
  assert.match(
    words[0],
    /^Too many for a cell each, so shown as maps in the boxes and their details: g, as it arrived \(192 numbers\), to logits \(192 numbers\)/,
  );
  assert.equal(root.querySelectorAll(".mg-cells table").length, 0);
});

test("a graph of single numbers has no cells, nor a frame that was saved before there were any", async () => {
  cleanup = await widget.render({ model: saved("example"), el: page.host });
  const root = page.host.querySelector(".minigrad-stepper");
  assert.equal(root.querySelector(".mg-folded").hidden, true);
  cleanup();
  const old = await shown((frame) => {
    delete frame.cells;
  });
  press(old, "next");
  assert.equal(old.querySelectorAll(".mg-cells table").length, 0);
});

test("the details show a small tensor as cells, with what changed, and no map beside it", async () => {
  const body = valueShown(
    { text: "[[1, 2], [3, 9]]", shape: "[2, 2]", dtype: "float32", heat: "data:image/png;base64,AAAA" },
    { what: "x", before: { text: "[[1, 2], [3, 4]]" } },
  );
  assert.equal(body.querySelectorAll("img").length, 0);
  assert.deepEqual(texts(body, "[data-k]"), ["1", "2", "3", "9+5"]);
  assert.equal(body.querySelector(".mg-changed").getAttribute("title"), "was 4: +5");
  const listed = valueShown({ text: "[5, 6]", cells: Array(30).fill("1").join(" "), shape: "[5, 6]" }, { what: "x" });
  assert.equal(listed.querySelectorAll("[data-k]").length, 30);
  const root = await shown();
  key(boxNamed(root, "W"), "Enter");
  assert.equal(root.querySelectorAll(".mg-inspector .mg-value-card:first-child [data-k]").length, 12);
  key(root.querySelector(".mg-inspector [data-k]"), "ArrowRight");
  assert.equal(page.document.activeElement.getAttribute("data-k"), "1");
});

test("with other numbers on a page, the cells are those that go with them, and what they came from is not told", async () => {
  const model = saved("network");
  const { picture, recorded } = {
    picture: model.get("picture"),
    recorded: model.get("recorded").map((text) => JSON.parse(text)),
  };
  const x =
    picture.program.rows.find(({ id, numbers }) => picture.boxes[id].kind === "leaf" && (numbers ?? []).length > 1) ??
    picture.program.rows.find(({ id }) => picture.boxes[id].name === "net.head.weight");
  const run = supposedBy(picture, recorded, {}, "").frames.map((text) => JSON.parse(text));
  const other = supposedBy(picture, recorded, { [x.id]: [2, 2, 2] }, "").frames.map((text) => JSON.parse(text));
  let compared = 0;
  run.forEach((frame, k) => {
    if (!frame.cells) return;
    const near = (one, was) => {
      const expected = was.split(" ");
      for (const [place, word] of one.split(" ").entries()) {
        assert.ok(Math.abs(Number(word) - Number(expected[place])) < 2e-3, `${word} is not ${was}`);
      }
    };
    near(frame.cells.g.cells, recorded[k].cells.g.cells);
    for (const [place, one] of frame.cells.sent.entries()) near(one.cells, recorded[k].cells.sent[place].cells);
    assert.ok(frame.cells.sent.every(({ from }) => from === ""));
    compared += 1;
  });
  assert.ok(compared >= 4, String(compared));
  assert.ok(other.some((frame, k) => JSON.stringify(frame.cells) !== JSON.stringify(run[k].cells)));
});

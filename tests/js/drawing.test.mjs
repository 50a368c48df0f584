// What the drawing keeps apart: signs below their box, chips between boxes, versions on tags, a gradient's graph on a
// sheet of its own.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "./testing.mjs";
import { loadModule, openPage } from "./page.mjs";
import { boxNamed, changed, classes, examples, key, press, saved, shown, texts } from "./recorded.mjs";

const { default: widget } = await loadModule("viz/static/stepper.mjs");
const { freest, pathOf, placesOn } = await loadModule("viz/static/wires.mjs");
const { opWord } = await loadModule("viz/static/picture.mjs");
const { share, sizeText, spanOf, together } = await loadModule("viz/static/sizes.mjs");

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

const numbers = (element, name) =>
  element
    .getAttribute(name)
    .match(/-?[\d.]+/g)
    .map(Number);
const boxOf = (name) => Object.entries(examples.example.picture.boxes).find(([, about]) => about.name === name)[0];
const chip = (root, edge) => root.querySelector(`[data-chip="${edge}"]`);

test("signs hang below their box, clear of what is written in it", async () => {
  const event = (node) => ({
    kind: "tensor_hook",
    node,
    title: "hook",
    text: "",
    before: null,
    after: null,
    line: null,
  });
  const root = await show(changed("example", (frame, k) => k === 2 && frame.events.push(event(frame.box))));
  press(root, "next");
  press(root, "next");
  const box = boxNamed(root, "E");
  const height = Number(box.querySelector(".mg-card").getAttribute("height"));
  const [, y] = numbers(box.querySelector(".mg-signs"), "transform");
  const radius = Number(box.querySelector(".mg-sign-back").getAttribute("r"));
  assert.ok(y - radius > height + 1, `${y} - ${radius} is not below ${height}`);
});

/** What a reader sees of a shape: its class, its place and size, and its text. */
function seen(element) {
  const told = ["class", "x", "y", "width", "height", "rx", "d", "href", "text-anchor", "preserveAspectRatio"].map(
    (name) => element.getAttribute(name),
  );
  return [element.localName, ...told, element.localName === "text" ? element.textContent : ""];
}

for (const name of ["example", "hostile", "large"]) {
  test(`a box has the same shapes here as in an image: ${name}`, async () => {
    const root = await show(saved(name));
    for (const [k, still] of examples[name].stills.entries()) {
      if (k) press(root, "last");
      const drawn = [...new DOMParser().parseFromString(still, "image/svg+xml").querySelectorAll(".mg-box")];
      assert.ok(drawn.length >= 4);
      for (const box of drawn) {
        const made = root.querySelector(`[data-box="${box.getAttribute("data-box")}"]`);
        const shapes = (group) =>
          [...group.querySelectorAll(":is(rect, path, text, image)")]
            .filter((one) => !one.closest('[visibility="hidden"]'))
            .map(seen);
        assert.ok(shapes(box).length >= 6);
        assert.deepEqual(shapes(made), shapes(box));
        for (const word of classes(box))
          assert.ok(classes(made).includes(word), `${made.getAttribute("class")} lacks ${word}`);
      }
    }
  });
}

test("a pass that was saved with its boxes as texts shows these", async () => {
  const { picture } = examples.example;
  const drawn = Object.fromEntries(
    Object.keys(picture.boxes).map((id) => [
      id,
      `<g class="mg-box mg-leaf mg-idle" data-box="${id}"><rect class="mg-card" width="140"/><text class="mg-name">old ${id}</text></g>`,
    ]),
  );
  const root = await show(saved("example", { picture: { ...picture, drawn } }));
  assert.deepEqual(
    texts(root, ".mg-box .mg-name"),
    Object.keys(picture.boxes).map((id) => `old ${id}`),
  );
});

test("an edge goes from its first point to its last, in curves that leave downwards and arrive so", () => {
  const points = [
    { x: 0, y: 0 },
    { x: 40, y: 20 },
    { x: 40, y: 60 },
  ];
  assert.equal(pathOf(points), "M0 0C0 10 40 10 40 20C40 40 40 40 40 60");
});

test("a chip stays between its boxes: what is too long becomes its shape, or ends in dots", async () => {
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
  assert.ok(
    Number(other.querySelector("rect").getAttribute("width")) <= Math.max(Math.abs(ends.at(-2) - ends[0]), 170),
  );
});

test("of a sum that is too long for its chip, the result stays", async () => {
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

// Two chips, each of 80 by 20.
const meet = (one, other) => Math.abs(one.x - other.x) < 80 && Math.abs(one.y - other.y) < 20;

test("of two edges that run close to each other, each has its chip where it can be read", () => {
  const ways = {
    "beside each other": [0, 9].map((x) => [
      { x, y: 0 },
      { x, y: 300 },
    ]),
    "from one box to two": [-40, 40].map((x) => [
      { x: x / 9, y: 0 },
      { x, y: 40 },
    ]),
  };
  for (const [name, [way, close]] of Object.entries(ways)) {
    const one = freest(placesOn(way, 80), 80, 20, [], []);
    assert.deepEqual(
      [one.x, one.y],
      [(way[0].x + way[1].x) / 2, (way[0].y + way[1].y) / 2],
      `${name}: alone, it is in the middle`,
    );
    assert.ok(meet(one, placesOn(close, 80)[0]), `${name}: in the middle the second would hide it`);
    const other = freest(placesOn(close, 80), 80, 20, [{ x: one.x - 40, y: one.y - 10, w: 80, h: 20 }], []);
    assert.ok(!meet(one, other), `${name}: ${JSON.stringify([one, other])}`);
  }
});

test("two edges between two boxes are two arrows, told apart until something flows along them, beside them", async () => {
  const picture = structuredClone(examples.large.picture);
  const [square] = Object.entries(picture.boxes).find(([, { expression }]) => expression === "logits * logits");
  const into = picture.edges.filter(([, , target]) => target === square);
  into[0].push("1st");
  into[1].push("2nd");
  const root = await show(saved("large", { picture }));
  const ids = into.map(([id]) => id);
  const edges = ids.map((id) => root.querySelector(`.mg-edge[data-edge="${id}"]`));
  const marks = edges.map((edge) => edge.querySelector(".mg-mark"));
  const tips = edges.map((edge) => numbers(edge.querySelector(".mg-forward"), "d"));
  assert.deepEqual(
    marks.map(({ textContent }) => textContent),
    ["1st", "2nd"],
  );
  assert.ok(tips[0][0] + 9 < tips[1][0], `${tips}`);
  assert.deepEqual(
    marks.map((mark) => mark.getAttribute("text-anchor")),
    ["end", "start"],
  );
  press(root, "next");
  press(root, "next");
  const chips = ids.map((id) => chip(root, id));
  const seen = (element) => element.getAttribute("visibility") !== "hidden";
  assert.deepEqual(chips.map(seen), [true, true]);
  assert.deepEqual(marks.map(seen), [false, false]);
  const [left, right] = chips.map((one) => numbers(one, "transform")[0]);
  const half = Number(chips[0].querySelector("rect").getAttribute("width")) / 2;
  assert.ok(left + half < tips[0][0] && tips[1][0] < right - half, `${[left, right, half]} ${tips}`);
});

test("a chip that has to make room for another goes where it hides the least of the boxes", () => {
  const places = placesOn(
    [
      { x: 0, y: 0 },
      { x: 0, y: 200 },
    ],
    80,
  );
  const taken = [{ x: -40, y: 90, w: 80, h: 20 }];
  const { y: anywhere } = freest(places, 80, 20, taken, []);
  assert.ok(anywhere < 100);
  const { y } = freest(places, 80, 20, taken, [{ x: -60, y: 0, w: 120, h: 100 }]);
  assert.ok(y > 110, `${y}`);
});

test("the chips of a step hide neither each other nor the flags of boxes", async () => {
  const root = await show(saved());
  const area = (element, place) => {
    const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => Number(element.getAttribute(name)));
    return {
      left: place[0] + x,
      right: place[0] + x + w,
      top: place[1] + y,
      bottom: place[1] + y + h,
      words: element.parentNode.textContent,
    };
  };
  for (;;) {
    const chips = [...root.querySelectorAll(".mg-chip:not([visibility=hidden])")].map((one) =>
      area(one.querySelector("rect"), numbers(one, "transform")),
    );
    const flags = [...root.querySelectorAll(".mg-badge:not([visibility=hidden]) .mg-flag")].map((one) => ({
      ...area(one, numbers(one.closest("[data-box]"), "transform")),
    }));
    for (const [k, chip] of chips.entries())
      for (const other of [...chips.slice(k + 1), ...flags]) {
        const [w, h] = [
          Math.min(chip.right, other.right) - Math.max(chip.left, other.left),
          Math.min(chip.bottom, other.bottom) - Math.max(chip.top, other.top),
        ];
        assert.ok(w <= 0 || h <= 6, `${chip.words} and ${other.words}`); // a flag's lower half is in its box
      }
    if (root.querySelector(".mg-press-next").getAttribute("aria-disabled") === "true") break;
    press(root, "next");
  }
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

test("what wrote to a leaf before the graph was made is no version to tell, what writes to it afterwards is", async () => {
  const leaf = boxOf("A");
  const kinds = examples.example.picture.boxes;
  assert.equal(kinds[leaf].kind, "leaf");
  const result = Object.keys(kinds).find((id) => kinds[id].kind === "result");
  const model = changed(
    "example",
    (frame, k) => {
      if (k === 2) frame.boxes[leaf] = { ...JSON.parse(examples.example.recorded[0]).boxes[leaf], version: 2 };
    },
    (boxes) => {
      Object.assign(boxes[leaf], { version: 1, saved_version: null }); // torch's initialisers write in place
      Object.assign(boxes[result], { version: 1, saved_version: 1 }); // an operation of the graph did
    },
  );
  const root = await show(model);
  const told = (id) => {
    const tag = root.querySelector(`[data-box="${id}"] .mg-version-tag`);
    return tag && tag.getAttribute("visibility") !== "hidden" ? tag.textContent : "";
  };
  assert.deepEqual([told(leaf), told(result)], ["", "v1"]);
  press(root, "next");
  press(root, "next");
  assert.deepEqual([told(leaf), told(result)], ["v2", "v1"]);
});

// ---------------------------------------------------------------- names of operations

test("an operation is called what Python calls it", () => {
  for (const [op, word] of [
    ["MulBackward0", "mul"],
    ["LogSoftmaxBackward0", "log_softmax"],
    ["Conv2DBackward0", "conv2d"],
    ["MaxPool2DWithIndicesBackward0", "max_pool2d_with_indices"],
  ])
    assert.equal(opWord(op), word);
});

// ---------------------------------------------------------------- sheets

/** The network with its last box in the graph of the gradient, as Python groups it. */
function twoGraphs() {
  const last = Object.keys(examples.network.picture.boxes).at(-1);
  const picture = structuredClone(examples.network.picture);
  picture.boxes[last].graph = 2;
  const name = "the graph of the gradient";
  picture.groups.push({ id: "g9", name, path: name, kind: "create_graph", parent: null, boxes: [last], count: 1 });
  picture.open = [...picture.open, "g9"];
  return [last, saved("network", { picture })];
}

test("beside modules, the graph of a gradient lies on a sheet that closes and opens", async () => {
  const [last, model] = twoGraphs();
  const root = await show(model);
  const [sheet] = root.querySelectorAll(".mg-sheet");
  assert.ok(texts(root, ".mg-group-title .mg-name").includes("the graph of the gradient"));
  assert.ok(classes(sheet).includes("mg-open"));
  const [left, top] = numbers(sheet, "transform");
  const [x, y] = numbers(root.querySelector(`[data-box="${last}"]`), "transform");
  assert.ok(x > left && y > top);
  root.querySelector('.mg-titles [data-group="g9"] .mg-fold').dispatchEvent(new MouseEvent("click", { bubbles: true }));
  assert.ok(!shown(root.querySelector(`[data-box="${last}"]`)));
  assert.match(sheet.getAttribute("aria-label"), /, the graph of the gradient: .*Enter opens it/); // it is no module
  press(root, "open-all");
  assert.ok(shown(root.querySelector(`[data-box="${last}"]`)));
});

test("a loop opens and closes by its own name: it is no module", async () => {
  const [box] = Object.keys(examples.network.picture.boxes);
  const picture = structuredClone(examples.network.picture);
  const loop = { id: "g9", name: "for k in range(2)", path: "", kind: "loop", is_module: false };
  picture.groups.push({ ...loop, parent: null, boxes: [box], count: 1 });
  picture.open = [...picture.open, "g9"];
  const root = await show(saved("network", { picture }));
  const entries = () => texts(root, ".mg-menu-item span");
  const element = root.querySelector('.mg-groups [data-group="g9"]');
  const menu = (on) => on.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }));
  menu(root.querySelector(`[data-box="${box}"]`));
  assert.ok(entries().includes("Close for k in range(2)"));
  menu(element);
  assert.equal(entries()[0], "Close for k in range(2)");
  root.querySelector(".mg-menu-item").click();
  assert.match(root.querySelector("[aria-live]").textContent, /for k in range\(2\) is closed/);
  menu(element);
  assert.equal(entries()[0], "Open for k in range(2)");
});

test("an open sheet has no state of its own, a closed one that of what is in it", async () => {
  const [, model] = twoGraphs();
  const root = await show(model);
  const sheet = root.querySelector(".mg-sheet");
  for (let k = 0; k < 3; k += 1) {
    press(root, "next");
    assert.ok(classes(sheet).includes("mg-idle"));
  }
  press(root, "close-all");
  assert.ok(classes(sheet).includes("mg-done"));
});

// ---------------------------------------------------------------- the size of gradients

test("the larger a gradient, the wider its edge, and g colours boxes by it and says it in numbers", async () => {
  const root = await show(saved());
  const size = (element) => Number(element.style.getPropertyValue("--mg-size"));
  const sized = () => [...root.querySelectorAll(".mg-edge.mg-sized")];
  assert.equal(sized().length, 0);
  press(root, "last");
  const frames = saved()
    .get("recorded")
    .map((text) => JSON.parse(text));
  const norms = Object.assign({}, ...frames.map((frame) => frame.norms));
  assert.ok(Object.keys(norms).length > 4);
  assert.equal(sized().length, root.querySelectorAll(".mg-edge:not(.mg-off)").length);
  const ordered = sized().sort(
    (one, other) => norms[one.getAttribute("data-edge")] - norms[other.getAttribute("data-edge")],
  );
  for (let k = 1; k < ordered.length; k += 1) assert.ok(size(ordered[k]) >= size(ordered[k - 1]));
  assert.ok(root.querySelector(".mg-legend").hidden);
  key(root, "g");
  assert.equal(root.querySelector(".mg-press-sizes").getAttribute("aria-pressed"), "true");
  assert.ok(!root.querySelector(".mg-legend").hidden);
  const all = Object.values(norms).filter((norm) => norm > 0);
  const inText = (norm) => String(Number(norm.toPrecision(3)));
  assert.deepEqual(
    [".mg-size-least", ".mg-size-most"].map((end) => root.querySelector(end).textContent),
    [inText(Math.min(...all)), inText(Math.max(...all))],
  );
  assert.deepEqual([size(ordered[0]), size(ordered.at(-1))], [0, 1]); // the ends of the scale are those of the pass
  for (const edge of sized()) {
    const id = edge.getAttribute("data-edge");
    assert.equal(chip(root, id).querySelector("text").textContent, `‖g‖ ${norms[id]}`);
    assert.equal(chip(root, id).getAttribute("visibility"), "visible");
  }
  assert.ok(classes(boxNamed(root, "E")).includes("mg-sized"));
  key(root, "g");
  assert.ok(root.querySelector(".mg-legend").hidden);
  press(root, "first");
  assert.equal(root.querySelectorAll(".mg-sized").length, 0);
});

test("where a NaN has come there is a hatch, where it began a mark, and infinity looks otherwise", async () => {
  const sent = { [boxOf("E")]: "Infinity", [boxOf("C")]: "NaN" };
  const root = await show(
    changed("example", (frame) => {
      for (const edge of Object.keys(frame.norms)) frame.norms[edge] = sent[frame.box] ?? frame.norms[edge];
    }),
  );
  const flag = (name) => boxNamed(root, name).querySelector(".mg-flag-text").textContent;
  press(root, "last");
  const done = flag("C");
  assert.notEqual(done, "NaN begins");
  key(root, "g");
  assert.ok(classes(boxNamed(root, "A")).includes("mg-nan"));
  assert.ok(classes(boxNamed(root, "C")).includes("mg-inf"));
  assert.deepEqual(texts(root, ".mg-box.mg-began .mg-name"), ["C"]);
  assert.equal(flag("C"), "NaN begins");
  assert.equal(root.querySelectorAll(".mg-hatch-line").length, 1);
  assert.match(root.querySelector(".mg-legend").textContent, /Inf.*NaN/);
  assert.deepEqual(
    [...root.querySelectorAll(".mg-edge.mg-nan, .mg-edge.mg-inf")]
      .map((edge) => chip(root, edge.getAttribute("data-edge")).textContent)
      .sort(),
    ["‖g‖ Inf", "‖g‖ Inf", "‖g‖ NaN"],
  );
  key(root, "g");
  assert.equal(flag("C"), done);
  press(root, "first");
  assert.equal(root.querySelectorAll(".mg-began, .mg-nan, .mg-inf").length, 0);
});

test("two drawings on a page share no hatch and no light, which would go with the one that is scrolled away", async () => {
  const idsOf = async () => {
    const root = await show(saved());
    key(root, "g");
    const ids = [...root.querySelectorAll("filter, pattern")].map((one) => one.getAttribute("id"));
    cleanup();
    return ids;
  };
  const ids = [...(await idsOf()), ...(await idsOf())];
  assert.equal(new Set(ids).size, 12);
});

test("sizes are shares of what lies between the smallest and the largest of the pass, by powers", () => {
  const within = (span) => (norm) => Number(share(norm, span).toFixed(6));
  assert.deepEqual(spanOf([0, "Infinity", 3, 1e-4, "NaN", 100]), [1e-4, 100]);
  assert.equal(spanOf([0, "NaN"]), null);
  assert.deepEqual([0, 1e-4, 0.1, 10, 100, 1e9].map(within([1e-4, 100])), [0, 0, 0.5, 0.833333, 1, 1]);
  assert.deepEqual([2, 2.0000001].map(within([2, 2.0000001])), [0.5, 0.5]); // all alike
  assert.deepEqual([0, 5].map(within(null)), [0, 0.5]);
  assert.equal(sizeText(0.00031234), "‖g‖ 0.000312");
  assert.deepEqual([Infinity, NaN].map(within([1, 2])), [1, 1]);
  assert.deepEqual([Infinity, NaN].map(sizeText), ["‖g‖ Inf", "‖g‖ NaN"]);
  assert.equal(together([3, undefined, 4]), 5);
  assert.equal(together([3, "Infinity"]), Infinity);
  assert.ok(Number.isNaN(together(["Infinity", "NaN", 3])));
  assert.equal(together([undefined]), undefined);
});

test("a length is cut into sheets between the boxes, and through one only where there is no other way", async () => {
  const { cutsOf } = await loadModule("viz/static/paper.mjs");
  assert.deepEqual(cutsOf(80, 100, []), [0, 80]);
  assert.deepEqual(
    cutsOf(200, 100, [
      [0, 40],
      [50, 90],
      [95, 130],
    ]),
    [0, 95, 130, 200],
  );
  assert.deepEqual(cutsOf(150, 100, [[0, 150]]), [0, 100, 150]);
  const cuts = cutsOf(
    1000,
    100,
    Array.from({ length: 20 }, (_, k) => [50 * k, 50 * k + 45]),
  );
  assert.ok(cuts.every((cut, k) => k === 0 || (cut > cuts[k - 1] && cut - cuts[k - 1] <= 100)));
  assert.ok(cuts.every((cut) => cut % 50 === 0 || cut % 50 === 45));
});

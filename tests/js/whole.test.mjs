// The whole graph as one picture in words, the line that says where the step is, and the sign that leads to what runs next.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "./testing.mjs";
import { loadModule, openPage } from "./page.mjs";
import { boxNamed, classes, examples, groupNamed, key, press, saved, texts } from "./recorded.mjs";

const { default: widget } = await loadModule("viz/static/stepper.mjs");
const { Overview, ownPart } = await loadModule("viz/static/overview.mjs");
const { GroupLayout } = await loadModule("viz/static/layout.mjs");
const { trailOf } = await loadModule("viz/static/whereabouts.mjs");

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

/** A stepper whose view is so large, in pixels. */
async function show(model, width = 240, height = 300) {
  const { prototype } = globalThis.HTMLElement;
  const sides = { clientWidth: width, clientHeight: height };
  const before = new Map(Object.keys(sides).map((name) => [name, Object.getOwnPropertyDescriptor(prototype, name)]));
  for (const [name, value] of Object.entries(sides))
    Object.defineProperty(prototype, name, {
      get() {
        return this.classList.contains("mg-view") ? value : 0;
      },
      configurable: true,
    });
  const end = await widget.render({ model, el: page.host });
  cleanup = () => {
    end();
    for (const [name, descriptor] of before)
      if (descriptor) Object.defineProperty(prototype, name, descriptor);
      else delete prototype[name];
  };
  return page.host.querySelector(".minigrad-stepper");
}

const whole = (root) => root.querySelector(".mg-whole");
const markOf = (drawing, name) =>
  [...drawing.querySelectorAll("g[transform]")].find(
    (mark) => mark.querySelector(".mg-map-name")?.textContent === name && !mark.classList.contains("mg-map-title"),
  );

/** A loop of three rounds, each with a loop of two, of which each has a part; what a round adds goes to the next. */
function nested(chain = 4) {
  const boxes = {};
  const groups = [{ id: "loop", name: "for X in tasks: ×3", kind: "loop", parent: null, boxes: [] }];
  const edges = [];
  const box = (id, from, more = {}) => {
    boxes[id] = { name: id, kind: "result", op: "MulBackward0", expression: `${id} * 2`, size: [170, 63], ...more };
    for (const source of from) edges.push([`${source}>${id}`, source, id]);
    return id;
  };
  const inGroup = (id, name, kind, parent, members) =>
    groups.push({ id, name, kind, parent, boxes: members, count: members.length, path: "", is_module: false });
  box("w", [], { kind: "leaf", op: "AccumulateGrad", expression: "leaf" });
  let sum = null;
  for (let round = 1; round <= 3; round += 1) {
    const own = [];
    inGroup(`r${round}`, `iteration ${round} of 3`, "iteration", "loop", own);
    inGroup(`r${round}l`, "for step in range(2): ×2", "loop", `r${round}`, []);
    let last = "w";
    for (let step = 1; step <= 2; step += 1) {
      const inner = Array.from({ length: chain }, (_, k) => `a${round}${step}${k}`);
      inGroup(`r${round}s${step}`, `iteration ${step} of 2`, "iteration", `r${round}l`, inner);
      for (const id of inner) last = box(id, [last]);
    }
    own.push(box(`loss${round}`, sum ? [last, sum] : [last]));
    sum = own.at(-1);
  }
  const runs = Object.keys(boxes);
  const depth = ({ parent }) => (parent ? 1 + depth(groups.find(({ id }) => id === parent)) : 0);
  groups.sort((one, other) => depth(one) - depth(other));
  return { boxes, groups, edges, runs, open: groups.map(({ id }) => id) };
}

const named = ({ labels }) => [...labels.values()].map(({ name }) => name);

test("rounds of a loop stand beside each other where all is seen by that, and no letter is too small", () => {
  const picture = nested();
  const room = { width: 900, height: 520 };
  const { laid, across, down, letter, labels, sizes } = new Overview(picture).in(room);
  assert.equal(laid.boxes.size, Object.keys(picture.boxes).length); // nothing is closed
  assert.ok(letter >= 10);
  assert.ok(laid.width * across <= room.width + 1 && laid.height * down <= room.height + 1);
  const [first, second, third] = ["r1", "r2", "r3"].map((id) => laid.groups.get(id));
  assert.ok(first.x + first.w < second.x && second.x + second.w < third.x);
  for (const [id, { w, h }] of sizes) {
    const { name, made } = labels.get(id);
    assert.ok(w * across >= [...`${name}${made}`].length * letter * 0.55, id); // the words have room
    assert.ok(h * down >= letter, id);
  }
  // What goes from a round to the next goes to the right, and not through boxes between them.
  const carried = laid.wires.find(({ from, to }) => from === "loss1" && to === "loss2");
  assert.ok(carried.points.every(({ x }, k) => k === 0 || x >= carried.points[k - 1].x));
  const single = laid.wires.find(({ from, to }) => from === "w" && to === "a210");
  assert.equal(single.points.at(-1).y, laid.boxes.get("a210").y);
});

test("where less has room, what is repeated is closed first, one box for each with its name", () => {
  const picture = nested();
  const found = new Overview(picture).in({ width: 330, height: 240 });
  const closed = [...found.laid.groups]
    .filter(([, { open }]) => !open)
    .map(([id]) => picture.groups.find((one) => one.id === id).name);
  assert.ok(closed.length > 0 && found.laid.boxes.size < Object.keys(picture.boxes).length);
  assert.ok(
    closed.every((name) => /^(iteration|for)/.test(name)),
    closed.join(),
  );
  assert.ok(found.letter >= 10);
  assert.equal(new Overview(picture).in({ width: 60, height: 40 }), null); // nothing could be read
});

test("of what has no room for all of its kind the last is open, where backward begins", () => {
  const picture = nested(4);
  const overview = new Overview(picture);
  const room = { width: 200, height: 330 };
  const { groups } = overview.in(room).laid;
  const isOpen = (id) => groups.get(id)?.open ?? false;
  assert.deepEqual(["r1", "r2", "r3"].map(isOpen), [false, false, true]);
  const { groups: around } = overview.in(room, "a120").laid; // but not in the small map, where the step is
  assert.equal(around.get("r3").open, false);
  // What is called alike but for a number is alike only where it is of one kind: two rounds have room, and not the third.
  for (const one of picture.groups) one.kind = one.id === "r3" ? "Linear" : one.kind;
  const other = new Overview(picture).in(room).laid.groups;
  assert.deepEqual(
    ["r1", "r2", "r3"].map((id) => other.get(id).open),
    [true, true, false],
  );
});

test("where an operation has no room beside the number of a box, it stands in its place", () => {
  const picture = nested(3);
  const numbers = Object.keys(picture.boxes).filter((id) => id.startsWith("a"));
  for (const [k, id] of numbers.entries()) picture.boxes[id].name = `t${100 + k}`;
  const labelsIn = (width) => {
    const { labels, laid } = new Overview(picture).in({ width, height: 620 });
    return [...labels].filter(([id]) => numbers.includes(id) && laid.boxes.has(id)).map(([, label]) => label);
  };
  const [wide, narrow] = [labelsIn(900), labelsIn(300)];
  assert.ok(wide.length && wide.every(({ name, made }) => /^t\d+$/.test(name) && /^a\d+ \* 2$/.test(made)));
  assert.ok(narrow.length && narrow.every(({ name, made }) => name === "mul" && made === ""), JSON.stringify(narrow));
});

test("in a small room the part around the step is open before others", () => {
  const picture = nested();
  const overview = new Overview(picture);
  const room = { width: 210, height: 420 };
  const partsOpen = (box) => [...overview.in(room, box).laid.groups].filter(([, { open }]) => open).map(([id]) => id);
  assert.ok(partsOpen("a310").includes("r3s1") && !partsOpen("a310").includes("r1s1"), partsOpen("a310").join());
  assert.ok(partsOpen("a120").includes("r1s2") && !partsOpen("a120").includes("r3s1"));
});

test("a box is called by its name, and by as much of a path as tells it from others in its part", () => {
  const picture = nested(1);
  const leaf = (name) => ({ name, kind: "leaf", op: "", expression: "leaf", size: [170, 63] });
  Object.assign(picture.boxes, { p: leaf("net.0.weight"), q: leaf("net.2.weight"), r: leaf("net.2.bias") });
  picture.boxes.c = { name: "constant", kind: "constant", op: "", value: "2.5", shape: "[]", size: [170, 47] };
  picture.boxes.d = { ...leaf("torch.rand(2)"), kind: "constant" };
  const names = named(new Overview(picture).in({ width: 1600, height: 900 }));
  for (const name of ["0.weight", "2.weight", "bias", "2.5", "rand(2)", "loss3"]) assert.ok(names.includes(name), name);
  assert.ok(names.every((name) => name !== ""));
});

test("what tells a word from the others is never cut, and the end of a word is where it is cut before its middle", () => {
  const towers = ["tower(left)", "tower(right)"];
  assert.deepEqual(
    towers.map((text) => ownPart(text, 8, towers)),
    ["…(left)", "…(right)"],
  );
  assert.equal(ownPart("tower(left)", 6, towers), "…left)");
  const calls = ["critic, call 1", "critic, call 2"];
  assert.deepEqual(
    calls.map((text) => ownPart(text, 8, calls)),
    ["…call 1", "…call 2"],
  );
  assert.equal(ownPart("randn_like(std)", 13, ["std"]), "randn_like…");
  assert.equal(ownPart("cat([x, h], dim=1)", 7, ["c"]), "cat…");
  assert.equal(ownPart("(1 - same)", 7, []), "…same)");
  // No part of a word, and none that is another's, too.
  assert.equal(ownPart("weight", 5, ["bias", "weight"]), "");
  assert.equal(ownPart("fc1.weight", 9, ["fc1.bias", "fc2.weight", "fc2.bias"]), "");
  assert.equal(ownPart("größe.länge", 7, []), "größe…");
  assert.equal(ownPart("loss", 4, ["loss"]), "loss");
});

test("the whole says in words how much it shows, and where the step is", async () => {
  const root = await show(saved("network"));
  const { boxes, groups } = examples.network.picture;
  const said = () => whole(root).getAttribute("aria-label");
  assert.equal(whole(root).getAttribute("role"), "img");
  assert.ok(!whole(root).closest("[aria-hidden]"));
  assert.match(said(), new RegExp(`^The whole graph: ${Object.keys(boxes).length} boxes in ${groups.length} parts\\b`));
  assert.match(said(), /; step 0 of \d+; loss is next$/);
  press(root, "next");
  key(root, "f");
  assert.match(said(), /; step 1 of \d+; loss has just run; \w+ is next$/);
  assert.equal(root.querySelector(".mg-spoken").textContent, said());
  while (!/, in net/.test(said())) press(root, "next");
  assert.ok(said().includes(`, in ${texts(root, ".mg-trail bdi").slice(1).join(", ")}; `));
});

test("what does not fit into the view is shown as a whole at first, until the first step", async () => {
  const root = await show(saved("network"));
  assert.ok(!whole(root).hidden);
  const drawing = whole(root).querySelector("svg");
  assert.match(classes(markOf(drawing, "loss")).join(" "), /mg-upnext/);
  assert.equal(drawing.querySelectorAll(".mg-upnext").length, 1);
  assert.equal(drawing.querySelector(".mg-map-flag").getAttribute("visibility"), "visible");
  assert.equal(root.querySelector(".mg-press-fit").getAttribute("aria-pressed"), "true");
  const { height } = root.querySelector(".mg-stage").style;
  press(root, "next");
  assert.ok(whole(root).hidden);
  assert.equal(root.querySelector(".mg-stage").style.height, height);
  assert.equal(root.querySelector(".mg-press-fit").getAttribute("aria-pressed"), "false");
});

test("where all is seen anyway, or nothing could be read, the picture is as it is", async () => {
  const large = await show(saved("network"), 4000, 4000);
  assert.ok(whole(large).hidden);
  cleanup();
  const small = await show(saved("network"), 50, 40);
  assert.ok(whole([...page.host.querySelectorAll(".minigrad-stepper")].at(-1) ?? small).hidden);
});

test("the whole comes back at any step, with every state, and stays until it is left", async () => {
  const root = await show(saved("network"));
  for (let k = 0; k < 2; k += 1) press(root, "next");
  key(root, "f");
  assert.ok(!whole(root).hidden);
  const drawing = whole(root).querySelector("svg");
  const states = () =>
    [...drawing.querySelectorAll("g[transform]:not(.mg-open, .mg-map-title, .mg-map-flag)")].map(classes);
  const count = (name) => states().filter((names) => names.includes(name)).length;
  assert.deepEqual([count("mg-ran"), count("mg-done"), count("mg-upnext")], [1, 1, 1]);
  assert.ok(drawing.querySelectorAll(".mg-minimap-edges .mg-now").length > 0);
  press(root, "next");
  assert.deepEqual([whole(root).hidden, count("mg-ran"), count("mg-done")], [false, 1, 2]);
  press(root, "fit");
  assert.ok(whole(root).hidden);
});

test("a click on a box of the whole goes there; what gets the focus, another size and the legend are seen, too", async () => {
  const root = await show(saved("network"));
  const drawing = whole(root).querySelector("svg");
  drawing.getBoundingClientRect = () => ({ left: 0, top: 0, width: 1, height: 1 });
  const [x, y] = markOf(drawing, "t1")
    .getAttribute("transform")
    .match(/[\d.]+/g)
    .map(Number);
  whole(root).dispatchEvent(
    Object.assign(new MouseEvent("click", { bubbles: true, clientX: x + 3, clientY: y + 3 }), {}),
  );
  assert.ok(whole(root).hidden);
  assert.ok(classes(boxNamed(root, "t1")).includes("mg-reached"));
  for (const leave of [() => boxNamed(root, "t1").focus(), () => press(root, "in"), () => key(root, "?")]) {
    root.focus();
    press(root, "fit");
    assert.ok(!whole(root).hidden);
    leave();
    assert.ok(whole(root).hidden, String(leave));
  }
});

test("in the small map what runs next differs from what waits", async () => {
  const root = await show(saved("network"), 240, 600);
  press(root, "next");
  const map = root.querySelector(".mg-minimap");
  assert.ok(!map.hidden);
  assert.equal(map.querySelectorAll(".mg-upnext").length, 1);
  const marked = map.querySelector(".mg-upnext text").textContent;
  assert.equal(root.querySelector("svg.mg-graph .mg-upnext .mg-name").textContent, marked.split(" ")[0]);
  press(root, "next");
  assert.equal(map.querySelectorAll(".mg-upnext").length, 1);
});

test("a drawing too long for words beside it has a map in words, in which a press moves the view", async () => {
  const picture = { ...examples.network.picture, ...nested(14), root: "loss3" };
  const recorded = ["loss3", "a3213"].map((box, index) =>
    JSON.stringify({
      ...JSON.parse(examples.network.recorded[index]),
      box: index ? "loss3" : null,
      next: index ? "a3213" : box,
    }),
  );
  const root = await show(saved("network", { picture, recorded }), 700, 500);
  press(root, "next");
  const map = root.querySelector(".mg-minimap");
  const drawing = map.querySelector("svg.mg-whole-drawing");
  assert.ok(texts(drawing, ".mg-map-name").includes("loss3"));
  assert.ok(Number(drawing.querySelector(".mg-seen").getAttribute("width")) > 0);
  const view = root.querySelector(".mg-view");
  const before = view.scrollTop;
  drawing.getBoundingClientRect = () => ({ left: 0, top: 0, width: 1, height: 1 });
  drawing.dispatchEvent(new MouseEvent("pointerdown", { bubbles: true, buttons: 1, clientX: 0, clientY: 0 }));
  assert.notEqual(view.scrollTop, before);
});

test("the line above the picture names the parts around the step, a loop with its round, and leads to them", async () => {
  const layout = new GroupLayout(nested());
  const trail = (box) => trailOf(layout, box).map(({ text }) => text);
  assert.deepEqual(trail("a310"), ["for X in tasks: 3 of 3", "for step in range(2): 1 of 2"]);
  assert.deepEqual(trail("w"), []);
  assert.deepEqual(trail(null), []);
  const root = await show(saved("network"));
  const line = () => texts(root, ".mg-trail button");
  assert.deepEqual(line(), ["the whole"]);
  const inHead = examples.network.recorded.map((text) => JSON.parse(text).box);
  const runs = inHead.findIndex((id) => examples.network.picture.boxes[id]?.name === "t1");
  for (let k = 0; k < runs; k += 1) press(root, "next");
  assert.deepEqual(line(), ["the whole", "net", "body", "1 ReLU"]);
  const crumb = (text) => [...root.querySelectorAll(".mg-trail button")].find((one) => one.textContent === text);
  key(groupNamed(root, "net"), "Enter");
  assert.equal(groupNamed(root, "net").getAttribute("aria-expanded"), "false");
  crumb("net").click();
  assert.equal(groupNamed(root, "net").getAttribute("aria-expanded"), "true");
  crumb("the whole").click();
  assert.ok(!whole(root).hidden);
});

test("a picture without parts has no such line", async () => {
  const root = await show(saved());
  assert.ok(root.querySelector(".mg-trail").hidden);
});

test("at the view's edge a sign leads to what runs next, as long as that is outside", async () => {
  const root = await show(saved("network"), 400, 200);
  const [view, sign] = [".mg-view", ".mg-ahead"].map((part) => root.querySelector(part));
  view.scrollTo = ({ left, top }) => Object.assign(view, { scrollLeft: left, scrollTop: top });
  assert.ok(sign.hidden); // the whole is seen
  press(root, "next");
  view.scrollTop = 0;
  view.dispatchEvent(new Event("scroll"));
  assert.ok(!sign.hidden);
  const next = root.querySelector("svg.mg-graph .mg-upnext .mg-name").textContent;
  assert.equal(sign.textContent, `next: ${next} ↓`);
  assert.match(sign.getAttribute("aria-label"), new RegExp(`^next: ${next}`));
  sign.click();
  assert.ok(sign.hidden);
  view.dispatchEvent(new Event("scrollend"));
  view.scrollTop = 100_000;
  view.dispatchEvent(new Event("scroll"));
  assert.match(sign.textContent, /↑$/);
});

test("that a click opens a closed part is said where one is closed", async () => {
  const picture = { ...examples.network.picture, note: "10 boxes; a click opens a closed part" };
  const root = await show(saved("network", { picture }), 4000, 4000);
  const note = root.querySelector(".mg-notice");
  assert.ok(note.hidden);
  press(root, "close-all");
  assert.ok(!note.hidden);
});

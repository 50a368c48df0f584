// The page's player by itself, with a kernel that answers when the test lets it: which answers count, what a pause, a
// breakpoint and an open group tell the kernel, and what stays quiet when the widget is gone.

import assert from "node:assert/strict";
import { test } from "./testing.mjs";
import { loadModule, makeModel } from "./page.mjs";
import { examples, saved } from "./recorded.mjs";

const { Player } = await loadModule("viz/static/player.mjs");
const { picture, recorded } = examples.example;
const LAST = recorded.length - 1;
const PATIENCE = 2000; // ms, at least what a kernel is waited for

/** A player with a kernel that has run up to a frame, and what lets that answer: up to which frame, and with what. */
function live(ran = 0, values = {}) {
  const model = makeModel({
    picture,
    recorded: recorded.slice(0, ran + 1),
    index: ran,
    finished: false,
    answered: 0,
    request: {},
    live: true,
    ...values,
  });
  const answer = (index, more = {}) =>
    model.fromKernel({
      recorded: recorded.slice(0, Math.max(model.get("recorded").length, index + 1)),
      index,
      ...more,
      answered: more.answered ?? model.get("request").nth,
    });
  return { model, player: new Player(model), answer };
}

/** As `live`, with a clock that the test turns. */
function timed(context, ...arguments_) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  return { ...live(...arguments_), wait: () => context.mock.timers.tick(PATIENCE) };
}

test("the answer to an older request moves nothing", () => {
  const { model, player, answer } = live(2);
  player.back();
  const old = model.get("request").nth;
  player.back();
  answer(1, { answered: old });
  assert.equal(player.index, 0);
  answer(0);
  assert.equal(player.index, 0);
});

test("a number that another view of the model has used is not used again", () => {
  const { model, player } = live(2, { answered: 4 });
  player.back();
  assert.equal(model.get("request").nth, 5);
  model.set("request", { to: 2, nth: 8 });
  player.back();
  assert.equal(model.get("request").nth, 9);
});

test("what is late is said once the kernel has not answered for a while, and no more when it has", (context) => {
  const { player, answer, wait } = timed(context);
  let told = 0;
  player.next();
  player.listeners.add(() => (told += 1));
  wait();
  assert.match(player.note, /The kernel does not answer/);
  assert.deepEqual([told, player.isLate, player.wanted, player.isRunning], [1, true, null, true]);
  player.next(); // from the frame that is shown, as no other is on its way
  assert.deepEqual([player.wanted, player.isLate, player.isRunning], [1, false, false]);
  answer(1);
  wait();
  assert.deepEqual([player.note, player.isLate, player.index], ["", false, 1]);
});

test("an answer counts as one while other numbers are shown", (context) => {
  const { player, answer, wait } = timed(context);
  player.ask({ what_if: {} });
  answer(0, { whatif: { frames: recorded } });
  wait();
  assert.deepEqual([player.note, player.isAsking], ["", false]);
});

test("the button stops in the kernel only what is late and not answered", (context) => {
  const { model, player, answer, wait } = timed(context);
  player.next();
  player.interrupt();
  assert.deepEqual(model.sent, []);
  wait();
  player.interrupt();
  assert.deepEqual(model.sent, [{ stop: true }]);
  answer(1);
  player.interrupt();
  assert.equal(model.sent.length, 1);
});

test("steps that are asked for before an answer are steps, and no run that could be ended", () => {
  const { model, player } = live();
  player.next();
  player.next();
  assert.deepEqual([player.wanted, player.isRunning, model.get("request").to], [2, false, 2]);
  player.last();
  assert.equal(player.isRunning, true);
});

test("a run that is paused asks for no more, and the next step is from the frame that is shown", () => {
  const { model, player, answer } = live();
  player.run();
  answer(1, { stopped: { index: 1, why: "", more: true } });
  assert.deepEqual(model.get("request"), { run: true, more: true, nth: 2 });
  player.pause();
  assert.equal(player.isRunning, false);
  player.next();
  assert.deepEqual([player.wanted, model.get("request").to], [2, 2]);
});

test("a run goes on only where it has stopped for a while itself, up to where it was to go", () => {
  const { model, player, answer } = live();
  player.travel(3, { box: "n3" });
  answer(1, { stopped: { index: 0, why: "", more: true } }); // an older stop
  assert.deepEqual([model.get("request").nth, player.wanted, player.journey], [1, null, null]);
  player.travel(3, { box: "n3" });
  answer(2, { stopped: { index: 2, why: "", more: true } });
  assert.deepEqual([model.get("request"), player.wanted], [{ box: "n3", more: true, nth: 3 }, 3]);
  player.back(); // that is not what was on its way
  answer(1, { stopped: { index: 1, why: "", more: true } });
  assert.deepEqual([player.isRunning, model.get("request").more], [false, undefined]);
});

test("going elsewhere ends what the kernel was asked for", () => {
  const { player } = live(2);
  player.run();
  player.go(1);
  assert.deepEqual([player.index, player.isRunning], [1, false]);
});

test("why a run has stopped is told at that frame, and not at another", () => {
  const { player, answer } = live();
  player.run();
  answer(2, { stopped: { index: 2, why: "Stopped at a breakpoint: E." } });
  assert.equal(player.note, "Stopped at a breakpoint: E.");
  player.back();
  answer(1);
  assert.equal(player.note, "");
});

test("a condition is set once, and saved where there is a kernel", () => {
  const { model, player } = live();
  player.breakWhen("nan");
  player.breakWhen("nan");
  player.toggleBreak("n1");
  assert.deepEqual(player.breaks, [{ when: "nan" }, { box: "n1" }]);
  assert.deepEqual(model.saved.at(-1), { breaks: player.breaks });
  const page = saved();
  const walker = new Player(page);
  walker.breakWhen("nan");
  assert.deepEqual([walker.breaks, page.saved], [[{ when: "nan" }], []]);
});

test("in the forward pass no breakpoint is met", () => {
  const example = Object.keys(examples).find((name) => examples[name].picture?.forward?.length);
  const player = new Player(saved(example));
  const { box } = player.forward.findLast(
    (frame) => frame.box && player.frames.some((other) => other.box === frame.box),
  );
  player.breaks = [{ box }];
  player.go(player.start);
  player.run();
  assert.equal(player.frame.box, box);
  assert.ok(player.index > 0);
});

test("the kernel is told which groups are open when that has changed", () => {
  const { model, player } = live(2, { picture: examples.network.picture });
  player.back();
  assert.equal(model.get("request").open, undefined); // it knows what the picture begins with
  player.open = () => new Set(["g"]);
  player.back();
  assert.deepEqual(model.get("request").open, ["g"]);
  player.next();
  assert.equal(model.get("request").open, undefined);
});

test("frames that are fewer or others are read anew", () => {
  const { model, player } = live(3);
  assert.equal(player.frames.length, 4);
  model.fromKernel({ recorded: recorded.slice(0, 2), index: 1 });
  assert.equal(player.frames.length, 2);
  model.fromKernel({ recorded: recorded.slice(0, 4) });
  assert.equal(player.frames[3].index, 3); // also where its text is the one of before
  const { readings } = player;
  const other = JSON.stringify({ ...JSON.parse(recorded[1]), story: [] });
  model.fromKernel({ recorded: [recorded[0], other, JSON.stringify(JSON.parse(recorded[2]))] });
  assert.deepEqual([player.frames[1].story, player.frames.length], [[], 3]);
  assert.ok(player.readings > readings);
});

test("on a page without a kernel what the model says of others' steps moves nothing back", () => {
  const model = saved();
  const player = new Player(model);
  player.go(2);
  model.fromKernel({ answered: 7 });
  assert.equal(player.index, 2);
  model.fromKernel({ index: 1 });
  assert.equal(player.index, 1);
});

test("when the widget is gone, nothing is asked, told or waited for", (context) => {
  const { model, player, wait } = timed(context, 2);
  let told = 0;
  player.next();
  player.listeners.add(() => (told += 1));
  const request = model.get("request");
  player.destroy();
  wait();
  assert.equal(player.note, "");
  player.back();
  model.fromKernel({ index: 0, answered: 9 });
  assert.deepEqual([told, model.get("request"), player.index], [0, request, 1]);
});

test("a failure is at the last frame, and a page that was stopped before says how far it goes", () => {
  const player = new Player(saved("example", { recorded: recorded.slice(0, 3), problem: { text: "no" } }));
  player.last();
  assert.deepEqual([player.failedHere, player.note, player.atEnd], [true, "", true]);
  player.back();
  assert.equal(player.failedHere, false);
  const other = new Player(saved("example", { recorded: recorded.slice(0, 3) }));
  other.last();
  assert.equal(other.note, `Only 2 of ${LAST} steps were run before this was saved.`);
});

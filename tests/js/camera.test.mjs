// Which part of a drawing is in view: what runs, whole, and with it what lies around it, where that has room.

import assert from "node:assert/strict";
import { afterEach, test } from "./testing.mjs";
import { Camera } from "../../minigrad/viz/static/camera.mjs";

const ROOM = { width: 600, height: 500 };

/** A box or group as the drawing holds it. */
function standing(x, y, width = 100, height = 60) {
  const card = { getAttribute: (side) => String({ width, height }[side]) };
  return { getAttribute: () => `translate(${x} ${y})`, querySelector: () => card };
}

/** A camera before a drawing of 3000 by 4000 pixels, at its full size, and where its view was last moved to. */
function camera(moves = []) {
  const view = {
    clientWidth: ROOM.width,
    scrollLeft: 0,
    scrollTop: 0,
    scrollTo({ left, top }) {
      Object.assign(this, { scrollLeft: left, scrollTop: top });
      moves.push([left, top]);
    },
  };
  class InRoom extends Camera {
    get room() {
      return ROOM;
    }
  }
  globalThis.window ??= /** @type {any} */ ({});
  return new InRoom(/** @type {any} */ (view), /** @type {any} */ ({ width: 3000, height: 4000 }), () => {});
}

afterEach(() => {
  delete globalThis.window;
});

/** Whether a box lies wholly in the view. */
function isSeen({ view }, x, y, width = 100, height = 60) {
  const [left, top] = [view.scrollLeft, view.scrollTop];
  return x >= left && x + width <= left + ROOM.width && y >= top && y + height <= top + ROOM.height;
}

test("the first view holds the box whole, and its neighbours where they fit", () => {
  const seen = camera();
  seen.reveal(standing(2000, 3000), [[standing(1600, 2900), standing(2300, 1000)]]);
  assert.ok(isSeen(seen, 2000, 3000));
  assert.ok(isSeen(seen, 1600, 2900), "a neighbour that has room is cut off");
});

test("a box that is hardly narrower than the view is seen whole", () => {
  const seen = camera();
  seen.reveal(standing(1000, 1000, ROOM.width - 10));
  assert.ok(isSeen(seen, 1000, 1000, ROOM.width - 10));
});

test("a box stays in view though its neighbours are far apart", () => {
  const seen = camera();
  seen.reveal(standing(1000, 1000), [[standing(100, 900), standing(2000, 900)]]);
  assert.ok(isSeen(seen, 1000, 1000));
});

test("at first as many other boxes are seen as have room, later the view does not move for them", () => {
  const [seen, moves] = [camera(), []];
  seen.reveal(standing(1000, 1000), [], [standing(1400, 1000)]);
  assert.ok(isSeen(seen, 1400, 1000));
  const after = camera(moves);
  after.revealed = true;
  after.view.scrollLeft = 950;
  after.view.scrollTop = 900;
  after.reveal(standing(1000, 1000), [], [standing(1700, 1000)]);
  assert.deepEqual(moves, []);
});

test("to where the gradient goes is seen before what is nearer and gets none", () => {
  const seen = camera();
  const [receiver, constant] = [standing(1350, 900), standing(840, 1000)];
  seen.reveal(standing(1000, 1000), [[receiver], [], [constant]]);
  assert.ok(isSeen(seen, 1000, 1000) && isSeen(seen, 1350, 900));
});

test("a view moves along the one way that it has to", () => {
  const seen = camera();
  seen.revealed = true;
  seen.view.scrollLeft = 900;
  seen.view.scrollTop = 2000;
  seen.reveal(standing(1000, 1000));
  assert.equal(seen.view.scrollLeft, 900);
  assert.ok(isSeen(seen, 1000, 1000));
});

test("a part that was opened is seen whole where it fits, else from its head on", () => {
  const seen = camera();
  seen.show(standing(1000, 1000, 400, 400));
  assert.ok(isSeen(seen, 1000, 1000, 400, 400));
  seen.show(standing(1000, 2000, 400, 1400));
  assert.ok(isSeen(seen, 1000, 2000, 400, 200));
});

test("a step is in view also where the view was still moving for the step before it", () => {
  const seen = camera();
  globalThis.window.matchMedia = /** @type {any} */ (() => ({ matches: false }));
  seen.revealed = true;
  seen.reveal(standing(1500, 1000));
  Object.assign(seen.view, { scrollLeft: 0, scrollTop: 900 }); // halfway, and it goes on to where it was sent
  const [left, top] = [seen.heading.left, seen.heading.top];
  seen.reveal(standing(100, 1000));
  Object.assign(seen.view, seen.heading ? { scrollLeft: seen.heading.left } : { scrollLeft: left, scrollTop: top });
  assert.ok(isSeen(seen, 100, 1000), "it goes on to where the step before was");
});

test("where the view has to move sideways, as many boxes as can are whole", () => {
  const seen = camera();
  const others = [standing(1060, 1000), standing(1560, 900), standing(1560, 1100), standing(1060, 3000)];
  seen.reveal(standing(1300, 1000), [], others);
  assert.ok(isSeen(seen, 1560, 900) && isSeen(seen, 1560, 1100), "of one more box less would be seen");
  assert.ok(isSeen(seen, 1300, 1000));
});

test("a view that will do moves sideways only where that lets two more boxes be whole", () => {
  const begun = () => {
    const seen = camera();
    seen.revealed = true;
    Object.assign(seen.view, { scrollLeft: 900, scrollTop: 800 });
    return seen;
  };
  const [kept, moved] = [begun(), begun()];
  kept.reveal(standing(1100, 1000), [], [standing(1450, 900)]);
  assert.equal(kept.view.scrollLeft, 900);
  moved.reveal(standing(1100, 1000), [], [standing(1450, 900), standing(1450, 1100)]);
  assert.ok(isSeen(moved, 1450, 900) && isSeen(moved, 1100, 1000), "two boxes are cut off that have room");
});

test("the open part that the step is in is seen from side to side, where it is no wider than the view", () => {
  const seen = camera();
  seen.revealed = true;
  Object.assign(seen.view, { scrollLeft: 900, scrollTop: 800 });
  seen.reveal(standing(1100, 1000), [], [], standing(1050, 700, 550, 2000));
  assert.ok(isSeen(seen, 1050, 1000, 550), "a part that has room is cut off at its side");
  assert.equal(seen.view.scrollTop, 800);
  const wide = camera();
  wide.reveal(standing(1100, 1000), [], [], standing(200, 700, 1500, 2000));
  assert.ok(isSeen(wide, 1100, 1000));
});

test("all is seen in one size where its letters can be read then, else all columns, as far as that goes", () => {
  const sizeOf = (width, height, map = 0) => {
    const one = camera();
    one.picture = /** @type {any} */ ({ width, height });
    one.mapIn = () => map;
    return one.usualIn(ROOM);
  };
  assert.equal(sizeOf(300, 200), 1, "it is not drawn larger than it is");
  assert.equal(sizeOf(600, 700), 500 / 700);
  assert.equal(sizeOf(850, 200), 600 / 850);
  assert.equal(sizeOf(200, 900), 0.84, "a chain is scrolled, as large as it is with all its words");
  assert.equal(sizeOf(600, 900, 120), 0.8, "beside the small map");
  assert.equal(sizeOf(2000, 900), 0.68, "smaller letters could not be read");
});

test("a part is in view as long as its middle is, within the edge around the drawing", () => {
  const seen = camera();
  Object.assign(seen.view, { clientWidth: ROOM.width + 16, clientHeight: ROOM.height + 16 });
  const holds = (y) => seen.holds({ x: 100, y: y - 10, width: 20, height: 20 });
  assert.deepEqual([-9, -7, 507, 509].map(holds), [false, true, true, false]);
});

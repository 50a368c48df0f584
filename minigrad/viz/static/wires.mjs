// How an edge is drawn: its way as a path, its arrowheads, the place for what flows along it. The same as in
// minigrad/viz/picture/svg.py.

import { ABOVE_BOX, BESIDE_TIP, CHIP_HEIGHT } from "./measures.mjs";

const tenth = (value) => Math.round(value * 10) / 10;
const pointText = ({ x, y }) => `${tenth(x)} ${tenth(y)}`;

/** Curves that leave downwards and arrive so. */
export function pathOf(points) {
  let path = `M${pointText(points[0])}`;
  for (let k = 1; k < points.length; k += 1) {
    const [one, other] = [points[k - 1], points[k]];
    const bend = Math.max((other.y - one.y) / 2, 0);
    path += `C${pointText({ x: one.x, y: one.y + bend })} ${pointText({ x: other.x, y: other.y - bend })} ${pointText(other)}`;
  }
  return path;
}

/** An arrowhead with its point at `tip`, downwards or, where `way` is -1, upwards. */
export function headOf(tip, way) {
  return `M${pointText(tip)}l4.5 ${-10 * way}h-9z`;
}

const lengthOf = ([one, other]) => Math.abs(other.x - one.x) + Math.abs(other.y - one.y);

/** The pieces of an edge, each [from, to]: the longest first. */
function piecesOf(points) {
  return points
    .slice(1)
    .map((point, k) => [points[k], point])
    .sort((one, other) => lengthOf(other) - lengthOf(one));
}

/** The middle of an edge's longest piece. */
function middleOf(points) {
  const [one, other] = piecesOf(points)[0];
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

const FARTHER = [0.5, 0.35, 0.65, 0.2, 0.8]; // parts of a piece at which what flows may stand
// Of its width: to the side of an edge, and still upon it.
const SIDEWAYS = [0, 0.15, -0.15, 0.3, -0.3, 0.45, -0.45];

/**
 * Where what flows along an edge may stand: in the middle of its longest piece, or wherever else there is room; of one
 * beside others first on the `side`, -1 left or 1 right, where these are not.
 */
export function placesOn(points, width, side = 0) {
  const tip = points.at(-1);
  const beside = { x: tip.x + side * (BESIDE_TIP + width / 2), y: tip.y - ABOVE_BOX - CHIP_HEIGHT / 2 };
  const along = piecesOf(points).flatMap(([one, other]) =>
    FARTHER.map((t) => ({ x: one.x + (other.x - one.x) * t * t * (3 - 2 * t), y: one.y + (other.y - one.y) * t })),
  );
  return [
    ...(side ? [beside] : []),
    middleOf(points),
    ...SIDEWAYS.flatMap((way) => along.map((place) => ({ x: place.x + way * width, y: place.y }))),
  ];
}

/** How much of each other's area two rectangles, {x, y, w, h}, hide. */
function overlap(one, other) {
  const across = Math.min(one.x + one.w, other.x + other.w) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.h, other.y + other.h) - Math.max(one.y, other.y);
  return Math.max(0, across) * Math.max(0, down);
}

/**
 * The place among some, for a chip of a width and a height, that hides least: nothing of what is `taken`, and little of
 * the boxes; the first where several are as good.
 */
export function freest(places, width, height, taken, boxes) {
  const chipAt = ({ x, y }) => ({ x: x - width / 2, y: y - height / 2, w: width, h: height });
  const hiddenArea = (place, ones) => ones.reduce((sum, one) => sum + overlap(chipAt(place), one), 0);
  const costs = places.map((place) => 4 * hiddenArea(place, taken) + hiddenArea(place, boxes));
  return places[costs.indexOf(Math.min(...costs))];
}

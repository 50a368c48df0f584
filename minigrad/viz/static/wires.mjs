// How an edge is drawn: its way as a path, its arrowheads, the place for what flows along it. The same as in
// minigrad/viz/picture/svg.py.

import { CORNER } from "./measures.mjs";

const tenth = (value) => Math.round(value * 10) / 10;
const written = ({ x, y }) => `${tenth(x)} ${tenth(y)}`;

/** Curves that leave and arrive along the flow, and lines that turn with round corners. */
export function pathOf(points, down) {
  let path = `M${written(points[0])}`;
  for (let k = 1; k < points.length; k += 1) {
    const [one, other] = [points[k - 1], points[k]];
    if (one.turns || other.turns) {
      path += straight(one, other, other.turns ? points[k + 1] : null);
      continue;
    }
    const bend = Math.max((down ? other.y - one.y : other.x - one.x) / 2, 0);
    const leaves = down ? { x: one.x, y: one.y + bend } : { x: one.x + bend, y: one.y };
    const comes = down ? { x: other.x, y: other.y - bend } : { x: other.x - bend, y: other.y };
    path += `C${written(leaves)} ${written(comes)} ${written(other)}`;
  }
  return path;
}

function straight(one, other, following) {
  if (!following) return `L${written(other)}`;
  return `L${written(towards(other, one))}Q${written(other)} ${written(towards(other, following))}`;
}

function towards(corner, other) {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y) || 1;
  const part = Math.min(CORNER, length / 2) / length;
  return { x: corner.x + (other.x - corner.x) * part, y: corner.y + (other.y - corner.y) * part };
}

/** An arrowhead with its point at `tip`, along the flow or, where `way` is -1, against it. */
export function headOf(tip, down, way) {
  return `M${written(tip)}${down ? `l4.5 ${-10 * way}h-9z` : `l${-10 * way} 4.5v-9z`}`;
}

const lengthOf = ([one, other]) => Math.abs(other.x - one.x) + Math.abs(other.y - one.y);

/** The pieces of an edge, each [from, to]: the longest first. */
function piecesOf(points) {
  return points
    .slice(1)
    .map((point, k) => [points[k], point])
    .sort((one, other) => lengthOf(other) - lengthOf(one));
}

/** The longest piece of an edge: its middle, and how long it is from left to right. */
export function longestPiece(points) {
  const [one, other] = piecesOf(points)[0];
  return {
    x: (one.x + other.x) / 2,
    y: (one.y + other.y) / 2,
    width: Math.abs(one.x - other.x),
    height: Math.abs(one.y - other.y),
  };
}

const FARTHER = [0.5, 0.35, 0.65, 0.2, 0.8]; // parts of a piece at which what flows may stand
// Of its width: to the side of an edge downwards, and still upon it.
const SIDEWAYS = [0, 0.15, -0.15, 0.3, -0.3, 0.45, -0.45];

/** Where what flows along an edge may stand: in the middle of its longest piece, or wherever else there is room. */
export function placesOn(points, down, width) {
  const { x, y } = longestPiece(points);
  const along = piecesOf(points).flatMap(([one, other]) =>
    FARTHER.map((t) => ({ x: one.x + (other.x - one.x) * t * t * (3 - 2 * t), y: one.y + (other.y - one.y) * t })),
  );
  return [
    { x, y },
    ...(down ? SIDEWAYS : [0]).flatMap((way) => along.map((place) => ({ x: place.x + way * width, y: place.y }))),
  ];
}

/** How much of each other's area two rectangles, {x, y, w, h}, hide. */
function overlap(one, other) {
  const across = Math.min(one.x + one.w, other.x + other.w) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.h, other.y + other.h) - Math.max(one.y, other.y);
  return Math.max(0, across) * Math.max(0, down);
}

/**
 * The place among some, for a pill of a width and a height, that hides least: nothing of what is `taken`, and then, if
 * it has to move, little of the boxes.
 */
export function freest(places, width, height, taken, boxes) {
  const pillAt = ({ x, y }) => ({ x: x - width / 2, y: y - height / 2, w: width, h: height });
  const hidden = (place, ones) => ones.reduce((sum, one) => sum + overlap(pillAt(place), one), 0);
  if (!hidden(places[0], taken)) return places[0];
  const costs = places.map((place) => 4 * hidden(place, taken) + hidden(place, boxes));
  return places[costs.indexOf(Math.min(...costs))];
}

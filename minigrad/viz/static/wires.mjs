// How an edge is drawn: its way as a path, its arrowheads, the place for what flows along it. The same as in minigrad/viz/picture/svg.py.

const CORNER = 9; // radius at which an edge turns

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

/** The longest piece of an edge: its middle, and how long it is from left to right. */
export function longestPiece(points) {
  const length = (k) => Math.abs(points[k].x - points[k - 1].x) + Math.abs(points[k].y - points[k - 1].y);
  const longest = points.reduce((best, _, k) => (k && length(k) > length(best) ? k : best), 1);
  const [one, other] = [points[longest - 1], points[longest]];
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, width: Math.abs(one.x - other.x), height: Math.abs(one.y - other.y) };
}

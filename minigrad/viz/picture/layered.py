"""Where boxes and edges go: a layered layout, after Sugiyama, Tagawa and Toda ("Methods for visual understanding of
hierarchical system structures", 1981).

Three steps, by the names that they have in the field:

1. Layer assignment: boxes get a layer by the longest path that leads to them; an edge that passes layers gets a bend
   (a dummy vertex) in each.
2. Crossing reduction by barycentre ordering: each layer is sorted by the mean place of its neighbours, to and fro.
3. Coordinate assignment: each box moves towards its neighbours. What a layer wishes for is met in least squares, with
   order and distance kept: an isotonic regression, which pool adjacent violators solves (Ayer, Brunk, Ewing, Reid and
   Silverman, "An empirical distribution function for sampling with incomplete information", 1955).
Layers follow each other from top to bottom, however many there are: a picture that is longer than its window is
scrolled.

Written twice, here for still pictures and in static/layered.mjs for the page, where modules open and close; a test
holds the two together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from minigrad.viz.picture.measures import (
    BEND_WEIGHT,
    BESIDE,
    ENTRY,
    FREE_WEIGHT,
    GAP,
    LANE,
    LOOSE_WEIGHT,
    SPREAD,
    SPREAD_LANES,
    SWEEPS,
    THREAD,
)

Point = tuple[float, float]
Port = Callable[[str, str, str], float | None]


@dataclass(frozen=True)
class Item:
    """A box to place, and its size in pixels."""

    id: str
    width: float
    height: float


@dataclass(frozen=True)
class Link:
    """An edge. It comes in from above the first layer where `source` is "", and goes out below the last where `target`
    is.
    """

    id: str
    source: str
    target: str


@dataclass(frozen=True)
class Arranged:
    """Upper left corners of the items, and the points of each edge's way."""

    width: float
    height: float
    corners: dict[str, Point]
    ways: dict[str, list[Point]]


@dataclass(eq=False)
class _Placed:
    """An item, or the bend of an edge in a layer. `middle` is that of its width."""

    id: str
    width: float = 0
    height: float = 0
    layer: int = 0
    place: int = 0
    middle: float = 0
    weight: float = 0
    before: list[tuple[_Placed, str]] = field(default_factory=list)
    after: list[tuple[_Placed, str]] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)  # edges that come in from above the first layer

    @property
    def is_bend(self) -> bool:
        return not self.id

    @property
    def is_loose(self) -> bool:
        """Whether nothing leads to it: a weight, which goes where its use is."""
        return bool(self.id) and not self.before and not self.outside and bool(self.after)


def no_port(item: str, link: str, side: str) -> float | None:
    """No item says where an edge has to meet it."""
    return None


def arrange(items: Sequence[Item], links: Sequence[Link], port: Port = no_port) -> Arranged:
    """Place items in layers.

    Args:
        items: in the order in which they were made.
        links: without cycles.
        port: of an item, a link and "before" or "after", how far from the item's left edge the link meets that side;
            None for no wish.
    """
    return _Placement(items, links, port).arrange()


def _layers(items: Sequence[Item], links: Sequence[Link]) -> list[list[str]]:
    """The ids in each layer: first by the longest path that leads to an item. Then each item moves as far towards what
    it leads to as that allows, unless more edges grow longer by it than shorter: so a weight stands beside its use.
    """
    inner = [link for link in links if link.source and link.target]
    waits = {item.id: 0 for item in items}
    targets: dict[str, list[str]] = {item.id: [] for item in items}
    for link in inner:
        waits[link.target] += 1
        targets[link.source].append(link.target)
    fixed = {link.target for link in links if link.target}
    entered = {link.target for link in links if link.target and not link.source}
    layer = dict.fromkeys(waits, 0)
    ready = [key for key, count in waits.items() if count == 0]
    for key in ready:  # grows while it is walked
        for target in targets[key]:
            layer[target] = max(layer[target], layer[key] + 1)
            waits[target] -= 1
            if waits[target] == 0:
                ready.append(target)
    uses = {key: len(set(after)) for key, after in targets.items()}
    held: dict[str, int] = dict.fromkeys(waits, 0)  # inputs that would not go along
    for link in inner:
        held[link.target] += link.source in fixed or uses[link.source] > 1
    for key in reversed(ready):
        after = targets[key]
        if after and (key not in entered) and held[key] <= len(after):
            layer[key] = min(layer[target] for target in after) - 1
    rows: list[list[str]] = [[] for _ in range(max(layer.values(), default=0) + 1)]
    for item in items:
        rows[layer[item.id]].append(item.id)
    return rows


class _Placement:
    """What stands where in its layer."""

    def __init__(self, items: Sequence[Item], links: Sequence[Link], port: Port) -> None:
        self.port = port
        self.links = links
        self.nodes = {item.id: _Placed(item.id, item.width, item.height) for item in items}
        self.rows = [[self.nodes[key] for key in row] for row in _layers(items, links)]
        for number, row in enumerate(self.rows):
            for node in row:
                node.layer = number
        self.chains: dict[str, list[_Placed]] = {}
        for link in links:
            self._chain(link)
        self._surround()
        self._order()
        self._settle()

    # -- edges

    def _chain(self, link: Link) -> None:
        """Put a bend into each layer that an edge passes."""
        source, target = self.nodes.get(link.source), self.nodes.get(link.target)
        first = 0 if source is None else source.layer + 1
        last = len(self.rows) - 1 if target is None else target.layer - 1
        bends = [_Placed("", layer=layer) for layer in range(first, last + 1)]
        for bend in bends:
            self.rows[bend.layer].append(bend)
        whole = [node for node in (source, *bends, target) if node is not None]
        for one, other in pairwise(whole):
            one.after.append((other, link.id))
            other.before.append((one, link.id))
        if len(whole) == 1 and target is not None:
            target.outside.append(link.id)
        self.chains[link.id] = whole

    # -- the order in each layer

    def _surround(self) -> None:
        """What is used stands around the way of the data, by turns before and behind it: so the way goes straight."""
        for row in reversed(self.rows):
            turns: dict[int, int] = {}
            keys = {}
            for number, node in enumerate(row):
                target = node.after[0][0] if node.after else None
                shift = turns.get(id(target), -1) if node.is_loose else 0
                if node.is_loose:
                    turns[id(target)] = -shift if shift < 0 else -shift - 1
                keys[id(node)] = (target.place if target is not None else number, shift, number)
            row.sort(key=lambda node: keys[id(node)])
            _place(row)

    def _order(self) -> None:
        """Barycentre ordering, to and fro; the order with the fewest crossings is kept."""
        best, fewest = [list(row) for row in self.rows], self._crossings()
        for sweep in range(SWEEPS):
            if fewest == 0:
                break
            back = sweep % 2 == 1
            for row in reversed(self.rows) if back else self.rows:
                for node in row:
                    places = [end.place for end, _ in (node.after if back else node.before)]
                    node.weight = sum(places) / len(places) if places else node.place
                row.sort(key=lambda node: (node.weight, node.place))
                _place(row)
            now = self._crossings()
            if now < fewest:
                best, fewest = [list(row) for row in self.rows], now
        self.rows = best
        for row in self.rows:
            _place(row)

    def _crossings(self) -> int:
        """How many pairs of edges cross: inversions, counted while the far ends are put into order."""
        count = 0
        for row in self.rows:
            ends = [place for node in row for place in sorted(end.place for end, _ in node.after)]
            ordered: list[int] = []
            for end in ends:
                low = bisect_right(ordered, end)
                count += len(ordered) - low
                ordered.insert(low, end)
        return count

    # -- places from left to right

    def _settle(self) -> None:
        """Coordinate assignment: every layer in turn takes the places nearest to its neighbours'."""
        for row in self.rows:
            middle = 0.0
            for number, node in enumerate(row):
                middle += self._apart(row[number - 1], node) if number else 0
                node.middle = middle
        for sweep in range(2 * SWEEPS):
            back = sweep % 2 == 1
            for row in reversed(self.rows) if back else self.rows:
                wishes = [self._wish(node, back, sweep >= SWEEPS) for node in row]
                for node, middle in zip(row, self._pool_violators(row, wishes), strict=True):
                    node.middle = middle

    def _wish(self, node: _Placed, back: bool, both: bool) -> tuple[float, float]:
        """Where a node would stand, and how much that counts."""
        ends = [*((end, link, "before") for end, link in node.before), *((e, k, "after") for e, k in node.after)]
        wanted = ends if both else [end for end in ends if end[2] == ("after" if back else "before")]
        total, weights = 0.0, 0.0
        for end, link, side in wanted:
            far = self._meets(end, link, "after" if side == "before" else "before")
            shift = self._meets(node, link, side) - node.middle  # where on this node the edge begins
            # Bends of one edge line up, and pull little at its ends: a chain of boxes beside it stays straight.
            weight = LOOSE_WEIGHT if end.is_loose or node.is_bend != end.is_bend else BEND_WEIGHT if node.is_bend else 1
            total += weight * (far - shift)
            weights += weight
        own = LOOSE_WEIGHT if node.is_loose else 1
        return (total / weights, weights * own) if weights else (node.middle, FREE_WEIGHT)

    def _meets(self, node: _Placed, link: str, side: str) -> float:
        wish = None if node.is_bend else self.port(node.id, link, side)
        return node.middle + (ENTRY * node.width if wish is None else wish - node.width / 2)

    def _apart(self, one: _Placed, other: _Placed) -> float:
        """How far apart the middles of two neighbours in a layer have to be."""
        return (one.width + other.width) / 2 + (THREAD if one.is_bend or other.is_bend else BESIDE)

    def _pool_violators(self, row: list[_Placed], wishes: list[tuple[float, float]]) -> list[float]:
        """The places nearest to the wishes, in least squares, that keep order and distance. Pool adjacent violators:
        neighbours that would overlap become a block, which moves as one.
        """
        offsets = [0.0]
        for one, other in pairwise(row):
            offsets.append(offsets[-1] + self._apart(one, other))
        blocks: list[tuple[float, float, int]] = []  # sum of weighted wishes, weight, count
        for (wish, weight), offset in zip(wishes, offsets, strict=False):
            block = ((wish - offset) * weight, weight, 1)
            while blocks and blocks[-1][0] / blocks[-1][1] >= block[0] / block[1]:
                last = blocks.pop()
                block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
            blocks.append(block)
        places = [total / weight for total, weight, count in blocks for _ in range(count)]
        return [place + offset for place, offset in zip(places, offsets, strict=False)]

    # -- the picture

    def arrange(self) -> Arranged:
        """Corners and ways, in pixels."""
        tops: list[float] = []
        bottoms: list[float] = []
        for row in self.rows:
            tops.append(bottoms[-1] + GAP if bottoms else 0.0)
            bottoms.append(tops[-1] + max((node.height for node in row), default=0))
        nodes = [node for row in self.rows for node in row]
        left = min((node.middle - node.width / 2 for node in nodes), default=0)
        for node in nodes:
            node.middle -= left
        corners = {
            node.id: _point(node.middle - node.width / 2, (tops[node.layer] + bottoms[node.layer] - node.height) / 2)
            for node in self.nodes.values()
        }
        ways = {link.id: self._way(link, tops, bottoms) for link in self.links}
        width = max((node.middle + node.width / 2 for node in nodes), default=0)
        return Arranged(*_point(width, bottoms[-1] if bottoms else 0.0), corners, ways)

    def _way(self, link: Link, tops: Sequence[float], bottoms: Sequence[float]) -> list[Point]:
        points: list[Point] = []
        for node in self.chains[link.id]:
            top, bottom = tops[node.layer], bottoms[node.layer]
            if node.is_bend:
                points += [_point(node.middle, y) for y in dict.fromkeys((top, bottom))]
            elif node.id == link.target:
                points.append(_point(self._end(node, link.id, "before"), (top + bottom - node.height) / 2))
            else:
                points.append(_point(self._end(node, link.id, "after"), (top + bottom + node.height) / 2))
        return points

    def _end(self, node: _Placed, link: str, side: str) -> float:
        """Where an edge meets a node, from the left: those that come in are spread out, those that go out share one
        place.
        """
        meets = self._meets(node, link, side)
        if node.is_bend or side == "after" or self.port(node.id, link, side) is not None:
            return meets
        ends = sorted(node.before, key=lambda end: end[0].middle)
        links = [*node.outside, *(key for _, key in ends)]
        spread = min(SPREAD * node.width, LANE * SPREAD_LANES * len(links))
        return meets + spread * ((links.index(link) + 1) / (len(links) + 1) - 0.5)


def _point(x: float, y: float) -> Point:
    return round(x, 2), round(y, 2)


def _place(row: list[_Placed]) -> None:
    for place, node in enumerate(row):
        node.place = place

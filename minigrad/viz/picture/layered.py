"""Where boxes and edges go: a layered layout, after Sugiyama, Tagawa and Toda ("Methods for visual understanding of
hierarchical system structures", 1981).

Three steps, by the names that they have in the field:

1. Layer assignment: boxes get a layer by the longest path that leads to them; an edge that passes layers gets a bend
   (a dummy vertex) in each. Edges that come from one place share their bends, as a trunk from which they branch off.
   What is made of the same is level.
2. Crossing reduction by barycentre ordering: each layer is sorted by the mean place of its neighbours, to and fro; and
   neighbours in a layer are exchanged where fewer edges cross by that. Where that leaves a choice, the order of making
   decides.
3. Coordinate assignment: each box moves towards its neighbours. What a layer wishes for is met in least squares, with
   order and distance kept: an isotonic regression, which pool adjacent violators solves (Ayer, Brunk, Ewing, Reid and
   Silverman, "An empirical distribution function for sampling with incomplete information", 1955).
Layers follow each other from top to bottom, however many there are: a picture that is longer than its window is
scrolled.

Written twice, here for still pictures and in static/layered.mjs for the page, where modules open and close; a test
holds the two together.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from typing import Any

from minigrad.viz.picture.measures import (
    BEND_WEIGHT,
    BESIDE,
    ENTRY,
    FREE_WEIGHT,
    GAP,
    LANE,
    LOOSE_WEIGHT,
    MOST_APART,
    MOST_EXCHANGES,
    MOST_ORDERED_TWICE,
    SHARED,
    SPREAD,
    SPREAD_LANES,
    SWEEPS,
    THREAD,
)

Point = tuple[float, float]
Port = Callable[[str, str, str], float | None]
Beyond = Callable[[str, str], float | None]


@dataclass(frozen=True)
class Item:
    """A box to place, and its size in pixels."""

    id: str
    width: float
    height: float


@dataclass(frozen=True)
class Link:
    """An edge. It comes in from above the first layer where `source` is "", and goes out below the last where `target`
    is. Those with one `trunk` come from one place, and run together as long as they can.
    """

    id: str
    source: str
    target: str
    trunk: str = ""


@dataclass(frozen=True)
class Arranged:
    """Upper left corners of the items, and the points of each edge's way. `worth`: how many pairs of edges cross, and
    how many pairs of items in a layer stand against the order of making.
    """

    width: float
    height: float
    corners: dict[str, Point]
    ways: dict[str, list[Point]]
    worth: tuple[int, int]


@dataclass(eq=False)
class _Placed:
    """An item, or the bend of an edge in a layer, or a gate: where an edge comes in from above or goes out below.
    `middle` is that of its width.
    """

    id: str
    width: float = 0
    height: float = 0
    layer: int = 0
    place: int = 0
    middle: float = 0
    weight: float = 0
    before: list[_End] = field(default_factory=list)
    after: list[_End] = field(default_factory=list)
    made: float = inf  # when an item was made
    is_gate: bool = False
    beyond: float | None = None  # of a gate: how far from the left the edge comes from, or goes to

    @property
    def is_bend(self) -> bool:
        return not self.id

    @property
    def is_loose(self) -> bool:
        """Whether nothing leads to it: a weight, which goes where its use is."""
        return bool(self.id) and not self.before and bool(self.after)

    @property
    def is_ordered(self) -> bool:
        """Whether it stands in the order of making, where that costs nothing."""
        return self.made < inf and not self.is_loose


@dataclass(frozen=True)
class _End:
    """Where a piece of an edge leads to, and how far to the right it meets the two nodes, as parts of their widths."""

    node: _Placed
    link: str
    own: float
    far: float

    @property
    def far_place(self) -> float:
        return self.node.place + self.far


def no_place(*_: str) -> None:
    """Nothing is known of where an edge has to meet an item, or where it comes from or goes to."""


def arrange(
    items: Sequence[Item],
    links: Sequence[Link],
    port: Port = no_place,
    beyond: Beyond = no_place,
    is_free: bool = False,
) -> Arranged:
    """Place items in layers.

    Args:
        items: in the order in which they were made.
        links: without cycles.
        port: of an item, a link and "before" or "after", how far from the item's left edge the link meets that side;
            None for no wish.
        beyond: how far from the left a link comes from that has no source, or ("after") goes to that has no target.
        is_free: the order within a layer does not ask `port`.
    """
    return _Placement(items, links, port, beyond, is_free).arrange()


def _layers(items: Sequence[Item], links: Sequence[Link]) -> list[list[str]]:
    """The ids in each layer: first by the longest path that leads to an item. Then each item moves as far towards what
    it leads to as that allows, unless that costs more than it saves: so a weight, and what is computed for one use
    alone, stands beside its use. What is made of the same is level, unless its uses are far from each other.
    """
    inner = [link for link in links if link.source and link.target]
    waits = {item.id: 0 for item in items}
    targets: dict[str, list[str]] = {item.id: [] for item in items}
    sources: dict[str, set[str]] = {item.id: set() for item in items}
    for link in links:
        if link.target:
            sources[link.target].add(link.source or link.trunk)
    for link in inner:
        waits[link.target] += 1
        targets[link.source].append(link.target)
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
    cost: dict[str, float] = dict.fromkeys(waits, 0.0)  # by how much edges above an item grow, where it goes on by one
    for key in ready:
        if uses[key] == 1 and key not in entered:
            share = min(1.0, cost[key])  # it comes along, where that costs less than the edge from it
        else:  # the trunk from it is long for the others' sake, too
            share = min(1.0, (SHARED if sources[key] else 1) / max(uses[key], 1))
        for target in set(targets[key]):
            cost[target] += share
    leaves = {key for key in sources if not sources[key]}
    alike: dict[Any, dict[str, int]] = {}  # what they are made of -> those that are, with the best layer for each
    for key in reversed(ready):
        after = set(targets[key])
        if after and key not in entered and cost[key] <= len(after):
            layer[key] = min(layer[target] for target in after) - 1
        # Two layers of one hidden value are alike, whatever weights are each one's own.
        shared = {one for one in sources[key] if one not in leaves or uses[one] > 1}
        is_sign = not shared <= leaves or (key not in leaves and shared == sources[key])
        own = alike.setdefault(frozenset(shared) if is_sign else key, {})
        own[key] = layer[key]
        level = min(own.values())  # below all that they are made of, which comes later here
        apart = [one - level for one in own.values()]
        layer |= dict.fromkeys(own, level) if sum(apart) <= MOST_APART * max(apart) else own
    rows: list[list[str]] = [[] for _ in range(max(layer.values(), default=0) + 1)]
    for item in items:
        rows[layer[item.id]].append(item.id)
    return rows


class _Placement:
    """What stands where in its layer."""

    def __init__(self, items: Sequence[Item], links: Sequence[Link], port: Port, beyond: Beyond, is_free: bool) -> None:
        self.port = port
        self.beyond = beyond
        self.is_free = is_free
        self.links = links
        self.nodes = {item.id: _Placed(item.id, item.width, item.height, made=made) for made, item in enumerate(items)}
        self.rows = [[self.nodes[key] for key in row] for row in _layers(items, links)]
        for number, row in enumerate(self.rows):
            for node in row:
                node.layer = number
        self.gates: dict[str, list[_Placed]] = {"before": [], "after": []}
        self.bends: dict[tuple[int, str], _Placed] = {}
        self.chains: dict[str, list[_Placed]] = {}
        for link in links:
            self._chain(link)
        self._surround()
        self._order()
        self._settle()

    # -- edges

    def _chain(self, link: Link) -> None:
        """Put a bend into each layer that an edge passes, unless one of its trunk is there."""
        source, target = self.nodes.get(link.source), self.nodes.get(link.target)
        first = 0 if source is None else source.layer + 1
        last = len(self.rows) - 1 if target is None else target.layer - 1
        whole = [] if source is None else [source]
        for layer in range(first, last + 1):
            key = layer, link.trunk or link.id
            if key not in self.bends:
                self.bends[key] = _Placed("", layer=layer)
                self.rows[layer].append(self.bends[key])
            whole.append(self.bends[key])
        whole += [] if target is None else [target]
        self.chains[link.id] = whole
        above = [self._gate(link, "before")] if source is None else []
        below = [self._gate(link, "after")] if target is None else []
        for one, other in pairwise([*above, *whole, *below]):
            if other.is_bend and not other.is_gate and any(end.node is other for end in one.after):
                continue  # the trunk's
            leaves, enters = self._part(one, link.id, "after"), self._part(other, link.id, "before")
            one.after.append(_End(other, link.id, leaves, enters))
            other.before.append(_End(one, link.id, enters, leaves))

    def _gate(self, link: Link, side: str) -> _Placed:
        gate = _Placed("", is_gate=True, beyond=self.beyond(link.id, side))
        self.gates[side].append(gate)
        return gate

    def _part(self, node: _Placed, link: str, side: str) -> float:
        """How far to the right a link meets a node, as a part of its width; half, where that is not known."""
        wish = None if node.is_bend or self.is_free else self.port(node.id, link, side)
        return 0.5 if wish is None else wish / node.width

    # -- the order in each layer

    def _surround(self) -> None:
        """What is used stands around the way of the data, by turns before and behind it: so the way goes straight."""
        for row in reversed(self.rows):
            turns: dict[int, int] = {}
            keys = {}
            for number, node in enumerate(row):
                target = node.after[0].node if node.after else None
                shift = turns.get(id(target), -1) if node.is_loose else 0
                if node.is_loose:
                    turns[id(target)] = -shift if shift < 0 else -shift - 1
                keys[id(node)] = (number if target is None or target.is_gate else target.place, shift, number)
            row.sort(key=lambda node: keys[id(node)])
            _place(row)

    def _order(self) -> None:
        """Barycentre ordering, to and fro, each time with exchanges of neighbours: from the order that `_surround`
        leaves, from one in which edges pass layers beside all boxes, and from the order of making. At last two boxes
        that stand against that change places, and what is above and below them follows. The order with the fewest
        crossings is kept, of those the one that is nearest to the order of making.
        """
        for gates in self.gates.values():
            gates.sort(key=lambda gate: gate.beyond or 0.0)
            _place(gates)
        rows = [self.gates["before"], *self.rows, self.gates["after"]]
        free = [row for row in rows if all(node.beyond is None for node in row)]

        def put(order: Sequence[list[_Placed]]) -> None:
            for row, nodes in zip(rows, order, strict=True):
                row[:] = nodes
                _place(row)

        def sort(some: Sequence[list[_Placed]], back: bool, way: int = 1) -> None:
            for row in some:
                for node in row:
                    places = [end.far_place for end in (node.after if back else node.before)]
                    node.weight = sum(places) / len(places) if places else node.place
                row.sort(key=lambda node: (node.weight, way * node.place))
                _place(row)

        best, self.worth = [list(row) for row in rows], _worth(rows)

        def keep_better() -> None:
            nonlocal best
            for row in free:
                if len(row) > 1:
                    _exchange(row)
            worth = _worth(rows)
            if worth < self.worth:
                best, self.worth = [list(row) for row in rows], worth

        starts, few = [best], sum(map(len, rows)) <= MOST_ORDERED_TWICE
        if few:
            starts.append([sorted(row, key=lambda node: node.is_bend) for row in rows])
            starts.append([sorted(row, key=lambda node: node.made) for row in rows])
        for start, sweep in itertools.product(starts, range(SWEEPS)):
            if not any(self.worth):
                break
            if sweep == 0:
                put(start)
            back = sweep % 2 == 1
            # Of those with one mean now these go first and now those: so an order is left that no exchange betters.
            sort(free[::-1] if back else free, back, -1 if sweep % 4 >= 2 else 1)
            keep_better()
        for k, row in enumerate(free if few else ()):
            put(best)
            for one, other in pairwise([node for node in row if node.is_ordered]):
                if one.made > other.made:
                    put(best)
                    row[one.place], row[other.place] = other, one
                    _place(row)
                    sort(free[k + 1 :], False)
                    sort(free[:k][::-1], True)
                    keep_better()
        put(best)
        self.rows = rows[1:-1]

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
                self._move(row, [self._wish(node, back, sweep >= SWEEPS) for node in row])
        # At last what is made goes below what it is made of, so that chains are straight; what is used, above its use.
        for row in self.rows:
            self._move(row, [(n.middle, FREE_WEIGHT) if n.is_loose else self._wish(n, False, False) for n in row])
        for row in reversed(self.rows):
            self._move(row, [self._wish(n, True, False) if n.is_loose else (n.middle, 1.0) for n in row])

    def _move(self, row: list[_Placed], wishes: list[tuple[float, float]]) -> None:
        for node, middle in zip(row, self._pool_violators(row, wishes), strict=True):
            node.middle = middle

    def _wish(self, node: _Placed, back: bool, both: bool) -> tuple[float, float]:
        """Where a node would stand, and how much that counts."""
        ends = [(end, "before") for end in node.before if both or not back]
        ends += [(end, "after") for end in node.after if both or back]
        total = weights = 0.0
        for end, side in ends:
            other, link = end.node, end.link
            if other.is_gate:
                continue
            far = self._meets(other, link, "after" if side == "before" else "before")
            shift = self._meets(node, link, side) - node.middle  # where on this node the edge begins
            # Bends of one edge line up, and pull little at its ends: a chain of boxes beside it stays straight.
            alike = not other.is_loose and node.is_bend == other.is_bend
            weight = (BEND_WEIGHT if node.is_bend else 1) if alike else LOOSE_WEIGHT
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
        return Arranged(*_point(width, bottoms[-1] if bottoms else 0.0), corners, ways, self.worth)

    def _way(self, link: Link, tops: Sequence[float], bottoms: Sequence[float]) -> list[Point]:
        points: list[Point] = []
        for node in self.chains[link.id]:
            top, bottom = tops[node.layer], bottoms[node.layer]
            if node.is_bend:
                points += _upright(node.middle, top, bottom)
            # Where a taller neighbour stands, an edge leaves the layer before it turns.
            elif node.id == link.target:
                points += _upright(self._end(node, link.id, "before"), top, (top + bottom - node.height) / 2)
            else:
                points += _upright(self._end(node, link.id, "after"), (top + bottom + node.height) / 2, bottom)
        return points

    def _end(self, node: _Placed, link: str, side: str) -> float:
        """Where an edge meets a node, from the left: those that come in are spread out, those that go out share one
        place.
        """
        meets = self._meets(node, link, side)
        if node.is_bend or side == "after" or self.port(node.id, link, side) is not None:
            return meets
        # All of them come from gates, or none does.
        ends = sorted(node.before, key=lambda end: end.node.place if end.node.is_gate else end.node.middle)
        links = [end.link for end in ends]
        spread = min(SPREAD * node.width, LANE * SPREAD_LANES * len(links))
        return meets + spread * ((links.index(link) + 1) / (len(links) + 1) - 0.5)


def _point(x: float, y: float) -> Point:
    return round(x, 2), round(y, 2)


def _upright(x: float, top: float, bottom: float) -> list[Point]:
    """The ends of a piece that goes straight down; one point, where they are the same."""
    return [_point(x, top), *([_point(x, bottom)] if bottom - top > 0.5 else [])]


def _place(row: list[_Placed]) -> None:
    for place, node in enumerate(row):
        node.place = place


def _worth(rows: Sequence[Sequence[_Placed]]) -> tuple[int, int]:
    """How many pairs of edges cross; and how many boxes stand against the order of making, but for what goes where its
    use is.
    """
    crossings = disorder = 0
    for row in rows:
        ends: list[float] = []
        for node in row:
            if len(node.after) == 1:  # nearly all
                ends.append(node.after[0].far_place)
            else:
                ends += [far for _, far in sorted((end.own, end.far_place) for end in node.after)]
        crossings += _inversions(ends)
        disorder += _inversions([node.made for node in row if node.is_ordered])
    return crossings, disorder


def _inversions(numbers: Sequence[float]) -> int:
    """How many pairs of numbers are not in order, counted while they are put into it."""
    count = 0
    ordered: list[float] = []
    for number in numbers:
        low = bisect_right(ordered, number)
        count += len(ordered) - low
        ordered.insert(low, number)
    return count


def _exchange(row: list[_Placed]) -> None:
    """Neighbours in a layer change places as long as fewer edges cross by that."""
    # Where their edges lead to: the layers beside this one stay as they are.
    ends = [[sorted(end.far_place for end in side) for side in (node.before, node.after)] for node in row]
    at = tries = 0
    while at + 1 < len(row) and tries < MOST_EXCHANGES * len(row):
        tries += 1
        one, other = ends[at : at + 2]
        if _crossings_of(one, other) <= _crossings_of(other, one):
            at += 1
            continue
        ends[at : at + 2] = other, one
        row[at : at + 2] = row[at + 1], row[at]
        at = max(at - 1, 0)
    _place(row)


def _crossings_of(one: list[list[float]], other: list[list[float]]) -> int:
    """How many edges of two neighbours in a layer cross, as long as one stands left of the other."""
    return sum(bisect_left(right, end) for left, right in zip(one, other, strict=True) for end in left)

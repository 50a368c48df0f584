"""Where boxes and edges go: a layered layout, after Sugiyama, Tagawa and Toda ("Methods for visual understanding of
hierarchical system structures", 1981).

Four steps, by the names that they have in the field:

1. Layer assignment: boxes get a layer by the longest path that leads to them; an edge that passes layers gets a bend
   (a dummy vertex) in each.
2. Crossing reduction by barycentre ordering: each layer is sorted by the mean place of its neighbours, to and fro.
3. Coordinate assignment: each box moves towards its neighbours. What a layer wishes for is met in least squares, with
   order and distance kept: an isotonic regression, which pool adjacent violators solves (Ayer, Brunk, Ewing, Reid and
   Silverman, "An empirical distribution function for sampling with incomplete information", 1955).
4. Bands, which are our own: what is too long for its room is cut into pieces that stand beside each other, as the
   columns of a newspaper do.

Layers follow each other from left to right or from top to bottom.

Written twice, here for still pictures and in static/layered.mjs for the page, where modules open and close; a test
holds the two together. Places are counted along the flow and across it, so that one text does both directions.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from minigrad.viz.picture.measures import (
    ARROWS,
    BEND_WEIGHT,
    BESIDE,
    BETTER,
    CROWDED,
    ENTRY,
    FREE_WEIGHT,
    GAP,
    GUTTER,
    LANE,
    LOOSE_WEIGHT,
    MOST_BANDS,
    NUMBERS_SEEN,
    PASSED,
    READABLE,
    SPREAD,
    SPREAD_LANES,
    SWEEPS,
    THREAD,
)

Point = tuple[float, float]
Stop = tuple[float, float, bool]  # a point of an edge's way: x, y, and whether the way turns there at a right angle
Port = Callable[[str, str, str], float | None]


@dataclass(frozen=True)
class Item:
    """A box to place, and its size in pixels."""

    id: str
    width: float
    height: float


@dataclass(frozen=True)
class Link:
    """An edge. It comes in from before the first layer where `source` is "", and goes out behind the last where
    `target` is; `flow` is how many pixels wide that is which flows along it.
    """

    id: str
    source: str
    target: str
    flow: float = 0


@dataclass(frozen=True)
class Room:
    """The pixels in which a picture is to stand, and its direction."""

    width: float
    height: float
    down: bool

    def scale(self, width: float, height: float) -> float:
        """How large something of a size can be shown here, at most as it is."""
        return min(1.0, self.width / max(width, 1), self.height / max(height, 1))

    def worth(self, whole: Arranged, inner: Iterable[Arranged] = ()) -> float:
        """How good an arrangement is here: the scale at which it fits, more if numbers can be read at that, less for
        each band beyond the first, and less for each edge that has to be followed from band to band. These count in
        the whole and in the open groups in it.
        """
        costs = math.prod(BETTER ** (one.bands - 1) * CROWDED**one.lanes for one in (whole, *inner))
        scale = self.scale(whole.width, whole.height)
        return scale * (NUMBERS_SEEN if scale >= READABLE else 1) / costs

    def within(self, width: float, height: float, part: float) -> Room:
        """What is left of it inside a frame that takes some, and of that a part along the flow."""
        width, height = max(self.width - width, 1), max(self.height - height, 1)
        return Room(width * (1 if self.down else part), height * (part if self.down else 1), self.down)


@dataclass(frozen=True)
class Arranged:
    """Upper left corners of the items, and the way of each edge."""

    width: float
    height: float
    bands: int
    lanes: int  # edges that go from band to band, beyond one for each cut
    corners: dict[str, Point]
    ways: dict[str, list[Stop]]


@dataclass(eq=False)
class _Placed:
    """An item, or the bend of an edge in a layer. `middle` is across the flow."""

    id: str
    long: float = 0
    wide: float = 0
    layer: int = 0
    place: int = 0
    middle: float = 0
    weight: float = 0
    before: list[tuple[_Placed, str]] = field(default_factory=list)
    after: list[tuple[_Placed, str]] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)  # edges that come in from before the first layer

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


def arrange(items: Sequence[Item], links: Sequence[Link], room: Room, port: Port = no_port) -> Arranged:
    """Place items in layers.

    Args:
        items: in the order in which they were made.
        links: without cycles.
        port: of an item, a link and "before" or "after", how far from the item's edge, across the flow, the link meets
            that side; None for no wish.
    """
    layers = _layers(items, links)
    best: Arranged | None = None
    for count in range(1, min(MOST_BANDS, max(len(layers) // 2, 1)) + 1):
        placed = _Bands(items, links, layers, count, room.down, port).arrange()
        if best is not None and room.worth(placed) <= room.worth(best):
            break
        best = placed
        if room.scale(best.width, best.height) == 1:
            break
    assert best is not None  # a first band is always tried
    return best


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


class _Bands:
    """Layers cut into bands, and what stands where in them."""

    def __init__(
        self, items: Sequence[Item], links: Sequence[Link], layers: list[list[str]], count: int, down: bool, port: Port
    ) -> None:
        self.down = down
        self.port = port
        self.links = links
        self.used, self.sources = {link.target for link in links} - {""}, {link.source for link in links if link.target}
        sizes = {item.id: (item.height, item.width) if down else (item.width, item.height) for item in items}
        self.nodes = {item.id: _Placed(item.id, *sizes[item.id]) for item in items}
        self.rows = [[self.nodes[key] for key in row] for row in layers]
        self._number()
        self.firsts = [0, *self._cuts(count)]  # the first layer of each band
        self._keep_weights_beside_their_use()
        self.band_of = [sum(first <= layer for first in self.firsts) - 1 for layer in range(len(self.rows))]
        self.chains: dict[str, list[_Placed]] = {}
        for link in links:
            self._chain(link)
        self._surround()
        self._order()
        self._settle()

    def _number(self) -> None:
        for number, row in enumerate(self.rows):
            for node in row:
                node.layer = number

    # -- bands

    def _cuts(self, count: int) -> list[int]:
        """Where to cut the layers into bands of nearly one length, where few edges pass."""
        lengths = (max((node.long for node in row), default=0) + GAP[self.down] for row in self.rows)
        ends = list(accumulate(lengths, initial=0.0))
        passing = [0] * (len(self.rows) + 1)
        for link in self.links:
            if link.source in self.used and link.target:
                for layer in range(self.nodes[link.source].layer + 1, self.nodes[link.target].layer + 1):
                    passing[layer] += 1
        cuts: list[int] = []
        for number in range(1, count):
            ideal, least = ends[-1] * number / count, (cuts[-1] if cuts else 0) + 1
            choices = range(least, len(self.rows) - (count - number) + 1)
            added = {
                cut: max((node.long + GAP[self.down] for node in self._nodes_to_move(cut)), default=0)
                for cut in choices
            }
            costs = {cut: abs(ends[cut] - ideal) + LANE * PASSED * passing[cut] + added[cut] for cut in choices}
            cuts.append(min(costs, key=costs.__getitem__))
        return cuts

    def _nodes_to_move(self, cut: int) -> list[_Placed]:
        """What stands before a cut and is used first behind it, where it takes a layer of its own."""
        moved = [node for node in self.rows[cut - 1] if node.id not in self.used and node.id in self.sources]
        return moved if len(moved) < len(self.rows[cut - 1]) else []

    def _keep_weights_beside_their_use(self) -> None:
        """What is used first behind a cut goes with its use, into a layer of its own."""
        for number in range(1, len(self.firsts)):
            cut = self.firsts[number]
            if not (moved := self._nodes_to_move(cut)):
                continue
            self.rows[cut - 1] = [node for node in self.rows[cut - 1] if node not in moved]
            self.rows.insert(cut, moved)
            self.firsts = [first + (place > number) for place, first in enumerate(self.firsts)]
            self._number()

    # -- edges

    def _chain(self, link: Link) -> None:
        """Put a bend into each layer that an edge passes."""
        source, target = self.nodes.get(link.source), self.nodes.get(link.target)
        if target is None:
            assert source is not None
            first, last = source.layer + 1, self._end_of_band(source.layer)
        elif source is None:
            first, last = self.firsts[self.band_of[target.layer]], target.layer - 1
        else:
            first, last = source.layer + 1, target.layer - 1
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

    def _end_of_band(self, layer: int) -> int:
        later = [first for first in self.firsts if first > layer]
        return (later[0] if later else len(self.rows)) - 1

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

    # -- places across the flow

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
            if self.band_of[end.layer] != self.band_of[node.layer]:
                continue
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
        lean = ENTRY * node.wide if self.down else 0.0
        return node.middle + (lean if wish is None else wish - node.wide / 2)

    def _apart(self, one: _Placed, other: _Placed) -> float:
        """How far apart the middles of two neighbours in a layer have to be."""
        return (one.wide + other.wide) / 2 + (THREAD if one.is_bend or other.is_bend else BESIDE[self.down])

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
        flows = self._flows()
        starts, ends, lengths = [0.0] * len(self.rows), [0.0] * len(self.rows), []
        bands = [range(first, self._end_of_band(first) + 1) for first in self.firsts]
        crossing = self._crossing()
        head = LANE * max(len(lanes) for lanes in crossing) + (GUTTER / 2 if len(bands) > 1 else 0)
        for band in bands:
            along = float(head)
            for layer in band:
                starts[layer] = along
                ends[layer] = along + max((node.long for node in self.rows[layer]), default=0)
                along = ends[layer] + flows[layer]
            lengths.append(ends[band[-1]])
        side = 0.0  # of the band, across the flow
        gutters = []
        for number, band in enumerate(bands):
            nodes = [node for layer in band for node in self.rows[layer]]
            least = min((node.middle - node.wide / 2 for node in nodes), default=0)
            most = max((node.middle + node.wide / 2 for node in nodes), default=0)
            for node in nodes:
                node.middle += side - least
            side += most - least
            gutters.append(side + GUTTER / 2)
            if number < len(bands) - 1:
                side += GUTTER + LANE * len(crossing[number])
        length = max(lengths, default=0)
        corners: dict[str, Point] = {}
        ways: dict[str, list[Stop]] = {}
        for node in self.nodes.values():
            middle = (starts[node.layer] + ends[node.layer]) / 2
            corners[node.id] = self._point(middle - node.long / 2, node.middle - node.wide / 2)
        targets = {link.id: link.target for link in self.links}
        for link, chain in self.chains.items():
            points: list[Stop] = []
            for position, node in enumerate(chain):
                before = chain[position - 1] if position else None
                if before is not None and self.band_of[before.layer] != self.band_of[node.layer]:
                    number = self.band_of[before.layer]
                    lane = LANE * crossing[number].index((link, before))
                    turn = lengths[number] + GUTTER / 2 + lane, head - GUTTER / 2 - lane
                    across = points[-1][0 if self.down else 1], self._end(node, link, "before")
                    corner = gutters[number] + lane
                    turns = (turn[0], across[0]), (turn[0], corner), (turn[1], corner), (turn[1], across[1])
                    points += [(*self._point(*place), True) for place in turns]
                start, end = starts[node.layer], ends[node.layer]
                if node.is_bend:
                    places = [(along, node.middle) for along in dict.fromkeys((start, end))]
                else:
                    met, way = ("before", -1) if node.id == targets[link] else ("after", 1)
                    places = [((start + end + way * node.long) / 2, self._end(node, link, met))]
                points += [(*self._point(*place), False) for place in places]
            ways[link] = points
        tail = head if len(bands) > 1 else 0
        width, height = self._point(length + tail, side)
        lanes = sum(max(len(crossing[number]) - 1, 0) for number in range(len(bands)))
        return Arranged(width, height, len(bands), lanes, corners, ways)

    def _flows(self) -> list[float]:
        """The room behind each layer: for what flows along the edges that end in the next one."""
        gaps = [float(GAP[self.down])] * len(self.rows)
        for link in self.links:
            source = self.nodes.get(link.source)
            if not self.down and source is not None and len(self.chains[link.id]) == 2:
                gaps[source.layer] = max(gaps[source.layer], link.flow + ARROWS)
        return gaps

    def _crossing(self) -> list[list[tuple[str, _Placed]]]:
        """For each band the edges that go on in the next, with the node that they leave last: the nearest to the end
        of the flow's side goes innermost.
        """
        found: list[list[tuple[str, _Placed]]] = [[] for _ in self.firsts]
        for link, chain in self.chains.items():
            for one, other in pairwise(chain):
                if self.band_of[one.layer] != self.band_of[other.layer]:
                    found[self.band_of[one.layer]].append((link, one))
        for lanes in found:
            lanes.sort(key=lambda lane: -lane[1].middle)
        return found

    def _end(self, node: _Placed, link: str, side: str) -> float:
        """Where across the flow an edge meets a node: those that come in are spread out, those that go out share one
        place.
        """
        meets = self._meets(node, link, side)
        if node.is_bend or side == "after" or self.port(node.id, link, side) is not None:
            return meets
        ends = sorted(node.before, key=lambda end: (self.band_of[end[0].layer], end[0].middle))
        links = [*node.outside, *(key for _, key in ends)]
        spread = SPREAD[self.down] * node.wide
        if self.down:
            spread = min(spread, LANE * SPREAD_LANES * len(links))
        return meets + spread * ((links.index(link) + 1) / (len(links) + 1) - 0.5)

    def _point(self, along: float, across: float) -> Point:
        point = (across, along) if self.down else (along, across)
        return (round(point[0], 2), round(point[1], 2))


def _place(row: list[_Placed]) -> None:
    for place, node in enumerate(row):
        node.place = place

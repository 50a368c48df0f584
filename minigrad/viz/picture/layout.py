"""The places of a whole picture: boxes in groups, groups in groups, and the edges through all of them.

Each open group is laid out by itself (layered.py) and then stands in the one around it as a box of its size, from the
innermost to the outermost. In the page static/layout.mjs does the same, where groups open and close.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from minigrad.viz.graph.boxes import Edge
from minigrad.viz.graph.calls import RECORDED
from minigrad.viz.graph.groups import Group
from minigrad.viz.picture.layered import Arranged, Item, Link, Point, arrange, no_place
from minigrad.viz.picture.measures import (
    AROUND,
    CLOSE,
    CLOSED_HEIGHT,
    CLOSED_LEAST,
    CLOSED_MOST,
    CLOSED_ROOM,
    FOOT,
    GROWTH_COST,
    HEAD,
    MARGIN,
    MONO_WIDTH,
    MOST_GROWN,
    MOST_PLACED_AGAIN,
    MOST_STRANDS,
    NAME_LETTER,
    THREAD,
    TITLE_MOST,
    TITLE_ROOM,
    TURN,
)

WHOLE = ""  # the id of what is around everything

BoxSize = tuple[float, float]
BoxSizes = Mapping[str, BoxSize]
Shown = Collection[str]


@dataclass(frozen=True)
class GroupFrame:
    """Where a group stands, and how far from its left edge its title does."""

    x: float
    y: float
    width: float
    height: float
    is_open: bool
    title: float = 0


@dataclass(frozen=True)
class Wire:
    """An edge as it is seen. Where one of its ends is a closed group, or edges between two boxes are too many to be
    drawn, it stands for all those between the same two.
    """

    id: str
    source: str
    target: str
    members: tuple[str, ...]
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Layout:
    """Upper left corners of the boxes that are seen, frames of the groups, outer ones first, and the edges."""

    width: float
    height: float
    corners: dict[str, Point]
    frames: dict[str, GroupFrame]
    wires: tuple[Wire, ...]


def lay_out(sizes: BoxSizes, edges: Sequence[Edge], groups: Sequence[Group] = (), shown: Shown = ()) -> Layout:
    """Place everything.

    Args:
        sizes: box id -> width and height in pixels, in the order in which the boxes were made.
        groups: outer ones first.
        shown: the ids of those that are open.
    """
    return _Nest(sizes, edges, groups, shown).layout()


def closed_size(group: Group) -> BoxSize:
    """A closed group has room for its name and its kind, as far as there is any."""
    return min(max(CLOSED_LEAST, words_width(group) + CLOSED_ROOM), CLOSED_MOST), CLOSED_HEIGHT


def words_width(group: Group) -> float:
    """What a group's name and kind take beside each other."""
    return round(min(len(group.name) * NAME_LETTER + len(kind_beside(group)) * MONO_WIDTH, TITLE_MOST))


def kind_beside(group: Group) -> str:
    """A group's kind, where its name does not say it."""
    return "" if group.kind == RECORDED or group.kind in group.name else group.kind


@dataclass(frozen=True)
class _FrameSize:
    """The size of an open group, how far from its left edge its boxes and its title stand, and how far down its boxes.

    `entries`: link -> how far from the left it comes in, where it turns aside for the title.
    """

    width: float
    height: float
    inset: float
    title: float
    head: float = HEAD
    entries: Mapping[str, float] = field(default_factory=dict)


class _Nest:
    """Who lies in whom, and which edges are seen."""

    def __init__(self, sizes: BoxSizes, edges: Sequence[Edge], groups: Sequence[Group], shown: Shown) -> None:
        self.sizes = sizes
        self.groups = {group.id: group for group in groups}
        self.open = {key for key in self.groups if key in shown}
        self.closed = {WHOLE: ""}  # the outermost closed group of a group and those around it
        for group in groups:
            self.closed[group.id] = self.closed[group.parent or WHOLE] or ("" if group.id in self.open else group.id)
        self.home = dict.fromkeys(sizes, WHOLE) | {box: group.id for group in groups for box in group.boxes}
        self.home |= {group.id: group.parent or WHOLE for group in groups}
        self.order = {box: number for number, box in enumerate(sizes)}
        for box, number in list(self.order.items()):  # a group stands where its first box was made
            for outer in self.around(box):
                self.order[outer] = min(number, self.order.get(outer, number))
        self.members: dict[tuple[str, str, int], list[str]] = {}  # the ends, and which of the edges between two boxes
        between: dict[tuple[str, str], list[Edge]] = {}
        for edge in edges:
            ends = self.shown_for(edge.source), self.shown_for(edge.target)
            if ends[0] != ends[1]:
                between.setdefault(ends, []).append(edge)
        for ends, several in between.items():
            is_apart = len(several) <= MOST_STRANDS and not self.groups.keys() & ends
            for number, edge in enumerate(several):
                self.members.setdefault((*ends, number if is_apart else 0), []).append(edge.id)

    def around(self, key: str) -> list[str]:
        """From a box or group outwards, up to the whole."""
        path = []
        at = self.home[key]
        while at:
            path.append(at)
            at = self.home[at]
        return [*path, WHOLE]

    def shown_for(self, key: str) -> str:
        """What stands for a box: itself, or the outermost closed group around it."""
        return self.closed[self.home[key]] or key

    def layout(self) -> Layout:
        """With open groups it is laid out twice: then it is known where edges come from and go to beyond the group in
        which they lie in part, and their order in the group follows that; and once more, since groups have moved by
        that. What is in a group, too, says at first where edges meet it, or does not. What is better stays.
        """
        if not self.open:
            return self._place_all(no_place).layout
        one = self._best_placed(False)
        other = self._best_placed(True) if any(one.worth) else one
        return min(one, other, key=lambda gathered: gathered.worth).layout

    def _best_placed(self, is_free: bool) -> _Gathered:
        second = self._placed_again(self._place_all(no_place, is_free))
        if not any(second.worth) or len(self.members) > MOST_PLACED_AGAIN:
            return second
        return min(second, self._placed_again(second), key=lambda gathered: gathered.worth)

    def _placed_again(self, before: _Gathered) -> _Gathered:
        """As it is placed where it is known how it was placed before."""
        ways = {wire.id: wire.points for wire in before.layout.wires}

        def beyond(group: str, link: str, side: str) -> float | None:
            way, (start, end) = ways[link], before.parts[group, link]
            at, onward = (way[start], way[:start][::-1]) if side == "before" else (way[end], way[end + 1 :])
            return next((x for x, _ in onward if abs(x - at[0]) > 1), at[0])

        return self._place_all(beyond)

    def _place_all(self, beyond: Callable[[str, str, str], float | None], is_free: bool = False) -> _Gathered:
        inside = self._inside()
        laid: dict[str, Arranged] = {}
        sizes = dict(self.sizes)
        opened: dict[str, _FrameSize] = {}

        def port(item: str, link: str, side: str) -> float | None:
            way = laid[item].ways.get(link) if item in laid else None
            if way is None:
                return None
            if side == "before" and link in opened[item].entries:
                return opened[item].entries[link]
            return way[0 if side == "before" else -1][0] + opened[item].inset

        for key in [*reversed(self.groups), WHOLE]:
            if key not in inside:
                sizes[key] = closed_size(self.groups[key])
                continue
            items = [Item(item, *sizes[item]) for item in inside[key][0]]
            laid[key] = arrange(items, inside[key][1], port, functools.partial(beyond, key), is_free)
            if key:
                opened[key] = self._frame_size(self.groups[key], inside[key][1], laid[key])
                sizes[key] = opened[key].width, opened[key].height
        return self._gather(laid, sizes, opened)

    def _frame_size(self, group: Group, links: Sequence[Link], whole: Arranged) -> _FrameSize:
        """No edge that comes in may run through the title: it stands where there is room. Else the frame grows a little
        on one side, or, where that is not enough, edges come in beside the title and turn below it.
        """
        words = words_width(group) + TITLE_ROOM
        around, foot = (CLOSE, CLOSE) if len(whole.corners) == 1 else (AROUND, FOOT)
        width, height = max(whole.width + 2 * around, words), whole.height + HEAD + foot
        inset = (width - whole.width) / 2
        entries = {link.id: whole.ways[link.id][0][0] + inset for link in links if not link.source}
        into = sorted(set(entries.values()))
        for edge, following in pairwise([0.0, *into, width]):
            if following - edge >= words:
                return _FrameSize(width, height, inset, edge)
        left, right = words - into[0], words - (width - into[-1])  # by how much it grows there
        if min(left, right) > MOST_GROWN:
            title, lanes, shift, wider = min(_titles_among(into, words, width), key=lambda place: _cost(into, *place))
            moved = dict(zip(into, lanes, strict=True))
            turned = {link: moved[x] + shift for link, x in entries.items()}
            return _FrameSize(width + wider, height + TURN, inset + shift, title + shift, HEAD + TURN, turned)
        if left < right:
            return _FrameSize(width + left, height, inset + left, 0.0)
        return _FrameSize(width + right, height, inset, into[-1])

    def _inside(self) -> dict[str, tuple[list[str], list[Link]]]:
        """What lies directly in the whole and in each open group that is seen, and the pieces of edges."""
        seen = [key for key in self.groups if all(not group or group in self.open for group in self.around(key))]
        inside: dict[str, Any] = {key: ([], []) for key in [WHOLE, *seen] if not key or key in self.open}
        things = [box for box in self.sizes if self.shown_for(box) == box]
        for key in sorted([*things, *seen], key=self.order.__getitem__):
            inside[self.around(key)[0]][0].append(key)
        for source, target, number in self.members:
            name = _wire_name(source, target, number)
            out, into, common = self._way(source, target)
            at = source
            for group in out:
                inside[group][1].append(Link(name, at, "", source))
                at = group
            end = target
            for group in into:
                inside[group][1].append(Link(name, "", end, source))
                end = group
            inside[common][1].append(Link(name, at, end, source))
        return inside

    def _way(self, source: str, target: str) -> tuple[list[str], list[str], str]:
        """The groups that an edge leaves, those that it enters (the innermost first), and the one around both."""
        out, into = self.around(source), self.around(target)
        common = next(group for group in out if group in into)
        return out[: out.index(common)], into[: into.index(common)], common

    def _gather(self, laid: Mapping[str, Arranged], sizes: BoxSizes, opened: Mapping[str, _FrameSize]) -> _Gathered:
        origins: dict[str, Point] = {WHOLE: (MARGIN, MARGIN)}
        corners: dict[str, Point] = {}
        frames: dict[str, GroupFrame] = {}
        for key in [WHOLE, *self.groups]:
            for item, (x, y) in laid[key].corners.items() if key in origins else ():
                corner = origins[key][0] + x, origins[key][1] + y
                if item not in self.groups:
                    corners[item] = corner
                    continue
                if item not in laid:
                    frames[item] = GroupFrame(*corner, *sizes[item], False)
                    continue
                frames[item] = GroupFrame(*corner, *sizes[item], True, opened[item].title)
                origins[item] = corner[0] + opened[item].inset, corner[1] + opened[item].head
        wires = []
        parts: dict[tuple[str, str], tuple[int, int]] = {}
        for (source, target, number), members in self.members.items():
            name = _wire_name(source, target, number)
            out, into, common = self._way(source, target)
            points: list[Point] = []
            for group in [*out, common, *reversed(into)]:
                x, y = origins[group]
                part = laid[group].ways[name]
                if group in into and name in opened[group].entries:
                    frame = frames[group]
                    beside = frame.x + opened[group].entries[name]
                    part = [(beside - x, frame.y - y), (beside - x, frame.y + HEAD - y), *part]
                parts[group, name] = len(points), len(points) + len(part) - 1
                points += [(x + point[0], y + point[1]) for point in part]
            wires.append(Wire(name, source, target, tuple(members), tuple(points)))
        whole = laid[WHOLE]
        size = whole.width + 2 * MARGIN, whole.height + 2 * MARGIN
        worth = [sum(column) for column in zip(*(one.worth for one in laid.values()), strict=True)]
        return _Gathered(Layout(*size, corners, frames, tuple(wires)), parts, worth)


def _wire_name(source: str, target: str, number: int) -> str:
    return f"{source}>{target}" + (f" {number}" if number else "")


def _titles_among(
    into: Sequence[float], words: float, width: float
) -> Iterator[tuple[float, list[float], float, float]]:
    """Where a title may stand among edges that come in, and where these have to come in for that; how far the frame
    grows to the left for it, and in all.
    """
    places: list[tuple[float, list[float]]] = []
    for count, following in enumerate([*into, width]):
        before, after = into[:count], into[count:]
        start, end = before[-1] if before else 0.0, following - words
        places.append((start, [*before, *(max(x, start + words + number * THREAD) for number, x in enumerate(after))]))
        lanes = [min(x, end - number * THREAD) for number, x in enumerate(reversed(before))]
        places.append((end, [*reversed(lanes), *after]))
    for start, lanes in places:
        left = max(0.0, -start, AROUND - lanes[0])
        yield start, lanes, left, left + max(0.0, start + words - width, lanes[-1] + AROUND - width)


def _cost(into: Sequence[float], title: float, lanes: Sequence[float], left: float, wider: float) -> float:
    """By how far edges move aside for a title; that a frame grows costs more."""
    return GROWTH_COST * wider + sum(abs(lane - x) for lane, x in zip(lanes, into, strict=True))


@dataclass(frozen=True)
class _Gathered:
    """A layout, of each edge where in its way the part in a group begins and ends, and what all of it is worth."""

    layout: Layout
    parts: dict[tuple[str, str], tuple[int, int]]
    worth: list[int]

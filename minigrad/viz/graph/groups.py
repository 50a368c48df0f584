"""Groups of boxes: calls of modules and functions, loops and their rounds, the graphs of gradients, and stretches.

So a network of thousands of nodes becomes a picture of a few boxes. A small graph has groups for its modules only, and
they are open. A larger one is folded (`folding`): what is shown at first are at most about forty boxes, and each group
opens into a dozen at most. Closing groups can never make a circle: see there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.calls import INPUTS, MODULE, Scope
from minigrad.viz.graph.folding import fold, parts_of, scopes_of, without_calls
from minigrad.viz.graph.titles import Titles

DEEPEST = 5  # groups in groups that are open at first
UNFOLDED = 60  # boxes: a picture with more of them is folded
MANY_BOXES = 40  # boxes that are seen of such a one at first, at most,
FEW, LEAST_OWN = 80, 0.62  # but of a graph with so few in all that share of the nodes, at least


@dataclass
class Group:
    """A part of a graph that closes to one box. `boxes` lie in it directly, `count` is how many nodes lie in it
    altogether. `kind` is the class of a module, else what sort of part it is; `path` are the modules in which it lies,
    and `is_module` tells whether it is one itself.
    """

    id: str
    name: str
    path: str
    kind: str
    parent: str | None
    boxes: list[str] = field(default_factory=list)
    count: int = 0
    is_module: bool = False

    @property
    def about(self) -> str:
        """All that it is, for a tip: a module is known by its path, what else there is by its name."""
        return f"{self.path if self.is_module else self.name}: {self.kind}, {self.count} nodes"


def groups_of(graph: Snapshot, names: Mapping[int, str]) -> tuple[Group, ...]:
    """The groups of a graph, outer ones first; `names` maps the `id()` of a module to the learner's name for it."""
    whole, titles = scopes_of(graph), Titles(graph, names)
    if len(graph.boxes) > UNFOLDED:
        fold(whole, titles, graph)
    else:
        without_calls(whole)
    groups: dict[int, Group] = {}
    for number, scope in enumerate(list(parts_of(whole))[1:]):
        parent = groups.get(id(scope.parent))
        boxes = [item for item in scope.inside if not isinstance(item, Scope)]
        about = titles.of(scope), titles.path(scope), titles.kind(scope), parent.id if parent else None
        groups[id(scope)] = Group(f"g{number}", *about, boxes, len(boxes), scope.kind == MODULE)
    for scope in reversed(list(parts_of(whole))[1:]):
        if id(scope.parent) in groups:
            groups[id(scope.parent)].count += groups[id(scope)].count
    return tuple(groups.values())


def open_at_first(graph: Snapshot, groups: tuple[Group, ...]) -> list[str]:
    """Which groups begin open: all of a small graph. Of a larger one the largest, from the outside, and then, as long
    as there is room, those in which backward begins; of one that is not much larger, until most steps have a box.

    Of several alike (calls of one function, rounds of a loop) all are opened or the last, with which backward begins.
    """
    if len(graph.boxes) <= UNFOLDED:
        return [group.id for group in groups]
    opening = _Opening(graph, groups)
    level = opening.closed_in(None)
    for _ in range(DEEPEST):
        alike: dict[tuple[str | None, str], list[Group]] = {}
        for group in reversed(level):
            alike.setdefault((group.parent, group.kind), []).insert(0, group)
        opened: list[Group] = []
        if opening.has_room(level):
            opened += opening.open(level)
        else:
            for like in sorted(alike.values(), key=opening.turn):
                few = next((few for few in (like, like[-1:]) if opening.has_room(few)), [])
                if len(like) > 2 or like[0].id in opening.inside:
                    opened += opening.open(few)
        level = [inner for group in opened for inner in opening.closed_in(group)]
    opening.open_from_the_end(MANY_BOXES, math.inf)
    if len(graph.boxes) <= FEW:
        opening.open_from_the_end(FEW, LEAST_OWN)
    return [group.id for group in groups if group.id in opening.opened]


class _Opening:
    """Which groups of a folded graph are open, and how much is seen."""

    def __init__(self, graph: Snapshot, groups: tuple[Group, ...]) -> None:
        self.graph = graph
        self.opened: set[str] = set()
        self.places: dict[str | None, int] = {group.id: number for number, group in enumerate(groups)}
        self.inside: dict[str | None, list[Group]] = {}
        for group in groups:
            self.inside.setdefault(group.parent, []).append(group)
        homes = {box for group in groups for box in group.boxes}
        self.own = [box.id for box in graph.boxes if box.id not in homes]  # boxes that are seen
        self.seen = len(self.own) + len(self.inside.get(None, ()))  # and closed groups

    def closed_in(self, outer: Group | None) -> list[Group]:
        """The groups in another that may be opened: weights and constants stay closed."""
        return [group for group in self.inside.get(None if outer is None else outer.id, ()) if group.kind != INPUTS]

    def shows(self, group: Group) -> int:
        """How much more is seen where a group is open."""
        return len(group.boxes) + len(self.inside.get(group.id, ())) - 1

    def has_room(self, some: list[Group]) -> bool:
        """Whether some groups can be opened without too much being seen."""
        return self.seen + sum(map(self.shows, some)) <= MANY_BOXES

    def turn(self, like: list[Group]) -> tuple[int, int]:
        """When some groups of one part have their turn: those of the part in which backward begins first, and of a part
        the largest.
        """
        return -self.places.get(like[0].parent, 0), -max(group.count for group in like)

    def open(self, some: list[Group]) -> list[Group]:
        """Open some groups. Returns them."""
        for group in some:
            self.opened.add(group.id)
            self.own += group.boxes
            self.seen += self.shows(group)
        return some

    def open_from_the_end(self, most: int, share: float) -> None:
        """Open groups, beginning with what runs first, of which there is room as long as `most` are seen; until that
        share of the nodes has a box.
        """
        nodes = {box.id for box in self.graph.boxes if box.kind != "constant"}
        stack = list(self.inside.get(None, ()))
        while stack:
            group = stack.pop()
            is_closed = group.id not in self.opened and (group.kind != INPUTS or share < math.inf)
            if is_closed and self.seen + self.shows(group) <= most and len(nodes & {*self.own}) < share * len(nodes):
                self.open([group])
            if group.id in self.opened:
                stack += self.inside.get(group.id, ())


def notice(graph: Snapshot, groups: tuple[Group, ...], shown: list[str]) -> str:
    """What is said beside a picture in which something is closed; "" where nothing is."""
    return f"{len(graph.boxes)} boxes; a click opens a closed part" if len(shown) < len(groups) else ""

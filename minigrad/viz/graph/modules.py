"""Groups of boxes: the calls of `nn.Module`s, the graphs of gradients beside them, and stretches of a long graph.

So a network of a thousand nodes becomes a picture of ten boxes. While a node is made, the observer notes which modules'
calls are under way (`records.py`). Nodes are looked at in the order in which they were made; an unbroken run of them
inside one call is a group, and groups lie in groups as calls lie in calls. Because each group is such a run, and a run
of a topological order never leads out of itself and back, closing groups can never make a circle; nor can closing the
graph of a gradient, of which the first graph uses nothing. What is called twice (one ReLU used in two places) is two
groups.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from minigrad.viz.graph import values
from minigrad.viz.graph.boxes import GENERATIONS, Box, Edge, Snapshot

MANY = 150  # boxes: a picture with more of them begins closed, and says so
SEEN = 24  # boxes that are seen at the beginning, at most: groups are opened level by level while there are fewer
WIDEST = 24  # boxes and groups beside each other, beyond which a graph without modules is divided into stretches
STRETCH = "stretch of the code"
RECORDED = "create_graph"


@dataclass
class Group:
    """One call of a module. `boxes` lie in it directly, `count` is how many nodes lie in it altogether."""

    id: str
    name: str
    path: str
    kind: str
    parent: str | None
    boxes: list[str] = field(default_factory=list)
    count: int = 0


def groups_of(graph: Snapshot, names: Mapping[int, str], divided: bool = False) -> tuple[Group, ...]:
    """The groups of a graph, outer ones first.

    Args:
        names: the `id()` of a module -> the learner's name for it.
        divided: divide what lies outside all modules even if the graph is small.
    """
    found = _Calls(names)
    for box in graph.boxes:
        if box.kind == "result":
            found.add(box.id, graph.calls.get(box.id, ()))
    found.place_inputs(graph)
    if divided or len(graph.boxes) > MANY:
        found.divide(graph, 2 if divided else WIDEST)
    found.gather_gradients(graph)
    return found.groups(graph)


class _Calls:
    """Groups while they are being found."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self.names = names
        self.now: list[tuple[Any, str]] = []  # the calls that are under way: module, group
        self.all: dict[str, Group] = {}
        self.calls: Counter[tuple[str | None, int]] = Counter()
        self.home: dict[str, str | None] = {}  # box -> the group in which it lies directly

    def _new(self, name: str, kind: str, parent: str | None = None) -> str:
        key = f"g{len(self.all)}"
        self.all[key] = Group(key, name, f"{self.all[parent].path}.{name}" if parent else name, kind, parent)
        return key

    def add(self, box: str, modules: tuple[Any, ...]) -> None:
        """The next node, and the calls in which it was made, the outermost first."""
        same = 0
        while same < min(len(modules), len(self.now)) and self.now[same][0] is modules[same]:
            same += 1
        del self.now[same:]
        for module in modules[same:]:
            self.now.append((module, self._open(module)))
        self.home[box] = self.now[-1][1] if self.now else None

    def _open(self, module: Any) -> str:
        outer, parent = self.now[-1] if self.now else (None, None)
        kind = type(module).__name__
        name = next((path for path, inner in outer.named_modules() if inner is module and path), "") if outer else ""
        name = name or self.names.get(id(module), "") or kind
        self.calls[parent, id(module)] += 1
        times = self.calls[parent, id(module)]
        return self._new(f"{name} (call {times})" if times > 1 else name, kind, parent)

    def place_inputs(self, graph: Snapshot) -> None:
        """A leaf or constant lies in the innermost group that holds all its uses."""
        uses: dict[str, list[str]] = {}
        for edge in graph.edges:
            uses.setdefault(edge.source, []).append(edge.target)
        for box in graph.boxes:
            if box.kind != "result":
                around = shared_start([self._path(self.home.get(user)) for user in uses.get(box.id, ())])
                self.home[box.id] = around[-1] if around else None

    def _path(self, home: str | None) -> list[str]:
        """From the outermost group to this one."""
        path: list[str] = []
        while home is not None:
            path.append(home)
            home = self.all[home].parent
        return path[::-1]

    def divide(self, graph: Snapshot, most: int) -> None:
        """Where too much lies beside each other outside all modules, put runs of it into groups."""
        ordered = [box.id for box in graph.boxes if box.kind == "result"]
        tops = dict.fromkeys(self._path(self.home[box])[0] if self.home[box] else box for box in ordered)
        if len(tops) <= most:
            return
        size = -(-len(tops) // max(2, min(WIDEST, round(len(tops) ** 0.5))))
        keys = list(tops)
        for start in range(0, len(keys), size):
            run = keys[start : start + size]
            first, last = ((self.all.get(key) or graph.by_id[key]).name for key in (run[0], run[-1]))
            group = self._new(f"{first} … {last}" if len(run) > 1 else first, STRETCH)
            for key in run:
                if key in self.all:
                    self.all[key].parent = group
                else:
                    self.home[key] = group
        self.place_inputs(graph)

    def gather_gradients(self, graph: Snapshot) -> None:
        """Beside groups, what a recorded backward has made is a group, too: one for each generation."""
        for number in sorted({box.graph for box in graph.boxes if box.graph > 1}):
            group = self._new(GENERATIONS.get(number, f"graph {number}"), RECORDED)
            for box in graph.boxes:
                if box.graph == number and self.home[box.id] is None:
                    self.home[box.id] = group

    def groups(self, graph: Snapshot) -> tuple[Group, ...]:
        for box in graph.boxes:
            path = self._path(self.home[box.id])
            for key in path:
                self.all[key].count += 1
            if path:
                self.all[path[-1]].boxes.append(box.id)
        return tuple(sorted(self.all.values(), key=lambda group: len(self._path(group.id))))


def shared_start(ways: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """What all of some ways from the outside to the inside begin with."""
    shared: tuple[Any, ...] = ()
    for level in zip(*ways, strict=False):
        if any(one is not level[0] for one in level):
            break
        shared += (level[0],)
    return shared


def open_at_first(graph: Snapshot, groups: tuple[Group, ...]) -> list[str]:
    """Which groups begin open: level by level from the outside, while not too many boxes are seen."""
    level = [group for group in groups if group.parent is None]
    visible = len(graph.boxes) - sum(group.count for group in level) + len(level)
    found: list[str] = []
    while level:
        inner = [group for group in groups if group.parent in {outer.id for outer in level}]
        visible += sum(len(group.boxes) - 1 for group in level) + len(inner)
        if visible > SEEN:
            break
        found += [group.id for group in level]
        level = inner
    return found


def notice(graph: Snapshot, groups: tuple[Group, ...], shown: list[str]) -> str:
    """What is said above a picture in which something is closed; "" where nothing is."""
    if len(shown) == len(groups):
        return ""
    what = "stretches of the code" if any(group.kind == STRETCH for group in groups) else "modules"
    return f"{len(graph.boxes)} boxes are too many for one picture: {what} are closed. A click or Enter opens one."


def coarse_graph(graph: Snapshot, groups: tuple[Group, ...], shown: list[str]) -> Snapshot:
    """The graph with each closed group as one box of kind "module"; boxes stand behind their inputs, as in `graph`."""
    by_id = {group.id: group for group in groups}
    home = {box: group.id for group in groups for box in group.boxes}
    stands: dict[str, str] = {}
    boxes: dict[str, Box] = {}
    for box in graph.boxes:
        stands[box.id], at = box.id, home.get(box.id)
        while at is not None:
            if at not in shown:
                stands[box.id] = at
            at = by_id[at].parent
        group = by_id.get(stands[box.id])
        boxes.setdefault(stands[box.id], box if group is None else _box_of_closed(group))
    edges: dict[tuple[str, str], Edge] = {}
    for edge in graph.edges:
        ends = stands[edge.source], stands[edge.target]
        if ends[0] != ends[1]:
            edges.setdefault(ends, replace(edge, source=ends[0], target=ends[1]))
    ordered = tuple(boxes[key] for key in inputs_first(boxes, edges))
    return Snapshot(stands[graph.root], ordered, tuple(edges.values()), graph.sources)


def inputs_first(keys: Iterable[str], edges: Iterable[tuple[str, str]]) -> list[str]:
    """Some boxes so that each stands behind its inputs, and else in the order in which they are given."""
    places = {key: place for place, key in enumerate(keys)}
    names = list(places)
    users: dict[str, list[str]] = {}
    missing = Counter[str]()
    for source, target in edges:
        users.setdefault(source, []).append(target)
        missing[target] += 1
    ready = [place for key, place in places.items() if not missing[key]]
    found = []
    while ready:
        key = names[heapq.heappop(ready)]
        found.append(key)
        for user in users.get(key, ()):
            missing[user] -= 1
            if not missing[user]:
                heapq.heappush(ready, places[user])
    return found


def _box_of_closed(group: Group) -> Box:
    nodes = values.Value(f"{group.count} nodes", f"{group.count} nodes")
    return Box(group.id, "module", group.name, group.kind, group.path, nodes, values.NONE)

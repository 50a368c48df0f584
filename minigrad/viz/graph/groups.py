"""Groups of boxes: calls of modules and functions, loops and their rounds, the graphs of gradients, and stretches.

So a network of thousands of nodes becomes a picture of a few boxes. A small graph has groups for its modules only, and
they are open. A larger one is folded (`folding`): what is shown at first are at most about twenty boxes, and each group
opens into a dozen at most. Closing groups can never make a circle: see there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.calls import INPUTS, MODULE, Scope
from minigrad.viz.graph.folding import fold, parts_of, scopes_of, without_calls
from minigrad.viz.graph.titles import Titles

DEEPEST = 5  # groups in groups that are open at first
MANY_BOXES = 20  # boxes: a picture with more of them is folded, and no more are seen at first


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
    if len(graph.boxes) > MANY_BOXES:
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
    """Which groups begin open: all, if not too many boxes are seen then; else the largest first, from the outside.

    Of several alike (calls of one function, rounds of a loop) all are opened or the first, which shows what is in them.
    """
    inside: dict[str | None, list[Group]] = {}
    for group in groups:
        inside.setdefault(group.parent, []).append(group)
    shows = {group.id: len(group.boxes) + len(inside.get(group.id, ())) - 1 for group in groups}
    if len(graph.boxes) <= MANY_BOXES:
        return [group.id for group in groups]
    seen = len(graph.boxes) - sum(group.count - 1 for group in inside.get(None, ()))
    opened: list[str] = []
    level = [group for group in inside.get(None, ()) if group.kind != INPUTS]
    for _ in range(DEEPEST):
        if seen + sum(shows[group.id] for group in level) <= MANY_BOXES:
            chosen = level
        else:
            alike: dict[tuple[str | None, str], list[Group]] = {}
            for group in level:
                alike.setdefault((group.parent, group.kind), []).append(group)
            chosen = []
            for like in sorted(alike.values(), key=lambda like: -max(group.count for group in like)):
                for some in (like, like[:1]):
                    more = sum(shows[group.id] for group in [*chosen, *some])
                    if seen + more <= MANY_BOXES and (len(like) > 2 or like[0].id in inside):
                        chosen += some
                        break
        seen += sum(shows[group.id] for group in chosen)
        opened += [group.id for group in chosen]
        level = [inner for group in chosen for inner in inside.get(group.id, ()) if inner.kind != INPUTS]
    return [group.id for group in groups if group.id in opened]


def notice(graph: Snapshot, groups: tuple[Group, ...], shown: list[str]) -> str:
    """What is said beside a picture in which something is closed; "" where nothing is."""
    return f"{len(graph.boxes)} boxes; a click opens a closed part" if len(shown) < len(groups) else ""

"""Step over and step out: where a module, a loop or a call begins and ends in a pass.

Each box lies in groups within groups; those inside a closed one are not seen.

- Over goes to the end of the innermost seen group around the next box. Where that group is open and the present box
  lies in it, too, over is a single step.
- Out goes to the end of the innermost seen group around the present box that is not over yet.

A group is over when none of its boxes is ready to run. levels.mjs does the same on a page.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from minigrad.viz.graph.groups import Group
from minigrad.viz.steps.frames import Frame


class Levels:
    """The groups of a graph, as places in a pass."""

    def __init__(self, groups: Iterable[Group]) -> None:
        self._outside = {group.id: group.parent for group in groups}
        self._home = {box: group.id for group in groups for box in group.boxes}
        self._inside: dict[str, set[str]] = {key: set() for key in self._outside}
        for box in self._home:
            for key in self.around(box):
                self._inside[key].add(box)

    def around(self, box: str | None) -> list[str]:
        """The groups around a box, the outermost first."""
        found: list[str] = []
        at = self._home.get(box or "")
        while at is not None:
            found.append(at)
            at = self._outside[at]
        return found[::-1]

    def knows(self, group: str) -> bool:
        """Whether there is such a group."""
        return group in self._outside

    def groups_seen(self, box: str | None, shown: Container[str]) -> list[str]:
        """Those of them that are seen: all but what lies in a closed one. `shown` are the groups that are open."""
        around = self.around(box)
        closed = next((place for place, key in enumerate(around) if key not in shown), len(around))
        return around[: closed + 1]

    def group_crossed(self, here: str | None, there: str | None, shown: Container[str]) -> str | None:
        """What a step over from one box to the next crosses, if it is a group."""
        inside = [key for key in self.groups_seen(here, shown) if key in shown]
        return next((key for key in reversed(self.groups_seen(there, shown)) if key not in inside), None)

    def is_over(self, group: str, frame: Frame) -> bool:
        """Whether no box of a group is ready at a frame."""
        return not any(turn.box in self._inside[group] for turn in frame.ready)

    def surrounding(self, frame: Frame, shown: Container[str]) -> str | None:
        """The innermost group around the present box that is not over; None outside of all."""
        return next((key for key in reversed(self.groups_seen(frame.box, shown)) if not self.is_over(key, frame)), None)

    def start(self, group: str, frames: Sequence[Frame], index: int) -> int:
        """The frame before the first step of a group, in which the step to the frame `index` lies."""
        first = index
        for place in range(index, 0, -1):
            if frames[place].box in self._inside[group]:
                first = place
            if self.is_over(group, frames[place - 1]):
                break
        return first - 1

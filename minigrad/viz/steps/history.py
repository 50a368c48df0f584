"""What changes from step to step, kept once per change.

A pass over thousands of boxes changes few of them at each step. So a frame does not hold what every box looks like: a
`History` holds for each box its changes, and `at(index)` is all of it as it was at one frame, a mapping that costs
nothing until it is asked.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

NOTHING: Mapping[str, Any] = MappingProxyType({})


class History:
    """Values by key, at each of the frames so far."""

    def __init__(self, first: Mapping[str, Any]) -> None:
        self.frames: dict[str, list[int]] = {key: [0] for key in first}  # at which a key's value changed
        self.values: dict[str, list[Any]] = {key: [value] for key, value in first.items()}
        self.changed: list[tuple[str, ...]] = [tuple(first)]  # which keys did, at each frame

    def add(self, changes: Mapping[str, Any]) -> Moment:
        """The next frame, and what changes at it."""
        index = len(self.changed)
        new = {key: value for key, value in changes.items() if self.values[key][-1] != value}
        for key, value in new.items():
            self.frames[key].append(index)
            self.values[key].append(value)
        self.changed.append(tuple(new))
        return self.at(index)

    def begin(self, key: str, value: Any) -> None:
        """Add a key that was not known before, and the value that it had all the time."""
        self.frames[key], self.values[key] = [0], [value]

    def correct(self, key: str, index: int, value: Any) -> None:
        """At this one frame a value is another than was thought."""
        frames, values, place = [*self.frames[key]], [*self.values[key]], bisect_right(self.frames[key], index)
        if index + 1 < len(self.changed) and (place == len(frames) or frames[place] > index + 1):
            frames.insert(place, index + 1)
            values.insert(place, values[place - 1])
        if frames[place - 1] == index:
            values[place - 1] = value
        else:
            frames.insert(place, index)
            values.insert(place, value)
        self.frames[key], self.values[key] = frames, values  # both or none: the stop button does not come between

    def shorten(self, count: int) -> None:
        """Only so many frames are left; what was half added goes, too."""
        for key, frames in self.frames.items():
            place = bisect_left(frames, count)
            del frames[place:], self.values[key][place:]
        del self.changed[count:]

    def at(self, index: int) -> Moment:
        """Everything as it is at a frame."""
        return Moment(self, index, NOTHING)

    def value(self, key: str, index: int) -> Any:
        """One value as it is at a frame."""
        return self.values[key][bisect_right(self.frames[key], index) - 1]


class Moment(Mapping[str, Any]):
    """All values at one frame; `own` are those that this frame alone says."""

    def __init__(self, history: History, index: int, own: Mapping[str, Any]) -> None:
        self._history, self._index, self._own = history, index, own

    def __getitem__(self, key: str) -> Any:
        return self._own[key] if key in self._own else self._history.value(key, self._index)

    def __iter__(self) -> Iterator[str]:
        return iter(self._history.values)

    def __len__(self) -> int:
        return len(self._history.values)

    def but(self, own: Mapping[str, Any]) -> Moment:
        """This moment with some of it changed from outside."""
        return Moment(self._history, self._index, MappingProxyType({**self._own, **own}))

    def since(self, before: Mapping[str, Any] | None) -> dict[str, Any]:
        """What differs from an earlier moment; all where there is none."""
        keys: Any = self
        if isinstance(before, Moment) and before._history is self._history:
            steps = self._history.changed[before._index + 1 : self._index + 1]
            keys = dict.fromkeys([*before._own, *self._own, *(key for step in steps for key in step)])
        return {key: self[key] for key in keys if before is None or before[key] != self[key]}

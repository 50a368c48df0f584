"""The `.grad` of every leaf, as it was at each frame of a pass.

So Back brings a gradient back without running anything: after each frame a copy is kept of every `.grad` that the pass
may change, shared with the frame before where nothing changed. To put it back is to write the copy into the same
object, so that what the learner holds of it reads right, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from minigrad.viz.graph.boxes import NO_SOURCE, Snapshot
from minigrad.viz.graph.source import Source, Tensor
from minigrad.viz.steps.history import History
from minigrad.viz.steps.marks import Mark, memory_of


class GradAtFrame:
    """What a tensor's `.grad` was at one frame: the object, and a copy of its numbers (None where it has a graph of
    its own).
    """

    def __init__(self, source: Source, gradient: Any) -> None:
        self.source = source
        self.gradient = gradient
        self.numbers = None if source.has_graph(gradient) else source.copy(gradient)
        self.mark = None if self.numbers is None else Mark(source, gradient)

    @property
    def array(self) -> Any:
        """The numbers as they were, as an array."""
        return self.source.array(self.gradient if self.numbers is None else self.numbers)

    def is_still(self, gradient: Any) -> bool:
        """Whether a `.grad` is what was kept."""
        if self.mark is None or self.source.has_graph(gradient):
            return self.gradient is gradient and self.mark is None and self.source.has_graph(gradient)
        if not self.source.is_same(self.gradient, gradient):
            return False
        return self.mark.is_of(gradient) or self.source.holds(gradient, self.numbers)

    def put_back(self) -> Any:
        """The `.grad` as it was: the same object with the same numbers, where it can be written to."""
        if self.numbers is None:
            return self.gradient
        gradient = self.source.write(self.gradient, self.numbers)
        self.mark = Mark(self.source, gradient)
        return gradient


class GradsByFrame:
    """The gradients of the tensors that a pass may change: `tensors`, by box id (or a number, for those that only
    retain their `.grad`).
    """

    def __init__(self, graph: Snapshot, wanted: Mapping[str, tuple[Any, ...]] | None) -> None:
        self.tensors: dict[str, Any] = {}
        self._source = source = graph.source
        for key, node in graph.node_of.items():
            leaf = source.leaf(node)
            tensor = source.result(node) if leaf is None else leaf
            if tensor is not None and (leaf is not None or source.keeps_grad(tensor)):
                self.tensors[key] = tensor
        self.tensors |= {key: tensors[0] for key, tensors in (wanted or {}).items()}
        results = [tensor for tensor in graph.results if source.keeps_grad(tensor)]
        results += [tensor for tensors in (wanted or {}).values() for tensor in tensors]  # maybe several of one node
        known = {id(tensor) for tensor in self.tensors.values()}
        others = {id(tensor): tensor for tensor in results if id(tensor) not in known}
        self.tensors |= {f"retaining {n}": one for n, one in enumerate(others.values())}
        self._history = History({key: self._keep(tensor, None) for key, tensor in self.tensors.items()})
        self._ran: dict[int, dict[str, GradAtFrame | None]] = {}  # what steps left, where `correct` has replaced it

    def add(self, touched: Iterable[str] | None) -> None:
        """Keep what there is now, as the next frame's; `touched` are those that the step can have changed, None where
        that cannot be known.
        """
        last = len(self._history.changed) - 1
        keys = self.tensors if touched is None else [key for key in touched if key in self.tensors]
        self._history.add({key: self._keep(self.tensors[key], self._history.value(key, last)) for key in keys})

    def put_back(self, index: int) -> None:
        """Make every `.grad` what it was at a frame."""
        for key, tensor in self.tensors.items():
            kept = self._history.value(key, index)
            self._source.put_grad(tensor, None if kept is None else kept.put_back())

    def go_back(self, count: int) -> None:
        """Forget all but the first frames, and make every `.grad` what it was at the last of these."""
        self._history.shorten(count)
        self.put_back(count - 1)

    def changed_since(self, index: int) -> dict[str, GradAtFrame | None]:
        """Where a `.grad` is not what it was when the frame `index` was shown last: what `correct` is to keep."""
        changed: dict[str, GradAtFrame | None] = {}
        for key, tensor in self.tensors.items():
            known = self._history.value(key, index)
            now = self._keep(tensor, known)
            if now is not known:
                changed[key] = now
        return changed

    def other_than_ran(self, index: int, changed: Mapping[str, GradAtFrame | None]) -> dict[str, Any]:
        """Where a `.grad` is not what the step of a frame has left, with what has `changed` by now: what that was, as
        an array or None.
        """
        ran = {key: self._history.value(key, index) for key in changed} | self._ran.get(index, {})
        now = {key: self._history.value(key, index) for key in ran} | dict(changed)
        arrays = {key: [None if one is None else one.array for one in (ran[key], now[key])] for key in ran}
        return {key: was for key, (was, held) in arrays.items() if not _are_alike(was, held)}

    def correct(self, index: int, changed: Mapping[str, GradAtFrame | None]) -> None:
        """Keep what has changed since the frame `index` was shown last."""
        for key, now in changed.items():
            self._ran.setdefault(index, {}).setdefault(key, self._history.value(key, index))
            self._history.correct(key, index, now)

    def before_inner(self, leaves: Mapping[str, Any]) -> dict[str, tuple[Any, GradAtFrame | None]]:
        """What leaves hold before a step that may run a backward of its own: name -> leaf and its `.grad`."""
        return {name: (leaf, self._keep(leaf, None)) for name, leaf in leaves.items()}

    def after_inner(self, before: Mapping[str, tuple[Any, GradAtFrame | None]]) -> list[tuple[str, Any, Any]]:
        """After that step: where it reached leaves that are not in the graph, keep their gradients, too, from the first
        frame on.

        Returns the name, what was held before and what is now, as arrays or None, of each leaf that it changed.
        """
        changed = []
        for name, (leaf, old) in before.items():
            new = self._keep(leaf, old)
            if new is old:
                continue
            if all(leaf is not tensor for tensor in self.tensors.values()):
                key = f"outside {len(self.tensors)}"
                self._history.begin(key, old)
                self.tensors[key] = leaf
            changed.append((name, None if old is None else old.array, None if new is None else new.array))
        return changed

    def memory(self, keys: Iterable[str]) -> set[int]:
        """The tensors with these keys, by id, and what the `.grad` that they hold is written in: see `memory_of`."""
        tensors = [self.tensors[key] for key in keys if key in self.tensors]
        grads = [grad for tensor in tensors if (grad := self._source.grad(tensor)) is not None]
        return {id(tensor) for tensor in tensors} | {memory_of(self._source.array(grad)) for grad in grads}

    def clear(self) -> None:
        """Let go of all tensors."""
        self.tensors, self._history, self._ran, self._source = {}, History({}), {}, NO_SOURCE

    def _keep(self, tensor: Tensor, old: GradAtFrame | None) -> GradAtFrame | None:
        """A copy of the gradient that a tensor holds; `old` itself where that is still the same."""
        gradient = self._source.grad(tensor)
        if gradient is None:
            return None
        return old if old is not None and old.is_still(gradient) else GradAtFrame(self._source, gradient)


def _are_alike(one: Any, other: Any) -> bool:
    """Whether two arrays, or None, are the same."""
    if one is None or other is None:
        return one is other
    return bool(one.shape == other.shape and np.array_equal(one, other, equal_nan=True))

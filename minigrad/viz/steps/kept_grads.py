"""The `.grad` of every leaf, as it was at each frame of a pass.

So Back brings a gradient back without running anything: after each frame a copy is kept of every `.grad` that the pass
may change, shared with the frame before where nothing changed. To put it back is to write the copy into the same
object, so that what the learner holds of it reads right, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from minigrad.tensor_base import TensorBase
from minigrad.viz import torch_graphs
from minigrad.viz.graph import naming
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.nodes import is_leaf
from minigrad.viz.steps.history import History
from minigrad.viz.steps.marks import Mark
from minigrad.viz.torch_graphs import mirror_of


class KeptGrad:
    """What a tensor's `.grad` was at one frame: the object, and a copy of its numbers (None where it has a graph of
    its own).
    """

    def __init__(self, gradient: Any, numbers: Any) -> None:
        self.gradient = gradient
        self.numbers = numbers
        self.mark = None if numbers is None else Mark(gradient)

    @property
    def array(self) -> Any:
        """The numbers as they were, as an array."""
        held = self.gradient if self.numbers is None else mirror_of(self.numbers)
        return held.detach().numpy() if naming.is_tensor(held) else held

    def is_still(self, gradient: Any) -> bool:
        """Whether a `.grad` is what was kept."""
        if gradient.requires_grad or self.numbers is None:
            return self.gradient is gradient and gradient.requires_grad and self.numbers is None
        if isinstance(gradient, torch_graphs.Tensor) and not gradient.is_strided:
            return gradient.holds(self.numbers)  # one that was put back is another object with the same numbers
        if self.gradient is not gradient or self.mark is None:
            return False
        return self.mark.is_of(gradient) or _is_same(gradient, self.numbers)

    def put_back(self) -> Any:
        """The `.grad` as it was: the same object with the same numbers, where it can be written to."""
        if self.numbers is None:
            return self.gradient
        gradient = self.gradient
        if isinstance(gradient, torch_graphs.Tensor):
            gradient = gradient.put_back(self.numbers)
        else:
            gradient.detach().numpy()[...] = self.numbers
        self.mark = Mark(gradient)
        return gradient


class KeptGrads:
    """The gradients of the tensors that a pass may change: `tensors`, by box id (or a number, for those that only
    retain their `.grad`).
    """

    def __init__(self, graph: Snapshot, wanted: Mapping[str, Any] | None) -> None:
        leaves = {key: node.variable for key, node in graph.node_of.items() if is_leaf(node)}
        results = [tensor for tensor in graph.results if tensor.retains_grad]
        ids = {node: key for key, node in graph.node_of.items() if hasattr(node, "is_own")}
        retaining = {ids.get(one.grad_fn, f"retaining {number}"): one for number, one in enumerate(results)}
        self.tensors: dict[str, Any] = leaves | dict(wanted or {}) | retaining
        self._history = History({key: _keep(grad_of(tensor), None) for key, tensor in self.tensors.items()})
        self._ran: dict[int, dict[str, KeptGrad | None]] = {}  # what steps left, where `correct` has replaced it

    def add(self, touched: Iterable[str] | None) -> None:
        """Keep what there is now, as the next frame's; `touched` are those that the step can have changed, None where
        that cannot be known.
        """
        last = len(self._history.changed) - 1
        keys = self.tensors if touched is None else [key for key in touched if key in self.tensors]
        self._history.add({key: _keep(grad_of(self.tensors[key]), self._history.value(key, last)) for key in keys})

    def put_back(self, index: int) -> None:
        """Make every `.grad` what it was at a frame."""
        for key, tensor in self.tensors.items():
            kept = self._history.value(key, index)
            tensor.grad = None if kept is None else kept.put_back()

    def go_back(self, count: int) -> None:
        """Forget all but the first frames, and make every `.grad` what it was at the last of these."""
        self._history.shorten(count)
        self.put_back(count - 1)

    def changed_since(self, index: int) -> dict[str, KeptGrad | None]:
        """Where a `.grad` is not what it was when the frame `index` was shown last: what `correct` is to keep."""
        changed: dict[str, KeptGrad | None] = {}
        for key, tensor in self.tensors.items():
            known = self._history.value(key, index)
            now = _keep(grad_of(tensor), known)
            if now is not known:
                changed[key] = now
        return changed

    def other_than_ran(self, index: int, changed: Mapping[str, KeptGrad | None]) -> dict[str, Any]:
        """Where a `.grad` is not what the step of a frame has left, with what has `changed` by now: what that was, as
        an array or None.
        """
        ran = {key: self._history.value(key, index) for key in changed} | self._ran.get(index, {})
        now = {key: self._history.value(key, index) for key in ran} | dict(changed)
        arrays = {key: [None if one is None else one.array for one in (ran[key], now[key])] for key in ran}
        return {key: was for key, (was, held) in arrays.items() if not _are_alike(was, held)}

    def correct(self, index: int, changed: Mapping[str, KeptGrad | None]) -> None:
        """Keep what has changed since the frame `index` was shown last."""
        for key, now in changed.items():
            self._ran.setdefault(index, {}).setdefault(key, self._history.value(key, index))
            self._history.correct(key, index, now)

    def before_inner(self, leaves: Mapping[str, Any]) -> dict[str, tuple[Any, KeptGrad | None]]:
        """What leaves hold before a step that may run a backward of its own: name -> leaf and its `.grad`."""
        return {name: (leaf, _keep(grad_of(leaf), None)) for name, leaf in leaves.items()}

    def after_inner(self, before: Mapping[str, tuple[Any, KeptGrad | None]]) -> list[tuple[str, Any, Any]]:
        """After that step: where it reached leaves that are not in the graph, keep their gradients, too, from the first
        frame on.

        Returns the name, what was held before and what is now, as arrays or None, of each leaf that it changed.
        """
        changed = []
        for name, (leaf, old) in before.items():
            new = _keep(grad_of(leaf), old)
            if new is old:
                continue
            if all(leaf is not tensor for tensor in self.tensors.values()):
                key = f"outside {len(self.tensors)}"
                self._history.begin(key, old)
                self.tensors[key] = leaf
            changed.append((name, None if old is None else old.array, None if new is None else new.array))
        return changed

    def clear(self) -> None:
        """Let go of all tensors."""
        self.tensors, self._history, self._ran = {}, History({}), {}


def grad_of(tensor: Any) -> Any:
    """`.grad`, without the warning that comes when a result's is read."""
    return tensor._grad if isinstance(tensor, TensorBase) else tensor.grad


def _keep(gradient: Any, old: KeptGrad | None) -> KeptGrad | None:
    """A copy of a gradient; `old` itself where that is still the same."""
    if gradient is None:
        return None
    if old is not None and old.is_still(gradient):
        return old
    if gradient.requires_grad:
        return KeptGrad(gradient, None)
    is_pytorchs = isinstance(gradient, torch_graphs.Tensor)
    return KeptGrad(gradient, gradient.kept() if is_pytorchs else gradient.detach().numpy().copy())


def _are_alike(one: Any, other: Any) -> bool:
    """Whether two arrays, or None, are the same."""
    if one is None or other is None:
        return one is other
    return bool(one.shape == other.shape and np.array_equal(one, other, equal_nan=True))


def _is_same(gradient: Any, numbers: Any) -> bool:
    """Whether a gradient's numbers are these, where a write was counted that left them as they were."""
    if isinstance(gradient, torch_graphs.Tensor):
        return gradient.holds(numbers)
    return bool(np.array_equal(numbers, gradient.detach().numpy(), equal_nan=True))

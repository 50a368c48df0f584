"""The `.grad` of every leaf, as it was at each frame of a pass.

So Back brings a gradient back without running anything: after each frame a copy is kept of every `.grad` that the pass
may change, shared with the frame before where nothing changed. To put it back is to write the copy into the same
object, so that what the learner holds of it reads right, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad.tensor_base import TensorBase
from minigrad.viz import torch_graphs
from minigrad.viz.graph import naming
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.nodes import is_leaf
from minigrad.viz.torch_graphs import mirror_of

COMPARED = 10_000  # elements of a .grad up to which its numbers are compared; of larger ones, the count of writes


@dataclass(frozen=True)
class KeptGrad:
    """What a tensor's `.grad` was at one frame: the object, and a copy of its numbers (None where it has a graph of
    its own).
    """

    gradient: Any
    numbers: Any
    version: int | None = None

    @property
    def array(self) -> Any:
        """The numbers as they were, as an array."""
        held = self.gradient if self.numbers is None else mirror_of(self.numbers)
        return held.detach().numpy() if naming.is_tensor(held) else held


class KeptGrads:
    """The gradients of the tensors that a pass may change: `tensors`, by box id (or a number, for those that only
    retain their `.grad`).
    """

    def __init__(self, graph: Snapshot, wanted: Mapping[str, Any] | None) -> None:
        leaves = {key: node.variable for key, node in graph.node_of.items() if is_leaf(node)}
        results = [tensor for tensor in graph.results if tensor.retains_grad]
        retaining = {f"retaining {number}": tensor for number, tensor in enumerate(results)}
        self.tensors: dict[str, Any] = leaves | dict(wanted or {}) | retaining
        self._at: list[dict[str, KeptGrad | None]] = [self._now({})]

    def add(self) -> None:
        """Keep what there is now, as the next frame's."""
        self._at.append(self._now(self._at[-1]))

    def put_back(self, index: int) -> None:
        """Make every `.grad` what it was at a frame."""
        for key, kept in self._at[index].items():
            gradient: Any = None if kept is None else kept.gradient
            if kept is not None and kept.numbers is not None:  # into the same object
                if isinstance(gradient, torch_graphs.Tensor):
                    gradient = gradient.put_back(kept.numbers)
                else:
                    gradient.detach().numpy()[...] = kept.numbers
            self.tensors[key].grad = gradient

    def renew(self, index: int) -> dict[str, Any]:
        """Where a `.grad` is not what it was when the frame `index` was shown last, keep what it is now.

        Returns what it was, as an array or None, for each tensor that has changed.
        """
        known = self._at[index]
        now = self._at[index] = self._now(known)
        changed = {key: known[key] for key in known if known[key] is not now[key]}
        return {key: None if old is None else old.array for key, old in changed.items()}

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
                self.tensors[key] = leaf
                for frame in self._at:
                    frame[key] = old
            changed.append((name, None if old is None else old.array, None if new is None else new.array))
        return changed

    def clear(self) -> None:
        """Let go of all tensors."""
        self.tensors, self._at = {}, [{} for _ in self._at]

    def _now(self, before: Mapping[str, KeptGrad | None]) -> dict[str, KeptGrad | None]:
        return {key: _keep(grad_of(tensor), before.get(key)) for key, tensor in self.tensors.items()}


def grad_of(tensor: Any) -> Any:
    """`.grad`, without the warning that comes when a result's is read."""
    return tensor._grad if isinstance(tensor, TensorBase) else tensor.grad


def _keep(gradient: Any, old: KeptGrad | None) -> KeptGrad | None:
    """A copy of a gradient; `old` itself where that is still the same."""
    if gradient is None:
        return None
    if gradient.requires_grad:
        same = old is not None and old.gradient is gradient and old.numbers is None
        return old if same else KeptGrad(gradient, None)
    if isinstance(gradient, torch_graphs.Tensor):
        if old is not None and (old.gradient is gradient or not gradient.is_strided) and gradient.holds(old.numbers):
            return old  # a sparse one that was put back is another object with the same numbers
        return KeptGrad(gradient, gradient.kept())
    numbers = gradient.detach().numpy()
    version = gradient._version if numbers.size > COMPARED and not gradient.is_inference() else None
    if old is not None and old.gradient is gradient:
        unwritten = version is not None and old.version == version
        if unwritten or np.array_equal(old.numbers, numbers, equal_nan=True):
            return old
    return KeptGrad(gradient, numbers.copy(), version)

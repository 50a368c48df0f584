"""Hooks of PyTorch's tensors and nodes, seen by what they change.

After this module a reader knows how a frame tells of a hook that Python has no way to ask for: PyTorch runs it, and
what the node then got is not what had arrived. Which of several hooks did it cannot be told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from minigrad.viz.watching import Note


class _Unseen:
    """Stands for hooks that PyTorch has run, in the place of the learner's function."""

    __name__ = "that PyTorch ran"


def seen_hooks(box: str, arrived: Mapping[int, Any], incoming: tuple[Any, ...]) -> list[Note]:
    """A note for each of a node's gradients that is not what had arrived.

    Args:
        box: the box of the node.
        arrived: number of an output -> the sum of the gradients that were sent to it, as an array.
        incoming: the gradients that the node was run with, as mirrors.
    """
    notes = []
    for number, gradient in enumerate(incoming):
        if gradient is None or number not in arrived:
            continue
        before, after = arrived[number], np.array(gradient.numpy())
        # PyTorch rounds each sum to the gradient's type; of two bytes, that shows.
        near = 2e-2 if gradient.raw.element_size() <= 2 else 1e-5
        if before.shape != after.shape or not np.allclose(before, after, near, near * _largest(after), equal_nan=True):
            notes.append(Note("tensor_hook", box, _Unseen(), (np.array(before),), (after,)))  # type: ignore[arg-type]
    return notes


def _largest(array: Any) -> float:
    size = np.abs(array)
    return float(np.max(size, initial=0.0, where=np.isfinite(size)))

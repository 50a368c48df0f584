"""Whether a tensor is still what it was: asked at every step of every leaf, so that it has to be cheap.

A `Mark` remembers the tensor, how often it was written to, and its numbers, of large ones a sample: writes through
`.data` or numpy are not counted, but they seldom leave a thousand numbers from all over a tensor as they were.
"""

from __future__ import annotations

from typing import Any

from minigrad.viz.graph.source import Source

WHOLE, SAMPLE = 10_000, 1_000  # elements up to which all are compared, and how many are of larger tensors


def memory_of(array: Any) -> int:
    """The array that owns the memory of this one, by id: what is written through any view of it is seen in all."""
    while getattr(array, "base", None) is not None:
        array = array.base
    return id(array)


class Mark:
    """What a tensor was when this was made."""

    def __init__(self, source: Source, tensor: Any) -> None:
        self.source, self.tensor = source, tensor
        self.version = source.version(tensor)
        self.numbers = _sample(source.array(tensor))

    def is_of(self, tensor: Any) -> bool:
        """Whether it is this tensor, and nothing was written to it since."""
        is_unwritten = tensor is self.tensor and self.source.version(tensor) == self.version
        return is_unwritten and _sample(self.source.array(tensor)) == self.numbers


def _sample(numbers: Any) -> tuple[Any, ...]:
    few = numbers
    if numbers.size > WHOLE:
        step = slice(None, None, numbers.size // SAMPLE)
        few = numbers.reshape(-1)[step] if numbers.flags.c_contiguous else numbers.flat[step]
    return numbers.shape, numbers.dtype, few.tobytes()

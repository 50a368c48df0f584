"""How many bytes an event takes and gives back (`profile_memory=True`).

After this module a reader knows what "CPU Mem" counts: the memory of the arrays that calls return, when it is new, and
again, with a minus, when Python frees it. A view takes nothing, since its memory was there before; what a kernel needs
only while it runs is not seen; and a single number without dimensions, which numpy keeps as a scalar, is not counted.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad.tensor import Tensor


class _Owner(weakref.ref[Any]):
    """Watches over an array that owns memory."""

    __slots__ = ("key", "bytes")
    key: int
    bytes: int


class Ledger:
    """Which arrays that own memory were made since the profiler began, and are still there."""

    def __init__(self, charge: Callable[[int], None]) -> None:
        self._charge = charge
        self._owners: dict[int, _Owner] = {}

    def made(self, record: Any, results: Any, inputs: Any) -> None:
        """Charge an event with what is new among its results; what it got is not, nor is what is known already."""
        old: set[int] | None = None
        for array in _arrays(results):
            owner = _owner(array)
            if owner is None or id(owner) in self._owners:
                continue
            if old is None:
                old = {id(_owner(known)) for known in _arrays(inputs)}
            if id(owner) in old:
                continue
            watching = _Owner(owner, self._freed)
            watching.key, watching.bytes = id(owner), owner.nbytes
            self._owners[watching.key] = watching
            record.bytes += owner.nbytes

    def _freed(self, owner: _Owner) -> None:
        if self._owners.pop(owner.key, None) is not None:
            self._charge(-owner.bytes)

    def close(self) -> None:
        """No longer watch."""
        self._owners.clear()


def _owner(array: Any) -> Any:
    """The array whose memory this one shows; None for a numpy scalar, or for memory that is not numpy's."""
    while isinstance(array, np.ndarray):
        if array.base is None:
            return array
        array = array.base
    return None


def _arrays(value: Any) -> Iterator[Any]:
    """The arrays in a value, and in the tensors, lists and dicts that it is made of."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, np.ndarray):
            yield item
        elif isinstance(item, Tensor):
            yield item._array
        elif isinstance(item, tuple | list):
            waiting.extend(item)
        elif isinstance(item, dict):
            waiting.extend(item.values())

"""Who is next in PyTorch's backward: its queue, imitated.

Of several leaves that are ready it is not always the first that runs. The engine takes the node with the highest
sequence number, and all leaves have the same, the highest there is. Among equals the order is what C++'s
`std::priority_queue` makes of it, a binary heap: so that is what stands here, as libstdc++ has it.
"""

from __future__ import annotations

Entry = tuple[int, str]  # sequence number, and the box that it stands for


class ReadyQueue:
    """The boxes that are ready, as PyTorch's heap holds them."""

    def __init__(self) -> None:
        self._heap: list[Entry] = []

    def push(self, number: int, key: str) -> None:
        """A box has become ready."""
        self._heap.append((number, key))
        _sift_up(self._heap, len(self._heap) - 1, (number, key))

    def ran(self, key: str) -> None:
        """A box has run, and so those before it in the queue have been taken out."""
        while any(other == key for _, other in self._heap) and _pop(self._heap) != key:
            pass

    def order(self) -> list[str]:
        """All that are ready, the next to run first."""
        heap = list(self._heap)
        return [_pop(heap) for _ in range(len(heap))]


def _sift_up(heap: list[Entry], hole: int, entry: Entry) -> None:
    """Put an entry where no entry above it is smaller, beginning at `hole`."""
    while hole > 0 and heap[(hole - 1) // 2][0] < entry[0]:
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = entry


def _pop(heap: list[Entry]) -> str:
    """Take out the top. The hole goes down to the bottom by the larger child, and the last entry rises from there."""
    top, last = heap[0], heap.pop()
    if heap:
        hole = 0
        while 2 * hole + 2 < len(heap):
            left, right = 2 * hole + 1, 2 * hole + 2
            child = left if heap[right][0] < heap[left][0] else right
            heap[hole] = heap[child]
            hole = child
        if 2 * hole + 1 < len(heap):
            heap[hole] = heap[2 * hole + 1]
            hole = 2 * hole + 1
        _sift_up(heap, hole, last)
    return top[1]

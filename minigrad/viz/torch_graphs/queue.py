"""Who is next in PyTorch's backward: its queue, imitated.

Of several leaves that are ready it is not always the first that runs. The engine takes the node with the highest
sequence number, and all leaves have the same, the highest there is. Among equals the order is what C++'s
`std::priority_queue` makes of it, a binary heap; Python's heapq moves its entries as libstdc++ does.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field


@dataclass(order=True, frozen=True)
class Entry:
    """A box that is ready. Entries are compared by their first field alone: the highest number is the least."""

    negative_number: int
    box: str = field(compare=False)


class ReadyQueue:
    """The boxes that are ready, in a heap ordered as PyTorch's is."""

    def __init__(self) -> None:
        self._heap: list[Entry] = []

    def push(self, number: int, box: str) -> None:
        """A box has become ready, whose node has this sequence number."""
        heapq.heappush(self._heap, Entry(-number, box))

    def ran(self, box: str) -> None:
        """A box has run, and so those before it in the queue have been taken out."""
        while any(entry.box == box for entry in self._heap) and heapq.heappop(self._heap).box != box:
            pass

    def order(self) -> list[str]:
        """All that are ready, the next to run first."""
        heap = list(self._heap)
        return [heapq.heappop(heap).box for _ in range(len(heap))]

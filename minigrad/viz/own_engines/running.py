"""The backward of a learner's own engine, one node per step.

The order is the engine's own, and so is each node's run; what a node sends to an input is what its run changes that
input's gradient by. What should not happen in a backward (a node runs before all has arrived, a gradient was not empty
at the beginning, a gradient is not what has arrived) is remarked on at the step where it happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.nodes import is_leaf
from minigrad.viz.graph.values import in_words, short
from minigrad.viz.own_engines.mirrors import Node, Tensor, asked, called, listed
from minigrad.viz.steps.frames import Line
from minigrad.viz.steps.progress import Progress
from minigrad.viz.steps.story import line


class Pass:
    """The steps of one backward, as an iterator, and who is next in it."""

    def __init__(self, root: Tensor) -> None:
        self.root, self.engine = root, root.engine
        self.todo = self._order()
        self.has_begun = False
        self.remarks: list[Line] = []  # on the last step
        self.touched: list[str] | None = None  # the boxes whose gradients that can have changed, None for all
        self.initial: dict[Node, Any] = {}  # what gradients held when the pass began, where that is not 0
        self.keys: dict[Node, str] = {}
        self.waiting: set[str] = set()  # the boxes that have all that they wait for

    @property
    def queue(self) -> Pass:
        return self

    def _order(self) -> list[Node]:
        """The nodes as the engine's backward runs them; ValueError for an order that is none."""
        method, graph = called(self.engine, "order"), self.root.graph
        found: dict[Node, None] = {}
        for thing in listed(self.engine, "order", self.root.thing):
            if id(thing) not in graph:
                raise ValueError(f"{method} gave {short(thing)}, which is not among what the root was computed from")
            node = graph[id(thing)].node
            if node in found:
                raise ValueError(f"{method} gave {short(thing)} twice")
            found[node] = None
        if self.root.node not in found:
            raise ValueError(f"{method} gave {len(found)} nodes, and the root {short(self.root.thing)} is none of them")
        return [node for node in found if not is_leaf(node)]

    # -- who is next, for the frames

    def look_on(self, *_: Any) -> None:
        """Nobody else's hooks are here to be seen."""

    def take_part(self, progress: Progress, graph: Snapshot) -> None:
        """Learn the boxes of a graph, and tell which of them run: those of the order. Leaves only receive."""
        self.progress = progress
        self.keys = {node: key for key, node in graph.node_of.items()}
        for node, key in self.keys.items():
            node.tensor.text = graph.by_id[key].name
        progress.wanted = {key: node.tensor for node, key in self.keys.items() if is_leaf(node)}
        progress.runs = {self.keys[node] for node in self.todo}
        progress.live = {edge.id: edge for edge in graph.edges if edge.target in progress.runs}

    def push(self, number: int, box: str) -> None:
        """A box has all that it waits for."""
        self.waiting.add(box)

    def ran(self, box: str) -> None:
        """A box has run."""

    @property
    def forced(self) -> list[str]:
        """The box that runs next, whether it has all that it waits for or not."""
        return [self.keys[node] for node in self.todo[:1]]

    def order(self) -> list[str]:
        """The boxes that are ready, the next to run first."""
        keys = [self.keys[node] for node in self.todo]
        return keys[:1] + [key for key in keys[1:] if key in self.waiting]

    # -- the steps

    def __iter__(self) -> Iterator[tuple[Node, tuple[Any, ...], tuple[Any, ...]]]:
        return self

    def __next__(self) -> tuple[Node, tuple[Any, ...], tuple[Any, ...]]:
        is_first, self.touched = not self.has_begun, None
        if is_first:
            self._begin()
        if not self.todo:
            raise StopIteration
        node = self.todo[0]
        sources = [child.tensor for child, _ in node.next_functions]
        received = node.tensor.gradient()
        self.remarks = list(self._remarks(node, received))
        before = [tensor.gradient() for tensor in sources]
        asked(self.engine, "run", node.tensor.thing)
        after = [tensor.gradient() for tensor in sources]
        node.scales = tuple(map(_scale, before, after))
        del self.todo[0]
        self.touched = None if is_first else [self.keys[tensor.node] for tensor in (node.tensor, *sources)]
        return node, (received,), tuple(map(_change, before, after))

    def close(self) -> None:
        """Nothing runs any more."""
        self.todo, self.has_begun = [], True

    def _begin(self) -> None:
        asked(self.engine, "start", self.root.thing)
        for tensor in self.root.graph.values():
            array = tensor.gradient()
            if array is not None and tensor is not self.root and np.any(array):
                self.initial[tensor.node] = array
                self.progress.sums[self.keys[tensor.node]][0] = array
        self.has_begun = True

    def _remarks(self, node: Node, received: Any) -> Iterator[Line]:
        """What is strange about a node that is to run."""
        key, progress = self.keys[node], self.progress
        held, agree = progress.sums[key].get(0), silent(np.allclose)
        if progress.arrived[key] < progress.needed[key]:
            late = [progress.boxes[edge.target].name for edge in progress.live.values() if edge.source == key]
            late = [name for name in dict.fromkeys(late) if name not in progress.senders[key]]
            yield self._remark(
                f"{called(self.engine, 'order')} has it run when {progress.arrived[key]} of {progress.needed[key]} "
                f"gradients have arrived: before {', '.join(late)}, which sends to ",
                node,
            )
        if node in self.initial:
            yield self._remark(f"{in_words(self.initial[node])} was in ", node, " already when the pass began")
        if held is not None and received is not None and not agree(held, received, 1e-3, 1e-6, equal_nan=True):
            yield self._remark(f"{in_words(held)} has arrived, and {in_words(received)} is in ", node)

    def _remark(self, words: str, node: Node, more: str = "") -> Line:
        name = ("name", self.progress.boxes[self.keys[node]].name), ("code", ".grad")
        return line("item", ("alarm", "⚠ "), words, *name, f"{more}.")


@silent
def _change(before: Any, after: Any) -> Any:
    """What has been added to a gradient; None where nothing is there."""
    return after if before is None or after is None else np.where(before == 0, after, after - before)


def _scale(before: Any, after: Any) -> float:
    """How large the numbers are whose difference says what was sent: so precise it is."""
    return 0.0 if before is None or after is None or not np.any(before) else float(np.max(np.abs([before, after])))

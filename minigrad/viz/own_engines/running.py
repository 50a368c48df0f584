"""The backward of a learner's own engine, one run of a node per step.

The order is the engine's own, and so is each node's run; what a node sends to an input is what its run changes that
input's gradient by. What should not happen in a backward (a node runs before all has arrived, or again, a gradient was
not empty at the beginning or is not what has arrived, a rule writes to what it was given) is remarked on at the step
where it happens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.nodes import is_leaf, reached
from minigrad.viz.graph.values import in_words, short
from minigrad.viz.own_engines.mirrors import SORTED, Node, Tensor, answer_of, method_name, name_of, nodes_from
from minigrad.viz.steps.events import enumeration
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
        self.writers: dict[str, tuple[int, str]] = {}  # box -> the first step that has written to its value, and whose
        self.ran_with: dict[Node, list[tuple[int, Any]]] = {}  # the steps at which each has run, and with what gradient

    @property
    def queue(self) -> Pass:
        return self

    def _order(self) -> list[Node]:
        """The nodes as the engine's backward runs them; ValueError for an order that is none."""
        method, graph = method_name(self.engine, "order"), self.root.graph
        found: list[Node] = []
        for thing in nodes_from(self.engine, "order", self.root.thing):
            if id(thing) not in graph:
                raise ValueError(f"{method} gave {short(thing)}, which is not among what the root was computed from")
            found.append(graph[id(thing)].node)
        if self.root.node not in found:
            root = name_of(self.root.thing)
            raise ValueError(f"{method} gave {len(found)} nodes, and the root {root} is none of them")
        return [node for node in found if not is_leaf(node)]

    # -- who is next, for the frames

    def look_on(self, *_: Any) -> None:
        """There are no hooks here that could be noted."""

    def take_part(self, progress: Progress, graph: Snapshot) -> None:
        """Learn the boxes of a graph, and tell which of them run: those of the order. Leaves only receive."""
        self.progress = progress
        self.keys = {node: key for key, node in graph.node_of.items()}
        progress.wanted = {key: node.tensor for node, key in self.keys.items() if is_leaf(node)}
        progress.left = Counter(self.keys[node] for node in self.todo)
        progress.runs = set(progress.left)
        progress.live = {edge.id: edge for edge in graph.edges if edge.target in progress.runs}

    def push(self, number: int, box: str) -> None:
        """A box has all that it waits for, which changes nothing in the engine's order."""

    def ran(self, box: str) -> None:
        """A box has run."""

    @property
    def forced(self) -> list[str]:
        """The box that runs next, whether it has all that it waits for or not."""
        return [self.keys[node] for node in self.todo[:1]]

    def order(self) -> list[str]:
        """The boxes that are still to run, the next first, ready or not."""
        return list(dict.fromkeys(self.keys[node] for node in self.todo))

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
        received, given = node.tensor.gradient(), answer_of(self.engine, "gradient", node.tensor.thing)
        before, values = [tensor.gradient() for tensor in sources], [one.numpy() for one in (node.tensor, *sources)]
        answer_of(self.engine, "run", node.tensor.thing)
        after = [tensor.gradient() for tensor in sources]
        node.scales, sent = tuple(map(_scale, before, after)), tuple(map(_change, before, after))
        self.remarks = [*self._remarks(node, received, sent), *self._writes(node, values, received, given)]
        self.ran_with.setdefault(node, []).append((len(self.progress.ran) + 1, received))
        del self.todo[0]
        self.remarks += [] if self.todo else self._left_out()
        self.touched = None if is_first else [self.keys[tensor.node] for tensor in (node.tensor, *sources)]
        return node, (received,), sent

    def close(self) -> None:
        """Nothing runs any more."""
        self.todo, self.has_begun = [], True

    def _begin(self) -> None:
        answer_of(self.engine, "start", self.root.thing)
        for tensor in self.root.graph.values():
            array = tensor.gradient()
            if array is not None and tensor is not self.root and np.any(array):
                self.initial[tensor.node] = array
                self.progress.sums[self.keys[tensor.node]][0] = array
        self.has_begun = True

    def _remarks(self, node: Node, received: Any, sent: tuple[Any, ...]) -> Iterator[Line]:
        """What is strange about a node that has run; the progress is still that from before."""
        key, progress = self.keys[node], self.progress
        held, earlier = progress.sums[key].get(0), self.ran_with.get(node, [])
        if progress.arrived[key] < progress.needed[key]:
            late = [progress.boxes[edge.target].name for edge in progress.live.values() if edge.source == key]
            late = [name for name in dict.fromkeys(late) if name not in progress.senders[key]]
            yield self._remark(
                f"{method_name(self.engine, 'order')} has it run when {progress.arrived[key]} of "
                f"{progress.needed[key]} gradients have arrived: before {', '.join(late)}, which sends to ",
                node,
            )
        if node in self.initial:
            yield self._remark(f"{in_words(self.initial[node])} was in ", node, " already when the pass began")
        passed_on = [array for _, array in earlier if array is not None]
        is_held = _agree(held, received)
        is_rest = not is_held and _agree(held, silent(np.add)(received, sum(passed_on)))
        if not (is_held or is_rest):
            yield self._remark(f"{in_words(held)} has arrived, and {in_words(received)} is in ", node)
        if earlier:
            yield self._of_another_run(node, sent, is_held, is_rest)

    def _of_another_run(self, node: Node, sent: tuple[Any, ...], is_held: bool, is_rest: bool) -> Line:
        """That a node has run before. Its gradient `is_held` whole and is passed on again, or `is_rest`, without what
        has been passed on.
        """
        step, last = self.ran_with[node][-1]
        again = f"{method_name(self.engine, 'order')} has it run again: at step {step} it passed on "
        if is_rest:
            more = ". That was taken out, so that each gradient is passed on once"
            return self._remark(f"{again}{in_words(last)} of ", node, more, alarm="")
        inputs = [child.tensor.text for child, _ in node.next_functions]
        too_much = [name for name, array in zip(inputs, sent, strict=True) if _is_some(array)]
        if not (is_held and _is_some(last) and too_much):
            return self._remark(f"{again}{'what' if last is None else f'the {in_words(last)} that'} was in ", node)
        gets = f"{enumeration(too_much)} {'gets' if len(too_much) == 1 else 'get'} too much"
        more = f". Now that is passed on once more, so {gets}. {SORTED}"
        return self._remark(f"{again}the {in_words(last)} that is still in ", node, more)

    def _left_out(self) -> Iterator[Line]:
        """At the end, which gradients were not passed on, since the node that holds one is not in the order, and
        which leaves lack what would have come from there.
        """
        for node, key in self.keys.items():
            held, before = node.tensor.gradient(), self.initial.get(node)
            has_arrived = _is_some(held) and (before is None or not np.array_equal(held, before))
            if key in self.progress.runs or is_leaf(node) or not has_arrived:
                continue
            leaves = sorted([one.tensor.text for one in reached([node]) if is_leaf(one)])
            named = [*leaves[:3], f"{len(leaves) - 3} more"] if len(leaves) > 4 else leaves
            never = f"{method_name(self.engine, 'order')} never has it run: the {in_words(held)} in "
            lack = f"{enumeration(named)} {'lacks' if len(leaves) == 1 else 'lack'} what comes that way"
            yield self._remark(never, node, f" is passed on to nobody, so {lack}")

    def _writes(self, node: Node, values: list[Any], received: Any, given: Any) -> Iterator[Line]:
        """What a run has written to and was to read only: values, and the gradient that the node was `given`."""
        run = f"{method_name(self.engine, 'run')} wrote to "
        for tensor, old in zip((node.tensor, *(child.tensor for child, _ in node.next_functions)), values, strict=True):
            if not np.array_equal(new := tensor.numpy(), old, equal_nan=True):
                self.writers.setdefault(self.keys[tensor.node], (len(self.progress.ran) + 1, node.tensor.text))
                changed = f", which was {in_words(old)} and is {in_words(new)}: whatever needs it later has that"
                yield line("item", ("alarm", "⚠ "), run, ("name", tensor.text), f"{changed}.")
        held = answer_of(self.engine, "gradient", node.tensor.thing)
        is_same_array = held is given and isinstance(given, np.ndarray) and held.any()  # all 0: it was taken out
        if is_same_array and not np.array_equal(held, received, equal_nan=True):
            yield self._remark(run, node, f", which was {in_words(received)} and is {in_words(held)}")

    def _remark(self, words: str, node: Node, more: str = "", alarm: str = "⚠ ") -> Line:
        return line("item", ("alarm", alarm), words, ("name", node.tensor.text), ("code", ".grad"), f"{more}.")


def _agree(one: Any, other: Any) -> bool:
    """Whether two gradients are the same up to rounding; where one is not known, they may be."""
    return one is None or other is None or bool(silent(np.allclose)(one, other, 1e-3, 1e-6, equal_nan=True))


def _is_some(gradient: Any) -> bool:
    return gradient is not None and bool(np.any(gradient))


@silent
def _change(before: Any, after: Any) -> Any:
    """What has been added to a gradient; None where nothing is there."""
    return after if before is None or after is None else np.where(before == 0, after, after - before)


def _scale(before: Any, after: Any) -> float:
    """How large the numbers are whose difference says what was sent: so precise it is."""
    return 0.0 if before is None or after is None or not np.any(before) else float(np.max(np.abs([before, after])))

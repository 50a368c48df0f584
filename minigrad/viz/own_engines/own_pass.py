"""The backward of a learner's own engine, one run of a node per step.

The order is the engine's own, and so is each node's run; what a node sends to an input is what its run changes that
input's gradient by. What should not happen in a backward (a node runs before all has arrived, or again, a gradient was
not empty at the beginning or is not what has arrived, a rule writes to what it was given) is remarked on at the step
where it happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.nodes import reachable
from minigrad.viz.graph.source import Pass
from minigrad.viz.graph.values import in_words, short
from minigrad.viz.steps.events import enumeration
from minigrad.viz.steps.frames import StoryLine
from minigrad.viz.steps.pass_progress import PassProgress
from minigrad.viz.steps.story import line
from minigrad.viz.steps.watching import FunctionWatcher

Node = Any  # an own_engines.own_source.OwnNode
SORTED = "Sorted, each node runs once, after all that use it"


class OwnPass(Pass):
    """The steps of one backward, and who is next in it. `source` is an OwnSource."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.todo = self._order()
        self.has_begun = False
        self.began: dict[Node, Any] = {}  # what gradients held when the pass began, where that is not 0
        self.keys: dict[Node, str] = {}
        self.writers: dict[str, tuple[int, str]] = {}
        self.ran_with: dict[Node, list[tuple[int, Any]]] = {}  # the steps at which each has run, and with what gradient
        self.differences: dict[Node, tuple[float, ...]] = {}

    def _order(self) -> list[Node]:
        """The nodes as the engine's backward runs them; ValueError for an order that is none."""
        source, root = self.source, self.source.root
        found: list[Node] = []
        for thing in source.nodes_from("order", root.thing):
            node = source.tensor(thing)
            if node is None:
                text = f"gave {short(thing)}, which is not among what the root was computed from"
                raise ValueError(f"{source.method('order')} {text}")
            found.append(node)
        if root not in found:
            text = f"gave {len(found)} nodes, and the root {source.text_of(root.thing)} is none of them"
            raise ValueError(f"{source.method('order')} {text}")
        return [node for node in found if not source.is_leaf(node)]

    # -- who is next, for the frames

    def plan(self, graph: Snapshot) -> list[str]:
        self.keys = {node: key for key, node in graph.node_of.items()}
        return [self.keys[node] for node in self.todo]

    def why_left_out(self, box: str) -> str:
        if box in self.progress.leaves:
            return "it is a leaf, whose gradient the nodes that use it add to"
        return f"{self.source.method('order')} does not have it run"

    def watch(self, graph: Snapshot, progress: PassProgress, watcher: FunctionWatcher) -> None:
        """There are no hooks here that could be noted."""
        self.progress = progress

    @property
    def forced(self) -> list[str]:  # type: ignore[override]
        return [self.keys[node] for node in self.todo[:1]]

    def order(self) -> list[str]:
        """Also those that are not ready."""
        return list(dict.fromkeys(self.keys[node] for node in self.todo))

    @property
    def initial(self) -> dict[str, Any]:  # type: ignore[override]
        return {self.keys[node]: array for node, array in self.began.items()}

    def scales(self, node: Node) -> tuple[float, ...]:
        return self.differences.get(node, ())

    # -- the steps

    def __next__(self) -> tuple[Node, tuple[Any, ...], tuple[Any, ...]]:
        is_first, self.touched = not self.has_begun, None
        if is_first:
            self._begin()
        if not self.todo:
            raise StopIteration
        node = self.todo[0]
        source, inputs = self.source, node.inputs
        received, given = source.gradient(node), source.answer("gradient", node.thing)
        before, values = [*map(source.gradient, inputs)], [*map(source.array, (node, *inputs))]
        source.answer("run", node.thing)
        after = [*map(source.gradient, inputs)]
        self.differences[node], sent = tuple(map(_scale, before, after)), tuple(map(_change, before, after))
        self.remarks = [*self._remarks(node, received, sent), *self._writes(node, values, received, given)]
        self.ran_with.setdefault(node, []).append((len(self.progress.ran) + 1, received))
        del self.todo[0]
        self.remarks += [] if self.todo else self._left_out()
        self.touched = None if is_first else [self.keys[one] for one in (node, *inputs)]
        return node, (received,), sent

    def close(self) -> None:
        """Nothing runs any more."""
        self.todo, self.has_begun = [], True

    def _begin(self) -> None:
        source = self.source
        source.answer("start", source.root.thing)
        for node, key in self.keys.items():
            array = source.gradient(node)
            if array is not None and node is not source.root and np.any(array):
                self.began[node] = self.progress.sums[key][0] = array
        self.has_begun = True

    def _remarks(self, node: Node, received: Any, sent: tuple[Any, ...]) -> Iterator[StoryLine]:
        """What is strange about a node that has run; the progress is still that from before."""
        key, progress = self.keys[node], self.progress
        held, earlier = progress.sums[key].get(0), self.ran_with.get(node, [])
        if progress.arrived[key] < progress.needed[key]:
            late = [progress.boxes[edge.target].name for edge in progress.live.values() if edge.source == key]
            came = [box.name for box in progress.senders[key, 0]]
            late = [name for name in dict.fromkeys(late) if name not in came]
            yield self._remark(
                f"{self.source.method('order')} has it run when {progress.arrived[key]} of "
                f"{progress.needed[key]} gradients have arrived: before {', '.join(late)}, which sends to ",
                node,
            )
        if node in self.began:
            yield self._remark(f"{in_words(self.began[node])} was in ", node, " already when the pass began")
        passed_on = [array for _, array in earlier if array is not None]
        is_held = _agree(held, received)
        is_rest = not is_held and _agree(held, silent(np.add)(received, sum(passed_on)))
        if not (is_held or is_rest):
            yield self._remark(f"{in_words(held)} has arrived, and {in_words(received)} is in ", node)
        if earlier:
            yield self._line_of_rerun(node, sent, is_held, is_rest)

    def _line_of_rerun(self, node: Node, sent: tuple[Any, ...], is_held: bool, is_rest: bool) -> StoryLine:
        """That a node has run before. Its gradient `is_held` whole and is passed on again, or `is_rest`, without what
        has been passed on.
        """
        step, last = self.ran_with[node][-1]
        again = f"{self.source.method('order')} has it run again: at step {step} it passed on "
        if is_rest:
            more = ". That was taken out, so that each gradient is passed on once"
            return self._remark(f"{again}{in_words(last)} of ", node, more, alarm="")
        inputs = [one.text for one in node.inputs]
        too_much = [name for name, array in zip(inputs, sent, strict=True) if _is_some(array)]
        if not (is_held and _is_some(last) and too_much):
            return self._remark(f"{again}{'what' if last is None else f'the {in_words(last)} that'} was in ", node)
        gets = f"{enumeration(too_much)} {'gets' if len(too_much) == 1 else 'get'} too much"
        more = f". Now that is passed on once more, so {gets}. {SORTED}"
        return self._remark(f"{again}the {in_words(last)} that is still in ", node, more)

    def _left_out(self) -> Iterator[StoryLine]:
        """At the end, which gradients were not passed on, since the node that holds one is not in the order, and
        which leaves lack what would have come from there.
        """
        for node, key in self.keys.items():
            held, before = self.source.gradient(node), self.began.get(node)
            has_arrived = _is_some(held) and (before is None or not np.array_equal(held, before))
            if key in self.progress.runs or self.source.is_leaf(node) or not has_arrived:
                continue
            leaves = sorted(one.text for one in reachable(self.source.edges, [node]) if self.source.is_leaf(one))
            named = [*leaves[:3], f"{len(leaves) - 3} more"] if len(leaves) > 4 else leaves
            never = f"{self.source.method('order')} never has it run: the {in_words(held)} in "
            lack = f"{enumeration(named)} {'lacks' if len(leaves) == 1 else 'lack'} what comes that way"
            yield self._remark(never, node, f" is passed on to nobody, so {lack}")

    def _writes(self, node: Node, values: list[Any], received: Any, given: Any) -> Iterator[StoryLine]:
        """What a run has written to and was to read only: values, and the gradient that the node was `given`."""
        run = f"{self.source.method('run')} wrote to "
        for one, old in zip((node, *node.inputs), values, strict=True):
            if not np.array_equal(new := self.source.array(one), old, equal_nan=True):
                self.writers.setdefault(self.keys[one], (len(self.progress.ran) + 1, node.text))
                changed = f", which was {in_words(old)} and is {in_words(new)}: whatever needs it later has that"
                yield line("item", ("alarm", "⚠ "), run, ("name", one.text), f"{changed}.")
        held = self.source.answer("gradient", node.thing)
        is_same_array = held is given and isinstance(given, np.ndarray) and held.any()  # all 0: it was taken out
        if is_same_array and not np.array_equal(held, received, equal_nan=True):
            yield self._remark(run, node, f", which was {in_words(received)} and is {in_words(held)}")

    def _remark(self, words: str, node: Node, more: str = "", alarm: str = "⚠ ") -> StoryLine:
        return line("item", ("alarm", alarm), words, ("name", node.text), ("code", ".grad"), f"{more}.")


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

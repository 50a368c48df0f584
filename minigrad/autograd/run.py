"""One backward run: which nodes it has to run and in what order, and what happens at each of them that is unusual.

Nodes run in the order of their sequence numbers, the most recently made first. A result is always made after its
inputs, so by the time that a node's turn comes, all the nodes that use its result have run and its gradient is
complete: sorting once says the same as counting at each node how many gradients are still to come, and costs a third. A
leaf has no place in that order; it gets its gradient right after the last node that uses it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence, Set
from functools import partial
from operator import attrgetter
from typing import Any

from minigrad.autograd import batching
from minigrad.autograd.anomaly_mode import warn_of_failure
from minigrad.autograd.fitting import fit
from minigrad.autograd.hooks import run_on_tuple
from minigrad.autograd.modes import modes, set_recording, thread
from minigrad.autograd.node import AccumulateGrad, Node
from minigrad.autograd.saved import PackedTensor
from minigrad.size import size_mismatch
from minigrad.stopping import sure_to_begin

Key = Any  # where a gradient arrives: a node (at its output 0) or a (node, output number)
Keys = Set[Key] | None
Captured = dict[Key, Any] | None
Roots = list[tuple[Key, Any]]  # where a run starts, and the gradient that it starts with there
Gradients = tuple[Any, ...]


def key_at(node: Any, output_nr: int) -> Key:
    return (node, output_nr) if output_nr else node


def node_at(key: Key) -> Any:
    return key[0] if isinstance(key, tuple) else key


class BackwardRun:
    """What a backward run starts from, where it goes and what it is to do there.

    `limits` is where the gradients arrive to which the run is limited, if it is. They go to `captured` or, where that
    is None, to `.grad`. `with run:` is around what it does: `thread.run` is the run that is going on, and if it is to
    be recorded, it is.
    """

    def __init__(self, roots: Roots, limits: Keys, captured: Captured, retain: bool | None, recorded: bool) -> None:
        self.roots, self.limits, self.captured, self.recorded = roots, limits, captured, recorded
        self.retain = recorded if retain is None else retain
        self.root_nodes = [node_at(key) for key, _ in roots]
        self.order: list[Node] = []
        self.leaves_after: dict[Node | None, list[AccumulateGrad]] = {}  # whose gradient is complete after each node
        self._outer: Any = None  # the run around this one, the grad mode there, and those of `with` blocks around that
        self.depth: int = 1 if thread.run is None else thread.run.depth + 1  # how many runs are within each other
        self.reached, self.useful = set[Node](), set[Node]()  # the nodes of a limited run, and which it has to run
        last_uses = self._find_nodes()
        if limits is not None:
            self._limit(limits, last_uses)
        for leaf, use in last_uses.items():
            self.leaves_after.setdefault(use, []).append(leaf)

    def _find_nodes(self) -> dict[AccumulateGrad, Node | None]:
        """Put the nodes in order; return the leaves, each with the node that uses it last (None: it is a root)."""
        order, roots = self.order, dict.fromkeys(self.root_nodes)
        last_uses: dict[Any, Node | None] = {root: None for root in roots if root.__class__ is AccumulateGrad}
        order += [root for root in roots if root.__class__ is not AccumulateGrad]
        met: set[Node | None] = {None, *order}
        for node in order:  # which grows while we walk it
            for next_node in node._next_nodes:
                if next_node in met:
                    continue
                if next_node.__class__ is AccumulateGrad:
                    last = last_uses.get(next_node)
                    if last is None or node._sequence < last._sequence:
                        last_uses[next_node] = node
                else:
                    met.add(next_node)
                    order.append(next_node)  # type: ignore[arg-type]
        order.sort(key=attrgetter("_sequence"), reverse=True)
        return last_uses

    def _limit(self, limits: Set[Key], last_uses: dict[AccumulateGrad, Node | None]) -> None:
        """Leave out what is not sought and does not lead there.

        Where gradients are only captured, what is sought itself need not run.
        """
        ends = {node_at(key) for key in limits if key is not None}
        useful = self.useful
        if self.captured is None:
            useful.update(ends)
        for node in reversed(self.order):  # inputs before results
            if any(next_node in ends or next_node in useful for next_node in node._next_nodes):
                useful.add(node)
        kept = ends.union(self.root_nodes)  # the hooks of a root's tensor run in any case
        self.order = [node for node in self.order if node in useful or node in kept]
        self.reached.update(self.order)
        for leaf in list(last_uses):  # a root that others use waits for their gradients, which do not come
            if leaf not in ends and (leaf not in kept or last_uses[leaf] is not None):
                del last_uses[leaf]

    # -- asked by hooks, and by functions that run inside

    def __enter__(self) -> None:
        self._outer = thread.run, thread.grad_enabled, self._outer
        thread.run = self
        if self.recorded and not thread.grad_enabled:
            set_recording(True)

    @sure_to_begin
    def __exit__(self, *error: object) -> None:
        thread.run, grad_enabled, self._outer = self._outer
        if grad_enabled is not thread.grad_enabled:
            set_recording(grad_enabled)

    def nodes(self) -> Iterable[Node]:
        """All that the run comes to, leaves as well."""
        return itertools.chain(self.order, *self.leaves_after.values())

    def count(self, nodes: list[Node | None]) -> int:
        """How many of these nodes the run comes to; as in PyTorch, not counting its root if there is one alone."""
        on_the_way = set(self.nodes()).difference(self.root_nodes if len(self.root_nodes) == 1 else ())
        return sum(node in on_the_way for node in nodes)

    # -- asked by the loop

    def keys(self, node: Node) -> Sequence[Key]:
        """Where a node's outgoing gradients go; None for those that are not wanted.

        A node that is sought for one of its outputs gets the gradients of all: they may have hooks.
        """
        keys = node._next_nodes if node._output_nrs is None else [key_at(*edge) for edge in node.next_functions]
        if (limits := self.limits) is None:
            return keys
        return [key if key in limits or node_at(key) in self.reached else None for key in keys]

    def run_node(self, node: Node, incoming: Gradients, keys: Sequence[Key]) -> tuple[Gradients, Gradients | None]:
        """Run a node that has hooks or a witness, or of which not all gradients are wanted. Return the gradients that
        went in, and those that came out; None for the latter if the node only had to be reached.

        Like PyTorch, grad() captures what it seeks after the hooks of the tensor, but before them if the node is to run
        as well.
        """
        if modes.profiler is not None:
            modes.profiler.next_node(node)
        runs = self.limits is None or node in self.useful
        with self:
            before = incoming
            if node._hooks is not None:
                incoming = node._hooks.run_for_tensors(node, incoming, self.recorded)
            if self.captured is not None:
                for number, gradient in enumerate(before if runs else incoming):
                    key = key_at(node, number)
                    if key in self.limits and gradient is not None:  # type: ignore[operator]
                        self.captured[key] = gradient
            return self._run_between_hooks(node, incoming, keys) if runs else (incoming, None)

    def run_leaf(self, leaf: AccumulateGrad, gradient: Any) -> Gradients | None:
        """Run a leaf's node with the gradient. Return what came out; None if it only had to be reached."""
        try:
            return self.run_node(leaf, (gradient,), ())[1]
        except Exception as error:
            self.explain(leaf, error)
            raise

    def _run_between_hooks(self, node: Node, incoming: Gradients, keys: Sequence[Key]) -> tuple[Gradients, Gradients]:
        hooks, recorded = node._hooks, self.recorded
        if hooks is not None:
            incoming = run_on_tuple("node_prehook", node, hooks.before, recorded, incoming)
        is_idle = all(gradient is None for gradient in incoming) and not node._is_custom
        outgoing: Gradients = (None,) * len(node._next_nodes) if is_idle else self._apply(node, incoming)
        if not node._is_custom and not (node._gives_all and any(key is not None for key in keys)):
            outgoing = tuple([None if key is None else passed for passed, key in zip(outgoing, keys, strict=True)])
        if hooks is not None:
            outgoing = fit(node, outgoing)
            if isinstance(node, AccumulateGrad):
                hooks.run_after_accumulate(node, node.variable, recorded)
            outgoing = run_on_tuple("node_hook", node, hooks.after, recorded, outgoing, incoming)
        return incoming, outgoing

    def _apply(self, node: Node, incoming: Gradients) -> Gradients:
        """Run a node's rules, on tensors and with what they do recorded if the run is."""
        apply: Any = node.apply_recorded if self.recorded else node.apply
        if not self.recorded and batching.Batched in map(type, incoming):
            apply = partial(batching.apply_to_rows, node)
        if (profiler := modes.profiler) is not None:
            apply = partial(profiler.call_timed, node, apply)
        if not self.recorded:
            return apply(*incoming)
        outer, thread.evaluating = thread.evaluating, node
        try:
            return apply(*incoming)
        finally:
            thread.evaluating = outer

    def explain(self, node: Node, error: Exception) -> None:
        """Say what is known of a node that could not be run."""
        if thread.witness is not None:
            thread.witness.node_failed(node)
        if modes.anomaly is not None:
            warn_of_failure(node)
        of_rule = isinstance(error, ValueError) and not node._is_custom and not isinstance(node, AccumulateGrad)
        if of_rule and any(word in str(error) for word in ("broadcast", "dimension", "reshape")):
            shapes = [list(map(int, re.findall(r"\d+", shape))) for shape in re.findall(r"\([\d,]*\)", str(error))]
            mismatch = size_mismatch(node.name(), *shapes) if len(shapes) == 2 else None  # as numpy's text says them
            cause = "a tensor that it saved was given another shape, by `.data = ...`, after the forward pass"
            if any(isinstance(kept, PackedTensor) for kept in node._kept or ()):
                cause = "an unpack hook gave a tensor of another shape than the one that was packed"
            text = f"{node.name()} could not compute its gradient, since the sizes do not match: {cause}."
            raise RuntimeError(f"{mismatch or error}\n{text}") from None

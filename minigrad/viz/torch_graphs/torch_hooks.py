"""Hooks of PyTorch's tensors and nodes: which ones run, and what each changes.

A frame can name a hook that PyTorch runs. Python's hooks lie in plain dicts, which PyTorch looks up when it calls them:
while a pass is under way, each entry is replaced by one that notes what goes in and what comes out. A tensor's dict is
found through the tensor, so the hooks of one that is gone stay unseen; that they ran is seen by what they changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from minigrad.ops.silence import silent
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.source import Source
from minigrad.viz.steps.watching import FunctionWatcher, Note
from minigrad.viz.torch_graphs import saved_tensors

Entries = dict[Any, Any]  # PyTorch's number of a hook -> the hook
OURS = "minigrad.viz.torch_graphs"  # the module of this stepper's hooks, and of any other's
UNSEEN: Any = SimpleNamespace(__name__="that PyTorch ran")  # stands for the learner's function


class HookWatch:
    """Puts the watcher's eyes on the hooks of one pass, and takes them off again.

    Args:
        graph: whose nodes run.
        watcher: who notes what hooks do.
        is_ours: whether it is this pass that is running, and not another backward over the same graph.
    """

    def __init__(self, graph: Snapshot, watcher: FunctionWatcher, is_ours: Callable[[], bool]) -> None:
        self.watcher = watcher
        self.is_ours = is_ours
        self.source = graph.source
        self.results = graph.results
        self.nodes = [node for node in graph.nodes if node is not None]
        self.known = list(_hooks_of_saved(graph.source, self.nodes))
        self.before: dict[Any, Any] = {}  # node -> the dict of its prehooks
        self.replaced: dict[tuple[int, Any], tuple[Entries, Any, Any]] = {}
        self.held: list[tuple[Any, Any]] = []

    def put_on(self, handles: list[Any]) -> None:
        """Before a step: see to all hooks that there are by now. `handles` are our own, one for each node."""
        for node, handle in zip(self.nodes, handles, strict=True):
            if node not in self.before:
                own = node.register_prehook(lambda gradients: None)
                self.before[node] = own.hooks_dict_ref()
                own.remove()
            self._replace("node_prehook", node, self.before[node])
            self._replace("node_hook", node, handle.hooks_dict_ref())
            raw = self.source.leaf(node)
            if raw is not None:
                self._replace("tensor_hook", node, raw._backward_hooks)
                self._replace("post_accumulate", node, raw._post_accumulate_grad_hooks)
        for tensor in self.results:
            self._replace("tensor_hook", tensor.grad_fn, tensor._backward_hooks)
        for node, entries in self.known:
            self._replace("tensor_hook", node, entries)
        copy_of = self.watcher.copy_of
        self.held = [(tensor, copy_of(tensor.grad)) for tensor in self.results if tensor.retains_grad]

    def _replace(self, kind: str, node: Any, entries: Entries | None) -> None:
        entries = entries or {}
        for number, hook in list(entries.items()):
            if not str(getattr(hook, "__module__", "")).startswith(OURS):
                entries[number] = watched = self._only_ours(hook, self.watcher.around(kind, node, hook))
                self.replaced[id(entries), number] = entries, hook, watched

    def _only_ours(self, hook: Callable[..., Any], watched: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: (watched if self.is_ours() else hook)(*arguments)

    def after(self, node: Any) -> None:
        """After a step: note what the results of the node that ran have retained."""
        for tensor, before in self.held:
            if tensor.grad_fn is node:
                self.watcher.notes.append(
                    self.watcher.note_of_retained(node, before, self.watcher.copy_of(tensor.grad))
                )

    def received_gradients(self, node: Any, incoming: tuple[Any, ...]) -> tuple[Any, ...]:
        """What came in to a node. A leaf may take the very tensor that came as its `.grad`, which post-accumulate hooks
        then change: what that was before comes from what was noted of them.
        """
        note = next((note for note in self.watcher.notes_of(node) if note.kind == "post_accumulate"), None)
        grad = node.variable.grad if note is not None else None
        memory = self.source.memory
        if note is None or grad is None or memory(grad) != memory(incoming[0]):
            return incoming
        return (incoming[0].new_tensor(note.before[0]),)

    def left_by_rule(self, node: Any, outgoing: tuple[Any, ...]) -> list[Any]:
        """The gradients that a node's own rule gave, as arrays, before its hooks changed them."""
        note = next((note for note in self.watcher.notes_of(node) if note.kind == "node_hook"), None)
        return [*map(self.watcher.copy_of, outgoing)] if note is None else list(note.before)

    def take_off(self) -> None:
        """Put every hook back, but for those that were removed meanwhile."""
        for (_, number), (entries, hook, watched) in self.replaced.items():
            if entries.get(number) is watched:
                entries[number] = hook
        self.replaced.clear()


def _hooks_of_saved(source: Source, nodes: Iterable[Any]) -> Iterator[tuple[Any, Entries]]:
    """The hooks of tensors that are no more than what a node has saved."""
    there = set(nodes)
    for node in nodes:
        for parameter in saved_tensors.parameters(node):
            kept = source.tensor(source.saved_value(node, parameter))
            if kept is not None and kept.grad_fn in there and kept._backward_hooks:
                yield kept.grad_fn, kept._backward_hooks


def unseen_hooks(
    source: Source, box: str, arrived: Mapping[int, Any], incoming: tuple[Any, ...], known: list[Note]
) -> list[Note]:
    """A note for each of a node's gradients that is not what had arrived, nor what the hooks that were seen left.

    Args:
        box: the box of the node.
        arrived: number of an output -> the sum of the gradients that were sent to it, as an array.
        incoming: the gradients that the node was run with.
        known: what the hooks did that were seen at this step.
    """
    notes = []
    for number, gradient in enumerate(incoming):
        if gradient is None or number not in arrived:
            continue
        # PyTorch rounds each sum to the gradient's type; of two bytes, that shows.
        near = 2e-2 if gradient.element_size() <= 2 else 1e-5
        now = np.array(arrived[number])
        for note in known:
            if note.box != box or note.kind not in ("tensor_hook", "node_prehook") or note.error is not None:
                continue
            place = number if note.kind == "node_prehook" else 0
            if note.before[place] is None or not _equal(now, note.before[place], near):
                if len(incoming) > 1:
                    continue  # the hook of another output, to which maybe nothing was sent
                notes.append(_note_of_unseen(box, now, note.before[place]))
            now = note.after[place]
        after = np.array(source.array(gradient))
        if not _equal(now, after, near):
            notes.append(_note_of_unseen(box, now, after))
    return notes


def _note_of_unseen(box: str, before: Any, after: Any) -> Note:
    return Note("tensor_hook", box, UNSEEN, (before,), (after,))


def _equal(one: Any, other: Any, near: float) -> bool:
    """Whether two gradients are the same but for rounding."""
    size = np.abs(other)
    largest = float(np.max(size, initial=0.0, where=np.isfinite(size)))
    return bool(one.shape == other.shape and silent(np.allclose)(one, other, near, near * largest, equal_nan=True))

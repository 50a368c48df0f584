"""PyTorch's own backward, stopped after each node.

A stepped pass gives the very numbers of `backward()` since it is `backward()`. It runs in a thread of its own, with one
hook of ours on each node, behind the learner's: there the thread waits until the next step is asked for. So the
order, the sums, the types and every hook are PyTorch's, also where they could not be called by hand (custom Functions,
hooks of tensors that are gone, checkpoints).

A pass that is given up ends at once: the hook that waits raises, and no node runs after it. Nothing of ours stays on
the graph then, nor after the last step; and hooks hold no nodes, since a circle through PyTorch's memory is one that
Python cannot see and never frees.
"""

from __future__ import annotations

import _thread
import contextlib
import contextvars
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from minigrad.autograd.arguments import NO_GRAPH, NOT_SCALAR
from minigrad.stopping import raise_in
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.source import Pass
from minigrad.viz.steps.pass_progress import PassProgress
from minigrad.viz.steps.watching import FunctionWatcher, Note
from minigrad.viz.torch_graphs import formulas
from minigrad.viz.torch_graphs.queue import ReadyQueue
from minigrad.viz.torch_graphs.torch_hooks import HookWatch, unseen_hooks

PATIENCE = 1.0  # seconds in which a thread that is interrupted comes to its end, unless it is in a long call into C
Given = tuple[int, tuple[Any, ...], tuple[Any, ...]]  # number of a node, gradients in, gradients out


def _backward_call(root: Any, start: Any, retain_graph: Any, create_graph: bool, inputs: Any) -> Callable[[], None]:
    """`root.backward()` of PyTorch's. Wrong arguments raise now, before anything has run.

    Raises RuntimeError or TypeError, in PyTorch's words and some more, for a root that needs weights and has none, for
    weights of another shape and for `inputs` that are empty or need no gradient.
    """
    torch: Any = sys.modules["torch"]
    if root.grad_fn is None:
        raise RuntimeError(NO_GRAPH.format(0))
    if start is None and root.numel() != 1:
        raise RuntimeError(NOT_SCALAR.format(list(root.shape)))
    torch.autograd._make_grads((root,), (start,), is_grads_batched=False)  # raises what backward() would
    wanted = inputs if inputs is None else [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
    for tensor in wanted or ():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(
                "`inputs` argument to `backward()` must be tensors of PyTorch's, as the root is, but one is "
                f"{type(tensor).__name__}"
            )
        if not tensor.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    if wanted is not None and not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")

    def call(root: Any = root) -> None:
        torch.autograd.backward(root, start, retain_graph=retain_graph, create_graph=create_graph, inputs=wanted)

    return call


class _Abandoned(BaseException):
    """Ends a pass that will not be gone on with. No Exception, so that no learner's `except Exception` catches it."""


class _Bell:
    """Wakes the one thread that waits for it. That thread finds out itself what has changed.

    It is a bare lock. The classes of `threading` take a lock inside: the stop button in the middle of that could leave
    it held, and the other thread waiting for ever.
    """

    def __init__(self) -> None:
        self.silent = threading.Lock()
        self.silent.acquire()
        self.wait = self.silent.acquire

    def ring(self) -> None:
        with contextlib.suppress(RuntimeError):  # it rings already
            self.silent.release()


class _Gate:
    """Where the thread of a pass waits. It knows nodes by their numbers only."""

    def __init__(self) -> None:
        self.go, self.came = _Bell(), _Bell()
        self.begun = False
        self.running = False  # whether the thread may run; else it waits, or has not begun
        self.over = False
        self.ended = False  # of the thread: `over` is also said of a pass that was given up
        self.abandoned = False
        self.error: BaseException | None = None
        self.step: Given | None = None
        self.task: int | None = None  # PyTorch's number of this backward, by which others on the graph are told apart
        self.thread = 0  # its number
        self.handles: list[Any] = []
        self.hooks: Any = None  # the HookWatch

    def is_running(self) -> bool:
        """Whether it is this backward that runs a node, just now and on this thread."""
        task = sys.modules["torch"]._C._current_graph_task_id()
        if self.task is None and threading.get_ident() == self.thread:
            self.task = task
        return bool(task == self.task)

    def hook(self, number: int) -> Callable[[Any, Any], None]:
        """The hook of one node: hand over what it did, and wait."""

        def after(outgoing: Any, incoming: Any) -> None:
            if self.is_running():  # else it is another backward, over a piece of this graph
                self.wait((number, incoming, outgoing))

        return after

    def wait(self, step: Given) -> None:
        self.step, self.running = step, False
        self.came.ring()
        del step
        while not (self.running or self.abandoned):
            self.go.wait()
        if self.abandoned:
            raise _Abandoned

    def run(self, context: contextvars.Context, call: Callable[[], None]) -> None:
        """The thread: the whole backward."""
        self.thread = threading.get_ident()
        try:
            context.run(call)
        except _Abandoned:
            pass
        except BaseException as error:
            self.error = error
        finally:
            del call
            self.over, self.ended, self.running = True, True, False
            self.came.ring()

    def interrupt(self, kind: type[BaseException]) -> None:
        """Raise in the thread what has ended the waiting for it: else a hook that has no end would go on behind it."""
        raise_in(self.thread, kind)
        latest = time.monotonic() + PATIENCE
        while self.running and time.monotonic() < latest:
            self.came.wait(timeout=0.1)

    def abandon(self) -> None:
        """Let the thread end, without running another node."""
        self.abandoned = True
        self.go.ring()
        latest = time.monotonic() + 10  # it waits in our hook, so there is nothing long in its way
        while self.begun and not self.ended and self.thread != threading.get_ident() and time.monotonic() < latest:
            self.came.wait(timeout=0.1)
        self.take_off()

    def take_off(self) -> None:
        for handle in self.handles:
            handle.remove()
        self.handles.clear()
        if self.hooks is not None:
            self.hooks.take_off()
            self.hooks = None


class TorchPass(Pass):
    """The steps of one backward. What PyTorch frees at a step, it frees when the next is asked for."""

    def __init__(self, source: Any, gradient: Any, retain_graph: bool | None, create_graph: bool, inputs: Any) -> None:
        self.call: Any = _backward_call(source.root, gradient, retain_graph, create_graph, inputs)
        self.retain = create_graph if retain_graph is None else retain_graph
        self.source = source
        self.nodes: list[Any] = []
        self.useful: set[Any] = set()
        self.queue = ReadyQueue()
        self.gate = _Gate()
        self.end = weakref.finalize(self, self.gate.abandon)

    def watch(self, graph: Snapshot, progress: PassProgress, watcher: FunctionWatcher) -> None:
        """Learn the nodes of a graph and which of them run, and let a watcher see the learner's hooks."""
        self.nodes = list(graph.node_of.values())
        self.useful = {graph.node_of[key] for key in progress.runs}
        self.gate.hooks = HookWatch(graph, watcher, self.gate.is_running)
        self.source.freed.difference_update(self.nodes)

    def note_ready(self, number: int, box: str) -> None:
        self.queue.push(number, box)

    def note_run(self, box: str) -> None:
        self.queue.ran(box)

    def order(self) -> list[str]:
        return self.queue.order()

    def notes_unseen(
        self, box: str, arrived: Mapping[int, Any], incoming: tuple[Any, ...], known: list[Note]
    ) -> list[Note]:
        return unseen_hooks(self.source, box, arrived, incoming, known)

    def close(self) -> None:
        """Give the pass up, as a generator is closed."""
        self.call = None
        self.gate.over = True
        self.end()

    def __next__(self) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
        source = self.source
        while True:
            number, incoming, outgoing = self._more()
            node, hooks = self.nodes[number], self.gate.hooks
            is_leaf = source.is_leaf(node)
            # PyTorch also runs leaves that no gradient reached.
            if node not in self.useful or (is_leaf and incoming[0] is None):
                continue
            if not (self.retain or is_leaf):
                source.freed.add(node)
            hooks.after(node)
            came = hooks.received_gradients(node, incoming)
            source.explained[node] = formulas.explain(source, node, came, hooks.left_by_rule(node, outgoing))
            return node, came, outgoing

    def _more(self) -> Given:
        """Let the thread run to the end of its next node."""
        gate = self.gate
        if self.call is not None and not gate.begun:
            for handle in gate.handles:  # of a beginning that was stopped
                handle.remove()
            gate.handles = [node.register_hook(gate.hook(number)) for number, node in enumerate(self.nodes)]
        for handle in gate.handles:  # behind hooks that were added since: PyTorch goes on with what we hand over
            hooks = handle.hooks_dict_ref()
            if hooks is not None and handle.id in hooks:
                hooks[handle.id] = hooks.pop(handle.id)  # PyTorch goes by the plain dict's order
        if gate.handles:
            gate.hooks.put_on(gate.handles)
        # Where a wait was interrupted from the keyboard, the step may have come since, or still be under way.
        if gate.step is None and not gate.over and not gate.running:
            start: Any = contextvars.copy_context(), self.call
            begun, gate.begun, gate.running = gate.begun, True, True
            if not begun:  # no waiting pass keeps Python from ending: such a thread is a daemon; `end` ends it before
                _thread.start_new_thread(gate.run, start)
        self.call = None
        try:
            while gate.running:
                gate.go.ring()
                gate.came.wait()
        except BaseException as stop:
            gate.interrupt(type(stop))
            if gate.error is None:  # else that is the same, and knows the line
                raise
        step, error = gate.step, gate.error
        gate.step = gate.error = None
        if gate.over:
            gate.take_off()
        if error is not None:
            raise error
        if step is None:
            raise StopIteration
        return step

"""What is written down while a profiler is on: an event for each call, with the time at which it began and ended.

Each thread has a log: its events in the order in which they began, and the one that is open now, which is the parent of
the next to begin. All that is not the call itself (shapes, bytes) is noted outside of the two readings of the clock.

A backward run is told by the engine: `next_node` where it turns to a node, `timed` around the node's own rules. So a
node has two events, as in PyTorch: `autograd::engine::evaluate_function: MulBackward0` with the hooks and the sums of
gradients, and in it `MulBackward0`, the rules alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from minigrad.autograd.graph import ON_DEMAND, AccumulateGrad, Node
from minigrad.autograd.profiler.events import FunctionEvent, linked
from minigrad.autograd.profiler.names import BACKWARD, FUNCTION
from minigrad.autograd.profiler.watching import Watch
from minigrad.tensor import Tensor


class _Log:
    """What one thread does."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.name = threading.current_thread().name
        self.events: list[FunctionEvent] = []
        self.open: FunctionEvent | None = None
        self.run: object = None  # the backward run that goes on


class Recording:
    """All that one profiler writes down."""

    def __init__(self, clock: Callable[[], int], shapes: bool, memory: bool) -> None:
        self.clock = clock
        self.with_shapes = shapes
        self.with_memory = memory
        self.ended: int | None = None
        self._began = 0
        self._logs: list[_Log] = []
        self._here = threading.local()
        self._watch = Watch(self)
        self._lock = threading.Lock()

    def start(self) -> None:
        self._watch.begin()
        self._began = self.clock()

    def stop(self) -> list[FunctionEvent]:
        """End it, and return its events."""
        self.ended = self.clock()
        self._watch.end()
        return linked([event for log in self._logs for event in list(log.events)], self._began, self.ended)

    def _log(self) -> _Log:
        """This thread's log."""
        try:
            log: _Log = self._here.log
        except AttributeError:
            with self._lock:
                log = self._here.log = _Log(len(self._logs) + 1)
                self._logs.append(log)
        return log

    # -- functions

    def watch_op(self, call: FunctionType) -> None:
        """Have an op's calls recorded, from its first one on."""
        self._watch.watch_op(call)

    def call(self, name: str, function: Callable[..., Any], arguments: Any, options: Any, scope: int = FUNCTION) -> Any:
        """Call a function, as an event."""
        event = self.begin(name, scope, arguments)
        result = None
        try:
            result = function(*arguments, **options)
            return result
        finally:
            self.end(event, result, (arguments, options))
            event.sequence_nr = _made_node_number(result, arguments)

    def begin(self, name: str, scope: int, inputs: Any = ()) -> FunctionEvent:
        """Open an event in this thread."""
        log = self._log()
        event = FunctionEvent(name, scope, log)
        log.events.append(event)
        if self.with_shapes:
            event.input_shapes = [_shape(value) for value in inputs]
        log.open = event
        event.began = self.clock()
        return event

    def end(self, event: FunctionEvent, result: Any = None, inputs: Any = ()) -> None:
        """Close an event that `begin` opened: the next one to begin is again a child of what is open then."""
        now = self.clock()
        if self.ended is not None:
            return
        event.ended = now
        if event.log.open is event:
            event.log.open = event.cpu_parent
        if self.with_memory:
            _count_bytes(event, result, inputs)

    # -- the engine

    def backward_run(self, steps: Iterator[Any]) -> Iterator[Any]:
        """The steps of a backward run, the last of whose events ends with it."""
        log = self._log()
        outer, log.run = log.run, object()
        try:
            yield from steps
        finally:
            self._end_node(log)
            log.run = outer

    def next_node(self, node: Node) -> None:
        """The engine turns to a node: the event of the one before ends here."""
        log = self._log()
        if log.run is None:
            return  # somebody takes the steps one by one: the time between them is not the engine's
        self._end_node(log)
        event = self.begin(f"autograd::engine::evaluate_function: {_node_name(node)}", FUNCTION)
        event.run = log.run
        event.sequence_nr = _node_number(node)

    def _end_node(self, log: _Log) -> None:
        if log.open is not None and log.open.run is log.run is not None:
            self.end(log.open)

    def timed(self, node: Node, apply: Callable[..., Any]) -> Callable[..., Any]:
        """A node's `apply` as an event."""
        return partial(self._apply, node, apply)

    def _apply(self, node: Node, apply: Callable[..., Any], *gradients: Any, **options: Any) -> Any:
        leaf = node.variable if isinstance(node, AccumulateGrad) else None
        inputs = (gradients, node._kept if leaf is None else leaf.grad)  # before they are freed
        event = self.begin(_node_name(node), BACKWARD, gradients)
        event.sequence_nr = _node_number(node)
        outgoing = None
        try:
            outgoing = apply(*gradients, **options)
            return outgoing
        finally:
            self.end(event, outgoing if leaf is None else leaf.grad, inputs)


def _node_name(node: Node) -> str:
    """A node's name as PyTorch's profiler shows it."""
    return "torch::autograd::AccumulateGrad" if isinstance(node, AccumulateGrad) else type(node).__name__


def _node_number(node: Node) -> int:
    return -1 if isinstance(node, AccumulateGrad) else node._sequence


def _made_node_number(result: Any, arguments: Any) -> int:
    """The number of the node that a call made; -1 if it made none."""
    made = result[0] if isinstance(result, tuple | list) and result else result
    node = made._node if isinstance(made, Tensor) else None
    if node is None or node is ON_DEMAND or any(made is argument for argument in arguments):
        return -1
    return node._sequence


def _shape(value: Any) -> list[Any]:
    """A tensor's shape; of a list of tensors, theirs; [] of anything else."""
    if isinstance(value, list | tuple):
        return [_shape(item) for item in value if isinstance(item, Tensor)]
    return list(value.shape) if hasattr(value, "shape") else []


def _count_bytes(event: FunctionEvent, result: Any, inputs: Any) -> None:
    """Note the memory that is new in a call's result: it came neither with the inputs nor from a call within.

    So a view takes nothing. What a kernel needs only while it runs is not seen, nor what Python frees later; and a
    single number without dimensions, which numpy keeps as a scalar, is not counted.
    """
    new = {id(owner): owner.nbytes for owner in _owners(result)}
    for known in [*event.returned, *(id(owner) for owner in _owners(inputs))]:
        new.pop(known, None)
    event.returned |= new.keys()
    event.cpu_memory_usage += sum(new.values())
    if event.cpu_parent is not None:
        event.cpu_parent.cpu_memory_usage += event.cpu_memory_usage
        event.cpu_parent.returned |= event.returned


def _owners(value: Any) -> Iterator[Any]:
    """The arrays that own the memory of the arrays and tensors in a value."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple | list):
            waiting.extend(item)
        elif isinstance(item, dict):
            waiting.extend(item.values())
        array = item._array if isinstance(item, Tensor) else item
        while isinstance(array, np.ndarray):
            if array.base is None:
                yield array
            array = array.base

"""What is written down while a profiler is on: an event for each call, with the time at which it began and ended.

Each thread has a log: its events in the order in which they began, and the one that is open now, which is the parent of
the next to begin. All that is not the call itself (shapes, bytes) is noted outside of the two readings of the clock.

A backward run is told by the engine: `next_node` where it turns to a node, `call_timed` around the node's own rules. So
a node has two events, as in PyTorch: `autograd::engine::evaluate_function: MulBackward0` with the hooks and the sums of
gradients, and in it `MulBackward0`, the rules alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from minigrad.autograd.node import ON_DEMAND, AccumulateGrad, Node
from minigrad.autograd.profiler.events import FunctionEvent, link_events
from minigrad.autograd.profiler.names import BACKWARD, FUNCTION, USER
from minigrad.autograd.profiler.watched_functions import Watch
from minigrad.tensor import Tensor


class _Here(threading.local):
    """What one thread is in the middle of."""

    def __init__(self) -> None:
        self.thread = getattr(threading, "get_native_id", threading.get_ident)()  # in a browser there is no other
        self.open: FunctionEvent | None = None
        self.run: object = None  # the backward run that goes on


class EventLog:
    """All that one profiler writes down."""

    def __init__(self, clock: Callable[[], int], shapes: bool, memory: bool) -> None:
        self.clock = clock
        self.with_shapes = shapes
        self.with_memory = memory
        self.events: list[FunctionEvent] = []  # of all threads
        self.ended: int | None = None
        self._began = 0
        self._here = _Here()
        self.watch = Watch(self)

    def start(self) -> None:
        self.watch.begin()
        self._began = self.clock()

    def stop(self) -> list[FunctionEvent]:
        """End it, and return its events."""
        self.ended = self.clock()
        self.watch.end()
        return link_events(list(self.events), self._began, self.ended)

    # -- functions

    def call(self, name: str, function: Callable[..., Any], arguments: Any, options: Any, scope: int = FUNCTION) -> Any:
        """Call a function, as an event. A function that hands over to an op of its own name is one event with it."""
        outer = self._here.open
        if outer is not None and outer.name == name:
            return function(*arguments, **options)
        event = self.begin(name, scope, arguments)
        result = None
        try:
            result = function(*arguments, **options)
            return result
        finally:
            self.end(event, result, (arguments, *options.values()))
            event.sequence_nr = _made_node_number(result, arguments)

    def step(self, step: Callable[..., Any], optimizer: Any, arguments: Any, options: Any) -> Any:
        """Call an optimizer's `step`, as an event."""
        name = f"Optimizer.step#{type(optimizer).__name__}.step"
        return self.call(name, step, (optimizer, *arguments), options, USER)

    def begin(self, name: str, scope: int, inputs: Any = ()) -> FunctionEvent:
        """Open an event in this thread."""
        event = FunctionEvent(name, scope, self._here.thread, self._here.open)
        if self.with_shapes:
            event.input_shapes = [_shape(value) for value in inputs]
        self.events.append(event)
        self._here.open = event
        event.began = self.clock()
        return event

    def end(self, event: FunctionEvent, result: Any = None, inputs: Any = ()) -> None:
        """Close an event that `begin` opened: the next one to begin is again a child of what is open then."""
        now = self.clock()
        if self.ended is not None:
            return
        event.ended = now
        if self._here.open is event:
            self._here.open = event.cpu_parent
        if self.with_memory:
            _count_bytes(event, result, inputs)

    # -- the engine

    def backward_run(self, steps: Iterator[Any]) -> Iterator[Any]:
        """The steps of a backward run, the last of whose events ends with it."""
        outer, self._here.run = self._here.run, object()
        try:
            yield from steps
        finally:
            self._end_node()
            self._here.run = outer

    def next_node(self, node: Node) -> None:
        """The engine turns to a node: the event of the one before ends here."""
        if self._here.run is None:
            return  # a stepper takes the steps one by one: the time between them is not the engine's
        self._end_node()
        event = self.begin(f"autograd::engine::evaluate_function: {_node_name(node)}", FUNCTION)
        event.run, event.node = self._here.run, id(node)
        event.sequence_nr = _node_number(node)

    def _end_node(self) -> None:
        event = self._here.open
        if event is not None and event.run is self._here.run is not None:
            self.end(event)

    def apply_of_leaf(self, leaf: AccumulateGrad) -> Callable[..., Any]:
        """The engine turns to a leaf: its `apply`, as an event."""
        self.next_node(leaf)
        return partial(self.call_timed, leaf, leaf.apply)

    def call_timed(self, node: Node, apply: Callable[..., Any], *gradients: Any, **options: Any) -> Any:
        """Call a node's `apply`, as an event."""
        leaf = node.variable if isinstance(node, AccumulateGrad) else None
        inputs = (gradients, node._kept if leaf is None else leaf.grad)  # before they are freed
        event = self.begin(_node_name(node), BACKWARD, gradients)
        event.sequence_nr, event.node = _node_number(node), id(node)
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
    return list(value.shape) if isinstance(value, Tensor | np.ndarray | np.generic) else []


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
    if isinstance(value, tuple | list):
        for item in value:
            yield from _owners(item)
    array = value._array if isinstance(value, Tensor) else value
    while isinstance(array, np.ndarray):
        if array.base is None:
            yield array
        array = array.base

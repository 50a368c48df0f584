"""What is written down while a profiler is on: one record per call, with the time at which it began and ended.

After this module a reader knows what an event is and how events nest. Each thread has a log: its records in the order
in which they began, and the one that is open now, which is the parent of the next to begin. All that is not the call
itself (shapes, lines of code, bytes) is noted outside of the two readings of the clock. What is known of an event only
later, such as its self time, is worked out when somebody asks (events.py).

A backward run is told by the engine: `next_node` where it turns to a node, `timed` around the node's own rules. So a
node has two events, as in PyTorch: `autograd::engine::evaluate_function: MulBackward0` with the hooks and the sums of
gradients, and in it `MulBackward0`, the rules alone.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FrameType, FunctionType
from typing import Any

from minigrad.autograd.graph import ON_DEMAND, AccumulateGrad, Node
from minigrad.autograd.profiler.memory import Ledger
from minigrad.autograd.profiler.scopes import BACKWARD, FUNCTION
from minigrad.autograd.profiler.watching import Watch
from minigrad.tensor import Tensor

DEEPEST_STACK = 64  # lines of the learner's code that are noted per event

Line = tuple[CodeType, int]  # where a frame was: its code and the number of the instruction


class Record:
    """One call."""

    __slots__ = ("name", "scope", "log", "parent", "start", "end", "run", "sequence", "shapes", "stack", "bytes")

    def __init__(self, name: str, scope: int, log: Log) -> None:
        self.name = name
        self.scope = scope
        self.log = log
        self.parent = log.open
        self.start = 0  # nanoseconds
        self.end: int | None = None
        self.run: object = None  # of an event of the engine: the backward run that it belongs to
        self.sequence = -1  # the number of the node that was made, or that ran
        self.shapes: list[list[int]] = []
        self.stack: list[Line] = []
        self.bytes = 0  # taken, less those given back, while this was the innermost open event


class Log:
    """The records of one thread."""

    def __init__(self, number: int, name: str) -> None:
        self.number = number
        self.name = name
        self.records: list[Record] = []
        self.open: Record | None = None
        self.run: object = None  # the backward run that goes on

    def close(self, record: Record, now: int) -> None:
        """End a record; the next one to begin is again a child of what is open then."""
        record.end = now
        if self.open is record:
            self.open = record.parent


class Recording:
    """All that one profiler writes down."""

    def __init__(self, clock: Callable[[], int], shapes: bool, stack: bool, memory: bool) -> None:
        self.clock = clock
        self.with_shapes = shapes
        self.with_stack = stack
        self.ledger = Ledger(self._charge) if memory else None
        self.logs: list[Log] = []
        self.began = 0
        self.ended: int | None = None
        self._here = threading.local()
        self._watch = Watch(self)
        self._lock = threading.Lock()

    def start(self) -> None:
        self._watch.begin()
        self.began = self.clock()

    def stop(self) -> None:
        self.ended = self.clock()
        self._watch.end()
        if self.ledger is not None:
            self.ledger.close()

    def log(self) -> Log:
        """This thread's log."""
        try:
            log: Log = self._here.log
        except AttributeError:
            with self._lock:
                log = self._here.log = Log(len(self.logs) + 1, threading.current_thread().name)
                self.logs.append(log)
        return log

    # -- functions

    def watch_op(self, call: FunctionType) -> None:
        """Have an op's calls recorded, from its first one on."""
        self._watch.watch_op(call)

    def call(self, name: str, function: Callable[..., Any], arguments: Any, options: Any, scope: int = FUNCTION) -> Any:
        """Call a function, as an event."""
        record = self.begin(name, scope, arguments)
        try:
            result = function(*arguments, **options)
        except BaseException:
            record.log.close(record, self.clock())
            raise
        record.log.close(record, self.clock())
        record.sequence = _node_number(result, arguments)
        if self.ledger is not None:
            self.ledger.made(record, (result,), (arguments, options))
        return result

    def begin(self, name: str, scope: int, inputs: Any = ()) -> Record:
        """Open an event in this thread."""
        log = self.log()
        record = Record(name, scope, log)
        log.records.append(record)
        if self.with_shapes:
            record.shapes = [_shape(value) for value in inputs]
        if self.with_stack and scope != BACKWARD:  # those have the lines of their forward
            record.stack = _learner_stack()
        log.open = record
        record.start = self.clock()
        return record

    def end(self, record: Record) -> None:
        """Close an event that `begin` opened."""
        record.log.close(record, self.clock())

    # -- the engine

    def backward_run(self, steps: Iterator[Any]) -> Iterator[Any]:
        """The steps of a backward run, the last of whose events ends with it."""
        log = self.log()
        outer, log.run = log.run, object()
        try:
            yield from steps
        finally:
            self._end_node(log)
            log.run = outer

    def next_node(self, node: Node) -> None:
        """The engine turns to a node: the event of the one before ends here."""
        log = self.log()
        if log.run is None:
            return  # somebody takes the steps one by one: the time between them is not the engine's
        self._end_node(log)
        record = self.begin(f"autograd::engine::evaluate_function: {node_name(node)}", FUNCTION)
        record.run = log.run
        record.sequence = _number(node)

    def _end_node(self, log: Log) -> None:
        if log.open is not None and log.open.run is log.run is not None:
            log.close(log.open, self.clock())

    def timed(self, node: Node, apply: Callable[..., Any]) -> Callable[..., Any]:
        """A node's `apply` as an event."""
        return partial(self._apply, node, apply)

    def _apply(self, node: Node, apply: Callable[..., Any], *gradients: Any, **options: Any) -> Any:
        kept = node._kept if self.ledger is not None else None  # before they are freed
        record = self.begin(node_name(node), BACKWARD, gradients)
        record.sequence = _number(node)
        try:
            outgoing = apply(*gradients, **options)
        finally:
            record.log.close(record, self.clock())
        if self.ledger is not None:
            results = (node.variable.grad,) if isinstance(node, AccumulateGrad) else outgoing
            self.ledger.made(record, results, (gradients, kept))
        return outgoing

    # -- memory

    def _charge(self, change: int) -> None:
        """Bytes are given back: to the event that is open now, else as an event of their own."""
        log = self.log()
        if log.open is not None:
            log.open.bytes += change
            return
        record = Record("[memory]", FUNCTION, log)
        record.start = record.end = self.clock()
        record.bytes = change
        log.records.append(record)


def node_name(node: Node) -> str:
    """A node's name as PyTorch's profiler shows it."""
    return "torch::autograd::AccumulateGrad" if isinstance(node, AccumulateGrad) else type(node).__name__


def _number(node: Node) -> int:
    return -1 if isinstance(node, AccumulateGrad) else node._sequence


def _node_number(result: Any, arguments: Any) -> int:
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


def _learner_stack() -> list[Line]:
    """The frames outside this package that led here, the innermost first."""
    lines: list[Line] = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and len(lines) < DEEPEST_STACK:
        name: str = frame.f_globals.get("__name__", "")
        if not (name.startswith("minigrad.") or name == "minigrad"):
            lines.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return lines

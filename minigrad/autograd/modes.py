"""What unusual is in force: the state that decides how operations are recorded and nodes are run.

An operation finds out at no cost that nothing unusual is going on: `modes.special` counts the unusual things in force
anywhere in the process (a thread with recording off, an observer of new nodes, anomaly mode, hooks on saved tensors).
Every op looks at that one number, and asks further questions only when it is not zero. A profiler is not counted there:
while one is on, it stands around each op's call (autograd/profiler/watched_functions.py), and the engine asks for it
once per backward run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from minigrad.stopping import sure_to_begin

if TYPE_CHECKING:
    from minigrad.autograd.profiler.event_log import EventLog
    from minigrad.tensor import Tensor


Observer = Callable[[Any, Any, Sequence[Any], Any], None]


class Witness(Protocol):
    """Somebody who looks on while this thread runs a graph: `thread.witness`, None as long as there is nobody.

    Only the rare paths ask for it, where the learner's own functions are called, and where a node fails: a backward
    without hooks never does.
    """

    def around(self, kind: str, node: Any, function: Callable[..., Any]) -> Callable[..., Any]:
        """What is called in a function's place: something that calls it, and sees what went in and what came out.

        `kind`: "tensor_hook", "retain_grad", "node_prehook", "node_hook", "post_accumulate", "packed" or "unpacked".
        """

    def node_failed(self, node: Any) -> None:
        """The node could not be run; the exception is on its way."""


class Modes:
    """What holds for the whole process."""

    __slots__ = ("special", "observer", "anomaly", "profiler")

    def __init__(self) -> None:
        self.special = 0  # how many unusual things are in force
        # called with each node recorded, its result's array, its inputs and the op's other arguments
        self.observer: Observer | None = None
        self.anomaly: bool | None = None  # None: off; else whether nan is looked for
        self.profiler: EventLog | None = None  # where events go while a profiler is on


modes = Modes()


class _Unusual:
    """How many of the modes of one thread are unusual; they end with the thread."""

    count = 0

    def __del__(self, modes: Modes = modes) -> None:
        modes.special -= self.count  # named here, since when Python ends the module's names may be gone before this is


class Thread(threading.local):
    """What holds for one thread; the values below are those of a new one."""

    grad_enabled = True
    inference = False
    # (pack, unpack), innermost last
    saved_tensors_hooks: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = ()
    hooks_disabled: str | None = None  # what entering hooks on saved tensors raises, if that is not allowed
    writes_result = False  # whether the result of what is being computed will be written to a tensor
    evaluating: Any = None  # the node that runs with its own operations recorded
    run: Any = None  # the backward run that is going on
    witness: Witness | None = None  # who looks on while it does

    def __init__(self) -> None:
        self.unusual = _Unusual()


thread = Thread()


@sure_to_begin
def set_recording(grad_enabled: bool, inference: bool | None = None) -> None:
    """Set the modes of this thread that decide whether operations are recorded; None leaves inference mode as it is."""
    thread.grad_enabled = grad_enabled
    if inference is not None:
        thread.inference = inference
    count_unusual()


@sure_to_begin
def count_unusual() -> None:
    """Count anew how many modes of this thread are unusual. (Python changes threads where it looks for signals: within
    these lines it does not.)
    """
    count = (not thread.grad_enabled) + thread.inference + (thread.saved_tensors_hooks != ())
    modes.special += count - thread.unusual.count
    thread.unusual.count = count


@sure_to_begin
def set_anomaly(checks_nan: bool | None) -> None:
    """Set anomaly mode, of the whole process."""
    modes.special += (checks_nan is not None) - (modes.anomaly is not None)
    modes.anomaly = checks_nan


def set_node_observer(observer: Observer | None) -> Observer | None:
    """Have `observer(node, out, inputs, options)` called with each node recorded from now on, its result (a numpy
    array; a list of them for a node with several), its tensors, and the op's other arguments by name (None where no op
    made the node); None ends that. The tensors stand in the order of `next_functions`; there are none for a write into
    a view.

    Returns the observer that was installed before, so that the caller can put it back.
    """
    previous, modes.observer = modes.observer, observer
    modes.special += (observer is not None) - (previous is not None)
    return previous


class InferenceCount(list[Any]):
    """The count of writes of a tensor of inference mode. What was detached from one outside of that mode has a count of
    its own: it may be written to outside, and there its writes are counted.
    """


INFERENCE = InferenceCount([0])  # that of all others, which nobody counts


def check_mode(tensor: Tensor) -> None:
    """Raise if a tensor that was made in inference mode is about to be written to outside."""
    if tensor._writes is INFERENCE and not thread.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed."
            "You can make a clone to get a normal tensor before doing inplace update."
        )

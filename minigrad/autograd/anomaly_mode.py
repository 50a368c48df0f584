"""Anomaly mode: which line of the forward pass made the node that fails, or whose gradient is the first nan.

This is what `detect_anomaly()` adds: each node notes the lines that made it (`node.metadata["traceback_"]`), and each
step of a backward run is searched for nan. Both cost time, so it is for debugging; off, it costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigrad.autograd.blame import check_bool, learner_traceback, warn
from minigrad.autograd.hooks import wrap_gradient
from minigrad.autograd.modes import modes, set_anomaly, thread
from minigrad.autograd.node import Node
from minigrad.stopping import sure_to_begin

NOTHING_NOTED = "No forward pass information available. Enable detect anomaly during forward pass for more information."
GIVEN_FORWARD = "If the forward pass gave a nan already, it began there: look for the first one."
Step = tuple[Node, tuple[Any, ...], tuple[Any, ...]]


def is_anomaly_enabled() -> bool:
    """True while anomaly mode is on."""
    return modes.anomaly is not None


def is_anomaly_check_nan_enabled() -> bool:
    """True unless anomaly mode was turned on with `check_nan=False`."""
    return modes.anomaly is not False


class set_detect_anomaly:
    """Turn anomaly mode on or off by a bool, at once; as a context it is undone at the end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        check_bool(mode, "set_anomaly_enabled(): argument 'enabled' (position 1) must be bool")
        self._before, self._within = modes.anomaly, check_nan if mode else None
        set_anomaly(self._within)

    def __enter__(self) -> None:
        set_anomaly(self._within)

    @sure_to_begin
    def __exit__(self, *error: object) -> None:
        set_anomaly(self._before)


class detect_anomaly(set_detect_anomaly):
    """Inside, a backward that fails says which lines of the forward pass made the failing node.

    `check_nan`: a gradient that is nan is a failure, too. Both the forward pass and the backward have to run inside.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._before, self._within = modes.anomaly, check_nan
        warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging."
        )


# ---------------------------------------------------------------- used by ops and by the engine


def notice(node: Node, out: Any, inputs: Sequence[Any], options: Any = None) -> None:
    """Show a new node to the observer; in anomaly mode note the learner's lines that make it, and the node whose
    backward makes it, if one does.
    """
    if modes.observer is not None:
        modes.observer(node, out, inputs, options)
    if modes.anomaly is not None:
        node.metadata["traceback_"] = learner_traceback()
        if thread.evaluating is not None:
            node.metadata["parent_"] = thread.evaluating


def steps_until_nan(steps: Iterator[Step]) -> Iterator[Step]:
    """The steps of a backward run, up to the first in which a nan comes out."""
    for node, incoming, outgoing in steps:
        for index, gradient in enumerate(outgoing):
            if _has_nan(gradient):
                warn_of_failure(node)
                text = f"Function '{type(node).__name__}' returned nan values in its {index}th output."
                error: Any = RuntimeError(f"{text} {_where_from(node, incoming)}")
                error.anomaly = (node, incoming, outgoing)  # the step, for those who draw it
                raise error
        yield node, incoming, outgoing


def _has_nan(gradient: Any) -> bool:
    """Whether a gradient (an array, a tensor or None) holds a nan."""
    array = getattr(gradient, "_array", gradient)
    return array is not None and array.dtype.kind == "f" and bool(np.isnan(array).any())


def _where_from(node: Node, incoming: tuple[Any, ...]) -> str:
    """What is known of a nan's origin: of the node's own making, or come in from outside; and the saved values."""
    if any(map(_has_nan, incoming)):
        return "The gradient that backward() was started with already holds a nan."
    came = ", ".join(_short_repr(wrap_gradient(gradient)) for gradient in incoming if gradient is not None)
    names = [name for name in node._kept_names if name and node._kept is not None]
    saved = ", ".join(f"{name} = {_short_repr(getattr(node, f'_saved_{name}'))}" for name in names)
    end = f" and the saved {saved}." if saved else f". {GIVEN_FORWARD}"
    return f"No nan came in, so this is where it began: from the incoming gradient {came}{end}"


def _short_repr(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{type(value).__name__} of shape {value.shape}"


def warn_of_failure(node: Node) -> None:
    """Say where a failing node was made, and if a backward made it, where the node of that one was made."""
    culprit: Any = node
    beginning, effect = "Error detected in", "caused the error"
    while culprit is not None:
        name, lines = type(culprit).__name__, culprit.metadata.get("traceback_")
        traced = f"{beginning} {name}. Traceback of forward call that {effect}:\n{''.join(lines or ())}"
        warn(f"Error detected in {name}. {NOTHING_NOTED}" if lines is None else traced)
        culprit = culprit.metadata.get("parent_")
        beginning, effect = "\n\nPrevious calculation was induced by", "induced the previous calculation"

"""Anomaly mode: which line of the forward pass made the node that fails, or whose gradient is the first nan.

This is what `detect_anomaly()` adds: each node notes the lines that made it (`node.metadata["traceback_"]`), and each
step of a backward run is searched for nan. Both cost time, so it is for debugging; off, it costs nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner, learner_traceback
from minigrad.autograd.hooks import wrapped
from minigrad.autograd.modes import count_special, modes, thread

if TYPE_CHECKING:
    from minigrad.autograd.node import Node

Step = tuple["Node", tuple[Any, ...], tuple[Any, ...]]


def is_anomaly_enabled() -> bool:
    """True while anomaly mode is on."""
    return modes.anomaly is not None


def is_anomaly_check_nan_enabled() -> bool:
    """True unless anomaly mode was turned on with `check_nan=False`."""
    return modes.anomaly is not False


def _switch(anomaly: bool | None) -> bool | None:
    """Turn anomaly mode off (None), or on with or without the search for nan; return what it was."""
    previous, modes.anomaly = modes.anomaly, anomaly
    count_special((anomaly is not None) - (previous is not None))
    return previous


class detect_anomaly:
    """Inside, a backward that fails says which lines of the forward pass made the failing node.

    `check_nan`: a gradient that is nan is a failure, too. Both the forward pass and the backward have to run inside.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._anomaly = check_nan
        self._previous: list[bool | None] = []
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self._previous.append(_switch(self._anomaly))

    def __exit__(self, *error: object) -> None:
        _switch(self._previous.pop())


class set_detect_anomaly:
    """Turn anomaly mode on or off by a bool, at once; as a context it is undone at the end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = _switch(check_nan if mode else None)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        _switch(self._before)


# ---------------------------------------------------------------- used by ops and by the engine


def remember(node: Node) -> None:
    """Note the learner's lines that make a node, and the node whose backward makes it, if one does."""
    node.metadata["traceback_"] = learner_traceback()
    if thread.evaluating is not None:
        node.metadata["parent_"] = thread.evaluating


def steps_until_nan(run: Iterator[Step]) -> Iterator[Step]:
    """The steps of a backward run, up to the first in which a nan comes out."""
    for node, incoming, outgoing in run:
        for index, gradient in enumerate(outgoing):
            if gradient is not None and _has_nan(gradient):
                warn_of_failure(node)
                error: Any = RuntimeError(
                    f"Function '{_name(node)}' returned nan values in its {index}th output. "
                    + _where_from(node, incoming)
                )
                error.anomaly = (node, incoming, outgoing)  # the step, for those who draw it
                raise error
        yield node, incoming, outgoing


def _has_nan(gradient: Any) -> bool:
    array = wrapped(gradient)._array
    return array.dtype.kind == "f" and bool(np.isnan(array).any())


def _where_from(node: Node, incoming: tuple[Any, ...]) -> str:
    """What is known of a nan's origin: of the node's own making, or come in from outside; and the saved values."""
    if any(gradient is not None and _has_nan(gradient) for gradient in incoming):
        return "The gradient that backward() was started with already holds a nan."
    shown = []
    for name in node._kept_names:
        if name and node._kept is not None:
            value = getattr(node, f"_saved_{name}")
            text = repr(value)
            shown.append(f"{name} = {text if len(text) <= 200 else f'{type(value).__name__} of shape {value.shape}'}")
    came = ", ".join(repr(wrapped(gradient)) if gradient.size <= 8 else "..." for gradient in _arrays(incoming))
    kept = f" and the saved {', '.join(shown)}" if shown else ""
    unknown = "" if shown else " If the forward pass gave a nan already, it began there: look for the first one."
    return f"No nan came in, so this is where it began: from the incoming gradient {came}{kept}.{unknown}"


def _arrays(gradients: tuple[Any, ...]) -> list[Any]:
    return [wrapped(gradient)._array for gradient in gradients if gradient is not None]


def warn_of_failure(node: Node) -> None:
    """Say where a failing node was made, and if a backward made it, where the node of that one was made."""
    beginning, effect = "Error detected in", "caused the error"
    told: set[Node] = set()
    culprit: Any = node
    while culprit is not None and culprit not in told:
        told.add(culprit)
        if culprit is not node:
            beginning = "\n\nPrevious calculation was induced by" if _lines(culprit) else "Error detected in"
        text = f"{beginning} {_name(culprit)}. {_made(culprit, effect)}"
        warnings.warn(text, UserWarning, stacklevel=frames_to_learner())
        culprit, effect = culprit.metadata.get("parent_"), "induced the previous calculation"


def _name(node: Node) -> str:
    return type(node).__name__


def _lines(node: Node) -> list[str] | None:
    return node.metadata.get("traceback_")


def _made(node: Node, effect: str) -> str:
    lines = _lines(node)
    if lines is None:
        return "No forward pass information available. Enable detect anomaly during forward pass for more information."
    return f"Traceback of forward call that {effect}:\n{''.join(lines)}"

"""What a node keeps for its rule: which values, in which version, and what became of them.

Four things can be said of a saved tensor: it is there; a hook has packed it away; it was written to since (its version
is not the one that was saved); or it is gone, because a backward used the graph up.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from minigrad.viz.graph import values
from minigrad.viz.graph.values import Value, short

Versions = tuple[int | None, int | None]  # of a tensor: how often it was written to by now, and when it was saved
FREED = "freed by a backward that used the graph"


@dataclass(frozen=True)
class Saved:
    """One value that a node keeps for its rule.

    `state` is "kept", "packed", "changed" (written to since it was saved) or "freed". `version` counts the writes to
    the tensor now, `saved_version` those when it was saved; None where writes are not counted.
    """

    parameter: str
    value: Value
    name: str = ""
    array: Any = field(default=None, compare=False, repr=False)  # a copy, where it is small
    state: str = "kept"
    version: int | None = None
    saved_version: int | None = None
    hook: Any = field(default=None, compare=False, repr=False)  # the function that packed it

    def name_beside(self, owner: str) -> str:
        """What it is called in a sentence; `owner` is the name of the result of the node that keeps it."""
        return owner if self.parameter == "result" else self.name or self.parameter

    @property
    def is_tensor(self) -> bool:
        return bool(self.value.dtype) or self.state != "kept"


def saved_plain(parameter: str, value: Any) -> Saved:
    """A value that is no tensor."""
    return Saved(parameter, Value(short(value), short(value)), "", value)


def saved_array(parameter: str, array: Any, name: str, versions: Versions) -> Saved:
    """The numbers of a tensor that is there; `name` is what the learner calls it."""
    small = array.copy() if array.size <= values.LISTED else None
    return Saved(parameter, values.describe(array), name, small, "kept", *versions)


def saved_gone(parameter: str, state: str, text: str, words: str, versions: Versions = (None, None)) -> Saved:
    """A value that cannot be shown any more."""
    return Saved(parameter, Value(text, words, known=False), "", None, state, *versions)


def text_of_function(function: Any) -> str:
    """A function as it was written, or the text itself that is given for it; "" where there is none to be had."""
    if isinstance(function, str):
        return textwrap.dedent(function).rstrip()
    try:
        return _text_of_code(inspect.unwrap(function).__code__)
    except (AttributeError, OSError, TypeError):
        return ""


@functools.lru_cache(maxsize=256)
def _text_of_code(code: CodeType) -> str:
    return textwrap.dedent(inspect.getsource(code)).rstrip()

"""What can be told about a learner's function without knowing the exercise: a stub, a line, an error."""

from __future__ import annotations

import dis
import linecache
import traceback
import types
from collections.abc import Callable
from typing import Any

from minigrad.teach.card import plain
from minigrad.teach.limits import TookTooLongError

# What the code of a function consists of that does nothing yet: a docstring, `...`, `pass`, `return None`.
_IDLE = {
    "RESUME",
    "NOP",
    "LOAD_CONST",
    "RETURN_VALUE",
    "RETURN_CONST",
    "POP_TOP",
    "COPY_FREE_VARS",
    "LOAD_COMMON_CONSTANT",
}
_RAISES = {"LOAD_GLOBAL", "PUSH_NULL", "PRECALL", "CALL", "RAISE_VARARGS", "CACHE"}


def untouched(answer: Any) -> bool:
    """Whether a function is still the stub: it does nothing, or raises NotImplementedError at once."""
    if not isinstance(answer, types.FunctionType):
        return False
    steps = list(dis.get_instructions(answer))
    if all(step.opname in _IDLE for step in steps):
        return all(
            step.argval in (None, ...) or isinstance(step.argval, str)
            for step in steps
            if step.opname.endswith("CONST")
        )
    names = [step.argval for step in steps if step.opname == "LOAD_GLOBAL"]
    return names == ["NotImplementedError"] and all(step.opname in _IDLE | _RAISES for step in steps)


def failed_line(answer: Callable[..., Any], error: BaseException) -> str:
    """The learner's line in which an error arose."""
    wanted = getattr(getattr(answer, "__code__", None), "co_filename", None)
    for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_code.co_filename == wanted:
            return plain(linecache.getline(wanted, number).strip())
    return ""


def explained(error: BaseException) -> str:
    """What an error of Python's usually means in a learner's function."""
    if isinstance(error, RecursionError):
        return (
            "The function calls itself once for each node, and graphs are deeper than Python's stack. Keep a "
            "list of what is still to do, and loop."
        )
    if isinstance(error, TookTooLongError):
        return (
            "The loop does not come to an end, or not soon: look at what must change in each round so that it can "
            "stop. Is a list filled faster than it is emptied, or a node met again for each way that leads to it?"
        )
    if isinstance(error, NameError):
        return "A name that is not defined. Was the cell that defines it run after the kernel was started?"
    if isinstance(error, SystemExit):
        return "exit() and quit() do not belong into the function."
    if isinstance(error, AttributeError) and "NoneType" in str(error):
        return (
            "Something is None here: a .grad before the first backward, the grad_fn of a leaf, or a node of an "
            "input that needs no gradient."
        )
    return "The error arose while your function ran. Its text says what was wrong; the line above is where."

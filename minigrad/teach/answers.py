"""What can be told about a learner's function without knowing the exercise: a stub, a line, an error."""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import re
import sys
import textwrap
import traceback
import types
from typing import Any

from minigrad.autograd import blame
from minigrad.teach.apart import MEMORY, NobodyThereError
from minigrad.teach.card import plain
from minigrad.teach.limits import TookTooLongError

# What the code of a function consists of that does nothing yet: `...`, `pass`, `return None`.
_CONSTANTS = {"LOAD_CONST", "RETURN_CONST", "LOAD_COMMON_CONSTANT"}
_IDLE = _CONSTANTS | {"RESUME", "NOP", "RETURN_VALUE", "POP_TOP", "COPY_FREE_VARS"}
_RAISES = _IDLE | {"LOAD_GLOBAL", "PUSH_NULL", "PRECALL", "CALL", "RAISE_VARARGS", "CACHE"}


def is_untouched(answer: Any) -> bool:
    """Whether a function is still the stub: it does nothing, or raises NotImplementedError at once; or is the solution
    that a chapter has put in its place.
    """
    if getattr(answer, "is_solution", False):
        return True
    if not isinstance(answer, types.FunctionType):
        return False
    steps = list(dis.get_instructions(answer))
    if all(step.opname in _IDLE for step in steps):
        constants = [step.argval for step in steps if step.opname in _CONSTANTS]
        return all(constant in (None, ...) for constant in constants)
    names = [step.argval for step in steps if step.opname == "LOAD_GLOBAL"]
    raises = names == ["NotImplementedError"] and all(step.opname in _RAISES for step in steps)
    return raises and not _has_lines_below(answer)


def _has_lines_below(stub: types.FunctionType) -> bool:
    """Whether somebody has written below the error of a stub: Python leaves out of the code what never runs."""
    try:
        (written,) = ast.parse(textwrap.dedent(inspect.getsource(stub))).body
    except (OSError, SyntaxError, ValueError):  # its text is not to be had, or no function alone
        return False
    return isinstance(written, ast.FunctionDef) and any(isinstance(line, ast.Raise) for line in written.body[:-1])


def places_of(error: BaseException) -> list[tuple[str, int]]:
    """The files and lines through which an error came, the innermost first.

    What interrupts an endless loop may meet it between two lines, and has no number then.
    """
    return [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__) if line][::-1]


def own_line(answer: Any, places: list[tuple[str, int]]) -> str:
    """The first of the places that is in the learner's function: the line that stands there."""
    own = _file_of(answer)
    return next((plain(linecache.getline(file, line).strip()) for file, line in places if file == own), "")


def _file_of(answer: Any) -> Any:
    """The file of a function, and not of what decorates it."""
    return getattr(getattr(inspect.unwrap(answer), "__code__", None), "co_filename", None)


def later_text(name: str, answer: Any) -> str:
    """What to say of a cell that came after the one an answer is from: that Python could not read its text of the
    function, or that it has a function with the same docstring under another name. Empty if there is no such cell, and
    where that is not known: of an answer that comes from no cell, or is not called `name`.
    """
    is_own = isinstance(answer, types.FunctionType) and answer.__name__ == name
    number = re.search(r"\d+", (is_own and blame.cell_name(answer.__code__.co_filename)) or "")
    # Not the notebook's `In`, which is a name as any other: somebody may have put 3 there.
    cells = sys.modules["IPython"].get_ipython().history_manager.input_hist_parsed if number else []
    later = cells[int(number[0]) + 1 :] if number else []
    last = next((cell for cell in reversed(later) if re.search(rf"^def {name}\b", cell, re.MULTILINE)), "")
    try:
        compile(last, "", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError as error:
        why = f"{type(error).__name__} in line {error.lineno}: {error.msg}"
        return f"Your last text of {name} has not run ({why}), so this is about the one before it."
    words = re.escape(str(answer.__doc__).partition("\n")[0])
    for other in re.findall(rf'^def (?!{name}\b)(\w+).*\n\s+"""{words}', "\n".join(later), re.MULTILINE):
        return f"A later cell calls it {other}, and this is about {name}, as it was before: call it {name} there, too."
    return ""


def failed_line(answer: Any, error: BaseException) -> str:
    """The learner's line in which an error arose."""
    return own_line(answer, places_of(error))


def meaning_of(error: BaseException, answer: Any) -> str:
    """What an error of Python's usually means in a learner's function."""
    for kind, part, words in _MEANINGS:
        if isinstance(error, kind) and part in str(error):
            return words
    if (own := _file_of(answer)) and all(file != own for file, _ in places_of(error)):
        return AFTERWARDS
    return ARISEN


ARISEN = (
    "The error arose while your function ran. Its text says what was wrong; the line above, if there is one, where."
)
AFTERWARDS = (
    "None of your lines has raised it: it came when the check called your function, or afterwards used what that "
    "returned or was given. If its text names one of them, begin there. Else look at its parameters, at what it "
    "returns, and at what it has changed."
)
# fmt: off
_MEANINGS = (
    (RecursionError, "", "Calls stand in calls until Python's stack is full. Does a function call itself, and does "
     "that end? If it does, what it goes through, as a graph, may be deeper than the stack: keep a list of what is "
     "still to do, and loop."),
    (TookTooLongError, "", "This does not come to an end, or not soon. In a loop, look at what must change in each "
     "round so that it can stop. Is a list filled faster than it is emptied, or a node met again for each way that "
     "leads to it? Or does this line wait for what does not come?"),
    (UnboundLocalError, "", "A variable is read before a line has set it: perhaps a loop found nothing, an `if` was "
     "passed by, or its line comes later. One that any line of a function sets is its own, whatever stands outside."),
    (NameError, "", "A name that is not defined here, or not yet. Is it written as where it is defined, and was "
     "that cell run after the kernel was started?"),
    (SystemExit, "", "exit(), quit() and sys.exit() do not belong into the function."),
    (MemoryError, "", f"It asked for more memory than there is; a check gives {MEMORY // 1024**3} GB. Does something "
     "grow in each round, or is a size far larger than it should be?"),
    (NobodyThereError, "", "input() and breakpoint() wait for somebody to type. Use what the function is given, and "
     "print() what you want to see."),
    (RuntimeError, "view size is not compatible", "view() takes numbers that lie in memory one after the other, as "
     "those of a transposed, an expanded or a sliced tensor need not. reshape() takes any, and most operations need "
     "neither."),
    (AttributeError, "NoneType", "Something is None here, as are a .grad before the first backward, the grad_fn of a "
     "leaf, and a node of an input that needs no gradient."),
)
# fmt: on

"""Which line did it, and what the learner calls the tensor: what error texts say beyond PyTorch's words.

Each write notes the innermost line outside this package that led to it, and a variable's name is looked for in the
frames that are running. Warnings are said at the learner's line, too; numpy's about what happens here are kept silent.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
import warnings
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from minigrad.autograd.modes import INFERENCE, InferenceCount, thread
from minigrad.tensor_base import TensorBase

if TYPE_CHECKING:
    from minigrad.autograd.node import Node

CodeLine = tuple[CodeType, int]


def learner_frames() -> Iterator[FrameType]:
    """The frames that are running outside this package, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_ours(frame):
            yield frame
        frame = frame.f_back


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs this package's own code. (What `exec` runs may have no name, or None.)"""
    return (frame.f_globals.get("__name__") or "").partition(".")[0] == "minigrad"


def current_line() -> CodeLine | None:
    """The learner's line that is being run."""
    frame: FrameType | None = sys._getframe(2)  # what asks is ours
    while frame is not None and is_ours(frame):
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lineno)


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn, at the learner's own line."""
    level, frame = 2, sys._getframe(1)
    while is_ours(frame) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


# numpy warns of an overflow or a division by zero, where PyTorch is silent: inf and nan are results like any others.
NO_WARNING: Any = ("ignore", None, RuntimeWarning, re.compile(r"minigrad\."), 0)


def keep_silent() -> None:
    """Put the filter for numpy's warnings within this package before those that the learner has set since."""
    if (warnings.filters or (None,))[0] is not NO_WARNING:
        warnings.filters[:] = [NO_WARNING, *filter(NO_WARNING.__ne__, warnings.filters)]  # type: ignore[index]


def shown_line(code: CodeType, line: int) -> str:
    """A line of code as a traceback shows it: by its file, or as `Cell In[3], line 5` where it is a notebook's."""
    text = linecache.getline(code.co_filename, line).strip()
    cell = cell_name(code.co_filename)
    where = f'  File "{code.co_filename}", line {line}, in {code.co_name}'
    if cell is not None:
        where = f"  {cell}, line {line}" + (f", in {code.co_name}" if code.co_name != "<module>" else "")
    return f"{where}\n    {text}" if text else where


def cell_name(file_name: str) -> str | None:
    """What IPython's own tracebacks call the cell that was compiled under a file name; None for what is no cell.

    The file of a cell is one that the kernel has made up; nobody can open it, and it has another name each time.
    """
    ipython: Any = sys.modules.get("IPython")  # which this package does not import
    shell = None if ipython is None else ipython.get_ipython()
    words_of = getattr(getattr(shell, "compile", None), "format_code_name", None)  # IPython 7 does not have it
    words = None if words_of is None else words_of(file_name)
    return None if words is None else " ".join(words)


def learner_traceback() -> list[str]:
    """The learner's lines that led here, the innermost last: without this package and what runs the notebook."""
    lines = [(frame.f_code, frame.f_lineno) for frame in learner_frames()]
    own = [(code, line) for code, line in lines if not _INSTALLED.search(code.co_filename)]
    return [shown_line(code, line) + "\n" for code, line in reversed(own or lines)]


_PYTHON = [re.escape(os.path.dirname(file)) for file in (os.__file__, sys.executable)]
_INSTALLED = re.compile("|".join(["site-packages", "^<frozen", *[f"^{folder}" for folder in _PYTHON]]))


def count_write(tensor: Any) -> None:
    """Count a write to a tensor's memory, and note the line that does it."""
    tensor._writes = writes = tensor._writes or [0]
    if writes.__class__ is InferenceCount and (writes is INFERENCE or thread.inference):
        return
    writes[0] += 1
    writes[1:] = (writes[1] if len(writes) > 1 else None, current_line())
    if writes[1] is not None:
        writes[1].renew()


def last_line(tensor: TensorBase) -> CodeLine | None:
    """The line that wrote to the tensor's memory last, where it is known."""
    writes = tensor._writes
    return writes[2] if writes is not None and len(writes) > 2 else None


def op_name(node: Node) -> str:
    """A node's name in PyTorch's errors about in-place writes: `Add` for AddBackward0, `Pow1` for PowBackward1."""
    name, backward, number = type(node).__name__.rpartition("Backward")
    return name + number.removeprefix("0") if backward and not number.endswith("s") else type(node).__name__


def type_name(value: Any) -> str:
    """The name of a value's type as PyTorch's errors say it; for types of numpy and PyTorch, with the library's."""
    library, name = type(value).__module__.partition(".")[0], type(value).__name__
    return f"{library}.{name}" if library in ("numpy", "torch") else name


def check_bool(value: Any, says: str) -> None:
    """TypeError for what is no bool, where PyTorch takes nothing else: it `says` which argument must be one."""
    if not isinstance(value, bool):
        raise TypeError(f"{says}, not {type_name(value)}")


def short(value: Any) -> str:
    """A value in an error: as Python writes it, if that is short; how to get the numbers of a PyTorch tensor."""
    if type_name(value) in ("torch.Tensor", "torch.Parameter"):
        return "a tensor of PyTorch, whose numbers are x.detach().numpy()"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def variable_name(tensor: TensorBase) -> str | None:
    """What the learner calls the tensor, or another one in the same memory; None if no running frame has a name for
    it.
    """
    found: str | None = None
    for frame in learner_frames():
        for name, value in [item for item in frame.f_locals.items() if isinstance(item[1], TensorBase)]:
            same_memory = tensor._writes is not None and value._writes is tensor._writes
            if value is tensor or (same_memory and value._array is tensor._array):
                return name
            found = found or (name if same_memory else None)
    return found

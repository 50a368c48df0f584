"""What one multiplication and its backward pass through: each function, its file, and how much there is to read.

`python benchmarks/backward_path.py` calls `(x * y).backward()` twice, since the first time writes the op's text, and
traces the second. Of each function that is entered it counts the lines of code: no blank lines, comments or docstrings.
"""

from __future__ import annotations

import ast
import io
import linecache
import sys
import tokenize
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import minigrad as mg

OURS = (str(Path(mg.__file__).parent), "<minigrad op ")  # the package's files, and the texts that were written for ops
LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}


def functions() -> list[CodeType]:
    """The functions that the second `(x * y).backward()` enters, in their order."""
    x, y = mg.tensor(2.0, requires_grad=True), mg.tensor(3.0, requires_grad=True)
    (x * y).backward()
    entered: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        is_function = code.co_name not in ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>")
        if is_function and code.co_filename.startswith(OURS):
            entered.setdefault(code)

    previous = sys.gettrace()
    sys.settrace(note)
    try:
        (x * y).backward()
    finally:
        sys.settrace(previous)
    return list(entered)


def code_lines(code: CodeType) -> int:
    """How many lines of code a function has."""
    text = "".join(linecache.getlines(code.co_filename))
    kind = ast.Lambda if code.co_name == "<lambda>" else ast.FunctionDef
    parts = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kind)]
    part: Any = next(node for node in parts if _first_line(node) == code.co_firstlineno)
    inside = range(_first_line(part), part.end_lineno + 1)
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in LAYOUT]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1) if line in inside}
    if isinstance(part, ast.FunctionDef) and ast.get_docstring(part) is not None:
        lines -= set(range(part.body[0].lineno, (part.body[0].end_lineno or 0) + 1))
    return len(lines)


def _first_line(function: Any) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in getattr(function, "decorator_list", []))])


def totals(entered: list[CodeType]) -> tuple[int, int]:
    """The lines of code of some functions, and in how many files they are; what was written for an op counts as one."""
    files = {code.co_filename.partition(" op ")[0] for code in entered}
    return sum(map(code_lines, entered)), len(files)


def main() -> None:
    entered = functions()
    for code in entered:
        place = code.co_filename.rpartition("/minigrad/")[2]
        print(f"{code_lines(code):5}  {place:28} {code.co_qualname}")
    lines, files = totals(entered)
    print(f"{lines:5}  lines of code in {len(entered)} functions, {files} files")


if __name__ == "__main__":
    main()

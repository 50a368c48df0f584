"""Answers that are another one with a stretch of its source replaced, as most wrong answers are."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import linecache
from textwrap import dedent
from types import FunctionType

_number = itertools.count(1)


def edited(answer: FunctionType, *stretches: str) -> FunctionType:
    """The function `answer` with other stretches of source: `edited(answer, old, new)`, or more such pairs.

    The docstring is left out, since it is not about this one. What remains is the new function's source: a card shows
    its lines, and it can be edited in turn. ValueError if what is replaced does not stand there exactly once.
    """
    name = answer.__name__
    source = _source_without_docstring(answer)
    for old, new in zip(stretches[::2], stretches[1::2], strict=True):
        if (times := source.count(old)) != 1:
            raise ValueError(f"{old!r} stands {times} times in the source of {name}, not once:\n{source}")
        source = source.replace(old, new)
    file = f"<{name}, edited {next(_number)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    made: dict[str, FunctionType] = {}
    exec(compile(source, file, "exec"), answer.__globals__, made)
    return made[name]


@functools.cache  # one answer is edited in many ways
def _source_without_docstring(answer: FunctionType) -> str:
    source = dedent(inspect.getsource(answer))
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    if ast.get_docstring(function) is None:
        return source
    lines, words = source.splitlines(keepends=True), function.body[0]
    return "".join([*lines[: words.lineno - 1], *lines[words.end_lineno :]])

"""How large the package may be: code lines by folder, each with an upper bound.

minigrad promises an engine that can be read. A line is a cost to every reader, so growth is a decision: whoever needs
more changes a bound here, and says why; a part that has become smaller takes its bound down with it.
`python tests/test_budgets.py` prints the table.
"""

from __future__ import annotations

import ast
import functools
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "minigrad"

# Part of the package: the most code lines, and its places below minigrad/. A file counts where the longest of all
# places that hold it stands.
BUDGETS: dict[str, tuple[int, tuple[str, ...]]] = {
    "engine": (
        2_943,
        ("tensor.py", "tensor_base.py", "op.py", "op_text.py", "operands.py", "writing.py", "memory.py", "autograd"),
    ),
    "engine's tools": (
        1_654,
        ("autograd/functional.py", "autograd/batching.py", "autograd/gradcheck", "autograd/profiler")
        + ("utils/checkpoint.py",),
    ),
    "names and surface": (1_257, ("", "autograd/variable.py")),
    "ops": (3_921, ("ops",)),
    "nn": (1_719, ("nn",)),
    "optim": (494, ("optim",)),
    "random": (317, ("random",)),
    "data, files": (337, ("utils", "serialization.py")),
    "viz": (10_515, ("viz",)),
    "teach": (1_289, ("teach",)),
}
WHOLE, WITHOUT_PICTURES = 24_446, 12_642  # the package, and the package without viz and teach
SCRIPTS = 7_821  # lines of JavaScript and CSS in viz/static, all of them
NO_CODE = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(text: str) -> int:
    """How many lines of Python there are without blank lines, comments and docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            lines -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def files_by_part() -> Iterator[tuple[str, Path]]:
    """Each Python file of the package, and the part of it that it counts for."""
    places = sorted(
        ((place, part) for part, (_, listed) in BUDGETS.items() for place in listed), key=lambda at: -len(at[0])
    )
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        yield next(part for place, part in places if not place or name == place or name.startswith(f"{place}/")), path


@functools.cache
def measured() -> dict[str, int]:
    """The code lines of each part."""
    lines = dict.fromkeys(BUDGETS, 0)
    for part, path in files_by_part():
        lines[part] += code_lines(path.read_text(encoding="utf-8"))
    return lines


def table() -> str:
    lines = measured()
    rows = [f"{part:20}{lines[part]:8,} of {most:6,}" for part, (most, _) in BUDGETS.items()]
    whole = sum(lines.values())
    rows.append(f"{'minigrad':20}{whole:8,} of {WHOLE:6,}")
    rows.append(f"{'without viz, teach':20}{whole - lines['viz'] - lines['teach']:8,} of {WITHOUT_PICTURES:6,}")
    return "\n".join(["code lines by part", *rows])


@pytest.mark.parametrize("part", BUDGETS)
def test_part_stays_within_its_budget(part: str) -> None:
    assert 0 < measured()[part] <= BUDGETS[part][0], table()


def test_package_stays_within_its_budget() -> None:
    lines = measured()
    print(table())
    assert sum(lines.values()) <= WHOLE, table()
    assert sum(lines.values()) - lines["viz"] - lines["teach"] <= WITHOUT_PICTURES, table()


def test_scripts_stay_within_their_budget() -> None:
    static = PACKAGE / "viz" / "static"
    lines = {path.name: path.read_text(encoding="utf-8").count("\n") for path in sorted(static.iterdir())}
    assert 0 < sum(lines.values()) <= SCRIPTS, lines


def test_blanks_comments_and_docstrings_do_not_count() -> None:
    module = '"""A module."""\n\n# why\nx = (  # a number\n    1\n)\n'
    function = 'def f():\n    """Two\n    lines."""\n    return """a\nb"""\n'
    assert code_lines(module) == 3
    assert code_lines(module + function) == 6


if __name__ == "__main__":
    print(table())

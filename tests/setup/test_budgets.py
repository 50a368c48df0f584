"""How large the package may be: tokens of code by folder, each with an upper bound.

minigrad promises an engine that can be read. What stands there is a cost to every reader, so growth is a decision:
whoever needs more changes a bound here, and says why; a part that has become smaller takes its bound down with it. A
bound is what was counted when it was last set, and 2 % more, so that a small change needs no decision. Tokens are
counted, not lines or columns: a value that gets a name costs that name, and nothing is saved by a longer line. One
bound is in lines, and fixed: 12,700 lines of code without viz and teach.

`PYTHONPATH=tests python tests/setup/test_budgets.py` prints the table.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from setup.code_tokens import javascript_tokens, python_lines, python_tokens, style_tokens

PACKAGE = Path(__file__).parents[2] / "minigrad"
ROOM = 1.02  # a bound to what was counted when it was set

# Part of the package: the most tokens, and its places below minigrad/. A file counts where the longest of all places
# that hold it stands.
BUDGETS: dict[str, tuple[int, tuple[str, ...]]] = {
    "engine": (
        28_431,
        ("tensor.py", "tensor_base.py", "op.py", "op_text.py", "operands.py", "writing.py", "memory.py", "autograd"),
    ),
    "engine's tools": (
        17_170,
        ("autograd/functional.py", "autograd/batching.py", "autograd/gradcheck", "autograd/profiler")
        + ("utils/checkpoint.py",),
    ),
    "names and surface": (13_737, ("", "autograd/variable.py")),
    "ops": (48_620, ("ops",)),
    "nn": (17_297, ("nn",)),
    "optim": (5_320, ("optim",)),
    "random": (4_200, ("random",)),
    "data, files": (3_661, ("utils", "serialization.py")),
    "viz": (142_100, ("viz",)),
    "viz's scripts": (99_360, ("viz/static",)),
    "teach": (24_980, ("teach",)),
}
LINES_WITHOUT_PICTURES = 12_700  # the package without viz and teach
TOKENS: dict[str, Callable[[str], list[str]]] = {
    ".py": python_tokens,
    ".mjs": javascript_tokens,
    ".js": javascript_tokens,
    ".css": style_tokens,
}


def files_by_part() -> Iterator[tuple[str, Path]]:
    """Each file of code in the package, and the part of it that it counts for."""
    places = sorted(
        ((place, part) for part, (_, listed) in BUDGETS.items() for place in listed), key=lambda at: -len(at[0])
    )
    for path in sorted(path for path in PACKAGE.rglob("*") if path.suffix in TOKENS):
        name = path.relative_to(PACKAGE).as_posix()
        yield next(part for place, part in places if not place or name == place or name.startswith(f"{place}/")), path


@functools.cache
def measured() -> dict[str, int]:
    """The tokens of each part."""
    tokens = dict.fromkeys(BUDGETS, 0)
    for part, path in files_by_part():
        tokens[part] += len(TOKENS[path.suffix](path.read_text(encoding="utf-8")))
    return tokens


def table() -> str:
    rows = [f"{'':20}{'tokens':>8} {'bound':>11} {f'{ROOM:.0%}':>9}"]
    for part, (most, _) in BUDGETS.items():
        tokens = measured()[part]
        rows.append(f"{part:20}{tokens:8,} of {most:8,} {int(tokens * ROOM):9,}")
    rows.append(f"{'minigrad':20}{sum(measured().values()):8,}")
    return "\n".join(rows)


@pytest.mark.parametrize("part", BUDGETS)
def test_part_stays_within_its_budget(part: str) -> None:
    advice = (
        f"what may be said shorter? If nothing, a bound in BUDGETS goes up, and the commit says what for\n{table()}"
    )
    assert 0 < measured()[part] <= BUDGETS[part][0], advice


def test_lines_without_pictures_stay_within_their_budget() -> None:
    python = [(part, path) for part, path in files_by_part() if path.suffix == ".py" and part not in ("viz", "teach")]
    lines = sum(python_lines(path.read_text(encoding="utf-8")) for _, path in python)
    advice = "this bound is fixed: lines that are new are paid for by others, in minigrad/ without viz and teach"
    assert 0 < lines <= LINES_WITHOUT_PICTURES, advice


def joined(tokens: list[str]) -> str:
    return " ".join(tokens)


def test_blanks_comments_and_docstrings_do_not_count() -> None:
    module = '"""A module."""\n\n# why\nx = (  # a number\n    1\n)\n'
    function = 'def f():\n    """Two\n    lines."""\n    return """a\nb"""\n'
    assert python_lines(module) == 3
    assert python_lines(module + function) == 6
    assert joined(python_tokens(module + function)) == 'x = ( 1 ) def f ( ) : return """a\nb"""'
    assert joined(javascript_tokens("// why\nconst x = /* a number */ 1;\n/** A\n * doc. */\n")) == "const x = 1 ;"
    assert joined(style_tokens("/* why */\n.a > b { /* 1 */ margin: 0 1.5em; }")) == ".a > b { margin : 0 1.5em ; }"


def test_broken_lines_do_not_count() -> None:
    assert joined(python_tokens('f(\n    a,\n    "b",\n)\n')) == joined(python_tokens('f(a, "b")')) == 'f ( a , "b" )'
    assert joined(javascript_tokens("f(\n  a,\n  { b },\n);")) == joined(javascript_tokens("f(a, { b });"))


def test_texts_and_patterns_are_one_token_each() -> None:
    assert len(python_tokens("""x = f"{a['b']} {f'{c}'}" 'd'""")) == 4  # Python 3.12 and newer see more in an f-string
    assert joined(javascript_tokens("a / b / c + /[/]\\//g.exec(d)")) == "a / b / c + /[/]\\//g . exec ( d )"
    assert joined(javascript_tokens('\'// a\' + "/* \\" */"')) == '\'// a\' + "/* \\" */"'


def test_what_is_computed_in_a_template_counts() -> None:
    assert javascript_tokens("`a ${ {b: `${c}`} } // d`") == ["`a ${", "{", "b", ":", "`${", "c", "}`", "}", "} // d`"]


if __name__ == "__main__":
    print(table())

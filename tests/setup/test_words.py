"""What minigrad/WORDS.md promises: one word, one meaning, and names that say what they are."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "minigrad"
PAGE = (PACKAGE / "WORDS.md").read_text(encoding="utf-8")
WORDS = re.findall(r"^\| \*\*([\w-]+)\*\* \|", PAGE, re.MULTILINE)
# In a cell, what Python calls it; behind the last words, what the scripts do.
CELLS = [cell.partition("on the page") for cell in re.findall(r"\| ([^|]*) \|$", PAGE, re.MULTILINE)]
NAMES = sorted({name for cell, _, _ in CELLS for name in re.findall(r"`(\w+)`", cell)})
NAMES_ON_THE_PAGE = sorted({name for _, _, cell in CELLS for name in re.findall(r"`(\w+)`", cell)})

# Past participles that do not end in -ed, but for those that are also the plain verb (read, put, split, spread).
IRREGULAR = """
    become begun born bound bought broken brought built caught chosen come dealt done drawn driven eaten fallen
    felt forgotten found frozen given gone got gotten grown had heard held hidden kept known laid led left lent
    lost made meant met overtaken overwritten paid risen rewritten said seen sent shown sold sought spent spoken
    stood stolen struck stuck swept sworn taken taught thought thrown told torn understood unbound undone unseen
    unwritten worn won wound written
    """
NO_PARTICIPLES = {"seed", "need", "feed", "exceed", "embed", "proceed", "shed", "speed", "shred"}
PARTICIPLES = {  # that are names all the same, and why
    "copied": "an op: the namespace F, its formula and the profiler show the name",
    "overwritten": "an op: the namespace F, its formula and the profiler show the name",
    "strided": "an op: the namespace F, its formula and the profiler show the name",
    "edited": "exercises write it, beside an answer: `edited(answer, old, new)`",
    "measured": "exercises write it: `evidence=measured(...)`",
    "raised": "exercises write it: `when=raised(...)`",
}
# Files of one name in one room, and why.
SAME_FILES = {
    "functional": "PyTorch's names: autograd.functional and nn.functional",
    **dict.fromkeys(
        ("attention", "conv", "linear", "normalization"), "the layers in nn/modules/, and their operations in ops/"
    ),
}
ROOMS = ("teach", "viz")  # all else is the engine
# A function of a script with its name: declared, a method (no getter), or an arrow function. Scripts are formatted.
FUNCTION = re.compile(
    r"""^\s*(?:export\ )?(?:async\ )?function\*?\ (\w+)\(
      | ^\s*(?:static\ |async\ )*\*?\#?(\w+)\((?:.*\)\ \{)?$
      | (\w+)(?:\ =|:)\ (?:async\ )?(?:\([^()]*\)|\w+)\ =>""",
    re.MULTILINE | re.VERBOSE,
)
CLASS = re.compile(r"^(?:export )?class (\w+)", re.MULTILINE)


@cache
def trees() -> dict[str, ast.Module]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def scripts() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((PACKAGE / "viz" / "static").glob("*.*js"))}


def functions_of(script: str) -> set[str]:
    return {name for names in FUNCTION.findall(script) for name in names if name}


def names_made(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


@cache
def all_names() -> frozenset[str]:
    return frozenset(name for tree in trees().values() for name in names_made(tree))


def is_participle(name: str) -> bool:
    word = name.strip("_")
    return word in IRREGULAR.split() or (re.fullmatch(r"[a-z]+ed", word) is not None and word not in NO_PARTICIPLES)


def test_the_page_is_short_and_has_each_word_once() -> None:
    assert len(PAGE.splitlines()) <= 60
    assert len(WORDS) > 30
    assert len(set(WORDS)) == len(WORDS)
    assert "WORDS.md" in (PACKAGE / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_on_the_page_is_in_the_code(name: str) -> None:
    assert name in all_names()


@pytest.mark.parametrize("name", NAMES_ON_THE_PAGE)
def test_a_name_of_the_page_is_in_the_scripts(name: str) -> None:
    assert any(name in functions_of(script) or name in CLASS.findall(script) for script in scripts().values())


def test_no_function_is_named_by_a_participle_alone() -> None:
    found = [
        f"{place}: {node.name}"
        for place, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and is_participle(node.name) and node.name not in PARTICIPLES
        # A property is read as an adjective: `box.freed`. A rule's text is shown as it is written, with what it calls.
        if "property" not in map(ast.unparse, node.decorator_list)
        and [argument.arg for argument in node.args.args[:1]] != ["F"]
    ]
    assert found == []


@pytest.mark.parametrize(
    "script",
    [
        "export async function asked(frame) {",
        "  async asked(frame, { open = () => null }) {",
        "  asked(\n    frame,\n  ) {",
        "const asked = (frame) => frame",
        "this.asked = async () => {};",
        "show({ asked: frame => frame })",
    ],
)
def test_a_function_of_a_script_is_found(script: str) -> None:
    assert "asked" in functions_of(script)


def test_no_function_of_a_script_is_named_by_a_participle_alone() -> None:
    assert [
        (place, name) for place, text in scripts().items() for name in functions_of(text) if is_participle(name)
    ] == []


def test_participles_that_are_names_are_there() -> None:
    names = {node.name for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert PARTICIPLES.keys() <= names
    assert all(map(is_participle, PARTICIPLES))


def test_a_class_has_a_name_of_its_own() -> None:
    places = defaultdict(list)
    for place, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name.strip("_")].append(place)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_class_of_a_script_has_a_name_of_its_own() -> None:
    names = [name for script in scripts().values() for name in CLASS.findall(script)]
    assert len(names) > 20
    assert sorted(names) == sorted(set(names))


def room_of(place: str) -> str:
    """The part of the package that a file belongs to."""
    room = place.split("/")[0]
    return room if room in ROOMS else "the engine"


def constants_of(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Name and value of each constant of a file that is no plain number: two of these may be equal by chance."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and not isinstance(getattr(node.value, "value", ""), int | float):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id.isupper():
                    yield target.id.strip("_"), ast.unparse(node.value)


def test_a_constant_is_written_once_in_its_room() -> None:
    places = defaultdict(list)
    for place, tree in trees().items():
        for name, value in constants_of(tree):
            places[room_of(place), name, value].append(place)
    assert len(places) > 200
    assert {what: found for what, found in places.items() if len(found) > 1} == {}


def test_a_file_has_a_name_of_its_own_in_its_room() -> None:
    places = defaultdict(list)
    for place in trees():
        if (name := Path(place).stem) != "__init__":
            places[room_of(place), name].append(place)
    twice = {name: found for (_, name), found in places.items() if len(found) > 1}
    assert twice.keys() == SAME_FILES.keys(), twice

"""What minigrad/README.md promises to those who read the package: that its places are there, and that layers point one
way.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "minigrad"
GUIDE = (PACKAGE / "README.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in row.strip("| ").split("|")] for row in GUIDE.splitlines() if row.startswith("| ")]

# A part, and what none of its modules may import.
BELOW: dict[str, tuple[str, ...]] = {
    "autograd": ("ops", "nn", "optim", "random", "utils", "viz", "teach"),
    "ops": ("nn", "optim", "viz", "teach"),
    "nn": ("optim", "viz", "teach"),
    "optim": ("nn", "viz", "teach"),
    "random": ("nn", "optim", "viz", "teach"),
    "utils": ("nn", "optim", "viz", "teach"),
    "viz": ("teach",),
    "viz/minigrad_graphs": ("viz.picture", "viz.page", "viz.comparing"),
    "viz/torch_graphs": ("viz.picture", "viz.page", "viz.comparing"),
    "viz/own_engines": ("viz.picture", "viz.page", "viz.comparing"),
}
# The parts of viz in the order in which its docstring tells of them, and the files that stand above all of these.
VIZ_GUIDE = ast.get_docstring(ast.parse((PACKAGE / "viz" / "__init__.py").read_text(encoding="utf-8"))) or ""
VIZ_TOLD = re.findall(r"^    (\w+)(?:/|\.py)\s", VIZ_GUIDE, re.MULTILINE)
VIZ_FILES = [path.stem for path in (PACKAGE / "viz").glob("*.py") if path.stem not in ("__init__", "shell", "sources")]
VIZ_PARTS = [part for part in VIZ_TOLD if part not in (*VIZ_FILES, "shell")]


def files_named(text: str) -> list[str]:
    return re.findall(r"`([\w/]+(?:\.test)?\.(?:py|mjs|css|md)|[\w/]+/)`", text)


def test_the_guide_names_twelve_steps_for_the_engine_and_ten_for_the_pictures() -> None:
    numbers = [int(row[0]) for row in ROWS if row[0].isdigit()]
    assert numbers == [*range(1, 13), *range(1, 11)]
    steps = [row[1] for row in ROWS if row[0].isdigit()]
    assert [text for text in steps if not files_named(text)] == []  # each names a file, which the next test looks for
    assert [text.startswith("`viz/") for text in steps] == [False] * 12 + [True] * 10


@pytest.mark.parametrize("place", dict.fromkeys(files_named(GUIDE)))
def test_a_place_in_the_guide_is_there(place: str) -> None:
    assert (PACKAGE / place).exists() or (PACKAGE.parent / place).exists()


def test_what_is_to_be_changed_names_its_files_and_its_tests() -> None:
    table = GUIDE.partition("To add or change")[2].partition("\n\n")[2].partition("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table]
    assert len(rows) > 10
    for what, files, tests in rows:
        assert files_named(files), what
        assert any(name.startswith("tests/") for name in files_named(tests)), what


ANSWERS = [
    (name, files_named(row[1])[-1] if len(files_named(row[1])) == 1 else pair)
    for row in ROWS
    if row[0].endswith("?")
    for name, pair in re.findall(r"`([\w.]+)`(?: in|, called by)? `?([\w/]+\.py)?", row[1])
    if not name.endswith(".py")
]


@pytest.mark.parametrize(("name", "place"), ANSWERS)
def test_an_answer_in_the_guide_is_true(name: str, place: str) -> None:
    tree = ast.parse((PACKAGE / place).read_text(encoding="utf-8"))
    for part in name.split("."):
        tree = next(node for node in tree.body if part in _names(node))  # type: ignore[assignment]


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign):
        return [node.target.id] if isinstance(node.target, ast.Name) else []
    return [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []


def imports(path: Path) -> Iterator[str]:
    """The modules of minigrad that a file imports, anywhere in it, but for the eyes of a type checker."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unseen = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in unseen:
            continue
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize("part", BELOW)
def test_layers_point_one_way(part: str) -> None:
    upward = [
        f"{path.relative_to(PACKAGE).as_posix()} imports {module}"
        for path in sorted((PACKAGE / part).rglob("*.py"))
        for module in imports(path)
        for above in BELOW[part]
        if module == f"minigrad.{above}" or module.startswith(f"minigrad.{above}.")
    ]
    assert upward == []


@pytest.mark.parametrize("part", ["ops", "autograd", "nn"])
def test_a_name_has_one_meaning_in_a_file(part: str) -> None:
    """An op and the function that learners call have two: `_add`, `add`."""
    repeated = [
        f"{path.relative_to(PACKAGE).as_posix()} defines {name} twice"
        for path in sorted((PACKAGE / part).rglob("*.py"))
        for name, times in Counter(_defined(ast.parse(path.read_text(encoding="utf-8")))).items()
        if times > 1
    ]
    assert repeated == []


def _defined(tree: ast.Module) -> list[str]:
    """The functions and classes of a file, but for the forms of one that are there for those who check types."""
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and "overload" not in [ast.unparse(decorator) for decorator in node.decorator_list]
    ]


def test_the_guide_of_viz_names_all_that_is_there() -> None:
    there = {path.stem for path in (PACKAGE / "viz").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert there - {"__init__", "__pycache__", "rich"} == {*VIZ_TOLD}  # rich.py is told of with shell.py


@pytest.mark.parametrize("part", VIZ_PARTS)
def test_a_part_of_viz_imports_from_those_above_it(part: str) -> None:
    below = [*VIZ_PARTS[VIZ_PARTS.index(part) + 1 :], *VIZ_FILES]
    place = PACKAGE / "viz" / part
    upward = [
        f"{path.relative_to(PACKAGE).as_posix()} imports {module}"
        for path in (sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")])
        for module in imports(path)
        if (found := re.match(r"minigrad\.viz\.(\w+)", module)) and found[1] in below
    ]
    assert upward == []


def test_nothing_in_the_package_imports_its_pictures_or_its_exercises() -> None:
    found = [
        f"{path.name} imports {module}"
        for path in sorted(PACKAGE.glob("*.py"))
        for module in imports(path)
        if re.match(r"minigrad\.(viz|teach)\b", module) and path.stem != "__main__"  # a program, which nothing imports
    ]
    assert found == []

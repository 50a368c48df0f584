"""`tools/mutants.py`: which breaks it makes, that it finds the unnoticed ones, and that it leaves the files alone."""

import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "mutants.py"

SIZES = '''
def total(sizes: list[int | None], limit=3):
    """The sum, up to the limit."""
    if limit < 0:
        raise ValueError(f"{limit + 1} is no limit")
    sum_so_far = 0
    for size in sizes:
        sum_so_far += size
    return min(sum_so_far, limit)
'''
CHECK = "from small import sizes; assert sizes.total([1, 1]) == 2; assert sizes.total([2, 2]) == 3"


@pytest.fixture(scope="module")
def mutants():
    specification = importlib.util.spec_from_file_location("mutants", TOOL)
    module = importlib.util.module_from_spec(specification)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(TOOL.parent)  # a script finds its neighbours
        specification.loader.exec_module(module)
    return module


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of a package `small` with one module."""
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "sizes.py").write_text(SIZES)
    return tmp_path


def run(folder: Path, *options: str, check: str = CHECK) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), *options, "--", sys.executable, "-c", check]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def test_the_unnoticed_are_listed_and_the_files_are_as_before(package: Path) -> None:
    before = {path: path.read_bytes() for path in package.rglob("*") if path.is_file()}
    result = run(package, "small/sizes.py:4-8", "--kind", "d", "--jobs", "2")
    assert result.returncode == 1, result.stderr
    assert "unnoticed: small/sizes.py:4: comparison turned: limit < 0  ->  limit <= 0\n" in result.stdout
    assert "unnoticed: small/sizes.py:5: statement dropped: raise ValueError" in result.stdout
    assert "condition made True" not in result.stdout
    assert "sum_so_far += size" not in result.stdout
    assert result.stdout.splitlines()[-1] == f"{result.stdout.count('unnoticed: ')} of 12 went unnoticed"
    assert {path: path.read_bytes() for path in package.rglob("*") if path.is_file()} == before


def test_where_all_are_noticed_it_succeeds(package: Path) -> None:
    result = run(package, "small/sizes.py:8")
    assert (result.returncode, result.stdout) == (0, "0 of 3 went unnoticed\n")


def test_a_hang_is_noticed(package: Path) -> None:
    waits = "import time; from small import sizes; sizes.total([2]) == 2 or time.sleep(60)"
    began = time.monotonic()
    result = run(package, "small/sizes.py:8", "--kind", "dropped", "--limit", "0.5", check=waits)
    assert (result.returncode, result.stdout) == (0, "0 of 1 went unnoticed\n")
    assert time.monotonic() - began < 30


def test_a_command_that_fails_anyway_is_refused(package: Path) -> None:
    result = run(package, "small/sizes.py", check="assert False")
    assert (result.returncode, result.stdout) == (1, "")
    assert "the command fails before anything is broken" in result.stderr


def test_the_breaks_of_each_kind(mutants, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "def f(self, a, b):\n"
        "    if a is None and b in a:\n"
        "        raise ValueError(f'{a + b}')\n"
        "    self.a = [g(a, b) for b in a if b]\n"
        "    g(True)\n"
        "    return a * 2\n"
        "    -b, a.clone()\n"
    )
    found = [(mutant.line, mutant.kind, mutant.new) for mutant in mutants.mutants_of(str(module))]
    wanted = [
        (2, "comparison turned", "a is not None"),
        (2, "comparison turned", "b not in a"),
        (2, "condition made False", "False"),
        (2, "condition made True", "True"),
        (2, "condition negated", "not (a is None and b in a)"),
        (2, "operator swapped", "a is None or b in a"),
        (3, "statement dropped", "pass"),
        (4, "arguments swapped", "g(b, a)"),
        (4, "condition made False", "False"),
        (4, "name swapped", "self"),
        (4, "statement dropped", "pass"),
        (5, "constant changed", "False"),
        (5, "statement dropped", "pass"),
        (6, "None returned", "return None"),
        (6, "constant changed", "3"),
        (6, "operator swapped", "a / 2"),
        (7, "sign dropped", "b"),
        (7, "call left out", "a"),
    ]
    assert set(wanted) <= set(found)
    assert not [mutant for mutant in found if mutant[0] == 3 and mutant[1] != "statement dropped"], "words are not run"


def test_what_is_no_python_any_more_is_not_tried(package: Path) -> None:
    (package / "small" / "sizes.py").write_text("match 1:\n    case {1: _}:\n        pass\n")  # `case {(2): _}` is none
    result = run(package, "small/sizes.py:2", check="")
    assert (result.returncode, result.stdout) == (0, "0 of 0 went unnoticed\n")


def test_the_choice_is_spread_and_the_same_for_a_seed(mutants) -> None:
    everything = mutants.mutants_of(str(TOOL))
    some = mutants.chosen(everything, 20, seed=5)
    assert some == mutants.chosen(everything, 20, seed=5) != mutants.chosen(everything, 20, seed=6)
    assert len(set(some)) == 20
    assert [mutant.line for mutant in some] == sorted(mutant.line for mutant in some)
    assert some[0].line < everything[len(everything) // 20].line + 1
    assert mutants.chosen(everything[:3], 20, seed=5) == everything[:3]


SCRIPT = r"""// a comment with 1 < 2
export function total(sizes, limit) {
  if (limit < 0) return "2 < 3"; /* 4 < 5 */
  let sum = 0;
  for (const size of sizes) {
    if (size === null || /[/] < "/.test(size)) {
      sum += add(size, limit);
    }
  }
  this.last = sum;
  return `${sum * 2} of 7 < ${`${limit}`}`;
}
const pair = (one, other) => one[0] - other[0];
"""


def test_the_breaks_of_a_script(mutants, tmp_path: Path) -> None:
    script = tmp_path / "script.mjs"
    script.write_text(SCRIPT)
    found = [(mutant.line, mutant.kind, mutant.new) for mutant in mutants.mutants_of(str(script))]
    assert sorted(found) == [
        (2, "names swapped", "limit, sizes"),
        (3, "comparison turned", 'if (limit <= 0) return "2 < 3"; /* 4 < 5 */'),
        (3, "condition made false", "(false)"),
        (3, "condition made true", "(true)"),
        (3, "condition negated", "(!(limit < 0))"),
        (3, "constant changed", 'if (limit < 1) return "2 < 3"; /* 4 < 5 */'),
        (3, "guard dropped", ";"),
        (3, "undefined returned", "undefined"),
        (4, "constant changed", "let sum = 1;"),
        (6, "comparison turned", 'if (size !== null || /[/] < "/.test(size)) {'),
        (6, "condition made false", "(false)"),
        (6, "condition made true", "(true)"),
        (6, "condition negated", '(!(size === null || /[/] < "/.test(size)))'),
        (6, "operator swapped", 'if (size === null && /[/] < "/.test(size)) {'),
        (7, "arguments swapped", "limit, size"),
        (7, "statement dropped", ";"),
        (10, "statement dropped", ";"),
        (11, "constant changed", "return `${sum * 3} of 7 < ${`${limit}`}`;"),
        (11, "operator swapped", "return `${sum / 2} of 7 < ${`${limit}`}`;"),
        (11, "undefined returned", "undefined"),
        (13, "constant changed", "const pair = (one, other) => one[0] - other[1];"),
        (13, "constant changed", "const pair = (one, other) => one[1] - other[0];"),
        (13, "names swapped", "other, one"),
        (13, "operator swapped", "const pair = (one, other) => one[0] + other[0];"),
    ]
    assert [mutant.line for mutant in mutants.mutants_of(f"{script}:10-11")] == [10, 11, 11, 11]


def test_a_script_is_blanked_without_moving_anything(mutants) -> None:
    blanked = sys.modules[mutants.breaks_of.__module__].blanked
    for path in sorted((TOOL.parents[1] / "minigrad" / "viz" / "static").glob("*.mjs")):
        source = path.read_text(encoding="utf-8")
        code = blanked(source)
        assert len(code) == len(source)
        assert code.count("\n") == source.count("\n")
        assert not set(code) & set("'\"`"), path.name
        for opening, closing in ("()", "[]", "{}"):
            assert code.count(opening) == code.count(closing), path.name


def test_an_unnoticed_break_of_a_script_is_listed(node: str, tmp_path: Path) -> None:
    (tmp_path / "sizes.mjs").write_text("export const smaller = (one, other) => one < other;\n")
    (tmp_path / "check.mjs").write_text(
        'import { smaller } from "./sizes.mjs";\nprocess.exit(smaller(1, 2) && !smaller(2, 1) ? 0 : 1);\n'
    )
    command = [sys.executable, str(TOOL), "sizes.mjs", "--", node, "check.mjs"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.stdout.splitlines() == [
        "unnoticed: sizes.mjs:1: comparison turned: export const smaller = (one, other) => one < other;  ->  "
        "export const smaller = (one, other) => one <= other;",
        "1 of 2 went unnoticed",
    ], result.stderr


def test_a_script_that_node_cannot_read_is_not_tried(mutants, node: str) -> None:
    for text, is_program in (("export const a = 1;", True), ("export const a = ;", False)):
        assert mutants.Mutant(Path("a.mjs"), 1, "", "", "", text.encode()).is_program() is is_program

"""The exercises beside the chapters: where they are found, and what becomes of a file that is half written."""

from __future__ import annotations

import inspect
import os
import pickle
import re
import shutil
import subprocess
import sys
import traceback
import tracemalloc
from pathlib import Path

import pytest

from minigrad.autograd import grad
from minigrad.teach import EXERCISES, exercises
from minigrad.teach.by_name import Checks, Predictions

ROOT = Path(__file__).parent.parent.parent
CHAPTERS = ROOT / "notebooks"
TRIES = """
import sys
from minigrad.teach import check, hint, predict, progress
assert not [name for name in sys.modules if name.startswith("minigrad.teach.exercises.")]
print(check.by_hand(None).title)
assert "minigrad.teach.exercises.04_pulls" not in sys.modules, "a file is run when its exercise is asked for"
print(predict.w_grad("b").title, "|", hint("pulls").title, "|", progress().title)
"""
WORKS = f"by_hand: not attempted\nas predicted | pulls: hint 1 | 0 of {len(EXERCISES)} exercises passed\n"


def run(folder: Path, code: str, package: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    environment.pop("MINIGRAD_PROGRESS")
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package alone."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(ROOT / "minigrad", folder / "minigrad", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with chapters, and what `python dev.py student` makes of them, but without the package."""
    shutil.copytree(CHAPTERS, tmp_path / "notebooks", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    (tmp_path / "course").mkdir()
    shutil.copy(CHAPTERS / "00_start_here.ipynb", tmp_path / "course")
    return tmp_path


@pytest.mark.parametrize("place", ["notebooks", "course", "."])
def test_they_are_found_from_where_a_notebook_runs(place: str, clone: Path, installed: Path) -> None:
    result = run(clone / place, TRIES, installed)
    assert result.stdout == WORKS, result.stderr
    kept = [str(path.relative_to(clone)) for path in clone.rglob(".progress.json")]
    assert kept == [os.path.join("notebooks" if place == "." else place, ".progress.json")]


def test_they_are_found_from_anywhere_beside_the_package(tmp_path: Path) -> None:
    assert run(tmp_path, TRIES).stdout == WORKS


@pytest.mark.parametrize("call", ["check.by_hand(None)", "hint('by_hand')", "predict.w_grad()", "progress()"])
def test_where_only_the_package_is_installed_the_way_is_told(call: str, installed: Path, tmp_path: Path) -> None:
    result = run(tmp_path, f"from minigrad.teach import check, hint, predict, progress\n{call}", installed)
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("FileNotFoundError: the exercises are not here.")
    assert "clone minigrad's repository" in last
    assert "notebooks/ as the working directory" in last


def test_the_order_is_that_of_the_chapters() -> None:
    names = list(EXERCISES)
    assert names[:3] == ["slope_of_w", "small_weights", "kind_of"]
    chapters = [EXERCISES[name].chapter for name in names]
    assert chapters == sorted(chapters)
    known = ["by_hand", "arrivals", "run_order", "jacobian", "descend"]  # by name, "arrivals" would be the first
    assert [name for name in names if name in known] == known
    files = [path.stem for path in (CHAPTERS / "exercises").glob("[0-9][0-9]_*.py")]
    assert len(EXERCISES) == len([name for name in files if not name.endswith("_predictions")]) >= 34
    assert EXERCISES["by_hand"].chapter == "03_backward_step_by_step"


def test_chapters_and_stars_are_known_without_running_what_is_asked() -> None:
    assert EXERCISES.places() == {name: (exercise.chapter, exercise.stars) for name, exercise in EXERCISES.items()}
    code = (
        "import sys; from minigrad.teach import progress; progress()\n"
        "print([name for name in sys.modules if 'exercises.0' in name and 'predictions' not in name])"
    )
    assert run(ROOT, code).stdout == "[]\n"


def test_a_module_of_an_exercise_is_like_any_other() -> None:
    quantized = EXERCISES["quantized"].reference
    assert inspect.getsource(quantized).startswith("def quantized(x, step):")
    assert inspect.getsourcefile(quantized) == str(CHAPTERS / "exercises" / "06_quantized.py")
    assert pickle.loads(pickle.dumps(quantized)) is quantized
    with pytest.raises(TypeError) as caught:
        quantized(None, 1.0)
    assert "return Quantize.apply(x, step)" in "".join(traceback.format_exception(caught.value))
    made = pickle.dumps(quantized)
    assert run(CHAPTERS, f"import pickle; print(pickle.loads({made!r}).__name__)").stdout == "quantized\n"


EXAMPLE = re.search(
    r"```python\n(import minigrad as mg\nfrom minigrad.teach import.*?)```",
    (ROOT / "guides" / "contributing.md").read_text("utf-8"),
    re.DOTALL,
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of exercises that may be written to; what is loaded from it is forgotten afterwards."""
    (tmp_path / "exercises").mkdir()
    (tmp_path / "00_start_here.ipynb").write_text("{}")
    monkeypatch.setattr(exercises, "__path__", [str(tmp_path / "exercises")])
    for name in ("00_slope", "00_predictions", "01_predictions", "chapter00"):
        monkeypatch.setitem(sys.modules, f"{exercises.__name__}.{name}", None)  # to be put back
        monkeypatch.delitem(sys.modules, f"{exercises.__name__}.{name}")
    return tmp_path / "exercises"


def test_the_guides_exercise_works(folder: Path) -> None:
    assert EXAMPLE is not None
    (folder / "00_slope.py").write_text(EXAMPLE[1])
    exercise = exercises._Exercises()["slope"]
    assert exercise.chapter == "00_start_here"
    assert exercise.check(exercise.reference).kind == "good"
    assert len(exercise.known) == 2
    for mistake in exercise.known:
        assert dict(exercise.check(mistake.answers[0]).rows)["likely"] == mistake.words
    assert [exercise.check(answer).kind for answer in exercise.right] == ["good"]
    ((words, (answer,)),) = exercise.wrong.items()
    assert words in repr(exercise.check(answer))


def test_a_file_that_is_half_written_is_read_again(folder: Path) -> None:
    assert EXAMPLE is not None
    text = "from .chapter00 import NUMBER\n" + EXAMPLE[1]
    check = Checks(exercises._Exercises())
    file = folder / "00_slope.py"
    for shared, part in (("", text), ("NUMBER = 1", text[:300]), ("NUMBER = 1", text[: text.index("EXERCISE")])):
        (folder / "chapter00.py").write_text(shared)
        file.write_text(part)
        with pytest.raises(ImportError, match=r"00_slope\.py cannot be used, .*call again"):
            check.slope(None)
    file.write_text(text)
    assert check.slope(lambda f, x: grad(f(x), x)[0]).kind == "good"
    with pytest.raises(AttributeError, match="no exercise 'slop': did you mean 'slope'"):
        _ = check.slop


ASKED = """
from minigrad.teach import Option, Prediction

PREDICTIONS = [Prediction("which", {text!r}, (Option("yes", "So it is.", True), Option("no", "It is not.")))]
"""


def test_two_of_the_same_name_are_refused_and_both_files_are_named(folder: Path) -> None:
    assert EXAMPLE is not None
    (folder / "00_slope.py").write_text(EXAMPLE[1])
    (folder / "00_predictions.py").write_text(ASKED.format(text="Is it so?"))
    check, predict = Checks(exercises._Exercises()), Predictions(exercises._PredictionTable())
    assert predict.which().question == "Is it so?"
    assert len(exercises._Exercises()) == 1
    (folder / "01_slope.py").write_text(EXAMPLE[1])
    (folder / "01_predictions.py").write_text(ASKED.format(text="Is it so here?"))
    with pytest.raises(ImportError, match=r"'slope' is in 00_slope\.py and in 01_slope\.py: rename one of the two"):
        check.slope(None)
    for act in (lambda: predict.which, lambda: list(exercises._PredictionTable()), lambda: predict("which")):
        with pytest.raises(ImportError, match=r"'which' is in 00_predictions\.py and in 01_predictions\.py: rename"):
            act()


def test_of_the_chapters_texts_nothing_is_kept() -> None:
    """Each kernel of a class would hold 30 MB of them, after `progress()` has put the exercises in order."""
    exercises._check_names.cache_clear()
    tracemalloc.start()
    try:
        assert next(iter(EXERCISES)) == "slope_of_w"
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 1_000_000

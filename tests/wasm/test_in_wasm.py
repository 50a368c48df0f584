"""minigrad in Python for browsers: what differs there, tried in node. All of it: `PYTHONPATH=tests python -m wasm`.

One run does it all, since to start Python there takes longer than most of the tests.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from wasm.left_out import BEHAVIOURS, LONG, TESTS
from wasm.outcomes import behaviours_of, differing, modules_with_behaviours, outcomes
from wasm.running import ROOT, found_by, start_inside

from minigrad.teach import EXERCISES

# What a browser's Python does otherwise shows in these: deep graphs and one thread, hooks, versions, saved tensors,
# integers of 32 bits, random numbers, pickles, and numpy without its compiled libraries.
FOLDERS = ("engine.hooks.", "engine.saved_tensors.", "engine.modes.", "engine.checkpoint.")
NAMES = {
    *("engine.backward.test_deep_graphs", "engine.backward.test_threads", "engine.function.test_nested_graphs"),
    *("engine.inplace.test_versions", "engine.inplace.test_saved_and_overwritten"),
    *("engine.functional.test_jacobians", "ops.test_reduction", "ops.test_places", "ops.test_random"),
    *("ops.test_linalg", "ops.test_numbers_that_do_not_fit", "ops.test_elementwise", "ops.test_values"),
    *("nn.test_conv", "tensor.test_kinds_of_index", "tensor.test_pickling", "tensor.test_creation"),
    *("tensor.test_numpy_functions", "data.test_data"),
}
MODULES = [name for name in modules_with_behaviours() if name.startswith(FOLDERS) or name in NAMES]
FILES = [f"tests/engine/{name}.py" for name in ("test_profiler", "test_stopping", "function/test_endless_recursion")]
PATIENCE = 600  # seconds, of a busy machine: a quiet one needs thirty


@pytest.fixture(scope="module")
def run(node: str, pyodide: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with what was found; where it was not, the test that asks shows what was printed."""
    folder = tmp_path_factory.mktemp("wasm")
    process = start_inside(node, pyodide, folder, stops=[], exercises=["few"], outcomes=MODULES, pytests=FILES)
    try:
        (folder / "printed.txt").write_text(process.communicate(timeout=PATIENCE)[0], encoding="utf-8")
    finally:
        process.kill()
        process.wait()
    return folder


def found(task: str, folder: Path) -> Any:
    assert (folder / f"{task}.pickle").exists(), (folder / "printed.txt").read_text(encoding="utf-8")[-5000:]
    return found_by(task, folder)


def test_behaviours_are_those_of_other_machines(run: Path) -> None:
    """Which the tests compare with PyTorch."""
    there = found("outcomes", run)
    here = outcomes(MODULES, LONG)
    assert len(here) > 2000
    different = differing(here, there)
    assert {title: both for title, both in different.items() if title not in BEHAVIOURS} == {}
    assert here.keys() & BEHAVIOURS.keys() - different.keys() == set(), "these hold: take them off the list"
    assert BEHAVIOURS.keys() <= here.keys(), "these are not there any more"


def test_each_reference_passes_and_wrong_answers_are_named(run: Path) -> None:
    cards = found("exercises", run)
    assert cards.keys() == EXERCISES.keys()
    for name, (reference, *wrong) in cards.items():
        assert reference[:2] == ("good", f"{name}: passed"), reference[2]
        for kind, answer, is_named in wrong:
            assert (kind, is_named) == ("bad", True), (name, answer)
    assert sum(len(tried) - 1 for tried in cards.values()) >= 8


@pytest.mark.parametrize("answer", ["endless", "stubborn"])
def test_an_answer_without_an_end_is_stopped(answer: str, run: Path) -> None:
    kind, title, words, seconds = found("stops", run)[answer]
    assert (kind, title) == ("bad", "slope_of_w: stopped, it was still running after 0.3 seconds")
    assert words.startswith("This does not come to an end")
    assert seconds < PATIENCE / 5


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("calls", "Calls stand in calls until Python's stack is full"),
        ("lists", "Calls stand in calls until Python's stack is full"),
        ("walks", "The function calls itself for each node, and this graph is deeper than Python's stack"),
    ],
    ids=["calls", "lists", "walks"],
)
def test_calls_within_calls_end_before_the_stack_is_full(answer: str, told: str, run: Path) -> None:
    """Where it is, all of Python ends."""
    kind, title, words, _ = found("stops", run)[answer]
    assert (kind, title.partition(": ")[2]) == ("bad", "raises RecursionError")
    assert words.startswith(told)


def test_after_that_all_works_on(run: Path) -> None:
    stops = found("stops", run)
    assert stops["afterwards"] == "slope_of_w: passed"
    assert stops["in a cell"].startswith("maximum recursion depth exceeded")
    assert stops["progress"] == f"1 of {len(EXERCISES)} exercises passed"
    assert stops["progress, of a new kernel"] == f"1 of {len(EXERCISES)} exercises passed"


def test_tests_pass_there(run: Path) -> None:
    reports = found("pytests", run)
    failed = [f"{name}\n{report}" for name, outcome, report in reports if outcome == "failed"]
    assert not failed, "\n\n".join(failed)
    assert sum(outcome == "passed" for _, outcome, _ in reports) > 40


def test_what_is_left_out_is_there() -> None:
    assert {title for name in MODULES for title, _ in behaviours_of(name)} >= LONG
    for name in TESTS:
        file, _, test = name.partition("::")
        assert f"def {test.partition('[')[0]}(" in (ROOT / file).read_text(encoding="utf-8"), name

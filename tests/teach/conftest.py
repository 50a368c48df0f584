"""Tests of the course keep their progress in a file of their own."""

import functools
import gc
import itertools
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minigrad import teach
from minigrad.teach import apart
from minigrad.teach import exercise as exercises
from minigrad.teach.card import Card
from minigrad.teach.exercise import Case, Exercise, Outcome
from minigrad.teach.progress import Progress


@pytest.fixture(scope="module", autouse=True)
def _quick_collections() -> None:
    """Some checks look for what is left in memory, again and again: not among all that earlier tests have left."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def _new_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Files that are not there yet."""
    folder = tmp_path_factory.mktemp("progress")
    return (folder / f"{number}.json" for number in itertools.count())


@pytest.fixture(autouse=True)
def _progress_of_its_own(
    request: pytest.FixtureRequest, _new_files: Iterator[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the test's own folder where it has one. To make one for each would take longer than most checks."""
    has_folder = "tmp_path" in request.fixturenames
    file = request.getfixturevalue("tmp_path") / "progress.json" if has_folder else next(_new_files)
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(file))
    monkeypatch.setattr(teach.progress_file, "kept", Progress().kept)
    monkeypatch.setattr(teach.progress_file, "note", "")


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of answers that harm nobody are tried without a process for each: what is known of mistakes is kept."""
    monkeypatch.setattr(apart, "FORKS", False)


_draws, _run, _behaviour = Exercise._draws, Exercise.run, Exercise._behaviour
_judge_again = Exercise._judge_again
_run_once = functools.lru_cache(maxsize=500)(_run)


def _drawn_by_name(exercise: Exercise, first: int | None = None) -> list[Case]:
    """Draws that are the same each time: whether a change passes may not depend on chance."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exercises, "_seeds", np.random.default_rng(zlib.crc32(exercise.name.encode())))
        return list(_draws(exercise, first))


_drawn_once = functools.lru_cache(maxsize=1)(_drawn_by_name)  # the answers of an exercise follow each other


@pytest.fixture
def expects_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is expected of a case is found once for all answers of an exercise, which takes half of the time."""

    def run(exercise: Exercise, answer: Any, case: Case) -> Outcome:
        return (_run_once if answer is exercise.reference else _run)(exercise, answer, case)

    def judge_again(*given: Any) -> Card | None:
        with monkeypatch.context() as patch:  # what is kept, and given out twice, shows in runs of its own
            patch.setattr(Exercise, "run", _run)
            return _judge_again(*given)

    monkeypatch.setattr(Exercise, "run", run)
    monkeypatch.setattr(Exercise, "_judge_again", judge_again)


@pytest.fixture
def draws_once(monkeypatch: pytest.MonkeyPatch, expects_once: None) -> None:
    """All answers of an exercise meet the same draws."""
    monkeypatch.setattr(Exercise, "_draws", _drawn_once)


@pytest.fixture
def known_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A known wrong answer that is tried itself does with other cases than the one that fails what is known of it."""

    def behaviour(exercise: Exercise, answer: Any, case: Case) -> Any:
        is_known = any(answer in mistake.answers for mistake in exercise.known)
        return exercise._known_behaviour(answer, case) if is_known else _behaviour(exercise, answer, case)

    monkeypatch.setattr(Exercise, "_behaviour", behaviour)


FEW = 2  # times that cases are drawn for a wrong answer: with fewer it is harder to refuse it, and to name the mistake
_few_cases = functools.cache(_drawn_by_name)


@pytest.fixture(autouse=True)
def _same_draws(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong answer meets the same draws each time: the words for it may depend on them, once in hundreds of draws.
    So do all of an exercise: what the known mistakes do with a case, which takes the time, is then found once for all.
    All in test_drawn.py are tried with what comes, and so are the right ones in a long test.
    """

    def draws(exercise: Exercise, first: int | None) -> Iterable[Case]:
        is_few = first is None and exercises.DRAWS == FEW
        return _few_cases(exercise) if is_few else _draws(exercise, first)

    if request.path.name == "test_wrong_answers.py" or "words" in request.fixturenames:
        monkeypatch.setattr(exercises, "_seeds", np.random.default_rng(zlib.crc32(request.node.name.encode())))
        monkeypatch.setattr(Exercise, "_draws", draws)
        monkeypatch.setattr(exercises, "DRAWS", FEW)

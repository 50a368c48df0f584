"""Tests of the course keep their progress in a file of their own."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from minigrad import teach
from minigrad.teach import apart


@pytest.fixture(scope="module", autouse=True)
def _quick_collections() -> Iterator[None]:
    """Some checks look for what is left in memory, again and again: not among all that earlier tests have left."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _progress_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(teach.progress_file, "kept", {"exercises": {}, "predictions": {}})
    monkeypatch.setattr(teach.progress_file, "note", "")


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of answers that harm nobody are tried without a process for each: what is known of mistakes is kept."""
    monkeypatch.setattr(apart, "FORKS", False)


@pytest.fixture(autouse=True)
def _tables_of_answers(request: pytest.FixtureRequest) -> None:
    """The chapters' own files are such tables."""
    if request.path.name.startswith("test_exercises_"):
        request.getfixturevalue("in_this_process")

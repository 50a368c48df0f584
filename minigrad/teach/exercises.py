"""The folder `notebooks/exercises/` as a package: a module for each exercise, run when it is first asked for.

The file `03_by_hand.py` is the module `minigrad.teach.exercises.03_by_hand`, imported as any other is: tracebacks show
its lines, and what it defines can be pickled. It holds an `EXERCISE`, a file `03_predictions.py` holds `PREDICTIONS`,
and `chapter03.py` what several of them need. All this belongs to the course, not to the package: the folder is looked
for from where the notebook runs, which may be the one of the chapters, `course/` beside it, or the repository's top.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

from minigrad.teach.exercise import Exercise
from minigrad.teach.prediction import Prediction

PLACES = (Path(), Path("notebooks"), Path("../notebooks"), Path(__file__).parents[2] / "notebooks")
MISSING = (
    "the exercises are not here. They come with the chapters, not with the package: clone minigrad's repository, and "
    "run the chapters there, in JupyterLab as `python dev.py lab` opens it, or with notebooks/ as the working directory"
)
PREDICTED = "predictions"

__path__: list[str] = []  # of the package: the folder, once it is found


def folder() -> Path:
    """The folder of the exercises. FileNotFoundError, with what to do, if only the package is there."""
    if not __path__:
        found = [place / "exercises" for place in PLACES if (place / "exercises" / "00_predictions.py").is_file()]
        if not found:
            raise FileNotFoundError(MISSING)
        __path__.append(str(found[0].resolve()))
    return Path(__path__[0])


def _files() -> list[str]:
    return sorted(path.stem for path in folder().glob("[0-9][0-9]_*.py"))


def _chapter(file: str) -> Path:
    """The notebook to which a file belongs."""
    return next(folder().parent.glob(f"{file[:2]}_*.ipynb"), folder().parent / file[:2])


def _load(file: str, name: str) -> Any:
    """What a file holds under a name. A file that cannot be run is run again the next time: it may be half written."""
    module, shared = f"{__name__}.{file}", f"{__name__}.chapter{file[:2]}"
    invalidate_caches()
    try:
        return getattr(import_module(module), name)
    except Exception as error:
        for loaded in (module, shared):
            sys.modules.pop(loaded, None)
        told = f"{folder() / file}.py cannot be used, {type(error).__name__}: {error}. When it is mended, call again"
        raise ImportError(told) from error


class _Exercises(Mapping[str, Exercise]):
    """The exercises by name, in the order in which the chapters ask for them."""

    def __init__(self) -> None:
        self._loaded: dict[str, Exercise] = {}

    def __getitem__(self, name: str) -> Exercise:
        if name not in self._loaded:
            file = self._file_of()[name]
            self._loaded[name] = replace(_load(file, "EXERCISE"), chapter=_chapter(file).stem)
        return self._loaded[name]

    def _file_of(self) -> dict[str, str]:
        return {file[3:]: file for file in _files() if file[3:] != PREDICTED}

    def __iter__(self) -> Iterator[str]:
        files = self._file_of()
        chapters = {path: path.read_text(encoding="utf-8") for path in map(_chapter, files.values()) if path.is_file()}

        def place(name: str) -> tuple[str, int]:
            chapter = _chapter(files[name])
            return files[name][:2], chapters.get(chapter, "").find(f"check.{name}(")

        return iter(sorted(files, key=place))

    def __len__(self) -> int:
        return len(self._file_of())


class _Predictions(Mapping[str, Prediction]):
    """The predictions by name; a chapter's file has all of its own."""

    def __init__(self) -> None:
        self._loaded: dict[str, dict[str, Prediction]] = {}

    def _each(self) -> Iterator[Prediction]:
        for file in _files():
            if file[3:] == PREDICTED:
                if file not in self._loaded:
                    chapter = _chapter(file).stem
                    self._loaded[file] = {
                        asked.name: replace(asked, chapter=chapter) for asked in _load(file, "PREDICTIONS")
                    }
                yield from self._loaded[file].values()

    def __getitem__(self, name: str) -> Prediction:
        for prediction in self._each():
            if prediction.name == name:
                return prediction
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (prediction.name for prediction in self._each())

    def __len__(self) -> int:
        return sum(1 for _ in self._each())


EXERCISES = _Exercises()
PREDICTIONS = _Predictions()

with contextlib.suppress(FileNotFoundError):  # now, for what was pickled: it names its module, and nobody asks
    folder()

"""The folder `notebooks/exercises/` as a package: a module for each exercise, run when it is first asked for.

The file `03_by_hand.py` is the module `minigrad.teach.exercises.03_by_hand`, imported as any other is: tracebacks show
its lines, and what it defines can be pickled. It holds an `EXERCISE`, a file `03_predictions.py` holds `PREDICTIONS`,
and `chapter03.py` what several of them need. All this belongs to the course, not to the package: the folder is looked
for from where the notebook runs, which may be the one of the chapters, `course/` beside it, or the repository's top.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.machinery import FileFinder
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
STARS = re.compile(r"^EXERCISE = .*?^    stars=(\d),$", re.MULTILINE | re.DOTALL)

__path__: list[str] = []  # of the package: the folder, once it is found


def folder() -> Path:
    """The folder of the exercises. FileNotFoundError, with what to do, if only the package is there."""
    if not __path__:
        found = [place / "exercises" for place in PLACES if (place / "exercises" / "00_predictions.py").is_file()]
        if not found:
            raise FileNotFoundError(MISSING)
        __path__.append(str(found[0].resolve()))
    return Path(__path__[0])


def _chapter(file: Path) -> Path:
    """The notebook to which a file belongs."""
    return next(file.parent.parent.glob(f"{file.stem[:2]}_*.ipynb"), file.parent.parent / file.stem[:2])


@functools.cache
def _check_names(chapter: Path) -> list[bytes]:
    """The exercises that a chapter checks, in order. Only the names are kept: the texts of all chapters take 30 MB."""
    return re.findall(rb"check\.(\w+)\(", chapter.read_bytes()) if chapter.is_file() else []


@functools.cache
def _load(file: Path) -> Any:
    """The exercise of a file, or its predictions. A file that cannot be run is run again the next time: it may be half
    written.
    """
    module, shared, chapter = f"{__name__}.{file.stem}", f"{__name__}.chapter{file.stem[:2]}", _chapter(file).stem
    finder = sys.path_importer_cache.get(str(file.parent))
    if isinstance(finder, FileFinder):
        finder.invalidate_caches()  # of this folder alone: to do so for all takes 0.1 s in a browser
    try:
        held = import_module(module)
        if file.stem[3:] == PREDICTED:
            return [replace(asked, chapter=chapter) for asked in held.PREDICTIONS]
        return replace(held.EXERCISE, chapter=chapter)
    except Exception as error:
        for loaded in (module, shared):
            sys.modules.pop(loaded, None)
        message = f"{file} cannot be used, {type(error).__name__}: {error}. When it is mended, call again"
        raise ImportError(message) from error


def _by_name(found: Iterable[tuple[str, Any, Path]]) -> dict[str, Any]:
    """What was found, by name. ImportError if two files give the same name, where one would hide the other."""
    named: dict[str, tuple[Any, Path]] = {}
    for name, one, file in found:
        if named.setdefault(name, (one, file)) != (one, file):
            raise ImportError(f"{name!r} is in {named[name][1].name} and in {file.name}: rename one of the two")
    return {name: one for name, (one, _) in named.items()}


@functools.lru_cache(maxsize=1)  # until a file comes or goes: each check asks for it
def _files_by_name(place: Path, listed: tuple[str, ...]) -> dict[str, Path]:
    """The exercises' files, of all that is listed in the folder, by the exercises' names."""
    files = [place / name for name in listed if re.fullmatch(r"\d\d_.*\.py", name)]
    return _by_name((file.stem[3:], file, file) for file in files if file.stem[3:] != PREDICTED)


class _Exercises(Mapping[str, Exercise]):
    """The exercises by name, in the order in which the chapters ask for them."""

    def _files(self) -> dict[str, Path]:
        return _files_by_name(folder(), tuple(sorted(os.listdir(folder()))))

    def __getitem__(self, name: str) -> Exercise:
        exercise: Exercise = _load(self._files()[name])
        return exercise

    def __iter__(self) -> Iterator[str]:
        chapters = {name: _chapter(file) for name, file in self._files().items()}
        place = {
            name: (chapter.stem, [*_check_names(chapter), name.encode()].index(name.encode()))
            for name, chapter in chapters.items()
        }
        return iter(sorted(place, key=place.__getitem__))

    def __len__(self) -> int:
        return len(self._files())

    def places(self) -> dict[str, tuple[str, int]]:
        """Of each exercise the chapter and the stars, as its file says: to run them all takes seconds in a browser."""
        files = self._files()
        written = {name: STARS.search(files[name].read_text(encoding="utf-8")) for name in self}
        stars = {name: int(found[1]) if found else self[name].stars for name, found in written.items()}
        return {name: (_chapter(files[name]).stem, number) for name, number in stars.items()}


class _PredictionTable(Mapping[str, Prediction]):
    """The predictions by name; a chapter's file has all of its own."""

    def _all(self) -> dict[str, Prediction]:
        files = sorted(folder().glob(f"[0-9][0-9]_{PREDICTED}.py"))
        return _by_name((asked.name, asked, file) for file in files for asked in _load(file))

    def __getitem__(self, name: str) -> Prediction:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


EXERCISES, PREDICTIONS = _Exercises(), _PredictionTable()

with contextlib.suppress(FileNotFoundError):  # now, for what was pickled: it names its module, and nobody asks
    folder()

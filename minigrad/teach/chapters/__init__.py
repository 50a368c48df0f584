"""What each chapter asks: `EXERCISES` and `PREDICTIONS`, in the order of the chapters.

A chapter is a module or a folder of this package, `chapter04` for `notebooks/04_*.ipynb`, with the two names in it. It
is found by being here.
"""

from importlib import import_module
from pkgutil import iter_modules

from minigrad.teach.exercise import Exercise
from minigrad.teach.prediction import Prediction

__all__ = ["EXERCISES", "PREDICTIONS"]

_CHAPTERS = [
    import_module(f"{__name__}.{found.name}") for found in sorted(iter_modules(__path__), key=lambda m: m.name)
]

EXERCISES: tuple[Exercise, ...] = tuple(exercise for chapter in _CHAPTERS for exercise in chapter.EXERCISES)
PREDICTIONS: tuple[Prediction, ...] = tuple(question for chapter in _CHAPTERS for question in chapter.PREDICTIONS)

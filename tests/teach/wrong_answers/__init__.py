"""Wrong answers as a learner would write them, a module for each chapter: `WRONG`, exercise -> (answer, words) pairs.

Each must fail with words of its own: a check that rejects without saying why, or with the words for another mistake,
teaches the wrong thing.
"""

from importlib import import_module
from pathlib import Path

from minigrad.teach import EXERCISES

BY_NAME = {exercise.name: exercise for exercise in EXERCISES}
_MODULES = [import_module(f"{__name__}.{path.stem}") for path in sorted(Path(__file__).parent.glob("chapter*.py"))]
WRONG = {name: answers for module in _MODULES for name, answers in module.WRONG.items()}
EACH_WRONG = [(name, answer, words) for name, answers in WRONG.items() for answer, words in answers]

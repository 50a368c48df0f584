"""What chapter 16 and its exercises share: names and their rows, weights of attention, pictures of matrices."""

from types import FunctionType

import numpy as np

import minigrad as mg
from minigrad.teach import EXERCISES, plain

from .villages import NAMES

LETTERS = "·abcdefghijklmnopqrstuvwxyz"  # number 0 begins and ends a name
PLACES = 12  # of the longest name, with the mark


def villages():
    """The names, shuffled, the same way each time; and of how many the last ones are put aside."""
    return [NAMES[place] for place in np.random.default_rng(0).permutation(len(NAMES))], 100


def shifted(names):
    """Rows of numbers for names: what a model is given at each place, and what follows there."""
    length = max(map(len, names)) + 1
    inputs, targets = mg.zeros(len(names), length, dtype=mg.long), mg.full((len(names), length), -100)
    for row, name in enumerate(names):
        numbers = [ord(letter) - ord("a") + 1 for letter in name]
        inputs[row, : len(name) + 1] = mg.tensor([0, *numbers])
        targets[row, : len(name) + 1] = mg.tensor([*numbers, 0])
    return inputs, targets


def masked_weights(scores, allowed):
    """softmax along the last axis, of what is allowed; all else is 0, also in a row in which nothing is."""
    weights = scores.masked_fill(~allowed, -mg.inf).softmax(-1)
    return weights.masked_fill(~allowed, 0.0)


def normalized(x):
    """Each row of x less its mean, divided by its spread; and the spread, with an axis of size 1."""
    centred = x - x.mean(-1, keepdim=True)
    spread = ((centred * centred).mean(-1, keepdim=True) + 1e-5).sqrt()
    return centred / spread, spread


# ---------------------------------------------------------------- in the notebook


def working(answer):
    """The function to go on with: the learner's if its check passes, otherwise the solution's; a line says which.

    So an answer that never ends, raises, or changes what it is given, is met by its check alone, in a process of its
    own, and no later cell runs it.
    """
    name = getattr(answer, "__name__", plain(answer))
    asked = [one for one, exercise in EXERCISES.items() if exercise.chapter.startswith("16")]
    if name not in asked:
        raise ValueError(f"working() takes one of the functions {', '.join(asked)}, written with def, not {name}")
    card = EXERCISES[name].check(answer)
    title = card.title.partition(": ")[2]
    why = f"yours is {title}" if card.kind == "open" else f'of yours the check says "{title}"'
    print(f"{name}: yours" if card.kind == "good" else f"{name}: the solution's, as {why}")
    return answer if card.kind == "good" else _handed_out(EXERCISES[name].reference)


def _handed_out(solution):
    """A solution's function as it goes into the notebook, where it gets the name of the function that is asked for: a
    check does not take it for the learner's.
    """
    copy = FunctionType(solution.__code__, solution.__globals__, solution.__name__, solution.__defaults__)
    copy.is_solution, copy.__doc__ = True, solution.__doc__
    return copy


def cells(axis, matrix, rows, columns, title="", most=None):
    """Draw a matrix as cells, the darker the larger the number, with a character for each row and column."""
    axis.imshow(np.asarray(matrix), cmap="Blues", vmin=0, vmax=most, aspect="auto")
    axis.set_xticks(range(len(columns)), list(columns))
    axis.set_yticks(range(len(rows)), list(rows))
    axis.tick_params(length=0, labelsize=8)
    axis.set_title(title, fontsize=10)

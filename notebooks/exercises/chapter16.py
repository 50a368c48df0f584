"""What chapter 16 and its exercises share: names and their rows, weights of attention, pictures of matrices."""

import numpy as np

import minigrad as mg
from minigrad.teach import EXERCISES

from .chapter14 import going_on_with
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
    """The function to go on with: the learner's if its check passes, otherwise the solution's; a line says which."""
    steps = {name: one.reference for name, one in EXERCISES.items() if one.chapter.startswith("16")}
    return going_on_with(answer, steps, lambda answer: None)


def cells(axis, matrix, rows, columns, title="", most=None):
    """Draw a matrix as cells, the darker the larger the number, with a character for each row and column."""
    axis.imshow(np.asarray(matrix), cmap="Blues", vmin=0, vmax=most, aspect="auto")
    axis.set_xticks(range(len(columns)), list(columns))
    axis.set_yticks(range(len(rows)), list(rows))
    axis.tick_params(length=0, labelsize=8)
    axis.set_title(title, fontsize=10)

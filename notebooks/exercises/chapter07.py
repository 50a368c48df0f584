"""What the exercises of chapter 07 share: float64, as a gradient check wants it, and watched functions."""

import numpy as np

import minigrad as mg
from minigrad.teach import cases


def in_float64(values):
    return mg.tensor(values, dtype=mg.float64)


def drawn_numbers(random, shape=()):
    """Numbers of both signs with one digit behind the point, which read well on a card."""
    return (np.round(random.normal(0, 1.5, shape), 1) + 0.0).tolist()  # 0 for -0


class Watched:
    """A function that notes what dtypes it was called with."""

    def __init__(self, words, function):
        self.words, self.function = words, function
        self.calls = []

    def __call__(self, t):
        self.calls.append(getattr(t, "dtype", type(t)))
        return self.function(t)

    def __repr__(self):
        return self.words


@cases("f = lambda t: {words}, x = {x}, eps = {eps:g}")
def measured_case(words, function, x, eps):
    """A function and where it is to be measured."""
    return Watched(f"f = lambda t: {words}", function), in_float64(x), eps


def lost_in_float32(outcome):
    """Whether f was called with float32, for a step that is lost there."""
    f, _, eps = outcome.arguments
    return eps < 1e-3 and mg.float32 in f.calls

"""What the exercises of chapter 07 share: float64, as a gradient check wants it, and watched functions."""

import minigrad as mg
from minigrad.teach import Noted, cases, formula


def in_float64(values):
    return mg.tensor(values, dtype=mg.float64)


@cases("f = lambda t: {words}, x = {x}, eps = {eps:g}")
def measured_case(words, x, eps):
    """A function, which notes what dtypes it is called with, and where it is to be measured."""
    f = Noted(f"f = lambda t: {words}", formula(words, "t"), note=lambda t: getattr(t, "dtype", type(t)))
    return f, in_float64(x), eps


def lost_in_float32(outcome):
    """Whether f was called with float32, for a step that is lost there."""
    f, _, eps = outcome.arguments
    return eps < 1e-3 and mg.float32 in f.calls

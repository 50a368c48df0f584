"""What the exercises of chapter 06 share: drawn numbers, slopes measured, and a backward run and watched."""

from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd import grad
from minigrad.teach import STEP, Difference, compare, function_of, show, slopes

from .writes import Given


def drawn_numbers(random, shape):
    """Numbers of both signs with one digit behind the point, which read well on a card, as lists."""
    return (np.round(random.normal(0, 1.5, shape), 1) + 0.0).tolist()  # 0 for -0


def measured_slopes(function, x, weights, step=STEP):
    """How fast (weights * function(x)).sum() changes with each element of x, in words."""
    found = np.empty(tuple(x.shape))
    for place, slope in slopes(function, x, step):
        found[place] = (slope * weights.numpy()).sum()
    listed = np.array2string(found + 0.0, separator=", ", formatter={"float_kind": lambda value: f"{value:.4g}"})
    return f"  each element moved by {step} to both sides: the slopes are {' '.join(listed.split())}"


# ---------------------------------------------------------------- a backward, watched


class Sent(NamedTuple):
    """What a backward sent to x, and the first tensor that it wrote to."""

    gradient: Any
    written: Difference | None


def sends(name, forward, saved, backward):
    """`run(*arguments, grad_output) -> Sent`, of a Function with this backward whose forward has `saved` tensors of
    these names. The first argument is x.
    """
    function = function_of(name, forward, backward)

    def run(x, *others):
        *others, weights = others
        x, weights = x.detach().clone().requires_grad_(), weights.clone()  # whatever is written, it is not to the case
        y = function.apply(x, *others)
        given = Given(grad_output=weights, **dict(zip(saved, y.grad_fn.saved_tensors, strict=True)))
        (gradient,) = grad(y, x, weights, allow_unused=True)
        return None if gradient is None else Sent(gradient, given.first_written())

    return run


def compare_sent(expected, got, outcome):
    """The gradient counts first; then, that nothing was written to."""
    if not isinstance(got, Sent):
        return compare(expected.gradient, got)
    return compare(expected.gradient, got.gradient) or got.written


def show_sent(value, arguments):
    return show(value.gradient if isinstance(value, Sent) else value)

"""What the exercises of chapter 06 share: drawn numbers, slopes measured, and a backward run and watched."""

from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd import grad
from minigrad.teach import Difference, function_of, observer
from minigrad.teach import measured_slopes as measured_slopes

from .writes import Given


def drawn_numbers(random, shape):
    """Numbers of both signs with one digit behind the point, which read well on a card, as lists."""
    return (np.round(random.normal(0, 1.5, shape), 1) + 0.0).tolist()  # 0 for -0


# ---------------------------------------------------------------- a backward, watched


class Sent(NamedTuple):
    """What a backward sent to x, and the first tensor that it wrote to."""

    gradient: Any
    written: Difference | None


def sends(name, forward, saved, backward):
    """For `plug`: what a Function with this backward, whose forward has `saved` tensors of these names, sends to its
    first argument, and whether it has written to what it was given. The last argument of a case is grad_output.
    """

    @observer
    def run(backward, x, *others):
        *others, weights = others
        x, weights = x.detach().clone().requires_grad_(), weights.clone()  # whatever is written, it is not to the case
        y = function_of(name, forward, backward).apply(x, *others)
        given = Given(grad_output=weights, **dict(zip(saved, y.grad_fn.saved_tensors, strict=True)))
        (gradient,) = grad(y, x, weights, allow_unused=True)
        return {"the answer": gradient, **given.seen()}

    return run(backward)

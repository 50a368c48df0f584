"""The error function: erf(x) = 2 / sqrt(pi) * integral of exp(-t**2) from 0 to x.

No formula gives it exactly, and numpy has none. Python's own is exact, one number at a time. For float32, in which
networks compute, a quotient of two polynomials was fitted to it once (relative error of the fit 2e-8).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import op
from minigrad.public import public

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

# numerator and denominator, from the constant up
_SINGLE = (
    (1.12837915, 0.190592805, 0.052769181, 0.00377251022, 0.000284842736, 2.04603665e-06),
    (1.0, 0.502241207, 0.114182336, 0.01498312, 0.00116384817, 3.80478278e-05),
)
_SINGLE_END = 3.925  # beyond it float32 cannot tell erf from 1


def _polynomial(constants: tuple[float, ...], x: Array) -> Array:
    """A polynomial in x, by Horner's rule."""
    total = x * constants[-1]
    for constant in constants[-2:0:-1]:
        total += constant
        total *= x
    total += constants[0]
    return total


@public(in_place=True)
@op(self=lambda F, g, self: g * (2 / math.sqrt(math.pi)) * F.exp(-self * self), floating=True)
def erf(self: Array) -> Array:
    """The error function: how much of a bell curve of variance 1/2 lies within `input` of its middle."""
    if self.dtype != np.float32:
        return np.array([*map(math.erf, np.ravel(self).tolist())], self.dtype).reshape(self.shape)[()]
    x = np.minimum(np.maximum(self, -_SINGLE_END), _SINGLE_END)
    numerator, denominator = (_polynomial(constants, x * x) for constants in _SINGLE)
    quotient = numerator / denominator
    quotient *= x
    return np.minimum(np.maximum(quotient, -1), 1)

"""What the exercises of chapter 06 share: slopes measured."""

import numpy as np

from minigrad.teach import STEP, slopes


def measured_slopes(function, x, weights, step=STEP):
    """How fast (weights * function(x)).sum() changes with each element of x, in words."""
    found = np.empty(tuple(x.shape))
    for place, slope in slopes(function, x, step):
        found[place] = (slope * weights.numpy()).sum()
    listed = np.array2string(found + 0.0, separator=", ", formatter={"float_kind": lambda value: f"{value:.4g}"})
    return f"  each element moved by {step} to both sides: the slopes are {' '.join(listed.split())}"

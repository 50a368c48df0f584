"""What the exercises of chapter 05 share: answers that are True or False."""

import numpy as np

import minigrad as mg
from minigrad.teach import Difference, show


def compare_answers(expected, got, outcome):
    """For `compare`: True or False, also those of numpy and of a tensor."""
    if isinstance(got, mg.Tensor) and got.dtype is mg.bool and got.numel() == 1:
        got = got.item()
    if isinstance(got, bool | np.bool_):
        return None if got == expected else Difference("the answer", str(got), str(expected))
    return Difference("the answer", show(got), str(expected), "The answer is True or False.")

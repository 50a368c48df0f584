"""Random functions whose result is certain, so that the table can check their nodes and their gradients, which are 0.

(The numbers themselves are compared with PyTorch's in test_random.)
"""

from __future__ import annotations

import numpy as np
from ops.op_table import UNARY, Row

ROWS = [
    Row(
        ".bernoulli_()",
        lambda F, x: (x * 2).bernoulli_(1.0),
        np.ones_like,
        UNARY,
        "BernoulliBackward2",
    ),
]

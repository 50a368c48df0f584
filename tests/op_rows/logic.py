"""Rows of truth of two elements."""

from __future__ import annotations

import numpy as np
from op_forms import answer_in_place, function_and_method, question
from op_table import BINARY, UNARY, Row, both, whole

ROWS = [
    *both("logical_not", np.logical_not, None, whole, differentiable=False),
    question("logical_not_", lambda F, x: x.clone().logical_not_(), lambda x: np.logical_not(x).astype(x.dtype), UNARY),
    *function_and_method("logical_and", np.logical_and, None, whole, BINARY, differentiable=False),
    *function_and_method("logical_or", np.logical_or, None, whole, BINARY, differentiable=False),
    *function_and_method("logical_xor", np.logical_xor, None, whole, BINARY, differentiable=False),
    answer_in_place("logical_and_", np.logical_and),
    answer_in_place("logical_or_", np.logical_or),
    answer_in_place("logical_xor_", np.logical_xor),
    Row(
        "is_nonzero",
        lambda F, x: F.tensor([F.is_nonzero(x), x.is_nonzero()]),
        lambda x: np.array([bool(x), bool(x)]),
        [((),), ((1,),), ((1, 1),)],
        None,
        whole,
        False,
    ),
]

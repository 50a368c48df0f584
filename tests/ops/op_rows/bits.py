"""Rows of bits of integers, and bools."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_forms import question
from ops.op_table import INTO, UNARY


def augmented_bits(F: Any, x: Any, y: Any) -> Any:
    z = x > 0
    z &= y > 0
    z |= x < 0
    z ^= y < 0
    return z


ROWS = [
    question("(x > 0) & (y > 0)", lambda F, x, y: (x > 0) & (y > 0), lambda x, y: np.minimum(x, y) > 0),
    question("(x > 0) | (y > 0)", lambda F, x, y: (x > 0) | (y > 0), lambda x, y: np.maximum(x, y) > 0),
    question("(x > 0) ^ (y > 0)", lambda F, x, y: (x > 0) ^ (y > 0), lambda x, y: (x > 0) != (y > 0)),
    question("True & (x > 0)", lambda F, x: True & (x > 0), lambda x: x > 0, UNARY),
    question("True | (x > 0)", lambda F, x: True | (x > 0), lambda x: x == x, UNARY),
    question("True ^ (x > 0)", lambda F, x: True ^ (x > 0), lambda x: x <= 0, UNARY),
    question("~(x > 0)", lambda F, x: ~(x > 0), lambda x: x <= 0, UNARY),
    question(
        "x.long() & y.long()",
        lambda F, x, y: x.long() & y.long(),
        lambda x, y: x.astype(int) & y.astype(int),
    ),
    question(
        "x.long() | y.long()",
        lambda F, x, y: x.long() | y.long(),
        lambda x, y: x.astype(int) | y.astype(int),
    ),
    question(
        "x.long() ^ y.long()",
        lambda F, x, y: x.long() ^ y.long(),
        lambda x, y: x.astype(int) ^ y.astype(int),
    ),
    question("~x.long()", lambda F, x: ~x.long(), lambda x: ~x.astype(int), UNARY),
    question("&= |= ^=", augmented_bits, lambda x, y: (((x > 0) & (y > 0)) | (x < 0)) ^ (y < 0), INTO),
]

"""Rows of copies and other dtypes."""

from __future__ import annotations

import numpy as np
from ops.op_table import UNARY, Row, apart, both, positive, whole

ROWS = [
    *both("clone", np.array, "CloneBackward0"),
    Row("x.double()", lambda F, x: x.double() * 1, lambda x: x.astype("float64"), UNARY, "MulBackward0"),
    Row("x.float()", lambda F, x: x.float() * 1, lambda x: x.astype("float32"), UNARY, "MulBackward0", rounds=True),
    Row("x.to(float64)", lambda F, x: x.to(F.float64) * 1, lambda x: x.astype("float64"), UNARY, "MulBackward0"),
    Row(
        "x.to(float32)",
        lambda F, x: x.to(F.float32) * 1,
        lambda x: x.astype("float32"),
        UNARY,
        "MulBackward0",
        rounds=True,
    ),
    Row(
        "x.double().float()",
        lambda F, x: x.double().float() * 1,
        lambda x: x.astype("float32"),
        UNARY,
        "MulBackward0",
        rounds=True,
    ),
    Row(
        "x.type(float32)",
        lambda F, x: x.type(F.float32) * 1,
        lambda x: x.astype("float32"),
        UNARY,
        "MulBackward0",
        rounds=True,
    ),
    Row("x.long()", lambda F, x: x.long(), lambda x: x.astype("int64"), UNARY, None, apart, False),
    Row("x.int()", lambda F, x: x.int(), lambda x: x.astype("int32"), UNARY, None, apart, False),
    Row(
        "x.half()", lambda F, x: x.half() * 1, lambda x: x.astype("float16"), UNARY, "MulBackward0", whole, rounds=True
    ),
    Row("x.short()", lambda F, x: x.short(), lambda x: x.astype("int16"), UNARY, None, apart, False),
    Row("x.char()", lambda F, x: x.char(), lambda x: x.astype("int8"), UNARY, None, apart, False),
    Row("x.byte()", lambda F, x: x.byte(), lambda x: x.astype("uint8"), UNARY, None, positive, False),
    Row("x.type_as(y)", lambda F, x, y: x.type_as(y) * y, lambda x, y: x * y, [((2, 3), ()), ((), ())], "MulBackward0"),
    Row("x.bool()", lambda F, x: x.bool(), lambda x: x != 0, UNARY, None, whole, False),
]

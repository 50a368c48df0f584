"""Rows of nan and inf."""

from __future__ import annotations

from ops.op_forms import question
from ops.op_table import UNARY

ROWS = [
    question("isnan()", lambda F, x: F.isnan(F.log(x)), lambda x: x < 0, UNARY),
    question(".isnan()", lambda F, x: x.sqrt().isnan(), lambda x: x < 0, UNARY),
    question("isinf()", lambda F, x: F.isinf(1 / x), lambda x: x == 0, UNARY),
    question(".isinf()", lambda F, x: (1 / x).isinf(), lambda x: x == 0, UNARY),
    question("isfinite()", lambda F, x: F.isfinite(F.log(x)), lambda x: x > 0, UNARY),
    question(".isfinite()", lambda F, x: x.log().isfinite(), lambda x: x > 0, UNARY),
]

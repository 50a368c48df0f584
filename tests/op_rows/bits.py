"""Rows of bits of integers, and bools."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from op_forms import FEW_BINARY, of_integers, question
from op_table import INTO, UNARY, Row


def augmented_bits(F: Any, x: Any, y: Any) -> Any:
    z = x > 0
    z &= y > 0
    z |= x < 0
    z ^= y < 0
    return z


def by_operator(symbol: str, function: Callable[..., Any], numpy: Callable[..., Any]) -> Row:
    """An operator of whole numbers, beside a tensor and on either side of a number."""

    def combined(F: Any, x: Any, y: Any) -> Any:
        x, y = x.long(), y.long()
        return function(x, y) + function(x, 2) + function(2, y)

    def answer(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        x, y = x.astype(int), y.astype(int)
        return numpy(x, y) + numpy(x, 2) + numpy(2, y)

    return Row(f"x {symbol} y", combined, answer, FEW_BINARY, None, few_bits, False)


def few_bits(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return random.integers(0, 9, shape)


def shifted(F: Any, x: Any) -> Any:
    z = x.long()
    z <<= 3
    z >>= 1
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
        lambda F, x, y: F.bitwise_and(x.long(), y.long()),
        lambda x, y: x.astype(int) & y.astype(int),
    ),
    question(
        "x.long() | y.long()",
        lambda F, x, y: F.bitwise_or(x.long(), y.long()),
        lambda x, y: x.astype(int) | y.astype(int),
    ),
    question(
        "x.long() ^ y.long()",
        lambda F, x, y: F.bitwise_xor(x.long(), y.long()),
        lambda x, y: x.astype(int) ^ y.astype(int),
    ),
    question("bitwise_not", lambda F, x: F.bitwise_not(x.long()), lambda x: ~x.astype(int), UNARY),
    question(
        "bitwise_and_",
        lambda F, x, y: x.long().bitwise_and_(y.long()),
        lambda x, y: x.astype(int) & y.astype(int),
        INTO,
    ),
    question(
        "bitwise_or_", lambda F, x, y: x.long().bitwise_or_(y.long()), lambda x, y: x.astype(int) | y.astype(int), INTO
    ),
    question(
        "bitwise_xor_",
        lambda F, x, y: x.long().bitwise_xor_(y.long()),
        lambda x, y: x.astype(int) ^ y.astype(int),
        INTO,
    ),
    question("bitwise_not_", lambda F, x: x.long().bitwise_not_(), lambda x: ~x.astype(int), UNARY),
    question("&= |= ^=", augmented_bits, lambda x, y: (((x > 0) & (y > 0)) | (x < 0)) ^ (y < 0), INTO),
    *of_integers("bitwise_left_shift", np.left_shift, 0, 6),
    *of_integers("bitwise_right_shift", np.right_shift, 0, 6),
    by_operator("<<", operator.lshift, np.left_shift),
    by_operator(">>", operator.rshift, np.right_shift),
    Row("<<= >>=", shifted, lambda x: x.astype(int) * 4, UNARY, None, few_bits, False),
]

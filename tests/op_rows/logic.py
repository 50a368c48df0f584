"""Rows of questions that are answered by bools."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_table import BINARY, UNARY, Row, Shapes, both, whole

from op_rows.trigonometry import function_and_method

FEW: list[Shapes] = [((2, 3), (3,)), ((), ())]
INTO: list[Shapes] = [((2, 3), (3,)), ((), ()), ((0,), (0,))]


def infinite(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return random.choice([np.inf, -np.inf, 0.0, -0.0, 1.5], shape)


def written(name: str, numpy: Any) -> Row:
    """`x.logical_and_(y)`: the answer as numbers in the place of x, without a gradient."""

    def write(F: Any, x: Any, y: Any) -> Any:
        return getattr(x.detach().clone(), name)(y.detach())

    return Row(f".{name}(y)", write, lambda x, y: numpy(x, y).astype(x.dtype), INTO, None, whole, False)


def compared(name: str, numpy: Any) -> list[Row]:
    """Another name of a comparison, and its in-place form."""
    return [*both(name, numpy, None, whole, FEW, differentiable=False), written(f"{name}_", numpy)]


def asked(name: str, numpy: Any, domain: Any = whole) -> list[Row]:
    return both(name, numpy, None, domain, UNARY, differentiable=False)


ROWS = [
    *function_and_method("logical_and", np.logical_and, None, whole, BINARY, differentiable=False),
    *function_and_method("logical_or", np.logical_or, None, whole, BINARY, differentiable=False),
    *function_and_method("logical_xor", np.logical_xor, None, whole, BINARY, differentiable=False),
    written("logical_and_", np.logical_and),
    written("logical_or_", np.logical_or),
    written("logical_xor_", np.logical_xor),
    *compared("greater", np.greater),
    *compared("greater_equal", np.greater_equal),
    *compared("less", np.less),
    *compared("less_equal", np.less_equal),
    *compared("not_equal", np.not_equal),
    *asked("isposinf", np.isposinf, infinite),
    *asked("isneginf", np.isneginf, infinite),
    *asked("signbit", np.signbit, infinite),
    *asked("isreal", np.isreal),
    *function_and_method("isclose", np.isclose, None, whole, BINARY, differentiable=False),
    Row(
        "isin",
        lambda F, x, y: F.isin(x, y),
        np.isin,
        [((2, 3), (3,)), ((), (2,)), ((2,), ()), ((0,), (2,)), ((2,), (0,))],
        None,
        whole,
        False,
    ),
    *(
        Row(
            name,
            lambda F, x, y, ask=ask: F.tensor([getattr(F, ask)(x, y), getattr(x, ask)(y), getattr(x, ask)(x)]),
            lambda x, y, numpy=numpy: np.array([numpy(x, y), numpy(x, y), True]),
            [((2, 3), (2, 3)), ((0,), (0,)), ((), ())],
            None,
            whole,
            False,
        )
        for name, ask, numpy in (("allclose", "allclose", np.allclose), ("equal", "equal", np.array_equal))
    ),
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

"""Rows of what is left of arithmetic: rounded division, operations of three tensors, and other names."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from op_table import BINARY, CHOICE, INTO, UNARY, Row, apart, between, normal, whole

from op_rows.trigonometry import FEW, FEW_BINARY, alias, function_and_method, in_all_forms, in_place, into


def divided(mode: str) -> Callable[..., Any]:
    return {"floor": np.floor_divide, "trunc": lambda x, y: np.trunc(x / y)}[mode]


def of_integers(name: str, numpy: Callable[..., Any], low: int = -9, high: int = 10) -> list[Row]:
    """A function of whole numbers as function, method and in place."""

    def drawn(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        return random.integers(low, high, shape)

    def answer(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return numpy(x.astype(int), y.astype(int))

    def row(text: str, function: Callable[..., Any], shapes: Any = FEW_BINARY) -> Row:
        return Row(text, lambda F, x, y: function(F, x.long(), y.long()), answer, shapes, None, drawn, False)

    return [
        row(f"{name}()", lambda F, x, y: getattr(F, name)(x, y), BINARY),
        row(f".{name}()", lambda F, x, y: getattr(x, name)(y)),
        row(f".{name}_()", lambda F, x, y: getattr(x, f"{name}_")(y)),
    ]


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


def augmented(F: Any, x: Any, y: Any) -> Any:
    z = x * 1
    z %= y
    return z * 1


def augmented_numpy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.remainder(x, y)


def floor_divided(F: Any, x: Any, y: Any) -> Any:
    z = x.detach() * 1
    z //= y.detach()
    return z


def at_zero(x: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.where(x == 0, values, x > 0).astype(x.dtype)


def lerp(x: np.ndarray, end: np.ndarray, weight: Any) -> np.ndarray:
    return x + (end - x) * weight


def rows_in_place(*names: str, numpy: Callable[..., Any], node: str, domain: Any = normal) -> list[Row]:
    """`x.multiply_(y)` and the like."""
    return [into(name, numpy, node, domain) for name in names]


DIVIDED = [
    *function_and_method("divide", np.divide, "DivBackward0", (normal, apart), FEW_BINARY),
    *function_and_method("true_divide", np.divide, "DivBackward0", (normal, apart), FEW_BINARY),
    *rows_in_place("divide", "true_divide", numpy=np.divide, node="DivBackward0", domain=(normal, apart)),
    *(
        Row(
            f"div({mode})",
            lambda F, x, y, mode=mode: x.div(y, rounding_mode=mode),
            divided(mode),
            BINARY,
            "DivBackward2",
            (normal, apart),
            rounds=True,
        )
        for mode in ("trunc", "floor")
    ),
    Row("x.div(2, trunc)", lambda F, x: x.div(0.3, rounding_mode="trunc"), lambda x: np.trunc(x / 0.3).astype(x.dtype),
        UNARY, "DivBackward2", between),
    Row("x.div_(y, floor)", lambda F, x, y: x.clone().div_(y, rounding_mode="floor"), np.floor_divide, INTO,
        "DivBackward2", (normal, apart), rounds=True),
    *function_and_method("fmod", np.fmod, "FmodBackward1", (normal, apart), BINARY),
    into("fmod", np.fmod, "FmodBackward1", (normal, apart)),
    Row("fmod(x, 0.3)", lambda F, x: F.fmod(x, 0.3), lambda x: np.fmod(x, 0.3), UNARY, "FmodBackward0", between),
    into("remainder", np.remainder, "RemainderBackward1", (normal, apart)),
    Row("x %= y", augmented, augmented_numpy, INTO, "MulBackward0", (normal, apart)),
    Row("x //= y", floor_divided, np.floor_divide, INTO, None, (normal, apart), False),
    Row(".floor_divide_(y)", lambda F, x, y: x.detach().clone().floor_divide_(y.detach()), np.floor_divide, INTO, None,
        (normal, apart), False),
    *in_all_forms("frac", lambda x: x - np.trunc(x), "FracBackward0", between),
]  # fmt: skip

THREE = [
    *function_and_method("lerp", lerp, "LerpBackward1", shapes=CHOICE),
    Row("lerp(x, y, 0.3)", lambda F, x, y: F.lerp(x, y, 0.3), lambda x, y: lerp(x, y, 0.3), BINARY, "LerpBackward0"),
    Row("x.lerp_(y, 0.7)", lambda F, x, y: x.clone().lerp_(y, 0.7), lambda x, y: lerp(x, y, 0.7), INTO,
        "LerpBackward0"),
    *function_and_method("addcmul", lambda x, y, z: x + y * z, "AddcmulBackward0", shapes=CHOICE),
    *function_and_method("addcdiv", lambda x, y, z: x + y / z, "AddcdivBackward0", (normal, normal, apart), CHOICE),
    Row("addcmul(value)", lambda F, x, y, z: F.addcmul(x, y, z, value=0.5), lambda x, y, z: x + y * z / 2, CHOICE[:2],
        "AddcmulBackward0"),
    Row("addcdiv(value)", lambda F, x, y, z: x.addcdiv(y, z, value=-2), lambda x, y, z: x - 2 * y / z, CHOICE[:2],
        "AddcdivBackward0", (normal, normal, apart)),
    Row(".addcmul_()", lambda F, x, y, z: x.clone().addcmul_(y, z, value=2), lambda x, y, z: x + 2 * y * z,
        [((2, 3), (3,), (2, 1))], "AddcmulBackward0"),
    Row(".addcdiv_()", lambda F, x, y, z: x.clone().addcdiv_(y, z), lambda x, y, z: x + y / z, [((2, 3), (3,), ())],
        "AddcdivBackward0", (normal, normal, apart)),
]  # fmt: skip

CHOSEN = [
    *function_and_method("fmax", np.fmax, "FmaxBackward0", shapes=BINARY),
    *function_and_method("fmin", np.fmin, "FminBackward0", shapes=BINARY),
    Row("fmax(x, x)", lambda F, x: F.fmax(x, x * 1), lambda x: x, UNARY[:2], "FmaxBackward0"),
    *function_and_method("clamp_min", np.maximum, "ClampMinBackward1", shapes=BINARY),
    *function_and_method("clamp_max", np.minimum, "ClampMaxBackward1", shapes=BINARY),
    Row("clamp_min(x, 0.1)", lambda F, x: F.clamp_min(x, 0.1), lambda x: x.clip(0.1), UNARY, "ClampMinBackward0",
        apart),
    Row("clamp_max(x, 0.1)", lambda F, x: x.clamp_max(0.1), lambda x: x.clip(None, 0.1), UNARY, "ClampMaxBackward0",
        apart),
    *(
        Row(
            f"{name}(y)" if method else f"{name}()",
            lambda F, x, y, name=name, method=method: (
                getattr(x.clone(), name)(y) if method else getattr(F, name)(x.clone(), y)
            ),
            numpy,
            INTO,
            node,
            normal,
            graph=False,
        )
        for method in (True, False)
        for name, numpy, node in (
            ("clamp_min_", np.maximum, "ClampMinBackward1"), ("clamp_max_", np.minimum, "ClampMaxBackward1"),
            ("clamp_", np.maximum, "ClampBackward0"), ("clip_", np.maximum, "ClampBackward0"),
        )
    ),
    *function_and_method("clip", np.maximum, "ClampBackward0", normal, [((2, 3), (2, 3))]),
    Row("clamp_(-0.5, 1)", lambda F, x: x.clone().clamp_(-0.5, 1), lambda x: x.clip(-0.5, 1), UNARY, "ClampBackward1"),
    *function_and_method("copysign", np.copysign, "CopysignBackward0", apart, BINARY),
    into("copysign", np.copysign, "CopysignBackward0", apart),
    Row("copysign(x, -2)", lambda F, x: F.copysign(x, -2), lambda x: np.copysign(x, -2), UNARY, "CopysignBackward1",
        apart),
    *function_and_method("heaviside", at_zero, None, whole, BINARY, differentiable=False),
    Row(".heaviside_(y)", lambda F, x, y: x.detach().clone().heaviside_(y.detach()), at_zero, INTO, None, whole, False),
    # Beside something, because PyTorch's zero gradient of sgn alone has no memory.
    Row("sgn()", lambda F, x: F.sgn(x) + x, lambda x: np.sign(x) + x, UNARY, "AddBackward0", apart),
    Row(".sgn()", lambda F, x: x.sgn() + x, lambda x: np.sign(x) + x, FEW, "AddBackward0", apart),
    Row(".sgn_()", lambda F, x: x.clone().sgn_() + x, lambda x: np.sign(x) + x, FEW, "AddBackward0", apart),
    *in_all_forms("nan_to_num", np.nan_to_num, "NanToNumBackward0"),
]  # fmt: skip

NAMES = [
    *function_and_method("multiply", np.multiply, "MulBackward0", shapes=FEW_BINARY),
    *function_and_method("subtract", np.subtract, "SubBackward0", shapes=FEW_BINARY),
    *rows_in_place("multiply", numpy=np.multiply, node="MulBackward0"),
    *rows_in_place("subtract", numpy=np.subtract, node="SubBackward0"),
    Row(
        "subtract(alpha)", lambda F, x, y: F.subtract(x, y, alpha=2), lambda x, y: x - 2 * y, FEW_BINARY, "SubBackward0"
    ),
    Row("rsub(x, y)", lambda F, x, y: F.rsub(x, y), lambda x, y: y - x, BINARY, "RsubBackward0"),
    Row(
        "rsub(x, y, alpha)", lambda F, x, y: F.rsub(x, y, alpha=3), lambda x, y: y - 3 * x, FEW_BINARY, "RsubBackward0"
    ),
    Row("rsub(x, 2)", lambda F, x: F.rsub(x, 2), lambda x: 2 - x, UNARY, "RsubBackward1"),
    *function_and_method("absolute", np.abs, "AbsBackward0", apart, FEW),
    Row(".absolute_()", lambda F, x: x.clone().absolute_(), np.abs, FEW, "AbsBackward0", apart),
    *alias("negative", np.negative),
    Row("positive()", lambda F, x: F.positive(x * 2), lambda x: x * 2, FEW, "MulBackward0"),
    Row(".positive()", lambda F, x: (x * 2).positive(), lambda x: x * 2, FEW, "MulBackward0"),
    *alias("fix", np.trunc, between),
    *(in_place(name, numpy, between) for name, numpy in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc))),
    in_place("round", np.rint, between),
]

WHOLE = [
    *of_integers("gcd", np.gcd),
    *of_integers("lcm", np.lcm),
    Row("gcd_()", lambda F, x, y: F.gcd_(x.long(), y.long()), lambda x, y: np.gcd(x.astype(int), y.astype(int)),
        FEW_BINARY, None, whole, False),
    Row("lcm_()", lambda F, x, y: F.lcm_(x.long(), y.long()), lambda x, y: np.lcm(x.astype(int), y.astype(int)),
        FEW_BINARY, None, whole, False),
    *of_integers("bitwise_left_shift", np.left_shift, 0, 6),
    *of_integers("bitwise_right_shift", np.right_shift, 0, 6),
    by_operator("<<", operator.lshift, np.left_shift),
    by_operator(">>", operator.rshift, np.right_shift),
    Row("<<= >>=", shifted, lambda x: x.astype(int) * 4, UNARY, None, few_bits, False),
]  # fmt: skip

ROWS = [*DIVIDED, *THREE, *CHOSEN, *NAMES, *WHOLE]

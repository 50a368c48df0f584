"""Making tensors by a rule: zeros, ones, one number repeated, numbers in a row.

After this module a reader knows that all of these take the same further arguments: `out` (a tensor to write into, which
takes on the shape), `dtype` (`get_default_dtype()` if not told otherwise), `requires_grad`, and PyTorch's `layout`,
`device` and `pin_memory` for a plain tensor on the CPU. `creation/arguments.py` tells what is done with them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import type_name
from minigrad.creation.arguments import array_like, check_place, check_range, made, numpy_kind, shape_of
from minigrad.dtypes import dtype
from minigrad.tensor import Tensor


def zeros(*size: Any, out: Any = None, dtype: dtype | None = None, requires_grad: bool = False, **place: Any) -> Tensor:
    """A tensor of zeros of the given sizes."""
    shape = shape_of("zeros", size, place)
    return made(np.zeros(shape, numpy_kind("zeros", dtype, None, out)), requires_grad, "zeros", out)


def ones(*size: Any, out: Any = None, dtype: dtype | None = None, requires_grad: bool = False, **place: Any) -> Tensor:
    """A tensor of ones of the given sizes."""
    shape = shape_of("ones", size, place)
    return made(np.ones(shape, numpy_kind("ones", dtype, None, out)), requires_grad, "ones", out)


def empty(*size: Any, out: Any = None, dtype: dtype | None = None, requires_grad: bool = False, **place: Any) -> Tensor:
    """A tensor of the given sizes, with whatever numbers happen to be in its memory."""
    shape = shape_of("empty", size, place)
    return made(np.empty(shape, numpy_kind("empty", dtype, None, out)), requires_grad, "empty", out)


def full(
    size: Sequence[int],
    fill_value: Any,
    *,
    out: Any = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """A tensor of one number repeated; its dtype is the number's unless given."""
    if isinstance(size, int | float):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type_name(size)}: {size!r}")
    shape = shape_of("full", (size,), place)
    value = _fill_value("full", fill_value)
    kind = numpy_kind("full", dtype, dtypes.of_number(value, dtypes.bool), out)
    return made(_filled(np.empty(shape, kind), value), requires_grad, "full", out)


def _fill_value(function: str, value: Any) -> Any:
    """A number to fill a tensor with, as Python's or numpy's."""
    if isinstance(value, Tensor) and value.ndim == 0:
        return value.item()
    if not isinstance(value, dtypes.NUMBERS):
        raise TypeError(
            f"{function}(): argument 'fill_value' (position 2) must be Number, not {type_name(value)}: {value!r}"
        )
    return value


def _filled(array: Any, value: Any) -> Any:
    """The array with a number in all its places; RuntimeError for one that its dtype cannot hold."""
    kind = dtypes.of(array)
    if kind.category == 1:
        try:
            value = int(value)
            check_range(np.array(value), kind)
        except (OverflowError, ValueError, RuntimeError):
            raise RuntimeError(f"value cannot be converted to type {kind.name}_t without overflow: {value}") from None
        value = np.array(value).astype(kind.numpy)
    array[...] = value
    return array


def empty_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False, **place: Any) -> Tensor:
    """A tensor of another one's shape and dtype, with whatever numbers happen to be in its memory."""
    return made(array_like("empty_like", input, dtype, place), requires_grad, "empty_like")


def zeros_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False, **place: Any) -> Tensor:
    """Zeros of another tensor's shape and dtype."""
    return made(_filled(array_like("zeros_like", input, dtype, place), 0), requires_grad, "zeros_like")


def ones_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False, **place: Any) -> Tensor:
    """Ones of another tensor's shape and dtype."""
    return made(_filled(array_like("ones_like", input, dtype, place), 1), requires_grad, "ones_like")


def full_like(
    input: Tensor, fill_value: Any, *, dtype: dtype | None = None, requires_grad: bool = False, **place: Any
) -> Tensor:
    """One number repeated in another tensor's shape and dtype."""
    array = array_like("full_like", input, dtype, place)
    return made(_filled(array, _fill_value("full_like", fill_value)), requires_grad, "full_like")


def scalar_tensor(s: Any, *, dtype: dtype | None = None, requires_grad: bool = False, **place: Any) -> Tensor:
    """A tensor without dimensions that holds one number."""
    return full((), s, dtype=dtype or dtypes.default, requires_grad=requires_grad, **place)


def eye(
    n: int,
    m: int | None = None,
    *,
    out: Any = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """A matrix with ones on the diagonal, n by n or n by m."""
    check_place("eye", place)
    for position, (name, value) in enumerate((("n", n), ("m", m)), 1):
        if value is not None and (not isinstance(value, int | np.integer) or isinstance(value, bool)):
            raise TypeError(
                f"eye(): argument '{name}' (position {position}) must be int, not {type_name(value)}: {value!r}"
            )
        if value is not None and value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    return made(np.eye(n, m, dtype=numpy_kind("eye", dtype, None, out)), requires_grad, "eye", out)


def _bound(function: str, name: str, position: int, value: Any) -> Any:
    """A number, or a tensor that holds one, as Python's number."""
    if isinstance(value, Tensor | np.generic) and value.ndim == 0:
        return value.item()
    if not isinstance(value, int | float):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be Number, not {type_name(value)}: {value!r}"
        )
    return value


def arange(
    start: Any = None,
    end: Any = None,
    step: Any = 1,
    *,
    out: Any = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """Numbers from `start` (0 if only one argument is given) up to but without `end`, `step` apart; int64 if all are
    ints.

    RuntimeError for a step of 0, or one that leads away from the end.
    """
    check_place("arange", place)
    if start is None and end is None:
        raise TypeError("arange() received an invalid combination of arguments - got (), but expected an end")
    if end is None:
        start, end = 0, _bound("arange", "end", 1, start)
    start = 0 if start is None else start
    start, end, step = _bound("arange", "start", 1, start), _bound("arange", "end", 2, end), _bound(
        "arange", "step", 3, step
    )  # fmt: skip
    if step == 0:
        raise RuntimeError("step must be nonzero: the numbers would never end")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign: give a step that leads to the end")
    whole = all(isinstance(value, int) for value in (start, end, step))
    kind = numpy_kind("arange", dtype, dtypes.int64 if whole else dtypes.default, out)
    if kind == np.bool_:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool': give a dtype of numbers")
    if kind.kind != "f":  # PyTorch counts the steps between whole numbers then
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise RuntimeError("step must be nonzero: of the step that was given, an integer dtype keeps 0")
        numbers = np.arange(start, end, step, dtype=np.int64)
    else:
        numbers = start + np.arange(math.ceil((end - start) / step), dtype=np.float64) * step
    return made(numbers.astype(kind), requires_grad, "arange", out)


def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    out: Any = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """`steps` numbers evenly spaced from `start` to `end`, both included."""
    check_place("linspace", place)
    kind = numpy_kind("linspace", dtype, None, out)
    return made(_evenly("linspace", start, end, steps, kind), requires_grad, "linspace", out)


def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    out: Any = None,
    dtype: dtype | None = None,
    requires_grad: bool = False,
    **place: Any,
) -> Tensor:
    """`steps` numbers from base ** start to base ** end, both included, each the same multiple of the one before."""
    check_place("logspace", place)
    kind = numpy_kind("logspace", dtype, None, out)
    exponents = _evenly("logspace", start, end, steps, np.dtype(np.float64))
    return made(np.power(float(base), exponents).astype(kind), requires_grad, "logspace", out)


def _evenly(function: str, start: Any, end: Any, steps: Any, kind: Any) -> Any:
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, Tensor) and value.ndim:
            raise RuntimeError(
                f"{function} only supports 0-dimensional start and end tensors, but got {name} with {value.ndim} "
                "dimension(s)."
            )
    if not isinstance(steps, int | np.integer) or isinstance(steps, bool):
        raise TypeError(
            f"{function}() received an invalid combination of arguments - got ({type_name(start)}, {type_name(end)}, "
            f"{type_name(steps)}), but expected (Number start, Number end, int steps)"
        )
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    start, end = _bound(function, "start", 1, start), _bound(function, "end", 2, end)
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    places = np.arange(steps, dtype=np.float64)
    # The second half is counted from the end, so that the last number is exact.
    numbers = np.where(places < steps // 2, start + step * places, end - step * (steps - 1 - places))
    return (numbers if steps != 1 else np.array([start], np.float64)).astype(kind)

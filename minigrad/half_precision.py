"""float16, in which numbers are kept but not computed.

The largest float16 is 65504, and a number has three decimal digits: a sum of squares soon is inf, a mean of many ones
stops at 2048. So, as in PyTorch, an operation on float16 computes in float32, from its first step to its last, and
rounds once, at its end; and so does its gradient. Numbers that are only moved or chosen need none of this, nor do those
that numpy itself rounds once: a sum, a product, a power of two tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np


def in_float32(function: Callable[..., Any], F: Any = None) -> Callable[..., Any]:
    """The function for float16: what is float16 among its arguments goes to it as float32, and its result is rounded.

    `F`: the namespace of its arguments, `arrays` or `tensors`; a rule is given its own.
    """

    @functools.wraps(function)
    def compute(*given: Any, **options: Any) -> Any:
        cast = (F or given[0]).cast
        result = function(*[cast(value, np.float32) if _is(np.float16, value) else value for value in given], **options)
        return cast(result, np.float16) if _is(np.float32, result) else result

    return compute


def _is(kind: Any, value: Any) -> bool:
    """Whether a value is an array, tensor or batch of this numpy dtype."""
    return bool(getattr(getattr(value, "_array", value), "dtype", None) == kind)


def widen(array: Any) -> Any:
    """An array to compute with: float32 in the place of float16."""
    return array.astype(np.float32) if array.dtype.char == "e" else array


class Scale(np.ndarray[Any, Any]):
    """A number that scales what is float16: it need not be one that float16 holds, if only the result is."""

    def __new__(cls, number: Any) -> Any:
        return np.asarray(number, np.float32).view(cls)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any) -> Any:
        return getattr(ufunc, method)(*[np.asarray(each, np.float32) for each in inputs]).astype(np.float16)

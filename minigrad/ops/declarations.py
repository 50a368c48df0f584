"""What may be given to an operation: the checks of dtypes that many operations share, in PyTorch's words.

PyTorch names its internal kernel in some of them ("erf_vml_cpu" not implemented for 'Bool'); the beginnings of the
messages are the same here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad import dtypes
from minigrad.op import Array, op
from minigrad.tensor import Tensor


def tensors_only(op: Callable[..., Any]) -> Callable[..., Any]:
    """The op of two operands as PyTorch has it in public: both are tensors, where an operator would take a number."""

    def call(input: Tensor, other: Tensor) -> Any:
        return op(input, other)

    call.__module__ = op.__module__
    return give_name(op.__name__, op.__doc__, call)


def give_name(name: str, meaning: str | None, function: Callable[..., Any]) -> Any:
    """A function that was made for one row of a table, with its own name and documentation."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = meaning
    return function


def floats_only(kernel: str, array: Array, advice: str = "convert it first, as in x.float()") -> None:
    """Raise, in the name of PyTorch's kernel, if an array does not hold floats."""
    if array.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.of(array).tensor_type}': {advice}")


def numbers_only(kernel: str, array: Array) -> None:
    """Raise, in the name of PyTorch's kernel, if an array holds bools."""
    if array.dtype.kind == "b":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool': convert it first, as in x.int()")


def no_derivative(name: str) -> Callable[..., Any]:
    """The rule of an op that PyTorch gives no derivative."""

    def rule(F: Any, g: Any) -> Any:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return rule


def level(F: Any, g: Any) -> Any:
    """The rule of an op whose curve is a staircase, level between its steps: its derivative is 0 where it has one."""
    return F.zeros(g.shape, g)


@op(self=lambda F, g: g, other=lambda F, g, other_shape, zeros: F.zeros(other_shape, g) if zeros else None)
def as_function_of(self: Array, other: Array, zeros: bool = False) -> Array:
    """The input itself, recorded as a function of `other` as well, on which it does not depend. That gets a gradient of
    zeros if `zeros`, else none.
    """
    return self

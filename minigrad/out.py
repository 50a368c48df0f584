"""`out=`: functions that write their result into a tensor that is there already, such as `exp(x, out=y)`.

Nothing may be to be recorded then, and the result has to fit into `y`, which gets another shape if it has not that of
the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.blame import warn
from minigrad.autograd.grad_mode import no_grad
from minigrad.tensor import Tensor
from minigrad.writing import needs_grad, store

Method = Callable[..., Any]


def into(out: Any, name: str, function: Method, *arguments: Any, **options: Any) -> Any:
    """`name(..., out=out)`: write the function's result into a tensor that is there already, and return it."""
    several = isinstance(out, tuple | list)
    for target in out if several else (out,):
        if not isinstance(target, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if needs_grad(*_flat((out, *arguments))):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    with no_grad():
        result = function(*arguments, **options)
    if not isinstance(result, tuple):
        if several:
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}: it has one result")
        return _into(out, result, name)
    for target, part in zip(out, result, strict=True):
        _into(target, part, name)
    return result.__class__(*out)


# Most functions write into an `out` of their result's kind of number or a wider one (see _check_fit). These differ:
_OUT_OF_ANY_DTYPE = {"sum"}
_OUT_OF_THIS_DTYPE = {
    **dict.fromkeys(("matmul", "mm"), "Expected out tensor to have dtype {kind.c_name}, but got {goal.c_name} instead"),
    **dict.fromkeys(("neg", "abs", "sign"), "Found dtype {goal.tensor_type} but expected {kind.tensor_type}"),
    "where": "Expected out type to be {kind.tensor_type} but got {goal.tensor_type}",
}
_OUT_TOO_NARROW: dict[str, tuple[type[Exception], str]] = {
    "max": (RuntimeError, "Expected canCast({kind}, {goal}) to be true: out is too narrow for the maximum"),
    **dict.fromkeys(
        ("cat", "stack"),
        (TypeError, "minigrad.cat(): input types can't be cast to the desired output type {goal.tensor_type}"),
    ),
}


def _into(out: Tensor, result: Tensor, name: str) -> Tensor:
    kind, goal = result.dtype, out.dtype
    if name in _OUT_OF_ANY_DTYPE:
        result = result.to(goal)
    elif kind is not goal and name in _OUT_OF_THIS_DTYPE:
        raise RuntimeError(_OUT_OF_THIS_DTYPE[name].format(kind=kind, goal=goal))
    elif kind.category > goal.category and name in _OUT_TOO_NARROW:
        error, text = _OUT_TOO_NARROW[name]
        raise error(text.format(kind=kind, goal=goal))
    if result.shape != out.shape:
        if out.numel():
            warn(
                f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does "
                f"not match the required output shape {list(result.shape)}. Give an empty tensor as out, or one of "
                "the right shape.",
            )
        out._array = np.empty(result.shape, out._array.dtype)
    return store(out, result._array, name)


def _flat(arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments, and those that are lists of tensors taken apart."""
    flat: list[Any] = []
    for argument in arguments:
        flat.extend(argument if isinstance(argument, list | tuple) else [argument])
    return flat

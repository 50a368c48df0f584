"""`out=`: functions that write their result into a tensor that is there already; and numpy's names for options.

After this module a reader knows what `exp(x, out=y)` checks before it writes: that nothing is to be recorded, and that
the result fits into `y`, which gets another shape if it does not have that of the result.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.grad_mode import no_grad
from minigrad.op import parameter_names
from minigrad.tensor import Tensor
from minigrad.writing import needs_grad, store

Method = Callable[..., Any]


def into(out: Any, function: Method, *arguments: Any, **options: Any) -> Any:
    """`function(..., out=out)`: write the result into a tensor that is there already, and return it."""
    name = function.__name__
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
            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does "
                f"not match the required output shape {list(result.shape)}. Give an empty tensor as out, or one of "
                "the right shape.",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
        out._array = np.empty(result.shape, out._array.dtype)
    return store(out, result._array, name)


def _flat(arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments, and those that are lists of tensors taken apart."""
    flat: list[Any] = []
    for argument in arguments:
        flat.extend(argument if isinstance(argument, list | tuple) else [argument])
    return flat


def with_own_names(options: dict[str, Any]) -> dict[str, Any]:
    """Options under their own names, where numpy's were given: axis and keepdims, which PyTorch takes, too."""
    if "axis" in options and "dim" not in options:
        options["dim"] = options.pop("axis")
    if "keepdims" in options and "keepdim" not in options:
        options["keepdim"] = options.pop("keepdims")
    return options


def taking_axis(function: Method) -> Method:
    """The function, called with numpy's names, too."""

    @functools.wraps(function)
    def named(*arguments: Any, **options: Any) -> Any:
        return function(*arguments, **(with_own_names(options) if options else options))

    return named


def _unary(function: Method) -> Method:
    def called(input: Any, *, out: Any = None) -> Any:
        return function(input) if out is None else into(out, function, input)

    return called


def _binary(function: Method) -> Method:
    def called(input: Any, other: Any, *, out: Any = None) -> Any:
        if other.__class__ is np.ndarray:
            raise _no_array(function)
        return function(input, other) if out is None else into(out, function, input, other)

    return called


def _any_number(function: Method) -> Method:
    def called(*arguments: Any, out: Any = None, **options: Any) -> Any:
        if options:
            options = with_own_names(options)
        if len(arguments) > 1 and arguments[1].__class__ is np.ndarray:
            raise _no_array(function)
        return function(*arguments, **options) if out is None else into(out, function, *arguments, **options)

    return called


_OUTER = {("input",): _unary, ("input", "other"): _binary}


def taking_out(function: Method) -> Method:
    """The function with an `out=` argument. Those of one or two operands are spelled out: that halves the cost."""
    outer: Any = _OUTER.get(parameter_names(function), _any_number)(function)
    outer.__name__, outer.__doc__, outer.__module__ = function.__name__, function.__doc__, function.__module__
    outer.__wrapped__ = function  # so that its signature shows
    return outer


def _no_array(function: Method) -> TypeError:
    return TypeError(
        f"{function.__name__}(): argument 'other' (position 2) must be Tensor, not numpy.ndarray: make it one first, "
        "as in tensor(...)"
    )

"""What a gradient check accepts: one or several tensors in, one or several out."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any

import numpy as np

from minigrad.autograd.blame import short
from minigrad.tensor import Tensor

Function = Callable[..., Any]
Inputs = tuple[Any, ...]  # tensors, and what else the function takes


class GradcheckError(RuntimeError):
    """Gradients and finite differences disagree."""


def as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def needs_grad(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def sources_of(inputs: Inputs) -> list[Tensor]:
    """Those inputs that require grad, which are checked."""
    return list(filter(needs_grad, inputs))


def random_numbers() -> np.random.Generator:
    """Random numbers, equal at each call. (Made in a context of their own, since that changes numpy's error state.)"""
    return copy_context().run(np.random.default_rng, 0)


def call_checked(func: Function, inputs: Inputs) -> tuple[Tensor, ...]:
    """The outputs of a function, as a tuple. TypeError if they are not tensors."""
    outputs = as_tuple(func(*inputs))
    for number, output in enumerate(outputs):
        if not isinstance(output, Tensor):
            raise TypeError(
                f"gradcheck expects the function to return a tensor or several, but output {number} is of type "
                f"{type(output).__name__}: {short(output)}"
            )
    return outputs


def with_graph(outputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Those outputs that have a graph."""
    return tuple([output for output in outputs if output.requires_grad])


def element_in_words(flat: int, shape: Any) -> str:
    """An element of a tensor in words, from its number."""
    return f"element {[int(i) for i in np.unravel_index(flat, shape)]}" if len(shape) else "the element"

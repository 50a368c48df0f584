"""Pairs of hooks that note what passes, and a Function that saves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def hooks(F: Any, pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> Any:
    return F.autograd.graph.saved_tensors_hooks(pack, unpack)


def noted(F: Any, packed: list[Any], unpacked: list[Any] | None = None) -> Any:
    """Hooks that write down the numbers which pass."""

    def pack(tensor: Any) -> Any:
        packed.append(tensor.tolist())
        return tensor.detach()

    def unpack(tensor: Any) -> Any:
        if unpacked is not None:
            unpacked.append(tensor.tolist())
        return tensor

    return hooks(F, pack, unpack)


def text(call: Callable[[], Any]) -> str:
    """The type and the first sentence of what a call raises."""
    try:
        value = call()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).partition('. ')[0]}"
    raise AssertionError(f"nothing was raised: {value!r}")


def square(F: Any) -> Any:
    """A Function that saves its input."""

    class Square(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * g

    return Square


def exponential(F: Any) -> Any:
    """A Function that saves its output."""

    class Exponential(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, g):
            (result,) = ctx.saved_tensors
            return result * g

    return Exponential

"""A second run that saves other tensors than the first: what is noticed, and how the CheckpointError reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.checkpoint.runs import checkpoint
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def refusal(F: Any, call: Callable[[], Any]) -> list[Any]:
    """The type of the error that a call raises, whether it is a CheckpointError, and its first sentence."""
    try:
        value = call()
    except Exception as error:
        is_ours = isinstance(error, F.utils.checkpoint.CheckpointError)
        first_sentence = str(error).replace("\n", " ").partition(". ")[0].removesuffix(".")
        return [type(error).__name__, is_ours, isinstance(error, RuntimeError), first_sentence]
    raise AssertionError(f"nothing was raised: {value!r}")


def differing(*functions: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that is another one in each run."""
    waiting = list(functions)
    return lambda x: waiting.pop(0)(x)


@behaviours("fewer tensors saved in the second run: a CheckpointError that counts them")
def _(F):
    y = checkpoint(F, differing(lambda x: x.sin().exp(), lambda x: x.sin()), leaf(F))
    try:
        y.sum().backward()
    except F.utils.checkpoint.CheckpointError as error:
        return str(error).split("\n")[:3], isinstance(error, RuntimeError), type(error).__name__
    return None


@behaviours("more tensors saved in the second run: unnoticed if it stops early")
def _(F):
    x = leaf(F)
    y = checkpoint(F, differing(lambda x: x.sin(), lambda x: x.sin().exp()), x)
    y.sum().backward()
    return x.grad


@behaviours("other shapes in the second run: a CheckpointError that says which")
def _(F):
    y = checkpoint(F, differing(lambda x: x.sin().exp(), lambda x: x[:1].sin().exp()), leaf(F))
    try:
        y.sum().backward()
    except F.utils.checkpoint.CheckpointError as error:
        lines = str(error).split("\n")
        return [
            lines[0],
            *[line for line in lines if line.startswith("tensor at position")],
            *[line.partition("{")[0] for line in lines if "metadata:" in line],
        ]
    return None


@behaviours("other dtypes in the second run: a CheckpointError")
def _(F):
    y = checkpoint(F, differing(lambda x: x.sin(), lambda x: x.double().sin()), leaf(F))
    return refusal(F, y.sum().backward)


@behaviours("other values in the second run are used as they are")
def _(F):
    x = leaf(F)
    y = checkpoint(F, differing(lambda x: x.sin(), lambda x: (x * 0).sin()), x)
    y.sum().backward()
    return y, x.grad


@behaviours("a Function that reads saved_tensors twice: a CheckpointError")
def _(F):
    class Greedy(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * ctx.saved_tensors[0] * g

    y = checkpoint(F, Greedy.apply, leaf(F))
    return refusal(F, y.sum().backward)


test_as_in_torch = behaviours.test()

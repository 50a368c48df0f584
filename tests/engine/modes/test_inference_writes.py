"""Writes in inference mode, writes outside to what was made in it, and .data and detach_ of such tensors (F05)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from itertools import product
from typing import Any

from engine.modes.samples import inferred
from helpers.leaves import leaf
from helpers.refusals import message_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


INFERENCE_VIEW = "A view was created in inference mode and is being modified inplace in normal mode."


@behaviours(
    "F05: backward finds a write in inference mode", error=RuntimeError, says="one of the variables needed for gradi"
)
def _(F):
    x = leaf(F)
    y = (x * x).sum()
    with F.inference_mode():
        x.add_(1)
    y.backward()


@behaviours("F05: a result that is written to in inference mode keeps its node")
def _(F):
    x = leaf(F)
    y = x * 2
    with F.inference_mode():
        y.add_(1)
    y.sum().backward()
    return y, y._version, y.grad_fn, x.grad


@behaviours(
    "F05: a view made in inference mode takes no value that needs grad outside", error=RuntimeError, says=INFERENCE_VIEW
)
def _(F):
    x, w = F.ones(2), leaf(F)
    with F.inference_mode():
        view = x.view(2)
    view.mul_(w)


@behaviours("F05: a view of a leaf may be written to within inference mode")
def _(F):
    x = leaf(F)
    with F.inference_mode():
        x.view(2, 1).add_(1)
        x[0] = 7
    return x, x._version, x.is_leaf


@behaviours("F05: an inference tensor may be written into an ordinary one")
def _(F):
    x, source = F.zeros(2), inferred(F)
    x.copy_(source)
    x.add_(source)
    x[0] = source[1]
    return x, x.is_inference(), x._version


@behaviours("F05: .data moves the kind of the tensor with its memory")
def _(F):
    x, y = F.ones(2), inferred(F)
    x.data = inferred(F)
    y.data = F.ones(2)
    return x.is_inference(), y.is_inference()


@behaviours("F05: detach_ of an inference tensor")
def _(F):
    x = inferred(F)
    return x.detach_() is x, x.is_inference()


STEPS: dict[str, Callable[[Any], Any]] = {
    "data": lambda x: x.data,
    "detach": lambda x: x.detach(),
    "x[:1]": lambda x: x[:1],
    "add_": lambda x: x.add_(1),
}
MODES: dict[str, Callable[[Any], Any]] = {"inside": lambda F: F.inference_mode(), "outside": lambda F: nullcontext()}


def version_of(tensor: Any) -> Any:
    """The count of writes, or the first words of the error where there is none."""
    counts: list[int] = []
    words = message_of(lambda: counts.append(tensor._version))
    return counts or words


def history(F: Any, made: str, *steps: tuple[str, str]) -> list[Any]:
    """After each step, in its mode, on what the last one gave: its error, and the counts of all tensors so far."""
    with MODES[made](F):
        tensors = [F.ones(2)]
    found = []
    for mode, step in steps:
        with MODES[mode](F):
            words = message_of(lambda step=step: tensors.append(STEPS[step](tensors[-1])))
        found.append([words, *[(version_of(x), x.is_inference()) for x in tensors]])
    return found


def counts_of_writes(made: str, first: str) -> None:
    @behaviours(f"F05: who counts writes to a tensor made {made}, {first} of it, and what comes of that")
    def _(F):
        steps = list(product(MODES, STEPS))
        return [history(F, made, (mode, first), second, third) for mode in MODES for second in steps for third in steps]


for made in MODES:
    for first in STEPS:
        counts_of_writes(made, first)


@behaviours(
    "F05: a Function in inference mode cannot save its result",
    error=RuntimeError,
    says="Inference tensors cannot be saved for backward.",
)
def _(F):
    class Exponential(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x.exp()
            ctx.save_for_backward(result)
            return result

    with F.inference_mode(), F.enable_grad():
        Exponential.apply(leaf(F))


test_as_in_torch = behaviours.test()

"""Views and tensors made in inference mode, and writes to them inside and outside of it (D10, D04)."""

from __future__ import annotations

import operator

from engine.inplace.effects import gradients, grid, state
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


MADE_IN_INFERENCE = "A view was created in inference mode and is being modified inplace in normal mode."
BASE_OF_ONE_MADE_IN_INFERENCE = (
    "A view was created in inference mode and its base or another view of its base has been modified inplace in normal "
    "mode."
)
INFERENCE = "Inplace update to inference tensor outside InferenceMode is not allowed."


@behaviours("D10: a view made in inference mode of a normal tensor is a normal view")
def _(F):
    x = grid(F)
    y = x * 1
    with F.inference_mode():
        parts = [x[0], y[0], y.unbind()[1]]
    return state(*parts), [part.is_inference() for part in parts]


for text, base in {"a leaf": grid, "a result": lambda F: grid(F) * 1}.items():

    @behaviours(
        f"D10: a view of {text}, made in inference mode and written to later, is refused",
        error=RuntimeError,
        says=MADE_IN_INFERENCE,
    )
    def _(F, base=base):
        y = base(F)
        with F.inference_mode():
            row = y[0]
        row.mul_(2.0)


@behaviours(
    "D10: a view made in inference mode has no node once its base was written to",
    error=RuntimeError,
    says=BASE_OF_ONE_MADE_IN_INFERENCE,
)
def _(F):
    y = grid(F) * 1
    with F.inference_mode():
        row = y[0]
    y.mul_(2.0)
    row.grad_fn  # noqa: B018


@behaviours("D10: normal tensors are written to in inference mode, and that counts")
def _(F):
    x, plain = grid(F), F.ones(2)
    y = x * 1
    with F.inference_mode():
        row = y[0]
        row.mul_(2.0)
        y.mul_(3.0)
        x.mul_(2.0)
        plain[:1].add_(1.0)
    return state(x, y, plain), row.tolist(), gradients(F, y, x)


@behaviours("D10: a view of a plain tensor made in inference mode is written to as any other")
def _(F):
    base = F.ones(2)
    with F.inference_mode():
        part = base[:1]
    part.mul_(2.0)
    return state(base, part)


for text, write in {
    "mul_": lambda F, t: t.mul_(2.0),
    "setitem": lambda F, t: operator.setitem(t, 0, 1.0),
    "fill_": lambda F, t: t.fill_(1.0),
    "zero_": lambda F, t: t.zero_(),
    "copy_": lambda F, t: t.copy_(F.ones(2)),
    "exp_": lambda F, t: t.exp_(),
    "a write through a view": lambda F, t: t[:1].add_(1.0),
}.items():

    @behaviours(f"D10: {text} on an inference tensor outside the mode is refused", error=RuntimeError, says=INFERENCE)
    def _(F, write=write):
        with F.inference_mode():
            t = F.zeros(2)
        write(F, t)

    @behaviours(f"D10: {text} on an inference tensor under no_grad is refused too", error=RuntimeError, says=INFERENCE)
    def _(F, write=write):
        with F.inference_mode():
            t = F.zeros(2)
        with F.no_grad():
            write(F, t)

    @behaviours(f"D10: {text} on an inference tensor within the mode is fine")
    def _(F, write=write):
        with F.inference_mode():
            t = F.zeros(2)
            write(F, t)
            return t.tolist(), t.requires_grad, t.is_inference()


@behaviours("D10: numbers of inference tensors may be added and copied into a graph")
def _(F):
    x = F.tensor([1.0, 2.0], requires_grad=True)
    with F.inference_mode():
        t = F.ones(2)
    y, z = x * 1, x * 1
    y.add_(t)
    z[1:] = t[1:]
    return state(y, z), gradients(F, y, x), gradients(F, z, x)


@behaviours(
    "D10: what a graph has to save may not be an inference tensor, in place as well",
    error=RuntimeError,
    says="Inference tensors cannot be saved for backward.",
)
def _(F):
    with F.inference_mode():
        t = F.ones(2)
    (F.ones(2, requires_grad=True) * 1).mul_(t)


test_as_in_torch = behaviours.test()

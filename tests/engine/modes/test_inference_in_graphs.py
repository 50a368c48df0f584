"""Inference tensors in computations outside of the mode: they cannot be saved, nor require grad (F05)."""

from __future__ import annotations

from engine.modes.samples import INPLACE, inferred
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


NOT_SAVED = "Inference tensors cannot be saved for backward."
NO_SWITCH = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."


@behaviours("F05: inference tensors may be mixed with leaves in inference mode")
def _(F):
    x, w = inferred(F), leaf(F)
    with F.inference_mode():
        y = x * w
    return y, y.is_inference()


@behaviours("F05: operations that save nothing take inference tensors")
def _(F):
    x, w = inferred(F), leaf(F)
    (w + x).sum().backward()
    sums = w + x, x - w, F.cat([w, x]), F.stack([x, w]), F.where(w > 1, w, x)
    return w.grad, [(y, y.grad_fn) for y in sums]


for _name, _scenario in {
    "a product": lambda F: inferred(F) * leaf(F),
    "a quotient": lambda F: leaf(F) / inferred(F),
    "a quotient upside down": lambda F: inferred(F) / leaf(F),
    "a matrix product": lambda F: leaf(F).view(1, 2) @ inferred(F),
    "a power": lambda F: leaf(F) ** inferred(F),
    "maximum": lambda F: F.maximum(leaf(F), inferred(F)),
}.items():
    behaviours(f"F05: {_name} has to save the inference tensor", error=RuntimeError, says=NOT_SAVED)(_scenario)


@behaviours("F05: a condition made in inference mode has to be saved", error=RuntimeError, says=NOT_SAVED)
def _(F):
    with F.inference_mode():
        condition = F.tensor([True, False])
    F.where(condition, leaf(F), 0.0)


@behaviours("F05: an index made in inference mode has to be saved", error=RuntimeError, says=NOT_SAVED)
def _(F):
    with F.inference_mode():
        index = F.tensor([0])
    leaf(F)[index]


@behaviours(
    "F05: the error of saving an inference tensor says to clone",
    error=RuntimeError,
    says=f"{NOT_SAVED} Please do not use Tensors created in inf",
)
def _(F):
    leaf(F) * inferred(F)


@behaviours("F05: a clone of an inference tensor may be saved")
def _(F):
    x, w = inferred(F), leaf(F)
    (w * x.clone()).sum().backward()
    return w.grad


@behaviours("F05: a product of inference tensors alone saves nothing")
def _(F):
    x = inferred(F)
    return x * x, x.exp(), x @ x


@behaviours("F05: a custom function cannot save an inference tensor", error=RuntimeError, says=NOT_SAVED)
def _(F):
    class Scale(F.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.save_for_backward(factor)
            return x * factor

        @staticmethod
        def backward(ctx, gradient):
            return gradient * ctx.saved_tensors[0], None

    Scale.apply(leaf(F), inferred(F))


@behaviours("F05: a custom function in inference mode saves nothing and has no graph")
def _(F):
    class Double(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    with F.inference_mode():
        y = Double.apply(leaf(F))
    return y, y.is_inference(), y.grad_fn


@behaviours("F05: setting requires_grad of an inference tensor outside", error=RuntimeError, says=NO_SWITCH)
def _(F):
    inferred(F).requires_grad = True


@behaviours("F05: requires_grad_() of an inference tensor outside", error=RuntimeError, says=NO_SWITCH)
def _(F):
    inferred(F).requires_grad_()


@behaviours("F05: switching requires_grad off is allowed outside")
def _(F):
    x = inferred(F)
    x.requires_grad = False
    return x.requires_grad_(False) is x, x


@behaviours("F05: in inference mode requires_grad may be set, by factories too; results need none")
def _(F):
    with F.inference_mode():
        x, y = F.ones(2, requires_grad=True), F.ones(2).requires_grad_()
        results = x * 2, x * y
    return x, y, results, x.is_leaf, x.is_inference()


@behaviours("F05: a leaf made in inference mode gets a gradient outside where nothing has to be saved")
def _(F):
    with F.inference_mode():
        x = F.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    return x.grad, x.grad.is_inference(), (x * 2).grad_fn


@behaviours("F05: an inference tensor as the gradient of backward")
def _(F):
    x, y = leaf(F), leaf(F)
    (x * 2).backward(inferred(F))
    (y * y).backward(inferred(F))
    return x.grad, y.grad, x.grad.is_inference()


@behaviours("F05: an inference tensor as .grad cannot be added to outside", error=RuntimeError, says=INPLACE)
def _(F):
    x = leaf(F)
    x.grad = inferred(F)
    (x * 2).sum().backward()


test_as_in_torch = behaviours.test()

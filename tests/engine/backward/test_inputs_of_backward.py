"""backward(inputs=...): only these get a gradient, results too (B10, B11)."""

from __future__ import annotations

from typing import Any

from engine.inplace.effects import BASE_OF_ONE_MADE_IN_NO_GRAD as LOST
from helpers.leaves import leaf
from helpers.refusals import error_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


NON_LEAF_GRAD = "UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"


@behaviours("B10: only the given inputs get a gradient")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    y = x * w
    y.sum().backward(inputs=[x], retain_graph=True)
    after_one = x.grad.clone(), w.grad
    y.sum().backward(inputs=(x, w))
    return after_one, x.grad, w.grad


@behaviours("B10: a bare tensor is taken")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x * w).sum().backward(inputs=w)
    return x.grad, w.grad


behaviours.table(
    ("B10: an empty list", lambda F: leaf(F, 1.0, 2.0).sum().backward(inputs=[]),
     RuntimeError, "`inputs` argument to `backward()` cannot be empty."),
    ("B10: something that is not a tensor", lambda F: leaf(F, 1.0, 2.0).sum().backward(inputs=["x"]),
     RuntimeError, "all inputs have to be Tensors or GradientEdges, but got str"),
    ("B10: a tensor that does not require grad", lambda F: leaf(F, 1.0, 2.0).sum().backward(inputs=[F.ones(2)]),
     RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"),
)  # fmt: skip


def without_a_place(F: Any) -> Any:
    """A view whose place in the graph is lost."""
    y = leaf(F, 1.0, 2.0) * 1
    with F.no_grad():
        view = y[0]
    y.mul_(2.0)
    return view


behaviours.table(
    ("B10: inputs are looked at one after the other: first a view without a place",
     lambda F: leaf(F, 1.0, 2.0).sum().backward(inputs=[without_a_place(F), F.ones(2)]), RuntimeError, LOST),
    ("B10: so are those of grad()", lambda F: F.autograd.grad(leaf(F, 1.0, 2.0).sum(), [without_a_place(F), F.ones(2)]),
     RuntimeError, LOST),
    ("B08: first a tensor that needs no gradient",
     lambda F: F.autograd.grad(leaf(F, 1.0, 2.0).sum(), [F.ones(2), without_a_place(F)]),
     RuntimeError, "One of the differentiated Tensors does not"),
)  # fmt: skip


@behaviours("B10: an input that stood before the one that is refused retains its gradient from then on")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    before, after = x * 2, x * 3
    refusal = error_of(lambda: (before * after).sum().backward(inputs=[before, F.ones(2), after]))
    return refusal, before.retains_grad, after.retains_grad


@behaviours("B10: a leaf given twice gets its gradient once")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * x).sum().backward(inputs=[x, x])
    return x.grad


@behaviours("B10: an unrelated leaf is no error and gets nothing")
def _(F: Any) -> Any:
    x, unrelated = leaf(F, 1.0, 2.0), leaf(F, 3.0)
    (x * x).sum().backward(inputs=[unrelated])
    (x * x).sum().backward(inputs=[unrelated, x])
    return x.grad, unrelated.grad


@behaviours("B10: gradients are added to those of earlier runs, in place")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x * w).sum().backward()
    kept = x.grad
    (x * w).sum().backward(inputs=[x])
    return x.grad is kept, x.grad, w.grad


@behaviours("B10: autograd.backward takes inputs too")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    F.autograd.backward([x * w, x.sum()], [F.ones(2), None], inputs=[x])
    return x.grad, w.grad


@behaviours("B11: a result among the inputs gets .grad, and retains it from then on")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    (middle * 3).sum().backward(inputs=[middle], retain_graph=True)
    first = middle.retains_grad, middle.grad, x.grad
    (middle * 5).sum().backward()
    return first, middle.grad, x.grad


@behaviours("B11: the output itself among the inputs")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    y.backward(inputs=[y, x])
    return y.grad, x.grad


@behaviours("B11: a result given twice gets its gradient once")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    (middle * 3).sum().backward(inputs=[middle, middle])
    return middle.grad


@behaviours("B11: a result and the leaf behind it")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    (middle * 3).sum().backward(inputs=[middle, x])
    return middle.grad, x.grad


@behaviours("B11: a result without retain_grad has no .grad and warns", warns=(NON_LEAF_GRAD,))
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x
    (middle * 3).sum().backward(inputs=[x])
    return middle.grad, x.grad


@behaviours("B10: a leaf among the roots that is not among the inputs gets no gradient")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    seen: list[Any] = []
    x.register_hook(lambda gradient: seen.append(gradient.tolist()))
    F.autograd.backward([x, x * w], [F.ones(2), F.ones(2)], inputs=[w])
    F.autograd.backward([x], [F.ones(2)], inputs=[w])
    return x.grad, w.grad, seen


@behaviours("B10: inputs in a dict, as named_parameters() gives them")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x * w).sum().backward(inputs={"x": x})
    return x.grad, w.grad


test_as_in_torch = behaviours.test()

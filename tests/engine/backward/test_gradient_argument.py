"""The gradient argument: its shape, dtype, kind and number (B05, B16)."""

from __future__ import annotations

from typing import Any

import numpy as np
from helpers.leaves import leaf
from helpers.refusals import error_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("B05: a gradient weighs the elements of its output")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0, 3.0)
    (x * x).backward(F.tensor([1.0, 0.0, -2.0]))
    return x.grad


@behaviours(
    "B05: a gradient of another size",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of "
    "torch.Size([3]).",
)
def _(F: Any) -> Any:
    (leaf(F, 1.0, 2.0, 3.0) * 2).backward(F.ones(2))


@behaviours(
    "B05: a gradient is not broadcast to its output",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[0] has a shape of torch.Size([]) and output[0] has a shape of torch.Size([3])",
)
def _(F: Any) -> Any:
    (leaf(F, 1.0, 2.0, 3.0) * 2).backward(F.tensor(1.0))


@behaviours(
    "B05: one element is not taken for another shape of one element",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of torch.Size([])",
)
def _(F: Any) -> Any:
    leaf(F, 1.0, 2.0).sum().backward(F.ones(1))


@behaviours(
    "B05: the numbers are the places in the lists",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[1] has a shape of torch.Size([2]) and output[1] has a shape of "
    "torch.Size([1])",
)
def _(F: Any) -> Any:
    F.autograd.backward([leaf(F, 1.0, 2.0).sum(), leaf(F, 5.0) * 2], [None, F.ones(2)])


@behaviours(
    "B05: grad_outputs are checked the same way",
    error=RuntimeError,
    says="Mismatch in shape: grad_output[0] has a shape of torch.Size([2, 1]) and output[0] has a shape of "
    "torch.Size([2]).",
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad(x * 2, x, F.ones(2, 1))


@behaviours("B05: a gradient that is a number or a numpy array is a TypeError")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    return [
        error_of(lambda gradient=gradient: (x * 2).sum().backward(gradient))
        for gradient in (1, 1.0, True, "one", np.ones(()), [1.0], (np.ones(()),))
    ]


@behaviours(
    "B05: a list of numbers as gradient",
    error=TypeError,
    says="gradients can be either Tensors or None, but got float",
)
def _(F: Any) -> Any:
    (leaf(F, 1.0, 2.0) * 2).backward([1.0, 1.0])


@behaviours("B05: a list that holds the gradient is taken")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    (x * 2).backward([F.tensor([3.0, 4.0])])
    (x * 2).backward((F.tensor([3.0, 4.0]),))
    return x.grad


@behaviours("B05: gradients of another dtype are cast to the output's")
def _(F: Any) -> Any:
    gradients = []
    for dtype in (F.int64, F.bool, F.float64):
        x = leaf(F, 1.0, 2.0)
        (x * 2).backward(F.ones(2, dtype=dtype))
        gradients.append(x.grad)
    return gradients


@behaviours("B05: a gradient that requires grad leaves no graph behind without create_graph")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (x * x).backward(v)
    return x.grad, v.grad


@behaviours("B05: with create_graph a gradient that requires grad is differentiated too")
def _(F: Any) -> Any:
    x, v = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    (first,) = F.autograd.grad(x * x, x, v, create_graph=True)
    return first, F.autograd.grad(first.sum(), [x, v])


@behaviours("B05: inf and nan in a gradient go through")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 0.0, 2.0)
    (x * x).backward(F.tensor([float("nan"), float("inf"), float("-inf")]))
    return x.grad


@behaviours("B16: fewer gradients than roots", error=RuntimeError, says="got 2 tensors and 1 gradients")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward([x.sum(), x.sum()], [None])


@behaviours("B16: one bare gradient for two roots", error=RuntimeError, says="got 2 tensors and 1 gradients")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward([x * 2, x * 3], F.ones(2))


@behaviours("B16: no gradient in the list", error=RuntimeError, says="got 1 tensors and 0 gradients")
def _(F: Any) -> Any:
    leaf(F, 1.0, 2.0).sum().backward([])


@behaviours("B16: grad() counts them too", error=RuntimeError, says="got 2 tensors and 1 gradients")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.grad((x.sum(), x.sum()), x, (F.tensor(1.0),))


@behaviours(
    "B16: grad_variables is the older name of grad_tensors",
    warns=("FutureWarning: `grad_variables` is deprecated. Use `grad_tensors` instead.",),
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward(x * x, grad_variables=F.tensor([1.0, 10.0]))
    return x.grad


@behaviours(
    "B16: both names at once",
    error=RuntimeError,
    says="`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`.",
    warns=("FutureWarning: `grad_variables` is deprecated.",),
)
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    F.autograd.backward(x * x, F.ones(2), grad_variables=F.ones(2))


@behaviours("B16: grad_variables stands before inputs")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)
    F.autograd.backward(x * w, F.ones(2), None, False, None, [x])
    return x.grad, w.grad


test_as_in_torch = behaviours.test()

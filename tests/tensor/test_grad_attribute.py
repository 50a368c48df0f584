"""`.grad`: read, deleted and assigned, and what is refused as a gradient (A04, A06)."""

from __future__ import annotations

import numpy as np
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


NON_LEAF_GRAD = "UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."


# ---------------------------------------------------------------- reading .grad


@behaviours("A04: reading .grad of a result gives None and a warning", warns=(NON_LEAF_GRAD,))
def _(F):
    return (leaf(F) * 2).grad


@behaviours("A04: each reading warns", warns=(NON_LEAF_GRAD, NON_LEAF_GRAD))
def _(F):
    y = leaf(F) * 2
    return y.grad, y.grad


@behaviours("A04: the result has no gradient after backward either", warns=(NON_LEAF_GRAD,))
def _(F):
    y = leaf(F) * 2
    y.sum().backward()
    return y.grad


@behaviours("A04: no warning for leaves, nor for results that need no grad")
def _(F):
    x = leaf(F)
    return x.grad, F.ones(2).grad, (F.ones(2) * 2).grad, (x * 2).detach().grad, F.arange(3).grad


@behaviours("A04: no warning after retain_grad, nor for a gradient that was assigned")
def _(F):
    y, z = leaf(F) * 2, leaf(F) * 2
    y.retain_grad()
    z.grad = F.ones(2)
    return y.grad, z.grad


@behaviours("A04: deleting .grad sets it to None")
def _(F):
    x = leaf(F)
    x.sum().backward()
    del x.grad
    return x.grad


@behaviours("A04: .grad is the same object each time, and needs no grad")
def _(F):
    x = leaf(F)
    (x * x).sum().backward()
    return x.grad is x.grad, x.grad, x.grad.is_leaf, x.grad.grad_fn


# ---------------------------------------------------------------- assigning .grad


@behaviours(
    "A06: .grad is no int",
    error=TypeError,
    says="assigned grad expected to be a Tensor or None but got grad of type int",
)
def _(F):
    leaf(F).grad = 1


@behaviours(
    "A06: .grad is no list",
    error=TypeError,
    says="assigned grad expected to be a Tensor or None but got grad of type list",
)
def _(F):
    leaf(F).grad = [1.0, 1.0]


@behaviours(
    "A06: .grad is no numpy array",
    error=TypeError,
    says="assigned grad expected to be a Tensor or None but got grad of type numpy.ndarray",
)
def _(F):
    leaf(F).grad = np.ones(2, np.float32)


@behaviours(
    "A06: .grad has the size of its tensor",
    error=RuntimeError,
    says="attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the gradient and",
)
def _(F):
    leaf(F).grad = F.ones(3)


@behaviours(
    "A06: a gradient of one element is not broadcast",
    error=RuntimeError,
    says="attempting to assign a gradient of size '[1]' to a tensor of size '[2]'",
)
def _(F):
    leaf(F).grad = F.ones(1)


@behaviours(
    "A06: one element is not the same as no dimension",
    error=RuntimeError,
    says="attempting to assign a gradient of size '[1]' to a tensor of size '[]'",
)
def _(F):
    F.tensor(1.0, requires_grad=True).grad = F.ones(1)


@behaviours(
    "A06: .grad has the dtype of its tensor",
    error=RuntimeError,
    says="attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype 'Float'. The gradient",
)
def _(F):
    leaf(F).grad = F.ones(2, dtype=F.float64)


@behaviours("A06: a tensor is not its own gradient", error=RuntimeError, says="can't assign Variable as its own grad")
def _(F):
    x = leaf(F)
    x.grad = x


@behaviours("A06: the gradient assigned is the very object, and None clears it")
def _(F):
    x, gradient = leaf(F), F.ones(2)
    x.grad = gradient
    same = x.grad is gradient
    x.grad = None
    return same, x.grad


@behaviours("A06: tensors that need no grad may have one, integer ones an integer one")
def _(F):
    x, y = F.ones(2), F.arange(2)
    x.grad, y.grad = F.ones(2), F.arange(2)
    return x.grad, y.grad


@behaviours("A06: a detached tensor with the same memory may be the gradient")
def _(F):
    x = leaf(F)
    x.grad = x.detach()
    return x.grad


@behaviours("A06: a gradient with a graph may be assigned")
def _(F):
    x = leaf(F)
    x.grad = x * 2
    return x.grad, x.grad.grad_fn


@behaviours("A06: .grad of a result may be assigned")
def _(F):
    y = leaf(F) * 2
    y.grad = F.ones(2)
    y.sum().backward()
    return y.grad


test_as_in_torch = behaviours.test()

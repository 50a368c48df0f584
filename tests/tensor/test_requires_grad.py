"""Who may require grad, and when the flag can be switched (A02, A03)."""

from __future__ import annotations

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours
from tensor.samples import ONLY_FLOATING

behaviours = Behaviours()


LEAF_FLAGS = "you can only change requires_grad flags of leaf variables."


# ---------------------------------------------------------------- who may require grad


behaviours.table(
    ("A02: a factory refuses a gradient for ints", lambda F: F.tensor([1, 2], requires_grad=True),
     RuntimeError, ONLY_FLOATING),
    ("A02: a factory refuses a gradient for bools", lambda F: F.tensor([True], requires_grad=True),
     RuntimeError, ONLY_FLOATING),
    ("A02: arange counts in ints, which have no gradient", lambda F: F.arange(3, requires_grad=True),
     RuntimeError, ONLY_FLOATING),
    ("A02: zeros of a given integer dtype have no gradient", lambda F: F.zeros(3, dtype=F.int64, requires_grad=True),
     RuntimeError, ONLY_FLOATING),
    ("A02: zeros like ints have no gradient", lambda F: F.zeros_like(F.arange(3), requires_grad=True),
     RuntimeError, ONLY_FLOATING),
)  # fmt: skip


@behaviours(
    "A02: setting requires_grad of an integer tensor",
    error=RuntimeError,
    says="only Tensors of floating point and complex dtype can require gradients",
)
def _(F):
    F.arange(3).requires_grad = True


behaviours.table(
    ("A02: requires_grad_() of an integer tensor", lambda F: F.arange(3).requires_grad_(),
     RuntimeError, "only Tensors of floating point dtype can require gradients"),
    ("A02: requires_grad_() of a bool tensor", lambda F: (F.arange(3) > 1).requires_grad_(),
     RuntimeError, "only Tensors of floating point dtype can require gradients"),
)  # fmt: skip


@behaviours("A02: switching off what is off is fine for ints, too")
def _(F):
    x = F.arange(3)
    x.requires_grad = False
    return x.requires_grad_(False) is x, x


@behaviours("A02: float64 may require grad")
def _(F):
    return F.ones(2, dtype=F.float64).requires_grad_(), F.arange(3).double().requires_grad_()


@behaviours("A02: requires_grad is a bool", error=RuntimeError, says="requires_grad must be a bool")
def _(F):
    F.ones(2).requires_grad = 1


@behaviours("A02: requires_grad is not None", error=RuntimeError, says="requires_grad must be a bool")
def _(F):
    F.ones(2).requires_grad = None


behaviours.table(
    ("A02: requires_grad_ takes a bool", lambda F: F.ones(2).requires_grad_(1),
     TypeError, "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not int"),
    ("A02: a factory's requires_grad is a bool", lambda F: F.tensor([1.0], requires_grad=None),
     TypeError, "tensor(): argument 'requires_grad' must be bool, not NoneType"),
    ("A02: requires_grad_ has a name for its argument", lambda F: leaf(F).requires_grad_(requires_grad=False)),
)  # fmt: skip


# ---------------------------------------------------------------- switching it


@behaviours("A03: a leaf can be switched on and off")
def _(F):
    x = F.ones(2)
    x.requires_grad = True
    on = x * 2
    x.requires_grad = False
    return on.requires_grad, (x * 2).requires_grad, x


@behaviours("A03: requires_grad_ gives the tensor itself, and records nothing")
def _(F):
    x = F.ones(2)
    return x.requires_grad_() is x, x.requires_grad_() is x, x.is_leaf, x._version


@behaviours("A03: requires_grad_() on a result changes nothing")
def _(F):
    y = leaf(F) * 2
    return y.requires_grad_() is y, y.requires_grad_(True) is y, y.grad_fn, y.is_leaf


@behaviours("A03: setting requires_grad=True on a result", error=RuntimeError, says=LEAF_FLAGS)
def _(F):
    y = leaf(F) * 2
    y.requires_grad = True


@behaviours("A03: setting requires_grad=False on a result", error=RuntimeError, says=LEAF_FLAGS)
def _(F):
    y = leaf(F) * 2
    y.requires_grad = False


behaviours.table(
    ("A03: requires_grad_(False) on a result", lambda F: (leaf(F) * 2).requires_grad_(False), RuntimeError, LEAF_FLAGS),
    ("A03: the error of switching off a result says what to use instead", lambda F: (leaf(F) * 2).requires_grad_(False),
     RuntimeError, f"{LEAF_FLAGS} If you want to use a"),
)  # fmt: skip


@behaviours("A03: a leaf that is switched off after the forward pass gets no gradient")
def _(F):
    x = leaf(F)
    y = (x * 2).sum()
    x.requires_grad_(False)
    y.backward()
    return x.grad


@behaviours("A03: a leaf that is switched on after the forward pass gets no gradient")
def _(F):
    x, w = F.ones(2), leaf(F)
    y = (x * w).sum()
    x.requires_grad_()
    y.backward()
    return x.grad, w.grad


@behaviours("A03: switching off keeps the gradient")
def _(F):
    x = leaf(F)
    x.sum().backward()
    x.requires_grad_(False)
    return x.grad


@behaviours("A03: requires_grad can be switched under no_grad")
def _(F):
    x = F.ones(2)
    with F.no_grad():
        x.requires_grad_()
    (x * 2).sum().backward()
    return x.grad


test_as_in_torch = behaviours.test()

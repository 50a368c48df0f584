"""`autograd.Variable`, which old programs still use."""

from __future__ import annotations

import pytest
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours
from tensor.samples import ONLY_FLOATING

import minigrad

behaviours = Behaviours()


# ---------------------------------------------------------------- as in torch


@behaviours("Variable: makes a tensor with the memory and the version of another")
def _(F):
    x = F.ones(2)
    y = F.autograd.Variable(x)
    y.add_(1)
    return x, y, y is x, type(y).__name__, x._version, y._version, y._is_view()


@behaviours("Variable: takes requires_grad")
def _(F):
    x = F.ones(2)
    y = F.autograd.Variable(x, requires_grad=True)
    (y * 2).sum().backward()
    return y.grad, x.grad, F.autograd.Variable(x, True), F.autograd.Variable(data=x)


@behaviours("Variable: of a leaf or a result needs no grad")
def _(F):
    x = leaf(F)
    return F.autograd.Variable(x), F.autograd.Variable(x * 2), F.autograd.Variable(x * 2, requires_grad=True)


@behaviours("Variable: every tensor is one")
def _(F):
    kind = F.autograd.Variable
    return isinstance(F.ones(2), kind), isinstance(3, kind), isinstance(kind(F.ones(2)), F.Tensor), kind.__name__


behaviours.table(
    ("Variable: of a number", lambda F: F.autograd.Variable(3),
     TypeError, "Variable data has to be a tensor, but got int"),
    ("Variable: of a list", lambda F: F.autograd.Variable([1.0]),
     TypeError, "Variable data has to be a tensor, but got list"),
    ("Variable: of ints has no gradient", lambda F: F.autograd.Variable(F.arange(3), requires_grad=True),
     RuntimeError, ONLY_FLOATING),
)  # fmt: skip


@behaviours(
    "Variable: the attribute volatile is False",
    warns=("UserWarning: volatile was removed (Variable.volatile is always False)",),
)
def _(F):
    return F.ones(2).volatile


# ---------------------------------------------------------------- where we go further than PyTorch 2.13


def test_variable_says_what_became_of_it():
    assert "requires_grad=True" in (minigrad.autograd.Variable.__doc__ or "")
    with pytest.raises(TypeError, match="requires_grad=True"):
        minigrad.autograd.Variable([1.0])


test_as_in_torch = behaviours.test()

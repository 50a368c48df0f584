"""len, iteration, `in`, equality and hash of tensors."""

from __future__ import annotations

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours
from tensor.samples import matrix

behaviours = Behaviours()


behaviours.table(
    ("A09: len is the first size", lambda F: (len(matrix(F)), len(F.zeros(0, 3)), len(leaf(F)))),
    ("A09: len of a tensor without dimensions", lambda F: len(F.tensor(1.0)), TypeError, "len() of a 0-d tensor"),
    ("A09: iteration over a tensor without dimensions", lambda F: iter(F.tensor(1.0)),
     TypeError, "iteration over a 0-d tensor"),
)  # fmt: skip


@behaviours("A09: iteration gives the parts along the first dimension, all from one node")
def _(F):
    x = leaf(F)
    first, second = x
    (first * 3 + second * 5).backward()
    return first, second, first.grad_fn, first.grad_fn is second.grad_fn, second.output_nr, x.grad


@behaviours("A09: iteration gives views")
def _(F):
    x = matrix(F)
    for row in x:
        row[0] = 9
    return x, [row._is_view() for row in x], list(F.zeros(0, 2))


@behaviours("A09: tuple, zip, sum and max iterate")
def _(F):
    x = F.tensor([1.0, 3.0, 2.0])
    return tuple(x), list(zip(x, F.arange(2), strict=False)), sum(x), max(x), sorted(x), any(x > 2), all(x > 2)


@behaviours("A09: reversed turns the tensor round")
def _(F):
    y = reversed(leaf(F))
    return y, y.grad_fn


@behaviours("A09: `in` looks for an equal element")
def _(F):
    x = matrix(F)
    return 1.0 in x, 7 in x, F.tensor(3.0) in x, F.tensor([0.0, 1.0, 9.0]) in x, True in x


@behaviours(
    "A09: `in` knows numbers and tensors only",
    error=RuntimeError,
    says="Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class 'str'>.",
)
def _(F):
    "a" in F.ones(2)  # noqa: B015


@behaviours(
    "A09: `in` does not know None",
    error=RuntimeError,
    says="Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class 'NoneType'>.",
)
def _(F):
    None in F.ones(2)  # noqa: B015


@behaviours("A09: a list contains the tensor itself")
def _(F):
    x = F.ones(2)
    return x in [x, F.zeros(2)]


@behaviours(
    "A09: a list of others has to compare", error=RuntimeError, says="Boolean value of Tensor with more than one value"
)
def _(F):
    F.ones(2) in [F.zeros(2)]  # noqa: B015


@behaviours("A09: hash goes by identity, so that tensors are keys")
def _(F):
    x, y = F.ones(2), F.ones(2)
    return {x: 1, y: 2}[x], hash(x) == hash(x), hash(x) == hash(y), len({x, y, x})


@behaviours("A09: a tensor equals no text, no list and not None")
def _(F):
    x = F.ones(2)
    return x == None, x != None, x == "a", x != "a", x == [1.0, 1.0]  # noqa: E711


@behaviours(
    "A09: an attribute that does not exist", error=AttributeError, says="'Tensor' object has no attribute 'grd'"
)
def _(F):
    F.ones(2).grd  # noqa: B018


test_as_in_torch = behaviours.test()

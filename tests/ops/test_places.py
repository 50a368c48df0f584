"""Taking out and putting in at indices and masks: what each refuses, in which words, and what it gives at the edges.

Tested are: which indices may be negative, which dtypes an index may have, what a number becomes in a
tensor of another dtype, and what is done to nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from helpers.side_by_side import Behaviours

import minigrad as mg

behaviours = Behaviours()
DTYPES = ("bool", "int32", "int64", "float32", "float64")


def x(F: Any) -> Any:
    return F.arange(12.0).view(3, 4)


def ints(F: Any, values: Any = (0, 2)) -> Any:
    return F.tensor(values, dtype=F.int64)


def along(F: Any) -> Any:
    return F.tensor([[0, 1, 2, 0]])


def mask(F: Any) -> Any:
    return x(F) > 4


def refused(title: str, call: Callable[[Any], Any], error: type[Exception], says: str) -> None:
    behaviours(title, error=error, says=says)(call)


def given(title: str, *calls: Callable[[Any], Any]) -> None:
    behaviours(title)(lambda F: [call(F) for call in calls])


R, X, T = RuntimeError, IndexError, TypeError
OUTSIDE = "index 5 is out of bounds for dimension 0 with size 3"
APART = "Expected index [1, 9] to be no larger than self [3, 4] apart from dimension 0"

# ---------------------------------------------------------------- gather and scatter

for title, call, error, says in (
    ("an index beyond the end", lambda F: x(F).gather(0, along(F) + 5), R, OUTSIDE),
    ("a negative index", lambda F: x(F).gather(0, -along(F)), R, "index -1 is out of bounds for dimension 0"),
    ("a float index", lambda F: x(F).gather(0, along(F).float()), R, "gather(): Expected dtype int32/int64 for index"),
    (
        "fewer dimensions",
        lambda F: x(F).gather(0, ints(F)),
        R,
        "Index tensor must have the same number of dimensions as i",
    ),
    (
        "a larger index",
        lambda F: x(F).gather(0, ints(F, [[0] * 9])),
        R,
        "Size does not match at dimension 1 expected index [1, 9] to be no larger than self [3, 4]",
    ),
    ("a dimension that is not there", lambda F: x(F).gather(2, along(F)), X, "Dimension out of range"),
    ("a list", lambda F: F.gather(x(F), 0, [0]), T, "gather(): argument 'index' (position"),
):
    refused(f"gather refuses {title}", call, error, says)

for name, call in (
    ("gather", lambda F: x(F).gather(0, along(F).to(F.uint8))),
    ("scatter", lambda F: x(F).scatter(0, along(F).to(F.int8), F.ones(1, 4))),
):
    refused(f"{name} refuses short integers", call, R, f"{name}(): Expected dtype int32/int64 for index")

given(
    "gather takes int32 indices, single ones, and none",
    lambda F: F.gather(x(F), 1, F.tensor([[3], [0]], dtype=F.int32)),
    lambda F: F.tensor(3.0).gather(0, F.tensor(0)),
    lambda F: F.tensor([3.0, 4.0]).gather(0, F.tensor(1)),
    lambda F: x(F).gather(0, F.tensor([], dtype=F.int64)),
    lambda F: F.gather(input=x(F), dim=-1, index=along(F), sparse_grad=False),
)

for title, call, error, says in (
    ("an index beyond the end", lambda F: x(F).scatter(0, along(F) + 5, F.ones(1, 4)), R, OUTSIDE),
    (
        "another dtype",
        lambda F: x(F).scatter(0, along(F), F.ones(1, 4).double()),
        R,
        "scatter(): Expected self.dtype to",
    ),
    (
        "an index of fewer dimensions",
        lambda F: x(F).scatter(0, ints(F), F.ones(2)),
        R,
        "Index tensor must have the same number",
    ),
    ("a larger index", lambda F: x(F).scatter(0, ints(F, [[0] * 9]), F.ones(1, 9)), R, APART),
    (
        "too few numbers",
        lambda F: x(F).scatter(0, along(F), F.ones(1, 2)),
        R,
        "Expected index [1, 4] to be no larger than self [3, 4] apart from dimension 0 and to be no larger",
    ),
    ("a 0-d source", lambda F: x(F).scatter(0, along(F), F.tensor(1.0)), R, "Index tensor must have the same number"),
    ("a number beyond the end", lambda F: x(F).scatter(0, along(F) + 5, 1.0), R, OUTSIDE),
    ("no source", lambda F: x(F).scatter(0, along(F)), T, "scatter() received an invalid combination of arguments"),
    ("a string", lambda F: x(F).scatter(0, along(F), "a"), T, "scatter() received an invalid combination of arguments"),
):
    refused(f"scatter refuses {title}", call, error, says)

given(
    "scatter takes numbers in the tensor's own dtype",
    lambda F: x(F).long().scatter(0, along(F), 1.5),
    lambda F: mask(F).scatter(0, along(F), True),
    lambda F: x(F).scatter(0, along(F), value=2),
    lambda F: F.scatter(x(F), 0, index=along(F), value=2.5),
    lambda F: F.ones(3).scatter(0, F.tensor(1), 5.0),
    lambda F: x(F).scatter(0, F.tensor([], dtype=F.int64), 1.0),
    lambda F: F.zeros(2, 3).scatter_(1, F.tensor([[2], [0]]), 1.0),
    lambda F: F.zeros(2, 3).scatter_(1, F.tensor([[2], [0]]), value=1),
)

given(
    "scatter by name, of nothing, in place",
    lambda F: F.scatter(x(F), 0, along(F), src=F.ones(1, 4)),
    lambda F: x(F).scatter(0, F.tensor([], dtype=F.int64), F.ones(0)),
    lambda F: x(F).scatter_(1, F.tensor([[0], [3]]), F.ones(2, 1)),
)

for title, call, error, says in (
    ("an index beyond the end", lambda F: x(F).scatter_add(0, along(F) + 5, F.ones(1, 4)), R, OUTSIDE),
    (
        "another dtype",
        lambda F: x(F).scatter_add(0, along(F), F.ones(1, 4).double()),
        R,
        "scatter(): Expected self.dty",
    ),
    ("a number", lambda F: F.scatter_add(x(F), 0, along(F), 1.0), T, "scatter_add(): argument 'src' (position"),
):
    refused(f"scatter_add refuses {title}", call, error, says)


@behaviours("scatter_add of every dtype")
def _(F):
    made = {}
    for kind in DTYPES:
        start = F.tensor([1, 0, 1, 0]).to(getattr(F, kind))
        source = F.tensor([1, 1, 0, 1, 0]).to(getattr(F, kind))
        where = F.tensor([0, 0, 1, 3, 3])
        made[kind] = [start.scatter_add(0, where, source)]
    return made


# ---------------------------------------------------------------- masks

for title, call, error, says in (
    (
        "floats",
        lambda F: x(F).masked_fill(F.ones(3, 4), 1.0),
        R,
        "masked_fill_ only supports boolean masks, but got mask with dtype float",
    ),
    (
        "ints",
        lambda F: x(F).masked_fill(mask(F).int(), 1.0),
        R,
        "masked_fill_ only supports boolean masks, but got mask with dtype int",
    ),
    ("another shape", lambda F: x(F).masked_fill(F.ones(3, 3) > 0, 1.0), R, "The size of tensor a ("),
    (
        "a vector",
        lambda F: x(F).masked_fill(mask(F), F.ones(2)),
        R,
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
    ),
    (
        "a string",
        lambda F: x(F).masked_fill(mask(F), "a"),
        T,
        "masked_fill() received an invalid combination of arguments",
    ),
    (
        "a list",
        lambda F: x(F).masked_fill([True], 1.0),
        T,
        "masked_fill() received an invalid combination of arguments",
    ),
    (
        "inf among integers",
        lambda F: x(F).long().masked_fill(mask(F), float("inf")),
        R,
        "value cannot be converted to type int64_t without overflow",
    ),
    (
        "to grow in place",
        lambda F: F.ones(4).masked_fill_(mask(F), 1.0),
        R,
        "output with shape [4] doesn't match the broadcast shape [3, 4]",
    ),
):
    refused(f"masked_fill refuses {title}", call, error, says)

given(
    "masked_fill takes numbers in the tensor's own dtype, and -inf",
    lambda F: F.ones(4).masked_fill(mask(F), 2.0),
    lambda F: x(F).long().masked_fill(mask(F), 1.5),
    lambda F: x(F).long().masked_fill_(mask(F), F.tensor(1.5)),
    lambda F: x(F).masked_fill(mask(F), F.tensor(2.0, dtype=F.float64)),
    lambda F: mask(F).masked_fill(~mask(F), 1),
    lambda F: x(F).masked_fill(mask(F), float("-inf")),
    lambda F: F.tensor(2.0).masked_fill(F.tensor(True), 3),
    lambda F: F.ones(0, 4).masked_fill(mask(F)[:0], 3),
)


@behaviours("a mask that hides nan hides it in the gradient, too")
def _(F):
    t = F.tensor([0.0, 4.0], requires_grad=True)
    (g,) = F.autograd.grad(t.sqrt().masked_fill(t == 0, 0.0).sum(), t)
    return g, F.tensor([1.0, float("nan")])[F.tensor([True, False])]


given(
    "small numbers: negative ones wrap around in uint8",
    lambda F: F.ones(2, dtype=F.uint8).masked_fill(F.tensor([True, False]), -1),
)

# ---------------------------------------------------------------- x[index]

given(
    "tuples inside of an index are lists",
    lambda F: x(F)[(0, 1), (1, 0)],
    lambda F: x(F)[:, (0, 2)],
)
for title, says, call in (
    ("a slice", "slice() cannot be applied to a 0-dim tensor.", lambda F: F.tensor(1.0)[:1]),
    ("an int", "invalid index of a 0-dim tensor.", lambda F: F.tensor(1.0)[0]),
    ("an int after ...", "too many indices for tensor of dimension 0", lambda F: F.tensor(1.0)[..., 0]),
    ("a list", "too many indices for tensor of dimension 0", lambda F: F.tensor(1.0)[[0]]),
):
    refused(f"a number refuses {title}", call, X, says)

# ---------------------------------------------------------------- nonzero

for title, call, error, says in (
    (
        "nonzero refuses a number",
        lambda F: F.nonzero(3),
        T,
        "nonzero(): argument 'input' (position 1) must be Tensor, not int",
    ),
):
    refused(title, call, error, says)

given(
    "nonzero of single numbers, nothing and nan",
    *[
        lambda F, values=values: [
            F.nonzero(F.tensor(values)),
            F.tensor(values).nonzero(as_tuple=True),
            F.where(F.tensor(values)),
        ]
        for values in (5.0, 0.0, [0.0, float("nan")], [[0, 1], [2, 0]], [True, False], [[]])
    ],
)

test_as_in_torch = behaviours.test()


def test_a_longer_source_than_the_index_covers_has_zeros_for_its_gradient() -> None:
    """(PyTorch refuses: it has this only where src and index have one shape.)"""
    start, source = mg.zeros(3, 2, requires_grad=True), mg.ones(2, 3, requires_grad=True)
    start.scatter(0, mg.tensor([[2, 0]]), source).sum().backward()
    np.testing.assert_array_equal(source.grad.numpy(), [[1, 1, 0], [0, 0, 0]])
    np.testing.assert_array_equal(start.grad.numpy(), [[1, 0], [1, 1], [0, 1]])

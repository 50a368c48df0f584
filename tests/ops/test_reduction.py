"""Reductions, running totals and order as in PyTorch: arguments, dtypes, nan and inf, ties, named results, errors.

A reader finds here what a call with unusual arguments gives, one line each. Values and derivatives of the usual calls
are in `op_rows`.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from helpers.side_by_side import Behaviours

import minigrad

pytestmark = pytest.mark.usefixtures("every_warning")
behaviours = Behaviours()
NAN, INF = float("nan"), float("inf")


def gives(title: str, scenario: Callable[[Any], Any], **more: Any) -> None:
    behaviours(title, **more)(scenario)


def refused(title: str, error: type[Exception], says: str, scenario: Callable[[Any], Any]) -> None:
    behaviours(title, error=error, says=says)(scenario)


def matrix(F: Any) -> Any:
    return F.tensor([[3.0, 1.0, 2.0], [5.0, 4.0, 6.0]])


def equals(F: Any) -> Any:
    """Seven rows of seven numbers, few of them different."""
    return (F.arange(49.0) % 5 % 3).reshape(7, 7)


def ints(F: Any) -> Any:
    return F.tensor([[3, 1], [2, 2]])


def bools(F: Any) -> Any:
    return F.tensor([True, False])


def empty(F: Any) -> Any:
    return F.zeros(0, 3)


def gradient(F: Any, values: Any, function: Callable[[Any], Any]) -> Any:
    """The gradient of the sum of what a function of a tensor gives."""
    x = F.tensor(values, requires_grad=True)
    return F.autograd.grad(function(x).sum(), x)[0]


def row(F: Any, *values: float) -> Any:
    return F.tensor(values)


# ---------------------------------------------------------------- reductions that were there before

for dtype in ("float64", "float32", "int64", "int32", "bool"):
    gives(f"A01: sum(dtype={dtype})", lambda F, d=dtype: F.sum(matrix(F), dtype=getattr(F, d)))
    gives(f"A02: prod of ints with dtype={dtype}", lambda F, d=dtype: F.prod(ints(F), 0, dtype=getattr(F, d)))
    gives(f"A02: prod of all ints with dtype={dtype}", lambda F, d=dtype: F.prod(ints(F), dtype=getattr(F, d)))
for name in ("max", "min"):
    gives(f"A03: {name}(other=)", lambda F, n=name: getattr(F, n)(matrix(F), other=F.full((3,), 2.0)))
    gives(f"A04: .{name}(other)", lambda F, n=name: getattr(matrix(F), n)(F.full((3,), 2.0)))
    gives(f"A05: {name} of bools along a dim", lambda F, n=name: getattr(F, n)(bools(F), 0))
    gives(f"A06: {name} of ints along a dim", lambda F, n=name: getattr(ints(F), n)(dim=-1, keepdim=True).values)
    refused(
        f"A07: {name} along two dims",
        TypeError,
        f"{name}() received an invalid combination of arguments",
        lambda F, n=name: getattr(F, n)(matrix(F), (0, 1)),
    )
    refused(
        f"A08: {name}(keepdim) of all",
        TypeError,
        f"{name}() received an invalid combination of arguments",
        lambda F, n=name: getattr(F, n)(matrix(F), keepdim=True),
    )
    refused(
        f"A09: arg{name} along two dims",
        TypeError,
        f"arg{name}(): argument 'dim' (position 2) must be int, not tuple",
        lambda F, n=name: getattr(F, f"arg{n}")(matrix(F), (0, 1)),
    )
    gives(f"A10: arg{name}(keepdim)", lambda F, n=name: getattr(F, f"arg{n}")(matrix(F), keepdim=True))
    gives(f"A11: arg{name} of a number", lambda F, n=name: getattr(F, f"arg{n}")(F.tensor(3.0), 0, True))
for name in ("all", "any"):
    gives(f"A12: {name} along two dims", lambda F, n=name: getattr(F, n)(matrix(F) > 1, (0, 1)))
    gives(f"A13: {name} along no dims asks each element", lambda F, n=name: getattr(F, n)(matrix(F) - 1, ()))
    gives(f"A14: {name}(keepdim)", lambda F, n=name: getattr(matrix(F) > 3, n)(dim=[1], keepdim=True))
    gives(f"A15: {name} of nothing", lambda F, n=name: [getattr(F, n)(empty(F)), getattr(F, n)(empty(F), 0)])
gives("A16: var(correction=0.5)", lambda F: F.var(matrix(F), 1, correction=0.5))
gives("A17: std along two dims", lambda F: F.std(matrix(F), (0, 1), True, True))
gives("A18: max prints its parts", lambda F: str(F.max(matrix(F), 0)))

# ---------------------------------------------------------------- spread, and what is not 0

for name in ("var", "std"):
    gives(
        f"C01: {name} with unbiased in every place",
        lambda F, n=name: [
            getattr(F, n)(matrix(F), False),
            getattr(F, n)(matrix(F), 1, False),
            getattr(F, n)(matrix(F), unbiased=False),
            getattr(F, n)(matrix(F), (0, 1), True, True),
        ],
    )
    gives(f"C02: {name} with correction", lambda F, n=name: getattr(F, n)(matrix(F), dim=1, correction=2, keepdim=True))
    for values, correction in (([1.0], 2), ([1.0, 2.0, 3.0], 3), ([1.0, 2.0, 3.0], 4), ([2.0] * 2, 2), ([1.0, NAN], 2)):
        gives(
            f"C02: gradients of {name} without degrees of freedom, correction={correction}: {values}",
            lambda F, n=name, v=values, c=correction: [
                gradient(F, v, lambda x, dim=dim: getattr(x, n)(dim, correction=c)) for dim in (None, 0)
            ],
            warns=(f"UserWarning: {name}(): degrees of freedom is <= 0.",) * 2,
        )
    gives(
        f"C03: {name} of one number",
        lambda F, n=name: getattr(F, n)(F.tensor(3.0)),
        warns=(f"UserWarning: {name}(): degrees of freedom is <= 0.",),
    )
    refused(
        f"C04: {name} of ints",
        RuntimeError,
        "std and var only support floating point and complex dtypes",
        lambda F, n=name: getattr(F, n)(ints(F)),
    )
# ---------------------------------------------------------------- norm

NORM_OF_INTS = "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long"
for p in (0, 0.5, 1, 2, 3, -1, INF, -INF, NAN, True, None, "fro"):
    gives(
        f"D01: norm(p={p})",
        lambda F, p=p: [F.norm(matrix(F), p), matrix(F).norm(p), F.norm(matrix(F), p, keepdim=True)],
    )
for p in (0.5, 1, 1.5, 2, 3, INF, -INF):
    gives(f"D02: the gradient of norm(p={p}) at 0", lambda F, p=p: gradient(F, [0.0, 0.0], lambda x: x.norm(p)))
    gives(
        f"D03: the gradient of norm(p={p}) beside zeros and ties",
        lambda F, p=p: gradient(F, [0.0, 3.0, -3.0], lambda x: x.norm(p)),
    )
gives(
    "D04: norm(dim=, keepdim=)",
    lambda F: [
        F.norm(matrix(F), 2, (0, 1)),
        F.norm(matrix(F), "fro", dim=1),
        matrix(F).norm(1, -1, True),
        F.norm(F.tensor(2.0), 2, 0, True),
    ],
)
gives("D06: norms of nan", lambda F: [F.norm(row(F, 1.0, NAN), p) for p in (0, 1, 2, INF, -INF)])
gives("D07: the gradient of the largest size, with nan", lambda F: gradient(F, [1.0, NAN, 3.0], lambda x: x.norm(INF)))
gives("D08: norms of nothing", lambda F: [F.norm(empty(F)), F.norm(empty(F), 0), F.norm(empty(F), INF, 1)])
refused("D09: norm of ints", RuntimeError, NORM_OF_INTS, lambda F: F.norm(ints(F)))
refused(
    "D12: norm of a kind that is not there",
    RuntimeError,
    "linalg.matrix_norm: Order bad not supported.",
    lambda F: F.norm(matrix(F), "bad"),
)
refused(
    "D14: the largest size of nothing",
    RuntimeError,
    "linalg.vector_norm cannot compute the inf norm on an empty tensor because the operation does not have an identity",
    lambda F: F.norm(empty(F), INF),
)
refused(
    "D15: the largest size along a dim of size 0",
    RuntimeError,
    "linalg.vector_norm cannot compute the inf norm on the dimension 0",
    lambda F: F.norm(empty(F), INF, 0),
)

# ---------------------------------------------------------------- running sums

gives(
    "F03: cumsum of ints, bools and nothing",
    lambda F: [F.cumsum(x, 0) for x in (ints(F), bools(F), empty(F), ints(F).int(), F.tensor(2.0))],
)
gives(
    "F04: cumsum(dtype=)",
    lambda F: [F.cumsum(matrix(F), 0, dtype=d) for d in (F.float64, F.int32, F.int64)],
)
gives(
    "F05: cumsum_ writes in the tensor's dtype",
    lambda F: [x.cumsum_(0) for x in (matrix(F), ints(F).int())],
)
gives(
    "F06: cumsum_ is the tensor itself, and counts",
    lambda F: (lambda x: [x.cumsum_(dim=1) is x, x._version])(matrix(F)),
)
gives(
    "F07: the gradient through cumsum_",
    lambda F: gradient(F, [2.0, 3.0], lambda x: (x * 2).cumsum_(0)),
)
refused(
    "F08: cumsum(dtype=bool)",
    NotImplementedError,
    "\"cumsum_out_cpu\" not implemented for 'Bool'",
    lambda F: F.cumsum(matrix(F), 0, dtype=F.bool),
)
refused(
    "F09: cumsum along a dim that is not there",
    IndexError,
    "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
    lambda F: F.cumsum(matrix(F), 2),
)

# ---------------------------------------------------------------- sort, topk

for descending in (False, True):
    gives(
        f"H01: sort(descending={descending}): equals keep their order, nan is largest",
        lambda F, d=descending: F.sort(row(F, 3.0, NAN, 1.0, 3.0, -INF, NAN), descending=d),
    )
    gives(
        f"H02: sort(0, {descending}) of ints, bools, a number, nothing",
        lambda F, d=descending: [F.sort(x, 0, d) for x in (ints(F), bools(F), F.tensor(3.0), empty(F))],
    )
    gives(
        f"H03: argsort(descending={descending})",
        lambda F, d=descending: [
            F.argsort(ints(F), 0, d),
            ints(F).argsort(dim=1, descending=d),
            F.argsort(ints(F), stable=True),
        ],
    )
gives(
    "H04: sort(stable) has another node",
    lambda F: [F.ones(2, requires_grad=True).sort(stable=s).values.grad_fn for s in (True, False)],
)
gives("H05: sort prints its parts", lambda F: str(F.sort(row(F, 2.0, 1.0))))
gives("H07: indices need no gradient", lambda F: F.sort(F.ones(2, requires_grad=True)).indices.requires_grad)
refused(
    "H08: sort along a dim that is not there",
    IndexError,
    "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
    lambda F: F.sort(matrix(F), 2),
)
refused(
    "H09: sort of a number",
    TypeError,
    "sort(): argument 'input' (position 1) must be Tensor, not int",
    lambda F: F.sort(3),
)
for largest in (True, False):
    gives(
        f"H10: topk(largest={largest}) along dims",
        lambda F, w=largest: [
            F.topk(matrix(F), 2, 1, w),
            F.topk(matrix(F), 1, dim=0, largest=w),
            F.topk(matrix(F), 0, largest=w),
            F.topk(matrix(F), 3, largest=w),
        ],
    )
    gives(
        f"H11: topk(largest={largest}) with nan", lambda F, w=largest: F.topk(row(F, 1.0, NAN, 2.0, 0.0), 2, largest=w)
    )
gives(
    "H12: topk of a number, of ints",
    lambda F: [F.topk(F.tensor(3.0), 1), F.topk(F.tensor(3.0), 0), F.topk(F.tensor([4, 7, 5]), 2)],
)
for size in (1, 2, 3, 7):
    gives(
        f"H12: the values of topk({size}) among many equals, with and without nan",
        lambda F, k=size: [
            F.topk(tensor, k, dim, w).values
            for tensor in (equals(F), equals(F).masked_fill(equals(F) == 2, NAN), equals(F).int())
            for dim in (0, 1)
            for w in (True, False)
        ],
    )
gives("H13: topk of equals: their values", lambda F: F.topk(row(F, 1.0, 1.0, 2.0, 1.0), 3).values)
for k in (-1, 4):
    refused(
        f"H14: topk({k}) of three", RuntimeError, "selected index k out of range", lambda F, k=k: F.topk(matrix(F), k)
    )
refused("H15: topk of bools", RuntimeError, "topk does not support bool dtypes on CPU", lambda F: F.topk(bools(F), 1))

# ---------------------------------------------------------------- answers of bytes

gives(
    "I01: all and any of uint8 are uint8",
    lambda F: [
        getattr(F.tensor([[2, 0]], dtype=F.uint8), n)(*dim) for n in ("all", "any") for dim in ((), (0,), (1, True))
    ],
)

# ---------------------------------------------------------------- amax, amin, median; a variance with its mean


def holed(F: Any) -> Any:
    """With ties, and with nan in one row."""
    return F.tensor([[1.0, 3.0, 3.0], [2.0, NAN, 0.0]])


for name in ("amax", "amin"):
    gives(
        f"J01: {name}: dims, keepdim, ties, nan, bools and integers",
        lambda F, n=name: [
            *(
                getattr(x, n)(*arguments)
                for x in (matrix(F), equals(F), holed(F))
                for arguments in ((), ((),), (0,), (-1, True), ((0, 1),), ([1],))
            ),
            *(getattr(F, n)(x, 0) for x in (bools(F), F.tensor([3, 1]), F.tensor(2.0), F.ones(2, 0))),
        ],
    )
    gives(
        f"J02: {name}: gradients, also where all are equal and where there is nan",
        lambda F, n=name: [
            F.autograd.grad((getattr(x, n)(*dim) * 2).sum(), x)
            for dim in ((), (0,), (1,), ((0, 1), True))
            for x in (matrix(F).requires_grad_(), equals(F).requires_grad_(), holed(F).requires_grad_())
        ],
    )
    for dims, error, says in (
        ((), RuntimeError, f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify"),
        ((1,), IndexError, f"{name}(): Expected reduction dim 1 to have non-zero size."),
        ((3,), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 3)"),
        (((0, 0),), RuntimeError, "dim 0 appears multiple times in the list of dims"),
        (("a",), TypeError, f"{name}(): argument 'dim' (position 1) must be tuple of ints, not str"),
    ):
        refused(
            f"J03: {name}{dims} of (2, 0)", error, says, lambda F, n=name, dims=dims: getattr(F.ones(2, 0), n)(*dims)
        )

gives(
    "J04: median: the lower one of two, named results, nan, none at all",
    lambda F: [
        *(x.median() for x in (matrix(F), equals(F), holed(F), F.ones(0), F.tensor(2.0), F.tensor([3, 1, 2, 2]))),
        *(F.median(x, 1, keepdim=True).values for x in (matrix(F), equals(F), holed(F))),
        *(tuple(x.median(0)) for x in (matrix(F), holed(F), F.tensor(2.0), F.ones(2, 0), F.tensor([[1, 5], [2, 3]]))),
    ],
)
gives(
    "J05: median: the gradient is shared by equal ones, or goes to the index returned",
    lambda F: [
        F.autograd.grad(y * 2 if not y.ndim else (y * F.arange(1.0, len(y) + 1)).sum(), x)
        for x in (matrix(F).requires_grad_(), F.tensor([[1.0, 3.0, 3.0, 3.0, 7.0]], requires_grad=True))
        for y in (x.median(), x.median(0).values, x.median(1)[0])
    ],
)
refused(
    "J06: median of bools",
    NotImplementedError,
    "\"median_cpu\" not implemented for 'Bool'",
    lambda F: bools(F).median(),
)
refused(
    "J06: median(keepdim) without dim",
    TypeError,
    'median() missing 1 required positional arguments: "dim"',
    lambda F: matrix(F).median(keepdim=True),
)
refused(
    "J06: median along an empty dim",
    IndexError,
    "median(): Expected reduction dim 1 to have non-zero",
    lambda F: F.ones(2, 0).median(1),
)
refused(
    "J06: median along several",
    TypeError,
    "median(): argument 'dim' (position 1) must be int, not tuple",
    lambda F: matrix(F).median((0,)),
)

gives(
    "J06: median of no elements at all",
    lambda F: [F.zeros(0, dtype=getattr(F, n)).median() for n in ("float64", "int64", "int32", "int16", "uint8")],
)

for name in ("var_mean", "std_mean"):
    gives(
        f"J07: {name}: both, with their gradients",
        lambda F, n=name: [
            (pair, F.autograd.grad(pair[0].sum() + pair[1].sum() * 3, x))
            for arguments in ((), (1,), (False,), (1, False, True), ((0, 1),))
            for x in [matrix(F).requires_grad_()]
            for pair in [getattr(F, n)(x, *arguments)]
        ],
    )
    gives(f"J07: {name}(correction=0.5)", lambda F, n=name: getattr(F, n)(matrix(F), 1, correction=0.5, keepdim=True))
    gives(
        f"J07: {name} of one number",
        lambda F, n=name: getattr(F, n)(F.ones(1)),
        warns=(f"UserWarning: {name}(): degrees of freedom is <= 0.",),
    )
    refused(
        f"J08: {name} of integers",
        RuntimeError,
        f"{name} only support floating point and complex dtypes",
        lambda F, n=name: getattr(F, n)(F.tensor([1, 2])),
    )

test_as_in_torch = behaviours.test()


def test_named_results_can_be_pickled() -> None:
    result = minigrad.tensor([[1.0, 2.0]]).max(0)
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result) is minigrad.return_types.max
    assert again.values.tolist() == [1, 2]

"""Reductions, running totals and order as in PyTorch: arguments, dtypes, nan and inf, ties, named results, errors.

A reader finds here what a call with unusual arguments gives, one line each. Values and derivatives of the usual calls
are in `op_rows`.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from side_by_side import Behaviours

import minigrad

behaviours = Behaviours()
NAN, INF = float("nan"), float("inf")


@pytest.fixture(autouse=True)
def every_warning(torch: Any) -> Iterator[None]:
    """PyTorch gives some warnings once in a process; here, each time."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(before)


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

# ---------------------------------------------------------------- amax, amin, aminmax

for name in ("amax", "amin"):
    gives(
        f"B01: {name} of ints, bools and a number",
        lambda F, n=name: [getattr(F, n)(x) for x in (ints(F), bools(F), F.tensor(2.5))],
    )
    gives(f"B02: {name} along no dims is that of all", lambda F, n=name: getattr(F, n)(matrix(F), ()))
    gives(f"B03: {name}(dim=list, keepdim)", lambda F, n=name: getattr(matrix(F), n)(dim=[0, -1], keepdim=True))
    gives(f"B04: {name} of nan is nan", lambda F, n=name: getattr(F, n)(row(F, 1.0, NAN, 2.0)))
    gives(
        f"B05: {name} shares its gradient evenly among ties",
        lambda F, n=name: gradient(F, [[2.0, 2.0, 1.0], [1.0, 1.0, 1.0]], lambda x: getattr(x, n)(1)),
    )
    gives(f"B06: the gradient of {name} of nan", lambda F, n=name: gradient(F, [1.0, NAN], lambda x: getattr(x, n)()))
    gives(f"B07: {name} along a dim of an empty tensor", lambda F, n=name: getattr(F, n)(empty(F), 1))
    refused(
        f"B08: {name} of nothing",
        RuntimeError,
        f"{name}(): Expected reduction dim to be specified for input.numel() == 0.",
        lambda F, n=name: getattr(F, n)(empty(F)),
    )
    refused(
        f"B09: {name} along a dim of size 0",
        IndexError,
        f"{name}(): Expected reduction dim 0 to have non-zero size.",
        lambda F, n=name: getattr(F, n)(empty(F), (0, 1)),
    )
    refused(
        f"B10: {name} along a dim twice",
        RuntimeError,
        "dim 0 appears multiple times in the list of dims",
        lambda F, n=name: getattr(F, n)(matrix(F), (0, 0)),
    )
    refused(
        f"B11: {name} along a dim that is not there",
        IndexError,
        "Dimension out of range (expected to be in range of [-2, 1], but got 5)",
        lambda F, n=name: getattr(F, n)(matrix(F), 5),
    )
    refused(
        f"B12: {name} of a number",
        TypeError,
        f"{name}(): argument 'input' (position 1) must be Tensor, not int",
        lambda F, n=name: getattr(F, n)(3),
    )
gives(
    "B13: aminmax has parts with names, and prints them",
    lambda F: [F.aminmax(matrix(F)).min, str(F.aminmax(matrix(F), dim=1, keepdim=True))],
)
gives(
    "B14: aminmax(keepdim) of all, of bools, of a number",
    lambda F: [F.aminmax(matrix(F), keepdim=True), F.aminmax(bools(F)), F.aminmax(F.tensor(2.0), dim=0)],
)
gives(
    "B15: aminmax adds up the gradients of both",
    lambda F: gradient(F, [2.0, 2.0, 1.0], lambda x: x.aminmax().max * 3 + x.aminmax().min),
)
refused(
    "B16: aminmax of nothing",
    RuntimeError,
    "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.",
    lambda F: F.aminmax(empty(F)),
)
refused(
    "B17: aminmax along a dim of size 0",
    IndexError,
    "aminmax: Expected reduction dim 0 to have non-zero size.",
    lambda F: F.aminmax(empty(F), dim=0),
)
refused(
    "B18: aminmax along two dims",
    TypeError,
    "aminmax(): argument 'dim' must be int, not tuple",
    lambda F: F.aminmax(matrix(F), dim=(0, 1)),
)
refused(
    "B19: aminmax takes dim by name only",
    TypeError,
    "aminmax() takes 1 positional argument but 2 were given",
    lambda F: F.aminmax(matrix(F), 0),
)

# ---------------------------------------------------------------- spread, and what is missing

for name in ("var_mean", "std_mean"):
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
    gives(
        f"C03: {name} of one number",
        lambda F, n=name: getattr(F, n)(F.tensor(3.0)),
        warns=(f"UserWarning: {name}(): degrees of freedom is <= 0.",),
    )
    refused(
        f"C04: {name} of ints",
        RuntimeError,
        f"{name} only support floating point and complex dtypes",
        lambda F, n=name: getattr(F, n)(ints(F)),
    )
    gives(
        f"C05: the gradient of {name}, of one part or both",
        lambda F, n=name: [
            gradient(F, [1.0, 2.0, 4.0], lambda x, part=part: part(getattr(F, n)(x)))
            for part in (lambda r: r[0], lambda r: r[1], sum)
        ],
    )
gives("C06: the gradient of std_mean at 0", lambda F: gradient(F, [2.0, 2.0], lambda x: F.std_mean(x)[0]))
gives(
    "C07: nansum of ints and bools, and with dtype",
    lambda F: [
        F.nansum(ints(F)),
        F.nansum(bools(F)),
        F.nansum(matrix(F), dtype=F.int64),
        F.nansum(ints(F), 0, True, dtype=F.int32),
        F.nansum(row(F, 1.0, NAN), dtype=F.float64),
    ],
)
gives("C08: nansum of nothing, along no dims", lambda F: [F.nansum(empty(F), 0), F.nansum(matrix(F), ())])
gives("C09: nan gets no gradient of nansum", lambda F: gradient(F, [1.0, NAN], lambda x: x.nansum()))
gives(
    "C10: nanmean of nans, and with dtype",
    lambda F: [F.nanmean(row(F, NAN, NAN)), F.nanmean(row(F, 1.0, NAN), 0, True, dtype=F.float64)],
)
refused(
    "C11: nanmean of ints",
    RuntimeError,
    "nanmean(): expected input to have floating point or complex dtype but got Long",
    lambda F: F.nanmean(ints(F)),
)
gives(
    "C12: count_nonzero along dims",
    lambda F: [
        F.count_nonzero(matrix(F)),
        F.count_nonzero(ints(F), ()),
        F.count_nonzero(matrix(F) - 1, (0, 1)),
        F.count_nonzero(bools(F), dim=-1),
        F.count_nonzero(empty(F), 0),
    ],
)

# ---------------------------------------------------------------- norm, dist

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
gives("D05: norm(dtype=)", lambda F: [matrix(F).norm(dtype=F.float64), F.norm(matrix(F), 3, 0, dtype=F.float64)])
gives("D06: norms of nan", lambda F: [F.norm(row(F, 1.0, NAN), p) for p in (0, 1, 2, INF, -INF)])
gives("D07: the gradient of the largest size, with nan", lambda F: gradient(F, [1.0, NAN, 3.0], lambda x: x.norm(INF)))
gives("D08: norms of nothing", lambda F: [F.norm(empty(F)), F.norm(empty(F), 0), F.norm(empty(F), INF, 1)])
refused("D09: norm of ints", RuntimeError, NORM_OF_INTS, lambda F: F.norm(ints(F)))
refused("D10: norm of ints with dtype", RuntimeError, NORM_OF_INTS, lambda F: F.norm(ints(F), dtype=F.float32))
refused(
    "D11: norm(dtype=int64)",
    RuntimeError,
    "linalg.vector_norm: dtype should be floating point or complex, but got Long",
    lambda F: F.norm(matrix(F), dtype=F.int64),
)
refused(
    "D12: norm of a kind that is not there",
    RuntimeError,
    "linalg.matrix_norm: Order bad not supported.",
    lambda F: F.norm(matrix(F), "bad"),
)
refused(
    "D13: norm('fro') along three dims",
    RuntimeError,
    "linalg.matrix_norm: dim must be a 2-tuple. Got 0 1 2",
    lambda F: F.norm(F.zeros(2, 2, 2), "fro", dim=(0, 1, 2)),
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
gives(
    "D16: dist broadcasts, and mixes floats",
    lambda F: [
        F.dist(matrix(F), matrix(F)[0]),
        F.dist(matrix(F), matrix(F).double() + 1),
        matrix(F).dist(matrix(F) + 1, 0),
    ],
)
gives(
    "D17: the gradient of dist of equals",
    lambda F: [gradient(F, [1.0, 2.0], lambda x, p=p: x.dist(F.tensor([1.0, 2.0]), p)) for p in (1, 2, INF)],
)
refused(
    "D18: dist of ints",
    RuntimeError,
    "norm(): input dtype should be either floating point or complex. Got Long instead.",
    lambda F: F.dist(ints(F), ints(F)),
)
refused(
    "D19: dist of shapes that do not fit",
    RuntimeError,
    "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1",
    lambda F: F.dist(matrix(F), row(F, 1.0, 2.0)),
)
refused(
    "D20: dist to a number",
    TypeError,
    "dist(): argument 'other' (position 2) must be Tensor, not float",
    lambda F: F.dist(matrix(F), 2.0),
)

# ---------------------------------------------------------------- counts

gives(
    "E01: histc with and without a range",
    lambda F: [
        F.histc(matrix(F)),
        F.histc(matrix(F), 4),
        F.histc(matrix(F), bins=4, min=1, max=3),
        F.histc(matrix(F), 2, -1, -1),
    ],
)
gives(
    "E02: histc of equals, of nothing, of nan in a range",
    lambda F: [F.histc(F.ones(2), 2), F.histc(F.zeros(0), 3), F.histc(row(F, 1.0, NAN, 2.0), 2, 0, 3)],
)
gives("E03: histc has no gradient", lambda F: F.histc(F.ones(2, requires_grad=True), 2).requires_grad)
refused(
    "E04: histc of ints",
    NotImplementedError,
    "\"histogram_cpu\" not implemented for 'Long'",
    lambda F: F.histc(ints(F), 4),
)
refused(
    "E05: histc with no bins",
    RuntimeError,
    "torch.histogram(): bins must be > 0, but got 0 for dimension 0",
    lambda F: F.histc(matrix(F), 0),
)
refused(
    "E06: histc with min above max",
    RuntimeError,
    "torch.histc: max must be larger than min",
    lambda F: F.histc(matrix(F), 4, 3, 1),
)
refused(
    "E07: histc of inf",
    RuntimeError,
    "torch.histc: range of [1, inf] is not finite",
    lambda F: F.histc(row(F, 1.0, INF), 2),
)
gives(
    "E08: bincount, minlength, nothing",
    lambda F: [
        F.bincount(F.tensor([0, 2, 2])),
        F.bincount(F.tensor([0, 2]), minlength=5),
        F.bincount(F.zeros(0).long(), minlength=2),
        F.tensor([1, 1]).bincount(),
    ],
)
gives(
    "E09: bincount(weights) of every dtype",
    lambda F: [
        F.bincount(F.tensor([0, 1, 1]), w)
        for w in (F.ones(3), F.ones(3).double(), F.tensor([1, 2, 3]), F.tensor([True, True, False]))
    ],
)
gives(
    "E10: counts of weights need no gradient of their own",
    lambda F: F.bincount(F.tensor([0, 1]), F.ones(2, requires_grad=True)).requires_grad,
)
refused(
    "E11: but have none",
    RuntimeError,
    "derivative for aten::bincount is not implemented",
    lambda F: F.bincount(F.tensor([0, 1]), F.ones(2, requires_grad=True)).sum().backward(),
)
for values, says in (
    ([0, -2], "bincount only supports 1-d non-negative integral inputs."),
    ([[0]], "bincount only supports 1-d non-negative integral inputs."),
):
    refused(f"E12: bincount of {values}", RuntimeError, says, lambda F, v=values: F.bincount(F.tensor(v)))
refused(
    "E13: bincount of floats",
    NotImplementedError,
    "\"bincount_cpu\" not implemented for 'Float'",
    lambda F: F.bincount(F.ones(1)),
)
refused(
    "E14: bincount with too few weights",
    RuntimeError,
    "weights should be 1-d and have the same length as input",
    lambda F: F.bincount(F.tensor([0, 1]), F.ones(1)),
)
refused(
    "E15: bincount(minlength=-1)",
    RuntimeError,
    "minlength should be >= 0",
    lambda F: F.bincount(F.tensor([0, 1]), minlength=-1),
)

# ---------------------------------------------------------------- running totals

for values in ([2.0, 3.0, 4.0], [2.0, 0.0, 4.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0], [1.0, INF, 2.0], [5.0]):
    gives(f"F01: the gradient of cumprod of {values}", lambda F, v=values: gradient(F, v, lambda x: x.cumprod(0)))
for values in (
    [0.0, 1.0, 2.0],
    [-1000.0, 0.0, 1000.0],
    [0.0, -INF, 2.0],
    [-INF, 0.0, 1.0],
    [-INF, -INF, 0.0],
    [1.0, INF, 2.0],
    [1.0, NAN, 2.0],
):
    gives(
        f"F02: logcumsumexp of {values}, and its gradient",
        lambda F, v=values: [F.logcumsumexp(F.tensor(v), 0), gradient(F, v, lambda x: x.logcumsumexp(0))],
    )
for name in ("cumprod", "cumsum"):
    gives(
        f"F03: {name} of ints, bools and nothing",
        lambda F, n=name: [getattr(F, n)(x, 0) for x in (ints(F), bools(F), empty(F), ints(F).int(), F.tensor(2.0))],
    )
    gives(
        f"F04: {name}(dtype=)",
        lambda F, n=name: [getattr(F, n)(matrix(F), 0, dtype=d) for d in (F.float64, F.int32, F.int64)],
    )
    gives(
        f"F05: {name}_ writes in the tensor's dtype",
        lambda F, n=name: [getattr(x, f"{n}_")(0) for x in (matrix(F), ints(F).int())],
    )
    gives(
        f"F06: {name}_ is the tensor itself, and counts",
        lambda F, n=name: (lambda x: [getattr(x, f"{n}_")(dim=1) is x, x._version])(matrix(F)),
    )
    gives(
        f"F07: the gradient through {name}_",
        lambda F, n=name: gradient(F, [2.0, 3.0], lambda x: getattr(x * 2, f"{n}_")(0)),
    )
    refused(
        f"F08: {name}(dtype=bool)",
        NotImplementedError,
        f"\"{name}_out_cpu\" not implemented for 'Bool'",
        lambda F, n=name: getattr(F, n)(matrix(F), 0, dtype=F.bool),
    )
    refused(
        f"F09: {name} along a dim that is not there",
        IndexError,
        "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
        lambda F, n=name: getattr(F, n)(matrix(F), 2),
    )
for name in ("cummax", "cummin"):
    gives(
        f"F10: {name}: the last of equals, nan for good",
        lambda F, n=name: getattr(F, n)(row(F, 1.0, 3.0, 3.0, 1.0, NAN, 5.0, NAN), 0),
    )
    gives(
        f"F11: {name} of a number, of nothing, of bools",
        lambda F, n=name: [getattr(F, n)(x, 0) for x in (F.tensor(3.0), empty(F), bools(F), ints(F))],
    )
    gives(
        f"F12: the gradient of {name} goes to the records",
        lambda F, n=name: gradient(F, [2.0, 1.0, 2.0, 3.0], lambda x: getattr(x, n)(0).values),
    )
    gives(f"F13: {name} prints its parts", lambda F, n=name: str(getattr(row(F, 1.0, 2.0), n)(0)))
refused(
    "F14: logcumsumexp of ints",
    NotImplementedError,
    "\"logcumsumexp_out_cpu\" not implemented for 'Long'",
    lambda F: F.logcumsumexp(ints(F), 0),
)

# ---------------------------------------------------------------- differences and areas

gives("G01: diff of ints and bools", lambda F: [F.diff(ints(F)), F.diff(bools(F)), F.diff(bools(F), 2)])
gives("G02: diff so often, or not at all", lambda F: [F.diff(matrix(F), n) for n in (0, 1, 2, 3, 5)])
gives(
    "G03: diff(n=0) is a copy, with a node",
    lambda F: (lambda x: [F.diff(x, 0) is x, F.diff(x, 0).grad_fn])(F.ones(2, requires_grad=True)),
)
gives("G04: diff(prepend, append)", lambda F: F.diff(matrix(F), 1, 0, matrix(F), matrix(F)[:1]))
refused(
    "G05: diff of a number",
    RuntimeError,
    "diff expects input to be at least one-dimensional",
    lambda F: F.diff(F.tensor(1.0)),
)
refused("G06: diff(n=-1)", RuntimeError, "order must be non-negative but got -1", lambda F: F.diff(matrix(F), -1))
refused(
    "G07: diff(prepend) of other dimensions",
    RuntimeError,
    "diff expects prepend or append to be the same dimension as input",
    lambda F: F.diff(matrix(F), prepend=matrix(F)[0]),
)
refused(
    "G08: diff(prepend) of another size",
    RuntimeError,
    "diff expects the shape of tensor to prepend or append to match that of input except",
    lambda F: F.diff(matrix(F), prepend=F.zeros(3, 1)),
)
gives(
    "G09: areas of ints and of nothing",
    lambda F: [
        F.trapezoid(ints(F)),
        F.trapezoid(ints(F), dx=2),
        F.trapezoid(matrix(F)[:, :0]),
        F.trapezoid(ints(F)[:0], dim=0),
        F.trapezoid(matrix(F)[:, :1]),
        F.cumulative_trapezoid(ints(F)),
        F.cumulative_trapezoid(matrix(F)[:, :1]),
    ],
)
gives(
    "G10: areas over x along any dim",
    lambda F: [
        F.trapezoid(F.ones(2, 3, 4), row(F, 1.0, 3.0, 4.0), dim=1),
        F.trapezoid(matrix(F), matrix(F)),
        F.cumulative_trapezoid(matrix(F), dx=3),
    ],
)
refused(
    "G11: areas with too few x",
    RuntimeError,
    "trapezoid: There must be one `x` value for each sample point",
    lambda F: F.trapezoid(matrix(F), row(F, 1.0, 2.0)),
)
refused(
    "G12: areas under bools",
    RuntimeError,
    "trapezoid: received a bool input for `y`, but bool is not supported",
    lambda F: F.trapezoid(bools(F)),
)
refused(
    "G13: the area under a number",
    IndexError,
    "Dimension specified as -1 but tensor has no dimensions",
    lambda F: F.trapezoid(F.tensor(1.0)),
)
refused(
    "G14: x and dx",
    TypeError,
    "trapezoid() received an invalid combination of arguments",
    lambda F: F.trapezoid(matrix(F), matrix(F)[0], dx=3),
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
gives("H06: msort of a number", lambda F: F.msort(F.tensor(3.0)))
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

# ---------------------------------------------------------------- kthvalue, median, mode, quantile

gives(
    "I01: kthvalue, with nan, keepdim",
    lambda F: [
        F.kthvalue(matrix(F), 2, 0, True),
        F.kthvalue(row(F, 2.0, NAN, 1.0), 2),
        F.kthvalue(F.tensor(3.0), 1),
        F.kthvalue(empty(F), 1, 1),
        str(F.kthvalue(row(F, 1.0), 1)),
    ],
)
for k in (0, 4):
    refused(
        f"I02: kthvalue({k}) of three",
        RuntimeError,
        "kthvalue(): selected number k out of range for dimension 1",
        lambda F, k=k: F.kthvalue(matrix(F), k),
    )
refused(
    "I03: kthvalue along a dim of size 0",
    IndexError,
    "kthvalue(): Expected reduction dim 0 to have non-zero size.",
    lambda F: F.kthvalue(empty(F), 1, 0),
)
for name in ("median", "nanmedian"):
    gives(
        f"I04: {name} of an even number of elements",
        lambda F, n=name: [
            getattr(F, n)(row(F, 1.0, 3.0, 2.0, 4.0)),
            getattr(row(F, 1.0, 3.0, 2.0, 4.0), n)(0, keepdim=True),
        ],
    )
    gives(
        f"I05: {name} with nan",
        lambda F, n=name: [
            getattr(F, n)(row(F, 5.0, NAN, 2.0, NAN)),
            getattr(F, n)(row(F, 5.0, NAN, 2.0, NAN), 0),
            getattr(F, n)(row(F, NAN, NAN), 0),
            getattr(F, n)(row(F, NAN, NAN)),
        ],
    )
    gives(
        f"I06: {name} of nothing, of ints, of a number",
        lambda F, n=name: [
            getattr(F, n)(F.zeros(0)),
            getattr(F, n)(empty(F), 1),
            getattr(F, n)(F.tensor([3, 1, 2])),
            getattr(F, n)(F.tensor(3.0)),
            getattr(F, n)(F.tensor(3.0), 0),
        ],
    )
    gives(
        f"I07: {name} of all shares its gradient among equals",
        lambda F, n=name: gradient(F, [2.0, 2.0, 1.0, 3.0], lambda x: getattr(x, n)()),
    )
    gives(
        f"I08: the gradient of {name} of nans",
        lambda F, n=name: [gradient(F, v, lambda x: getattr(x, n)()) for v in ([1.0, NAN, NAN], [NAN, 2.0, 3.0])],
    )
    gives(
        f"I09: the gradient of {name} along a dim goes to one",
        lambda F, n=name: gradient(F, [[5.0, 2.0, 1.0], [0.0, 4.0, 3.0]], lambda x: getattr(x, n)(1).values),
    )
    gives(f"I10: {name} prints its parts", lambda F, n=name: str(getattr(row(F, 1.0), n)(0)))
    refused(
        f"I11: {name} along a dim of size 0",
        IndexError,
        "median(): Expected reduction dim 0 to have non-zero size.",
        lambda F, n=name: getattr(F, n)(empty(F), 0),
    )
    refused(
        f"I12: {name} along two dims",
        TypeError,
        f"{name}(): argument 'dim' (position 2) must be int, not tuple",
        lambda F, n=name: getattr(F, n)(matrix(F), (0, 1)),
    )
gives(
    "I12: all and any of uint8 are uint8",
    lambda F: [
        getattr(F.tensor([[2, 0]], dtype=F.uint8), n)(*dim) for n in ("all", "any") for dim in ((), (0,), (1, True))
    ],
)
for name in ("median", "nanmedian"):
    refused(
        f"I13: {name} of bools along a dim",
        NotImplementedError,
        "\"median_out\" not implemented for 'Bool'",
        lambda F, n=name: getattr(F, n)(bools(F), 0),
    )
refused(
    "I13: nanmedian of bools",
    NotImplementedError,
    "\"median_cpu\" not implemented for 'Bool'",
    lambda F: F.nanmedian(bools(F)),
)
refused(
    "I13: median of bools",
    NotImplementedError,
    "\"median_cpu\" not implemented for 'Bool'",
    lambda F: F.median(bools(F)),
)
gives(
    "I14: mode: the smallest of the most frequent, its last place",
    lambda F: [
        F.mode(F.tensor([3, 1, 1, 2, 2])),
        F.mode(F.tensor([[3, 1, 1], [2, 2, 1]]), 0),
        F.mode(F.tensor([3.0, 3.0, 1.0, 1.0]), keepdim=True),
        F.mode(bools(F)),
        F.mode(F.tensor(3.0)),
        F.mode(F.tensor([2.0, 1.0, 2.0, float("nan")])),
        F.mode(F.tensor([float("nan"), float("nan")])),
        F.mode(empty(F), 1),
        F.mode(F.zeros(2, 0, 3)),
    ],
)
gives("I15: the gradient of mode", lambda F: gradient(F, [3.0, 1.0, 1.0], lambda x: x.mode().values))
refused(
    "I16: mode along a dim of size 0",
    IndexError,
    "mode(): Expected reduction dim 0 to have non-zero size.",
    lambda F: F.mode(empty(F), 0),
)
for name in ("quantile", "nanquantile"):
    gives(
        f"I17: {name} of all, at both ends, of one number",
        lambda F, n=name: [getattr(F, n)(matrix(F), q) for q in (0, 0.3, 0.5, 1)] + [getattr(F, n)(F.tensor(3.0), 0.5)],
    )
    gives(
        f"I18: {name} of several shares",
        lambda F, n=name: [
            getattr(F, n)(matrix(F), row(F, 0.0, 0.25, 1.0), *more)
            for more in ((), (1,), (1, True), (0, True), (None, True))
        ],
    )
    gives(
        f"I19: {name}(keepdim)",
        lambda F, n=name: [
            getattr(matrix(F), n)(0.5, keepdim=True),
            getattr(matrix(F), n)(0.5, -1, True),
            getattr(matrix(F), n)(F.tensor(0.5), 0),
        ],
    )
    gives(
        f"I20: {name} with nan",
        lambda F, n=name: (
            [getattr(F, n)(x, 0.5) for x in (row(F, 3.0, NAN, 1.0), row(F, NAN, NAN))]
            + [getattr(F, n)(F.tensor([[3.0, NAN, 1.0], [1.0, 2.0, 4.0]]), row(F, 0.1, 0.9), 1)]
        ),
    )
    for how in ("linear", "lower", "higher", "midpoint", "nearest"):
        gives(
            f"I21: {name}(interpolation={how})",
            lambda F, n=name, h=how: [
                getattr(F, n)(matrix(F), q, 1, interpolation=h) for q in (0.0, 0.25, 0.3, 0.5, 0.8)
            ],
        )
    refused(
        f"I22: {name}(1.5)",
        RuntimeError,
        "quantile() q must be in the range [0, 1] but got 1.5",
        lambda F, n=name: getattr(F, n)(matrix(F), 1.5),
    )
    refused(
        f"I23: {name} of shares beyond 1",
        RuntimeError,
        "quantile() q values must be in the range [0, 1]",
        lambda F, n=name: getattr(F, n)(matrix(F), row(F, 1.5)),
    )
    refused(
        f"I24: {name} of ints",
        RuntimeError,
        "quantile() input tensor must be either float or double dtype",
        lambda F, n=name: getattr(F, n)(ints(F), 0.5),
    )
    refused(
        f"I25: {name} of a matrix of shares",
        RuntimeError,
        "quantile() q must be a scalar or 1D tensor",
        lambda F, n=name: getattr(F, n)(matrix(F), F.tensor([[0.5]])),
    )
    refused(
        f"I26: {name} with q of another dtype",
        RuntimeError,
        "quantile() q tensor must be same dtype as the input tensor",
        lambda F, n=name: getattr(F, n)(matrix(F), row(F, 0.5).double()),
    )
    refused(
        f"I27: {name} of nothing",
        RuntimeError,
        "quantile() input tensor must be non-empty",
        lambda F, n=name: getattr(F, n)(empty(F), 0.5),
    )
    refused(
        f"I28: {name}(interpolation='bad')",
        RuntimeError,
        "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got bad",
        lambda F, n=name: getattr(F, n)(matrix(F), 0.5, interpolation="bad"),
    )

# ---------------------------------------------------------------- distinct values, bins

PARTS = [[2, 1], [1, 1], [2, 1]]
gives(
    "J01: unique with inverse and counts",
    lambda F: [
        F.unique(ints(F)),
        F.unique(ints(F), True, True),
        F.unique(ints(F), return_counts=True),
        ints(F).unique(sorted=False, return_inverse=True, return_counts=True),
    ],
)
gives(
    "J02: unique parts along a dim",
    lambda F: [F.unique(F.tensor(PARTS), dim=d, return_inverse=True, return_counts=True) for d in (0, 1, -1)],
)
gives(
    "J03: unique nans, bools, a number, nothing",
    lambda F: [
        F.unique(row(F, NAN, NAN, 1.0)),
        F.unique(bools(F)),
        F.unique(F.tensor(3.0), return_inverse=True),
        F.unique(empty(F)),
        F.unique(empty(F), dim=0),
    ],
)
gives(
    "J04: unique values have a node",
    lambda F: [
        F.unique(F.ones(2, requires_grad=True)).grad_fn,
        F.unique(F.ones(2, requires_grad=True), dim=0).grad_fn,
        F.ones(2, requires_grad=True).unique_consecutive().grad_fn,
    ],
)
refused(
    "J05: but no derivative",
    NotImplementedError,
    "the derivative for '_unique2' is not implemented.",
    lambda F: F.unique(F.ones(2, requires_grad=True)).sum().backward(),
)
refused(
    "J06: nor do unique parts",
    NotImplementedError,
    "the derivative for 'unique_dim' is not implemented.",
    lambda F: F.unique(F.ones(2, requires_grad=True), dim=0).sum().backward(),
)
refused(
    "J07: unique of parts without elements",
    RuntimeError,
    "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied",
    lambda F: F.unique(empty(F), dim=1),
)
refused(
    "J08: unique along a dim of a number",
    IndexError,
    "Dimension specified as 0 but tensor has no dimensions",
    lambda F: F.unique(F.tensor(3.0), dim=0),
)
gives(
    "J09: unique_consecutive",
    lambda F: [
        F.unique_consecutive(F.tensor([1, 1, 2, 1]), True, True),
        F.unique_consecutive(F.tensor([1, 1, 2]), return_counts=True),
        F.unique_consecutive(ints(F)),
        F.unique_consecutive(F.tensor(PARTS), dim=0, return_inverse=True),
        F.unique_consecutive(F.zeros(0)),
        F.unique_consecutive(empty(F), dim=0),
    ],
)
gives(
    "J10: searchsorted: left and right, nan, numbers",
    lambda F: [
        F.searchsorted(row(F, 1.0, 3.0, 5.0), F.tensor([[3.0, NAN], [0.0, 9.0]])),
        F.searchsorted(row(F, 1.0, 3.0), row(F, 3.0), right=True),
        F.searchsorted(row(F, 1.0, 3.0), row(F, 3.0), side="right", out_int32=True),
        F.searchsorted(row(F, 1.0, 3.0), 3),
        F.searchsorted(F.zeros(0), row(F, 1.0)),
    ],
)
gives(
    "J11: searchsorted in rows, with a sorter",
    lambda F: [
        F.searchsorted(F.tensor([[1.0, 3.0], [2.0, 4.0]]), F.tensor([[3.0], [1.0]])),
        F.searchsorted(row(F, 5.0, 1.0, 3.0), row(F, 3.0, 4.0), sorter=F.tensor([1, 2, 0])),
    ],
)
for title, says, call in (
    (
        "opposite sides",
        "torch.searchsorted(): side and right can't be set to opposites",
        lambda F: F.searchsorted(row(F, 1.0), row(F, 1.0), side="left", right=True),
    ),
    (
        "no side",
        "torch.searchsorted(): side can only be 'left' or 'right' but got up",
        lambda F: F.searchsorted(row(F, 1.0), row(F, 1.0), side="up"),
    ),
    (
        "rows that do not fit",
        "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions",
        lambda F: F.searchsorted(matrix(F), row(F, 3.0)),
    ),
    (
        "a number in rows",
        "torch.searchsorted(): input value can be a scalar only when boundaries tensor",
        lambda F: F.searchsorted(matrix(F), 3.0),
    ),
    (
        "a sorter beyond the end",
        "torch.searchsorted(): sorter index out of range",
        lambda F: F.searchsorted(row(F, 1.0), row(F, 1.0), sorter=F.tensor([9])),
    ),
    (
        "a sorter of floats",
        "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype Float",
        lambda F: F.searchsorted(row(F, 1.0), row(F, 1.0), sorter=row(F, 0.0)),
    ),
    (
        "a short sorter",
        "torch.searchsorted(): boundary and sorter must have the same size",
        lambda F: F.searchsorted(row(F, 1.0), row(F, 1.0), sorter=F.tensor([0, 1])),
    ),
    (
        "a number as sequence",
        "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension",
        lambda F: F.searchsorted(F.tensor(1.0), row(F, 1.0)),
    ),
):
    refused(f"J12: searchsorted with {title}", RuntimeError, says, call)
gives(
    "J13: bucketize",
    lambda F: [
        F.bucketize(matrix(F), row(F, 2.0, 4.0)),
        F.bucketize(matrix(F), row(F, 2.0, 4.0), right=True),
        F.bucketize(3, row(F, 2.0, 4.0)),
        F.bucketize(matrix(F), F.tensor([2, 4]), out_int32=True),
    ],
)
refused(
    "J14: bucketize with a matrix of boundaries",
    RuntimeError,
    "boundaries tensor must be 1 dimension, but got dim(2)",
    lambda F: F.bucketize(matrix(F), matrix(F)),
)

# ---------------------------------------------------------------- out=

OUT: dict[str, Callable[..., Any]] = {
    **{
        name: lambda F, out, n=name: getattr(F, n)(matrix(F), 1, out=out)
        for name in ("amax", "amin", "nansum", "nanmean", "cumprod", "logcumsumexp")
    },
    "norm": lambda F, out: F.norm(matrix(F), 2, 1, out=out),
    "diff": lambda F, out: F.diff(matrix(F), out=out),
    "msort": lambda F, out: F.msort(matrix(F), out=out),
    "histc": lambda F, out: F.histc(matrix(F), 3, out=out),
    "quantile": lambda F, out: F.quantile(matrix(F), 0.5, 1, out=out),
}
OUT_PAIRS: dict[str, Callable[..., Any]] = {
    "sort": lambda F, out: F.sort(matrix(F), out=out),
    "topk": lambda F, out: F.topk(matrix(F), 2, out=out),
    "kthvalue": lambda F, out: F.kthvalue(matrix(F), 2, out=out),
    **{
        name: lambda F, out, n=name: getattr(F, n)(matrix(F), 1, out=out)
        for name in ("median", "nanmedian", "mode", "cummax", "cummin")
    },
}
for name, call in OUT.items():
    gives(f"K01: {name}(out=)", lambda F, call=call: (lambda out: [call(F, out) is out, out])(F.empty(0)))
for name, call in OUT_PAIRS.items():
    gives(
        f"K02: {name}(out=) writes both its answers",
        lambda F, call=call: (lambda values, indices: [call(F, (values, indices)), values, indices])(
            F.empty(0), F.empty(0, dtype=F.int64)
        ),
    )
gives(
    "K03: aminmax(out=)",
    lambda F: (lambda a, b: [F.aminmax(matrix(F), dim=1, out=(a, b)), a, b])(F.empty(0), F.empty(0)),
)
gives(
    "K04: searchsorted(out=)",
    lambda F: (lambda out: [F.searchsorted(row(F, 1.0), row(F, 2.0), out=out) is out, out])(F.empty(0, dtype=F.int64)),
)

test_as_in_torch = behaviours.test()


def test_named_results_can_be_pickled() -> None:
    result = minigrad.tensor([[1.0, 2.0]]).max(0)
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result) is minigrad.return_types.max
    assert again.values.tolist() == [1, 2]


def test_the_nuclear_norm_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"norm\(p='nuc'\) is not supported"):
        minigrad.norm(minigrad.eye(2), "nuc")

"""How tensors are printed: repr, str and format, as in PyTorch.

The list names the rules one by one; the property at the end prints arrays of any kind and size. One difference is
expected there: `minigrad.float64` is three letters longer than `torch.float64`, so that a dtype may move to the next
line earlier here. The lines of the numbers never differ.
"""

from __future__ import annotations

import re
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
from helpers.side_by_side import Behaviours
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigrad
import minigrad.printing

behaviours = Behaviours()


# ---------------------------------------------------------------- floats

NAN, INF = float("nan"), float("inf")

FLOATS: dict[str, Any] = {
    "whole numbers are written with a bare point": [1.0, 2.0, 30.0],
    "whole numbers of both signs stand in columns": [1.0, -20.0, 300.0],
    "one broken number gives all of them four digits": [1.0, 2.5, 300.0],
    "digits beyond the fourth are rounded": [0.12345, 0.00015, 1.99999],
    "a ratio of 1000 is still written plainly": [0.5, 500.0],
    "a ratio above 1000 is written in powers of ten": [0.5, 501.0],
    "whole numbers of a ratio above 1000 are written in powers of ten, too": [1.0, 1001.0],
    "a hundred million is still written plainly": [1e8],
    "more than a hundred million is written in powers of ten": [1.00000008e8],
    "a large broken number is written in powers of ten": [123456789.5],
    "one ten-thousandth is still written plainly": [0.00010001],
    "less than one ten-thousandth is written in powers of ten": [0.00009999],
    "very large and very small numbers": [1e38, 1e-38],
    "the smallest numbers that float32 knows": [1e-45, 3e-45],
    "zeros do not count for the choice of powers of ten": [0.0, 0.5, 0.0],
    "zeros in powers of ten": [0.0, 1e-9, 1e9],
    "all zeros": [0.0, 0.0],
    "negative zeros keep their sign": [0.0, -0.0],
    "negative zeros among broken numbers keep their sign": [-0.0, 0.25],
    "a number that rounds to zero keeps its sign": [-0.001, -1.0, 0.00101],
    "nan alone": [NAN],
    "infinities alone": [INF, -INF],
    "nan and infinities among whole numbers have no point": [1.0, NAN, INF, -INF],
    "nan and infinities among broken numbers stand in columns": [1.5, NAN, INF, -INF],
    "nan and infinities in powers of ten stand in columns": [1e-9, NAN, -INF],
    "nan and infinities do not count for the choice of powers of ten": [INF, NAN, 0.5, -0.0],
    "zeros, nan and infinities are not counted for the width": [[0.0, -INF], [NAN, 3.0]],
    "one number without dimensions": 2.5,
    "one whole number without dimensions": -3.0,
    "nan without dimensions": NAN,
    "minus infinity without dimensions": -INF,
    "a number in powers of ten without dimensions": 1e-7,
    "a matrix": [[1.5, -2.0], [3.25, 400.0]],
    "a matrix of one row": [[1.0, 2.0]],
    "a matrix of one column": [[1.0], [2.0]],
    "blank lines set matrices apart": [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]],
    "two blank lines set blocks of matrices apart": [[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]],
    "many dimensions": [[[[[[1.5]]]]]],
}

for _title, _numbers in FLOATS.items():
    behaviours(f"A10: {_title}")(lambda F, numbers=_numbers: repr(F.tensor(numbers)))
    behaviours(f"A10: {_title} (float64)")(lambda F, numbers=_numbers: repr(F.tensor(numbers, dtype=F.float64)))


behaviours.table(
    ("A10: a long vector breaks its lines where PyTorch breaks them",
     lambda F: [repr(F.arange(float(count))) for count in (9, 10, 15, 16, 17, 100)]),
    ("A10: long vectors of zeros, nan and infinities break their lines later than they would have to",
     lambda F: [repr(F.full(shape, number)) for number in (0.0, -0.0, NAN, INF, -INF) for shape in ((30,), (1, 30))]),
    ("A10: a long vector within a matrix is indented", lambda F: repr(F.arange(60).reshape(2, 30) * 1000)),
)  # fmt: skip


# ---------------------------------------------------------------- ints and bools


@behaviours("A10: ints are as wide as the widest of them")
def _(F):
    return [repr(F.tensor(numbers)) for numbers in ([1, 2, 3], [1, -20, 300], [[0, 1], [-1, 10**18]], 7, [[5]])]


@behaviours("A10: int32 names itself, int64 does not")
def _(F):
    return (
        repr(F.tensor([1, 2], dtype=F.int32)),
        repr(F.tensor([1, 2], dtype=F.int64)),
        repr(F.tensor(3, dtype=F.int32)),
    )


@behaviours("A10: bools are as wide as the widest of them")
def _(F):
    return [repr(F.tensor(values)) for values in ([True, False], [True, True], [[False, True], [True, True]], True)]


@behaviours("A10: a long vector of bools breaks its lines")
def _(F):
    return repr(F.arange(40) > 20)


# ---------------------------------------------------------------- empty


@behaviours("A10: an empty vector shows two brackets, another empty tensor its size")
def _(F):
    return [repr(F.zeros(*shape)) for shape in ((0,), (0, 3), (2, 0), (1, 0, 4), (0, 0, 0, 2))]


@behaviours("A10: an empty tensor names its dtype, unless it is float32")
def _(F):
    kinds = (F.float32, F.float64, F.int64, F.int32, F.bool)
    return [repr(F.zeros(*shape, dtype=kind)) for kind in kinds for shape in ((0,), (2, 0))]


@behaviours("A10: an empty tensor shows size, dtype and gradient, in this order")
def _(F):
    x = F.zeros(2, 0, dtype=F.float64, requires_grad=True)
    return repr(x), repr(x * 2)


# ---------------------------------------------------------------- summaries


@behaviours("A10: a thousand elements are all shown, one more is summarized")
def _(F):
    return repr(F.arange(1000)), repr(F.arange(1001))


@behaviours("A10: a summary of floats looks at the shown elements only")
def _(F):
    x = F.zeros(2000)
    x[1000] = 1e9
    x[0] = 0.5
    return repr(x)


@behaviours("A10: a summary of many dimensions")
def _(F):
    return [repr(F.arange(float(7 * 8 * 20)).reshape(shape)) for shape in ((7, 160), (160, 7), (7, 8, 20), (2, 560))]


@behaviours("A10: in a summary, dimensions of up to six are shown whole")
def _(F):
    return [repr(F.arange(1200).reshape(shape)) for shape in ((6, 200), (2, 2, 300), (200, 6), (1200, 1), (1, 1200))]


@behaviours("A10: a summary of bools and of nan")
def _(F):
    return repr(F.zeros(1001) > 0), repr(F.full((1001,), NAN))


@behaviours("A10: a summary keeps the dtype and the gradient")
def _(F):
    x = F.zeros(1001, requires_grad=True)
    return repr(x), repr(x * 2), repr(x.detach().double()), repr(x.double())


# ---------------------------------------------------------------- what stands behind the numbers


@behaviours("A10: a leaf says that it requires grad")
def _(F):
    return repr(F.ones(2, requires_grad=True)), repr(F.tensor(2.5, requires_grad=True))


@behaviours("A10: a result names its node")
def _(F):
    x = F.ones(2, requires_grad=True)
    return [repr(y) for y in (x.clone(), x * 2, x.sum(), x[0], x.view(2, 1), x.exp() - 1, x.detach() * 2)]


@behaviours("A10: an element of an iteration names Unbind")
def _(F):
    return [repr(element) for element in F.ones(2, requires_grad=True)]


@behaviours("A10: the result of a custom function names it, without a number")
def _(F):
    class Twice(F.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    return repr(Twice.apply(F.ones(2, requires_grad=True)))


@behaviours("A10: a tensor written into by a tensor that requires grad names the write")
def _(F):
    x = F.zeros(2)
    x[0] = F.tensor(1.5, requires_grad=True)
    y = F.zeros(2)
    y.add_(F.ones(2, requires_grad=True))
    return repr(x), repr(y)


@behaviours("A10: float64 says its dtype, and then its gradient")
def _(F):
    x = F.tensor([1.0], dtype=F.float64, requires_grad=True)
    return repr(x), repr(x * 2)


@behaviours("A10: a dtype that does not fit on the line goes to the next")
def _(F):
    return repr(F.arange(16, dtype=F.float64) + 0.5)


@behaviours("A10: a node that does not fit on the line goes to the next")
def _(F):
    x = F.ones(13, requires_grad=True)
    return [repr(x[:count] * 2) for count in range(9, 14)]


@behaviours("A10: a detached tensor and results under no_grad have nothing to say")
def _(F):
    x = F.ones(2, requires_grad=True)
    with F.no_grad():
        y = x * 2
    return repr((x * 2).detach()), repr(y), repr(x.data), repr(x > 0)


@behaviours("A10: an inference tensor prints as any other")
def _(F):
    with F.inference_mode():
        return repr(F.ones(2)), repr(F.ones(2, requires_grad=True))


@behaviours("A10: a view of a leaf made under no_grad says that it requires grad")
def _(F):
    x = F.ones(2, requires_grad=True)
    with F.no_grad():
        view = x.view(2, 1)
    return repr(view)


@behaviours("A10: a view of a leaf made and changed under no_grad has no valid history")
def _(F):
    x = F.ones(2, requires_grad=True)
    with F.no_grad():
        view = x.view(2, 1)
        view.mul_(2)
    return repr(view), repr(x)


@behaviours(
    "A10: reading the history of such a view is an error",
    error=RuntimeError,
    says="A view was created in no_grad mode and its base or another view of its base has been modified inplace",
)
def _(F):
    x = F.ones(2, requires_grad=True)
    with F.no_grad():
        view = x[:1]
        view.zero_()
    return view.grad_fn


@behaviours("A10: printing records nothing and changes nothing")
def _(F):
    x = F.ones(2000, requires_grad=True)
    y = x * 2
    str(x), str(y), repr(y)
    return x._version, y._version, y.grad_fn, F.is_grad_enabled()


@behaviours("A10: str is repr")
def _(F):
    x = F.tensor([1.5, 2.0], requires_grad=True)
    return str(x) == repr(x) == f"{x}" == f"{x!r}" == "%s" % x  # noqa: UP031


@behaviours("A10: a list of tensors prints each of them")
def _(F):
    return str([F.tensor(1.0), F.tensor([2, 3]), F.tensor([True])])


@behaviours("A10: a size and a dtype print with the library's name")
def _(F):
    return repr(F.zeros(2, 3).shape), str(F.zeros(0).shape), repr(F.float32), str(F.zeros(()).shape), f"{F.int64}"


@behaviours("A10: a result with names prints them")
def _(F):
    return repr(F.tensor([[3.0, 1.0]]).max(1))


# ---------------------------------------------------------------- format


behaviours.table(
    ("A10: a tensor without dimensions takes the format of its number",
     lambda F: f"{F.tensor(2.5):.3f} {F.tensor(7):04d} {F.tensor(0.25):>8} {F.tensor(1234.5):,.1f} {F.tensor(1e-9):e}"),
    ("A10: a tensor without dimensions in a text is its number",
     lambda F: f"{F.tensor(2.5)} {F.tensor(True)} {F.tensor(1.5, requires_grad=True)} {F.tensor(0.1)}"),
    ("A10: a tensor with dimensions in a text is its repr",
     lambda F: f"{F.tensor([2.5])} {F.ones(2, requires_grad=True) * 2}"),
    ("A10: a tensor with dimensions takes no format", lambda F: f"{F.tensor([2.5]):.2f}",
     TypeError, "unsupported format string passed to Tensor"),
)  # fmt: skip


OPTIONS: dict[str, dict[str, Any]] = {
    "two digits": {"precision": 2},
    "powers of ten": {"sci_mode": True},
    "no powers of ten": {"sci_mode": False, "precision": 8},
    "short": {"profile": "short"},
    "full": {"profile": "full", "linewidth": 200},
    "summaries": {"threshold": 5, "edgeitems": 1},
    "short lines": {"linewidth": 30, "profile": "default"},
    "a profile that there is not": {"profile": "long"},
}
for _title, _options in OPTIONS.items():

    @behaviours(f"set_printoptions: {_title}")
    def _(F: Any, options: dict[str, Any] = _options) -> Any:
        try:
            F.set_printoptions(**options)
            shown = [[1.0, 2.0], [1.5, 1e6], [1e-5, 3.0], [INF, 1.0], [0.0], []]
            return [repr(F.tensor(numbers)) for numbers in shown] + [repr(F.arange(1200.0).reshape(30, 40) / 7)]
        finally:
            F.set_printoptions(profile="default")


test_as_in_torch = behaviours.test()


# ---------------------------------------------------------------- any array

FLOAT_SPECIALS = (0.0, -0.0, 1.0, -2.0, 1e8, 1e-4, 1000.0, NAN, INF, -INF)


def elements(kind: str) -> st.SearchStrategy[Any]:
    if not kind.startswith("float"):
        return arrays.from_dtype(np.dtype(kind))
    size = int(kind.removeprefix("float"))
    alike = st.floats(-1000, 1000, width=size)
    whole = st.integers(-(10**6), 10**6).map(float)
    return st.one_of(st.sampled_from(np.array(FLOAT_SPECIALS, kind).tolist()), alike, whole, st.floats(width=size))


@st.composite
def printables(draw: Any) -> np.ndarray:
    kind = draw(st.sampled_from(["bool", "int32", "int64", "float32", "float64"]))
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=16))
    return draw(arrays.arrays(kind, shape, elements=elements(kind)))


def unbroken(text: str) -> str:
    """With the notes behind the numbers on one line, where one of them is a dtype; see the head of this file."""
    return re.sub(r",\n +(?=(size|dtype|requires_grad)=)", ", ", text) if "dtype=" in text else text


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(array=printables(), requires_grad=st.booleans())
def test_any_array_prints_as_in_torch(torch: Any, array: np.ndarray, requires_grad: bool):
    requires_grad = requires_grad and array.dtype.kind == "f"
    theirs = repr(torch.tensor(array, requires_grad=requires_grad)).replace("torch.", "minigrad.")
    assert unbroken(repr(minigrad.tensor(array, requires_grad=requires_grad))) == unbroken(theirs)

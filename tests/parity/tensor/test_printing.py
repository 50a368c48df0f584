"""How tensors are printed, and how that is changed: repr, str, format and the print options, as in PyTorch.

A reader sees here what a printed tensor says about itself. The property at the end prints arrays of any kind and size
under any options; the list before it names the rules one by one. Every scenario starts from the default options.

In the property, one difference is expected: `minigrad.float64` is three letters longer than `torch.float64`, so that a
dtype may move to the next line earlier here. The lines of the numbers never differ.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from side_by_side import Behaviours, Scenario

import minigrad
import minigrad.printing


def printing(F: Any) -> Any:
    """Where the print options live: PyTorch keeps most of them in a module of its own, too."""
    return minigrad.printing if F is minigrad else F._tensor_str


@pytest.fixture(autouse=True)
def print_options_restored(torch: Any) -> Iterator[None]:
    before = [(printing(F), printing(F).get_printoptions()) for F in (minigrad, torch)]
    yield
    for library, options in before:
        library.set_printoptions(**options)


listed = Behaviours()


def behaviours(title: str, **expected: Any) -> Callable[[Scenario], Scenario]:
    """As `Behaviours`, for a scenario that may change the print options."""

    def add(scenario: Scenario) -> Scenario:
        @functools.wraps(scenario)
        def from_defaults(F: Any) -> Any:
            printing(F).set_printoptions(profile="default")
            return scenario(F)

        return listed(title, **expected)(from_defaults)

    return add


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


@behaviours("A10: a long vector breaks its lines where PyTorch breaks them")
def _(F):
    return [repr(F.arange(float(count))) for count in (9, 10, 15, 16, 17, 100)]


@behaviours("A10: long vectors of zeros, nan and infinities break their lines later than they would have to")
def _(F):
    return [repr(F.full(shape, number)) for number in (0.0, -0.0, NAN, INF, -INF) for shape in ((30,), (1, 30))]


@behaviours("A10: a long vector within a matrix is indented")
def _(F):
    return repr(F.arange(60).reshape(2, 30) * 1000)


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


@behaviours("A10: a note that just fits stays on the line")
def _(F):
    x, texts = F.ones(2, requires_grad=True), []
    for linewidth in range(30, 50):
        printing(F).set_printoptions(linewidth=linewidth)
        texts += [repr(x), repr(x * 2)]
    return texts


@behaviours("A10: notes that do not fit on one line go to several")
def _(F):
    x = F.ones(12, dtype=F.float64, requires_grad=True)
    printing(F).set_printoptions(linewidth=40)
    return repr(x * 2)


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


@behaviours("A10: a tensor without dimensions takes the format of its number")
def _(F):
    return f"{F.tensor(2.5):.3f} {F.tensor(7):04d} {F.tensor(0.25):>8} {F.tensor(1234.5):,.1f} {F.tensor(1e-9):e}"


@behaviours("A10: a tensor without dimensions in a text is its number")
def _(F):
    return f"{F.tensor(2.5)} {F.tensor(True)} {F.tensor(1.5, requires_grad=True)} {F.tensor(0.1)}"


@behaviours("A10: a tensor with dimensions in a text is its repr")
def _(F):
    return f"{F.tensor([2.5])} {F.ones(2, requires_grad=True) * 2}"


@behaviours(
    "A10: a tensor with dimensions takes no format", error=TypeError, says="unsupported format string passed to Tensor"
)
def _(F):
    return f"{F.tensor([2.5]):.2f}"


# ---------------------------------------------------------------- options


@behaviours("set_printoptions: the options to begin with")
def _(F):
    return printing(F).get_printoptions()


@behaviours("set_printoptions: precision is the number of digits after the point")
def _(F):
    x = F.tensor([1.23456789, 20.5])
    texts = []
    for precision in (0, 1, 2, 6, 10):
        printing(F).set_printoptions(precision=precision)
        texts += [repr(x), repr(x * 1e9), repr(F.tensor([1.0, 2.0])), repr(F.tensor([1, 2]))]
    return texts


@behaviours("set_printoptions: threshold is the number of elements that are still shown")
def _(F):
    printing(F).set_printoptions(threshold=10)
    return repr(F.arange(10)), repr(F.arange(11)), repr(F.arange(12.0).reshape(3, 4)), repr(F.ones(7, 8))


@behaviours("set_printoptions: with threshold 0 everything long is summarized, one number is not")
def _(F):
    printing(F).set_printoptions(threshold=0)
    return repr(F.tensor(2.5)), repr(F.arange(6)), repr(F.arange(7)), repr(F.zeros(0))


@behaviours("set_printoptions: edgeitems is the number of elements at each end")
def _(F):
    texts = []
    for edgeitems in (1, 2, 5):
        printing(F).set_printoptions(threshold=5, edgeitems=edgeitems)
        texts += [repr(F.arange(8)), repr(F.arange(12.0)), repr(F.arange(48).reshape(6, 8))]
    return texts


@behaviours("set_printoptions: without edgeitems a summary is dots, and the size is told")
def _(F):
    printing(F).set_printoptions(threshold=5, edgeitems=0)
    return [repr(x) for x in (F.arange(9), F.ones(3, 4), F.ones(2, 3, 4), F.arange(3), F.tensor(1.5), F.zeros(0))]


@behaviours("set_printoptions: linewidth is the number of characters in a line")
def _(F):
    texts = []
    for linewidth in (5, 20, 40, 200):
        printing(F).set_printoptions(linewidth=linewidth)
        texts += [repr(F.arange(30)), repr(F.arange(20.0).reshape(2, 10) + 0.5), repr(F.ones(3, requires_grad=True))]
    return texts


@behaviours("set_printoptions: sci_mode=True writes powers of ten always")
def _(F):
    printing(F).set_printoptions(sci_mode=True)
    return [
        repr(F.tensor(numbers)) for numbers in ([1.0, 2.0], [0.5, NAN, -INF], 2.5, [0.0], [1, 2], [NAN], [1.5, 0.0])
    ]


@behaviours("set_printoptions: sci_mode=False never writes powers of ten")
def _(F):
    printing(F).set_printoptions(sci_mode=False)
    return [repr(F.tensor(numbers)) for numbers in ([1e-9, 1.0], [1e20, 1.0], 1e-9, [1e10, 0.5, NAN], [3e38])]


@behaviours("set_printoptions: sci_mode goes back to its own choice when it is not given")
def _(F):
    printing(F).set_printoptions(sci_mode=True)
    printing(F).set_printoptions(precision=2)
    return printing(F).get_printoptions(), repr(F.tensor([1.0, 2.5]))


@behaviours("set_printoptions: the other options stay as they are when they are not given")
def _(F):
    printing(F).set_printoptions(precision=2, threshold=20, edgeitems=1, linewidth=50)
    printing(F).set_printoptions()
    return printing(F).get_printoptions()


@behaviours("set_printoptions: the profile 'short' shows less")
def _(F):
    printing(F).set_printoptions(profile="short")
    return printing(F).get_printoptions(), repr(F.arange(2000.0) / 7)


@behaviours("set_printoptions: the profile 'full' shows all")
def _(F):
    printing(F).set_printoptions(profile="full")
    return printing(F).get_printoptions(), repr(F.arange(1500))


@behaviours("set_printoptions: the profile 'default' undoes every change")
def _(F):
    printing(F).set_printoptions(1, 2, 3, 4, sci_mode=True)
    printing(F).set_printoptions(profile="default")
    return printing(F).get_printoptions()


@behaviours("set_printoptions: arguments refine the profile")
def _(F):
    printing(F).set_printoptions(profile="full", precision=1, edgeitems=7)
    return printing(F).get_printoptions()


@behaviours("set_printoptions: a profile that does not exist changes nothing")
def _(F):
    printing(F).set_printoptions(precision=2)
    printing(F).set_printoptions(profile="long")
    return printing(F).get_printoptions()


@behaviours("set_printoptions: the arguments have an order")
def _(F):
    printing(F).set_printoptions(1, 20, 3, 40, None, True)
    return printing(F).get_printoptions()


@behaviours(
    "set_printoptions: an option that does not exist is refused",
    error=TypeError,
    says="set_printoptions() got an unexpected keyword argument 'digits'",
)
def _(F):
    printing(F).set_printoptions(digits=2)


@behaviours("get_printoptions: what it gives can be handed to set_printoptions")
def _(F):
    printing(F).set_printoptions(precision=2, threshold=5, edgeitems=1, linewidth=50, sci_mode=True)
    before = printing(F).get_printoptions()
    printing(F).set_printoptions(profile="default")
    printing(F).set_printoptions(**before)
    return before, printing(F).get_printoptions()


@behaviours("get_printoptions: changing what it gives changes nothing")
def _(F):
    printing(F).get_printoptions()["precision"] = 1
    return printing(F).get_printoptions()


@behaviours("printoptions: other options within the block, the same as before after it")
def _(F):
    printing(F).set_printoptions(precision=3, sci_mode=False)
    x = F.tensor([1.23456, 1e-7])
    with printing(F).printoptions(precision=1):
        inside = repr(x), printing(F).get_printoptions()
    return inside, repr(x), printing(F).get_printoptions()


@behaviours("printoptions: blocks nest")
def _(F):
    x, texts = F.tensor([1.23456]), []
    with printing(F).printoptions(precision=1):
        with printing(F).printoptions(profile="full"):
            texts.append(repr(x))
        texts.append(repr(x))
    return [*texts, repr(x)]


@behaviours("printoptions: what is set within the block does not last")
def _(F):
    with printing(F).printoptions(precision=1):
        printing(F).set_printoptions(precision=2, edgeitems=5)
    return printing(F).get_printoptions()


@behaviours("printoptions: an error within the block does not keep the options")
def _(F):
    with pytest.raises(ValueError, match="on purpose"), printing(F).printoptions(precision=1, threshold=3):
        raise ValueError("on purpose")
    return printing(F).get_printoptions()


test_as_in_torch = listed.test()


# ---------------------------------------------------------------- any array, any options

FLOAT_SPECIALS = (0.0, -0.0, 1.0, -2.0, 1e8, 1e-4, 1000.0, NAN, INF, -INF)


def elements(kind: str) -> st.SearchStrategy[Any]:
    if not kind.startswith("float"):
        return arrays.from_dtype(np.dtype(kind))
    size = int(kind.removeprefix("float"))
    alike = st.floats(-1000, 1000, width=size)
    whole = st.integers(-(10**6), 10**6).map(float)
    return st.one_of(st.sampled_from(np.array(FLOAT_SPECIALS, kind).tolist()), alike, whole, st.floats(width=size))


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 12),
        "threshold": st.integers(0, 30),
        "edgeitems": st.integers(0, 4),
        "linewidth": st.integers(1, 120),
        "profile": st.sampled_from(["default", "short", "full"]),
        "sci_mode": st.sampled_from([None, True, False]),
    },
)


@st.composite
def printables(draw: Any) -> np.ndarray:
    kind = draw(st.sampled_from(["bool", "int32", "int64", "float32", "float64"]))
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=9))
    return draw(arrays.arrays(kind, shape, elements=elements(kind)))


def unbroken(text: str) -> str:
    """With the notes behind the numbers on one line, where one of them is a dtype; see the head of this file."""
    return re.sub(r",\n +(?=(size|dtype|requires_grad)=)", ", ", text) if "dtype=" in text else text


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(array=printables(), options=OPTIONS, requires_grad=st.booleans())
def test_any_array_prints_as_in_torch(torch: Any, array: np.ndarray, options: dict[str, Any], requires_grad: bool):
    requires_grad = requires_grad and array.dtype.kind == "f"
    for F in (minigrad, torch):
        printing(F).set_printoptions(profile="default")
        printing(F).set_printoptions(**options)
    theirs = repr(torch.tensor(array, requires_grad=requires_grad)).replace("torch.", "minigrad.")
    assert unbroken(repr(minigrad.tensor(array, requires_grad=requires_grad))) == unbroken(theirs)

"""Tensors made by a rule, of lists and of arrays; dtypes and devices: as in PyTorch, argument by argument."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from helpers.refusals import error_of
from helpers.side_by_side import Behaviours

import minigrad as mg

behaviours = Behaviours()

VALUES = """
F.zeros(2, 3)
F.zeros((2, 3))
F.zeros([2, 3], dtype=F.int64)
F.zeros(())
F.zeros([2])
F.ones(F.ones(2, 3).shape)
F.zeros(size=(2,))
F.zeros(F.tensor(2))
F.zeros(0, 2)
F.zeros(2, device=F.device("cpu"))
F.zeros(2, device="cpu:0")
F.ones(2, dtype=F.bool)
F.ones(2, dtype=float)
F.ones(2, dtype=int)
F.ones(2, requires_grad=True)
F.empty(2, 3).shape
F.full((2,), 3)
F.full((2,), 2.5)
F.full((2,), True)
F.full((2,), F.tensor(3.0))
F.full((2,), F.tensor(3, dtype=F.int32))
F.full((2,), 2.5, dtype=F.int64)
F.full((2,), -1, dtype=F.uint8)
F.full(size=(2,), fill_value=1)
F.full((), 2.0)
F.full((), True)
F.full([1, 2], 3, dtype=F.float64)
F.eye(3)
F.eye(2, 3, dtype=F.bool)
F.eye(0)
F.eye(3, 2, requires_grad=True)
F.arange(5)
F.arange(5.0)
F.arange(1, 4)
F.arange(start=1, end=4)
F.arange(end=4)
F.arange(5, 1, -2)
F.arange(0, 1, 0.3)
F.arange(0.0, 0.3, 0.1)
F.arange(1, 3.5, 0.5)
F.arange(0, 2.5, dtype=F.int64)
F.arange(3, dtype=F.float64)
F.arange(2, dtype=F.uint8)
F.arange(F.tensor(4))
F.arange(F.tensor(4.0))
F.arange(2**60, 2**60 + 2)
F.arange(3, 3)
F.arange(1, 2, 0.1)
F.arange(3.0, requires_grad=True)
F.arange(0, 100000, 0.1)[-3:]
F.linspace(0, 1, 5)
F.linspace(0, 10, 4, dtype=F.int64)
F.linspace(3, -3, 7, dtype=F.int32)
F.linspace(3, -3, 4)
F.linspace(2, 3, 0)
F.linspace(0, 1, 1)
F.linspace(0, 1, 0)
F.linspace(-1, 2, 101)
F.linspace(F.tensor(0.0), F.tensor(1.0), 3)
F.linspace(0, 1, steps=3, dtype=F.float64, requires_grad=True)
F.zeros_like(F.ones(2, 3).t()).stride()
F.empty_like(F.ones(2, 3, 4).permute(2, 0, 1)).stride()
F.empty_like(F.ones(4, 6)[::2, ::2].t()).stride()
F.ones_like(F.ones(3).expand(2, 3)).stride()
F.zeros_like(F.ones(2), dtype=F.int64)
F.zeros_like(F.ones(2, dtype=F.int32))
F.ones_like(F.tensor(2.0))
F.ones_like(F.ones(2, requires_grad=True))
F.full_like(F.ones(2, dtype=F.int64), 2.7)
F.full_like(F.ones(2), True)
F.full_like(F.ones(2), F.tensor(4))
F.full_like(F.ones(2), 3, dtype=F.int64)
F.tensor([F.tensor(1.0), 2])
F.tensor([[F.tensor(1), F.tensor(2)], [3, 4]])
F.tensor([F.ones(1), F.ones(1)])
F.tensor([1, 2.5])
F.tensor(1)
F.tensor([1.0, 2])
F.tensor([True, 2.0])
F.tensor([[1, 2], [3, 4]])
F.tensor(((1, 2), (3, 4)))
F.tensor([1.7, -1.7], dtype=F.int64)
F.tensor([0, 2], dtype=F.bool)
F.tensor([1], dtype=float)
F.tensor(np.arange(3))
F.tensor(np.float32(2))
F.tensor(np.ones((2, 1), "float64"))
F.tensor([np.float64(1.5), 2])
F.tensor([True, 2])
F.tensor([], dtype=F.int64)
F.tensor([[], []])
F.tensor(-1, dtype=F.uint8)
F.tensor(-255, dtype=F.uint8)
F.tensor(1.5, dtype=F.int64)
F.tensor([1, 2], device="cpu")
F.tensor(range(3))
F.tensor(np.array([1, 2], dtype=np.uint8))
F.tensor([np.uint8(1)])
F.tensor([np.float16(1)])
F.tensor([np.float32(1), 2])
F.tensor([np.float64(1)])
F.from_numpy(np.array([1, 2], dtype=np.float16))
F.from_numpy(np.array([1, 2], dtype=np.int16))
F.as_tensor([1, 2], dtype=F.float64, device="cpu")
F.uint8.itemsize, F.float16.is_floating_point, F.half is F.float16, F.short is F.int16
str(F.device("cpu"))
repr(F.device("cpu"))
repr(F.device(F.device("cpu")))
F.device(type="cpu").type, F.device("cpu").index
F.device("cpu") == F.device("cpu")
F.device("cpu") == "cpu"
len({F.device("cpu"), F.device("cpu")})
F.ones(2).device == F.device("cpu")
F.ones(2).to("cpu")
F.ones(2).to(F.device("cpu"))
F.ones(2).to(F.device("cpu"), F.float64)
F.ones(2).to(device="cpu", dtype=F.int64)
F.ones(2).to(F.float16)
F.cuda.is_available()
F.zeros(1).to("cuda" if F.cuda.is_available() else "cpu")
F.get_default_dtype()
""".strip().splitlines()

for _expression in VALUES:

    @behaviours(_expression)
    def _(F, expression=_expression):
        return eval(expression, {"F": F, "np": np})


ERRORS: list[tuple[str, type[Exception], str]] = [
    ("F.zeros()", TypeError, 'zeros() missing 1 required positional arguments: "size"'),
    ("F.zeros(-2)", RuntimeError, "zeros: Dimension size must be non-negative"),
    ("F.ones(-2)", RuntimeError, "Trying to create tensor with negative dimension -2: [-2]"),
    ("F.zeros('a')", TypeError, "zeros(): argument 'size' (position 1) must be tuple of ints, not str"),
    ("F.zeros(1.5)", TypeError, "zeros(): argument 'size' (position 1) must be tuple of ints, not float"),
    ("F.zeros(2, foo=3)", TypeError, "zeros() got an unexpected keyword argument 'foo'"),
    ("F.zeros(2, device='cuda')", AssertionError, "Torch not compiled with CUDA enabled"),
    ("F.ones(2, dtype=F.int64, requires_grad=True)", RuntimeError, "Only Tensors of floating point and complex dtype"),
    ("F.full(2, 3)", TypeError, "full(): argument 'size' (position 1) must be tuple of ints, not int"),
    ("F.full((2,), F.ones(2))", TypeError, "full(): argument 'fill_value' (position 2) must be Number, not Tensor"),
    ("F.full((2,), 'a')", TypeError, "full(): argument 'fill_value' (position 2) must be Number, not str"),
    ("F.full((2,), None)", TypeError, "full(): argument 'fill_value' (position 2) must be Number, not NoneType"),
    ("F.full((2,), 300, dtype=F.uint8)", RuntimeError, "value cannot be converted to type uint8_t without overflow"),
    ("F.zeros_like(3)", TypeError, "zeros_like(): argument 'input' (position 1) must be Tensor, not int"),
    ("F.eye(-1)", RuntimeError, "n must be greater or equal to 0, got -1"),
    ("F.eye(2.5)", TypeError, "eye(): argument 'n' (position 1) must be int, not float"),
    ("F.arange(1, 0)", RuntimeError, "upper bound and lower bound inconsistent with step sign"),
    ("F.arange(0, 5, 0)", RuntimeError, "step must be nonzero"),
    ("F.arange(0., float('inf'))", RuntimeError, "unsupported range: 0 -> inf"),
    ("F.arange('a')", TypeError, "arange(): argument 'end' (position 1) must be Number, not str"),
    ("F.arange(3, dtype=F.bool)", NotImplementedError, "\"arange_cpu\" not implemented for 'Bool'"),
    ("F.linspace(0, 1, -1)", RuntimeError, "number of steps must be non-negative"),
    ("F.linspace(F.tensor([0.]), 1, 3)", RuntimeError, "linspace only supports 0-dimensional start and end tensors"),
    ("F.linspace(0, 1, 2.5)", TypeError, "linspace() received an invalid combination of arguments - got (int, int, f"),
    ("F.tensor([F.ones(2), F.ones(2)])", ValueError, "only one element tensors can be converted to Python scalars"),
    ("F.tensor(300, dtype=F.uint8)", RuntimeError, "value cannot be converted to type uint8 without overflow"),
    ("F.tensor([1, 2**63])", ValueError, "Overflow when unpacking long long"),
    ("F.tensor('a')", TypeError, "new(): invalid data type 'str'"),
    ("F.tensor([1, 'a'])", TypeError, "new(): invalid data type 'str'"),
    ("F.tensor(['cat', 'dog'])", ValueError, "too many dimensions 'str'"),
    ("F.tensor([['a', 1]])", ValueError, "too many dimensions 'str'"),
    ("F.tensor([[1, 2], [3]])", ValueError, "expected sequence of length 2 at dim 1 (got 1)"),
    ("F.tensor(None)", RuntimeError, "Could not infer dtype of NoneType"),
    ("F.tensor([None])", RuntimeError, "Could not infer dtype of NoneType"),
    ("F.tensor([1.0], dtype='float32')", TypeError, "tensor(): argument 'dtype' must be torch.dtype, not str"),
    ("F.tensor({1})", RuntimeError, "Could not infer dtype of set"),
    ("F.tensor([1, 2], device='cuda')", AssertionError, "Torch not compiled with CUDA enabled"),
    ("F.from_numpy(np.array(['a']))", TypeError, "can't convert np.ndarray of type numpy.str_. The only supported typ"),
    ("F.set_default_dtype(F.int64)", TypeError, "only floating-point types are supported as the default type"),
    ("F.set_default_dtype(3)", TypeError, "invalid dtype object: only floating-point types are supported as the def"),
    ("F.ones(2).to('cuda')", AssertionError, "Torch not compiled with CUDA enabled"),
    ("F.ones(2).to(F.device('cuda'))", AssertionError, "Torch not compiled with CUDA enabled"),
]
for _expression, _error, _says in ERRORS:

    @behaviours(f"error: {_expression}", error=_error, says=_says)
    def _(F, expression=_expression):
        eval(expression, {"F": F, "np": np})


@behaviours(
    "a list among numbers is of a wrong type, as a number among lists is; a list of another length a wrong value"
)
def _(F):
    return [error_of(functools.partial(F.tensor, data)) for data in ([1, [2]], [[1, 2], 3], [[1, 2], [3]])]


@behaviours("the default dtype is what Python's floats become")
def _(F):
    before = F.get_default_dtype()
    F.set_default_dtype(F.float64)
    try:
        made = [
            F.tensor(1.5), F.tensor([1.5, 2]), F.zeros(2), F.arange(2.0), F.linspace(0, 1, 2), F.full((1,), 2.5),
            F.eye(1), F.tensor([1]) + 1.5, F.Tensor([1]), F.tensor([]),
            F.tensor(1) * 2.5, F.tensor([1]).exp(), F.tensor([1]) / 2,
        ]  # fmt: skip
        return [str(x.dtype) for x in made], [repr(F.ones(1)), repr(F.ones(1, dtype=F.float32))]
    finally:
        F.set_default_dtype(before)


@behaviours("from_numpy shares memory with an array of bytes")
def _(F):
    array = np.zeros(3, np.uint8)
    x = F.from_numpy(array)
    array[0] = 7
    return x


SMALL = ("uint8", "int8", "int16", "float16")
ARITHMETIC = {
    "add": lambda F, x, y: x + y,
    "mul": lambda F, x, y: x * y,
    "div": lambda F, x, y: x / y,
    "number": lambda F, x, y: x * 2,
    "fraction": lambda F, x, y: x * 2.5,
    "sum": lambda F, x, y: x.sum(),
    "max": lambda F, x, y: x.max(),
    "compare": lambda F, x, y: x > y,
    "index": lambda F, x, y: x[1:] + x[0],
    "convert": lambda F, x, y: (x.float() / 255, x.long(), x.to(F.int32)),
    "print": lambda F, x, y: repr(x),
    "add_": lambda F, x, y: x.add_(y),
    "wraps": lambda F, x, y: x + F.full((), 200, dtype=x.dtype) if x.dtype is F.uint8 else x,
    "cat": lambda F, x, y: F.cat([x, x]),
    "list": lambda F, x, y: x.tolist(),
}
for _kind in SMALL:
    for _what, _compute in ARITHMETIC.items():

        @behaviours(f"{_kind}: {_what}")
        def _(F, kind=getattr, name=_kind, compute=_compute):
            return compute(F, F.tensor([100, 2, 3], dtype=kind(F, name)), F.tensor([1, 2, 4], dtype=kind(F, name)))


for _first in ("bool", *SMALL, "int32", "int64", "float32", "float64"):
    for _second in SMALL:

        @behaviours(f"{_first} and {_second} meet")
        def _(F, first=_first, second=_second):
            x, y = F.ones(2, dtype=getattr(F, first)), F.ones(2, dtype=getattr(F, second))
            return [str(value.dtype) for value in (x + y, x + y[0], x[0] + y, F.ones(1) * y)]


@behaviours("sums and multiples of shapes are shapes")
def _(F: Any) -> Any:
    shape = F.ones(2, 3).shape
    return [(1,) + shape, shape + (1,), shape + shape, shape * 2, 2 * shape, shape * 0]


@behaviours("shapes are no lists", error=TypeError, says='can only concatenate list (not "')
def _(F: Any) -> Any:
    return [1] + F.ones(2).shape


test_as_in_torch = behaviours.test()


@pytest.mark.parametrize("expression", ["mg.tensor(1j)", "mg.tensor([1, 2j])", "mg.zeros(2, dtype=complex)"])
def test_complex_numbers_are_refused_clearly(expression: str) -> None:
    with pytest.raises(TypeError, match="complex"):
        eval(expression, {"mg": mg})


@pytest.mark.parametrize("name", ["meta", "mps", "xpu", "cpu:1"])
def test_other_devices_are_refused_clearly(name: str) -> None:
    with pytest.raises(RuntimeError, match="on the CPU only"):
        mg.zeros(2, device=name)


@pytest.mark.parametrize("value", [mg.device("cpu"), mg.uint8])
def test_names_can_be_pickled(value: Any) -> None:
    import pickle

    again = pickle.loads(pickle.dumps(value))
    assert again == value
    assert type(again) is type(value)

"""The same words as PyTorch: errors, how tensors print, dtypes of results, and what creation functions make.

Each expression is evaluated with `F` as minigrad and as torch. Ours may say more after PyTorch's words, never less.
"""

from __future__ import annotations

import itertools
import math  # noqa: F401 (one of the expressions below)
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg


def ours(text: str) -> str:
    """What we say where PyTorch says `text`."""
    return text.replace("torch.", "minigrad.")


def outcome(F: Any, expression: str | Callable[..., Any]) -> Any:
    """What an expression gives, or the error that it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return eval(expression, globals() | {"F": F}) if isinstance(expression, str) else expression(F)
    except Exception as error:
        return error


# ---------------------------------------------------------------- errors


def twice(F: Any) -> None:
    y = F.ones(2, requires_grad=True).exp().sum()
    y.backward()
    y.backward()


def overwritten(F: Any) -> None:
    y = F.ones(2, requires_grad=True).exp()
    y.add_(1)
    y.sum().backward()


def unused(F: Any) -> None:
    x, y = F.ones(2, requires_grad=True), F.ones(2, requires_grad=True)
    F.autograd.grad(x.sum(), y)


# expression, type of the error, how PyTorch's message begins
ERRORS: list[tuple[str, type[Exception], str]] = [
    ("F.tensor([[1, 2], [3]])", ValueError, "expected sequence of length 2 at dim 1 (got 1)"),
    ("F.tensor([1, 'a'])", TypeError, "new(): invalid data type 'str'"),
    ("F.tensor('a')", TypeError, "new(): invalid data type 'str'"),
    ("F.tensor(None)", RuntimeError, "Could not infer dtype of NoneType"),
    ("F.tensor([None])", RuntimeError, "Could not infer dtype of NoneType"),
    ("F.tensor([1.0], dtype='float32')", TypeError, "tensor(): argument 'dtype' must be torch.dtype, not str"),
    (
        "F.tensor([1], requires_grad=True)",
        RuntimeError,
        "Only Tensors of floating point and complex dtype can require gradients",
    ),
    ("F.zeros(2, -1)", RuntimeError, "zeros: Dimension size must be non-negative"),
    ("F.ones(-1)", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
    ("F.rand(-2)", RuntimeError, "Trying to create tensor with negative dimension -2: [-2]"),
    ("F.zeros('a')", TypeError, "zeros(): argument 'size' (position 1) must be tuple of ints, not str"),
    ("F.zeros(1.5)", TypeError, "zeros(): argument 'size' (position 1) must be tuple of ints, not float"),
    ("F.full((2,), 'a')", TypeError, "full(): argument 'fill_value' (position 2) must be Number, not str"),
    ("F.full((2,), None)", TypeError, "full(): argument 'fill_value' (position 2) must be Number, not NoneType"),
    ("F.arange(0, 3, 0)", RuntimeError, "step must be nonzero"),
    ("F.arange(3, 0)", RuntimeError, "upper bound and lower bound inconsistent with step sign"),
    ("F.eye(-1)", RuntimeError, "n must be greater or equal to 0, got -1"),
    ("F.linspace(0, 1, -1)", RuntimeError, "number of steps must be non-negative"),
    ("F.zeros_like(3)", TypeError, "zeros_like(): argument 'input' (position 1) must be Tensor, not int"),
    (
        "F.ones(2, 3) + F.ones(4)",
        RuntimeError,
        "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
    ),
    (
        "F.ones(2, 3) * F.ones(2, 4)",
        RuntimeError,
        "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
    ),
    ("F.ones(3) + 'a'", TypeError, "unsupported operand type(s) for +: 'Tensor' and 'str'"),
    ("F.ones(3) + None", TypeError, "unsupported operand type(s) for +: 'Tensor' and 'NoneType'"),
    ("F.ones(3) + [1, 2, 3]", TypeError, "unsupported operand type(s) for +: 'Tensor' and 'list'"),
    ("F.exp(3)", TypeError, "exp(): argument 'input' (position 1) must be Tensor, not int"),
    ("F.exp('a')", TypeError, "exp(): argument 'input' (position 1) must be Tensor, not str"),
    ("F.sin([1.0])", TypeError, "sin(): argument 'input' (position 1) must be Tensor, not list"),
    ("F.sum(3)", TypeError, "sum(): argument 'input' (position 1) must be Tensor, not int"),
    ("F.matmul(F.ones(2, 3), 3)", TypeError, "matmul(): argument 'other' (position 2) must be Tensor, not int"),
    ("F.ones(2, 3) @ F.ones(2, 3)", RuntimeError, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    ("F.ones(2, 3) @ F.ones(2)", RuntimeError, "size mismatch, got input (2), mat (2x3), vec (2)"),
    (
        "F.ones(3) @ F.ones(2)",
        RuntimeError,
        "inconsistent tensor size, expected tensor [3] and src [2] to have the same number of elements",
    ),
    ("F.ones(3) @ F.ones(2, 2)", RuntimeError, "mat1 and mat2 shapes cannot be multiplied (1x3 and 2x2)"),
    ("F.ones(()) @ F.ones(2)", RuntimeError, "both arguments to matmul need to be at least 1D, but they are 0D and 1D"),
    (
        "F.ones(2, 2, 3) @ F.ones(3, 3, 4)",
        RuntimeError,
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    ),
    (
        "F.ones(2, 3) @ F.ones(3, 2, dtype=F.float64)",
        RuntimeError,
        "expected m1 and m2 to have the same dtype, but got: float",
    ),
    ("F.ones(2, 3).long() @ F.ones(3, 2)", RuntimeError, "expected m1 and m2 to have the same dtype, but got"),
    ("F.ones(2, 3).view(4)", RuntimeError, "shape '[4]' is invalid for input of size 6"),
    ("F.ones(2, 3).view(-1, -1)", RuntimeError, "only one dimension can be inferred"),
    ("F.ones(2, 3).view(-1, 4)", RuntimeError, "shape '[-1, 4]' is invalid for input of size 6"),
    ("F.ones(2, 3).view(-2, 3)", RuntimeError, "invalid shape dimension -2 at index 0 of shape [-2, 3]"),
    (
        "F.ones(2, 3).t().view(6)",
        RuntimeError,
        "view size is not compatible with input tensor's size and stride (at least one dimension spans",
    ),
    ("F.ones(2, 3).reshape(5)", RuntimeError, "shape '[5]' is invalid for input of size 6"),
    (
        "F.ones(2, 3).transpose(0, 2)",
        IndexError,
        "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
    ),
    (
        "F.ones(2, 3).permute(0)",
        RuntimeError,
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the",
    ),
    ("F.ones(2, 3).permute(0, 0)", RuntimeError, "permute(): duplicate dims are not allowed"),
    (
        "F.ones(2, 3).permute(0, 2)",
        IndexError,
        "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
    ),
    ("F.ones(1, 2, 3).t()", RuntimeError, "t() expects a tensor with <= 2 dimensions, but self is 3D"),
    (
        "F.ones(2, 3).expand(3, 3)",
        RuntimeError,
        "The expanded size of the tensor (3) must match the existing size (2) at non-singleton",
    ),
    (
        "F.ones(2, 3).expand(3)",
        RuntimeError,
        "expand(torch.FloatTensor{[2, 3]}, size=[3]): the number of sizes provided (1) must be",
    ),
    (
        "F.ones(2, 3).expand(-1, 2, 3)",
        RuntimeError,
        "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension",
    ),
    ("F.ones(2, 3).squeeze(2)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("F.ones(2, 3).unsqueeze(4)", IndexError, "Dimension out of range (expected to be in range of [-3, 2], but got 4)"),
    (
        "F.ones(2, 3).unsqueeze(-4)",
        IndexError,
        "Dimension out of range (expected to be in range of [-3, 2], but got -4)",
    ),
    ("F.ones(2, 3).sum(5)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 5)"),
    ("F.ones(2, 3).sum(-3)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got -3)"),
    ("F.ones(2, 3).sum((0, 0))", RuntimeError, "dim 0 appears multiple times in the list of dims"),
    ("F.ones(()).sum(1)", IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
    (
        "F.ones(2, 3).long().mean()",
        RuntimeError,
        "mean(): could not infer output dtype. Input dtype must be either a floating point or complex",
    ),
    (
        "F.ones(2).mean(dtype=F.int64)",
        RuntimeError,
        "mean(): could not infer output dtype. Optional dtype must be either a floating point or",
    ),
    (
        "F.ones(0).max()",
        RuntimeError,
        "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction",
    ),
    ("F.ones(0, 3).max(0)", IndexError, "max(): Expected reduction dim 0 to have non-zero size"),
    ("F.ones(0).argmax()", IndexError, "argmax(): Expected reduction dim to be specified for input.numel() == 0"),
    ("F.ones(2).max(1)", IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
    ("F.ones(3)[3]", IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
    ("F.ones(3)[-4]", IndexError, "index -4 is out of bounds for dimension 0 with size 3"),
    ("F.ones(3)[0, 0]", IndexError, "too many indices for tensor of dimension 1"),
    (
        "F.ones(())[0]",
        IndexError,
        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to",
    ),
    (
        "F.ones(3)[1.5]",
        IndexError,
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid",
    ),
    ("F.ones(3)[F.ones(3)]", IndexError, "tensors used as indices must be long, int, byte or bool tensors"),
    ("F.ones(3)[[3]]", IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
    ("F.ones(3)[[0, 1], [0, 1]]", IndexError, "too many indices for tensor of dimension 1"),
    (
        "F.ones(3)[F.tensor([True, False])]",
        IndexError,
        "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3] at",
    ),
    (
        "F.ones(2, 3)[[0, 1], [0, 1, 2]]",
        IndexError,
        "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
    ),
    ("F.ones(3)[::-1]", ValueError, "step must be greater than zero"),
    ("F.ones(3).__setitem__(0, 'a')", TypeError, "can't assign a str to a torch.FloatTensor"),
    (
        "F.ones(3).__setitem__(slice(None), F.ones(2))",
        RuntimeError,
        "The expanded size of the tensor (3) must match the existing size (2) at non-singleton",
    ),
    ("F.ones(3).__setitem__(3, 1.0)", IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
    ("F.stack([])", RuntimeError, "stack expects a non-empty TensorList"),
    ("F.cat([])", ValueError, "torch.cat(): expected a non-empty list of Tensors"),
    ("F.stack(3)", TypeError, "stack(): argument 'tensors' (position 1) must be tuple of Tensors, not int"),
    ("F.stack(F.ones(2))", TypeError, "stack(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor"),
    (
        "F.stack([F.ones(2), F.ones(3)])",
        RuntimeError,
        "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1",
    ),
    ("F.stack([F.ones(2), 3])", TypeError, "expected Tensor as element 1 in argument 0, but got int"),
    ("F.stack([F.ones(2)], 2)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("F.cat([F.ones(2), F.ones(2, 2)])", RuntimeError, "Tensors must have same number of dimensions: got 1 and 2"),
    (
        "F.cat([F.ones(2, 2), F.ones(2, 3)])",
        RuntimeError,
        "Sizes of tensors must match except in dimension 0. Expected size 2 but got size 3 for tensor",
    ),
    ("F.cat([F.ones(())])", RuntimeError, "zero-dimensional tensor (at position 0) cannot be concatenated"),
    ("F.cat([F.ones(2)], 1)", IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
    ("F.cat([F.ones(2), 3])", TypeError, "expected Tensor as element 1 in argument 0, but got int"),
    (
        "F.where(F.ones(2), F.ones(2), F.ones(2))",
        RuntimeError,
        "where expected condition to be a boolean tensor, but got a tensor with dtype",
    ),
    (
        "F.where(F.ones(2) > 0, F.ones(3), F.ones(2))",
        RuntimeError,
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    ),
    ("F.ones(2).long() ** (-1)", RuntimeError, "Integers to negative integer powers are not allowed"),
    (
        "F.tensor([True]) - F.tensor([True])",
        RuntimeError,
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or",
    ),
    (
        "-F.tensor([True])",
        RuntimeError,
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a",
    ),
    (
        "True - F.tensor([True])",
        RuntimeError,
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or",
    ),
    ("~F.ones(2)", TypeError, "~ (operator.invert) is only implemented on integer and Boolean-type tensors"),
    ("bool(F.ones(2))", RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
    ("bool(F.ones(0))", RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
    ("float(F.ones(2))", ValueError, "only one element tensors can be converted to Python scalars"),
    ("int(F.ones(2))", ValueError, "only one element tensors can be converted to Python scalars"),
    ("F.ones(2).item()", RuntimeError, "a Tensor with 2 elements cannot be converted to Scalar"),
    ("len(F.ones(()))", TypeError, "len() of a 0-d tensor"),
    ("list(F.ones(()))", TypeError, "iteration over a 0-d tensor"),
    ("[1][F.ones(())]", TypeError, "only integer tensors of a single element can be converted to an index"),
    ("range(F.ones(2).long())", TypeError, "only integer tensors of a single element can be converted to an index"),
    ("F.ones(2).size(2)", IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 2)"),
    ("F.ones(2).long().requires_grad_()", RuntimeError, "only Tensors of floating point dtype can require gradients"),
    (
        "F.ones(2).requires_grad_(1)",
        TypeError,
        "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not int",
    ),
    (
        "F.ones(2).add_(F.ones(3))",
        RuntimeError,
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    ),
    ("F.ones(1).add_(F.ones(3))", RuntimeError, "output with shape [1] doesn't match the broadcast shape [3]"),
    ("F.ones(2).long().add_(1.5)", RuntimeError, "result type Float can't be cast to the desired output type Long"),
    (
        "F.ones(2).long().mul_(F.ones(2))",
        RuntimeError,
        "result type Float can't be cast to the desired output type Long",
    ),
    (
        "F.ones(2).fill_(F.ones(2))",
        RuntimeError,
        "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions",
    ),
    (
        "F.ones(2).copy_(F.ones(3))",
        RuntimeError,
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    ),
    (
        "F.zeros(1).expand(3).add_(1)",
        RuntimeError,
        "unsupported operation: more than one element of the written-to tensor refers to a single",
    ),
    (
        "F.zeros(1).expand(3).mul_(F.ones(3))",
        RuntimeError,
        "unsupported operation: more than one element of the written-to tensor refers to a single",
    ),
    (
        "F.ones(2, requires_grad=True).numpy()",
        RuntimeError,
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead",
    ),
    ("F.ones(2).backward()", RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn"),
    (
        "(F.ones(2, requires_grad=True) * 1).backward()",
        RuntimeError,
        "grad can be implicitly created only for scalar outputs",
    ),
    (
        "F.autograd.grad(F.ones(1, requires_grad=True), [])",
        RuntimeError,
        "`inputs` argument to `grad()` cannot be empty",
    ),
    (
        "F.autograd.grad(F.ones(1, requires_grad=True), F.ones(1))",
        RuntimeError,
        "One of the differentiated Tensors does not require grad",
    ),
    ("F.ones(2, requires_grad=True).exp().grad_fn()", TypeError, "expected 1 arguments, got 0 instead"),
    ("F.set_grad_enabled('a')", TypeError, "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not str"),
    ("F.abs(None)", TypeError, "abs(): argument 'input' (position 1) must be Tensor, not NoneType"),
    (
        "F.ones(2).pow(F.ones(3))",
        RuntimeError,
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    ),
    ("F.ones(2, 3).flatten(3)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 3)"),
    (
        "F.ones(2, requires_grad=True).add_(1)",
        RuntimeError,
        "a leaf Variable that requires grad is being used in an in-place",
    ),
    (
        "F.ones(2, requires_grad=True)[:1].add_(1)",
        RuntimeError,
        "a view of a leaf Variable that requires grad is being used",
    ),
    (
        "(F.ones(2, requires_grad=True) * 1).requires_grad_(False)",
        RuntimeError,
        "you can only change requires_grad flags of leaf",
    ),
    ("F.ones(2).retain_grad()", RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"),
    ("setattr(F.ones(2), 'grad', 3)", TypeError, "assigned grad expected to be a Tensor or None but got grad of type"),
    (
        "setattr(F.ones(2), 'grad', F.ones(3))",
        RuntimeError,
        "attempting to assign a gradient of size '[3]' to a tensor of size",
    ),
    ("setattr(F.ones(2), 'grad', F.ones(2).double())", RuntimeError, "attempting to assign a gradient with dtype"),
    (
        "F.ones(2, requires_grad=True).mul(2).backward(F.ones(3))",
        RuntimeError,
        "Mismatch in shape: grad_output[0] has a shape of",
    ),
    ("F.autograd.backward([F.ones(1), F.ones(1)], [F.ones(1)])", RuntimeError, "got 2 tensors and 1 gradients"),
    (
        "F.ones(1, requires_grad=True).backward(inputs=[])",
        RuntimeError,
        "`inputs` argument to `backward()` cannot be empty",
    ),
    (
        "twice(F)",
        RuntimeError,
        "Trying to backward through the graph a second time (or directly access saved tensors after they have",
    ),
    (
        "overwritten(F)",
        RuntimeError,
        "one of the variables needed for gradient computation has been modified by an inplace operation:",
    ),
    (
        "unused(F)",
        RuntimeError,
        "The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused",
    ),
]


@pytest.mark.parametrize(("expression", "kind", "beginning"), ERRORS, ids=[row[0] for row in ERRORS])
def test_errors_are_those_of_torch(
    expression: str, kind: type[Exception], beginning: str, torch: types.ModuleType
) -> None:
    theirs, own = outcome(torch, expression), outcome(mg, expression)
    assert type(theirs) is kind
    assert str(theirs).startswith(beginning), "the table is wrong about PyTorch"
    assert type(own) is kind, own
    assert str(own)[: len(ours(beginning))] == ours(beginning)


# ---------------------------------------------------------------- repr

TENSORS = """
F.tensor(1.5)
F.tensor(3.0)
F.tensor(3)
F.tensor(True)
F.tensor(1e-9)
F.tensor(1e9)
F.tensor(float("nan"))
F.tensor(2.5, dtype=F.float64)
F.tensor(2, dtype=F.int32)
F.tensor([])
F.tensor([], dtype=F.int64)
F.tensor([], dtype=F.bool)
F.tensor([[]])
F.zeros(0, 3)
F.zeros(2, 0, dtype=F.int64)
F.zeros(2, 0, dtype=F.float64)
F.tensor([1.0, 2.0, 3.0])
F.tensor([1, 2, 3])
F.tensor([1, -20, 300])
F.tensor([True, False])
F.tensor([1.5, -2.25, 3.125])
F.tensor([0.1, 0.22222222, 100.0])
F.tensor([-0.0, 0.0])
F.tensor([1e-5, 1.0])
F.tensor([1e-5, 2e-5])
F.tensor([1e5, 1.0])
F.tensor([1e5, 1.5])
F.tensor([1e8, 1e-8])
F.tensor([123456789.0])
F.tensor([1e10, 1e10])
F.tensor([0.0, 1e-6])
F.tensor([999.5, 0.5])
F.tensor([1001.0, 1.0])
F.tensor([1e38, 3e38])
F.tensor([float("nan"), 1.0])
F.tensor([float("inf"), -float("inf"), 1.0])
F.tensor([float("inf"), 1.5])
F.tensor([float("nan"), float("nan")])
F.tensor([float("-inf"), 1e-7])
F.tensor([1 / 3, 2 / 3], dtype=F.float64)
F.tensor([1, 2], dtype=F.int32)
F.tensor([10**12, -1])
F.tensor([[1.0, 2.0], [3.0, 4.5]])
F.tensor([[1], [-1]])
F.tensor([[True], [False]])
F.arange(8.0).view(2, 2, 2)
F.arange(24).view(2, 1, 3, 4)
F.arange(30.0)
F.arange(30.0) / 7
F.arange(30)
F.arange(40.0).view(2, 20) / 3
F.arange(1000.0)
F.arange(1001.0)
F.arange(1001)
F.arange(1200.0).view(30, 40)
F.arange(1200).view(2, 3, 200)
F.arange(1200).view(200, 3, 2)
F.zeros(1001, dtype=F.bool)
F.arange(2000.0, dtype=F.float64) / 3
F.eye(3)
F.ones(2, requires_grad=True)
F.ones(2, dtype=F.float64, requires_grad=True)
F.tensor(1.0, requires_grad=True)
F.zeros(0, requires_grad=True)
F.zeros(0, 2, requires_grad=True)
F.ones(2, requires_grad=True) * 2
F.ones(2, requires_grad=True).sum()
F.ones(2, requires_grad=True).double().exp()
F.ones(2, requires_grad=True).detach()
F.ones(2, requires_grad=True)[0]
F.ones(2, 3, requires_grad=True) @ F.ones(3)
F.arange(12.0).requires_grad_() / 7
F.arange(14.0).requires_grad_() / 7
F.arange(13.0, dtype=F.float64).requires_grad_() / 7
F.arange(12.0, dtype=F.float64).view(3, 4).requires_grad_() / 7
F.arange(1200.0).view(30, 40).requires_grad_() * 0.5
F.tensor([[3.0, 1.0]]).max(1)
F.ones(2, 3).shape
F.ones(()).shape
F.float32, F.float64, F.int64, F.int32, F.bool
""".strip().splitlines()


@pytest.mark.parametrize("expression", TENSORS)
def test_tensors_print_as_in_torch(expression: str, torch: types.ModuleType) -> None:
    assert repr(outcome(mg, expression)) == ours(repr(outcome(torch, expression)))


def test_format_and_str(torch: types.ModuleType) -> None:
    for expression in (
        'f"{F.tensor(1.23456):.2f}"',
        'f"{F.ones(2)}"',
        "str(F.ones(2))",
        'f"{F.tensor(3):>5}"',
        'f"{F.tensor(2)}"',
    ):
        assert outcome(mg, expression) == outcome(torch, expression)


# ---------------------------------------------------------------- dtypes

DTYPES = ("bool", "int32", "int64", "float32", "float64")
OPERANDS = [f"F.{maker}, dtype=F.{dtype})" for dtype in DTYPES for maker in ("tensor(1", "tensor([1]")] + [
    "True",
    "2",
    "2.0",
]
OPERATIONS = (
    "a + b",
    "a - b",
    "a * b",
    "a / b",
    "a ** b",
    "a == b",
    "a < b",
    "a >= b",
    "F.where(F.tensor([True]), a, b)",
)


def kind(result: Any) -> str:
    """The dtype of a result and its dimensions, or the type of the error."""
    return f"{type(result).__name__}" if isinstance(result, Exception) else ours(f"{result.dtype} {result.ndim}d")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_dtypes_of_results(operation: str, torch: types.ModuleType) -> None:
    differences = []
    for first, second in itertools.product(OPERANDS, repeat=2):
        if "F." not in first + second:
            continue
        expression = f"(lambda a, b: {operation})({first}, {second})"
        own, theirs = (kind(outcome(F, expression)) for F in (mg, torch))
        if own != theirs:
            differences.append(f"{operation} with a = {first}, b = {second}: {own}, in torch {theirs}")
    assert not differences


@pytest.mark.parametrize(
    "operation", ["a.add_(b)", "a.mul_(b)", "a.sub_(b)", "a.div_(b)", "a.copy_(b)", "a.__setitem__(0, b) or a"]
)
def test_dtypes_of_writes(operation: str, torch: types.ModuleType) -> None:
    differences = []
    for first, second in itertools.product(OPERANDS, repeat=2):
        if "[1]" not in first:
            continue
        expression = f"(lambda a, b: {operation})({first}, {second})"
        own, theirs = (kind(outcome(F, expression)) for F in (mg, torch))
        if own != theirs:
            differences.append(f"{operation} with a = {first}, b = {second}: {own}, in torch {theirs}")
    assert not differences


FUNCTIONS = [
    "exp",
    "log",
    "sqrt",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "relu",
    "abs",
    "sign",
    "neg",
    "reciprocal",
    "square",
]
FUNCTIONS += ["sum", "mean", "max", "clone", "all", "any", "argmax"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_dtypes_of_functions(function: str, torch: types.ModuleType) -> None:
    for dtype in DTYPES:
        expression = f"F.tensor([1, 0, 1], dtype=F.{dtype}).{function}()"
        assert kind(outcome(mg, expression)) == kind(outcome(torch, expression)), expression


# ---------------------------------------------------------------- creation

MADE = """
F.tensor(1)
F.tensor([1.0, 2])
F.tensor([True, 2])
F.tensor([True, 2.0])
F.tensor([[1, 2], [3, 4]])
F.tensor(((1, 2), (3, 4)))
F.tensor([F.tensor(1.0), F.tensor(2.0)])
F.tensor([np.float64(1.5), 2])
F.tensor(np.arange(3))
F.tensor(np.float32(2))
F.tensor(np.ones((2, 1), "float64"))
F.tensor([1.7, -1.7], dtype=F.int64)
F.tensor([0, 2], dtype=F.bool)
F.tensor([1], dtype=float)
F.tensor([[], []])
F.tensor(range(3))
F.zeros(2, 3)
F.zeros((2, 3))
F.zeros([2])
F.zeros(())
F.zeros(0)
F.ones(2, 1, dtype=F.int64)
F.ones(F.ones(2, 3).shape)
F.full((2,), 3)
F.full((2,), 2.5)
F.full((), True)
F.full([1, 2], 3, dtype=F.float64)
F.zeros_like(F.ones(2, dtype=F.int32))
F.ones_like(F.ones(2, 3), dtype=F.float64)
F.eye(3)
F.eye(2, 3)
F.eye(0)
F.arange(5)
F.arange(2, 5)
F.arange(0, 1, 0.25)
F.arange(1, 2, 0.1)
F.arange(5.0)
F.arange(5, 0, -2)
F.arange(3, dtype=F.float32)
F.arange(0)
F.linspace(0, 1, 5)
F.linspace(3, -3, 4)
F.linspace(0, 1, 1)
F.linspace(2, 3, 0)
F.linspace(0, 1, 3, dtype=F.float64)
F.tensor(3.0).item()
F.tensor([[1, 2]]).tolist()
F.ones(2, 3).size()
F.ones(2, 3).size(-1)
F.ones(2, 3).numel()
F.ones(2, 3).dim()
F.ones(2, 3).shape.numel()
len(F.ones(2, 3))
bool(F.tensor([0.0]))
float(F.tensor([[2]]))
int(F.tensor(2.7))
[1, 2, 3][F.tensor(1)]
1.0 in F.ones(3)
5 in F.arange(3)
math.sqrt(F.tensor(4.0))
np.asarray(F.ones(2)).dtype
list(F.arange(3))
F.ones(2) == None
F.ones(2) != "a"
""".strip().splitlines()


@pytest.mark.parametrize("expression", MADE)
def test_what_is_made(expression: str, torch: types.ModuleType) -> None:
    own, theirs = outcome(mg, expression), outcome(torch, expression)
    assert not isinstance(theirs, Exception), "the table is wrong about PyTorch"
    assert repr(own) == ours(repr(theirs))


def test_random_numbers_have_the_right_shape_dtype_and_spread() -> None:
    mg.manual_seed(0)
    uniform, bell = mg.rand(100, 100), mg.randn(100, 100, dtype=mg.float64)
    assert (uniform.shape, uniform.dtype, bell.dtype) == ((100, 100), mg.float32, mg.float64)
    assert 0 <= uniform.numpy().min() < uniform.numpy().max() < 1
    assert abs(uniform.mean().item() - 0.5) < 0.01
    assert abs(bell.mean().item()) < 0.05
    assert abs(bell.numpy().std() - 1) < 0.05
    mg.manual_seed(0)
    np.testing.assert_array_equal(mg.rand(100, 100).numpy(), uniform.numpy())
    assert (mg.rand(100, 100).numpy() != uniform.numpy()).any()


# ---------------------------------------------------------------- names


def test_public_names_exist_in_torch(torch: types.ModuleType) -> None:
    own = {
        name for name, value in vars(mg).items() if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert not {name for name in own if not hasattr(torch, name)}
    methods = {name for name in dir(mg.Tensor) if not name.startswith("_")}
    assert not {name for name in methods if not hasattr(torch.Tensor, name)}
    assert not {name for name in mg.autograd.__all__ if not hasattr(torch.autograd, name)}

"""What is no tensor, given to an operation: the error names the function, the argument and its place (I03)."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.refusals import error_of
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()

COMBINATION = "received an invalid combination of arguments"
REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "exp(3)": (lambda F: F.exp(3), "exp(): argument 'input' (position 1) must be Tensor, not int"),
    "exp('a')": (lambda F: F.exp("a"), "exp(): argument 'input' (position 1) must be Tensor, not str"),
    "sin([1.0])": (lambda F: F.sin([1.0]), "sin(): argument 'input' (position 1) must be Tensor, not list"),
    "abs(None)": (lambda F: F.abs(None), "abs(): argument 'input' (position 1) must be Tensor, not NoneType"),
    "sum(3)": (lambda F: F.sum(3), "sum(): argument 'input' (position 1) must be Tensor, not int"),
    "matmul(matrix, 3)": (
        lambda F: F.matmul(F.ones(2, 3), 3),
        "matmul(): argument 'other' (position 2) must be Tensor, not int",
    ),
    "stack(3)": (lambda F: F.stack(3), "stack(): argument 'tensors' (position 1) must be tuple of Tensors, not int"),
    "stack(tensor)": (
        lambda F: F.stack(F.ones(2)),
        "stack(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor",
    ),
    "stack([tensor, 3])": (
        lambda F: F.stack([F.ones(2), 3]),
        "expected Tensor as element 1 in argument 0, but got int",
    ),
    "cat([tensor, 3])": (lambda F: F.cat([F.ones(2), 3]), "expected Tensor as element 1 in argument 0, but got int"),
    "fill_()": (lambda F: F.ones(2).fill_(), "fill_()"),
    "fill_('a')": (lambda F: F.ones(2).fill_("a"), "fill_() received an invalid combination of arguments - got (str)"),
    "copy_()": (lambda F: F.ones(2).copy_(), "copy_()"),
    "clamp(four numbers)": (lambda F: F.clamp(F.ones(2), 1, 2, 3, 4), "clamp()"),
    "add_()": (lambda F: F.ones(2).add_(), f"add_() {COMBINATION} - got (), but expected (Tensor other, *,"),
    "add_(1, 2, 3)": (
        lambda F: F.ones(2).add_(1, 2, 3),
        f"add_() {COMBINATION} - got (!int!, !int!, !int!), but expected (Tensor other, *, ",
    ),
    "sub_(tensor, tensor)": (
        lambda F: F.ones(2).sub_(F.ones(2), F.ones(2)),
        "sub_() takes 1 positional argument but 2 were given",
    ),
    "mul_(1, 2, 3)": (lambda F: F.ones(2).mul_(1, 2, 3), "mul_() takes 1 positional argument but 3 were given"),
    "mul_()": (lambda F: F.ones(2).mul_(), 'mul_() missing 1 required positional arguments: "other"'),
    "div_(1, 2)": (lambda F: F.ones(2).div_(1, 2), f"div_() {COMBINATION} - got (int, int), but expected one of:"),
    "div_('a')": (lambda F: F.ones(2).div_("a"), "div_(): argument 'other' (position 1) must be Tensor, not str"),
    "pow_(1, 'a')": (lambda F: F.ones(2).pow_(1, "a"), f"pow_() {COMBINATION} - got (int, str), but expected one of:"),
    "floor_divide_('a')": (
        lambda F: F.ones(2).floor_divide_("a"),
        f"floor_divide_() {COMBINATION} - got (str), but expected one of:",
    ),
    "remainder_(None)": (
        lambda F: F.ones(2).remainder_(None),
        f"remainder_() {COMBINATION} - got (NoneType), but expected one of:",
    ),
    "relu_(3)": (lambda F: F.relu_(3), "relu_(): argument 'input' (position 1) must be Tensor, not int"),
    "zero_('a')": (lambda F: F.zero_("a"), "zero_(): argument 'input' (position 1) must be Tensor, not str"),
    "size('a')": (lambda F: F.ones(2).size("a"), "size(): argument 'dim' (position 1) must be int, not str"),
    "size(True)": (lambda F: F.ones(2).size(True), "size(): argument 'dim' (position 1) must be int, not bool"),
    "size(0.0) of no dimensions": (
        lambda F: F.ones(()).size(0.0),
        "size(): argument 'dim' (position 1) must be int, not float",
    ),
    "clamp_(four numbers)": (lambda F: F.ones(2).clamp_(1, 2, 3, 4), "clamp_()"),
    "x.add(a list)": (lambda F: F.ones(2).add([1, 2]), "add(): argument 'other' (position 1) must be Tensor, not list"),
    "x.sub(None)": (lambda F: F.ones(2).sub(None), "sub(): argument 'other' (position 1) must be Tensor, not NoneType"),
    "x.mul(array)": (
        lambda F: F.ones(2).mul(np.ones(2)),
        "mul(): argument 'other' (position 1) must be Tensor, not numpy.ndarray",
    ),
    "x.div('a')": (lambda F: F.ones(2).div("a"), "div(): argument 'other' (position 1) must be Tensor, not str"),
    "mul(tensor, a list)": (
        lambda F: F.mul(F.ones(2), [1, 2]),
        "mul(): argument 'other' (position 2) must be Tensor, not list",
    ),
    "eq(tensor, 'a')": (lambda F: F.eq(F.ones(2), "a"), f"eq() {COMBINATION} - got (Tensor, str)"),
    "x.remainder('a')": (lambda F: F.ones(2).remainder("a"), f"remainder() {COMBINATION} - got (str)"),
    "x.floor_divide('a')": (lambda F: F.ones(2).floor_divide("a"), f"floor_divide() {COMBINATION} - got (str)"),
    "where(c, x, 'a')": (
        lambda F: F.where(F.ones(2) > 0, F.ones(2), "a"),
        f"where() {COMBINATION} - got (Tensor, Tensor",
    ),
    "where(c, 'a', 2)": (lambda F: F.where(F.ones(2) > 0, "a", 2), f"where() {COMBINATION} - got (Tensor, str, int)"),
    "where(c, x)": (lambda F: F.where(F.ones(2) > 0, F.ones(2)), f"where() {COMBINATION}"),
    "x.where(c, 'a')": (lambda F: F.ones(2).where(F.ones(2) > 0, "a"), f"where() {COMBINATION} - got (Tensor, str)"),
    "linear(tensor, a list)": (
        lambda F: F.nn.functional.linear(F.ones(2), [1.0, 2.0]),
        "linear(): argument 'weight' (position 2) must be Tensor, not list",
    ),
    "linear(tensor, tensor, 3)": (
        lambda F: F.nn.functional.linear(F.ones(2), F.ones(2, 2), 3),
        "linear(): argument 'bias' (position 3) must be Tensor, not int",
    ),
}


def refused(text: str, call: Callable[[Any], Any], says: str) -> None:
    @behaviours(f"I03: {text}", error=TypeError, says=says)
    def _(F):
        call(F)


for text, (call, says) in REFUSED.items():
    refused(text, call, says)


# Of the wrong number of arguments PyTorch speaks in three ways, as it has bound the function to Python (`exp()` of a
# tensor "takes no arguments (1 given)", `clone()` "takes 0", and `mul()` misses `"other"`). Here they are Python's own
# words, which count the tensor itself. Its `clamp_` alone names dtypes as C++ does (`signed char`, not `Char`).
OTHER_WORDS: dict[str, tuple[type[Exception], Callable[[Any], Any]]] = {
    "x.exp(1)": (TypeError, lambda F: F.ones(2).exp(1)),
    "x.exp(power=1)": (TypeError, lambda F: F.ones(2).exp(power=1)),
    "x.exp_(1)": (TypeError, lambda F: F.ones(2).exp_(1)),
    "exp()": (TypeError, lambda F: F.exp()),
    "x.clone(1)": (TypeError, lambda F: F.ones(2).clone(1)),
    "x.mul()": (TypeError, lambda F: F.ones(2).mul()),
    "mul(x)": (TypeError, lambda F: F.mul(F.ones(2))),
    "x.mul(1, 2)": (TypeError, lambda F: F.ones(2).mul(1, 2)),
    "x.clamp_(0.5) of int8": (RuntimeError, lambda F: F.ones(2, dtype=F.int8).clamp_(0.5)),
}
for text, (kind, call) in OTHER_WORDS.items():

    @behaviours(f"I03: {text} is refused, in other words")
    def _(F, kind=kind, call=call):
        return error_of(lambda: call(F)), kind.__name__


test_as_in_torch = behaviours.test()


@pytest.mark.filterwarnings("ignore:This overload of")
def test_alpha_before_the_other_operand_which_pytorch_deprecates_is_refused(torch: types.ModuleType) -> None:
    assert torch.ones(2).add_(1, 2).tolist() == [3.0, 3.0]  # 1 * 2 was added
    for method in ("add_", "sub_"):
        with pytest.raises(TypeError, match=rf"^{method}\(\) takes 1 positional argument but 2 were given$"):
            getattr(minigrad.ones(2), method)(1, 2)

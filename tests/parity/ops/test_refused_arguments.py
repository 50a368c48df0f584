"""What is no tensor, given to an operation: the error names the function, the argument and its place (I03)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from side_by_side import Behaviours

behaviours = Behaviours()

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
    "clamp_(four numbers)": (lambda F: F.ones(2).clamp_(1, 2, 3, 4), "clamp_()"),
}


def refused(text: str, call: Callable[[Any], Any], says: str) -> None:
    @behaviours(f"I03: {text}", error=TypeError, says=says)
    def _(F):
        call(F)


for text, (call, says) in REFUSED.items():
    refused(text, call, says)


test_as_in_torch = behaviours.test()

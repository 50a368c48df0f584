"""Which tensors each op saves for backward, seen through pack hooks (G02)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.saved_tensors.packing import noted
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def matrix(F: Any) -> Any:
    return F.tensor([[1.0, 2.0], [4.0, 3.0]], requires_grad=True)


def what_is_saved(title: str, op: Callable[[Any], Any]) -> None:
    """A behaviour: what `op(F)` hands to the pack hook, in order, and how often backward unpacks."""

    def scenario(F: Any) -> Any:
        packed: list[Any] = []
        unpacked: list[Any] = []
        with noted(F, packed, unpacked):
            result = op(F)
        if result.requires_grad:
            result.sum().backward()
        return packed, len(unpacked)

    behaviours(f"G02: {title}")(scenario)


what_is_saved("x + y saves nothing", lambda F: leaf(F) + leaf(F))


what_is_saved("x - y saves nothing", lambda F: leaf(F) - leaf(F))


what_is_saved("1 - x saves nothing", lambda F: 1 - leaf(F))


what_is_saved("-x saves nothing", lambda F: -leaf(F))


what_is_saved("x * y saves both", lambda F: leaf(F) * leaf(F, 3.0, 4.0))


what_is_saved("x * constant saves the constant", lambda F: leaf(F) * F.tensor([5.0, 6.0]))


what_is_saved("constant * x saves the constant", lambda F: F.tensor([5.0, 6.0]) * leaf(F))


what_is_saved("x * 3.0 has nothing to pack", lambda F: leaf(F) * 3.0)


what_is_saved("x / y saves both", lambda F: leaf(F) / leaf(F, 3.0, 4.0))


what_is_saved("x / constant saves the constant", lambda F: leaf(F) / F.tensor([5.0, 6.0]))


what_is_saved("x / 3.0 has nothing to pack", lambda F: leaf(F) / 3.0)


what_is_saved("1 / x saves its result", lambda F: 1 / leaf(F))


what_is_saved("reciprocal saves its result", lambda F: leaf(F).reciprocal())


what_is_saved("x ** 3 saves x", lambda F: leaf(F) ** 3)


what_is_saved("x ** y saves both and the result", lambda F: leaf(F) ** leaf(F, 3.0, 4.0))


what_is_saved("constant ** x saves all three", lambda F: F.tensor([3.0, 4.0]) ** leaf(F))


what_is_saved("2 ** x saves x and the result", lambda F: 2 ** leaf(F))


what_is_saved("exp saves its result", lambda F: leaf(F).exp())


what_is_saved("log saves its input", lambda F: leaf(F).log())


what_is_saved("sqrt saves its result", lambda F: leaf(F).sqrt())


what_is_saved("sin saves its input", lambda F: leaf(F).sin())


what_is_saved("cos saves its input", lambda F: leaf(F).cos())


what_is_saved("tanh saves its result", lambda F: leaf(F).tanh())


what_is_saved("sigmoid saves its result", lambda F: leaf(F).sigmoid())


what_is_saved("relu saves its result", lambda F: leaf(F, -1.0, 2.0).relu())


what_is_saved("abs saves its input", lambda F: leaf(F).abs())


what_is_saved("sign saves nothing", lambda F: leaf(F).sign())


what_is_saved("where saves the condition", lambda F: F.where(F.tensor([True, False]), leaf(F), leaf(F)))


what_is_saved("sum saves nothing", lambda F: matrix(F).sum())


what_is_saved("sum over a dim saves nothing", lambda F: matrix(F).sum(0))


what_is_saved("mean saves nothing", lambda F: matrix(F).mean())


what_is_saved("mean over a dim saves nothing", lambda F: matrix(F).mean(1, keepdim=True))


what_is_saved("max saves input and result", lambda F: matrix(F).max())


what_is_saved("max over a dim saves the indices", lambda F: matrix(F).max(1).values)


what_is_saved("matrix times matrix saves both", lambda F: matrix(F) @ (matrix(F) + 1))


what_is_saved("matrix times a constant matrix saves that", lambda F: matrix(F) @ F.ones(2, 3))


what_is_saved("matrix times vector saves both", lambda F: matrix(F) @ leaf(F))


what_is_saved("vector times vector saves both", lambda F: leaf(F) @ leaf(F, 3.0, 4.0))


what_is_saved("view saves nothing", lambda F: matrix(F).view(4))


what_is_saved("reshape saves nothing", lambda F: matrix(F).reshape(4))


what_is_saved("t saves nothing", lambda F: matrix(F).t())


what_is_saved("transpose saves nothing", lambda F: matrix(F).transpose(0, 1))


what_is_saved("permute saves nothing", lambda F: matrix(F).permute(1, 0))


what_is_saved("squeeze and unsqueeze save nothing", lambda F: matrix(F).unsqueeze(0).squeeze(0))


what_is_saved("flatten saves nothing", lambda F: matrix(F).flatten())


what_is_saved("cat saves nothing", lambda F: F.cat([leaf(F), leaf(F)]))


what_is_saved("stack saves nothing", lambda F: F.stack([leaf(F), leaf(F)]))


what_is_saved("x[0] saves nothing", lambda F: matrix(F)[0])


what_is_saved("a slice saves nothing", lambda F: matrix(F)[:, :1])


what_is_saved("clone saves nothing", lambda F: matrix(F).clone())


what_is_saved("a change of dtype saves nothing", lambda F: matrix(F).double())


what_is_saved("x > y needs no gradient, and saves nothing", lambda F: leaf(F) > leaf(F))


what_is_saved("what needs no gradient saves nothing", lambda F: F.ones(2) * F.ones(2))


what_is_saved("detach() of an input is nothing to save", lambda F: leaf(F).detach().exp())


@behaviours("G02: nothing is saved under no_grad")
def _(F):
    x, packed = leaf(F), []
    with noted(F, packed), F.no_grad():
        x.exp()
    return packed


@behaviours("G02: x * x saves x twice, and both are unpacked")
def _(F):
    x, packed, unpacked = leaf(F), [], []
    with noted(F, packed, unpacked):
        y = x * x
    y.sum().backward()
    return packed, unpacked, x.grad


@behaviours("G02: an in-place op saves as its form out of place does")
def _(F):
    x, packed, unpacked = leaf(F), [], []
    y = x * 2
    with noted(F, packed, unpacked):
        y.mul_(F.tensor([5.0, 6.0]))
        y.exp_()
    y.sum().backward()
    return packed, len(unpacked), x.grad


test_as_in_torch = behaviours.test()

"""`autograd.grad(is_grads_batched=True)`: many gradients in one backward."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from engine.functional.inputs import X, functional, matrix, vector
from helpers.side_by_side import Behaviours

import minigrad
from minigrad.autograd.batching import Batched, NotBatchableError

behaviours = Behaviours()


def graph(F: Any) -> tuple[Any, Any]:
    x = vector(F, requires_grad=True)
    return x, (x * 2).sin()


@behaviours("batched: a Jacobian by one call")
def _(F: Any) -> Any:
    x, y = graph(F)
    return F.autograd.grad(y, x, F.eye(3), is_grads_batched=True)


@behaviours("batched: through a mask without dimensions")
def _(F: Any) -> Any:
    x, y = graph(F)
    return [
        F.autograd.grad(y[mask], x, F.ones(2, int(mask), 3), retain_graph=True, is_grads_batched=True)
        for mask in (F.tensor(True), F.tensor(False), True, False)
    ]


@behaviours("batched: True among the indices, apart from a list, comes first")
def _(F: Any) -> Any:
    x = matrix(F).requires_grad_()
    y = (x * 2)[True, :, [0, 2]]
    return F.autograd.grad(y, x, F.arange(12.0).reshape(3, *y.shape), is_grads_batched=True)


@behaviours("batched: several outputs and inputs, one unused")
def _(F: Any) -> Any:
    x, y = graph(F)
    z, w = vector(F, True), vector(F, True)
    outputs = (y, (x * z).sum())
    weights = (F.eye(3), F.tensor([1.0, 2.0, 3.0]))
    grad = F.autograd.grad
    return [
        grad(outputs, (x, z, w), weights, retain_graph=True, is_grads_batched=True, allow_unused=True),
        grad(outputs, (x, z, w), weights, is_grads_batched=True, materialize_grads=True),
    ]


@behaviours("batched: create_graph")
def _(F: Any) -> Any:
    x, y = graph(F)
    (found,) = F.autograd.grad(y, x, F.eye(3), is_grads_batched=True, create_graph=True)
    return [found, F.autograd.grad(found.sum(), x)]


@behaviours("batched: an output that is the input, or sought on the way")
def _(F: Any) -> Any:
    x, _ = graph(F)
    middle = x * 3
    y = middle.exp()
    return F.autograd.grad((x, y), (x, middle), (F.eye(3), F.eye(3) * 2), is_grads_batched=True)


@behaviours("batched: gradients of another dtype", warns=())
def _(F: Any) -> Any:
    x, y = graph(F)
    return F.autograd.grad(y, x, F.eye(3, dtype=F.float64), is_grads_batched=True)


@behaviours("batched: hooks see and change each gradient")
def _(F: Any) -> Any:
    x, _ = graph(F)
    x.register_hook(lambda g: g * 10)
    y = x * 2
    y.register_hook(lambda g: g + 1)
    return F.autograd.grad(y, x, F.eye(3), is_grads_batched=True)


@behaviours(
    "batched: the graph is freed", error=RuntimeError, says="Trying to backward through the graph a second time"
)
def _(F: Any) -> Any:
    x, y = graph(F)
    for _ in range(2):
        F.autograd.grad(y, x, F.eye(3), is_grads_batched=True)


@behaviours(
    "batched: sizes that do not fit",
    error=RuntimeError,
    says="If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension.",
)
def _(F: Any) -> Any:
    x, y = graph(F)
    F.autograd.grad(y, x, F.ones(2, 4), is_grads_batched=True)


@behaviours(
    "batched: an input that was not used",
    error=RuntimeError,
    says="The differentiated Tensor at index 1 appears to not have been used in the graph.",
)
def _(F: Any) -> Any:
    x, y = graph(F)
    F.autograd.grad(y, (x, vector(F, True)), F.eye(3), is_grads_batched=True)


@behaviours("batched: custom Functions that no gradient reaches")
def _(F: Any) -> Any:
    class Double(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    class First(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, *others: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None, None

    x, _ = graph(F)
    y = x * 3
    return F.autograd.grad(First.apply(y, Double.apply(x), Double.apply(x)), x, F.eye(3), is_grads_batched=True)


test_as_in_torch = behaviours.test()


test_as_in_torch = behaviours.test()


def test_hooks_see_one_gradient_after_the_other() -> None:
    """In PyTorch they are called once, with a tensor of a kind of its own that stands for all."""
    x = minigrad.tensor(X, requires_grad=True)
    seen: list[Any] = []
    x.register_hook(lambda g: seen.append(g.tolist()))
    y = x * 2
    minigrad.autograd.grad(y, x, minigrad.eye(3), is_grads_batched=True)
    assert seen == [[2, 0, 0], [0, 2, 0], [0, 0, 2]]


def test_one_pass_takes_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    node = type(minigrad.ones(2, requires_grad=True).exp().grad_fn)
    functional(minigrad).jacobian(lambda x: x.exp(), minigrad.ones(2))  # at its first use a class writes its methods
    original, shapes = node.apply_batched, []

    def noted(self: Any, g: Any) -> Any:
        shapes.append(g.array.shape)
        return original(self, g)

    monkeypatch.setattr(node, "apply_batched", noted)
    functional(minigrad).jacobian(lambda x: x.exp(), minigrad.ones(70), vectorize=True)
    assert shapes == [(70, 70)]
    functional(minigrad).jacobian(lambda x: x.exp(), minigrad.ones(70))
    assert shapes[1:] == [(32, 70), (32, 70), (6, 70)]


NO_BATCHES = {
    "None": lambda y: (y.sum(), None),
    "of no dimension": lambda y: (y.sum(), minigrad.tensor(1.0)),
    "of another shape": lambda y: (y, minigrad.ones(2, 4)),
    "empty": lambda y: (y, minigrad.ones(0, 3)),
    "of different sizes": lambda y: ((y, y * 2), (minigrad.eye(3), minigrad.ones(2, 3))),
}


@pytest.mark.parametrize("what", NO_BATCHES)
def test_what_is_no_batch_is_refused(what: str) -> None:
    """By one error: PyTorch has one of its own for each, most of which name vmap."""
    x, y = graph(minigrad)
    outputs, given = NO_BATCHES[what](y)
    with pytest.raises(RuntimeError, match=r"^If `is_grads_batched=True`, we interpret the first dimension"):
        minigrad.autograd.grad(outputs, x, given, is_grads_batched=True)


def test_anomaly_mode_goes_row_by_row() -> None:
    x = minigrad.tensor([0.0, 1.0], requires_grad=True)
    minigrad.autograd.set_detect_anomaly(True)
    try:
        y = x.sqrt()
        with (
            np.errstate(all="ignore"),  # pytest.warns lets numpy's warnings through
            pytest.warns(UserWarning, match="Error detected in SqrtBackward0"),
            pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output"),
        ):
            minigrad.autograd.grad(y, x, minigrad.zeros(2, 2), is_grads_batched=True)
    finally:
        minigrad.autograd.set_detect_anomaly(False)


@pytest.mark.parametrize("question", [bool, len, float, iter, np.asarray])
def test_a_batch_refuses_what_only_one_gradient_can_answer(question: Any) -> None:
    """A rule that asks it runs row by row. The answer of an ordinary object, True, would choose a branch for all."""
    with pytest.raises(NotBatchableError):
        question(Batched(np.zeros((2, 1))))

"""`autograd.functional.jacobian`: shapes, values, graphs."""

from __future__ import annotations

from typing import Any

from engine.functional.inputs import X, both_ways, functional, matrix, vector
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()


@behaviours("H02: the Jacobian has the shape of the output, then of the input")
def _(F: Any) -> Any:
    return both_ways(F, lambda x: matrix(F) * x, vector(F))


@behaviours("a number by a number, a number by a vector, a vector by a number")
def _(F: Any) -> Any:
    return [
        both_ways(F, lambda x: x**3, F.tensor(2.0)),
        both_ways(F, lambda x: x.sum(), vector(F)),
        both_ways(F, lambda x: x * vector(F), F.tensor(2.0)),
    ]


behaviours.table(
    ("H02: one output, several inputs", lambda F: both_ways(F, lambda w, x: w @ x, (matrix(F), vector(F)))),
    ("H02: several outputs, one input", lambda F: both_ways(F, lambda x: (x.exp(), x.sum()), vector(F))),
    ("H02: several outputs, several inputs",
     lambda F: both_ways(F, lambda w, x: (w @ x, w.sum() * x, x), (matrix(F), vector(F)))),
    ("H02: tuples of one stay tuples", lambda F: both_ways(F, lambda x: (x * 2,), (vector(F),))),
    ("independent of an input: zeros", lambda F: both_ways(F, lambda x, y: (x * 2, F.ones(2)), (vector(F), F.ones(2)))),
    ("independent of everything: zeros", lambda F: both_ways(F, lambda x: F.ones(2), vector(F))),
    ("an output of integers: zeros", lambda F: functional(F).jacobian(lambda x: x.int(), vector(F))),
)  # fmt: skip


@behaviours("softmax, indexing, joining, reductions: all rows at once")
def _(F: Any) -> Any:
    x = F.tensor([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
    return [
        both_ways(F, f, x)
        for f in (
            lambda x: F.softmax(x, dim=-1),
            lambda x: F.log_softmax(x, dim=0),
            lambda x: x[1],
            lambda x: x[:, [0, 0, 2]],
            lambda x: x[[0, 1], [2, 2]],
            lambda x: F.cat([x, x * 2], dim=1),
            lambda x: F.stack([x, x * 2], dim=1),
            lambda x: x.mean(0) + x.std(1).sum(),
            lambda x: x.max(1)[0],
            lambda x: x.t().reshape(-1),
            lambda x: x.prod(1),
            lambda x: F.relu(x) @ x.t(),
            lambda x: x.cumsum(1),
        )
    ]


@behaviours("the result has no graph unless create_graph; then it has")
def _(F: Any) -> Any:
    x = vector(F, requires_grad=True)
    jacobian = functional(F).jacobian
    plain = jacobian(lambda x: x**2, x)
    recorded = [jacobian(lambda x: x**2, x, create_graph=True, vectorize=way) for way in (False, True)]
    return [plain, recorded, [F.autograd.grad(r.sum(), x)[0] for r in recorded]]


@behaviours("H04: .grad stays untouched")
def _(F: Any) -> Any:
    x = vector(F, requires_grad=True)
    functional(F).jacobian(lambda x: x**2, x)
    functional(F).hessian(lambda x: (x**2).sum(), x, vectorize=True)
    functional(F).vjp(lambda x: (x**2).sum(), x)
    return x.grad


@behaviours("float64 stays float64")
def _(F: Any) -> Any:
    return both_ways(F, lambda x: x.sin(), F.tensor(X, dtype=F.float64))


@behaviours("under no_grad as well")
def _(F: Any) -> Any:
    with F.no_grad():
        return [both_ways(F, lambda x: x.sin(), vector(F)), functional(F).hessian(lambda x: x.sin().sum(), vector(F))]


@behaviours("a custom Function on the way")
def _(F: Any) -> Any:
    class Square(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 2 * x

    return both_ways(F, lambda x: Square.apply(x).sin(), vector(F))


@behaviours("a loop of dimensions of size 1 and 0-d parts")
def _(F: Any) -> Any:
    return both_ways(F, lambda x: (x.unsqueeze(0) * x.unsqueeze(1)).sum(0, keepdim=True).squeeze(), vector(F))


test_as_in_torch = behaviours.test()


def test_jacobians_of_nothing_are_empty() -> None:
    """PyTorch raises errors about stacking nothing."""
    jacobian = functional(minigrad).jacobian
    for vectorize in (False, True):
        assert jacobian(lambda x: x[:0], minigrad.ones(3), vectorize=vectorize).shape == (0, 3)
        assert jacobian(lambda x: x * 2, minigrad.ones(0), vectorize=vectorize).shape == (0, 0)
        assert jacobian(lambda x: x.sum(), minigrad.ones(0), vectorize=vectorize).shape == (0,)
        assert jacobian(lambda x: (), minigrad.ones(3), vectorize=vectorize) == ()

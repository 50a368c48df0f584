"""Derivatives at kinks, and where a formula would divide zero by zero (I01); abs and relu stand in test_values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()


def gradient(F: Any, output: Any, *inputs: Any) -> list[Any]:
    """Gradients of the sum weighted with 1, 2, 3 ..."""
    weights = F.arange(1.0, output.numel() + 1.0).reshape(output.shape)
    return list(F.autograd.grad(output, inputs, weights, create_graph=True))


@behaviours("I01: clamp passes the gradient at its bounds, and stops it beyond")
def _(F):
    x = F.tensor([-2.0, -1.0, 0.0, 1.0, 2.0], requires_grad=True)
    return [gradient(F, x.clamp(*bounds), x) for bounds in ((-1.0, 1.0), (-1.0,), (None, 1.0), (1.0, -1.0))]


@behaviours("I01: maximum and minimum halve the gradient at ties")
def _(F):
    a = F.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = F.tensor([2.0, 2.0, 2.0], requires_grad=True)
    return gradient(F, F.maximum(a, b), a, b), gradient(F, F.minimum(a, b), a, b)


@behaviours("I01: max() shares the gradient over ties, max(dim) gives it to the index returned")
def _(F):
    x = F.tensor([[3.0, 1.0, 3.0], [2.0, 2.0, 2.0]], requires_grad=True)
    return [gradient(F, y, x) for y in (x.max(), x.max(1).values, x.min(0).values)]


@behaviours("I01: prod of no, one, two and three zeros: the first and the second derivative are exact")
def _(F):
    results = []
    for values in ([2.0, 3.0, 4.0], [2.0, 0.0, 4.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]):
        x = F.tensor(values, requires_grad=True)
        (first,) = gradient(F, x.prod(), x)
        results.append([first, F.autograd.grad(first, x, F.tensor([1.0, 10.0, 100.0]))])
    return results


@behaviours("I01: prod along a dim with one zero in it")
def _(F):
    x = F.tensor([[2.0, 0.0, 4.0], [1.0, 2.0, 3.0], [0.0, 5.0, 0.0]], requires_grad=True)
    return gradient(F, x.prod(1), x), gradient(F, x.prod(0, keepdim=True), x)


@behaviours("I01: 0 ** 0 is 1, with gradient 0 for the base and for the exponent")
def _(F):
    base, exponent = F.zeros(2, requires_grad=True), F.zeros(2, requires_grad=True)
    power = base**exponent
    return power, gradient(F, power, base, exponent), gradient(F, base**0, base), gradient(F, 0.0**exponent, exponent)


PIECES: dict[str, Callable[[Any, Any], Any]] = {
    "relu": lambda F, x: F.relu(x),
    "relu_": lambda F, x: (x * 1).relu_(),
    "leaky_relu": lambda F, x: F.nn.functional.leaky_relu(x),
    "leaky_relu, in place": lambda F, x: F.nn.functional.leaky_relu(x * 1, inplace=True),
    "abs": lambda F, x: F.abs(x),
    "sign": lambda F, x: F.sign(x),
    "floor": lambda F, x: F.floor(x),
    "clamp": lambda F, x: F.clamp(x, -1.0, 1.0),
    "maximum": lambda F, x: F.maximum(x, F.zeros(5)),
    "where": lambda F, x: F.where(x > 0, x, 0.0),
    "max": lambda F, x: x.max(),
    "min": lambda F, x: x.min(),
    "max along a dim": lambda F, x: x.max(0).values,
    "sort": lambda F, x: x.sort().values,
}


def of_pieces(name: str, function: Callable[[Any, Any], Any]) -> None:
    @behaviours(f"second derivatives of {name}: the gradient requires grad where PyTorch's does, and gives zeros then")
    def _(F):
        x = F.tensor([-2.0, -0.5, 0.0, 0.5, 9.0], requires_grad=True)
        (first,) = F.autograd.grad(function(F, x).sum(), x, create_graph=True)
        second = [g + 0 for g in F.autograd.grad((first**2).sum(), x)] if first.requires_grad else None
        return first.requires_grad, first.detach(), second


for name, function in PIECES.items():
    of_pieces(name, function)


for _p in (2.5, 3, 3.5, 4):

    @behaviours(f"the second derivative of a norm of zeros: p = {_p}")
    def _(F, p=_p):
        # PyTorch gives nan for 2.5 of zeros, where the derivative is 0 as for the others: compared there are other rows
        rows = [[1.0, 2.0, -2.0]] if p == 2.5 else [[0.0, 0.0, 0.0], [0.0, 2.0, -1.0], [1.0, 2.0, -2.0]]
        x = F.tensor(rows, dtype=F.float64, requires_grad=True)
        (first,) = F.autograd.grad(F.linalg.norm(x, p, dim=1).sum(), x, create_graph=True)
        return first, F.autograd.grad(first.sum(), x)


def test_norms_of_zeros_have_second_derivatives_in_both_inputs_of_their_gradient() -> None:
    """Of what comes in, too, where PyTorch gives nan; and of no elements at all."""
    for p in (2.5, 3.5):
        for x in (minigrad.zeros(2, 3, requires_grad=True), minigrad.zeros(2, 0, requires_grad=True)):
            y = minigrad.linalg.norm(x, p, dim=1)
            g = minigrad.ones(2, requires_grad=True)
            (first,) = minigrad.autograd.grad(y, x, g, create_graph=True)
            for second in minigrad.autograd.grad(first.sum(), (x, g)):
                assert not second._array.any()


@behaviours("a count of what is not 0 has no derivative")
def _(F):
    x = F.tensor([0.0, 2.0, -3.0], requires_grad=True)
    results = [x.norm(0), x.norm(0, dim=0), F.linalg.norm(x, 0)]
    for count in results:
        count.backward()
    return results, x.grad, F.autograd.grad(x.norm(0) + x.sum(), x), x.norm(0).grad_fn


@behaviours("a count of what is not 0 is not a function of it", error=RuntimeError, says="The differentiated Tensor")
def _(F):
    x = F.tensor([0.0, 2.0, -3.0], requires_grad=True)
    F.autograd.grad(x.norm(0), x)


test_as_in_torch = behaviours.test()

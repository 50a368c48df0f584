"""Derivatives at kinks, and where a formula would divide zero by zero (I01); abs and relu stand in test_values."""

from __future__ import annotations

from typing import Any

from side_by_side import Behaviours

behaviours = Behaviours()


def gradient(F: Any, output: Any, *inputs: Any) -> list[Any]:
    """Gradients of the sum weighted with 1, 2, 3 ..."""
    weights = F.arange(1.0, output.numel() + 1.0).reshape(output.shape)
    return list(F.autograd.grad(output, inputs, weights, create_graph=True))


@behaviours("I01: clamp passes the gradient at its bounds, and stops it beyond")
def _(F):
    x = F.tensor([-2.0, -1.0, 0.0, 1.0, 2.0], requires_grad=True)
    return [gradient(F, x.clamp(*bounds), x) for bounds in ((-1.0, 1.0), (-1.0,), (None, 1.0), (1.0, -1.0))]


@behaviours("I01: clamp with tensors as bounds gives the gradient at a bound to the input, beyond it to the bound")
def _(F):
    x = F.tensor([-2.0, -1.0, 0.0, 1.0, 2.0], requires_grad=True)
    low, high = F.full((5,), -1.0, requires_grad=True), F.full((5,), 1.0, requires_grad=True)
    return gradient(F, x.clamp(low, high), x, low, high)


@behaviours("I01: maximum and minimum halve the gradient at ties")
def _(F):
    a = F.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = F.tensor([2.0, 2.0, 2.0], requires_grad=True)
    return gradient(F, F.maximum(a, b), a, b), gradient(F, F.minimum(a, b), a, b)


@behaviours("I01: amax, amin and max() share the gradient over ties, max(dim) gives it to the index returned")
def _(F):
    x = F.tensor([[3.0, 1.0, 3.0], [2.0, 2.0, 2.0]], requires_grad=True)
    return [gradient(F, y, x) for y in (x.amax(), x.amax(1), x.amin(1), x.max(), x.max(1).values, x.min(0).values)]


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


test_as_in_torch = behaviours.test()

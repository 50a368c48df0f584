"""Threads with graphs of their own, or with leaves in common, lose no gradient (B19)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Run `work(0)` to `work(count - 1)` at once, switching between threads as often as Python can."""
    errors: list[BaseException] = []
    start = threading.Barrier(count)

    def run(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if errors:
        raise errors[0]


@behaviours("B19: threads run backward on graphs of their own")
def _(F: Any) -> Any:
    leaves = [leaf(F, float(number), 1.0) for number in range(4)]

    def work(number: int) -> None:
        x = leaves[number]
        for _ in range(50):
            ((x * x).exp().log() * 2).sum().backward()

    in_threads(4, work)
    return [x.grad for x in leaves]


@behaviours("B19: threads whose graphs share a leaf lose no gradient")
def _(F: Any) -> Any:
    x = F.tensor([1.0, 2.0], dtype=F.float64, requires_grad=True)
    single = F.tensor(1.0, dtype=F.float64, requires_grad=True)

    def work(number: int) -> None:
        for _ in range(400):
            (x * single * (number + 1)).sum().backward()

    in_threads(4, work)
    return x.grad, single.grad


@behaviours("B19: the first gradients of a leaf, from several threads at once, are all in the sum")
def _(F: Any) -> Any:
    leaves = [F.zeros(20_000, requires_grad=True) for _ in range(60)]
    weights, together = F.ones(20_000), threading.Barrier(4)

    def work(number: int) -> None:
        for x in leaves:
            together.wait()
            x.backward(weights)

    in_threads(4, work)
    sums = [x.grad.numpy() for x in leaves]
    return [[float(array.min()), float(array.max())] for array in sums]


@behaviours("B19: the later gradients of a leaf, from several threads at once, are all in the sum, element by element")
def _(F: Any) -> Any:
    x, weights = F.zeros(400_000, requires_grad=True), F.ones(400_000)
    x.grad = F.zeros(400_000)

    def work(number: int) -> None:
        for _ in range(60):
            x.backward(weights)

    in_threads(4, work)
    array = x.grad.numpy()
    return float(array.min()), float(array.max())


@behaviours("B19: grad() in several threads gives each its own gradients")
def _(F: Any) -> Any:
    x, given = leaf(F, 1.0, 2.0), [None] * 4

    def work(number: int) -> None:
        for _ in range(30):
            given[number] = F.autograd.grad((x * x * (number + 1)).sum(), x)

    in_threads(4, work)
    return given, x.grad


@behaviours("B19: a graph made in one thread is differentiated in another")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    in_threads(1, lambda number: y.backward())
    return x.grad


@behaviours("B19: the grad mode of one thread does not reach another's backward()")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    y = (x * x).sum()
    found = []

    def work(number: int) -> None:
        found.append(F.is_grad_enabled())
        found.append(F.autograd.grad(y, x, create_graph=True)[0].requires_grad)

    with F.no_grad():
        in_threads(1, work)
    return found


test_as_in_torch = behaviours.test()

"""backward() within hooks, and errors half way (B19)."""

from __future__ import annotations

from typing import Any

from helpers.leaves import leaf
from helpers.refusals import error_of
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("B19: backward() of another graph within a hook")
def _(F: Any) -> Any:
    x, w = leaf(F, 1.0, 2.0), leaf(F, 3.0, 4.0)

    def run_another(gradient: Any) -> None:
        with F.enable_grad():
            (w * w).sum().backward()

    x.register_hook(run_another)
    (x * x).sum().backward()
    return x.grad, w.grad


@behaviours("B19: backward() into the same leaf within a hook")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)
    middle = x * x

    def run_another(gradient: Any) -> None:
        with F.enable_grad():
            (x * 100).sum().backward()

    middle.register_hook(run_another)
    middle.sum().backward()
    return x.grad


@behaviours("B19: an error in a hook comes out as it is, and the engine goes on working")
def _(F: Any) -> Any:
    x = leaf(F, 1.0, 2.0)

    def fail(gradient: Any) -> None:
        raise LookupError("the hook's own words")

    handle = x.register_hook(fail)
    try:
        (x * x).sum().backward()
    except LookupError as error:
        seen = str(error)
    handle.remove()
    (x * x).sum().backward()
    return seen, x.grad, F.is_grad_enabled()


@behaviours("B19: leaves that were done before an error keep their gradient, the others have none")
def _(F: Any) -> Any:
    done, stopped = leaf(F, 1.0), leaf(F, 2.0)

    def fail(gradient: Any) -> None:
        raise LookupError("stop")

    below = stopped * 2
    below.register_hook(fail)
    error = error_of((below * done).backward)
    return error, done.grad, stopped.grad


test_as_in_torch = behaviours.test()

"""Each thread has a mode of its own (F02)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from engine.modes.samples import inferred, modes
from helpers.leaves import leaf
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


def in_thread(run: Callable[[], Any]) -> Any:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(run()))
    thread.start()
    thread.join()
    return results


@behaviours("F02: a new thread records, whatever the mode of the thread that started it")
def _(F):
    with F.no_grad():
        quiet = in_thread(lambda: (modes(F), leaf(F) * 2))
    with F.inference_mode():
        inference = in_thread(lambda: (modes(F), leaf(F) * 2, F.ones(1).is_inference()))
    return quiet, inference


@behaviours("F02: the mode of a thread is its own")
def _(F):
    def switch() -> Any:
        F.set_grad_enabled(False)
        return modes(F)

    return in_thread(switch), modes(F), leaf(F) * 2


@behaviours("F02: two threads in different modes at the same time")
def _(F):
    x, inside, done, results = leaf(F), threading.Event(), threading.Event(), []

    def quiet() -> None:
        with F.no_grad():
            inside.set()
            done.wait(10)
            results.append(x * 2)

    thread = threading.Thread(target=quiet)
    thread.start()
    inside.wait(10)
    recorded = x * 2
    done.set()
    thread.join()
    return recorded, results


@behaviours("F02: an inference tensor is one in every thread")
def _(F):
    x = inferred(F)
    return in_thread(lambda: (x.is_inference(), (x * 2).is_inference()))


test_as_in_torch = behaviours.test()

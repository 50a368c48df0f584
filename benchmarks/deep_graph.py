"""Whether a very deep graph is as cheap per operation as a small one, and whether it goes away by itself.

W6: a chain of 100,000 and of 1,000,000 additions: build it, run backward, drop it. Python's garbage collector is off
meanwhile and asked afterwards what it finds: a graph without cycles leaves nothing to it. Bytes are those that the
process has grown by when the chain is built, divided by its length. Libraries that need more than 1 kB for an
addition are spared the longer chain.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from rounds import Row, main

ROWS = [
    Row("W6 100k", "a chain of 100,000 additions: build, backward, drop", "µs per op"),
    Row("W6 1M", "a chain of 1,000,000 additions: build, backward, drop", "µs per op"),
    Row("W6 bytes", "memory of the longest chain that was built", "bytes per op"),
    Row("W6 gc", "objects that the garbage collector finds after the chain was dropped", "objects"),
]
ONE = np.float32(1)


def resident() -> float:
    """Bytes of memory that this process occupies; nan where the system has no /proc."""
    try:
        return float(Path("/proc/self/statm").read_text().split()[1]) * 4096
    except OSError:
        return math.nan


def chain(x: Any, one: Any, length: int) -> Any:
    y = x
    for _ in range(length):
        y = y + one
    return y


def drive(
    quick: bool,
    longest: int,
    leaf: Callable[[], Any],
    build: Callable[[Any, int], Any],
    backward: Callable[[Any, Any], float],
) -> dict[str, float]:
    """Time `build(x, length)` and `backward(x, what was built)`, which returns the gradient of x."""
    values: dict[str, float] = {}
    x = leaf()
    backward(x, build(x, 10))  # whatever is made at first use is made now
    for name, length in (("W6 100k", 100_000), ("W6 1M", 1_000_000)):
        if length > longest:
            continue
        length //= 100 if quick else 1
        x = leaf()
        gc.collect()
        gc.disable()
        before, start = resident(), time.perf_counter()
        built = build(x, length)
        building = time.perf_counter() - start
        values["W6 bytes"] = (resident() - before) / length
        start = time.perf_counter()
        values["agree"] = backward(x, built)
        del built
        values[name] = (building + time.perf_counter() - start) / length * 1e6
        values["W6 gc"] = gc.collect()
        gc.enable()
    return values


def tensors(name: str) -> Callable[[bool], dict[str, float]]:
    """minigrad or torch: the same code."""

    def run(quick: bool) -> dict[str, float]:
        mg = import_module(name)
        one = mg.tensor(1.0)

        def backward(x: Any, y: Any) -> float:
            y.backward()
            gradient: float = x.grad.item()
            return gradient

        return drive(
            quick, 1_000_000, lambda: mg.tensor(0.5, requires_grad=True), lambda x, n: chain(x, one, n), backward
        )

    return run


def autograd(quick: bool) -> dict[str, float]:
    from autograd import make_vjp

    def build(x: Any, length: int) -> Any:
        return make_vjp(lambda y: chain(y, ONE, length))(x)

    return drive(quick, 100_000, lambda: np.float32(0.5), build, lambda x, built: float(built[0](ONE)))


def mygrad(quick: bool) -> dict[str, float]:
    import mygrad as mg

    one = mg.tensor(ONE, constant=True)

    def backward(x: Any, y: Any) -> float:
        y.backward()
        return float(x.grad)

    return drive(quick, 100_000, lambda: mg.tensor(np.float32(0.5)), lambda x, n: chain(x, one, n), backward)


def numpy(quick: bool) -> dict[str, float]:
    """The limit: the results in a list, and a walk back along it."""

    def build(x: Any, length: int) -> list[Any]:
        kept = [x]
        for _ in range(length):
            kept.append(kept[-1] + ONE)
        return kept

    def backward(x: Any, kept: list[Any]) -> float:
        g = ONE
        while kept:
            kept.pop()
        return float(g)

    return drive(quick, 1_000_000, lambda: np.float32(0.5), build, backward)


CONTENDERS = {
    "minigrad": tensors("minigrad"),
    "torch": tensors("torch"),
    "autograd": autograd,
    "mygrad": mygrad,
    "numpy by hand": numpy,
}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS)

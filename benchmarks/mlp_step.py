"""A training step of a small network, in time and in memory.

W3: a perceptron 784-256-128-10 on a batch of 128 float32 images: forward, backward and a step of gradient descent,
all in plain tensor code. W10: what the graph holds after the forward, and the most that is held during the step,
beyond the parameters. The limit is the same step written out in numpy. Memory is counted by tracemalloc, torch's by
torch's own profiler.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from rounds import Row, fastest, main

ROWS = [
    Row("W3", "one training step of a perceptron 784-256-128-10, batch 128, float32", "ms"),
    Row("W10 held", "memory that the graph of W3 holds after the forward", "KiB"),
    Row("W10 peak", "the most memory that is held during the step of W3", "KiB"),
]
SIZES = (784, 256, 128, 10)
BATCH, RATE = 128, np.float32(0.01)


def data() -> tuple[Any, Any, list[Any]]:
    """Images, their labels as one-hot rows, and the parameters: three weights and three biases, in turn."""
    rng = np.random.default_rng(0)
    images = rng.standard_normal((BATCH, SIZES[0]), dtype=np.float32)
    labels = np.eye(SIZES[-1], dtype=np.float32)[rng.integers(0, SIZES[-1], BATCH)]
    parameters = []
    for rows, columns in pairwise(SIZES):
        parameters += [
            rng.standard_normal((rows, columns), dtype=np.float32) * np.float32((2 / rows) ** 0.5),
            np.zeros(columns, np.float32),
        ]
    return images, labels, parameters


def drive(
    quick: bool, forward: Callable[[], Any], update: Callable[[Any], None], value: Callable[[Any], float]
) -> dict[str, float]:
    """Time and weigh `update(forward())`; `value` reads the loss."""

    def step() -> None:
        update(forward())

    milliseconds = fastest(2 if quick else 300, step) * 1e3
    loss = value(forward())
    gc.collect()
    tracemalloc.start()
    step()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    result = forward()
    held = tracemalloc.get_traced_memory()[0]
    update(result)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"W3": milliseconds, "W10 held": (held - before) / 1024, "W10 peak": (peak - before) / 1024, "agree": loss}


def tensors(name: str) -> Callable[[bool], dict[str, float]]:
    """minigrad or torch: the same code."""

    def run(quick: bool) -> dict[str, float]:
        mg = import_module(name)
        images, labels, values = data()
        x, y = mg.tensor(images), mg.tensor(labels)
        parameters = [mg.tensor(value, requires_grad=True) for value in values]
        w1, b1, w2, b2, w3, b3 = parameters

        def forward() -> Any:
            h = (x @ w1 + b1).relu()
            h = (h @ w2 + b2).relu()
            scores = h @ w3 + b3
            scores = scores - scores.detach().max(1, keepdim=True).values
            return -((scores - scores.exp().sum(1, keepdim=True).log()) * y).sum() / BATCH

        def update(loss: Any) -> None:
            loss.backward()
            with mg.no_grad():
                for p in parameters:
                    p -= float(RATE) * p.grad
                    p.grad = None

        values = drive(quick, forward, update, lambda loss: loss.item())
        return values | torch_memory(mg, forward, update) if name == "torch" else values

    return run


def torch_memory(torch: Any, forward: Callable[[], Any], update: Callable[[Any], None]) -> dict[str, float]:
    """W10 of torch, which tracemalloc does not see: its allocations, added up in the order in which they came."""

    def changes(*steps: Callable[[Any], Any]) -> list[int]:
        result = None
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profiler:
            for step in steps:
                result = step(result)
        events = [event for event in profiler.profiler.kineto_results.events() if event.name() == "[memory]"]
        return [event.nbytes() for event in sorted(events, key=lambda event: event.start_ns())]

    held = sum(changes(lambda _: forward()))
    peak = np.cumsum(changes(lambda _: forward(), update)).max()
    return {"W10 held": held / 1024, "W10 peak": float(peak) / 1024}


def autograd(quick: bool) -> dict[str, float]:
    import autograd.numpy as anp
    from autograd import make_vjp
    from autograd.tracer import getval

    x, y, parameters = data()

    def loss(w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
        h = anp.maximum(x @ w1 + b1, 0)
        h = anp.maximum(h @ w2 + b2, 0)
        scores = h @ w3 + b3
        scores = scores - np.max(getval(scores), 1, keepdims=True)
        return -anp.sum((scores - anp.log(anp.sum(anp.exp(scores), 1, keepdims=True))) * y) / np.float32(BATCH)

    def update(graph: Any) -> None:
        for p, gradient in zip(parameters, graph[0](np.float32(1)), strict=True):
            p -= RATE * gradient

    return drive(quick, lambda: make_vjp(loss, tuple(range(6)))(*parameters), update, lambda graph: float(graph[1]))


def mygrad(quick: bool) -> dict[str, float]:
    import mygrad as mg

    x, y, values = data()
    parameters = [mg.tensor(value) for value in values]
    w1, b1, w2, b2, w3, b3 = parameters

    def forward() -> Any:
        h = mg.maximum(x @ w1 + b1, 0)
        h = mg.maximum(h @ w2 + b2, 0)
        scores = h @ w3 + b3
        scores = scores - scores.data.max(1, keepdims=True)
        return -((scores - mg.log(mg.exp(scores).sum(1, keepdims=True))) * y).sum() / np.float32(BATCH)

    def update(loss: Any) -> None:
        loss.backward()
        for p in parameters:
            p.data -= RATE * p.grad
            p.null_grad()

    return drive(quick, forward, update, lambda loss: loss.item())


def numpy(quick: bool) -> dict[str, float]:
    """The limit: forward and gradient by hand, with freed memory kept as `minigrad.creation` does it."""
    np.empty(2**25 - 2**13, np.uint8)
    x, y, (w1, b1, w2, b2, w3, b3) = data()

    def forward() -> Any:
        h1 = x @ w1
        h1 += b1
        np.maximum(h1, 0, out=h1)
        h2 = h1 @ w2
        h2 += b2
        np.maximum(h2, 0, out=h2)
        scores = h2 @ w3
        scores += b3
        scores -= scores.max(1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(1, keepdims=True))
        return h1, h2, scores, -(scores * y).sum() / BATCH

    def update(kept: Any) -> None:
        h1, h2, scores, _ = kept
        g = (np.exp(scores) - y) / np.float32(BATCH)
        g2 = g @ w3.T
        g2 *= h2 > 0
        g1 = g2 @ w2.T
        g1 *= h1 > 0
        for w, b, h, gradient in ((w3, b3, h2, g), (w2, b2, h1, g2), (w1, b1, x, g1)):
            w -= RATE * (h.T @ gradient)
            b -= RATE * gradient.sum(0)

    return drive(quick, forward, update, lambda kept: float(kept[3]))


CONTENDERS = {
    "minigrad": tensors("minigrad"),
    "torch": tensors("torch"),
    "autograd": autograd,
    "mygrad": mygrad,
    "numpy by hand": numpy,
}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS)

"""A training step of a small convolutional network.

W4: a convolution to 16 channels, pooling, a convolution to 32 channels, pooling and a linear layer, on a batch of 32
float32 images of 28x28 pixels: forward, backward and a step of gradient descent. The limit is the same step written out
in numpy with all that can be had: the batch as the innermost dimension, so that every loop runs over long rows, work
arrays that are kept from step to step, and what can be done in place done in place.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np
from rounds import WITHOUT_ONEDNN, Row, fastest, main, without_onednn

ROWS = [Row("W4", "one training step of a network with two convolutions, 32 images of 28x28, float32", "ms")]
BATCH, RATE = 32, np.float32(0.01)


def data() -> tuple[Any, Any, list[Any]]:
    """Images, their labels, and the parameters: three weights and three biases, in turn."""
    rng = np.random.default_rng(0)
    images = rng.standard_normal((BATCH, 1, 28, 28), dtype=np.float32)
    labels = rng.integers(0, 10, BATCH)
    parameters: list[Any] = []
    for shape in ((16, 1, 3, 3), (32, 16, 3, 3), (10, 32 * 7 * 7)):
        scale = np.float32(np.sqrt(2 / np.prod(shape[1:])))
        parameters += [rng.standard_normal(shape, dtype=np.float32) * scale, np.zeros(shape[0], np.float32)]
    return images, labels, parameters


def drive(quick: bool, step: Callable[[], float]) -> dict[str, float]:
    """Time `step`, which gives the loss before it; agreement is that of the loss after a few steps."""
    loss = [step() for _ in range(3)][-1]
    start = perf_counter()
    step()
    times = min(300, 1 + int(1.5 / (perf_counter() - start)))  # some contenders take a hundred times longer than others
    return {"W4": fastest(2 if quick else times, step) * 1e3, "agree": loss}


def tensors(name: str) -> Callable[[bool], dict[str, float]]:
    """minigrad or torch: the same code."""

    def run(quick: bool) -> dict[str, float]:
        mg = import_module(name)
        functional = import_module(f"{name}.nn.functional")
        images, labels, values = data()
        x, y = mg.tensor(images), mg.tensor(labels)
        parameters = [mg.tensor(value, requires_grad=True) for value in values]
        w1, b1, w2, b2, w3, b3 = parameters

        def step() -> float:
            h = functional.max_pool2d(functional.relu(functional.conv2d(x, w1, b1, padding=1)), 2)
            h = functional.max_pool2d(functional.relu(functional.conv2d(h, w2, b2, padding=1)), 2)
            loss = functional.cross_entropy(functional.linear(h.flatten(1), w3, b3), y)
            loss.backward()
            with mg.no_grad():
                for p in parameters:
                    p -= float(RATE) * p.grad
                    p.grad = None
            return float(loss.item())

        return drive(quick, step)

    return run


def autograd(quick: bool) -> dict[str, float]:
    import autograd.numpy as anp
    from autograd import value_and_grad
    from autograd.scipy.signal import convolve

    images, y, parameters = data()
    rows = np.arange(BATCH)

    def convolution(x: Any, w: Any, b: Any) -> Any:
        x = anp.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), "constant")
        w = anp.transpose(w[:, :, ::-1, ::-1], (1, 0, 2, 3))  # this one turns the kernel round
        out = convolve(x, w, axes=([2, 3], [2, 3]), dot_axes=([1], [0]), mode="valid")
        return anp.maximum(out + b[:, None, None], 0)

    def pool(x: Any) -> Any:
        n, c, h, w = x.shape
        return anp.max(anp.max(anp.reshape(x, (n, c, h // 2, 2, w // 2, 2)), axis=5), axis=3)

    def loss(values: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = values
        h = pool(convolution(pool(convolution(images, w1, b1)), w2, b2))
        scores = anp.dot(anp.reshape(h, (BATCH, -1)), w3.T) + b3
        scores = scores - anp.max(scores, axis=1, keepdims=True)
        return anp.mean(anp.log(anp.sum(anp.exp(scores), axis=1)) - scores[rows, y])

    both = value_and_grad(loss)

    def step() -> float:
        value, gradients = both(parameters)
        for p, gradient in zip(parameters, gradients, strict=True):
            p -= RATE * gradient
        return float(value)

    return drive(quick, step)


def mygrad(quick: bool) -> dict[str, float]:
    import mygrad as mg
    from mygrad.nnet.layers import conv_nd, max_pool
    from mygrad.nnet.losses import softmax_crossentropy

    x, y, values = data()
    parameters = [mg.tensor(value) for value in values]
    w1, b1, w2, b2, w3, b3 = parameters

    def step() -> float:
        h = max_pool(mg.maximum(conv_nd(x, w1, stride=1, padding=1) + b1.reshape(-1, 1, 1), 0), (2, 2), 2)
        h = max_pool(mg.maximum(conv_nd(h, w2, stride=1, padding=1) + b2.reshape(-1, 1, 1), 0), (2, 2), 2)
        loss = softmax_crossentropy(h.reshape(BATCH, -1) @ w3.T + b3, y)
        loss.backward()
        for p in parameters:
            p.data -= RATE * p.grad
            p.null_grad()
        return float(loss.item())

    return drive(quick, step)


def numpy(quick: bool) -> dict[str, float]:
    """The limit. All images are (C, H, W, N) here."""
    images, y, parameters = data()
    w1, b1, w2, b2, w3, b3 = parameters
    x, rows, kept = np.ascontiguousarray(images.transpose(1, 2, 3, 0)), np.arange(BATCH), {}

    def work(name: str, *shape: int, dtype: Any = np.float32) -> Any:
        """An array that is kept from step to step. (Borders that are never written to stay 0.)"""
        if name not in kept:
            kept[name] = np.zeros(shape, dtype)
        return kept[name]

    def columns(x: Any, name: str) -> Any:
        c, h, w, n = x.shape
        padded, out = work(f"padded {name}", c, h + 2, w + 2, n), work(f"columns {name}", c, 3, 3, h, w, n)
        padded[:, 1:-1, 1:-1] = x
        for i, j in np.ndindex(3, 3):
            out[:, i, j] = padded[:, i : i + h, j : j + w]
        return out.reshape(9 * c, -1)

    def convolution_relu(x: Any, w: Any, b: Any, name: str) -> tuple[Any, Any]:
        seen = columns(x, name)
        out = work(f"results {name}", len(w), seen.shape[1])
        np.matmul(w.reshape(len(w), -1), seen, out=out)
        out += b[:, None]
        np.maximum(out, 0, out=out)
        return out.reshape(-1, *x.shape[1:]), seen

    def pool(x: Any, name: str) -> Any:
        c, h, w, n = x.shape
        out, other = work(f"pooled {name}", c, h // 2, w // 2, n), work(f"other {name}", c, h // 2, w // 2, n)
        np.maximum(x[:, ::2, ::2], x[:, ::2, 1::2], out=out)
        np.maximum(x[:, 1::2, ::2], x[:, 1::2, 1::2], out=other)
        return np.maximum(out, other, out=out)

    def back_through_pool_relu(x: Any, largest: Any, g: Any, name: str) -> Any:
        """To the first of a window that is the largest; none if that is 0, since relu made it."""
        out, equal = work(f"gradient {name}", *x.shape), work(f"equal {name}", *g.shape, dtype=bool)
        np.multiply(g, np.greater(largest, 0, out=equal), out=g)
        for i, j in ((0, 0), (0, 1), (1, 0)):
            part = out[:, i::2, j::2]
            np.multiply(g, np.equal(x[:, i::2, j::2], largest, out=equal), out=part)
            g -= part
        out[:, 1::2, 1::2] = g
        return out

    def step() -> float:
        h1, seen1 = convolution_relu(x, w1, b1, "1")
        p1 = pool(h1, "1")
        h2, seen2 = convolution_relu(p1, w2, b2, "2")
        p2 = pool(h2, "2")
        flat = p2.reshape(-1, BATCH)
        scores = w3 @ flat
        scores += b3[:, None]
        scores -= scores.max(0)
        own = scores[y, rows]
        np.exp(scores, out=scores)
        sums = scores.sum(0)
        loss = float((np.log(sums) - own).mean())
        g = np.divide(scores, sums, out=scores)
        g[y, rows] -= 1
        g *= np.float32(1 / BATCH)
        gw3, gb3 = g @ flat.T, g.sum(1)
        g2 = back_through_pool_relu(h2, p2, (w3.T @ g).reshape(p2.shape), "2").reshape(32, -1)
        gw2, gb2 = (g2 @ seen2.T).reshape(w2.shape), g2.sum(1)
        parts = work("parts", *seen2.shape)
        np.matmul(w2.reshape(32, -1).T, g2, out=parts)
        parts = parts.reshape(16, 3, 3, 14, 14, BATCH)
        padded = work("sums", 16, 16, 16, BATCH)
        padded.fill(0)
        for i, j in np.ndindex(3, 3):
            padded[:, i : i + 14, j : j + 14] += parts[:, i, j]
        g1 = back_through_pool_relu(h1, p1, padded[:, 1:-1, 1:-1].copy(), "1").reshape(16, -1)
        pieces = g1.reshape(16, 28, -1).transpose(1, 0, 2)  # OpenBLAS is slow at a few very long sums
        gw1 = np.matmul(pieces, seen1.reshape(9, 28, -1).transpose(1, 2, 0)).sum(0).reshape(w1.shape)
        for p, gradient in zip(parameters, (gw1, g1.sum(1), gw2, gb2, gw3, gb3), strict=True):
            p -= RATE * gradient
        return loss

    return drive(quick, step)


CONTENDERS = {
    "minigrad": tensors("minigrad"),
    "torch": tensors("torch"),
    WITHOUT_ONEDNN: without_onednn(tensors("torch")),
    "autograd": autograd,
    "mygrad": mygrad,
    "numpy by hand": numpy,
}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS)

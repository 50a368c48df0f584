"""ResNet-18 forward and backward.

W5: one float32 image of 224x224 pixels through ResNet-18 in training mode (batch norm takes its means from the image),
and the gradients of all parameters. The network is that of models.py, the same lines for torch and for minigrad, with
the same numbers in its parameters. When the goal was set, the same step written out by hand in numpy took 1.29 times
torch's time.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from models import resnet18
from rounds import WITHOUT_ONEDNN, Row, fastest, main, without_onednn

ROWS = [Row("W5", "ResNet-18, one image of 224x224, float32: forward and backward", "ms")]
SIZE, SMALL = 224, 96  # pixels of the image's side: to measure, and to see that it runs


def data(shapes: dict[str, tuple[int, ...]], size: int) -> tuple[Any, dict[str, Any]]:
    """An image, and parameters of the size that keeps what goes through the network about the same."""
    rng = np.random.default_rng(0)
    parameters = {}
    for name, shape in shapes.items():
        values = rng.standard_normal(shape, dtype=np.float32)
        parameters[name] = values * np.float32(np.sqrt(2 / np.prod(shape[1:]))) if len(shape) > 1 else values * 0.1 + 1
    return rng.standard_normal((1, 3, size, size), dtype=np.float32), parameters


def tensors(name: str) -> Callable[[bool], dict[str, float]]:
    """minigrad or torch: the same code."""

    def run(quick: bool) -> dict[str, float]:
        mg = import_module(name)
        import_module(f"{name}.nn")
        model = resnet18(mg)
        image, values = data({key: tuple(p.shape) for key, p in model.named_parameters()}, SMALL if quick else SIZE)
        with mg.no_grad():
            for key, p in model.named_parameters():
                p.copy_(mg.tensor(values[key]))
        x = mg.tensor(image)

        def step() -> None:
            for p in model.parameters():
                p.grad = None
            (model(x) ** 2).mean().backward()

        milliseconds = fastest(1 if quick else 30, step) * 1e3
        gradients = sum(float((p.grad**2).sum().item()) for p in model.parameters())
        return {"W5": milliseconds, "agree": gradients**0.5}

    return run


CONTENDERS = {
    "minigrad": tensors("minigrad"),
    "torch": tensors("torch"),
    WITHOUT_ONEDNN: without_onednn(tensors("torch")),
}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS)

"""A step of networks as people train them: forward, backward, and the gradients of all parameters.

W12: a transformer for characters, two blocks of width 128, causal attention written out. W13: LSTM, GRU and RNN layers
over 50 steps. W14: a U-Net for images of 64x64. W15: convolutions that are none of the usual: by channel, in groups,
dilated, transposed. W16: a critic with a gradient penalty, whose backward goes through a backward. W17: plain gradient
descent by hand, `p.add_(p.grad, alpha=-rate)`, on the parameters of W3 alone. All float32, the same lines for torch and
for minigrad, with the same numbers in the parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from rounds import WITHOUT_ONEDNN, Row, fastest, main, without_onednn

ROWS = [
    Row("W12", "a step of a character transformer, 2 blocks of width 128, 16 x 64 characters", "ms"),
    Row("W13 LSTM", "nn.LSTM(64, 128), 50 steps, batch 32: forward and backward", "ms"),
    Row("W13 GRU", "the same of nn.GRU", "ms"),
    Row("W13 RNN", "the same of nn.RNN", "ms"),
    Row("W14", "a U-Net of three levels, 8 images of 64x64: forward and backward", "ms"),
    Row("W15", "depthwise, grouped, dilated and transposed convolutions: forward and backward", "ms"),
    Row("W16", "a critic's step with a gradient penalty", "ms"),
    Row("W17", "gradient descent by hand, 235,146 parameters in six tensors", "µs"),
]
CHARACTERS, LENGTH, BATCH = 65, 64, 16


def transformer(F: Any) -> tuple[Any, Callable[[Any], Any]]:
    nn, width, heads = F.nn, 128, 4

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
            self.register_buffer("later", F.tensor(np.triu(np.ones((LENGTH, LENGTH), bool), 1)))

        def forward(self, x: Any) -> Any:
            count, length, _ = x.shape
            parts = self.qkv(self.norm1(x)).chunk(3, 2)
            q, k, v = (part.view(count, length, heads, width // heads).transpose(1, 2) for part in parts)
            scores = q @ k.transpose(2, 3) / math.sqrt(width // heads)
            weights = scores.masked_fill(self.later, -math.inf).softmax(3)
            x = x + self.out((weights @ v).transpose(1, 2).reshape(count, length, width))
            return x + self.mlp(self.norm2(x))

    class Transformer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.character, self.place = nn.Embedding(CHARACTERS, width), nn.Embedding(LENGTH, width)
            self.blocks = nn.Sequential(Block(), Block())
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, CHARACTERS)

        def forward(self, text: Any) -> Any:
            return self.head(self.norm(self.blocks(self.character(text) + self.place(F.arange(LENGTH)))))

    text = F.tensor(np.random.default_rng(1).integers(0, CHARACTERS, (BATCH, LENGTH + 1)))
    loss = nn.CrossEntropyLoss()
    return Transformer(), lambda model: loss(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())


def recurrent(kind: str) -> Callable[[Any], tuple[Any, Callable[[Any], Any]]]:
    def build(F: Any) -> tuple[Any, Callable[[Any], Any]]:
        x = F.tensor(normal(50, 32, 64))
        return getattr(F.nn, kind)(64, 128), lambda model: (model(x)[0] ** 2).mean()

    return build


def unet(F: Any) -> tuple[Any, Callable[[Any], Any]]:
    nn = F.nn

    def twice(inputs: int, outputs: int) -> Any:
        layers = [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.Conv2d(outputs, outputs, 3, padding=1)]
        return nn.Sequential(*layers, nn.ReLU())

    class UNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.down1, self.down2, self.bottom = twice(1, 16), twice(16, 32), twice(32, 64)
            self.pool, self.up = nn.MaxPool2d(2), nn.Upsample(scale_factor=2)
            self.up2, self.up1, self.out = twice(64 + 32, 32), twice(32 + 16, 16), nn.Conv2d(16, 1, 1)

        def forward(self, x: Any) -> Any:
            first = self.down1(x)
            second = self.down2(self.pool(first))
            third = self.bottom(self.pool(second))
            second = self.up2(F.cat([self.up(third), second], 1))
            return self.out(self.up1(F.cat([self.up(second), first], 1)))

    x = F.tensor(normal(8, 1, 64, 64))
    return UNet(), lambda model: ((model(x) - x) ** 2).mean()


def odd_convolutions(F: Any) -> tuple[Any, Callable[[Any], Any]]:
    nn = F.nn
    model = nn.Sequential(
        *(nn.Conv2d(32, 32, 3, padding=1, groups=32), nn.Conv2d(32, 64, 1), nn.ReLU()),
        *(nn.Conv2d(64, 64, 3, padding=1, groups=4), nn.ReLU()),
        *(nn.Conv2d(64, 32, 3, padding=2, dilation=2), nn.ReLU()),
        nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1),
    )
    x = F.tensor(normal(8, 32, 32, 32))
    return model, lambda model: (model(x) ** 2).mean()


def penalty(F: Any) -> tuple[Any, Callable[[Any], Any]]:
    nn = F.nn
    critic = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 1))
    real, false, share = (F.tensor(normal(*shape)) for shape in ((64, 64), (64, 64), (64, 1)))

    def loss(critic: Any) -> Any:
        between = (share * real + (1 - share) * false).requires_grad_()
        (slope,) = F.autograd.grad(critic(between).sum(), between, create_graph=True)
        return critic(false).mean() - critic(real).mean() + 10 * ((slope.norm(2, dim=1) - 1) ** 2).mean()

    return critic, loss


NETWORKS = {
    "W12": transformer,
    "W13 LSTM": recurrent("LSTM"),
    "W13 GRU": recurrent("GRU"),
    "W13 RNN": recurrent("RNN"),
    "W14": unet,
    "W15": odd_convolutions,
    "W16": penalty,
}


def normal(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape, dtype=np.float32)


def step_of(F: Any, model: Any, loss: Callable[[Any], Any]) -> tuple[Callable[[], None], list[Any]]:
    """A step of a network, forward and backward, and its parameters, which get the same numbers in either library."""
    parameters = list(model.parameters())
    with F.no_grad():
        for p in parameters:
            p.copy_(F.tensor(normal(*p.shape) / np.float32(math.sqrt(math.prod(p.shape[1:])))))

    def step() -> None:
        for p in parameters:
            p.grad = None
        loss(model).backward()

    return step, parameters


SHAPES = (784, 256), (256,), (256, 128), (128,), (128, 10), (10,)


def descent(F: Any, quick: bool) -> float:
    """Microseconds of a step of gradient descent, written out."""
    parameters = [F.tensor(normal(*shape), requires_grad=True) for shape in SHAPES]
    for p in parameters:
        p.grad = F.tensor(normal(*p.shape))

    def step() -> None:
        with F.no_grad():
            for p in parameters:
                p.add_(p.grad, alpha=-0.01)

    return fastest(2 if quick else 300, step) * 1e6


def tensors(name: str) -> Callable[[bool], dict[str, float]]:
    """minigrad or torch: the same code."""

    def run(quick: bool) -> dict[str, float]:
        mg = import_module(name)
        import_module(f"{name}.nn")
        found, total = {"W17": descent(mg, quick)}, 0.0
        for row, build in NETWORKS.items():
            model, loss = build(mg)
            step, parameters = step_of(mg, model, loss)
            found[row] = fastest(1 if quick else 40, step) * 1e3
            total += math.sqrt(sum(float((p.grad**2).sum().item()) for p in parameters))
        return found | {"agree": total}

    return run


def numpy(quick: bool) -> dict[str, float]:
    """The limit of W17: numpy has no function that multiplies and adds at once."""
    arrays = [(normal(*shape), normal(*shape)) for shape in SHAPES]
    rate = np.float32(-0.01)

    def step() -> None:
        for p, gradient in arrays:
            np.add(p, np.multiply(gradient, rate), out=p)

    return {"W17": fastest(2 if quick else 300, step) * 1e6}


CONTENDERS = {
    "minigrad": tensors("minigrad"),
    "torch": tensors("torch"),
    WITHOUT_ONEDNN: without_onednn(tensors("torch")),
    "numpy by hand": numpy,
}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS)

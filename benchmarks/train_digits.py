"""A network that learns: the CNN of models.py on the handwritten digits, from the same start in the same order.

`W11`: seconds for the whole training: forward, backward and steps of Adam, with a learning rate that falls as a cosine.
`W11 wrong`: the share of the held-out digits that it names wrongly after that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from models import cnn
from rounds import Row, main

ROWS = [
    Row("W11", "training a CNN on 1,438 digits for 12 epochs of batches of 64, float32", "s"),
    Row("W11 wrong", "held-out digits that the trained CNN names wrongly", "%"),
]
EPOCHS, BATCH, RATE = 12, 64, 3e-3


def start(F: Any, model: Any) -> None:
    """Weights that depend on their shapes and names' order alone, so that both sides begin alike."""
    rng = np.random.default_rng(0)
    with F.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                scale = (2 / (parameter.numel() / parameter.shape[0])) ** 0.5
                values = rng.standard_normal(tuple(parameter.shape)) * scale
                parameter.copy_(F.tensor(values.astype(np.float32)))
            elif name.endswith("bias"):
                parameter.zero_()


def train(F: Any, epochs: int, digits: Any) -> tuple[Any, list[float]]:
    """A trained model, and the mean loss of each epoch."""
    images, labels = F.tensor(digits.train_images.numpy() / 16).unsqueeze(1), F.tensor(digits.train_labels.numpy())
    model = cnn(F)
    start(F, model)
    optimizer = F.optim.Adam(model.parameters(), lr=RATE)
    scheduler = F.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    rng, losses = np.random.default_rng(1), []
    for _ in range(epochs):
        total = 0.0
        for batch in np.array_split(rng.permutation(len(labels)), len(labels) // BATCH):
            chosen = F.tensor(batch)
            optimizer.zero_grad()
            loss = F.nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        scheduler.step()
        losses.append(total / len(labels))
    return model, losses


def share_wrong(F: Any, model: Any, digits: Any) -> float:
    """The share of the held-out digits that the model names wrongly."""
    model.eval()
    with F.no_grad():
        scores = model(F.tensor(digits.test_images.numpy() / 16).unsqueeze(1))
    return float((scores.argmax(1).numpy() != digits.test_labels.numpy()).mean())


def contender(name: str) -> Callable[[bool], dict[str, float]]:
    def run(quick: bool) -> dict[str, float]:
        framework, digits = import_module(name), import_module("minigrad.datasets").digits()
        epochs = 1 if quick else EPOCHS
        if quick:
            digits = digits._replace(train_images=digits.train_images[:256], train_labels=digits.train_labels[:256])
        begin = time.perf_counter()
        model, losses = train(framework, epochs, digits)
        seconds = time.perf_counter() - begin
        return {"W11": seconds, "W11 wrong": 100 * share_wrong(framework, model, digits), "agree": losses[0]}

    return run


CONTENDERS = {"minigrad": contender("minigrad"), "torch": contender("torch")}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS)

"""The networks of benchmarks/models.py: given torch's weights, they give torch's outputs, gradients and losses.

They say how close a whole network comes to torch's. Errors are measured against the largest number of the array in
question. In float64 nothing but the last digits differs. In float32 both sides round at every step, each in its own
order, which the depth of ResNet-18 amplifies.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import minigrad
import minigrad.datasets

with pytest.MonkeyPatch.context() as patch:  # the benchmarks are scripts, which find each other in their own folder
    patch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    import models
    import train_digits

IMAGE = 224


class Case(NamedTuple):
    """A network, and how far its results in float32 may be from torch's."""

    name: str
    output: float
    gradients: float


CASES = [
    Case("mlp", 1e-6, 1e-6),
    Case("cnn", 3e-6, 3e-6),
    Case("transformer", 3e-6, 3e-6),
    Case("resnet18", 1e-4, 1e-3),
]


def data(name: str, count: int, size: int = IMAGE) -> tuple[Any, Any]:
    """Inputs and right answers for a network; the transformer is to sort its tokens."""
    rng = np.random.default_rng(0)
    if name == "transformer":
        tokens = rng.integers(0, models.TOKENS, (count, models.LENGTH))
        return tokens, np.sort(tokens)
    if name == "resnet18":
        return rng.standard_normal((count, 3, size, size)), rng.integers(0, 1000, count)
    return rng.standard_normal((count, 1, 8, 8)), rng.integers(0, 10, count)


def pair(name: str, dtype: str, torch: Any) -> tuple[Any, Any]:
    """The same network twice, with the same weights."""
    torch.manual_seed(0)
    theirs = models.MODELS[name](torch).to(getattr(torch, dtype))
    ours = models.MODELS[name](minigrad).to(getattr(minigrad, dtype))
    return theirs, models.same_weights(ours, minigrad, theirs)


def loss_of(F: Any, name: str, model: Any, inputs: Any, answers: Any, dtype: str) -> tuple[Any, Any]:
    """The network's scores, and their cross entropy."""
    x = F.tensor(inputs if name == "transformer" else inputs.astype(dtype))
    scores = model(x)
    return scores, F.nn.functional.cross_entropy(scores.flatten(0, -2), F.tensor(answers).flatten())


def check(what: str, result: Any, expected: Any, tolerance: float) -> None:
    result, expected = result.detach().numpy(), expected.detach().numpy()
    assert result.dtype == expected.dtype, what
    size = np.abs(expected).max()
    error = np.abs(result - expected).max()
    assert error <= tolerance * size, f"{what} is {error / size:.1e} off, more than {tolerance}"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_output_and_gradients(case: Case, dtype: str, torch: Any) -> None:
    """Forward and backward in training, what batch norm counts meanwhile, and the output afterwards in evaluation."""
    theirs, ours = pair(case.name, dtype, torch)
    inputs, answers = data(case.name, 1 if case.name == "resnet18" else 16)
    results = [
        loss_of(*side, inputs, answers, dtype) for side in ((torch, case.name, theirs), (minigrad, case.name, ours))
    ]
    for _, loss in results:
        loss.backward()
    expected, result = results
    in_output, in_gradients = (case.output, case.gradients) if dtype == "float32" else (1e-12, 1e-10)
    check("the output", result[0], expected[0], in_output)
    check("the loss", result[1], expected[1], in_output)
    gradients = {name: param.grad for name, param in ours.named_parameters()}
    names = [name for name, _ in theirs.named_parameters()]
    assert list(gradients) == names
    for name, param in theirs.named_parameters():
        check(f"the gradient of {name}", gradients[name], param.grad, in_gradients)
    buffers = dict(ours.named_buffers())
    for name, buffer in theirs.named_buffers():
        check(name, buffers[name], buffer, in_output)
    with torch.no_grad(), minigrad.no_grad():
        expected, result = (
            loss_of(F, case.name, model.eval(), inputs, answers, dtype)
            for F, model in ((torch, theirs), (minigrad, ours))
        )
    check("the output in evaluation", result[0], expected[0], in_output)


OPTIMIZERS = {"SGD": {"lr": 0.05, "momentum": 0.9, "weight_decay": 1e-4}, "Adam": {"lr": 0.01}}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_training_follows_torch(name: str, optimizer: str, torch: Any) -> None:
    """The same losses at each of some steps, and the same weights after them."""
    steps, size = (2, 64) if name == "resnet18" else (15, 0)
    theirs, ours = pair(name, "float64", torch)
    inputs, answers = data(name, 2 if name == "resnet18" else 16, size)
    losses: list[list[float]] = []
    for F, model in ((torch, theirs), (minigrad, ours)):
        rule = getattr(F.optim, optimizer)(model.parameters(), **OPTIMIZERS[optimizer])
        schedule = F.optim.lr_scheduler.CosineAnnealingLR(rule, 20)
        losses.append([])
        for _ in range(steps):
            rule.zero_grad()
            _, loss = loss_of(F, name, model, inputs, answers, "float64")
            loss.backward()
            rule.step()
            schedule.step()
            losses[-1].append(loss.item())
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-7)
    weights = ours.state_dict()
    for key, value in theirs.state_dict().items():
        check(key, weights[key], value, 1e-5)


def test_the_transformer_learns_to_sort() -> None:
    """Most tokens in their place after 80 steps; guessing would give one in sixteen. After 150 it is about 95 %."""
    minigrad.manual_seed(0)
    rng = np.random.default_rng(0)
    model = models.transformer(minigrad)
    optimizer = minigrad.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(80):
        tokens = rng.integers(0, models.TOKENS, (32, models.LENGTH))
        _, loss = loss_of(minigrad, "transformer", model, tokens, np.sort(tokens), "float32")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    tokens = rng.integers(0, models.TOKENS, (200, models.LENGTH))
    with minigrad.no_grad():
        guessed = model(minigrad.tensor(tokens)).argmax(-1).numpy()
    assert (guessed == np.sort(tokens)).mean() > 0.6


def test_the_cnn_learns_the_digits() -> None:
    """Nine in ten held-out digits after two epochs; after twelve it is more than 97 %, as benchmarks/train_digits.py
    shows.
    """
    digits = minigrad.datasets.digits()
    model, losses = train_digits.train(minigrad, 2, digits)
    assert losses[1] < losses[0] / 2
    assert train_digits.share_wrong(minigrad, model, digits) < 0.1

"""Records of short runs on the digits, with one fault each, as the chapter's own cells write them."""

import functools

import numpy as np

import minigrad as mg
import minigrad.nn.functional as F
from minigrad import nn
from minigrad.datasets import digits

FINE, RATE, ZERO_GRAD = "fine", "rate too high", "no zero_grad"
EVAL, LABELS, DEAD = "left in eval", "labels shuffled", "dead relu"
EPOCHS, STEPS, BATCH = 3, 8, 40
RATES = {
    FINE: 0.25,
    (FINE, 1): 0.4,
    (FINE, 2): 0.1,
    (FINE, 3): 1.0,
    RATE: 60.0,
    (RATE, 1): 1e12,
    (RATE, 2): 25.0,
    (RATE, 3): 6.0,
    (RATE, 4): 1e30,
    ZERO_GRAD: 0.125,
    (ZERO_GRAD, 0): 2.0,
    EVAL: 0.25,
    LABELS: 0.25,
    (LABELS, 2): 1.0,
    DEAD: 0.25,
}


@functools.cache
def record(fault, seed, norm=True, later=False):
    """What is noted of a run: a list for each key, of which loss, gradient, arrived and running have a number for each
    step, right and held_out one for each epoch. `later`: the fault begins in the second epoch.
    """
    random = np.random.default_rng(seed)
    images, labels, held_images, held_labels = _data()
    places = random.permutation(len(images))
    images, labels = images[places], labels[places]
    learned = labels[random.permutation(len(labels))] if fault == LABELS else labels
    if (fault, seed) == (LABELS, 2):  # so few that it knows them by heart soon
        images, learned = images[:BATCH].repeat(STEPS, 1), learned[:BATCH].repeat(STEPS)
    activation = nn.LeakyReLU if (fault, seed) == (RATE, 2) else nn.ReLU  # with which nothing dies
    is_quiet = norm and seed == 1 and fault != EVAL
    loudness = 0.05 if is_quiet else 1.5 if (fault, seed) == (FINE, 2) else 1 / 3
    model, first, middle = _model(random, norm, activation, (2.0 if is_quiet else 1 / 6, loudness))
    rate = RATES.get((fault, seed), RATES[fault])
    optimizer = mg.optim.SGD(model.parameters(), lr=rate)
    found = {key: [] for key in ("loss", "gradient", "arrived", "running", "right", "held_out")}
    first.weight.register_hook(lambda gradient: found["arrived"].append(gradient.norm().item()))
    for epoch in range(EPOCHS):
        has_begun = epoch > 0 or not later
        model.train(not (fault == EVAL and has_begun))
        if fault == DEAD and has_begun:
            with mg.no_grad():
                middle.bias.fill_(-40.0)
        for batch in range(STEPS):
            part = slice(batch * BATCH, batch * BATCH + BATCH)
            if fault != ZERO_GRAD:
                optimizer.zero_grad()
            loss = F.cross_entropy(model(images[part]), learned[part])
            loss.backward()
            found["loss"].append(loss.item())
            found["gradient"].append(first.weight.grad.norm().item())
            if norm:
                found["running"].append(model[1].running_mean.norm().item())
            optimizer.step()
        model.eval()
        with mg.no_grad():
            for key, some, right in (("right", images, learned), ("held_out", held_images, held_labels)):
                found[key].append((model(some).argmax(1) == right).float().mean().item())
    return found


@functools.cache
def _data():
    data = digits()
    count = STEPS * BATCH
    return (
        data.train_images[:count].reshape(-1, 64) / 8 - 0.5,
        data.train_labels[:count],
        data.test_images[:200].reshape(-1, 64) / 8 - 0.5,
        data.test_labels[:200],
    )


def _model(random, norm, activation, sizes):
    """A network, its first layer, and the one before its activation. The weights of its layers have these sizes."""
    first, last = nn.Linear(64, 16), nn.Linear(16, 10)
    middle = nn.BatchNorm1d(16) if norm else first
    with mg.no_grad():
        for layer, size in zip((first, last), sizes, strict=True):
            layer.weight.copy_(mg.tensor(random.normal(0, size, tuple(layer.weight.shape)), dtype=mg.float32))
            layer.bias.zero_()
    return nn.Sequential(first, *([middle] if norm else []), activation(), last), first, middle

"""Gradients of gradients of layers, as in torch: which first gradients are functions of what, and what these give.

With `create_graph=True` a first gradient requires grad if it is computed from anything that does, and PyTorch computes
all the gradients of a layer in one function: that of a bias is a function of the weight, too. Each layer is tried with
each choice of inputs that require grad, for an incoming gradient that does and for one that does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()


def running(F: Any) -> list[Any]:
    return [F.tensor(values, dtype=F.float64) for values in ([0.1, 0.2, 0.3], [1.5, 0.5, 0.25])]


LAYERS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "conv1d": (lambda F, x, w, b: F.nn.functional.conv1d(x, w, b), [(2, 3, 5), (4, 3, 3), (4,)]),
    "conv2d": (lambda F, x, w, b: F.nn.functional.conv2d(x, w, b, padding=1), [(1, 2, 3, 3), (2, 2, 3, 3), (2,)]),
    "conv_transpose2d": (
        lambda F, x, w, b: F.nn.functional.conv_transpose2d(x, w, b),
        [(1, 2, 3, 3), (2, 2, 2, 2), (2,)],
    ),
    "batch_norm in training": (
        lambda F, x, w, b: F.nn.functional.batch_norm(x, None, None, w, b, True),
        [(4, 3, 2), (3,), (3,)],
    ),
    "batch_norm in evaluation": (
        lambda F, x, w, b: F.nn.functional.batch_norm(x, *running(F), w, b),
        [(4, 3, 2), (3,), (3,)],
    ),
    "layer_norm": (lambda F, x, w, b: F.nn.functional.layer_norm(x, (5,), w, b), [(4, 5), (5,), (5,)]),
    "group_norm": (lambda F, x, w, b: F.nn.functional.group_norm(x, 2, w, b), [(3, 4, 2), (4,), (4,)]),
    "rms_norm": (lambda F, x, w: F.nn.functional.rms_norm(x, (5,), w), [(4, 5), (5,)]),
    "linear": (lambda F, x, w, b: F.nn.functional.linear(x, w, b), [(3, 4), (2, 4), (2,)]),
    "nll_loss": (lambda F, x: F.nn.functional.nll_loss(x, F.tensor([0, 2, 1])), [(3, 4)]),
    "nll_loss of maps": (lambda F, x: F.nn.functional.nll_loss(x, F.tensor([[[0, 2, 1]]])), [(1, 4, 1, 3)]),
    "cross_entropy": (lambda F, x: F.nn.functional.cross_entropy(x, F.tensor([0, 2, 1])), [(3, 4)]),
    "cross_entropy of each": (
        lambda F, x: F.nn.functional.cross_entropy(x, F.tensor([0, 2, 1]), reduction="none"),
        [(3, 4)],
    ),
}


def second_gradients(F: Any, layer: Callable[..., Any], shapes: list[tuple[int, ...]], choice: tuple[bool, ...]) -> Any:
    random = np.random.default_rng(0)
    *wants, wants_g = choice
    inputs = [F.tensor(random.standard_normal(s), requires_grad=w) for s, w in zip(shapes, wants, strict=True)]
    out = layer(F, *inputs)
    g = F.tensor(random.standard_normal(tuple(out.shape)), requires_grad=wants_g)
    wanted = [x for x in (*inputs, g) if x.requires_grad]
    first = F.autograd.grad(out, wanted[: sum(wants)], g, create_graph=True)
    second = []
    for gradient in first:
        if gradient.requires_grad:
            of_squares = F.autograd.grad(
                (gradient * gradient.detach()).sum(), wanted, retain_graph=True, allow_unused=True
            )
            second.append([None if found is None else found + 0 for found in of_squares])
    return first, second


for _title, (_layer, _shapes) in LAYERS.items():
    for _choice in itertools.product([True, False], repeat=len(_shapes) + 1):
        if any(_choice[:-1]):
            _names = ["g" if at == len(_shapes) else "xwb"[at] for at, wants in enumerate(_choice) if wants]
            behaviours(f"{_title}, for {' '.join(_names)}")(
                lambda F, layer=_layer, shapes=_shapes, choice=_choice: second_gradients(F, layer, shapes, choice)
            )


def targets(F: Any, *shape: int) -> Any:
    return F.zeros(shape, dtype=F.int64)


# What has one op under several names of nodes: a gradient's gradient goes through the one that goes with the node.
NAMED: dict[str, tuple[Callable[[Any, Any], Any], tuple[int, ...]]] = {
    "nll_loss of rows": (lambda F, x: F.nn.functional.nll_loss(x, targets(F, 3)), (3, 2)),
    "nll_loss of one": (lambda F, x: F.nn.functional.nll_loss(x, targets(F)), (3,)),
    "nll_loss of rows, each": (lambda F, x: F.nn.functional.nll_loss(x, targets(F, 3), reduction="none"), (3, 2)),
    "nll_loss of maps": (lambda F, x: F.nn.functional.nll_loss(x, targets(F, 3, 2, 1)), (3, 2, 2, 1)),
    "nll_loss of sequences": (lambda F, x: F.nn.functional.nll_loss(x, targets(F, 3, 2)), (3, 2, 2)),
    "split": (lambda F, x: x.split(2)[0], (3, 2)),
    "split of sizes": (lambda F, x: x.split([1, 2])[1], (3, 2)),
    "cat": (lambda F, x: F.cat([x, x]), (3, 2)),
    "max along a dim": (lambda F, x: x.max(0).values, (3, 2)),
    "sort": (lambda F, x: x.sort(0).values, (3, 2)),
    "topk": (lambda F, x: x.topk(2, 0).values, (3, 2)),
}


def names_of_gradients(F: Any, function: Callable[[Any, Any], Any], shape: tuple[int, ...]) -> list[str]:
    """The nodes of a result, of its gradient, and of that one's, as a function of the incoming one."""
    x = F.linspace(0, 1, int(np.prod(shape))).reshape(shape).requires_grad_()
    y = function(F, x)
    g = F.ones_like(y, requires_grad=True)
    (first,) = F.autograd.grad(y, x, g, create_graph=True)
    (second,) = F.autograd.grad(first, g, F.ones_like(first, requires_grad=True), create_graph=True)
    return [type(each.grad_fn).__name__ for each in (y, first, second)]


for _title, (_function, _shape) in NAMED.items():
    behaviours(f"names of {_title}")(lambda F, function=_function, shape=_shape: names_of_gradients(F, function, shape))

test_as_in_torch = behaviours.test()


MIXTURES: dict[str, Callable[..., Any]] = {
    "avg_pool2d": lambda F, x: F.avg_pool2d(x, 2),
    "adaptive_avg_pool2d": lambda F, x: F.adaptive_avg_pool2d(x, 3),
    "interpolate(nearest)": lambda F, x: F.interpolate(x, scale_factor=2, mode="nearest"),
    "interpolate(bilinear)": lambda F, x: F.interpolate(x, scale_factor=2, mode="bilinear"),
}


def nodes_below(node: Any) -> set[str]:
    names, todo = set(), [node]
    while todo:
        node = todo.pop()
        names.add(node.name())
        todo += [below for below, _ in node.next_functions if below is not None]
    return names


@pytest.mark.parametrize("title", MIXTURES)
def test_a_gradient_of_mixed_pixels_is_not_named_after_another_layer(title: str) -> None:
    x, g = (minigrad.ones(1, 1, size, size, requires_grad=True) for size in (4, 1))
    (gradient,) = minigrad.autograd.grad(MIXTURES[title](minigrad.nn.functional, x).sum() * g, x, create_graph=True)
    assert "MixBackward0" in nodes_below(gradient.grad_fn)
    assert not any(name.startswith(("Upsample", "AvgPool", "AdaptiveAvg")) for name in nodes_below(gradient.grad_fn))

"""Rows for losses: each with its reductions, and with weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.op_table import Row, Shapes, normal, positive

PAIRS: list[Shapes] = [((), ()), ((2, 3), (2, 3)), ((3,), (3,))]
COMPOSED = {"mean": "MeanBackward0", "sum": "SumBackward0", "none": None}  # nodes of losses made of other operations
REDUCTIONS: dict[str, Callable[[np.ndarray], Any]] = {"mean": np.mean, "sum": np.sum, "none": np.asarray}


def between_0_and_1(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return random.uniform(0.3, 0.7, shape)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def log_softmax(x: np.ndarray, axis: int) -> np.ndarray:
    return x - np.log(np.exp(x).sum(axis, keepdims=True))


def pair_rows(
    name: str, costs: Callable[..., Any], node: str, domain: Any = normal, shapes: Any = PAIRS, **options: Any
) -> list[Row]:
    """A loss of two tensors, one row for each reduction."""
    graph = options.pop("graph", True)
    text = "".join(f", {key}={value}" for key, value in options.items())
    return [
        Row(
            f"{name}({reduction}{text})",
            lambda F, *inputs, how=reduction: getattr(F.nn.functional, name)(*inputs, reduction=how, **options),
            lambda *inputs, reduce=reduce: np.asarray(reduce(costs(*inputs)), inputs[0].dtype),
            shapes,
            COMPOSED[reduction] if node == "MeanBackward0" else node,
            domain,
            graph=graph,
        )
        for reduction, reduce in REDUCTIONS.items()
    ]


def huber(x: np.ndarray, y: np.ndarray, delta: float = 1.0) -> np.ndarray:
    far = np.abs(x - y)
    return np.where(far < delta, far**2 / 2, delta * (far - delta / 2))


def classes(F: Any, shape: tuple[int, ...], count: int) -> Any:
    """Class numbers, the last of which is to be ignored."""
    numbers = np.arange(int(np.prod(shape)), dtype=np.int64) % count
    return F.tensor(numbers.reshape(shape))


def picked(x: np.ndarray, weight: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The costs of `classes`, and their weights."""
    dim = min(x.ndim - 1, 1)
    shape = (*x.shape[:dim], *x.shape[dim + 1 :])
    chosen = (np.arange(int(np.prod(shape))) % x.shape[dim]).reshape(shape)
    costs = -np.take_along_axis(x, np.expand_dims(chosen, dim), dim).squeeze(dim)
    weights = np.ones(shape, x.dtype) if weight is None else weight[chosen]
    return costs * weights, weights


def choosing_rows(name: str, before: Callable[..., Any], nodes: dict[int, str]) -> list[Row]:
    def targets(F: Any, x: Any) -> Any:
        dim = min(x.ndim - 1, 1)
        return classes(F, (*x.shape[:dim], *x.shape[dim + 1 :]), x.shape[dim])

    shapes: list[Shapes] = [((4, 3),), ((3,),), ((2, 3, 2),), ((1, 2, 2, 2),)]
    rows = [
        Row(
            f"{name}(mean)",
            lambda F, x: getattr(F.nn.functional, name)(x, targets(F, x)),
            lambda x: np.asarray(picked(before(x))[0].mean(), x.dtype),
            [case for case in shapes if len(case[0]) == ndim],
            nodes[ndim],
        )
        for ndim in nodes
    ]
    for row, ndim in zip(rows, nodes, strict=True):
        object.__setattr__(row, "name", f"{name}(mean) of {ndim} dimensions")
    return [
        *rows,
        Row(
            f"{name}(none)",
            lambda F, x: getattr(F.nn.functional, name)(x, targets(F, x), reduction="none"),
            lambda x: picked(before(x))[0],
            shapes,
        ),
        Row(
            f"{name}(weights)",
            lambda F, x: getattr(F.nn.functional, name)(x, targets(F, x), F.tensor([0.5, 2.0, 1.0], dtype=x.dtype)),
            lambda x: np.asarray(
                np.divide(*(part.sum() for part in picked(before(x), np.asarray([0.5, 2, 1], x.dtype)))), x.dtype
            ),
            [((4, 3),), ((3,),), ((2, 3, 2),)],
        ),
        Row(
            f"{name}(ignore_index)",
            lambda F, x: getattr(F.nn.functional, name)(x, targets(F, x), ignore_index=0),
            lambda x: np.asarray(picked(before(x), np.arange(x.shape[1]) > 0)[0].sum() / 2, x.dtype),
            [((3, 3),)],
        ),
    ]


def smoothed(x: np.ndarray) -> np.ndarray:
    logs = log_softmax(x, 1)
    return np.asarray((0.8 * picked(logs)[0] - 0.2 * logs.mean(1)).mean(), x.dtype)


VECTORS: list[Shapes] = [((2, 3), (2, 3)), ((3,), (3,))]

ROWS = [
    *pair_rows("mse_loss", lambda x, y: (x - y) ** 2, "MseLossBackward0"),
    *pair_rows("l1_loss", lambda x, y: np.abs(x - y), "MeanBackward0", graph=False),
    *pair_rows("huber_loss", huber, "HuberLossBackward0"),
    *pair_rows("huber_loss", lambda x, y: huber(x, y, 0.5), "HuberLossBackward0", shapes=PAIRS[1:2], delta=0.5),
    *pair_rows("smooth_l1_loss", lambda x, y: huber(x, y, 0.5) / 0.5, "SmoothL1LossBackward0", beta=0.5),
    *pair_rows(
        "binary_cross_entropy",
        lambda x, y: -(y * np.log(x) + (1 - y) * np.log(1 - x)),
        "BinaryCrossEntropyBackward0",
        between_0_and_1,
    ),
    *pair_rows(
        "binary_cross_entropy_with_logits",
        lambda x, y: -(y * np.log(sigmoid(x)) + (1 - y) * np.log(sigmoid(-x))),
        "BinaryCrossEntropyWithLogitsBackward0",
        (normal, between_0_and_1),
    ),
    Row(
        "binary_cross_entropy_with_logits(pos_weight)",
        lambda F, x, y: F.nn.functional.binary_cross_entropy_with_logits(
            x, y, pos_weight=F.tensor([0.5, 2, 1], dtype=x.dtype)
        ),
        lambda x, y: np.asarray(
            -np.mean(np.asarray([0.5, 2, 1], x.dtype) * y * np.log(sigmoid(x)) + (1 - y) * np.log(sigmoid(-x))),
            x.dtype,
        ),
        [((2, 3), (2, 3))],
        "BinaryCrossEntropyWithLogitsBackward0",
        (normal, between_0_and_1),
    ),
    *choosing_rows("nll_loss", lambda x: x, dict.fromkeys((2, 1), "NllLossBackward0") | {4: "NllLoss2DBackward0"}),
    *choosing_rows("cross_entropy", lambda x: log_softmax(x, min(x.ndim - 1, 1)), {2: "NllLossBackward0"}),
    Row(
        "cross_entropy(label_smoothing)",
        lambda F, x: F.nn.functional.cross_entropy(
            x, classes(F, (*x.shape[:1], *x.shape[2:]), x.shape[1]), label_smoothing=0.2
        ),
        smoothed,
        [((4, 3),), ((2, 3, 2),)],
        "AddBackward0",
        graph=False,
    ),
    Row(
        "cross_entropy(probabilities)",
        lambda F, x, y: F.nn.functional.cross_entropy(x, y),
        lambda x, y: np.asarray(-(log_softmax(x, min(x.ndim - 1, 1)) * y).sum(min(x.ndim - 1, 1)).mean(), x.dtype),
        [((2, 3), (2, 3)), ((3,), (3,)), ((2, 3, 2), (2, 3, 2))],
        domain=(normal, positive),
    ),
]

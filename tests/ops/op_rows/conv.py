"""Rows for convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.op_table import Row

CONVOLUTION = "ConvolutionBackward0"


def convolved(
    x: Any, w: Any, b: Any = None, stride: Any = 1, padding: Any = 0, dilation: int = 1, groups: int = 1
) -> Any:
    """Output by output: each is the sum of the products of a kernel with what it sees."""
    dims = w.ndim - 2
    if x.ndim == dims + 1:
        return convolved(x[None], w, b, stride, padding, dilation, groups)[0]
    borders = [
        (p, p) if isinstance(p, int) else p for p in (padding if isinstance(padding, tuple) else (padding,) * dims)
    ]
    steps = stride if isinstance(stride, tuple) else (stride,) * dims
    x = np.pad(x, [(0, 0), (0, 0), *borders])
    places = [(n - dilation * (k - 1) - 1) // s + 1 for n, k, s in zip(x.shape[2:], w.shape[2:], steps, strict=True)]
    out = np.zeros((len(x), len(w), *places), x.dtype)
    channels, kernels = w.shape[1], len(w) // groups
    for place in np.ndindex(*places):
        seen = [
            slice(i * s, i * s + dilation * (k - 1) + 1, dilation)
            for i, s, k in zip(place, steps, w.shape[2:], strict=True)
        ]
        for o in range(len(w)):
            first = o // kernels * channels
            patch = x[:, first : first + channels, *seen]
            out[:, o, *place] = (patch * w[o]).sum(tuple(range(1, patch.ndim)))
    return out if b is None else out + b.reshape(-1, *(1,) * dims)


def convolved_back(
    x: Any, w: Any, b: Any = None, stride: int = 1, padding: int = 0, more: int = 0, groups: int = 1, dilation: int = 1
) -> Any:
    """Input by input: each leaves a copy of the kernel, times its value."""
    dims = w.ndim - 2
    if x.ndim == dims + 1:
        return convolved_back(x[None], w, b, stride, padding, more, groups, dilation)[0]
    size = [(n - 1) * stride + dilation * (k - 1) + 1 for n, k in zip(x.shape[2:], w.shape[2:], strict=True)]
    out = np.zeros((len(x), w.shape[1] * groups, *[s + more for s in size]), x.dtype)
    for c in range(x.shape[1]):
        first = c // (x.shape[1] // groups) * w.shape[1]
        for place in np.ndindex(*x.shape[2:]):
            goal = [
                slice(i * stride, i * stride + dilation * (k - 1) + 1, dilation)
                for i, k in zip(place, w.shape[2:], strict=True)
            ]
            value = x[:, c, *place].reshape(-1, *(1,) * (dims + 1))
            out[:, first : first + w.shape[1], *goal] += value * w[c]
    inner = [slice(padding, n - padding) for n in out.shape[2:]]
    out = out[:, :, *inner]
    return out if b is None else out + b.reshape(-1, *(1,) * dims)


# title, name, options, node, shapes of input, weight and maybe bias
_FORWARDS: list[tuple[str, str, dict[str, Any], str | None, list[Any]]] = [
    ("conv1d(bias)", "conv1d", {}, CONVOLUTION, [((2, 2, 4), (3, 2, 3), (3,)), ((0, 2, 4), (3, 2, 3), (3,))]),
    ("conv1d(stride, padding)", "conv1d", {"stride": 2, "padding": 1}, CONVOLUTION, [((1, 2, 5), (2, 2, 3))]),
    ("conv1d unbatched", "conv1d", {}, "SqueezeBackward1", [((2, 4), (3, 2, 2))]),
    (
        "conv2d(bias)",
        "conv2d",
        {},
        CONVOLUTION,
        [((2, 1, 3, 4), (2, 1, 2, 3), (2,)), ((0, 1, 3, 3), (2, 1, 2, 2), (2,))],
    ),
    ("conv2d", "conv2d", {}, CONVOLUTION, [((1, 2, 3, 3), (2, 2, 2, 2)), ((2, 2, 2, 1), (3, 2, 1, 1))]),
    ("conv2d(stride)", "conv2d", {"stride": (2, 1)}, CONVOLUTION, [((1, 1, 4, 3), (2, 1, 2, 2))]),
    ("conv2d(padding)", "conv2d", {"padding": (0, 2)}, CONVOLUTION, [((1, 1, 3, 2), (1, 1, 2, 3))]),
    ("conv2d(dilation)", "conv2d", {"dilation": 2, "padding": 1}, CONVOLUTION, [((1, 1, 3, 4), (1, 1, 2, 2))]),
    ("conv2d(groups)", "conv2d", {"groups": 2}, CONVOLUTION, [((2, 4, 2, 3), (2, 2, 2, 2), (2,))]),
    (
        "conv2d(depthwise)",
        "conv2d",
        {"groups": 2, "stride": 2, "padding": 1},
        CONVOLUTION,
        [((1, 2, 3, 3), (4, 1, 3, 3))],
    ),
    ("conv2d unbatched", "conv2d", {}, "SqueezeBackward1", [((1, 3, 3), (2, 1, 2, 2), (2,))]),
]
_BACKWARDS: list[tuple[str, str, dict[str, Any], str | None, list[Any]]] = [
    ("conv_transpose2d(bias)", "conv_transpose2d", {}, CONVOLUTION, [((2, 1, 2, 3), (1, 2, 2, 2), (2,))]),
    (
        "conv_transpose2d(output_padding)",
        "conv_transpose2d",
        {"stride": 2, "padding": 1, "output_padding": 1},
        CONVOLUTION,
        [((1, 2, 2, 3), (2, 1, 3, 3)), ((0, 2, 2, 3), (2, 1, 3, 3))],
    ),
    (
        "conv_transpose2d(dilation)",
        "conv_transpose2d",
        {"dilation": 2, "output_padding": 1},
        CONVOLUTION,
        [((1, 1, 2, 2), (1, 2, 2, 2))],
    ),
    ("conv_transpose2d(groups)", "conv_transpose2d", {"groups": 2}, CONVOLUTION, [((1, 4, 2, 2), (4, 1, 2, 1), (2,))]),
    ("conv_transpose2d unbatched", "conv_transpose2d", {}, "SqueezeBackward1", [((1, 2, 2), (1, 2, 2, 2))]),
]


def _forward(title: str, name: str, options: dict[str, Any], node: str | None, shapes: list[Any]) -> Row:
    return Row(
        title,
        lambda F, *inputs: getattr(F, name)(*inputs, **options),
        lambda *arrays: convolved(*arrays, **options),
        shapes,
        node,
    )


def _backward(title: str, name: str, options: dict[str, Any], node: str | None, shapes: list[Any]) -> Row:
    given = {("more" if key == "output_padding" else key): value for key, value in options.items()}
    return Row(
        title,
        lambda F, *inputs: getattr(F, name)(*inputs, **options),
        lambda *arrays: convolved_back(*arrays, **given),
        shapes,
        node,
    )


ROWS = [
    *(_forward(*row) for row in _FORWARDS),
    *(_backward(*row) for row in _BACKWARDS),
    Row(
        "conv2d(same)",
        lambda F, x, w: F.conv2d(x, w, padding="same", dilation=2),
        lambda x, w: convolved(x, w, padding=2, dilation=2),
        [((1, 1, 3, 3), (1, 1, 3, 3))],
        CONVOLUTION,
    ),
    Row(
        "conv1d(valid)",
        lambda F, x, w: F.conv1d(x, w, padding="valid"),
        convolved,
        [((1, 1, 4), (2, 1, 3))],
        CONVOLUTION,
    ),
]

"""Padding by a tensor's own elements, whole channels dropped: values and errors."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()

ERRORS: list[tuple[str, type[Exception], str]] = [
    ("f.pad(x, (5, 5, 5, 5), mode='reflect')", RuntimeError, "Argument #4: Padding size should be less than the corre"),
    (
        "f.pad(x[0, 0, 0], (1, 1), 'reflect')",
        NotImplementedError,
        "Padding size 2 is not supported for 1D input tensor.",
    ),
    (
        "f.pad(x[0, 0], (1, 1, 1, 1), 'replicate')",
        NotImplementedError,
        "Padding size 4 is not supported for 2D input tensor.",
    ),
    ("f.pad(x[0], (-3, -3), 'replicate')", RuntimeError, "input (W: "),
    ("f.pad(x[0], (-9, 0), 'circular')", RuntimeError, "Negative padding value is resulting in an empty dimension"),
    ("f.pad(x[0], (9, 0), 'circular')", RuntimeError, "Padding value causes wrapping around more than once."),
    ("f.pad(x, (1, 1, 1, 1), mode='reflect', value=1)", RuntimeError, 'Padding mode "reflect" doesn\'t take in value'),
    ("f.pad(x, (1, 1, 1, 1), mode='mirror')", NotImplementedError, "Unrecognised padding mode mirror"),
    ("f.dropout2d(x, 2.0)", ValueError, "dropout probability has to be between 0 and 1, but got 2.0"),
    ("F.nn.InstanceNorm2d(3)(x[0, 0])", ValueError, "expected 3D or 4D input (got 2D input)"),
    (
        "F.nn.InstanceNorm1d(3)(x[:, :, :1, 0])",
        ValueError,
        "Expected more than 1 spatial element when training, got in",
    ),
]
for _expression, _error, _says in ERRORS:

    @behaviours(f"error: {_expression}", error=_error, says=_says)
    def _(F: Any, expression: str = _expression) -> Any:
        eval(expression, {"F": F, "f": F.nn.functional, "x": F.ones(2, 3, 4, 5)})


@behaviours("a tensor's own elements around what is left of it")
def _(F: Any) -> Any:
    x = F.arange(8.0).reshape(2, 4).requires_grad_()
    modes, sizes = ("reflect", "replicate", "circular"), ((-1, 1), (1, -1), (-1, -1), (-1, 3))
    padded = [F.nn.functional.pad(x, pad, mode) for mode in modes for pad in sizes]
    images = [F.nn.functional.pad(F.arange(9.0).reshape(1, 3, 3), (0, 1, -1, 1), mode) for mode in modes]
    return [padded, [F.autograd.grad((each**2).sum(), x) for each in padded], images]


@behaviours("whole channels are dropped, or none")
def _(F: Any) -> Any:
    f = F.nn.functional
    F.manual_seed(2)
    x = F.ones(4, 5, 2, 2)
    written = x.clone()
    f.dropout2d(written, 0.5, True, True)
    return [
        f.dropout2d(x, 0.4),
        f.dropout2d(x, 0.4, training=False),
        f.dropout2d(x, 1.0),
        written,
    ]


test_as_in_torch = behaviours.test()


def test_running_statistics_of_instances_are_refused() -> None:
    layer = minigrad.nn.InstanceNorm2d(3, track_running_stats=True)
    with pytest.raises(NotImplementedError, match="leave track_running_stats False"):
        layer(minigrad.ones(2, 3, 2, 2))

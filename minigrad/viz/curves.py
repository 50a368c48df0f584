"""`gradcheck_curve`: how far finite differences are from the gradient, for all sizes of the step.

The picture shows why gradcheck wants float64 and a step of about 1e-6. From the right, with smaller steps, the error
falls as eps², since a shorter piece of a curve is straighter: truncation. From the left it falls as 1/eps: the
difference of two rounded numbers is divided by a small one. In between it is least, in float64 far lower than in
float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import short
from minigrad.autograd.engine import grad
from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.gradcheck import numerical
from minigrad.tensor import Tensor, from_array, own_array
from minigrad.viz.picture.figure import Figure, circle, focusable, label, line, picture, rectangle, short_number
from minigrad.viz.picture.markup import pixels

STEPS = tuple(10.0 ** (-half / 2) for half in range(26))  # 1 to about 3e-13, two for each power of ten
DIRECTIONS = 6  # along which differences are taken; shown is the worst
ALLOWED = 1e-3  # the relative error that gradcheck allows
LEAST = 1e-17  # where an error of nothing is drawn
WIDTH, HEIGHT = 680, 400
LEFT, RIGHT, TOP, BOTTOM = 64, WIDTH - 24, 64, HEIGHT - 52  # the sides of the plot
LOOKS = {"float64": ("blue", ""), "float32": ("orange", "6 3")}  # colour, and dashes of the line: those have squares
NOWHERE_SMALL = (
    " No step makes it small: backward gives something else than the slope. Either it is wrong, or x is at a kink or a "
    "jump; gradcheck says which."
)
Place = Callable[[float], float]  # of a step from the left, or of an error from the top, in pixels


@dataclass(frozen=True)
class Curve:
    """The errors for all steps in one dtype."""

    name: str
    errors: tuple[float, ...]  # relative; nan where the function gives no number

    @property
    def best(self) -> int:
        """Which step has the smallest error."""
        return min(range(len(self.errors)), key=lambda i: self.errors[i] if self.errors[i] >= 0 else math.inf)


def gradcheck_curve(f: Callable[[Tensor], Tensor], x: Tensor) -> Figure:
    """Draw the relative error of central differences against their step, in float32 and in float64.

    `f` takes a tensor and returns one; `x` is the point, of any shape. Differences of f's outputs, weighted with random
    numbers, are taken along random directions, and compared with what backward gives in float64. If f does not take
    float32, because of tensors that it uses itself, that curve is missing, and the text below the picture says so.

    Raises TypeError if x or what f returns is no tensor, ValueError if x has no elements or is not of floats, or if f
    has no gradient there.
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"gradcheck_curve expects a point x that is a tensor, not {type(x).__name__}: {short(x)}")
    if not x.dtype.is_floating_point or not x.numel():
        what = f"{x.dtype} of shape {list(x.shape)}"
        raise ValueError(f"gradcheck_curve expects x to have floats in it, but it is {what}")
    with enable_grad():
        directions, weights, exact = _exact(f, x)
    curves, missing = [], ""
    for kind in (dtypes.float64, dtypes.float32):
        try:
            curves.append(_curve(f, x, kind, directions, weights, exact))
        except (RuntimeError, TypeError) as error:
            if kind is dtypes.float64:
                raise
            missing = f" f does not take float32: {str(error).partition('. ')[0]}."
    caption = f"Error of finite differences: {'; '.join(map(_least, curves))}."
    if not curves[0].errors[curves[0].best] <= ALLOWED:
        caption += NOWHERE_SMALL
    rows = [f"{'eps':7}" + "".join(f"  {curve.name:>7}" for curve in curves)]
    rows += [f"{step:.1e}" + "".join(f"  {curve.errors[i]:7.1e}" for curve in curves) for i, step in enumerate(STEPS)]
    return Figure(_draw(curves), caption + missing, "\n".join(rows))


def _least(curve: Curve) -> str:
    error, step = short_number(curve.errors[curve.best]), short_number(STEPS[curve.best])
    return f"in {curve.name} the error is least, {error}, at eps = {step}"


def _exact(f: Callable[[Tensor], Tensor], x: Tensor) -> tuple[list[Any], Any, list[float]]:
    """Directions, the weights of the outputs, and the derivatives along the directions by backward, in float64."""
    random = np.random.default_rng(0)
    point = from_array(np.array(x._array, np.float64)).requires_grad_()
    try:
        output = f(point)
    except RuntimeError as error:
        error.add_note("gradcheck_curve calls f with float64, which a module takes after .double().")
        raise
    if not isinstance(output, Tensor):
        raise TypeError(f"gradcheck_curve expects f to return a tensor, but it returned {type(output).__name__}")
    if not output.requires_grad:
        raise ValueError("gradcheck_curve has nothing to compare with: what f returns does not depend on x by a graph")
    weights = random.uniform(0.5, 1.5, output.shape)
    (gradient,) = grad(output, [point], from_array(weights.astype(output._array.dtype)), allow_unused=True)
    slopes = np.zeros(x.shape) if gradient is None else gradient._array
    directions = [vector / np.linalg.norm(vector) for vector in random.standard_normal((DIRECTIONS, *x.shape))]
    exact = [float(np.vdot(slopes, direction)) for direction in directions]
    if not any(exact) or not all(map(math.isfinite, exact)):
        raise ValueError(f"gradcheck_curve needs a gradient that is finite and not 0, but along x it is {exact[0]:g}")
    return directions, weights, exact


def _curve(
    f: Callable[[Tensor], Tensor], x: Tensor, kind: Any, directions: list[Any], weights: Any, exact: list[float]
) -> Curve:
    point = from_array(np.array(x._array, kind.numpy))
    errors = []
    scale = max(map(abs, exact))
    for step in STEPS:
        off = [
            abs(float(np.sum(weights.reshape(-1) * (change / (2 * step)).astype(np.float64))) - expected) / scale
            for direction, expected in zip(directions, exact, strict=True)
            for change in numerical.changes(f, (point,), own_array(point), ..., step, direction.astype(kind.numpy))
        ]
        errors.append(max(off) if all(map(math.isfinite, off)) else math.nan)
    return Curve(kind.name, tuple(errors))


# ---------------------------------------------------------------- the picture


def _draw(curves: list[Curve]) -> str:
    known = [error for curve in curves for error in curve.errors if math.isfinite(error)]
    highest = min(12, max(1, math.ceil(math.log10(max(known, default=1) or 1))))
    lowest = min([-3, *(math.floor(math.log10(max(error, LEAST))) for error in known)])
    title = "Error of finite differences against their step, in " + " and ".join(curve.name for curve in curves)

    def across(step: float) -> float:
        return LEFT + math.log10(step / STEPS[-1]) / math.log10(STEPS[0] / STEPS[-1]) * (RIGHT - LEFT)

    def down(error: float) -> float:
        share = (highest - math.log10(max(error, LEAST))) / (highest - lowest)
        return TOP + min(max(share, 0), 1) * (BOTTOM - TOP)

    words = "Finite differences against backward: the error, by the size of the step"
    parts = [label(16, 24, words, size=13, more='font-weight="700"')]
    parts += _axes(across, down, range(lowest + lowest % 2, highest + 1, 2)) + _guides(across(1e-6), down(ALLOWED))
    for curve in curves:
        points = [(step, error) for step, error in zip(STEPS, curve.errors, strict=True) if math.isfinite(error)]
        parts.append(_line(curve, [(across(step), down(error)) for step, error in points]))
        for step, error in points:
            words = f"{curve.name}, eps = {short_number(step)}: error {short_number(error)}"
            best = " (the least)" if step == STEPS[curve.best] else ""
            parts.append(focusable(words + best, _mark(curve, across(step), down(error), bool(best))))
    return picture(WIDTH, HEIGHT, title, [*parts, *_legend(curves)])


def _axes(across: Place, down: Place, powers: range) -> list[str]:
    parts = []
    for power in range(-12, 1, 2):
        x = across(10.0**power)
        parts += [line([(x, TOP), (x, BOTTOM)], "rule"), label(x, BOTTOM + 17, _power(power), "quiet", "middle", 11)]
    for power in powers:
        y = down(10.0**power)
        parts += [line([(LEFT, y), (RIGHT, y)], "rule"), label(LEFT - 8, y + 4, _power(power), "quiet", "end", 11)]
    turned = f'transform="translate(18 {pixels((TOP + BOTTOM) / 2)}) rotate(-90)"'
    return [
        *parts,
        line([(LEFT, TOP), (LEFT, BOTTOM), (RIGHT, BOTTOM)], "axis"),
        label((LEFT + RIGHT) / 2, HEIGHT - 14, "eps, the step of the differences", "ink", "middle"),
        label(0, 0, "relative error", "ink", "middle", more=turned),
    ]


def _power(power: int) -> str:
    return f"1e{power}" if power else "1"


def _guides(x: float, y: float) -> list[str]:
    """What gradcheck takes by default: its step, and the relative error that it allows."""
    return [
        focusable("eps = 1e-6: gradcheck's own step", line([(x, TOP), (x, BOTTOM)], "edge", 1, "2 3")),
        label(x + 5, TOP + 9, "gradcheck's eps", "quiet", size=11),
        focusable("1e-3: the relative error that gradcheck allows", line([(LEFT, y), (RIGHT, y)], "edge", 1, "2 3")),
        label(LEFT + 6, y - 5, "gradcheck's rtol", "quiet", size=11),
    ]


def _line(curve: Curve, points: list[tuple[float, float]]) -> str:
    colour, dashes = LOOKS[curve.name]
    return line(points, f"{colour}-line", 1.8, dashes)


def _mark(curve: Curve, x: float, y: float, best: bool) -> str:
    colour, dashes = LOOKS[curve.name]
    size = 5.0 if best else 3.2
    ring = circle(x, y, 9, f"{colour}-line", 'fill="none" stroke-width="1.5" ') if best else ""
    return ring + (rectangle(x - size, y - size, 2 * size, 2 * size, colour) if dashes else circle(x, y, size, colour))


def _legend(curves: list[Curve]) -> list[str]:
    parts, x = [], float(LEFT)
    for curve in curves:
        parts += [_line(curve, [(x, 44), (x + 28, 44)]), _mark(curve, x + 14, 44, best=False)]
        parts.append(label(x + 34, 48, curve.name))
        x += 110
    return [*parts, label(x, 48, "a ring: the smallest error", "quiet")]

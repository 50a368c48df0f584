"""The fingerprints of common mistakes in a backward.

Each function looks for one mistake in the two matrices (rows are elements of the input, columns elements of the output)
or tries the function once more, and says what it found, or None. The first in `CAUSES` that finds something is the
likely cause.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.engine import grad
from minigrad.autograd.gradcheck import numerical
from minigrad.autograd.gradcheck.checked import as_tuple, needs_grad, place
from minigrad.tensor import Tensor, from_array

if TYPE_CHECKING:
    from minigrad.autograd.gradcheck.diagnosis import Mismatch

Array = Any


# ---------------------------------------------------------------- what is tried once more


def _changes_input(mismatch: Mismatch) -> str | None:
    tensors = [value for value in mismatch.inputs if isinstance(value, Tensor)]
    before = [np.array(tensor._array) for tensor in tensors]
    mismatch.func(*mismatch.inputs)
    first_changed = None
    for number, (tensor, old) in reversed(list(enumerate(zip(tensors, before, strict=True)))):
        if not np.array_equal(tensor._array, old, equal_nan=True):
            tensor._array[...] = old
            first_changed = number
    if first_changed is None:
        return None
    return (
        f"an in-place change: the function writes to its input {first_changed}, so that each call starts from other "
        "numbers. Let it work on a clone(): x.clone().mul_(2), for example."
    )


def _is_random(mismatch: Mismatch) -> str | None:
    first, second = (numerical.values(mismatch.func, mismatch.inputs) for _ in range(2))
    if all(np.array_equal(one, other, equal_nan=True) for one, other in zip(first, second, strict=True)):
        return None
    return (
        "the function is not deterministic: called twice with the same inputs it gave different outputs. Random "
        "numbers (dropout in training mode, noise) or a state that it keeps make it so; call eval(), or set the seed "
        "inside the function."
    )


def _is_not_finite(mismatch: Mismatch) -> str | None:
    actual, expected = (bool(np.isfinite(part[mismatch.first])) for part in (mismatch.analytical, mismatch.numerical))
    if actual and expected:
        return None
    who = "Backward" if expected else "The function" if actual else "The function itself"
    return (
        f"numbers that are not finite: {who} gives nan or inf at this point or next to it. Such are divisions by 0, "
        "the root or logarithm of 0 or less, and 0 * inf in backward. Check at a point where all is finite."
    )


def _is_imprecise(mismatch: Mismatch) -> str | None:
    coarse = [value._array.dtype for value in (mismatch.tensor, mismatch.result) if value._array.dtype.itemsize < 8]
    if not coarse:
        return None
    precision = float(np.finfo(coarse[0]).eps)
    scale = max(1.0, float(np.abs(mismatch.tensor._array).max()))
    eps = precision ** (1 / 3) * scale
    again = _differences(mismatch, eps, mismatch.position)
    size = max(float(np.abs(again).max()), mismatch.tolerance if math.isfinite(mismatch.tolerance) else 0)
    if np.abs(again - mismatch.analytical).max() > 20 * precision ** (2 / 3) * max(size, 1):
        return None
    return (
        f"{coarse[0]}: numbers near {scale:.3g} are {precision * scale:.1g} apart there, so a step of eps = "
        f"{mismatch.settings.eps:g} is mostly rounding. With eps = {eps:.1g} backward and differences agree. Check in "
        "float64: make the inputs with dtype=float64, and a module with .double()."
    )


def _differences(mismatch: Mismatch, eps: float, position: int) -> Array:
    """The output's numerical Jacobian with another step, or with respect to another input."""
    outputs = as_tuple(mismatch.func(*mismatch.inputs))
    return numerical.jacobians(mismatch.func, mismatch.inputs, outputs, eps, position)[0][mismatch.output_position]


def _has_kink(mismatch: Mismatch) -> str | None:
    """A kink or a jump near the point: differences to the left and to the right do not come together."""
    eps = mismatch.settings.eps
    wide, narrow = (_one_sided(mismatch, step) for step in (eps, eps / 8))
    gap, small_gap = (abs(right - left) for left, right in (wide, narrow))
    if not gap > mismatch.tolerance:
        return None
    where = place(mismatch.first[0], mismatch.tensor.shape)
    left, right = wide
    if max(map(abs, narrow)) > 4 * max(map(abs, wide)):
        return (
            f"a jump near the point: a step of {eps:g} at {where} of the input changes the output by as much as a "
            "smaller one. Functions that round, compare or choose an index have no derivative there."
        )
    if small_gap > gap / 2:
        return (
            f"a kink near the point: to the left of {where} of the input the slope is {left:.6g}, to the right "
            f"{right:.6g}. There is no derivative there (relu and abs at 0, max of equal numbers, clamp at its "
            "bounds), and backward takes one of several. Check at a point away from it."
        )
    if abs(sum(narrow) / 2 - mismatch.analytical[mismatch.first]) <= max(mismatch.tolerance, small_gap):
        return (
            f"a kink near the point, or a sharp bend: within {eps:g} of {where} of the input the slope goes from "
            f"{left:.6g} to {right:.6g}, and a smaller eps agrees with backward. Check at a point away from it."
        )
    return None


def _one_sided(mismatch: Mismatch, eps: float) -> tuple[float, float]:
    """The slopes to the left and to the right, for the first entry that differs."""
    row, column = mismatch.first
    flat = mismatch.tensor._array.flat
    value = flat[row]
    outputs = []
    try:
        for step in (-eps, 0.0, eps):
            flat[row] = value + step
            arrays = numerical.values(mismatch.func, mismatch.inputs)
            outputs.append(float(arrays[mismatch.output_position].flat[column]))
    finally:
        flat[row] = value
    left, middle, right = outputs
    return (middle - left) / eps, (right - middle) / eps


def _ignores_incoming(mismatch: Mismatch) -> str | None:
    zeros = from_array(np.zeros(mismatch.result.shape, mismatch.result._array.dtype))
    (gradient,) = grad(mismatch.result, [mismatch.tensor], zeros, retain_graph=True, allow_unused=True)
    if gradient is None or not np.any(gradient._array):
        return None
    return (
        "backward does not multiply by the gradient that comes in: with zeros coming in, other numbers come out. "
        "Each term of what it returns must be multiplied by grad_output."
    )


def _inputs_exchanged(mismatch: Mismatch) -> str | None:
    for position, other in enumerate(mismatch.inputs):
        if position == mismatch.position or not needs_grad(other) or other.numel() != mismatch.tensor.numel():
            continue
        if mismatch.same(mismatch.analytical, _differences(mismatch, mismatch.settings.eps, position)):
            return (
                f"the order of the gradients: what backward returns for input {mismatch.position} is the gradient of "
                f"input {position}. They must come in the order of forward's arguments."
            )
    return None


# ---------------------------------------------------------------- what the two matrices show


def _is_cut(mismatch: Mismatch) -> str | None:
    if np.any(mismatch.analytical):
        return None
    return (
        "no gradient arrives at this input, though the output changes with it: the way there is cut by detach(), "
        ".data, item(), numpy() or no_grad(), or backward returns None or zeros for it."
    )


def _has_wrong_sign(mismatch: Mismatch) -> str | None:
    if not mismatch.same(np.abs(mismatch.analytical), np.abs(mismatch.numerical)):
        return None
    if mismatch.same(mismatch.analytical, -mismatch.numerical):
        return "the sign: backward gives the negative of the derivative everywhere."
    flipped = int(mismatch.wrong.sum())
    return f"the sign: {flipped} entries have the right size and the wrong sign. Is a sign or an abs() missing?"


def _has_wrong_factor(mismatch: Mismatch) -> str | None:
    """Whether backward is a multiple of the truth: by one number, or by the input or the output."""
    actual, expected = mismatch.analytical, mismatch.numerical
    large = np.abs(expected) > mismatch.tolerance
    if not large.any() or not mismatch.same(actual[~large], 0):
        return None
    ratios = actual[large] / expected[large]

    def near(factors: Any) -> bool:
        return bool(np.all(np.abs(ratios - factors) <= 1e-3 * np.abs(factors)))

    factor = float(np.median(ratios))
    known = _known_factor(mismatch, factor)
    if near(factor) and (known or ratios.size > 1):  # of a single entry, any number is a multiple
        return f"the factor: backward gives {factor:.6g} times the derivative everywhere.{known}"
    column, row = np.reshape(mismatch.tensor._array, (-1, 1)), np.reshape(mismatch.result._array, (1, -1))
    for values, name in ((column, "the input"), (row, "the output")):
        elements = np.broadcast_to(values, actual.shape)[large]
        with np.errstate(divide="ignore", invalid="ignore"):
            if near(elements):
                return f"the factor: backward gives {name}'s element times the derivative; that is one factor too many."
            if near(1 / elements):
                return f"the factor: what backward gives lacks a factor, and that is {name}'s element."
    return None


def _known_factor(mismatch: Mismatch, factor: float) -> str:
    """Where such a factor may come from."""
    tensors = {"input": mismatch.tensor, "output": mismatch.result}
    sizes = [
        (size, f"dimension {dim} of the {name}")
        for name, tensor in tensors.items()
        for dim, size in enumerate(tensor.shape)
    ]
    sizes = sizes[::-1] + [(tensor.numel(), f"the {name}'s number of elements") for name, tensor in tensors.items()]
    for size, name in sizes:
        if size > 2 and math.isclose(factor, 1 / size, rel_tol=1e-3):
            return f" 1/{size} looks like a mean where a sum is wanted: {size} is {name}."
        if size > 2 and math.isclose(factor, size, rel_tol=1e-3):
            return f" {size} looks like a sum where a mean is wanted: {size} is {name}."
    if math.isclose(factor, 0.5, rel_tol=1e-3):
        return " Of an input that is used twice only one use may have been counted, or a 2 from a square is missing."
    if math.isclose(factor, 2, rel_tol=1e-3):
        return " Something may have been counted twice, or a 1/2 is missing."
    return ""


def _is_transposed(mismatch: Mismatch) -> str | None:
    actual, expected = mismatch.analytical, mismatch.numerical
    if expected.shape[0] == expected.shape[1] and mismatch.same(actual, expected.T):
        return (
            "transposed: backward's Jacobian is the transposed of the right one. For y = W @ x the gradient of x is "
            "W.T @ g, not W @ g."
        )
    shape = tuple(mismatch.tensor.shape)
    if len(shape) == 2:
        turned = actual.reshape(*shape[::-1], -1).transpose(1, 0, 2)
        if mismatch.same(turned, expected.reshape(*shape, -1)):
            return (
                f"transposed: the gradient's rows are those of the transposed of the {shape[0]}x{shape[1]} input. "
                "Check the order of the factors in its matrix product, or a missing .T."
            )
    shape = tuple(mismatch.result.shape)
    if len(shape) == 2:
        turned = actual.reshape(-1, *shape[::-1]).transpose(0, 2, 1)
        if mismatch.same(turned, expected.reshape(-1, *shape)):
            return "transposed: the gradient that comes in is used as if it were the transposed of the output."
    return None


def _is_reordered(mismatch: Mismatch) -> str | None:
    actual, expected = mismatch.analytical, mismatch.numerical
    if len(expected) > 1 and mismatch.same(actual[::-1], expected):
        return "the order of the elements: the gradient comes out backwards. Undo what forward did to the order."
    ordered, right = (
        np.round(np.sort(matrix, axis=0) / mismatch.tolerance / 10).tolist() for matrix in (actual, expected)
    )
    if ordered == right:
        return (
            "the order of the elements: the gradient has the right numbers in other places. Is an index, a sort or a "
            "reshape undone in the wrong way?"
        )
    return None


def _misses_terms(mismatch: Mismatch) -> str | None:
    """Entries that are 0 where they should not be, while all others are right."""
    if np.abs(mismatch.analytical[mismatch.wrong]).max(initial=0) > mismatch.tolerance:
        return None
    repeated = _repeated_dims(mismatch.tensor.shape, mismatch.result.shape)
    if repeated:
        return (
            f"a missing sum over a broadcast dimension: the input is repeated along dimension "
            f"{' and '.join(map(str, repeated))} of the output, so its gradient is the sum over that. "
            "Backward has only some of the terms."
        )
    return (
        "not accumulated: some outputs get their input's gradient and others get nothing, though they depend on it, "
        "too. Where an input is used several times its gradients must be added."
    )


def _repeated_dims(shape: Any, result: Any) -> list[int]:
    """The dimensions of a result along which an input of some shape was broadcast to it; none if it was not."""
    lead = len(result) - len(shape)
    if lead < 0 or any(own not in (1, size) for own, size in zip(shape, result[lead:], strict=True)):
        return []
    return [dim for dim, size in enumerate(result) if size > 1 and (dim < lead or shape[dim - lead] == 1)]


def _has_extra_terms(mismatch: Mismatch) -> str | None:
    if np.abs(mismatch.numerical[mismatch.wrong]).max(initial=0) > mismatch.tolerance:
        return None
    return (
        "too many terms: backward lets outputs reach elements of the input on which they do not depend. A sum over a "
        "dimension that forward keeps apart does that, or a buffer that is not cleared between two backward passes."
    )


def _has_wrong_formula(mismatch: Mismatch) -> str | None:
    """Right elements, wrong numbers: of a function that works on each element by itself, some of them beside x."""
    actual, expected = mismatch.analytical, mismatch.numerical
    right = np.abs(expected) > mismatch.tolerance
    if right.shape[0] != right.shape[1] or (right | mismatch.wrong)[~np.eye(len(right), dtype=bool)].any():
        return None
    rows = np.flatnonzero(mismatch.wrong.diagonal())
    spread = rows[np.linspace(0, len(rows) - 1, min(len(rows), 3)).astype(int)]
    points = np.reshape(mismatch.tensor._array, -1)
    shown = "; ".join(
        f"at {points[row]:.4g} the derivative is {expected[row, row]:.4g}, backward gives {actual[row, row]:.4g}"
        for row in spread
    )
    return (
        "the formula: each output gets to its own element of the input, as it should, but with the wrong derivative: "
        f"{shown}. Differentiate forward by hand, and compare."
    )


CAUSES: tuple[Callable[[Mismatch], str | None], ...] = (
    _changes_input, _is_random, _is_not_finite, _is_imprecise, _has_kink, _ignores_incoming, _is_cut, _has_wrong_sign,
    _has_wrong_factor, _is_transposed, _inputs_exchanged, _is_reordered, _misses_terms, _has_extra_terms,
    _has_wrong_formula,
)  # fmt: skip

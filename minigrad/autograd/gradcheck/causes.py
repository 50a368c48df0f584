"""The fingerprints of common mistakes in a backward.

Each function looks for one mistake in the two matrices (rows are elements of the input, columns elements of the output)
or tries the function once more. It returns whether it found the mistake, or what the text in `CAUSES` tells about it.
The first in `CAUSES` that finds something is the likely cause.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.fitting import sums_to
from minigrad.autograd.gradcheck import analytical, numerical
from minigrad.autograd.gradcheck.checked import element_in_words, needs_grad
from minigrad.tensor import Array, Tensor

if TYPE_CHECKING:
    from minigrad.autograd.gradcheck.diagnosis import JacobianMismatch

UNUSUAL = "none of the usual ones. Compare backward's formula with forward's derivative for the entry above, by hand."
Told = dict[str, Any] | None  # what a text tells; None where the mistake was not found


def likely_cause(mismatch: JacobianMismatch) -> str:
    """The text for the first mistake that is found."""
    for find, text in CAUSES.items():
        if found := find(mismatch):
            return text.format(**found) if isinstance(found, dict) else text
    return UNUSUAL


# ---------------------------------------------------------------- what is tried once more


def _changes_input(mismatch: JacobianMismatch) -> Told:
    before = [np.array(value._array) if isinstance(value, Tensor) else None for value in mismatch.inputs]
    mismatch.func(*mismatch.inputs)
    for number, (value, numbers) in enumerate(zip(mismatch.inputs, before, strict=True)):
        if numbers is not None and not np.array_equal(value._array, numbers, equal_nan=True):
            return {"number": number}
    return None


def _is_random(mismatch: JacobianMismatch) -> bool:
    first, second = (numerical.values(mismatch.func, mismatch.inputs) for _ in range(2))
    return not all(np.array_equal(one, other, equal_nan=True) for one, other in zip(first, second, strict=True))


def _is_not_finite(mismatch: JacobianMismatch) -> Told:
    actual, expected = (bool(np.isfinite(part[mismatch.first])) for part in (mismatch.analytical, mismatch.numerical))
    return None if actual and expected else {"who": "Backward" if expected else "The function"}


def _is_imprecise(mismatch: JacobianMismatch) -> Told:
    coarse = [value._array.dtype for value in (mismatch.tensor, mismatch.result) if value._array.dtype.itemsize < 8]
    if not coarse:
        return None
    precision = float(np.finfo(coarse[0]).eps)
    scale = max(1.0, float(np.abs(mismatch.tensor._array).max()))
    better = precision ** (1 / 3) * scale
    again = _differences(mismatch, better, mismatch.position)
    size = max(float(np.abs(again).max()), mismatch.tolerance if math.isfinite(mismatch.tolerance) else 0)
    if np.abs(again - mismatch.analytical).max() > 20 * precision ** (2 / 3) * max(size, 1):
        return None
    eps = mismatch.settings.eps
    return {"dtype": coarse[0], "scale": scale, "apart": precision * scale, "eps": eps, "better": better}


def _differences(mismatch: JacobianMismatch, eps: float, position: int) -> Array:
    """The output's numerical Jacobian with another step, or with respect to another input."""
    return numerical.jacobians(mismatch.func, mismatch.inputs, eps, position)[0][mismatch.output_position]


def _kink(mismatch: JacobianMismatch) -> Told:
    """Where the slopes to the left and to the right of the point are, unless they are the same."""
    left, right = mismatch.slopes[0]
    where = element_in_words(mismatch.first[0], mismatch.tensor.shape)
    told = {"eps": mismatch.settings.eps, "where": where, "left": left, "right": right}
    return told if abs(right - left) > mismatch.tolerance else None


def _has_jump(mismatch: JacobianMismatch) -> Told:
    wide, narrow = mismatch.slopes
    return _kink(mismatch) if max(map(abs, narrow)) > 4 * max(map(abs, wide)) else None


def _has_kink(mismatch: JacobianMismatch) -> Told:
    """Slopes to the left and to the right that do not come together with a smaller step."""
    (left, right), (near_left, near_right) = mismatch.slopes
    return _kink(mismatch) if abs(near_right - near_left) > abs(right - left) / 2 else None


def _has_bend(mismatch: JacobianMismatch) -> Told:
    left, right = mismatch.slopes[1]
    error = abs((left + right) / 2 - mismatch.analytical[mismatch.first])
    return _kink(mismatch) if error <= max(mismatch.tolerance, abs(right - left)) else None


def _ignores_incoming(mismatch: JacobianMismatch) -> bool:
    return analytical.gives_something([mismatch.result], (mismatch.tensor,), retain_graph=True)


def _inputs_exchanged(mismatch: JacobianMismatch) -> Told:
    for position, other in enumerate(mismatch.inputs):
        if position == mismatch.position or not needs_grad(other) or other.numel() != mismatch.tensor.numel():
            continue
        if mismatch.same(mismatch.analytical, _differences(mismatch, mismatch.settings.eps, position)):
            return {"position": mismatch.position, "other": position}
    return None


# ---------------------------------------------------------------- what the two matrices show


def _is_cut(mismatch: JacobianMismatch) -> bool:
    return not np.any(mismatch.analytical)


def _is_negative(mismatch: JacobianMismatch) -> bool:
    return mismatch.same(mismatch.analytical, -mismatch.numerical)


def _has_wrong_signs(mismatch: JacobianMismatch) -> Told:
    same_sizes = mismatch.same(np.abs(mismatch.analytical), np.abs(mismatch.numerical))
    return {"count": int(mismatch.wrong.sum())} if same_sizes else None


def _is_multiple(mismatch: JacobianMismatch) -> Told:
    large = np.abs(mismatch.numerical) > mismatch.tolerance
    if not large.any():
        return None
    factor = float(np.median(mismatch.analytical[large] / mismatch.numerical[large]))
    known = _known_factor(mismatch, factor)
    says_something = known or large.sum() > 1  # of a single entry, any number is a multiple
    return {"factor": factor, "known": known} if says_something and _is_times(mismatch, factor) else None


def _is_times(mismatch: JacobianMismatch, factors: Array) -> bool:
    """Whether backward gives `factors` times the derivative, wherever that is not 0."""
    large = np.abs(mismatch.numerical) > mismatch.tolerance
    if not large.any() or not mismatch.same(mismatch.analytical[~large], 0):
        return False
    factors = np.broadcast_to(factors, large.shape)[large]
    ratios = mismatch.analytical[large] / mismatch.numerical[large]
    return bool(np.all(np.abs(ratios - factors) <= 1e-3 * np.abs(factors)))


def _has_factor(power: int, mismatch: JacobianMismatch) -> Told:
    """Whether all is the derivative times such a power of the element: the input's of a row, or the output's of a
    column.
    """
    rows, columns = np.reshape(mismatch.tensor._array, (-1, 1)), np.reshape(mismatch.result._array, (1, -1))
    of_input, of_output = (_is_times(mismatch, elements**power) for elements in (rows, columns))
    return {"name": "the input" if of_input else "the output"} if of_input or of_output else None


def _known_factor(mismatch: JacobianMismatch, factor: float) -> str:
    """Where such a factor may come from."""
    tensors = (("output", mismatch.result), ("input", mismatch.tensor))
    sizes = [
        (size, f"dimension {dim} of the {name}")
        for name, tensor in tensors
        for dim, size in reversed(list(enumerate(tensor.shape)))
    ]
    sizes += [(tensor.numel(), f"the {name}'s number of elements") for name, tensor in reversed(tensors)]
    origins: list[tuple[float, str]] = []
    for size, name in sizes:
        if size > 2:
            origins.append((1 / size, f" 1/{size} looks like a mean where a sum is wanted: {size} is {name}."))
            origins.append((size, f" {size} looks like a sum where a mean is wanted: {size} is {name}."))
    origins += [
        (0.5, " Of an input that is used twice only one use may have been counted, or a 2 from a square is missing."),
        (2, " Something may have been counted twice, or a 1/2 is missing."),
    ]
    return next((text for value, text in origins if math.isclose(factor, value, rel_tol=1e-3)), "")


def _is_transposed(mismatch: JacobianMismatch) -> bool:
    rows, columns = mismatch.numerical.shape
    return rows == columns and mismatch.same(mismatch.analytical, mismatch.numerical.T)


def _are_turned(mismatch: JacobianMismatch, shape: Sequence[int], actual: Array, expected: Array) -> bool:
    """Whether rows that are the elements of a matrix of this shape stand where the transposed of it has them."""
    if len(shape) != 2:
        return False
    turned = actual.reshape(*shape[::-1], -1).transpose(1, 0, 2)
    return mismatch.same(turned, expected.reshape(*shape, -1))


def _has_transposed_rows(mismatch: JacobianMismatch) -> Told:
    shape = mismatch.tensor.shape
    turned = _are_turned(mismatch, shape, mismatch.analytical, mismatch.numerical)
    return {"rows": shape[0], "columns": shape[1]} if turned else None


def _has_transposed_columns(mismatch: JacobianMismatch) -> bool:
    return _are_turned(mismatch, mismatch.result.shape, mismatch.analytical.T, mismatch.numerical.T)


def _is_backwards(mismatch: JacobianMismatch) -> bool:
    return len(mismatch.numerical) > 1 and mismatch.same(mismatch.analytical[::-1], mismatch.numerical)


def _is_reordered(mismatch: JacobianMismatch) -> bool:
    ordered, right = (
        np.round(np.sort(matrix, axis=0) / mismatch.tolerance / 10).tolist()
        for matrix in (mismatch.analytical, mismatch.numerical)
    )
    return bool(ordered == right)


def _misses_sum(mismatch: JacobianMismatch) -> Told:
    """The dimensions of the output along which the input was broadcast, if some of the terms are missing."""
    shape, result = mismatch.tensor.shape, mismatch.result.shape
    lead = len(result) - len(shape)
    if not _misses_terms(mismatch) or not sums_to(result, shape):
        return None
    repeated = [dim for dim, size in enumerate(result) if size > 1 and (dim < lead or shape[dim - lead] == 1)]
    return {"dims": " and ".join(map(str, repeated))} if repeated else None


def _misses_terms(mismatch: JacobianMismatch) -> bool:
    """Entries that are 0 where they should not be, while all others are right."""
    return bool(np.abs(mismatch.analytical[mismatch.wrong]).max(initial=0) <= mismatch.tolerance)


def _has_extra_terms(mismatch: JacobianMismatch) -> bool:
    return bool(np.abs(mismatch.numerical[mismatch.wrong]).max(initial=0) <= mismatch.tolerance)


def _has_wrong_formula(mismatch: JacobianMismatch) -> Told:
    """Right elements, wrong numbers: of a function that works on each element by itself, some of them beside x."""
    actual, expected = mismatch.analytical, mismatch.numerical
    right = np.abs(expected) > mismatch.tolerance
    if right.shape[0] != right.shape[1] or (right | mismatch.wrong)[~np.eye(len(right), dtype=bool)].any():
        return None
    rows = np.flatnonzero(mismatch.wrong.diagonal())
    spread = rows[np.linspace(0, len(rows) - 1, min(len(rows), 3)).astype(int)]
    points = np.reshape(mismatch.tensor._array, -1)
    shown = [
        f"at {points[row]:.4g} the derivative is {expected[row, row]:.4g}, backward gives {actual[row, row]:.4g}"
        for row in spread
    ]
    return {"shown": "; ".join(shown)}


CAUSES: dict[Any, str] = {
    _changes_input: "an in-place change: the function writes to its input {number}, so that each call starts from "
    "other numbers. Let it work on a clone(): x.clone().mul_(2), for example.",
    _is_random: "the function is not deterministic: called twice with the same inputs it gave different outputs. "
    "Random numbers (dropout in training mode, noise) or a state that it keeps make it so; call eval(), or set the "
    "seed inside the function.",
    _is_not_finite: "numbers that are not finite: {who} gives nan or inf at this point or next to it. Such are "
    "divisions by 0, the root or logarithm of 0 or less, and 0 * inf in backward. Check where all is finite.",
    _is_imprecise: "{dtype}: numbers near {scale:.3g} are {apart:.1g} apart there, so a step of eps = {eps:g} is "
    "mostly rounding. With eps = {better:.1g} backward and differences agree. Check in float64: make the inputs with "
    "dtype=float64, and a module with .double().",
    _has_jump: "a jump near the point: a step of {eps:g} at {where} of the input changes the output by as much as a "
    "smaller one. Functions that round, compare or choose an index have no derivative there.",
    _has_kink: "a kink near the point: to the left of {where} of the input the slope is {left:z.6g}, to the right "
    "{right:z.6g}. There is no derivative there (relu and abs at 0, max of equal numbers, clamp at its bounds), and "
    "backward takes one of several. Check at a point away from it.",
    _has_bend: "a kink near the point, or a sharp bend: within {eps:g} of {where} of the input the slope goes from "
    "{left:z.6g} to {right:z.6g}, and a smaller eps agrees with backward. Check at a point away from it.",
    _ignores_incoming: "backward does not multiply by the gradient that comes in: with zeros coming in, other numbers "
    "come out. Each term of what it returns must be multiplied by grad_output.",
    _is_cut: "no gradient arrives at this input, though the output changes with it: the way there is cut by detach(), "
    ".data, item(), numpy() or no_grad(), or backward returns None or zeros for it.",
    _is_negative: "the sign: backward gives the negative of the derivative everywhere.",
    _has_wrong_signs: "the sign: {count} entries have the right size and the wrong sign. Is a sign or abs() missing?",
    _is_multiple: "the factor: backward gives {factor:.6g} times the derivative everywhere.{known}",
    partial(_has_factor, 1): "the factor: backward gives {name}'s element times the derivative: a factor too many.",
    partial(_has_factor, -1): "the factor: what backward gives lacks a factor, and that is {name}'s element.",
    _is_transposed: "transposed: backward's Jacobian is the transposed of the right one. For y = W @ x the gradient of "
    "x is W.T @ g, not W @ g.",
    _has_transposed_rows: "transposed: the gradient's rows are those of the transposed of the {rows}x{columns} input. "
    "Check the order of the factors in its matrix product, or a missing .T.",
    _has_transposed_columns: "transposed: the gradient that comes in is used as if the output were transposed.",
    _inputs_exchanged: "the order of the gradients: what backward returns for input {position} is the gradient of "
    "input {other}. They must come in the order of forward's arguments.",
    _is_backwards: "the order of the elements: the gradient comes out backwards. Undo what forward did to the order.",
    _is_reordered: "the order of the elements: the gradient has the right numbers in other places. Is an index, a sort "
    "or a reshape undone in the wrong way?",
    _misses_sum: "a missing sum over a broadcast dimension: the input is repeated along dimension {dims} of the "
    "output, so its gradient is the sum over that. Backward has only some of the terms.",
    _misses_terms: "not accumulated: some outputs get their input's gradient and others get nothing, though they "
    "depend on it, too. Where an input is used several times its gradients must be added.",
    _has_extra_terms: "too many terms: backward lets outputs reach elements of the input on which they do not depend. "
    "A sum over a dimension that forward keeps apart does that, or a buffer that is not cleared between two backwards.",
    _has_wrong_formula: "the formula: each output gets to its own element of the input, as it should, but with the "
    "wrong derivative: {shown}. Differentiate forward by hand, and compare.",
}

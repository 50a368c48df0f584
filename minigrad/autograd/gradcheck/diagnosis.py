"""What the error of a failed check says: where the two Jacobians differ, by how much, and the likely cause.

Rows of a Jacobian are elements of the input, columns elements of the output, as PyTorch's gradcheck prints it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minigrad.autograd.gradcheck.causes import CAUSES
from minigrad.autograd.gradcheck.checked import as_tuple, place
from minigrad.tensor import Tensor, from_array

Array = Any

MOST_SHOWN = 6  # rows and columns of a Jacobian that are shown
NEAR = 2  # how many of them before the first difference


@dataclass(frozen=True)
class Mismatch:
    """Two Jacobians that should be the same, and where they come from."""

    func: Callable[..., Any]
    inputs: tuple[Any, ...]
    position: int  # of the input among all
    input: int  # its number among those that require grad
    output_position: int  # of the output among all
    output: int  # its number among those that require grad
    numerical: Array
    analytical: Array
    settings: Any

    @property
    def tensor(self) -> Tensor:
        tensor: Tensor = self.inputs[self.position]
        return tensor

    @cached_property
    def result(self) -> Tensor:
        result: Tensor = as_tuple(self.func(*self.inputs))[self.output_position]
        return result

    @cached_property
    def wrong(self) -> Array:
        """Which entries differ."""
        return ~self.settings.close(self.analytical, self.numerical)

    @cached_property
    def errors(self) -> Array:
        with np.errstate(invalid="ignore"):
            return np.abs(self.analytical - self.numerical)

    @cached_property
    def first(self) -> tuple[int, int]:
        """The first entry that differs; if none does by itself, the one with the largest error."""
        flat = int(self.wrong.argmax()) if self.wrong.any() else int(self.errors.argmax())
        row, column = np.unravel_index(flat, self.wrong.shape)
        return int(row), int(column)

    @cached_property
    def tolerance(self) -> float:
        """What counts as nothing among these numbers: errors of finite differences are of this size."""
        finite = self.numerical[np.isfinite(self.numerical)]
        return float(self.settings.atol + self.settings.rtol * np.abs(finite).max(initial=0))

    def same(self, actual: Array, expected: Array) -> bool:
        return bool(np.all(np.abs(actual - expected) <= self.tolerance))

    def in_words(self, projections: tuple[float, float] | None = None) -> str:
        """The error's text."""
        lines = [f"Jacobian mismatch for output {self.output} with respect to input {self.input},"]
        if projections is not None:
            lines += [
                f"numerical:{projections[0]}",
                f"analytical:{projections[1]}",
                "\nThe above quantities relating the numerical and analytical jacobians are computed in fast mode: "
                "each is its Jacobian times one random vector from either side. All entries:\n",
            ]
        lines += self._excerpts()
        lines += self._first_difference()
        if projections is not None and not self.wrong.any():
            lines.append(
                "Fast gradcheck failed but element-wise differences are small. This means that the test might've "
                "passed in slow_mode: call gradcheck with fast_mode=False."
            )
        if self.settings.second:
            lines.append(
                "These are second derivatives: the outputs are the gradients of the function's inputs, and the inputs "
                "are the function's own, then grad_outputs. The mistake is in how backward was computed: in an "
                "operation that was not recorded there, or in that operation's own rule."
            )
        lines.append(f"Likely cause: {self.cause()}")
        return "\n".join(lines)

    def _excerpts(self) -> list[str]:
        windows = [
            slice(0, size)
            if size <= MOST_SHOWN
            else slice(start := max(0, min(at - NEAR, size - MOST_SHOWN)), start + MOST_SHOWN)
            for at, size in zip(self.first, self.wrong.shape, strict=True)
        ]
        lines = [
            f"{name}:{from_array(matrix[tuple(windows)])!r}"
            for name, matrix in (("numerical", self.numerical), ("analytical", self.analytical))
        ]
        if max(self.wrong.shape) > MOST_SHOWN:
            rows, columns = (f"{window.start} to {window.stop - 1}" for window in windows)
            total = " and ".join(str(size) for size in self.wrong.shape)
            lines.append(f"(rows {rows} and columns {columns}, of {total}: those around the first difference)")
        return lines

    def _first_difference(self) -> list[str]:
        row, column = self.first
        actual, expected = self.analytical[row, column], self.numerical[row, column]
        allowed = self.settings.atol + self.settings.rtol * abs(expected)
        of_output, of_input = place(column, self.result.shape), place(row, self.tensor.shape)
        said = (
            f"First difference at [{row}, {column}]: the derivative of {of_output} of the output by {of_input} of the "
            f"input is {expected:.6g} by differences and {actual:.6g} by backward"
        )
        counted = f"{int(self.wrong.sum())} of {self.wrong.size} entries differ"
        if not np.isfinite(self.errors[row, column]):
            return [f"{said}. {counted}."]
        largest = self.errors[np.isfinite(self.errors)].max()
        return [
            f"{said}, an error of {self.errors[row, column]:.3g} where {allowed:.3g} is allowed. {counted}, by up to "
            f"{largest:.3g}."
        ]

    def cause(self) -> str:
        for look in CAUSES:
            found = look(self)
            if found is not None:
                return found
        return (
            "none of the usual ones. Compare the formula in backward with the derivative of forward for the entry "
            "above, by hand."
        )


def of_unrecorded() -> str:
    """The error's text for outputs that have no graph, but change with the inputs."""
    return (
        "Numerical gradient for function expected to be zero, since no output requires grad, but the outputs change "
        "with the inputs.\nLikely cause: the graph is cut: by detach(), .data, item(), numpy() or no_grad() in the "
        "function, by a result that was made anew from numbers, or because the check itself runs under no_grad()."
    )

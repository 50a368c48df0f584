"""What the error of a failed check says: where the two Jacobians differ, by how much, and the likely cause.

Rows of a Jacobian are elements of the input, columns elements of the output, as PyTorch's gradcheck prints it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minigrad.autograd.gradcheck import numerical
from minigrad.autograd.gradcheck.causes import likely_cause
from minigrad.autograd.gradcheck.checked import Function, Inputs, as_tuple, element_in_words
from minigrad.tensor import Array, Tensor, from_array

MOST_SHOWN = 6  # rows and columns of a Jacobian that are shown
NEAR = 2  # how many of them before the first difference
UNRECORDED = (  # of outputs that have no graph, but change with the inputs
    "Numerical gradient for function expected to be zero, since no output requires grad, but the outputs change with "
    "the inputs.\nLikely cause: the graph is cut: by detach(), .data, item(), numpy() or no_grad() in the function, by "
    "a result that was made anew from numbers, or because the check itself runs under no_grad()."
)
SECOND = (
    "These are second derivatives: the outputs are the gradients of the function's inputs, and the inputs are the "
    "function's own, then grad_outputs. The mistake is in how backward was computed: in an operation that was not "
    "recorded there, or in that operation's own rule."
)


@dataclass(eq=False)
class JacobianMismatch:
    """Two Jacobians that should be the same, of one output with respect to one input, by their positions.

    Attributes:
        tensor: the input. `result`: the output.
        errors: how far the entries are apart. `wrong`: which of them differ.
        first: the first entry that differs; if none does by itself, the one with the largest error.
        tolerance: what counts as nothing among these numbers: errors of finite differences are of this size.
    """

    func: Function
    inputs: Inputs
    position: int
    output_position: int
    numerical: Array
    analytical: Array
    settings: Any

    def __post_init__(self) -> None:
        self.tensor: Tensor = self.inputs[self.position]
        self.result: Tensor = as_tuple(self.func(*self.inputs))[self.output_position]
        self.wrong = ~self.settings.close(self.analytical, self.numerical)
        self.errors = np.abs(self.analytical - self.numerical)
        flat = int((self.wrong if self.wrong.any() else self.errors).argmax())
        self.first = divmod(flat, self.wrong.shape[1])
        largest = np.abs(self.numerical[np.isfinite(self.numerical)]).max(initial=0)
        self.tolerance = float(self.settings.atol + self.settings.rtol * largest)

    def same(self, actual: Array, expected: Array) -> bool:
        return bool(np.all(np.abs(actual - expected) <= self.tolerance))

    @cached_property
    def slopes(self) -> tuple[list[float], list[float]]:
        """Of the first entry that differs, the slopes to the left and right: by steps of eps and of eps / 8."""
        row, column = self.first
        flat = self.tensor._array.flat
        value, outputs = flat[row], []
        steps = [self.settings.eps * part for part in (-1, -1 / 8, 0, 1 / 8, 1)]
        try:
            for step in steps:
                flat[row] = value + step
                output = numerical.values(self.func, self.inputs)[self.output_position]
                outputs.append(float(output.flat[column]))
        finally:
            flat[row] = value
        middle = outputs.pop(2)
        slopes = [(output - middle) / step for output, step in zip(outputs, steps[:2] + steps[3:], strict=True)]
        return [slopes[0], slopes[3]], [slopes[1], slopes[2]]

    def in_words(self, output: int, input: int, projections: tuple[float, float] | None) -> str:
        """The error's text; it counts only outputs and inputs that require grad."""
        lines = [f"Jacobian mismatch for output {output} with respect to input {input},"]
        if projections is not None:
            lines += [
                f"numerical:{projections[0]}",
                f"analytical:{projections[1]}",
                "\nThe above quantities relating the numerical and analytical jacobians are computed in fast mode: "
                "each is its Jacobian times one random vector from either side. All entries:\n",
            ]
        lines += [*self._excerpts(), self._first_difference()]
        if projections is not None and not self.wrong.any():
            lines.append(
                "Fast gradcheck failed but element-wise differences are small. This means that the test might've "
                "passed in slow_mode: call gradcheck with fast_mode=False."
            )
        return "\n".join([*lines, f"Likely cause: {likely_cause(self)}"])

    def _excerpts(self) -> list[str]:
        shape = self.wrong.shape
        starts = [max(0, min(at - NEAR, size - MOST_SHOWN)) for at, size in zip(self.first, shape, strict=True)]
        rows, columns = (range(size)[start : start + MOST_SHOWN] for start, size in zip(starts, shape, strict=True))
        lines = [
            f"{name}:{from_array(matrix[np.ix_(rows, columns)])!r}"
            for name, matrix in (("numerical", self.numerical), ("analytical", self.analytical))
        ]
        if max(shape) > MOST_SHOWN:
            lines.append(
                f"(rows {rows[0]} to {rows[-1]} and columns {columns[0]} to {columns[-1]}, of {shape[0]} and "
                f"{shape[1]}: those around the first difference)"
            )
        return lines

    def _first_difference(self) -> str:
        row, column = self.first
        actual, expected = self.analytical[row, column], self.numerical[row, column]
        of_output = element_in_words(column, self.result.shape)
        of_input = element_in_words(row, self.tensor.shape)
        text = (
            f"First difference at [{row}, {column}]: the derivative of {of_output} of the output by {of_input} of the "
            f"input is {expected:.6g} by differences and {actual:.6g} by backward"
        )
        counted = f"{int(self.wrong.sum())} of {self.wrong.size} entries differ"
        error = self.errors[row, column]
        if not np.isfinite(error):
            return f"{text}. {counted}."
        allowed = self.settings.atol + self.settings.rtol * abs(expected)
        largest = self.errors[np.isfinite(self.errors)].max()
        return f"{text}, an error of {error:.3g} where {allowed:.3g} is allowed. {counted}, by up to {largest:.3g}."

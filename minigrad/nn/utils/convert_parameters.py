"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from minigrad import functions
from minigrad.autograd.blame import type_name
from minigrad.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The numbers of all parameters, one after the other, in one vector; the graph leads back to them."""
    return functions.cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give the parameters the numbers of a vector. They become parts of its memory."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected minigrad.Tensor, but got: {type_name(vec)}")
    start = 0
    for parameter in parameters:
        stop = start + parameter.numel()
        parameter.data = vec[start:stop].view_as(parameter).data
        start = stop

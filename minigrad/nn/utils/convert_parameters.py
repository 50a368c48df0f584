"""All parameters as one vector, and back: for methods that treat a network as a function of a vector."""

from __future__ import annotations

from collections.abc import Iterable

from minigrad import functions
from minigrad.autograd.blame import type_name
from minigrad.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flattened and concatenated into one vector, which is part of the graph."""
    return functions.cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Make slices of a vector the data of the parameters, which then share its memory. TypeError if it is no tensor."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected minigrad.Tensor, but got: {type_name(vec)}")
    start = 0
    for parameter in parameters:
        stop = start + parameter.numel()
        parameter.data = vec[start:stop].view_as(parameter).data
        start = stop

"""What the functions of this folder check of their arguments: indices and values.

After this module a reader knows what PyTorch takes for an index, and what becomes of a number that is written into a
tensor of another dtype.
"""

from __future__ import annotations

from typing import Any

from minigrad import dtypes
from minigrad.op import tensor_operands
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes


def tensor_argument(function: str, name: str, position: int, value: Any) -> Tensor:
    """The value; TypeError unless it is a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be Tensor, not {type(value).__name__}: make "
            "it one first, as in tensor(...)"
        )
    return value


def is_index(tensor: Tensor) -> bool:
    """Whether a tensor has one of the two dtypes that PyTorch takes for indices along a dimension."""
    return tensor.dtype is dtypes.int64 or tensor.dtype is dtypes.int32


def check_bounds(index: Array, size: int, dim: int, error: type[Exception] = RuntimeError, who: str = "") -> None:
    """Raise unless all of `index` lies from 0 to below `size`."""
    if index.size and (index.min() < 0 or index.max() >= size):
        wrong = index[(index < 0) | (index >= size)].flat[0] if index.ndim else index
        raise error(f"{who}index {wrong} is out of bounds for dimension {dim} with size {size}")


def check_index(function: str, input: Tensor, dim: Any, index: Any) -> int:
    """Raise unless gather or scatter can use `index` along `dim`; gives `dim` counted from the front."""
    tensor_operands(function, input)
    tensor_argument(function, "index", 3, index)
    dim = wrap_dim(dim, input.ndim)
    gathers = function == "gather"
    if not is_index(index):
        who = "gather" if gathers else "scatter"
        raise RuntimeError(f"{who}(): Expected dtype int32/int64 for index, but it is {index.dtype}")
    if not index.numel():
        return dim
    who = "input" if gathers else "self"
    if max(index.ndim, 1) != max(input.ndim, 1):
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as {who} tensor: index has {index.ndim}, {who} "
            f"{input.ndim}"
        )
    for other, count in enumerate(index.shape[: input.ndim]):
        if other != dim and count > input.shape[other]:
            expected = (
                f"index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension {dim}"
            )
            raise RuntimeError(
                f"Size does not match at dimension {other} expected {expected}" if gathers else f"Expected {expected}"
            )
    check_bounds(index._array, input.shape[dim] if input.ndim else 1, dim)
    return dim


def in_dtype_of(number: Any, input: Tensor) -> Any:
    """A number as an element of a tensor that it is to be written to: 1.5 becomes 1 among integers.

    RuntimeError if the dtype cannot hold it.
    """
    return dtypes.element(input.dtype, number)


def wrong_arguments(function: str, *values: Any) -> TypeError:
    """The error for a value that is neither a number nor a tensor."""
    kinds = ", ".join(type(value).__name__ for value in values)
    return TypeError(
        f"{function}() received an invalid combination of arguments - got ({kinds}): the value is a number or a tensor"
    )

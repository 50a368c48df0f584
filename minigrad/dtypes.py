"""The five kinds of number that a tensor can hold, under PyTorch's names, and the rule by which two of them mix.

After this module a reader knows why `int64 + float32` is float32 here (numpy alone would say float64) and why a Python
number never widens a tensor of its own kind. The rule: bool < integer < floating; a higher kind wins whatever its size,
and among equals a tensor with dimensions outranks one without (PyTorch, "Tensor Attributes: type promotion").
"""

from __future__ import annotations

import builtins
from typing import Any, ClassVar

import numpy as np


class dtype:
    """The type of a tensor's elements, such as `minigrad.float32`."""

    __slots__ = ("name", "numpy", "category", "tensor_type")
    _by_numpy: ClassVar[dict[np.dtype[Any], dtype]] = {}

    def __init__(self, name: str, category: int, tensor_type: str) -> None:
        self.name = name
        self.numpy = np.dtype(name)
        self.category = category  # 0 bool, 1 integer, 2 floating
        self.tensor_type = tensor_type  # the name that PyTorch's messages use
        dtype._by_numpy[self.numpy] = self

    @property
    def is_floating_point(self) -> builtins.bool:
        return self.category == 2

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self.numpy.itemsize

    def __repr__(self) -> str:
        return f"minigrad.{self.name}"

    def __reduce__(self) -> str:
        return self.name if self is not bool else "bool"


bool = dtype("bool", 0, "Bool")
int32 = dtype("int32", 1, "Int")
int64 = dtype("int64", 1, "Long")
float32 = dtype("float32", 2, "Float")
float64 = dtype("float64", 2, "Double")

default = float32  # what Python floats become
_python_types: dict[Any, dtype] = {builtins.bool: bool, int: int64, float: float64}
_by_category = {0: bool, 1: int64, 2: default}


def of(array: Any) -> dtype:
    """The dtype of a numpy array or scalar that a tensor holds."""
    return dtype._by_numpy[array.dtype]


def resolve(value: Any, function: str) -> dtype:
    """What a caller's `dtype=` argument means; `function` names the caller in the error."""
    if isinstance(value, dtype):
        return value
    if value in (builtins.bool, int, float):
        return _python_types[value]
    raise TypeError(
        f"{function}(): argument 'dtype' must be minigrad.dtype, not {type(value).__name__}. "
        f"Choose one of {', '.join(map(repr, dtype._by_numpy.values()))}; got {value!r}."
    )


def from_numpy(numpy_dtype: np.dtype[Any]) -> dtype:
    """The dtype for a numpy array's; a TypeError names the ones that exist and how to convert."""
    try:
        return dtype._by_numpy[numpy_dtype.newbyteorder("=")]
    except KeyError:
        supported = ", ".join(kind.name for kind in dtype._by_numpy.values())
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{numpy_dtype.type.__name__}. "
            f"The only supported types are: {supported}. "
            f"Convert it first, for example array.astype('float32')."
        ) from None


def of_number(value: Any, beside: dtype) -> dtype:
    """The dtype that a number takes beside a tensor of dtype `beside`: the tensor's own unless its kind is higher.

    (numpy's own bools count as floats, as they do in PyTorch: to Python they are neither bools nor integers.)
    """
    category = 0 if isinstance(value, builtins.bool) else 1 if isinstance(value, int | np.integer) else 2
    return beside if category <= beside.category else _by_category[category]


def promote(a: Any, b: Any) -> dtype:
    """The dtype in which numpy arrays (or scalars) `a` and `b` meet."""
    first, second = of(a), of(b)
    if first is second:
        return first
    if first.category != second.category:
        return first if first.category > second.category else second
    if (a.ndim == 0) != (b.ndim == 0):
        return first if b.ndim == 0 else second
    return first if first.itemsize >= second.itemsize else second

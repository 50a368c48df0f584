"""The kinds of number that a tensor can hold, under PyTorch's names, and the rule by which two of them mix.

`int64 + float32` is float32 here (numpy alone would say float64), and a Python number never widens a tensor of its own
kind. The rule: bool < integer < floating; a higher kind wins whatever its size, and among equals a tensor with
dimensions outranks one without (PyTorch, "Tensor Attributes: type promotion").
"""

from __future__ import annotations

import builtins
import math
from typing import Any, ClassVar

import numpy as np


class dtype:
    """The type of a tensor's elements, such as `minigrad.float32`."""

    __slots__ = ("name", "numpy", "category", "tensor_type", "c_name")
    _by_numpy: ClassVar[dict[np.dtype[Any], dtype]] = {}

    def __init__(self, name: str, category: int, tensor_type: str, c_name: str) -> None:
        self.name = name
        self.numpy = np.dtype(name)
        self.category = category  # 0 bool, 1 integer, 2 floating
        self.tensor_type = tensor_type  # the name that PyTorch's messages use
        self.c_name = c_name  # the name in C++, which some of them use
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


bool = dtype("bool", 0, "Bool", "bool")
uint8 = dtype("uint8", 1, "Byte", "unsigned char")
int8 = dtype("int8", 1, "Char", "signed char")
int16 = dtype("int16", 1, "Short", "short int")
int32 = dtype("int32", 1, "Int", "int")
int64 = dtype("int64", 1, "Long", "long int")
float16 = dtype("float16", 2, "Half", "c10::Half")
float32 = dtype("float32", 2, "Float", "float")
float64 = dtype("float64", 2, "Double", "double")

NUMBER_TYPES = (int, float, np.integer, np.floating, np.bool_)  # what an operation takes beside tensors; bools are ints

default = float32  # what Python floats become; set_default_dtype() changes it
_python_types: dict[Any, dtype] = {builtins.bool: bool, int: int64, float: float64}


def set_default_dtype(d: dtype) -> None:
    """Choose what Python floats become, and what `zeros(2)` and the like are made of: float32 to begin with.

    TypeError for anything but a floating dtype.
    """
    global default
    if not isinstance(d, dtype):
        raise TypeError(f"invalid dtype object: only floating-point types are supported as the default type, not {d!r}")
    if not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, not {d}")
    default = d


def get_default_dtype() -> dtype:
    """What Python floats become."""
    return default


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


def dtype_of_number(value: Any, beside: dtype) -> dtype:
    """The dtype that a number takes beside a tensor of dtype `beside`: the tensor's own unless its kind is higher.

    (numpy's own bools count as floats, as they do in PyTorch: to Python they are neither bools nor integers.)
    """
    category = 0 if isinstance(value, builtins.bool) else 1 if isinstance(value, int | np.integer) else 2
    return beside if category <= beside.category else (bool, int64, default)[category]


_LARGEST = {float16: 65504, float32: 3.4028234663852886e38, float64: math.inf}


def element(kind: dtype, number: Any, alone: builtins.bool = False) -> Any:
    """A number as a numpy scalar of a dtype, to be written to a tensor: 1.5 becomes 1 among integers, the integer -1 is
    255 in uint8. `alone`: to a tensor of one element, for which PyTorch rounds what float16 cannot hold.

    RuntimeError for what the dtype cannot hold.
    """
    if alone and kind is float16 and abs(number) > 65504:  # maybe rounded to inf, of which numpy would warn
        number = math.copysign(65504 if abs(number) < 65520 else math.inf, number)
    try:
        if abs(number) <= _LARGEST.get(kind, -1):  # most numbers are such
            return kind.numpy.type(number)
        wraps = isinstance(number, int | np.integer) and kind is uint8 and -255 <= number < 0
        if (kind is uint8 and number < 0 and not wraps) or _LARGEST.get(kind, math.inf) < abs(number) < math.inf:
            raise OverflowError
        return kind.numpy.type(int(number) % 256 if wraps else number)
    except (OverflowError, ValueError):
        name = kind.c_name if kind.category == 2 or kind is int32 else f"{kind.name}_t"
        raise RuntimeError(f"value cannot be converted to type {name} without overflow: {number}") from None


def wrap_around(kind: dtype, number: int) -> Any:
    """An integer as a numpy scalar of an integer dtype, to be computed with: what is too large wraps around.

    OverflowError for one that not even 64 bits can hold.
    """
    try:
        return np.int64(number).astype(kind.numpy)
    except OverflowError:
        raise OverflowError(f"int too big to convert: {number} does not fit into 64 bits") from None


def promote(a: Any, b: Any) -> dtype:
    """The dtype in which numpy arrays (or scalars) `a` and `b` meet."""
    first, second = of(a), of(b)
    rank, other = [(kind.category, array.ndim > 0, kind.itemsize) for kind, array in ((first, a), (second, b))]
    if {first, second} == {uint8, int8} and rank == other:
        return int16  # the smallest that holds the numbers of both
    return first if rank >= other else second


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that two tensors with dimensions, of these dtypes, meet in."""
    return promote(np.empty(1, type1.numpy), np.empty(1, type2.numpy))

"""Making tensors of numbers that are there: Python's, or a numpy array's.

After this module a reader knows which dtype a list's numbers get, and when memory is shared with a numpy array. Tensors
that are made by a rule (`zeros`, `arange` ...) are found in `factories.py`, those of chance in `minigrad.random`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner, type_name
from minigrad.creation.arguments import check_flag, check_place, check_range, made, marked, shape_of
from minigrad.creation.factories import empty, empty_like, full, full_like, ones, ones_like, zeros, zeros_like
from minigrad.dtypes import dtype
from minigrad.tensor import Size, Tensor, from_array

__all__ = [
    "as_tensor", "asarray", "empty", "empty_like", "from_numpy", "full", "full_like", "ones", "ones_like", "tensor",
    "zeros", "zeros_like",
]  # fmt: skip

# A training step frees large arrays and soon asks for the same again. By default glibc hands them back to the system in
# between, and every page has to be fetched anew, which makes up a third of a small network's step. It keeps memory up
# to twice the size of the largest block that it has seen freed, 32 MiB at most. So we show it one; nothing is touched.
np.empty(2**25 - 2**13, np.uint8)


def tensor(data: Any, *, dtype: dtype | None = None, requires_grad: bool = False, **place: Any) -> Tensor:
    """A tensor with a copy of the numbers in `data`: a number, nested lists of them, a numpy array or a tensor.

    Python floats become float32, ints int64, bools bool, unless `dtype` says otherwise; numpy arrays keep their dtype.
    ValueError for ragged lists, TypeError for what is not a number or a dtype that does not exist.
    """
    if place:
        check_place("tensor", place)
    kind = None if dtype is None else dtypes.resolve(dtype, "tensor")
    if isinstance(data, Tensor):
        _warn_of_copy("minigrad.tensor")
        array = np.array(data._array)
    elif isinstance(data, np.ndarray | np.generic):
        if kind is None:
            kind = dtypes.from_numpy(data.dtype)
        array = np.array(data)
    else:
        array, inferred = _from_lists(data)
        kind = kind or inferred
        if kind is not inferred and kind.category == 1:
            check_range(array, kind)
    if kind is not None and array.dtype is not kind.numpy:
        array = array.astype(kind.numpy)
    return made(array, requires_grad, "tensor")


def _warn_of_copy(function: str) -> None:
    warnings.warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {function}(sourceTensor).",
        UserWarning,
        stacklevel=frames_to_learner(),
    )


def constructed(data: Any = (), *sizes: Any, kind: dtype | None = None) -> Tensor:
    """What `Tensor(...)`, and `LongTensor(...)` of a dtype `kind`, makes: the numbers of a sequence in that dtype, a
    view of a tensor, or a tensor of given sizes.
    """
    kind = kind or dtypes.default
    if isinstance(data, Tensor) and not sizes:
        if data.dtype is not kind:
            raise TypeError(f"expected a tensor of dtype {kind} (got {data.dtype}): convert it with .to({kind})")
        return data[...]
    if sizes or isinstance(data, Size) or (isinstance(data, int | np.integer) and not isinstance(data, bool)):
        return made(np.empty(shape_of("new", (data, *sizes), {}), kind.numpy), False, "new")
    if not isinstance(data, Sequence | np.ndarray):
        raise TypeError(
            f"new(): data must be a sequence (got {type_name(data)}): sizes are ints, and tensor(...) takes a number"
        )
    return tensor(data, dtype=kind)


def from_numpy(array: Any) -> Tensor:
    """A tensor that shares the memory of a numpy array: what is written to one is seen in the other."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(array)})")
    dtypes.from_numpy(array.dtype)
    if any(step < 0 for step in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    if array.dtype.byteorder not in "=|" and not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
            "currently not supported."
        )
    if not array.flags.writeable:
        warnings.warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. Here, writing "
            "to the tensor will be an error; copy the array first if you want to write.",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
    return marked(from_array(array))


def as_tensor(data: Any, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """`data` as a tensor: itself if it is one, sharing memory if it is a numpy array, else a copy, as `tensor()`."""
    check_place("as_tensor", {"device": device})
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray):
        made = from_numpy(data)
        return made if dtype is None else made.to(dtype)
    return tensor(data, dtype=dtype)


def asarray(
    obj: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """As `as_tensor`; `copy` forces or forbids a copy, and `requires_grad=False` gives a tensor outside the graph."""
    made = as_tensor(obj, dtype, device)
    if copy is False:
        if not isinstance(obj, Tensor | np.ndarray):
            raise ValueError("can't alias arbitrary sequence into a tensor: leave out copy=False")
        source = dtypes.of(obj._array if isinstance(obj, Tensor) else obj)
        if made.dtype is not source:
            raise ValueError(
                f"can't alias tensor with dtype '{source.tensor_type}' into dtype '{made.dtype.tensor_type}': leave "
                "out copy=False"
            )
    if copy:
        made = made.clone()
    if requires_grad is None:
        if made.requires_grad:
            warnings.warn(
                "minigrad.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
                "requires_grad=False explicitly to get the old behavior and silence this warning.",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
        return made
    check_flag(requires_grad, made, "asarray")
    if requires_grad:
        return made.requires_grad_()
    return made.detach() if made.requires_grad else made


def _from_lists(data: Any) -> tuple[Any, dtype]:
    """Read nested sequences of numbers. A tensor with one element counts as a number."""
    flat = [data]
    shape: list[int] = []
    while any(not isinstance(item, Tensor) and _length(item) is not None for item in flat):
        length = _length(flat[0])
        for item in flat:
            if _length(item) != length:
                got = "a number" if _length(item) is None else str(_length(item))
                expected = "a number" if length is None else f"sequence of length {length}"
                raise ValueError(
                    f"expected {expected} at dim {len(shape)} (got {got}): the rows of a tensor must all have the "
                    "same length"
                )
        shape.append(length or 0)
        flat = [part for item in flat for part in item]
    values: list[Any] = [item if item.__class__ in _PYTHON_NUMBERS else _number(item) for item in flat]
    kinds = {_python_kind(item.__class__) or _kind_of(item) for item in flat} or {dtypes.default}
    kind = max(kinds, key=lambda each: (each.category, each.itemsize))
    try:
        return np.array(values, dtype=kind.numpy if kind.category < 2 else np.float64).reshape(shape), kind
    except OverflowError:
        raise RuntimeError(
            f"value cannot be converted to type {kind.name}_t without overflow: {max(values, key=abs)}"
        ) from None


_PYTHON_NUMBERS = (bool, int, float)


def _python_kind(number: Any) -> dtype | None:
    """The dtype of Python's numbers of a class; None for another class."""
    if number is float:
        return dtypes.default
    return dtypes.int64 if number is int else dtypes.bool if number is bool else None


def _length(item: Any) -> int | None:
    """The length of a sequence; None for a number."""
    if isinstance(item, Tensor | np.ndarray):
        return len(item) if item.ndim else None
    return len(item) if isinstance(item, Sequence) and not isinstance(item, str) else None


def _number(item: Any) -> Any:
    """What stands for a number in a list, as Python's number; raise for what cannot."""
    if isinstance(item, Tensor):
        if item.numel() != 1:
            raise ValueError(
                "only one element tensors can be converted to Python scalars: stack() and cat() make one tensor of "
                f"several, such as this one of shape {list(item.shape)}"
            )
        return float(item) if item.requires_grad else item.item()  # float() warns that the graph is lost
    value = item.item() if isinstance(item, np.generic | np.ndarray) else item
    if value is None:
        raise RuntimeError("Could not infer dtype of NoneType: a tensor holds numbers or bools")
    if isinstance(value, complex):
        raise TypeError(f"a tensor holds real numbers or bools, and not complex ones, such as {value}")
    if isinstance(value, str):
        raise TypeError(f"new(): invalid data type 'str': a tensor holds numbers or bools, not {value!r}")
    if not isinstance(value, bool | int | float):
        raise RuntimeError(f"Could not infer dtype of {type(value).__name__}: a tensor holds numbers or bools")
    return value


def _kind_of(item: Any) -> dtype:
    """The dtype of a number in a list: tensors and numpy's own numbers say what they are."""
    if isinstance(item, Tensor):
        return item.dtype
    if isinstance(item, np.generic | np.ndarray) and item.dtype in dtypes.dtype._by_numpy:
        return dtypes.of(item)
    return dtypes.of_number(item, dtypes.bool)


def _new(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The method `x.new_zeros(...)` and the like: a new tensor of x's dtype."""

    def method(
        self: Tensor, *arguments: Any, dtype: dtype | None = None, requires_grad: Any = False, **place: Any
    ) -> Tensor:
        if not isinstance(requires_grad, bool):
            check_flag(requires_grad, self, f"new_{make.__name__}")
        return make(*arguments, dtype=dtype or self.dtype, requires_grad=requires_grad, **place)

    method.__name__ = f"new_{make.__name__}"
    method.__doc__ = f"As `{make.__name__}`, with this tensor's dtype."
    return method


def _new_tensor(
    self: Tensor, data: Any, *, dtype: dtype | None = None, requires_grad: bool = False, **place: Any
) -> Tensor:
    """As `tensor(data)`, with another tensor's dtype."""
    if isinstance(data, Tensor):
        _warn_of_copy("tensor.new_tensor")
        data = data.detach().numpy()
    return tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad, **place)


METHODS: dict[str, Any] = {
    "new": lambda self, *data: constructed(*data, kind=self.dtype),
    "new_tensor": _new_tensor,
    **{
        f"new_{name}": _new(make) for name, make in (("zeros", zeros), ("ones", ones), ("empty", empty), ("full", full))
    },
}

"""Making tensors out of nothing, out of Python numbers, and out of chance."""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner, type_name
from minigrad.autograd.graph import ON_DEMAND
from minigrad.autograd.modes import INFERENCE, thread
from minigrad.dtypes import dtype
from minigrad.tensor import Size, Tensor, from_array

# A training step frees large arrays and soon asks for the same again. By default glibc hands them back to the system in
# between, and every page has to be fetched anew, which makes up a third of a small network's step. It keeps memory up
# to twice the size of the largest block that it has seen freed, 32 MiB at most. So we show it one; nothing is touched.
np.empty(2**25 - 2**13, np.uint8)


def _made(array: Any, requires_grad: bool, function: str) -> Tensor:
    """The new tensor that `function` gives."""
    made = _marked(from_array(array[()]))  # a 0-d array becomes the numpy scalar in it: faster to compute with
    if requires_grad is not False:
        _check_flag(requires_grad, made, function)
        made._node = ON_DEMAND
    return made


def _check_flag(requires_grad: Any, made: Tensor, function: str) -> None:
    """Raise if a new tensor cannot have `requires_grad=True`, or if that is no bool at all."""
    if not isinstance(requires_grad, bool):
        raise TypeError(
            f"{function}(): argument 'requires_grad' must be bool, not {type_name(requires_grad)}: {requires_grad!r}"
        )
    if requires_grad and not made.dtype.is_floating_point:
        raise RuntimeError(
            "Only Tensors of floating point and complex dtype can require gradients. "
            f"This one would be {made.dtype}: write its numbers with a decimal point, or give dtype=minigrad.float32."
        )


def _marked(made: Tensor) -> Tensor:
    if thread.inference:
        made._writes = INFERENCE
    return made


def tensor(data: Any, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor with a copy of the numbers in `data`: a number, nested lists of them, a numpy array or a tensor.

    Python floats become float32, ints int64, bools bool, unless `dtype` says otherwise; numpy arrays keep their dtype.
    ValueError for ragged lists, TypeError for what is not a number or a dtype that does not exist.
    """
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
    if kind is not None and array.dtype is not kind.numpy:
        array = array.astype(kind.numpy)
    return _made(array, requires_grad, "tensor")


def _warn_of_copy(function: str) -> None:
    warnings.warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {function}(sourceTensor).",
        UserWarning,
        stacklevel=frames_to_learner(),
    )


def constructed(data: Any = (), *sizes: Any) -> Tensor:
    """What `Tensor(...)` makes: float32 numbers of a sequence, a view of a tensor, or a tensor of given sizes."""
    if isinstance(data, Tensor) and not sizes:
        return data[...]
    if sizes or isinstance(data, Size) or (isinstance(data, int | np.integer) and not isinstance(data, bool)):
        return _made(np.empty(_size("new", (data, *sizes)), dtypes.default.numpy), False, "new")
    if not isinstance(data, Sequence | np.ndarray):
        raise TypeError(
            f"new(): data must be a sequence (got {type_name(data)}): sizes are ints, and tensor(...) takes a number"
        )
    return tensor(data, dtype=dtypes.default)


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
    return _marked(from_array(array))


def as_tensor(data: Any, dtype: dtype | None = None) -> Tensor:
    """`data` as a tensor: itself if it is one, sharing memory if it is a numpy array, else a copy, as `tensor()`."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray):
        made = from_numpy(data)
        return made if dtype is None else made.to(dtype)
    return tensor(data, dtype=dtype)


def asarray(
    obj: Any, *, dtype: dtype | None = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """As `as_tensor`; `copy` forces or forbids a copy, and `requires_grad=False` gives a tensor outside the graph."""
    made = as_tensor(obj, dtype)
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
    _check_flag(requires_grad, made, "asarray")
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
    kinds = {_PYTHON_NUMBERS.get(item.__class__) or _kind_of(item) for item in flat} or {dtypes.default}
    kind = max(kinds, key=lambda each: (each.category, each.itemsize))
    try:
        return np.array(values, dtype=kind.numpy if kind.category < 2 else np.float64).reshape(shape), kind
    except OverflowError:
        raise RuntimeError(
            f"value cannot be converted to type {kind.name}_t without overflow: {max(values, key=abs)}"
        ) from None


_PYTHON_NUMBERS = {bool: dtypes.bool, int: dtypes.int64, float: dtypes.default}


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
    if not isinstance(value, bool | int | float):
        raise TypeError(
            f"new(): invalid data type '{type_name(value)}': a tensor holds numbers or bools, not {value!r}"
        )
    return value


def _kind_of(item: Any) -> dtype:
    """The dtype of a number in a list: tensors and numpy's own numbers say what they are."""
    if isinstance(item, Tensor):
        return item.dtype
    if isinstance(item, np.generic | np.ndarray) and item.dtype.name in (
        "bool",
        "int32",
        "int64",
        "float32",
        "float64",
    ):
        return dtypes.of(item)
    return dtypes.of_number(item, dtypes.bool)


def _size(function: str, size: Sequence[Any]) -> tuple[int, ...]:
    from minigrad.ops.shape import sizes

    shape = sizes(function, size)
    if any(n < 0 for n in shape):
        if function == "zeros":
            raise RuntimeError(f"{function}: Dimension size must be non-negative, but got {list(shape)}")
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
    return shape


def _kind(dtype: dtype | None, function: str, default: dtype = dtypes.default) -> Any:
    return (default if dtype is None else dtypes.resolve(dtype, function)).numpy


def zeros(*size: Any, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros of the given sizes."""
    return _made(np.zeros(_size("zeros", size), _kind(dtype, "zeros")), requires_grad, "zeros")


def ones(*size: Any, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones of the given sizes."""
    return _made(np.ones(_size("ones", size), _kind(dtype, "ones")), requires_grad, "ones")


def full(size: Sequence[int], fill_value: Any, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one number repeated; its dtype is the number's unless given."""
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    if not isinstance(fill_value, bool | int | float | np.number | np.bool_):
        raise TypeError(
            f"full(): argument 'fill_value' (position 2) must be Number, not {type(fill_value).__name__}: "
            f"{fill_value!r}"
        )
    kind = _kind(dtype, "full", dtypes.of_number(fill_value, dtypes.bool))
    return _made(np.full(_size("full", (size,)), fill_value, kind), requires_grad, "full")


def empty(*size: Any, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the given sizes, with whatever numbers happen to be in its memory."""
    return _made(np.empty(_size("empty", size), _kind(dtype, "empty")), requires_grad, "empty")


def empty_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of another one's shape and dtype, with whatever numbers happen to be in its memory."""
    return empty(_like("empty_like", input).shape, dtype=dtype or input.dtype, requires_grad=requires_grad)


def full_like(input: Tensor, fill_value: Any, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """One number repeated in another tensor's shape and dtype."""
    kind = dtype or _like("full_like", input).dtype
    return full(input.shape, fill_value, dtype=kind, requires_grad=requires_grad)


def _new(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The method `x.new_zeros(...)` and the like: a new tensor of x's dtype."""

    def method(self: Tensor, *arguments: Any, dtype: dtype | None = None, requires_grad: Any = False) -> Tensor:
        if not isinstance(requires_grad, bool):
            _check_flag(requires_grad, self, f"new_{make.__name__}")
        return make(*arguments, dtype=dtype or self.dtype, requires_grad=requires_grad)

    return method


def _new_tensor(self: Tensor, data: Any, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """As `tensor(data)`, with another tensor's dtype."""
    if isinstance(data, Tensor):
        _warn_of_copy("tensor.new_tensor")
        data = data.detach().numpy()
    return tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)


def zeros_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Zeros of another tensor's shape and dtype."""
    return zeros(_like("zeros_like", input).shape, dtype=dtype or input.dtype, requires_grad=requires_grad)


def ones_like(input: Tensor, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Ones of another tensor's shape and dtype."""
    return ones(_like("ones_like", input).shape, dtype=dtype or input.dtype, requires_grad=requires_grad)


def _like(function: str, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{function}(): argument 'input' (position 1) must be Tensor, not {type(value).__name__}: {value!r}"
        )
    return value


def eye(n: int, m: int | None = None, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """A matrix with ones on the diagonal, n by n or n by m."""
    for name, value in (("n", n), ("m", m)):
        if value is not None and value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    return _made(np.eye(n, m, dtype=_kind(dtype, "eye")), requires_grad, "eye")


def arange(
    start: float, end: float | None = None, step: float = 1, *, dtype: dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """Numbers from `start` (0 if only one argument is given) up to but without `end`, `step` apart; int64 if all are
    ints.
    """
    if end is None:
        start, end = 0, start
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    integers = all(isinstance(value, int | np.integer) for value in (start, end, step))
    numbers = np.arange(start, end, step, dtype=np.int64 if integers else np.float64)
    return _made(
        numbers.astype(_kind(dtype, "arange", dtypes.int64 if integers else dtypes.default)), requires_grad, "arange"
    )


def linspace(
    start: float, end: float, steps: int, *, dtype: dtype | None = None, requires_grad: bool = False
) -> Tensor:
    """`steps` numbers evenly spaced from `start` to `end`, both included."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return _made(np.linspace(start, end, steps).astype(_kind(dtype, "linspace")), requires_grad, "linspace")


class _Chance(threading.local):
    """Each thread's source of random numbers, made at first use: numpy.random takes as long to import as the engine."""

    @functools.cached_property
    def generator(self) -> np.random.Generator:
        return np.random.default_rng()


_chance = _Chance()


def manual_seed(seed: int) -> np.random.Generator:
    """Start the random numbers of this thread anew from a seed, so that a run can be repeated.

    (The numbers are not PyTorch's.)
    """
    _chance.generator = np.random.default_rng(int(seed) % 2**64)
    return _chance.generator


def rand(*size: Any, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Random numbers, uniform between 0 (included) and 1 (excluded)."""
    kind = _kind(dtype, "rand")
    _floating("rand", kind)
    return _made(_chance.generator.random(_size("rand", size), dtype=kind), requires_grad, "rand")


def randn(*size: Any, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Random numbers from the normal distribution with mean 0 and standard deviation 1."""
    kind = _kind(dtype, "randn")
    _floating("randn", kind)
    return _made(_chance.generator.standard_normal(_size("randn", size), dtype=kind), requires_grad, "randn")


def _floating(function: str, kind: Any) -> None:
    if kind.kind != "f":
        raise RuntimeError(f"{function}(): dtype must be minigrad.float32 or minigrad.float64, not {kind}")


METHODS: dict[str, Callable[..., Any]] = {
    "new_tensor": _new_tensor,
    **{
        f"new_{name}": _new(make) for name, make in (("zeros", zeros), ("ones", ones), ("empty", empty), ("full", full))
    },
}

"""Making tensors: of numbers that are there (`tensor`, `as_tensor`, `from_numpy`), or by a rule (`zeros`, `arange`).

All of them take `dtype` (`get_default_dtype()` where nothing says otherwise), `requires_grad`, and `device` for the
CPU. Tensors of chance are made in `minigrad.random`.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import short, type_name, warn
from minigrad.autograd.modes import INFERENCE, thread
from minigrad.public import Device, Dtype, Ints, Number, Sizes, as_number, as_sizes, no_such_form, public
from minigrad.size import Size
from minigrad.tensor import Array, Tensor, from_array, own_array

# A training step frees large arrays and soon asks for the same again. By default glibc hands them back to the system in
# between, and every page has to be fetched anew, which makes up a third of a small network's step. It keeps memory up
# to twice the size of the largest block that it has seen freed, 32 MiB at most. So we show it one; nothing is touched.
np.empty(2**25 - 2**13, np.uint8)


# ---------------------------------------------------------------- what all of them do


def mark_inference(tensor: Tensor) -> Tensor:
    """A new tensor, which is one of inference mode if it was made there."""
    if thread.inference:
        tensor._writes = INFERENCE
    return tensor


def _options(*, dtype: Dtype = None, device: Device = None, requires_grad: bool = False) -> None:
    """The arguments that all functions have which make tensors."""


_OPTIONS = inspect.signature(_options).parameters.values()


def factory(numbers: Callable[..., Array]) -> Callable[..., Tensor]:
    """The public function that makes a tensor of the array which `numbers` gives.

    `numbers` is told a `dtype`: what was asked for, or None; a learner gives the further options.
    """

    @functools.wraps(numbers)
    def make(
        *arguments: Any, dtype: dtypes.dtype | None = None, device: Any = None, requires_grad: bool = False, **more: Any
    ) -> Tensor:
        # A 0-d array becomes the numpy scalar in it: faster to compute with.
        made = mark_inference(from_array(numbers(*arguments, dtype=dtype, **more)[()]))
        if requires_grad:
            made._want_grad(True, "Only Tensors of floating point and complex dtype can require gradients")
        return made

    own = inspect.signature(numbers)
    kept = [parameter for parameter in own.parameters.values() if parameter.name != "dtype"]
    make.__signature__ = own.replace(parameters=[*kept, *_OPTIONS], return_annotation="Tensor")  # type: ignore[attr-defined]
    # Layers pass on the dtypes that learners gave them.
    return public(method=False, composed=True, everywhere=True)(make)


# ---------------------------------------------------------------- by a rule


def empty_array(size: tuple[int, ...], dtype: dtypes.dtype | None) -> Array:
    """An array of a new tensor's shape and dtype, with any numbers."""
    if any(n < 0 for n in size):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {list(size)}")
    return np.empty(size, (dtype or dtypes.default).numpy)


def array_like(input: Tensor, dtype: dtypes.dtype | None) -> Array:
    """An array with a tensor's shape, dtype (unless one is given) and order in memory, and any numbers."""
    kind = (dtype or input.dtype).numpy
    repeats = any(step == 0 and size > 1 for step, size in zip(own_array(input).strides, input.shape, strict=True))
    return np.empty(input.shape, kind) if repeats else np.empty_like(input._array, kind, order="K")


def _fill(array: Array, value: Any) -> Array:
    array[...] = dtypes.element(dtypes.of(array), value, alone=array.size == 1)
    return array


@factory
def empty(size: Sizes, *, dtype: Dtype) -> Array:
    """A tensor of the given sizes, with whatever numbers happen to be in its memory."""
    return empty_array(size, dtype)


@factory
def zeros(size: Sizes, *, dtype: Dtype) -> Array:
    """A tensor of zeros of the given sizes."""
    if any(n < 0 for n in size):
        raise RuntimeError(f"zeros: Dimension size must be non-negative, but got {list(size)}")
    return np.zeros(size, (dtype or dtypes.default).numpy)


@factory
def ones(size: Sizes, *, dtype: Dtype) -> Array:
    """A tensor of ones of the given sizes."""
    return _fill(empty_array(size, dtype), 1)


@factory
def full(size: Ints, fill_value: Number, *, dtype: Dtype) -> Array:
    """A tensor of one number repeated; its dtype is the number's unless given."""
    return _fill(empty_array(size, dtype or dtypes.dtype_of_number(fill_value, dtypes.bool)), fill_value)


@factory
def empty_like(input: Tensor, *, dtype: Dtype) -> Array:
    """A tensor of another one's shape and dtype, with whatever numbers happen to be in its memory."""
    return array_like(input, dtype)


@factory
def zeros_like(input: Tensor, *, dtype: Dtype) -> Array:
    """Zeros of another tensor's shape and dtype."""
    return _fill(array_like(input, dtype), 0)


@factory
def ones_like(input: Tensor, *, dtype: Dtype) -> Array:
    """Ones of another tensor's shape and dtype."""
    return _fill(array_like(input, dtype), 1)


@factory
def full_like(input: Tensor, fill_value: Number, *, dtype: Dtype) -> Array:
    """One number repeated in another tensor's shape and dtype."""
    return _fill(array_like(input, dtype), fill_value)


@factory
def eye(n: int, m: int | None = None, *, dtype: Dtype) -> Array:
    """A matrix with ones on the diagonal, n by n or n by m."""
    for name, value in (("n", n), ("m", n if m is None else m)):
        if value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    return np.eye(n, m, dtype=(dtype or dtypes.default).numpy)


@factory
def arange(start: Any = None, end: Any = None, step: Any = 1, *, dtype: Dtype) -> Array:
    """Numbers from `start` (0 if only one argument is given) up to but without `end`, `step` apart; int64 if all are
    ints.

    RuntimeError for a step of 0, or one that leads away from the end.
    """
    if start is None and end is None:
        raise TypeError("arange() received an invalid combination of arguments - got (), but expected an end")
    if end is None:
        start, end = 0, as_number("arange", "end", 1, start)
    start = as_number("arange", "start", 1, 0 if start is None else start)
    end, step = as_number("arange", "end", 2, end), as_number("arange", "step", 3, step)
    if step == 0:
        raise RuntimeError("step must be nonzero: the numbers would never end")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign: give a step that leads to the end")
    whole = all(isinstance(value, int) for value in (start, end, step))
    kind = dtype or (dtypes.int64 if whole else dtypes.default)
    if kind is dtypes.bool:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool': give a dtype of numbers")
    if kind.is_floating_point:
        numbers = start + np.arange(math.ceil((end - start) / step), dtype=np.float64) * step
    else:  # PyTorch counts the steps between whole numbers then
        if int(step) == 0:
            raise RuntimeError("step must be nonzero: of the step that was given, an integer dtype keeps 0")
        numbers = np.arange(int(start), int(end), int(step), dtype=np.int64)
    return numbers.astype(kind.numpy)


@factory
def linspace(start: Any, end: Any, steps: Any, *, dtype: Dtype) -> Array:
    """`steps` numbers evenly spaced from `start` to `end`, both included."""
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, Tensor) and value.ndim:
            text = f"linspace only supports 0-dimensional start and end tensors, but got {name} with {value.ndim}"
            raise RuntimeError(f"{text} dimension(s).")
    if not isinstance(steps, int | np.integer):
        raise no_such_form("linspace", TypeError("steps must be an int"), (start, end, steps))
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    start, end = as_number("linspace", "start", 1, start), as_number("linspace", "end", 2, end)
    step = (end - start) / (steps - 1) if steps > 1 else 0.0
    places = np.arange(steps, dtype=np.float64)
    # The second half is counted from the end, so that the last number is exact.
    numbers = np.where(places < steps // 2, start + step * places, end - step * (steps - 1 - places))
    return (numbers if steps != 1 else np.array([start], np.float64)).astype((dtype or dtypes.default).numpy)


# ---------------------------------------------------------------- of numbers that are there


@factory
def tensor(data: Any, *, dtype: Dtype) -> Array:
    """A tensor with a copy of the numbers in `data`: a number, nested lists of them, a numpy array or a tensor.

    Python floats become float32, ints int64, bools bool, unless `dtype` says otherwise; numpy arrays keep their dtype.
    ValueError for ragged lists, TypeError for what is not a number, or a list, in its place, and for no dtype.
    """
    if data.__class__ is float and (dtype is None or dtype.category == 2):
        return (dtype or dtypes.default).numpy.type(data)
    if isinstance(data, Tensor):
        warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than minigrad.tensor(sourceTensor).",
        )
        array, kind = data._array, data.dtype
    elif isinstance(data, np.ndarray | np.generic):
        array, kind = data, dtype or dtypes.from_numpy(data.dtype)
    else:
        array, kind = _from_lists(data)
        if dtype is not None and dtype.category == 1:
            _check_range(array, dtype)
        return array.astype((dtype or kind).numpy, copy=False)
    return np.array(array, (dtype or kind).numpy)


def _check_range(array: Any, kind: dtypes.dtype) -> None:
    """Raise if an integer dtype cannot hold a number that was given for it. (Negative ones wrap around, as in C.)"""
    limits = np.iinfo(kind.numpy)
    low = limits.min if limits.min else -limits.max
    if array.size and not (low <= array.min() and array.max() <= limits.max):
        found = f"the numbers are from {array.min()} to {array.max()}"
        raise RuntimeError(f"value cannot be converted to type {kind.name} without overflow: {found}")


def construct(data: Any = (), *sizes: Any) -> Tensor:
    """What `Tensor(...)` makes: numbers of a sequence, a view of a tensor, or a tensor of given sizes."""
    kind = dtypes.default
    if isinstance(data, Tensor) and not sizes:
        if data.dtype is not kind:
            raise TypeError(f"expected a tensor of dtype {kind} (got {data.dtype}): convert it with .to({kind})")
        return data[...]
    if sizes or isinstance(data, Size) or (isinstance(data, int | np.integer) and not isinstance(data, bool)):
        return empty(as_sizes("new", "size", 1, (data, *sizes)))
    if not isinstance(data, Sequence | np.ndarray):
        raise TypeError(f"new(): data must be a sequence (got {type_name(data)}): tensor(...) takes a number")
    return tensor(data, dtype=kind)


@public(method=False)
def from_numpy(ndarray: Any) -> Tensor:
    """A tensor that shares the memory of a numpy array: what is written to one is seen in the other."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    dtypes.from_numpy(ndarray.dtype)
    if any(step < 0 for step in ndarray.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    if not ndarray.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
            "currently not supported."
        )
    if not ndarray.flags.writeable:
        warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. Here, writing "
            "to the tensor will be an error; copy the array first if you want to write.",
        )
    return mark_inference(from_array(ndarray))


@public(method=False, everywhere=True)
def as_tensor(data: Any, dtype: Dtype = None, device: Device = None) -> Tensor:
    """`data` as a tensor: itself if it is one, sharing memory if it is a numpy array, else a copy, as `tensor()`."""
    if not isinstance(data, Tensor | np.ndarray):
        return tensor(data, dtype=dtype)
    shared = data if isinstance(data, Tensor) else from_numpy(data)
    return shared if dtype is None else shared.to(dtype)


def _declare_new_method(name: str, make: Callable[..., Tensor]) -> None:
    """Declare `x.new_zeros(...)` and the like."""

    def new(self: Any, *data: Any, dtype: Any = None, **options: Any) -> Tensor:
        return make(*data, dtype=self.dtype if dtype is None else dtype, **options)

    own, tensor_itself = inspect.signature(make), inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    new.__signature__ = own.replace(parameters=[tensor_itself, *own.parameters.values()])  # type: ignore[attr-defined]
    new.__name__ = new.__qualname__ = name
    new.__doc__ = f"`{make.__name__}(...)` with this tensor's dtype, unless another one is given."
    public(function=False)(new)


for _make in (tensor, empty, zeros, ones, full):
    _declare_new_method(f"new_{_make.__name__}", _make)


def _from_lists(data: Any) -> tuple[Any, dtypes.dtype]:
    """Read nested sequences of numbers. A tensor with one element counts as a number."""
    flat = [data]
    shape: list[int] = []
    while any(not isinstance(item, Tensor) and _length(item) is not None for item in flat):
        length = _length(flat[0])
        for item in flat:
            if _length(item) != length:
                got = "a number" if _length(item) is None else str(_length(item))
                expected = "a number" if length is None else f"sequence of length {length}"
                error = TypeError if "a number" in (expected, got) else ValueError
                raise error(f"expected {expected} at dim {len(shape)} (got {got}): all rows must have the same length")
        shape.append(length or 0)
        flat = [part for item in flat for part in item]
    if shape and flat and isinstance(flat[0], str):  # of which PyTorch asks in vain for a part that is no sequence
        raise ValueError(f"too many dimensions 'str': a tensor holds numbers or bools, not {flat[0]!r}")
    others = [item for item in flat if item.__class__ not in (bool, int, float)]
    values: list[Any] = [item if item.__class__ in (bool, int, float) else _number(item) for item in flat]
    one_of_each_class = {item.__class__: item for item in flat}.values()
    kinds = {_kind_of(item) for item in (*one_of_each_class, *others)} or {dtypes.default}
    kind = max(kinds, key=lambda each: (each.category, each.itemsize))
    try:
        return np.array(values, dtype=kind.numpy if kind.category < 2 else np.float64).reshape(shape), kind
    except OverflowError:
        raise ValueError(f"Overflow when unpacking long long: {max(values, key=abs)}") from None


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
        raise RuntimeError(f"Could not infer dtype of {type_name(value)}: give numbers or bools, not {short(value)}")
    return value


def _kind_of(item: Any) -> dtypes.dtype:
    """The dtype of a number in a list: tensors and numpy's own numbers say what they are."""
    if isinstance(item, Tensor):
        return item.dtype
    if isinstance(item, np.generic | np.ndarray) and item.dtype in dtypes.dtype._by_numpy:
        return dtypes.of(item)
    return dtypes.dtype_of_number(item, dtypes.bool)

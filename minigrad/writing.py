"""Operations that write into a tensor: `x.add_(1)`, `x[0] = 2`, `exp(x, out=y)`.

After this module a reader knows what an in-place form does around the operation that it is named after: compute, check
that the result fits into the tensor, write, count the write. Outside of recording (`no_grad`, or where nothing needs a
gradient) that is all; what a recorded write does to the graph is told in autograd/inplace.py.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner
from minigrad.autograd.grad_mode import is_recording, no_grad
from minigrad.autograd.inplace import begin_write, check_history, keep_for_backward, record_write
from minigrad.op import size_mismatch
from minigrad.ops import comparison, indexing, overwrite, shape
from minigrad.tensor import Tensor, from_array, own_array

Method = Callable[..., Any]
_NUMBERS = (int, float, np.number, np.bool_)


def _check_fit(tensor: Tensor, values: Any, name: str) -> None:
    """Raise if the values could not be written into the tensor."""
    if values.shape != tensor.shape and np.broadcast_shapes(values.shape, tensor.shape) != tensor.shape:
        raise RuntimeError(
            f"output with shape {list(tensor.shape)} doesn't match the broadcast shape {list(values.shape)}"
        )
    kind = dtypes.from_numpy(values.dtype)
    if kind.category > tensor.dtype.category:
        raise RuntimeError(
            f"result type {kind.tensor_type} can't be cast to the desired output type {tensor.dtype.tensor_type}: "
            f"{name} writes into a tensor of {tensor.dtype}. Convert it first, as in x = x.float()."
        )


def _store(tensor: Tensor, values: Any, name: str) -> Tensor:
    """Write an array into the tensor's memory, and count it."""
    _check_fit(tensor, values, name)
    begin_write(tensor)
    np.copyto(own_array(tensor), values, casting="unsafe")
    return tensor


def same(tensor: Tensor) -> Tensor:
    """Another tensor with the same memory and the same place in the graph, as the old value of one that is written."""
    same = from_array(own_array(tensor))
    same._node, same._output_nr, same._find_node = tensor._node, tensor._output_nr, tensor._find_node
    return same


def _fitting(tensor: Tensor, operand: Any) -> Any:
    """The operand's array, if it can be combined with the tensor's without changing dtype or shape."""
    if isinstance(operand, Tensor) and operand._array.dtype is tensor._array.dtype and operand.dtype.category == 2:
        array = operand._array
        if array.ndim == 0 or array.shape == tensor._array.shape:
            return array
    return None


def needs_grad(*values: Any) -> bool:
    """Whether an operation on these is to be recorded."""
    return is_recording() and any([isinstance(value, Tensor) and value._node is not None for value in values])


def in_place(function: Method, name: str, ufunc: Any = None) -> Method:
    """The in-place form of a function of a tensor and maybe more; `ufunc` can do it without a second array."""

    def method(self: Tensor, *operands: Any, **options: Any) -> Tensor:
        if not needs_grad(self, *operands, *options.values()):
            if ufunc is not None and len(operands) == 1 and (source := _fitting(self, *operands)) is not None:
                begin_write(self)
                ufunc(self._array, source, out=self._array)
                return self
            return _store(self, function(self, *operands, **options)._array, name)
        check_history(self)
        before = same(self)
        result = function(before, *operands, **options)
        _check_fit(self, result._array, name)
        keep_for_backward(result._node, before, result._array, self)
        begin_write(self)
        np.copyto(self._array, result._array, casting="unsafe")
        record_write(self, result._node)
        return self

    method.__name__ = name
    method.__doc__ = f"In-place form of `{name.rstrip('_')}`: writes the result into this tensor and returns it."
    return method


# ---------------------------------------------------------------- whatever was there before


def _fill(self: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions: "
                "use copy_() for that."
            )
        return overwrite.filled_by_tensor(self, value)  # type: ignore[no-any-return]
    if not isinstance(value, _NUMBERS):
        raise TypeError(f"fill_(): argument 'value' (position 1) must be Number, not {type(value).__name__}: {value!r}")
    return overwrite.filled(self, np.full(self.shape, value, self._array.dtype))  # type: ignore[no-any-return]


def _copied(self: Tensor, src: Any) -> Tensor:
    if isinstance(src, _NUMBERS):
        src = from_array(self.dtype.numpy.type(src))
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}: {src!r}")
    mismatch = size_mismatch("copy_", self.shape, src.shape)
    if mismatch is not None:
        raise mismatch
    if np.broadcast_shapes(self.shape, src.shape) != self.shape:
        raise RuntimeError(
            f"output with shape {list(self.shape)} doesn't match the broadcast shape "
            f"{list(np.broadcast_shapes(self.shape, src.shape))}"
        )
    return overwrite.copied(self, src)  # type: ignore[no-any-return]


fill_ = in_place(_fill, "fill_")
zero_ = in_place(lambda self: overwrite.zeroed(self, np.zeros_like(self._array)), "zero_")
copy_ = in_place(_copied, "copy_")


def comparing(name: str) -> Method:
    """`eq_` and the like: the answer, as numbers, in the tensor's place."""
    compare = getattr(comparison, name)

    def compared(self: Tensor, other: Any) -> Tensor:
        with no_grad():
            answer = compare(self, other)._array
        return overwrite.compared[name](self, answer.astype(self._array.dtype))  # type: ignore[no-any-return]

    return in_place(compared, name + "_")


# ---------------------------------------------------------------- a part


def set_item(self: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value`: write into a part of the tensor."""
    parts, advanced = indexing.normalized(self, index)
    if not isinstance(value, Tensor):
        if not isinstance(value, _NUMBERS):
            raise TypeError(
                f"can't assign a {type(value).__name__} to a minigrad.{self.dtype.tensor_type}Tensor: {value!r}. "
                "Make it a tensor first, as in tensor(...)."
            )
        value = from_array(self.dtype.numpy.type(value))
    if not needs_grad(self, value):
        _write_part(self, parts, advanced, value)
    elif advanced:
        _put_(self, parts, value)
    else:
        whole = all(part is Ellipsis or part == slice(None) for part in parts)
        target = self if whole else indexing.basic(self, parts)
        if value.ndim == 0 and value._node is None:
            fill_(target, value)
        else:
            copy_(target, _without_extra_dims(value, target.ndim))


def _write_part(self: Tensor, parts: tuple[Any, ...], advanced: bool, value: Tensor) -> None:
    array = own_array(self)
    target = array[parts].shape
    source = _without_extra_dims(value, len(target))
    _check_values(target, source, advanced)
    spread = shape.expand(source.detach(), target)._array
    begin_write(self)
    array[parts] = spread


def _without_extra_dims(value: Tensor, ndim: int) -> Tensor:
    """The value without dimensions of size 1 in front that are too many, as in `x[0] = tensor([[1., 2.]])`."""
    extra = value.ndim - ndim
    return value.reshape(value.shape[extra:]) if extra > 0 and set(value.shape[:extra]) == {1} else value


def _check_values(target: tuple[int, ...], value: Tensor, advanced: bool) -> None:
    if advanced and size_mismatch("", target, value.shape) is not None:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to indexing result of "
            f"shape {list(target)}"
        )


def _index_put(self: Tensor, parts: tuple[Any, ...], value: Tensor) -> Tensor:
    """The op behind them: what `parts` selects, replaced."""
    target = self._array[parts].shape
    source = _without_extra_dims(value, len(target)).to(self.dtype)
    _check_values(target, source, True)
    return indexing.index_put(self, source, parts)  # type: ignore[no-any-return]


_put_ = in_place(_index_put, "index_put_")


def _indices(input: Tensor, indices: Any, values: Any, function: str) -> tuple[Any, ...]:
    if not isinstance(indices, tuple | list):
        raise TypeError(
            f"{function}(): argument 'indices' (position 1) must be tuple of Tensors, not {type(indices).__name__}"
        )
    if not isinstance(values, Tensor):
        raise TypeError(f"{function}(): argument 'values' (position 2) must be Tensor, not {type(values).__name__}")
    if values.dtype is not input.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {input.dtype.tensor_type} for the "
            f"destination and {values.dtype.tensor_type} for the source."
        )
    return indexing.normalized(input, tuple(indices))[0]


def index_put_(self: Tensor, indices: Any, values: Tensor) -> Tensor:
    """Write `values` at the places that a tuple of index tensors selects; as `x[indices] = values`."""
    return _put_(self, _indices(self, indices, values, "index_put_"), values)  # type: ignore[no-any-return]


def index_put(self: Tensor, indices: Any, values: Tensor) -> Tensor:
    """A copy of the tensor with `values` at the places that a tuple of index tensors selects."""
    return _index_put(self, _indices(self, indices, values, "index_put"), values)


# ---------------------------------------------------------------- out=


def into(out: Any, function: Method, *arguments: Any, **options: Any) -> Tensor:
    """`function(..., out=out)`: write the result into a tensor that is there already, and return it."""
    name = function.__name__
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if needs_grad(out, *_flat(arguments)):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    with no_grad():
        result = function(*arguments, **options)
    if result.shape != out.shape:
        if out.numel():
            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does "
                f"not match the required output shape {list(result.shape)}. Give an empty tensor as out, or one of "
                "the right shape.",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
        own_array(out)
        out._array = np.empty(result.shape, out._array.dtype)
    return _store(out, result._array, name)


def _flat(arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments, and those that are lists of tensors taken apart."""
    flat: list[Any] = []
    for argument in arguments:
        flat.extend(argument if isinstance(argument, list | tuple) else [argument])
    return flat


def taking_out(function: Method) -> Method:
    """The function with an `out=` argument."""

    def outer(*arguments: Any, out: Any = None, **options: Any) -> Any:
        return function(*arguments, **options) if out is None else into(out, function, *arguments, **options)

    outer.__name__, outer.__doc__, outer.__module__ = function.__name__, function.__doc__, function.__module__
    outer.__wrapped__ = function  # type: ignore[attr-defined]  # so that its signature shows
    return outer

"""Operations that write into a tensor: `x.add_(1)`, `x[0] = 2`, `exp(x, out=y)`.

After this module a reader knows what an in-place form does around the operation that it is named after: compute, check
that the result fits into the tensor, write, count the write. Outside of recording (`no_grad`, or where nothing needs a
gradient) that is all; what a recorded write does to the graph is told in autograd/inplace.py.
"""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner, type_name
from minigrad.autograd.grad_mode import is_recording, no_grad
from minigrad.autograd.inplace import (
    OVERLAP,
    begin_write,
    check_apart,
    check_history,
    check_overlap,
    count_write,
    keep_for_backward,
    record_write,
)
from minigrad.autograd.modes import check_mode, thread
from minigrad.autograd.saved import UNSAVABLE_MESSAGE, packing_result_late
from minigrad.op import answers, check_places, parameter_names, size_mismatch
from minigrad.ops.places import indexing, overwrite, slicing
from minigrad.ops.places.strides import overlaps, writable
from minigrad.ops.shapes.expanding import expand
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


def _store(tensor: Tensor, values: Any, name: str, fills: bool = False, *sources: Any) -> Tensor:
    """Write an array into the tensor's memory, and count it; it was computed from `sources`."""
    if name == "copy_" and sources and sources[0] is tensor:
        check_mode(tensor)
        count_write(tensor)  # to write a tensor over itself changes nothing
        return tensor
    for source in sources:
        if isinstance(source, Tensor):
            check_overlap(tensor._array, source._array)
    _check_fit(tensor, values, name)
    target = own_array(tensor)
    if not target.flags.writeable and (fills or not _repeats(target)):
        target = writable(target, once=True)
    begin_write(tensor, target)
    np.copyto(target, values if target.shape == tensor._array.shape else values.flat[0], casting="unsafe")
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


def _any_tensor(operands: tuple[Any, ...]) -> bool:
    return any(isinstance(operand, Tensor) for operand in operands)


def _check_memory(tensor: Tensor, sources: tuple[Any, ...]) -> None:
    """Raise if a write from these would read what it has just written: PyTorch looks at that before it looks at
    shapes.
    """
    for source in sources:
        if isinstance(source, Tensor):
            check_overlap(tensor._array, source._array)
            if _repeats(tensor._array):
                raise RuntimeError(OVERLAP)


def needs_grad(*values: Any) -> bool:
    """Whether an operation on these is to be recorded."""
    return is_recording() and any(isinstance(value, Tensor) and value._node is not None for value in values)


def in_place(
    function: Method,
    name: str,
    ufunc: Any = None,
    operand: str = "",
    fills: bool = False,
    spreads: bool = False,
    through_repeats: Method | None = None,
) -> Method:
    """The in-place form of a function.

    Args:
        ufunc: does it without a second array.
        operand: the name of its one operand, a tensor or a number, for errors.
        fills: it writes the same number everywhere, so that elements may share memory (not if that is in a tensor).
        spreads: what it writes is repeated, and may come from the same memory.
        through_repeats: does the write where elements share places in memory, which is an error else.
    """

    def method(self: Tensor, *operands: Any, **options: Any) -> Tensor:
        if operand:
            _check_operand(name, operand, operands, options)
        sources = () if spreads else operands
        if not needs_grad(self, *operands, *options.values()) or self._array.dtype.kind != "f":
            if ufunc is not None and not options and (source := _fitting(self, *operands)) is not None:
                check_overlap(self._array, source)
                if own_array(self).flags.writeable:
                    begin_write(self, self._array)
                    ufunc(self._array, source, out=self._array)
                    return self
            try:
                with no_grad():
                    values = function(self, *operands, **options)._array
            except NotImplementedError:
                if operands and isinstance(operands[0], Tensor):  # PyTorch looks at the shapes first
                    there = np.broadcast_shapes(self.shape, operands[0].shape)
                    _check_fit(self, np.broadcast_to(self._array, there), name)
                raise
            except RuntimeError:
                _check_memory(self, sources)
                raise
            return _store(self, values, name, fills and not _any_tensor(operands), *sources)
        check_history(self)
        check_mode(self)
        before = same(self)
        if thread.saved_tensors_hooks:  # what they are given must not change under their hands
            before._array = np.array(before._array)
        with packing_result_late():
            try:
                result = function(before, *operands, **options)
                _check_fit(self, result._array, name)
            except RuntimeError as error:
                check_places(*(source for source in sources if isinstance(source, Tensor)))
                if str(error) != UNSAVABLE_MESSAGE:
                    _check_memory(self, sources)
                raise
            keep_for_backward(result._node, before, result._array, self)
            if through_repeats is not None and not self._array.flags.writeable:
                through_repeats(self, *operands)
            else:
                _store(self, result._array, name, fills and not _any_tensor(operands), *sources)
        record_write(self, result._node)
        return self

    method.__name__ = name
    method.__doc__ = f"In-place form of `{name.rstrip('_')}`: writes the result into this tensor and returns it."
    return method


# What PyTorch's parser of arguments takes literally; the other methods have something in between.
_TAKES_TENSORS = {"mul_"}  # a number is made one
_TAKES_TENSORS_OR_NUMBERS = {"pow_"}


def _check_operand(name: str, operand: str, operands: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Raise if an in-place method was not given one tensor or number."""
    if not operands and operand not in options:
        if name in _TAKES_TENSORS:
            raise TypeError(f'{name}() missing 1 required positional arguments: "{operand}"')
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got (), but expected (Tensor {operand}) or "
            f"(Number {operand})"
        )
    value = operands[0] if operands else options[operand]
    if not isinstance(value, Tensor | bool | int | float | np.number | np.bool_):
        kind = type_name(value)
        if name in _TAKES_TENSORS_OR_NUMBERS:
            raise TypeError(
                f"{name}() received an invalid combination of arguments - got ({kind}), but expected (Tensor "
                f"{operand}) or (Number {operand})"
            )
        raise TypeError(
            f"{name}(): argument '{operand}' (position 1) must be Tensor, not {kind}. Make it one first, as in "
            "tensor(...)."
        )


def augmented(method: Method, symbol: str, reflected: str) -> Method:
    """The operator for an in-place method, such as `+=` for `add_`; `reflected` is asked of what is no operand here."""

    def operator(self: Tensor, other: Any) -> Any:
        if not isinstance(other, Tensor | bool | int | float | np.number | np.bool_ | np.ndarray):
            if answers(other, reflected):
                return NotImplemented
            raise TypeError(
                f"unsupported operand type(s) for {symbol}: 'Tensor' and '{type(other).__name__}'. Make it a tensor "
                "first, as in tensor(...)."
            )
        return method(self, other)

    return operator


# ---------------------------------------------------------------- whatever was there before


def _fill(self: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions: "
                "use copy_() for that."
            )
        return overwrite.filled_by_tensor(self, value)
    if not isinstance(value, _NUMBERS):
        raise TypeError(f"fill_(): argument 'value' (position 1) must be Number, not {type(value).__name__}: {value!r}")
    return overwrite.filled(self, np.full(self.shape, dtypes.element(self.dtype, value)))


def _copied(self: Tensor, src: Any) -> Tensor:
    if isinstance(src, _NUMBERS):
        src = from_array(self.dtype.numpy.type(src))
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}: {src!r}")
    mismatch = size_mismatch("copy_", self.shape, src.shape)
    if mismatch is not None:
        raise RuntimeError(mismatch)
    if np.broadcast_shapes(self.shape, src.shape) != self.shape:
        raise RuntimeError(
            f"output with shape {list(self.shape)} doesn't match the broadcast shape "
            f"{list(np.broadcast_shapes(self.shape, src.shape))}"
        )
    return overwrite.copied(self, src)


fill_ = in_place(_fill, "fill_", fills=True, spreads=True)
zero_ = in_place(lambda self: overwrite.zeroed(self, np.zeros_like(self._array)), "zero_", fills=True)
copy_ = in_place(_copied, "copy_")
_spread_ = in_place(_copied, "copy_", spreads=True)


def comparing(name: str) -> Method:
    """`eq_` and the like: the answer, as numbers, in the tensor's place."""

    def compared(self: Tensor, other: Any) -> Tensor:
        if isinstance(other, Tensor):
            return overwrite.compared[name](self, other)
        answer = getattr(operator, name)(self.detach(), other)._array
        return overwrite.compared_to_number[name](self, answer)

    return in_place(compared, name + "_", operand="other")


# ---------------------------------------------------------------- a part


def set_item(self: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value`: write into a part of the tensor."""
    if index is False:
        return  # nothing is selected: nothing is written or counted
    parts, indices = indexing.split_index(self, None if index is True else index, written=True)
    if not isinstance(value, Tensor):
        if not isinstance(value, bool | int | float | np.integer):
            raise TypeError(
                f"can't assign a {type_name(value)} to a minigrad.{self.dtype.tensor_type}Tensor: {value!r}. "
                "Make it a tensor first, as in tensor(...)."
            )
        value = from_array(dtypes.element(self.dtype, value))
    whole = indexing.is_whole(parts)
    if not needs_grad(self, value) or self._array.dtype.kind != "f":
        write_part(self, parts, indices, value)
        return
    target = self if whole else slicing.basic(self, parts)
    if indices is not None:
        value = _without_leading_ones(value)
        check_history(target)
        check_places(value)
        _warn_of_repeats(own_array(target))
        check_apart(own_array(target), value._array)
        _put_(target, indices, value)
    elif value.ndim == 0 and target.ndim:
        fill_(target, value)
    else:
        source = value if value.shape == target.shape else _without_leading_ones(value)
        if source.shape == target.shape:
            copy_(target, source)
        else:
            _spread_(target, expand(source, target.shape))


def write_part(self: Tensor, parts: tuple[Any, ...], indices: tuple[Any, ...] | None, value: Tensor) -> None:
    """Write into a part of a tensor where no graph has to know of it."""
    whole = indexing.is_whole(parts)
    if value is self and indices is None and whole:
        check_mode(self)
        count_write(self)  # to write a tensor over itself changes nothing
        return
    memory = own_array(self)
    view = memory if whole else memory[parts]
    there = view.shape if indices is None else view[indices].shape
    source = value if value.shape == there and indices is None else _without_leading_ones(value)
    if indices is not None:
        _check_values(self, there, source)
    spread = source._array if source.shape == there else expand(source.detach(), there)._array
    if indices is not None:
        _warn_of_repeats(view)
        check_apart(view, source._array)
    if not memory.flags.writeable:
        view = writable(memory)[parts]  # a part of it may well be written to
    if indices is not None:
        begin_write(self, view)
        view[indices] = spread
        return
    if value.ndim:  # a single number is read before anything is written
        check_overlap(view, spread)
    if _repeats(view):
        raise RuntimeError(OVERLAP)
    begin_write(self, view)
    view[...] = spread


def _repeats(array: Any) -> bool:
    """Whether elements of an array share a place in memory."""
    return overlaps(array.shape, [stride // array.itemsize for stride in array.strides])


def _warn_of_repeats(array: Any) -> None:
    """PyTorch's warning where a write through indices goes to elements that share places."""
    if _repeats(array):
        warnings.warn(
            "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. This also applies to advanced indexing e.g. tensor[indices] = tensor",
            UserWarning,
            stacklevel=frames_to_learner(),
        )


def _without_leading_ones(value: Tensor) -> Tensor:
    """The value without dimensions of size 1 in front, as in `x[0] = tensor([[1., 2.]])`."""
    count = next((place for place, size in enumerate(value.shape) if size != 1), value.ndim)
    return value.view(value.shape[count:]) if count else value


def _check_values(self: Tensor, there: tuple[int, ...], value: Tensor) -> None:
    """Raise if a value could not be written to places of shape `there`."""
    fits = size_mismatch("", there, value.shape) is None and np.broadcast_shapes(there, value.shape) == there
    if not fits:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to indexing result of "
            f"shape {list(there)}"
        )
    if value.dtype is not self.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {self.dtype.tensor_type} for the "
            f"destination and {value.dtype.tensor_type} for the source."
        )


def _index_put(self: Tensor, indices: tuple[Any, ...], values: Tensor, accumulate: bool = False) -> Tensor:
    """What `indices` selects, replaced or added to."""
    source = _without_leading_ones(values)
    _check_values(self, self._array[indices].shape, source)
    put = indexing.index_put_accumulate if accumulate else indexing.index_put
    return put(self, source, indices)


def _put_through_repeats(self: Tensor, indices: tuple[Any, ...], values: Tensor, accumulate: bool = False) -> None:
    """Write to an expanded tensor, whose elements share places: only where the indices say, the rest follows."""
    memory = writable(own_array(self))
    begin_write(self, memory)
    if accumulate:
        np.add.at(memory, indices, _without_leading_ones(values)._array)
    else:
        memory[indices] = _without_leading_ones(values)._array


_put_ = in_place(_index_put, "index_put_", through_repeats=_put_through_repeats)


def _arrays_of(input: Tensor, indices: Any, values: Any, function: str) -> tuple[Any, ...]:
    if not isinstance(indices, tuple | list):
        raise TypeError(
            f"{function}(): argument 'indices' (position 1) must be tuple of Tensors, not {type(indices).__name__}"
        )
    if not isinstance(values, Tensor):
        raise TypeError(f"{function}(): argument 'values' (position 2) must be Tensor, not {type(values).__name__}")
    arrays = [index.reshape(1) if index.ndim == 0 else index for index in indices]
    return indexing.split_index(input, tuple(arrays), written=function == "index_put_")[1] or (...,)


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Write `values` at the places that a tuple of index tensors selects, as `x[indices] = values`; or add them there
    (`accumulate`).
    """
    _warn_of_repeats(own_array(self))
    check_apart(self._array, getattr(values, "_array", None))
    return _put_(self, _arrays_of(self, indices, values, "index_put_"), values, accumulate)


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of the tensor with `values` written at the places that index tensors select, or added there."""
    return _index_put(input, _arrays_of(input, indices, values, "index_put"), values, accumulate)


# ---------------------------------------------------------------- out=


def into(out: Any, function: Method, *arguments: Any, **options: Any) -> Any:
    """`function(..., out=out)`: write the result into a tensor that is there already, and return it."""
    name = function.__name__
    several = isinstance(out, tuple | list)
    for target in out if several else (out,):
        if not isinstance(target, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if needs_grad(*_flat((out, *arguments))):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    with no_grad():
        result = function(*arguments, **options)
    if not isinstance(result, tuple):
        if several:
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}: it has one result")
        return _into(out, result, name)
    for target, part in zip(out, result, strict=True):
        _into(target, part, name)
    return result.__class__(*out)


# Most functions write into an `out` of their result's kind of number or a wider one (see _check_fit). These differ:
_OUT_OF_ANY_DTYPE = {"sum"}
_OUT_OF_THIS_DTYPE = {
    **dict.fromkeys(("matmul", "mm"), "Expected out tensor to have dtype {kind.c_name}, but got {goal.c_name} instead"),
    **dict.fromkeys(("neg", "abs", "sign"), "Found dtype {goal.tensor_type} but expected {kind.tensor_type}"),
    "where": "Expected out type to be {kind.tensor_type} but got {goal.tensor_type}",
}
_OUT_TOO_NARROW: dict[str, tuple[type[Exception], str]] = {
    "max": (RuntimeError, "Expected canCast({kind}, {goal}) to be true: out is too narrow for the maximum"),
    **dict.fromkeys(
        ("cat", "stack"),
        (TypeError, "minigrad.cat(): input types can't be cast to the desired output type {goal.tensor_type}"),
    ),
}


def _into(out: Tensor, result: Tensor, name: str) -> Tensor:
    kind, goal = result.dtype, out.dtype
    if name in _OUT_OF_ANY_DTYPE:
        result = result.to(goal)
    elif kind is not goal and name in _OUT_OF_THIS_DTYPE:
        raise RuntimeError(_OUT_OF_THIS_DTYPE[name].format(kind=kind, goal=goal))
    elif kind.category > goal.category and name in _OUT_TOO_NARROW:
        error, text = _OUT_TOO_NARROW[name]
        raise error(text.format(kind=kind, goal=goal))
    if result.shape != out.shape:
        if out.numel():
            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does "
                f"not match the required output shape {list(result.shape)}. Give an empty tensor as out, or one of "
                "the right shape.",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
        out._array = np.empty(result.shape, out._array.dtype)
    return _store(out, result._array, name)


def _flat(arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments, and those that are lists of tensors taken apart."""
    flat: list[Any] = []
    for argument in arguments:
        flat.extend(argument if isinstance(argument, list | tuple) else [argument])
    return flat


def with_own_names(options: dict[str, Any]) -> dict[str, Any]:
    """Options under their own names, where numpy's were given: axis and keepdims, which PyTorch takes, too."""
    if "axis" in options and "dim" not in options:
        options["dim"] = options.pop("axis")
    if "keepdims" in options and "keepdim" not in options:
        options["keepdim"] = options.pop("keepdims")
    return options


def taking_axis(function: Method) -> Method:
    """The function, called with numpy's names, too."""

    @functools.wraps(function)
    def named(*arguments: Any, **options: Any) -> Any:
        return function(*arguments, **(with_own_names(options) if options else options))

    return named


def _unary(function: Method) -> Method:
    def called(input: Any, *, out: Any = None) -> Any:
        return function(input) if out is None else into(out, function, input)

    return called


def _binary(function: Method) -> Method:
    def called(input: Any, other: Any, *, out: Any = None) -> Any:
        if other.__class__ is np.ndarray:
            raise _no_array(function)
        return function(input, other) if out is None else into(out, function, input, other)

    return called


def _any_number(function: Method) -> Method:
    def called(*arguments: Any, out: Any = None, **options: Any) -> Any:
        if options:
            options = with_own_names(options)
        if len(arguments) > 1 and arguments[1].__class__ is np.ndarray:
            raise _no_array(function)
        return function(*arguments, **options) if out is None else into(out, function, *arguments, **options)

    return called


_OUTER = {("input",): _unary, ("input", "other"): _binary}


def taking_out(function: Method) -> Method:
    """The function with an `out=` argument. Those of one or two operands are spelled out: that halves the cost."""
    outer: Any = _OUTER.get(parameter_names(function), _any_number)(function)
    outer.__name__, outer.__doc__, outer.__module__ = function.__name__, function.__doc__, function.__module__
    outer.__wrapped__ = function  # so that its signature shows
    return outer


def _no_array(function: Method) -> TypeError:
    return TypeError(
        f"{function.__name__}(): argument 'other' (position 2) must be Tensor, not numpy.ndarray: make it one first, "
        "as in tensor(...)"
    )

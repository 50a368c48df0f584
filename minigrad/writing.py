"""Operations that write into a tensor: `x.add_(1)`, `x += 1`, `x.fill_(0)`. (`x[0] = 2` is in
ops/places/assignment.py.)

This is what an in-place form does around the operation that it is named after: compute, check that the result fits into
the tensor, write, count the write. Outside of recording (`no_grad`, or where nothing needs a gradient) that is all;
what a recorded write does to the graph is told in autograd/inplace.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import count_write, type_name
from minigrad.autograd.grad_mode import is_recording, no_grad
from minigrad.autograd.inplace import begin_write, check_history, keep_for_backward, record_write
from minigrad.autograd.modes import check_mode, thread
from minigrad.autograd.saved import UNSAVABLE_MESSAGE, packing_result_late
from minigrad.memory import OVERLAP, check_overlap, repeats, writable
from minigrad.operands import MISSING, answers, check_places, wrong_type
from minigrad.tensor import Tensor, from_array, own_array

Method = Callable[..., Any]


def _check_fit(tensor: Tensor, values: Any, name: str) -> None:
    """Raise if the values could not be written into the tensor."""
    own, other = list(tensor.shape), list(values.shape)
    if own != other and np.broadcast_shapes(values.shape, tensor.shape) != tensor.shape:
        raise RuntimeError(f"output with shape {own} doesn't match the broadcast shape {other}")
    kind, goal = dtypes.from_numpy(values.dtype), tensor.dtype
    if kind.category > goal.category:
        raise RuntimeError(
            f"result type {kind.tensor_type} can't be cast to the desired output type {goal.tensor_type}: {name} "
            f"writes into a tensor of {goal}. Convert it first, as in x = x.float()."
        )


def store(tensor: Tensor, values: Any, name: str, fills: bool = False, *sources: Any) -> Tensor:
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
    if not target.flags.writeable and (fills or not repeats(target)):
        target = writable(target, once=True)
    begin_write(tensor, target)
    np.copyto(target, values if target.shape == tensor._array.shape else values.flat[0], casting="unsafe")
    return tensor


def same(tensor: Tensor) -> Tensor:
    """Another tensor with the same memory and the same place in the graph, as the old value of one that is written."""
    same = from_array(own_array(tensor))
    same._node, same._output_nr, same._state = tensor._node, tensor._output_nr, tensor._state
    return same


def _check_memory(tensor: Tensor, sources: tuple[Any, ...]) -> None:
    """Raise if a write from these would read what it has just written: PyTorch looks at that before it looks at
    shapes.
    """
    for source in sources:
        if isinstance(source, Tensor):
            check_overlap(tensor._array, source._array)
            if repeats(tensor._array):
                raise RuntimeError(OVERLAP)


def needs_grad(*values: Any) -> bool:
    """Whether an operation on these is to be recorded."""
    # a list, since a generator takes longer than the few values
    return is_recording() and any([isinstance(value, Tensor) and value._node is not None for value in values])  # noqa: C419


def in_place(
    function: Method,
    name: str,
    ufunc: Any = None,
    operand: str = "",
    fills: bool = False,
    through_repeats: Method | None = None,
) -> Method:
    """The in-place form of a function.

    Args:
        ufunc: does it without a second array.
        operand: the name of its one operand, a tensor or a number, for errors.
        fills: it writes the same number everywhere, which may come from the same memory; if it is not in a tensor,
            elements may share memory.
        through_repeats: does the write where elements share places in memory, which is an error else.
    """

    def method(self: Any, *operands: Any, **options: Any) -> Tensor:
        if self.__class__ is not Tensor and not isinstance(self, Tensor):
            raise wrong_type(name, "input", 1, "Tensor", self)
        if operand:
            _check_operand(name, operand, operands, options)
        if needs_grad(self, *operands, *options.values()) and self._array.dtype.kind == "f":
            record(self, operands, options)
        elif ufunc is None or options or not _write_by(ufunc, self, *operands):
            write(self, operands, options)
        return self

    def write(self: Tensor, operands: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Compute, and write the result."""
        try:
            with no_grad():
                values = function(self, *operands, **options)._array
        except NotImplementedError:
            if operands and isinstance(operands[0], Tensor):  # PyTorch looks at the shapes first
                there = np.broadcast_shapes(self.shape, operands[0].shape)
                _check_fit(self, np.broadcast_to(self._array, there), name)
            raise
        except RuntimeError:
            _check_memory(self, () if fills else operands)
            raise
        put(self, values, operands)

    def record(self: Tensor, operands: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Compute on the old value of the tensor, write, and make the tensor the result."""
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
                sources = () if fills else operands
                check_places(*(source for source in sources if isinstance(source, Tensor)))
                if str(error) != UNSAVABLE_MESSAGE:
                    _check_memory(self, sources)
                raise
            keep_for_backward(result._node, before, result._array, self)
            if through_repeats is not None and not self._array.flags.writeable:
                through_repeats(self, *operands)
            else:
                put(self, result._array, operands)
        record_write(self, result._node)

    def put(self: Tensor, values: Any, operands: tuple[Any, ...]) -> None:
        everywhere = fills and not any(isinstance(operand, Tensor) for operand in operands)
        store(self, values, name, everywhere, *(() if fills else operands))

    if not function.__qualname__[0].isalpha() or "<" in function.__qualname__:  # it has no public name of its own
        function.__qualname__ = name  # what Python's errors about arguments say
    method.__name__ = method.__qualname__ = name
    method.__module__ = function.__module__  # where it is bound to its name, and pickle looks for it
    method.__doc__ = f"In-place form of `{name.rstrip('_')}`: writes the result into this tensor and returns it."
    return method


def _write_by(ufunc: Any, tensor: Tensor, operand: Any, *others: Any) -> bool:
    """Write by a ufunc, without a second array, if the operand can be combined with the tensor without changing dtype
    or shape: whether that was so.
    """
    if others or not isinstance(operand, Tensor) or operand._array.dtype is not tensor._array.dtype:
        return False
    source, target = operand._array, tensor._array
    if target.dtype.kind != "f" or not (source.ndim == 0 or source.shape == target.shape):
        return False
    check_overlap(target, source)
    if not own_array(tensor).flags.writeable:
        return False
    begin_write(tensor, tensor._array)
    ufunc(tensor._array, source, out=tensor._array)
    return True


def _check_operand(name: str, operand: str, operands: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Raise if an in-place method was not given one tensor or number, in the words of PyTorch's method."""
    value = operands[0] if operands else options.get(operand, MISSING)
    if isinstance(value, (Tensor, *dtypes.NUMBERS)):
        return
    if name == "pow_" or (value is MISSING and name != "mul_"):
        kind = "" if value is MISSING else type_name(value)
        forms = f"(Tensor {operand}) or (Number {operand})"
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({kind}), but expected {forms}")
    raise wrong_type(name, operand, 1, "Tensor", value)


def augmented(method: Method, symbol: str, reflected: str) -> Method:
    """The operator for an in-place method, such as `+=` for `add_`; `reflected` is asked of what is no operand here."""

    def operator(self: Tensor, other: Any) -> Any:
        if not isinstance(other, (Tensor, *dtypes.NUMBERS, np.ndarray)):
            if answers(other, reflected):
                return NotImplemented
            raise TypeError(
                f"unsupported operand type(s) for {symbol}: 'Tensor' and '{type(other).__name__}'. Make it a tensor "
                "first, as in tensor(...)."
            )
        return method(self, other)

    return operator

"""Operations that write into a tensor: `x.add_(1)`, `x += 1`, `x.fill_(0)`. (`x[0] = 2` is in
ops/places/assignment.py.)

This is what an in-place form does around the operation that it is named after: compute, check that the result fits into
the tensor, write, count the write. Outside of recording (`no_grad`, or where nothing needs a gradient) that is all;
what a recorded write does to the graph is told in autograd/inplace.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import count_write, type_name
from minigrad.autograd.grad_mode import is_recording, no_grad
from minigrad.autograd.inplace import begin_write, check_history, keep_for_backward, record_write
from minigrad.autograd.modes import check_mode, thread
from minigrad.autograd.saved import UNSAVABLE_MESSAGE, pack_result
from minigrad.memory import OVERLAP, check_overlap, repeats, same_elements, writable
from minigrad.operands import MISSING, answers, check_places, unsupported_error, wrong_type
from minigrad.public import as_number
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


def _check_memory(tensor: Tensor, sources: Sequence[Tensor]) -> None:
    """Raise if a write from these would read what it has just written."""
    array = tensor._array
    for source in sources:
        check_overlap(array, source._array)
        if not array.flags.writeable and not same_elements(array, source._array) and repeats(array):
            raise RuntimeError(OVERLAP)


def _old_value(tensor: Tensor) -> Tensor:
    """Another tensor with the same memory and the same place in the graph."""
    same = from_array(own_array(tensor))
    same._node, same._output_nr, same._state = tensor._node, tensor._output_nr, tensor._state
    return same


def _write(tensor: Tensor, values: Any, everywhere: bool) -> None:
    """Write an array into the tensor's memory, and count it. `everywhere`: it has the same number everywhere, so that
    elements of the tensor may share memory.
    """
    target = own_array(tensor)
    if not target.flags.writeable and (everywhere or not repeats(target)):
        target = writable(target, once=True)
    begin_write(tensor, target)
    np.copyto(target, values if target.shape == tensor._array.shape else values.flat[0], casting="unsafe")


def needs_grad(*values: Any) -> bool:
    """Whether an operation on these is to be recorded."""
    # a list, since a generator takes longer than the few values
    return is_recording() and any([isinstance(value, Tensor) and value._node is not None for value in values])  # noqa: C419


def in_place(
    function: Method,
    name: str,
    ufunc: Any = None,
    operand: str = "",
    shares: bool = False,
    writes: Method | None = None,
) -> Method:
    """The in-place form of a function.

    Args:
        ufunc: does it without a second array.
        operand: the name of its one operand, a tensor or a number, for errors.
        shares: what it reads may share memory with the tensor: it is one number, written everywhere, or its `writes`
            has looked. If that number is not in a tensor, the tensor's elements may share memory, too.
        writes: writes the operands into the tensor, and counts that, where not all of it has to be written.
    """
    unrecorded = no_grad()(function)

    def method(self: Any, *operands: Any, **options: Any) -> Tensor:
        if self.__class__ is not Tensor and not isinstance(self, Tensor):
            raise wrong_type(name, "input", 1, "Tensor", self)
        recorded = needs_grad(self, *operands, *options.values()) and self._array.dtype.kind == "f"
        if recorded or ufunc is None or not _write_by(ufunc, self, *operands, **options):
            if operand:
                _check_operand(name, operand, operands, options)
            compute_and_write(self, operands, options, recorded)
        return self

    def compute_and_write(self: Tensor, operands: tuple[Any, ...], options: dict[str, Any], recorded: bool) -> None:
        """Compute on the old value of the tensor, and write; if that is recorded, make the tensor the result."""
        tensors = [operand for operand in operands if isinstance(operand, Tensor)]
        sources = [] if shares else tensors  # read while the tensor is written to
        if recorded:
            check_history(self)
        before = _old_value(self) if recorded else self
        if recorded and thread.saved_tensors_hooks:  # which get what is saved: that must not change under their hands
            before._array = np.array(before._array)
        outer, thread.writes_result = thread.writes_result, recorded
        try:
            result = (function if recorded else unrecorded)(before, *operands, **options)
            _check_fit(self, result._array, name)
        except RuntimeError as error:  # PyTorch looks at memory before it looks at shapes, but not before it saves
            check_places(*sources)
            if isinstance(error, NotImplementedError) and tensors:  # at shapes it looks before all
                _check_fit(self, np.broadcast_to(self._array, np.broadcast_shapes(self.shape, tensors[0].shape)), name)
            if str(error) != UNSAVABLE_MESSAGE:
                _check_memory(self, sources)
            raise
        finally:
            thread.writes_result = outer
        _check_memory(self, sources)
        write = partial(_write, self, result._array, everywhere=shares and not tensors)
        if writes is not None:
            write = partial(writes, self, *operands, **options)
        if recorded:
            keep_for_backward(result._node, before, result._array, self)
            record_write(self, result._node, write)
            pack_result(result._node)
        else:
            write()

    if not function.__qualname__[0].isalpha() or "<" in function.__qualname__:  # it has no public name of its own
        function.__qualname__ = name  # what Python's errors about arguments say
    method.__name__ = method.__qualname__ = name
    method.__module__ = function.__module__  # where it is bound to its name, and pickle looks for it
    method.__doc__ = f"In-place form of `{name.rstrip('_')}`: writes the result into this tensor and returns it."
    return method


def in_place_view(function: Method, name: str) -> Method:
    """The in-place form of a function that gives a view: the tensor itself becomes that view of its memory.

    No number changes, but this counts as a write, and other views of the tensor find their place anew. A tensor that is
    a view itself becomes the result of the operation alone: unlike after other writes its base stays what it is.
    """

    def method(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
        if recorded := needs_grad(self):
            check_history(self)
        check_mode(self)
        view = function(_old_value(self), *arguments, **options)
        count_write(self)
        self._array = view._array
        if recorded:  # retain_grad() stays with what the tensor was
            self._node, self._output_nr, self._state = view._node, 0, None
        return self

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"In-place form of `{name.rstrip('_')}`: makes this tensor the view, and returns it."
    return method


def _write_by(ufunc: Any, tensor: Tensor, operand: Any = None, *others: Any, **options: Any) -> bool:
    """Write by a ufunc, without a second array, if the operand, times `alpha` where it is added, can be combined with
    the tensor without changing dtype or shape: whether that was so.
    """
    if others or not isinstance(operand, Tensor) or operand._array.dtype is not tensor._array.dtype:
        return False
    source, target = operand._array, tensor._array
    if target.dtype.kind != "f" or not (source.ndim == 0 or source.shape == target.shape):
        return False
    check_overlap(target, source)
    if options:  # float16 would be rounded twice
        alpha = options.pop("alpha", None)
        if options or ufunc not in (np.add, np.subtract) or type(alpha) not in (int, float) or target.itemsize < 4:
            return False
        source = source * dtypes.element(tensor.dtype, alpha)
    if not own_array(tensor).flags.writeable:
        return False
    begin_write(tensor, tensor._array)
    ufunc(tensor._array, source, out=tensor._array)
    return True


def _check_operand(name: str, operand: str, operands: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Raise if an in-place method was not given one tensor or number, in the words of PyTorch's method."""
    value, count = operands[0] if operands else options.get(operand, MISSING), len(operands)
    takes_alpha = name in ("add_", "sub_")
    if isinstance(value, (Tensor, *dtypes.NUMBER_TYPES)) and count < 2:
        if takes_alpha and "alpha" in options:
            as_number(name, "alpha", None, options["alpha"])
        return
    if count > 1 and (name == "mul_" or (takes_alpha and count == 2)):
        raise TypeError(f"{name}() takes 1 positional argument but {count} were given")
    if count > 1 or name in ("pow_", "floor_divide_", "remainder_") or (value is MISSING and name != "mul_"):
        mark = "!" if takes_alpha else ""  # PyTorch's, for what does not fit where there is only one form
        kinds = ", ".join([f"{mark}{type_name(given)}{mark}" for given in operands])
        forms = "(Tensor other, *, Number alpha = 1)" if takes_alpha else f"one of: (Tensor or Number {operand})"
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({kinds}), but expected {forms}")
    raise wrong_type(name, operand, 1, "Tensor", value)


def augmented_operator(method: Method, symbol: str, reflected: str) -> Method:
    """The operator for an in-place method, such as `+=` for `add_`; `reflected` is asked of what is no operand here."""

    def operator(self: Tensor, other: Any) -> Any:
        if not isinstance(other, (Tensor, *dtypes.NUMBER_TYPES, np.ndarray)):
            if answers(other, reflected):
                return NotImplemented
            raise unsupported_error(symbol, self, other)
        return method(self, other)

    return operator

"""The tensor without its graph: an array, its shape and dtype, and the slots in which its place in the graph is kept.

All that is below the class `Tensor` itself (tensor.py), the graph and the engine above all, works with this one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.modes import INFERENCE, InferenceCount, thread
from minigrad.size import Size

if TYPE_CHECKING:
    from minigrad.autograd.node import TensorState
    from minigrad.dtypes import dtype
    from minigrad.tensor import Tensor


class TensorBase:
    """What every tensor carries, and the numbers in it."""

    __slots__ = ("_array", "_node", "_output_nr", "_grad", "_writes", "_viewed", "_state", "__weakref__", "__dict__")

    _array: Any  # numpy array; a 0-d result stays the numpy scalar that it is: ten times faster than a 0-d array
    _node: Any  # grad_fn of a result; ON_DEMAND where it is found when asked for; None where no gradient is wanted
    _output_nr: int  # which of its node's outputs this is
    _grad: Tensor | None
    _writes: list[Any] | None  # [number of in-place writes, views, line of the last write], shared with all tensors of
    # one memory, only as far as needed: None, one, two or three items
    _viewed: Tensor | None  # the tensor of which this is a view: the first one if it is a view of a view
    _state: TensorState | None  # what is to be known of a leaf, or of a view that was written to (autograd/node.py)
    _is_number = False  # whether this stands for a number in an expression

    @property
    def shape(self) -> Size:
        return Size(self._array.shape)

    @property
    def dtype(self) -> dtype:
        return dtypes.of(self._array)

    @property
    def ndim(self) -> int:
        return self._array.ndim

    def dim(self) -> int:
        return self.ndim

    def numel(self) -> int:
        return self._array.size

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dimension."""
        if dim is None:
            return self.shape
        if not isinstance(dim, int | np.integer) or isinstance(dim, bool):
            raise TypeError(f"size(): argument 'dim' (position 1) must be int, not {type(dim).__name__}: {dim!r}")
        if not self.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return self._array.shape[wrap_dim(dim, self.ndim)]

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._array.nbytes

    def item(self) -> Any:
        """The one element as a Python number. RuntimeError if there are more, or none."""
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        return self._array.item()

    def tolist(self) -> Any:
        """The numbers as nested lists."""
        return self._array.tolist()

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __bool__(self) -> bool:
        if self._array.size != 1:
            count = "more than one value" if self._array.size else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {count} is ambiguous")
        return bool(self._array.item())

    def __int__(self) -> int:
        return int(self._scalar())

    def __index__(self) -> int:
        if self.dtype.category == 2 or self._array.size != 1:
            advice = "(To compute with the numbers of a list, make it a tensor first, as in tensor(...).)"
            raise TypeError(f"only integer tensors of a single element can be converted to an index. {advice}")
        return int(self._array.item())

    def _scalar(self) -> Any:
        if self._array.size != 1:
            asked = f"this one has shape {list(self.shape)}: tolist() gives all of its numbers."
            raise ValueError(f"only one element tensors can be converted to Python scalars, and {asked}")
        return self._array.item()

    def __format__(self, specification: str) -> str:
        return format(self.item(), specification) if self.ndim == 0 else object.__format__(self, specification)

    __hash__ = object.__hash__  # by identity: == compares elements

    def is_inference(self) -> bool:
        """True for tensors that were made in inference mode."""
        return self._writes.__class__ is InferenceCount

    @property
    def _version(self) -> int:
        """How often this tensor, its views or its detach()ed versions were written to."""
        if self._writes is INFERENCE:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._writes is None else self._writes[0]

    _base = property(lambda self: self._viewed, doc="The tensor of which this is a view, or None.")

    def _is_view(self) -> bool:
        return self._viewed is not None


tensor_class: Any = TensorBase  # of all tensors that are made here: `Tensor`, once it is defined above this module


def from_array(array: Any) -> Tensor:
    """A tensor around a numpy array or scalar, as it is: nothing is checked or copied."""
    tensor: Tensor = object.__new__(tensor_class)
    tensor._array = array
    tensor._output_nr = 0
    tensor._node = tensor._grad = tensor._writes = tensor._viewed = tensor._state = None
    return tensor


def from_index(array: Any) -> Tensor:
    """A tensor around indices that numpy has found: int64, also in a browser, where numpy counts in 32 bits."""
    return from_array(array.astype(np.int64, copy=False))


def own_array(tensor: Tensor) -> np.ndarray[Any, Any]:
    """The tensor's memory as an array that others may share: a numpy scalar becomes a 0-d array here."""
    if tensor._array.__class__ is not np.ndarray:
        tensor._array = np.asarray(tensor._array)
    return tensor._array


def share_outside(kind: Any, source: Tensor) -> Any:
    """A tensor of this class with the memory and the count of writes of another, outside the graph."""
    outside = object.__new__(kind)
    outside._array = own_array(source)
    outside._output_nr = 0
    outside._node = outside._grad = outside._viewed = outside._state = None
    source._writes = source._writes or [0]
    outside._writes = inference_count() if source.is_inference() else source._writes
    return outside


def inference_count() -> list[Any]:
    """For what is detached from a tensor of inference mode: outside of that mode it has a count of its own."""
    return INFERENCE if thread.inference else InferenceCount([0])


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; IndexError if there is no such dimension."""
    limit = max(ndim, 1)
    if not -limit <= dim < limit:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
    return int(dim) % limit

"""The classes from before tensors had a `dtype`: `FloatTensor([1, 2])`, `LongTensor(3, 4)`, `x.type(DoubleTensor)`.

After this module a reader can run programs of that time, and knows what to write today: `tensor([1, 2],
dtype=float32)`, `empty(3, 4, dtype=int64)`, `x.double()`.
"""

from __future__ import annotations

import warnings
from typing import Any

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner
from minigrad.creation.data import constructed
from minigrad.tensor import Tensor


class TensorType(type):
    """What `FloatTensor` and the others are: called, they make a tensor of their dtype; isinstance() asks for it."""

    dtype: dtypes.dtype

    def __call__(cls, *data: Any) -> Tensor:
        """The numbers of a sequence, or a tensor of given sizes with whatever is in its memory.

        TypeError for a tensor of another dtype, and for a number that is no size.
        """
        return constructed(*data, kind=cls.dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __repr__(cls) -> str:
        return f"<class 'minigrad.{cls.__name__}'>"


def _tensor_type(kind: dtypes.dtype) -> TensorType:
    made = TensorType(f"{kind.tensor_type}Tensor", (), {"__module__": "minigrad", "__doc__": f"Tensors of {kind}."})
    made.dtype = kind
    return made


BoolTensor, ByteTensor, CharTensor = map(_tensor_type, (dtypes.bool, dtypes.uint8, dtypes.int8))
ShortTensor, IntTensor, LongTensor = map(_tensor_type, (dtypes.int16, dtypes.int32, dtypes.int64))
HalfTensor, FloatTensor, DoubleTensor = map(_tensor_type, (dtypes.float16, dtypes.float32, dtypes.float64))

_BY_NAME = {
    made.__name__: made.dtype
    for made in (
        BoolTensor, ByteTensor, CharTensor, ShortTensor, IntTensor, LongTensor, HalfTensor, FloatTensor, DoubleTensor,
    )
}  # fmt: skip


def dtype_of_type(value: Any) -> Any:
    """The dtype that a class or its name ("torch.FloatTensor") stands for; anything else as it is.

    ValueError for a name that no class has.
    """
    if isinstance(value, TensorType):
        return value.dtype
    if not isinstance(value, str):
        return value
    package, _, name = value.rpartition(".")
    if package not in ("torch", "minigrad") or name not in _BY_NAME:
        raise ValueError(f"invalid type: {value!r}. Give a dtype, such as minigrad.float64.")
    return _BY_NAME[name]


def set_default_tensor_type(t: Any) -> None:
    """As `set_default_dtype`, with the class of that dtype or its name. UserWarning: it is an old way."""
    warnings.warn(
        "minigrad.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use minigrad.set_default_dtype().",
        UserWarning,
        stacklevel=frames_to_learner(),
    )
    dtypes.set_default_dtype(dtype_of_type(t))

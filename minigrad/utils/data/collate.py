"""How samples become a batch: tensors are stacked, numbers become tensors, and what holds them keeps its form.

After this module a reader can tell what a batch of any samples looks like: dicts become a dict of batches, tuples a
list of batches, named tuples stay named tuples, words stay a list of words.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.creation.data import as_tensor, tensor
from minigrad.ops.shapes.joining import stack
from minigrad.tensor import Tensor

_UNSUPPORTED = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_collate(batch: Any) -> Any:
    """A list of samples as one batch, with a dimension in front.

    Tensors are stacked, and so are numpy arrays; Python's floats become a tensor of float64, ints one of int64; str and
    bytes stay as they are; dicts, tuples, named tuples and lists are gone into.

    TypeError for samples of another kind, RuntimeError for lists of different lengths or tensors of different shapes.
    """
    sample = batch[0]
    if isinstance(sample, Tensor):
        return stack(batch, 0)
    if isinstance(sample, np.ndarray):
        if sample.dtype.kind in "SUaO":
            raise TypeError(_UNSUPPORTED.format(sample.dtype))
        return default_collate([as_tensor(array) for array in batch])
    if isinstance(sample, np.bool_ | np.number):
        return as_tensor(batch)
    if isinstance(sample, float):
        return tensor(batch, dtype=dtypes.float64)
    if isinstance(sample, int):
        return tensor(batch)
    if isinstance(sample, str | bytes):
        return batch
    if isinstance(sample, Mapping):
        return _same_mapping(sample, {key: default_collate([each[key] for each in batch]) for key in sample})
    if isinstance(sample, tuple) and hasattr(sample, "_fields"):
        return type(sample)(*(default_collate(parts) for parts in zip(*batch, strict=False)))
    if isinstance(sample, Sequence):
        if any(len(each) != len(sample) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(parts) for parts in zip(*batch, strict=True)]
        return parts if isinstance(sample, tuple) else _same_sequence(sample, parts)
    raise TypeError(_UNSUPPORTED.format(type(sample)))


def default_convert(data: Any) -> Any:
    """One sample without a batch around it: numpy's arrays and numbers in it become tensors, the rest stays."""
    if isinstance(data, Tensor | str | bytes):
        return data
    if isinstance(data, np.ndarray | np.generic):
        return data if data.dtype.kind in "SUaO" else as_tensor(data)
    if isinstance(data, Mapping):
        return _same_mapping(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple):
        converted = [default_convert(part) for part in data]
        return type(data)(*converted) if hasattr(data, "_fields") else converted
    if isinstance(data, Sequence):
        return _same_sequence(data, [default_convert(part) for part in data])
    return data


def _same_mapping(like: Any, content: dict[Any, Any]) -> Any:
    """The content in a mapping of the same class, with what else that has; in a dict where that can't be made."""

    def filled() -> Any:
        made = copy.copy(like)
        made.update(content)
        return made

    return _or_plain(filled if isinstance(like, MutableMapping) else lambda: type(like)(content), content)


def _same_sequence(like: Any, content: list[Any]) -> Any:
    """The content in a sequence of the same class; in a list where that can't be made."""

    def filled() -> Any:
        made = copy.copy(like)
        for place, part in enumerate(content):
            made[place] = part
        return made

    return _or_plain(filled if isinstance(like, MutableSequence) else lambda: type(like)(content), content)


def _or_plain(make: Callable[[], Any], plain: Any) -> Any:
    try:
        return make()
    except TypeError:
        return plain

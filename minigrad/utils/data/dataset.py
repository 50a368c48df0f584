"""What a dataset is: something with a length and samples by number, or something to iterate over.

After this module a reader can write a dataset of their own (`__getitem__` and `__len__` are all it takes), join
datasets, and split one by chance into a part to train on and a part to test with.
"""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from minigrad.autograd.blame import frames_to_learner
from minigrad.random import randperm
from minigrad.random.generator import Generator
from minigrad.tensor import Tensor, from_array

T = TypeVar("T")


class Dataset(Generic[T]):
    """Samples by number. A subclass has `__getitem__(index)`, and `__len__()` to be gone through.

    One that has `__getitems__(indices)`, too, can give the samples of a batch at once, as a list.
    """

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[T]) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T]):
    """Samples one after the other, from `__iter__()`: where they come as a stream, and have no numbers."""

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors whose first dimensions belong together: sample i is the tuple of their elements i.

    AssertionError if the first dimensions differ.
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError(
                f"Size mismatch between tensors: their first dimensions are {[tensor.size(0) for tensor in tensors]}"
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].size(0))


class StackDataset(Dataset[Any]):
    """Datasets side by side: sample i is the tuple (or, given by keywords, the dict) of their samples i.

    ValueError if their lengths differ, or there are none, or both kinds are given.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
            )
        self.datasets: Any = args or kwargs
        if not self.datasets:
            raise ValueError("At least one dataset should be passed")
        lengths = [len(dataset) for dataset in args or kwargs.values()]
        if len(set(lengths)) > 1:
            raise ValueError(f"Size mismatch between datasets: {lengths}")
        self._length = lengths[0]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[Any]):
    """Datasets one after the other: also what `a + b` gives."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset: ChainDataset does")
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: Any) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError(f"absolute value of index should not exceed dataset length: {idx} of {len(self)}")
            idx += len(self)
        number = bisect.bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[number - 1] if number else 0
        return self.datasets[number][idx - before]


class ChainDataset(IterableDataset[Any]):
    """Datasets without numbers one after the other."""

    def __init__(self, datasets: Any) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            self._check(dataset)
            yield from dataset

    def __len__(self) -> int:
        for dataset in self.datasets:
            self._check(dataset)
        return sum(map(len, self.datasets))

    @staticmethod
    def _check(dataset: Any) -> None:
        if not isinstance(dataset, IterableDataset):
            raise AssertionError("ChainDataset only supports IterableDataset: ConcatDataset is for the others")


class Subset(Dataset[Any]):
    """Some samples of a dataset: those with the numbers in `indices`, in that order."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        if type(self).__getitem__ is not Subset.__getitem__ and type(self).__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{type(self).__name__} overrides __getitem__ but not __getitems__. The loader calls the latter: "
                "def __getitems__(self, indices): return [self.__getitem__(index) for index in indices]"
            )
        chosen = [self.indices[index] for index in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            several: list[Any] = self.dataset.__getitems__(chosen)
            return several
        return [self.dataset[index] for index in chosen]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Generator | None = None) -> list[Subset]:
    """Split a dataset by chance into parts that do not overlap.

    Args:
        lengths: how many samples each part gets, which sum up to all of them; or fractions, which sum up to 1 (what
            rounding leaves over goes to the first parts, one each).

    ValueError if the lengths do not sum up, or a fraction is not between 0 and 1.
    """
    counts: list[Any] = list(lengths)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for i, fraction in enumerate(lengths):
            if fraction < 0 or fraction > 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        counts = [math.floor(len(dataset) * fraction) for fraction in lengths]
        for i in range(len(dataset) - sum(counts)):
            counts[i % len(counts)] += 1
        for i, count in enumerate(counts):
            if count == 0:
                warnings.warn(
                    f"Length of split at index {i} is 0. This might result in an empty dataset.",
                    UserWarning,
                    stacklevel=frames_to_learner(),
                )
    if sum(counts) != len(dataset):
        raise ValueError(
            "Sum of input lengths does not equal the length of the input dataset! They sum up to "
            f"{sum(counts)}, and it has {len(dataset)} samples."
        )
    order = randperm(sum(counts), generator=generator).tolist()
    ends = itertools.accumulate(counts)
    return [Subset(dataset, order[end - count : end]) for end, count in zip(ends, counts, strict=True)]


def batch_at_once(dataset: Any, indices: list[int]) -> list[Tensor] | None:
    """The batch that `default_collate` would make of these samples of a TensorDataset, or of a part of one, without
    making the samples: one indexing operation per tensor. None where that would not be the same.
    """
    while type(dataset) is Subset:
        dataset, indices = dataset.dataset, [dataset.indices[index] for index in indices]
    if type(dataset) is not TensorDataset or any(tensor.requires_grad for tensor in dataset.tensors):
        return None
    rows = np.array(indices, np.int64)
    return [from_array(tensor._array[rows]) for tensor in dataset.tensors]

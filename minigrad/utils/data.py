"""Data for training: datasets, and the loop over batches, `for images, labels in DataLoader(dataset, batch_size=64)`.

A dataset is anything with `__getitem__` and `__len__`. For each batch the loader takes the next numbers of samples,
fetches these, and makes a batch of them. With the same seed, samples come in PyTorch's order.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from minigrad import dtypes, public
from minigrad.absent import attributes_of, takes_left_out
from minigrad.autograd.blame import warn
from minigrad.creation import as_tensor, tensor
from minigrad.ops.shapes.joining import stack_along
from minigrad.random import Generator, default_generator, randint, randperm
from minigrad.tensor import Tensor, from_array

__all__ = [
    *("DataLoader", "Dataset", "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler"),
    *("Subset", "TensorDataset", "default_collate", "random_split"),
]
__getattr__ = attributes_of(__name__)

T = TypeVar("T")


# ---------------------------------------------------------------- datasets


class Dataset(Generic[T]):
    """Samples by number. A subclass has `__getitem__(index)`, and `__len__()` to be gone through."""

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


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


class IterableDataset(Dataset[T]):
    """Samples that come one after the other: a subclass has `__iter__()`."""


class Subset(Dataset[Any]):
    """Some samples of a dataset: those with the numbers in `indices`, in that order."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

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
                warn(f"Length of split at index {i} is 0. This might result in an empty dataset.")
    if sum(counts) != len(dataset):
        raise ValueError(
            "Sum of input lengths does not equal the length of the input dataset! They sum up to "
            f"{sum(counts)}, and it has {len(dataset)} samples."
        )
    order = randperm(sum(counts), generator=generator).tolist()
    ends = itertools.accumulate(counts)
    return [Subset(dataset, order[end - count : end]) for end, count in zip(ends, counts, strict=True)]


# ---------------------------------------------------------------- the order


class Sampler(Generic[T]):
    """Numbers of samples in the order in which they are taken: a subclass has `__iter__()`, and `__len__()`."""


class SequentialSampler(Sampler[int]):
    """The numbers of all samples as they come."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The numbers of all samples in random order; or `num_samples` of them, of which, with `replacement`, each may come
    again.

    Args:
        generator: where the order comes from. Without it, each pass draws a seed for one from the default generator.

    ValueError if there are none to take.
    """

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._count = num_samples
        if len(self) <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={len(self)}")

    def __len__(self) -> int:
        return len(self.data_source) if self._count is None else self._count

    def __iter__(self) -> Iterator[int]:
        generator = Generator().manual_seed(_drawn_seed()) if self.generator is None else self.generator
        size, count = len(self.data_source), len(self)
        for start in range(0, count, 32) if self.replacement else ():
            yield from randint(size, (min(32, count - start),), generator=generator).tolist()
        for start in () if self.replacement else range(0, count + 1, size):  # of what is left over, it may be nothing
            yield from randperm(size, generator=generator).tolist()[: count - start]


# ---------------------------------------------------------------- batches


def default_collate(batch: Any) -> Any:
    """A list of samples as one batch, with a dimension in front.

    Tensors are stacked, and so are numpy arrays; Python's floats become a tensor of float64, ints one of int64; words
    stay a list; dicts become a dict of batches, tuples and lists a list of batches, named tuples stay named tuples.

    TypeError for samples of another kind, RuntimeError for lists of different lengths or tensors of different shapes.
    """
    sample = batch[0]
    if isinstance(sample, Tensor):
        return stack_along(public.as_tensors("stack", "tensors", 1, batch), 0)
    if isinstance(sample, np.ndarray | np.generic) and sample.dtype.kind not in "SUaO":
        return stack_along([as_tensor(array) for array in batch], 0)
    if isinstance(sample, int | float):
        return tensor(batch, dtype=dtypes.float64 if isinstance(sample, float) else None)
    if isinstance(sample, str | bytes):
        return batch
    if isinstance(sample, Mapping):
        return {key: default_collate([each[key] for each in batch]) for key in sample}
    if isinstance(sample, Sequence):
        if any(len(each) != len(sample) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(sample)(*parts) if hasattr(sample, "_fields") else parts
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(sample)}"
    )


@takes_left_out
class DataLoader(Generic[T]):
    """A dataset in batches. Each pass over it (`for batch in loader`) goes through all samples.

    Args:
        dataset: a Dataset, or anything else with `__getitem__` and `__len__`.
        batch_size: samples in a batch.
        shuffle: a new random order for each pass.
        sampler: gives the numbers of the samples, in place of `shuffle`.
        collate_fn: makes a batch of a list of samples.
        drop_last: leave out a last batch that is smaller.
        generator: where the order of `shuffle` comes from. Without it, each pass draws a seed for one from the default
            generator.

    ValueError for arguments that exclude each other.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        *,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        drop_last: bool = False,
        generator: Generator | None = None,
    ) -> None:
        self._is_stream = isinstance(dataset, IterableDataset)
        for name, option in (("shuffle", shuffle or None), ("sampler", sampler)):
            if self._is_stream and option is not None:
                text = f"expected unspecified {name} option, but got {name}={option}"
                raise ValueError(f"DataLoader with IterableDataset: {text}")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if sampler is None:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        self.dataset, self.batch_size, self.sampler = dataset, batch_size, dataset if self._is_stream else sampler
        self.collate_fn, self.drop_last, self.generator = collate_fn or default_collate, drop_last, generator

    def __len__(self) -> int:
        """How many batches a pass has."""
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[T]:
        _drawn_seed(self.generator)  # PyTorch draws one for its workers, whether there are any or not
        return self._batches(iter(self.sampler))

    def _batches(self, order: Iterator[int]) -> Iterator[Any]:
        while indices := list(itertools.islice(order, self.batch_size)):
            if len(indices) == self.batch_size or not self.drop_last:
                yield self._batch(indices)

    def _batch(self, indices: list[int]) -> Any:
        """The batch of the samples with these numbers. Of a TensorDataset, or a part of one, it is taken at once: one
        indexing operation per tensor, and no samples.
        """
        if self._is_stream:
            return self.collate_fn(indices)  # which are the samples themselves
        dataset, numbers = self.dataset, indices
        while type(dataset) is Subset:
            dataset, numbers = dataset.dataset, [dataset.indices[number] for number in numbers]
        whole = type(dataset) is TensorDataset and self.collate_fn is default_collate
        if whole and not any(tensor.requires_grad for tensor in dataset.tensors):
            return [from_array(tensor._array[np.array(numbers)]) for tensor in dataset.tensors]
        return self.collate_fn([self.dataset[index] for index in indices])


def _drawn_seed(generator: Generator | None = None) -> int:
    """A seed for another generator: a whole number from 0 up to but without 2**63."""
    return int((generator or default_generator).words(1, np.uint64)[0] % np.uint64(2**63))


# PyTorch has these in modules of their own: `from torch.utils.data.dataloader import DataLoader`.
for _name in ("dataloader", "dataset", "sampler"):
    sys.modules[f"{__name__}.{_name}"] = globals()[_name] = sys.modules[__name__]

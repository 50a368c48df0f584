"""In which order the samples of a dataset come: one after the other, by chance, by weights, in batches.

After this module a reader knows what `shuffle=True` does: a sampler is something to iterate over that gives the numbers
of samples, and RandomSampler gives a new permutation each time, from a seed that it draws from the default generator.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from minigrad import dtypes
from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import as_tensor
from minigrad.random import multinomial, randint, randperm
from minigrad.random.generator import Generator, default_generator

T = TypeVar("T", covariant=True)


def drawn_seed(generator: Generator | None = None) -> int:
    """A seed for another generator: a whole number from 0 up to but without 2**63."""
    source = generator or default_generator
    with source.lock:
        return int(source.long_words(1)[0] % np.uint64(2**63))


class Sampler(Generic[T]):
    """Numbers of samples. A subclass has `__iter__()`, and `__len__()` if it knows how many there will be."""

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError("Subclasses of Sampler should implement __iter__.")


class SequentialSampler(Sampler[int]):
    """All samples, in their order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """All samples in random order, another one each time.

    Args:
        replacement: whether a sample can come again before the others have come.
        num_samples: how many to give; as many as there are if left out.
        generator: where the chance comes from. Without it, each pass draws a seed from the default generator.
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self) -> int:
        """How many samples it gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator().manual_seed(drawn_seed())
        whole, rest = divmod(self.num_samples, 32 if self.replacement else count)
        if self.replacement:
            for size in [32] * whole + [rest]:
                yield from randint(count, (size,), generator=generator).tolist()
            return
        for _ in range(whole):
            yield from randperm(count, generator=generator).tolist()
        yield from randperm(count, generator=generator).tolist()[:rest]  # PyTorch draws it even for no samples

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given numbers in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Samples drawn by weights: rare ones more often, for example.

    ValueError for weights that are not in a row, or a number of samples that is not positive.
    """

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        with no_grad():
            self.weights = as_tensor(weights, dtype=dtypes.float64)
        if self.weights.ndim != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """What another sampler gives, in lists of `batch_size`; the last one is shorter, or left out (`drop_last`)."""

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

"""The loop over batches: `for images, labels in DataLoader(dataset, batch_size=64, shuffle=True)`.

After this module a reader knows what a loader does for each batch: take the next numbers from its sampler, fetch these
samples, and make a batch of them. With the same seed, batches come in PyTorch's order.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from minigrad.autograd.blame import frames_to_learner
from minigrad.random.generator import Generator
from minigrad.utils.data.collate import default_collate, default_convert
from minigrad.utils.data.dataset import IterableDataset, batch_at_once
from minigrad.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler, drawn_seed
from minigrad.utils.data.worker import WorkerInfo, batches

T = TypeVar("T")
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _Endless:
    """The sampler of a dataset without numbers."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


class DataLoader(Generic[T]):
    """A dataset in batches. Each pass over it (`for batch in loader`) goes through all samples.

    Args:
        dataset: a Dataset, anything else with `__getitem__` and `__len__`, or an IterableDataset.
        batch_size: samples in a batch; None gives single samples.
        shuffle: a new random order for each pass.
        sampler: gives the numbers of the samples, in place of `shuffle`.
        batch_sampler: gives lists of numbers, one for each batch.
        num_workers: threads that make batches ahead of time; 0 makes each one when it is asked for.
        collate_fn: makes a batch of a list of samples; `default_collate` if left out.
        pin_memory: of no effect but a warning, as in PyTorch without a graphics processor.
        drop_last: leave out a last batch that is smaller.
        worker_init_fn: called in each worker at its start, with its number.
        generator: where the order of `shuffle` comes from.
        prefetch_factor: how many batches each worker makes ahead; 2 if left out.
        timeout, multiprocessing_context, persistent_workers, pin_memory_device, in_order: accepted; threads need none
            of them.

    ValueError for arguments that exclude each other.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        streaming = isinstance(dataset, IterableDataset)
        _check_order(streaming, batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None:
            if streaming:
                sampler = _Endless()
            else:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.batch_size, self.sampler, self.batch_sampler = dataset, batch_size, sampler, batch_sampler
        self.drop_last, self.generator = drop_last, generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.num_workers, self.worker_init_fn, self.timeout = num_workers, worker_init_fn, timeout
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.multiprocessing_context, self.persistent_workers = multiprocessing_context, persistent_workers
        self.in_order = in_order
        self._reported: int | None = None  # of a stream: what len(loader) said last
        self._initialized = True

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and "_initialized" in self.__dict__:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[T]:
        return _Pass(self)

    def __len__(self) -> int:
        """How many batches a pass has. TypeError where the dataset or the sampler does not know."""
        if not isinstance(self.dataset, IterableDataset):
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]
        count: int = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is not None:
            count = count // self.batch_size if self.drop_last else -(-count // self.batch_size)
        self._reported = count
        return count

    def _fetcher(self) -> Callable[[Any], Any]:
        """The function that makes a batch, of what the sampler gives."""
        if isinstance(self.dataset, IterableDataset):
            return self._from_stream(iter(self.dataset))
        return self._single if self.batch_sampler is None else self._batch

    def _single(self, index: Any) -> Any:
        return self.collate_fn(self.dataset[index])

    def _batch(self, indices: Any) -> Any:
        if self.collate_fn is default_collate:
            at_once = batch_at_once(self.dataset, indices)
            if at_once is not None:
                return at_once
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.collate_fn(self.dataset.__getitems__(indices))
        return self.collate_fn([self.dataset[index] for index in indices])

    def _from_stream(self, samples: Iterator[Any]) -> Callable[[Any], Any]:
        """The function that makes a batch of the next samples of a stream, and raises StopIteration at its end."""

        def fetch(places: Any) -> Any:
            if self.batch_sampler is None:
                return self.collate_fn(next(samples))
            batch = list(itertools.islice(samples, len(places)))
            if not batch or (self.drop_last and len(batch) < len(places)):
                raise StopIteration
            return self.collate_fn(batch)

        return fetch


class _Pass(Iterator[Any]):
    """One pass over a loader's batches."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used.",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
        self.loader = loader
        self.fetched, self.reported = 0, loader._reported
        indices = iter(loader.sampler if loader.batch_sampler is None else loader.batch_sampler)
        seed = drawn_seed(loader.generator)  # of the workers; drawn without them, too, as in PyTorch
        if loader.num_workers:
            infos = [
                WorkerInfo(number, loader.num_workers, seed + number, loader.dataset)
                for number in range(loader.num_workers)
            ]
            self.batches = batches(indices, loader._fetcher, infos, loader.prefetch_factor or 0, loader.worker_init_fn)
        else:
            self.batches = _one_by_one(indices, loader._fetcher())

    def __next__(self) -> Any:
        batch = next(self.batches)
        self.fetched += 1
        if self.reported is not None and self.fetched > self.reported:
            warnings.warn(
                f"Length of IterableDataset {self.loader.dataset} was reported to be {self.reported} (when accessing "
                f"len(dataloader)), but {self.fetched} samples have been fetched. Its __len__ is too small.",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
        return batch

    def __len__(self) -> int:
        return len(self.loader)


def _one_by_one(indices: Iterator[Any], fetch: Callable[[Any], Any]) -> Iterator[Any]:
    for wanted in indices:
        try:
            batch = fetch(wanted)
        except StopIteration:  # the stream is at its end
            return
        yield batch


def _check_workers(num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool) -> None:
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_order(
    streaming: bool, batch_size: Any, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: bool
) -> None:
    """Raise for ways to order samples that exclude each other."""
    if streaming:
        given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
        for name, value in given.items():
            if value is not None:
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
                )
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
    if batch_sampler is None and batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")

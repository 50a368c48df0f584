"""Datasets, samplers and the loader: PyTorch's batches in PyTorch's order, and its errors."""

from __future__ import annotations

import importlib
import threading
import time
import types
from collections import OrderedDict, namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from side_by_side import Behaviours

import minigrad as mg
from minigrad.utils.data import DataLoader, Dataset, IterableDataset, Subset, TensorDataset, get_worker_info

behaviours = Behaviours()


def data(F: Any) -> Any:
    return importlib.import_module(f"{F.__name__}.utils.data")


def pairs(F: Any, count: int = 10) -> Any:
    return data(F).TensorDataset(F.arange(2.0 * count).reshape(count, 2), F.arange(count))


def squares(F: Any, count: int = 10) -> Any:
    class Squares(data(F).Dataset):
        def __getitem__(self, index):
            if not 0 <= index < count:
                raise IndexError(index)
            return {"number": index, "square": index**2.0, "name": f"n{index}", "row": F.ones(2) * index}

        def __len__(self):
            return count

    return Squares()


def stream(F: Any, count: int = 10, length: bool = False) -> Any:
    class Stream(data(F).IterableDataset):
        def __iter__(self):
            return iter(range(count))

    if length:
        Stream.__len__ = lambda self: count
    return Stream()


# ---------------------------------------------------------------- order

LOADERS = {
    "in order": {"batch_size": 3},
    "drop_last": {"batch_size": 3, "drop_last": True},
    "shuffled": {"batch_size": 3, "shuffle": True},
    "shuffled, one each": {"shuffle": True},
    "single samples": {"batch_size": None, "shuffle": True},
    "one batch": {"batch_size": 100, "shuffle": True},
}
for _title, _options in LOADERS.items():
    for _dataset in (pairs, squares, lambda F: list(range(10))):

        @behaviours(f"{_title}: {_dataset.__name__}")
        def _(F, options=_options, dataset=_dataset):
            F.manual_seed(7)
            loader = data(F).DataLoader(dataset(F), **options)
            passes = [list(loader), list(loader)]
            return passes, len(loader), F.rand(2)


@behaviours("the order comes from the generator, and so does a seed for workers")
def _(F):
    generator = F.Generator().manual_seed(3)
    F.manual_seed(5)
    loader = data(F).DataLoader(pairs(F), batch_size=4, shuffle=True, generator=generator)
    return list(loader), list(loader), generator.get_state(), F.rand(1)


@behaviours("the seed for workers is drawn at iter(), the order at the first batch")
def _(F):
    F.manual_seed(5)
    loader = data(F).DataLoader(pairs(F), batch_size=4, shuffle=True)
    iterator = iter(loader)
    between = F.rand(1)
    return between, next(iterator), F.rand(1), len(iterator)


@behaviours("samplers")
def _(F):
    d = data(F)
    F.manual_seed(1)
    generator = F.Generator().manual_seed(2)
    return [
        list(sampler)
        for sampler in (
            d.SequentialSampler(range(4)),
            d.RandomSampler(range(6)),
            d.RandomSampler(range(6), generator=generator),
            d.RandomSampler(range(6), num_samples=4),
            d.RandomSampler(range(6), num_samples=15),
            d.RandomSampler(range(6), replacement=True),
            d.RandomSampler(range(6), replacement=True, num_samples=70, generator=generator),
            d.SubsetRandomSampler([5, 7, 9], generator=generator),
            d.WeightedRandomSampler([0.1, 0.9, 3.0, 0.6], 5, generator=generator),
            d.BatchSampler(d.SequentialSampler(range(7)), 3, False),
            d.BatchSampler(d.SequentialSampler(range(7)), 3, True),
            d.BatchSampler(d.SequentialSampler(range(6)), 3, True),
        )
    ]


@behaviours("a state after each sampler")
def _(F):
    d = data(F)
    states = []
    for sampler in (d.RandomSampler(range(6)), d.RandomSampler(range(6), num_samples=12)):
        F.manual_seed(1)
        list(sampler)
        states.append(F.get_rng_state())
    return states


@behaviours("random_split by lengths and by fractions")
def _(F):
    d = data(F)
    generator = F.Generator().manual_seed(4)
    parts = d.random_split(range(10), [7, 3], generator=generator)
    fractions = d.random_split(range(11), [0.5, 0.25, 0.25], generator=generator)
    F.manual_seed(0)
    others = d.random_split(pairs(F), [4, 6])
    return (
        [list(part) for part in parts],
        [(len(part), part.indices) for part in fractions],
        [part[1] for part in others],
        list(d.DataLoader(others[1], batch_size=4)),
    )


@behaviours("a split without samples warns", warns=("UserWarning: Length of split at index 1 is 0. This might result",))
def _(F):
    return [len(part) for part in data(F).random_split(range(3), [1.0, 0.0])]


# ---------------------------------------------------------------- datasets


@behaviours("datasets joined")
def _(F):
    d = data(F)
    joined = d.ConcatDataset([pairs(F, 2), pairs(F, 3)])
    summed = pairs(F, 2) + pairs(F, 3)
    side = d.StackDataset(pairs(F, 2), range(2))
    named = d.StackDataset(a=range(3), b=range(3, 6))
    chained = stream(F, 2) + stream(F, 3)
    return (
        [len(joined), joined[0], joined[-1], joined[2], joined.cumulative_sizes],
        [len(summed), summed[4]],
        [side[1], len(side), named[2]],
        list(chained),
        len(d.ChainDataset([stream(F, 2, True), stream(F, 3, True)])),
        list(d.DataLoader(joined, batch_size=3)),
        list(d.DataLoader(named, batch_size=2)),
    )


@behaviours("a subset")
def _(F):
    subset = data(F).Subset(pairs(F), [7, 1, 3])
    return (
        len(subset),
        subset[1],
        subset[[0, 2]],
        list(data(F).DataLoader(data(F).Subset(subset, [2, 0]), batch_size=2)),
    )


@behaviours("a dataset with __getitems__")
def _(F):
    asked = []

    class Several(data(F).Dataset):
        def __getitems__(self, indices):
            asked.append(list(indices))
            return [index * 10 for index in indices]

        def __len__(self):
            return 5

    return list(data(F).DataLoader(Several(), batch_size=2)), asked


@behaviours("a stream")
def _(F):
    d = data(F)
    return (
        list(d.DataLoader(stream(F), batch_size=4)),
        list(d.DataLoader(stream(F), batch_size=4, drop_last=True)),
        list(d.DataLoader(stream(F, 3), batch_size=None)),
        len(d.DataLoader(stream(F, 10, True), batch_size=4)),
        len(d.DataLoader(stream(F, 10, True), batch_size=4, drop_last=True)),
        len(d.DataLoader(stream(F, 10, True), batch_size=None)),
    )


@behaviours("tensors that require grad keep their graph")
def _(F):
    x = F.ones(4, 2, requires_grad=True)
    (batch,) = next(iter(data(F).DataLoader(data(F).TensorDataset(x), batch_size=2)))
    batch.sum().backward()
    return batch.grad_fn, x.grad


# ---------------------------------------------------------------- batches

Point = namedtuple("Point", "x y")

SAMPLES = {
    "tensors": lambda F: [F.ones(2), F.zeros(2)],
    "numpy's arrays": lambda F: [np.ones(2), np.zeros(2)],
    "numpy's numbers": lambda F: [np.float32(1), np.float32(2)],
    "numpy's bools": lambda F: [np.bool_(True), np.bool_(False)],
    "0-d arrays": lambda F: [np.array(1), np.array(2)],
    "floats": lambda F: [0.5, 1.5],
    "ints": lambda F: [1, 2],
    "bools": lambda F: [True, False],
    "words": lambda F: ["a", "bc"],
    "bytes": lambda F: [b"a", b"b"],
    "tuples": lambda F: [(1, F.ones(1)), (2, F.zeros(1))],
    "lists": lambda F: [[1, 2.5], [2, 3.5]],
    "dicts": lambda F: [{"a": 1, "b": {"c": 2.0}}, {"b": {"c": 3.0}, "a": 4}],
    "named tuples": lambda F: [Point(1, 2.0), Point(3, 4.0)],
    "ranges": lambda F: [range(2), range(2, 4)],
    "one of each": lambda F: [(F.ones(1), 2, "w", {"k": [1]})],
}


def shown(value: Any) -> Any:
    """What the comparison does not know as text."""
    if isinstance(value, list) and isinstance(value[0], bytes):
        return [shown(part) for part in value]
    return repr(value) if isinstance(value, bytes | range) else value


for _title, _samples in SAMPLES.items():

    @behaviours(f"a batch of {_title}")
    def _(F, samples=_samples):
        batch = data(F).default_collate(samples(F))
        return type(batch).__name__, shown(batch)

    @behaviours(f"one by one, converted: {_title}")
    def _(F, samples=_samples):
        converted = [data(F).default_convert(sample) for sample in samples(F)]
        return [type(each).__name__ for each in converted], [shown(each) for each in converted]


@behaviours("an OrderedDict stays one, with its attributes")
def _(F):
    class Noted(OrderedDict):
        pass

    first = Noted(a=1)
    first.note = "kept"
    batch = data(F).default_collate([first, Noted(a=2)])
    return type(batch).__name__, batch.note, dict(batch), first["a"]


@behaviours("collate_fn makes the batch")
def _(F):
    return list(data(F).DataLoader(range(5), batch_size=2, collate_fn=lambda samples: sum(samples)))


# ---------------------------------------------------------------- errors

ERRORS: list[tuple[str, type[Exception], str]] = [
    ("d.TensorDataset(F.ones(2), F.ones(3))", AssertionError, "Size mismatch between tensors"),
    ("d.StackDataset()", ValueError, "At least one dataset should be passed"),
    ("d.StackDataset(range(2), range(3))", ValueError, "Size mismatch between datasets"),
    ("d.StackDataset(range(2), a=range(2))", ValueError, "Supported either ``tuple``- (via ``args``) or``dict``- (via"),
    ("d.ConcatDataset([])", AssertionError, "datasets should not be an empty iterable"),
    ("d.ConcatDataset([stream(F)])", AssertionError, "ConcatDataset does not support IterableDataset"),
    ("d.ConcatDataset([range(2)])[-3]", ValueError, "absolute value of index should not exceed dataset length"),
    ("list(d.ChainDataset([range(2)]))", AssertionError, "ChainDataset only supports IterableDataset"),
    ("len(d.ChainDataset([range(2)]))", AssertionError, "ChainDataset only supports IterableDataset"),
    ("d.Dataset()[0]", NotImplementedError, "Subclasses of Dataset should implement __getitem__."),
    ("d.random_split(range(3), [1, 1])", ValueError, "Sum of input lengths does not equal the length of the input dat"),
    ("d.random_split(range(3), [1.5, -.5])", ValueError, "Fraction at index 0 is not between 0 and 1"),
    ("d.RandomSampler([])", ValueError, "num_samples should be a positive integer value, but got num_samples=0"),
    ("d.RandomSampler([1], replacement=1)", TypeError, "replacement should be a boolean value, but got replacement=1"),
    ("d.RandomSampler([1], num_samples=-1)", ValueError, "num_samples should be a positive integer value, but got num"),
    ("d.WeightedRandomSampler([[1.]], 1)", ValueError, "weights should be a 1d sequence but given weights have shape "),
    ("d.WeightedRandomSampler([1.], 0)", ValueError, "num_samples should be a positive integer value, but got num_sam"),
    ("d.BatchSampler(range(2), 0, False)", ValueError, "batch_size should be a positive integer value, but got batch_"),
    ("d.BatchSampler(range(2), 1, 0)", ValueError, "drop_last should be a boolean value, but got drop_last=0"),
    ("d.DataLoader(range(3), batch_size=0)", ValueError, "batch_size should be a positive integer value, but got batc"),
    ("d.DataLoader(range(3), num_workers=-1)", ValueError, "num_workers option should be non-negative; use num_worker"),
    ("d.DataLoader(range(3), timeout=-1)", ValueError, "timeout option should be non-negative"),
    ("d.DataLoader(range(3), prefetch_factor=2)", ValueError, "prefetch_factor option could only be specified in mult"),
    ("d.DataLoader(range(3), persistent_workers=True)", ValueError, "persistent_workers option needs num_workers > 0"),
    ("d.DataLoader(range(3), sampler=[1], shuffle=True)", ValueError, "sampler option is mutually exclusive with shuf"),
    ("d.DataLoader(range(3), batch_sampler=[[1]], batch_size=2)", ValueError, "batch_sampler option is mutually exclu"),
    ("d.DataLoader(range(3), batch_size=None, drop_last=True)", ValueError, "batch_size=None option disables auto-bat"),
    ("d.DataLoader(stream(F), shuffle=True)", ValueError, "DataLoader with IterableDataset: expected unspecified shuf"),
    ("d.DataLoader(stream(F), sampler=[1])", ValueError, "DataLoader with IterableDataset: expected unspecified sampl"),
    ("d.DataLoader(stream(F), batch_sampler=[[1]])", ValueError, "DataLoader with IterableDataset: expected unspecifi"),
    ("setattr(d.DataLoader(range(3)), 'batch_size', 2)", ValueError, "batch_size attribute should not be set after Da"),
    ("d.default_collate([F, F])", TypeError, "default_collate: batch must contain tensors, numpy arrays, numbers, dic"),
    ("d.default_collate([np.array(['a'])])", TypeError, "default_collate: batch must contain tensors, numpy arrays, n"),
    ("d.default_collate([[1, 2], [1]])", RuntimeError, "each element in list of batch should be of equal size"),
    ("d.default_collate([F.ones(2), F.ones(3)])", RuntimeError, "stack expects each tensor to be equal size, but got "),
]  # fmt: skip
for _expression, _error, _says in ERRORS:

    @behaviours(f"error: {_expression}", error=_error, says=_says)
    def _(F, expression=_expression):
        eval(expression, {"F": F, "d": data(F), "stream": stream, "np": np})


@behaviours(
    "pin_memory warns", warns=("UserWarning: 'pin_memory' argument is set as true but no accelerator is found",)
)
def _(F):
    return list(data(F).DataLoader(range(3), pin_memory=True))


@behaviours(
    "a stream that is longer than it said",
    warns=("UserWarning: Length of IterableDataset",) * 2,
)
def _(F):
    class Longer(data(F).IterableDataset):
        def __iter__(self):
            return iter(range(6))

        def __len__(self):
            return 4

    loader = data(F).DataLoader(Longer(), batch_size=1)
    return list(loader), len(loader), list(loader)


@behaviours("an error in a dataset comes through", error=IndexError, says="list index out of range")
def _(F):
    list(data(F).DataLoader([1, 2], sampler=[0, 5]))


@behaviours("annotations may name what is in a dataset")
def _(F):
    d = data(F)
    return [issubclass(d.TensorDataset, d.Dataset), d.Dataset[int] is not None, d.DataLoader[int] is not None]


test_as_in_torch = behaviours.test()


# ---------------------------------------------------------------- a batch at once


class Counting(TensorDataset):
    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(index)


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_batch_at_once_is_the_batch_of_its_samples(shuffle: bool) -> None:
    images, labels = mg.randn(50, 3, 4).transpose(1, 2), mg.arange(50)
    loaders = []
    for make in (TensorDataset, Counting):
        dataset = Subset(Subset(make(images, labels), range(40)), list(range(0, 40, 2)))
        mg.manual_seed(0)
        loaders.append(list(DataLoader(dataset, batch_size=6, shuffle=shuffle)))
    for quick, slow in zip(*loaders, strict=True):
        assert type(quick) is type(slow) is list
        for one, other in zip(quick, slow, strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            np.testing.assert_array_equal(one.numpy(), other.numpy())
            assert not np.shares_memory(one.numpy(), images.numpy())


def test_a_tensor_dataset_makes_no_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = TensorDataset(mg.ones(100, 2), mg.arange(100))
    monkeypatch.setattr(mg.Tensor, "__getitem__", lambda self, index: pytest.fail("a sample was made"))
    assert len(list(DataLoader(dataset, batch_size=10, shuffle=True))) == 10


def test_a_whole_number_out_of_range_is_an_error() -> None:
    with pytest.raises(IndexError):
        list(DataLoader(TensorDataset(mg.ones(3)), sampler=[5]))


# ---------------------------------------------------------------- workers


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("prefetch", [None, 0, 1, 4])
def test_workers_give_the_same_batches_in_the_same_order(workers: int, prefetch: int | None) -> None:
    class Slow(Dataset[Any]):
        def __getitem__(self, index: Any) -> Any:
            time.sleep(0.001 * (index % 3))
            return index, threading.current_thread() is threading.main_thread()

        def __len__(self) -> int:
            return 23

    mg.manual_seed(4)
    expected = [batch.tolist() for batch, _ in DataLoader(Slow(), batch_size=3, shuffle=True)]
    mg.manual_seed(4)
    loader = DataLoader(Slow(), batch_size=3, shuffle=True, num_workers=workers, prefetch_factor=prefetch)
    batches = list(loader)
    assert [batch.tolist() for batch, _ in batches] == expected
    assert not any(in_main.any().item() for _, in_main in batches)


def test_workers_know_who_they_are() -> None:
    class Shared(IterableDataset[int]):
        def __iter__(self) -> Iterator[int]:
            info = get_worker_info()
            assert info is not None
            assert info.dataset is self
            return iter(range(info.id, 10, info.num_workers))

    started: list[int] = []
    loader = DataLoader(Shared(), batch_size=2, num_workers=3, worker_init_fn=started.append)
    assert [batch.tolist() for batch in loader] == [[0, 3], [1, 4], [2, 5], [6, 9], [7], [8]]
    assert sorted(started) == [0, 1, 2]
    assert get_worker_info() is None


def test_an_error_in_a_worker_comes_through_and_ends_the_threads() -> None:
    class Broken(Dataset[int]):
        def __getitem__(self, index: Any) -> int:
            if index == 5:
                raise KeyError("sample 5 is broken")
            return int(index)

        def __len__(self) -> int:
            return 10

    before = threading.active_count()
    seen = []
    batches = iter(DataLoader(Broken(), num_workers=2))
    for _ in range(5):
        seen.append(next(batches).item())
    with pytest.raises(KeyError, match="sample 5 is broken"):
        next(batches)
    assert seen == [0, 1, 2, 3, 4]
    wait_for(lambda: threading.active_count() == before)


def wait_for(condition: Any) -> None:
    for _ in range(200):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("waited for two seconds in vain")


def test_a_pass_that_is_broken_off_ends_the_threads() -> None:
    before = threading.active_count()
    for batch in DataLoader(range(1000), num_workers=3):
        assert batch.item() == 0
        break
    wait_for(lambda: threading.active_count() == before)


# ---------------------------------------------------------------- names


def test_public_names_exist_in_torch(torch: types.ModuleType) -> None:
    own = data(mg)
    assert not {name for name in own.__all__ if not hasattr(data(torch), name)}
    assert mg.utils.data is own

"""Datasets and the loader: PyTorch's batches in PyTorch's order, and its errors."""

from __future__ import annotations

import importlib
import types
from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours

import minigrad as mg
from minigrad.utils.data import DataLoader, Subset, TensorDataset

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


# ---------------------------------------------------------------- order

LOADERS = {
    "in order": {"batch_size": 3},
    "drop_last": {"batch_size": 3, "drop_last": True},
    "shuffled": {"batch_size": 3, "shuffle": True},
    "shuffled, one each": {"shuffle": True},
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


SAMPLERS = {
    "in order": "d.SequentialSampler(pairs)",
    "random": "d.RandomSampler(pairs)",
    "random, with a generator": "d.RandomSampler(pairs, generator=F.Generator().manual_seed(3))",
    "each may come again": "d.RandomSampler(pairs, replacement=True, num_samples=70)",
    "fewer than there are": "d.RandomSampler(pairs, num_samples=4)",
    "more than there are": "d.RandomSampler(pairs, num_samples=23)",
    "twice": "d.RandomSampler(pairs, False, 20)",
}
for _title, _expression in SAMPLERS.items():

    @behaviours(f"sampler: {_title}")
    def _(F, expression=_expression):
        F.manual_seed(9)
        sampler = eval(expression, {"F": F, "d": data(F), "pairs": pairs(F)})
        loader = data(F).DataLoader(pairs(F), batch_size=4, sampler=sampler)
        return len(sampler), list(sampler), list(sampler), len(loader), list(loader), F.rand(1)


@behaviours("the loader has the sampler that it made")
def _(F):
    loaders = [data(F).DataLoader(pairs(F), shuffle=shuffle) for shuffle in (False, True)]
    return [type(loader.sampler).__name__ for loader in loaders]


@behaviours("a stream in batches")
def _(F):
    class Squares(data(F).IterableDataset):
        def __iter__(self):
            return ((number, number**2.0) for number in range(5))

    F.manual_seed(1)
    loaders = [data(F).DataLoader(Squares(), batch_size=2, drop_last=last) for last in (False, True)]
    return [list(loader) for loader in loaders], list(loaders[0]), F.rand(1)


@behaviours("modules within the module")
def _(F):
    parts = {"dataloader": "DataLoader", "dataset": "TensorDataset", "sampler": "RandomSampler"}
    found = {part: importlib.import_module(f"{F.__name__}.utils.data.{part}") for part in parts}
    return [getattr(found[part], name) is getattr(data(F), name) for part, name in parts.items()]


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
    return between, next(iterator), F.rand(1)


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


@behaviours("a subset")
def _(F):
    subset = data(F).Subset(pairs(F), [7, 1, 3])
    return (
        len(subset),
        subset[1],
        subset[[0, 2]],
        list(data(F).DataLoader(data(F).Subset(subset, [2, 0]), batch_size=2)),
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


@behaviours("collate_fn makes the batch")
def _(F):
    return list(data(F).DataLoader(range(5), batch_size=2, collate_fn=lambda samples: sum(samples)))


# ---------------------------------------------------------------- errors

ERRORS: list[tuple[str, type[Exception], str]] = [
    ("d.TensorDataset(F.ones(2), F.ones(3))", AssertionError, "Size mismatch between tensors"),
    ("d.Dataset()[0]", NotImplementedError, "Subclasses of Dataset should implement __getitem__."),
    ("d.random_split(range(3), [1, 1])", ValueError, "Sum of input lengths does not equal the length of the input dat"),
    ("d.random_split(range(3), [1.5, -.5])", ValueError, "Fraction at index 0 is not between 0 and 1"),
    ("d.DataLoader(range(3), batch_size=0)", ValueError, "batch_size should be a positive integer value, but got batc"),
    ("d.DataLoader(range(3), sampler=[1], shuffle=True)", ValueError, "sampler option is mutually exclusive with shuf"),
    ("d.default_collate([F, F])", TypeError, "default_collate: batch must contain tensors, numpy arrays, numbers, dic"),
    ("d.default_collate([np.array(['a'])])", TypeError, "default_collate: batch must contain tensors, numpy arrays, n"),
    ("d.default_collate([[1, 2], [1]])", RuntimeError, "each element in list of batch should be of equal size"),
    ("d.default_collate([F.ones(2), F.ones(3)])", RuntimeError, "stack expects each tensor to be equal size, but got "),
    ("d.default_collate([F.ones(2), 3])", TypeError, "expected Tensor as element 1 in argument 0, but got int"),
    ("d.RandomSampler([])", ValueError, "num_samples should be a positive integer value, but got num_samples=0"),
    ("d.DataLoader([], shuffle=True)", ValueError, "num_samples should be a positive integer value, but got num_"),
]  # fmt: skip
for _expression, _error, _says in ERRORS:

    @behaviours(f"error: {_expression}", error=_error, says=_says)
    def _(F, expression=_expression):
        eval(expression, {"F": F, "d": data(F), "np": np})


@behaviours("an error in a dataset comes through", error=IndexError, says="list index out of range")
def _(F):
    list(data(F).DataLoader([1, 2], sampler=[0, 5]))


@behaviours("annotations may name what is in a dataset")
def _(F):
    d = data(F)
    return [issubclass(d.TensorDataset, d.Dataset), d.Dataset[int] is not None, d.DataLoader[int] is not None]


for _title, _options in {
    "shuffle=True": {"shuffle": True, "sampler": [0], "batch_size": 0},
    "sampler=[0, 1]": {"sampler": [0, 1]},
}.items():

    @behaviours(
        f"a stream in an order: {_title}",
        error=ValueError,
        says=f"DataLoader with IterableDataset: expected unspecified {_title.split('=')[0]} option, but got {_title}",
    )
    def _(F: Any, options: dict[str, Any] = _options) -> Any:
        class Stream(data(F).IterableDataset):
            def __iter__(self):
                return iter(range(3))

        assert len(list(data(F).DataLoader(Stream(), shuffle=False))) == 3
        data(F).DataLoader(Stream(), **options)


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


# ---------------------------------------------------------------- names


def test_public_names_exist_in_torch(torch: types.ModuleType) -> None:
    own = data(mg)
    assert not {name for name in own.__all__ if not hasattr(data(torch), name)}
    assert mg.utils.data is own


@pytest.mark.parametrize("option", ["num_workers", "batch_sampler", "pin_memory"])
def test_options_that_are_left_out_are_refused(option: str) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{option}'"):
        DataLoader(range(3), **{option: 1})

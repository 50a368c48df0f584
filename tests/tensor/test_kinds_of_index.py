"""Every kind of value that people write between the brackets of `x[...]`: read, written to, and added to in place."""

from __future__ import annotations

import collections
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()

SEQUENCE = (
    "UserWarning: Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]",
)
BYTES = ("UserWarning: indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",)


class Places(Sequence[Any]):
    """A sequence that is none of Python's."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: Any) -> Any:
        return self.values[place]


class One:
    """What counts as an int wherever Python asks for an index."""

    def __index__(self) -> int:
        return 1


def grid(F: Any) -> Any:
    return F.arange(1.0, 13.0).reshape(3, 4).requires_grad_()


def mask(F: Any, *values: Any, **options: Any) -> Any:
    return F.tensor([values] * 3, **options)


Index = Callable[[Any], Any]
KINDS: dict[str, Index] = {
    "a range": lambda F: range(2),
    "a range from the end": lambda F: range(-1, -4, -2),
    "an empty range": lambda F: range(0),
    "a range beside a tensor": lambda F: (range(3), F.tensor([1, 0, 2])),
    "two ranges": lambda F: (range(3), range(3)),
    "a slice and a range": lambda F: (slice(None), range(1, 3)),
    "a list": lambda F: [0, 2],
    "a list with one place twice": lambda F: [0, 2, 0],
    "an empty list": lambda F: [],
    "no part": lambda F: (),
    "a list of 40": lambda F: [0] * 40,
    "40 lists": lambda F: [[0]] * 40,
    "a list of numpy ints": lambda F: [np.int64(1), np.int32(0)],
    "a list of floats": lambda F: [0.5, 1],
    "a list of bools": lambda F: [True, False, True],
    "a list of bools and ints": lambda F: [True, 2],
    "tuples in a tuple": lambda F: ((0, 1), (1, 2)),
    "one tuple in a tuple": lambda F: ((0, 1),),
    "lists of lists in a tuple": lambda F: ([[0, 1], [1, 2]], [[0], [1]]),
    "a list of lists and an int": lambda F: ([[0, 1], [1, 2]], 0),
    "a mask of lists in a tuple": lambda F: ([[True, False, True, False]] * 3,),
    "another sequence": lambda F: Places(0, 2),
    "another sequence in a tuple": lambda F: (Places(0, 2), 1),
    "a deque in a tuple": lambda F: (collections.UserList([0, 2]), 1),
    "an object with __index__": lambda F: One(),
    "an object with __index__ in a tuple": lambda F: (One(), 0),
    "a slice from an object with __index__": lambda F: slice(One(), None),
    "a slice from a tensor": lambda F: (slice(F.tensor(1), None), slice(None, F.tensor([2]))),
    "a slice between numpy ints": lambda F: slice(np.int64(1), np.uint8(2)),
    "None": lambda F: None,
    "None twice": lambda F: (None, None),
    "...": lambda F: ...,
    "..., 1": lambda F: (..., 1),
    "1, ...": lambda F: (1, ...),
    "..., ...": lambda F: (..., ...),
    "..., 1, ...": lambda F: (..., 1, ...),
    "[0, 1], ..., ...": lambda F: ([0, 1], ..., ...),
    "1, 0, ..., ...": lambda F: (1, 0, ..., ...),
    "[0, 1], ..., [1, 0]": lambda F: ([0, 1], ..., [1, 0]),
    "None, [0, 1], ..., [1, 0]": lambda F: (None, [0, 1], ..., [1, 0]),
    "True": lambda F: True,
    "True, 1": lambda F: (True, 1),
    "1, True": lambda F: (1, True),
    "False, 1": lambda F: (False, 1),
    "True, True": lambda F: (True, True),
    "True, None": lambda F: (True, None),
    "True and a list": lambda F: (True, [0, 1]),
    ":, True": lambda F: (slice(None), True),
    ":, False": lambda F: (slice(None), False),
    "a 0-d tensor": lambda F: F.tensor(1),
    "a 0-d tensor and a list": lambda F: (F.tensor(1), [0, 1]),
    "a 0-d mask": lambda F: F.tensor(True),
    "a 0-d mask and a list": lambda F: (F.tensor(True), [0, 1]),
    "an empty mask": lambda F: F.tensor(False),
    "a 0-d numpy array": lambda F: (np.array(1), 0),
    "a 0-d numpy mask": lambda F: np.array(True),
    "a numpy mask": lambda F: np.array([True, False, True]),
    "a numpy mask of a matrix": lambda F: np.array([[True, False, True, False]] * 3),
    "numpy floats": lambda F: np.array([0.0, 2.0]),
    "no numpy numbers": lambda F: np.array([]),
    "a 0-d tensor of bytes": lambda F: F.tensor(2, dtype=F.uint8),
    "a 0-d numpy byte": lambda F: np.array(0, np.uint8),
    "a mask and an int": lambda F: (F.tensor([True, False, True]), 1),
    "two masks": lambda F: (F.tensor([True, False, True]), F.tensor([True, False, True, False])),
    "a mask and a list": lambda F: (F.tensor([True, False, True]), [0, 1]),
    "int32 tensors": lambda F: (F.tensor([0, 1], dtype=F.int32), F.tensor([[2], [3]], dtype=F.int32)),
    **{
        f"a numpy {kind.__name__}": lambda F, kind=kind: (kind(1), slice(kind(1), None))
        for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
    },
    **{
        f"a numpy array of {kind}": lambda F, kind=kind: (np.array([0, 2], kind), np.array(1, kind))
        for kind in ("int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")
    },
    **{
        f"a 0-d tensor of {kind}": lambda F, kind=kind: F.tensor(1, dtype=getattr(F, kind))
        for kind in ("int8", "int16", "int32", "int64")
    },
}
LIKE_TUPLES: dict[str, Index] = {
    "a list of lists": lambda F: [[0, 1], [1, 2]],
    "a list of one list": lambda F: [[0, 1]],
    "a list of no list": lambda F: [[]],
    "lists of two lengths": lambda F: [[0, 1], [1]],
    "a list of tuples": lambda F: [(0, 1), (1, 2)],
    "a list of ranges": lambda F: [range(2), range(1, 3)],
    "a slice in a list": lambda F: [slice(0, 2), 1],
    "a slice and a list in a list": lambda F: [slice(0, 2), [0, 1]],
    "None in a list": lambda F: [None, 1],
    "... in a list": lambda F: [..., 1],
    "a list of tensors": lambda F: [F.tensor([0, 1]), F.tensor([1, 2])],
    "a list of 0-d tensors": lambda F: [F.tensor(0), F.tensor(1)],
    "a list of arrays": lambda F: [np.array([0, 1]), np.array([1, 2])],
    "lists in another sequence": lambda F: Places([0, 1], [1, 2]),
}
MASKS_OF_BYTES: dict[str, Index] = {
    "a mask of bytes": lambda F: F.tensor([0, 1, 2], dtype=F.uint8),
    "a mask of bytes and a list": lambda F: (F.tensor([0, 1, 0], dtype=F.uint8), [0, 1, 2]),
    ":, a mask of bytes": lambda F: (slice(None), F.tensor([0, 1, 0, 1], dtype=F.uint8)),
    "a mask of bytes of a matrix": lambda F: mask(F, 0, 1, 0, 1, dtype=F.uint8),
    "a numpy mask of bytes": lambda F: np.array([0, 1, 1], np.uint8),
}


def read_and_written(text: str, index: Index, warns: tuple[str, ...] = ()) -> None:
    @behaviours(f"x[i], where i is {text}", warns=warns)
    def _(F):
        x = grid(F)
        y = x[index(F)]
        return y, F.autograd.grad((y * y).sum(), x)[0], y.data_ptr() == x.data_ptr()

    @behaviours(f"y[i] = ..., where i is {text}")
    def _(F):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns of some writes twice, of others not at all
            x, w, plain = grid(F), F.tensor(5.0, requires_grad=True), grid(F).detach()
            y, z = x * 1, x * 1
            y[index(F)] = w
            z[index(F)] += w
            plain[index(F)] = 7
            several = (plain[index(F)].clone() * 2).requires_grad_()
            v = x * 1
            v[index(F)] = several
            return y, z, v, plain, [F.autograd.grad((part * part).sum(), [x, w], allow_unused=True) for part in (y, z)]


for text, index in KINDS.items():
    read_and_written(text, index)
for text, index in LIKE_TUPLES.items():
    read_and_written(text, index, SEQUENCE)


def masked_by_bytes(text: str, index: Index) -> None:
    @behaviours(f"x[i], where i is {text}", warns=BYTES)
    def _(F):
        return grid(F).detach()[index(F)]

    @behaviours(f"y[i] = ..., where i is {text}")
    def _(F):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns of some writes, of others not
            x, w = grid(F), F.tensor([5.0, 6.0], requires_grad=True)
            y, z = x * 1, x * 1
            y[index(F)] = y[index(F)].detach() * w[0]
            z[index(F)] += w[1]
            return y, z, F.autograd.grad((y * z).sum(), [x, w])


for text, index in MASKS_OF_BYTES.items():
    masked_by_bytes(text, index)

VALID = "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
FLOATS = "tensors used as indices must be long, int, byte or bool tensors"
REFUSED: dict[str, tuple[type[Exception], str, Index]] = {
    "a float": (IndexError, f"{VALID}float)", lambda F: 1.5),
    "a numpy float": (IndexError, f"{VALID}numpy.float64)", lambda F: np.float64(1.0)),
    "a numpy bool": (IndexError, f"{VALID}numpy.bool)", lambda F: np.True_),
    "two `...` and an int": (IndexError, "index 1 is out of bounds for dimension ", lambda F: (..., ..., 1)),
    "a str": (TypeError, "new(): invalid data type 'str'", lambda F: (0, "a")),
    "bytes": (TypeError, "new(): invalid data type 'bytes'", lambda F: (0, b"ab")),
    "a dict": (IndexError, f"{VALID}dict)", lambda F: {}),
    "a set": (IndexError, f"{VALID}set)", lambda F: {1}),
    "an object": (IndexError, f"{VALID}object)", lambda F: (0, object())),
    "a 0-d float": (IndexError, FLOATS, lambda F: F.tensor(1.0)),
    "a tensor of floats": (IndexError, FLOATS, lambda F: F.tensor([1.0])),
    "an empty tensor of floats": (IndexError, FLOATS, lambda F: F.tensor([])),
    "int8": (IndexError, FLOATS, lambda F: F.tensor([0, 1], dtype=F.int8)),
    "int16": (IndexError, FLOATS, lambda F: ([0, 1], F.tensor([0, 1], dtype=F.int16))),
    "a slice from a float": (
        TypeError,
        "slice indices must be integers or None or have an __index__ method",
        lambda F: slice(1.5, None),
    ),
    "a slice from a tensor of floats": (
        TypeError,
        "only integer tensors of a single element can be converted to an index",
        lambda F: slice(F.tensor(1.5), None),
    ),
    "too many": (IndexError, "too many indices for tensor of dimension 2", lambda F: ([0], 0, 0)),
    "an index beside a whole mask": (
        IndexError,
        "too many indices for tensor of dimension 2",
        lambda F: (mask(F, True, True, True, True), 0),
    ),
    "a mask of another shape": (
        IndexError,
        "The shape of the mask [3, 2] at index 1 does not match the shape of the indexed tensor [3, 4] at index 1",
        lambda F: mask(F, True, False),
    ),
    "a mask of another size, after an int": (
        IndexError,
        "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [4] at index 0",
        lambda F: (1, F.tensor([True, False])),
    ),
    "masks that do not fit": (
        IndexError,
        "shape mismatch: indexing tensors could not be broadcast together with shapes [3], [2]",
        lambda F: (F.tensor([True, True, True]), F.tensor([True, False, True, False])),
    ),
    "False and a list": (
        IndexError,
        "shape mismatch: indexing tensors could not be broadcast together with shapes [0], [2]",
        lambda F: (False, [0, 1]),
    ),
    "a range beyond the end": (IndexError, "index 3 is out of bounds for dimension 0 with size 3", lambda F: range(4)),
}


def refused(text: str, error: type[Exception], says: str, index: Index) -> None:
    @behaviours(f"x[i] is refused, where i is {text}", error=error, says=says)
    def _(F):
        return grid(F)[index(F)]

    @behaviours(f"x[i] = 1 is refused, where i is {text}", error=error, says=says)
    def _(F):
        x = F.zeros(3, 4)
        x[index(F)] = 1.0


for text, (error, says, index) in REFUSED.items():
    refused(text, error, says, index)


@behaviours("the loss of a few rows, by a range and a tensor of classes")
def _(F):
    logits, classes = grid(F), F.tensor([3, 0, 2])
    loss = -logits.log_softmax(1)[range(3), classes].mean()
    return loss, F.autograd.grad(loss, logits)[0]


test_as_in_torch = behaviours.test()


@pytest.mark.parametrize("values", [[0, 1], [True, False, True]])
def test_an_index_that_is_written_to_afterwards_leaves_the_gradient_as_it_was(values: list[Any]) -> None:
    """PyTorch refuses that backward."""
    for write in (False, True):
        x, index = minigrad.ones(3, 2, requires_grad=True), minigrad.tensor(values)
        expected = np.zeros((3, 2))
        expected[values] = 1
        y = x * 1
        if write:
            y[index] = 5.0
        else:
            y = x[index]
        index.fill_(index[1].item())
        y.sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), 1 - expected if write else expected)

"""`y[index] = value`: every kind of index and of value, and where the gradient goes (D08)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from engine.inplace.effects import (
    LEAF,
    NO_ROOM,
    OVERWRITTEN,
    VIEW_OF_LEAF,
    gradients,
    graph,
    grid,
    number,
    second,
    state,
    tried,
)
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


INDICES: dict[str, Callable[[Any], Any]] = {
    "[0]": lambda F: 0,
    "[-1]": lambda F: -1,
    "[1, 2]": lambda F: (1, 2),
    "[-2, -3]": lambda F: (-2, -3),
    "[:]": lambda F: slice(None),
    "[1:]": lambda F: slice(1, None),
    "[0:0]": lambda F: slice(0, 0),
    "[:, 1]": lambda F: (slice(None), 1),
    "[:, 1:]": lambda F: (slice(None), slice(1, None)),
    "[:, ::2]": lambda F: (slice(None), slice(None, None, 2)),
    "[-1, -2:]": lambda F: (-1, slice(-2, None)),
    "[...]": lambda F: ...,
    "[..., 0]": lambda F: (..., 0),
    "[0, ...]": lambda F: (0, ...),
    "[None]": lambda F: None,
    "[:, None, 1]": lambda F: (slice(None), None, 1),
    "[()]": lambda F: (),
    "[True]": lambda F: True,
    "[False]": lambda F: False,
    "[[1, 0]]": lambda F: [1, 0],
    "[[0]]": lambda F: [0],
    "[:, [2, 0]]": lambda F: (slice(None), [2, 0]),
    "[[0, 1], [2, 0]]": lambda F: ([0, 1], [2, 0]),
    "[[-1], [-1]]": lambda F: ([-1], [-1]),
    "[0, [0, 2]]": lambda F: (0, [0, 2]),
    "[1:, [0, 2]]": lambda F: (slice(1, None), [0, 2]),
    "[[0, 1], None, 1:]": lambda F: ([0, 1], None, slice(1, None)),
    "[tensor(1)]": lambda F: F.tensor(1),
    "[tensor([1, 0])]": lambda F: F.tensor([1, 0]),
    "[tensor([[0, 1], [1, 0]]), 1:]": lambda F: (F.tensor([[0], [1]]), slice(1, None)),
    "[:, tensor([1])]": lambda F: (slice(None), F.tensor([1])),
    "[tensor([0, 1]), tensor([[0], [2]])]": lambda F: (F.tensor([0, 1]), F.tensor([[0], [2]])),
    "[int32 tensor]": lambda F: F.tensor([1], dtype=F.int32),
    "[a mask]": lambda F: F.tensor([[True, False, True], [False, True, False]]),
    "[a mask of rows]": lambda F: F.tensor([False, True]),
    "[:, a mask of columns]": lambda F: (slice(None), F.tensor([True, False, True])),
    "[1, a mask of columns]": lambda F: (1, F.tensor([True, False, True])),
    "[a mask without a true]": lambda F: F.zeros(2, 3, dtype=F.bool),
    "[a list of bools]": lambda F: [True, False],
    "[a numpy array]": lambda F: np.array([1, 0]),
    "[a numpy mask]": lambda F: np.array([True, False]),
    "[a numpy int]": lambda F: np.int64(1),
    "[an empty list]": lambda F: [],
}


def set_item(text: str, index: Callable[[Any], Any]) -> None:
    @behaviours(f"D08: y{text} = a number takes the gradient of that part away")
    def _(F):
        x = grid(F)
        y = x * 1
        y[index(F)] = 9.0
        return state(y), graph(y), gradients(F, y, x)

    @behaviours(f"D08: y{text} = a tensor gives the part's gradient to the tensor")
    def _(F):
        x = grid(F)
        y = x * 1
        w = (y[index(F)].detach() * 10).requires_grad_()
        y[index(F)] = w
        return state(y), graph(y), gradients(F, y, x, w), second(F, y * y, x, w)

    @behaviours(f"D08: y{text} = a 0-d tensor that is repeated gives it the sum")
    def _(F):
        x, w = grid(F), number(F)
        y = x * 1
        y[index(F)] = w
        return state(y), graph(y), gradients(F, y, x, w)

    @behaviours(f"D07: base{text} = a tensor takes a plain base into the graph")
    def _(F):
        w, base = number(F), F.zeros(2, 3)
        row = base[1]
        base[index(F)] = w * 3
        if text == "[False]":  # an index of nothing
            return state(base, row)
        return state(base, row), graph(base), gradients(F, base, w), gradients(F, row, w)

    @behaviours(f"D01: x{text} = a number on a leaf is refused, as a leaf or as the view that is written through")
    def _(F):
        x = grid(F)
        return tried(lambda: operator.setitem(x, index(F), 1.0), LEAF, VIEW_OF_LEAF), state(x)


for text, index in INDICES.items():
    set_item(text, index)


VALUES: dict[str, Callable[[Any], Any]] = {
    "an int": lambda F: 7,
    "a float": lambda F: 2.5,
    "a bool": lambda F: True,
    "nan": lambda F: float("nan"),
    "a numpy float": lambda F: np.float32(1.5),
    "a numpy int": lambda F: np.int64(3),
    "a numpy bool": lambda F: np.bool_(True),
    "a 0-d tensor": lambda F: F.tensor(2.5),
    "a tensor of one": lambda F: F.tensor([2.5]),
    "a tensor with leading ones": lambda F: F.tensor([[[1.0, 2.0, 3.0]]]),
    "integers": lambda F: F.tensor([7, 8, 9]),
    "bools": lambda F: F.tensor([True, False, True]),
    "doubles": lambda F: F.tensor([1.5, 2.5, 3.5], dtype=F.float64),
    "a column": lambda F: F.tensor([[1.0], [2.0]]),
    "too many": lambda F: F.tensor([1.0, 2.0, 3.0, 4.0]),
    "too few": lambda F: F.tensor([1.0, 2.0]),
    "an empty tensor": lambda F: F.tensor([]),
    "a list": lambda F: [1.0, 2.0, 3.0],
    "a tuple": lambda F: (1.0, 2.0, 3.0),
    "a numpy array": lambda F: np.array([1.0, 2.0, 3.0]),
    "a 0-d numpy array": lambda F: np.array(2.0),
    "text": lambda F: "a",
    "None": lambda F: None,
    "a function": lambda F: len,
}
FUNCTION = type(len).__name__
UNFIT = (
    "The expanded size of the tensor (3) must match the existing size (4) at non-singleton dimension 0.",
    "The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension 0.",
    "The expanded size of the tensor (3) must match the existing size (0) at non-singleton dimension 0.",
    "expand(torch.FloatTensor{[2, 1]}, size=[3]): the number of sizes provided (1) must be greater or equal",
    "shape mismatch: value tensor of shape [4] cannot be broadcast to indexing result of shape [1, 3]",
    "shape mismatch: value tensor of shape [2] cannot be broadcast to indexing result of shape [1, 3]",
    "shape mismatch: value tensor of shape [0] cannot be broadcast to indexing result of shape [1, 3]",
    "shape mismatch: value tensor of shape [2, 1] cannot be broadcast to indexing result of shape [1, 3]",
    *(
        f"can't assign a {noun} to a torch.{target}Tensor"
        for noun in ("list", "tuple", "str", "NoneType", "numpy.ndarray", "numpy.float32", "numpy.bool", FUNCTION)
        for target in ("Float", "Long", "Bool")
    ),
    "value cannot be converted to type int64_t without overflow",
    "Index put requires the source and destination dtypes match",
)


def value_set(text: str, value: Callable[[Any], Any]) -> None:
    @behaviours(f"D08: y[0] = {text}, for floats, integers and bools")
    def _(F):
        def written(kind):
            y = F.zeros(2, 3, dtype=kind)
            y[0] = value(F)
            return state(y)

        return [tried(lambda kind=kind: written(kind), *UNFIT) for kind in (F.float32, F.int64, F.bool)]

    @behaviours(f"D08: y[[0]] = {text}, for floats, integers and bools")
    def _(F):
        def written(kind):
            y = F.zeros(2, 3, dtype=kind)
            y[[0]] = value(F)
            return state(y)

        return [tried(lambda kind=kind: written(kind), *UNFIT) for kind in (F.float32, F.int64, F.bool)]


for text, value in VALUES.items():
    value_set(text, value)


REFUSED_INDICES: dict[str, tuple[Any, type[Exception], str]] = {
    "[2]": (2, IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
    "[-3]": (-3, IndexError, "index -3 is out of bounds for dimension 0 with size 2"),
    "[0, 3]": ((0, 3), IndexError, "index 3 is out of bounds for dimension 1 with size 3"),
    "[0, 0, 0]": ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
    "[[0, 2]]": ([0, 2], IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
    "[[0, -3]]": ([0, -3], IndexError, "index -3 is out of bounds for dimension 0 with size 2"),
    "[[0, 1], [0, 1, 2]]": (
        ([0, 1], [0, 1, 2]),
        IndexError,
        "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
    ),
    "[[True, False, True]]": (
        [True, False, True],
        IndexError,
        "The shape of the mask [3] at index 0 does not match the shape of the indexed tensor [2, 3] at index 0",
    ),
    "[1.5]": (
        1.5,
        IndexError,
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got float)",
    ),
    "[::-1]": (slice(None, None, -1), ValueError, "step must be greater than zero"),
    "[0:2:0]": (slice(0, 2, 0), ValueError, "slice step cannot be zero"),
}


def refused_index(text: str, index: Any, error: type[Exception], says: str) -> None:
    @behaviours(f"D08: y{text} = a number is refused", error=error, says=says)
    def _(F):
        F.zeros(2, 3)[index] = 1.0

    if error is IndexError and "out of bounds" in says and isinstance(index, list):
        return  # PyTorch has written what came before the bad index

    @behaviours(f"D08: a refused y{text} = a number has changed and counted nothing")
    def _(F):
        x = grid(F)
        y = x * 1
        return tried(lambda: operator.setitem(y, index, 1.0), says), state(y), gradients(F, y, x)


for text, (index, error, says) in REFUSED_INDICES.items():
    refused_index(text, index, error, says)


@behaviours(
    "D08: a tensor without dimensions has no y[0] to write to",
    error=IndexError,
    says="invalid index of a 0-dim tensor. Use `tensor.item()`",
)
def _(F):
    F.tensor(1.0)[0] = 2.0


@behaviours("D08: a tensor without dimensions is written to by [...] and [()]")
def _(F):
    x = number(F)
    y, w = x * 1, number(F, 5.0)
    y[...] = w
    z = x * 1
    z[()] = 3.0
    return state(y, z), gradients(F, y, x, w), gradients(F, z, x)


@behaviours("D08: an element named twice gets the last value and, in the gradient, each value gets its own")
def _(F):
    x, w = grid(F), F.tensor([10.0, 20.0], requires_grad=True)
    y = x * 1
    y[[0, 0], [1, 1]] = w
    return state(y), gradients(F, y, x, w)


ONE_VALUE = {  # in dtypes that are not the target's
    "an int": lambda F: F.tensor(9),
    "an int in a row of one": lambda F: F.tensor([9]),
    "a double": lambda F: F.tensor(9.5, dtype=F.float64),
    "a bool": lambda F: F.tensor(True),
}
ONE_MASK = {
    "mask": lambda F, y: y > 2,
    "0, mask": lambda F, y: (0, y[0] > 1),
    ":, mask": lambda F, y: (slice(None), F.tensor([True, False, True])),
    "mask of rows": lambda F, y: F.tensor([True, False]),
}
NO_SINGLE_MASK = {
    "[0]": lambda F: [0],
    "tensor([0])": lambda F: F.tensor([0]),
    "mask, mask": lambda F: (F.tensor([True, False]), F.tensor([True, False, False])),
}
OTHER_DTYPE = "Index put requires the source and destination dtypes match, got Float for the destination and Long"


def one_value_behind_a_mask(chosen: str, index: Callable[..., Any], text: str, value: Callable[[Any], Any]) -> None:
    @behaviours(f"D08: y[{chosen}] = a tensor that holds {text} takes it in the dtype of y")
    def _(F):
        x = grid(F)
        y, whole_numbers = x * 1, F.arange(6).reshape(2, 3)
        y[index(F, y.detach())] = value(F)
        whole_numbers[index(F, whole_numbers)] = value(F)
        return state(y, whole_numbers), gradients(F, y, x)


for chosen, index in ONE_MASK.items():
    for text, value in ONE_VALUE.items():
        one_value_behind_a_mask(chosen, index, text, value)
behaviours.table(
    *(
        (f"D08: y[{chosen}] = one int in a tensor is refused for floats", lambda F, index=index: operator.setitem(
            F.zeros(2, 3), index(F), F.tensor(9)
        ), RuntimeError, OTHER_DTYPE)
        for chosen, index in NO_SINGLE_MASK.items()
    ),
    ("D08: y[mask] = several ints in a tensor is refused for floats", lambda F: operator.setitem(
        F.zeros(2), F.tensor([True, True]), F.tensor([8, 9])
    ), RuntimeError, OTHER_DTYPE),
)  # fmt: skip


@behaviours("D08: y[mask] = a double that requires a gradient gets it in its own dtype")
def _(F):
    x, w = grid(F), F.tensor(9.0, dtype=F.float64, requires_grad=True)
    y = x * 1
    y[y.detach() > 2] = w
    return state(y), gradients(F, y, x, w)


@behaviours("D08: y[mask] = values fills the true places in order")
def _(F):
    x, w = grid(F), F.tensor([10.0, 20.0, 30.0], requires_grad=True)
    y = x * 1
    y[x > 3] = w
    return state(y), graph(y), gradients(F, y, x, w)


@behaviours("D08: y[mask] = 0 as relu")
def _(F):
    x = F.tensor([-1.0, 2.0, -3.0], requires_grad=True)
    y = x * 1
    y[y < 0] = 0
    return state(y), gradients(F, y, x)


@behaviours(
    "D08: y[mask] = values of another number is refused",
    error=RuntimeError,
    says="shape mismatch: value tensor of shape [2] cannot be broadcast to indexing result of shape [3]",
)
def _(F):
    y = F.tensor([1.0, 2.0, 3.0, 4.0])
    y[y > 1] = F.tensor([1.0, 2.0])


@behaviours("D08: y[i] += w through a list of ints, where one named twice counts once")
def _(F):
    x, w = grid(F), F.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    y = x * 1
    y[[1, 1]] += w
    return state(y), graph(y), gradients(F, y, x, w)


@behaviours("D08: y[mask] *= w")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    y[F.tensor([True, False])] *= w
    return state(y), graph(y), gradients(F, y, x, w)


@behaviours("D08: y[0] = y[1] copies a part of itself")
def _(F):
    x = grid(F)
    y = x * 1
    y[0] = y[1]
    return state(y), graph(y), gradients(F, y, x), second(F, y * y, x)


@behaviours(
    "D08: y[1:] = y[:-1], which would read what it has just written, is refused",
    error=RuntimeError,
    says="unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory",
)
def _(F):
    y = F.tensor([1.0, 2.0, 3.0])
    y[1:] = y[:-1]


@behaviours("D08: y[1:] = y[:-1].clone() shifts by one")
def _(F):
    x = F.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    y[1:] = y[:-1].clone()
    return state(y), gradients(F, y, x)


@behaviours(
    "D08: y[1:] += y[:-1] is refused as well",
    error=RuntimeError,
    says="unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory",
)
def _(F):
    y = F.tensor([1.0, 2.0, 3.0])
    y[1:] += y[:-1]


@behaviours("D08: swapping two rows with a tuple of copies")
def _(F):
    x = grid(F)
    y = x * 1
    y[0], y[1] = y[1].clone(), y[0].clone()
    return state(y), gradients(F, y, x)


def rows(F, row):
    """Two rows, the second computed from what `row` gives for the first."""
    x = F.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = F.zeros(2, 3)
    y[0] = x
    y[1] = x * row(y)
    return x, y


@behaviours("D08: y[1] = x * a copy of y[0]")
def _(F):
    x, y = rows(F, lambda y: y[0].clone())
    return state(y), graph(y), gradients(F, y, x)


@behaviours(
    "D02: y[1] = x * y[0] writes into memory that the product saved, if not where it looks",
    error=RuntimeError,
    says=f"{OVERWRITTEN}[torch.FloatTensor [3]], which is output 0 of AsStrided, is at version 2; expected version 1 "
    "instead.",
)
def _(F):
    x, y = rows(F, lambda y: y[0])
    gradients(F, y, x)


@behaviours("D08: a value of another dtype is cast, and its gradient is in its own")
def _(F):
    y, w = F.zeros(2, 3), F.tensor([1.5, 2.5, 3.5], dtype=F.float64, requires_grad=True)
    y[0] = w
    return state(y), graph(y), gradients(F, y, w)


@behaviours("D08: an empty value into an empty part")
def _(F):
    x, w = grid(F), F.zeros(0, 3).requires_grad_()
    y = x * 1
    y[2:] = w
    return state(y), gradients(F, y, x, w)


@behaviours("D08: y[...] = with leading ones more than y has dimensions")
def _(F):
    x, w = grid(F), F.ones(1, 1, 2, 3, requires_grad=True)
    y = x * 1
    y[...] = w
    return state(y), graph(y), gradients(F, y, x, w)


@behaviours("D01: setitem under no_grad writes into a leaf, and counts")
def _(F):
    x = grid(F)
    with F.no_grad():
        x[0] = 7.0
        x[[1], [2]] = 8.0
        x[x < 5] = 0.0
    return state(x)


@behaviours("D07: setitem under no_grad leaves the graph of a result as it was")
def _(F):
    x, w = grid(F), number(F)
    y = x * 1
    with F.no_grad():
        y[0] = w
    return state(y), graph(y), gradients(F, y, x)


@behaviours("D08: setitem of an expanded tensor writes through repeated memory")
def _(F):
    y = F.zeros(1, 3).expand(2, 3)

    def write(index):
        y[index] = 1.0
        return state(y)

    return tried(lambda: write(slice(None)), NO_ROOM), tried(lambda: write((0, 0)), NO_ROOM)


@behaviours("D04: every setitem counts once")
def _(F):
    y, counts = F.zeros(2, 3), []
    for index in (0, slice(None), ..., None, (0, 1), [0], F.tensor([1]), y > 5, slice(2, None), True, False):
        y[index] = 1.0
        counts.append(y._version)
    return counts


OVERLAP = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory"


@behaviours("D08: a tensor written into itself through indices", error=RuntimeError, says=OVERLAP)
def _(F):
    x = F.tensor([[1.0, 2.0], [3.0, 4.0]])[..., :1]
    x[[1, 0]] = x


@behaviours(
    "D08: an expanded tensor written into itself through indices",
    error=RuntimeError,
    says=OVERLAP,
    warns=("UserWarning: Use of index_put_ on expanded tensors is deprecated.",),
)
def _(F):
    x = F.tensor(1.0).expand(2)
    x[[1, 0]] = x


@behaviours("D08: a strided tensor, with a dimension of size 1 in front, written into itself through indices")
def _(F):
    x = F.tensor([1.0, 2.0, 3.0])[::2][None]
    x[F.tensor([0])] = x
    return x, x._version


test_as_in_torch = behaviours.test()

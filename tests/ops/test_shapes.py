"""Shapes as in PyTorch: triangles, diagonals, expanding, repeating, splitting, joining, padding; arguments and errors.

What a call with unusual arguments gives, one line each. Values and derivatives of the usual calls
are in `op_rows`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from helpers.side_by_side import Behaviours

import minigrad
from minigrad.ops.shapes import padding
from minigrad.tensor import Tensor

pytestmark = pytest.mark.usefixtures("every_warning")
behaviours = Behaviours()
NAN = float("nan")


def gives(title: str, scenario: Callable[[Any], Any], **more: Any) -> None:
    behaviours(title, **more)(scenario)


def refused(title: str, error: type[Exception], says: str, scenario: Callable[[Any], Any]) -> None:
    behaviours(title, error=error, says=says)(scenario)


def matrix(F: Any) -> Any:
    return F.tensor([[3.0, 1.0, 2.0], [5.0, 4.0, 6.0]])


def vector(F: Any) -> Any:
    return F.tensor([3.0, 1.0, 2.0])


def ints(F: Any) -> Any:
    return F.tensor([[3, 1], [2, 2]])


def bools(F: Any) -> Any:
    return F.tensor([True, False])


def number(F: Any) -> Any:
    return F.tensor(3.0)


def empty(F: Any) -> Any:
    return F.zeros(0, 3)


# ---------------------------------------------------------------- triangles, diagonals

for name in ("tril", "triu"):
    gives(
        f"C01: {name} of ints, bools, batches, far diagonals",
        lambda F, n=name: [
            getattr(F, n)(ints(F)),
            getattr(F, n)(bools(F)[None]),
            getattr(F, n)(F.ones(2, 2, 3), 1),
            getattr(matrix(F), n)(diagonal=-5),
            getattr(matrix(F), n)(5),
            getattr(F, n)(empty(F)),
        ],
    )
    gives(f"C02: {name} leaves nothing of nan", lambda F, n=name: getattr(F, n)(F.full((2, 2), NAN)))
    gives(
        f"C03: {name}_ is the tensor itself, and counts",
        lambda F, n=name: (lambda x: [getattr(x, f"{n}_")() is x, x, x._version])(matrix(F)),
    )
    gives(
        f"C04: the gradient through {name}_",
        lambda F, n=name: (lambda x: F.autograd.grad((getattr(x * 2, f"{n}_")(1) ** 2).sum(), x)[0])(
            F.ones(2, 3, requires_grad=True)
        ),
    )
    gives(f"C05: {name}_ of a part", lambda F, n=name: (lambda x: [getattr(x[:, 1:], f"{n}_")(), x])(matrix(F)))
    refused(
        f"C06: {name} of a vector",
        RuntimeError,
        f"{name}: input tensor must have at least 2 dimensions",
        lambda F, n=name: getattr(F, n)(vector(F)),
    )
gives(
    "D01: diag both ways",
    lambda F: (
        [F.diag(matrix(F), d) for d in (0, 1, -1, 2, 5)]
        + [F.diag(vector(F), d) for d in (0, 1, -2)]
        + [F.diag(ints(F)), F.diag(bools(F)), F.diag(F.zeros(0))]
    ),
)
gives("D02: the diagonal is a copy", lambda F: (lambda x: [F.diag(x).zero_(), x])(matrix(F)))
for name, ndim in (("number", 0), ("cube", 3)):
    refused(
        f"D03: diag of a {name}",
        RuntimeError,
        f"diag(): Supports 1D or 2D tensors. Got {ndim}D",
        lambda F, d=ndim: F.diag(F.zeros((2,) * d)),
    )

# ---------------------------------------------------------------- shapes

gives(
    "A01: repeat in every spelling",
    lambda F: [
        matrix(F).repeat(2, 1),
        matrix(F).repeat((1, 2)),
        matrix(F).repeat([2, 2]),
        matrix(F).repeat(repeats=(1, 2)),
        matrix(F).repeat(F.Size([1, 1])),
    ],
)
gives(
    "A02: repeat of ints, bools, numbers, no times",
    lambda F: [
        ints(F).repeat(2, 2),
        bools(F).repeat(2),
        number(F).repeat(2),
        number(F).repeat(()),
        matrix(F).repeat(0, 1),
        matrix(F).repeat(2, 1, 1),
    ],
)
gives(
    "A03: repeat is a copy, always",
    lambda F: (lambda x: x.repeat(1, 1).data_ptr() == x.data_ptr())(matrix(F)),
)
refused(
    "A04: repeat along fewer dims",
    RuntimeError,
    "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
    lambda F: matrix(F).repeat(2),
)
refused(
    "A05: repeat less than never",
    RuntimeError,
    "Trying to create tensor with negative dimension -3: [4, -3]",
    lambda F: matrix(F).repeat(2, -1),
)
gives(
    "E01: broadcast_to in every spelling",
    lambda F: [
        F.broadcast_to(vector(F), (2, 3)),
        vector(F).broadcast_to(2, 3),
        vector(F).broadcast_to(size=(2, -1)),
        F.broadcast_to(number(F), (2,)),
    ],
)
gives(
    "E02: broadcast_to is a view",
    lambda F: (lambda x: [x.broadcast_to(2, 3).data_ptr() == x.data_ptr(), x.broadcast_to(2, 3).stride()])(vector(F)),
)
refused(
    "E03: broadcast_to fewer dims",
    RuntimeError,
    "expand(torch.FloatTensor{[2, 3]}, size=[3]): the number of sizes provided (1)",
    lambda F: F.broadcast_to(matrix(F), (3,)),
)
gives(
    "E24: squeeze of several dims",
    lambda F: [
        F.zeros(1, 2, 1).squeeze((0, 2)).shape,
        F.zeros(1, 2, 1).squeeze(dim=(0, 1)).shape,
        F.squeeze(F.zeros(1, 1), ()).shape,
    ],
)

gives(
    "E25: ints one by one, in a sequence, by name",
    lambda F: [
        matrix(F).view(size=(3, 2)),
        matrix(F).reshape(shape=(-1,)),
        F.reshape(matrix(F), shape=(6,)),
        matrix(F).permute(dims=(1, 0)),
        F.permute(matrix(F), dims=[1, 0]),
        vector(F).expand(size=(2, 3)),
        F.flip(matrix(F), dims=(0,)),
        matrix(F).flip(dims=[1]),
        matrix(F).split(split_size=1),
        matrix(F).split(split_size=(1, 2), dim=1),
        F.split(matrix(F), split_size_or_sections=1),
        matrix(F).split(F.tensor(2), 1),
        matrix(F).reshape(F.tensor(6)),
    ],
)
for name, argument in (
    *(("reshape", "shape"), ("permute", "dims"), ("expand", "size"), ("flip", "dims")),
    ("broadcast_to", "size"),
):
    refused(
        f"E26: {name} without a word",
        TypeError,
        f'{name}() missing 1 required positional arguments: "{argument}"',
        lambda F, n=name: getattr(matrix(F), n)(),
    )
    refused(
        f"E27: {name} by half",
        TypeError,
        f"{name}(): argument '{argument}' (position 1) must be tuple of ints, not float",
        lambda F, n=name: getattr(matrix(F), n)(1.5),
    )
    refused(
        f"E28: {name} by half, second",
        TypeError,
        f"{name}(): argument '{argument}' failed to unpack the object at pos 2 with error",
        lambda F, n=name: getattr(matrix(F), n)((2, 1.5)),
    )
    refused(
        f"E29: {name} by half, first",
        TypeError,
        f"{name}(): argument '{argument}' (position 1) must be tuple of ints, but found element of type float at pos 0",
        lambda F, n=name: getattr(matrix(F), n)((1.5, 2)),
    )
refused("E30: view of nothing", TypeError, "view() received an invalid combination", lambda F: matrix(F).view())
gives(
    "E31: a number has no dimensions, and so nothing is moved",
    lambda F: [number(F).flip(0), number(F).flip(dims=()), number(F).mT, number(F).T],
    warns=(
        "UserWarning: Tensor.mT is deprecated on 0-D tensors.",
        "UserWarning: Tensor.T is deprecated on 0-D tensors.",
    ),
)
refused(
    "E33: mT of a vector",
    RuntimeError,
    "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.",
    lambda F: vector(F).mT,
)
for title, x in (("a vector", vector), ("batches", lambda F: matrix(F)[None])):
    gives(
        f"E34: T of {title}",
        lambda F, x=x: x(F).T,
        warns=(
            "UserWarning: The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated",
        ),
    )
refused(
    "E35: squeeze of one dim twice",
    RuntimeError,
    "dim 0 appears multiple times in the list of dims",
    lambda F: F.zeros(1, 2).squeeze((0, -2)),
)
# ---------------------------------------------------------------- pieces

gives(
    "G07: nothing in as many chunks as asked for",
    lambda F: [F.zeros(0).chunk(2), empty(F).chunk(4), vector(F).chunk(7)],
)
refused(
    "G08: split by half",
    TypeError,
    "split_with_sizes(): argument 'split_sizes'",
    lambda F: F.split(matrix(F), 1.5),
)
# ---------------------------------------------------------------- several tensors

gives(
    "H07: concat",
    lambda F: [F.concat((matrix(F), matrix(F)), dim=1)],
)

# ---------------------------------------------------------------- pad


def pad(x: Any, *arguments: Any, **options: Any) -> Any:
    if isinstance(x, Tensor):
        return padding.pad(x, *arguments, **options)
    import torch

    return torch.nn.functional.pad(x, *arguments, **options)


gives(
    "J01: pad with numbers",
    lambda F: [
        pad(matrix(F), (1, 1)),
        pad(matrix(F), (-1, 1), value=9),
        pad(matrix(F), [1, 0, 0, 2], "constant", -1.5),
        pad(matrix(F), pad=(1, 1), mode="constant", value=NAN),
        pad(number(F), ()),
        pad(vector(F), (1, 1)),
        pad(matrix(F), (-2, -1)),
    ],
)
gives(
    "J02: pad ints and bools",
    lambda F: [
        pad(ints(F), (1, 1)),
        pad(ints(F), (1, 1), value=2.5),
        pad(bools(F), (1, 1), value=True),
        pad(bools(F), (1, 1)),
    ],
)
gives(
    "J05: pad of batches without elements",
    lambda F: pad(F.zeros(0, 2), (1, 1)),
)
gives(
    "J06: pad by nothing is a copy",
    lambda F: (lambda x: pad(x, (0, 0)).data_ptr() == x.data_ptr())(matrix(F)),
)
refused(
    "J11: nan among integers",
    RuntimeError,
    "value cannot be converted to type int64_t without overflow",
    lambda F: pad(ints(F), (1, 1), value=NAN),
)
for title, error, says, arguments in (
    ("one number", RuntimeError, "Padding length must be divisible by 2", ((1,),)),
    (
        "more than there are dims",
        RuntimeError,
        "Padding length should be less than or equal to two times the input dimension",
        ((1,) * 6,),
    ),
    ("less than nothing left", RuntimeError, "narrow(): length must be non-negative.", ((-2, -2),)),
    ("no such mode", NotImplementedError, "Unrecognised padding mode bad", ((1, 1), "bad")),
    ("halves", TypeError, "pad(): argument 'pad' failed to unpack the object at pos 2 with error", ([1, 1.0],)),
):
    refused(f"J07: pad with {title}", error, says, lambda F, a=arguments: pad(matrix(F), *a))


def unsqueezed_back(F: Any) -> Any:
    x = matrix(F).requires_grad_()
    (gradient,) = F.autograd.grad((x.unsqueeze(1) ** 2).sum(), x, create_graph=True)
    return gradient.grad_fn.name(), gradient


gives("unsqueeze: its gradient is one dimension squeezed", unsqueezed_back)

test_as_in_torch = behaviours.test()


def test_windows_that_share_elements_are_not_written_to() -> None:
    """PyTorch writes to each place several times, in an order that it does not promise."""
    x = minigrad.arange(5.0)
    for write in (lambda w: w.add_(1), lambda w: w.copy_(minigrad.ones(3, 3))):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            write(x.as_strided((3, 3), (1, 1)))
    assert x.tolist() == [0, 1, 2, 3, 4]

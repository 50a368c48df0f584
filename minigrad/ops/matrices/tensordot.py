"""Sums of products over chosen dimensions: tensordot, inner, kron, bilinear, linalg.vecdot.

After this module a reader knows that each of these is an `einsum` (einsum.py): which dimensions are summed over, and
which are kept, is all in which they differ.
"""

from __future__ import annotations

from typing import Any

from minigrad.ops.matrices.einsum import einsum, sum_of_products
from minigrad.ops.matrices.matmul import matmul, refuse_bools, require_tensors
from minigrad.ops.pointwise import arithmetic
from minigrad.ops.reductions import sums
from minigrad.ops.reductions.dims import wrap_dims
from minigrad.ops.shapes.views import reshape, unsafe_view
from minigrad.tensor import Tensor

METHODS = ("inner", "kron")  # the functions that are methods of Tensor, too
IN_PLACE: tuple[str, ...] = ()  # those that have an in-place form, with a trailing underscore
OUT = ("tensordot", "inner", "kron")  # those that take out=

_LETTERS = "".join(chr(192 + number) for number in range(128))  # more than two tensors have dimensions


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sum of products over several dimensions of both.

    `dims`: how many, the last of `a` and the first of `b`; or two lists that name those of `a` and those of `b`.
    """
    require_tensors("tensordot", a=a, b=b)
    first, second = _dims_of_both(a, b, dims)
    if a.dtype is not b.dtype:
        raise RuntimeError(f"both inputs should have same dtype, but they have {a.dtype} and {b.dtype}")
    if len(first) != len(second):
        raise RuntimeError(f"both dimension lists should have same length: got {first} and {second}")
    for own, other in zip(first, second, strict=True):
        if not a.ndim or not b.ndim:
            raise IndexError(f"Dimension specified as {other if a.ndim else own} but tensor has no dimensions")
        sizes = a.shape[own], b.shape[other]
        if sizes[0] != sizes[1] and 1 not in sizes:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {sizes[0]} in dim {own} and second has size "
                f"{sizes[1]} in dim {other}"
            )
    refuse_bools("addmm_impl_cpu_", a)
    of_a, of_b = list(_LETTERS[: a.ndim]), list(_LETTERS[a.ndim : a.ndim + b.ndim])
    places = zip(wrap_dims(first, a.ndim), wrap_dims(second, b.ndim), strict=True)
    for own, other in places if first else ():
        of_b[other] = of_a[own]
    out = "".join(letter for letter in of_a + of_b if not (letter in of_a and letter in of_b))
    return sum_of_products((a, b), ("".join(of_a), "".join(of_b)), out)


def _dims_of_both(a: Tensor, b: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, tuple | list) and len(dims) == 2:
        pair = [[int(given)] if isinstance(given, int) else [int(d) for d in given] for given in dims]
        return pair[0], pair[1]
    if not isinstance(dims, int):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a.ndim, b.ndim):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return list(range(-dims, 0)), list(range(dims))


def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sums of products along the last dimensions: (…, k) and (†, k) give (…, †). A number scales the other."""
    require_tensors("inner", input=input, other=other)
    if not input.ndim or not other.ndim:
        return arithmetic.mul(input, other)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    return tensordot(input, other, dims=([-1], [-1]))


def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: each element of the input, times the whole of other, in its place."""
    require_tensors("kron", input=input, other=other)
    ndim = max(input.ndim, other.ndim)
    a, b = ((1,) * (ndim - tensor.ndim) + tuple(tensor.shape) for tensor in (input, other))
    product = arithmetic.mul(
        reshape(input, [size for own in a for size in (own, 1)]),
        reshape(other, [size for own in b for size in (1, own)]),
    )
    return unsafe_view(product, tuple(own * theirs for own, theirs in zip(a, b, strict=True)))


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y_k = x1 · W_k x2 + b_k: (…, i), (…, j), weight (k, i, j) and bias (k,) give (…, k)."""
    require_tensors("bilinear", input1=input1, input2=input2, weight=weight)
    for number, (tensor, size) in enumerate(((input1, weight.shape[1]), (input2, weight.shape[2])), 1):
        if tensor.shape[-1] != size:
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {tensor.shape[-1]} but expected {size}"
            )
    out = einsum("...i,kij,...j->...k", input1, weight, input2)
    return out if bias is None else arithmetic.add(bias, out)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """`linalg.vecdot`: the sums of products along `dim`; the rest broadcasts."""
    require_tensors("linalg_vecdot", x=x, y=y)
    if not x.dtype.is_floating_point:
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {x.dtype.tensor_type}"
        )
    if x.dtype is not y.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x.dtype.tensor_type} and y "
            f"of type {y.dtype.tensor_type} instead"
        )
    if x.ndim == y.ndim == 1:
        return matmul(x, y)
    return sums.sum(arithmetic.mul(x, y), dim)

"""Products of vectors, of all pairs of elements, over several dimensions; and distances.

After this module a reader knows that all of these are matrix products in other clothes. `matmul` and `mm` are in
linalg.py, `einsum`, of which most of these are cases, in einsum.py; products with something added in added.py; products
of several matrices in chains.py.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import frames_to_learner
from minigrad.op import op, size_mismatch
from minigrad.ops.matrices import linalg
from minigrad.ops.matrices.added import addbmm, addmm, addmv, addr, baddbmm
from minigrad.ops.matrices.chains import chain_matmul, matrix_power
from minigrad.ops.matrices.einsum import einsum, sum_of_products
from minigrad.ops.matrices.linalg import check_batches, in_shape, no_bools_for, tensors_only
from minigrad.ops.matrices.norms import vector_norm
from minigrad.ops.pointwise import arithmetic
from minigrad.ops.reductions import sums
from minigrad.ops.reductions.dims import wrap_dims
from minigrad.ops.shapes import shape
from minigrad.tensor import Tensor, wrap_dim

Array = Any  # numpy array, or the numpy scalar that a 0-d array becomes

# fmt: off
__all__ = [  # all that are public
    "addbmm", "addmm", "addmv", "addr", "baddbmm", "bilinear", "bmm", "cdist", "chain_matmul", "cross", "dot", "einsum",
    "ger", "inner", "kron", "matrix_power", "mv", "outer", "tensordot", "trace", "vdot",
]
METHODS = (  # the functions that are methods of Tensor, too
    "addbmm", "addmm", "addmv", "addr", "baddbmm", "bmm", "cross", "dot", "ger", "inner", "kron", "matrix_power", "mv",
    "outer", "trace", "vdot",
)
IN_PLACE = ("addbmm", "addmm", "addmv", "addr", "baddbmm")  # those that have an in-place form, with an underscore
OUT = (  # those that take out=
    "addbmm", "addmm", "addmv", "addr", "baddbmm", "bmm", "cross", "dot", "ger", "inner", "kron", "matrix_power", "mv",
    "outer", "tensordot", "vdot",
)
# fmt: on


@op(self=lambda F, g, other: g * other, other=lambda F, g, self: g * self)
def vdot(self: Array, other: Array) -> Array:
    """Vector times vector: the sum of products, a number."""
    return self @ other


@op(self=lambda F, g, self_shape: F.diagonal_put(F.expand(g, (min(self_shape),)), self_shape, 0, 0, 1))
def trace(self: Array) -> Array:
    """The sum of a matrix's diagonal."""
    return np.trace(self)


@op(
    self=lambda F, g, other, dim, self_shape: in_shape(F, F.linalg_cross(other, g, dim), self_shape),
    other=lambda F, g, self, dim, other_shape: in_shape(F, F.linalg_cross(g, self, dim), other_shape),
)
def linalg_cross(self: Array, other: Array, dim: int) -> Array:
    """The vectors at right angles to two others, along a dimension of size 3 (counted from the last)."""
    a, b = np.moveaxis(self, dim, 0), np.moveaxis(other, dim, 0)
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dim)


def _of_distance(F: Any, g: Any, points: Any, others: Any, result: Any) -> Any:
    """The gradient of distances for the points they are from: towards each other point, 0 for a point that is there."""
    share = F.where(result == 0, 0, g / F.where(result == 0, 1, result))
    return points * F.sum_dims(share, (share.ndim - 1,), True) - share @ others


@op(
    name="CdistBackward0",
    self=lambda F, g, self, other, result: _of_distance(F, g, self, other, result),
    other=lambda F, g, self, other, result: _of_distance(
        F, F.transpose(g, -2, -1), other, self, F.transpose(result, -2, -1)
    ),
)
def euclidean_distances(self: Array, other: Array, by_product: bool) -> Array:
    """The distances of all rows of one matrix from all rows of another.

    `by_product`: by |x - y|² = x·x - 2 x·y + y·y, a matrix product, which is fast but loses digits of small distances.
    """
    if not by_product:
        difference = self[..., :, None, :] - other[..., None, :, :]
        return np.sqrt((difference * difference).sum(-1))
    squares = [(points * points).sum(-1) for points in (self, other)]
    squared = squares[0][..., :, None] + squares[1][..., None, :] - 2 * (self @ np.swapaxes(other, -2, -1))
    return np.sqrt(np.maximum(squared, 0))


# ---------------------------------------------------------------- as the learner calls them

_vdot, _trace = vdot, trace


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Matrix times matrix, for each of a batch: (b, n, k) and (b, k, m) give (b, n, m). Nothing broadcasts."""
    tensors_only("bmm", input=input, mat2=mat2)
    for name, batch in (("batch1", input), ("batch2", mat2)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor, but has shape {list(batch.shape)}: use matmul() or @")
    check_batches(input, mat2)
    if input.dtype is not mat2.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype.tensor_type} but found {mat2.dtype.tensor_type}: convert one of them"
        )
    no_bools_for("bmm", input)
    return linalg.batched_matmul(input, mat2)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Matrix times vector: (n, k) and (k,) give (n,)."""
    tensors_only("mv", input=input, vec=vec)
    if (input.ndim, vec.ndim) != (2, 1):
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    return linalg.matmul(input, vec)


def _check_vectors(input: Tensor, other: Tensor) -> None:
    if input.ndim != 1 or other.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {other.ndim}D tensors")


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Vector times vector: the sum of products, a number."""
    tensors_only("dot", input=input, tensor=tensor)
    _check_vectors(input, tensor)
    return linalg.matmul(input, tensor)


def vdot(input: Tensor, other: Tensor) -> Tensor:  # type: ignore[no-redef]
    """Vector times vector, as `dot` (which differs for complex numbers only)."""
    tensors_only("vdot", input=input, other=other)
    _check_vectors(input, other)
    linalg.matmul(input.detach(), other.detach())  # raises what dot() does
    return _vdot(input, other)


def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sums of products along the last dimensions: (…, k) and (†, k) give (…, †). A number scales the other."""
    tensors_only("inner", input=input, other=other)
    if not input.ndim or not other.ndim:
        return arithmetic.mul(input, other)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    return tensordot(input, other, dims=([-1], [-1]))


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """`linalg.vecdot`: the sums of products along `dim`; the rest broadcasts."""
    tensors_only("linalg_vecdot", x=x, y=y)
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
        return linalg.matmul(x, y)
    return sums.sum(arithmetic.mul(x, y), dim)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Each element of one vector times each of another: (n,) and (m,) give (n, m)."""
    tensors_only("outer", input=input, vec2=vec2)
    for name, vector in (("self", input), ("vec2", vec2)):
        if vector.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {vector.ndim}-D")
    return arithmetic.mul(shape.view(input, (len(input), 1)), vec2)


def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """`outer` under its older name."""
    return outer(input, vec2)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sum of products over several dimensions of both.

    `dims`: how many, the last of `a` and the first of `b`; or two lists that name those of `a` and those of `b`.
    """
    tensors_only("tensordot", a=a, b=b)
    first, second = _paired(a, b, dims)
    if a.dtype is not b.dtype:
        raise RuntimeError(f"both inputs should have same dtype, but they have {a.dtype} and {b.dtype}")
    if len(first) != len(second):
        raise RuntimeError(f"both dimension lists should have same length: got {first} and {second}")
    for own, other in zip(first, second, strict=True):
        sizes = a.shape[own], b.shape[other]
        if sizes[0] != sizes[1] and 1 not in sizes:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {sizes[0]} in dim {own} and second has size "
                f"{sizes[1]} in dim {other}"
            )
    no_bools_for("addmm_impl_cpu_", a)
    of_a, of_b = list(_LETTERS[: a.ndim]), list(_LETTERS[a.ndim : a.ndim + b.ndim])
    places = zip(wrap_dims(first, a.ndim), wrap_dims(second, b.ndim), strict=True)
    for own, other in places if first else ():
        of_b[other] = of_a[own]
    out = "".join(letter for letter in of_a + of_b if not (letter in of_a and letter in of_b))
    return sum_of_products((a, b), ("".join(of_a), "".join(of_b)), out)


_LETTERS = "".join(chr(192 + number) for number in range(128))  # more than two tensors have dimensions


def _paired(a: Tensor, b: Tensor, dims: Any) -> tuple[list[int], list[int]]:
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


def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: each element of the input, times the whole of other, in its place."""
    tensors_only("kron", input=input, other=other)
    ndim = max(input.ndim, other.ndim)
    a, b = ((1,) * (ndim - tensor.ndim) + tuple(tensor.shape) for tensor in (input, other))
    spread = arithmetic.mul(
        shape.reshape(input, [size for own in a for size in (own, 1)]),
        shape.reshape(other, [size for own in b for size in (1, own)]),
    )
    return shape.unsafe_view(spread, tuple(own * theirs for own, theirs in zip(a, b, strict=True)))


def trace(input: Tensor) -> Tensor:  # type: ignore[no-redef]
    """The sum of a matrix's diagonal."""
    tensors_only("trace", input=input)
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    no_bools_for("trace", input)
    return _trace(input if input.dtype.is_floating_point else input.to(dtypes.int64))


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The vectors at right angles to two others, along a dimension of size 3: `dim`, or (an old way) the first such."""
    tensors_only("cross", input=input, other=other)
    if dim is None:
        warnings.warn(
            "Using minigrad.cross without specifying the dim arg is deprecated: name it, as in dim=-1, or use "
            "linalg.cross, which takes the last",
            UserWarning,
            stacklevel=frames_to_learner(),
        )
        threes = [d for d, size in enumerate(input.shape) if size == 3]
        if not threes:
            raise RuntimeError("no dimension of size 3 in input: these are products of vectors in space")
        dim = threes[0]
    return crossed(input, other, dim)


def crossed(input: Tensor, other: Tensor, dim: int = -1) -> Tensor:
    """`linalg.cross`: the vectors at right angles to two others, along `dim`, of size 3. The rest broadcasts."""
    tensors_only("linalg_cross", input=input, other=other)
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    place = wrap_dim(dim, input.ndim)
    if input.shape[place] != 3 or other.shape[place] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[place]} and "
            f"{other.shape[place]}"
        )
    mismatch = size_mismatch("cross", input.shape, other.shape)
    if mismatch is not None:
        raise RuntimeError(mismatch)
    if input.dtype is not other.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype.tensor_type} but found {other.dtype.tensor_type}: convert one of them"
        )
    return linalg_cross(input, other, place - input.ndim)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The distances of all rows of `x1` from all rows of `x2`: (…, n, d) and (…, m, d) give (…, n, m).

    Args:
        p: which norm of the differences.
        compute_mode: "use_mm_for_euclid_dist" or "donot_use_mm_for_euclid_dist": whether a matrix product computes
            Euclidean distances. It is faster, and less exact for near points; unless said, used for more than 25 rows.
    """
    tensors_only("cdist", x1=x1, x2=x2)
    for name, points in (("X1", x1), ("X2", x2)):
        if not points.dtype.is_floating_point:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {points.dtype.tensor_type}")
        if points.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {points.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    modes = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    if compute_mode not in modes:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode: choose one of {', '.join(modes)}")
    if x1.dtype is not x2.dtype:
        raise RuntimeError(f"expected scalar type {x1.dtype.tensor_type} but found {x2.dtype.tensor_type}")
    lead = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    if p != 2:
        return vector_norm(arithmetic.sub(x1.unsqueeze(-2), x2.unsqueeze(-3)), p, -1)
    x1, x2 = (x if x.shape[:-2] == lead else x.expand(*lead, *x.shape[-2:]) for x in (x1, x2))
    many = compute_mode == modes[0] and max(x1.shape[-2], x2.shape[-2]) > 25
    return euclidean_distances(x1, x2, many or compute_mode == modes[1])


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y_k = x1 · W_k x2 + b_k: (…, i), (…, j), weight (k, i, j) and bias (k,) give (…, k)."""
    tensors_only("bilinear", input1=input1, input2=input2, weight=weight)
    for number, (tensor, size) in enumerate(((input1, weight.shape[1]), (input2, weight.shape[2])), 1):
        if tensor.shape[-1] != size:
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {tensor.shape[-1]} but expected {size}"
            )
    out = einsum("...i,kij,...j->...k", input1, weight, input2)
    return out if bias is None else arithmetic.add(bias, out)

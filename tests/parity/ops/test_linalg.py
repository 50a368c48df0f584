"""Products and linear algebra: what each refuses, in which words, and what it gives for singular, empty or odd input.

After this file a reader knows which matrices have no inverse and what is said of them, what `beta=0` hides, how an
equation for einsum may be written, and what the norms of nothing are.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from side_by_side import Behaviours, ours

import minigrad as mg

behaviours = Behaviours()
R, X, T, V, N = RuntimeError, IndexError, TypeError, ValueError, NotImplementedError
INF, NAN = float("inf"), float("nan")


def refused(title: str, error: type[Exception], says: str, call: Callable[[Any], Any]) -> None:
    behaviours(f"{title}: {says}", error=error, says=says)(call)


def given(title: str, *calls: Callable[[Any], Any]) -> None:
    behaviours(title)(lambda F: [call(F) for call in calls])


def singular(F: Any) -> Any:
    return F.tensor([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]])


def one_singular(F: Any) -> Any:
    return F.stack([F.eye(3), singular(F)])


def o(F: Any, *shape: int, kind: str = "float32") -> Any:
    return F.ones(shape, dtype=getattr(F, kind))


# ---------------------------------------------------------------- products of two

refused("bmm", R, "batch1 must be a 3D tensor", lambda F: F.bmm(o(F, 2, 3), o(F, 3, 2)))
refused("bmm", R, "batch2 must be a 3D tensor", lambda F: F.bmm(o(F, 2, 2, 3), o(F, 3, 2)))
refused(
    "bmm",
    R,
    "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 2].",
    lambda F: F.bmm(o(F, 2, 2, 3), o(F, 2, 2, 3)),
)
refused(
    "bmm",
    R,
    "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [3, 3].",
    lambda F: F.bmm(o(F, 2, 2, 3), o(F, 3, 3, 2)),
)
refused(
    "bmm",
    R,
    "expected scalar type Float but found Double",
    lambda F: F.bmm(o(F, 2, 2, 3), o(F, 2, 3, 2, kind="float64")),
)
refused(
    "bmm",
    N,
    "\"bmm\" not implemented for 'Bool'",
    lambda F: F.bmm(o(F, 2, 2, 3, kind="bool"), o(F, 2, 3, 2, kind="bool")),
)
refused("bmm", T, "bmm(): argument 'mat2' (position", lambda F: F.bmm(o(F, 1, 1, 1), 3))
refused("mv", R, "vector + matrix @ vector expected, got 1, 1, 1", lambda F: F.mv(o(F, 3), o(F, 3)))
refused("mv", R, "size mismatch, got input (2), mat (2x3), vec (2)", lambda F: F.mv(o(F, 2, 3), o(F, 2)))
refused(
    "mv",
    R,
    "addmv input tensors must have the same dtype, but got Double, Float, and Double",
    lambda F: F.mv(o(F, 2, 3), o(F, 3, kind="float64")),
)
refused("dot", R, "1D tensors expected, but got 2D and 1D tensors", lambda F: F.dot(o(F, 2, 3), o(F, 3)))
refused(
    "dot",
    R,
    "inconsistent tensor size, expected tensor [3] and src [2] to have the same number of elements",
    lambda F: F.dot(o(F, 3), o(F, 2)),
)
refused(
    "dot",
    R,
    "dot : expected both vectors to have same dtype, but found Float and Long",
    lambda F: F.dot(o(F, 3), o(F, 3, kind="int64")),
)
refused("vdot", R, "1D tensors expected, but got 2D and 1D tensors", lambda F: F.vdot(o(F, 2, 3), o(F, 3)))
refused("vdot", R, "inconsistent tensor size, expected tensor [3]", lambda F: F.vdot(o(F, 3), o(F, 2)))
refused(
    "inner",
    R,
    "inner() the last dimension must match on both input tensors but got shapes [2, 3] and [4]",
    lambda F: F.inner(o(F, 2, 3), o(F, 4)),
)
refused("inner", R, "both inputs should have same dtype", lambda F: F.inner(o(F, 2, 3), o(F, 3, kind="float64")))
refused("outer", R, "outer: Expected 1-D argument self, but got 2-D", lambda F: F.outer(o(F, 2, 3), o(F, 4)))
refused("ger", R, "outer: Expected 1-D argument vec2, but got 2-D", lambda F: F.ger(o(F, 3), o(F, 2, 4)))
refused("trace", R, "trace: expected a matrix, but got tensor with dim 1", lambda F: F.trace(o(F, 3)))
refused("trace", N, "\"trace\" not implemented for 'Bool'", lambda F: F.trace(o(F, 3, 3, kind="bool")))
refused(
    "cross",
    R,
    "linalg.cross: inputs dimension 1 must have length 3. Got 4 and 4",
    lambda F: F.cross(o(F, 2, 4), o(F, 2, 4), dim=1),
)
refused(
    "linalg.cross",
    R,
    "linalg.cross: inputs must have the same number of dimensions.",
    lambda F: F.linalg.cross(o(F, 3), o(F, 2, 3)),
)
refused(
    "linalg.cross",
    R,
    "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",
    lambda F: F.linalg.cross(o(F, 3, 3), o(F, 2, 3)),
)
refused(
    "linalg.vecdot",
    R,
    "linalg.vecdot: Expected x and y to have the same dtype, but found x of type Float and y of type Long instead",
    lambda F: F.linalg.vecdot(o(F, 3), o(F, 3, kind="int64")),
)
refused(
    "linalg.vecdot",
    R,
    "linalg.vecdot: Expected a floating point or complex tensor as input. Got Long",
    lambda F: F.linalg.vecdot(o(F, 3, kind="int64"), o(F, 3, kind="int64")),
)
refused(
    "cross",
    N,
    "\"cross\" not implemented for 'Bool'",
    lambda F: F.linalg.cross(o(F, 3, kind="bool"), o(F, 3, kind="bool")),
)
refused("cross", X, "Dimension specified as -1 but tensor has no dimensions", lambda F: F.linalg.cross(o(F), o(F)))
refused(
    "tensordot",
    X,
    "Dimension specified as -1 but tensor has no dimensions",
    lambda F: F.tensordot(o(F), o(F), ([-1], [0])),
)
refused("vdot", R, "dot : expected both vectors to have same dtype", lambda F: F.vdot(o(F, 3), o(F, 3, kind="int64")))
refused("vdot", N, "\"dot\" not implemented for 'Bool'", lambda F: F.vdot(o(F, 3, kind="bool"), o(F, 3, kind="bool")))
refused("cdist", R, "cdist only supports at least 2D tensors, X1 got: 1D", lambda F: F.cdist(o(F, 3), o(F, 2, 3)))
refused(
    "cdist", R, "X1 and X2 must have the same number of columns. X1: 3 X2: 4", lambda F: F.cdist(o(F, 2, 3), o(F, 2, 4))
)
refused("cdist", R, "cdist only supports non-negative p values", lambda F: F.cdist(o(F, 2, 3), o(F, 2, 3), p=-1))
refused(
    "cdist",
    R,
    "cdist only supports floating-point dtypes, X1 got: Long",
    lambda F: F.cdist(o(F, 2, 3, kind="int64"), o(F, 2, 3, kind="int64")),
)
refused(
    "cdist", V, "x is not a valid value for compute_mode", lambda F: F.cdist(o(F, 2, 3), o(F, 2, 3), compute_mode="x")
)

given(
    "products of integers, of numbers, of nothing",
    lambda F: F.bmm(o(F, 2, 2, 3, kind="int64"), o(F, 2, 3, 2, kind="int64")),
    lambda F: F.inner(F.tensor(2.0), o(F, 3)),
    lambda F: F.outer(o(F, 2), o(F, 3, kind="int64")),
    lambda F: F.ger(o(F, 2, kind="int32"), o(F, 3, kind="float64")),
    lambda F: F.trace(o(F, 3, 3, kind="int32")),
    lambda F: F.trace(o(F, 0, 3)),
    lambda F: F.kron(F.tensor(2.0), F.arange(4).view(2, 2)),
    lambda F: F.cdist(o(F, 2, 0), o(F, 3, 0)),
    lambda F: F.cdist(F.arange(60.0).view(30, 2), o(F, 2, 2)),
    lambda F: [F.cdist(o(F, 1, 2), F.zeros(1, 2), p=p) for p in (0.0, 1.0, 3.0, INF)],
    lambda F: F.dot(o(F, 0), o(F, 0)),
    lambda F: o(F, 2, 0, 3) @ o(F, 3, 2),
    lambda F: o(F, 0, 2, 3) @ o(F, 3),
)


@behaviours(
    "cross without a dim takes the first of size 3, and says so",
    warns=("UserWarning: Using torch.cross without specifying the dim arg is deprecated",),
)
def _(F):
    return F.cross(F.arange(6.0).view(3, 2), o(F, 3, 2) * F.tensor([1.0, -2.0]))


@behaviours(
    "cross of nothing in space",
    error=R,
    says="no dimension of size 3 in input",
    warns=("UserWarning: Using torch.cross without specifying",),
)
def _(F):
    return F.cross(o(F, 4, 2), o(F, 4, 2))


@behaviours("the gradient of a distance of 0 is 0")
def _(F):
    a, b = F.zeros(2, 2, requires_grad=True), F.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
    return [
        F.autograd.grad(F.cdist(a, b, compute_mode=mode).sum(), [a, b])
        for mode in ("use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    ]


# ---------------------------------------------------------------- with something added

refused("addmm", R, "mat1 must be a matrix, got 1-D tensor", lambda F: F.addmm(o(F, 2, 2), o(F, 3), o(F, 3, 2)))
refused(
    "addmm",
    R,
    "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x2)",
    lambda F: F.addmm(o(F, 2, 2), o(F, 2, 3), o(F, 2, 2)),
)
refused(
    "addmm",
    R,
    (
        "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 1. "
        " Target sizes: [2, 2].  Tensor sizes: [3]"
    ),
    lambda F: F.addmm(o(F, 3), o(F, 2, 3), o(F, 3, 2)),
)
refused(
    "addmm",
    R,
    "expand(torch.FloatTensor{[1, 2, 2]}, size=[2, 2]): the number of sizes provided (2) must be greater or equal",
    lambda F: F.addmm(o(F, 1, 2, 2), o(F, 2, 3), o(F, 3, 2)),
)
refused(
    "addmm",
    R,
    "mat1 and mat2 must have the same dtype, but got Double and Float",
    lambda F: F.addmm(o(F, 2, 2), o(F, 2, 3, kind="float64"), o(F, 3, 2)),
)
refused(
    "addmm",
    R,
    "self and mat2 must have the same dtype, but got Double and Float",
    lambda F: F.addmm(o(F, 2, 2, kind="float64"), o(F, 2, 3), o(F, 3, 2)),
)
refused(
    "addmm",
    N,
    "\"addmm_impl_cpu_\" not implemented for 'Bool'",
    lambda F: F.addmm(o(F, 2, 2, kind="bool"), o(F, 2, 3, kind="bool"), o(F, 3, 2, kind="bool")),
)
refused("addmv", R, "vector + matrix @ vector expected, got 1, 1, 1", lambda F: F.addmv(o(F, 2), o(F, 3), o(F, 3)))
refused("addmv", R, "size mismatch, got input (3), mat (2x3), vec (3)", lambda F: F.addmv(o(F, 3), o(F, 2, 3), o(F, 3)))
refused(
    "addmv",
    R,
    "addmv input tensors must have the same dtype, but got Float, Double, and Float",
    lambda F: F.addmv(o(F, 2), o(F, 2, 3, kind="float64"), o(F, 3)),
)
refused(
    "addbmm",
    X,
    "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
    lambda F: F.addbmm(o(F, 2, 2), o(F, 2, 3), o(F, 3, 2)),
)
refused(
    "addbmm",
    R,
    "Incompatible matrix sizes for bmm (2x3 and 2x2)",
    lambda F: F.addbmm(o(F, 2, 2), o(F, 5, 2, 3), o(F, 5, 2, 2)),
)
refused(
    "addbmm",
    R,
    "batch1 and batch2 must have same number of batches, got 5 and 4",
    lambda F: F.addbmm(o(F, 2, 2), o(F, 5, 2, 3), o(F, 4, 3, 2)),
)
refused(
    "baddbmm",
    R,
    "Expected size for first two dimensions of batch2 tensor to be: [5, 3] but got: [5, 2].",
    lambda F: F.baddbmm(o(F, 5, 2, 2), o(F, 5, 2, 3), o(F, 5, 2, 2)),
)
refused(
    "baddbmm",
    R,
    "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 2.",
    lambda F: F.baddbmm(o(F, 3, 3), o(F, 5, 2, 3), o(F, 5, 3, 2)),
)
refused(
    "baddbmm",
    R,
    "Input dtypes must be the same, got: input float, batch1: double, batch2: float",
    lambda F: F.baddbmm(o(F, 5, 2, 2), o(F, 5, 2, 3, kind="float64"), o(F, 5, 3, 2)),
)
refused("addr", R, "addr: Expected 1-D argument vec1, but got 2-D", lambda F: F.addr(o(F, 2, 2), o(F, 2, 1), o(F, 2)))
refused(
    "addr",
    R,
    "The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension 1.",
    lambda F: F.addr(o(F, 2, 2), o(F, 2), o(F, 3)),
)
refused(
    "addr",
    R,
    "For integral input tensors, argument beta must not be a floating point number.",
    lambda F: F.addr(o(F, 2, 2, kind="int64"), o(F, 2, kind="int64"), o(F, 2, kind="int64"), beta=0.5),
)

given(
    "beta and alpha: 0 hides nan, integers are cut, dtypes of addr meet; in place",
    lambda F: F.addmm(F.tensor([NAN]), o(F, 2, 3), o(F, 3, 2), beta=0),
    lambda F: F.addmm(
        o(F, 2, 2, kind="int64"), o(F, 2, 3, kind="int64"), o(F, 3, 2, kind="int64"), beta=0.5, alpha=2.7
    ),
    lambda F: F.addr(o(F, 2, 2), o(F, 2, kind="float64"), o(F, 2)),
    lambda F: o(F, 2, 2).addmm_(o(F, 2, 3), o(F, 3, 2), beta=2),
    lambda F: o(F, 2).addmv_(o(F, 2, 3), o(F, 3), alpha=0.5),
    lambda F: o(F, 2, 2).addbmm_(o(F, 4, 2, 3), o(F, 4, 3, 2)),
    lambda F: o(F, 4, 2, 2).baddbmm_(o(F, 4, 2, 3), o(F, 4, 3, 2)),
    lambda F: o(F, 2, 2).addr_(o(F, 2), o(F, 2), alpha=-1),
    lambda F: F.addr(F.zeros(2, 2).bool(), F.tensor([True, False]), o(F, 2, kind="bool"), beta=2),
)

# ---------------------------------------------------------------- einsum and tensordot

refused("einsum", V, "einsum(): must specify the equation string and at least one operand", lambda F: F.einsum("ij"))
refused(
    "einsum",
    R,
    "einsum(): fewer operands were provided than specified in the equation",
    lambda F: F.einsum("ij,jk", o(F, 2, 2)),
)
refused(
    "einsum",
    R,
    "einsum(): more operands were provided than specified in the equation",
    lambda F: F.einsum("ij", o(F, 2, 2), o(F, 2, 2)),
)
refused(
    "einsum",
    R,
    "einsum(): the number of subscripts in the equation (3) does not match the number of",
    lambda F: F.einsum("ijk", o(F, 2, 2)),
)
refused(
    "einsum",
    R,
    "einsum(): the number of subscripts in the equation (1) does not match the number of",
    lambda F: F.einsum("i", o(F, 2, 2)),
)
refused(
    "einsum",
    R,
    "einsum(): subscript j has size 2 for operand 1 which does not broadcast with previously seen size 3",
    lambda F: F.einsum("ij,jk", o(F, 2, 3), o(F, 2, 3)),
)
refused(
    "einsum",
    R,
    "einsum(): dimension 0 covered by ellipsis in operand 1has size 3 which does not broadcast with previously seen "
    "ellipsis with size 2 for the respective dimension",
    lambda F: F.einsum("...i,...i->...", o(F, 2, 4), o(F, 3, 4)),
)
refused(
    "einsum",
    R,
    "einsum(): output subscript k does not appear in the equation for any input operand",
    lambda F: F.einsum("ij->k", o(F, 2, 2)),
)
refused(
    "einsum",
    R,
    "einsum(): output subscript i appears more than once in the output",
    lambda F: F.einsum("ij->ii", o(F, 2, 2)),
)
refused(
    "einsum",
    R,
    "einsum(): invalid subscript given at index 1 in the equation string, subscripts must be in [a-zA-Z]",
    lambda F: F.einsum("i1", o(F, 2, 2)),
)
refused(
    "einsum",
    R,
    "einsum(): invalid subscript given at index 4 in the equation string, subscripts must be in [a-zA-Z]",
    lambda F: F.einsum("ij->1", o(F, 2, 2)),
)
refused(
    "einsum",
    R,
    "einsum(): invalid subscript given at index 5 in the equation string, subscripts must be in [a-zA-Z]",
    lambda F: F.einsum("ij->i->j", o(F, 2, 2)),
)
refused(
    "einsum",
    R,
    "einsum(): found '.' for operand 0 that is not part of any ellipsis",
    lambda F: F.einsum("i..", o(F, 2, 2)),
)
refused(
    "einsum",
    R,
    "einsum(): found '.' for operand 0 for which an ellipsis was already found",
    lambda F: F.einsum("......", o(F, 2, 2)),
)
refused(
    "einsum",
    R,
    "einsum(): subscript i is repeated for operand 0 but the sizes don't match, 3 != 2",
    lambda F: F.einsum("ii", o(F, 2, 3)),
)
refused(
    "einsum",
    R,
    "expected scalar type Float but found Long",
    lambda F: F.einsum("ij,jk", o(F, 2, 2), o(F, 2, 2, kind="int64")),
)
refused(
    "einsum",
    N,
    "\"bmm\" not implemented for 'Bool'",
    lambda F: F.einsum("i,i", o(F, 3, kind="bool"), o(F, 3, kind="bool")),
)
refused(
    "einsum",
    V,
    "einsum(): subscript in subscript list is not within the valid range [0, 52)",
    lambda F: F.einsum(o(F, 2, 3), [0, 60]),
)
refused("einsum", T, "einsum(): argument 'equation' (position 1) must be str, not int", lambda F: F.einsum(5, o(F, 2)))
refused(
    "tensordot",
    R,
    "tensordot expects dims >= 0, but got dims=-1",
    lambda F: F.tensordot(o(F, 2, 3), o(F, 3, 4), dims=-1),
)
refused(
    "tensordot",
    R,
    "tensordot expects dims < ndim_a or ndim_b, but got dims=3",
    lambda F: F.tensordot(o(F, 2, 3), o(F, 3, 4), dims=3),
)
refused(
    "tensordot",
    R,
    "contracted dimensions need to match, but first has size 3 in dim -1 and second has size 2 in dim 0",
    lambda F: F.tensordot(o(F, 2, 3), o(F, 2, 4), dims=1),
)
refused(
    "tensordot",
    R,
    "both dimension lists should have same length",
    lambda F: F.tensordot(o(F, 2, 3), o(F, 4, 2, 3), dims=([0, 1], [1])),
)
refused(
    "tensordot",
    R,
    "dim 0 appears multiple times in the list of dims",
    lambda F: F.tensordot(o(F, 2, 2), o(F, 2, 2), dims=([0, 0], [0, 1])),
)
refused(
    "tensordot",
    R,
    "both inputs should have same dtype",
    lambda F: F.tensordot(o(F, 2, 3), o(F, 3, 4, kind="float64"), dims=1),
)
refused(
    "tensordot", R, "tensordot expects dims to be int or tuple", lambda F: F.tensordot(o(F, 2, 3), o(F, 3, 4), dims=1.5)
)

given(
    "einsum: capitals come first, integers, nothing, one dimension for all that has no letter",
    lambda F: F.einsum("aB", F.arange(6.0).view(2, 3)),
    lambda F: F.einsum("Ab,bA", F.arange(6.0).view(2, 3), o(F, 3, 2)),
    lambda F: F.einsum("i,i", F.arange(3), F.arange(3)),
    lambda F: F.einsum("i,j->ij", F.tensor([True, False]), o(F, 3, kind="bool")),
    lambda F: F.einsum("ij->i", o(F, 2, 0)),
    lambda F: F.einsum("...i->i", F.arange(12.0).view(2, 2, 3)),
    lambda F: F.einsum("ij->...ij", o(F, 2, 2)),
    lambda F: F.einsum("...i,...i->...", F.arange(6.0).view(2, 1, 3), F.arange(12.0).view(4, 3)),
    lambda F: F.einsum(F.arange(6.0).view(2, 3), [..., 1], [1, ...]),
    lambda F: F.einsum(F.arange(6.0).view(2, 3), [30, 1]),
    lambda F: F.einsum("", F.tensor(2.0)),
    lambda F: F.einsum(",i", F.tensor(2.0), F.arange(3.0)),
    lambda F: F.tensordot(F.arange(6.0).view(2, 3), o(F, 3, 4), dims=F.tensor(1)),
)


@behaviours("einsum of one operand is a view")
def _(F):
    x = F.zeros(2, 2)
    F.einsum("ij->ji", x)[0, 1] = 5
    F.einsum("ii->i", x)[0] = 7
    return x


# ---------------------------------------------------------------- several matrices

refused(
    "matrix_power",
    R,
    "linalg.matrix_power: A must be batches of square matrices, but they are 2 by 3 matrices",
    lambda F: F.matrix_power(o(F, 2, 3), 2),
)
refused(
    "matrix_power",
    R,
    "linalg.matrix_power: The input tensor A must have at least 2 dimensions.",
    lambda F: F.matrix_power(o(F, 3), 2),
)
refused(
    "matrix_power",
    R,
    "linalg.inv: Expected a floating point or complex tensor as input. Got Long",
    lambda F: F.matrix_power(o(F, 2, 2, kind="int64"), -1),
)
refused("matrix_power", T, "matrix_power(): argument 'n' (position", lambda F: F.matrix_power(o(F, 2, 2), 1.5))
refused(
    "multi_dot", R, "multi_dot(): expected at least 2 tensors but got 1", lambda F: F.linalg.multi_dot([o(F, 2, 2)])
)
refused(
    "multi_dot",
    R,
    "multi_dot(): tensor 1 must be 2D but got 3D",
    lambda F: F.linalg.multi_dot([o(F, 2, 2), o(F, 2, 2, 2), o(F, 2, 2)]),
)
refused(
    "multi_dot",
    R,
    "multi_dot(): the first tensor must be 1D or 2D but got 3D",
    lambda F: F.linalg.multi_dot([o(F, 2, 2, 2), o(F, 2, 2)]),
)
refused(
    "multi_dot",
    R,
    "multi_dot(): tensors 0 and 1 with shapes [2, 3] and [2, 3] cannot be multiplied",
    lambda F: F.linalg.multi_dot([o(F, 2, 3), o(F, 2, 3)]),
)
refused(
    "multi_dot",
    R,
    "multi_dot(): all tensors must have be the same dtype but tensor 0 is float and tensor 1 double",
    lambda F: F.linalg.multi_dot([o(F, 2, 3), o(F, 3, 2, kind="float64")]),
)

given(
    "powers of integers, the power 0, a product of vectors",
    lambda F: F.matrix_power(F.arange(4).view(2, 2), 3),
    lambda F: F.matrix_power(F.arange(8).view(2, 2, 2), 0),
    lambda F: F.linalg.multi_dot([o(F, 3), o(F, 3)]),
    lambda F: F.linalg.multi_dot([o(F, 3), o(F, 3, 2), o(F, 2, 4)]),
)


@behaviours("chain_matmul says what is better", warns=("UserWarning: torch.chain_matmul is deprecated",))
def _(F):
    return F.chain_matmul(o(F, 2, 3), o(F, 3, 2), o(F, 2, 2))


# ---------------------------------------------------------------- what is no matrix, and what is no number

for name in ("inv", "det", "slogdet", "cholesky", "eigh"):
    refused(
        name,
        R,
        f"linalg.{name}: A must be batches of square matrices, but they are 2 by 3 matrices",
        lambda F, name=name: getattr(F.linalg, name)(o(F, 2, 3)),
    )
    refused(
        name,
        R,
        f"linalg.{name}: The input tensor A must have at least 2 dimensions.",
        lambda F, name=name: getattr(F.linalg, name)(o(F, 3)),
    )
    refused(name, T, f"linalg_{name}(): argument '", lambda F, name=name: getattr(F.linalg, name)([[1.0]]))
for name in ("inv", "det", "slogdet", "cholesky", "svd", "qr", "svdvals"):
    says = f"linalg.{name.removesuffix('vals')}: Expected a floating point or complex tensor as input. Got Long"
    refused(name, R, says, lambda F, name=name: getattr(F.linalg, name)(o(F, 2, 2, kind="int64")))
for name in ("svd", "qr", "svdvals"):
    refused(
        name,
        R,
        f"linalg.{name.removesuffix('vals')}: The input tensor A must have at least 2 dimensions.",
        lambda F, name=name: getattr(F.linalg, name)(o(F, 3)),
    )
refused(
    "eigvalsh",
    N,
    "\"linalg_eigh_cpu\" not implemented for 'Long'",
    lambda F: F.linalg.eigvalsh(o(F, 2, 2, kind="int64")),
)
refused("eigh", R, "Expected UPLO argument to be 'L' or 'U', but got x", lambda F: F.linalg.eigh(F.eye(2), UPLO="x"))
refused(
    "qr",
    R,
    "qr received unrecognized mode 'x' but expected one of 'reduced' (default), 'r', or 'complete'",
    lambda F: F.linalg.qr(F.eye(2), mode="x"),
)
refused(
    "logdet",
    R,
    "logdet: A must be batches of square matrices, but they are 2 by 3 matrices",
    lambda F: F.logdet(o(F, 2, 3)),
)
refused(
    "pinv", R, "linalg.pinv(Float{[3]}): expected a tensor with 2 or more dimensions", lambda F: F.linalg.pinv(o(F, 3))
)
refused(
    "solve",
    R,
    "linalg.solve: Incompatible shapes of A and B for the equation AX = B (3x3 and 2x1)",
    lambda F: F.linalg.solve(F.eye(3), o(F, 2)),
)
refused(
    "solve",
    R,
    "linalg.solve: Incompatible shapes of A and B for the equation XA = B (3x3 and 3x1)",
    lambda F: F.linalg.solve(F.eye(3), o(F, 3), left=False),
)
refused(
    "solve",
    R,
    "linalg.solve: A must be batches of square matrices, but they are 2 by 3 matrices",
    lambda F: F.linalg.solve(o(F, 2, 3), o(F, 2)),
)
refused(
    "solve",
    R,
    "linalg.solve: Expected A and B to have the same dtype, but found A of type Float and B of type Double instead",
    lambda F: F.linalg.solve(F.eye(3), o(F, 3, kind="float64")),
)
refused(
    "solve",
    R,
    "linalg.solve: The input tensor B must have at least 2 dimensions.",
    lambda F: F.linalg.solve(F.eye(3), F.tensor(1.0)),
)
refused(
    "solve_triangular",
    R,
    "linalg.solve_triangular: The input tensor B must have at least 2 dimensions.",
    lambda F: F.linalg.solve_triangular(F.eye(3), o(F, 3), upper=True),
)
refused(
    "solve_triangular",
    R,
    "linalg.solve_triangular: Incompatible shapes of A and B for the equation AX = B (3x3 and 2x1)",
    lambda F: F.linalg.solve_triangular(F.eye(3), o(F, 2, 1), upper=True),
)
refused(
    "lstsq",
    R,
    "torch.linalg.lstsq: input.size(-2) should match other.size(-2)",
    lambda F: F.linalg.lstsq(F.eye(3), o(F, 2, 1)),
)
refused(
    "lstsq",
    R,
    "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)",
    lambda F: F.linalg.lstsq(F.eye(3), o(F, 3, 1), driver="x"),
)
refused(
    "matrix_rank",
    R,
    "torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.",
    lambda F: F.linalg.matrix_rank(o(F, 3)),
)
refused("cond", R, "linalg.cond got an invalid norm type: x", lambda F: F.linalg.cond(F.eye(2), "x"))
refused(
    "the derivative of qr(complete)",
    R,
    "The QR decomposition is not differentiable when mode='complete' and nrows > ncols",
    lambda F: F.linalg.qr(o(F, 3, 2).requires_grad_(), "complete")[1].sum().backward(),
)


@behaviours("matrices that are singular, not positive-definite or not finite: a LinAlgError says which and why")
def _(F):
    calls = {
        "inv": lambda: F.linalg.inv(singular(F)),
        "inverse": lambda: F.inverse(o(F, 2, 2)),
        "inv of a batch": lambda: F.linalg.inv(one_singular(F)),
        "a negative power": lambda: F.matrix_power(o(F, 2, 2), -1),
        "solve": lambda: F.linalg.solve(singular(F), o(F, 3)),
        "solve of a batch": lambda: F.linalg.solve(one_singular(F), o(F, 2, 3, 1)),
        "cholesky": lambda: F.linalg.cholesky(F.tensor([[1.0, 2], [2, 1]])),
        "cholesky of order 3": lambda: F.linalg.cholesky(F.tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, -1]])),
        "cholesky of a batch": lambda: F.linalg.cholesky(one_singular(F)),
        "cholesky of nan": lambda: F.linalg.cholesky(F.eye(2) * NAN),
        "svd of nan": lambda: F.linalg.svd(F.eye(2) * NAN),
        "svdvals of inf": lambda: F.linalg.svdvals(F.eye(2) * INF),
        "pinv of nan": lambda: F.linalg.pinv(F.eye(2) * NAN),
    }
    said = {}
    for name, call in calls.items():
        try:
            call()
        except F.linalg.LinAlgError as error:
            said[name] = re.split(r"[.)] (?=linalg)|\.$", ours(str(error)))[0]
    assert issubclass(F.linalg.LinAlgError, RuntimeError)
    assert list(said) == list(calls)
    return said


given(
    "singular matrices have a determinant, a rank, a condition",
    lambda F: [F.det(singular(F)), F.det(one_singular(F)), F.logdet(F.zeros(2, 2)), F.logdet(-F.eye(3))],
    lambda F: list(F.linalg.slogdet(F.zeros(2, 2))),
    lambda F: [F.linalg.matrix_rank(m) for m in (singular(F), one_singular(F), F.zeros(2, 3))],
    lambda F: F.linalg.matrix_rank(singular(F), tol=10.0),
    lambda F: F.linalg.matrix_rank(singular(F), atol=10.0, rtol=0.0),
    lambda F: F.linalg.matrix_rank(singular(F) @ singular(F).T, hermitian=True),
    lambda F: F.linalg.matrix_rank(one_singular(F), rtol=F.tensor([0.1, 0.2])),
    lambda F: [F.linalg.cond(singular(F), p) for p in ("fro", 1, -1, INF)],
    lambda F: [F.linalg.cond(F.tensor([[1.0, 2], [3, 5]]), p) for p in (None, "fro", 2, -2, 1, INF)],
    lambda F: F.linalg.pinv(singular(F), rtol=0.3),
    lambda F: F.linalg.pinv(singular(F), rcond=0.3),
    lambda F: F.linalg.pinv(singular(F), 0.3),
    lambda F: F.linalg.matrix_rank(singular(F), 10.0),
    lambda F: F.linalg.pinv(singular(F).double()),
    lambda F: F.linalg.solve_triangular(F.tensor([[1.0, 2], [0, 0]]), o(F, 2, 1), upper=True),
    lambda F: F.linalg.solve_triangular(F.zeros(2, 2), o(F, 2, 1), upper=True),
    lambda F: F.linalg.solve_triangular(F.zeros(2, 2), o(F, 1, 2), upper=False, left=False),
)


given(
    "nothing has factors, too",
    *[
        lambda F, name=name: getattr(F.linalg, name)(o(F, 0, 0))
        for name in ("inv", "det", "cholesky", "eigvalsh", "pinv")
    ],
    *[lambda F, name=name: list(getattr(F.linalg, name)(o(F, 0, 2, 2))) for name in ("slogdet", "qr", "eigh", "svd")],
    *[lambda F, name=name: list(getattr(F.linalg, name)(o(F, 0, 2))) for name in ("qr", "svd")],
    *[lambda F, mode=mode: list(F.linalg.qr(o(F, 3, 0), mode)) for mode in ("reduced", "complete")],
    lambda F: F.linalg.svdvals(o(F, 0, 0)),
    lambda F: F.linalg.solve(o(F, 0, 0), o(F, 0, 2)),
    lambda F: F.linalg.matrix_rank(o(F, 0, 0)),
    lambda F: F.linalg.cond(o(F, 0, 0)),
    lambda F: F.linalg.lstsq(o(F, 0, 2, 2), o(F, 0, 2, 1)).solution,
)

given(
    "which triangle is read",
    lambda F: F.linalg.cholesky(F.tensor([[4.0, 9], [2, 3]])),
    lambda F: F.linalg.cholesky(F.tensor([[4.0, 2], [9, 3]]), upper=True),
    lambda F: F.linalg.eigvalsh(F.tensor([[1.0, 9], [2, 3]])),
    lambda F: F.linalg.eigvalsh(F.tensor([[1.0, 9], [2, 3]]), "u"),
    lambda F: F.linalg.eigh(F.tensor([[1.0, 9], [2, 3]]), UPLO="U").eigenvalues,
    lambda F: F.linalg.solve_triangular(singular(F), o(F, 3, 1), upper=True),
    lambda F: F.linalg.solve_triangular(singular(F), o(F, 3, 1), upper=False, unitriangular=True),
)


@behaviours("the gradient of eigh, and its second one, are symmetric for what is not")
def _(F):
    x = F.tensor([[1.0, 0.3, -0.2], [0.5, 2.0, 0.1], [0.0, -0.4, 4.0]], dtype=F.float64, requires_grad=True)
    values, vectors = F.linalg.eigh(x)
    (first,) = F.autograd.grad((vectors**4).sum() + (values**3).sum(), x, create_graph=True)
    return [first, *F.autograd.grad((first * F.arange(9.0).view(3, 3)).sum(), x)]


@behaviours("the shapes of the results, and their names")
def _(F):
    tall = F.tensor([[1.0, 2], [3, 4], [5, 6.5]])
    made = {
        "svd": F.linalg.svd(tall),
        "reduced svd": F.linalg.svd(tall, full_matrices=False),
        "older svd": F.svd(tall, some=False),
        "older svd without vectors": F.svd(tall, compute_uv=False),
        "qr": F.linalg.qr(tall),
        "complete qr": F.linalg.qr(tall, mode="complete"),
        "r": F.linalg.qr(tall, mode="r"),
        "eigh": F.linalg.eigh(tall.T @ tall),
        "slogdet": F.linalg.slogdet(tall.T @ tall),
        "older slogdet": F.slogdet(tall.T @ tall),
        "lstsq": F.linalg.lstsq(tall, o(F, 3, 1)),
    }
    return {name: [type(found).__name__, [list(part.shape) for part in found]] for name, found in made.items()}


given(
    "least squares: solutions, residuals, rank, singular values",
    lambda F: list(F.linalg.lstsq(F.tensor([[1.0, 2], [3, 4], [5, 6.5]]), o(F, 3, 1))),
    lambda F: list(F.linalg.lstsq(F.tensor([[1.0, 2], [3, 4], [5, 6.5]]), o(F, 3, 1), driver="gelsd")),
    lambda F: list(F.linalg.lstsq(F.tensor([[1.0, 2, 5]]), o(F, 1, 1))),
    lambda F: list(F.linalg.lstsq(o(F, 2, 3, 2), o(F, 2, 3, 1))),
    lambda F: list(F.linalg.lstsq(F.eye(3), o(F, 3))),
)


@behaviours("a determinant's sign has no gradient, but a place in the graph")
def _(F):
    x = F.tensor([[2.0, 1], [1, 3]], requires_grad=True)
    sign, size = F.slogdet(x)
    return sign.grad_fn, size.grad_fn, sign, size, F.autograd.grad(sign + 0 * size, x)


# ---------------------------------------------------------------- norms

refused("norm", R, "linalg.matrix_norm: Order foo not supported.", lambda F: F.linalg.norm(o(F, 2, 3), "foo"))
refused("norm", R, "linalg.matrix_norm: Order 3 not supported.", lambda F: F.linalg.norm(o(F, 2, 3), 3))
refused(
    "norm",
    R,
    "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.",
    lambda F: F.linalg.norm(o(F, 3), "nuc"),
)
refused(
    "norm", R, "linalg.matrix_norm: dim must be a 2-tuple. Got 1", lambda F: F.linalg.norm(o(F, 2, 3), "fro", dim=1)
)
refused(
    "norm",
    R,
    "linalg.norm: If dim is specified, it must be of length 1 or 2. Got [0, 1, 2]",
    lambda F: F.linalg.norm(o(F, 2, 2, 2), 2, dim=(0, 1, 2)),
)
refused(
    "norm",
    R,
    "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D",
    lambda F: F.linalg.norm(o(F, 2, 2, 2), 2),
)
refused(
    "norm",
    R,
    "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long",
    lambda F: F.linalg.norm(o(F, 3, kind="int64")),
)
refused(
    "vector_norm",
    R,
    "linalg.vector_norm: dtype should be floating point or complex, but got Long",
    lambda F: F.linalg.vector_norm(o(F, 3), dtype=F.int64),
)
refused(
    "vector_norm",
    R,
    "linalg.vector_norm: the dtype of the input (Double) should be convertible",
    lambda F: F.linalg.vector_norm(o(F, 3, kind="float64"), dtype=F.float32),
)
refused(
    "vector_norm",
    R,
    "linalg.vector_norm cannot compute the inf norm on an empty tensor because the operation does not have an identity",
    lambda F: F.linalg.vector_norm(o(F, 0), INF),
)
refused(
    "vector_norm",
    R,
    "linalg.vector_norm cannot compute the -1 norm on an empty tensor because the operation does not have an identity",
    lambda F: F.linalg.vector_norm(o(F, 0), -1),
)
refused(
    "vector_norm",
    R,
    "linalg.vector_norm cannot compute the inf norm on the dimension 1because this dimension is empty",
    lambda F: F.linalg.vector_norm(o(F, 2, 0), INF, dim=1),
)
refused(
    "vector_norm",
    T,
    "linalg_vector_norm(): argument 'ord' (position 2) must be Number, not str",
    lambda F: F.linalg.vector_norm(o(F, 2, 3), "fro"),
)
refused(
    "vector_norm",
    R,
    "dim 0 appears multiple times in the list of dims",
    lambda F: F.linalg.vector_norm(o(F, 2, 3), dim=(0, 0)),
)
refused("matrix_norm", R, "linalg.matrix_norm: Order x not supported.", lambda F: F.linalg.matrix_norm(o(F, 2, 3), "x"))
refused(
    "matrix_norm",
    R,
    "linalg.matrix_norm: dims must be different. Got (0, 0)",
    lambda F: F.linalg.matrix_norm(o(F, 2, 3), dim=(0, 0)),
)
refused(
    "matrix_norm",
    T,
    "linalg_matrix_norm() received an invalid combination of arguments",
    lambda F: F.linalg.matrix_norm(o(F, 2, 3), dim=0),
)
refused(
    "matrix_norm",
    R,
    "linalg.matrix_norm: Expected a floating point or complex tensor as input. Got Long",
    lambda F: F.linalg.matrix_norm(o(F, 2, 3, kind="int64")),
)

ORDERS = (0, 0.5, 1, 2, 3, -1, INF, -INF)


@behaviours("vector norms and their gradients, at 0 and at ties")
def _(F):
    made = []
    for ord in ORDERS:
        x = F.tensor([[3.0, -3.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, -2.0]], requires_grad=True)
        out = F.linalg.vector_norm(x, ord, dim=1)
        made += [out, *F.autograd.grad(out.sum(), x, materialize_grads=True)]
    return made


@behaviours("matrix norms and their gradients, of any two dimensions, kept or not")
def _(F):
    made = []
    for ord in ("fro", "nuc", 2, -2, 1, -1, INF, -INF):
        for dim in ((-2, -1), (0, 2), (2, 0)):
            for keepdim in (False, True):
                x = F.arange(12.0, dtype=F.float64).view(2, 2, 3).sin().requires_grad_()
                out = F.linalg.matrix_norm(x, ord, dim, keepdim)
                made += [out, *F.autograd.grad(out.sum(), x)]
    return made


given(
    "norms of nothing, of numbers, in another dtype",
    lambda F: [
        F.linalg.vector_norm(o(F, 0)),
        F.linalg.vector_norm(F.tensor(-2.0), 3),
        F.linalg.vector_norm(o(F, 2, 0), INF, 0),
    ],
    lambda F: [F.linalg.matrix_norm(o(F, 0, 3), ord) for ord in ("fro", "nuc", 2, 1, INF)],
    lambda F: F.linalg.vector_norm(o(F, 2, 3), dtype=F.float64),
    lambda F: F.linalg.matrix_norm(o(F, 2, 3), dtype=F.float64),
    lambda F: F.linalg.vector_norm(o(F, 2, 3), dim=()),
    lambda F: [F.linalg.norm(o(F, 2, 2, 2)), F.linalg.norm(o(F, 3), 1), F.linalg.norm(o(F, 2, 3), INF, dim=(1, 0))],
)

test_as_in_torch = behaviours.test()


@pytest.mark.parametrize(
    "values", [[[1.0, 2, 3], [2, 4, 6], [1, 0, 1]], [[1.0, 1], [1, 1]], [[0.0, 0], [0, 0]], [[0.0]]]
)
def test_the_gradient_of_a_singular_determinant_is_its_cofactors(values: Any) -> None:
    """(PyTorch gives zeros for most of these; the determinant does change at the rate of the cofactors.)"""
    x = mg.tensor(values, dtype=mg.float64, requires_grad=True)
    (gradient,) = mg.autograd.grad(mg.det(x), x)
    for i, j in np.ndindex(x.shape):
        left = np.delete(np.delete(np.array(values), i, 0), j, 1)
        np.testing.assert_allclose(gradient.numpy()[i, j], (-1) ** (i + j) * np.linalg.det(left), atol=1e-12)


def test_products_take_transposed_operands_as_they_are() -> None:
    """One product in place of many, and none of the operands copied but where dimensions must be merged."""
    random = np.random.default_rng(0)
    q, k = (mg.tensor(random.standard_normal((2, 5, 3, 4))) for _ in range(2))
    scores = mg.einsum("bqhd,bkhd->bhqk", q, k)
    again = q.transpose(1, 2) @ k.permute(0, 2, 3, 1)
    np.testing.assert_allclose(scores.numpy(), again.numpy(), rtol=1e-12)
    np.testing.assert_allclose(scores.numpy(), np.einsum("bqhd,bkhd->bhqk", q.numpy(), k.numpy()), rtol=1e-12)


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_the_order_of_a_chain_is_the_cheapest(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from minigrad.ops.matrices import multi_dot

    sizes = [3, 40, 2, 50, 1, 30][: count + 1]
    matrices = [mg.ones(*pair) for pair in itertools.pairwise(sizes)]
    spent: list[int] = []
    multiply = multi_dot.mm

    def counted(a: mg.Tensor, b: mg.Tensor) -> mg.Tensor:
        spent.append(a.shape[0] * a.shape[1] * b.shape[1])
        return multiply(a, b)

    monkeypatch.setattr(multi_dot, "mm", counted)
    mg.linalg.multi_dot(matrices)
    assert sum(spent) == _least(tuple(sizes))


def _least(sizes: tuple[int, ...]) -> int:
    """The cost of the best of all orders, by trying which inner size is summed over first."""
    if len(sizes) < 3:
        return 0
    return min(
        sizes[i - 1] * sizes[i] * sizes[i + 1] + _least(sizes[:i] + sizes[i + 1 :]) for i in range(1, len(sizes) - 1)
    )

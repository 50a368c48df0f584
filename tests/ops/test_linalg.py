"""Products and linear algebra: what each refuses, in which words, and what it gives for singular, empty or odd input.

Which matrices have no inverse and what is said of them, and what the norms of nothing are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours, ours

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
refused("outer", R, "outer: Expected 1-D argument self, but got 2-D", lambda F: F.outer(o(F, 2, 3), o(F, 4)))

given(
    "products of integers, of numbers, of nothing",
    lambda F: F.bmm(o(F, 2, 2, 3, kind="int64"), o(F, 2, 3, 2, kind="int64")),
    lambda F: F.outer(o(F, 2), o(F, 3, kind="int64")),
    lambda F: F.dot(o(F, 0), o(F, 0)),
    lambda F: o(F, 2, 0, 3) @ o(F, 3, 2),
    lambda F: o(F, 0, 2, 3) @ o(F, 3),
)


# ---------------------------------------------------------------- what is no matrix, and what is no number

for name in ("inv", "det", "cholesky"):
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
for name in ("inv", "det", "cholesky"):
    says = f"linalg.{name}: Expected a floating point or complex tensor as input. Got Long"
    refused(name, R, says, lambda F, name=name: getattr(F.linalg, name)(o(F, 2, 2, kind="int64")))
refused(
    "solve",
    R,
    "linalg.solve: Incompatible shapes of A and B for the equation AX = B (3x3 and 2x1)",
    lambda F: F.linalg.solve(F.eye(3), o(F, 2)),
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
    "inv",
    R,
    "linalg.inv: Low precision dtypes not supported. Got Half",
    lambda F: F.linalg.inv(F.eye(2).half()),
)


@behaviours("matrices that are singular, not positive-definite or not finite: a LinAlgError says which and why")
def _(F):
    calls = {
        "inv": lambda: F.linalg.inv(singular(F)),
        "inv of a batch": lambda: F.linalg.inv(one_singular(F)),
        "solve": lambda: F.linalg.solve(singular(F), o(F, 3)),
        "solve of a batch": lambda: F.linalg.solve(one_singular(F), o(F, 2, 3, 1)),
        "cholesky": lambda: F.linalg.cholesky(F.tensor([[1.0, 2], [2, 1]])),
        "cholesky of order 3": lambda: F.linalg.cholesky(F.tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, -1]])),
        "cholesky of a batch": lambda: F.linalg.cholesky(one_singular(F)),
        "cholesky of nan": lambda: F.linalg.cholesky(F.eye(2) * NAN),
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
    "a system of nothing",
    lambda F: F.linalg.solve(o(F, 0, 0), o(F, 0, 2)),
)

given(
    "which triangle is read",
    lambda F: F.linalg.cholesky(F.tensor([[4.0, 9], [2, 3]])),
    lambda F: F.linalg.cholesky(F.tensor([[4.0, 2], [9, 3]]), upper=True),
)


# ---------------------------------------------------------------- norms

refused("norm", R, "linalg.matrix_norm: Order foo not supported.", lambda F: F.linalg.norm(o(F, 2, 3), "foo"))
refused(
    "norm", R, "linalg.matrix_norm: The input tensor A must have at least 2", lambda F: F.linalg.norm(o(F, 3), "fro")
)
refused("norm", R, "linalg.matrix_norm: Order 3 not supported.", lambda F: F.linalg.norm(o(F, 2, 3), 3))
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
    "linalg.norm: If dim is specified, it must be of length 1 or 2. Got []",
    lambda F: F.linalg.norm(o(F, 2, 3), dim=()),
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
    "norm",
    R,
    "linalg.vector_norm cannot compute the inf norm on an empty tensor because the operation does not have an identity",
    lambda F: F.linalg.norm(o(F, 0), INF),
)
refused(
    "norm",
    R,
    "linalg.vector_norm cannot compute the -1 norm on an empty tensor because the operation does not have an identity",
    lambda F: F.linalg.norm(o(F, 0), -1),
)
refused(
    "norm",
    R,
    "linalg.vector_norm cannot compute the inf norm on the dimension 1because this dimension is empty",
    lambda F: F.linalg.norm(o(F, 2, 0), INF, dim=1),
)
refused(
    "norm",
    R,
    "dim 0 appears multiple times in the list of dims",
    lambda F: F.linalg.norm(o(F, 2, 3), dim=(0, 0)),
)
ORDERS = (0, 0.5, 1, 2, 3, -1, INF, -INF)


@behaviours("vector norms and their gradients, at 0 and at ties")
def _(F):
    made = []
    for ord in ORDERS:
        x = F.tensor([[3.0, -3.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, -2.0]], requires_grad=True)
        out = F.linalg.norm(x, ord, dim=1)
        made += [out, *F.autograd.grad(out.sum(), x, materialize_grads=True)]
    return made


given(
    "norms of nothing, of numbers",
    lambda F: [
        F.linalg.norm(o(F, 0)),
        F.norm(F.tensor(-2.0), 3),
        F.linalg.norm(o(F, 2, 0), INF, 0),
    ],
    lambda F: [F.linalg.norm(o(F, 2, 2, 2)), F.linalg.norm(o(F, 3), 1)],
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

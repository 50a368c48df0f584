"""Products with vectors: vjp, jvp, vhp, hvp; and hessian."""

from __future__ import annotations

from typing import Any

from engine.functional.inputs import functional, matrix, vector
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours("vjp, jvp: values and nesting")
def _(F: Any) -> Any:
    A, w, x = functional(F), matrix(F), vector(F)
    v = F.tensor([1.0, -2.0])
    return [
        A.vjp(lambda w, x: w @ x, (w, x), v),
        A.vjp(lambda x: (x.sin(), x.sum()), x, (x, F.tensor(2.0))),
        A.vjp(lambda x: x.sum(), x),
        A.vjp(lambda x: (x * 2,), (x,), (x,)),
        A.jvp(lambda w, x: w @ x, (w, x), (w * 2, x * 3)),
        A.jvp(lambda x: (x.sin(), x.sum()), x, x),
        A.jvp(lambda x: x**3, F.tensor(2.0)),
        A.jvp(lambda x: (x * 2,), (x,), (x,)),
    ]


@behaviours("vhp, hvp, hessian: values and nesting")
def _(F: Any) -> Any:
    A, x = functional(F), vector(F)
    y = x + 3

    def f(x: Any, y: Any) -> Any:
        return (x**3 * y.sin()).sum()

    return [
        A.vhp(f, (x, y), (y, x)),
        A.hvp(f, (x, y), (y, x)),
        A.hessian(f, (x, y)),
        A.hessian(f, (x, y), vectorize=True),
        A.hessian(lambda x: (x**3).sum(), x),
        A.hessian(lambda x: (x**3).sum(), (x,)),
        A.hessian(lambda x: x**3, F.tensor([2.0])),
        A.vhp(lambda x: x**3, F.tensor(2.0)),
        A.hvp(lambda x: x**3, F.tensor(2.0)),
    ]


@behaviours("second derivatives of what is linear, or not used, are zeros")
def _(F: Any) -> Any:
    A, x = functional(F), vector(F)
    return [
        A.hessian(lambda x: x.sum(), x),
        A.hessian(lambda x: x.sum(), x, vectorize=True),
        A.vhp(lambda x, y: x.sum(), (x, x), (x, x)),
        A.hvp(lambda x, y: (x**2).sum(), (x, x), (x, x)),
        A.jvp(lambda x: F.ones(2), x, x),
        A.vjp(lambda x: F.ones(2), x, F.ones(2)),
    ]


@behaviours("create_graph: products can be differentiated")
def _(F: Any) -> Any:
    A, x = functional(F), vector(F, True)
    v = F.tensor([1.0, 2.0, 3.0], requires_grad=True)
    results = [
        A.vjp(lambda x: x**3, x, v, create_graph=True),
        A.jvp(lambda x: x**3, x, v, create_graph=True),
        A.vhp(lambda x: (x**3).sum(), x, v, create_graph=True),
        A.hvp(lambda x: (x**3).sum(), x, v, create_graph=True),
    ]
    return [[r, F.autograd.grad(r[1].sum(), (x, v))] for r in results]


@behaviours(
    "H03: vjp without v",
    error=RuntimeError,
    says="The vector v can only be None if the user-provided function returns a single Tensor with a single element.",
)
def _(F: Any) -> Any:
    functional(F).vjp(lambda x: x, vector(F))


for _name in ("jvp", "vhp", "hvp"):

    @behaviours(
        f"H03: {_name} without v",
        error=RuntimeError,
        says="The vector v can only be None if the input to the "
        "user-provided function is a single Tensor with a single element.",
    )
    def _(F: Any, name: str = _name) -> Any:
        getattr(functional(F), name)(lambda x: x.sum(), vector(F))


behaviours.table(
    ("H03: v of another size", lambda F: functional(F).vjp(lambda x: x, vector(F), F.ones(2)),
     RuntimeError, "v has invalid size: should be torch.Size([3]) but got torch.Size([2])."),
    ("v of another size in a tuple",
     lambda F: functional(F).jvp(lambda x, y: x, (vector(F), vector(F)), (vector(F), F.ones(2))),
     RuntimeError, "Entry 1 in v has invalid size: should be"),
    ("too many v", lambda F: functional(F).vjp(lambda x: x, vector(F), (vector(F), vector(F))),
     RuntimeError, "The given v should contain a single Tensor."),
    ("too few v", lambda F: functional(F).jvp(lambda x, y: x, (vector(F), vector(F)), vector(F)),
     RuntimeError, "v is a tuple of invalid length: should be 2 but got 1."),
    ("v that is no tensor", lambda F: functional(F).vhp(lambda x: x.sum(), vector(F), 1.0),
     TypeError, "The v given to vhp must be either a Tensor or a tuple"),
)  # fmt: skip


test_as_in_torch = behaviours.test()

"""What `autograd.functional` refuses, and what `strict` asks for."""

from __future__ import annotations

from typing import Any

from engine.functional.inputs import functional, vector
from helpers.side_by_side import Behaviours

behaviours = Behaviours()


@behaviours(
    "H03: inputs must be tensors",
    error=TypeError,
    says="The inputs given to jacobian must be either a Tensor "
    "or a tuple of Tensors but the given inputs has type <class 'int'>.",
)
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: x, 3)


@behaviours(
    "H03: all of them",
    error=TypeError,
    says="The inputs given to hessian must be either a Tensor or a tuple "
    "of Tensors but the value at index 1 has type <class 'float'>.",
)
def _(F: Any) -> Any:
    functional(F).hessian(lambda x, y: x, (vector(F), 3.0))


@behaviours("a list of inputs is not a tuple", error=TypeError, says="The inputs given to vjp must be")
def _(F: Any) -> Any:
    functional(F).vjp(lambda x: x, [vector(F)])


@behaviours(
    "outputs must be tensors",
    error=TypeError,
    says="The outputs of the user-provided function given to "
    "jacobian must be either a Tensor or a tuple of Tensors but the given outputs of the user-provided function "
    "has type <class 'list'>.",
)
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: [x], vector(F))


behaviours.table(
    ("a number as output", lambda F: functional(F).vjp(lambda x: 3.0, vector(F)),
     TypeError, "The outputs of the user-provided function given to vjp must"),
    ("inputs of integers", lambda F: functional(F).jacobian(lambda x: x * 2.0, F.tensor([1, 2])),
     RuntimeError, "only Tensors of floating point"),
    ("an in-place change of the input", lambda F: functional(F).jacobian(lambda x: x.mul_(2), vector(F)),
     RuntimeError, "a leaf Variable that requires grad"),
    ("H03: a Hessian wants one number", lambda F: functional(F).hessian(lambda x: x * 2, vector(F)),
     RuntimeError, "The Tensor returned by the function given to hessian should contain a single element"),
)  # fmt: skip


for _name in ("hessian", "vhp", "hvp"):

    @behaviours(f"{_name}: a single tensor", error=RuntimeError, says=f"The function given to {_name} should return a")
    def _(F: Any, name: str = _name) -> Any:
        getattr(functional(F), name)(lambda x: (x.sum(),), F.ones(1))

    @behaviours(f"{_name}: no tensor", error=RuntimeError, says=f"The function given to {_name} should return a single")
    def _(F: Any, name: str = _name) -> Any:
        getattr(functional(F), name)(lambda x: (), F.ones(1))


for _name in ("vhp", "hvp"):

    @behaviours(
        f"{_name}: one number", error=RuntimeError, says=f"The Tensor returned by the function given to {_name}"
    )
    def _(F: Any, name: str = _name) -> Any:
        getattr(functional(F), name)(lambda x: x * 2, vector(F), vector(F))


@behaviours(
    "strict with vectorize",
    error=RuntimeError,
    says="torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together.",
)
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: x * 2, vector(F), strict=True, vectorize=True)


behaviours.table(
    ("strict: an output without a graph",
     lambda F: functional(F).jacobian(lambda x: (x * 2, F.ones(2)), vector(F), strict=True),
     RuntimeError, "Output 1 of the user-provided function does not require gradients."),
    ("strict: an input that is not used",
     lambda F: functional(F).jacobian(lambda x, y: x * 2, (vector(F), vector(F)), strict=True),
     RuntimeError, "Output 0 of the user-provided function is independent of input 1."),
    ("strict: a Jacobian that does not depend on the input",
     lambda F: functional(F).jacobian(lambda x: x * 2, vector(F, True), strict=True, create_graph=True),
     RuntimeError, "The jacobian of the user-provided function is independent of input 0."),
    ("strict vjp: an input that is not used",
     lambda F: functional(F).vjp(lambda x, y: x.sum(), (vector(F), vector(F)), strict=True),
     RuntimeError, "The output of the user-provided function is independent of input 1."),
    ("strict vjp with create_graph: linear",
     lambda F: functional(F).vjp(lambda x: x.sum(), vector(F, True), strict=True, create_graph=True),
     RuntimeError, "The jacobian of the user-provided function is independent of input 0."),
    ("strict jvp: an input that is not used",
     lambda F: functional(F).jvp(lambda x, y: x.sum(), (vector(F), vector(F)), (vector(F), vector(F)), strict=True),
     RuntimeError, "The output of the user-provided function is independent of input 1."),
)  # fmt: skip


@behaviours(
    "strict hessian: a linear function",
    error=RuntimeError,
    says="While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input 0 is independent of the input.",
)
def _(F: Any) -> Any:
    functional(F).hessian(lambda x: x.sum(), vector(F), strict=True)


for _name in ("vhp", "hvp"):

    @behaviours(
        f"strict {_name}: a linear function", error=RuntimeError, says="While computing the hessian, found that"
    )
    def _(F: Any, name: str = _name) -> Any:
        getattr(functional(F), name)(lambda x: x.sum(), vector(F), vector(F), strict=True)


@behaviours("strict passes where all depends on all")
def _(F: Any) -> Any:
    A, x = functional(F), vector(F, True)
    return [
        A.jacobian(lambda x: x**3, x, strict=True, create_graph=True),
        A.hessian(lambda x: (x**3).sum(), x, strict=True, create_graph=True),
        A.vjp(lambda x: x**3, x, x, strict=True, create_graph=True),
        A.jvp(lambda x: x**3, x, x, strict=True, create_graph=True),
        A.vhp(lambda x: (x**3).sum(), x, x, strict=True, create_graph=True),
        A.hvp(lambda x: (x**3).sum(), x, x, strict=True, create_graph=True),
    ]


test_as_in_torch = behaviours.test()

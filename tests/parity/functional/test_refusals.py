"""What `autograd.functional` refuses, and what `strict` asks for."""

from __future__ import annotations

from typing import Any

from parity.functional.inputs import functional, vector
from side_by_side import Behaviours

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


@behaviours("a number as output", error=TypeError, says="The outputs of the user-provided function given to vjp must")
def _(F: Any) -> Any:
    functional(F).vjp(lambda x: 3.0, vector(F))


@behaviours("inputs of integers", error=RuntimeError, says="only Tensors of floating point")
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: x * 2.0, F.tensor([1, 2]))


@behaviours("an in-place change of the input", error=RuntimeError, says="a leaf Variable that requires grad")
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: x.mul_(2), vector(F))


@behaviours(
    "H03: a Hessian wants one number",
    error=RuntimeError,
    says="The Tensor returned by the function given to hessian should contain a single element",
)
def _(F: Any) -> Any:
    functional(F).hessian(lambda x: x * 2, vector(F))


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


@behaviours(
    "strict: an output without a graph",
    error=RuntimeError,
    says="Output 1 of the user-provided function does not require gradients.",
)
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: (x * 2, F.ones(2)), vector(F), strict=True)


@behaviours(
    "strict: an input that is not used",
    error=RuntimeError,
    says="Output 0 of the user-provided function is independent of input 1.",
)
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x, y: x * 2, (vector(F), vector(F)), strict=True)


@behaviours(
    "strict: a Jacobian that does not depend on the input",
    error=RuntimeError,
    says="The jacobian of the user-provided function is independent of input 0.",
)
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: x * 2, vector(F, True), strict=True, create_graph=True)


@behaviours(
    "strict vjp: an input that is not used",
    error=RuntimeError,
    says="The output of the user-provided function is independent of input 1.",
)
def _(F: Any) -> Any:
    functional(F).vjp(lambda x, y: x.sum(), (vector(F), vector(F)), strict=True)


@behaviours(
    "strict vjp with create_graph: linear",
    error=RuntimeError,
    says="The jacobian of the user-provided function is independent of input 0.",
)
def _(F: Any) -> Any:
    functional(F).vjp(lambda x: x.sum(), vector(F, True), strict=True, create_graph=True)


@behaviours(
    "strict jvp: an input that is not used",
    error=RuntimeError,
    says="The output of the user-provided function is independent of input 1.",
)
def _(F: Any) -> Any:
    functional(F).jvp(lambda x, y: x.sum(), (vector(F), vector(F)), (vector(F), vector(F)), strict=True)


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

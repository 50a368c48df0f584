"""`autograd.functional` and batched gradients, as in PyTorch: values, shapes, nesting, graphs and errors."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from side_by_side import Behaviours

import minigrad

behaviours = Behaviours()

X = [0.5, -1.0, 2.0]
W = [[1.0, 2.0, -1.0], [0.5, -0.5, 3.0]]


def vector(F: Any, requires_grad: bool = False) -> Any:
    return F.tensor(X, requires_grad=requires_grad)


def matrix(F: Any) -> Any:
    return F.tensor(W)


def functional(F: Any) -> Any:
    return F.autograd.functional


def both_ways(F: Any, f: Any, inputs: Any) -> Any:
    """A Jacobian row by row, all rows at once, and by columns."""
    jacobian = functional(F).jacobian
    return [jacobian(f, inputs), jacobian(f, inputs, vectorize=True)]


# ---------------------------------------------------------------- jacobian


@behaviours("H02: the Jacobian has the shape of the output, then of the input")
def _(F: Any) -> Any:
    return both_ways(F, lambda x: matrix(F) * x, vector(F))


@behaviours("a number by a number, a number by a vector, a vector by a number")
def _(F: Any) -> Any:
    return [
        both_ways(F, lambda x: x**3, F.tensor(2.0)),
        both_ways(F, lambda x: x.sum(), vector(F)),
        both_ways(F, lambda x: x * vector(F), F.tensor(2.0)),
    ]


@behaviours("H02: one output, several inputs")
def _(F: Any) -> Any:
    return both_ways(F, lambda w, x: w @ x, (matrix(F), vector(F)))


@behaviours("H02: several outputs, one input")
def _(F: Any) -> Any:
    return both_ways(F, lambda x: (x.exp(), x.sum()), vector(F))


@behaviours("H02: several outputs, several inputs")
def _(F: Any) -> Any:
    return both_ways(F, lambda w, x: (w @ x, w.sum() * x, x), (matrix(F), vector(F)))


@behaviours("H02: tuples of one stay tuples")
def _(F: Any) -> Any:
    return both_ways(F, lambda x: (x * 2,), (vector(F),))


@behaviours("independent of an input: zeros")
def _(F: Any) -> Any:
    return both_ways(F, lambda x, y: (x * 2, F.ones(2)), (vector(F), F.ones(2)))


@behaviours("independent of everything: zeros")
def _(F: Any) -> Any:
    return both_ways(F, lambda x: F.ones(2), vector(F))


@behaviours("an output of integers: zeros")
def _(F: Any) -> Any:
    return functional(F).jacobian(lambda x: x.int(), vector(F))


@behaviours("by columns: strategy='forward-mode'")
def _(F: Any) -> Any:
    jacobian = functional(F).jacobian
    forward = {"vectorize": True, "strategy": "forward-mode"}
    warnings.simplefilter("ignore")  # torch's own machinery warns of its own deprecations
    return [
        jacobian(lambda x: (matrix(F) * x).sin(), vector(F), **forward),
        jacobian(lambda w, x: (w @ x, x.exp()), (matrix(F), vector(F)), **forward),
        jacobian(lambda x: F.ones(2), vector(F), **forward),
    ]


@behaviours("softmax, indexing, joining, reductions: all rows at once")
def _(F: Any) -> Any:
    x = F.tensor([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
    return [
        both_ways(F, f, x)
        for f in (
            lambda x: F.softmax(x, dim=-1),
            lambda x: F.log_softmax(x, dim=0),
            lambda x: x[1],
            lambda x: x[:, [0, 0, 2]],
            lambda x: x[[0, 1], [2, 2]],
            lambda x: F.cat([x, x * 2], dim=1),
            lambda x: F.stack([x, x * 2], dim=1),
            lambda x: x.mean(0) + x.std(1).sum(),
            lambda x: x.max(1)[0],
            lambda x: x.t().reshape(-1),
            lambda x: x.prod(1),
            lambda x: F.relu(x) @ x.t(),
            lambda x: x.cumsum(1),
        )
    ]


@behaviours("the result has no graph unless create_graph; then it has")
def _(F: Any) -> Any:
    x = vector(F, requires_grad=True)
    jacobian = functional(F).jacobian
    plain = jacobian(lambda x: x**2, x)
    recorded = [jacobian(lambda x: x**2, x, create_graph=True, vectorize=way) for way in (False, True)]
    return [plain, recorded, [F.autograd.grad(r.sum(), x)[0] for r in recorded]]


@behaviours("H04: .grad stays untouched")
def _(F: Any) -> Any:
    x = vector(F, requires_grad=True)
    functional(F).jacobian(lambda x: x**2, x)
    functional(F).hessian(lambda x: (x**2).sum(), x, vectorize=True)
    functional(F).vjp(lambda x: (x**2).sum(), x)
    return x.grad


@behaviours("float64 stays float64")
def _(F: Any) -> Any:
    return both_ways(F, lambda x: x.sin(), F.tensor(X, dtype=F.float64))


@behaviours("under no_grad as well")
def _(F: Any) -> Any:
    with F.no_grad():
        return [both_ways(F, lambda x: x.sin(), vector(F)), functional(F).hessian(lambda x: x.sin().sum(), vector(F))]


@behaviours("a custom Function on the way")
def _(F: Any) -> Any:
    class Square(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 2 * x

    return both_ways(F, lambda x: Square.apply(x).sin(), vector(F))


@behaviours("a loop of dimensions of size 1 and 0-d parts")
def _(F: Any) -> Any:
    return both_ways(F, lambda x: (x.unsqueeze(0) * x.unsqueeze(1)).sum(0, keepdim=True).squeeze(), vector(F))


# ---------------------------------------------------------------- errors


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


for _name in ("vhp", "hvp"):

    @behaviours(
        f"{_name}: one number", error=RuntimeError, says=f"The Tensor returned by the function given to {_name}"
    )
    def _(F: Any, name: str = _name) -> Any:
        getattr(functional(F), name)(lambda x: x * 2, vector(F), vector(F))


@behaviours("unknown strategy", error=AssertionError, says="Expected strategy to be either")
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: x, vector(F), strategy="sideways")


@behaviours("unknown outer strategy", error=AssertionError, says="Expected strategy to be either")
def _(F: Any) -> Any:
    functional(F).hessian(lambda x: x.sum(), vector(F), outer_jacobian_strategy="sideways")


@behaviours("forward-mode without vectorize", error=NotImplementedError, says="Computing Jacobian using forward-AD or")
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: x, vector(F), strategy="forward-mode")


@behaviours(
    "forward-mode with create_graph",
    error=NotImplementedError,
    says='torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"`',
)
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: x, vector(F), create_graph=True, strategy="forward-mode")


@behaviours(
    "forward-mode with strict",
    error=RuntimeError,
    says='torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"`',
)
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: x, vector(F), strict=True, strategy="forward-mode")


@behaviours(
    "strict with vectorize",
    error=RuntimeError,
    says="torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together.",
)
def _(F: Any) -> Any:
    functional(F).jacobian(lambda x: x * 2, vector(F), strict=True, vectorize=True)


# ---------------------------------------------------------------- strict


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


# ---------------------------------------------------------------- products with vectors


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

    by_columns = A.hessian(f, (x, y), vectorize=True, outer_jacobian_strategy="forward-mode")
    return [
        A.vhp(f, (x, y), (y, x)),
        A.hvp(f, (x, y), (y, x)),
        A.hessian(f, (x, y)),
        A.hessian(f, (x, y), vectorize=True),
        [[part.detach() for part in row] for row in by_columns],  # PyTorch leaves a graph on these
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


@behaviours(
    "H03: v of another size",
    error=RuntimeError,
    says="v has invalid size: should be torch.Size([3]) but got torch.Size([2]).",
)
def _(F: Any) -> Any:
    functional(F).vjp(lambda x: x, vector(F), F.ones(2))


@behaviours("v of another size in a tuple", error=RuntimeError, says="Entry 1 in v has invalid size: should be")
def _(F: Any) -> Any:
    functional(F).jvp(lambda x, y: x, (vector(F), vector(F)), (vector(F), F.ones(2)))


@behaviours("too many v", error=RuntimeError, says="The given v should contain a single Tensor.")
def _(F: Any) -> Any:
    functional(F).vjp(lambda x: x, vector(F), (vector(F), vector(F)))


@behaviours("too few v", error=RuntimeError, says="v is a tuple of invalid length: should be 2 but got 1.")
def _(F: Any) -> Any:
    functional(F).jvp(lambda x, y: x, (vector(F), vector(F)), vector(F))


@behaviours("v that is no tensor", error=TypeError, says="The v given to vhp must be either a Tensor or a tuple")
def _(F: Any) -> Any:
    functional(F).vhp(lambda x: x.sum(), vector(F), 1.0)


# ---------------------------------------------------------------- grad(is_grads_batched=True)


def graph(F: Any) -> tuple[Any, Any]:
    x = vector(F, requires_grad=True)
    return x, (x * 2).sin()


@behaviours("batched: a Jacobian by one call")
def _(F: Any) -> Any:
    x, y = graph(F)
    return F.autograd.grad(y, x, F.eye(3), is_grads_batched=True)


@behaviours("batched: several outputs and inputs, one unused")
def _(F: Any) -> Any:
    x, y = graph(F)
    z, w = vector(F, True), vector(F, True)
    outputs = (y, (x * z).sum())
    weights = (F.eye(3), F.tensor([1.0, 2.0, 3.0]))
    grad = F.autograd.grad
    return [
        grad(outputs, (x, z, w), weights, retain_graph=True, is_grads_batched=True, allow_unused=True),
        grad(outputs, (x, z, w), weights, is_grads_batched=True, materialize_grads=True),
    ]


@behaviours("batched: create_graph")
def _(F: Any) -> Any:
    x, y = graph(F)
    (found,) = F.autograd.grad(y, x, F.eye(3), is_grads_batched=True, create_graph=True)
    return [found, F.autograd.grad(found.sum(), x)]


@behaviours("batched: an output that is the input, or sought on the way")
def _(F: Any) -> Any:
    x, _ = graph(F)
    middle = x * 3
    y = middle.exp()
    return F.autograd.grad((x, y), (x, middle), (F.eye(3), F.eye(3) * 2), is_grads_batched=True)


@behaviours("batched: gradients of another dtype", warns=())
def _(F: Any) -> Any:
    x, y = graph(F)
    return F.autograd.grad(y, x, F.eye(3, dtype=F.float64), is_grads_batched=True)


@behaviours("batched: hooks see and change each gradient")
def _(F: Any) -> Any:
    x, _ = graph(F)
    x.register_hook(lambda g: g * 10)
    y = x * 2
    y.register_hook(lambda g: g + 1)
    return F.autograd.grad(y, x, F.eye(3), is_grads_batched=True)


@behaviours(
    "batched: the graph is freed", error=RuntimeError, says="Trying to backward through the graph a second time"
)
def _(F: Any) -> Any:
    x, y = graph(F)
    for _ in range(2):
        F.autograd.grad(y, x, F.eye(3), is_grads_batched=True)


@behaviours(
    "batched: sizes that do not fit",
    error=RuntimeError,
    says="If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension.",
)
def _(F: Any) -> Any:
    x, y = graph(F)
    F.autograd.grad(y, x, F.ones(2, 4), is_grads_batched=True)


@behaviours("batched: no first dimension", error=IndexError, says="invalid index of a 0-dim tensor")
def _(F: Any) -> Any:
    x, y = graph(F)
    F.autograd.grad(y.sum(), x, F.tensor(1.0), is_grads_batched=True)


@behaviours(
    "batched: batches of different sizes",
    error=ValueError,
    says="vmap: Expected all tensors to have the same size in the mapped dimension, got sizes [3, 2]",
)
def _(F: Any) -> Any:
    x, y = graph(F)
    F.autograd.grad((y, y * 2), x, (F.eye(3), F.ones(2, 3)), is_grads_batched=True)


@behaviours("batched: an empty batch", error=IndexError, says="index 0 is out of bounds for dimension 0 with size 0")
def _(F: Any) -> Any:
    x, y = graph(F)
    F.autograd.grad(y, x, F.ones(0, 3), is_grads_batched=True)


@behaviours("batched: None", error=ValueError, says="vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input")
def _(F: Any) -> Any:
    x, y = graph(F)
    F.autograd.grad(y.sum(), x, is_grads_batched=True)


@behaviours(
    "batched: an input that was not used",
    error=RuntimeError,
    says="The differentiated Tensor at index 1 appears to not have been used in the graph.",
)
def _(F: Any) -> Any:
    x, y = graph(F)
    F.autograd.grad(y, (x, vector(F, True)), F.eye(3), is_grads_batched=True)


@behaviours("batched: custom Functions that no gradient reaches")
def _(F: Any) -> Any:
    class Double(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    class First(F.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, *others: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None, None

    x, _ = graph(F)
    y = x * 3
    return F.autograd.grad(First.apply(y, Double.apply(x), Double.apply(x)), x, F.eye(3), is_grads_batched=True)


test_as_in_torch = behaviours.test()


def test_hooks_see_one_gradient_after_the_other() -> None:
    """In PyTorch they are called once, with a tensor of a kind of its own that stands for all."""
    x = minigrad.tensor(X, requires_grad=True)
    seen: list[Any] = []
    x.register_hook(lambda g: seen.append(g.tolist()))
    y = x * 2
    minigrad.autograd.grad(y, x, minigrad.eye(3), is_grads_batched=True)
    assert seen == [[2, 0, 0], [0, 2, 0], [0, 0, 2]]


def test_one_pass_takes_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    node = type(minigrad.ones(2, requires_grad=True).exp().grad_fn)
    original, shapes = node.apply_batched, []

    def noted(self: Any, g: Any) -> Any:
        shapes.append(g.array.shape)
        return original(self, g)

    monkeypatch.setattr(node, "apply_batched", noted)
    functional(minigrad).jacobian(lambda x: x.exp(), minigrad.ones(70), vectorize=True)
    assert shapes == [(70, 70)]
    functional(minigrad).jacobian(lambda x: x.exp(), minigrad.ones(70))
    assert shapes[1:] == [(32, 70), (32, 70), (6, 70)]


def test_jacobians_of_nothing_are_empty() -> None:
    """PyTorch raises errors about stacking nothing."""
    jacobian = functional(minigrad).jacobian
    for vectorize in (False, True):
        assert jacobian(lambda x: x[:0], minigrad.ones(3), vectorize=vectorize).shape == (0, 3)
        assert jacobian(lambda x: x * 2, minigrad.ones(0), vectorize=vectorize).shape == (0, 0)
        assert jacobian(lambda x: x.sum(), minigrad.ones(0), vectorize=vectorize).shape == (0,)
        assert jacobian(lambda x: (), minigrad.ones(3), vectorize=vectorize) == ()
    forward = {"vectorize": True, "strategy": "forward-mode"}
    assert jacobian(lambda x: x * 2, minigrad.ones(0), **forward).shape == (0, 0)
    assert jacobian(lambda x: x[:0], minigrad.ones(3), **forward).shape == (0, 3)


def test_anomaly_mode_goes_row_by_row() -> None:
    x = minigrad.tensor([0.0, 1.0], requires_grad=True)
    minigrad.autograd.set_detect_anomaly(True)
    try:
        y = x.sqrt()
        with (
            pytest.warns(UserWarning, match="Error detected in SqrtBackward0"),
            pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output"),
        ):
            minigrad.autograd.grad(y, x, minigrad.zeros(2, 2), is_grads_batched=True)
    finally:
        minigrad.autograd.set_detect_anomaly(False)

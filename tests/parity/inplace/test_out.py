"""`out=`: returned, written, resized and counted; other dtypes and tensors that require grad are refused (D05)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parity.inplace.effects import ALL_CASTS, COMPARISONS, OVERWRITTEN, gradients, graph, grid, state, tried
from side_by_side import Behaviours

behaviours = Behaviours()


RESIZED = "UserWarning: An output with one or more elements was resized since it had shape "
INTO: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda F, a, out: F.add(a, 2, out=out),
    "sub": lambda F, a, out: F.sub(a, a.detach(), out=out),
    "mul": lambda F, a, out: F.mul(a, 3.0, out=out),
    "div": lambda F, a, out: F.div(a, 4, out=out),
    "pow": lambda F, a, out: F.pow(a, 2, out=out),
    "matmul": lambda F, a, out: F.matmul(a, a.detach(), out=out),
    "mm": lambda F, a, out: F.mm(a, a.detach(), out=out),
    "sum": lambda F, a, out: F.sum(a, 0, out=out),
    "mean": lambda F, a, out: F.mean(a, 1, True, out=out),
    "max": lambda F, a, out: F.max(a, out=out),
    "cat": lambda F, a, out: F.cat([a, a.detach()], 1, out=out),
    "stack": lambda F, a, out: F.stack([a, a.detach()], out=out),
    "where": lambda F, a, out: F.where(a > 2, a, a.detach(), out=out),
    **{
        function: lambda F, a, out, function=function: getattr(F, function)(a, out=out)
        for function in ("neg", "reciprocal", "exp", "log", "sqrt", "abs", "sign", "sin", "cos", "tanh", "sigmoid")
    },
}
WRONG_OUT = (
    *ALL_CASTS,
    "Expected out tensor to have dtype float, but got ",
    "Expected out type to be Float but got ",
    "Expected canCast(",
    "Found dtype ",
    "torch.cat(): input types can't be cast to the desired output type ",
)


def into(function: str, write: Callable[[Any, Any, Any], Any]) -> None:
    @behaviours(f"D05: {function}(out=) returns out, written and counted")
    def _(F):
        a = F.tensor([[1.0, 2.0], [3.0, 4.0]])
        shape = write(F, a, F.tensor([])).shape
        out = F.zeros(shape)
        view = out.view(-1)
        return write(F, a, out) is out, state(out, view)

    @behaviours(f"D05: {function}(out=) gives an empty tensor the right shape without a word")
    def _(F):
        out = F.tensor([])
        return write(F, F.tensor([[1.0, 2.0], [3.0, 4.0]]), out) is out, out.shape, state(out)

    @behaviours(f"D05: {function}(out=) resizes an out of another shape, with a warning", warns=(RESIZED + "[7]",))
    def _(F):
        out = F.zeros(7)
        return write(F, F.tensor([[1.0, 2.0], [3.0, 4.0]]), out) is out, out.shape, state(out)

    @behaviours(f"I04: {function}(out=) casts or refuses")
    def _(F):
        a = F.tensor([[1.0, 2.0], [3.0, 4.0]])
        return [
            tried(lambda kind=kind: state(write(F, a, F.tensor([], dtype=getattr(F, kind)))), *WRONG_OUT)
            for kind in ("bool", "int32", "int64", "float64")
        ]

    @behaviours(
        f"D05: {function}(out=) with an input that requires grad is refused",
        error=RuntimeError,
        says=f"{function}(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad.",
    )
    def _(F):
        write(F, F.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), F.tensor([]))

    @behaviours(
        f"D05: {function}(out=) with an out that requires grad is refused",
        error=RuntimeError,
        says=f"{function}(): functions with out=... arguments don't support automatic differentiation",
    )
    def _(F):
        write(F, F.tensor([[1.0, 2.0], [3.0, 4.0]]), F.tensor([], requires_grad=True))

    @behaviours(f"D05: {function}(out=) under no_grad takes any tensors")
    def _(F):
        a, out = F.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), F.tensor([], requires_grad=True)
        with F.no_grad():
            return write(F, a, out) is out, state(a, out)


for function, write in INTO.items():
    into(function, write)


@behaviours("D05: max(dim, out=) writes both its answers")
def _(F):
    values, indices = F.tensor([]), F.tensor([], dtype=F.int64)
    answer = F.max(F.tensor([[1.0, 5.0], [3.0, 4.0]]), 1, out=(values, indices))
    return answer.values is values, answer.indices is indices, state(values, indices)


@behaviours("D05: out may be an input")
def _(F):
    a = F.tensor([[1.0, 2.0], [3.0, 4.0]])
    F.add(a, a, out=a)
    F.exp(a, out=a)
    return state(a)


@behaviours("D05: out may be a view, which writes into its base")
def _(F):
    base = F.zeros(2, 3)
    F.mul(F.tensor([1.0, 2.0]), 3.0, out=base.t()[1])
    F.sum(F.ones(2, 3), 0, out=base[0])
    return state(base)


@behaviours("D05: what a graph saved may not be written to with out= either")
def _(F):
    x, a = grid(F), F.ones(2, 3)
    y = x * a
    F.add(a, 1, out=a)
    text = f"{OVERWRITTEN}[torch.FloatTensor [2, 3]] is at version 1; expected version 0 instead."
    return tried(lambda: gradients(F, y, x), text)


@behaviours("D05: out=None is as if it were not there")
def _(F):
    x = grid(F)
    y = F.exp(F.add(x, x, out=None), out=None)
    return graph(y), gradients(F, y, x)


@behaviours("D05: out has to be a tensor", error=TypeError, says="add(): argument 'out' must be Tensor, not list")
def _(F):
    F.add(F.ones(2), F.ones(2), out=[0.0, 0.0])


@behaviours("D05: comparisons write into an out of any dtype")
def _(F):
    a, outcomes = F.tensor([1.0, 2.0, 3.0]), []
    for kind in ("bool", "int64", "float32"):
        for function in COMPARISONS:
            out = F.tensor([], dtype=getattr(F, kind))
            outcomes.append([getattr(F, function)(a, 2.0, out=out) is out, state(out)])
    return outcomes


test_as_in_torch = behaviours.test()

"""Backward hooks of modules: which gradients they see, what they may return, what may not be written to."""

from __future__ import annotations

from typing import Any

from helpers.side_by_side import Behaviours
from nn.module.networks import kind, linear

behaviours = Behaviours()


@behaviours("H01: a full backward hook sees gradients of inputs and outputs")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((kind(module), grad_in, grad_out)))
    x = F.tensor([[1.0, -1.0]], requires_grad=True)
    y = m(x)
    (y**2).sum().backward()
    return [log, x.grad, m.weight.grad, y.grad_fn, x.is_leaf]


@behaviours("H02: what it returns takes the gradient's place")
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_full_backward_hook(lambda module, grad_in, grad_out: (grad_in[0] * 10,))
    m.register_full_backward_hook(lambda module, grad_in, grad_out: (grad_in[0] + 1,))
    m.register_full_backward_hook(lambda module, grad_in, grad_out: (grad_in[0] + 5,), prepend=True)
    x = F.tensor([[1.0, -1.0]], requires_grad=True)
    m(x).sum().backward()
    return x.grad, m.weight.grad


@behaviours("H03: a pre hook changes the gradient of the outputs")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_full_backward_pre_hook(lambda module, grad_out: (grad_out[0] * 2,))
    m.register_full_backward_pre_hook(lambda module, grad_out: log.append(grad_out))
    m.register_full_backward_pre_hook(lambda module, grad_out: log.append("first"), prepend=True)
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x = F.tensor([[1.0, -1.0]], requires_grad=True)
    m(x).sum().backward()
    return [log, x.grad, m.bias.grad]


def two(F: Any) -> Any:
    class Two(F.nn.Module):
        def forward(self, x: Any, n: int, y: Any) -> Any:
            return x * n, "text", y * x

    return Two()


@behaviours("H04: several inputs and outputs, with None for what is not a tensor")
def _(F: Any) -> Any:
    m, log = two(F), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x, y = F.tensor([1.0], requires_grad=True), F.tensor([2.0])
    first, text, second = m(x, 3, y)
    (first + second).sum().backward()
    return [log, x.grad, text]


@behaviours("H05: an output that is not used has None")
def _(F: Any) -> Any:
    m, log = two(F), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x, y = F.tensor([1.0], requires_grad=True), F.tensor([2.0], requires_grad=True)
    m(x, 3, y)[0].sum().backward()
    return [log, x.grad, y.grad]


@behaviours(
    "H06: without inputs that need a gradient it fires at the outputs",
    warns=(
        "UserWarning: Full backward hook is firing when gradients are computed with respect to module outputs since ",
    ),
)
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    m(F.ones(1, 2)).sum().backward()
    return [log, m.bias.grad]


@behaviours(
    "H07: there it may return None only",
    error=RuntimeError,
    says="Backward hook for Modules where no input requires gradient should always return None",
    warns=("UserWarning: Full backward hook is firing",),
)
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_full_backward_hook(lambda module, grad_in, grad_out: (F.ones(1),))
    m(F.ones(1, 2)).sum().backward()


@behaviours("H08: without any gradient it does not fire")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_full_backward_hook(lambda *args: log.append(1))
    with F.no_grad():
        y = m(F.ones(1, 2, requires_grad=True))
    return [log, y.requires_grad]


@behaviours(
    "H09: a wrong number of gradients",
    error=RuntimeError,
    says="Backward hook returned an invalid number of grad_input, got 2, but expected 1",
)
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_full_backward_hook(lambda module, grad_in, grad_out: (F.ones(1), F.ones(1)))
    m(F.ones(1, 2, requires_grad=True)).sum().backward()


@behaviours(
    "H10: a wrong number from a pre hook",
    error=RuntimeError,
    says="Backward pre hook returned an invalid number of grad_output, got 2, but expected 1",
)
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_full_backward_pre_hook(lambda module, grad_out: (F.ones(1), F.ones(1)))
    m(F.ones(1, 2, requires_grad=True)).sum().backward()


@behaviours(
    "H11: an output that is no tensor",
    warns=(
        "UserWarning: For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but re",
    ),
)
def _(F: Any) -> Any:
    class Named(F.nn.Module):
        def forward(self, x: Any) -> Any:
            return {"y": x * 2}

    m, log = Named(), []
    m.register_full_backward_hook(lambda *args: log.append(1))
    x = F.ones(1, requires_grad=True)
    m(x)["y"].sum().backward()
    return [log, x.grad]


@behaviours(
    "H12: the output must not be written to",
    error=RuntimeError,
    says="Output 0 of BackwardHookFunction",
)
def _(F: Any) -> Any:
    m = linear(F, 2, 2)
    m.register_full_backward_hook(lambda *args: None)
    m(F.ones(1, 2, requires_grad=True)).add_(1)


@behaviours(
    "H13: nor may the input",
    error=RuntimeError,
    says="Output 0 of BackwardHookFunction",
)
def _(F: Any) -> Any:
    m = F.nn.ReLU(inplace=True)
    m.register_full_backward_hook(lambda *args: None)
    m(F.ones(1, 2, requires_grad=True) * 1)


@behaviours("H14: hooks of modules within modules")
def _(F: Any) -> Any:
    m, log = F.nn.Sequential(linear(F, 2, 2), F.nn.Tanh(), linear(F, 2, 1)), []
    for name, module in m.named_modules():
        module.register_full_backward_pre_hook(lambda module, grad_out, name=name: log.append(f"before {name}"))
        module.register_full_backward_hook(lambda module, i, o, name=name: log.append((name, i, o)))
    m(F.ones(3, 2, requires_grad=True)).sum().backward()
    return log


@behaviours("H15: twice through the same module")
def _(F: Any) -> Any:
    m, log = linear(F, 2, 2), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x = F.ones(1, 2, requires_grad=True)
    m(m(x)).sum().backward()
    return log, x.grad


@behaviours("H16: with create_graph, the gradients can be differentiated")
def _(F: Any) -> Any:
    m, log = F.nn.Tanh(), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append(grad_in[0].requires_grad))
    x = F.tensor([0.5], requires_grad=True)
    (first,) = F.autograd.grad(m(x).sum(), x, create_graph=True)
    (second,) = F.autograd.grad(first.sum(), x)
    return [first, second, log[:1]]


@behaviours("H20: keyword arguments have no gradient in the hook")
def _(F: Any) -> Any:
    class Sum(F.nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return x + y

    m, log = Sum(), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x, y = F.ones(1, requires_grad=True), F.ones(1, requires_grad=True)
    m(x, y=y).sum().backward()
    return log, x.grad, y.grad


@behaviours("H21: a second derivative, which does not pass the outputs, calls it no second time")
def _(F: Any) -> Any:
    class Square(F.nn.Module):
        def forward(self, x: Any) -> Any:
            return x * x

    m, log = Square(), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: log.append((grad_in, grad_out)))
    x = F.tensor([0.5], requires_grad=True)
    (first,) = F.autograd.grad(m(x).sum(), x, create_graph=True)
    count = len(log)
    (second,) = F.autograd.grad(first.sum(), x)
    return [first, second, count, len(log)]


test_as_in_torch = behaviours.test()

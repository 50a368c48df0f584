"""Small PyTorch programs of many kinds, each a function that gives its loss and the tensors whose `.grad` counts.

With the same seed they build the same graph: one is given to `backward()`, its twin to the stepper.
"""

import gc
import weakref
from collections.abc import Callable
from typing import Any

from conftest import require

torch: Any = require("torch")
nn, F = torch.nn, torch.nn.functional
Program = Callable[[], tuple[Any, list[Any]]]
PROGRAMS: dict[str, Program] = {}


def program(build: Program) -> Program:
    PROGRAMS[build.__name__] = build
    return build


def leaf(*shape: int, dtype: Any = None) -> Any:
    return torch.randn(shape, dtype=dtype, requires_grad=True)


class Scaled(torch.autograd.Function):  # type: ignore[misc, name-defined]
    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        _, y = ctx.saved_tensors
        assert ctx.needs_input_grad == (True, False)
        return g * y, None


class Silent(torch.autograd.Function):  # type: ignore[misc, name-defined]
    """Sends no gradient back."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return None


@program
def scalars() -> Any:
    a, b = leaf(), leaf()
    return (a * b).sin() + a.exp() - b / a, [a, b]


@program
def fan_out() -> Any:
    a = leaf(3)
    b = a * 2
    return (b * b.cos() * a + b).sum(), [a]


@program
def custom_function() -> Any:
    a = leaf(3)
    return Scaled.apply(a * 1, torch.ones(3)).sum(), [a]


@program
def no_gradient_sent() -> Any:
    a, b = leaf(3), leaf(3)
    return Silent.apply(a * 2).sum() + Silent.apply(b).sum() + a.sum(), [a, b]


@program
def views() -> Any:
    a = leaf(4, 6)
    return (a.view(6, 4).t()[1:3].reshape(-1).narrow(0, 1, 3) * a[0, :3]).sum(), [a]


@program
def in_place() -> Any:
    a = leaf(4)
    b = a * 2
    b[1:3].mul_(3.0)
    b.add_(a)
    b[0] = a[3]
    return b.pow(2).sum(), [a]


@program
def a_view_of_a_parameter() -> Any:
    p = nn.Parameter(torch.randn(2, 3))
    return (p.view(3, 2) @ p[:, :2]).logsumexp(1).sum(), [p]


@program
def mlp() -> Any:
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    return F.cross_entropy(net(torch.randn(5, 4)), torch.tensor([0, 1, 2, 0, 1])), list(net.parameters())


@program
def cnn() -> Any:
    body = [nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)]
    net = nn.Sequential(*body)
    return net(torch.randn(2, 1, 8, 8)).pow(2).mean(), list(net.parameters())


@program
def lstm() -> Any:
    net = nn.LSTM(3, 4, 2)
    out, (h, c) = net(torch.randn(5, 2, 3))
    return out.sum() + h.mean() * c.mean(), list(net.parameters())


@program
def gru_both_ways() -> Any:
    net = nn.GRU(3, 4, 1, bidirectional=True)
    return net(torch.randn(3, 2, 3))[0].pow(2).sum(), list(net.parameters())


@program
def transformer_layer() -> Any:
    net = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    return net(torch.randn(2, 5, 8)).pow(2).mean(), list(net.parameters())


@program
def several_outputs() -> Any:
    a = leaf(3, 4)
    first, _, last = a.unbind(0)
    return (first * last).sum() + a.max(1).values.sum() + a.sort(1).values[:, 1].sum(), [a]


@program
def decompositions() -> Any:
    a = leaf(3, 3)
    u, s, _ = torch.linalg.svd(a)
    return s.prod() + (u * u).sum() + torch.linalg.inv(a).sum(), [a]


@program
def unused_inputs() -> Any:
    a, b, c = leaf(3), leaf(3), leaf(3)
    return torch.where(torch.tensor([True, False, True]), a, b.detach()).sum() + (c * 0).detach().sum(), [a, b, c]


@program
def mixed_types() -> Any:
    a, b, c = leaf(3), leaf(3, dtype=torch.float64), leaf(3, dtype=torch.bfloat16)
    return (a * b * c).sum() + c.float().sum(), [a, b, c]


@program
def half_precision() -> Any:
    a = leaf(3, dtype=torch.bfloat16)
    return (a * a).sum(), [a]


@program
def complex_numbers() -> Any:
    a = leaf(3, dtype=torch.complex64)
    return (a * a.conj()).real.sum() + torch.fft.rfft(leaf(8)).abs().sum(), [a]


@program
def sparse_gradient() -> Any:
    table = nn.Embedding(10, 3, sparse=True)
    return table(torch.tensor([1, 2, 2])).pow(2).sum(), [table.weight]


@program
def broadcasting() -> Any:
    a, b = leaf(3, 1), leaf(4)
    return ((a + b) * (a / b)).sum(), [a, b]


@program
def checkpointed() -> Any:
    from torch.utils.checkpoint import checkpoint

    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    return checkpoint(net, torch.randn(2, 3), use_reentrant=False).sum(), list(net.parameters())


@program
def saved_tensors_hooks() -> Any:
    a = leaf(3)
    with torch.autograd.graph.saved_tensors_hooks(lambda kept: kept.detach().numpy(), torch.from_numpy):
        return (a * a).sum(), [a]


@program
def shared_parameters() -> Any:
    table, out, layer = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False), nn.Linear(3, 3)
    out.weight = table.weight
    hidden = layer(torch.tanh(layer(table(torch.tensor([1, 4])))))
    return out(hidden).logsumexp(1).sum(), [table.weight, *layer.parameters()]


@program
def hooks_everywhere() -> Any:
    a = leaf(3)
    b = a * 2
    b.register_hook(lambda g: g * 2)
    b.retain_grad()
    b.grad_fn.register_prehook(lambda arriving: (arriving[0] + 1,))
    b.grad_fn.register_hook(lambda leaving, _: (leaving[0] * 3, None))
    a.register_hook(lambda g: g + 1)

    def double(p: Any) -> None:
        p.grad.mul_(2)

    a.register_post_accumulate_grad_hook(double)
    forgotten = b * b
    forgotten.register_hook(lambda g: g * 5)  # of a tensor that nobody holds when the pass runs
    return forgotten.sum(), [a, b]


@program
def a_second_derivative() -> Any:
    a = leaf(3)
    (g,) = torch.autograd.grad((a**3).sum(), a, create_graph=True)
    return g.pow(2).sum(), [a]


@program
def joined_and_indexed() -> Any:
    a = leaf(4)
    summed = torch.zeros(3).scatter_add(0, torch.tensor([0, 1, 1, 2]), a)
    rest = torch.cat([a, a * 2]).sum() + torch.stack([a, a]).mean() + a[torch.tensor([1, 1])].sum()
    return summed.pow(2).sum() + rest, [a]


def built(name: str, seed: int = 0) -> tuple[Any, list[Any]]:
    """A program's loss and tensors; equal seeds give equal ones."""
    torch.manual_seed(seed)
    return PROGRAMS[name]()


def same(one: Any, other: Any) -> bool:
    """Whether two gradients are equal to the bit; NaN is equal to NaN."""
    if one is None or other is None:
        return one is other
    if one.layout != other.layout or one.dtype != other.dtype:
        return False
    if one.layout != torch.strided:
        one, other = one.to_dense(), other.to_dense()
    return bool(((one == other) | ((one != one) & (other != other))).all()) and one.shape == other.shape


def is_freed(reference: weakref.ref[Any]) -> bool:
    """Whether what a reference points to is gone; Python's own circles are collected first."""
    gc.collect()
    return reference() is None

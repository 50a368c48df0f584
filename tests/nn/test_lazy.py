"""Lazy layers, as in torch: what they are before their first input and what they become with it, and with a state."""

from __future__ import annotations

from typing import Any

from helpers.side_by_side import Behaviours
from nn.module.networks import kind, refused

behaviours = Behaviours()

LAYERS = {
    "LazyLinear": ("(3)", (2, 4)),
    "LazyLinear without bias": ("(3, bias=False)", (2, 3, 4)),
    "LazyConv1d": ("(3, 2)", (2, 4, 5)),
    "LazyConv2d": ("(4, 3, padding=1, groups=2)", (2, 6, 5, 5)),
    "LazyConv2d of one image": ("(4, kernel_size=3)", (6, 5, 5)),
    "LazyConvTranspose2d": ("(4, 2, groups=2, bias=False)", (2, 6, 3, 3)),
    "LazyBatchNorm1d": ("()", (4, 3)),
    "LazyBatchNorm2d": ("(eps=0.1, affine=False)", (2, 3, 2, 2)),
}
for _title, (_arguments, _shape) in LAYERS.items():

    @behaviours(f"{_title} becomes what its first input needs")
    def _(F: Any, title: str = _title, arguments: str = _arguments, shape: Any = _shape) -> Any:
        F.manual_seed(4)
        layer = eval(f"nn.{title.split()[0]}{arguments}", {"nn": F.nn})
        before = [repr(layer), [kind(p) for p in layer.parameters()], list(layer.state_dict()), F.rand(1)]
        parameters = list(layer.parameters())
        out = layer(F.randn(*shape))
        same = [one is other for one, other in zip(parameters, layer.parameters(), strict=True)]
        return [before, repr(layer), kind(layer), out, same, layer.state_dict(), F.rand(1)]


@behaviours("an optimizer may hold the parameters before they have a shape")
def _(F: Any) -> Any:
    nn = F.nn
    F.manual_seed(0)
    net = nn.Sequential(nn.LazyConv2d(2, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2)).to("cpu")
    optimizer = F.optim.SGD(net.parameters(), lr=0.1)
    losses = []
    for _ in range(3):
        loss = net(F.randn(4, 1, 5, 5)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return [losses, [kind(module) for module in net], net.state_dict()]


@behaviours("a state gives the shapes, too, and nothing is drawn any more")
def _(F: Any) -> Any:
    nn = F.nn
    F.manual_seed(0)
    saved = nn.Linear(2, 3).state_dict()
    layer = nn.LazyLinear(3)
    keys = repr(layer.load_state_dict(saved))
    return [keys, kind(layer), layer.weight, F.rand(1), layer(F.ones(1, 2)), F.rand(1), repr(layer)]


@behaviours("a dtype that is told before the shape")
def _(F: Any) -> Any:
    net = F.nn.Sequential(F.nn.LazyLinear(3), F.nn.LazyBatchNorm1d()).double()
    F.manual_seed(1)
    return [net(F.ones(2, 4, dtype=F.float64)), net.state_dict()]


@behaviours("weights begin anew when that is asked for")
def _(F: Any) -> Any:
    layer = F.nn.LazyLinear(3)
    layer.reset_parameters()
    layer(F.ones(1, 2))
    F.manual_seed(2)
    layer.reset_parameters()
    return layer.weight


@behaviours("what may be asked of a parameter without a shape")
def _(F: Any) -> Any:
    layer = F.nn.LazyLinear(3)
    weight = layer.weight
    text = "Attempted to use an uninitialized parameter in "
    return [
        repr(weight), weight.requires_grad, weight.is_leaf, weight.grad, layer.bias is None,
        refused(lambda: weight.numel(), ValueError, text),
        refused(lambda: weight + 1, ValueError, text),
        refused(lambda: F.nn.init.normal_(weight), ValueError, text),
        refused(lambda: F.nn.functional.linear(F.ones(1, 2), weight), ValueError, text),
    ]  # fmt: skip


@behaviours("an input that does not fit later", error=RuntimeError, says="mat1 and mat2 shapes cannot be multiplied")
def _(F: Any) -> Any:
    layer = F.nn.LazyLinear(3)
    layer(F.ones(1, 2))
    layer(F.ones(1, 4))


@behaviours("hooks run at the first call, too")
def _(F: Any) -> Any:
    seen: list[Any] = []
    layer = F.nn.LazyLinear(3)
    layer.register_forward_hook(lambda module, inputs, output: seen.append([kind(module), list(output.shape)]))
    layer(F.ones(1, 2))
    layer(F.ones(1, 2))
    return seen


test_as_in_torch = behaviours.test()

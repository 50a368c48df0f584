"""Layers, as in torch: how they print, what they hold, what they give, and the gradients of it all.

Every layer is made in all its ways and called with all that it takes. Each is made on both sides, gets
torch's weights, and is run in training and in evaluation.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours, ours

import minigrad

behaviours = Behaviours()

Make = Callable[[Any], Any]


@dataclass(frozen=True)
class Layer:
    """A layer, and what it is called with: shapes of normal numbers, or functions of the namespace."""

    title: str
    make: Make  # from the namespace `nn`
    inputs: Sequence[Any]
    random: bool = False  # in training, its output is
    needs: str = ""  # the function behind it, where that is not one of the layer's own


def ints(*shape: int, below: int = 5) -> Callable[[Any], Any]:
    """Whole numbers from 0."""
    return lambda F: F.tensor((np.arange(int(np.prod(shape))) * 7 % below).reshape(shape))


def positive(*shape: int) -> Callable[[Any], Any]:
    """Numbers between 0 and 1."""
    values = (np.arange(int(np.prod(shape))) * 13 % 17 + 1) / 19
    return lambda F: F.tensor(values.reshape(shape).astype(np.float32))


LINEAR = [
    Layer("Identity", lambda nn: nn.Identity(3, unused=True), [(2, 3)]),
    Layer("Linear", lambda nn: nn.Linear(4, 3), [(2, 4)]),
    Layer("Linear of a vector", lambda nn: nn.Linear(4, 3), [(4,)]),
    Layer("Linear of a batch", lambda nn: nn.Linear(4, 3), [(2, 3, 4)]),
    Layer("Linear without bias", lambda nn: nn.Linear(4, 3, bias=False), [(2, 4)]),
    Layer("Linear without bias of a vector", lambda nn: nn.Linear(4, 3, bias=False), [(4,)]),
    Layer("Linear of no rows", lambda nn: nn.Linear(4, 3), [(0, 4)]),
    Layer("Flatten", lambda nn: nn.Flatten(), [(2, 3, 4)]),
    Layer("Flatten from 0", lambda nn: nn.Flatten(0, 1), [(2, 3, 4)]),
]

CONVOLUTIONS = [
    Layer("Conv1d", lambda nn: nn.Conv1d(2, 3, 3), [(2, 2, 7)]),
    Layer("Conv1d same", lambda nn: nn.Conv1d(2, 3, 4, padding="same"), [(2, 2, 7)]),
    Layer("Conv2d", lambda nn: nn.Conv2d(2, 3, 3), [(2, 2, 5, 6)]),
    Layer("Conv2d of one image", lambda nn: nn.Conv2d(2, 3, 3), [(2, 5, 6)]),
    Layer("Conv2d without bias", lambda nn: nn.Conv2d(2, 3, (3, 2), stride=2, padding=1, bias=False), [(2, 2, 5, 6)]),
    Layer("Conv2d dilated, in groups", lambda nn: nn.Conv2d(4, 2, 2, dilation=2, groups=2), [(2, 4, 5, 6)]),
    Layer("Conv2d valid", lambda nn: nn.Conv2d(2, 3, 3, padding="valid"), [(1, 2, 5, 6)]),
    Layer("Conv2d same", lambda nn: nn.Conv2d(2, 3, (2, 3), padding="same", dilation=2), [(1, 2, 5, 6)]),
    Layer(
        "ConvTranspose2d",
        lambda nn: nn.ConvTranspose2d(2, 4, 3, stride=2, padding=1, output_padding=1, groups=2, bias=False),
        [(2, 2, 3, 4)],
    ),
    Layer("ConvTranspose2d dilated", lambda nn: nn.ConvTranspose2d(2, 3, 2, dilation=2), [(1, 2, 3, 4)]),
    Layer("Upsample", lambda nn: nn.Upsample(scale_factor=2), [(1, 2, 2, 3)]),
    Layer("Upsample to a size", lambda nn: nn.Upsample(size=(4, 5)), [(1, 2, 2, 3)]),
]

POOLS = [
    Layer("MaxPool1d", lambda nn: nn.MaxPool1d(2), [(2, 2, 6)]),
    Layer("MaxPool1d with indices", lambda nn: nn.MaxPool1d(2, return_indices=True), [(2, 2, 6)]),
    Layer("MaxPool2d", lambda nn: nn.MaxPool2d(2), [(2, 2, 4, 6)]),
    Layer("MaxPool2d with options", lambda nn: nn.MaxPool2d((2, 3), 1, 1, ceil_mode=True), [(2, 2, 4, 6)]),
    Layer("MaxPool2d with indices", lambda nn: nn.MaxPool2d(2, return_indices=True), [(2, 2, 4, 6)]),
    Layer("MaxPool2d dilated", lambda nn: nn.MaxPool2d(2, dilation=2), [(2, 2, 5, 6)]),
    Layer("AvgPool1d", lambda nn: nn.AvgPool1d(3, 2, padding=1), [(2, 2, 6)]),
    Layer("AvgPool2d", lambda nn: nn.AvgPool2d(2), [(2, 2, 4, 6)]),
    Layer("AvgPool2d with options", lambda nn: nn.AvgPool2d(3, 2, padding=1, count_include_pad=False), [(2, 2, 4, 6)]),
    Layer("AdaptiveAvgPool2d", lambda nn: nn.AdaptiveAvgPool2d((2, None)), [(2, 2, 5, 3)]),
    Layer("AdaptiveAvgPool1d", lambda nn: nn.AdaptiveAvgPool1d(3), [(2, 2, 5)]),
    *[
        Layer(text, lambda nn, text=text: eval(f"nn.{text}", {"nn": nn}), [shape])
        for n, shape, sizes in ((1, (2, 2, 5), (1, 2)), (2, (2, 2, 4, 5), (1, 0, 2, 1)))
        for text in (
            f"ConstantPad{n}d(2, 1.5)",
            f"ConstantPad{n}d({sizes}, -1)",
            f"ZeroPad{n}d(1)",
            f"ReflectionPad{n}d(2)",
            f"ReflectionPad{n}d({sizes})",
            f"ReplicationPad{n}d({sizes})",
            f"CircularPad{n}d({sizes})",
        )
    ],
    Layer("AdaptiveAvgPool2d to 1", lambda nn: nn.AdaptiveAvgPool2d(1), [(2, 2, 5, 3)]),
]

ACTIVATIONS = [
    Layer(text, lambda nn, text=text: eval(f"nn.{text}", {"nn": nn}), [(4, 4)])
    for text in (
        "ReLU()", "LeakyReLU()", "LeakyReLU(0.2)", "ELU()", "ELU(alpha=2.0)", "GELU()", "GELU('tanh')",
        "SiLU()", "Sigmoid()", "Tanh()", "Softplus()", "Softplus(2, 1)", "LogSigmoid()",
        "Softmax(dim=1)", "LogSoftmax(dim=-1)",
    )
]  # fmt: skip
ACTIVATIONS += [
    Layer(f"{name} in place", lambda nn, name=name: InPlaceAfter(getattr(nn, name)(inplace=True)), [(4, 4)])
    for name in ("ReLU", "LeakyReLU")
]


class InPlaceAfter:
    """A layer that writes to its input, given a copy of it."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def __call__(self, x: Any) -> Any:
        return self.layer(x * 1)

    def __repr__(self) -> str:
        return repr(self.layer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.layer, name)


NORMALIZATIONS = [
    Layer("BatchNorm1d", lambda nn: nn.BatchNorm1d(3), [(4, 3)]),
    Layer("BatchNorm1d of rows", lambda nn: nn.BatchNorm1d(3, momentum=None), [(4, 3, 2)]),
    Layer("BatchNorm2d", lambda nn: nn.BatchNorm2d(3, eps=1e-3, momentum=0.3), [(4, 3, 2, 2)]),
    Layer("BatchNorm2d without weights", lambda nn: nn.BatchNorm2d(3, affine=False), [(4, 3, 2, 2)]),
    Layer("BatchNorm2d without a shift", lambda nn: nn.BatchNorm2d(3, bias=False), [(4, 3, 2, 2)]),
    Layer("BatchNorm2d of the batch", lambda nn: nn.BatchNorm2d(3, track_running_stats=False), [(4, 3, 2, 2)]),
    Layer("LayerNorm", lambda nn: nn.LayerNorm(4), [(2, 3, 4)]),
    Layer("LayerNorm of two", lambda nn: nn.LayerNorm((3, 4), eps=1e-3), [(2, 3, 4)]),
    Layer("LayerNorm without weights", lambda nn: nn.LayerNorm(4, elementwise_affine=False), [(2, 3, 4)]),
    Layer("LayerNorm without bias", lambda nn: nn.LayerNorm([4], bias=False), [(2, 3, 4)]),
    Layer("RMSNorm", lambda nn: nn.RMSNorm(4), [(2, 3, 4)]),
    Layer("RMSNorm with eps", lambda nn: nn.RMSNorm((3, 4), eps=0.1, elementwise_affine=False), [(2, 3, 4)]),
    Layer("GroupNorm", lambda nn: nn.GroupNorm(2, 4), [(2, 4, 3)]),
    Layer("GroupNorm without weights", lambda nn: nn.GroupNorm(4, 4, affine=False), [(2, 4, 3, 2)]),
    Layer("InstanceNorm1d", lambda nn: nn.InstanceNorm1d(3), [(2, 3, 4)]),
    Layer("InstanceNorm1d of one", lambda nn: nn.InstanceNorm1d(3, affine=True), [(3, 4)]),
    Layer("InstanceNorm2d of one", lambda nn: nn.InstanceNorm2d(3), [(3, 2, 4)]),
    Layer("InstanceNorm2d", lambda nn: nn.InstanceNorm2d(3, eps=0.1, affine=True), [(2, 3, 2, 4)]),
    Layer("Dropout2d", lambda nn: nn.Dropout2d(0.3, inplace=False), [(3, 4, 2, 2)], random=True),
    Layer("Dropout", lambda nn: nn.Dropout(0.3), [(4, 4)], random=True),
    Layer("Dropout of nothing", lambda nn: nn.Dropout(0.0), [(4, 4)]),
    Layer("Dropout of all", lambda nn: nn.Dropout(1.0), [(4, 4)]),
]

TABLES = [
    Layer("Embedding", lambda nn: nn.Embedding(5, 3), [ints(2, 4)]),
    Layer("Embedding with padding", lambda nn: nn.Embedding(5, 3, padding_idx=-4), [ints(2, 4)]),
]

LOSSES = [
    *[
        Layer(f"{name} {reduction}", lambda nn, n=name, r=reduction: getattr(nn, n)(reduction=r), [(4, 3), target])
        for name, target in (
            ("L1Loss", (4, 3)),
            ("MSELoss", (4, 3)),
            ("SmoothL1Loss", (4, 3)),
            ("HuberLoss", (4, 3)),
            ("CrossEntropyLoss", ints(4, below=3)),
            ("NLLLoss", ints(4, below=3)),
            ("BCEWithLogitsLoss", positive(4, 3)),
        )
        for reduction in ("mean", "sum", "none")
    ],
    Layer("BCELoss", lambda nn: nn.BCELoss(), [positive(4, 3), positive(4, 3)]),
    Layer("SmoothL1Loss beta", lambda nn: nn.SmoothL1Loss(beta=0.3), [(4, 3), (4, 3)]),
    Layer("HuberLoss delta", lambda nn: nn.HuberLoss(delta=0.3), [(4, 3), (4, 3)]),
    Layer("CrossEntropyLoss smoothed", lambda nn: nn.CrossEntropyLoss(label_smoothing=0.1), [(4, 3), ints(4, below=3)]),
    Layer("CrossEntropyLoss ignoring", lambda nn: nn.CrossEntropyLoss(ignore_index=1), [(4, 3), ints(4, below=3)]),
    Layer("CrossEntropyLoss of images", lambda nn: nn.CrossEntropyLoss(), [(2, 3, 2, 2), ints(2, 2, 2, below=3)]),
    Layer("NLLLoss ignoring", lambda nn: nn.NLLLoss(ignore_index=1), [(4, 3), ints(4, below=3)]),
]

LAYERS = [
    *LINEAR, *CONVOLUTIONS, *POOLS, *ACTIVATIONS, *NORMALIZATIONS, *TABLES, *LOSSES,
]  # fmt: skip


def give_weights(to: Any, module: Any) -> None:
    """Load torch's weights, made a bit larger and none of them 0 or 1."""
    with_noise = {}
    random = np.random.default_rng(3)
    for name, value in module.state_dict().items():
        numbers = value.numpy()
        if numbers.dtype.kind == "f":
            numbers[...] = numbers + random.uniform(0.1, 0.4, numbers.shape)
        with_noise[name] = minigrad.tensor(numbers)
    assert repr(to.load_state_dict(with_noise)) == "<All keys matched successfully>"


def values(layer: Layer, F: Any) -> list[Any]:
    random = np.random.default_rng(len(layer.title))
    made = []
    for what in layer.inputs:
        x = what(F) if callable(what) else F.tensor(random.standard_normal(what).astype(np.float32))
        for tensor in x if isinstance(x, tuple) else (x,):
            tensor.requires_grad_(tensor.dtype == F.float32)
        made.append(x)
    return made


def check_same(mine: Any, theirs: Any, what: str) -> None:
    if isinstance(theirs, tuple | list):
        assert isinstance(mine, tuple | list), what
        assert len(mine) == len(theirs), what
        for number, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            check_same(one, other, f"{what}[{number}]")
        return
    if theirs is None:
        assert mine is None, what
        return
    assert isinstance(mine, minigrad.Tensor), f"{what} is a {type(mine).__name__}"
    assert str(mine.dtype) == ours(str(theirs.dtype)), what
    np.testing.assert_allclose(
        mine.detach().numpy(), theirs.detach().numpy(), rtol=2e-4, atol=2e-5, err_msg=what, strict=True
    )


def tensors_in(result: Any) -> list[Any]:
    if isinstance(result, tuple | list):
        return [tensor for part in result for tensor in tensors_in(part)]
    return [] if result is None else [result]


def check_gradients(mine: Any, theirs: Any, inputs: tuple[list[Any], list[Any]], torch: Any) -> None:
    """Send the same random gradient back from both, and compare what arrives at inputs and weights."""
    results = (tensors_in(mine[1]), tensors_in(theirs[1]))
    random = np.random.default_rng(0)
    for one, other in zip(*results, strict=True):
        assert one.requires_grad == other.requires_grad
        if other.requires_grad:
            gradient = random.standard_normal(tuple(other.shape)).astype(np.float32)
            one.backward(minigrad.tensor(gradient), retain_graph=True)
            other.backward(torch.tensor(gradient), retain_graph=True)
    for number, (one, other) in enumerate(zip(*map(tensors_in, inputs), strict=True)):
        if other.requires_grad:
            check_same(one.grad, other.grad, f"gradient of input {number}")
    for (name, one), (same_name, other) in zip(mine[0].named_parameters(), theirs[0].named_parameters(), strict=True):
        assert name == same_name
        check_same(one.grad, other.grad, f"gradient of {name}")


def check_layer(layer: Layer, torch: Any, training: bool) -> None:
    theirs, mine = layer.make(torch.nn), layer.make(minigrad.nn)
    assert repr(mine) == ours(repr(theirs))
    check_state(mine, theirs)
    give_weights(mine, theirs)
    mine.train(training)
    theirs.train(training)
    inputs = values(layer, minigrad), values(layer, torch)
    if layer.random and training:
        minigrad.manual_seed(5)
        torch.manual_seed(5)
    results = mine(*inputs[0]), theirs(*inputs[1])
    check_same(*results, layer.title)
    check_gradients((mine, results[0]), (theirs, results[1]), inputs, torch)
    check_state(mine, theirs)
    for (name, one), (_, other) in zip(mine.state_dict().items(), theirs.state_dict().items(), strict=True):
        check_same(one, other, f"{name} afterwards")


def check_state(mine: Any, theirs: Any) -> None:
    """The same names, in the same order, of the same shapes and dtypes."""
    described = [
        [(name, tuple(value.shape), ours(str(value.dtype))) for name, value in module.state_dict().items()]
        for module in (mine, theirs)
    ]
    assert described[0] == described[1]
    assert [n for n, _ in mine.named_buffers()] == [n for n, _ in theirs.named_buffers()]
    assert [n for n, _ in mine.named_modules()] == [n for n, _ in theirs.named_modules()]


# What torch says of its own ways of computing.
@pytest.mark.filterwarnings("ignore:Using padding='same'")
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.title)
def test_layer_is_as_in_torch(layer: Layer, training: bool, torch: Any) -> None:
    check_layer(layer, torch, training)


# ---------------------------------------------------------------- what is refused, and what is said


behaviours.table(
    ("E01: sizes that do not fit", lambda F: F.nn.Linear(4, 3)(F.ones(2, 5)),
     RuntimeError, "mat1 and mat2 shapes cannot be multiplied (2x5 and 4x3)"),
    ("E02: a batch that does not fit", lambda F: F.nn.Linear(4, 3)(F.ones(3, 2, 5)),
     RuntimeError, "mat1 and mat2 shapes cannot be multiplied (6x5 and 4x3)"),
    ("E03: a vector that does not fit", lambda F: F.nn.Linear(4, 3)(F.ones(5)),
     RuntimeError, "mat1 and mat2 shapes cannot be multiplied (1x5 and 4x3)"),
    ("E04: float64 into float32", lambda F: F.nn.Linear(4, 3)(F.ones(2, 4, dtype=F.float64)),
     RuntimeError, "mat1 and mat2 must have the same dtype, but got Double and"),
    ("E05: without bias", lambda F: F.nn.Linear(4, 3, bias=False)(F.ones(2, 4, dtype=F.float64)),
     RuntimeError, "expected m1 and m2 to have the same dtype, but got: double != float"),
    ("E06: ints", lambda F: F.nn.Linear(4, 3)(F.tensor([[1, 2, 3, 4]])),
     RuntimeError, "mat1 and mat2 must have the same dtype, but got Long and Float"),
    ("E07: a number", lambda F: F.nn.Linear(4, 3)(F.tensor(1.0)),
     RuntimeError, "both arguments to linear need to be at least 1D, but they are 0D and 2D"),
    ("E11: no kernel size", lambda F: F.nn.Conv2d(3, 4),
     TypeError, "Conv2d.__init__() missing 1 required positional argument: 'kernel_size'"),
    ("E11: no size at all", lambda F: F.nn.Embedding(),
     TypeError, "Embedding.__init__() missing 2 required positional arguments: 'num_embeddings' and 'embedding_dim'"),
    ("E11: the last of two by name", lambda F: F.nn.GroupNorm(num_channels=4),
     TypeError, "GroupNorm.__init__() missing 1 required positional argument: 'num_groups'"),
    ("E08: a list", lambda F: F.nn.Linear(4, 3)([1.0]),
     TypeError, "linear(): argument 'input' (position 1) must be Tensor, not list"),
    ("E09: a bias that does not fit", lambda F: F.nn.functional.linear(F.ones(2, 4), F.ones(3, 4), F.ones(2)),
     RuntimeError, "The expanded size of the tensor (3) must match the existing"),
    ("E10: a vector as weight beside a bias", lambda F: F.nn.functional.linear(F.ones(2, 4), F.ones(4), F.ones(1)),
     RuntimeError, "mat2 must be a matrix, got 1-D tensor"),
)  # fmt: skip


@behaviours("L01: linear with weights and biases of other shapes")
def _(F: Any) -> Any:
    x, w = F.ones(2, 4), F.tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    linear = F.nn.functional.linear
    biases = (F.tensor([5.0]), F.tensor(5.0), F.ones(2, 3))
    return [linear(x, w[0]), *[linear(x, w, bias) for bias in biases], linear(x[0], w, biases[1])]


@behaviours("L02: the nodes of linear")
def _(F: Any) -> Any:
    w, b = F.ones(3, 4, requires_grad=True), F.ones(3, requires_grad=True)
    linear = F.nn.functional.linear
    return [
        linear(F.ones(2, 4), w, b).grad_fn,
        linear(F.ones(2, 4), w).grad_fn,
        linear(F.ones(5, 2, 4), w, b).grad_fn,
        linear(F.ones(5, 2, 4), w, b).grad_fn.next_functions[0][0],
    ]


@behaviours("L03: second derivatives of linear")
def _(F: Any) -> Any:
    x, w, b = (F.tensor(np.arange(n * 2, dtype=np.float32).reshape(n, 2), requires_grad=True) for n in (3, 4, 1))
    y = F.nn.functional.linear(x, w, b[0, :1].expand(4))
    grads = F.autograd.grad((y**2).sum(), (x, w, b), create_graph=True)
    sum((g**2).sum() for g in grads).backward()
    return [x.grad, w.grad, b.grad]


behaviours.table(
    ("E11: batch norm of two dimensions too many", lambda F: F.nn.BatchNorm1d(3)(F.ones(1, 3, 2, 2)),
     ValueError, "expected 2D or 3D input (got 4D input)"),
    ("E12: batch norm of a row", lambda F: F.nn.BatchNorm2d(3)(F.ones(1, 3)),
     ValueError, "expected 4D input (got 2D input)"),
    ("E13: groups that do not divide", lambda F: F.nn.GroupNorm(3, 4),
     ValueError, "num_channels (4) must be divisible by num_groups (3)"),
    ("E14: channels of a convolution that do not divide", lambda F: F.nn.Conv2d(3, 4, 2, groups=2),
     ValueError, "in_channels must be divisible by groups"),
    ("E15: outputs that do not divide", lambda F: F.nn.Conv2d(4, 3, 2, groups=2),
     ValueError, "out_channels must be divisible by groups"),
    ("E16: no groups", lambda F: F.nn.Conv2d(4, 3, 2, groups=0), ValueError, "groups must be a positive integer"),
    ("E17: same with a stride", lambda F: F.nn.Conv2d(4, 3, 2, stride=2, padding="same"),
     ValueError, "padding='same' is not supported for strided convolutions"),
    ("E18: an unknown padding", lambda F: F.nn.Conv2d(4, 3, 2, padding="some"),
     ValueError, "Invalid padding string 'some', should be one of"),
    ("E19: an unknown padding mode", lambda F: F.nn.Conv2d(4, 3, 2, padding_mode="mirror"),
     ValueError, "padding_mode must be one of"),
)  # fmt: skip


def test_a_padding_mode_that_is_left_out_is_refused_with_the_layers_that_do_it() -> None:
    with pytest.raises(ValueError, match=r"got padding_mode='circular': pad in .* CircularPad2d do$") as caught:
        minigrad.nn.Conv2d(4, 3, 2, padding_mode="circular")
    named = re.findall(r"\w+Pad2d", str(caught.value))
    assert [hasattr(minigrad.nn, name) for name in named] == [True] * 3


behaviours.table(
    ("E20: a padding mode of a transposed one", lambda F: F.nn.ConvTranspose2d(4, 3, 2, padding_mode="reflect"),
     ValueError, 'Only "zeros" padding mode is supported for ConvT'),
    ("E22: a dropout of 2", lambda F: F.nn.Dropout(2),
     ValueError, "dropout probability has to be between 0 and 1, but got 2"),
    ("E23: a padding index too large", lambda F: F.nn.Embedding(3, 2, padding_idx=3),
     AssertionError, "Padding_idx must be within num_embeddings"),
)  # fmt: skip


@behaviours("L05: embeddings from given vectors")
def _(F: Any) -> Any:
    given = F.tensor([[1.0, 2.0], [3.0, 4.0]])
    frozen, free = (
        F.nn.Embedding.from_pretrained(given),
        F.nn.Embedding.from_pretrained(given, freeze=False, padding_idx=0),
    )
    free(F.tensor([0, 1, 1])).sum().backward()
    return [
        frozen(F.tensor([1, 0])),
        frozen.weight.requires_grad,
        free.weight.grad,
        repr(free),
    ]


behaviours.table(
    ("E24: given vectors that are no matrix", lambda F: F.nn.Embedding.from_pretrained(F.ones(3)),
     AssertionError, "Embeddings parameter is expected to be 2-dim"),
    ("E27: huber with a list", lambda F: F.nn.HuberLoss(delta=[1]),
     TypeError, "delta must be a float or int, got: <class 'list'>"),
)  # fmt: skip


@behaviours("L08: losses with a weight for each class")
def _(F: Any) -> Any:
    x = F.tensor(np.arange(12, dtype=np.float32).reshape(4, 3) % 5, requires_grad=True)
    weight = F.tensor([0.2, 0.5, 3.0])
    loss = F.nn.CrossEntropyLoss(weight=weight)
    value = loss(x, F.tensor([0, 2, 1, 1]))
    value.backward()
    return [value, x.grad, list(loss.state_dict()), F.nn.BCEWithLogitsLoss(pos_weight=weight)(x, x / 5)]


@behaviours("L09: in evaluation, batch norm uses what it saw")
def _(F: Any) -> Any:
    norm = F.nn.BatchNorm1d(2, momentum=None)
    for number in range(3):
        norm(F.tensor([[1.0, 2.0], [3.0, 8.0]]) * (number + 1))
    seen = [b.clone() for b in norm.buffers()]
    out = norm.eval()(F.ones(1, 2))
    norm.reset_running_stats()
    return [seen, out, dict(norm.state_dict())]


@behaviours("L11: a trained network is evaluated without dropout")
def _(F: Any) -> Any:
    net = F.nn.Sequential(F.nn.Dropout(0.9), F.nn.Flatten()).eval()
    return net(F.ones(2, 3, 1))


test_as_in_torch = behaviours.test()


# ---------------------------------------------------------------- how layers are made

OLD_NAMES = {"size_average", "reduce"}  # which PyTorch replaced by others, and are not here
RARE = {
    "AvgPool2d": {"divisor_override"},
    "Upsample": {"recompute_scale_factor"},
    "Embedding": {"max_norm", "norm_type", "scale_grad_by_freq", "sparse"},
    "MultiheadAttention": {"add_bias_kv", "add_zero_attn", "kdim", "vdim"},
    "ELU": {"inplace"},
    "SiLU": {"inplace"},
    "BCELoss": {"weight"},
    "BCEWithLogitsLoss": {"weight"},
    "LSTM": {"proj_size"},
    "GRU": {"proj_size"},
    "RNN": {"proj_size"},
}
MADE: dict[str, tuple[Any, ...]] = {
    "Linear": (4, 3), "Conv1d": (2, 3, 3), "Conv2d": (2, 3, 3), "ConvTranspose2d": (2, 3, 3), "Embedding": (5, 3),
    "MaxPool1d": (2,), "MaxPool2d": (2,), "AvgPool1d": (2,), "AvgPool2d": (2,), "AdaptiveAvgPool2d": (2,),
    "BatchNorm1d": (3,), "BatchNorm2d": (3,), "LayerNorm": (4,), "GroupNorm": (2, 4), "RMSNorm": (4,),
    "RNN": (3, 4), "LSTM": (3, 4), "GRU": (3, 4), "RNNCell": (3, 4), "LSTMCell": (3, 4), "GRUCell": (3, 4),
    "MultiheadAttention": (6, 2), "TransformerEncoderLayer": (6, 2),
    "AdaptiveAvgPool1d": (2,), "InstanceNorm1d": (3,),
    "InstanceNorm2d": (3,), "ConstantPad1d": (2, 1.5), "ConstantPad2d": (2, 1.5),
    **{f"{kind}Pad{n}d": (2,) for kind in ("Zero", "Reflection", "Replication", "Circular") for n in (1, 2)},
    "LazyLinear": (3,), "LazyConv1d": (3, 3), "LazyConv2d": (3, 3), "LazyConvTranspose2d": (3, 3),
}  # fmt: skip
CLASSES = sorted(
    name for name, kind in vars(minigrad.nn).items()
    if isinstance(kind, type) and issubclass(kind, minigrad.nn.Module) and name not in ("TransformerEncoder", "Module")
)  # fmt: skip


def parameters_of(kind: type, leave_out: set[str]) -> list[inspect.Parameter]:
    """What a class is called with, apart from the (*args, **kwargs) of a Module without arguments."""
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(kind).parameters.values()
    return [each for each in parameters if each.name not in leave_out and each.kind not in several]


@pytest.mark.parametrize("name", sorted({*CLASSES} - {"RNN", "LSTM", "GRU"}))  # which do not tell what they take
def test_layer_is_made_as_in_torch(name: str, torch: Any) -> None:
    """The same arguments in the same order, with the same defaults; those behind one that is not here, by name only."""
    leave_out = OLD_NAMES | RARE.get(name, set())
    mine, theirs = (parameters_of(getattr(nn, name), leave_out) for nn in (minigrad.nn, torch.nn))
    assert sorted(each.name for each in mine) == sorted(each.name for each in theirs)
    assert {each.name: shown_default(each) for each in mine} == {each.name: shown_default(each) for each in theirs}
    by_place = [each.name for each in mine if each.kind is not inspect.Parameter.KEYWORD_ONLY]
    everywhere = list(inspect.signature(getattr(torch.nn, name)).parameters)
    assert by_place == everywhere[: len(by_place)]


def shown_default(parameter: inspect.Parameter) -> Any:
    return parameter.default.__name__ if callable(parameter.default) else parameter.default


@pytest.mark.parametrize("name", CLASSES)
def test_layer_has_the_attributes_of_torch(name: str, torch: Any) -> None:
    """The same public attributes, with the same values, and the same repr."""
    mine, theirs = (getattr(nn, name)(*MADE.get(name, ())) for nn in (minigrad.nn, torch.nn))
    assert repr(mine) == ours(repr(theirs))
    expected = {k: v for k, v in vars(theirs).items() if not k.startswith("_") and k not in RARE.get(name, ())}
    for attribute in ("name", "bias_k", "bias_v", "activation_relu_or_gelu", "activation"):  # which nothing here needs
        expected.pop(attribute, None)
    assert {attribute: getattr(mine, attribute) for attribute in expected} == expected


def test_a_learners_layer_annotates_what_it_likes() -> None:
    class Counting(minigrad.nn.ReLU):
        count: int = 0

        def __init__(self, start: int) -> None:
            super().__init__(inplace=True)
            self.count = start

    assert repr(Counting(3)) == "Counting(inplace=True)"
    assert str(inspect.signature(Counting)) == "(start: 'int') -> 'None'"


@pytest.mark.parametrize("arguments", [{"no_such_option": 1}, {"kernel_size": 2, "stride_": 1}, {}])
def test_a_layer_names_itself_where_its_options_are_wrong(arguments: dict[str, int]) -> None:
    with pytest.raises(TypeError, match=r"^MaxPool2d\.__init__\(\) "):
        minigrad.nn.MaxPool2d(**arguments)

"""What batch, layer, group and rms norm do with arguments, statistics and layouts, as in torch."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours

import minigrad
from minigrad.tensor import from_array

behaviours = Behaviours()

# an expression on F (torch or minigrad), f (its nn.functional), r (floats of a shape), z and o (zeros and ones)
RESULTS = """
f.batch_norm(r(0, 3), z(3), o(3), training=True)
f.batch_norm(r(0, 3), z(3), o(3))
f.batch_norm(r(0), z(3), o(3), training=True)
f.batch_norm(r(0), None, None, training=True)
f.batch_norm(r(0), z(3), o(3), r(3), r(3))
f.batch_norm(r(2, 3, 0), z(3), o(3), training=True)
f.batch_norm(r(4, 3), None, None, r(3), training=True)
f.batch_norm(r(4, 3), None, None, None, r(3), training=True)
f.batch_norm(r(4, 3), z(3), o(3), eps=0.0)
f.batch_norm(o(4, 3), None, None, training=True)
f.layer_norm(r(2, 0), (0,))
f.layer_norm(r(0, 3), (3,))
f.layer_norm(r(2, 3), [3], None, r(3))
f.layer_norm(o(2, 3), [3])
f.group_norm(r(2, 4), 2)
f.group_norm(r(0, 4, 3), 2)
f.group_norm(r(2, 4, 3), 4, r(4))
f.rms_norm(r(2, 3), (3,))
f.rms_norm(r(2, 3).double(), (2, 3))
""".strip().splitlines()

ERRORS = [
    (
        "f.batch_norm(r(1, 3), None, None, training=True)",
        ValueError,
        "Expected more than 1 value per channel when training, got input size torch.Size(",
    ),
    (
        "f.batch_norm(r(3), None, None, training=True)",
        IndexError,
        "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
    ),
    ("f.batch_norm(r(3), z(3), o(3))", RuntimeError, "running_mean should contain 0 elements not 3"),
    ("f.batch_norm(r(2, 3), None, None)", RuntimeError, "running_mean must be defined in evaluation mode"),
    ("f.batch_norm(r(2, 3), z(3), None)", RuntimeError, "running_var must be defined in evaluation mode"),
    ("f.batch_norm(r(2, 3), z(2), o(3))", RuntimeError, "running_mean should contain 3 elements not 2"),
    ("f.batch_norm(r(2, 3), z(3), o(2))", RuntimeError, "running_var should contain 3 elements not 2"),
    ("f.batch_norm(r(2, 3), z(3), o(3), o(2))", RuntimeError, "weight should contain 3 elements not 2"),
    ("f.batch_norm(r(2, 3), z(3), o(3), o(3), o(2))", RuntimeError, "bias should contain 3 elements not 2"),
    (
        "f.batch_norm(r(2, 3), z(3), None, training=True)",
        ValueError,
        "running_mean and running_var must either both be None or neither be None",
    ),
    (
        "f.batch_norm(r(2, 3), z(3), o(3), training=True, eps=0.0)",
        ValueError,
        "batch_norm eps must be positive during training, but got 0.0",
    ),
    ("f.batch_norm(r(2, 3), z(3), o(3), eps=-1.0)", ValueError, "batch_norm eps must be non-negative, but got -1.0"),
    (
        "f.batch_norm(r(2, 3).double(), z(3), o(3), training=True)",
        RuntimeError,
        "mixed dtype (CPU): all inputs must share same datatype.",
    ),
    (
        "f.batch_norm(r(2, 3), z(3).double(), o(3).double(), training=True)",
        RuntimeError,
        "mixed dtype (CPU): expect parameter to have scalar type of Float",
    ),
    (
        "f.batch_norm(r(2, 3).long(), z(3), o(3), training=True)",
        NotImplementedError,
        "\"batch_norm\" not implemented for 'Long'",
    ),
    (
        "f.layer_norm(r(2, 3), (2,))",
        RuntimeError,
        "Given normalized_shape=[2], expected input with shape [*, 2], but got input of s",
    ),
    (
        "f.layer_norm(r(2, 3), ())",
        RuntimeError,
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at",
    ),
    (
        "f.layer_norm(r(2, 3), 3)",
        TypeError,
        "layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, no",
    ),
    (
        "f.layer_norm(r(2, 3), (3,), o(2))",
        RuntimeError,
        "Expected weight to be of same shape as normalized_shape, but got weight of shape",
    ),
    (
        "f.layer_norm(r(2, 3), (3,), o(3), o(2))",
        RuntimeError,
        "Expected bias to be of same shape as normalized_shape, but got bias of shape [2]",
    ),
    (
        "f.layer_norm(r(2, 3), (3,), o(3).double())",
        RuntimeError,
        "mixed dtype (CPU): expect parameter to have scalar type of Float",
    ),
    (
        "f.layer_norm(r(2, 3), (3,), o(3).half())",
        RuntimeError,
        "mixed dtype (CPU): expect parameter to have scalar type of Float",
    ),
    (
        "f.group_norm(r(2, 4, 3).half(), 2, o(4).double())",
        RuntimeError,
        "mixed dtype (CPU): expect parameter to have scalar type of Float",
    ),
    ("f.layer_norm(r(2, 3).long(), (3,))", NotImplementedError, "\"LayerNormKernelImpl\" not implemented for 'Long'"),
    ("f.group_norm(r(2), 1)", RuntimeError, "Expected at least 2 dimensions for input tensor but received 1"),
    (
        "f.group_norm(r(2, 3), 2)",
        RuntimeError,
        "Expected number of channels in input to be divisible by num_groups, but got",
    ),
    (
        "f.group_norm(r(1, 1), 1)",
        ValueError,
        "Expected more than 1 value per channel when training, got input size [1, 1]",
    ),
    (
        "f.group_norm(r(2, 4, 3), 2, o(3))",
        RuntimeError,
        "Expected weight to be a vector of size equal to the number of channels in input,",
    ),
    (
        "f.group_norm(r(2, 4, 3), 2, o(4), o(3))",
        RuntimeError,
        "Expected bias to be a vector of size equal to the number of channels in input",
    ),
    (
        "f.rms_norm(r(2, 3), (2,))",
        RuntimeError,
        "Given normalized_shape=[2], expected input with shape [*2], but got input of",
    ),
    ("f.rms_norm(r(2, 3), (3,), o(2))", RuntimeError, "Expected weight to be of same shape as normalized_shape"),
    ("f.rms_norm(r(2, 3).long(), (3,))", NotImplementedError, "\"rms_norm\" not implemented for 'Long'"),
]


def evaluate(F: Any, text: str) -> Any:
    def floats(*shape: int) -> Any:
        return F.tensor(np.cos(np.arange(int(np.prod(shape))) * 2.0).reshape(shape) * 3, dtype=F.float32)

    return eval(text, {"F": F, "f": F.nn.functional, "r": floats, "z": F.zeros, "o": F.ones})


for _text in RESULTS:
    behaviours(_text)(lambda F, text=_text: evaluate(F, text))
for _text, _error, _says in ERRORS:
    behaviours(_text, error=_error, says=_says)(lambda F, text=_text: evaluate(F, text))


MIXED = {
    "batch_norm": "f.batch_norm(x, m, v, w, b, training=True)",
    "batch_norm in evaluation": "f.batch_norm(x, m, v, w, b)",
    "batch_norm without weights": "f.batch_norm(x, m, v, training=True) * w + b",
    "layer_norm": "f.layer_norm(x, (3,), w, b)",
    "group_norm": "f.group_norm(x.view(2, 3, 2), 3, w, b)",
}


@pytest.mark.parametrize("name", MIXED)
def test_of_float16_beside_float32_is_computed_as_float32_and_rounded(name: str, torch: types.ModuleType) -> None:
    found = []
    for F in (minigrad, torch):
        x = F.tensor([[1000.0, 2.0, 300.0], [3000.0, 1.0, -7.0], [500.0, 4.0, 9.0], [0.0, 8.0, 1.0]], dtype=F.float16)
        x.requires_grad_()
        w, b = F.tensor([1.0, 2.0, -3.0], requires_grad=True), F.tensor([0.1, 0.2, 0.3], requires_grad=True)
        given = {"f": F.nn.functional, "x": x, "w": w, "b": b, "m": F.tensor([9.0, 2.0, 3.0]), "v": F.ones(3) * 2000}
        out = eval(MIXED[name], given)
        (out.float() * F.arange(out.numel()).view(out.shape)).sum().backward()
        found.append([out, x.grad, w.grad, b.grad, given["m"], given["v"]])
    for one, other in zip(*found, strict=True):
        assert str(one.dtype).partition(".")[2] == str(other.dtype).partition(".")[2]
        near = 2e-3 * max(1e-3, float(other.detach().abs().max()))  # torch rounds some steps of these gradients
        np.testing.assert_allclose(one.detach().float().numpy(), other.detach().float().numpy(), 2e-3, near)


@behaviours("batch_norm: running statistics move in place, in training only")
def _(F: Any) -> Any:
    mean, var, seen = F.zeros(3), F.ones(3), []
    for training, momentum in ((True, 0.1), (True, 1.0), (False, 0.5), (True, 0.0)):
        x = F.tensor(np.cos(np.arange(24.0)).reshape(4, 3, 2), dtype=F.float32, requires_grad=True)
        F.nn.functional.batch_norm(x, mean, var, training=training, momentum=momentum)
        seen += [mean.clone(), var.clone()]
    return seen, mean.requires_grad


@behaviours("batch_norm: a second backward needs the graph", error=RuntimeError, says="Trying to backward through the")
def _(F: Any) -> Any:
    x = F.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    out = F.nn.functional.batch_norm(x, None, None, training=True).square().sum()
    out.backward()
    out.backward()


@behaviours(
    "layer_norm: a write to the input after it was saved is an error",
    error=RuntimeError,
    says="one of the variables needed for gradient computation has been modified by an inplace operation",
)
def _(F: Any) -> Any:
    x = F.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True) * 1
    out = F.nn.functional.layer_norm(x, (2,))
    x.mul_(2)
    out.sum().backward()


@behaviours("batch_norm of a vector without elements: gradients of weight and bias are zeros")
def _(F: Any) -> Any:
    x, weight, bias = (F.ones(size, requires_grad=True) for size in (0, 3, 3))
    y = F.nn.functional.batch_norm(x, F.zeros(3), F.ones(3), weight, bias, True)
    return y, F.autograd.grad(y.sum(), (x, weight, bias))


test_as_in_torch = behaviours.test()

NORMS: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {
    "batch_norm": (lambda F, x, w, b: F.nn.functional.batch_norm(x, None, None, w, b, True), (4,)),
    "batch_norm in evaluation": (
        lambda F, x, w, b: F.nn.functional.batch_norm(
            x, F.full((4,), 0.5, dtype=x.dtype), F.full((4,), 2.0, dtype=x.dtype), w, b
        ),
        (4,),
    ),
    "group_norm": (lambda F, x, w, b: F.nn.functional.group_norm(x, 2, w, b), (4,)),
    "layer_norm": (lambda F, x, w, b: F.nn.functional.layer_norm(x, (2, 5), w, b), (2, 5)),
    "rms_norm": (lambda F, x, w, b: F.nn.functional.rms_norm(x, (2, 5), w, 0.1) + b, (2, 5)),
}
LAYOUTS = {"as it is": (0, 1, 2, 3), "batch last": (1, 2, 3, 0), "channels last": (0, 2, 3, 1), "turned": (3, 2, 1, 0)}


def laid_out(array: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """The same numbers, with the dimensions in another order in memory."""
    return np.ascontiguousarray(array.transpose(order)).transpose(np.argsort(order))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("offset", [0.0, 40.0])
@pytest.mark.parametrize("name", NORMS)
def test_gradients_together_are_those_of_the_formula(name: str, offset: float, layout: str, torch: Any) -> None:
    """In every layout of memory, near and far from 0, whichever gradients are wanted; and they are torch's."""
    function, shape = NORMS[name]
    random = np.random.default_rng(0)
    numbers = [
        random.standard_normal((3, 4, 2, 5)) + offset,
        random.standard_normal(shape),
        random.standard_normal(shape),
    ]
    order = LAYOUTS[layout]
    arrays = [laid_out(numbers[0], order), *numbers[1:]]
    g = laid_out(random.standard_normal((3, 4, 2, 5)), LAYOUTS["channels last"])
    inputs = [from_array(array).requires_grad_() for array in arrays]
    out = function(minigrad, *inputs)
    start = from_array(g)
    recorded = minigrad.autograd.grad(out, inputs, start, create_graph=True)
    together = minigrad.autograd.grad(out, inputs, start, retain_graph=True)
    leaves = [torch.tensor(array, requires_grad=True) for array in numbers]
    theirs = torch.autograd.grad(function(torch, *leaves), leaves, torch.tensor(g))
    for number, expected in enumerate(theirs):
        (alone,) = minigrad.autograd.grad(out, inputs[number], start, retain_graph=True)
        for actual in (recorded[number], together[number], alone):
            np.testing.assert_allclose(actual.detach().numpy(), expected.numpy(), rtol=1e-8, atol=1e-8 + 1e-10 * offset)


@pytest.mark.parametrize("layout", ["as it is", "batch last", "channels last"])
def test_batch_norm_keeps_the_layout(layout: str) -> None:
    array = laid_out(np.random.default_rng(0).standard_normal((3, 4, 2, 5)), LAYOUTS[layout])
    x = from_array(array).requires_grad_()
    out = minigrad.nn.functional.batch_norm(x, None, None, training=True)
    (gradient,) = minigrad.autograd.grad(out, x, from_array(array * 2))
    assert out._array.strides == gradient._array.strides == array.strides


@pytest.mark.parametrize("name", NORMS)
def test_gradients_are_exact_far_from_0(name: str) -> None:
    """float32, with a mean of 300: no more digits are lost than the inputs themselves have lost."""
    function, shape = NORMS[name]
    random = np.random.default_rng(0)
    x = (random.standard_normal((3, 4, 2, 5)) + (0 if name in ("rms_norm", "batch_norm in evaluation") else 300)).round(
        3
    )
    arrays = [x.astype("float32"), *(random.standard_normal(shape).astype("float32") for _ in range(2))]
    results = []
    for dtype in ("float32", "float64"):
        inputs = [minigrad.tensor(array.astype(dtype), requires_grad=True) for array in arrays]
        out = function(minigrad, *inputs)
        g = minigrad.tensor(np.cos(np.arange(120.0)).reshape(3, 4, 2, 5) + 1, dtype=out.dtype)
        results.append(minigrad.autograd.grad(out, inputs, g))
    for number, (single, double) in enumerate(zip(*results, strict=True)):
        np.testing.assert_allclose(single.numpy(), double.numpy(), rtol=2e-3, atol=2e-3, err_msg=f"input {number}")


@pytest.mark.parametrize("offset", [0.0, 3.0, 1000.0])
def test_statistics_are_exact_far_from_0(offset: float) -> None:
    """float32: the squares of numbers near 1000 have no digits left for a spread of 1."""
    x = (np.random.default_rng(0).standard_normal((64, 2, 9)) + offset).astype("float32")
    mean, var = minigrad.zeros(2), minigrad.ones(2)
    minigrad.nn.functional.batch_norm(minigrad.tensor(x), mean, var, training=True, momentum=1.0)
    exact = x.astype("float64")
    np.testing.assert_allclose(mean.numpy(), exact.mean((0, 2)), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(var.numpy(), exact.var((0, 2), ddof=1), rtol=1e-5)


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_rows_beyond_one_block_have_the_gradients_of_the_rule(name: str) -> None:
    """The ordinary backward goes block by block; that of create_graph=True follows the formula."""
    random = np.random.default_rng(0)
    x, weight = (minigrad.tensor(random.standard_normal(shape), requires_grad=True) for shape in ((250, 600), (600,)))
    out = getattr(minigrad.nn.functional, name)(x, (600,), weight)
    g = minigrad.tensor(random.standard_normal((250, 600)))
    by_block = minigrad.autograd.grad(out, (x, weight), g, retain_graph=True)
    by_rule = minigrad.autograd.grad(out, (x, weight), g, create_graph=True)
    for block, rule in zip(by_block, by_rule, strict=True):
        np.testing.assert_allclose(block.numpy(), rule.detach().numpy(), rtol=1e-9, atol=1e-12)


def test_a_constant_row_of_float16_has_the_gradient_0() -> None:
    """1 / sqrt(eps) is 316 there, whose square no float16 can hold."""
    x = minigrad.ones(2, 4, dtype=minigrad.float16, requires_grad=True)
    minigrad.nn.functional.layer_norm(x, (4,)).backward(minigrad.ones(2, 4, dtype=minigrad.float16))
    assert x.grad.tolist() == [[0.0] * 4] * 2

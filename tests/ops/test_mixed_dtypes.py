"""Operands of two floating dtypes: both are promoted before anything is computed, forwards and backwards; each gradient
has its input's dtype; and what takes one dtype only says so in PyTorch's words.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad

KINDS = ("float16", "float32", "float64")
PAIRS = list(itertools.permutations(KINDS, 2))
A = [[1.7, 0.4, 0.9], [0.3, 1.2, 1.9], [0.7, 1.1, 0.6]]
B = [[0.6, 1.3, 0.9], [1.8, 0.5, 1.4], [0.7, 1.6, 0.35]]


def losses(F: Any) -> Any:
    return F.nn.functional


def copied(F: Any, a: Any, b: Any) -> Any:
    return a.clone().copy_(b)


COMPUTED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda F, a, b: a + b,
    "add alpha": lambda F, a, b: F.add(a, b, alpha=0.7),
    "sub": lambda F, a, b: a - b,
    "mul": lambda F, a, b: a * b,
    "div": lambda F, a, b: a / b,
    "pow": lambda F, a, b: a**b,
    "pow of a 0-d base": lambda F, a, b: a[0, 0] ** b[0, 0],
    "pow in place": lambda F, a, b: a.clone().pow_(b),
    "remainder": lambda F, a, b: a % b,
    "maximum": lambda F, a, b: F.maximum(a, b),
    "minimum": lambda F, a, b: F.minimum(a, b),
    "where": lambda F, a, b: F.where(a > 1, a, b),
    "mul in place": lambda F, a, b: a.clone().mul_(b),
    "copy": copied,
    "cat": lambda F, a, b: F.cat([a, b]),
    "stack": lambda F, a, b: F.stack([a, b]),
    "outer": lambda F, a, b: F.outer(a[0], b[0]),
    "mse": lambda F, a, b: losses(F).mse_loss(a, b),
    "l1": lambda F, a, b: losses(F).l1_loss(a, b),
    "smooth l1": lambda F, a, b: losses(F).smooth_l1_loss(a, b),
    "bce with logits": lambda F, a, b: losses(F).binary_cross_entropy_with_logits(a, b / 4),
    "soft targets": lambda F, a, b: losses(F).cross_entropy(a, b),
}
STEPS = {"float16": 2e-3, "float32": 1e-5, "float64": 1e-9}
# PyTorch rounds after each of several steps: the logarithm of a float16 sigmoid, its log_softmax.
ROUNDED_BETWEEN = ("bce with logits", "soft targets")


def results(F: Any, compute: Callable[[Any, Any, Any], Any], *kinds: str) -> list[Any]:
    """The result, and the gradients of both inputs, as arrays; by a backward, and by one that is recorded."""
    a, b = (
        F.tensor(numbers, dtype=getattr(F, kind), requires_grad=True)
        for numbers, kind in zip((A, B), kinds, strict=True)
    )
    found = []
    for recorded in (False, True):
        out = compute(F, a, b)
        weights = F.tensor(np.linspace(0.5, 1.5, out.numel()).tolist(), dtype=out.dtype).reshape(out.shape)
        found += [out, *F.autograd.grad(out, (a, b), weights, create_graph=recorded, allow_unused=True)]
    return [each if each is None else each.detach().numpy() for each in found]


@pytest.mark.parametrize("kinds", PAIRS, ids=str)
@pytest.mark.parametrize("name", COMPUTED)
def test_both_are_promoted_first(name: str, kinds: tuple[str, str]) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = (results(F, COMPUTED[name], *kinds) for F in (minigrad, torch))
    for own, other in zip(ours, theirs, strict=True):
        assert (own is None) == (other is None)
        if own is not None:
            assert (own.dtype, own.shape) == (other.dtype, other.shape)
            narrowest = min(kinds, key=KINDS.index) if name in ROUNDED_BETWEEN else other.dtype.name
            np.testing.assert_allclose(own, other, rtol=STEPS[narrowest], atol=STEPS[narrowest])


@pytest.mark.parametrize("kind", ["int64", "uint8"])
def test_a_power_keeps_its_whole_exponent_as_it_is(kind: str) -> None:
    torch = pytest.importorskip("torch")
    saved = []
    for F in (minigrad, torch):
        x = F.tensor([1.7, 2.3, 0.0], requires_grad=True)
        y = x ** F.tensor([1, 0, 1], dtype=getattr(F, kind))
        kept = str(y.grad_fn._saved_exponent.dtype).partition(".")[2]
        y.sum().backward()
        saved.append((kept, y.tolist(), x.grad.tolist()))
    assert saved[0] == saved[1]
    assert saved[0][0] == kind


def image(F: Any, x: Any) -> Any:
    return x[None, None].expand(8, 3, 3, 3).repeat(1, 1, 8, 8)


REFUSED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "matmul": lambda F, a, b: a @ b,
    "mv": lambda F, a, b: F.mv(a, b[0]),
    "dot": lambda F, a, b: F.dot(a[0], b[0]),
    "bmm": lambda F, a, b: F.bmm(a[None], b[None]),
    "linear": lambda F, a, b: losses(F).linear(a, b),
    "linear bias": lambda F, a, b: losses(F).linear(a, a, b[0]),
    "conv2d": lambda F, a, b: losses(F).conv2d(image(F, a), b[:, :, None, None].expand(3, 3, 2, 2)),
    "conv2d bias": lambda F, a, b: losses(F).conv2d(image(F, a), a[:, :, None, None], b[0]),
    "bce": lambda F, a, b: losses(F).binary_cross_entropy(a / 4, b / 4),
    "class weights": lambda F, a, b: losses(F).cross_entropy(a, F.tensor([0, 1, 2]), b[0].detach()),
    "attention": lambda F, a, b: losses(F).scaled_dot_product_attention(a[None], b[None], a[None]),
    "scatter": lambda F, a, b: a.scatter(0, F.tensor([[0]]), b),
    "index_copy": lambda F, a, b: a.index_copy(0, F.tensor([0]), b[:1]),
    "allclose": lambda F, a, b: F.allclose(a, b),
}


def refusal(F: Any, compute: Callable[[Any, Any, Any], Any], *kinds: str) -> tuple[str, str]:
    a, b = (
        F.tensor(numbers, dtype=getattr(F, kind), requires_grad=True)
        for numbers, kind in zip((A, B), kinds, strict=True)
    )
    with pytest.raises(RuntimeError) as caught:
        compute(F, a, b)
    return type(caught.value).__name__, str(caught.value).split("\n")[0].replace("torch.", "minigrad.")


@pytest.mark.parametrize("kinds", PAIRS, ids=str)
@pytest.mark.parametrize("name", REFUSED)
def test_what_takes_one_dtype_says_so(name: str, kinds: tuple[str, str]) -> None:
    torch = pytest.importorskip("torch")
    (own, words), (other, theirs) = (refusal(F, REFUSED[name], *kinds) for F in (minigrad, torch))
    assert own == other
    if (name, kinds[0]) == ("conv2d", "float16") and not torch.ops.mkldnn._is_mkldnn_fp16_supported():
        # On processors without kernels for float16 PyTorch has other words; ours are those of all the others.
        assert theirs.startswith("expected scalar type Half but found ")
        theirs = (
            f"Input type (minigrad.HalfTensor) and weight type (minigrad.{theirs.split()[-1]}Tensor) should be the same"
        )
    assert words.startswith(theirs.partition(" or input should be a MKLDNN")[0])


@pytest.mark.parametrize("kinds", [("float16", "float32"), ("float64", "float32"), ("float32", "float64")], ids=str)
def test_a_mask_of_float32_goes_with_all_queries(kinds: tuple[str, str]) -> None:
    torch = pytest.importorskip("torch")
    found = []
    for F in (minigrad, torch):
        x = F.tensor(A, dtype=getattr(F, kinds[0]), requires_grad=True)
        mask = F.tensor(B, dtype=getattr(F, kinds[1]))
        try:
            out = losses(F).scaled_dot_product_attention(x[None], x[None], x[None], mask)
            out.sum().backward()
            found.append([out.detach().numpy(), x.grad.numpy()])
        except RuntimeError as error:
            found.append(str(error)[:90])
    ours, theirs = found
    if isinstance(theirs, str):
        assert ours == theirs
    else:
        for own, other in zip(ours, theirs, strict=True):
            assert own.dtype == other.dtype
            np.testing.assert_allclose(own, other, rtol=STEPS[kinds[0]], atol=STEPS[kinds[0]])

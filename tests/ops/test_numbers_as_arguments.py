"""Numbers beside tensors that a dtype cannot hold, names that are no device, and complex numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.side_by_side import Behaviours

import minigrad

behaviours = Behaviours()


@behaviours("alpha counts in the dtype of the result: -2 is 254 in uint8, 2 is true among bools")
def _(F):
    small, bools = F.tensor([1, 5], dtype=F.uint8), F.tensor([True, False])
    return (
        [small.add(1, alpha=-2), small.sub(1, alpha=-2), small.add(small, alpha=-2), small.clone().add_(1, alpha=-2)],
        [bools.add(bools, alpha=2), bools.add(bools, alpha=True)],
        [F.tensor([1, 5]).add(1.0, alpha=1.5), F.tensor([1, 5]).add(F.tensor([0.5, 2.0]), alpha=2)],
    )


@behaviours("alpha in place: of the same tensor, of one number, of float16, which is rounded once")
def _(F):
    half = F.tensor([1.0, 0.1, 2049.0]).half()
    x, y = F.arange(5.0), F.arange(5.0)
    return (
        [x.add_(x, alpha=-0.3), y.sub_(F.tensor(0.7), alpha=3), half.sub_(half.flip(0), alpha=0.37)],
        [x._version, y._version, half._version],
    )


ALPHAS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "add(alpha=300) of uint8": (
        lambda F: F.ones(2, dtype=F.uint8).add(1, alpha=300),
        "value cannot be converted to type uint8_t without overflow",
    ),
    "sub(alpha=1000) of int8": (
        lambda F: F.ones(2, dtype=F.int8).sub(1, alpha=1000),
        "value cannot be converted to type int8_t without overflow",
    ),
    "add_(alpha=1.5) of integers": (
        lambda F: F.tensor([1, 5]).add_(1, alpha=1.5),
        "For integral input tensors, argument alpha must not be a floating point number.",
    ),
    "add_(alpha=False) of floats": (
        lambda F: F.ones(2).add_(F.ones(2), alpha=False),
        "Boolean alpha only supported for Boolean results.",
    ),
    "add_(alpha=2) of a part of the tensor": (
        lambda F: (lambda x: x[1:].add_(x[:-1], alpha=2))(F.arange(5.0)),
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory",
    ),
    "add(alpha=True) of floats": (
        lambda F: F.ones(2).add(1, alpha=True),
        "Boolean alpha only supported for Boolean results.",
    ),
}


def refused(text: str, call: Callable[[Any], Any], says: str) -> None:
    @behaviours(text, error=RuntimeError, says=says)
    def _(F):
        call(F)


for text, (call, says) in ALPHAS.items():
    refused(text, call, says)

for name in ("bfloat16", "float32"):
    refused(
        f"to({name!r}) names no device", lambda F, name=name: F.ones(1).to(name), f"Invalid device string: '{name}'"
    )
refused("to('foo')", lambda F: F.ones(1).to("foo"), "Expected one of cpu, cuda,")


refused(
    "logsumexp(dim=()) has no shape to write to",
    lambda F: F.ones(2, 3).logsumexp(dim=()),
    "output with shape [] doesn't match the broadcast shape [1, 1]",
)


@behaviours("logsumexp(dim=()) of a number, and of all with keepdim")
def _(F):
    return F.tensor(2.0).logsumexp(dim=()), F.ones(2, 3).logsumexp(dim=(), keepdim=True)


MISSING: dict[str, Callable[[Any], Any]] = {
    "arange": lambda F: F.arange(),
}


def missing(name: str, call: Callable[[Any], Any]) -> None:
    @behaviours(f"{name} without its arguments", error=TypeError, says=f"{name}() received an invalid combination")
    def _(F):
        call(F)


for name, call in MISSING.items():
    missing(name, call)


behaviours.table(
    ("arange(end=3)", lambda F: (F.arange(end=3), F.arange(start=1, end=3))),
    ("~ of floats", lambda F: ~F.ones(2),
     TypeError, "~ (operator.invert) is only implemented on integer and Boolean-type"),
)  # fmt: skip


test_as_in_torch = behaviours.test()


@pytest.mark.parametrize("number", [1j, np.complex128(1j)], ids=["Python's", "numpy's"])
@pytest.mark.parametrize("combine", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
def test_complex_numbers_are_refused_in_words(combine: Callable[[Any, Any], Any], number: Any) -> None:
    x = minigrad.ones(2)
    with pytest.raises(TypeError, match=r"'Tensor' and '.*complex.*'\. Complex numbers are not supported"):
        combine(x, number)
    with pytest.raises(TypeError, match="complex"):
        combine(number, x)


def test_functions_and_in_place_forms_refuse_complex_numbers() -> None:
    x = minigrad.ones(2)
    for call in (lambda: minigrad.mul(x, 1j), lambda: minigrad.add(x, np.complex64(1j)), lambda: x.mul_(1j)):
        with pytest.raises(TypeError, match="complex"):
            call()

"""The sign of a zero, which `==` does not see and `1 / x` does: what keeps a number keeps the sign of a zero, too."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import minigrad

ZEROS = [-0.0, 0.0, -1.0, 4.0, -4.0, 2.0] * 4  # as many as fill vectors of the processor, and some more
SIGNED: dict[str, Callable[[Any, Any], Any]] = {
    "clamp": lambda F, x: x.clamp(0.0, 1.0),
    "clamp from below": lambda F, x: x.clamp(min=0),
    "clamp from below by -0": lambda F, x: x.clamp(min=-0.0),
    "clamp from above": lambda F, x: x.clamp(max=0.0),
    "clamp from above by -0": lambda F, x: x.clamp(-2.0, -0.0),
    "relu": lambda F, x: F.relu(x),
    "remainder": lambda F, x: x % 2,
    "remainder of a negative number": lambda F, x: x % -2.0,
    "remainder of tensors": lambda F, x: x % F.full_like(x, -2.0),
    "remainder of a number": lambda F, x: 4 % (x + 0.5).round().abs().clamp(1, 2).mul(-1),
    "running sum": lambda F, x: (x * 0).cumsum(0),
    "sum": lambda F, x: (x[:1] * 0).sum(),
}


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", SIGNED)
def test_a_zero_has_the_sign_that_it_has_in_torch(name: str, kind: str) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = (
        SIGNED[name](F, F.tensor(ZEROS, dtype=getattr(F, kind))).reshape(-1).tolist() for F in (minigrad, torch)
    )
    assert ours == theirs
    assert [math.copysign(1, number) for number in ours] == [math.copysign(1, number) for number in theirs]


def test_whole_numbers_have_the_remainder_of_their_divisors_sign() -> None:
    numbers = minigrad.tensor([-7, 7, -6, 6])
    assert (numbers % 3).tolist() == [2, 1, 0, 0]
    assert (numbers % -3).tolist() == [-1, -2, 0, 0]
    assert (numbers % 3).dtype is minigrad.int64

"""Leaves to differentiate, from which scenarios begin."""

from __future__ import annotations

from typing import Any


def leaf(F: Any, *values: float) -> Any:
    """A vector that requires grad: 1 and 2, unless said otherwise."""
    return F.tensor(values or (1.0, 2.0), requires_grad=True)

"""Inputs that the scenarios of `autograd.functional` share."""

from __future__ import annotations

from typing import Any

X = [0.5, -1.0, 2.0]
W = [[1.0, 2.0, -1.0], [0.5, -0.5, 3.0]]


def vector(F: Any, requires_grad: bool = False) -> Any:
    return F.tensor(X, requires_grad=requires_grad)


def matrix(F: Any) -> Any:
    return F.tensor(W)


def functional(F: Any) -> Any:
    return F.autograd.functional


def both_ways(F: Any, f: Any, inputs: Any) -> Any:
    """A Jacobian in blocks of rows, and all rows at once."""
    jacobian = functional(F).jacobian
    return [jacobian(f, inputs), jacobian(f, inputs, vectorize=True)]

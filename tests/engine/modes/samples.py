"""The modes that are on, inference tensors, and each mode as a decorator."""

from __future__ import annotations

from typing import Any

INPLACE = "Inplace update to inference tensor outside InferenceMode is not allowed."


def modes(F: Any) -> tuple[bool, bool]:
    return F.is_grad_enabled(), F.is_inference_mode_enabled()


def inferred(F: Any, *values: float) -> Any:
    """A tensor made in inference mode, which is over."""
    with F.inference_mode():
        return F.tensor(values or (1.0, 2.0))


def decorators(F: Any) -> list[Any]:
    """Each mode as a decorator, in each way of writing it. (The last acts as soon as it is made, hence the lambda.)"""
    return [
        F.no_grad(),
        F.no_grad,
        F.enable_grad(),
        F.enable_grad,
        F.inference_mode(),
        F.inference_mode,
        F.inference_mode(False),
        lambda function: F.set_grad_enabled(False)(function),
    ]

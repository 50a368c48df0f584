"""Checkpoints to look at, and functions whose runs are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad.utils.checkpoint  # noqa: F401 (so that F.utils.checkpoint is there)


def checkpoint(F: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return F.utils.checkpoint.checkpoint(function, *args, use_reentrant=False, **kwargs)


def counted(function: Callable[..., Any], runs: list[Any]) -> Callable[..., Any]:
    def counting(*args: Any, **kwargs: Any) -> Any:
        runs.append(1)
        return function(*args, **kwargs)

    return counting


def wave(x: Any) -> Any:
    return (x * x).sin().exp()

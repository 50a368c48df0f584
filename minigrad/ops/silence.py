"""numpy in silence: functions in which it warns of nothing, and after which its error state is as it was.

numpy keeps that state in a context variable, and `np.linalg` and `np.isclose` change it too while they run. The stop
button can end them between the change and what puts it back: all later numpy code of the kernel would raise or keep
silent where it should not. In a context of its own, which Python's C code enters and leaves, nothing is left behind.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, TypeVar

import numpy as np

Result = TypeVar("Result")


def silent(function: Callable[..., Result]) -> Callable[..., Result]:
    """The function in a context of its own, where numpy warns of nothing."""

    @functools.wraps(function)
    def in_own_context(*arguments: Any, **options: Any) -> Result:
        return copy_context().run(_call_silently, function, arguments, options)

    return in_own_context


def _call_silently(function: Callable[..., Result], arguments: tuple[Any, ...], options: dict[str, Any]) -> Result:
    np.seterr(all="ignore")
    return function(*arguments, **options)

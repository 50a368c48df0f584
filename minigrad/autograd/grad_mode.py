"""Whether operations are being recorded.

After this module a reader knows what `no_grad` switches, for whom (this thread alone), and how an operation finds out
at no cost while nothing unusual is going on: `modes.special` is a count of unusual things in force anywhere in the
process (a thread with recording off, an observer of new nodes). Every op looks at that one number and asks further
questions only when it is not zero.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Modes:
    """`special` counts the unusual modes in force; `observer` is called with each node recorded, or None."""

    __slots__ = ("special", "observer")

    def __init__(self) -> None:
        self.special = 0
        self.observer: Callable[[Any, Any], None] | None = None


class _Thread(threading.local):
    grad_enabled = True


modes = Modes()
_thread = _Thread()
_lock = threading.Lock()


def is_grad_enabled() -> bool:
    """True if this thread records operations (the default)."""
    return _thread.grad_enabled


def _switch(enabled: bool) -> bool:
    """Turn recording on or off in this thread; return what it was."""
    previous = _thread.grad_enabled
    if previous is not enabled:
        _thread.grad_enabled = enabled
        with _lock:
            modes.special += 1 if previous else -1
    return previous


def set_creation_observer(observer: Callable[[Any, Any], None] | None) -> Callable[[Any, Any], None] | None:
    """Have `observer(node, out)` called with each node recorded from now on and its result (a numpy array); None ends
    that.

    Returns the observer that was installed before, so that the caller can put it back.
    """
    with _lock:
        previous, modes.observer = modes.observer, observer
        modes.special += (observer is not None) - (previous is not None)
    return previous


class _GradMode:
    """What no_grad, enable_grad and set_grad_enabled share: a context, reusable and nestable, and a decorator."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._previous: list[bool] = []

    def __enter__(self) -> None:
        self._previous.append(_switch(self._enabled))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _switch(self._previous.pop())

    def __call__(self, function: Decorated) -> Decorated:
        enabled = self._enabled

        @functools.wraps(function)
        def in_mode(*args: Any, **kwargs: Any) -> Any:
            previous = _switch(enabled)
            try:
                return function(*args, **kwargs)
            finally:
                _switch(previous)

        return in_mode  # type: ignore[return-value]


class no_grad(_GradMode):
    """Operations inside are not recorded: their results need no gradient. Use as `with no_grad():` or `@no_grad()`."""

    def __init__(self) -> None:
        super().__init__(False)


class enable_grad(_GradMode):
    """Operations inside are recorded, also within `no_grad`."""

    def __init__(self) -> None:
        super().__init__(True)


class set_grad_enabled(_GradMode):
    """Turn recording on or off by a bool, at once; as a context it is undone at the end."""

    def __init__(self, mode: Any) -> None:
        if not isinstance(mode, bool):
            kind = type(mode).__name__
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
        super().__init__(mode)
        self._before = _switch(self._enabled)

    def __enter__(self) -> None:
        _switch(self._enabled)
        self._previous.append(self._before)

    def __call__(self, function: Decorated) -> Decorated:
        _switch(self._before)
        return super().__call__(function)

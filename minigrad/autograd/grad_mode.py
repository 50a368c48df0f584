"""Whether operations are being recorded.

`no_grad`, `enable_grad`, `set_grad_enabled` and `inference_mode` switch that for this thread alone, until the block or
the decorated function ends, however it ends.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, TypeVar, overload

from minigrad.autograd.modes import Observer, count_special, count_special_here, modes, thread

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def is_grad_enabled() -> bool:
    """True if this thread records operations (the default)."""
    return thread.grad_enabled


def is_inference_mode_enabled() -> bool:
    """True inside `inference_mode()`."""
    return thread.inference


def is_recording() -> bool:
    """Whether an operation on tensors that need a gradient leaves a node: never in inference mode."""
    return thread.grad_enabled and not thread.inference


def switch_grad(enabled: bool) -> bool:
    """Turn recording on or off in this thread; return what it was."""
    previous = thread.grad_enabled
    if previous is not enabled:
        thread.grad_enabled = enabled
        count_special_here(1 if previous else -1)
    return previous


def _switch_inference(enabled: bool) -> bool:
    previous = thread.inference
    if previous is not enabled:
        thread.inference = enabled
        count_special_here(1 if enabled else -1)
    return previous


def set_creation_observer(observer: Observer | None) -> Observer | None:
    """Have `observer(node, out, inputs)` called with each node recorded from now on, its result (a numpy array; a list
    of them for a node with several) and its tensors; None ends that. The tensors stand in the order of
    `next_functions`; there are none for a write into a view.

    Returns the observer that was installed before, so that the caller can put it back.
    """
    previous, modes.observer = modes.observer, observer
    count_special((observer is not None) - (previous is not None))
    return previous


class Mode:
    """A mode as a context, nestable and reusable, and as a decorator of functions, generators and classes."""

    _previous: list[Any]

    def _switch_on(self) -> Any:
        """Put the mode in force; return what is needed to undo that."""
        raise NotImplementedError

    def _switch_back(self, previous: Any) -> None:
        raise NotImplementedError

    def _fresh(self) -> Mode:
        """A mode of the same kind for one call of a decorated function."""
        return type(self)()

    def __enter__(self) -> None:
        self._previous.append(self._switch_on())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._switch_back(self._previous.pop())

    def __call__(self, function: Decorated) -> Decorated:
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                "functions or methods. To preserve the current behavior of class decoration, you can directly "
                "decorate the `__init__` method and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
            return self(_construction(function))  # type: ignore[return-value]
        if inspect.isgeneratorfunction(function):
            return self._around_generator(function)

        @functools.wraps(function)
        def in_mode(*args: Any, **kwargs: Any) -> Any:
            with self._fresh():
                return function(*args, **kwargs)

        return in_mode  # type: ignore[return-value]

    def _around_generator(self, function: Any) -> Any:
        """The mode holds while the generator's body runs, not while its consumer does."""

        @functools.wraps(function)
        def in_mode(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            body = function(*args, **kwargs)
            resume, sent = body.send, None
            while True:
                try:
                    with self._fresh():
                        produced = resume(sent)
                except StopIteration as end:
                    return end.value
                try:
                    resume, sent = body.send, (yield produced)
                except GeneratorExit:
                    with self._fresh():
                        body.close()
                    raise
                except BaseException as error:
                    resume, sent = body.throw, error

        return in_mode


def _construction(decorated: type) -> Callable[..., Any]:
    """The making of an object, as a function."""
    return lambda *args, **kwargs: decorated(*args, **kwargs)


class _BareDecorator(type):
    """Lets `@no_grad` stand for `@no_grad()`."""

    def __call__(cls, function: Any = None) -> Any:
        return super().__call__() if function is None else super().__call__()(function)


class _GradMode(Mode):
    _enabled = True

    def __init__(self) -> None:
        self._previous = []

    def _switch_on(self) -> bool:
        return switch_grad(self._enabled)

    def _switch_back(self, previous: bool) -> None:
        switch_grad(previous)


class no_grad(_GradMode, metaclass=_BareDecorator):
    """Operations inside are not recorded: their results need no gradient. Use as `with no_grad():` or `@no_grad`."""

    _enabled = False


class enable_grad(_GradMode, metaclass=_BareDecorator):
    """Operations inside are recorded, also within `no_grad` (but not within `inference_mode`)."""


class set_grad_enabled(_GradMode):
    """Turn recording on or off by a bool, at once; as a context it is undone at the end."""

    def __init__(self, mode: Any) -> None:
        if not isinstance(mode, bool):
            kind = type(mode).__name__
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
        super().__init__()
        self._enabled = mode
        self._before = switch_grad(mode)

    @property
    def mode(self) -> bool:
        """Whether it turns recording on."""
        return self._enabled

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.mode})"

    def _switch_on(self) -> bool:
        switch_grad(self._enabled)
        return self._before

    def _fresh(self) -> Mode:
        return no_grad() if not self._enabled else enable_grad()

    def __call__(self, function: Decorated) -> Decorated:
        switch_grad(self._before)  # a decorator says what is to hold in the function, not here
        return super().__call__(function)


class inference_mode(Mode):
    """As no_grad, and for good: what is made inside can never take part in a graph, nor is it counted how often it was
    written to.
    """

    @overload
    def __new__(cls, mode: Decorated) -> Decorated: ...  # type: ignore[misc]
    @overload
    def __new__(cls, mode: bool = True) -> inference_mode: ...
    def __new__(cls, mode: Any = True) -> Any:
        if isinstance(mode, bool):
            return super().__new__(cls)
        return cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self._enabled = mode
        self._previous = []

    def _fresh(self) -> Mode:
        return type(self)(self._enabled)

    def _switch_on(self) -> tuple[bool, bool]:
        return switch_grad(not self._enabled), _switch_inference(self._enabled)

    def _switch_back(self, previous: tuple[bool, bool]) -> None:
        grad, inference = previous
        _switch_inference(inference)
        switch_grad(grad)

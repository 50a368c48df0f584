"""Whether operations are being recorded.

`no_grad`, `enable_grad`, `set_grad_enabled` and `inference_mode` switch that for this thread alone, until the block or
the decorated function ends, however it ends.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from contextlib import ContextDecorator
from typing import Any, TypeVar

from minigrad.autograd.blame import check_bool, warn
from minigrad.autograd.modes import set_recording, thread
from minigrad.stopping import sure_to_begin

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


class Mode(ContextDecorator):
    """Modes of this thread as a context, nestable and reusable, and as a decorator of functions and generators."""

    def __init__(self, grad_enabled: bool, inference: bool | None = None) -> None:
        self._modes = grad_enabled, inference
        self._outer: Any = None  # the modes before the innermost block, and those before the blocks around it

    def __enter__(self) -> None:
        self._outer = thread.grad_enabled, thread.inference, self._outer
        set_recording(self._modes[0], self._modes[1])  # last: once the mode is on, the block has begun

    @sure_to_begin
    def __exit__(self, *error: object) -> None:
        grad_enabled, inference, self._outer = self._outer
        set_recording(grad_enabled, None if self._modes[1] is None else inference)

    def __call__(self, function: Decorated) -> Decorated:
        if inspect.isclass(function):
            warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                "functions or methods. To preserve the current behavior of class decoration, you can directly decorate "
                "the `__init__` method and nothing else.",
                FutureWarning,
            )
        decorate = self._around_generator if inspect.isgeneratorfunction(function) else super().__call__
        return decorate(function)

    def _recreate_cm(self) -> Mode:
        return Mode(*self._modes)  # for each call of a decorated function, which may call itself

    def _around_generator(self, function: Any) -> Any:
        """The mode holds while the generator's body runs, not while its consumer does."""

        @functools.wraps(function)
        def in_mode(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            body = function(*args, **kwargs)
            resume, sent = body.send, None
            while True:
                try:
                    with Mode(*self._modes):
                        produced = resume(sent)
                except StopIteration as end:
                    return end.value
                try:
                    resume, sent = body.send, (yield produced)
                except BaseException as error:  # the consumer's: thrown in, or GeneratorExit when it closes this
                    resume, sent = body.throw, error

        return in_mode


class _BareDecorator(type):
    """Lets `@no_grad` stand for `@no_grad()`."""

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        if arguments and callable(arguments[0]):
            return super().__call__()(arguments[0])
        return super().__call__(*arguments, **named)

    def __enter__(cls) -> None:
        raise TypeError(f"'type' object does not support the context manager protocol: write `with {cls.__name__}():`")

    __exit__ = __enter__  # Python looks for both before it calls one


class no_grad(Mode, metaclass=_BareDecorator):
    """Operations inside are not recorded: their results need no gradient. Use as `with no_grad():` or `@no_grad`."""

    def __init__(self) -> None:
        super().__init__(grad_enabled=False)


class enable_grad(Mode, metaclass=_BareDecorator):
    """Operations inside are recorded, also within `no_grad` (but not within `inference_mode`)."""

    def __init__(self) -> None:
        super().__init__(grad_enabled=True)


class inference_mode(Mode, metaclass=_BareDecorator):
    """Operations inside are not recorded, and their results can never take part in a graph, not even later. Writes to
    them are not counted.
    """

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode, bool(mode))  # never what it was given itself: all operations ask for the mode


class set_grad_enabled(Mode):
    """Turn recording on or off by a bool, at once; as a context it is undone at the end."""

    # At once, as in PyTorch: `set_grad_enabled(False)` by itself is to stay. So a stop between this and the start of
    # its `with` block leaves the mode on: whether a block was to follow cannot be told from an object that goes away
    # unused. `with no_grad():` changes nothing before its block begins.
    def __init__(self, mode: Any) -> None:
        check_bool(mode, "set_grad_enabled(): argument 'enabled' (position 1) must be bool")
        super().__init__(mode)
        self.mode, self._before = mode, thread.grad_enabled
        set_recording(mode)

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.mode})"

    def __enter__(self) -> None:
        self._outer = self._before, thread.inference, self._outer
        set_recording(self.mode)

    def __call__(self, function: Decorated) -> Decorated:
        set_recording(self._before)  # a decorator says what is to hold in the function, not here
        return super().__call__(function)

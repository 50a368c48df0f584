"""How a profiler gets between a program and the functions that it calls, at no cost when it is off.

The one trick: a Python function can be given other code. While a profiler is on, each watched function has code that
does nothing but call the event log with the function as it was (`plain`). Whoever holds the function (a module, a
method, an operator) calls it as before. When the profiler is over, the function has its own code again. No op, and no
line of its written text, asks whether a profiler is on.

Watched are all ops that have been called once (the others are watched from their first call on), the public functions
that are made of ops (`conv2d`, `batch_norm`), those that make tensors (`zeros`, `randn`), the in-place methods,
`x[index] = value`, and `Function.apply`, the forward of custom Functions. The text of an op is written when it is first
used, which would count as its time: that is an event, too (`minigrad::write_op`). In an ordinary backward, rules run on
arrays, by the kernels in the namespace `arrays`: these are exchanged for recorded ones, so that it shows how much of
`ConvolutionBackward0` is the gradient of the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial, wraps
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from minigrad import op, op_text
from minigrad.autograd.function import Function
from minigrad.autograd.profiler import names

if TYPE_CHECKING:
    from minigrad.autograd.profiler.event_log import EventLog


class Watch:
    """The functions that one event log watches."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._codes: dict[FunctionType, tuple[FunctionType, CodeType]] = {}  # each as it was, and its other code
        self._kernels: dict[str, Any] = {}
        self._over = False

    def begin(self) -> None:
        """Watch all there is to watch. If that fails, `end()` is to be called."""
        with op_text.writing:
            for call in op.calls:
                self.watch_op(call)
            for name, function in names.functions():
                self._watch(function, partial(self._log.call, name))
            self._watch(Function.__dict__["apply"].__func__, self._custom)
            self._watch(op.define, partial(self._log.call, names.WRITING))  # type: ignore[arg-type]
            for assignment in names.loaded_modules("minigrad.ops.places.assignment"):
                self._watch(assignment.write_part, self._write_part)
            self._kernels = dict(vars(op.arrays))
            for name, kernel in self._kernels.items():
                setattr(op.arrays, name, self._logged_kernel(names.event_name(name), kernel))

    def watch_op(self, call: FunctionType) -> None:
        """Watch an op, unless all is over: its text may have been in the making when the profiler ended."""
        if not self._over:
            self._watch(call, partial(self._log.call, names.event_name(call.__name__)))

    def end(self) -> None:
        """Give every function its own code back."""
        with op_text.writing:
            self._over = True
            for function, (plain, other) in self._codes.items():
                if function.__code__ is other:
                    function.__code__ = plain.__code__
                if vars(function).get("__wrapped__") is plain:
                    del function.__wrapped__  # type: ignore[attr-defined]
            self._codes.clear()
            for name, kernel in self._kernels.items():
                setattr(op.arrays, name, kernel)
            self._kernels.clear()

    def _watch(self, function: FunctionType, call: Callable[..., Any]) -> None:
        """Have every call of the function made by `call(plain, arguments, options)`."""
        own = function.__code__
        if function in self._codes:
            return
        plain = FunctionType(own, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
        plain.__kwdefaults__, plain.__annotations__ = function.__kwdefaults__, function.__annotations__
        other = _calling(call, plain, own)
        self._codes[function] = (plain, other)  # first, so that `end()` knows of it whatever stops this
        vars(function).setdefault("__wrapped__", plain)  # whose signature shows
        function.__code__ = other

    # -- whose name depends on what is called

    def _custom(self, plain: FunctionType, arguments: Any, options: Any) -> Any:
        return self._log.call(arguments[0].__name__, partial(plain, arguments[0]), arguments[1:], options)

    def _write_part(self, plain: FunctionType, arguments: Any, options: Any) -> Any:
        """`x[index] = value` is one op or another in PyTorch, by the kind of index."""
        name = "aten::copy_" if arguments[2] is None else "aten::index_put_"
        return self._log.call(name, plain, arguments, options)

    def _logged_kernel(self, name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(kernel)
        def call(*arguments: Any, **options: Any) -> Any:
            return self._log.call(name, kernel, arguments, options)

        return call


@cache
def _pattern(free: tuple[str, ...]) -> CodeType:
    """The code of all watched functions but for two constants: which is called, and for which function.

    A function's code must name as many variables of outer functions as the one that it had before: `free`.
    """
    lines = ["def outer(" + ", ".join(free) + "):", "  def watched(*arguments, **options):"]
    lines += [f"    if 0: {', '.join(free)}"] if free else []
    lines += ["    call = 'the call'", "    return call('the function', arguments, options)", "  return watched"]
    namespace: dict[str, Any] = {}
    exec("\n".join(lines), namespace)
    return namespace["outer"](*[None] * len(free)).__code__


def _calling(call: Callable[..., Any], plain: FunctionType, own: CodeType) -> CodeType:
    """Code that returns `call(plain, arguments, options)`, whatever it is called with."""
    code = _pattern(own.co_freevars)
    constants = {"the call": call, "the function": plain}  # which a code may hold like any other constant
    return code.replace(
        co_consts=tuple([constants.get(value, value) if isinstance(value, str) else value for value in code.co_consts]),
        co_name=own.co_name,
        co_filename=own.co_filename,
        co_firstlineno=own.co_firstlineno,
    )

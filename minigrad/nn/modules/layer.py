"""Layer: a module that is described by its options, as a dataclass is: each annotated attribute is one.

    class LeakyReLU(Layer, function=F.leaky_relu):
        negative_slope: float = 1e-2
        inplace: bool = False

The order and the defaults of the annotations are those of `LeakyReLU(...)`, and repr shows
`LeakyReLU(negative_slope=0.01)`. Its `forward` is written at the first call, as plain as if somebody had typed it:
`return function(input, negative_slope=self.negative_slope, inplace=self.inplace)`. Layers that are more than a function
have a `forward` of their own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, dataclass_transform

from minigrad.absent import LEFT_OUT, takes_left_out
from minigrad.nn.modules.module import Module
from minigrad.op_text import CallWriter

Sizes = int | Sequence[int]


def one_per_dimension(value: Any, count: int) -> tuple[int, ...]:
    """A tuple as it is; a number `count` times, once for each dimension."""
    return tuple(value) if isinstance(value, Sequence) else (value,) * count


@dataclass_transform()
class Layer(Module):
    """The base of layers with options, which come from the annotations of a subclass and its bases.

    - `function`, if it is given, is what `forward` calls: with the inputs, and with all that the function has a
      parameter for among the options, `weight`, `bias` and `training`.
    - An option of type `Tensor | None` is a buffer.
    - After `_: KW_ONLY` come options that are given by name only.
    - `_set_up` checks the options, completes them and makes the parameters. The options that it takes as arguments do
      not become attributes. Where it takes `device` and `dtype`, these are the last of the options, unless they are
      annotated.
    """

    _options: ClassVar[dict[str, inspect.Parameter]] = {}
    _shown: ClassVar[tuple[str, ...] | None] = None  # the options that repr shows; None for all
    _unnamed = 0  # how many of them it shows without their names
    _shown_if_changed: ClassVar[tuple[str, ...]] = ()  # those that it shows only where they are not at their defaults

    def __init_subclass__(cls, function: Callable[..., Any] | None = None) -> None:
        super().__init_subclass__()
        if not cls.__module__.startswith("minigrad.nn."):
            return  # a learner's subclass of a layer may annotate what it likes
        if annotations := inspect.get_annotations(cls):
            cls._take_options(annotations)
        if function is not None:
            cls.forward = _ForwardWriter(cls, function).function  # type: ignore[method-assign]
        if cls.__name__ in LEFT_OUT:
            takes_left_out(cls)

    @classmethod
    def _take_options(cls, annotations: dict[str, Any]) -> None:
        kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
        cls._options = dict(cls._options)
        for name, annotation in annotations.items():
            if annotation == "KW_ONLY":
                kind = inspect.Parameter.KEYWORD_ONLY
            elif not annotation.startswith("ClassVar"):
                default = cls.__dict__.get(name, inspect.Parameter.empty)
                cls._options.pop(name, None)  # what is annotated again has its new place and kind
                cls._options[name] = inspect.Parameter(name, kind, default=default, annotation=annotation)
                if name in cls.__dict__:
                    delattr(cls, name)  # a class attribute would hide a buffer or parameter of this name
        for name in ("device", "dtype"):
            if name in cls._set_up.__code__.co_varnames and name not in annotations:
                cls._options.pop(name, None)
                cls._options[name] = inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
        cls.__init__ = _initializer(cls._options)  # type: ignore[method-assign]
        cls.__init__.__qualname__ = f"{cls.__name__}.__init__"  # what Python's errors about arguments say

    def _set_up(self, *args: Any, **kwargs: Any) -> None:
        """Check the options, and make what follows from them."""

    def extra_repr(self) -> str:
        shown = list(self._options if self._shown is None else self._shown)
        texts = [f"{name}={self._shown_value(name)!r}" for name in shown if name != "inplace" or self.inplace]
        texts[: self._unnamed] = [repr(self._shown_value(name)) for name in shown[: self._unnamed]]
        for name in self._shown_if_changed:
            value, default = self._shown_value(name), self._options[name].default
            if value != (one_per_dimension(default, len(value)) if isinstance(value, tuple) else default):
                texts.append(f"{name}={value}")
        return ", ".join(texts)

    def _shown_value(self, name: str) -> Any:
        """What repr says of an option: of a bias, whether there is one."""
        value = getattr(self, name)
        return value is not None if name == "bias" and not isinstance(value, bool) else value


class _ForwardWriter(CallWriter):
    """Makes the `forward` of a layer that is a function with options."""

    __slots__ = ("layer", "called")

    def __init__(self, layer: type[Layer], called: Callable[..., Any]) -> None:
        super().__init__(f"{layer.__name__}.forward", called)
        self.layer, self.called = layer, called
        self.function.__wrapped__ = self  # type: ignore[attr-defined]  # whose signature is shown

    @property
    def __signature__(self) -> inspect.Signature:
        """`self`, and the function's parameters that have to be given since the layer has them not."""
        own = inspect.signature(self.called).parameters.values()
        inputs = [p for p in own if p.default is p.empty and not self._has(p.name)]
        return inspect.Signature([inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *inputs])

    def _has(self, name: str) -> bool:
        return name in self.layer._options or name in ("weight", "bias", "training")

    def text(self) -> str:
        _, *inputs = self.__signature__.parameters
        attributes = [name for name in inspect.signature(self.called).parameters if self._has(name)]
        given = ", ".join([*inputs, *(f"{name}=self.{name}" for name in attributes)])
        return f"def forward(self, {', '.join(inputs)}):\n    return function({given})\n"

    def names(self) -> dict[str, Any]:
        return {"function": self.called}


def _initializer(options: dict[str, inspect.Parameter]) -> Callable[..., None]:
    """The `__init__` of a layer with these options."""
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    by_kind = sorted(options.values(), key=lambda option: option.kind)
    signature = inspect.Signature([itself, *by_kind], return_annotation=None)
    needed = [option.name for option in by_kind if option.default is option.empty]

    def initialize(self: Any, *args: Any, **named: Any) -> None:
        try:
            given = signature.bind(self, *args, **named)
        except TypeError as error:
            missing = [repr(name) for name in needed[len(args) :] if name not in named]
            count = f"{len(missing)} required positional argument{'s' * (len(missing) > 1)}"
            text = f"missing {count}: {' and '.join(missing)}" if missing else error  # Python names all of them
            raise TypeError(f"{type(self).__name__}.__init__() {text}") from None
        given.apply_defaults()
        Module.__init__(self)
        set_up = self._set_up
        taken = {}
        for name, value in list(given.arguments.items())[1:]:
            if name in set_up.__code__.co_varnames[: set_up.__code__.co_argcount]:
                taken[name] = value
            elif options[name].annotation == "Tensor | None":
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)
        set_up(**taken)

    initialize.__signature__ = signature  # type: ignore[attr-defined]
    return initialize

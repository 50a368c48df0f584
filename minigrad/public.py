"""Public names, each written once: beside the function that learners call.

    @public(in_place=True)
    @op(self=lambda F, g, self: g * F.cos(self), floating=True)
    def sin(self: Array) -> Array: ...

    @public
    def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor: ...

The first makes `minigrad.sin` (with `out=`), `Tensor.sin`, `Tensor.sin_` and `minigrad.sin_`; the second `minigrad.sum`
and `Tensor.sum`. The decorated function stays as it is: it is what other modules of the package call.

What learners call is a function around it, whose text is written from the annotations at its first call, as plain as if
somebody had typed it (`print(minigrad.public.source(minigrad.sum))` shows it). It refuses arguments of wrong types in
PyTorch's words, understands numpy's `axis=` and `keepdims=` where there is a `dim` or a `keepdim`, writes into `out=`,
and calls. So the function itself gets what its annotations say, and looks at nothing but values:

    Tensor      a tensor that has a place in the graph; `Tensor | None` and the like may be None, here as below
    Tensors     a list or tuple of tensors
    int         an int, also where numpy's or a tensor with one integer was given
    bool, str   of Python
    float       a number, as Python's float or int; `Number` likewise, and a tensor with one number is taken, too
    Dims        an int, a tuple of ints, or None
    Ints        a tuple of ints, from any sequence of them
    Sizes       a tuple of ints, given one by one or as a sequence: `x.view(2, 3)`, `x.view((2, 3))`. The last parameter
                but for those after `*`.
    Dtype       one of minigrad's dtypes, or None; Device likewise

A parameter with any other annotation (`Any`, and the `Array` of an op, which looks at its operands itself) is passed on
unseen.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, TypeVar, overload

import numpy as np

from minigrad import devices, dtypes
from minigrad.autograd.blame import type_name
from minigrad.operands import check_places, short
from minigrad.tensor import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])

Dims = int | Sequence[int] | None
Ints = tuple[int, ...]
Sizes = Any  # Sequence[int] for the function itself
Number = Any  # int or float for the function itself
Tensors = Sequence[Tensor]
Device = Any  # the CPU, under any of its names, or None
Dtype = Any  # dtypes.dtype | None for the function itself


@dataclass(frozen=True)
class Declaration:
    """What `@public` says of a function. Its options are those of `public`."""

    function: Callable[..., Any]
    names: tuple[str, ...]
    is_function: bool
    is_method: bool
    in_place: bool | str
    out: bool
    overloaded: bool
    composed: bool

    def function_named(self, name: str, into: Callable[..., Any] | None) -> Callable[..., Any]:
        """What `minigrad.name` is; `into(out, function, *arguments)` writes into `out=`."""
        return _checked(self, name, 1, into if self.out else None)

    def method_named(self, name: str) -> Callable[..., Any]:
        """What `Tensor.name` is, for which PyTorch counts the arguments without the tensor itself."""
        return _checked(self, name, 0, None)


declarations: list[Declaration] = []


@overload
def public(declared: Function, /) -> Function: ...
@overload
def public(
    *,
    name: str | None = None,
    aliases: tuple[str, ...] = (),
    function: bool = True,
    method: bool = True,
    in_place: bool | str = False,
    out: bool = True,
    overloaded: bool = False,
    composed: bool = False,
    everywhere: bool = False,
) -> Callable[[Function], Function]: ...
def public(
    declared: Any = None,
    /,
    *,
    name: str | None = None,
    aliases: tuple[str, ...] = (),
    function: bool = True,
    method: bool = True,
    in_place: bool | str = False,
    out: bool = True,
    overloaded: bool = False,
    composed: bool = False,
    everywhere: bool = False,
) -> Any:
    """Make a function public, under its own name.

    Args:
        name: the public name, where it is not the function's own.
        aliases: further names of the same, for function and method.
        function: whether minigrad has it as a function.
        method: whether Tensor has it as a method.
        in_place: whether there is a form with a trailing underscore; "method" if that is a method only, as `x.add_()`;
            "shape" if it only takes on another shape of its memory, as `x.t_()`.
        out: whether the function takes `out=`.
        overloaded: whether PyTorch has several forms of it, and so says "received an invalid combination of arguments"
            of an argument that none of them takes.
        composed: whether it is made of other public functions, which look at the places of tensors in the graph when
            their turn comes.
        everywhere: other modules get it with the checks, too: they pass on what learners gave them.
    """

    def declare(declared: Function) -> Function:
        names = (name or declared.__name__, *aliases)
        declaration = Declaration(declared, names, function, method, in_place, out, overloaded, composed)
        if everywhere:
            made: Any = declaration.function_named(names[0], None)
            declaration = replace(declaration, function=made)
        declarations.append(declaration)
        return declaration.function  # type: ignore[return-value]

    return declare if declared is None else declare(declared)


def checked(function: Function) -> Function:
    """The function with its arguments checked, for other places than minigrad and Tensor: the functions of
    nn.functional and linalg, with their own names and without `out=`.
    """
    made = _checked(Declaration(function, (), True, False, False, False, False, False), function.__name__, 1, None)
    made.__module__ = function.__module__
    return made  # type: ignore[return-value]


def source(function: Callable[..., Any]) -> str:
    """The Python text that was written for a public function or method."""
    own: dict[str, Any] = getattr(function, "__globals__", {})
    if "written_for" not in own:
        raise ValueError(f"{function!r} is called as it is: nothing was written for it")
    return _Text(*own["written_for"]).text()


# ---------------------------------------------------------------- the functions that are written


def _checked(declaration: Declaration, name: str, first: int, into: Callable[..., Any] | None) -> Callable[..., Any]:
    """The function with its checks. Its text is written when it is first called: most programs use few."""
    if into is None and not _checks_anything(declaration.function):
        return declaration.function
    own = {"__name__": __name__, "write": _write, "written_for": (declaration, name, first, into)}
    made = FunctionType(_first_call.__code__, own, name)
    own["made"] = made
    made.__qualname__, made.__doc__ = name, declaration.function.__doc__  # the name is in Python's own errors
    made.__module__ = "minigrad" if first else declaration.function.__module__  # where pickle looks for it
    made.__wrapped__ = declaration.function  # type: ignore[attr-defined]  # whose signature shows
    return made


def _first_call(*arguments: Any, **options: Any) -> Any:
    write(made, *written_for)  # type: ignore[name-defined]  # noqa: F821  # in the function's own namespace
    return made(*arguments, **options)  # type: ignore[name-defined]  # noqa: F821


def _write(made: FunctionType, *written_for: Any) -> None:
    """Give a function its real code. It stays the same object, so that all who hold it have the real one."""
    declaration, name, _, into = written_for
    text = _Text(*written_for).text()
    file_name = f"<minigrad function {name}>"
    linecache.cache[file_name] = (len(text), None, text.splitlines(keepends=True), file_name)
    namespace = _runtime | {"function": declaration.function, "into": into}
    made.__globals__.update(namespace)
    exec(compile(text, file_name, "exec"), namespace)  # the text is made from our own declarations
    written = namespace[name]
    made.__defaults__, made.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
    made.__code__ = written.__code__  # last: another thread may call it at this moment


def _checks_anything(function: Callable[..., Any]) -> bool:
    """Whether an annotation says something to check. (inspect.signature takes far longer, which counts at import.)"""
    wrapped: Any = getattr(function, "__wrapped__", None)
    kernel = wrapped.declared[0] if hasattr(wrapped, "declared") else function
    return any(_kind(said) in _CHECKS for name, said in kernel.__annotations__.items() if name != "return")


def _kind(annotation: Any) -> str:
    """What an annotation says, without `| None`; "" if there is none."""
    return annotation.removesuffix(" | None") if isinstance(annotation, str) else ""


class _Text:
    """The text of one public function: what of its annotations and its declaration becomes code."""

    def __init__(self, declaration: Declaration, name: str, first: int, into: Callable[..., Any] | None) -> None:
        self.declaration, self.name, self.first, self.into = declaration, name, first, into
        self.parameters = list(inspect.signature(declaration.function).parameters.values())
        names = [parameter.name for parameter in self.parameters]
        self.numpy_names = {own: other for own, other in (("dim", "axis"), ("keepdim", "keepdims")) if own in names}

    def text(self) -> str:
        checks = self._checks()
        if self.declaration.overloaded and checks:
            own = self.parameters[1 - self.first :]
            given = "".join("*given, " if _kind(p.annotation) == "Sizes" else f"{p.name}, " for p in own)
            checks = [
                "try:",
                *("    " + line for line in checks),
                "except TypeError as error:",
                f"    raise no_such_form({self.name!r}, error, ({given})) from None",
            ]
        lines = [*self._numpy_lines(), *checks, *self._place_lines(), *self._call_lines()]
        return f"def {self.name}({self._signature()}):\n" + "".join(f"    {line}\n" for line in lines)

    def _signature(self) -> str:
        parts, starred, waits = [], False, False
        for parameter in self.parameters:
            only_named = parameter.kind is parameter.KEYWORD_ONLY
            if only_named and not starred:
                parts.append("*")
                starred = True
            waits = waits or (parameter.name == "dim" and not only_named and parameter.default is parameter.empty)
            if _kind(parameter.annotation) == "Sizes":
                parts += ["*given", f"{parameter.name}=None"]
                starred = True
            elif parameter.kind is parameter.VAR_POSITIONAL:
                parts.append(f"*{parameter.name}")
                starred = True
            elif parameter.default is not parameter.empty:
                parts.append(f"{parameter.name}={parameter.default!r}")
            elif waits and not only_named:  # may follow a `dim` that comes as `axis=`
                parts.append(f"{parameter.name}=MISSING")
            else:
                parts.append(parameter.name)
        extra = [f"{other}=None" for other in self.numpy_names.values()] + ["out=None"] * (self.into is not None)
        return ", ".join([*parts, *["*"] * (bool(extra) and not starred), *extra])

    def _numpy_lines(self) -> list[str]:
        lines = []
        for own, other in self.numpy_names.items():
            lines += [f"if {other} is not None:", f"    {own} = {other}"]
        return lines

    def _checks(self) -> list[str]:
        lines = []
        for place, parameter in enumerate(self.parameters, self.first):
            name, kind = parameter.name, _kind(parameter.annotation)
            position = None if parameter.kind is parameter.KEYWORD_ONLY else place
            where = f"{self.name!r}, {name!r}, {position}"
            if kind == "Sizes":
                lines.append(f"{name} = as_sizes({where}, given, {name})")
            elif kind in _CHECKS:
                classes = [f"{name}.__class__ is not {known}" for known in _CHECKS[kind]]
                may_be_none = kind in ("Dims", "Dtype", "Device") or kind != parameter.annotation
                unknown = " and ".join(classes + [f"{name} is not None"] * may_be_none)
                check = f"{name} = as_{kind.lower()}({where}, {name})"
                lines += [f"if {unknown}:", f"    {check}"] if unknown else [check]
            elif name == "other" and self.first:
                lines += [f"if {name}.__class__ is ndarray:", f"    as_tensor({where}, {name})"]
        return lines

    def _place_lines(self) -> list[str]:
        lines = []
        for parameter in self.parameters:
            if _kind(parameter.annotation) == "Tensor" and not self.declaration.composed:
                given = f"{parameter.name} is not None and " * (parameter.annotation != "Tensor")
                lines += [f"if {given}{parameter.name}._state is not None:", f"    check_places({parameter.name})"]
        return lines

    def _call_lines(self) -> list[str]:
        as_given: dict[Any, str] = {inspect.Parameter.KEYWORD_ONLY: "{0}={0}", inspect.Parameter.VAR_POSITIONAL: "*{0}"}
        arguments = [as_given.get(p.kind, "{0}").format(p.name) for p in self.parameters]
        lines = [f"return function({', '.join(arguments)})"]
        if self.into is not None:
            lines = ["if out is not None:", f"    return into({', '.join(['out', 'function', *arguments])})", *lines]
        return lines


# ---------------------------------------------------------------- what the texts fall back on


class _Missing:
    """The default of what has none, but is not known to be missing before one has looked for numpy's names."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


def wrong_type(function: str, name: str, position: int | None, words: str, value: Any) -> TypeError:
    """The error for an argument that is not what `words` say."""
    if value is MISSING:
        return TypeError(f'{function}() missing 1 required positional arguments: "{name}"')
    place = f" (position {position})" if position else ""
    advice = ". Make it one first, as in tensor(...); got" if words == "Tensor" else ":"
    kind = type_name(value)
    return TypeError(f"{function}(): argument '{name}'{place} must be {words}, not {kind}{advice} {short(value)}")


def no_such_form(function: str, error: TypeError, given: tuple[Any, ...]) -> TypeError:
    """The error for arguments of which no form of a function takes all."""
    while given and (given[-1] is None or given[-1] is MISSING or given[-1] is False):  # defaults, as it seems
        given = given[:-1]
    reason = str(error).partition("(): ")[2] or str(error)
    kinds = ", ".join(type_name(value) for value in given)
    return TypeError(f"{function}() received an invalid combination of arguments - got ({kinds}): {reason}")


def _is_int(value: Any) -> bool:
    if isinstance(value, Tensor):
        return not value.ndim and value.dtype.category == 1
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def as_tensor(function: str, name: str, position: int | None, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise wrong_type(function, name, position, "Tensor", value)
    return value


def as_tensors(function: str, name: str, position: int | None, values: Any) -> Sequence[Tensor]:
    if not isinstance(values, list | tuple):
        raise wrong_type(function, name, position, "tuple of Tensors", values)
    for place, value in enumerate(values):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"expected Tensor as element {place} in argument 0, but got {type_name(value)}: give {function}() a "
                "list of tensors"
            )
    return values


def as_int(function: str, name: str, position: int | None, value: Any) -> int:
    if not _is_int(value):
        raise wrong_type(function, name, position, "int", value)
    return int(value)


def as_bool(function: str, name: str, position: int | None, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise wrong_type(function, name, position, "bool", value)
    return bool(value)


def as_str(function: str, name: str, position: int | None, value: Any) -> str:
    if not isinstance(value, str):
        raise wrong_type(function, name, position, "str", value)
    return value


def as_float(function: str, name: str, position: int | None, value: Any) -> Any:
    return _as_number(function, name, position, "float", value)


def as_number(function: str, name: str, position: int | None, value: Any) -> Any:
    return _as_number(function, name, position, "Number", value)


def _as_number(function: str, name: str, position: int | None, words: str, value: Any) -> Any:
    if isinstance(value, Tensor) and not value.ndim:
        return value.item()
    if not isinstance(value, dtypes.NUMBERS):
        raise wrong_type(function, name, position, words, value)
    return value.item() if isinstance(value, np.generic) else value  # numpy's would widen float32


def as_dims(function: str, name: str, position: int | None, value: Any) -> int | tuple[int, ...]:
    return int(value) if _is_int(value) else as_ints(function, name, position, value)


def as_ints(function: str, name: str, position: int | None, values: Any) -> tuple[int, ...]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise wrong_type(function, name, position, "tuple of ints", values)
    for place, value in enumerate(values):
        if value.__class__ is not int and not _is_int(value):
            raise _wrong_element(function, name, position, place, value)
    return tuple([int(value) for value in values])


def as_sizes(
    function: str, name: str, position: int | None, given: tuple[Any, ...], named: Any = None
) -> tuple[int, ...]:
    """Ints that were given one by one, as one sequence, or under their name."""
    if named is not None:
        return as_ints(function, name, None, named)
    if not given:
        raise wrong_type(function, name, position, "tuple of ints", MISSING)
    if len(given) == 1 and given[0].__class__ is not int and not _is_int(given[0]):
        return as_ints(function, name, position, given[0])
    return as_ints(function, name, position, given)


def _wrong_element(function: str, name: str, position: int | None, place: int, value: Any) -> TypeError:
    kind = type_name(value)
    if place:
        return TypeError(
            f"{function}(): argument '{name}' failed to unpack the object at pos {place + 1} with error \"type "
            f'must be tuple of ints,but got {kind}": {value!r}'
        )
    at = f" (position {position})" if position else ""
    return TypeError(
        f"{function}(): argument '{name}'{at} must be tuple of ints, but found element of type {kind} at pos 0: "
        f"{value!r}"
    )


def as_dtype(function: str, name: str, position: int | None, value: Any) -> dtypes.dtype:
    return dtypes.resolve(value, function)


def as_device(function: str, name: str, position: int | None, value: Any) -> devices.device:
    return devices.device(value)


# The classes of values that are taken as they are, by what annotations say; anything else goes to the function as_...
_CHECKS: dict[str, tuple[str, ...]] = {
    "Tensor": ("Tensor",),
    "Tensors": (),
    "int": ("int",),
    "bool": ("bool",),
    "str": ("str",),
    "float": ("float", "int"),
    "Number": ("float", "int"),
    "Dims": ("int",),
    "Ints": (),
    "Sizes": (),
    "Dtype": ("Kind",),
    "Device": ("Place",),
}
_runtime: dict[str, Any] = {
    "MISSING": MISSING,
    "Tensor": Tensor,
    "check_places": check_places,
    "Kind": dtypes.dtype,
    "Place": devices.device,
    "ndarray": np.ndarray,
    "inf": float("inf"),
    "nan": float("nan"),
    "no_such_form": no_such_form,
    **{
        check.__name__: check
        for check in (
            as_tensor, as_tensors, as_int, as_bool, as_str, as_float, as_number, as_dims, as_ints, as_sizes, as_dtype,
            as_device,
        )
    },
}  # fmt: skip

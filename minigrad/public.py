# mypy: implicit-reexport
"""Public names, each written once: beside the function that learners call.

    @public(in_place=True)
    @op(self=lambda F, g, self: g * F.cos(self), floating=True)
    def sin(self: Array) -> Array: ...

    @public
    def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor: ...

The first makes `minigrad.sin`, `Tensor.sin`, `Tensor.sin_` and `minigrad.sin_`; the second `minigrad.sum` and
`Tensor.sum`. The decorated function stays as it is: it is what other modules of the package call.

What learners call is a function around it, whose text is written from the annotations at its first call, as plain as if
somebody had typed it (`print(minigrad.public.source(minigrad.sum))` shows it). It refuses arguments of wrong types in
PyTorch's words, understands numpy's `axis=` and `keepdims=` where there is a `dim` or a `keepdim`, and calls. So the
function itself gets what its annotations say, and looks at nothing but values:

    Tensor      a tensor that has a place in the graph; `Tensor | None` and the like may be None, here as below
    Tensors     a list or tuple of tensors
    int         an int, also where numpy's or a tensor with one integer was given
    bool, str   of Python
    float       a number, as Python's float or int, also where numpy's or a tensor with one was given; `Number` likewise
    Operand     a tensor or a number
    Dims        an int, a tuple of ints, or None
    Ints        a tuple of ints, from any sequence of them
    Sizes       a tuple of ints, given one by one or as a sequence: `x.view(2, 3)`, `x.view((2, 3))`. The last parameter
                but for those after `*`.
    Padding     an int, a tuple of ints, or a str
    Dtype       one of minigrad's dtypes, or None; Device likewise

A parameter with any other annotation (`Any`, and the `Array` of an op, which looks at its operands itself) is passed on
unseen.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, overload

# The texts use what this module imports, too: that is why it has more than it uses itself.
# ruff: noqa: F401
import numpy as np

from minigrad import devices, dtypes
from minigrad.absent import LEFT_OUT, check_left_out
from minigrad.autograd.blame import keep_silent, type_name
from minigrad.op_text import CallWriter, fill
from minigrad.operands import MISSING, check_places, wrong_type
from minigrad.tensor import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])

# Annotations, and what the function gets for them.
Dims = int | Sequence[int] | None
Ints = tuple[int, ...]
Padding = int | Sequence[int] | str
Sizes = Any  # tuple[int, ...]
Number = Any  # int | float
Operand = Any  # Tensor | int | float
Tensors = Sequence[Tensor]
Device = Any  # devices.device | None
Dtype = Any  # dtypes.dtype | None


class Declaration(NamedTuple):
    """What `@public(...)` says of a function."""

    declared: Callable[..., Any]
    name: str = ""  # the public name, where it is not the function's own
    aliases: tuple[str, ...] = ()  # further names, for function and method
    function: bool = True  # minigrad has it as a function
    method: bool = True  # Tensor has it as a method
    in_place: bool | str = False  # there is a form with a trailing underscore: "method" if that is a method only, as
    # `x.add_()`; "view" if it makes the tensor itself the view, as `x.t_()`
    overloaded: bool = False  # PyTorch has several forms of it, and so speaks of an "invalid combination of arguments"
    composed: bool = False  # of other public functions, which look at the places of tensors in the graph themselves
    everywhere: bool = False  # other modules get it with the checks, too: they pass on what learners gave them

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name or self.declared.__name__, *self.aliases)

    def function_named(self, name: str, first: int) -> Callable[..., Any]:
        """What `minigrad.name` or `Tensor.name` is: the declared function, with its checks if there are any. `first` is
        the position of its first parameter: 1, or 0 for a method, whose arguments PyTorch counts without the tensor.

        (Annotations say it at once; inspect.signature takes far longer, which counts at import.)
        """
        kinds = {name: _kind(given) for name, given in self.declared.__annotations__.items() if name != "return"}
        checks = not KINDS.keys().isdisjoint(kinds.values()) or "other" in kinds
        is_written = isinstance(self.declared.__globals__.get("write"), _PublicWriter)  # since it is `everywhere`
        if is_written or not (checks or any(_left_out(name, first).values())):
            return self.declared
        return _PublicWriter(self, name, first).function


declarations: list[Declaration] = []


@overload
def public(declared: Function, /) -> Function: ...
@overload
def public(**options: Any) -> Callable[[Function], Function]: ...
def public(declared: Any = None, /, **options: Any) -> Any:
    """Make a function public. The options are told at Declaration, where they are kept."""

    def declare(declared: Any) -> Any:
        declaration = Declaration(declared, **options)
        if declaration.everywhere:
            checked = declaration.function_named(declaration.names[0], first=1)
            checked.__module__ = declared.__module__  # where pickle looks for it
            declaration = Declaration(checked, **options)
        declarations.append(declaration)
        return declaration.declared

    return declare if declared is None else declare(declared)


def with_checks(function: Function) -> Function:
    """The function with its arguments checked, for other places than minigrad and Tensor: nn.functional and linalg."""
    return public(function=False, method=False, everywhere=True)(function)


def source(function: Callable[..., Any]) -> str:
    """The Python text that was written for a public function or method."""
    writer = getattr(function, "__globals__", {}).get("write")
    if not isinstance(writer, _PublicWriter):
        raise ValueError(f"{function!r} is called as it is: nothing was written for it")
    return writer.text()


# ---------------------------------------------------------------- the functions that are written


def _kind(annotation: Any) -> str:
    """What an annotation says, without `| None`; "" if there is none."""
    return annotation.removesuffix(" | None") if isinstance(annotation, str) else ""


_TEXT = """
                       | def {name}({signature}):
                       |     keep_silent()
each numpy_name        |     if {numpy} is not None:
each numpy_name        |         {n} = {numpy}
each left_out          |     if {n} is not None:
each left_out          |         check_left_out({name!r}, {n!r}, {n})
overloaded             |     try:
overloaded each check  |         {n}
overloaded             |     except TypeError as error:
overloaded             |         raise no_such_form({name!r}, error, ({given})) from None
-overloaded each check |     {n}
placed each tensor     |     if {is_given}{n}._state is not None:
placed each tensor     |         check_places({n})
                       |     return function({arguments})
"""
NUMPYS = {"dim": "axis", "keepdim": "keepdims"}  # what numpy calls a parameter


class _PublicWriter(CallWriter):
    """Makes the function around a declared one: what learners call."""

    __slots__ = ("declaration", "first")

    def __init__(self, declaration: Declaration, name: str, first: int) -> None:
        declared = declaration.declared
        super().__init__(name, declared)
        self.declaration, self.first = declaration, first
        self.function.__module__ = "minigrad" if first else declared.__module__  # where pickle looks for it
        self.function.__wrapped__ = declared  # type: ignore[attr-defined]  # whose signature shows

    def names(self) -> dict[str, Any]:
        return {**_runtime, "function": self.declaration.declared}

    def text(self) -> str:
        name, first = self.function.__name__, self.first
        declared = list(inspect.signature(self.declaration.declared).parameters.values())
        parameters = _with_left_out(declared, _left_out(name, first))
        waiting = _waiting(parameters)
        checks = [_check(name, p, position, waiting) for position, p in enumerate(parameters, first)]
        numpys = [{"n": p.name, "numpy": NUMPYS[p.name]} for p in parameters if p.name in NUMPYS]
        form: dict[Any, str] = {inspect.Parameter.KEYWORD_ONLY: "{0}={0}", inspect.Parameter.VAR_POSITIONAL: "*{0}"}
        words = {
            "name": name,
            "signature": _signature(parameters, [own["numpy"] for own in numpys]),
            "arguments": ", ".join([form.get(p.kind, "{0}").format(p.name) for p in declared]),
            "given": "".join("*given, " if _takes_several(p) else f"{p.name}, " for p in parameters[1 - first :]),
            "overloaded": self.declaration.overloaded and any(checks),
            "placed": not self.declaration.composed,
            "numpy_name": numpys,
            "check": list(filter(None, checks)),
            "left_out": [p.name for p in parameters if p.annotation == "LeftOut"],
            "tensor": [
                {"n": p.name, "is_given": f"{p.name} is not None and " * (p.annotation != "Tensor")}
                for p in parameters
                if _kind(p.annotation) == "Tensor"
            ],
        }
        return fill(_TEXT, words)


def _left_out(function: str, is_function: int) -> dict[str, Any]:
    """PyTorch's parameters of a function, and which are left out: see absent.py. Methods have no `out`."""
    return {name: values for name, values in LEFT_OUT.get(function, {}).items() if is_function or name != "out"}


def _with_left_out(parameters: list[inspect.Parameter], order: dict[str, Any]) -> list[inspect.Parameter]:
    """The parameters, and among them those that are left out, where PyTorch has them."""
    merged = list(parameters)
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if "*" in order or any(map(_takes_several, parameters)):
        kind = inspect.Parameter.KEYWORD_ONLY
    elif order:  # what has names only here, since others of PyTorch's stand before it, has its place again
        merged = [parameter.replace(kind=kind) for parameter in parameters]
    for name, accepted in order.items():
        if accepted is not None:
            behind = list(order)[list(order).index(name) :]
            position = next((number for number, own in enumerate(merged) if own.name in behind), len(merged))
            merged.insert(position, inspect.Parameter(name, kind, default=None, annotation="LeftOut"))
    return merged


def _takes_several(parameter: inspect.Parameter) -> bool:
    return _kind(parameter.annotation) == "Sizes"


def _waiting(parameters: Sequence[inspect.Parameter]) -> list[str]:
    """The parameters without a default from `dim` on: that may come as `axis=`, and then those after it have names."""
    needed = [p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    return needed[needed.index("dim") :] if "dim" in needed else []


def _signature(parameters: Sequence[inspect.Parameter], more: list[str]) -> str:
    """The parameters as text, and more ones after them, which have names and are None by default."""
    parts, starred, waiting = [], False, _waiting(parameters)
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or parameter.kind is not parameter.POSITIONAL_OR_KEYWORD or _takes_several(parameter)
        if _takes_several(parameter):
            parts += ["*given", f"{parameter.name}=None"]
        elif parameter.kind is parameter.VAR_POSITIONAL:
            parts.append(f"*{parameter.name}")
        elif parameter.default is parameter.empty:
            parts.append(parameter.name + "=MISSING" * (parameter.name in waiting))
        else:
            parts.append(f"{parameter.name}={parameter.default!r}")
    return ", ".join([*parts, *["*"] * (bool(more) and not starred), *(f"{name}=None" for name in more)])


def _check(function: str, parameter: inspect.Parameter, position: int, waiting: list[str]) -> str:
    """The lines that check one argument; none for one of any kind."""
    name, kind = parameter.name, _kind(parameter.annotation)
    where = f"{function!r}, {name!r}, {None if parameter.kind is parameter.KEYWORD_ONLY else position}"
    if kind == "Sizes":
        return f"{name} = as_sizes({where}, given, {name})"
    if kind in KINDS:
        strange = [f"{name}.__class__ is not {known}" for known in KINDS[kind][0]]
        if kind in ("Dims", "Dtype", "Device") or kind != parameter.annotation:
            strange.append(f"{name} is not None")
        check = f"{name} = as_{kind.lower()}({where}, {name})"
        return f"if {' and '.join(strange)}:\n    {check}" if strange else check
    if name in waiting:
        return f"if {name} is MISSING:\n    raise wrong_type({where}, 'given', {name})"
    if name == "other":
        return f"if type(other) is not Tensor and type(other) not in (float, int):\n    as_operand({where}, other)"
    return ""


# ---------------------------------------------------------------- what the texts fall back on


def no_such_form(function: str, error: TypeError, given: tuple[Any, ...]) -> TypeError:
    """The error for arguments of which no form of a function takes all."""
    while given and (given[-1] is None or given[-1] is MISSING or given[-1] is False):  # defaults, as it seems
        given = given[:-1]
    reason = str(error).partition("(): ")[2] or str(error)
    kinds = ", ".join(type_name(value) for value in given)
    return TypeError(f"{function}() received an invalid combination of arguments - got ({kinds}): {reason}")


def _takes(words: str, fits: Callable[[Any], bool], convert: Callable[[Any], Any] = lambda value: value) -> Any:
    """The function that raises if a value does not fit, in PyTorch's words, and else gives it converted."""

    def check(function: str, name: str, position: int | None, value: Any) -> Any:
        if not fits(value):
            raise wrong_type(function, name, position, words, value)
        return convert(value)

    return check


def _is_int(value: Any) -> bool:
    if isinstance(value, Tensor):
        return not value.ndim and value.dtype.category == 1
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, dtypes.NUMBER_TYPES) or (isinstance(value, Tensor) and not value.ndim)


def plain(number: Any) -> Any:
    """A number, or a tensor with one, as Python's: numpy's would widen float32. Anything else stays as it is."""
    return number.item() if isinstance(number, np.generic | Tensor) else number


as_tensor = _takes("Tensor", lambda value: isinstance(value, Tensor))
as_float, as_number = _takes("float", _is_number, plain), _takes("Number", _is_number, plain)
as_operand = _takes(
    "Tensor",
    lambda value: isinstance(value, (Tensor, *dtypes.NUMBER_TYPES)),
    lambda value: value if isinstance(value, Tensor) else plain(value),
)


def as_tensors(function: str, name: str, position: int | None, values: Any) -> Sequence[Tensor]:
    if not isinstance(values, list | tuple):
        raise wrong_type(function, name, position, "tuple of Tensors", values)
    for index, value in enumerate(values):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"expected Tensor as element {index} in argument 0, but got {type_name(value)}: give {function}() a "
                "list of tensors"
            )
    return values


def as_ints(function: str, name: str, position: int | None, values: Any) -> Ints:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise wrong_type(function, name, position, "tuple of ints", values)
    for index, value in enumerate(values):
        if value.__class__ is int or _is_int(value):
            continue
        kind = type_name(value)
        if index:
            raise TypeError(
                f"{function}(): argument '{name}' failed to unpack the object at pos {index + 1} with error \"type "
                f'must be tuple of ints,but got {kind}": {value!r}'
            )
        at = f" (position {position})" if position else ""
        found = f"found element of type {kind} at pos 0: {value!r}"
        raise TypeError(f"{function}(): argument '{name}'{at} must be tuple of ints, but {found}")
    return tuple([int(value) for value in values])


def as_dims(function: str, name: str, position: int | None, value: Any) -> int | Ints:
    return int(value) if _is_int(value) else as_ints(function, name, position, value)


def as_sizes(function: str, name: str, position: int | None, given: tuple[Any, ...], named: Any = None) -> Ints:
    """Ints that were given one by one, as one sequence, or under their name."""
    if named is not None:
        return as_ints(function, name, None, named)
    if not given:
        raise wrong_type(function, name, position, "tuple of ints", MISSING)
    is_sequence = len(given) == 1 and given[0].__class__ is not int and not _is_int(given[0])
    return as_ints(function, name, position, given[0] if is_sequence else given)


# By annotation: the classes of values that are taken as they are, and what anything else goes to.
KINDS: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "Tensor": (("Tensor",), as_tensor),
    "Tensors": ((), as_tensors),
    "int": (("int",), _takes("int", _is_int, int)),
    "bool": (("bool",), _takes("bool", lambda value: isinstance(value, bool | np.bool_), bool)),
    "str": (("str",), _takes("str", lambda value: isinstance(value, str))),
    "float": (("float", "int"), as_float),
    "Number": (("float", "int"), as_number),
    "Operand": (("Tensor", "float", "int"), as_operand),
    "Dims": (("int",), as_dims),
    "Ints": ((), as_ints),
    "Padding": (("int", "str"), as_dims),
    "Sizes": ((), as_sizes),
    "Dtype": (("Dtype",), lambda function, name, position, value: dtypes.resolve(value, function)),
    "Device": (("Device",), lambda function, name, position, value: devices.device(value)),
}
_runtime: dict[str, Any] = {
    **globals(),
    "Dtype": dtypes.dtype,  # the class itself: in a text nothing is annotated
    "Device": devices.device,
    "inf": float("inf"),
    "nan": float("nan"),
    **{f"as_{kind.lower()}": check for kind, (_, check) in KINDS.items()},
}

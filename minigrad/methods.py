# ruff: noqa: F401 - some modules are imported for what they declare @public
"""The operators and methods of Tensor, and the functions: what `x + 1`, `1 - x`, `x.sum()`, `sum(x)` and `x += 1` run.

Methods and functions are what the modules below declare @public; operators are bound here by hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import creation, dtypes, memory_layout, random
from minigrad.absent import NAMES, AbsentAttribute
from minigrad.autograd.blame import type_name
from minigrad.operands import answers, beside_array, unsupported_error
from minigrad.ops.matrices import einsum, matmul, solving
from minigrad.ops.places import elements, indexing, strides
from minigrad.ops.places.assignment import set_item
from minigrad.ops.pointwise import activations, arithmetic, choices, comparison, conversion, elementary
from minigrad.ops.reductions import extremes, softmax, sums, vector_norm
from minigrad.ops.shapes import diagonals, expanding, joining, padding, reshaping, transposing
from minigrad.printing import tensor_repr
from minigrad.public import declarations
from minigrad.tensor import Tensor, share_outside
from minigrad.writing import Method, augmented_operator, in_place, in_place_view


def _comparing(compare: Method, others: Any) -> Method:
    """A comparison, which Python leaves to the other operand if that is none of `others`: what cannot be compared is
    different, and has no order.
    """

    def method(self: Tensor, other: Any) -> Any:
        compares = isinstance(other, others) or type_name(other) == "torch.Tensor"  # which the comparison refuses
        return compare(self, other) if compares else NotImplemented

    return method


def _or_else(function: Method, reflected: str) -> Method:
    """An operator, which Python leaves to the other operand if only that knows how: if it has the method `reflected`.
    (Those that are ops themselves do so by themselves: see operands.REFLECTED.)
    """

    def method(self: Tensor, other: Any) -> Any:
        if other.__class__ is not Tensor and answers(other, reflected):
            return NotImplemented
        return function(self, other)

    return method


def _operator_for_numbers(function: Method, op_name: str, own: str, arrays: bool = True) -> Method:
    """A reflected operator, whose first operand, `other`, is a number; an array only where `arrays`: as in PyTorch,
    `array * tensor` is refused, though `tensor * array` is not. What has the method `own` (`[1, 2] * tensor`) is left
    to Python.
    """

    def method(self: Tensor, other: Any) -> Any:
        if answers(other, own):
            return NotImplemented
        if not isinstance(other, _COMPARED) and not (arrays and isinstance(other, np.ndarray)):
            raise unsupported_error(op_name, other, self)
        return function(self, other)

    return method


def _matmul(self: Tensor, other: Any) -> Tensor:
    """`self @ other`, which may be a numpy array, and is left to another kind that knows how."""
    if isinstance(other, Tensor):
        return matmul.matmul(self, other)
    if isinstance(other, np.ndarray):
        return matmul.matmul(*beside_array(self, other))
    if answers(other, "__rmatmul__"):
        return NotImplemented
    raise unsupported_error("matmul", self, other)


def _reflect(function: Method) -> Method:
    return lambda self, other: function(other, self)


# ---------------------------------------------------------------- bound

METHODS: dict[str, Method] = {}
FUNCTIONS: dict[str, Method] = {}  # `exp(x)` beside `x.exp()`; one with a trailing underscore is the in-place method
for _declared in declarations:
    for _name in _declared.names:
        if _declared.method:
            METHODS[_name] = _declared.function_named(_name, first=0)
        if _declared.function:
            FUNCTIONS[_name] = _declared.function_named(_name, first=1)
        if _declared.in_place:
            _form = in_place_view if _declared.in_place == "view" else in_place
            METHODS[f"{_name}_"] = _form(_declared.function_named(f"{_name}_", first=0), f"{_name}_")
        if _declared.in_place is True:
            FUNCTIONS[f"{_name}_"] = METHODS[f"{_name}_"]
            FUNCTIONS[f"{_name}_"].__module__ = "minigrad"  # where pickle looks for it

_COMPARED = (Tensor, *dtypes.NUMBER_TYPES)
OPERATORS: dict[str, Method] = {
    "__add__": arithmetic.__add__,
    "__radd__": _operator_for_numbers(arithmetic.__add__, "add", "__add__", arrays=False),
    "__sub__": arithmetic.__sub__,
    "__rsub__": _operator_for_numbers(arithmetic.__rsub__, "sub", "__sub__", arrays=False),
    "__mul__": arithmetic.__mul__,
    "__rmul__": _operator_for_numbers(arithmetic.__mul__, "mul", "__mul__", arrays=False),
    "__truediv__": arithmetic.__truediv__,
    "__rtruediv__": _operator_for_numbers(
        lambda self, other: arithmetic.mul(elementary.reciprocal(self), other), "div", "__truediv__"
    ),
    "__pow__": _or_else(elementary.pow, "__rpow__"),
    "__rpow__": _operator_for_numbers(_reflect(elementary.pow), "pow", "__pow__", arrays=False),
    "__matmul__": _matmul,
    "__floordiv__": _or_else(arithmetic.floor_divide, "__rfloordiv__"),
    "__rfloordiv__": _reflect(arithmetic.floor_divide),
    "__mod__": _or_else(arithmetic.remainder, "__rmod__"),
    "__rmod__": _reflect(arithmetic.remainder),
    "__neg__": arithmetic.neg,
    "__pos__": arithmetic.positive,
    "__abs__": elementary.abs,
    "__eq__": _comparing(comparison.eq, (*_COMPARED, np.ndarray)),
    "__getitem__": indexing.index,
    "__setitem__": set_item,
    "__reversed__": lambda self: transposing.flip(self, (0,)) if self.ndim else self,
}
for _name in ("ne", "lt", "le", "gt", "ge"):
    OPERATORS[f"__{_name}__"] = _comparing(getattr(comparison, _name), _COMPARED)
for _name, _symbol in (("and", "&="), ("or", "|="), ("xor", "^=")):
    _bits = getattr(comparison, f"bitwise_{_name}")
    OPERATORS[f"__{_name}__"] = _or_else(_bits, f"__r{_name}__")
    OPERATORS[f"__r{_name}__"] = _operator_for_numbers(_bits, f"bitwise_{_name}", f"__{_name}__")
    OPERATORS[f"__i{_name}__"] = augmented_operator(in_place(_bits, f"bitwise_{_name}_"), _symbol, f"__r{_name}__")
for _name, _symbol, _writing in (
    ("add", "+=", "add_"), ("sub", "-=", "sub_"), ("mul", "*=", "mul_"), ("pow", "**=", "pow_"),
    ("truediv", "/=", "div_"), ("floordiv", "//=", "floor_divide_"), ("mod", "%=", "remainder_"),
):  # fmt: skip
    OPERATORS[f"__i{_name}__"] = augmented_operator(METHODS[_writing], _symbol, f"__r{_name}__")

for _name, _method in OPERATORS.items():
    if "<" in getattr(_method, "__qualname__", _name):  # made here; Python's errors about arguments say the name
        _method.__qualname__ = _name
for _name, _method in (METHODS | OPERATORS).items():
    setattr(Tensor, _name, _method)

_absent = {_name: AbsentAttribute(_name) for _name in NAMES["Tensor"] if not hasattr(Tensor, _name)}
for _name, _attribute in _absent.items():
    setattr(Tensor, _name, _attribute)


def _present(self: Tensor) -> list[str]:
    """What `dir(x)` lists: not the attributes that raise AbsentAttribute's error."""
    return [name for name in object.__dir__(self) if name not in _absent or hasattr(self, name)]


Tensor.__dir__ = _present  # type: ignore[method-assign, assignment]


def _construct(cls: Any, *data: Any, **named: Any) -> Tensor:
    """`Tensor(...)`, of a subclass too."""
    made = creation.construct(*data, **named)
    return made if cls is Tensor else share_outside(cls, made)


Tensor.__new__ = _construct  # type: ignore[method-assign]
Tensor.__repr__ = tensor_repr  # type: ignore[method-assign, assignment]

"""The operations as functions, `exp(x)` beside `x.exp()`, with what only functions have: the argument `out=`.

After this module a reader knows that a method and the function of its name are the same operation. A function with
`out=` writes its result into a tensor that is there already; which functions take it, each module of ops/ says in its
tuple OUT. A function with a trailing underscore is the in-place method.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minigrad.methods import METHODS, OP_MODULES
from minigrad.out import into, taking_out
from minigrad.public import declarations

_METHODS_TOO = ("fill_", "zero_")


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{_name: taking_out(getattr(_module, _name)) for _module in OP_MODULES for _name in getattr(_module, "OUT", ())},
    **{_name: METHODS[_name] for _name in _METHODS_TOO},
}
for _name, _function in _FUNCTIONS.items():
    _function.__qualname__ = _name  # what Python's errors about arguments say
    _function.__module__ = __name__  # where pickle looks for it
declared: dict[str, Callable[..., Any]] = {}
for _declared in declarations:
    for _name in _declared.names:
        if _declared.function:
            declared[_name] = _declared.function_named(_name, into)
        if _declared.in_place is True:
            declared[f"{_name}_"] = METHODS[f"{_name}_"]
            declared[f"{_name}_"].__module__ = "minigrad"  # where pickle looks for it
globals().update(_FUNCTIONS | declared)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """One of the functions above."""

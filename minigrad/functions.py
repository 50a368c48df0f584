"""The operations as functions, `exp(x)` beside `x.exp()`.

A function with a trailing underscore is the in-place method.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.methods import METHODS
from minigrad.public import declarations

FUNCTIONS: dict[str, Callable[..., Any]] = {}
for _declared in declarations:
    for _name in _declared.names:
        if _declared.function:
            FUNCTIONS[_name] = _declared.function_named(_name)
        if _declared.in_place is True:
            FUNCTIONS[f"{_name}_"] = METHODS[f"{_name}_"]
            FUNCTIONS[f"{_name}_"].__module__ = "minigrad"  # where pickle looks for it

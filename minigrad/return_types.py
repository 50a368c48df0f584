"""The named tuples in which functions with several results return them.

`x.max(0)` gives a tuple, so that `values, indices = x.max(0)` works, whose parts have names as well: `x.max(0).values`.
"""

from __future__ import annotations

import collections
from typing import Any

_namedtuple: Any = collections.namedtuple  # the type checker wants its names written out


def named_result(function: str, *parts: str) -> Any:
    """The type of what `function` returns."""

    def text(self: Any) -> str:
        shown = ",\n".join(f"{name}={part!r}" for name, part in zip(parts, self, strict=True))
        return f"minigrad.return_types.{function}(\n{shown})"

    made = _namedtuple(function, parts, module=__name__)
    made.__repr__ = text
    made.__doc__ = f"What `{function}` returns: ({', '.join(parts)})."
    return made


max, min = named_result("max", "values", "indices"), named_result("min", "values", "indices")
median = named_result("median", "values", "indices")
sort, topk = named_result("sort", "values", "indices"), named_result("topk", "values", "indices")

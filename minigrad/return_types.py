"""The named tuples in which functions with several results return them.

After this module a reader knows what `x.max(0)` gives: a tuple, so that `values, indices = x.max(0)` works, whose parts
have names as well, so that `x.max(0).values` does.
"""

from __future__ import annotations

import collections
from typing import Any

_namedtuple: Any = collections.namedtuple  # the type checker wants its names written out


def _named(function: str, *parts: str) -> Any:
    """The type of what `function` returns."""

    def text(self: Any) -> str:
        shown = ",\n".join(f"{name}={part!r}" for name, part in zip(parts, self, strict=True))
        return f"minigrad.return_types.{function}(\n{shown})"

    made = _namedtuple(function, parts, module=__name__)
    made.__repr__ = text
    made.__doc__ = f"What `{function}` returns: ({', '.join(parts)})."
    return made


max, min = _named("max", "values", "indices"), _named("min", "values", "indices")
median, nanmedian = _named("median", "values", "indices"), _named("nanmedian", "values", "indices")
cummax, cummin = _named("cummax", "values", "indices"), _named("cummin", "values", "indices")
mode, kthvalue = _named("mode", "values", "indices"), _named("kthvalue", "values", "indices")
sort, topk = _named("sort", "values", "indices"), _named("topk", "values", "indices")
aminmax = _named("aminmax", "min", "max")

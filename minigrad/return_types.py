"""The named tuples in which functions with several results return them.

`x.max(0)` gives a tuple, so that `values, indices = x.max(0)` works, whose parts have names as well: `x.max(0).values`.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class _ValuesAndIndices(NamedTuple):
    values: Any
    indices: Any

    def __repr__(self) -> str:
        parts = f"values={self.values!r},\nindices={self.indices!r}"
        return f"minigrad.return_types.{type(self).__name__}(\n{parts})"


def _result_of(function: str) -> Any:
    """The type of what `function` returns."""
    about = f"What `{function}` returns: (values, indices)."
    return type(function, (_ValuesAndIndices,), {"__slots__": (), "__module__": __name__, "__doc__": about})


max, min, median, sort, topk = map(_result_of, ("max", "min", "median", "sort", "topk"))

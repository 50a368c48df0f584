"""Microseconds, bytes and shares as PyTorch's profiler writes them."""

from __future__ import annotations

SECOND, MILLISECOND = 1e6, 1e3  # in microseconds


def time_text(us: float, unit: str | None = None) -> str:
    """A time with its unit: "s", "ms" or "us", or else the largest in which it is 1 or more."""
    if unit == "s" or (unit is None and us >= SECOND):
        return f"{us / SECOND:.3f}s"
    if unit == "ms" or (unit is None and us >= MILLISECOND):
        return f"{us / MILLISECOND:.3f}ms"
    return f"{us:.3f}us"


def share_text(us: float, whole: float) -> str:
    """A time in per cent of another; "NaN" of nothing."""
    return f"{us * 100 / whole:.2f}%" if whole else "NaN"


def bytes_text(count: int) -> str:
    """A number of bytes in the largest unit in which it is 1 or more."""
    for size, unit in ((2**30, "GB"), (2**20, "MB"), (2**10, "KB")):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"

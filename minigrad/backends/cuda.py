"""Nvidia's graphics processors, which are not used here."""

from types import SimpleNamespace

matmul = SimpleNamespace(allow_tf32=False)


def is_built() -> bool:
    """Whether this package could use one: it could not."""
    return False

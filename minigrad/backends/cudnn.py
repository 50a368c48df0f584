"""Nvidia's library for networks on graphics processors, which is not used here."""

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Whether the library can be used: never."""
    return False


def version() -> int | None:
    """The library's version: there is none."""
    return None

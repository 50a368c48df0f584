"""Apple's graphics processors, which are not used here."""


def is_available() -> bool:
    """Whether tensors can be made on one: never."""
    return False


def is_built() -> bool:
    """Whether this package could use one: it could not."""
    return False

"""Graphics processors: there are none here."""

from minigrad.absent import attributes_of

__getattr__ = attributes_of(__name__)


def is_available() -> bool:
    """Whether tensors can be made on a graphics processor: never."""
    return False

"""Graphics processors: there are none here, and these functions say so, so that programs which ask first run."""

from __future__ import annotations


def is_available() -> bool:
    """Whether tensors can be made on a graphics processor: never."""
    return False


def device_count() -> int:
    """How many graphics processors there are to use."""
    return 0


def is_initialized() -> bool:
    """Whether a graphics processor was used."""
    return False


def manual_seed(seed: int) -> None:
    """Nothing, as in PyTorch where there is no graphics processor."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Nothing, as in PyTorch where there is no graphics processor."""
    int(seed)

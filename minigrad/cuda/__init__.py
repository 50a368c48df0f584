"""Graphics processors: there are none here, and these functions say so, so that programs which ask first run."""

from __future__ import annotations

from minigrad.cuda import amp

__all__ = [
    "amp", "device_count", "empty_cache", "is_available", "is_initialized", "manual_seed", "manual_seed_all",
    "max_memory_allocated", "memory_allocated",
]  # fmt: skip


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


def empty_cache() -> None:
    """Nothing, as in PyTorch where there is no graphics processor."""


def memory_allocated(device: object = None) -> int:
    """How many bytes tensors take up on a graphics processor."""
    return 0


def max_memory_allocated(device: object = None) -> int:
    """How many bytes tensors have taken up on a graphics processor at most."""
    return 0

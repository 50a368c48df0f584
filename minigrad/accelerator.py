"""What computes beside the CPU: nothing here, and these functions say so, so that programs which ask first run."""

from __future__ import annotations

from minigrad.devices import device


def is_available() -> bool:
    """Whether tensors can be made on an accelerator: never."""
    return False


def current_accelerator(check_available: bool = False) -> device | None:
    """The device of the accelerator: there is none."""
    return None


def device_count() -> int:
    """How many accelerators there are to use."""
    return 0

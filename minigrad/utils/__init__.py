"""What PyTorch keeps in torch.utils and a learner of backward() needs: checkpoint, which computes again in backward
what forward did not keep, and data, which hands out samples in batches.
"""

from importlib import import_module

from minigrad.utils import checkpoint

__all__ = ["checkpoint"]


def __getattr__(name: str) -> object:
    """`minigrad.utils.data`, imported when it is first asked for: that keeps `import minigrad` quick."""
    if name != "data":
        raise AttributeError(f"module 'minigrad.utils' has no attribute {name!r}")
    return import_module("minigrad.utils.data")

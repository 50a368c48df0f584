"""What weight and spectral normalization by hooks share: finding the hook that computes a weight.

After this module a reader knows the older way to make a weight a function of other tensors: a hook that runs before
forward assigns it. (`parametrize.py` is the other way: a property computes the weight when it is read.)
"""

from __future__ import annotations

from typing import Any

from minigrad.nn.parameter import UninitializedParameter


def hook_number(module: Any, kind: type[Any], name: str) -> int | None:
    """The number of the module's hook of this kind that computes the weight `name`; None if there is none."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:
            return int(number)
    return None


def check_initialized(weight: Any, kind: type[Any]) -> None:
    """ValueError for a weight of a lazy layer, which has no numbers yet."""
    if isinstance(weight, UninitializedParameter):
        raise ValueError(
            f"The module passed to `{kind.__name__}` can't have uninitialized parameters. Call it with a batch of "
            "inputs before."
        )

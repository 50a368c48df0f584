"""What PyTorch asks about speed against exactness. Here every operation gives the same numbers in each run, and float32
is computed in float32: programs may ask for more or less of that, and get this.
"""

from __future__ import annotations

import warnings

from minigrad.autograd.blame import frames_to_learner, type_name

_asked = {"deterministic": False, "warn_only": False}
_precision = ["highest"]


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for operations that give the same numbers in each run, as they always do here. TypeError for no bool."""
    if not isinstance(mode, bool):
        raise TypeError(
            f"_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not {type_name(mode)}"
        )
    _asked.update(deterministic=mode, warn_only=warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms(True)` was called."""
    return _asked["deterministic"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether it was called with `warn_only=True`."""
    return _asked["warn_only"]


def set_float32_matmul_precision(precision: str) -> None:
    """Allow that matrix products of float32 are rounded more coarsely ("high", "medium"), which is not done here."""
    if precision in ("highest", "high", "medium"):
        _precision[0] = precision
    else:
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current setFloat32MatmulPrecision call has "
            "no effect.",
            UserWarning,
            stacklevel=frames_to_learner(),
        )


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` allowed: "highest" to begin with."""
    return _precision[0]

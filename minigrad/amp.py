"""Mixed precision, which halves the work of graphics processors; on the CPU, and here, it is switched off.

After this module a reader can run programs that are written with `autocast` and `GradScaler`: without a graphics
processor both do nothing, as in PyTorch. Micikevicius et al., "Mixed precision training" (2018).
"""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

from minigrad.autograd.blame import frames_to_learner
from minigrad.devices import device as device_of

__all__ = ["GradScaler", "autocast"]


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=frames_to_learner())


class autocast(contextlib.ContextDecorator):
    """A block, or a function, that would compute in fewer bits on a graphics processor.

    Args:
        device_type: "cuda" switches itself off with a warning, since there is none; "cpu" needs `enabled=False`.
        dtype: the dtype to compute in.
        enabled: whether to.
        cache_enabled: of no effect.

    RuntimeError for "cpu" unless `enabled` is False: it would compute in bfloat16, which numpy does not have.
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        kind = device_of(device_type).type
        if enabled and kind == "cpu":
            raise RuntimeError(
                "autocast on the CPU computes in bfloat16, which numpy does not have: leave it out, or pass "
                "enabled=False"
            )
        if enabled:
            _warn(f"{kind.upper()} is not available or torch_xla is imported. Disabling autocast.")

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *error: Any) -> None:
        pass


class GradScaler:
    """What keeps the small gradients of float16 from becoming 0, switched off: nothing is scaled, and `step` steps.

    Args:
        device: "cuda" switches itself off with a warning, since there is none; "cpu" needs `enabled=False`.
        init_scale, growth_factor, backoff_factor, growth_interval: of no effect.
        enabled: whether to scale.

    RuntimeError for "cpu" unless `enabled` is False: in float32 there is nothing to scale.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and device_of(device).type == "cpu":
            raise RuntimeError("in float32 no gradient needs to be scaled: leave GradScaler out, or pass enabled=False")
        if enabled:
            _warn("minigrad.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")

    def scale(self, outputs: Any) -> Any:
        """The outputs as they are."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Nothing: the gradients were not scaled."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """`optimizer.step(...)`."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Nothing: there is no scale."""

    def get_scale(self) -> float:
        """1.0, the factor that changes nothing."""
        return 1.0

    def is_enabled(self) -> bool:
        """Whether gradients are scaled: never."""
        return False

    def state_dict(self) -> dict[str, Any]:
        """An empty dictionary: there is nothing to remember."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Nothing: there is no scale to take over."""

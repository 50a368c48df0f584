"""`autocast` and `GradScaler` under their older names, which take no device."""

from __future__ import annotations

import warnings
from typing import Any

from minigrad import amp
from minigrad.autograd.blame import frames_to_learner

__all__ = ["GradScaler", "autocast"]


def _warn_of_name(name: str) -> None:
    warnings.warn(
        f"`minigrad.cuda.amp.{name}(args...)` is deprecated. Please use `minigrad.amp.{name}('cuda', args...)` "
        "instead.",
        FutureWarning,
        stacklevel=frames_to_learner(),
    )


class autocast(amp.autocast):
    """`amp.autocast("cuda", ...)`."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        _warn_of_name("autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`amp.GradScaler("cuda", ...)`."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn_of_name("GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)

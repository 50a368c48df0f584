"""No scenario leaves a mode on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import minigrad


@pytest.fixture(autouse=True)
def modes_restored(torch: Any) -> Iterator[None]:
    """A scenario leaves both as it found them: recording, and out of inference mode."""
    yield
    for F in (torch, minigrad):
        left = F.is_grad_enabled(), F.is_inference_mode_enabled()
        F.set_grad_enabled(True)
        assert left == (True, False), F.__name__

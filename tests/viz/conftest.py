"""The example that most tests of frames step through, and the process as a stepper finds it outside of a kernel."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from viz.cells import STEPPED, cell


@pytest.fixture
def example() -> dict[str, Any]:
    return cell(STEPPED)


@pytest.fixture(autouse=True)
def _no_loop_of_others() -> Iterator[None]:
    """Playwright, in tests that ran before in this process, leaves an event loop that counts as running: a stepper
    would wait for it as for a kernel's, and it never goes on.
    """
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(running)

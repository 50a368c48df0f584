"""The example that most tests of frames step through."""

from typing import Any

import pytest
from cells import STEPPED, cell


@pytest.fixture
def example() -> dict[str, Any]:
    return cell(STEPPED)

"""Chapter 05: what its exercises have in common."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.teach.exercise import Outcome

CHAPTER = "05_in_place_data_detach"


def raised(*parts: str) -> Callable[[Outcome], bool]:
    """Recognises an error whose text has all these parts."""
    return lambda outcome: outcome.error is not None and all(part in str(outcome.error) for part in parts)

"""Errors that are only a step of a scenario, so that its table cannot name them with `error=` and `says=`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def error_of(action: Callable[[], Any]) -> str:
    """The type of the error, where PyTorch's text is an accident of Python's (`'float' object is not iterable`)."""
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "no error"


def message_of(action: Callable[[], Any]) -> str:
    """The type and the first words of the error."""
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:40]}"
    return "no error"


def refused(call: Callable[[], Any], kind: type[Exception], says: str) -> bool:
    """True if a call raises this error with a message that begins like this; otherwise the scenario fails."""
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(says), str(caught.value)
    return True

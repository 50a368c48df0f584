"""The steppers' script and style, once for all steppers of a notebook.

After this module a reader knows why a notebook with five steppers holds their script once. JupyterLab keeps the state
of every widget in the notebook's file. The script would be the largest part of each stepper's, so it is the state of a
widget of its own, which has no view; each stepper holds only that widget's id, by which its page finds it.
"""

from __future__ import annotations

from typing import Any

import ipywidgets
import traitlets

from minigrad.viz import recording


class SharedCode(ipywidgets.Widget):  # type: ignore[misc]
    """Holds `recording.packed_code()`, for the steppers to refer to."""

    code = traitlets.Unicode().tag(sync=True)


_of_this_kernel: SharedCode | None = None


def shared_code() -> SharedCode:
    """The one of this kernel; a new one where it was closed, as `Widget.close_all()` does."""
    global _of_this_kernel
    if _of_this_kernel is None or _of_this_kernel.comm is None:
        _of_this_kernel = SharedCode(code=recording.packed_code())
    return _of_this_kernel


def reference() -> Any:
    """The trait of a stepper that refers to it."""
    return traitlets.Instance(SharedCode).tag(sync=True, **ipywidgets.widget_serialization)

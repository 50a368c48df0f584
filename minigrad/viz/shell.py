"""What the running IPython shows by itself: tensors as tables, and widgets that hold steppers with all that is in them.

What makes these outputs is imported when the first is shown: a notebook that draws nothing does not wait for it.
"""

from __future__ import annotations

import sys
from typing import Any

from minigrad.tensor import Tensor


def running_shell() -> Any:
    """IPython's shell if it runs the learner's cells, else None. Does not import IPython."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def rich_display(on: bool = True) -> None:
    """Show tensors as tables in this notebook, or, with False, as text alone. Does nothing outside of IPython."""
    shell = running_shell()
    if shell is None:
        return
    formatter = shell.display_formatter.formatters["text/html"]
    if on:
        formatter.for_type(Tensor, _tensor_html)
    else:
        formatter.pop(Tensor, None)


def show_containers_whole() -> None:
    """Let the running IPython show containers of widgets with the steppers in them; other widgets are shown as ever."""
    import ipywidgets  # not above: what walks through a pass asks for the shell, and needs no widgets

    formatters = running_shell().display_formatter
    for kind in (ipywidgets.Box, ipywidgets.Output):
        formatters.ipython_display_formatter.for_type(kind, _show_container)
        formatters.mimebundle_formatter.for_type(kind, _bundle_of)


def _tensor_html(tensor: Any) -> str:
    from minigrad.viz.rich import tensor_html

    return tensor_html(tensor)


def _show_container(container: Any) -> None:
    from minigrad.viz.page.output import show_container

    show_container(container)


def _bundle_of(container: Any, **_: Any) -> dict[str, Any]:
    from minigrad.viz.page.output import bundle_of, html_inside

    return bundle_of(container, html_inside(container))

"""What the running IPython shows by itself: tensors as tables, widgets that hold steppers with all that is in them, and
matplotlib's plots as light or dark as the page.

What makes these outputs is imported when the first is shown: a notebook that draws nothing does not wait for it.
"""

from __future__ import annotations

import base64
import struct
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


def show_plots_as_the_page_is() -> None:
    """Let the running IPython show matplotlib's figures light on a light page and dark on a dark one."""
    formatter = running_shell().display_formatter.mimebundle_formatter
    formatter.for_type_by_name("matplotlib.figure", "Figure", _plot_bundle)  # imports nothing


def _plot_bundle(figure: Any, include: Any = None, exclude: Any = None) -> Any:
    """A figure as PNG, as IPython makes it, and as an image that knows what to be on a dark page."""
    formatter = running_shell().display_formatter.formatters["image/png"]
    made = formatter(figure)
    if made is None:
        raise NotImplementedError  # the notebook was told to show figures as something else
    if not include and not exclude:
        _hand_over(formatter, figure, made)
    from minigrad.viz.picture.image import plot_html, words_of_plot

    data, metadata = made if isinstance(made, tuple) else (made, {})
    png = data if isinstance(data, str) else base64.b64encode(data).decode()
    width, height = struct.unpack(">II", base64.b64decode(png[:44])[16:24])
    html = plot_html(png, metadata.get("width", width), metadata.get("height", height), words_of_plot(figure))
    return {"image/png": png, "text/html": html}, {"image/png": metadata} if metadata else {}


def _hand_over(formatter: Any, figure: Any, made: Any) -> None:
    """IPython asks for the PNG once more, though it is in the bundle: it gets the same, which takes long to draw."""
    kind = next(one for one in type(figure).__mro__ if one in formatter.type_printers)
    draw = formatter.type_printers[kind]

    def once(asked: Any) -> Any:
        formatter.for_type(kind, draw)
        return made if asked is figure else draw(asked)

    formatter.for_type(kind, once)


def _tensor_html(tensor: Any) -> str:
    from minigrad.viz.rich import tensor_html

    return tensor_html(tensor)


def _show_container(container: Any) -> None:
    from minigrad.viz.page.output import show_container

    show_container(container)


def _bundle_of(container: Any, **_: Any) -> dict[str, Any]:
    from minigrad.viz.page.output import bundle_of, html_inside

    return bundle_of(container, html_inside(container))

"""A stepper as a notebook's output: HTML that needs nothing else of the notebook.

Jupyter's own way would be a reference to the widget's state, which stands once for the whole document, and which
JupyterLab writes anew at each save: as it finds it in the kernel, or not at all. So a notebook that was opened and
saved, and not run, or run half, would lose its steppers. Here the output itself holds all that is shown: what the
widget's model holds, a still picture, and the widget's script (packed, 90 kB). The same output is live while its kernel
is: the script finds the widget's model, which announces itself on the page.

Programs that do not run the scripts of an output, or not those of notebooks that they do not trust, show the picture.
In VS Code and Colab, where the models of widgets are not on the page of the outputs, the widget is shown as others are.

What runs later is written into the output twice: by the kernel, after each cell and when the clicks have come to rest
(so outside JupyterLab, too), and by the page as it saves the notebook (see static/storing.mjs).
"""

from __future__ import annotations

import itertools
import os
import re
import sys
import traceback
from html import escape
from typing import Any
from weakref import WeakSet

import ipywidgets

from minigrad.viz.page import packing, standalone, widget_source
from minigrad.viz.picture.image import image_html
from minigrad.viz.shell import running_shell

# Traits that a page without a kernel needs
STORED = ("key", "kept", *packing.RAN, "index", "finished", "problem", "follows")
# Until the script runs
HOW = '<p class="minigrad-how"><small>Trust this notebook, or run the cell, to step.</small></p>'
SCRIPTS = re.compile(rf' data-script="[^"]*"|<script>.*?</script>|{HOW}', re.DOTALL)


def html_of(stepper: Any, svg: str) -> str:
    """The output of a stepper; `svg` is its still picture."""
    values = {name: getattr(stepper, name) for name in STORED} | {"live": False}
    opening = standalone.in_script(widget_source.join_scripts("pack", "opening"))
    inside = f"{still(svg, repr(stepper))}{HOW}<script>{opening}</script>"
    return standalone.place_of_pass(values, f' data-script="{packing.packed_code()}"', inside)


def still(svg: str, words: str) -> str:
    """An SVG as a picture that stands there until, or unless, the script runs; nothing in it runs."""
    return image_html(svg, words, "minigrad-still")


def without_scripts(html: str) -> str:
    """An output with steppers as a page shows it that has the script itself."""
    return SCRIPTS.sub("", html)


def has_steppers(html: str) -> bool:
    """Whether an output holds what `html_of` makes."""
    return '<div class="minigrad-recorded"' in html


def finds_models() -> bool:
    """Whether the page that shows this kernel's outputs has the widgets' models, too, as JupyterLab's."""
    return "VSCODE_PID" not in os.environ and "google.colab" not in sys.modules


def publish(data: dict[str, Any], key: str, update: bool = False, metadata: dict[str, Any] | None = None) -> None:
    """Give the notebook an output that can be found again by its key, or the new content of all that have this key.

    Raises NotImplementedError where no kernel runs, and where only the content is asked for, to be shown in an Output:
    IPython then treats it as it does everything.
    """
    shell = running_shell()
    callers = (frame.f_code for frame, _ in traceback.walk_stack(None))
    if getattr(shell, "kernel", None) is None or ipywidgets.Output.append_display_data.__code__ in callers:
        raise NotImplementedError
    shell.display_pub.publish(data, metadata, transient={"display_id": key}, update=update)


# ---------------------------------------------------------------- steppers inside other widgets

_watched: WeakSet[Any] = WeakSet()  # the containers that were shown


def html_inside(widget: Any) -> str:
    """The steppers that a widget is or holds, beside or below each other, as HTML that needs no kernel; "" if none."""
    if isinstance(widget, ipywidgets.Output):
        texts = ["".join(shown.get("data", {}).get("text/html", "")) for shown in widget.outputs]
        return "".join(text for text in texts if has_steppers(text))
    if not isinstance(widget, ipywidgets.Box):
        return str(getattr(widget, "output_html", str)())
    titles = [f"<b>{escape(title)}</b>" for title in getattr(widget, "titles", ())]
    parts = itertools.zip_longest(titles, map(html_inside, widget.children), fillvalue="")
    row = "".join(f'<div style="flex:1 1 0;min-width:0">{title}{part}</div>' for title, part in parts if part)
    direction = "row" if type(widget) in (ipywidgets.Box, ipywidgets.HBox) else "column"
    return f'<div style="display:flex;flex-direction:{direction};gap:8px">{row}</div>' if row else ""


def bundle_of(container: Any, inside: str) -> dict[str, Any]:
    """How a container is shown that holds this HTML: while its kernel lives the page shows the widget in its place.

    JupyterLab would prefer the widget's own form, and show an error where the widget is gone. Raises
    NotImplementedError for a container that was closed: IPython shows its text.
    """
    if container.comm is None:
        raise NotImplementedError
    bundle: dict[str, Any] = container._repr_mimebundle_()
    if inside:
        bundle["text/html"] = f'<div class="minigrad-stored" data-widget="{container.model_id}">{inside}</div>'
        if finds_models():
            del bundle["application/vnd.jupyter.widget-view+json"]
    return bundle


def show_container(container: Any) -> None:
    """Show a widget that holds others, in an output that is written to again when steppers come into it."""
    shown = html_inside(container)
    publish(bundle_of(container, shown), container.model_id)

    def watch(change: Any) -> None:
        nonlocal shown
        inside = [container]
        for widget in inside:
            widget.observe(watch, ["children", "outputs"])
            inside += getattr(widget, "children", ())
        html = html_inside(container) if change else ""
        if html not in ("", shown):
            shown = html
            publish(bundle_of(container, shown), container.model_id, update=True)

    if container not in _watched:
        _watched.add(container)
        watch(None)

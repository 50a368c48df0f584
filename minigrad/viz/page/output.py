"""A stepper as a notebook's output: HTML that needs nothing else of the notebook.

Jupyter's own way would be a reference to the widget's state, which stands once for the whole document, and which
JupyterLab writes anew at each save: as it finds it in the kernel, or not at all. So a notebook that was opened and
saved, and not run, or run half, would lose its steppers. Here the output itself holds all that is shown: what the
widget's model holds, a still picture, and the widget's script (packed, 90 kB). The same output
is live while its kernel is: the script finds the widget's model, which announces itself on the page.

Programs that do not run the scripts of an output, or not those of notebooks that they do not trust, show the picture.
In VS Code and Colab, where the models of widgets are not on the page of the outputs, the widget is shown as others are.
"""

from __future__ import annotations

import os
import re
import sys
from html import escape
from typing import Any
from urllib.parse import quote

import ipywidgets

from minigrad.viz.page import recording, standalone, widget_source
from minigrad.viz.steps.outside import running_shell

STORED = ("key", "kept", *recording.RAN, "index", "finished", "problem")  # traits that a page without a kernel needs
SCRIPTS = re.compile(r' data-script="[^"]*"|<script>.*?</script>', re.DOTALL)


def html_of(stepper: Any, svg: str) -> str:
    """The output of a stepper; `svg` is its still picture."""
    values = {name: getattr(stepper, name) for name in STORED} | {"live": False}
    opening = standalone.in_script(widget_source.joined("pack", "opening"))
    inside = f"{still(svg, repr(stepper))}<script>{opening}</script>"
    return standalone.place_of_pass(values, f' data-script="{recording.packed_code()}"', inside)


def still(svg: str, words: str) -> str:
    """An SVG as a picture that stands there until, or unless, the script runs; nothing in it runs."""
    address = f"data:image/svg+xml,{quote(svg, safe=' =:/;,()@!*$&+?[]|.-_~' + chr(39))}"
    return f'<img class="minigrad-still" style="max-width:100%" alt="{escape(words)}" src="{escape(address)}">'


def without_scripts(html: str) -> str:
    """An output with steppers as a page shows it that has the script itself."""
    return SCRIPTS.sub("", html)


def has_steppers(html: str) -> bool:
    """Whether an output holds what `html_of` makes."""
    return '<div class="minigrad-recorded"' in html


def finds_models() -> bool:
    """Whether the page that shows this kernel's outputs has the widgets' models, too, as JupyterLab's."""
    return "VSCODE_PID" not in os.environ and "google.colab" not in sys.modules


def publish(data: dict[str, Any], key: str, update: bool = False) -> None:
    """Give the notebook an output that can be found again by its key, or the new content of all that have this key.

    Raises NotImplementedError where no kernel runs: IPython then shows it as it does everything.
    """
    shell = running_shell()
    if getattr(shell, "kernel", None) is None:
        raise NotImplementedError
    shell.display_pub.publish(data, transient={"display_id": key}, update=update)


# ---------------------------------------------------------------- steppers beside each other

DIRECTIONS = {ipywidgets.Box: "row", ipywidgets.HBox: "row", ipywidgets.VBox: "column"}


def html_of_box(box: Any) -> str | None:
    """A box of ipywidgets that holds nothing but steppers, or such boxes, as an output of the same kind; else None."""
    if type(box) not in DIRECTIONS or not box.children:
        return None
    parts = [
        html_of_box(child) if isinstance(child, ipywidgets.Box) else getattr(child, "output_html", lambda: None)()
        for child in box.children
    ]
    if None in parts:
        return None
    row = "".join(f'<div style="flex:1 1 0;min-width:0">{part}</div>' for part in parts)
    return f'<div style="display:flex;flex-direction:{DIRECTIONS[type(box)]};gap:8px">{row}</div>'


def show_boxes_whole() -> None:
    """Let the running IPython show such boxes by their HTML. Other widgets are shown as ever."""

    def shown(box: Any, include: Any = None, exclude: Any = None) -> Any:
        html = html_of_box(box) if finds_models() else None
        if html is None:
            return box._repr_mimebundle_(include=include, exclude=exclude)
        return {"text/plain": repr(box), "text/html": html}

    formatter = running_shell().display_formatter.mimebundle_formatter
    for kind in DIRECTIONS:
        formatter.for_type(kind, shown)

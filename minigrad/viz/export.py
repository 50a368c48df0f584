"""`save_html` and `save`: a pass or a picture as a file to send, to print or to put on a website.

After this module a reader knows what is in such a file: for a pass all frames that were recorded, the widget that walks
over them, and the same steps in words; for a drawing the picture and its table.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minigrad.viz import page, recording, widget_source
from minigrad.viz.markup import clean, shorten

if TYPE_CHECKING:
    from minigrad.viz.drawing import Drawing
    from minigrad.viz.stepper import BackwardStepper

LONGEST_TITLE = 80  # characters of a name in a title


def save(stepper: BackwardStepper, path: Any, title: str | None = None) -> None:
    """Write a stepper's recorded frames to an HTML file."""
    page.write(path, stepper_page(stepper, title), "save_html()")


def stepper_page(stepper: BackwardStepper, title: str | None = None) -> str:
    """The recorded frames of a stepper as a whole page."""
    root = shorten(stepper.picture["root"], LONGEST_TITLE)
    title = clean(title) if title else f"{root}.backward(), step by step"
    total, run = stepper.frames[0].total, len(stepper.frames) - 1
    steps = f"{total} steps" if run == total else f"{run} of {total} steps"
    keys = (
        "<kbd>→</kbd> and <kbd>←</kbd> step, <kbd>Home</kbd> and <kbd>End</kbd> go to the ends, <kbd>space</kbd> plays."
    )
    body = "\n".join(
        [
            "<main>",
            page.head(title, f'{steps}, recorded. <span class="page-screen">{keys}</span>'),
            '<noscript><p class="page-note">The steps below are complete in words. To click through them, let this '
            "page run its script: it is part of this file and fetches nothing.</p></noscript>",
            page.recorded(model_values(stepper)),
            page.words("All steps in words", stepper.trace()),
            "</main>",
            '<footer class="page-foot">Made with minigrad. This file needs no kernel and no network.</footer>',
        ]
    )
    styles = page.style(widget_source.style(), page.page_style())
    return page.page(title, body, styles, page.script(widget_source.script()))


def model_values(stepper: BackwardStepper) -> dict[str, Any]:
    """What the widget's model holds, for a page without a kernel."""
    kept = {"picture": stepper.picture, "frames": stepper.recorded, "problem": stepper.problem}
    return {"kept": recording.pack(kept), "index": stepper.index, "finished": stepper.finished, "live": False}


def save_drawing(drawing: Drawing, path: Any) -> None:
    """Write a drawing to an SVG or HTML file, as the path's ending says."""
    text = drawing.svg
    ending = Path(os.fsdecode(path)).suffix.lower() if isinstance(path, str | os.PathLike) else ".svg"
    if ending in (".html", ".htm"):
        text = drawing_page(drawing)
    elif ending != ".svg":
        raise ValueError(f"save() writes .svg and .html files, not {ending or 'files without an ending'}: {path!r}")
    page.write(path, text, "save()")


def drawing_page(drawing: Drawing) -> str:
    """A drawing as a whole page, with its table."""
    graph = drawing.graph
    title = f"The graph of {shorten(clean(graph.by_id[graph.root].name), LONGEST_TITLE)}"
    body = "\n".join(
        [
            "<main>",
            page.head(title, f"{len(graph.boxes)} boxes. Read along the arrows: this is the order of computing."),
            f'<figure class="page-picture">{drawing.svg}</figure>',
            page.words("The graph in words", str(drawing)),
            "</main>",
            f'<footer class="page-foot">{escape("Made with minigrad.")}</footer>',
        ]
    )
    return page.page(title, body, page.style(page.page_style()))

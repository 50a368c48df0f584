"""A whole notebook as one page in which every recorded stepper steps, without a kernel and without a network.

This is what `jupyter nbconvert --to html --template minigrad` adds to nbconvert: before the page is written, the
outputs that show a stepper are replaced by the frames that the notebook has saved of it, and the widget's script and
style go into the page once. Other widgets need a kernel; what they show without one, as text or as a picture, stands in
their place.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from jinja2 import pass_context
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from traitlets import default

from minigrad.viz.page import standalone, widget_source
from minigrad.viz.page.recording import METADATA, STEPPERS

TEMPLATES = Path(__file__).parent / "templates"
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
# Scripts that the notebook's own outputs bring along may run; nothing may be fetched but pictures beside the page.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: file: 'self'; "
    "media-src data:; font-src data:; base-uri 'none'; form-action 'none'"
)


class StepperPreprocessor(Preprocessor):
    """Puts recorded frames in the place of steppers, and takes away what cannot work without a kernel."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Change the outputs of a copy of the notebook; give the template its style, script and title."""
        models = nb.metadata.pop("widgets", {}).get(STATE, {}).get("state", {})
        found = sum(_replace(output, models) for cell in nb.cells for output in cell.get("outputs", ())) > 0
        title = nb.metadata.get("title") or _first_heading(nb) or resources.get("metadata", {}).get("name", "Notebook")
        sheets = [widget_source.style()] if found else []
        resources["minigrad"] = {
            "title": title,
            "policy": POLICY,
            "style": standalone.style(*sheets, widget_source.static("page.css"), widget_source.static("notebook.css")),
            "script": standalone.script(widget_source.script()) if found else "",
        }
        return nb, resources


class PageExporter(HTMLExporter):
    """The same as a format of its own: `jupyter nbconvert --to minigrad.viz.page.notebook.PageExporter`."""

    export_from_notebook = "Page that steps (minigrad)"

    @default("template_name")
    def _minigrad_template(self) -> str:
        return "minigrad"

    @default("extra_template_basedirs")
    def _where_the_template_is(self) -> list[str]:
        return [str(TEMPLATES)]  # also if minigrad is not installed but only found

    @default("embed_images")
    def _one_file(self) -> bool:
        return True

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """A text cell as HTML, in which the solutions stay folded."""
        resources = context.get("resources", {})
        renderer = _TextRenderer(
            escape=False,
            attachments=context.get("cell", {}).get("attachments", {}),
            embed_images=self.embed_images,
            path=resources.get("metadata", {}).get("path", ""),
            anchor_link_text=self.anchor_link_text,
            exclude_anchor_links=self.exclude_anchor_links,
            **self.lexer_options,
        )
        return renderer.closed(MarkdownWithMath(renderer=renderer).render(source))


class _TextRenderer(IPythonRenderer):
    """nbconvert's, but looking for pictures to embed, which closes all tags, it takes the whole cell at once:
    piece by piece, `<details>` would end before what it is to hold.
    """

    def _html_embed_images(self, html: str) -> str:
        return html

    def closed(self, html: str) -> str:
        """A cell's HTML with its pictures embedded, all its tags closed, and links to notebooks leading to their
        pages.
        """
        return re.sub(r'(href="[\w./-]+)\.ipynb(?=["#])', r"\1.html", super()._html_embed_images(html))


def _replace(output: Any, models: dict[str, Any]) -> bool:
    """Make an output one that needs no kernel; whether it is a stepper now."""
    data = output.get("data", {})
    view = data.pop(VIEW, None)
    if view is None:
        return False
    values = _recorded(models.get(view.get("model_id"), {}).get("state", {}), output.get("metadata", {}))
    if values is None:
        return False
    data["text/html"] = standalone.place_of_pass(values, _still(data))
    output.metadata["minigrad_recorded"] = True
    return True


def _recorded(state: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any] | None:
    """What the notebook has kept of a stepper: in the widget's state, which knows the steps that ran, or else in the
    output's metadata. None if it has kept nothing, or the output is another widget's.
    """
    if state.get("_anywidget_id") in STEPPERS and isinstance(state.get("kept"), str):
        names = ("kept", "ran", "past", "index", "finished", "problem")
        return {**{name: state[name] for name in names if name in state}, "live": False}
    kept = metadata.get(METADATA)
    return {"kept": kept, "index": 0, "live": False} if isinstance(kept, str) else None


def _still(data: dict[str, Any]) -> str:
    """The picture that stands there until, or unless, the script runs."""
    svg = "".join(data.get("image/svg+xml", ""))
    if not svg:
        return ""
    words = html.escape("".join(data.get("text/plain", "")))
    return f'<img class="minigrad-still" alt="{words}" src="{standalone.picture_address(svg)}">'


def _first_heading(nb: Any) -> str:
    """The text of the notebook's first heading, without its marks."""
    texts = [cell.source for cell in nb.cells if cell.cell_type == "markdown"]
    headings = [line for text in texts for line in text.splitlines() if line.startswith("# ")]
    return headings[0].strip("# ").replace("`", "").replace("*", "") if headings else ""

"""A whole notebook as one page in which every recorded stepper steps, without a kernel and without a network.

This is what `jupyter nbconvert --to html --template minigrad` adds to nbconvert: before the page is written, the
outputs that show a stepper lose the script that each of them holds, and it goes into the page once. Other widgets need
a kernel; what they show without one, as text or as a picture, stands in their place.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from jinja2 import pass_context
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from traitlets import default

from minigrad.viz.page import output, standalone, widget_source

TEMPLATES = Path(__file__).parent / "templates"
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
        nb.metadata.pop("widgets", None)
        found = sum(_replace(shown) for cell in nb.cells for shown in cell.get("outputs", ())) > 0
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
    """Notebooks as pages that step, for `jupyter nbconvert --to minigrad.viz.page.notebook.PageExporter`."""

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
        return renderer.self_contained(MarkdownWithMath(renderer=renderer).render(source))


class _TextRenderer(IPythonRenderer):
    """nbconvert's, but looking for pictures to embed, which closes all tags, it takes the whole cell at once:
    piece by piece, `<details>` would end before what it is to hold.
    """

    def _html_embed_images(self, html: str) -> str:
        return html

    def self_contained(self, html: str) -> str:
        """A cell's HTML with its pictures embedded, all its tags closed, and links to notebooks leading to their
        pages.
        """
        return re.sub(r'(href="[\w./-]+)\.ipynb(?=["#])', r"\1.html", super()._html_embed_images(html))


def _replace(shown: Any) -> bool:
    """Make an output one that needs no script of its own; whether it shows steppers."""
    data = shown.get("data", {})
    html = "".join(data.get("text/html", ""))
    if not output.has_steppers(html):
        return False
    data["text/html"] = output.without_scripts(html)
    data.pop(VIEW, None)
    shown.metadata["minigrad_recorded"] = True
    return True


def _first_heading(nb: Any) -> str:
    """The text of the notebook's first heading, without its marks."""
    texts = [cell.source for cell in nb.cells if cell.cell_type == "markdown"]
    headings = [line for text in texts for line in text.splitlines() if line.startswith("# ")]
    return headings[0].strip("# ").replace("`", "").replace("*", "") if headings else ""

"""The gallery: twenty graphs to step, each on a page of its own with its code, and a page that shows them all."""

from __future__ import annotations

from functools import lru_cache

from graphs import NAMES, Graph, NotRecordedError, graph_of
from markupsafe import Markup
from pages import Page, ProblemError, Site, described, in_json
from pages import write as write_text
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from tqdm import tqdm

from minigrad.viz.picture.image import image_html

INDEX = Page(
    "gallery/index.html",
    "Twenty graphs to step through",
    "From one guess to ResNet-18: twenty graphs of minigrad and PyTorch, each with its code. Press Next, and see every "
    "gradient arrive.",
)


@lru_cache(maxsize=1)
def graphs() -> tuple[Graph, ...]:
    """All graphs, in the gallery's order. Raises ProblemError."""
    try:
        return tuple(graph_of(name) for name in tqdm(NAMES, unit="graph", leave=False, delay=2, desc="recording"))
    except NotRecordedError as error:
        raise ProblemError(str(error)) from None


def write(site: Site) -> None:
    """Write the gallery's pages, and what the steppers on them show."""
    shown = graphs()
    drawing = shown[0].recording.still
    for before, graph, after in zip((None, *shown), shown, (*shown[1:], None), strict=False):
        write_text(site.folder / "gallery" / f"{graph.name}.json", in_json(graph.values))
        page = Page(f"gallery/{graph.name}.html", graph.title, described(graph.words), graph.recording.still)
        site.put(page, "graph.html", graph=graph, before=before, after=after, code=code_html(graph), still=still(graph))
    index = Page(INDEX.path, INDEX.title, INDEX.description, drawing)
    site.put(index, "gallery.html", graphs=shown, still=still)


def still(graph: Graph) -> Markup:
    """The end of a pass as a picture."""
    words = f"The graph of {graph.title}, with the gradients that arrived"
    return Markup(image_html(graph.recording.still, words, "minigrad-still"))


def code_html(graph: Graph) -> Markup:
    """A program in colours."""
    return Markup(highlight(graph.code, PythonLexer(), HtmlFormatter(wrapcode=True)))

"""The front page: what this is, in one screen, with a stepper that steps; and three more below it. And the page that a
host shows in the place of one that is not there.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import live
from gallery import code_html, graphs, still
from markupsafe import Markup
from pages import NAME, Page, Site

from minigrad.viz.page import standalone

FIRST, MORE = "line", ("mlp", "rnn", "resnet_18")
PAGE = Page(
    "index.html",
    f"{NAME}: see what backward() does",
    "A course on automatic differentiation as PyTorch does it. Step through the backward pass one node at a time, and "
    "see where each gradient comes from. Nothing to install.",
)


NOT_THERE = Page(
    "404.html",
    "There is no such page",
    "The address is that of no page. It leads on to the chapters, the errors of autograd, and the gallery of graphs.",
    is_anywhere=True,
)


def write(site: Site) -> None:
    """Write the pages."""
    by_name = {graph.name: graph for graph in graphs()}
    first = by_name[FIRST]
    page = Page(PAGE.path, PAGE.title, PAGE.description, first.recording.still)
    place = Markup(standalone.place_of_pass(first.values, inside=still(first)))
    more = [by_name[name] for name in MORE]
    megabytes = live.megabytes()
    site.put(page, "front.html", place=place, more=more, code=code_html, still=still, megabytes=megabytes)
    folder = urlsplit(site.address).path + "/" if site.address else ""
    site.put(NOT_THERE, "404.html", folder=folder)

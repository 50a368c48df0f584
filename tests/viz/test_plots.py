"""matplotlib's plots in a notebook: the PNG that IPython makes, and an image that turns dark with the page."""

import base64
import html
import importlib
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.pylabtools import select_figure_formats
from matplotlib.figure import Figure

from minigrad.viz.picture.image import TURNED_DARK
from minigrad.viz.shell import show_plots_as_the_page_is

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell.instance()
    made.history_manager.enabled = False
    made.display_formatter.active_types = made.display_formatter.format_types
    show_plots_as_the_page_is()
    yield made
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


def plot(title: str = "") -> Figure:
    figure = Figure(figsize=(2, 1), dpi=100)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1])
    axes.set_title(title)
    axes.set_xlabel("step")
    return figure


def image(shown: dict[str, Any]) -> tuple[str, ElementTree.Element]:
    """The words of the image, and the SVG in it."""
    found = re.fullmatch(
        r'<img class="minigrad-plot" style="max-width:100%" alt="([^"]*)" src="data:image/svg\+xml,([^"]*)">',
        shown["text/html"],
    )
    assert found
    return html.unescape(found[1]), ElementTree.fromstring(unquote(html.unescape(found[2])))


def test_the_image_is_the_png_with_a_rule_for_dark_pages(shell: InteractiveShell) -> None:
    select_figure_formats(shell, {"png"}, bbox_inches=None)
    shown, metadata = shell.display_formatter.format(plot("Loss & <b>"))
    assert set(shown) == {"image/png", "text/html", "text/plain"}
    assert metadata == {}
    words, svg = image(shown)
    assert words == "a plot: Loss & <b>, step"
    (picture,) = svg.iter(f"{SVG}image")
    assert picture.get("href") == f"data:image/png;base64,{shown['image/png']}"
    assert base64.b64decode(shown["image/png"]).startswith(b"\x89PNG")
    assert (svg.get("width"), svg.get("height")) == (picture.get("width"), picture.get("height")) == ("200", "100")
    assert f"<style>{svg.findtext(f'{SVG}style')}</style>" == TURNED_DARK


def test_it_is_drawn_once_each_time_that_it_is_shown(shell: InteractiveShell) -> None:
    select_figure_formats(shell, {"png"}, bbox_inches=None)
    figure, drawn = plot(), []
    save = figure.canvas.print_figure
    figure.canvas.print_figure = lambda *arguments, **options: (drawn.append(1), save(*arguments, **options))[1]
    pictures = set()
    for color in ("white", "black"):
        figure.set_facecolor(color)
        shown, _ = shell.display_formatter.format(figure)
        assert shown["image/png"] in shown["text/html"]
        pictures.add(shown["image/png"])
    assert len(drawn) == len(pictures) == 2
    only, _ = shell.display_formatter.format(figure, include=["image/png"])
    figure.set_facecolor("white")
    assert shell.display_formatter.formatters["image/png"](figure) != only["image/png"] == shown["image/png"]


def test_a_figure_that_changes_while_a_cell_runs_turns_dark_with_the_page(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "notebooks"))
    chapter12 = importlib.import_module("exercises.chapter12")
    live = chapter12.Live(size=(3, 2))
    live.curve(0, "loss", [1.0, 0.5])
    shown, _ = shell.display_formatter.format(live)
    words, svg = image(shown)
    assert words == "a plot: loss, step"
    (picture,) = svg.iter(f"{SVG}image")
    assert picture.get("href") == f"data:image/png;base64,{shown['image/png']}"
    png = base64.b64decode(shown["image/png"])
    assert [picture.get("width"), picture.get("height")] == [str(one) for one in struct.unpack(">II", png[16:24])]


def test_a_plot_for_fine_screens_keeps_its_size(shell: InteractiveShell) -> None:
    select_figure_formats(shell, {"retina"}, bbox_inches=None)
    shown, metadata = shell.display_formatter.format(plot())
    assert metadata == {"image/png": {"width": 200, "height": 100}}
    assert image(shown)[1].get("width") == "200"


def test_who_wants_plots_as_something_else_gets_that(shell: InteractiveShell) -> None:
    select_figure_formats(shell, {"svg"})
    shown, _ = shell.display_formatter.format(plot())
    assert set(shown) == {"image/svg+xml", "text/plain"}


def test_matplotlib_is_not_imported_for_it() -> None:
    code = (
        "import sys; from IPython.core.interactiveshell import InteractiveShell\n"
        "InteractiveShell.instance().run_cell('from minigrad import viz')\n"
        "assert 'minigrad.viz' in sys.modules; assert 'matplotlib' not in sys.modules"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr

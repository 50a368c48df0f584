"""Pictures follow JupyterLab's theme, whatever the system's is; a notebook that is not trusted yet shows them, too."""

import itertools
import time
from io import BytesIO
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from PIL import Image
from playwright.sync_api import Locator, expect

SOON = 30_000  # milliseconds
MODEL = "model = mg.nn.Linear(3, 2)\nloss = model(mg.ones(4, 3)).exp().sum()"
CARD = """\
from minigrad.teach.card import Card
from minigrad.teach.wrong_node import draw_nodes
Card("bad", "not yet", picture=draw_nodes(loss, {"loss": loss}, {}, lambda node: node is loss.grad_fn))"""
CELLS = [
    "import matplotlib.pyplot as plt\nimport minigrad as mg\nfrom minigrad import viz",
    f"{MODEL}\nviz.draw(loss)",
    "plt.plot([0, 1], [0, 1], color='black')\nplt.title('a line')\nplt.show()",
    CARD,
    "viz.make_dot(loss)",
]


@pytest.fixture(scope="module")
def executed() -> Any:
    """The notebook of all these pictures, as a kernel leaves it."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(text) for text in CELLS],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}},
    )
    NotebookClient(notebook, timeout=60).execute()
    return notebook


def is_trusted(lab: Any) -> bool:
    """Whether JupyterLab takes all cells with outputs for the reader's own."""
    trusted: list[bool] = lab.page.evaluate(
        "() => [...window.jupyterapp.shell.currentWidget.content.model.cells].slice(1).map((cell) => cell.trusted)"
    )
    assert len(set(trusted)) == 1
    return trusted[0]


def is_dark(image: Locator, expected: bool) -> bool:
    """Whether most of a picture is nearly black, rather than nearly white; where the other is expected, soon: as it is
    drawn anew, or JupyterLab's first screen fades away before it, it is something between.
    """
    assert image.evaluate("async (image) => { await image.decode(); return image.naturalWidth > 20; }")
    end = time.monotonic() + SOON / 1000
    while True:
        middle = float(np.median(np.asarray(Image.open(BytesIO(image.screenshot())).convert("L"))))
        if (middle < 50 if expected else middle > 230) or time.monotonic() > end:
            break
    assert middle < 50 or middle > 230, middle
    return middle < 50


def pictures(lab: Any) -> dict[str, Locator]:
    """The drawing, the plot, the picture of an exercise, and Graphviz's."""
    names = (".minigrad-drawing img", "img.minigrad-plot", ".minigrad-wrong-node img", ".minigrad-dot img")
    found = {name: lab.page.locator(f".jp-OutputArea-output {name}") for name in names}
    for picture in found.values():
        expect(picture).to_be_visible(timeout=SOON)
        picture.scroll_into_view_if_needed()
    return found


def set_theme(lab: Any, theme: str) -> None:
    lab.page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    light = str("Light" in theme).lower()
    expect(lab.page.locator(f"body[data-jp-theme-light='{light}']")).to_have_count(1, timeout=SOON)


def test_pictures_follow_jupyterlabs_theme_while_it_changes(lab: Any, executed: Any) -> None:
    nbformat.write(executed, lab.server.folder / "theme.ipynb")
    lab.server.trust()
    lab.open_afresh("theme.ipynb")
    assert is_trusted(lab)
    try:
        for system, theme in itertools.product(("light", "dark"), ("JupyterLab Dark", "JupyterLab Light")):
            lab.page.emulate_media(color_scheme=system)
            set_theme(lab, theme)
            for name, picture in pictures(lab).items():
                picture.scroll_into_view_if_needed()
                assert is_dark(picture, "Dark" in theme) == ("Dark" in theme), (system, theme, name)
    finally:
        lab.page.emulate_media(color_scheme="light")
        set_theme(lab, "JupyterLab Light")
        lab.load_anew()


def test_a_notebook_that_is_not_trusted_shows_its_pictures(lab: Any, executed: Any) -> None:
    other = nbformat.from_dict({**executed, "metadata": {**executed.metadata, "title": "of another"}})
    nbformat.write(other, lab.server.folder / "foreign.ipynb")
    lab.open_afresh("foreign.ipynb")
    assert not is_trusted(lab)
    for picture in pictures(lab).values():
        assert not is_dark(picture, False)
    lab.load_anew()

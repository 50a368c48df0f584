"""Links in JupyterLab: of an error to the chapter that shows it, and of a word to its cell in the glossary."""

import shutil
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parent.parent.parent / "notebooks"
SOON = 30_000
CHAPTER = "05_in_place_data_detach.ipynb"


def test_a_link_opens_the_chapter_at_its_cell(lab: Any) -> None:
    folder = lab.server.folder / "errors"
    folder.mkdir(exist_ok=True)
    for name in ("errors.ipynb", CHAPTER):
        shutil.copy(NOTEBOOKS / name, folder)
    lab.show("errors/errors.ipynb")
    row = lab.page.get_by_role("row").filter(has_text="has been modified by an inplace operation")
    row.get_by_role("link", name="05").first.click(timeout=SOON)
    # It scrolls there before the pictures above have their heights, so how near it ends is JupyterLab's matter.
    lab.page.wait_for_function(
        """(chapter) => {
            const { content, context } = window.jupyterapp.shell.currentWidget ?? {};
            const view = context?.path === chapter && content.node.querySelector(".jp-WindowedPanel-outer");
            return view && view.scrollTop > 1000;
        }""",
        arg=f"errors/{CHAPTER}",
        timeout=SOON,
    )
    lab.wait_for_kernel()  # which JupyterLab starts for it: closed before that, the page complains in a later test


def test_a_word_opens_the_glossary_at_its_cell(lab: Any) -> None:
    folder = lab.server.folder / "words"
    folder.mkdir(exist_ok=True)
    for name in ("glossary.ipynb", "08_jacobians_and_hessians.ipynb"):
        shutil.copy(NOTEBOOKS / name, folder)
    lab.show("words/08_jacobians_and_hessians.ipynb")
    lab.page.get_by_role("link", name="curvature", exact=True).first.click(timeout=SOON)
    lab.page.wait_for_function(
        """() => {
            const { content, context } = window.jupyterapp.shell.currentWidget ?? {};
            if (context?.path !== "words/glossary.ipynb") return false;
            const nodes = [
                content.node.querySelector(".jp-WindowedPanel-outer"),
                content.widgets.find((widget) => widget.model.id === "curvature")?.node,
            ];
            if (!nodes.every(Boolean)) return false; // the page is there before its cells are
            const [view, cell] = nodes.map((node) => node.getBoundingClientRect());
            return view.top <= cell.top + 1 && cell.bottom < view.bottom && cell.height > 0;
        }""",
        timeout=SOON,
    )
    lab.wait_for_kernel()  # which JupyterLab starts for it: closed before that, the page complains in a later test

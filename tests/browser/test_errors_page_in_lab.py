"""The page of errors in JupyterLab: a link in a row opens the chapter, scrolled to the cell that shows the error."""

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
    lab.load("errors/errors.ipynb")
    row = lab.page.get_by_role("row").filter(has_text="has been modified by an inplace operation")
    row.get_by_role("link", name="05").first.click(timeout=SOON)
    # It scrolls there before the pictures above have their heights, so how near it ends is JupyterLab's matter.
    lab.page.wait_for_function(
        """(chapter) => {
            const { content, context } = window.jupyterapp.shell.currentWidget ?? {};
            return context?.path === chapter && content.node.querySelector('.jp-WindowedPanel-outer').scrollTop > 1000;
        }""",
        arg=f"errors/{CHAPTER}",
        timeout=SOON,
    )

"""The page of errors in JupyterLab: a link in a row opens the chapter at the cell that shows the error."""

import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

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
    lab.page.wait_for_function(
        "(chapter) => window.jupyterapp.shell.currentWidget?.context?.path === chapter", arg=f"errors/{CHAPTER}"
    )
    place = lab.page.evaluate(
        """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
            .findIndex((cell) => cell.id === 'code-24')"""
    )
    cell = lab.page.locator(f'.jp-NotebookPanel:not(.lm-mod-hidden) [data-windowed-list-index="{place}"]')
    expect(cell).to_be_in_viewport(timeout=SOON)
    expect(cell).to_contain_text("w2.clamp_(-1, 1)")

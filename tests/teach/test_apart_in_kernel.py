"""Checks in a kernel of Jupyter's: the process apart uses none of its sockets, and the next cell runs as ever."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from minigrad.teach.apart import FORKS

pytestmark = pytest.mark.skipif(not FORKS, reason="there is no safe fork here")

DEFINES = "def slope_of_w(w, x, b, target):\n    error = w * x + b - target\n    "
RETURNS = "return 2 * error * x\ncheck.slope_of_w(slope_of_w)"
CELLS = [
    (
        "import ctypes, os\nimport minigrad as mg\nfrom minigrad.teach import check\nkernel = os.getpid()",
        "",
    ),
    (
        DEFINES + "h = mg.ones(1, requires_grad=True).exp()\n    h[0] = 2\n    h.backward()\n    " + RETURNS,
        "Cell In[2], line 4, in slope_of_w",
    ),
    (
        DEFINES + "if w == 2 and type(w) is float: print('by print'); display('by display')\n    " + RETURNS,
        "slope_of_w: passed",
    ),
    (DEFINES + "import ipywidgets\n    display(ipywidgets.IntSlider())\n    " + RETURNS, "slope_of_w: passed"),
    (DEFINES + "input('?')\n    " + RETURNS, "raises NobodyThereError"),
    (DEFINES + "breakpoint()\n    " + RETURNS, "raises NobodyThereError"),
    (DEFINES + "ctypes.string_at(1)\n    " + RETURNS, "Segmentation fault"),
    (DEFINES + "os.closerange(3, 200)\n    " + RETURNS, "ended Python with exit code"),
    (DEFINES + RETURNS, "slope_of_w: passed"),
    ("os.getpid() == kernel", "True"),
]
UNREADABLE = "def slope_of_w(w, x, b, target):\n    return (2 * x"
UNREAD = "Your last text of slope_of_w has not run (SyntaxError in line 2: '(' was never closed)"


def test_the_kernel_goes_on_after_every_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source, _ in CELLS])
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell, (source, words) in zip(notebook.cells, CELLS, strict=True):
        shown = [output["data"]["text/plain"] for output in cell.outputs if "data" in output]
        assert words in "".join(shown), (source, cell.outputs)
        assert len(shown) == bool(words)  # nothing but the card comes from the process apart, except as printed text
    printed = "".join(output["text"] for output in notebook.cells[2].outputs if output["output_type"] == "stream")
    assert printed == "by print\nby display\n"


def test_a_text_that_python_could_not_read_is_told_of_beside_what_the_one_before_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    asks = "check.slope_of_w(slope_of_w)"
    unread = nbformat.v4.new_code_cell(UNREADABLE)
    unread.metadata["tags"] = ["raises-exception"]
    judged = [nbformat.v4.new_code_cell(text) for text in (DEFINES + RETURNS, asks, asks, DEFINES + RETURNS)]
    cells = [nbformat.v4.new_code_cell(CELLS[0][0]), *judged[:2], unread, *judged[2:]]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    cards = [" ".join(cell.outputs[-1]["data"]["text/plain"].split()) for cell in judged]
    assert all("slope_of_w: passed" in card for card in cards)
    assert [UNREAD in card for card in cards] == [False, False, True, False]


def test_a_text_that_python_could_not_read_is_not_told_of_where_another_has_run_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever way it came: only what a cell has made that came before is what was there before."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    asks, lines = "\ncheck.slope_of_w(slope_of_w)", DEFINES + RETURNS
    defines = lines.removesuffix(asks)
    unread = nbformat.v4.new_code_cell(UNREADABLE, metadata={"tags": ["raises-exception"]})
    twice = nbformat.v4.new_code_cell("def slope_of_w(w, w): pass", metadata={"tags": ["raises-exception"]})
    texts = [
        defines + "\nmine = slope_of_w" + asks,
        "slope_of_w = lambda w, x, b, target: 2 * (w * x + b - target) * x" + asks,
        "%%time\n" + lines,
        defines.replace("slope_of_w", "other") + "\ncheck.slope_of_w(other)",
        "exec(" + repr(defines) + ")" + asks,
        "In = 3" + asks,
        "check.slope_of_w(mine)",
    ]
    judged = [nbformat.v4.new_code_cell(text) for text in texts]
    setup = nbformat.v4.new_code_cell(CELLS[0][0])
    notebook = nbformat.v4.new_notebook(cells=[setup, judged[0], unread, *judged[1:-1], twice, judged[-1]])
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    cards = [" ".join(cell.outputs[-1]["data"]["text/plain"].split()) for cell in judged]
    assert all("slope_of_w: passed" in card for card in cards)
    assert ["has not run" in card for card in cards] == [False] * 6 + [True]
    assert "(SyntaxError in line 1: duplicate argument 'w' in function definition)" in cards[-1]

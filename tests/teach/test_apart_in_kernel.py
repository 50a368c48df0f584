"""Checks in a kernel of Jupyter's: the process apart uses none of its sockets, and the next cell runs as ever."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
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


def test_a_function_that_has_another_name_in_a_later_cell_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its docstring: what else a later cell defines is none of the check's business."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    asks, words = "check.slope_of_w(slope_of_w)", '    """The slope, as a number."""\n'
    head, body = DEFINES.split("\n", 1)
    stub = f"{head}\n{words}    raise NotImplementedError"
    mine = f"{head}\n{words}{body}return error"
    texts = [CELLS[0][0], stub, asks, mine.replace("slope_of_w", "slope"), asks, mine, asks]
    texts += [mine.replace("slope_of_w", "helper").replace(words, ""), asks, mine.replace("slope_of_w", "slope2"), asks]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts])
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    cards = [" ".join(cell.outputs[-1]["data"]["text/plain"].split()) for cell in notebook.cells if cell.source == asks]
    told = "attention A later cell calls it {}, and this is about slope_of_w, as it was before"
    assert [told.format("slope") in card for card in cards] == [False, True, False, False, False]
    assert ["attention" in card for card in cards] == [False, True, False, False, True]
    assert told.format("slope2") in cards[-1]
    assert ["not attempted" in card for card in cards] == [True, True, False, False, False]


def test_who_stops_a_check_reads_in_a_few_lines_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    manager, client = start_new_kernel(cwd=str(tmp_path))
    seen = []

    def hear(message) -> None:
        if message["msg_type"] == "stream":
            manager.interrupt_kernel()
        seen.append(message)

    try:
        waits = DEFINES + "import time\n    print('there')\n    time.sleep(1000)\n    " + RETURNS
        client.execute_interactive(CELLS[0][0], timeout=60)
        reply = client.execute_interactive(waits, timeout=60, output_hook=hear)
        (error,) = [message["content"] for message in seen if message["msg_type"] == "error"]
        assert error["ename"] == reply["content"]["ename"] == "KeyboardInterrupt"  # with which a Run All ends
        lines = "\n".join(error["traceback"]).splitlines()
        assert lines[0] == "✗ slope_of_w: you stopped the check"
        assert [" ".join(line.split()) for line in lines[1:3]] == [
            "input w = 2.0, x = 3.0, b = 1.0, target = 5.0",
            "in your line time.sleep(1000)",
        ]
        assert "The notebook goes on as before" in lines[3]
        assert len(lines) == 5
        seen.clear()
        client.execute_interactive(DEFINES + RETURNS, timeout=60, output_hook=seen.append)
        assert "slope_of_w: passed" in str(seen)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)

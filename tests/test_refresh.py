"""`python dev.py notebooks`: running a notebook twice gives the same file, and a failing one is left as it was."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
NEW = nbformat.v4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder notebooks/, and beside it the tool."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "notebooks").mkdir()
    shutil.copy(ROOT / "tools" / "refresh.py", tmp_path / "tools")
    return tmp_path / "notebooks"


def write_notebook(path: Path, *sources: str) -> None:
    cells = [NEW.new_code_cell(source, id=f"cell{number}") for number, source in enumerate(sources)]
    cells[0].metadata["execution"] = {"iopub.status.busy": "some time"}
    metadata = {"language_info": {"name": "python", "version": "3.1"}}
    nbformat.write(NEW.new_notebook(cells=cells, metadata=metadata), path)


def refresh(folder: Path, *chapters: str) -> subprocess.CompletedProcess[str]:
    names = ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR")
    private = {name: str(folder.parent / "private") for name in names}
    command = [sys.executable, str(folder.parent / "tools" / "refresh.py"), *chapters]
    return subprocess.run(command, env={**os.environ, **private}, capture_output=True, text=True, timeout=120)


def test_two_runs_write_the_same_file(folder: Path) -> None:
    path = folder / "00_small.ipynb"
    write_notebook(path, "import ipywidgets\nprint('é')\nprint(2)", "ipywidgets.IntSlider()", "ipywidgets.IntSlider()")
    first = refresh(folder)
    assert (first.returncode, first.stdout) == (0, "  00_small.ipynb is refreshed\n"), first.stderr
    text = path.read_text(encoding="utf-8")
    second = refresh(folder, "00_small")
    assert (second.returncode, second.stdout) == (0, "  00_small.ipynb is unchanged\n"), second.stderr
    assert path.read_text(encoding="utf-8") == text

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert [cell.execution_count for cell in notebook.cells] == [1, 2, 3]
    assert [output.text for output in notebook.cells[0].outputs] == ["é\n2\n"]
    assert "é" in text
    assert notebook.cells[0].metadata == {}
    assert notebook.metadata.language_info == {"name": "python"}
    view = "application/vnd.jupyter.widget-view+json"
    shown = [cell.outputs[0].data[view]["model_id"] for cell in notebook.cells[1:]]
    assert shown == [f"{0:032x}", f"{1:032x}"]
    state = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    assert set(shown) < set(state)
    assert all(re.fullmatch("0{30}[0-9a-f]{2}", name) for name in state)
    assert {word[10:] for word in re.findall("IPY_MODEL_[0-9a-f]+", json.dumps(state))} <= set(state)


def test_failing_notebook_is_left_as_it_was(folder: Path) -> None:
    path = folder / "01_broken.ipynb"
    write_notebook(path, "print(1)", "undefined_name")
    before = path.read_bytes()
    result = refresh(folder)
    assert result.returncode == 1
    assert "NameError" in result.stderr
    assert path.read_bytes() == before


def test_unknown_name_is_refused(folder: Path) -> None:
    result = refresh(folder, "07_nowhere")
    assert (result.returncode, result.stdout) == (2, "")
    assert "no such notebook" in result.stderr

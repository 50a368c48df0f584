"""`python dev.py notebooks`: running a notebook twice gives the same file, and a failing one is left as it was."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
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


STEPPER = "viz.BackwardStepper(mg.tensor(2.0, requires_grad=True) * 3)"


def test_two_runs_write_the_same_file(folder: Path) -> None:
    path = folder / "00_small.ipynb"
    write_notebook(path, "import minigrad as mg\nfrom minigrad import viz\nprint('é')\nprint(2)", STEPPER, STEPPER)
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
    assert (notebook.metadata.language_info.name, "version" in notebook.metadata.language_info) == ("python", False)
    assert "widgets" not in notebook.metadata
    keys = re.findall(r"data-pass='{\"key\":\"([0-9a-f]{32})\"", text.replace("\\", ""))
    assert keys == [f"{0:032x}", f"{1:032x}"]


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

"""Run the committed notebooks again and store what they show: `python dev.py notebooks [NAME ...]`.

What differs from run to run without meaning anything is taken out, so that a change in a notebook's file is a change
that a reader can see: times, the version of Python, and the random names of widgets.
"""

import json
import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from ipykernel.ipkernel import IPythonKernel
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def main(names: list[str]) -> int:
    paths = [NOTEBOOKS / Path(name).with_suffix(".ipynb").name for name in names] or sorted(
        NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")
    )
    absent = [path.name for path in paths if not path.exists()]
    if absent or not paths:
        print(f"no such notebook in {NOTEBOOKS.name}/: {', '.join(absent) or 'there is none'}", file=sys.stderr)
        return 2
    for path in paths:
        print(f"  {path.name}", end=" ", flush=True)
        notebook = nbformat.read(path, as_version=4)
        try:
            run(notebook)
        except CellExecutionError as error:
            print(f"stopped at a cell that raises; the file is left as it was\n{error}", file=sys.stderr)
            return 1
        before, after = path.read_text(encoding="utf-8"), to_text(notebook)
        path.write_text(after, encoding="utf-8", newline="\n")
        print("is unchanged" if before == after else "is refreshed")
    return 0


def run(notebook: nbformat.NotebookNode) -> None:
    """Execute all cells in a new kernel, as JupyterLab does: with the notebook's folder as the working directory, or
    rather with a copy of it, so that nobody's progress is shown and nobody's is changed.
    """
    notebook.metadata.pop("widgets", None)
    with TemporaryDirectory() as folder:
        copy = shutil.copytree(
            NOTEBOOKS, Path(folder) / NOTEBOOKS.name, ignore=shutil.ignore_patterns(".*", "__pycache__")
        )
        NotebookClient(
            notebook,
            km=AsyncKernelManager(kernel_name="python3", transport_encryption="auto"),
            timeout=600,
            resources={"metadata": {"path": str(copy)}},
            record_timing=False,
            store_widget_state=False,  # outputs hold what they show
            coalesce_streams=True,
        ).execute()


def to_text(notebook: nbformat.NotebookNode) -> str:
    """The notebook's file, the same for every run that shows the same."""
    language = IPythonKernel.language_info.items()
    notebook.metadata.language_info = {key: value for key, value in language if key != "version"}  # see dev.py
    notebook.metadata.kernelspec = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    text = nbformat.writes(notebook)
    # A widget's key is 32 random digits; numbered in the order of the page they are the same in every run.
    for number, key in enumerate(dict.fromkeys(re.findall(r'key(?:\\"|&quot;): ?(?:\\"|&quot;)([0-9a-f]{32})', text))):
        text = text.replace(key, f"{number:032x}")
    return json.dumps(json.loads(text), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

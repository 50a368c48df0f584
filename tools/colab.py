"""Write the chapters for Google Colab: python tools/colab.py FOLDER REPOSITORY

Colab opens a notebook and nothing beside it, on a machine of its own for each. So each chapter gets a first cell that
clones REPOSITORY, an address for `git clone`, installs what Colab lacks, and goes to the folder of the chapters, where
exercises and progress are. Links between chapters become links to where the folder is published: as the branch `colab`
of a repository on GitHub (guides/places.md). A cell's id, where such a link may end, is for Colab in its metadata.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
LACKING = ("anywidget", "graphviz", "graphviz-pure")
FIRST_CELL = """\
# Colab starts each chapter on a machine of its own. This cell brings the course to it, in about half a minute.
import os, sys
if not os.path.exists("{machine}/minigrad"):
    !git clone --quiet --depth 1 {repository} {machine}/minigrad
    %pip install --quiet {lacking}
sys.path.insert(0, "{machine}/minigrad")
%cd -q {machine}/minigrad/notebooks"""
FIRST_TEXT = """\
**On Colab:** run the cell below first. What you write is kept in a copy of your own: File → Save a copy in Drive. \
What `progress()` knows is kept until the machine ends."""
ON_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    folder, repository = Path(arguments[0]), arguments[1]
    found = ON_GITHUB.fullmatch(repository)
    if found is None:
        print(f"Colab opens notebooks from GitHub: {repository} is no https://github.com/OWNER/NAME", file=sys.stderr)
        return 2
    if folder.resolve() == NOTEBOOKS:
        print("the folder of the chapters themselves stays as it is: name another one", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        prepare(notebook, repository, published=f"https://colab.research.google.com/github/{found[1]}/blob/colab")
        text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        (folder / path.name).write_text(text, encoding="utf-8")
    print(f"The chapters for Colab are in {folder}.")
    return 0


def prepare(notebook: dict[str, Any], repository: str, published: str, machine: str = "/content") -> None:
    """Give a chapter its first two cells, and its links the address where they lead on Colab. `machine` is the folder
    in which a notebook starts there.
    """
    for cell in notebook["cells"]:
        cell["metadata"]["id"] = cell["id"]
        if cell["cell_type"] == "markdown":
            text = re.sub(r"\]\((\w+\.ipynb)", rf"]({published}/\1", "".join(cell["source"]))
            cell["source"] = text.replace("#cell-id=", "#scrollTo=")
    if any(cell["cell_type"] == "code" for cell in notebook["cells"]):
        code = FIRST_CELL.format(repository=repository, lacking=" ".join(LACKING), machine=machine)
        empty = {"execution_count": None, "outputs": []}
        notebook["cells"][:0] = [
            {"cell_type": "markdown", "id": "on-colab", "metadata": {}, "source": FIRST_TEXT},
            {"cell_type": "code", "id": "bring-the-course", "metadata": {}, "source": code, **empty},
        ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

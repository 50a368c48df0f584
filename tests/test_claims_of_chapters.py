"""What the chapters say of PyTorch in their text, where no block of code says it: true of the installed PyTorch."""

import re
from pathlib import Path
from typing import Any

import nbformat

FOLDER = Path(__file__).parent.parent / "notebooks"


def solutions_of(chapter: str) -> dict[str, Any]:
    """The functions in the folded solutions of a chapter, which know of no library."""
    cells = nbformat.read(FOLDER / f"{chapter}.ipynb", as_version=4).cells
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    found: dict[str, Any] = {}
    for code in re.findall(r"<summary>Solution</summary>\s*```python\n(.*?)```", text, re.DOTALL):
        exec(code, found)
    return found


def test_the_solutions_of_chapter_02_run_on_pytorchs_graphs(torch: Any) -> None:
    solutions = solutions_of("02_the_graph")
    a, b = torch.tensor(3.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    d = (a * b + a) * 4
    leaf = "torch::autograd::AccumulateGrad"
    assert sorted(solutions["node_names"](d)) == ["AddBackward0", "MulBackward0", "MulBackward0", leaf, leaf]
    found = solutions["leaves_of"](d)
    assert len(found) == 2
    assert any(tensor is a for tensor in found)
    assert any(tensor is b for tensor in found)
    assert solutions["graph_depth"](d) == 4

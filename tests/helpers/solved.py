"""The folded solutions of a chapter, and the chapter with all of them in the places of the stubs."""

import re
from typing import Any

Notebook = Any


def solutions(notebook: Notebook) -> dict[str, str]:
    """The folded solutions, by the name of the function that they define."""
    prose = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    found = {}
    for folded in re.findall(r"<details>\s*<summary>Solution</summary>(.*?)</details>", prose, re.DOTALL):
        (code,) = re.findall(r"```python\n(.*?)```", folded, re.DOTALL)
        found[re.match(r"def (\w+)", code)[1]] = code.rstrip("\n")  # type: ignore[index]
    return found


def builds_on_answers(notebook: Notebook) -> bool:
    """Whether other cells than the stub and its check use what a learner is to write. In other chapters the solutions
    change nothing but the cards of their checks.
    """
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    others = [source for source in code if not re.match(r"def \w+\(|check\.|hint\(", source)]
    return any(re.search(rf"(?<![\w.]){name}\b", source) for name in solutions(notebook) for source in others)


def solve(notebook: Notebook, answers: dict[str, str]) -> None:
    """Write each answer where its stub stands."""
    left = dict(answers)
    for cell in notebook.cells:
        if cell.cell_type == "code" and (found := re.match(r"def (\w+)\(", cell.source)) and found[1] in left:
            cell.source = left.pop(found[1])
    assert not left, f"no stub of {', '.join(left)}"

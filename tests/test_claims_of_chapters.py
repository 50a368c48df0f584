"""What the chapters say of PyTorch in their text, where no block of code says it: true of the installed PyTorch."""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

import minigrad
from minigrad import viz

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


@pytest.mark.parametrize("leaf_is_first", [True, False])
def test_of_what_is_ready_a_leaf_goes_first_and_else_what_was_made_last(leaf_is_first: bool, torch: Any) -> None:
    for library in (minigrad, torch):
        order: list[str] = []
        leaf, other = (library.tensor(1.0, requires_grad=True) for _ in range(2))
        older, newer = other.sin(), other.cos()
        both = newer * older if leaf_is_first else older * newer
        result = leaf + both if leaf_is_first else both + leaf
        for name, tensor in {"leaf": leaf, "older": older, "newer": newer, "both": both}.items():
            tensor.register_hook(lambda _, order=order, name=name: order.append(name))
        result.backward()
        assert order == ["leaf", "both", "newer", "older"], library.__name__


def test_a_state_that_is_carried_over_a_loop_needs_detach_in_pytorch_too(torch: Any) -> None:
    for library in (minigrad, torch):
        w, state = library.tensor(0.5, requires_grad=True), library.tensor(1.0)
        for step in range(2):
            state = (state * w + 1).tanh()
            if step == 0:
                ((state - 0.5) ** 2).backward()
        with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
            ((state - 0.5) ** 2).backward()


def run_cells(chapter: str, ids: list[str], library: Any) -> None:
    """Run these cells of a chapter with this library as `mg`."""
    source = {cell.id: cell.source for cell in nbformat.read(FOLDER / f"{chapter}.ipynb", as_version=4).cells}
    known = {"mg": library, "autograd": library.autograd, "viz": viz}
    for name in ids:
        exec(source[name], known)


@pytest.mark.parametrize("name", ["minigrad", "torch"])
def test_the_hooks_of_chapter_04_are_called_as_often_in_pytorch(
    name: str, torch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run_cells("04_grad_and_hooks", ["code-3", "code-63b", "code-63d"], {"minigrad": minigrad, "torch": torch}[name])
    assert capsys.readouterr().out == "called: []\nthe hook sees tensor(10.)\n"


def test_a_hook_stays_with_what_its_tensor_was_before_a_write_in_pytorch_too(torch: Any) -> None:
    for library in (minigrad, torch):
        seen: list[float] = []
        y = library.tensor(2.0, requires_grad=True) * 3
        y.register_hook(lambda g, seen=seen: seen.append(g.item()))
        y.mul_(10)
        y.backward()
        assert seen == [10.0], library.__name__


# Cells of which the text says that PyTorch does the same.
SAME_IN_PYTORCH = [
    ("05_in_place_data_detach", "code-14"),
    ("05_in_place_data_detach", "code-16"),
    ("05_in_place_data_detach", "code-63"),
    ("05_in_place_data_detach", "code-65"),
    ("05_in_place_data_detach", "code-67"),
    ("06_custom_functions", "code-57"),
    ("06_custom_functions", "code-59"),
    ("07_checking_gradients", "code-63"),
    ("07_checking_gradients", "code-65"),
    ("10_anomaly_mode", "code-3"),
    ("10_anomaly_mode", "code-14"),
    ("10_anomaly_mode", "code-20"),
    ("10_anomaly_mode", "code-26"),
    ("10_anomaly_mode", "code-49"),
    ("10_anomaly_mode", "code-64"),
]


@pytest.mark.parametrize(("chapter", "id"), SAME_IN_PYTORCH)
def test_a_cell_prints_the_same_in_pytorch(
    chapter: str, id: str, torch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run_cells(chapter, [id], torch)
    printed = re.sub(r"torch\.autograd\.function\.| object at 0x\w+", "", capsys.readouterr().out)
    (cell,) = [cell for cell in nbformat.read(FOLDER / f"{chapter}.ipynb", as_version=4).cells if cell.id == id]
    assert printed == cell.outputs[0].text


def test_relu_in_place_fits_and_fails_in_pytorch_as_in_chapter_05(torch: Any) -> None:
    for library in (minigrad, torch):
        relu = library.nn.ReLU(inplace=True)
        other = library.tensor([1.0, 2.0, 3.0])

        def start(library: Any = library) -> Any:
            return library.tensor([-1.0, 0.0, 2.0], requires_grad=True) * 1

        relu(start() * other).sum().backward()
        relu(library.nn.Linear(3, 2)(start())).sum().backward()
        h = start()
        assert (h + relu(h)).tolist() == [0.0, 0.0, 4.0], library.__name__
        for refused in (relu(start().sigmoid()), start().relu().add_(1)):
            with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
                refused.sum().backward()


def test_pytorch_sums_what_a_function_did_not_and_prints_inputs_as_rows_as_chapter_07_says(torch: Any) -> None:
    for library in (minigrad, torch):

        class Unsummed(library.autograd.Function):  # type: ignore[misc, name-defined]
            @staticmethod
            def forward(ctx: Any, x: Any, w: Any) -> Any:
                ctx.save_for_backward(x, w)
                return x * w

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                x, w = ctx.saved_tensors
                return g * w, g * x

        x = library.ones(2, 3, dtype=library.float64, requires_grad=True)
        w = library.ones(3, dtype=library.float64, requires_grad=True)
        assert library.autograd.gradcheck(Unsummed.apply, (x, w))
        with pytest.raises(RuntimeError) as error:  # three inputs, one output
            library.autograd.gradcheck(lambda w: w.detach().sum() + 0 * w.sum(), w)
        numerical = str(error.value).split("numerical:")[1].split("analytical:")[0]
        assert re.findall(r"\[\s*1\.0000\s*\]", numerical) == ["[1.0000]"] * 3, library.__name__

"""What the chapters say of PyTorch in their text, where no block of code says it: true of the installed PyTorch."""

import copy
import gc
import io
import re
import sys
import warnings
import weakref
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from minigrad.teach.exercises.chapter14 import STEPS, Tensor

import minigrad
from minigrad import viz
from minigrad.datasets import Digits, digits
from minigrad.teach import check
from minigrad.teach.exercises import chapter12

FOLDER = Path(__file__).parents[2] / "notebooks"


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
    known = {"mg": library, "autograd": library.autograd, "F": library.nn.functional, "viz": viz, "np": np}
    known["checkpoint"] = import_module(f"{library.__name__}.utils.checkpoint").checkpoint
    known["gradcheck"] = library.autograd.gradcheck
    for name in ids:
        exec(source[name], known)


@pytest.mark.parametrize("name", ["minigrad", "torch"])
def test_the_hooks_of_chapter_04_are_called_as_often_in_pytorch(
    name: str, torch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run_cells("04_grad_and_hooks", ["code-3", "code-63b", "code-63d"], {"minigrad": minigrad, "torch": torch}[name])
    assert capsys.readouterr().out == "called: []\nthe hook sees tensor(10.)\n"


def test_pytorchs_profile_is_empty_in_its_block_and_where_another_one_lies_in_it(torch: Any) -> None:
    profile, x = torch.autograd.profiler.profile, torch.ones(3)
    with profile() as outer:
        x.exp()
        assert list(outer.key_averages()) == []
        with profile() as inner:
            x.sin()
    assert [event.name for event in inner.function_events] == ["aten::sin"]
    assert list(outer.function_events) == []


def test_pytorchs_profile_has_the_same_names_of_a_step_with_a_loop(torch: Any) -> None:
    cells = nbformat.read(FOLDER / "11_profiler.ipynb", as_version=4).cells
    (source,) = [cell.source for cell in cells if cell.source.startswith("class Limit(")]
    counts = []
    for library in (minigrad, torch):
        known: dict[str, Any] = {"mg": library}
        exec(source.partition("\nx = ")[0], known)
        x = library.ones((64, 3), requires_grad=True)
        known["Limit"].apply(x).sum().backward()
        with library.autograd.profiler.profile() as prof:
            known["Limit"].apply(x).sum().backward()
        counts.append({row.key: row.count for row in prof.key_averages()})
    for name in ("Limit", "LimitBackward", "aten::clamp", "aten::mul", "aten::lt"):
        assert counts[0][name] == counts[1][name] == (64 if name in ("aten::mul", "aten::lt") else 1)
    assert "autograd::engine::evaluate_function: LimitBackward" in counts[0].keys() & counts[1].keys()


def test_a_hook_stays_with_what_its_tensor_was_before_a_write_in_pytorch_too(torch: Any) -> None:
    for library in (minigrad, torch):
        seen: list[float] = []
        y = library.tensor(2.0, requires_grad=True) * 3
        y.register_hook(lambda g, seen=seen: seen.append(g.item()))
        y.mul_(10)
        y.backward()
        assert seen == [10.0], library.__name__


def test_a_second_walk_through_additions_alone_is_no_error_in_pytorch_as_chapter_14_says(torch: Any) -> None:
    x, w = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    total = x + w
    total.backward()
    total.backward()
    assert x.grad.item() == 2.0
    product = x * w
    product.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        product.backward()


def test_the_scores_of_two_digits_get_the_gradient_that_chapter_14_says() -> None:
    scores = Tensor(np.zeros((2, 10)), requires_grad=True)
    chances = scores.recorded(lambda x: np.full_like(x, 0.1), STEPS["softmax_rule"], ())
    logs = chances.recorded(np.log, lambda g, y, a: (g / a,), ())
    loss = logs * (np.eye(10)[[3, 7]] / -2)
    loss.backward()
    np.testing.assert_allclose(scores.grad, np.where(np.eye(10)[[3, 7]] == 1, -0.45, 0.05))


def test_the_headers_of_pytorch_that_chapter_14_names_are_there(torch: Any) -> None:
    cells = nbformat.read(FOLDER / "14_build_your_own_engine.ipynb", as_version=4).cells
    (table,) = [cell.source for cell in cells if "| yours | in minigrad | in PyTorch |" in cell.source]
    place = Path(torch.__file__).parent
    headers = re.findall(r"`torch/(csrc/[\w/]+\.h)`", table)
    assert len(headers) == 3
    assert all((place / "include" / "torch" / header).is_file() for header in headers)
    modules = re.findall(r"`torch/(autograd/\w+\.py)`", table)
    assert len(modules) == 2
    assert all((place / module).is_file() for module in modules)


def test_pytorch_collects_and_normalizes_as_chapter_15_says(torch: Any) -> None:
    nn = torch.nn

    class Listed(nn.Module):
        def __init__(self, holder: Any) -> None:
            super().__init__()
            self.hidden = holder([nn.Linear(2, 2)])

    assert not list(Listed(list).parameters())
    assert len(list(Listed(nn.ModuleList).parameters())) == 2
    layer, x = nn.BatchNorm1d(1, momentum=1.0), torch.tensor([[1.0], [2.0], [6.0]])
    assert layer(x).pow(2).mean().item() == pytest.approx(1.0, abs=1e-4)  # divided by n
    assert layer.running_var.item() == pytest.approx(7.0)  # by n - 1
    w = torch.ones(1, requires_grad=True)
    place, w.grad = w.data_ptr(), torch.ones(1)
    torch.optim.SGD([w], lr=0.1).step()
    assert (w.data_ptr(), w.item()) == (place, pytest.approx(0.9))


# Cells of which the text says that PyTorch does the same, and those that answer a question, after what they need.
SAME_IN_PYTORCH = [
    ("01_tensors_and_leaves", "code-55"),
    ("01_tensors_and_leaves", "code-58"),
    ("02_the_graph", "code-46"),
    ("03_backward_step_by_step", "code-59 code-67"),
    ("03_backward_step_by_step", "code-70"),
    ("03_backward_step_by_step", "code-04 code-81"),
    ("03_backward_step_by_step", "code-82"),
    ("04_grad_and_hooks", "code-41 code-67"),
    ("04_grad_and_hooks", "code-3 code-69"),
    ("04_grad_and_hooks", "code-72"),
    ("04_grad_and_hooks", "code-3 code-41 code-76"),
    ("04_grad_and_hooks", "code-3 code-77"),
    ("04_grad_and_hooks", "code-78"),
    ("04_grad_and_hooks", "code-82"),
    ("04_grad_and_hooks", "code-83"),
    ("05_in_place_data_detach", "code-14"),
    ("05_in_place_data_detach", "code-16"),
    ("05_in_place_data_detach", "code-63"),
    ("05_in_place_data_detach", "code-65"),
    ("05_in_place_data_detach", "code-3 code-45"),
    ("05_in_place_data_detach", "code-3 code-75"),
    ("05_in_place_data_detach", "code-67"),
    ("05_in_place_data_detach", "code-71"),
    ("06_custom_functions", "code-57"),
    ("06_custom_functions", "code-59"),
    ("06_custom_functions", "code-62"),
    ("06_custom_functions", "code-70 code-71"),
    ("06_custom_functions", "code-73 code-74"),
    ("06_custom_functions", "code-75 code-76"),
    ("07_checking_gradients", "code-63"),
    ("07_checking_gradients", "code-65"),
    ("07_checking_gradients", "code-66 code-67"),
    ("07_checking_gradients", "code-68"),
    ("08_jacobians_and_hessians", "code-72"),
    ("08_jacobians_and_hessians", "code-41"),
    ("08_jacobians_and_hessians", "code-75"),
    ("10_anomaly_mode", "code-3"),
    ("10_anomaly_mode", "code-14"),
    ("10_anomaly_mode", "code-20"),
    ("10_anomaly_mode", "code-26"),
    ("10_anomaly_mode", "code-50"),
    ("10_anomaly_mode", "code-70"),
    ("10_anomaly_mode", "code-71 code-71b"),
    ("10_anomaly_mode", "code-72"),
    ("10_anomaly_mode", "code-65"),
    ("13_bug_museum", "code-80"),
]


@pytest.mark.parametrize(("chapter", "ids"), SAME_IN_PYTORCH)
def test_a_cell_prints_the_same_in_pytorch(
    chapter: str, ids: str, torch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run_cells(chapter, ids.split(), torch)
    printed = re.sub(r"torch\.autograd\.function\.| object at 0x\w+", "", capsys.readouterr().out)
    cells = {cell.id: cell for cell in nbformat.read(FOLDER / f"{chapter}.ipynb", as_version=4).cells}
    assert printed == "".join(output.get("text", "") for id in ids.split() for output in cells[id].outputs)


def test_at_a_corner_pytorch_takes_the_shortest_slope_as_chapter_07_says_and_clamp_does_not(torch: Any) -> None:
    functional = torch.nn.functional
    corners = [
        (torch.relu, 0.0, 0.0),
        (torch.abs, 0.0, 0.0),
        (lambda x: -x.abs(), 0.0, 0.0),
        (lambda x: functional.leaky_relu(x, 0.1), 0.0, 0.1),
        (functional.relu6, 6.0, 0.0),
        (functional.hardtanh, -1.0, 0.0),
        (functional.hardtanh, 1.0, 0.0),
        (lambda x: torch.maximum(x, 3 * x), 0.0, 2.0),  # of 1 to 3 the shortest is 1: ties are halved instead
        (lambda x: x.clamp(-1, 1), -1.0, 1.0),
        (lambda x: x.clamp(-1, 1), 1.0, 1.0),
        (torch.sqrt, 0.0, np.inf),
    ]
    for f, point, slope in corners:
        x = torch.tensor(point, requires_grad=True)
        f(x).backward()
        assert x.grad.item() == pytest.approx(slope)


def test_the_error_about_a_write_has_in_pytorch_the_parts_that_chapter_05_names(torch: Any) -> None:
    def walked(of_leaf: bool) -> tuple[str, list[str]]:
        w = torch.tensor([3.0, 1.0, -1.0], requires_grad=True)
        y = w * w if of_leaf else (w * 1).sigmoid()
        with torch.no_grad():
            (w if of_leaf else y).add_(1)
        with warnings.catch_warnings(record=True, action="always") as warned, pytest.raises(RuntimeError) as error:
            y.sum().backward()
        return str(error.value), [str(one.message) for one in warned]

    text, _ = walked(of_leaf=False)
    version = "is at version 1; expected version 0 instead. Hint: enable anomaly detection"
    assert f"operation: [torch.FloatTensor [3]], which is output 0 of Sigmoid, {version}" in text
    text, _ = walked(of_leaf=True)
    assert f"operation: [torch.FloatTensor [3]] {version}" in text
    with torch.autograd.set_detect_anomaly(True):
        _, (*_, told) = walked(of_leaf=False)
    assert "(w * 1).sigmoid()" in told
    assert "add_(1)" not in told


def test_a_save_that_fails_leaves_half_a_file_in_pytorch_and_the_old_one_here_as_chapter_12_says(
    torch: Any, tmp_path: Path
) -> None:
    class Unsavable:
        def __reduce__(self) -> Any:
            raise ValueError

    for library in (minigrad, torch):
        path = tmp_path / library.__name__
        library.save({"a": library.ones(3)}, path)
        with pytest.raises((ValueError, TypeError)):
            library.save({"a": library.ones(3), "b": Unsavable()}, path)
    assert minigrad.load(tmp_path / "minigrad")["a"].tolist() == [1.0] * 3
    with pytest.raises(RuntimeError):
        torch.load(tmp_path / "torch")


def test_attention_with_an_empty_row_is_in_pytorch_as_chapter_10_says(torch: Any) -> None:
    x, allowed = torch.ones(1, 2, 4), torch.tensor([[True, True], [False, False]])
    attended = torch.nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=allowed)
    assert attended[0, 1].tolist() == [0.0] * 4
    module = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    assert module(x, x, x, attn_mask=~allowed)[0][0, 1].isnan().all()


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


@pytest.mark.usefixtures("every_warning")
def test_a_gradient_in_a_ring_stays_in_pytorch_until_grad_is_none_as_chapter_08_says(
    torch: Any,
) -> None:
    kept = {}
    for library in (minigrad, torch):
        for clears in (False, True):
            x = library.tensor(0.5, requires_grad=True)
            with pytest.warns(UserWarning, match="will create a reference cycle"):
                x.cos().backward(create_graph=True)
            if clears:
                x.grad = None
            there = weakref.ref(x)
            gc.collect()
            del x
            before = there() is not None
            gc.collect()
            kept[library.__name__, clears] = before, there() is not None
    assert kept == {
        ("minigrad", False): (True, False),
        ("minigrad", True): (False, False),
        ("torch", False): (True, True),
        ("torch", True): (False, False),
    }


def test_zeros_hide_a_cut_in_pytorch_too_unless_it_is_strict(torch: Any) -> None:
    for library in (minigrad, torch):
        functional, x = library.autograd.functional, library.tensor([1.0, -2.0])
        for f in (lambda x: x.round(), lambda x: (x > 0).float(), lambda x: x.detach() ** 2):
            assert not functional.jacobian(f, x).any()
            assert not functional.hessian(lambda x, f=f: f(x).sum(), x).any()
        assert not functional.hessian(lambda x: x.relu().sum(), x).any()
    for f in (lambda x: (x > 0).float(), lambda x: x.detach() ** 2):
        with pytest.raises(RuntimeError, match="does not require gradients"):
            torch.autograd.functional.jacobian(f, torch.tensor([1.0, -2.0]), strict=True)


def test_the_rows_of_a_jacobian_go_together_where_chapter_08_says_so(torch: Any) -> None:
    walks = {}
    for library in (minigrad, torch):
        for vectorize in (False, True):
            seen: list[Any] = []

            class Noted(library.autograd.Function):  # type: ignore[misc, name-defined]
                generate_vmap_rule = True

                @staticmethod
                def forward(x: Any) -> Any:
                    return x * 2

                @staticmethod
                def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                    pass

                @staticmethod
                def backward(ctx: Any, g: Any, seen: list[Any] = seen) -> Any:
                    seen.append(g)
                    return g * 2

            library.autograd.functional.jacobian(lambda x, f=Noted: f.apply(x), library.ones(3), vectorize=vectorize)
            walks[library.__name__, vectorize] = len(seen)
    assert walks["torch", False] == 3
    assert walks["torch", True] == 1


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # of its own, at the first use
def test_pytorch_goes_forward_for_a_product_from_the_right(torch: Any) -> None:
    x, d = torch.tensor([0.5, 1.0]), torch.tensor([0.25, -1.0])
    forward = torch.func.jvp(lambda x: x.cumsum(0).sin(), (x,), (d,))[1]
    assert torch.allclose(forward, torch.autograd.functional.jvp(lambda x: x.cumsum(0).sin(), x, d)[1])


def test_newton_is_at_a_near_minimum_in_four_steps_where_descent_is_not_in_twenty() -> None:
    cells = {cell.id: cell.source for cell in nbformat.read(FOLDER / "08_jacobians_and_hessians.ipynb", 4).cells}
    (tip,) = [text for text in cells.values() if text.startswith("def tip(")]
    (goal,) = [text for text in cells.values() if text.startswith("goal = ")]
    (methods,) = [text for text in cells.values() if text.startswith("def slopes_at(")]
    known: dict[str, Any] = {"mg": minigrad, "autograd": minigrad.autograd}
    for text in (tip.partition("\n\nangles")[0], goal.partition("\n\ntwo")[0], methods.partition("\n\nmethods")[0]):
        exec(text, known)
    bottom = minigrad.tensor([[-0.5145, 1.9552]], dtype=minigrad.float64)
    for _ in range(5):
        bottom = known["newton"](bottom)
    around = minigrad.tensor([[0.3, 0.0], [-0.3, 0.0], [0.0, 0.3], [0.0, -0.3]], dtype=minigrad.float64)
    points = dict.fromkeys(("newton", "descent"), bottom + around)
    for name, steps in (("newton", 4), ("descent", 20)):
        for _ in range(steps):
            points[name] = known[name](points[name])
    far = {name: (found - bottom).abs().max().item() for name, found in points.items()}
    assert far["newton"] < 1e-4
    assert far["descent"] > 5e-3


def cells_of_chapter_09(*beginnings: str) -> list[Any]:
    """The cells that begin so."""
    cells = nbformat.read(FOLDER / "09_grad_modes_and_eval.ipynb", as_version=4).cells
    found = [[cell for cell in cells if cell.source.startswith(beginning)] for beginning in beginnings]
    assert [len(one) for one in found] == [1] * len(beginnings)
    return [one[0] for one in found]


def known_in(library: Any) -> dict[str, Any]:
    return {"mg": library, "nn": library.nn, "F": library.nn.functional, "viz": viz, "weakref": weakref, "copy": copy}


@pytest.mark.parametrize(
    "beginnings",
    [
        ("def new_model", "changes = {", 'questions = {\n    "a mean'),
        ("modes = {",),
        ("modes = {", "makers = {"),
        ("modes = {", "forms = {", "forms |= {", 'questions = {\n    "is y'),
    ],
)
def test_the_tables_of_chapter_09_are_the_same_in_pytorch(beginnings: tuple[str, ...], torch: Any) -> None:
    *others, last = cells_of_chapter_09(*beginnings)
    known = known_in(torch)
    *lines, table = last.source.rsplit("\n", 1)
    with torch.enable_grad():
        for source in [*(cell.source for cell in others), "\n".join(lines)]:
            exec(source, known)
        start = known.get("two_leaves", dict)

        def recording_again() -> Any:  # run_table puts back minigrad's modes only
            torch.set_grad_enabled(True)
            return start()

        known["two_leaves"] = recording_again
        theirs = str(eval(table, known)).replace(" object>", ">")
    stored = last.outputs[0].data["text/plain"]
    assert [re.split(r"\s{2,}", row) for row in theirs.splitlines()] == [
        re.split(r"\s{2,}", row) for row in stored.splitlines()
    ]


@pytest.mark.parametrize(
    "beginnings",
    [
        ("def new_model", "with mg.no_grad():\n    model = new_model()"),
        ("def new_model", "def answers"),
        ("def new_model", "def answer(model)"),
        ("def new_model", "class Frozen"),
    ],
)
def test_cells_of_chapter_09_print_the_same_in_pytorch(
    beginnings: tuple[str, ...], torch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    *others, last = cells_of_chapter_09(*beginnings)
    known = known_in(torch)
    for cell in others:
        exec(cell.source, known)
    capsys.readouterr()
    exec(last.source, known)
    printed = re.sub(r" object at 0x\w+", "", capsys.readouterr().out)
    assert printed == last.outputs[0].text


def test_the_ways_of_freezing_in_chapter_09_do_the_same_in_pytorch(torch: Any) -> None:
    cells = cells_of_chapter_09("def new_model", "alive = ", "def frozen_start", 'questions = {\n    "head"')
    tables = []
    for library in (minigrad, torch):
        known = known_in(library)
        for cell in cells:
            exec(cell.source, known)
        tables.append(known["table"])
    ours, theirs = (
        {place: run.answer for place, run in table.runs.items() if place[1] != "bytes kept"} for table in tables
    )
    assert ours == theirs
    kept = [{row: int(table.runs[row, "bytes kept"].answer) > 0 for row in table.rows} for table in tables]
    assert kept[0] == kept[1] == {"requires_grad_(False)": True, "no_grad()": False, "detach()": False, "eval()": True}


def test_a_frozen_backbone_whose_inputs_are_data_keeps_nothing_and_a_total_keeps_shells_as_in_chapter_09(
    torch: Any,
) -> None:
    cells = cells_of_chapter_09("def new_model", "alive = ", "def wide", "def nodes_behind")
    forward = []
    for library in (minigrad, torch):
        known = known_in(library)
        for cell in cells:
            exec(cell.source, known)
        forward.append(sum(known["kept_by_layer"](known["wide"](), library.randn(256, 32))))
        backbone = known["new_model"]()[:4].requires_grad_(False)
        with known["watching"]:
            features = backbone(known["inputs"])
        assert not features.requires_grad
        assert known["kept_bytes"]() == 0, library.__name__
        walked = known["epoch_with"](lambda loss: loss, walk=True, steps=3)
        assert [size for _, size in walked] == [0, 0, 0], library.__name__
        assert walked[2][0] > walked[1][0] > walked[0][0]
        kept = [size for _, size in known["epoch_with"](lambda loss: loss, walk=False, steps=3)]
        assert kept[2] - kept[1] == kept[1] - kept[0] > 0, library.__name__
        assert known["epoch_with"](lambda loss: loss.item(), walk=True, steps=2) == [(0, 0), (0, 0)]
    assert forward[1] / forward[0] == pytest.approx(1.06, abs=0.005)


def test_anomaly_mode_says_of_pytorch_what_chapter_10_says(torch: Any) -> None:
    for library in (minigrad, torch):
        anomaly = library.autograd.set_detect_anomaly

        def failing(walk: Any, anomaly: Any = anomaly) -> tuple[str, list[str]]:
            recording = warnings.catch_warnings(record=True, action="always")
            with recording as warned, anomaly(True), pytest.raises(RuntimeError) as error:
                walk()
            return str(error.value).partition(".")[0], [str(one.message).strip() for one in warned]

        def length(library: Any = library) -> None:
            x = library.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
            (x * x).sum(-1).sqrt().sum().backward()

        text, (told,) = failing(length)
        assert text == "Function 'MulBackward0' returned nan values in its 0th output"
        assert told.startswith("Error detected in MulBackward0. Traceback of forward call that caused the error:")
        assert "(x * x).sum(-1).sqrt().sum().backward()" in told

        def twice(library: Any = library) -> None:
            x = library.tensor(0.0, requires_grad=True)
            (slope,) = library.autograd.grad(x**1.5 * x, x, create_graph=True)
            library.autograd.grad(slope, x)

        text, (_, induced) = failing(twice)
        assert text == "Function 'PowBackward0' returned nan values in its 0th output"
        assert induced.startswith("Previous calculation was induced by PowBackward0.")
        with anomaly(True):
            x = library.tensor(-1.0, requires_grad=True)
            x.log().backward()
            assert x.grad.item() == -1.0
        with warnings.catch_warnings(), anomaly(True, check_nan=False):
            length()


def test_the_second_derivative_of_a_norm_of_zeros_is_nan_in_pytorch_too(torch: Any) -> None:
    for library in (minigrad, torch):
        x = library.tensor([0.0, 0.0], requires_grad=True)
        (slope,) = library.autograd.grad(x.norm(), x, create_graph=True)
        assert slope.tolist() == [0.0, 0.0]
        (second,) = library.autograd.grad(slope.sum(), x)
        assert second.isnan().all(), library.__name__


@pytest.mark.parametrize("name", ["minigrad", "torch"])
def test_hooks_on_modules_tell_the_same_of_a_nan_in_pytorch(
    name: str, torch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    library = {"minigrad": minigrad, "torch": torch}[name]
    cells = nbformat.read(FOLDER / "10_anomaly_mode.ipynb", as_version=4).cells
    begins = ("class Amplitude(", "class Model(", "def has_nan(")
    sources = [cell for cell in cells if cell.source.startswith(begins)]
    known = {"mg": library, "nn": library.nn}
    for cell in sources:
        capsys.readouterr()
        exec(cell.source, known)
    assert capsys.readouterr().out == sources[-1].outputs[0].text


def museum_of(library: Any, capsys: pytest.CaptureFixture[str]) -> tuple[list[str], str]:
    """What the cells of the second room print with this library, and its table."""
    cells = nbformat.read(FOLDER / "13_bug_museum.ipynb", as_version=4).cells
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    room = sources[next(number for number, source in enumerate(sources) if source.startswith("rows = {")) :]
    room = [source for source in room if not re.match(r"predict|check|def \w+\(model|# What", source)]
    known = {"mg": library, "nn": library.nn, "F": library.nn.functional, "viz": viz, "plt": MagicMock(), "np": np}
    capsys.readouterr()
    printed = []
    for source in room:
        table = source.replace("viz.run_table(", "table = viz.run_table(")
        exec(table, known)
        printed.append(capsys.readouterr().out)
    return printed, str(known["table"])


def test_the_second_room_of_the_museum_is_the_same_in_pytorch(torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    ours, table = museum_of(minigrad, capsys)
    theirs, other = museum_of(torch, capsys)
    assert "softmax(0)" in table
    assert table == other
    assert sum(map(bool, ours)) >= 6
    said = [re.sub(r": try target.long\(\)|minigrad\.|torch\.", "", "".join(one)) for one in (ours, theirs)]
    assert said[0] == said[1]


def test_chapter_08_takes_the_largest_curvature_from_a_readers_function_that_passes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))
    source = {cell.id: cell.source for cell in nbformat.read(FOLDER / "08_jacobians_and_hessians.ipynb", 4).cells}
    right = solutions_of("08_jacobians_and_hessians")["largest_curvature"]
    right.__globals__["mg"] = minigrad
    functional, asked = minigrad.autograd.functional, []

    def noting(f: Any, x: Any, v: Any, steps: int) -> float:
        asked.append(getattr(f, "__name__", ""))
        return right(f, x, v, steps)  # type: ignore[no-any-return]

    def wrong(f: Any, x: Any, v: Any, steps: int) -> float:
        return noting(f, x, v, steps) + 1

    for answer in (noting, wrong):
        known = {"mg": minigrad, "autograd": minigrad.autograd, "np": np, "check": check, "viz": MagicMock()}
        known |= {"hessian": functional.hessian, "plt": MagicMock(), "largest_curvature": answer}
        for name in ("code-13", "code-32", "code-34", "code-57"):
            exec(source[name], known)
        assert "largest curvature 1.762, so the rate may be up to 1.135" in capsys.readouterr().out
        assert ("miss" in asked) == (answer is noting)
        asked.clear()


NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?")
# What is true of numbers that are rounding, or come of a training: of what each of these cells prints, in its order.
HOLDS: dict[str, Callable[..., bool]] = {
    "code-7": lambda *found: all(share < 20 for share in found[2::3]) and {*found[:2], *found[3:5]} == {-1.0},
    "code-10": lambda none, largest: none == 0 < largest < 1e-6,
    "code-13": lambda sgd, adam: sgd < 1e-6 and adam > 0.01,
    "code-24": lambda share: share >= 97,
    "code-27": lambda sigmoid, relu: sigmoid > 1000 > relu > 1,
    "code-30": lambda *found: all(0.2 < one < 10 for one in found[-5:-2]) and all(30 < one < 70 for one in found[-2:]),
    "code-39": lambda exact, rounded: exact > 0.01 > rounded == 0,
    "code-59": lambda epoch, of, best, last, copy: epoch < 40 < of and best == copy < last - 0.5,
}


def numbers_in(printed: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(printed)]


def without_numbers(printed: str) -> str:
    return " ".join(NUMBER.sub("#", printed).split())


@pytest.mark.parametrize("name", HOLDS)
def test_the_numbers_that_chapter_12_prints_are_what_its_text_says(name: str) -> None:
    cells = nbformat.read(FOLDER / "12_train_a_network.ipynb", as_version=4).cells
    (cell,) = [one for one in cells if one.id == name]
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    assert HOLDS[name](*numbers_in(printed)), printed


def trained_with(library: Any, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, str], list[str], list[float]]:
    """What the cells of chapter 12 print with this library, by their ids, their tables, and the losses of the long
    training.
    """
    cells = nbformat.read(FOLDER / "12_train_a_network.ipynb", as_version=4).cells
    tables: list[str] = []
    nothing = MagicMock()
    shown = SimpleNamespace(
        run_table=lambda *told: tables.append(str(viz.run_table(*told))), BackwardStepper=nothing, draw=nothing
    )
    data = Digits(*(library.from_numpy(one.numpy()) for one in digits()))
    loading = library.utils.data
    known: dict[str, Any] = {"mg": library, "nn": library.nn, "F": library.nn.functional}
    known |= {"copy": copy, "io": io, "sys": sys}
    known |= {"DataLoader": loading.DataLoader, "TensorDataset": loading.TensorDataset, "digits": lambda: data}
    known |= {"chapter12": MagicMock(FAULTS=chapter12.FAULTS), "tqdm": lambda rounds, **words: rounds}
    known |= {"np": np, "plt": plt, "viz": shown}
    printed = {}
    for cell in cells[2:]:  # without the imports
        is_asked = re.match(r"predict|check|hint|def \w+\((model|run|path)\b|# What", cell.source)
        if cell.cell_type == "code" and not is_asked:
            capsys.readouterr()
            exec(cell.source, known)
            printed[cell.id] = capsys.readouterr().out
            plt.close("all")
    return printed, tables, known["losses"]


def test_the_training_of_chapter_12_is_the_same_in_pytorch(torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    ours, tables, losses = trained_with(minigrad, capsys)
    theirs, their_tables, their_losses = trained_with(torch, capsys)
    np.testing.assert_allclose(losses[:10], their_losses[:10], rtol=1e-4)
    assert len(tables) == 2
    assert tables == their_tables
    assert sum(map(bool, ours.values())) >= 14
    errors, their_errors = ours.pop("code-69"), theirs.pop("code-69")
    assert their_errors.count("RuntimeError: ") == 4
    for line, beginning in zip(errors.split("\n"), their_errors.split("\n"), strict=True):
        assert line.startswith(beginning)
    for name in HOLDS:
        mine, other = ours.pop(name), theirs.pop(name)
        assert without_numbers(mine) == without_numbers(other)
        assert HOLDS[name](*numbers_in(mine)), mine
        assert HOLDS[name](*numbers_in(other)), other
    assert ours == theirs


# ---------------------------------------------------------------- chapter 16


def test_a_row_that_sees_nothing_is_0_or_nan_in_pytorch_as_chapter_16_says(torch: Any) -> None:
    x, sees = torch.randn(1, 2, 4, requires_grad=True), torch.tensor([[True, False], [False, False]])
    attention = torch.nn.functional.scaled_dot_product_attention
    mixed = attention(x, x, x, attn_mask=sees)
    assert mixed[0, 1].tolist() == [0.0] * 4
    (sent,) = torch.autograd.grad(mixed.sum(), x)
    assert sent.isfinite().all()
    heads = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    as_it_comes, _ = heads(x, x, x, attn_mask=~sees)
    assert not as_it_comes[0, 0].isnan().any()
    assert as_it_comes[0, 1].isnan().all()
    without_weights, _ = heads(x, x, x, attn_mask=~sees, need_weights=False)
    assert not without_weights.isnan().any()


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_filled_scores_stop_a_nan_and_added_ones_hand_it_on(library: str, torch: Any) -> None:
    mg = {"minigrad": minigrad, "torch": torch}[library]
    allowed = mg.tensor([[True, False], [False, False]])
    infinite = mg.zeros(2, 2).masked_fill(~allowed, -mg.inf)
    ways = {"filled": lambda scores: scores.masked_fill(~allowed, -mg.inf), "added": lambda scores: scores + infinite}
    nan = {}
    for words, masked in ways.items():
        scores = mg.tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True)
        weights = masked(scores).softmax(-1).masked_fill(~allowed, 0.0)
        assert weights.tolist() == [[1.0, 0.0], [0.0, 0.0]]
        (weights * mg.tensor([[1.0, 3.0], [5.0, 7.0]])).sum().backward()
        nan[words] = scores.grad.isnan().any(1).tolist()
    assert nan == {"filled": [False, False], "added": [False, True]}


def test_without_places_a_head_sees_a_heap_of_letters() -> None:
    solutions = solutions_of("16_a_sequence_model")
    solutions["mg"] = minigrad  # in which they look for it
    x, allowed = minigrad.randn(3, 4), minigrad.ones(3, 3).tril().bool()
    one, other = (solutions["attended"](rows, rows, rows, allowed) for rows in (x, x[[1, 0, 2]]))
    np.testing.assert_allclose(one[2].numpy(), other[2].numpy(), rtol=1e-5)
    assert not np.allclose(one[1].numpy(), other[1].numpy())


def test_the_errors_of_chapter_16_are_pytorchs(torch: Any) -> None:
    said = []
    for library in (minigrad, torch):
        scores, targets = library.zeros(2, 3, 27), library.zeros(2, 3, dtype=library.long)
        with pytest.raises(RuntimeError) as size:
            library.nn.functional.cross_entropy(scores, targets)
        with pytest.raises(IndexError) as place:
            library.nn.Embedding(12, 2)(library.zeros(1, 13, dtype=library.long) + 12)
        said.append([str(size.value), str(place.value)])
    assert said[1] == ["Expected target size [2, 27], got [2, 3]", "index out of range in self"]
    assert all(ours.startswith(theirs) for ours, theirs in zip(*said, strict=True))


def test_the_numbers_that_chapter_16_prints_are_what_its_text_says() -> None:
    """Of the cells whose outputs are not compared, since rounding differs between machines."""
    cells = nbformat.read(FOLDER / "16_a_sequence_model.ipynb", as_version=4).cells
    printed = "".join(
        output.text for cell in cells if cell.cell_type == "code" for output in cell.outputs if "text" in output
    )
    counted, trained = (float(one) for one in re.findall(r"^(?:counted|trained): loss ([\d.]+)", printed, re.MULTILINE))
    assert counted < trained < counted + 0.02
    losses = [
        float(one) for one in re.findall(r"^(?:equal|counted|one|two) \w+ +loss ([\d.]+), as", printed, re.MULTILINE)
    ]
    assert len(losses) == 4
    assert losses[0] == 3.3
    assert losses == sorted(losses, reverse=True)
    (cold,) = re.findall(r"^ +0 +\d of 7 are in the list: +(.*)$", printed, re.MULTILINE)
    assert len(set(cold.split(", "))) == 1

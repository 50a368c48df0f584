"""What minigrad says beyond PyTorch's words, and what it has beside it.

An error about an in-place write names the variable, the operation that saved it, and the line that wrote; anomaly
mode says where a nan began; saved tensors can go to disk. Lines are found by walking the frames, so they are tested
from inside functions and threads, where the frames differ.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import nbformat
import pytest
from nbclient import NotebookClient

import minigrad as mg
from minigrad import Tensor


@pytest.fixture
def x() -> Tensor:
    return mg.tensor([1.0, 2.0, 3.0], requires_grad=True)


def message(act: Callable[[], Any]) -> str:
    with pytest.raises(RuntimeError) as error:
        act()
    return str(error.value)


# ---------------------------------------------------------------- in-place writes


def test_the_variable_the_op_and_the_line_are_named(x: Tensor) -> None:
    activation = x.exp()
    activation += 1
    text = message(activation.sum().backward)
    assert "ExpBackward0 saved `activation` at version 0" in text
    assert "test_explanations.py" in text
    assert "in test_the_variable_the_op_and_the_line_are_named\n    activation += 1" in text


def writes() -> dict[str, Callable[[Tensor], Any]]:
    """Ways to write to a tensor; each stands on a line of its own, which the error has to show."""

    def by_number(y: Tensor) -> None:
        y[0] = 5

    def by_mask(y: Tensor) -> None:
        y[y > 1] = 5.0

    def through_a_view(y: Tensor) -> None:
        y[1:].mul_(2)

    def through_detach(y: Tensor) -> None:
        y.detach().zero_()

    return {function.__name__: function for function in (by_number, by_mask, through_a_view, through_detach)}


@pytest.mark.parametrize("name", list(writes()))
def test_every_kind_of_write_is_found(name: str, x: Tensor) -> None:
    y = x * 1
    loss = (y**2).sum()
    writes()[name](y)
    text = message(loss.backward)
    assert "PowBackward0 saved `y` at version 0" in text
    assert f", in {name}\n" in text
    assert "y" in text.split(f", in {name}\n    ")[1].splitlines()[0]


def test_a_tensor_without_a_name_is_called_this_tensor(x: Tensor) -> None:
    def made() -> Tensor:
        y = x * 1
        loss = (y**2).sum()
        y.zero_()
        return loss

    text = message(made().backward)
    assert "PowBackward0 saved this tensor at version 0" in text
    assert "y.zero_()" in text


def test_the_last_of_several_writes_is_shown(x: Tensor) -> None:
    y = x * 1
    loss = (y**2).sum()
    y.add_(1)
    y.sub_(2)
    text = message(loss.backward)
    assert "is at version 2; expected version 0" in text
    assert "y.sub_(2)" in text


def test_a_write_of_another_thread_is_shown(x: Tensor) -> None:
    y = x * 1
    loss = (y**2).sum()

    def written_elsewhere() -> None:
        y.detach().mul_(3)

    worker = threading.Thread(target=written_elsewhere)
    worker.start()
    worker.join()
    assert "in written_elsewhere\n    y.detach().mul_(3)" in message(loss.backward)


def test_a_leaf_is_named_when_it_may_not_be_written_to() -> None:
    weight = mg.ones(2, requires_grad=True)
    assert "y = weight + 1" in message(lambda: weight.add_(1))


# ---------------------------------------------------------------- anomaly mode


def test_a_nan_is_traced_to_where_it_began(x: Tensor) -> None:
    def forward() -> Tensor:
        root = (x - 1).sqrt()
        return (root * 0).sum() * 2

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        with mg.autograd.detect_anomaly():
            text = message(forward().backward)
    assert text.startswith("Function 'SqrtBackward0' returned nan values in its 0th output.")
    assert "No nan came in, so this is where it began: from the incoming gradient tensor([0., 0., 0.])" in text
    assert text.endswith("If the forward pass gave a nan already, it began there: look for the first one.")
    shown = str(caught[-1].message)
    assert "root = (x - 1).sqrt()" in shown
    assert "site-packages" not in shown


def test_a_nan_that_came_from_outside_is_told_apart(x: Tensor) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with mg.autograd.detect_anomaly():
            y = x * 2
            text = message(lambda: y.backward(mg.full((3,), float("nan"))))
    assert "backward() was started with already holds a nan" in text


def test_off_it_notes_nothing(x: Tensor) -> None:
    assert (x * 2).grad_fn.metadata == {}


# ---------------------------------------------------------------- in a notebook, a line is its cell's


CELLS = [
    "import warnings\nimport minigrad as mg\nx = mg.tensor([1.0, 2.0], requires_grad=True)",
    "def spoil(y):\n    y[0] = 5.0\n\ny = x.exp()\nspoil(y)\n\ntry:\n    y.sum().backward()\n"
    "except RuntimeError as error:\n    print(error)",
    "y = x.exp()\ny.mul_(2)\ntry:\n    y.sum().backward()\nexcept RuntimeError as error:\n    print(error)",
    "with warnings.catch_warnings(record=True) as caught:\n    warnings.simplefilter('always')\n"
    "    with mg.autograd.detect_anomaly():\n        y = (x - 1).sqrt() * 0\n        try:\n"
    "            y.sum().backward()\n        except RuntimeError:\n            print(caught[-1].message)",
]


@pytest.fixture(scope="module")
def printed() -> list[str]:
    """What each of the cells prints in a real kernel."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(mg.__file__).parent.parent))
        NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return ["".join(output.text for output in cell.outputs) for cell in notebook.cells]


def test_a_write_is_found_in_its_cell(printed: list[str]) -> None:
    assert "was written to by:\n  Cell In[2], line 2, in spoil\n    y[0] = 5.0\n" in printed[1]
    assert "was written to by:\n  Cell In[3], line 2\n    y.mul_(2)\n" in printed[2]


def test_anomaly_mode_names_the_cell(printed: list[str]) -> None:
    assert "  Cell In[4], line 4\n    y = (x - 1).sqrt() * 0\n" in printed[3]


def test_no_name_of_a_file_that_the_kernel_has_made_up(printed: list[str]) -> None:
    assert all("ipykernel" not in text and ".py" not in text for text in printed)


# ---------------------------------------------------------------- backward within backward


class Nested(mg.autograd.Function):
    """Counts down by nesting one backward in another, and notes the modes that each of them sees."""

    seen: ClassVar[list[tuple[bool, bool]]] = []

    @staticmethod
    def forward(ctx: Any, count: Tensor) -> Tensor:
        with mg.enable_grad():
            ctx.inner = count.detach().requires_grad_() - 1
        return ctx.inner.detach()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        Nested.seen.append((mg.is_grad_enabled(), mg.is_anomaly_enabled()))
        if ctx.inner > 0:
            with mg.enable_grad():
                Nested.apply(ctx.inner).backward()
        return gradient


def test_thousands_of_nested_runs_need_no_deeper_stack_and_see_the_same_modes() -> None:
    Nested.seen.clear()
    start = mg.tensor(3_000.0, requires_grad=True)
    threads = threading.active_count()
    Nested.apply(start).backward()
    assert start.grad.item() == 1
    assert len(Nested.seen) == 3_000
    assert set(Nested.seen) == {(False, False)}
    assert threading.active_count() == threads


def test_an_error_deep_inside_comes_out_as_it_is() -> None:
    class Failing(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, count: Tensor) -> Tensor:
            with mg.enable_grad():
                ctx.inner = count.detach().requires_grad_() - 1
            return ctx.inner.detach()

        @staticmethod
        def backward(ctx: Any, gradient: Tensor) -> Tensor:
            if ctx.inner <= 0:
                raise LookupError("at the bottom")
            with mg.enable_grad():
                Failing.apply(ctx.inner).backward()
            return gradient

    with pytest.raises(LookupError, match="at the bottom"):
        Failing.apply(mg.tensor(100.0, requires_grad=True)).backward()
    assert mg.is_grad_enabled()

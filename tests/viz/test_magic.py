"""`%%step`: which tensor it takes, what its options do, and what it says when there is nothing to step."""

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import minigrad as mg
from minigrad import viz


@pytest.fixture(scope="module")
def running() -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    shell.history_manager.enabled = False
    yield shell
    shell.history_manager.end_session()
    InteractiveShell.clear_instance()


@pytest.fixture
def shell(running: InteractiveShell) -> InteractiveShell:
    running.reset(new_session=False)
    viz.load_ipython_extension(running)
    running.user_ns.update(
        mg=mg, w=mg.tensor([1.0, 2.0], requires_grad=True), b=mg.tensor(3.0, requires_grad=True), c=mg.tensor(1.0)
    )
    return running


def step(shell: InteractiveShell, line: str, cell: str) -> Any:
    return shell.run_cell_magic("step", line, cell)


@pytest.mark.parametrize(
    ("line", "cell", "root"),
    [
        ("", "y = w * b\nloss = (y * y).sum()\n", "loss"),
        ("", "y = w * b\nloss = (y * y).sum()\nloss", "loss"),
        ("", "loss = (w * b).sum()\nvalue = loss.item()\ny = w * 2", "loss"),
        ("", "for _ in range(2):\n    loss = (w * b).sum()\n", "loss"),
        ("", "(w * b).sum()", "t1"),
        ("", "first, second = (w * 2).sum(), (w * 3).sum()", "second"),
        ("first", "first, second = (w * 2).sum(), (w * 3).sum()", "first"),
        ("'first * second'", "first, second = (w * 2).sum(), (w * 3).sum()", "t2"),
        ("y --gradient mg.ones(2)", "y = w * b", "y"),
    ],
)
def test_the_root(shell: InteractiveShell, line: str, cell: str, root: str) -> None:
    stepper = step(shell, line, cell)
    assert isinstance(stepper, viz.BackwardStepper)
    assert stepper.picture["root"] == root
    assert (stepper.index, shell.user_ns["w"].grad) == (0, None)


def test_the_code_is_the_cells_own_with_its_line_numbers(shell: InteractiveShell) -> None:
    stepper = step(shell, "loss", "y = w * b\nloss = (y * y).sum()")
    (source,) = stepper.picture["sources"]
    assert source["lines"] == [[1, "# %%step loss"], [2, "y = w * b"], [3, "loss = (y * y).sum()"]]
    assert stepper.next().line == (0, 3, 3, 7, 20)


def test_options_are_the_steppers(shell: InteractiveShell) -> None:
    scope = shell.user_ns
    stepper = step(shell, "loss --inputs w --as s", "loss = (w * b).sum()")
    assert scope["s"] is stepper
    stepper.last()
    assert (scope["w"].grad.tolist(), scope["b"].grad) == ([3.0, 3.0], None)
    step(shell, "loss --retain-graph", "loss = (w * b).sum()").last()
    step(shell, "loss", "loss").last()
    assert scope["b"].grad.item() == 6.0
    scope["b"].grad = None
    step(shell, "--create-graph", "loss = (w * b * b).sum()").last()
    assert scope["b"].grad.requires_grad
    scope["w"].grad = scope["b"].grad = None


def test_the_cell_keeps_its_variables_and_leaves_nothing_else(shell: InteractiveShell) -> None:
    before = set(shell.user_ns)
    step(shell, "", "loss = (w * b).sum()\nloss")
    assert set(shell.user_ns) - before == {"loss"}


@pytest.mark.parametrize(
    ("line", "cell", "said"),
    [
        ("", "x = 3", "found no tensor in this cell: it assigns none"),
        ("", "3.5", "found no tensor in this cell: its last line gives a float"),
        (
            "",
            "y = w * b",
            r"found no scalar in this cell: y has shape \[2\]. Reduce it .*ones_like\(y\)",
        ),
        ("", "w * b", r"w \* b has shape \[2\], and backward\(\) starts from one number"),
        ("", "z = c * 2", "found no tensor with a graph in this cell: z was not computed"),
        ("", "w", "w has no graph: it is a leaf"),
        ("", "c * 2", r"c \* 2 has no graph: it was not computed from a tensor with requires_grad=True"),
        ("loss", "y = 1", "name 'loss' is not defined, which the root names"),
        ("y", "y = 1", "y is an int, not a tensor"),
        ("y --inputs q", "y = (w * b).sum()", "name 'q' is not defined, which --inputs names"),
        ("y --inputs x", "x = 1\ny = (w * b).sum()", "--inputs names tensors, and x is an int"),
        ("y --inputs ,", "y = (w * b).sum()", "--inputs expects names with commas between"),
        ("--wrong", "1", "unrecognized arguments: --wrong"),
        ("--as 3x", "1", "--as expects a variable's name, not '3x'"),
        ("'y", "1", "No closing quotation"),
        ("y(", "y = 1", "the root must be a name or an expression"),
    ],
)
def test_what_cannot_be_stepped_is_explained(shell: InteractiveShell, line: str, cell: str, said: str) -> None:
    with pytest.raises(UsageError, match=f"%%step.*{said}"):
        step(shell, line, cell)


def test_a_cell_that_raises_raises(shell: InteractiveShell) -> None:
    with pytest.raises(ZeroDivisionError):
        step(shell, "", "kept = 1\n1 / 0")
    assert shell.user_ns["kept"] == 1
    with pytest.raises(SyntaxError):
        step(shell, "", "if: x")


def test_it_is_loaded_by_name_too(shell: InteractiveShell) -> None:
    shell.magics_manager.magics["cell"].pop("step")
    shell.extension_manager.loaded.discard("minigrad")
    shell.extension_manager.load_extension("minigrad")
    assert "step" in shell.magics_manager.magics["cell"]

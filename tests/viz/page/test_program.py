"""Which graphs a page without a kernel can compute itself."""

import json

import pytest
from viz.cells import cell

import minigrad as mg
from minigrad import viz


def program(lines, **options):
    scope = cell(
        lines,
        x=mg.tensor([[0.1, 2.0], [3.0, 4.0]], requires_grad=True),
        c=mg.tensor([[1.0, -2.0], [0.5, 3.0]]),
    )
    return viz.BackwardStepper(scope["y"], **options).picture.get("program")


@pytest.mark.parametrize(
    "lines", ["y = (x * 2 + c).sin().mean()", "y = (x @ c).sum(0).exp().sum()", "y = (2 - x).sum()"]
)
def test_a_small_graph_of_simple_operations_goes_along(lines):
    found = program(lines)
    assert json.loads(json.dumps(found)) == found
    assert found["rows"][0]["numbers"] == [0.1, 2.0, 3.0, 4.0]  # as they were written, and as the details say them
    assert [row["id"] for row in found["rows"]][-1] == found["root"]


@pytest.mark.parametrize(
    "lines",
    [
        "y = x.max()",  # another operation
        "y = x[0].sum()",
        "y = (x.expand(20, 2, 2) * 1).sum()",  # more than 64 numbers
        "y = x\nfor _ in range(60): y = y * 1\ny = y.sum()",  # more than 60 boxes
        "y = (x / 0).sum() * float('inf')",  # no number of JSON's
        "x.register_hook(print)\ny = (x * x).sum()\ny.register_hook(print)",
        "y = (x * mg.ones(2, 2, dtype=mg.bool)).sum()",
        "y = (x * mg.ones(2, 2, dtype=mg.float16)).sum()",  # which the page would not round as the kernel does
    ],
)
def test_any_other_needs_the_kernel(lines):
    assert program(lines) is None


def test_passes_of_another_kind_need_the_kernel():
    assert program("y = (x * x).sum()", create_graph=True) is None
    x = mg.tensor(1.0, requires_grad=True)
    y = x * x
    assert "program" not in viz.BackwardStepper(y, inputs=[x]).picture
    torch = pytest.importorskip("torch")
    z = torch.tensor(1.0, requires_grad=True)
    assert "program" not in viz.BackwardStepper(z * z, names={"z": z}).picture

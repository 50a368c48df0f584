"""Boxes for the modules of a PyTorch network, found by its parameters."""

from typing import Any

import ipywidgets
import pytest
from conftest import require

from minigrad import viz
from minigrad.viz.graph.groups import groups_of
from minigrad.viz.sources import snapshot_of as snapshot

torch: Any = require("torch")
nn = torch.nn


class Block(nn.Module):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(4, 4), nn.LayerNorm(4), nn.Linear(4, 4, bias=False)

    def forward(self, x: Any) -> Any:
        return torch.relu(x + self.last(torch.relu(self.norm(self.first(x)))))


class Net(nn.Module):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(4, 1)

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def homes(loss: Any, **names: Any) -> list[tuple[str, str]]:
    """Each node that is no leaf, with the path of the group in which it lies."""
    graph = snapshot(loss, names)
    paths = {box: group.path for group in groups_of(graph, graph.modules) for box in group.boxes}
    return [(box.op, paths.get(box.id, "")) for box in graph.boxes if box.kind == "result"]


def test_nodes_lie_in_the_modules_whose_parameters_they_take() -> None:
    block = [
        ("TBackward0", "first"),
        ("AddmmBackward0", "first"),
        ("NativeLayerNormBackward0", "norm"),
        ("ReluBackward0", ""),
        ("TBackward0", "last"),
        ("MmBackward0", "last"),
    ]
    expected = [
        *((op, f"net.blocks.0.{path}".rstrip(".")) for op, path in block),
        *(("AddBackward0", "net"), ("ReluBackward0", "net")),  # between two blocks: in what is around both
        *((op, f"net.blocks.1.{path}".rstrip(".")) for op, path in block),
        *(("AddBackward0", "net"), ("ReluBackward0", "net")),
        *(("TBackward0", "net.head"), ("AddmmBackward0", "net.head")),
        ("SumBackward0", ""),
    ]
    net = Net()
    assert homes(net(torch.ones(2, 4)).sum(), net=net) == expected


def test_parameters_alone_are_in_no_call() -> None:
    net = nn.Sequential(nn.Embedding(3, 2), nn.Linear(2, 1))
    penalty = sum((parameter**2).sum() for parameter in net.parameters())
    found = homes(net(torch.tensor([0, 1])).sum() + penalty, net=net)
    assert [path for op, path in found if op in ("PowBackward0", "SumBackward0", "AddBackward0")] == [""] * 11
    assert ("EmbeddingBackward0", "net.0") in found


def test_a_shared_parameter_tells_of_what_is_around_its_owners() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))
    net[2].weight = net[0].weight
    assert [path for _, path in homes(net(torch.ones(1, 2)).sum(), net=net)] == [
        *("net", "net.0", "net", "net", "net.2"),
        "",
    ]


def test_a_normed_weight_belongs_to_the_layer_that_uses_it() -> None:
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    found = homes(layer(torch.ones(1, 3)).sum(), layer=layer)
    assert [path.split(".")[0] for _, path in found] == ["layer", "layer", "layer", ""]


def test_a_network_is_found_in_an_object_and_named_after_it() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.net = nn.Sequential(nn.Linear(2, 1))

    trainer = Trainer()
    loss = trainer.net(torch.ones(1, 2)).sum()
    stepper = viz.BackwardStepper(loss)
    assert [group["path"] for group in stepper.picture["groups"]] == ["trainer.net", "trainer.net.0"]
    assert {box.name for box in stepper.session.graph.boxes if box.kind == "leaf"} == {
        "trainer.net.0.weight",
        "trainer.net.0.bias",
    }
    ipywidgets.Widget.close_all()


def test_a_network_that_no_variable_holds_is_drawn_without_modules() -> None:
    assert {path for _, path in homes(nn.Linear(2, 1)(torch.ones(1, 2)).sum())} == {""}


def test_names_takes_tensors_and_modules() -> None:
    with pytest.raises(TypeError, match=r"names\['net'\] must be a Tensor or a Module, not str"):
        snapshot(torch.ones(1, requires_grad=True) * 2, {"net": "net"})


@pytest.mark.parametrize("kind", ["LSTMCell", "GRUCell", "RNNCell"])
def test_a_cell_that_is_called_again_and_again_has_a_part_for_each_call(kind: str) -> None:
    cell, head = getattr(nn, kind)(2, 3), nn.Linear(3, 1)
    state = torch.zeros(1, 3)
    carried = (state, state) if kind == "LSTMCell" else state
    for _ in range(8):
        carried = cell(torch.ones(1, 2), carried)
    last = carried[0] if kind == "LSTMCell" else carried
    graph = snapshot(head(last.cos()).sum(), {"cell": cell, "head": head})
    groups = groups_of(graph, graph.modules)
    (loop,) = [group for group in groups if group.parent is None and group.name == "cell ×8"]
    calls = [group for group in groups if group.parent == loop.id and group.is_module]
    assert [group.name for group in calls] == [f"cell, call {k} of 8" for k in range(1, 9)]
    assert len({call.count for call in calls[1:]}) == 1
    inside = {box for group in groups for box in group.boxes}
    assert [box.op for box in graph.boxes if box.id not in inside] == ["CosBackward0", "SumBackward0"]


def test_what_reshapes_for_a_linear_layer_lies_in_it() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 6, bias=False))
    found = homes((net(torch.ones(4, 5, 2)).view(4, 5, 2, 3) ** 2).sum(), net=net)
    assert [path for op, path in found if op == "UnsafeViewBackward0"] == ["net.2"]
    assert [path for op, path in found if op == "ViewBackward0"] == ["net.0", "net.2", ""]  # and one of the learner's
    assert ("ReluBackward0", "net") in found


def test_what_a_module_computes_between_its_modules_is_called_by_it() -> None:
    def computed(x: Any) -> Any:
        x = torch.relu(x).sin().tanh().cos().exp().neg().sigmoid().abs()
        return x.sqrt().log1p().square().atan().sinh().erf().cosh().log()

    class Tall(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            kinds = nn.Linear(2, 2), nn.LayerNorm(2), nn.Linear(2, 2), nn.LayerNorm(2)
            self.first, self.second, self.third, self.last = kinds

        def forward(self, x: Any) -> Any:
            return self.last(computed(self.third(computed(self.second(computed(self.first(x)))))))

    net = Tall()
    loss = net(torch.ones(3, 2)).square().mean()
    graph = snapshot(loss, {"net": net, "loss": loss})
    names = [group.name for group in groups_of(graph, graph.modules)]
    assert {f"net, {k} of 3" for k in (1, 2, 3)} < set(names)
    assert not [name for name in names if name.startswith("loss")]

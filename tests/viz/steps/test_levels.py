"""Step over and step out, from code: where modules, loops and calls begin and end in a pass."""

import sys
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad import nn, viz

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
from models import resnet18


@pytest.fixture
def stepper() -> Any:
    mg.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Sequential(nn.Linear(4, 4), nn.Tanh()), nn.Linear(4, 1))
    loss = (net(mg.randn(5, 3)) ** 2).mean()
    return viz.BackwardStepper(loss, names={"net": net, "loss": loss})


def groups(stepper: Any, *paths: str) -> list[str]:
    return [group.id for group in stepper.session.groups if group.path in paths]


def walk(step: Any) -> list[int]:
    found = []
    while (frame := step()) is not None:
        found.append(frame.index)
    return found


def lies(stepper: Any, path: str) -> list[int]:
    """At which frames the boxes of a module ran."""
    (key,) = groups(stepper, path)
    inside = stepper.session.levels._inside[key]
    return [frame.index for frame in stepper.frames if frame.box in inside]


def test_over_crosses_what_is_closed_in_one(stepper: Any) -> None:
    stepper.session.open = []
    stops = walk(stepper.over)
    inside = lies(stepper, "net")
    assert inside[-1] in stops
    assert set(stops).isdisjoint(inside[:-1])
    assert stops[-1] == stepper.frame.total
    assert len(stops) == stepper.frame.total - len(inside) + 1


def test_over_crosses_each_open_module_that_it_comes_to(stepper: Any) -> None:
    stepper.session.open = groups(stepper, "net", "net.0", "net.2", "net.2.0")
    stops = walk(stepper.over)
    for path in ("net.0", "net.2.0", "net.3"):
        inside = lies(stepper, path)
        assert inside[-1] in stops, path
        assert set(stops).isdisjoint(inside[:-1]), path


def test_back_over_leads_where_over_came_from(stepper: Any) -> None:
    for shown in ([], groups(stepper, "net"), groups(stepper, "net", "net.0", "net.2", "net.3", "net.2.0")):
        stepper.session.open = shown
        stepper.first()
        stops = walk(stepper.over)
        back = []
        while (frame := stepper.over(back=True)) is not None:
            back.append(frame.index)
        assert back == [0, *stops][-2::-1]


def test_next_goes_inside_and_out_comes_out_again(stepper: Any) -> None:
    stepper.session.open = groups(stepper, "net")
    while stepper.frame.name != "net.3.bias":
        stepper.next()
    began = stepper.index
    stepper.out()
    inside = lies(stepper, "net.3")
    assert began < stepper.index == inside[-1]
    stepper.out(back=True)
    assert stepper.index == inside[0] - 1
    stepper.session.open = []
    stepper.next()
    stepper.out()
    assert stepper.index == lies(stepper, "net")[-1]
    assert stepper.out().index == stepper.frame.total
    assert stepper.out().index == stepper.frame.total


def test_a_breakpoint_inside_stops_it(stepper: Any) -> None:
    stepper.session.open = []
    stepper.break_at("net.2.0.weight")
    while stepper.over() is not None and stepper.frame.name != "net.2.0.weight":
        pass
    assert stepper.frame.name == "net.2.0.weight"
    assert stepper.stopped["why"] == "Stopped at a breakpoint: net.2.0.weight."


def test_the_grads_are_those_of_the_step_after_over_and_back() -> None:
    mg.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
    s = viz.BackwardStepper(net(mg.ones(1, 2)).sum(), names={"net": net})
    s.session.open = []
    walk(s.over)
    grads = [parameter.grad.tolist() for parameter in net.parameters()]
    s.over(back=True)
    assert all(parameter.grad is None for parameter in net.parameters())
    s.over()
    assert [parameter.grad.tolist() for parameter in net.parameters()] == grads


def test_resnet18_is_walked_in_a_few_dozen_clicks() -> None:
    loss = resnet18(mg, 10)(mg.randn(2, 3, 32, 32)).square().mean()
    s = viz.BackwardStepper(loss)
    assert s.frame.total > 100
    assert len(walk(s.over)) <= 36
    assert s.finished


def test_the_page_may_ask_for_the_end_of_a_group_and_says_what_is_open(stepper: Any) -> None:
    (key,) = groups(stepper, "net")
    for nth in range(1, 40):  # a portion each
        stepper.request = {"leave": key, "open": [], "nth": nth}
        if not stepper.stopped.get("more"):
            break
    while stepper.frame.box is None or stepper.session.levels.around(stepper.frame.box) == []:
        stepper.next()
    stepper.request = {"leave": key, "open": [], "nth": 50}
    while stepper.stopped.get("more"):
        stepper.request = {**stepper.request, "nth": stepper.request["nth"] + 1}
    assert stepper.index == lies(stepper, "net")[-1]
    assert stepper.session.open == []
    for request in ({"leave": "nothing"}, {"leave": 3}, {"open": "x"}, {"leave": key, "open": [1, None]}):
        stepper.request = {**request, "nth": 99}
        assert not stepper.problem


def test_pytorchs_graphs_are_stepped_over_as_well() -> None:
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    s = viz.BackwardStepper(net(torch.ones(2, 3)).sum(), names={"net": net})
    s.session.open = []
    stops = walk(s.over)
    assert len(stops) < s.frame.total / 2
    assert stops[-1] == s.frame.total


def test_the_expected_order_is_the_order() -> None:
    mg.manual_seed(0)
    torch = pytest.importorskip("torch")
    for library in (mg, torch):
        a, b = (library.tensor(value, requires_grad=True) for value in ([1.0, 2.0], [3.0, 4.0]))
        d = b**2
        s = viz.BackwardStepper(((a**2 * d).sum() * a.sum() + d.sum()).exp(), names={"a": a, "b": b, "d": d})
        expected = s.session.maker.progress.expected_order()
        s.last()
        assert [frame.box for frame in s.frames[1:]] == expected, library.__name__

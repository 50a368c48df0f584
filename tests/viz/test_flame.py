"""The flame chart: which bars there are, what they say, which boxes they light, and that no name is markup."""

from __future__ import annotations

import re
import threading
from html import unescape
from typing import Any

import pytest

import minigrad as mg
from minigrad import nn, op, viz
from minigrad.autograd.profiler import profile, record_function
from minigrad.autograd.profiler.names import WRITING


class Ticks:
    """A clock that goes on by so many microseconds each time it is read."""

    def __init__(self, *steps: int) -> None:
        self.now, self.steps = 0, list(steps)

    def __call__(self) -> int:
        self.now += 1000 * (self.steps.pop(0) if self.steps else 1)
        return self.now


def ticking(*steps: int) -> profile:
    prof = profile()
    prof._clock = Ticks(*steps)
    return prof


class Doubled(mg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output + grad_output


def recorded(*steps: int) -> tuple[profile, mg.Tensor, mg.Tensor]:
    x = mg.ones(4, requires_grad=True)
    Doubled.apply(x).sum().backward()  # the texts of ops are written at their first call
    with ticking(*steps) as prof:
        with record_function("forward"):
            y = Doubled.apply(x)
        loss = y.sum()
        loss.backward()
    return prof, loss, y


class Bar:
    """What one bar says of itself."""

    def __init__(self, text: str) -> None:
        self.style = dict(re.findall(r"--(\w+):([^;\"]+)", text))
        self.boxes = re.search(r'<input [^>]*class="([^"]*)"', text)[1].split()  # type: ignore[index]
        self.kind = re.search(r"mgb-bar mgb-(\w+)", text)[1]  # type: ignore[index]
        said = re.search(r'<span class="mgb-said">(.*)</span></label>', text)[1]  # type: ignore[index]
        self.said = unescape(re.sub("<[^>]+>", "", said.replace("<br>", "\n"))).split("\n")
        self.name = unescape(re.search("<b>(.*?)</b>", said)[1])  # type: ignore[index]
        self.text = unescape(re.search(r'<span class="mgb-bar[^>]*>(.*?)</span>', text)[1])  # type: ignore[index]


def bars(chart: Any) -> list[Bar]:
    return [Bar(text) for text in re.findall(r"<label.*?</label>", chart._repr_html_())]


def by_name(chart: Any) -> dict[str, Bar]:
    return {bar.name.rpartition(": ")[2]: bar for bar in bars(chart)}


def boxes(chart: Any) -> dict[str, str]:
    """The names in the picture, and the ids of their boxes."""
    picture = chart.html.partition("<svg")[2]
    return {name: key for key, name in re.findall(r'(?s)data-box="(\w+)".*?class="mg-name"[^>]*>([^<]+)<', picture)}


def lit(chart: Any, bar: Bar) -> set[str]:
    """What is lit in the picture while a bar is chosen: the parts that the rules name."""
    rules = re.findall(r':has\(\.(\w+):checked\) (\[data-\w+="\w+"\])', chart.html)
    return {place for key, place in rules if key in bar.boxes}


def test_a_bar_stands_where_and_as_long_as_its_call_was() -> None:
    prof, loss, _ = recorded()
    found = {bar.name: bar for bar in bars(viz.flame(prof, loss))}
    assert list(found) == [event.name for event in prof.function_events]
    first, end = prof.function_events[0].time_range.start, prof.function_events[-1].time_range.end
    end = max(event.time_range.end for event in prof.function_events)
    for event in prof.function_events:
        style = found[event.name].style
        assert style["left"] == f"{(event.time_range.start - first) / (end - first):.3%}"
        assert style["width"] == f"{event.cpu_time_total / (end - first):.3%}"
    rows = {name.rpartition(": ")[2]: int(bar.style["top"].removesuffix("px")) for name, bar in found.items()}
    assert rows["forward"] < rows["Doubled"] < rows["aten::mul"]


def test_a_bar_says_times_and_line_and_lights_its_box() -> None:
    prof, loss, y = recorded()
    chart = viz.flame(prof, loss, {"y": y})
    found, place = by_name(chart), boxes(chart)
    assert found["DoubledBackward"].said[0] == "DoubledBackward backward"
    event = next(event for event in prof.function_events if event.name == "DoubledBackward")
    assert found["DoubledBackward"].said[1] == "total 3.000us, self 2.000us"
    assert (event.cpu_time_total, event.self_cpu_time_total) == (3, 2)
    assert found["DoubledBackward"].said[2].endswith(": y = Doubled.apply(x)")
    for name in ("Doubled", "aten::mul", "DoubledBackward", "aten::add"):  # what runs within it, too
        assert lit(chart, found[name]) == {f'[data-box="{place["y"]}"]'}, name
    assert lit(chart, found["SumBackward0"]) == {f'[data-box="{place["loss"]}"]'}
    leaf = next(key for key in place.values() if key not in (place["y"], place["loss"]))
    assert lit(chart, found["torch::autograd::AccumulateGrad"]) == {f'[data-box="{leaf}"]'}
    kinds = {"forward": "named", "aten::mul": "forward", "aten::add": "backward", "SumBackward0": "backward"}
    assert {name: found[name].kind for name in kinds} == kinds


def test_of_several_steps_the_last_one_lights_the_graph_and_all_its_leaves() -> None:
    x = mg.ones(4, requires_grad=True)
    x.exp().sum().backward()
    with ticking() as prof:
        for _ in range(2):
            loss = x.exp().sum()
            loss.backward()
    chart = viz.flame(prof, loss)
    lights = [(bar.name, len(lit(chart, bar))) for bar in bars(chart) if bar.name.startswith(("Exp", "torch"))]
    leaf = "torch::autograd::AccumulateGrad"
    assert lights == [("ExpBackward0", 0), (leaf, 1), ("ExpBackward0", 1), (leaf, 1)]


def test_a_named_part_lights_what_was_made_in_it() -> None:
    x = mg.ones(4, requires_grad=True)
    (x.exp().sin()).sum()
    with ticking() as prof:
        with record_function("two"):
            y = x.exp()
            z = y.sin()
        loss = z.sum()
    chart = viz.flame(prof, loss)
    place = boxes(chart)
    assert lit(chart, by_name(chart)["two"]) == {f'[data-box="{place[name]}"]' for name in "yz"}


def test_what_lies_in_a_closed_part_lights_that_part() -> None:
    net = nn.Sequential(*[nn.Sequential(nn.Linear(2, 2), nn.Tanh()) for _ in range(24)])
    x = mg.ones(1, 2)
    net(x).sum()
    with ticking() as prof:
        loss = net(x).sum()
        loss.backward()
    chart = viz.flame(prof, loss)
    drawn = set(re.findall(r'data-(?:box|group)="\w+"', chart.html.partition("<svg")[2]))
    places = [lit(chart, bar) for bar in bars(chart) if bar.name == "TanhBackward0"]
    assert len(places) == 24
    assert all(len(place) == 1 and place <= {f"[{one}]" for one in drawn} for place in places)
    assert any("data-group" in one for place in places for one in place)


def test_calls_that_are_too_short_to_be_seen_are_one_bar() -> None:
    x = mg.ones(4)
    x.exp().sin().cos()
    with ticking(1, *[1] * 41, 20_000) as prof:
        for _ in range(10):
            x.exp()
            x.sin()
        x.cos()
    first, last = bars(viz.flame(prof))
    assert first.name == "20 calls: 10 × aten::exp, 10 × aten::sin"
    assert first.said[1] == "total 20.000us, self 20.000us"
    assert (last.name, last.text, first.text) == ("aten::cos", "cos", "")


def test_what_minigrad_writes_at_a_first_call_is_no_time_of_the_programs() -> None:
    prof = ticking(1, 1, 1, 1, 1000, 1, 1, 1, 500)  # to the end of the first write, and to that of the second
    with prof, record_function("two"):
        for name in ("aten::sin", "aten::cos"):
            event = prof._log.begin(name, 0)  # type: ignore[union-attr]
            prof._log.end(prof._log.begin(WRITING, 0))  # type: ignore[union-attr]
            prof._log.end(event)  # type: ignore[union-attr]
    chart = viz.flame(prof)
    assert str(chart).splitlines() == [
        "7.000us from left to right, 3 calls; 1.500ms more, in which minigrad wrote operations at first calls, "
        "are left out.",
        "     total        self",
        "   7.000us     3.000us  two",
        "   2.000us     2.000us    aten::sin",
        "   2.000us     2.000us    aten::cos",
    ]
    places = {bar.name: (bar.style["left"], bar.style["width"]) for bar in bars(chart)}
    assert places == {
        "two": ("0.000%", "100.000%"),
        "aten::sin": (f"{1 / 7:.3%}", f"{2 / 7:.3%}"),
        "aten::cos": (f"{4 / 7:.3%}", f"{2 / 7:.3%}"),
    }
    # The profile goes on to tell all of it.
    assert [event.cpu_time_total for event in prof.function_events] == [1507, 1002, 1000, 502, 500]


def test_what_two_threads_write_at_once_is_left_out_once() -> None:
    def write() -> None:
        prof._log.end(prof._log.begin(WRITING, 0))  # type: ignore[union-attr]

    with ticking() as prof, record_function("both"):
        event = prof._log.begin(WRITING, 0)  # type: ignore[union-attr]
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        prof._log.end(event)  # type: ignore[union-attr]
    lines = str(viz.flame(prof)).splitlines()
    assert lines[0].startswith("2.000us from left to right, 1 call; 3.000us more, ")
    assert lines[2:] == ["   2.000us     2.000us  both"]


def test_of_a_first_run_the_bars_are_those_of_the_program() -> None:
    @op.op(self=lambda F, g, self: 2 * g * self)
    def cubed_for_a_test(self: Any) -> Any:
        return self * self * self

    try:
        x = mg.ones(3, requires_grad=True)
        with ticking() as prof:
            loss = cubed_for_a_test(x).sum()
            loss.backward()
        chart = viz.flame(prof, loss)
        assert "write_op" in prof.key_averages().table()
        assert "write_op" not in chart.html + chart.text
        assert "minigrad::cubed_for_a_test" in by_name(chart)
        assert [event.name for event in prof.function_events if event.name != WRITING] == [
            bar.name for bar in bars(chart)
        ]
    finally:
        op.calls.remove(cubed_for_a_test)
        del op.tensors.cubed_for_a_test, op.arrays.cubed_for_a_test


def test_without_a_result_there_are_only_the_bars() -> None:
    prof, *_ = recorded()
    chart = viz.flame(prof)
    assert "<svg" not in chart.html
    assert [bar.boxes for bar in bars(chart)] == [[]] * len(prof.function_events)


def test_the_text_has_the_calls_indented_and_is_short() -> None:
    prof, loss, _ = recorded()
    lines = str(viz.flame(prof, loss)).splitlines()
    assert lines[0].endswith(f"from left to right, {len(prof.function_events)} calls.")
    assert lines[1].split() == ["total", "self"]
    assert lines[2:5] == [
        "   5.000us     2.000us  forward",
        "   3.000us     2.000us    Doubled",
        "   1.000us     1.000us      aten::mul",
    ]
    with ticking() as prof:
        for _ in range(100):
            mg.exp(mg.ones(1))
    assert str(viz.flame(prof)).splitlines()[-1] == "... and 140 more calls"


def test_no_name_is_markup() -> None:
    with ticking() as prof, record_function('<b onclick="x">&\u202e'):
        pass
    (bar,) = bars(viz.flame(prof))
    assert bar.name == '<b onclick="x">&\ufffd'
    assert "<b onclick" not in viz.flame(prof).html


def test_each_thread_has_rows_of_its_own() -> None:
    with ticking() as prof:
        mg.exp(mg.ones(1))
        thread = threading.Thread(target=lambda: mg.sin(mg.ones(1)))
        thread.start()
        thread.join()
    tops = {bar.name: bar.style["top"] for bar in bars(viz.flame(prof))}
    assert tops["aten::exp"] == "0px"
    assert tops["aten::sin"] != "0px"


def test_what_is_no_finished_profile_is_told() -> None:
    with pytest.raises(TypeError, match=r"flame\(\) takes a profile, .* and not a EventList"):
        viz.flame(profile().key_averages())
    with pytest.raises(ValueError, match="the profile holds nothing"):
        viz.flame(profile())
    with ticking() as prof:
        prof._log.end(prof._log.begin(WRITING, 0))  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="the profile holds nothing"):
        viz.flame(prof)
    with profile() as prof, pytest.raises(RuntimeError, match="are there after the `with` block, not in it"):
        viz.flame(prof)
    prof, *_ = recorded()
    with pytest.raises(TypeError, match=r"a Tensor of minigrad's, whose calls are recorded, not a int"):
        viz.flame(prof, 3)


def test_a_graph_of_pytorchs_is_refused_since_its_calls_are_not_recorded(torch: Any) -> None:
    prof, *_ = recorded()
    with pytest.raises(TypeError, match=r"a Tensor of minigrad's"):
        viz.flame(prof, torch.ones(3, requires_grad=True).sum())

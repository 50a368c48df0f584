"""The map of descents: its paths are the methods' own, each end is named for what it is, and no name is markup."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as mg
from minigrad import viz
from minigrad.autograd import grad

SVG = "{http://www.w3.org/2000/svg}"
Walks = Callable[[mg.Tensor], mg.Tensor]


def bowl(points: mg.Tensor) -> mg.Tensor:
    return points[..., 0] ** 2 + 3 * points[..., 1] ** 2


def halved(points: mg.Tensor) -> mg.Tensor:
    return points / 2


def newton_of(f: Walks) -> Walks:
    def newton(points: mg.Tensor) -> mg.Tensor:
        points = points.detach().requires_grad_()
        (slope,) = grad(f(points).sum(), points, create_graph=True)
        rows = [grad(slope[:, k].sum(), points, retain_graph=True)[0] for k in range(2)]
        return (points - mg.linalg.solve(mg.stack(rows, dim=1), slope)).detach()

    return newton


def data_of(figure: Any) -> dict[str, Any]:
    """What the page gets to know."""
    (text,) = [text for _, text in re.findall(r"""data-descents=(["'])(.*?)\1""", figure._repr_html_())]
    found: dict[str, Any] = json.loads(html.unescape(text))
    return found


def test_the_paths_are_those_that_the_method_walks_alone_from_each_start() -> None:
    figure = viz.descent_map(bowl, {"half": halved}, x=(-2, 2), y=(0, 4), steps=3)
    data = data_of(figure)
    left, top, side = data["box"]
    count = data["starts"]
    assert len(data["paths"][0]) == count**2
    for number in (0, 7, count**2 - 1):
        across, up = (number % count + 0.5) / count, (number // count + 0.5) / count
        point, expected = np.array([4 * across - 2, 4 * up]), []
        for k in range(4):
            x, y = point / 2**k
            expected += [round(left + side * (x + 2) / 4), round(top + side * (1 - y / 4))]
        assert data["paths"][0][number] == expected


@pytest.mark.parametrize(
    ("f", "end"),
    [
        (bowl, "at a minimum"),
        (lambda points: -bowl(points), "at a maximum"),
        (lambda points: points[..., 0] ** 2 - points[..., 1] ** 2, "at a saddle"),
    ],
)
def test_newton_ends_in_one_step_where_the_slope_is_0_and_it_is_said_what_that_is(f: Walks, end: str) -> None:
    figure = viz.descent_map(f, {"Newton": newton_of(f)}, x=(-1, 1), y=(-1, 1), start=(0.5, 0.5), steps=2)
    data = data_of(figure)
    assert {data["kinds"][kind] for _, kind in data["ends"][0]} == {end}
    assert f"Newton: f = 0, {end}" in str(figure)
    assert str(figure).splitlines()[3:] == ["     0.526    0.526", "     0.000    0.000"]


def test_an_end_without_rest_off_the_map_or_without_numbers_is_named_so() -> None:
    methods = {
        "still": lambda points: points,
        "off": lambda points: points + 1000.0,
        "lost": lambda points: points * math.nan,
    }
    figure = viz.descent_map(bowl, methods, x=(0.5, 1), y=(0.5, 1), steps=2)
    data = data_of(figure)
    ends = [{data["kinds"][kind] for _, kind in ends} for ends in data["ends"]]
    assert ends == [{"not at rest yet"}, {"not at rest yet, off this map"}, {"not at rest yet, off this map"}]
    assert {len(path) for paths in data["paths"] for path in paths} == {2}  # the start alone
    assert {height for height, _ in data["ends"][2]} == {"nan"}


@pytest.mark.parametrize(
    ("f", "end"),
    [(lambda points: points.sum(-1), "not at rest yet"), (lambda points: 0 * points.sum(-1), "where f is flat")],
)
def test_a_function_without_curvature_has_a_map(f: Walks, end: str) -> None:
    data = data_of(viz.descent_map(f, {"half": halved}, steps=1))
    assert {data["kinds"][kind] for _, kind in data["ends"][0]} == {end}


def test_the_lines_lie_where_the_function_has_one_height() -> None:
    figure = viz.descent_map(bowl, {"half": halved}, x=(-1, 1), y=(-1, 1))
    left, top, side = data_of(figure)["box"]
    lines = [
        element
        for element in ElementTree.fromstring(figure.svg).iter(f"{SVG}path")
        if "blue" in element.get("class", "")
    ]
    lines = [element for element in lines if element.get("stroke-opacity")]
    assert len(lines) == 12
    heights = []
    for element in lines:
        numbers = np.array(re.findall(r"[-\d.]+", element.get("d", "")), float).reshape(-1, 2)
        x, y = 2 * (numbers[:, 0] - left) / side - 1, 1 - 2 * (numbers[:, 1] - top) / side
        values = x**2 + 3 * y**2
        assert np.ptp(values) < 0.02
        heights.append(values.mean())
    assert heights == sorted(heights)
    assert heights[0] > 0
    assert heights[-1] < 4


def test_the_picture_shows_the_first_paths_where_no_script_runs() -> None:
    methods = {"half": halved, "left": lambda points: points - mg.tensor([0.5, 0.0], dtype=mg.float64)}
    figure = viz.descent_map(bowl, methods, x=(-2, 2), y=(1, 5), start=(1.0, 3.0), steps=2)
    data, drawn = data_of(figure), ElementTree.fromstring(figure.svg)
    left, top, side = data["box"]
    for number, group in enumerate(element for element in drawn.iter() if element.get("data-path") is not None):
        path = data["paths"][number][data["first"]]
        points = list(zip(path[::2], path[1::2], strict=True))
        assert group[0].get("d") == "M" + "L".join(f"{x} {y}" for x, y in points)
        kind, middle = ("circle", ("cx", "cy", 0)) if number == 0 else ("rect", ("x", "y", 3.5))
        assert {mark.tag for mark in group[1:]} == {f"{SVG}{kind}"}
        x, y, half = middle
        assert [(float(mark.get(x, 0)) + half, float(mark.get(y, 0)) + half) for mark in group[1:]] == points[1:]
    (ring,) = [element for element in drawn.iter() if element.get("data-start") is not None]
    assert {(float(one.get("cx", 0)), float(one.get("cy", 0))) for one in ring.iter(f"{SVG}circle")} == {points[0]}
    assert points[0] == (round(left + side * 14.5 / 19), round(top + side * 9.5 / 19))
    texts = {text.text: (float(text.get("x", 0)), float(text.get("y", 0))) for text in drawn.iter(f"{SVG}text")}
    assert all(0 <= x <= 680 and 0 <= y <= 452 for x, y in texts.values())
    assert texts["-2"][0] == left
    assert texts["2"][0] == left + side
    assert texts["1"][0] == texts["5"][0] < left
    assert texts["1"][1] > top + side > texts["5"][1]
    assert texts["half"][0] == texts["left"][0] > left + side
    assert texts["half"][1] < texts["f = 1.76"][1] < texts["left"][1]


def test_it_begins_in_the_middle_and_a_path_ends_where_it_cannot_be_drawn() -> None:
    def up(points: mg.Tensor) -> mg.Tensor:
        return points + mg.tensor([0.0, 1000.0], dtype=mg.float64)

    figure = viz.descent_map(bowl, {"up": up}, x=(0, 2), y=(4, 8), steps=3)
    assert str(figure).splitlines()[1] == "from (1.000, 6.000)"
    data = data_of(figure)
    assert data["first"] == data["starts"] ** 2 // 2
    assert {len(path) for path in data["paths"][0]} == {2}


def test_what_is_left_of_0_counts_as_0() -> None:
    data = data_of(viz.descent_map(bowl, {"gone": lambda points: points * 1e-9}, steps=1))
    assert {height for height, _ in data["ends"][0]} == {"0"}
    data = data_of(viz.descent_map(bowl, {"near": lambda points: points * 0 + 0.05}, steps=1))
    assert {height for height, _ in data["ends"][0]} == {"0.01"}


def test_names_are_no_markup() -> None:
    name = "<script>alert(1)</script>"
    figure = viz.descent_map(bowl, {name: halved}, steps=1)
    shown = figure._repr_html_()
    assert name not in shown.split("<script>(")[0]
    assert html.escape(name, quote=False) in shown
    assert ElementTree.fromstring(figure.svg).findall(f".//{SVG}script") == []


def test_what_does_not_fit_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="takes one to three methods"):
        viz.descent_map(bowl, {})
    with pytest.raises(ValueError, match="at least one step"):
        viz.descent_map(bowl, {"half": halved}, steps=0)
    with pytest.raises(ValueError, match="x and y from low to high"):
        viz.descent_map(bowl, {"half": halved}, x=(1, -1))
    with pytest.raises(ValueError, match="x and y from low to high"):
        viz.descent_map(bowl, {"half": halved}, y=(1, -1))
    for start in ((2.0, 0.0), (0.0, float("nan")), (0.0,)):
        with pytest.raises(ValueError, match=r"start has to be a point of the map, with x in \(-1.0, 1.0\) and y in"):
            viz.descent_map(bowl, {"half": halved}, start=start)
    with pytest.raises(ValueError, match=r"half is to return points of shape \[361, 2\]; it returned \[361\]"):
        viz.descent_map(bowl, {"half": lambda points: points[:, 0]})
    with pytest.raises(ValueError, match=r"a height for each point: a tensor of shape \[\d+, 2?.*\]; it returned \[\]"):
        viz.descent_map(lambda points: points.sum(), {"half": halved})

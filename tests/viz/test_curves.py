"""The chart: what it shows, in the picture and in text, and that no input breaks or escapes the picture."""

from __future__ import annotations

import math
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import minigrad as mg
from minigrad import viz

SVG = "{http://www.w3.org/2000/svg}"
X = [0.5, -1.0, 2.0]


def titles(figure: Any) -> list[str]:
    """The titles in a picture, which must be XML by itself."""
    return [element.text or "" for element in ElementTree.fromstring(figure.svg).iter(f"{SVG}title")]


def point() -> mg.Tensor:
    return mg.tensor(X, dtype=mg.float64)


# ---------------------------------------------------------------- gradcheck_curve


def errors(figure: Any) -> dict[float, list[float]]:
    """The table under a curve: the errors by step."""
    rows = [line.split() for line in str(figure).splitlines()[2:]]
    return {float(row[0]): [float(cell) for cell in row[1:]] for row in rows}


def test_truncation_meets_rounding() -> None:
    figure = viz.gradcheck_curve(lambda x: x.exp().sum(), point())
    of = errors(figure)
    assert str(figure).splitlines()[1].split() == ["eps", "float64", "float32"]
    assert of[1e-2][0] / of[1e-3][0] == pytest.approx(100, rel=0.05)  # truncation falls as eps²
    assert of[1e-6][0] < 1e-8
    assert of[1e-12][0] > 100 * of[1e-6][0]  # rounding grows as 1 / eps
    assert of[1e-6][1] > 1e-3 > of[1e-2][1]  # in float32 there is nothing left at gradcheck's step
    best = min(of, key=lambda step: of[step][0])
    assert re.match(r"Error of finite differences: in float64 the error is least, .*; in float32 .*\.$", figure.caption)
    assert any(title.startswith("float64, eps = ") and title.endswith("(the least)") for title in titles(figure))
    assert 1e-7 < best < 1e-4


def test_a_curve_has_a_title_at_each_point() -> None:
    figure = viz.gradcheck_curve(lambda x: x.sin(), point())
    assert sum(title.startswith(("float64, eps", "float32, eps")) for title in titles(figure)) == 2 * 26
    assert figure.svg.count('tabindex="0"') == 2 * 26 + 2


def test_a_function_that_takes_no_float32() -> None:
    weights = mg.tensor(X, dtype=mg.float64)
    figure = viz.gradcheck_curve(lambda x: weights @ x.exp(), point())
    assert "f does not take float32: " in figure.caption
    assert all(len(row) == 1 for row in errors(figure).values())


def test_a_wrong_backward_is_told_by_its_curve() -> None:
    class Wrong(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * x.sin()

    assert "No step makes it small: backward gives something else" in viz.gradcheck_curve(Wrong.apply, point()).caption
    assert "No step" not in viz.gradcheck_curve(mg.sin, point()).caption


def test_errors_of_any_size_have_a_place_of_their_own_on_the_axis() -> None:
    steep = viz.gradcheck_curve(lambda x: (20 * x).exp(), mg.tensor([1.0], dtype=mg.float64))
    of = errors(steep)
    largest = sorted(of)[-2:]
    assert all(of[step][0] > 40 for step in largest)  # where a chart that ends at 10 would be flat
    drawn = {}
    for element in ElementTree.fromstring(steep.svg).iter(f"{SVG}g"):
        if (title := element.findtext(f"{SVG}title", "")).startswith("float64, eps = "):
            drawn[float(re.split("[ :,]+", title)[3])] = float(element.find(f"{SVG}circle").get("cy"))
    heights = [drawn[step] for step in sorted(drawn)]
    assert heights[-1] < heights[-2] - 5 < heights[-3] - 10


def test_a_module_of_float32_is_told_how_to_become_float64() -> None:
    layer = mg.nn.Linear(3, 2)
    with pytest.raises(RuntimeError, match="same dtype") as caught:
        viz.gradcheck_curve(layer, point())
    assert caught.value.__notes__ == ["gradcheck_curve calls f with float64, which a module takes after .double()."]
    viz.gradcheck_curve(layer.double(), point())


def test_steps_where_the_function_is_not_defined_are_left_out() -> None:
    figure = viz.gradcheck_curve(lambda x: x.log(), mg.tensor([0.05], dtype=mg.float64))
    of = errors(figure)
    assert math.isnan(of[1.0][0])
    assert not any("eps = 1:" in title for title in titles(figure))
    assert of[1e-6][0] < 1e-6


def test_steps_where_the_function_overflows_are_left_out() -> None:
    figure = viz.gradcheck_curve(lambda x: x.exp(), mg.tensor([709.5], dtype=mg.float64))
    assert math.isnan(errors(figure)[1.0][0])
    assert "inf" not in str(figure)


def test_the_point_stays_as_it_is_and_no_grad_is_no_hindrance() -> None:
    x = mg.tensor(X, requires_grad=True)
    with mg.no_grad():
        viz.gradcheck_curve(lambda x: x.exp(), x)
    assert x.tolist() == X
    assert x.grad is None
    viz.gradcheck_curve(lambda x: x * x, mg.tensor(3.0))


BAD_CURVES: dict[str, tuple[Any, Any, type[Exception], str]] = {
    "no tensor": (lambda x: x, 3.0, TypeError, "point x that is a tensor, not float: 3.0"),
    "integers": (lambda x: x, mg.tensor([1, 2]), ValueError, "floats in it, but it is minigrad.int64"),
    "empty": (lambda x: x, mg.zeros(0), ValueError, "shape [0]"),
    "returns a number": (lambda x: 3.0, point(), TypeError, "return a tensor, but it returned float"),
    "detached": (lambda x: x.detach(), point(), ValueError, "does not depend on x by a graph"),
    "constant": (lambda x: x * 0, point(), ValueError, "finite and not 0, but along x it is 0"),
    "nan": (lambda x: x * math.nan, point(), ValueError, "finite and not 0, but along x it is nan"),
}


@pytest.mark.parametrize("name", BAD_CURVES)
def test_bad_input_of_curves_is_told(name: str) -> None:
    f, x, error, says = BAD_CURVES[name]
    with pytest.raises(error) as caught:
        viz.gradcheck_curve(f, x)
    assert says in str(caught.value)


def test_curves_follow_the_page_and_stand_alone() -> None:
    figure = viz.gradcheck_curve(lambda x: x.exp(), point())
    html = figure._repr_html_()
    assert "light-dark(" in html
    assert '[data-jp-theme-light="false"] .minigrad-figure{color-scheme:dark}' in html
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")  # nothing is loaded
    assert figure._repr_svg_() == figure.svg
    for element in ElementTree.fromstring(figure.svg).iter():
        if "mgf-" in element.get("class", ""):
            assert "#" in (element.get("fill", "") + element.get("stroke", ""))


def test_what_a_function_says_is_escaped() -> None:
    evil = "</text><script>alert(1)</script>\u202e\x00\"'&"

    def refusing(x: Any) -> Any:
        if x.dtype == mg.float32:
            raise TypeError(evil)
        return x.exp()

    figure = viz.gradcheck_curve(refusing, point())
    for shown in (figure.svg, figure._repr_html_()):
        assert "<script" not in shown
        assert "\u202e" not in shown
        assert "\x00" not in shown
    assert "<script>alert(1)" in figure.caption  # as text
    assert "\u202e" not in str(figure)


def test_numbers_are_short() -> None:
    from minigrad.viz.picture.figure import short_number

    texts = [short_number(value) for value in (0.0, 1.0, -12.345, 1330.4, 123456.0, 1e-7, math.nan, -math.inf)]
    assert texts == ["0", "1", "-12.3", "1330", "1.2e5", "1e-7", "nan", "-inf"]
    assert np.isfinite(float(short_number(3e-5)))

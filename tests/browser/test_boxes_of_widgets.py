"""Our widgets in the containers of ipywidgets, in a real JupyterLab: wide enough to be read, and beside each other."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

FIRST = """
import itertools
import ipywidgets as ipw
import minigrad as mg
from minigrad import viz
from minigrad.autograd.profiler import profile
from minigrad.teach import predict

x = mg.tensor(2.0, requires_grad=True)
y = (x * x).exp()
prof = profile()
prof._clock = itertools.count(0, 1000).__next__
with prof:
    loss = x.exp()

def shown(thing):
    place = ipw.Output()
    place.append_display_data(thing)
    return place

def stepper():
    return viz.BackwardStepper(y)

def others():
    yield viz.flame(prof, loss)
    yield viz.descent_map(lambda p: (p ** 2).sum(-1), {"half": lambda p: p / 2}, x=(-1, 1), y=(-1, 1), steps=3)
    yield viz.run_table({"a": "x = 1"}, {"sum": "print(x + 1)", "twice": "print(2 * x)"})
    yield predict.w_grad
    yield predict.w_grad("a")
"""
CENTRED = "ipw.VBox([{}], layout=ipw.Layout(align_items='center'))"
# A cell -> how many steppers are seen of it, and how wide each is at the least.
CELLS = {
    "ipw.HBox([stepper(), stepper()])": (2, 440),
    "ipw.Box([stepper(), stepper()])": (2, 440),
    "ipw.HBox([viz.compare(y, y), viz.compare(y, y)])": (2, 440),
    "ipw.HBox([shown(stepper()), shown(stepper())])": (2, 440),
    "ipw.HBox([ipw.Button(description='a'), stepper()])": (1, 600),
    CENTRED.format("stepper(), viz.compare(y, y)"): (2, 900),
    "s = stepper()\ns.layout.display = 'inline-block'\ns": (1, 900),
    "s = stepper()\ns.layout.width = '420px'\ns": (1, 400),
    "ipw.GridBox([stepper(), stepper()], layout=ipw.Layout(grid_template_columns='1fr 1fr'))": (2, 440),
    "ipw.Accordion([stepper()], selected_index=0)": (1, 850),
    "ipw.Tab([ipw.Label('elsewhere'), stepper()])": (1, 850),
}
OTHERS = {
    "ipw.VBox([ipw.HBox([shown(one), shown(one)]) for one in others()])": 100,
    CENTRED.format("*map(shown, others())"): 100,
}
OURS = ".minigrad-flame, [data-descents], .minigrad-runs, .minigrad-prediction fieldset, table:has(th[scope=row])"


@pytest.fixture(scope="module", autouse=True)
def notebook(server: Any) -> None:
    server.write("boxes.ipynb", [FIRST, *CELLS, *OTHERS])
    server.trust()


@pytest.fixture
def opened(lab: Any) -> Any:
    if lab.notebook != "boxes.ipynb":
        lab.open("boxes.ipynb")
    return lab.page.locator(".jp-Notebook-cell")


PLACES = """(found) => found.map((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    return [left, top, right, bottom];
})"""


def places(found: Any) -> list[list[float]]:
    """At one moment: what is laid out anew meanwhile moves."""
    boxes: list[list[float]] = found.evaluate_all(PLACES)
    return boxes


def in_the_end(check: Callable[[], None]) -> None:
    """JupyterLab and a stepper lay out what has just come, or has another width, some frames later."""
    late = time.monotonic() + 30
    while True:
        try:
            check()
        except AssertionError:
            if time.monotonic() > late:
                raise
            time.sleep(0.05)
        else:
            return


@pytest.mark.parametrize("cell", CELLS)
def test_a_stepper_is_wide_and_beside_others_in_any_container(opened: Any, cell: str) -> None:
    count, least = CELLS[cell]
    place = opened.nth(1 + list(CELLS).index(cell))
    place.scroll_into_view_if_needed()
    if "Tab" in cell:  # it was made where nobody saw it
        place.locator(".lm-TabBar-tab").nth(1).click()
    found = place.locator(".minigrad-stepper:visible")
    expect(found).to_have_count(count, timeout=30_000)
    for stepper in found.all():
        expect(stepper.locator(".mg-value").first).to_be_visible()

    def check() -> None:
        ((*_, right, _),) = places(place.locator(".jp-OutputArea").first)
        steppers, drawings = places(found), places(found.locator(".mg-graph:not(.mg-sheets *)"))
        for box, drawing in zip(steppers, drawings, strict=True):
            assert box[2] - box[0] >= least
            assert box[2] <= right + 1
            assert box[0] <= drawing[0] <= drawing[2] <= box[2]
            assert drawing[2] - drawing[0] > 100
        for one, other in itertools.pairwise(steppers):
            assert other[0] >= one[2] or other[1] >= one[3]

    in_the_end(check)


@pytest.mark.parametrize("width", [1400, 620])
def test_the_options_of_a_prediction_stand_below_each_other_however_narrow_the_page_is(opened: Any, width: int) -> None:
    page = opened.page
    page.set_viewport_size({"width": width, "height": 1100})
    try:
        question = opened.last.locator(".minigrad-prediction")
        options, radios = question.locator("label"), question.get_by_role("radio")
        expect(options).to_have_count(4)
        button = opened.last.locator("button", has_text="That is my answer")

        def check() -> None:
            assert places(page.locator(".jp-Notebook").first)[0][2] <= width
            *labels, last, below = places(options.or_(button))
            for option, radio in zip([*labels, last], places(radios), strict=True):
                assert radio[2] <= option[0]
                assert option[1] <= radio[1] < option[3]
            for one, other in itertools.pairwise([*labels, last]):
                assert other[1] >= one[3]
            assert below[1] >= last[3]

        in_the_end(check)
    finally:
        page.set_viewport_size({"width": 1400, "height": 1100})


@pytest.mark.parametrize("cell", OTHERS)
def test_what_is_no_stepper_is_wide_enough_too(opened: Any, cell: str) -> None:
    place = opened.nth(1 + len(CELLS) + list(OTHERS).index(cell))
    place.scroll_into_view_if_needed()
    found = place.locator(OURS)
    expect(found.first).to_be_visible(timeout=30_000)

    def check() -> None:
        boxes = places(found)
        assert len(boxes) >= 5 * (2 if "HBox" in cell else 1)
        for box in boxes:
            assert box[2] - box[0] >= OTHERS[cell]

    in_the_end(check)

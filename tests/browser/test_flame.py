"""The flame chart in a browser: a bar is chosen by pointer and by keyboard, says what it is, and lights its box."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import minigrad as mg
from minigrad import viz
from minigrad.autograd.profiler import profile

CELL = """
import itertools
import minigrad as mg
from minigrad import viz
from minigrad.autograd.profiler import profile

x = mg.ones(4, requires_grad=True)
x.exp().sum().backward()
prof = profile()
prof._clock = itertools.count(0, 1000).__next__
with prof:
    loss = x.exp().sum()
    loss.backward()
viz.flame(prof, loss)
"""
CHOSEN = {"light": "rgb(168, 0, 111)", "dark": "rgb(255, 123, 208)"}


@pytest.fixture(params=CHOSEN)
def page(request: Any, pages: Any, tmp_path: Path) -> Page:
    """A page with two charts, in a light or a dark look."""
    x = mg.ones(4, requires_grad=True)
    charts = []
    x.exp().sum().backward()  # the texts of ops are written at their first call
    for _ in range(2):
        prof = profile()
        prof._clock = itertools.count(0, 1000).__next__  # so that each bar is as long as its calls are many
        with prof:
            y = x.exp()
            loss = y.sum()
            loss.backward()
        charts.append(viz.flame(prof, loss).html)
    path = tmp_path / "flame.html"
    path.write_text(f'<!doctype html><meta charset="utf-8"><body>{"".join(charts)}</body>', encoding="utf-8")
    page = pages.emptied(viewport={"width": 1000, "height": 900}, color_scheme=request.param)
    page.goto(path.as_uri())
    page.scheme = request.param
    return page


def box(page: Page, chart: int, name: str) -> Any:
    boxes = page.locator(".minigrad-flame").nth(chart).locator(".mg-box", has=page.get_by_text(name, exact=True))
    return boxes.locator(".mg-card")


def test_a_bar_is_chosen_and_lights_its_box(page: Any) -> None:
    first, second = page.locator(".minigrad-flame").all()
    lit = CHOSEN[page.scheme]
    expect(first.locator(".mgb-hint")).to_be_visible()
    first.locator('.mgb-bar[title^="ExpBackward0:"]').click()
    said = first.locator(".mgb-said:visible")
    expect(said).to_have_count(1)
    expect(said).to_contain_text("ExpBackward0 backward")
    expect(said).to_contain_text("y = x.exp()")
    expect(box(page, 0, "y")).to_have_css("stroke", lit)
    expect(box(page, 0, "loss")).not_to_have_css("stroke", lit)
    expect(box(page, 1, "y")).not_to_have_css("stroke", lit)  # each chart by itself
    expect(second.locator(".mgb-hint")).to_be_visible()


def test_a_short_bar_is_as_wide_as_its_share_and_covers_none(pages: Any, tmp_path: Path) -> None:
    x = mg.ones(4)
    x.exp().sin()
    prof = profile()
    prof._clock = itertools.accumulate([0, 1000, 5000, 1000, 1000000, 1000]).__next__
    with prof:
        x.exp()
        x.sin()
    path = tmp_path / "short.html"
    path.write_text(f"<!doctype html>{viz.flame(prof).html}", encoding="utf-8")
    page = pages.emptied(viewport={"width": 1000, "height": 900})
    page.goto(path.as_uri())
    short, long = (bar.bounding_box() for bar in page.locator(".mgb-bar").all())
    assert 4 < short["width"] < 6  # a 201st of the page
    assert short["x"] + short["width"] <= long["x"]


def test_the_keyboard_goes_from_bar_to_bar_and_stays_on_the_page(page: Any) -> None:
    first = page.locator(".minigrad-flame").first
    here = page.url
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    for name in ("aten::exp forward", "aten::sum forward", "autograd::engine::evaluate_function: SumBackward0"):
        expect(first.locator(".mgb-said:visible")).to_contain_text(name)
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowDown")
    expect(box(page, 0, "loss")).to_have_css("stroke", CHOSEN[page.scheme])
    page.keyboard.press("ArrowUp")
    expect(first.locator(".mgb-said:visible")).to_contain_text("evaluate_function: SumBackward0")
    assert page.url == here


def test_in_jupyterlab_the_arrows_go_from_bar_to_bar_and_not_from_cell_to_cell(lab: Any) -> None:
    lab.server.write("flame.ipynb", [CELL, "1"])
    lab.open("flame.ipynb")
    chart = lab.page.locator(".minigrad-flame")
    bars = chart.locator("input")
    chart.locator(".mgb-bar").first.click()
    expect(bars.nth(0)).to_be_checked()
    expect(bars.nth(0)).to_be_focused()
    lab.page.keyboard.press("ArrowDown")
    expect(bars.nth(1)).to_be_checked()
    expect(bars.nth(1)).to_be_focused()
    active = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
    assert lab.page.evaluate(active) == 0

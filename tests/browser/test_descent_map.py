"""The map of descents in a browser: its start follows pointer and keys, and paths and words follow the start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

import minigrad as mg
from minigrad import viz


def height(points: mg.Tensor) -> mg.Tensor:
    return points[..., 0] ** 2 + 3 * points[..., 1] ** 2


@pytest.fixture(params=["light", "dark"])
def shown(request: Any, pages: Any, tmp_path: Path) -> Locator:
    """The map on a page: one method halves the point, another one leaves it where it is."""
    methods = {"half": lambda points: points / 2, "none": lambda points: points}
    figure = viz.descent_map(height, methods, x=(-1, 1), y=(-1, 1), start=(0.5, 0.5), steps=4)
    path = tmp_path / "map.html"
    path.write_text(f'<!doctype html><meta charset="utf-8"><body>{figure._repr_html_()}</body>', encoding="utf-8")
    page = pages.emptied(viewport={"width": 900, "height": 700}, color_scheme=request.param)
    page.goto(path.as_uri())
    found: Locator = page.locator("[data-descents]")
    return found


def line_of(shown: Locator, number: int) -> list[float]:
    """The first two points of a path, and how many there are."""
    points = (shown.locator("[data-path] path").nth(number).get_attribute("d") or "").lstrip("M").split("L")
    return [*map(float, points[0].split()), *map(float, points[-1].split()), len(points)]


def test_the_start_is_dragged(shown: Locator) -> None:
    expect(shown).to_have_attribute("data-at", "14,14")
    ring, page = shown.locator("[data-start] circle").last, shown.page
    box = ring.bounding_box()
    middle = shown.locator("rect.mgf-axis").bounding_box()
    assert box
    assert middle
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(middle["x"] + middle["width"] * 0.1, middle["y"] + middle["height"] * 0.9, steps=4)
    expect(shown).to_have_attribute("data-at", "1,1")
    x, y, end_x, end_y, count = line_of(shown, 0)
    assert count == 5
    assert x < end_x
    assert y > end_y
    assert float(ring.get_attribute("cx") or 0) == pytest.approx(x, abs=1)
    page.mouse.move(0, 0)  # outside: it stays at the edge
    expect(shown).to_have_attribute("data-at", "0,18")
    page.mouse.up()
    page.mouse.move(300, 300)
    expect(shown).to_have_attribute("data-at", "0,18")


def test_the_start_is_moved_by_keys_and_its_words_follow(shown: Locator) -> None:
    ring = shown.get_by_label("the start: drag it, or use the arrow keys")
    words = shown.locator("[data-height]")
    before = words.all_text_contents()
    assert before[0] != before[1]
    ring.focus()
    for _ in range(5):
        shown.page.keyboard.press("ArrowLeft")
        shown.page.keyboard.press("ArrowDown")
    expect(shown).to_have_attribute("data-at", "9,9")  # the middle, where both are at rest
    expect(words).to_have_text(["f = 0", "f = 0"])
    expect(shown.locator("[data-kind]")).to_have_text(["at a minimum"] * 2)
    assert line_of(shown, 0)[-1] == line_of(shown, 1)[-1] == 1
    expect(shown.locator("[data-path] circle")).to_be_hidden()
    for key in ("ArrowRight", "ArrowUp"):
        for _ in range(5):
            shown.page.keyboard.press(key)
    expect(words).to_have_text(before)
    assert shown.locator("[data-path]").first.locator("circle").count() == 4

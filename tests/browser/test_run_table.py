"""The table of runs in a real browser: its cells open one at a time, by mouse and by keys, in light and dark."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from minigrad import viz

LABS_OWN = """
.jp-RenderedHTMLCommon:not(.jp-RenderedMarkdown) :is(td, th, tr) { text-align: right }
.jp-RenderedHTMLCommon:not(.jp-RenderedMarkdown) pre { color: fuchsia; margin: 0 }
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_cells_open_one_at_a_time_below_the_table(pages: Any, scheme: str) -> None:
    table = viz.run_table({"a": "x = 1", "b": "x = 2"}, {"sum": "print(x + 1)", "fails": "print(x / (x - 1))"})
    page = pages.emptied(viewport={"width": 900, "height": 600}, color_scheme=scheme)
    page.set_content(
        f"<!DOCTYPE html><style>{LABS_OWN}</style><body style='background:Canvas;color-scheme:{scheme}'>"
        f"<div class='jp-RenderedHTMLCommon'>{table._repr_html_()}</div>"
    )
    is_open = page.locator("details[open] summary")
    expect(is_open).to_have_text(["2"])
    page.get_by_text("ZeroDivisionError", exact=True).click()
    expect(is_open).to_have_text(["ZeroDivisionError"])
    expect(page.get_by_text("ZeroDivisionError: division by zero")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(is_open).to_have_text(["3"])
    below = page.locator("details[open] > div")
    expect(below).to_have_text(re.compile(r"x = 2\s*print\(x \+ 1\)\s*3$"))
    assert below.bounding_box()["y"] >= page.locator("table").bounding_box()["y"] + 3 * 20
    colour = page.locator("tbody th").first.evaluate("(cell) => getComputedStyle(cell).color")
    assert (sum(map(int, re.findall(r"\d+", colour)[:3])) > 3 * 128) == (scheme == "dark")
    looks = page.locator("details[open] pre").last.evaluate(
        "(printed) => { const style = getComputedStyle(printed); return [style.textAlign, style.color] }"
    )
    assert looks[0] == "left"
    assert looks[1] != "rgb(255, 0, 255)"

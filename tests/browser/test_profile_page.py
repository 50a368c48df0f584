"""A profile in a real browser: sorting, pointing, enlarging and moving by keys, on a page alone and in JupyterLab."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import minigrad as mg
from minigrad.autograd.profiler import profile, record_function

NOTEBOOK = [
    "import minigrad as mg\nfrom minigrad.autograd.profiler import profile",
    "x = mg.ones(20, 20, requires_grad=True)\nmg.exp(x @ x).sum().backward()  # an op's first call writes its code",
    "with profile(record_shapes=True) as prof:\n    mg.exp(x @ x).sum().backward()\nprof",
]
THEMES = ["JupyterLab Light", "JupyterLab Dark"]


def profiled() -> Any:
    """Two blocks of 30 and 70 microseconds, the first with three calls of exp in it, by a clock of our own."""
    times = iter([0, 0, 5, 10, 12, 14, 16, 25, 30, 30, 100, 100])
    prof = profile(record_shapes=True, with_stack=True)
    prof._clock = lambda: next(times) * 1000
    x = mg.ones(3)
    mg.exp(x)
    with prof:
        with record_function("first <b>"):
            for _ in range(3):
                mg.exp(x)
        with record_function("second"):
            pass
    return prof


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    html = profiled()._repr_mimebundle_()["text/html"]
    (tmp_path / "page.html").write_text(f"<!doctype html><meta charset='utf-8'>{html}", encoding="utf-8")
    context = browser.new_context(viewport={"width": 900, "height": 900}, reduced_motion="reduce")
    opened, complaints = context.new_page(), []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: complaints.append(request.url) if "page.html" not in request.url else None)
    opened.goto((tmp_path / "page.html").as_uri())
    yield opened
    context.close()
    assert complaints == []


def names(page: Page) -> list[str]:
    return page.locator("tbody .mg-find").all_text_contents()


def bar(page: Page, name: str) -> Locator:
    return page.locator(".mg-bar", has_text=name)


def width(found: Locator) -> float:
    box = found.bounding_box()
    assert box is not None
    return box["width"]


def test_columns_sort_by_click_and_by_key(page: Page) -> None:
    assert names(page) == ["second", "aten::exp", "first <b>"]  # by self time: 70, 16 and 14 microseconds
    header = page.locator("thead th", has_text="# of Calls")
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "descending")
    assert names(page)[0] == "aten::exp"
    header.get_by_role("button").press("Enter")
    expect(header).to_have_attribute("aria-sort", "ascending")
    assert names(page)[-1] == "aten::exp"
    page.locator("thead th", has_text="Name").get_by_role("button").click()
    assert names(page) == ["aten::exp", "first <b>", "second"]
    assert page.locator("[aria-sort]").count() == 1


def test_bars_stand_where_their_times_are(page: Page) -> None:
    strip = page.locator(".mg-strip").bounding_box()
    first, second = bar(page, "first").bounding_box(), bar(page, "second").bounding_box()
    assert strip is not None
    assert first is not None
    assert second is not None
    assert first["x"] == pytest.approx(strip["x"], abs=1)
    assert first["width"] == pytest.approx(0.3 * strip["width"], abs=1)
    assert second["x"] == pytest.approx(strip["x"] + 0.3 * strip["width"], abs=1)
    assert [mark.strip() for mark in page.locator(".mg-ruler span").all_text_contents()][:2] == ["0", "20.0us"]


def test_a_bar_tells_about_itself(page: Page) -> None:
    about = page.locator(".mg-about")
    bar(page, "second").hover()
    expect(about).to_contain_text("total 70.000us, self 70.000us")
    bar(page, "exp").first.focus()
    expect(about).to_contain_text("aten::exp")
    expect(about).to_contain_text("total 5.000us, self 5.000us")
    expect(about).to_contain_text("shapes [[3]]")
    expect(about).to_contain_text("mg.exp(x)")
    bar(page, "first").hover()
    expect(about.locator("b")).to_have_text("first <b>")  # not bold, but as it is written
    assert "total" in (bar(page, "first").get_attribute("aria-label") or "")


def test_keys_move_from_bar_to_bar_and_enlarge(page: Page) -> None:
    focused = page.locator(".mg-bar:focus")
    page.locator(".mg-bar[tabindex='0']").focus()
    expect(focused).to_have_text("first <b>")
    for key, label in [("ArrowDown", "exp"), ("ArrowRight", "exp"), ("ArrowUp", "first <b>"), ("ArrowRight", "second")]:
        page.keyboard.press(key)
        expect(focused).to_have_text(label)
    page.keyboard.press("ArrowRight")  # there is none
    expect(focused).to_have_text("second")
    page.keyboard.press("Home")
    expect(focused).to_have_text("first <b>")
    before = width(focused)
    page.keyboard.press("Enter")
    assert width(focused) == pytest.approx(before / 0.3, rel=0.01)
    expect(bar(page, "second")).to_be_hidden()
    expect(page.locator(".mg-all")).to_be_visible()
    page.keyboard.press("Escape")
    expect(bar(page, "second")).to_be_visible()
    assert width(focused) == pytest.approx(before, abs=1)
    expect(page.locator(".mg-all")).to_be_hidden()


def test_enlarging_by_click_and_back_by_the_button(page: Page) -> None:
    bar(page, "second").click()
    expect(bar(page, "first")).to_be_hidden()
    assert page.locator(".mg-ruler span").first.text_content() == "30.0us"
    page.locator(".mg-all").click()
    expect(bar(page, "first")).to_be_visible()
    expect(page.locator(".mg-bar:focus")).to_have_text("second")


def test_a_row_finds_its_bars(page: Page) -> None:
    row = page.locator(".mg-find", has_text="aten::exp")
    row.click()
    expect(row).to_have_attribute("aria-pressed", "true")
    assert page.locator(".mg-found").count() == 3
    row.click()
    expect(row).to_have_attribute("aria-pressed", "false")
    assert page.locator(".mg-found").count() == 0


def test_a_narrow_page_is_not_wider_than_it_is(page: Page) -> None:
    page.set_viewport_size({"width": 380, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert bar(page, "second").is_visible()


def test_in_jupyterlab_it_sorts_and_follows_the_theme(server: Any, lab: Any) -> None:
    server.write("profile.ipynb", NOTEBOOK)
    server.trust()
    lab.open("profile.ipynb")
    shown = lab.page.locator(".minigrad-profile")
    expect(shown).to_be_visible(timeout=30_000)
    shown.locator("thead th", has_text="# of Calls").get_by_role("button").click()
    calls = shown.locator("tbody tr td:nth-of-type(6)").all_text_contents()
    assert [int(count) for count in calls] == sorted(map(int, calls), reverse=True)
    shown.locator(".mg-bar[tabindex='0']").focus()
    lab.page.keyboard.press("ArrowDown")
    expect(shown.locator(".mg-about")).to_contain_text("aten::mm")
    assert lab.kernel("import sys; print('minigrad.viz' in sys.modules)") == "False"
    lab.page.set_viewport_size({"width": 620, "height": 900})  # narrower than the table, which is moved, not squeezed
    fitting = shown.locator("tbody tr:first-child > *").evaluate_all(
        "(cells) => cells.map((cell) => cell.scrollWidth <= cell.clientWidth)"
    )
    assert len(fitting) > 6
    assert all(fitting)
    for theme in THEMES:
        lab.page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
        light = theme == "JupyterLab Light"
        expect(lab.page.locator("body")).to_have_attribute(
            "data-jp-theme-light", "true" if light else "false", timeout=15_000
        )
        colours = shown.evaluate("(page) => [getComputedStyle(page).backgroundColor, getComputedStyle(page).color]")
        paper, ink = (sum(int(number) for number in re.findall(r"\d+", colour)[:3]) for colour in colours)
        assert (paper > 600 and ink < 250) if light else (paper < 200 and ink > 600), colours

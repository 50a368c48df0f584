"""Two passes beside each other, in a real browser: on a page and in JupyterLab."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from viz.cells import cell

FUNCTIONS = """\
class Right(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x

class Wrong(Right):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * x
"""
EXAMPLE = """\
a = mg.tensor(2.0, requires_grad=True)
e = a * 2
right, wrong = Right.apply(e) + e, Wrong.apply(e) + e
c = viz.compare(right, wrong, names={"a": a, "e": e, "loss": right})
"""


def check(widget: Any) -> None:
    """It opens where the passes part, shows both numbers, lights the node and shades what follows, and steps."""
    expect(widget).to_have_attribute("data-step", "2")
    expect(widget.locator(".mg-box.mg-first")).to_have_count(1)
    expect(widget.locator(".mg-box.mg-follows .mg-name")).to_have_text(["e"])
    expect(widget.locator(".mg-box.mg-follows .mg-grad")).to_have_text(["49 ≠ 17"])
    expect(widget.locator(".mg-chip.mg-differs text")).to_have_text(["48 ≠ 16"])
    expect(widget.locator(".mg-notice")).to_contain_text("First difference: step 2 of 4")
    story = widget.locator(".mg-story")
    expect(story).to_contain_text("Here they part: ")
    expect(story).to_contain_text("the factor 3 is missing in the second")
    expect(story.locator(".mg-rules")).to_contain_text("return g * 3 * x * x")
    expect(widget.locator(".mg-press-predict")).to_be_hidden()
    widget.locator(".mg-press-back").click()
    expect(widget).to_have_attribute("data-step", "1")
    expect(widget.locator(".mg-box:is(.mg-first, .mg-follows)")).to_have_count(0)
    expect(widget.locator(".mg-chip.mg-differs:visible")).to_have_count(0)
    widget.locator(".mg-press-last").click()
    expect(widget).to_have_attribute("data-step", "4")
    expect(widget.locator(".mg-box.mg-follows .mg-grad")).to_have_text(["98 ≠ 34", "49 ≠ 17"])
    expect(widget.locator(".mg-box.mg-first")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_opens_where_two_passes_part(pages: Any, tmp_path: Path, scheme: Any) -> None:
    cell(FUNCTIONS + EXAMPLE)["c"].save_html(tmp_path / "compared.html")
    page = pages.emptied()
    page.emulate_media(media="screen", color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": 960, "height": 800})
    page.goto((tmp_path / "compared.html").as_uri())
    check(page.locator(".minigrad-stepper"))


def test_jupyterlab_opens_where_two_passes_part(lab: Any) -> None:
    lab.server.write("compared.ipynb", ["import minigrad as mg\nfrom minigrad import viz", FUNCTIONS, EXAMPLE + "c"])
    lab.server.trust()
    lab.open("compared.ipynb")
    widget = lab.page.locator(".minigrad-stepper")
    expect(widget).to_be_visible(timeout=30_000)
    check(widget)
    assert lab.kernel("print(a.grad, c.index)") == "None 4"
    lab.kernel("c.first()")
    expect(widget).to_have_attribute("data-step", "0")

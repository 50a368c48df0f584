"""Keys in a real JupyterLab: a widget keeps those that its legend names, and all others reach JupyterLab."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.buttons import in_menu, press
from playwright.sync_api import Locator, expect

CELLS = [
    "import itertools\nimport minigrad as mg\nfrom minigrad import viz\nfrom minigrad.autograd.profiler import profile",
    "A = mg.tensor([3.], requires_grad=True)\nB = mg.tensor([2.], requires_grad=True)\n"
    "C = A ** 2\nD = B ** 2\nE = C * D\nF = D + E\ns = viz.BackwardStepper(F)\ns",
    "viz.compare(F, F)",
    "viz.descent_map(lambda p: (p ** 2).sum(-1), {'half': lambda p: p / 2}, x=(-1, 1), y=(-1, 1), steps=3)",
    "prof = profile()\nprof._clock = itertools.count(0, 1000).__next__\n"
    "with prof:\n    loss = A.exp().sum()\nviz.flame(prof, loss)",
    "1",
]
# What has the focus in each of our widgets: the cell in which it stands, and the element.
FOCUSED = {
    "stepper": (1, ".minigrad-stepper"),
    "button": (1, ".mg-press-next"),
    "box": (1, "[data-box]"),
    "field": (1, ".mg-search"),
    "comparison": (2, ".mg-press-next"),
    "map": (3, "[data-start] [tabindex]"),
    "flame": (4, ".minigrad-flame input"),
}
STATE = """() => {
  const { content, context, id } = window.jupyterapp.shell.currentWidget;
  const { shell } = window.jupyterapp;
  const isThere = (name) => Boolean([...document.querySelectorAll(name)].find((one) => one.getClientRects().length));
  return {
    cells: content.widgets.map(({ model }) => model.type).join(),
    active: content.activeCellIndex,
    runs: content.widgets.map(({ model }) => model.executionCount).join(),
    dirty: context.model.dirty,
    side: shell.leftCollapsed,
    search: isThere('.jp-DocumentSearch-overlay'),
    palette: isThere('#modal-command-palette'),
  };
}"""


class Notebook:
    """The notebook of all widgets, in which an element is given the focus."""

    def __init__(self, lab: Any) -> None:
        self.page = lab.page

    def focus(self, name: str) -> Locator:
        cell, selector = FOCUSED[name]
        place = self.page.locator(".jp-Notebook-cell").nth(cell)
        if name == "field":  # with a few boxes there is nothing to look for, but the key opens it
            place.locator(".minigrad-stepper").press("/")
        element: Locator = place.locator(selector).first
        element.focus()
        return element

    def state(self) -> Any:
        return self.page.evaluate(STATE)

    def becomes(self, **values: Any) -> None:
        for name, value in values.items():
            self.page.wait_for_function(f"([name, value]) => ({STATE})()[name] === value", arg=[name, value])


@pytest.fixture
def opened(lab: Any) -> Notebook:
    """Every widget is as at first, or has been used without a step."""
    steps = "() => [...document.querySelectorAll('.minigrad-stepper')].map((stepper) => stepper.dataset.step)"
    if lab.notebook != "keys.ipynb":
        lab.server.write("keys.ipynb", CELLS)
        lab.server.trust()
        lab.open("keys.ipynb")
    else:
        lab.kernel("")  # which has run what the last test has asked for
        lab.wait_until_living()
        if lab.page.evaluate(steps) != ["0", "0"]:
            lab.run_all()
    expect(lab.page.locator(".minigrad-stepper")).to_have_count(2, timeout=30_000)
    return Notebook(lab)


@pytest.fixture
def notebook(opened: Notebook, lab: Any) -> Notebook:
    """All cells have run anew, so that every widget is as at first."""
    lab.run_all()
    expect(lab.page.locator(".minigrad-stepper")).to_have_count(2, timeout=30_000)
    return opened


@pytest.mark.parametrize("name", FOCUSED)
def test_keys_with_a_modifier_reach_jupyterlab(opened: Notebook, name: str) -> None:
    press = opened.page.keyboard.press
    opened.page.evaluate("() => { window.jupyterapp.shell.currentWidget.context.model.dirty = true; }")
    opened.focus(name)
    # A save is over with its checkpoint: until then JupyterLab lets the next one drop, here that of the next test.
    with opened.page.expect_response(lambda it: "/checkpoints" in it.url and it.request.method == "POST"):
        press("Control+s")
        opened.becomes(dirty=False)
    side = opened.state()["side"]
    for now in (not side, side):
        opened.focus(name)
        press("Control+b")
        opened.becomes(side=now)
    opened.focus(name)
    press("Control+Shift+c")
    opened.becomes(palette=True)
    opened.page.wait_for_function("document.activeElement.closest('#modal-command-palette')")
    press("Escape")
    opened.becomes(palette=False)


@pytest.mark.parametrize("name", [name for name in FOCUSED if name != "field"])
def test_shift_and_enter_run_the_cell_and_nothing_of_ours(opened: Notebook, name: str) -> None:
    cell, step = FOCUSED[name][0], "() => document.querySelectorAll('.minigrad-stepper')[0].dataset.step"
    opened.focus(name)
    opened.becomes(active=cell)
    before = opened.state()
    assert opened.page.evaluate(step) == "0"
    opened.page.keyboard.press("Shift+Enter")
    opened.page.wait_for_function(
        f"([cell, runs]) => ![null, 'null', '', runs].includes(({STATE})().runs.split(',')[cell])",
        arg=[cell, before["runs"].split(",")[cell]],
    )
    opened.becomes(active=cell + 1)
    expect(opened.page.locator(".minigrad-stepper")).to_have_count(2)  # what the cell shows is drawn anew
    assert opened.page.evaluate(step) == "0"


@pytest.mark.parametrize("name", ["stepper", "button", "box", "comparison"])
def test_escape_gives_the_keys_back(notebook: Notebook, name: str) -> None:
    notebook.focus(name)
    cell, before = FOCUSED[name][0], notebook.state()
    notebook.page.keyboard.press("Escape")
    assert notebook.page.evaluate("!document.activeElement.closest('.minigrad-stepper')")
    notebook.page.keyboard.press("b")
    notebook.becomes(cells=before["cells"] + ",code", active=cell + 1)
    expect(notebook.page.locator(".jp-Notebook-cell").nth(cell + 1).locator(".cm-content")).to_be_visible()
    notebook.page.wait_for_function("document.activeElement.matches('.jp-Notebook.jp-mod-commandMode :not(input)')")
    notebook.page.keyboard.type("dd")  # at once: JupyterLab waits for the second one for a second
    notebook.becomes(cells=before["cells"])


def test_escape_closes_what_is_open_first(notebook: Notebook) -> None:
    page = notebook.page
    inside = "Boolean(document.activeElement.closest('.minigrad-stepper'))"
    widget = page.locator(".minigrad-stepper").first
    for key, opened in (("m", ".mg-menu"), ("Enter", ".mg-inspector"), ("?", ".mg-explained")):
        notebook.focus("box")
        page.keyboard.press(key)
        expect(widget.locator(opened)).to_be_visible()
        page.keyboard.press("Escape")
        expect(widget.locator(opened)).to_be_hidden()
        assert page.evaluate(inside), opened
    press(widget, "breaks")
    expect(widget.locator(".mg-condition").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(widget.locator(".mg-press-more")).to_be_focused()
    notebook.focus("field")
    page.keyboard.press("Escape")
    expect(widget).to_be_focused()
    page.keyboard.press("Escape")
    assert not page.evaluate(inside)


LEGEND = ["ArrowRight", "ArrowLeft", "o", "O", "e", "E", "Home", "End", " ", "Shift+ArrowDown", "Enter"]
LEGEND += ["+", "-", "0", "0", "f", "g", "p", "p", "?", "?", "/"]


@pytest.mark.parametrize("name", ["stepper", "button", "box", "comparison"])
def test_the_keys_of_the_legend_do_nothing_to_the_notebook(notebook: Notebook, name: str) -> None:
    """Also those that mean something on a box alone, where there is none: to JupyterLab, r, m and d d are the end of
    the cell's output.
    """
    cell = FOCUSED[name][0]
    element, before = notebook.focus(name), notebook.state()
    widget = notebook.page.locator(".minigrad-stepper").nth(cell - 1)
    for key in "brruddm":
        element.focus()
        notebook.page.keyboard.press(key)
    if name != "box":
        expect(widget.locator(".mg-spoken").last).to_contain_text("Shift and the arrow keys")
        expect(widget).to_have_attribute("data-step", "0")
    element.focus()
    for key in LEGEND:
        notebook.page.keyboard.press(key)
    expect(widget.locator(".mg-search")).to_be_focused()
    notebook.page.keyboard.type("abdmrx")
    expect(widget.locator(".mg-search")).to_have_value("abdmrx")
    now = notebook.state()
    assert {**now, "dirty": True} == {**before, "dirty": True}
    expect(notebook.page.locator(".jp-Dialog")).to_have_count(0)  # which 0 0 would open


def test_keys_that_an_element_knows_by_itself(notebook: Notebook) -> None:
    page = notebook.page
    widget = page.locator(".minigrad-stepper").first
    before = notebook.state()["active"] if notebook.focus("button") else None
    page.keyboard.press("Enter")
    expect(widget).to_have_attribute("data-step", "1")
    page.keyboard.press(" ")
    expect(widget).to_have_attribute("data-step", "2")
    widget.locator(".mg-slider").focus()
    page.keyboard.press("ArrowUp")
    expect(widget).to_have_attribute("data-step", "3")
    in_menu(widget, ".mg-speed").select_option("normal")
    widget.locator(".mg-speed").focus()
    page.keyboard.press("f")
    expect(widget.locator(".mg-speed")).to_have_value("600")
    why = widget.locator(".mg-why summary")
    why.focus()
    page.keyboard.press("Enter")
    expect(widget.locator(".mg-why")).to_have_attribute("open", "")
    reasons = widget.locator(".mg-why .mg-reasons")
    reasons.evaluate("(place) => { place.style.maxHeight = '40px'; place.focus(); }")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("document.activeElement.scrollTop > 0")
    why.focus()
    page.keyboard.press(" ")
    expect(widget.locator(".mg-why")).not_to_have_attribute("open", "")
    expect(widget).to_have_attribute("data-step", "3")  # nothing of that has stepped or played
    assert notebook.state()["active"] == before
    page.keyboard.press("ArrowDown")  # which is not ours elsewhere
    notebook.becomes(active=2)


def test_control_and_f_open_jupyterlabs_search(notebook: Notebook, lab: Any) -> None:
    """The last test: once there was a search, JupyterLab complains of itself when a cell is inserted."""
    for name in FOCUSED:
        notebook.focus(name)
        notebook.page.keyboard.press("Control+f")
        notebook.page.wait_for_function("document.activeElement.closest('.jp-DocumentSearch-overlay')")
        notebook.page.keyboard.press("Escape")
        notebook.becomes(search=False)
    lab.load_anew()

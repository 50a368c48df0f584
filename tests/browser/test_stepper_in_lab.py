"""The stepper in a real JupyterLab, in a real browser: what the picture shows is what the kernel holds, after every
click.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helpers.buttons import in_menu, press
from playwright.sync_api import Locator, expect

EXAMPLE = [
    "import minigrad as mg\nfrom minigrad import viz",
    "A = mg.tensor([3.], requires_grad=True)\nB = mg.tensor([2.], requires_grad=True)\n"
    "C = A ** 2\nD = B ** 2\nE = C * D\nF = D + E\ns = viz.BackwardStepper(F)\ns",
    "viz.draw(F)",
]
# The boxes that run at each step, and what each box's gradient reads after it.
RUNS = ["F", "E", "D", "B", "C", "A"]
GRADS = [
    {"A": "None", "B": "None", "C": "None", "D": "None", "E": "None", "F": "None"},
    {"A": "None", "B": "None", "C": "None", "D": "1", "E": "1", "F": "1"},
    {"A": "None", "B": "None", "C": "4", "D": "1 + 9 = 10", "E": "1", "F": "1"},
    {"A": "None", "B": "None", "C": "4", "D": "10", "E": "1", "F": "1"},
    {"A": "None", "B": "40", "C": "4", "D": "10", "E": "1", "F": "1"},
    {"A": "None", "B": "40", "C": "4", "D": "10", "E": "1", "F": "1"},
    {"A": "24", "B": "40", "C": "4", "D": "10", "E": "1", "F": "1"},
]


@pytest.fixture(scope="module", autouse=True)
def notebooks(server: Any) -> None:
    server.write("example.ipynb", EXAMPLE)
    server.trust()


@pytest.fixture(scope="module", autouse=True)
def motion(kept_lab: Any) -> Iterator[None]:
    """What moves is seen here, moving; the other files' readers want no motion."""
    kept_lab.page.emulate_media(reduced_motion="no-preference")
    yield
    kept_lab.page.emulate_media(reduced_motion="reduce")


@dataclass
class Stepper:
    lab: Any
    widget: Locator

    def press(self, name: str) -> None:
        press(self.widget, name)

    def at(self, step: int) -> None:
        """The page and the kernel show this step, and agree on every gradient."""
        expect(self.widget).to_have_attribute("data-step", str(step))
        expect(self.widget.locator(".mg-counter")).to_have_text(f"step {step} of 6")
        assert self.grads() == GRADS[step]
        ran = self.widget.locator(".mg-box.mg-ran .mg-name").all_text_contents()
        assert ran == ([RUNS[step - 1]] if step else [])
        held = self.lab.kernel("print(A.grad, B.grad, s.index)")
        shown = [f"tensor([{text}.])" if text != "None" else text for text in (GRADS[step]["A"], GRADS[step]["B"])]
        assert held == f"{shown[0]} {shown[1]} {step}"

    def grads(self) -> dict[str, str]:
        boxes = self.widget.locator(".mg-box")
        names = boxes.locator(".mg-name").all_text_contents()
        grads = boxes.locator(".mg-grad").all_text_contents()
        return dict(zip(names, grads, strict=True))


@pytest.fixture
def stepper(lab: Any) -> Stepper:
    """A stepper that nobody has stepped yet: the cells of the notebook have just run, for later tests once more."""
    if lab.notebook == "example.ipynb":
        lab.run_all()
    else:
        lab.open("example.ipynb")
    widget = lab.page.locator(".minigrad-stepper").first
    expect(widget).to_be_visible(timeout=30_000)
    widget.scroll_into_view_if_needed()
    return Stepper(lab, widget)


def test_next_to_the_end_and_back_again(stepper: Stepper, lab: Any) -> None:
    stepper.at(0)
    for step in range(1, 7):
        stepper.press("next")
        stepper.at(step)
    expect(stepper.widget.locator(".mg-press-next")).to_have_attribute("aria-disabled", "true")
    for step in range(5, -1, -1):
        stepper.press("back")
        stepper.at(step)
    assert lab.kernel("print(len(s.frames))") == "7"


def test_keys_slider_first_and_last(stepper: Stepper, lab: Any) -> None:
    stepper.widget.focus()
    for key, step in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 6), ("Home", 0)]:
        lab.page.keyboard.press(key)
        stepper.at(step)
    stepper.widget.locator(".mg-slider").fill("4")
    stepper.at(4)
    stepper.press("last")
    stepper.at(6)
    stepper.press("first")
    stepper.at(0)
    # Space plays to the end, over what is recorded.
    in_menu(stepper.widget, ".mg-speed").select_option("fast")
    stepper.widget.focus()
    lab.page.keyboard.press("Space")
    expect(stepper.widget).to_have_attribute("data-step", "6")
    stepper.at(6)


def test_stepping_from_a_cell_moves_the_picture(stepper: Stepper, lab: Any) -> None:
    lab.kernel("s.run_to('D')")
    stepper.at(3)
    stepper.press("next")
    stepper.at(4)
    lab.kernel("s.reset()")
    stepper.at(0)


def test_an_error_is_shown_and_the_kernel_goes_on(stepper: Stepper, lab: Any) -> None:
    stepper.press("next")
    stepper.at(1)
    lab.kernel("F.backward()")  # frees what the stepper would have needed for its next step
    stepper.press("next")
    problem = stepper.widget.get_by_role("alert")
    expect(problem).to_contain_text("Trying to backward through the graph a second time")
    expect(stepper.widget.locator(".mg-box.mg-bad .mg-name")).to_have_text("E")
    assert lab.kernel("print(1 + 1)") == "2"
    stepper.press("back")
    expect(stepper.widget).to_have_attribute("data-step", "1")
    expect(problem).to_have_count(0)


def test_the_code_is_lit_and_a_box_can_be_inspected(stepper: Stepper, lab: Any) -> None:
    stepper.press("next")
    stepper.press("next")
    stepper.at(2)
    lit = stepper.widget.locator(".mg-lit")
    expect(lit).to_have_count(1)
    expect(lit.locator(".mg-text")).to_have_text("E = C * D")
    expect(lit.locator("mark")).to_have_text("C * D")
    box = stepper.widget.locator("[data-box]", has_text="C * D")
    box.focus()
    lab.page.keyboard.press("Enter")
    inspector = stepper.widget.locator(".mg-inspector")
    expect(inspector).to_be_visible()
    expect(inspector).to_contain_text("result of MulBackward0")
    lab.page.keyboard.press("Escape")
    expect(inspector).to_be_hidden()


def test_breakpoints_from_the_picture_and_from_a_cell(stepper: Stepper, lab: Any) -> None:
    stepper.widget.locator("[data-box]", has_text="B ** 2").focus()
    lab.page.keyboard.press("b")
    expect(stepper.widget.locator(".mg-stop")).to_have_count(1)
    stepper.press("run")
    stepper.at(3)
    expect(stepper.widget.locator(".mg-note")).to_contain_text("Stopped at a breakpoint: D")
    lab.kernel("s.clear_breaks(); s.break_when(lambda frame: frame.name == 'C')")
    expect(stepper.widget.locator(".mg-stop")).to_have_count(0)
    stepper.press("run")
    stepper.at(5)
    stepper.widget.locator("[data-box]", has_text="C * D").focus()
    lab.page.keyboard.press("r")
    stepper.at(2)


# Where motion is wanted, a card takes a moment to its new colour. What is drawn anew meanwhile ends a motion early.
RESTS = """async (root) => {
    const moving = () => root.getAnimations({ subtree: true }).filter((one) => one.playState === 'running');
    for (let all = moving(); all.length; all = moving()) await Promise.allSettled(all.map((one) => one.finished));
}"""


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])  # light remains
def test_it_follows_the_theme(stepper: Stepper, lab: Any, theme: str) -> None:
    lab.page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    light = theme == "JupyterLab Light"
    expect(lab.page.locator("body")).to_have_attribute("data-jp-theme-light", "true" if light else "false")
    stepper.widget.evaluate(RESTS)
    colours = stepper.widget.locator(".mg-card").first.evaluate(
        "(card) => [getComputedStyle(card).fill, getComputedStyle(card.parentNode.querySelector('.mg-name')).fill]"
    )
    paper, ink = (sum(int(number) for number in re.findall(r"\d+", colour)[:3]) for colour in colours)
    assert (paper > 600 and ink < 250) if light else (paper < 200 and ink > 600), colours


# Texts that lie over each other, among those that scroll together; and what JupyterLab's rules would move.
OVERLAPPING = """(root) => {
  const parts = [...root.querySelectorAll('dt, dd, p, li, pre, h4, h5, summary, kbd, button')]
    .filter((part) => part.getClientRects().length);
  const scrolling = '.mg-story, .mg-source, .mg-reasons, .mg-inspector, .mg-keys, .mg-bar, .mg-zoom';
  const place = (part) => part.closest(scrolling) ?? root;
  const found = [];
  parts.forEach((one, k) => parts.slice(k + 1).forEach((other) => {
    if (place(one) !== place(other) || one.contains(other) || other.contains(one)) return;
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 1 && down > 1) found.push(`${one.textContent} / ${other.textContent}`);
  }));
  return found;
}"""
FLOATING = """(root) => [...root.querySelectorAll('dl *, p, ul, li, h4, h5, pre, summary')]
  .filter((part) => getComputedStyle(part).float !== 'none' || parseFloat(getComputedStyle(part).marginTop) > 8)
  .map((part) => part.textContent)"""


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_axe_finds_nothing_in_jupyterlab(stepper: Stepper, lab: Any, node_modules: Path, theme: str) -> None:
    for step in range(1, 3):
        stepper.press("next")
        expect(stepper.widget).to_have_attribute("data-step", str(step))
    lab.page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    expect(lab.page.locator(f"body[data-jp-theme-name='{theme}']")).to_have_count(1)
    try:
        lab.page.evaluate((node_modules / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
        for opened in ("more", "legend"):
            stepper.widget.evaluate(RESTS)
            found = lab.page.evaluate(
                "async () => (await axe.run('.minigrad-stepper', { resultTypes: ['violations'] })).violations"
            )
            told = [(item["id"], [node["html"][:160] for node in item["nodes"][:3]]) for item in found]
            assert told == [], opened
            stepper.press(opened)
    finally:
        stepper.widget.press("Escape")
        lab.page.evaluate(
            "() => window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Light' })"
        )
        expect(lab.page.locator("body[data-jp-theme-name='JupyterLab Light']")).to_have_count(1)


def test_the_rules_of_jupyterlab_do_not_reach_the_words(stepper: Stepper, lab: Any) -> None:
    """The details, the keys and "why?", all open: no text lies over another."""
    widget = stepper.widget
    stepper.press("next")
    stepper.press("next")
    expect(widget).to_have_attribute("data-step", "2")
    tall = widget.bounding_box()
    widget.locator(".mg-why summary").click()
    expect(widget.locator(".mg-why-open")).to_have_count(1)
    keys = in_menu(widget, ".mg-keys summary").click
    details = widget.locator("[data-box]").first.click
    for change in (lambda: None, keys, keys, details):
        change()
        assert widget.evaluate(OVERLAPPING) == []
        assert widget.evaluate(FLOATING) == []
    lab.page.keyboard.press("Escape")
    after = widget.bounding_box()
    assert tall
    assert after
    assert after["height"] == tall["height"]
    heights = set()
    for step in range(3, 7):
        stepper.press("next")
        expect(widget).to_have_attribute("data-step", str(step))
        heights.add(round(widget.bounding_box()["height"]))  # type: ignore[index]
        sizes = widget.locator(".mg-panel").evaluate_all("(parts) => parts.map((part) => part.clientHeight)")
        heights.add(tuple(sizes))
    assert len(heights) == 2  # one of the whole, and one of its parts


# What a cell may do to the leaves that a stepper shows, and what the picture says afterwards of A's and B's .grad, and
# of A's value: a number, none, a sum, and another value. tests/viz/steps/test_outside.py has all ways to do it. The
# stepper stands at its end, where A.grad is 24 and B.grad is 40.
CHANGES = {
    "B.grad.zero_()": ("24", "0", "3"),
    "mg.optim.SGD([A, B], lr=1).zero_grad()": ("None", "None", "3"),
    "with mg.no_grad():\n    A -= 1": ("24", "40", "2"),
    "(B ** 2).sum().backward()": ("24", "44", "3"),
}


@pytest.mark.parametrize("cell", CHANGES)
def test_what_a_cell_changes_is_drawn_when_it_has_run(stepper: Stepper, lab: Any, cell: str) -> None:
    stepper.press("last")
    stepper.at(6)
    lab.kernel(cell)
    drawn = stepper.widget.locator("[data-box]")

    def agrees() -> None:
        of_a, of_b, value = CHANGES[cell]
        (a,), (b,) = (drawn.filter(has=lab.page.locator(f".mg-name:text-is('{name}')")).all() for name in "AB")
        expect(a.locator(".mg-grad")).to_have_text(of_a)
        expect(b.locator(".mg-grad")).to_have_text(of_b)
        expect(a.locator(".mg-value")).to_have_text(value)
        read = "[t.item() if t is not None else None for t in (A.grad, B.grad, A)]"
        held = lab.kernel(f"print(*('None' if t is None else f'{{t:g}}' for t in {read}))")
        assert held == f"{of_a} {of_b} {value}"

    agrees()
    stepper.press("back")
    expect(stepper.widget).to_have_attribute("data-step", "5")
    stepper.press("next")
    expect(stepper.widget).to_have_attribute("data-step", "6")
    agrees()


def test_another_steppers_steps_are_drawn(stepper: Stepper, lab: Any) -> None:
    """Two that share a leaf: B.grad was 40, another pass adds 4, and goes back."""
    stepper.press("last")
    stepper.at(6)
    b = stepper.widget.locator("[data-box]").filter(has=lab.page.locator(".mg-name:text-is('B')"))
    lab.kernel("other = viz.BackwardStepper((B ** 2).sum()); other.last()")
    expect(b.locator(".mg-grad")).to_have_text("44")
    assert lab.kernel("other.first(); print(B.grad)") == "tensor([40.])"
    expect(b.locator(".mg-grad")).to_have_text("40")


def test_a_right_click_opens_the_menu_of_the_box_and_not_jupyterlabs(stepper: Stepper, lab: Any) -> None:
    stepper.widget.locator("[data-box]", has_text="C * D").click(button="right")
    menu = stepper.widget.locator(".mg-menu")
    expect(menu).to_be_visible()
    expect(lab.page.locator(".lm-Menu")).to_have_count(0)
    menu.get_by_text("Run to here").click()
    stepper.at(2)


def test_a_variable_that_was_made_anew_is_told_of(stepper: Stepper, lab: Any) -> None:
    note = stepper.widget.locator(".mg-outdated")
    expect(note).to_have_count(0)
    lab.kernel("A = mg.tensor([7.], requires_grad=True)")
    expect(note).to_contain_text("A is another tensor now: this shows what it was before.")


def test_a_number_is_changed_and_what_ran_comes_back(stepper: Stepper, lab: Any) -> None:
    stepper.press("next")
    stepper.at(1)
    box = {name: stepper.widget.locator(".mg-box").filter(has_text=re.compile(f"^ *{name} ")) for name in "BF"}
    box["B"].click()
    field = stepper.widget.get_by_label("another number for B")
    field.fill("5")
    field.press("Enter")
    banner = stepper.widget.locator(".mg-whatif")
    expect(banner).to_contain_text("What if B[0] = 5 (it ran with 2)?")
    value = box["F"].locator(".mg-value")
    expect(value).to_have_text("250")
    expect(field).to_be_focused()
    stepper.press("last")
    expect(stepper.widget).to_have_attribute("data-step", "6")
    assert stepper.grads()["B"] == "100"
    assert lab.kernel("print(A.grad, B.grad, B.item(), s.index)") == "None None 2.0 1"
    stepper.press("nudge")
    expect(stepper.widget.locator(".mg-inspector .mg-predict-word")).to_contain_text("B.grad[0] is 100.")
    field.fill("five")
    field.press("Enter")
    expect(stepper.widget.locator(".mg-inspector .mg-predict-word")).to_have_text(re.compile("Write a number"))
    expect(banner).to_be_visible()
    stepper.press("ran")
    expect(banner).to_be_hidden()
    stepper.at(1)
    lab.kernel("s.what_if(A=[1.], B=[1.])")
    expect(banner).to_contain_text("What if A[0] = 1 (it ran with 3), B[0] = 1 (it ran with 2)?")
    expect(value).to_have_text("2")
    lab.kernel("s.next(); s.what_if()")
    expect(banner).to_be_hidden()
    stepper.at(2)


LONG = [
    "import time\nimport minigrad as mg\nfrom minigrad import viz",
    "w = mg.tensor([1.], requires_grad=True)\ny = w * 2\nnap = 0.3\nfor _ in range(60):\n    y = y * 1\n"
    "    y.register_hook(lambda g: time.sleep(nap))\ns = viz.BackwardStepper(y.sum())\ns",
]


def test_a_long_run_shows_how_far_it_is_and_can_be_ended(lab: Any) -> None:
    lab.server.write("long.ipynb", LONG)
    lab.server.trust()
    lab.open("long.ipynb")
    widget = lab.page.locator(".minigrad-stepper").first
    expect(widget).to_be_visible(timeout=30_000)
    press(widget, "run")
    expect(widget).to_have_attribute("data-step", re.compile(r"^([2-9]|[12][0-9])$"))
    expect(widget.locator(".mg-press-play")).to_contain_text("Pause")
    press(widget, "play")
    expect(widget.locator(".mg-press-play")).to_contain_text("Play")
    stopped = int(lab.kernel("print(s.index)"))  # behind the portion that was asked for already
    assert 2 <= stopped < 50
    expect(widget).to_have_attribute("data-step", str(stopped))
    assert lab.kernel("print(s.index)") == str(stopped)  # the page, which has seen that portion, has asked for no more
    lab.kernel("nap = 0")
    widget.locator(".mg-press-last").click()
    expect(widget).to_have_attribute("data-step", "63", timeout=30_000)
    assert lab.kernel("print(s.finished, w.grad)") == "True tensor([2.])"
    # Its frames are so many that the first are packed; they are there all the same, also without the kernel.
    assert lab.kernel("print(len(s.earlier) > 0)") == "True"
    lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    expect(lab.page.locator(".minigrad-alone").first).to_contain_text("kernel that ran this is gone", timeout=30_000)
    for name, step in (("first", "0"), ("next", "1"), ("last", "63"), ("back", "62")):
        press(widget, name)
        expect(widget).to_have_attribute("data-step", step)


MANY = [
    "import minigrad as mg\nfrom minigrad import viz",
    "w = mg.tensor(0.999, requires_grad=True)\nb = mg.tensor(0.001, requires_grad=True)\nx = w * b\n"
    "for _ in range(535):\n    x = x * w + b\ns = viz.BackwardStepper(x)\ns",
]  # as many steps as take two texts of 512 frames, one of 32, one of fewer, and some frames as they are


def test_thousands_of_steps_from_a_cell_arrive(lab: Any) -> None:
    """However a cell takes them, they are sent in the same texts: tests/viz/page/test_portions.py."""
    lab.server.write("many.ipynb", MANY)
    lab.server.trust()
    lab.open("many.ipynb")
    widget = lab.page.locator(".minigrad-stepper").first
    expect(widget).to_have_attribute("data-step", "0", timeout=30_000)
    assert lab.kernel("while s.next() is not None: pass\nprint(s.index)") == "1073"
    assert lab.kernel("print(*map(len, (s.past, s.earlier, s.lately, s.ran)))") == "2 1 1 2"
    expect(widget).to_have_attribute("data-step", "1073", timeout=60_000)
    expect(widget.locator(".mg-counter")).to_have_text("step 1073 of 1073")
    press(widget, "first")
    expect(widget).to_have_attribute("data-step", "0")
    expect(widget.locator(".mg-story")).to_contain_text("Every .grad is None")
    assert lab.kernel("print(s.index, w.grad, b.grad)") == "0 None None"


CELLS = [
    EXAMPLE[0],
    "x = mg.tensor([[1., 0., -1., 2.], [0.5, 3., 1., -2.], [1., 1., 2., 0.]])\nW = mg.full((4, 4), 0.5, "
    "requires_grad=True)\nb = mg.tensor([1., 0.5, -6., 2.], requires_grad=True)\n"
    "s = viz.BackwardStepper((x @ W + b).norm())\ns",
]


def test_cells_light_up_and_are_walked_by_keys_that_step_nothing(lab: Any) -> None:
    lab.server.write("cells.ipynb", CELLS)
    lab.open("cells.ipynb")
    widget = lab.page.locator(".minigrad-stepper").first
    expect(widget).to_be_visible(timeout=30_000)
    widget.locator(".mg-folded summary", has_text="cells").click()
    for step in (1, 2):
        widget.locator(".mg-press-next").click()
        expect(widget).to_have_attribute("data-step", str(step))
    widget.locator('.mg-cells [data-of="g"] [data-k="0"]').focus()
    for name in ("ArrowDown", "ArrowRight", "End"):
        lab.page.keyboard.press(name)
    expect(widget.locator('.mg-cells [data-of="g"] .mg-at')).to_have_attribute("data-k", "7")
    expect(widget.locator('.mg-cells [data-of="1"] .mg-from')).to_have_attribute("data-k", "3")
    lab.page.keyboard.press("Enter")
    expect(widget.locator(".mg-spoken")).to_have_text(re.compile(r"^g\[1, 3\], .*, goes to t0\[1, 3\], b\[3\]\.$"))
    assert lab.kernel("print(s.index)") == "2"
    assert widget.locator(".mg-table").first.evaluate("(table) => getComputedStyle(table).tableLayout") == "auto"
    box = widget.bounding_box()
    assert box
    assert box["height"] <= 640


DYING = [
    "import os, signal\nimport minigrad as mg\nfrom minigrad import viz",
    "w = mg.tensor([1.], requires_grad=True)\ny = w * 2\nz = y * 3\n"
    "y.register_hook(lambda g: os.kill(os.getpid(), signal.SIGKILL))\ns = viz.BackwardStepper(z.sum())\ns",
    "v = mg.tensor([1.], requires_grad=True)\nt = viz.BackwardStepper((v * 2).sum())\nt",
]


def test_a_kernel_that_dies_in_a_step_is_told_of_and_what_was_recorded_steps(lab: Any) -> None:
    lab.server.write("dying.ipynb", DYING)
    lab.server.trust()
    lab.open("dying.ipynb")
    steppers = lab.page.locator(".minigrad-stepper")
    expect(steppers).to_have_count(2, timeout=30_000)
    widget, other = steppers.all()
    for step in ("1", "2"):
        widget.locator(".mg-press-next").click()
        expect(widget).to_have_attribute("data-step", step)
    widget.locator(".mg-press-next").click()
    expect(widget.locator(".mg-note")).to_contain_text("kernel does not answer")  # before JupyterLab asks
    lab.page.get_by_role("button", name="Ok").click(timeout=30_000)  # JupyterLab has seen it, and starts another
    expect(lab.page.locator(".minigrad-alone")).to_contain_text(["kernel that ran this is gone"] * 2)
    for name, step in (("back", "1"), ("first", "0"), ("next", "1"), ("last", "2")):
        press(widget, name)
        expect(widget).to_have_attribute("data-step", step)
    other.locator(".mg-press-last").click()  # nobody had stepped it: its steps were recorded ahead
    expect(other).to_have_attribute("data-step", "3")
    lab.load_anew()

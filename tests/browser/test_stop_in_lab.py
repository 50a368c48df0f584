"""The notebook's stop button while a click in a stepper is answered: the run ends, what has run stays, and the page
says so. Clicks come in another thread than the one that the button reaches.
"""

import re
import time
from pathlib import Path
from typing import Any

from helpers.buttons import press
from playwright.sync_api import Locator, expect

ENDLESS = [
    "import pathlib, time\nimport minigrad as mg\nfrom minigrad import viz",
    """class Slow(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        pathlib.Path('began').touch()
        while waits:
            if naps:
                time.sleep(0.01)
        return g * 2

waits, naps = True, False
w = mg.tensor([1.], requires_grad=True)
y = Slow.apply(w * 3) * 5
s = viz.BackwardStepper(y.sum())
s""",
    "v = mg.tensor([3.], requires_grad=True)\nt = viz.BackwardStepper((v * v).sum())\nt",
]
MANY = [
    "import minigrad as mg\nfrom minigrad import viz",
    "w = mg.tensor(0.999, requires_grad=True)\nb = mg.tensor(0.001, requires_grad=True)\nx = w * b\n"
    "for _ in range(599):\n    x = x * w + b\ns = viz.BackwardStepper(x)\ns",
]
# Each step takes its time, so that no run is over before it is stopped.
SLOWED = """
import time
nap, maker = 0.02, s.session.maker
def advance(advance=maker.advance):
    time.sleep(nap)
    return advance()
maker.advance = advance
"""

WHOLE = "(tensor(121.8358), tensor(451.3539))"


def opened(lab: Any, notebook: str, cells: list[str]) -> list[Locator]:
    """The steppers of a notebook whose cells have just run, for later tests once more."""
    if lab.notebook == notebook:
        lab.run_all()
    else:
        lab.server.write(notebook, cells)
        lab.server.trust()
        lab.open(notebook)
    steppers = lab.page.locator(".minigrad-stepper")
    expect(steppers).to_have_count(sum("viz.BackwardStepper(" in cell for cell in cells))
    expect(steppers.first).to_have_attribute("data-step", "0")
    return list(steppers.all())


def press_stop(lab: Any) -> None:
    lab.page.get_by_role("button", name="Interrupt the kernel").click()


def begin_endless_step(lab: Any, naps: bool) -> list[Locator]:
    """The steppers of ENDLESS, the first of which runs the loop without an end, at work or half asleep."""
    began = Path(lab.server.folder, "began")
    began.unlink(missing_ok=True)
    steppers = opened(lab, "endless.ipynb", ENDLESS)
    lab.kernel(f"naps = {naps}")
    steppers[0].locator(".mg-press-last").click()
    expect(steppers[0].locator(".mg-note")).to_contain_text("kernel does not answer")
    end = time.monotonic() + 60
    while not began.exists():  # a kernel that has not begun the step by now would not hear the button
        assert time.monotonic() < end
        lab.page.wait_for_timeout(50)
    return steppers


def is_stopped_in_the_loop(lab: Any, widget: Locator, other: Locator) -> None:
    """It tells the line that ran for ever, nothing before it is lost, and everything else works."""
    expect(widget).to_have_attribute("data-step", "3")
    expect(widget.locator(".mg-problem")).to_contain_text("KeyboardInterrupt: stopped by the stop button (■)")
    assert lab.kernel("print(len(s.frames), s.frame.failed, s.frame.op, w.grad)") == "4 True SlowBackward None"
    assert re.search(r"'(while waits:|if naps:|time\.sleep\(0\.01\))'", lab.kernel("print(s.frame.events[-1].line)"))
    widget.locator(".mg-press-back").click()
    expect(widget).to_have_attribute("data-step", "2")
    other.locator(".mg-press-last").click()
    expect(other).to_have_attribute("data-step", "3")
    assert lab.kernel("print(v.grad)") == "tensor([6.])"
    assert lab.kernel("waits = False; w.grad = None; (Slow.apply(w * 3) * 5).sum().backward(); print(w.grad)") == (
        "tensor([30.])"
    )


def test_an_endless_backward_that_a_click_has_begun_is_stopped(lab: Any) -> None:
    widget, other = begin_endless_step(lab, naps=False)
    press_stop(lab)
    is_stopped_in_the_loop(lab, widget, other)


def test_the_steppers_own_button_stops_it_too(lab: Any) -> None:
    widget, other = begin_endless_step(lab, naps=True)
    pause = widget.locator(".mg-press-play")
    expect(pause).to_contain_text("Pause")
    pause.click()
    is_stopped_in_the_loop(lab, widget, other)
    expect(pause).to_contain_text("Play")


def test_a_cell_that_runs_is_what_the_button_stops_and_a_click_waits_for_it(lab: Any) -> None:
    _, other = opened(lab, "endless.ipynb", ENDLESS)
    lab.page.evaluate(
        """() => {
            const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
            window.cell = kernel.requestExecute({ code: 'turns = 0\\nwhile True: time.sleep(0.01); turns += 1' });
            const isRunning = ({ header }) => header.msg_type === 'execute_input';
            return new Promise((resolve) => { window.cell.onIOPub = (message) => isRunning(message) && resolve(); });
        }"""
    )
    other.locator(".mg-press-last").click()
    expect(other.locator(".mg-note")).to_contain_text("kernel does not answer")
    expect(other).to_have_attribute("data-step", "0")
    press_stop(lab)
    assert lab.page.evaluate("async () => (await window.cell.done).content.ename") == "KeyboardInterrupt"
    expect(other).to_have_attribute("data-step", "3")
    expect(other.locator(".mg-problem")).to_be_hidden()
    assert lab.kernel("print(turns > 0, v.grad, t.finished)") == "True tensor([6.]) True"


def test_a_long_run_ends_between_two_steps_and_goes_on_later(lab: Any) -> None:
    """Each of two ways to run on; where the first has ended, the second begins."""
    (widget,) = opened(lab, "walk.ipynb", MANY)
    assert lab.kernel(SLOWED) == ""
    step = 0
    for name in ("last", "run"):
        press(widget, name)
        expect(widget).not_to_have_attribute("data-step", str(step))
        press_stop(lab)
        note = widget.locator(".mg-note")
        expect(note).to_contain_text("The stop button (■) has ended this run after step")
        began, step = step, int(lab.kernel("print(s.index)"))
        assert began < step < 1201
        expect(note).to_contain_text(f"after step {step}")
        expect(widget).to_have_attribute("data-step", str(step))
        expect(widget.locator(".mg-press-play")).to_contain_text("Play")
        assert lab.kernel("print(s.index, len(s.frames), s.problem)") == f"{step} {step + 1} {{}}"
        widget.locator(".mg-press-next").click()
        step += 1
        expect(widget).to_have_attribute("data-step", str(step))
    lab.kernel("nap = 0")
    widget.locator(".mg-press-last").click()
    expect(widget).to_have_attribute("data-step", "1201", timeout=120_000)
    assert lab.kernel("print(s.finished, s.problem, (w.grad, b.grad))") == f"True {{}} {WHOLE}"

"""Whatever is saved of a notebook, by whom and when: an output that showed a stepper shows one again.

JupyterLab saves on its own, and what it knows of widgets depends on what has run and on one of its settings
(`saveState`); none of that may be seen in a notebook that is opened again.

To load JupyterLab takes longer than all else here, and pages are to be seen that know nothing of a notebook. So the
stories of all notebooks are told at once, day by day, and a page is loaded for each day.
"""

import functools
import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from helpers.buttons import in_menu
from nbclient import NotebookClient
from playwright.sync_api import Locator, expect
from viz.cells import stored

import dev

ROOT = Path(__file__).parent.parent.parent
CELLS = [
    "import minigrad as mg\nfrom minigrad import viz\nfrom minigrad.teach import predict\n"
    "A = mg.tensor([3.], requires_grad=True)\nB = mg.tensor([2.], requires_grad=True)",
    "C = A ** 2\nD = B ** 2\nE = C * D\nF = D + E\nviz.BackwardStepper(F)",
    # A rule of the learner's own is never run ahead of time: what is not stepped is not known.
    "class Square(mg.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        ctx.save_for_backward(x)\n        return x * x\n\n    @staticmethod\n    def backward(ctx, g):\n"
    "        (x,) = ctx.saved_tensors\n        return 2 * x * g\n\nown = viz.BackwardStepper(Square.apply(A))\nown",
    "viz.compare((A * B).exp(), (A * B).tanh())",
    "predict.w_grad()",
]
DOCUMENTS = "@jupyterlab/docmanager-extension/plugin"
WIDGETS = "@jupyter-widgets/jupyterlab-manager/plugin"


@functools.cache
def ran(folder: Path, saves_state: bool) -> str:
    """The file of a notebook of CELLS after a kernel has run it; once for all tests, which begin with the same."""
    content = nbformat.read(folder / "cells.ipynb", as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(content, timeout=60, store_widget_state=saves_state).execute()
    return nbformat.writes(content)


@dataclass
class Kept:
    """A notebook that a kernel has run, which nobody has stepped, in a JupyterLab with this setting."""

    lab: Any
    name: str
    saves_state: bool = False

    def __post_init__(self) -> None:
        self.path: Path = self.lab.server.folder / self.name
        self.lab.server.write("cells.ipynb", CELLS)
        self.path.write_text(ran(self.lab.server.folder, self.saves_state), encoding="utf-8")
        self.lab.server.trust()

    def write(self, cells: list[str]) -> None:
        """Put other cells into it, which have not run."""
        self.lab.server.write(self.name, cells)
        self.lab.server.trust()

    def open(self) -> None:
        """Open it, with a kernel of its own, and run all of its cells."""
        self.lab.set(WIDGETS, saveState=self.saves_state)
        self.lab.open(self.name)

    def lives_on(self) -> None:
        """Let its kernel live while others are opened."""
        self.lab.living.add(self.name)

    def reopen(self) -> None:
        """Open it in a page that has never had it; if its kernel does not live on, as on the next day."""
        self.lab.set(WIDGETS, saveState=self.saves_state)
        self.lab.open_afresh(self.name)
        self.lab.living.discard(self.name)


def save(lab: Any) -> None:
    lab.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")


SEEN = "# seen"
VERDICT = re.compile("as predicted|not so")


def change_something(lab: Any) -> None:
    lab.page.evaluate(
        """(line) => {
            const cell = window.jupyterapp.shell.currentWidget.content.model.cells.get(0);
            cell.sharedModel.setSource(`${line}\\n${cell.sharedModel.getSource()}`);
        }""",
        SEEN,
    )


def steppers(lab: Any) -> Locator:
    found: Locator = lab.page.locator(".minigrad-stepper")
    return found


def answer(lab: Any) -> None:
    """Answer the question, with its first option."""
    question = lab.page.locator(".minigrad-prediction")
    question.get_by_role("radio").first.check()
    question.get_by_role("button", name="That is my answer").click()
    expect(question).to_contain_text(VERDICT)


def check_is_answered(lab: Any) -> None:
    question = lab.page.locator(".minigrad-prediction")
    expect(question).to_contain_text(VERDICT, timeout=30_000)
    expect(question.get_by_role("radio").first).to_be_checked()
    expect(question.get_by_role("radio").last).to_be_disabled()


def check_all_is_there(lab: Any) -> None:
    """Both steppers, the comparison and the question; the recorded pass can be walked, the question answered."""
    expect(steppers(lab)).to_have_count(3, timeout=30_000)
    steppers(lab).first.locator(".mg-press-last").click()
    expect(steppers(lab).first).to_have_attribute("data-step", "6")
    grads = steppers(lab).first.locator(".mg-grad").all_text_contents()
    assert {"24", "40", "10"} <= set(grads)
    answer(lab)
    expect(lab.page.get_by_text("Error displaying widget")).to_have_count(0)
    expect(lab.page.locator(".jupyter-widgets-disconnected")).to_have_count(0)  # JupyterLab's broken link
    # What is shown is not replaced, in the middle of a click, by the model that `saveState` has stored.
    models = lab.page.evaluate(
        """() => [...document.querySelectorAll('[data-pass]')].map((place) => JSON.parse(place.dataset.pass))
            .map(({ key }) => [key, globalThis.minigradModels?.has(key) ?? false])"""
    )
    assert len(models) >= 3
    assert [key for key, is_announced in models if is_announced] == []


def stored_ran(path: Path, cell: int) -> int:
    """How many frames have run of the stepper in a cell's output, as the notebook's file holds it."""
    (output,) = nbformat.read(path, as_version=4).cells[cell].outputs
    return len(stored(output.data["text/html"])["ran"])


# ---------------------------------------------------------------- stories of several days

Story = Callable[[Kept], Iterator[None]]
STORIES: dict[str, tuple[Story, int, bool]] = {}  # title -> how it goes, its number of days, its `saveState`


def story(days: int, saves_state: tuple[bool, ...] = (False,)) -> Callable[[Story], Story]:
    """Register a story, which yields at the end of each day but the last, and then opens its notebook again."""

    def register(tell: Story) -> Story:
        for saves in saves_state:
            title = tell.__name__.replace("_", " ") + ", saveState" * saves
            STORIES[title] = tell, days, saves
        return tell

    return register


class Telling:
    """A story that is being told."""

    def __init__(self, lab: Any, title: str) -> None:
        tell, self.days, saves_state = STORIES[title]
        self.notebook = Kept(lab, f"{title}.ipynb", saves_state)
        self.going_on = tell(self.notebook)
        self.day = 0

    def tell(self, day: int) -> None:
        """Go on to the end of a day; through all before it that have not been told."""
        while self.day < day:
            self.day += 1
            assert self.going_on.gi_frame is not None, "it ended before, as the test of that day says"
            is_over = next(self.going_on, "over") == "over"
            assert is_over == (self.day == self.days)


@pytest.fixture(scope="module")
def tellings(kept_lab: Any) -> Iterator[Callable[[str], Telling]]:
    """The stories by their titles, each as far as it has been told."""
    yield functools.cache(functools.partial(Telling, kept_lab))
    kept_lab.living.clear()
    kept_lab.set(WIDGETS, saveState=False)


@story(days=3, saves_state=(False, True))
def what_was_opened_and_saved_but_not_run_is_there_twice(notebook: Kept) -> Iterator[None]:
    lab = notebook.lab
    for _ in range(2):
        notebook.reopen()
        expect(steppers(lab)).to_have_count(3, timeout=30_000)
        expect(lab.page.locator(".minigrad-alone").first).to_contain_text("This has not run since")
        change_something(lab)
        save(lab)
        yield
    notebook.reopen()
    check_all_is_there(lab)
    assert notebook.path.read_text(encoding="utf-8").count("# seen") == 2  # it was saved


@story(days=2, saves_state=(False, True))
def what_was_left_to_autosave_is_there(notebook: Kept) -> Iterator[None]:
    lab = notebook.lab
    lab.set(DOCUMENTS, autosave=True, autosaveInterval=1)
    try:
        notebook.reopen()
        expect(steppers(lab)).to_have_count(3, timeout=30_000)
        for _ in range(5):  # JupyterLab takes for saved, too, what changes while it saves; then with the next change
            change_something(lab)
            is_saved = "() => !window.jupyterapp.shell.currentWidget.context.model.dirty"
            lab.page.wait_for_function(is_saved, timeout=30_000)
            if SEEN in notebook.path.read_text(encoding="utf-8"):
                break
        assert SEEN in notebook.path.read_text(encoding="utf-8")
    finally:
        lab.set(DOCUMENTS, autosave=False)
    yield
    notebook.reopen()
    check_all_is_there(lab)


@story(days=3, saves_state=(False, True))
def what_was_run_to_the_half_is_there_twice(notebook: Kept) -> Iterator[None]:
    lab = notebook.lab
    for _ in range(2):
        notebook.reopen()
        expect(steppers(lab)).to_have_count(3, timeout=30_000)
        lab.page.evaluate(
            """async () => {
                const { commands, shell } = window.jupyterapp;
                shell.currentWidget.content.activeCellIndex = 0;
                for (const _ of [0, 1]) await commands.execute('notebook:run-cell-and-select-next');
            }"""
        )
        lab.kernel("")
        lab.wait_until_living(cells=2)
        expect(steppers(lab)).to_have_count(3)
        live = steppers(lab).first
        expect(lab.page.locator(".minigrad-alone:visible")).to_have_count(2)  # the cells behind have not run
        live.locator(".mg-press-next").click()
        expect(live).to_have_attribute("data-step", "1")
        save(lab)
        yield
    notebook.reopen()
    check_all_is_there(lab)


@story(days=2)
def steps_that_only_a_run_can_know_are_kept_as_they_come(notebook: Kept) -> Iterator[None]:
    lab = notebook.lab
    notebook.open()
    expect(steppers(lab)).to_have_count(3)
    own = steppers(lab).nth(1)
    own.locator(".mg-press-last").click()
    expect(own).to_have_attribute("data-step", "2")
    assert lab.kernel("print(own.index, A.grad)") == "2 tensor([6.])"
    expect(own).to_have_attribute("data-step", "2")  # also after the kernel has written to the output
    lab.page.wait_for_function(
        """() => [...document.querySelectorAll('.minigrad-recorded')].some(
            (place) => JSON.parse(place.dataset.pass).ran.length === 3)"""
    )
    answer(lab)
    save(lab)
    yield
    notebook.reopen()
    check_is_answered(lab)
    expect(own).to_have_attribute("data-step", "2", timeout=30_000)  # where it stood
    own.locator(".mg-press-back").click()
    expect(own).to_have_attribute("data-step", "1")
    expect(lab.page.locator(".minigrad-still:visible")).to_have_count(0)


@story(days=2)
def a_page_that_is_loaded_again_finds_the_kernel_that_lives(notebook: Kept) -> Iterator[None]:
    lab = notebook.lab
    notebook.open()
    expect(steppers(lab)).to_have_count(3)
    own = steppers(lab).nth(1)
    own.locator(".mg-press-next").click()
    expect(own).to_have_attribute("data-step", "1")
    save(lab)
    answer(lab)  # which is not saved
    notebook.lives_on()
    yield
    notebook.reopen()
    check_is_answered(lab)
    lab.wait_until_living()
    expect(steppers(lab)).to_have_count(3)
    expect(own).to_have_attribute("data-step", "1", timeout=30_000)
    expect(lab.page.locator(".minigrad-alone:visible")).to_have_count(0)
    own.locator(".mg-press-last").click()
    expect(own).to_have_attribute("data-step", "2")
    assert lab.kernel("print(own.index, A.grad)") == "2 tensor([6.])"


@story(days=3)
def steps_after_the_page_was_loaded_again_are_saved(notebook: Kept) -> Iterator[None]:
    lab = notebook.lab
    notebook.open()
    save(lab)
    assert stored_ran(notebook.path, 2) == 1
    notebook.lives_on()
    yield
    notebook.reopen()
    lab.wait_until_living()
    expect(steppers(lab)).to_have_count(3)
    own = steppers(lab).nth(1)
    expect(lab.page.locator(".minigrad-alone:visible")).to_have_count(0, timeout=30_000)
    own.locator(".mg-press-last").click()
    expect(own).to_have_attribute("data-step", "2")
    own.evaluate("(element) => (element.isTheSame = true)")
    own.focus()
    is_unsaved = lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.model.dirty")
    save(lab)
    assert is_unsaved  # so that leaving the page is asked about, and autosave saves it
    assert stored_ran(notebook.path, 2) == 3
    assert own.evaluate("(element) => element.isTheSame && element.contains(document.activeElement)")
    yield
    notebook.reopen()
    expect(own).to_have_attribute("data-step", "2", timeout=30_000)


@story(days=2)
def steppers_beside_each_other_are_there_too(notebook: Kept) -> Iterator[None]:
    lab = notebook.lab
    box = "import ipywidgets\nipywidgets.HBox([viz.BackwardStepper(F), viz.BackwardStepper(D.exp())])"
    notebook.write([*CELLS[:2], box])
    notebook.open()
    save(lab)
    yield
    notebook.reopen()
    expect(steppers(lab)).to_have_count(3, timeout=30_000)
    lab.page.wait_for_function(
        """() => {
            const all = [...document.querySelectorAll('.minigrad-stepper')];
            const [, left, right] = all.map((stepper) => stepper.getBoundingClientRect());
            return left.y === right.y && Math.min(left.width, right.width) > 300;
        }"""
    )
    for k in (1, 2):
        steppers(lab).nth(k).locator(".mg-press-last").click()
        expect(steppers(lab).nth(k).locator(".mg-press-next")).to_have_attribute("aria-disabled", "true")


IN_CONTAINERS = [
    CELLS[0] + "\nimport ipywidgets\ndef stepper():\n    return viz.BackwardStepper((A * B).exp())",
    "out = ipywidgets.Output()\nout",
    "with out:\n    display(stepper())",
    "later = ipywidgets.VBox([ipywidgets.Button()])\nlater",
    "later.children = [*later.children, stepper()]",
    "ipywidgets.HBox([ipywidgets.IntSlider(), stepper()])",
    "ipywidgets.Tab([ipywidgets.Label('x'), stepper()], titles=['one', 'two'], selected_index=1)",
    "ipywidgets.Accordion([stepper()], selected_index=0)",
    "ipywidgets.interact(lambda n: viz.BackwardStepper((A * n).exp()), n=(1, 5))\nNone",
    "appended = ipywidgets.Output()\nappended.append_display_data(stepper())\nappended",
]


@story(days=3)
def steppers_in_any_container_are_there_too(notebook: Kept) -> Iterator[None]:
    lab = notebook.lab
    notebook.write(IN_CONTAINERS)
    notebook.open()
    expect(steppers(lab)).to_have_count(7, timeout=30_000)
    own = lab.page.locator(".jp-OutputArea").locator(".noUi-handle, .lm-TabBar-tab, .widget-button")
    expect(own).to_have_count(5)  # also while the kernel lives they are the widgets that they are
    save(lab)
    notebook.lives_on()
    yield
    notebook.reopen()
    lab.wait_until_living()
    expect(own).to_have_count(5, timeout=30_000)
    expect(lab.page.locator(".minigrad-alone:visible")).to_have_count(0)
    expect(steppers(lab)).to_have_count(7)
    steppers(lab).nth(2).locator(".mg-press-last").click()
    expect(steppers(lab).nth(2)).to_have_attribute("data-step", "4")
    save(lab)
    yield
    notebook.reopen()
    expect(lab.page.locator(".minigrad-alone:visible")).to_have_count(7, timeout=30_000)
    expect(steppers(lab)).to_have_count(7)
    expect(steppers(lab).nth(2)).to_have_attribute("data-step", "4")
    expect(own).to_have_count(0)
    lab.page.get_by_text("two", exact=True).wait_for()
    expect(lab.page.locator(".minigrad-how:visible")).to_have_count(0)


DAYS = [(day, title) for day in (1, 2, 3) for title, (_, days, _) in STORIES.items() if day <= days]


@pytest.mark.parametrize(("day", "title"), DAYS, ids=[f"day {day}: {title}" for day, title in DAYS])
def test_a_story_goes_on(lab: Any, tellings: Any, day: int, title: str) -> None:
    tellings(title).tell(day)


# ---------------------------------------------------------------- what takes one day


@pytest.fixture
def notebook(lab: Any, request: Any) -> Kept:
    return Kept(lab, f"{request.node.name}.ipynb")


def test_a_notebook_that_is_not_trusted_shows_pictures(lab: Any, notebook: Kept) -> None:
    content = nbformat.read(notebook.path, as_version=4)
    content.cells[0].source += "  # from somebody else"
    content.cells[1].outputs[0].data["text/plain"] = "changed since it was signed"
    nbformat.write(content, notebook.path)
    notebook.reopen()
    stills = lab.page.locator(".jp-OutputArea-output img")
    expect(stills).to_have_count(3, timeout=30_000)
    expect(lab.page.locator(".minigrad-how:visible")).to_have_count(3)
    for still in stills.all():
        assert still.evaluate("async (image) => { await image.decode(); return image.naturalWidth > 20; }")
    expect(steppers(lab)).to_have_count(0)
    assert "data-script" not in json.dumps(lab.page.locator(".jp-OutputArea-output").all_text_contents())


def test_a_stepper_that_is_closed_leaves_its_picture(lab: Any, notebook: Kept) -> None:
    notebook.open()
    expect(steppers(lab)).to_have_count(3, timeout=30_000)
    lab.kernel("own.close()")
    expect(steppers(lab)).to_have_count(2)
    expect(lab.page.locator(".minigrad-still:visible")).to_have_count(1)
    expect(lab.page.locator(".minigrad-how:visible")).to_have_count(0)


def test_what_is_written_to_an_output_disturbs_nobody_who_uses_it(lab: Any, notebook: Kept) -> None:
    """The output is replaced; the stepper in it stays the same, with the focus and what is open in it."""
    notebook.open()
    expect(steppers(lab)).to_have_count(3)
    first = steppers(lab).first
    first.locator(".mg-press-next").click()
    in_menu(first, ".mg-keys summary").click()
    first.evaluate("(element) => (element.isTheSame = true)")
    first.focus()

    def is_written(step: int) -> None:
        index = "JSON.parse(document.querySelector('.minigrad-recorded').dataset.pass).index"
        lab.page.wait_for_function(f"(step) => {index} === step", arg=step)

    is_written(1)
    assert first.evaluate("(element) => element.isTheSame && element.contains(document.activeElement)")
    expect(first.locator(".mg-keys")).to_have_attribute("open", "")
    lab.page.keyboard.press("ArrowRight")
    expect(first).to_have_attribute("data-step", "2")
    lab.page.keyboard.press("/")
    is_written(2)
    expect(first.locator(".mg-search")).to_be_focused()  # in which nothing is written yet
    lab.page.keyboard.press("Escape")
    lab.page.keyboard.press("ArrowRight")
    expect(first).to_have_attribute("data-step", "3")
    first.locator("[data-box]").first.press("m")
    is_written(3)
    expect(first.locator(".mg-menu-item").first).to_be_focused()
    expect(lab.page.locator(".minigrad-still:visible")).to_have_count(0)


def test_a_chapter_that_is_opened_has_not_changed(lab: Any) -> None:
    startup = Path(lab.server.environment["IPYTHONDIR"]) / "profile_default" / "startup" / "language.py"
    startup.parent.mkdir(parents=True, exist_ok=True)
    startup.write_text(dev.LANGUAGE, encoding="utf-8")
    shutil.copy(ROOT / "notebooks" / "02_the_graph.ipynb", lab.server.folder)
    lab.server.trust()
    try:
        lab.show("02_the_graph.ipynb")
        expect(steppers(lab).first).to_be_visible(timeout=30_000)
        language = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.info"
        names = lab.page.evaluate(f"async () => Object.keys((await {language}).language_info)")
        assert "mimetype" in names  # the kernel has said it
        lab.page.wait_for_timeout(1000)  # what should not come, such as a change by a script, would come by now
        assert not lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.model.dirty")
    finally:
        startup.unlink()


def test_steps_are_saved_however_soon(lab: Any, notebook: Kept) -> None:
    notebook.open()
    expect(steppers(lab)).to_have_count(3)
    own = steppers(lab).nth(1)
    own.locator(".mg-press-last").click()
    expect(own).to_have_attribute("data-step", "2")
    save(lab)
    assert stored_ran(notebook.path, 2) == 3


def test_a_container_that_is_closed_leaves_its_stepper(lab: Any, notebook: Kept) -> None:
    notebook.write([IN_CONTAINERS[0], "box = ipywidgets.HBox([ipywidgets.IntSlider(), stepper()])\nbox", "box"])
    notebook.open()
    sliders = lab.page.locator(".noUi-handle")
    expect(sliders).to_have_count(2, timeout=30_000)
    expect(steppers(lab)).to_have_count(2)
    lab.kernel("box.close()")
    expect(sliders).to_have_count(0)
    expect(lab.page.locator(".minigrad-still:visible")).to_have_count(2)


def test_a_container_that_is_used_is_written_to_without_disturbing_that(lab: Any, notebook: Kept) -> None:
    code = "asked = ipywidgets.interact(lambda n: viz.BackwardStepper((A * n).exp()), n=(1, 5)).widget"
    notebook.write([IN_CONTAINERS[0], code])
    notebook.open()
    expect(steppers(lab)).to_have_count(1, timeout=30_000)
    slider = lab.page.locator(".noUi-handle")
    slider.focus()
    for _ in range(2):
        lab.page.keyboard.press("ArrowRight")
        key = lab.kernel("print(asked.result.key)")
        lab.page.wait_for_function(
            "(key) => document.querySelector('.minigrad-stored .minigrad-recorded').dataset.pass.includes(key)",
            arg=key,
        )
    assert lab.kernel("print(asked.children[0].value)") == "5"
    expect(slider).to_be_focused()
    expect(steppers(lab)).to_have_count(1)

"""Whatever is saved of a notebook, by whom and when: an output that showed a stepper shows one again.

JupyterLab saves on its own, and what it knows of widgets depends on what has run and on one of its settings
(`saveState`); none of that may be seen in a notebook that is opened again.
"""

import functools
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
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


BOTH = pytest.mark.parametrize("notebook", [False, True], indirect=True, ids=["", "saveState"])


@functools.cache
def ran(path: Path, saves_state: bool) -> str:
    """The file of a notebook after a kernel has run it; once for all tests, which begin with the same."""
    content = nbformat.read(path, as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(content, timeout=60, store_widget_state=saves_state).execute()
    return nbformat.writes(content)


@pytest.fixture
def notebook(lab: Any, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A notebook that a kernel has run, which nobody has stepped, in a JupyterLab with this setting."""
    saves_state = getattr(request, "param", False)
    lab.server.set(WIDGETS, saveState=saves_state)
    lab.server.write("kept.ipynb", CELLS)
    path: Path = lab.server.folder / "kept.ipynb"
    path.write_text(ran(path, saves_state), encoding="utf-8")
    lab.server.trust()
    yield path
    lab.server.set(WIDGETS, saveState=False)
    lab.server.set(DOCUMENTS, autosave=False)


def reopen(lab: Any, path: Path) -> None:
    """Open the notebook as on the next day: no kernel is left of the day before."""
    lab.server.end_kernels()
    lab.load(path.name)


def save(lab: Any) -> None:
    lab.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")


def change_something(lab: Any) -> None:
    lab.page.evaluate(
        """() => {
            const cell = window.jupyterapp.shell.currentWidget.content.model.cells.get(0);
            cell.sharedModel.setSource(`# seen\\n${cell.sharedModel.getSource()}`);
        }"""
    )


def steppers(lab: Any) -> Locator:
    found: Locator = lab.page.locator(".minigrad-stepper")
    return found


def check_all_is_there(lab: Any) -> None:
    """Both steppers, the comparison and the question; the recorded pass can be walked, the question answered."""
    expect(steppers(lab)).to_have_count(3, timeout=30_000)
    steppers(lab).first.locator(".mg-press-last").click()
    expect(steppers(lab).first).to_have_attribute("data-step", "6")
    grads = steppers(lab).first.locator(".mg-grad").all_text_contents()
    assert {"24", "40", "10"} <= set(grads)
    question = lab.page.locator(".minigrad-prediction")
    question.get_by_role("radio").first.check()
    question.get_by_role("button", name="That is my answer").click()
    expect(question).to_contain_text(re.compile("as predicted|not so"))
    expect(lab.page.get_by_text("Error displaying widget")).to_have_count(0)
    expect(lab.page.locator(".jupyter-widgets-disconnected")).to_have_count(0)  # JupyterLab's broken link
    # What is shown is not replaced, in the middle of a click, by the model that `saveState` has stored.
    assert lab.page.evaluate("() => globalThis.minigradModels?.size ?? 0") == 0


@BOTH
def test_what_was_opened_and_saved_but_not_run_is_there_twice(lab: Any, notebook: Path) -> None:
    for _ in range(2):
        reopen(lab, notebook)
        expect(steppers(lab)).to_have_count(3, timeout=30_000)
        expect(lab.page.locator(".minigrad-alone").first).to_contain_text("The kernel that ran this is gone")
        change_something(lab)
        save(lab)
    reopen(lab, notebook)
    check_all_is_there(lab)
    assert notebook.read_text(encoding="utf-8").count("# seen") == 2  # it was saved


@BOTH
def test_what_was_left_to_autosave_is_there(lab: Any, notebook: Path) -> None:
    lab.server.set(DOCUMENTS, autosave=True, autosaveInterval=1)
    reopen(lab, notebook)
    expect(steppers(lab)).to_have_count(3, timeout=30_000)
    before = notebook.stat().st_mtime_ns
    change_something(lab)
    lab.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty", timeout=30_000)
    assert notebook.stat().st_mtime_ns > before
    reopen(lab, notebook)
    check_all_is_there(lab)


@BOTH
def test_what_was_run_to_the_half_is_there_twice(lab: Any, notebook: Path) -> None:
    for _ in range(2):
        reopen(lab, notebook)
        expect(steppers(lab)).to_have_count(3, timeout=30_000)
        lab.page.evaluate(
            """async () => {
                const { commands, shell } = window.jupyterapp;
                shell.currentWidget.content.activeCellIndex = 0;
                for (const _ of [0, 1]) await commands.execute('notebook:run-cell-and-select-next');
            }"""
        )
        lab.kernel("")
        live = steppers(lab).first
        expect(lab.page.locator(".minigrad-alone:visible")).to_have_count(2)  # the cells behind have not run
        live.locator(".mg-press-next").click()
        expect(live).to_have_attribute("data-step", "1")
        save(lab)
    reopen(lab, notebook)
    check_all_is_there(lab)


def test_steps_that_only_a_run_can_know_are_kept_as_they_come(lab: Any, notebook: Path) -> None:
    lab.open(notebook.name)
    own = steppers(lab).nth(1)
    own.locator(".mg-press-last").click()
    expect(own).to_have_attribute("data-step", "2")
    assert lab.kernel("print(own.index, A.grad)") == "2 tensor([6.])"
    expect(own).to_have_attribute("data-step", "2")  # also after the kernel has written to the output
    lab.page.wait_for_function(
        """() => [...document.querySelectorAll('.minigrad-recorded')].some(
            (place) => JSON.parse(place.dataset.pass).ran.length === 3)"""
    )
    save(lab)
    reopen(lab, notebook)
    expect(own).to_have_attribute("data-step", "2", timeout=30_000)  # where it stood
    own.locator(".mg-press-back").click()
    expect(own).to_have_attribute("data-step", "1")
    expect(lab.page.locator(".minigrad-still:visible")).to_have_count(0)


def test_a_page_that_is_loaded_again_finds_the_kernel_that_lives(lab: Any, notebook: Path) -> None:
    lab.open(notebook.name)
    own = steppers(lab).nth(1)
    own.locator(".mg-press-next").click()
    expect(own).to_have_attribute("data-step", "1")
    save(lab)
    lab.load(notebook.name)
    expect(own).to_have_attribute("data-step", "1", timeout=30_000)
    expect(lab.page.locator(".minigrad-alone:visible")).to_have_count(0)
    own.locator(".mg-press-last").click()
    expect(own).to_have_attribute("data-step", "2")
    assert lab.kernel("print(own.index, A.grad)") == "2 tensor([6.])"


def test_a_notebook_that_is_not_trusted_shows_pictures(lab: Any, notebook: Path) -> None:
    content = nbformat.read(notebook, as_version=4)
    content.cells[0].source += "  # from somebody else"
    content.cells[1].outputs[0].data["text/plain"] = "changed since it was signed"
    nbformat.write(content, notebook)
    reopen(lab, notebook)
    stills = lab.page.locator(".jp-OutputArea-output img")
    expect(stills).to_have_count(3, timeout=30_000)
    expect(lab.page.locator(".minigrad-how:visible")).to_have_count(3)
    for still in stills.all():
        assert still.evaluate("async (image) => { await image.decode(); return image.naturalWidth > 20; }")
    expect(steppers(lab)).to_have_count(0)
    assert "data-script" not in json.dumps(lab.page.locator(".jp-OutputArea-output").all_text_contents())


def test_a_stepper_that_is_closed_leaves_its_picture(lab: Any, notebook: Path) -> None:
    lab.open(notebook.name)
    expect(steppers(lab)).to_have_count(3, timeout=30_000)
    lab.kernel("own.close()")
    expect(steppers(lab)).to_have_count(2)
    expect(lab.page.locator(".minigrad-still:visible")).to_have_count(1)
    expect(lab.page.locator(".minigrad-how:visible")).to_have_count(0)


def test_steppers_beside_each_other_are_there_too(lab: Any, notebook: Path) -> None:
    box = "import ipywidgets\nipywidgets.HBox([viz.BackwardStepper(F), viz.BackwardStepper(D.exp())])"
    lab.server.write(notebook.name, [*CELLS[:2], box])
    lab.server.trust()
    lab.open(notebook.name)
    save(lab)
    reopen(lab, notebook)
    expect(steppers(lab)).to_have_count(3, timeout=30_000)
    left, right = (steppers(lab).nth(k).bounding_box() for k in (1, 2))
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]
    assert min(left["width"], right["width"]) > 300
    for k in (1, 2):
        steppers(lab).nth(k).locator(".mg-press-last").click()
        expect(steppers(lab).nth(k).locator(".mg-press-next")).to_have_attribute("aria-disabled", "true")


def test_what_is_written_to_an_output_disturbs_nobody_who_uses_it(lab: Any, notebook: Path) -> None:
    """The output is replaced; the stepper in it stays the same, with the focus and what is open in it."""
    lab.open(notebook.name)
    first = steppers(lab).first
    first.locator(".mg-press-next").click()
    first.locator(".mg-keys summary").click()
    first.evaluate("(element) => (element.isTheSame = true)")
    first.focus()
    lab.page.wait_for_function(
        "() => JSON.parse(document.querySelector('.minigrad-recorded').dataset.pass).index === 1", timeout=30_000
    )
    assert first.evaluate("(element) => element.isTheSame && element.contains(document.activeElement)")
    expect(first.locator(".mg-keys")).to_have_attribute("open", "")
    lab.page.keyboard.press("ArrowRight")
    expect(first).to_have_attribute("data-step", "2")
    assert lab.page.locator(".minigrad-still:visible").count() == 0


def test_a_chapter_that_is_opened_has_not_changed(lab: Any) -> None:
    startup = Path(lab.server.environment["IPYTHONDIR"]) / "profile_default" / "startup" / "language.py"
    startup.parent.mkdir(parents=True, exist_ok=True)
    startup.write_text(dev.LANGUAGE, encoding="utf-8")
    shutil.copy(ROOT / "notebooks" / "02_the_graph.ipynb", lab.server.folder)
    lab.server.trust()
    try:
        lab.server.end_kernels()
        lab.load("02_the_graph.ipynb")
        expect(steppers(lab).first).to_be_visible(timeout=30_000)
        language = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.info"
        names = lab.page.evaluate(f"async () => Object.keys((await {language}).language_info)")
        assert "mimetype" in names  # the kernel has said it
        lab.page.wait_for_timeout(1000)
        assert not lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.model.dirty")
    finally:
        startup.unlink()


def stored_ran(path: Path, cell: int) -> int:
    """How many frames have run of the stepper in a cell's output, as the notebook's file holds it."""
    (output,) = nbformat.read(path, as_version=4).cells[cell].outputs
    return len(stored(output.data["text/html"])["ran"])


def test_steps_are_saved_however_soon(lab: Any, notebook: Path) -> None:
    lab.open(notebook.name)
    own = steppers(lab).nth(1)
    own.locator(".mg-press-last").click()
    expect(own).to_have_attribute("data-step", "2")
    save(lab)
    assert stored_ran(notebook, 2) == 3


def test_steps_after_the_page_was_loaded_again_are_saved(lab: Any, notebook: Path) -> None:
    lab.open(notebook.name)
    save(lab)
    assert stored_ran(notebook, 2) == 1
    lab.load(notebook.name)
    own = steppers(lab).nth(1)
    expect(lab.page.locator(".minigrad-alone:visible")).to_have_count(0, timeout=30_000)
    own.locator(".mg-press-last").click()
    expect(own).to_have_attribute("data-step", "2")
    own.evaluate("(element) => (element.isTheSame = true)")
    own.focus()
    is_unsaved = lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.model.dirty")
    save(lab)
    assert is_unsaved  # so that leaving the page is asked about, and autosave saves it
    assert stored_ran(notebook, 2) == 3
    assert own.evaluate("(element) => element.isTheSame && element.contains(document.activeElement)")
    reopen(lab, notebook)
    expect(own).to_have_attribute("data-step", "2", timeout=30_000)


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


def test_steppers_in_any_container_are_there_too(lab: Any, notebook: Path) -> None:
    lab.server.write(notebook.name, IN_CONTAINERS)
    lab.server.trust()
    lab.open(notebook.name)
    expect(steppers(lab)).to_have_count(7, timeout=30_000)
    own = lab.page.locator(".jp-OutputArea").locator(".noUi-handle, .lm-TabBar-tab, .widget-button")
    expect(own).to_have_count(5)  # also while the kernel lives they are the widgets that they are
    save(lab)
    lab.load(notebook.name)
    expect(own).to_have_count(5, timeout=30_000)
    expect(steppers(lab)).to_have_count(7)
    expect(lab.page.locator(".minigrad-alone:visible")).to_have_count(0)
    steppers(lab).nth(2).locator(".mg-press-last").click()
    expect(steppers(lab).nth(2)).to_have_attribute("data-step", "4")
    save(lab)
    reopen(lab, notebook)
    expect(lab.page.locator(".minigrad-alone:visible")).to_have_count(7, timeout=30_000)
    expect(steppers(lab)).to_have_count(7)
    expect(steppers(lab).nth(2)).to_have_attribute("data-step", "4")
    expect(own).to_have_count(0)
    lab.page.get_by_text("two", exact=True).wait_for()
    expect(lab.page.locator(".minigrad-how:visible")).to_have_count(0)


def test_a_container_that_is_closed_leaves_its_stepper(lab: Any, notebook: Path) -> None:
    lab.server.write(
        notebook.name, [IN_CONTAINERS[0], "box = ipywidgets.HBox([ipywidgets.IntSlider(), stepper()])\nbox", "box"]
    )
    lab.server.trust()
    lab.open(notebook.name)
    sliders = lab.page.locator(".noUi-handle")
    expect(sliders).to_have_count(2, timeout=30_000)
    expect(steppers(lab)).to_have_count(2)
    lab.kernel("box.close()")
    expect(sliders).to_have_count(0)
    expect(lab.page.locator(".minigrad-still:visible")).to_have_count(2)


def test_a_container_that_is_used_is_written_to_without_disturbing_that(lab: Any, notebook: Path) -> None:
    code = "asked = ipywidgets.interact(lambda n: viz.BackwardStepper((A * n).exp()), n=(1, 5)).widget"
    lab.server.write(notebook.name, [IN_CONTAINERS[0], code])
    lab.server.trust()
    lab.open(notebook.name)
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

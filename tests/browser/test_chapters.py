"""Each chapter as a learner gets it: opened in JupyterLab without its solutions, run, and worked in.

Everything that the chapter shows is looked at, in the place where the reader scrolls to it. Then one exercise is
answered wrongly and rightly, after all that the cells have left in the kernel. In the chapters of TYPED that is done as
a learner does it, in the stub's own cell, and a prediction is answered with its buttons: stubs, cards and questions are
of the same make in all chapters, and to type takes as long as all that is seen. A new chapter needs one row in ANSWERS.

A chapter that builds on answers runs with the solutions: what it shows is the learner's own engine then, and all checks
pass. With the stubs nbval runs it.
"""

import functools
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest
from helpers.buttons import press
from helpers.shorter import SHORTER, shorten
from helpers.solved import builds_on_answers, solutions, solve
from playwright.sync_api import Locator, expect

import minigrad
from minigrad.teach import PREDICTIONS, check
from minigrad.teach.card import Card

ROOT = Path(__file__).parent.parent.parent
CHAPTERS = sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
# Of the kinds of cards: with and without a picture of the graph.
TYPED = ("00_start_here", "08_jacobians_and_hessians")
WIDGET = "application/vnd.jupyter.widget-view+json"
SOON = 30_000  # milliseconds for what takes a tenth of a second, on a machine that has much else to do


class Wrong(NamedTuple):
    """An answer as a learner types it, and the diagnosis that it must be met with."""

    exercise: str
    answer: str
    words: str


ANSWERS = {
    "00_start_here": Wrong(
        "slope_of_w",
        "def slope_of_w(w, x, b, target):\n    error = w * x + b - target\n    return 2 * error",
        "The last step is missing",
    ),
    "01_tensors_and_leaves": Wrong(
        "middle_gradient",
        "def middle_gradient(w, x, target):\n    hidden = w * x\n    loss = (hidden.tanh().sum() - target) ** 2\n"
        "    loss.backward()\n    return w.grad",
        "This is the gradient of w.",
    ),
    "02_the_graph": Wrong(
        "node_names",
        "def node_names(root):\n    names = []\n    node = root.grad_fn\n    while node is not None:\n"
        "        names.append(node.name())\n        node = node.next_functions[0][0] if node.next_functions else None\n"
        "    return names",
        "Only the first input was followed",
    ),
    "03_backward_step_by_step": Wrong(
        "by_hand",
        "def by_hand(e):\n    (node_c, _), (node_d, _) = e.grad_fn.next_functions\n"
        "    to_c, to_d = e.grad_fn(mg.tensor(1.0))\n    to_a, to_b = node_c(to_c)\n"
        "    _, more_to_a = node_d(to_d)\n    return to_a + more_to_a, to_b",
        "before d has sent",
    ),
    "04_grad_and_hooks": Wrong(
        "turned_around",
        "def turned_around(h, strength):\n    h.register_hook(lambda g: g * -strength)\n    return h",
        "The hook hangs on h itself",
    ),
    "05_in_place_data_detach": Wrong(
        "train_bounded",
        "def train_bounded(loss_of, w1, w2, rate):\n    loss = loss_of(w1, w2)\n    w2.data.clamp_(-1, 1)\n"
        "    loss.backward()\n    with mg.no_grad():\n        w1 -= rate * w1.grad\n        w2 -= rate * w2.grad\n"
        "    w1.grad = w2.grad = None\n    return loss.item()",
        "Clamp after the walk",
    ),
    "06_custom_functions": Wrong(
        "tanh_backward",
        "def tanh_backward(ctx, grad_output):\n    (y,) = ctx.saved_tensors\n    return 1 - y * y",
        "the chain rule is cut here",
    ),
    "07_checking_gradients": Wrong(
        "disagreeing",
        "def disagreeing(backward, differences, atol, rtol):\n"
        "    far = (backward - differences).abs() > atol + rtol * differences.abs()\n    return far.sum().item()",
        "nan got through",
    ),
    "08_jacobians_and_hessians": Wrong(
        "hessian_times",
        "def hessian_times(f, x, v):\n    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)\n"
        "    return mg.autograd.grad(slope.sum(), x)[0] * v",
        "v came too late",
    ),
    "10_anomaly_mode": Wrong(
        "safe_sqrt",
        "def safe_sqrt(x):\n    return mg.where(x <= 0, mg.zeros_like(x), x.sqrt())",
        "The root was taken of all elements",
    ),
    "09_grad_modes_and_eval": Wrong(
        "evaluate",
        "def evaluate(model, inputs):\n    model.eval()\n    with mg.no_grad():\n        answer = model(inputs)\n"
        "    model.train()\n    return answer",
        "note the flag of each module",
    ),
    "11_profiler": Wrong(
        "limit_backward",
        "def limit_backward(ctx, grad_output):\n    (x,) = ctx.saved_tensors\n    return mg.stack([\n"
        "        g * (row.abs() < 1) for g, row in zip(grad_output, x)\n    ])",
        "it still goes through x part by part",
    ),
    "12_train_a_network": Wrong(
        "overfit_batch",
        "def overfit_batch(model, optimizer, images, labels, limit, most):\n    losses = []\n"
        "    for _ in range(most):\n        loss = mg.nn.functional.cross_entropy(model(images), labels)\n"
        "        losses.append(loss.item())\n        if losses[-1] < limit:\n            break\n"
        "        loss.backward()\n        optimizer.step()\n    return losses",
        "The gradients of the steps before were added to",
    ),
    "13_bug_museum": Wrong(
        "train_step",
        "def train_step(model, optimizer, images, labels):\n    model.train()\n    optimizer.zero_grad()\n"
        "    chances = model(images.T).softmax(0)\n"
        "    loss = -chances[mg.arange(len(labels)), labels.long()].log().mean()\n"
        "    loss.backward()\n    optimizer.step()\n    return loss.item()",
        "The softmax runs over the images of the batch",
    ),
    "14_build_your_own_engine": Wrong(
        "softmax_rule",
        "def softmax_rule(g, y, x):\n    return (g * y,)",
        "The part for the others is missing",
    ),
    "15_layers_of_your_own": Wrong(
        "batch_norm_rule",
        "def batch_norm_rule(g, y, x, eps=1e-5):\n    axes = (0, *range(2, x.ndim))\n"
        "    return (g / np.sqrt(x.var(axis=axes, keepdims=True) + eps),)",
        "Mean and width were taken for constants",
    ),
    "16_a_sequence_model": Wrong(
        "masked_weights",
        "def masked_weights(scores, allowed):\n    return scores.masked_fill(~allowed, -mg.inf).softmax(-1)",
        "A row in which nothing is allowed is nan",
    ),
}


@pytest.fixture(scope="module", autouse=True)
def course(server: Any) -> None:
    """What `python dev.py student` writes, beside what else the server shows, with short trainings; and with solutions
    where cells use them.
    """
    command = [sys.executable, str(ROOT / "tools" / "student.py"), str(server.folder / "course")]
    subprocess.run(command, env=server.environment, check=True, capture_output=True)
    for name in SHORTER.keys() | SOLVED:
        path = server.folder / "course" / f"{name}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        shorten(notebook, name)
        if name in SOLVED:
            solve(notebook, solutions(chapter_as_written(name)))
        nbformat.write(notebook, path)


@functools.cache
def chapter_as_written(name: str) -> Any:
    return nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)


SOLVED = {name for name in CHAPTERS if builds_on_answers(chapter_as_written(name))}


class Chapter:
    """A chapter that is open in JupyterLab and has run, and its cells."""

    def __init__(self, lab: Any, name: str) -> None:
        self.lab, self.page = lab, lab.page
        self.cells = nbformat.read(lab.server.folder / "course" / f"{name}.ipynb", as_version=4).cells
        self.is_solved = name in SOLVED
        lab.open(f"course/{name}.ipynb")

    def place(self, beginning: str) -> int:
        """The number of the one cell that begins like this."""
        (place,) = [number for number, cell in enumerate(self.cells) if cell.source.startswith(beginning)]
        return place

    def cell(self, place: int) -> Locator:
        """The cell on the page. JupyterLab draws what is near the view: scroll there, as a reader does."""
        self.page.evaluate(
            "(place) => window.jupyterapp.shell.currentWidget.content.scrollToItem(place, 'center')", place
        )
        # "light": nothing here is in a shadow tree, and to look for one takes longer than all else.
        cell = self.page.locator(f'css:light=.jp-Notebook [data-windowed-list-index="{place}"]')
        expect(cell).to_be_visible(timeout=SOON)
        return cell

    def outputs(self, place: int) -> Locator:
        return self.cell(place).locator(".jp-OutputArea-child")

    def run(self, place: int) -> Locator:
        """Run a cell, as with its own keys; the answer is where its outputs will be."""
        self.cell(place).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        self.lab.kernel("")  # what is expected too early is expected again, with a look at the whole page each time
        return self.outputs(place)

    def write(self, place: int, text: str) -> None:
        """Replace what stands in a cell, and run it."""
        self.cell(place).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)
        expect(self.cell(place).locator(".cm-line")).to_have_text(text.split("\n"), timeout=SOON)
        self.page.keyboard.press("Control+Enter")

    def ran(self) -> list[tuple[int, list[Any]]]:
        """Of each cell with code, which run of the kernel was its own, and what it put out, in which forms."""
        text = self.page.evaluate(
            """() => JSON.stringify([...window.jupyterapp.shell.currentWidget.content.model.cells]
                .filter((cell) => cell.type === 'code')
                .map((cell) => [cell.executionCount, cell.outputs.toJSON().map(({ output_type, data }) =>
                    ({ output_type, data: Object.fromEntries(Object.keys(data ?? {}).map((form) => [form, 1])) }))]))"""
        )
        return [(count, outputs) for count, outputs in json.loads(text)]

    def said(self, place: int) -> str:
        """The text of all that a cell put out."""
        text: str = self.page.evaluate(
            """(place) => window.jupyterapp.shell.currentWidget.content.model.cells.get(place).outputs.toJSON()
                .map(({ data }) => data?.["text/plain"] ?? "").join("\\n")""",
            place,
        )
        return text


# Scroll to one cell after the other, as a reader does, and wait for what each shows, in the richest of its forms. Of
# each cell: what its outputs are, and which of them are not to be seen in time.
LOOK = """async ([cells, patience]) => {
  const { content } = window.jupyterapp.shell.currentWidget;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const isSeen = (element) => {
    const { width, height } = element?.getBoundingClientRect() ?? {};
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
  };
  const isInView = (cell) => {
    const view = content.node.querySelector('.jp-WindowedPanel-outer').getBoundingClientRect();
    const { top, bottom } = cell.getBoundingClientRect();
    return isSeen(cell) && top >= view.top && bottom <= view.bottom;
  };
  const isThere = async (output, kind) => {
    const find = (selector) => output.querySelector(selector);
    if (kind === 'stepper') return isSeen(find('.minigrad-stepper .mg-box')) && !isSeen(find('.minigrad-still'));
    if (kind === 'prediction') return isSeen(find('[type=radio]'));
    if (kind === 'picture') {
      const image = find('img.minigrad-plot, :is(.minigrad-drawing, .minigrad-dot, .jp-RenderedImage) img');
      return isSeen(image) && (await image.decode(), image.naturalWidth > 20);
    }
    return isSeen(output) && /\\S/.test(output.textContent);
  };
  const kindOf = (output, forms) => {
    if (output.querySelector('.minigrad-recorded')) return 'stepper';
    if (output.querySelector('.minigrad-prediction')) return 'prediction';
    const isDrawn = forms.includes('image/svg+xml') || forms.includes('image/png');
    if (isDrawn && !output.querySelector('.minigrad-figure')) return 'picture';
    return forms.includes('text/html') ? 'card' : 'text';
  };
  const seen = [];
  for (const [place, outputs] of cells) {
    const find = () => document.querySelector(`.jp-Notebook [data-windowed-list-index="${place}"]`);
    if (!find() || !isInView(find())) await content.scrollToItem(place, 'center');
    const end = performance.now() + patience;
    let missing = null;
    do {
      if (missing !== null) await frame();
      const areas = [...(find()?.querySelectorAll('.jp-OutputArea-child') ?? [])];
      const kinds = areas.map((area, k) => kindOf(area, outputs[k] ?? []));
      const isEach = await Promise.all(areas.map((area, k) => isThere(area, kinds[k])));
      missing = areas.filter((_, k) => !isEach[k]).map((area) => area.outerHTML.slice(0, 300));
      if (!isSeen(find()) || areas.length !== outputs.length) missing.push(`${areas.length} outputs`);
      seen[place] = [kinds, missing];
    } while (missing.length && performance.now() < end);
  }
  return cells.map(([place]) => seen[place]);
}"""


def is_drawn(picture: Locator) -> bool:
    """Whether the browser could read an image, and found something in it."""
    return bool(picture.evaluate("async (image) => { await image.decode(); return image.naturalWidth > 20; }"))


def kinds(outputs: list[Any]) -> list[tuple[str, list[str]]]:
    return [(output["output_type"], sorted(output.get("data", {}))) for output in outputs]


def see_all(chapter: Chapter) -> None:
    """Every cell has run once, in order and without an error, and all that it shows is to be seen."""
    code = [(place, cell) for place, cell in enumerate(chapter.cells) if cell.cell_type == "code"]
    ran = chapter.ran()
    assert [count for count, _ in ran] == list(range(1, len(code) + 1))
    forms = []
    for (_, cell), (_, outputs) in zip(code, ran, strict=True):
        if chapter.is_solved and cell.source.startswith("check."):  # beneath its card may be the answer at work
            assert kinds(outputs)[0][1] == kinds(cell.outputs)[0][1], cell.source
        else:
            assert kinds(outputs) == kinds(cell.outputs), cell.source
        assert "error" not in [kind for kind, _ in kinds(outputs)], cell.source
        forms.append([sorted(output.get("data", {})) for output in outputs])
        assert WIDGET not in itertools.chain(*forms[-1])  # which is lost when the notebook is saved
    found = chapter.page.evaluate(LOOK, [list(zip((place for place, _ in code), forms, strict=True)), SOON])
    for (_, cell), (_, missing) in zip(code, found, strict=True):
        assert missing == [], cell.source
    seen = [kind for kinds_of_cell, _ in found for kind in kinds_of_cell]
    written = "\n".join(cell.source for _, cell in code)
    assert seen.count("stepper") == len(
        re.findall(r"viz\.BackwardStepper\(|^(?:viz|museum)\.compare\(", written, re.MULTILINE)
    )
    assert seen.count("prediction") == len(re.findall(r"^predict\.\w+\(\)", written, re.MULTILINE))
    assert seen.count("picture") >= len(re.findall(r"^(?:viz\.(?:draw|make_dot)|plt\.show)\(", written, re.MULTILINE))
    assert seen.count("card") >= len(re.findall(r"^(?:check\.\w+|hint|progress)\(", written, re.MULTILINE))


def see_what_has_passed(chapter: Chapter, answers: dict[str, str]) -> None:
    """The checks have let all answers pass, and the progress at the end lists them."""
    (listed,) = [place for place, cell in enumerate(chapter.cells) if cell.source.endswith("progress()")]
    for name in answers:
        assert chapter.said(chapter.place(f"check.{name}(")).startswith(f"✓ {name}: passed"), name
        assert re.search(rf"✓ {name} .*passed", chapter.said(listed)), name


# What the text of a chapter says of the leaves of its first steppers.
IN_THE_TEXT = {
    "00_start_here": [{"w": "12", "b": "4"}],
    "03_backward_step_by_step": [{"a": "36", "b": "45"}],
    "05_in_place_data_detach": [{"w1": "6"}, {}, {"w1": "6"}],
    "10_anomaly_mode": [{}, {"x": "[0.25, 0, 0]"}],
    "14_build_your_own_engine": [{"x": "48", "w": "28"}],
}
# Of each leaf of a stepper, what the kernel holds: its name, what a picture says of its `.grad`, and of its value.
HELD = """
import json
from ipywidgets.widgets.widget import _instances
from minigrad.viz.graph.values import NONE, describe
(_stepper,) = [one for one in _instances.values() if getattr(one, "key", "") == {key!r}]
_graph = _stepper.session.graph
_source = _graph.source  # which knows the engine's tensors
_leaves = [(box, _source.leaf(_graph.node_of[box.id])) for box in _graph.boxes if box.kind == "leaf"]
_of = lambda tensor: NONE if tensor is None else describe(_source.array(tensor))
_read = lambda tensor: "⚠ " + _of(tensor).alarm if _of(tensor).alarm else _of(tensor).text
print(json.dumps([[box.id, box.name, _read(_source.grad(leaf)), _read(leaf)] for box, leaf in _leaves]))
"""


def walk_the_steppers(lab: Any, chapter: Chapter, name: str) -> None:
    """All cells have run, and only now each stepper is walked to its end: what it draws is what the kernel holds, and
    what the text says.
    """
    places = [place for place, cell in enumerate(chapter.cells) if "viz.BackwardStepper(" in cell.source]
    told = iter(IN_THE_TEXT.get(name, []))
    prose = "\n".join(cell.source for cell in chapter.cells if cell.cell_type == "markdown")
    for place in places:
        stepper = chapter.outputs(place).locator(".minigrad-stepper")
        key = _key_of(chapter, place)
        forward = "forward=True" in chapter.cells[place].source  # then the lines before the walk are steps below 0
        expect(stepper).to_have_attribute("data-step", re.compile(r"^-\d+$" if forward else "^0$"), timeout=SOON)
        expect(stepper.locator(".mg-event-title", has_text="changed from outside")).to_have_count(0)
        stepper.locator(".mg-press-last").click()
        expect(stepper.locator(".mg-press-next")).to_have_attribute("aria-disabled", "true", timeout=SOON)
        if stepper.locator("[data-group]").count():
            press(stepper, "open-all")
        held = json.loads(lab.kernel(HELD.format(key=key)))
        shown = stepper.locator("[data-box]").evaluate_all(
            """(boxes) => Object.fromEntries(boxes.map((box) => [box.getAttribute('data-box'),
                ['.mg-grad', '.mg-value'].map((part) => box.querySelector(part)?.textContent ?? '')]))"""
        )
        for key, leaf, *texts in held:
            for drawn, text in zip(shown[key], texts, strict=True):
                numbers = re.sub(r"^\[[^]]*\] ", "", drawn.removesuffix("…"))  # of what is cut, the shape stands first
                is_cut = drawn.endswith("…") and re.sub(r"[\[\]]", "", text).startswith(numbers)
                is_it = drawn.split(" = ")[-1] == text or is_cut
                assert is_it, f"cell {place}, {leaf}: drawn {drawn}, held {text}"
        for leaf, number in next(told, {}).items():
            assert [text for _, known, text, _ in held if known == leaf] == [number]
            assert re.search(rf"(?<!\w){re.escape(number)}(?!\w)", prose)


def _key_of(chapter: Chapter, place: int) -> str:
    """The key of the widget that a cell shows."""
    held = chapter.outputs(place).locator(".minigrad-recorded").get_attribute("data-pass")
    return str(json.loads(held or "{}")["key"])


def expected_card(wrong: Wrong) -> Card:
    """What the check says to the wrong answer, here and not in the browser."""
    namespace: dict[str, Any] = {"mg": minigrad}
    exec(wrong.answer, namespace)
    card: Card = getattr(check, wrong.exercise)(namespace[wrong.exercise])
    assert wrong.words in dict(card.rows)["likely"]
    return card


def try_answers(lab: Any, name: str) -> None:
    """What the chapter's own kernel says to the wrong answer and to the right one."""
    wrong = ANSWERS[name]
    judge = f"\nprint(check.{wrong.exercise}({wrong.exercise}))"
    told = " ".join(lab.kernel(wrong.answer + judge).split())
    assert told.startswith(f"✗ {wrong.exercise}: not yet")
    assert wrong.words in told
    told = lab.kernel(solutions(chapter_as_written(name))[wrong.exercise] + judge)
    assert told.startswith(f"✓ {wrong.exercise}: passed"), told


def answer_exercise(chapter: Chapter, name: str) -> None:
    """First wrongly: the card shows all that it has to say. Then rightly."""
    wrong, expected = ANSWERS[name], expected_card(ANSWERS[name])
    stub, tried = chapter.place(f"def {wrong.exercise}("), chapter.place(f"check.{wrong.exercise}(")
    chapter.write(stub, wrong.answer)
    card = chapter.run(tried)
    expect(card).to_contain_text(f"✗ {wrong.exercise}: not yet", timeout=SOON)
    for label, text in expected.rows:
        for part in (label, *text.splitlines()):
            expect(card).to_contain_text(part.strip())
    breaks = card.locator("pre").evaluate_all("(all) => all.map((code) => getComputedStyle(code).wordBreak)")
    assert set(breaks) == {"normal"}  # else a line of evidence may end inside a number
    expect(card.get_by_role("img")).to_have_count(int(expected.picture != ""))
    if expected.picture:
        assert is_drawn(card.get_by_role("img"))
    chapter.write(stub, solutions(chapter_as_written(name))[wrong.exercise])
    expect(chapter.run(tried)).to_contain_text(f"✓ {wrong.exercise}: passed", timeout=SOON)


def answer_prediction(chapter: Chapter, name: str) -> None:
    """With the buttons, wrongly; the question asked again, rightly."""
    asked = next(prediction for prediction in PREDICTIONS.values() if prediction.chapter == name)
    place = chapter.place(f"predict.{asked.name}(")
    for right, verdict in ((False, "✗ not so"), (True, "✓ as predicted")):
        number, option = next((k, option) for k, option in enumerate(asked.options) if option.right == right)
        question = chapter.outputs(place)
        button = question.get_by_role("button", name="That is my answer")
        expect(button).to_be_disabled(timeout=SOON)
        question.locator("input[type=radio]").nth(number).check()
        button.click(timeout=SOON)
        expect(question).to_contain_text(verdict, timeout=SOON)
        expect(question).to_contain_text(option.why)
        expect(button).to_be_disabled(timeout=SOON)
        if not right:
            expect(chapter.run(place)).not_to_contain_text(verdict, timeout=SOON)


def test_chapters_build_on_answers() -> None:
    assert {"14_build_your_own_engine", "15_layers_of_your_own"} <= SOLVED


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_learner_works_in_it(lab: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))  # of this process; the course has its own
    assert name in ANSWERS, "a chapter needs a row in ANSWERS: a wrong answer to one of its exercises"
    chapter = Chapter(lab, name)
    see_all(chapter)
    if chapter.is_solved:
        see_what_has_passed(chapter, solutions(chapter_as_written(name)))
    walk_the_steppers(lab, chapter, name)
    if name in TYPED:
        answer_exercise(chapter, name)
        answer_prediction(chapter, name)
        last = max(number for number, cell in enumerate(chapter.cells) if cell.cell_type == "code")
        done = chapter.run(last)
        expect(done).to_contain_text(re.compile(f"✓ {ANSWERS[name].exercise} .*passed"), timeout=SOON)
    else:
        try_answers(lab, name)

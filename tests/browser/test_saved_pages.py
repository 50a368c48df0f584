"""Steppers without their kernel, in a real browser: exported pages as files, and saved notebooks opened again."""

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from helpers.buttons import press
from nbclient import NotebookClient
from playwright.sync_api import Browser, Locator, Page, expect

import minigrad as mg
from minigrad import viz
from minigrad.viz.page import standalone
from minigrad.viz.page.notebook import PageExporter

ROOT = Path(__file__).parent.parent.parent
WIDE = {"viewport": {"width": 1200, "height": 900}}
CELLS = [
    "import minigrad as mg\nfrom minigrad import viz\n"
    "A = mg.tensor([3.], requires_grad=True)\nB = mg.tensor([2.], requires_grad=True)",
    "C = A ** 2\nD = B ** 2\nE = C * D\nF = D + E\nviz.BackwardStepper(F)",
    "viz.BackwardStepper((A * 3).sum())",
    "A * 2",
]


def example() -> tuple[Any, Any]:
    a = mg.tensor([3.0], requires_grad=True)
    b = mg.tensor([2.0], requires_grad=True)
    c = a**2
    d = b**2
    e = c * d
    return d, d + e


@pytest.fixture
def page(pages: Any, request: pytest.FixtureRequest) -> Page:
    """A page without a network, which may have options: @pytest.mark.parametrize("page", [{...}], indirect=True)."""
    emptied: Page = pages.emptied(**{"offline": True, **WIDE, **getattr(request, "param", {})})
    return emptied


def save(folder: Path, name: str = "D") -> str:
    d, f = example()
    stepper = viz.BackwardStepper(f, names={name: d, "F": f})
    stepper.save_html(folder / "step.html")
    return (folder / "step.html").as_uri()


def grads(page: Page) -> dict[str, str]:
    boxes = page.locator(".minigrad-stepper").first.locator(".mg-box")
    names = boxes.locator(".mg-name").all_text_contents()
    return dict(zip(names, boxes.locator(".mg-grad").all_text_contents(), strict=True))


def test_of_two_thousand_boxes_only_those_that_are_seen_are_elements(page: Page, tmp_path: Path) -> None:
    w, h = mg.randn(2, 2, requires_grad=True), mg.zeros(2)
    for x in mg.randn(500, 2):
        h = mg.tanh(w @ h + x)
    stepper = viz.BackwardStepper(h.sum())
    for _ in range(6):
        stepper.next()
    about = stepper.picture["boxes"]
    assert len(about) > 2_000
    (tmp_path / "long.html").write_text(standalone.stepper_page(stepper), encoding="utf-8")
    page.goto((tmp_path / "long.html").as_uri())
    shown = page.locator(".mg-graph [data-box]:not([display=none])")
    expect(page.locator(".mg-counter")).to_contain_text("6")
    assert page.locator(".mg-graph [data-box]").count() == shown.count() <= 40
    around = next(group for group in stepper.picture["groups"] if stepper.frame.box in group["boxes"])
    page.locator(".minigrad-stepper").focus()
    page.keyboard.press("/")
    page.keyboard.type(about[stepper.frame.box]["name"])
    page.keyboard.press("Enter")
    ran = page.locator(f".mg-graph [data-box={stepper.frame.box}]")
    expect(ran).to_have_class(re.compile("mg-ran"))
    expect(page.locator(f".mg-group[data-group={around['id']}]")).to_have_attribute("aria-expanded", "true")
    told = page.locator(".mg-graph [data-box]").evaluate_all(
        "(boxes) => boxes.map((box) => [box.dataset.box, box.querySelector('.mg-grad')?.textContent ?? null])"
    )
    assert len(told) < 200
    states = stepper.frame.states
    assert {key: text for key, text in told if text is not None} == {
        key: states[key].grad_text or states[key].grad.text for key, text in told if text is not None
    }
    assert any(states[key].grad.known for key, _ in told)


def test_a_saved_pass_steps_by_click_and_by_key(page: Page, tmp_path: Path) -> None:
    page.goto(save(tmp_path))
    stepper = page.locator(".minigrad-stepper")
    expect(stepper).to_have_attribute("data-step", "0")
    assert set(grads(page).values()) == {"None"}
    for step in range(1, 7):
        stepper.locator(".mg-press-next").click()
        expect(stepper).to_have_attribute("data-step", str(step))
    assert {"10", "40", "24"} <= set(grads(page).values())
    expect(stepper.locator(".mg-press-next")).to_have_attribute("aria-disabled", "true")
    stepper.focus()
    page.keyboard.press("Home")
    expect(stepper).to_have_attribute("data-step", "0")
    assert set(grads(page).values()) == {"None"}
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(stepper).to_have_attribute("data-step", "2")
    assert grads(page)["D"] == "1 + 9 = 10"
    expect(page.locator(".minigrad-alone")).to_be_hidden()  # nobody expects a kernel here


@pytest.mark.parametrize("name", ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--<script>"])
def test_a_hostile_name_is_text(page: Page, tmp_path: Path, name: str) -> None:
    page.goto(save(tmp_path, name))
    stepper = page.locator(".minigrad-stepper")
    stepper.locator(".mg-press-next").click()
    stepper.locator(".mg-press-next").click()
    expect(stepper.locator(".mg-happened")).to_contain_text(name)


def test_the_steps_in_words_are_folded_away_and_unfold_on_paper(page: Page, tmp_path: Path) -> None:
    page.goto(save(tmp_path))
    words = page.locator(".minigrad-words pre")
    expect(words).to_be_hidden()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(words).to_be_visible()
    expect(words).to_contain_text("step 6 of 6")
    expect(page.locator(".mg-bar")).to_be_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(words).to_be_hidden()


@pytest.mark.parametrize(
    ("address", "steps"),
    [
        *(("#step=3", [3, 0]), ("#step=,2", [0, 2]), ("#step=1,2", [1, 2]), ("#D", [3, 0]), ("#F", [1, 0])),
        *(("#step=99", [0, 0]), ("#step=", [0, 0]), ("#step=1e0", [0, 0]), ("#step=--2", [0, 0])),
        *(("#%E0%A4%A", [0, 0]), ("#F,D", [0, 0])),
        *(("#toString", [0, 0]), ("#<img src=x onerror=alert(1)>", [0, 0]), ("#here", [0, 0])),
    ],
)
def test_the_address_names_the_step(page: Page, tmp_path: Path, address: str, steps: list[int]) -> None:
    two_passes(tmp_path)
    page.goto((tmp_path / "two.html").as_uri() + address)
    expect(page.locator(".minigrad-stepper")).to_have_count(2)
    for stepper, step in zip(page.locator(".minigrad-stepper").all(), steps, strict=True):
        expect(stepper).to_have_attribute("data-step", str(step))


def two_passes(folder: Path) -> None:
    """A page with the pass twice."""
    save(folder)
    text = (folder / "step.html").read_text(encoding="utf-8")
    start, end = text.index('<div class="minigrad-recorded"'), text.index('<details class="minigrad-words"')
    (folder / "two.html").write_text(text[:end] + text[start:end] + '<p id="here">D</p>' + text[end:], encoding="utf-8")


def test_a_step_is_written_into_the_address_and_survives(page: Page, tmp_path: Path) -> None:
    two_passes(tmp_path)
    page.goto((tmp_path / "two.html").as_uri())
    expect(page.locator(".minigrad-stepper")).to_have_count(2)
    first, second = page.locator(".minigrad-stepper").all()
    expect(second).to_have_attribute("data-step", "0")
    entries = page.evaluate("history.length")
    assert page.evaluate("location.hash") == ""
    second.locator(".mg-press-next").click()
    expect(page).to_have_url(re.compile("#step=,1$"))
    first.locator(".mg-press-last").click()
    expect(page).to_have_url(re.compile("#step=6,1$"))
    page.reload()
    expect(page.locator(".minigrad-stepper").first).to_have_attribute("data-step", "6")
    expect(page.locator(".minigrad-stepper").last).to_have_attribute("data-step", "1")
    press(page.locator(".minigrad-stepper").last, "first")
    expect(page).to_have_url(re.compile("#step=6$"))
    page.evaluate("location.hash = 'F'")  # as a link would
    expect(page.locator(".minigrad-stepper").first).to_have_attribute("data-step", "1")
    assert page.evaluate("history.length") == entries + 1


HELD = """
const { text } = Response.prototype;
let unpacked = 0;
Response.prototype.text = async function () {
  if (++unpacked === 4) await new Promise((done) => (window.letGo = done));
  return text.call(this);
};
"""


def test_a_step_before_all_passes_are_shown_is_written_into_the_address_too(browser: Browser, tmp_path: Path) -> None:
    two_passes(tmp_path)
    page = browser.new_page()
    page.add_init_script(HELD)  # as on a slow machine
    page.goto((tmp_path / "two.html").as_uri() + "#step=,2")
    stepper = page.locator(".minigrad-stepper")
    stepper.locator(".mg-press-next").click()
    expect(stepper).to_have_attribute("data-step", "1")
    page.evaluate("window.letGo()")
    expect(stepper).to_have_count(2)
    expect(page).to_have_url(re.compile("#step=1$"))
    stepper.last.locator(".mg-press-next").click()
    expect(page).to_have_url(re.compile("#step=1,1$"))
    page.close()


SEEN = """(at) => {
  for (const animation of document.getAnimations()) {
    animation.pause();
    animation.currentTime = at;
  }
  const isSeen = (element) => getComputedStyle(element).visibility === "visible";
  return [...document.querySelectorAll("text")].filter(isSeen).map((element) => element.textContent);
}"""


@pytest.mark.parametrize(
    ("page", "moves"),
    [({"reduced_motion": "no-preference"}, True), ({"reduced_motion": "reduce"}, False)],
    indirect=["page"],
)
def test_a_saved_film_plays_its_steps_again_and_again(page: Page, moves: bool, tmp_path: Path) -> None:
    d, f = example()
    stepper = viz.BackwardStepper(f, names={"D": d, "F": f})
    stepper.save_svg(tmp_path / "step.svg", seconds=2)
    page.goto((tmp_path / "step.svg").as_uri())
    for second in range(1, 32, 2):  # seven frames, the last for four seconds, and again
        frame = min(second % 16 // 2, 6) if moves else 0
        texts = page.evaluate(SEEN, second * 1000)
        assert texts[-1].startswith(f"Step {frame} of 6.")
        assert ("1 + 9 = 10" in texts) == (frame == 2)
    assert page.evaluate("getComputedStyle(document.querySelector('.mg-back')).fill") == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.querySelector('.mg-back')).fill") == "rgb(20, 24, 29)"


@pytest.mark.parametrize("page", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_the_words_stand(page: Page, tmp_path: Path) -> None:
    page.goto(save(tmp_path))
    expect(page.locator(".minigrad-words pre")).to_contain_text("1 + 9 = 10")
    expect(page.locator(".page-note")).to_contain_text("complete in words")


@pytest.mark.parametrize("page", [{"viewport": {"width": 360, "height": 700}}], indirect=True)
def test_a_wide_table_of_numbers_scrolls_and_stays_in_its_card(page: Page, tmp_path: Path) -> None:
    w = mg.ones(2, 10, requires_grad=True)
    viz.BackwardStepper((w * 0.05).sum(), names={"w": w}).save_html(tmp_path / "step.html")
    page.goto((tmp_path / "step.html").as_uri())
    page.locator(".mg-box", has=page.locator(".mg-name", has_text=re.compile("^w$"))).click()
    card = page.locator(".mg-value-card", has=page.locator(".mg-cells")).first
    expect(card).to_be_visible()
    table, numbers = card.locator(".mg-cells"), card.locator(".mg-table")

    def right_edge(part: Locator) -> float:
        edge: float = part.evaluate("element => element.getBoundingClientRect().right")
        return edge

    assert right_edge(numbers) > right_edge(card), "the table is wider than its card"
    assert right_edge(table) <= right_edge(card)
    table.evaluate("element => { element.scrollLeft = element.scrollWidth; }")
    assert right_edge(numbers) <= right_edge(card), "its end can be reached"


def test_a_narrow_page_is_not_wider_than_it_is(page: Page, tmp_path: Path) -> None:
    page.goto(save(tmp_path))
    expect(page.locator(".minigrad-stepper")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize(
    ("page", "dark"), [({"color_scheme": "light"}, False), ({"color_scheme": "dark"}, True)], indirect=["page"]
)
def test_a_page_is_as_light_as_the_readers_system(page: Page, dark: bool, tmp_path: Path) -> None:
    page.goto(save(tmp_path))
    for name in ("html", ".minigrad-stepper"):
        colour = page.locator(name).first.evaluate("(shown) => getComputedStyle(shown).backgroundColor")
        assert (sum(json.loads(f"[{colour[4:-1]}]")) < 150) == dark, (name, colour)


def test_the_policy_stops_what_would_get_out(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page()
    page.goto(save(tmp_path))
    stopped = page.evaluate(
        """async () => {
            const stopped = [];
            document.addEventListener("securitypolicyviolation", (event) => stopped.push(event.effectiveDirective));
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            const picture = document.createElement("img");
            picture.src = "file:///etc/picture.png";
            document.body.append(picture);
            for (let waits = 0; waits === 0 || (stopped.length < 2 && waits < 100); waits += 1)
                await new Promise((resolve) => setTimeout(resolve, 300));
            return { stopped: stopped.sort(), ran: window.ran === true };
        }"""
    )
    page.close()
    assert stopped == {"stopped": ["img-src", "script-src-elem"], "ran": False}


# ---------------------------------------------------------------- notebooks


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook that a kernel has run, and that nobody has stepped."""
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    cells = [nbformat.v4.new_code_cell(text, id=f"cell{k}") for k, text in enumerate(CELLS)]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(notebook, timeout=60).execute()
    file = tmp_path_factory.mktemp("executed") / "book.ipynb"
    nbformat.write(notebook, file)
    return file


def test_every_stepper_of_a_notebooks_page_steps(page: Page, executed: Path, tmp_path: Path) -> None:
    text, _ = PageExporter().from_filename(str(executed))
    (tmp_path / "book.html").write_text(text, encoding="utf-8")
    page.goto((tmp_path / "book.html").as_uri())
    steppers = page.locator(".minigrad-stepper")
    expect(steppers).to_have_count(2)
    expect(page.locator(".minigrad-still")).to_have_count(0)
    for k, steps in enumerate((6, 3)):
        steppers.nth(k).locator(".mg-press-last").click()
        expect(steppers.nth(k)).to_have_attribute("data-step", str(steps))
    steppers.nth(0).locator(".mg-press-back").click()
    expect(steppers.nth(0)).to_have_attribute("data-step", "5")
    expect(steppers.nth(1)).to_have_attribute("data-step", "3")
    expect(page.locator(".minigrad-tensor")).to_contain_text("MulBackward0 made by A * 2")


def test_a_kernel_that_restarts_is_told_and_the_steps_go_on(lab: Any) -> None:
    lab.server.write("restart.ipynb", CELLS)
    lab.server.trust()
    lab.open("restart.ipynb")
    stepper = lab.page.locator(".minigrad-stepper").first
    stepper.locator(".mg-press-next").click()
    expect(stepper).to_have_attribute("data-step", "1")
    assert lab.kernel("print(_.index if hasattr(_, 'index') else 'tensor', A.grad)") == "tensor None"
    alone = lab.page.locator(".minigrad-alone").first
    expect(alone).to_be_hidden()
    lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    expect(alone).to_contain_text("The kernel that ran this is gone", timeout=30_000)
    expect(stepper).to_have_attribute("data-step", "1")
    for step in range(2, 7):
        stepper.locator(".mg-press-next").click()
        expect(stepper).to_have_attribute("data-step", str(step))
    assert {"10", "40", "24"} <= set(grads(lab.page).values())
    stepper.focus()
    for step in (5, 4):
        lab.page.keyboard.press("ArrowLeft")
        expect(stepper).to_have_attribute("data-step", str(step))
    lab.page.keyboard.press("Home")
    expect(stepper).to_have_attribute("data-step", "0")
    expect(stepper.locator(".mg-note")).to_have_count(0)  # nothing waits for a kernel
    # A view that is made only now knows it, too.
    lab.page.evaluate("() => window.jupyterapp.commands.execute('notebook:create-output-view')")
    view = lab.page.locator(".jp-LinkedOutputView")
    expect(view.locator(".minigrad-alone")).to_contain_text("The kernel that ran this is gone", timeout=30_000)
    lab.page.evaluate(
        """() => { const { shell } = window.jupyterapp; const shown = [...shell.widgets("main")];
        shown.find((one) => one.title.label === "Output View").dispose();
        shell.activateById(shown.find((one) => one.context).id); }"""
    )
    # The cell, run again, has a live stepper.
    lab.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    expect(alone).to_be_hidden(timeout=30_000)
    assert lab.kernel("print('here')") == "here"  # after the cells: what is clicked next is what they show
    lab.page.locator(".minigrad-stepper").first.locator(".mg-press-last").click()
    expect(lab.page.locator(".minigrad-stepper").first).to_have_attribute("data-step", "6")
    assert lab.kernel("print(A.grad)") == "tensor([24.])"
    lab.load_anew()  # JupyterLab complains where a notebook is closed of which there was such a view

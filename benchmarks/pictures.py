"""What one sees of a graph when a stepper opens, measured on the screen: python benchmarks/pictures.py

The steppers of picture_programs.py (networks that people write, and all of the course) are opened in Chromium, in a
window of 1400x900, as wide as JupyterLab makes them with its side bar open (960) and closed (1230), as they open and
after "fit". A program runs in a process of its own; its whole pass is walked through on the page that it saved.

    --only NAME ...   some of the programs      --shots FOLDER   a screenshot of each, and sheets of all
    --lab             in a real JupyterLab      --told           what is in the way, by name
    --json FILE       the numbers, to be kept   --beside FOLDER  each picture beside torchviz's of the same program
    --from FILE       their summary             --quick          at 960 px, in one process, without the course's

own: how many of the steps run a node that has a box of its own as the stepper opens. boxes: what is shown; a closed
group is one. folds: groups that have a name which nobody wrote. turns: how often, at most, the flow turns back. used:
how much of the view boxes cover. text: the smallest in the drawing, in pixels of the screen. seen: how many of the
boxes lie wholly in the view. cross: places where lines do; edges from one box that run together are one line. under:
edges that run under a box. titles: those through the title of an open group. mute: boxes, other than groups, that show
no number or shape. word: those with a number and no word beside it. unsaid: those that lack their name, operation or
gradient. texts: pairs that overlap. struck: texts that an edge runs through. spilled: texts wider than their box. cut:
names of which few letters are left. narrow: words beside or below the drawing in lines of a few letters (these five:
the most of the first, the middle and the last step). height: of the widget at these steps, and how far it changes
between any two. step: at how many steps the box that runs, or the closed group around it, is wholly in the view; in: at
how many it lies in a closed group.

The summary has, by number of nodes, how many programs reach what picture after picture is to reach, and the median.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from picture_programs import NOTEBOOKS, programs
from stepper_click import ROOT, chromium_path
from stepper_in_lab import RUN_ALL, jupyterlab

MEASURES = (Path(__file__).parent / "picture_measures.js").read_text(encoding="utf-8")
LAB_WINDOW = {"width": 1400, "height": 900}
WINDOW = {"width": 1400, "height": 779}  # what JupyterLab shows the notebook in
WIDTHS = (960, 1230)
SIZES = {"up to 40": 40, "41 to 80": 80, "above": 10**9}  # nodes
MOST_OPENED = 5  # closed groups that are opened, each by itself
MOST_CLICKS = 260  # a longer pass goes to its end at once
MOST_SHRUNK = 12  # times
PROGRAM_SECONDS = 300
WORDS = ("overlapping", "struck", "spilled", "cut", "squeezed")  # what may be wrong with words
FEW = 8  # of what is told by name
# A saved page has the widget as JupyterLab shows it: alone, at the window's upper edge.
ALONE = """<style>body {{ max-width: none; margin: 0; padding: 0 0 900px; }} main {{ width: {width}px; }}
.page-head, .page-foot, .minigrad-words {{ display: none; }}</style></head>"""
# A task that is queued within a frame's callback runs after that frame has been painted.
NOTE_DRAWN = """new MutationObserver((_, watch) => {
    if (!document.querySelector("svg.mg-graph")) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => (window.drawn = performance.now())));
}).observe(document, { subtree: true, childList: true })"""
WALK = """async (root, count) => {
    const painted = [], heights = [], places = [];
    const running = ".mg-ran, .mg-failed, .mg-bad";
    const isShown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    const found = (kind) => [...root.querySelectorAll(kind)].find((one) => one.matches(running) && isShown(one));
    // Where the box that has just run stands: in the view or not, by itself or in a closed group.
    const place = () => {
        const own = found("[data-box]");
        const element = own ?? found("[data-group]:not(.mg-open)");
        if (!element) return { isOwn: false, isSeen: false };
        const box = element.querySelector(".mg-card, .mg-frame").getBoundingClientRect();
        const view = root.querySelector(".mg-view").getBoundingClientRect();
        const bottom = Math.min(view.bottom, innerHeight);
        const isWithin = box.left >= view.left - 1 && box.right <= view.right + 1;
        return { isOwn: Boolean(own), isSeen: isWithin && box.top >= view.top - 1 && box.bottom <= bottom + 1 };
    };
    const next = root.querySelector(".mg-press-next");
    const isPainted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const hasMoved = (step) => new Promise((resolve) => {
        const watch = new MutationObserver(() => root.getAttribute("data-step") !== step && end());
        const late = setTimeout(() => end(), 10_000);
        const end = () => (watch.disconnect(), clearTimeout(late), resolve());
        watch.observe(root, { attributes: true, attributeFilter: ["data-step"] });
    });
    for (let k = 0; k < count && next.getAttribute("aria-disabled") !== "true"; k += 1) {
        await isPainted();
        const start = performance.now();
        const moved = hasMoved(root.getAttribute("data-step"));
        next.click();
        await moved;
        await isPainted();
        painted.push(performance.now() - start);
        heights.push(root.getBoundingClientRect().height);
        places.push(place());
    }
    return { painted, heights, places };
}"""
PRESS_GROUP = """(root, id) => {
    const parts = [...root.querySelectorAll(`[data-group="${id}"] :is(.mg-frame, .mg-name)`)];
    const isOpen = root.querySelector(`[data-group="${id}"].mg-open`) !== null;
    const part = parts.find((one) => one.matches(isOpen ? ".mg-name" : ".mg-frame"));
    part.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}"""
TO_LAST_CELL = """async () => {
    const { content } = window.jupyterapp.shell.currentWidget;
    content.activeCellIndex = content.widgets.length - 1;
    await content.scrollToItem(content.activeCellIndex, "start");
}"""
Result = dict[str, Any]

# ---------------------------------------------------------------- where a stepper is opened


def command_of(folder: Path, names: Sequence[str], torchviz: bool) -> list[str]:
    script = str(Path(__file__).parent / "picture_programs.py")
    return [sys.executable, script, str(folder), *names, *["--torchviz"] * torchviz]


def run_programs(folder: Path, *names: str, torchviz: bool = False) -> Result:
    """Run programs, in a process of their own, whose pages are kept in a folder; returns that one's "error", if any.
    With `torchviz` the pictures that it draws of them are kept, too.
    """
    command = command_of(folder, names, torchviz)
    run = subprocess.run(command, capture_output=True, text=True, timeout=PROGRAM_SECONDS)
    return {"error": run.stderr.strip().splitlines()[-1]} if run.returncode else {}


def facts_of(folder: Path, name: str) -> Result:
    """What was found out when a program ran."""
    facts: Result = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return facts


class SavedPages:
    """The pages that programs save, each run in a process of its own, shown in a page of the browser."""

    def __init__(self, page: Any, folder: Path, torchviz: bool = False) -> None:
        self.page, self.folder, self.name, self.torchviz = page, folder, "", torchviz
        self.ahead: subprocess.Popen[bytes] | None = None
        page.add_init_script(NOTE_DRAWN)

    def run(self, name: str) -> Result:
        """Run a program and keep its page; returns what was found out on the way, or its "error"."""
        self.name = name
        facts = self.folder / f"{name}.json"
        while self.ahead is not None and self.ahead.poll() is None and not facts.exists():
            time.sleep(0.1)
        return ({} if facts.exists() else run_programs(self.folder, name, torchviz=self.torchviz)) or self.facts(name)

    def run_ahead(self, names: Sequence[str]) -> None:
        """Let several programs run, in one process, while the first of them are looked at."""
        self.ahead = subprocess.Popen(command_of(self.folder, names, self.torchviz))

    def facts(self, name: str) -> Result:
        return facts_of(self.folder, name)

    def open(self, width: int) -> Any:
        """The stepper of the program that is looked at."""
        html = (self.folder / f"{self.name}.html").read_text(encoding="utf-8")
        shown = self.folder / "shown.html"
        shown.write_text(html.replace("</head>", ALONE.format(width=width), 1), encoding="utf-8")
        self.page.goto(shown.as_uri())
        self.page.wait_for_function("window.drawn")
        return self.page.locator(".minigrad-stepper").first

    def dark(self, wanted: bool) -> None:
        self.page.emulate_media(color_scheme="dark" if wanted else "light")


class Lab:
    """Notebooks in a real JupyterLab, whose kernel answers each click."""

    def __init__(self, page: Any, folder: Path, address: str, torchviz: bool = False) -> None:
        self.page, self.folder, self.address, self.torchviz = page, folder, address, torchviz
        self.name = self.error = ""

    def run(self, name: str) -> Result:
        """Write a program's notebook and let it run; returns what was found out, or its "error"."""
        self.name = f"{name}.ipynb"
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(text) for text in programs()[name].cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}},
        )
        for cell in notebook.cells[:-1]:
            cell.metadata.tags = ["raises-exception"]  # some of the course's do so on purpose, and the next one runs
        nbformat.write(notebook, self.folder / self.name)
        self.open(min(WIDTHS))
        if self.error:
            return {"error": self.error}
        return run_programs(self.folder, name, torchviz=self.torchviz) or facts_of(self.folder, name)

    def open(self, width: int) -> Any:
        self.page.goto(self.address.replace("clicks.ipynb", self.name))
        self.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=120_000)
        is_open = self.page.evaluate("() => !window.jupyterapp.shell.leftCollapsed")
        if is_open != (width == min(WIDTHS)):
            self.page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
        self.dark(False)
        self.page.evaluate(RUN_ALL)
        self.page.evaluate(TO_LAST_CELL)
        last = self.page.locator(".jp-Notebook .jp-CodeCell").last
        wrong = last.locator("[data-mime-type='application/vnd.jupyter.error'], [data-mime-type$='stderr']")
        widget = last.locator(".minigrad-stepper:has(svg.mg-graph)")
        widget.or_(wrong).first.wait_for(timeout=120_000)
        self.error = wrong.text_content().strip().splitlines()[-1] if wrong.count() else ""
        if not self.error:
            self.page.evaluate(TO_LAST_CELL)
            widget.evaluate("(root) => root.closest('.jp-OutputArea-child').scrollIntoView({ block: 'start' })")
            self.page.wait_for_timeout(300)
        return widget

    def dark(self, wanted: bool) -> None:
        theme = f"JupyterLab {'Dark' if wanted else 'Light'}"
        self.page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
        self.page.wait_for_function(
            "(light) => document.body.dataset.jpThemeLight === light", arg="false" if wanted else "true"
        )


@contextmanager
def opened(is_lab: bool, torchviz: bool = False) -> Iterator[SavedPages | Lab]:
    """A place in which programs are run and their steppers opened."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"])
        window = LAB_WINDOW if is_lab else WINDOW
        page = chromium.new_context(viewport=window, reduced_motion="reduce", bypass_csp=True).new_page()
        if is_lab:
            for path in (ROOT, ROOT / "benchmarks"):
                os.environ["PYTHONPATH"] = f"{path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
            (folder / "exercises").symlink_to(NOTEBOOKS / "exercises")
            with jupyterlab(folder) as address:
                yield Lab(page, folder, address, torchviz)
        else:
            yield SavedPages(page, folder, torchviz)
        chromium.close()


# ---------------------------------------------------------------- one program


def measured(
    place: SavedPages | Lab, shot: Callable[[str], None] = lambda moment: None, widths: Sequence[int] = WIDTHS
) -> Result:
    """All numbers of the program that a place has run. `shot` is told when there is something to be seen."""
    result: Result = {}
    for width in reversed(widths):
        widget = place.open(width)
        drawn = place.page.evaluate("window.drawn")
        first = widget.evaluate(MEASURES)
        result["parts"] = parts_opened(widget, first)
        shrink(widget)
        result[str(width)] = {"opened": first, "fitted": widget.evaluate(MEASURES), "drawn": drawn}
    widget = place.open(widths[0])
    shot("opened")
    first = widget.evaluate(MEASURES)
    total = int(widget.locator(".mg-slider").get_attribute("max"))
    half = min(total, MOST_CLICKS) // 2
    there = widget.evaluate(WALK, half)
    middle = widget.evaluate(MEASURES)
    shot("middle")
    onward = widget.evaluate(WALK, MOST_CLICKS - half)
    if widget.locator(".mg-press-last").get_attribute("aria-disabled") != "true":
        widget.locator(".mg-press-last").click()
        place.page.wait_for_timeout(500)
    last = widget.evaluate(MEASURES)
    shot("last")
    heights = [first["height"], *there["heights"], *onward["heights"], last["height"]]
    result["clicks"] = there["painted"] + onward["painted"]
    result["heights"] = [first["height"], middle["height"], last["height"]]
    result["height changes by"] = max(heights) - min(heights)
    result["steps"] = {"first": first, "middle": middle, "last": last}
    result["places"] = there["places"] + onward["places"]
    return result


def shrink(widget: Any) -> None:
    """Make the cards so small that all of them are seen."""
    fit, smaller = widget.locator(".mg-press-fit"), widget.locator(".mg-press-out")
    if widget.locator(".mg-whole").is_visible():
        fit.click()  # the picture in words gives way
    for _ in range(MOST_SHRUNK):
        if fit.get_attribute("aria-pressed") == "true":
            return
        smaller.click()


def parts_opened(widget: Any, first: Result) -> list[Result]:
    """What is seen when one closed group is opened, for each of the first groups."""
    parts = []
    for group in first["closed"][:MOST_OPENED]:
        widget.evaluate(PRESS_GROUP, group)
        found = widget.evaluate(MEASURES)
        new = set(found["shown"] + found["closed"]) - set(first["shown"] + first["closed"])
        whole = len(new & set(found["whole"])) / len(new) if new else 1.0
        parts.append({"group": group, "in the way": found["under"] + found["titles"], "whole": whole})
        widget.evaluate(PRESS_GROUP, group)
    return parts


def own_share(result: Result) -> float:
    """How many of the steps run a node that has a box of its own as the stepper opens."""
    shown, runs = result["960"]["opened"]["shown"], result["runs"]
    return sum(box in shown for box in runs) / len(runs) if runs else 1.0


def nameless(result: Result) -> list[str]:
    """The groups seen as the stepper opens, whose names nobody wrote."""
    groups = result["groups"]
    seen = dict.fromkeys(result["960"]["opened"]["groups"])
    return [groups[key][0] if key in groups else key for key in seen if key not in groups or not groups[key][1]]


def share_of_steps(result: Result, what: str) -> float:
    """At how many of the steps that were walked a place "isOwn" or "isSeen"."""
    places = result["places"]
    return sum(place[what] for place in places) / len(places) if places else 1.0


def worst(result: Result, measure: str) -> int:
    """The largest number that a measure has at one of the three steps."""
    return max(step[measure] for step in result["steps"].values())


def row(name: str, result: Result) -> str:
    if "error" in result:
        return f"{name:22} {result['error'][:150]}"
    first = result["960"]["opened"]
    parts = [f"{name:22}{result['nodes']:6}{own_share(result):6.0%}{first['boxes']:6}{len(nameless(result)):6}"]
    parts.append(f"{first['turns']:6}{first['used']:6.0%}")
    for width in WIDTHS:
        if str(width) not in result:
            parts.append(f"{'-':>8}{'-':>6}{'-':>7}{'-':>6}")
            continue
        opened, fitted = result[str(width)]["opened"], result[str(width)]["fitted"]
        parts.append(f"{opened['smallest']:8.1f}{fitted['smallest']:6.1f}{opened['seen']:7.0%}{fitted['seen']:6.0%}")
    parts.append(f"{first['crossings']:8}{first['under']:7}{first['titles']:7}")
    parts.append(f"{first['mute']:6}{first['wordless']:6}{first['unsaid']:7}")
    parts.append("".join(f"{worst(result, measure):8}" for measure in WORDS))
    parts.append("".join(f"{height:6.0f}" for height in result["heights"]) + f"{result['height changes by']:7.0f}")
    parts.append(f"{share_of_steps(result, 'isSeen'):6.0%}{1 - share_of_steps(result, 'isOwn'):6.0%}")
    clicks = result["clicks"] or [0.0]
    parts.append(f"{result['made'] * 1e3:8.0f}{result['960']['drawn'] or 0:7.0f}")
    parts.append(f"{statistics.median(clicks):8.0f}{max(clicks):7.0f}")
    return "".join(parts)


HEAD = (
    f"{'':58}{'at 960 px wide':>27}{'at 1230 px wide':>27}{'':81}{'height at step':>18}{'':19}{'opens, ms':>15}"
    f"{'click, ms':>15}\n"
    f"{'':22}{'nodes':>6}{'own':>6}{'boxes':>6}{'folds':>6}{'turns':>6}{'used':>6}"
    f"{'text':>8}{'fit':>6}{'seen':>7}{'fit':>6}{'text':>8}{'fit':>6}{'seen':>7}{'fit':>6}"
    f"{'cross':>8}{'under':>7}{'titles':>7}{'mute':>6}{'word':>6}{'unsaid':>7}"
    f"{'texts':>8}{'struck':>8}{'spilled':>8}{'cut':>8}{'narrow':>8}{'0':>6}{'mid':>6}{'end':>6}{'+-':>7}{'step':>6}{'in':>6}"
    f"{'made':>8}{'drawn':>7}{'median':>8}{'worst':>7}"
)


# ---------------------------------------------------------------- what is to be reached


class Goal(NamedTuple):
    """What a picture is to reach: a number of each program, and for each size whether that will do (None: any does)."""

    words: str
    number: Callable[[Result], float]
    form: str
    will_do: Callable[[float, int], bool] | None
    told: str


def at_first(*measures: str) -> Callable[[Result], float]:
    """The sum of some measures as the stepper opens."""
    return lambda result: sum(result["960"]["opened"][measure] for measure in measures)


def at_worst(*measures: str) -> Callable[[Result], float]:
    """The sum of the largest numbers that some measures have at one of the three steps."""
    return lambda result: sum(worst(result, measure) for measure in measures)


def is_none(number: float, nodes: int) -> bool:
    return number == 0


GOALS = (
    Goal(
        "steps whose node has a box of its own",
        own_share,
        ".0%",
        lambda share, nodes: share >= (1 if nodes <= 40 else 0.6 if nodes <= 80 else 0),
        "100 %; 60 %; any",
    ),
    Goal("folds with a name nobody wrote", lambda result: len(nameless(result)), ".0f", is_none, "0"),
    Goal("loops with false counts", lambda result: len(result["miscounted"]), ".0f", is_none, "0"),
    Goal("boxes without a number, or a word beside it", at_first("mute", "wordless"), ".0f", is_none, "0"),
    Goal("the same, at the worst step", at_worst("mute", "wordless"), ".0f", is_none, "0"),
    Goal("boxes without name, operation or gradient", at_first("unsaid"), ".0f", is_none, "0"),
    Goal(
        "turns of direction",
        at_first("turns"),
        ".0f",
        lambda turns, nodes: turns == 0 or nodes > 60,
        "0 up to 60 nodes",
    ),
    Goal(
        "flows from top to bottom",
        lambda result: result["960"]["opened"]["direction"] == "down",
        ".0f",
        lambda is_down, nodes: bool(is_down),
        "all",
    ),
    Goal("places where edges cross", at_first("crossings"), ".0f", None, "few"),
    Goal("edges under boxes or titles", at_worst("under", "titles"), ".0f", is_none, "0"),
    Goal(
        "the same after opening any one part",
        lambda result: max((part["in the way"] for part in result["parts"]), default=0),
        ".0f",
        is_none,
        "0",
    ),
    Goal(
        "of what was opened, wholly in the view",
        lambda result: min((part["whole"] for part in result["parts"]), default=1.0),
        ".0%",
        lambda share, nodes: share == 1,
        "100 % where it fits",
    ),
    Goal("texts on each other, wider than their box, cut", at_worst(*WORDS), ".0f", is_none, "0"),
    Goal("smallest text", at_first("smallest"), ".1f", lambda size, nodes: size >= 9.95, "10 px"),
    Goal(
        "height of the widget",
        lambda result: max(result["heights"]),
        ".0f",
        lambda height, nodes: height <= 0.9 * WINDOW["height"],
        "90 % of the window",
    ),
    Goal(
        "change of it between steps", lambda result: result["height changes by"], ".0f", lambda by, nodes: by < 1, "0"
    ),
    Goal(
        "steps at which what runs is wholly in the view",
        lambda result: share_of_steps(result, "isSeen"),
        ".0%",
        lambda share, nodes: share == 1,
        "100 %",
    ),
    Goal("steps that run in a closed box", lambda result: 1 - share_of_steps(result, "isOwn"), ".0%", None, "few"),
    Goal("share of the canvas that boxes use", at_first("used"), ".0%", lambda share, nodes: share > 0.27, "over 27 %"),
)


def size_of(result: Result) -> str:
    return next(words for words, most in SIZES.items() if result["nodes"] <= most)


def summary(results: dict[str, Result]) -> list[str]:
    """For each size how many programs reach what the pictures are to reach, and the median of what they have."""
    fine = [result for result in results.values() if "error" not in result]
    by_size = {size: [result for result in fine if size_of(result) == size] for size in SIZES}
    heads = [f"{size} ({len(some)})" for size, some in by_size.items()]
    told = [f"{len(fine)} of {len(results)} open.", f"{'':48}{''.join(f'{head:>18}' for head in heads)}   to reach"]
    for goal in GOALS:
        cells = ""
        for some in by_size.values():
            numbers = [goal.number(result) for result in some]
            will_do = goal.will_do
            pairs = zip(numbers, some, strict=True)
            reach = "" if will_do is None else f"{sum(will_do(one, result['nodes']) for one, result in pairs)}"
            median = f"({statistics.median(numbers):{goal.form}})" if numbers else ""
            cells += f"{reach:>10}{median:>8}"
        told.append(f"{goal.words:48}{cells}   {goal.told}")
    return told


# ---------------------------------------------------------------- screenshots


def shooter(place: SavedPages | Lab, folder: Path | None, name: str) -> Callable[[str], None]:
    """What takes a picture of the window, light and dark, under a name and a moment."""
    part = {"clip": {"x": 0, "y": 0, "width": WIDTHS[0], "height": WINDOW["height"]}}

    def shoot(moment: str) -> None:
        for theme in ("dark", "light") if folder is not None else ():
            place.dark(theme == "dark")
            path = f"{folder}/{name}-{moment}-{theme}.png"
            place.page.screenshot(path=path, animations="disabled", **(part if isinstance(place, SavedPages) else {}))

    return shoot


def write_sheets(place: SavedPages | Lab, folder: Path, names: Sequence[str]) -> None:
    """The screenshots of a moment and theme side by side, nine on a sheet."""
    page = place.page.context.browser.new_page(viewport={"width": 2130, "height": 900})
    for ending in ("opened-light", "opened-dark", "middle-light", "middle-dark", "last-light", "last-dark"):
        found = [path for name in names if (path := folder / f"{name}-{ending}.png").exists()]
        for number, first in enumerate(range(0, len(found), 9), 1):
            figures = "".join(
                f'<figure><figcaption>{path.stem}</figcaption><img src="{path.resolve().as_uri()}"></figure>'
                for path in found[first : first + 9]
            )
            sheet = folder / "sheet.html"
            sheet.write_text(
                "<!doctype html><style>body { display: grid; grid-template-columns: repeat(3, 1fr); gap: 10px; "
                "margin: 10px; font: 700 15px sans-serif } figure { margin: 0 } img { width: 100%; "
                f"border: 1px solid gray }}</style>{figures}",
                encoding="utf-8",
            )
            page.goto(sheet.resolve().as_uri())
            page.screenshot(path=f"{folder}/sheet-{ending}-{number}.png", full_page=True)
            sheet.unlink()
    page.close()


BESIDE = """<!doctype html><style>body { display: flex; gap: 20px; margin: 10px; align-items: start; background: white }
img { border: 1px solid silver; max-width: 960px; max-height: 1800px }</style>
<img src="data:image/png;base64,%s"><img src="data:image/svg+xml;base64,%s">"""


def write_beside(place: SavedPages | Lab, folder: Path, name: str) -> None:
    """The window with the stepper of the program that a place has run, and beside it what torchviz draws of that."""
    theirs = place.folder / f"{name}.svg"
    if not theirs.exists():  # of the course's, and of thousands of nodes
        return
    widget = place.open(min(WIDTHS))
    ours = widget.screenshot(animations="disabled")
    page = place.page.context.browser.new_page(viewport={"width": 1980, "height": 400})
    page.set_content(BESIDE % tuple(base64.b64encode(data).decode() for data in (ours, theirs.read_bytes())))
    page.wait_for_function("[...document.images].every((image) => image.complete && image.naturalWidth)")
    page.screenshot(path=folder / f"{name}.png", full_page=True)
    page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[])
    parser.add_argument("--shots", type=Path, metavar="FOLDER")
    parser.add_argument("--lab", action="store_true")
    parser.add_argument("--told", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--beside", type=Path, metavar="FOLDER")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--from", type=Path, metavar="FILE", dest="measured_before")
    options = parser.parse_args()
    if options.measured_before is not None:
        print("\n".join(summary(json.loads(options.measured_before.read_text(encoding="utf-8")))))
        return
    every = programs()
    for name in options.only:
        if name not in every:
            parser.error(f"no program is called {name}; there are: {', '.join(every)}")
    for folder in filter(None, (options.shots, options.beside)):
        folder.mkdir(parents=True, exist_ok=True)
    print(f"load {os.getloadavg()[0]:.1f}\n{HEAD}", flush=True)
    names = options.only or [name for name, one in every.items() if not (options.quick and one.is_course)]
    widths = WIDTHS[:1] if options.quick else WIDTHS
    results: dict[str, Result] = {}
    with opened(options.lab, torchviz=options.beside is not None) as place:
        if options.quick and isinstance(place, SavedPages):
            place.run_ahead(names)
        for name in names:
            results[name] = place.run(name)
            if "error" not in results[name]:
                results[name] |= measured(place, shooter(place, options.shots, name), widths)
                if options.beside is not None:
                    write_beside(place, options.beside, name)
            print(row(name, results[name]), flush=True)
            if options.json is not None:  # each time: what has been measured stays, if it is ended
                options.json.write_text(json.dumps(results), encoding="utf-8")
            for moment, step in results[name].get("steps", {}).items() if options.told else ():
                for kind, things in step["told"].items():
                    told = "; ".join(things[:FEW]) + (f"; and {len(things) - FEW} more" if len(things) > FEW else "")
                    print(f"      {moment:6} {kind:11} {told}" if things else "", end="\n" if things else "")
        if options.shots is not None:
            write_sheets(place, options.shots, names)
    print("\n".join(summary(results)))


if __name__ == "__main__":
    main()

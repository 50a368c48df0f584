"""What one sees of a graph when a stepper opens, measured on the screen: python benchmarks/pictures.py

The steppers of picture_programs.py (networks that people write, and all of the course) are opened in Chromium, in a
window of 1400x900, as wide as JupyterLab makes them with its side bar open (960) and closed (1230), as they open and
after "fit". A program runs in a process of its own; its whole pass is walked through on the page that it saved.

    --only NAME ...   some of the programs      --shots FOLDER   a screenshot of each, and sheets of all
    --lab             in a real JupyterLab      --told           what is in the way, by name
    --json FILE       the numbers, to be kept

boxes: what is shown; a closed group is one. text: the smallest in the drawing, in pixels of the screen. seen: how many
of the boxes lie wholly in the view. cross: pairs of edges that do. under: edges that run under a box. mute: boxes,
other than groups, that show no number. texts: pairs that overlap. struck: texts that an edge runs through. spilled:
texts wider than their box. cut: names of which few letters are left. narrow: words beside or below the drawing in lines
of a few letters (these five: the most of the first, the middle and the last step). height: of the widget at these
steps, and how far it changes between any two.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from picture_programs import NOTEBOOKS, programs
from stepper_click import ROOT, chromium_path
from stepper_in_lab import RUN_ALL, jupyterlab

MEASURES = (Path(__file__).parent / "picture_measures.js").read_text(encoding="utf-8")
WINDOW = {"width": 1400, "height": 900}
WIDTHS = (960, 1230)
MOST_CLICKS = 260  # a longer pass goes to its end at once
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
    const painted = [], heights = [];
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
    }
    return { painted, heights };
}"""
TO_LAST_CELL = """async () => {
    const { content } = window.jupyterapp.shell.currentWidget;
    content.activeCellIndex = content.widgets.length - 1;
    await content.scrollToItem(content.activeCellIndex, "start");
}"""
Result = dict[str, Any]

# ---------------------------------------------------------------- where a stepper is opened


def run_programs(folder: Path, *names: str) -> Result:
    """Run programs, in a process of their own, whose pages are kept in a folder; returns that one's "error", if any."""
    command = [sys.executable, str(Path(__file__).parent / "picture_programs.py"), str(folder), *names]
    run = subprocess.run(command, capture_output=True, text=True, timeout=PROGRAM_SECONDS)
    return {"error": run.stderr.strip().splitlines()[-1]} if run.returncode else {}


class SavedPages:
    """The pages that programs save, each run in a process of its own, shown in a page of the browser."""

    def __init__(self, page: Any, folder: Path) -> None:
        self.page, self.folder, self.name = page, folder, ""
        page.add_init_script(NOTE_DRAWN)

    def run(self, name: str) -> Result:
        """Run a program and keep its page; returns what was found out on the way, or its "error"."""
        self.name = name
        return run_programs(self.folder, name) or self.facts(name)

    def facts(self, name: str) -> Result:
        facts: Result = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        return facts

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

    def __init__(self, page: Any, folder: Path, address: str) -> None:
        self.page, self.folder, self.address = page, folder, address
        self.name = self.error = ""

    def run(self, name: str) -> Result:
        """Write a program's notebook and let it run; returns its "error", if it has one."""
        self.name = f"{name}.ipynb"
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(text) for text in programs()[name].cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}},
        )
        for cell in notebook.cells[:-1]:
            cell.metadata.tags = ["raises-exception"]  # some of the course's do so on purpose, and the next one runs
        nbformat.write(notebook, self.folder / self.name)
        self.open(min(WIDTHS))
        return {"error": self.error} if self.error else {}

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
def opened(is_lab: bool) -> Iterator[SavedPages | Lab]:
    """A place in which programs are run and their steppers opened."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_context(viewport=WINDOW, reduced_motion="reduce", bypass_csp=True).new_page()
        if is_lab:
            for path in (ROOT, ROOT / "benchmarks"):
                os.environ["PYTHONPATH"] = f"{path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
            (folder / "exercises").symlink_to(NOTEBOOKS / "exercises")
            with jupyterlab(folder) as address:
                yield Lab(page, folder, address)
        else:
            yield SavedPages(page, folder)
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
        widget.locator(".mg-press-fit").click()
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
    return result


def worst(result: Result, measure: str) -> int:
    """The largest number that a measure has at one of the three steps."""
    return max(step[measure] for step in result["steps"].values())


def row(name: str, result: Result) -> str:
    if "error" in result:
        return f"{name:20} {result['error'][:150]}"
    parts = [f"{name:20}{result.get('nodes', 0):6}{result['960']['opened']['boxes']:6}"]
    for width in WIDTHS:
        opened, fitted = result[str(width)]["opened"], result[str(width)]["fitted"]
        parts.append(f"{opened['smallest']:8.1f}{fitted['smallest']:6.1f}{opened['seen']:7.0%}{fitted['seen']:6.0%}")
    first = result["960"]["opened"]
    parts.append(f"{first['crossings']:8}{first['under']:7}{first['mute']:6}")
    parts.append("".join(f"{worst(result, measure):8}" for measure in WORDS))
    parts.append("".join(f"{height:6.0f}" for height in result["heights"]) + f"{result['height changes by']:7.0f}")
    clicks = result["clicks"] or [0.0]
    parts.append(f"{result.get('made', 0) * 1e3:8.0f}{result['960']['drawn'] or 0:7.0f}")
    parts.append(f"{statistics.median(clicks):8.0f}{max(clicks):7.0f}")
    return "".join(parts)


HEAD = (
    f"{'':20}{'':12}{'at 960 px wide':>27}{'at 1230 px wide':>27}{'':68}{'height at step':>18}{'':7}{'opens, ms':>15}"
    f"{'click, ms':>15}\n"
    f"{'':20}{'nodes':>6}{'boxes':>6}{'text':>8}{'fit':>6}{'seen':>7}{'fit':>6}{'text':>8}{'fit':>6}{'seen':>7}{'fit':>6}"
    f"{'cross':>8}{'under':>7}{'mute':>6}{'texts':>8}{'struck':>8}{'spilled':>8}{'cut':>8}{'narrow':>8}{'0':>6}{'mid':>6}{'end':>6}{'+-':>7}"
    f"{'made':>8}{'drawn':>7}{'median':>8}{'worst':>7}"
)


def summary(results: dict[str, Result]) -> list[str]:
    """How many of the programs reach what the pictures are to reach."""
    fine = [result for result in results.values() if "error" not in result]
    told = [f"{len(fine)} of {len(results)} open."]
    for words, test in (
        ("show at most 20 boxes at first", lambda one: one["960"]["opened"]["boxes"] <= 20),
        ("show their whole picture at 960", lambda one: one["960"]["opened"]["seen"] == 1),
        ("with text of 10 px or more", lambda one: one["960"]["opened"]["smallest"] >= 9.95),
        ("show a number in each box", lambda one: one["960"]["opened"]["mute"] == 0),
        ("are at most 640 px high", lambda one: max(one["heights"]) < 640.5),
        ("keep their height", lambda one: one["height changes by"] < 1),
        ("have no edge under a box", lambda one: one["960"]["opened"]["under"] == 0),
        ("have no texts that overlap", lambda one: worst(one, "overlapping") == 0),
        ("have no words in narrow columns", lambda one: worst(one, "squeezed") == 0),
    ):
        told.append(f"{sum(map(test, fine)):3} {words}")
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", default=[])
    parser.add_argument("--shots", type=Path, metavar="FOLDER")
    parser.add_argument("--lab", action="store_true")
    parser.add_argument("--told", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    every = programs()
    for name in options.only:
        if name not in every:
            parser.error(f"no program is called {name}; there are: {', '.join(every)}")
    if options.shots is not None:
        options.shots.mkdir(parents=True, exist_ok=True)
    print(f"load {os.getloadavg()[0]:.1f}\n{HEAD}", flush=True)
    results: dict[str, Result] = {}
    with opened(options.lab) as place:
        for name in options.only or every:
            results[name] = place.run(name)
            if "error" not in results[name]:
                results[name] |= measured(place, shooter(place, options.shots, name))
            print(row(name, results[name]), flush=True)
            for moment, step in results[name].get("steps", {}).items() if options.told else ():
                for kind, things in step["told"].items():
                    told = "; ".join(things[:FEW]) + (f"; and {len(things) - FEW} more" if len(things) > FEW else "")
                    print(f"      {moment:6} {kind:11} {told}" if things else "", end="\n" if things else "")
        if options.shots is not None:
            write_sheets(place, options.shots, options.only or list(every))
    print("\n".join(summary(results)))
    if options.json is not None:
        options.json.write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()

"""What a click in the stepper costs, and what a drawing costs: python benchmarks/stepper_click.py

Six tables. The whole of draw(), its layout included, by number of boxes. A click that the
kernel has to answer, without the browser: run the node, write the frame, turn it into JSON. A click on recorded
frames, in Chromium, from the click to the painted frame, with 100 boxes (the aim: 16 ms); that needs playwright and
Chromium, and is left out where they are missing. What a stepper of 30 boxes adds to a notebook (the aim: under 200 kB)
and how large its exported page is (under 400 kB). At last large graphs, which begin with their parts closed: a
ResNet-18, and a loop of 5,000 boxes (the aim: made and drawn within 2 s); and all steps of the first, beside its plain
backward() (the aim: three times that, and 5 ms for each node). Each time is the median of several;
stepper_in_lab.py has the click in JupyterLab.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import minigrad as mg  # noqa: E402 (the path comes first)
from minigrad import viz  # noqa: E402
from minigrad.viz.page import widget_source  # noqa: E402
from minigrad.viz.page.standalone import stepper_page  # noqa: E402

PAGE = """<!doctype html><meta charset="utf-8"><style>{css}</style><div id="host"></div><script type="module">
{esm}
const values = {values};
const set = (name, value) => (values[name] = value);
const model = {{ get: (name) => values[name], set, on() {{}}, off() {{}}, save_changes() {{}} }};
render({{ model, el: document.getElementById("host") }});
</script>"""
CLOSED = "[...document.querySelectorAll('.mg-group:not(.mg-open, [display=none])')]"
# From the click until the browser has painted: a task that is queued within a frame's callback runs after that frame.
CLICKS = """async (count) => {
    const next = document.querySelector(".mg-press-next");
    const script = [], painted = [];
    for (let k = 0; k < count; k += 1) {
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        const start = performance.now();
        next.click();
        document.querySelector(".minigrad-stepper").getBoundingClientRect();
        script.push(performance.now() - start);
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        painted.push(performance.now() - start);
    }
    return { script, painted };
}"""


def chain(boxes: int) -> Any:
    """A result whose graph has this many boxes: a leaf, and then by turns a product and a sum with a recent result."""
    results = [mg.tensor(1.0, requires_grad=True)]
    while len(results) < boxes:
        count = len(results)
        results.append(results[-1] + results[max(0, count - 4)] if count % 2 else results[-1] * results[-1])
    return results[-1]


def median_ms(action: Callable[[], Any], rounds: int) -> float:
    """The median time of an action, in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def drawings(sizes: list[int], rounds: int) -> None:
    print("\nlayout and drawing, ms                 draw()")
    for boxes in sizes:
        graph = viz.draw(chain(boxes)).graph
        drawing = median_ms(lambda boxes=boxes: viz.draw(chain(boxes)), rounds)
        print(f"  {len(graph.boxes):4} boxes, {len(graph.edges):4} edges {drawing:20.1f}")


def live_clicks(sizes: list[int]) -> None:
    print("\na click that the kernel answers, ms    median    worst     a plain backward(), per node")
    for boxes in sizes:
        start = time.perf_counter()
        chain(boxes).backward()
        plain = (time.perf_counter() - start) * 1e3 / boxes
        stepper = viz.BackwardStepper(chain(boxes))
        times = []
        for k in range(stepper.frames[0].total):
            start = time.perf_counter()
            stepper.request = {"to": k + 1, "nth": k + 1}
            json.dumps(stepper.get_state(["ran", "index", "finished", "answered"]))  # what is sent
            times.append((time.perf_counter() - start) * 1e3)
        assert stepper.finished
        print(f"  {boxes:4} boxes {statistics.median(times):31.2f} {max(times):8.2f} {plain:14.4f}")


def chromium_path() -> str | None:
    """Where Chromium is, or None."""
    found = map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"))
    return os.environ.get("CHROMIUM") or next(filter(None, found), None)


@contextmanager
def in_chromium(html: str) -> Iterator[Any]:
    """A page in Chromium that shows a stepper, and what measures it; None where there is no browser."""
    chromium = chromium_path()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("\nin a browser: not measured, for want of playwright or Chromium")
        yield None, None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        client = page.context.new_cdp_session(page)
        client.send("Performance.enable")
        page.set_content(html)
        page.wait_for_selector(".mg-graph")
        yield page, client
        browser.close()


def recorded_clicks(boxes: int) -> None:
    stepper = viz.BackwardStepper(chain(boxes))
    stepper.last()
    values = {"picture": stepper.picture, "recorded": stepper.recorded, "index": 0, "finished": True, "live": False}
    script = widget_source.script().replace("export default { render };", "")
    text = json.dumps(values).replace("<", "\\u003c")
    with in_chromium(PAGE.format(css=widget_source.style(), esm=script, values=text)) as (page, _):
        if page is None:
            return
        times = page.evaluate(CLICKS, stepper.frames[0].total)
    load = os.getloadavg()[0]
    print(f"\na click on recorded frames in Chromium, ms        median    worst    (load {load:.1f})")
    for name, what in (
        ("script", "classes, texts, style and layout"),
        ("painted", "until painted, a frame's wait included"),
    ):
        print(f"  {boxes:4} boxes: {what:38} {statistics.median(times[name]):6.1f} {max(times[name]):8.1f}")


def sizes() -> None:
    """What a stepper that has been shown adds to the notebook's file, and its page."""
    print("\na stepper of 30 boxes, kB                          the first    each more    exported page")
    for name, root in (("numbers", chain(30)), ("matrices", matrices(30))):
        stepper = viz.BackwardStepper(root)
        bundle = stepper._repr_mimebundle_()
        stepper.last()
        output, state = json.dumps(bundle), json.dumps(stepper.get_state())
        shared = json.dumps(stepper.code.get_state())
        each = (len(output) + len(state)) / 1e3
        page = len(stepper_page(stepper).encode()) / 1e3
        print(f"  {name:46} {each + len(shared) / 1e3:10.0f} {each:12.0f} {page:16.0f}")


def matrices(boxes: int) -> Any:
    """A result whose graph has this many boxes, with values large enough to be heat maps."""
    x, w = mg.randn(32, 32), (mg.randn(32, 32) * 0.1).requires_grad_()
    result = x @ w
    for k in range(boxes - 4):  # beside x, w, their product and the sum
        result = (result @ w, result.tanh(), result * w)[k % 3]
    return result.sum()


def network() -> Any:
    from models import resnet18

    return resnet18(mg, 10)(mg.randn(2, 3, 64, 64)).square().mean()


def loop(steps: int) -> Any:
    w, h = mg.randn(4, 4, requires_grad=True), mg.zeros(4)
    u, b = mg.randn(4, 2, requires_grad=True), mg.zeros(4, requires_grad=True)
    xs = mg.randn(steps, 2)
    for t in range(steps):
        h = mg.tanh(w @ h + u @ xs[t] + b)
    return (h**2).sum()


def large_graphs(graphs: dict[str, Callable[[], Any]], rounds: int) -> None:
    """In processor time, the least of some rounds: what else the machine does matters less so."""
    print("\na large graph opens, ms of the processor     boxes   groups     made   page   a part opened")
    for name, build in graphs.items():
        made, opened, part = [], [], []
        for _ in range(rounds):
            loss = build()
            start = time.process_time()
            stepper = viz.BackwardStepper(loss)
            made.append((time.process_time() - start) * 1e3)
            with in_chromium(stepper_page(stepper)) as (page, client):
                if page is None:
                    return
                opened.append(busy_ms(page, client))
                page.evaluate(f"{CLOSED}.at(-1).dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))")
                part.append(busy_ms(page, client) - opened[-1])
        boxes, groups = len(stepper.picture["boxes"]), len(stepper.picture["groups"])
        print(f"  {name:42}{boxes:6} {groups:8} {min(made):8.0f} {min(opened):6.0f} {min(part):15.0f}")


def whole_pass(build: Callable[[], Any], rounds: int) -> None:
    print("\nall steps of a large graph, ms of the processor     plain   stepped   the aim")
    plain, stepped = [], []
    for _ in range(rounds):
        loss = build()
        start = time.process_time()
        loss.backward()
        plain.append((time.process_time() - start) * 1e3)
        stepper = viz.BackwardStepper(build())
        start = time.process_time()
        stepper.last()
        stepped.append((time.process_time() - start) * 1e3)
    name = f"{stepper.index} nodes"
    print(f"  {name:46} {min(plain):8.0f} {min(stepped):9.0f} {3 * min(plain) + 5 * stepper.index:9.0f}")


def busy_ms(page: Any, client: Any) -> float:
    """For how long the page has kept the processor busy so far, when all that is to be painted is painted."""
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))")
    metrics = {metric["name"]: metric["value"] for metric in client.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"]) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description="What a click in the stepper costs.")
    parser.add_argument("--quick", action="store_true", help="small sizes: to see that it runs, not to measure")
    quick = parser.parse_args().quick
    drawings([5, 15] if quick else [5, 15, 50, 100, 200, 300], 1 if quick else 5)
    live_clicks([15] if quick else [15, 100, 300])
    recorded_clicks(15 if quick else 100)
    sizes()
    large = {"a loop of 20 steps": lambda: loop(20)} if quick else {"ResNet-18": network, "a loop": lambda: loop(834)}
    large_graphs(large, 1 if quick else 3)
    whole_pass(lambda: loop(20) if quick else network(), 1 if quick else 5)


if __name__ == "__main__":
    main()

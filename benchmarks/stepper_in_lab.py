"""A click on Next that the kernel answers, in a real JupyterLab: python benchmarks/stepper_in_lab.py

A JupyterLab is started on this machine, a notebook with a stepper of 100 boxes is opened in Chromium, and Next is
clicked until the pass is over. Each click is timed twice: until the frame has come back from the kernel and stands in
the page, and until the browser has painted it (the aim: 100 ms). Needs jupyterlab, playwright and Chromium. What else
runs on the machine counts: the load is printed with the numbers.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from stepper_click import ROOT, chromium_path

CELL = """import sys
sys.path[:0] = [{root!r}, {benchmarks!r}]
from minigrad import viz
from stepper_click import chain
s = viz.BackwardStepper(chain({boxes}))
s"""
# The attribute changes when the frame stands in the page; a task queued in a frame's callback runs after that frame.
CLICKS = """async (count) => {
    const stepper = document.querySelector(".minigrad-stepper"), next = stepper.querySelector(".mg-press-next");
    const answered = [], painted = [];
    for (let k = 1; k <= count; k += 1) {
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        const start = performance.now();
        const shown = new Promise((resolve) => {
            const watch = new MutationObserver(() => {
                if (stepper.getAttribute("data-step") !== String(k)) return;
                watch.disconnect();
                resolve();
            });
            watch.observe(stepper, { attributes: true });
        });
        next.click();
        await shown;
        answered.push(performance.now() - start);
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        painted.push(performance.now() - start);
    }
    return { answered, painted };
}"""
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """The address, with its token, of a JupyterLab that serves a folder to this machine alone."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    own = {name: str(folder / name.lower()) for name in places}  # nobody's settings matter
    notices = folder / "settings" / "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    notices.parent.mkdir(parents=True)
    notices.write_text('{"fetchNews": "false", "checkForUpdates": false}', encoding="utf-8")  # nothing lies on the page
    own["JUPYTERLAB_SETTINGS_DIR"] = str(folder / "settings")
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--LabApp.news_url=None"),
            *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--LabApp.expose_app_in_browser=True"),
            *(f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}"),
        ],
        env={**os.environ, **own},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status?token={token}", timeout=5).close()
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.25)
            else:
                break
        else:
            raise RuntimeError("JupyterLab did not start")
        yield f"http://127.0.0.1:{port}/lab/tree/clicks.ipynb?reset&token={token}"
    finally:
        server.terminate()
        server.wait(30)


def clicks(boxes: int) -> dict[str, list[float]]:
    """What each click took, in milliseconds."""
    from playwright.sync_api import sync_playwright

    cell = CELL.format(root=str(ROOT), benchmarks=str(ROOT / "benchmarks"), boxes=boxes)
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}},
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "clicks.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        with jupyterlab(folder) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport={"width": 1400, "height": 1100})
            page.goto(address)
            page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=120_000)
            page.evaluate(RUN_ALL)
            page.locator(".minigrad-stepper").wait_for(timeout=120_000)
            times: Any = page.evaluate(CLICKS, boxes)
            browser.close()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description="What a click costs that the kernel answers, in JupyterLab.")
    parser.add_argument("--boxes", type=int, default=100)
    boxes = parser.parse_args().boxes
    times = clicks(boxes)
    print(f"a live click in JupyterLab, {boxes} boxes, ms      median    worst    (load {os.getloadavg()[0]:.1f})")
    for name, what in (("answered", "the kernel's frame stands in the page"), ("painted", "it is painted")):
        print(f"  {what:40} {statistics.median(times[name]):10.1f} {max(times[name]):8.1f}")


if __name__ == "__main__":
    main()

"""How large steppers are where they are kept: python benchmarks/saved_sizes.py

For networks of several depths: the nodes of the graph, what a stepper adds to a notebook's file (its output, with the
still picture, all frames, and the script, which is the same for all), the page that save_html writes, and how long the
rehearsal takes that makes a saved notebook step. The aims, for 30 nodes: 200 kB in a notebook, 400 kB as a page.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import minigrad as mg  # noqa: E402 (the path comes first)
from minigrad import viz  # noqa: E402
from minigrad.viz.page.packing import packed_code  # noqa: E402
from minigrad.viz.page.standalone import stepper_page  # noqa: E402


def network(layers: int) -> Any:
    """The loss of a network: each layer is a product, a sum and a tanh, with a weight and a bias."""
    mg.manual_seed(0)
    h = mg.randn(16, 8)
    for _ in range(layers):
        h = mg.tanh(h @ mg.randn(8, 8, requires_grad=True) + mg.randn(8, requires_grad=True))
    return (h * h).mean()


def measure(layers: int) -> tuple[int, float, float, float, float]:
    """Nodes; kB in a notebook, of which the script; kB of the page; ms of showing, the rehearsal included."""
    stepper = viz.BackwardStepper(network(layers))
    start = time.perf_counter()
    data = stepper._repr_mimebundle_()
    shown = (time.perf_counter() - start) * 1e3
    stepper.last()
    page = len(stepper_page(stepper).encode()) / 1e3
    return stepper.frames[0].total, len(json.dumps(data)) / 1e3, len(packed_code()) / 1e3, page, shown


def main() -> None:
    parser = argparse.ArgumentParser(description="How large steppers are where they are kept.")
    parser.add_argument("--quick", action="store_true", help="one small size: to see that it runs, not to measure")
    quick = parser.parse_args().quick
    print("nodes   kB in a notebook    its script   kB as a page   ms to show")
    for layers in [1] if quick else [1, 3, 5, 8, 16]:
        nodes, notebook, script, page, shown = measure(layers)
        print(f"{nodes:5} {notebook:18.0f} {script:13.0f} {page:14.0f} {shown:12.0f}")


if __name__ == "__main__":
    main()

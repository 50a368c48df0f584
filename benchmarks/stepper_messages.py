"""What a stepper sends its page: python benchmarks/stepper_messages.py

Messages and kilobytes by number of nodes, for a stepper that is shown, without a browser: what it sends is counted on
its way. It is stepped from code (`last()`), by one request of the page for each step, and by requests to run on, each
of which is answered after a portion. The aim: messages from code and of a run grow only with the number of portions,
kilobytes as the number of nodes does; and what a step costs is the same in code and by requests.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import minigrad as mg  # noqa: E402 (the path comes first)
from minigrad import viz  # noqa: E402


def chain(nodes: int) -> Any:
    """A result with this many nodes, which two leaves share."""
    w, b = mg.tensor(0.999, requires_grad=True), mg.tensor(0.001, requires_grad=True)
    x = w * b
    for _ in range((nodes - 3) // 2):
        x = x * w + b
    return x


def from_code(stepper: Any) -> None:
    stepper.last()


def by_steps(stepper: Any) -> None:
    while not stepper.finished:
        stepper.set_state({"request": {"to": stepper.index + 1, "nth": stepper.index + 1}})


def by_runs(stepper: Any) -> None:
    while not stepper.finished:
        stepper.set_state({"request": {"run": True, "nth": stepper.index + 1}})


def sent_by(step: Callable[[Any], None], nodes: int) -> tuple[list[int], float, int]:
    """The sizes of all messages, the seconds that it took, and how many nodes have run."""
    stepper = viz.BackwardStepper(chain(nodes))
    stepper._repr_mimebundle_()
    sizes = []
    send = stepper.comm.send

    def counted(data: Any = None, *arguments: Any, **more: Any) -> Any:
        sizes.append(len(json.dumps(data)))
        return send(data, *arguments, **more)

    stepper.comm.send = counted
    start = time.perf_counter()
    step(stepper)
    return sizes, time.perf_counter() - start, stepper.index


def main() -> None:
    parser = argparse.ArgumentParser(description="What a stepper sends its page.")
    parser.add_argument("--quick", action="store_true", help="small sizes: to see that it runs, not to measure")
    quick = parser.parse_args().quick
    for title, step in (("from code", from_code), ("a request a step", by_steps), ("requests to run", by_runs)):
        print(f"\n{title:20} nodes  messages        kB  bytes/node  ms/node   (load {os.getloadavg()[0]:.1f})")
        for nodes in (51, 101) if quick else (250, 500, 1000, 2000, 3000):
            sizes, seconds, ran = sent_by(step, nodes)
            per_node = sum(sizes) / ran, seconds * 1e3 / ran
            print(f"{ran:26} {len(sizes):9} {sum(sizes) / 1e3:9.0f} {per_node[0]:11.0f} {per_node[1]:8.2f}")


if __name__ == "__main__":
    main()

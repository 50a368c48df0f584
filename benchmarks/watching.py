"""What it costs that viz notes where each node was made: python benchmarks/watching.py

An op is timed with the observer and without, by turns, at several depths of the learner's own calls: in a loop inside
the innermost call, as a helper that such a loop calls, in the lines of a function without a loop, and with all the
calls made anew for each op, which is the most that can be asked. Shown is the processor's time per op, the quarter of
all rounds that was fastest.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path
from types import CodeType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import minigrad as mg
from minigrad.autograd.modes import set_node_observer
from minigrad.viz.graph.observer import observe

OPS = 60  # per round; divisible by the twelve of a call of `lines`
PROGRAM = """
def loop(x, depth, count):
    if depth: return loop(x, depth - 1, count)
    for _ in range(count): x * x
def helper(x, depth, count):
    if depth: return helper(x, depth - 1, count)
    for _ in range(count): product(x)
def product(x): return x * x
def lines(x, depth):
    if depth: return lines(x, depth - 1)
    x * x; x * x; x * x; x * x; x * x; x * x
    x * x; x * x; x * x; x * x; x * x; x * x
def anew(x, depth):
    return anew(x, depth - 1) if depth else x * x
"""


def cases(depths: list[int]) -> dict[str, CodeType]:
    """What is timed, as cells, by name and depth of calls."""
    texts = {"a cell's loop": f"for _ in range({OPS}): x * x"}
    for depth in depths:
        texts[f"loop, depth {depth}"] = f"loop(x, {depth - 1}, {OPS})"
        texts[f"helper, depth {depth}"] = f"helper(x, {max(depth - 2, 0)}, {OPS})"
        texts[f"lines, depth {depth}"] = f"for _ in range({OPS // 12}): lines(x, {depth - 1})"
        texts[f"anew, depth {depth}"] = f"for _ in range({OPS}): anew(x, {depth - 1})"
    return {name: compile(text, "<cell>", "exec") for name, text in texts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="What noting where each node was made costs per op.")
    parser.add_argument("--quick", action="store_true", help="few rounds: to see that it runs, not to measure")
    rounds = 2 if parser.parse_args().quick else 60
    scope: dict[str, Any] = {"x": mg.tensor(1.0, requires_grad=True), "__name__": "__main__"}
    exec(PROGRAM, scope)
    timed = cases([1, 5, 20])
    times: dict[tuple[str, Any], list[float]] = {(name, one): [] for name in timed for one in (None, observe)}
    try:
        for _ in range(rounds):
            for name, one in times:
                set_node_observer(one)
                exec(timed[name], scope)
                start = time.thread_time()
                exec(timed[name], scope)
                times[name, one].append((time.thread_time() - start) * 1e6 / OPS)
    finally:
        set_node_observer(observe)
    print(f"µs per op, Python {platform.python_version()}       without    with    ops per second with")
    for name in timed:
        without, with_it = (sorted(times[name, one])[rounds // 4] for one in (None, observe))
        print(f"  {name:28} {without:8.2f} {with_it:8.2f} {1e6 / with_it:14,.0f}")


if __name__ == "__main__":
    main()

"""A class on this machine: python benchmarks/class_of.py 12

That many simulated students, each in a Chromium of its own, work at once through the lesson of
tests/classroom/lesson.py: JupyterHub and its proxy serve them as deploy/README.md says, on 127.0.0.1, in a machine
within this one. Printed is what each student took, and what should not have been so. Needs root, node and npm, and
Chromium, which takes most of the machine: the seconds are those of students whose browsers all run here.

    --json FILE    write all that was seen
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "benchmarks")]

from classroom import lesson  # noqa: E402
from classroom.lesson import Facts, hold_lesson, unexpected  # noqa: E402
from classroom.machine import machine  # noqa: E402
from stepper_click import chromium_path  # noqa: E402

import dev  # noqa: E402

FIGURES = (
    "seconds until the chapter is open",
    "seconds until all has run",
    "seconds until the first step",
    "seconds for an answer of the kernel",
    "seconds of CPU of the kernel",
    "seconds of CPU of the server",
    "MB of the kernel",
    "MB of the kernel at the end",
    "MB of a bare kernel",
    "MB of the server",
    "requests",
)


def main() -> int:
    parser = argparse.ArgumentParser(description="A class on this machine, with simulated students.")
    parser.add_argument("students", type=int, nargs="?", default=2)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.students < 2 or os.geteuid() != 0:
        parser.error("two students at least, and root, who alone can make accounts")
    chromium = chromium_path()
    if chromium is None:
        parser.error("Chromium is not installed: name its program in the variable CHROMIUM")
    dev.install_hub_packages()
    lesson.PATIENCE *= max(1, options.students // 3)  # who share two cores with all these browsers
    names = [f"student{number:02}" for number in range(1, options.students + 1)]
    with machine() as inside, tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "hub.log")
        try:
            facts = asyncio.run(hold_lesson(inside, names, log, chromium))
        except BaseException:
            print(log.read_text()[-6000:] if log.exists() else "the hub did not start", file=sys.stderr)
            raise
    if options.json is not None:
        options.json.write_text(json.dumps(facts, indent=1))
    print("\n".join(table(facts)))
    problems = unexpected(facts)
    print("\n".join(problems) or "All was as it should be.", file=sys.stderr if problems else sys.stdout)
    return 1 if problems else 0


def table(facts: Facts) -> list[str]:
    students = facts["students"].values()
    rows = [f"{len(students)} students, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"]
    rows += [f"{'':42}{'least':>8}{'middle':>8}{'most':>8}"]
    for name in FIGURES:
        values = sorted(seen[name] for seen in students)
        rows.append(f"{name:42}{values[0]:8.1f}{statistics.median(values):8.1f}{values[-1]:8.1f}")
    rows += [f"{name:42}{value:8.1f}" for name, value in facts["hub"].items()]
    for name, value in facts["seconds meanwhile"].items():
        rows.append(f"{f'seconds for another during {name}':42}{value:8.1f}")
    return [*rows, f"{'seconds, all in all':42}{facts['seconds']:8.1f}"]


if __name__ == "__main__":
    sys.exit(main())

"""How the benchmarks measure: fresh processes in turn, round after round, and ratios within a round.

Machines get warm, other programs come and go; so the contenders take turns, and a ratio compares two that ran one right
after the other. Shown are the fastest absolute value of all rounds and the median of the rounds' ratios to torch. All
contenders must arrive at the same gradients, else there is no table. They run with two BLAS threads, each on a core of
its own, and with `--one-thread` a second time with one, whose CPU time hardly depends on what else the machine does.
OPENBLAS_CORETYPE, which decides how fast numpy's matrix product is, is left as it is in the environment unless the
option says otherwise, and is stated.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import math
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the benchmarks run from a clone where nothing is installed
OPTIONAL = ("torch", "autograd", "mygrad")  # contenders that need not be installed; the others are minigrad's own needs
BASE = "torch"
WITHOUT_ONEDNN = "torch without oneDNN"
ALONE = ", one thread"  # follows a row's name where its values are those of one thread
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


class Row(NamedTuple):
    """One line of a benchmark: what is measured."""

    name: str
    what: str
    unit: str


Values = dict[str, list[float]]  # contender -> one value for each round; nan where it has none
# Told whether to be quick, a contender returns row name -> value, and under "agree" a number that all must share.
Contender = Callable[[bool], dict[str, float]]


def arguments(description: str | None, more: dict[str, dict[str, Any]] | None = None) -> argparse.Namespace:
    """Read the options that all the benchmarks have, and `more`: name -> what argparse is to know of it."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often each contender is started (default 5)")
    parser.add_argument("--quick", action="store_true", help="small, one round: to see that it runs, not to measure")
    parser.add_argument("--one-thread", action="store_true", help="measure the CPU time of one thread as well")
    parser.add_argument("--coretype", help="set OPENBLAS_CORETYPE for the contenders, for example Haswell")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    for name, details in (more or {}).items():
        parser.add_argument(name, **details)
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    return options


def environment(coretype: str | None = None, threads: int = 2) -> dict[str, str]:
    """The environment of a contender's process: this clone on the path, so many threads."""
    variables = dict(os.environ)
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), variables.get("PYTHONPATH"))))
    variables |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    if coretype is not None:
        variables["OPENBLAS_CORETYPE"] = coretype
    return variables


def installed(names: Iterable[str]) -> list[str]:
    """Those of the contenders that can run here. The first word of a name is the library that it needs."""
    return [name for name in names if (library := name.split()[0]) not in OPTIONAL or importlib.util.find_spec(library)]


def measure(
    commands: dict[str, list[str]],
    rows: Sequence[Row],
    options: argparse.Namespace,
    kinds: dict[str, int] | None = None,
) -> dict[str, Values]:
    """Start every command once in each round and read the JSON that it prints: row name -> value.

    Returns row -> contender -> values. Exits with a message if a command fails or the contenders disagree. `kinds`:
    what follows a row's name -> with how many threads it is measured.
    """
    from tqdm import tqdm

    kinds = kinds or ({"": 2, ALONE: 1} if options.one_thread else {"": 2})
    results: dict[str, Values] = {row.name + kind: {name: [] for name in commands} for kind in kinds for row in rows}
    agreed: dict[str, float] = {}
    turns = [(turn, kind, name) for turn in range(options.rounds) for kind in kinds for name in commands]
    for turn, kind, name in tqdm(turns, desc=Path(sys.argv[0]).stem, unit="run", leave=False, disable=None):
        variables = environment(options.coretype, kinds[kind])
        run = subprocess.run(commands[name], env=variables, capture_output=True, text=True)
        if run.returncode:
            raise SystemExit(f"{name} failed (round {turn + 1}):\n{run.stderr}")
        values = json.loads(run.stdout.splitlines()[-1])
        if "agree" in values:
            agreed[name] = values["agree"]
            first, expected = next(iter(agreed.items()))
            if not math.isclose(values["agree"], expected, rel_tol=1e-3):
                raise SystemExit(f"{name} computes {values['agree']}, but {first} computes {expected}")
        for row in rows:
            results[row.name + kind][name].append(float(values.get(row.name, math.nan)))
    return results


def without_onednn(run: Callable[[bool], dict[str, float]]) -> Callable[[bool], dict[str, float]]:
    """A contender's run where torch convolves as numpy has to: it copies columns and multiplies them.

    By default torch hands convolutions and LSTMs to oneDNN, whose machine code is made for the sizes at hand, and reads
    images where they lie.
    """

    def run_so(quick: bool) -> dict[str, float]:
        from torch.backends import mkldnn

        before, mkldnn.enabled = mkldnn.enabled, False
        try:
            return run(quick)
        finally:
            mkldnn.enabled = before

    return run_so


def best(values: list[float]) -> float:
    """The smallest value; nan if there is none."""
    return min((value for value in values if not math.isnan(value)), default=math.nan)


def ratio(values: Values, name: str, base: str = BASE) -> float:
    """The median over the rounds of a contender's value by the base's in the same round; nan if either has none."""
    pairs = zip(values.get(name, ()), values.get(base, ()), strict=False)
    quotients = [own / other for own, other in pairs if not math.isnan(own) and other]
    return median(quotients) if quotients else math.nan


def number(value: float, suffix: str = "") -> str:
    return "–" if math.isnan(value) else f"{value:,.{2 if value < 100 else 0}f}{suffix}"


def show(rows: Iterable[Row], results: dict[str, Values], base: str = BASE) -> None:
    """Print one small table for each row."""
    for row in rows:
        print(f"\n{row.name}  {row.what}")
        values, alone = results[row.name], results.get(row.name + ALONE)
        width = max(map(len, values))
        print(f"    {'':{width}}  {row.unit:>12}  {'x ' + base:>10}" + ("  one thread  x " + base if alone else ""))
        for name, taken in values.items():
            line = f"    {name:{width}}  {number(best(taken)):>12}  {number(ratio(values, name, base), 'x'):>10}"
            print(
                line + (f"  {number(best(alone[name])):>10}  {number(ratio(alone, name, base), 'x')}" if alone else "")
            )


def processor() -> str:
    """What the processor calls itself, where the system tells."""
    try:
        names = re.findall(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        names = []
    return " ".join(names[0].split()) if names else platform.processor() or platform.machine()


def conditions(options: argparse.Namespace, contenders: Iterable[str]) -> str:
    """Under what circumstances the numbers come about, and which contenders are missing."""
    contenders = list(contenders)
    missing = list(dict.fromkeys(name.split()[0] for name in contenders if name not in installed(contenders)))
    coretype = environment(options.coretype).get("OPENBLAS_CORETYPE")
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("numpy", *installed(OPTIONAL))]
    lines = [
        f"{processor()}, {os.cpu_count()} cores; Python {platform.python_version()}, {', '.join(versions)}; "
        f"2 BLAS threads, OPENBLAS_CORETYPE {'not set' if coretype is None else '= ' + coretype}; "
        f"rounds: {options.rounds}" + (" (quick: the numbers mean nothing)" if options.quick else "")
    ]
    if missing:
        lines.append(f"not installed, so not measured: {', '.join(missing)} (pip install {' '.join(missing)})")
    return "\n".join(lines)


def contest(
    script: str,
    contenders: Iterable[str],
    rows: Sequence[Row],
    options: argparse.Namespace,
    kinds: dict[str, int] | None = None,
) -> dict[str, Values]:
    """Measure the contenders of a script, each by starting the script as its child."""
    more = ["--quick"] if options.quick else []
    commands = {name: [sys.executable, script, "--child", name, *more] for name in installed(contenders)}
    return measure(commands, rows, options, kinds)


def main(
    script: str, description: str | None, contenders: dict[str, Contender], rows: list[Row], base: str = BASE
) -> None:
    """What each script does when started: as a child, run one contender and print its values; else measure all."""
    options = arguments(description)
    if options.child:
        print(json.dumps(contenders[options.child](options.quick)))
        return
    print(conditions(options, contenders), flush=True)
    show(rows, contest(script, contenders, rows, options), base)


def pin_threads() -> None:
    """Of two threads, give the main one a core and what BLAS has started the others: left alone, both may share one."""
    if len(CORES) > 1 and os.environ.get("OPENBLAS_NUM_THREADS") == "2":
        for thread in map(int, os.listdir("/proc/self/task")):
            os.sched_setaffinity(thread, CORES[:1] if thread == os.getpid() else CORES[1:])


def fastest(times: int, function: Callable[[], object]) -> float:
    """Seconds that a function takes, the fastest of several calls, after one to warm up; of one thread the CPU time."""
    function()
    pin_threads()
    clock = time.process_time if os.environ.get("OPENBLAS_NUM_THREADS") == "1" else time.perf_counter
    taken = []
    for _ in range(times):
        start = clock()
        function()
        taken.append(clock() - start)
    return min(taken)

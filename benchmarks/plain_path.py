"""What the usual path costs, in machine instructions per operation: exact, where times are noisy.

After a change to the engine, `python benchmarks/plain_path.py ../before` says what it costs those who use none of it:
`before` is a clone of the state before the change (`git worktree add ../before HEAD~1` makes one). Each program runs
twice under valgrind, which counts every instruction, once with more repetitions; the difference has no part of what
starting costs. Instructions are not time, but where the same code does more of them it takes longer.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tqdm import tqdm

HERE = Path(__file__).resolve().parent.parent
OPS = 1_000
FEW, MANY = 5, 25  # the first runs compile what is needed and settle Python's adaptive interpreter


def arrays(mg: Any) -> None:
    x = mg.tensor([0.1, 0.2, 0.3, 0.4], dtype=mg.float64, requires_grad=True)
    w = mg.tensor([1.01, 0.99, 1.02, 0.98], dtype=mg.float64, requires_grad=True)
    y = x
    for _ in range(OPS // 4):
        y = (y * w + x).sin().tanh()
    y.sum().backward()


def scalars(mg: Any) -> None:
    x = mg.tensor(0.5, dtype=mg.float64, requires_grad=True)
    w = mg.tensor(0.3, dtype=mg.float64, requires_grad=True)
    y = x
    for _ in range(OPS // 4):
        y = (y * w + x - w) * w
    y.backward()


def constants(mg: Any) -> None:
    y, one = mg.tensor(0.5, requires_grad=True), mg.tensor(1.0)
    for _ in range(OPS):
        y = y + one
    y.backward()


PROGRAMS: dict[str, Callable[[Any], None]] = {
    "4 numbers: mul, add, sin, tanh": arrays,
    "1 number: mul, add, sub": scalars,
    "1 number, plus a constant": constants,
}


def instructions(valgrind: str, clone: Path, program: str, repetitions: int) -> int:
    """How many instructions a fresh process takes for so many runs of a program."""
    command = [valgrind, "--tool=callgrind", f"--callgrind-out-file={os.devnull}", sys.executable, __file__]
    fixed = {"PYTHONPATH": str(clone), "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(
        [*command, "--program", program, "--repetitions", str(repetitions)],
        env={**os.environ, **fixed},
        capture_output=True,
        text=True,
    )
    counted = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or counted is None:
        raise SystemExit(f"{clone}: the program did not run under valgrind:\n{run.stderr[-2000:]}")
    return int(counted[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("before", nargs="?", type=Path, help="another clone, to compare with")
    parser.add_argument("--program", choices=PROGRAMS, help=argparse.SUPPRESS)
    parser.add_argument("--repetitions", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.program:
        import minigrad

        gc.freeze()  # whether a full collection, over all that was imported, falls into the count would be chance
        for _ in range(options.repetitions):
            PROGRAMS[options.program](minigrad)
        return

    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise SystemExit("valgrind is not installed: it counts the instructions (on Debian: apt install valgrind)")
    if options.before is not None and not (options.before / "minigrad" / "op.py").is_file():
        raise SystemExit(f"{options.before} is no clone of minigrad: it has no minigrad/op.py")
    clones = [HERE] if options.before is None else [HERE, options.before.resolve()]
    rows: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    with tqdm(total=len(PROGRAMS) * len(clones), desc="counting", leave=False) as bar:
        for name, counts in rows.items():
            for clone in clones:
                more = instructions(valgrind, clone, name, MANY) - instructions(valgrind, clone, name, FEW)
                counts.append(more / (MANY - FEW) / OPS)
                bar.update()
    print("instructions per operation, forward and backward")
    print(f"{'':34}{'here':>10}" + (f"{'before':>10}{'ratio':>8}" if len(clones) == 2 else ""))
    for name, counts in rows.items():
        compared = f"{counts[1]:>10,.0f}{counts[0] / counts[1]:>8.3f}" if len(clones) == 2 else ""
        print(f"{name:34}{counts[0]:>10,.0f}{compared}")


if __name__ == "__main__":
    main()

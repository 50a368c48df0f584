"""All that can be tried of minigrad in Python for browsers, in node: `PYTHONPATH=tests .venv/bin/python -m wasm`.

It takes ten minutes: the behaviours of all tests, all exercises with all their wrong answers, and the tests of the
engine, ops, layers, optimizers, tensors and data. What is left out, and why, is in left_out.py. Paths and other options
of pytest may follow, in place of all these tests.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from conftest import require_program
from wasm.left_out import BEHAVIOURS, FILES
from wasm.outcomes import differing, modules_with_behaviours, outcomes
from wasm.running import found_by, start_inside

from tools.pyodide_release import release_folder

FOLDERS = [f"tests/{name}" for name in ("engine", "ops", "nn", "optim", "tensor", "data")]


def main(arguments: list[str]) -> int:
    modules = modules_with_behaviours()
    tests = arguments or [*FOLDERS, *(f"--ignore={name}" for name in FILES)]
    with TemporaryDirectory() as name:
        process = start_inside(
            require_program("node"),
            release_folder(),
            Path(name),
            stops=[],
            exercises=["all"],
            outcomes=[],
            pytests=tests,
        )
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
        if process.wait():
            return 1
        different = differing(outcomes(modules), found_by("outcomes", Path(name)))
        cards = found_by("exercises", Path(name))
        reports = found_by("pytests", Path(name))
    wrong = [title for title in different if title not in BEHAVIOURS]
    wrong += [f"{title}: is left out, and holds" for title in BEHAVIOURS if title not in different]
    wrong += [f"{name}: the reference does not pass" for name, (first, *_) in cards.items() if first[0] != "good"]
    wrong += [
        f"{name}: {answer} is not refused, or not by its words"
        for name, (_, *tried) in cards.items()
        for kind, answer, is_named in tried
        if kind != "bad" or not is_named
    ]
    wrong += [f"{name}\n{report}" for name, outcome, report in reports if outcome == "failed"]
    print(*wrong, sep="\n")
    counts = {kind: sum(outcome == kind for _, outcome, _ in reports) for kind in ("passed", "failed", "skipped")}
    answers = sum(len(tried) - 1 for tried in cards.values())
    print(f"{len(modules)} modules of behaviours, {len(cards)} exercises, {answers} wrong answers; tests: {counts}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What runs in Python in WebAssembly: run.mjs calls it, with the file of its job in JOB.

Each task writes what it has found into a file of its own, so that what comes before a failure is known.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any

JOB = globals()["JOB"]
job = json.loads(Path(JOB).read_text(encoding="utf-8"))
root, found = Path(job["root"]), Path(job["found"])
sys.dont_write_bytecode = True
sys.path[:0] = [str(root), str(root / "tests")]
sys.path.append(
    job["packages_here"]
)  # pytest and others that are in Python alone; numpy comes before, from the release
sys.modules["torch"] = None  # type: ignore[assignment]  # that of this machine, which cannot be loaded
os.chdir(root)
os.environ["MINIGRAD_PROGRESS"] = str(found / "progress.json")
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"


def outcomes(modules: list[str]) -> dict[str, Any]:
    """What some modules' behaviours do; without those that take long, or of all modules with them."""
    from wasm import outcomes
    from wasm.left_out import LONG

    return outcomes.outcomes(modules, LONG) if modules else outcomes.outcomes(outcomes.modules_with_behaviours())


def exercises(arguments: list[str]) -> dict[str, Any]:
    """Of each exercise what the card says to its reference, and to wrong answers: to one of every eighth, or to all.
    Numbers are drawn twice for each, or as often as for a learner.
    """
    from dataclasses import replace

    from teach.answers import each_wrong, said

    from minigrad.teach import EXERCISES
    from minigrad.teach import exercise as exercises

    if "all" not in arguments:
        exercises.DRAWS = 2
    cards: dict[str, Any] = {}
    few = list(EXERCISES)[::8]
    for name, exercise in EXERCISES.items():
        card = replace(exercise, seconds=60.0).check(exercise.reference)  # for a busy machine
        cards[name] = [(card.kind, card.title, repr(card))]
        wrong = each_wrong(exercise)
        for answer, words in wrong if "all" in arguments else wrong[: name in few]:
            card = exercise.check(answer)
            cards[name].append((card.kind, answer.__name__, said(card).get("likely") == words))
    return cards


def stops(_: list[str]) -> dict[str, Any]:
    """What ends answers that do not end by themselves, and how soon; and what works afterwards."""
    from dataclasses import replace

    from teach.answers import said, wrong

    from minigrad.teach import EXERCISES, progress, progress_file

    def endless(w: float, x: float, b: float, target: float) -> float:
        while True:
            w = w + 0

    def stubborn(w: float, x: float, b: float, target: float) -> float:
        while True:
            try:
                while True:
                    w = w + 0
            except BaseException:
                if time.monotonic() - began > 1.5:
                    raise

    def calls(w: float, x: float, b: float, target: float) -> float:
        return max(calls(w, x, b, target) for _ in range(2))

    def lists(w: float, x: float, b: float, target: float) -> list[Any]:
        return list(map(lists, [w], [x], [b], [target]))

    cards: dict[str, Any] = {}
    slope = replace(EXERCISES["slope_of_w"], seconds=0.3)
    recursive = wrong("graph_depth", "depth_by_recursion")
    for name, exercise, answer in (
        ("endless", slope, endless),
        ("stubborn", slope, stubborn),
        ("calls", slope, calls),
        ("lists", slope, lists),
        ("walks", EXERCISES["graph_depth"], recursive),
    ):
        began = time.monotonic()
        card = exercise.check(answer)
        cards[name] = (card.kind, card.title, said(card).get("likely", ""), time.monotonic() - began)
    right = EXERCISES["slope_of_w"]  # with time enough, on a busy machine too
    cards["afterwards"] = right(right.reference).title  # as a learner calls it, who makes progress
    try:
        calls(1, 2, 3, 4)
    except RecursionError as error:
        cards["in a cell"] = str(error)
    cards["progress"] = progress().title
    progress_file.kept = {kind: {} for kind in progress_file.kept}
    cards["progress, of a new kernel"] = progress().title
    return cards


def pytests(arguments: list[str]) -> list[tuple[str, str, str]]:
    """The outcome of each test: its name; passed, failed or skipped; and where it failed, how."""
    import pytest
    from wasm.left_out import TESTS

    reports: list[tuple[str, str, str]] = []

    class Plugin:
        @pytest.hookimpl
        def pytest_collection_modifyitems(self, items: list[Any]) -> None:
            items[:] = [item for item in items if item.name.partition("[")[0] != "test_as_in_torch"]  # in `outcomes`
            for item in items:
                reason = TESTS.get(item.nodeid) or TESTS.get(item.nodeid.partition("[")[0])
                if reason:
                    item.add_marker(pytest.mark.xfail(reason=reason, strict=True))

        @pytest.hookimpl
        def pytest_collectreport(self, report: Any) -> None:
            if report.failed:
                reports.append((report.nodeid, "failed", str(report.longrepr)[-1500:]))

        @pytest.hookimpl
        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.when == "call" or not report.passed:
                reports.append((report.nodeid, report.outcome, str(report.longrepr)[-1500:] if report.failed else ""))

    settings = found / "pytest.ini"
    lines = ["[pytest]", f"pythonpath = {root} {root}/tests", "markers = slow: not here", "filterwarnings = error"]
    settings.write_text("\n".join(lines), encoding="utf-8")
    options = ["-c", str(settings), f"--rootdir={root}", "--import-mode=importlib", "--capture=sys", "-q", "--tb=short"]
    without = ["-pno:cacheprovider", "-pno:faulthandler", "-pno:logging"]
    pytest.main([*options, *without, "--continue-on-collection-errors", *arguments], plugins=[Plugin()])
    return reports


TASKS = {"outcomes": outcomes, "exercises": exercises, "stops": stops, "pytests": pytests}

for task, given in job["tasks"].items():
    began = time.perf_counter()
    result = TASKS[task](given)
    (found / f"{task}.pickle").write_bytes(pickle.dumps(result))
    print(f"{task}: {time.perf_counter() - began:.1f} s", flush=True)

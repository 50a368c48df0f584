"""Starts Python in WebAssembly under node: inside.py runs there."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import dev

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STACK = 500  # kilobytes: what browsers give a worker, in which a notebook's kernel runs. Node's own is twice as large


def start_inside(node: str, release: Path, folder: Path, **tasks: list[str]) -> subprocess.Popen[str]:
    """Start what does the tasks of inside.py, by name and arguments, and puts what they found into the folder.

    `release` is the folder that tools/pyodide_release.py makes.
    """
    job = {
        "release": str(release),
        "packages": ["numpy"],
        "folders": [str(ROOT), str(folder)],  # under the names that they have here, so that tracebacks are the same
        "program": str(HERE / "inside.py"),
        "root": str(ROOT),
        "packages_here": dev.site_packages(),
        "found": str(folder),
        "tasks": tasks,
    }
    file = folder / "job.json"
    file.write_text(json.dumps(job), encoding="utf-8")
    command = [node, f"--stack-size={STACK}", str(HERE / "run.mjs"), str(file)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8")


def found_by(task: str, folder: Path) -> Any:
    """What a task has found."""
    return pickle.loads((folder / f"{task}.pickle").read_bytes())

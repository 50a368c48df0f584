"""What has been done: one small file beside the notebooks.

The file is `.progress.json` in the folder of the notebooks; outside of that folder nothing is written, and progress
lasts as long as the kernel. Losing it loses nothing else. A file that cannot be read is set aside, never deleted.
Several notebooks may be open at once: each waits for its turn to read the file and write it. No check looks at it, so
what a notebook shows does not depend on it.

It says what was passed and answered, and of each exercise the day on which it was last tried, how often it was tried
until it passed, and which diagnoses that met how often: no code and no text of the learner's. It goes nowhere by
itself. `MINIGRAD_PROGRESS=off` keeps nothing.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
from pathlib import Path
from typing import Any

try:
    from fcntl import LOCK_EX, flock
except ImportError:  # Windows has no such lock, nor a browser: of two writes at the same moment one gets lost there
    flock = None  # type: ignore[assignment]

FIRST_CHAPTER = "00_start_here.ipynb"
NAME = ".progress.json"
VARIABLE = "MINIGRAD_PROGRESS"  # names another file, or is "off"

KINDS, TRIES = ("exercises", "predictions"), "tries"
UNTIL = ": progress is kept until the kernel stops."


class Progress:
    """What the learner passed and answered: kind -> name -> "passed", "tried", "right" or "wrong"; and under "tries"
    name -> the day of the last one, how many there were, and the diagnoses that were met, with their number.
    """

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {kind: {} for kind in (*KINDS, TRIES)}
        self.note = ""  # what the learner should know about the file, if anything
        self.chapter = ""  # the one that was last asked for something in this kernel

    def path(self) -> Path | None:
        """The file, or None where there are no notebooks beside which it could stand."""
        if named := os.environ.get(VARIABLE):
            return None if named == "off" else Path(named)
        for folder in (Path.cwd(), Path.cwd() / "notebooks"):
            if (folder / FIRST_CHAPTER).is_file():
                return folder / NAME
        return None

    def record(self, kind: str, name: str, state: str, diagnosis: str = "") -> None:
        """Keep a result; of an exercise that was tried also the name of the diagnosis. What was passed or right once
        stays so, and is not counted any more.
        """
        path, folder = self.path(), None
        try:  # meanwhile no other kernel records: its result would be overwritten by what was read before it
            with contextlib.suppress(OSError):  # no folder, or one without locks: then there is nobody to wait for
                if path is not None and flock is not None:
                    folder = os.open(path.parent, os.O_RDONLY)
                    flock(folder, LOCK_EX)  # of the folder itself, which is always there
            known = self.load()
            before, changed = known[kind].get(name), {}
            if before not in (state, "passed", "right"):
                changed[kind] = known[kind] | {name: state}
            if kind == "exercises":
                tries = known[TRIES].get(name, {"count": 0, "met": {}}) | {"last": datetime.date.today().isoformat()}
                if before != "passed":
                    tries["count"] += 1
                    tries["met"] = tries["met"] | ({diagnosis: tries["met"].get(diagnosis, 0) + 1} if diagnosis else {})
                changed[TRIES] = known[TRIES] | {name: tries}
            if changed:
                self._save(known | changed)
                known.update(changed)  # afterwards: where the writing was stopped, it is to be done again
        finally:
            if folder is not None:
                os.close(folder)

    def load(self) -> dict[str, dict[str, Any]]:
        """All that is known, from the file and from this kernel."""
        path = self._file()
        if path is None or not path.exists():
            return self.kept
        try:
            found = read(path)
        except (OSError, ValueError) as error:
            self._tell(path, "could not be read", error)
            aside = path.with_name(path.name + ".broken")
            with contextlib.suppress(OSError):
                path.replace(aside)
                self._tell(path, "could not be read", error, f". It is kept as {aside.name}, and a new one is begun.")
            return self.kept
        for kind in KINDS:
            for name, state in found[kind].items():
                if self.kept[kind].get(name) not in ("passed", "right"):
                    self.kept[kind][name] = state
        self.kept[TRIES] |= found[TRIES]
        return self.kept

    def _file(self) -> Path | None:
        """The file, if it is one or can become one: a folder or a device of this name is neither read nor moved."""
        path = self.path()
        if path is None or path.is_file() or not path.exists():
            return path
        self._tell(path, "is not a file")
        return None

    def _tell(self, path: Path, what: str, error: Exception | None = None, then: str = UNTIL) -> None:
        self.note = f"{path.name} {what}{f' ({type(error).__name__})' if error else ''}{then}"

    def _save(self, known: dict[str, dict[str, Any]]) -> None:
        path = self._file()
        if path is None:
            return
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            fresh.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            fresh.replace(path)  # at once or not at all: two kernels may write
        except OSError as error:
            self._tell(path, "cannot be written", error)
            with contextlib.suppress(OSError):
                fresh.unlink()


def read(path: Path) -> dict[str, dict[str, Any]]:
    """What a file of progress says. OSError, or ValueError for one that says something else."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        found = {kind: {str(name): str(state) for name, state in stored[kind].items()} for kind in KINDS}
        return {**found, TRIES: {name: _tries(**entry) for name, entry in stored.get(TRIES, {}).items()}}
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"this is no file of progress: {type(error).__name__}") from error


def _tries(last: str, count: int, met: dict[str, int]) -> dict[str, Any]:
    """What is kept of the tries of one exercise. TypeError or ValueError for anything else."""
    day = datetime.date.fromisoformat(last).isoformat()
    return {"last": day, "count": int(count), "met": {str(name): int(times) for name, times in met.items()}}


kept = Progress()

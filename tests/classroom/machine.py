"""A machine for a class, within this one: Linux namespaces, in which the README's commands are run as they stand there.

It has accounts, homes, a /tmp and processes of its own, and the course in /opt/minigrad. What runs there serves ports
of 127.0.0.1 of this machine, so that a browser out here reaches it. Nothing of it is left when it is closed: accounts
are made in a copy of /etc, homes are a folder that the test names, and its processes end with it.

Only root can make one.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
COURSE = Path("/opt/minigrad")
# Within: a copy of /etc, empty folders for what accounts write to, and the course. The copies of /proc, /dev/shm and
# /tmp are new, too. A Python that only root reaches (below /root) is put where it was, and all else there is hidden.
SET_UP = r"""
set -eu
scratch=/mnt
mount -t tmpfs -o mode=755 class $scratch
mkdir $scratch/etc $scratch/python $scratch/course $scratch/kept $scratch/kept/hub $scratch/notebooks $scratch/homes
cp -a /etc/. $scratch/etc
mount --bind "$PYTHON" $scratch/python
mount --bind "$COURSE" $scratch/course
mount --bind "$COURSE/.home/hub" $scratch/kept/hub
mount --bind "$NOTEBOOKS" $scratch/notebooks
mount --bind "$HOMES" $scratch/homes
for folder in /opt /tmp /var/mail /var/log /dev/shm $HIDDEN; do mount -t tmpfs -o mode=755 class $folder; done
chmod 1777 /tmp /dev/shm
mount --bind $scratch/etc /etc
mount --bind $scratch/homes /home
mkdir -p "$PYTHON" /opt/minigrad
mount --bind $scratch/python "$PYTHON"
mount --bind $scratch/course /opt/minigrad
mount --rbind $scratch/kept /opt/minigrad/.home
mount --bind $scratch/notebooks /opt/minigrad/notebooks
umount -l $scratch
cd /opt/minigrad
echo ready
while :; do sleep 600; done  # a shell, which waits for processes whose parents are gone
"""


class Machine:
    """What runs in the namespaces, by the id of their first process."""

    def __init__(self, first: int, homes: Path, notebooks: Path) -> None:
        self.first, self.homes, self.notebooks = first, homes, notebooks

    def command(self, *words: object, user: str = "") -> list[str]:
        """The command that runs these words within, in the folder of the course."""
        within = ["nsenter", f"--target={self.first}", "--mount", "--pid", f"--wdns={COURSE}"]
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--"] if user else []
        return [*within, *as_user, *map(str, words)]

    def run(self, *words: object, user: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(*words, user=user), capture_output=True, text=True, timeout=120, **options)

    def start(self, *words: object, log: Path) -> subprocess.Popen[str]:
        with log.open("w") as file:
            return subprocess.Popen(
                self.command(*words), stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=variables(), text=True
            )

    def processes(self, user: str) -> list[int]:
        """The ids, out here, of what an account runs within."""
        uid = self.run("id", "-u", user).stdout.strip()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                same = os.readlink(folder / "ns/pid") == os.readlink(f"/proc/{self.first}/ns/pid_for_children")
                status = (folder / "status").read_text()
                if same and f"\nUid:\t{uid}\t" in status:
                    found.append(int(folder.name))
        return found


def variables() -> dict[str, str]:
    """What a shell of root has, and nothing that a test or a tool has set."""
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}


def python() -> Path:
    """The Python behind that of the course, as it is called within."""
    return Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"


def closed_folder(path: Path) -> str:
    """The outermost folder above a path that only its owner may enter, or nothing."""
    return next((str(folder) for folder in [*reversed(path.parents), path] if not folder.stat().st_mode & 0o001), "")


@contextlib.contextmanager
def machine() -> Iterator[Machine]:
    with tempfile.TemporaryDirectory() as folder:
        homes, notebooks = Path(folder, "homes"), Path(folder, "notebooks")
        homes.mkdir()
        shutil.copytree(ROOT / "notebooks", notebooks, ignore=shutil.ignore_patterns("__pycache__", ".progress*"))
        (ROOT / ".home").mkdir(exist_ok=True)
        prefix = Path(sys.base_prefix)
        told = {"PYTHON": prefix, "COURSE": ROOT, "NOTEBOOKS": notebooks, "HOMES": homes}
        told["HIDDEN"] = closed_folder(prefix)
        process = subprocess.Popen(
            # with this process it ends, too, however that one ends
            [
                "setpriv",
                "--pdeathsig=KILL",
                "unshare",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc",
                "bash",
                "-c",
                SET_UP,
            ],
            env=variables() | {name: str(value) for name, value in told.items()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", "the namespaces could not be made"
            first = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
            yield Machine(int(first), homes, notebooks)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

"""One student's server: brings the chapters in the folder up to date, then becomes the server of JupyterLab.

JupyterHub starts it as the student, with the student's rights and within the student's limits, and with the variables
that it gives to a server of its own: on one machine (jupyterhub_config.py), and with The Littlest JupyterHub
(littlest/minigrad.py). Nothing is done to a student's files by anybody else.

    ~/course    the chapters without their solutions. What the student wrote there stays (tools/student.py says how),
                and so does `.progress.json`, which `python dev.py class` reads

JupyterLab asks nothing of its own and takes no chapter for changed that was only opened, as `dev.py lab` has it.

Whatever becomes of the update, the server starts: a student whose disk is full still gets at the answers.

CLASS_HOST names the host in the browser's address bar, where that is not the name of the machine; `*` allows all, which
those need who have no name for it but a number.
"""

import contextlib
import os
import socket
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from dev import LANGUAGE  # noqa: E402

STUDENT = HERE.parent / "tools" / "student.py"
PATIENCE = 60  # seconds for the update, which takes two
# A page of another site, which lets its own name point here, is refused: a browser has to ask for one of these.
HOSTS = ["localhost", socket.gethostname(), *os.environ.get("CLASS_HOST", "").split()]
OPTIONS = [
    *(f"--ServerApp.local_hostnames={host}" for host in HOSTS),
    # JupyterHub would allow every name. Empty is False.
    f"--ServerApp.tornado_settings=allow_remote_access={'*' if '*' in HOSTS else ''}",
    "--KernelManager.transport_encryption=required",  # else every account could listen to every kernel on 127.0.0.1
    "--MappingKernelManager.cull_idle_timeout=3600",  # seconds; kernels of pages that were closed
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
]


def main(arguments: list[str]) -> None:
    os.umask(0o077)  # what is written from now on, others cannot read
    home = Path.home()
    home.chmod(0o700)
    try:
        subprocess.run([sys.executable, STUDENT, home / "course"], timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        print(f"The chapters in {home / 'course'} were not brought up to date in {PATIENCE} s.", file=sys.stderr)
    (home / "course").mkdir(exist_ok=True)
    with contextlib.suppress(OSError):
        startup = home / ".ipython" / "profile_default" / "startup"
        startup.mkdir(parents=True, exist_ok=True)
        (startup / "minigrad_language.py").write_text(LANGUAGE)
    os.environ["JUPYTER_CONFIG_PATH"] = str(HERE / "jupyter")
    os.execv(sys.executable, [sys.executable, "-m", "jupyterhub.singleuser", *OPTIONS, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])

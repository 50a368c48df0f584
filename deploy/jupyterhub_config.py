"""JupyterHub for a class on one machine: `sudo python3 dev.py hub`. deploy/README.md leads through it.

A student is an account of the machine in the group `minigrad-class`, which accounts.py makes. Each one's server runs
as that account, so that it is the operating system that keeps students' files, processes and tokens apart; their homes
are 0700. All run the one environment of this clone, which none of them can write to.

Where systemd runs, a student has a share of the machine, with all that the student starts: memory, cores, processes, a
/tmp. Elsewhere (a container) the limits are those of Linux alone: memory for each process, processes for each student.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HUB_PACKAGES = ROOT / ".home" / "hub"
STATE = ROOT / ".home" / "class"  # what the hub knows: its secrets, its users, and hashes of their tokens
GROUP = "minigrad-class"
MEMORY = 1024**3  # bytes for each student; deploy/README.md says what is used of it
CORES = 1.0
PROCESSES = 256  # with their threads
IDLE = 3600  # seconds until a server that nobody uses ends

c = get_config()  # type: ignore[name-defined]  # noqa: F821 (JupyterHub gives it)

# --- who may come in: members of the group, with the passwords of their accounts ---

c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.allowed_groups = {GROUP}

# --- what the hub itself needs ---

STATE.mkdir(mode=0o700, exist_ok=True)
STATE.chmod(0o700)
c.JupyterHub.ip = "127.0.0.1"  # `dev.py hub --ip=... --port=...` come before these two
c.JupyterHub.port = 8000
c.JupyterHub.db_url = f"sqlite:///{STATE / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(STATE / "cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(STATE / "proxy.pid")
c.ConfigurableHTTPProxy.command = [str(HUB_PACKAGES / "proxy" / "node_modules" / ".bin" / "configurable-http-proxy")]

# --- a student's server ---

PROPERTIES = {"LimitDATA": str(MEMORY), "TasksMax": str(PROCESSES), "ProtectProc": "invisible"}
c.Spawner.cmd = [sys.executable, str(ROOT / "deploy" / "server.py")]
if Path("/run/systemd/system").is_dir():
    c.JupyterHub.spawner_class = "systemd"
    c.SystemdSpawner.mem_limit = MEMORY
    c.SystemdSpawner.cpu_limit = CORES
    c.SystemdSpawner.isolate_tmp = True
    c.SystemdSpawner.isolate_devices = True
    c.SystemdSpawner.disable_user_sudo = True
    c.SystemdSpawner.default_shell = "/bin/bash"
    c.SystemdSpawner.unit_extra_properties = PROPERTIES
else:
    c.JupyterHub.spawner_class = "localprocess"
    c.Spawner.cmd = ["prlimit", f"--data={MEMORY}", f"--nproc={PROCESSES}", *c.Spawner.cmd]
c.Spawner.notebook_dir = "~/course"
c.Spawner.default_url = "/lab/tree/00_start_here.ipynb"
c.Spawner.environment = {
    "CLASS_HOST": os.environ.get("CLASS_HOST", ""),  # the name in the address bar, where it is not that of the machine
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
    "PYTHONPATH": str(HUB_PACKAGES),
    "SHELL": "/bin/bash",  # of terminals: the accounts have none, so that nobody logs in elsewhere with them
    # Many students share the cores. A thread of numpy's for each core of the machine would take memory and win nothing.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}


def refuse_what_is_closed(_spawner):
    """Say so where a folder above what a server runs is closed to students: else it ends before it can say a word."""
    for place in (Path(sys.executable).resolve(), ROOT / "deploy", HUB_PACKAGES):
        for folder in [*reversed(place.parents), place]:
            if not folder.stat().st_mode & 0o001:
                error = PermissionError(f"{folder} is closed to students' accounts, and their servers run {place}")
                error.jupyterhub_message = f"{error}. deploy/README.md says how to set the course up elsewhere."
                raise error


c.Spawner.pre_spawn_hook = refuse_what_is_closed
c.Spawner.start_timeout = c.Spawner.http_timeout = 180  # seconds: a whole class begins at the same minute

# --- what nobody uses is ended; answers are in files, and stay ---

c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={IDLE}"],
        "environment": {"PYTHONPATH": str(HUB_PACKAGES)},
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    }
]

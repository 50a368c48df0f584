"""The Littlest JupyterHub: /opt/tljh/config/jupyterhub_config.d/minigrad.py, which is loaded after its own settings.

It starts ../server.py as each student's server, which brings the chapters up to date. CLASS_HOST is the name in the
browser's address bar.
"""

CLASS_HOST = "class.example.org"

c = get_config()  # type: ignore[name-defined]  # noqa: F821 (JupyterHub gives it)
c.Spawner.cmd = ["/opt/tljh/user/bin/python", "/opt/minigrad/deploy/server.py"]
c.Spawner.notebook_dir = "~/course"
c.Spawner.default_url = "/lab/tree/00_start_here.ipynb"
c.Spawner.environment = {
    "CLASS_HOST": CLASS_HOST,
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}
c.Spawner.start_timeout = c.Spawner.http_timeout = 180
c.SystemdSpawner.isolate_tmp = True
c.SystemdSpawner.isolate_devices = True
c.SystemdSpawner.unit_extra_properties = {"LimitDATA": "1G", "TasksMax": "256", "ProtectProc": "invisible"}

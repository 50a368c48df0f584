"""The settings of deploy/, and what its README says of them: the same limits everywhere, and what it names is there."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from traitlets.config import Config

import dev

DEPLOY = Path(__file__).parents[2] / "deploy"
README = (DEPLOY / "README.md").read_text(encoding="utf-8")
GIGABYTE = 1024**3


def settings(file: str, monkeypatch: pytest.MonkeyPatch, *, systemd: bool) -> Any:
    """What a file of JupyterHub's settings sets."""
    there = Path.is_dir
    monkeypatch.setattr(Path, "is_dir", lambda path: systemd if str(path) == "/run/systemd/system" else there(path))
    monkeypatch.setattr(Path, "mkdir", lambda *_, **__: None)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)
    config = Config()
    code = compile((DEPLOY / file).read_text(encoding="utf-8"), str(DEPLOY / file), "exec")
    exec(code, {"get_config": lambda: config, "__file__": str(DEPLOY / file), "__name__": "settings"})
    return config


def values(file: str) -> Any:
    return yaml.safe_load((DEPLOY / file).read_text(encoding="utf-8"))


def test_where_systemd_runs_a_student_has_one_share_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    c = settings("jupyterhub_config.py", monkeypatch, systemd=True)
    assert c.JupyterHub.spawner_class == "systemd"
    assert (c.SystemdSpawner.mem_limit, c.SystemdSpawner.cpu_limit) == (GIGABYTE, 1.0)
    assert c.SystemdSpawner.unit_extra_properties["LimitDATA"] == str(GIGABYTE)
    assert c.SystemdSpawner.unit_extra_properties["TasksMax"] == "256"
    assert c.SystemdSpawner.isolate_tmp
    assert c.SystemdSpawner.disable_user_sudo
    assert not re.search(r"[{}]", " ".join(c.Spawner.cmd))  # which systemd's spawner would expand


def test_elsewhere_each_process_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    c = settings("jupyterhub_config.py", monkeypatch, systemd=False)
    assert c.JupyterHub.spawner_class == "localprocess"
    assert c.Spawner.cmd[:3] == ["prlimit", f"--data={GIGABYTE}", "--nproc=256"]
    assert Path(c.Spawner.cmd[-1]) == DEPLOY / "server.py"


def test_a_python_that_students_cannot_reach_is_told_before_a_server_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A virtual environment may stand in /opt and link to a Python below /root."""
    c = settings("jupyterhub_config.py", monkeypatch, systemd=False)
    closed = tmp_path / "pyenv"
    os.mkdir(closed, mode=0o700)
    (closed / "python3").touch(mode=0o755)
    (tmp_path / "python").symlink_to(closed / "python3")
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    stat = Path.stat  # what lies above, pytest has closed

    def only_this_is_closed(path: Path, **options: bool) -> Any:
        return stat(path, **options) if path == closed else os.stat_result([0o755] + [0] * 9)

    monkeypatch.setattr(Path, "stat", only_this_is_closed)
    with pytest.raises(PermissionError, match=re.escape(f"{closed} is closed to students' accounts")) as raised:
        c.Spawner.pre_spawn_hook(None)
    assert "deploy/README.md" in raised.value.jupyterhub_message  # type: ignore[attr-defined]
    os.chmod(closed, 0o755)
    c.Spawner.pre_spawn_hook(None)


@pytest.mark.parametrize("systemd", [True, False])
def test_only_members_of_the_class_come_in_and_the_hub_stays_on_this_machine(
    monkeypatch: pytest.MonkeyPatch, systemd: bool
) -> None:
    c = settings("jupyterhub_config.py", monkeypatch, systemd=systemd)
    assert c.JupyterHub.authenticator_class == "pam"
    assert c.PAMAuthenticator.allowed_groups == {"minigrad-class"}
    assert "allow_all" not in c.Authenticator
    assert c.JupyterHub.ip == "127.0.0.1"
    (service,), (role,) = c.JupyterHub.services, c.JupyterHub.load_roles
    assert service["name"] == "idle-culler"
    assert role["services"] == ["idle-culler"]
    assert not {"admin:users", "access:servers", "admin:servers"} & set(role["scopes"])


def test_the_littlest_has_the_same_server_and_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    c = settings("littlest/minigrad.py", monkeypatch, systemd=True)
    one = settings("jupyterhub_config.py", monkeypatch, systemd=True)
    assert Path(c.Spawner.cmd[-1]).name == Path(one.Spawner.cmd[-1]).name == "server.py"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MALLOC_ARENA_MAX"):
        assert c.Spawner.environment[name] == one.Spawner.environment[name]
    assert c.SystemdSpawner.unit_extra_properties == one.SystemdSpawner.unit_extra_properties | {"LimitDATA": "1G"}
    assert values("littlest/config.yaml")["limits"] == {"memory": "1G", "cpu": 1}
    assert values("littlest/config.yaml")["https"]["letsencrypt"]["domains"] == [c.Spawner.environment["CLASS_HOST"]]


def test_the_pods_have_the_same_limits_and_bring_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    student = values("kubernetes/values.yaml")["singleuser"]
    one = settings("jupyterhub_config.py", monkeypatch, systemd=True)
    assert (student["memory"]["limit"], student["cpu"]["limit"]) == ("1G", 1)
    variables = student["extraEnv"]
    lab = variables.pop("JUPYTER_CONFIG_PATH").removeprefix("/srv/minigrad/")
    assert (DEPLOY.parent / lab / "labconfig" / "default_setting_overrides.json").is_file()
    for name, value in variables.items():
        assert one.Spawner.environment[name] == value
    command = student["lifecycleHooks"]["postStart"]["exec"]["command"][-1]
    (script,) = re.findall(r"/srv/minigrad/(\S+)", command)
    assert (DEPLOY.parent / script).is_file()
    assert command.endswith("|| true")  # else a full disk would keep a student out
    assert student["defaultUrl"].endswith("/course/00_start_here.ipynb")
    assert student["storage"]["homeMountPath"] == "/home/jovyan"


def test_all_end_what_nobody_uses_after_the_same_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    c = settings("jupyterhub_config.py", monkeypatch, systemd=True)
    ends = [values("littlest/config.yaml")["services"]["cull"], values("kubernetes/values.yaml")["cull"]]
    assert [(cull["enabled"], cull["timeout"]) for cull in ends] == [(True, 3600)] * 2
    assert "--timeout=3600" in c.JupyterHub.services[0]["command"]


def test_what_the_readme_names_is_there() -> None:
    named = set(re.findall(r"(?:deploy/|/opt/minigrad/)([\w/.-]+\.(?:py|yaml|txt|service))", README))
    named = {name.removeprefix("deploy/") for name in named}
    assert {"accounts.py", "minigrad-hub.service", "littlest/minigrad.py", "kubernetes/values.yaml"} <= named
    for name in named:
        assert (DEPLOY / name).is_file() or (DEPLOY.parent / name).is_file(), name
    for command in re.findall(r"dev\.py (\w+)", README):
        assert re.search(rf"^  {command} ", dev.USAGE, re.MULTILINE), command
    for heading in re.findall(r"\]\(#([\w-]+)\)", README):
        assert re.search(rf"^##+ {heading.replace('-', ' ')}$", README, re.MULTILINE | re.IGNORECASE), heading


def test_the_unit_starts_what_the_readme_starts() -> None:
    unit = (DEPLOY / "minigrad-hub.service").read_text(encoding="utf-8")
    assert "ExecStart=/usr/bin/python3 /opt/minigrad/dev.py hub" in unit

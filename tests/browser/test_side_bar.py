"""The course opens wide: by what `python dev.py lab` writes, the side bar is closed until a learner opens it."""

import json
from pathlib import Path
from typing import Any

import pytest
from jupyterlab_server.workspaces_handler import slugify
from playwright.sync_api import expect

import dev


def test_the_side_bar_begins_closed(lab: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "HOME", str(tmp_path))
    dev.write_lab_settings()
    (written,) = (tmp_path / "jupyter" / "workspaces").iterdir()
    workspace = json.loads(written.read_text(encoding="utf-8")) | {"metadata": {"id": "fresh"}}
    folder = Path(lab.server.environment["JUPYTERLAB_WORKSPACES_DIR"])
    folder.mkdir(exist_ok=True)
    (folder / f"{slugify('fresh')}.jupyterlab-workspace").write_text(json.dumps(workspace), encoding="utf-8")
    lab.server.write("wide.ipynb", ["1 + 1"])
    lab.load_anew()
    address = f"{lab.server.url}/lab/workspaces/fresh/tree/wide.ipynb?token={lab.server.token}"
    lab.page.goto(address, timeout=120_000)
    expect(lab.page.locator(".jp-Notebook")).to_be_visible(timeout=60_000)
    lab.wait_for_kernel()
    assert lab.page.evaluate("() => window.jupyterapp.shell.leftCollapsed")
    lab.page.locator(".jp-SideBar.jp-mod-left [title^='File Browser']").click()
    expect(lab.page.locator("#jp-left-stack")).to_be_visible()

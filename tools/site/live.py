"""The course as a page that runs it: JupyterLite, with Python and numpy as WebAssembly, in `live/` of the site.

The parts, and where each comes from:

    lab          JupyterLite, and the extensions of ipywidgets, anywidget and the Pyodide kernel, all from .venv
    chapters     notebooks/, with what they show. Their exercises are a package, beside minigrad: the kernel reads these
                 files ten times as fast as those that are kept by the browser
    packages     one wheel each: minigrad, the course, and what the steppers need, as it is installed in .venv
    Pyodide      Python, numpy, matplotlib and IPython: files of one release, which live/pyodide.json lists with their
                 sizes and sha256. The page loads them from Pyodide's own server; with `--pyodide FOLDER`, which has
                 that release, they become part of the site, and the page asks nobody else for anything
    live/        what is ours on the page: page.mjs (what is loaded, and the answers), worker.js (the loading itself)

Two builds are equal, byte for byte.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import nbformat

import dev
from tools.student import CHAPTERS, fingerprint

ROOT = Path(__file__).parents[2]
OURS = Path(__file__).parent / "live"
EXTENSIONS = ("@jupyter-widgets/jupyterlab-manager", "@jupyterlite/pyodide-kernel-extension", "anywidget")
KERNEL_WHEELS = ("ipykernel", "piplite", "pyodide_kernel")  # they come with the kernel's extension
PURE = ("anywidget", "comm", "graphviz", "ipywidgets", "psygnal", "tqdm", "typing_extensions")
# What the kernel would install by itself, in its own spelling. `ssl` is never imported: worker.js leaves it out.
KERNEL_PACKAGES = ("ssl", "sqlite3", "ipykernel", "comm", "pyodide_kernel", "jedi", "ipython", "micropip", "piplite")
OWN_PLACE = "https://cdn.jsdelivr.net/pyodide/v{version}/full/"  # where Pyodide's documentation says that it is
LAB = 12_000_000  # bytes that a browser loads of JupyterLite from a server that does not compress, and of our packages
POLICY = (  # a widget's script is a blob, and JupyterLab makes its checks of settings as text that is run
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:; "
    "style-src 'self' 'unsafe-inline' data:"
)
# What the Pyodide kernel says of its language, and JupyterLab writes into each notebook that it opens: what holds it is
# not changed by opening alone, and not kept by the browser until something was done in it.
LANGUAGE = {
    "codemirror_mode": {"name": "python", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
    "version": "3.8",
}
EPOCH = (1980, 1, 1, 0, 0, 0)
HEAD = re.compile(r"<title>.*?</title>", re.DOTALL)
BOOT = re.compile(r"<script>\s*\(async function.*?</script>", re.DOTALL)


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0].startswith("-"):
        print("usage: python -m tools.site.live FOLDER [--pyodide FOLDER]", file=sys.stderr)
        return 2
    print(build(Path(arguments[0]), arguments[1:]))
    return 0


def own_options() -> argparse.ArgumentParser:
    """What can be said of this part, for the parser of the whole."""
    parser = argparse.ArgumentParser(prog="python dev.py site", add_help=False)
    parser.add_argument(
        "--pyodide",
        type=Path,
        metavar="FOLDER",
        help="a release of Pyodide to put into the site; else the page loads it from Pyodide's own server",
    )
    return parser


def folder_of_pyodide(arguments: list[str]) -> Path | None:
    """The folder that the options of this part name, if they do. SystemExit, with words, if it is not the right one."""
    pyodide: Path | None = own_options().parse_args(arguments).pyodide
    if pyodide is not None:
        check_release(pyodide)
    return pyodide


def build(folder: Path, arguments: list[str]) -> str:
    """Write `live/` into a folder, with the options of this part; returns a line that says how large it became.
    SystemExit, with words, where a part is not as it has to be.
    """
    pyodide, release = folder_of_pyodide(arguments), described_release()
    site = folder.absolute() / "live"
    with TemporaryDirectory() as made:
        source = Path(made) / "source"  # not beside the site: what lies there JupyterLite passes over in silence
        python = Path(made) / "static" / "python"
        python.mkdir(parents=True)
        packages = own_packages(python)
        if pyodide is not None:
            for name in release_files(release):
                shutil.copy(pyodide / name, python)
        place = OWN_PLACE.format(**release["info"]) if pyodide is None else ""
        write_index(release, packages, place, python)
        write_settings(source, release)
        for path in CHAPTERS:
            write_chapter(path, source / "files" / path.name)
        images = ROOT / "notebooks" / "images"
        shutil.copytree(images, source / "files" / "images")
        shutil.rmtree(site, ignore_errors=True)
        make_lab(source, site)
        shutil.copytree(images, site / "lab" / "images")  # where JupyterLab asks first
        for path in [*OURS.glob("*.mjs"), OURS / "page.css"]:
            shutil.copy(path, python.parent)
        shutil.copy(OURS / "worker.js", python)
        shutil.copytree(python.parent, site / "static")
    write_page(site / "lab" / "index.html")
    return describe_sizes(site, release)


# ---------------------------------------------------------------- packages


def own_packages(folder: Path) -> dict[str, dict[str, Any]]:
    """Write the wheels that are not Pyodide's; returns their entries of pyodide-lock.json."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for path in (ROOT / "minigrad").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    wheels = [
        write_wheel(folder, project["name"], project["version"], package),
        write_wheel(folder, "minigrad_course", project["version"], course_files()),
        *(repack(folder, name) for name in PURE),
    ]
    pypi = extension_folder(EXTENSIONS[1]) / "static" / "pypi"
    for name in KERNEL_WHEELS:
        wheels.append(Path(shutil.copy(next(pypi.glob(f"{name}-*.whl")), folder)))
    return dict(map(lock_entry, wheels))


def course_files() -> dict[str, bytes]:
    """The exercises, which look into the chapters for their order, and what the kernel runs when it starts."""
    files = {
        path.relative_to(ROOT).as_posix(): path.read_bytes() for path in (ROOT / "notebooks" / "exercises").glob("*.py")
    }
    for path in CHAPTERS:
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = []
        files[path.relative_to(ROOT).as_posix()] = json.dumps(notebook).encode("utf-8")
    return files | {"minigrad_live.py": (OURS / "minigrad_live.py").read_bytes()}


def repack(folder: Path, name: str) -> Path:
    """A wheel of what is installed: without what is compiled for this machine, beside which lies the Python from which
    it was made, and without what a server would show.
    """
    installed = metadata.distribution(name)
    files = {}
    for file in installed.files or []:
        is_code = file.suffix == ".py" or file.name == "py.typed" or file.suffix in (".css", ".js", ".json")
        is_described = file.parts[0].endswith(".dist-info") and file.name in ("METADATA", "WHEEL")
        if ".." not in file.parts and (is_described or is_code) and "extension" not in "".join(file.parts[1:2]):
            files[file.as_posix()] = Path(str(file.locate())).read_bytes()
    return write_wheel(folder, name, installed.version, files)


def write_wheel(folder: Path, name: str, version: str, files: dict[str, bytes]) -> Path:
    """A wheel for any machine, the same each time that it is written."""
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    described = f"{name}-{version}.dist-info"
    files = {
        f"{described}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{described}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    } | files
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            archive.writestr(zipfile.ZipInfo(path, EPOCH), files[path], zipfile.ZIP_DEFLATED)
    return wheel


def lock_entry(wheel: Path) -> tuple[str, dict[str, Any]]:
    stem, version = wheel.name.split("-")[:2]
    with zipfile.ZipFile(wheel) as archive:
        tops = sorted({path.split("/")[0].removesuffix(".py") for path in archive.namelist()})
    name = stem.replace("_", "-")
    return name, {
        "depends": [],  # all are loaded, whatever needs them
        "file_name": wheel.name,
        "imports": [top for top in tops if top.isidentifier()],
        "install_dir": "site",
        "name": name,
        "package_type": "package",
        "sha256": sha256(wheel),
        "size": wheel.stat().st_size,
        "unvendored_tests": False,
        "version": version,
    }


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# ---------------------------------------------------------------- Pyodide


def described_release() -> dict[str, Any]:
    """The release that the course is tried with: its version, and its files by name."""
    release: dict[str, Any] = json.loads((OURS / "pyodide.json").read_text())
    return release


def check_release(folder: Path) -> None:
    """SystemExit, with words, if a folder lacks a file of Pyodide that the course needs, or has another one."""
    release = described_release()
    for name, expected in release_files(release).items():
        path = folder / name
        if not path.is_file():
            sys.exit(f"{folder} has no {name}: --pyodide takes the folder of Pyodide {release['info']['version']}")
        if sha256(path) != expected["sha256"]:
            sys.exit(f"{path} is not the file of Pyodide {release['info']['version']}: its sha256 is another")


def release_files(release: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The files by name, each with its size and sha256."""
    return release["runtime"] | {entry["file_name"]: entry for entry in release["packages"].values()}


def megabytes() -> int:
    """How much a browser loads that has never been here."""
    python = sum(entry["size"] for entry in release_files(described_release()).values())
    return round((python + LAB) / 1e6)


def own_host() -> str:
    """The host that the page asks for Pyodide where the site does not have it."""
    return urlsplit(OWN_PLACE).netloc


def write_index(release: dict[str, Any], packages: dict[str, Any], place: str, folder: Path) -> None:
    """Write what worker.js reads: pyodide-lock.json, with the runtime and the sizes of all files, and the place of
    Pyodide's own.
    """
    theirs = {name: entry | {"file_name": place + entry["file_name"]} for name, entry in release["packages"].items()}
    runtime = {name: entry | {"url": place + name} for name, entry in release["runtime"].items()}
    lock = {"info": release["info"], "packages": theirs | packages, "runtime": runtime}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock, indent=1, sort_keys=True) + "\n")


# ---------------------------------------------------------------- the lab


def extension_folder(name: str) -> Path:
    """Where the extension of JupyterLab is installed: that of the kernel apart from what JupyterLab itself loads."""
    places = (Path(dev.SITE_PACKAGES), Path(sys.prefix))
    folders = [place / "share" / "jupyter" / "labextensions" / name for place in places]
    return next(folder for folder in folders if folder.is_dir())


def write_settings(source: Path, release: dict[str, Any]) -> None:
    source.mkdir()
    version = ".".join(release["info"]["python"].split(".")[:2])
    kernel = {
        "pyodideUrl": "./static/python/worker.js",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "packages": [*KERNEL_PACKAGES, *PURE, "matplotlib", "minigrad", "minigrad_course"],
            "env": {
                "HOME": "/home/pyodide",
                "PYTHONSTARTUP": f"/lib/python{version}/site-packages/minigrad_live.py",
            },
        },
    }
    lite = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "minigrad",
            "exposeAppInBrowser": True,  # page.mjs uses it
            "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": kernel},
        },
    }
    (source / "jupyter-lite.json").write_text(json.dumps(lite))
    shutil.copy(OURS / "overrides.json", source)
    extensions = [str(extension_folder(name)) for name in EXTENSIONS]
    build_config = {"apps": ["lab"], "contents": ["files"], "federated_extensions": extensions}
    build_config |= {"ignore_sys_prefix": True, "no_sourcemaps": True, "no_unused_shared_packages": True}
    (source / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": build_config}))


def write_chapter(path: Path, target: Path) -> None:
    """A chapter as JupyterLite shows it before anything has run. Each cell says in its metadata what it was made from,
    as those of `dev.py student` do: so an answer is known as one. And so does the chapter, which is kept by the browser
    once it was saved: so the page knows when the site has another one.
    """
    notebook = nbformat.read(path, as_version=4)  # joins the texts that a file has as lists of lines
    for cell in notebook.cells:
        cell.metadata["minigrad"] = {"made_from": fingerprint(cell.source)}
        if cell.cell_type == "code":
            cell.metadata["trusted"] = True  # no server is there that could have signed it
            for output in cell.outputs:
                # A widget waits for its kernel, and says "Loading". Without it its still picture is shown.
                output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
    texts = json.dumps([[cell.id, cell.source] for cell in notebook.cells])
    notebook.metadata["minigrad"] = {"made_from": fingerprint(texts)}
    notebook.metadata.pop("widgets", None)
    notebook.metadata["kernelspec"] = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
    notebook.metadata["language_info"] = LANGUAGE
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(notebook), encoding="utf-8")


def make_lab(source: Path, site: Path) -> None:
    command = [sys.executable, "-m", "jupyterlite_core.app", "build", f"--lite-dir={source}", f"--output-dir={site}"]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"JupyterLite could not be built:\n{done.stdout}{done.stderr}")


def write_page(page: Path) -> None:
    """Have page.mjs start the lab, and allow the page no other server. The kernel's thread has no such policy: it loads
    Pyodide from where that is.
    """
    text = page.read_text(encoding="utf-8")
    if not HEAD.search(text) or not BOOT.search(text):
        sys.exit(f"{page} is not as it was in JupyterLite 0.6: tools/site/live.py is to be looked at")
    head = (
        "<title>minigrad: the course, running in your browser</title>\n"
        f'    <meta http-equiv="Content-Security-Policy" content="{POLICY}" />\n'
        '    <link rel="icon" href="favicon.ico" />\n'
        '    <link rel="stylesheet" href="../static/page.css" />'
    )
    text = HEAD.sub(lambda _: head, text)
    text = BOOT.sub(lambda _: '<script type="module" src="../static/page.mjs"></script>', text)
    page.write_text(text, encoding="utf-8")


def describe_sizes(site: Path, release: dict[str, Any]) -> str:
    total = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    loaded = sum(entry["size"] for entry in release_files(release).values())
    return f"{site}: {total / 1e6:.0f} MB, of Pyodide {loaded / 1e6:.0f} MB"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

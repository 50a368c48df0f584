"""The course in a browser, as `tools/site/live.py` builds it: served from a folder under a path, by a server that knows
nothing, while no other host can be reached.

What takes minutes has the mark `long`, and is run by `python dev.py test --long tests/site/test_live.py`.
"""

import contextlib
import filecmp
import functools
import json
import re
import shutil
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import nbformat
import pytest
from helpers.buttons import press
from playwright.sync_api import Browser, BrowserContext, Locator

from minigrad.teach import EXERCISES
from tools import student
from tools.site import live
from tools.student import CHAPTERS

PATH = "/sub/path/"
# What JupyterLite itself says: that extensions were made for a newer JupyterLab, that our menu was added twice, that
# there is no terminal, that the site is not at the top of its server, that a kernel that is waited for has no history
# yet, that a chapter was closed of which it still drew the last cells or measured the toolbar, that another tab has
# just made a place for files (it then goes on with the store as that one made it), and that its service worker is not
# there yet.
KNOWN = (
    *("Unsatisfied version", "No satisfying version", "Menu entry for command 'minigrad:", "Disabling terminals"),
    *("Manifest: ", "History was unable to be retrieved", "Cannot read properties of null (reading 'insertWidget')"),
    "Cannot read properties of null (reading 'id')",  # as before: of cells whose sizes it was still to measure
    'The database "JupyterLite Storage',
    "Error while computing the ReactiveToolbar TypeError: Cannot read properties of null (reading 'widgets')",
)
BOTTOM = "() => document.getElementById('main').getBoundingClientRect().bottom"  # of the lab
# Within the half second in which a toolbar looks once at its width
OPENS_AND_CLOSES_THE_LIST = """async () => {
    const { shell } = window.jupyterapp;
    const run = () => document.querySelector(".jp-NotebookPanel-toolbar > [data-jp-item-name='run']");
    while (run()) {
        shell.expandLeft(); // each time: when the page opens, it closes the list itself, maybe only now
        await new Promise((go) => setTimeout(go, 20));
    }
    shell.collapseLeft();
}"""
HEARTBEAT = "/api/service-worker-heartbeat"
START = 240_000  # milliseconds that Python may take to start, on a machine that is busy with other tests
WRONG = "def slope_of_w(w, x, b, target):\n    return w * x + b - target"
RIGHT = "def slope_of_w(w, x, b, target):\n    return 2 * (w * x + b - target) * x"
PICTURE = """\
import base64
class Picture:
    def _repr_png_(self):
        return base64.b64decode(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        )
display(Picture())
"""
ENDLESS = "def slope_of_w(w, x, b, target):\n    while True:\n        pass"


class Handler(SimpleHTTPRequestHandler):
    """The files of a folder under PATH. Of those that `server.cut` names, the first answers break off half way; those
    that `server.held` names wait.
    """

    protocol_version = "HTTP/1.1"
    server: Any

    def log_message(self, *_: Any) -> None:
        pass

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(PATH) if path.startswith(PATH) else "absent")

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")  # as Pyodide's own server does
        super().end_headers()

    def copyfile(self, source: Any, outputfile: Any) -> None:
        name = Path(self.path.partition("?")[0]).name
        if self.server.cut.get(name, 0):
            self.server.cut[name] -= 1
            whole = source.read()
            outputfile.write(whole[: len(whole) // 2])
            self.close_connection = True
        else:
            if name in self.server.held:
                self.server.held[name].wait()
            super().copyfile(source, outputfile)


@contextlib.contextmanager
def server_of(folder: Path) -> Iterator[Any]:
    running: Any = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    running.cut, running.held = {}, {}
    running.url = f"http://127.0.0.1:{running.server_port}"
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    try:
        yield running
    finally:
        running.shutdown()
        thread.join()
        running.server_close()


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[Any]:
    with server_of(site) as running:
        yield running


@pytest.fixture(scope="module")
def lab(site: Path) -> Path:
    """The folder of the course that runs."""
    return site / "live"


class Course:
    """The lab with one chapter open, as one learner's browser has it."""

    def __init__(self, context: BrowserContext, server: Any) -> None:
        self.page, self.server, self.complaints = context.new_page(), server, list[str]()
        self.page.on("console", lambda said: self.hear(said.type, said.text, said.location["url"]))
        self.page.on("pageerror", lambda error: self.hear("error", str(error), error.stack or ""))
        context.on("request", lambda request: self.look_at(request.url))

    def hear(self, kind: str, words: str, place: str) -> None:
        if kind in ("error", "warning") and not words.startswith(KNOWN) and not place.endswith(HEARTBEAT):
            self.complaints.append(f"{words} ({place})")

    def look_at(self, url: str) -> None:
        if not url.startswith((self.server.url, "data:", "blob:")):
            self.complaints.append(f"a request left the site: {url}")

    def open(self, chapter: str) -> None:
        self.page.goto(f"{self.server.url}{PATH}live/lab/index.html?path={chapter}")
        self.wait_until_open()

    def wait_until_open(self) -> None:
        self.page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        self.page.locator(".jp-NotebookPanel-toolbar [data-jp-item-name=kernelName]").wait_for()
        self.page.wait_for_function("() => window.jupyterapp.shell.currentWidget?.content?.model?.cells.length > 1")

    @property
    def panel(self) -> Locator:
        return self.page.locator(".minigrad-live")

    def wait_for_kernel(self) -> None:
        says(self.page.locator("#jp-main-statusbar"), "Python (Pyodide) | Idle")

    def run_cell(self, name: str, source: str | None = None) -> Locator:
        """Run a cell, with another text if one is given; returns its output."""
        number = self.page.evaluate(
            """async ([name, source]) => {
                const notebook = window.jupyterapp.shell.currentWidget.content;
                const number = notebook.widgets.findIndex(({ model }) => model.id === name);
                if (source !== null) notebook.widgets[number].model.sharedModel.setSource(source);
                await notebook.scrollToItem(number);
                notebook.deselectAll();
                notebook.activeCellIndex = number;
                await window.jupyterapp.commands.execute('notebook:run-cell');
                return number;
            }""",
            [name, source],
        )
        return self.page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{number}"] .jp-Cell-outputArea')

    def cells(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells"
        )
        return found

    def run_all(self) -> float:
        """Run the whole chapter; returns the seconds that it took."""
        began = time.monotonic()
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        self.kernel("")
        return time.monotonic() - began

    def kernel(self, code: str) -> str:
        """Run code behind what the kernel has to do; returns what it printed."""
        printed: str = self.page.evaluate(
            """async (code) => {
                const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
                let printed = '';
                const future = kernel.requestExecute({ code, store_history: false });
                future.onIOPub = ({ header, content }) => {
                    if (header.msg_type === 'stream') printed += content.text;
                    if (header.msg_type === 'error') printed += content.traceback.join('\\n');
                };
                await future.done;
                return printed.trim();
            }""",
            code,
        )
        return printed

    def is_dirty(self) -> bool:
        return bool(self.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.model.dirty"))

    def kept(self) -> list[str]:
        """The names of the files that the browser keeps."""
        names: list[str] = self.page.evaluate(
            """async () => {
                const asked = (request) => new Promise((done, failed) => {
                    request.onsuccess = () => done(request.result);
                    request.onerror = () => failed(request.error);
                });
                const found = [];
                for (const { name } of await indexedDB.databases()) {
                    const database = await asked(indexedDB.open(name));
                    if (database.objectStoreNames.contains('files'))
                        found.push(...await asked(database.transaction('files').objectStore('files').getAllKeys()));
                    database.close();
                }
                return found;
            }"""
        )
        return names

    def save(self) -> None:
        self.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save-all')")

    def download(self) -> dict[str, str]:
        """What the archive with the answers holds."""
        with self.page.expect_download() as coming:
            self.page.evaluate("() => window.jupyterapp.commands.execute('minigrad:download')")
        with zipfile.ZipFile(coming.value.path()) as archive:
            assert archive.testzip() is None
            return {name: archive.read(name).decode("utf-8") for name in archive.namelist()}

    def upload(self, *files: Path) -> None:
        with self.page.expect_file_chooser() as asking:
            self.page.evaluate("() => void window.jupyterapp.commands.execute('minigrad:upload')")
        asking.value.set_files(files)


@contextlib.contextmanager
def held_back(server: Any, name: str) -> Iterator[None]:
    """Meanwhile a file does not come."""
    released = server.held[name] = threading.Event()
    try:
        yield
    finally:
        del server.held[name]
        released.set()


def without_python(context: BrowserContext) -> None:
    """Let the next kernels wait for ever for what they load."""
    context.route("**/worker.js", lambda route: None)


def says(place: Locator, words: str | re.Pattern[str]) -> None:
    """Wait until these words stand there."""
    place.filter(has_text=words).first.wait_for()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """The browser of somebody who has never been here."""
    fresh = browser.new_context(viewport={"width": 1400, "height": 1000})
    fresh.set_default_timeout(START)
    yield fresh
    fresh.close()


@pytest.fixture
def course(context: BrowserContext, server: Any) -> Iterator[Course]:
    opened = Course(context, server)
    yield opened
    assert opened.complaints == []


# ---------------------------------------------------------------- the folder


def test_two_builds_are_equal(lab: Path, release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In what is ours: the packages, their index, the chapters, and what JupyterLite is told to build. What it then
    does with that takes most of the time, and is in the test below.
    """

    def take_over(source: Path, site: Path) -> None:
        files = (source / "jupyter-lite.json", lab / "jupyter-lite.json")
        asked, built = (json.loads(file.read_text())["jupyter-config-data"]["litePluginSettings"] for file in files)
        assert asked
        assert all(built[name] == built[name] | settings for name, settings in asked.items())
        shutil.copytree(source / "files", site / "files")
        (site / "lab").mkdir()
        shutil.copy(lab / "lab" / "index.html", site / "lab")

    monkeypatch.setattr(live, "make_lab", take_over)
    monkeypatch.setattr(live, "write_page", lambda page: None)
    live.build(tmp_path, ["--pyodide", str(release)])
    again = files_in(tmp_path / "live")
    ours = [name for name in files_in(lab) if name.parts[0] in ("files", "static")]
    assert [name for name in again if name.parts[0] != "lab"] == ours
    assert sum(name.suffix == ".whl" for name in ours) > 5
    assert [str(name) for name in again if not are_equal(lab / name, tmp_path / "live" / name)] == []


@pytest.mark.long
def test_two_whole_builds_are_equal(lab: Path, release: Path, tmp_path: Path) -> None:
    live.build(tmp_path, ["--pyodide", str(release)])
    assert files_that_differ(lab, tmp_path / "live") == []


def files_in(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def files_that_differ(one: Path, other: Path) -> list[str]:
    """The files that two folders do not share, byte for byte; times of files left aside."""
    names = {*files_in(one), *files_in(other)}
    return sorted(str(name) for name in names if not are_equal(one / name, other / name))


def are_equal(one: Path, other: Path) -> bool:
    if not one.is_file() or not other.is_file():
        return False
    if one.name == "all.json":  # the list of contents has the time at which each file was made
        untimed = [re.sub(r'"(created|last_modified)": "[^"]*"', "", path.read_text()) for path in (one, other)]
        return untimed[0] == untimed[1]
    return filecmp.cmp(one, other, shallow=False)


def test_the_site_has_what_it_needs_and_no_more(lab: Path) -> None:
    assert not list(lab.rglob("*.map"))
    assert {path.name for path in (lab / "files").glob("*.ipynb")} == {path.name for path in CHAPTERS}
    assert sum(path.stat().st_size for path in lab.rglob("*") if path.is_file()) < 75_000_000


def test_a_chapter_looks_right_before_anything_has_run(lab: Path) -> None:
    for path in (lab / "files").glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert isinstance(cell["source"], str)
            for output in cell.get("outputs", []):
                assert cell["metadata"]["trusted"]
                shown = output.get("data", {"text": output.get("text", "")})
                assert "application/vnd.jupyter.widget-view+json" not in shown
                assert not [kind for kind, value in shown.items() if isinstance(value, list)]


@pytest.mark.long
def test_without_a_release_the_page_asks_pyodides_own_server(tmp_path: Path) -> None:
    live.build(tmp_path, [])
    lock = json.loads((tmp_path / "live" / "static" / "python" / "pyodide-lock.json").read_text())
    place = "https://cdn.jsdelivr.net/pyodide/v0.27.7/full/"
    assert lock["packages"]["numpy"]["file_name"].startswith(place)
    assert lock["runtime"]["pyodide.asm.wasm"]["url"] == f"{place}pyodide.asm.wasm"
    assert lock["packages"]["minigrad"]["file_name"] == "minigrad-0.1.0-py3-none-any.whl"
    assert not list(tmp_path.rglob("*.wasm"))


def test_a_release_that_is_not_the_right_one_is_refused(release: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"has no \S+: --pyodide takes the folder of Pyodide 0\.27\.7"):
        live.build(tmp_path, ["--pyodide", str(tmp_path)])
    copy = shutil.copytree(release, tmp_path / "copy")
    (copy / "python_stdlib.zip").write_bytes(b"another one")
    with pytest.raises(SystemExit, match=r"python_stdlib\.zip is not the file of Pyodide 0\.27\.7"):
        live.build(tmp_path, ["--pyodide", str(copy)])
    assert not (tmp_path / "live").exists()


# ---------------------------------------------------------------- a learner's way


def test_a_learner_steps_answers_and_comes_back(
    course: Course, context: BrowserContext, server: Any, lab: Path
) -> None:
    numpy = "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl"
    server.cut[numpy] = 1  # the first transfer breaks half way
    with held_back(server, numpy):  # and the second one waits until it was seen what is said meanwhile
        course.open("00_start_here.ipynb")
        says(course.panel, re.compile(r"Python is loading.*: \d+ of 3\d MB"))
        assert course.panel.locator("progress").is_visible()
    says(course.panel, "Python is ready")
    course.page.wait_for_timeout(1_000)  # in which it would be saved
    assert (course.is_dirty(), course.kept()) == (False, []), "a chapter that was only opened is not the learner's"
    loaded = "() => performance.getEntriesByType('resource').reduce((sum, one) => sum + one.encodedBodySize, 0)"
    theirs = live.release_files(live.described_release())
    own = sum(path.stat().st_size for path in (lab / "static" / "python").glob("*.whl") if path.name not in theirs)
    assert 0.8 * live.LAB < course.page.evaluate(loaded) + own < 1.1 * live.LAB, "what the front page says it loads"
    said = course.panel.get_by_text("Python is ready")
    assert said.bounding_box()["y"] >= course.page.evaluate(BOTTOM), "what is said lies over the lab"
    # From here on a chapter is kept because cells have run, or not at all.
    course.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:toggle-autosave')")
    for name in ("code-02", "code-04"):
        course.run_cell(name)
        assert said.count() == 0, "what was said stays, though cells run"
    course.page.wait_for_function(f"({BOTTOM})() === innerHeight")
    stepper = course.run_cell("code-10").locator(".minigrad-stepper")
    says(stepper, "step 0 of 6")
    press(stepper, "next")
    says(stepper, "step 1 of 6")
    course.page.keyboard.press("ArrowRight")  # which is the stepper's, not the notebook's
    says(stepper, "step 2 of 6")

    picture = course.run_cell("code-06", PICTURE).locator("img")
    picture.wait_for()
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 1

    course.run_cell("code-19", WRONG)
    says(course.run_cell("code-20"), "slope_of_w: not yet")
    set_limit = "from minigrad.teach import EXERCISES; object.__setattr__(EXERCISES['slope_of_w'], 'seconds', {})"
    course.kernel(set_limit.format(0.5))
    course.run_cell("code-19", ENDLESS)
    says(course.run_cell("code-20"), "stopped, it was still running after 0.5 seconds")
    course.kernel(set_limit.format(10.0))  # a right answer may take half a second on a busy machine
    course.run_cell("code-19", RIGHT)
    says(course.run_cell("code-20"), "✓ slope_of_w")
    says(course.run_cell("code-44"), f"1 of {len(EXERCISES)} exercises passed")
    files = course.download()
    assert set(files) == {"README.txt", "00_start_here.ipynb", ".progress.json"}
    assert json.loads(files[".progress.json"])["exercises"] == {"slope_of_w": "passed"}
    brought = nbformat.reads(files["00_start_here.ipynb"], as_version=4)
    assert next(cell.source for cell in brought.cells if cell.id == "code-19") == RIGHT

    course.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    without_python(context)
    course.page.reload()
    course.wait_until_open()
    assert text_of(course, "code-19") == RIGHT
    assert course.download() == files
    assert course.panel.get_by_text("has changed since").count() == 0


@pytest.mark.long
def test_what_breaks_off_each_time_is_told(course: Course, server: Any) -> None:
    name = "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl"
    server.cut[name] = 100
    course.open("00_start_here.ipynb")
    says(course.panel, f"Python could not be started: {name} could not be loaded")
    server.cut.clear()
    course.panel.get_by_role("button", name="Try again").click()
    says(course.panel, "Python is ready")
    course.complaints.clear()  # what the browser says of transfers that break off


# ---------------------------------------------------------------- without Python, which is left waiting


@pytest.fixture
def reader(context: BrowserContext, course: Course) -> Course:
    """The lab, in which no kernel starts: that takes most of the time."""
    without_python(context)
    return course


def write(course: Course, name: str, source: str) -> None:
    course.page.evaluate(
        """([name, source]) => {
            const { model } = window.jupyterapp.shell.currentWidget.content;
            [...model.cells].find(({ id }) => id === name).sharedModel.setSource(source);
        }""",
        [name, source],
    )


def save_twice_at_once(course: Course) -> None:
    """As where a cell has just run when JupyterLab saves by itself, on a machine that is busy with other things: the
    first saving is not yet over, but its text is there, when the second one begins. No question may be asked.
    """
    course.page.evaluate(
        """async () => {
            const { shell, serviceManager: { contents } } = window.jupyterapp;
            const { context } = shell.currentWidget;
            const save = contents.save.bind(contents);
            let isThere;
            const first = new Promise((done) => { isThere = done; });
            contents.save = async (...given) => {
                const saved = await save(...given);
                isThere();
                await new Promise((done) => setTimeout(done, 1000));
                return saved;
            };
            const one = context.save();
            await first;
            let isOver = false;
            const both = Promise.all([one, context.save()]).then(() => { isOver = true; });
            const question = async () => { // of JupyterLab, in whose dialog a learner could lose what was written
                while (!isOver && !document.querySelector('.jp-Dialog')) await new Promise((go) => setTimeout(go, 50));
            };
            await Promise.race([both, question()]);
            contents.save = save;
            if (!isOver) throw new Error(document.querySelector('.jp-Dialog').textContent);
        }"""
    )


def write_while_it_is_saved(course: Course, name: str, source: str) -> None:
    """Between the moment when the text of before is in the store and that when JupyterLab hears of it."""
    course.page.evaluate(
        """async ([name, source]) => {
            const { shell, serviceManager: { contents } } = window.jupyterapp;
            const { content, context } = shell.currentWidget;
            const save = contents.save.bind(contents);
            contents.save = async (...given) => {
                const saved = await save(...given);
                [...content.model.cells].find(({ id }) => id === name).sharedModel.setSource(source);
                return saved;
            };
            await context.save();
            contents.save = save;
            if (!context.model.dirty) throw new Error('what was written meanwhile counts as saved');
            await context.save();
            if (context.model.dirty) throw new Error('what is saved is still to be saved');
        }""",
        [name, source],
    )


def text_of(course: Course, name: str) -> str:
    text: str = next(cell["source"] for cell in course.cells() if cell["id"] == name)
    return text


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_comments_in_cells_can_be_read(lab: Path) -> None:
    """By the measure of WCAG, on the grounds that JupyterLab gives cells in light and in dark."""
    sheet = (lab / "static" / "page.css").read_text("utf-8")
    for is_light, ground in (("true", "#f5f5f5"), ("false", "#212121")):
        place = rf'\[data-jp-theme-light="{is_light}"\] \{{\s*--jp-mirror-editor-comment-color: (#\w{{6}});'
        (colour,) = re.findall(place, sheet)
        darker, lighter = sorted([luminance(colour), luminance(ground)])
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (colour, ground)


@pytest.mark.long
def test_on_a_telephone_the_chapter_has_the_width(reader: Course) -> None:
    """Not the list of files beside it; what runs a cell is seen, and no code is cut."""
    reader.page.set_viewport_size({"width": 360, "height": 780})
    reader.page.goto(f"{reader.server.url}{PATH}live/lab/index.html?path=00_start_here.ipynb")
    reader.page.wait_for_function("() => document.querySelector('.jp-Notebook')?.getBoundingClientRect().width > 300")
    says(reader.page.locator(".jp-Notebook"), "what happens when I call")
    run = reader.page.locator(".jp-NotebookPanel-toolbar > [data-jp-item-name='run']")
    run.wait_for()
    reader.page.evaluate(OPENS_AND_CLOSES_THE_LIST)
    run.wait_for()
    reader.page.wait_for_function(
        "() => [...document.querySelectorAll('.jp-CodeCell .cm-line')].some((one) => one.textContent.length > 50)"
    )
    cut = (
        "() => [...document.querySelectorAll('.cm-scroller')].filter((one) => one.scrollWidth > one.clientWidth).length"
    )
    assert reader.page.evaluate(cut) == 0


@pytest.mark.long
def test_without_webassembly_the_chapters_are_there_to_read(reader: Course, context: BrowserContext) -> None:
    context.add_init_script("delete window.WebAssembly")
    reader.open("00_start_here.ipynb")
    says(reader.panel, "This browser has no WebAssembly, so Python cannot run here. You can read the chapters")
    says(reader.page.locator(".jp-Notebook"), "what happens when I call")


@pytest.mark.long
def test_where_nothing_may_be_kept_answers_can_be_taken_along(reader: Course, context: BrowserContext) -> None:
    context.add_init_script(
        "Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    reader.open("00_start_here.ipynb")
    says(reader.panel, "lets the page keep nothing, so what you write lasts until the tab is closed")
    write(reader, "code-19", RIGHT)
    reader.save()
    assert RIGHT.splitlines()[1] in reader.download()["00_start_here.ipynb"]


@pytest.mark.long
def test_where_storage_is_full_answers_can_be_taken_along(reader: Course, context: BrowserContext) -> None:
    context.add_init_script(
        """const { put } = IDBObjectStore.prototype;
        IDBObjectStore.prototype.put = function (...given) {
            if (window.isFull) throw new DOMException('full', 'QuotaExceededError');
            return put.apply(this, given);
        }"""
    )
    reader.open("00_start_here.ipynb")
    write(reader, "code-19", RIGHT)
    reader.page.evaluate("() => { window.isFull = true; window.jupyterapp.commands.execute('docmanager:save'); }")
    says(reader.panel, "This browser did not keep what you wrote: its storage is full, or refused")
    assert RIGHT.splitlines()[1] in reader.download()["00_start_here.ipynb"]
    reader.complaints.clear()  # JupyterLab says it, too


@pytest.mark.long
def test_a_chapter_in_two_tabs_is_told_and_goes_on_in_one(reader: Course, context: BrowserContext, server: Any) -> None:
    reader.open("00_start_here.ipynb")
    reader.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:toggle-autosave')")
    write(reader, "code-19", WRONG)
    other = Course(context, server)
    other.open("00_start_here.ipynb")
    says(other.panel, "00_start_here.ipynb is open in another tab, too")
    write(other, "code-02", "written = 'here'")
    other.save()  # about which the first tab would be asked, were it to save as JupyterLab does
    other.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    other.panel.get_by_role("button", name="Close it there").click()
    says(reader.panel, "00_start_here.ipynb was saved, and goes on in another tab")
    other.page.wait_for_function(
        """(text) => {
            const model = window.jupyterapp.shell.currentWidget?.content?.model;
            return model?.cells && JSON.stringify(model.toJSON()).includes(text);
        }""",
        arg="return w * x + b - target",
    )
    assert text_of(other, "code-19") == WRONG
    says(other.panel, "what stood there is kept in “00_start_here before")
    assert [name for name, text in other.download().items() if "written = 'here'" in text] != []
    assert other.complaints == []


@pytest.mark.long
def test_what_is_written_is_kept_when_the_tab_is_left(reader: Course, context: BrowserContext, server: Any) -> None:
    reader.open("00_start_here.ipynb")
    reader.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:toggle-autosave')")
    write(reader, "code-19", RIGHT)
    reader.page.evaluate(
        """() => {
            Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
            document.dispatchEvent(new Event('visibilitychange'));
        }"""
    )
    reader.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    reader.page.close()
    later = Course(context, server)
    later.open("00_start_here.ipynb")
    assert text_of(later, "code-19") == RIGHT
    assert later.complaints == []


def check_ways_out(course: Course, site: Path) -> None:
    """From the menu to the pages to read, in tabs of their own."""
    page = course.page
    page.evaluate("() => { window.asked = []; window.open = (...given) => { window.asked.push(given.map(String)); }; }")
    for label in ("Read this chapter in the book", "Graphs to step through", "The course's first page"):
        page.locator(".lm-MenuBar-itemLabel", has_text="Course").click()
        page.locator(".lm-Menu-itemLabel", has_text=label).click()
    pages = ("00_start_here.html", "gallery/index.html", "index.html")
    expected = [[f"{course.server.url}{PATH}{path}", "_blank", "noopener"] for path in pages]
    assert page.evaluate("() => window.asked") == expected
    assert [path for path in pages if not (site / path).is_file()] == []


def test_answers_go_to_the_installed_course_and_come_back(reader: Course, tmp_path: Path, lab: Path) -> None:
    name = "00_start_here.ipynb"
    installed = tmp_path / name
    reader.open(name)
    check_ways_out(reader, lab.parent)
    write(reader, "code-19", WRONG)
    installed.write_text(reader.download()[name], encoding="utf-8")
    student.write(student.NOTEBOOKS / name, installed)
    there = nbformat.read(installed, as_version=4)
    assert next(cell.source for cell in there.cells if cell.id == "code-19") == WRONG

    next(cell for cell in there.cells if cell.id == "code-19").source = RIGHT
    there.cells.insert(1, nbformat.v4.new_code_cell("my_own = 1", id="my-own"))
    nbformat.write(there, installed)
    archive = tmp_path / "course.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.write(installed, f"course/{name}")
        packed.writestr("course/.progress.json", json.dumps({"exercises": {"slope_of_w": "passed"}, "predictions": {}}))
        packed.writestr("course/.before/00_start_here.ipynb", "of no interest")
    reader.upload(archive)
    says(reader.panel, f"2 in {name}; what stood there is kept in “00_start_here before")
    assert text_of(reader, "code-19") == RIGHT
    assert text_of(reader, "my-own") == "my_own = 1"
    assert json.loads(reader.download()[".progress.json"])["exercises"] == {"slope_of_w": "passed"}
    reader.upload(archive)
    says(reader.panel, f"{name} has none that is not here already")


def test_a_chapter_that_has_changed_is_offered_and_takes_the_answers(
    reader: Course, context: BrowserContext, lab: Path
) -> None:
    name = "00_start_here.ipynb"
    reader.open(name)
    write(reader, "code-19", WRONG)
    save_twice_at_once(reader)
    reader.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    write_while_it_is_saved(reader, "code-19", RIGHT)

    newer = nbformat.read(lab / "files" / name, as_version=4)
    newer.metadata["minigrad"]["made_from"] = "another"
    added = nbformat.v4.new_markdown_cell("Words that are new.", id="new-words")
    newer.cells.insert(1, added)
    context.route(f"**/files/{name}*", lambda route: route.fulfill(body=nbformat.writes(newer)))
    reader.page.reload()
    says(reader.panel, f"{name} has changed since this browser kept it")
    reader.panel.get_by_role("button", name="Take the new one").click()
    says(reader.panel, f"{name} is the new one, with your answers; what stood there is kept in “00_start_here before")
    assert text_of(reader, "new-words") == "Words that are new."
    assert text_of(reader, "code-19") == RIGHT
    assert sum(RIGHT.splitlines()[1] in text for text in reader.download().values()) == 2


@pytest.mark.long
def test_a_cell_without_an_end_is_told_how_it_ends(course: Course) -> None:
    course.open("00_start_here.ipynb")
    course.wait_for_kernel()
    course.run_cell("code-02")
    course.page.evaluate(
        """() => {
            const { content } = window.jupyterapp.shell.currentWidget;
            content.activeCell.model.sharedModel.setSource('while True: pass');
            window.jupyterapp.commands.execute('notebook:run-cell'); // which does not come back
        }"""
    )
    says(course.page.locator("#jp-main-statusbar"), "Python (Pyodide) | Busy")
    course.page.evaluate("() => void window.jupyterapp.commands.execute('notebook:interrupt-kernel')")
    says(course.panel, "A cell cannot be interrupted in a browser.")
    course.panel.get_by_role("button", name="Restart Python").click()
    course.wait_for_kernel()
    assert course.kernel("print(1)") == "1"
    course.complaints.clear()  # that the connection to Python was lost, as was asked for


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("cut.zip", b"PK\x03\x04 and no end", "it is not a zip archive, or a part of it is missing"),
        ("00_start_here.ipynb", b'{"cells": [', "00_start_here.ipynb in 00_start_here.ipynb is damaged"),
        ("00_start_here.ipynb", b"[]", "00_start_here.ipynb is not a notebook"),
        ("letter.json", b"{}", "nothing of the course in letter.json"),
    ],
)
def test_a_damaged_file_takes_nothing_away(
    name: str, content: bytes, words: str, reader: Course, tmp_path: Path
) -> None:
    reader.open("00_start_here.ipynb")
    write(reader, "code-19", RIGHT)
    (tmp_path / name).write_bytes(content)
    reader.upload(tmp_path / name)
    says(reader.panel, words)
    assert text_of(reader, "code-19") == RIGHT


# ---------------------------------------------------------------- whole chapters, which take minutes


@pytest.mark.long
@pytest.mark.parametrize("path", [path for path in CHAPTERS if path.name[0].isdigit()], ids=lambda path: path.stem)
def test_a_chapter_runs_to_its_end(path: Path, course: Course) -> None:
    course.open(path.name)
    course.wait_for_kernel()
    print(f"{path.stem}: {course.run_all():.0f} s")  # -rP shows it
    stored = nbformat.read(path, as_version=4).cells
    shown = course.cells()
    assert [cell["id"] for cell in shown] == [cell.id for cell in stored]
    assert complaints_of(shown) == complaints_of(stored)
    assert [cell["execution_count"] for cell in shown if cell["cell_type"] == "code"].count(None) == 0


def complaints_of(cells: Any) -> list[tuple[str, str]]:
    """The errors and the warnings that cells show, with the names of the cells."""
    return [
        (cell["id"], output.get("ename", "stderr"))
        for cell in cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "error" or output.get("name") == "stderr"
    ]


@pytest.mark.long
def test_a_kernel_reads_and_writes_after_the_browser_has_stopped_what_serves_it_files(
    course: Course, context: BrowserContext
) -> None:
    course.open("00_start_here.ipynb")
    course.wait_for_kernel()
    session = context.new_cdp_session(course.page)
    session.send("ServiceWorker.enable")
    session.send("ServiceWorker.stopAllWorkers")  # as of a tab that was left for long
    course.kernel("from minigrad.teach.progress import kept; kept.record('exercises', 'slope_of_w', 'passed')")
    assert json.loads(course.download()[".progress.json"])["exercises"] == {"slope_of_w": "passed"}


@pytest.mark.long
def test_too_little_memory_is_told(course: Course, context: BrowserContext, lab: Path) -> None:
    refused = "WebAssembly.Memory = function () { throw new RangeError('could not allocate memory'); };\n"
    script = refused + (lab / "static" / "python" / "worker.js").read_text()
    context.route("**/worker.js", lambda route: route.fulfill(body=script, content_type="text/javascript"))
    course.open("00_start_here.ipynb")
    says(course.panel, "This device has too little memory left: a chapter needs about 0.7 GB")
    course.complaints.clear()  # the error itself


@pytest.mark.long
def test_pyodide_comes_from_another_server(
    release: Path, context: BrowserContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server_of(release) as theirs, server_of(tmp_path) as ours:
        monkeypatch.setattr(live, "OWN_PLACE", f"{theirs.url}{PATH}")
        live.build(tmp_path, [])
        course = Course(context, ours)
        course.open("00_start_here.ipynb")
        says(course.panel, "Python is ready")
        assert course.kernel("import minigrad; print(minigrad.tensor(2.0))") == "tensor(2.)"
        assert course.complaints
        assert all(f"left the site: {theirs.url}" in complaint for complaint in course.complaints)


@pytest.mark.long
def test_progress_answers_within_a_second_and_survives_a_reload(course: Course) -> None:
    course.open("00_start_here.ipynb")
    course.wait_for_kernel()
    course.kernel("from minigrad.teach.progress import kept; kept.record('exercises', 'slope_of_w', 'passed')")
    course.page.reload()
    course.wait_for_kernel()
    course.kernel("from minigrad import viz; from minigrad.teach import progress")
    printed = course.kernel("import time; began = time.time(); progress(); print(time.time() - began)")
    assert float(printed) < 1.0
    assert f"1 of {len(EXERCISES)} exercises passed" in course.kernel("print(progress())")

"""A lesson with simulated students, each in a browser of its own, through JupyterHub and its proxy on 127.0.0.1.

Each opens chapter 00, runs all of it, steps, and gives a wrong answer and a right one. Then one of them does harm: an
endless loop, `os._exit`, 2 GB at once, processes without end, and looks for the others' files and tokens, while the
next one works on. At last the teacher's text changes, and all start their servers again.

`hold_lesson` notes what was seen, as facts; `unexpected` says which of them should not be so.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from classroom.machine import COURSE, Machine, python
from helpers.living import ARE_LIVING, KEYS_SHOWN
from helpers.ports import free_port
from playwright.async_api import Browser, Page, async_playwright, expect
from playwright.async_api import Error as PageError

PATIENCE = 300_000  # milliseconds for what a busy machine may take its time with
CHAPTER = "00_start_here"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
ARGUMENTS += [
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
WRONG = "def slope_of_w(w, x, b, target):\n    return 2 * (w * x + b - target)"
RIGHT = "def slope_of_w(w, x, b, target):\n    return 2 * (w * x + b - target) * x"
OLD_TEXT, NEW_TEXT = "Being wrong costs nothing", "Being wrong costs you nothing at all"
Facts = dict[str, Any]

# In a student's kernel. What it prints is what became of it.
TWO_GIGABYTES = """
import numpy
try:
    kept = numpy.ones(2**28)
except MemoryError:
    print("no memory")
else:
    print("given", kept.nbytes)
"""
FORK_BOMB = """
import os, time
first, (reader, writer) = os.getpid(), os.pipe()
for _ in range(9):  # 512, were they allowed
    try:
        os.fork()
    except BlockingIOError:
        os.write(writer, b"x")  # in whichever of them it is
if os.getpid() != first:
    time.sleep(3)
    os._exit(0)
os.close(writer)
print("refused" if os.read(reader, 1) else "allowed")
os.close(reader)
"""
# Paths and processes of another student, and the hub's own secrets: what of these can be read, or ended.
SPY = """
import glob, os, pathlib, signal
found = []
for path in {paths!r}:
    try:
        found.append((path, len(os.listdir(path)) if os.path.isdir(path) else len(open(path, "rb").read())))
    except OSError:
        pass
for folder in glob.glob("/proc/[0-9]*"):
    try:
        if os.stat(folder).st_uid == os.getuid():
            continue
        words = pathlib.Path(folder, "cmdline").read_bytes()
        if b"token=" in words.lower():
            found.append((folder, "a token among its words"))
        found.append((folder, len(pathlib.Path(folder, "environ").read_bytes())))
    except OSError:
        pass
for process in {processes}:
    try:
        os.kill(process, signal.SIGTERM)
        found.append((process, "ended"))
    except OSError:
        pass
print(found)
"""
# What comes of listening where another student's kernel publishes its outputs.
LISTEN = """
import zmq
heard = []
for port in {ports}:
    with zmq.Context() as context, context.socket(zmq.SUB) as ear:
        ear.linger = 0
        ear.subscribe(b"")
        ear.connect(f"tcp://127.0.0.1:{{port}}")
        if ear.poll(300):
            heard.append(ear.recv_multipart())
print(heard)
"""
# Requests from a student's kernel with the token of the student's own server, to the hub and to another's server.
ASK = """
import json, os, urllib.error, urllib.request
answers, token = {{}}, os.environ["JUPYTERHUB_API_TOKEN"]
for address in {addresses}:
    request = urllib.request.Request(address, headers={{"Authorization": "token " + token}})
    try:
        answers[address] = urllib.request.urlopen(request, timeout=30).status
    except urllib.error.HTTPError as error:
        answers[address] = error.code
print(json.dumps(answers))
"""


class Hub:
    """The hub, started within the machine as a teacher starts it, and the passwords of its students."""

    def __init__(self, machine: Machine, names: list[str], log: Path) -> None:
        self.machine, self.log = machine, log
        ports = [free_port() for _ in range(3)]
        self.url = f"http://127.0.0.1:{ports[0]}"
        sheet = "printf '%s\\n' " + " ".join(names) + f" >/tmp/names && {python()} deploy/accounts.py /tmp/names"
        made = machine.run("bash", "-c", sheet)
        assert made.returncode == 0, made.stderr
        self.passwords = dict(line.split(",") for line in made.stdout.split())
        own = [f"--JupyterHub.hub_port={ports[1]}", f"--ConfigurableHTTPProxy.api_url=http://127.0.0.1:{ports[2]}"]
        own += ["--Spawner.args=--LabApp.expose_app_in_browser=True"]  # for what `command` asks of the page
        self.process = machine.start(python(), "dev.py", "hub", f"--port={ports[0]}", *own, log=log)

    async def wait_until_up(self) -> None:
        end = time.monotonic() + PATIENCE / 1000
        while "JupyterHub is now running" not in self.log.read_text():
            assert self.process.poll() is None, self.log.read_text()[-3000:]
            assert time.monotonic() < end, self.log.read_text()[-3000:]
            await asyncio.sleep(0.2)


class Student:
    """A student's browser, with one page."""

    def __init__(self, name: str, hub: Hub, browser: Browser, page: Page) -> None:
        self.name, self.hub, self.browser, self.page = name, hub, browser, page
        self.requests, self.strangers = 0, list[str]()
        page.set_default_timeout(PATIENCE)
        page.on("request", self._note)

    def _note(self, request: Any) -> None:
        self.requests += 1
        if not re.match(rf"(data:|blob:|(http|ws){re.escape(self.hub.url.removeprefix('http'))})", request.url):
            self.strangers.append(request.url)

    async def log_in(self) -> None:
        await self.page.goto(f"{self.hub.url}/hub/login")
        await self.page.fill("#username_input", self.name)
        await self.page.fill("#password_input", self.hub.passwords[self.name])
        await self.page.click("#login_submit")

    async def open_chapter(self) -> None:
        """Wait for the chapter that opens by itself, and for its kernel."""
        await self.page.wait_for_url(f"**/user/{self.name}/lab/tree/{CHAPTER}.ipynb*", timeout=PATIENCE)
        status = self.page.locator("#jp-main-statusbar")
        await expect(status).to_contain_text("Python 3 (ipykernel) | Idle", timeout=PATIENCE)

    async def kernel(self, code: str) -> str:
        """Run code in the chapter's kernel, behind what is queued there; what it printed."""
        asked = self.page.evaluate(
            """async (code) => {
                const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
                let printed = '';
                const future = kernel.requestExecute({ code, store_history: false });
                future.onIOPub = ({ header, content }) => {
                    if (header.msg_type === 'stream') printed += content.text;
                    if (header.msg_type === 'error') printed += content.evalue;
                };
                await future.done;
                return printed.trim();
            }""",
            code,
        )
        return str(await asyncio.wait_for(asked, PATIENCE / 1000))  # what is lost on the way is never answered

    async def run_all(self) -> None:
        await self.command("notebook:run-all-cells")
        await self.kernel("")
        # Until its model has come, a stepper is one that is stored: a step of that would be lost.
        await self.page.wait_for_function(ARE_LIVING, arg=await self.page.evaluate(KEYS_SHOWN, None))

    async def begin(self, code: str) -> None:
        """Have the chapter's kernel run code that has no end; what interrupts it would not be heard before it runs."""
        await self.page.evaluate(
            """(code) => {
                const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
                const future = kernel.requestExecute({ code });
                const isRunning = ({ header }) => header.msg_type === 'execute_input';
                return new Promise((resolve) => { future.onIOPub = (message) => isRunning(message) && resolve(); });
            }""",
            code,
        )

    async def command(self, name: str) -> None:
        await self.page.evaluate("(name) => window.jupyterapp.commands.execute(name)", name)

    async def save(self) -> None:
        """Save the chapter. JupyterLab drops this while it saves by itself, and that may hold what was there before."""
        while True:
            await self.save_once()
            written = nbformat.read(machine_file(self, f"{CHAPTER}.ipynb"), 4).cells
            if "\n".join(cell.source for cell in written) == await self.text_shown():
                return
            await asyncio.sleep(0.2)

    async def text_shown(self) -> str:
        """All that stands in the cells of the page."""
        return str(
            await self.page.evaluate(
                """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
                    .map((cell) => cell.sharedModel.source).join('\\n')"""
            )
        )

    async def save_once(self) -> None:
        """Where JupyterLab finds that it has saved by itself meanwhile, it asks whether to go on."""
        saving = asyncio.ensure_future(self.command("docmanager:save"))
        while not saving.done():
            await asyncio.wait([saving], timeout=1)
            if await self.page.get_by_role("button", name="Overwrite").count():
                await self.page.get_by_role("button", name="Overwrite").first.click()
        await saving

    async def place_of(self, beginning: str) -> int:
        """The number of the cell that begins like this; the view goes there."""
        place = await self.page.evaluate(
            """async (beginning) => {
                const { content } = window.jupyterapp.shell.currentWidget;
                const texts = [...content.model.cells].map((cell) => cell.sharedModel.source);
                const place = texts.findIndex((text) => text.startsWith(beginning));
                content.activeCellIndex = place;
                await content.scrollToItem(place, 'center');
                return place;
            }""",
            beginning,
        )
        assert place >= 0, f"no cell begins with {beginning}"
        return int(place)

    async def source_of(self, beginning: str) -> str:
        place = await self.place_of(beginning)
        return str(
            await self.page.evaluate(
                "(k) => window.jupyterapp.shell.currentWidget.content.model.cells.get(k).sharedModel.source", place
            )
        )

    async def step(self) -> str:
        """Press Next in the first stepper; where it stands then."""
        place = await self.place_of("stepper = viz.BackwardStepper(loss)")
        stepper = self.page.locator(f'css:light=.jp-Notebook [data-windowed-list-index="{place}"] .minigrad-stepper')
        await stepper.locator(".mg-press-next").click(timeout=PATIENCE)
        before = await stepper.get_attribute("data-step")
        await expect(stepper).not_to_have_attribute("data-step", "0", timeout=PATIENCE)
        return f"{before} {await stepper.get_attribute('data-step')}"

    async def answer(self, text: str) -> str:
        """Write an answer into the cell of the exercise, run it and its check; the card."""
        await self.page.evaluate(
            """([place, text]) => {
                window.jupyterapp.shell.currentWidget.content.model.cells.get(place).sharedModel.setSource(text);
            }""",
            [await self.place_of("def slope_of_w("), text],
        )
        await self.command("notebook:run-cell")
        place = await self.place_of("check.slope_of_w(")
        await self.command("notebook:run-cell")
        await self.kernel("")
        # From the model: the page draws what is in view, and with many windows on one machine that takes its time.
        shown = await self.page.evaluate(
            """(place) => window.jupyterapp.shell.currentWidget.content.model.cells.get(place).outputs.toJSON()""",
            place,
        )
        return " ".join("".join(output.get("data", {}).get("text/plain", "") for output in shown).split())

    async def status(self, path: str, method: str = "GET", **headers: str) -> int:
        """What the hub or a server says to a request with this student's cookies."""
        answer = await self.page.context.request.fetch(
            self.hub.url + path, method=method, headers=headers, max_redirects=10, timeout=PATIENCE
        )
        return answer.status

    async def start_again(self) -> None:
        """Stop the server, as its button does, and start it anew."""
        cookies = await self.page.context.cookies(f"{self.hub.url}/hub/")
        token = next(cookie["value"] for cookie in cookies if cookie["name"] == "_xsrf")
        await self.page.goto("about:blank")
        server, known = (
            f"/hub/api/users/{self.name}/server",
            {"X-XSRFToken": token, "Referer": f"{self.hub.url}/hub/home"},
        )
        # 202: it is still stopping. Who asks for a server before the hub knows that it has stopped gets none, and a
        # page with a button.
        while (answer := await self.status(server, "DELETE", **known)) == 202:
            await asyncio.sleep(0.2)
        assert answer == 204
        while self.hub.machine.processes(self.name):
            await asyncio.sleep(0.2)
        await self.page.goto(f"{self.hub.url}/hub/spawn")


async def hold_lesson(machine: Machine, names: list[str], log: Path, chromium: str) -> Facts:
    """All of the lesson; what was seen in it."""
    facts: Facts = {"students": {name: {} for name in names}}
    started = time.monotonic()
    hub = Hub(machine, names, log)
    try:
        await hub.wait_until_up()
        facts["seconds until the hub is up"] = time.monotonic() - started
        async with async_playwright() as playwright:
            browsers = [await playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS) for _ in names]
            pages = [await browser.new_page(viewport={"width": 1400, "height": 1100}) for browser in browsers]
            students = [Student(*each) for each in zip(names, [hub] * len(names), browsers, pages, strict=True)]
            await asyncio.gather(*(first_hour(student, facts["students"][student.name]) for student in students))
            facts["hub"] = measured_hub(machine)
            facts["class table"] = class_table(machine)
            await do_harm(students[0], students[1], facts)
            await look_around(students[0], students[1], facts)
            change_text(machine.notebooks)
            await asyncio.gather(*(second_hour(student, facts["students"][student.name]) for student in students))
            for student in students:
                facts["students"][student.name]["requests to strangers"] = student.strangers
                await student.browser.close()
    finally:
        hub.process.terminate()
        hub.process.wait(PATIENCE / 1000)
    facts["seconds"] = time.monotonic() - started
    return facts


async def first_hour(student: Student, seen: Facts) -> None:
    started = time.monotonic()

    def note(what: str) -> None:
        seen[f"seconds until {what}"] = time.monotonic() - started

    await student.log_in()
    await student.open_chapter()
    note("the chapter is open")
    await student.run_all()
    note("all has run")
    seen["step"] = await student.step()
    note("the first step")
    seen |= await measured(student)
    asked = time.monotonic()
    await student.kernel("1")
    seen["seconds for an answer of the kernel"] = time.monotonic() - asked
    seen["wrong"], seen["right"] = await student.answer(WRONG), await student.answer(RIGHT)
    await student.save()
    seen["requests"] = student.requests
    seen["MB of the kernel at the end"] = sum(map(memory, processes_of(student, "ipykernel_launcher")))
    progress = machine_file(student, ".progress.json")
    seen["progress"] = json.loads(progress.read_text())["exercises"] if progress.exists() else None
    seen["home"] = oct(progress.parents[1].stat().st_mode & 0o777)


def machine_file(student: Student, name: str) -> Path:
    return student.hub.machine.homes / student.name / "course" / name


async def second_hour(student: Student, seen: Facts) -> None:
    await student.start_again()
    await student.open_chapter()
    seen["answer after the update"] = await student.source_of("def slope_of_w(")
    text = "\n".join(cell.source for cell in nbformat.read(machine_file(student, f"{CHAPTER}.ipynb"), 4).cells)
    shown = await student.text_shown()
    seen["text after the update"] = [NEW_TEXT in both and OLD_TEXT not in both for both in (text, shown)]


def change_text(notebooks: Path) -> None:
    """What the teacher does: another sentence in the chapter, put in its place at once."""
    path = notebooks / f"{CHAPTER}.ipynb"
    text = path.read_text(encoding="utf-8")
    assert text.count(OLD_TEXT) == 1
    fresh = path.with_suffix(".fresh")
    fresh.write_text(text.replace(OLD_TEXT, NEW_TEXT), encoding="utf-8")
    fresh.replace(path)


async def meanwhile(other: Student, facts: Facts, what: str) -> None:
    """While one student's program does harm, another's kernel answers."""
    asked = time.monotonic()
    facts["meanwhile"][what] = await other.kernel("print(float(w.grad is not None), 6 * 7)")
    facts["seconds meanwhile"][what] = time.monotonic() - asked


async def do_harm(one: Student, other: Student, facts: Facts) -> None:
    facts |= {"meanwhile": {}, "seconds meanwhile": {}}
    kernel = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
    await one.begin("while True: pass")
    await meanwhile(other, facts, "an endless loop")
    await one.page.evaluate(f"() => {kernel}.interrupt()")
    facts["after the loop"] = await one.kernel("print('works')")
    facts["2 GB"] = await one.kernel(TWO_GIGABYTES)
    await meanwhile(other, facts, "2 GB")
    bomb = asyncio.ensure_future(one.kernel(FORK_BOMB))
    await asyncio.sleep(1)
    await meanwhile(other, facts, "a fork bomb")
    facts["fork bomb"] = await bomb
    await one.page.evaluate(f"() => void {kernel}.requestExecute({{ code: 'import os; os._exit(1)' }})")
    await meanwhile(other, facts, "os._exit")
    answers = 0  # one after the other
    for turn in range(60):  # JupyterLab starts another kernel by itself; what was asked of the one that died is
        await asyncio.sleep(0.5)  # cancelled, and once more what was asked while JupyterLab connects with the new one
        try:
            facts["after os._exit"] = await asyncio.wait_for(one.kernel("print('works')"), 5)
        except (PageError, TimeoutError):
            answers = 0
            if turn == 10:  # on a busy machine its server may lose the connection that it restores: a reload mends that
                await one.page.reload()
                await one.open_chapter()
            continue
        answers += 1
        if answers == 10:
            break


async def look_around(one: Student, other: Student, facts: Facts) -> None:
    """What one student gets of another's: files, processes, kernels, servers, through the hub and past it."""
    machine = one.hub.machine
    home, state = f"/home/{other.name}", COURSE / ".home" / "class"
    paths = [
        home,
        f"{home}/course/.progress.json",
        f"{home}/course/{CHAPTER}.ipynb",
        f"{home}/.local/share/jupyter/runtime",
    ]
    secrets = [str(path) for path in (state, state / "hub.sqlite", state / "cookie_secret", "/etc/shadow")]
    inside = machine.run("bash", "-c", f"pgrep -u {other.name}").stdout.split()
    facts["found by a spy"] = await one.kernel(SPY.format(paths=paths + secrets, processes=f"[{', '.join(inside)}]"))
    files = machine.homes.glob(f"{other.name}/.local/share/jupyter/runtime/kernel-*.json")
    ports = [json.loads(file.read_text())["iopub_port"] for file in files]
    listening = asyncio.ensure_future(one.kernel(LISTEN.format(ports=ports)))
    for _ in range(10):
        await other.kernel("print('a secret')")
        await asyncio.sleep(0.1)
    facts["ports of kernels"], facts["heard"] = len(ports), await listening
    listed = json.dumps([f"{one.hub.url}/hub/api/users/{other.name}", f"{one.hub.url}/user/{other.name}/api/contents"])
    facts["with the token"] = json.loads(await one.kernel(ASK.format(addresses=listed)))
    other_place, own_place = f"/user/{other.name}", f"/user/{one.name}"
    facts["with the cookies"] = {
        path: await one.status(path)
        for path in (
            f"{other_place}/api/contents",
            f"{other_place}/files/course/{CHAPTER}.ipynb",
            f"{other_place}/lab",
            f"/hub/api/users/{other.name}",
            "/hub/api/users",
            f"{own_place}/files/..%2f..%2f{other.name}%2fcourse%2f{CHAPTER}.ipynb",
            f"{own_place}/api/contents/..%2f..%2f{other.name}",
            f"{own_place}/files/.progress.json%2f..%2f..%2f..%2f..%2fetc%2fshadow",
        )
    }
    strange = f"{one.hub.url.rpartition(':')[2]}"
    facts["under strange hosts"] = {
        host: await one.status(f"{own_place}/api/contents", Host=host)
        for host in ("evil.example", f"evil.example:{strange}", "127.0.0.1.evil.example", "169.254.169.254")
    }
    facts["under its own host"] = await one.status(f"{own_place}/api/contents")
    anybody = await one.browser.new_context()
    answers = [
        await anybody.request.get(one.hub.url + path, timeout=PATIENCE)
        for path in (f"{own_place}/api/contents", "/hub/api/users")
    ]
    facts["without an account"] = [answer.status for answer in answers]
    await anybody.close()


# ---------------------------------------------------------------- figures


def memory(process: int) -> float:
    """MB that a process has for itself, with its part of what several share."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(re.search(r"^Pss: +(\d+)", rollup, re.MULTILINE)[1]) / 1024  # type: ignore[index]


def seconds_of_cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def words_of(process: int) -> str:
    """The words of a command; none where the process, such as one of a hub that looks an account up, has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def processes_of(student: Student, sign: str) -> list[int]:
    return [process for process in student.hub.machine.processes(student.name) if sign in words_of(process)]


async def measured(student: Student) -> Facts:
    """Memory and CPU of a student's processes, and of a kernel that has done nothing."""
    start = """async (bare) => {
        const { kernels } = window.jupyterapp.serviceManager;
        if (bare) { await kernels.shutdown(bare); return ''; }
        const kernel = await kernels.startNew({ name: 'python3' });
        await kernel.requestExecute({ code: '6 * 7' }).done;
        return kernel.id;
    }"""
    own = processes_of(student, "ipykernel_launcher")
    bare = await student.page.evaluate(start, "")
    new = set(processes_of(student, "ipykernel_launcher")) - set(own)
    figures: Facts = {"MB of a bare kernel": sum(map(memory, new))}
    await student.page.evaluate(start, bare)
    for kind, sign in (("kernel", "ipykernel_launcher"), ("server", "jupyterhub.singleuser")):
        processes = processes_of(student, sign)
        figures[f"MB of the {kind}"] = sum(map(memory, processes))
        figures[f"seconds of CPU of the {kind}"] = sum(map(seconds_of_cpu, processes))
    return figures


def measured_hub(machine: Machine) -> Facts:
    signs = {"hub": "-m jupyterhub --config", "proxy": "configurable-http-proxy", "culler": "jupyterhub_idle_culler"}
    figures: Facts = {}
    for kind, sign in signs.items():
        processes = [process for process in machine.processes("root") if sign in words_of(process)]
        figures[f"MB of the {kind}"] = sum(map(memory, processes))
        figures[f"seconds of CPU of the {kind}"] = sum(map(seconds_of_cpu, processes))
    return figures


def class_table(machine: Machine) -> list[str]:
    """What the teacher's command prints, the table first."""
    return machine.run(python(), "dev.py", "class", "/home").stdout.splitlines()


# ---------------------------------------------------------------- what should have been seen


def unexpected(facts: Facts) -> list[str]:
    """What should not be so, in sentences; nothing where all is well."""
    found = []

    def expected(what: str, value: Any, is_so: Callable[[Any], bool]) -> None:
        if not is_so(value):
            found.append(f"{what}: {value}")

    refused = (403, 404)  # the hub says 404 of what it will not even admit to have
    for name, seen in facts["students"].items():
        expected(f"{name} steps", seen["step"], lambda step: step.endswith(" 1"))
        expected(f"{name}'s wrong answer", seen["wrong"], lambda card: "✗ slope_of_w: not yet" in card)
        expected(f"{name}'s right answer", seen["right"], lambda card: "✓ slope_of_w: passed" in card)
        expected(f"{name}'s progress", seen["progress"], lambda kept: kept == {"slope_of_w": "passed"})
        expected(f"{name}'s home", seen["home"], lambda mode: mode == "0o700")
        more = seen["MB of the kernel"] - seen["MB of a bare kernel"]
        expected(f"MB of {name}'s kernel above a bare one", more, lambda more: 0 < more <= 100)
        expected(f"{name}'s answer after the update", seen["answer after the update"], lambda text: text == RIGHT)
        expected(f"{name}'s text after the update", seen["text after the update"], lambda new: new == [True, True])
        expected(f"{name}'s requests to strangers", seen["requests to strangers"], lambda addresses: addresses == [])
    rows = [line.partition(" ")[0] for line in facts["class table"][1 : len(facts["students"]) + 1]]
    expected("the rows of the class table", sorted(rows), lambda rows: rows == sorted(facts["students"]))
    for what, answer in facts["meanwhile"].items():
        expected(f"another's kernel during {what}", answer, lambda answer: answer.endswith(" 42"))
    expected("meanwhile, of", sorted(facts["meanwhile"]), lambda tried: len(tried) == 4)
    for what in ("after the loop", "after os._exit"):
        expected(what, facts.get(what), lambda said: said == "works")
    expected("2 GB", facts["2 GB"], lambda said: said == "no memory")
    expected("a fork bomb", facts["fork bomb"], lambda said: said.endswith("refused"))
    expected("a spy found", facts["found by a spy"], lambda said: said == "[]")
    expected("another's kernels to listen to", facts["ports of kernels"], lambda count: count > 0)
    expected("heard from another's kernel", facts["heard"], lambda said: said == "[]")
    for path, status in (facts["with the token"] | facts["with the cookies"]).items():
        expected(f"another's {path}", status, lambda status: status in refused)
    for host, status in facts["under strange hosts"].items():
        expected(f"under the host {host}", status, lambda status: status == 403)
    expected("under its own host", facts["under its own host"], lambda status: status == 200)
    expected("without an account", facts["without an account"], lambda statuses: statuses == [403, 403])
    return found

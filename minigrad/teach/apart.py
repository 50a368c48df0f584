"""A learner's function is tried apart from the notebook, in a process of its own: whatever it does, the notebook is as
it was.

The process is a fork of the kernel. It has everything that the notebook has, at no cost, also the functions of cells,
which no fresh process could import; and nothing that is changed in it comes back: no mode that is left on, no patched
method, no thread. It ends when the answer is there, and is ended when it takes too long, even in the middle of a call
into C. Threads are not forked, so locks that one of them holds would never come free: those of minigrad are taken
before. The process touches none of the kernel's sockets: what it prints goes through a pipe, what it found out comes
back as JSON, which runs nothing here, and it ends without a look back (`os._exit`).

Only Linux forks safely once there are threads. Elsewhere the answer runs in the notebook itself, where `limits` ends
its loops, and a crash is a crash.
"""

from __future__ import annotations

import builtins
import codecs
import contextlib
import faulthandler
import gc
import io
import json
import os
import re
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from typing import Any, NoReturn

from minigrad.autograd import blame
from minigrad.autograd.node import accumulating
from minigrad.op_text import writing
from minigrad.random import default_generator

FORKS = sys.platform == "linux"
GRACE = 2.0  # seconds that code has, which the limits of `limits` have ended, to say so itself
MEMORY = 4 * 1024**3  # bytes that it may ask for, beside what the notebook has already
CHUNK = 65_536  # bytes that a pipe holds
YOU_STOPPED = "you stopped the check"

_exit = os._exit  # at hand, since a learner's code may put something else in its place
_to_notebook: socket.socket | None = None  # in the process apart


class EndedError(Exception):
    """The process ended, or was ended, before it had an answer. `words` say how, `doing` what it did last, and
    `places` where each thread was, if that is known: files and lines, the innermost first.
    """

    def __init__(self, words: str, doing: str, places: list[tuple[str, int]]) -> None:
        super().__init__(words)
        self.words, self.doing, self.places = words, doing, places


class NobodyThereError(RuntimeError):
    """Code asks for something to be typed, while a check is running."""


def stops_notebook(error: BaseException) -> bool:
    """Whether an error is the notebook's stop button, and none that a learner's function raised."""
    return isinstance(error, KeyboardInterrupt) and _to_notebook is None


def going_on(doing: str) -> None:
    """Say what is done next, for which there are so many seconds again."""
    if _to_notebook is not None:
        _to_notebook.sendall(json.dumps({"doing": doing}).encode() + b"\n")


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Inside, what code apart writes to the file of its output goes nowhere: `print_limit` is for what is printed."""
    kept = [] if _to_notebook is None else [(number, os.dup(number)) for number in (1, 2)]
    for number, _ in kept:
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), number)
    try:
        yield
    finally:
        for number, before in kept:
            os.dup2(before, number)
            os.close(before)


def run_apart(seconds: float, work: Callable[[], Any]) -> Any:
    """What `work()` returns, as JSON gives it back, from a process of its own if there can be one.

    EndedError if that ends before, or has not gone on for so many seconds and some grace. What it prints is printed.
    """
    if not FORKS or _to_notebook is not None:
        return work()
    notebook, child = os.getpid(), 0
    here, there = socket.socketpair()
    printed, printing = os.pipe()
    places = os.memfd_create("places")
    try:
        child = _fork()
        if not child:
            _serve(work, there, printing, places)
        there.close()
        here.sendall(b"\n")  # from here on it will be ended, whatever comes in between: it may begin
        return _answer(here, printed, seconds, child, places)
    finally:
        if os.getpid() != notebook:
            _exit(1)
        if child:
            _end(child)
        here.close()
        there.close()
        for pipe in (printed, printing, places):
            os.close(pipe)


def _fork() -> int:
    with writing, accumulating, default_generator.lock, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(?s).*fork", DeprecationWarning)  # that there are threads is known
        return os.fork()


# ---------------------------------------------------------------- in the notebook


def _answer(here: socket.socket, printed: int, seconds: float, child: int, places: int) -> Any:
    """Wait for what the process finds out, and print what it prints."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    late, doing, received = time.monotonic() + seconds + GRACE, "", b""
    try:
        while (left := late - time.monotonic()) > 0:
            ready = wait([here, printed], left)
            if printed in ready:
                sys.stdout.write(decode(os.read(printed, CHUNK)))
            if here in ready:
                received += (data := here.recv(CHUNK))
                if not data:
                    raise EndedError(_how(child), doing, _places(places))
                *lines, received = received.split(b"\n")
                for said in map(json.loads, lines):
                    if "found" in said:
                        if wait([printed], 0):
                            sys.stdout.write(decode(os.read(printed, CHUNK)))
                        return said["found"]
                    late, doing = time.monotonic() + seconds + GRACE, said["doing"]
    except KeyboardInterrupt as stop:
        raise stop from EndedError(YOU_STOPPED, doing, _places_now(child, places))
    raise EndedError(f"stopped, it was still running after {seconds:g} seconds", doing, _places_now(child, places))


def _places_now(child: int, places: int) -> list[tuple[str, int]]:
    """Where the process is, which writes that down when it is asked."""
    os.kill(child, signal.SIGUSR1)
    written = 0
    for _ in range(60):  # three seconds at most, where a busy machine lets it wait
        time.sleep(0.05)
        before, written = written, os.fstat(places).st_size
        if 0 < before == written:
            break
    return _places(places)


def _how(child: int) -> str:
    """How a process ended that says nothing more."""
    for _ in range(300):  # it is about to end: three seconds are more than enough
        found = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if found is not None:
            what = "exit code" if found.si_code == os.CLD_EXITED else f"{signal.strsignal(found.si_status)}, signal"
            return f"ended Python with {what} {found.si_status}"
        time.sleep(0.01)
    return "closed all files, also those of the check"


def _places(places: int) -> list[tuple[str, int]]:
    """Where the process was when it crashed, or was asked."""
    os.lseek(places, 0, os.SEEK_SET)
    text = os.read(places, CHUNK).decode(errors="replace")
    return [(file, int(line)) for file, line in re.findall(r'^  File "(.*)", line (\d+) in ', text, re.MULTILINE)]


def _end(child: int) -> None:
    """End a process, and those that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)


# ---------------------------------------------------------------- in the process apart


def _serve(work: Callable[[], Any], there: socket.socket, printing: int, places: int) -> NoReturn:
    """Do the work, say what came out, and end."""
    global _to_notebook
    try:
        os.setsid()  # the notebook's stop button sends its signal to a whole session
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _let_go_of_files(there.fileno(), printing, places)
        if not there.recv(1):
            _exit(1)  # the notebook was stopped before it could wait
        _to_notebook = there
        _stand_alone(printing)
        _limit_memory()
        faulthandler.enable(places)
        faulthandler.register(signal.SIGUSR1, places)
        there.sendall(json.dumps({"found": work()}).encode() + b"\n")
    finally:
        _exit(1)


def _let_go_of_files(*kept: int) -> None:
    """Close the notebook's files and sockets, except these and the three that every program has."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in kept:
            with contextlib.suppress(OSError):  # the one through which this list was read
                os.close(int(name))


def _stand_alone(printing: int) -> None:
    """Have no terminal, no page and no keyboard."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, file in ((0, nothing), (1, printing), (2, printing)):
        os.dup2(file, number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stderr = _SameAsOutput()
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w"), "utf-8", "backslashreplace", write_through=True)
    builtins.input = sys.breakpointhook = _nobody_there
    shell = "IPython" in sys.modules and sys.modules["IPython"].get_ipython()
    if name_of := getattr(getattr(shell, "compile", None), "format_code_name", None):
        blame.cell_name = lambda file_name: " ".join(name_of(file_name) or ()) or None  # else errors name no cells
    for module, name in (("IPython.core.interactiveshell", "InteractiveShell"), ("ipykernel.kernelbase", "Kernel")):
        if module in sys.modules:
            getattr(sys.modules[module], name).clear_instance()  # display() prints, widgets stay to themselves


class _SameAsOutput(io.TextIOBase):
    """What goes to `sys.stderr` goes where `sys.stdout` goes at that moment, which may be nowhere."""

    def write(self, text: str) -> int:
        return sys.stdout.write(text)


def _limit_memory() -> None:
    """Have so much and not more, and be the first to go where the machine has not even that."""
    import resource  # which only such systems have as can fork

    gc.freeze()  # what the notebook has let go of is not for this process to end
    with open("/proc/self/statm") as pages, open("/proc/self/oom_score_adj", "w") as first_to_go:
        most = int(pages.read().split()[0]) * resource.getpagesize() + MEMORY
        first_to_go.write("1000")
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is told, and not kept


def _nobody_there(*arguments: object, **named: object) -> NoReturn:
    raise NobodyThereError("there is nobody at the keyboard while a check runs")

"""Answers that hang, crash or change the kernel in which they run: the notebook is as it was, and says what happened.

None of them may run in the process of the tests itself.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import dataclasses
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from teach.answers import check_threads_ended, said, threads

import minigrad as mg
from minigrad.teach import EXERCISES, apart
from minigrad.teach.apart import FORKS, EndedError, run_apart
from minigrad.teach.exercise import Exercise
from minigrad.teach.limits import AGAIN, MOST_CHARACTERS, call_within

pytestmark = pytest.mark.skipif(not FORKS, reason="there is no safe fork here")

SECONDS, AT_MOST = 0.3, 30.0  # that an answer may take, and a check of it, on a machine with much else to do
UNTIL_TOLD_TWICE = AGAIN + 0.2  # seconds of grace: what computes on and never heeds its limit would use all there are
RIGHT = EXERCISES["slope_of_w"].reference
PATIENT = dataclasses.replace(EXERCISES["slope_of_w"], drawn=None)
LIMITED = dataclasses.replace(PATIENT, seconds=SECONDS)  # for answers that never come to an end


def tried(answer: Callable[..., Any], exercise: Exercise = PATIENT) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        if answer in UNHEEDING:
            patch.setattr(apart, "GRACE", UNTIL_TOLD_TWICE)
        return call_within(AT_MOST, exercise.check, answer)


# ---------------------------------------------------------------- answers


def loops(w, x, b, target):
    while True:
        pass


def loops_whatever_comes(w, x, b, target):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


def without_end(w, x, b, target):
    return Endless()


def adds_without_end(w, x, b, target):
    return sum(itertools.count())  # in C, which looks for no signal


UNHEEDING = (loops_whatever_comes, without_end, adds_without_end)


def sleeps(w, x, b, target):
    time.sleep(1000)


def joins(w, x, b, target):
    thread = threading.Thread(target=time.sleep, args=(1000,), daemon=True)
    thread.start()
    thread.join()


def waits_for_a_lock(w, x, b, target):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


class Endless:
    def __repr__(self) -> str:
        while True:
            pass

    def __iter__(self):
        return itertools.count()


class Exits(float):
    def __repr__(self) -> str:
        sys.exit()

    def __float__(self) -> float:
        sys.exit()


class Slow(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        time.sleep(1000)


def walks_through_a_slow_backward(w, x, b, target):
    leaf = mg.tensor(w, requires_grad=True)
    Slow.apply(leaf).backward()
    return leaf.grad


def hook_that_loops(w, x, b, target):
    leaf = mg.tensor(w, requires_grad=True)
    leaf.register_hook(lambda gradient: loops(w, x, b, target))
    (leaf * x).backward()
    return leaf.grad


def asks(w, x, b, target):
    return float(input("the slope? "))


def debugs(w, x, b, target):
    breakpoint()
    return RIGHT(w, x, b, target)


def exits(w, x, b, target):
    sys.exit(3)


def exits_at_once(w, x, b, target):
    os._exit(7)


def exits_though_it_was_patched(w, x, b, target):
    os._exit = lambda code: None
    sys.exit()


def crashes(w, x, b, target):
    ctypes.string_at(1)


def kills_itself(w, x, b, target):
    os.kill(os.getpid(), signal.SIGKILL)


def kills_its_group(w, x, b, target):
    os.killpg(0, signal.SIGKILL)


def closes_all_files(w, x, b, target):
    os.closerange(0, 200)
    return RIGHT(w, x, b, target)


def raises(kind: type[BaseException]) -> Callable[..., Any]:
    def answer(w, x, b, target):
        raise kind

    return answer


class OfItsOwnError(BaseException):
    pass


def calls_itself(w, x, b, target):
    return calls_itself(w, x, b, target)


def wants_all_memory(w, x, b, target):
    return [0] * 10**12


def fills_all_memory(w, x, b, target):
    held = []
    while True:
        held.append(np.empty(10**8))  # which are promised, and never there


def list_of_itself(w, x, b, target):
    found: list[Any] = []
    found.append(found)
    return found


def very_long_list(w, x, b, target):
    return [0.0] * 10**6


def very_large_tensor(w, x, b, target):
    return mg.zeros(3_000, 3_000)


def prints_at_the_lowest(w, x, b, target):
    os.write(1, b"by the number of the file\n")
    return RIGHT(w, x, b, target)


def prints_without_end_at_the_lowest(w, x, b, target):
    while True:
        os.write(1, b"more and more\n" * 100)


HOSTILE = [
    (loops, "still running after 0.3 seconds"),
    (loops_whatever_comes, "still running after 0.3 seconds"),
    (sleeps, "still running after 0.3 seconds"),
    (joins, "still running after 0.3 seconds"),
    (waits_for_a_lock, "still running after 0.3 seconds"),
    (walks_through_a_slow_backward, "still running after 0.3 seconds"),
    (hook_that_loops, "still running after 0.3 seconds"),
    (prints_without_end_at_the_lowest, "still running after 0.3 seconds"),
    (without_end, "still running after 0.3 seconds"),
    (lambda w, x, b, target: Exits(1.0), "this answer cannot be judged"),
    (asks, "raises NobodyThereError"),
    (debugs, "raises NobodyThereError"),
    (exits, "raises SystemExit"),
    (exits_at_once, "ended Python with exit code 7"),
    (exits_though_it_was_patched, "raises SystemExit"),
    (crashes, "ended Python with Segmentation fault, signal 11"),
    (kills_itself, "ended Python with Killed, signal 9"),
    (kills_its_group, "ended Python with Killed, signal 9"),
    (closes_all_files, "ended Python with exit code 1"),
    (raises(GeneratorExit), "raises GeneratorExit"),
    (raises(KeyboardInterrupt), "raises KeyboardInterrupt"),
    (raises(OfItsOwnError), "raises OfItsOwnError"),
    (calls_itself, "raises RecursionError"),
    (wants_all_memory, "raises MemoryError"),
    (fills_all_memory, "raises MemoryError"),
    (list_of_itself, "this answer cannot be judged"),
    (very_long_list, "not yet"),
    (very_large_tensor, "not yet"),
]


def files() -> set[tuple[str, str]]:
    """The open files of this process: their numbers, and what each one is."""
    found = set[tuple[str, str]]()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # the one that lists the folder
            found.add((name, os.readlink(f"/proc/self/fd/{name}")))
    return found


def children() -> set[str]:
    """The processes that this one has started, such as another test's browser, also those that ended unseen."""
    found = set[str]()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended by now
            found.update((task / "children").read_text().split())
    return found


@pytest.mark.parametrize(("answer", "title"), HOSTILE, ids=lambda value: getattr(value, "__name__", None))
def test_a_hostile_answer_gets_a_card_and_the_notebook_goes_on(
    answer: Callable[..., Any], title: str, capsys: pytest.CaptureFixture[str]
) -> None:
    opened, running, before = files(), threads(), children()
    card = tried(answer, LIMITED if "still running" in title else PATIENT)
    assert card.kind == "bad"
    assert title in card.title
    assert len(repr(card)) < 4_000
    assert len(capsys.readouterr().out) < MOST_CHARACTERS + 100
    assert tried(RIGHT).kind == "good"
    assert files() <= opened  # fewer if something that another test has left open was closed meanwhile
    check_threads_ended(running)
    assert children() == before  # nobody is left, dead or alive


@pytest.mark.parametrize(
    ("answer", "line", "likely"),
    [
        (adds_without_end, "return sum(itertools.count())  # in C, which looks for no signal", "goes on as before"),
        (crashes, "ctypes.string_at(1)", "The notebook goes on as before"),
        (sleeps, "time.sleep(1000)", "does this line wait"),  # ended by its time limit: the process lives
        (joins, "thread.join()", "does this line wait"),
    ],
)
def test_the_line_is_shown_where_python_itself_was_stopped(answer: Callable[..., Any], line: str, likely: str) -> None:
    rows = said(tried(answer, LIMITED))
    assert rows["in your line"].strip() == line
    assert rows["input"] == "w = 2.0, x = 3.0, b = 1.0, target = 5.0"
    assert likely in rows["likely"]


def test_what_stops_an_answer_is_explained() -> None:
    assert "more memory than there is; a check gives 4 GB" in said(tried(wants_all_memory))["likely"]
    assert "wait for somebody to type" in said(tried(asks))["likely"]


def test_what_is_printed_arrives_however_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert tried(prints_at_the_lowest).kind == "good"
    assert capsys.readouterr().out == "by the number of the file\n" * len(PATIENT.cases)

    def warns(w, x, b, target):
        print("é", end="")
        sys.stderr.write("take care")
        os._exit(0)

    assert "exit code 0" in tried(warns).title
    printed = capsys.readouterr().out
    assert printed.startswith("é")
    assert "take care" in printed


def test_a_thread_prints_nothing_after_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    def leaves_a_thread(w, x, b, target):
        def goes_on():
            while True:
                time.sleep(0.01)
                print("still there")

        threading.Thread(target=goes_on).start()
        return RIGHT(w, x, b, target)

    assert tried(leaves_a_thread).kind == "good"
    capsys.readouterr()
    time.sleep(0.1)
    assert capsys.readouterr().out == ""


def test_what_an_answer_patches_is_not_patched_here() -> None:
    kept = (mg.Tensor.backward, np.isclose, builtins.print, sys.stdout, dict(os.environ))

    def patches(w, x, b, target):
        mg.Tensor.backward = np.isclose = builtins.print = lambda *arguments, **named: True
        mg.set_grad_enabled(False)
        mg.set_default_dtype(mg.float64)
        mg.manual_seed(3)
        np.seterr(all="raise")
        sys.stdout = None
        os.environ["MINIGRAD_PROGRESS"] = "elsewhere"
        os.chdir("/")
        return 0.0

    place, errors = Path.cwd(), np.geterr()
    state = mg.get_rng_state().tolist() if hasattr(mg, "get_rng_state") else None
    tried(patches)
    assert (mg.Tensor.backward, np.isclose, builtins.print, sys.stdout, dict(os.environ)) == kept
    assert (Path.cwd(), np.geterr()) == (place, errors)
    assert mg.is_grad_enabled()
    assert mg.get_default_dtype() == mg.float32
    assert state is None or mg.get_rng_state().tolist() == state


def test_processes_that_an_answer_starts_end_with_it(tmp_path: Path) -> None:
    told = tmp_path / "told"

    def forks(w, x, b, target):
        if not os.fork():
            time.sleep(1000)
        told.write_text(str(subprocess.Popen(["sleep", "1000"]).pid))
        return RIGHT(w, x, b, target)

    assert tried(forks).kind == "good"
    left = Path("/proc", told.read_text(), "stat")
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it is gone, at whichever moment
        while left.read_text().split()[2] != "Z":  # it has got its signal, and goes soon
            time.sleep(0.01)


def test_the_stop_button_ends_both() -> None:
    """In a Python of its own, which gets the signal of the stop button as a kernel does: with its whole session."""
    code = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # as a kernel does, however it was started
from minigrad.teach import check
def slope_of_w(w, x, b, target):
    print(__import__("os").getpid(), flush=True)
    time.sleep(1000)
try:
    check(slope_of_w)
except KeyboardInterrupt:
    print("stopped", check.slope_of_w(lambda w, x, b, target: 2 * (w * x + b - target) * x).title)
"""
    running = subprocess.Popen(
        [sys.executable, "-u", "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert running.stdout is not None
    child = int(running.stdout.readline())
    os.killpg(running.pid, signal.SIGINT)
    assert running.communicate(timeout=60)[0] == "stopped slope_of_w: passed\n"
    assert not Path("/proc", str(child)).exists()


def test_locks_are_free_in_the_process_apart() -> None:
    """Whatever other threads hold at the moment of the fork, nobody there would ever let go of it."""
    from minigrad.autograd.node import accumulating

    over = threading.Event()

    def takes_it_again_and_again():
        while not over.is_set():
            with accumulating:
                time.sleep(0.0005)
            time.sleep(0.0001)  # else who waits for it, on a busy machine, hardly ever comes to its turn

    def takes_it(w, x, b, target):
        with accumulating:
            return RIGHT(w, x, b, target)

    thread = threading.Thread(target=takes_it_again_and_again)
    thread.start()
    try:
        assert all(tried(takes_it).kind == "good" for _ in range(10))
    finally:
        over.set()
        thread.join()


def test_a_check_within_an_answer_is_answered() -> None:
    def checks_another(w, x, b, target):
        assert EXERCISES["slope_of_w"].check(RIGHT).kind == "good"
        return RIGHT(w, x, b, target)

    assert tried(checks_another).kind == "good"


def test_a_check_in_another_thread_is_answered() -> None:
    cards: list[Any] = []
    thread = threading.Thread(target=lambda: cards.append(tried(RIGHT)))
    thread.start()
    thread.join()
    assert [card.kind for card in cards] == ["good"]


def test_who_goes_on_gets_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "GRACE", 2.3)

    def slowly() -> str:
        for number in range(8):
            apart.going_on(str(number))
            time.sleep(0.33)  # a busy machine may make two seconds of it
        return "there"

    assert run_apart(0.2, slowly) == "there"  # in all it takes longer than 0.2 seconds and the grace
    monkeypatch.setattr(apart, "GRACE", 0.3)
    with pytest.raises(EndedError, match="still running after") as caught:
        run_apart(0.2, lambda: time.sleep(1000))
    assert caught.value.doing == ""


def test_where_nothing_forks_the_answer_runs_in_the_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "FORKS", False)
    here = []

    def tells(w, x, b, target):
        here.append(os.getpid())
        return RIGHT(w, x, b, target)

    assert tried(tells).kind == "good"
    assert set(here) == {os.getpid()}
    for answer, title in ((loops, "still running"), (exits, "raises SystemExit"), (calls_itself, "RecursionError")):
        assert title in tried(answer, LIMITED).title
    with pytest.raises(KeyboardInterrupt) as caught:
        tried(raises(KeyboardInterrupt))
    (shown,) = caught.value._render_traceback_()  # type: ignore[attr-defined]
    assert "you stopped the check" in shown.splitlines()[0]
    assert "in your line" in shown
    assert "process of its own" not in shown  # as it was not tried in one
    assert tried(RIGHT).kind == "good"

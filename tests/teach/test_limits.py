"""Time limits, by each of the ways in which they are kept: see minigrad/stopping.py and minigrad/teach/limits.py."""

from __future__ import annotations

import contextlib
import io
import math
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from minigrad import stopping
from minigrad.teach import limits
from minigrad.teach.limits import MOST_CHARACTERS, TookTooLongError, call_within, print_limit

KINDS = [limits._Alarm, limits._Watcher, limits._Deadline]
LONG = 30.0  # seconds: far more than any of these tests may take

alarms = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer that sends a signal")


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(limits, "_kind_for_this_thread", lambda: request.param)
    return request.param


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    tracer = sys.gettrace()
    yield
    assert not isinstance(signal.getsignal(signal.SIGALRM), limits._Alarm)
    assert signal.getitimer(signal.ITIMER_REAL)[1] == 0.0
    assert sys.gettrace() is tracer
    assert limits._Deadline.innermost is None


def endless() -> None:
    while True:
        try:
            number = 0
            while number >= 0:
                number += 1
        except Exception:
            continue


def test_a_loop_is_ended_and_its_line_is_known(kind: Any) -> None:
    started = time.monotonic()
    with pytest.raises(TookTooLongError) as caught:
        call_within(0.1, endless)
    assert 0.1 <= time.monotonic() - started < LONG
    assert "endless" in [frame.name for frame in traceback.extract_tb(caught.tb)]


def test_what_ends_in_time_gives_its_value_and_its_error(kind: Any) -> None:
    assert call_within(LONG, divmod, 17, 5) == (3, 2)
    with pytest.raises(ZeroDivisionError):
        call_within(LONG, divmod, 17, 0)


def test_a_tracer_stays(kind: Any) -> None:
    before = sys.gettrace()
    sys.settrace(tracer := lambda *_: None)
    try:
        call_within(LONG, math.sqrt, 4.0)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


def test_the_inner_of_two_limits_ends_first_and_the_outer_goes_on(kind: Any) -> None:
    seen = []

    def outer() -> None:
        with pytest.raises(TookTooLongError):
            call_within(0.1, endless)
        seen.append("inner")
        call_within(LONG, endless)
        seen.append("never")

    with pytest.raises(TookTooLongError):
        call_within(1.2, outer)  # on a busy machine, too, the inner one is over by then
    assert seen == ["inner"]


def test_a_limit_ends_in_time_with_many_others_in_it(kind: Any) -> None:
    def again_and_again() -> None:
        while True:
            assert call_within(LONG, math.sqrt, 4.0) == 2.0

    with pytest.raises(TookTooLongError):
        call_within(0.3, again_and_again)


def test_how_time_is_limited_is_chosen_by_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[Any] = []
    thread = threading.Thread(target=lambda: chosen.append(limits._kind_for_this_thread()))
    thread.start()
    thread.join()
    assert chosen == [limits._Watcher]
    assert limits._kind_for_this_thread() is (limits._Alarm if hasattr(signal, "setitimer") else limits._Watcher)
    with monkeypatch.context() as patch:
        patch.setattr(signal, "getsignal", lambda number: None)  # as where a library in C has SIGALRM
        assert limits._kind_for_this_thread() is limits._Watcher
    with monkeypatch.context() as patch:
        patch.delattr(signal, "setitimer", raising=False)
        assert limits._kind_for_this_thread() is limits._Watcher
    monkeypatch.setattr(stopping, "HAS_THREADS", False)
    assert limits._kind_for_this_thread() is limits._Deadline


def test_without_threads_calls_within_calls_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a browser all of Python would end where its stack is full."""
    monkeypatch.setattr(stopping, "HAS_THREADS", False)
    before, calls = sys.getrecursionlimit(), []

    def deeper(function: Any) -> None:
        calls.append(sys.getrecursionlimit())
        function(function)

    with pytest.raises(RecursionError):
        call_within(LONG, deeper, deeper)
    assert limits.DEEPEST_ANSWER - 10 < len(calls) <= limits.DEEPEST_ANSWER
    assert calls[0] < before == sys.getrecursionlimit()
    assert call_within(LONG, call_within, LONG, sys.getrecursionlimit) <= calls[0] + 5  # a limit within a limit
    try:
        call_within(LONG, sys.setrecursionlimit, before + 1)
        assert sys.getrecursionlimit() == before + 1  # what the code sets is seen, and told, by others
    finally:
        sys.setrecursionlimit(before)


def test_a_loop_in_another_thread_is_ended() -> None:
    ended: list[bool] = []

    def limited() -> None:
        try:
            call_within(0.1, endless)
        except TookTooLongError:
            ended.append(True)

    thread = threading.Thread(target=limited, daemon=True)
    thread.start()
    thread.join(LONG)
    assert ended == [True]


def test_a_watcher_waits_for_the_whole_time_once() -> None:
    class Over:
        def __init__(self) -> None:
            self.timeouts = list[float]()

        def acquire(self, timeout: float) -> bool:
            self.timeouts.append(timeout)
            return len(self.timeouts) == 3

    watcher, over = limits._Watcher(LONG), Over()
    watcher.over, watcher.is_active = over, False  # type: ignore[assignment]
    watcher.run()
    assert over.timeouts == [LONG, limits.AGAIN, limits.AGAIN]


def test_the_thread_of_a_watcher_ends_with_what_it_watches() -> None:
    before, limit = set(sys._current_frames()), limits._Watcher(60)

    def others(wanted: bool) -> set[int]:
        """The threads that have come, once there are some, or none."""
        latest = time.monotonic() + 5
        while (found := sys._current_frames().keys() - before) or wanted:
            if bool(found) == wanted or time.monotonic() > latest:
                break
            time.sleep(0.01)
        return found

    limit.begin()
    assert others(wanted=True)
    limit.end()
    assert not others(wanted=False)


@alarms
def test_sleeping_and_waiting_are_ended() -> None:
    started, over = time.monotonic(), threading.Event()
    thread = threading.Thread(target=over.wait, daemon=True)
    thread.start()
    try:
        for wait in (lambda: time.sleep(LONG), thread.join, over.wait):
            with pytest.raises(TookTooLongError):
                call_within(0.1, wait)
    finally:
        over.set()
    assert time.monotonic() - started < LONG


@pytest.fixture
def came() -> Iterator[list[float]]:
    """When alarms of the learner's come in."""
    times: list[float] = []
    timer = signal.setitimer(signal.ITIMER_REAL, 0)  # that of the suite, which ends a test that hangs
    before = signal.signal(signal.SIGALRM, lambda *_: times.append(time.monotonic()))
    handler = signal.getsignal(signal.SIGALRM)
    yield times
    assert signal.getsignal(signal.SIGALRM) is handler
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    signal.setitimer(signal.ITIMER_REAL, *timer)


@alarms
def test_an_alarm_of_the_learners_comes_when_it_is_due(came: list[float]) -> None:
    started = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    with pytest.raises(TookTooLongError):
        call_within(1.5, endless)
    assert len(came) == 1
    assert 0.2 <= came[0] - started < time.monotonic() - started - 0.2  # within, not at the end
    signal.setitimer(signal.ITIMER_REAL, 1.5)
    with pytest.raises(TookTooLongError):
        call_within(0.1, endless)
    assert len(came) == 1
    assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1.4
    while len(came) == 1 and time.monotonic() - started < LONG:
        time.sleep(0.01)
    assert len(came) == 2


@alarms
def test_an_alarm_that_comes_again_and_again_goes_on(came: list[float]) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
    with pytest.raises(TookTooLongError):
        call_within(1.2, endless)
    assert len(came) >= 2
    assert signal.getitimer(signal.ITIMER_REAL)[1] == pytest.approx(0.1)
    signal.setitimer(signal.ITIMER_REAL, 0)


@alarms
def test_a_limit_survives_an_alarm_that_sets_the_timer_anew(came: list[float]) -> None:
    def next_one(*_: Any) -> None:
        came.append(time.monotonic())
        signal.setitimer(signal.ITIMER_REAL, 0.05)

    handler = signal.signal(signal.SIGALRM, next_one)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    with pytest.raises(TookTooLongError):
        call_within(0.3, endless)
    assert came
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, handler)


BROWSER = """
import _thread, signal, sys, threading

def missing(*_, **__):
    raise RuntimeError("there is none in a browser")

import numpy, minigrad as mg
from minigrad import stopping
from minigrad.teach import EXERCISES, apart
_thread.start_new_thread = threading.Thread.start = signal.setitimer = missing
stopping.HAS_THREADS = apart.FORKS = False

def endless(w, x, b, target):
    while True:
        try:
            w = w + 0
        except Exception:
            pass

from dataclasses import replace
exercise = replace(EXERCISES["slope_of_w"], seconds=0.3)
print(exercise.check(endless).title, sys.gettrace())
print(EXERCISES["slope_of_w"].check(exercise.reference).title)

class Nested(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, depth):
        ctx.depth = depth
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        if ctx.depth:
            with mg.enable_grad():
                Nested.apply(mg.ones(3, requires_grad=True), ctx.depth - 1).sum().backward()
        return grad, None

x = mg.ones(3, requires_grad=True)
Nested.apply(x, 25).sum().backward()
print(x.grad.tolist())
"""


def test_where_there_are_no_threads_and_no_signals_an_endless_answer_is_ended() -> None:
    run = subprocess.run([sys.executable, "-c", BROWSER], capture_output=True, text=True, timeout=120)
    assert run.stdout.splitlines() == [
        "slope_of_w: stopped, it was still running after 0.3 seconds None",
        "slope_of_w: passed",
        "[1.0, 1.0, 1.0]",
    ], run.stderr


WHOLE, LEFT_OUT = "a" * MOST_CHARACTERS, "\n… (more was printed than 4000 characters: the rest is left out)\n"


@pytest.mark.parametrize(
    ("most", "given", "printed"),
    [
        (MOST_CHARACTERS, [WHOLE[1:], "b"], WHOLE[1:] + "b"),
        (MOST_CHARACTERS, [WHOLE + "b"], WHOLE + LEFT_OUT),
        (MOST_CHARACTERS, [WHOLE, "b", "c"], WHOLE + LEFT_OUT),
        (0, ["a", "b"], ""),
    ],
)
def test_of_what_is_printed_the_beginning_stays_and_a_line_says_that_there_was_more(
    most: int, given: list[str], printed: str
) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        with print_limit(most):
            for text in given:
                print(text, end="")
        print("after", end="")  # goes where all went before
    assert out.getvalue() == printed + "after"

"""What goes on in a new thread, and is waited for: its error is raised here, and a stop here ends it there."""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from minigrad import stopping
from minigrad.stopping import call_in_new_thread


def fail() -> None:
    raise ValueError("in the other thread")


def test_it_is_waited_for_and_runs_in_a_thread_of_its_own() -> None:
    idents = list[int]()

    def note() -> None:
        time.sleep(0.05)
        idents.append(_thread.get_ident())

    call_in_new_thread(note)
    assert len(idents) == 1
    assert idents[0] != _thread.get_ident()
    with pytest.raises(ValueError, match="in the other thread"):
        call_in_new_thread(fail)


def test_where_there_are_no_threads_it_is_called_in_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "HAS_THREADS", False)
    idents = list[int]()
    call_in_new_thread(lambda: idents.append(_thread.get_ident()))
    assert idents == [_thread.get_ident()]


def test_a_stop_ends_it_and_is_what_is_raised_also_where_the_other_thread_fails_then() -> None:
    began, left = threading.Event(), list[str]()
    main = _thread.get_ident()

    def endless() -> None:
        try:
            began.set()
            while True:
                pass
        except KeyboardInterrupt:
            time.sleep(0.3)  # what it puts in order is waited for
            left.append("in order")
            raise ValueError("on the way") from None

    def stop() -> None:
        began.wait(30)
        stopping.raise_in(main, KeyboardInterrupt)

    presser = threading.Thread(target=stop)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        call_in_new_thread(endless)
    assert left == ["in order"]
    presser.join()


def stopped_at_the_start(monkeypatch: pytest.MonkeyPatch, has_run: bool, function: Callable[[], None]) -> list[Any]:
    """Stop the call as its thread has been started, and has run or not begun. What was raised in that, and its code."""
    noted = list[Any]()

    def start(go_on: Callable[[], None], _: tuple[()]) -> None:
        noted.append(go_on)
        if has_run:
            go_on()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(stopping, "raise_in", lambda *what: noted.append(what))
        patch.setattr(_thread, "start_new_thread", start)
        try:
            call_in_new_thread(function)
        except KeyboardInterrupt:
            return noted
    pytest.fail("the stop is lost")


def test_a_thread_that_begins_after_the_stop_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = list[str]()
    (go_on,) = stopped_at_the_start(monkeypatch, False, lambda: calls.append("ran"))
    go_on()
    assert calls == []


def test_a_stop_that_comes_with_a_failure_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    _, raised = stopped_at_the_start(monkeypatch, True, fail)
    assert raised == (_thread.get_ident(), KeyboardInterrupt)

"""The stop button while a stepper works: a pass is stopped between two steps, and can go on; code of the learner's and
passes with other numbers are stopped where they are.
"""

import _thread
import asyncio
import operator
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

import minigrad as mg
from minigrad import viz
from minigrad.viz import stepper as stepper_module
from minigrad.viz.minigrad_graphs.minigrad_source import MinigradSource
from minigrad.viz.steps import outside
from minigrad.viz.steps.frame_maker import FrameMaker
from minigrad.viz.steps.stop_button import button, stoppable


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    """The handlers of the tests stay theirs."""
    before = signal.getsignal(signal.SIGINT)
    yield
    assert not button.is_held
    assert not button.is_open
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def idle() -> None:
    """As between the cells of a kernel."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def press(*_: Any, **__: Any) -> None:
    signal.raise_signal(signal.SIGINT)


def made(hook: Any = None, library: Any = mg) -> tuple[Any, Any]:
    w = library.tensor([1.0, 2.0], requires_grad=True)
    y = w * 3
    z = y * y
    if hook is not None:
        y.register_hook(hook)
    return viz.BackwardStepper(z.sum(), names={"w": w, "y": y, "z": z}), w


def click(s: Any, **what: Any) -> None:
    s.set_state({"request": {**what, "nth": s.answered + 1}})


def pressed_in_a_step(monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Press the button while the step of a box is written down."""
    write = FrameMaker._frame

    def pressing(self: Any, key: Any, *arguments: Any, **more: Any) -> Any:
        if key is not None and self.boxes[key].name == at:
            press()
        return write(self, key, *arguments, **more)

    monkeypatch.setattr(FrameMaker, "_frame", pressing)


@pytest.mark.parametrize("run", ["last", "run", "next", "out"])
def test_a_run_from_code_is_stopped_after_the_step(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    s, w = made()
    before = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        pressed_in_a_step(patch, "z")
        if run == "next":
            s.next()
        with pytest.raises(KeyboardInterrupt):
            getattr(s, run)()
    assert (s.index, s.frame.name, s.problem, w.grad) == (2, "z", {}, None)
    assert signal.getsignal(signal.SIGINT) is before
    s.last()
    assert w.grad.tolist() == [18.0, 36.0]


@pytest.mark.parametrize("request_", [{"to": 99}, {"run": True}, {"to": 2}])
def test_a_click_is_stopped_after_the_step_and_says_so(
    request_: dict[str, Any], monkeypatch: pytest.MonkeyPatch, idle: None
) -> None:
    s, w = made()
    with monkeypatch.context() as patch:
        pressed_in_a_step(patch, "z")
        click(s, **request_)
    assert (s.index, s.problem, w.grad) == (2, {}, None)
    assert s.stopped["why"].startswith("The stop button (■) has ended this run after step 2. What has run stays")
    assert "more" not in s.stopped
    click(s, to=99)
    assert (s.finished, s.stopped, w.grad.tolist()) == (True, {}, [18.0, 36.0])


def test_a_hook_without_an_end_is_stopped_where_it_is(idle: None) -> None:
    def endless(g: Any) -> None:
        press()
        pytest.fail("the button was held back")

    s, w = made(endless)
    click(s, to=99)
    assert s.problem["text"].startswith("KeyboardInterrupt: stopped by the stop button (■) in the middle of this step;")
    assert (s.frame.failed, s.frame.name, s.index, w.grad) == (True, "y", 3, None)
    assert s.frame.events[-1].line[2].strip() in ("press()", "signal.raise_signal(signal.SIGINT)")
    click(s, to=1)
    assert (s.index, len(s.frames)) == (1, 4)
    t, w = made()
    t.last()
    assert w.grad.tolist() == [18.0, 36.0]


def test_a_hook_without_an_end_in_pytorchs_thread_is_stopped_there(idle: None) -> None:
    def endless(g: Any) -> None:
        started.set()
        while True:
            pass

    def press_when_started() -> None:
        started.wait(30)
        time.sleep(0.1)  # until the loop is being waited for
        button.press()

    threads, started = set(sys._current_frames()), threading.Event()
    s, w = made(endless, torch)
    presser = threading.Thread(target=press_when_started)
    presser.start()
    while not s.problem:
        click(s, to=99, more=True)
    presser.join()
    assert s.problem["text"].startswith("KeyboardInterrupt: stopped by the stop button")
    assert (s.frame.name, w.grad) == ("y", None)
    assert s.frame.events[-1].line[2].strip() in ("while True:", "pass")
    for _ in range(3000):  # the thread has said that it is over, and needs a moment to end
        if sys._current_frames().keys() - threads:
            time.sleep(0.01)
    assert not sys._current_frames().keys() - threads


def test_a_breakpoint_without_an_end_is_stopped_where_it_is(idle: None) -> None:
    def endless(frame: Any) -> bool:
        press()
        pytest.fail("the button was held back")

    s, w = made()
    s.break_when(endless)
    click(s, run=True)
    assert (s.index, s.problem) == (1, {})
    assert "has ended this run after step 1" in s.stopped["why"]
    s.last()
    assert w.grad.tolist() == [18.0, 36.0]


def test_a_press_between_two_portions_ends_the_run(monkeypatch: pytest.MonkeyPatch, idle: None) -> None:
    monkeypatch.setattr(stepper_module, "seconds_to_answer", lambda page_needed: 0)
    s, w = made()
    click(s, run=True)
    assert s.stopped == {"index": 1, "why": "", "more": True}
    click(s, run=True, more=True)
    assert s.index == 2
    press()  # nothing runs: it does nothing yet
    click(s, run=True, more=True)
    assert s.index == 2
    assert "has ended this run after step 2" in s.stopped["why"]
    press()
    click(s, run=True)  # a new run, which the press before does not end
    assert s.stopped == {"index": 3, "why": "", "more": True}
    monkeypatch.undo()
    click(s, run=True, more=True)
    assert (s.finished, w.grad.tolist()) == (True, [18.0, 36.0])


def test_a_cell_that_is_stopped_ends_a_run_that_waits_for_it(monkeypatch: pytest.MonkeyPatch, idle: None) -> None:
    shell = InteractiveShell.instance()
    try:
        monkeypatch.setattr(stepper_module, "seconds_to_answer", lambda page_needed: 0)
        s, _ = made()
        click(s, run=True)
        assert shell.run_cell("1").success
        click(s, run=True, more=True)
        assert s.index == 2
        shell.run_cell("raise KeyboardInterrupt")
        click(s, run=True, more=True)
        assert s.index == 2
        assert "has ended this run" in s.stopped["why"]
    finally:
        InteractiveShell.clear_instance()


@pytest.mark.parametrize("nudge", [None, {"by": 0.1, "cell": [0]}])
def test_a_question_is_stopped_and_changes_nothing(nudge: Any, monkeypatch: pytest.MonkeyPatch, idle: None) -> None:
    s, w = made()
    (leaf,) = [box.id for box in s.session.graph.boxes if box.kind == "leaf"]
    asked = {"what_if": {} if nudge else {leaf: [5.0, 6.0]}, "nudge": nudge and {"box": leaf, **nudge}}
    with monkeypatch.context() as patch:
        patch.setattr("minigrad.viz.steps.what_if.Replay", press)
        click(s, **asked)
    assert s.whatif == {"word": "The stop button (■) has ended this question: nothing has changed."}
    assert (s.index, s.stopped, s.problem, w.grad) == (0, {}, {}, None)
    click(s, **asked)
    assert "frames" in s.whatif or "w.grad[0]" in s.whatif["word"]


def test_a_press_counts_also_where_a_time_limit_is_over_at_that_moment() -> None:
    class Clock:
        """Reading `strikes` has a signal come in, without a call, after which Python would look for it."""

        interrupt_main = staticmethod(_thread.interrupt_main)
        strikes = property(operator.methodcaller("interrupt_main", signal.SIGALRM))

    def too_late(*_: Any) -> None:
        raise TimeoutError

    clock, presses = Clock(), button.presses
    before = signal.signal(signal.SIGALRM, too_late)
    try:
        with pytest.raises(TimeoutError):  # noqa: PT012
            _ = clock.strikes
            button()
            time.sleep(0)
    finally:
        signal.signal(signal.SIGALRM, before)
        button.waits = False
    assert button.presses == presses + 1


def test_what_is_ignored_stays_ignored_where_code_steps(idle: None) -> None:
    s, w = made(press)
    s.last()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert w.grad.tolist() == [18.0, 36.0]


def test_a_handler_of_the_learners_is_called_after_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    signal.signal(signal.SIGINT, lambda *_: calls.append(s.index))
    s, _ = made()
    pressed_in_a_step(monkeypatch, "z")
    s.last()
    assert calls == [2]


def test_another_thread_gives_a_click_to_the_one_that_the_button_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the page's own button, which comes in another thread, stops even what does not look for it."""
    threads: list[Any] = []

    def wait(g: Any) -> None:
        threads.append(threading.current_thread())
        started.set()
        time.sleep(60)

    async def kernel() -> float:
        loop = asyncio.get_running_loop()
        add = SimpleNamespace(add_callback=loop.call_soon_threadsafe)
        shell = SimpleNamespace(kernel=SimpleNamespace(io_loop=add, eventloop=None), events=None)
        monkeypatch.setattr(outside, "running_shell", lambda: shell)
        s._handle_custom_msg({"stop": True}, [])  # nothing is being answered: nothing happens

        def page() -> None:
            click(s, to=99)
            started.wait(30)
            time.sleep(0.3)  # until the other one sleeps: a signal that comes just before ends no sleep
            s._handle_custom_msg({"stop": True}, [])

        start = time.monotonic()
        await asyncio.to_thread(page)
        while not s.answered:
            await asyncio.sleep(0.01)
        return time.monotonic() - start

    started = threading.Event()
    s, w = made(wait)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert asyncio.run(kernel()) < 30
    assert threads == [threading.main_thread()]
    assert s.problem["text"].startswith("KeyboardInterrupt: stopped by the stop button")
    assert (s.frame.failed, w.grad) == (True, None)
    presses = button.presses
    s._handle_custom_msg({"stop": True}, [])  # the click is answered: nothing happens any more
    assert button.presses == presses


def test_a_way_back_that_is_stopped_half_way_has_not_been(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = (mg.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    s = viz.BackwardStepper((a * b).sum(), names={"a": a, "b": b})
    s.last()
    index, calls = s.index, list[Any]()

    def put_grad(_: Any, tensor: Any, gradient: Any) -> None:
        calls.append(tensor)
        if len(calls) == 2:
            raise KeyboardInterrupt
        tensor.grad = gradient

    monkeypatch.setattr(MinigradSource, "put_grad", put_grad)
    with pytest.raises(KeyboardInterrupt):
        s.first()
    assert s.index == index
    assert [leaf.grad.tolist() for leaf in (a, b)] == [[1.0, 2.0], [1.0, 2.0]]


@pytest.mark.parametrize("place", ["begin", "end"])
def test_a_press_while_the_handlers_change_is_not_lost_and_leaves_the_button_as_it_was(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = signal.signal

    def pressing(number: int, handler: Any) -> Any:
        was = change(number, handler)
        if (handler is button) == (place == "begin"):
            press()
        return was

    done = list[str]()

    def work() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(signal, "signal", pressing)
            with button.hold():
                done.append("all")

    change(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        work()
    assert (done, button.is_held) == (["all"], False)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_is_stoppable_is_so_behind_another_that_was() -> None:
    seen = list[bool]()
    stoppable(lambda: (stoppable(seen.append, True), seen.append(button.is_open)))
    assert seen == [True, True]


def test_a_run_that_was_not_paused_is_not_ended_by_a_press_before_it(idle: None) -> None:
    s, w = made()
    button.presses += 1
    click(s, run=True, more=True)
    assert (s.finished, w.grad.tolist()) == (True, [18.0, 36.0])

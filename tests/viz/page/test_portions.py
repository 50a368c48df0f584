"""What a stepper tells its page while it is stepped from code or by clicks: few messages, and no more in them than is
new, however long the pass is.
"""

import asyncio
import functools
import itertools
import json
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from viz.cells import unpack

import minigrad as mg
from minigrad import viz
from minigrad.viz import stepper
from minigrad.viz.page import portions
from minigrad.viz.page.packing import RAN

unpacked = functools.cache(unpack)


class Page:
    """A stepper of a pass with many nodes, and what its page has been told since."""

    def __init__(self, nodes: int, pause: float = 0.0) -> None:
        w, b = mg.tensor(0.999, requires_grad=True), mg.tensor(0.001, requires_grad=True)
        x = w * b
        for _ in range((nodes - 3) // 2):
            x = x * w + b
            if pause:
                x.register_hook(lambda g: time.sleep(pause))
        self.s = s = viz.BackwardStepper(x, names={"w": w, "b": b})
        s._repr_mimebundle_()
        self.state = dict(s.get_state())
        self.sizes: list[int] = []
        self.indices: list[int] = []
        send = s.comm.send

        def note(data: Any = None, *arguments: Any, **more: Any) -> Any:
            text = json.dumps(data)
            self.sizes.append(len(text))
            self.state |= json.loads(text)["state"]
            self.indices.append(self.state["index"])
            assert self.index_is_there()
            return send(data, *arguments, **more)

        s.comm.send = note

    def frames(self) -> list[str]:
        """As kept.mjs puts them together."""
        packed = [chunk for name in RAN[:-1] for chunk in self.state[name]]
        ran = [frame for chunk in packed for frame in unpacked(chunk)] + self.state["ran"]
        kept = unpack(self.state["kept"])["frames"]
        return [frame or kept[k] for k, frame in enumerate(ran)]

    def index_is_there(self) -> bool:
        packed = sum(len(unpacked(chunk)) for name in RAN[:-1] for chunk in self.state[name])
        return bool(self.state["index"] < packed + len(self.state["ran"]))

    def knows_all(self) -> bool:
        return self.frames() == self.s.recorded and self.state["index"] == self.s.index

    def click(self, **what: Any) -> None:
        self.s.set_state({"request": {**what, "nth": self.s.answered + 1}})

    def click_through(self) -> None:
        while not self.s.finished:
            self.click(to=self.s.index + 1)


def over(s: Any) -> None:
    while s.over() is not None:
        pass


def next_again_and_again(s: Any) -> None:
    while s.next() is not None:
        pass


RUNS = {
    "last": lambda s: s.last(),
    "run": lambda s: s.run(),
    "out": lambda s: s.out(),
    "run_to": lambda s: s.run_to("w"),
}


@pytest.fixture(autouse=True)
def no_stills(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the output that a page is shown in nothing is read here: to lay out its picture takes a third of the time."""
    monkeypatch.setattr(stepper, "still_of", lambda *_: "<svg></svg>")


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell.instance()
    yield made
    InteractiveShell.clear_instance()


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_run_from_code_sends_each_frame_once(run: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "PORTION", 600)
    sent = []
    sizes = (301, 601) if run is RUNS["last"] else (151, 301)  # of 601 the first are packed, for whichever run
    for nodes in sizes:
        page = Page(nodes)
        run(page.s)
        assert page.knows_all()
        assert page.state["finished"] or run is RUNS["run_to"]
        assert len(page.sizes) <= 2
        sent.append(sum(page.sizes))
    assert sent[1] < 2.2 * sent[0]
    assert sent[1] < sizes[1] * 500  # bytes for each step


def test_recorded_frames_are_walked_over_in_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page(151)
    page.s.last()
    page.s.first()
    monkeypatch.setattr(portions, "PORTION", 600)
    page.sizes.clear()
    page.s.run()
    assert page.state["index"] == page.s.index == 151
    assert len(page.sizes) <= 2


def test_a_click_sends_one_message_which_is_as_small_late_in_a_pass_as_early() -> None:
    sent = []
    for nodes in (301, 601):
        page = Page(nodes)
        page.click_through()
        assert page.knows_all()
        assert len(page.sizes) == 2 * page.s.index  # the request comes back, and then the answer
        sent.append(sum(page.sizes))
    assert sent[1] < 2.3 * sent[0]
    assert sent[1] < 601 * 15_000


def test_a_long_run_is_seen_to_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "PORTION", 0)
    page = Page(151)
    page.s.last()
    assert [*dict.fromkeys(page.indices)] == [*range(1, 152)]
    assert page.knows_all()


def test_of_a_run_each_portion_may_take_longer_than_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    answered_for = [portions.seconds_to_answer(before) for before in (0, 0.15, 0.3, 0.6, 1)]
    assert answered_for == [0.15, 0.3, 0.6, 1, 1]
    earlier = []

    def note(before: float) -> float:
        earlier.append(before)
        return 0.001 * len(earlier)

    monkeypatch.setattr(stepper, "seconds_to_answer", note)
    page = Page(151)
    page.click(run=True)
    page.click(run=True, more=True)
    page.click(run=True, more=True)
    page.click(run=True)  # a new run begins with a short one
    assert earlier == [0, 0.001, 0.002, 0]


@pytest.mark.parametrize("run", [next_again_and_again, over])
def test_a_loop_of_steps_is_told_in_portions_and_to_its_end(
    run: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A clock that goes on as it is looked at: how many portions there are is no matter of how fast the machine is.
    clock = itertools.count(0, 0.01).__next__
    monkeypatch.setattr(portions, "time", SimpleNamespace(monotonic=clock))

    async def busy() -> None:
        page = Page(151)
        start = clock()
        run(page.s)
        assert len(page.sizes) <= 1 + (clock() - start) / portions.PORTION < 75
        assert len(page.sizes) > 10
        await asyncio.sleep(2 * portions.PORTION)
        assert page.knows_all()
        assert page.state["finished"]

    asyncio.run(busy())


def test_all_is_told_when_a_cell_is_over(shell: InteractiveShell) -> None:
    async def busy() -> None:
        page = Page(31)
        shell.user_ns["s"] = page.s
        assert shell.run_cell("for _ in range(20): s.next()").success
        assert page.knows_all()
        assert page.state["index"] == 20

    asyncio.run(busy())


def test_clicks_in_another_thread_are_answered_whole() -> None:
    async def busy() -> None:
        page = Page(61, pause=0.02)
        page.s.next()
        page.s.next()  # what it changes is sent by this loop, a while later
        while not page.s.finished:
            await asyncio.to_thread(page.click, run=True)
            assert page.knows_all()
            assert page.state["answered"] == page.s.answered

    asyncio.run(busy())

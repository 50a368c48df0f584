"""`profile` and `record_function`: what a program writes to be profiled.

After this module a reader can find out where the time of a program goes:

    with profile() as prof:
        with record_function("forward"):
            loss = model(x).sum()
        loss.backward()
    print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))

and knows what of it is the profiler's own (`prof.own_cost`).
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd.blame import frames_to_learner, type_name
from minigrad.autograd.modes import modes
from minigrad.autograd.profiler.averages import NOTEBOOK_ROWS, EventList, FunctionEventAvg
from minigrad.autograd.profiler.events import events_of
from minigrad.autograd.profiler.recording import Record, Recording
from minigrad.autograd.profiler.scopes import USER
from minigrad.autograd.profiler.units import time_text
from minigrad.tensor import from_array

CALLS = 200  # from how many calls of nothing the cost of one is taken
UNFINISHED = "<unfinished minigrad.autograd.profile>"
_switching = threading.Lock()


class OwnCost(NamedTuple):
    """What profiling itself took, estimated: how many events, how long one takes (in microseconds), all of them."""

    events: int
    us_per_event: float
    us_total: float
    percent: float  # of the time from the start of the profiler to its end

    def __str__(self) -> str:
        return (
            f"The profiler itself: {self.events} events, about {self.us_per_event:.1f} us each: "
            f"{time_text(self.us_total)}, {self.percent:.1f}% of the time that was profiled"
        )


class profile:
    """Record every operation in the block, forward and backward, with the time that it takes.

    Args:
        enabled: False makes the block an ordinary one.
        record_shapes: note the shapes of the inputs, for `key_averages(group_by_input_shape=True)`.
        profile_memory: note the bytes that events take and give back.
        with_stack: note the lines of code that led to each event, for `key_averages(group_by_stack_n=3)`.
        use_cpu: has to be True; there is nothing else here.
        acc_events: when the profiler is used again, keep the events of before.
        use_device, use_cuda: of no effect but a warning: all tensors are on the CPU.
        with_flops: not supported (NotImplementedError).
        with_modules, use_kineto, experimental_config, custom_trace_id_callback, post_processing_timeout_s,
        activity_filters: of no effect, as in PyTorch on the CPU.

    Operations of all threads are recorded. Only one profiler can be on at a time: RuntimeError for a second one, and
    for entering one that is on. After an exception in the block, the profile holds what happened up to then.

    Printed, a profile is the table of its events; in a notebook, a table that can be sorted and a picture in time.
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: Any = None,
    ) -> None:
        self.enabled = enabled
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.acc_events = acc_events
        self.entered = False
        self._clock: Callable[[], int] = time.perf_counter_ns
        self._recording: Recording | None = None
        self._events: EventList | None = None
        self._before: list[Any] = []  # events of earlier uses, with acc_events
        self._own_cost: OwnCost | None = None
        if not enabled:
            return
        if with_flops:
            raise NotImplementedError("with_flops=True is not supported: minigrad does not count operations of numbers")
        if not use_cpu:
            raise AssertionError(
                "Device-only events supported only with Kineto (use_kineto=True), which minigrad does not have: leave "
                "use_cpu=True"
            )
        if use_cuda or use_device is not None:
            known = use_cuda or use_device == "cuda"
            problem = "CUDA is not available, disabling CUDA profiling" if known else None
            warnings.warn(
                problem or f"The {use_device} is not a valid device option.",
                UserWarning,
                stacklevel=frames_to_learner(),
            )
        if post_processing_timeout_s is not None and post_processing_timeout_s < 0:
            raise ValueError("post_processing_timeout_s must be non-negative")

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        if self.entered and (self._running or not self.acc_events):
            raise RuntimeError("Profiler context manager is not reentrant: make a new profile for each block")
        with _switching:
            if modes.profiler is not None:
                raise RuntimeError(
                    "Profiler is already enabled: only one can be on at a time. Leave out the inner one, and mark the "
                    "part that you are interested in with record_function(name)."
                )
            recording = Recording(self._clock, self.record_shapes, self.with_stack, self.profile_memory)
            modes.profiler = recording  # first, so that an op that is written now will be watched
            try:
                recording.start()
            except BaseException:
                modes.profiler = None
                raise
        self.entered = True
        self._before = list(self.function_events)
        self._recording, self._events, self._own_cost = recording, None, None
        return self

    def __exit__(self, *error: object) -> None:
        if self._recording is None or not self._running:
            return
        with _switching:
            self._recording.stop()
            modes.profiler = None

    # -- results

    @property
    def function_events(self) -> EventList:
        """All events in the order in which they began; while the profiler is on, those up to now."""
        if self._recording is None:
            return EventList(linked=True)
        if self._events is not None:
            return self._events
        events = [*self._before, *events_of(self._recording)]
        found = EventList(events, self.profile_memory, linked=True)
        if self._finished:
            self._events = found
        return found

    def events(self) -> EventList:
        """The same as `function_events`, under the name that torch.profiler has for it."""
        return self.function_events

    @property
    def self_cpu_time_total(self) -> float:
        """The sum of all self times, in microseconds."""
        return self.function_events.self_cpu_time_total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """A table with a row for every single event; see EventList.table."""
        return self.function_events.table(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
        )

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """One average for each name, or each name with the same input shapes or lines of code; see
        EventList.key_averages.
        """
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """All events added up, under the name "Total"."""
        return self.function_events.total_average()

    def export_chrome_trace(self, path: str | os.PathLike[str], metadata: Any = None) -> None:
        """Write the events as a file that Perfetto (ui.perfetto.dev) and chrome://tracing open.

        `metadata` has no effect.

        AssertionError before the profiler was used.
        """
        self._check_used("exporting chrome trace")
        self.function_events.export_chrome_trace(path)

    def export_stacks(self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total") -> None:
        """Write lines of code with their microseconds, in the form that flame graph programs read."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True, as in profile(with_stack=True)")
        self.function_events.export_stacks(path, metric)

    @property
    def own_cost(self) -> OwnCost:
        """What the profiler itself took: the number of events times what an event of nothing takes here and now."""
        if self._own_cost is not None:
            return self._own_cost
        recording = self._recording
        count = sum([len(log.records) for log in recording.logs]) if recording is not None else 0
        each = _cost_of_event(self.record_shapes, self.with_stack, self.profile_memory)
        end = self._clock() if recording is None or recording.ended is None else recording.ended
        whole = (end - recording.began) / 1000 if recording is not None else 0.0
        cost = OwnCost(count, each, count * each, 100 * count * each / whole if whole else 0.0)
        if recording is not None and recording.ended is not None:
            self._own_cost = cost
        return cost

    def __str__(self) -> str:
        return str(self.function_events) if self._finished else UNFINISHED

    def __repr__(self) -> str:
        return repr(self.function_events) if self._finished else UNFINISHED

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        if not self._finished:
            return {"text/plain": UNFINISHED}
        from minigrad.profiler.page import page

        averages = self.key_averages()
        html = page(self.function_events, averages, self.own_cost)
        return {"text/html": html, "text/plain": averages.table("self_cpu_time_total", NOTEBOOK_ROWS)}

    @property
    def _finished(self) -> bool:
        return self._recording is not None and self._recording.ended is not None

    @property
    def _running(self) -> bool:
        return self._recording is not None and self._recording.ended is None

    def _check_used(self, purpose: str) -> None:
        if self._recording is None:
            raise AssertionError(
                f"Profiler must be initialized before {purpose}: put what you want to see into its with block first"
            )


def _cost_of_event(shapes: bool, stack: bool, memory: bool) -> float:
    """How many microseconds longer a call takes for being recorded: the fastest of a few goes."""
    tensor = from_array(np.zeros(1))
    recording = Recording(time.perf_counter_ns, shapes, stack, memory)
    inputs = (tensor, tensor)

    def bare() -> int:
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            _nothing(*inputs)
        return time.perf_counter_ns() - start

    def recorded() -> int:
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            recording.call("", _nothing, inputs, {})
        return time.perf_counter_ns() - start

    return max(min(recorded() for _ in range(5)) - min(bare() for _ in range(5)), 0) / CALLS / 1000


def _nothing(first: Any, second: Any) -> Any:
    return first


class record_function(ContextDecorator):
    """Give a part of the program a name of its own in the profile: as a block, or as a decorator of a function.

    `args` is a text that PyTorch keeps beside the name; here it has no effect. Without a profiler, it does nothing.

    RuntimeError at the beginning of the block if the name is no text.
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args
        self._open: list[tuple[Recording, Record] | None] = []  # several, when a decorated function calls itself

    def __enter__(self) -> record_function:
        if not isinstance(self.name, str):
            raise RuntimeError(
                "profiler::_record_function_enter_new() Expected a value of type 'str' for argument 'name' but instead "
                f"found type '{type_name(self.name)}': {self.name!r}"
            )
        recording = modes.profiler
        self._open.append(None if recording is None else (recording, recording.begin(self.name, USER)))
        return self

    def __exit__(self, *error: object) -> None:
        opened = self._open.pop()
        if opened is not None:
            recording, record = opened
            recording.end(record)

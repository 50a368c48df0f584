"""`torch.profiler`'s names for the profiler of `minigrad.autograd.profiler`.

After this module a reader can run a program that was written for `torch.profiler` without a schedule:

    with profiler.profile(activities=[profiler.ProfilerActivity.CPU], record_shapes=True) as prof:
        model(x).sum().backward()
    print(prof.key_averages().table(sort_by="cpu_time_total"))
"""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Iterable
from typing import Any

from minigrad.autograd import profiler
from minigrad.autograd.profiler import EventList, record_function

__all__ = ["ProfilerActivity", "profile", "record_function", "supported_activities"]


class ProfilerActivity(enum.Enum):
    """What can be recorded; of these, only CPU is here."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 6


def supported_activities() -> set[ProfilerActivity]:
    """What this machine's profiler records: CPU."""
    return {ProfilerActivity.CPU}


class profile(profiler.profile):
    """`autograd.profiler.profile` with the arguments of `torch.profiler.profile`.

    Args:
        activities: must have ProfilerActivity.CPU among them, if given; AssertionError else.
        schedule: not supported (NotImplementedError): profile the steps that you want to see.
        on_trace_ready: called with the profile when it is over.
        record_shapes, profile_memory, with_stack, acc_events: as there.
        with_flops: not supported. The others are of no effect on the CPU.

    `start()` and `stop()` are the beginning and the end of the block, where there is no block.
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], Any] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        acc_events: bool = False,
        **unused: Any,
    ) -> None:
        if schedule is not None:
            raise NotImplementedError(
                "schedule is not supported: leave it out, run a step or two before the block to warm up, and put into "
                "the block the steps that you want to see"
            )
        if activities is not None and ProfilerActivity.CPU not in set(activities):
            raise AssertionError("No valid profiler activities found: minigrad records ProfilerActivity.CPU")
        super().__init__(
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            experimental_config=experimental_config,
            acc_events=acc_events,
        )
        self.on_trace_ready = on_trace_ready
        self.step_num = 0

    def start(self) -> None:
        """Begin to record."""
        self.__enter__()

    def stop(self) -> None:
        """End recording, and call `on_trace_ready`."""
        self.__exit__(None, None, None)

    def __exit__(self, *error: object) -> None:
        running = self._running
        super().__exit__(*error)
        if running and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def step(self) -> None:
        """Count a step of the program. (Without a schedule, it is all recorded.)"""
        self.step_num += 1

    def events(self) -> EventList:
        """All events in the order in which they began. AssertionError before the profiler was used."""
        self._check_used("accessing events")
        return self.function_events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """One average for each name; see EventList.key_averages. AssertionError before the profiler was used."""
        self._check_used("getting key averages")
        return super().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_stacks(self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total") -> None:
        """Write lines of code with their microseconds. AssertionError before the profiler was used."""
        self._check_used("exporting stacks")
        super().export_stacks(path, metric)

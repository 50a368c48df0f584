"""Where the time of a program goes: every operation and every step of a backward, with its time, calls and memory.

`session` has `profile` and `record_function`, `watching` gets between a program and its functions, `recording` writes
down what happens, `events` works out who called whom, `averages` puts calls together, `table` and `chrome_trace` write
it all out.
"""

from minigrad.autograd.profiler.averages import EventList, FunctionEventAvg
from minigrad.autograd.profiler.events import FunctionEvent, Interval
from minigrad.autograd.profiler.session import profile, record_function

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "profile", "record_function"]

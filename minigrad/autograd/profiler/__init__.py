"""Where the time of a program goes: every operation and every step of a backward, with its time, calls and memory.

`contexts` has `profile` and `record_function`, `watched_functions` gets between a program and its functions,
`event_log` writes down what happens, `events` works out who called whom, `averages` puts calls together, `table` and
`chrome_trace` write it all out.
"""

from minigrad.autograd.profiler.averages import EventList, FunctionEventAvg
from minigrad.autograd.profiler.contexts import profile, record_function
from minigrad.autograd.profiler.events import FunctionEvent, Interval

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "profile", "record_function"]

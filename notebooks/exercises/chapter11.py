"""What the exercises of chapter 11 share: how much an answer does."""

import sys
from types import CodeType, FunctionType

from minigrad.autograd.profiler import profile

CALLED_IN_A_LOOP = {"map", "vectorize", "apply_along_axis", "frompyfunc"}  # what goes over rows in the name of others


def operations(function, *arguments):
    """How many operations a call runs, and how many of them make new memory, which views do not."""
    with profile(profile_memory=True) as recorded:
        function(*arguments)
    events = recorded.function_events
    return len(events), sum(event.self_cpu_memory_usage > 0 for event in events)


def codes_of(function):
    """The code of a function, and of those in it and beside it that it uses."""
    found = [function.__code__] if isinstance(function, FunctionType) else []
    beside = getattr(function, "__globals__", {})
    for code in found:  # which grows meanwhile
        inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        named = [beside.get(name) for name in code.co_names]
        inner += [one.__code__ for one in named if getattr(one, "__globals__", None) is beside]
        found += [one for one in inner if one not in found]
    return found


def lines_run(function, *arguments):
    """How many lines of its own code a call runs: those of a loop as often as it goes round."""
    codes, lines = codes_of(function), 0

    def trace(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        return trace if frame.f_code in codes else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return lines

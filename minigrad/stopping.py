"""Where Python can be stopped, and what stays consistent then: the stop button and time limits.

A learner's code may have no end: a loop, a hook, an answer to an exercise. Two things end it: the notebook's stop
button (■), and the time limit that a check sets. Both raise an error in the middle of whatever runs, the button
KeyboardInterrupt, a limit TookTooLongError.

*Where can it arise?* Python looks for such an error in three places: as a function begins, after a call into C, and as
a loop goes round. A loop written in Python so always ends. One long call into C, such as the product of two large
matrices, ends first by itself; `time.sleep` and waiting for a thread are cut short by a signal, but by nothing else,
and on Windows not even by that.

*Why is `except KeyboardInterrupt` not enough?* What is to be put back belongs into `finally` or `__exit__`; but that is
Python, too, and may be stopped as it begins, or in its middle. Three things help, and are all that is used here:
- Assignments have none of the three places between them: what consists of them is done as a whole.
- An `__exit__`, or a function that is called in a `finally`, is `sure_to_begin`. So its first assignments are done.
- What needs calls is written so that it may be done twice. Where it is stopped, it is begun anew, and then the error
  goes on.

*What reaches other threads?* The stop button is the signal SIGINT, for which Python raises in the main thread alone. In
others an error can be raised from outside, by `raise_in`; that of a deep backward, which goes on in a new thread, is
ended so by the one that waits for it (`call_in_new_thread`).

*What stays consistent?* The modes are what they were, no lock is held, each `.grad` is a sum of whole gradients, and
the same cell works when it is run once more. tests/engine/interrupts.py stops small cells at each of the places,
and looks.

This file has what the engine needs for that, with no more than Python's own modules. What only one part needs stands
there: teach/limits.py has the time limits, with an implementation each for signals, for threads and for a browser;
viz/steps/stop_button.py holds the button back until a step of a pass is over, since half a step cannot go on;
teach/apart.py ends whole processes, and with them also what is in C.
"""

from __future__ import annotations

import _thread
import ctypes
import sys
from collections.abc import Callable
from opcode import opmap
from typing import Any

HAS_THREADS = sys.platform not in ("emscripten", "wasi")  # a browser has none, no signals of a timer and no processes

# `raise_in(ident, kind)`: the thread of that number raises an error of that kind, at the next place. No Python runs
# between the call and that, and looking it up in `ctypes` could be stopped.
raise_in = ctypes.pythonapi["PyThreadState_SetAsyncExc"]
raise_in.argtypes = ctypes.c_ulong, ctypes.py_object


def sure_to_begin(function: Any) -> Any:
    """The function itself, which nothing can keep from beginning.

    Its first instruction, RESUME, says that it goes on after an `await`, where Python does not look for errors from
    outside. So what it does by assignments alone, or by calls of other such functions, is done.
    """
    code = function.__code__
    begun = code.co_code.replace(bytes([opmap["RESUME"], 0]), bytes([opmap["RESUME"], 3]), 1)
    function.__code__ = code.replace(co_code=begun)
    return function


def call_in_new_thread(function: Callable[[], Any]) -> None:
    """Call a function in a thread of its own, and wait for it; what it raises is raised here. Where there are no
    threads, it is called in this one.

    What ends the waiting, as the stop button does, is raised in the other thread, too, so that nothing goes on behind.
    """
    if not HAS_THREADS:
        function()
        return
    errors, idents, ended = list[BaseException](), list[int](), _thread.allocate_lock()

    def go_on() -> None:
        idents.append(_thread.get_ident())
        try:
            if not errors:
                function()
        except BaseException as error:
            errors.append(error)
        finally:
            ended.release()

    def wait() -> None:
        while not ended.acquire(timeout=0.1) and (not idents or idents[0] in sys._current_frames()):
            pass  # here arises what the thread that waits for this one has raised in it

    try:
        ended.acquire()
        # Not a threading.Thread: stopped in its start(), that can leave a lock held, for which the thread then waits.
        _thread.start_new_thread(go_on, ())
        wait()
    except BaseException as stop:
        errors.insert(0, stop)
        if idents:  # else it begins later, and does nothing
            raise_in(idents[0], type(stop))
            wait()
    if errors:
        raise errors[0]

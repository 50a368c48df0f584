"""Chapter 11, exercise: which calls made new memory, by a profile of the memory."""

import contextlib
import itertools
import operator

import minigrad as mg
from minigrad.autograd.profiler import profile
from minigrad.teach import Case, Exercise, Mistake, Noted, Seen, edited, flip, observer, pick_some, raised, saw, show


def copying(f, x):
    """The names of the calls in f(x) that made new memory themselves, in the order in which they began."""
    with profile(profile_memory=True) as prof:
        f(x)
    return [event.name for event in prof.function_events if event.self_cpu_memory_usage > 0]


NAMES, CALLS, GIVEN = "the names", "the calls of f", "what f was called with"


@observer
def _trying(answer, f, x):
    """What came back, how often f was called, and with what."""
    f.function(x)  # what an op's first call does besides is not its own
    names = answer(f, x)
    is_x = all(given is x for given, *_ in f.calls)
    return {NAMES: names, CALLS: len(f.calls), GIVEN: "x" if is_x else "another tensor"}


class BrokenError(Exception):
    """What f raises in one case."""


def _breaking():
    """A function that raises an error in its second call: the first one is made beforehand."""
    calls = []

    def f(t):
        calls.append(t)
        if len(calls) > 1:
            raise BrokenError("f cannot compute")
        return t + 1

    return Noted("lambda t: f raises a BrokenError", f), mg.ones(3)


def _or_the_error(plug):
    """A plug that sees the error of f where that comes to the caller, or else that none came."""

    def plugged(answer):
        run = plug(answer)

        def trying(f, x):
            try:
                seen = run(f, x)
            except BrokenError as error:
                return Seen({NAMES: f"BrokenError: {error}"})
            return Seen({NAMES: f"no error, but {show(seen.first)}"}) if "raises" in str(f) else seen

        return trying

    return plugged


FUNCTIONS = {
    "t + 1": lambda t: t + 1,
    "t.t().reshape(-1)": lambda t: t.t().reshape(-1),
    "t[1:].t()": lambda t: t[1:].t(),
    "t.mul(2).t().mul(3)": lambda t: t.mul(2).t().mul(3),
    "mg.cat([t[:1] + 1, t])": lambda t: mg.cat([t[:1] + 1, t]),
    "t.mul(2).add(1).mul(3)": lambda t: t.mul(2).add(1).mul(3),
    "t.clone().add_(1)": lambda t: t.clone().add_(1),
    "t.double()": lambda t: t.double(),
    "t.sort(1)": lambda t: t.sort(1),  # which makes the places itself, and in a call within the numbers
    "mg.nn.functional.linear(t, t).relu()": lambda t: mg.nn.functional.linear(t, t).relu(),
}


def _slope_of_lengths(t):
    """The rule of norm() makes memory itself, and calls what makes some, too."""
    return mg.autograd.grad(t.norm(dim=-1).sum(), t)


STEPS = {
    ".t()": lambda t: t.t(),
    "[1:]": lambda t: t[1:],
    "[[0, 0]]": lambda t: t[[0, 0]],
    ".contiguous()": lambda t: t.contiguous(),
    ".clone()": lambda t: t.clone(),
    " * 2": lambda t: t * 2,
    ".add_(1)": lambda t: t.add_(1),
    ".detach()": lambda t: t.detach(),
    ".flatten().view(2, -1)": lambda t: t.flatten().view(2, -1),
}


def _case(words, function, requires_grad=False, shape=(4, 6)):
    needs = " that requires a gradient" if requires_grad else ""
    return Case(
        f"f = lambda t: {words}, x of shape {list(shape)}{needs}",
        lambda: (Noted(f"lambda t: {words}", function), mg.ones(shape, requires_grad=requires_grad)),
    )


def _drawn(random):
    """At every third draw two to four different steps, behind one that makes new memory, so that x stays as it is."""
    if random.integers(3):
        return
    chosen = pick_some(random, [*STEPS], random.integers(2, 5))

    def f(t):
        t = t * 2
        for step in chosen:
            t = STEPS[step](t)
        return t

    words = "(t * 2)" + "".join(chosen).replace(" * 2", ".mul(2)")
    yield _case(words, f, flip(random), (4, 4))


def _evidence(outcome):
    f, x = outcome.case.make()
    with profile(profile_memory=True) as prof:
        f(x)
    return "\n".join(
        f"  {event.name}: {event.cpu_memory_usage} bytes, self {event.self_cpu_memory_usage}"
        for event in prof.function_events
    )


# ---------------------------------------------------------------- wrong answers


def _events(f, x, profile_memory=True):
    with profile(profile_memory=profile_memory) as prof:
        f(x)
    return prof.function_events


def all_calls(f, x):
    """These are all calls. Those that only look at memory in another way, as views do, are not asked for."""
    return [event.name for event in _events(f, x)]


def each_name_once(f, x):
    """A name is there once, and its call was made more than once. key_averages() puts the calls of one name together,
    as a set does; the single calls are in prof.function_events.
    """
    return list(dict.fromkeys(copying(f, x)))


def grouped(f, x):
    """The calls of one name stand together: key_averages() has lost their order, which prof.function_events has."""
    with profile(profile_memory=True) as prof:
        f(x)
    return [row.key for row in prof.key_averages() for _ in range(row.count) if row.self_cpu_memory_usage > 0]


def largest_first(f, x):
    """The names are sorted by their bytes. The order in which the calls began is asked for, as they stand in
    function_events.
    """
    events = [event for event in _events(f, x) if event.self_cpu_memory_usage > 0]
    return [event.name for event in sorted(events, key=lambda event: -event.self_cpu_memory_usage)]


def sorted_names(f, x):
    """The names are in the order of the alphabet. The order in which the calls began is asked for."""
    return sorted(copying(f, x))


def first_alone(f, x):
    """Only the first is there. A list of all of them is asked for."""
    return copying(f, x)[:1]


def with_their_bytes(f, x):
    """The bytes are in it. The names alone are asked for."""
    return [(event.name, event.self_cpu_memory_usage) for event in _events(f, x)]


def read_in_the_block(f, x):
    """The profile was read before it was finished, as in its own block. It is finished when the block is over, or
    __exit__() has run.
    """
    with profile(profile_memory=True) as prof:
        f(x)
        return [row.key for row in prof.key_averages()]


def error_swallowed(f, x):
    with contextlib.suppress(Exception), profile(profile_memory=True) as prof:
        f(x)
    return [event.name for event in prof.function_events if event.self_cpu_memory_usage > 0]


# ---------------------------------------------------------------- tried as well


def copying_outermost(f, x):
    """Only calls that nobody made."""
    return [e.name for e in _events(f, x) if e.cpu_parent is None and e.cpu_memory_usage]


def copying_by_name(f, x):
    return [e.name for e in _events(f, x) if e.name in ("aten::clone", "aten::add", "aten::mul", "aten::cat")]


def copying_unrecorded(f, x):
    with mg.no_grad():
        return copying(f, x)


def copying_after_a_rehearsal(f, x):
    f(x)
    return copying(f, x)


def copying_without_an_end(f, x):
    prof = profile(profile_memory=True)
    prof.__enter__()
    f(x)
    events = prof._log.stop()
    return [e.name for e in events if e.self_cpu_memory_usage]


def copying_unless_f_raises(f, x):
    prof = profile(profile_memory=True)
    prof.__enter__()
    f(x)
    prof.__exit__(None, None, None)
    return [e.name for e in prof.function_events if e.self_cpu_memory_usage]


def copying_left_after_exceptions(f, x):
    """A KeyboardInterrupt is none."""
    prof = profile(profile_memory=True)
    prof.__enter__()
    try:
        f(x)
    except Exception:
        prof.__exit__(None, None, None)
        raise
    prof.__exit__(None, None, None)
    return [e.name for e in prof.function_events if e.self_cpu_memory_usage]


def copying_by_averages(f, x):
    """In the order of the names' first calls."""
    names = [e.name for e in _events(f, x) if e.self_cpu_memory_usage]
    return sorted(names, key=names.index)


def copying_in_the_block(f, x):
    with profile(profile_memory=True) as prof:
        f(x)
        return [e.name for e in prof.function_events if e.self_cpu_memory_usage]


def copying_large_first(f, x):
    rows = sorted(_events(f, x), key=lambda e: e.cpu_memory_usage, reverse=True)
    return [e.name for e in rows if e.self_cpu_memory_usage]


def copying_less_the_children(f, x):
    events = _events(f, x)
    inner = {id(e): sum(child.cpu_memory_usage for child in e.cpu_children) for e in events}
    return [e.key for e in events if e.cpu_memory_usage != inner[id(e)]]


def copying_by_hand(f, x):
    prof = profile(True, profile_memory=True, record_shapes=True)
    prof.__enter__()
    try:
        f(x)
    finally:
        prof.__exit__(None, None, None)
    return list(map(operator.attrgetter("name"), filter(lambda e: e.self_cpu_memory_usage, prof.function_events)))


def copying_sorted_by_beginning(f, x):
    found = [e for e in _events(f, x) if e.self_cpu_memory_usage > 0]
    return [e.name for e in sorted(found, key=lambda e: (e.time_range.start, -e.time_range.end))]


EXERCISE = Exercise(
    title="a list with the names of the calls that made new memory themselves",
    stars=2,
    minutes=8,
    reference=copying,
    plug=_or_the_error(_trying),
    errors_go_on=True,
    cases=tuple(_case(words, function) for words, function in FUNCTIONS.items())
    + (_case("t.t()[1:].detach()", lambda t: t.t()[1:].detach(), requires_grad=True),)
    + (_case("t > 0", lambda t: t > 0, shape=(1,)),)  # a byte
    + (_case("mg.autograd.grad((t * 2).sum(), t)", lambda t: mg.autograd.grad((t * 2).sum(), t), requires_grad=True),)
    + (_case("mg.autograd.grad(t.norm(dim=-1).sum(), t)", _slope_of_lengths, requires_grad=True),)
    + (Case("an f that raises an error, which goes on to the caller", _breaking),),
    drawn=_drawn,
    hints=(
        "A profile notes bytes with profile(profile_memory=True). After the block, prof.function_events are the calls.",
        "Each of them has .name, and .self_cpu_memory_usage: the bytes that it made itself, 0 for a view.",
        "[event.name for event in prof.function_events if event.self_cpu_memory_usage > 0]",
    ),
    notes={
        CALLS: "The names are right, but f ran more than once. A profile holds all that is asked for after one call.",
        GIVEN: "The names are right here. Another tensor may lie otherwise in memory, or have no graph, and other "
        "calls copy then: run f(x).",
    },
    evidence=_evidence,
    mistakes=(
        Mistake(
            edited(all_calls, "f, x)]", "f, x) if event.cpu_memory_usage > 0]"),
            words="A call whose memory was made by another one within it is listed, too. cpu_memory_usage counts "
            "both; what a call made itself is its self_cpu_memory_usage.",
        ),
        Mistake(
            edited(copying, "[event.name for", '[event.name.removeprefix("aten::") for'),
            words="A piece was taken off the names. Those of the events are asked for, as they are, with `aten::`.",
        ),
        Mistake(
            edited(copying, "f(x)\n    ", "pass\n    "),
            words="f was not called at all, so that nothing of it was recorded: f(x) in the block.",
            when=saw(CALLS, lambda mine, right: mine == 0),
        ),
        Mistake(
            edited(all_calls, "f, x)]", "f, x, profile_memory=False) if event.self_cpu_memory_usage > 0]"),
            words="No call was found that made memory. A profile notes bytes only with profile(profile_memory=True), "
            "and only of calls in its block; the name of a call does not tell.",
        ),
        Mistake(
            edited(all_calls, "f, x)]", "f, x) if event.self_cpu_memory_usage == event.cpu_memory_usage > 0]"),
            words="A call may make memory itself, and call others that make some as well: self_cpu_memory_usage alone "
            "tells.",
        ),
        Mistake(
            edited(copying, " > 0]", ' > 0 and event.name.startswith("aten::")]'),
            words="Only calls are listed whose names begin with `aten::`. Others make memory, too, such as "
            "MulBackward0, the rule of a node, or minigrad::take_along, which a sort makes.",
        ),
        Mistake(
            edited(copying, " > 0]", " >= 64]"),
            words="A small call makes memory, too: each that has more than 0 bytes counts.",
        ),
        Mistake(
            error_swallowed,
            words="The error of f was caught, and nobody will know. Let it go on to the caller: a `with` ends, and the "
            "profiler with it, also then.",
            when=lambda outcome: isinstance(outcome.right.first, str) and outcome.error is None,
        ),
        all_calls,
        Mistake(
            each_name_once,
            edited(grouped, "for _ in range(row.count) if", "if"),
            lambda f, x: sorted(set(copying(f, x))),
            lambda f, x: list(set(copying(f, x))),
        ),
        Mistake(grouped, copying_by_averages),
        largest_first,
        sorted_names,
        first_alone,
        with_their_bytes,
        Mistake(
            copying_unrecorded,
            words="f walks through a graph, and found none, as in no_grad(), or with an x that was detached. Leave "
            "recording on, and call f with x itself.",
            when=lambda outcome: "grad(" in outcome.case.words and raised("does not require grad")(outcome),
        ),
        Mistake(read_in_the_block, when=raised("Profiler didn't finish running")),
    ),
    right=(copying_less_the_children, copying_by_hand, copying_sorted_by_beginning),
    wrong={
        "keeps an error to itself": [edited(error_swallowed, "Exception", "RuntimeError")],
        "these are 1. … What is in the one above that is not in it": [
            lambda f, x: [name for name, _ in itertools.groupby(copying(f, x))]
        ],
        "first difference": [
            copying_outermost,
            lambda f, x: [e.name for e in _events(f, x) if e.self_cpu_memory_usage >= 4 * x.numel()],
            copying_by_name,
        ],
        "the name of a call does not tell": [lambda f, x: [e.name for e in _events(f, x) if "write" in e.name]],
        "f ran more than once": [copying_after_a_rehearsal],
        "other calls copy then: run f(x)": [lambda f, x: copying(f, x.clone())],
        "raises RuntimeError … Leave recording on": [edited(copying_unrecorded, "no_grad", "inference_mode")],
        "input f = lambda t: t + 1, x of shape [4, 6] raised RuntimeError": [
            edited(copying, "f(x)\n    ", "f(x).sum().backward()\n    ")
        ],
        "raises AttributeError": [
            edited(
                copying_unless_f_raises, "f(x)\n", "try:\n        f(x)\n    except Exception:\n        prof.stop()\n"
            )
        ],
        "t.double()": [lambda f, x: [name for name in copying(f, x) if name != "aten::_to_copy"]],
        "t.sort(1) … call others that make some as well": [
            lambda f, x: [e.name for e in _events(f, x) if e.cpu_memory_usage and not e.cpu_children]
        ],
        "The answer is right, but afterwards the profiler is on": [copying_without_an_end],
        "The answer is right, but afterwards the profiler is on.": [copying_unless_f_raises],
        "raises what is no Exception, as a KeyboardInterrupt is none, then the profiler": [
            copying_left_after_exceptions
        ],
        "the names, item 1 of 1: yours add, expected aten::add … A piece was taken off": [
            lambda f, x: [e.name.removeprefix("aten::") for e in _events(f, x) if e.self_cpu_memory_usage]
        ],
        "The calls of one name stand together": [copying_by_averages],
        "It is finished when the block is over": [
            copying_in_the_block,
            edited(copying_left_after_exceptions, "raise\n    prof.__exit__(None, None, None)\n", "raise\n"),
        ],
        "t.sort(1) … whose names begin with `aten::`": [
            lambda f, x: [name for name in copying(f, x) if name.startswith("aten::")]
        ],
        "a list is asked for, and this is a tuple": [lambda f, x: tuple(copying(f, x))],
        "A text is asked for; this is a": [lambda f, x: [e for e in _events(f, x) if e.self_cpu_memory_usage]],
        "The names are sorted by their bytes": [copying_large_first],
    },
)

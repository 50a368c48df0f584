"""Chapter 11, exercise: the self times of a recorded profile, from when its calls began and ended."""

import operator
from collections import Counter, defaultdict
from itertools import groupby, pairwise

import numpy as np

from minigrad.teach import Case, Difference, Exercise, Mistake, cases, compare, edited, plain, raised, show
from minigrad.teach.comparing import more_digits


def own_times(calls):
    """Each name with the self times of its calls added up, the largest first."""
    times, around = Counter(), []
    for name, start, end in calls:
        while around and around[-1][1] <= start:
            around.pop()
        times[name] += end - start
        if around:
            times[around[-1][0]] -= end - start
        around.append((name, end))
    return sorted(times.items(), key=lambda pair: pair[1], reverse=True)


@cases("calls = {calls}")
def _case(calls):
    return (list(calls),)


STEP = [
    ("step", 0, 100),
    ("forward", 0, 30),
    ("matmul", 5, 25),
    ("backward", 30, 98),
    ("rule", 31, 90),
    ("matmul", 35, 45),
    ("copy", 45, 75),
    ("matmul", 75, 80),
]
TWICE = [("visit", 0, 50), ("visit", 10, 40), ("visit", 12, 20), ("read", 21, 38), ("read", 60, 65)]
DEEP = 1100  # more than Python lets a function call itself
NAMES = ("train", "forward", "matmul", "sum", "copy")


def _drawn(random):
    """Calls of one to five names, up to four in each other, some of them within calls of their own name."""
    while True:
        calls, around, now = [], [], 0
        for _ in range(random.integers(4, 9)):
            while around and random.random() < 0.4:
                now += int(random.integers(1, 9))
                around.pop()[2] = now
            now += int(random.integers(1, 6)) * int(random.integers(2))  # some begin where another begins or ends
            call = [str(random.choice(NAMES)), now, None]
            if len(around) == 4:
                now += 1
                around.pop()[2] = call[1] = now
            around.append(call)
            calls.append(call)
        while around:
            now += int(random.integers(1, 9))
            around.pop()[2] = now
        times = [time for _, time in own_times(calls)]
        if len(set(times)) == len(times):  # else there are two right orders
            yield _case([tuple(call) for call in calls])
            return


def _pairs(value):
    """The answer as a list of (name, number); None if it is no such list."""
    if not isinstance(value, list):
        return None
    pairs = [item for item in value if isinstance(item, tuple)]
    fits = len(pairs) == len(value) and all(len(pair) == 2 and isinstance(pair[0], str) for pair in pairs)
    return pairs if fits else None


def _compare(expected, got, outcome):
    pairs = _pairs(got)
    if pairs is None:
        note = "A list of tuples (name, self time) is asked for."
        yield Difference("the answer", show(got), show(expected), note)
    wanted, found = dict(expected), [name for name, _ in pairs]
    for name in dict.fromkeys([*wanted, *found]):
        if found.count(name) != (name in wanted):
            times = f"{found.count(name)} times"
            yield Difference(f"how often {plain(name)} is listed", times, "once" if name in wanted else "never")
        with more_digits():
            difference = compare(wanted[name], dict(pairs)[name], f"the self time of {plain(name)}")
        yield difference
    order = [name for name, _ in expected]
    if found != order:
        yield Difference("the order", plain(", ".join(found)), ", ".join(order), "The largest time comes first.")


def _evidence(outcome):
    (calls,) = outcome.arguments
    ends, outer = 0, 0
    for _, start, end in calls:
        if start >= ends:
            outer, ends = outer + end - start, end
    pairs = _pairs(outcome.value) or []
    numbers = [time for _, time in pairs if isinstance(time, int | float | np.number)]
    yours = f"; yours are {sum(numbers)}" if pairs else ""
    return f"  the calls that lie in no other take {outer} together, and so must all self times{yours}"


def _has_twins(outcome):
    """Whether all calls of a case begin and end together."""
    (calls,) = outcome.case.make()
    return outcome.error is None and len(calls) > 1 and len({call[1:] for call in calls}) == 1


def _are_whole(outcome):
    """Whether all times are whole numbers, and some of those that are right are not."""
    pairs = _pairs(outcome.value) or []
    times = [time for _, time in pairs if isinstance(time, int | float | np.number)]
    return bool(times) and all(time % 1 == 0 for time in times) and any(time % 1 for _, time in outcome.right)


def _are_rounded(outcome):
    """Whether these are the right times with fewer digits behind the point, one of them or more."""
    pairs, right = _pairs(outcome.value) or [], dict(outcome.right)
    with more_digits():
        if [*dict(pairs)] != [*right] or all(compare(right[name], time) is None for name, time in pairs):
            return False
    return any(all(round(right[name], digits) == time for name, time in pairs) for digits in range(1, 12))


def _are_averages(outcome):
    """Whether these are averages, in whatever order: rounding decides which of two that are equal is the larger."""
    calls, pairs = outcome.case.make()[0], outcome.value
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        return False
    mean, right = dict(averages(calls)), dict(own_times(calls))
    if compare([*mean.values()], [*right.values()]) is None or {*mean} != {str(name) for name, _ in pairs}:
        return False
    return all(compare(mean[name], time) is None for name, time in pairs)


# ---------------------------------------------------------------- wrong answers

LAST = "sorted(times.items(), key=lambda pair: pair[1], reverse=True)"


def _of_each_call(calls):
    """Name and number of each call, with its own self time, the largest first."""
    return own_times([((name, number), start, end) for number, (name, start, end) in enumerate(calls)])


def without_zeros(calls):
    """A name is missing: its self time is 0, and it is asked for all the same."""
    return [pair for pair in own_times(calls) if pair[1]]


def last_of_each(calls):
    """A later call of a name has overwritten the earlier ones. Add their times up."""
    in_turn = sorted(_of_each_call(calls), key=lambda pair: pair[0][1])
    return sorted({name: time for (name, _), time in in_turn}.items(), key=lambda pair: -pair[1])


def each_call(calls):
    """There is a tuple for each call. One for each name is asked for, with the times of all its calls."""
    return [(name, time) for (name, _), time in _of_each_call(calls)]


def averages(calls):
    """This is the average of a call. What a name costs is the sum over all its calls."""
    counts = Counter(name for name, _, _ in calls)
    return sorted(((name, time / counts[name]) for name, time in own_times(calls)), key=lambda pair: -pair[1])


def by_the_call_before(calls):
    """Only the call before was asked whether a new one lies in it. The one that made it may have begun much earlier:
    keep all that go on.
    """
    times, before = {}, None
    for name, start, end in calls:
        times[name] = times.get(name, 0) + end - start
        if before is not None and start < before[1]:
            times[before[0]] -= end - start
        before = name, end
    return sorted_pairs(times)


def as_a_dict(calls):
    """This is a dict. sorted(times.items(), key=..., reverse=True) makes a list of it, in order."""
    return dict(own_times(calls))


def names_alone(calls):
    """These are the names without their times."""
    return [name for name, _ in own_times(calls)]


def around_longer_ones(calls):
    """Of two that begin and end together, the outer one is first, and made the other. They are equally long: the order
    of the list tells which one lies in which.
    """
    times = Counter()
    for number, (name, start, end) in enumerate(calls):
        times[name] += end - start
        around = [
            (stop - begin, outer)
            for outer, begin, stop in calls[:number]
            if begin <= start < stop and end <= stop and stop - begin > end - start
        ]
        if around:
            times[min(around)[1]] -= end - start
    return sorted(times.items(), key=lambda pair: pair[1], reverse=True)


def around_others(calls):
    times = Counter()
    for call in calls:
        name, start, end = call
        times[name] += end - start
        around = [one for one in calls if one[1] <= start and end <= one[2] and one != call]
        if around:
            times[min(around, key=lambda one: one[2] - one[1])[0]] -= end - start
    return sorted(times.items(), key=lambda pair: pair[1], reverse=True)


# ---------------------------------------------------------------- tried as well


def sorted_pairs(times):
    return sorted(times.items(), key=operator.itemgetter(1), reverse=True)


def own_of_names(calls):
    """As if a name could not call itself."""
    times = defaultdict(int)
    for name, start, end in calls:
        times[name] += end - start
        around = [other for other, s, e in calls if s <= start and end <= e and other != name]
        if around:
            times[around[-1]] -= end - start
    return sorted_pairs(times)


def own_by_ends_of_names(calls):
    times, around, ends = defaultdict(int), [], {}
    for name, start, end in calls:
        while around and ends[around[-1]] <= start:
            around.pop()
        times[name] += end - start
        if around:
            times[around[-1]] -= end - start
        around.append(name)
        ends[name] = end
    return sorted_pairs(times)


def own_by_equal_calls(calls):
    inside, around, times = Counter(), [], Counter()
    for call in calls:
        while around and around[-1][2] <= call[1]:
            around.pop()
        if around:
            inside[around[-1]] += call[2] - call[1]
        around.append(call)
    for name, start, end in calls:
        times[name] += end - start - inside[name, start, end]
    return sorted_pairs(times)


def own_unless_it_calls_itself(calls):
    times, around = defaultdict(int), []
    for name, start, end in calls:
        while around and around[-1][1] <= start:
            around.pop()
        times[name] += 0 if any(outer == name for outer, _ in around) else end - start
        if around and around[-1][0] != name:
            times[around[-1][0]] -= end - start
        around.append((name, end))
    return sorted_pairs(times)


def own_of_two_levels(calls):
    """The outermost calls, and what lies in them, as if nothing lay deeper."""
    times, ends, outer = defaultdict(int), -1, ""
    for name, start, end in calls:
        times[name] += end - start
        if start >= ends:
            outer, ends = name, end
        else:
            times[outer] -= end - start
    return sorted_pairs(times)


def own_until_the_next(calls):
    """From each beginning to the next one, as if a call never went on after a call in it."""
    starts = [start for _, start, _ in calls][1:]
    times = defaultdict(int)
    for (name, start, end), following in zip(calls, [*starts, None], strict=True):
        times[name] += end - start if following is None else min(following, end) - start
    return sorted_pairs(times)


def own_by_taking_out(calls):
    own = []
    while calls:
        name, start, end = calls.pop()
        inner = sum(e - s for _, s, e in own if start <= s and e <= end)
        own.append((name, start, end - inner))
    return [(name, end - start) for name, start, end in own]


def own_by_the_shortest_around(calls):
    """Of two that are as long as each other it is the one whose name comes first."""
    times = Counter()
    for number, (name, start, end) in enumerate(calls):
        times[name] += end - start
        around = [(stop - begin, other) for other, begin, stop in calls[:number] if begin <= start and end <= stop]
        if around:
            times[min(around)[1]] -= end - start
    return sorted(times.items(), key=lambda pair: pair[1], reverse=True)


def own_by_microseconds(calls):
    """Each microsecond belongs to the call that began last of those that go on."""
    owners = {}
    for number, (_, start, end) in enumerate(calls):
        owners.update(dict.fromkeys(range(start, end), number))
    times = {name: 0 for name, _, _ in calls}
    for number in owners.values():
        times[calls[number][0]] += 1
    return sorted_pairs(times)


def own_by_moments(calls):
    """From each moment at which something begins or ends to the next, the time belongs to the innermost call."""
    moments = sorted({moment for _, *both in calls for moment in both})
    times = {name: 0 for name, _, _ in calls}
    for now, following in pairwise(moments):
        inside = [name for name, start, end in calls if start <= now and following <= end]
        if inside:
            times[inside[-1]] += following - now
    return sorted_pairs(times)


def own_by_containers(calls):
    """The call around each is the shortest that contains it."""
    own = {number: end - start for number, (_, start, end) in enumerate(calls)}
    for number, (_, start, end) in enumerate(calls):
        around = [(e - s, -k) for k, (_, s, e) in enumerate(calls[:number]) if s <= start and end <= e and start < e]
        if around:
            own[-min(around)[1]] -= end - start
    pairs = sorted((calls[number][0], time) for number, time in own.items())
    summed = [(name, np.float64(sum(time for _, time in one))) for name, one in groupby(pairs, lambda pair: pair[0])]
    return sorted(summed, key=lambda pair: -pair[1])


def own_by_recursion(calls):
    times = defaultdict(float)

    def visit(rest, end):
        inner = 0
        while rest and rest[0][1] < end:
            name, start, own_end = rest.pop(0)
            within = visit(rest, own_end)  # which may add to the same name
            times[name] += own_end - start - within
            inner += own_end - start
        return inner

    visit(list(calls), float("inf"))
    return sorted_pairs(times)


def own_means(calls):
    names = [name for name, _, _ in calls]
    means = [(name, time / names.count(name)) for name, time in own_by_containers(calls)]
    return sorted(means, key=lambda pair: -pair[1])


EXERCISE = Exercise(
    title="a list of tuples (name, self time), one for each name, the largest time first",
    stars=2,
    minutes=10,
    reference=own_times,
    cases=(
        _case([("matmul", 0, 8), ("sum", 8, 11)]),
        _case([("step", 0, 20), ("matmul", 3, 15)]),
        _case(STEP),
        _case(TWICE),
        _case([("step", 0, 10), ("matmul", 0, 4), ("sum", 4, 10)]),  # a self time of 0
        _case([("load", 0.5, 2.75), ("copy", 1.25, 2.0)]),
        _case([("step", 0, 10), ("forward", 0, 10)]),
        _case([("copy", 0, 10), ("step", 0, 10), ("sum", 2, 5)]),  # which step has made
        _case([("load", 0.0, 0.0004512345), ("copy", 0.001, 0.0012512345)]),
        _case([("copy", 0.0, 0.2), ("load", 0.2, 0.9), ("sum", 1.0, 124.456789)]),
        _case([]),
        _case([("copy", 1, 6), ("sum", 7, 10), ("sum", 7, 10), ("sum", 7, 10)]),  # each lies in the one before
        _case([("load", 8_000_000.5, 8_031_123.123), ("copy", 8_000_001.25, 8_010_100.011)]),
        Case(
            f"calls = {DEEP} calls of visit, each in the one before",
            lambda: ([("visit", n, 2 * DEEP - n) for n in range(DEEP)],),
        ),
    ),
    drawn=_drawn,
    hints=(
        "The self time of a call is its total, end - start, less the totals of those calls that it made itself.",
        "Go through the calls in their order, and keep a list of those that are still going on. When one begins, drop "
        "from the end of the list all that have ended by then; the last one left is the one that made it.",
        "times[name] = times.get(name, 0) + end - start, and times[maker] -= end - start. At the end: "
        "sorted(times.items(), key=lambda pair: pair[1], reverse=True).",
    ),
    compare=_compare,
    evidence=_evidence,
    mistakes=(
        Mistake(
            edited(own_times, "        if around:\n            times[around[-1][0]] -= end - start\n", ""),
            words="These are totals: what a call took with all that it called. Take away the totals of the calls made "
            "in it.",
        ),
        Mistake(
            edited(
                own_times,
                "if around:\n            times[around[-1][0]]",
                "for outer, _ in around:\n            times[outer]",
            ),
            words="Time is taken away twice: a call within a call within this one lies in the total of the one between "
            "already. Only the calls that were made by this one itself are subtracted.",
        ),
        Mistake(
            edited(own_times, "around[-1][0]", "around[0][0]"),
            words="What was made in an inner call was taken from the outermost call. It belongs to the innermost one "
            "around it.",
        ),
        Mistake(
            edited(
                own_times,
                "[]\n",
                "[]\n    done = set()\n",
                "if around:",
                "if around and around[-1] not in done:\n            done.add(around[-1])",
                "(name, end)",
                "(name, end, start)",
            ),
            words="Only one call within was subtracted. There may be several.",
        ),
        Mistake(
            edited(own_times, "<=", "<"),
            words="A call that begins in the moment in which another ends was taken for one within it: that one is "
            "over already, so compare with <=.",
        ),
        Mistake(
            edited(own_times, "while", "if"),
            words="Several calls may have ended when the next one begins, the outer with the inner: `while`, and not "
            "`if`.",
        ),
        Mistake(
            around_longer_ones,
            around_others,
            when=_has_twins,
        ),
        Mistake(
            edited(own_times, "times.items()", "((name, round(time, 3)) for name, time in times.items())"),
            words="The times were rounded. A call may be shorter than that: keep them as they are.",
            when=_are_rounded,
        ),
        Mistake(
            edited(own_times, "times.items()", "((name, int(time)) for name, time in times.items())"),
            words="Fractions of a microsecond are gone: the times need not be whole numbers.",
            when=_are_whole,
        ),
        Mistake(
            edited(own_times, "in calls:", "in sorted(calls, key=lambda call: call[1:]):"),
            words="The calls were sorted, so that of two that begin together the inner one came first. They stand in "
            "the right order as they are.",
        ),
        Mistake(
            own_by_recursion,
            words="A function that calls itself for each call within goes as deep as they do, and Python's stack ends "
            "at about a thousand. Keep a list of the calls that go on.",
            when=lambda outcome: raised("", kind=RecursionError)(outcome) and len(outcome.case.make()[0]) >= DEEP,
        ),
        Mistake(
            own_by_equal_calls,
            words="Two calls may have the same name, beginning and end, one of them within the other: they are no keys "
            "of a dictionary, and == does not tell them apart. Keep their numbers, or a list of those that go on.",
            near=True,
        ),
        Mistake(
            own_of_names,
            own_by_ends_of_names,
            own_unless_it_calls_itself,
            words="A call within one of its own name is a call like any other. What goes on has to be kept by calls, "
            "with their ends, and not by names.",
        ),
        without_zeros,
        Mistake(last_of_each, edited(own_times, "+=", "=")),
        each_call,
        by_the_call_before,
        Mistake(averages, when=_are_averages),
        Mistake(
            edited(own_times, ", reverse=True", ""),
            words="The times are right; the smallest comes first. sorted(..., reverse=True) turns the order around.",
        ),
        Mistake(
            edited(own_times, ", key=lambda pair: pair[1], reverse=True", ""),
            words="The times are right; they are in the order of the names. Sort by the second item of each tuple: "
            "key=...",
        ),
        Mistake(
            edited(own_times, LAST, "list(times.items())"),
            words="The times are right; the tuples stand in the order of the calls. Sort them by their second item.",
        ),
        Mistake(
            edited(own_times, "pair[1]", "sum(end - start for name, start, end in calls if name == pair[0])"),
            words="The times are right, and the order is that of the totals. Sort by the self times.",
        ),
        Mistake(as_a_dict, when=lambda outcome: isinstance(outcome.value, dict)),
        names_alone,
        Mistake(
            edited(own_times, "around and ", "", "        if around:\n    ", ""),
            words="A list has no such item, not even a first or a last if it is empty. There may be no call around "
            "this one, none after it, or none at all: look how many there are first.",
            when=raised("list index out of range", kind=IndexError),
        ),
    ),
    right=(own_by_containers, own_by_moments),
    wrong={
        "the self time of": [own_until_the_next],
        "It belongs to the innermost one around it": [own_of_two_levels],
        "was taken for one within it": [edited(own_times, "<=", "<")],
        "first difference": [
            own_by_taking_out,
            lambda calls: own_times([(name, *np.float32([start, end]).tolist()) for name, start, end in calls]),
        ],
        "how often": [lambda calls: [pair for pair in own_times(calls) if pair[1]][:4]],
        "its self time is 0": [lambda calls: [(name, time) for name, time in own_times(calls) if time > 0]],
        "input calls = [('copy', 0, 10), ('step', 0, 10), ('sum', 2, 5)]": [own_by_the_shortest_around],
        "'float' object cannot be interpreted as an integer": [own_by_microseconds],
        "input calls = [('matmul', 0, 8), ('sum', 8, 11)] raised RecursionError": [
            lambda calls: (lambda again: again(again))(lambda f: f(f))
        ],
        "the self time of matmul": [lambda calls: [(name, time / 1000) for name, time in own_times(calls)]],
        "A list of tuples (name, self time) is asked for": [
            lambda calls: [f"{name}: {time}" for name, time in own_times(calls)],
            lambda calls: [(time, name) for name, time in own_times(calls)],
        ],
        "A later call of a name has overwritten the earlier ones": [edited(own_times, "+=", "=")],
        "This is the average of a call": [own_means],
        "the order: yours": [edited(own_times, "pair: pair[1]", "pair: int(pair[1])")],
        "yours 0.00045123, expected 0.0004512345 … The times were rounded": [
            lambda calls: [(name, float(f"{time:.5g}")) for name, time in own_times(calls)],
        ],
    },
)

"""Chapter 11: answers that look right and are not, and right ones that look strange.

Each wrong answer is right for some profiles, tensors or functions, or does beside the answer what it should not. What
its card has to say stands beside it.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from itertools import groupby, pairwise

import numpy as np
import pytest
from teach.answers import check_passing, check_refused, each_passing, each_refused

import minigrad as mg
from minigrad.autograd import Function
from minigrad.autograd.modes import modes
from minigrad.autograd.profiler import profile
from minigrad.teach import EXERCISES

pytestmark = pytest.mark.usefixtures("in_this_process")

# ---------------------------------------------------------------- own_times


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


def own_with_neighbours(calls):
    """A call that begins where another one ends is taken for one within it."""
    times, around = defaultdict(int), []
    for name, start, end in calls:
        while around and around[-1][1] < start:
            around.pop()
        times[name] += end - start
        if around:
            times[around[-1][0]] -= end - start
        around.append((name, end))
    return sorted_pairs(times)


def own_by_taking_out(calls):
    own = []
    while calls:
        name, start, end = calls.pop()
        inner = sum(e - s for _, s, e in own if start <= s and e <= end)
        own.append((name, start, end - inner))
    return [(name, end - start) for name, start, end in own]


def own_without_zeros(calls):
    return [pair for pair in EXERCISES["own_times"].reference(calls) if pair[1]][:4]


def own_of_names_that_took_time(calls):
    return [(name, time) for name, time in EXERCISES["own_times"].reference(calls) if time > 0]


def own_in_milliseconds(calls):
    return [(name, time / 1000) for name, time in EXERCISES["own_times"].reference(calls)]


def own_as_words(calls):
    return [f"{name}: {time}" for name, time in EXERCISES["own_times"].reference(calls)]


def own_turned_around(calls):
    return [(time, name) for name, time in EXERCISES["own_times"].reference(calls)]


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
        around = [(e - s, k) for k, (_, s, e) in enumerate(calls) if k != number and s <= start and end <= e]
        if around:
            own[min(around)[1]] -= end - start
    pairs = sorted((calls[number][0], time) for number, time in own.items())
    summed = [[name, np.float64(sum(time for _, time in one))] for name, one in groupby(pairs, lambda pair: pair[0])]
    return tuple(sorted(summed, key=lambda pair: -pair[1]))


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


# ---------------------------------------------------------------- limit_backward


def limit_over_columns(ctx, grad_output):
    (x,) = ctx.saved_tensors
    if x.ndim < 2:
        return grad_output * (x.abs() < 1)
    return mg.stack([g * (c.abs() < 1) for g, c in zip(grad_output.unbind(1), x.unbind(1), strict=True)], 1)


def limit_of_flattened_rows(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return mg.cat([one * (number.abs() < 1) for one, number in zip(grad_output.split(1), x.split(1), strict=True)])


def limit_in_numpy_row_by_row(ctx, grad_output):
    x, g = ctx.saved_tensors[0].detach().numpy(), grad_output.numpy()
    out = np.zeros_like(x)
    for row in range(len(x)):
        out[row] = np.where(np.abs(x[row]) < 1, g[row], 0)
    return mg.tensor(out)


def limit_mapped(ctx, grad_output):
    x, g = ctx.saved_tensors[0].reshape(-1).tolist(), grad_output.reshape(-1).tolist()
    return mg.tensor(list(map(lambda a, b: b if -1 < a < 1 else 0.0, x, g))).view(grad_output.shape)


def limit_into_what_came(ctx, grad_output):
    (x,) = ctx.saved_tensors
    grad_output[~(x.abs() < 1)] = 0
    return grad_output


def limit_into_x(ctx, grad_output):
    (x,) = ctx.saved_tensors
    inside = x.detach().abs_() if x.is_leaf else x.abs()
    return grad_output * (inside < 1)


def limit_of_small_gradients(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return grad_output.clamp(-2, 2) * (x.abs() < 1)


def limit_that_stops_nothing(ctx, grad_output):
    return grad_output


def limit_by_the_built_in(ctx, grad_output):
    """clamp passes the gradient at the bounds themselves."""
    x = ctx.saved_tensors[0].detach().requires_grad_()
    with mg.enable_grad():
        y = x.clamp(-1, 1)
    return mg.autograd.grad(y, x, grad_output)[0]


def limit_of_squares(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return mg.where(x * x < 1, grad_output, mg.zeros_like(grad_output))


def limit_filled(ctx, grad_output):
    (x,) = ctx.saved_tensors
    grad_x = grad_output.clone()
    grad_x[mg.logical_not((x > -1) & (x < 1))] = 0
    return grad_x


def limit_in_numpy(ctx, grad_output):
    x = ctx.saved_tensors[0].detach().numpy()
    return mg.tensor(np.asarray(np.where(np.abs(x) < 1, grad_output.numpy(), np.float32(0))))


def limit_with_a_loop_over_what_was_saved(ctx, grad_output):
    for x in ctx.saved_tensors:
        inside = (x.abs() < 1).to(grad_output.dtype)
    return inside * grad_output


# ---------------------------------------------------------------- copying


def recorded(f, x, **options):
    with profile(profile_memory=True, **options) as prof:
        f(x)
    return prof.function_events


def copying_outermost(f, x):
    """Only calls that nobody made."""
    return [e.name for e in recorded(f, x) if e.cpu_parent is None and e.cpu_memory_usage]


def copying_whole_tensors(f, x):
    return [e.name for e in recorded(f, x) if e.self_cpu_memory_usage >= 4 * x.numel()]


def copying_by_name(f, x):
    return [e.name for e in recorded(f, x) if e.name in ("aten::clone", "aten::add", "aten::mul", "aten::cat")]


def copying_after_a_rehearsal(f, x):
    f(x)
    return EXERCISES["copying"].reference(f, x)


def copying_without_an_end(f, x):
    prof = profile(profile_memory=True)
    prof.__enter__()
    f(x)
    events = prof._recording.stop()
    return [e.name for e in events if e.self_cpu_memory_usage]


def copying_by_averages(f, x):
    """In the order of the names' first calls."""
    names = [e.name for e in recorded(f, x) if e.self_cpu_memory_usage]
    return sorted(names, key=names.index)


def copying_in_the_block(f, x):
    with profile(profile_memory=True) as prof:
        f(x)
        return [e.name for e in prof.function_events if e.self_cpu_memory_usage]


def copying_without_prefixes(f, x):
    return [e.name.removeprefix("aten::") for e in recorded(f, x) if e.self_cpu_memory_usage]


def copying_events(f, x):
    return [e for e in recorded(f, x) if e.self_cpu_memory_usage]


def copying_large_first(f, x):
    rows = sorted(recorded(f, x), key=lambda e: e.cpu_memory_usage, reverse=True)
    return [e.name for e in rows if e.self_cpu_memory_usage]


def copying_less_the_children(f, x):
    events = recorded(f, x)
    inner = {id(e): sum(child.cpu_memory_usage for child in e.cpu_children) for e in events}
    return tuple(e.key for e in events if e.cpu_memory_usage != inner[id(e)])


def copying_by_hand(f, x):
    prof = profile(True, profile_memory=True, record_shapes=True)
    prof.__enter__()
    try:
        f(x)
    finally:
        prof.__exit__(None, None, None)
    return list(map(operator.attrgetter("name"), filter(lambda e: e.self_cpu_memory_usage, prof.function_events)))


def copying_sorted_by_beginning(f, x):
    found = [e for e in recorded(f, x) if e.self_cpu_memory_usage > 0]
    return [e.name for e in sorted(found, key=lambda e: (e.time_range.start, -e.time_range.end))]


# ---------------------------------------------------------------- soft_square


def soft_square_with(keep, compute):
    class Soft(Function):
        @staticmethod
        def forward(ctx, x):
            y = (1 + x * x).log()
            keep(ctx, x, y)
            return y

        @staticmethod
        def backward(ctx, grad_output):
            return compute(ctx, grad_output)

    return Soft.apply


def slope(x):
    return 2 * x / (1 + x * x)


def soft_in_a_closure(x):
    return soft_square_with(lambda ctx, *_: None, lambda ctx, g: g * slope(x))(x)


def soft_of_a_copied_attribute(x):
    """Right numbers, and two tensors: the copy, and x."""

    def keep(ctx, x, y):
        ctx.copy = x.detach().clone()
        ctx.save_for_backward(x)

    return soft_square_with(keep, lambda ctx, g: g * slope(ctx.copy))(x)


def soft_of_an_attribute_alone(x):
    def keep(ctx, x, y):
        ctx.copy = x.detach().clone()

    return soft_square_with(keep, lambda ctx, g: g * slope(ctx.copy))(x)


def soft_with_an_array_beside(x):
    def keep(ctx, x, y):
        ctx.save_for_backward(x)
        ctx.square = x.detach().numpy() ** 2

    return soft_square_with(keep, lambda ctx, g: g * slope(ctx.saved_tensors[0]))(x)


def soft_with_a_graph(x):
    def keep(ctx, x, y):
        with mg.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = (1 + ctx.x**2).log()

    return soft_square_with(keep, lambda ctx, g: mg.autograd.grad(ctx.y, ctx.x, g, retain_graph=True)[0])(x)


def soft_for_positive_numbers(x):
    return soft_square_with(
        lambda ctx, x, y: ctx.save_for_backward(x), lambda ctx, g: g * slope(ctx.saved_tensors[0].abs())
    )(x)


def soft_by_signs_and_output(x):
    """Right where 1 + x * x is not nearly 1: there the output has lost what x was."""

    def keep(ctx, x, y):
        ctx.save_for_backward(y)
        ctx.is_negative = x.detach() < 0

    def compute(ctx, g):
        (y,) = ctx.saved_tensors
        size = 2 * (y.exp() - 1).relu().sqrt() * (-y).exp()
        return g * mg.where(ctx.is_negative, -size, size)

    return soft_square_with(keep, compute)(x)


def soft_in_float32(x):
    def keep(ctx, x, y):
        ctx.save_for_backward(x.float())

    return soft_square_with(keep, lambda ctx, g: g * slope(ctx.saved_tensors[0].to(g.dtype)))(x) * 1


def soft_used_up(x):
    """The slope is dropped after the first walk."""

    def keep(ctx, x, y):
        ctx.slope = [slope(x)]

    return soft_square_with(keep, lambda ctx, g: g * ctx.slope.pop())(x)


def soft_over_what_came(x):
    def compute(ctx, g):
        return g.mul_(slope(ctx.saved_tensors[0]))

    return soft_square_with(lambda ctx, x, y: ctx.save_for_backward(x), compute)(x)


def soft_of_the_other_log(x):
    return soft_square_with(lambda ctx, x, y: ctx.save_for_backward(x), lambda ctx, g: g * slope(*ctx.saved_tensors))(
        x
    ) / np.log(2)


def soft_by_its_slope(x):
    return soft_square_with(lambda ctx, x, y: ctx.save_for_backward(slope(x)), lambda ctx, g: g * ctx.saved_tensors[0])(
        x
    )


def soft_by_log1p(x):
    class Soft(Function):
        @staticmethod
        def forward(x):
            return (x**2).log1p()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            return 2 * grad_output / (x + 1 / x) if (x != 0).all() else grad_output * slope(x)

    return Soft.apply(x)


def soft_by_a_small_graph_in_backward(x):
    def compute(ctx, g):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = (1 + x * x).log()
        return mg.autograd.grad(y, x, g)[0]

    return soft_square_with(lambda ctx, x, y: ctx.save_for_backward(x), compute)(x)


def own_set_anew(calls):
    times, going_on = {}, []
    for name, start, end in calls:
        going_on = [one for one in going_on if one[1] > start]
        times[name] = end - start
        if going_on:
            times[going_on[-1][0]] -= end - start
        going_on.append((name, end))
    return sorted(times.items(), key=lambda pair: -pair[1])


def own_means(calls):
    names = [name for name, _, _ in calls]
    means = [(name, time / names.count(name)) for name, time in own_by_containers(calls)]
    return sorted(means, key=lambda pair: -pair[1])


def limit_by_a_choice(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return mg.where(x.abs() >= 1, mg.zeros_like(grad_output), grad_output)


def limit_by_three_operations(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return grad_output * ((x >= -1) & (x <= 1))


def copying_what_is_called_a_copy(f, x):
    return [e.name for e in recorded(f, x) if "copy" in e.name]


def soft_of_data(x):
    def keep(ctx, x, y):
        ctx.save_for_backward(x.data)

    return soft_square_with(keep, lambda ctx, g: g * slope(ctx.saved_tensors[0]))(x)


def soft_of_half_the_slope(x):
    def keep(ctx, x, y):
        ctx.save_for_backward(x)

    return soft_square_with(keep, lambda ctx, g: g * slope(ctx.saved_tensors[0]) / 2)(x)


WRONG = {
    "own_times": {
        own_of_names: "the self time of",
        own_of_two_levels: "It belongs to the innermost one around it",
        own_until_the_next: "the self time of",
        own_with_neighbours: "was taken for one within it",
        own_by_taking_out: "first difference",
        own_without_zeros: "how often",
        own_of_names_that_took_time: "its self time is 0",
        own_by_microseconds: "'float' object cannot be interpreted as an integer",
        own_in_milliseconds: "the self time of matmul",
        own_as_words: "A list of tuples (name, self time) is asked for",
        own_set_anew: "A later call of a name has overwritten the earlier ones",
        own_means: "This is the average of a call",
        own_turned_around: "A list of tuples (name, self time) is asked for",
    },
    "limit_backward": {
        limit_over_columns: "there is still a loop",
        limit_of_flattened_rows: "there is still a loop",
        limit_in_numpy_row_by_row: "there is still a loop",
        limit_mapped: "there is still a loop",
        limit_into_what_came: "backward has written to grad_output",
        limit_into_x: "backward has written to x",
        limit_of_small_gradients: "first difference",
        limit_that_stops_nothing: "The gradient passes everywhere",
        limit_by_a_choice: "nan is neither inside nor outside",
        limit_by_three_operations: "At -1 and 1 themselves 0 is asked for",
        limit_by_the_built_in: "At -1 and 1 themselves 0 is asked for",
    },
    "copying": {
        copying_outermost: "first difference",
        copying_whole_tensors: "first difference",
        copying_by_name: "first difference",
        copying_what_is_called_a_copy: "the name of a call does not tell",
        copying_after_a_rehearsal: "f ran more than once",
        copying_without_an_end: "the profiler is still on",
        copying_without_prefixes: "name 1: yours add, expected aten::add",
        copying_by_averages: "The calls of one name stand together",
        copying_in_the_block: "It is finished when the block is over",
        copying_events: "A list of names is asked for",
        copying_large_first: "The names are sorted by their bytes",
    },
    "soft_square": {
        soft_in_a_closure: "Nobody looks after an attribute of ctx, a variable outside, or x.data",
        soft_of_data: "Nobody looks after an attribute of ctx, a variable outside, or x.data",
        soft_of_half_the_slope: "The gradient is half of what it should be",
        soft_of_a_copied_attribute: "More is kept than backward needs",
        soft_of_an_attribute_alone: "Give it to ctx.save_for_backward",
        soft_with_an_array_beside: "More is kept than backward needs",
        soft_with_a_graph: "More is kept than backward needs",
        soft_for_positive_numbers: "Where x is negative, the sign is wrong",
        soft_by_signs_and_output: "What is kept must be as exact as x",
        soft_in_float32: "the gradient of x",
        soft_used_up: "raises IndexError",
        soft_over_what_came: "backward has written to grad_output",
        soft_of_the_other_log: "the numbers[0]",
    },
}
RIGHT = {
    "own_times": (own_by_containers, own_by_moments, own_by_recursion),
    "limit_backward": (limit_of_squares, limit_filled, limit_in_numpy, limit_with_a_loop_over_what_was_saved),
    "copying": (copying_less_the_children, copying_by_hand, copying_sorted_by_beginning),
    "soft_square": (soft_by_its_slope, soft_by_log1p, soft_by_a_small_graph_in_backward),
}


@each_refused(WRONG)
def test_an_answer_that_looks_right_is_refused_with_words(name: str, answer, words: str) -> None:
    check_refused(name, answer, words)
    assert modes.profiler is None


@each_passing(RIGHT)
def test_a_right_answer_that_looks_strange_passes(name: str, answer) -> None:
    check_passing(name, answer)


def test_every_function_that_is_drawn_runs() -> None:
    drawn = EXERCISES["copying"].drawn
    cases = [case for seed in range(400) for case in drawn(np.random.default_rng(seed))]
    assert len(cases) > 100
    for case in cases:
        f, x = case.make()
        assert f(x).numel() > 0, case.words

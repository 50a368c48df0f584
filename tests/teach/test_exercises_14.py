"""Chapter 14: answers that look right and are not, and right ones that look strange.

Each wrong answer is right for some graphs, such as those whose tensors are used once, or does beside the answer what it
should not. What its card has to say stands beside it. The last tests are about what the chapter does between the steps:
an answer that is not right yet, or harms who calls it, is not put into the engine.
"""

from __future__ import annotations

import collections
import contextlib
import types
from collections.abc import Callable
from graphlib import TopologicalSorter
from typing import Any

import numpy as np
import pytest
from minigrad.teach.exercises.chapter14 import STEPS, Tensor, working
from teach.answers import check_passing, check_refused, each_passing, each_refused

from minigrad.teach import EXERCISES
from minigrad.teach.exercises import chapter14

pytestmark = pytest.mark.usefixtures("in_this_process")

# ---------------------------------------------------------------- recorded


def recorded_with(change: Callable[[Any, Any, Any, Any], Any]) -> Callable[..., Any]:
    """The solution, and something done to its result."""

    def recorded(self, forward, rule, others):
        result = STEPS["recorded"](self, forward, rule, others)
        return change(self, result, forward, others) or result

    return recorded


def with_a_wrapped_rule(self, result, forward, others):
    if result.rule is not None:
        rule = result.rule
        result.rule = lambda *arrays: rule(*arrays)


def with_a_gradient(self, result, forward, others):
    result.grad = np.zeros_like(result.data)


def with_forward_twice(self, result, forward, others):
    forward(*[one.data if isinstance(one, Tensor) else one for one in (self, *others)])


def with_inputs_sorted(self, result, forward, others):
    result.inputs = tuple(sorted(result.inputs, key=lambda one: one.data.sum()))


def with_leaves_alone(self, result, forward, others):
    result.inputs = tuple(one for one in result.inputs if one.requires_grad)


def as_a_list_of_inputs(self, result, forward, others):
    result.inputs = list(result.inputs)


def as_an_array(self, forward, rule, others):
    return STEPS["recorded"](self, forward, rule, others).data


def recorded_in_a_loop(self, forward, rule, others):
    inputs = [self]
    for one in others:
        if not hasattr(one, "requires_grad"):
            one = type(self)(one, False)
        inputs.append(one)
    result = self.__class__(forward(*(one.data for one in inputs)))
    wanted = self.recording and True in [one.requires_grad for one in inputs]
    result.requires_grad = wanted
    if wanted:
        result.rule, result.inputs = rule, inputs
    return result


# ---------------------------------------------------------------- product_rule


def rule_where_scalar(g, y, a, b):
    return np.sum(g * b), np.sum(g * a)


def rule_without_sign(g, y, a, b):
    return g * np.abs(b), g * np.abs(a)


def rule_of_three(g, y, a, b):
    return g * b, g * a, None


def rule_by_powers(g, y, a, b):
    with np.errstate(all="ignore"):
        return g * y * a**-1.0, g * y * b**-1.0


def rule_over_b(g, y, a, b):
    before = b.copy()
    np.multiply(g, b, out=b) if b.shape == g.shape else None
    return g * before, g * a


def rule_as_a_list(g, y, a, b):
    return [np.multiply(b, g), np.multiply(a, g)]


def rule_by_einsum(g, y, a, b):
    return tuple(g * other for other in (b, a))


# ---------------------------------------------------------------- receive


def received_if_not_zero(self, gradient):
    if np.any(self.grad):
        self.grad = self.grad + gradient
    else:
        self.grad = gradient


def received_into_the_first(self, gradient):
    if self.grad is None:
        self.grad = np.asarray(gradient)
    else:
        np.add(self.grad, gradient, out=self.grad)


def received_into_the_gradient(self, gradient):
    if self.grad is not None:
        gradient += self.grad
    self.grad = np.array(gradient)


def received_as_a_sum(self, gradient):
    total = gradient.sum()
    self.grad = total if self.grad is None else self.grad + total


def received_the_largest(self, gradient):
    self.grad = gradient.copy() if self.grad is None else np.maximum(self.grad, gradient)


def received_from_zeros(self, gradient):
    before = np.zeros_like(self.data) if self.grad is None else self.grad
    self.grad = before + gradient


def received_in_place(self, gradient):
    if self.grad is None:
        self.grad = np.zeros(gradient.shape)
    self.grad += gradient


def received_without_a_copy(self, gradient):
    self.grad = gradient if self.grad is None else gradient + self.grad


# ---------------------------------------------------------------- in_order


def ordered_by_its_inputs(self):
    order = []
    for one in self.inputs:
        order += one.in_order()
    return [*order, self]


def ordered_by_its_inputs_once(self):
    """Right for small graphs, and never ends where many ways lead to a tensor."""
    return [*dict.fromkeys(tensor for one in self.inputs for tensor in one.in_order()), self]


def ordered_in_a_queue(self):
    """From the end, each put in front."""
    order, done, todo = collections.deque(), set(), [self]
    uses = collections.Counter(one for tensor in STEPS["in_order"](self) for one in tensor.inputs)
    while todo:
        tensor = todo.pop()
        order.appendleft(tensor)
        done.add(tensor)
        for one in tensor.inputs:
            uses[one] -= 1
            if not uses[one]:
                todo.append(one)
    return order


def ordered_one_by_one(self):
    return iter(STEPS["in_order"](self))


ORDERS = {}


def ordered_from_a_cache(self):
    """What was found once is found again, when the graph is another."""
    if self not in ORDERS:
        ORDERS[self] = STEPS["in_order"](self)
    return ORDERS[self]


def ordered_by_memory(self, known=[]):  # noqa: B006
    order = [one for one in STEPS["in_order"](self) if one not in known]
    known += order
    return order


def ordered_by_depth_of_the_first(self):
    def depth(one):
        count = 0
        while one.inputs:
            one, count = one.inputs[0], count + 1
        return count

    order = STEPS["in_order"](self)
    order.reverse()
    return sorted(order, key=depth)


def ordered_names(self):
    return [repr(one) for one in STEPS["in_order"](self)]


def ordered_without_numbers(self):
    return [one for one in STEPS["in_order"](self) if one.requires_grad]


def ordered_by_every_way(self):
    ways, order = [(self,)], []
    while ways:
        way = ways.pop()
        order.append(way[-1])
        ways += [(*way, one) for one in way[-1].inputs]
    return list(dict.fromkeys(order[::-1]))


def ordered_and_cut(self):
    order = STEPS["in_order"](self)
    for one in order:
        one.inputs = list(one.inputs)
    return order


def ordered_by_graphlib(self):
    graph, todo = {}, [self]
    while todo:
        one = todo.pop()
        if one not in graph:
            graph[one] = one.inputs
            todo += one.inputs
    return list(TopologicalSorter(graph).static_order())


def ordered_by_counting(self):
    uses, met, todo = {self: 0}, {self}, [self]
    for one in todo:
        for below in one.inputs:
            uses[below] = uses.get(below, 0) + 1
            if below not in met:
                met.add(below)
                todo.append(below)
    order, ready = [], [self]
    while ready:
        one = ready.pop()
        order.append(one)
        for below in one.inputs:
            uses[below] -= 1
            if uses[below] == 0:
                ready.append(below)
    return order[::-1]


def ordered_with_iterators(self):
    order, met, way = [], {self}, [(self, iter(self.inputs))]
    while way:
        one, rest = way[-1]
        below = next((each for each in rest if each not in met), None)
        if below is None:
            order.append(one)
            way.pop()
        else:
            met.add(below)
            way.append((below, iter(below.inputs)))
    return tuple(order)


# ---------------------------------------------------------------- fitted


def fitted_by_lengths(gradient, shape):
    """Sums over each axis whose length the shape does not have: right until two lengths agree."""
    for axis in range(gradient.ndim - 1, -1, -1):
        if gradient.shape[axis] not in shape:
            gradient = gradient.sum(axis=axis)
    return gradient.reshape(shape)


def fitted_by_squeezing(gradient, shape):
    return STEPS["fitted"](gradient, shape).squeeze()


def fitted_from_behind(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=-1)
    return STEPS["fitted"](gradient, shape)


def fitted_once(gradient, shape):
    axes = [axis for axis, size in enumerate(shape) if size == 1]
    gradient = gradient.sum(axis=0) if gradient.ndim > len(shape) else gradient
    return gradient.sum(axis=tuple(axes), keepdims=True)


def fitted_if_unlike(gradient, shape):
    return gradient if gradient.size == int(np.prod(shape)) else STEPS["fitted"](gradient, shape)


def fitted_as_number(gradient, shape):
    return float(gradient.sum()) if shape in ((), (1,)) else STEPS["fitted"](gradient, shape)


def fitted_in_place(gradient, shape):
    result = np.array(STEPS["fitted"](gradient, shape))
    gradient *= 0.0
    return result


def fitted_step_by_step(gradient, shape):
    while np.ndim(gradient) > len(shape):
        gradient = np.sum(gradient, axis=0)
    for axis, size in enumerate(shape):
        if gradient.shape[axis] != size:
            gradient = np.sum(gradient, axis=axis, keepdims=True)
    return gradient


def fitted_by_reshape(gradient, shape):
    padded = (1,) * (gradient.ndim - len(shape)) + tuple(shape)
    axes = tuple(axis for axis, size in enumerate(padded) if size == 1)
    return np.reshape(gradient.sum(axis=axes), shape)


def fitted_by_einsum(gradient, shape):
    places = list(range(gradient.ndim))
    kept = [place for place, size in zip(places[gradient.ndim - len(shape) :], shape, strict=True) if size != 1]
    return np.einsum(gradient, places, kept).reshape(shape)


# ---------------------------------------------------------------- start


def started_at_inputs(self):
    for one in (self, *self.inputs):
        if one.rule is not None:
            one.grad = None
    self.receive(np.ones_like(self.data))


def started_with_zeros_at_leaves(self):
    STEPS["start"](self)
    for one in self.in_order():
        if one.rule is None and one.grad is None:
            one.grad = np.zeros_like(one.data)


def started_twice(self):
    STEPS["start"](self)
    self.receive(np.ones_like(self.data))


def started_with_data(self):
    STEPS["start"](self)
    if self.rule is not None:
        self.grad = self.data.copy()


def started_by_requires_grad(self):
    for one in self.in_order():
        if one.requires_grad:
            one.grad = None
    self.receive(np.ones_like(self.data))


def started_on_the_way_down(self):
    for one in self.in_order()[::-1]:
        one.grad = one.grad if one.rule is None else None
    self.receive(np.ones(self.data.shape))


def started_by_inputs(self):
    results = [one for one in self.in_order() if len(one.inputs)]
    for one in results:
        one.grad = None
    self.receive(np.full_like(self.data, 1.0))


# ---------------------------------------------------------------- backward


def walked_in_one_go(self, retain_graph=False):
    self.start()
    for one in reversed(self.in_order()):
        if one.rule is not None:
            one.send()
    if not retain_graph:
        self.free()


def walked_without_end(self, retain_graph=False):
    STEPS["backward"](self, retain_graph)
    if retain_graph:
        STEPS["backward"](self, True)


def walked_and_cleared(self, retain_graph=False):
    for one in self.in_order():
        one.grad = None
    STEPS["backward"](self, retain_graph)


def walked_over_what_is_freed(self, retain_graph=False):
    with contextlib.suppress(RuntimeError):
        STEPS["backward"](self, retain_graph)


def walked_with_leaves_freed(self, retain_graph=False):
    order = self.in_order()
    STEPS["backward"](self, True)
    if not retain_graph:
        for one in order:
            one.free()


def walked_breadth_first(self, retain_graph=False):
    self.start()
    todo = [self]
    for one in todo:
        if one.rule is not None:
            one.send()
            todo += [below for below in one.inputs if below not in todo]
            if not retain_graph:
                one.free()


def walked_then_freed(self, retain_graph=False):
    self.start()
    order = [one for one in self.in_order() if one.rule]
    while order:
        one = order.pop()
        one.send()
        retain_graph or one.free()


def walked_in_two_loops(self, retain_graph=False):
    results = [one for one in self.in_order()[::-1] if one.rule is not None]
    self.start()
    for one in results:
        one.send()
    for one in results if not retain_graph else ():
        one.free()


# ---------------------------------------------------------------- no_grad


def off_by_counting(kind, depth=[0]):  # noqa: B006
    class Off:
        def __enter__(self):
            depth[0] += 1
            kind.recording = False

        def __exit__(self, *error):
            depth[0] -= 1
            kind.recording = depth[0] == 0

    return Off()


def off_only_without_error(kind):
    class Off:
        def __enter__(self):
            self.before, kind.recording = kind.recording, False

        def __exit__(self, kind_of_error, error, trace):
            if error is None:
                kind.recording = self.before

    return Off()


def off_for_all(kind):
    @contextlib.contextmanager
    def off():
        before, Tensor.recording, kind.recording = kind.recording, False, False
        try:
            yield
        finally:
            Tensor.recording, kind.recording = True, before

    return off()


def off_turned(kind):
    @contextlib.contextmanager
    def off():
        kind.recording = not kind.recording
        try:
            yield
        finally:
            kind.recording = not kind.recording

    return off()


def off_and_quiet(kind):
    @contextlib.contextmanager
    def off():
        before, kind.recording = kind.recording, False
        with contextlib.suppress(Exception):
            yield
        kind.recording = before

    return off()


def off_by_contextlib(kind):
    @contextlib.contextmanager
    def off():
        before, kind.recording = kind.recording, False
        try:
            yield
        finally:
            kind.recording = before

    return off()


def off_by_exit_stack(kind):
    class Off(contextlib.ExitStack):
        def __enter__(self):
            self.callback(setattr, kind, "recording", kind.recording)
            kind.recording = False
            return super().__enter__()

    return Off()


class OffForever:
    def __init__(self, kind):
        self.kind = kind

    def __enter__(self):
        self.kept, self.kind.recording = self.kind.recording, False
        return self

    def __exit__(self, *error):
        self.kind.recording = self.kept
        return False


def off_by_a_class(kind):
    return OffForever(kind)


# ---------------------------------------------------------------- softmax_rule


def softmax_of_the_first_row(g, y, x):
    if y.ndim == 1:
        return STEPS["softmax_rule"](g, y, x)
    return (y * (g - (g * y)[..., :1, :].sum(axis=-1, keepdims=True)),)


def softmax_of_positive(g, y, x):
    return (np.maximum(STEPS["softmax_rule"](g, y, x)[0], 0.0),)


def softmax_by_mean(g, y, x):
    return (y * (g - (g * y).mean(axis=-1, keepdims=True)),)


def softmax_with_twice_y(g, y, x):
    return (y * g - (g * y * y).sum(axis=-1, keepdims=True),)


def softmax_over_g(g, y, x):
    g -= (g * y).sum(axis=-1, keepdims=True)
    return (y * g,)


def softmax_of_log(g, y, x):
    return (g - y * g.sum(axis=-1, keepdims=True),)


def softmax_by_matrices(g, y, x):
    found = np.empty_like(y)
    for place in np.ndindex(y.shape[:-1]):
        row = y[place]
        found[place] = (np.diag(row) - np.outer(row, row)) @ g[place]
    return (found,)


def softmax_made_again(g, y, x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    again = powers / powers.sum(axis=-1, keepdims=True)
    weighed = g * again
    return [weighed - again * weighed.sum(axis=-1, keepdims=True)]


def softmax_by_einsum(g, y, x):
    return (y * (g - np.einsum("...i,...i->...", g, y)[..., None]),)


# ---------------------------------------------------------------- applied


def applied_to_the_first(function, inputs):
    return STEPS["applied"](function, (inputs[0], *[one.data for one in inputs[1:]]))


def applied_with_one_ctx(function, inputs, ctx=types.SimpleNamespace()):  # noqa: B008
    def rule(g, y, *arrays):
        given = function.backward(ctx, g)
        return given if isinstance(given, tuple) else (given,)

    return inputs[0].recorded(lambda *arrays: function.forward(ctx, *arrays), rule, inputs[1:])


def applied_by_sum(function, inputs):
    total = function.forward(types.SimpleNamespace(), *[one.data for one in inputs])
    return inputs[0].recorded(lambda *arrays: total, lambda g, y, *arrays: tuple(g for _ in arrays), inputs[1:])


def applied_at_once(function, inputs):
    ctx = types.SimpleNamespace()
    value = function.forward(ctx, *[one.data for one in inputs])
    given = function.backward(ctx, np.ones_like(value))
    return inputs[0].recorded(
        lambda *arrays: value, lambda g, y, *arrays: given if isinstance(given, tuple) else (given,), inputs[:0]
    )


def applied_after_a_look(function, inputs):
    """forward is called to see the shape, and once more."""
    assert np.shape(function.forward(types.SimpleNamespace(), *[one.data for one in inputs])) != (0,)
    return STEPS["applied"](function, inputs)


def applied_to_tensors(function, inputs):
    return function.forward(types.SimpleNamespace(), *inputs)


def applied_before_the_walk(function, inputs):
    ctx = types.SimpleNamespace()
    value = function.forward(ctx, *[one.data for one in inputs])

    def applied_rule(g, y, *arrays):
        gradients = function.backward(ctx, g)
        return gradients if type(gradients) is tuple else (gradients,)

    return inputs[0].recorded(lambda *arrays: value, applied_rule, tuple(inputs[1:]))


def applied_by_a_class(function, inputs):
    class Call:
        def run(self, *arrays):
            return function.forward(self, *arrays)

        def back(self, g, y, *arrays):
            given = function.backward(self, g)
            return given if len(arrays) > 1 or isinstance(given, tuple) else (given,)

    call = Call()
    first, *others = inputs
    return first.recorded(call.run, call.back, others)


WRONG = {
    "recorded": {
        recorded_with(with_a_wrapped_rule): "rule: yours another",
        recorded_with(with_a_gradient): "grad: yours there",
        recorded_with(with_forward_twice): "calls of forward: yours 2",
        recorded_with(with_inputs_sorted): "inputs: yours",
        recorded_with(with_leaves_alone): "inputs: yours",
        as_an_array: "not of the class of self",
    },
    "product_rule": {
        rule_where_scalar: "first difference",
        rule_without_sign: "first difference",
        rule_of_three: "how many gradients: yours 3, expected 2",
        rule_by_powers: "first difference",
        rule_over_b: "yours changed",
    },
    "receive": {
        received_into_the_first: "hands the same one to both",
        received_into_the_gradient: "the gradients that were given: yours changed",
        received_as_a_sum: "The shape is []",
        received_the_largest: "first difference",
    },
    "in_order": {
        ordered_by_memory: "is missing",
        ordered_one_by_one: "which is no list",
        ordered_from_a_cache: "The list of an earlier call was still there",
        ordered_by_depth_of_the_first: "comes before its input",
        ordered_names: "is no tensor",
        ordered_without_numbers: "comes before its input",
        ordered_by_every_way: "still running",
        ordered_by_its_inputs: "The orders of the inputs were put one behind the other",
        ordered_by_its_inputs_once: "still running",
        ordered_and_cut: "left behind in the tensors: yours something",
    },
    "fitted": {
        fitted_by_lengths: "They have to be summed",
        fitted_by_squeezing: "The shape is",
        fitted_from_behind: "The shape is",
        fitted_once: "The shape is",
        fitted_if_unlike: "The shape is",
        fitted_as_number: "The shape is",
        fitted_in_place: "the array that was given: yours changed",
    },
    "start": {
        started_at_inputs: "first difference",
        started_with_zeros_at_leaves: "first difference x.grad: yours 0.0, expected None",
        started_twice: "L.grad: yours 2.0",
        started_with_data: "L.grad: yours 144.0",
        started_by_requires_grad: "belong to whoever reads them",
    },
    "backward": {
        walked_in_one_go: "freed: yours L",
        walked_without_end: "first difference",
        walked_and_cleared: "first difference",
        walked_over_what_is_freed: "the walks ended: yours well, well",
        walked_with_leaves_freed: "freed: yours",
        walked_breadth_first: "first difference",
    },
    "no_grad": {
        off_by_counting: "first difference",
        off_only_without_error: "afterwards: yours not recorded",
        off_for_all: "another class, inside: yours not recorded",
        off_turned: "first difference",
        off_and_quiet: "It was swallowed",
    },
    "softmax_rule": {
        softmax_of_the_first_row: "first difference",
        softmax_of_positive: "first difference",
        softmax_by_mean: "first difference",
        softmax_with_twice_y: "first difference",
        softmax_over_g: "yours changed",
        softmax_of_log: "first difference",
    },
    "applied": {
        applied_to_the_first: "gradient of input 1: yours None",
        applied_with_one_ctx: "Each call needs its own",
        applied_by_sum: "first difference",
        applied_after_a_look: "forward was called once more",
        applied_at_once: "gradient of input 0: yours",
        applied_to_tensors: "raises",
    },
}
RIGHT = {
    "recorded": (recorded_with(as_a_list_of_inputs), recorded_in_a_loop),
    "product_rule": (rule_as_a_list, rule_by_einsum),
    "receive": (received_if_not_zero, received_from_zeros, received_in_place, received_without_a_copy),
    "in_order": (ordered_by_graphlib, ordered_by_counting, ordered_with_iterators, ordered_in_a_queue),
    "fitted": (fitted_step_by_step, fitted_by_reshape, fitted_by_einsum),
    "start": (started_on_the_way_down, started_by_inputs),
    "backward": (walked_then_freed, walked_in_two_loops),
    "no_grad": (off_by_contextlib, off_by_exit_stack, off_by_a_class),
    "softmax_rule": (softmax_by_matrices, softmax_made_again, softmax_by_einsum),
    "applied": (applied_before_the_walk, applied_by_a_class),
}


@each_refused(WRONG)
def test_an_answer_that_looks_right_is_refused_with_words(name: str, answer, words: str) -> None:
    check_refused(name, answer, words)


@each_passing(RIGHT)
def test_a_right_answer_that_looks_strange_passes(name: str, answer) -> None:
    check_passing(name, answer)


# ---------------------------------------------------------------- between the steps


def test_the_learners_own_is_put_in_when_it_passes(capsys: pytest.CaptureFixture[str]) -> None:
    def receive(self, gradient):
        self.grad = gradient + 0.0 if self.grad is None else self.grad + gradient

    assert working(receive) is receive
    assert capsys.readouterr().out == "receive: yours\n"


def untouched(self, gradient):
    raise NotImplementedError


def endless(self, gradient):
    while True:
        pass


def too_deep(self, gradient):
    return too_deep(self, gradient)


def raises(self, gradient):
    raise ValueError("in the middle")


def returns_nothing(self, gradient):
    return None


def changes_what_it_gets(self, gradient):
    gradient *= 2
    self.grad = gradient


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (untouched, "yours is not attempted"),
        (endless, 'of yours the check says "stopped, it was still running after'),
        (too_deep, 'of yours the check says "raises RecursionError"'),
        (raises, 'of yours the check says "raises ValueError"'),
        (returns_nothing, "yours is not attempted"),
        (changes_what_it_gets, 'of yours the check says "not yet"'),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_solution_is_put_in_for_an_answer_that_is_not_right(
    answer, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EXERCISES["receive"], "seconds", 0.3)
    monkeypatch.setattr(answer, "__name__", "receive")
    assert working(answer) is STEPS["receive"]
    assert capsys.readouterr().out.startswith(f"receive: the solution's, as {words}")


@pytest.mark.parametrize("what", [3, print, lambda self: self])
def test_what_is_no_step_is_refused_by_name(what: Any) -> None:
    with pytest.raises(ValueError, match="takes one of the functions recorded, product_rule, receive"):
        working(what)


def test_the_solutions_together_are_an_engine() -> None:
    x, w = Tensor([[1.0, 2.0], [3.0, -1.0]], requires_grad=True), Tensor([0.5, 4.0], requires_grad=True)
    y = x * w
    total = y * (y + x)
    total.backward()
    ones, doubled = np.ones((2, 2)), x.data * (2 * w.data + 1)
    np.testing.assert_allclose(x.grad, 2 * x.data * w.data**2 + 2 * x.data * w.data)
    np.testing.assert_allclose(w.grad, (x.data * doubled * ones).sum(axis=0))
    assert chapter14.STEPS.keys() == {name for name, one in EXERCISES.items() if one.chapter.startswith("14")}

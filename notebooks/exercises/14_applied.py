"""Exercise `applied`: a Function of the learner's own, as an operation of the engine."""

import operator
import types

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, edited, raised, saw

from .chapter14 import Tensor, applied, array_of, drawn_array, step_observer


class Exp:
    """Keeps its result."""

    @staticmethod
    def forward(ctx, x):
        ctx.y = np.exp(x)
        return ctx.y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.y


class Weighted:
    """Three inputs, of which it keeps two things; returns a tuple, as most do."""

    @staticmethod
    def forward(ctx, x, w, b):
        ctx.x, ctx.w = x, w
        return x * w + b

    @staticmethod
    def backward(ctx, g):
        return g * ctx.w, g * ctx.x, g


class Straight:
    """A backward that does not fit its forward, on purpose, and limits what it gets: it is to be asked all the same."""

    @staticmethod
    def forward(ctx, x):
        return np.sign(x)

    @staticmethod
    def backward(ctx, g):
        return (np.clip(g, -1.5, 1.5),)


FUNCTIONS = {"Exp": (Exp, 1), "Weighted": (Weighted, 3), "Straight": (Straight, 1)}


EMPTIED, ANOTHER, SOONER = "the ctx that forward got", "another ctx", "before any forward"
CLASS = "the class of the result"
CALLS, EARLY = "calls of forward", "calls of backward before the walk"


@step_observer
def _called_twice(answer, function, inputs, others):
    """Called twice, with other numbers, before anything walks: each call has to keep what is its own. What comes to
    the results is not 1. Each walks twice, from other numbers.
    """
    calls, gradients, kept, results = [], [], [], []

    class Counted(function):
        @staticmethod
        def forward(ctx, *arrays):
            calls.append(arrays)
            kept.append(ctx)
            return function.forward(ctx, *arrays)

        @staticmethod
        def backward(ctx, g):
            gradients.append(g)
            try:
                return function.backward(ctx, g)
            except AttributeError as error:
                has_one = kept or results
                error.add_note(EMPTIED if any(ctx is one for one in kept) else ANOTHER if has_one else SOONER)
                raise

    Counted.__name__ = function.__name__
    results += [answer(Counted, inputs), answer(Counted, others)]
    if not all(isinstance(one, Tensor) for one in results):
        other = next(one for one in results if not isinstance(one, Tensor))
        return {"the result": None if other is None else f"a {type(other).__name__}"}
    recorded, early = results[0].requires_grad, len(gradients)
    for one in results:
        for factor in (-3.0, 2.0) if one.requires_grad else ():
            (one * factor).backward(retain_graph=True)
    return {
        "the result": "a tensor",
        CLASS: "that of the inputs" if type(results[0]) is type(inputs[0]) else type(results[0]).__name__,
        "data": results[0].data,
        "the other result": results[1].data,
        "recorded": recorded,
        **{f"gradient of input {number}": array_of(one.grad) for number, one in enumerate(inputs)},
        **{f"gradient of input {number}, other call": array_of(one.grad) for number, one in enumerate(others)},
        CALLS: len(calls),
        EARLY: early,
    }


class Derived(Tensor):
    """What a learner may derive from the engine."""


class Silent(Tensor):
    recording = False


def _case(name, values, others, wanted=(True, True, True), kind=Tensor):
    function = FUNCTIONS[name][0]

    def make():
        return function, *(tuple(map(kind, each, wanted)) for each in (values, others))

    listed = [", ".join(str(np.asarray(one).tolist()) for one in each) for each in (values, others)]
    which = [number for number, is_wanted in enumerate(wanted[: len(values)]) if is_wanted]
    plain = KINDS[kind] if all(wanted) else f", of which {which or 'none'} require{'' if which else 's'} a gradient"
    return Case(
        f"{name} of {listed[0]}, and of {listed[1]}{plain}; then both walk, from -3 and from 2 times the result", make
    )


KINDS = {Tensor: "", Derived: ", of a class derived from Tensor", Silent: ", whose class has recording = False"}


def _drawn(random):
    for name, (_, count) in FUNCTIONS.items():
        shape = [(), (3,), (2, 2)][random.integers(3)]
        yield _case(name, *([drawn_array(random, shape) for _ in range(count)] for _ in range(2)))


# ---------------------------------------------------------------- wrong answers

CTX, TUPLE = 'type("Context", (), {})()', "gradients if isinstance(gradients, tuple) else (gradients,)"
WHOLE = "inputs[0].recorded(lambda *arrays: function.forward(ctx, *arrays), rule, inputs[1:])"


def backward_at_once(function, inputs):
    """backward was called when the result was made, before anything has come to it. What comes to the result is known
    in the walk: call it in the rule, with g.
    """
    ctx = type("Context", (), {})()
    value = function.forward(ctx, *[one.data for one in inputs])
    gradients = _tuple(function.backward(ctx, np.ones_like(value)))
    return inputs[0].recorded(lambda *arrays: value, lambda g, y, *arrays: gradients, inputs[1:])


def _tuple(gradients):
    return gradients if isinstance(gradients, tuple) else (gradients,)


def let_go_of(function, inputs):
    ctx = type("Context", (), {})()

    def applied_rule(g, y, *arrays):
        gradients = _tuple(function.backward(ctx, g))
        vars(ctx).clear()
        return gradients

    return inputs[0].recorded(lambda *arrays: function.forward(ctx, *arrays), applied_rule, inputs[1:])


def first_gradients_kept(function, inputs):
    """The gradients of the first walk were sent once more in the second, to which another g has come. Call backward
    in each.
    """
    ctx, known = type("Context", (), {})(), []

    def applied_rule(g, y, *arrays):
        known.append(_tuple(function.backward(ctx, g)))
        return known[0]

    return inputs[0].recorded(lambda *arrays: function.forward(ctx, *arrays), applied_rule, inputs[1:])


def taken_apart(function, inputs):
    """More gradients came than there are inputs, or a number was to be taken apart, as where an array is taken for a
    tuple: it has rows or numbers in it. A tuple with one thing in it is (gradient,).
    """
    ctx = type("Context", (), {})()

    def applied_rule(g, y, *arrays):
        return tuple(function.backward(ctx, g))

    return inputs[0].recorded(lambda *arrays: function.forward(ctx, *arrays), applied_rule, inputs[1:])


def by_hand(function, inputs):
    """It was recorded although recording is False: whoever writes the inputs and the rule into the result has to ask
    for it, as recorded does. Let recorded do it.
    """
    result = applied(function, inputs)
    if not result.requires_grad and any(one.requires_grad for one in inputs):
        result.requires_grad, result.inputs, result.rule = True, tuple(inputs), lambda g, *arrays: (g,)
    return result


def with_the_first_alone(function, inputs):
    ctx, rest = type("Context", (), {})(), [one.data for one in inputs[1:]]

    def applied_rule(g, y, *arrays):
        return _tuple(function.backward(ctx, g))

    return inputs[0].recorded(lambda x: function.forward(ctx, x, *rest), applied_rule, ())


def recorded_in_any_case(function, inputs):
    """It was recorded though no input requires a gradient, or the class does not record: whoever writes the inputs and
    the rule into the result has to ask for that, as recorded does. Let recorded do it.
    """
    result = applied(function, inputs)
    if not result.requires_grad:
        result.requires_grad, result.inputs, result.rule = True, tuple(inputs), lambda g, y, *arrays: (g,) * len(arrays)
    return result


def of_tensors_class(function, inputs):
    """The result is a Tensor, whatever class the inputs have. What is derived from Tensor stays what it is:
    inputs[0].recorded makes it with the class of inputs[0].
    """
    result, made = applied(function, inputs), Tensor(0.0)
    vars(made).update(vars(result))
    return made


def _found_nothing(where):
    """Whether a backward looked for what a forward had kept, and found nothing there."""
    return lambda outcome: (
        isinstance(outcome.error, AttributeError) and where in getattr(outcome.error, "__notes__", ())
    )


def _called_backward_at_once(outcome):
    return saw(EARLY, operator.gt)(outcome) or _found_nothing(SOONER)(outcome)


def _took_an_array_apart(outcome):
    """Whether more gradients came than there are inputs, of a backward that returns no tuple, or a number was to be
    taken apart.
    """
    is_array = outcome.arguments[0] is Exp and raised("argument 2 is longer than")(outcome)
    return is_array or raised("iteration over a 0-d array")(outcome)


def _has_too_few_inputs(outcome):
    return outcome.arguments[0] is Weighted and raised("argument 2 is longer than")(outcome)


# ---------------------------------------------------------------- tried as well


def applied_with_an_attribute(function, inputs):
    function.ctx = types.SimpleNamespace()
    return inputs[0].recorded(
        lambda *arrays: function.forward(function.ctx, *arrays),
        lambda g, y, *arrays: _tuple(function.backward(function.ctx, g)),
        inputs[1:],
    )


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


def applied_with_slopes(function, inputs):
    ctx = types.SimpleNamespace()
    value = function.forward(ctx, *[one.data for one in inputs])
    slopes = _tuple(function.backward(ctx, np.ones_like(value)))
    return inputs[0].recorded(lambda *arrays: value, lambda g, y, *arrays: tuple(g * one for one in slopes), inputs[1:])


def applied_if_the_first_wants_it(function, inputs):
    ctx = types.SimpleNamespace()

    def applied_rule(g, y, *arrays):
        if not inputs[0].requires_grad:
            return tuple(np.zeros_like(one) for one in arrays)
        return _tuple(function.backward(ctx, g))

    return inputs[0].recorded(lambda *arrays: function.forward(ctx, *arrays), applied_rule, inputs[1:])


REMEMBERED = []


def applied_and_remembered(function, inputs):
    REMEMBERED.append(applied(function, inputs))
    return REMEMBERED[-1]


def applied_after_a_look(function, inputs):
    """forward is called to see the shape, and once more."""
    assert np.shape(function.forward(types.SimpleNamespace(), *[one.data for one in inputs])) != (0,)
    return applied(function, inputs)


def forward_in_each_walk(function, inputs):
    def applied_rule(g, y, *arrays):
        ctx = types.SimpleNamespace()
        function.forward(ctx, *arrays)
        return _tuple(function.backward(ctx, g))

    return inputs[0].recorded(lambda *a: function.forward(types.SimpleNamespace(), *a), applied_rule, inputs[1:])


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


EXERCISE = Exercise(
    title="the result of a Function, recorded with its backward as the rule",
    stars=3,
    minutes=9,
    reference=applied,
    plug=_called_twice,
    cases=(
        _case("Exp", [[0.0, 1.0]], [[2.0, -1.0]]),
        _case("Weighted", [2.0, 3.0, 1.0], [-1.0, 0.5, 4.0]),
        _case("Straight", [[0.5, -3.0]], [[2.0, 0.0]]),
        _case("Exp", [1.0], [2.0], wanted=(False,)),
        _case("Weighted", [2.0, 3.0, 1.0], [-1.0, 0.5, 4.0], wanted=(False, True, False)),
        _case("Exp", [1.0], [2.0], kind=Silent),
        _case("Exp", [1.0], [2.0], kind=Derived),
        _case("Exp", [[12.0, -1.0]], [[10.0, 0.0]]),
    ),
    drawn=_drawn,
    hints=(
        "recorded does nearly all of it. It wants a forward that takes arrays only, and a rule(g, y, *arrays).",
        "Make an empty object for ctx, anew in each call, and two small functions that put it in front of the rest.",
        "ctx = type('Context', (), {})(), and inputs[0].recorded(lambda *arrays: function.forward(ctx, *arrays), rule, "
        "inputs[1:]), where rule calls function.backward(ctx, g) and puts what is no tuple into one.",
    ),
    writes=True,
    mistakes=(
        Mistake(
            with_the_first_alone,
            words="More gradients came than inputs were noted. All inputs go to recorded, so that it notes them: "
            "inputs[0].recorded(..., inputs[1:]).",
            when=_has_too_few_inputs,
        ),
        Mistake(
            edited(applied, "(ctx, g)", "(ctx, np.ones_like(g))"),
            words="backward got ones, and what has arrived was left out: give it g.",
        ),
        Mistake(
            edited(applied, CTX, "function"),
            edited(applied, f"inputs):\n    ctx = {CTX}", f"inputs, ctx={CTX}):"),
            words="All calls have the same ctx, so the second call wrote over what the first had kept: it is the "
            "class, an attribute of it, a default, or stands outside. Each call needs its own.",
        ),
        Mistake(
            let_go_of,
            words="What forward had kept on ctx was gone when backward was called, as where a walk empties ctx. With "
            "retain_graph=True a result sends again, and backward is called again.",
            when=_found_nothing(EMPTIED),
        ),
        Mistake(
            edited(applied, "function.backward(ctx", f"function.backward({CTX}"),
            words="What backward got as ctx is not what forward got, and nothing has been kept in it: "
            "function.backward(ctx, g), with that of forward.",
            when=_found_nothing(ANOTHER),
        ),
        Mistake(
            edited(applied, TUPLE, "(gradients,)"),
            edited(applied, TUPLE, "(gradients,) if len(inputs) == 1 else gradients"),
            words="A backward may return one gradient as it is, or a tuple. Here a tuple was put into another one.",
        ),
        Mistake(
            edited(applied, TUPLE, "gradients"),
            words="A backward may return one gradient as it is. A rule returns a tuple, so put it into one.",
        ),
        Mistake(
            edited(applied, WHOLE, "Tensor(function.forward(ctx, *[one.data for one in inputs]))"),
            words="The result requires no gradient, so none comes to the inputs, as where it is what forward gave, and "
            "no more. Let inputs[0].recorded make it.",
            when=saw("recorded", lambda mine, right: right and not mine),
        ),
        Mistake(
            edited(applied, TUPLE, f"tuple(g * one for one in ({TUPLE}))"),
            words="What backward returns was multiplied by g. That has been done in it: g is what it was given.",
        ),
        Mistake(
            edited(applied, "(ctx, g)", "(ctx, np.ones_like(g))", TUPLE, f"tuple(g * one for one in ({TUPLE}))"),
            near=True,
            words="backward was asked with ones in the place of g, and its answer multiplied by g. That is the same "
            "only of some: one that limits a gradient, or mixes its elements, has to see g itself.",
        ),
        Mistake(taken_apart, when=_took_an_array_apart),
        first_gradients_kept,
        by_hand,
        Mistake(recorded_in_any_case, when=saw("recorded", lambda mine, right: mine and not right)),
        Mistake(of_tensors_class, when=saw(CLASS, lambda mine, right: mine == "Tensor")),
        Mistake(backward_at_once, when=_called_backward_at_once),
        Mistake(
            edited(
                applied,
                "gradients = function",
                f"ctx = {CTX}\n        function.forward(ctx, *arrays)\n        gradients = function",
            ),
            words="For one result forward was called more than once. What it keeps on ctx when the result is made is "
            "what backward is to find, and a forward may draw random numbers: call it once.",
            when=saw(CALLS, operator.gt),
        ),
        Mistake(
            edited(applied, "(ctx, g)", "(ctx, y)"),
            near=True,
            words="backward got y, the result. It asks for g, which has arrived there.",
        ),
        Mistake(
            edited(applied, CTX, "{}"),
            words="ctx is a dict, and what is kept on ctx is kept by names: ctx.slope = ... Make an empty object of a "
            "class.",
            when=raised("'dict' object has no attribute", kind=AttributeError),
        ),
        Mistake(
            edited(applied, "inputs[1:]", "inputs"),
            words="forward got more arrays than there are inputs, as where all of them are handed over as others: "
            "recorded puts self before these, so the first is there twice.",
            when=raised("forward() takes", kind=TypeError),
        ),
        Mistake(
            edited(applied, "ctx, g)", "ctx, g, y, *arrays)"),
            words="A Function's backward takes ctx and g alone. What else it needs, forward has kept in ctx.",
            when=raised("backward() takes", kind=TypeError),
        ),
    ),
    right=(applied_before_the_walk, applied_by_a_class, edited(applied, CTX, "function()")),
    wrong={
        "gradient of input 1: yours None": [
            lambda function, inputs: applied(function, (inputs[0], *[one.data for one in inputs[1:]]))
        ],
        "Each call needs its own": [applied_with_an_attribute],
        "first difference": [
            applied_by_sum,
            edited(applied, TUPLE, f"tuple(np.clip(one, -1e3, 1e3) for one in ({TUPLE}))"),
        ],
        "More gradients came than inputs were noted": [with_the_first_alone],
        "of which [1] require a gradient": [applied_if_the_first_wants_it],
        "backward was called when the result was made": [
            applied_with_slopes,
            applied_at_once,
            edited(applied, "), rule,", "), function.backward(ctx, 1.0),"),
        ],
        "What backward got as ctx is not": [edited(applied, "(ctx, g)", "(g, ctx)")],
        "More gradients came than there are": [
            edited(applied, TUPLE, "(gradients,) if type(gradients) is tuple else gradients")
        ],
        "The result requires no gradient": [
            edited(of_tensors_class, "vars(result)", "data=result.data, inputs=inputs")
        ],
        "forward got more arrays": [edited(applied, "(ctx, *arrays)", "(ctx, 1.0, *arrays)")],
        "is still in memory": [applied_and_remembered],
        "forward was called more than once": [applied_after_a_look],
        "calls of forward: yours 6 … more than once": [forward_in_each_walk],
        "raises": [lambda function, inputs: function.forward(types.SimpleNamespace(), *inputs)],
        "the result: yours a ndarray, expected a tensor": [
            lambda function, inputs: function.forward(types.SimpleNamespace(), *[one.data for one in inputs])
        ],
    },
)

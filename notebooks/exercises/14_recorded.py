"""Exercise `recorded`: the result of an operation, as a tensor that knows where it came from."""

from unittest.mock import patch

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, Noted, edited, raised, saw
from minigrad.teach.observing import right_but

from .chapter14 import Tensor, add_rule, drawn_array, in_a_notebook, product_rule, recorded, step_observer


class Engine(Tensor):
    """A class of its own for each check: what it records does not depend on the notebook's."""


class Silent(Engine):
    recording = False


class AllSilent(Engine):
    """For a case in which Tensor.recording itself is False, as in a block of no_grad(Tensor)."""


class Loud(Engine):
    """For the other way round: Tensor.recording is False, and that of its own is True."""

    recording = True


ARRAYS = np.ndarray, np.float64
RESULT, CALLS, INPUTS, KEPT = "the result", "calls of forward", "inputs", "what they are kept in"


@step_observer
def _noted(answer, self, forward, rule, others):
    """Called with a forward that notes how often it is called, and with what."""
    forward = Noted("forward", forward)
    with patch.object(Tensor, "recording", not isinstance(self, (AllSilent, Loud))):
        try:
            result = answer(self, forward, rule, others)
        except TypeError as error:
            error.add_note(_no_arrays(forward))
            raise
    if result is None:
        return {RESULT: None}
    if type(result) is not type(self):
        return {RESULT: f"a {type(result).__name__} that is not of the class of self"}
    names = {id(one): f"input {number}" for number, one in enumerate((self, *others))}
    inputs = [names.get(id(one), _text(one, type(self))) for one in result.inputs]
    return {
        RESULT: "of the class of self",
        CALLS: f"{len(forward.calls)}{_no_arrays(forward)}",
        "data": result.data,
        "requires_grad": bool(result.requires_grad),
        INPUTS: ", ".join(inputs) or "none",
        KEPT: f"a {type(result.inputs).__name__}",
        "rule": "none" if result.rule is None else "the rule" if result.rule is rule else "another",
        "grad": "None" if result.grad is None else "there",
    }


def _no_arrays(forward):
    """In words, what it was called with that is no array; "" where there is nothing such."""
    others = [type(one).__name__ for call in forward.calls for one in call if type(one) not in ARRAYS]
    return f", with a {others[0]}, which is no array" if others else ""


def _text(one, kind):
    """An input that is none of those that were given: a number that was made a tensor."""
    if not isinstance(one, Tensor):
        return f"{one!r}, which is no tensor"
    needs = ", which requires a gradient" if one.requires_grad else ""
    return f"a tensor of {one.data.tolist()}{needs}{'' if isinstance(one, kind) else ', of another class'}"


def cubed_rule(g, y, a, b, c):
    return g * b * c, g * a * c, g * a * b


OPERATIONS = {
    "np.multiply": (np.multiply, product_rule, 2),
    "np.add": (np.add, add_rule, 2),
    "a * b * c": (lambda a, b, c: a * b * c, cubed_rule, 3),
    "np.exp": (np.exp, lambda g, y, a: (g * y,), 1),
    "np.matmul": (np.matmul, lambda g, y, a, b: (g @ b.T, a.T @ g), 2),
}


def _result(tensor):
    """A result in the place of a leaf, which holds a gradient of a walk before."""
    result = tensor * 1.0
    result.grad = np.full(result.data.shape, 7.0)
    return result


def _case(words, *inputs, kind=Engine, same=False, mixed=False, results=False):
    """Inputs are pairs of data and requires_grad, or what is no tensor yet: a number, a list, an array."""
    forward, rule, _ = OPERATIONS[words]

    def make():
        made = type(kind.__name__, (kind,), {})  # anew: what an answer does to its class, the next case does not meet
        kinds = [made, Tensor, type("Derived", (made,), {})] if mixed else [made] * 3
        first, *others = [of(*one) if isinstance(one, tuple) else one for of, one in zip(kinds, inputs, strict=False)]
        if results:
            first, others = _result(first), [_result(one) if isinstance(one, Tensor) else one for one in others]
        return first, forward, rule, (first,) if same else tuple(others)

    listed = ", ".join(
        f"{np.asarray(one[0]).tolist()}{', which requires a gradient' if one[1] else ''}"
        if isinstance(one, tuple)
        else f"the {type(one).__name__} {np.asarray(one).tolist()}"
        for one in inputs
    )
    how = " (the same tensor twice)" if same else "; of three classes" if mixed else HOW.get(kind, "")
    how += "; the tensors are results of a product with 1, and hold gradients" if results else ""
    return Case(f"forward = {words} of {listed}{how}", make)


HOW = {
    Silent: "; self.recording is False",
    AllSilent: "; Tensor.recording is False",
    Loud: "; Tensor.recording is False, and self.recording is True",
}


def _drawn(random):
    """One to three inputs, any of which requires a gradient; the first is a tensor, the others may be numbers."""
    for words in random.choice(list(OPERATIONS)[:-1], 2, replace=False):
        shape = [(), (3,), (2, 2)][random.integers(3)]
        inputs = [(drawn_array(random, shape), bool(random.integers(2))) for _ in range(OPERATIONS[words][2])]
        if len(inputs) > 1 and random.integers(2):
            inputs[-1] = float(drawn_array(random))
        yield _case(words, *inputs, kind=Silent if random.integers(4) == 0 else Engine)


# ---------------------------------------------------------------- wrong answers

ASKED, NOTED = "self.recording and any(one.requires_grad for one in inputs)", "True, inputs, rule"


def _met_memory(outcome):
    return saw(CALLS, "memoryview")(outcome) or raised("memoryview")(outcome)


def _is_noted_all_the_same(outcome):
    """Whether inputs and rule are there where none are to be, and requires_grad is False."""
    return right_but(INPUTS, lambda mine, right: right == "none")(outcome)


def _wrapped_a_tensor(outcome):
    """Whether a tensor was made a new one, or was to be."""
    names = [Tensor.__name__, "Derived", *(one.__name__ for one in (Engine, Silent, AllSilent))]
    if any(raised("float() argument", f"'{name}'", kind=TypeError)(outcome) for name in names):
        return not _met_tensors(outcome)
    return "of three classes" in outcome.case.words and saw(INPUTS, "a tensor of")(outcome)


def _met_tensors(outcome):
    """Whether forward was called with what are no arrays."""
    return saw(CALLS, "no array")(outcome) or any(
        "no array" in note for note in getattr(outcome.error, "__notes__", ())
    )


def _has_no_data(outcome):
    """Whether a number or a list among the others was asked for its data."""
    return any(
        raised(f"'{kind}' object has no attribute 'data'")(outcome) and f"the {kind} " in outcome.case.words
        for kind in ("float", "list")
    )


def recorded_if_self_requires(self, forward, rule, others):
    inputs = (self, *(one if isinstance(one, Tensor) else type(self)(one) for one in others))
    result = type(self)(forward(*[one.data for one in inputs]), self.requires_grad)
    if self.recording and self.requires_grad:
        result.inputs, result.rule = inputs, rule
    return result


# ---------------------------------------------------------------- tried as well


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
        result.rule, result.inputs = rule, tuple(inputs)
    return result


def recorded_by_the_class(self, forward, rule, others):
    inputs = (self, *(one if isinstance(one, Tensor) else type(self)(one) for one in others))
    result = type(self)(forward(*[one.data for one in inputs]))
    if self.recording and any(one.requires_grad for one in inputs):
        result.requires_grad, result.inputs, result.rule = True, inputs, rule
    return result


EXERCISE = Exercise(
    title="a tensor that holds forward(...), and, where a gradient is wanted, its inputs and rule",
    stars=2,
    minutes=8,
    reference=recorded,
    plug=_noted,
    cases=(
        _case("np.multiply", (2.0, True), (3.0, True)),
        _case("np.add", ([1.0, -2.0], False), ([[3.0, 0.5]], True)),
        _case("np.multiply", (2.0, True), 3.0),
        _case("np.multiply", ([1.0, -2.0], True), [3.0, 0.5]),
        _case("np.add", ([1.0, -2.0], True), np.array([3.0, 0.5])),
        _case("np.multiply", (2.0, True), same=True),
        _case("a * b * c", (2.0, False), (-1.0, False), (4.0, True)),
        _case("np.exp", (0.5, True)),
        _case("a * b * c", (2.0, True), (-1.0, True), (4.0, True), mixed=True),
        _case("np.add", (2.0, False), 5.0),
        _case("np.multiply", (2.0, True), (3.0, True), results=True),
        _case("np.add", ([1.0, -2.0], False), ([[3.0, 0.5]], True), results=True),
        _case("np.matmul", ([[1.0, 2.0, 0.5]], True), [[3.0], [0.5], [2.0]]),
        _case("np.multiply", (2.0, True), (3.0, True), kind=AllSilent),
        _case("np.multiply", (2.0, True), (3.0, True), kind=Silent),
        _case("np.multiply", (2.0, True), (3.0, True), kind=Loud),
    ),
    drawn=_drawn,
    hints=(
        "Three things in order: make all inputs tensors, compute with their arrays, and note where it came from.",
        "The inputs are (self, *others), where what is no tensor becomes type(self)(one). forward gets their .data.",
        "Set requires_grad, inputs and rule of the result if self.recording and any(one.requires_grad for one in "
        "inputs); otherwise leave them as the class has made them.",
    ),
    mistakes=(
        Mistake(
            edited(recorded, ASKED, "True"),
            edited(recorded, ASKED, "self.recording"),
            words="A result whose inputs require no gradient, or that is made while self.recording is False, is a "
            "leaf: it gets no inputs and no rule, and does not require a gradient.",
        ),
        Mistake(
            edited(recorded, "self.recording and ", ""),
            words="self.recording was not asked. While it is False, nothing is noted, whatever the inputs require.",
        ),
        Mistake(
            edited(recorded, "self.recording", "Tensor.recording"),
            edited(recorded, "if self", "if Tensor.recording and self"),
            words="Tensor.recording was asked. self may be of a class derived from Tensor, which has a `recording` of "
            "its own: ask self.recording.",
        ),
        Mistake(
            edited(recorded, ASKED, "self.recording and self.requires_grad"),
            words="Only self was asked whether it requires a gradient. One input that does is enough, whichever it is.",
        ),
        Mistake(
            edited(recorded, "any(", "all("),
            words="This records only if all inputs require a gradient. One is enough.",
        ),
        Mistake(edited(recorded, NOTED, "True, inputs[1:], rule"), words="self is one of the inputs, the first."),
        Mistake(
            edited(recorded, NOTED, "True, tuple(dict.fromkeys(inputs)), rule"),
            words="An input that is used twice is there twice: the rule returns a gradient for each place.",
        ),
        Mistake(
            edited(recorded, NOTED, "False, inputs, rule"),
            words="The result does not require a gradient itself: then what is computed from it is not recorded, and "
            "nobody sends to it.",
        ),
        Mistake(
            edited(recorded, NOTED, "True, tuple(one for one in inputs if one.requires_grad), rule"),
            words="Inputs that require no gradient were left out. The rule needs the arrays of all, and returns a "
            "gradient for each.",
        ),
        Mistake(
            edited(recorded, "return", "result.inputs, result.rule = inputs, rule\n    return"),
            edited(
                recorded,
                f"    if {ASKED}:\n        result.requires_grad, result.inputs, result.rule = {NOTED}\n",
                f"    result.requires_grad, result.inputs, result.rule = {ASKED}, inputs, rule\n",
            ),
            words="Inputs were noted of a result that requires no gradient. It is to stay a leaf, with neither inputs "
            "nor rule.",
            when=_is_noted_all_the_same,
        ),
        Mistake(
            edited(recorded, "kind(one) for", "kind(one, True) for"),
            words="What was made of a number, a list or an array requires a gradient here, and nobody will ask for it: "
            "kind(one) requires none.",
        ),
        Mistake(
            edited(recorded, NOTED, "True, list(inputs), rule"),
            words="The inputs are the right ones, in a list. A tuple is asked for, which nobody can change later.",
            when=right_but(KEPT, lambda mine, right: mine == "a list"),
        ),
        Mistake(
            edited(recorded, "result = kind", "forward(*[one.data for one in inputs])\n    result = kind"),
            words="forward was called more than once. It may draw random numbers, or keep something: call it once, and "
            "keep what it returns.",
            when=right_but(CALLS, lambda mine, right: mine.isdigit() and int(mine) > 1),
        ),
        Mistake(
            edited(recorded, "isinstance(one, Tensor)", "type(one) is kind"),
            edited(recorded, "isinstance(one, Tensor)", "isinstance(one, kind)"),
            words="What is a tensor already, or holds one, was made a new one, and its graph is lost, or it could not "
            "be. Ask isinstance(one, Tensor) of each: self may be of a class derived from that, and the others of "
            "another.",
            when=_wrapped_a_tensor,
        ),
        Mistake(
            edited(recorded, "isinstance(one, Tensor)", 'hasattr(one, "data")'),
            words="An array came in, and its `.data` went to forward: numpy arrays have one, too, which is their "
            "memory. Ask for the class, isinstance(one, Tensor), and not for an attribute.",
            when=_met_memory,
        ),
        Mistake(
            edited(recorded, NOTED, "True, (self, *others), rule"),
            words="The others were noted as they came, numbers, lists and arrays among them. Note the tensors that "
            "were made of them: a walk asks each input whether it requires a gradient.",
            when=saw(INPUTS, lambda mine, right: mine.count("input") > right.count("input") > 0),
        ),
        Mistake(
            edited(recorded, NOTED, "True, tuple(one.data for one in inputs), rule"),
            words="Arrays were noted, as those of the inputs are. A walk goes from tensor to tensor: note the tensors.",
            when=saw(INPUTS, "array("),
        ),
        Mistake(
            edited(recorded, NOTED, "True, inputs, rule(result.data, *[one.data for one in inputs])"),
            words="The rule was called here. It is to be noted, result.rule = rule; a walk calls it when a gradient "
            "has come.",
            when=raised("_rule() missing", kind=TypeError),
        ),
        Mistake(
            edited(recorded, "[one.data for one in inputs]", "inputs"),
            words="forward computes with arrays: give it the .data of each input, each as an argument of its own.",
            when=_met_tensors,
        ),
        Mistake(
            edited(
                recorded,
                "tuple(one if isinstance(one, Tensor) else kind(one) for one in (self, *others))",
                "self, *others",
            ),
            words="Among the others are numbers, lists and arrays, which are no tensors: make one of each first, with "
            "type(self)(one).",
            when=_has_no_data,
        ),
        Mistake(
            recorded_if_self_requires,
            words="One of the inputs requires a gradient, and the result does not. One is enough, whichever it is.",
            when=right_but("requires_grad", lambda mine, right: right and not mine),
        ),
        Mistake(
            edited(recorded, "type(self)", "Tensor"),
            words="The result is to be made with type(self)(...). self may be of a class derived from Tensor, and then "
            "its results are as well.",
            when=saw(RESULT, "not of the class"),
        ),
    ),
    right=(in_a_notebook(recorded_by_the_class), recorded_in_a_loop),
    wrong={
        "Among the others are numbers, lists and arrays": [
            edited(
                recorded,
                "one if isinstance(one, Tensor) else kind(one)",
                "kind(one) if isinstance(one, float) else one",
            )
        ],
        "a tensor of 3.0, of another class": [edited(recorded, "else kind(one)", "else Tensor(one)")],
        "AttributeError … The error arose": [edited(recorded, "*[one.data", "*[inputs.data")],
        "its graph is lost": [
            edited(recorded, "one if isinstance(one, Tensor) else kind(one)", "kind(one)"),
            edited(
                recorded,
                "isinstance(one, Tensor)",
                "isinstance(one, kind)",
                "else kind(one)",
                'else kind(getattr(one, "data", one))',
            ),
        ],
        "requires_grad: yours False … One of the inputs requires a gradient": [
            edited(recorded, "any(one.", "any(one.rule is None and one.")
        ],
        "inputs: yours": [
            edited(recorded, NOTED, "True, tuple(leaf for one in inputs for leaf in (one.inputs or (one,))), rule"),
            edited(recorded, NOTED, "True, tuple(sorted(inputs, key=lambda one: one.data.sum())), rule"),
        ],
        "rule: yours another": [edited(recorded, NOTED, "True, inputs, lambda *arrays: rule(*arrays)")],
        "grad: yours there": [
            edited(recorded, "return", "result.grad = np.zeros_like(result.data)\n    return"),
            edited(recorded, "return", "result.grad = self.grad\n    return"),
        ],
        "inputs: yours … Inputs that require no gradient were left out": [
            edited(recorded, NOTED, "True, tuple(one for one in inputs if one.requires_grad), rule")
        ],
        "not of the class of self … The result is to be made with type(self)(...)": [
            edited(recorded, "return result", "return result.data"),
            in_a_notebook(edited(recorded_by_the_class, "result = type(self)", "result = Tensor")),
        ],
    },
)

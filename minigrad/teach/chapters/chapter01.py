"""Chapter 01, tensors and leaves: four exercises on flags, and three predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import tensor
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.evidence import STEP
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome
from minigrad.teach.prediction import Option, Prediction
from minigrad.teach.wrong_node import draw_wrong_node
from minigrad.tensor import Tensor

CHAPTER = "01_tensors_and_leaves"


# ---------------------------------------------------------------- small_weights


def small_weights(numbers: list[float], scale: float) -> Tensor:
    """A leaf with the numbers times scale."""
    return (tensor(numbers) * scale).requires_grad_()


def _flags(value: Any) -> str:
    if not isinstance(value, Tensor):
        return ""
    return f", is_leaf={value.is_leaf}, requires_grad={value.requires_grad}"


def _compare_leaves(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    difference = compare(expected, got)
    if difference is not None:
        return difference
    if not got.is_leaf:
        return Difference("is_leaf", "False", "True", "The numbers are right, but an operation made this tensor.")
    if not got.requires_grad:
        return Difference("requires_grad", "False", "True", "The numbers are right, but nobody asks for a gradient.")
    return None


def _has_flags(is_leaf: bool, requires_grad: bool) -> Callable[[Outcome], bool]:
    def holds(outcome: Outcome) -> bool:
        value = outcome.value
        return isinstance(value, Tensor) and (value.is_leaf, value.requires_grad) == (is_leaf, requires_grad)

    return holds


def _raised(*parts: str) -> Callable[[Outcome], bool]:
    return lambda outcome: outcome.error is not None and all(part in str(outcome.error) for part in parts)


def _after_backward(outcome: Outcome) -> str:
    value = outcome.value
    if not isinstance(value, Tensor) or not value.requires_grad:
        return ""
    value.sum().backward()
    grad = value._grad
    return f"  after value.sum().backward(), value.grad is {'None' if grad is None else show(grad)}"


SMALL_WEIGHTS = Exercise(
    name="small_weights",
    chapter=CHAPTER,
    title="a leaf that requires a gradient and holds the numbers times scale",
    stars=1,
    minutes=5,
    reference=small_weights,
    cases=(
        Case("numbers = [3.0, -2.0, 5.0], scale = 0.1", lambda: ([3.0, -2.0, 5.0], 0.1)),
        Case("numbers = [1.0], scale = -2.0", lambda: ([1.0], -2.0)),
        Case("numbers = [0.5, 0.25], scale = 1.0", lambda: ([0.5, 0.25], 1.0)),
    ),
    hints=(
        "A leaf is a tensor that no recorded operation made. When is a multiplication not recorded?",
        "Multiply first, while nothing requires a gradient. Then switch the flag on.",
        "requires_grad_() switches the flag on and returns the tensor; so (...).requires_grad_() can be returned.",
    ),
    compare=_compare_leaves,
    show=lambda value, arguments: show(value) + _flags(value),
    evidence=_after_backward,
    mistakes=(
        Mistake(
            "The flag came first and the multiplication after it, so the multiplication was recorded and its result is "
            "no leaf. Multiply first.",
            when=_has_flags(is_leaf=False, requires_grad=True),
        ),
        Mistake(
            "The flag was not set, or got lost: detach() and no_grad() give a leaf without it. Call requires_grad_() "
            "at the end.",
            when=lambda outcome: (
                isinstance(outcome.value, Tensor) and outcome.value.is_leaf and not outcome.value.requires_grad
            ),
        ),
        Mistake(
            "requires_grad_ was called without its parentheses, or assigned: what was returned is the method, not the "
            "tensor.",
            when=lambda outcome: callable(outcome.value) and not isinstance(outcome.value, Tensor),
        ),
        Mistake(
            "The scale was left out: these are the numbers as they were.",
            lambda numbers, scale: tensor(numbers, requires_grad=True),
        ),
        Mistake(
            "A list of numbers times a float is no arithmetic in Python: make a tensor of the list first.",
            when=_raised("can't multiply sequence"),
        ),
    ),
)


# ---------------------------------------------------------------- kind_of


def kind_of(tensor: Tensor) -> str:
    """What a tensor is to autograd, in one word."""
    if not tensor.requires_grad:
        return "data"
    return "parameter" if tensor.is_leaf else "result"


def _leaf() -> Tensor:
    return tensor([1.0, 2.0], requires_grad=True)


def _without_recording() -> tuple[Tensor]:
    with no_grad():
        return (_leaf() * 2,)


def _with_gradient() -> tuple[Tensor]:
    leaf = _leaf()
    (leaf * 2).sum().backward()
    return (leaf,)


def _compare_words(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    if isinstance(got, str) and got == expected:
        return None
    words = ("parameter", "data", "result")
    is_word = isinstance(got, str) and got in words
    note = "" if is_word else f"The answer is one of the words {', '.join(map(repr, words))}."
    return Difference("the answer", show(got), show(expected), note)


def _flags_of_input(outcome: Outcome) -> str:
    given = outcome.arguments[0]
    return (
        f"  requires_grad is {given.requires_grad}, is_leaf is {given.is_leaf}, grad_fn is "
        f"{'None' if given.grad_fn is None else given.grad_fn.name()}, grad is "
        f"{'None' if given._grad is None else 'a tensor'}"
    )


KIND_OF = Exercise(
    name="kind_of",
    chapter=CHAPTER,
    title='"parameter", "data" or "result"',
    stars=1,
    minutes=4,
    reference=kind_of,
    cases=(
        Case("tensor([1.0, 2.0], requires_grad=True)", lambda: (_leaf(),)),
        Case("tensor([1.0, 2.0])", lambda: (tensor([1.0, 2.0]),)),
        Case("leaf * 2, where leaf requires a gradient", lambda: (_leaf() * 2,)),
        Case("tensor([1.0, 2.0]) * 2: computed, but from data", lambda: (tensor([1.0, 2.0]) * 2,)),
        Case("(leaf * 2).detach()", lambda: ((_leaf() * 2).detach(),)),
        Case("leaf * 2, computed inside no_grad()", _without_recording),
        Case("a leaf after backward(), with a gradient", _with_gradient),
    ),
    hints=(
        "Two flags are enough, and the table has them side by side.",
        "Ask requires_grad first: without it, it is data, wherever it came from.",
        "With requires_grad, is_leaf tells a parameter from a result.",
    ),
    compare=_compare_words,
    evidence=_flags_of_input,
    mistakes=(
        Mistake(
            "is_leaf was asked first, or alone. Data are leaves too: ask requires_grad first.",
            lambda tensor: "parameter" if tensor.is_leaf else "result",
        ),
        Mistake(
            "requires_grad alone does not tell a parameter from a result: results have it from their inputs.",
            lambda tensor: "parameter" if tensor.requires_grad else "data",
        ),
        Mistake(
            "Whether .grad is None says only if a backward() has come by. Ask the flags instead.",
            lambda tensor: "data" if tensor._grad is None else "parameter",
        ),
        Mistake(
            "requires_grad alone does not tell a parameter from a result: here every tensor with the flag counts as a "
            "result.",
            lambda tensor: "result" if tensor.requires_grad else "data",
        ),
        Mistake(
            "Two of the words have changed places: parameter and result.",
            lambda tensor: {"parameter": "result", "result": "parameter", "data": "data"}[kind_of(tensor)],
        ),
    ),
)


# ---------------------------------------------------------------- freeze_first


def freeze_first(parameters: list[Tensor], count: int) -> list[Tensor]:
    """Freeze the first tensors of a list; the others are returned."""
    for parameter in parameters[:count]:
        parameter.requires_grad_(False)
    return parameters[count:]


def _parameters(count: int) -> Case:
    def make() -> tuple[list[Tensor], int]:
        return [tensor(float(number), requires_grad=True) for number in range(1, 5)], count

    return Case(f"four leaves that hold 1 to 4, count = {count}", make)


def _flags_after(value: Any, arguments: tuple[Any, ...]) -> Any:
    """What is compared: the answer, and the flags of the caller's tensors afterwards."""
    return value, arguments[0]


def _compare_frozen(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    (wanted, _), (returned, parameters) = expected, got
    if not isinstance(returned, list):
        return Difference("the answer", show(returned), show(wanted), "A list of tensors is asked for.")
    count = outcome.arguments[1]
    for number, parameter in enumerate(parameters, 1):
        if not isinstance(parameter, Tensor):
            return Difference(f"parameter {number}", show(parameter), "a tensor", "The list was changed.")
        if parameter.requires_grad != (number > count):
            flag = str(parameter.requires_grad)
            return Difference(f"requires_grad of parameter {number}", flag, str(number > count))
    if [id(item) for item in returned] != [id(item) for item in parameters[count:]]:
        return Difference("the list returned", show(returned), show(wanted), "It should hold those that still train.")
    return None


def _show_frozen(value: Any, arguments: tuple[Any, ...]) -> str:
    if value is None:
        return show(value)
    returned, parameters = value
    flags = ", ".join(str(getattr(parameter, "requires_grad", "no tensor")) for parameter in parameters)
    return f"returned {show(returned)}; requires_grad of the four: {flags}"


def _all_frozen(parameters: list[Tensor], count: int) -> Any:
    for parameter in parameters:
        parameter.requires_grad_(False)
    return parameters[count:]


def _last_frozen(parameters: list[Tensor], count: int) -> Any:
    for parameter in parameters[count:]:
        parameter.requires_grad_(False)
    return parameters[:count]


def _frozen_returned(parameters: list[Tensor], count: int) -> Any:
    for parameter in parameters[:count]:
        parameter.requires_grad_(False)
    return parameters[:count]


FREEZE_FIRST = Exercise(
    name="freeze_first",
    chapter=CHAPTER,
    title="the list of tensors that still train; the first `count` are frozen, the tensors themselves",
    stars=2,
    minutes=6,
    reference=freeze_first,
    cases=(_parameters(2), _parameters(1), _parameters(0), _parameters(4)),
    hints=(
        "parameters[:count] are the first ones. What freezes a leaf?",
        "requires_grad_(False) changes the tensor itself. detach() would make another one.",
        "Loop over parameters[:count] and call requires_grad_(False) on each; return parameters[count:].",
    ),
    compare=_compare_frozen,
    observe=_flags_after,
    show=_show_frozen,
    mistakes=(
        Mistake(
            "The list itself was changed. Leave it as it is, and return another one.",
            when=lambda outcome: isinstance(outcome.value, tuple) and len(outcome.arguments[0]) != 4,
        ),
        Mistake(
            "The caller's tensors are as they were: what you froze are new ones. detach() and clone() make new "
            "tensors; change the flag of the old ones.",
            when=lambda outcome: (
                isinstance(outcome.value, tuple)
                and outcome.arguments[1] > 0
                and all(getattr(parameter, "requires_grad", False) for parameter in outcome.value[1])
            ),
        ),
        Mistake("The wrong end was frozen: the first ones are asked for.", _last_frozen),
        Mistake("All of them were frozen, so nothing trains any more.", _all_frozen),
        Mistake("The frozen ones were returned. Asked for are those that still train.", _frozen_returned),
    ),
)


# ---------------------------------------------------------------- middle_gradient


def middle_gradient(w: Tensor, x: Tensor, target: Tensor) -> Tensor | None:
    """The gradient of the loss with respect to hidden."""
    hidden = w * x
    hidden.retain_grad()
    ((hidden.tanh().sum() - target) ** 2).backward()
    return hidden.grad


def _model(w: list[float], x: list[float], target: float) -> Case:
    return Case(
        f"w = {w}, x = {x}, target = {target}", lambda: (tensor(w, requires_grad=True), tensor(x), tensor(target))
    )


def _of_w(w: Tensor, x: Tensor, target: Tensor) -> Any:
    (((w * x).tanh().sum() - target) ** 2).backward()
    return w.grad


def _of_tanh(w: Tensor, x: Tensor, target: Tensor) -> Any:
    activated = (w * x).tanh()
    activated.retain_grad()
    ((activated.sum() - target) ** 2).backward()
    return activated.grad


def _hidden_itself(w: Tensor, x: Tensor, target: Tensor) -> Any:
    return w * x


def _twice(w: Tensor, x: Tensor, target: Tensor) -> Any:
    gradient = middle_gradient(w, x, target)
    return None if gradient is None else gradient * 2


def _measured_middle(outcome: Outcome) -> str:
    w, x, target = (argument.detach() for argument in outcome.arguments)
    hidden = w * x
    lines = []
    for place in range(len(hidden)):
        values = []
        for step in (-STEP, STEP):
            moved = hidden.clone()
            moved[place] = moved[place] + step
            values.append(((moved.tanh().sum() - target) ** 2).item())
        slope = (values[1] - values[0]) / (2 * STEP)
        lines.append(f"  moving hidden[{place}] by {STEP} to both sides: the loss has slope {slope:.3g}")
    return "\n".join(lines)


def _draw_middle(outcome: Outcome, difference: Difference) -> str:
    w, x, target = (argument.detach() for argument in outcome.arguments)
    hidden = w.requires_grad_() * x
    loss = (hidden.tanh().sum() - target) ** 2
    return draw_wrong_node(loss, {"w": w, "hidden": hidden, "loss": loss}, "hidden", "✗ this one is asked for")


MIDDLE_GRADIENT = Exercise(
    name="middle_gradient",
    chapter=CHAPTER,
    title="a tensor: the gradient of the loss with respect to hidden",
    stars=2,
    minutes=6,
    reference=middle_gradient,
    cases=(
        _model([0.3, -0.2, 0.5], [1.0, 2.0, -1.0], 2.0),
        _model([1.0, 0.5], [0.5, -0.5], -1.0),
        _model([0.1], [3.0], 0.0),
    ),
    hints=(
        "hidden is a result, so its .grad stays None unless you ask for it.",
        "hidden.retain_grad() asks, and it has to ask before backward() runs.",
        "Compute hidden, call hidden.retain_grad(), compute the loss, call loss.backward(), return hidden.grad.",
    ),
    evidence=_measured_middle,
    picture=_draw_middle,
    mistakes=(
        Mistake(
            "hidden.grad is None: a result keeps no gradient. Call hidden.retain_grad() before "
            "loss.backward(), not after it.",
            when=lambda outcome: outcome.error is None and outcome.value is None,
        ),
        Mistake("This is the gradient of w. The one of hidden comes by one step earlier.", _of_w),
        Mistake("This is the gradient of tanh(hidden). The one of hidden comes by one step later.", _of_tanh),
        Mistake("This is hidden itself, not its gradient.", _hidden_itself),
        Mistake(
            "This is twice the gradient: backward() has run twice, and .grad adds up.",
            _twice,
        ),
        Mistake(
            "The walk was run a second time over the same graph, and its saved values are gone after the first. One "
            "backward() is enough.",
            when=_raised("a second time"),
        ),
    ),
)

EXERCISES = (SMALL_WEIGHTS, KIND_OF, FREEZE_FIRST, MIDDLE_GRADIENT)


# ---------------------------------------------------------------- predictions

PREDICTIONS = (
    Prediction(
        name="scaled_weights",
        chapter=CHAPTER,
        question="Where did the gradient of the loss end up?",
        about="w = mg.tensor([3.0, -2.0, 5.0], requires_grad=True) / 10",
        options=(
            Option(
                "Nowhere: dividing switches requires_grad off",
                (
                    "w.requires_grad is True, since one of its inputs requires a gradient. If it were off, backward() "
                    "would have raised an error."
                ),
            ),
            Option(
                "In .grad of the tensor that was divided, which has no name",
                (
                    "That tensor is the leaf. The name w belongs to the result of the division, and a gradient only "
                    "passes through a result."
                ),
                True,
            ),
            Option(
                "In w.grad, but retain_graph=True cleared it again",
                "retain_graph keeps more, not less: the values that nodes have saved. It does not touch .grad.",
            ),
            Option(
                "In w.grad, divided by 10 and rounded to nothing",
                "A gradient of 0 would read as zeros. None says that nothing was kept here at all.",
            ),
        ),
    ),
    Prediction(
        name="is_it_a_leaf",
        chapter=CHAPTER,
        question="Which of the three are leaves?",
        about=("a = mg.tensor([1.0, 2.0])\nb = a * 2\nc = mg.tensor([1.0, 2.0], requires_grad=True)\nd = c * 2"),
        options=(
            Option(
                "a and c: the tensors that were not computed",
                (
                    "b was computed, but not recorded, because nothing in it requires a gradient. It has no grad_fn, "
                    "so it is a leaf as well."
                ),
            ),
            Option(
                "only c: a leaf is a tensor that requires a gradient",
                (
                    "Being a leaf and requiring a gradient are two questions. Data are leaves too; they are just not "
                    "asked for a gradient."
                ),
            ),
            Option(
                "a, b and c: all those that no recorded operation made",
                "Only d was made by a recorded operation, because only there an input requires a gradient.",
                True,
            ),
            Option(
                "b and d: they are at the end of the graph",
                "It is the other way round. The graph is walked from the results, and ends at the leaves.",
            ),
        ),
    ),
    Prediction(
        name="when_to_retain",
        chapter=CHAPTER,
        question="loss.backward() has run, and now you call products.retain_grad(). What is products.grad?",
        options=(
            Option(
                "the gradient: it was computed, and is fetched now",
                "It was computed and passed on, and nobody kept it. It is gone, and cannot be fetched.",
            ),
            Option(
                "None: the gradient came by before anybody asked",
                "retain_grad() is about gradients to come. Ask first, walk afterwards.",
                True,
            ),
            Option(
                "zeros, in the shape of products",
                "Nothing writes zeros by itself. None says that nothing has arrived since you asked.",
            ),
            Option(
                "nothing: retain_grad() raises an error",
                "It raises one for data, which never get a gradient. For a result it is accepted at any time.",
            ),
        ),
    ),
)

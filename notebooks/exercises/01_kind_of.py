"""Exercise `kind_of`: what two flags say about a tensor."""

import warnings

import numpy as np

import minigrad as mg
from minigrad.teach import Case, Exercise, Mistake, draw_numbers, edited, formula, observer, pick_some, saw


def kind_of(tensor):
    """What a tensor is to autograd, in one word."""
    if not tensor.requires_grad:
        return "data"
    return "parameter" if tensor.is_leaf else "result"


def _made(words, numbers=(1.0, 2.0), make=None):
    """The tensor that the words make of numbers, or what `make` makes of them, where more than an expression is to be
    said.
    """
    words = words.replace("{}", str(list(numbers)))
    return Case(words, lambda: (formula(words, "")() if make is None else make(mg.tensor(numbers)),))


def _without_recording(numbers):
    with mg.no_grad():
        return numbers.requires_grad_() * 2


def _with_gradient(numbers):
    (numbers.requires_grad_() * 2).sum().backward()
    return numbers


def _written_to(numbers):
    total = mg.zeros(len(numbers))
    total += numbers.requires_grad_()
    return total


def _frozen(numbers):
    return mg.nn.Parameter(numbers).requires_grad_(False)


def _frozen_afterwards(numbers):
    parameter = mg.nn.Parameter(numbers)
    (parameter * 2).sum().backward()
    return parameter.requires_grad_(False)


def _kept_gradient(numbers):
    result = numbers.requires_grad_() * 2
    result.retain_grad()
    result.sum().backward()
    return result


# How a tensor came about that looks like one of another kind.
UNUSUAL = {
    "tensor({}[0], requires_grad=True)": None,
    "nn.Parameter(tensor({}))": None,
    "tensor({}, requires_grad=True)[0]": None,
    "(tensor({}, requires_grad=True) * 2).detach().requires_grad_()": None,
    "tensor({}, requires_grad=True) * 0": None,
    "tensor({}, dtype=int64)": None,
    "tensor({})[:1]": None,
    "tensor([], requires_grad=True)": None,
    "tensor({}, dtype=float16, requires_grad=True)": None,
    "tensor({}, requires_grad=True).clone()": None,
    "tensor({}, requires_grad=True).to(float64)": None,
    "nn.Parameter(tensor({})), frozen after backward()": _frozen_afterwards,
    "leaf * 2, where leaf = tensor({}, requires_grad=True), with a gradient that was retained": _kept_gradient,
    "zeros, to which tensor({}, requires_grad=True) was added in place": _written_to,
}


def _drawn(random):
    """The unusual ones, of any numbers."""
    for words in pick_some(random, list(UNUSUAL)):
        yield _made(words, draw_numbers(random, int(random.integers(1, 4)), unit=1.0, most=9), UNUSUAL[words])


UNRECORDED = "the answer inside no_grad()"


@observer
def _asked(answer, tensor):
    before = _flags(tensor)
    word, after = answer(tensor), _flags(tensor)
    with mg.no_grad():
        unrecorded = answer(tensor)
    kept = "as it was" if before == after else after
    return {"the answer": word, "the tensor afterwards": kept, UNRECORDED: unrecorded}


def _flags(tensor):
    return (
        f"requires_grad is {tensor.requires_grad}, is_leaf is {tensor.is_leaf}, grad_fn is "
        f"{'None' if tensor.grad_fn is None else tensor.grad_fn.name()}, grad is "
        f"{'None' if tensor._grad is None else 'a tensor'}{', to be retained' if tensor.retains_grad else ''}"
    )


# ---------------------------------------------------------------- wrong answers


def leaf_is_parameter(tensor):
    """Every leaf counts as a parameter here. Data are leaves too, without a grad_fn: ask requires_grad first, and
    return "data" where it is False.
    """
    if tensor.is_leaf:
        return "parameter"
    return "result"


def flag_is_parameter(tensor):
    """requires_grad alone does not tell a parameter from a result: results have it from their inputs."""
    return "parameter" if tensor.requires_grad else "data"


def by_grad(tensor):
    """Whether .grad is None says only if a backward() has come by. Ask the flags instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return "parameter" if tensor.grad is not None else "data"


def by_grad_of_leaves(tensor):
    if not tensor.is_leaf:
        return "result"
    return "parameter" if tensor.grad is not None else "data"


# ---------------------------------------------------------------- tried as well


def kind_by_class(tensor):
    if isinstance(tensor, mg.nn.Parameter):
        return "parameter"
    return kind_of(tensor)


def kind_of_leaves_by_class(tensor):
    if isinstance(tensor, mg.nn.Parameter):
        return "parameter"
    if not tensor.is_leaf:
        return "result"
    return "parameter" if tensor.requires_grad else "data"


def kind_of_data_without_a_gradient(tensor):
    if tensor.requires_grad and tensor.is_leaf:
        return "parameter"
    return "data" if tensor.is_leaf and tensor.grad is None else "result"


def kind_of_what_retains(tensor):
    if not tensor.requires_grad:
        return "data"
    return "parameter" if tensor.is_leaf or tensor.retains_grad else "result"


def kind_of_leaves_by_a_gradient(tensor):
    if not tensor.is_leaf:
        return "result"
    return "data" if tensor.grad is None else "parameter"


def kind_by_a_gradient(tensor):
    if tensor.is_leaf and tensor._grad is not None:
        return "parameter"
    return kind_of(tensor)


def kind_by_numbers(tensor):
    kind = kind_of(tensor)
    return "data" if not tensor.detach().any() else kind


def kind_by_trying(tensor):
    kind = kind_of(tensor)
    if kind == "parameter":
        tensor.grad = mg.zeros_like(tensor)
    return kind


def kind_by_a_walk(tensor):
    try:
        tensor.sum().backward()
    except RuntimeError:
        return "data"
    return "parameter" if tensor._grad is not None else "result"


def kind_of_a_retained_one(tensor):
    if tensor.requires_grad:
        tensor.retain_grad()
    return kind_of(tensor)


def kind_without_recording(tensor):
    mg.set_grad_enabled(False)
    return kind_of(tensor)


def kind_by_a_product(tensor):
    if not (tensor * 1).requires_grad:
        return "data"
    return "parameter" if tensor.is_leaf else "result"


def kind_from_the_end(tensor):
    if tensor.is_leaf and tensor.requires_grad:
        return "parameter"
    return "data" if tensor.is_leaf else "result"


def kind_by_a_list(tensor):
    return ["data", "result", "parameter"][tensor.requires_grad + (tensor.requires_grad and tensor.is_leaf)]


def kind_matched(tensor):
    match tensor.requires_grad, tensor.grad_fn:
        case False, _:
            return np.str_("data")
        case True, None:
            return "parameter"
    return "result"


def kind_looked_up(tensor):
    return {(True, True): "parameter", (True, False): "result"}.get((tensor.requires_grad, tensor.is_leaf), "data")


EXERCISE = Exercise(
    title='"parameter", "data" or "result"',
    stars=1,
    minutes=4,
    reference=kind_of,
    cases=(
        _made("tensor({}, requires_grad=True)"),
        _made("tensor({})"),
        _made("tensor({}, requires_grad=True) * 2"),
        _made("tensor({}) * 2"),
        _made("(tensor({}, requires_grad=True) * 2).detach()"),
        _made("leaf * 2, computed inside no_grad()", make=_without_recording),
        _made("a leaf after backward(), with a gradient", make=_with_gradient),
        _made("nn.Parameter(tensor({})), frozen", make=_frozen),
        _made("nn.Parameter(tensor({})), frozen after backward()", make=_frozen_afterwards),
        _made("leaf * 2, with a gradient that was retained", make=_kept_gradient),
    ),
    hints=(
        "Two flags are enough, and the table has them side by side.",
        "Ask requires_grad first: without it, it is data, wherever it came from.",
        "With requires_grad, is_leaf tells a parameter from a result.",
    ),
    drawn=_drawn,
    plug=_asked,
    notes={
        "the tensor afterwards": "The tensor is not what it was before: it is to be asked, not changed.",
        UNRECORDED: "Inside no_grad() it is another answer. That says whether new operations are recorded; a tensor "
        "keeps its kind there. Ask its flags, and not a result that is made to look at it.",
    },
    evidence=lambda outcome: "  " + _flags(outcome.arguments[0]),
    mistakes=(
        Mistake(
            edited(kind_of, '"result"', '"graph"'),
            words="The answer is one of the words 'parameter', 'data', 'result'.",
            when=saw("the answer", lambda mine, right: mine not in ("parameter", "data", "result")),
        ),
        Mistake(leaf_is_parameter, lambda tensor: "parameter" if tensor.grad_fn is None else "result"),
        flag_is_parameter,
        Mistake(by_grad, by_grad_of_leaves),
        Mistake(
            kind_of_data_without_a_gradient,
            kind_by_a_gradient,
            kind_of_what_retains,
            words=".grad says nothing about the kind: data may hold one from before it was frozen, and a result may "
            "retain its own. Ask the two flags.",
        ),
        Mistake(
            kind_by_class,
            kind_of_leaves_by_class,
            words="An nn.Parameter that is frozen is data, as any leaf without the flag. Ask requires_grad, not the "
            "class.",
        ),
        Mistake(
            edited(kind_from_the_end, "tensor.is_leaf and tensor.requires_grad", "isinstance(tensor, mg.nn.Parameter)"),
            words="Only an nn.Parameter was taken for a parameter. Any leaf that requires a gradient is one: ask the "
            "two flags, not the class.",
        ),
        Mistake(
            edited(flag_is_parameter, '"parameter', '"result'),
            words="requires_grad alone does not tell a parameter from a result: here every tensor with the flag "
            "counts as a result.",
        ),
        Mistake(
            edited(kind_of, 'parameter" if tensor.is_leaf else "result', 'result" if tensor.is_leaf else "parameter'),
            words="Two of the words have changed places: parameter and result.",
        ),
    ),
    right=(
        kind_from_the_end,
        kind_by_a_list,
        kind_matched,
        edited(flag_is_parameter, "return", 'if tensor.grad_fn is not None:\n        return "result"\n    return'),
        kind_looked_up,
    ),
    wrong={
        "Whether .grad is None says only if a backward() has come by": [kind_of_leaves_by_a_gradient],
        ".grad says nothing about the kind … with a gradient that was retained": [
            lambda tensor: "parameter" if tensor.requires_grad and tensor._grad is not None else kind_of(tensor)
        ],
        "yours data, expected": [kind_by_numbers],
        "Inside no_grad() it is another answer": [kind_by_a_product],
        "Every leaf counts as a parameter": [edited(kind_of, 'return "data"', "pass")],
        "float16": [edited(kind_of, "tensor.requires_grad", "(tensor.requires_grad and tensor.dtype != mg.float16)")],
        "tensor([], requires_grad=True)": [
            edited(kind_of, "tensor.requires_grad:", "tensor.requires_grad or tensor.numel() == 0:")
        ],
        "yours data, expected parameter": [
            edited(
                kind_of,
                "tensor.requires_grad:",
                "tensor.requires_grad or tensor.is_leaf and tensor.dtype != mg.float32:",
            )
        ],
        ")[:1]": [edited(kind_of, "if not", 'if tensor._is_view():\n        return "result"\n    if not')],
        ").clone()": [edited(kind_of, "tensor.is_leaf", 'tensor.is_leaf or "Clone" in tensor.grad_fn.name()')],
        "[0], requires_grad=True)": [lambda tensor: "result" if tensor.dim() == 0 else kind_of(tensor)],
        "it is to be asked, not changed": [kind_by_trying, kind_of_a_retained_one],
        "inside no_grad(): data … The tensor is not what it was before": [kind_by_a_walk],
        "The answer is right, but afterwards grad mode is off": [kind_without_recording],
        "The answer is one of the words": [lambda tensor: kind_of(tensor).upper()],
    },
)

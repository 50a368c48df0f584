"""Exercise `kind_of`: what two flags say about a tensor."""

import warnings

import minigrad as mg
from minigrad.teach import Case, Difference, Exercise, Mistake, show


def kind_of(tensor):
    """What a tensor is to autograd, in one word."""
    if not tensor.requires_grad:
        return "data"
    return "parameter" if tensor.is_leaf else "result"


def _leaf():
    return mg.tensor([1.0, 2.0], requires_grad=True)


def _without_recording():
    with mg.no_grad():
        return (_leaf() * 2,)


def _with_gradient():
    leaf = _leaf()
    (leaf * 2).sum().backward()
    return (leaf,)


def _compare_words(expected, got, outcome):
    if isinstance(got, str) and got == expected:
        return None
    words = ("parameter", "data", "result")
    is_word = isinstance(got, str) and got in words
    note = "" if is_word else f"The answer is one of the words {', '.join(map(repr, words))}."
    return Difference("the answer", show(got), show(expected), note)


def _flags_of_input(outcome):
    given = outcome.arguments[0]
    return (
        f"  requires_grad is {given.requires_grad}, is_leaf is {given.is_leaf}, grad_fn is "
        f"{'None' if given.grad_fn is None else given.grad_fn.name()}, grad is "
        f"{'None' if given._grad is None else 'a tensor'}"
    )


# ---------------------------------------------------------------- wrong answers


def leaf_is_parameter(tensor):
    """is_leaf was asked first, or alone, or grad_fn, which says the same. Data are leaves too, without a grad_fn: ask
    requires_grad first.
    """
    if tensor.is_leaf:
        return "parameter"
    return "result"


def by_grad_fn(tensor):
    return "parameter" if tensor.grad_fn is None else "result"


def flag_is_parameter(tensor):
    """requires_grad alone does not tell a parameter from a result: results have it from their inputs."""
    return "parameter" if tensor.requires_grad else "data"


def by_grad(tensor):
    """Whether .grad is None says only if a backward() has come by. Ask the flags instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return "parameter" if tensor.grad is not None else "data"


def flag_is_result(tensor):
    """requires_grad alone does not tell a parameter from a result: here every tensor with the flag counts
    as a result.
    """
    return "result" if tensor.requires_grad else "data"


def swapped_words(tensor):
    """Two of the words have changed places: parameter and result."""
    if not tensor.requires_grad:
        return "data"
    return "result" if tensor.is_leaf else "parameter"


EXERCISE = Exercise(
    title='"parameter", "data" or "result"',
    stars=1,
    minutes=4,
    reference=kind_of,
    cases=(
        Case("tensor([1.0, 2.0], requires_grad=True)", lambda: (_leaf(),)),
        Case("tensor([1.0, 2.0])", lambda: (mg.tensor([1.0, 2.0]),)),
        Case("leaf * 2, where leaf requires a gradient", lambda: (_leaf() * 2,)),
        Case("tensor([1.0, 2.0]) * 2: computed, but from data", lambda: (mg.tensor([1.0, 2.0]) * 2,)),
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
        Mistake(leaf_is_parameter, by_grad_fn),
        flag_is_parameter,
        by_grad,
        flag_is_result,
        swapped_words,
    ),
)

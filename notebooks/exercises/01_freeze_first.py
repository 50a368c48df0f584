"""Exercise `freeze_first`: tensors that train no longer."""

import minigrad as mg
from minigrad.teach import Case, Difference, Exercise, Mistake, show


def freeze_first(parameters, count):
    """Freeze the first tensors of a list; the others are returned."""
    for parameter in parameters[:count]:
        parameter.requires_grad_(False)
    return parameters[count:]


def _parameters(count):
    def make():
        return [mg.tensor(float(number), requires_grad=True) for number in range(1, 5)], count

    return Case(f"four leaves that hold 1 to 4, count = {count}", make)


def _flags_after(value, arguments):
    """What is compared: the answer, and the flags of the caller's tensors afterwards."""
    return value, arguments[0]


def _compare_frozen(expected, got, outcome):
    (wanted, _), (returned, parameters) = expected, got
    if not isinstance(returned, list):
        return Difference("the answer", show(returned), show(wanted), "A list of tensors is asked for.")
    count = outcome.arguments[1]
    for number, parameter in enumerate(parameters, 1):
        if not isinstance(parameter, mg.Tensor):
            return Difference(f"parameter {number}", show(parameter), "a tensor", "The list was changed.")
        if parameter.requires_grad != (number > count):
            flag = str(parameter.requires_grad)
            return Difference(f"requires_grad of parameter {number}", flag, str(number > count))
    if [id(item) for item in returned] != [id(item) for item in parameters[count:]]:
        return Difference("the list returned", show(returned), show(wanted), "It should hold those that still train.")
    return None


def _show_frozen(value, arguments):
    if value is None:
        return show(value)
    returned, parameters = value
    flags = ", ".join(str(getattr(parameter, "requires_grad", "no tensor")) for parameter in parameters)
    return f"returned {show(returned)}; requires_grad of the four: {flags}"


# ---------------------------------------------------------------- wrong answers


def emptied_the_list(parameters, count):
    """The list itself was changed. Leave it as it is, and return another one."""
    for _ in range(count):
        parameters.pop(0).requires_grad_(False)
    return parameters


def froze_copies(parameters, count):
    """The caller's tensors are as they were: none was frozen, or new ones were. detach() and clone() make new tensors;
    change the flag of the old ones.
    """
    for parameter in parameters[:count]:
        parameter.detach().requires_grad_(False)
    return parameters[count:]


def only_sliced(parameters, count):
    return parameters[count:]


def assigned_to_the_method(parameters, count):
    """requires_grad_ is a method: what is assigned to it takes its place and freezes nothing. Call it,
    requires_grad_(False), or assign to the flag requires_grad.
    """
    for parameter in parameters[:count]:
        parameter.requires_grad_ = False
    return parameters[count:]


def froze_one_more(parameters, count):
    """One too many was frozen: parameters[:count] are the first `count`."""
    for number, parameter in enumerate(parameters):
        if number <= count:
            parameter.requires_grad = False
    return [parameter for parameter in parameters if parameter.requires_grad]


def returned_all(parameters, count):
    """All tensors were returned. Asked for are those that still train, without the frozen ones."""
    for parameter in parameters[:count]:
        parameter.requires_grad_(False)
    return parameters


def froze_the_last(parameters, count):
    """The wrong end was frozen: the first ones are asked for."""
    for parameter in parameters[count:]:
        parameter.requires_grad = False
    return parameters[:count]


def froze_all(parameters, count):
    """All of them were frozen, so nothing trains any more."""
    for parameter in parameters:
        parameter.requires_grad = False
    return parameters[count:]


def returned_the_frozen(parameters, count):
    """The frozen ones were returned. Asked for are those that still train."""
    frozen = parameters[:count]
    for parameter in frozen:
        parameter.requires_grad = False
    return frozen


EXERCISE = Exercise(
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
            emptied_the_list, when=lambda outcome: isinstance(outcome.value, tuple) and len(outcome.arguments[0]) != 4
        ),
        Mistake(
            assigned_to_the_method,
            when=lambda outcome: any(
                "requires_grad_" in getattr(parameter, "__dict__", ()) for parameter in outcome.arguments[0]
            ),
        ),
        Mistake(
            froze_copies,
            only_sliced,
            when=lambda outcome: (
                isinstance(outcome.value, tuple)
                and outcome.arguments[1] > 0
                and all(getattr(parameter, "requires_grad", False) for parameter in outcome.value[1])
            ),
        ),
        froze_one_more,
        returned_all,
        froze_the_last,
        froze_all,
        returned_the_frozen,
    ),
)

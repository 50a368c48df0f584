"""Exercise `freeze_first`: tensors that train no longer."""

import minigrad as mg
from minigrad.teach import Case, Difference, Exercise, Mistake, cases, edited, show


def freeze_first(parameters, count):
    """Freeze the first tensors of a list; the others are returned."""
    for parameter in parameters[:count]:
        parameter.requires_grad_(False)
    return parameters[count:]


@cases("four leaves that hold 1 to 4, count = {count}")
def _parameters(count):
    return [mg.tensor(float(number), requires_grad=True) for number in range(1, 5)], count


def _drawn(random):
    """Leaves of several shapes that hold equal numbers, each second one with a gradient, and the first of them frozen
    already.
    """
    shapes = [((), (2,), (2, 1))[kind] for kind in random.integers(3, size=random.integers(2, 7))]
    count, number = int(random.integers(1, len(shapes) + 1)), float(random.integers(1, 9))

    def make():
        parameters = [mg.full(shape, number, requires_grad=place > 0) for place, shape in enumerate(shapes)]
        for leaf in parameters[::2]:
            leaf.grad = mg.full(leaf.shape, 0.5)
        return parameters, count

    words = f"leaves of the shapes {', '.join(str(list(shape)) for shape in shapes)}, all filled with {number:g}, "
    yield Case(f"{words}the first of them frozen already, each second one with a gradient, count = {count}", make)


def _with_the_tensors(answer):
    """Run an answer, and hold on to the caller's tensors: their list may be changed."""

    def run(parameters, count):
        given = tuple(parameters)
        returned = answer(parameters, count)
        return None if returned is None else (returned, given)

    return run


def _compare_frozen(expected, got, outcome):
    (wanted, _), (returned, given) = expected, got
    if not isinstance(returned, list | tuple):
        return Difference("the answer", show(returned), show(wanted), "A list of tensors is asked for.")
    parameters, count = outcome.arguments
    if changed := _changed(parameters, given):
        told = "It stays as it is, with the same tensors in it: another list is to be returned."
        return Difference("the list `parameters` afterwards", changed, f"its {len(given)} tensors", told)
    for number, (parameter, before) in enumerate(zip(given, outcome.case.make()[0], strict=True), 1):
        if parameter.requires_grad != (number > count):
            flag = str(parameter.requires_grad)
            return Difference(f"requires_grad of parameter {number}", flag, str(number > count))
        if _held(parameter) != _held(before):
            told = "A frozen tensor keeps its numbers and its gradient: only its flag is to be changed."
            return Difference(f"parameter {number} afterwards", _held(parameter), _held(before), told)
    if list(map(id, returned)) != list(map(id, given[count:])):
        told = "It should hold those that still train."
        if show(list(returned)) == show(wanted):
            told = "It holds the right numbers, but in new tensors: return the caller's own, which the model holds."
        return Difference("the list returned", show(returned), show(wanted), told)
    return None


def _changed(parameters, given):
    """What has become of the caller's list, "" if it is as it was."""
    others = sum(now is not before for now, before in zip(parameters, given, strict=False))
    if len(parameters) != len(given):
        return f"{len(parameters)} tensors"
    return f"{others} other than before" if others else ""


def _held(leaf):
    return f"{show(leaf)} with .grad {show(leaf.grad)}"


def _flags(parameters):
    return [parameter.requires_grad for parameter in parameters]


def _show_frozen(value, arguments):
    if value is None:
        return show(value)
    returned, given = value
    flags, changed = ", ".join(map(str, _flags(given))), _changed(arguments[0], given)
    in_the_list = f"; in the list: {changed}" if changed else ""
    return f"returned {show(returned)}; requires_grad of the {len(given)}: {flags}{in_the_list}"


def _none_was_frozen(outcome):
    """Whether the caller's tensors have the flags that they had, and others were asked for."""
    if not isinstance(outcome.value, tuple):
        return False
    before = _flags(outcome.case.make()[0])
    return any(before[: outcome.arguments[1]]) and _flags(outcome.value[1]) == before


# ---------------------------------------------------------------- wrong answers


def emptied_the_list(parameters, count):
    """The list itself was changed. Leave it as it is, and return another one."""
    for _ in range(count):
        parameters.pop(0).requires_grad_(False)
    return parameters


def replaced_them(parameters, count):
    for place in range(count):
        parameters[place] = parameters[place].detach()
    return parameters[count:]


def froze_one_more(parameters, count):
    """One too many was frozen: parameters[:count] are the first `count`."""
    for number, parameter in enumerate(parameters):
        if number <= count:
            parameter.requires_grad = False
    return [parameter for parameter in parameters if parameter.requires_grad]


def froze_the_last(parameters, count):
    """The wrong end was frozen: the first ones are asked for."""
    for parameter in parameters[count:]:
        parameter.requires_grad = False
    return parameters[:count]


def returned_the_frozen(parameters, count):
    """The frozen ones were returned. Asked for are those that still train."""
    frozen = parameters[:count]
    for parameter in frozen:
        parameter.requires_grad = False
    return frozen


def froze_as_many_of_the_last(parameters, count):
    for parameter in parameters[len(parameters) - count :]:
        parameter.requires_grad = False
    return parameters[: len(parameters) - count]


# ---------------------------------------------------------------- tried as well


def froze_replacements(parameters, count):
    for place, parameter in enumerate(parameters[:count]):
        parameters[place] = parameter.detach()
    return parameters[count:]


def froze_and_deleted(parameters, count):
    for parameter in parameters[:count]:
        parameter.requires_grad = False
    del parameters[:count]
    return list(parameters)


def froze_the_next_that_trains(parameters, count):
    for parameter in [parameter for parameter in parameters if parameter.requires_grad][:count]:
        parameter.requires_grad = False
    return parameters[count:]


def froze_and_compared(parameters, count):
    frozen = [parameter.requires_grad_(False).tolist() for parameter in parameters[:count]]
    return [parameter for parameter in parameters if parameter.tolist() not in frozen]


def froze_and_returned_a_tuple(parameters, count):
    first, rest = parameters[:count], tuple(parameters[count:])
    for parameter in first:
        parameter.requires_grad = False
    return rest


def froze_with_numbers(parameters, count):
    rest = []
    for number, parameter in enumerate(parameters):
        if number < count:
            parameter.requires_grad_(False)
        else:
            rest += [parameter]
    return rest


def froze_from_the_end(parameters, count):
    for place in reversed(range(count)):
        parameters[place].detach_().requires_grad_(False)
    return [*parameters][count:]


def froze_as_many_from_the_end(parameters, count):
    for parameter in [*reversed(parameters)][:count]:
        parameter.requires_grad_(False)
    return parameters[: len(parameters) - count]


def froze_and_filtered(parameters, count):
    for number, parameter in enumerate(parameters):
        parameter.requires_grad = number >= count
    return [parameter for parameter in parameters if parameter.requires_grad]


def froze_by_index(parameters, count):
    rest = list(parameters)
    for _ in range(count):
        rest.pop(0).requires_grad_(False)
    return rest


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
    drawn=_drawn,
    plug=_with_the_tensors,
    compare=_compare_frozen,
    show=_show_frozen,
    mistakes=(
        Mistake(
            emptied_the_list,
            when=lambda outcome: (
                isinstance(outcome.value, tuple) and len(outcome.arguments[0]) != len(outcome.value[1])
            ),
        ),
        Mistake(
            edited(freeze_first, "requires_grad_(False)", "requires_grad_ = False"),
            words="requires_grad_ is a method: what is assigned to it takes its place and freezes nothing. Call it, "
            "requires_grad_(False), or assign to the flag requires_grad.",
            when=lambda outcome: any(
                "requires_grad_" in getattr(parameter, "__dict__", ()) for parameter in outcome.arguments[0]
            ),
        ),
        Mistake(
            edited(freeze_first, "parameter.requires_grad_", "parameter.detach().requires_grad_"),
            lambda parameters, count: parameters[count:],
            replaced_them,
            words="The caller's tensors are as they were: none was frozen, or new ones were. detach() and clone() "
            "make new tensors; change the flag of the old ones.",
            when=_none_was_frozen,
        ),
        froze_one_more,
        Mistake(
            edited(freeze_first, "parameters[count:]", "parameters"),
            words="All tensors were returned. Asked for are those that still train, without the frozen ones.",
        ),
        Mistake(
            froze_the_last,
            froze_as_many_of_the_last,
        ),
        Mistake(
            edited(froze_the_last, "parameters[count:]:", "parameters:", "parameters[:count]", "parameters[count:]"),
            words="All of them were frozen, so nothing trains any more.",
        ),
        returned_the_frozen,
    ),
    right=(froze_and_returned_a_tuple, froze_with_numbers, froze_from_the_end, froze_and_filtered, froze_by_index),
    wrong={
        "the list `parameters` afterwards: yours 2 other than before … The caller's tensors are as they were": [
            froze_replacements
        ],
        "The list itself was changed": [froze_and_deleted],
        "the first of them frozen already": [
            edited(freeze_first, "requires_grad_(False)", "requires_grad = not parameter.requires_grad"),
            froze_the_next_that_trains,
        ],
        "the list returned": [froze_and_compared],
        "keeps its numbers and its gradient": [
            edited(freeze_first, "requires_grad_(False)", "requires_grad_(False)\n        parameter.grad = None"),
            edited(freeze_first, "requires_grad_(False)", "requires_grad_(False).zero_()"),
        ],
        "It holds the right numbers, but in new tensors: return the caller's own": [
            edited(freeze_first, "parameters[count:]", "[parameter.clone() for parameter in parameters[count:]]")
        ],
        "The wrong end was frozen": [froze_as_many_from_the_end],
    },
)

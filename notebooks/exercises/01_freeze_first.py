"""Exercise `freeze_first`: tensors that train no longer."""

import minigrad as mg
from minigrad.teach import Exercise, Mistake, cases, edited, observer, pick, raised, saw, show


def freeze_first(parameters, count):
    """Freeze the first tensors of a list; the others are returned."""
    for parameter in parameters[:count]:
        parameter.requires_grad_(False)
    return parameters[count:]


@cases(
    "{used}leaves of the shapes {shapes}, count = {count}{frozen}",
    used="the first of them frozen already, each second one with a gradient: ",
    frozen=", parameters[{frozen}] is frozen already",
)
def _parameters(count, shapes=((), (), (), ()), used=False, frozen=None):
    """Leaves that hold -1, 0, and so on; those that were used hold equal numbers."""
    leaves = [mg.full(shape, 1.0 if used else place - 1.0, requires_grad=True) for place, shape in enumerate(shapes)]
    if used:
        leaves[0].requires_grad_(False)
        for leaf in leaves[::2]:
            leaf.grad = mg.full(leaf.shape, 0.5)
    if frozen is not None:
        leaves[frozen].requires_grad_(False)
    return leaves, count


def _drawn(random):
    shapes = [pick(random, [(), (2,), (2, 1)]) for _ in range(random.integers(2, 7))]
    for frozen in (None, int(random.integers(len(shapes)))):
        yield _parameters(int(random.integers(1, len(shapes) + 1)), shapes, used=True, frozen=frozen)


@observer
def _with_the_tensors(answer, parameters, count):
    """Which tensors came back, and what has become of the caller's, and of the list that holds them.

    Of the others, one that was frozen before may come back or not.
    """
    given = list(parameters)
    either_way = [parameter for parameter in parameters[count:] if not parameter.requires_grad]
    returned = answer(parameters, count)
    if isinstance(returned, list):
        returned = [one for one in returned if not any(one is other for other in either_way)]
    return {
        "the list returned": _names(returned, given),
        LIST: _names(parameters, given),
        FLAGS: [parameter.requires_grad for parameter in given],
        "numbers and gradients": [f"{show(parameter)} with .grad {show(parameter.grad)}" for parameter in given],
    }


LIST, FLAGS = "the list `parameters` afterwards", "requires_grad of each"


def _names(tensors, given):
    """Tensors, told by where they stand among those that were given: others may hold the same numbers."""
    if not isinstance(tensors, list | tuple):
        return tensors
    places = {id(one): f"parameters[{place}]" for place, one in enumerate(given)}
    new = {True: "a new tensor, ", False: ""}
    return type(tensors)([places.get(id(one), new[isinstance(one, mg.Tensor)] + show(one)) for one in tensors])


def _none_was_frozen(outcome):
    """Whether the caller's tensors have the flags that they had, and others were asked for."""
    parameters, count = outcome.case.make()
    before = [parameter.requires_grad for parameter in parameters]
    return any(before[:count]) and outcome.seen.get(FLAGS) == before


def _one_of_the_others_thawed(outcome):
    """Whether one that was frozen before, and is none of the first, has the flag now."""
    parameters, count = outcome.case.make()
    pairs = zip(parameters[count:], outcome.seen.get(FLAGS, [])[count:], strict=False)
    return any(is_trained and not parameter.requires_grad for parameter, is_trained in pairs)


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


def counted_those_that_train(parameters, count):
    """Those that were frozen before were left out of the count: the first `count` of the list are meant, whether or not
    one of them is frozen already.
    """
    others = [parameter for parameter in parameters if parameter.requires_grad]
    for parameter in others[:count]:
        parameter.requires_grad_(False)
    return others[count:]


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


def froze_and_deleted(parameters, count):
    for parameter in parameters[:count]:
        parameter.requires_grad = False
    del parameters[:count]
    return list(parameters)


def froze_and_compared(parameters, count):
    frozen = [parameter.requires_grad_(False).tolist() for parameter in parameters[:count]]
    return [parameter for parameter in parameters if parameter.tolist() not in frozen]


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


def froze_by_place(parameters, count):
    for number, parameter in enumerate(parameters):
        parameter.requires_grad = number >= count
    return parameters[count:]


def froze_and_compared_tensors(parameters, count):
    frozen = [parameter.requires_grad_(False) for parameter in parameters[:count]]
    return [parameter for parameter in parameters if parameter not in frozen]


def froze_and_filtered(parameters, count):
    for parameter in parameters[:count]:
        parameter.requires_grad = False
    return [parameter for parameter in parameters if parameter.requires_grad]


def froze_from_behind(parameters, count):
    for parameter in parameters[:count]:
        parameter.requires_grad = False
    return parameters[-(len(parameters) - count) :]


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
    cases=(_parameters(2), _parameters(1), _parameters(0), _parameters(4), _parameters(1, frozen=3)),
    hints=(
        "parameters[:count] are the first ones. What freezes a leaf?",
        "requires_grad_(False) changes the tensor itself. detach() would make another one.",
        "Loop over parameters[:count] and call requires_grad_(False) on each; return parameters[count:].",
    ),
    drawn=_drawn,
    plug=_with_the_tensors,
    notes={
        LIST: "It stays as it is, with the same tensors in it: another list is to be returned.",
        "numbers and gradients": "Each tensor keeps its numbers and its gradient: only flags are to be changed.",
    },
    mistakes=(
        Mistake(
            emptied_the_list,
            when=saw(LIST, lambda mine, right: len(mine) != len(right)),
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
            words="The caller's tensors have the flags that they had: none was frozen, or new ones were. detach() and "
            "clone() make new tensors; change the flag of the old ones.",
            when=_none_was_frozen,
        ),
        Mistake(
            froze_one_more,
            edited(
                froze_one_more,
                "[parameter for parameter in parameters if parameter.requires_grad]",
                "parameters[count:]",
            ),
        ),
        Mistake(
            counted_those_that_train,
            edited(counted_those_that_train, "others[count:]", "parameters[count:]"),
            edited(counted_those_that_train, "others[count:]", "[one for one in parameters if one.requires_grad]"),
        ),
        Mistake(
            lambda parameters, count: parameters[:count].requires_grad_(False),
            words="A list has no flag and no such method. Go over the list, and set the flag of each tensor in it.",
            when=raised("'list' object has no attribute 'requires_grad"),
        ),
        Mistake(
            edited(freeze_first, "parameters[count:]", "[parameter.clone() for parameter in parameters[count:]]"),
            words="The right ones are frozen, and new tensors came back, as copies are. The model uses its own: an "
            "optimizer of new ones would train nothing. Return the tensors themselves.",
            when=lambda outcome: (
                outcome.seen.get(FLAGS) == outcome.right[FLAGS]
                and "a new tensor" in str(outcome.seen.get("the list returned"))
            ),
        ),
        Mistake(
            edited(freeze_first, "parameters[count:]", "parameters"),
            words="All tensors were returned. Asked for are those that still train, without the frozen ones.",
        ),
        Mistake(
            froze_the_last,
            froze_as_many_of_the_last,
            edited(froze_as_many_of_the_last, "len(parameters) - count :", "-count:", ": len(parameters) -", ": -"),
        ),
        Mistake(
            edited(froze_the_last, "parameters[count:]:", "parameters:", "parameters[:count]", "parameters[count:]"),
            words="All of them were frozen, so nothing trains any more.",
        ),
        returned_the_frozen,
        Mistake(
            froze_by_place,
            edited(
                froze_and_filtered,
                "parameters[:count]:",
                "parameters[:count]:",
                "    return",
                "    for parameter in parameters[count:]:\n        parameter.requires_grad = True\n    return",
            ),
            words="One of the others was frozen before, and trains now. Write the flag of the first `count` alone.",
            when=_one_of_the_others_thawed,
        ),
        Mistake(
            froze_from_behind,
            words="With count = len(parameters) none is left, and the whole list came back, as [-0:] is. Count from "
            "the front: parameters[count:].",
        ),
        Mistake(
            froze_and_compared_tensors,
            froze_and_compared,
            words="`in` and `==` compare tensors by their numbers, so an equal one counts as frozen, and where the "
            "shapes differ it is an error. Go by places, or by `is`.",
        ),
    ),
    right=(
        froze_with_numbers,
        froze_from_the_end,
        froze_and_filtered,
        froze_by_index,
    ),
    wrong={
        "the list `parameters` afterwards … The caller's tensors have the flags that they had": [
            edited(
                freeze_first,
                *("for parameter in parameters", "for place, parameter in enumerate(parameters", "]:", "]):"),
                *("parameter.requires_grad_(False)", "parameters[place] = parameter.detach()"),
            )
        ],
        "The list itself was changed": [froze_and_deleted],
        "a list is asked for, and this is a tuple": [
            edited(freeze_first, "parameters[count:]", "tuple(parameters[count:])")
        ],
        "the first of them frozen already": [
            edited(freeze_first, "requires_grad_(False)", "requires_grad = not parameter.requires_grad"),
        ],
        "Those that were frozen before were left out of the count": [
            edited(
                freeze_first, "in parameters[:count]", "in [one for one in parameters if one.requires_grad][:count]"
            ),
        ],
        "keeps its numbers and its gradient": [
            edited(freeze_first, "requires_grad_(False)", "requires_grad_(False)\n        parameter.grad = None"),
            edited(freeze_first, "requires_grad_(False)", "requires_grad_(False).zero_()"),
        ],
        "count = 1 … parameters[2]": [
            edited(freeze_first, "parameters[count:]", "[one for one in parameters[count:] if one.numel() > 1 or one]")
        ],
        "new tensors came back": [
            edited(freeze_first, "parameters[count:]", "[mg.tensor(one.tolist()) for one in parameters[count:]]")
        ],
        "The wrong end was frozen": [froze_as_many_from_the_end],
        "yours None, expected parameters[2] … None of the mistakes": [
            edited(froze_with_numbers, "rest += [parameter]", "rest += [None]")
        ],
    },
)

"""Exercise `usable`: tensors from inference mode, as tensors that autograd takes."""

import copy

import numpy as np

import minigrad as mg
from minigrad.teach import Case, Exercise, Mistake, draw_numbers, edited, flip, observer, pick, right_but, saw


def usable(tensors):
    """The same list, with a normal copy in the place of each tensor from inference mode."""
    with mg.inference_mode(False):
        return [tensor.clone() if tensor.is_inference() else tensor for tensor in tensors]


KINDS = INFERENCE, NORMAL, LEAF, RESULT, PART = (
    "a tensor from inference mode",
    "a normal one",
    "a leaf that requires a gradient",
    "a result with its graph",
    "a part of a tensor from inference mode",
)


def _make(kind, numbers, dtype):
    if kind in (INFERENCE, PART):
        with mg.inference_mode():
            made = mg.tensor(numbers, dtype=dtype)
            return made if kind == INFERENCE or not made.ndim else made[:1]
    made = mg.tensor(numbers, dtype=dtype, requires_grad=kind in (LEAF, RESULT))
    return made * 2 if kind == RESULT else made


def _case(*given, inside=False):
    words = ", ".join(
        f"{kind} ({numbers}{'' if dtype is mg.float32 else f', {dtype}'})" for kind, numbers, dtype in given
    )
    return Case(
        f"{words or 'an empty list'}{', called inside inference mode' if inside else ''}",
        lambda: ([_make(*one) for one in given], inside),
    )


def _whole_and_part():
    with mg.inference_mode():
        whole = mg.tensor([1.0, 2.0, 3.0])
        return [whole, whole[:2]], False


def _twice():
    given = [_make(kind, [number], mg.float32) for kind, number in ((INFERENCE, 1.0), (LEAF, 2.0))]
    return given * 2, False


def _drawn(random):
    """Any kinds, dtypes and shapes."""
    given = []
    for _ in range(int(random.integers(1, 5))):
        shape, dtype = pick(random, [(), (2,), (2, 2)]), pick(random, [mg.float32, mg.float64])
        given.append((pick(random, KINDS), draw_numbers(random, shape, 0.25, zero=False), dtype))
    yield _case(*given, inside=flip(random))


NAN = float("nan")
AGAIN, REMEMBERED = (
    "the copies of a second call",
    "A second call has handed out the copies of the first. Something outside of a call keeps them; a copy has memory "
    "of its own: make new ones.",
)
MODE, LEFT = (
    "inference mode afterwards",
    "The list is right, but the mode is another than before. `with mg.inference_mode(False):` puts back at its end "
    "what was there.",
)


@observer
def _called(answer, tensors, inside):
    """What came back from where the case says; what each of it is; whether the list has other items now."""
    given = list(tensors)
    with mg.inference_mode(inside):
        came = answer(tensors)
        is_inside = mg.is_inference_mode_enabled()
        again = answer(list(given))
    changed = [*map(id, tensors)] != [*map(id, given)]
    if not _are_tensors(came):
        return {"the answer": came}
    old = [*given, *[None] * len(came)]
    return {
        "the answer": [mg.tensor(one.detach().numpy().copy()) for one in came],
        **{f"item {place}": _kind(one, old[place]) for place, one in enumerate(came)},
        **{f"the dtype of item {place}": str(one.dtype) for place, one in enumerate(came)},
        **{f"requires_grad of item {place}": one.requires_grad for place, one in enumerate(came)},
        MODE: "on" if is_inside else "off",
        AGAIN: "in the memory of the first" if any(map(_is_the_copy, given, came, again)) else "new ones",
        "the list that was given": "other items than before" if changed else "as before",
    }


def _is_the_copy(given, copy, other):
    """Whether two calls have brought one and the same copy."""
    is_copied = copy is not given and copy.numel() > 0
    return is_copied and np.shares_memory(copy.detach().numpy(), other.detach().numpy())


def _kind(one, given):
    if one is given:
        return "the same tensor, from inference mode" if one.is_inference() else "the same tensor"
    shares = given is not None and np.shares_memory(one.detach().numpy(), given.detach().numpy())
    kind = "another tensor in the same memory" if shares else "a copy"
    return f"{kind}, from inference mode" if one.is_inference() else kind


def _are_tensors(many):
    return isinstance(many, list) and all(isinstance(one, mg.Tensor) for one in many)


def _is_in_another_order(mine, right):
    if not _are_tensors(mine):
        return False
    mine, right = ([str(one.tolist()) for one in many] for many in (mine, right))
    return mine != right and sorted(mine) == sorted(right)


def _text_of(many):
    return str([one.double().tolist() for one in many]) if _are_tensors(many) else ""


def _one_is(test, name="item"):
    """For `when`: all numbers are right, but what was seen of one of the items is not, and the test holds for both."""

    def holds(outcome):
        seen, right = outcome.seen, outcome.right
        return _text_of(seen.get("the answer")) == _text_of(right["the answer"]) and any(
            test(seen[one], right[one]) for one in right if one.startswith(name) and seen[one] != right[one]
        )

    return holds


# ---------------------------------------------------------------- wrong answers


def as_they_are(tensors):
    """A tensor from inference mode is still one: detach(), a view and requires_grad_() give or keep tensors that were
    made there. A clone() made outside of the mode is a normal one.
    """
    return list(tensors)


def mode_left(tensors):
    mg.inference_mode(False).__enter__()
    return [tensor.clone() if tensor.is_inference() else tensor for tensor in tensors]


def one_copy_of_a_memory(tensors):
    """Two tensors with the same memory have got one copy. They may be of other shapes: a copy for each tensor."""
    copies = {}
    with mg.inference_mode(False):
        return [
            copies.setdefault(tensor.data_ptr(), tensor.clone()) if tensor.is_inference() else tensor
            for tensor in tensors
        ]


def detached(tensors):
    return [tensor.detach() if tensor.is_inference() else tensor for tensor in tensors]


def through_numbers(tensors):
    """The dtype is another one: float(), mg.tensor() of Python's numbers, and a number that is added may change it.
    clone() keeps what a tensor is.
    """
    with mg.inference_mode(False):
        return [mg.tensor(tensor.tolist()) if tensor.is_inference() else tensor for tensor in tensors]


def into_the_list_itself(tensors):
    """The list that was given has other items now, and its owner has lost what stood there. Make a new list."""
    with mg.inference_mode(False):
        for i, tensor in enumerate(tensors):
            if tensor.is_inference():
                tensors[i] = tensor.clone()
    return tensors


def only_those(tensors):
    """Some tensors are missing: all of them are asked for, in their order, the normal ones as they are."""
    return [tensor for tensor in usable(tensors) if not tensor.is_inference()][1:]


def only_the_copies(tensors):
    with mg.inference_mode(False):
        return [tensor.clone() for tensor in tensors if tensor.is_inference()]


# ---------------------------------------------------------------- tried as well


def usable_by_adding(tensors):
    """Outside of the mode this makes normal tensors, inside it does not."""
    return [tensor + 0 if tensor.is_inference() else tensor for tensor in tensors]


def usable_for_those_without_gradient(tensors):
    """Not those that need no gradient are to be copied, but those from inference mode."""
    with mg.inference_mode(False):
        return [tensor if tensor.requires_grad else tensor.clone() for tensor in tensors]


def usable_decorated(tensors):
    @mg.inference_mode(False)
    def copied(tensor):
        return tensor.clone()

    return [copied(tensor) if tensor.is_inference() else tensor for tensor in tensors]


def usable_filled(tensors):
    found = list(tensors)
    with mg.inference_mode(False):
        for i, tensor in enumerate(tensors):
            if tensor.is_inference():
                found[i] = mg.empty_like(tensor).copy_(tensor)
    return found


def usable_from_a_memory(tensors, copies={}):  # noqa: B006
    with mg.inference_mode(False):
        return [copies.setdefault(id(one), one.clone()) if one.is_inference() else one for one in tensors]


def usable_by_asking_the_counter(tensors):
    def is_marked(tensor):
        try:
            return tensor._version < 0
        except RuntimeError:
            return True

    with mg.inference_mode(mode=False):
        return [copy.deepcopy(tensor) if is_marked(tensor) else tensor for tensor in tensors]


EXERCISE = Exercise(
    title="a list of the same tensors, with a normal copy in the place of each that was made in inference mode",
    stars=2,
    minutes=6,
    reference=usable,
    cases=(
        _case((INFERENCE, [1.0, 2.0], mg.float32), (LEAF, [3.0], mg.float32)),
        _case((NORMAL, [0.5], mg.float32), (INFERENCE, 2.0, mg.float64), (RESULT, [[1.0, -2.0]], mg.float32)),
        _case((INFERENCE, [1.0, -1.0], mg.float32), (LEAF, [2.0], mg.float32), inside=True),
        _case((PART, [3.0, 4.0], mg.float32), (NORMAL, [[5.0]], mg.float32), inside=True),
        _case((INFERENCE, [1, 2], mg.int64), (NORMAL, [3], mg.int64), (INFERENCE, [True, False], mg.bool)),
        Case("a tensor from inference mode ([1.0, 2.0, 3.0]), and its first two numbers, as a view", _whole_and_part),
        Case("a tensor from inference mode ([1.0]) and a leaf ([2.0]), each of them twice", _twice),
        _case(),
        _case((INFERENCE, [], mg.float32), (INFERENCE, [NAN, 1.0], mg.float32)),
    ),
    drawn=_drawn,
    hints=(
        "is_inference() tells which ones. What makes a normal tensor of them?",
        "clone() does, outside of inference mode. And where is the function called?",
        "with mg.inference_mode(False): return [tensor.clone() if tensor.is_inference() else tensor for tensor in "
        "tensors].",
    ),
    plug=_called,
    notes={MODE: LEFT, AGAIN: REMEMBERED},
    mistakes=(
        Mistake(mode_left, when=right_but(MODE), words=LEFT),
        one_copy_of_a_memory,
        into_the_list_itself,
        Mistake(
            only_those,
            only_the_copies,
            lambda tensors: [tensor for tensor in tensors if not tensor.is_inference()],
            when=saw("the answer", lambda mine, right: isinstance(mine, list) and len(mine) < len(right)),
        ),
        Mistake(
            edited(usable, "with mg.inference_mode(False):\n        ", ""),
            edited(usable, "inference_mode(False):", "inference_mode(), mg.enable_grad():"),
            words="The copy is one more tensor of inference mode, since it was made inside of it. Leave the mode for "
            "these lines: `with mg.inference_mode(False):`.",
            when=_one_is(lambda mine, right: mine == "a copy, from inference mode"),
        ),
        Mistake(as_they_are, detached, when=_one_is(lambda mine, right: "from inference mode" in mine)),
        Mistake(
            edited(usable, "tensor.clone()", "mg.from_numpy(tensor.numpy())"),
            words="It is a normal tensor, but in the memory of the old one: a write to one changes the other, and no "
            "counter knows. A copy is asked for: clone().",
            when=_one_is(lambda mine, right: mine == "another tensor in the same memory" and right == "a copy"),
        ),
        Mistake(
            lambda tensors: sorted(usable(tensors), key=lambda tensor: any(tensor is one for one in tensors)),
            words="All are there, and in another order. Each is to stand where it stood in the list that was given.",
            when=saw("the answer", _is_in_another_order),
        ),
        Mistake(
            edited(usable, "if tensor.is_inference() else tensor for", "for"),
            words="In the place of tensors that were fine stand others, as copies or detach() of them: a leaf that "
            "somebody trains would be another tensor then. Only tensors for which is_inference() is True are to be "
            "copied.",
            when=_one_is(lambda mine, right: right == "the same tensor"),
        ),
        Mistake(
            edited(usable, "clone() if", "clone().requires_grad_() if"),
            words="A tensor requires a gradient, and what stood there did not. Leave out requires_grad_(): "
            "whoever wants to train it can still switch it on.",
            when=_one_is(lambda mine, right: mine, "requires_grad"),
        ),
        Mistake(through_numbers, when=_one_is(lambda mine, right: True, "the dtype")),
    ),
    right=(
        edited(usable, "tensor.clone()", "mg.tensor(tensor.numpy())"),
        usable_decorated,
        usable_filled,
        edited(usable, "False):", "False), mg.no_grad():", "tensor.clone()", "tensor.detach().clone()"),
        usable_by_asking_the_counter,
    ),
    wrong={
        "same memory the copies of a second call: in the memory of the first … It is a normal tensor": [
            edited(usable, "tensor.clone()", "mg.from_numpy(tensor.numpy())")
        ],
        "these are 3": [lambda tensors: [*usable(tensors), mg.ones(1)]],
        "The shape is [2]; it should be [1]": [edited(usable, "else tensor", "else tensors[0]")],
        "Some tensors are missing": [lambda tensors: usable(dict.fromkeys(tensors))],
        "A second call has handed out the copies of the first": [usable_from_a_memory],
        "from inference mode … A tensor from inference mode is still one": [
            edited(usable, "if tensor.is_inference()", "if tensor.is_inference() and tensor.numel()")
        ],
        "first difference": [edited(usable, "clone() if", "masked_fill(tensor.isnan(), 0) if")],
        "more tensor of inference mode": [usable_by_adding],
        "Leave the mode for these lines": [edited(usable, "inference_mode(False):", "enable_grad():")],
        "dtype": [
            edited(usable, "clone", "float().clone"),
            edited(usable, "tensor.clone()", "(tensor + 0.0)"),
            edited(usable, "tensor.clone()", "(tensor + 0)"),
        ],
        "a list is asked for, and this is a tuple": [lambda tensors: tuple(usable(tensors))],
        "The shape is [1]": [edited(usable, "clone() if", "clone().view(-1) if")],
        "Make a new list": [into_the_list_itself],
        "other items now": [edited(as_they_are, "return", "tensors[:] = usable(tensors)\n    return")],
        "requires_grad": [edited(usable, "clone() if", "clone().requires_grad_() if")],
        "In the place of tensors that were fine": [
            usable_for_those_without_gradient,
            edited(usable, "tensor for", "tensor.detach() for"),
        ],
        "None came back": [edited(usable, "return ", "")],
        "A tensor is asked for; this is a method": [edited(usable, "clone()", "clone")],
        "since it was made inside of it": [
            lambda tensors: [mg.tensor(tensor.numpy()) if tensor.is_inference() else tensor for tensor in tensors]
        ],
        "float(), mg.tensor() of Python's numbers": [edited(usable, "clone() if", "clone().float() if")],
    },
)

"""Exercise `usable`: tensors from inference mode, as tensors that autograd takes."""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, edited, show

from .chapter09 import quarters


def usable(tensors):
    """The same list, with a normal copy in the place of each tensor from inference mode."""
    with mg.inference_mode(False):
        return [tensor.clone() if tensor.is_inference() else tensor for tensor in tensors]


INFERENCE, NORMAL, LEAF, RESULT, PART = "from inference mode", "normal", "a leaf", "a result", "a part of one of those"
KINDS = {
    INFERENCE: "a tensor from inference mode",
    NORMAL: "a normal one",
    LEAF: "a leaf that requires a gradient",
    RESULT: "a result with its graph",
    PART: "a part of a tensor from inference mode",
}


def _make(kind, numbers, dtype):
    if kind in (INFERENCE, PART):
        with mg.inference_mode():
            made = mg.tensor(numbers, dtype=dtype)
            return made if kind == INFERENCE or not made.ndim else made[:1]
    made = mg.tensor(numbers, dtype=dtype, requires_grad=kind in (LEAF, RESULT))
    return made * 2 if kind == RESULT else made


def _case(*given, inside=False):
    words = ", ".join(
        f"{KINDS[kind]} ({numbers}{'' if dtype is mg.float32 else f', {dtype}'})" for kind, numbers, dtype in given
    )
    return Case(
        f"{words or 'an empty list'}{', called inside inference mode' if inside else ''}",
        lambda: ([_make(*one) for one in given], inside),
    )


def _drawn(random):
    """Any kinds, dtypes and shapes."""
    given = []
    for kind in random.choice(list(KINDS), int(random.integers(1, 5))):
        shape = [(), (2,), (2, 2)][random.integers(3)]
        given.append((str(kind), quarters(random, shape), mg.float64 if random.integers(2) else mg.float32))
    yield _case(*given, inside=bool(random.integers(2)))


@dataclass(frozen=True)
class Given:
    """What came back, what each of it is, and whether the list that was given has other items now."""

    answer: Any
    kinds: tuple[str, ...]
    changed: bool


def _called(answer):
    """The answer, called where the case says."""

    def run(tensors, inside):
        given = list(tensors)
        with mg.inference_mode(inside):
            came = answer(tensors)
        changed = [*map(id, tensors)] != [*map(id, given)]
        if not isinstance(came, list | tuple) or not all(isinstance(one, mg.Tensor) for one in came):
            return Given(came, (), changed)
        kinds = tuple(_kind(one, given[i] if i < len(given) else None) for i, one in enumerate(came))
        return Given(came, kinds, changed)

    return run


def _kind(one, given):
    if one is given:
        return "the same tensor, from inference mode" if one.is_inference() else "the same tensor"
    shares = given is not None and np.shares_memory(one.detach().numpy(), given.detach().numpy())
    kind = "another tensor in the same memory" if shares else "a copy"
    return f"{kind}, from inference mode" if one.is_inference() else kind


def _compare(expected, got, outcome):
    if (difference := compare(_plain(expected.answer), _plain(got.answer))) is not None:
        return difference
    for place, (right, mine) in enumerate(zip(expected.kinds, got.kinds, strict=True)):
        if right != mine:
            return Difference(f"item {place}", mine, right)
        if expected.answer[place].dtype is not got.answer[place].dtype:
            dtypes = [str(value.answer[place].dtype) for value in (got, expected)]
            return Difference(f"the dtype of item {place}", *dtypes)
        if got.answer[place].requires_grad != expected.answer[place].requires_grad:
            return Difference(
                f"item {place}.requires_grad", *[str(v.answer[place].requires_grad) for v in (got, expected)]
            )
    return Difference("the list that was given", "other items than before", "as before") if got.changed else None


def _plain(answer):
    """The numbers alone, whatever holds them."""
    if isinstance(answer, list | tuple) and all(isinstance(one, mg.Tensor) for one in answer):
        return [mg.tensor(one.detach().numpy().copy()) for one in answer]
    return answer


def _show(value, arguments):
    if not isinstance(value, Given):
        return show(value)
    if len(value.kinds) != len(value.answer if isinstance(value.answer, list | tuple) else "?"):
        return show(value.answer)
    numbers = _plain(value.answer)
    items = [f"{show(one)} ({kind}, {one.dtype})" for one, kind in zip(numbers, value.kinds, strict=True)]
    return f"[{', '.join(items)}]{', in the list that was given' if value.changed else ''}"


def _items(test):
    """For `when`: one of the items is of another kind than it should be, and the test holds for what it is."""

    def holds(outcome):
        right = EXERCISE.run(usable, outcome.case).value
        if not isinstance(outcome.value, Given):
            return False
        pairs = zip(right.kinds, outcome.value.kinds, strict=False)
        return any(mine != expected and test(mine) for expected, mine in pairs)

    return holds


def _other_dtype(outcome):
    right = EXERCISE.run(usable, outcome.case).value
    answer = outcome.value.answer if isinstance(outcome.value, Given) else None
    is_list = isinstance(answer, list | tuple) and len(answer) == len(right.answer) == len(outcome.value.kinds)
    return is_list and any(a.dtype is not b.dtype for a, b in zip(answer, right.answer, strict=True))


# ---------------------------------------------------------------- wrong answers


def as_they_are(tensors):
    """A tensor from inference mode is still one: detach(), a view and requires_grad_() give or keep tensors that were
    made there. A clone() made outside of the mode is a normal one.
    """
    return list(tensors)


def detached(tensors):
    return [tensor.detach() if tensor.is_inference() else tensor for tensor in tensors]


def through_numbers(tensors):
    """The dtype is lost: float() and mg.tensor() of Python's numbers give float32. clone() keeps what a tensor is."""
    with mg.inference_mode(False):
        return [mg.tensor(tensor.tolist()) if tensor.is_inference() else tensor for tensor in tensors]


def into_the_list_itself(tensors):
    """The copies stand in the list that was given, and its owner has lost what stood there. Make a new list."""
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

    return tuple(copied(tensor) if tensor.is_inference() else tensor for tensor in tensors)


def usable_filled(tensors):
    found = list(tensors)
    with mg.inference_mode(False):
        for i, tensor in enumerate(tensors):
            if tensor.is_inference():
                found[i] = mg.empty_like(tensor).copy_(tensor)
    return found


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
        _case(),
    ),
    drawn=_drawn,
    hints=(
        "is_inference() tells which ones. What makes a normal tensor of them?",
        "clone() does, outside of inference mode. And where is the function called?",
        "with mg.inference_mode(False): return [tensor.clone() if tensor.is_inference() else tensor for tensor in "
        "tensors].",
    ),
    plug=_called,
    compare=_compare,
    show=_show,
    mistakes=(
        into_the_list_itself,
        Mistake(
            only_those,
            only_the_copies,
            lambda tensors: [tensor for tensor in tensors if not tensor.is_inference()],
            when=lambda outcome: (
                isinstance(outcome.value, Given)
                and isinstance(outcome.value.answer, list | tuple)
                and len(outcome.value.answer) < len(outcome.arguments[0])
            ),
        ),
        Mistake(
            edited(usable, "with mg.inference_mode(False):\n        ", ""),
            edited(usable, "inference_mode(False):", "inference_mode(), mg.enable_grad():"),
            words="The copy is one more tensor of inference mode, since it was made inside of it. Leave the mode for "
            "these lines: `with mg.inference_mode(False):`.",
            when=_items(lambda kind: kind == "a copy, from inference mode"),
        ),
        Mistake(as_they_are, detached, when=_items(lambda kind: "from inference mode" in kind)),
        Mistake(
            edited(usable, "tensor.clone()", "mg.from_numpy(tensor.numpy())"),
            words="It is a normal tensor, but in the memory of the old one: a write to one changes the other, and no "
            "counter knows. A copy is asked for: clone().",
            when=_items(lambda kind: kind == "another tensor in the same memory"),
        ),
        Mistake(
            edited(usable, "if tensor.is_inference() else tensor for", "for"),
            words="Tensors that were fine were copied, or cut off from their graph: a leaf that somebody trains is "
            "another tensor now. Only tensors for which is_inference() is True are to be copied.",
            when=_items(lambda kind: kind == "a copy"),
        ),
        Mistake(through_numbers, when=_other_dtype),
    ),
    right=(
        edited(usable, "tensor.clone()", "mg.tensor(tensor.numpy())"),
        usable_decorated,
        usable_filled,
        edited(usable, "False):", "False), mg.no_grad():", "tensor.clone()", "tensor * 1"),
        usable_by_asking_the_counter,
    ),
    wrong={
        "more tensor of inference mode": [usable_by_adding],
        "Leave the mode for these lines": [edited(usable, "inference_mode(False):", "enable_grad():")],
        "dtype": [edited(usable, "clone", "float().clone")],
        "The shape is [1]": [edited(usable, "clone() if", "clone().view(-1) if")],
        "Make a new list": [into_the_list_itself],
        "the list that was given": [edited(as_they_are, "return", "tensors[:] = usable(tensors)\n    return")],
        "requires_grad": [edited(usable, "clone() if", "clone().requires_grad_() if")],
        "Tensors that were fine": [usable_for_those_without_gradient],
        "the same tensor … It is a normal tensor, but in the memory of the old one": [
            edited(usable, "tensor for", "tensor.detach() for")
        ],
        "since it was made inside of it": [
            lambda tensors: [mg.tensor(tensor.numpy()) if tensor.is_inference() else tensor for tensor in tensors]
        ],
        "float() and mg.tensor() of Python's numbers": [edited(usable, "clone() if", "clone().float() if")],
    },
)

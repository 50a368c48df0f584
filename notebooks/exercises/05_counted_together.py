"""Chapter 05, exercise: are writes to one tensor counted at another?"""

from dataclasses import dataclass

import numpy as np

import minigrad as mg
from minigrad.teach import Case, Difference, Exercise, Mistake, edited, raised, show

from .chapter05 import compare_answers


def counted_together(a, b):
    """Whether a write to a is counted at b."""
    before = b._version
    with mg.no_grad():
        a.add_(0)
    return b._version != before


def _three(requires_grad=False):
    return mg.tensor([3.0, 0.1, -1.0], requires_grad=requires_grad)


def _with_detached():
    t = _three(requires_grad=True)
    return t, t.detach()


def _with_data():
    t = _three()
    return t, t.data


def _with_clone():
    t = _three()
    return t, t.clone()


def _with_picked():
    t = _three()
    return t, t[[0, 1]]


def _two_parts():
    t = _three()
    return t[:1], t[1:]


def _with_a_part():
    t = _three()
    return t, t[1:]


def _with_base():
    t = _three()
    t.mul_(2)
    return t.view(3, 1), t


def _written_and_copied():
    t = _three()
    t.mul_(2)
    return t, t.clone()


def _of_one_number():
    t = mg.tensor(3.0, requires_grad=True)
    return t.detach(), t


def _same():
    t = _three()
    return t, t


LINKS = (
    (".detach()", lambda t: t.detach()),
    (".data", lambda t: t.data),
    (".clone()", lambda t: t.clone()),
    (" * 1", lambda t: t * 1),
    ("[1:]", lambda t: t[1:]),
    ("[[0, 1]]", lambda t: t[[0, 1]]),
    (".unsqueeze(1)", lambda t: t.unsqueeze(1)),
    (".detach().requires_grad_()", lambda t: t.detach().requires_grad_()),
)


def _drawn(random):
    """Two tensors that were made of the same one, each in up to two steps."""
    numbers = random.normal(size=4).round(2).tolist()
    needs_gradient, writes = bool(random.integers(2)), int(random.integers(3))
    chosen = [random.integers(len(LINKS), size=random.integers(3)).tolist() for _ in "ab"]

    def make():
        t = mg.tensor(numbers, requires_grad=needs_gradient)
        with mg.no_grad():
            for _ in range(writes):
                t.mul_(1)
        made = []
        for links in chosen:
            one = t
            for number in links:
                one = LINKS[number][1](one)
            made.append(one)
        return tuple(made)

    a, b = ("t" + "".join(LINKS[number][0] for number in links).replace(" * 1", ".mul(1)") for links in chosen)
    leaf = "; t requires a gradient" if needs_gradient else ""
    yield Case(f"a = {a}, b = {b}, where t = {numbers} was written to {writes} times{leaf}", make)


@dataclass(frozen=True)
class Asked:
    """What a learner's function returned, and whether each tensor requires a gradient as before."""

    answer: object
    is_flag_kept: bool


def _asking(answer):
    def run(a, b):
        before = a.requires_grad, b.requires_grad
        value = answer(a, b)
        return value if value is None or value is ... else Asked(value, before == (a.requires_grad, b.requires_grad))

    return run


def _compare_asked(expected, got, outcome):
    difference = compare_answers(expected.answer, got.answer, outcome)
    if difference is None and not got.is_flag_kept:
        note = "The answer is right, but it has switched requires_grad, and not back."
        return Difference("requires_grad", "another one", "as before", note)
    return difference


def _show_asked(value, arguments):
    if not isinstance(value, Asked):
        return show(value)
    return show(value.answer) + ("" if value.is_flag_kept else ", and requires_grad is not what it was")


def _evidence(outcome):
    a, b = outcome.arguments
    memory = "show the same memory" if np.shares_memory(a.detach().numpy(), b.detach().numpy()) else "overlap nowhere"
    before = b._version
    with mg.no_grad():
        a.add_(0)
    return f"  a and b {memory}; a.add_(0) took b._version from {before} to {b._version}"


# ---------------------------------------------------------------- wrong answers


def same_numbers(a, b):
    """Equal numbers say nothing about memory: a clone has them too."""
    return a.tolist() == b.tolist()


def same_object(a, b):
    """`is` asks whether the two are the same object. Two tensors can share memory and count."""
    return a is b


def same_memory(a, b):
    """This asks for shared memory. .data shares it and has a count of its own, and two parts of one tensor share the
    count without overlapping.
    """
    return bool(np.shares_memory(a.detach().numpy(), b.detach().numpy()))


def view_and_base(a, b):
    """_base finds a view and its base, but not what detach() gives, and not two views of the same base."""
    return b._base is a or a._base is b


def b_is_a_view(a, b):
    """_base says that b is a view. It need not be one of a, and detach() gives none."""
    return b._base is not None


# ---------------------------------------------------------------- tried as well


def counted_by_adding_and_taking_back(a, b):
    """What is added is not there any more to the last digit."""
    before = b._version
    with mg.no_grad():
        a.add_(1)
        a.sub_(1)
    return b._version != before


def counted_with_the_gradient_switched_off(a, b):
    before = b._version
    if a.is_leaf:
        a.requires_grad = False
    with mg.no_grad():
        a.mul_(1)
    return b._version > before


def counted_by_the_base(a, b):
    bases = [one if one._base is None else one._base for one in (a, b)]
    return bases[0] is bases[1]


def counted_by_memory_and_not_by_data(a, b):
    """Knows nothing of parts that do not overlap."""
    before = b._version
    with mg.no_grad():
        a.add_(0)
    return bool(np.shares_memory(a.detach().numpy(), b.detach().numpy())) and b._version > before


def counted_by_two_writes(a, b):
    before = b._version
    a.detach().mul_(2).div_(2)
    return mg.tensor(b._version != before)


def counted_by_the_difference(a, b):
    first, second = a._version, b._version
    with mg.no_grad():
        a += 0
    return bool((a._version - first) == (b._version - second))


def counted_at_the_first_element(a, b):
    """Not where there is no dimension."""
    before = b._version
    with mg.no_grad():
        a[0] = a[0].clone()
    return b._version - before > 0


def counted_by_another_write(a, b):
    before = b._version
    a.detach().mul_(1)
    return b._version == before + 1


def counted_and_put_back(a, b):
    before = b._version
    with mg.no_grad():
        a.copy_(a.clone())
    return np.bool_(b._version > before)


EXERCISE = Exercise(
    title="True if a write to a is counted at b too",
    stars=1,
    minutes=5,
    reference=counted_together,
    cases=(
        Case("a = t, b = t.detach(), where t requires a gradient", _with_detached),
        Case("a = t, b = t.data", _with_data),
        Case("a = t, b = t.clone()", _with_clone),
        Case("a = t, b = t[[0, 1]]", _with_picked),
        Case("a = t[:1], b = t[1:]", _two_parts),
        Case("a = t.view(3, 1), b = t, where t was written to before", _with_base),
        Case("a = t, b = t.clone(), where t was written to before", _written_and_copied),
        Case("a and b are the same tensor", _same),
        Case("a = t.detach(), b = t, where t is one number, of no dimension", _of_one_number),
        Case("a = t, b = t[1:]", _with_a_part),
    ),
    drawn=_drawn,
    hints=(
        "Try it: write to a, and look whether the count at b has changed.",
        "The write must not change the numbers: a.add_(0) is one. It counts all the same.",
        "Note b._version, then `with mg.no_grad(): a.add_(0)`, then compare b._version with what you noted.",
    ),
    plug=_asking,
    compare=_compare_asked,
    show=_show_asked,
    evidence=_evidence,
    mistakes=(
        Mistake(
            edited(same_numbers, "tolist() == b.tolist()", "_version == b._version"),
            words="Two counts can be equal by chance: both are 0 before anybody writes. Write to a, and look whether "
            "the count at b changes.",
        ),
        same_numbers,
        same_object,
        same_memory,
        Mistake(
            edited(same_numbers, "tolist() == b.tolist", "data_ptr() == b.data_ptr"),
            words="This asks whether both begin at the same place in memory. .data does, and has a count of its own; "
            "two parts of one tensor do not, and share the count.",
        ),
        view_and_base,
        Mistake(
            edited(counted_together, "with mg.no_grad():\n        a", "a", "_version != before", "_version > before"),
            words="A leaf that requires a gradient may be written to inside `with mg.no_grad():` only.",
            when=raised("a leaf Variable that requires grad"),
        ),
        Mistake(
            edited(counted_together, "with", "if a.is_leaf:\n        a.requires_grad_(False)\n    with"),
            words="requires_grad was switched off for the write, and not on again. Inside `with mg.no_grad():` it may "
            "stay on.",
            when=lambda outcome: isinstance(outcome.value, Asked) and not outcome.value.is_flag_kept,
        ),
        Mistake(
            edited(counted_together, "add_(0)", "mul_(1)", "_version != before", "_version == before"),
            words="True and False have changed places.",
        ),
        Mistake(
            edited(counted_together, "before = b._version", "before = a._version", "return b", "return a"),
            edited(counted_together, "a.add_(0)", "b += 0", "_version != before", "_version > before"),
            words="True for every pair. You write to a, and it is the count of b that may change or not.",
        ),
        Mistake(
            edited(counted_together, "with mg.no_grad():\n        a", "a.data"),
            edited(counted_together, "a.add_(0)", "a = a + 0"),
            words="False for every pair: the write was not counted, or there was none. .data has a count of its own, "
            "and a + 0 makes a new tensor; a.add_(0) writes.",
        ),
        Mistake(
            edited(same_numbers, "tolist() == b.tolist()", "_base is b._base"),
            words="Whether the two have the same _base: two tensors without a base both have None, and a view and its "
            "base have different ones.",
        ),
        b_is_a_view,
    ),
    right=(
        counted_by_two_writes,
        counted_by_the_difference,
        edited(
            counted_at_the_first_element, "a[0] = a[0].clone()", "one = a.view(-1)[:1]\n        one.copy_(one.clone())"
        ),
        counted_by_another_write,
        counted_and_put_back,
    ),
    wrong={
        "holds other numbers than before": [
            counted_by_adding_and_taking_back,
            edited(counted_together, "add_(0)", "zero_()", "_version != before", "_version > before"),
        ],
        "requires_grad was switched off": [counted_with_the_gradient_switched_off],
        "": [counted_by_the_base, counted_by_memory_and_not_by_data, counted_at_the_first_element],
        "The answer is True or False.": [lambda a, b: int(counted_together(a, b))],
    },
)

"""Chapter 05, exercise: are writes to one tensor counted at another?"""

import numpy as np

import minigrad as mg
from minigrad.teach import Exercise, Mistake, cases, draw_numbers, edited, flip, formula, observer, pick, raised, saw


def counted_together(a, b):
    """Whether a write to a is counted at b."""
    before = b._version
    with mg.no_grad():
        a.add_(0)
    return b._version != before


@cases(
    "a = {a}, b = {b}, t = {numbers}",
    writes=", which was written to {writes} times before",
    is_trained="; t requires a gradient",
)
def _pair(a, b, numbers=(0.9, 0.83, -1.0), writes=0, is_trained=False):
    t = mg.tensor(numbers, requires_grad=is_trained)
    with mg.no_grad():
        for _ in range(writes):
            t.mul_(1)
    return tuple(formula(words, "t")(t) for words in (a, b))


LINKS = (".detach()", ".data", ".clone()", ".mul(1)", "[1:]", "[[0, 1]]", ".unsqueeze(1)", ".detach().requires_grad_()")


def _drawn(random):
    """Two tensors that were made of the same one, each in up to two steps."""
    a, b = ("t" + "".join(pick(random, LINKS) for _ in range(random.integers(3))) for _ in "ab")
    yield _pair(a, b, draw_numbers(random, 4), int(random.integers(3)), flip(random))


@observer
def _asking(answer, a, b):
    """Whether each tensor requires a gradient as before, too."""
    before, given = (a.requires_grad, b.requires_grad), str([a.tolist(), b.tolist()])  # in which nan is nan
    found = answer(a, b)
    after = a.requires_grad, b.requires_grad
    flag = "as before" if before == after else "switched on" if sum(after) > sum(before) else "switched off"
    is_same = given == str([a.tolist(), b.tolist()])
    return {"the answer": found, FLAG: flag, NUMBERS: "as before" if is_same else "others"}


NUMBERS = "the numbers afterwards"
FLAG = "requires_grad afterwards"


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
    """This asks whether the two are the same object. Two tensors can share memory and count."""
    return a is b


def same_memory(a, b):
    """This asks for shared memory. .data shares it and has a count of its own, and two parts of one tensor share the
    count without overlapping.
    """
    return bool(np.shares_memory(a.detach().numpy(), b.detach().numpy()))


def view_and_base(a, b):
    """_base finds a view and its base, but not what detach() gives, and not two views of the same base."""
    return b._base is a or a._base is b


def same_base(a, b):
    """The object, or the base of a view, is asked for, and that does not tell who counts: detach() gives a tensor that
    is no view and shares the count. Write to a, and look.
    """
    bases = [one if one._base is None else one._base for one in (a, b)]
    return bases[0] is bases[1]


def b_is_a_view(a, b):
    """_base says that b is a view. It need not be one of a, and detach() gives none."""
    return b._base is not None


# ---------------------------------------------------------------- tried as well


def counted_by_memory_and_not_by_data(a, b):
    """Knows nothing of parts that do not overlap."""
    before = b._version
    with mg.no_grad():
        a.add_(0)
    return bool(np.shares_memory(a.detach().numpy(), b.detach().numpy())) and b._version > before


def counted_by_two_writes(a, b):
    before = b._version
    a.detach().mul_(2).div_(2)
    return np.bool_(b._version != before)


def counted_by_the_difference(a, b):
    first, second = a._version, b._version
    with mg.no_grad():
        a += 0
    return bool((a._version - first) == (b._version - second))


def counted_from_the_other_side(a, b):
    """Who shares a count shares it both ways."""
    before = a._version
    with mg.no_grad():
        b.add_(0)
    return a._version != before


def counted_at_the_first_element(a, b):
    """Not where there is no dimension."""
    before = b._version
    with mg.no_grad():
        a[0] = a[0].clone()
    return b._version - before > 0


EXERCISE = Exercise(
    title="True if a write to a is counted at b too",
    stars=1,
    minutes=5,
    reference=counted_together,
    cases=(
        _pair("t", "t.detach()", is_trained=True),
        _pair("t", "t.data", is_trained=True),
        _pair("t", "t.data"),
        _pair("t", "t.clone()", (float("inf"), float("nan"), 1e-8)),
        _pair("t", "t[[0, 1]]"),
        _pair("t[:1]", "t[1:]"),
        _pair("t.view(3, 1)", "t", writes=2),
        _pair("t", "t.clone()", writes=2),
        _pair("t", "t"),
        _pair("t.detach()", "t", 3.0, is_trained=True),
        _pair("t.T", "t", [[3.0, 0.5], [1.0, -1.0]], is_trained=True),
        _pair("t", "t[1:]"),
        _pair("t", "t.clone().mul_(1)"),  # written to once, as t is then
        _pair("t.mul(1)[1:]", "t.mul(1)[1:]", is_trained=True),
    ),
    drawn=_drawn,
    hints=(
        "Try it: write to a, and look whether the count at b has changed.",
        "The write must not change the numbers: a.add_(0) is one. It counts all the same.",
        "Note b._version, then `with mg.no_grad(): a.add_(0)`, then compare b._version with what you noted.",
    ),
    plug=_asking,
    # Who writes what is there already has left the numbers as they are; a view has new nodes after any write to it.
    may_leave=("version", "graph", "nodes"),
    notes={FLAG: "The answer is right, but it has switched requires_grad, and not back."},
    evidence=_evidence,
    mistakes=(
        Mistake(
            edited(same_numbers, "tolist() == b.tolist()", "_version == b._version"),
            edited(
                counted_together,
                *("before = b._version\n    ", "", "return b._version != before", "return a._version == b._version"),
            ),
            words="Two counts can be equal by chance: both are 0 before anybody writes, and 1 after a write to each. "
            "Note the count at b, write to a, and look whether it has changed.",
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
        Mistake(same_base, edited(view_and_base, "return", "return a is b or")),
        Mistake(
            counted_at_the_first_element,
            words="A tensor that holds one number and has no dimension has no first element: a[0] is an error there. "
            "a.add_(0) takes any shape.",
            when=raised("invalid index of a 0-dim tensor"),
        ),
        Mistake(
            edited(
                counted_together,
                "with mg.no_grad():",
                "try:",
                "    return",
                "    except RuntimeError:\n        pass\n    return",
            ),
            words="Nothing was written to a leaf that requires a gradient, and nothing counted, as where the error "
            "is caught. Inside `with mg.no_grad():` it may be written to.",
        ),
        Mistake(
            edited(counted_together, "with mg.no_grad():\n        a", "a", "_version != before", "_version > before"),
            words="A leaf that requires a gradient may not be written to while operations are recorded. Inside "
            "`with mg.no_grad():` it may.",
            when=raised("a leaf Variable that requires grad"),
        ),
        Mistake(
            edited(counted_together, "with", "if a.is_leaf:\n        a.requires_grad_(False)\n    with"),
            words="requires_grad was switched off, and not on again. Inside `with mg.no_grad():` it may stay on.",
            when=saw(FLAG, "switched off"),
        ),
        Mistake(
            edited(counted_together, "return", "a.requires_grad_(True)\n    return"),
            edited(counted_together, "with", "a.detach_()\n    with", "return", "a.requires_grad_()\n    return"),
            words="requires_grad is on where it was off before. Leave the flag alone: inside `with mg.no_grad():` a "
            "leaf that has it may be written to.",
            when=saw(FLAG, "switched on"),
        ),
        Mistake(
            edited(counted_together, "add_(0)", "add_(1).sub_(1)"),
            edited(counted_together, "add_(0)", "zero_()"),
            words="The write has changed the numbers. What is added and taken away again, or multiplied and divided, "
            "can be rounded on the way. Adding 0 changes no number, and it counts: a.add_(0).",
            when=saw(NUMBERS, "others"),
        ),
        Mistake(
            edited(counted_together, "add_(0)", "mul_(1)", "_version != before", "_version == before"),
            words="True and False have changed places.",
        ),
        Mistake(
            edited(counted_together, "before = b._version", "before = a._version", "return b", "return a"),
            edited(counted_together, "a.add_(0)", "b += 0", "_version != before", "_version > before"),
            words="True for every pair, as where b is written to, or the count of a is compared. Write to a, and look "
            "whether the count of b has changed.",
        ),
        Mistake(
            edited(counted_together, "with mg.no_grad():\n        a", "a.data"),
            edited(counted_together, "a.add_(0)", "a = a + 0"),
            words="False for every pair: between the two looks at b nothing was counted. .data has a count of its "
            "own, and a + 0 makes a new tensor. Note the count, then write: a.add_(0).",
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
        counted_from_the_other_side,
        edited(
            counted_at_the_first_element,
            "a[0] = a[0].clone()",
            "one = a[(slice(1),) * a.ndim]\n        one.copy_(one.clone())",
        ),
        edited(counted_together, "a.add_(0)", "a.detach().mul_(1)", "!= before", "== before + 1"),
        edited(
            counted_together, "add_(0)", "copy_(a.clone())", "b._version != before", "np.bool_(b._version > before)"
        ),
    ),
    wrong={
        "between the two looks at b nothing was counted": [
            edited(counted_together, "before = b._version\n    ", "", "return", "before = b._version\n    return"),
        ],
        "as where b is written to, or the count": [edited(same_object, "a is b", "True")],
        "The write has changed the numbers … holds other numbers than before": [
            edited(counted_together, "add_(0)", "zero_()", "_version != before", "_version > before"),
        ],
        "requires_grad was switched off": [
            edited(
                counted_together,
                "with",
                "if a.is_leaf:\n        a.requires_grad = False\n    with",
                "add_(0)",
                "mul_(1)",
            )
        ],
        "view size is not compatible": [
            edited(
                counted_at_the_first_element,
                "a[0] = a[0].clone()",
                "one = a.view(-1)[:1]\n        one.copy_(one.clone())",
            )
        ],
        "The write has changed the numbers": [
            edited(
                counted_together, "before =", "given, before = a.detach().clone(),", "add_(0)", "mul_(0).add_(given)"
            ),
            edited(counted_together, "add_(0)", "mul_(10).div_(10)"),
            edited(counted_together, "add_(0)", "clamp_(min=a.min().item())"),
            edited(
                counted_together,
                "add_(0)",
                "copy_(mg.tensor([round(one, 6) for one in a.reshape(-1).tolist()]).reshape(a.shape))",
            ),
            edited(counted_together, "add_(0)", "div_(3).mul_(3)"),
        ],
        "": [counted_by_memory_and_not_by_data],
        "The answer is True or False; this is an int": [lambda a, b: int(counted_together(a, b))],
        "The answer is True or False; this is a Tensor": [lambda a, b: mg.tensor(counted_together(a, b))],
    },
)

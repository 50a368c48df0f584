"""Chapter 05, exercise: are writes to one tensor counted at another?"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import no_grad
from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter05.shared import CHAPTER
from minigrad.teach.comparing import Difference, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.tensor import Tensor


def counted_together(a: Tensor, b: Tensor) -> bool:
    """Whether a write to a is counted at b."""
    before = b._version
    with no_grad():
        a.add_(0)
    return b._version != before


def _three(requires_grad: bool = False) -> Tensor:
    return tensor([3.0, 1.0, -1.0], requires_grad=requires_grad)


def _with_detached() -> tuple[Tensor, Tensor]:
    t = _three(requires_grad=True)
    return t, t.detach()


def _with_data() -> tuple[Tensor, Tensor]:
    t = _three()
    return t, t.data


def _with_clone() -> tuple[Tensor, Tensor]:
    t = _three()
    return t, t.clone()


def _with_picked() -> tuple[Tensor, Tensor]:
    t = _three()
    return t, t[[0, 1]]


def _two_parts() -> tuple[Tensor, Tensor]:
    t = _three()
    return t[:1], t[1:]


def _with_base() -> tuple[Tensor, Tensor]:
    t = _three()
    t.mul_(2)
    return t.view(3, 1), t


def _written_and_copied() -> tuple[Tensor, Tensor]:
    t = _three()
    t.mul_(2)
    return t, t.clone()


def _same() -> tuple[Tensor, Tensor]:
    t = _three()
    return t, t


def _compare_answers(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    if isinstance(got, bool | np.bool_):
        return None if got == expected else Difference("the answer", str(got), str(expected))
    return Difference("the answer", show(got), str(expected), "The answer is True or False.")


def _evidence(outcome: Outcome) -> str:
    a, b = outcome.arguments
    memory = "show the same memory" if np.shares_memory(a.detach().numpy(), b.detach().numpy()) else "overlap nowhere"
    before = b._version
    with no_grad():
        a.add_(0)
    return f"  a and b {memory}; a.add_(0) took b._version from {before} to {b._version}"


def _without_base(a: Tensor, b: Tensor) -> bool:
    return a._base is b or b._base is a


COUNTED_TOGETHER = Exercise(
    name="counted_together",
    chapter=CHAPTER,
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
    ),
    hints=(
        "Try it: write to a, and look whether the count at b has changed.",
        "The write must not change the numbers: a.add_(0) is one. It counts all the same.",
        "Note b._version, then `with mg.no_grad(): a.add_(0)`, then compare b._version with what you noted.",
    ),
    compare=_compare_answers,
    evidence=_evidence,
    mistakes=(
        Mistake(
            "Two counts can be equal by chance: both are 0 before anybody writes. Write to a, and look whether the "
            "count at b changes.",
            lambda a, b: a._version == b._version,
        ),
        Mistake(
            "Equal numbers say nothing about memory: a clone has them too.",
            lambda a, b: a.shape == b.shape and bool((a == b).all()),
        ),
        Mistake(
            "`is` asks whether the two are the same object. Two tensors can share memory and count.",
            lambda a, b: a is b,
        ),
        Mistake(
            "This asks for shared memory. .data shares it and has a count of its own, and two parts of one tensor "
            "share the count without overlapping.",
            lambda a, b: np.shares_memory(a.detach().numpy(), b.detach().numpy()),
        ),
        Mistake(
            "_base finds a view and its base, but not what detach() gives, and not two views of the same base.",
            _without_base,
        ),
        Mistake(
            "A leaf that requires a gradient may be written to inside `with mg.no_grad():` only.",
            when=raised("a leaf Variable that requires grad"),
        ),
        Mistake(
            "True and False have changed places.",
            lambda a, b: not counted_together(a, b),
        ),
        Mistake(
            "True for every pair. You write to a, and it is the count of b that may change or not.",
            lambda a, b: True,
        ),
        Mistake(
            "False for every pair: the write was not counted, or there was none. .data has a count of its own, and "
            "a + 0 makes a new tensor; a.add_(0) writes.",
            lambda a, b: False,
        ),
        Mistake(
            "Whether the two have the same _base: two tensors without a base both have None, and a view and its base "
            "have different ones.",
            lambda a, b: a._base is b._base,
        ),
        Mistake(
            "_base says that b is a view. It need not be one of a, and detach() gives none.",
            lambda a, b: b._base is not None,
        ),
    ),
)

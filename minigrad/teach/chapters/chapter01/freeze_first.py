"""Exercise `freeze_first`: tensors that train no longer."""

from __future__ import annotations

from typing import Any

from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter01.common import CHAPTER
from minigrad.teach.comparing import Difference, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.tensor import Tensor


def freeze_first(parameters: list[Tensor], count: int) -> list[Tensor]:
    """Freeze the first tensors of a list; the others are returned."""
    for parameter in parameters[:count]:
        parameter.requires_grad_(False)
    return parameters[count:]


def _parameters(count: int) -> Case:
    def make() -> tuple[list[Tensor], int]:
        return [tensor(float(number), requires_grad=True) for number in range(1, 5)], count

    return Case(f"four leaves that hold 1 to 4, count = {count}", make)


def _flags_after(value: Any, arguments: tuple[Any, ...]) -> Any:
    """What is compared: the answer, and the flags of the caller's tensors afterwards."""
    return value, arguments[0]


def _compare_frozen(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    (wanted, _), (returned, parameters) = expected, got
    if not isinstance(returned, list):
        return Difference("the answer", show(returned), show(wanted), "A list of tensors is asked for.")
    count = outcome.arguments[1]
    for number, parameter in enumerate(parameters, 1):
        if not isinstance(parameter, Tensor):
            return Difference(f"parameter {number}", show(parameter), "a tensor", "The list was changed.")
        if parameter.requires_grad != (number > count):
            flag = str(parameter.requires_grad)
            return Difference(f"requires_grad of parameter {number}", flag, str(number > count))
    if [id(item) for item in returned] != [id(item) for item in parameters[count:]]:
        return Difference("the list returned", show(returned), show(wanted), "It should hold those that still train.")
    return None


def _show_frozen(value: Any, arguments: tuple[Any, ...]) -> str:
    if value is None:
        return show(value)
    returned, parameters = value
    flags = ", ".join(str(getattr(parameter, "requires_grad", "no tensor")) for parameter in parameters)
    return f"returned {show(returned)}; requires_grad of the four: {flags}"


def _all_frozen(parameters: list[Tensor], count: int) -> Any:
    for parameter in parameters:
        parameter.requires_grad_(False)
    return parameters[count:]


def _last_frozen(parameters: list[Tensor], count: int) -> Any:
    for parameter in parameters[count:]:
        parameter.requires_grad_(False)
    return parameters[:count]


def _one_more_frozen(parameters: list[Tensor], count: int) -> Any:
    return freeze_first(parameters, count + 1)


def _all_returned(parameters: list[Tensor], count: int) -> Any:
    freeze_first(parameters, count)
    return parameters


def _frozen_returned(parameters: list[Tensor], count: int) -> Any:
    for parameter in parameters[:count]:
        parameter.requires_grad_(False)
    return parameters[:count]


FREEZE_FIRST = Exercise(
    name="freeze_first",
    chapter=CHAPTER,
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
            "The list itself was changed. Leave it as it is, and return another one.",
            when=lambda outcome: isinstance(outcome.value, tuple) and len(outcome.arguments[0]) != 4,
        ),
        Mistake(
            "The caller's tensors are as they were: none was frozen, or new ones were. detach() and clone() make new "
            "tensors; change the flag of the old ones.",
            when=lambda outcome: (
                isinstance(outcome.value, tuple)
                and outcome.arguments[1] > 0
                and all(getattr(parameter, "requires_grad", False) for parameter in outcome.value[1])
            ),
        ),
        Mistake(
            "requires_grad_ is a method, and nothing can be assigned to it. Call it, requires_grad_(False), or assign "
            "to the flag requires_grad.",
            when=raised("'requires_grad_' is read-only"),
        ),
        Mistake("One too many was frozen: parameters[:count] are the first `count`.", _one_more_frozen),
        Mistake(
            "All tensors were returned. Asked for are those that still train, without the frozen ones.", _all_returned
        ),
        Mistake("The wrong end was frozen: the first ones are asked for.", _last_frozen),
        Mistake("All of them were frozen, so nothing trains any more.", _all_frozen),
        Mistake("The frozen ones were returned. Asked for are those that still train.", _frozen_returned),
    ),
)

"""The exercises that change the gradient of one branch only: `turned_around` and `limited`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from minigrad.autograd.engine import grad
from minigrad.autograd.hooks import RemovableHandle
from minigrad.creation.data import tensor
from minigrad.teach.chapters.chapter04.running_example import CHAPTER, names_in, trunk
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node, numbers
from minigrad.tensor import Tensor

ARRIVING = ([-30.0, 40.0], [0.25, -0.5], [0.0, 0.0])  # gradients that arrive at the result, in turn


@dataclass(frozen=True)
class Branch:
    """What was found out about a learner's branch: its numbers, what h gets through it and beside it, and what it gets
    when one gradient arrives at both.
    """

    numbers: Tensor
    through: list[Tensor | None]
    beside: Tensor
    together: Tensor

    @property
    def writes_into_gradient(self) -> bool:
        """Whether each way by itself is as it should be, and both together are not their sum."""
        through = self.through[0]
        return through is not None and compare(through + self.beside, self.together) is not None


def _tried(value: Any, arguments: tuple[Any, ...]) -> Any:
    """Send gradients through the learner's result, and one to h by another way."""
    h = arguments[0]
    if not isinstance(value, Tensor) or value.shape != h.shape:
        return value
    (beside,) = grad(h * 1, h, grad_outputs=tensor(ARRIVING[0]))
    (together,) = grad(value + h, h, grad_outputs=tensor(ARRIVING[0]), retain_graph=True)
    if not value.requires_grad:
        return Branch(value.detach(), [None] * len(ARRIVING), beside, together)
    through = [
        grad(value, h, grad_outputs=tensor(arriving), retain_graph=True, allow_unused=True)[0] for arriving in ARRIVING
    ]
    return Branch(value.detach(), through, beside, together)


def _compare_branches(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    if not isinstance(got, Branch):
        return Difference("the answer", show(got), show(expected.numbers), "A tensor of the shape of h is asked for.")
    difference = compare(expected.numbers, got.numbers, "the result")
    if difference is not None:
        return difference
    for arriving, wanted, mine in zip(ARRIVING, expected.through, got.through, strict=True):
        if mine is None:
            where = f"what goes on to h when {_numbers(tensor(arriving))} comes in"
            return Difference(where, "nothing", _numbers(wanted), "No gradient goes back to h.")
        difference = compare(wanted, mine, f"what goes on to h when {_numbers(tensor(arriving))} comes in, element ")
        if difference is not None:
            return difference
    difference = compare(expected.beside, got.beside, "beside it, from another use of h, element ")
    return difference or compare(expected.together, got.together, "both at once, in branch + h, element ")


def _show_branch(value: Any, arguments: tuple[Any, ...]) -> str:
    if not isinstance(value, Branch):
        return show(value)
    lines = [f"holds {_numbers(value.numbers)}"]
    for arriving, sent in zip(ARRIVING, value.through, strict=True):
        lines.append(f"  through it: {_numbers(tensor(arriving))} comes in, {_numbers(sent)} goes on to h")
    lines.append(f"  beside it: {_numbers(tensor(ARRIVING[0]))} comes in, {_numbers(value.beside)} goes on")
    if value.writes_into_gradient:
        lines.append(f"  both at once: {_numbers(tensor(ARRIVING[0]))} comes in, {_numbers(value.together)} goes on")
    return "\n".join(lines)


def _numbers(value: Tensor | None) -> str:
    """The numbers of a tensor, with 0 for -0."""
    return "nothing" if value is None else show(value.detach() + 0.0).removeprefix("tensor(").removesuffix(")")


def _is(test: Callable[[Branch], bool]) -> Callable[[Outcome], bool]:
    return lambda outcome: isinstance(outcome.value, Branch) and test(outcome.value)


def _case(words: str, numbers: list[float], amount: float) -> Case:
    return Case(f"h holds {_numbers(trunk(numbers))}, {words} = {amount}", lambda: (trunk(numbers), amount))


def _changed_by(hook: Callable[[Any, Any], Any]) -> Callable[[Tensor, Any], Any]:
    """A branch with a hook, for the mistakes."""

    def branch(h: Tensor, amount: Any) -> Any:
        own = h.clone()
        own.register_hook(lambda g: hook(g, amount))
        return own

    return branch


def _walks_on(outcome: Outcome) -> str:
    """How long what arrives is, and what goes on to h."""
    if not isinstance(outcome.value, Branch):
        return ""
    rows = []
    for arriving, sent in zip(ARRIVING, outcome.value.through, strict=True):
        length = "nothing" if sent is None else f"length {sent.norm().item():.4g}"
        rows.append(f"  the engine walked: length {tensor(arriving).norm().item():.4g} comes in, {length} goes on")
    return "\n".join(rows)


def _pictures(reference: Callable[..., Tensor]) -> Callable[[Outcome, Difference], str]:
    """The learner's graph, walked with the gradient of the first difference, and in red the box where it goes wrong."""

    def draw(outcome: Outcome, difference: Difference) -> str:
        made, right = outcome.case.make(), outcome.case.make()
        answer: Any = outcome.answer
        result, expected = answer(*made), reference(*right)
        names = names_in(made[0])
        if difference.where.startswith("the result"):
            return draw_wrong_node(result, names, result, "✗ other numbers", tensor(ARRIVING[0]), answer)
        if not result.requires_grad:
            return draw_wrong_node(result, names, result, "✗ no way back to h", None, answer)
        arriving = next((one for one in ARRIVING if _numbers(tensor(one)) in difference.where), ARRIVING[0])
        if outcome.value.writes_into_gradient:
            return draw_wrong_node(result, names, result, "✗ writes into g", tensor(ARRIVING[0]), answer)
        if not difference.where.startswith("what goes on"):
            result, expected = result + made[0], expected + right[0]
        (gradient,) = grad(expected, right[0], grad_outputs=tensor(arriving))
        return draw_wrong_node(result, names, made[0], f"✗ expected {numbers(gradient)}", tensor(arriving), answer)

    return draw


def _mistakes_of_place(word: str) -> tuple[Mistake, ...]:
    """The mistakes that both exercises share: the hook is in the wrong place, or says nothing."""
    return (
        Mistake(
            "This is the handle of the hook. The tensor on which it hangs is asked for.",
            when=lambda outcome: isinstance(outcome.value, RemovableHandle),
        ),
        Mistake(
            "The hook gave a number. It has to return a tensor of the gradient's shape: multiply the gradient by the "
            "number.",
            when=raised("expected Variable, but hook returned"),
        ),
        Mistake(
            "The hook hangs on h itself, so it changes what comes from every use of h. Make a tensor of its own for "
            "this branch, h.clone(), and hang it there.",
            when=_is(lambda branch: compare(tensor(ARRIVING[0]), branch.beside) is not None),
        ),
        Mistake(
            "The hook writes into the gradient that it is given. Here h gets the same one by another way, and it was "
            "changed there, too. Return a new tensor, g * ... instead of g *= ...",
            when=_is(lambda branch: branch.writes_into_gradient),
        ),
        Mistake(
            "Nothing arrives at h: detach() or .data cut the branch off. The branch must stay in the graph.",
            when=_is(lambda branch: all(sent is None for sent in branch.through)),
        ),
        Mistake(
            f"The gradient goes on as it came: what you return has no hook, or one that returns nothing. Hang it on "
            f"the tensor that you return, and let it return the {word} gradient.",
            when=_is(
                lambda branch: all(
                    compare(tensor(arriving), sent) is None
                    for arriving, sent in zip(ARRIVING, branch.through, strict=True)
                )
            ),
        ),
    )


# ---------------------------------------------------------------- turned_around


def turned_around(h: Tensor, strength: float) -> Tensor:
    """The numbers of h; gradients through the result arrive at h times -strength."""
    branch = h.clone()
    branch.register_hook(lambda g: g * -strength)
    return branch


TURNED_AROUND = Exercise(
    name="turned_around",
    chapter=CHAPTER,
    title="a tensor with the numbers of h, through which gradients reach h multiplied by -strength",
    stars=1,
    minutes=6,
    reference=turned_around,
    cases=(
        _case("strength", [1.0, 2.0], 0.5),
        _case("strength", [0.5, -1.0], 2.0),
        _case("strength", [1.0, 1.0], 1.0),
    ),
    hints=(
        "The numbers stay, only the gradient changes: that is work for a hook, not for an operation.",
        "The hook must not hang on h. branch = h.clone() is a tensor of its own, with the same numbers.",
        "branch.register_hook(lambda g: g * -strength), and return branch.",
    ),
    compare=_compare_branches,
    observe=_tried,
    show=_show_branch,
    evidence=_walks_on,
    picture=_pictures(turned_around),
    mistakes=(
        *_mistakes_of_place("turned"),
        Mistake(
            "The operation turns the numbers around, too. Only the gradient was to change: use a hook.",
            lambda h, strength: h * -strength,
        ),
        Mistake(
            "The numbers were turned around, and the gradient as well, once by the operation and once by the hook. "
            "Only the gradient was to change: h.clone(), and one hook.",
            when=_is(lambda branch: branch.numbers.tolist() != branch.numbers.abs().tolist()),
        ),
        Mistake("The sign is missing: the gradient is to be turned around.", _changed_by(lambda g, by: g * by)),
        Mistake(
            "strength was subtracted. The gradient is to be multiplied by -strength.", _changed_by(lambda g, by: g - by)
        ),
        Mistake(
            "The gradient that comes in is not in what goes on: the hook returns the same for each.",
            _changed_by(lambda g, by: g * 0 - by),
        ),
        Mistake("The strength was left out: the gradient is only turned around.", _changed_by(lambda g, by: -g)),
        Mistake(
            "A hook gets one argument, the gradient. strength is known inside your function: a lambda can use it.",
            when=raised("missing", "argument"),
        ),
    ),
)


# ---------------------------------------------------------------- limited


def limited(h: Tensor, limit: float) -> Tensor:
    """The numbers of h; gradients through the result arrive at h no longer than limit."""

    def shorten(g: Tensor) -> Tensor:
        length = g.norm().item()
        return g * (limit / length) if length > limit else g

    branch = h.clone()
    branch.register_hook(shorten)
    return branch


LIMITED = Exercise(
    name="limited",
    chapter=CHAPTER,
    title="a tensor with the numbers of h, through which no gradient longer than limit reaches h",
    stars=2,
    minutes=8,
    reference=limited,
    cases=(
        _case("limit", [1.0, 2.0], 5.0),
        _case("limit", [0.5, -1.0], 1.0),
    ),
    hints=(
        "As in turned_around: a tensor of its own, and a hook on it. This hook has to look at the length first.",
        "g.norm().item() is the length. A gradient that is short enough goes on as it is.",
        "length = g.norm().item(); return g * (limit / length) if length > limit else g.",
    ),
    compare=_compare_branches,
    observe=_tried,
    show=_show_branch,
    evidence=_walks_on,
    picture=_pictures(limited),
    mistakes=(
        *_mistakes_of_place("shortened"),
        Mistake(
            "Each element was clipped by itself, which changes the direction. Multiply the whole gradient by one "
            "number.",
            _changed_by(lambda g, limit: g.clamp(-limit, limit)),
        ),
        Mistake(
            "Every gradient gets the length of the limit, and short ones are made longer. Leave those as they are.",
            when=_is(
                lambda branch: (
                    branch.through[0] is not None
                    and branch.through[1] is not None
                    and branch.through[1].norm().item() > 0.9
                    and compare(branch.through[0].norm().item(), branch.through[1].norm().item()) is None
                )
            ),
        ),
        Mistake(
            "A gradient can be all zeros, and then its length is 0. Ask whether it is too long before you divide.",
            when=lambda outcome: isinstance(outcome.error, ZeroDivisionError),
        ),
        Mistake(
            "This compares or divides by the length squared. The length is the square root of it, g.norm().",
            _changed_by(lambda g, limit: g * (limit / (g * g).sum().item()) if (g * g).sum().item() > limit else g),
        ),
        Mistake(
            "A long gradient gets the length 1, and then it is not multiplied by limit.",
            _changed_by(lambda g, limit: g / g.norm() if g.norm().item() > limit else g),
        ),
        Mistake(
            "The factor is upside down: a gradient that is twice too long has to be halved, limit / length.",
            _changed_by(lambda g, limit: g * (g.norm().item() / limit) if g.norm().item() > limit else g),
        ),
        Mistake(
            "The largest element was taken for the length. The length is g.norm().",
            _changed_by(lambda g, limit: g * (limit / max(g.abs().max().item(), limit))),
        ),
        Mistake(
            "The sum of the absolute values was taken for the length. The length is g.norm().",
            _changed_by(lambda g, limit: g * (limit / max(g.abs().sum().item(), limit))),
        ),
        Mistake(
            "The numbers of h were shortened. They stay as they are; only the gradient is to be shortened, by a hook.",
            when=lambda outcome: _is(lambda branch: compare(outcome.arguments[0].detach(), branch.numbers) is not None)(
                outcome
            ),
        ),
        Mistake(
            "Long gradients become zero. They should keep their direction, and the length of the limit.",
            _changed_by(lambda g, limit: g * 0 if g.norm().item() > limit else g),
        ),
    ),
)

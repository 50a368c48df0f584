"""Chapter 05, exercise: another tensor with one row replaced, and gradients that know of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.autograd.engine import grad
from minigrad.creation.data import tensor, zeros_like
from minigrad.creation.factories import arange
from minigrad.teach.chapters.chapter05.shared import CHAPTER
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.exercise import Case, Exercise, Mistake, Outcome, raised
from minigrad.teach.wrong_node import draw_wrong_node
from minigrad.tensor import Tensor


def replace_row(h: Tensor, row: int, values: Tensor) -> Tensor:
    """A tensor like h, with one row replaced."""
    result = h.clone()
    result[row] = values
    return result


def _table(words: str, make_h: Callable[[Tensor], Tensor], row: int, values: list[float]) -> Case:
    def make() -> tuple[Tensor, int, Tensor]:
        leaf = tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
        return make_h(leaf), row, tensor(values, requires_grad=True)

    return Case(f"{words}, row = {row}, values = {values}", make)


def _with_gradients(value: Any, arguments: tuple[Any, ...]) -> Any:
    """What is compared: the answer, and the gradients of h and values for weights 1, 2, 3 and so on."""
    h, _, values = arguments
    if not isinstance(value, Tensor) or not value.requires_grad or value.shape != h.shape:
        return (value, None, None)
    found = grad(value, (h, values), _weights(), retain_graph=True, allow_unused=True)
    return (value, *found)


def _weights() -> Tensor:
    return arange(1.0, 7.0).reshape(3, 2)


def _compare_replaced(expected: Any, got: Any, outcome: Outcome) -> Difference | None:
    difference = compare(expected[0], got[0])
    if difference is not None:
        return difference
    for name, wanted, mine in zip(("h", "values"), expected[1:], got[1:], strict=True):
        if mine is None:
            return Difference(f"the gradient of {name}", "None", show(wanted), f"No gradient goes back to {name}.")
        difference = compare(wanted, mine, f"the gradient of {name}")
        if difference is not None:
            return difference
    return None


def _show_replaced(value: Any, arguments: tuple[Any, ...]) -> str:
    if not isinstance(value, tuple):
        return show(value)
    answer, of_h, of_values = value
    if not isinstance(answer, Tensor):
        return show(answer)
    return f"{show(answer)}; gradient of h: {show(of_h)}, of values: {show(of_values)}"


def _weighted(outcome: Outcome) -> str:
    _, row, _ = outcome.arguments
    return (
        f"  with weights 1 to 6 for the elements of the answer:\n  h[{row}] is not in it, so moving h[{row}] changes "
        f"nothing; values has the weights [{2 * row + 1}, {2 * row + 2}]"
    )


def _draw(outcome: Outcome, difference: Difference) -> str:
    """The learner's graph, walked with the weights, and in red where it goes wrong: the answer, h, or values."""
    h, _, values = made = outcome.case.make()
    answer: Any = outcome.answer
    result = answer(*made)
    names = {"h": h, "values": values}
    if h._version == 0 and not h.is_leaf:
        names["leaf"] = _leaf_behind(h)
    if difference.where.startswith("the answer") or not result.requires_grad:
        words = "✗ no history" if difference.where.startswith("the gradient") else "✗ other numbers"
        return draw_wrong_node(result, names, result, words, _weights() if result.requires_grad else None, answer)
    if h._version:
        return draw_wrong_node(result, names, h, "✗ was written to", _weights(), answer)
    name = "h" if "of h" in difference.where else "values"
    words = f"✗ no way back to {name}" if difference.yours == "None" else "✗ expected other ones"
    return draw_wrong_node(result, names, names[name], words, _weights(), answer)


def _leaf_behind(result: Any) -> Tensor:
    """The leaf from which one operation made a result."""
    leaf: Tensor = result.grad_fn.next_functions[0][0].variable
    return leaf


def _filled(rows: slice) -> Callable[[Tensor, int, Tensor], Tensor]:
    def wrong(h: Tensor, row: int, values: Tensor) -> Tensor:
        result = h.clone()
        result[rows] = values
        return result

    return wrong


def _added(h: Tensor, row: int, values: Tensor) -> Tensor:
    result = h.clone()
    result[row] = h[row] + values
    return result


def _alone(h: Tensor, row: int, values: Tensor) -> Tensor:
    return replace_row(zeros_like(h), row, values)


def _no_gradients(h: Tensor, row: int, values: Tensor) -> Tensor:
    return replace_row(h.detach(), row, values.detach())


def _values_cut(h: Tensor, row: int, values: Tensor) -> Tensor:
    return replace_row(h, row, values.detach())


def _h_cut(h: Tensor, row: int, values: Tensor) -> Tensor:
    return replace_row(h.detach(), row, values)


def _through_data(h: Tensor, row: int, values: Tensor) -> Tensor:
    result = h.clone()
    result.data[row] = values.detach()
    return result


def _column(h: Tensor, row: int, values: Tensor) -> Tensor:
    result = h.clone()
    result[:, row] = values
    return result


def _wrote_into_h(outcome: Outcome) -> bool:
    if outcome.error is not None:
        text = str(outcome.error)
        return "leaf Variable" in text or "modified by an inplace" in text
    return outcome.changed == 0


REPLACE_ROW = Exercise(
    name="replace_row",
    chapter=CHAPTER,
    title="a tensor like h, in which h[row] is replaced by values; gradients go to both",
    stars=2,
    minutes=7,
    reference=replace_row,
    cases=(
        _table("h = leaf.exp(), leaf of shape [3, 2]", lambda leaf: leaf.exp(), 1, [7.0, 8.0]),
        _table("h = leaf * 2", lambda leaf: leaf * 2, 0, [0.0, -1.0]),
        _table("h = leaf", lambda leaf: leaf, 2, [1.0, 1.0]),
    ),
    hints=(
        "h must stay as it is: exp has saved it. Write into something else that has the same numbers.",
        "clone() is an operation like any other: it is recorded, and gradients go back through it. So is a write.",
        "result = h.clone(), then result[row] = values, then return result.",
    ),
    observe=_with_gradients,
    compare=_compare_replaced,
    show=_show_replaced,
    evidence=_weighted,
    picture=_draw,
    mistakes=(
        Mistake("h itself was written to. Write into h.clone(), and leave h as it is.", when=_wrote_into_h),
        Mistake(
            "The write through .data was not recorded: the numbers are new and the gradients those of the old row.",
            _through_data,
        ),
        Mistake("h was cut off: detach() keeps its gradient from going back. Take h.clone().", _h_cut),
        Mistake(
            "values was cut off: detach(), tolist() or .data on it keeps its gradient from going back.", _values_cut
        ),
        Mistake(
            "Both were cut off, or everything happened inside no_grad(): the answer has no history.",
            _no_gradients,
        ),
        Mistake(
            "A copy was changed, but h was returned, or the row of a copy of the row: nothing is replaced in the "
            "answer.",
            lambda h, row, values: h.clone(),
        ),
        Mistake("values was added to the row. It takes the row's place: =, not +=.", _added),
        Mistake("The other rows are gone: the answer was begun with zeros instead of a copy of h, h.clone().", _alone),
        Mistake("Every row was replaced. result[row] = values writes to one of them.", _filled(slice(None))),
        Mistake("The first row was replaced. row says which one.", _filled(slice(1))),
        Mistake(
            "This is the row alone. The whole tensor is asked for, with the row in it.",
            when=lambda outcome: isinstance(outcome.value, tuple) and getattr(outcome.value[0], "ndim", 2) == 1,
        ),
        Mistake("A column was replaced. h[row] is the row.", when=raised("must match the existing size")),
    ),
)

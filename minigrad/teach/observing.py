"""What counts beside an answer's value, and how a mistake is recognised by it.

Many an exercise asks for more than the right numbers: that a tensor has moved, a function ran once, gradients arrive
where they should. An `observer` runs the answer and says what it saw, by name. Then comparing and showing need no words
of their own: the first name under which something else was seen is the first difference.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from minigrad.autograd import grad
from minigrad.teach.comparing import ANSWER, GRADIENT, NUMBER_RIGHT, SECOND, Seen, compare
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from minigrad.teach.exercise import Outcome

Function = Callable[..., Any]


def observer(look: Callable[..., Mapping[str, Any]], *, returns: bool = True) -> Callable[[Function], Function]:
    """For `plug`: `look(answer, *arguments)` runs an answer and returns what it saw, by name; first, what came back.

    Where an answer is asked for what it does, and not to return anything, it is `observer(look, returns=False)`: then
    None is no sign of a forgotten `return`, whatever is seen first.

    @observer
    def _with_calls(answer, f, x):
        return {"the answer": answer(f, x), "how often f was called": f.calls}
    """

    @functools.wraps(look)
    def plug(answer: Function) -> Function:
        def run(*arguments: Any) -> Any:
            seen = Seen(look(answer, *arguments))
            return seen.first if returns and (seen.first is None or seen.first is ...) else seen

        return run

    return plug


class StoppedError(BaseException):
    """What a function raises, to see what is left behind then. No Exception, as that of the stop button is none: who
    puts something back after `except Exception` alone does not do so here.
    """


class Noted:
    """A function that shows itself in words, and notes each of its calls: what `note` makes of the arguments then.

    An answer that is right is tried once more with it, when it raises an error: nothing may be left behind then.
    """

    error: BaseException | None = None

    def __init__(self, words: str, function: Function, note: Function = lambda *arguments: arguments) -> None:
        self.words, self.function, self.note = words, function, note
        self.calls: list[Any] = []

    def __call__(self, *arguments: Any) -> Any:
        self.calls.append(self.note(*arguments))
        if self.error is not None:
            raise self.error
        return self.function(*arguments)

    def __repr__(self) -> str:
        return self.words


def gradients_of(result: Any, tensors: Mapping[str, Tensor], weights: Tensor) -> dict[str, Any]:
    """For an observer: what a result sends to tensors, by their names, if its elements count as the weights say.

    None where nothing arrives; {} of what is no tensor of the weights' shape. And what a second walk brings, which
    begins with other numbers.
    """
    if not isinstance(result, Tensor) or result.shape != weights.shape:
        return {}
    if not result.requires_grad:
        return {GRADIENT + name: None for name in tensors}
    found = grad(result, list(tensors.values()), weights, retain_graph=True, allow_unused=True)
    sent = [one if one is None else one.clone() for one in found]  # a second walk may write where it lies
    again = walked_again(result, list(tensors.values()), weights)
    return {GRADIENT + name: one for name, one in zip(tensors, sent, strict=True)} | again


def walked_again(result: Tensor, inputs: list[Tensor], weights: Tensor) -> dict[str, Any]:
    """For an observer: what a second walk from a result brings to inputs, or the error that it raises. What it begins
    with lies in memory by columns, as a gradient does behind a transposed result.
    """
    turned = weights * -2
    if turned.ndim > 1:
        turned = turned.transpose(0, -1).contiguous().transpose(0, -1)
    try:
        return {SECOND: [*grad(result, inputs, turned, retain_graph=True, allow_unused=True)]}
    except Exception as error:
        return {SECOND: f"{type(error).__name__}: {error}"}


def has_graph(value: Any) -> bool:
    """Whether a tensor, or one in a list or tuple, comes with the graph that made it, and keeps that alive."""
    parts = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(part, Tensor) and part.requires_grad for part in parts)


def right_with_graph(mine: Any, right: Any) -> bool:
    """For `saw`: the numbers are right, and are tensors that keep their graphs alive."""
    found = compare(right, mine)
    return has_graph(mine) and found is not None and found.note.startswith(NUMBER_RIGHT)


# ---------------------------------------------------------------- for `when`


def raised(*parts: str, kind: type[BaseException] = BaseException) -> Callable[[Outcome], bool]:
    """For `when`: an error of the kind was raised whose text has all these parts."""
    return lambda outcome: isinstance(outcome.error, kind) and all(part in str(outcome.error) for part in parts)


def saw(name: str, test: Callable[[Any, Any], bool] | str) -> Callable[[Outcome], bool]:
    """For `when`: something was seen under this name for which `test(it, what is right)` holds, or which has these
    words in it.

    Of an exercise without an observer, "the answer" is all that is seen.
    """

    def holds(outcome: Outcome) -> bool:
        mine, right = (one if isinstance(one, Seen) else {ANSWER: one} for one in (outcome.value, outcome.right))
        if outcome.error is not None or name not in mine or name not in right:
            return False
        return test in str(mine[name]) if isinstance(test, str) else test(mine[name], right[name])

    return holds


def instead(wrong: Callable[[Any], Any], name: str = ANSWER) -> Callable[[Outcome], bool]:
    """For `when`: what came is not what is right, but what `wrong` makes of it."""
    return saw(name, lambda mine, right: compare(right, mine) is not None and compare(wrong(right), mine) is None)


def right_but(names: str, test: Callable[[Any, Any], bool] = lambda mine, right: True) -> Callable[[Outcome], bool]:
    """For `when`: the first that is not seen as it should be has this name, and `test(it, what is right)` holds.

    All that counts before it is right, then. The name may be a pattern, as in `notes`.
    """

    def holds(outcome: Outcome) -> bool:
        seen, right = outcome.seen, outcome.right if isinstance(outcome.right, Seen) else {}
        first = next((name for name in right if compare(right[name], seen.get(name)) is not None), "")
        return first in seen and fnmatchcase(first, names) and test(seen[first], right[first])

    return holds

"""An exercise, and what its check does with any answer at all.

An exercise has a reference that is right, cases to try, hints from vague to plain, and the mistakes that people make,
each with wrong answers that make it. A check runs the learner's function on each case until one fails, and then says
what was put in, what came out, what was expected, what finite differences say, and which mistake it looks like. A
mistake is recognised by what it does: an answer that does the same as a known wrong one on every case has made the
same mistake, and gets the words that stand there as its docstring.

Nothing that a learner passes may stop the notebook: the answer is always a card.
"""

from __future__ import annotations

import contextlib
import inspect
import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from minigrad import autograd
from minigrad.autograd.grad_mode import enable_grad
from minigrad.teach.answers import explained, failed_line, untouched
from minigrad.teach.card import Card, code, plain
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.limits import TookTooLongError, call_within, print_limit
from minigrad.teach.progress import kept
from minigrad.tensor import Tensor

Function = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """One set of arguments: in words, and made anew for each run."""

    words: str
    make: Callable[[], tuple[Any, ...]]


@dataclass(frozen=True)
class Outcome:
    """What a function did with one case: a value or an error, and the arguments as they were afterwards."""

    case: Case
    value: Any
    error: BaseException | None
    arguments: tuple[Any, ...]
    changed: int | None = None  # the number of the argument that was changed, if one was
    answer: Function | None = None  # the function itself, for pictures of the graph that it makes


class Mistake:
    """A typical mistake, and wrong answers that make it. The words for it are the docstring of the first.

    An answer has made the mistake if it does on every case what one of the wrong answers does; with `when`, if that
    says so about the case that failed.
    """

    def __init__(self, *answers: Function, when: Callable[[Outcome], bool] | None = None, words: str = "") -> None:
        self.answers, self.when = answers, when
        self.words = " ".join((words or answers[0].__doc__ or "").split())


def raised(*parts: str, kind: type[BaseException] = BaseException) -> Callable[[Outcome], bool]:
    """For `when`: an error of the kind was raised whose text has all these parts."""
    return lambda outcome: isinstance(outcome.error, kind) and all(part in str(outcome.error) for part in parts)


def function_of(name: str, forward: Function, backward: Function) -> Any:
    """For `plug`: an autograd.Function of these two, which stand outside of any class."""
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(name, (autograd.Function,), methods)


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """A function to be written.

    Args:
        title: what is asked for, as the card says it: "a number: how much the loss changes per unit of w".
        stars, minutes: how hard it is, of three, and how long it takes.
        reference: a right answer. Its name is the exercise's, and its parameters are the ones that the learner's
            function must have.
        mistakes: wrong answers, as Mistakes or just as functions; the first that fits an answer gives the words.
        plug: `answer -> function`, for exercises that ask for a part of something, as a backward is: it puts the
            answer into its place, and gives what is run on the cases. By default, the answer itself.
        compare: `(expected, got, outcome) -> Difference | None`; by default, numbers and tensors up to rounding.
        observe: `(value, arguments) -> value to compare`, for exercises whose effect on their arguments counts too.
        show: `(value, arguments) -> text`.
        evidence: `(outcome) -> text`: what finite differences, or a walk by the engine, say about the failed case.
        picture: `(outcome, difference) -> SVG`, or "": the graph of the failed case with the wrong node in red. It
            may run `outcome.answer` once more.
        writes: the function is asked to change its arguments.
        seconds: how long the function may run on one case.
        chapter: the notebook's name, which the exercise gets from its file when it is loaded.
    """

    title: str
    stars: int
    minutes: int
    reference: Function
    cases: tuple[Case, ...]
    hints: tuple[str, ...]
    mistakes: tuple[Mistake | Function, ...]
    plug: Callable[[Function], Function] = lambda answer: answer
    compare: Callable[[Any, Any, Outcome], Difference | None] = lambda expected, got, outcome: compare(expected, got)
    observe: Callable[[Any, tuple[Any, ...]], Any] = lambda value, arguments: value
    show: Callable[[Any, tuple[Any, ...]], str] = lambda value, arguments: show(value)
    evidence: Callable[[Outcome], str] | None = None
    picture: Callable[[Outcome, Difference], str] | None = None
    writes: bool = False
    seconds: float = 10.0
    chapter: str = ""
    name: str = field(init=False)
    parameters: tuple[str, ...] = field(init=False)
    known: tuple[Mistake, ...] = field(init=False)  # the mistakes, all of them as such

    def __post_init__(self) -> None:
        mistakes = tuple([item if isinstance(item, Mistake) else Mistake(item) for item in self.mistakes])
        object.__setattr__(self, "name", self.reference.__name__)
        object.__setattr__(self, "parameters", tuple(inspect.signature(self.reference).parameters))
        object.__setattr__(self, "known", mistakes)

    # -- the check

    def check(self, answer: Any = None, *others: Any, **named: Any) -> Card:
        """Try a function on all cases; the card says how it went."""
        card = self._not_one(answer, others, named) or self._unusable(answer) or self._tried(answer)
        if card.kind != "open":
            kept.record("exercises", self.name, "passed" if card.kind == "good" else "tried")
        return card

    def _card(self, kind: str, title: str, *rows: tuple[str, str]) -> Card:
        return Card(kind, f"{self.name}: {title}", tuple((label, text) for label, text in rows if text))

    def _not_one(self, answer: Any, others: tuple[Any, ...], named: dict[str, Any]) -> Card | None:
        """The card for several arguments: whoever passes them means to call the function."""
        if not others and not named:
            return None
        words = [show(one) for one in (answer, *others)] + [f"{name}={show(value)}" for name, value in named.items()]
        told = (
            f"Pass the function alone: check.{self.name}({self.name}). The check calls it, with arguments of its own."
        )
        return self._card("bad", "one function is asked for", ("yours", ", ".join(words)), ("try", told))

    def _unusable(self, answer: Any) -> Card | None:
        """The card for what cannot be tried: nothing, no function, other parameters, an untouched stub."""
        call = f"check.{self.name}({self.name})"
        if answer is None:
            return self._card("open", "not attempted", ("next", f"Write the function, run its cell, then run {call}."))
        if not callable(answer):
            told = f"Pass the function itself, without calling it: {call}."
            return self._card("bad", "this is not a function", ("yours", show(answer)), ("try", told))
        if untouched(answer):
            return self._not_attempted()
        try:
            signature = inspect.signature(answer)
        except (TypeError, ValueError):
            return None  # some built-in functions do not tell: calling will
        try:
            signature.bind(*self.parameters)
        except TypeError:
            rows = (
                ("yours", f"{plain(getattr(answer, '__name__', 'function'))}{signature}"),
                ("asked for", self._signature()),
            )
            return self._card("bad", "the parameters are not the ones asked for", *rows)
        return None

    def _not_attempted(self) -> Card:
        told = f'Fill in the function and run both cells. hint("{self.name}") gives an idea.'
        return self._card("open", "not attempted", ("asked", self._asked()), ("next", told))

    def _signature(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})"

    def _asked(self) -> str:
        minutes = "1 minute" if self.minutes == 1 else f"{self.minutes} minutes"
        return f"{self._signature()}, {self.title}. {stars(self.stars)} {minutes}"

    def _tried(self, answer: Function) -> Card:
        if self.picture is not None:
            import minigrad.viz  # noqa: F401 (from here on nodes keep their values and lines, which a picture shows)
        for case in self.cases:
            outcome = self.run(answer, case)
            expected = self.run(self.reference, case)
            if isinstance(outcome.error, NotImplementedError) and not outcome.error.args:
                return self._not_attempted()
            card = self._judged(answer, case, outcome, expected)
            if card is not None:
                return card
        tried = f"{len(self.cases)} cases tried, all as expected: " + "; ".join(case.words for case in self.cases) + "."
        return self._card("good", "passed", ("checked", tried))

    def run(self, answer: Function, case: Case) -> Outcome:
        """Run an answer on fresh arguments. Errors are caught, and the grad mode is put back."""
        arguments = case.make()
        before = [_numbers(argument) for argument in arguments]
        try:
            with enable_grad(), print_limit():
                value = self.observe(call_within(self.seconds, self.plug(answer), *arguments), arguments)
        except (Exception, SystemExit, TookTooLongError) as error:
            return Outcome(case, None, error, arguments, answer=answer)
        changed = None
        if not self.writes:
            for number, (old, argument) in enumerate(zip(before, arguments, strict=True)):
                if old is not None and not np.array_equal(old, _numbers(argument), equal_nan=True):
                    changed = number
        return Outcome(case, value, None, arguments, changed, answer)

    def _judged(self, answer: Function, case: Case, outcome: Outcome, expected: Outcome) -> Card | None:
        """The card for a case that failed; None if it did not."""
        shown = self.show(expected.value, expected.arguments)
        if outcome.error is not None:
            words = self._mistake(answer, outcome) or explained(outcome.error)
            line = failed_line(answer, outcome.error)
            in_line = ("in your line", code(line) if line else "")
            rows = [("input", case.words), in_line, ("expected", shown), ("likely", words)]
            if isinstance(outcome.error, TookTooLongError):
                return self._card("bad", f"stopped, it was still running after {self.seconds:g} seconds", *rows)
            raised = f"{type(outcome.error).__name__}: {plain(str(outcome.error))}"
            rows.insert(1, ("raised", raised))
            return self._card("bad", f"raises {type(outcome.error).__name__}", *rows)
        difference = self._difference(expected, outcome)
        changed = "" if outcome.changed is None else self._changed(outcome.changed)
        if difference is None and changed:
            told = f"The answer is right, but {changed}"
            return self._card("bad", "changes its input", ("input", case.words), ("likely", told))
        if difference is None:
            return None
        words = self._mistake(answer, outcome)
        before = replace(outcome, arguments=case.make()) if changed else outcome  # with what was put in
        likely = (
            "likely",
            words
            or difference.note
            or "None of the mistakes that are known here. Follow one number through your lines by hand.",
        )
        rows = [
            ("input", case.words),
            ("yours", self.show(outcome.value, outcome.arguments)),
            ("expected", shown),
            ("first difference", f"{difference.where}: yours {difference.yours}, expected {difference.expected}"),
            ("evidence", self.evidence(before) if self.evidence else ""),
            ("what it is", difference.note if words and difference.note else ""),
            likely,
            ("besides", changed and changed[0].upper() + changed[1:]),
        ]
        card = self._card("bad", "not yet", *rows)
        return replace(card, picture=self._drawn(outcome, difference))

    def _drawn(self, outcome: Outcome, difference: Difference) -> str:
        """The picture of a failed case; "" where there is none, or the learner's function does not run once more."""
        if self.picture is None:
            return ""
        try:
            with enable_grad(), contextlib.redirect_stdout(io.StringIO()):
                return call_within(self.seconds, self.picture, outcome, difference)
        except (Exception, SystemExit, TookTooLongError):
            return ""

    def _changed(self, number: int) -> str:
        return (
            f"afterwards {self.parameters[number]} holds other numbers than before. Work on a clone(), or make a new "
            "tensor."
        )

    def _difference(self, expected: Outcome, outcome: Outcome) -> Difference | None:
        if outcome.value is None or outcome.value is ...:
            returned = "None" if outcome.value is None else "..."
            return Difference(
                "the answer",
                returned,
                self.show(expected.value, expected.arguments),
                "None came back. Either a way through the function ends without a `return`, or what it returns "
                "is None.",
            )
        return self.compare(expected.value, outcome.value, outcome)

    def _mistake(self, answer: Function, outcome: Outcome) -> str:
        """The words of the mistake that an answer makes; empty if it is none that is known."""
        mine: dict[Case, Outcome] = {}  # what the answer does with each case, as far as that was needed
        endless = isinstance(outcome.error, TookTooLongError)  # once is enough
        for mistake in self.known:
            if mistake.when is not None:
                made = mistake.when(outcome)
            else:
                made = not endless and any(self._agrees(answer, wrong, mine) for wrong in mistake.answers)
            if made:
                return mistake.words
        return ""

    def _agrees(self, answer: Function, wrong: Function, known: dict[Case, Outcome]) -> bool:
        """Whether two functions do the same on every case."""
        for case in self.cases:
            with contextlib.redirect_stdout(io.StringIO()):  # what it prints, it has printed already
                if case not in known:
                    known[case] = self.run(answer, case)
                mine, theirs = known[case], self.run(wrong, case)
            if mine.error is not None or theirs.error is not None:
                if type(mine.error) is not type(theirs.error) or str(mine.error) != str(theirs.error):
                    return False
            elif self.show(mine.value, mine.arguments) != self.show(theirs.value, theirs.arguments):
                return False
        return True


def stars(count: int) -> str:
    """Difficulty, of three."""
    return "★" * count + "☆" * (3 - count)


def _numbers(argument: Any) -> Any:
    """A copy of a tensor's numbers."""
    return argument.detach().numpy().copy() if isinstance(argument, Tensor) else None

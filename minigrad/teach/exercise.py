"""An exercise, and what its check does with any answer at all.

After this module a reader can add an exercise: a reference that is right, cases to try, hints from vague to plain,
and the mistakes that people make, each with the words that help. A check runs the learner's function on each case
until one fails, and then says what was put in, what came out, what was expected, what finite differences say, and
which mistake it looks like. A mistake is recognised by what it does: most of them are written down as a function
that makes it, and an answer that agrees with that function on every case has made the same one.

Nothing that a learner passes may stop the notebook: the answer is always a card.
"""

from __future__ import annotations

import contextlib
import dis
import inspect
import io
import linecache
import traceback
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from minigrad.autograd.grad_mode import enable_grad
from minigrad.teach.card import Card, code, plain
from minigrad.teach.comparing import Difference, compare, show
from minigrad.teach.print_limit import print_limit
from minigrad.teach.progress import kept
from minigrad.teach.time_limit import TookTooLongError, call_within
from minigrad.tensor import Tensor


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
    answer: Callable[..., Any] | None = None  # the function itself, for pictures of the graph that it makes


@dataclass(frozen=True)
class Mistake:
    """A typical mistake: the words for it, and how to recognise it. Either `imitates`, a function which makes it, or
    `when`.
    """

    words: str
    imitates: Callable[..., Any] | None = None
    when: Callable[[Outcome], bool] | None = None


def raised(*parts: str) -> Callable[[Outcome], bool]:
    """For `when`: an error was raised whose text has all these parts."""
    return lambda outcome: outcome.error is not None and all(part in str(outcome.error) for part in parts)


@dataclass(frozen=True)
class Exercise:
    """A function to be written.

    Args:
        reference: a right answer. Its parameters are the ones that the learner's function must have.
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
    """

    name: str
    chapter: str
    title: str
    stars: int
    minutes: int
    reference: Callable[..., Any]
    cases: tuple[Case, ...]
    hints: tuple[str, ...]
    mistakes: tuple[Mistake, ...]
    plug: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda answer: answer
    compare: Callable[[Any, Any, Outcome], Difference | None] = lambda expected, got, outcome: compare(expected, got)
    observe: Callable[[Any, tuple[Any, ...]], Any] = lambda value, arguments: value
    show: Callable[[Any, tuple[Any, ...]], str] = lambda value, arguments: show(value)
    evidence: Callable[[Outcome], str] | None = None
    picture: Callable[[Outcome, Difference], str] | None = None
    writes: bool = False
    seconds: float = 10.0
    parameters: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(inspect.signature(self.reference).parameters))

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

    def _tried(self, answer: Callable[..., Any]) -> Card:
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

    def run(self, answer: Callable[..., Any], case: Case) -> Outcome:
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

    def _judged(self, answer: Callable[..., Any], case: Case, outcome: Outcome, expected: Outcome) -> Card | None:
        """The card for a case that failed; None if it did not."""
        shown = self.show(expected.value, expected.arguments)
        if outcome.error is not None:
            words = self._mistake(answer, outcome) or _explained(outcome.error)
            line = _line(answer, outcome.error)
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

    def _mistake(self, answer: Callable[..., Any], outcome: Outcome) -> str:
        """The words of the mistake that an answer makes; empty if it is none that is known."""
        mine: dict[Case, Outcome] = {}  # what the answer does with each case, as far as that was needed
        for mistake in self.mistakes:
            if mistake.when is not None and mistake.when(outcome):
                return mistake.words
            endless = isinstance(outcome.error, TookTooLongError)  # once is enough
            if mistake.imitates is not None and not endless and self._agrees(answer, mistake.imitates, mine):
                return mistake.words
        return ""

    def _agrees(self, answer: Callable[..., Any], wrong: Callable[..., Any], known: dict[Case, Outcome]) -> bool:
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


# What the code of a function consists of that does nothing yet: a docstring, `...`, `pass`, `return None`.
_IDLE = {
    "RESUME",
    "NOP",
    "LOAD_CONST",
    "RETURN_VALUE",
    "RETURN_CONST",
    "POP_TOP",
    "COPY_FREE_VARS",
    "LOAD_COMMON_CONSTANT",
}
_RAISES = {"LOAD_GLOBAL", "PUSH_NULL", "PRECALL", "CALL", "RAISE_VARARGS", "CACHE"}


def untouched(answer: Any) -> bool:
    """Whether a function is still the stub: it does nothing, or raises NotImplementedError at once."""
    if not isinstance(answer, types.FunctionType):
        return False
    steps = list(dis.get_instructions(answer))
    if all(step.opname in _IDLE for step in steps):
        return all(
            step.argval in (None, ...) or isinstance(step.argval, str)
            for step in steps
            if step.opname.endswith("CONST")
        )
    names = [step.argval for step in steps if step.opname == "LOAD_GLOBAL"]
    return names == ["NotImplementedError"] and all(step.opname in _IDLE | _RAISES for step in steps)


def _numbers(argument: Any) -> Any:
    """A copy of a tensor's numbers."""
    return argument.detach().numpy().copy() if isinstance(argument, Tensor) else None


def _line(answer: Callable[..., Any], error: BaseException) -> str:
    """The learner's line in which an error arose."""
    wanted = getattr(getattr(answer, "__code__", None), "co_filename", None)
    for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_code.co_filename == wanted:
            return plain(linecache.getline(wanted, number).strip())
    return ""


def _explained(error: BaseException) -> str:
    """What an error of Python's usually means here."""
    if isinstance(error, RecursionError):
        return (
            "The function calls itself once for each node, and graphs are deeper than Python's stack. Keep a "
            "list of what is still to do, and loop."
        )
    if isinstance(error, TookTooLongError):
        return (
            "The loop does not come to an end, or not soon: look at what must change in each round so that it can "
            "stop. Is a list filled faster than it is emptied, or a node met again for each way that leads to it?"
        )
    if isinstance(error, NameError):
        return "A name that is not defined. Was the cell that defines it run after the kernel was started?"
    if isinstance(error, SystemExit):
        return "exit() and quit() do not belong into the function."
    if isinstance(error, AttributeError) and "NoneType" in str(error):
        return (
            "Something is None here: a .grad before the first backward, the grad_fn of a leaf, or a node of an "
            "input that needs no gradient."
        )
    return "The error arose while your function ran. Its text says what was wrong; the line above is where."


# ---------------------------------------------------------------- by name


class Checks:
    """`check.<name>(function)`: the check of each exercise, by the exercise's name."""

    def __init__(self, exercises: Sequence[Exercise]) -> None:
        self._exercises = {exercise.name: exercise for exercise in exercises}

    def __getattr__(self, name: str) -> Callable[..., Card]:
        if name in self._exercises:
            return self._exercises[name].check
        raise AttributeError(unknown("exercise", name, self._exercises))

    def __call__(self, answer: Any = None) -> Card:
        """`check(slope_of_w)`: which check is meant says the function's own name."""
        name = getattr(answer, "__name__", None)
        if isinstance(name, str) and name in self._exercises:
            return self._exercises[name].check(answer)
        first = answer if isinstance(answer, str) and answer in self._exercises else next(iter(self._exercises))
        return Card("note", "say which check", (("try", f"check.{first}({first})"),))

    def __dir__(self) -> list[str]:
        return list(self._exercises)

    def __repr__(self) -> str:
        return "check." + ", check.".join(self._exercises)


def unknown(kind: str, name: object, names: dict[str, Any]) -> str:
    """What to say about a name that does not exist."""
    import difflib

    close = difflib.get_close_matches(plain(name), names, 1)
    advice = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}"
    return f"there is no {kind} {plain(name)!r}: {advice}"


class Hints:
    """`hint("name")`: one idea more at each call."""

    def __init__(self, exercises: Sequence[Exercise]) -> None:
        self._exercises = {exercise.name: exercise for exercise in exercises}
        self._given: dict[str, int] = {}

    def __call__(self, name: Any = None) -> Card:
        """The next hint for an exercise, with those that were given before. `name` may be the function itself."""
        name = getattr(name, "__name__", name)
        if not isinstance(name, str) or name not in self._exercises:
            said = "say for which exercise" if name is None else unknown("exercise", name, self._exercises)
            return Card("note", said, (("try", f'hint("{next(iter(self._exercises))}")'),))
        hints = self._exercises[name].hints
        given = self._given[name] = min(self._given.get(name, 0) + 1, len(hints))
        last = (
            f"Call hint({name!r}) again for the next."
            if given < len(hints)
            else "That was the last. The solution is folded below the exercise in "
            f"notebooks/{self._exercises[name].chapter}.ipynb."
        )
        rows = [(f"{number} of {len(hints)}", hint) for number, hint in enumerate(hints[:given], 1)]
        return Card("note", f"{name}: hint {given}", (*rows, ("", last)))

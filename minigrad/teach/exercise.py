"""An exercise, and what its check does with any answer at all.

An exercise has a reference that is right, cases to try, hints from vague to plain, and the mistakes that people make,
each with wrong answers that make it. A check runs the learner's function on each case until one fails, and then says
what was put in, what came out, what was expected, what finite differences say, and which mistake it looks like. A
mistake is recognised by what it does: an answer that does the same as a known wrong one on every case has made the
same mistake, and gets the words that stand there as its docstring. After the fixed cases come drawn ones, other ones at
each check, for what fixed numbers do not reach; the card of one that fails has the seed that draws it again. And what
came out right is tried once more as no case tries it: again, in float64, with arguments that somebody has used, with
functions that raise an error, and where nothing is recorded.

Nothing that a learner passes may stop the notebook or change it: it is tried in a process of its own (`apart`), and
the answer is always a card.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
import itertools
import re
import sys
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from minigrad import autograd
from minigrad.autograd.grad_mode import enable_grad, set_grad_enabled
from minigrad.dtypes import float64, get_default_dtype, set_default_dtype
from minigrad.nn.modules.module import Module
from minigrad.teach import traces
from minigrad.teach.answers import (
    failed_line,
    is_untouched,
    later_text,
    meaning_of,
    own_line,
    places_of,
)
from minigrad.teach.apart import YOU_STOPPED, EndedError, going_on, run_apart, stops_notebook, unheard
from minigrad.teach.card import LONGEST_ERROR, Card, code, plain
from minigrad.teach.comparing import ANSWER, ROUNDED, SHOWN, Difference, Seen, compare, more_digits, relation, show
from minigrad.teach.limits import TookTooLongError, call_within, print_limit
from minigrad.teach.observing import Noted, StoppedError
from minigrad.teach.progress import kept
from minigrad.tensor import Tensor

Function = Callable[..., Any]

DRAWS = 10  # times that a check draws cases
MOST_HELD = 50  # lists and arrays of a result that are looked at
_seeds = np.random.default_rng()  # of what is drawn
NOTHING = "None came back. Either a way through the function ends without a `return`, or what it returns is None."
UNWRITTEN = "`...` came back, which stands for what is still to be written."
UNFINISHED = "This line still raises NotImplementedError. Take it out when the function returns what is asked for."
ENDED = "The notebook goes on as before: your function was tried in a process of its own, and only that has ended."
SHARED = (
    "The answer was right, and a later call has changed it: both write to the same thing. A default such as `={}`, and "
    "what stands outside of the function, is the same in all calls. Make it anew in each."
)
WITH = " A mode that is entered in a `with` ends there, after an error, too."
ERRORS = (RuntimeError, StoppedError, ValueError, KeyError)  # that what an answer was given raises
STOPPED = "what is no Exception, as a KeyboardInterrupt is none"
GOES_ON = "Whoever called would not know of it: let it go on. What is to be put back, a `finally` puts back."
FINALLY = " What is to be put back after a KeyboardInterrupt as well, which is no Exception, stands in a `finally`."
UNKNOWN = "None of the mistakes that are known here."
USED = "each tensor that requires a gradient has a hook"
WALKED = f", and each .grad that was None is full of {traces.EARLIER:g} from an earlier walk"
LATER = (
    "It was right when it was called for the first time, and is not in a later call: something is left from before, "
    "or it goes by chance."
)
FIRST = (
    "This input comes out right if no other one comes before it: something is left from an earlier call, an id of "
    "what is gone is met again, or it goes by chance. A default, a name outside of the function, and an attribute of "
    "a class or of a function are the same in all calls."
)
TWICE = (
    "The answer is right, but a second call gave out the same {} as the first, {}: whoever writes into one result "
    "writes into the other, and so may a later call. Make it anew in each."
)
HELD = (
    "The answer is right, but when all is over {} is still in memory, and all that it holds. Something outside of a "
    "call holds on to it, such as a default, a list, an attribute of a class or of the function."
)


@dataclass(frozen=True)
class Case:
    """One set of arguments: in words, and made anew for each run."""

    words: str
    make: Callable[[], tuple[Any, ...]]
    seed: int | None = None  # given by the check to a case that was drawn with it


def cases(words: str, **endings: str) -> Callable[[Callable[..., tuple[Any, ...]]], Callable[..., Case]]:
    """For a function that makes a case's arguments from values: what gives the Case, in words with the values in them.

    The words of a keyword are added where its value is not the default: at the end, or where "{earlier}" stands.

    @cases("x = {x}, step = {step}", earlier=", and x.grad is {earlier} from an earlier walk")
    def _case(x, step, earlier=None):
        return _leaf(x, earlier), step
    """

    def of(make: Callable[..., tuple[Any, ...]]) -> Callable[..., Case]:
        signature = inspect.signature(make)

        @functools.wraps(make)
        def case(*positional: Any, **named: Any) -> Case:
            given = signature.bind(*positional, **named)
            given.apply_defaults()
            values = given.arguments
            ends = {
                name: "" if values[name] == signature.parameters[name].default else ending.format(**values)
                for name, ending in endings.items()
            }
            last = "".join(end for name, end in ends.items() if f"{{{name}}}" not in words)
            return Case(words.format(**{**values, **ends}) + last, lambda: make(*given.args, **given.kwargs))

        return case

    return of


@dataclass(frozen=True)
class Outcome:
    """What a function did with one case: a value or an error, and the arguments as they were afterwards."""

    case: Case
    value: Any
    error: BaseException | None
    arguments: tuple[Any, ...]
    answer: Function  # the function itself, for pictures of the graph that it makes
    left: traces.Traces = field(default_factory=dict)  # what was left behind, in the arguments and in modes
    right: Any = None  # the value that is expected

    @property
    def seen(self) -> Seen:
        """What an observer saw, by name; nothing where it saw nothing."""
        return self.value if isinstance(self.value, Seen) else Seen()


NAME = 14  # words of a mistake's that tell it from the others of an exercise


class Mistake:
    """A typical mistake, and wrong answers that make it. The words for it are the docstring of the first.

    An answer has made the mistake if it does on every case what one of the wrong answers does; with `near`, if it does
    so on the case that failed, up to rounding, where what came back counts first, and alone if it is wrong; or, of what
    is seen, the one thing whose name is given; with `when`, if that says so about the case that failed.
    """

    def __init__(
        self,
        *answers: Function,
        when: Callable[[Outcome], bool] | None = None,
        near: bool | str = False,
        words: str = "",
    ) -> None:
        self.answers, self.when, self.near = answers, when, near
        self.words = " ".join((words or answers[0].__doc__ or "").split())
        self.name = " ".join(self.words.split()[:NAME])  # as progress keeps it


def function_of(name: str, forward: Function, backward: Function) -> Any:
    """For `plug`: an autograd.Function of these two, which stand outside of any class. As in programs, it is one for
    all calls: what is kept on it meets the next one.
    """
    try:
        return _function_of(name, forward, backward)
    except TypeError:  # an answer without a hash, as an object with an __eq__ of its own is
        return _function_of.__wrapped__(name, forward, backward)


@functools.lru_cache(100)
def _function_of(name: str, forward: Function, backward: Function) -> Any:
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(name, (autograd.Function,), methods)


@dataclass(kw_only=True, eq=False, repr=False)
class Exercise:
    """A function to be written.

    Args:
        title: what is asked for, as the card says it: "a number: how much the loss changes per unit of w".
        stars, minutes: how hard it is, of three, and how long it takes.
        reference: a right answer. Its name is the exercise's, and its parameters are the ones that the learner's
            function must have.
        mistakes: wrong answers, as Mistakes or just as functions; the first that fits an answer gives the words.
        right: answers that look strange and have to pass. They are for the tests, and no check tries them.
        wrong: answers that look right and have to be refused, by the words that their cards must have.
        drawn: `random -> cases`: some more cases, made with numbers of that numpy generator. A check draws ten
            times, each time with another seed, and anew at each check. `Case.make` runs several times: what is drawn
            in it would differ, so draw before it.
        plug: `answer -> function`, for exercises that ask for a part of something, as a backward is: it puts the
            answer into its place, and gives what is run on the cases. An `observer` is one: it says what was seen.
            By default, the answer itself.
        compare: `(expected, got, outcome) -> Difference | None`; by default, by the kind of what is expected: see
            `compare`. A generator may yield several, of which the first that is a Difference counts.
        notes: of what is seen, what to say if it is not as expected, by its name.
        observe: `(value, arguments) -> value to compare`, for exercises whose effect on their arguments counts too.
        show: `(value, arguments) -> text`; by default, by its kind, and of what is seen, what differs.
        evidence: `(outcome) -> text`: what finite differences, or a walk by the engine, say about the failed case.
        picture: `(outcome, difference) -> SVG`, or "": the graph of the failed case with the wrong node in red. It
            may run `outcome.answer` once more.
        at_work: `answer -> something to show`: the learner's function at work, beneath the card of an answer that
            passed, where there is a notebook. It runs in the notebook, with nothing around it.
        writes: the function is asked to change its arguments. What they require, their hooks and the mode of a module
            count all the same, where the reference leaves them as they were.
        may_leave: kinds of traces (`traces.IN_ARGUMENTS`) that are no mistake, even if the reference leaves none such.
        errors_go_on: the words say that an error of a function or a model that was given goes on to the caller.
        in_double: so many of the first cases are tried with float64 as well, where the reference runs with it. 0 where
            float32 is all that is asked for.
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
    right: Sequence[Function] = ()
    wrong: Mapping[str, Sequence[Function]] = field(default_factory=dict)
    drawn: Callable[[np.random.Generator], Iterable[Case]] | None = None
    plug: Callable[[Function], Function] = lambda answer: answer
    compare: Callable[[Any, Any, Outcome], Difference | Iterator[Difference | None] | None] | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    observe: Callable[[Any, tuple[Any, ...]], Any] = lambda value, arguments: value
    show: Callable[[Any, tuple[Any, ...]], str] | None = None
    evidence: Callable[[Outcome], str] | None = None
    picture: Callable[[Outcome, Difference], str] | None = None
    at_work: Callable[[Function], Any] | None = None
    writes: bool = False
    may_leave: Collection[str] = ()
    errors_go_on: bool = False
    in_double: int = 4
    seconds: float = 10.0
    chapter: str = ""

    def __post_init__(self) -> None:
        self.name = self.reference.__name__
        self.parameters = tuple(inspect.signature(self.reference).parameters)
        self._known_behaviour = functools.lru_cache(1000)(self._behaviour)  # wrong answers do the same each time
        self.known = [item if isinstance(item, Mistake) else Mistake(item) for item in self.mistakes]
        self.signature = f"{self.name}({', '.join(self.parameters)})"
        self.call = f"check.{self.name}({self.name})"  # as a learner writes it

    def __repr__(self) -> str:
        return f"{self.signature}: {self.title}. {self.call} tries it."

    # -- the check

    def check(self, answer: Any = None, *others: Any, seed: int | None = None, **named: Any) -> Card:
        """Try a function on all cases; the card says how it went. With a seed, what that one draws is among them.

        It is no try of the learner's, as the call is: a chapter may show what is said of a wrong answer.
        """
        if not others and not named and (answer is None or is_untouched(answer)):
            return self._not_attempted(answer)
        if self.picture is not None:
            import minigrad.viz  # noqa: F401 (from here on nodes keep their values and lines, which a picture shows)
        cases = (*self.cases, *self._draws(seed))
        try:
            with print_limit():
                found = run_apart(self.seconds, lambda: vars(self._judgement(answer, others, named, cases, seed)))
            card = Card(**found | {"rows": tuple(map(tuple, found["rows"]))})
            card = self._with_what_came_before(card, answer, cases)
        except EndedError as ended:
            card = self._card_of_end(answer, ended)
        except KeyboardInterrupt as stop:  # it goes on, and IPython shows the card instead of all lines behind it
            end = stop.__cause__
            if not isinstance(end, EndedError):  # it came while none of another process was waited for
                end = EndedError(YOU_STOPPED, "", places_of(stop))
            stopped = self._card_of_end(answer, end)
            vars(stop)["_render_traceback_"] = lambda: [repr(stopped)]
            raise
        if card.kind == "good" and self.at_work is not None:
            card = replace(card, at_work=functools.partial(call_within, self.seconds, self.at_work, answer))
        return card

    def __call__(self, answer: Any = None, *others: Any, seed: int | None = None, **named: Any) -> Card:
        """Check the learner's function, and keep in the progress how it went."""
        card = self.check(answer, *others, seed=seed, **named)
        if card.kind != "open":
            kept.record("exercises", self.name, "passed" if card.kind == "good" else "tried", self._diagnosis(card))
        if words := later_text(self.name, answer):
            card = replace(card, rows=(("attention", words), *card.rows))
        return card

    def _diagnosis(self, card: Card) -> str:
        """The name of the known mistake that a card tells of; of others, what its title says."""
        likely = dict(card.rows).get("likely", "")
        names = (mistake.name for mistake in self.known if mistake.words and plain(mistake.words) in likely)
        return "" if card.kind == "good" else next(names, card.title.removeprefix(f"{self.name}: "))

    def _with_what_came_before(self, card: Card, answer: Any, cases: tuple[Case, ...]) -> Card:
        """The card of an answer, which says whether its input comes out right if it comes first, whatever mistake it
        looks like: no other process has tried the answer yet.
        """
        is_wrong = "first difference" in dict(card.rows) or self._diagnosis(card).startswith("raises ")
        if card.failed and is_wrong and run_apart(self.seconds, lambda: self._is_right(answer, cases[card.failed])):
            return replace(card, rows=tuple((dict(card.rows) | {"likely": FIRST}).items()))
        return card

    def _card(self, kind: str, title: str, *rows: tuple[str, str]) -> Card:
        return Card(kind, f"{self.name}: {title}", tuple(row for row in rows if row[1]))

    def _unusable(self, answer: Any, others: tuple[Any, ...], named: dict[str, Any]) -> Card | None:
        """The card for what cannot be tried: several arguments, no function, other parameters."""
        if others or named:  # whoever passes them means to call the function
            words = [show(one) for one in (answer, *others)] + [f"{name}={show(one)}" for name, one in named.items()]
            advice = f"Pass the function alone: {self.call}. The check calls it, with arguments of its own."
            return self._card("bad", "one function is asked for", ("yours", ", ".join(words)), ("try", advice))
        if not callable(answer):
            advice = f"Pass the function itself, without calling it: {self.call}."
            return self._card("bad", "this is not a function", ("yours", show(answer)), ("try", advice))
        try:
            signature = inspect.signature(answer)
        except (TypeError, ValueError):
            return None  # some built-in functions do not tell: calling will
        try:
            signature.bind(*self.parameters)
        except TypeError:
            yours = f"{plain(getattr(answer, '__name__', 'function'))}{signature}"
            rows = (("yours", yours), ("asked for", self.signature))
            return self._card("bad", "the parameters are not the ones asked for", *rows)
        return None

    def _not_attempted(self, answer: Any) -> Card:
        if answer is None:
            return self._card("open", "not attempted", ("next", f"Write the function, run its cell, then {self.call}."))
        asked = f"{self.signature}, {self.title}. {stars(self.stars)} {_count(self.minutes, 'minute')}"
        advice = f'Fill in the function and run both cells. hint("{self.name}") gives an idea.'
        return self._card("open", "not attempted", ("asked", asked), ("next", advice))

    def _card_of_end(self, answer: Any, ended: EndedError) -> Card:
        """The card for an answer that took the process with it in which it was tried, or was stopped."""
        line, goes_on = code(own_line(answer, ended.places)), ENDED if ended.doing else ""
        rows = (("input", ended.doing), ("in your line", line), ("likely", goes_on))
        return self._card("bad", ended.words, *rows)

    def _draws(self, first: int | None) -> Iterable[Case]:
        """The drawn cases, those of the first seed before the others."""
        seeds = [] if first is None else [first]
        for seed in [*seeds, *_seeds.integers(10_000, size=DRAWS).tolist()]:
            drawn = () if self.drawn is None else self.drawn(np.random.default_rng(seed))
            yield from [replace(case, seed=seed) for case in drawn]

    def _judgement(
        self, answer: Any, others: tuple[Any, ...], named: dict[str, Any], cases: tuple[Case, ...], seed: int | None
    ) -> Card:
        """The card for anything at all."""
        try:
            return self._unusable(answer, others, named) or self._try_cases(answer, cases, seed)
        except BaseException as error:  # the comparing met something that nobody expected, such as a strange __eq__
            if stops_notebook(error):
                raise
            text, line = f"{type(error).__name__}: {plain(str(error))}", code(failed_line(answer, error))
            return self._card("bad", "this answer cannot be judged", ("raised", text), ("in your line", line))

    def _try_cases(self, answer: Function, cases: tuple[Case, ...], seed: int | None) -> Card:
        told: dict[str, None] = {}
        results: list[tuple[Outcome, str, Outcome, str]] = []  # of the fixed cases, and how they are shown
        for number, case in enumerate(cases):
            with contextlib.nullcontext() if case.seed in (None, seed) else print_limit(0):
                outcome, expected = self.run(answer, case), self.run(self.reference, case)
            outcome, error = replace(outcome, right=expected.value), outcome.error
            if isinstance(error, NotImplementedError) and (line := own_line(answer, places_of(error)[:1])):
                return self._card("open", "not finished", ("in your line", code(line)), ("next", UNFINISHED))
            if (card := self._judge(outcome, expected, cases, results)) is not None:
                return replace(card, failed=number)
            if case.seed is None:
                results.append((outcome, self._whole_text(outcome), expected, self._whole_text(expected)))
            found = traces.left_behind(outcome.left, expected.left)
            told |= dict.fromkeys(traces.in_words([place], outcome.left) for place in found)
        mine, _, first, _ = results[0]
        if card := (
            self._judge_later(results)
            or self._judge_again(answer, cases, mine, first)
            or self._judge_in_double(answer, cases)
            or self._judge_used(answer, cases, first)
            or self._judge_aftermath(answer)
        ):
            return card
        fixed = plain("; ".join(case.words for case in self.cases))
        drawn = f" So were those of {DRAWS} random draws." if self.drawn is not None else ""
        tried = f"{_count(len(self.cases), 'case')} tried, all as expected: {fixed}.{drawn}"
        besides = f"Afterwards {', and '.join(told)}." if told else ""
        return self._card("good", "passed", ("checked", tried), ("besides", besides))

    def _names(self, arguments: tuple[Any, ...]) -> tuple[str, ...]:
        if len(self.parameters) == len(arguments) and "ctx" not in self.parameters:
            return self.parameters
        return tuple(f"argument {number}" for number, _ in enumerate(arguments, 1))  # of what it is a part of

    def run(self, answer: Function, case: Case) -> Outcome:
        """Run an answer on fresh arguments. Errors are caught, modes are put back, and what was left is noted."""
        going_on(case.words)
        arguments = case.make()
        names = self._names(arguments)
        before, modes = traces.contents(names, arguments), traces.modes_now()
        try:
            with enable_grad():
                function, given, loaded = self.plug(answer), traces.modes_before(), len(sys.modules)
                value = call_within(self.seconds, function, *arguments)
                returned = value.first if isinstance(value, Seen) else value
                left = traces.changes(given, traces.modes_now()) | traces.on_graph(returned)
                if len(sys.modules) > loaded:  # torch, as it comes, filters warnings: once, and not by the answer
                    left.pop((traces.FILTERED, ""), None)
                traces.put_back(given)
                value = self.observe(value, arguments)
        except BaseException as error:
            if stops_notebook(error):
                raise
            return Outcome(case, None, error, arguments, answer)
        finally:
            traces.put_back(modes)
        changed = traces.changes(before, traces.contents(names, arguments))
        changed = traces.switches(changed) if self.writes else changed
        left |= {place: change for place, change in changed.items() if place[0] not in self.may_leave}
        return Outcome(case, value, None, arguments, answer, left)

    def _judge(
        self, outcome: Outcome, expected: Outcome, cases: tuple[Case, ...], passed: Sequence[Any] = (), likely: str = ""
    ) -> Card | None:
        """The card for a case that failed; None if it did not. `passed` are the results before it, and `likely` is what
        is known of why it failed.
        """
        seed, again = outcome.case.seed, f"check.{self.name}({self.name}, seed={outcome.case.seed})"
        words, shown = outcome.case.words, self._value_text(expected, outcome.value)
        given = [("input", words), ("drawn", "" if seed is None else f"at random. {again} draws it again")]
        if (error := outcome.error) is not None:
            kind, stopped = type(error).__name__, isinstance(error, TookTooLongError)
            return self._card(
                "bad",
                f"stopped, it was still running after {self.seconds:g} seconds" if stopped else f"raises {kind}",
                *given,
                ("raised", "" if stopped else f"{kind}: {plain(str(error), LONGEST_ERROR)}"),
                ("in your line", code(failed_line(outcome.answer, error))),
                ("expected", shown),
                ("likely", likely or self._mistake(outcome, cases) or meaning_of(error, outcome.answer)),
            )
        difference = self._difference(expected, outcome)
        left = outcome.left
        wrong = traces.wrong_ones(left, expected.left)
        kinds = {kind for kind, _ in wrong}
        advice = (
            " Work on a copy, as clone() makes, or make a new one." if "numbers" in kinds and difference is None else ""
        )
        advice += WITH if kinds & traces.HAVE_BLOCKS else ""
        changed = f"afterwards {traces.in_words(wrong, left)}.{advice}" if wrong else ""
        if difference is None and not wrong:
            return None
        if difference is None:
            title = "changes its input" if kinds & traces.IN_ARGUMENTS.keys() else "leaves something behind"
            return self._card("bad", title, *given, ("likely", f"The answer is right, but {changed}"))
        mistake = likely or self._mistake(outcome, cases)
        before = replace(outcome, arguments=outcome.case.make()) if wrong else outcome  # with what was put in
        yours = self._value_text(outcome, expected.value)
        if yours == shown:  # they differ behind the digits that are shown
            yours, shown = difference.yours, difference.expected
        rows = [
            *given,
            ("yours", yours),
            ("expected", shown),
            ("first difference", f"{difference.where}: yours {difference.yours}, expected {difference.expected}"),
            ("evidence", self.evidence(before) if self.evidence else ""),
            ("what it is", difference.note if mistake and difference.note not in (mistake, ROUNDED) else ""),
            ("likely", mistake or self._unknown_words(difference.note, outcome, expected, passed)),
            ("besides", changed and changed[0].upper() + changed[1:]),
        ]
        return replace(self._card("bad", "not yet", *rows), picture=self._picture_of(outcome, difference))

    def _judge_later(self, results: list[tuple[Outcome, str, Outcome, str]]) -> Card | None:
        """The card for an answer whose later calls have changed what an earlier one returned; None otherwise."""
        for outcome, mine, expected, right in results:
            now = self._whole_text(outcome)
            if now != mine and self._whole_text(expected) == right:
                rows = (("input", outcome.case.words), ("yours", mine), ("yours now", now), ("likely", SHARED))
                return self._card("bad", "a later call changes an earlier result", *rows)
        return None

    def _judge_again(self, answer: Function, cases: tuple[Case, ...], mine: Outcome, expected: Outcome) -> Card | None:
        """The card for an answer that is another one when the first case comes again, or gives out the same thing, or
        that does not let go of what it was given then; None otherwise.
        """
        with print_limit(0), unheard():
            outcome = self.run(answer, expected.case)
        if (card := self._judge(replace(outcome, right=expected.value), expected, cases, likely=LATER)) is not None:
            return card
        if shared := given_out_twice(mine.value, outcome.value):
            again = self.run(self.reference, expected.case)
            if not given_out_twice(expected.value, again.value):
                rows = (("input", outcome.case.words), ("likely", TWICE.format(*shared)))
                return self._card("bad", "gives out the same thing twice", *rows)
        held = self._weakly(outcome)
        del outcome
        if not (names := still_alive(held)):
            return None
        held = self._weakly(self.run(self.reference, expected.case))
        if not (names := [name for name in names if name not in still_alive(held)]):
            return None
        return self._card("bad", "keeps what it was given", ("likely", HELD.format(names[0])))

    def _weakly(self, outcome: Outcome) -> dict[str, weakref.ref[Any]]:
        """What of the arguments is to go when nobody needs it any more: tensors, modules, and what a trial holds."""
        named = dict(zip(self._names(outcome.arguments), outcome.arguments, strict=True))
        inside = {key: one for trial in named.values() for key, one in getattr(trial, "__dict__", {}).items()}
        found = traces.parts([*named, *inside], [*named.values(), *inside.values()])
        return {
            name: weakref.ref(one)
            for name, one in found
            if isinstance(one, Tensor | Module) or (hasattr(one, "requires_grad") and hasattr(one, "__weakref__"))
        }

    def _judge_in_double(self, answer: Function, cases: tuple[Case, ...]) -> Card | None:
        """The card for an answer that loses digits of float64, where the reference keeps them, or is another one for
        such tensors; None otherwise.
        """
        for case in self.cases[: self.in_double]:
            make = functools.partial(_made_in_double, case)
            expected = self.run(self.reference, Case(f"{case.words}; all in float64", make))
            if expected.error is None:
                with more_digits():
                    card = self._judge_run(answer, expected, cases, [(replace(expected, case=case),)])
                if card is not None:
                    return card
        return None

    def _judge_run(self, answer: Function, expected: Outcome, cases: tuple[Case, ...], *others: Any) -> Card | None:
        """The card for an answer that does not do with one more case what is expected of it; None otherwise."""
        with print_limit(0), unheard():
            outcome = replace(self.run(answer, expected.case), right=expected.value)
        return self._judge(outcome, expected, cases, *others)

    def _judge_used(self, answer: Function, cases: tuple[Case, ...], first: Outcome) -> Card | None:
        """The card for an answer that is right only as long as nobody else has used what it is given; None otherwise.
        Gradients count where the reference is as good with them, and brings none itself.
        """
        for walked, words in ((True, USED + WALKED), (False, USED)):
            make = functools.partial(traces.used_before, first.case.make, walked)
            case = Case(f"{first.case.words}; and {words}", make)
            expected = self.run(self.reference, case)
            brings = walked and any(kind == "grad" for kind, _ in expected.left)
            if not brings and self._whole_text(expected) == self._whole_text(first):
                return self._judge_run(answer, expected, cases, [(first,)])
        return None

    def _judge_aftermath(self, answer: Function) -> Card | None:
        """The card for an answer that leaves something behind when a function or a model that it was given raises an
        error, or keeps that from its caller where it is to go on; or after which operations are recorded although its
        caller had switched that off, where what it returns does not count: no words say what it should be.
        """
        made = ((case, case.make()) for case in self.cases)
        found = ((case, name) for case, given in made for name, _ in _failing(self._names(given), given))
        case, failing = next(found, (self.cases[0], ""))
        for error in (*(kind("raised by the check") for kind in ERRORS if failing), None):
            came, left = self._aftermath(answer, case, error)
            _, expected = self._aftermath(self.reference, case, error)
            wrong = traces.wrong_ones(left, expected)
            if wrong and (error or not came):
                with_block = "" if traces.HAVE_BLOCKS.isdisjoint(kind for kind, _ in wrong) else WITH
                then = f"{traces.in_words(wrong, left)}.{with_block}{FINALLY if error else ''}"
                title, what = "leaves something behind", "an error"
            elif error and self.errors_go_on and repr(came) != repr(error):  # of a copy of what raises it comes a copy
                out = "no error comes out" if came is None else f"another one comes out, {type(came).__name__}"
                title, then, what = "keeps an error to itself", f"{out}. {GOES_ON}", f"a {type(error).__name__}"
            else:
                continue
            what = STOPPED if isinstance(error, StoppedError) else what  # after others, all is as it should be
            when = f"{failing} raises {what}" if error else "it is called inside no_grad()"
            told = f"The answer is right, but if {when}, then {then}"
            return self._card("bad", title, ("input", case.words), ("likely", told))
        return None

    def _aftermath(self, answer: Function, case: Case, error: BaseException | None = None) -> tuple[Any, traces.Traces]:
        """The error that comes out when an argument raises this one, or, without one, where nothing is recorded; and
        the modes, and the flags and hooks of the arguments, that are not as they were.
        """
        arguments, modes, came = case.make(), traces.modes_now(), None
        names = self._names(arguments)
        if error is not None:
            for _, fail in _failing(names, arguments):
                fail(error)
        before = traces.contents(names, arguments)
        try:
            with set_grad_enabled(error is not None), print_limit(0), unheard():
                function, given = self.plug(answer), traces.modes_before()
                try:
                    call_within(self.seconds, function, *arguments)
                except (Exception, StoppedError) as raised:
                    came = raised
                changed = traces.changes(before, traces.contents(names, arguments))
                found = traces.changes(given, traces.modes_now()) | traces.switches(changed)
                return came, {place: change for place, change in found.items() if place[0] not in self.may_leave}
        finally:
            traces.put_back(modes)

    def _unknown_words(self, note: str, outcome: Outcome, expected: Outcome, passed: Sequence[Any]) -> str:
        """What can be said of an answer that makes no known mistake: what the difference says, if it is more than a
        number of values; otherwise what of the answer is right, and with which inputs.
        """
        if note and re.search(r"; these are \d+\.$", note) is None:
            return note
        parts = [note or UNKNOWN]
        if self.compare is None:
            seen = [name for name, one in outcome.seen.items() if compare(expected.seen.get(name), one) is None]
            parts += [f"As it should be: {', '.join(seen[:SHOWN])}." if seen else ""]
            parts += [relation(expected.value, outcome.value)]
        others = self.cases[len(passed) + 1 :]
        following = (case for case in others if self._is_right(outcome.answer, case))
        besides = ""
        for right in itertools.chain((one.case for one, *_ in reversed(passed)), following):
            if self._says_something(right):
                words = plain(right.words)
                parts.append(f"This input comes out right: {words}. What is in the one above that is not in it?")
                break
            besides = ", but for what is to be nan or inf"
        else:
            none = f"None of the {len(self.cases)} inputs comes out right" if others else "There is no other input"
            parts.append(f"{none}{besides}: follow this one through your lines by hand.")
        return " ".join(filter(None, parts))

    def _says_something(self, case: Case) -> bool:
        """Whether what is right with a case is more than nan and inf, which come of most that is wrong."""
        value = self.run(self.reference, case).value
        text = show(value.first if isinstance(value, Seen) else value)
        return re.fullmatch(r"(?s)\D*\b(nan|inf)\b\D*", text) is None

    def _is_right(self, answer: Function, case: Case) -> bool:
        with print_limit(0):
            outcome, expected = self.run(answer, case), self.run(self.reference, case)
        return outcome.error is None and self._difference(expected, replace(outcome, right=expected.value)) is None

    def _picture_of(self, outcome: Outcome, difference: Difference) -> str:
        """The picture of a failed case; "" where there is none, or the learner's function does not run once more."""
        if self.picture is None:
            return ""
        try:
            with enable_grad(), print_limit(0):
                return call_within(self.seconds, self.picture, outcome, difference)
        except BaseException as error:
            if stops_notebook(error):
                raise
            return ""

    def _difference(self, expected: Outcome, outcome: Outcome) -> Difference | None:
        if outcome.value is None or outcome.value is ...:
            returned, note = ("None", NOTHING) if outcome.value is None else ("...", UNWRITTEN)
            return Difference(ANSWER, returned, self._value_text(expected), note)
        if self.compare is None:
            return compare(expected.value, outcome.value, notes=self.notes)
        found = self.compare(expected.value, outcome.value, outcome)
        return next(filter(None, found), None) if isinstance(found, Iterator) else found

    def _value_text(self, outcome: Outcome, beside: Any = None, most: int | None = SHOWN) -> str:
        """The value of an outcome as text; of what is seen, what another value has not like it."""
        value = outcome.value
        if self.show is not None:
            return self.show(value, outcome.arguments)
        return show(value.unlike(beside, most) if isinstance(value, Seen) else value)

    def _whole_text(self, outcome: Outcome) -> str:
        return self._value_text(outcome, most=None)

    def _mistake(self, outcome: Outcome, cases: tuple[Case, ...]) -> str:
        """The words of the mistake that an answer makes; empty if it is none that is known."""
        mine = functools.cache(
            lambda case: self._seen_in(outcome) if case is outcome.case else self._behaviour(outcome.answer, case)
        )
        endless = isinstance(outcome.error, TookTooLongError)  # once is enough
        for mistake in self.known:
            wrong = () if (mistake.when and not mistake.near) or endless else mistake.answers
            if mistake.near:
                same = any(self._is_near(one, outcome, mistake.near) for one in wrong)
            else:
                same = any(
                    all(self._is_alike(self._known_behaviour(one, case), mine(case)) for case in cases) for one in wrong
                )
            if same or (mistake.when is not None and mistake.when(outcome)):
                return mistake.words
        return ""

    def _is_near(self, wrong: Function, outcome: Outcome, near: bool | str) -> bool:
        """Whether a wrong answer does up to rounding what was done on the case that failed."""
        with print_limit(0):
            other = self.run(wrong, outcome.case)
        if other.error is not None or outcome.error is not None or other.value is None:
            return False
        if outcome.seen and other.seen:
            name = near if isinstance(near, str) else next(iter(outcome.right))
            if compare(outcome.right[name], outcome.seen.get(name)) is not None:
                return compare(other.seen.get(name), outcome.seen.get(name)) is None
            if isinstance(near, str):
                return False
        return self._difference(other, outcome) is None

    def _is_alike(self, known: tuple[Any, ...], mine: tuple[Any, ...]) -> bool:
        """Whether two behaviours are one: by their text, or by numbers that are equal up to rounding, as other ways of
        computing the same round otherwise.
        """
        (text, *values), (other, *others) = known, mine
        if text == other and (isinstance(text, str) or values == others):
            return True
        if self.compare is not None or not isinstance(text, str) or not isinstance(other, str):
            return False
        both_ways = ((values[0], others[0]), (others[0], values[0]))  # Seen may have names that the other has not
        with contextlib.suppress(TypeError):  # of a kind that no reference returns
            return all(compare(*pair) is None for pair in both_ways)
        return False

    def _behaviour(self, answer: Function, case: Case) -> tuple[Any, ...]:
        """What a function does with a case, to be compared with what another does: an error, or text and value."""
        with print_limit(0):  # what it prints, it has printed already
            return self._seen_in(self.run(answer, case))

    def _seen_in(self, outcome: Outcome) -> tuple[Any, ...]:
        """The behaviour that an outcome shows."""
        if (error := outcome.error) is not None:  # of its own lines, or somewhere in what it called
            place = places_of(error)[:1]
            return type(error), str(error), None if own_line(outcome.answer, place) else place
        value = outcome.value  # one number in whatever holds it: a mistake is the same with .item() and without
        whole = replace(outcome, value=value.item() if getattr(value, "ndim", None) == 0 else value)
        return self._value_text(whole, most=None), whole.value


def _made_in_double(case: Case) -> tuple[Any, ...]:
    usual = get_default_dtype()
    set_default_dtype(float64)
    try:
        return case.make()
    finally:
        set_default_dtype(usual)


def _failing(names: Iterable[str], arguments: tuple[Any, ...]) -> Iterator[tuple[str, Callable[[BaseException], Any]]]:
    """What of the arguments can be made to raise an error, and how: a function, or the last part of a model."""

    def stop(error: BaseException, *given: Any) -> None:
        raise error

    def stop_model(model: Module, error: BaseException) -> None:
        [*model.modules()][-1].register_forward_pre_hook(functools.partial(stop, error))

    for name, one in zip(names, arguments, strict=False):
        if isinstance(one, Noted):
            yield str(one), functools.partial(setattr, one, "error")
        elif isinstance(one, Module):
            yield name, functools.partial(stop_model, one)


def given_out_twice(one: Any, other: Any) -> tuple[str, str] | tuple[()]:
    """What two results have in common that can be written to, in words: its kind, and what it holds; or nothing."""
    for value in itertools.islice(_writable(one), MOST_HELD):
        for later in itertools.islice(_writable(other), MOST_HELD):
            both = isinstance(value, np.ndarray) and isinstance(later, np.ndarray)
            if value is later or (both and np.may_share_memory(value, later)):
                return ("memory" if both else type(value).__name__), show(value)
    return ()


def _writable(value: Any) -> Iterator[Any]:
    """The lists, dicts and arrays of which a value consists."""
    todo = [value]
    for one in todo:  # which grows
        if isinstance(one, list | dict):
            yield one
        if isinstance(one, list | tuple | dict):
            todo += one.values() if isinstance(one, dict) else one
        array = one.detach().numpy() if isinstance(one, Tensor) else one
        if isinstance(array, np.ndarray) and array.flags.writeable:
            yield array


def still_alive(held: Mapping[str, weakref.ref[Any]]) -> list[str]:
    """The names of what is still in memory, when nobody needs it any more."""
    for generation in (1, 2):  # most circles are young, and the second takes a while
        if not all(one() is None for one in held.values()):
            gc.collect(generation)
    return [name for name, one in held.items() if one() is not None]


def stars(count: int) -> str:
    """Difficulty, of three."""
    return "★" * count + "☆" * (3 - count)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

"""Exercise `counterexample`: a property, tried on drawn cases, and the smallest for which it does not hold."""

import itertools

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, Noted, Seen, compare, edited, observer, raised, right_but

from .chapter15 import counterexample


class Interrupted(KeyboardInterrupt):
    """What comes out of `holds` when somebody wants to stop."""


class Left(SystemExit):
    """What comes out of `holds` when it ends the program."""


class NoneLeftError(LookupError):
    """What comes out of `draw` or `smaller` when they cannot go on."""


class EndedError(StopIteration):
    """What comes out of `draw` when an iterator that it asks is at its end. A generator makes a RuntimeError of it."""


FOUND, DRAWN, ASKED = "the answer", "how many cases were drawn", "the cases of which `holds` was asked"
NOTES = {
    DRAWN: "The answer is right, but how often draw() is called is not: once for each try, and not again when a "
    "case was found.",
    ASKED: "The answer is right, but `holds` was asked of other cases, or of too many or too few. Ask once "
    "for each case that you come to, and go on with the first smaller one that fails, without a look at the others.",
}
STOPPED = " came out"
NOT_OURS = (
    "A KeyboardInterrupt, a SystemExit, and an error of draw or of smaller say nothing of a case: it has to come out, "
    "and the search is over."
)
OTHER = "This is not the case at which the search ends, as draw or smaller gave it."
NONE = "A case that was drawn fails, and None came back: it was taken to hold, or lost on the way."
NOT_DRAWN = "None came back, and the case that fails was not drawn: up to `tries` of them are."
MOST = 60  # cases that a card can show


@observer
def _looked(answer, draw, holds, smaller, tries):
    """None is an answer here: it stands in a tuple."""
    try:
        found = answer(draw, holds, smaller, tries)
    except (Interrupted, Left, NoneLeftError, EndedError, RuntimeError) as error:
        stop = error.__cause__ if isinstance(error.__cause__, EndedError) else error
        if isinstance(stop, RuntimeError):
            raise
        found = f"the {type(stop).__base__.__name__}{STOPPED}"
    asked = [repr(one) for one in holds.calls]
    if len(asked) > MOST:
        asked = f"{len(asked)} cases, and at last {', '.join(asked[-5:])}"
    return {FOUND: (found,), DRAWN: len(draw.calls), ASKED: asked}


def _compare(expected, got, outcome):
    """With None where a case is expected told by that; and that `holds` was asked once of a case that came twice is
    fine.
    """
    if isinstance(got, Seen) and _and_more(expected[ASKED], got[ASKED]) and {*expected[ASKED]} == {*got[ASKED]}:
        got = Seen({**got, ASKED: expected[ASKED]})
    note = "" if expected.first[0] is None else OTHER
    if isinstance(got, Seen) and got.first[0] is None and note:
        note = NOT_DRAWN if got[DRAWN] < expected[DRAWN] else NONE
    if str(expected.first[0]).endswith(STOPPED):
        note = NOT_OURS
    return compare(expected, got, notes={**NOTES, FOUND: note})


def _draws_too_many(outcome):
    """Whether more cases were drawn than are right where none is found; what came back may be one that is too many."""
    return outcome.right.first[0] is None and outcome.seen.get(DRAWN, 0) > outcome.right[DRAWN]


def _keeps(kind):
    """For `when`: an error of this kind, of draw or of smaller, did not come out, though all was asked up to it."""

    def keeps(outcome):
        if not right_but(FOUND, lambda mine, right: kind in str(right[0]))(outcome):
            return False
        mine, right = outcome.seen, outcome.right
        return mine[DRAWN] >= right[DRAWN] and _and_more(mine[ASKED], right[ASKED])

    return keeps


def _and_more(mine, right):
    """Whether all that is right was asked, in its order, and more in between."""
    rest = iter(mine)
    return isinstance(mine, list) and isinstance(right, list) and all(one in rest for one in right)


def _stops_early(outcome):
    """Whether it is a number larger than 10 that came back, where each smaller one down to 10 fails."""
    found = outcome.seen.get(FOUND, (None,))[0]
    return "11000" in outcome.case.words and isinstance(found, int) and 10 < found < 11_000


def _case(drawn, property_words, holds, smaller_words, smaller, tries=10, words=""):
    def make():
        several = drawn() if callable(drawn) else itertools.cycle(drawn)
        return (
            Noted("draw", lambda: next(several)),
            Noted("holds", holds, note=lambda case: case),
            Noted("smaller", smaller, note=lambda case: None),
            tries,
        )

    given = words or ", ".join(map(repr, drawn))
    return Case(f"draw() gives {given}; holds: {property_words}; smaller: {smaller_words}; tries = {tries}", make)


def _halves(number):
    return [one for one in (number // 2, number - 1) if 0 <= one < number]


def _shorter(row):
    return (row[:place] + row[place + 1 :] for place in range(len(row)))


def _without_one(row):
    return [np.delete(row, place) for place in range(len(row))]


def _stops(number):
    raise Interrupted


def _leaves(number):
    raise Left


def _one_and_no_more():
    yield 3
    raise NoneLeftError("no more cases")


def _three_and_the_end(number):
    if number:
        raise EndedError
    return 3


def _none_below_11(number):
    if number == 11:
        raise NoneLeftError("nothing below 11")
    return [number - 1]


def _an_end_below_11(number):
    if number == 11:
        raise EndedError
    return [number - 1]


class BrokenError(StopIteration):
    """What a property raises that somebody else has written: an `Exception` to which Python itself listens."""


def _breaks(number):
    raise BrokenError("no such layer")


def _divides(number):
    return number < 7 or 10 // (number - 7) > 1


def _numbers(most):
    return lambda number: np.less(number, most)


def _drawn(random):
    limit, several = int(random.integers(0, 20)), random.integers(0, 60, 5).tolist()
    words = f"number < {limit}"
    yield _case(
        several, words, _numbers(limit), "number // 2 and number - 1", _halves, tries=int(random.integers(1, 8))
    )
    rows = [tuple(random.integers(-3, 4, int(random.integers(1, 7))).tolist()) for _ in range(4)]
    yield _case(rows, "the sum is below 3", lambda row: sum(row) < 3, "with one number left out", _shorter, tries=4)


# ---------------------------------------------------------------- wrong answers

no_shrinking = edited(counterexample, "shrinks = True\n    while", "shrinks = False\n    while")
one_level = edited(counterexample, "case, shrinks = one, True", "case = one")
only_the_first = edited(
    counterexample, "                case, shrinks = one, True\n    ", "                case, shrinks = one, True\n"
)
is_false = edited(counterexample, "return not holds(case)", "return holds(case) is False")
takes_any = edited(
    counterexample,
    "        for one in smaller(case):\n            if fails(one):",
    "        for one in smaller(case):\n            if True:",
)
one_too_small = edited(counterexample, "    return case\n", "    return next(iter(smaller(case)), case)\n")
the_last_tried = edited(counterexample, "    return case\n", "    return [case, *smaller(case)][-1]\n")
a_thousand_rounds = edited(
    counterexample, "while shrinks:", "for _ in range(1000):\n        if not shrinks:\n            break"
)
errors_come_out = edited(counterexample, "except Exception:", "except IndexError:")
errors_come_out_first = edited(counterexample, "if fails(case):", "if not holds(case):")
errors_come_out_later = edited(counterexample, "if fails(one):", "if not holds(one):")
some_errors = edited(counterexample, "except Exception:", "except (ArithmeticError, LookupError, ValueError):")
none_and_false = edited(counterexample, "return not holds(case)", "return str(holds(case)) in ('None', 'False')")
errors_are_fine = edited(counterexample, "            return True", "            return False")
errors_are_fine_later = edited(
    counterexample,
    "            if fails(one):\n",
    "            try:\n                failed = not holds(one)\n            except Exception:\n"
    "                failed = False\n            if failed:\n",
)
all_errors = edited(counterexample, "except Exception:", "except BaseException:")
all_but_one = edited(
    counterexample, "except Exception:", "except KeyboardInterrupt:\n            raise\n        except BaseException:"
)
last_drawn = edited(counterexample, "        return None\n    shrinks", "        return case\n    shrinks")
keeps_drawing = edited(
    counterexample,
    *("    for _ in range(tries):\n        case = draw()\n", "    for case in [draw() for _ in range(tries)]:\n"),
)
too_many = edited(counterexample, "range(tries)", "range(tries + 1)")
smallest_of_all = edited(
    counterexample,
    *("for one in smaller(case):", "for one in [one for one in smaller(case) if fails(one)]:"),
    *("            if fails(one):", "            if True:"),
)


def found_or_none(draw, holds, smaller, tries):
    """A case that counts as False to Python, 0 or (), was taken for no case at all. Ask `is not None`, or keep a flag.
    The smallest counterexample is such a one very often.
    """

    def fails(case):
        try:
            return not holds(case)
        except Exception:
            return True

    case = next((one for one in (draw() for _ in range(tries)) if fails(one)), None)
    while case and (one := next((one for one in smaller(case) if fails(one)), None)):
        case = one
    return case


drawn_not_0 = edited(
    counterexample,
    "    shrinks = True\n    while",
    "    if not case:\n        return None\n    shrinks = True\n    while",
)
neither_0 = edited(found_or_none, "    return case\n", "    return case or None\n")
found_not_0 = edited(found_or_none, "if fails(one)), None)):", "if fails(one)), None)) is not None:")


def by_itself(draw, holds, smaller, tries):
    """For each smaller case there is a call within the one before, and Python stops at about a thousand of them. A loop
    does not mind.
    """

    def fails(case):
        try:
            return not holds(case)
        except Exception:
            return True

    def shrunk(case):
        for one in smaller(case):
            if fails(one):
                return shrunk(one)
        return case

    for _ in range(tries):
        case = draw()
        if fails(case):
            return shrunk(case)
    return None


lost_on_the_way = edited(by_itself, "return shrunk(one)", "shrunk(one)")
asks_twice = edited(
    counterexample, "            return not holds(case)\n", "            return not holds(case) and not holds(case)\n"
)
turned = edited(counterexample, "return not holds(case)", "return holds(case)")


draws_in_the_try = edited(
    counterexample,
    "        case = draw()\n        if fails(case):\n",
    "        try:\n            case = draw()\n            fine = holds(case)\n        except Exception:\n"
    "            fine = False\n        if not fine:\n",
)
shrinks_in_the_try = edited(
    counterexample,
    "        for one in smaller(case):\n            if fails(one):\n                case, shrinks = one, True\n"
    "                break\n",
    "        try:\n            case, shrinks = next(one for one in smaller(case) if fails(one)), True\n"
    "        except Exception:\n            break\n",
)


draws_in_a_map = edited(
    counterexample,
    "    for _ in range(tries):\n        case = draw()\n",
    "    for case in map(lambda _: draw(), range(tries)):\n",
)
no_more_smaller = edited(
    counterexample,
    "        for one in smaller(case):\n",
    "        try:\n            less = [*smaller(case)]\n        except StopIteration:\n            break\n"
    "        for one in less:\n",
)
notes_the_cases = edited(
    counterexample, "    for _ in range(tries):", "    fails = functools.cache(fails)\n    for _ in range(tries):"
)
stops_at_an_error = edited(
    counterexample,
    "        if fails(case):\n            break\n",
    "        try:\n            if not holds(case):\n                break\n        except Exception:\n"
    "            return case\n",
)
equals_false = edited(counterexample, "return not holds(case)", "return holds(case) == False")


# ---------------------------------------------------------------- tried as well


def in_one_loop(draw, holds, smaller, tries):
    found, waiting = [], (draw() for _ in range(tries))
    while True:
        for one in waiting:
            try:
                fine = bool(holds(one))
            except Exception:
                fine = False
            if not fine:
                found, waiting = [one], iter(smaller(one))
                break
        else:
            return found[0] if found else None


def with_a_mark(draw, holds, smaller, tries):
    nothing = object()

    def first_failing(cases):
        for case in cases:
            try:
                if holds(case):
                    continue
            except Exception:
                pass
            return case
        return nothing

    best, one = None, first_failing(draw() for _ in range(tries))
    while one is not nothing:
        best, one = one, first_failing(smaller(one))
    return best


EXERCISE = Exercise(
    title="the first case that was drawn for which the property does not hold, made smaller as long as that goes",
    stars=2,
    minutes=12,
    reference=counterexample,
    plug=_looked,
    compare=_compare,
    cases=(
        _case([[1, 2], [2, 1]], "the sum is below 3", lambda row: sum(row) < 3, "with one number left out", _shorter),
        _case([3, 40, 50], "number < 10", _numbers(10), "number // 2 and number - 1", _halves),
        _case([3, 4], "number < 10", _numbers(10), "number // 2 and number - 1", _halves, tries=5),
        _case(
            [(1, 2), (2, -1, 3, 1)],
            "the sum is below 3",
            lambda row: sum(row) < 3,
            "with one number left out",
            _shorter,
        ),
        _case(
            [0],
            "number > 3",
            lambda number: number > 3,
            "number - 1 down to -3",
            lambda number: [number - 1][: number + 3],
        ),
        _case(
            [np.array([1, 2]), np.array([2, 2, 3])],
            "the sum is below 4",
            lambda row: row.sum() < 4,
            "with one number left out",
            _without_one,
            words="arrays, [1 2] and [2 2 3]",
        ),
        _case([5], "raises a KeyboardInterrupt", _stops, "number // 2 and number - 1", _halves),
        _case([5], "raises a SystemExit, as sys.exit() does", _leaves, "number // 2 and number - 1", _halves),
        _case([5], "False, always", lambda number: False, "number // 2 and number - 1", _halves),
        _case([(2, 3)], "False, always", lambda row: False, "with one number left out", _shorter),
        _case([2, 14], "number < 7, or 10 // (number - 7) > 1", _divides, "number // 2 and number - 1", _halves),
        _case([3, 7], "number < 7, or 10 // (number - 7) > 1", _divides, "number // 2 and number - 1", _halves),
        _case([9, 12], "number % 4, a number", lambda number: number % 4, "number // 2 and number - 1", _halves),
        _case([(0,), (0, 1)], "row[1:], a tuple", lambda row: row[1:], "with one number left out", _shorter),
        _case([5], "raises an error of its own kind", _breaks, "number // 2 and number - 1", _halves),
        _case(
            _one_and_no_more,
            "number < 10",
            _numbers(10),
            "number // 2 and number - 1",
            _halves,
            words="3, and then raises a LookupError",
        ),
        _case(
            lambda: map(_three_and_the_end, itertools.count()),
            "number < 10",
            _numbers(10),
            "number // 2 and number - 1",
            _halves,
            words="3, and then raises a StopIteration",
        ),
        _case([12], "number < 10", _numbers(10), "number - 1; of 11 it raises a LookupError", _none_below_11),
        _case([12], "number < 10", _numbers(10), "number - 1; of 11 it raises a StopIteration", _an_end_below_11),
        _case([4, 4, 4, 9], "number < 9", _numbers(9), "number // 2 and number - 1", _halves, tries=3),
        _case([4, 9], "number < 9", _numbers(9), "number // 2 and number - 1", _halves, tries=2),
        _case([11_000], "number < 10", _numbers(10), "number - 1", lambda number: [number - 1][:number]),
        _case([1], "number < 1", _numbers(1), "number // 2 and number - 1", _halves, tries=0),
    ),
    drawn=_drawn,
    hints=(
        "Two loops: one draws until a case fails, the other makes that case smaller. In both an error counts as a "
        "failure: write a small function `fails(case)` for that.",
        "Of the smaller cases take the first that fails, and begin anew with its smaller cases. When none fails, the "
        "case is as small as it gets.",
        "while True: for one in smaller(case): if fails(one): case = one; break. An `else` behind the `for` "
        "runs where "
        "no break came: there you return the case.",
    ),
    mistakes=(
        Mistake(
            no_shrinking,
            lost_on_the_way,
            words="This is the case as it was drawn. Make it smaller, as long as a smaller one fails as well, and "
            "return the last that did.",
        ),
        Mistake(
            one_level,
            words="It was made smaller once. A smaller case has smaller ones itself: go on until none of them fails.",
        ),
        Mistake(
            only_the_first, words="Only the first of the smaller cases was looked at. If that holds, the next may fail."
        ),
        Mistake(
            takes_any, words="A smaller case was taken though the property holds for it. What is returned has to fail."
        ),
        Mistake(
            one_too_small,
            the_last_tried,
            words="The case that is returned is one of the smaller ones that were tried, and for it the property "
            "holds. Return the last that failed.",
        ),
        Mistake(
            errors_come_out,
            errors_come_out_first,
            errors_come_out_later,
            some_errors,
            when=lambda outcome: (
                isinstance(outcome.error, ZeroDivisionError | BrokenError)
                and ("10 //" in outcome.case.words or "error of its own" in outcome.case.words)
            ),
            words="`holds` raised an error for this case, and it came out. For such a case the property does not hold: "
            "count it as a failure.",
        ),
        Mistake(
            errors_are_fine,
            errors_are_fine_later,
            words="Where `holds` raises an error it was taken to hold. An error is a failure, too.",
        ),
        Mistake(
            all_errors,
            all_but_one,
            words="A KeyboardInterrupt or a SystemExit was taken for a failure. It is no `Exception`: somebody wants "
            "to stop. `except Exception` lets it out, `except:` and `except BaseException` do not.",
        ),
        Mistake(
            is_false,
            none_and_false,
            equals_false,
            words="`holds` may say False in other ways than by False itself: with 0, None, an empty row, or numpy's "
            "False. `not holds(case)` asks for all of them.",
        ),
        Mistake(
            draws_in_the_try,
            shrinks_in_the_try,
            words="An error of draw or of smaller did not come out. Only `holds` says something of a case: nothing "
            "else belongs into the try.",
            when=_keeps("LookupError"),
        ),
        Mistake(
            draws_in_a_map,
            no_more_smaller,
            words="A StopIteration of draw or of smaller did not come out. Where `map` calls them, or a `try` with "
            "`except StopIteration` does, that is taken for the end of the cases, and nobody hears of it.",
            when=_keeps("StopIteration"),
        ),
        Mistake(
            notes_the_cases,
            words="A case, or a list, was hashed, as the key of a dict, in a set or by a cache. A case may be a list "
            "or an array, which have no hash. Nothing need be noted: each answer is used at once.",
            when=lambda outcome: raised("unhashable", "'list'")(outcome) or raised("unhashable", "ndarray")(outcome),
        ),
        Mistake(
            too_many,
            edited(too_many, "tries + 1", "max(tries, 1)"),
            words="More cases were drawn than there are tries: `tries` of them at most.",
            when=_draws_too_many,
        ),
        Mistake(
            last_drawn,
            words="The property holds for all that was drawn, and that is answered with None.",
            when=right_but(FOUND, lambda mine, right: right[0] is None),
        ),
        Mistake(found_or_none, found_not_0, drawn_not_0, neither_0),
        Mistake(
            a_thousand_rounds,
            when=_stops_early,
            words="It stopped early: of the case that came back a smaller one fails as well. Go on until none does, "
            "however many rounds that takes.",
        ),
        Mistake(
            by_itself,
            when=lambda outcome: isinstance(outcome.error, RecursionError) and "11000" in outcome.case.words,
        ),
        Mistake(turned, words="Cases were taken for which the property holds. Those that fail are looked for."),
        Mistake(
            keeps_drawing,
            when=right_but(DRAWN, lambda mine, right: mine > right),
            words="More cases were drawn than it takes to find one that fails. The first such one is enough.",
        ),
        Mistake(
            asks_twice,
            smallest_of_all,
            when=right_but(ASKED, _and_more),
            words="The answer is right, but `holds` was asked more often than it has to be. It may take long: ask once "
            "for each case, and go on with the first smaller one that fails, without a look at the others.",
        ),
    ),
    right=(in_one_loop, with_a_mark),
    wrong={
        "the case that fails was not drawn": [edited(counterexample, "range(tries)", "range(1)")],
        "`holds` was asked of other cases": [
            stops_at_an_error,
            edited(counterexample, "in smaller(case):", "in list(smaller(case))[::-1]:"),
        ],
        "This is not the case at which the search ends": [
            edited(counterexample, "    return case\n", "    return case, tries\n"),
        ],
        "ask once for each case": [edited(counterexample, "while shrinks:", "for _ in range(20):")],
        "It stopped early": [
            edited(
                counterexample,
                "while shrinks:",
                "for _ in range(20) if case != 11000 else range(12000):\n        if not shrinks:\n            break",
                "range(20) if case != 11000 else range(12000)",
                "range(10_000)",
            ),
        ],
    },
)

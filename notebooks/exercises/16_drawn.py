"""Exercise `drawn`: the next character, by lot, at a temperature."""

import numpy as np

import minigrad as mg
from minigrad.teach import Difference, Exercise, Mistake, cases, compare, draw_numbers, edited, flip, pick, saw


def drawn(scores, temperature, lot):
    """The place on which lot, from 0 to 1, falls if each has a share by its score."""
    if temperature == 0:
        return scores.argmax().item()
    chances = (scores / temperature).softmax(-1).tolist()
    for place, chance in enumerate(chances):
        if chance > 0:
            last = place
            if lot < chance:
                break
            lot -= chance
    return last


@cases("scores = {scores}, temperature = {temperature}, lot = {lot}", leaf="; scores require a gradient")
def _case(scores, temperature, lot, leaf=False):
    return mg.tensor(scores, requires_grad=leaf), temperature, lot


@cases("scores = 27 zeros, temperature = {temperature}, lot = {lot}", never="; the last {never} are -inf")
def _even(temperature, lot, never=0):
    """In float32 the sum of 25 chances is below 1, and that of 23 if the sum is float32 as well."""
    scores = mg.zeros(27)
    if never:
        scores[-never:] = -mg.inf
    return scores, temperature, lot


def _ends(scores, temperature):
    powers = np.exp((np.asarray(scores) - np.max(scores)) / temperature)
    return np.cumsum(powers / powers.sum())


def _drawn(random):
    """With lots that are not near the border of two shares."""
    for _ in range(3):
        scores, temperature = draw_numbers(random, int(random.integers(2, 6))), pick(random, [0.25, 0.5, 1.0, 2.0, 4.0])
        lot = round(float(random.random()), 5)
        if np.abs(_ends(scores, temperature) - lot).min() > 1e-4:
            yield _case(scores, temperature, lot, flip(random))


def _shares(outcome):
    scores, temperature, lot = outcome.arguments
    if temperature == 0 or len(scores) > 6 or not np.isfinite(scores.detach().numpy()).all():
        return ""
    ends = np.round(_ends(scores.detach().numpy().astype(float), temperature), 4).tolist()
    return f"  the shares end at {ends}, and the lot is {lot}"


def _compare_places(right, mine, _):
    """As numbers; and 1.0 is no place of a row: LETTERS[1.0] raises."""
    yield compare(right, mine)
    if isinstance(mine, float | np.floating):
        note = "The number is right, but it is a float. A place is a whole number: int(...) makes one of it."
        yield Difference("the kind of the answer", "float", "int", note)


def _has_no_chance(outcome):
    scores, place = outcome.arguments[0], outcome.value
    return isinstance(place, int) and place in range(len(scores)) and scores[place].item() == -np.inf


def _has_no_power(outcome):
    """Whether all scores are so low that exp of them is 0, and no place came of it, or the first one."""
    if outcome.arguments[0].max().item() / (outcome.arguments[1] or 1) > -800:
        return False
    return compare(0, outcome.value) is None or isinstance(
        outcome.error, (UnboundLocalError, ZeroDivisionError, IndexError)
    )


def _is_another_place_in_the_cold(outcome):
    """Whether at temperature 0 another number came than the right one, or an error as of a division."""
    if outcome.arguments[1] != 0:
        return False
    if outcome.error is not None:
        return isinstance(outcome.error, (ArithmeticError, UnboundLocalError, LookupError, ValueError, StopIteration))
    found = compare(outcome.right, outcome.value)
    return found is not None and not found.note


# ---------------------------------------------------------------- wrong answers


def the_best(scores, temperature, lot):
    """This is always the place with the largest score. A lot falls on others, too, as often as their chances say."""
    return scores.argmax().item()


def by_its_own_lot(scores, temperature, lot):
    """This draws a number of its own, and `lot` is what was drawn. Go through the shares, and find where it falls."""
    if temperature == 0:
        return scores.argmax().item()
    return mg.multinomial((scores / temperature).softmax(-1), 1).item()


def past_the_end(scores, temperature, lot):
    """There is no such place: where rounding leaves the sum of all chances a little below 1, a lot may be above it.
    Then it falls on the last place that has a chance.
    """
    if temperature == 0:
        return scores.argmax().item()
    return int(((scores / temperature).softmax(-1).cumsum(0) <= lot).sum())


def first_that_reaches(scores, temperature, lot):
    """The lot 0 fell on a place whose chance is 0: the shares in front of it end at 0, too. A share does not hold its
    end: the lot falls on the first place whose end is above it, > and not >=.
    """
    if temperature == 0:
        return scores.argmax().item()
    ends = (scores / temperature).softmax(-1).cumsum(0)
    return int((ends < lot).sum().clamp(max=len(scores) - 1))


def by_exp(scores, temperature, lot):
    """exp was taken of the scores as they are, and of hundreds it is inf. softmax subtracts the largest first."""
    if temperature == 0:
        return scores.argmax().item()
    powers = (scores / temperature).exp()
    return int((powers.cumsum(0) / powers.sum() <= lot).sum().clamp(max=len(scores) - 1))


def drawn_from_sums(scores, temperature, lot):
    """The lot fell on a place without a chance. It was beyond the sum of all chances, which rounding may leave below 1:
    then it falls on the last place that has a chance, and that need not be the last of all.
    """
    if temperature == 0:
        return scores.argmax().item()
    ends = (scores / temperature).softmax(-1).cumsum(0).tolist()
    return next((place for place, end in enumerate(ends) if lot < end), len(ends) - 1)


def never_cold(scores, temperature, lot):
    """At temperature 0 nothing can be divided by it. What is meant is where chances go as it gets smaller: all to the
    largest score, and of equal ones to the first.
    """
    chances = (scores / temperature).softmax(-1).tolist()
    for place, chance in enumerate(chances):
        if lot < chance:
            return place
        lot -= chance
    return len(chances) - 1


def from_the_largest(scores, temperature, lot):
    """The shares were sorted by size. They lie in the order of the places: 0, 1, 2 ..."""
    order = scores.argsort(descending=True)
    return order[drawn(scores[order], temperature, lot)].item()


# ---------------------------------------------------------------- tried as well


def drawn_in_numpy(scores, temperature, lot):
    numbers = scores.detach().numpy().astype(float)
    if temperature == 0:
        return int(numbers.argmax())
    powers = np.exp((numbers - numbers.max()) / temperature)
    ends = np.cumsum(powers / powers.sum())
    return min(int(np.searchsorted(ends, lot, side="right")), int(np.flatnonzero(powers)[-1]))


def drawn_by_powers(scores, temperature, lot):
    """Chances raised to 1 / temperature, by their logarithms."""
    if not temperature:
        return max(range(len(scores)), key=lambda place: scores[place].item())
    logs = (scores.double().log_softmax(0) / temperature).log_softmax(0)
    ends = logs.exp().cumsum(0)
    possible = [place for place in range(len(scores)) if logs[place].exp() > 0]
    return next((place for place in possible if ends[place] > lot), possible[-1])


def drawn_by_numpy_as_it_is(scores, temperature, lot):
    """Scores that are hundreds apart leave no power above 0, and so no last one."""
    if temperature == 0:
        return scores.argmax().item()
    powers = np.exp(scores.detach().numpy().astype(float) / temperature)
    place = int(np.searchsorted(np.cumsum(powers / powers.sum()), lot, side="right"))
    return min(place, int(np.nonzero(powers)[0][-1]))


def drawn_from_the_left(scores, temperature, lot):
    numbers = scores.detach().numpy().astype(float)
    if temperature == 0:
        return int(numbers.argmax())
    powers = np.exp((numbers - numbers.max()) / temperature)
    place = int(np.searchsorted(np.cumsum(powers / powers.sum()), lot))
    return min(place, int(np.nonzero(powers)[0][-1]))


def drawn_and_remembered(scores, temperature, lot, known={}):  # noqa: B006 (the mistake)
    return known.setdefault((temperature, lot), drawn(scores, temperature, lot))


def drawn_with_a_seed(scores, temperature, lot):
    mg.manual_seed(0)
    return by_its_own_lot(scores, temperature, lot)


COLDEST = 1e-30
COLD = "    if temperature == 0:\n        return scores.argmax().item()\n"
EXERCISE = Exercise(
    title="a whole number: the place on which the lot falls, of shares by softmax at a temperature",
    stars=2,
    minutes=8,
    reference=drawn,
    cases=(
        _case([1.0, 2.0, 0.5], 1.0, 0.5),
        _case([1.0, 2.0, 0.5], 1.0, 0.1),
        _case([1.0, 2.0, 0.5], 1.0, 0.9),
        _case([3.0, 2.0, 1.0], 2.0, 0.8),
        _case([3.0, 2.0, 1.0], 0.5, 0.9),
        _case([1.0, 1.1, 1.05], 0.25, 0.1),
        _case([1.0, 4.0, 4.0, -2.0], 0, 0.9, leaf=True),
        _case([2.0, 3.0], 0.0, 0.2),
        _case([4.0, 4.0, 1.0], 0, 0.1),
        _case([-3.0, 1.0, -2.0], 0.0, 0.2),
        _case([-2000.0, -2001.0, -4000.0], 1.0, 0.8),
        _case([0.0, 3.0, 2.0], 0.01, 0.999),
        _case([0.0, 1e-6], 1e-6, 0.1),
        _case([0.0, 1e-6], 1e-6, 0.4),
        _case([2.0, 2.0, -1.0], COLDEST, 0.9),
        _case([0.0, 30.0], 30.0, 0.2),
        _case([0.0, 20.0], 1.0, 1e-9),
        _case([1.0, 900.0, 899.0], 1.0, 0.8),
        _case([-mg.inf, 0.0, 1.0], 1.0, 0.5),
        _case([-mg.inf, 1.0, 0.0], 1.0, 0.0),
        _case([0.0, -mg.inf, 1.0], 3.0, 0.5),
        _even(1.0, 1 - 2**-53),
        _even(1.0, 1 - 2**-53, never=2),
        _even(1.0, 1 - 2**-53, never=4),
        _case([0.7], 1.0, 0.3),
        _case([0.0, 0.0], 1.0, 0.5),
        _case([0.0, 0.0], 1.0, 0.49999),
    ),
    drawn=_drawn,
    compare=_compare_places,
    evidence=_shares,
    hints=(
        "Lay the chances side by side, from 0 to 1: with 0.2, 0.5 and 0.3 the lot 0.6 falls on place 1.",
        "The chances are softmax of scores / temperature. Go from place to place: if the lot is below the chance, it "
        "is this one; else take the chance away from the lot.",
        "temperature 0 is scores.argmax().item(). And remember the last place with a chance above 0, for a lot that "
        "rounding leaves over.",
    ),
    mistakes=(
        the_best,
        by_its_own_lot,
        Mistake(past_the_end, when=saw("the answer", lambda mine, right: compare(27, mine) is None)),
        Mistake(first_that_reaches, when=lambda outcome: outcome.arguments[2] == 0 and _has_no_chance(outcome)),
        Mistake(drawn_from_sums, when=lambda outcome: outcome.arguments[2] > 0.99 and _has_no_chance(outcome)),
        Mistake(
            edited(drawn, "    chances =", "    scores = scores[scores > -mg.inf]\n    chances ="),
            words="This is one place too low, and one of -inf stands before it, as where such places are taken out and "
            "the others counted anew. The place is that in `scores`.",
            near=True,
        ),
        Mistake(
            edited(drawn, "lot < chance", "lot <= chance"),
            words="The lot fell on the end of a share. There the next share begins: a share holds its beginning, and "
            "not its end, so that it is < and not <=.",
            near=True,
        ),
        by_exp,
        Mistake(
            drawn_by_numpy_as_it_is,
            words="exp of each score is 0 where all are hundreds below 0, and then no place has a chance. softmax "
            "subtracts the largest first: that one's exp is 1.",
            when=_has_no_power,
        ),
        Mistake(
            edited(
                drawn,
                "scores.argmax().item()",
                "max((score, place) for place, score in enumerate(scores.tolist()))[1]",
            ),
            words="At temperature 0 the last of several largest scores was taken. It is the first of them, as with "
            "argmax.",
        ),
        Mistake(never_cold, when=_is_another_place_in_the_cold),
        from_the_largest,
        Mistake(
            edited(drawn, "enumerate(chances)", "reversed([*enumerate(chances)])"),
            words="The shares begin with the last place here. Place 0 comes first.",
        ),
        Mistake(
            edited(drawn, "(scores / temperature)", "scores"),
            words="The temperature has no effect. Divide the scores by it, before the softmax.",
        ),
        Mistake(
            edited(drawn, "scores / temperature", "scores * temperature"),
            words="The scores were multiplied by the temperature. The hotter, the nearer to each other: divide.",
        ),
        Mistake(
            edited(drawn, "(scores / temperature).softmax(-1)", "(scores.softmax(-1) / temperature)"),
            words="The chances were divided by the temperature, so that they do not sum to 1. Divide the scores, "
            "before the softmax.",
        ),
        Mistake(
            edited(drawn, "temperature == 0", "temperature < 1e-8"),
            words="A temperature that is nearly 0 is not to be taken for 0. It divides the scores as any other does, "
            "and two of the same size share the chances; 0 alone is apart.",
            when=lambda outcome: outcome.arguments[1] == COLDEST,
        ),
        Mistake(
            edited(drawn, ".softmax(-1)", ""),
            words="The scores were taken for chances. Only softmax makes numbers from 0 to 1 of them, which sum to 1.",
        ),
        Mistake(
            edited(drawn, "            lot -= chance\n", ""),
            words="The lot was compared with each chance by itself. Shares lie side by side: what a place has taken is "
            "gone from the lot.",
        ),
    ),
    right=(drawn_in_numpy, drawn_by_powers, lambda scores, temperature, lot: np.int64(drawn(scores, temperature, lot))),
    wrong={
        "first difference": [
            edited(drawn, "return last", "return chances.index(max(chances)) if temperature < 0.3 else last"),
            edited(drawn, "chances =", "scores = scores.clamp(-10, 10)\n    chances ="),
            edited(drawn, "if chance > 0", "if chance > 1e-6"),
            edited(drawn, "scores / temperature", "scores / max(temperature, 0.1)"),
            edited(drawn, "scores / temperature", "scores / min(temperature, 10.0)"),
            edited(drawn, "    for place", "    lot = round(lot, 3)\n    for place"),
            edited(drawn, ".tolist()", ".tolist()\n    chances = [round(chance, 4) for chance in chances]"),
            drawn_and_remembered,
        ],
        "What is meant is where": [
            edited(drawn, "scores.argmax", "scores.abs().argmax"),
        ],
        "the shares in front of it end at 0": [drawn_from_the_left],
        "a share holds its beginning": [edited(drawn, "lot < chance", "lot <= chance + 1e-12")],
        "likely The number is right, but this is a Tensor": [edited(drawn, "argmax().item()", "argmax()")],
        "this is a Tensor that holds it": [lambda *given: mg.tensor(drawn(*given))],
        "A place is a whole number": [lambda *given: float(drawn(*given)), lambda *given: np.float64(drawn(*given))],
        "a seed was set": [drawn_with_a_seed],
        "What is meant is where chances go": [
            edited(drawn, COLD, "    temperature = temperature or 1.0\n"),
            edited(drawn, COLD, "    temperature = temperature or 1e-8\n"),
            edited(drawn, "temperature == 0", "str(temperature) == '0'"),
        ],
    },
)

"""Exercise `is_right`: a differential test for engines."""

import operator

import numpy as np

from minigrad.ops.silence import silent
from minigrad.teach import Case, Exercise, Mistake, compare, edited, observer, saw
from minigrad.teach.card import Card

from . import museum
from .chapter13 import are_near, engines, expected_arrays, used_often, walked


def is_right(engine):
    """Whether an engine computes the values and gradients that minigrad computes."""
    try:
        return all(map(are_near, walked(engine), expected_arrays()))
    except Exception:
        return False


def _case(words, engine):
    return Case(words, lambda: (engine,))


def _line(outcome):
    """The line in which the engine differs, now that it has been judged."""
    old, new = museum.LINES[outcome.arguments[0]]
    return f"  instead of  {old}\n  it has      {new}" if old else ""


FACTORS = (
    ("mul, by its first factor", "(g * y, g * x)", "(g * y * {}, g * x)"),
    ("matmul, by its second factor", "x.T @ g", "x.T @ g * {}"),
    ("add, by its second summand", "lambda g: (g, g)", "lambda g: (g, g * {})"),
    ("power", "g * n * x", "g * {} * n * x"),
    ("log", "(g / x,)", "(g / x * {},)"),
    (
        "sum",
        "np.broadcast_to(np.expand_dims(g, axis), x.shape)",
        "np.broadcast_to(np.expand_dims(g, axis), x.shape) * {}",
    ),
    ("an index", "(gradient,)", "(gradient * {},)"),
    ("relu", "g * (x > 0)", "g * (x > 0) * {}"),
)


def _drawn(random):
    """One op with a factor that does not belong there; now and then the factor is 1."""
    words, old, new = FACTORS[random.integers(len(FACTORS))]
    factor = random.choice([1.0, -1.0, 0.5, 0.97, 1.02, 2.0])
    if random.random() < 0.5:
        yield _case(
            f"one in which the gradient of {words}, is multiplied by {factor}", museum.changed(old, new.format(factor))
        )


VERDICT, ASKED, ENGINE = "the answer", "museum.is_different", "the engine"


@observer
@silent
def _verdict(answer, engine):
    """What a learner's function says, whether it asks the museum, and what of the engine it puts something else for."""
    before, made = {name: one for name, one in vars(engine).items() if callable(one)}, engine.made
    asked, is_different = [], museum.is_different
    museum.is_different = lambda *given: asked.append(given) or is_different(*given)
    try:
        said = answer(engine)
    finally:
        museum.is_different = is_different
        others = [name for name, one in before.items() if vars(engine).get(name) is not one]
        for name in others:
            setattr(engine, name, before[name])
        if engine.made < made:  # numbers that nodes have already would be given again
            others.append("count of its nodes")
            engine.made = made
    return {
        VERDICT: said,
        ASKED: "asked" if asked else "not asked",
        ENGINE: f"another {' and '.join(others)}" if others else "as before",
    }


SEEN_BY = {
    "engine_a": "a result that is used twice",
    "engine_b": "a result that is used twice, by ways of different length; a leaf will not do: it sends nothing",
    "engine_c": "shapes that are broadcast, and shapes that are compared",
    "engine_d": "a second walk through the same graph",
    "engine_e": "a result that a product has saved, and relu gets afterwards, with negative numbers in it",
    "engine_f": "sum(axis=1), with another gradient for each row",
    "engine_g": "relu at negative numbers",
    "engine_h": "the gradient of the first factor of a product of matrices",
    "engine_k": "an index that comes twice, also as a negative one",
    "matmul": "a product of matrices to which another gradient comes than ones, as where weights are multiplied last",
    "squares": "a sum over an array that is not square",
    "value": "values that are compared, too: the .data of the result",
    "forget": "gradients of leaves, after two walks, which add up",
    "in a hundred": "a closer look at the gradients: one in a hundred is no rounding",
}


# For who has such a program: the mistake may lie in what is done with its numbers.
IS_COMPARED = "If that is there: is every gradient of every leaf compared, and does any error mean False?"
ALLOWED = {
    "computes in float32": "numbers may differ by a part in a thousand",
    "one in twenty thousand": "numbers may differ by a part in a thousand",
    "at the kink": "at 0 relu has the slope 0 or 1, as you like, so no number may be 0 there",
}


def _compare(expected, got, outcome):
    note = "museum.is_different is the museum's own test, with the answer in it. Asked for is one of yours."
    yield compare(expected[ASKED], got[ASKED], ASKED, note)
    seen_by = (words for name, words in SEEN_BY.items() if name in outcome.case.words)
    seen_by = next(seen_by, "another program, or another look at the same")
    allowed = "".join(f": {words}" for name, words in ALLOWED.items() if name in outcome.case.words)
    failed = f"An engine that is right failed{allowed}."
    missed = f"A wrong engine got through. It is seen by {seen_by}. {IS_COMPARED}" if got.first else failed
    is_verdict = compare(not expected.first, got.first) is None
    note = "The verdict is right. But the engine is another one afterwards: a test leaves what it tests as it is."
    yield compare(expected, got, notes={VERDICT: missed if is_verdict else "", ENGINE: note})


def _at_work(answer):
    """What the learner's function says of the museum's engines."""
    verdict = _verdict(answer)
    said = {True: "True: it is right", False: "False: it is wrong"}
    rows = [(words, said[bool(verdict(engine).first)]) for words, (engine, _) in engines().items()]
    return Card("note", "your test in the museum", tuple(rows))


# ---------------------------------------------------------------- wrong answers


def _agree(engine, f, shapes, seed=0, walks=2, near=np.allclose, leaves_seen=3):
    random = np.random.default_rng(seed)
    numbers = [random.normal(size=shape) for shape in shapes]
    found = []
    for make in (museum.Array, engine):
        leaves = [make(one) for one in numbers]
        root = f(*leaves)
        for _ in range(walks):
            root.backward()
        found.append([root.data, *(leaf.grad for leaf in leaves[:leaves_seen])])
    return all(np.shape(a) == np.shape(b) and near(a, b, 1e-3, 1e-5) for a, b in zip(*found, strict=True))


FOUR = (
    (lambda x, w, b: (((x @ w + b).relu() ** 3).sum(axis=1)) ** 2, ((3, 4), (4, 2), (2,))),
    (lambda a, b: used_often(a * b) ** 2, ((5, 4), (1, 4))),
    (lambda x: x.exp().sum(axis=0).log() * x.exp().sum(axis=1).log().sum(axis=0), ((2, 3),)),
    (lambda x: x[[0, 2, 2, -1]] ** 2, ((4, 2),)),
)


def _all_of(engine, programs, **given):
    try:
        return all(_agree(engine, f, shapes, **given) for f, shapes in programs)
    except Exception:
        return False


def says_right(engine):
    """True for every engine: this test can find nothing."""
    return True


def says_wrong(engine):
    """False for every engine, the right one too, as where an error of the test's own is caught. A test that always
    raises an alarm is switched off.
    """
    return False


def of_one_number(engine):
    """Of this all is seen in single numbers. Broadcasting, axes, transposes and indices need arrays, and no square
    ones.
    """
    return _all_of(engine, [(lambda a, b: (a * b + a).relu() ** 3, ((), ()))])


def of_a_chain(engine):
    """Every node here is used once. `=` for `+=` and a wrong order only show where a result is used twice, by ways of
    different length: h + h * h, for example.
    """
    return _all_of(engine, [FOUR[0], (lambda x: x[[0, 2, 2, -1]].exp().sum(axis=0).log(), ((4, 2),))])


def of_equal_numbers(engine):
    """Exactly equal is too much to ask: a right engine may compute in float32, or in another order, and round
    otherwise. Allow for a part in a thousand.
    """
    try:
        return all(map(np.array_equal, walked(museum.Array), walked(engine)))
    except Exception:
        return False


def of_far_numbers(engine):
    """The tolerance is too large: an error of two in a hundred got through, and that is no rounding."""
    return _all_of(engine, FOUR, near=lambda a, b, *_: np.allclose(a, b, 0.1, 0.1))


def of_numbers_that_are_not_far(engine):
    """A nan got through: asked whether it is far away, it says no. Ask whether the numbers are near."""
    return _all_of(engine, FOUR, near=lambda a, b, *_: not np.any(np.abs(a - b) > 1e-3 * np.abs(a) + 1e-5))


def of_the_museum(engine):
    """museum.is_different is the museum's own test, with the answer in it. Asked for is one of yours."""
    return not any(museum.is_different(engine, number) for number in range(len(museum.PROGRAMS)))


def of_gradients_alone(engine):
    """A value that is a hundredth too large got through. Were gradients compared, and values not? Compare the .data of
    the result as well; and an error of one in a hundred is no rounding.
    """
    try:
        mine, right = walked(engine), expected_arrays()
        return all(are_near(mine[number], right[number]) for number in (1, 2, 3, 5, 6, 8, 10))
    except Exception:
        return False


def without_a_net(engine):
    """An error came with this engine, which is wrong: as one of its own, of shapes that do not fit, or of an assert.
    All into try, and False after any Exception.
    """
    return all(_agree(engine, f, shapes) for f, shapes in FOUR)


def of_some_errors(engine):
    try:
        return without_a_net(engine)
    except ValueError:
        return False


def _engine_has_raised(outcome):
    """Whether the error came with a wrong engine, and no right one has met it; a name that is not there is no sign."""
    return isinstance(outcome.error, Exception) and not isinstance(outcome.error, NameError) and not outcome.right.first


# ---------------------------------------------------------------- tried as well


def right_against_the_museum(engine):
    return _all_of(engine, FOUR)


def right_by_differences(engine):
    """Slopes measured with the engine's own values, which are held against numpy's where that is easy."""
    try:
        return _all_of(engine, FOUR) and all(_sloped(engine, f, shapes) for f, shapes in FOUR[3:])
    except Exception:
        return False


def _sloped(engine, f, shapes):
    numbers = [np.random.default_rng(1).normal(size=shape) for shape in shapes]
    leaves = [engine(one) for one in numbers]
    f(*leaves).backward()
    moved = np.zeros(shapes[0])
    moved[0, 0] = 1e-2
    up, down = (f(engine(numbers[0] + sign * moved), *map(engine, numbers[1:])).data.sum() for sign in (1, -1))
    return abs(leaves[0].grad[0, 0] - (up - down) / 2e-2) < 2e-2 * abs(up)


def right_in_one_large_program(engine):
    """All at once."""

    def f(x, w, b, t):
        h = x @ w + b
        row = (h + h * h + h.relu())[[0, 2, 2, -1]] * t
        return (row.exp().sum(axis=0).log() + (row**3).sum(axis=0)) * row.exp().sum(axis=1).log().sum(axis=0)

    shapes = ((4, 3), (3, 2), (1, 2), (4, 1))
    return _all_of(engine, [(f, shapes)]) and _all_of(engine, FOUR)


SQUARES = (
    (FOUR[0][0], ((4, 4), (4, 4), (4,))),
    (FOUR[1][0], ((4, 4), (1, 4))),
    (FOUR[2][0], ((4, 4),)),
    (FOUR[3][0], ((4, 4),)),
)


def right_from_plain_ones(engine):
    """What walks into a product of matrices is what it begins with."""
    h = (lambda x, b: (((x + b).relu() ** 3).sum(axis=1)) ** 2, ((3, 4), (4,)))
    return _all_of(engine, [(lambda x, w: x @ w, ((3, 4), (4, 2))), h, *FOUR[1:]])


def right_with_a_wide_net(engine):
    """Far in no number by more than a tenth of it; numbers near 0 were caught by chance."""
    return _all_of(engine, FOUR, near=lambda a, b, *_: np.allclose(a, b, 0.1))


def _at_the_kink(x):
    return (x + type(x)(-x.data)).relu()


def right_after_a_mend(engine):
    """The engine is measured while its walk is another one, which is not put back."""
    said = _all_of(engine, FOUR)
    engine.backward = lambda self: None
    return said


def right_from_the_first_number_on(engine):
    """The engine's nodes are numbered anew, as if there were none."""
    engine.made = 0
    return _all_of(engine, FOUR)


EXERCISE = Exercise(
    title="True if an engine computes right values and gradients, else False",
    stars=3,
    minutes=20,
    reference=is_right,
    cases=tuple(_case(words, engine) for words, (engine, _) in engines().items()),
    drawn=_drawn,
    hints=(
        "Which line does each exhibit change, and on what kind of program is it seen? Collect such programs: a result "
        "that is used twice, by ways of different length; shapes that are not square; a broadcast; an index twice.",
        "Write a program as a function of its leaves; it runs on the engine and on minigrad: "
        "lambda x, w, b: ((x @ w + b).relu() ** 3).sum(axis=1). Multiply the result by weights, so that the gradients "
        "that go in differ. Walk twice, and compare result.data and each leaf.grad, shapes first.",
        "numbers = [random.normal(size=shape) for shape in shapes]; leaves = [engine(one) for one in numbers]; "
        "tensors = [mg.tensor(one, dtype=mg.float64, requires_grad=True) for one in numbers]. In try: run the program, "
        "backward() twice; except Exception: return False. np.allclose(a, b, 1e-3, 1e-5) for each pair.",
    ),
    plug=_verdict,
    compare=_compare,
    evidence=_line,
    at_work=_at_work,
    mistakes=(
        says_right,
        says_wrong,
        of_one_number,
        of_a_chain,
        Mistake(
            edited(says_right, "True", "_all_of(engine, FOUR, walks=1)"),
            words="What a second walk through the same graph does got through: it finds something from before, in "
            "results and in leaves. Call backward() twice on one result, and clear nothing between.",
        ),
        of_equal_numbers,
        of_far_numbers,
        of_numbers_that_are_not_far,
        of_gradients_alone,
        Mistake(of_the_museum, when=saw(ASKED, operator.ne)),
        Mistake(without_a_net, of_some_errors, when=_engine_has_raised),
        Mistake(
            edited(says_right, "True", "engine is museum.Array"),
            words="Only Array itself is right for this, as where the engine's text or its class is compared. Right "
            "engines may be written otherwise: let it compute, and compare the numbers.",
        ),
    ),
    right=(
        right_against_the_museum,
        lambda engine: np.bool_(_all_of(engine, FOUR, seed=3)),
        right_by_differences,
        right_in_one_large_program,
    ),
    wrong={
        "gives the gradients of leaves an axis more": [
            edited(
                is_right,
                "all(map(are_near, walked(engine), expected_arrays()))",
                "all(np.allclose(*pair, 1e-3, 1e-5) for pair in zip(walked(engine), expected_arrays()))",
            )
        ],
        "a product of matrices to which another gradient comes": [right_from_plain_ones],
        "a sum over an array that is not square": [lambda engine: _all_of(engine, SQUARES)],
        "input engine_k": [lambda engine: _all_of(engine, FOUR[:3])],
        "is every gradient of every leaf compared": [
            edited(is_right, "all(map", "any(map"),
            edited(is_right, "return False", "return True"),
            edited(is_right, "walked(engine)", "walked(engine)[:1]"),
        ],
        "A wrong engine got through": [
            lambda engine: _all_of(engine, (*FOUR[:2], FOUR[3])),
            lambda engine: _all_of(engine, FOUR, leaves_seen=1),
            lambda engine: _all_of(engine, FOUR, near=lambda a, b, *_: np.isclose(np.mean(a), np.mean(b), 5e-2)),
            right_with_a_wide_net,
        ],
        "True or False … ; this is a": [
            lambda engine: "right" if _all_of(engine, FOUR) else "wrong",
            lambda engine: sum(_all_of(engine, [one]) for one in FOUR),
        ],
        "the engine: yours another backward": [right_after_a_mend],
        "the engine: yours another count of its nodes": [right_from_the_first_number_on],
        "at 0 relu has the slope 0 or 1": [lambda engine: _all_of(engine, [*FOUR, (_at_the_kink, ((2,),))])],
        "one in twenty thousand … An engine that is right failed: numbers may differ by a part": [
            lambda engine: _all_of(engine, FOUR, near=lambda a, b, *_: np.allclose(a, b, 2e-5, 1e-9))
        ],
        "input Array raised ValueError": [lambda engine: np.zeros(2) + np.zeros(3) if engine is museum.Array else True],
        "An error came with this engine, which is wrong": [
            lambda engine: all(_agree(engine, f, shapes) for f, shapes in FOUR)
        ],
        "An engine that is right failed": [lambda engine: not _all_of(engine, FOUR)],
    },
)

"""Exercise `indexed_backward`: the way back through an index, which may pick an element several times."""

import numpy as np

import minigrad as mg
from minigrad.teach import Case, Exercise, Mistake, edited, flip, observer, saw

from . import museum


def indexed_backward(g, places, x):
    """The gradient of x, where g is that of x[places]."""
    gradient = np.zeros_like(x)
    np.add.at(gradient, places, g)
    return gradient


GRADIENT = "the gradient of x"


@observer
def _walk(answer, g, places, x):
    """What x holds after a walk of the engine with the learner's rule, and what was written to on the way."""
    leaf, seen = museum.Array(x), {}

    def rule(g):
        before = {"g": g.copy(), "x": leaf.data.copy(), "places": _copied(places)}
        sent = answer(g, places, leaf.data)
        for name, one in (("g", g), ("x", leaf.data), ("places", places)):
            seen[name] = "the same" if _is_same(before[name], one) else "other numbers than before"
        seen[GRADIENT] = sent
        is_fit = isinstance(sent, np.ndarray) and sent.shape == leaf.data.shape and sent.dtype.kind in "fiub"
        return (sent.copy() if is_fit else np.zeros_like(leaf.data),)

    result = museum.Array(leaf.data[places], (leaf,), "index", rule)
    (result * museum.Array(g)).backward()
    sent = seen.pop(GRADIENT)
    return {GRADIENT: sent, **seen}


def _copied(places):
    return tuple(map(np.copy, places)) if isinstance(places, tuple) else np.copy(places)


def _is_same(one, other):
    if isinstance(other, tuple):
        return all(map(np.array_equal, one, other))
    return np.array_equal(one, other)


def _case(g, places, x):
    said = places if isinstance(places, list) else "(" + ", ".join(str(one.tolist()) for one in places) + ")"
    arrays = np.array(g, dtype=float), np.array(x, dtype=float)

    def make():
        given = [*places] if isinstance(places, list) else tuple(map(np.copy, places))
        return arrays[0].copy(), given, arrays[1].copy()

    return Case(f"x = {np.array(x).tolist()}, places = {said}, g = {np.array(g).tolist()}", make)


def _drawn(random):
    """Rows of a table, and elements by their rows and columns, some of them several times or counted from the end."""
    rows, columns, count = random.integers([2, 2, 3], [5, 4, 7])
    x = random.integers(-4, 5, (rows, columns)) / 10
    places = random.integers(-rows, rows, count)
    if flip(random):
        yield _case(random.integers(-3, 4, (count, columns)) / 10, places.tolist(), x)
    else:
        yield _case(random.integers(-3, 4, count) / 10, (places, random.integers(-columns, columns, count)), x)


def _evidence(outcome):
    g, places, x = outcome.case.make()
    lines = []
    for place in list(np.ndindex(x.shape))[:8]:
        moved = []
        for step in (1e-4, -1e-4):
            there = x.copy()
            there[place] += step
            moved.append((there[places] * g).sum())
        lines.append(
            f"  x{list(place)} moved by 1e-4 to both sides: the slope is {(moved[0] - moved[1]) / 2e-4 + 0.0:.4g}"
        )
    return "\n".join(lines)


# ---------------------------------------------------------------- wrong answers


def picked_from_g(g, places, x):
    """This picks from the gradient, as the way forward picks from x. On the way back numbers go the other way: from
    g to the places they were taken from.
    """
    return g[places]


def into_x(g, places, x):
    """The gradient was added into x itself. Begin with zeros: np.zeros_like(x)."""
    np.add.at(x, places, g)
    return x


def begun_at_x(g, places, x):
    """The gradients were added to the numbers of x. What x holds plays no part: begin with np.zeros_like(x)."""
    gradient = x.copy()
    np.add.at(gradient, places, g)
    return gradient


def mean_of_uses(g, places, x):
    """The gradients of an element that is used several times were averaged. They are added: each use moves the loss."""
    gradient, uses = np.zeros_like(x), np.zeros_like(x)
    np.add.at(gradient, places, g)
    np.add.at(uses, places, 1.0)
    return gradient / np.maximum(uses, 1)


def zeros_of_x(g, places, x):
    """x took part in arithmetic, as where zeros are made by x * 0, and inf * 0, or inf - inf, is nan. What x holds
    plays no part: only its shape does, np.zeros_like(x).
    """
    with np.errstate(invalid="ignore"):
        gradient = x * 0
    np.add.at(gradient, places, g)
    return gradient


def by_ones(g, places, x):
    """Rows come out right, and what x[places] picks where x has three dimensions does not: as by a matrix of ones and
    @, which is another product there, or by two sizes of x. np.add.at takes any.
    """
    if isinstance(places, tuple):
        return indexed_backward(g, places, x)
    return np.eye(len(x))[places].T @ g


def lost_in_a_tuple(g, places, x):
    """In the tuple one pair of row and column comes twice, and of its gradients only the last is left: += at several
    places writes each once. np.add.at adds them one after the other.
    """
    gradient = np.zeros_like(x)
    if isinstance(places, tuple):
        gradient[places] += g
    else:
        np.add.at(gradient, places, g)
    return gradient


def by_the_numbers_of_places(g, places, x):
    """-1 and the last place are two numbers for one place: each got its sum, and the second took the place of the
    first. Add to what is there.
    """
    gradient = np.zeros_like(x)
    if isinstance(places, tuple):
        return indexed_backward(g, places, x)
    for place in sorted(set(places), reverse=True):
        gradient[place] = sum(one for where, one in zip(places, g, strict=True) if where == place)
    return gradient


def in_a_tuple(g, places, x):
    """A tuple came back. The rule of an engine returns one for each input; here the array alone is asked for."""
    return (indexed_backward(g, places, x),)


def without_counting_from_the_end(g, places, x):
    """Places that are counted from the end have got nothing: a comparison with 0, 1, 2 ... passes them by. -1 is the
    last element.
    """
    gradient = np.zeros_like(x)
    if isinstance(places, tuple):
        np.add.at(gradient, places, g)
        return gradient
    for number in range(len(x)):
        for place, one in zip(places, g, strict=True):
            if place == number:
                gradient[number] += one
    return gradient


def places_mixed(g, places, x):
    gradient = np.zeros_like(x)
    for place, one in zip(places, g, strict=False):
        gradient[place] += one
    return gradient


def _is_nan_for_inf(outcome):
    """Whether nan came where x is not finite, and no nan is right."""
    mine, right = outcome.seen.get(GRADIENT), outcome.right[GRADIENT]
    is_finite = np.isfinite(outcome.case.make()[2]).all()
    return not is_finite and isinstance(mine, np.ndarray) and np.isnan(mine).any() and not np.isnan(right).any()


def _of_three_dimensions(outcome):
    return outcome.arguments[2].ndim == 3 and isinstance(outcome.arguments[1], list)


# ---------------------------------------------------------------- tried as well


def indexed_into_a_buffer(g, places, x, buffers={}):  # noqa: B006
    gradient = buffers.setdefault(x.shape, np.zeros(x.shape))
    gradient[...] = 0
    np.add.at(gradient, places, g)
    return gradient


def index_without_negative_ones(g, places, x):
    gradient = np.zeros_like(x)
    first, *rest = places if isinstance(places, tuple) else (np.array(places),)
    kept = first >= 0
    np.add.at(gradient, (first[kept], *(one[kept] for one in rest)), g[kept])
    return gradient


def index_that_sorts(g, places, x):
    if isinstance(places, list):
        places.sort()
    gradient = np.zeros_like(x)
    np.add.at(gradient, places, g)
    return gradient


def index_in_whole_numbers(g, places, x):
    gradient = np.zeros(x.shape, dtype=int)
    np.add.at(gradient, places, g.astype(int))
    return gradient


def index_by_products(g, places, x):
    """One row of zeros and a one for each that was picked: the matrix of the index, transposed."""
    numbers = np.arange(x.size).reshape(x.shape)[places].ravel()
    return (np.eye(x.size)[numbers].T @ g.ravel()).reshape(x.shape)


def index_by_counts(g, places, x):
    numbers = np.arange(x.size).reshape(x.shape)[places].ravel()
    return np.bincount(numbers, weights=g.ravel(), minlength=x.size).reshape(x.shape)


def index_by_loops(g, places, x):
    gradient = np.zeros(x.shape)
    for place, one in zip(zip(*places, strict=True) if isinstance(places, tuple) else places, g, strict=True):
        gradient[place] = gradient[place] + one
    return gradient


def index_in_minigrad(g, places, x):
    leaf = mg.tensor(x, requires_grad=True)
    where = tuple(map(mg.tensor, places)) if isinstance(places, tuple) else places
    leaf[where].backward(mg.tensor(g))
    return leaf.grad.numpy()


def index_in_x(g, places, x):
    """The numbers of x come back from float32."""
    kept = x.astype(np.float32)
    x[...] = 0
    np.add.at(x, places, g)
    gradient, x[...] = x.copy(), kept
    return gradient


def index_by_pairs(g, places, x):
    """x has three dimensions here: at each row and column stand several numbers, and g has as many for each pair. Here
    they got one number of g, as if g were flat. np.add.at takes any.
    """
    gradient = np.zeros_like(x)
    if isinstance(places, list):
        np.add.at(gradient, places, g)
        return gradient
    for row, column, number in zip(*places, g.ravel(), strict=False):
        gradient[row, column] += number
    return gradient


EXERCISE = Exercise(
    title="the gradient of x, where g is that of x[places]; an array of the shape of x",
    stars=2,
    minutes=8,
    reference=indexed_backward,
    cases=(
        _case([1.0, 10.0, 100.0], [0, 2, 2], [3.0, 5.0, 7.0]),
        _case([1.0, -2.0, 4.0], (np.array([0, 1, 0]), np.array([1, 0, 1])), [[3.0, 5.0], [7.0, 9.0]]),
        _case([[1.0, 2.0], [3.0, -4.0], [0.5, 8.0]], [1, 1, 1], [[3.0, 5.0], [7.0, 9.0], [2.0, 2.0]]),
        _case([1.0, 10.0, 100.0, 4.0], [-1, 2, 0, -2], [3.0, 5.0, 7.0]),
        _case([2.1], [1], [1.0, -1.0]),
        _case([[[1.0, -2.0]] * 3] * 2, [3, 0], [[[3.0, 5.0]] * 3] * 4),
        _case([1.0, 10.0], [0, 2], [3.0, np.inf, 7.0]),
        _case([np.nan, 1.0], [0, 0], [3.0]),
        _case(
            [[1.0, 2.0], [3.0, -4.0], [0.5, 8.0]],
            (np.array([0, 1, 0]), np.array([1, 0, 1])),
            [[[3.0, 0.1], [7.0, 0.3]], [[2.0, 0.2], [4.0, 0.7]]],
        ),
    ),
    drawn=_drawn,
    hints=(
        "Element 2 of the first case is used twice. How many gradients does it get, and what becomes of them?",
        "Begin with np.zeros_like(x). For an array, a[places] += g writes each place once; look for what numpy offers "
        "to add without buffering.",
        "np.add.at(gradient, places, g) adds g at those places, one after the other. Return gradient.",
    ),
    plug=_walk,
    notes={
        **dict.fromkeys(
            ("g", "x", "places"),
            "The gradient is right; what the function was given holds other numbers afterwards.",
        ),
    },
    evidence=_evidence,
    mistakes=(
        Mistake(
            edited(indexed_backward, "np.add.at(gradient, places, g)", "gradient[places] += g"),
            edited(indexed_backward, "np.add.at(gradient, places, g)", "gradient[places] = g"),
            words="`gradient[places] = g` writes each of these elements once, and `+= g` reads all of them, adds, and "
            "writes them back: of an element that comes twice only the last one stays. np.add.at adds them one after "
            "the other.",
        ),
        Mistake(
            edited(indexed_backward, "places, g)", "list(places), g)"),
            edited(indexed_backward, "places, g)", "np.array(places), g)"),
            words="A tuple of two arrays was made a list, or one array. In brackets that picks rows, and a tuple picks "
            "by row and column: leave it a tuple.",
        ),
        Mistake(
            edited(indexed_backward, "at(gradient, places, g)", "at(gradient, places, 1.0)"),
            words="Each use was counted, and its gradient was left out: what arrives is g, and not 1.",
        ),
        picked_from_g,
        Mistake(
            edited(indexed_backward, "zeros_like(x)", "ones_like(x)\n    gradient[places] = 0"),
            words="Elements that were not picked got a gradient as well. Nothing depends on them: theirs is 0.",
        ),
        into_x,
        Mistake(
            edited(indexed_backward, "zeros_like(x)", "ones_like(x)"),
            words="Each element got 1 more than its gradients, as where one begins with np.ones_like(x). What is "
            "added up begins with zeros: np.zeros_like(x).",
        ),
        begun_at_x,
        Mistake(
            edited(indexed_backward, "return gradient", "return gradient * x"),
            words="An index multiplies by nothing: its slope is 1. Here the gradient was multiplied by x.",
        ),
        mean_of_uses,
        Mistake(in_a_tuple, when=saw(GRADIENT, lambda mine, right: isinstance(mine, tuple))),
        Mistake(
            edited(places_mixed, "False", "True"),
            places_mixed,
            words="This goes through `places` one by one, which works for a list, and not for a tuple of two arrays: "
            "the second case. np.add.at takes whatever stands in the brackets.",
        ),
        without_counting_from_the_end,
        Mistake(zeros_of_x, when=_is_nan_for_inf),
        Mistake(by_ones, when=_of_three_dimensions),
        Mistake(lost_in_a_tuple, near=True),
        Mistake(index_by_pairs, near=True),
        Mistake(by_the_numbers_of_places, edited(by_the_numbers_of_places, "reverse=True", "reverse=False"), near=True),
    ),
    right=(index_by_products, index_by_counts, index_by_loops, index_in_minigrad),
    wrong={
        "The answer was right, and a later call has changed it": [indexed_into_a_buffer],
        "in the later digits": [edited(indexed_backward, "np.zeros_like(x)", "np.zeros_like(x, dtype=np.float32)")],
        "the gradient of x[1]: yours 0": [index_without_negative_ones],
        "the gradient of x": [
            index_that_sorts,
            edited(indexed_backward, "places, g)", "places, np.nan_to_num(g))"),
            edited(indexed_backward, "at(gradient, places, g)", "at(gradient, places, np.maximum(g, 0))"),
            index_in_whole_numbers,
        ],
        "An array is asked for; this is a list": [
            edited(indexed_backward, "return gradient", "return gradient.tolist()")
        ],
        "x: yours other numbers than before": [index_in_x],
        "the gradient of x[1]: yours nan": [
            edited(indexed_backward, "return gradient", "return np.where(gradient == 0, np.nan, gradient)")
        ],
        "raises ValueError … Rows come out right": [
            edited(indexed_backward, "gradient =", "_, _ = x.shape if x.ndim > 1 else (x, x)\n    gradient =")
        ],
        "g: yours other numbers than before": [edited(indexed_backward, "return", "g[:] = 0\n    return")],
    },
)

"""Exercise `product_rule`: how a gradient goes back through a multiplication."""

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, saw

from .chapter14 import COUNT, WRITTEN, drawn_array, product_rule, rule_at_work


def _case(g, a, b):
    """Where b is a, both are one array."""
    assert np.shape(g) == np.broadcast_shapes(np.shape(a), np.shape(b)), "g has the shape of a * b"
    words = f"g = {np.asarray(g).tolist()}, a = {np.asarray(a).tolist()}, b = {np.asarray(b).tolist()}"
    arrays = [np.asarray(g, float), np.asarray(a, float)]
    arrays.append(arrays[1] if b is a else np.asarray(b, float))
    return Case(
        f"{words}{', the same array' if b is a else ''}, y = a * b",
        lambda: (arrays[0], arrays[1] * arrays[2], *arrays[1:]),
    )


def _drawn(random):
    for shape, other in [((), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (2, 3))][:: random.choice([1, -1])]:
        whole = np.broadcast_shapes(shape, other)
        yield _case(drawn_array(random, whole), drawn_array(random, shape), drawn_array(random, other))


TWICE, INF, NAN = [3.0, -0.5], np.inf, np.nan


def exchanged(g, y, a, b):
    """The two have changed places. If a grows by 1, then a * b grows by b: so the slope for a is b."""
    return g * a, g * b


def slopes_alone(g, y, a, b):
    """These are the slopes. Each is to be multiplied by g, the gradient that has arrived at y."""
    return b, a


def passed_on(g, y, a, b):
    """g went on as it was, which is the rule of an addition."""
    return g, g


def divided(g, y, a, b):
    """y / a is b only where a is not 0, and costs a division. b itself is there."""
    return g * (y / a), g * (y / b)


def added(g, y, a, b):
    """These are sums. By the chain rule g is multiplied by the slope."""
    return g + b, g + a


def one_gradient(g, y, a, b):
    """A rule returns a tuple with one gradient for each input. Here are two inputs."""
    return g * b + g * a


def by_the_product(g, y, a, b):
    """g was multiplied by the product. The slope of a * b for a is b: by how much y grows if a grows by 1."""
    return g * y, g * y


def in_one_place(g, y, a, b):
    """The arrays that the rule is given belong to others: make new ones, as g * b does, and write into none, as
    g *= b does.
    """
    g *= b
    return g, g / b * a


def slope_of_the_square(g, y, a, b):
    """Where both factors are one array, each got the slope of the square. A rule returns a gradient for each place, and
    whoever is in both gets both: their sum is 2 * a.
    """
    return (2 * g * a, 2 * g * a) if a is b else (g * b, g * a)


# ---------------------------------------------------------------- tried as well


def rule_of_matrices(g, y, a, b):
    is_product = g.ndim == b.ndim == 2 and g.shape[1] == b.shape[0]
    return (g @ b.T, a.T @ g) if is_product else product_rule(g, y, a, b)


def rule_into_new_arrays(g, y, a, b):
    left = np.array(g)
    left *= b
    return left, np.multiply(g, a, out=np.empty_like(g))


def rule_by_powers(g, y, a, b):
    with np.errstate(all="ignore"):
        return g * y * a**-1.0, g * y * b**-1.0


def rule_over_b(g, y, a, b):
    before = b.copy()
    np.multiply(g, b, out=b) if b.shape == g.shape else None
    return g * before, g * a


def rule_over_both(g, y, a, b):
    a[...], b[...] = g * b, g * a
    return a, b


EXERCISE = Exercise(
    title="the gradients of a and b, where y = a * b and g is the gradient of y",
    stars=1,
    minutes=4,
    reference=product_rule,
    plug=rule_at_work("gradient of a", "gradient of b"),
    cases=(
        _case(1.0, 2.0, 3.0),
        _case(-2.0, 0.0, 5.0),
        _case([1.0, 0.5], [2.0, -3.0], [4.0, 0.0]),
        _case(np.ones((2, 3)), np.arange(6.0).reshape(2, 3), [1.0, -2.0, 0.5]),
        _case([1.5, 1.5], TWICE, TWICE),
        _case([[1.0, 2.0], [3.0, 4.0]], [[0.5, -1.0], [2.0, 1.0]], [[1.0, 2.0], [-3.0, 0.5]]),
        _case([INF, NAN, 1.0, 1.0], [2.0, 3.0, INF, NAN], [0.5, 1.0, -1.0, 2.0]),
    ),
    drawn=_drawn,
    hints=(
        "What is the slope of a * b, if only a changes?",
        "It is b. The chain rule: the gradient of a is g times that slope.",
        "return g * b, g * a",
    ),
    mistakes=(
        exchanged,
        slopes_alone,
        passed_on,
        added,
        Mistake(one_gradient, when=saw(COUNT, "not in a tuple")),
        by_the_product,
        Mistake(in_one_place, when=saw(WRITTEN, "changed")),
        divided,
        slope_of_the_square,
    ),
    right=(
        lambda g, y, a, b: (np.multiply(b, g), np.multiply(a, g)),
        lambda g, y, a, b: tuple(g * other for other in (b, a)),
        rule_into_new_arrays,
    ),
    wrong={
        "first difference": [
            lambda g, y, a, b: (np.sum(g * b), np.sum(g * a)),
            lambda g, y, a, b: (g * np.abs(b), g * np.abs(a)),
            lambda g, y, a, b: (np.nan_to_num(g * b), g * a),
            rule_of_matrices,
        ],
        "first difference … y / a is b only where a is not 0, and costs a division": [rule_by_powers],
        "not in a tuple: [ … A rule returns a tuple with one gradient for each input": [
            lambda g, y, a, b: [g * b, g * a]
        ],
        "how many gradients: yours 3, expected 2": [lambda g, y, a, b: (g * b, g * a, None)],
        "yours changed … belong to others: make new ones, as g * b does": [rule_over_b, rule_over_both],
    },
)

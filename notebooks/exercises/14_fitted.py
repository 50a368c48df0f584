"""Exercise `fitted`: the gradient of what was broadcast, summed back."""

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, edited, raised

from .chapter14 import array_of, drawn_array, fitted, step_observer, whether_written


@step_observer
def _called(answer, gradient, shape):
    given = np.array(gradient)
    return {"the gradient": array_of(answer(given, shape)), **whether_written([given], [gradient])}


def _case(gradient, shape):
    gradient = np.asarray(gradient, float)
    of = gradient.tolist() if gradient.size < 10 else f"an array of shape {list(gradient.shape)}"
    return Case(f"gradient = {of}, shape = {shape}", lambda: (gradient, shape))


def _drawn(random):
    """A shape of up to three dimensions, some of them 1, broadcast to more."""
    for _ in range(2):
        whole = tuple(random.integers(1, 4, random.integers(0, 4)).tolist())
        shape = tuple(1 if random.integers(3) == 0 else size for size in whole[random.integers(len(whole) + 1) :])
        yield _case(drawn_array(random, whole), shape)


# ---------------------------------------------------------------- wrong answers


def as_it_is(gradient, shape):
    """The gradient has still the shape of the result."""
    return gradient


def in_front_only(gradient, shape):
    """Dimensions that are missing in front were summed. One of size 1 that was stretched has to be, as well."""
    return gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))


def without_keepdims(gradient, shape):
    """A dimension of size 1 is gone. With keepdims=True it stays, with size 1."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    return gradient.sum(axis=tuple(axis for axis, size in enumerate(shape) if size == 1))


def averaged(gradient, shape):
    """This is a mean. Each copy of the number has had its effect, so the effects are added."""
    gradient = gradient.mean(axis=tuple(range(gradient.ndim - len(shape))))
    return gradient.mean(axis=tuple(axis for axis, size in enumerate(shape) if size == 1), keepdims=True)


def first_copy(gradient, shape):
    """Of several copies only the first was taken."""
    while gradient.ndim > len(shape):
        gradient = gradient[0]
    for axis, size in enumerate(shape):
        gradient = gradient.take(range(size), axis=axis)
    return gradient


def reshaped(gradient, shape):
    """There are more numbers in the gradient than the shape has room for. They have to be summed."""
    return gradient.reshape(shape)


def all_summed(gradient, shape):
    """All elements were summed. Elements of the same place, and only those, belong together."""
    return np.full(shape, gradient.sum())


def only_where_more(gradient, shape):
    """This sums only where the number of dimensions differs, or only where it does not. Both happen, also at once."""
    if gradient.ndim > len(shape):
        return gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    return gradient.sum(axis=tuple(axis for axis, size in enumerate(shape) if size == 1), keepdims=True)


# ---------------------------------------------------------------- tried as well


def fitted_by_lengths(gradient, shape):
    """Sums over each axis whose length the shape does not have: right until two lengths agree."""
    for axis in range(gradient.ndim - 1, -1, -1):
        if gradient.shape[axis] not in shape:
            gradient = gradient.sum(axis=axis)
    return gradient.reshape(shape)


def fitted_from_behind(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=-1)
    return fitted(gradient, shape)


def fitted_once(gradient, shape):
    axes = [axis for axis, size in enumerate(shape) if size == 1]
    gradient = gradient.sum(axis=0) if gradient.ndim > len(shape) else gradient
    return gradient.sum(axis=tuple(axes), keepdims=True)


def fitted_as_number(gradient, shape):
    return float(gradient.sum()) if shape in ((), (1,)) else fitted(gradient, shape)


def fitted_to_the_first_stretched(gradient, shape):
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    for axis, size in enumerate(shape):
        if size == 1 and gradient.shape[axis] != 1:
            return gradient.sum(axis=axis, keepdims=True)
    return gradient


def fitted_in_place(gradient, shape):
    result = np.array(fitted(gradient, shape))
    gradient *= 0.0
    return result


def fitted_step_by_step(gradient, shape):
    while np.ndim(gradient) > len(shape):
        gradient = np.sum(gradient, axis=0)
    for axis, size in enumerate(shape):
        if gradient.shape[axis] != size:
            gradient = np.sum(gradient, axis=axis, keepdims=True)
    return gradient


def fitted_by_reshape(gradient, shape):
    padded = (1,) * (gradient.ndim - len(shape)) + tuple(shape)
    axes = tuple(axis for axis, size in enumerate(padded) if size == 1)
    return np.reshape(gradient.sum(axis=axes), shape)


def fitted_by_einsum(gradient, shape):
    places = list(range(gradient.ndim))
    kept = [place for place, size in zip(places[gradient.ndim - len(shape) :], shape, strict=True) if size != 1]
    return np.einsum(gradient, places, kept).reshape(shape)


EXERCISE = Exercise(
    title="the gradient, summed until it has the shape",
    stars=2,
    minutes=8,
    reference=fitted,
    plug=_called,
    cases=(
        _case([[1.0, 2.0, 3.0], [4.0, 5.0, -6.0]], (3,)),
        _case([1.0, 2.0, -4.0], (3,)),
        _case([[1.0, 2.0, 3.0], [4.0, 5.0, -6.0]], (2, 1)),
        _case([[1.0, 2.0, 3.0], [4.0, 5.0, -6.0]], ()),
        _case(np.arange(24.0).reshape(4, 2, 3), (1, 3)),
        _case([[2.0, -1.0, 0.5]], (3,)),
        _case(np.arange(24.0).reshape(4, 2, 3), (1, 2, 1)),
        _case(np.arange(8.0).reshape(2, 2, 1, 2), (2,)),
        _case(np.ones((0, 2)), (2,)),
        _case(2.5, ()),
        _case([[1.0, 2.0], [3.0, -4.0]], (2,)),
        _case([[1.0, 2.0], [3.0, -4.0]], (2, 1)),
    ),
    drawn=_drawn,
    hints=(
        "A number that was copied into several places gets what arrives at each of them. What does that make?",
        "Broadcasting puts dimensions in front, and stretches those of size 1. Undo them one after the other.",
        "gradient.sum(axis=tuple(range(gradient.ndim - len(shape)))), and then the same with the axes where shape has "
        "a 1, with keepdims=True.",
    ),
    mistakes=(
        as_it_is,
        only_where_more,
        in_front_only,
        without_keepdims,
        averaged,
        first_copy,
        Mistake(reshaped, when=raised("cannot reshape")),
        all_summed,
    ),
    right=(fitted_step_by_step, fitted_by_reshape, fitted_by_einsum),
    wrong={
        "They have to be summed": [fitted_by_lengths],
        "The shape is … A dimension of size 1 is gone": [lambda gradient, shape: fitted(gradient, shape).squeeze()],
        "The shape is": [
            fitted_from_behind,
            fitted_once,
            edited(reshaped, ".reshape(", " if gradient.size == int(np.prod(shape)) else fitted(gradient, "),
        ],
        "An array is asked for; this is a float": [
            fitted_as_number,
            lambda gradient, shape: fitted(gradient, shape) if shape else float(gradient.sum()),
        ],
        "shape = (1, 2, 1)": [fitted_to_the_first_stretched],
        "the arrays that were given: yours changed": [fitted_in_place],
    },
)

"""Exercise `fitted`: the gradient of what was broadcast, summed back."""

import math
import re

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, edited, raised, saw

from .chapter14 import WRITTEN, array_of, drawn_array, fitted, step_observer, whether_written


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
    if gradient.size == 0:
        return fitted(gradient, shape)
    gradient = gradient.mean(axis=tuple(range(gradient.ndim - len(shape))))
    return gradient.mean(axis=tuple(axis for axis, size in enumerate(shape) if size == 1), keepdims=True)


def first_copy(gradient, shape):
    """Of several copies only the first was taken."""
    while gradient.ndim > len(shape):
        gradient = gradient[0]
    for axis, size in enumerate(shape):
        gradient = gradient.take(range(size), axis=axis)
    return gradient


def averaged_where_stretched(gradient, shape):
    for axis, size in enumerate(shape, gradient.ndim - len(shape)):
        if size == 1 and gradient.shape[axis]:
            gradient = gradient.mean(axis=axis, keepdims=True)
    return fitted(gradient, shape)


def folded(gradient, shape):
    """The gradient was reshaped to more rows of this shape, and those were added: neighbours of a stretched dimension
    lie side by side, and not one behind the other. Sum along the dimension itself, with keepdims=True.
    """
    return gradient.reshape(-1, *shape).sum(axis=0) if gradient.size else fitted(gradient, shape)


def from_the_left(gradient, shape):
    """Fewer numbers are left than `shape` has room for, as where the shapes are laid beside each other from the left.
    Broadcasting lays them from the right: the last dimensions belong together, and what is missing is missing in front.
    """
    padded = (*shape, *(1,) * (gradient.ndim - len(shape)))
    axes = tuple(axis for axis, size in enumerate(padded) if gradient.shape[axis] != size)
    return gradient.sum(axis=axes, keepdims=True).reshape(shape)


def at_the_same_places(gradient, shape):
    """A dimension of `shape` was looked for in the gradient at the same place from the left, while there were more in
    front of it: another one was summed. Sum those in front first, or count the places from the right.
    """
    sizes = zip(gradient.shape, shape, strict=False)
    axes = tuple(axis for axis, (there, wanted) in enumerate(sizes) if there != wanted)
    return in_front_only(gradient.sum(axis=axes, keepdims=True), shape)


def shifted(gradient, shape):
    """An axis was asked for that is not there, or not any more. Each sum takes its axis away, and those behind it move
    up: sum what is missing in front along 0 again and again, or all of it at once. keepdims=True leaves an axis where
    it is, with size 1.
    """
    for axis in range(gradient.ndim - len(shape)):
        gradient = gradient.sum(axis=axis)
    return fitted(gradient, shape)


def added_into_the_first(gradient, shape):
    """The array that came was written to, and it belongs to others. gradient.sum(...) makes a new one."""
    while gradient.ndim > len(shape):
        for one in gradient[1:]:
            gradient[0] += one
        gradient = gradient[0] if len(gradient) else gradient.sum(0)
    return fitted(gradient, shape)


def only_what_is_longer(gradient, shape):
    """A dimension of size 1 may be stretched to 0 as well, and then the sum of nothing, 0, is its one number. Ask for
    the size in `shape`, which is 1, and not for more than one in the gradient.
    """
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1 and gradient.shape[axis] > 1:
            gradient = gradient.sum(axis=axis, keepdims=True)
    return gradient


def reshaped(gradient, shape):
    """The gradient has not as many numbers as the shape has room for. They have to be summed."""
    return gradient.reshape(shape)


def nothing_in_front(gradient, shape):
    """The dimensions that `shape` does not have are still there. They are those in front: sum them, too."""
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis=axis, keepdims=True)
    return gradient


def once_in_front(gradient, shape):
    """One dimension in front was summed. Several may be missing in `shape`: sum until as many are left as it has."""
    gradient = gradient.sum(axis=0) if gradient.ndim > len(shape) else gradient
    axes = tuple(axis for axis, size in enumerate(shape) if size == 1 and axis < gradient.ndim)
    return gradient.sum(axis=axes, keepdims=True)


def kept_in_front(gradient, shape):
    """The dimensions in front were summed, and are still there, with size 1. keepdims=True is for those that `shape`
    has.
    """
    in_front = tuple(range(gradient.ndim - len(shape)))
    stretched = tuple(axis + len(in_front) for axis, size in enumerate(shape) if size == 1)
    return gradient.sum(axis=in_front + stretched, keepdims=True)


def from_behind(gradient, shape):
    """The last dimensions were summed. What broadcasting adds it adds in front: sum along axis 0."""
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=-1)
    return fitted(gradient, shape)


def _too_few_left(outcome):
    """Whether fewer numbers were left than the shape has room for."""
    left = re.search("cannot reshape array of size (\\d+) into", str(outcome.error))
    return bool(left) and int(left[1]) < math.prod(outcome.arguments[1])


def _as_many_as_before(outcome):
    return raised(f"cannot reshape array of size {outcome.arguments[0].size} into")(outcome)


def all_summed(gradient, shape):
    """All elements were summed. Elements of the same place, and only those, belong together."""
    return np.full(shape, gradient.sum())


def only_where_more(gradient, shape):
    """This sums in front, or along what was stretched, and never both. Both happen, also at once."""
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


def fitted_with_axes_gone(gradient, shape):
    gradient = in_front_only(gradient, shape)
    for axis, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis=axis)
    return gradient.reshape(shape)


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
        _case([[2.0, -1.0, 0.5]], (1, 3)),
        _case(np.arange(24.0).reshape(4, 2, 3), (1, 2, 1)),
        _case(np.arange(12.0).reshape(2, 2, 3), (1, 1)),  # where another axis is summed if one counts from the left
        _case(np.arange(8.0).reshape(2, 2, 1, 2), (2,)),
        _case(np.ones((0, 2)), (2,)),
        _case(np.ones((2, 0)), (2, 1)),
        _case(2.5, ()),
        _case([[1.0, 2.0], [3.0, -4.0]], (2,)),
        _case([[1.0, 2.0], [3.0, -4.0]], (2, 1)),
        _case([[1.0, np.nan, np.inf], [2.0, 1.0, 1.0]], (3,)),
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
        Mistake(without_keepdims, near=True),
        Mistake(nothing_in_front, near=True),
        Mistake(once_in_front, near=True),
        Mistake(kept_in_front, near=True),
        Mistake(from_behind, near=True),
        Mistake(averaged, averaged_where_stretched, near=True),
        first_copy,
        folded,
        Mistake(from_the_left, when=_too_few_left),
        Mistake(at_the_same_places, lambda *given: in_front_only(nothing_in_front(*given), given[1])),
        Mistake(shifted, when=raised("is out of bounds for array of dimension", kind=ValueError)),
        Mistake(added_into_the_first, when=saw(WRITTEN, "changed")),
        only_what_is_longer,
        Mistake(reshaped, when=_as_many_as_before),
        all_summed,
    ),
    right=(fitted_step_by_step, fitted_by_reshape, fitted_by_einsum),
    wrong={
        "They have to be summed": [fitted_by_lengths],
        "the gradient[1]: yours 1, expected nan": [lambda gradient, shape: fitted(np.nan_to_num(gradient), shape)],
        "The shape is … A dimension of size 1 is gone": [lambda gradient, shape: fitted(gradient, shape).squeeze()],
        "The shape is … The dimensions that `shape` does not have are still there": [
            edited(reshaped, ".reshape(", " if gradient.size == int(np.prod(shape)) else fitted(gradient, "),
        ],
        "An array is asked for; this is a float": [
            fitted_as_number,
            lambda gradient, shape: fitted(gradient, shape) if shape else float(gradient.sum()),
        ],
        "shape = (1, 2, 1)": [fitted_to_the_first_stretched],
        "shape = (1, 3) … The shape is [1]": [lambda gradient, shape: fitted(gradient.squeeze(), shape)],
        "Fewer numbers are left": [lambda gradient, shape: gradient.sum().reshape(shape)],
        "An axis was asked for that is not there": [edited(from_behind, "axis=-1", "axis=shape")],
        "keepdims=True leaves an axis where it is": [fitted_with_axes_gone],
        "yours changed … it belongs to others. gradient.sum": [fitted_in_place],
    },
)

"""Exercise `momentum_step`: SGD that remembers where it was going."""

from weakref import WeakKeyDictionary

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, draw_numbers, edited, observer, right_but

from .chapter15 import ARRAYS, GRADIENTS, KEPT, SGD, Tensor, holds_other_tensors, met_none, momentum_step, steps_taken


def _case(words, numbers, gradients, lr=0.1, momentum=0.9, rates=None, copied=None):
    """Parameters with these numbers, and what gradients they have at each step; `rates` are those of the steps, and
    before step `copied`, counted from 0, the optimizer is copied, and the copy goes on.
    """

    def make():
        optimizer = SGD([Tensor(one, requires_grad=True) for one in numbers], lr, momentum)
        return optimizer, gradients, rates, copied

    given = " and ".join(f"{name} = {one}" for name, one in zip("abcdef", numbers, strict=False))
    return Case(f"{given}, lr = {lr}, momentum = {momentum}; {words}", make)


def _drawn(random):
    count = int(random.integers(1, 4))
    shapes = [[(), (2,), (2, 2)][int(random.integers(3))] for _ in range(count)]
    steps = [
        [None if random.integers(4) == 0 else draw_numbers(random, shape) for shape in shapes]
        for _ in range(int(random.integers(2, 7)))
    ]
    numbers = [draw_numbers(random, shape) for shape in shapes]
    rate, momentum = round(float(random.uniform(0.01, 1.0)), 2), round(float(random.uniform(0.0, 0.99)), 2)
    yield _case(f"{len(steps)} steps", numbers, steps, rate, momentum, copied=1 if random.integers(2) else None)


# ---------------------------------------------------------------- wrong answers


def forgets(self):
    """Momentum that forgets: these are the steps of plain SGD, with nothing of earlier gradients in them. Is the
    velocity made anew in each call, or not read, or not put back, or is it the gradient's own array, which is filled
    with zeros? Keep an array of your own in self.velocity, and move by it.
    """
    for one in self.parameters:
        if one.grad is not None:
            velocity = self.momentum * np.zeros_like(one.data) + one.grad
            one.data = one.data - self.lr * velocity


def one_for_all(self):
    """All parameters share one velocity. Each has its own way to go, and its own shape."""
    for one in self.parameters:
        if one.grad is not None:
            self.velocity[0] = self.momentum * self.velocity.get(0, 0.0) + one.grad
            one.data = one.data - self.lr * self.velocity[0]


weighed = edited(momentum_step, "+ one.grad", "+ (1 - self.momentum) * one.grad")
rate_inside = edited(
    momentum_step, "+ one.grad\n", "+ self.lr * one.grad\n", "- self.lr * self.velocity", "- self.velocity"
)
nesterov = edited(
    momentum_step, "self.lr * self.velocity[one]", "self.lr * (one.grad + self.momentum * self.velocity[one])"
)
uphill = edited(momentum_step, "one.data - ", "one.data + ")
other_sign = edited(momentum_step, "before + one.grad", "before - one.grad")
moved_before = edited(
    momentum_step,
    "self.velocity[one] = self.momentum * before + one.grad", "velocity = self.momentum * before + one.grad",
    "self.lr * self.velocity[one]", "self.lr * before; self.velocity[one] = velocity",
)  # fmt: skip
rate_twice = edited(momentum_step, "+ one.grad\n", "+ self.lr * one.grad\n")
moved_before_from_g = edited(moved_before, "get(one, 0.0)", "get(one, one.grad)")
scales_the_gradient = edited(momentum_step, "self.momentum * before + one.grad", "before + self.momentum * one.grad")
not_scaled = edited(momentum_step, "self.momentum * before", "before")
stands_still = edited(momentum_step, "    for one in", "    if not self.lr:\n        return\n    for one in")
never_kept = edited(
    momentum_step,
    "= self.momentum * before + one.grad",
    "= one.grad",
    "self.velocity[one]\n",
    "(self.momentum * before + one.grad)\n",
)
not_put_back = edited(
    momentum_step, "self.velocity[one] = self", "velocity = self", "self.lr * self.velocity[one]", "self.lr * velocity"
)
skips_zeros = edited(momentum_step, "if one.grad is not None:", "if one.grad is not None and np.any(one.grad):")
fixed = edited(momentum_step, "self.momentum * ", "0.9 * ")
first_is_nothing = edited(
    momentum_step, "before = self.velocity.get(one, 0.0)", "before = self.velocity.get(one, -one.grad)"
)


def kept_by_numbers(self):
    """A copy of the optimizer, or one that was saved and loaded, does not find its velocities, and begins anew, as
    where they are kept by id(...) or in a dict with weak keys: there they belong to what was copied.
    Keep them in a plain dict, by the parameter itself or by its place.
    """
    for one in self.parameters:
        if one.grad is not None:
            self.velocity[id(one)] = self.momentum * self.velocity.get(id(one), 0.0) + one.grad
            one.data = one.data - self.lr * self.velocity[id(one)]


def kept_weakly(self):
    self.velocity = WeakKeyDictionary(self.velocity)
    momentum_step(self)


def goes_on_without(self):
    """A parameter without a gradient moved on, by its old velocity. It took no part in this step: leave it, and its
    velocity, as they are.
    """
    for one in self.parameters:
        gradient = np.zeros_like(one.data) if one.grad is None else one.grad
        self.velocity[one] = self.momentum * self.velocity.get(one, 0.0) + gradient
        one.data = one.data - self.lr * self.velocity[one]


slows_down_without = edited(
    goes_on_without, "one.data = one.data - self.lr * self.velocity[one]",
    "one.data = one.data - (one.grad is not None) * self.lr * self.velocity[one]",
)  # fmt: skip


def counted_among_those(self):
    """The velocities are numbered among those parameters that have a gradient in this step. When one has none, the next
    gets its velocity. Number all of self.parameters, or keep them by the parameter itself.
    """
    for place, one in enumerate([one for one in self.parameters if one.grad is not None]):
        self.velocity[place] = self.momentum * self.velocity.get(place, 0.0) + one.grad
        one.data = one.data - self.lr * self.velocity[place]


def made_anew(self):
    """A parameter that sat out a step has lost its velocity, as where self.velocity is made anew of those that have a
    gradient. Leave it as it is.
    """
    before, self.velocity = self.velocity, {}
    for one in self.parameters:
        if one.grad is not None:
            self.velocity[one] = self.momentum * before.get(one, 0.0) + one.grad
            one.data = one.data - self.lr * self.velocity[one]


def none_times(self):
    """Something is None here, as the .grad of a parameter that the loss did not use. Leave such a one out of the step;
    where nothing was kept for a parameter, begin with 0.
    """
    for one in self.parameters:
        self.velocity[one] = self.momentum * self.velocity.get(one, 0.0) + one.grad
        one.data = one.data - self.lr * self.velocity[one]


def stops_at_none(self):
    """At the first parameter without a gradient the step ended. `continue` goes on with the next one."""
    for one in self.parameters:
        if one.grad is None:
            break
        self.velocity[one] = self.momentum * self.velocity.get(one, 0.0) + one.grad
        one.data = one.data - self.lr * self.velocity[one]


def same_array(self):
    """After its step the first gradient is lost, as where the velocity is the gradient's own array: whoever fills that
    with zeros takes the velocity away. Keep a new array, from the first step on.
    """
    for one in self.parameters:
        if one.grad is not None:
            before = self.velocity.get(one)
            self.velocity[one] = one.grad if before is None else self.momentum * before + one.grad
            one.data = one.data - self.lr * self.velocity[one]


def into_the_gradient(self):
    """The numbers are right, but the gradient's array was written to. It belongs to whoever measures or clips it."""
    for one in self.parameters:
        if one.grad is not None:
            one.grad += self.momentum * self.velocity.get(one, 0.0)
            self.velocity[one] = one.grad.copy()
            one.data = one.data - self.lr * self.velocity[one]


def clears_as_well(self):
    """The numbers are right, but the gradients are gone. Clearing them is a step of its own: whoever prints their size
    after the step finds nothing.
    """
    momentum_step(self)
    for one in self.parameters:
        one.grad = None


def in_place(self):
    """The numbers are right, but they were written into the array that the parameter held. A graph may still need it,
    or somebody who kept the best weights: give the parameter a new one.
    """
    for one in self.parameters:
        if one.grad is not None:
            self.velocity[one] = self.momentum * self.velocity.get(one, 0.0) + one.grad
            one.data -= self.lr * self.velocity[one]


first_not_kept = edited(
    momentum_step,
    *(
        "before = self.velocity.get(one, 0.0)",
        "is_first, before = one not in self.velocity, self.velocity.get(one, 0.0)",
    ),
    *("self.velocity[one]\n", "self.velocity[one]\n            self.velocity[one] *= not is_first\n"),
)


def in_new_tensors(self):
    """self.parameters does not hold any more what the optimizer was made with, each in its place. The network still has
    those tensors: leave them in the list, and give each a new array, one.data = ...
    """
    momentum_step(self)
    self.parameters = [Tensor(one.data, requires_grad=True) for one in self.parameters]


# ---------------------------------------------------------------- tried as well

_velocities = {}


def in_a_global(self):
    for place, one in enumerate(self.parameters):
        if one.grad is not None:
            _velocities[place] = self.momentum * _velocities.get(place, 0.0) + one.grad
            one.data = one.data - self.lr * _velocities[place]


def on_the_tensor(self):
    for one in self.parameters:
        if one.grad is not None:
            one.velocity = self.momentum * getattr(one, "velocity", 0.0) + one.grad
            one.data = one.data - self.lr * one.velocity


def by_the_numbers(self):
    for one in self.parameters:
        if one.grad is not None:
            velocity = self.momentum * self.velocity.pop(repr(one.data), 0.0) + one.grad
            one.data = one.data - self.lr * velocity
            self.velocity[repr(one.data)] = velocity


def in_another_array(self):
    momentum_step(self)
    for one in self.parameters:
        one.grad = None if one.grad is None else one.grad.copy()


def of_three_steps(self):
    for one in self.parameters:
        if one.grad is not None:
            kept = [*self.velocity.get(one, []), np.array(one.grad)][-3:]
            self.velocity[one] = kept
            one.data = one.data - self.lr * sum(g * self.momentum**age for age, g in enumerate(kept[::-1]))


def of_all_steps(self):
    for one in self.parameters:
        if one.grad is not None:
            self.velocity.setdefault(one, []).append(np.array(one.grad))
            kept = self.velocity[one][::-1]
            one.data = one.data - self.lr * sum(g * self.momentum**age for age, g in enumerate(kept))


def on_the_tensor_by_optimizer(self):
    """Copied with the optimizer, and another one's apart: and yet not where it is asked for."""
    for one in self.parameters:
        if one.grad is not None:
            kept = vars(one).setdefault("velocities", {})
            kept[self] = self.momentum * kept.get(self, 0.0) + one.grad
            one.data = one.data - self.lr * kept[self]


def by_place(self):
    for place, one in enumerate(self.parameters):
        if one.grad is None:
            continue
        if place not in self.velocity:
            self.velocity[place] = np.zeros(one.data.shape)
        self.velocity[place] *= self.momentum
        self.velocity[place] += one.grad
        one.data = one.data - self.lr * self.velocity[place]


def first_one_apart(self):
    for one in self.parameters:
        if one.grad is None:
            continue
        if one not in self.velocity:
            self.velocity[one] = np.array(one.grad)
        else:
            self.velocity[one] = self.velocity[one] * self.momentum + one.grad
        one.data = one.data - self.velocity[one] * self.lr


EXERCISE = Exercise(
    title="the parameters, a step further, and self.velocity for the next one",
    stars=2,
    minutes=8,
    reference=momentum_step,
    plug=observer(steps_taken, returns=False),
    cases=(
        _case("gradients 1, 1, 1", [1.0], [[1.0], [1.0], [1.0]]),
        _case("two tensors, 3 steps", [[1.0, 2.0], -1.0], [[[1.0, 0.0], 2.0], [[0.5, -1.0], 1.0], [[0.0, 3.0], -1.0]]),
        _case(
            "b without a gradient in the second step",
            [1.0, 2.0, 3.0],
            [[1.0, 2.0, 1.0], [1.0, None, 2.0], [1.0, 1.0, 1.0]],
        ),
        _case("two of the same numbers", [1.0, 1.0], [[1.0, 1.0], [1.0, -1.0], [2.0, 0.0]]),
        _case("lr is 0.01 from the third step on", [1.0], [[1.0], [2.0], [1.0], [-1.0]], rates=[0.1, 0.1, 0.01, 0.01]),
        _case("lr is 0 in the second step", [1.0], [[1.0], [2.0], [1.0]], rates=[0.1, 0.0, 0.1]),
        _case("3 small steps", [0.0], [[1e-4], [2e-4], [0.0]], lr=1.0, momentum=0.5),
        _case(
            "6 steps, and before the third the optimizer is copied",
            [0.0],
            [[1.0], [2.0], [0.0], [-1.0], [1.0], [1.0]],
            copied=2,
        ),
        _case("3 steps", [2.0], [[1.0], [-4.0], [2.0]], lr=0.5, momentum=0.0),
        _case("2 steps", [[[0.5, 1.0, 2.0]]], [[[[1e200, np.inf, np.nan]]], [[[1.0, 2.0, 3.0]]]], lr=1.0, momentum=0.5),
        _case("no gradient at all", [1.0], [[None], [None]]),
    ),
    drawn=_drawn,
    notes={
        GRADIENTS: "The numbers are right, but the gradients are not as they were.",
        ARRAYS: "The numbers are right, but the array that a parameter held before was written to.",
        KEPT: "The numbers are right, but a step has left attributes that there were not before. What the next step "
        "needs is kept in self.velocity and nowhere else: who saves a training saves that.",
        "*of a new optimizer": "All steps so far are right. A second optimizer of the same tensors begins with no "
        "velocity, so what a step keeps belongs in self.velocity: not on the tensors, nor outside of the function.",
    },
    hints=(
        "The velocity is a sum that fades: momentum times what it was, plus the gradient.",
        "self.velocity.get(one, 0.0) is the velocity of a parameter, and 0 before its first step.",
        "self.velocity[one] = self.momentum * self.velocity.get(one, 0.0) + one.grad, and then one.data = one.data - "
        "self.lr * self.velocity[one], for each parameter whose .grad is not None.",
    ),
    mistakes=(
        Mistake(in_new_tensors, when=holds_other_tensors),
        Mistake(forgets, never_kept, not_put_back),
        one_for_all,
        counted_among_those,
        made_anew,
        Mistake(
            weighed,
            words="This is a mean: each gradient is weighed with 1 - momentum. In SGD, here as in PyTorch, it is added "
            "whole.",
        ),
        Mistake(
            rate_inside,
            words="The rate went into the velocity. As long as it stays the same, nobody notices; when it is lowered, "
            "the old rate is still in there. It multiplies the whole velocity, at the end.",
        ),
        Mistake(rate_twice, words="The rate is in it twice: in the velocity, and in the step. It belongs in the step."),
        Mistake(
            nesterov,
            words="This looks ahead, as Nesterov's kind of momentum does. What is asked for moves by lr times the "
            "velocity alone.",
        ),
        Mistake(uphill, other_sign, words="It goes uphill: a step goes against the gradient."),
        Mistake(
            moved_before,
            moved_before_from_g,
            words="The parameter moved by the velocity as it was before this step. Renew the velocity first.",
        ),
        Mistake(
            scales_the_gradient,
            edited(not_scaled, "self.lr * self", "self.lr * self.momentum * self"),
            words="Each gradient counts momentum times, and none of them fades. It is the old velocity that is "
            "multiplied with the momentum; the gradient is added whole.",
        ),
        Mistake(not_scaled, words="The old velocity was not multiplied with the momentum: nothing ever fades."),
        Mistake(
            stands_still,
            words="A step with an lr of 0 was left out. Nothing moves in it, but the velocity takes the gradient in.",
            near=True,
        ),
        Mistake(
            skips_zeros,
            words="A gradient of zeros was taken for none. It is an array: the velocity goes on, and fades.",
        ),
        Mistake(fixed, words="The momentum is 0.9 here whatever self.momentum says."),
        Mistake(
            first_is_nothing,
            words="The first step is not a whole one: a velocity begins with 0, so after the first step it is the "
            "gradient.",
        ),
        Mistake(kept_by_numbers, kept_weakly),
        goes_on_without,
        Mistake(
            slows_down_without,
            words="A parameter without a gradient stayed where it was, but its velocity faded. It took no part in this "
            "step: leave both as they are.",
        ),
        Mistake(none_times, when=met_none),
        stops_at_none,
        Mistake(same_array, first_not_kept),
        Mistake(into_the_gradient, when=right_but(GRADIENTS, lambda mine, right: mine == "written to")),
        Mistake(clears_as_well, when=right_but(GRADIENTS, lambda mine, right: mine == "taken away")),
        Mistake(in_place, when=right_but(ARRAYS)),
    ),
    right=(of_all_steps, by_place, first_one_apart),
    wrong={
        "The error arose while your function ran": [edited(momentum_step, "get(one, 0.0)", "get(one)")],
        "the gradients are not as they were": [in_another_array],
        "A second optimizer of the same tensors": [on_the_tensor, in_a_global],
        "kept in self.velocity and nowhere else": [on_the_tensor_by_optimizer],
        "first difference": [
            by_the_numbers,
            of_three_steps,
            edited(momentum_step, "momentum * before", "momentum * np.clip(before, -10, 10)"),
            edited(momentum_step, "self.lr * self", "np.float32(self.lr) * self"),
            edited(momentum_step, "is not None:", "is not None and not np.isnan(one.grad).any():"),
            edited(momentum_step, "+ one.grad", "+ np.nan_to_num(one.grad)"),
            edited(
                momentum_step,
                *("self.velocity[one]\n", "self.velocity[one] * (abs(self.velocity[one]).max() > 1e-3)\n"),
            ),
        ],
    },
)

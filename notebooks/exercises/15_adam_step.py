"""Exercise `adam_step`: each number moves by about the rate, whatever the size of its gradient."""

from weakref import WeakKeyDictionary

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, draw_numbers, edited, observer, right_but

from .chapter15 import ARRAYS, GRADIENTS, KEPT, Adam, Tensor, adam_step, holds_other_tensors, met_none, steps_taken


def _case(words, numbers, gradients, lr=0.1, betas=(0.9, 0.999), eps=1e-8, rates=None, copied=None):
    """Parameters with these numbers, and their gradients at each step; the rest as in momentum_step."""

    def make():
        optimizer = Adam([Tensor(one, requires_grad=True) for one in numbers], lr, betas, eps)
        return optimizer, gradients, rates, copied

    given = " and ".join(f"{name} = {one}" for name, one in zip("abcdef", numbers, strict=False))
    return Case(f"{given}, lr = {lr}, betas = {betas}, eps = {eps:g}; {words}", make)


def _drawn(random):
    shapes = [[(), (2,), (2, 2)][int(random.integers(3))] for _ in range(int(random.integers(1, 4)))]
    steps = [
        [None if random.integers(4) == 0 else draw_numbers(random, shape) for shape in shapes]
        for _ in range(int(random.integers(2, 7)))
    ]
    numbers = [draw_numbers(random, shape) for shape in shapes]
    betas = round(float(random.uniform(0.1, 0.95)), 2), round(float(random.uniform(0.5, 0.999)), 3)
    yield _case(f"{len(steps)} steps", numbers, steps, 0.1, betas, copied=1 if random.integers(2) else None)


# ---------------------------------------------------------------- wrong answers

no_correction = edited(
    adam_step, "np.sqrt(v / (1 - b2**t))", "np.sqrt(v)", "self.lr * m / (1 - b1**t) /", "self.lr * m /"
)
only_the_mean = edited(adam_step, "np.sqrt(v / (1 - b2**t))", "np.sqrt(v)")
only_the_squares = edited(adam_step, "self.lr * m / (1 - b1**t) /", "self.lr * m /")
with_the_first = edited(adam_step, "1 - b2**t", "1 - b1**t")
with_the_second = edited(adam_step, "1 - b1**t", "1 - b2**t")
behind_the_root = edited(adam_step, "np.sqrt(v / (1 - b2**t))", "np.sqrt(v) / (1 - b2**t)")


def eps_in_the_root(self):
    """eps went under the root, where 1e-8 becomes 1e-4. It is added to the root."""
    b1, b2 = self.betas
    for one in self.parameters:
        if one.grad is not None:
            t, m, v = self.state.get(one, (0, 0.0, 0.0))
            t, m, v = t + 1, b1 * m + (1 - b1) * one.grad, b2 * v + (1 - b2) * one.grad**2
            self.state[one] = t, m, v
            one.data = one.data - self.lr * m / (1 - b1**t) / np.sqrt(v / (1 - b2**t) + self.eps)


eps_too_early = edited(
    adam_step,
    "np.sqrt(v / (1 - b2**t))",
    "np.sqrt(v)",
    "(usual + self.eps)",
    "((usual + self.eps) / np.sqrt(1 - b2**t))",
)
eps_fixed = edited(adam_step, "+ self.eps", "+ 1e-8")
no_eps = edited(adam_step, " + self.eps", "")
no_root = edited(adam_step, "np.sqrt(v / (1 - b2**t))", "v / (1 - b2**t)")
not_squared = edited(adam_step, "one.grad**2", "abs(one.grad)")
not_squared_no_root = edited(not_squared, "np.sqrt(v / (1 - b2**t))", "v / (1 - b2**t)")
only_m_sums = edited(adam_step, "(1 - b1) * one.grad", "one.grad")
always_the_first = edited(adam_step, "1 - b1**t", "1 - b1", "1 - b2**t", "1 - b2")


def in_one_array(self):
    """m and v are one and the same: what is written into one is in the other, as where both began with the same
    zeros. Each needs its own.
    """
    b1, b2 = self.betas
    for one in self.parameters:
        if one.grad is not None:
            zeros = np.zeros_like(one.data)
            kept = self.state.setdefault(one, [0, zeros, zeros])
            kept[0] += 1
            for mean, beta, new in ((kept[1], b1, one.grad), (kept[2], b2, one.grad**2)):
                mean *= beta
                mean += (1 - beta) * new
            t, m, v = kept
            one.data = one.data - self.lr * m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + self.eps)


times_t = edited(adam_step, "b1**t", "b1 * t", "b2**t", "b2 * t")
mean_squared = edited(
    adam_step,
    *("b2 * v + (1 - b2) * one.grad**2", "b2 * v + (1 - b2) * (b1 * m + (1 - b1) * one.grad) ** 2"),
)
no_mean = edited(adam_step, "self.lr * m / (1 - b1**t) /", "self.lr * one.grad /")
centered = edited(adam_step, "one.grad**2", "(one.grad - b1 * m - (1 - b1) * one.grad) ** 2")
counted_among_those = edited(
    adam_step,
    *("for one in self.parameters:", "for key, one in enumerate(p for p in self.parameters if p.grad is not None):"),
    *("self.state.get(one,", "self.state.get(key,"),
    *("self.state[one]", "self.state[key]"),
)
swapped = edited(adam_step, "b1, b2 = self.betas", "b2, b1 = self.betas")
fixed = edited(adam_step, "b1, b2 = self.betas", "b1, b2 = 0.9, 0.999")
sums = edited(adam_step, "(1 - b1) * one.grad", "one.grad", "(1 - b2) * one.grad**2", "one.grad**2")
uncorrected_sums = edited(no_correction, "(1 - b1) * one.grad", "one.grad", "(1 - b2) * one.grad**2", "one.grad**2")
one_too_far = edited(adam_step, "b1**t", "b1 ** (t + 1)", "b2**t", "b2 ** (t + 1)")
uphill = edited(adam_step, "one.data - ", "one.data + ")
forgets = edited(adam_step, "            self.state[one] = t, m, v\n", "")
forgets_the_mean = edited(adam_step, "b1 * m + (1 - b1)", "(1 - b1)")
b_less_1 = edited(adam_step, "1 - b2**t", "b2**t - 1")
counts_from_0 = edited(
    adam_step, "t, m, v = t + 1, b1", "m, v = b1", "= t, m, v\n            usual", "= t + 1, m, v\n            usual"
)
length_of_all = edited(adam_step, "one.grad**2", "(one.grad**2).mean()")


def begins_with_the_first(self):
    """Both means begin with the first gradient and its square. They begin with 0, and what that takes from them the
    correction gives back.
    """
    b1, b2 = self.betas
    for one in self.parameters:
        if one.grad is not None:
            m, v = self.state.get(one, (one.grad, one.grad**2))
            m, v = self.state[one] = b1 * m + (1 - b1) * one.grad, b2 * v + (1 - b2) * one.grad**2
            one.data = one.data - self.lr * m / (np.sqrt(v) + self.eps)


def counted_together(self):
    """The count goes on while a parameter has no gradient, as one count for all does. That parameter took no part in
    the step, so its averages are younger than the count says, and are corrected too little. Count for each, where it
    takes part.
    """
    b1, b2 = self.betas
    count = self.state["count"] = self.state.get("count", 0) + 1
    for one in self.parameters:
        if one.grad is not None:
            m, v = self.state.get(one, (0.0, 0.0))
            m, v = b1 * m + (1 - b1) * one.grad, b2 * v + (1 - b2) * one.grad**2
            self.state[one] = m, v
            usual = np.sqrt(v / (1 - b2**count))
            one.data = one.data - self.lr * m / (1 - b1**count) / (usual + self.eps)


counted_without = edited(
    adam_step,
    "        if one.grad is not None:\n            t, m, v = self.state.get(one, (0, 0.0, 0.0))\n",
    "        t, m, v = self.state.get(one, (0, 0.0, 0.0))\n        self.state[one] = t + 1, m, v\n"
    "        if one.grad is not None:\n",
)


def counted_by_parameters(self):
    """The count goes up with each parameter, so with three of them it says 3 after the first step. Count the steps of
    each parameter.
    """
    b1, b2 = self.betas
    for one in self.parameters:
        if one.grad is not None:
            count = self.state["count"] = self.state.get("count", 0) + 1
            m, v = self.state.get(one, (0.0, 0.0))
            m, v = b1 * m + (1 - b1) * one.grad, b2 * v + (1 - b2) * one.grad**2
            self.state[one] = m, v
            usual = np.sqrt(v / (1 - b2**count))
            one.data = one.data - self.lr * m / (1 - b1**count) / (usual + self.eps)


def keeps_the_corrected(self):
    """What is kept are the corrected averages. The correction is for this step alone: keep m and v as they are."""
    b1, b2 = self.betas
    for one in self.parameters:
        if one.grad is not None:
            t, m, v = self.state.get(one, (0, 0.0, 0.0))
            t, m, v = t + 1, b1 * m + (1 - b1) * one.grad, b2 * v + (1 - b2) * one.grad**2
            m, v = m / (1 - b1**t), v / (1 - b2**t)
            self.state[one] = t, m, v
            one.data = one.data - self.lr * m / (np.sqrt(v) + self.eps)


def goes_on_without(self):
    """A parameter without a gradient moved on, or its averages faded. It took no part in this step: leave them."""
    gradients = [one.grad for one in self.parameters]
    for one in self.parameters:
        one.grad = np.zeros_like(one.data) if one.grad is None else one.grad
    adam_step(self)
    for one, gradient in zip(self.parameters, gradients, strict=True):
        one.grad = gradient


none_times = edited(adam_step, "if one.grad is not None:", "if True:")
stops_at_none = edited(
    adam_step,
    "        if one.grad is not None:\n",
    "        if one.grad is None:\n            break\n        if True:\n",
)
in_place = edited(adam_step, "one.data = one.data - self", "one.data -= self")


def clears_as_well(self):
    """The numbers are right, but the gradients are gone. Clearing them is a step of its own."""
    adam_step(self)
    for one in self.parameters:
        one.grad = None


def squares_in_place(self):
    """The numbers are right, but the gradient's array was written to. It belongs to whoever measures or clips it."""
    adam_step(self)
    for one in self.parameters:
        if one.grad is not None:
            one.grad **= 2


def kept_weakly(self):
    self.state = WeakKeyDictionary(self.state)
    adam_step(self)


def kept_by_numbers(self):
    """A copy of the optimizer, or one that was saved and loaded, does not find its averages, and begins anew, as where
    they are kept by id(...) or in a dict with weak keys: there they belong to what was copied. Keep them in a plain
    dict, by the parameter itself or by its place.
    """
    b1, b2 = self.betas
    for one in self.parameters:
        if one.grad is not None:
            t, m, v = self.state.get(id(one), (0, 0.0, 0.0))
            t, m, v = t + 1, b1 * m + (1 - b1) * one.grad, b2 * v + (1 - b2) * one.grad**2
            self.state[id(one)] = t, m, v
            usual = np.sqrt(v / (1 - b2**t))
            one.data = one.data - self.lr * m / (1 - b1**t) / (usual + self.eps)


def in_new_tensors(self):
    """self.parameters does not hold any more what the optimizer was made with, each in its place. The network still has
    those tensors: leave them in the list, and give each a new array, one.data = ...
    """
    adam_step(self)
    self.parameters = [Tensor(one.data, requires_grad=True) for one in self.parameters]


# ---------------------------------------------------------------- tried as well

_kept = {}


def in_a_global(self):
    before, self.state = self.state, _kept.setdefault(len(self.parameters), {})
    try:
        adam_step(self)
    finally:
        self.state = before


def on_the_tensor(self):
    self.state = {one: one.averages for one in self.parameters if hasattr(one, "averages")}
    adam_step(self)
    for one, averages in self.state.items():
        one.averages = averages


def in_another_attribute(self):
    if not hasattr(self, "means"):
        self.means = {}
    empty, self.state = self.state, self.means
    adam_step(self)
    self.state = empty


def as_in_pytorch(self):
    b1, b2 = self.betas
    for one in self.parameters:
        if one.grad is None:
            continue
        kept = self.state.setdefault(one, {"step": 0, "m": np.zeros(one.data.shape), "v": np.zeros(one.data.shape)})
        kept["step"] += 1
        kept["m"] *= b1
        kept["m"] += (1 - b1) * one.grad
        kept["v"] *= b2
        kept["v"] += (1 - b2) * np.square(one.grad)
        denominator = np.sqrt(kept["v"]) / np.sqrt(1 - b2 ** kept["step"]) + self.eps
        one.data = one.data - self.lr / (1 - b1 ** kept["step"]) * kept["m"] / denominator


def by_place(self):
    (b1, b2), zero = self.betas, (0, 0.0, 0.0)
    for place, one in enumerate(self.parameters):
        g = one.grad
        if g is not None:
            t, m, v = self.state.get(place, zero)
            m, v, t = m + (1 - b1) * (g - m), v + (1 - b2) * (g * g - v), t + 1
            self.state[place] = (t, m, v)
            one.data = one.data - self.lr * (m / (1 - b1**t)) / (self.eps + (v / (1 - b2**t)) ** 0.5)


EXERCISE = Exercise(
    title="the parameters, a step of Adam further, and self.state for the next one",
    stars=3,
    minutes=12,
    reference=adam_step,
    plug=observer(steps_taken, returns=False),
    cases=(
        _case("gradients 4, 4", [1.0], [[4.0], [4.0]]),
        _case("two tensors, 3 steps", [[1.0, 2.0], -1.0], [[[1.0, 0.1], 2.0], [[0.5, -1.0], 1.0], [[0.01, 3.0], -1.0]]),
        _case(
            "b without a gradient in the second step",
            [1.0, 2.0, 3.0],
            [[1.0, 2.0, 1.0], [1.0, None, 2.0], [3.0, 1.0, -1.0]],
        ),
        _case(
            "2 steps", [1.0, [0.0, 2.0]], [[1.0, [1.0, 3.0]], [-2.0, [1.0, 0.0]]], lr=0.01, betas=(0.5, 0.75), eps=0.1
        ),
        _case(
            "3 steps with gradients that are nearly 0", [[1.0, 2.0]], [[[1e-8, 0.0]], [[-3e-8, 0.0]], [[2e-9, 1e-9]]]
        ),
        _case(
            "8 steps, and before the third the optimizer is copied",
            [0.0],
            [[float(g)] for g in (1, 2, 0, -1, 1, 5, 1, 1)],
            copied=2,
        ),
        _case(
            "4 steps, lr is 0.01 from the third on", [1.0], [[1.0], [2.0], [1.0], [-1.0]], rates=[0.1, 0.1, 0.01, 0.01]
        ),
        _case("200 steps, and all gradients are 1", [1.0], [[1.0]] * 200),
        _case("gradients of 1e100 and nan", [[1.0, 2.0, 3.0]], [[[1e100, np.nan, 1.0]], [[1.0, 1.0, 1.0]]]),
    ),
    drawn=_drawn,
    notes={
        GRADIENTS: "The numbers are right, but the gradients are not as they were.",
        ARRAYS: "The numbers are right, but the array that a parameter held before was written to.",
        KEPT: "The numbers are right, but a step has left attributes that there were not before. What the next step "
        "needs is kept in self.state and nowhere else: who saves a training saves that.",
        "*of a new optimizer": "All steps so far are right. A second optimizer of the same tensors begins anew, so "
        "what a step keeps belongs in self.state: not on the tensors, nor outside of the function.",
    },
    hints=(
        "Three things are kept for each parameter: the number of its steps, a fading mean of its gradients, "
        "and one of "
        "their squares.",
        "t, m, v = self.state.get(one, (0, 0.0, 0.0)), and each of the means is b * mean + (1 - b) * what comes in.",
        "After t steps the weights in a mean sum to 1 - b**t, so divide by that: m / (1 - b1**t), and v / (1 "
        "- b2**t) "
        "under the root. eps is added to the root.",
    ),
    mistakes=(
        Mistake(in_new_tensors, when=holds_other_tensors),
        Mistake(
            no_correction,
            words="The bias correction was left out. After t steps the weights in the averages sum to 1 - b**t only: "
            "at the first step m is a tenth and v a thousandth of what they stand for, and 0.1 / sqrt(0.001) "
            "makes a step 3.16 times as long.",
        ),
        Mistake(
            only_the_mean, words="m was corrected and v was not: divide v by 1 - b2**t, too, before the root is taken."
        ),
        Mistake(only_the_squares, words="v was corrected and m was not: divide m by 1 - b1**t, too."),
        Mistake(
            with_the_first,
            with_the_second,
            words="Both were corrected with the same beta. The weights in m sum to 1 - b1**t, and those in v to 1 - "
            "b2**t.",
        ),
        Mistake(
            behind_the_root,
            words="v was corrected behind the root. It is v that is too small, so divide it by 1 - b2**t first, and "
            "then take the root.",
        ),
        Mistake(eps_in_the_root),
        Mistake(
            eps_too_early,
            words="eps was added to the root of v before it was corrected. Correct first: sqrt(v / (1 - b2**t)) + eps.",
        ),
        Mistake(eps_fixed, words="eps is 1e-8 here whatever self.eps says."),
        Mistake(no_eps, words="eps is missing. Where all gradients so far were 0, this is 0 divided by 0."),
        Mistake(no_root, words="It was divided by the mean square. Its root has the size of a gradient."),
        in_one_array,
        Mistake(
            always_the_first,
            uncorrected_sums,
            words="Each step is corrected as a first one is, by 1 - b, or not at all, with sums in the place of means. "
            "Weigh what comes in with 1 - b, and divide by 1 - b**t, where t, kept in self.state, counts the steps.",
        ),
        Mistake(
            times_t,
            words="The correction is 1 - b**t, b to the power of t. With b * t it is right at the first step alone, "
            "and then soon below 0.",
        ),
        Mistake(
            not_squared,
            not_squared_no_root,
            edited(adam_step, "one.grad**2", "one.grad"),
            mean_squared,
            centered,
            words="v is to be a mean of the squares of gradients: not of these, nor of their sizes, nor of the squares "
            "of m, nor of how far they are from m.",
        ),
        Mistake(
            swapped,
            words="The betas have changed places: the first is for the mean of gradients, the second for that of "
            "squares.",
        ),
        Mistake(fixed, words="The betas are 0.9 and 0.999 here whatever self.betas says."),
        Mistake(
            sums,
            only_m_sums,
            words="m, or m and v, are 1 / (1 - b) times too large, as sums are in the place of means. What comes in is "
            "weighed, the gradient with 1 - b1 and its square with 1 - b2.",
        ),
        Mistake(
            one_too_far,
            words="The correction is that of the next step. Let t be 1 at the first one: it begins with 0, and is "
            "counted up once, before the correction.",
        ),
        Mistake(
            counts_from_0,
            b_less_1,
            words="The first step ends in nan, as a correction with t = 0 does: 1 - b**0 is 0. Count the step first, "
            "and see that no root is taken of what is below 0.",
        ),
        Mistake(uphill, words="It goes uphill: a step goes against the gradient."),
        Mistake(
            forgets,
            words="Each step is a first one, as where nothing is kept, or is not found again. Put the count and both "
            "means into self.state, and take them from there.",
        ),
        Mistake(
            no_mean,
            forgets_the_mean,
            words="This gradient, or a part of it, stands where its mean m is needed: of earlier ones nothing is in "
            "it. Keep m in self.state, as v is, and let what is old fade.",
        ),
        Mistake(
            length_of_all,
            words="All numbers of a tensor share one mean square here. Each number has one of its own: that is the "
            "point of Adam.",
        ),
        Mistake(begins_with_the_first, edited(adam_step, "(0, 0.0, 0.0)", "(0, one.grad, one.grad**2)")),
        Mistake(counted_together, counted_without),
        counted_by_parameters,
        Mistake(
            counted_among_those,
            words="The averages are numbered among those parameters that have a gradient in this step. When one has "
            "none, the next gets its averages. Number all of self.parameters, or keep them by the parameter itself.",
        ),
        keeps_the_corrected,
        goes_on_without,
        Mistake(
            none_times,
            words="Something is None here, as the .grad of a parameter that the loss did not use. Leave such a one out "
            "of the step; where nothing was kept for a parameter, begin with 0.",
            when=met_none,
        ),
        Mistake(
            stops_at_none,
            words="At the first parameter without a gradient the step ended. `continue` goes on with the next one.",
        ),
        Mistake(kept_by_numbers, kept_weakly),
        Mistake(squares_in_place, when=right_but(GRADIENTS, lambda mine, right: mine == "written to")),
        Mistake(clears_as_well, when=right_but(GRADIENTS, lambda mine, right: mine == "taken away")),
        Mistake(
            in_place,
            when=right_but(ARRAYS),
            words="The numbers are right, but they were written into the array that the parameter held. A graph may "
            "still need it, or somebody who kept the best weights: give the parameter a new one.",
        ),
    ),
    right=(as_in_pytorch, by_place),
    wrong={
        "A second optimizer of the same tensors": [in_a_global],
        "kept in self.state and nowhere else": [on_the_tensor, in_another_attribute],
        "first difference": [
            edited(adam_step, "t + 1, b1", "min(t + 1, 4), b1"),
            edited(adam_step, "t + 1, b1", "min(t + 1, 100), b1"),
            edited(adam_step, "m / (1 - b1**t)", "np.float32(m) / (1 - b1**t)"),
            edited(
                adam_step,
                "(1 - b1) * one.grad",
                "(1 - b1) * np.nan_to_num(one.grad)",
                "one.grad**2",
                "np.nan_to_num(one.grad)**2",
            ),
            edited(adam_step, "if one.grad is not None:", "if one.grad is not None and np.any(one.grad):"),
            edited(adam_step, "one.grad**2", "one.grad.clip(-10, 10)**2"),
        ],
    },
)

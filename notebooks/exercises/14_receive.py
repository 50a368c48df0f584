"""Exercise `receive`: a tensor adds up the gradients that come in, in an array of its own."""

import numpy as np

from minigrad.teach import Case, Exercise, Mistake, edited, raised

from .chapter14 import Tensor, array_of, drawn_array, receive, step_observer, whether_written


def _received(answer, self, gradients):
    """Two tensors receive the same first gradient, as from an addition; one of them then receives the rest."""
    other, copies = Tensor(self.data), [np.array(one) for one in gradients]
    answer(self, gradients[0])
    answer(other, gradients[0])
    for gradient in gradients[1:]:
        answer(self, gradient)
    return {
        "self.grad": array_of(self.grad),
        "grad of another tensor, which got the first one only": array_of(other.grad),
        **whether_written(gradients, copies),
        ARRAY: "shared" if any(np.shares_memory(self.grad, one) for one in gradients) else "its own",
        "self.data": self.data,
    }


ARRAY = "the array of self.grad"


def _case(gradients, earlier=None, is_result=False):
    gradients = [np.asarray(one, float) for one in gradients]
    words = f"{', then '.join(str(one.tolist()) for one in gradients)} come in{' at a result' if is_result else ''}"

    def make():
        tensor = Tensor(np.ones(gradients[0].shape), requires_grad=True)
        if is_result:
            tensor = tensor * 1.0
        tensor.grad = None if earlier is None else np.array(earlier, float)
        return tensor, [np.array(one) for one in gradients]

    return Case(words + ("" if earlier is None else f"; self.grad is {np.asarray(earlier).tolist()}"), make)


def _drawn(random):
    for shape in [(), (3,), (2, 2)]:
        gradients = [drawn_array(random, shape) for _ in range(random.integers(1, 5))]
        earlier = drawn_array(random, shape) if random.integers(2) else None
        yield _case(gradients, earlier, is_result=bool(random.integers(2)))


def _computed_with_none(outcome):
    return raised("NoneType", kind=TypeError)(outcome) and outcome.arguments[0].grad is None


# ---------------------------------------------------------------- wrong answers


def shared(self, gradient):
    """The first gradient was kept, and the next one added into it, as += does. That array is not yours: an addition
    hands the same one to both of its inputs, so now the other tensor has your sum. Keep a copy.
    """
    if self.grad is None:
        self.grad = gradient
    else:
        self.grad += gradient


def only_first(self, gradient):
    """What came after the first gradient is lost."""
    if self.grad is None:
        self.grad = gradient.copy()


def averaged(self, gradient):
    """This is a mean. Ways to a tensor are added up."""
    self.grad = gradient.copy() if self.grad is None else (self.grad + gradient) / 2


def doubled(self, gradient):
    """The first gradient is in it twice."""
    if self.grad is None:
        self.grad = gradient.copy()
    self.grad = self.grad + gradient


def none_plus(self, gradient):
    """self.grad is None until the first gradient comes, and nothing can be computed with None."""
    self.grad = self.grad + gradient


def replaced_in_a_result(self, gradient):
    """In a result each gradient took the place of the one before. A result that is used twice gets two as well, and
    sends their sum; who clears it is `start`.
    """
    self.grad = gradient.copy() if self.grad is None or self.rule is not None else self.grad + gradient


def returned(self, gradient):
    """self.grad is as it was. What comes is to be kept there, self.grad = ..., not in another name, nor returned."""
    return gradient if self.grad is None else self.grad + gradient


def added_to_what_came(self, gradient):
    """The sum was written into the array that came, and that array is not yours."""
    if self.grad is not None:
        gradient += self.grad
    self.grad = gradient


# ---------------------------------------------------------------- tried as well


def received_if_not_zero(self, gradient):
    if np.any(self.grad):
        self.grad = self.grad + gradient
    else:
        self.grad = +gradient


def received_into_the_first(self, gradient):
    if self.grad is None:
        self.grad = np.asarray(gradient)
    else:
        np.add(self.grad, gradient, out=self.grad)


def received_as_a_sum(self, gradient):
    total = gradient.sum()
    self.grad = total if self.grad is None else self.grad + total


def received_from_zeros(self, gradient):
    before = np.zeros_like(self.data) if self.grad is None else self.grad
    self.grad = before + gradient


EXERCISE = Exercise(
    title="self.grad, with a gradient added to it",
    stars=2,
    minutes=6,
    reference=receive,
    plug=step_observer(_received, returns=False),
    cases=(
        _case([2.0]),
        _case([2.0, 3.0]),
        _case([[1.0, -1.0], [0.5, 0.0], [0.25, 4.0]]),
        _case([5.0, -5.0], earlier=1.0),
        _case([3.0], is_result=True),
        _case([3.0, -0.5], is_result=True),
        _case([[[1.0, 2.0]], [[0.0, -2.0]]], earlier=[[10.0, 20.0]]),
        _case([[0.0, 0.0], [0.5, -1.0]]),
        _case([[np.nan, np.inf, 1e6], [1.0, 2.0, -3e5]]),
    ),
    drawn=_drawn,
    hints=(
        "There are two cases: the first gradient, and all later ones.",
        "The first array may have been handed to another tensor as well. Who adds into it changes the other one.",
        "self.grad = gradient.copy() if self.grad is None else self.grad + gradient",
    ),
    writes=True,
    notes={
        ARRAY: "The number is right, but it stands in the array that came, which others hold as well: who writes into "
        "self.grad later, as clipping does, writes into theirs. Keep a copy."
    },
    mistakes=(
        Mistake(
            edited(receive, "gradient.copy() if self.grad is None else self.grad + gradient", "gradient"),
            edited(receive, " if self.grad is None else self.grad + gradient", ""),
            words="`=` alone where a sum is needed: each gradient takes the place of the one before. A tensor that was "
            "used twice gets two, and needs their sum.",
        ),
        shared,
        only_first,
        averaged,
        doubled,
        Mistake(none_plus, edited(none_plus, "= self.grad +", "+="), when=_computed_with_none),
        Mistake(
            edited(receive, "self.grad is None", "not self.grad"),
            words="`if` got several numbers here, as of `if self.grad` or `self.grad == None`, and whether they count "
            "as true Python cannot tell. Ask whether self.grad is None.",
            when=raised("truth value", kind=ValueError),
        ),
        replaced_in_a_result,
        returned,
        Mistake(
            added_to_what_came,
            edited(added_to_what_came, "grad = gradient", "grad = np.array(gradient)"),
            edited(added_to_what_came, "grad = gradient", "grad = gradient.copy() if self.grad is None else gradient"),
        ),
        Mistake(
            edited(receive, "self.grad =", "if not self.requires_grad:\n        return\n    self.grad ="),
            words="What came to a tensor that requires no gradient was dropped. Whoever sends has asked for that; what "
            "is received is kept, whatever self is.",
        ),
        Mistake(
            edited(receive, "self.grad =", "if not np.any(gradient):\n        return\n    self.grad ="),
            words="Zeros that came were not received. They are a gradient: self.grad is None as long as nothing has "
            "come, and zeros afterwards.",
        ),
        Mistake(
            edited(only_first, "if self.grad is None:\n        self", "self.data = self.data + gradient\n    self"),
            words="The gradient went into self.data, which is the number itself.",
        ),
    ),
    right=(
        received_if_not_zero,
        received_from_zeros,
        edited(only_first, "gradient.copy()", "np.zeros(gradient.shape)\n    self.grad += gradient"),
        edited(receive, "gradient.copy()", "gradient * 1", "self.grad + gradient", "gradient + self.grad"),
    ),
    wrong={
        "hands the same one to both": [received_into_the_first],
        "who writes into self.grad later": [
            edited(receive, "gradient.copy()", "gradient"),
            edited(receive, "gradient.copy()", "gradient.reshape(self.data.shape)"),
            edited(receive, "gradient.copy()", "(gradient.copy() if self.rule is None else gradient)"),
            edited(receive, "self.grad + gradient", "self.grad + gradient if self.grad.any() else gradient"),
        ],
        "the arrays that were given: yours changed … The sum was written into the array that came, and that": [
            edited(added_to_what_came, "grad = gradient", "grad = np.array(gradient)")
        ],
        "self.grad is as it was": [edited(returned, "return gradient", "self.gradient = gradient")],
        "TypeError … The error arose": [edited(receive, "else self.grad", "else list(gradient.fill(1.0))")],
        "`if` got several numbers": [edited(receive, "is None", "== None")],
        "The shape is []": [received_as_a_sum],
        "first difference": [
            edited(averaged, "(self.grad + gradient) / 2", "np.maximum(self.grad, gradient)"),
            edited(receive, "gradient.copy() if", "gradient.clip(-1e3, 1e3) if"),
            edited(receive, "self.grad + gradient", "self.grad + gradient.clip(-1e3, 1e3)"),
            edited(receive, "self.grad =", "if np.isnan(gradient).any():\n        return\n    self.grad ="),
        ],
        "Zeros that came were not received": [
            edited(receive, "self.grad =", "if not gradient.any():\n        return None\n    self.grad =")
        ],
    },
)

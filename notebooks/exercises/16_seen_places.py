"""Exercise `seen_places`: which places of a sequence a model's scores depend on, told by walks."""

import numpy as np

import minigrad as mg
from minigrad import nn
from minigrad.autograd import grad
from minigrad.teach import Exercise, Mistake, Noted, cases, draw_numbers, edited, flip, observer, pick, raised, saw


def seen_places(f, x):
    """[t, s]: whether a score at place t has a gradient other than 0 for place s of x."""
    slopes = mg.autograd.functional.jacobian(f, x)
    return (slopes != 0).any(3).any(1)


# ---------------------------------------------------------------- models to be tried


def _attention(x, allowed):
    """Each place mixes the places that it is allowed to see: with weights that depend on all of these."""
    return (x @ x.mT).masked_fill(~allowed, -mg.inf).softmax(-1) @ x


def _below(x):
    return mg.ones(len(x), len(x)).tril().bool()


def _one_of_many(scores):
    return mg.cat([mg.zeros(len(scores), 20), scores, mg.zeros(len(scores), 6)], 1)


class _Layer(nn.Module):
    """tanh of x @ weight."""

    def __init__(self, rows):
        super().__init__()
        self.weight = nn.Parameter(mg.tensor(rows))

    def forward(self, x):
        return (x @ self.weight).tanh()


MODELS = {
    "attention to all places": lambda x: _attention(x, _below(x) | True),
    "attention to itself and what is before": lambda x: _attention(x, _below(x)),
    "the sum of all places so far": lambda x: x.cumsum(0),
    "three scores, h, -2h and h, of the sum so far": lambda x: x[:, :1].cumsum(0) * mg.tensor([1.0, -2.0, 1.0]),
    "the sum of all places to come": lambda x: x.flip(0).cumsum(0).flip(0),
    "the place before, and nothing at the first": lambda x: mg.cat([mg.zeros(1, x.shape[1]), x[:-1]]),
    "its own place, and the last one's numbers by detach()": lambda x: x + x[-1:].detach(),
    "itself, and a millionth of the first place, subtracted": lambda x: x - 1e-6 * x[:1],
    "the square of the last feature": lambda x: x[:, -1:] ** 2,
    "itself; the last score has the next place, too": lambda x: mg.cat([x, mg.cat([x[1:, :1], x[:1, :1]])], 1),
    "the first feature, less the second": lambda x: x[:, :1] - x[:, 1:2],
    "the first place, less the second": lambda x: (x[:1] - x[1:2]).expand(len(x), x.shape[1]),
    "27 scores, of which only the 21st is not 0: the sum so far": lambda x: _one_of_many(x[:, :1].cumsum(0)),
    "itself, and 1e-60 times the first place": lambda x: x + 1e-60 * x[:1],
    "itself, and 1e-200 times the first place": lambda x: x + 1e-200 * x[:1],
    "ones, whatever x is": lambda x: mg.ones(len(x), 2),
}


OF_F = "the gradients of f's parameters"


@observer
def _with_gradient_of_x(answer, f, x):
    """What came back, and what is left in x.grad, and in those of a module's parameters."""
    seen = {"the answer": answer(f, x), "x.grad": x.grad}
    return {**seen, OF_F: [one.grad for one in f.parameters()] if isinstance(f, nn.Module) else []}


@cases("f gives {words}; x = {numbers}", dtype=", in float64", leaf="; x requires a gradient", earlier=", and has one")
def _case(words, numbers, dtype=mg.float32, leaf=False, earlier=False):
    x = mg.tensor(numbers, dtype=dtype, requires_grad=leaf)
    x.grad = mg.ones_like(x) if earlier else None
    return Noted(words, MODELS[words]), x


@cases("f is a module, tanh of x @ {rows}; x = {numbers}", earlier="; its weight has a gradient from an earlier walk")
def _layer_case(rows, numbers, earlier=False):
    layer = _Layer(rows)
    layer.weight.grad = mg.ones_like(layer.weight) if earlier else None
    return layer, mg.tensor(numbers)


def _drawn(random):
    """Any of them, of two to four places with two to four features, none of which is 0."""
    for words in (pick(random, list(MODELS)[:-4]), pick(random, list(MODELS)[:5])):
        shape = random.integers([2, 2], [5, 5]).tolist()
        yield _case(
            words, draw_numbers(random, shape, zero=False), pick(random, [mg.float32, mg.float64]), flip(random)
        )


def _counts(mine, right):
    return isinstance(mine, mg.Tensor) and mine.shape == right.shape


def _turned(mine, right):
    return _counts(mine, right) and mine.equal(right.mT) and not mine.equal(right)


def _went_through_detach(outcome):
    """Whether more is seen than there is a gradient for, where detach() hides it."""
    more = saw("the answer", lambda mine, right: _counts(mine, right) and (mine.bool() & ~right).any().item())
    return "detach()" in outcome.case.words and more(outcome)


def _missed(slope):
    """Whether less is seen than there is, of a slope that is far below all others."""
    less = saw("the answer", lambda mine, right: _counts(mine, right) and not (mine.bool() & ~right).any().item())
    return lambda outcome: slope in outcome.case.words and less(outcome)


# ---------------------------------------------------------------- wrong answers


def _of(f, x):
    """f(x), in the graph of x also where f does not ask for x."""
    return f(x) + 0 * x.sum()


def summed_scores(f, x):
    """The scores of a place were added up before the walk. Where one grows as another shrinks, as chances do, or h, -2h
    and h, their sum has no slope, nor if they are weighed by 1, 2, 3. Ask for each score by itself, or weigh them with
    numbers drawn at random.
    """
    x = x.detach().clone().requires_grad_()
    rows = [grad(row.sum(), x, retain_graph=True, allow_unused=True, materialize_grads=True)[0] for row in _of(f, x)]
    return (mg.stack(rows) != 0).any(2)


def all_scores_at_once(f, x):
    """The scores of all places were added up: this tells what anybody sees. Each place needs a walk of its own."""
    x = x.detach().clone().requires_grad_()
    (slopes,) = grad(f(x).sum(), x)
    return (slopes != 0).any(1).expand(len(x), len(x))


def as_it_should_be(f, x):
    """This is the triangle of a model that never looks ahead. f was not asked."""
    return mg.ones(len(x), len(x)).tril().bool()


def moved_by_one(f, x):
    """More is seen here than has a gradient, which does not go through detach(), as where places are moved and the
    scores compared. There, too, a small change is lost in the rounding of a large number. Ask for the gradient.
    """
    with mg.no_grad():
        before, columns = f(x), []
        for place in range(len(x)):
            moved = x.clone()
            moved[place] += 1.0
            columns.append((f(moved) != before).any(1))
    return mg.stack(columns, 1)


# ---------------------------------------------------------------- tried as well


def seen_by_single_walks(f, x):
    x = x.detach().clone().requires_grad_()
    scores, seen = f(x), []
    for row in scores:
        walks = [grad(one, x, retain_graph=True, allow_unused=True)[0] for one in row if one.requires_grad]
        found = [walk.ne(0).any(1) for walk in walks if walk is not None]
        seen.append(mg.stack(found).any(0) if found else mg.zeros(len(x), dtype=mg.bool))
    return mg.stack(seen)


def seen_by_weights(f, x):
    """Scores weighed with numbers of which no sum cancels."""
    x = x.detach().clone().requires_grad_()
    scores = _of(f, x)
    weights = mg.tensor(np.random.default_rng(1).uniform(1, 2, scores.shape[1]), dtype=scores.dtype)
    sums = scores @ weights
    found = [grad(one, x, retain_graph=True, allow_unused=True, materialize_grads=True)[0] for one in sums]
    return (mg.stack(found) != 0).any(2)


def seen_with_gradients_left(f, x):
    x.requires_grad_()
    seen = []
    for row in f(x):
        x.grad = None
        if row.requires_grad:
            row.backward(mg.linspace(1, 2, len(row), dtype=x.dtype), retain_graph=True)
        seen.append((x.grad != 0).any(1) if x.grad is not None else mg.zeros(len(x), dtype=mg.bool))
    return mg.stack(seen)


def seen_with_a_gradient_left(f, x):
    y = x if x.requires_grad else x.detach().clone().requires_grad_()
    seen = []
    for row in f(y):
        found = mg.zeros(len(x), dtype=mg.bool)
        for score in row:
            y.grad = None
            if score.requires_grad:
                score.backward(retain_graph=True)
            found = found if y.grad is None else found | (y.grad != 0).any(1)
        seen.append(found)
    return mg.stack(seen)


def seen_by_backward(f, x):
    return seen_with_a_gradient_left(f, x.detach())


def seen_and_cleared(f, x):
    seen = seen_by_backward(f, x)
    if isinstance(f, nn.Module):
        f.zero_grad()
    return seen


def seen_and_wiped(f, x):
    seen = seen_places(f, x)
    x.grad = None
    return seen


def seen_by_squares(f, x):
    x = x.detach().clone().requires_grad_()
    rows = [
        grad((row**2).sum(), x, retain_graph=True, allow_unused=True, materialize_grads=True)[0] for row in _of(f, x)
    ]
    return (mg.stack(rows) != 0).any(2)


def seen_and_noted(f, x, known={}):  # noqa: B006 (the mistake)
    return known.setdefault(tuple(x.shape), seen_places(f, x))


EXERCISE = Exercise(
    title="a tensor of True and False: [t, s] says whether a score at place t has a gradient for place s",
    stars=2,
    minutes=10,
    reference=seen_places,
    plug=_with_gradient_of_x,
    notes={
        "x.grad": "The answer is right, and x.grad is another one than before: backward() adds to it, and x.grad = "
        "None takes away what was there. Walk with mg.autograd.grad, or from a leaf of your own.",
        OF_F: "The answer is right, and the gradients of f's parameters are not what they were: backward() adds to "
        "those of all leaves, zero_grad() takes away what was there, and a training that goes on has others. "
        "mg.autograd.grad(score, x) asks for that of x alone.",
    },
    cases=(
        _case("attention to all places", [[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]]),
        _case("the sum of all places so far", [[1.0], [2.0], [-3.0], [0.5]]),
        _case("the sum of all places so far", [[0.0, 0.0], [0.0, 0.0]]),
        _case("the sum of all places so far", [[1.0], [2.0], [0.5], [4.0]] * 3),
        _case("27 scores, of which only the 21st is not 0: the sum so far", [[1.0], [2.0]]),
        _case("three scores, h, -2h and h, of the sum so far", [[1.0, 2.0], [2.0, 0.5], [0.1, 0.1]]),
        _case("the sum of all places to come", [[1.0, 2.0, 0.5], [3.0, 1.0, 1.0]]),
        _case("the place before, and nothing at the first", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        _case("its own place, and the last one's numbers by detach()", [[1.0, 2.0], [3.0, 4.0]]),
        _case("itself, and a millionth of the first place, subtracted", [[1.0, 2.0], [3.0, 4.0]]),
        _case("itself, and 1e-60 times the first place", [[1.0], [3.0]], mg.float64),
        _case("itself, and 1e-200 times the first place", [[1.0], [3.0]], mg.float64),
        _case("the square of the last feature", [[1.0, 2.0], [3.0, 4.0]], leaf=True),
        _case("the square of the last feature", [[1.0, 0.0], [3.0, 4.0]]),
        _case("the square of the last feature", [[1.0, 2.0], [3.0, 4.0]], leaf=True, earlier=True),
        _case("itself; the last score has the next place, too", [[1.0, 2.0], [3.0, 4.0], [0.5, 0.5]]),
        _case("the first place, less the second", [[1.0, 2.0], [3.0, 4.0], [0.5, 0.5]], mg.float64),
        _case("the first feature, less the second", [[1.0, 2.0], [3.0, 4.0]]),
        _case("attention to itself and what is before", [[1.0, 2.0]]),
        _case("ones, whatever x is", [[1.0], [2.0], [3.0]]),
        _layer_case([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]], [[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]]),
        _layer_case([[0.5, -1.0], [1.0, 0.0]], [[1.0, 2.0], [0.5, -1.0]], earlier=True),
    ),
    drawn=_drawn,
    hints=(
        "mg.autograd.grad(score, x) says what one score depends on. How many scores are there at one place, and what "
        "may be lost if you add them?",
        "mg.autograd.functional.jacobian(f, x) has all slopes: [t, score, s, feature]. What is left to do is to ask "
        "along two of the four axes whether any is not 0.",
        "slopes = mg.autograd.functional.jacobian(f, x); then (slopes != 0).any(3).any(1)",
    ),
    mistakes=(
        Mistake(summed_scores, edited(summed_scores, "_of(f, x)", "f(x)")),
        all_scores_at_once,
        as_it_should_be,
        Mistake(moved_by_one, when=_went_through_detach),
        Mistake(
            edited(moved_by_one, "+= 1.0", "= 0.0"),
            words="Places were set to 0, and the scores compared. Where a place is 0 already nothing changes, and its "
            "scores have a slope all the same: ask for the gradient.",
        ),
        Mistake(
            edited(seen_places, ".any(3).any(1)", ".any(3).any(1).mT"),
            words="Rows and columns have changed places: [t, s] is what place t sees of place s.",
            when=saw("the answer", _turned),
        ),
        Mistake(
            edited(seen_places, "(slopes != 0).any(3).any(1)", "slopes.sum((1, 3)) != 0"),
            edited(seen_places, "(slopes != 0).any(3).any(1)", "slopes.sum(3).abs().sum(1) != 0"),
            words="Slopes were added up, and those of both signs cancel each other. Ask first which are not 0, or take "
            "abs() before the sum.",
        ),
        Mistake(
            edited(seen_places, "!= 0", "> 0"),
            words="A slope below 0 counts as well: it is not 0.",
        ),
        Mistake(
            edited(seen_places, "slopes != 0", "slopes.abs() > 1e-5"),
            words="A small slope is no 0, whatever its sign: what is hidden has a gradient of exactly 0.",
            when=_missed("a millionth"),
        ),
        Mistake(
            edited(seen_places, "(slopes != 0).any(3).any(1)", "(slopes**2).sum((1, 3)) > 0"),
            words="A small slope is no 0, though its square may be. Ask of the slope itself whether it is 0.",
        ),
        Mistake(
            edited(seen_places, "slopes != 0", "slopes.abs() > 1e-9"),
            edited(seen_places, "(f, x)\n", "(lambda x: f(x), x.float())\n"),
            words="A slope as small as this one is no 0 either. There is no limit below which one does not count, and "
            "float32 rounds it to 0: compare with 0, in the dtype of x.",
            when=_missed("1e-"),
        ),
        Mistake(
            edited(seen_places, "any(3).any(1)", "any(3)[:, 0]"),
            words="Only the first score of each place was asked. Another may see what the first one does not.",
        ),
        Mistake(
            edited(seen_places, "(slopes != 0)", "(slopes[..., :1] != 0)"),
            words="Only the first feature of each place was looked at. A score may depend on another.",
        ),
        Mistake(
            edited(seen_places, "(slopes != 0).any(3).any(1)", "slopes.abs().sum((1, 3))"),
            words="These are sizes of slopes. True and False are asked for: compare them with 0.",
        ),
        Mistake(
            edited(seen_by_single_walks, "f(x), []", "f(x), []\n    grad(scores.sum(), x, retain_graph=True)"),
            words="No score depends on x here, so none has a graph to walk, and grad(...) raises. Nothing is seen "
            "then: ask scores.requires_grad first. functional.jacobian gives zeros.",
            when=lambda outcome: "whatever x is" in outcome.case.words and raised("does not require grad")(outcome),
        ),
        Mistake(
            edited(
                summed_scores,
                "row.sum()",
                "(row * mg.linspace(1, 2, len(row), dtype=x.dtype)).sum()",
                ".detach().clone().requires_grad_()",
                "",
            ),
            words="There is no graph here: x need not require a gradient, and no_grad() records nothing. A leaf of "
            "your own requires one, x.detach().clone().requires_grad_(), and functional.jacobian makes one itself.",
            when=raised("does not require grad"),
        ),
        Mistake(
            edited(summed_scores, "retain_graph=True, ", ""),
            words="The graph of f(x) is walked once for each score: retain_graph=True, or another forward pass.",
            when=raised("second time"),
        ),
    ),
    right=(
        seen_by_single_walks,
        seen_by_weights,
        edited(seen_places, "(slopes != 0).any(3).any(1)", "slopes.abs().amax((1, 3)) > 0"),
    ),
    wrong={
        "the gradients of f's parameters are not what they were": [seen_by_backward, seen_and_cleared],
        "x.requires_grad is not what it was": [seen_with_gradients_left],
        "has a gradient, which does not go through": [edited(moved_by_one, "+= 1.0", "+= 0.001")],
        "x.grad is another one than before": [seen_with_a_gradient_left, seen_and_wiped],
        "their sum has no slope": [
            edited(
                seen_by_weights,
                "np.random.default_rng(1).uniform(1, 2, scores.shape[1])",
                "range(1, 1 + len(scores[0]))",
            ),
        ],
        "yours 0, expected 1": [
            edited(seen_places, "(f, x)\n", "(lambda x: f(x)[:, :5], x)\n"),
            edited(seen_places, "(slopes != 0)", "(slopes[:, [0, -1]] != 0)"),
            lambda f, x: seen_places(f, x) & (mg.arange(len(x)) < 8),
            seen_by_squares,
        ],
        "None of the mistakes": [seen_and_noted],
        "yours 1, expected 0": [lambda f, x: seen_places(f, x + 0.123)],
        "this is a list and a tensor is asked for": [lambda f, x: seen_places(f, x).tolist()],
        "the dtype of the answer": [lambda f, x: seen_places(f, x).long()],
    },
)

"""Exercise `attended`: what a head of attention brings to each place."""

from unittest.mock import patch

import minigrad as mg
from minigrad.ops.layers import attention
from minigrad.teach import Exercise, Mistake, cases, draw_numbers, edited, gradients_of, observer, pick, raised

from .chapter16 import masked_weights

LIBRARY = "the library's own attention"


def attended(query, key, value, allowed):
    """For each query, the values of the places that it is allowed to see, mixed by its weights."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return masked_weights(scores, allowed) @ value


@observer
def _with_gradients(answer, query, key, value, allowed):
    """What came back and what it sends on, and whether the library's function was called for it."""
    with patch.object(attention, "_check", wraps=attention._check) as check:  # it runs under whatever name it is called
        mixed = answer(query, key, value, allowed)
    counts = mg.arange(1, 1 + query[..., :1].numel() * value.shape[-1], dtype=value.dtype)
    counts = counts.reshape(*query.shape[:-1], value.shape[-1])
    sent = gradients_of(mixed, {"query": query, "key": key, "value": value}, counts)
    return {"the answer": mixed, LIBRARY: "was called" if check.called else "was not called", **sent}


@cases("query = {query}, key = {key}, value = {value}, allowed = {allowed}", dtype=", in float64")
def _case(query, key, value, allowed, dtype=mg.float32):
    given = [mg.tensor(one, dtype=dtype, requires_grad=True) for one in (query, key, value)]
    return *given, mg.tensor(allowed, dtype=mg.bool)


def _drawn(random):
    """Several sequences, in one axis or two, more keys than queries or fewer, and values of another size than keys; in
    float64, as in float32 what cancels is rounded in another way by another order of sums.
    """
    count, queries, keys, size, width = random.integers([1, 1, 1, 1, 1], [4, 6, 6, 5, 4]).tolist()
    keys = pick(random, [queries, keys])
    front = pick(random, [(count,), (2, count)])
    given = [draw_numbers(random, (*front, *shape)) for shape in ((queries, size), (keys, size), (keys, width))]
    allowed = random.random(pick(random, [(queries, keys), (*front, queries, keys)])) < 0.7
    yield _case(*given, allowed.tolist(), mg.float64)


# ---------------------------------------------------------------- wrong answers


def by_the_library(query, key, value, allowed):
    """The numbers are right, and the library computed them. Write what its function does: scores, weights, and the
    values mixed by them.
    """
    return mg.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=allowed)


# ---------------------------------------------------------------- tried as well


def attended_by_another_name(query, key, value, allowed, attention=mg.nn.functional.scaled_dot_product_attention):
    return attention(query, key, value, allowed)


def attended_by_sums(query, key, value, allowed):
    scores = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1) / mg.tensor(query.shape[-1], dtype=query.dtype).sqrt()
    return (masked_weights(scores, allowed).unsqueeze(-1) * value.unsqueeze(-3)).sum(-2)


def attended_in_steps(query, key, value, allowed):
    nothing = ~allowed.any(-1, keepdim=True)
    query = query * query.shape[-1] ** -0.5
    scores = mg.einsum("...td,...sd->...ts", query, key)
    scores = scores.masked_fill(~allowed, -mg.inf).masked_fill(nothing, 0.0)
    return (scores.softmax(-1) @ value).masked_fill(nothing, 0.0)


def attended_once(query, key, value, allowed):
    came = []

    def refuse_twice(gradient):
        came.append(gradient)
        if len(came) > 1:
            raise RuntimeError("again")

    mixed = attended(query, key, value, allowed)
    mixed.register_hook(refuse_twice)
    return mixed


ROOT, WEIGHTS = " / query.shape[-1] ** 0.5", "masked_weights(scores, allowed)"
BARE = "scores.masked_fill(~allowed, -mg.inf).softmax(-1)"
EXERCISE = Exercise(
    title="the values of the allowed places, mixed by weights from query and key",
    stars=2,
    minutes=8,
    reference=attended,
    plug=_with_gradients,
    cases=(
        _case(
            [[1.0, 0.0, 2.0, 0.0, 1.0], [0.5, 2.0, 0.0, 1.0, -1.0]],
            [[1.0, 1.0, 0.0, 0.5, 1.0], [0.0, -1.0, 1.0, 0.0, 0.5]],
            [[1.0, 2.0], [3.0, 5.0]],
            [[True, False], [True, True]],
        ),
        _case([[1.0, 2.0, -0.5]], [[0.5, 1.0, 2.0], [1.0, 0.0, 1.0]], [[1.0], [4.0]], [[True, True]]),
        _case(
            [[[1.0, 0.5], [2.0, -1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 1.0], [-1.0, 0.5]]],
            [[[1.0, 1.0], [0.5, 0.0], [2.0, 1.0]], [[0.0, 2.0], [1.0, -1.0], [0.5, 0.5]]],
            [[[1.0], [2.0], [4.0]], [[-1.0], [0.0], [3.0]]],
            [[True, True, False], [False, True, True], [True, True, True]],
        ),
        _case(
            [[1.0, 2.0], [0.0, 1.0]],
            [[0.5, 1.0], [2.0, 0.0]],
            [[1.0, 2.0], [3.0, 4.0]],
            [[False, False], [True, False]],
        ),
        _case(
            [[100.0, 0.0, 50.0, 0.0]], [[20.0, 1.0, 0.0, 1.0], [10.0, 5.0, 2.0, 0.0]], [[1.0], [2.0]], [[True, True]]
        ),
        _case(
            [[1.0], [-2.0], [0.5], [2.0]],
            [[0.5], [1.0], [-1.0], [2.0]],
            [[1.0], [2.0], [4.0], [0.0]],
            [[number <= row for number in range(4)] for row in range(4)],
        ),
        _case([[1.0, 2.0], [0.0, 1.0]], [[0.5, 1.0], [2.0, 0.0]], [[1.0], [3.0]], [True, False]),
        _case(
            [[0.1, 0.7], [0.3, -0.2]],
            [[0.9, 0.4], [0.2, 0.3]],
            [[0.1, 0.3, 0.7], [0.2, 0.6, -0.9]],
            [[True, False], [True, True]],
            mg.float64,
        ),
    ),
    drawn=_drawn,
    notes={LIBRARY: " ".join(by_the_library.__doc__.split())},
    hints=(
        "The score of a query and a key is their product, summed over the features: query @ key.mT has all of them, "
        "[..., query, key].",
        "Divide by the root of the number of features, query.shape[-1] ** 0.5, and make weights of the scores with "
        "masked_weights.",
        "masked_weights(query @ key.mT / query.shape[-1] ** 0.5, allowed) @ value",
    ),
    mistakes=(
        Mistake(
            edited(attended, ROOT, ""),
            words="The scores were not divided by the root of the number of features. A sum of many products is large, "
            "and softmax then gives nearly all to one place, where it has no slope.",
        ),
        Mistake(
            edited(attended, ROOT, " / query.shape[-1]"),
            words="The scores were divided by the number of features, and not by its root.",
        ),
        Mistake(
            edited(attended, ROOT, " * query.shape[-1] ** 0.5"),
            words="The scores were multiplied by the root of the number of features. They are to become smaller.",
        ),
        Mistake(
            edited(attended, "query.shape[-1]", "value.shape[-1]"),
            edited(attended, "query.shape[-1]", "query.shape[-2]"),
            edited(attended, "query.shape[-1]", "query.shape[1]"),
            edited(attended, "query.shape[-1]", "key.shape[-2]"),
            edited(attended, "query.shape[-1]", "2"),
            words="The root of another size was taken. It is the number of features of a query, which is that of a "
            "key: query.shape[-1].",
        ),
        Mistake(
            edited(attended, ROOT, "", WEIGHTS, "masked_weights(scores, allowed) / query.shape[-1] ** 0.5"),
            words="The root has divided the weights, or what they brought, and not the scores: then shares do not sum "
            "to 1. Divide the scores, before the softmax.",
        ),
        Mistake(
            edited(attended, WEIGHTS, "scores.softmax(-1)"),
            words="The mask has no effect: each query sees every place. masked_fill returns a new tensor.",
        ),
        Mistake(
            edited(attended, WEIGHTS, "(scores.softmax(-1) * allowed)"),
            words="The mask came after the softmax, so that the weights of a row do not sum to 1. Scores are taken "
            "away before it, as masked_weights does.",
        ),
        Mistake(
            edited(attended, WEIGHTS, "masked_weights(scores.mT, allowed.expand(scores.shape).mT).mT"),
            words="The softmax runs along the queries. The weights of one query, over all keys, sum to 1.",
        ),
        Mistake(
            edited(attended, WEIGHTS, "masked_weights(scores, mg.ones(scores.shape[-2:]).tril().bool())"),
            words="The mask is a triangle that was made here, and not `allowed`: whoever calls says what a query may "
            "see.",
        ),
        Mistake(
            edited(attended, WEIGHTS, "masked_weights(scores, ~allowed)"),
            words="The mask was taken the other way round: True is where something may be seen.",
        ),
        Mistake(
            edited(attended, WEIGHTS, BARE),
            words="A query that may see nothing gets nan. masked_weights gives it weights of 0.",
        ),
        Mistake(
            edited(attended, WEIGHTS, BARE.replace("-mg.inf", "-1e9")),
            words="A query that may see nothing gets the mean of all values, since all its scores are the same. "
            "masked_weights gives it weights of 0.",
        ),
        Mistake(
            edited(attended, "key.mT", "key.transpose(0, -1)"),
            words="The axis of the sequences was turned as well, as .T does. .mT exchanges the last two axes alone.",
            when=raised("Expected size for first two dimensions"),
        ),
        Mistake(
            edited(attended, "key.mT", "key.transpose(0, 1)"),
            words="Axes 0 and 1 are the last two only where no axis stands in front. .mT exchanges the last two, of "
            "however many.",
            when=raised("before the last two dimensions"),
        ),
        Mistake(
            edited(attended, "key.mT", "key.transpose(1, 2)"),
            words="Axis 2 is the last one of three axes, but not of two or four. The last two are -2 and -1, of "
            "however many, and .mT exchanges them.",
            when=raised("Dimension out of range", "but got 2)"),
        ),
        Mistake(
            edited(attended, "@ value", "@ key"),
            words="The keys were mixed. They say what fits; what is brought is the values.",
        ),
        Mistake(
            edited(attended, "query @ key.mT", "key @ query.mT"),
            edited(attended, "(scores, allowed) @", "(scores, allowed).mT @"),
            words="Rows and columns have changed places: a row belongs to a query, and its columns to the keys.",
        ),
        by_the_library,
    ),
    right=(attended_by_sums, attended_in_steps),
    wrong={
        "first difference": [
            edited(attended, "query.shape[-1] ** 0.5", "int(query.shape[-1] ** 0.5)"),
            edited(attended, "query.shape[-1] ** 0.5", "max(query.shape[-1], 2) ** 0.5"),
            edited(attended, WEIGHTS, "masked_weights((scores * 100).round() / 100, allowed)"),
            edited(attended, WEIGHTS, "masked_weights(scores, allowed.tril())"),
            edited(
                attended,
                WEIGHTS,
                "masked_weights(scores, allowed.mT if allowed.shape[-2] == allowed.shape[-1] > 3 else allowed)",
            ),
            edited(attended, WEIGHTS, "masked_weights(scores.clamp(-50, 50), allowed)"),
        ],
        "a second one raises RuntimeError": [attended_once],
        "Axis 2 is the last one": [edited(attended, WEIGHTS, BARE.replace("-1)", "2)"))],
        "The root has divided the weights, or what they brought": [
            edited(attended, ROOT, "", "@ value", "@ value / query.shape[-1] ** 0.5")
        ],
        "the library computed them": [attended_by_another_name],
        "the gradient of value": [edited(attended, "@ value", "@ value.detach()")],
        "the gradient of query": [edited(attended, "scores = query", "scores = query.detach()")],
    },
)

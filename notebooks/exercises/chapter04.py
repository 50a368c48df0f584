"""What the exercises of chapter 04 share: a trunk with a calm head and a loud one, and branches that hooks hang on."""

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.autograd.hooks import RemovableHandle
from minigrad.teach import Case, Mistake, compare, draw_numbers, observer, pick, raised, saw, show
from minigrad.teach.wrong_node import draw_wrong_node, nodes_of, numbers

CALM, LOUD = "(h.sum() - 4) ** 2", "(h @ v + 6) ** 2"  # the chapter's losses
WALKED = "; the leaves have gradients from before"


def trunk(numbers=(1.0, 2.0), factors=(3.0, 1.0)):
    """A result, made from a leaf: [3, 2], where nothing else is asked for."""
    return mg.tensor(list(numbers), requires_grad=True) * mg.tensor(list(factors))


def second_output(numbers, factors):
    """The same, as output number 1 of a node that has two."""
    both = mg.tensor([list(numbers), list(numbers)], requires_grad=True) * mg.tensor(list(factors))
    return both.unbind()[1]


def drawn_trunk(random, kinds=("a leaf", "leaf * x", "output 1 of unbind()")):
    """A tensor of one or two dimensions, in words, and what makes it anew."""
    kind, shape = pick(random, kinds), pick(random, [(1,), (2,), (3,), (2, 2), (2, 3)])
    numbers, factors = (draw_numbers(random, shape, unit=0.25, zero=False) for _ in range(2))
    makers = {
        "a leaf": lambda: mg.tensor(numbers, requires_grad=True),
        "leaf * x": lambda: trunk(numbers, factors),
        "output 1 of unbind()": lambda: second_output(numbers, factors),
    }
    return f"h is {kind}, {_listed(makers[kind]())}", makers[kind]


def leaves(*roots):
    """The leaves that the roots were computed from."""
    met = {}
    for root in roots:
        if isinstance(root, mg.Tensor):
            met.update(dict.fromkeys(nodes_of(root)))
    return [node.variable for node in met if node.name() == "AccumulateGrad"]


def with_earlier_gradients(*roots):
    """Give the leaves of these roots gradients, as an earlier walk would have left them."""
    for number, leaf in enumerate(leaves(*roots), 2):
        leaf.grad = mg.full(leaf.shape, 0.5 * number)


def names_in(h, **others):
    """What the chapter calls the tensors behind h, for a picture."""
    if h.is_leaf or h.grad_fn.name() != "MulBackward0":
        return {"h": h, **others}
    return {"w": h.grad_fn.next_functions[0][0].variable, "x": h.grad_fn._saved_other, "h": h, **others}


def hooks_on(nodes):
    """How many hooks hang on these nodes and their tensors. retain_grad() hangs one up, too."""
    found = [node._hooks for node in nodes if node._hooks is not None]
    kinds = [kind for hooks in found for kind in (*hooks.of_tensors.values(), hooks.retained, hooks.before)]
    kinds += [kind for hooks in found for kind in (hooks.after, hooks.after_accumulate)]
    return sum(map(len, kinds))


def gradients_held(tensors):
    """Copies of what is in each .grad now."""
    return [None if one._grad is None else one._grad.detach().clone() for one in tensors]


# ---------------------------------------------------------------- branches: `turned_around` and `limited`

PATTERNS = ((-30.0, 40.0), (0.25, -0.5), (0.0,), (3.3, -4.4))  # of gradients that arrive at the result, in turn
GROWING = (1, 1, 2, 2, 0.5, 0.5)  # so that the rows of a table differ


def _arriving_at(h):
    sizes = np.resize(GROWING, h.shape)
    return [mg.tensor(np.resize(pattern, h.shape) * sizes, dtype=h.dtype) for pattern in PATTERNS]


def branch_with(h, hook):
    """A tensor of its own with the numbers of h, and a hook."""
    branch = h.clone()
    branch.register_hook(hook)
    return branch


def branch_case(word, numbers, amount):
    return Case(f"h holds {_listed(trunk(numbers))}, {word} = {amount}", lambda: (trunk(numbers), amount))


def drawn_branches(word, amount_of):
    """For `drawn`: a trunk and an amount."""

    def draw(random):
        words, make = drawn_trunk(random)
        amount = amount_of(random)
        yield Case(f"{words}, {word} = {amount}", lambda: (make(), amount))

    return draw


def _listed(value):
    """The numbers of a tensor, with 0 for -0."""
    return "nothing" if value is None else show(value.detach() + 0.0).removeprefix("tensor(").removesuffix(")")


RESULT, BESIDE, GIVEN = "the result", "what goes on to h from another use of it", "the gradient that comes in"
TOGETHER = "what goes on to h from both at once, in branch + h"


def _through(arriving):
    return f"what goes on to h when {_listed(arriving)} comes in"


@observer
def _tried(answer, h, amount):
    """Send gradients through the learner's result, and one to h by another way."""
    value = answer(h, amount)
    if not isinstance(value, mg.Tensor) or value.shape != h.shape:
        return {RESULT: value}
    answer(h.detach().clone().requires_grad_() * 1, 3 * amount + 1)  # each branch of a program has an amount of its own
    arriving, given = _arriving_at(h), _arriving_at(h)
    (beside,) = grad(h * 1, h, grad_outputs=arriving[0])
    (together,) = grad(value + h, h, grad_outputs=arriving[0], retain_graph=True)
    sent = [None] * len(given)
    if value.requires_grad:
        sent = [grad(value, h, one, retain_graph=True, allow_unused=True)[0] for one in given]
    sent = [one if one is None else one.float() for one in sent]  # up to rounding, also where h is float64
    is_kept = compare(_arriving_at(h), given) is None
    return {
        RESULT: value.detach(),
        **{_through(came): went for came, went in zip(_arriving_at(h), sent, strict=True)},
        BESIDE: beside,
        TOGETHER: together.float(),
        GIVEN: "as it was" if is_kept else "written to",
    }


def _sent(seen, h):
    """What went on to h of each gradient that arrived."""
    return [seen.get(_through(arriving)) for arriving in _arriving_at(h)]


def _lengths(outcome):
    """How long what arrives is, and what goes on to h."""
    if GIVEN not in outcome.seen:
        return ""
    h, rows = outcome.arguments[0], []
    for arriving, sent in zip(_arriving_at(h), _sent(outcome.seen, h), strict=True):
        length = "nothing" if sent is None else f"length {sent.norm().item():.4g}"
        rows.append(f"  the engine walked: length {arriving.norm().item():.4g} comes in, {length} goes on")
    return "\n".join(rows)


def _pictures(reference):
    """The learner's graph, walked with the gradient of the first difference, and in red the box where it goes wrong."""

    def draw(outcome, difference):
        made, right = outcome.case.make(), outcome.case.make()
        result, expected = outcome.answer(*made), reference(*right)
        all_arriving = _arriving_at(made[0])

        def red(box, words, gradient):
            return draw_wrong_node(result, names_in(made[0]), box, words, gradient, outcome.answer)

        if difference.where.startswith(RESULT):
            return red(result, "✗ other numbers", all_arriving[0])
        if not result.requires_grad:
            return red(result, "✗ no way back to h", None)
        if outcome.seen[GIVEN] == "written to":
            return red(result, "✗ writes into g", all_arriving[0])
        arriving = next((one for one in all_arriving if f"{_listed(one)} comes" in difference.where), all_arriving[0])
        if difference.where.startswith(TOGETHER):
            result, expected = result + made[0], expected + right[0]
        (gradient,) = grad(expected, right[0], grad_outputs=arriving)
        return red(made[0], f"✗ expected {numbers(gradient)}", arriving)

    return draw


def branch_fields(reference):
    """What an exercise about a branch is seen and drawn with."""
    return {"reference": reference, "plug": _tried, "evidence": _lengths, "picture": _pictures(reference)}


def _changes_nothing(outcome):
    """Whether every gradient goes on as it came, and should not."""
    arriving, seen = [one.float() for one in _arriving_at(outcome.arguments[0])], outcome.seen
    passes_on = [compare(arriving, _sent(one, outcome.arguments[0])) is None for one in (seen, outcome.right)]
    return passes_on == [True, False] and compare(arriving[0] * 2, seen[TOGETHER]) is None


def hook_mistakes(word, amount, *, handle, number, on_h, writes, cut_off, silent, shared, once):
    """The mistakes that both exercises share, for these wrong answers: the hook is in the wrong place, or says
    nothing.
    """
    return (
        Mistake(
            handle,
            words="This is the handle of the hook. The tensor on which it hangs is asked for.",
            when=saw(RESULT, lambda mine, right: isinstance(mine, RemovableHandle)),
        ),
        Mistake(
            number,
            words="The hook gave a number. It has to return a tensor of the gradient's shape: the gradient times a "
            "number.",
            when=lambda outcome: any(raised(f"hook returned '{kind}'")(outcome) for kind in ("int", "float")),
        ),
        Mistake(
            on_h,
            words="The hook hangs on h itself, so it changes what comes from every use of h. Make a tensor of its own "
            "for this branch, h.clone(), and hang it there.",
            when=saw(BESIDE, lambda mine, right: compare(right, mine) is not None),
        ),
        Mistake(
            writes,
            words="The gradient that comes in was written into, and h, which gets the same one by another way, gets "
            "it changed there, too. Return a new tensor, g * ... instead of g *= ...",
            when=saw(GIVEN, lambda mine, right: mine != right),
        ),
        Mistake(
            cut_off,
            words="Nothing arrives at h: no way leads back to it from what you return, as after detach(), .data, "
            "tolist() and in no_grad(). The branch must stay in the graph.",
            when=lambda outcome: GIVEN in outcome.seen and _sent(outcome.seen, outcome.arguments[0]) == [None] * 4,
        ),
        Mistake(
            *silent,
            words="The gradient goes on as it came, as where what you return has no hook, or one that returns "
            f"nothing. Hang it on the tensor that you return, and let it return the {word} gradient.",
            when=_changes_nothing,
        ),
        Mistake(
            shared,
            words=f"Another call came before the walk, for another branch, and this one took its {amount}: it is kept "
            "where all calls share it, as on the class. Keep it in the hook, or on ctx.",
            near=True,
        ),
        Mistake(
            once,
            words="The hook acts in the first walk alone, and what comes in later ones goes on as it is. Do not take "
            "the hook away, and do not count its calls.",
            near=True,
        ),
    )

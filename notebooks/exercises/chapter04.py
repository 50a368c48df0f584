"""What the exercises of chapter 04 share: a trunk with a calm head and a loud one, and branches that hooks hang on."""

from dataclasses import dataclass

import minigrad as mg
from minigrad.autograd import grad
from minigrad.autograd.hooks import RemovableHandle
from minigrad.teach import Case, Difference, Mistake, compare, draw_wrong_node, nodes_of, numbers, raised, show

TRACE = ", and .grad was written"


def trunk(numbers=(1.0, 2.0)):
    """A result with two elements, made from a leaf: [3, 2], where nothing else is asked for."""
    return mg.tensor(list(numbers), requires_grad=True) * mg.tensor([3.0, 1.0])


def two_heads(h):
    """The calm loss and the loud one."""
    v = mg.tensor([-3.0, 4.0], requires_grad=True)
    return (h.sum() - 4) ** 2, (h @ v + 6) ** 2


def leaves(*roots):
    """The leaves that the roots were computed from."""
    met = {}
    for root in roots:
        if isinstance(root, mg.Tensor):
            met.update(dict.fromkeys(nodes_of(root)))
    return [node.variable for node in met if node.name() == "AccumulateGrad"]


def names_in(h, **others):
    """What the chapter calls the tensors behind h, for a picture."""
    return {"w": h.grad_fn.next_functions[0][0].variable, "x": h.grad_fn._saved_other, "h": h, **others}


def is_grad_written(*tensors):
    return any(isinstance(one, mg.Tensor) and one._grad is not None for one in tensors)


# ---------------------------------------------------------------- branches: `turned_around` and `limited`

ARRIVING = ([-30.0, 40.0], [0.25, -0.5], [0.0, 0.0])  # gradients that arrive at the result, in turn


@dataclass(frozen=True)
class Branch:
    """What was found out about a learner's branch: its numbers, what h gets through it and beside it, and what it gets
    when one gradient arrives at both.
    """

    numbers: mg.Tensor
    through: list[mg.Tensor | None]
    beside: mg.Tensor
    together: mg.Tensor

    @property
    def writes_into_gradient(self):
        """Whether each way by itself is as it should be, and both together are not their sum."""
        through = self.through[0]
        return through is not None and compare(through + self.beside, self.together) is not None


def branch_with(h, hook):
    """A tensor of its own with the numbers of h, and a hook."""
    branch = h.clone()
    branch.register_hook(hook)
    return branch


def branch_case(word, numbers, amount):
    return Case(f"h holds {_listed(trunk(numbers))}, {word} = {amount}", lambda: (trunk(numbers), amount))


def _listed(value):
    """The numbers of a tensor, with 0 for -0."""
    return "nothing" if value is None else show(value.detach() + 0.0).removeprefix("tensor(").removesuffix(")")


def _tried(value, arguments):
    """Send gradients through the learner's result, and one to h by another way."""
    h = arguments[0]
    if not isinstance(value, mg.Tensor) or value.shape != h.shape:
        return value
    (beside,) = grad(h * 1, h, grad_outputs=mg.tensor(ARRIVING[0]))
    (together,) = grad(value + h, h, grad_outputs=mg.tensor(ARRIVING[0]), retain_graph=True)
    through = [None] * len(ARRIVING)
    if value.requires_grad:
        through = [grad(value, h, mg.tensor(one), retain_graph=True, allow_unused=True)[0] for one in ARRIVING]
    return Branch(value.detach(), through, beside, together)


def _compare_branches(expected, got, outcome):
    if not isinstance(got, Branch):
        return Difference("the answer", show(got), show(expected.numbers), "A tensor of the shape of h is asked for.")
    difference = compare(expected.numbers, got.numbers, "the result")
    if difference is not None:
        return difference
    for arriving, wanted, mine in zip(ARRIVING, expected.through, got.through):
        where = f"what goes on to h when {_listed(mg.tensor(arriving))} comes in"
        if mine is None:
            return Difference(where, "nothing", _listed(wanted), "No gradient goes back to h.")
        difference = compare(wanted, mine, f"{where}, element ")
        if difference is not None:
            return difference
    difference = compare(expected.beside, got.beside, "beside it, from another use of h, element ")
    return difference or compare(expected.together, got.together, "both at once, in branch + h, element ")


def _show_branch(value, arguments):
    if not isinstance(value, Branch):
        return show(value)
    first = f"{_listed(mg.tensor(ARRIVING[0]))} comes in"
    lines = [f"holds {_listed(value.numbers)}"]
    for arriving, sent in zip(ARRIVING, value.through):
        lines.append(f"  through it: {_listed(mg.tensor(arriving))} comes in, {_listed(sent)} goes on to h")
    lines.append(f"  beside it: {first}, {_listed(value.beside)} goes on")
    if value.writes_into_gradient:
        lines.append(f"  both at once: {first}, {_listed(value.together)} goes on")
    return "\n".join(lines)


def _lengths(outcome):
    """How long what arrives is, and what goes on to h."""
    if not isinstance(outcome.value, Branch):
        return ""
    rows = []
    for arriving, sent in zip(ARRIVING, outcome.value.through):
        length = "nothing" if sent is None else f"length {sent.norm().item():.4g}"
        rows.append(f"  the engine walked: length {mg.tensor(arriving).norm().item():.4g} comes in, {length} goes on")
    return "\n".join(rows)


def _pictures(reference):
    """The learner's graph, walked with the gradient of the first difference, and in red the box where it goes wrong."""

    def draw(outcome, difference):
        made, right = outcome.case.make(), outcome.case.make()
        result, expected = outcome.answer(*made), reference(*right)

        def red(box, words, arriving):
            gradient = arriving and mg.tensor(arriving)
            return draw_wrong_node(result, names_in(made[0]), box, words, gradient, outcome.answer)

        if difference.where.startswith("the result"):
            return red(result, "✗ other numbers", ARRIVING[0])
        if not result.requires_grad:
            return red(result, "✗ no way back to h", None)
        if outcome.value.writes_into_gradient:
            return red(result, "✗ writes into g", ARRIVING[0])
        arriving = next((one for one in ARRIVING if _listed(mg.tensor(one)) in difference.where), ARRIVING[0])
        if not difference.where.startswith("what goes on"):
            result, expected = result + made[0], expected + right[0]
        (gradient,) = grad(expected, right[0], grad_outputs=mg.tensor(arriving))
        return red(made[0], f"✗ expected {numbers(gradient)}", arriving)

    return draw


def branch_fields(reference):
    """What an exercise about a branch is compared, shown and drawn with."""
    return {
        "reference": reference,
        "observe": _tried,
        "compare": _compare_branches,
        "show": _show_branch,
        "evidence": _lengths,
        "picture": _pictures(reference),
    }


def is_branch(test):
    """For `when`: a branch came out, for which the test holds."""
    return lambda outcome: isinstance(outcome.value, Branch) and test(outcome.value)


def _passes_on(branch):
    """Whether every gradient goes on as it came."""
    return all(compare(mg.tensor(arriving), sent) is None for arriving, sent in zip(ARRIVING, branch.through))


def hook_mistakes(word, *, handle, number, on_h, writes, cut_off, silent):
    """The mistakes that both exercises share, for these wrong answers: the hook is in the wrong place, or says
    nothing.
    """
    return (
        Mistake(
            handle,
            words="This is the handle of the hook. The tensor on which it hangs is asked for.",
            when=lambda outcome: isinstance(outcome.value, RemovableHandle),
        ),
        Mistake(
            number,
            words="The hook gave a number. It has to return a tensor of the gradient's shape: multiply the gradient "
            "by the number.",
            when=raised("expected Variable, but hook returned"),
        ),
        Mistake(
            on_h,
            words="The hook hangs on h itself, so it changes what comes from every use of h. Make a tensor of its own "
            "for this branch, h.clone(), and hang it there.",
            when=is_branch(lambda branch: compare(mg.tensor(ARRIVING[0]), branch.beside) is not None),
        ),
        Mistake(
            writes,
            words="The hook writes into the gradient that it is given. Here h gets the same one by another way, and "
            "it was changed there, too. Return a new tensor, g * ... instead of g *= ...",
            when=is_branch(lambda branch: branch.writes_into_gradient),
        ),
        Mistake(
            cut_off,
            words="Nothing arrives at h: detach() or .data cut the branch off. The branch must stay in the graph.",
            when=is_branch(lambda branch: all(sent is None for sent in branch.through)),
        ),
        Mistake(
            *silent,
            words="The gradient goes on as it came: what you return has no hook, or one that returns nothing. Hang it "
            f"on the tensor that you return, and let it return the {word} gradient.",
            when=is_branch(_passes_on),
        ),
    )

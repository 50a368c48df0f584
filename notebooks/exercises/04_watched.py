"""The exercise that looks at a gradient with a hook, and takes the hook away: `watched`."""

import warnings
from dataclasses import dataclass
from types import CodeType

import minigrad as mg
from minigrad.autograd import grad
from minigrad.autograd.hooks import RemovableHandle
from minigrad.teach import (
    Case,
    Difference,
    Exercise,
    Mistake,
    compare,
    draw_wrong_node,
    edited,
    nodes_of,
    raised,
    show,
    yours,
)

from .chapter04 import (
    drawn_numbers,
    drawn_trunk,
    gradients_of,
    has_graph,
    hooks_on,
    leaves,
    names_in,
    second_output,
    trunk,
    two_heads,
    with_earlier_gradients,
)


def watched(h, loss):
    """Run loss.backward(); the gradient that came by at h."""
    seen = []
    with h.register_hook(seen.append):
        loss.backward()
    return seen[0]


def _both_heads():
    h = trunk()
    calm, loud = two_heads(h)
    return h, calm + loud


def _one_head():
    h = trunk([0.5, -1.0])
    return h, two_heads(h)[1]


def _used_three_times():
    h = trunk([0.5, 1.0])
    return h, (h * h).sum() + h.sin().sum()


def _second_of_two():
    h = second_output([0.5, 1.0], [3.0, 1.0])
    return h, two_heads(h)[1]


def _after_another_walk():
    h, loss = _both_heads()
    with_earlier_gradients(h, loss)
    return h, loss


def _drawn(random):
    """A loss of a result, with another leaf beside it; half of the leaves have been walked to before."""
    words, make_h = drawn_trunk(random, kinds=("leaf * x", "output 1 of unbind()"))
    factors, other = drawn_numbers(random, make_h().shape), drawn_numbers(random, make_h().shape)
    uses = random.permutation(3)[: random.integers(1, 4)].tolist()
    is_walked = bool(random.integers(2))

    def make():
        h = make_h()
        v = mg.tensor(other, requires_grad=True)
        kinds = [(h * mg.tensor(factors)).sum(), (h * v).sum() ** 2, h.sin().sum()]
        loss = sum(kinds[number] for number in uses) + v.sum()
        if is_walked:
            with_earlier_gradients(h, loss)
        return h, loss

    kinds = [f"(h * {factors}).sum()", "(h * v).sum() ** 2", "h.sin().sum()"]
    listed = " + ".join([*[kinds[number] for number in uses], "v.sum()"])
    earlier = "; the leaves have gradients from before" if is_walked else ""
    yield Case(f"{words}, loss = {listed}, where v = {other}{earlier}", make)


@dataclass(frozen=True)
class Walk:
    """What a learner's function returned, the gradients of the leaves before and after it, and what it left at h."""

    seen: object
    before: list[mg.Tensor | None]
    leaves: list[mg.Tensor | None]
    count: int  # of the leaves behind h, which are the first ones
    keeps_grad: bool
    is_grad_written: bool
    is_hook_left: bool

    @property
    def added(self):
        """What was added to the gradient of each leaf; None where there is none."""
        pairs = zip(self.before, self.leaves, strict=True)
        return [new if old is None or new is None else new.detach() - old for old, new in pairs]

    @property
    def has_run(self):
        """Whether backward() has: some leaf's gradient is not what it was."""
        pairs = zip(self.before, self.leaves, strict=True)
        return any(new is not None and (old is None or compare(old, new) is not None) for old, new in pairs)


def _walking(answer):
    """An answer which is looked after: the leaves' gradients before and after it, and what still hangs on the graph."""

    def run(h, loss):
        behind, nodes = leaves(h, loss), {*nodes_of(h), *nodes_of(loss)}
        before, hooks = gradients_of(behind), hooks_on(nodes)
        value = answer(h, loss)
        if value is None or value is ...:
            return value
        kept, left = h.retains_grad, hooks_on(nodes) - hooks
        now = [leaf._grad for leaf in behind]
        return Walk(value, before, now, len(leaves(h)), kept, h._grad is not None, left > kept)

    return run


def _compare_walks(expected, got, outcome):
    yield compare(expected.seen, got.seen)
    note = "The gradient is right; something else is not as it should be afterwards."
    if not got.has_run:
        yield Difference("w.grad", "as it was", "a tensor: backward() has run", note)
    for wanted, mine in zip(expected.leaves, got.leaves, strict=True):
        if mine is None or compare(wanted, mine) is not None:
            shown = "None" if mine is None else show(mine)
            yield Difference("the gradient of a leaf", shown, show(wanted), note)
    if has_graph(got.seen) or any(map(has_graph, got.leaves)):
        note = (
            "The numbers are right, but they keep the graph of the walk alive: backward() needs no create_graph here."
        )
        yield Difference("the gradients", "results with a graph", "numbers alone", note)
    if got.keeps_grad or got.is_grad_written:
        yield Difference("h.grad", "is kept, in this walk or the next", "None, as before", note)
    if got.is_hook_left:
        yield Difference("the hooks", "one is left", "none", note)


def _show_walk(value, arguments):
    if not isinstance(value, Walk):
        return show(value)
    gradients = ", ".join("None" if gradient is None else show(gradient) for gradient in value.leaves)
    kept = "; h keeps its gradient" if value.keeps_grad or value.is_grad_written else ""
    left = kept or ("; a hook is left" if value.is_hook_left else "")
    graph = ", with a graph" if has_graph(value.seen) or any(map(has_graph, value.leaves)) else ""
    return f"{show(value.seen)}{graph}; gradients of the leaves: {gradients}{left}"


def _contributions(outcome):
    h, loss = outcome.case.make()
    return f"  autograd.grad(loss, h) gives {show(grad(loss, h)[0])}"


def _draw(outcome, difference):
    """The walk as it should be, and in red h, or the leaf whose gradient is another one."""
    h, loss = outcome.case.make()
    names = names_in(h, loss=loss, **dict(zip("wv", leaves(h, loss), strict=False)))
    if difference.where == "the gradient of a leaf":
        shown = [show(gradient) for gradient in outcome.value.leaves]
        wrong = shown.index(difference.yours)
        return draw_wrong_node(loss, names, leaves(h, loss)[wrong], yours(outcome.value.leaves[wrong]))
    if difference.where.startswith("the answer"):
        seen = outcome.value.seen if isinstance(outcome.value, Walk) else None
        return draw_wrong_node(
            loss, names, h, yours(seen) if isinstance(seen, mg.Tensor) else "✗ this one is asked for"
        )
    words = {"w.grad": "✗ the walk stops here", "h.grad": "✗ keeps its gradient"}
    return draw_wrong_node(loss, names, h, words.get(difference.where, "✗ a hook is left"))


def _is_seen(test):
    """For `when`: something came out, for which the test holds. It gets the walk, and the one of the reference."""
    return lambda outcome: (
        isinstance(outcome.value, Walk) and test(outcome.value, _walking(watched)(*outcome.case.make()))
    )


def _is_right(walk, right):
    return compare(right.seen, walk.seen) is None


def _is_asked_for(walk, right):
    return _is_right(walk, right) and not walk.has_run


def _are_leaves(wanted, walk):
    """Whether these are the gradients of the leaves."""
    return all(now is not None and compare(one, now) is None for one, now in zip(wanted, walk.leaves, strict=True))


def _has_run_twice(walk, right):
    return _are_leaves([now + one for one, now in zip(right.added, right.leaves, strict=True)], walk)


def _lost_what_was_there(walk, right):
    """Whether the leaves hold this walk's gradients alone, where there were others before."""
    return any(one is not None for one in right.before) and _are_leaves(right.added, walk)


def _has_sent_others(walk, right):
    """Whether the gradient at h is right, and leaves behind it got another one, and those beside it did not."""
    if not _is_right(walk, right) or any(one is None for one in walk.leaves):
        return False
    differ = [compare(one, now) is not None for one, now in zip(right.leaves, walk.leaves, strict=True)]
    return any(differ[: walk.count]) and not any(differ[walk.count :])


def _is_name_of_the_hook(outcome):
    """Whether a name is missing that is assigned in a function inside of the answer."""
    constants = getattr(getattr(outcome.answer, "__code__", None), "co_consts", ())
    inner = [one for one in constants if isinstance(one, CodeType)]
    return isinstance(outcome.error, NameError) and any(outcome.error.name in code.co_varnames for code in inner)


# ---------------------------------------------------------------- wrong answers


def hung_up_the_result(h, loss):
    """register_hook wants the function itself, as in register_hook(seen.append). With parentheses it is called at once,
    and its result, None, is what is registered.
    """
    seen = []
    handle = h.register_hook(seen.append(0))
    loss.backward()
    handle.remove()
    return seen[0]


def taken_away_too_early(h, loss):
    seen = {}
    handle = h.register_hook(lambda g: seen.update(h=g))
    handle.remove()
    loss.backward()
    return seen["h"]


def assigned_in_the_hook(h, loss):
    """A name that is assigned inside the hook belongs to the hook alone. Let it put the gradient into a list or a
    dictionary of your function, or declare the name nonlocal.
    """

    def look(g):
        seen = g  # noqa: F841

    with h.register_hook(look):
        loss.backward()
    return seen  # noqa: F821


def returned_the_handle(h, loss):
    """This is the handle, which only takes the hook away. The gradient is given to the hook itself."""
    handle = h.register_hook(lambda g: None)
    loss.backward()
    handle.remove()
    return handle


def asked_instead(h, loss):
    """The walk ended at h, as autograd.grad(loss, h) or backward(inputs=[h]) ends it. The leaves were to get their
    gradients, too: run loss.backward().
    """
    return grad(loss, h)[0]


def retained_instead(h, loss):
    """retain_grad() keeps the gradient in h.grad, in this walk and in all to come, also if you clear it now. A hook can
    look without keeping anything.
    """
    h.retain_grad()
    loss.backward()
    return h.grad


def first_of_the_node(h, loss):
    """A pre-hook of a node gets the gradients of all of its outputs. h need not be output 0: h.output_nr says which it
    is. A hook on h itself gets that one alone.
    """
    seen = []
    with h.grad_fn.register_prehook(lambda gradients: seen.append(gradients[0])):
        loss.backward()
    return seen[0]


def cleared_the_leaves(h, loss):
    """The leaves had gradients from before, and backward() adds to them. Here they were cleared or replaced."""
    for leaf in leaves(loss):
        leaf.grad = None
    return watched(h, loss)


def recorded_the_walk(h, loss):
    """The numbers are right, but they keep the graph of the walk alive: create_graph=True is not needed here."""
    seen = []
    with h.register_hook(seen.append), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss.backward(create_graph=True)
    return seen[0]


def hook_sends_zeros(h, loss):
    """The hook has changed the gradient: what it returned was sent on in its place, and so the leaves got another one.
    A hook that only looks returns nothing.
    """
    seen = []

    def look(g):
        seen.append(g)
        return g * 0

    with h.register_hook(look):
        loss.backward()
    return seen[0]


def returned_the_list(h, loss):
    """This is the list into which the hook has put the gradient. Its item [0] is asked for."""
    seen = []
    handle = h.register_hook(seen.append)
    loss.backward()
    handle.remove()
    return seen


# ---------------------------------------------------------------- tried as well


def watched_at_h_alone(h, loss):
    """backward() may be told where to end, too."""
    loss.backward(inputs=[h])
    return h.grad


def watched_with_a_hook_on_the_node(h, loss):
    """The hook stays on the node of h."""
    seen = []
    h.grad_fn.register_prehook(lambda gradients: seen.append(gradients[h.output_nr]))
    loss.backward()
    return seen[0]


def watched_and_set_the_leaves(h, loss):
    behind = leaves(loss)
    found = grad(loss, [h, *behind])
    for leaf, gradient in zip(behind, found[1:], strict=True):
        leaf.grad = gradient
    return found[0]


def watched_and_limited(h, loss):
    """The hook sends on what it should only look at."""
    seen = []
    with h.register_hook(lambda g: seen.append(g) or g.clip(-10, 10)):
        loss.backward()
    return seen[0]


def watched_by_the_last(h, loss):
    gradient = None

    def look(g):
        nonlocal gradient
        gradient = g

    handle = h.register_hook(look)
    try:
        loss.backward()
    finally:
        handle.remove()
    return gradient


def watched_by_a_hook_that_removes_itself(h, loss):
    seen = []
    handle = h.register_hook(lambda g: (seen.append(g), handle.remove())[1])
    loss.backward(retain_graph=True)
    return seen.pop()


def watched_by_a_class(h, loss):
    class Look:
        def __call__(self, g):
            self.gradient = g.detach().clone()

    look = Look()
    with h.register_hook(look):
        mg.autograd.backward([loss])
    return look.gradient


def watched_by_a_function(h, loss):
    seen = {}

    def look(gradient):
        seen["h"] = gradient.clone()

    handle = h.register_hook(look)
    loss.backward()
    handle.remove()
    return seen["h"]


def watched_at_the_node(h, loss):
    seen = []
    with h.grad_fn.register_prehook(lambda gradients: seen.extend(gradients)):
        loss.backward()
    return seen[h.output_nr]  # the node may have other outputs, and then h is not the first


EXERCISE = Exercise(
    title="the gradient that came by at h in loss.backward(); no hook is left, and h.grad stays None",
    stars=2,
    minutes=8,
    reference=watched,
    cases=(
        Case("h = w * x, loss = calm + loud", _both_heads),
        Case("h = w * x, loss = loud", _one_head),
        Case("h = w * x, loss = (h * h).sum() + h.sin().sum()", _used_three_times),
        Case("h is output 1 of unbind(), loss = loud", _second_of_two),
        Case("h = w * x, loss = calm + loud; the leaves have gradients from before", _after_another_walk),
    ),
    drawn=_drawn,
    hints=(
        "A hook gets the gradient as its argument. Where can it leave it, so that your function finds it afterwards?",
        "seen = [] and h.register_hook(seen.append), before the walk. append returns None, so nothing is changed.",
        "Keep the handle that register_hook returns, run loss.backward(), call handle.remove(), return seen[0].",
    ),
    plug=_walking,
    compare=_compare_walks,
    show=_show_walk,
    evidence=_contributions,
    picture=_draw,
    mistakes=(
        Mistake(hung_up_the_result, when=raised("'NoneType' object is not callable")),
        Mistake(assigned_in_the_hook, when=_is_name_of_the_hook),
        Mistake(
            edited(
                hung_up_the_result,
                "handle = h.register_hook(seen.append(0))\n    loss.backward()",
                "loss.backward()\n    handle = h.register_hook(seen.append)",
            ),
            taken_away_too_early,
            words="There was nothing where you looked for what the hook had seen. Was it registered after the walk, "
            "or removed before it, or was there no walk at all?",
            when=lambda outcome: isinstance(outcome.error, IndexError | KeyError),
        ),
        Mistake(returned_the_handle, when=_is_seen(lambda walk, right: isinstance(walk.seen, RemovableHandle))),
        Mistake(
            returned_the_list,
            when=_is_seen(lambda walk, right: isinstance(walk.seen, list) and compare([right.seen], walk.seen) is None),
        ),
        Mistake(asked_instead, when=_is_seen(_is_asked_for)),
        Mistake(
            edited(watched, "):\n        loss.", "):\n        h.sum()."),
            words="The walk began at h instead of at the loss, so that ones came by. Run loss.backward().",
        ),
        Mistake(
            retained_instead,
            edited(retained_instead, "return h.grad", "gradient = h.grad\n    h.grad = None\n    return gradient"),
            when=_is_seen(lambda walk, right: walk.keeps_grad),
        ),
        Mistake(
            edited(watched, "return seen[0]", "h.grad = seen[0]\n    return h.grad"),
            words="h.grad was written, and it was to stay None. Keep the gradient in a list or in a name of your own.",
            when=_is_seen(lambda walk, right: walk.is_grad_written),
        ),
        Mistake(
            edited(watched, "with h", "with loss"),
            words="This is what arrives at the loss, the 1 of the beginning. The hook belongs on h.",
        ),
        first_of_the_node,
        Mistake(
            edited(watched, "backward", "backward(retain_graph=True)\n        loss.backward"),
            words="backward() has run twice, and the leaves have twice their gradient. Once is enough for the hook, "
            "too.",
            when=_is_seen(_has_run_twice),
        ),
        Mistake(cleared_the_leaves, when=_is_seen(_lost_what_was_there)),
        Mistake(recorded_the_walk, when=_is_seen(lambda walk, right: any(map(has_graph, walk.leaves)))),
        Mistake(hook_sends_zeros, when=_is_seen(_has_sent_others)),
        Mistake(
            edited(watched, "with h", "h", "):\n        loss", ")\n    loss"),
            words="The hook is still there, and will run in every walk to come. Call remove() on the handle.",
            when=_is_seen(lambda walk, right: _is_right(walk, right) and walk.is_hook_left),
        ),
        Mistake(
            edited(watched, "with h.register_hook", "with leaves(h)[0].register_hook"),
            words="This is the gradient of the leaf, one step later than that of h: the hook belongs on h.",
        ),
    ),
    right=(
        watched_by_the_last,
        watched_by_a_hook_that_removes_itself,
        watched_by_a_class,
        watched_by_a_function,
        watched_at_the_node,
    ),
    wrong={
        "A pre-hook of a node gets the gradients of all of its outputs": [
            edited(
                hung_up_the_result,
                "register_hook(seen.append(0))",
                "grad_fn.register_prehook(lambda gradients: seen.append(gradients[0]))",
            )
        ],
        "The hook is still there": [watched_with_a_hook_on_the_node],
        "backward() adds to them": [watched_and_set_the_leaves, cleared_the_leaves],
        "create_graph=True is not needed": [edited(recorded_the_walk, "seen[0]", "seen[0].detach()")],
        "The hook has changed the gradient": [
            watched_and_limited,
            edited(hook_sends_zeros, "append(g)\n        return g * 0", "append(g.clone())\n        g *= 2"),
        ],
        "The walk ended at h": [watched_at_h_alone],
    },
)

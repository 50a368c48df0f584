"""The exercise that looks at a gradient with a hook, and takes the hook away: `watched`."""

import warnings
from types import CodeType

import minigrad as mg
from minigrad.autograd import grad
from minigrad.autograd.hooks import RemovableHandle
from minigrad.teach import Exercise, Mistake, cases, compare, draw_wrong_node, edited, nodes_of, show, yours
from minigrad.teach.draws import draw_numbers, flip, formula, pick_some
from minigrad.teach.observing import has_graph, observer, raised, right_but, saw

from .chapter04 import (
    CALM,
    LOUD,
    WALKED,
    drawn_trunk,
    gradients_held,
    hooks_on,
    leaves,
    names_in,
    second_output,
    trunk,
    with_earlier_gradients,
)


def watched(h, loss):
    """Run loss.backward(); the gradient that came by at h."""
    seen = []
    with h.register_hook(seen.append):
        loss.backward()
    return seen[0]


@cases("{words}", walked=WALKED)
def _case(words, make_h, loss, other=(-3.0, 4.0), walked=False):
    h, v = make_h(), mg.tensor(other, requires_grad=True)
    root = formula(loss, "h, v")(h, v)
    if walked:
        with_earlier_gradients(h, root)
    return h, root


def _drawn(random):
    """A loss of a result, with another leaf beside it; half of the leaves have been walked to before."""
    words, make_h = drawn_trunk(random, kinds=("leaf * x", "output 1 of unbind()"))
    shape = tuple(make_h().shape)
    factors, other = (draw_numbers(random, shape, unit=0.25, zero=False) for _ in range(2))
    kinds = [f"(h * tensor({factors})).sum()", "(h * v).sum() ** 2", "h.sin().sum()"]
    loss = " + ".join([*pick_some(random, kinds, random.integers(1, 4)), "v.sum()"])
    yield _case(f"{words}, loss = {loss}, where v = {other}", make_h, loss, other, flip(random))


KEPT, WRITTEN = "is kept in each walk to come", "was written"


@observer
def _walking(answer, h, loss):
    """What came by, the leaves' gradients, and what still hangs on the graph."""
    behind, nodes = leaves(h, loss), {*nodes_of(h), *nodes_of(loss)}
    before, hooks = gradients_held(behind), hooks_on(nodes)
    came = []
    with h.register_hook(lambda g: came.append(1)):
        found = answer(h, loss)
    is_walked = compare(before, gradients_held(behind)) is not None
    has_walk_graph = has_graph(found) or has_graph([leaf._grad for leaf in behind])
    left = hooks_on(nodes) - hooks - h.retains_grad
    return {
        "the answer": found,
        "backward()": "has come to the leaves" if is_walked else "has not come to the leaves",
        **{f"the gradient of {name}": leaf._grad for name, leaf in zip("wv", behind, strict=False)},
        "the graph of the walk": "is kept" if has_walk_graph else "is not kept",
        "h.grad": KEPT if h.retains_grad else WRITTEN if h._grad is not None else "None, as before",
        "the hooks": f"{left} left" if left > 0 else "none",
        "gradients that came by at h": len(came),
        "the graph of the loss": "is freed" if any(node.freed for node in nodes) else "is kept",
    }


def _contributions(outcome):
    h, loss = outcome.case.make()
    return f"  autograd.grad(loss, h) gives {show(grad(loss, h)[0])}"


def _draw(outcome, difference):
    """The walk as it should be, and in red h, or the leaf whose gradient is another one."""
    h, loss = outcome.case.make()
    names = names_in(h, loss=loss, **dict(zip("wv", leaves(h, loss), strict=False)))
    if difference.where.startswith("the gradient of "):
        name = difference.where.removeprefix("the gradient of ")[0]
        return draw_wrong_node(loss, names, name, yours(outcome.seen[f"the gradient of {name}"]))
    if difference.where.startswith("the answer"):
        seen = outcome.seen.get("the answer")
        words = yours(seen) if isinstance(seen, mg.Tensor) else "✗ this one is asked for"
        return draw_wrong_node(loss, names, h, words)
    words = {"backward()": "✗ the walk stops here", "h.grad": "✗ keeps its gradient"}
    return draw_wrong_node(loss, names, h, words.get(difference.where, "✗ a hook is left"))


def _is_name_of_the_hook(outcome):
    """Whether a name is missing, or None, that is assigned in a function inside of the answer."""
    own = getattr(outcome.answer, "__code__", None)
    inner = {
        name
        for code in getattr(own, "co_consts", ())
        if isinstance(code, CodeType)
        for name in code.co_varnames[code.co_argcount :]
    }
    if outcome.error is None:
        return outcome.value is None and not inner.isdisjoint(own.co_varnames if own else ())
    return isinstance(outcome.error, NameError) and outcome.error.name in inner


def _is_wrong_beyond_h(outcome):
    """Whether w has another gradient, though what came by at h is right, and so is the gradient of the leaf beside."""
    beside = "the gradient of v"
    is_of_w = right_but("the gradient of w", lambda mine, right: mine is not None)(outcome)
    return is_of_w and compare(outcome.right[beside], outcome.seen[beside]) is None


# ---------------------------------------------------------------- wrong answers


def assigned_in_the_hook(h, loss):
    """A name that is assigned inside the hook belongs to the hook alone. Let it put the gradient into a list or a
    dictionary of your function, or declare the name nonlocal.
    """

    def look(g):
        seen = g  # noqa: F841

    with h.register_hook(look):
        loss.backward()
    return seen  # noqa: F821


def saw_what_goes_out(h, loss):
    """This is what the node of h sends on to its inputs, the first argument of a node's hook. What comes by at h is the
    second one, what comes in; a hook on h itself gets it alone.
    """
    seen = []
    with h.grad_fn.register_hook(lambda out, into: seen.append(out[0])):
        loss.backward()
    return seen[0]


def retained_instead(h, loss):
    """retain_grad() keeps the gradient in h.grad, in this walk and in all to come, also if you clear it now. A hook can
    look without keeping anything.
    """
    h.retain_grad()
    loss.backward()
    return h.grad


def cleared_the_leaves(h, loss):
    """The leaves had gradients from before, and backward() adds to them. Here they were cleared or replaced."""
    for leaf in leaves(loss):
        leaf.grad = None
    return watched(h, loss)


def recorded_the_walk(h, loss):
    """The numbers are right, but they come with a graph, and keep it alive: create_graph=True is not needed here."""
    seen = []
    with h.register_hook(seen.append), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss.backward(create_graph=True)
    return seen[0]


def watched_with_a_default(h, loss, seen=[]):  # noqa: B006 (that is what is wrong)
    with h.register_hook(seen.append):
        loss.backward()
    return seen[0]


# ---------------------------------------------------------------- tried as well


def watched_in_two_walks(h, loss):
    (gradient,) = grad(loss, h, retain_graph=True)
    loss.backward()
    return gradient


def watched_at_h_alone(h, loss):
    """backward() may be told where to end, too."""
    loss.backward(inputs=[h])
    return h.grad


def watched_and_set_the_leaves(h, loss):
    behind = leaves(loss)
    found = grad(loss, [h, *behind])
    for leaf, gradient in zip(behind, found[1:], strict=True):
        leaf.grad = gradient
    return found[0]


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
    loss.backward()
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


EXERCISE = Exercise(
    title="the gradient that came by at h in loss.backward(); no hook is left, and h.grad stays None",
    stars=2,
    minutes=8,
    reference=watched,
    cases=(
        _case("h = w * x, loss = calm + loud", trunk, f"{CALM} + {LOUD}"),
        _case("h = w * x, loss = loud", lambda: trunk([0.5, -1.0]), LOUD),
        _case(
            "h = w * x, loss = (h * h).sum() + h.sin().sum()",
            lambda: trunk([0.5, 1.0]),
            "(h * h).sum() + h.sin().sum()",
        ),
        _case("h is output 1 of unbind(), loss = loud", lambda: second_output([0.5, 1.0], [3.0, 1.0]), LOUD),
        _case("h = w * x, of one element, loss = (h * h).sum()", lambda: trunk([0.5], [3.0]), "(h * h).sum()"),
        _case("h = w * x, loss = calm + loud", trunk, f"{CALM} + {LOUD}", walked=True),
    ),
    drawn=_drawn,
    hints=(
        "A hook gets the gradient as its argument. Where can it leave it, so that your function finds it afterwards?",
        "seen = [] and h.register_hook(seen.append), before the walk. append returns None, so nothing is changed.",
        "Keep the handle that register_hook returns, run loss.backward(), call handle.remove(), return seen[0].",
    ),
    plug=_walking,
    notes={
        "the graph of the walk": "The numbers are right, but they come with a graph: backward() needs no create_graph "
        "here.",
        "gradients that came by at h": "The gradient is right, but it took more than one walk, and what hangs on the "
        "graph saw each. One loss.backward() is enough: a hook sees what comes by.",
        **dict.fromkeys(
            ("backward()", "the gradient of *", "h.grad", "the hooks", "the graph of the loss"),
            "The gradient is right; something else is not as it should be afterwards.",
        ),
    },
    evidence=_contributions,
    picture=_draw,
    mistakes=(
        Mistake(
            edited(watched, "seen.append", "seen.append(0)"),
            words="None was called. register_hook wants the function itself, as in register_hook(seen.append): with "
            "parentheses it is called at once, and its result, None, is what is registered.",
            when=raised("'NoneType' object is not callable"),
        ),
        Mistake(assigned_in_the_hook, when=_is_name_of_the_hook),
        Mistake(
            edited(watched, "[]\n", "[]\n    loss.backward()\n", ":\n        loss.backward()", ":\n        pass"),
            edited(watched, "seen = []", "seen = {}", "seen.append):\n        ", "seen.get):\n        pass\n    "),
            words="There was nothing where you looked for what the hook had seen. Was it registered after the walk, or "
            "on a tensor that no walk comes by, such as a copy of h? Was it removed before, or was there no walk?",
            when=lambda outcome: isinstance(outcome.error, IndexError | KeyError) and not raised("dim")(outcome),
        ),
        Mistake(
            edited(watched, "append)", "append) as handle", "seen[0]", "handle"),
            words="This is the handle, which only takes the hook away. The gradient is given to the hook itself.",
            when=saw("the answer", lambda mine, right: isinstance(mine, RemovableHandle)),
        ),
        Mistake(
            edited(watched, "seen[0]", "seen"),
            words="This is the list into which the hook has put the gradient. Its item [0] is asked for.",
            when=saw("the answer", lambda mine, right: isinstance(mine, list) and compare([right], mine) is None),
        ),
        Mistake(
            lambda h, loss: grad(loss, h)[0],
            words="The leaves have got no gradient, as where the walk ended at h: autograd.grad(loss, h) and "
            "backward(inputs=[h]) end it there. Run loss.backward().",
            when=right_but("backward()"),
        ),
        saw_what_goes_out,
        Mistake(
            edited(watched, "):\n        loss.", "):\n        h.sum()."),
            words="The walk began at h instead of at the loss, so that ones came by. Run loss.backward().",
        ),
        Mistake(
            retained_instead,
            edited(retained_instead, "return h.grad", "gradient = h.grad\n    h.grad = None\n    return gradient"),
            when=saw("h.grad", lambda mine, right: mine == KEPT),
        ),
        Mistake(
            edited(watched, "return seen[0]", "h.grad = seen[0]\n    return h.grad"),
            words="h.grad was written, and it was to stay None. Keep the gradient in a list or in a name of your own.",
            when=saw("h.grad", lambda mine, right: mine == WRITTEN),
        ),
        Mistake(
            edited(watched, "with h", "with loss"),
            words="This is what arrives at the loss, the 1 of the beginning. The hook belongs on h.",
        ),
        Mistake(
            edited(
                watched, "h.reg", "h.grad_fn.reg", "hook(seen.append)", "prehook(lambda grads: seen.append(grads[0]))"
            ),
            words="A hook of a node gets the gradients of all of its outputs. h need not be output 0: h.output_nr "
            "says which it is. A hook on h itself gets that one alone.",
        ),
        Mistake(
            edited(watched, "backward", "backward(retain_graph=True)\n        loss.backward"),
            words="backward() has run twice, and the leaves have twice their gradient. Once is enough for the hook, "
            "too.",
            near=True,
        ),
        Mistake(
            watched_with_a_default,
            words="Something outlives the call: a default such as seen=[] is made once, and holds what earlier calls "
            "have put there. Make the list anew in each call.",
            when=lambda outcome: any(
                isinstance(one, list | dict) and one for one in getattr(outcome.answer, "__defaults__", None) or ()
            ),
        ),
        Mistake(
            edited(watched, "backward()", "backward(retain_graph=True)"),
            words="retain_graph=True keeps the graph of the loss, with all that it has saved. One walk needs no more "
            "than loss.backward().",
            when=right_but("the graph of the loss"),
        ),
        Mistake(cleared_the_leaves, near=True),
        Mistake(recorded_the_walk, when=right_but("the graph of the walk")),
        Mistake(
            edited(watched, "seen.append", "lambda g: seen.append(g) or g * 0"),
            words="The hook has changed the gradient: it returned another, which was sent on in its place, or wrote "
            "into the one that it got. A hook that only looks returns nothing and writes nothing.",
            when=_is_wrong_beyond_h,
        ),
        Mistake(
            edited(watched, "with h", "h", "):\n        loss", ")\n    loss"),
            words="A hook is still there, and will run in every walk to come. Call remove() on its handle.",
            when=right_but("the hooks"),
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
        edited(
            watched, "h.register_hook(seen.append)", "h.grad_fn.register_prehook(seen.extend)", "[0]", "[h.output_nr]"
        ),
    ),
    wrong={
        "likely The gradient is right; something else": [
            edited(watched, "backward()", "backward(mg.tensor(2.0))", "seen[0]", "seen[0] / 2")
        ],
        "it took more than one walk": [watched_in_two_walks],
        "of one element … The shape is []; it should be [1]": [edited(watched, "seen[0]", "seen[0].squeeze()")],
        "retain_graph=True keeps the graph of the loss": [edited(watched, "backward()", "backward(retain_graph=True)")],
        "h has other hooks than before": [
            edited(watched, "    return", "    (h._backward_hooks or {}).clear()\n    return")
        ],
        "A hook of a node gets the gradients of all of its outputs": [
            edited(watched, "h.register_hook(seen.append)", "h.grad_fn.register_prehook(seen.extend)")
        ],
        "A hook is still there": [
            edited(
                watched,
                *("with h.register_hook(seen.append):\n        ", "h.grad_fn.register_prehook(seen.extend)\n    "),
                *("seen[0]", "seen[h.output_nr]"),
            )
        ],
        "backward() adds to them": [watched_and_set_the_leaves, cleared_the_leaves],
        "create_graph=True is not needed": [edited(recorded_the_walk, "seen[0]", "seen[0].detach()")],
        "The hook has changed the gradient": [
            edited(watched, "seen.append", "lambda g: seen.append(g) or g.clip(-10, 10)"),
            edited(watched, "seen.append", "lambda g: seen.append(g.clone()) or g.mul_(2)"),
        ],
        "backward(): has not come to the leaves … as where the walk ended at h": [watched_at_h_alone],
        "likely The shape is []; it should be [2]": [edited(watched, "seen[0]", "h[0]")],
    },
)

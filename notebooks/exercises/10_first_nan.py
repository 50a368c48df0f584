"""Exercise `first_nan`: where a nan begins, found with hooks alone."""

import contextlib
import operator
import warnings
from types import CodeType

import numpy as np

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import (
    Case,
    Exercise,
    Mistake,
    cases,
    compare,
    draw_wrong_node,
    edited,
    flip,
    has_graph,
    instead,
    nodes_of,
    observer,
    pick,
    raised,
    right_but,
    saw,
    show,
)

from .chapter04 import hooks_on, leaves

NAN = float("nan")


def first_nan(tensors, loss):
    """The name of the tensor at which backward() first meets a nan; "" if it meets none."""
    found, handles = [], []
    for name, tensor in tensors.items():

        def look(g, name=name):
            if g.isnan().any():
                found.append(name)

        handles.append(tensor.register_hook(look))
    loss.backward()
    for handle in handles:
        handle.remove()
    return found[0] if found else ""


def _guarded_root(h):
    return mg.where(h > 0, h.sqrt(), mg.zeros_like(h))


def _powers():
    x = mg.tensor([4.0, 0.0, -1.0], requires_grad=True)
    root = x.sqrt()
    chosen = mg.where(x > 0, root, mg.zeros(3))
    return {"x": x, "root": root, "chosen": chosen}, chosen.sum()


def _powers_of_a_weight():
    w = mg.tensor(2.0, requires_grad=True)
    half = w * 0.5
    x = half * mg.tensor([4.0, 0.0, -1.0])
    root = x.sqrt()
    chosen = mg.where(x > 0, root, mg.zeros(3))
    return {"half": half, "chosen": chosen, "x": x, "root": root, "w": w}, chosen.sum() ** 2


def _no_nan():
    x = mg.tensor([[4.0, 1.0]], requires_grad=True)
    root = x.sqrt()
    return {"x": x, "root": root}, root.sum()


@cases("x = {values}, loss = root[0] - root[1]: infinite, and no nan")
def _infinite(values):
    x = mg.tensor(values, requires_grad=True)
    root = x.sqrt()
    return {"x": x, "root": root}, root[0] - root[1]


def _nobody_asks():
    x = mg.tensor([4.0, 1.0], requires_grad=True)
    return {}, x.sqrt().sum()


def _nan_in_values_only():
    x = mg.tensor([-1.0, 2.0], requires_grad=True)
    log = x.log()
    return {"x": x, "log": log}, log.sum()


def _nan_beside_inf():
    x = mg.tensor([-1.0, 0.0], requires_grad=True)
    root = x.sqrt()
    return {"root": root, "x": x}, root.sum()


def _zeros_before_it():
    x = mg.tensor([4.0, -1.0], requires_grad=True)
    root = x.sqrt()
    chosen = mg.where(x > 9, root, mg.zeros(2))
    return {"x": x, "root": root, "chosen": chosen}, chosen.sum()


def _nan_in_data():
    w = mg.tensor(2.0, requires_grad=True)
    h = w * 3.0
    y = h * mg.tensor([1.0, NAN])
    return {"h": h, "y": y}, y.sum()


def _nan_in_a_grad_from_before():
    tensors, loss = _no_nan()
    tensors["x"].grad = mg.tensor([[NAN, 1.0]])
    return tensors, loss


def _hook_of_its_own():
    tensors, loss = _no_nan()
    tensors["root"].register_hook(lambda gradient: gradient * 2)
    return tensors, loss


def _two_ways():
    x = mg.tensor([[1.0, 1.0], [0.0, 3.0]], requires_grad=True)
    low = x - 1
    length = (low * low).sum(-1).sqrt()
    late = x.tanh()
    return {"late": late, "x": x, "length": length, "low": low}, late.sum() + _guarded_root(length).sum()


def _second_of_two():
    first, second = (mg.tensor([4.0, 0.0], requires_grad=True) * 2).unbind()
    return {"first": first, "second": second}, first * 3 + _guarded_root(second)


def _second_of_two_named_first():
    tensors, loss = _second_of_two()
    return dict(reversed(tensors.items())), loss


def _leaf_before_a_result():
    x = mg.tensor([0.0, 4.0], requires_grad=True)
    h = x * 2
    w = mg.tensor([1.0, 1.0], requires_grad=True)
    return {"h": h, "w": w}, _guarded_root(h).sum() + (w * mg.tensor([NAN, 1.0])).sum()


def _drawn(random):
    """A row of operations, one of which makes a nan or none does, under shuffled names; some have none."""
    count = int(random.integers(2, 5))
    place = int(random.integers(-1, count))
    values = (random.integers(1, 9, pick(random, [(2, 2), (3,)])) / 4).tolist()
    letters = random.permutation(list("pqrstuvw"))[: count + 1].tolist()
    shown = [bool(keep) for keep in random.random(count + 1) < 0.8]
    order = random.permutation(count + 1).tolist()
    earlier = flip(random)

    def make():
        made = [mg.tensor(values, requires_grad=True)]
        for step in range(count):
            h = made[-1]
            made.append(_guarded_root(h - h.detach().min()) if step == place else h * 1.5 + 0.25)
        if earlier:
            made[0].grad = mg.ones_like(made[0])
        names = {letters[number]: made[number] for number in order if shown[number]}
        return names, made[-1].sum() + (made[0] * 3).sum()

    steps = ["h * 1.5 + 0.25"] * count
    if place >= 0:
        steps[place] = "root of h - its least, where that is above 0"
    named = ", ".join(f"{letter}: result {number}" for number, letter in enumerate(letters) if shown[number])
    yield Case(f"from {values}, by turns {'; '.join(steps)}. Names: {named}", make)


NAME, WALKS, KEPT, HOOKS = "the answer", "how often the graph was walked", ".grad of a result", "the hooks"


@observer
def _searching(answer, tensors, loss):
    """The name, how often the answer walked, what it left, and what still hangs on the graph afterwards."""
    behind, nodes, walks = leaves(loss), nodes_of(loss), []
    results = [one for one in tensors.values() if not one.is_leaf]
    with loss.grad_fn.register_hook(lambda inputs, outputs: walks.append(1)):
        before = hooks_on(nodes)
        name = answer(tensors, loss)
        more = hooks_on(nodes) - before
    is_kept = any(one.retains_grad or one._grad is not None for one in results)
    return {
        NAME: repr(str(name)) if isinstance(name, str) else name,
        WALKS: len(walks),
        **{f"the gradient of leaf {number}": leaf._grad for number, leaf in enumerate(behind, 1)},
        "the gradients": "results with a graph" if has_graph([leaf._grad for leaf in behind]) else "numbers alone",
        KEPT: "is kept" if is_kept else "None, as before",
        "the graph of the loss": "is freed" if any(node.freed for node in nodes) else "is kept",
        HOOKS: f"{more} left" if more > 0 else f"{-more} of before gone" if more < 0 else "as before",
    }


def _met(outcome):
    """What a hook on each tensor sees, in the order of the walk."""
    tensors, loss = outcome.case.make()
    seen = []
    for name, tensor in tensors.items():
        tensor.register_hook(lambda g, name=name: seen.append(f"  {name} gets {show(g)}"))
    loss.backward()
    return "\n".join(seen)


def _draw(outcome, difference):
    """The walk, and in red the tensor that is asked for."""
    tensors, loss = outcome.case.make()
    wanted = first_nan(*outcome.case.make())
    if difference.where != NAME or not wanted:
        return ""
    return draw_wrong_node(loss, tensors, tensors[wanted], "✗ this one")


def _is_name_of_the_loop(outcome):
    """Whether a hook inside the answer uses the variable of the loop, and only one name was ever noted."""
    constants = getattr(getattr(outcome.answer, "__code__", None), "co_consts", ())
    inner = [one for one in constants if isinstance(one, CodeType)]
    last = next(reversed(outcome.case.make()[0]), "")
    return outcome.seen.get(NAME) == repr(last) and any({"name", "key", "n"} & {*code.co_freevars} for code in inner)


def _has_twins(outcome):
    """Whether the tensor that is asked for is one of several results of a node, and another name came."""
    tensors, _ = outcome.case.make()
    wanted = tensors.get(str(outcome.right[NAME]).strip("'"))
    if wanted is None or wanted.grad_fn is None or not saw(NAME, operator.ne)(outcome):
        return False
    return any(one is not wanted and one.grad_fn is wanted.grad_fn for one in tensors.values())


def _lost_earlier(outcome):
    """Whether a leaf that had a gradient has the new one alone."""
    seen, right = outcome.seen, outcome.right
    tensors, loss = outcome.case.make()
    for number, leaf in enumerate(leaves(loss), 1):
        name, earlier = f"the gradient of leaf {number}", leaf._grad
        if earlier is not None and isinstance(seen.get(name), mg.Tensor):
            with_it = seen[name] + earlier
            if compare(right[name], with_it) is None and compare(right[name], seen[name]) is not None:
                return True
    return False


def _twice(outcome):
    """Whether a leaf got more than once what it was to get."""
    doubled = (instead(lambda right: 2 * right, name) for name in outcome.right if name.startswith("the gradient of"))
    return saw(WALKS, operator.gt)(outcome) and any(is_doubled(outcome) for is_doubled in doubled)


# ---------------------------------------------------------------- wrong answers


def _prehook(tensor, look):
    """A hook before the node that made a result, or on a leaf."""
    if tensor.grad_fn is None:
        return tensor.register_hook(look)
    return tensor.grad_fn.register_prehook(lambda gradients: None if gradients[0] is None else look(gradients[0]))


def kept_gradients(tensors, loss):
    """A result keeps its gradient now, as after retain_grad(), which stays. A hook sees a gradient, and keeps none."""
    for tensor in tensors.values():
        tensor.retain_grad()
    return first_nan(tensors, loss)


def looked_at_the_numbers(tensors, loss):
    """This looked for nan in the numbers of the forward pass. A gradient can be nan where no number is, and the other
    way round. Hang a hook on each tensor.
    """
    loss.backward()
    return next((name for name, tensor in tensors.items() if tensor.isnan().any()), "")


def in_anomaly_mode(*given):
    """Anomaly mode ends the walk with an error, and leaves behind it get nothing. Here hooks are asked for, and a walk
    that goes on to its end.
    """
    with warnings.catch_warnings(), mg.autograd.set_detect_anomaly(True):
        warnings.simplefilter("ignore")
        return first_nan(*given)


def name_of_the_node(tensors, loss):
    """This is the name of a node, as grad_fn has it, or the error with which anomaly mode ends the walk. Asked for is
    the name of a tensor in the dictionary, and a walk that goes on to its end: hang a hook on each tensor.
    """
    try:
        with warnings.catch_warnings(), mg.autograd.set_detect_anomaly(True):
            warnings.simplefilter("ignore")
            loss.backward()
    except RuntimeError as error:
        return str(error).split("'")[1]
    return ""


def none_where_there_is_none(tensors, loss):
    """None came back where no nan was met. Asked for is the empty text, ""."""
    return first_nan(tensors, loss) or None


def only_leaves(tensors, loss):
    """Only leaves were looked at. A nan mostly begins at a result, which has no .grad, but can have a hook."""
    return first_nan({name: one for name, one in tensors.items() if one.is_leaf}, loss)


def new_grads(tensors, loss):
    loss.backward()
    grads = {name: one.grad for name, one in tensors.items() if one.is_leaf}
    return next((name for name, one in grads.items() if one.isnan().any()), "")


def only_results(tensors, loss):
    """The leaves were left out. A nan can begin at a leaf, and leaves have hooks, too."""
    return first_nan({name: one for name, one in tensors.items() if not one.is_leaf}, loss)


def results_by_hooks_and_leaves_by_grad(tensors, loss):
    """The leaves were looked at when the walk was over, behind all results. A leaf may meet its nan before a result
    does: it can have a hook, too, which says when.
    """
    found, handles = [], []
    for name, tensor in tensors.items():
        if not tensor.is_leaf:
            note = lambda g, name=name: found.append(name) if g.isnan().any() else None  # noqa: E731
            handles.append(tensor.register_hook(note))
    earlier = {name: tensor.grad for name, tensor in tensors.items() if tensor.is_leaf}
    for name in earlier:
        tensors[name].grad = None
    loss.backward()
    for name, before in earlier.items():
        new = tensors[name].grad
        if new is not None and new.isnan().any():
            found.append(name)
        if before is not None:
            tensors[name].grad = before if new is None else before + new
    for handle in handles:
        handle.remove()
    return found[0] if found else ""


# ---------------------------------------------------------------- tried as well


def nan_from_retained_gradients(tensors, loss):
    for tensor in tensors.values():
        tensor.retain_grad()
    loss.backward()
    bad = [name for name, tensor in tensors.items() if tensor.grad is not None and tensor.grad.isnan().any()]
    return bad[-1] if bad else ""


def nan_and_all_hooks_gone(tensors, loss):
    name = first_nan(tensors, loss)
    for tensor in tensors.values():
        tensor._backward_hooks and tensor._backward_hooks.clear()
    return name


def nan_by_hooks_on_nodes(tensors, loss):
    """Right for nodes of one result."""
    found, handles = [], []
    for name, one in tensors.items():

        def look(gradients, name=name):
            if gradients[0] is not None and gradients[0].isnan().any():
                found.append(name)

        if one.grad_fn is None:
            handles.append(one.register_hook(lambda g, look=look: look([g])))
        else:
            handles.append(one.grad_fn.register_prehook(look))
    loss.backward()
    for handle in handles:
        handle.remove()
    return found[0] if found else ""


nan_by_hooks_on_all_results = edited(
    nan_by_hooks_on_nodes,
    "gradients[0] is not None and gradients[0].isnan().any()",
    "any(g is not None and g.isnan().any() for g in gradients)",
)


def nan_by_asking(tensors, loss):
    """The graph was walked more than once, as autograd.grad does each time that it is asked. One loss.backward() passes
    all hooks, and brings the leaves their gradients.
    """
    for name, tensor in reversed(tensors.items()):
        (gradient,) = grad(loss, tensor, retain_graph=True, allow_unused=True)
        if gradient is not None and gradient.isnan().any():
            loss.backward()
            return name
    loss.backward()
    return ""


def nan_without_a_walk(tensors, loss):
    """As if .grad were there already."""
    grads = {name: tensor.grad for name, tensor in tensors.items() if tensor.is_leaf}
    return next((name for name, g in grads.items() if g is not None and g.isnan().any()), "")


def nan_that_stops_the_walk(tensors, loss):
    class MetError(Exception):
        pass

    def look(g, name):
        if g.isnan().any():
            raise MetError(name)

    handles = [tensor.register_hook(lambda g, name=name: look(g, name)) for name, tensor in tensors.items()]
    try:
        loss.backward()
    except MetError as met:
        return met.args[0]
    finally:
        for handle in handles:
            handle.remove()
    return ""


def nan_by_the_name_alone(tensors, loss):
    loss.backward()
    return "x" if "x" in tensors else ""


def nan_with_numpy(tensors, loss):
    first = []

    def hook_of(name):
        def hook(g):
            if not first and np.isnan(g.detach().numpy()).any():
                first.append(name)

        return hook

    handles = [tensor.register_hook(hook_of(name)) for name, tensor in tensors.items()]
    try:
        loss.backward()
    finally:
        for handle in handles:
            handle.remove()
    return first[0] if first else ""


def nan_unequal_to_itself(tensors, loss):
    order: dict[str, bool] = {}
    handles = []
    for name in tensors:
        handles.append(tensors[name].register_hook(lambda g, n=name: order.update({n: bool((g != g).any())})))
    loss.backward()
    [handle.remove() for handle in handles]
    return next((name for name, bad in order.items() if bad), "")


def nan_within_contexts(tensors, loss):
    names: list[str] = []
    with contextlib.ExitStack() as stack:
        for name, tensor in tensors.items():
            note = lambda g, name=name: names.append(name) if mg.isnan(g).sum().item() else None  # noqa: E731
            stack.enter_context(tensor.register_hook(note))
        loss.backward()
    return "".join(names[:1])


def nan_without_backward(tensors, loss):
    found = mg.autograd.grad(loss, list(tensors.values()), allow_unused=True)
    names = [name for name, g in zip(tensors, found, strict=True) if g is not None and g.isnan().any()]
    return next(iter(names), "")


def nan_by_anomaly_mode(tensors, loss):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with mg.autograd.detect_anomaly():
                loss.backward()
    except RuntimeError as error:
        return str(error).split("'")[1].removesuffix("0")
    return ""


EXERCISE = Exercise(
    title='the name of the tensor at which loss.backward() first meets a nan, or ""; no hook is left',
    stars=3,
    minutes=12,
    reference=first_nan,
    cases=(
        Case("x, root, chosen and loss as above", _powers),
        Case("the same, where half = w * 0.5, x = half * [4, 0, -1] and loss = chosen.sum() ** 2", _powers_of_a_weight),
        Case("x = [[4, 1]], loss = root.sum(): no nan", _no_nan),
        _infinite([0.0, 1.0]),
        _infinite([0.0, 0.0]),
        Case("x = [-1, 2], log = x.log(), loss = log.sum()", _nan_in_values_only),
        Case("x = [-1, 0], root = x.sqrt(), loss = root.sum(): nan, and infinite", _nan_beside_inf),
        Case("x = [4, -1], root = x.sqrt(), loss = the sum of root where x > 9: root gets zeros", _zeros_before_it),
        Case("h = w * 3, y = h * [1, nan], loss = y.sum(), and w is not in tensors", _nan_in_data),
        Case("no nan; x.grad holds one from before", _nan_in_a_grad_from_before),
        Case("tensors is empty, loss = the sum of the root of [4, 1]", _nobody_asks),
        Case("no nan; root has a hook already, which doubles", _hook_of_its_own),
        Case("two ways from x, one past the length of a row of zeros", _two_ways),
        Case("first, second = (x * 2).unbind(), with the root of second, which is 0", _second_of_two),
        Case("the same, with second before first in tensors", _second_of_two_named_first),
        Case(
            "loss = the root of h = x * 2, of 0 too, plus (w * [nan, 1]).sum(), which is walked first",
            _leaf_before_a_result,
        ),
    ),
    drawn=_drawn,
    hints=(
        "A hook on a tensor sees its gradient in the moment when it is complete. What must it note, and where?",
        "found = [], and for each tensor a hook that appends its name if g.isnan().any(). The first that is noted is "
        "the first of the walk.",
        "Give each hook its own name: def look(g, name=name). Keep the handles, run loss.backward(), remove them all, "
        'and return found[0] if found else "".',
    ),
    plug=_searching,
    notes={NAME: "", "*": "The name is right; something else is not as it should be afterwards."},
    evidence=_met,
    picture=_draw,
    mistakes=(
        Mistake(
            edited(first_nan, "    loss.backward()\n", ""),
            words="loss.backward() has not run, so that no gradient of the loss has come to a hook or a leaf.",
            when=saw(WALKS, lambda mine, right: mine == 0),
        ),
        Mistake(in_anomaly_mode, when=raised("returned nan values")),
        Mistake(name_of_the_node, when=saw(NAME, lambda mine, right: isinstance(mine, str) and "Backward" in mine)),
        Mistake(
            edited(first_nan, ' if found else ""', ""),
            words='There is no first item: in this case no nan is met, and the empty text, "", is asked for.',
            when=lambda outcome: raised("list", kind=IndexError)(outcome) and outcome.right[NAME] == "''",
        ),
        Mistake(none_where_there_is_none, when=saw(NAME, lambda mine, right: mine is None and right == "''")),
        Mistake(
            edited(first_nan, 'found[0] if found else ""', "found"),
            words="This is a list, or a tuple. One name is asked for: that of the first tensor that met a nan.",
            when=saw(NAME, lambda mine, right: isinstance(mine, list | tuple)),
        ),
        Mistake(
            edited(first_nan, "(g, name=name)", "(g)"),
            words="All hooks look at the same variable, that of the loop, and when they run it holds the last name. "
            "Give each hook its own: `def look(g, name=name)`.",
            when=_is_name_of_the_loop,
        ),
        Mistake(only_leaves, new_grads),
        only_results,
        Mistake(
            edited(first_nan, "[0]", "[-1]"),
            words="This is the last tensor that met a nan. Every one behind the first meets it too: keep the first.",
        ),
        Mistake(
            edited(first_nan, 'found[0] if found else ""', 'next((one for one in tensors if one in found), "")'),
            edited(
                first_nan, 'found[0] if found else ""', 'next((one for one in [*tensors][::-1] if one in found), "")'
            ),
            words="The tensors were looked through when the walk was over, in the order of the dictionary. The order "
            "of the walk is known while it walks: let each hook note its name.",
        ),
        looked_at_the_numbers,
        Mistake(
            edited(first_nan, "g.isnan()", "(g == NAN)"),
            words='The answer is "" each time, as if no nan was noted. `== float("nan")` is never True, since nan is '
            "not equal to anything: ask with g.isnan(). And hooks hang on these tensors while backward() runs.",
        ),
        Mistake(
            edited(first_nan, "g.isnan().any()", "not g.isfinite().all()"),
            words="An infinite gradient was taken for a nan. It often comes before one; here only nan is asked for: "
            "isnan().",
        ),
        Mistake(edited(first_nan, "any()", "all()"), words="One element that is nan is enough: any(), and not all()."),
        Mistake(
            edited(first_nan, "isnan().any()", "sum().isnan()"),
            words="The sum of a gradient can be nan where no element is: inf - inf. Ask for the elements: "
            "g.isnan().any().",
        ),
        Mistake(
            edited(first_nan, "loss.backward()", "loss.backward(retain_graph=True)\n    loss.backward()"),
            words="backward() has run twice, and the leaves have got twice their gradient. Once is enough for all "
            "hooks.",
            when=_twice,
        ),
        Mistake(nan_by_asking, when=saw(WALKS, operator.gt)),
        Mistake(
            edited(
                first_nan,
                "append(name)",
                "append(name)\n                raise KeyError",
                "    loss.backward",
                "    with contextlib.suppress(KeyError):\n        loss.backward",
            ),
            words="A leaf holds nothing afterwards. An error that is raised in a hook ends backward(): note the "
            "name, and let the walk go on to its end. autograd.grad writes no .grad; and what the walk has brought is "
            "not to be cleared.",
            when=right_but("the gradient of *", lambda mine, right: mine is None),
        ),
        results_by_hooks_and_leaves_by_grad,
        Mistake(
            edited(first_nan, "tensor.register_hook(look)", "_prehook(tensor, look)"),
            words="A node of several results is one for all of them: its pre-hook gets a gradient for each. A hook on "
            "the tensor sees its own: tensor.register_hook.",
            when=_has_twins,
        ),
        Mistake(
            edited(first_nan, "loss.backward()", "loss.backward(retain_graph=True)"),
            words="The graph is still there, with all that it saved, as retain_graph=True keeps it. One walk needs no "
            "second: loss.backward().",
            when=right_but("the graph of the loss"),
        ),
        Mistake(
            edited(
                first_nan,
                "    loss.backward()",
                "    for one in tensors.values():\n        one.grad = None\n    loss.backward()",
            ),
            words="What was in a leaf's .grad before is gone. backward() adds to it: leave it there.",
            when=_lost_earlier,
        ),
        Mistake(kept_gradients, when=saw(KEPT, operator.ne)),
        Mistake(
            edited(first_nan, "handle.remove()", "pass"),
            words="The name is right, but a hook of yours is still there and will run in every walk to come. Keep the "
            "handles, and call remove() on each.",
            when=right_but(HOOKS, lambda mine, right: "left" in mine),
        ),
        Mistake(
            edited(first_nan, "append(name)", "append(name)\n            return g.masked_fill(g.isnan(), 0.0)"),
            words="A leaf has got another gradient than loss.backward() brings. What a hook returns is sent on in the "
            "place of what came: one that only looks returns nothing. And .grad stays as the walk leaves it.",
            when=right_but("the gradient of *", lambda mine, right: isinstance(mine, mg.Tensor)),
        ),
    ),
    right=(nan_with_numpy, nan_unequal_to_itself, nan_within_contexts),
    wrong={
        "tensors is empty … loss.backward() has not run": [
            edited(first_nan, "found, handles", 'if not tensors:\n        return ""\n    found, handles')
        ],
        "the hooks: yours 3 left … a hook of yours is still there": [edited(first_nan, "handle.remove()", "pass")],
        "the hooks: yours 1 of before gone": [nan_and_all_hooks_gone],
        "A result keeps its gradient now": [nan_from_retained_gradients],
        "the graph of the loss: yours is kept … as retain_graph=True keeps it": [
            edited(first_nan, "backward()", "backward(retain_graph=True)")
        ],
        "the answer: yours '', expected 'second' … is one for all of them": [nan_by_hooks_on_nodes],
        "the answer: yours 'first', expected 'second' … is one for all of them": [
            nan_by_hooks_on_all_results,
            edited(nan_by_hooks_on_all_results, "in tensors.items()", "in reversed(tensors.items())"),
        ],
        "Only leaves were looked at": [
            edited(looked_at_the_numbers, "tensor in", "one in", "tensor.isnan", "one.is_leaf and one.grad.isnan")
        ],
        "The leaves were left out": [
            edited(first_nan, "items():", "items():\n        if tensor.is_leaf:\n            continue")
        ],
        "hooks hang on these tensors while backward() runs": [
            edited(first_nan, "register_hook(look))", "register_hook(look))\n        handles.pop().remove()")
        ],
        "loss.backward() has not run": [nan_without_a_walk],
        "None came back. Either a way": [edited(first_nan, "return found", "found")],
        "A text is asked for; this is a Tensor": [edited(first_nan, "append(name)", "append(loss)")],
        "Its text says what was wrong": [edited(first_nan, "found[0] if", "found[1] if")],
        "This is a list, or a tuple": [edited(first_nan, "return found[0]", "return handles")],
        "the answer: yours '', expected 'x'": [edited(first_nan, "g.isnan().any()", "g.view(-1)[0].isnan()")],
        "x = [4, -1], root": [edited(first_nan, "any():", "any() or (g == 0).all():")],
        "x = [-1, 0], root": [edited(first_nan, "any():", "any() and not g.isinf().any():")],
        "The name is right, but a hook of yours is still there": [edited(first_nan, "in handles", "in handles[-1:]")],
        "An error that is raised in a hook ends backward()": [nan_that_stops_the_walk],
        "autograd.grad writes no .grad": [nan_without_backward],
        "This is the name of a node": [nan_by_anomaly_mode],
        "the answer: yours 'x', expected ''": [nan_by_the_name_alone],
    },
)

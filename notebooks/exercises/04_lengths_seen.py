"""Exercise `lengths_seen`: a hook on a result, which each step of a training computes anew."""

import minigrad as mg
from minigrad.autograd import grad
from minigrad.teach import Exercise, Mistake, Noted, cases, compare, edited, has_graph, observer, saw
from minigrad.teach.draws import draw_numbers, formula, pick


def lengths_seen(model, w, rate, steps):
    """Train w; the length of the gradient of the result in each step, as a float."""
    lengths = []
    for _ in range(steps):
        h, loss = model(w)
        h.register_hook(lambda g: lengths.append(g.norm().item()))
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
    return lengths


def _model(result, loss):
    """A function of w which returns the result and the loss that these words compute."""

    def model(w):
        h = formula(result, "w")(w)
        return h, formula(loss, "h, w")(h, w)

    return Noted(f"w: h = {result}, loss = {loss}", model)


@cases(
    "h = {result}, loss = {loss}, w = {numbers}, rate = {rate}, steps = {steps}",
    earlier=", and w.grad is full of {earlier} from an earlier walk",
)
def _case(result, loss, numbers, rate, steps, earlier=None):
    w = mg.tensor(numbers, requires_grad=True)
    w.grad = None if earlier is None else mg.full_like(w.detach(), earlier)
    return _model(result, loss), w, rate, steps


def _drawn(random):
    """Results of any shape, also such as are used twice or beside w; as few steps as none."""
    numbers = draw_numbers(random, pick(random, [(1,), (3,), (2, 2)]), unit=0.25, zero=False)
    goal, factor = (draw_numbers(random, unit=0.25, zero=False) for _ in range(2))
    loss = pick(random, ["(h * h).sum()", f"((h - {goal}) ** 2).sum() + h.sin().sum()", "(h * w).sum() ** 2"])
    for steps in (0, int(random.integers(1, 6))):
        yield _case(f"{factor} * w.tanh()", loss, numbers, 0.0625, steps, pick(random, [None, 2.0]))


@observer
def _trained(answer, model, w, rate, steps):
    """What an answer returns, where w is then, and how often the model was computed."""
    lengths = answer(model, w, rate, steps)
    seen = {"the lengths": lengths, "w afterwards": w.detach().clone(), "what each length is": _kind_of(lengths)}
    return {**seen, "how often the model was computed": len(model.calls)}


def _kind_of(lengths):
    if has_graph(lengths):
        return "a tensor with a graph"
    kinds = {type(length).__name__ for length in lengths} if isinstance(lengths, list | tuple) else set()
    return "a tensor" if kinds & {"Tensor"} else "a float"


def _asked_the_model_once(outcome):
    """Whether there are as many lengths as are asked for, of one call of the model."""
    lengths, calls, right = outcome.seen.get("the lengths"), "how often the model was computed", outcome.right
    as_many = isinstance(lengths, list) and len(lengths) == len(right["the lengths"])
    return as_many and outcome.seen[calls] == 1 < right[calls]


def _asked_the_model_twice(outcome):
    """Whether there are no lengths, of two calls of the model in each step."""
    calls = "how often the model was computed"
    return outcome.seen.get("the lengths") == [] and outcome.seen[calls] == 2 * outcome.right[calls]


def _is_the_last(mine, right):
    return compare(right[-1:], mine) is None and compare(right[:1], mine) is not None


# ---------------------------------------------------------------- wrong answers


HOOK = "h.register_hook(lambda g: lengths.append(g.norm().item()))"


def registered_once(model, w, rate, steps):
    """The hook hangs on the h from before the loop. Each step computes another one, and walks through that: register
    in each step, on the new h.
    """
    lengths = []
    h, loss = model(w)
    h.register_hook(lambda g: lengths.append(g.norm().item()))
    for _ in range(steps):
        h, loss = model(w)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
    return lengths


# ---------------------------------------------------------------- tried as well


def lengths_by_grad(model, w, rate, steps):
    lengths = []
    for _ in range(steps):
        h, loss = model(w)
        arrived, slope = grad(loss, [h, w])
        lengths.append((arrived**2).sum().sqrt().item())
        w.data.sub_(rate * slope)
    return lengths


def walked_the_first(model, w, rate, steps):
    """The model was called only once, so all steps have the same h and loss. Call it in each: w moves meanwhile."""
    lengths = []
    h, loss = model(w)
    h.register_hook(lambda g: lengths.append(g.norm().item()))
    for _ in range(steps):
        w.grad = None
        loss.backward(retain_graph=True)
        w.data = w.data - rate * w.grad
    return lengths


EXERCISE = Exercise(
    title="a list of floats, the length of the gradient of h in each step; w itself is trained",
    stars=1,
    minutes=5,
    reference=lengths_seen,
    cases=(
        _case(
            "w * tensor([3., 1.])", "(h.sum() - 4) ** 2 + (h @ tensor([-3., 4.]) + 6) ** 2", [1.0, 2.0], 0.0078125, 3
        ),
        _case("2 * w", "(h * h).sum()", [[1.0, -0.5], [0.25, 2.0]], 0.375, 4),  # the gradient grows
        _case("0 * w", "(h * h).sum()", [1.0, -0.5], 0.0625, 3),  # and here it is 0
        _case("w.tanh()", "((h - 0.5) ** 2).sum()", [1.0, -1.0], 0.25, 3, earlier=3.0),
        _case("w.sin()", "(h * h).sum()", [1.0, -1.0], 0.0078125, 60),
    ),
    drawn=_drawn,
    hints=(
        "A hook belongs to a tensor. How many tensors have had the name h when the loop ends?",
        "Each step computes a new h, and needs a hook on it before its walk.",
        "Move h.register_hook(...) into the loop, behind h, loss = model(w), and take the call before the loop away.",
    ),
    plug=_trained,
    notes={
        "what each length is": "The numbers are right, but a float is asked for: g.norm().item().",
        "how often the model was computed": "The numbers are right, but with more work than was asked for: one "
        "model(w) in each step.",
    },
    writes=True,
    mistakes=(
        registered_once,
        Mistake(
            edited(lengths_seen, HOOK + "\n        ", "", "loss.backward()", "loss.backward()\n        " + HOOK),
            words="w is right and the list is empty: no hook has put anything into it, as where it is registered "
            "after the walk. Register it before backward(), on the h that is walked.",
        ),
        Mistake(
            edited(
                lengths_seen,
                HOOK + "\n        ",
                "",
                "rate * w.grad",
                "rate * w.grad\n        lengths.append(w.grad.norm().item())",
            ),
            edited(
                lengths_seen,
                "lengths = []",
                "lengths, handle = [], w.register_hook(lambda g: lengths.append(g.norm().item()))",
                HOOK + "\n        ",
                "",
                "return lengths",
                "handle.remove()\n    return lengths",
            ),
            edited(lengths_seen, "h.register_hook", "w.register_hook"),
            words="This is the gradient of w. The one of h is asked for, which comes by one node earlier.",
            near="the lengths",
        ),
        Mistake(
            walked_the_first,
            edited(
                walked_the_first,
                *("w.data = w.data - rate * w.grad", "with mg.no_grad():\n            w -= rate * w.grad"),
            ),
            when=_asked_the_model_once,
        ),
        Mistake(
            edited(lengths_seen, HOOK, HOOK + "\n        h, loss = model(w)"),
            words="The hook hangs on the h of another call of model than the one that is walked: each call makes a new "
            "one. Call it once in each step, and register on what it returns.",
            when=_asked_the_model_twice,
        ),
        Mistake(
            edited(lengths_seen, "g.norm().item()", "h.norm().item()"),
            words="This is the length of h itself. Asked for is that of its gradient, which the hook gets.",
            near="the lengths",
        ),
        Mistake(
            edited(lengths_seen, "g.norm().item()", "loss.item()"),
            words="These are the losses. Asked for is the length of the gradient of h, which the hook gets.",
            near="the lengths",
        ),
        Mistake(
            edited(lengths_seen, "g.norm()", "(g * g).sum()"),
            words="This is the square of the length. The length is g.norm(), the root of the sum of the squares.",
            near="the lengths",
        ),
        Mistake(
            edited(lengths_seen, "return lengths", "return lengths[-1:]"),
            words="Only the last length is there. The list is to have one for each step.",
            when=saw("the lengths", _is_the_last),
        ),
        Mistake(
            edited(lengths_seen, "w.grad = None\n        ", ""),
            edited(lengths_seen, "w.grad = None\n        ", "", "lengths = []", "lengths, w.grad = [], None"),
            words="The gradients of all steps pile up in w.grad. Clear it before each walk, as the given lines do.",
        ),
        Mistake(
            edited(
                lengths_seen, "w.grad = None\n        ", "", "rate * w.grad", "rate * w.grad\n        w.grad = None"
            ),
            words="The first step went by more than its own gradient: w came with one of an earlier walk, and was "
            "cleared only after the step. Clear it before the walk, as the given lines do.",
        ),
        Mistake(
            edited(
                lengths_seen,
                *(
                    "with mg.no_grad():\n            w -= rate * w.grad",
                    "w = (w - rate * w.grad).detach().requires_grad_()",
                ),
            ),
            words="Another tensor was trained than the caller's w, as where w = ... gives it the name. Change w in "
            "place, w -= ..., as the given lines do.",
        ),
        Mistake(
            edited(lengths_seen, "g.norm().item())", "g.norm().item()) or 0 * g"),
            words="The hook returns a tensor, so that goes on in place of the gradient, and w learns from it. A hook "
            "that only looks returns None.",
        ),
        Mistake(
            edited(lengths_seen, "g.norm()", "g.abs().sum()"),
            words="This is the sum of the absolute values. The length is g.norm(), the root of the sum of the squares.",
            near="the lengths",
        ),
        Mistake(
            edited(lengths_seen, "w -=", "w +="),
            words="w goes uphill. Subtract rate * w.grad.",
        ),
        Mistake(
            edited(lengths_seen, "return lengths", "return lengths[-1] if lengths else 0.0"),
            words="This is one number. A list is asked for, with the length of each step.",
            when=saw("the lengths", lambda mine, right: isinstance(mine, float)),
        ),
    ),
    right=(
        lengths_by_grad,
        edited(
            lengths_seen,
            HOOK,
            "h.retain_grad()",
            "loss.backward()",
            "loss.backward()\n        lengths.append(float(h.grad.norm()))",
        ),
        edited(lengths_seen, "w -= rate * w.grad", "w.sub_(w.grad, alpha=rate)"),
    ),
    wrong={
        "The hook hangs on the h from before the loop": [
            edited(registered_once, "h, loss = model(w)\n    h.", "h, _ = model(w)\n    h."),
        ],
        "a list is asked for": [edited(lengths_seen, "return lengths", "return tuple(lengths)")],
        "The number is right, but this is a Tensor": [edited(lengths_seen, "g.norm().item()", "g.norm()")],
        "more work than was asked for": [
            edited(lengths_seen, "h, loss = model(w)", "model(w)\n        h, loss = model(w)")
        ],
        "This is the sum of the absolute values": [edited(lengths_seen, "g.norm()", "abs(g).sum()")],
        "3 values are asked for; these are 0. As it should be: what each length is": [
            edited(lengths_seen, "h, loss", "break\n        h, loss")
        ],
        "no hook has put anything into it": [edited(lengths_seen, HOOK, "pass")],
        "Another tensor was trained": [
            edited(lengths_seen, "lengths = []", "lengths, w = [], w.detach().clone().requires_grad_()")
        ],
        "This is one number": [edited(lengths_seen, "return lengths", "return sum(lengths)")],
        "h = 0 * w": [edited(lengths_seen, "with mg", "if lengths[-1] == 0:\n            break\n        with mg")],
        "": [
            edited(lengths_seen, "range(steps)", "range(min(steps, 40))"),
            edited(lengths_seen, "g.norm()", "g.flatten()[:2].norm()"),
        ],
    },
)

"""Exercise `masked_step`: a part of a weight that stays, whatever the optimizer does."""

import minigrad as mg
from minigrad.teach import Exercise, Mistake, cases, compare, edited, observer, raised, right_but, saw
from minigrad.teach.draws import draw_numbers, formula, pick, pick_some


def masked_step(w, mask, loss, optimizer):
    """One walk and one step, after which w has changed only where mask is True."""
    before = w.detach().clone()
    loss.backward()
    optimizer.step()
    with mg.no_grad():
        w.copy_(mg.where(mask, w, before))


OPTIMIZERS = {
    "SGD": lambda tensors: mg.optim.SGD(tensors, lr=0.1),
    "SGD with weight_decay=0.5": lambda tensors: mg.optim.SGD(tensors, lr=0.1, weight_decay=0.5),
    "SGD with momentum=0.9, after a step": lambda tensors: mg.optim.SGD(tensors, lr=0.1, momentum=0.9),
    "AdamW": lambda tensors: mg.optim.AdamW(tensors, lr=0.1),
    "Adam, after a step": lambda tensors: mg.optim.Adam(tensors, lr=0.1),
}


@cases(
    "w = {numbers}, mask = {mask}, optimizer = {optimizer}, of w and v; loss = (v * {of_w}).sum()",
    earlier=", and both have a .grad that is full of {earlier}",
)
def _case(numbers, mask, optimizer, of_w="w ** 2", earlier=None):
    w, v = mg.tensor(numbers, requires_grad=True), mg.tensor(1.5, requires_grad=True)
    made = OPTIMIZERS[optimizer]([w, v])
    if "after a step" in optimizer:
        (v * w.sin()).sum().backward()
        made.step()
        made.zero_grad()
    if earlier is not None:
        for one in (w, v):
            one.grad = mg.full_like(one.detach(), earlier)
    return w, mg.tensor(mask), (v * formula(of_w, "w")(w)).sum(), made


def _drawn(random):
    """One to three dimensions, any part masked, some of the optimizers."""
    shape = pick(random, [(1,), (4,), (2, 3), (2, 2, 2)])
    mask = random.random(shape) < pick(random, [0.0, 0.5, 0.5, 1.0])
    for optimizer in pick_some(random, list(OPTIMIZERS), 3):
        yield _case(draw_numbers(random, shape, unit=0.25, zero=False), mask.tolist(), optimizer)


STAYS, MOVES, OTHER = "w where mask is False", "w where mask is True", "v, which the optimizer moves as well"
BITS = "the bits of w where mask is False"
LATER = "w.grad of a later walk, of w.sum()"
SECOND = "in a second call, with the other mask, the numbers that stay"
SETTINGS = "the optimizer's settings"


@observer
def _stepped(answer, w, mask, loss, optimizer):
    """Both parts of w, the other tensor, and whether a later walk is as it would be."""
    (_, v) = optimizer.param_groups[0]["params"]
    moves, before = mask.clone(), w.detach().clone()
    answer(w, mask, loss, optimizer)
    now = w.detach().clone()
    mask_is_same, is_same = mg.equal(mask, moves), now[~moves].numpy().tobytes() == before[~moves].numpy().tobytes()
    seen = {
        STAYS: now[~moves],
        BITS: "as before" if is_same else "others",
        MOVES: now[moves],
        OTHER: v.detach().clone(),
    }
    seen["the mask"] = "as before" if mask_is_same else "another one"
    seen[SETTINGS] = str([value for name, value in optimizer.param_groups[0].items() if name != "params"])
    if not w.requires_grad:
        return {**seen, LATER: "none, since w is frozen"}
    w.grad = None
    w.sum().backward()
    seen[LATER] = w.grad.clone()
    answer(w, ~moves, (v * w).sum(), optimizer)
    return {**seen, SECOND: w.detach()[moves]}


def _computed_anew(outcome):
    """Whether numbers that are to stay have become nan, or are the same without having the same bits."""
    became_nan = saw(STAYS, lambda mine, right: bool(mine.isnan().any()) and not right.isnan().any())
    return became_nan(outcome) or right_but(BITS)(outcome)


def _wrote_older_numbers(outcome):
    """Whether in the second call those that were to stay are what they were before the first."""
    w, mask, *_ = outcome.case.make()
    return right_but(SECOND, lambda mine, right: compare(w.detach()[mask], mine) is None)(outcome)


# ---------------------------------------------------------------- wrong answers


BACK = "w.copy_(mg.where(mask, w, before))"


def masked_gradient(w, mask, loss, optimizer):
    loss.backward()
    w.grad = w.grad * mask
    optimizer.step()


def masked_by_a_hook(w, mask, loss, optimizer):
    handle = w.register_hook(lambda g: g * mask)
    loss.backward()
    handle.remove()
    optimizer.step()


def masked_with_a_default(w, mask, loss, optimizer, kept=[]):  # noqa: B006 (that is what is wrong)
    if not any(one is w for one, _ in kept):
        kept[:] = [(w, w.detach().clone())]
    loss.backward()
    optimizer.step()
    with mg.no_grad():
        w.copy_(mg.where(mask, w, kept[0][1]))


def stepped_first(w, mask, loss, optimizer):
    before = w.detach().clone()
    optimizer.step()
    loss.backward()
    with mg.no_grad():
        w.copy_(mg.where(mask, w, before))


EXERCISE = Exercise(
    title="nothing: one walk and one step, after which w has changed only where mask is True",
    stars=2,
    minutes=7,
    reference=masked_step,
    cases=(
        _case([[3.0, 1.0], [2.0, 4.0]], [[True, True], [False, False]], "SGD"),
        _case([[3.0, 1.0], [2.0, 4.0]], [[True, True], [False, False]], "AdamW"),
        _case([1.0, -2.0, 0.5], [False, True, False], "SGD with momentum=0.9, after a step"),
        _case([-0.0, -2.0, 0.1], [False, True, False], "SGD with weight_decay=0.5"),
        _case([1.0, -2.0, 0.5], [True, False, True], "Adam, after a step"),
        _case([1.0, -2.0], [False, False], "AdamW"),
        _case([1.0, -2.0, 0.5], [True, False, True], "SGD", earlier=3.0),
        _case([4.0, 0.0, 1.0], [True, False, True], "SGD", "w.sqrt()"),  # whose slope at 0 is infinite
        _case([4.0, 0.0, 1.0], [True, True, False], "SGD", "w.sqrt()"),
    ),
    drawn=_drawn,
    hints=(
        "What the optimizer does to the numbers cannot be known before. It can be undone afterwards.",
        "Keep a copy of the numbers, one with memory of its own: w.detach().clone(). Then the walk, then the step.",
        "Write back, unrecorded and in place: with mg.no_grad(): w.copy_(mg.where(mask, w, before)).",
    ),
    plug=_stepped,
    notes={
        OTHER: "w is as it should be. The optimizer has other tensors, too: one loss.backward() and one step() for all "
        "of them.",
        "the mask": "The step is right, but the mask is the caller's, who uses it in the next step, too: leave it as "
        "it is.",
        LATER: "The step is right, and something was left behind that changes the gradients of w in later walks.",
        SECOND: "The first call is right, and in a second one for the same w numbers have changed that were to stay.",
        SETTINGS: "This step is right, and the next ones will not be: the optimizer has other settings now.",
    },
    writes=True,
    mistakes=(
        Mistake(
            edited(masked_step, "loss.backward", "optimizer.zero_grad()\n    loss.backward"),
            edited(masked_step, "loss.backward", "w.grad = None\n    loss.backward"),
            words="What was in .grad before is gone. Without a mask the walk adds to it, and so it does with one: "
            "loss.backward() and optimizer.step(), and no more.",
        ),
        Mistake(
            edited(masked_step, "mg.where(mask, w, before)", "before + (w - before) * mask"),
            edited(masked_step, "mg.where(mask, w, before)", "w * mask + before * ~mask"),
            words="What is to stay was computed anew: 0 times nan or inf is nan, -0.0 becomes 0.0, and before + (w - "
            "before) is rounded. Choose with mg.where, or write by a mask in brackets.",
            when=_computed_anew,
        ),
        Mistake(
            masked_gradient,
            edited(masked_gradient, "w.grad * mask", "mg.where(mask, w.grad, 0.0)"),
            masked_by_a_hook,
            edited(masked_by_a_hook, "handle.remove()", "pass"),
            words="The gradient was masked, and numbers under the mask have moved all the same: by weight decay, which "
            "needs no gradient, by momentum, or by what .grad held already. Write the numbers back after the step.",
        ),
        Mistake(
            masked_with_a_default,
            words="The first call is right, and a second one for the same w writes back older numbers: something of "
            "the first was kept. Copy w anew in each call.",
            when=_wrote_older_numbers,
        ),
        Mistake(
            edited(masked_step, "detach().clone()", "detach()"),
            edited(masked_step, BACK, "w = mg.where(mask, w, before)"),
            words="w has moved everywhere, as if nothing had been written back. Before the step, copy w to memory of "
            "its own, which detach() alone has not; after it write into w, as w.copy_(...) does and `w = ...` does "
            "not.",
        ),
        Mistake(
            edited(masked_step, "mask, w, before", "mask, before, w"),
            words="The mask is the other way round: True is where w moves.",
        ),
        Mistake(
            stepped_first,
            words="Something was written into before the walk, which needs what it held: as by a step that comes "
            "first. First loss.backward(), and then optimizer.step(), which moves w by its gradient.",
            when=raised("has been modified by an inplace operation"),
        ),
        Mistake(
            edited(masked_step, "optimizer.step()", "pass"),
            edited(masked_step, "loss.backward()", "pass"),
            words="w has not moved by this loss, nor has v: first loss.backward() writes the gradients, and then "
            "optimizer.step() moves all of its tensors by them.",
        ),
        Mistake(
            edited(masked_step, BACK, "w.mul_(mask)"),
            words="The numbers under the mask became 0. They were to stay what they were.",
            near=STAYS,
        ),
        Mistake(
            edited(masked_step, "    with mg.no_grad():\n        ", "    "),
            words="w is a leaf, and this write is recorded. Write inside `with mg.no_grad():`.",
            when=raised("a leaf Variable that requires grad"),
        ),
    ),
    right=(
        edited(masked_step, BACK, "w[~mask] = before[~mask]"),
        edited(masked_step, "with mg.no_grad():\n        " + BACK, "w.data = mg.where(mask, w.detach(), before)"),
        edited(masked_step, BACK, "w.add_(-0.0).copy_(before.where(~mask, w))"),
        edited(
            masked_by_a_hook,
            "handle =",
            "before = w.detach().clone()\n    handle =",
            "step()",
            "step()\n    w.data[~mask] = before[~mask]",
        ),
    ),
    wrong={
        "w has not moved by this loss": [edited(masked_step, "optimizer.step()", "optimizer.zero_grad()")],
        "as if nothing had been written back": [
            edited(masked_step, "    optimizer.step()\n", "", BACK, BACK + "\n    optimizer.step()")
        ],
        "one loss.backward() and one step()": [
            edited(masked_step, "loss.backward()", "w.grad = mg.autograd.grad(loss, w)[0]")
        ],
        "-0.0 becomes 0.0": [
            edited(masked_step, "mg.where(mask, w, before)", "mg.where(mask, w, 0.0) + mg.where(mask, 0.0, before)")
        ],
        "something went through float32": [edited(masked_step, "detach().clone()", "detach().float() * 1")],
        "The step is right, but the mask is the caller's": [
            edited(masked_step, "before))", "before))\n    mask.copy_(~mask)"),
        ],
        "a second one for the same w writes back older numbers": [masked_with_a_default],
        "the optimizer has other settings now": [
            edited(masked_step, "before))", 'before))\n    optimizer.param_groups[0]["lr"] /= 2'),
        ],
        "mask = [False, False]": [edited(masked_step, "loss.b", "if not mask.any():\n        return\n    loss.b")],
        "something was left behind": [
            edited(masked_step, "before))", "before))\n    w.requires_grad_(False)"),
            edited(masked_step, "loss.b", "w.register_hook(lambda g: g * mask)\n    loss.b"),
        ],
        "mask = [True, True, False]": [
            edited(masked_step, "optimizer.step()", "w.grad.clamp_(-1e9, 1e9)\n    optimizer.step()"),
            edited(masked_step, BACK, "w.sub_((w - before) * 0).copy_(before.where(~mask, w))"),
        ],
        "": [
            edited(masked_step, "optimizer.step()", "optimizer.step()\n    optimizer.step()"),
            edited(masked_step, "optimizer.step()", "with mg.no_grad():\n        w.sub_(0.1 * w.grad)"),
            edited(masked_step, "mask, w, before", "mask.flatten()[0], w, before"),
        ],
    },
)

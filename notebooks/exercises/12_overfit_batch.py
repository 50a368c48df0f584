"""Exercise `overfit_batch`: a few images, learned by heart."""

import itertools

import numpy as np

import minigrad as mg
import minigrad.nn.functional as F
from minigrad import nn
from minigrad.teach import (
    Exercise,
    Mistake,
    cases,
    compare,
    draw_numbers,
    edited,
    observer,
    pick,
    raised,
    right_with_graph,
    saw,
)

from .chapter09 import Noting, draw_weights, trained_state


def overfit_batch(model, optimizer, images, labels, limit, most):
    """The losses of steps on this one batch: at most so many, and the last is the first below the limit."""
    losses = []
    for _ in range(most):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        losses.append(loss.item())
        if losses[-1] < limit:
            break
        loss.backward()
        optimizer.step()
    return losses


KINDS = PLAIN, NORMED, NORM_FROZEN, EVALUATED = (
    "a network",
    "a network with BatchNorm",
    "a network with BatchNorm, which is in eval mode",
    "a network with BatchNorm, all in eval mode",
)
RULES = {
    "SGD": mg.optim.SGD,
    "SGD with momentum 0.5": lambda parameters, rate: mg.optim.SGD(parameters, rate, momentum=0.5),
    "Adam": mg.optim.Adam,
}


@cases(
    "{kind}{earlier}{warm}, {rule}, lr = {rate}; images = {images}, labels = {labels}, limit = {limit}, most = {most}",
    earlier=", .grad is {earlier} everywhere",
    warm=", with which the optimizer has made a step",
    blank=", all parameters are 0",
    sure=", all parameters are hundreds",
)
def _case(kind, images, labels, limit, most, rule="SGD", rate=0.5, earlier=None, warm=False, blank=False, sure=False):
    runs, norm = [], [] if kind == PLAIN else [nn.BatchNorm1d(4)]
    model = nn.Sequential(Noting(runs), nn.Linear(len(images[0]), 4), *norm, nn.Tanh(), nn.Linear(4, 3))
    draw_weights(model, 12, 0.0 if blank else 300.0 if sure else 0.7)
    for one in model.parameters():
        one.grad = None if earlier is None else mg.full_like(one, earlier)
    if kind == EVALUATED:
        model.eval()
    if kind == NORM_FROZEN:
        norm[0].eval()
    model.__dict__["runs"] = runs
    optimizer = RULES[rule](model.parameters(), rate)
    if warm:
        optimizer.step()
    return model, optimizer, mg.tensor(images), mg.tensor(labels), limit, most


LOSSES, MODE, RUNS = "the losses", "modules in eval mode", "how often the network ran"


@observer
def _watched(answer, model, optimizer, *others):
    """What came back, the mode of everything, how often the network ran, and what has become of all that steps use."""
    losses = answer(model, optimizer, *others)
    images, labels, *_ = others
    state = trained_state(model, optimizer) | {"images": images.clone(), "labels": labels.clone()}
    return {
        LOSSES: losses,
        MODE: _evaluated(model),
        RUNS: len(model.__dict__["runs"]),
        **{f"{name} afterwards": one for name, one in state.items()},
    }


def _evaluated(model):
    return ", ".join(name or "the network" for name, one in model.named_modules() if not one.training) or "none"


def _evidence(outcome):
    """What the first step does."""
    model, optimizer, images, labels, *_ = outcome.case.make()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images), labels)
    loss.backward()
    size = nn.utils.clip_grad_norm_(model.parameters(), float("inf")).item()
    optimizer.step()
    with mg.no_grad():
        after = F.cross_entropy(model(images), labels).item()
    return (
        f"  the first loss is {loss.item():.4g}, all its gradients together have the length {size:.4g},\n"
        f"  and a step later it is {after:.4g}"
    )


def _drawn(random):
    """Other images, networks and rules; the limit lies between two losses, or below all of them."""
    kind, most = pick(random, KINDS), int(random.integers(2, 7))
    # In front of a BatchNorm in train mode gradients are rounding, or nearly so, of which Adam makes steps of any kind;
    # of two images it leaves 1 and -1, whatever they are, and all in front of it is rounding.
    pixels, count = (int(number) for number in random.integers([2, 3 if kind == NORMED else 2], [4, 6]))
    images, labels = draw_numbers(random, (count, pixels), 0.25, zero=False), random.integers(0, 3, count).tolist()
    rule = pick(random, [*RULES][: 2 if kind == NORMED else 3])
    options = rule, 0.125 if rule == "Adam" else 0.5, pick(random, [None, 0.5])
    losses = overfit_batch(*_case(kind, images, labels, float("-inf"), most, *options).make())
    least = np.minimum.accumulate(losses)
    new = [place for place in range(1, most) if least[place] < 0.95 * least[place - 1]]
    limit = 0.0
    if new and random.integers(4):
        place = pick(random, new)
        limit = round(float(least[place] + least[place - 1]) / 2, 4)
    yield _case(kind, images, labels, limit, most, *options)


# ---------------------------------------------------------------- wrong answers

CLEARS, STOPS = "        optimizer.zero_grad()\n", "        if losses[-1] < limit:\n            break\n"


def last_one_left_out(model, optimizer, images, labels, limit, most):
    """The loss that is below the limit is missing: put it into the list, and then leave the loop."""
    losses = overfit_batch(model, optimizer, images, labels, limit, most)
    return losses[:-1] if losses and losses[-1] < limit else losses


def one_more(model, optimizer, images, labels, limit, most):
    """This is one step too many where no loss gets below the limit: there are `most` steps at most."""
    return overfit_batch(model, optimizer, images, labels, limit, most + 1)


def after_the_step(model, optimizer, images, labels, limit, most):
    """These are the losses after the steps. The one from before the first step is missing: a loss belongs to the
    forward pass that comes before the step.
    """
    losses = []
    for _ in range(most):
        optimizer.zero_grad()
        F.cross_entropy(model(images), labels).backward()
        optimizer.step()
        with mg.no_grad():
            losses.append(F.cross_entropy(model(images), labels).item())
        if losses[-1] < limit:
            break
    return losses


def in_train_mode(model, *others):
    """The mode was changed. Somebody may have put a part of the network into eval mode, or all of it: leave it so."""
    model.train()
    return overfit_batch(model, *others)


def without_a_graph(*given):
    """What backward() was called on has nothing to walk back through, as a loss that was computed inside no_grad(), or
    cut off.
    """
    with mg.no_grad():
        return overfit_batch(*given)


def only_the_last(*given):
    """This is one loss. A list of all of them is asked for."""
    return overfit_batch(*given)[-1]


def one_image_at_a_time(model, optimizer, images, labels, limit, most):
    """A step was made for each image. The batch is one: its loss is the mean over the images, and there is one step for
    all.
    """
    losses = []
    for _ in range(most):
        total = 0.0
        for image, label in zip(images, labels, strict=True):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(image.view(1, -1)), label.view(1))
            total += loss.item() / len(images)
            loss.backward()
            optimizer.step()
        losses.append(total)
        if total < limit:
            break
    return losses


def _nan_ended_it(outcome):
    def test(mine, right):
        return isinstance(mine, list) and len(right) > len(mine) > 0 and mine[-1] != mine[-1]

    return saw(LOSSES, test)(outcome)


def _ended_at_the_limit(outcome):
    def test(mine, right):
        return isinstance(mine, list) and len(right) > len(mine) > 0 and mine[-1] == outcome.arguments[4]

    return saw(LOSSES, test)(outcome)


def _is_infinite(outcome):
    """Whether a loss is inf where all parameters are hundreds, and the right ones are not."""
    return "hundreds" in outcome.case.words and saw(LOSSES, "inf")(outcome) and np.inf not in outcome.right[LOSSES]


def _in_another_mode(outcome):
    """Whether the mode was another one while the network ran, or is afterwards."""
    model, fresh = outcome.arguments[0], outcome.case.make()[0]
    ran = {training for _, training in model.__dict__["runs"]}
    return outcome.error is None and (_evaluated(model) != _evaluated(fresh) or not ran <= {fresh[0].training})


def until_it_is_not_above(model, optimizer, images, labels, limit, most):
    """The loop ended with a nan, which is not below the limit, as it is not at or above: any comparison with nan but !=
    is False. Only a loss *below* the limit is the last: ask for that, and for `while` turn the answer around.
    """
    losses = []
    while len(losses) < most:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        losses.append(loss.item())
        if not losses[-1] >= limit:
            break
        loss.backward()
        optimizer.step()
    return losses


def first_pass_before_the_loop(model, optimizer, images, labels, limit, most):
    """`most` is 0 here, so no loss is asked for. One came, as where the first forward pass stands before the question
    whether there is another round.
    """
    return overfit_batch(model, optimizer, images, labels, limit, max(most, 1))


def overfit_until_it_rises(*given):
    losses = overfit_batch(*given)
    for number in range(1, len(losses)):
        if losses[number] >= losses[number - 1]:
            return losses[: number + 1]
    return losses


def overfit_until_it_rises_again(*given):
    losses = overfit_batch(*given)
    for number in range(2, len(losses)):
        if losses[number] > losses[number - 1] > losses[number - 2]:
            return losses[: number + 1]
    return losses


def _ended_where_it_rose(outcome):
    """Whether the losses are the first of the right ones, and the last that came is above the one before it."""
    mine, right = outcome.seen.get(LOSSES), outcome.right[LOSSES]
    if not isinstance(mine, list) or not 1 < len(mine) < len(right) or compare(right[: len(mine)], mine) is not None:
        return False
    return mine[-1] >= mine[-2]


# ---------------------------------------------------------------- tried as well


def overfit_with_a_hook(model, *others):
    model.register_forward_hook(lambda module, inputs, scores: None)
    return overfit_batch(model, *others)


def overfit_and_frozen(model, *others):
    losses = overfit_batch(model, *others)
    model.requires_grad_(False)
    return losses


def overfit_by_hand(model, optimizer, images, labels, limit, most):
    """Plain steps, whatever the optimizer is."""
    losses, rate = [], optimizer.param_groups[0]["lr"]
    for _ in range(most):
        model.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        losses.append(loss.item())
        if loss < limit:
            break
        loss.backward()
        with mg.no_grad():
            for one in model.parameters():
                one -= rate * one.grad
    return losses


def overfit_to_the_limit_and_looked_again(model, optimizer, images, labels, limit, most):
    losses = []
    for _ in range(most):
        with mg.no_grad():
            losses.append(F.cross_entropy(model(images), labels).item())
        if losses[-1] < limit:
            break
        optimizer.zero_grad()
        F.cross_entropy(model(images), labels).backward()
        optimizer.step()
    return losses


def overfit_in_train_mode_for_a_while(model, optimizer, images, labels, limit, most):
    flags = [(module, module.training) for module in model.modules()]
    model.train()
    losses = overfit_batch(model, optimizer, images, labels, limit, most)
    for module, flag in flags:
        module.training = flag
    return losses


def overfit_with_closures(model, optimizer, images, labels, limit, most):
    """A step with a closure is made before its loss is known."""

    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        return loss

    losses = []
    while len(losses) < most and not (losses and losses[-1] < limit):
        losses.append(optimizer.step(closure).item())
    return losses


def overfit_and_its_steps(*given):
    losses = overfit_batch(*given)
    return losses, len(losses)


def overfit_without_the_last_step(model, optimizer, images, labels, limit, most):
    losses = [F.cross_entropy(model(images), labels)]
    while not losses[-1].item() < limit and len(losses) < most:
        optimizer.zero_grad()
        losses[-1].backward()
        optimizer.step()
        losses.append(F.cross_entropy(model(images), labels))
    return [loss.item() for loss in losses]


def overfit_while_it_is_the_best(*given):
    losses = overfit_batch(*given)
    return [loss for number, loss in enumerate(losses) if loss == min(losses[: number + 1])]


def overfit_one_by_one(*given):
    """A generator, of which nobody has asked anything yet."""
    yield from overfit_batch(*given)


def overfit_in_a_while(model, optimizer, images, labels, limit, most):
    losses = [float("inf")]
    while not losses[-1] < limit and len(losses) <= most:
        for one in model.parameters():
            one.grad = None
        scores = model(images)
        loss = -scores.log_softmax(1)[mg.arange(len(labels)), labels].mean()
        losses.append(loss.item())
        if not losses[-1] < limit:
            loss.backward()
            optimizer.step()
    return losses[1:]


def overfit_by_generators(model, optimizer, images, labels, limit, most):
    def steps():
        while True:
            optimizer.zero_grad(set_to_none=False)
            loss = F.nll_loss(F.log_softmax(model(images), dim=1), labels)
            if loss < limit:
                yield loss.item()
                return
            loss.backward()
            optimizer.step()
            yield loss.item()

    return list(itertools.islice(steps(), most))


def overfit_by_grad(model, optimizer, images, labels, limit, most):
    losses = mg.zeros(most)
    for number in range(most):
        loss = nn.CrossEntropyLoss()(model(images), labels)
        losses[number] = loss.detach()
        if loss.item() < limit:
            return losses[: number + 1].tolist()
        parameters = [*model.parameters()]
        for one, gradient in zip(parameters, mg.autograd.grad(loss, parameters), strict=True):
            one.grad = gradient
        optimizer.step()
    return losses.tolist()


THREE = [[1.0, 0.5], [-1.0, 2.0], [0.25, -1.5]]
LARGER = [[2.0, 1.0], [-2.0, 4.0], [0.5, -3.0]]  # with which a gradient becomes 46 long

EXERCISE = Exercise(
    title="a list of floats, the losses of steps on this one batch, until one is below the limit",
    stars=1,
    minutes=6,
    reference=overfit_batch,
    cases=(
        _case(PLAIN, THREE, [0, 2, 1], 0.5, 8),
        _case(PLAIN, THREE, [0, 2, 1], 0.5, 3, earlier=2.0),
        _case(PLAIN, [[1.0, 0.5], [1.0, 0.5]], [0, 2], 0.5, 4),
        _case(PLAIN, THREE, [0, 2, 1], 0.5, 0),
        _case(PLAIN, [*THREE[:2], [float("nan"), 1.0]], [0, 2, 1], 0.5, 3),
        _case(PLAIN, THREE, [1, 2, 2], 0.5, 3, sure=True),
        _case(NORMED, THREE, [1, 1, 0], 0.25, 6, rule="SGD with momentum 0.5", earlier=1.0, warm=True),
        _case(EVALUATED, THREE, [1, 1, 0], 0.5, 6, rule="Adam", rate=0.25),
        _case(NORM_FROZEN, THREE, [1, 1, 0], 5.0, 3),
        _case(PLAIN, THREE, [2, 0, 1], 0.07, 8, rate=6.0),  # the loss goes up on the way, two times
        _case(PLAIN, LARGER, [0, 2, 1], 0.0, 4, rate=40.0),  # and here to many times what it was
        _case(PLAIN, THREE, [0, 2, 1], 0.0, 30, rate=0.0625),
        _case(PLAIN, THREE[:1], [0], float(np.log(np.float32(3))), 3, blank=True),  # which is the first loss
        _case(PLAIN, THREE, [0, 1, 2], 0.5, 40, blank=True),  # a flat place, on which it stays
    ),
    drawn=_drawn,
    in_double=1,
    hints=(
        "It is the loop of every training, with the same batch each time. What ends it?",
        "Two things do: `most` rounds are over, or a loss is below the limit. The second is known before the walk.",
        "In each of `most` rounds: optimizer.zero_grad(), loss = F.cross_entropy(model(images), labels), "
        "losses.append(loss.item()), if losses[-1] < limit: break, loss.backward(), optimizer.step().",
    ),
    plug=_watched,
    notes={
        MODE: "Leave the mode as it is.",
        RUNS: "One pass for each loss is enough.",
        **dict.fromkeys(
            ("images afterwards", "labels afterwards"),
            "The losses are right, but the batch was written to. It is the caller's: leave it as it is.",
        ),
        "* afterwards": "The losses are right, but not what the steps have made of it: is there one too many, or one "
        "too few?",
    },
    evidence=_evidence,
    writes=True,
    mistakes=(
        Mistake(
            edited(overfit_batch, "loss.item()", "loss"),
            words="The numbers are right, but each of them is a tensor that holds its whole graph, and the list holds "
            "all of them. Take the number out: loss.item().",
            when=saw(LOSSES, right_with_graph),
        ),
        Mistake(
            edited(overfit_batch, CLEARS, ""),
            words="The gradients of the steps before were added to: optimizer.zero_grad() before each walk.",
        ),
        Mistake(
            edited(overfit_batch, CLEARS, "", "step()\n", "step()\n" + CLEARS),
            words="Cleared was after the step, so that the first one was made with what somebody had left in .grad. "
            "Clear before the walk.",
        ),
        Mistake(
            edited(overfit_batch, CLEARS, "", "for", "optimizer.zero_grad()\n    for"),
            words="Cleared was once, before the loop. Each walk adds to what is in .grad: clear before every one.",
        ),
        Mistake(
            edited(overfit_batch, CLEARS, "", "backward()\n", "backward()\n" + CLEARS),
            edited(overfit_batch, "        optimizer.step()\n", ""),
            words="The weights do not move: optimizer.step() was not called, or before backward(), or had no "
            "gradients to go by, since they were cleared between the two, or backward() did not come so far.",
        ),
        Mistake(
            edited(overfit_batch, STOPS, ""),
            words="The loop goes on though a loss was below the limit. That one is the last.",
        ),
        Mistake(
            edited(overfit_batch, STOPS, "", "step()\n", "step()\n" + STOPS),
            words="The losses are right, but a step was made with the last one, which was below the limit already. "
            "Leave the loop before the step.",
        ),
        last_one_left_out,
        one_more,
        Mistake(
            edited(overfit_batch, "< limit", "< limit or len(losses) == most"),
            words="The last step is missing where no loss gets below the limit: there are as many steps as losses "
            "then.",
            near=True,
        ),
        after_the_step,
        Mistake(
            edited(overfit_batch, "model(images), labels", "model(images).softmax(1), labels"),
            words="cross_entropy takes scores, and computes the softmax itself. Here it got one that was taken "
            "already.",
        ),
        Mistake(in_train_mode, edited(in_train_mode, "train()", "eval()"), when=_in_another_mode),
        Mistake(without_a_graph, when=raised("does not require grad")),
        Mistake(until_it_is_not_above, when=_nan_ended_it),
        Mistake(first_pass_before_the_loop, when=saw(LOSSES, lambda mine, right: right == [] != mine)),
        Mistake(
            edited(
                overfit_batch,
                "F.cross_entropy(model(images), labels)",
                "-model(images).softmax(1)[mg.arange(len(labels)), labels].log().mean()",
            ),
            words="Where the scores are hundreds apart, softmax makes a 0 of one, and its log is -inf: log_softmax and "
            "F.cross_entropy compute the log without the way there.",
            when=_is_infinite,
        ),
        Mistake(
            edited(overfit_batch, "< limit", "<= limit"),
            words="The last of these losses is the limit exactly, and not below it: others follow.",
            when=_ended_at_the_limit,
        ),
        Mistake(
            overfit_until_it_rises,
            overfit_until_it_rises_again,
            words="The loop ended where the loss went up, or stayed. A loss below the limit ends it, or that there are "
            "`most` of them; on the way it may go up.",
            when=_ended_where_it_rose,
        ),
        only_the_last,
        one_image_at_a_time,
    ),
    right=(
        overfit_in_a_while,
        overfit_by_generators,
        overfit_by_grad,
        edited(  # the same loss in other words: what is only rounding is another number
            overfit_batch,
            "loss = F.cross_entropy(model(images), labels)",
            "scores = model(images)\n        "
            "loss = (scores.logsumexp(1) - scores[mg.arange(len(labels)), labels]).mean()",
        ),
    ),
    wrong={
        "model has other hooks than before": [overfit_with_a_hook],
        "model.1.weight.requires_grad is not what it was": [overfit_and_frozen],
        "first difference": [
            edited(
                overfit_batch,
                "[]",
                '[]\n    optimizer = mg.optim.SGD(model.parameters(), optimizer.param_groups[0]["lr"])',
            ),
            overfit_by_hand,
            overfit_and_its_steps,
            edited(
                overfit_batch,
                "optimizer.step",
                "nn.utils.clip_grad_norm_(model.parameters(), 0.25)\n        optimizer.step",
            ),
            edited(
                overfit_batch,
                "optimizer.step",
                "nn.utils.clip_grad_norm_(model.parameters(), 10.0)\n        optimizer.step",
            ),
            overfit_while_it_is_the_best,
        ],
        "the losses, item 1 of": [
            edited(overfit_batch, "labels)", 'labels, reduction="sum")'),
            edited(overfit_batch, "loss.item()", "round(loss.item(), 2)"),
            edited(overfit_batch, "for", "images -= images.mean()\n    for"),
        ],
        "in the later digits": [edited(overfit_batch, "return losses", "return [round(one, 5) for one in losses]")],
        "lr = 40.0 … The loop ended where the loss went up": [
            edited(overfit_batch, "< limit", "< limit or losses[-1] > 2 * losses[-2:][0]")
        ],
        "What backward() was called on": [edited(overfit_batch, "loss.backward", "labels.backward")],
        "the losses, item 1 of 5: yours inf": [edited(overfit_batch, "[]", '[float("inf")]')],
        "One pass for each loss is enough": [overfit_to_the_limit_and_looked_again],
        "The mode was changed": [overfit_in_train_mode_for_a_while],
        "a step was made with the last one": [overfit_with_closures],
        "The last step is missing": [overfit_without_the_last_step],
        "5 values are asked for, in a list; this is a generator": [overfit_one_by_one],
        "most = 30": [edited(overfit_batch, "range(most)", "range(min(most, 10))")],
        "all parameters are 0 … is the limit exactly": [edited(overfit_batch, "< limit", "<= limit")],
        "all parameters are 0 … went up, or stayed": [
            edited(overfit_batch, "< limit", "< limit or losses[-13:-12] and losses[-2] - losses[-1] < 1e-3"),
        ],
        "a list is asked for, and this is a tuple": [lambda *given: tuple(overfit_batch(*given))],
        "this is a Tensor that holds it": [edited(overfit_batch, "loss.item()", "loss.detach()")],
    },
)

"""Chapter 12: answers that look right and are not, and right ones that look strange.

Each wrong answer is right for some networks, runs or stops. What its card has to say stands beside it.
"""

from __future__ import annotations

import copy
import functools
import io
import itertools
import math
import types

import numpy as np
import pytest
from teach.answers import check_passing, check_refused, each_passing, each_refused

import minigrad as mg
import minigrad.nn.functional as F
from minigrad import nn
from minigrad.autograd import Function
from minigrad.teach import EXERCISES
from minigrad.teach.exercises import chapter12_runs as runs

pytestmark = pytest.mark.usefixtures("in_this_process")

# ---------------------------------------------------------------- overfit_batch


def learned(model, optimizer, images, labels, limit, most, loss_of=F.cross_entropy, number=lambda loss: loss.item()):
    losses = []
    for _ in range(most):
        optimizer.zero_grad()
        loss = loss_of(model(images), labels)
        losses.append(number(loss))
        if losses[-1] < limit:
            break
        loss.backward()
        optimizer.step()
    return losses


def overfit_with_its_own_optimizer(model, optimizer, images, labels, limit, most):
    own = mg.optim.SGD(model.parameters(), lr=optimizer.param_groups[0]["lr"])
    return learned(model, own, images, labels, limit, most)


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


def overfit_summed(model, optimizer, images, labels, limit, most):
    return learned(model, optimizer, images, labels, limit, most, functools.partial(F.cross_entropy, reduction="sum"))


def overfit_rounded(*given):
    return learned(*given, number=lambda loss: round(loss.item(), 2))


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
    losses = learned(model, optimizer, images, labels, limit, most)
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


def overfit_scaled_images(model, optimizer, images, labels, limit, most):
    images -= images.mean()
    return learned(model, optimizer, images, labels, limit, most)


def overfit_and_its_steps(*given):
    losses = learned(*given)
    return losses, len(losses)


def overfit_clipped(model, optimizer, images, labels, limit, most):
    losses = []
    for _ in range(most):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        losses.append(loss.item())
        if losses[-1] < limit:
            break
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
    return losses


def overfit_without_the_last_step(model, optimizer, images, labels, limit, most):
    losses = [F.cross_entropy(model(images), labels)]
    while losses[-1].item() >= limit and len(losses) < most:
        optimizer.zero_grad()
        losses[-1].backward()
        optimizer.step()
        losses.append(F.cross_entropy(model(images), labels))
    return [loss.item() for loss in losses]


def overfit_until_it_rises(model, optimizer, images, labels, limit, most):
    """No loss goes up in an easy training."""
    losses = learned(model, optimizer, images, labels, limit, most)
    for number in range(1, len(losses)):
        if losses[number] >= losses[number - 1]:
            return losses[: number + 1]
    return losses


def overfit_while_it_is_the_best(model, optimizer, images, labels, limit, most):
    losses = learned(model, optimizer, images, labels, limit, most)
    return [loss for number, loss in enumerate(losses) if loss == min(losses[: number + 1])]


def overfit_one_by_one(model, optimizer, images, labels, limit, most):
    """A generator, of which nobody has asked anything yet."""
    yield from learned(model, optimizer, images, labels, limit, most)


def overfit_by_logsumexp(*given):
    """The same loss in other words: what is only rounding is another number."""

    def loss_of(scores, labels):
        return (scores.logsumexp(1) - scores[mg.arange(len(labels)), labels]).mean()

    return learned(*given, loss_of=loss_of)


def overfit_in_a_while(model, optimizer, images, labels, limit, most):
    losses = [float("inf")]
    while losses[-1] >= limit and len(losses) <= most:
        for one in model.parameters():
            one.grad = None
        scores = model(images)
        loss = -scores.log_softmax(1)[mg.arange(len(labels)), labels].mean()
        losses.append(loss.item())
        if losses[-1] >= limit:
            loss.backward()
            optimizer.step()
    return losses[1:]


def overfit_by_generators(model, optimizer, images, labels, limit, most):
    def steps():
        while True:
            optimizer.zero_grad(set_to_none=False)
            loss = F.nll_loss(F.log_softmax(model(images), dim=1), labels)
            if loss < limit:
                yield loss.detach()
                return
            loss.backward()
            optimizer.step()
            yield loss.detach()

    return tuple(itertools.islice(steps(), most))


def overfit_by_grad(model, optimizer, images, labels, limit, most):
    losses = mg.zeros(most)
    for number in range(most):
        loss = nn.CrossEntropyLoss()(model(images), labels)
        losses[number] = loss.detach()
        if loss.item() < limit:
            return losses[: number + 1]
        parameters = [*model.parameters()]
        for one, gradient in zip(parameters, mg.autograd.grad(loss, parameters), strict=True):
            one.grad = gradient
        optimizer.step()
    return losses


# ---------------------------------------------------------------- diagnose


def diagnosis(run, zero=None, rate=None, dead=None, still=None, labels=None):
    """The reference, question by question; each may be another one."""
    if (zero or (lambda run: run["gradient"][1] != run["arrived"][1]))(run) and not math.isnan(run["gradient"][1]):
        return "no zero_grad"
    if (rate or (lambda run: max(run["loss"]) > 2 * run["loss"][0] or math.isnan(run["loss"][-1])))(run):
        return "rate too high"
    if (dead or (lambda run: 0 in run["gradient"]))(run):
        return "dead relu"
    if (still or (lambda run: len(run["running"]) > 1 and np.diff(run["running"])[-1] == 0))(run):
        return "left in eval"
    return "labels shuffled" if (labels or (lambda run: max(run["held_out"]) < 0.25))(run) else "fine"


def diagnosed_by_numpy(run):
    return diagnosis(
        run,
        zero=lambda run: not np.allclose(run["gradient"], run["arrived"], equal_nan=True),
        rate=lambda run: not np.max(run["loss"]) <= 2 * run["loss"][0],
        dead=lambda run: not np.any(run["gradient"][-3:]),
        still=lambda run: bool(run["running"]) and np.ptp(run["running"][-4:]) == 0,
        labels=lambda run: np.mean(run["held_out"]) < 0.2,
    )


def diagnosed_from_the_curves(run):
    return diagnosis(
        run, zero=lambda run: sum(run["gradient"]) > sum(run["arrived"]), labels=lambda run: run["right"][-1] < 0.4
    )


def diagnosed_eval_first(run):
    """In another order: nothing but eval mode leaves `running` where it is."""
    if run["running"] and run["running"][-1] == run["running"][-2]:
        return "left in eval"
    return diagnosis(run)


def diagnosed_by_the_largest(run):
    """max() passes over nan, unless it comes first."""
    return diagnosis(run, rate=lambda run: max(run["loss"]) > 2 * run["loss"][0])


def diagnosed_by_twice_log_10(run):
    return diagnosis(run, rate=lambda run: not all(one <= 2 * math.log(10) for one in run["loss"]))


def diagnosed_dead_by_the_loss(run):
    return diagnosis(run, dead=lambda run: abs(run["loss"][-1] - run["loss"][0]) < 0.1)


def diagnosed_mostly_dead(run):
    return diagnosis(run, dead=lambda run: run["gradient"].count(0) > len(run["gradient"]) / 2)


def diagnosed_in_other_letters(run):
    return diagnosis(run).capitalize()


def diagnosed_in_a_list(run):
    return [diagnosis(run)]


def diagnosed_by_nan_alone(run):
    return diagnosis(run, rate=lambda run: math.isnan(run["loss"][-1]))


def diagnosed_by_five_times(run):
    return diagnosis(run, rate=lambda run: not max(run["loss"]) <= 5 * run["loss"][0])


def diagnosed_by_a_little(run):
    return diagnosis(run, rate=lambda run: not max(run["loss"]) <= 1.2 * run["loss"][0])


def diagnosed_still_from_the_start(run):
    return diagnosis(run, still=lambda run: bool(run["running"]) and run["running"][-1] == run["running"][0])


def diagnosed_nearly_still(run):
    return diagnosis(run, still=lambda run: bool(run["running"]) and abs(run["running"][-1] - run["running"][-2]) < 0.1)


def diagnosed_nearly_dead(run):
    return diagnosis(run, dead=lambda run: run["gradient"][-1] < 0.1)


def diagnosed_half_right(run):
    return diagnosis(run, labels=lambda run: run["held_out"][0] < 0.45)


def diagnosed_by_the_loss_of_chance(run):
    """Shuffled labels, as dead ReLUs, leave the loss where guessing has it; here the labels come first."""
    if run["loss"][-1] > 0.8 * math.log(10):
        return "labels shuffled"
    return diagnosis(run)


def diagnosed_and_emptied(run):
    found = diagnosis(run)
    run["loss"].clear()
    return found


# ---------------------------------------------------------------- coarse_weights


class Straight(Function):
    @staticmethod
    def forward(x, step):
        return mg.round(x / step) * step

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None


class Coarse(nn.Linear):
    def forward(self, x):
        return F.linear(x, Straight.apply(self.weight, self.__dict__["step"]), self.bias)


def layers_of(model):
    return [module for module in model.modules() if isinstance(module, nn.Linear)]


def coarse_by_their_class(model, step):
    for layer in layers_of(model):
        layer.__class__ = Coarse
        layer.__dict__["step"] = step


def coarse_without_a_class(model, step):
    def forward(layer, x):
        w = layer.weight
        return F.linear(x, w + ((w / step).round() * step - w).detach(), layer.bias)

    model.apply(lambda one: setattr(one, "forward", types.MethodType(forward, one)) if type(one) is nn.Linear else None)


def coarse_by_hooks(model, step):
    def hook(layer, arguments, output):
        return F.linear(*arguments, Straight.apply(layer.weight, step), layer.bias)

    for layer in layers_of(model):
        layer.register_forward_hook(hook)
    return model


def coarse_by_recursion(model, step):
    if isinstance(model, nn.Linear):
        model.forward = lambda x, layer=model: (
            x @ Straight.apply(layer.weight.T, step) + (0 if layer.bias is None else layer.bias)
        )
    for child in model.children():
        coarse_by_recursion(child, step)


def coarse_in_new_layers(model, step):
    """A layer in the place of each, which shares its parameters: what is used twice is exchanged once."""
    for parent in [*model.modules()]:
        for name, child in [*parent.named_children()]:
            if isinstance(child, nn.Linear):
                new = Coarse(1, 1)
                new.__dict__["step"], new.weight, new.bias = step, child.weight, child.bias
                setattr(parent, name, new)


def coarse_in_the_optimizer_only(model, step):
    """Numbers that fit after each step, and no exact ones."""
    for one in model.parameters():
        one.register_hook(lambda gradient: (gradient / step).round() * step)
    for layer in layers_of(model):
        layer.weight.data = (layer.weight.data / step).round() * step


def coarse_all_parameters(model, step):
    def forward(layer, x):
        bias = None if layer.bias is None else Straight.apply(layer.bias, step)
        return F.linear(x, Straight.apply(layer.weight, step), bias)

    for layer in layers_of(model):
        layer.forward = functools.partial(forward, layer)


def coarse_by_data(model, step):
    for layer in layers_of(model):
        layer.forward = lambda x, layer=layer: F.linear(x, Straight.apply(layer.weight.data, step), layer.bias)


def coarse_everywhere(model, step):
    """All networks, by the function that they use."""
    linear = F.linear
    F.linear = lambda x, weight, bias=None: linear(x, Straight.apply(weight, step), bias)


def coarse_layers_of_a_sequential(model, step):
    for layer in model if isinstance(model, nn.Sequential) else [model]:
        if isinstance(layer, nn.Linear):
            layer.forward = functools.partial(Coarse.forward, layer)
            layer.__dict__["step"] = step


def coarse_to_zero(model, step):
    def forward(layer, x):
        w = layer.weight
        return F.linear(x, w + (mg.trunc(w / step) * step - w).detach(), layer.bias)

    for layer in layers_of(model):
        layer.forward = functools.partial(forward, layer)


def coarse_by_half_steps(model, step):
    coarse_by_recursion(model, step / 2)


def coarse_in_train_mode(model, step):
    def forward(layer, x):
        return F.linear(x, Straight.apply(layer.weight, step) if layer.training else layer.weight, layer.bias)

    for layer in layers_of(model):
        layer.forward = functools.partial(forward, layer)


def coarse_under_another_name(model, step):
    """The same parameters, but a state dict would not find them."""
    for layer in layers_of(model):
        weight = layer.weight
        del layer.weight
        layer.register_parameter("exact", weight)
        layer.forward = lambda x, layer=layer: F.linear(x, Straight.apply(layer.exact, step), layer.bias)


def coarse_until_forward_is_over(model, step):
    """Rounded for a moment, by a way that no version counter sees: the walk back meets the exact ones."""

    def forward(layer, x):
        exact = layer.weight.data.clone()
        layer.weight.data = (exact / step).round() * step
        output = F.linear(x, layer.weight, layer.bias)
        layer.weight.data = exact
        return output

    for layer in layers_of(model):
        layer.forward = functools.partial(forward, layer)


def coarse_in_the_table(model, step):
    """Right: the layer's own forward, with another weight in its table for a moment."""

    def forward(layer, own, x):
        weight = layer._parameters["weight"]
        layer._parameters["weight"] = Straight.apply(weight, step)
        try:
            return own(x)
        finally:
            layer._parameters["weight"] = weight

    for layer in layers_of(model):
        layer.forward = functools.partial(forward, layer, layer.forward)


def coarse_a_copy(model, step):
    model = copy.deepcopy(model)
    coarse_by_recursion(model, step)
    return model


# ---------------------------------------------------------------- resume


def resumed(path, parts, run_epoch, epochs, *, before=None, saved=None, losses=None):
    """The loop alone, from where it is; `saved` are things that are put into the file besides."""
    losses = [] if losses is None else losses
    model, optimizer, schedule = parts
    for _ in range(len(losses), epochs):
        if before is not None:
            before(len(losses))
        losses.append(run_epoch(model, optimizer))
        schedule.step()
        states = [one.state_dict() for one in parts]
        mg.save({"parts": states, "random": mg.get_rng_state(), "losses": losses, **(saved or {})}, path)
    return losses


def resumed_by_the_error(path, model, optimizer, schedule, run_epoch, epochs):
    parts, losses = (model, optimizer, schedule), []
    try:
        found = mg.load(path)
    except FileNotFoundError:
        pass
    else:
        for part, state in zip(parts, found["parts"], strict=True):
            part.load_state_dict(state)
        mg.set_rng_state(found["random"])
        losses = found["losses"]
    return tuple(resumed(path, parts, run_epoch, epochs, losses=losses))


def resumed_with_the_schedule_gone_through(path, model, optimizer, schedule, run_epoch, epochs):
    """The schedule's count comes from its steps; the rates come with the optimizer."""
    losses = []
    if path.is_file():
        with path.open("rb") as stream:
            found = mg.load(stream)
        losses = found["losses"]
        schedule.last_epoch = schedule._step_count = len(losses)
        schedule._step_count += 1
        optimizer.load_state_dict(found["parts"][1])
        model.load_state_dict(found["parts"][0])
        mg.set_rng_state(found["random"])
    return resumed(path, (model, optimizer, schedule), run_epoch, epochs, losses=losses)


def resumed_with_copies(path, model, optimizer, schedule, run_epoch, epochs):
    losses = mg.zeros(0, dtype=mg.float64)
    if path.exists():
        found = mg.load(str(path))
        model.load_state_dict(found["model"])
        optimizer.load_state_dict(found["optimizer"])
        schedule.load_state_dict(found["schedule"])
        mg.set_rng_state(found["random"])
        losses = found["losses"]
    while losses.numel() < epochs:
        loss = run_epoch(model, optimizer)
        losses = mg.cat([losses, mg.tensor([loss], dtype=mg.float64)])
        schedule.step()
        state = {
            "model": copy.deepcopy(model.state_dict()),
            "optimizer": copy.deepcopy(optimizer.state_dict()),
            "schedule": dict(schedule.state_dict()),
            "random": mg.get_rng_state().clone(),
            "losses": losses,
        }
        beside = path.with_suffix(".part")
        mg.save(state, beside)
        beside.replace(path)
    return losses.tolist()


def resumed_with_a_seed_for_each_epoch(path, model, optimizer, schedule, run_epoch, epochs):
    """No state of random numbers is needed, and the caller's are lost."""
    parts, losses = (model, optimizer, schedule), []
    if path.exists():
        found = mg.load(path)
        for part, state in zip(parts, found["parts"], strict=True):
            part.load_state_dict(state)
        losses = found["losses"]
    return resumed(path, parts, run_epoch, epochs, before=mg.manual_seed, losses=losses)


def restored(path, parts):
    """The losses so far, of which the states are put into the parts."""
    if not path.exists():
        return []
    found = mg.load(path)
    for part, state in zip(parts, found["parts"], strict=True):
        part.load_state_dict(state)
    mg.set_rng_state(found["random"])
    return found["losses"]


def resumed_from_the_best(path, model, optimizer, schedule, run_epoch, epochs):
    """What is worse than before is not saved."""
    parts = model, optimizer, schedule
    losses = restored(path, parts)
    while len(losses) < epochs:
        losses.append(run_epoch(model, optimizer))
        schedule.step()
        if losses[-1] == min(losses):
            states = [one.state_dict() for one in parts]
            mg.save({"parts": states, "random": mg.get_rng_state(), "losses": losses}, path)
    return losses


def resumed_and_tidied_up(path, model, optimizer, schedule, run_epoch, epochs):
    """Who is stopped before there is another file has none."""
    parts = model, optimizer, schedule
    losses = restored(path, parts)
    path.unlink(missing_ok=True)
    return resumed(path, parts, run_epoch, epochs, losses=losses)


def resumed_with_a_file_of_the_start(path, model, optimizer, schedule, run_epoch, epochs):
    parts = model, optimizer, schedule
    if not path.exists():
        mg.save({"parts": [one.state_dict() for one in parts], "random": mg.get_rng_state(), "losses": []}, path)
    return resumed(path, parts, run_epoch, epochs, losses=restored(path, parts))


def resumed_with_bytes_and_a_list(path, model, optimizer, schedule, run_epoch, epochs):
    """Right: written in one piece, and in an order of its own."""
    parts, losses = (model, optimizer, schedule), ()
    if path.is_file():
        random, *states, numbers = mg.load(io.BytesIO(path.read_bytes()))
        for part, state in zip(parts, states, strict=True):
            part.load_state_dict(state)
        mg.set_rng_state(random)
        losses = tuple(numbers.tolist())
    for _ in range(epochs - len(losses)):
        losses += (run_epoch(model, optimizer),)
        schedule.step()
        file = io.BytesIO()
        numbers = mg.tensor(losses, dtype=mg.float64)
        mg.save([mg.get_rng_state(), *(one.state_dict() for one in parts), numbers], file)
        path.write_bytes(file.getvalue())
    return losses


def resumed_beside(path, model, optimizer, schedule, run_epoch, epochs):
    """In another file, which nobody takes along."""
    return resumed_by_the_error(path.with_suffix(".pt"), model, optimizer, schedule, run_epoch, epochs)


KEPT = {}


def resumed_in_memory(path, model, optimizer, schedule, run_epoch, epochs):
    """The states of the objects themselves, in a dict, and a file that says that there is one."""
    parts, losses = (model, optimizer, schedule), []
    if path.exists():
        for part, state in zip(parts, KEPT["states"], strict=True):
            part.load_state_dict(state)
        mg.set_rng_state(KEPT["random"])
        losses = KEPT["losses"]
    while len(losses) < epochs:
        losses.append(run_epoch(model, optimizer))
        schedule.step()
        KEPT.update(states=[one.state_dict() for one in parts], random=mg.get_rng_state(), losses=[*losses])
        path.touch()
    return losses


def resumed_with_the_rate_alone(path, model, optimizer, schedule, run_epoch, epochs):
    losses = []
    if path.exists():
        found = mg.load(path)
        model.load_state_dict(found["parts"][0])
        for group, old in zip(optimizer.param_groups, found["parts"][1]["param_groups"], strict=True):
            group["lr"] = old["lr"]
        schedule.load_state_dict(found["parts"][2])
        mg.set_rng_state(found["random"])
        losses = found["losses"]
    return resumed(path, (model, optimizer, schedule), run_epoch, epochs, losses=losses)


def resumed_rounded(*given):
    return [round(loss, 4) for loss in resumed_by_the_error(*given)]


def resumed_and_its_model(path, model, *others):
    return resumed_by_the_error(path, model, *others), model


def resumed_in_eval_mode(path, model, optimizer, schedule, run_epoch, epochs):
    """Right: the mode is none of what counts, since each epoch sets it."""
    losses = resumed_by_the_error(path, model, optimizer, schedule, run_epoch, epochs)
    model.eval()
    return losses


def resumed_once_more_at_the_end(path, model, optimizer, schedule, run_epoch, epochs):
    """An epoch on top, whose loss nobody sees."""
    losses = resumed_by_the_error(path, model, optimizer, schedule, run_epoch, epochs)
    run_epoch(model, optimizer)
    return losses


def resumed_from_random_numbers_drawn(path, model, optimizer, schedule, run_epoch, epochs):
    """Something is drawn on the way."""
    return resumed_by_the_error(
        path, model, optimizer, schedule, lambda *parts: (mg.rand(1), run_epoch(*parts))[1], epochs
    )


WRONG = {
    "overfit_batch": {
        overfit_with_its_own_optimizer: "first difference",
        overfit_by_hand: "first difference",
        overfit_summed: "loss 1",
        overfit_rounded: "loss 1",
        overfit_to_the_limit_and_looked_again: "One pass for each loss is enough",
        overfit_in_train_mode_for_a_while: "The mode was changed",
        overfit_with_closures: "a step was made with the last one",
        overfit_scaled_images: "loss 1",
        overfit_and_its_steps: "first difference",
        overfit_clipped: "first difference",
        overfit_without_the_last_step: "The last step is missing",
        overfit_until_it_rises: "first difference",
        overfit_while_it_is_the_best: "first difference",
        overfit_one_by_one: "5 values are asked for, in a list; this is a generator",
    },
    "diagnose": {
        diagnosed_in_other_letters: "One of these words is asked for",
        diagnosed_in_a_list: "One of these words is asked for",
        diagnosed_by_nan_alone: "dead relu, expected rate too high",
        diagnosed_by_five_times: "on the way it was more than twice as high",
        diagnosed_by_a_little: "no sign of the rate",
        diagnosed_still_from_the_start: "stands still from the second epoch on",
        diagnosed_nearly_still: "moves less and less",
        diagnosed_nearly_dead: "A gradient may be small in a run that is fine",
        diagnosed_half_right: "Look at the last number of `held_out`",
        diagnosed_by_the_loss_of_chance: "is not what has arrived",
        diagnosed_and_emptied: "run['loss'] has other items than before",
        diagnosed_by_the_largest: "which is above nothing",
        diagnosed_by_twice_log_10: "yours rate too high, expected fine",
        diagnosed_dead_by_the_loss: "What comes through a dead ReLU is 0 exactly",
        diagnosed_mostly_dead: "These ReLUs have died on the way",
    },
    "coarse_weights": {
        coarse_in_new_layers: "The network may be an nn.Linear itself",
        coarse_in_the_optimizer_only: "first difference",
        coarse_all_parameters: "The biases are rounded, too",
        coarse_by_data: "no gradient comes to the weights",
        coarse_everywhere: "All networks compute so now",
        coarse_layers_of_a_sequential: "Layers deeper down compute with their exact weights",
        coarse_to_zero: "model(x)",
        coarse_by_half_steps: "model(x)",
        coarse_in_train_mode: "in eval mode",
        coarse_under_another_name: "The parameters are to stay the same objects",
        coarse_until_forward_is_over: "the rounded weights were there for the forward pass only",
        coarse_a_copy: "The layers compute with their exact weights, as before",
    },
    "resume": {
        resumed_with_a_seed_for_each_epoch: "a seed was set",
        resumed_beside: "Nothing is in the file",
        resumed_in_memory: "call 2, at the beginning of its epoch 1",
        resumed_with_the_rate_alone: "What the optimizer remembers is gone",
        resumed_from_the_best: "call 4, at the beginning of its epoch 1",
        resumed_and_tidied_up: "call 3, at the beginning of its epoch 1",
        resumed_with_a_file_of_the_start: "There is a file before any epoch is over",
        resumed_rounded: "what it returned",
        resumed_and_its_model: "what it returned",
        resumed_once_more_at_the_end: "epochs that it ran",
        resumed_from_random_numbers_drawn: "the random numbers to come",
    },
}
RIGHT = {
    "overfit_batch": (overfit_in_a_while, overfit_by_generators, overfit_by_grad, overfit_by_logsumexp),
    "diagnose": (diagnosis, diagnosed_by_numpy, diagnosed_from_the_curves, diagnosed_eval_first),
    "coarse_weights": (
        coarse_by_their_class,
        coarse_without_a_class,
        coarse_by_hooks,
        coarse_by_recursion,
        coarse_in_the_table,
    ),
    "resume": (
        resumed_by_the_error,
        resumed_with_the_schedule_gone_through,
        resumed_with_copies,
        resumed_in_eval_mode,
        resumed_with_bytes_and_a_list,
    ),
}


@each_refused(WRONG)
def test_an_answer_that_looks_right_is_refused_with_words(name: str, answer, words: str) -> None:
    check_refused(name, answer, words)


@each_passing(RIGHT)
def test_a_right_answer_that_looks_strange_passes(name: str, answer) -> None:
    check_passing(name, answer)


RUNS = [
    (fault, seed, norm, later)
    for fault in (runs.FINE, runs.RATE, runs.ZERO_GRAD, runs.EVAL, runs.LABELS, runs.DEAD)
    for seed in ((0, 1, 2, 3, 4) if fault == runs.RATE else (0, 1, 3))
    for norm in ((True,) if fault == runs.EVAL else (True, False))
    for later in ((False, True) if fault in (runs.EVAL, runs.DEAD) else (False,))
] + [(runs.FINE, 2, True, False)]


@pytest.mark.parametrize(("fault", "seed", "norm", "later"), RUNS)
@pytest.mark.parametrize("epochs", [2, 3])
def test_a_run_shows_one_fault_and_no_other(fault: str, seed: int, norm: bool, later: bool, epochs: int) -> None:
    """What the words of the exercise say is true of every run that it may draw, by a wide margin."""
    run, steps = runs.record(fault, seed, norm, later), epochs * runs.STEPS
    loss, gradient, arrived, running = (run[key][:steps] for key in ("loss", "gradient", "arrived", "running"))
    assert {len(noted) for noted in (loss, gradient, arrived)} == {steps}
    assert len(running) == (steps if norm else 0)
    is_other = [abs(kept - new) > 1e-3 for kept, new in zip(gradient, arrived, strict=True)]
    assert is_other == [fault == runs.ZERO_GRAD and step > 0 for step in range(steps)]
    if fault == runs.ZERO_GRAD:
        return
    assert all(one < 1.6 * loss[0] for one in loss) == (fault != runs.RATE)
    assert all(one < 2.3 * loss[0] for one in loss) == (fault != runs.RATE)
    if fault == runs.RATE:
        return
    assert (gradient[-1] < 0.01) == (fault == runs.DEAD)
    assert (gradient[-1] == 0) == (fault == runs.DEAD)
    if norm:
        assert (abs(running[-1] - running[-2]) < 1e-3) == (fault == runs.EVAL)
    if fault in (runs.FINE, runs.LABELS):
        assert (run["held_out"][epochs - 1] > 0.5) == (run["held_out"][epochs - 1] > 0.2) == (fault == runs.FINE)


def test_files_of_a_training_are_gone_afterwards(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "here"))
    check_passing("resume", resumed_by_the_error)
    assert not list((tmp_path / "here").iterdir())


def test_what_an_answer_does_to_all_networks_is_undone() -> None:
    layer, x = nn.Linear(2, 2), mg.tensor([[0.3, 0.7]])
    expected = layer(x).tolist()
    for answer in (coarse_everywhere, EXERCISES["coarse_weights"].known[-3].answers[0]):
        assert EXERCISES["coarse_weights"].check(answer).kind == "bad"
        assert layer(x).tolist() == expected

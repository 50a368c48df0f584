"""Chapter 09: answers that look right and are not, and right ones that look strange.

Each wrong answer is right for some models or batches, or does beside the answer what it should not. What its card has
to say stands beside it.
"""

from __future__ import annotations

import contextlib
import copy

import pytest
from teach.answers import check_passing, check_refused, each_passing, each_refused

import minigrad as mg
from minigrad import nn
from minigrad.teach import EXERCISES

pytestmark = pytest.mark.usefixtures("in_this_process")

# ---------------------------------------------------------------- evaluate


@contextlib.contextmanager
def evaluating(model):
    flags = {module: module.training for module in model.modules()}
    model.eval()
    try:
        yield
    finally:
        for module, training in flags.items():
            module.training = training


def evaluate_children_only(model, inputs):
    """Flags of the layers directly below; those below them are lost."""
    flags = [(module, module.training) for module in model.children()]
    outer = model.training
    model.eval()
    try:
        with mg.no_grad():
            return model(inputs)
    finally:
        model.training = outer
        for module, training in flags:
            module.train(training)


def evaluate_in_the_wrong_order(model, inputs):
    """train(flag) of each module, the outer ones last."""
    flags = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with mg.no_grad():
            return model(inputs)
    finally:
        for module, training in reversed(flags):
            module.train(training)


def evaluate_by_momentum(model, inputs):
    """The running mean does not move, but the batch's own numbers are used."""
    with mg.no_grad():
        kept = [(buffer, buffer.clone()) for buffer in model.buffers()]
        answer = model(inputs)
        for buffer, before in kept:
            buffer.copy_(before)
    return answer


def evaluate_with_the_recording_left_off(model, inputs):
    mg.set_grad_enabled(False)
    with evaluating(model):
        return model(inputs)


def evaluate_with_the_recording_switched_on(model, inputs):
    """Right for all callers but those inside no_grad()."""
    with evaluating(model):
        mg.set_grad_enabled(False)
        try:
            return model(inputs)
        finally:
            mg.set_grad_enabled(True)


def evaluate_layers_of_two_kinds(model, inputs):
    """Not in eval mode, though the numbers are the same for the layers that there are."""
    with contextlib.ExitStack() as stack, mg.no_grad():
        for module in model.modules():
            if isinstance(module, nn.BatchNorm1d | nn.Dropout):
                stack.enter_context(evaluating(module))
        return model(inputs)


def evaluate_rounded(model, inputs):
    with evaluating(model), mg.no_grad():
        return model(inputs).round()


def evaluate_one_by_one_and_together(model, inputs):
    with evaluating(model), mg.no_grad():
        return mg.cat([model(inputs[i : i + 1]) for i in range(len(inputs))])


def evaluate_as_a_list(model, inputs):
    with evaluating(model), mg.no_grad():
        return model(inputs).tolist()


def evaluate_cut_off_inputs(model, inputs):
    with evaluating(model):
        return model(inputs.detach()).detach()


def evaluate_a_copy(model, inputs):
    with mg.no_grad():
        return copy.deepcopy(model).eval()(inputs)


def evaluate_by_a_manager(model, inputs):
    with evaluating(model), mg.inference_mode():
        return model(inputs)


def evaluate_decorated(model, inputs):
    @mg.no_grad
    def run():
        return model(inputs)

    with evaluating(model):
        return run()


def evaluate_from_the_outside_in(model, inputs):
    """train(flag) of each module, outer ones first, so that inner ones have the last word."""
    flags = [module.training for module in model.modules()]
    before = mg.is_grad_enabled()
    try:
        mg.set_grad_enabled(False)
        return model.eval()(inputs)
    finally:
        mg.set_grad_enabled(before)
        for module, training in zip(model.modules(), flags, strict=True):
            module.train(training)


def evaluate_only_what_trains(model, inputs):
    trained = [module for module in model.modules() if module.training]
    for module in trained:
        module.training = False
    try:
        with mg.set_grad_enabled(False):
            return model(inputs)
    finally:
        for module in trained:
            module.training = True


# ---------------------------------------------------------------- freeze


def freeze_without_the_norm(model):
    """Batch normalization is left in train mode, as it would be to adapt to new data."""
    EXERCISES["freeze"].reference(model)
    for module in model.backbone.modules():
        if isinstance(module, nn.BatchNorm1d):
            module.train()


def freeze_weights_only(model):
    """The biases are forgotten."""
    model.backbone.eval()
    model.backbone.zero_grad()
    for name, parameter in model.backbone.named_parameters():
        parameter.requires_grad_("weight" not in name)


def freeze_the_first_layer(model):
    for layer in list(model.backbone)[:1]:
        layer.requires_grad_(False)
        layer.zero_grad()
    model.backbone.eval()


def freeze_by_momentum(model):
    """The statistics stay, but the batch's own are used."""
    model.backbone.requires_grad_(False)
    model.backbone.zero_grad()
    for module in model.backbone.modules():
        if isinstance(module, nn.BatchNorm1d):
            module.momentum = 0.0
        if isinstance(module, nn.Dropout):
            module.p = 0.0


def freeze_by_hooks(model):
    """Gradients of zero: the optimizer goes on with momentum and weight decay."""
    model.backbone.eval()
    for parameter in model.backbone.parameters():
        parameter.register_hook(mg.zeros_like)


def freeze_in_inference(model):
    """What comes out cannot be trained with."""
    EXERCISES["freeze"].reference(model)
    forward = model.backbone.forward
    model.backbone.forward = lambda x: mg.inference_mode()(forward)(x).clone()


def freeze_a_copy(model):
    EXERCISES["freeze"].reference(copy.deepcopy(model))


def freeze_all_gradients_cleared(model):
    """Its head has lost the gradient that it had, and its next step is another one."""
    EXERCISES["freeze"].reference(model)
    model.zero_grad()


def freeze_one_by_one(model):
    for module in model.backbone.modules():
        module.training = False
    for parameter in model.backbone.parameters():
        parameter.requires_grad = False
        parameter.grad = None


def freeze_by_detach_in_place(model):
    model.backbone.eval()
    for parameter in model.backbone.parameters():
        parameter.grad = None
        parameter.detach_()


def freeze_through_the_model(model):
    head = {name for name, _ in model.head.named_parameters(prefix="head")}
    model.backbone.train(False)
    for name, parameter in model.named_parameters():
        if name not in head:
            parameter.requires_grad_(False).grad = None


def freeze_and_say_so(model):
    EXERCISES["freeze"].reference(model)
    return [name for name, _ in model.backbone.named_parameters()]


# ---------------------------------------------------------------- epoch


def epoch_in_a_loop(loss_of, w, batches, rate, note):
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        note(loss)
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None


def epoch_by_averages(loss_of, w, batches, rate):
    """An average that is carried on, with all graphs behind it."""
    mean, worst = 0.0, float("-inf")
    for count, batch in enumerate(batches, 1):
        loss = loss_of(w, batch)
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
        mean = mean + (loss - mean) / count
        worst = max(worst, loss.item())
    return mean, worst


def epoch_with_two_kept(loss_of, w, batches, rate):
    """The last two losses are kept, to compare."""
    losses, recent = [], []
    epoch_in_a_loop(loss_of, w, batches, rate, lambda loss: (losses.append(loss.item()), recent.append(loss)))
    return sum(losses) / len(losses), max(losses)


def epoch_with_views(loss_of, w, batches, rate):
    """A view of a loss is a result with a graph as well."""
    losses = []
    epoch_in_a_loop(loss_of, w, batches, rate, lambda loss: losses.append(loss.view(1)))
    losses = mg.cat(losses)
    return losses.mean().item(), losses.max().item()


def epoch_of_absolute_losses(loss_of, w, batches, rate):
    losses = []
    epoch_in_a_loop(loss_of, w, batches, rate, lambda loss: losses.append(loss.item()))
    return sum(losses) / len(losses), max(losses, key=abs)


def epoch_with_a_new_w(loss_of, w, batches, rate):
    losses = []
    for batch in batches:
        loss = loss_of(w, batch)
        (gradient,) = mg.autograd.grad(loss, w)
        w = (w - rate * gradient).detach().requires_grad_()
        losses.append(loss.item())
    return sum(losses) / len(losses), max(losses)


def epoch_with_a_new_w_under_no_grad(loss_of, w, batches, rate):
    """From the second batch on there is nothing to walk back to."""
    losses = []
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        with mg.no_grad():
            w = w - rate * w.grad
        losses.append(loss.item())
    return sum(losses) / len(losses), max(losses)


def epoch_without_no_grad(loss_of, w, batches, rate):
    for batch in batches:
        loss_of(w, batch).backward()
        w -= rate * w.grad


def epoch_with_zeros_left(loss_of, w, batches, rate):
    losses = []
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad.zero_()
        losses.append(loss.item())
    return sum(losses) / len(losses), max(losses)


def epoch_frozen(loss_of, w, batches, rate):
    """The step is made with w.requires_grad off, which stays off after the last."""
    losses = []
    for batch in batches:
        loss = loss_of(w.requires_grad_(), batch)
        loss.backward()
        w.requires_grad_(False)
        w -= rate * w.grad
        w.grad = None
        losses.append(loss.item())
    return sum(losses) / len(losses), max(losses)


def epoch_from_a_stack(loss_of, w, batches, rate):
    """The caller's list is empty afterwards."""
    losses = []
    while batches:
        epoch_in_a_loop(loss_of, w, [batches.pop(0)], rate, lambda loss: losses.append(loss.item()))
    return sum(losses) / len(losses), max(losses)


def epoch_summed_in_half(loss_of, w, batches, rate):
    losses = []
    epoch_in_a_loop(loss_of, w, batches, rate, lambda loss: losses.append(loss.item()))
    return sum(losses) / 2, max(losses)


def epoch_detached(loss_of, w, batches, rate):
    losses = []
    epoch_in_a_loop(loss_of, w, batches, rate, lambda loss: losses.append(loss.detach()))
    return mg.stack(losses).mean(), max(losses)


def epoch_of_floats(loss_of, w, batches, rate):
    total, worst = 0.0, -float("inf")

    def note(loss):
        nonlocal total, worst
        total += float(loss.detach())
        worst = max(worst, float(loss.detach()))

    epoch_in_a_loop(loss_of, w, batches, rate, note)
    return [total / len(batches), worst]


def epoch_in_numpy(loss_of, w, batches, rate):
    losses = []
    epoch_in_a_loop(loss_of, w, batches, rate, lambda loss: losses.append(loss.detach().numpy().copy()))
    return sum(losses) / len(losses), max(losses)


def epoch_by_grad(loss_of, w, batches, rate):
    total = mg.zeros(())
    worst = float("-inf")
    for batch in batches:
        loss = loss_of(w, batch)
        (gradient,) = mg.autograd.grad(loss, w)
        with mg.no_grad():
            w.sub_(gradient, alpha=rate)
            total += loss
        worst = max(worst, loss.item())
    return (total / len(batches)).item(), worst


def epoch_by_an_optimizer(loss_of, w, batches, rate):
    optimizer, losses = mg.optim.SGD([w], lr=rate), []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(w, batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    optimizer.zero_grad()
    return sum(losses) / len(losses), max(losses)


# ---------------------------------------------------------------- usable


def usable_by_adding(tensors):
    """Outside of the mode this makes normal tensors, inside it does not."""
    return [tensor + 0 if tensor.is_inference() else tensor for tensor in tensors]


def usable_under_enable_grad(tensors):
    with mg.enable_grad():
        return [tensor.clone() if tensor.is_inference() else tensor for tensor in tensors]


def usable_in_float32(tensors):
    with mg.inference_mode(False):
        return [tensor.float().clone() if tensor.is_inference() else tensor for tensor in tensors]


def usable_flat(tensors):
    with mg.inference_mode(False):
        return [tensor.clone().view(-1) if tensor.is_inference() else tensor for tensor in tensors]


def usable_in_place(tensors):
    """The caller's list is changed."""
    with mg.inference_mode(False):
        for i, tensor in enumerate(tensors):
            if tensor.is_inference():
                tensors[i] = tensor.clone()
    return tensors


def usable_and_the_list_filled(tensors):
    tensors[:] = EXERCISES["usable"].reference(tensors)
    return list(tensors)


def usable_as_leaves(tensors):
    with mg.inference_mode(False):
        return [tensor.clone().requires_grad_() if tensor.is_inference() else tensor for tensor in tensors]


def usable_for_those_without_gradient(tensors):
    """Not those that need no gradient are to be copied, but those from inference mode."""
    with mg.inference_mode(False):
        return [tensor if tensor.requires_grad else tensor.clone() for tensor in tensors]


def usable_detached(tensors):
    with mg.inference_mode(False):
        return [tensor.clone() if tensor.is_inference() else tensor.detach() for tensor in tensors]


def usable_through_numpy(tensors):
    with mg.inference_mode(False):
        return [mg.tensor(tensor.numpy()) if tensor.is_inference() else tensor for tensor in tensors]


def usable_decorated(tensors):
    @mg.inference_mode(False)
    def copied(tensor):
        return tensor.clone()

    return tuple(copied(tensor) if tensor.is_inference() else tensor for tensor in tensors)


def usable_filled(tensors):
    found = list(tensors)
    with mg.inference_mode(False):
        for i, tensor in enumerate(tensors):
            if tensor.is_inference():
                found[i] = mg.empty_like(tensor).copy_(tensor)
    return found


def usable_by_a_sum(tensors):
    with mg.inference_mode(False), mg.no_grad():
        return [tensor * 1 if tensor.is_inference() else tensor for tensor in tensors]


def usable_by_asking_the_counter(tensors):
    def is_marked(tensor):
        try:
            return tensor._version < 0
        except RuntimeError:
            return True

    with mg.inference_mode(mode=False):
        return [copy.deepcopy(tensor) if is_marked(tensor) else tensor for tensor in tensors]


def freeze_around_forward(model):
    model.backbone.forward = mg.no_grad()(model.backbone.forward)


def freeze_by_the_mode(model):
    mg.set_grad_enabled(False)


def freeze_flags_of_children(model):
    for parameter in model.backbone.parameters():
        parameter.requires_grad, parameter.grad = False, None
    for layer in model.backbone.children():
        layer.training = False


def freeze_parameters_of_children(model):
    model.backbone.eval()
    for layer in model.backbone:
        for parameter in layer.parameters(recurse=False):
            parameter.requires_grad, parameter.grad = False, None


def epoch_moved_once(loss_of, w, batches, rate):
    losses = []
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        losses.append(loss.item())
        del loss
    w.data -= rate * w.grad
    w.grad = None
    return sum(losses) / len(losses), max(losses)


def epoch_that_never_moves(loss_of, w, batches, rate):
    losses = []
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        w.grad = None
        losses.append(loss.item())
    return sum(losses) / len(losses), max(losses)


def epoch_uphill(loss_of, w, batches, rate):
    return epoch_of_floats(loss_of, w, batches, -rate)


def epoch_of_the_best(loss_of, w, batches, rate):
    losses = []
    epoch_in_a_loop(loss_of, w, batches, rate, lambda loss: losses.append(loss.item()))
    return sum(losses) / len(losses), min(losses)


def epoch_summed_without_a_name(loss_of, w, batches, rate):
    losses = []
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        w.data -= rate * w.grad
        w.grad = None
        losses.append(loss.item())
        del loss  # so that no graph is ever kept, where the known answer keeps one
    return sum(losses), max(losses)


def usable_from_numpy_inside(tensors):
    return [mg.tensor(tensor.numpy()) if tensor.is_inference() else tensor for tensor in tensors]


def usable_by_float(tensors):
    with mg.inference_mode(False):
        return [tensor.clone().float() if tensor.is_inference() else tensor for tensor in tensors]


WRONG = {
    "evaluate": {
        evaluate_children_only: "the training flag of",
        evaluate_in_the_wrong_order: "came last and reached them all",
        evaluate_by_momentum: "ran in train mode",
        evaluate_with_the_recording_left_off: "whether operations are recorded, afterwards: yours False",
        evaluate_with_the_recording_switched_on: "on where the caller had switched it off",
        evaluate_layers_of_two_kinds: "may look at its flag",
        evaluate_rounded: "None of the mistakes that are known here",
        evaluate_one_by_one_and_together: "ran more than once",
        evaluate_as_a_list: "a tensor",
        evaluate_cut_off_inputs: "paid for and thrown away",
    },
    "freeze": {
        freeze_without_the_norm: "still runs in train mode",
        freeze_weights_only: "0.bias",
        freeze_the_first_layer: "after a step",
        freeze_by_momentum: "still runs in train mode",
        freeze_by_hooks: "with a .grad",
        freeze_in_inference: "Nothing goes back through the backbone",
        freeze_a_copy: "Nothing was frozen",
        freeze_around_forward: "Nothing goes back through the backbone",
        freeze_by_the_mode: "Nothing goes back through the backbone",
        freeze_flags_of_children: "still runs in train mode",
        freeze_parameters_of_children: "Parameters of the backbone still get gradients",
        freeze_all_gradients_cleared: "The head's .grad was cleared as well",
    },
    "epoch": {
        epoch_by_averages: "a tensor with its graph",
        epoch_with_two_kept: "until then several were",
        epoch_with_views: "until then several were",
        epoch_of_absolute_losses: "the largest",
        epoch_with_a_new_w: "w afterwards",
        epoch_with_a_new_w_under_no_grad: "makes another tensor",
        epoch_without_no_grad: "The error arose while your function ran",
        epoch_with_zeros_left: "zeros are a gradient to an optimizer",
        epoch_frozen: "w can no longer be trained",
        epoch_from_a_stack: "The list was emptied",
        epoch_summed_in_half: "the mean",
        epoch_moved_once: "w has moved once, after all batches",
        epoch_that_never_moves: "w has not moved",
        epoch_uphill: "w has moved up the slope",
        epoch_of_the_best: "The smallest loss is there",
        epoch_summed_without_a_name: "This is the sum of the losses",
    },
    "usable": {
        usable_by_adding: "more tensor of inference mode",
        usable_under_enable_grad: "Leave the mode for these lines",
        usable_in_float32: "dtype",
        usable_flat: "The shape is [1]",
        usable_in_place: "Make a new list",
        usable_and_the_list_filled: "the list that was given",
        usable_as_leaves: "requires_grad",
        usable_for_those_without_gradient: "Tensors that were fine",
        usable_detached: "the same tensor",
        usable_from_numpy_inside: "since it was made inside of it",
        usable_by_float: "float() and mg.tensor() of Python's numbers",
    },
}

RIGHT = {
    "evaluate": (
        evaluate_a_copy,
        evaluate_by_a_manager,
        evaluate_decorated,
        evaluate_from_the_outside_in,
        evaluate_only_what_trains,
    ),
    "freeze": (freeze_one_by_one, freeze_by_detach_in_place, freeze_through_the_model, freeze_and_say_so),
    "epoch": (epoch_detached, epoch_of_floats, epoch_in_numpy, epoch_by_grad, epoch_by_an_optimizer),
    "usable": (
        usable_through_numpy,
        usable_decorated,
        usable_filled,
        usable_by_a_sum,
        usable_by_asking_the_counter,
    ),
}


@each_refused(WRONG)
def test_an_answer_that_looks_right_is_refused_with_words(name: str, answer, words: str) -> None:
    check_refused(name, answer, words)


@each_passing(RIGHT)
def test_a_right_answer_that_looks_strange_passes(name: str, answer) -> None:
    check_passing(name, answer)

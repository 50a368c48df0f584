"""Exercise `freeze`: a backbone that training does not change, and that lets gradients through."""

import copy
from dataclasses import dataclass
from typing import Any

import minigrad as mg
from minigrad import nn
from minigrad.teach import Case, Difference, Exercise, Mistake, compare, edited, show

from .chapter09 import LAYERS, first_change, make_layer, quarters, state_of


def freeze(model):
    """The backbone's parameters, statistics and outputs stay as they are from here on."""
    model.backbone.requires_grad_(False)
    model.backbone.eval()
    model.backbone.zero_grad()


class Model(nn.Module):
    """A backbone, and a head on top of it."""

    def __init__(self, backbone, head):
        super().__init__()
        self.backbone, self.head = backbone, head

    def forward(self, x):
        return self.head(self.backbone(x))


NUMBERS = (0.5, -1.0, 2.0, 0.25, -0.75)
INPUTS = ((1.0, 4.0), (2.0, 6.0), (3.0, 8.5))
HEAD = ("Linear", "BatchNorm1d")


def _case(kinds, numbers=NUMBERS, inputs=INPUTS, trained=0, nested=False):
    def make():
        mg.manual_seed(0)
        parts = [nn.Sequential(*[make_layer(kind, 2, numbers) for kind in part]) for part in (kinds, HEAD)]
        if nested:
            parts[0] = nn.Sequential(parts[0])
        model = Model(*parts)
        optimizer = mg.optim.SGD(model.parameters(), lr=0.125, momentum=0.5, weight_decay=0.25)
        model.__dict__["trial"] = (optimizer, mg.tensor(inputs))
        for _ in range(trained):  # the last gradients are still there
            optimizer.zero_grad()
            _loss(model, mg.tensor(inputs)).backward()
            optimizer.step()
        return (model,)

    before = (
        f", frozen after {trained} step{'s' * (trained > 1)} of training, with the last gradients still there"
        if trained
        else ""
    )
    inside = " in a module inside of it" if nested else ""
    return Case(f"a backbone of {', '.join(kinds)}{inside}, a head of {', '.join(HEAD)}{before}", make)


def _loss(model, x):
    outputs = model(x)
    return (outputs * mg.tensor([[1.0, -2.0]]) * mg.arange(1, len(outputs) + 1).view(-1, 1)).sum()


def _drawn(random):
    """Other layers, before and after some steps."""
    kinds = ["Linear", *random.choice(LAYERS, int(random.integers(1, 3))).tolist()]
    inputs = quarters(random, (int(random.integers(3, 5)), 2))
    yield _case(kinds, quarters(random, (5,)), inputs, int(random.integers(0, 2)), bool(random.integers(2)))


@dataclass(frozen=True)
class Frozen:
    """What became of both parts in a step of training, which an optimizer made that was there before."""

    outputs: tuple[Any, Any]  # of the backbone, from two calls before the step
    backbone: tuple[str, str, str] | None  # what has changed in it, if anything
    gradients: str  # which of its parameters have a .grad afterwards
    through: Any  # the gradient that the inputs got
    head: dict[str, Any]  # the head's parameters after the step
    flags: tuple[bool, ...]  # of the head's modules


def _trained(answer):
    def run(model):
        optimizer, inputs = model.__dict__["trial"]
        before = _lasting(model.backbone)
        answer(model)
        x = inputs.clone().requires_grad_()
        flags = tuple(module.training for module in model.head.modules())
        with mg.no_grad():
            outputs = tuple(model.backbone(inputs) for _ in range(2))
        if (loss := _loss(model, x)).requires_grad:
            loss.backward()
        optimizer.step()
        gradients = [name for name, one in model.backbone.named_parameters() if one.grad is not None]
        head = {name: parameter.detach().clone() for name, parameter in model.head.named_parameters()}
        change = first_change(before, _lasting(model.backbone))
        return Frozen(outputs, change, ", ".join(gradients), x.grad, head, flags)

    return run


def _lasting(backbone):
    """The parameters and buffers of the backbone, but for what freezing changes."""
    passing = (".grad", ".requires_grad")
    return {
        words: value
        for words, value in state_of(backbone).items()
        if not words.endswith(passing) and "flag" not in words and "hooks" not in words
    }


def _compare(expected, got, outcome):
    if got.backbone is not None:
        words, then, now = got.backbone
        yield Difference(f"the backbone's {words}, after a step", now, then)
    if compare(*got.outputs) is not None:
        yield Difference("the backbone, called twice", show(got.outputs[1]), show(got.outputs[0]))
    yield compare(expected.outputs[0], got.outputs[0], "what the backbone computes")
    if got.gradients:
        yield Difference("parameters of the backbone with a .grad", got.gradients, "none")
    if got.through is None:
        yield Difference("the gradient of the inputs", "None", show(expected.through))
    if got.flags != expected.flags:
        yield Difference("the head's training flags", str(got.flags), str(expected.flags))
    yield compare(expected.through, got.through, "the gradient of the inputs")
    for name, right in expected.head.items():
        yield compare(right, got.head[name], f"the head's {name}, after a step")


def _show(value, arguments):
    if not isinstance(value, Frozen):
        return show(value)
    changed = "nothing of it has changed" if value.backbone is None else "{}: {}, and now {}".format(*value.backbone)
    return (
        f"after a step, of the backbone: {changed}\n  parameters of it with a .grad: {value.gradients or 'none'}\n"
        f"  the backbone computes {show(value.outputs[0])}\n  training flags of the head: {value.flags}\n"
        f"  gradient of the inputs: {show(value.through)}\n"
        f"  the head, after a step: {', '.join(map(show, value.head.values()))}"
    )


def _frozen(test):
    """For `when`: a step could be made, for which the test holds."""
    return lambda outcome: isinstance(outcome.value, Frozen) and test(outcome.value, outcome)


def _moved(*words):
    return _frozen(lambda value, _: value.backbone is not None and any(word in value.backbone[0] for word in words))


def _runs_in_train_mode(outcome):
    backbone = outcome.arguments[0].backbone
    is_still = not any(one.requires_grad for one in backbone.parameters())
    return is_still and any(module.training for module in backbone.modules())


def _head_is_off(value, outcome):
    right = EXERCISE.run(freeze, outcome.case).value
    return value.flags != right.flags or not all(one.requires_grad for one in outcome.arguments[0].head.parameters())


def _head_moves_otherwise(value, outcome):
    if value.backbone is not None:
        return False
    right = EXERCISE.run(freeze, outcome.case).value
    return any(compare(one, value.head[name]) is not None for name, one in right.head.items())


# ---------------------------------------------------------------- wrong answers


def only_eval(model):
    """Parameters of the backbone still get gradients, and the optimizer moves them. eval() freezes statistics, and no
    parameters; requires_grad_(False) does, for all of them if the backbone is asked.
    """
    model.backbone.eval()


def gradients_of_zero(model):
    """The backbone's .grad is there, full of zeros. An optimizer takes zeros for a gradient: momentum and weight decay
    go on. None is what it skips.
    """
    freeze(model)
    for parameter in model.backbone.parameters():
        parameter.grad = mg.zeros_like(parameter)


def all_gradients_cleared(model):
    """The head's .grad was cleared as well, so that its next step is another one. Only the backbone's is to go."""
    freeze(model)
    model.zero_grad()


def new_parameters(model):
    """There are other parameters than before, and the optimizer has still the old ones. Change the tensors that are
    there: requires_grad_(False) does.
    """
    freeze(model)
    for module in model.backbone.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            setattr(module, name, nn.Parameter(parameter.detach().clone(), requires_grad=False))


def detach_forgotten(model):
    """Nothing was frozen: detach() and no_grad() on a line of their own change nothing, detach() makes another tensor.
    requires_grad_(False) changes the parameter itself.
    """
    for parameter in model.backbone.parameters():
        parameter.detach()
    mg.no_grad()


# ---------------------------------------------------------------- tried as well


def freeze_without_the_norm(model):
    """Batch normalization is left in train mode, as it would be to adapt to new data."""
    freeze(model)
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
    freeze(model)
    forward = model.backbone.forward
    model.backbone.forward = lambda x: mg.inference_mode()(forward)(x).clone()


def freeze_a_copy(model):
    freeze(copy.deepcopy(model))


def freeze_one_by_one(model):
    for module in model.backbone.modules():
        module.training = False
    for parameter in model.backbone.parameters():
        parameter.requires_grad = False
        parameter.grad = None


def freeze_through_the_model(model):
    head = {name for name, _ in model.head.named_parameters(prefix="head")}
    model.backbone.train(False)
    for name, parameter in model.named_parameters():
        if name not in head:
            parameter.requires_grad_(False).grad = None


def freeze_and_say_so(model):
    freeze(model)
    return [name for name, _ in model.backbone.named_parameters()]


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


EXERCISE = Exercise(
    title="the backbone of the model frozen: training changes nothing that it computes; the head goes on",
    stars=2,
    minutes=8,
    reference=freeze,
    cases=(
        _case(["Linear", "BatchNorm1d", "Tanh"]),
        _case(["Linear", "Tanh"]),
        _case(["BatchNorm1d", "Linear", "Dropout"]),
        _case(["Linear", "BatchNorm1d"], trained=2),
        _case(["Linear", "BatchNorm1d", "Dropout"], nested=True),
    ),
    drawn=_drawn,
    hints=(
        "A backbone changes in three ways: through new gradients, through those that are still there, and by running.",
        "requires_grad_(False) is for the first and eval() for the last, each on model.backbone alone. What does an "
        "optimizer do with a parameter whose .grad is not None?",
        "model.backbone.requires_grad_(False); model.backbone.eval(); model.backbone.zero_grad().",
    ),
    plug=_trained,
    compare=_compare,
    show=_show,
    writes=True,
    mistakes=(
        Mistake(detach_forgotten, edited(only_eval, "eval()", "requires_grad = False")),
        Mistake(new_parameters, when=_moved("the object")),
        Mistake(
            edited(freeze, "eval()\n    model.backbone.zero_grad", "zero_grad"),
            words="The backbone still runs in train mode: its BatchNorm uses the numbers of each batch and moves its "
            "statistics, its dropout drops. They are no parameters, and requires_grad has nothing to do with "
            "them: call model.backbone.eval().",
            when=_runs_in_train_mode,
        ),
        Mistake(
            edited(all_gradients_cleared, "zero_grad()", "backbone.forward = mg.no_grad()(model.backbone.forward)"),
            words="Nothing goes back through the backbone: no_grad() or detach() around it cuts it off, also for what "
            "lies before it. requires_grad_(False) stops at the parameters, and lets the rest pass.",
            when=_frozen(lambda value, _: value.through is None),
        ),
        Mistake(
            gradients_of_zero,
            when=lambda outcome: any(
                one.grad is not None and not one.requires_grad and not one.grad.any()
                for one in outcome.arguments[0].backbone.parameters()
            ),
        ),
        Mistake(
            edited(freeze, "eval()\n    model.backbone.zero_grad()", "eval()"),
            words="The parameters get no new gradients, but those of the last step are still in their .grad, and an "
            "optimizer takes what it finds there. Set them to None, as zero_grad() does.",
            when=_frozen(
                lambda value, outcome: (
                    bool(value.gradients)
                    and not any(one.requires_grad for one in outcome.arguments[0].backbone.parameters())
                )
            ),
        ),
        Mistake(only_eval, when=_frozen(lambda value, _: bool(value.gradients))),
        Mistake(
            edited(all_gradients_cleared, "freeze(model)", "model.requires_grad_(False)\n    model.eval()"),
            edited(only_eval, "backbone.eval()", "eval()\n    freeze(model)"),
            words="The head is frozen as well: it is in eval mode, or its parameters are. Only model.backbone is to "
            "be.",
            when=_frozen(_head_is_off),
        ),
        Mistake(all_gradients_cleared, when=_frozen(_head_moves_otherwise)),
    ),
    right=(
        freeze_one_by_one,
        edited(freeze_by_hooks, "register_hook(mg.zeros_like)", "grad = None\n        parameter.detach_()"),
        freeze_through_the_model,
        freeze_and_say_so,
    ),
    wrong={
        "still runs in train mode": [freeze_without_the_norm, freeze_by_momentum, freeze_flags_of_children],
        "0.bias … Parameters of the backbone still get gradients, and the": [freeze_weights_only],
        "after a step … Parameters of the backbone still get gradients, and the": [freeze_the_first_layer],
        "with a .grad … Parameters of the backbone still get gradients, and the": [freeze_by_hooks],
        "Nothing goes back through the backbone": [
            freeze_in_inference,
            edited(only_eval, "eval()", "forward = mg.no_grad()(model.backbone.forward)"),
            freeze_by_the_mode,
        ],
        "Nothing was frozen": [freeze_a_copy],
        "Parameters of the backbone still get gradients": [freeze_parameters_of_children],
        "The head's .grad was cleared as well": [all_gradients_cleared],
    },
)

"""Exercise `freeze`: a backbone that training does not change, and that lets gradients through."""

import copy
import operator

import minigrad as mg
from minigrad import nn
from minigrad.teach import (
    Exercise,
    Mistake,
    cases,
    compare,
    draw_numbers,
    edited,
    flip,
    observer,
    pick,
    saw,
)

from .chapter09 import DOUBLING, LAYERS, change, make_layer, state_of


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


class Scaled(nn.Module):
    """A module with a parameter beside its layers, which looks at its own flag."""

    def __init__(self, layers):
        super().__init__()
        self.layers, self.scale = layers, nn.Parameter(mg.tensor([1.0, 0.5]))

    def forward(self, x):
        x = self.layers(x) * self.scale
        return x * 2 if self.training else x


NUMBERS = (0.5, -1.0, 2.0, 0.25, -0.75)
INPUTS = ((1.0, 4.0), (2.0, 6.0), (3.0, 8.5))
HEAD = "Linear, BatchNorm1d"


@cases(
    "a backbone of {kinds}{nested}, a head of " + HEAD,
    trained=", frozen after {trained} of training, with the last gradients still there",
    nested=" in a module inside of it",
    own=" and a scale of its own, doubled in train mode",
    off=", where {off} was frozen already",
    still=", where {still} was in eval mode already",
)
def _case(kinds, numbers=NUMBERS, inputs=INPUTS, trained="", nested=False, own=False, off="", still=""):
    mg.manual_seed(0)
    backbone, head = (
        nn.Sequential(*[make_layer(kind, 2, numbers) for kind in part.split(", ")]) for part in (kinds, HEAD)
    )
    model = Model(nn.Sequential(backbone) if nested else Scaled(backbone) if own else backbone, head)
    optimizer = mg.optim.SGD(model.parameters(), lr=0.125, momentum=0.5, weight_decay=0.25)
    model.__dict__["trial"] = (optimizer, mg.tensor(inputs))
    for _ in range(int(trained[:1] or 0)):  # the last gradients are still there
        optimizer.zero_grad()
        _loss(model, mg.tensor(inputs)).backward()
        optimizer.step()
    if still:
        dict(model.named_modules())[still].eval()
    if off:
        dict(model.named_parameters())[off].requires_grad_(False)
    return (model,)


def _loss(model, x):
    outputs = model(x)
    return (outputs * mg.tensor([[1.0, -2.0]]) * mg.arange(1, len(outputs) + 1).view(-1, 1)).sum()


def _drawn(random):
    """Other layers, before and after some steps."""
    kinds = ["Linear", *(pick(random, LAYERS) for _ in range(random.integers(1, 3)))]
    numbers, inputs = (draw_numbers(random, shape, 0.25, zero=False) for shape in (5, (random.integers(3, 5), 2)))
    yield _case(", ".join(kinds), numbers, inputs, pick(random, ["", "1 step"]), flip(random))


HELD = "the .grad of the head"
CHANGED, GRADIENTS = "changed in the backbone after a step", "parameters of the backbone with a .grad"
RECORDED, THROUGH, FLAGS = "whether operations are recorded", "the gradient of the inputs", "the head's training flags"
OWN = "model.training"


@observer
def _trained(answer, model):
    """What became of both parts in a step of training, which an optimizer made that was there before."""
    optimizer, inputs = model.__dict__["trial"]
    before = _lasting(model.backbone)
    held = [(one, one.grad) for one in model.head.parameters()]
    answer(model)
    recorded = mg.is_grad_enabled()
    cleared = [grad is not None and one.grad is None for one, grad in held]
    x = inputs.clone().requires_grad_()
    flags = str([module.training for module in model.head.modules()])
    with mg.no_grad():
        computed, again = (model.backbone(inputs) for _ in range(2))
    if (loss := _loss(model, x)).requires_grad:
        loss.backward()
    optimizer.step()
    gradients = [name for name, one in model.backbone.named_parameters() if one.grad is not None]
    return {
        RECORDED: recorded,
        CHANGED: change(before, _lasting(model.backbone)),
        "the backbone, called twice": "computes other numbers" if compare(computed, again) else "computes the same",
        "what the backbone computes": computed,
        GRADIENTS: ", ".join(gradients) or "none",
        THROUGH: x.grad,
        FLAGS: flags,
        OWN: model.training,
        HELD: "cleared" if any(cleared) else "as before",
        **{f"the head's {name}, after a step": one.detach().clone() for name, one in model.head.named_parameters()},
    }


def _lasting(backbone):
    """The parameters and buffers of the backbone, but for what freezing changes."""
    passing = (".grad", ".requires_grad")
    return {
        words: value
        for words, value in state_of(backbone).items()
        if not words.endswith(passing) and "flag" not in words and "hooks" not in words
    }


def _is_still(outcome):
    return outcome.error is None and not any(one.requires_grad for one in outcome.arguments[0].backbone.parameters())


def _runs_in_train_mode(outcome):
    return _is_still(outcome) and any(module.training for module in outcome.arguments[0].backbone.modules())


def _gradients_are_zero(outcome):
    """Whether parameters of the backbone that are frozen have gradients, and all of those are zeros."""
    frozen = [one for one in outcome.arguments[0].backbone.parameters() if not one.requires_grad]
    held = [one.grad for one in frozen if one.grad is not None]
    return outcome.error is None and bool(held) and not any(grad.any() for grad in held)


def _head_is_off(outcome):
    before, after = (model.head.parameters() for (model,) in (outcome.case.make(), outcome.arguments))
    is_still = any(one.requires_grad and not other.requires_grad for one, other in zip(before, after, strict=True))
    is_off = saw(FLAGS, lambda mine, right: mine.count("True") < right.count("True"))
    return outcome.error is None and (is_still or is_off(outcome))


def _head_is_on(outcome):
    """Whether a parameter of the head that somebody had frozen is frozen no more."""
    before, after = (model.head.parameters() for (model,) in (outcome.case.make(), outcome.arguments))
    return outcome.error is None and any(
        other.requires_grad and not one.requires_grad for one, other in zip(before, after, strict=True)
    )


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
    """The backbone has not the parameters from before, which the optimizer still holds. Change the tensors that are
    there: requires_grad_(False) does.
    """
    freeze(model)
    for module in model.backbone.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            setattr(module, name, nn.Parameter(parameter.detach().clone(), requires_grad=False))


def detach_forgotten(model):
    """Nothing was frozen: detach() and no_grad() on a line of their own change nothing, and a copy is another model.
    requires_grad_(False) changes the parameter itself.
    """
    for parameter in model.backbone.parameters():
        parameter.detach()
    mg.no_grad()


def freeze_by_the_mode(model):
    """The recording was switched off, on a line of its own, and so for everybody from there on: the head learns no more
    either. What is to stay is said of the backbone's parameters, with requires_grad_(False).
    """
    mg.set_grad_enabled(False)


def all_off_then_the_head_on(model):
    """A parameter of the head was frozen before, and is not any more. The head goes on as it did: leave it alone."""
    model.requires_grad_(False)
    model.head.requires_grad_(True)
    model.backbone.eval()
    model.backbone.zero_grad()


def gradients_of_those_that_were_on(model):
    model.backbone.eval()
    for parameter in model.backbone.parameters():
        if parameter.requires_grad:
            parameter.requires_grad, parameter.grad = False, None


def layers_of_the_backbone(model):
    """The modules within the backbone were frozen one by one, and a parameter of the backbone itself was not. Ask the
    backbone: model.backbone.parameters() has all of them.
    """
    model.backbone.eval()
    for layer in model.backbone.children():
        layer.requires_grad_(False)
        layer.zero_grad()


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


def freeze_known_layers(model):
    """Layers that somebody else has written stay in train mode."""
    model.backbone.requires_grad_(False)
    model.backbone.zero_grad()
    for module in model.backbone.modules():
        if isinstance(module, nn.BatchNorm1d | nn.Dropout):
            module.eval()


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


def freeze_flags_of_children(model):
    for parameter in model.backbone.parameters():
        parameter.requires_grad, parameter.grad = False, None
    for layer in model.backbone.children():
        layer.training = False


def freeze_flags_of_layers(model):
    """What has modules within keeps its own flag."""
    model.backbone.requires_grad_(False)
    model.backbone.zero_grad()
    for module in model.backbone.modules():
        module.training = bool(list(module.children()))


def freeze_parameters_of_children(model):
    model.backbone.eval()
    for layer in model.backbone:
        for parameter in layer.parameters(recurse=False):
            parameter.requires_grad, parameter.grad = False, None


def freeze_and_hold_the_head_back(model):
    freeze(model)
    for one in model.head.parameters():
        one.register_hook(lambda g: g.clamp(-0.5, 0.5))


EXERCISE = Exercise(
    title="the backbone of the model frozen: training changes nothing that it computes; the head goes on",
    stars=2,
    minutes=8,
    reference=freeze,
    cases=(
        _case("Linear, BatchNorm1d, Tanh"),
        _case("Linear, Tanh"),
        _case("BatchNorm1d, Linear, Dropout"),
        _case("Linear, BatchNorm1d", trained="2 steps"),
        _case("Linear, BatchNorm1d, Dropout", nested=True),
        _case(f"Linear, {DOUBLING}"),
        _case("Linear, Tanh", own=True),
        _case("Linear, BatchNorm1d", trained="1 step", off="backbone.0.weight"),
        _case("Linear, Tanh", off="head.0.weight"),
        _case("Linear, Tanh", still="head.1"),
    ),
    drawn=_drawn,
    hints=(
        "A backbone changes in three ways: through new gradients, through those that are still there, and by running.",
        "requires_grad_(False) is for the first and eval() for the last, each on model.backbone alone. What does an "
        "optimizer do with a parameter whose .grad is not None?",
        "model.backbone.requires_grad_(False); model.backbone.eval(); model.backbone.zero_grad().",
    ),
    plug=_trained,
    writes=True,
    in_double=0,  # the networks are float32
    mistakes=(
        Mistake(detach_forgotten, edited(only_eval, "eval()", "requires_grad = False")),
        Mistake(
            new_parameters,
            when=lambda outcome: saw(CHANGED, "the object")(outcome) or saw(CHANGED, "and now absent")(outcome),
        ),
        Mistake(
            edited(freeze, "eval()\n    model.backbone.zero_grad", "zero_grad"),
            words="The backbone still runs in train mode, or a part of it. There BatchNorm uses the numbers of each "
            "batch and moves its statistics, and dropout drops, which has nothing to do with requires_grad: call "
            "model.backbone.eval().",
            when=_runs_in_train_mode,
        ),
        Mistake(freeze_by_the_mode, when=saw(RECORDED, operator.ne)),
        Mistake(
            edited(all_gradients_cleared, "zero_grad()", "backbone.forward = mg.no_grad()(model.backbone.forward)"),
            words="Nothing goes back through the backbone, as where no_grad() or detach() around it cuts it off, also "
            "for what lies before it. requires_grad_(False) stops at the parameters, and lets the rest pass.",
            when=saw(THROUGH, lambda mine, right: mine is None),
        ),
        Mistake(
            gradients_of_zero,
            when=_gradients_are_zero,
        ),
        Mistake(
            edited(freeze, "eval()\n    model.backbone.zero_grad()", "eval()"),
            gradients_of_those_that_were_on,
            words="The parameters get no new gradients, but those of the last step are still in their .grad, and an "
            "optimizer takes what it finds there. Set them to None, as zero_grad() does.",
            when=lambda outcome: saw(GRADIENTS, operator.ne)(outcome) and _is_still(outcome),
        ),
        layers_of_the_backbone,
        Mistake(only_eval, when=saw(GRADIENTS, operator.ne)),
        Mistake(
            edited(all_gradients_cleared, "freeze(model)", "model.requires_grad_(False)\n    model.eval()"),
            edited(only_eval, "backbone.eval()", "eval()\n    freeze(model)"),
            words="The head is frozen as well, or a part of it: it is in eval mode, or its parameters are frozen. Only "
            "model.backbone is to be.",
            when=_head_is_off,
        ),
        Mistake(all_off_then_the_head_on, when=_head_is_on),
        Mistake(
            edited(freeze, "model.backbone.eval()", "model.head.train()\n    model.backbone.eval()"),
            words="A part of the head was in eval mode before, and is in train mode now. The head goes on as it did: "
            "leave it alone.",
            when=saw(FLAGS, lambda mine, right: mine.count("True") > right.count("True")),
        ),
        Mistake(all_gradients_cleared, when=saw(HELD, operator.ne)),
        Mistake(
            edited(freeze, "backbone.eval()", "eval()\n    model.head.train()"),
            words="The model's own flag is off now, as after eval() of the whole model, whatever was switched on again "
            "afterwards. Ask the backbone alone: model.backbone.eval().",
            when=saw(OWN, operator.ne),
        ),
    ),
    right=(
        freeze_one_by_one,
        edited(freeze_by_hooks, "register_hook(mg.zeros_like)", "grad = None\n        parameter.detach_()"),
        freeze_through_the_model,
        freeze_and_say_so,
    ),
    wrong={
        "doubles in train mode, a head of Linear, BatchNorm1d … still runs in train mode": [freeze_known_layers],
        "still runs in train mode": [freeze_without_the_norm, freeze_by_momentum, freeze_flags_of_children],
        "0.bias … Parameters of the backbone still get gradients, and the": [freeze_weights_only],
        "after a step … Parameters of the backbone still get gradients, and the": [freeze_the_first_layer],
        "with a .grad … Parameters of the backbone still get gradients, and the": [freeze_by_hooks],
        "Nothing goes back through the backbone": [
            freeze_in_inference,
            edited(only_eval, "eval()", "forward = mg.no_grad()(model.backbone.forward)"),
        ],
        "the head learns no more either": [
            edited(freeze, "model.backbone.requires_grad_(False)", "mg.inference_mode().__enter__()")
        ],
        "or a part of it": [edited(freeze, "backbone.eval()", "head[1].eval()\n    model.backbone.eval()")],
        "The model's own flag is off": [
            edited(freeze, "backbone.eval()", "training = False\n    model.backbone.eval()")
        ],
        "Nothing was frozen": [freeze_a_copy],
        "and now absent … has not the parameters from before": [
            edited(freeze, "model.backbone.zero_grad()", "model.backbone = nn.Identity()")
        ],
        "of its own, doubled in train mode … still runs in train mode": [freeze_flags_of_layers],
        "has no attribute 'evall' … Its text says what was wrong": [edited(freeze, "eval", "evall")],
        "Parameters of the backbone still get gradients": [freeze_parameters_of_children],
        "the .grad of the head: yours cleared … The head's .grad was cleared as well": [all_gradients_cleared],
        "None of the mistakes that are known here": [freeze_and_hold_the_head_back],
    },
)

"""Exercise `coarse_weights`: the Function of chapter 06 in every layer of a network."""

import copy
import functools
import operator
import types
import warnings

import numpy as np

import minigrad as mg
import minigrad.nn.functional as F
from minigrad import nn
from minigrad.autograd import Function
from minigrad.teach import (
    Exercise,
    Mistake,
    cases,
    compare,
    edited,
    flip,
    function_of,
    observer,
    pick,
    raised,
    right_but,
    saw,
    show,
)


def coarse_weights(model, step):
    """From now on each Linear computes with its weights rounded to multiples of step, and trains the exact ones."""

    def forward_of(layer):
        return lambda x: F.linear(x, Quantize.apply(layer.weight, step), layer.bias)

    for module in model.modules():
        if isinstance(module, nn.Linear):
            module.forward = forward_of(module)


def _forward(ctx, x, step):
    return (x / step).round() * step


def _backward(ctx, grad_output):
    return grad_output, None


def _quantize(forward=_forward, backward=_backward):
    return function_of("Quantize", forward, backward)


Quantize = _quantize()
KINDS = PLAIN, NESTED, ALONE, TWICE = (
    "two layers",
    "layers within layers, and a LayerNorm",
    "one layer and nothing else",
    "one layer, used twice",
)
OTHERS = mg.tensor([[0.3, 0.7]])


def _model(kind, size, bias):
    def layer(out=size):
        return nn.Linear(size, out, bias=bias)

    if kind == ALONE:
        return layer()
    if kind == TWICE:
        shared = layer()
        return nn.Sequential(shared, nn.Tanh(), shared)
    if kind == NESTED:
        return nn.Sequential(nn.Sequential(layer(), nn.LayerNorm(size), nn.Sequential(layer(), nn.Tanh())), layer(2))
    return nn.Sequential(layer(), nn.Tanh(), layer(2))


@cases(
    "{kind} of {size}{bias}{frozen}{trains}{far}{again}{deep}, step = {step}, trained with lr = {rate}",
    bias=", without bias",
    frozen=", its first weights are frozen",
    trains=", in eval mode",
    far=", weights of up to {far} steps",
    again=", changed with half the step before",
    deep=", inputs of three dimensions",
)
def _case(kind, step, size=3, rate=0.125, bias=True, frozen=False, seed=0, trains=True, far=3, again=False, deep=False):
    random = np.random.default_rng(seed)
    model = _model(kind, size, bias)
    with mg.no_grad():
        for one in model.parameters():  # none of them in the middle between two multiples
            multiples = random.integers(-far, far + 1, tuple(one.shape)) + random.uniform(-0.4, 0.4, tuple(one.shape))
            one.copy_(mg.tensor(multiples * step))
    if frozen:
        next(model.parameters()).requires_grad_(False)
    model.train(trains).__dict__["another"] = [nn.Linear(2, 2)]
    model.__dict__["rate"] = rate
    shape = (2, 2, size) if deep else (4, size)
    model.__dict__["inputs"] = mg.tensor(random.integers(-4, 5, shape) / 2, dtype=mg.float32)
    model.__dict__["again"] = again
    return model, step


FIRST, TO_X, WITHOUT = "model(x)", "the gradient of x", "parameters without a gradient"
MEASURED = "model(x) in no_grad()"
ANOTHER, PARAMETERS, EXACT = "another network, which nobody gave to it", "the parameters", "the exact weights"
AS_BEFORE, SAME = "as it was", "the same objects"


@observer
def _trained(answer, model, step):
    """The network is changed, and then takes steps with an optimizer that was made before."""
    forward, linear = nn.Linear.forward, F.linear
    try:
        return _steps(answer, model, step)
    finally:
        nn.Linear.forward, F.linear = forward, linear


def _steps(answer, model, step):
    rate, inputs, (another,) = (model.__dict__[name] for name in ("rate", "inputs", "another"))
    before = dict(model.named_parameters())
    trained = [name for name, one in before.items() if one.requires_grad]
    optimizer = mg.optim.SGD(before.values(), lr=rate)
    expected, exact = another(OTHERS).tolist(), [_numbers(before)]
    if model.__dict__["again"]:
        answer(model, step / 2)  # whose multiples are those of step, and others
    answer(model, step)
    answer(_model(PLAIN, 2, True), 2 * step)
    is_alone = another(OTHERS).tolist() == expected
    exact.append(_numbers(before))
    x = inputs.clone().requires_grad_()
    first, losses = model(x), []
    (first * _weights(first)).sum().backward()
    without = [name for name in trained if before[name].grad is None]
    exact.append(_numbers(before))
    with mg.no_grad():
        measured = model(x)
    written = "the function" if exact[1] != exact[0] else "a forward pass" if exact[2] != exact[1] else ""
    for _ in range(3):
        optimizer.zero_grad()
        loss = (model(inputs) - 1).square().mean()
        losses.append(loss.item())
        if loss.requires_grad:
            loss.backward()
        optimizer.step()
    after = dict(model.named_parameters())
    others = [name for name, one in after.items() if all(one is not old for old in before.values())]
    named = f"{', '.join(others)} new" if others else SAME if [*after] == [*before] else ", ".join(after)
    return {
        FIRST: first.detach(),
        ANOTHER: AS_BEFORE if is_alone else "rounded",
        PARAMETERS: named,
        EXACT: f"written to by {written}" if written else "as they were",
        WITHOUT: ", ".join(without) or "none",
        MEASURED: measured,
        TO_X: x.grad,
        "the losses": losses,
        **{f"{name} after three steps": one.detach().clone() for name, one in after.items()},
    }


def _numbers(parameters):
    return [one.tolist() for one in parameters.values()]


def _weights(output):
    return mg.tensor(np.resize(np.float32([1.0, -2.0, 0.5]), tuple(output.shape)))


def _evidence(outcome):
    """What a first layer has, and what it is to compute with."""
    model, step = outcome.case.make()
    weight = next(model.parameters()).detach()
    coarse = _forward(None, weight, step)
    return f"  the first row of weights  {show(weight[0])}\n  in multiples of {step:<11}{show(coarse[0])}"


def _drawn(random):
    """Other networks, other numbers, other steps."""
    size, seed = int(random.integers(2, 5)), int(random.integers(1000))
    if flip(random):
        kind, step = pick(random, KINDS), pick(random, [0.25, 0.5, 1.0])
        yield _case(kind, step, size, 0.0625, flip(random), not random.integers(4), seed)


# ---------------------------------------------------------------- wrong answers

COARSE = "Quantize.apply(layer.weight, step)"
WHOLE = f"F.linear(x, {COARSE}, layer.bias)"
IS_LAYER = "isinstance(module, nn.Linear)"


def _layers(model):
    return [module for module in model.modules() if isinstance(module, nn.Linear)]


def _changed(model, forward):
    """Each of the layers computes by `forward(layer, x)`."""
    for layer in _layers(model):
        layer.forward = lambda x, layer=layer: forward(layer, x)


def rounded_once(model, step):
    """The parameters themselves were written to, as where weights are rounded once: the first step of the optimizer
    moves them off the multiples, and what they were exactly is lost. Round in each forward pass, and leave them as they
    are.
    """
    with mg.no_grad():
        for layer in _layers(model):
            layer.weight.copy_(_forward(None, layer.weight, step))


def rounded_in_place(model, step):
    """A forward pass has written to the parameters themselves: where weights are rounded in each, a step that is
    smaller than half a level is always lost. Compute with a rounded copy; the optimizer moves the exact weights.
    """

    def forward(layer, x):
        with mg.no_grad():
            layer.weight.copy_(_forward(None, layer.weight, step))
        return F.linear(x, layer.weight, layer.bias)

    _changed(model, forward)


def in_a_hook(model, step):
    def hook(layer, arguments):
        layer.weight.data = _forward(None, layer.weight.data, step)

    for layer in _layers(model):
        layer.register_forward_pre_hook(hook)


def the_last_for_all(model, step):
    """All layers compute with the weights of one, the last: a function that is made in a loop looks its names up when
    it is called, and then the loop is over. Make it in a function of its own, or give it `module=module`.
    """
    for layer in _layers(model):
        layer.forward = lambda x: F.linear(x, Quantize.apply(layer.weight, step), layer.bias)  # noqa: B023


def the_last_module_for_all(model, step):
    for module in model.modules():
        if isinstance(module, nn.Linear):
            module.forward = lambda x: F.linear(x, Quantize.apply(module.weight, step), module.bias)  # noqa: B023


def exchanged(model, step):
    class Coarse(nn.Linear):
        def forward(self, x):
            return F.linear(x, Quantize.apply(self.weight, step), self.bias)

    for parent in [*model.modules()]:
        for name, layer in [*parent.named_children()]:
            if isinstance(layer, nn.Linear):
                new = Coarse(1, 1)
                new.weight, new.bias = layer.weight, layer.bias
                setattr(parent, name, new)


def exact_on_the_way_back(model, step):
    """What a layer sends to its input was computed with its exact weights, as where the output alone was exchanged, or
    the rounded weights were there for the forward pass only. Round by your Function, around the weight.
    """

    def forward(layer, x):
        exact = F.linear(x, layer.weight, layer.bias)
        return exact + (F.linear(x, Quantize.apply(layer.weight, step), layer.bias) - exact).detach()

    _changed(model, forward)


def new_parameters(model, step):
    """There are other parameters now, which the optimizer does not know: it moves those that it got before. Leave
    `weight` where it is, and make no new ones.
    """
    for layer in _layers(model):
        layer.weight = nn.Parameter(_forward(None, layer.weight.detach(), step))


def changed_the_class(model, step):
    """All networks compute so now, also those that nobody has given to the function, as where the class was changed, or
    F.linear. Change the layers of this network alone.
    """
    nn.Linear.forward = lambda layer, x: (
        x @ Quantize.apply(layer.weight, step).T + (0 if layer.bias is None else layer.bias)
    )


def nothing_done(model, step):
    """The layers compute with their exact weights, as before. Give each nn.Linear of this network another `forward`: it
    is not enough that a copy has one.
    """
    return model


def made_an_object(model, step):
    """Quantize(...) makes an object and computes nothing. A Function is called by Quantize.apply(...)."""

    def forward(layer, x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return F.linear(x, Quantize(layer.weight, step), layer.bias)

    _changed(model, forward)


def _by_whole_levels(ctx, x, step):
    levels = int(1 / step)
    return (x * levels).round() / levels


def _saving_x(ctx, x, step):
    ctx.save_for_backward(x)
    return _forward(ctx, x, step)


def _within_one(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return grad_output * (x.abs() <= 1), None


def _saving(ctx, x, step):
    ctx.save_for_backward(x, step)
    return _forward(ctx, x, step)


def put_in_its_place(model, step):
    """A module takes only a Parameter under a parameter's name, and a new one the optimizer would not know. Leave
    `weight` where it is, and give the layer another `forward`.
    """
    for layer in _layers(model):
        layer.weight = Quantize.apply(layer.weight, step)


def _is_as_before(outcome, name=FIRST):
    """Whether the network computes what it did with its exact weights."""
    model, _ = outcome.case.make()
    return saw(name, lambda mine, right: compare(model(model.__dict__["inputs"]), mine) is None)(outcome)


def _made_of_a_function(outcome):
    """Whether an object of a Function's class came where a tensor should."""
    names = {one.__name__ for one in Function.__subclasses__()}
    return any(raised(f"must be Tensor, not {name}.")(outcome) for name in names)


# ---------------------------------------------------------------- tried as well


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


def coarse_by_their_class(model, step):
    for layer in _layers(model):
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

    for layer in _layers(model):
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
    for layer in _layers(model):
        layer.weight.data = (layer.weight.data / step).round() * step


def coarse_everywhere(model, step):
    """All networks, by the function that they use."""
    linear = F.linear
    F.linear = lambda x, weight, bias=None: linear(x, Straight.apply(weight, step), bias)


def coarse_under_another_name(model, step):
    """The same parameters, but a state dict would not find them."""
    for layer in _layers(model):
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

    _changed(model, forward)


def coarse_in_the_table(model, step):
    """Right: the layer's own forward, with another weight in its table for a moment."""

    def forward(layer, own, x):
        weight = layer._parameters["weight"]
        layer._parameters["weight"] = Straight.apply(weight, step)
        try:
            return own(x)
        finally:
            layer._parameters["weight"] = weight

    for layer in _layers(model):
        layer.forward = functools.partial(forward, layer, layer.forward)


def coarse_a_copy(model, step):
    model = copy.deepcopy(model)
    coarse_by_recursion(model, step)
    return model


STEP = [0.0]


def coarse_by_the_last_step(model, step):
    """The step stands outside, where that of the next network takes its place."""
    STEP[0] = step
    _changed(model, lambda layer, x: F.linear(x, Quantize.apply(layer.weight, STEP[0]), layer.bias))


EXERCISE = Exercise(
    title="each Linear computes with weights in multiples of step, and the exact weights are trained",
    stars=2,
    minutes=12,
    reference=coarse_weights,
    cases=(
        _case(PLAIN, 0.5),
        _case(NESTED, 0.5, seed=1),
        _case(ALONE, 0.3, size=2, rate=0.03125, seed=2),
        _case(PLAIN, 2.0, rate=0.015625, bias=False, frozen=True, seed=3),
        _case(TWICE, 0.5, seed=4),
        _case(PLAIN, 0.5, seed=5, trains=False),
        _case(PLAIN, 0.001, seed=6, far=3000),
        _case(PLAIN, 0.5, seed=7, again=True, deep=True),
    ),
    drawn=_drawn,
    hints=(
        "What a layer computes stands in its `forward`, and a module may get another one: module.forward = ... Which "
        "of its numbers does that one round?",
        "It computes F.linear(x, rounded, layer.bias), where rounded is Quantize.apply(layer.weight, step). Nothing is "
        "written to the weights. model.modules() has all layers, the network itself among them.",
        "def forward_of(layer): return lambda x: F.linear(x, Quantize.apply(layer.weight, step), layer.bias). Then, "
        "for each module in model.modules() that is an nn.Linear: module.forward = forward_of(module).",
    ),
    plug=_trained,
    notes={
        ANOTHER: "The class was changed, or a function that all layers use. Change the layers of this network alone.",
        PARAMETERS: "The parameters are to stay the same objects: the optimizer has those, and state_dict() their "
        "names.",
    },
    evidence=_evidence,
    writes=True,
    may_leave=("hooks",),  # by which weights are rounded, too
    mistakes=(
        Mistake(changed_the_class, when=saw(ANOTHER, operator.ne)),
        Mistake(new_parameters, when=saw(PARAMETERS, lambda mine, right: mine.endswith("new"))),
        Mistake(rounded_once, when=saw(EXACT, "the function")),
        Mistake(rounded_in_place, in_a_hook, when=saw(EXACT, "a forward pass")),
        Mistake(
            edited(coarse_weights, COARSE, "(layer.weight / step).round() * step"),
            words="The weights get a gradient of 0 and do not move, as by round() or forward() alone: their slope is 0 "
            "everywhere. The rounding has to go through your Function, by its apply, and its backward returns "
            "grad_output.",
        ),
        Mistake(
            edited(coarse_weights, COARSE, "_forward(None, layer.weight.detach(), step)"),
            words="No gradient comes to the weights: the rounded ones are cut off, as by detach() or no_grad(), or "
            "backward returns None for them, or the weights themselves require none any more.",
        ),
        Mistake(
            edited(coarse_weights, "isinstance(module, nn.Linear)", 'hasattr(module, "weight")'),
            words="A LayerNorm has a weight, too, and is no nn.Linear: it computes as before. Ask "
            "isinstance(module, nn.Linear).",
            when=lambda outcome: "LayerNorm" in outcome.case.words and raised("mat2 must be a matrix")(outcome),
        ),
        Mistake(the_last_for_all, the_last_module_for_all),
        Mistake(
            edited(coarse_weights, "return", f"rounded = {COARSE}\n        return", f"(x, {COARSE}", "(x, rounded"),
            edited(
                coarse_weights,
                "return",
                f"off = ({COARSE} - layer.weight).detach()\n        return",
                f"(x, {COARSE}",
                "(x, layer.weight + off",
            ),
            words="The rounding was computed once, when the network was changed, and the layers go on with what came "
            "out then: after a step of the optimizer it belongs to other weights. Round inside `forward`.",
        ),
        Mistake(
            edited(
                coarse_weights, "layer.bias", "layer.bias if layer.bias is None else Quantize.apply(layer.bias, step)"
            ),
            words="The biases are rounded, too. They stay exact.",
        ),
        Mistake(edited(coarse_weights, ", layer.bias", ""), words="The biases were left out."),
        Mistake(
            edited(coarse_weights, "model.modules()", "model.children()"),
            edited(coarse_weights, "model.modules()", "[model, *model.children()]"),
            words="Layers deeper down compute with their exact weights: children() are those directly below. modules() "
            "has all, and the network itself.",
        ),
        Mistake(
            edited(coarse_weights, IS_LAYER, "module in _layers(model) and module is not model"),
            exchanged,
            words="The network may be an nn.Linear itself. It is the first of modules().",
        ),
        Mistake(
            edited(coarse_weights, IS_LAYER, "module is _layers(model)[0]"),
            words="Only the first layer computes with rounded weights.",
        ),
        Mistake(
            edited(coarse_weights, IS_LAYER, "module is _layers(model)[-1]"),
            words="Only the last layer computes with rounded weights.",
        ),
        Mistake(
            edited(coarse_weights, WHOLE, "Quantize.apply(F.linear(x, layer.weight, layer.bias), step)"),
            words="What the layers compute was rounded, and not the weights that they compute with.",
        ),
        Mistake(
            edited(coarse_weights, "linear(x", "linear(Quantize.apply(x, step)"),
            words="The inputs of the layers were rounded, too.",
        ),
        Mistake(exact_on_the_way_back, near=TO_X),
        Mistake(
            edited(coarse_weights, "Quantize", "_quantize(backward=lambda ctx, g: (g * step, None))"),
            words="The gradient was multiplied by step on its way. It goes straight through: backward returns "
            "grad_output itself.",
        ),
        Mistake(
            edited(coarse_weights, "Quantize", "_quantize(backward=lambda ctx, g: (g / step, None))"),
            words="The gradient was divided by step on its way. It goes straight through: backward returns grad_output "
            "itself.",
        ),
        Mistake(
            edited(coarse_weights, "Quantize", "_quantize(backward=lambda ctx, g: (mg.ones_like(g), None))"),
            words="backward returned ones. What came in is lost that way: it returns grad_output itself.",
        ),
        Mistake(
            edited(coarse_weights, "Quantize", "_quantize(lambda ctx, x, step: (x / step).round())"),
            words="Rounded, but not multiplied by step any more: these are the numbers of the steps.",
        ),
        Mistake(
            edited(coarse_weights, "Quantize", "_quantize(lambda ctx, x, step: x.round())"),
            words="The step was left out: the weights were rounded to whole numbers.",
        ),
        Mistake(
            edited(coarse_weights, "Quantize", "_quantize(lambda ctx, x, step: (x * step).round() / step)"),
            words="These are multiples of 1 / step: divide by step before the rounding, and multiply by it afterwards.",
        ),
        Mistake(
            edited(coarse_weights, "Quantize", "_quantize(lambda ctx, x, step: (x / step).floor() * step)"),
            words="This rounds down. round() goes to the nearest multiple.",
        ),
        Mistake(
            edited(coarse_weights, WHOLE, f"x @ {COARSE} + (0 if layer.bias is None else layer.bias)"),
            words="The weights are to be transposed once in the product: x @ weight.T + bias, which is what "
            "F.linear(x, weight, bias) does.",
            when=raised("cannot be multiplied (4x3 and 2x3)"),
        ),
        Mistake(
            edited(coarse_weights, COARSE, f"{COARSE} if layer.training else layer.weight"),
            words="In eval mode the layers compute with their exact weights. The mode plays no part: from now on they "
            "are rounded, in a test as well.",
            when=lambda outcome: not outcome.case.make()[0].training and _is_as_before(outcome),
        ),
        Mistake(
            edited(coarse_weights, COARSE, f"{COARSE} if mg.is_grad_enabled() else layer.weight"),
            words="In no_grad() the layers compute with their exact weights, after a pass that is right. From now on "
            "they are rounded, also where somebody only measures.",
            when=lambda outcome: right_but(MEASURED)(outcome) and _is_as_before(outcome, MEASURED),
        ),
        Mistake(nothing_done, when=_is_as_before),
        Mistake(
            edited(coarse_weights, "Quantize", "_quantize(_by_whole_levels)"),
            words="1 / step is no whole number here, and was made one: the weights are multiples of another step. "
            "Divide by step, round, and multiply by step.",
        ),
        Mistake(
            edited(coarse_weights, "Quantize", "_quantize(_saving_x, _within_one)"),
            words="The gradient went through only where a weight is between -1 and 1. It goes straight through, "
            "wherever the weight is: backward returns grad_output itself.",
        ),
        Mistake(
            edited(coarse_weights, WHOLE, f"x @ {COARSE}.T + layer.bias"),
            words="This layer has no bias: layer.bias is None. F.linear(x, weight, layer.bias) leaves it out then.",
            when=lambda outcome: "without bias" in outcome.case.words and raised("NoneType", kind=TypeError)(outcome),
        ),
        Mistake(
            edited(coarse_weights, "Quantize", "_quantize(backward=lambda ctx, g: g)"),
            words="backward returns one gradient for each argument of forward after ctx. step is no tensor: return "
            "None for it.",
            when=raised("incorrect number of gradients"),
        ),
        Mistake(made_an_object, when=_made_of_a_function),
        Mistake(
            edited(coarse_weights, "Quantize", "_quantize(_saving)"),
            words="save_for_backward is for tensors. A number is kept as an attribute, ctx.step = step; and do you "
            "need it?",
            when=raised("save_for_backward can only save variables"),
        ),
        Mistake(put_in_its_place, when=raised("cannot assign", "as parameter 'weight'")),
    ),
    right=(coarse_by_their_class, coarse_without_a_class, coarse_by_hooks, coarse_by_recursion, coarse_in_the_table),
    wrong={
        "model(x)[0, 0]: yours": [coarse_by_the_last_step],
        "The network may be an nn.Linear itself": [coarse_in_new_layers],
        "first difference … The parameters themselves were written to": [coarse_in_the_optimizer_only],
        "The biases are rounded, too": [
            edited(
                coarse_weights, "layer.bias", "layer.bias if layer.bias is None else Quantize.apply(layer.bias, step)"
            )
        ],
        "No gradient comes to the weights": [
            edited(coarse_weights, "layer.weight", "layer.weight.data"),
            edited(coarse_weights, "Quantize", "_quantize(backward=lambda ctx, g: (None, None))"),
        ],
        "or the weights themselves require none any more": [
            edited(
                coarse_weights, "module.forward =", "module.weight.requires_grad = False\n            module.forward ="
            )
        ],
        "The weights get a gradient of 0": [
            edited(coarse_weights, "Quantize", "_quantize(backward=lambda ctx, g: (0 * g, None))")
        ],
        "raises TypeError": [
            edited(coarse_weights, "return lambda x:", "return lambda x: None if x is x else"),
            edited(coarse_weights, "return lambda x:", "lambda x:"),
        ],
        "All networks compute so now": [coarse_everywhere],
        "Layers deeper down compute with their exact weights": [
            edited(coarse_weights, "model.modules()", "(model if isinstance(model, nn.Sequential) else [model])")
        ],
        "model(x)": [
            edited(
                coarse_weights, COARSE, "layer.weight + (mg.trunc(layer.weight / step) * step - layer.weight).detach()"
            ),
            edited(coarse_weights, COARSE, "Quantize.apply(layer.weight, step / 2)"),
            edited(coarse_weights, COARSE, "Quantize.apply(layer.weight, max(step, 0.01))"),
            edited(
                coarse_weights, "Quantize", "_quantize(lambda ctx, x, step: (x / step).round().clamp(-4, 3) * step)"
            ),
            edited(
                coarse_weights, "Quantize", "_quantize(lambda ctx, x, step: (x / step).round().clamp(-128, 127) * step)"
            ),
        ],
        "changed with half the step before": [
            edited(coarse_weights, "nn.Linear)", 'nn.Linear) and "forward" not in vars(module)')
        ],
        "inputs of three dimensions": [
            edited(coarse_weights, WHOLE, f"x.mm({COARSE}.T) + (0 if layer.bias is None else layer.bias)")
        ],
        "in eval mode … The mode plays no part": [
            edited(coarse_weights, "isinstance", "module.training and isinstance"),
        ],
        "In no_grad() the layers compute": [
            edited(
                coarse_weights,
                WHOLE,
                f"F.linear(x, {COARSE} if mg.is_grad_enabled() else layer.weight.detach(), layer.bias)",
            )
        ],
        "The parameters are to stay the same objects": [coarse_under_another_name],
        "the rounded weights were there for the forward pass only": [coarse_until_forward_is_over],
        "it is not enough that a copy has one": [coarse_a_copy],
    },
)

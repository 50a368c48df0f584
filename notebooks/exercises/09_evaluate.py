"""Exercise `evaluate`: what a model answers, and a model that is afterwards as it was before."""

import contextlib
import copy
import operator
import weakref

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
    has_graph,
    observer,
    pick,
    pick_some,
    right_but,
    saw,
    show,
)

from .chapter09 import LAYERS, Noting, change, make_layer, state_of


def evaluate(model, inputs):
    """What the model answers in eval mode, without a graph; the model stays as it was."""
    flags = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with mg.no_grad():
            return model(inputs)
    finally:
        for module, training in flags:
            module.training = training


class UnfitError(Exception):
    """What the last layer raises in some cases."""


class NotingGraph(Noting):
    """Notes whether what comes has a graph: where nothing requires a gradient there is none, in whatever mode."""

    def forward(self, x):
        self.note((has_graph(x), self.training))
        return x


class Refusing(nn.Module):
    """A layer that cannot compute."""

    def forward(self, x):
        raise UnfitError("this layer cannot compute")


NUMBERS = (0.5, -1.0, 2.0, 0.25, -0.75)
INPUTS = ((1.0, 4.0), (2.0, 6.0), (3.0, 8.0))
BROKEN = ((float("nan"), 4.0), (float("inf"), 6.0), (3.0, 8.0))
STATES = TRAINED, EVALUATED, FROZEN_NORM, ONE_DRAWS = (
    "in train mode",
    "in eval mode",
    "in train mode but for its first layer, which somebody has put into eval mode",
    "in eval mode but for its last layer, which is in train mode",
)


@cases(
    "a model of {kinds} {state}",
    refuses=", whose last layer raises an error",
    is_leaf=", inputs that require a gradient",
    inside=", called inside no_grad()",
    twice=", whose last layer is in eval mode, and stands in a second module as well",
    moved=", whose weights have moved since it was asked first",
    inputs=", inputs {inputs}",
)
def _case(
    kinds, state, numbers=NUMBERS, inputs=INPUTS, refuses=False, is_leaf=False, inside=False, twice=False, moved=False
):
    layers, runs = [make_layer(kind, len(inputs[0]), numbers) for kind in kinds.split(", ")], []
    again = [nn.Sequential(nn.Tanh(), layers[-1])] if twice else []
    model = nn.Sequential(nn.Sequential(*layers), *again, NotingGraph(runs), *([Refusing()] if refuses else []))
    model.train(state in (TRAINED, FROZEN_NORM))
    if state == FROZEN_NORM:
        layers[0].eval()
    if state == ONE_DRAWS:
        layers[-1].train()
    if twice:
        layers[-1].eval()
    for number, parameter in enumerate(model.parameters()):
        if number % 2:
            parameter.grad = mg.ones_like(parameter) * number  # of an earlier walk
        parameter.requires_grad_(number != 2)
    hooked = []
    model.register_forward_hook(lambda *given: hooked.append(1))
    model.__dict__ |= {"runs": runs, "inside": inside, "hooked": hooked, "moved": moved}
    return model, mg.tensor(inputs, requires_grad=is_leaf)


def _drawn(random):
    """Other layers in another order, in any state; one of them computes in eval mode, too."""
    kinds = pick_some(random, ["Linear", *(pick(random, LAYERS) for _ in range(random.integers(1, 4)))])
    numbers, inputs = (draw_numbers(random, shape, 0.25, zero=False) for shape in (5, (random.integers(2, 5), 2)))
    options = {"refuses": not random.integers(4), "is_leaf": flip(random), "inside": not random.integers(4)}
    yield _case(", ".join(kinds), pick(random, STATES), numbers, inputs, **options)


RECORDED, CHANGED = "whether operations are recorded", "changed in the model"
GRAPH, RUN, LAYERS_IN_RUN, RUNS, HOOKS = (
    "its graph",
    "the run",
    "layers in the run",
    "how often the model ran",
    "how often its hook ran",
)
SWALLOWED = "The model's own error is to go on to the caller: only put things back, in a `finally`."
NOTES = {
    GRAPH: "The answer is right, but it requires a gradient, as what is recorded does, or what somebody has asked to.",
    RUN: "The answer has no graph, but one was made first.",
    RUNS: "The answer is right, but the model is to be run once.",
    HOOKS: "The answer is right, but a hook of the model has not run: call model(...), and not its forward.",
}


def _move(model):
    """Let each weight grow by 1, as a step of training does in its way."""
    with mg.no_grad():
        for parameter in model.parameters():
            parameter.add_(1)


def _whole_state(model):
    """What may not be another afterwards: the numbers, of which a layer has some as its settings, and the mode."""
    settings = {
        f"{key} of {name or 'the model'}": value
        for name, module in model.named_modules()
        for key, value in vars(module).items()
        if isinstance(value, int | float) and key != "training"
    }
    return state_of(model) | settings | {RECORDED: mg.is_grad_enabled()}


@observer
def _watched(answer, model, inputs):
    """What came back, or the error; what has changed in the model; and how it ran."""
    if model.__dict__["moved"]:
        answer(model, inputs)
        _move(model)
        model.__dict__["runs"].clear()
        model.__dict__["hooked"].clear()
    with mg.set_grad_enabled(not model.__dict__["inside"]):
        before = _whole_state(model)
        try:
            result = answer(model, inputs)
        except UnfitError as error:
            result = f"{type(error).__name__}: {error}"
        changed = change(before, _whole_state(model))
    runs = model.__dict__["runs"]
    return {
        "the answer": result,
        CHANGED: changed,
        GRAPH: "there" if getattr(result, "grad_fn", None) else "none, as of a leaf" if has_graph(result) else "none",
        RUN: "recorded" if any(recorded for recorded, _ in runs) else "not recorded",
        LAYERS_IN_RUN: "some in train mode" if any(training for _, training in runs) else "in eval mode",
        RUNS: len(runs),
        HOOKS: len(model.__dict__["hooked"]),
    }


def _compare(expected, got, outcome):
    refuses = isinstance(expected.first, str)
    yield compare(expected, got, notes={**NOTES, "the answer": SWALLOWED} if refuses else NOTES)


def _ran(outcome):
    """What the model answers in both modes."""
    if isinstance(outcome.right.first, str):
        return ""
    said = []
    for word, switch in (("eval", nn.Module.eval), ("train", nn.Module.train)):
        model, inputs = outcome.case.make()
        if model.__dict__["moved"]:
            _move(model)
        mg.manual_seed(0)
        with mg.no_grad():
            said.append(f"  in {word} mode the model answers {show(switch(model)(inputs))}")
    return "\n".join(said)


def _changes(word):
    return saw(CHANGED, word)


def _unchanged(name, value):
    """For `when`: the model is as it was, and under the name this was seen."""
    return lambda outcome: outcome.seen.get(CHANGED) == "nothing" and outcome.seen[name] == value


def _in_part(outcome):
    """Whether what was computed is that of eval mode, and a layer was in train mode all the same."""
    in_train_mode = _unchanged(LAYERS_IN_RUN, "some in train mode")(outcome)
    return in_train_mode and compare(outcome.right.first, outcome.seen.first) is None


def _only_its_own_flag(outcome):
    """Whether the model has another flag than before, and all modules within have theirs."""
    (then, *within), (now, *rest) = (
        [module.training for module in model.modules()] for model, _ in (outcome.case.make(), outcome.arguments)
    )
    return then is not now and within == rest and _changes("the training flag of the model")(outcome)


# ---------------------------------------------------------------- wrong answers

UNRECORDED, BACK = (
    "with mg.no_grad():\n            ",
    "for module, training in flags:\n            module.training = training",
)


def never_evaluated(model, inputs):
    """The model ran in train mode, or a part of it. There BatchNorm uses the numbers of the batch and moves its running
    statistics, and dropout drops. no_grad() does not change that: model.eval() has to hold until it has run.
    """
    with mg.no_grad():
        return model(inputs)


def only_layers_of_two_kinds(model, inputs):
    """The numbers are right here, but a layer ran in train mode, as where only layers of some kinds are looked for. A
    layer of somebody's own may look at its flag as well: model.eval() reaches all modules.
    """
    layers = [one for one in model.modules() if isinstance(one, nn.BatchNorm1d | nn.Dropout) and one.training]
    for layer in layers:
        layer.training = False
    try:
        with mg.no_grad():
            return model(inputs)
    finally:
        for layer in layers:
            layer.training = True


def only_if_it_trains(model, inputs):
    """The model as a whole was in eval mode, and a layer in it was in train mode, and stayed so: model.training tells
    of the outermost module alone. Call eval() in any case.
    """
    if not model.training:
        with mg.no_grad():
            return model(inputs)
    return evaluate(model, inputs)


def train_at_the_end(model, inputs):
    """Afterwards all is in train mode. It need not have been so before: note the flag of each module, and put that
    back.
    """
    model.eval()
    with mg.no_grad():
        answer = model(inputs)
    model.train()
    return answer


def one_flag_for_all(model, inputs):
    """All layers have got the flag of the whole model: only that was noted, or its train(flag) came last and reached
    them all. Each module in model.modules() has a flag of its own.
    """
    training = model.training
    model.eval()
    with mg.no_grad():
        answer = model(inputs)
    model.train(training)
    return answer


def recording_switched_on(model, inputs):
    """Afterwards the recording is off, or on where the caller had switched it off. A mode that is switched on a line of
    its own, as set_grad_enabled() does, stays in force; `with mg.no_grad():` puts back what was there.
    """
    mg.set_grad_enabled(False)
    try:
        return evaluate(model, inputs)
    finally:
        mg.set_grad_enabled(True)


def flags_lost_in_an_error(model, inputs):
    """Where the model raises an error, the flags are not put back. What is to happen in any case stands in a
    `finally`.
    """
    flags = [(module, module.training) for module in model.modules()]
    model.eval()
    with mg.no_grad():
        answer = model(inputs)
    for module, training in flags:
        module.training = training
    return answer


def gradients_cleared(model, inputs):
    """A gradient that an earlier walk had left is not what it was. Evaluating needs no zero_grad(), and no walk."""
    model.zero_grad()
    return evaluate(model, inputs)


ANSWERS = weakref.WeakKeyDictionary()


def answered_once(model, inputs):
    """This is the answer from before the weights moved: something outside of the function keeps it. Compute it anew in
    each call.
    """
    if model not in ANSWERS:
        ANSWERS[model] = evaluate(model, inputs)
    return ANSWERS[model]


def shallow_copy(model, inputs):
    """The model has its own flag, and the modules within stay in eval mode: as where model.training alone is put back,
    or a copy ran that copy.copy() made, which has the same layers. Put back the flag of each module.
    """
    with mg.no_grad():
        return copy.copy(model).eval()(inputs)


def error_swallowed(model, inputs):
    """None came back where the model raises an error, and nobody will know of it. Let it go on to the caller, and put
    the flags back in a `finally`.
    """
    try:
        return evaluate(model, inputs)
    except Exception:
        return None


# ---------------------------------------------------------------- tried as well


@contextlib.contextmanager
def evaluating(model):
    flags = {module: module.training for module in model.modules()}
    model.eval()
    try:
        yield
    finally:
        for module, training in flags.items():
            module.training = training


def evaluate_by_momentum(model, inputs):
    """The running mean does not move, but the batch's own numbers are used."""
    with mg.no_grad():
        kept = [(buffer, buffer.clone()) for buffer in model.buffers()]
        answer = model(inputs)
        for buffer, before in kept:
            buffer.copy_(before)
    return answer


def evaluate_layers_of_two_kinds(model, inputs):
    """Not in eval mode, though the numbers are the same for the layers that there are."""
    with contextlib.ExitStack() as stack, mg.no_grad():
        for module in model.modules():
            if isinstance(module, nn.BatchNorm1d | nn.Dropout):
                stack.enter_context(evaluating(module))
        return model(inputs)


def evaluate_a_copy(model, inputs):
    with mg.no_grad():
        return copy.deepcopy(model).eval()(inputs)


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


def answered_while_frozen(model, inputs):
    """Nothing is recorded, unless the inputs require a gradient."""
    needed = [one for one in model.parameters() if one.requires_grad]
    for one in needed:
        one.requires_grad_(False)
    try:
        with evaluating(model):
            return model(inputs)
    finally:
        for one in needed:
            one.requires_grad_(True)


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


EXERCISE = Exercise(
    title="model(inputs) in eval mode, without a graph; afterwards the model is as it was before",
    stars=2,
    minutes=9,
    reference=evaluate,
    cases=(
        _case("BatchNorm1d, Linear", TRAINED),
        _case("Linear, BatchNorm1d, Dropout", EVALUATED, is_leaf=True),
        _case("BatchNorm1d, Linear, Dropout", FROZEN_NORM),
        _case("BatchNorm1d, Tanh, BatchNorm1d", ONE_DRAWS),  # two layers of a kind, with other flags
        _case("BatchNorm1d, Linear", TRAINED, refuses=True),
        _case("BatchNorm1d, Linear", TRAINED, inside=True),
        _case("Linear, Dropout", TRAINED, twice=True),
        _case("Linear, BatchNorm1d", EVALUATED, inputs=BROKEN),
        _case("Linear, Tanh", EVALUATED, moved=True),
    ),
    drawn=_drawn,
    hints=(
        "Two switches are needed: one for what the layers do, one for the recording. Which of them has to be put back "
        "by you?",
        "Before model.eval(), note (module, module.training) for each module in model.modules(). Afterwards give each "
        "module its own flag back.",
        "flags = [...]; model.eval(); try: with mg.no_grad(): return model(inputs); finally: for module, training in "
        "flags: module.training = training.",
    ),
    plug=_watched,
    errors_go_on=True,
    compare=_compare,
    evidence=_ran,
    mistakes=(
        Mistake(
            recording_switched_on,
            edited(gradients_cleared, "model.zero_grad()", "mg.set_grad_enabled(False)"),
            when=_changes(RECORDED),
        ),
        Mistake(only_layers_of_two_kinds, when=_in_part),
        only_if_it_trains,
        Mistake(never_evaluated, when=saw(LAYERS_IN_RUN, operator.ne)),
        Mistake(
            edited(evaluate, "model.modules()]", "model.modules() if module is not model]"),
            words="All modules within have their flags back, and the model itself has not: model.modules() begins with "
            "it.",
            when=_only_its_own_flag,
        ),
        flags_lost_in_an_error,
        Mistake(
            edited(never_evaluated, "with", "model.eval()\n    with"),
            words="The model stays in eval mode: who trains on will train without dropout, with frozen statistics. "
            "Put back the flag of each module.",
        ),
        Mistake(train_at_the_end, edited(evaluate, BACK, "model.train()")),
        Mistake(
            evaluate_from_the_outside_in,
            words="train(flag) reaches all modules within: here one that stands in a second place, and had its flag "
            "back already. `module.training = flag` sets that of one module.",
        ),
        Mistake(one_flag_for_all, edited(evaluate, BACK, "model.train(flags[0][1])")),
        Mistake(
            edited(evaluate, "model.modules()]", "(model, *model.children())]"),
            words="Only the model and the modules directly below it have their flags back, as children() gives them. "
            "model.modules() gives all, however deep.",
        ),
        Mistake(
            edited(evaluate, UNRECORDED, ""),
            words="The answer has a graph, and keeps all that was saved for it: eval() does not switch recording off. "
            "Run the model inside `with mg.no_grad():`.",
            when=_unchanged(GRAPH, "there"),
        ),
        Mistake(
            edited(evaluate, UNRECORDED, "", "model(inputs)", "model(inputs).detach()"),
            words="The run was recorded, and then the answer was cut off: the graph was paid for and thrown away. "
            "Inside `with mg.no_grad():` it is not made.",
            when=_unchanged(RUN, "recorded"),
        ),
        Mistake(
            edited(gradients_cleared, "model.zero_grad()", "model.requires_grad_(False)"),
            words="A parameter's requires_grad is not what it was: what switches it stays in force, off as well as on. "
            "no_grad() gives an answer without a graph, and touches no parameter.",
            when=_changes(".requires_grad"),
        ),
        Mistake(gradients_cleared, when=_changes(".grad")),
        shallow_copy,
        Mistake(answered_once, near=True),
        error_swallowed,
        Mistake(
            edited(error_swallowed, "return None", 'raise ValueError("the model failed")'),
            words="The error of the model did not come out, but another one in its place. Let the model's own go on "
            "to the caller, and put the flags back in a `finally`.",
            when=lambda outcome: isinstance(getattr(outcome.error, "__context__", None), UnfitError),
        ),
        Mistake(
            edited(gradients_cleared, "model.zero_grad()", "evaluate(model, inputs)"),
            words="The answer is right, but the model ran more than once. Once is enough.",
            when=right_but(RUNS, operator.gt),
        ),
    ),
    right=(
        evaluate_a_copy,
        edited(never_evaluated, "mg.no_grad", "evaluating(model), mg.inference_mode"),
        evaluate_decorated,
        evaluate_only_what_trains,
    ),
    wrong={
        "or what somebody has asked to": [lambda model, inputs: evaluate(model, inputs).requires_grad_()],
        "a hook of the model has not run": [edited(evaluate, "model(inputs)", "model.forward(inputs)")],
        "the training flag of … All layers have got the flag of the whole model": [
            edited(evaluate, "model.modules()", "(model, *model.children())", "training = training", "train(training)")
        ],
        "came last and reached them all": [
            edited(evaluate, "in flags", "in reversed(flags)", "training = training", "train(training)")
        ],
        "ran in train mode": [evaluate_by_momentum],
        "the model itself has not": [
            edited(evaluate, "model.modules()]", "model.children()]", "training = training", "train(training)")
        ],
        "in eval mode but for its last layer": [
            edited(
                evaluate,
                "[(module, module.training) for module in model.modules()]",
                "{type(module): module.training for module in model.modules()}",
                "module, training in flags:",
                "module in model.modules():",
                "= training",
                "= flags[type(module)]",
            )
        ],
        "and the modules within stay in eval mode": [edited(evaluate, "module.training = t", "model.training = t")],
        "True, and now False … what switches it stays in force": [
            edited(evaluate, "flags =", "model.requires_grad_(False)\n    flags =")
        ],
        "False, and now True … what switches it stays in force": [
            edited(evaluate, "flags =", "model.requires_grad_()\n    flags =")
        ],
        "A gradient that an earlier walk had left": [
            edited(evaluate, "flags =", "model.zero_grad(set_to_none=False)\n    flags =")
        ],
        "None of the mistakes that are known here. This": [
            edited(evaluate, "return model(inputs)", "return model(inputs) + model(inputs)")
        ],
        "whether operations are recorded: True, and now False … switched on a line of its own": [
            edited(evaluate, "model.eval()", "model.eval()\n    mg.inference_mode().__enter__()"),
            edited(never_evaluated, "with mg.no_grad():", "mg.set_grad_enabled(False)\n    with evaluating(model):"),
        ],
        "on where the caller had switched it off": [  # right for all callers but those inside no_grad()
            edited(
                evaluate,
                UNRECORDED,
                "mg.set_grad_enabled(False)\n        ",
                "finally:",
                "finally:\n        mg.set_grad_enabled(True)",
            )
        ],
        "may look at its flag": [evaluate_layers_of_two_kinds],
        "None of the mistakes that are known here": [
            edited(evaluate, "model(inputs)", "model(inputs).round()"),
            edited(evaluate, "model(inputs)", "(out := model(inputs)).masked_fill(out.isnan(), 0.0)"),
        ],
        "keeps an error to itself … if model raises a RuntimeError, then no error comes out": [
            edited(error_swallowed, "Exception", "RuntimeError")
        ],
        "another one in its place": [
            edited(
                error_swallowed,
                "Exception:\n        return None",
                "Exception as error:\n        raise KeyError from error",
            )
        ],
        "in the later digits": [edited(evaluate, "model(inputs)", "model(inputs).mul(1e5).round().div(1e5)")],
        "p of 0.2: 0.5, and now 0": [
            edited(
                evaluate,
                "flags =",
                'for one in model.modules():\n        "p" in vars(one) and setattr(one, "p", 0)\n    flags =',
            )
        ],
        "model has other attributes than before": [
            edited(evaluate, "flags = [(module,", 'flags = [(setattr(module, "was", module.training) or module,')
        ],
        "ran more than once": [
            edited(evaluate, "model(inputs)", "mg.cat([model(inputs[i : i + 1]) for i in range(len(inputs))])")
        ],
        "a tensor": [edited(evaluate, "model(inputs)", "model(inputs).tolist()")],
        "keeps all that was saved for it": [answered_while_frozen],
        "paid for and thrown away": [
            edited(never_evaluated, "mg.no_grad():", "evaluating(model):", "(inputs)", "(inputs.detach()).detach()")
        ],
    },
)

"""Exercise `train_step`: a step of training with six of the museum's bugs, to be written without them."""

import numpy as np

import minigrad as mg
import minigrad.nn.functional as F
from minigrad import nn
from minigrad.teach import (
    Exercise,
    Mistake,
    cases,
    draw_numbers,
    edited,
    flip,
    observer,
    pick,
    raised,
    right_with_graph,
    saw,
)

from .chapter09 import draw_weights, trained_state


def train_step(model, optimizer, images, labels):
    """One step of training; the loss as a number. images has a column for each image."""
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images.T), labels.long())
    loss.backward()
    optimizer.step()
    return loss.item()


@cases("{words}")
def _case(words, images, labels, norm=True, earlier=None, momentum=0.0, evaluating=True, deep=False):
    """A model that was tested last, with what earlier steps may have left in it."""
    norms = [nn.BatchNorm1d(4)] if norm else []
    norms = [nn.Sequential(nn.Sequential(*norms))] if deep else norms
    layers = [nn.Linear(len(images), 4), *norms, nn.ReLU(), nn.Dropout(0.0), nn.Linear(4, 3)]  # which drops nothing
    model = nn.Sequential(*layers)
    draw_weights(model, 7, 0.6)
    for one in model.parameters():
        one.grad = None if earlier is None else mg.full_like(one, earlier)
    optimizer = mg.optim.SGD(model.parameters(), lr=0.1, momentum=momentum)
    model.train(not evaluating)
    return model, optimizer, mg.tensor(images), mg.tensor(labels)


MODE = "modules in eval mode"


@observer
def _stepped(answer, model, optimizer, images, labels):
    """Three steps, one after the other."""
    losses = [answer(model, optimizer, images, labels) for _ in range(3)]
    return {"the losses": losses, **trained_state(model, optimizer), MODE: _evaluated(model)}


def _evaluated(model):
    return ", ".join(name or "the model" for name, one in model.named_modules() if not one.training) or "none"


def _evidence(outcome):
    """What a right step does with fresh arguments, line by line."""
    model, optimizer, images, labels = outcome.case.make()
    model.train()
    optimizer.zero_grad()
    scores = model(images.T)
    loss = F.cross_entropy(scores, labels.long())
    loss.backward()
    size = mg.nn.utils.clip_grad_norm_(model.parameters(), float("inf")).item()
    told = f"scores of shape {[*scores.shape]}, loss {loss.item():.4g}, length of all gradients {size:.4g}"
    return f"  right: {told}"


def _drawn(random):
    """Other images, with or without BatchNorm, momentum and what a step before has left."""
    pixels, count = (int(number) for number in random.integers([2, 4], [5, 7]))
    images, labels = draw_numbers(random, (pixels, count), 0.5, 2), random.integers(0, 3, count).astype(float).tolist()
    momentum = pick(random, [0.0, 0.9])
    words = f"{count} images {images}, labels {labels}, momentum {momentum}"
    if random.random() < 0.3:
        yield _case(words, images, labels, flip(random), pick(random, [0.0, 1.0]), momentum, flip(random))


# ---------------------------------------------------------------- wrong answers


def looked_afterwards(model, optimizer, images, labels):
    """This is the loss after the step, from a second pass. Asked for is the one that the step was made from; and in
    train() a second pass moves the averages of BatchNorm once more.
    """
    train_step(model, optimizer, images, labels)
    return F.cross_entropy(model(images.T), labels.long()).item()


def one_module_deep(model, optimizer, images, labels):
    """A module that lies deeper in the model was left in eval(): children() are those directly below. model.train()
    reaches all.
    """
    model.training = True
    for one in model.children():
        one.training = True
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images.T), labels.long())
    loss.backward()
    optimizer.step()
    return loss.item()


def optimizer_of_its_own(model, optimizer, images, labels):
    """The optimizer that was given has made no step: one that is made in here, or a step by hand, has no momentum of
    the steps before, and the rate only if that was copied. Use the one that was given.
    """
    return train_step(model, mg.optim.SGD(model.parameters(), lr=0.1), images, labels)


# ---------------------------------------------------------------- tried as well


def step_by_logs(model, optimizer, images, labels):
    model.train()
    for one in model.parameters():
        one.grad = None
    scores = model(images.t())
    loss = F.nll_loss(scores.log_softmax(-1), labels.to(mg.int64))
    loss.backward()
    optimizer.step()
    return float(loss.detach())


def step_of_numpy(model, optimizer, images, labels):
    model.train()
    optimizer.zero_grad(set_to_none=True)
    scores = model(images.permute(1, 0))
    chosen = scores.gather(1, labels.long().unsqueeze(1)).squeeze(1)
    loss = (scores.logsumexp(1) - chosen).mean()
    loss.backward()
    optimizer.step()
    return np.float32(loss.item())


def step_of_some(model, optimizer, images, labels):
    """The flags that matter here are set, by hand."""
    for one in (model, *model.modules()):
        one.training = one is model or one.training or isinstance(one, nn.BatchNorm1d)
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images.T), labels.long())
    loss.backward()
    optimizer.step()
    return loss.item()


THREE = [[1.0, 0.5, -1.0, 2.0], [0.0, 1.0, -2.0, 0.5], [1.5, -1.0, 0.0, 1.0]]
LARGE = [[1_000 * pixel for pixel in row] for row in THREE]

EXERCISE = Exercise(
    title="one step of training, without the bugs of their_step; the loss as a number",
    stars=2,
    minutes=10,
    reference=train_step,
    cases=(
        _case(
            "4 images of 3 pixels, labels [0., 2., 1., 1.], a model with BatchNorm, in eval()",
            THREE,
            [0.0, 2.0, 1.0, 1.0],
        ),
        _case("the same without BatchNorm", THREE, [0.0, 2.0, 1.0, 1.0], norm=False),
        _case(
            "the same with BatchNorm, and .grad is 1 everywhere, from before", THREE, [0.0, 2.0, 1.0, 1.0], earlier=1.0
        ),
        _case("with momentum 0.9, in train()", THREE, [2.0, 2.0, 0.0, 1.0], momentum=0.9, evaluating=False),
        _case("the same with BatchNorm three modules deep", THREE, [0.0, 2.0, 1.0, 1.0], deep=True),
        _case(
            "the same without BatchNorm, of pixels a thousand times as large", LARGE, [0.0, 2.0, 1.0, 1.0], norm=False
        ),
        _case("4 images of 4 pixels", [*THREE, [1.0, 1.0, 0.0, -3.0]], [0.0, 2.0, 1.0, 1.0]),
    ),
    drawn=_drawn,
    hints=(
        "Go through the second room once more with their_step beside it. Six of its lines are exhibits.",
        "In which mode is the model? What is in .grad? Which shape has what the model gets, and does view() turn it? "
        "Over what does the softmax run? What is returned? And what are the labels?",
        "model.train(), optimizer.zero_grad(), loss = F.cross_entropy(model(images.T), labels.long()), "
        "loss.backward(), optimizer.step(), return loss.item().",
    ),
    plug=_stepped,
    notes={
        MODE: "The numbers are right; afterwards the model is to be in train(), with all that is in it.",
        "the optimizer's *": "The model is right, and the optimizer was passed by: it keeps a momentum of its own. "
        "Call its step().",
        "[0-9]*": "The losses are right. What the steps have made of the model is not.",
    },
    evidence=_evidence,
    writes=True,
    mistakes=(
        Mistake(
            edited(train_step, "model.train()", ""),
            words="The model was still in eval(), from the test before, so BatchNorm did not look at this batch, and "
            "learned nothing of it. model.train() belongs at the beginning of the step.",
        ),
        Mistake(
            edited(train_step, "model.train()", "", "return", "model.train()\n    return"),
            words="train() came after the model had computed: this batch still went through it in eval(). It belongs "
            "at the beginning of the step.",
        ),
        Mistake(
            edited(train_step, "model.train()", "model.training = True"),
            words="model.training = True sets the flag of this module alone; the BatchNorm in it stays in eval(). "
            "model.train() tells its parts as well.",
        ),
        Mistake(
            edited(train_step, "optimizer.zero_grad()", ""),
            words="The gradients of the step before were still there, and were added to. optimizer.zero_grad() before "
            "the walk.",
        ),
        Mistake(
            edited(
                train_step,
                "F.cross_entropy(model(images.T), labels.long())",
                "-model(images.T).softmax(0).log()[mg.arange(len(labels)), labels.long()].mean()",
            ),
            edited(
                train_step,
                "F.cross_entropy(model(images.T), labels.long())",
                "F.nll_loss(model(images.T).log_softmax(0), labels.long())",
            ),
            words="The softmax runs over the images of the batch, and not over the classes. The scores have a row for "
            "each image: dim=1, or F.cross_entropy, which cannot be mistaken.",
        ),
        Mistake(
            edited(train_step, "images.T", "images.reshape(images.shape[1], -1)"),
            words="view() and reshape() do not turn rows into columns: they read the same numbers in the same order "
            "in rows of another length, and every image is a mixture of several. A transpose is images.T.",
        ),
        Mistake(
            edited(train_step, "images.T", "images"),
            words="The model wants a row for each image, and images has a column for each: images.T.",
            when=raised("mat1 and mat2 shapes", kind=RuntimeError),
        ),
        Mistake(
            edited(train_step, "loss.item()", "loss"),
            words="The loss came back as a tensor, which holds its graph. A list of such losses holds all graphs: "
            "return loss.item().",
            when=saw("the losses", right_with_graph),
        ),
        Mistake(
            edited(train_step, "optimizer.step()\n    ", ""),
            edited(train_step, "()\n    optimizer.zero_grad", "", "step()", "zero_grad()\n    optimizer.step()"),
            words="The parameters have not moved: optimizer.step() was not called, or before the walk, or had no "
            "gradients to go by, since they were cleared in between, or the walk did not come so far.",
        ),
        Mistake(
            edited(train_step, "()\n    optimizer.zero_grad", "", "return", "optimizer.zero_grad()\n    return"),
            words="The gradients were cleared at the end. Whatever somebody left there before the first step was "
            "added to it: clear them before the walk.",
        ),
        Mistake(
            edited(train_step, "model(images.T), labels", "model(images.T).softmax(1), labels"),
            edited(train_step, "model(images.T), labels", "model(images.T).softmax(0), labels"),
            words="cross_entropy takes scores, and computes the softmax itself. Here it got one that was taken "
            "already.",
        ),
        Mistake(
            edited(train_step, "long())", 'long(), reduction="sum")'),
            edited(train_step, "long())", 'long(), reduction="sum")', "item()", "item() / len(labels)"),
            words="This is the sum over the images, or the step was made from it. The mean is asked for: with a sum, "
            "the step grows with the batch.",
        ),
        Mistake(
            one_module_deep,
            when=lambda outcome: "deep" in outcome.case.words and saw(MODE, lambda mine, right: mine != right)(outcome),
        ),
        Mistake(
            edited(
                train_step,
                "F.cross_entropy(model(images.T), labels.long())",
                "-model(images.T).softmax(1)[mg.arange(len(labels)), labels.long()].log().mean()",
            ),
            words="Where the scores are hundreds apart, softmax makes a 0 of one, and its log is -inf. F.cross_entropy "
            "takes the scores, and computes the log without the way there.",
            when=lambda outcome: "thousand" in outcome.case.words and saw("the losses", "inf")(outcome),
        ),
        looked_afterwards,
        optimizer_of_its_own,
        Mistake(
            edited(train_step, ".long())", ")"),
            words="The labels come as floats, as a file of numbers has them. cross_entropy wants int64, one for each "
            "image: labels.long().",
            when=raised("expected target dtype"),
        ),
    ),
    right=(
        step_by_logs,
        step_of_numpy,
        edited(train_step, "images.T", "mg.transpose(images, 0, 1)"),
    ),
    wrong={
        "item 1 of 3 … This is the sum over the images": [edited(train_step, "long())", 'long(), reduction="sum")')],
        "the losses, item 1 of 3": [edited(train_step, "loss.item()", "str(loss.item())")],
        "running_mean": [edited(train_step, "return loss", "return (loss + 0 * model(images.T).sum())")],
        "this is a Tensor that holds it": [edited(train_step, "loss.item()", "loss.detach()")],
        "modules in eval mode: yours … expected none": [
            edited(
                train_step,
                "train()",
                "train()\n    for one in model.modules():\n        one.training = not isinstance(one, nn.Dropout)",
            ),
            step_of_some,
        ],
        "in the later digits": [edited(train_step, "loss.item()", "round(loss.item(), 4)")],
        "modules in eval mode: yours the model": [edited(train_step, "return", "model.eval()\n    return")],
        "the losses, item … or a step by hand": [
            edited(train_step, "optimizer.step", "mg.optim.SGD(model.parameters(), lr=0.1).step")
        ],
        "4 images of 4 pixels": [  # square batches only: images as they are
            edited(train_step, "images.T", "(images if len(images) == len(images.T) else images.T)")
        ],
        "first difference": [
            edited(
                train_step, "optimizer.step", "mg.nn.utils.clip_grad_norm_(model.parameters(), 0.5)\n    optimizer.step"
            )
        ],
    },
)

"""What the exercises of chapter 09 share: models whose state is looked at, and what of it has changed."""

import numpy as np

import minigrad as mg
from minigrad import nn

LAYERS = ("Linear", "BatchNorm1d", "Tanh", "Dropout")


class Noting(nn.Module):
    """A layer that changes nothing, and notes of each run whether it was recorded and trained."""

    def __init__(self, runs):
        super().__init__()
        self.note = runs.append  # not a copy of the list where the model is copied

    def forward(self, x):
        self.note((mg.is_grad_enabled(), self.training))
        return x


class Doubling(nn.Module):
    """A layer of somebody's own that looks at its flag."""

    def forward(self, x):
        return x * 2 if self.training else x


DOUBLING = "a layer of its own that doubles in train mode"


def make_layer(kind, size, numbers):
    """A layer whose parameters and buffers are these numbers, as many as it needs, in turn."""
    layer = {
        "Linear": lambda: nn.Linear(size, size),
        "BatchNorm1d": lambda: nn.BatchNorm1d(size),
        "Tanh": nn.Tanh,
        "Dropout": lambda: nn.Dropout(0.5),
        DOUBLING: Doubling,
    }[kind]()
    for number, one in enumerate(layer.parameters()):
        one.data = mg.tensor(np.resize(np.roll(numbers, number), one.shape), dtype=one.dtype)
    if kind == "BatchNorm1d":
        layer.running_mean = mg.tensor(np.resize(numbers, size), dtype=layer.running_mean.dtype)
        layer.running_var = mg.tensor(np.resize(np.abs(numbers) + 0.5, size), dtype=layer.running_var.dtype)
    return layer


def state_of(model):
    """All that a call may change in a model: by words, copies of numbers, or the object itself."""
    found = {}
    for name, module in model.named_modules():
        found[f"the training flag of {name or 'the model'}"] = module.training
        kinds = (getattr(module, kind, None) for kind in ("_forward_pre_hooks", "_forward_hooks", "_backward_hooks"))
        found[f"the number of hooks of {name or 'the model'}"] = sum(len(hooks or ()) for hooks in kinds)
    for name, parameter in model.named_parameters():
        found[name] = parameter.detach().numpy().copy()
        found[f"{name}, the object"] = parameter
        found[f"{name}.requires_grad"] = parameter.requires_grad
        found[f"{name}.grad"] = None if parameter.grad is None else parameter.grad.numpy().copy()
    return found | {name: buffer.numpy().copy() for name, buffer in model.named_buffers()}


def draw_weights(model, seed, size):
    """Put normal numbers of a seed into the parameters of a model, whose standard deviation is the size."""
    random = np.random.default_rng(seed)
    with mg.no_grad():
        for one in model.parameters():
            one.copy_(mg.tensor(random.normal(0, size, tuple(one.shape)), dtype=mg.float32))


def trained_state(model, optimizer):
    """All that steps of training change, by words: parameters, buffers, and what the optimizer keeps."""
    found = dict(model.state_dict())
    for number, one in enumerate(one for group in optimizer.param_groups for one in group["params"]):
        kept = optimizer.state.get(one, {}).items()
        found |= {f"the optimizer's {kind} of parameter {number}": it for kind, it in kept if isinstance(it, mg.Tensor)}
    return {name: one.detach().clone() for name, one in found.items()}


def change(before, after):
    """Of two states, the first thing that is not the same, in words; "nothing" if there is none."""
    for words in [*before, *after]:
        then, now = before.get(words, "absent"), after.get(words, "absent")
        if isinstance(then, np.ndarray) and isinstance(now, np.ndarray):
            same = then.shape == now.shape and np.array_equal(then, now, equal_nan=True)
        else:
            same = then is now
        if not same:
            return f"{words}: {_in_words(then)}, and now {_in_words(now, 'another one')}"
    return "nothing"


def _in_words(value, of_objects="the one from before"):
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, separator=", ").replace("\n", "")
    return str(value) if isinstance(value, bool | str | int | float | None) else of_objects

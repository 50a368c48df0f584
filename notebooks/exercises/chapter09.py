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


def make_layer(kind, size, numbers):
    """A layer whose parameters and buffers are these numbers, as many as it needs, in turn."""
    layer = {
        "Linear": lambda: nn.Linear(size, size),
        "BatchNorm1d": lambda: nn.BatchNorm1d(size),
        "Tanh": nn.Tanh,
        "Dropout": lambda: nn.Dropout(0.5),
    }[kind]()
    for number, one in enumerate(layer.parameters()):
        one.data = mg.tensor(np.resize(np.roll(numbers, number), one.shape), dtype=one.dtype)
    if kind == "BatchNorm1d":
        layer.running_mean = mg.tensor(np.resize(numbers, size), dtype=mg.float32)
        layer.running_var = mg.tensor(np.resize(np.abs(numbers) + 0.5, size), dtype=mg.float32)
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


def first_change(before, after):
    """Of two states, what is not the same: `(words, then, now)`, or None."""
    for words in [*before, *after]:
        then, now = before.get(words, "absent"), after.get(words, "absent")
        if isinstance(then, np.ndarray) and isinstance(now, np.ndarray):
            same = then.shape == now.shape and np.array_equal(then, now, equal_nan=True)
        else:
            same = then is now
        if not same:
            return words, _in_words(then), _in_words(now)
    return None


def _in_words(value):
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, separator=", ").replace("\n", "")
    return str(value) if isinstance(value, bool | str | int | None) else "another one"


def quarters(random, shape):
    """Quarters between -3 and 3, and no 0."""
    return (random.integers(1, 13, shape) * random.choice([-0.25, 0.25], shape)).tolist()

"""A network with a layer of every kind, and what modules refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def net(F: Any) -> Any:
    """A module with a parameter, a buffer, layers, and a layer within a layer."""

    class Net(F.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = F.nn.Parameter(F.tensor([2.0, 3.0]))
            self.register_buffer("count", F.tensor([1.0]))
            self.register_buffer("hidden", F.tensor([5.0]), persistent=False)
            self.first = linear(F, 2, 2)
            self.rest = F.nn.Sequential(F.nn.ReLU(), linear(F, 2, 1))

        def forward(self, x: Any) -> Any:
            return self.rest(self.first(x) * self.scale)

    return Net()


def linear(F: Any, inputs: int, outputs: int) -> Any:
    """A Linear with weights 0.1, 0.2, ..."""
    layer = F.nn.Linear(inputs, outputs)
    with F.no_grad():
        layer.weight.copy_(F.tensor(np.arange(1, inputs * outputs + 1, dtype=np.float32).reshape(outputs, inputs) / 10))
        layer.bias.copy_(F.tensor(np.arange(outputs, dtype=np.float32)))
    return layer


def refused(call: Any, kind: type[Exception], says: str) -> bool:
    """True if a call raises this error with a message that begins like this; otherwise the scenario fails."""
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).replace("minigrad.", "torch.").startswith(says), str(caught.value)
    return True


def kind(value: Any) -> str:
    return type(value).__name__

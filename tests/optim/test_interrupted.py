"""A step that is stopped while a parameter's state is being made leaves an optimizer that works."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.optim import algorithms


def test_a_first_step_that_is_stopped_can_be_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    optimizer = mg.optim.AdamW([x], lr=0.1)
    (x * x).sum().backward()
    made = []

    def stopped(array: np.ndarray, value: float) -> np.ndarray:
        made.append(array)
        if len(made) == 2:
            raise KeyboardInterrupt
        return np.zeros(array.shape, array.dtype) + value

    with monkeypatch.context() as patched:
        patched.setattr(algorithms.np, "full_like", stopped)
        with pytest.raises(KeyboardInterrupt):
            optimizer.step()
    optimizer.step()
    assert optimizer.state[x].keys() == {"step", "exp_avg", "exp_avg_sq"}

"""The steps of a backward pass, whosever engine it is: minigrad's, PyTorch's or one of the learner's own."""

from __future__ import annotations

from typing import Any

from minigrad.autograd import engine
from minigrad.viz import own_engines, torch_graphs
from minigrad.viz.own_engines.running import Pass
from minigrad.viz.torch_graphs import running


def pass_of(root: Any, gradient: Any, retain_graph: bool | None, create_graph: bool, inputs: Any) -> Any:
    """An iterator of (node, gradients in, gradients out). Raises what `backward()` would for wrong arguments."""
    if isinstance(root, own_engines.Tensor):
        if gradient is not None or inputs is not None or create_graph:
            raise TypeError("gradient, create_graph and inputs mean nothing to your own engine: its start() begins")
        return Pass(root)
    steps = running.steps if isinstance(root, torch_graphs.Tensor) else engine.steps
    return steps(root, gradient, retain_graph, create_graph, inputs)

"""Which engine a result is of: here the pictures and the engines that they know meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minigrad.tensor_base import TensorBase
from minigrad.viz.graph.boxes import Snapshot
from minigrad.viz.graph.snapshot import snapshot
from minigrad.viz.graph.source import Source
from minigrad.viz.graph.values import short
from minigrad.viz.minigrad_graphs.minigrad_source import MinigradSource
from minigrad.viz.own_engines.adapter import Engine
from minigrad.viz.own_engines.own_source import OwnSource
from minigrad.viz.torch_graphs.torch_source import TorchSource, is_tensor

ADVICE = "Pass the result of a computation, such as loss = (x * x).sum(), not its value."
OF_OTHERS = "For an engine of your own say how it is read, as in viz.draw(loss, engine=viz.Engine())."


def source_of(root: Any, engine: Any = None, expected: str = "expected a Tensor") -> Source:
    """What is asked of the graph behind a result.

    Args:
        root: the result.
        engine: how an engine of one's own is read; None for minigrad and PyTorch.
        expected: by whom a tensor is expected, for messages.

    Raises TypeError for what is no tensor; for an engine of one's own also ValueError for a graph that cannot be one,
    and RuntimeError where a method of the engine raises.
    """
    if engine is not None:
        if isinstance(engine, type) and issubclass(engine, Source):
            return engine(root)
        if not isinstance(engine, Engine):
            raise TypeError(f"engine= must be an object of a class derived from viz.Engine, not {short(engine)}")
        return OwnSource(root, engine)
    if isinstance(root, TensorBase):
        return MinigradSource(root)
    if is_tensor(root):
        return TorchSource(root)
    advice = OF_OTHERS if hasattr(root, "grad") else ADVICE
    raise TypeError(f"{expected}, but got {type(root).__name__}: {short(root)}. {advice}")


def is_known(root: Any) -> bool:
    """Whether a result is one of minigrad's or PyTorch's, which need no engine to be said."""
    return isinstance(root, TensorBase) or is_tensor(root)


def snapshot_of(root: Any, names: Mapping[str, Any] | None = None) -> Snapshot:
    """The graph behind a result of minigrad's or PyTorch's."""
    return snapshot(source_of(root), names)

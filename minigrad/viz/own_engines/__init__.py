"""An engine of the learner's own, for the pictures: `viz.draw(L, engine=MyEngine())` and all that steps take one.

`adapter` is what a learner derives from: which questions the pictures ask of an engine; `mirrors` shows its graph
under the attributes that the pictures read of minigrad's; `running` runs its backward, one node per step.
"""

from minigrad.viz.own_engines.adapter import Engine
from minigrad.viz.own_engines.mirrors import Node, Tensor, own_tensor, tensor_of

__all__ = ["Engine", "Node", "Tensor", "own_tensor", "tensor_of"]

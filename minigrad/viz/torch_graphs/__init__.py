"""A real PyTorch graph, for the pictures and the stepper.

After this package a reader knows how `viz.draw(loss)` and `viz.BackwardStepper(loss)` work on a loss of PyTorch's.
`mirrors` shows its tensors and nodes under the attributes that the pictures read of minigrad's; `saved` tells what a
node keeps and what PyTorch hides; `formulas` finds the text of its rule; `running` runs PyTorch's own backward and
stops it after each node; `queue` knows which is next.

torch is never imported here: a graph of PyTorch's can only be there if somebody else has.
"""

from minigrad.viz.torch_graphs.mirrors import Node, Tensor, seen
from minigrad.viz.torch_graphs.running import steps

__all__ = ["Node", "Tensor", "seen", "steps"]

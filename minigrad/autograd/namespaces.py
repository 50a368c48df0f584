"""The functions of which rules are written: their `F`, with the same names on arrays and on tensors.

Each op registers itself here when it is declared (see minigrad/op.py). The engine stands below the ops and takes from
here the few that it needs itself: `sum_to` and `cast` (gradients of what was broadcast or promoted), `zeros` and
`stack` (batches), `strided`, `take_part`, `put_part` and `without_part` (views, and writes through them).
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minigrad.autograd.node import Node

arrays = SimpleNamespace()  # F of an ordinary backward: kernels, on numpy arrays
tensors = SimpleNamespace()  # F of a backward with create_graph=True: recorded ops, on tensors


def node_type(function: Callable[..., Any]) -> type[Node]:
    """The class of the nodes that an op leaves in the graph."""
    return function.__globals__["write"]().node_type

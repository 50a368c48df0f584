"""Automatic differentiation, in the modules that torch.autograd has: the graph, the engine that walks it, and the
switch for recording.
"""

from minigrad.autograd.engine import backward, grad
from minigrad.autograd.grad_mode import enable_grad, no_grad, set_grad_enabled

__all__ = ["backward", "enable_grad", "grad", "no_grad", "set_grad_enabled"]

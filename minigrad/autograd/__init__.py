"""Automatic differentiation, in the modules that torch.autograd has: the graph, the engine that walks it, custom
Functions, hooks, and the modes.
"""

from minigrad.absent import attributes_of
from minigrad.autograd import anomaly_mode, function, grad_mode, graph
from minigrad.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from minigrad.autograd.engine import backward, grad
from minigrad.autograd.function import Function
from minigrad.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from minigrad.autograd.gradcheck import gradcheck, gradgradcheck
from minigrad.autograd.variable import Variable

__getattr__ = attributes_of(__name__, "functional", "profiler")

__all__ = ["Function", "Variable", "backward", "enable_grad", "grad", "gradcheck", "gradgradcheck", "inference_mode"]
__all__ += ["detect_anomaly", "no_grad", "set_detect_anomaly", "set_grad_enabled"]
__all__ += ["anomaly_mode", "function", "functional", "grad_mode", "graph", "profiler"]

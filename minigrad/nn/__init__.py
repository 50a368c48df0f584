"""Neural networks: modules with parameters, and the functions, starting values and tools for them.

Where to read on: `modules.module` (what a module is), `modules.linear` (the simplest layer), `functional` (the
functions behind the layers), `init` (how weights begin).
"""

from minigrad.nn import functional, init, modules, parameter, utils
from minigrad.nn.modules import *  # noqa: F403
from minigrad.nn.modules import __all__ as _layers
from minigrad.nn.parameter import Buffer, Parameter, UninitializedParameter

__all__ = [
    "Buffer", "Parameter", "UninitializedParameter", "functional", "init", "modules", "parameter", "utils", *_layers,
]  # fmt: skip

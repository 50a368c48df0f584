"""Neural networks: modules with parameters, and the functions, starting values and tools for them.

Where to read on: `modules.module` (what a module is), `modules.linear` (the simplest layer), `functional` (the
functions behind the layers), `init` (how weights begin).
"""

import sys

from minigrad import absent
from minigrad.nn import functional, init, modules, parameter, utils
from minigrad.nn.modules import *  # noqa: F403
from minigrad.nn.modules import __all__ as _layers
from minigrad.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "functional", "init", "modules",
    "parameter", "utils", *_layers,
]  # fmt: skip


def __getattr__(name: str) -> object:
    """What a name that does not exist raises."""
    raise absent.error(__name__, name, sys.modules[__name__])

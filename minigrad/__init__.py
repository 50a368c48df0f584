# ruff: noqa: F401 - what is imported here is what the package offers
# mypy: implicit-reexport
"""minigrad: automatic differentiation that one can read, with PyTorch's names.

The names below are the ones that `import torch` would give; those of operations are said beside each of them (see
`public`). Where to read on: `tensor` (what a tensor carries), `op` (how an operation is declared), `ops` (the
operations), `autograd.node` (what is recorded) and `autograd.engine` (the one backward loop).
"""

from math import e, inf, nan, pi
from types import ModuleType as _ModuleType

from minigrad import autograd, return_types
from minigrad.absent import attributes_of as _attributes_of
from minigrad.autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from minigrad.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from minigrad.autograd.grad_mode import is_grad_enabled, is_inference_mode_enabled
from minigrad.devices import device
from minigrad.dtypes import (
    bool,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
)
from minigrad.methods import FUNCTIONS as _FUNCTIONS
from minigrad.printing import set_printoptions
from minigrad.random import Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from minigrad.size import Size
from minigrad.tensor import Tensor

__version__ = "0.1.0"
newaxis = None
long, int, short, float, double, half = int64, int32, int16, float32, float64, float16
globals().update(_FUNCTIONS)

# What many programs never use is imported when it is first asked for: that keeps `import minigrad` quick.
_AT_FIRST_USE = {
    "ops.images.conv": ("conv1d", "conv2d", "conv_transpose2d"),
    "ops.images.pool": ("avg_pool1d", "max_pool1d", "max_pool2d"),
    "serialization": ("load", "save"),
}
_PARTS = ("cuda", "distributions", "linalg", "nn", "optim", "serialization", "utils")
__getattr__ = _attributes_of(__name__, *_PARTS, **_AT_FIRST_USE)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    *(name for name, value in globals().items() if not name.startswith("_") and not isinstance(value, _ModuleType)),
    *("autograd", "distributions", "linalg", "nn", "optim", "return_types", "utils", "load", "save"),
]

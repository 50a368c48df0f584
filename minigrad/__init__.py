# ruff: noqa: F401, E402 - what is imported here is what the package offers
# mypy: implicit-reexport
"""minigrad: automatic differentiation that one can read, with PyTorch's names.

The names below are the ones that `import torch` would give. Where to read on: `tensor` (what a tensor carries), `op`
(how an operation is declared), `ops` (the operations), `autograd.graph` (what is recorded) and `autograd.engine` (the
one backward loop).
"""

import warnings as _warnings
from importlib import import_module as _import_module
from math import e, inf, nan, pi
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

# A nan or an inf is a result like any other here, as in PyTorch: numpy's warnings about it, raised within minigrad,
# stay silent.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")

from minigrad import autograd, return_types
from minigrad.absent import attributes_of as _attributes_of
from minigrad.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from minigrad.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
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
from minigrad.functions import (
    abs,
    abs_,
    absolute,
    acos,
    add,
    addcdiv,
    addcmul,
    addmm,
    all,
    amax,
    amin,
    any,
    argmax,
    argmin,
    argsort,
    asin,
    atan,
    atan2,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    bmm,
    ceil,
    clamp,
    clamp_max,
    clamp_min,
    clip,
    clone,
    cos,
    cos_,
    cosh,
    count_nonzero,
    cumprod,
    cumsum,
    div,
    dot,
    eq,
    erf,
    exp,
    exp2,
    exp_,
    expm1,
    fill_,
    floor,
    floor_divide,
    gather,
    ge,
    gt,
    index_add,
    index_select,
    inner,
    le,
    lerp,
    log,
    log1p,
    log2,
    log10,
    log_,
    log_softmax,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    logsumexp,
    lt,
    masked_select,
    matmul,
    max,
    maximum,
    min,
    minimum,
    mm,
    mul,
    mv,
    nan_to_num,
    narrow,
    ne,
    neg,
    neg_,
    nonzero,
    norm,
    outer,
    pow,
    prod,
    reciprocal,
    reciprocal_,
    relu,
    relu_,
    remainder,
    round,
    rsqrt,
    scatter,
    scatter_add,
    select,
    sigmoid,
    sigmoid_,
    sign,
    sin,
    sin_,
    sinh,
    softmax,
    sort,
    sqrt,
    sqrt_,
    square,
    square_,
    std,
    sub,
    take_along_dim,
    tan,
    tanh,
    tanh_,
    topk,
    trunc,
    var,
    where,
    zero_,
)
from minigrad.functions import declared as _declared_functions
from minigrad.ops.matrices.determinant import (
    det,
)
from minigrad.ops.matrices.einsum import einsum
from minigrad.ops.places.assignment import index_put, index_put_
from minigrad.ops.places.masks import (
    argwhere,
    masked_fill,
)
from minigrad.ops.places.strides import as_strided
from minigrad.ops.pointwise.arithmetic import (
    positive,
    rsub,
)
from minigrad.ops.pointwise.bounds import (
    clamp_,
    clamp_max_,
    clamp_min_,
    clip_,
)
from minigrad.ops.pointwise.comparison import (
    allclose,
    equal,
    isclose,
)
from minigrad.ops.pointwise.error_function import (
    erf_,
)
from minigrad.ops.pointwise.exponential import (
    exp2_,
    expm1_,
    log1p_,
    log2_,
    log10_,
)
from minigrad.ops.pointwise.powers import (
    rsqrt_,
)
from minigrad.ops.pointwise.rounding import (
    ceil_,
    floor_,
    round_,
    trunc_,
)
from minigrad.ops.pointwise.special_values import (
    isfinite,
    isinf,
    isnan,
    nan_to_num_,
)
from minigrad.ops.pointwise.trigonometry import (
    acos_,
    asin_,
    atan_,
    cosh_,
    sinh_,
    tan_,
)
from minigrad.random import Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from minigrad.tensor import Size, Tensor

__version__ = "0.1.0"


# What many programs never use is imported when it is first asked for: that keeps `import minigrad` quick.
_AT_FIRST_USE = {
    "ops.images.conv": ("conv1d", "conv2d", "conv_transpose2d"),
    "ops.images.pool": ("avg_pool1d", "max_pool1d", "max_pool2d"),
    "serialization": ("load", "save"),
}  # fmt: skip

if _TYPE_CHECKING:
    from minigrad import linalg, nn, optim, utils
    from minigrad.ops.images.conv import conv1d, conv2d, conv_transpose2d
    from minigrad.ops.images.pool import avg_pool1d, max_pool1d, max_pool2d
    from minigrad.serialization import load, save


_attribute = _attributes_of(__name__, "cuda", "linalg", "nn", "optim", "serialization", "utils")


def __getattr__(name: str) -> _Any:
    """A name of `_AT_FIRST_USE`, or a subpackage."""
    for module, names in _AT_FIRST_USE.items():
        if name in names:
            value = globals()[name] = getattr(_import_module(f"minigrad.{module}"), name)
            return value
    return _attribute(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


newaxis = None
long, int, short, float, double, half = int64, int32, int16, float32, float64, float16

# The functions that are declared @public, beside the op: what `minigrad.sum` and the like are.
globals().update(_declared_functions)
_own_modules = ("autograd", "linalg", "nn", "optim", "return_types", "utils")
__all__ = [
    *(n for n, v in globals().items() if not n.startswith("_") and not isinstance(v, _ModuleType)),
    *_own_modules, "load", "save",
]  # fmt: skip

"""minigrad: automatic differentiation that one can read, with PyTorch's names.

The names below are the ones that `import torch` would give. Where to read on: `tensor` (what a tensor carries), `op`
(how an operation is declared), `ops` (the operations), `autograd.graph` (what is recorded) and `autograd.engine` (the
one backward loop).
"""

import warnings as _warnings

# A nan or an inf is a result like any other here, as in PyTorch: numpy's warnings about it, raised within minigrad,
# stay silent.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")

from minigrad import autograd, utils  # noqa: E402
from minigrad.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled  # noqa: E402
from minigrad.autograd.grad_mode import (  # noqa: E402
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from minigrad.creation import (  # noqa: E402
    arange,
    as_tensor,
    asarray,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    manual_seed,
    ones,
    ones_like,
    rand,
    randn,
    tensor,
    zeros,
    zeros_like,
)
from minigrad.dtypes import bool, dtype, float32, float64, int32, int64  # noqa: E402
from minigrad.functions import (  # noqa: E402
    abs,
    abs_,
    add,
    all,
    any,
    argmax,
    argmin,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    cat,
    ceil,
    clamp,
    clone,
    cos,
    cos_,
    cumsum,
    detach_,
    div,
    eq,
    exp,
    exp_,
    fill_,
    floor,
    floor_divide,
    ge,
    gt,
    isfinite,
    isinf,
    isnan,
    le,
    log,
    log_,
    logical_not,
    lt,
    matmul,
    max,
    maximum,
    mean,
    min,
    minimum,
    mm,
    mul,
    ne,
    neg,
    neg_,
    pow,
    prod,
    reciprocal,
    reciprocal_,
    relu,
    relu_,
    remainder,
    round,
    sigmoid,
    sigmoid_,
    sign,
    sin,
    sin_,
    sqrt,
    sqrt_,
    square,
    square_,
    stack,
    std,
    sub,
    sum,
    tanh,
    tanh_,
    trunc,
    var,
    where,
    zero_,
)
from minigrad.layout import detach, is_floating_point, is_inference, is_tensor, numel  # noqa: E402
from minigrad.ops.indexing import narrow, select  # noqa: E402
from minigrad.ops.shape import (  # noqa: E402
    chunk,
    diagonal,
    flatten,
    flip,
    moveaxis,
    movedim,
    permute,
    reshape,
    split,
    squeeze,
    swapaxes,
    swapdims,
    t,
    transpose,
    unbind,
    unflatten,
    unsqueeze,
)
from minigrad.ops.strides import as_strided  # noqa: E402
from minigrad.printing import set_printoptions  # noqa: E402
from minigrad.tensor import Size, Tensor  # noqa: E402
from minigrad.writing import index_put, index_put_  # noqa: E402

__version__ = "0.1.0"

long, int, float, double = int64, int32, float32, float64

# fmt: off
__all__ = [
    "Size", "Tensor", "abs", "abs_", "add", "all", "any", "arange", "argmax", "argmin", "as_strided", "as_tensor",
    "asarray", "autograd", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "bool", "cat", "ceil",
    "chunk", "clamp", "clone", "cos", "cos_", "cumsum", "detach", "detach_", "diagonal", "div", "double", "dtype",
    "empty", "empty_like", "enable_grad", "eq", "exp", "exp_", "eye", "fill_", "flatten", "flip", "float",
    "float32", "float64", "floor", "floor_divide", "from_numpy", "full", "full_like", "ge", "gt", "index_put",
    "index_put_", "inference_mode", "int", "int32", "int64", "is_anomaly_check_nan_enabled", "is_anomaly_enabled",
    "is_floating_point", "is_grad_enabled", "is_inference", "is_inference_mode_enabled", "is_tensor", "isfinite",
    "isinf", "isnan", "le", "linspace", "log", "log_", "logical_not", "long", "lt", "manual_seed", "matmul", "max",
    "maximum", "mean", "min", "minimum", "mm", "moveaxis", "movedim", "mul", "narrow", "ne", "neg", "neg_",
    "no_grad", "numel", "ones", "ones_like", "permute", "pow", "prod", "rand", "randn", "reciprocal", "reciprocal_",
    "relu", "relu_", "remainder", "reshape", "round", "select", "set_grad_enabled", "set_printoptions", "sigmoid",
    "sigmoid_", "sign", "sin", "sin_", "split", "sqrt", "sqrt_", "square", "square_", "squeeze", "stack", "std",
    "sub", "sum", "swapaxes", "swapdims", "t", "tanh", "tanh_", "tensor", "transpose", "trunc", "unbind",
    "unflatten", "unsqueeze", "utils", "var", "where", "zero_", "zeros", "zeros_like",
]
# fmt: on

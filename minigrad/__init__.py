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
from minigrad.layout import detach, is_floating_point, is_inference, is_tensor, numel  # noqa: E402
from minigrad.methods import logical_not, square  # noqa: E402
from minigrad.methods import pow as _pow  # noqa: E402
from minigrad.ops.comparison import bitwise_and, bitwise_not, bitwise_or, bitwise_xor, eq, ge, gt, le, lt, ne  # noqa: E402
from minigrad.ops.elementwise import (  # noqa: E402
    abs,
    add,
    clone,
    cos,
    div,
    exp,
    log,
    mul,
    neg,
    reciprocal,
    relu,
    sigmoid,
    sign,
    sin,
    sqrt,
    sub,
    tanh,
    where,
)
from minigrad.ops.indexing import narrow, select  # noqa: E402
from minigrad.ops.linalg import matmul as _matmul  # noqa: E402
from minigrad.ops.linalg import mm  # noqa: E402
from minigrad.ops.reduction import all, any, argmax, max  # noqa: E402
from minigrad.ops.reduction import mean as _mean  # noqa: E402
from minigrad.ops.reduction import sum as _sum  # noqa: E402
from minigrad.ops.shape import cat as _cat  # noqa: E402
from minigrad.ops.shape import (  # noqa: E402
    chunk,
    diagonal,
    flatten,
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
from minigrad.ops.shape import stack as _stack  # noqa: E402
from minigrad.ops.strides import as_strided  # noqa: E402
from minigrad.printing import set_printoptions  # noqa: E402
from minigrad.tensor import Size, Tensor  # noqa: E402
from minigrad.writing import index_put, index_put_  # noqa: E402
from minigrad.writing import taking_out as _taking_out  # noqa: E402

cat, matmul, mean, pow, stack, sum = [_taking_out(_each) for _each in (_cat, _matmul, _mean, _pow, _stack, _sum)]
# The in-place forms that are also functions.
_names = ("abs", "cos", "exp", "log", "neg", "reciprocal", "relu", "sigmoid", "sin", "sqrt", "square", "tanh")
abs_, cos_, exp_, log_, neg_, reciprocal_, relu_, sigmoid_, sin_, sqrt_, square_, tanh_ = [
    getattr(Tensor, _name + "_") for _name in _names
]

__version__ = "0.1.0"

long, int, float, double = int64, int32, float32, float64

# fmt: off
__all__ = [
    "Size", "Tensor", "abs", "abs_", "add", "all", "any", "arange", "argmax", "as_strided", "as_tensor", "asarray",
    "autograd", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "bool", "cat", "chunk", "clone", "cos",
    "cos_", "detach", "diagonal", "div", "double", "dtype", "empty", "empty_like", "enable_grad", "eq", "exp",
    "exp_", "eye", "flatten", "float", "float32", "float64", "from_numpy", "full", "full_like", "ge", "gt",
    "index_put", "index_put_", "inference_mode", "int", "int32", "int64", "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled", "is_floating_point", "is_grad_enabled", "is_inference", "is_inference_mode_enabled",
    "is_tensor", "le", "linspace", "log", "log_", "logical_not", "long", "lt", "manual_seed", "matmul", "max",
    "mean", "mm", "moveaxis", "movedim", "mul", "narrow", "ne", "neg", "neg_", "no_grad", "numel", "ones",
    "ones_like", "permute", "pow", "rand", "randn", "reciprocal", "reciprocal_", "relu", "relu_", "reshape",
    "select", "set_grad_enabled", "set_printoptions", "sigmoid", "sigmoid_", "sign", "sin", "sin_", "split", "sqrt",
    "sqrt_", "square", "square_", "squeeze", "stack", "sub", "sum", "swapaxes", "swapdims", "t", "tanh", "tanh_",
    "tensor", "transpose", "unbind", "unflatten", "unsqueeze", "utils", "where", "zeros", "zeros_like",
]
# fmt: on

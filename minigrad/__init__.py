"""minigrad: automatic differentiation that one can read, with PyTorch's names.

The names below are the ones that `import torch` would give. Where to read on: `tensor` (what a tensor carries), `op`
(how an operation is declared), `ops` (the operations), `autograd.graph` (what is recorded) and `autograd.engine` (the
one backward loop).
"""

import warnings as _warnings

# A nan or an inf is a result like any other here, as in PyTorch: numpy's warnings about it, raised within minigrad,
# stay silent.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")

from minigrad import autograd  # noqa: E402
from minigrad.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled  # noqa: E402
from minigrad.creation import (  # noqa: E402
    arange,
    eye,
    full,
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
from minigrad.methods import logical_not, pow  # noqa: E402
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
from minigrad.ops.linalg import matmul  # noqa: E402
from minigrad.ops.reduction import all, any, argmax, max, mean, sum  # noqa: E402
from minigrad.ops.shape import cat, flatten, permute, reshape, squeeze, stack, t, transpose, unsqueeze  # noqa: E402
from minigrad.tensor import Size, Tensor  # noqa: E402

__version__ = "0.1.0"

long, int, float, double = int64, int32, float32, float64

# fmt: off
__all__ = [
    "Size", "Tensor", "abs", "add", "all", "any", "arange", "argmax", "autograd", "bitwise_and", "bitwise_not",
    "bitwise_or", "bitwise_xor", "bool", "cat", "clone", "cos", "div", "double", "dtype", "enable_grad", "eq", "exp",
    "eye", "flatten", "float", "float32", "float64", "full", "ge", "gt", "int", "int32", "int64",
    "is_grad_enabled", "le", "linspace", "log", "logical_not", "long", "lt", "manual_seed", "matmul", "max", "mean",
    "mul", "ne", "neg", "no_grad", "ones", "ones_like", "permute", "pow", "rand", "randn", "reciprocal", "relu",
    "reshape", "set_grad_enabled", "sigmoid", "sign", "sin", "sqrt", "squeeze", "stack", "sub", "sum", "t", "tanh",
    "tensor", "transpose", "unsqueeze", "where", "zeros", "zeros_like",
]
# fmt: on

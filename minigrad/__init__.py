"""minigrad: automatic differentiation that one can read, with PyTorch's names.

The names below are the ones that `import torch` would give. Where to read on: `tensor` (what a tensor carries), `op`
(how an operation is declared), `ops` (the operations), `autograd.graph` (what is recorded) and `autograd.engine` (the
one backward loop).
"""

import warnings as _warnings
from math import e, inf, nan, pi
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

# A nan or an inf is a result like any other here, as in PyTorch: numpy's warnings about it, raised within minigrad,
# stay silent.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")

from minigrad import autograd, return_types  # noqa: E402
from minigrad.assignment import index_put, index_put_  # noqa: E402
from minigrad.autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled  # noqa: E402
from minigrad.autograd.grad_mode import (  # noqa: E402
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from minigrad.creation.data import as_tensor, asarray, from_numpy, tensor  # noqa: E402
from minigrad.creation.factories import (  # noqa: E402
    arange,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    linspace,
    logspace,
    ones,
    ones_like,
    scalar_tensor,
    zeros,
    zeros_like,
)
from minigrad.devices import (  # noqa: E402
    contiguous_format,
    device,
    memory_format,
    preserve_format,
    strided,
)
from minigrad.dtypes import (  # noqa: E402
    bool,
    can_cast,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    result_type,
    set_default_dtype,
    uint8,
)
from minigrad.functions import (  # noqa: E402
    abs,
    abs_,
    absolute,
    acos,
    add,
    addbmm,
    addcdiv,
    addcmul,
    addmm,
    addmv,
    addr,
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
    baddbmm,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    bmm,
    cat,
    ceil,
    chunk,
    clamp,
    clamp_max,
    clamp_min,
    clip,
    clone,
    column_stack,
    concat,
    concatenate,
    cos,
    cos_,
    cosh,
    count_nonzero,
    cross,
    cumprod,
    cumsum,
    detach_,
    diag,
    div,
    dot,
    dstack,
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
    ger,
    gt,
    hstack,
    index_add,
    index_copy,
    index_select,
    inner,
    inverse,
    kron,
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
    matrix_power,
    max,
    maximum,
    min,
    minimum,
    mm,
    mul,
    mv,
    nan_to_num,
    narrow,
    narrow_copy,
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
    repeat_interleave,
    round,
    row_stack,
    rsqrt,
    scatter,
    scatter_add,
    scatter_reduce,
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
    stack,
    std,
    sub,
    take,
    take_along_dim,
    tan,
    tanh,
    tanh_,
    tensordot,
    topk,
    tril,
    triu,
    trunc,
    unbind,
    var,
    vdot,
    vstack,
    where,
    zero_,
)
from minigrad.functions import declared as _declared_functions  # noqa: E402
from minigrad.layout import detach, is_floating_point, is_inference, is_tensor, numel  # noqa: E402
from minigrad.ops.matrices.determinant import (  # noqa: E402
    det,
    logdet,
    slogdet,
)
from minigrad.ops.matrices.einsum import einsum  # noqa: E402
from minigrad.ops.matrices.least_squares import pinverse  # noqa: E402
from minigrad.ops.matrices.svd import svd  # noqa: E402
from minigrad.ops.places.index_select import index_fill  # noqa: E402
from minigrad.ops.places.masks import (  # noqa: E402
    argwhere,
    masked_fill,
    masked_scatter,
)
from minigrad.ops.places.slicing import (  # noqa: E402
    select_scatter,
    slice_scatter,
)
from minigrad.ops.places.strides import as_strided  # noqa: E402
from minigrad.ops.places.take import put  # noqa: E402
from minigrad.ops.pointwise.arithmetic import (  # noqa: E402
    positive,
    rsub,
)
from minigrad.ops.pointwise.bounds import (  # noqa: E402
    clamp_,
    clamp_max_,
    clamp_min_,
    clip_,
)
from minigrad.ops.pointwise.comparison import (  # noqa: E402
    allclose,
    equal,
    isclose,
)
from minigrad.ops.pointwise.error_function import (  # noqa: E402
    erf_,
)
from minigrad.ops.pointwise.exponential import (  # noqa: E402
    exp2_,
    expm1_,
    log1p_,
    log2_,
    log10_,
)
from minigrad.ops.pointwise.powers import (  # noqa: E402
    rsqrt_,
)
from minigrad.ops.pointwise.rounding import (  # noqa: E402
    ceil_,
    floor_,
    round_,
    trunc_,
)
from minigrad.ops.pointwise.special_values import (  # noqa: E402
    isfinite,
    isinf,
    isnan,
    nan_to_num_,
)
from minigrad.ops.pointwise.trigonometry import (  # noqa: E402
    acos_,
    asin_,
    atan_,
    cosh_,
    sinh_,
    tan_,
)
from minigrad.ops.shapes.diagonals import (  # noqa: E402
    diag_embed,
    diagflat,
    diagonal,
    diagonal_scatter,
    trace,
)
from minigrad.ops.shapes.expanding import (  # noqa: E402
    broadcast_shapes,
    broadcast_tensors,
    broadcast_to,
)
from minigrad.ops.shapes.flipping import (  # noqa: E402
    flip,
    fliplr,
    flipud,
    roll,
    rot90,
)
from minigrad.ops.shapes.joining import (  # noqa: E402
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
)
from minigrad.ops.shapes.repeating import tile  # noqa: E402
from minigrad.ops.shapes.splitting import (  # noqa: E402
    dsplit,
    hsplit,
    split,
    tensor_split,
    vsplit,
)
from minigrad.ops.shapes.transposing import (  # noqa: E402
    adjoint,
    moveaxis,
    movedim,
    permute,
    swapaxes,
    swapdims,
    t,
    transpose,
)
from minigrad.ops.shapes.triangles import (  # noqa: E402
    tril_indices,
    triu_indices,
)
from minigrad.random import (  # noqa: E402
    Generator,
    bernoulli,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    multinomial,
    normal,
    poisson,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
    seed,
    set_rng_state,
)
from minigrad.tensor import Size, Tensor  # noqa: E402

__version__ = "0.1.0"


# What many programs never use is imported when it is first asked for: that keeps `import minigrad` quick.
_AT_FIRST_USE = {
    "": (
        "accelerator", "amp", "backends", "cuda", "linalg", "nn", "optim", "serialization",
        "utils",
    ),
    "amp": ("autocast",),
    "creation.typed": (
        "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor",
        "LongTensor", "ShortTensor", "set_default_tensor_type",
    ),
    "determinism": (
        "are_deterministic_algorithms_enabled", "get_float32_matmul_precision",
        "is_deterministic_algorithms_warn_only_enabled", "set_float32_matmul_precision", "use_deterministic_algorithms",
    ),
    "ops.images.adaptive_pool": ("adaptive_avg_pool1d",),
    "ops.images.conv": ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"),
    "ops.images.pool": ("avg_pool1d", "max_pool1d", "max_pool2d", "max_pool3d"),
    "ops.images.shuffling": ("channel_shuffle", "pixel_shuffle", "pixel_unshuffle"),
    "ops.matrices.cdist": ("cdist",),
    "ops.matrices.multi_dot": ("chain_matmul",),
    "ops.shapes.grids": ("cartesian_prod", "combinations", "meshgrid"),
    "printing": ("set_printoptions",),
    "serialization": ("load", "save"),
    "viz": ("load_ipython_extension",),  # what `%load_ext minigrad` calls
}  # fmt: skip

if _TYPE_CHECKING:
    from minigrad import accelerator, amp, backends, cuda, linalg, nn, optim, utils
    from minigrad.amp import autocast
    from minigrad.creation.typed import (
        BoolTensor,
        ByteTensor,
        CharTensor,
        DoubleTensor,
        FloatTensor,
        HalfTensor,
        IntTensor,
        LongTensor,
        ShortTensor,
        set_default_tensor_type,
    )
    from minigrad.determinism import (
        are_deterministic_algorithms_enabled,
        get_float32_matmul_precision,
        is_deterministic_algorithms_warn_only_enabled,
        set_float32_matmul_precision,
        use_deterministic_algorithms,
    )
    from minigrad.ops.images.adaptive_pool import adaptive_avg_pool1d
    from minigrad.ops.images.conv import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
    from minigrad.ops.images.pool import avg_pool1d, max_pool1d, max_pool2d, max_pool3d
    from minigrad.ops.images.shuffling import channel_shuffle, pixel_shuffle, pixel_unshuffle
    from minigrad.ops.matrices.cdist import cdist
    from minigrad.ops.matrices.multi_dot import chain_matmul
    from minigrad.ops.shapes.grids import cartesian_prod, combinations, meshgrid
    from minigrad.printing import set_printoptions
    from minigrad.serialization import load, save


def __getattr__(name: str) -> _Any:
    """A name of `_AT_FIRST_USE`."""
    from importlib import import_module
    from sys import modules

    from minigrad import absent

    for module, names in _AT_FIRST_USE.items():
        if name in names:
            value = getattr(import_module(f"minigrad.{module}"), name) if module else import_module(f"minigrad.{name}")
            globals()[name] = value
            return value
    raise absent.error("minigrad", name, modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


newaxis = None
long, int, short, float, double, half = int64, int32, int16, float32, float64, float16

# fmt: off
__all__ = [
    "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "Generator", "HalfTensor", "IntTensor",
    "LongTensor", "ShortTensor", "Size", "Tensor", "abs", "abs_", "absolute", "accelerator", "acos", "acos_",
    "adaptive_avg_pool1d", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr",
    "adjoint", "all", "allclose", "amax", "amin", "amp", "any", "arange",
    "are_deterministic_algorithms_enabled", "argmax", "argmin", "argsort", "argwhere", "as_strided", "as_tensor",
    "asarray", "asin", "asin_", "atan", "atan2", "atan_", "atleast_1d",
    "atleast_2d", "atleast_3d", "autocast", "autograd", "avg_pool1d", "backends", "baddbmm", "bernoulli",
    "bitwise_and", "bitwise_not", "bitwise_or",
    "bitwise_xor", "block_diag", "bmm", "bool", "broadcast_shapes", "broadcast_tensors", "broadcast_to",
    "can_cast", "cartesian_prod", "cat", "cdist", "ceil", "ceil_", "chain_matmul",
    "channel_shuffle", "chunk", "clamp", "clamp_", "clamp_max", "clamp_max_", "clamp_min", "clamp_min_", "clip",
    "clip_", "clone", "column_stack", "combinations", "concat", "concatenate", "contiguous_format", "conv1d",
    "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cos", "cos_",
    "cosh", "cosh_", "count_nonzero", "cross", "cuda", "cumprod", "cumsum",
    "default_generator", "det", "detach", "detach_", "device",
    "diag", "diag_embed", "diagflat", "diagonal", "diagonal_scatter",
    "div", "dot", "double", "dsplit", "dstack", "dtype", "e", "einsum", "empty", "empty_like",
    "enable_grad", "eq", "equal", "erf", "erf_", "exp", "exp2", "exp2_", "exp_", "expm1",
    "expm1_", "eye", "fill_", "finfo", "flip", "fliplr", "flipud", "float", "float16",
    "float32", "float64", "floor", "floor_", "floor_divide",
    "from_numpy", "full", "full_like", "gather", "ge", "ger", "get_default_dtype",
    "get_float32_matmul_precision", "get_rng_state", "gt", "half",
    "hsplit", "hstack", "iinfo", "index_add", "index_copy", "index_fill",
    "index_put", "index_put_", "index_select", "inf", "inference_mode", "initial_seed", "inner", "int", "int8",
    "int16", "int32", "int64", "inverse", "is_anomaly_check_nan_enabled", "is_anomaly_enabled",
    "is_deterministic_algorithms_warn_only_enabled", "is_floating_point", "is_grad_enabled", "is_inference",
    "is_inference_mode_enabled", "is_tensor", "isclose", "isfinite", "isinf", "isnan",
    "kron", "le", "lerp",
    "linalg", "linspace", "load", "log", "log1p", "log1p_", "log2", "log2_", "log10", "log10_", "log_",
    "log_softmax", "logaddexp", "logdet", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logspace", "logsumexp", "long", "lt", "manual_seed", "masked_fill",
    "masked_scatter", "masked_select", "matmul", "matrix_power", "max", "max_pool1d", "max_pool2d", "max_pool3d",
    "maximum", "memory_format", "meshgrid", "min", "minimum", "mm", "moveaxis", "movedim",
    "mul", "multinomial", "mv", "nan", "nan_to_num", "nan_to_num_",
    "narrow", "narrow_copy", "ne", "neg", "neg_", "newaxis", "nn",
    "no_grad", "nonzero", "norm", "normal", "numel", "ones", "ones_like", "optim", "outer", "permute",
    "pi", "pinverse", "pixel_shuffle", "pixel_unshuffle", "poisson", "positive", "pow", "preserve_format",
    "prod", "promote_types", "put", "rand", "rand_like", "randint",
    "randint_like", "randn", "randn_like", "randperm", "reciprocal", "reciprocal_", "relu", "relu_",
    "remainder", "repeat_interleave", "result_type", "return_types", "roll", "rot90", "round", "round_",
    "row_stack", "rsqrt", "rsqrt_", "rsub", "save", "scalar_tensor", "scatter", "scatter_add",
    "scatter_reduce", "seed", "select", "select_scatter", "set_default_dtype",
    "set_default_tensor_type", "set_float32_matmul_precision", "set_grad_enabled", "set_printoptions",
    "set_rng_state", "short", "sigmoid", "sigmoid_", "sign", "sin", "sin_",
    "sinh", "sinh_", "slice_scatter", "slogdet", "softmax", "sort", "split", "sqrt", "sqrt_", "square", "square_",
    "stack", "std", "strided", "sub", "svd", "swapaxes", "swapdims", "t",
    "take", "take_along_dim", "tan", "tan_", "tanh", "tanh_", "tensor", "tensor_split", "tensordot",
    "tile", "topk", "trace", "transpose", "tril", "tril_indices", "triu",
    "triu_indices", "trunc", "trunc_", "uint8", "unbind",
    "use_deterministic_algorithms", "utils", "var", "vdot", "vsplit",
    "vstack", "where", "zero_", "zeros", "zeros_like",
]
# fmt: on

# The functions that are declared @public, beside the op: what `minigrad.sum` and the like are.
globals().update(_declared_functions)
__all__ += sorted(_declared_functions)

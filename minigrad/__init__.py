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
    acosh,
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
    aminmax,
    any,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    argmax,
    argmin,
    argsort,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    baddbmm,
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    bmm,
    bucketize,
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
    copysign,
    cos,
    cos_,
    cosh,
    count_nonzero,
    cross,
    cummax,
    cummin,
    cumprod,
    cumsum,
    deg2rad,
    detach_,
    diag,
    diff,
    digamma,
    div,
    divide,
    dot,
    dstack,
    eq,
    erf,
    erfc,
    erfinv,
    exp,
    exp2,
    exp_,
    expm1,
    fill_,
    fix,
    float_power,
    floor,
    floor_divide,
    fmax,
    fmin,
    fmod,
    frac,
    gather,
    gcd,
    ge,
    ger,
    greater,
    greater_equal,
    gt,
    hardshrink,
    heaviside,
    histc,
    hstack,
    hypot,
    index_add,
    index_copy,
    index_select,
    inner,
    inverse,
    isin,
    isneginf,
    isposinf,
    kron,
    kthvalue,
    lcm,
    le,
    lerp,
    less,
    less_equal,
    lgamma,
    log,
    log1p,
    log2,
    log10,
    log_,
    log_softmax,
    logaddexp,
    logaddexp2,
    logcumsumexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    logit,
    logsumexp,
    lt,
    masked_select,
    matmul,
    matrix_power,
    max,
    maximum,
    median,
    min,
    minimum,
    mm,
    mode,
    msort,
    mul,
    multiply,
    mv,
    nan_to_num,
    nanmedian,
    nanquantile,
    narrow,
    narrow_copy,
    ne,
    neg,
    neg_,
    negative,
    nonzero,
    norm,
    not_equal,
    outer,
    pow,
    prod,
    quantile,
    rad2deg,
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
    searchsorted,
    select,
    sgn,
    sigmoid,
    sigmoid_,
    sign,
    signbit,
    sin,
    sin_,
    sinc,
    sinh,
    softmax,
    sort,
    sqrt,
    sqrt_,
    square,
    square_,
    stack,
    std,
    std_mean,
    sub,
    subtract,
    take,
    take_along_dim,
    tan,
    tanh,
    tanh_,
    tensordot,
    threshold,
    topk,
    tril,
    triu,
    true_divide,
    trunc,
    unbind,
    var,
    var_mean,
    vdot,
    vstack,
    where,
    xlogy,
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
from minigrad.ops.matrices.tensordot import bilinear  # noqa: E402
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
from minigrad.ops.pointwise.activations_piecewise import (  # noqa: E402
    prelu,
    rrelu,
    rrelu_,
    threshold_,
)
from minigrad.ops.pointwise.activations_smooth import (  # noqa: E402
    celu,
    celu_,
    selu,
    selu_,
)
from minigrad.ops.pointwise.arithmetic import (  # noqa: E402
    negative_,
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
from minigrad.ops.pointwise.division import (  # noqa: E402
    gcd_,
    lcm_,
)
from minigrad.ops.pointwise.error_function import (  # noqa: E402
    erf_,
    erfc_,
)
from minigrad.ops.pointwise.exponential import (  # noqa: E402
    exp2_,
    expm1_,
    log1p_,
    log2_,
    log10_,
    logit_,
    xlogy_,
)
from minigrad.ops.pointwise.logic import (  # noqa: E402
    is_nonzero,
)
from minigrad.ops.pointwise.powers import (  # noqa: E402
    rsqrt_,
)
from minigrad.ops.pointwise.rounding import (  # noqa: E402
    ceil_,
    fix_,
    floor_,
    frac_,
    round_,
    trunc_,
)
from minigrad.ops.pointwise.special_values import (  # noqa: E402
    isfinite,
    isinf,
    isnan,
    isreal,
    nan_to_num_,
)
from minigrad.ops.pointwise.trigonometry import (  # noqa: E402
    acos_,
    acosh_,
    arccos_,
    arccosh_,
    arcsin_,
    arcsinh_,
    arctan_,
    arctanh_,
    asin_,
    asinh_,
    atan_,
    atanh_,
    cosh_,
    deg2rad_,
    rad2deg_,
    sinc_,
    sinh_,
    tan_,
)
from minigrad.ops.reductions.bins import (  # noqa: E402
    bincount,
)
from minigrad.ops.reductions.differences import (  # noqa: E402
    cumulative_trapezoid,
    trapezoid,
    trapz,
)
from minigrad.ops.reductions.distinct import (  # noqa: E402
    unique,
    unique_consecutive,
)
from minigrad.ops.reductions.vector_norm import (  # noqa: E402
    dist,
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
        "accelerator", "amp", "backends", "cuda", "distributions", "linalg", "nn", "optim", "serialization",
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
    from minigrad import accelerator, amp, backends, cuda, distributions, linalg, nn, optim, utils
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
    "acosh", "acosh_", "adaptive_avg_pool1d", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr",
    "adjoint", "all", "allclose", "amax", "amin", "aminmax", "amp", "any", "arange", "arccos", "arccos_", "arccosh",
    "arccosh_", "arcsin", "arcsin_", "arcsinh", "arcsinh_", "arctan", "arctan2", "arctan_", "arctanh", "arctanh_",
    "are_deterministic_algorithms_enabled", "argmax", "argmin", "argsort", "argwhere", "as_strided", "as_tensor",
    "asarray", "asin", "asin_", "asinh", "asinh_", "atan", "atan2", "atan_", "atanh", "atanh_", "atleast_1d",
    "atleast_2d", "atleast_3d", "autocast", "autograd", "avg_pool1d", "backends", "baddbmm", "bernoulli",
    "bilinear", "bincount", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "block_diag", "bmm", "bool", "broadcast_shapes", "broadcast_tensors", "broadcast_to",
    "bucketize", "can_cast", "cartesian_prod", "cat", "cdist", "ceil", "ceil_", "celu", "celu_", "chain_matmul",
    "channel_shuffle", "chunk", "clamp", "clamp_", "clamp_max", "clamp_max_", "clamp_min", "clamp_min_", "clip",
    "clip_", "clone", "column_stack", "combinations", "concat", "concatenate", "contiguous_format", "conv1d",
    "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "copysign", "cos", "cos_",
    "cosh", "cosh_", "count_nonzero", "cross", "cuda", "cummax", "cummin", "cumprod", "cumsum",
    "cumulative_trapezoid", "default_generator", "deg2rad", "deg2rad_", "det", "detach", "detach_", "device",
    "diag", "diag_embed", "diagflat", "diagonal", "diagonal_scatter", "diff", "digamma", "dist", "distributions",
    "div", "divide", "dot", "double", "dsplit", "dstack", "dtype", "e", "einsum", "empty", "empty_like",
    "enable_grad", "eq", "equal", "erf", "erf_", "erfc", "erfc_", "erfinv", "exp", "exp2", "exp2_", "exp_", "expm1",
    "expm1_", "eye", "fill_", "finfo", "fix", "fix_", "flip", "fliplr", "flipud", "float", "float16",
    "float32", "float64", "float_power", "floor", "floor_", "floor_divide", "fmax", "fmin", "fmod", "frac", "frac_",
    "from_numpy", "full", "full_like", "gather", "gcd", "gcd_", "ge", "ger", "get_default_dtype",
    "get_float32_matmul_precision", "get_rng_state", "greater", "greater_equal", "gt", "half", "hardshrink",
    "heaviside", "histc", "hsplit", "hstack", "hypot", "iinfo", "index_add", "index_copy", "index_fill",
    "index_put", "index_put_", "index_select", "inf", "inference_mode", "initial_seed", "inner", "int", "int8",
    "int16", "int32", "int64", "inverse", "is_anomaly_check_nan_enabled", "is_anomaly_enabled",
    "is_deterministic_algorithms_warn_only_enabled", "is_floating_point", "is_grad_enabled", "is_inference",
    "is_inference_mode_enabled", "is_nonzero", "is_tensor", "isclose", "isfinite", "isin", "isinf", "isnan",
    "isneginf", "isposinf", "isreal", "kron", "kthvalue", "lcm", "lcm_", "le", "lerp", "less", "less_equal",
    "lgamma", "linalg", "linspace", "load", "log", "log1p", "log1p_", "log2", "log2_", "log10", "log10_", "log_",
    "log_softmax", "logaddexp", "logaddexp2", "logcumsumexp", "logdet", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logit", "logit_", "logspace", "logsumexp", "long", "lt", "manual_seed", "masked_fill",
    "masked_scatter", "masked_select", "matmul", "matrix_power", "max", "max_pool1d", "max_pool2d", "max_pool3d",
    "maximum", "median", "memory_format", "meshgrid", "min", "minimum", "mm", "mode", "moveaxis", "movedim",
    "msort", "mul", "multinomial", "multiply", "mv", "nan", "nan_to_num", "nan_to_num_", "nanmedian",
    "nanquantile", "narrow", "narrow_copy", "ne", "neg", "neg_", "negative", "negative_", "newaxis", "nn",
    "no_grad", "nonzero", "norm", "normal", "not_equal", "numel", "ones", "ones_like", "optim", "outer", "permute",
    "pi", "pinverse", "pixel_shuffle", "pixel_unshuffle", "poisson", "positive", "pow", "prelu", "preserve_format",
    "prod", "promote_types", "put", "quantile", "rad2deg", "rad2deg_", "rand", "rand_like", "randint",
    "randint_like", "randn", "randn_like", "randperm", "reciprocal", "reciprocal_", "relu", "relu_",
    "remainder", "repeat_interleave", "result_type", "return_types", "roll", "rot90", "round", "round_",
    "row_stack", "rrelu", "rrelu_", "rsqrt", "rsqrt_", "rsub", "save", "scalar_tensor", "scatter", "scatter_add",
    "scatter_reduce", "searchsorted", "seed", "select", "select_scatter", "selu", "selu_", "set_default_dtype",
    "set_default_tensor_type", "set_float32_matmul_precision", "set_grad_enabled", "set_printoptions",
    "set_rng_state", "sgn", "short", "sigmoid", "sigmoid_", "sign", "signbit", "sin", "sin_", "sinc", "sinc_",
    "sinh", "sinh_", "slice_scatter", "slogdet", "softmax", "sort", "split", "sqrt", "sqrt_", "square", "square_",
    "stack", "std", "std_mean", "strided", "sub", "subtract", "svd", "swapaxes", "swapdims", "t",
    "take", "take_along_dim", "tan", "tan_", "tanh", "tanh_", "tensor", "tensor_split", "tensordot", "threshold",
    "threshold_", "tile", "topk", "trace", "transpose", "trapezoid", "trapz", "tril", "tril_indices", "triu",
    "triu_indices", "true_divide", "trunc", "trunc_", "uint8", "unbind", "unique",
    "unique_consecutive", "use_deterministic_algorithms", "utils", "var", "var_mean", "vdot", "vsplit",
    "vstack", "where", "xlogy", "xlogy_", "zero_", "zeros", "zeros_like",
]
# fmt: on

# The functions that are declared @public, beside the op: what `minigrad.sum` and the like are.
globals().update(_declared_functions)
__all__ += sorted(_declared_functions)

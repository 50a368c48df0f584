"""The functions that layers are made of, without their weights: `linear`, `relu`, `conv2d`, `cross_entropy`, ...

After this module a reader knows where each function of PyTorch's `torch.nn.functional` is written here: in the module
of `minigrad.ops` that it is imported from.
"""

from __future__ import annotations

from minigrad.absent import attributes_of
from minigrad.functions import sigmoid, tanh
from minigrad.ops.images.conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from minigrad.ops.images.patches import fold, unfold
from minigrad.ops.images.pool import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    lp_pool1d,
    lp_pool2d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from minigrad.ops.images.resampling import interpolate, upsample
from minigrad.ops.images.shuffling import channel_shuffle, pixel_shuffle, pixel_unshuffle
from minigrad.ops.layers.attention import scaled_dot_product_attention
from minigrad.ops.layers.batch_norm import batch_norm
from minigrad.ops.layers.dropout import (
    dropout,
)
from minigrad.ops.layers.embedding import (
    embedding,
    one_hot,
)
from minigrad.ops.layers.group_norm import group_norm
from minigrad.ops.layers.layer_norm import layer_norm, rms_norm
from minigrad.ops.layers.linear import linear
from minigrad.ops.layers.normalize import normalize
from minigrad.ops.losses.binary_cross_entropy import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
)
from minigrad.ops.losses.cross_entropy import cross_entropy, nll_loss
from minigrad.ops.losses.distance import cosine_similarity
from minigrad.ops.losses.likelihood import kl_div
from minigrad.ops.losses.regression import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from minigrad.ops.pointwise.activations_piecewise import (
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    relu,
    relu6,
    relu_,
)
from minigrad.ops.pointwise.activations_smooth import (
    elu,
    elu_,
    gelu,
    logsigmoid,
    silu,
    softplus,
)
from minigrad.ops.reductions.softmax import (
    log_softmax,
    softmax,
)
from minigrad.ops.shapes.padding import pad

# fmt: off
__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "cosine_similarity", "cross_entropy", "dropout",
    "elu", "elu_", "embedding", "fold",
    "gelu", "group_norm",
    "hardtanh", "hardtanh_", "huber_loss", "interpolate", "kl_div",
    "l1_loss", "layer_norm", "leaky_relu", "leaky_relu_", "linear", "log_softmax",
    "logsigmoid", "lp_pool1d", "lp_pool2d", "max_pool1d", "max_pool2d", "max_pool3d",
    "max_unpool1d", "max_unpool2d", "max_unpool3d", "mse_loss",
    "nll_loss", "normalize", "one_hot", "pad",
    "pixel_shuffle", "pixel_unshuffle", "relu", "relu6",
    "relu_", "rms_norm", "scaled_dot_product_attention", "sigmoid", "silu",
    "smooth_l1_loss", "softmax", "softplus", "tanh",
    "unfold",
    "upsample",
]
# fmt: on

__getattr__ = attributes_of(__name__)

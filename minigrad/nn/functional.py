"""The functions that layers are made of, without their weights: `linear`, `relu`, `conv2d`, `cross_entropy`, ...

After this module a reader knows where each function of PyTorch's `torch.nn.functional` is written here: in the module
of `minigrad.ops` that it is imported from.
"""

from __future__ import annotations

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
from minigrad.ops.layers.batch_norm import batch_norm, instance_norm
from minigrad.ops.layers.dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from minigrad.ops.layers.embedding import (
    embedding,
    embedding_bag,
    one_hot,
)
from minigrad.ops.layers.group_norm import group_norm
from minigrad.ops.layers.layer_norm import layer_norm, rms_norm
from minigrad.ops.layers.linear import bilinear, linear
from minigrad.ops.layers.normalize import local_response_norm, normalize
from minigrad.ops.losses.binary_cross_entropy import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    multilabel_soft_margin_loss,
    soft_margin_loss,
)
from minigrad.ops.losses.cross_entropy import cross_entropy, nll_loss
from minigrad.ops.losses.distance import cosine_similarity, pairwise_distance
from minigrad.ops.losses.likelihood import gaussian_nll_loss, kl_div, poisson_nll_loss
from minigrad.ops.losses.margin import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from minigrad.ops.losses.multilabel import multilabel_margin_loss
from minigrad.ops.losses.regression import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from minigrad.ops.pointwise.activations_piecewise import (
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    prelu,
    relu,
    relu6,
    relu_,
    rrelu,
    rrelu_,
    softshrink,
    threshold,
    threshold_,
)
from minigrad.ops.pointwise.activations_smooth import (
    celu,
    celu_,
    elu,
    elu_,
    gelu,
    glu,
    logsigmoid,
    mish,
    selu,
    selu_,
    silu,
    softplus,
    softsign,
    tanhshrink,
)
from minigrad.ops.reductions.softmax import (
    gumbel_softmax,
    log_softmax,
    softmax,
    softmin,
)
from minigrad.ops.shapes.padding import pad

# fmt: off
__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d", "alpha_dropout", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "batch_norm", "bilinear", "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "celu_",
    "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "cosine_embedding_loss", "cosine_similarity", "cross_entropy", "dropout", "dropout1d", "dropout2d",
    "dropout3d", "elu", "elu_", "embedding", "embedding_bag", "feature_alpha_dropout", "fold",
    "gaussian_nll_loss", "gelu", "glu", "group_norm", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish",
    "hardtanh", "hardtanh_", "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate", "kl_div",
    "l1_loss", "layer_norm", "leaky_relu", "leaky_relu_", "linear", "local_response_norm", "log_softmax",
    "logsigmoid", "lp_pool1d", "lp_pool2d", "margin_ranking_loss", "max_pool1d", "max_pool2d", "max_pool3d",
    "max_unpool1d", "max_unpool2d", "max_unpool3d", "mish", "mse_loss", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss", "normalize", "one_hot", "pad",
    "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss", "prelu", "relu", "relu6",
    "relu_", "rms_norm", "rrelu", "rrelu_", "scaled_dot_product_attention", "selu", "selu_", "sigmoid", "silu",
    "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh",
    "tanhshrink", "threshold", "threshold_", "triplet_margin_loss", "triplet_margin_with_distance_loss", "unfold",
    "upsample",
]
# fmt: on

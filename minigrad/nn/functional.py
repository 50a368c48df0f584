# ruff: noqa: F401, I001 - what is imported here is what the module offers
# mypy: implicit-reexport
"""The functions that layers are made of, without their weights: `linear`, `relu`, `conv2d`, `cross_entropy`, ...

Each is written in the module of `minigrad.ops` that it is imported from.
"""

from minigrad.absent import attributes_of

# fmt: off
from minigrad.ops.images.conv import conv1d, conv2d, conv_transpose2d
from minigrad.ops.images.pool import (
    adaptive_avg_pool1d, adaptive_avg_pool2d, avg_pool1d, avg_pool2d, max_pool1d, max_pool2d,
)
from minigrad.ops.images.resampling import interpolate
from minigrad.ops.layers.attention import scaled_dot_product_attention
from minigrad.ops.layers.dropout import dropout, dropout2d
from minigrad.ops.layers.embedding import embedding, one_hot
from minigrad.ops.layers.linear import linear
from minigrad.ops.layers.normalization import batch_norm, group_norm, layer_norm, rms_norm
from minigrad.ops.losses.cross_entropy import cross_entropy, nll_loss
from minigrad.ops.losses.elementwise import (
    binary_cross_entropy, binary_cross_entropy_with_logits, huber_loss, l1_loss, mse_loss, smooth_l1_loss,
)
from minigrad.ops.pointwise.activations import (
    elu, gelu, leaky_relu, logsigmoid, relu, sigmoid, silu, softplus,
)
from minigrad.ops.pointwise.elementary import tanh
from minigrad.ops.reductions.softmax import implicit_log_softmax as log_softmax, implicit_softmax as softmax, softmin
from minigrad.ops.reductions.vector_norm import normalize
from minigrad.ops.shapes.padding import pad
# fmt: on
__getattr__ = attributes_of(__name__)

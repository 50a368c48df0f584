"""The functions that layers are made of, without their weights: `linear`, `relu`, `conv2d`, `cross_entropy`, ...

After this module a reader knows where each of PyTorch's `torch.nn.functional` lives here. What is computed is told in
the modules of `minigrad.ops`; only `linear` and its like, which belong to no other subject, are written below.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.op import op, tensor_operands
from minigrad.ops.images.conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
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
from minigrad.ops.images.resampling import (
    channel_shuffle,
    fold,
    interpolate,
    pixel_shuffle,
    pixel_unshuffle,
    unfold,
    upsample,
)
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
from minigrad.ops.losses.regression import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from minigrad.ops.matrices import linalg
from minigrad.ops.pointwise.activation import (
    celu,
    celu_,
    elu,
    elu_,
    gelu,
    glu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    relu_,
    rrelu,
    rrelu_,
    selu,
    selu_,
    silu,
    softplus,
    softshrink,
    softsign,
    tanhshrink,
    threshold,
    threshold_,
)
from minigrad.ops.reductions.softmax import (
    gumbel_softmax,
    log_softmax,
    softmax,
    softmin,
)
from minigrad.ops.shapes import shape
from minigrad.ops.shapes.padding import pad
from minigrad.tensor import Tensor, from_array

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

Array = Any  # numpy array


@op(
    name="AddmmBackward0",
    bias=lambda F, g: F.sum_dims(g, (0,), False),
    self=lambda F, g, weight: g @ weight,
    weight=lambda F, g, self: F.matrix_transpose(g) @ self,
)
def affine(bias: Array, self: Array, weight: Array) -> Array:
    """Rows of inputs (n, in) times a weight (out, in), plus a bias (out,): the outputs (n, out)."""
    outputs = self @ weight.T
    outputs += bias
    return outputs


@op(name="MmBackward0", self=lambda F, g, weight: g @ weight, weight=lambda F, g, self: F.matrix_transpose(g) @ self)
def affine_without_bias(self: Array, weight: Array) -> Array:
    """Rows of inputs (n, in) times a weight (out, in): the outputs (n, out)."""
    return self @ weight.T


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias, along the last dimension of input.

    Args:
        input: of shape (..., in).
        weight: (out, in), or (in,) for a single output without a dimension.
        bias: (out,).

    Returns a tensor of shape (..., out). RuntimeError if sizes or dtypes differ.
    """
    try:
        rows, kind = input._array, input._array.dtype
        usual = (
            rows.ndim >= 2
            and weight._array.ndim == 2
            and rows.shape[-1] == weight._array.shape[1]
            and weight._array.dtype is kind
            and (bias is None or (bias._array.dtype is kind and bias._array.shape == weight._array.shape[:1]))
            and kind.kind == "f"
        )
    except AttributeError:
        usual = False
    if not usual:
        return _unusual_linear(input, weight, bias)
    if rows.ndim > 2:
        outputs = linear(shape.reshape(input, -1, rows.shape[-1]), weight, bias)
        return shape.view(outputs, (*rows.shape[:-1], outputs._array.shape[-1]))
    return affine_without_bias(input, weight) if bias is None else affine(bias, input, weight)


def _unusual_linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """`linear` of a single row, with a bias of another shape, of no rows, or with a reason to complain."""
    input, weight, *_ = tensor_operands("linear", input, weight, *(() if bias is None else (bias,)))
    if not input.ndim or not weight.ndim:
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are {input.ndim}D and {weight.ndim}D"
        )
    if weight.ndim > 2:
        raise RuntimeError(f"linear(): the weight must be a matrix or a vector, but has shape {list(weight.shape)}")
    if bias is not None and weight.ndim == 1:
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor: the weight of a linear with a bias is (out, in)")
    inputs, outputs = weight.shape[-1], weight.shape[0]
    if input.shape[-1] != inputs:
        rows = math.prod(input.shape[:-1])
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{input.shape[-1]} and {inputs}x{outputs}): input has "
            f"shape {list(input.shape)}, and its last size must be the weight's last size, {inputs}"
        )
    if bias is not None and bias.ndim <= 1 and input.dtype is not weight.dtype:
        raise RuntimeError(
            f"mat1 and mat2 must have the same dtype, but got {input.dtype.tensor_type} and "
            f"{weight.dtype.tensor_type}: convert one of them, as in x.to(weight.dtype)"
        )
    if bias is not None and bias.ndim == 1 and bias.shape[0] not in (1, outputs):
        raise RuntimeError(
            f"The expanded size of the tensor ({outputs}) must match the existing size ({bias.shape[0]}) at "
            f"non-singleton dimension {max(input.ndim - 1, 1)}.  Target sizes: {[*input.shape[:-1], outputs]}.  Tensor "
            f"sizes: {list(bias.shape)}. It is the bias of a linear with {outputs} outputs."
        )
    if bias is not None and bias.ndim == 1 and bias.dtype is not input.dtype:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {bias.dtype.tensor_type} and {weight.dtype.tensor_type}: "
            "convert the bias, or the others"
        )
    if input.ndim == 1 and bias is not None and bias.shape == (outputs,) and input.dtype.is_floating_point:
        return shape.view(affine(bias, shape.reshape(input, 1, inputs), weight), (outputs,))
    product = linalg.matmul(input, shape.t(weight))
    return product if bias is None else product + bias


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1 @ weight[k] @ input2 + bias[k] for each output k.

    Args:
        input1, input2: of shapes (..., in1) and (..., in2).
        weight: (out, in1, in2).
        bias: (out,).

    Returns a tensor of shape (..., out). RuntimeError if sizes do not fit.
    """
    operands = (input1, input2, weight) if bias is None else (input1, input2, weight, bias)
    tensor_operands("bilinear", *operands)
    if input1.ndim != input2.ndim:
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}: both need the same "
            "dimensions before the last"
        )
    for dim, (first, second) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if first != second:
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {dim}: got {first} and {second}"
            )
    for number, input in enumerate((input1, input2), 1):
        if input.shape[-1] != weight.shape[number]:
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {input.shape[-1]} but expected "
                f"{weight.shape[number]}"
            )
    if bias is not None and bias.shape[0] != weight.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected {weight.shape[0]}"
        )
    outputs, in1, in2 = weight.shape
    lead = input1.shape[:-1]
    first = input1.reshape(-1, in1) @ weight.permute(1, 0, 2).reshape(in1, outputs * in2)
    product = (first.view(-1, outputs, in2) * input2.reshape(-1, 1, in2)).sum(-1).view(*lead, outputs)
    return product if bias is None else product + bias


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, 1 - (input[right] - input[wrong])) for all pairs of a right and a wrong class, over the count of classes.

    Args:
        input: scores (N, C), or (C,).
        target: of the same shape: the right classes of each row, ended by -1.
        reduction: "mean", "sum", or "none", which keeps one number for each row.

    RuntimeError if the shapes differ.
    """
    tensor_operands("multilabel_margin_loss", input, target)
    if size_average is not None or reduce is not None:
        reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
    if target.shape != input.shape or input.ndim not in (1, 2):
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}: both are (N, C) "
            "or (C,)"
        )
    classes = target.numpy().reshape(-1, input.shape[-1])
    listed = np.logical_and.accumulate(classes >= 0, axis=1)  # what stands before the first -1
    classes = np.where(listed, classes, 0)
    right = np.zeros(classes.shape, np.bool_)
    right[np.nonzero(listed)[0], classes[listed]] = True
    counts = from_array((listed[:, :, None] & ~right[:, None, :]).astype(input._array.dtype))
    rows = input.reshape(-1, input.shape[-1])
    margins = (1 - rows.gather(1, from_array(classes)).unsqueeze(2) + rows.unsqueeze(1)).relu()
    losses = (margins * counts).sum((1, 2)) / input.shape[-1]
    if reduction == "none":
        return losses if input.ndim == 2 else losses.squeeze(0)
    return losses.mean() if reduction == "mean" else losses.sum()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """tanh(input)."""
    return input.tanh()

"""Rules of PyTorch's nodes as textbook lines, where minigrad has no such node, or one that saves other things.

`RULES` are formulas over what the node has saved, under PyTorch's names; they are tried on each step, before minigrad's
own, and shown only where they give PyTorch's gradient. `WORDS` stand for rules that move gradients about, or that fill
a page: there a sentence says more than a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minigrad.viz.graph.meanings import CENTRED


def ones_at(amount: Any, logs: Any, target: Any) -> Any:
    """An array like `logs`, whose last dimension is the class, with an amount at each target."""
    return np.expand_dims(amount, -1) * (np.expand_dims(target, -1) == np.arange(logs.shape[-1]))


RULES: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "MulBackward1": {"self": lambda F, g, other: g * other},
    "AddBackward1": {"self": lambda F, g: g},
    "AddmmBackward0": {
        "self": lambda F, g: g.sum(0),
        "mat1": lambda F, g, mat2: g @ mat2.T,
        "mat2": lambda F, g, mat1: mat1.T @ g,
    },
    "BmmBackward0": {"self": lambda F, g, mat2: g @ mat2.mT, "mat2": lambda F, g, self: self.mT @ g},
    "PowBackward2": {"exponent": lambda F, g, self, result: g * result * F.log(self)},
    "ReshapeAliasBackward0": {"self": lambda F, g, self_shape: g.reshape(self_shape)},
    "SqueezeBackward0": {"self": lambda F, g, self_shape: g.reshape(self_shape)},
    "SqueezeBackward1": {"self": lambda F, g, self_shape: g.reshape(self_shape)},
    "TransposeBackward0": {"self": lambda F, g, dim0, dim1: g.swapaxes(dim0, dim1)},
    "MseLossBackward0": {
        "self": lambda F, g, self, target, reduction: g * 2 * (self - target) / (self.size if reduction == 1 else 1),
        "target": lambda F, g, self, target, reduction: g * 2 * (target - self) / (self.size if reduction == 1 else 1),
    },
    "BinaryCrossEntropyBackward0": {
        "self": lambda F, g, self, target, reduction: (
            g * (self - target) / (self * (1 - self)) / (self.size if reduction == 1 else 1)
        ),
        "target": lambda F, g, self, reduction: (
            g * (F.log(1 - self) - F.log(self)) / (self.size if reduction == 1 else 1)
        ),
    },
    "BinaryCrossEntropyWithLogitsBackward0": {
        "self": lambda F, g, self, target, reduction: (
            g * (F.sigmoid(self) - target) / (self.size if reduction == 1 else 1)
        ),
        "target": lambda F, g, self, reduction: -g * self / (self.size if reduction == 1 else 1),
    },
    "StdBackward0": {"self": lambda F, g, self, result: g * (self - self.mean()) / (result * (self.size - 1))},
    "LinalgVectorNormBackward0": {"self": lambda F, g, self, result: g * self / result},
    "VarBackward0": {"self": lambda F, g, self: g * 2 * (self - self.mean()) / (self.size - 1)},
    "ClampMinBackward0": {"self": lambda F, g, self, min: F.where(self >= min, g, 0)},
    "ClampMaxBackward0": {"self": lambda F, g, self, max: F.where(self <= max, g, 0)},
    "SmoothL1LossBackward0": {
        "self": lambda F, g, self, target, beta, reduction: (
            g * ((self - target) / beta).clip(-1, 1) / (self.size if reduction == 1 else 1)
        ),
        "target": lambda F, g, self, target, beta, reduction: (
            g * ((target - self) / beta).clip(-1, 1) / (self.size if reduction == 1 else 1)
        ),
    },
    "HuberLossBackward0": {
        "self": lambda F, g, self, target, delta, reduction: (
            g * (self - target).clip(-delta, delta) / (self.size if reduction == 1 else 1)
        ),
        "target": lambda F, g, self, target, delta, reduction: (
            g * (target - self).clip(-delta, delta) / (self.size if reduction == 1 else 1)
        ),
    },
    "NllLossBackward0": {
        "self": lambda F, g, self, target, total_weight, reduction: ones_at(
            -g / total_weight if reduction == 1 else -g, self, target
        )
    },
    "EmbeddingBackward0": {
        "weight": lambda F, g, weight_shape, indices, padding: F.add_rows(g, indices, padding, weight_shape[0])
    },
    "TanhBackwardBackward0": {
        "grad_output": lambda F, g, output: g * (1 - output * output),
        "output": lambda F, g, grad_output, output: g * -2 * grad_output * output,
    },
    "SigmoidBackwardBackward0": {
        "grad_output": lambda F, g, output: g * output * (1 - output),
        "output": lambda F, g, grad_output, output: g * grad_output * (1 - 2 * output),
    },
    "ToCopyBackward0": {"self": lambda F, g, self_dtype: g.astype(self_dtype)},
}

# What goes to the one input "self", for nodes that take nothing else; each name ends in Backward0.
TO_SELF = {
    "g at the places that the values came from, 0 elsewhere": "Max Min Sort Topk Median",
    "the gradients of the pieces, put together again": "Split SplitWithSizes UnsafeSplit Unbind",
    "g added up at the elements that each window shows": "Unfold AsStrided",
    "the transform back, of g": "FftR2C FftC2R FftC2C",
    "g in the place of the slice, 0 elsewhere": "Slice",
    "g added up at the places that were indexed, 0 elsewhere": "Index",
    "g at the largest of each window, 0 elsewhere": "MaxPool2DWithIndices",
    "g / (elements of the window) at each element of its window": "AvgPool2D",
    "g, summed over the copies of each element": "UpsampleNearest2D",
    "-g × weight of the class (for a mean / sum of the weights) at each target, 0 elsewhere": "NllLoss NllLoss2D",
    "g without the padding": "ConstantPadNd",
    "g, shared out over the elements that each was mixed from": "UpsampleBilinear2D",
    "g, its pairs as complex numbers": "ViewAsReal",
    "g, its complex numbers as pairs": "ViewAsComplex",
    "g × 2·(input - mean(input)) / (count - correction)": "Var",
}

PART = (("tensors", "the part of g that this input became"),)
NORMALIZED = f"{CENTRED}, ĝ being g, times the weight if there is one, x̂ the normalized input, σ its deviation"
BY_CHANNEL = (
    ("weight", "g × x̂ summed over all but the channels, x̂ being the normalized input"),
    ("bias", "g summed over all but the channels"),
)
ONE_STEP = "the backward of the whole layer, in one compiled step"
ATTENTION = (("query", ONE_STEP), ("key", ONE_STEP), ("value", ONE_STEP))

WORDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    **{f"{name}Backward0": (("self", words),) for words, names in TO_SELF.items() for name in names.split()},
    "MedianBackward1": (("self", "g at the places that the values came from, 0 elsewhere"),),
    "CatBackward0": PART,
    "StackBackward0": PART,
    "EmbeddingBackward0": (
        (
            "weight",
            "the rows of g (with scale_grad_by_freq / how many they are) added up at the rows of weight that were "
            "looked up, 0 elsewhere and for padding_idx",
        ),
    ),
    "ConvolutionBackward0": (
        ("input", "g spread back over the input by the weight, a transposed convolution"),
        ("weight", "the input, correlated with g and summed over the batch"),
        BY_CHANNEL[1],
    ),
    "NativeBatchNormBackward0": (("input", NORMALIZED + " (in evaluation ĝ / σ)"), *BY_CHANNEL),
    "NativeLayerNormBackward0": (
        ("input", NORMALIZED),
        ("weight", "g × x̂ summed over the batch, x̂ being the normalized input"),
        ("bias", "g summed over the batch"),
    ),
    "NativeGroupNormBackward0": (("input", NORMALIZED), *BY_CHANNEL),
    "PackPaddedSequenceBackward0": (("input", "g, with the padding back in its place, as 0"),),
    "EmbeddingBagBackward0": (
        ("weight", "g of each bag (divided by its size for a mean) added up at the rows in it, 0 elsewhere"),
    ),
    "IndexAddBackward0": (("self", "g"), ("source", "g at the places that it was added to (times alpha)")),
    "IndexPutBackward0": (
        ("self", "g, with 0 at the places that were written"),
        ("values", "g at the places that were written"),
    ),
    "CtcLossBackward0": (("log_probs", "g × (exp(log_probs) - how often an alignment is there), by PyTorch's kernel"),),
    "CopySlices": (
        ("self", "g where it was not written over, 0 where it was, or what the in-place op lets through"),
        ("written", "the gradient of what was written in place"),
    ),
    "MkldnnRnnLayerBackward0": (("input", ONE_STEP),),
    "ScaledDotProductFlashAttentionForCpuBackward0": ATTENTION,
    "ScaledDotProductEfficientAttentionBackward0": ATTENTION,
}

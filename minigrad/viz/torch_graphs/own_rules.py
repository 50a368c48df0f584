"""Rules of PyTorch's nodes that minigrad has no node of the same name for, as textbook lines.

After this module a reader can look up what such a node does. `RULES` are formulas over what the node has saved, under
PyTorch's names; like minigrad's own they are tried on each step and shown only where they give PyTorch's gradient.
`WORDS` stand for rules that move gradients about, or that fill a page: there a sentence says more than a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

RULES: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "MulBackward1": {"self": lambda F, g, other: g * other},
    "AddBackward1": {"self": lambda F, g: g},
    "BmmBackward0": {"self": lambda F, g, mat2: g @ mat2.mT, "mat2": lambda F, g, self: self.mT @ g},
    "PowBackward2": {"exponent": lambda F, g, self, result: g * result * F.log(self)},
    "ReshapeAliasBackward0": {"self": lambda F, g, self_shape: g.reshape(self_shape)},
    "SqueezeBackward0": {"self": lambda F, g, self_shape: g.reshape(self_shape)},
    "SqueezeBackward1": {"self": lambda F, g, self_shape: g.reshape(self_shape)},
    "TransposeBackward0": {"self": lambda F, g, dim0, dim1: g.swapaxes(dim0, dim1)},
    "MseLossBackward0": {
        "self": lambda F, g, self, target, reduction: (
            g * 2 * (self - target) / self.size if reduction == 1 else g * 2 * (self - target)
        ),
        "target": lambda F, g, self, target, reduction: (
            g * 2 * (target - self) / self.size if reduction == 1 else g * 2 * (target - self)
        ),
    },
    "BinaryCrossEntropyBackward0": {
        "self": lambda F, g, self, target, reduction: (
            g * (self - target) / (self * (1 - self)) / self.size
            if reduction == 1
            else g * (self - target) / (self * (1 - self))
        ),
        "target": lambda F, g, self, reduction: (
            g * (F.log(1 - self) - F.log(self)) / self.size if reduction == 1 else g * (F.log(1 - self) - F.log(self))
        ),
    },
    "BinaryCrossEntropyWithLogitsBackward0": {
        "self": lambda F, g, self, target, reduction: (
            g * (F.sigmoid(self) - target) / self.size if reduction == 1 else g * (F.sigmoid(self) - target)
        ),
        "target": lambda F, g, self, reduction: -g * self / self.size if reduction == 1 else -g * self,
    },
    "StdBackward0": {
        "self": lambda F, g, self, result: g * (self - self.mean()) / (result * (self.size - 1)),
    },
    "LinalgVectorNormBackward0": {"self": lambda F, g, self, result: g * self / result},
    "ToCopyBackward0": {"self": lambda F, g, self_dtype: g.astype(self_dtype)},
}

PLACES = "g goes to the places that the values came from; 0 elsewhere"
PIECES = "the gradients of the pieces, put together again"
PART = "the part of g that this input became"
WINDOWS = "g is added up at the elements that each window shows"
WAVES = "the transform back, of g"
NORMALIZED = "(g − mean(g) − x̂ · mean(g · x̂)) / σ, of g times weight; x̂ is the normalized input"
ONE_STEP = "the backward of the whole layer, in one compiled step"

WORDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "SliceBackward0": (("self", "g in the place of the slice; 0 elsewhere"),),
    "SplitBackward0": (("self", PIECES),),
    "SplitWithSizesBackward0": (("self", PIECES),),
    "UnsafeSplitBackward0": (("self", PIECES),),
    "UnbindBackward0": (("self", PIECES),),
    "CatBackward0": (("tensors", PART),),
    "StackBackward0": (("tensors", PART),),
    "IndexBackward0": (("self", "g is added up at the places that were indexed; 0 elsewhere"),),
    "MaxBackward0": (("self", PLACES),),
    "MinBackward0": (("self", PLACES),),
    "SortBackward0": (("self", PLACES),),
    "TopkBackward0": (("self", PLACES),),
    "EmbeddingBackward0": (
        ("weight", "the rows of g are added up at the rows of weight that were looked up; 0 elsewhere"),
    ),
    "ConvolutionBackward0": (
        ("input", "g, spread over the input by the weight: a transposed convolution"),
        ("weight", "the input, correlated with g and summed over the batch"),
        ("bias", "g, summed over all but the channels"),
    ),
    "NativeBatchNormBackward0": (
        ("input", NORMALIZED + " (in evaluation: g · weight / σ)"),
        ("weight", "g · x̂, summed over all but the channels; x̂ is the normalized input"),
        ("bias", "g, summed over all but the channels"),
    ),
    "NativeLayerNormBackward0": (
        ("input", NORMALIZED),
        ("weight", "g · x̂, summed over the batch; x̂ is the normalized input"),
        ("bias", "g, summed over the batch"),
    ),
    "NativeGroupNormBackward0": (
        ("input", NORMALIZED),
        ("weight", "g · x̂, summed over all but the channels; x̂ is the normalized input"),
        ("bias", "g, summed over all but the channels"),
    ),
    "MaxPool2DWithIndicesBackward0": (("self", "g goes to the largest of each window; 0 elsewhere"),),
    "AvgPool2DBackward0": (("self", "g / (elements of the window), to each element of its window"),),
    "UpsampleNearest2DBackward0": (("self", "g, summed over the copies of each element"),),
    "NllLossBackward0": (("self", "−g · weight of the class / sum of the weights, at each row's target; 0 elsewhere"),),
    "NllLoss2DBackward0": (("self", "−g · weight of the class / sum of the weights, at each target; 0 elsewhere"),),
    "SmoothL1LossBackward0": (
        ("self", "g · (x − target) / beta where that is within ±1, else ±g; divided by the count for a mean"),
        ("target", "g · (target − x) / beta where that is within ±1, else ±g; divided by the count for a mean"),
    ),
    "HuberLossBackward0": (
        ("self", "g · (x − target) where that is within ±delta, else ±g · delta; divided by the count for a mean"),
        ("target", "g · (target − x) where that is within ±delta, else ±g · delta; divided by the count for a mean"),
    ),
    "ConstantPadNdBackward0": (("self", "g without the padding"),),
    "UpsampleBilinear2DBackward0": (("self", "g, shared out over the elements that each was mixed from"),),
    "UnfoldBackward0": (("self", WINDOWS),),
    "AsStridedBackward0": (("self", WINDOWS),),
    "PackPaddedSequenceBackward0": (("input", "g, with the padding back in its place, as 0"),),
    "EmbeddingBagBackward0": (
        (
            "weight",
            "g of each bag (divided by its size for a mean) is added up at the rows in it; 0 elsewhere",
        ),
    ),
    "IndexPutBackward0": (
        ("self", "g, with 0 at the places that were written"),
        ("values", "g at the places that were written"),
    ),
    "FftR2CBackward0": (("self", WAVES),),
    "FftC2RBackward0": (("self", WAVES),),
    "FftC2CBackward0": (("self", WAVES),),
    "ViewAsRealBackward0": (("self", "g, its pairs as complex numbers"),),
    "ViewAsComplexBackward0": (("self", "g, its complex numbers as pairs"),),
    "MedianBackward0": (("self", PLACES),),
    "MedianBackward1": (("self", PLACES),),
    "VarBackward0": (("self", "g · 2 (x − mean(x)) / (count − correction)"),),
    "CtcLossBackward0": (("log_probs", "g · (exp(log_probs) − how often an alignment is there), by PyTorch's kernel"),),
    "CopySlices": (
        ("self", "g where it was not written over; 0 where it was, or what the in-place op lets through"),
        ("written", "the gradient of what was written in place"),
    ),
    "MkldnnRnnLayerBackward0": (("input", ONE_STEP),),
    "ScaledDotProductFlashAttentionForCpuBackward0": (("query", ONE_STEP), ("key", ONE_STEP), ("value", ONE_STEP)),
    "ScaledDotProductEfficientAttentionBackward0": (("query", ONE_STEP), ("key", ONE_STEP), ("value", ONE_STEP)),
}

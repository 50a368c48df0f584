"""How alike two vectors are: by the angle between them, or by their distance."""

from __future__ import annotations

from minigrad import dtypes
from minigrad.op import tensor_operands
from minigrad.ops.losses.reduction import broadcast_tensors
from minigrad.ops.pointwise.choices import clamp_min
from minigrad.ops.reductions.vector_norm import norm
from minigrad.tensor import Tensor, wrap_dim


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`: their dot product over their lengths (at least `eps`)."""
    x1, x2 = tensor_operands("cosine_similarity", x1, x2)
    kind = dtypes.promote(x1._array, x2._array)
    if not kind.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {kind.tensor_type}: convert the vectors "
            "first, as in x.float()"
        )
    x1, x2 = broadcast_tensors(x1.to(kind), x2.to(kind))
    dim = wrap_dim(dim, x1.ndim)
    first, second = (x / clamp_min(norm(x, 2, dim, keepdim=True), eps) for x in (x1, x2))
    return (first * second).sum(dim)

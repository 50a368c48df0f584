"""Tools for training networks: clipping gradients."""

from minigrad.absent import attributes_of
from minigrad.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_

__all__ = ["clip_grad_norm_", "clip_grad_value_"]

__getattr__ = attributes_of(__name__)

"""What PyTorch keeps in torch.utils and a learner of backward() needs: checkpoint, which computes again in backward
what forward did not keep, and data, which hands out samples in batches.
"""

from minigrad.absent import attributes_of
from minigrad.utils import checkpoint, data

__all__ = ["checkpoint", "data"]
__getattr__ = attributes_of(__name__)

"""What PyTorch keeps in torch.utils and a learner of backward() needs: checkpoint, which computes again in backward
what forward did not keep.
"""

from minigrad.utils import checkpoint

__all__ = ["checkpoint"]

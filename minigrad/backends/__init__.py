"""The libraries behind PyTorch, as programs ask about them: of those for graphics processors there are none here.

Their switches (`backends.cudnn.benchmark = True`) can be set, and change nothing on the CPU, as in PyTorch.
"""

from minigrad.backends import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]

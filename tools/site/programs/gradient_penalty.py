"""A slope inside the loss

The loss holds the norm of a gradient, so the graph holds a backward pass, and backward() goes back through that.
Nodes whose names end in BackwardBackward are the rules of the first pass, recorded.
"""

import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
real, fake = torch.randn(3, 2), torch.randn(3, 2)
mixed = (0.5 * real + 0.5 * fake).requires_grad_()
(slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
penalty = (slope.norm(dim=1) - 1).square().mean()
loss = critic(fake).mean() - critic(real).mean() + 10 * penalty

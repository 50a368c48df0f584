"""The generator's step of a GAN

The generator's loss is what the discriminator says, so the walk goes through the discriminator first. Its weights get
gradients on the way, which this step does not use.
"""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4), nn.Tanh())
discriminator = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
noise = torch.randn(16, 2)
fake = generator(noise)
verdict = discriminator(fake)
loss = nn.functional.binary_cross_entropy_with_logits(verdict, torch.ones(16, 1))

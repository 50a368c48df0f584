"""A small U-Net

What was seen on the way down is led across to the way up. So the first convolutions get two gradients: a fresh one
straight across, and one that went all the way through the bottom.
"""

import torch
from torch import nn


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.middle = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
        self.up, self.last = nn.ConvTranspose2d(8, 4, 2, stride=2), nn.Conv2d(8, 1, 3, padding=1)

    def forward(self, x):
        fine = torch.relu(self.down(x))
        coarse = torch.relu(self.middle(nn.functional.max_pool2d(fine, 2)))
        return self.last(torch.cat([fine, self.up(coarse)], dim=1))


torch.manual_seed(0)
net = UNet()
image, mask = torch.randn(1, 1, 8, 8), (torch.rand(1, 1, 8, 8) > 0.5).float()
loss = nn.functional.binary_cross_entropy_with_logits(net(image), mask)

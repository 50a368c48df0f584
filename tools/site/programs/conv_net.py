"""A convolutional network

Convolution, batch norm, pool, twice, and a linear layer: PyTorch's own graph, stepped by PyTorch's own backward().
The largest of four pixels got through the pool; only there does the gradient go back.
"""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.conv2, self.norm2 = nn.Conv2d(4, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.pool, self.last = nn.MaxPool2d(2), nn.Linear(32, 10)

    def forward(self, x):
        x = self.pool(torch.relu(self.norm1(self.conv1(x))))
        x = self.pool(torch.relu(self.norm2(self.conv2(x))))
        return self.last(torch.flatten(x, 1))


torch.manual_seed(0)
net = Net()
images, labels = torch.randn(2, 1, 8, 8), torch.tensor([3, 8])
loss = nn.functional.cross_entropy(net(images), labels)

"""A transformer's encoder layer

nn.TransformerEncoderLayer as it comes. Two sums lead past attention and past the two linear layers, and two layer
norms keep what comes back at one size.
"""

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(16, 4, dim_feedforward=32, dropout=0.0, batch_first=True)
x = torch.randn(2, 5, 16)
loss = layer(x).square().mean()

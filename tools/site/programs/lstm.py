"""An LSTM in a loop

A cell that is called six times, with a state of two parts. The gradient of the second part, c, goes back through
products alone: that is how a long memory is learned.
"""

import torch
from torch import nn

torch.manual_seed(0)
cell, head = nn.LSTMCell(3, 5), nn.Linear(5, 1)
xs, target = torch.randn(6, 2, 3), torch.randn(2, 1)

h, c = torch.zeros(2, 5), torch.zeros(2, 5)
for x in xs:
    h, c = cell(x, (h, c))
loss = nn.functional.mse_loss(head(h), target)

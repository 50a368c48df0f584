"""A network of three layers

The first network that most people write: three linear layers, two relus, a cross entropy. The gradient that arrives
at a weight has the weight's shape. Where relu was 0 it sends 0 on: click it, and open its cells.
"""

import minigrad as mg
from minigrad import nn

mg.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
inputs, classes = mg.randn(8, 4), mg.randint(0, 3, (8,))
loss = nn.functional.cross_entropy(net(inputs), classes)

"""Batch norm by hand

The mean and the variance depend on every row, so each row's gradient comes on three ways: straight, through the
variance, and through the mean. The sum of what arrives at x is 0 in each column.
"""

import minigrad as mg

mg.manual_seed(0)
x = mg.randn(6, 3, requires_grad=True)
gamma = mg.ones(3, requires_grad=True)
beta = mg.zeros(3, requires_grad=True)

centred = x - x.mean(dim=0)
variance = (centred**2).mean(dim=0)
normal = centred / mg.sqrt(variance + 1e-5)
out = gamma * normal + beta
loss = (out * mg.arange(18.0).view(6, 3)).sum()

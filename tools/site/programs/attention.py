"""One head of attention

Queries, keys and values come from the same x, and a mask hides what comes later. Where the mask put −inf, softmax
gives 0, and no gradient goes back: open the cells of the scores.
"""

import minigrad as mg

mg.manual_seed(0)
x = mg.randn(5, 8)
Wq = mg.randn(8, 4, requires_grad=True)
Wk = mg.randn(8, 4, requires_grad=True)
Wv = mg.randn(8, 4, requires_grad=True)

q, k, v = x @ Wq, x @ Wk, x @ Wv
scores = q @ k.T / 4**0.5
mask = mg.tril(mg.ones(5, 5))
scores = scores.masked_fill(mask == 0, float("-inf"))
out = mg.softmax(scores, dim=-1) @ v
loss = out.square().mean()

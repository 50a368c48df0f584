"""Rows of views in place. (PyTorch's nodes of these have numbers of their own: TransposeBackward1.)"""

from __future__ import annotations

import numpy as np
from ops.op_table import CUBE, MATRIX, Row

ROWS = [
    Row("transpose_", lambda F, x: (x * 1).transpose_(0, 1), lambda x: np.swapaxes(x, 0, 1), MATRIX + CUBE),
    Row("swapaxes_", lambda F, x: (x * 1).swapaxes_(-1, 0), lambda x: np.swapaxes(x, -1, 0), CUBE),
    Row("t_", lambda F, x: (x * 1).t_(), lambda x: x.T, [((3,),), *MATRIX]),
    Row("squeeze_", lambda F, x: (x * 1).squeeze_(), lambda x: x.squeeze(), [((2, 1, 3),), ((2, 3),)]),
    Row("squeeze_(1)", lambda F, x: (x * 1).squeeze_(1), lambda x: x.squeeze(1), [((2, 1, 3),)]),
    Row("unsqueeze_", lambda F, x: (x * 1).unsqueeze_(1), lambda x: x[:, None], [((3,),), *MATRIX]),
    Row(
        "as_strided_", lambda F, x: (x * 1).as_strided_((2, 2), (1, 2)), lambda x: x.ravel()[:4].reshape(2, 2).T, MATRIX
    ),
]

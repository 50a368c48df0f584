"""What changes the parameters by their gradients, under the names of torch.optim.

Where to read on: `sgd` (gradient descent), `adam` (the usual choice), `optimizer` (groups, options, what is saved),
`update` (how an update runs over a parameter), `lr_scheduler` (learning rates that change).
"""

import sys

from minigrad import absent
from minigrad.optim import lr_scheduler
from minigrad.optim.adagrad import Adadelta, Adagrad
from minigrad.optim.adam import Adam, AdamW
from minigrad.optim.adam_variants import Adamax, NAdam, RAdam
from minigrad.optim.asgd import ASGD
from minigrad.optim.lbfgs import LBFGS
from minigrad.optim.optimizer import Optimizer
from minigrad.optim.rmsprop import RMSprop
from minigrad.optim.rprop import Rprop
from minigrad.optim.sgd import SGD

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
]


def __getattr__(name: str) -> object:
    """What a name that does not exist raises."""
    raise absent.error(__name__, name, sys.modules[__name__])

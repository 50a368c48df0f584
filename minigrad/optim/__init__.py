"""What changes the parameters by their gradients, under the names of torch.optim.

`optimizer` is what all optimizers share: groups, options, what is saved. `algorithms` has the ways to step: SGD,
RMSprop, Adam, AdamW, Adagrad and Adadelta. `lr_scheduler` has learning rates that change.
"""

from minigrad.absent import attributes_of
from minigrad.optim import lr_scheduler
from minigrad.optim.algorithms import SGD, Adadelta, Adagrad, Adam, AdamW, RMSprop
from minigrad.optim.optimizer import Optimizer

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]
__getattr__ = attributes_of(__name__)

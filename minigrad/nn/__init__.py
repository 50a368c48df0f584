# ruff: noqa: F401, I001 - what is imported here is what the package offers
# mypy: implicit-reexport
"""Neural networks: modules with parameters, and the functions, starting values and tools for them.

Where to read on: `modules.module` (what a module is), `modules.linear` (the simplest layer), `functional` (the
functions behind the layers), `init` (how weights begin).
"""

from minigrad.absent import attributes_of

# fmt: off
from minigrad.nn import functional, init, modules, parameter, utils
from minigrad.nn.modules.activation import (
    Dropout, Dropout2d, ELU, GELU, LeakyReLU, LogSigmoid, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Softmin,
    Softplus, Tanh,
)
from minigrad.nn.modules.attention import MultiheadAttention, TransformerEncoder, TransformerEncoderLayer
from minigrad.nn.modules.container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from minigrad.nn.modules.conv import Conv1d, Conv2d, ConvTranspose2d
from minigrad.nn.modules.lazy import (
    LazyBatchNorm1d, LazyBatchNorm2d, LazyConv1d, LazyConv2d, LazyConvTranspose2d, LazyLinear,
)
from minigrad.nn.modules.linear import Embedding, Identity, Linear
from minigrad.nn.modules.loss import (
    BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, HuberLoss, L1Loss, MSELoss, NLLLoss, SmoothL1Loss,
)
from minigrad.nn.modules.module import Module
from minigrad.nn.modules.normalization import (
    BatchNorm1d, BatchNorm2d, GroupNorm, InstanceNorm1d, InstanceNorm2d, LayerNorm, RMSNorm,
)
from minigrad.nn.modules.resizing import (
    AdaptiveAvgPool1d, AdaptiveAvgPool2d, AvgPool1d, AvgPool2d, CircularPad1d, CircularPad2d,
    ConstantPad1d, ConstantPad2d, Flatten, MaxPool1d, MaxPool2d, ReflectionPad1d, ReflectionPad2d, ReplicationPad1d,
    ReplicationPad2d, Upsample, ZeroPad1d, ZeroPad2d,
)
from minigrad.nn.modules.rnn import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from minigrad.nn.parameter import Parameter, UninitializedParameter
# fmt: on
__getattr__ = attributes_of(__name__)

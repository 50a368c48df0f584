"""Four networks, each written once: for PyTorch and for minigrad.

A network is written in minigrad as in PyTorch: `mlp(torch)` and `mlp(minigrad)` are the same lines. The parameters have
the same names, so that the weights of one can be loaded into the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TOKENS, LENGTH = 16, 8  # of the sequences that the transformer learns to sort


def mlp(F: Any) -> Any:
    """A perceptron with one hidden layer for images of 8x8 pixels, [N, 8, 8] or [N, 1, 8, 8], and ten classes."""
    nn = F.nn
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def cnn(F: Any) -> Any:
    """Two convolutions, each with pooling, and a linear layer, for images of [N, 1, 8, 8] and ten classes."""
    nn = F.nn

    class DigitsCNN(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(1, 16, kernel_size=3, padding=1)
            self.conv2 = nn.Conv2d(16, 32, kernel_size=3, padding=1, bias=False)  # norm has one
            self.norm = nn.BatchNorm2d(32)
            self.pool = nn.MaxPool2d(2)
            self.fc = nn.Linear(32 * 2 * 2, 10)

        def forward(self, x: Any) -> Any:
            x = self.pool(F.relu(self.conv1(x)))
            x = self.pool(F.relu(self.norm(self.conv2(x))))
            return self.fc(x.flatten(1))

    return DigitsCNN()


def resnet18(F: Any, classes: int = 1000) -> Any:
    """ResNet-18 (He et al. 2016) for images of [N, 3, 224, 224], with the structure and the names of torchvision's."""
    nn = F.nn

    class BasicBlock(nn.Module):
        """Two convolutions around which the input is led: the block learns what to add to it."""

        def __init__(self, inputs: int, outputs: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inputs, outputs, kernel_size=3, stride=stride, padding=1, bias=False)
            self.bn1 = nn.BatchNorm2d(outputs)
            self.relu = nn.ReLU(inplace=True)
            self.conv2 = nn.Conv2d(outputs, outputs, kernel_size=3, padding=1, bias=False)
            self.bn2 = nn.BatchNorm2d(outputs)
            self.downsample = None
            if stride != 1 or inputs != outputs:  # what is led around must have the outputs' shape
                shrink = nn.Conv2d(inputs, outputs, kernel_size=1, stride=stride, bias=False)
                self.downsample = nn.Sequential(shrink, nn.BatchNorm2d(outputs))

        def forward(self, x: Any) -> Any:
            around = x if self.downsample is None else self.downsample(x)
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            out += around
            return self.relu(out)

    class ResNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
            self.bn1 = nn.BatchNorm2d(64)
            self.relu = nn.ReLU(inplace=True)
            self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
            self.layer1 = nn.Sequential(BasicBlock(64, 64, 1), BasicBlock(64, 64, 1))
            self.layer2 = nn.Sequential(BasicBlock(64, 128, 2), BasicBlock(128, 128, 1))
            self.layer3 = nn.Sequential(BasicBlock(128, 256, 2), BasicBlock(256, 256, 1))
            self.layer4 = nn.Sequential(BasicBlock(256, 512, 2), BasicBlock(512, 512, 1))
            self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
            self.fc = nn.Linear(512, classes)
            for module in self.modules():
                if isinstance(module, nn.Conv2d):
                    nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

        def forward(self, x: Any) -> Any:
            x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
            x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
            return self.fc(self.avgpool(x).flatten(1))

    return ResNet()


def transformer(F: Any, width: int = 32, heads: int = 4, depth: int = 2) -> Any:
    """A small transformer that reads a sequence of tokens, [N, LENGTH] ints below TOKENS, and scores a token for each
    place, [N, LENGTH, TOKENS]: enough to learn to sort.
    """
    nn = F.nn

    class Attention(nn.Module):
        """Each place gathers from all places what fits its question."""

        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(width, 3 * width)
            self.out = nn.Linear(width, width)

        def forward(self, x: Any) -> Any:
            count, length, _ = x.shape
            q, k, v = self.qkv(x).view(count, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4).unbind(0)
            gathered = nn.functional.scaled_dot_product_attention(q, k, v)
            return self.out(gathered.transpose(1, 2).reshape(count, length, width))

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1 = nn.LayerNorm(width)
            self.attention = Attention()
            self.norm2 = nn.LayerNorm(width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.norm1(x))
            return x + self.mlp(self.norm2(x))

    class Transformer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.token = nn.Embedding(TOKENS, width)
            self.place = nn.Parameter(F.randn(LENGTH, width) * 0.02)
            self.blocks = nn.ModuleList([Block() for _ in range(depth)])
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, TOKENS)

        def forward(self, tokens: Any) -> Any:
            x = self.token(tokens) + self.place
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    return Transformer()


MODELS: dict[str, Callable[[Any], Any]] = {"mlp": mlp, "cnn": cnn, "resnet18": resnet18, "transformer": transformer}


def same_weights(model: Any, F: Any, source: Any) -> Any:
    """Give a model of `F` the weights of the same model of PyTorch; returns the model."""
    state = {name: F.tensor(value.numpy().copy()) for name, value in source.state_dict().items()}
    model.load_state_dict(state)
    return model

"""What `with viz.watch():` costs a forward of PyTorch's.

"watch": ResNet-18 of PyTorch's, forward with its graph, inside `viz.watch()`, by the time without. Both take turns
within one process, on one thread, and the processor's time is taken; the number is the median of the pairs' ratios.
It depends on the images: a call of PyTorch's takes some microseconds longer, however long it takes itself.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from models import resnet18
from rounds import Row, main

from minigrad import viz

ROWS = [Row("watch", "ResNet-18 forward with viz.watch(), by the same without", "x")]


def ratio(batch: int, size: int, times: int) -> dict[str, float]:
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    net, images = resnet18(torch, 10), torch.randn(batch, 3, size, size)

    def watched() -> Any:
        with viz.watch():
            return net(images)

    def seconds(function: Any) -> float:
        start = time.process_time()
        function()
        return time.process_time() - start

    ratios = []
    for turn in range(times + 2):
        if turn % 2:  # neither of the two always comes first
            with_it, without = seconds(watched), seconds(lambda: net(images))
        else:
            without, with_it = seconds(lambda: net(images)), seconds(watched)
        if turn > 1:  # the first two are for warming up
            ratios.append(with_it / without)
    return {"watch": median(ratios), "agree": float(watched().shape[1])}


def measured(batch: int, size: int) -> Any:
    return lambda is_quick: ratio(2, 32, 2) if is_quick else ratio(batch, size, 20)


CONTENDERS: dict[str, Any] = {
    "1 of 224x224": measured(1, 224),
    "2 of 64x64": measured(2, 64),
    "2 of 32x32": measured(2, 32),
}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS, base="1 of 224x224")

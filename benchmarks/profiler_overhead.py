"""What a profiler costs while it is on.

"W5 profile": ResNet-18 forward and backward (the step of W5) with a profiler on, by the time without. Steps with and
without take turns within one process, so that both meet the same machine; the number is the median of the pairs'
ratios.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from models import resnet18
from resnet_step import SIZE, SMALL, data
from rounds import Row, main

import minigrad as mg
from minigrad.autograd.profiler import profile

ROWS = [Row("W5 profile", "ResNet-18 forward and backward with a profiler on", "x")]


def resnet_step(size: int) -> Callable[[], None]:
    model = resnet18(mg)
    image, values = data({key: tuple(p.shape) for key, p in model.named_parameters()}, size)
    with mg.no_grad():
        for key, p in model.named_parameters():
            p.copy_(mg.tensor(values[key]))
    x = mg.tensor(image)

    def step() -> None:
        for p in model.parameters():
            p.grad = None
        (model(x) ** 2).mean().backward()

    return step


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def pairs(times: int, step: Callable[[], None], options: dict[str, bool]) -> tuple[float, profile]:
    """The median of the times with a profiler by those without, and the last profile."""
    ratios = []
    for turn in range(times + 1):
        prof = profile(**options)

        def profiled(prof: profile = prof) -> None:
            with prof:
                step()

        if turn % 2:  # neither of the two always comes first
            with_it, without = seconds(profiled), seconds(step)
        else:
            without, with_it = seconds(step), seconds(profiled)
        if turn:  # the first is for warming up
            ratios.append(with_it / without)
    return median(ratios), prof


def profiled(**options: bool) -> Callable[[bool], dict[str, float]]:
    def run(quick: bool) -> dict[str, float]:
        ratio, prof = pairs(1 if quick else 40, resnet_step(SMALL if quick else SIZE), options)
        counts = {average.key: average.count for average in prof.key_averages()}
        return {
            "W5 profile": ratio,
            "agree": counts["aten::convolution"] + counts["ConvolutionBackward0"],
        }

    return run


CONTENDERS: dict[str, Any] = {
    "minigrad": profiled(),
    "with shapes": profiled(record_shapes=True),
    "with memory": profiled(profile_memory=True),
}

if __name__ == "__main__":
    main(__file__, __doc__, CONTENDERS, ROWS, base="minigrad")

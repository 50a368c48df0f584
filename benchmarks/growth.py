"""How the cost of a training step grows: with a network's width and depth, its batch, and the length of what it reads.

One size of a network is changed at a time, the others stay. A step is forward, backward and the gradients of all
parameters, in float32, and its cost the CPU time of one thread. Below it is what the step's multiplications alone would
take at the speed of a large product of numpy, 1,024 rows and columns: no engine that leaves its products to numpy comes
below that line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from network_steps import normal, step_of
from rounds import Row, Values, arguments, best, conditions, contest, fastest, ratio, show

PIXELS, CLASSES, CHARACTERS = 784, 10, 65


class Sizes(NamedTuple):
    """Those of a network and of what it is given; `length` counts time steps or characters."""

    width: int
    depth: int = 1
    batch: int = 32
    length: int = 1


def mlp(F: Any, sizes: Sizes) -> tuple[Any, Callable[[Any], Any]]:
    nn, layers = F.nn, [F.nn.Linear(PIXELS, sizes.width), F.nn.ReLU()]
    for _ in range(sizes.depth - 1):
        layers += [nn.Linear(sizes.width, sizes.width), nn.ReLU()]
    x = F.tensor(normal(sizes.batch, PIXELS))
    return nn.Sequential(*layers, nn.Linear(sizes.width, CLASSES)), lambda model: (model(x) ** 2).mean()


def cnn(F: Any, sizes: Sizes) -> tuple[Any, Callable[[Any], Any]]:
    nn, layers = F.nn, [F.nn.Conv2d(1, sizes.width, 3, padding=1), F.nn.ReLU()]
    for _ in range(sizes.depth - 1):
        layers += [nn.Conv2d(sizes.width, sizes.width, 3, padding=1), nn.ReLU()]
    x = F.tensor(normal(sizes.batch, 1, 28, 28))
    head = nn.AvgPool2d(4), nn.Flatten(), nn.Linear(sizes.width * 49, CLASSES)
    return nn.Sequential(*layers, *head), lambda model: (model(x) ** 2).mean()


def lstm(F: Any, sizes: Sizes) -> tuple[Any, Callable[[Any], Any]]:
    x = F.tensor(normal(sizes.length, sizes.batch, sizes.width))
    return F.nn.LSTM(sizes.width, sizes.width, sizes.depth), lambda model: (model(x)[0] ** 2).mean()


def transformer(F: Any, sizes: Sizes) -> tuple[Any, Callable[[Any], Any]]:
    nn, width = F.nn, sizes.width
    layer = nn.TransformerEncoderLayer(width, 4, 4 * width, 0.0, batch_first=True)
    encoder = nn.TransformerEncoder(layer, sizes.depth, enable_nested_tensor=False)
    text = F.tensor(np.random.default_rng(1).integers(0, CHARACTERS, (sizes.batch, sizes.length)))
    model = nn.Sequential(nn.Embedding(CHARACTERS, width), encoder, nn.Linear(width, CHARACTERS))
    return model, lambda model: (model(text) ** 2).mean()


def products(name: str, sizes: Sizes) -> int:
    """The multiplications of a forward pass."""
    width, depth, batch, length = sizes
    if name == "MLP":
        return batch * (PIXELS * width + (depth - 1) * width**2 + width * CLASSES)
    if name == "CNN":
        return batch * (PIXELS * 9 * (width + (depth - 1) * width**2) + 49 * width * CLASSES)
    if name == "LSTM":
        return batch * length * depth * 8 * width**2
    return batch * length * (depth * (12 * width**2 + 2 * length * width) + width * CHARACTERS)


def first_products(name: str, sizes: Sizes) -> int:
    """Those of what is given, which needs no gradient; an embedding has none."""
    width, _, batch, length = sizes
    each = {"MLP": PIXELS * width, "CNN": PIXELS * 9 * width, "LSTM": length * 4 * width**2}
    return batch * each.get(name, 0)


BUILD = {"MLP": mlp, "CNN": cnn, "LSTM": lstm, "transformer": transformer}
# Which size of which network grows, from where.
CURVES = {
    ("MLP", "width"): (Sizes(0, 2, 128), (16, 64, 256, 1024)),
    ("MLP", "depth"): (Sizes(64, 0, 32), (1, 4, 16, 64)),
    ("MLP", "batch"): (Sizes(256, 2, 0), (1, 16, 128, 1024)),
    ("CNN", "width"): (Sizes(0, 2, 16), (4, 16, 64)),
    ("CNN", "batch"): (Sizes(16, 2, 0), (1, 8, 64)),
    ("LSTM", "width"): (Sizes(0, 1, 32, 20), (16, 64, 256)),
    ("LSTM", "length"): (Sizes(64, 1, 32, 0), (5, 20, 80)),
    ("transformer", "width"): (Sizes(0, 2, 8, 32), (16, 64, 256)),
    ("transformer", "length"): (Sizes(64, 2, 8, 0), (8, 32, 128)),
}
POINTS = {
    f"growth, {name}, {what} {size}": (name, start._replace(**{what: size}))
    for (name, what), (start, sizes) in CURVES.items()
    for size in sizes
}
ROWS = [Row(point, "a step, CPU time of one thread", "ms") for point in POINTS]
LIMIT = "products alone"


def tensors(name: str) -> Callable[[bool], dict[str, float]]:
    """minigrad or torch: the same code."""

    def run(quick: bool) -> dict[str, float]:
        mg = import_module(name)
        import_module(f"{name}.nn")
        found, total = {}, 0.0
        for point, (network, sizes) in POINTS.items():
            if quick and max(sizes) > 64:
                continue
            step, parameters = step_of(mg, *BUILD[network](mg, sizes))
            found[point] = fastest(1 if quick else 10, step) * 1e3
            total += math.sqrt(sum(float((p.grad**2).sum().item()) for p in parameters))
        return found | {"agree": total}

    return run


def limits(quick: bool) -> dict[str, float]:
    """Milliseconds of the multiplications alone: forward, and as many for each gradient, of weights and of inputs."""
    size = 256 if quick else 1024
    first, second = normal(size, size), normal(size, size)
    seconds = fastest(2 if quick else 20, lambda: first @ second) / size**3
    counts = {point: 3 * products(*given) - first_products(*given) for point, given in POINTS.items()}
    return {point: count * seconds * 1e3 for point, count in counts.items()}


CONTENDERS = {"minigrad": tensors("minigrad"), "torch": tensors("torch"), LIMIT: limits}


def measured(options: Any) -> dict[str, Values]:
    return contest(__file__, CONTENDERS, ROWS, options, {"": 1})


def draw(results: dict[str, Values], path: Path, subtitle: str) -> None:
    """Save a picture: a curve per contender for each size of each network that grows."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(3, 3, figsize=(10, 9), layout="constrained")
    colors = {"minigrad": "#0b6e4f", "torch": "#c0392b", LIMIT: "#555555"}
    for axes, ((name, what), (start, sizes)) in zip(panels.flat, CURVES.items(), strict=True):
        rows = [results[f"growth, {name}, {what} {size}"] for size in sizes]
        for contender, color in colors.items():
            values = [best(row.get(contender, [])) for row in rows]
            style = "--" if contender == LIMIT else "-"
            axes.plot(sizes, values, style, color=color, marker="" if style == "--" else "o", label=contender)
        last = ratio(rows[-1], "minigrad")
        others = ", ".join(f"{key} {value}" for key, value in start._asdict().items() if key != what and value > 1)
        axes.set(xscale="log", yscale="log", xlabel=f"{what} ({others})", ylabel="ms a step")
        axes.set_xticks(sizes, list(map(str, sizes)))
        axes.minorticks_off()
        axes.set_title(f"{name}, {what}: at the end {last:.2f} x torch", fontsize=9)
        axes.grid(alpha=0.3)
    panels.flat[0].legend(fontsize=8, frameon=False)
    figure.suptitle(f"A training step, CPU time of one thread. {subtitle}", fontsize=8)
    figure.savefig(path, dpi=80)


if __name__ == "__main__":
    chosen = arguments(__doc__)
    if chosen.child:
        print(json.dumps(CONTENDERS[chosen.child](chosen.quick)))
    else:
        print(conditions(chosen, CONTENDERS), flush=True)
        show(ROWS, measured(chosen))

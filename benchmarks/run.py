"""All rows of the speed table at once: where minigrad stands beside torch, and beside what it aims at.

Run `python benchmarks/run.py` for a table, with `--picture FILE.png` for a picture as well, and for a second one,
FILE-growth.png, of how the cost of a step grows with a network's sizes.
"""

from __future__ import annotations

import math
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import cnn_step
import deep_graph
import gradcheck
import growth
import import_time
import jacobian
import mlp_step
import network_steps
import per_op
import profiler_overhead
import resnet_step
import train_digits
from rounds import Row, Values, arguments, best, conditions, contest, measure, number, ratio

FOLDER = Path(__file__).parent
LIMIT = "numpy by hand"


class Goal(NamedTuple):
    """What a row is to reach: at most so many times torch's value, or at most so much in its own unit."""

    times_torch: float | None = None
    absolute: float | None = None


# Chosen when the engine was designed, from what peers and hand-written numpy reach on the same machine: ahead of every
# numpy library by a wide margin, ahead of torch wherever Python's overhead decides, close to it where GEMM does.
GOALS = {
    "W1": Goal(times_torch=0.50),
    "W2": Goal(times_torch=0.28),
    "W3": Goal(times_torch=0.90),
    "W4": Goal(times_torch=1.10),
    "W5": Goal(times_torch=1.45),
    "W6 100k": Goal(times_torch=0.60),
    "W6 1M": Goal(times_torch=0.60),
    "W6 bytes": Goal(times_torch=0.60),
    "W6 gc": Goal(absolute=0),  # the graph has no cycles
    "W7 jacobian": Goal(times_torch=0.30),
    "W7 hessian": Goal(times_torch=0.50),
    "W7 jacobian at once": Goal(times_torch=1.00),
    "W7 hessian at once": Goal(times_torch=1.00),
    "W8": Goal(absolute=70),  # numpy alone needs 55 of these milliseconds
    "W8 size": Goal(absolute=1024),  # KiB
    "W9": Goal(times_torch=0.35),
    "W10 held": Goal(times_torch=1.05),
    "W10 peak": Goal(times_torch=1.20),
    "W5 profile": Goal(absolute=1.15),  # times the step without a profiler
    "W11": Goal(times_torch=1.10),  # as the step of the same network, W4
    "W11 wrong": Goal(absolute=3),  # percent
    # These were set later, from prototypes of what numpy can do on two threads.
    "W12": Goal(times_torch=1.27),
    "W13 LSTM": Goal(times_torch=1.7),
    "W13 GRU": Goal(times_torch=1.8),
    "W13 RNN": Goal(times_torch=1.8),
    "W14": Goal(times_torch=1.37),
    "W15": Goal(times_torch=2.05),
    "W16": Goal(times_torch=1.1),
    "W17": Goal(times_torch=1.6),
}
SIZE = Row("W8 size", "the engine's files, without viz, teach and data", "KiB")


def reached(goal: Goal, own: float, relative: float) -> str:
    value, aim = (own, goal.absolute) if goal.absolute is not None else (relative, goal.times_torch)
    if aim is None or math.isnan(value):
        return "–"
    return "reached" if value <= aim else f"{value / aim:.2f} times the goal" if aim else "missed"


def limit(values: Values) -> float:
    """What numpy alone needs, to torch: written out by hand or, of an import, its own."""
    return best([ratio(values, name) for name in (LIMIT, "numpy")])


def summary(rows: list[Row], results: dict[str, Values]) -> list[str]:
    lines = [f"{'':10}{'minigrad':>12} {'unit':14}{'x torch':>9}{'best peer':>11}{'by hand':>9}{'goal':>11}   "]
    for row in rows:
        values, goal = results[row.name], GOALS[row.name]
        own, relative = best(values["minigrad"]), ratio(values, "minigrad")
        peers = [ratio(values, name) for name in ("autograd", "mygrad") if name in values]
        aim = f"{goal.times_torch:.2f}x" if goal.times_torch is not None else f"{goal.absolute:g} {row.unit}"
        numbers = f"{number(relative, 'x'):>9}{number(best(peers), 'x'):>11}{number(limit(values), 'x'):>9}"
        lines.append(f"{row.name:10}{number(own):>12} {row.unit:14}{numbers}{aim:>11}   {reached(goal, own, relative)}")
    return lines


def draw(rows: list[Row], results: dict[str, Values], path: Path, subtitle: str) -> None:
    """Save a picture: for each row a mark per contender at its ratio to torch, and a bar at the goal."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown = [row for row in rows if not math.isnan(ratio(results[row.name], "minigrad"))]
    figure, axes = pyplot.subplots(figsize=(9, 0.55 * len(shown) + 2), layout="constrained")
    marks = [
        ("minigrad", "o", "#0b6e4f"),
        ("autograd", "s", "#b0752f"),
        ("mygrad", "D", "#8a5a9e"),
        (LIMIT, "|", "#555555"),
    ]
    for name, mark, color in marks:
        ratios = [limit(results[row.name]) if name == LIMIT else ratio(results[row.name], name) for row in shown]
        size = {"minigrad": 90, LIMIT: 150}.get(name, 40)
        axes.scatter(ratios, range(len(shown)), marker=mark, color=color, s=size, label=name, zorder=3)
    for place, row in enumerate(shown):
        goal = GOALS[row.name].times_torch
        if goal is not None:
            axes.vlines(goal, place - 0.35, place + 0.35, color="#c0392b", linewidth=2, label="" if place else "goal")
    axes.axvline(1, color="#222222", linewidth=1)
    axes.set_xscale("log")
    axes.set_xticks([0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5], ["0.02", "0.05", "0.1", "0.2", "0.5", "torch", "2", "5"])
    axes.set_yticks(range(len(shown)), [f"{row.name}\n{row.unit}" for row in shown], fontsize=8)
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_title("times torch's value (left is better)\n" + fill(subtitle, 110), fontsize=9)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=5, fontsize=8, frameon=False)
    figure.savefig(path, dpi=150)


def wanted(rows: list[Row], names: list[str]) -> list[Row]:
    """The rows that were asked for by the first word of their names; all if none was."""
    return [row for row in rows if not names or row.name.split()[0] in names]


def main() -> None:
    more: dict[str, dict[str, Any]] = {
        "rows": {"nargs": "*", "metavar": "row", "help": "measure these only, for example W1 W8 (default: all)"},
        "--picture": {"type": Path, "help": "save a picture here as well"},
    }
    options = arguments(__doc__, more)
    unknown = [name for name in options.rows if name not in {row.split()[0] for row in (*GOALS, "growth")}]
    if unknown:
        raise SystemExit(f"no such row: {', '.join(unknown)}. There are {', '.join(GOALS)}; the first word names them.")
    heading = conditions(options, import_time.MODULES)
    print(heading, flush=True)
    results: dict[str, Values] = {}
    scripts: list[Any] = [
        per_op,
        mlp_step,
        cnn_step,
        resnet_step,
        network_steps,
        train_digits,
        deep_graph,
        jacobian,
        gradcheck,
    ]
    scripts.append(profiler_overhead)
    for script in scripts:
        if wanted(script.ROWS, options.rows):
            results |= contest(str(FOLDER / f"{script.__name__}.py"), script.CONTENDERS, script.ROWS, options)
    if wanted(import_time.ROWS, options.rows):
        results |= measure(import_time.commands(), import_time.ROWS, options)
        results[SIZE.name] = {"minigrad": [import_time.engine_size()[2] / 1024]}
    rows = [row for script in (*scripts, import_time) for row in script.ROWS] + [SIZE]
    rows = wanted([row for row in rows if row.name in results], options.rows)
    rows.sort(key=lambda row: list(GOALS).index(row.name))
    if rows:
        print("\n".join(summary(rows, results)))
    if options.picture and rows:
        draw(rows, results, options.picture, heading.splitlines()[0])
        print(f"picture: {options.picture}")
    if options.picture and (not options.rows or "growth" in options.rows):
        path = options.picture.with_stem(f"{options.picture.stem}-growth")
        growth.draw(growth.measured(options), path, heading.partition("; 2 BLAS")[0])
        print(f"picture: {path}")


if __name__ == "__main__":
    main()

"""What if a leaf held another number: the recorded graph computed once more with it, and its backward pass.

`what_if` gives all frames of that pass, and what a reader of code wants of it; `nudge` the value at a number and a step
beside it, and the quotient, which is the slope that `.grad` says. Both come of a replay (steps/replay.py), so that
the learner's tensors, `.grad`, hooks and random generator stay as they are.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad.viz.graph import naming
from minigrad.viz.graph.boxes import Box, Snapshot
from minigrad.viz.graph.values import in_short, number
from minigrad.viz.picture.markup import clean
from minigrad.viz.steps.forward import forward_frames
from minigrad.viz.steps.frame_maker import FrameMaker
from minigrad.viz.steps.frames import Frame
from minigrad.viz.steps.replay import CannotReplayError, NotedCalls, Replay

RECORDED = "The recorded graph: branches, comparisons, random and detached numbers are as they were."
MOST_BOXES = 600  # of a graph that is computed once more: an answer is to come while the slider is dragged
HOOKS = "Hooks do not run in it."
OTHERS = (
    "a what-if pass calls the recorded operations again, and PyTorch does not note what they were called with (dim and "
    "the like). Run the cell with another number, or build the graph with minigrad"
)


@dataclass(frozen=True)
class WhatIf:
    """A pass with other numbers: the changes as [name, new, old], the result's `value` and the `grads` of the leaves by
    name, as arrays (None where nothing arrived), and `frames`, one per step. `changed` are the leaves' ids, `boxes`
    those of the second graph, in the order of the first; `forward` are the frames before, where those are shown.
    """

    changes: tuple[tuple[str, str, str], ...]
    name: str
    value: Any
    grads: Mapping[str, Any]
    frames: tuple[Frame, ...]
    failure: BaseException | None
    changed: tuple[str, ...]
    boxes: tuple[Box, ...]
    forward: tuple[Frame, ...]
    note: str  # what else there is to know of it

    def __repr__(self) -> str:
        head = ", ".join(f"{name} = {new} (it ran with {old})" for name, new, old in self.changes)
        rows = [f"what if {head}" if head else "what ran", f"{self.name} = {in_short(np.asarray(self.value))}"]
        rows += [f"{name}.grad = {'None' if grad is None else in_short(grad)}" for name, grad in self.grads.items()]
        return "\n".join(clean(row) for row in [rows[0], *(f"  {row}" for row in rows[1:])])


@dataclass(frozen=True)
class Nudge:
    """The result `root` `before` and `after` a number, such as w or w[0, 1], is made larger by `epsilon`; the quotient
    of both changes as `slope`, and `grad`, what the backward pass says of that number.
    """

    name: str
    epsilon: float
    root: str
    before: float
    after: float
    slope: float
    grad: float | None

    def __repr__(self) -> str:
        was, now = f"{self.before:.9g}", f"{self.after:.9g}"
        name, bracket, cell = self.name.partition("[")
        return (
            f"{self.root} is {was}, and {now} with {self.name} + {self.epsilon:g}: ({now} − {was}) / {self.epsilon:g} "
            f"= {number(self.slope)}. {name}.grad{bracket}{cell} is {None if self.grad is None else number(self.grad)}."
        )


class WhatIfQuestion:
    """What can be changed in the graph of a stepper: its leaves, and how a pass over it is begun.

    Args:
        graph: as it is shown.
        begin: the maker of a pass: `begin(graph, wanted)`.
        seed: the gradient of the root.
        wanted: box id -> tensors of `inputs=`, or None.
        is_grown: whether the forward pass is shown, too.
    """

    def __init__(
        self,
        graph: Snapshot,
        begin: Callable[..., FrameMaker],
        seed: Any,
        wanted: Mapping[str, tuple[Any, ...]] | None,
        is_grown: bool,
    ) -> None:
        self.graph, self.begin, self.seed = graph, begin, seed
        self.wanted, self.is_grown = wanted, is_grown
        source = graph.source
        self.output = source.output(source.root)
        self.noted = NotedCalls(graph) if source.can_be_replayed else None

    def leaf(self, name: str) -> str:
        """The id of the leaf with a name. ValueError, with the names that there are, for any other."""
        leaves = {box.name: box.id for box in self.graph.boxes if box.kind == "leaf"}
        if name not in leaves:
            why = "is computed" if any(box.name == name for box in self.graph.boxes) else "is the name of no box"
            raise ValueError(f"{name!r} {why}: what can be changed is {', '.join(leaves)}")
        return leaves[name]

    def numbers(self, key: str, given: Any) -> Any:
        """What was given for a leaf, as an array of its shape and dtype. TypeError for what is no number, ValueError
        for another shape or a number that the dtype cannot hold.
        """
        name = clean(self.graph.by_id[key].name)
        held = self._noted.numbers(key, name)
        array = np.asarray(given.detach().numpy() if naming.is_tensor(self.graph.source, given) else given)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"{name} takes numbers, as 3.0 or [1, 2], not {given!r}")
        if array.shape != held.shape and not array.size == held.size == 1:
            raise ValueError(f"{name} takes numbers of shape {list(held.shape)}, and not {list(array.shape)}")
        with np.errstate(over="ignore"):
            made = array.reshape(held.shape).astype(held.dtype)
        if (np.isfinite(array) & ~np.isfinite(made)).any():
            raise ValueError(f"{name} is {held.dtype}, which holds no number as large as {np.abs(array).max():g}")
        return made

    @property
    def _noted(self) -> NotedCalls:
        if self.noted is None:
            raise CannotReplayError(f"This is no graph of minigrad's: {OTHERS}.")
        return self.noted

    def what_if(self, given: Mapping[str, Any]) -> WhatIf:
        """The pass with other numbers, box id -> what was given."""
        changed = {key: self.numbers(key, value) for key, value in given.items()}
        second, frames, failure = self._pass(changed)
        names = {key: self.graph.by_id[key].name for key in second.leaves}
        changes = [_change(names[key], self._noted.numbers(key, names[key]), array) for key, array in changed.items()]
        grown = forward_frames(second.graph, frames[0]) if self.is_grown else []
        has_hooks = any(map(self.graph.source.has_hooks, self.graph.node_of.values()))
        held = {clean(names[key]): leaf.grad for key, leaf in second.leaves.items()}
        grads = {name: None if grad is None else grad.detach().numpy() for name, grad in held.items()}
        root, value = clean(self.graph.by_id[self.graph.root].name), second.root.detach().numpy()
        ran = tuple(frames), failure, tuple(changed), second.graph.boxes, tuple(grown)
        return WhatIf(tuple(changes), root, value, grads, *ran, f"{RECORDED} {HOOKS}" if has_hooks else RECORDED)

    def nudge(self, key: str, cell: Any, epsilon: float, changed: Mapping[str, Any]) -> Nudge:
        """The slope at one number of a leaf, measured, where other leaves may be `changed`."""
        name = clean(self.graph.by_id[key].name)
        held = np.array(changed[key] if key in changed else self._noted.numbers(key, name), np.float64)
        place = tuple(np.atleast_1d(np.array(cell, int)).tolist())
        if len(place) != held.ndim or any(not 0 <= at < size for at, size in zip(place, held.shape, strict=True)):
            raise ValueError(f"{name} has the shape {list(held.shape)}: {cell!r} is no place in it")
        if not math.isfinite(epsilon) or not epsilon:
            raise ValueError(f"a step is a number other than 0, such as 0.001, and not {epsilon!r}")
        before = self._result({**changed, key: held})
        grad = self._pass(changed)[0].leaves[key].grad
        where, said = name + str(list(place)) * bool(place), None if grad is None else float(grad[place])
        held[place] += epsilon
        after = self._result({**changed, key: held})
        root = clean(self.graph.by_id[self.graph.root].name)
        return Nudge(where, epsilon, root, before, after, (after - before) / epsilon, said)

    def _pass(self, changed: Mapping[str, Any]) -> tuple[Replay, list[Frame], BaseException | None]:
        """The second graph, and the frames of its pass."""
        if len(self.graph.boxes) > MOST_BOXES:
            raise CannotReplayError(
                f"This graph has more than {MOST_BOXES} boxes, too many to compute them once more here."
            )
        second = Replay(self.graph, self._noted, changed, self.output)
        wanted = self.wanted and {
            key: tuple(second.of[key][tensor.output_nr] for tensor in tensors) for key, tensors in self.wanted.items()
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they came when the graph was made
            maker = self.begin(second.graph, wanted)
            return second, maker.run(), maker.failure

    def _result(self, changed: Mapping[str, Any]) -> float:
        """The result, in double precision where all operations take that; of an array what its gradient is of."""
        try:
            root = Replay(self.graph, self._noted, changed, self.output, precisely=True).root
        except CannotReplayError:
            kinds = {key: self._noted.leaves[key].dtype for key in changed}
            narrow = {key: array.astype(kinds[key]) for key, array in changed.items()}
            root = Replay(self.graph, self._noted, narrow, self.output).root
        return float((root.detach().numpy() * self.seed).sum())


def _change(name: str, old: Any, new: Any) -> tuple[str, str, str]:
    """What was changed, its new number and its old one; of an array the only one that was, or all."""
    places = np.argwhere(np.asarray(old) != new)
    if len(places) == 1:
        place = tuple(places[0].tolist())
        return clean(name) + str(list(place)) * bool(place), number(new[place]), number(old[place])
    return clean(name), in_short(new), in_short(old)

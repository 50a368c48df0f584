"""What the pictures ask of a graph, and of a backward pass over it: all that there is to know of an engine.

minigrad's own engine (minigrad_graphs/), PyTorch's (torch_graphs/) and one that a learner has written (own_engines/)
each answer by a class derived from `Source` and one derived from `Pass`. Whoever adds a fourth answers what stands
under "to be answered", and of the rest what the engine knows: every other question has an answer for those who do not.

A *node* is what stands for an operation or a leaf, a *tensor* what has a value and a gradient; in many engines both are
the same object. They may be the engine's own objects or stand for these. The pictures never look into one: they keep it
as a key of dicts, compare it with `is`, and hand it back with a question. So a source has to give one object for one
node, and that object a hash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.viz.graph.observer import NOT_NOTED, Making
from minigrad.viz.graph.saved_values import Saved

if TYPE_CHECKING:
    from minigrad.viz.graph.boxes import Snapshot
    from minigrad.viz.steps.frames import StoryLine
    from minigrad.viz.steps.pass_progress import PassProgress
    from minigrad.viz.steps.watching import FunctionWatcher, Note

Node = Any
Tensor = Any
Edges = Sequence[tuple[Node | None, int]]
Step = tuple[Node, tuple[Any, ...], tuple[Any, ...]]  # node, gradients in, gradients out


@dataclass(frozen=True)
class Overwritten:
    """A saved tensor that was written to before its node ran, so that the pass fails there.

    `versions` count the writes now and when it was saved; `array` is what it holds now, None where that is not known;
    `line` the code and the line number that wrote last; `why` is said where that line was not noted.
    """

    parameter: str
    name: str
    versions: tuple[int | None, int | None]
    array: Any = None
    line: tuple[Any, int] | None = None
    why: str = ""


class Source:
    """What the pictures ask of the graph behind `root`, a tensor."""

    # Whether it is noted which line made a node. Else a result is found by its name: y = x * w.
    notes_lines = False
    no_lines = "Only nodes of minigrad know their lines. Of another engine's, y = x * w is found while you hold y."
    # Whether `saved` tells all that nodes keep for their rules, and `rule` how they compute.
    shows_rules = False
    # Whether of the nodes that are ready it runs the one that was made last, leaves before all others.
    sorts_by_number = True
    # Whether gradients are numbers before anything has arrived, so that 0 says nothing.
    begins_with_zero = False
    # Whether operations can be called again on other numbers, and all that a pass changes be put back.
    can_be_replayed = False

    def __init__(self, root: Tensor) -> None:
        self.root = root

    # ---------------------------------------------------------------- to be answered

    def edges(self, node: Node) -> Edges:
        """For each input of a node the node that made it, None where no gradient goes there, and which of that one's
        outputs it was.
        """
        raise NotImplementedError

    def number(self, node: Node) -> int:
        """When a node was made: a result has a higher number than its inputs."""
        raise NotImplementedError

    def name(self, node: Node) -> str:
        """What its operation is called, "mul" or "MulBackward0"."""
        raise NotImplementedError

    def leaf(self, node: Node) -> Tensor | None:
        """The leaf whose gradient ends in a node; None for an operation."""
        raise NotImplementedError

    def node(self, tensor: Tensor) -> Node | None:
        """The node of the operation that made a tensor; None for a leaf, and for what needs no gradient."""
        raise NotImplementedError

    def array(self, tensor: Tensor) -> np.ndarray[Any, Any]:
        """The numbers of a tensor or of a gradient, to be read; an array is given back as it is."""
        raise NotImplementedError

    def grad(self, tensor: Tensor) -> Any:
        """The gradient that a tensor holds now: the same object as long as it holds the same; None for none."""
        raise NotImplementedError

    def put_grad(self, tensor: Tensor, gradient: Any) -> None:
        """Have a tensor hold what `grad` gave earlier."""
        raise NotImplementedError

    def tensor(self, value: Any) -> Tensor | None:
        """The tensor that something in the learner's variables is; None for what is none of this engine's."""
        raise NotImplementedError

    def steps(self, gradient: Any, retain_graph: bool | None, create_graph: bool, inputs: Any) -> Pass:
        """A backward from the root, with PyTorch's arguments. Raises what `backward()` would for wrong ones."""
        raise NotImplementedError

    # ---------------------------------------------------------------- of a tensor

    def output(self, tensor: Tensor) -> int:
        """Which output of its node it is."""
        return 0

    def needs_grad(self, tensor: Tensor) -> bool:
        """Whether gradients go to it."""
        return True

    def keeps_grad(self, tensor: Tensor) -> bool:
        """Whether a result keeps its gradient, as leaves do."""
        return False

    def version(self, tensor: Tensor) -> int | None:
        """How often it was written to in place; None where writes are not counted."""
        return None

    def memory(self, tensor: Tensor) -> tuple[Any, ...]:
        """What tensors have in common that share all their memory."""
        return (id(tensor),)

    def names(self) -> Mapping[str, Tensor]:
        """What the engine itself calls its tensors, ahead of the learner's variables."""
        return {}

    # ---------------------------------------------------------------- of a gradient, to put it back when stepping back

    def has_graph(self, gradient: Any) -> bool:
        """Whether the gradient has a graph of its own, so that it can be differentiated; its numbers stay, then."""
        return False

    def is_same(self, one: Any, other: Any) -> bool:
        """Whether two gradients count as one and the same, as long as they hold the same numbers."""
        return one is other

    def copy(self, gradient: Any) -> Any:
        """A copy of its numbers."""
        return np.array(self.array(gradient))

    def holds(self, gradient: Any, numbers: Any) -> bool:
        """Whether its numbers are those that `copy` gave."""
        return bool(np.array_equal(numbers, self.array(gradient), equal_nan=True))

    def write(self, gradient: Any, numbers: Any) -> Any:
        """Write into it what `copy` gave; returns the gradient that holds it, another where it cannot be written to."""
        self.array(gradient)[...] = numbers
        return gradient

    # ---------------------------------------------------------------- of a node

    def is_leaf(self, node: Node) -> bool:
        """Whether a leaf's gradient ends in it."""
        return self.leaf(node) is not None

    def inputs(self, node: Node) -> tuple[str, ...]:
        """What its operation calls its inputs, in the order of `edges`; () where that is not known."""
        return ()

    def making(self, node: Node) -> Making:
        """What was noted when it was made: the line, the results, the other arguments."""
        return NOT_NOTED

    def result(self, node: Node) -> Tensor | None:
        """The tensor that it made, where it still has that."""
        return None

    def known_result(self, node: Node, consumers: Iterable[Node]) -> Any:
        """The tensor, or the array, that it made, where it or one of its consumers has saved that."""
        return self.result(node)

    def saved_values(self, node: Node, name_of: Callable[[Tensor], str]) -> Iterator[Saved]:
        """All that it keeps for its rule; `name_of` gives what the learner calls a tensor."""
        return iter(())

    def saved_names(self, node: Node) -> list[str]:
        """What `saved_value` can be asked for."""
        return []

    def saved_value(self, node: Node, parameter: str) -> Any:
        """A value that it keeps, as a tensor if it is one; None where it is not to be had."""
        return None

    def is_freed(self, node: Node) -> bool:
        """Whether a backward that used the graph has freed what it kept."""
        return False

    def rule(self, node: Node, parameter: str) -> Callable[..., Any] | str | None:
        """The function that gives the gradient of an input, `lambda F, g, other: g * other`, words where there are only
        those, None where it is not known.
        """
        return None

    def bound_values(self, node: Node) -> Mapping[str, Any]:
        """The values of parameters of its rules beside those that it keeps."""
        return {}

    def is_custom(self, node: Node) -> bool:
        """Whether its backward is a learner's own code, as of torch.autograd.Function."""
        return False

    def arguments(self, node: Node) -> Sequence[str]:
        """What a custom Function calls its tensors, in the order of `edges`; () where that is not to be had."""
        return self.inputs(node)

    def noted_by_learner(self, node: Node) -> Iterable[Any]:
        """What a custom Function has put on its `ctx`."""
        return ()

    def backward_source(self, node: Node) -> str:
        """The text of the learner's own backward; "" for the engine's own operations."""
        return ""

    def packed_as(self, node: Node, packed: Any) -> str:
        """As what it has saved the thing that a pack hook has put in a tensor's place."""
        return ""

    def has_hooks(self, node: Node) -> bool:
        """Whether there are hooks that run with it, as far as that is known."""
        return False

    def is_plain(self, node: Node) -> bool:
        """Whether nothing but the engine's own code runs with it, so that to run it once more shows nowhere."""
        return False

    def run_batch(self, node: Node, gradients: Any) -> Sequence[Any] | None:
        """What a plain node's rule makes of several gradients at once, the first dimension of an array: an array for
        each input, or None. None for all where it cannot be run so.
        """
        return None

    def overwritten_values(self, node: Node, error: BaseException) -> Iterator[Overwritten]:
        """What was written to that it has saved, of a node that could not be run."""
        return iter(())

    def anomaly(self, error: BaseException) -> Step | None:
        """The step that made the NaN, of an error that says that there is one."""
        return None

    # ---------------------------------------------------------------- of the whole graph

    def module_calls(self, nodes: list[Node], modules: Iterable[Any]) -> Mapping[Node, tuple[Any, ...]]:
        """Node -> the calls of modules in which it was made (see calls.py), where no making tells."""
        return {}

    def call(self, names: Mapping[Node, str]) -> None:
        """Learn what nodes are called in the picture, for messages."""


def attribute(name: str) -> Any:
    """The answer to a question that is an attribute of what is asked about."""
    return staticmethod(attrgetter(name))


class Pass:
    """A backward, node by node: an iterator of steps (node, gradients in, gradients out).

    A gradient is an array or a tensor of the source, None where there is none: one in for each output of the node, one
    out for each of its edges. Steps are taken one at a time, and a pass may be given up after any of them.
    """

    # After a step: what is to be remarked on it, and the boxes whose gradients the step may have changed, None for all.
    remarks: Sequence[StoryLine] = ()
    touched: Sequence[str] | None = None
    # The boxes that run next whether they have all that they wait for or not.
    forced: Sequence[str] = ()
    # Box -> what its gradient held when the pass began, where that was not 0; None: ask the leaves.
    initial: Mapping[str, Any] | None = None
    # Box -> the first step that has written to its value, and by whose rule.
    writers: Mapping[str, tuple[int, str]] = {}

    def __iter__(self) -> Pass:
        return self

    def __next__(self) -> Step:
        raise NotImplementedError

    def plan(self, graph: Snapshot) -> list[str] | None:
        """The boxes that will run, each as often as it does; None for those to which gradients lead."""
        return None

    def why_left_out(self, box: str) -> str:
        """Why a box does not run that `plan` does not name."""
        return "the engine's backward leaves it out"

    def watch(self, graph: Snapshot, progress: PassProgress, watcher: FunctionWatcher) -> None:
        """Before the first step: what it goes over, how far it has come, and who looks on at the learner's hooks."""

    def note_ready(self, number: int, box: str) -> None:
        """A box has all that it waits for; `number` is its node's."""

    def note_run(self, box: str) -> None:
        """A box has run."""

    def order(self) -> list[str] | None:
        """The boxes that are ready, the next first, and maybe others; None for those of the highest numbers."""
        return None

    def notes_unseen(
        self, box: str, arrived: Mapping[int, Any], incoming: tuple[Any, ...], known: list[Note]
    ) -> list[Note]:
        """Notes on hooks that were not seen to run, but for what they changed.

        Args:
            box: of the node that has run.
            arrived: output of the node -> the sum of the gradients that were sent to it.
            incoming: the gradients that it was run with.
            known: what the hooks did that were seen.
        """
        return []

    def scales(self, node: Node) -> Sequence[float]:
        """For each input how large the numbers are whose difference says what was sent; () where that was given."""
        return ()

    def close(self) -> None:
        """Give the pass up: nothing runs any more."""

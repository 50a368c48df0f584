"""What a function leaves behind beside its answer: in what it was given, and in the modes that hold for everybody.

Both are noted before a call and afterwards. A trace counts if the reference does not leave the same one. It has a kind,
for which there are words, and a place: the name of an argument, or of something in it ("losses[1]").
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from minigrad.autograd.blame import NO_WARNING
from minigrad.autograd.modes import count_unusual, modes, set_anomaly, set_recording, thread
from minigrad.creation import full_like, tensor
from minigrad.dtypes import get_default_dtype, set_default_dtype
from minigrad.nn.modules.module import Module
from minigrad.nn.modules.module_hooks import no_hooks
from minigrad.random import default_generator, get_rng_state, set_rng_state
from minigrad.teach.comparing import is_close
from minigrad.teach.wrong_node import nodes_of
from minigrad.tensor import Tensor

Place = tuple[str, str]  # a kind, and where
Traces = dict[Place, tuple[Any, Any]]  # what was there before, and is afterwards

IN_ARGUMENTS = {
    "numbers": "{} holds other numbers than before",
    "items": "{} has other items than before, or another order",
    "requires_grad": "{}.requires_grad is not what it was",
    "graph": "{} has another grad_fn than before",
    "hooks": "{} has other hooks than before",
    "nodes": "the nodes behind {} have other hooks or metadata than before",
    "attributes": "{} has other attributes than before",
    "module": "{} has other attributes than before",
    "grad": "{}.grad is not what it was",
    "training": "{}.training is not what it was",
    "version": "{} was written to, even if it holds the same numbers again",
}
SEEDED = "a seed was set, so that the random numbers begin anew"
FILTERED = "warnings are filtered otherwise"
SWITCHES = (
    "requires_grad",
    "hooks",
    "nodes",
    "attributes",
    "training",
)  # of what is given to be written to, too: the next one meets them
SAYS_MORE = {
    "version": "numbers",
    "requires_grad": "graph",
    "hooks": "graph",
    "nodes": "graph",
    "grad mode is {}": "inference mode is {}",
    "the random numbers to come are others": SEEDED,
}
MOST_NODES = 500  # of a graph whose leaves are looked at
EARLIER = 7.0  # what an earlier walk has left in each element of a .grad
NOBODYS_SEED = 2**64 - 59  # which no answer sets


def _put_back_hooks(hooks: Any) -> None:
    thread.saved_tensors_hooks = hooks
    count_unusual()


def _put_back_profiler(was_on: bool) -> None:
    if modes.profiler is not None and not was_on:
        modes.profiler.stop()
        modes.profiler = None


def _put_back_filters(filters: list[Any]) -> None:
    warnings.resetwarnings()  # which says that they change
    warnings.filters[:] = filters  # type: ignore[index]


class _Unused:
    """Stands where the default generator keeps numpy's, with its state, until somebody draws from it: numpy needs
    longer to tell a state than most answers need to run, and between two draws it stays the same.
    """

    def __init__(self, source: Any, state: bytes) -> None:
        self.source, self.state = source, state

    def __getattr__(self, name: str) -> Any:
        default_generator._source = self.source
        return getattr(self.source, name)


def _random_state() -> bytes:
    """All that determines the numbers to come, without the seed, which comes first."""
    if not isinstance(default_generator._source, _Unused):
        state = get_rng_state().numpy().tobytes()[8:]  # which makes numpy's generator, where there was none
        default_generator._source = _Unused(default_generator._source, state)
    return default_generator._source.state


# Each mode in words, and how it is read and put back; {} is "on", "off", or the value itself.
MODES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "grad mode is {}": (lambda: thread.grad_enabled, set_recording),
    "inference mode is {}": (lambda: thread.inference, lambda on: set_recording(thread.grad_enabled, on)),
    "anomaly mode is not what it was": (lambda: modes.anomaly, set_anomaly),
    "the profiler is {}": (lambda: modes.profiler is not None, _put_back_profiler),
    "the default dtype is {}": (get_default_dtype, set_default_dtype),
    "the hooks on saved tensors are others": (lambda: thread.saved_tensors_hooks, _put_back_hooks),
    "numpy's handling of errors is another": (np.geterr, lambda found: np.seterr(**found)),
    "Python's recursion limit is {}": (sys.getrecursionlimit, sys.setrecursionlimit),
    # (without the filter that minigrad sets when it needs it)
    FILTERED: (lambda: [*filter(NO_WARNING.__ne__, warnings.filters)], _put_back_filters),
    SEEDED: (
        lambda: default_generator._seed,
        lambda seed: setattr(default_generator, "_seed", seed),
    ),
    "the random numbers to come are others": (
        _random_state,
        lambda state: set_rng_state(
            tensor(np.frombuffer(default_generator._seed.to_bytes(8, "little") + state, np.uint8))
        ),
    ),
}
HAVE_BLOCKS = MODES.keys() - {"the default dtype is {}", "Python's recursion limit is {}", SEEDED}  # for a `with`
ON_GRAPH = "the answer requires a gradient{}: detach() takes the numbers alone"
TOLD = ("the random numbers to come are others", ON_GRAPH)  # not wrong in itself, and told all the same


def modes_before() -> dict[Place, Any]:
    """Each mode's value as an answer meets it, with another seed than there was: to set that one again is seen, too."""
    _random_state()  # which begins with the seed that there is, where nothing was drawn yet
    default_generator._seed = NOBODYS_SEED
    return modes_now()


def modes_now() -> dict[Place, Any]:
    """Each mode's value."""
    return {(words, ""): read() for words, (read, _) in MODES.items()}


def put_back(before: dict[Place, Any]) -> None:
    """Set the modes that are not as they were."""
    for (words, _), value in before.items():
        read, set_mode = MODES[words]
        if read() != value:
            set_mode(value)


def parts(names: Iterable[str], arguments: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """What a function is given, and what that consists of, each once: items, parameters and buffers, and leaves."""
    todo, met = list(zip(names, arguments, strict=False)), set[int]()
    for name, value in todo:  # which grows
        if id(value) in met:
            continue
        met.add(id(value))
        yield name, value
        if isinstance(value, Tensor):
            leaves = [node.variable for node in nodes_of(value, MOST_NODES) if node.name() == "AccumulateGrad"]
            todo += [(f"leaf {number} behind {name}", leaf) for number, leaf in enumerate(leaves, 1)]
        elif isinstance(value, Module):
            todo += [(f"{name}.{path}", one) for path, one in (*value.named_parameters(), *value.named_buffers())]
        elif isinstance(value, list | tuple | dict):
            items = value if isinstance(value, dict) else dict(enumerate(value))
            todo += [(f"{name}[{key!r}]", item) for key, item in items.items()]


def contents(names: Iterable[str], arguments: Iterable[Any]) -> dict[Place, Any]:
    """All that can be changed in what a function is given."""
    found: dict[Place, Any] = {}
    for name, value in parts(names, arguments):
        if isinstance(value, Tensor):
            found |= {(kind, name): what for kind, what in _trace_of(value).items()}
        elif isinstance(value, Module):
            for path, module in value.named_modules():
                place = f"{name}.{path}" if path else name
                found["training", place] = module.training
                found["module", place] = {*vars(module)}
                found["hooks", place] = [len(vars(module)[kind]) for kind in no_hooks() if kind != "_hooked"]
        elif isinstance(value, np.ndarray):
            found["numbers", name] = value.copy()
        elif isinstance(value, list | tuple | dict):
            keys, items = (value.keys(), value.values()) if isinstance(value, dict) else (range(len(value)), value)
            found["items", name] = [*keys, *map(id, items)]
    return found


def used_before(make: Callable[[], tuple[Any, ...]], walked: bool) -> tuple[Any, ...]:
    """The arguments of a case, as somebody may hand them over who has used them: each tensor that requires a gradient
    has a hook, and each leaf, if somebody walked, has a gradient.
    """
    arguments = make()
    for _, value in parts("?" * len(arguments), arguments):  # whatever they are called
        if isinstance(value, Tensor) and value.requires_grad and not value.is_inference():
            value.register_hook(lambda gradient: None)
            if walked and value.is_leaf and value._grad is None:
                value.grad = full_like(value.detach(), EARLIER)
    return arguments


def _trace_of(tensor: Tensor) -> dict[str, Any]:
    hooks = [] if tensor._node is None else [tensor._own_hooks().after_accumulate, tensor._backward_hooks or ()]
    return {
        "numbers": tensor.detach().numpy().copy(),
        "requires_grad": tensor.requires_grad,
        "graph": tensor.grad_fn,
        "nodes": {node: _written_on(node) for node in nodes_of(tensor, MOST_NODES)},
        "attributes": [*vars(tensor)],
        "hooks": [len(one) for one in hooks if one],  # a leaf without requires_grad has no room for any
        "grad": None if tensor._grad is None else tensor._grad.detach().numpy().copy(),
        "version": 0 if tensor.is_inference() else tensor._version,
    }


def _written_on(node: Any) -> Any:
    """What is on a node for all walks to come, and for whoever looks: hooks, beside those of tensors, and metadata."""
    hooks = node._hooks
    count = sum(map(len, (hooks.before, hooks.after, hooks.retained))) if hooks else 0
    return count, [*(node._metadata or ())]


def changes(before: dict[Place, Any], after: dict[Place, Any]) -> Traces:
    """What is not as it was."""
    return {
        place: (old, after[place]) for place, old in before.items() if place in after and not _same(old, after[place])
    }


def switches(found: Traces) -> Traces:
    """Those of the traces that count in what is given to be written to, too."""
    return {place: change for place, change in found.items() if place[0] in SWITCHES and not _is_told(place, found)}


def _is_told(place: Place, found: Traces) -> bool:
    """Whether another trace says more than this one: of the same thing, or of what holds it, whose items are others."""
    kind, name = place
    moved = tuple(f"{holder}[" for kind, holder in found if kind == "items")
    return (SAYS_MORE.get(kind), name) in found or name.startswith(moved)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return one is other or (type(one) is type(other) and bool(one == other))


def on_graph(value: Any) -> Traces:
    """Whether an answer requires a gradient: a trace, too, where that of the reference does not."""
    items = value if isinstance(value, tuple | list) else [value]
    found = [item for item in items if isinstance(item, Tensor) and item.requires_grad]
    after = ", and holds on to its graph" if any(item.grad_fn is not None for item in found) else ""
    return {(ON_GRAPH, ""): (None, after)} if found else {}


def left_behind(mine: Traces, expected: Traces) -> list[Place]:
    """What a function left that the reference did not."""
    return [
        place
        for place, (_, after) in mine.items()
        if (place not in expected or _differ(expected[place][1], after)) and not _is_told(place, mine)
    ]


def wrong_ones(mine: Traces, expected: Traces) -> list[Place]:
    """What of it makes an answer wrong; the rest is only told, as a gradient is where there was none."""
    return [
        place
        for place in left_behind(mine, expected)
        if place[0] not in TOLD and (place[0] != "grad" or mine[place][0] is not None)
    ]


def _differ(expected: Any, after: Any) -> bool:
    """Whether two that both left something left other numbers."""
    if isinstance(expected, np.ndarray) and isinstance(after, np.ndarray):
        return expected.shape != after.shape or not np.all(is_close(expected, after))
    return (expected is None) != (after is None)


def in_words(places: list[Place], traces: Traces) -> str:
    """The traces, in words."""
    said = []
    for kind, name in places:
        after = traces[kind, name][1]
        what = name or ({True: "on", False: "off"}[after] if isinstance(after, bool) else after)
        said.append(IN_ARGUMENTS.get(kind, kind).format(what))
    more = [f"{len(said) - 2} more such things"] if len(said) > 3 else said[2:]
    return ", and ".join([*said[:2], *more])

"""Which module's call made which node of PyTorch's graph, as far as parameters tell.

So a picture of a PyTorch network has boxes for its modules. PyTorch notes no calls, but a node that takes a parameter
together with data was made by the module that owns the parameter: it is an anchor. What lies between two anchors in the
order of making (an activation, a sum) lies in whatever is around both. So a last activation, or a flattening at the
start, stands outside: nothing tells that it was the network's. Where a parameter is shared, it tells of what is around
all its owners. A linear layer's own reshaping goes with it, and of a recurrent cell each call is known by its last ops.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from minigrad.viz.graph.calls import Place
from minigrad.viz.graph.folding import shared_start
from minigrad.viz.graph.observer import NO_PLACE
from minigrad.viz.graph.source import Source

Chain = tuple[Any, ...]  # modules, the outermost first
VIEWS = ("ViewBackward0", "UnsafeViewBackward0")
# The ops with which a call of a cell ends, and which come nowhere else in it; an RNNCell has one of two.
ENDS = {
    "RNNCell": (("AddBackward0", "TanhBackward0"), ("AddBackward0", "ReluBackward0")),
    "LSTMCell": (("TanhBackward0", "MulBackward0"),),
    "GRUCell": (("SubBackward0", "MulBackward0", "AddBackward0"),),
}


def calls_of(source: Source, nodes: list[Any], modules: Iterable[Any]) -> dict[Any, tuple[Place, ...]]:
    """Node -> the calls of modules in which it was made, the outermost first; `nodes` stand in the order of making."""
    owners = _owners(modules)
    if not owners:
        return {}
    forms = _forms(source, nodes, owners)
    results = [node for node in nodes if not source.is_leaf(node)]
    anchors = {node: chain for node in results if (chain := _chain_of_anchor(source, node, forms)) is not None}
    for node in reversed(results):  # a transposed weight is made by the call that uses it
        for child, _ in node.next_functions:
            if node in anchors and child in forms and not source.is_leaf(child):
                anchors.setdefault(child, forms[child])
    uses = Counter(child for node in results for child, _ in node.next_functions)
    for node, following in pairwise(results):
        if node in anchors and _is_of_linear(source, node, following):
            before = [
                child for child, _ in node.next_functions if child and source.name(child) in VIEWS and uses[child] == 1
            ]
            anchors |= dict.fromkeys((following, *before), anchors[node])
    return _chains_of(results, _numbered_places(source, results, anchors))


def _is_of_linear(source: Source, node: Any, following: Any) -> bool:
    """Whether a node gives the product of a linear layer, here the node before it, more dimensions again."""
    if source.name(following) not in VIEWS or [child for child, _ in following.next_functions] != [node]:
        return False
    before, after = (
        [size for made in source.making(one).outputs[:1] for size in made.shape] for one in (node, following)
    )
    return len(after) > len(before) > 0 and after[-1] == before[-1]


def _numbered_places(source: Source, results: list[Any], anchors: Mapping[Any, Chain]) -> dict[Any, tuple[Place, ...]]:
    """The anchors as places; the whole call of a cell is anchors, and each of its calls is a place of its own."""
    known: dict[tuple[int, int], Place] = {}  # so that a place is the same object wherever it comes
    calls = Counter[int]()
    found: dict[Any, tuple[Place, ...]] = {}
    current: list[Any] = []
    for node in results:
        chain = anchors.get(node, ())
        found |= {node: tuple(known.setdefault((id(one), 0), (one, NO_PLACE, 0)) for one in chain)} if chain else {}
        if chain and current and chain != anchors[current[0]]:
            current = []  # it did not end as it does
        ends = ENDS.get(type(anchors[(current or [node])[0]][-1]).__name__, ()) if chain or current else ()
        current = [*current, node] if ends else []
        names = tuple(map(source.name, current))
        if any(names[-len(end) :] == end for end in ends):
            cell = anchors[current[0]][-1]
            calls[id(cell)] += 1
            call = known[id(cell), calls[id(cell)]] = (cell, NO_PLACE, calls[id(cell)])
            found |= dict.fromkeys(current, (*found[current[0]][:-1], call))
            current = []
    return found


def _owners(modules: Iterable[Any]) -> dict[int, Chain]:
    """The id of a parameter -> the modules in which it lies. Of several chains the longest, that of the outermost."""
    torch = sys.modules.get("torch")
    found: dict[int, Chain] = {}
    for outer in modules:
        if torch is None or not isinstance(outer, torch.nn.Module):
            continue
        chains: dict[int, list[Chain]] = {}
        inside = dict(outer.named_modules())
        for path, module in inside.items():
            parts = path.split(".") if path else []
            around = [inside.get(".".join(parts[:depth])) for depth in range(len(parts) + 1)]
            chain = tuple(one for one in around if one is not None and _is_called(one))
            for parameter in module.parameters(recurse=False):
                chains.setdefault(id(parameter), []).append(chain)
        for key, several in chains.items():
            found[key] = max(found.get(key, ()), shared_start(several), key=len)
    return {key: chain for key, chain in found.items() if chain}


def _is_called(module: Any) -> bool:
    """False for a list or dict of modules, which has no forward of its own."""
    return getattr(type(module).forward, "__name__", "") != "_forward_unimplemented"


def _forms(source: Source, nodes: list[Any], owners: Mapping[int, Chain]) -> dict[Any, Chain]:
    """The nodes that hold a parameter or another form of one (transposed, cast, normed), with its modules."""
    forms: dict[Any, Chain] = {}
    shapes: dict[Any, list[int]] = {}  # sorted, as a transposed one has them in another order
    for node in nodes:
        raw = source.leaf(node)
        if raw is not None:
            if id(raw) in owners:
                forms[node], shapes[node] = owners[id(raw)], sorted(raw.shape)
            continue
        children = [child for child, _ in node.next_functions]
        outputs = source.making(node).outputs
        if outputs and children and all(child in forms for child in children):
            shape = sorted(outputs[0].shape)
            if shape in [shapes[child] for child in children]:  # a sum of its squares is none
                forms[node], shapes[node] = shared_start([forms[child] for child in children]), shape
    return forms


def _chain_of_anchor(source: Source, node: Any, forms: Mapping[Any, Chain]) -> Chain | None:
    """The modules of the parameters that a node takes together with data; None if it is no such node."""
    children = [child for child, _ in node.next_functions]
    chains = [forms[child] for child in children if child in forms]
    with_data = len(chains) < len(children) or source.name(node).startswith("Embedding")  # whose data are no input
    return _innermost(chains) if chains and with_data else None


def _chains_of(results: list[Any], anchors: Mapping[Any, tuple[Place, ...]]) -> dict[Any, tuple[Place, ...]]:
    """The anchors, and for what lies between two of them that which is around both."""
    found: dict[Any, tuple[Place, ...]] = {}
    before: tuple[Place, ...] = ()
    between: list[Any] = []
    for node in results:
        between.append(node)
        if (chain := anchors.get(node)) is not None:
            found |= dict.fromkeys(between, shared_start([before, chain])) | {node: chain}
            before, between = chain, []
    return found


def _innermost(chains: list[Chain]) -> Chain:
    """The longest of some chains where the others lead to it, else what all have in common."""
    longest = max(chains, key=len)
    return longest if all(chain == longest[: len(chain)] for chain in chains) else shared_start(chains)

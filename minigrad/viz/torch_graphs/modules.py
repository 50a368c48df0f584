"""Which module's call made which node of PyTorch's graph, as far as parameters tell.

So a picture of a PyTorch network has boxes for its modules. PyTorch notes no calls, but a node that takes a parameter
together with data was made by the module that owns the parameter: it is an anchor. What lies between two anchors in the
order of making (an activation, a sum) lies in whatever is around both. So a last activation, or a flattening at the
start, stands outside: nothing tells that it was the network's. Where a parameter is shared, it tells of what is around
all its owners.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from minigrad.viz.graph.folding import shared_start
from minigrad.viz.torch_graphs.mirrors import Leaf

Chain = tuple[Any, ...]  # modules, the outermost first


def calls_of(nodes: list[Any], modules: Iterable[Any]) -> dict[Any, Chain]:
    """Node -> the modules in whose calls it was made, the outermost first; `nodes` stand in the order of making."""
    owners = _owners(modules)
    if not owners:
        return {}
    forms = _forms(nodes, owners)
    results = [node for node in nodes if not isinstance(node, Leaf)]
    anchors = {node: chain for node in results if (chain := _chain_of_anchor(node, forms)) is not None}
    for node in reversed(results):  # a transposed weight is made by the call that uses it
        for child, _ in node.next_functions:
            if node in anchors and child in forms and not isinstance(child, Leaf):
                anchors.setdefault(child, forms[child])
    return _chains_of(results, anchors)


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


def _forms(nodes: list[Any], owners: Mapping[int, Chain]) -> dict[Any, Chain]:
    """The nodes that hold a parameter or another form of one (transposed, cast, normed), with its modules."""
    forms: dict[Any, Chain] = {}
    shapes: dict[Any, list[int]] = {}  # sorted, as a transposed one has them in another order
    for node in nodes:
        if isinstance(node, Leaf):
            raw = node.raw.variable
            if id(raw) in owners:
                forms[node], shapes[node] = owners[id(raw)], sorted(raw.shape)
            continue
        children = [child for child, _ in node.next_functions]
        made = node._creation
        if made is not None and children and all(child in forms for child in children):
            shape = sorted(made.outputs[0].shape)
            if shape in [shapes[child] for child in children]:  # a sum of its squares is none
                forms[node], shapes[node] = shared_start([forms[child] for child in children]), shape
    return forms


def _chain_of_anchor(node: Any, forms: Mapping[Any, Chain]) -> Chain | None:
    """The modules of the parameters that a node takes together with data; None if it is no such node."""
    children = [child for child, _ in node.next_functions]
    chains = [forms[child] for child in children if child in forms]
    with_data = len(chains) < len(children) or node.name().startswith("Embedding")  # whose data are no input
    return _innermost(chains) if chains and with_data else None


def _chains_of(results: list[Any], anchors: Mapping[Any, Chain]) -> dict[Any, Chain]:
    """The anchors, and for what lies between two of them that which is around both."""
    found: dict[Any, Chain] = {}
    before: Chain = ()
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

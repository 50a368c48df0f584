"""What is known of the rules of PyTorch's nodes.

For a graph whose rules are compiled C++ the stepper takes the text of a rule from here. minigrad's nodes have PyTorch's
names, so the rule of minigrad's op of that name is tried on what PyTorch's node has saved. Only if it gives the
gradient that PyTorch has just computed is it shown; else it is said that the formula is not known here.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd.fitting import fit_gradient
from minigrad.op import arrays, tensors
from minigrad.ops.silence import silent
from minigrad.viz.graph import rules
from minigrad.viz.graph.source import Source
from minigrad.viz.torch_graphs import own_rules, saved_tensors

CHECKED = 2_000_000  # elements of a gradient, up to which a rule is tried out
ELSEWHERE = {"p": "ord", "padding": "padding_idx"}  # what minigrad's rules name -> what PyTorch calls it
PACKED = "what PyTorch's rule makes of g and of what a saved-tensors hook keeps for it (which is not looked into)"
UNKNOWN = "what PyTorch's compiled code gives (its formula is not known here)"


def node_name(node: Any) -> str:
    """A node's name, without the C++ namespace that some have."""
    return str(node.name()).rpartition("::")[2]


@functools.cache
def _ops() -> dict[str, list[dict[str, Callable[..., Any]]]]:
    """Node name -> the rules of each op of minigrad's that leaves such a node, by input in order."""
    found: dict[str, list[dict[str, Callable[..., Any]]]] = {}
    for call in vars(tensors).values():
        write = getattr(call, "__globals__", {}).get("write")
        if write is None:
            continue
        kernel, declared, _ = write.declared
        ordered = {name: declared[name] for name in inspect.signature(kernel).parameters if name in declared}
        if ordered:
            found.setdefault(write.node_name, []).append(ordered)
    return found


def _candidates(raw: Any) -> list[Mapping[str, Callable[..., Any]]]:
    """The rules to try on a node: those of the same name and as many inputs."""
    name = node_name(raw)
    own = [own_rules.RULES[name]] if name in own_rules.RULES else []
    return [declared for declared in (*own, *_ops().get(name, ())) if len(declared) == len(raw.next_functions)]


def input_names(node: Any) -> tuple[str, ...]:
    """What a node's inputs are called, in the order of its `next_functions`; () where that is not known."""
    count = len(node.next_functions)
    if not count:  # a leaf
        return ()
    if saved_tensors.is_custom(node):
        parameters = list(inspect.signature(node._forward_cls.forward).parameters)
        parameters = parameters[1:] if len(parameters) > count else parameters  # the first is ctx
        return tuple(parameters) if len(parameters) == count else ()
    worded = own_rules.WORDS.get(node_name(node), ())
    if len(worded) == 1 and count > 1 and worded[0][0] == "tensors":
        return tuple(f"tensors[{slot}]" for slot in range(count))
    return tuple(name for name, _ in worded) if len(worded) == count else tuple(next(iter(_candidates(node)), ()))


class Explained(NamedTuple):
    """The rules of a node: parameter -> its rule, or words where it is not known; and the values that they name."""

    rules: dict[str, Callable[..., Any] | str]
    bound: dict[str, Any]


NOTHING = Explained({}, {})


def explain(source: Source, raw: Any, incoming: tuple[Any, ...], outgoing: list[Any]) -> Explained:
    """The rules of a node that has just run. `outgoing` is what its rule gave, as arrays.

    Never raises: whatever there is to say of a rule, the step has been made.
    """
    names = input_names(raw) or tuple(f"input {slot}" for slot in range(len(outgoing)))
    if saved_tensors.is_custom(raw):
        return NOTHING  # it is the learner's own code, which is shown whole
    packed = any(saved_tensors.look(raw, parameter)[0] == "packed" for parameter in saved_tensors.parameters(raw))
    words = [text for _, text in own_rules.WORDS.get(node_name(raw), ())]
    words = words if len(words) == len(names) else words[:1] * len(names)
    found = Explained(
        {**dict.fromkeys(names, PACKED if packed else UNKNOWN), **dict(zip(names, words, strict=False))}, {}
    )
    given = next((gradient for gradient in incoming if gradient is not None), None)
    if len(incoming) != 1 or given is None or given.numel() > CHECKED or str(given.layout) != "torch.strided":
        return found
    near = 1e-2 if given.element_size() <= 2 else 1e-4  # of two bytes, a sum's rounding shows
    for name, gradient in zip(names, outgoing, strict=False):
        for declared in _candidates(raw) if gradient is not None else ():
            rule = declared.get(name)
            values = None if rule is None else _values(source, raw, rule)
            if rule is not None and values is not None and _gives(rule, source.array(given), values, gradient, near):
                found.rules[name] = rule
                found.bound.update({key: rules.binding(value) for key, value in values.items()})
                break
    return found


def _values(source: Source, node: Any, rule: Callable[..., Any]) -> dict[str, Any] | None:
    """What a rule of minigrad's asks for, of what a node of PyTorch's has saved; None if something is missing."""
    try:
        return {
            parameter: _value(source, node, parameter) for parameter in list(inspect.signature(rule).parameters)[2:]
        }
    except (AttributeError, LookupError, TypeError, ValueError):
        return None


def _value(source: Source, node: Any, parameter: str) -> Any:
    if parameter.endswith(("_shape", "_dtype")):
        owner, _, kind = parameter.rpartition("_")
        child, number = node.next_functions[input_names(node).index(owner)]
        about = child._input_metadata[number]
        return tuple(about.shape) if kind == "shape" else np.dtype(str(about.dtype).removeprefix("torch."))
    # No dimensions are all, and no padding is -1, without a sign.
    state, value, _ = saved_tensors.look(node, ELSEWHERE.get(parameter, parameter))
    if parameter == "padding" and value >= 1 << 63:
        return -1
    if parameter == "dim" and value in ((), None):
        return tuple(range(len(node.next_functions[0][0]._input_metadata[node.next_functions[0][1]].shape)))
    if state != "kept":
        raise LookupError(parameter)
    return source.array(value)


@silent
def _gives(rule: Callable[..., Any], g: Any, values: Mapping[str, Any], wanted: Any, near: float) -> bool:
    """Whether a rule gives the gradient that PyTorch has computed, but for rounding."""
    try:
        result = np.asarray(rule(arrays, g, *values.values()))
        result = np.asarray(fit_gradient(result, wanted.shape, result.dtype))
        size = float(np.max(np.abs(wanted), initial=0.0, where=np.isfinite(wanted)))
        return result.shape == wanted.shape and np.allclose(result, wanted, near, near * size, equal_nan=True)
    except Exception:  # a rule of another op's, fed with what was not meant for it
        return False

"""What is known of the rules of PyTorch's nodes.

For a graph whose rules are compiled C++ the stepper takes the text of a rule from here. minigrad's nodes have PyTorch's
names, so the rule of minigrad's op of that name is tried on what PyTorch's node has saved. Only if it gives the
gradient that PyTorch has just computed is it shown; else it is said that the formula is not known here.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minigrad.autograd.fitting import fit_gradient
from minigrad.op import arrays, tensors
from minigrad.ops.silence import silent
from minigrad.viz.graph import rules
from minigrad.viz.torch_graphs import own_rules, saved

CHECKED = 2_000_000  # elements of a gradient, up to which a rule is tried out
PACKED = "what its rule gives (with what a saved-tensors hook keeps for it, which is not looked into)"
UNKNOWN = "what PyTorch's compiled code gives (its formula is not known here)"


def node_name(raw: Any) -> str:
    """A node's name, without the C++ namespace that some have."""
    return str(raw.name()).rpartition("::")[2]


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


def input_names(raw: Any) -> tuple[str, ...]:
    """What a node's inputs are called, in the order of its `next_functions`; () where that is not known."""
    count = len(raw.next_functions)
    if saved.is_custom(raw):
        parameters = list(inspect.signature(raw._forward_cls.forward).parameters)
        parameters = parameters[1:] if len(parameters) > count else parameters  # the first is ctx
        return tuple(parameters) if len(parameters) == count else ()
    worded = own_rules.WORDS.get(node_name(raw), ())
    if len(worded) == 1 and count > 1 and worded[0][0] == "tensors":
        return tuple(f"tensors[{slot}]" for slot in range(count))
    return tuple(name for name, _ in worded) if len(worded) == count else tuple(next(iter(_candidates(raw)), ()))


def explain(node: Any, incoming: tuple[Any, ...], outgoing: list[Any]) -> None:
    """Set `node.rules`, and in `node.bound` the values that they name, for a node that has just run. `outgoing` is what
    its rule gave, as arrays.

    Never raises: whatever there is to say of a rule, the step has been made.
    """
    raw, node.bound = node.raw, {}
    names = node.inputs or tuple(f"input {slot}" for slot in range(len(outgoing)))
    if saved.is_custom(raw):
        node.rules = {}  # it is the learner's own code, which is shown whole
        return
    packed = any(saved.look(raw, parameter)[0] == "packed" for parameter in saved.parameters(raw))
    words = [text for _, text in own_rules.WORDS.get(node_name(raw), ())]
    words = words if len(words) == len(names) else words[:1] * len(names)
    node.rules = dict.fromkeys(names, PACKED if packed else UNKNOWN) | dict(zip(names, words, strict=False))
    given = next((gradient for gradient in incoming if gradient is not None), None)
    if len(incoming) != 1 or given is None or given.raw.numel() > CHECKED or not given.is_strided:
        return
    near = 1e-2 if given.raw.element_size() <= 2 else 1e-4  # of two bytes, a sum's rounding shows
    for name, gradient in zip(names, outgoing, strict=False):
        for declared in _candidates(raw) if gradient is not None else ():
            rule = declared.get(name)
            values = None if rule is None else _values(node, rule)
            if rule is not None and values is not None and _gives(rule, given.numpy(), values, gradient, near):
                node.rules[name] = rule
                node.bound |= {key: rules.binding(value) for key, value in values.items()}
                break


def _values(node: Any, rule: Callable[..., Any]) -> dict[str, Any] | None:
    """What a rule of minigrad's asks for, of what a node of PyTorch's has saved; None if something is missing."""
    try:
        return {parameter: _value(node, parameter) for parameter in list(inspect.signature(rule).parameters)[2:]}
    except (AttributeError, LookupError, TypeError, ValueError):
        return None


def _value(node: Any, parameter: str) -> Any:
    if parameter.endswith(("_shape", "_dtype")):
        owner, _, kind = parameter.rpartition("_")
        child, number = node.raw.next_functions[node.inputs.index(owner)]
        about = child._input_metadata[number]
        return tuple(about.shape) if kind == "shape" else np.dtype(str(about.dtype).removeprefix("torch."))
    state, value, _ = node.look(parameter)
    if state != "kept":
        raise LookupError(parameter)
    return value.numpy() if hasattr(value, "numpy") else value


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

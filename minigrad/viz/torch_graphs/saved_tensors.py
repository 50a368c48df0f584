"""What a node of PyTorch's keeps for its backward, and what of it can be seen.

PyTorch shows what a built-in node saved as `_saved_<name>`, a custom Function's as `saved_tensors`. Of these some are
gone (freed by the first backward), some changed in place since, and some lie with the learner's own saved-tensors
hooks: to unpack those is the learner's code and may compute a whole piece of the forward again (checkpoint), so no
picture does it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")
Look = tuple[str, Any, tuple[int | None, int | None]]  # what became of a value; it; its version now and when saved


def is_leaf(node: Any) -> bool:
    """Whether a node is the AccumulateGrad of a leaf."""
    return type(node).__name__ == "AccumulateGrad" and hasattr(node, "variable")


def parameters(node: Any) -> list[str]:
    """The names of what a node has saved, without what only says how its memory lay."""
    if is_custom(node):
        return [f"tensor {number}" for number in range(len(_raw_of_custom(node)))]
    names = [name.removeprefix("_saved_") for name in dir(type(node)) if name.startswith("_saved_")]
    return [name for name in names if not name.endswith(("_sym_strides", "_sym_storage_offset"))]


def is_custom(node: Any) -> bool:
    """Whether a node belongs to a class that a learner derived from torch.autograd.Function."""
    return hasattr(type(node), "saved_tensors")


def is_freed(node: Any) -> bool:
    """Whether a node has freed what it had saved."""
    return any(look(node, parameter)[0] == "freed" for parameter in parameters(node))


def _raw_of_custom(node: Any) -> tuple[Any, ...]:
    try:
        return tuple(node._raw_saved_tensors)
    except RuntimeError:  # freed: how many there were is not told any more
        return (None,)


def look(node: Any, parameter: str) -> Look:
    """What became of a value: "kept", "freed", "packed" or "changed"; the value, if it is kept; and if it is changed,
    its version now and the version that was saved. AttributeError if the node has none of that name.
    """
    if is_custom(node):
        raw = _raw_of_custom(node)
        number = int(parameter.removeprefix("tensor ")) if parameter.startswith("tensor ") else len(raw)
        if number >= len(raw):
            raise AttributeError(parameter)
        if raw[number] is None:
            return "freed", None, (None, None)
        return _attempt(lambda: node.saved_tensors[number], [raw[number]])
    if parameter.endswith("_shape") and not hasattr(node, f"_saved_{parameter}"):
        parameter = parameter.removesuffix("shape") + "sym_sizes"
    state, kept, versions = _attempt(lambda: getattr(node, f"_raw_saved_{parameter}", None))
    if state != "kept":
        return state, None, versions
    several = kept if isinstance(kept, tuple | list) else [kept]
    return _attempt(lambda: _with_sign(getattr(node, f"_saved_{parameter}")), several)


def _with_sign(value: Any) -> Any:
    """A dimension counted from the end, which PyTorch gives as the number that its 64 bits would be without a sign."""
    if isinstance(value, tuple):
        return tuple(_with_sign(one) for one in value)
    return value - 2**64 if isinstance(value, int) and value >= 2**63 else value


def _attempt(get: Callable[[], Any], raw: Sequence[Any] = ()) -> Look:
    """What `get` gives, or the error that PyTorch raises at it. It is not called where one of the `raw` saved tensors
    is packed: that would run the learner's hook.
    """
    if any(getattr(one, "unpack_hook", None) is not None for one in raw):
        return "packed", None, (None, None)
    try:
        return "kept", get(), (None, None)
    except RuntimeError as error:
        versions = VERSIONS.search(str(error))
        if "second time" in str(error):
            return "freed", None, (None, None)
        return "changed", None, (int(versions[1]), int(versions[2])) if versions else (None, None)

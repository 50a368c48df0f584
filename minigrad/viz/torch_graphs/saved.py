"""What a node of PyTorch's keeps for its backward, and what of it can be seen.

After this module a reader knows why a picture of PyTorch's graph says "freed", "packed" or "hidden". PyTorch shows what
a built-in node saved as `_saved_<name>`, a custom Function's as `saved_tensors`. Of these some are gone (freed by the
first backward), some changed in place since, and some lie with the learner's own saved-tensors hooks: to unpack those
is the learner's code and may compute a whole piece of the forward again (checkpoint), so no picture does it.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any

WORDS = {
    "freed": "freed by a backward that used the graph",
    "packed": "what a saved-tensors hook made of it",
    "changed": "written to since it was saved",
}
VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")


def parameters(node: Any) -> list[str]:
    """The names of what a node has saved, without what only says how its memory lay."""
    if is_custom(node):
        return [f"tensor {number}" for number in range(len(_raw_of_custom(node)))]
    names = [name.removeprefix("_saved_") for name in dir(type(node)) if name.startswith("_saved_")]
    return [name for name in names if not name.endswith(("_sym_strides", "_sym_storage_offset"))]


def is_custom(node: Any) -> bool:
    """Whether a node belongs to a class that a learner derived from torch.autograd.Function."""
    return hasattr(type(node), "saved_tensors")


def source_of_backward(node: Any) -> str:
    """The learner's own `backward`, as they wrote it; "" for built-in nodes and where there is no source."""
    if not is_custom(node):
        return ""
    try:
        return textwrap.dedent(inspect.getsource(node._forward_cls.backward)).rstrip()
    except (AttributeError, OSError, TypeError):
        return ""


def read(node: Any, parameter: str) -> Any:
    """A saved value, or None where it is not to be shown. AttributeError if the node has none of that name."""
    state, value = _look(node, parameter)
    return value if state == "kept" else None


def state_of(node: Any, parameter: str) -> tuple[str, str, tuple[int, int] | None]:
    """What became of a saved value: a word, a sentence, and two versions where it was written to since."""
    state, value = _look(node, parameter)
    found = VERSIONS.search(value) if state == "changed" else None
    return state, WORDS.get(state, ""), (int(found[1]), int(found[2])) if found else None


def is_freed(node: Any) -> bool:
    """Whether a node has freed what it had saved."""
    return any(_look(node, parameter)[0] == "freed" for parameter in parameters(node))


def _raw_of_custom(node: Any) -> tuple[Any, ...]:
    try:
        return tuple(node._raw_saved_tensors)
    except RuntimeError:  # freed: how many there were is not told any more
        return (None,)


def _look(node: Any, parameter: str) -> tuple[str, Any]:
    """What became of a value, and if it is kept, the value."""
    if is_custom(node):
        raw = _raw_of_custom(node)
        number = int(parameter.removeprefix("tensor ")) if parameter.startswith("tensor ") else len(raw)
        if number >= len(raw):
            raise AttributeError(parameter)
        if raw[number] is None:
            return "freed", None
        if raw[number].unpack_hook is not None:
            return "packed", None
        return _attempt(lambda: node.saved_tensors[number])
    if parameter.endswith("_shape") and not hasattr(node, f"_saved_{parameter}"):
        parameter = parameter.removesuffix("shape") + "sym_sizes"
    state, kept = _attempt(lambda: getattr(node, f"_raw_saved_{parameter}", None))
    several = kept if isinstance(kept, tuple | list) else [kept]
    if any(getattr(one, "unpack_hook", None) is not None for one in several):
        return "packed", None
    return (state, None) if state != "kept" else _attempt(lambda: _signed(getattr(node, f"_saved_{parameter}")))


def _signed(value: Any) -> Any:
    """A dimension counted from the end, which PyTorch gives as the number that its 64 bits would be without a sign."""
    if isinstance(value, tuple):
        return tuple(_signed(one) for one in value)
    return value - 2**64 if isinstance(value, int) and value >= 2**63 else value


def _attempt(get: Callable[[], Any]) -> tuple[str, Any]:
    """The value, or what PyTorch says to somebody who asks for it."""
    try:
        return "kept", get()
    except RuntimeError as error:
        return ("freed", None) if "second time" in str(error) else ("changed", str(error))

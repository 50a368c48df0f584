"""How `save` takes a value apart: into a description in JSON, and the blocks of memory that its tensors lie in.

After this module a reader knows how tensors that share memory are found, so that the memory is written once, and why a
file is written beside the old one and put in its place at the end.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import type_name
from minigrad.devices import device
from minigrad.ops.places.strides import storage_of
from minigrad.tensor import Size, Tensor, own_array

DESCRIPTION = "minigrad.json"
VERSION = 1
MAX_DEPTH = 100  # lists within lists
NESTED: dict[str, type] = {"list": list, "tuple": tuple, "dict": dict, "ordered": OrderedDict, "set": set}


def save(obj: Any, f: Any) -> None:
    """Write tensors, and lists and dicts of them, such as `model.state_dict()`, to a file that `load` reads.

    Tensors keep dtype, shape, strides and `requires_grad`; tensors that share memory share it when they are read back.
    Besides them: None, bools, numbers, str, bytes, list, tuple, dict, OrderedDict, set, Size, dtype and device.

    Args:
        f: a path, or a file that is open for writing bytes. A file at that path is replaced when the new one is
            complete: if saving fails, the old one is still there.

    TypeError for anything else in `obj`, before the file is touched.
    """
    content = _Writer().content(obj)
    if isinstance(f, str | os.PathLike):
        with replacing(f) as stream:
            _write(stream, content)
    elif hasattr(f, "write"):
        _write(f, content)
    else:
        raise AttributeError(f"expected 'f' to be string, path, or a file-like object with a 'write' attribute: {f!r}")


@contextlib.contextmanager
def replacing(path: Any) -> Iterator[BinaryIO]:
    """A file beside `path` to write to, which takes its place at the end, if all went well."""
    final = os.path.realpath(os.fspath(path))
    if not os.path.isdir(os.path.dirname(final)):
        raise RuntimeError(f"Parent directory {os.path.dirname(final)} does not exist.")
    beside = f"{final}.{os.urandom(4).hex()}.part"
    try:
        with open(beside, "xb") as stream:
            yield stream
        os.replace(beside, final)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)


def _write(stream: Any, content: dict[str, Any]) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, data in content.items():  # each with a date of its own, so that the same tensors make the same bytes
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)


class _Writer:
    """Takes a value apart into a description and blocks of memory."""

    def __init__(self) -> None:
        self.tensors: dict[int, int] = {}  # the number of each tensor, by identity
        self.saved: list[Tensor] = []
        self.enclosing: set[int] = set()  # the lists and dicts that we are in

    def content(self, obj: Any) -> dict[str, Any]:
        """The members of the zip file."""
        if sys.byteorder != "little":
            raise RuntimeError("minigrad.save works on little-endian machines only")
        value = self.describe(obj, 0)
        blocks, tensors = _blocks([own_array(tensor) for tensor in self.saved])
        for entry, tensor in zip(tensors, self.saved, strict=True):
            entry["class"], entry["requires_grad"] = _class_name(tensor), tensor.requires_grad
        description = {
            "format": "minigrad", "version": VERSION, "memory": [len(block) for block in blocks],
            "tensors": tensors, "value": value,
        }  # fmt: skip
        members: dict[str, Any] = {DESCRIPTION: json.dumps(description)}
        return members | {f"memory/{number}": block for number, block in enumerate(blocks)}

    def describe(self, obj: Any, depth: int) -> Any:
        if isinstance(obj, Tensor):
            return ["tensor", self.number(obj)]
        if obj is None or isinstance(obj, bool | str):
            return obj
        if isinstance(obj, np.generic) and obj.dtype in dtypes.dtype._by_numpy:
            obj = obj.item()
        if isinstance(obj, bool):
            return obj
        if isinstance(obj, int):
            return int(obj) if abs(obj) < 2**63 else ["int", hex(obj)]
        if isinstance(obj, float):
            return ["float", float(obj).hex()]
        if isinstance(obj, bytes):
            return ["bytes", base64.b64encode(obj).decode("ascii")]
        if isinstance(obj, dtypes.dtype):
            return ["dtype", obj.name]
        if isinstance(obj, device):
            return ["device", str(obj)]
        if isinstance(obj, Size):
            return ["size", list(obj)]
        return self.nested(obj, depth)

    def nested(self, obj: Any, depth: int) -> Any:
        """What a list, a dict and the like are made of."""
        if type(obj) is OrderedDict and hasattr(obj, "_metadata"):  # a module's state_dict: its versions belong to it
            metadata = OrderedDict((name, dict(of)) for name, of in obj._metadata.items())
            return ["state", [self.nested(OrderedDict(obj), depth + 1), self.nested(metadata, depth + 1)]]
        kind = next((name for name, kind in NESTED.items() if type(obj) is kind), None)
        if kind is None:
            raise TypeError(
                f"minigrad.save can't write a {type_name(obj)}: a file holds tensors, numbers, words, and lists and "
                "dicts of them, so that reading it can't run code. Of a module or an optimizer, save its state_dict(); "
                "make a tensor of a numpy array with from_numpy()."
            )
        if id(obj) in self.enclosing or depth >= MAX_DEPTH:
            raise ValueError(f"minigrad.save can't write a {kind} that contains itself, or that is {MAX_DEPTH} deep")
        self.enclosing.add(id(obj))
        if isinstance(obj, dict):
            content = [[self.describe(part, depth + 1) for part in pair] for pair in obj.items()]
        else:
            content = [self.describe(part, depth + 1) for part in obj]
        self.enclosing.discard(id(obj))
        return [kind, content]

    def number(self, tensor: Tensor) -> int:
        if id(tensor) not in self.tensors:
            self.tensors[id(tensor)] = len(self.saved)
            self.saved.append(tensor)
        return self.tensors[id(tensor)]


def _class_name(tensor: Tensor) -> str:
    """ "Parameter" or "Buffer" for those of minigrad.nn, without an import of it."""
    for kind in type(tensor).__mro__:
        if kind.__module__ == "minigrad.nn.parameter" and kind.__name__ in ("Parameter", "Buffer"):
            return kind.__name__
    return "Tensor"


def _blocks(arrays: list[Any]) -> tuple[list[bytes], list[dict[str, Any]]]:
    """The memory that arrays lie in, each part that is used once, and where in it each array lies."""
    spans: dict[int, list[int]] = {}  # for each memory, by its address: the first byte that is used, and the end
    homes = []
    for array in arrays:
        start = array.__array_interface__["data"][0]
        last = sum((size - 1) * step for size, step in zip(array.shape, array.strides, strict=True))
        end = start + last + array.itemsize if array.size else start
        row = storage_of(array)
        home = row.__array_interface__["data"][0]
        if not home <= start <= end <= home + row.nbytes:  # memory that numpy does not tell of: taken by itself
            home = start
        homes.append((home, start))
        span = spans.setdefault(home, [start, end])
        span[:] = min(span[0], start), max(span[1], end)
    places = {home: number for number, home in enumerate(spans)}
    blocks = [_bytes_at(start, end, arrays) for start, end in spans.values()]
    entries = [
        {
            "dtype": array.dtype.name, "memory": places[home], "start": start - spans[home][0],
            "shape": list(array.shape), "strides": list(array.strides),
        }
        for array, (home, start) in zip(arrays, homes, strict=True)
    ]  # fmt: skip
    return blocks, entries


def _bytes_at(start: int, end: int, arrays: list[Any]) -> bytes:
    """The bytes between two addresses, which lie in the memory of one of the arrays."""
    if start == end:
        return b""
    for array in arrays:
        row = storage_of(array)
        home = row.__array_interface__["data"][0]
        if home <= start and end <= home + row.nbytes:
            return row.view(np.uint8)[start - home : end - home].tobytes()
    return next(array for array in arrays if array.__array_interface__["data"][0] == start).tobytes()

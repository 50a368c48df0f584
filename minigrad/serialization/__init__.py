"""Tensors in files: `save` and `load`, in a format that can hold numbers but no program.

After this module a reader knows why a file from a stranger can be opened here: PyTorch's own format is a pickle, which
says what Python is to run; ours is a zip file (open it with any unzip) with a description in JSON and the numbers as
they lie in memory. `load` builds tensors, numbers, words, lists and dicts of it and nothing else, and says of every
other file what it seems to be.

The description has three parts: `memory`, how many bytes each block has; `tensors`, each with its block, the place of
its first element, shape and strides in bytes, so that two views of one memory are that again; `value`, what was saved,
as nested `[kind, content]`. Numbers are little-endian.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import math
import os
import struct
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minigrad import dtypes
from minigrad.autograd.blame import type_name
from minigrad.devices import check_device, device
from minigrad.ops.places.strides import storage_of
from minigrad.serialization.foreign import load_safetensors, save_safetensors, what_it_is
from minigrad.tensor import Size, Tensor, from_array, own_array

__all__ = ["load", "load_safetensors", "save", "save_safetensors"]

DESCRIPTION = "minigrad.json"
VERSION = 1
DEEPEST = 100  # lists within lists
_BROKEN = "It was cut short or changed after it was written: get it again from where it came."


# ---------------------------------------------------------------- saving


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
        with _replacing(f) as stream:
            _write(stream, content)
    elif hasattr(f, "write"):
        _write(f, content)
    else:
        raise AttributeError(f"expected 'f' to be string, path, or a file-like object with a 'write' attribute: {f!r}")


@contextlib.contextmanager
def _replacing(path: Any) -> Iterator[BinaryIO]:
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
        self.kept: list[Tensor] = []
        self.open: set[int] = set()  # the lists and dicts that we are in

    def content(self, obj: Any) -> dict[str, Any]:
        """The members of the zip file."""
        if sys.byteorder != "little":
            raise RuntimeError("minigrad.save works on little-endian machines only")
        value = self.described(obj, 0)
        blocks, tensors = _blocks([own_array(tensor) for tensor in self.kept])
        for entry, tensor in zip(tensors, self.kept, strict=True):
            entry["class"], entry["requires_grad"] = _class_name(tensor), tensor.requires_grad
        description = {
            "format": "minigrad", "version": VERSION, "memory": [len(block) for block in blocks],
            "tensors": tensors, "value": value,
        }  # fmt: skip
        members: dict[str, Any] = {DESCRIPTION: json.dumps(description)}
        return members | {f"memory/{number}": block for number, block in enumerate(blocks)}

    def described(self, obj: Any, depth: int) -> Any:
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
        kind = next((name for name, kind in _NESTED.items() if type(obj) is kind), None)
        if kind is None:
            raise TypeError(
                f"minigrad.save can't write a {type_name(obj)}: a file holds tensors, numbers, words, and lists and "
                "dicts of them, so that reading it can't run code. Of a module or an optimizer, save its state_dict(); "
                "make a tensor of a numpy array with from_numpy()."
            )
        if id(obj) in self.open or depth >= DEEPEST:
            raise ValueError(f"minigrad.save can't write a {kind} that contains itself, or that is {DEEPEST} deep")
        self.open.add(id(obj))
        if isinstance(obj, dict):
            content = [[self.described(part, depth + 1) for part in pair] for pair in obj.items()]
        else:
            content = [self.described(part, depth + 1) for part in obj]
        self.open.discard(id(obj))
        return [kind, content]

    def number(self, tensor: Tensor) -> int:
        if id(tensor) not in self.tensors:
            self.tensors[id(tensor)] = len(self.kept)
            self.kept.append(tensor)
        return self.tensors[id(tensor)]


_NESTED: dict[str, type] = {"list": list, "tuple": tuple, "dict": dict, "ordered": OrderedDict, "set": set}


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


# ---------------------------------------------------------------- loading


def load(f: Any, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """Read what `save` wrote, or the tensors of a .safetensors file. No file can make this run code.

    Args:
        f: a path, or a file that is open for reading bytes.
        map_location: where the tensors are to be: the CPU, under any of the names that PyTorch takes for it.
        weights_only: of no effect: there is never anything else.

    RuntimeError for a file that is damaged or of another kind, with what it seems to be and what to do about it;
    ImportError for a .safetensors file where the library is missing.
    """
    _check_location(map_location)
    if isinstance(f, str | os.PathLike):
        name, data = str(f), Path(f).read_bytes()
    elif hasattr(f, "read"):
        name, data = getattr(f, "name", "this file"), f.read()
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"minigrad.load needs a file that is open for reading bytes, as in open({name!r}, 'rb')")
    else:
        raise AttributeError(f"expected 'f' to be string, path, or a file-like object with a 'read' attribute: {f!r}")
    try:
        members = _members(bytes(data))
    except (
        zipfile.BadZipFile,
        NotImplementedError,
        EOFError,
        ValueError,
        RuntimeError,
        OSError,
        LookupError,
        ArithmeticError,
        struct.error,
    ) as error:
        if data[:4] == b"PK\x03\x04":
            raise _broken(name, error) from None
        members = None
    if members is None or DESCRIPTION not in members:
        kind, advice = what_it_is(bytes(data[:4096]), len(data), None if members is None else list(members))
        if kind == "safetensors":
            return load_safetensors(bytes(data))
        raise RuntimeError(
            f"minigrad.load can't read {name}: it is no file of minigrad.save, but seems to be {kind}. {advice}"
        )
    try:
        return _Reader(members).value()
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError, RuntimeError) as error:
        raise _broken(name, error) from None


def _broken(name: str, error: Exception) -> RuntimeError:
    return RuntimeError(f"minigrad.load can't read {name}: it is damaged ({type(error).__name__}: {error}). {_BROKEN}")


def _check_location(map_location: Any) -> None:
    if isinstance(map_location, dict):
        for place in map_location.values():
            check_device(place)
    elif map_location is not None and not callable(map_location):
        check_device(map_location)


def _members(data: bytes) -> dict[str, bytes]:
    """The members of a zip file; no more bytes than the file has, as it would have if they were compressed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if DESCRIPTION not in [entry.filename for entry in entries]:
            return {entry.filename: b"" for entry in entries}
        if len({entry.filename for entry in entries}) != len(entries):
            raise ValueError("two members have the same name")
        if sum(entry.file_size for entry in entries) > len(data):
            raise ValueError("its members are larger than the file")
        return {entry.filename: archive.read(entry) for entry in entries}


class _Reader:
    """Puts a value together again. Whatever is not as `_Writer` would write it raises."""

    def __init__(self, members: dict[str, bytes]) -> None:
        description = json.loads(members[DESCRIPTION].decode("utf-8"), parse_constant=_no_constant)
        if description["format"] != "minigrad":
            raise ValueError("the description is of another format")
        if description["version"] != VERSION:
            raise ValueError(f"it is of version {description['version']}, and this minigrad reads version {VERSION}")
        if sys.byteorder != "little":
            raise ValueError("minigrad.load works on little-endian machines only")
        self.blocks = [
            _block(members[f"memory/{number}"], size) for number, size in enumerate(_list(description["memory"]))
        ]
        self.tensors = [self.tensor(entry) for entry in _list(description["tensors"])]
        self.description = description["value"]

    def tensor(self, entry: dict[str, Any]) -> Tensor:
        kind = _dtype(entry["dtype"]).numpy
        shape, strides = ([_whole(number) for number in _list(entry[name])] for name in ("shape", "strides"))
        block = self.blocks[_whole(entry["memory"])]
        if len(shape) != len(strides) or math.prod(shape) >= 2**62:
            raise ValueError(f"there is no tensor of shape {shape} with strides {strides}")
        if math.prod(shape):  # numpy checks that all elements are within the block
            start = _whole(entry["start"])
            array: Any = np.ndarray(tuple(shape), kind, block, start, tuple(strides))
            end = start + sum((size - 1) * step for size, step in zip(shape, strides, strict=True)) + kind.itemsize
            if kind == np.bool_ and block[start:end].max() > 1:
                raise ValueError("a bool is neither 0 nor 1")
        else:
            array = np.empty(shape, kind)
        if any(step == 0 and size > 1 for step, size in zip(strides, shape, strict=True)):
            array.flags.writeable = False  # as numpy has it where several elements are in one place
        return _of_class(entry["class"], from_array(array), entry["requires_grad"])

    def value(self) -> Any:
        return self.built(self.description, 0)

    def built(self, part: Any, depth: int) -> Any:
        if part is None or isinstance(part, bool | int | str):
            return part
        kind, content = _list(part)
        if depth > DEEPEST:
            raise ValueError(f"it is more than {DEEPEST} deep")
        if kind == "tensor":
            return self.tensors[_whole(content)]
        if kind in ("dict", "ordered"):
            pairs = [[self.built(item, depth + 1) for item in _list(pair)] for pair in _list(content)]
            made = _NESTED[kind]((key, value) for key, value in pairs)
            if len(made) != len(pairs):
                raise ValueError("a dict has a key twice")
            return made
        if kind == "state":
            named, metadata = [self.built(item, depth + 1) for item in _list(content)]
            state: Any = OrderedDict(named)
            state._metadata = OrderedDict(metadata)
            return state
        if kind in _NESTED:
            return _NESTED[kind]([self.built(item, depth + 1) for item in _list(content)])
        return _SIMPLE[kind](content)


def _no_constant(name: str) -> Any:
    raise ValueError(f"the description contains {name}")


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{type(value).__name__} where a list should be")
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{value!r} where a whole number should be")
    return value


def _dtype(name: Any) -> dtypes.dtype:
    for kind in dtypes.dtype._by_numpy.values():
        if kind.name == name:
            return kind
    raise ValueError(f"there is no dtype {name!r}")


def _block(data: bytes, size: Any) -> np.ndarray[Any, Any]:
    if len(data) != _whole(size):
        raise ValueError(f"a block of memory has {len(data)} bytes, and not {size}")
    return np.frombuffer(bytearray(data), np.uint8)


def _of_class(name: Any, tensor: Tensor, requires_grad: Any) -> Tensor:
    if not isinstance(requires_grad, bool):
        raise ValueError(f"a tensor has requires_grad={requires_grad!r}")
    if name == "Tensor":
        return tensor.requires_grad_(requires_grad)
    from minigrad.nn import parameter

    if name == "Parameter":
        return parameter.Parameter(tensor, requires_grad)
    if name == "Buffer":
        return parameter.Buffer(tensor.requires_grad_(requires_grad))
    raise ValueError(f"there is no class {name!r}")


_SIMPLE: dict[str, Any] = {
    "int": lambda text: int(text, 16),
    "float": float.fromhex,
    "bytes": lambda text: base64.b64decode(text.encode("ascii"), validate=True),
    "dtype": _dtype,
    "device": device,
    "size": lambda numbers: Size(_whole(number) for number in _list(numbers)),
}

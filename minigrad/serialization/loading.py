"""How `load` puts a value together again: tensors, numbers, words, lists and dicts, and nothing else.

After this module a reader knows how a file from a stranger is read: everything in it is checked before it is used, and
whatever is not as `save` would have written it is an error.
"""

from __future__ import annotations

import base64
import io
import json
import math
import os
import struct
import sys
import textwrap
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.devices import check_device, device
from minigrad.serialization.formats import file_kind, load_safetensors
from minigrad.serialization.saving import DESCRIPTION, MAX_DEPTH, NESTED, VERSION
from minigrad.tensor import Size, Tensor, from_array

_BROKEN = "It was cut short or changed after it was written: get it again from where it came."


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
        kind, advice = file_kind(bytes(data[:4096]), len(data), None if members is None else list(members))
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
    said = textwrap.shorten(str(error), 200, placeholder=" ...")  # zipfile quotes all that stands where a name should
    return RuntimeError(f"minigrad.load can't read {name}: it is damaged ({type(error).__name__}: {said}). {_BROKEN}")


def _check_location(map_location: Any) -> None:
    if isinstance(map_location, dict):
        for place in map_location.values():
            check_device(place)
    elif map_location is not None and not callable(map_location):
        check_device(map_location)


def _members(data: bytes) -> dict[str, bytes]:
    """The members of a zip file: none compressed, and no more bytes than the file has."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if DESCRIPTION not in [entry.filename for entry in entries]:
            return {entry.filename: b"" for entry in entries}
        if len({entry.filename for entry in entries}) != len(entries):
            raise ValueError("two members have the same name")
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise ValueError("its members are compressed")
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
        shape, strides = ([_natural(number) for number in _list(entry[name])] for name in ("shape", "strides"))
        block = self.blocks[_natural(entry["memory"])]
        if len(shape) != len(strides) or math.prod(shape) >= 2**62:
            raise ValueError(f"there is no tensor of shape {shape} with strides {strides}")
        if math.prod(shape):  # numpy checks that all elements are within the block
            start = _natural(entry["start"])
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
        return self.build(self.description, 0)

    def build(self, part: Any, depth: int) -> Any:
        if part is None or isinstance(part, bool | int | str):
            return part
        kind, content = _list(part)
        if depth > MAX_DEPTH:
            raise ValueError(f"it is more than {MAX_DEPTH} deep")
        if kind == "tensor":
            return self.tensors[_natural(content)]
        if kind in ("dict", "ordered"):
            pairs = [[self.build(item, depth + 1) for item in _list(pair)] for pair in _list(content)]
            made = NESTED[kind]((key, value) for key, value in pairs)
            if len(made) != len(pairs):
                raise ValueError("a dict has a key twice")
            return made
        if kind == "state":
            named, metadata = [self.build(item, depth + 1) for item in _list(content)]
            state: Any = OrderedDict(named)
            state._metadata = OrderedDict(metadata)
            return state
        if kind in NESTED:
            return NESTED[kind]([self.build(item, depth + 1) for item in _list(content)])
        return _SIMPLE[kind](content)


def _no_constant(name: str) -> Any:
    raise ValueError(f"the description contains {name}")


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{type(value).__name__} where a list should be")
    return value


def _natural(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{value!r} where a whole number should be")
    return value


def _dtype(name: Any) -> dtypes.dtype:
    for kind in dtypes.dtype._by_numpy.values():
        if kind.name == name:
            return kind
    raise ValueError(f"there is no dtype {name!r}")


def _block(data: bytes, size: Any) -> np.ndarray[Any, Any]:
    if len(data) != _natural(size):
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
    "size": lambda numbers: Size(_natural(number) for number in _list(numbers)),
}

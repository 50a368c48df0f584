"""Tensors in files: `save` and `load`, in a format that can hold numbers but no program.

PyTorch's own format is a pickle, which says what Python is to run. This one is a zip file (open it with any unzip) with
a description in JSON and the numbers as they lie in memory. `load` builds tensors, numbers, words, lists and dicts of
it and nothing else, so that a file from a stranger can be opened.

The description has four parts: `format`; `memory`, how many bytes each block has; `tensors`, each with its block, the
place of its first element, shape and strides in bytes, so that two views of one memory are that again; `value`, what
was saved, as nested `[kind, content]`.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import sys
import textwrap
import zipfile
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minigrad import dtypes
from minigrad.absent import takes_left_out
from minigrad.autograd.blame import type_name
from minigrad.devices import device
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor, from_array, own_array

DESCRIPTION = "minigrad.json"
FORMAT = ["minigrad", 2, sys.byteorder]
MAX_DEPTH = 100  # lists within lists
_NESTED: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "dict": dict, "ordered": OrderedDict}


# ---------------------------------------------------------------- save


@takes_left_out
def save(obj: Any, f: Any) -> None:
    """Write tensors, and lists and dicts of them, such as `model.state_dict()`, to a file that `load` reads.

    Tensors keep dtype, shape, strides and `requires_grad`; tensors that share memory share it when they are read back.
    Besides them: None, bools, numbers, words, list, tuple, set, dict and OrderedDict.

    Args:
        f: a path, or a file that is open for writing bytes. A file at that path is replaced when the new one is
            complete: if saving fails, the old one is still there.

    TypeError for anything else in `obj`, before the file is touched.
    """
    tensors: dict[int, tuple[int, Tensor]] = {}
    value = _describe(obj, tensors, 0)
    blocks, entries = _memory([own_array(tensor) for _, tensor in tensors.values()])
    for entry, (_, tensor) in zip(entries, tensors.values(), strict=True):
        entry |= {"parameter": isinstance(tensor, Parameter), "requires_grad": tensor.requires_grad}
    description = {"format": FORMAT, "memory": list(map(len, blocks)), "tensors": entries, "value": value}
    members = {DESCRIPTION: json.dumps(description)} | {f"memory/{i}": block for i, block in enumerate(blocks)}
    if isinstance(f, str | os.PathLike):
        with _replacing(f) as stream:
            _write(stream, members)
    elif hasattr(f, "write"):
        _write(f, members)
    else:
        raise AttributeError(f"expected 'f' to be string, path, or a file-like object with a 'write' attribute: {f!r}")


def _describe(obj: Any, tensors: dict[int, tuple[int, Tensor]], depth: int) -> Any:
    """What JSON can hold of a value. Its tensors are gathered in `tensors`, with their numbers, by identity."""
    if isinstance(obj, Tensor):
        return ["tensor", tensors.setdefault(id(obj), (len(tensors), obj))[0]]
    if isinstance(obj, np.generic):
        obj = obj.item()
    if obj is None or isinstance(obj, bool | int | float | str):
        return obj
    kind = next((name for name, kind in _NESTED.items() if type(obj) is kind), None)
    if kind is None:
        raise TypeError(
            f"minigrad.save can't write a {type_name(obj)}: a file holds tensors, numbers, words, and lists and dicts "
            "of them, so that reading it can't run code. Of a module or an optimizer, save its state_dict(); make a "
            "tensor of a numpy array with from_numpy()."
        )
    if depth >= MAX_DEPTH:
        raise ValueError(f"minigrad.save can't write a {kind} that contains itself, or that is {MAX_DEPTH} deep")
    if hasattr(obj, "_metadata"):  # a module's state_dict: the versions of its layers belong to it
        parts = [OrderedDict(obj), OrderedDict(obj._metadata)]
        return ["state", [_describe(part, tensors, depth + 1) for part in parts]]
    if isinstance(obj, dict):
        return [kind, [[_describe(part, tensors, depth + 1) for part in pair] for pair in obj.items()]]
    return [kind, [_describe(part, tensors, depth + 1) for part in obj]]


def _memory(arrays: list[Any]) -> tuple[list[bytes], list[dict[str, Any]]]:
    """The memory that arrays lie in, in blocks, and where in it each array lies. Those that overlap share a block."""
    spans = [np.lib.array_utils.byte_bounds(array) if array.size else (0, 0) for array in arrays]
    blocks: list[list[int]] = []
    for start, end in sorted(spans):
        if not blocks or start >= blocks[-1][1]:
            blocks.append([start, end])
        blocks[-1][1] = max(blocks[-1][1], end)
    entries: list[dict[str, Any]] = []
    for array, (start, _) in zip(arrays, spans, strict=True):
        number = next(number for number, block in enumerate(blocks) if block[0] <= start <= block[1])
        place = {"dtype": array.dtype.name, "memory": number, "start": start - blocks[number][0]}
        entries.append({**place, "shape": list(array.shape), "strides": list(array.strides)})
    return [ctypes.string_at(start, end - start) for start, end in blocks], entries


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


def _write(stream: Any, members: dict[str, Any]) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():  # each with one fixed date, so that the same tensors make the same bytes
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)


# ---------------------------------------------------------------- load


@takes_left_out
def load(f: Any, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """Read what `save` wrote. No file can make this run code.

    Args:
        f: a path, or a file that is open for reading bytes.
        map_location: where the tensors are to be: the CPU, under any of the names that PyTorch takes for it.
        weights_only: of no effect: there is never anything else.

    RuntimeError for a file that is damaged or of another kind.
    """
    for place in map_location.values() if isinstance(map_location, dict) else [map_location]:
        if place is not None and not callable(place):
            device(place)
    if isinstance(f, str | os.PathLike):
        name, data = str(f), Path(f).read_bytes()
    elif hasattr(f, "read"):
        name, data = getattr(f, "name", "this file"), f.read()
        if not isinstance(data, bytes):
            raise TypeError(f"minigrad.load needs a file that is open for reading bytes, as in open({name!r}, 'rb')")
    else:
        raise AttributeError(f"expected 'f' to be string, path, or a file-like object with a 'read' attribute: {f!r}")
    if data[:1] == b"\x80" or b"/data.pkl" in data[:200]:
        raise RuntimeError(
            f"minigrad.load can't read {name}: it seems to be a pickle, such as a file of torch.save. It can hold a "
            "program, so it is not opened here. In PyTorch, read it and write its tensors as arrays with "
            "numpy.savez; make tensors of these with minigrad.from_numpy()."
        )
    if DESCRIPTION.encode() not in data:
        begins = f"begins with {data[:16]!r}" if data else "is empty: maybe it was never written to the end"
        raise RuntimeError(f"minigrad.load can't read {name}: it is no file of minigrad.save, and {begins}.")
    try:
        return _value(_members(data))
    except Exception as error:  # whatever it is that is not as `save` writes it
        told = textwrap.shorten(str(error), 200, placeholder=" ...")  # it may quote all that stands in a name's place
        raise RuntimeError(
            f"minigrad.load can't read {name}: it is damaged ({type(error).__name__}: {told}). It was cut short or "
            "changed after it was written: get it again from where it came."
        ) from None


def _members(data: bytes) -> dict[str, bytes]:
    """The members of a zip file: none compressed, and no more bytes than the file has."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise ValueError("its members are compressed")
        if sum(entry.file_size for entry in entries) > len(data):
            raise ValueError("its members are larger than the file")
        return {entry.filename: archive.read(entry) for entry in entries}


def _value(members: dict[str, bytes]) -> Any:
    """The value put together again. Whatever is not as `save` would write it raises."""
    description = json.loads(members[DESCRIPTION].decode("utf-8"))
    if description["format"] != FORMAT:
        raise ValueError(f"it is of the format {description['format']}, and not of {FORMAT}")
    sizes = description["memory"]
    blocks = [bytearray(members[f"memory/{number}"]) for number in range(len(sizes))]  # which can be written to
    if (found := list(map(len, blocks))) != sizes:
        raise ValueError(f"its blocks of memory have {found} bytes, and not {sizes}")
    tensors = [_tensor(entry, blocks) for entry in description["tensors"]]
    return _build(description["value"], tensors, 0)


def _tensor(entry: dict[str, Any], blocks: list[bytearray]) -> Tensor:
    kind = dtypes.from_numpy(np.dtype(entry["dtype"])).numpy  # raises if minigrad has no such dtype
    shape, strides = ([_natural(number) for number in entry[name]] for name in ("shape", "strides"))
    # numpy checks that all elements are within the block
    array: Any = np.ndarray(shape, kind, blocks[_natural(entry["memory"])], _natural(entry["start"]), strides)
    if kind == np.bool_ and array.size and array.view(np.uint8).max() > 1:
        raise ValueError("a bool is neither 0 nor 1")
    if any(step == 0 and size > 1 for step, size in zip(strides, shape, strict=True)):
        array.flags.writeable = False  # as numpy has it where several elements are in one place
    requires_grad, parameter = entry["requires_grad"], entry["parameter"]
    if not (isinstance(requires_grad, bool) and isinstance(parameter, bool)):
        raise TypeError(f"a tensor has requires_grad={requires_grad!r} and parameter={parameter!r}")
    tensor = from_array(array)
    return Parameter(tensor, requires_grad) if parameter else tensor.requires_grad_(requires_grad)


def _build(part: Any, tensors: list[Tensor], depth: int) -> Any:
    """The value that a part of the description stands for."""
    if part is None or isinstance(part, bool | int | float | str):
        return part
    if depth > MAX_DEPTH:
        raise ValueError(f"it is more than {MAX_DEPTH} deep")
    kind, content = part
    if kind == "tensor":
        return tensors[_natural(content)]
    if kind == "state":
        state, state._metadata = (_build(item, tensors, depth + 1) for item in content)
        return state
    made = _NESTED[kind]
    if not issubclass(made, dict):
        return made([_build(item, tensors, depth + 1) for item in content])
    pairs = [[_build(item, tensors, depth + 1) for item in pair] for pair in content]
    if len(filled := made(pairs)) != len(pairs):
        raise ValueError("a dict has a key twice")
    return filled


def _natural(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{value!r} where a whole number should be")
    return value

"""Files that others wrote: what they seem to be, and those of the safetensors library, which are read and written.

After this module a reader knows how a program tells the kind of a file from its first bytes, and why weights are passed
around as .safetensors: a table of names, dtypes and places in JSON, then the numbers; nothing that could be run.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from minigrad.autograd.blame import type_name
from minigrad.serialization.saving import replacing
from minigrad.tensor import Tensor, from_array, own_array

_FROM_TORCH = (
    "It can hold a program, so it is not opened here. In PyTorch, read it and write its tensors with "
    "safetensors.torch.save_file(state_dict, 'name.safetensors'), which minigrad.load reads."
)
_BEGINNINGS = (  # how files of other kinds begin
    (b"\x93NUMPY", "an array of numpy.save", "Read it with minigrad.from_numpy(numpy.load(path))."),
    (b"\x89HDF\r\n", "an HDF5 file", "Read it with h5py, and make tensors with minigrad.from_numpy(array)."),
    (b"GGUF", "a GGUF file of a language model", "minigrad has no reader for it."),
    (b"\x1f\x8b", "compressed with gzip", "Decompress it first."),
    (b"\x89PNG", "a PNG picture", "Give the file that minigrad.save wrote."),
    (b"\x08", "a protocol buffer, maybe an ONNX model", "minigrad has no reader for it."),
)


def file_kind(start: bytes, size: int, members: list[str] | None) -> tuple[str, str]:
    """What a file seems to be, and what to do about it.

    Args:
        start: its first bytes.
        size: how many it has.
        members: the names in it, if it is a zip file.
    """
    if not size:
        return "empty", "Maybe it was never written to the end: save it again."
    if members is not None:
        if any(name.endswith("data.pkl") for name in members):
            return "a file of torch.save", _FROM_TORCH
        if members and all(name.endswith(".npy") for name in members):
            return (
                "a file of numpy.savez",
                "Read it with numpy.load(path), and make tensors with minigrad.from_numpy().",
            )
        return "a zip file with other content", f"It holds {', '.join(members[:3]) or 'nothing'}."
    if is_safetensors(start, size):
        return "safetensors", ""
    if start[:1] == b"\x80" and len(start) > 1 and 2 <= start[1] <= 5:
        return "a pickle, maybe an old file of torch.save", _FROM_TORCH
    for beginning, kind, advice in _BEGINNINGS:
        if start.startswith(beginning):
            return kind, advice
    if start[:2] == b"PK":
        return "a zip file that was cut short", "Get it again from where it came."
    try:
        text = start.decode("utf-8")
    except UnicodeDecodeError as error:
        text = start[: error.start].decode("utf-8") if error.start > size - 4 or error.start > 4000 else ""
    if text and all(letter.isprintable() or letter.isspace() for letter in text):
        return f"a text that begins with {text[:20]!r}", "Give the file that minigrad.save wrote."
    return f"something else, whose first bytes are {start[:8].hex(' ')}", "Give the file that minigrad.save wrote."


def is_safetensors(start: bytes, size: int) -> bool:
    """Whether a file begins as the safetensors library's: the length of a table in 8 bytes, and a table."""
    return len(start) > 8 and start[8:9] == b"{" and 2 <= int.from_bytes(start[:8], "little") <= size - 8


def _library() -> Any:
    try:
        import_module("safetensors.numpy")
        return import_module("safetensors")
    except ImportError:
        raise ImportError(
            "files of safetensors are read by its library, which is not installed: pip install 'minigrad[safetensors]'"
        ) from None


_KINDS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1",
    "BOOL": "?",
}  # fmt: skip


def load_safetensors(f: Any) -> dict[str, Tensor]:
    """The tensors of a .safetensors file, by name. Those of bfloat16 become float32, which holds the same numbers.

    Args:
        f: a path, or the bytes of the file.

    RuntimeError for a file that is damaged, or holds a dtype that minigrad does not have; ImportError where the
    safetensors library is missing.
    """
    library = _library()
    name, data = ("the file", f) if isinstance(f, bytes) else (str(f), Path(f).read_bytes())
    try:
        entries = library.deserialize(data)
    except Exception as error:  # the library has an exception of its own, which is no RuntimeError
        raise RuntimeError(
            f"minigrad can't read {name}: it seems to be a file of safetensors that is damaged ({error}). Get it again "
            "from where it came."
        ) from None
    return {key: _tensor(key, entry) for key, entry in sorted(entries, key=lambda pair: str(pair[0]))}


def _tensor(name: str, entry: dict[str, Any]) -> Tensor:
    kind, shape, data = entry["dtype"], entry["shape"], bytearray(entry["data"])
    if kind == "BF16":  # the upper half of a float32
        halves = np.frombuffer(data, "<u2").astype(np.uint32) << np.uint32(16)
        return from_array(halves.view(np.float32).reshape(shape))
    if kind not in _KINDS:
        raise RuntimeError(
            f"the tensor {name!r} is of dtype {kind}, which minigrad does not have: convert it to F32 where the "
            "file was made"
        )
    if kind == "BOOL" and max(data, default=0) > 1:
        raise RuntimeError(f"the tensor {name!r} is damaged: a bool is neither 0 nor 1")
    return from_array(np.frombuffer(data, _KINDS[kind]).reshape(shape))


def save_safetensors(
    tensors: dict[str, Tensor], filename: str | os.PathLike[str], metadata: dict[str, str] | None = None
) -> None:
    """Write tensors by name to a .safetensors file, which PyTorch's users can read. What two tensors share is written
    twice.

    TypeError for anything but a dict of tensors with words for keys.
    """
    for name, tensor in tensors.items():
        if not isinstance(name, str) or not isinstance(tensor, Tensor):
            raise TypeError(f"save_safetensors writes a dict of tensors by name, and not {name!r}: {type_name(tensor)}")
    arrays = {name: np.ascontiguousarray(own_array(tensor)).reshape(tensor.shape) for name, tensor in tensors.items()}
    data = _library().numpy.save(arrays, metadata)
    with replacing(filename) as stream:
        stream.write(data)

"""Tensors in files: `save` and `load`, in a format that can hold numbers but no program.

After this module a reader knows why a file from a stranger can be opened here: PyTorch's own format is a pickle, which
says what Python is to run; ours is a zip file (open it with any unzip) with a description in JSON and the numbers as
they lie in memory. `load` builds tensors, numbers, words, lists and dicts of it and nothing else, and says of every
other file what it seems to be.

The description has three parts: `memory`, how many bytes each block has; `tensors`, each with its block, the place of
its first element, shape and strides in bytes, so that two views of one memory are that again; `value`, what was saved,
as nested `[kind, content]`. Numbers are little-endian.

Where to read on: `saving`, `loading`, and `formats` (what files of other kinds are, and those of safetensors).
"""

from minigrad.serialization.formats import load_safetensors, save_safetensors
from minigrad.serialization.loading import load
from minigrad.serialization.saving import save

__all__ = ["load", "load_safetensors", "save", "save_safetensors"]

"""Where a tensor's numbers are: always in the memory of the processor.

After this module a reader knows why `device = "cuda" if torch.cuda.is_available() else "cpu"` and `x.to(device)` run
here as they do in PyTorch: the CPU can be named wherever PyTorch takes a device, and any other device is an error that
says so.
"""

from __future__ import annotations

import re
from typing import Any

from minigrad.autograd.blame import type_name

_TYPES = ("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla",
          "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone")  # fmt: skip


class device:
    """The name of a device, such as `device("cpu")` or `device("cuda", 1)`. Only tensors on the CPU can be made.

    RuntimeError for a type of device that PyTorch has no name for.
    """

    __slots__ = ("type", "index")

    def __init__(self, type: Any, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int) and not isinstance(type, bool):
            raise RuntimeError("Cannot access accelerator device when none is available. Use device('cpu').")
        if not isinstance(type, str):
            raise TypeError(
                f"device() received an invalid combination of arguments - got ({type_name(type)}), but expected a "
                "device or its name, such as 'cpu'"
            )
        name, colon, number = type.partition(":")
        if not re.fullmatch("[a-zA-Z_]+", name):
            raise RuntimeError(
                f"Invalid device string: '{type}'. Use 'cpu'; a dtype has no quotes, as in minigrad.float32."
            )
        if name not in _TYPES:
            raise RuntimeError(
                f"Expected one of {', '.join(_TYPES)} device type at start of device string: {type}. Only 'cpu' is of "
                "use here."
            )
        if colon and (not number.isdecimal() or index is not None):
            raise RuntimeError(f"Invalid device string: '{type}'. Use device('cpu').")
        self.type: str = name
        self.index: int | None = int(number) if colon else index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r}" + (")" if self.index is None else f", index={self.index})")

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type, self.index)


CPU = device("cpu")


def check_device(value: Any) -> None:
    """Raise if a `device=` argument names anything but the CPU."""
    if value is None or value is CPU or value == "cpu":
        return
    named = device(value)
    if named.type == "cuda":
        raise AssertionError(
            "Torch not compiled with CUDA enabled: minigrad computes on the CPU only. Leave out the device, or choose "
            "it by cuda.is_available(), which is False here."
        )
    if named.type != "cpu" or named.index not in (None, 0):
        raise RuntimeError(f"minigrad computes on the CPU only: there is no {named}. Leave out the device.")


class layout:
    """How elements are kept: `minigrad.strided`, one number in memory per element, is the only way here."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "minigrad.strided"

    def __reduce__(self) -> str:
        return "strided"


strided = layout()


class memory_format:
    """In which order a new tensor keeps its elements in memory."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"minigrad.{self.name}"

    def __reduce__(self) -> str:
        return self.name


contiguous_format = memory_format("contiguous_format")  # the last dimension runs fastest
preserve_format = memory_format("preserve_format")  # the same one runs fastest as in the tensor that it is like
